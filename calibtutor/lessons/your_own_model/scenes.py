"""Pictures of many questions about a calibrated model, of faults of the data, and of rows that are copies."""

import numpy as np

from ...plots import GREY, INK, MISS, SOFT, Finding, bars_between, chance, estimate, panel, reference, words
from ...chance.resampling import draw_labels
from ...teach.explore import explore
from ..shared.tally import Tally
from ..shared.verdicts import capital
from .board import LEVEL, LOW, TICKS, board, put, seen
from .data import SCANNERS, SPOILS, digits_on_scanners, own_rows, spoil
from .exercises import check
from .questions import names_of, residual_sums, table_of

__all__ = ["many_questions", "spoiled", "visits", "which_fault"]

DRAWS, FIRST = 999, 20  # with 199 too many tie at the smallest p-value, and one bad scanner is not found


def drawn_table(y_prob, scanner, number, n_draws=DRAWS):
    """The questions' statistics of a data set with labels drawn from the predictions, among `n_draws` redraws."""
    return residual_sums(y_prob, draw_labels(y_prob, 1 + n_draws, np.random.default_rng([8, number])), scanner)


def raw_pvalues(table):
    """The p-value of each question alone: the share of data sets with a statistic at least as large as the first's."""
    return (table >= table[:, :1]).mean(axis=1)


def many_questions(adjusted=None):
    """A calibrated model, 24 questions: how small is the smallest p-value, and what does adjusting make of it?

    `adjusted`, the reader's, makes p-values (m,) of a table (m, B + 1); or it is what `check.adjusted.use` gives.
    """
    method = check.adjusted.use(adjusted)
    n_rows, bottom, height = (2, 0.25, 3.4) if adjusted is None else (3, -0.75, 4.2)
    _, y_prob, scanner = digits_on_scanners()
    tables, pairs_of = [], []

    def smallest(count):
        while len(tables) < count:
            tables.append(drawn_table(y_prob, scanner, len(tables)))
            after = np.nan if adjusted is None else np.min(method(tables[-1]))
            pairs_of.append((raw_pvalues(tables[-1]).min(), after))
        return pairs_of[:count]

    def setup(fig):
        smallest(FIRST)
        axes = panel(fig, read_y=False, xscale="log", xlim=(LOW, 1.25), ylim=(bottom, 3.1), x=TICKS, xlabel="p-value R")
        reference(axes, [LEVEL, LEVEL], [bottom, 2.95])
        words(axes, LEVEL * 1.06, 2.95, "level .05", colour=SOFT, size=11, ha="left")
        for k, name in enumerate(("the smallest R of every data set", "the smallest R, adjusted")[: n_rows - 1]):
            words(axes, 1.2, 1.45 - k, name, colour=SOFT, ha="right", size=11)
        return {"dots": [[estimate(axes, color=colour, ms=8) for colour in (GREY, MISS)] for _ in range(n_rows)],
                "top": words(axes, 1.2, 2.45, "", colour=SOFT, ha="right", size=11),
                "here": estimate(axes, mfc="none", mec=INK, mew=1.6, ms=14, zorder=3.5)}

    def update(artists, another=0):
        count = FIRST * (1 + another)
        pairs, here = np.array(smallest(count), dtype=float), []
        rows = raw_pvalues(tables[count - 1]), *pairs.T
        for k, (dots, values) in enumerate(zip(artists["dots"], rows, strict=False)):
            alarm = values <= LEVEL + 1e-12
            heights = 2 - k + 0.25 * (np.arange(len(values)) * 0.618 % 1 - 0.5)
            for artist, which in zip(dots, (~alarm, alarm), strict=True):
                artist.set_data(seen(values[which]), heights[which])
            mine = -1 if k else values.argmin()
            here.append((seen(values)[mine], heights[mine]))
        artists["here"].set_data(*np.transpose(here))
        artists["top"].set_text(f"the 24 R of data set {count}, the smallest ringed")
        raw, after = ((pairs[:, k] <= LEVEL + 1e-12).sum() for k in (0, 1))
        also = ("", "") if adjusted is None else (f"; adjusted, {after}", f"; min-p by {method.by}")
        return Finding(f"Calibrated, yet {raw} of {count} data sets show an R ≤ .05{also[0]}",
                       f"24 questions, {DRAWS} redraws{also[1]}",
                       "Each has 1,079 digits, with labels drawn from the network's predictions.")

    return explore(setup, update, size=(9, height), another="twenty more data sets", code=(residual_sums, raw_pvalues))


def spoiled(adjusted=None):
    """Real predictions, spoiled in one way or another: which verdicts break? Adjusted as in `many_questions`."""
    method = check.adjusted.use(adjusted)
    y_true, y_prob, scanner = digits_on_scanners()
    names, files = names_of(y_prob, scanner), {}

    def setup(fig):
        for number, how in enumerate(SPOILS):
            y, p, s = spoil(how, y_true, y_prob, scanner)
            table = table_of(y, p, s, DRAWS, np.random.default_rng([80, number]))
            files[how] = method(table), (p.argmax(axis=1) == y).mean()
        return board(fig, names)

    def update(artists, spoiling=SPOILS[1]):
        pvalues, right = files[spoiling]
        is_found, told = put(artists, pvalues, names, before=files[SPOILS[0]][0])
        what = capital(spoiling) + (" is spoiled" if spoiling == SPOILS[0] else "")
        return Finding(f"{what}: {is_found.sum()} of 24 questions find something",
                       f"{len(y_true):,} digits, {right:.0%} right; rings: not spoiled; min-p by {method.by}",
                       f"At the level .05: all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}.")

    return explore(setup, update, size=(9, 4.4), spoiling=SPOILS, code=residual_sums,
                   labels={"spoiling": "what is spoiled"})


NOBODY = "choose a fault"
SEED = 85  # the first file is not the one that the picture before it opens on
TRAINING = "rows of the training"
FAULTS = [*SPOILS, TRAINING]
SIGNS = ("nothing is spoiled", "the labels are one row down: every scanner is off, no digit is",
         "two classes are swapped: every scanner is off", "one scanner is bad: of the scanners it alone is off",
         "these are rows of the training: {promised:.0f} misses promised, none happened")


def asked(turn):
    """The fault of a turn: each comes once in five turns."""
    return FAULTS[np.random.default_rng([SEED, turn // 5]).permutation(5)[turn % 5]]


def which_fault(adjusted=None):
    """The verdicts about a spoiled file, adjusted as in `many_questions`: what is wrong with it?"""
    method, tally, tables = check.adjusted.use(adjusted), Tally(asked), {}

    def table(turn):
        if turn not in tables:
            rng = np.random.default_rng([83, turn])
            y_true, p, scanner = own_rows() if asked(turn) == TRAINING else digits_on_scanners()
            y, p, scanner = spoil(asked(turn), y_true, p, (scanner + rng.integers(SCANNERS)) % SCANNERS + 1)
            pvalues = method(table_of(y, p, scanner, DRAWS, rng))
            tables[turn] = pvalues, names_of(p, scanner), (p.argmax(axis=1) == y).mean(), (1 - p.max(axis=1)).sum()
        return tables[turn]

    def update(artists, answer=NOBODY, show=0):
        turn = show // 2
        tally.note(show, None if answer == NOBODY else answer)
        said = tally.answers.get(turn) if show % 2 else None
        pvalues, names, right, promised = table(turn)
        is_found, told = put(artists, pvalues, names)
        correct, of = tally.right()
        artists["count"].set_text(f"{correct} of {of} right" if of else "")
        verdicts = f"all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}"
        if said:
            sign = SIGNS[FAULTS.index(asked(turn))].format(promised=promised)
            return Finding(f"{'Yes' if said == asked(turn) else 'No'}, {sign}",
                           f"file {turn + 1}, {right:.0%} right, on clean rows 97%; by {method.by}",
                           f"You said: {said}. {capital(verdicts)}.")
        guessed = f"{answer}?" if answer != NOBODY else "first choose a fault" if show % 2 else "what is wrong?"
        first = f"{is_found.sum()} of 24 questions find something: {guessed}"
        return Finding(first, f"file {turn + 1}; by {method.by}", f"{capital(verdicts)}.")

    return explore(lambda fig: board(fig, table(0)[1]), update, size=(9, 4.4), answer=[NOBODY, *FAULTS],
                   show="show the answer / another file", anew={"show": ["answer"]}, code=residual_sums,
                   labels={"answer": "what is wrong with the file"})


def mean_misses(copies, people=100, data_sets=100, n_draws=999):
    """Mean misses, said − happened, if each of 100 people has so many equal rows: of calibrated data sets, and redrawn.

    Labels are redrawn row by row, or once for each person.
    """
    rng = np.random.default_rng(90)  # by patient 5 of 100 false alarms, as on average
    said = rng.choice(digits_on_scanners("logistic regression")[1].max(axis=1), people, replace=False)
    observed = (said - (rng.random((data_sets, people)) < said)).mean(axis=1)
    rows = said - (rng.random((copies, n_draws, people)) < said)
    by_row, by_person = rows.mean(axis=(0, 2)), rows[0].mean(axis=1)
    return observed.round(9), by_row.round(9), by_person.round(9)  # equal means shall tie


def farthest(redrawn, level=0.05):
    """The largest size of a miss that is no finding: R, its rank among the redrawn ones, is above the level."""
    return np.sort(np.abs(redrawn))[-int(round(level * (len(redrawn) + 1)))]


def visits():
    """Calibrated data sets whose patients come again: false alarms if labels are redrawn by row, and by patient."""

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.135, 0.235), ylim=(-0.6, 1.6), x=[-0.1, 0, 0.1], base=(-0.135, 0.135))
        axes.set_xlabel("mean miss, said − happened", x=0.365)
        reference(axes, [0, 0], [-0.6, 1.5])
        rows = []
        for y, name in ((1, "redrawn row by row"), (0, "redrawn by patient: cluster=")):
            words(axes, 0.14, y - 0.2, name, colour=SOFT, ha="left", size=11)
            rows.append({"grey": chance(axes), "kept": estimate(axes, ms=7), "found": estimate(axes, color=MISS, ms=7),
                         "count": words(axes, 0.14, y + 0.1, "", bold=True, ha="left", size=20)})
        return rows

    def update(artists, copies=4):
        observed, *redrawn = mean_misses(copies)
        heights, alarms = 0.62 * (np.arange(len(observed)) * 0.618 % 1 - 0.5), []
        for row, y, null in zip(artists, (1, 0), redrawn, strict=True):
            end = farthest(null)
            alarm = np.abs(observed) > end
            row["grey"].set_verts(bars_between(np.array([-end, end]), [y - 0.42], [y + 0.42]))
            for name, which in (("kept", ~alarm), ("found", alarm)):
                row[name].set_data(observed[which], y + heights[which])
            row["count"].set_text(f"{alarm.sum()} of {len(observed)}")
            alarms.append(alarm.sum())
        return Finding(
            f"False alarms in {alarms[0]} of 100 data sets, with cluster= in {alarms[1]}",
            f"100 patients, visits each: {copies}; grey: where 95 % of the redrawn data sets lie",
            "Each dot is one calibrated data set; red: R ≤ .05.")

    return explore(setup, update, size=(9, 4), copies=[1, 2, 4, 9], labels={"copies": "visits of a patient"},
                   code=(mean_misses, farthest))
