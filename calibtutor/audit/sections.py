"""The sections of a report: each is a function of the evidence that gives a table, what was not run, and notes."""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ..binning import bin_of
from ..recalibration import IsotonicCalibration, PlattScaling, TemperatureScaling
from .family import Draws
from .intervals import FEWEST, NOTHING, cox_line, enough, mean_interval, rms_error
from .questions import Panel, Questions

__all__ = ["Evidence", "Section", "bin_columns", "curve", "estimators", "groups", "halves", "local", "notions",
           "part_table", "questions", "repair", "size", "time"]  # fmt: skip

N_BINS = 15
HALF_ROWS = 100  # of each half where something is learnt on one and judged on the other
ESTIMATOR_ROWS = 2000
ESTIMATORS = {"h = 0": "h = 0, no error", "15 bins": "15 bins", "binning": "bins, their number chosen",
              "ukkr": "kernel regression (ukkr)"}  # fmt: skip
MAP_CLASSES = 20  # maps of one class against the rest, for so many
PART_COLUMNS = "n said gap gap_low gap_high slope slope_low slope_high p p_adjusted".split()
NO_ENDS = NOTHING[1:]
NO_FEATURES, NO_HALVES = "no features were given", f"each half of the rows needs {HALF_ROWS}"


@dataclass(frozen=True)
class Section:
    """A table, or none; (what, why) of what was not run; (what, value, note) for the table of the data."""

    table: pd.DataFrame | None = None
    not_run: list = field(default_factory=list)
    notes: list = field(default_factory=list)


@dataclass(frozen=True)
class Evidence:
    """What sections are made of; features, groups and periods in the panel's order."""

    panel: Panel
    level: float = 0.05
    n_resamples: int = 999
    features: object = None
    groups: dict = field(default_factory=dict)  # column -> {level: rows}
    periods: dict = field(default_factory=dict)  # name -> rows
    asked: Questions | None = None
    null: Draws | None = None  # of observed and redrawn labels; the last sums are those of `bin_columns`
    answers: dict = field(default_factory=dict)  # question -> (p, adjusted p)
    halves: tuple | None = None
    rng: dict = field(default_factory=dict)  # section -> Generator
    progress: bool = False

    def answers_to(self, names, what):
        """Statistic and p-values of questions."""
        rows = [(name, float(self.null.values[name][0]), *self.answers[name]) for name in names]
        return pd.DataFrame(rows, columns=[what, "statistic", "p", "p_adjusted"])


def bin_columns(panel):
    """Rows' weights in 15 bins of equal width, as columns, for sums over the draws."""
    place = (np.arange(len(panel)), _bins(panel))
    return csr_array((panel.weights, place), shape=(len(panel), N_BINS))


def _bins(panel):
    return bin_of(panel.said, np.arange(N_BINS + 1) / N_BINS)


# --- how large ---


def size(evidence):
    """Intercept, slope, RMS error, ECE, log loss and Brier score."""
    panel, level = evidence.panel, evidence.level
    common = panel.weights, panel.cluster, level
    line, (rms, n_bins) = cox_line(panel.hit, panel.said, *common), rms_error(panel.hit, panel.said, *common)
    errors = np.abs(evidence.null.sums[-N_BINS:]).sum(axis=0) / panel.weights.sum()
    chance = np.quantile(errors[1:], [level / 2, 1 - level / 2])
    brier, log_loss = (mean_interval(each, *common) for each in _losses(panel, panel.y_prob))
    no = ""
    if not enough(panel.hit):
        no = "; no interval: fewer than 20 hits or misses"
        brier, log_loss = (brier[0], *NO_ENDS), (log_loss[0], *NO_ENDS)
    rows = [
        ("intercept", *line[0], f"0 if right on average; at slope 1, on the logit scale{no}"),
        ("slope", *line[1], f"1 if right; below 1 over-confident, above 1 under-confident{no}"),
        ("RMS error", *rms, f"between {n_bins} bins of equal mass, noise subtracted{no}"),
        ("ECE, 15 bins", errors[0], *chance, "chance: the range of a calibrated model that says the same"),
        ("log loss", *log_loss, "" if np.isfinite(log_loss[0]) else "what happened had probability 0"),
        ("Brier score", *brier, "" if panel.two else f"of {len(panel.names)} classes, 0 to 2"),
    ]
    if panel.two:  # E(p − y)² = E(p − r)² + E r(1 − r) with r = P(Y = 1 | p)
        part, rest = np.square(rms), "what cannot be known from the prediction"
        rows += [("Brier score, miscalibration", *part, "the square of the RMS error, which a repair could save"),
                 ("Brier score, the rest", brier[0] - part[0], *NO_ENDS, rest)]  # fmt: skip
    return Section(pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high", "note"]))


def curve(evidence):
    """Reliability by 15 bins with a simultaneous band: all points of a calibrated model are inside with 1 − level."""
    panel, bins, index = evidence.panel, evidence.null.sums[-N_BINS:], _bins(evidence.panel)
    w, said = panel.weights, panel.said
    count, total = np.bincount(index, minlength=N_BINS), np.bincount(index, w, minlength=N_BINS)
    spread = np.sqrt(np.bincount(index, w**2 * said * (1 - said), minlength=N_BINS))
    full, moves = count > 0, spread > 0
    deviation = (np.abs(bins[moves]) / spread[moves, None]).max(axis=0, initial=0)[1:]
    rank = min(int(np.ceil((1 - evidence.level) * (len(deviation) + 1) * (1 - 1e-12))), len(deviation))
    reach = np.sort(deviation)[rank - 1] * (1 + 1e-9)
    mean = np.bincount(index, w * said, minlength=N_BINS)[full] / total[full]
    half = reach * spread[full] / total[full]
    table = {"low": np.flatnonzero(full) / N_BINS, "high": (np.flatnonzero(full) + 1) / N_BINS, "n": count[full]}
    table |= {"said": mean, "happened": mean + bins[full, 0] / total[full]}
    table |= {"band_low": np.maximum(mean - half, 0), "band_high": np.minimum(mean + half, 1)}
    return Section(pd.DataFrame(table))


def notions(evidence):
    """Canonical, top label and each class."""
    names = [each.name for each in evidence.asked.kernels if each.name != "local"]
    return Section(evidence.answers_to(names, "notion"))


def estimators(evidence):
    """Estimators of the error ranked by validation risk, on some of the rows where there are many."""
    from ..selection import select_estimator

    panel, rng = evidence.panel, evidence.rng["estimators"]
    if evidence.halves is None:
        return Section(not_run=[("estimators", NO_HALVES)])
    rows, not_run = np.arange(len(panel)), []
    if len(panel) > ESTIMATOR_ROWS:
        rows = np.sort(rng.permutation(len(panel))[:ESTIMATOR_ROWS])
        not_run = [("estimators on all rows", f"{len(rows)} rows were drawn for them")]
    names = list(ESTIMATORS)
    found = select_estimator(panel.hit[rows], panel.said[rows], notion="class-wise", candidates=names, rng=rng).table
    table = found[["root", "risk", "told_apart"]].rename(columns={"root": "estimate"})
    table.insert(0, "estimator", [ESTIMATORS[name] for name in found.index])
    table = table.sort_values("risk", ignore_index=True).astype({"told_apart": object})
    table.loc[0, "told_apart"] = None  # from itself
    return Section(table, not_run)


# --- for whom, and where ---


def groups(evidence):
    """Gap and slope of each group."""
    parts = {f"{column} = {name}": ({"column": column, "level": name}, rows)
             for column, levels in evidence.groups.items() for name, rows in levels.items()}  # fmt: skip
    return _of_parts(evidence, parts) if parts else Section(not_run=[("groups", "none were given")])


def time(evidence):
    """Gap and slope in each period."""
    parts = {f"time {name}": ({"period": name}, rows) for name, rows in evidence.periods.items()}
    return _of_parts(evidence, parts) if parts else Section()


def _of_parts(evidence, parts):
    tested = map(evidence.answers.get, parts)
    return Section(part_table(evidence.panel, parts.values(), tested, evidence.level))


def part_table(panel, parts, tested, level):
    """Gap and slope of parts (leading columns, rows); `tested` has their p-values, None of a part that was not."""
    table = []
    for (first, rows), found in zip(parts, tested, strict=True):
        some = panel.take(np.flatnonzero(rows))
        said, gap, slope = np.nan, NOTHING, NOTHING
        shown = found is not None and enough(some.hit, FEWEST // 2)
        if some.cluster is not None:
            shown = shown and len(np.unique(some.cluster)) >= FEWEST
        if len(some):
            said = float(some.weights @ some.said / some.weights.sum())
            gap = mean_interval(some.said - some.hit, some.weights, some.cluster, level)
        if shown:
            slope = cox_line(some.hit, some.said, some.weights, some.cluster, level)[1]
        else:
            gap = gap[0], *NO_ENDS
        row = dict(zip(PART_COLUMNS, (len(some), said, *gap, *slope, *(found or NO_ENDS)), strict=True))
        table.append(first | row | {"tested": found is not None})
    return pd.DataFrame(table)


def local(evidence):
    """The prediction given the features."""
    if "local" in evidence.answers:
        return Section(evidence.answers_to(["local"], "question"))
    if evidence.features is None:
        return Section(not_run=[("local", NO_FEATURES)])
    return Section()  # `questions_of` has said why


# --- what a repair would change ---


def halves(panel, rng):
    """Two random halves of the rows, or of the clusters, as row numbers in order; None where they are too small."""
    if panel.cluster is None:
        first = np.zeros(len(panel), dtype=bool)
        first[rng.permutation(len(panel))[: len(panel) // 2]] = True
    else:
        names = np.unique(panel.cluster)
        first = np.isin(panel.cluster, rng.permutation(names)[: len(names) // 2])
    pair = np.flatnonzero(first), np.flatnonzero(~first)
    return pair if min(map(len, pair)) >= HALF_ROWS else None


def repair(evidence):
    """Brier score and log loss of recalibrated predictions minus those of the model, on the half not learnt from."""
    if evidence.halves is None:
        return Section(not_run=[("repair", NO_HALVES)])
    learn, judge = map(evidence.panel.take, evidence.halves)
    before, never = _losses(judge, judge.y_prob), lambda losses: int(np.isinf(losses[1]).sum())
    rows, not_run, doubts = [], [], []
    makers = [PlattScaling(), TemperatureScaling(), IsotonicCalibration()]
    if len(judge.names) > MAP_CLASSES:
        not_run.append(("repair, a map a class", f"{len(judge.names)} classes; up to {MAP_CLASSES}"))
        makers = makers[1:2]
    for maker in makers:
        name = type(maker).__name__
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                maker.fit(learn.y_true, learn.y_prob, sample_weight=learn.weights)
            except ValueError as error:
                not_run.append((f"repair by {name}", str(error)))
                continue
        doubts += [("repair", "", f"{name}: {each.message}") for each in caught]
        after = _losses(judge, maker.predict_proba(judge.y_prob))
        row = [name if name != "TemperatureScaling" else f"{name}, T = {maker.temperature:.3g}"]
        for old, new in zip(before, after, strict=True):
            with np.errstate(invalid="ignore"):  # from one infinite loss to another
                row += mean_interval(new - old, judge.weights, judge.cluster, evidence.level)
        rows.append(row)
        if np.isfinite(before[1]).all() and not np.isfinite(after[1]).all():
            not_run.append((f"log loss of {name}", f"infinite: it says 0 of what happened in {never(after)} rows"))
    if not np.isfinite(before[1]).all():
        not_run.append(("log loss of repairs", f"it is infinite before: 0 was said in {never(before)} rows"))
    measures = [f"{kind}{end}" for kind in ("brier", "log_loss") for end in ("", "_low", "_high")]
    return Section(pd.DataFrame(rows, columns=["map", *measures]), not_run, doubts)


def _losses(panel, y_prob):
    """Brier score and log loss of each row."""
    p = np.column_stack([1 - y_prob, y_prob]) if y_prob.ndim == 1 else y_prob
    given = p[np.arange(len(p)), panel.y_true]
    with np.errstate(divide="ignore"):
        loss = -np.log(given)
    square = (panel.hit - y_prob) ** 2 if panel.two else (p**2).sum(axis=1) + 1 - 2 * given
    return square, loss


# --- appendix ---


def questions(evidence):
    """All questions of the family."""
    return Section(evidence.answers_to(evidence.asked.family, "question").drop(columns="statistic"))
