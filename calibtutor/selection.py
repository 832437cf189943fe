"""Which calibration estimator to believe on your own data: validation risk decides (Gruber & Bach, §3.2.2)."""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from .inputs import InputError, check_choice, check_count, check_rng
from .kde import BANDWIDTHS
from .kernels import as_rows
from .predictions import pairs_of_notion, residuals
from .results import Result
from .risk import fit_binning, fit_kde, kernel_ridge, no_error, risk_of_features
from .spectrum import calibration_spectrum

NOTHING = "h = 0"
MAPS = "recalibration"  # for who asks: the paper has no such row
TEST_SHARE = 0.2


# A grid maps a setting to a function that makes the estimator: only the chosen ones are kept in memory.
# `spectrum()` is the fold's, made at the first call and shared by all λ of kkr and ukkr.


def _binning_grid(y_true, y_prob, spectrum, numbers=range(5, 101, 5)):
    return {n_bins: partial(fit_binning, y_true, y_prob, n_bins=n_bins) for n_bins in numbers}


# The authors' code uses λ = c/√n for kkr and c/n^(1/4) for ukkr; the paper prints c·√n for both (errata G2).
def _kkr_grid(y_true, y_prob, spectrum):
    exponents = np.arange(-1, -18, -2) if y_prob.ndim == 1 else np.arange(8, -10, -1)
    return {float(c): partial(kernel_ridge, spectrum(), "kkr", c * len(y_true) ** -0.5) for c in 10.0**exponents}


def _ukkr_grid(y_true, y_prob, spectrum):
    exponents = np.arange(-1, -10, -1) if y_prob.ndim == 1 else np.arange(4, -5, -0.5)
    return {float(c): partial(kernel_ridge, spectrum(), "ukkr", c * len(y_true) ** -0.25) for c in 10.0**exponents}


def _map_grid(y_true, y_prob, spectrum):
    from .recalibration import IsotonicCalibration, PlattScaling, TemperatureScaling, fit_recalibration  # slow to load

    # With a clip that is given no warning asks for another: here nobody could give it.
    maps = (TemperatureScaling(clip=2**-52), PlattScaling(), IsotonicCalibration())
    return {type(each).__name__: partial(fit_recalibration, y_true, y_prob, recalibrator=each) for each in maps}


GRIDS = {
    NOTHING: lambda y, p, spectrum: {"": no_error},
    "15 bins": partial(_binning_grid, numbers=[15]),
    "binning": _binning_grid,
    "kde": lambda y, p, spectrum: {float(h): partial(fit_kde, y, p, bandwidth=h) for h in BANDWIDTHS},
    "kkr": _kkr_grid,
    "ukkr": _ukkr_grid,
    MAPS: _map_grid,
}


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorSelectionResult(Result):
    """What `select_estimator` found.

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
    """

    best: str
    estimate: float
    spread_over_folds: float
    table: pd.DataFrame
    ensemble: list
    notes: list

    def __str__(self):
        found = f"squared calibration error {self.estimate:.5f} by {self.best}; folds spread it by"
        found = f"{found} {self.spread_over_folds:.5f}, which is no interval"
        if self.best == NOTHING:
            found = f"The risk prefers {NOTHING}, which estimates nothing."
        return "\n".join([found, self.table.to_string(float_format=lambda v: f"{v:.4g}"), *self.notes])

    def summary(self):
        """The estimate, the table of candidates and the notes; what `print` shows.

        Returns
        -------
        str
            With a line for each candidate.
        """
        return str(self)


def select_estimator(y_true, y_prob, *, notion="top-label", candidates=None, folds=5, rng=None, progress=False):
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
    folds : int >= 2
        How often the rest is cut.
    rng : int, Generator or None
        Shuffles the rows.
    progress : bool
        Show a progress bar.

    Returns
    -------
    EstimatorSelectionResult
        The choice, its estimate and the table of all candidates.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, unknown notions or candidates, or too few data for the folds.

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
    grids = _grids(candidates, scalar)
    n_tune = n - int(TEST_SHARE * n)
    check_count(folds, "folds", 2)
    if n_tune < 2 * folds or n - n_tune < 2:
        raise InputError("y_true", f"enough rows for {folds} folds of 2 and a test part of 2", found=n)
    order = check_rng(rng).permutation(n)
    test, parts = order[n_tune:], np.array_split(order[:n_tune], folds)

    all_risks, makers = {name: {} for name in grids}, {}
    work = [(k, fold) for k in range(len(pairs)) for fold in range(folds)]
    for k, fold in tqdm(work, disable=not progress, desc="folds"):
        y, p = pairs[k]
        train = np.concatenate(parts[:fold] + parts[fold + 1 :])
        spectrum, seen = lru_cache(partial(calibration_spectrum, y[train], p[train])), {}
        for name, grid in grids.items():
            fitted = grid(y[train], p[train], spectrum)
            for setting, risk in _validation_risks(fitted, y[parts[fold]], p[parts[fold]], seen).items():
                all_risks[name].setdefault(setting, np.empty((len(pairs), folds)))[k, fold] = risk
                makers[name, setting, k, fold] = fitted[setting]
    risks, rows, ensembles = {}, {}, {}
    for name, by_setting in all_risks.items():
        setting = min(by_setting, key=lambda s: by_setting[s].mean())  # noqa: B023
        risks[name] = by_setting[setting].mean(axis=0)
        models = [[makers[name, setting, k, fold]() for fold in range(folds)] for k in range(len(pairs))]
        ensembles[name] = models[0]
        diagonals = [[h.diagonal(p[test]) for h in hs] for hs, (_, p) in zip(models, pairs, strict=True)]
        rows[name] = _row(setting, risks[name], np.array(diagonals))
        if name == NOTHING:
            rows[name].update(estimate=np.nan, estimate_spread=np.nan, root=np.nan)
    best = min(rows, key=lambda name: rows[name]["risk"])
    for name, row in rows.items():
        difference = risks[name] - risks[best]
        row["worse_by"], row["worse_by_spread"] = difference.mean(), _spread(difference)
        row["told_apart"] = bool(row["worse_by"] > 2 * row["worse_by_spread"]) if name != best else False
    table = pd.DataFrame(rows).T.infer_objects()
    estimate, spread = (float(rows[best][column]) for column in ("estimate", "estimate_spread"))
    return EstimatorSelectionResult(best, estimate, spread, table, ensembles[best], _notes(best, rows))


def _notes(best, rows):
    notes = []
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


def _grids(candidates, scalar):
    """name -> function(y, p, spectrum) that prepares the whole grid."""
    if candidates is None:
        candidates = [name for name in GRIDS if name != MAPS and (scalar or "bin" not in name)]
    candidates = list(candidates)
    if not candidates:
        raise InputError("candidates", "at least one", found="none")
    for name in candidates:
        check_choice(name, "candidates", list(GRIDS))
        if not scalar and "bin" in name:
            hint = "it needs a scalar notion, top-label or class-wise"
            raise InputError("candidates", "names for predictions of shape (n, d)", found=repr(name), hint=hint)
    return {name: GRIDS[name] for name in candidates}


def _validation_risks(fitted, y_true, y_prob, seen):
    """Risk of each setting on held-out data; functions with the same features share them."""
    delta = as_rows(residuals(y_true, y_prob))
    risks = {}
    for setting, make in fitted.items():
        h = make()
        if h.features not in seen:
            seen.clear()  # one at a time: features of every grid point would add up
            seen[h.features] = h.features(y_prob)
        risks[setting] = risk_of_features(seen[h.features], h.core, delta)
    return risks


def _row(setting, risks, diagonals):
    """One candidate's line: risks (folds,), diagonals (pairs, folds, test)."""
    row = {"setting": f"{setting:g}" if isinstance(setting, float) else str(setting)}
    roots, estimates = 100 * np.sqrt(np.maximum(risks, 0)), diagonals.mean(axis=(0, 2))
    for name, values in {"risk": risks, "root_risk": roots, "estimate": estimates}.items():
        row |= {name: values.mean(), f"{name}_spread": _spread(values)}
    root = np.sign(row["estimate"]) * np.sqrt(abs(row["estimate"]))
    return row | {"root": root, "negative": (diagonals.mean(axis=1) < 0).mean()}


def _spread(values):
    return values.std(ddof=1) / np.sqrt(len(values))
