"""Scenes of notebook 08: many questions about a calibrated model, and a model whose data are spoiled."""

import numpy as np

from ...plots import GREY, MISS, SOFT, Finding, estimate, panel, reference, words
from ...resampling import draw_labels
from ...teach.explore import explore
from ..shared.verdicts import capital
from .board import LEVEL, LOW, axis_of_pvalues, board, put, seen
from .data import SPOILS, digits_on_scanners, spoil, trained_on
from .exercises import check
from .games import which_fault
from .questions import names_of, residual_sums

__all__ = ["many_questions", "spoiled", "which_fault"]

MODELS = ["neural network", "decision tree"]
DRAWS, FIRST = 999, 20  # with 199 about 24 data sets tie at the smallest p-value, and one bad scanner is not found


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


def _counted(count, what):
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


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
        axis_of_pvalues(axes)
        reference(axes, [LEVEL, LEVEL], [-0.75, 2.95])
        words(axes, LEVEL * 1.06, 2.95, "p = .05", colour=SOFT, size=11, ha="left")
        for y, name in ((2, "each question alone"), (1, "the smallest, by data set"), (0, "adjusted, by data set")):
            words(axes, 1.2, y + 0.45, name, colour=SOFT, ha="right", size=11)
        return {kind: (estimate(axes, color=GREY, ms=8), estimate(axes, color=MISS, ms=8)) for kind in "alo"}

    def update(artists, another=0):
        count = FIRST + another
        pairs = np.array(smallest(count), dtype=float)
        rows = {"a": (2, raw_pvalues(tables[count - 1])), "l": (1, pairs[:, 0]), "o": (0, pairs[:, 1])}
        for kind, (y, values) in rows.items():
            alarm = values <= LEVEL + 1e-12
            heights = y + 0.25 * (np.arange(len(values)) * 0.618 % 1 - 0.5)
            for artist, which in zip(artists[kind], (~alarm, alarm), strict=True):
                artist.set_data(seen(values[which]), heights[which])
        raw, after = ((pairs[:, k] <= LEVEL + 1e-12).sum() for k in (0, 1))
        return Finding(
            f"Calibrated, yet {raw} of {count} data sets show a p ≤ .05",
            f"24 questions, {DRAWS} redraws; adjusted: {after} of {count}, by {method.by}",
            f"In {raw} of {count} data sets of 1,079 digits, labels drawn from the network's predictions, the smallest of 24 "
            f"p-values is at most .05; after adjusting in {after}. On top are the 24 p-values of data set {count}.",
        )

    return explore(setup, update, size=(9, 4.2), another="another data set", code=(residual_sums, raw_pvalues))


def spoiled(adjusted=None):
    """Real predictions, spoiled in one way or another: which verdicts break?

    Parameters
    ----------
    adjusted : callable, optional
        As in `many_questions`.
    """
    method = check.adjusted.use(adjusted)
    tables = {}

    def setup(fig):
        for model in MODELS:
            y_true, y_prob, scanner = digits_on_scanners(model)
            for number, how in enumerate(SPOILS):
                y, p, s = spoil(how, y_true, y_prob, scanner, trained_on(model))
                labels = draw_labels(p, DRAWS, np.random.default_rng([80, number]), observed=y)
                right = (p.argmax(axis=1) == y).mean()
                tables[model, how] = residual_sums(p, labels, s), names_of(p, s), len(y), right
        return board(fig)

    def update(artists, model=MODELS[0], spoiling=SPOILS[0]):
        table, names, n, right = tables[model, spoiling]
        is_found, told = put(artists, method(table), names)
        what = capital(spoiling) + (" is spoiled" if spoiling == SPOILS[0] else "")
        return Finding(
            f"{what}: {is_found.sum()} of 24 questions find something",
            f"{model}, {n:,} rows, {right:.0%} right; by {method.by}",
            f"{model}, spoiled: {spoiling}. {_counted(is_found.sum(), 'question')} of 24 with an adjusted p-value of at most .05; "
            f"all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}.",
        )

    return explore(setup, update, size=(9, 4.2), model=MODELS, spoiling=SPOILS, code=residual_sums,
                   labels={"spoiling": "what is spoiled"})  # fmt: skip
