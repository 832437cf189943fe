"""Scenes of notebook 08: many questions about a calibrated model, and a model whose data are spoiled."""

import numpy as np

from ...plots import GREY, MISS, SOFT, Finding, choice, estimate, panel, reference, words
from ...resampling import draw_labels
from ...teach.explore import explore
from ..shared.verdicts import capital
from .board import LEVEL, LOW, TICKS, board, put, seen
from .data import SPOILS, digits_on_scanners, spoil
from .exercises import check
from .games import which_fault
from .questions import names_of, residual_sums

__all__ = ["many_questions", "spoiled", "which_fault"]

DRAWS, FIRST = 999, 20  # with 199 too many tie at the smallest p-value, and one bad scanner is not found


def tables_of(y_prob, scanner, numbers, n_draws=DRAWS):
    """Data sets whose labels are drawn from the predictions: the questions' statistics, each among `n_draws` redraws."""
    found = []
    for number in numbers:
        labels = draw_labels(y_prob, 1 + n_draws, np.random.default_rng([8, number]))
        found.append(residual_sums(y_prob, labels, scanner))
    return found


def raw_pvalues(table):
    """The p-value of each question alone: the share of data sets with a statistic at least as large as the first's."""
    return (table >= table[:, :1]).mean(axis=1)


def many_questions(adjusted=None):
    """A calibrated model, 24 questions: how small is the smallest p-value, and what does adjusting make of it?

    Parameters
    ----------
    adjusted : callable, optional
        table (m, B + 1) -> p-values (m,); or what `check.adjusted.use` gives.
    """
    method = check.adjusted.use(adjusted)
    _, y_prob, scanner = digits_on_scanners()
    tables, pairs_of = [], []

    def smallest(count):
        while len(tables) < count:
            tables.extend(tables_of(y_prob, scanner, [len(tables)]))
            pairs_of.append((raw_pvalues(tables[-1]).min(), np.min(method(tables[-1]))))
        return pairs_of[:count]

    def setup(fig):
        smallest(FIRST)
        axes = panel(fig, read_y=False, xscale="log", xlim=(LOW, 1.25), ylim=(-0.75, 3.1))
        axes.set_xticks(TICKS, ["0.001", "0.01", "0.05", "0.2", "1"])
        axes.minorticks_off()
        axes.set_xlabel("p-value")
        reference(axes, [LEVEL, LEVEL], [-0.75, 2.95])
        words(axes, LEVEL * 1.06, 2.95, "p = .05", colour=SOFT, size=11, ha="left")
        top = words(axes, 1.2, 2.45, "", colour=SOFT, ha="right", size=11)
        for y, name in ((1, "the smallest one of every data set"), (0, "the smallest one, adjusted")):
            words(axes, 1.2, y + 0.45, name, colour=SOFT, ha="right", size=11)
        dots = {kind: (estimate(axes, color=GREY, ms=8), estimate(axes, color=MISS, ms=8)) for kind in "alo"}
        return {**dots, "top": top, "here": choice(axes, ms=15, zorder=3.5)}

    def update(artists, another=0):
        count = FIRST * (1 + another)
        pairs, here = np.array(smallest(count), dtype=float), []
        rows = {"a": (2, raw_pvalues(tables[count - 1])), "l": (1, pairs[:, 0]), "o": (0, pairs[:, 1])}
        for kind, (y, values) in rows.items():
            alarm = values <= LEVEL + 1e-12
            heights = y + 0.25 * (np.arange(len(values)) * 0.618 % 1 - 0.5)
            for artist, which in zip(artists[kind], (~alarm, alarm), strict=True):
                artist.set_data(seen(values[which]), heights[which])
            mine = values.argmin() if kind == "a" else -1
            here.append((seen(values)[mine], heights[mine]))
        artists["here"].set_data(*np.transpose(here))
        artists["top"].set_text(f"all 24 of data set {count}, the smallest in yellow")
        raw, after = ((pairs[:, k] <= LEVEL + 1e-12).sum() for k in (0, 1))
        return Finding(
            f"Calibrated, yet {raw} of {count} data sets show a p ≤ .05",
            f"24 questions, {DRAWS} redraws; adjusted: {after} of {count}, by {method.by}",
            "Each has 1,079 digits, with labels drawn from the network's predictions. On top are the p-values of the last.",
        )

    return explore(setup, update, size=(9, 4.2), another="twenty more data sets", code=(residual_sums, raw_pvalues))


def spoiled(adjusted=None, slip=None):
    """Real predictions, spoiled in one way or another: which verdicts break?

    Parameters
    ----------
    adjusted : callable, optional
        As in `many_questions`.
    slip : callable, optional
        Labels (n,) -> labels, moved one row down.
    """
    method, slip = check.adjusted.use(adjusted), check.slip.use(slip)
    y_true, y_prob, scanner = digits_on_scanners()
    if np.shape(slip(y_true)) != y_true.shape or not np.isin(slip(y_true), y_true).all():
        slip = check.slip.use()  # no labels of these rows: there is nothing to show
    names, files = names_of(y_prob, scanner), {}

    def setup(fig):
        for number, how in enumerate(SPOILS):
            y, p, s = spoil(how, y_true, y_prob, scanner, slip)
            labels = draw_labels(p, DRAWS, np.random.default_rng([80, number]), observed=np.asarray(y))
            files[how] = method(residual_sums(p, labels, s)), (p.argmax(axis=1) == y).mean()
        return board(fig, names)

    def update(artists, spoiling=SPOILS[0]):  # the guess before it is not given away
        pvalues, right = files[spoiling]
        is_found, told = put(artists, pvalues, names, before=files[SPOILS[0]][0])
        what = capital(spoiling) + (" is spoiled" if spoiling == SPOILS[0] else "")
        whose = slip.by if spoiling == SPOILS[1] else method.by
        return Finding(
            f"{what}: {is_found.sum()} of 24 questions find something",
            f"neural network, {len(y_true):,} digits, {right:.0%} right; rings: not spoiled; by {whose}",
            f"An adjusted p-value of at most .05: all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}.",
        )

    return explore(setup, update, size=(9, 4.4), spoiling=SPOILS, code=residual_sums,
                   labels={"spoiling": "what is spoiled"})  # fmt: skip
