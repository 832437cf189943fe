"""Which calibration estimator to believe on your own data: validation risk decides (Gruber & Bach, §3.2.2)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import calibtutor as ct  # loads the room of a name when it is first asked for: that of the maps is slow

from ..door.inputs import InputError, check_choice, check_count, check_number, check_rng, naming
from ..door.predictions import pairs_of_notion, residuals
from ..door.results import Result
from ..errors.spectrum import spectrum_of_kernel
from ..kernels import as_rows
from ..progress import progress_bar
from .kde import BANDWIDTHS, frequencies
from .risk import fit_binning, fit_kde, kernel_ridge, no_error, projected, risk_of_features

NOTHING = "h = 0"
MAPS = "recalibration"  # for who asks: the paper has no such row
TEST_SHARE = 0.2
ROUNDING = 1e-10  # of the trace: what `low_rank` leaves out when it is not stopped


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to fit to, what is held out, and the spectrum that all λ of kkr and ukkr share."""

    y: np.ndarray
    p: np.ndarray
    at: np.ndarray
    delta: np.ndarray
    rank: int | None = None

    @cached_property
    def spectrum(self):
        return spectrum_of_kernel(self.y, self.p, max_rank=self.rank)[0]

    def risks(self, grids):
        """name -> the risk of each setting on what is held out."""
        found, seen = {}, {}
        for name, settings in grids.items():
            if name == "kde":
                misses, one = self.at - frequencies(self.y, self.p, self.at, settings), np.eye(self.delta.shape[1])
                made = ((as_rows(u), one, None) for u in misses)
            else:
                made = (seen_by(FITS[name](self, each), self.at, seen) for each in settings)
            found[name] = [risk_of_features(u, core, self.delta, gram) for u, core, gram in made]
        return found

    def diagonals(self, chosen, at):
        """name -> h(p, p) of its function at these predictions."""
        return {name: FITS[name](self, setting).diagonal(at) for name, setting in chosen.items()}


def seen_by(h, at, seen):
    """Features u, core and uᵀu (or None): kernel ridge makes φ once, and kkr u and uᵀu once for all λ."""
    if getattr(h.features, "func", None) is not projected:
        return h.features(at), h.core, None
    feature_map, weights = h.features.args
    if "phi" not in seen:
        seen["phi"] = feature_map(at, None)
    if seen.get("weights") is not weights:
        u = seen["phi"] @ weights
        seen.update(weights=weights, u=u, gram=u.T @ u)
    return seen["u"], h.core, seen["gram"]


# What makes the function of a setting. The authors' code uses λ = c/√n for kkr and c/n^(1/4) for ukkr; the paper prints
# c·√n for both (errata G2).
FITS = {NOTHING: lambda fold, setting: no_error(),
        "15 bins": lambda fold, n_bins: fit_binning(fold.y, fold.p, n_bins=n_bins),
        "binning": lambda fold, n_bins: fit_binning(fold.y, fold.p, n_bins=n_bins),
        "kde": lambda fold, h: fit_kde(fold.y, fold.p, bandwidth=h),
        "kkr": lambda fold, c: kernel_ridge(fold.spectrum, "kkr", c * len(fold.y) ** -0.5),
        "ukkr": lambda fold, c: kernel_ridge(fold.spectrum, "ukkr", c * len(fold.y) ** -0.25),
        MAPS: lambda fold, each: ct.fit_recalibration(fold.y, fold.p, recalibrator=each)}
GRIDS = {  # settings of a scalar notion, or of vectors
    NOTHING: lambda scalar: [""],
    "15 bins": lambda scalar: [15],
    "binning": lambda scalar: range(5, 101, 5),
    "kde": lambda scalar: BANDWIDTHS.tolist(),
    "kkr": lambda scalar: (10.0 ** (np.arange(-1, -18, -2) if scalar else np.arange(8, -10, -1))).tolist(),
    "ukkr": lambda scalar: (10.0 ** (np.arange(-1, -10, -1) if scalar else np.arange(4, -5, -0.5))).tolist(),
    # With a clip that is given no warning asks for another: here nobody could give it.
    MAPS: lambda _: [ct.TemperatureScaling(clip=2**-52), ct.PlattScaling(), ct.IsotonicCalibration()]}


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorSelectionResult(Result):
    """What `select_estimator` found; `print` shows its `summary`, which has the estimate, all candidates and the notes.

    Attributes
    ----------
    best : str
        Candidate with the smallest mean validation risk.
    estimate : float
        Its estimate of the *squared* calibration error on the test part: the mean over folds. NaN when h = 0 wins:
        that estimates nothing, which is not an error of zero.
    spread_over_folds : float
        Of the estimate: standard deviation of the fold models' estimates, over √folds. No standard error, as the
        models share the test part and most of their training data: over 200 data sets of 500 or 1,000 rows the
        estimate spreads 5 to 9 times as much, and ± 2 of this holds the truth in 21 to 39 % (wave worlds) or 7 %
        (`temperature_simulation`, canonical).
    table : pandas.DataFrame
        A row a candidate: chosen hyper-parameter; mean validation `risk`; `root_risk` = 100 × mean over folds of √risk,
        as the paper's tables print it; `estimate` of the squared error (NaN for h = 0); `root`, its signed root;
        `negative`, the share of test predictions with h(p, p) < 0; `worse_by`, risk minus that of the best.
        `…_spread` is the spread over folds of each mean, as above. `told_apart` is worse_by > 2 worse_by_spread: a
        rule of thumb for five fold risks, no test.
    ensemble : list of EstimationFunction
        The best candidate's fold models, for the first (canonical, top-label: only) reduction.
    notes : list of str
        What a reader should know before quoting the numbers.
    left_out : float
        The largest tr(K − ΦΦᵀ)/tr(K) of a fold: what `rank` left out of the kernel of kkr and ukkr.
    """

    best: str
    estimate: float
    spread_over_folds: float
    table: pd.DataFrame
    ensemble: list
    notes: list
    left_out: float = 0.0

    def summary(self):
        found = f"squared calibration error {self.estimate:.5f} by {self.best}; folds spread it by"
        found = f"{found} {self.spread_over_folds:.5f}, which is no interval"
        if self.best == NOTHING:
            found = f"The risk prefers {NOTHING}, which estimates nothing."
        return "\n".join([found, self.table.to_string(float_format=lambda v: f"{v:.4g}"), *self.notes])

    __str__ = summary


def select_estimator(y_true, y_prob, *, notion="top-label", candidates=None, grids=None, rank=None, folds=5, rng=None,
                     n_jobs=None, progress=False):
    """Choose a calibration estimator by its validation risk and estimate with it on held-out data.

    The data are shuffled; a fifth is put aside. On the rest each candidate is fitted on all folds but one, for
    every hyper-parameter of its grid, and its risk is taken on that fold. The hyper-parameter, and then the
    candidate, with the smallest mean risk wins; its fold models estimate the error on the part put aside, whose
    own risk is never looked at (Gruber & Bach, §3.2.2 and appendix B).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    notion : {"top-label", "canonical", "class-wise"}
        Class-wise: risks and estimates are means over the classes. A vector y_prob is taken as it is, except that
        "top-label" reduces it.
    candidates : list of names, optional
        Out of "h = 0", "15 bins", "binning", "kde", "kkr", "ukkr", with the grids of appendix B (bins: scalar notions
        only): the default. And "recalibration": `fit_recalibration` of temperature, Platt's sigmoid or isotonic.
    grids : dict of name -> list, optional
        Settings in the place of those of appendix B: numbers of bins, bandwidths of "kde", c of "kkr" (λ = c/√n) and of
        "ukkr" (λ = c/n^(1/4), for n rows to fit to); maps and classifiers of "recalibration".
    rank : int >= 1, optional
        At most so many features of the kernel in "kkr" and "ukkr" (default 2,000, `max_rank` of `low_rank`). Time goes
        like its square; `left_out` says what it costs.
    folds : int >= 2
        How often the rest is cut.
    rng : int, Generator or None
        Shuffles the rows.
    n_jobs : int, optional
        Folds at the same time, through joblib; the result does not depend on it.
    progress : bool
        Show a progress bar.

    Returns
    -------
    EstimatorSelectionResult
        The choice, its estimate and the table of all candidates.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, unknown notions or candidates, a bad grid or rank, or too few data for
        the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import select_estimator
    >>> y_prob = np.linspace(0.05, 0.95, 500)
    >>> y_true = np.random.default_rng(0).random(500) < y_prob**2  # over-confident everywhere
    >>> select_estimator(y_true, y_prob, candidates=["h = 0", "15 bins", "ukkr"], rng=0).best
    'ukkr'
    """
    pairs = pairs_of_notion(y_true, y_prob, notion)
    scalar, n = pairs[0][1].ndim == 1, len(pairs[0][0])
    grids = _grids(candidates, grids, scalar)
    if rank is not None:
        check_count(rank, "rank")
    n_tune = n - int(TEST_SHARE * n)
    check_count(folds, "folds", 2)
    if n_tune < 2 * folds or n - n_tune < 2:
        raise InputError("y_true", f"enough rows for {folds} folds of 2 and a test part of 2", found=n)
    order = check_rng(rng).permutation(n)
    test, parts = order[n_tune:], np.array_split(order[:n_tune], folds)

    work = []
    for y, p in pairs:
        for k, part in enumerate(parts):
            train = np.concatenate(parts[:k] + parts[k + 1 :])
            work.append(Fold(y[train], p[train], p[part], as_rows(residuals(y[part], p[part])), rank))
    parallel = Parallel(n_jobs, prefer="threads", return_as="generator")
    found = parallel(delayed(fold.risks)(grids) for fold in work)
    found, risks, chosen = list(progress_bar(found, total=len(work), shown=progress, desc="folds")), {}, {}
    for name, settings in grids.items():
        table = np.array([each[name] for each in found]).reshape(len(pairs), folds, -1).mean(axis=0)
        at = table.mean(axis=0).argmin()
        risks[name], chosen[name] = table[:, at], settings[at]
    tested = [p[test] for _, p in pairs for _ in parts]
    found = list(parallel(delayed(fold.diagonals)(chosen, at) for fold, at in zip(work, tested, strict=True)))
    rows = {}
    for name, setting in chosen.items():
        diagonals = np.array([each[name] for each in found]).reshape(len(pairs), folds, -1)
        rows[name] = _row(setting, risks[name], diagonals)
        if name == NOTHING:
            rows[name].update(estimate=np.nan, estimate_spread=np.nan, root=np.nan)
    best = min(rows, key=lambda name: rows[name]["risk"])
    for name, row in rows.items():
        difference = risks[name] - risks[best]
        row["worse_by"], row["worse_by_spread"] = difference.mean(), _spread(difference)
        row["told_apart"] = bool(row["worse_by"] > 2 * row["worse_by_spread"]) if name != best else False
    table = pd.DataFrame(rows).T.infer_objects()
    estimate, spread = (float(rows[best][column]) for column in ("estimate", "estimate_spread"))
    ensemble = [FITS[best](fold, chosen[best]) for fold in work[:folds]]
    left_out = max(fold.spectrum.left_out for fold in work) if {"kkr", "ukkr"} & set(rows) else 0.0
    return EstimatorSelectionResult(best, estimate, spread, table, ensemble, _notes(best, rows, left_out), left_out)


def _notes(best, rows, left_out):
    notes = []
    if left_out > ROUNDING:
        notes.append(f"kkr and ukkr leave out {left_out:.1g} of their kernel's trace: see rank=.")
    if NOTHING in rows and not rows[NOTHING]["told_apart"]:
        found = "No risk is below that of" if best == NOTHING else f"The risk cannot tell {best} from"
        notes.append(f"{found} h = 0 here. The risk is no test of calibration: see kce_test.")
    alike = [name for name, row in rows.items() if name not in (best, NOTHING) and not row["told_apart"]]
    if alike:
        notes.append(f"The risk does not tell {best} apart from {', '.join(alike)} (within 2 spreads over folds).")
    for name, row in rows.items():
        if row["negative"] > 0:
            share = f"{row['negative']:.1%} of the test predictions"
            notes.append(f"{name}: h(p, p) is negative for {share}, though it estimates a square.")
        if row["estimate"] < 0:
            negative = "the estimate of the squared error is negative; no root is taken, `root` keeps the sign"
            notes.append(f"{name}: {negative}.")
    return notes


def _grids(candidates, grids, scalar):
    """name -> settings."""
    if candidates is None:
        candidates = [name for name in GRIDS if name != MAPS and (scalar or "bin" not in name)]
    candidates, grids = list(candidates), dict(grids or {})
    if not candidates:
        raise InputError("candidates", "at least one", found="none")
    for name in candidates:
        check_choice(name, "candidates", list(GRIDS))
        if not scalar and "bin" in name:
            hint = "it needs a scalar notion, top-label or class-wise"
            raise InputError("candidates", "names for predictions of shape (n, d)", found=repr(name), hint=hint)
    for name, settings in grids.items():
        check_choice(name, "grids", [each for each in candidates if each not in (NOTHING, "15 bins")])
        if not len(settings):
            raise InputError(f"grids[{name!r}]", "at least one setting", found="none")
        with naming(f"grids[{name!r}]"):
            for each in settings if name != MAPS else []:
                check_count(each, name) if name == "binning" else check_number(each, name, above=0)
    return {name: list(grids.get(name, GRIDS[name](scalar))) for name in candidates}


def _row(setting, risks, diagonals):
    """One candidate's line: risks (folds,), diagonals (pairs, folds, test)."""
    text = type(setting).__name__ if hasattr(setting, "fit") else str(setting)
    row = {"setting": f"{setting:g}" if isinstance(setting, float) else text}
    roots, estimates = 100 * np.sqrt(np.maximum(risks, 0)), diagonals.mean(axis=(0, 2))
    for name, values in {"risk": risks, "root_risk": roots, "estimate": estimates}.items():
        row |= {name: values.mean(), f"{name}_spread": _spread(values)}
    root = np.sign(row["estimate"]) * np.sqrt(abs(row["estimate"]))
    return row | {"root": root, "negative": (diagonals.mean(axis=1) < 0).mean()}


def _spread(values):
    return values.std(ddof=1) / np.sqrt(len(values))
