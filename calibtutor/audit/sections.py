"""The sections of a report as tables: size, curve, groups and time, repair, estimators."""

import warnings

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ..binning import bin_of
from ..recalibration import IsotonicCalibration, PlattScaling, TemperatureScaling
from .intervals import FEWEST, NOTHING, cox_line, enough, mean_interval, rms_error

__all__ = ["bin_columns", "curve_table", "estimator_table", "halves", "part_table", "repair_table", "size_table"]

N_BINS = 15
HALF_ROWS = 100  # of each half where something is learnt on one and judged on the other
ESTIMATOR_ROWS = 2000
ESTIMATORS = {"h = 0": "h = 0, no error", "15 bins": "15 bins", "binning": "bins, their number chosen",
              "ukkr": "kernel regression (ukkr)"}  # fmt: skip
MAP_CLASSES = 20  # maps of one class against the rest, for so many


def bin_columns(panel):
    """Rows' weights in 15 bins of equal width, as columns, for sums over the draws; and the bin of each row."""
    index = bin_of(panel.said, np.arange(N_BINS + 1) / N_BINS)
    place = (np.arange(len(panel)), index)
    return csr_array((panel.weights, place), shape=(len(panel), N_BINS)), index


def size_table(panel, bins, level):
    """Intercept, slope, RMS error, ECE, log loss and Brier score; `bins` are residual sums, (15, 1 + draws)."""
    line = cox_line(panel.hit, panel.said, panel.weights, panel.cluster, level)
    rms, n_bins = rms_error(panel.hit, panel.said, panel.weights, panel.cluster, level)
    errors = np.abs(bins).sum(axis=0) / panel.weights.sum()
    low, high = np.quantile(errors[1:], [level / 2, 1 - level / 2])
    losses = [mean_interval(each, panel.weights, panel.cluster, level) for each in _losses(panel, panel.y_prob)]
    brier, log_loss = losses if enough(panel.hit) else [(each[0], np.nan, np.nan) for each in losses]
    no = "" if enough(panel.hit) else "; no interval: fewer than 20 hits or misses"
    rows = [
        ("intercept", *line[0], f"0 if right on average; at slope 1, on the logit scale{no}"),
        ("slope", *line[1], f"1 if right; below 1 over-confident, above 1 under-confident{no}"),
        ("RMS error", *rms, f"between {n_bins} bins of equal mass, noise subtracted{no}"),
        (
            "ECE, 15 bins",
            errors[0],
            low,
            high,
            "chance: the range of a calibrated model that says the same",
        ),
        ("log loss", *log_loss, "" if np.isfinite(log_loss[0]) else "what happened had probability 0"),
        ("Brier score", *brier, "" if panel.two else f"of {len(panel.names)} classes, 0 to 2"),
    ]
    if panel.two:  # E(p − y)² = E(p − r)² + E r(1 − r) with r = P(Y = 1 | p)
        part = np.square(rms)
        rows.append(("Brier score, miscalibration", *part, "the square of the RMS error, which a repair could save"))
        rows.append(
            ("Brier score, the rest", brier[0] - part[0], np.nan, np.nan, "what cannot be known from the prediction")
        )
    return pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high", "note"])


def curve_table(panel, index, bins, level):
    """Reliability by 15 bins with a simultaneous band: all points of a calibrated model are inside with 1 − level."""
    w, said = panel.weights, panel.said
    count, total = np.bincount(index, minlength=N_BINS), np.bincount(index, w, minlength=N_BINS)
    spread = np.sqrt(np.bincount(index, w**2 * said * (1 - said), minlength=N_BINS))
    full, moves = count > 0, spread > 0
    deviation = (np.abs(bins[moves]) / spread[moves, None]).max(axis=0, initial=0)[1:]
    rank = min(int(np.ceil((1 - level) * (len(deviation) + 1) * (1 - 1e-12))), len(deviation))
    reach = np.sort(deviation)[rank - 1] * (1 + 1e-9)
    mean = np.bincount(index, w * said, minlength=N_BINS)[full] / total[full]
    half = reach * spread[full] / total[full]
    return pd.DataFrame(
        {
            "low": np.flatnonzero(full) / N_BINS,
            "high": (np.flatnonzero(full) + 1) / N_BINS,
            "n": count[full],
            "said": mean,
            "happened": mean + bins[full, 0] / total[full],
            "band_low": np.maximum(mean - half, 0),
            "band_high": np.minimum(mean + half, 1),
        }
    )


def part_table(panel, parts, tested, level):
    """Gap and slope of parts of the rows.

    Parameters
    ----------
    panel : Panel
    parts : list of (dict of leading columns, rows)
    tested : list of (p, p_adjusted) or None
        None for a part that was not tested.
    level : float
    """
    table = []
    for (first, rows), found in zip(parts, tested, strict=True):
        some = panel.take(np.flatnonzero(rows))
        row = dict(first) | {"n": len(some)}
        interval = NOTHING if not len(some) else mean_interval(some.said - some.hit, some.weights, some.cluster, level)
        row["said"] = float(some.weights @ some.said / some.weights.sum()) if len(some) else np.nan
        row["gap"] = interval[0]
        shown = found is not None and enough(some.hit, FEWEST // 2)
        if some.cluster is not None:
            shown = shown and len(np.unique(some.cluster)) >= FEWEST
        row["gap_low"], row["gap_high"] = interval[1:] if shown else (np.nan, np.nan)
        slope = cox_line(some.hit, some.said, some.weights, some.cluster, level)[1] if shown else NOTHING
        row["slope"], row["slope_low"], row["slope_high"] = slope
        row["p"], row["p_adjusted"] = (np.nan, np.nan) if found is None else found
        row["tested"] = found is not None
        table.append(row)
    return pd.DataFrame(table)


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


def repair_table(panel, first, second, level):
    """Brier score and log loss of recalibrated predictions minus those of the model, on the half not learnt from.

    Returns
    -------
    DataFrame, list of (what, why), list of (what, value, note)
    """
    learn, judge = panel.take(first), panel.take(second)
    before = _losses(judge, judge.y_prob)
    rows, not_run, doubts = [], [], []
    makers = [PlattScaling(), TemperatureScaling(), IsotonicCalibration()]
    if len(panel.names) > MAP_CLASSES:
        not_run.append(("repair, a map a class", f"{len(panel.names)} classes; up to {MAP_CLASSES}"))
        makers = makers[1:2]
    for maker in makers:
        name = type(maker).__name__
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                maker.fit(learn.y_true, learn.y_prob, sample_weight=learn.weights)
            except ValueError as error:
                not_run.append((f"repair by {name}", str(error).partition("; ")[0]))
                continue
        # What to do about it is for who calls the map.
        doubts += [("repair", "", f"{name}: {str(each.message).partition('; give ')[0]}") for each in caught]
        after = _losses(judge, maker.predict_proba(judge.y_prob))
        row = [name if name != "TemperatureScaling" else f"{name}, T = {maker.temperature:.3g}"]
        for old, new in zip(before, after, strict=True):
            with np.errstate(invalid="ignore"):  # from one infinite loss to another
                row += mean_interval(new - old, judge.weights, judge.cluster, level)
        rows.append(row)
        if np.isfinite(before[1]).all() and not np.isfinite(after[1]).all():
            not_run.append((f"log loss of {name}", f"infinite: it says 0 of what happened in {_never(after)} rows"))
    if not np.isfinite(before[1]).all():
        not_run.append(("log loss of repairs", f"it is infinite before: 0 was said in {_never(before)} rows"))
    measures = [f"{kind}{end}" for kind in ("brier", "log_loss") for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["map", *measures]), not_run, doubts


def _never(losses):
    return int(np.isinf(losses[1]).sum())


def _losses(panel, y_prob):
    """Brier score and log loss of each row."""
    p = np.column_stack([1 - y_prob, y_prob]) if y_prob.ndim == 1 else y_prob
    given = p[np.arange(len(p)), panel.y_true]
    with np.errstate(divide="ignore"):
        loss = -np.log(given)
    square = (panel.hit - y_prob) ** 2 if panel.two else (p**2).sum(axis=1) + 1 - 2 * given
    return square, loss


def estimator_table(panel, rng):
    """Estimators of the error ranked by validation risk, on some of the rows where there are many."""
    from ..selection import select_estimator

    rows = np.arange(len(panel))
    if len(panel) > ESTIMATOR_ROWS:
        rows = np.sort(rng.permutation(len(panel))[:ESTIMATOR_ROWS])
    hit, said = panel.hit[rows], panel.said[rows]
    found = select_estimator(hit, said, notion="class-wise", candidates=list(ESTIMATORS), rng=rng).table
    table = found[["root", "risk", "told_apart"]].rename(columns={"root": "estimate"})
    table.insert(0, "estimator", [ESTIMATORS[name] for name in found.index])
    table = table.sort_values("risk", ignore_index=True).astype({"told_apart": object})
    table.loc[0, "told_apart"] = None  # from itself
    return table, len(rows)
