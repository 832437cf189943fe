"""The sections of a report: each is a function of the evidence that gives a table, what was not run, and notes."""

import warnings
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import expit, log_expit
from scipy.stats import binom

from ..estimates.binning import bin_of
from ..kernels import slices
from ..recalibration import IsotonicCalibration, PlattScaling, TemperatureScaling
from .family import Draws, largest_by_chance
from .inputs import LEAST
from .intervals import FEWEST, NOTHING, cox_line, enough, gap_interval, mean_interval, rms_error
from .questions import CLASS_QUESTIONS, CURVE, Panel, Questions, curve_edges

HALF_ROWS = 100  # of each half where something is learnt on one and judged on the other
MAP_CLASSES = 20  # maps of one class against the rest, for so many
GAP = ["gap", "gap_low", "gap_high"]
PART_COLUMNS = "n said gap gap_low gap_high slope slope_low slope_high p p_adjusted".split()
NO_ENDS, SETS = NOTHING[1:], (1, 2, 3, 5, 10)
SURPRISE = [f"surprise − entropy{end}" for end in ("", "_low", "_high")]
NO_SCORES = (f"repair (temperature), classes by name, a test of {SURPRISE[0]}",
             "these take the probabilities of all outcomes; of candidates ranks are redrawn")
MEASURES = "RMS_error ECE log_loss log_loss_change Brier_change".split()  # of a repair, each with its ends
NO_FEATURES, NO_HALVES = "no features were given", f"each half of the rows needs {HALF_ROWS}"


@dataclass(frozen=True)
class Section:
    """A table, or none; (what, why) of what was not run; (what, value, note) for the table of the data."""

    table: pd.DataFrame | None = None
    not_run: list = field(default_factory=list)
    notes: list = field(default_factory=list)


@dataclass(frozen=True)
class Evidence:
    """What sections are made of; features and groups in the panel's order."""

    panel: Panel
    level: float = 0.05
    n_resamples: int = 999
    features: object = None
    groups: dict = field(default_factory=dict)  # column -> {level: rows}; periods are those of "time"
    asked: Questions | None = None
    null: Draws | None = None  # of observed and redrawn labels
    answers: dict = field(default_factory=dict)  # question -> (p, adjusted p)
    halves: tuple | None = None
    rng: dict = field(default_factory=dict)  # section -> Generator
    progress: bool = False


def size(evidence):
    """Intercept, slope, RMS error, ECE, log loss and Brier score."""
    panel, level = evidence.panel, evidence.level
    common = panel.weights, panel.cluster, level
    line, (rms, n_bins) = cox_line(panel.hit, panel.said, *common, panel.z), rms_error(panel.hit, panel.said, *common)
    errors = np.abs(evidence.null.sums[evidence.asked.bins[CURVE]]).sum(axis=0) / panel.weights.sum()
    chance = np.quantile(errors[1:], [level / 2, 1 - level / 2])
    width = np.diff(evidence.asked.edges)
    ece = f"ECE, {len(width)} bins{' of equal mass' if np.ptp(width) > 1e-9 else ''}"
    few = f"{'effective ' if np.ptp(panel.weights) else ''}hits or misses"
    no = "" if enough(panel.hit, panel.weights) else f"; no interval: fewer than {FEWEST} {few}"
    losses = (mean_interval(each, *common) for each in _losses(panel))
    brier, log_loss = ((each[0], *NO_ENDS) if no else each for each in losses)
    said = float(panel.weights @ panel.said / panel.weights.sum())
    often, high, low = -np.array(gap_interval(panel.about(panel.hit, np.zeros(len(panel))), level))
    rows = [("said", said, *NO_ENDS, "on average"), ("happened", often, low, high, "on average"),
            (GAP[0], *gap_interval(panel, level), "said − happened: above 0 says too much"),
            ("intercept", *line[0], f"0 if right on average; at slope 1, on the logit scale{no}"),
            ("slope", *line[1], f"1 if right; below 1 too extreme, above 1 not extreme enough{no}"),
            ("RMS error", *rms, f"between {n_bins} bins of equal mass, noise subtracted{no}"),
            (ece, errors[0], *chance, "chance: the range of a calibrated model that says the same"),
            ("log loss", *log_loss, "" if np.isfinite(log_loss[0]) else "what happened had probability 0"),
            ("Brier score", *brier, "" if panel.two else f"of {len(panel.names)} classes, 0 to 2")]
    rows += [(SURPRISE[0], *found.values(), "in nats; 0 if right") for found in [surprise(panel, level)] if found]
    return Section(pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high", "note"]))


def curve(evidence):
    """Reliability by bins, and a band outside which a bin is a finding among all questions of the family."""
    panel, asked = evidence.panel, evidence.asked
    used, index = np.unique(bin_of(panel.said, asked.edges), return_inverse=True)
    total, mean = np.bincount(index, panel.weights), np.bincount(index, panel.weights * panel.said)
    half = largest_by_chance(evidence.null.values, CURVE, evidence.level) * (1 + 1e-9) * asked.spread[CURVE] / total
    mean = mean / total
    table = {"low": asked.edges[used], "high": asked.edges[used + 1], "n": np.bincount(index), "said": mean}
    table |= {"happened": np.clip(mean + evidence.null.sums[asked.bins[CURVE], 0] / total, 0, 1)}
    table |= {"band_low": np.maximum(mean - half, 0), "band_high": np.minimum(mean + half, 1)}
    return Section(pd.DataFrame(table))


def groups(evidence):
    """Gap and slope of each group and period."""
    parts = {f"{column} = {name}": ({"column": column, "level": name}, rows)
             for column, levels in evidence.groups.items() for name, rows in levels.items()}
    if not parts:
        return Section(not_run=[("groups", "none were given")])
    return Section(part_table(evidence.panel, parts.values(), map(evidence.answers.get, parts), evidence.level))


def part_table(panel, parts, tested, level):
    """Gap and slope of parts (leading columns, rows); `tested` has their p-values, None of a part that was not."""
    table = []
    for (first, rows), found in zip(parts, tested, strict=True):
        some, slope = panel.take(np.flatnonzero(rows)), NOTHING
        said, gap = float(some.weights @ some.said / some.weights.sum()), gap_interval(some, level)
        if found is not None and (some.cluster is None or len(np.unique(some.cluster)) >= FEWEST):
            slope = cox_line(some.hit, some.said, some.weights, some.cluster, level, some.z)[1]
        row = dict(zip(PART_COLUMNS, (len(some), said, *gap, *slope, *(found or NO_ENDS)), strict=True))
        table.append(first | row | surprise(some, level) | {"tested": found is not None})
    return pd.DataFrame(table)


def surprise(panel, level):
    """Mean of −log p of what came minus the entropy, and its ends, by name; nothing where they are not known."""
    if not panel.ranked or np.isnan(panel.entropy).any():
        return {}
    difference = -panel.logs[:, 1] - panel.entropy
    return dict(zip(SURPRISE, mean_interval(difference, panel.weights, panel.cluster, level), strict=True))


def ranks(evidence):
    """Gap and slope of each rank, and of all that is beyond the candidates."""
    panel, parts = evidence.panel, []
    for k, name in enumerate(panel.names if panel.ranked and not panel.two else ()):
        hit, said = (panel.y_true == k).astype(np.int64), panel.y_prob[:, k].astype(float)
        one = replace(panel.about(hit, said), logs=None if k else panel.logs)
        part, found = ({"rank": name}, hit >= 0), evidence.answers.get(name)
        parts.append(part_table(one, [part], [found], evidence.level).drop(columns=["n", "tested"]))
    unknown = [(SURPRISE[0], "log_prob and entropy were not given")] * (panel.ranked and not surprise(panel, 0.05))
    return Section(pd.concat(parts) if parts else None, unknown)


def classes(evidence):
    r"""Said − happened where a class is the top label, in 20 rows or more: the worst of K first, all K asked at once.

    Rows are independent: their hits are in either tail no more often than a binomial of their mean is (Hoeffding 1956),
    whose intervals (Clopper & Pearson 1934) are taken at level/K, and whose p, adjusted, are min(1, 2 K tail). NaN with
    weights or clusters. "shrunk" is a gap's mean if gaps are normal around a common one (Efron & Morris 1975),
    μ + τ²/(τ² + v_k)(gap_k − μ), with the binomial's variance v_k of half a row more of either.
    """
    panel, table = evidence.panel, []
    if len(panel.names) <= CLASS_QUESTIONS or panel.ranked:
        return Section()
    one = panel.about(panel.hit, panel.said)
    often = np.flatnonzero(np.bincount(panel.top) >= FEWEST)
    for k in often:
        some = one.take(np.flatnonzero(panel.top == k))
        n, said, hits = len(some), float(np.average(some.said, weights=some.weights)), some.hit.sum()
        gap, *ends = gap_interval(some, evidence.level / len(often), np.inf)
        tail = min(binom.cdf(hits, n, said), binom.sf(hits - 1, n, said)) if np.isfinite(ends[0]) else np.nan
        table.append((str(panel.names[k]), n, said, gap, *ends, np.minimum(1, 2 * len(often) * tail)))
    table = pd.DataFrame(table, columns=["class", "n", "said", *GAP, "p_adjusted"])
    gap, often_right = table["gap"], (table["n"] * (table["said"] - table["gap"]) + 0.5) / (table["n"] + 1)
    noise = often_right * (1 - often_right) / table["n"]
    between = max(gap.var(ddof=0) - noise.mean(), 0)
    table.insert(6, "shrunk", gap.mean() + between / (between + noise) * (gap - gap.mean()))
    return Section(table.iloc[np.lexsort((table["p_adjusted"], -table["shrunk"].abs()))])


def sets(evidence):
    """What the k most probable classes say together, how often the label is among them, and the difference."""
    panel, sizes, table = evidence.panel, [k for k in SETS if k < len(evidence.panel.names)], []
    if panel.two:
        return Section()
    beyond = panel.ranked and str(panel.names[-1]).startswith("beyond")  # is in no set
    parts = (panel.y_prob[rows, : len(panel.names) - beyond] for rows in slices(len(panel), 4096))
    order = np.concatenate([_largest(part, sizes[-1]) for part in parts])
    mass = np.minimum(np.take_along_axis(panel.y_prob, order, axis=1).cumsum(axis=1, dtype=float), 1)
    inside = (order == panel.y_true[:, None]).cumsum(axis=1)
    for k in sizes:
        some = panel.about(inside[:, k - 1], mass[:, k - 1])
        said, gap = float(some.weights @ some.said / some.weights.sum()), gap_interval(some, evidence.level)
        table.append((k, said, said - gap[0], *gap))
    return Section(pd.DataFrame(table, columns=["k", "said", "happened", *GAP]))


def _largest(table, k):
    """The columns of the k largest of each row, the largest first, of equal ones the first."""
    some = np.argpartition(table, -k, axis=1)[:, -k:]
    least = np.take_along_axis(table, some, axis=1).min(axis=1, keepdims=True)
    tied = (table >= least).sum(axis=1) > k
    some[tied] = np.argsort(-table[tied], axis=1, kind="stable")[:, :k]
    some.sort(axis=1)
    order = np.argsort(-np.take_along_axis(table, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def halves(panel, rng):
    """Two random halves of the rows, or of the clusters, as row numbers in order; None where they are too small."""
    unit = np.arange(len(panel)) if panel.cluster is None else np.unique(panel.cluster, return_inverse=True)[1]
    chosen = rng.permutation(unit.max() + 1)
    first = np.isin(unit, chosen[: len(chosen) // 2])
    pair = np.flatnonzero(first), np.flatnonzero(~first)
    return pair if min(map(len, pair)) >= HALF_ROWS else None


def repair(evidence):
    """Errors and losses of predictions as they are and recalibrated, on the half of the rows no map was learnt from."""
    if evidence.halves is None or evidence.panel.ranked:
        return Section(not_run=[NO_SCORES if evidence.panel.ranked else ("repair", NO_HALVES)])
    learn, judge = map(evidence.panel.take, evidence.halves)
    common, before = (judge.weights, judge.cluster, evidence.level), _losses(judge)[::-1]
    rows, not_run, notes, sure = [], [], [], enough(judge.hit, judge.weights)
    makers = [TemperatureScaling(clip=None if judge.logs is None else LEAST), PlattScaling(), IsotonicCalibration()]
    for maker in [None, *makers[: 3 if len(judge.names) <= MAP_CLASSES else 1]]:
        name = "as it is" if maker is None else type(maker).__name__
        with warnings.catch_warnings(record=True, action="always") as caught:
            try:
                after = judge if maker is None else _mapped(maker, learn, judge)
            except ValueError as error:
                not_run.append((f"repair by {name}", str(error)))
                continue
        notes += [("repair", "", f"{name}: {each.message}") for each in caught]
        row = [f"{name}, T = {maker.temperature:.3g}" if hasattr(maker, "temperature") else name]
        row += [*rms_error(after.hit, after.said, *common)[0], *_ece(after, evidence.level)]
        losses = _losses(after)[::-1]
        if not np.isfinite([before, losses]).all():
            not_run.append((f"change of log loss by {name}", "0 is said of what happened, before or after"))
        with np.errstate(invalid="ignore"):  # from one infinite loss to another
            changes = [new - old for old, new in zip(before, losses, strict=True)]
            means = [mean_interval(each, *common) for each in (losses[0], *changes)]
        means = means if sure else [(each[0], *NO_ENDS) for each in means]
        rows.append([*row, *means[0], *(NO_ENDS * 3 if maker is None else means[1] + means[2])])
    measures = [f"{kind}{end}" for kind in MEASURES for end in ("", "_low", "_high")]
    return Section(pd.DataFrame(rows, columns=["map", *measures]), not_run, notes)


def _mapped(maker, learn, judge):
    """The rows of `judge` after a map that `learn` teaches; a temperature divides the log-odds that came in."""
    exact = judge.two and judge.logs is not None and isinstance(maker, TemperatureScaling)
    given = expit(np.outer(learn.z, [-1, 1])) if exact else learn.y_prob
    maker.fit(learn.y_true, given, sample_weight=learn.weights)
    if not exact:
        mapped = np.empty_like(judge.y_prob)
        for rows in slices(len(judge), 4096):
            mapped[rows] = maker.predict_proba(judge.y_prob[rows])
        return replace(judge, y_prob=mapped, logs=None)
    z = judge.z / maker.temperature
    return replace(judge, y_prob=expit(z), logs=np.column_stack([z, log_expit(np.where(judge.y_true == 1, z, -z))]))


def _ece(panel, level):
    """ECE, binned as the curve is, and its range by chance as if sums of bins were normal: none with clusters."""
    hit, said, w = panel.hit, panel.said, panel.weights
    index = bin_of(said, curve_edges(said))
    sums, variance = np.bincount(index, w * (said - hit)), np.bincount(index, w**2 * said * (1 - said))
    chance = np.abs(np.random.default_rng(0).normal(size=(9999, len(sums)))) @ np.sqrt(variance)
    ends = np.quantile(chance, [level / 2, 1 - level / 2]) if panel.cluster is None else np.array(NO_ENDS)
    return np.array([np.abs(sums).sum(), *ends]) / w.sum()


def _losses(panel):
    """Brier score and log loss of each row."""
    given = panel.given
    with np.errstate(divide="ignore"):
        loss = -np.log(given) if panel.logs is None else -panel.logs[:, 1]
    p = panel.y_prob
    square = (1 - given) ** 2 if panel.two else np.einsum("ij,ij->i", p, p, dtype=float) + 1 - 2 * given
    return square, loss


def questions(evidence):
    """All questions of the family: statistic, p and adjusted p."""
    rows = [(name, float(evidence.null.values[name][0]), *evidence.answers[name]) for name in evidence.asked.family]
    return Section(pd.DataFrame(rows, columns=["question", "statistic", "p", "p_adjusted"]))
