"""Every option of the library that cannot be is refused by its name, a case a rule; of numbers: test_predictions.py."""

from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from sklearn.svm import SVC
from test_bad_input import ENTRIES, FUNCTIONS
from test_bad_input import call as call_with

import calibtutor as ct
from calibtutor.data import datasets, downloads, worlds
from calibtutor.kernels.features import MixedKernel
from calibtutor.lessons.kernel_density.kernel import dirichlet_log_kernel

K = ct.rbf(gamma=1.0)
RNG = np.random.default_rng(0)
SCORES = [0, 1, 1, 0], [0.1, 0.7, 0.6, 0.3]
ROWS = np.array([0, 1, 2] * 10), RNG.dirichlet(np.ones(3), 30)
X = RNG.normal(size=(30, 2))
CLUSTER = np.arange(90) % 35
MANY = RNG.integers(0, 4, 90), RNG.dirichlet(np.ones(4), 90)
EYE = [0, 1, 2], np.eye(3)
TABLE = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
MULTI = ct.Multicalibration(min_count=1).fit(*SCORES, np.eye(4)[:, :2] > 0)
PEOPLE = pd.Series([0, 1, 1]), pd.Series([0.2, 0.7, 0.6])


COUNT, KERNEL = "a whole number of at least 1", "a callable k(X, Y=None) -> matrix"
ALIKE, NUMBERS, EQUAL = "rows like the data", "real numbers, (n, m) or (n,)", "equal lengths"
MEDIAN, SEMI, AT_LEAST = "a median distance above 0", "a positive semi-definite one", "a whole number of at least "

# What is called; then for each refusal the options, or the arguments, and the fields of the error.
CALLS = {
    "ece": (partial(ct.expected_calibration_error, *SCORES), [
        ({"norm": 1, "debias": True}, "debias", None, "norm=2, the only one")]),
    "band": (partial(ct.consistency_band, [0.2, 0.6, 0.9]), [
        ({"simultaneous": True, "n_resamples": 8}, "n_resamples", None, "at least 9 for level 0.9"),
        *[({"rng": bad}, "rng", None, AT_LEAST + "0") for bad in ("0", 0.5)],
        *[({"edges": bad}, "edges", None, "numbers rising from 0 to 1") for bad in ([0.1, 1], [0, 0.5, 0.5, 1])]]),
    "class": (ct.class_wise, [  # 1.0 and True would index as something else than the column
        ((*data, k), "k", None, "a class among 0..1") for data in (SCORES, ([0, 1], np.eye(2)))
        for k in (2, -1, 1.0, None, True)]),
    "brier": (partial(ct.brier_score, *SCORES), [({"weights": [1, -1, 1, 1]}, "weights", 1, "at least 0")]),
    "kde": (partial(ct.kde_calibration_error, *ROWS), [({"norm": 0.5}, "norm", None, "a finite number of at least 1")]),
    "frequency": (partial(ct.conditional_frequency, *EYE), [
        ({"at": np.eye(3), "bandwidth": 0.1, "leave_one_out": True}, "leave_one_out", None, "at=None"),
        ({"at": [[0.5, 0.5]], "bandwidth": 0.1}, "at", None, "rows of shape (3,)")]),
    "density": (dirichlet_log_kernel, [
        (([[0.2, 0.3, 0.5]], [[0.5, 0.5]], 0.1), "centres", None, "3 columns as in points")]),
    "rbf": (ct.rbf, [({"gamma": 1.0, "width": 1.0}, "gamma, bandwidth, width", None, "exactly one of the three")]),
    "laplacian": (ct.laplacian, [((0,), "bandwidth", None, "a positive finite number")]),
    "median": (ct.median_bandwidth, [  # errata C4: the heuristic gives 0, and the kernel would be 0/0
        (([0.2, 0.2, 0.2, 0.2, 0.7],), "X", None, MEDIAN)]),
    "low rank": (ct.low_rank, [
        ((lambda A, B=None: -A @ (A if B is None else B).T, np.arange(3.0)), "kernel", None, "a non-negative diag")]),
    "landmarks": (lambda kernel, **options: ct.landmarks(kernel, MANY[1], **options), [
        ((lambda A, B=None: -ct.laplacian(1)(A, B),), "kernel", None, SEMI),
        ((lambda A, B=None: 0 * K(A, B),), "kernel", None, "one that is not 0 on the data")]),
    "skce": (partial(ct.skce, *SCORES), [
        ({"kernel": [K, K]}, "kernel", None, "one callable"), ({"kernel": ct.laplacian}, "kernel", None, "a kernel")]),
    "witness": (partial(ct.kce_witness, *EYE), [({"at": [[0.5, 0.5]]}, "at", None, "predictions like y_prob, (3, 3)")]),
    "ckce": (partial(ct.ckce, *ROWS), [
        ({"method": "fourier", "kernel": ct.laplacian(1)}, "kernel", None, "linear_plus_gaussian(bandwidth) or rbf"),
        ({"rng": "x"}, "rng", None, "a Generator or None"),
        *[({"kernel": lambda A, B=None: np.ones(len(A)), "method": m}, "kernel", None, "a matrix of shape")
          for m in ("exact", "low-rank")],
        ({"kernel": lambda A, B: -A @ B.T - 5}, "kernel", None, SEMI + " and a λ"),
        ({"kernel": lambda A, B: A @ B[:, ::-1].T, "method": "low-rank"}, "kernel", None, SEMI)]),
    "regularization": (partial(ct.select_regularization, *ROWS), [
        ({"folds": 31}, "folds", None, "at most 30, the number of rows of y_prob"),
        ({"candidates": [0.1, 0]}, "candidates", None, "a list of positive")]),
    "h of kde": (ct.fit_kde(*SCORES, bandwidth=0.1), [(([0.2], [0.2, 1.5]), "Q", 1, "probabilities between 0 and 1")]),
    "h of ukkr": (ct.fit_ukkr(*SCORES), [(([[0.5, 0.5]],), "y_prob and features", None, ALIKE)]),
    "h of a map": (ct.fit_recalibration(*SCORES, recalibrator=ct.IsotonicCalibration()), [
        (([[0.5, 0.5]],), "P", None, "rows of shape () as in the fit")]),
    "maps": (partial(ct.fit_recalibration, *ROWS), [
        *[({"recalibrator": bad}, "recalibrator", None, "a map of the prediction or a classifier")
          for bad in (ct.PlattScaling, "isotonic", np.mean, SVC(), ct.Multicalibration())]]),
    "variational": (partial(ct.variational_error, *SCORES, recalibrator=ct.PlattScaling()), [
        ({"folds": 3}, "y_true", None, "enough rows for 3 folds of 2")]),
    "selection": (partial(ct.select_estimator, *ROWS), [
        ({"candidates": ["kkr", "krr"]}, "candidates", None, "one of 'h = 0', '15 bins', 'binning', 'kde', 'kkr',"),
        ({"folds": 25}, "y_true", None, "enough rows for 25 folds of 2 and a test part of 2"),
        ({"grids": {"15 bins": [9]}}, "grids", None, "one of 'binning', 'kde', 'kkr', 'ukkr'"),
        ({"grids": {"kde": [0.1, 0]}}, "grids['kde']", None, "a positive"),
        ({"grids": {"kkr": []}}, "grids['kkr']", None, "at least one setting"),
        ({"rank": 0}, "rank", None, "a whole number of at least 1")]),
    "spectrum": (partial(ct.calibration_spectrum, *SCORES), [
        ({"kernel": lambda A, B=None: np.exp(np.abs(A - (A if B is None else B).T))}, "kernel", None, SEMI),
        ({"features": X[:3], "feature_kernel": K}, "features and y_prob", None, EQUAL),
        ({"feature_kernel": K}, "feature_kernel", None, "none beside no features")]),
    "norm": (ct.calibration_spectrum(*SCORES).norm, [((-0.1, 1, 0.1), "a", None, "a number in [0, 2]")]),
    "core": (ct.calibration_spectrum(*SCORES).core, [(("kde", 0.1), "estimator", None, "one of 'kkr', 'ukkr'")]),
    "phi": (ct.spectrum_of_features, [((np.eye(3), [0.1, 0.2]), "phi and delta", None, "(n, r) and (n, d), n >= 2")]),
    "flips": (partial(ct.ranking_flips, *[ct.calibration_spectrum(*SCORES)] * 2, lambda t: (0, 1, t)), [
        (([1.0, 0.5],), "grid", None, "at least two rising numbers")]),
    "kce_test": (partial(ct.kce_test, *ROWS), [
        ({"method": "asymptotic", "statistic": len}, "statistic", None, "none beside method='asymptotic'"),
        ({"kernel": []}, "kernel", None, "at least one kernel"),
        ({"kernel": K, "statistic": len}, "kernel", None, "none beside a callable statistic"),
        ({"cluster": CLUSTER[:30], "statistic": "biased"}, "cluster", None, "none beside statistic='biased'"),
        ({"weights": CLUSTER[:30], "statistic": "linear"}, "weights", None, "none beside statistic='linear'")]),
    "klce_test": (partial(ct.klce_test, *ROWS, X), [
        ({"prob_kernel": [K], "null": "signs"}, "prob_kernel, feature_kernel", None, "one callable"),
        ({"prob_kernel": [K] * 2, "feature_kernel": [K] * 3}, "prob_kernel, feature_kernel", None, "lists of one")]),
    "features": (partial(ct.klce, *ROWS), [
        ({"features": np.where(X == X[3, 1], np.nan, X)}, "features", 3, "finite numbers"),
        ({"features": X[:5]}, "features and y_prob", None, EQUAL),
        ({"features": np.zeros(30)}, "feature_kernel", None, MEDIAN),
        ({"features": X, "feature_kernel": (K, K)}, "prob_kernel, feature_kernel", None, "one callable each")]),
    "local bias": (partial(ct.local_calibration_bias, *ROWS, X), [
        ({"at": np.zeros((2, 5))}, "at", None, "a pair (predictions, features)"),
        ({"at": (np.eye(3), X[:2])}, "at", None, "as many predictions as features, (3, 2) numbers a row"),
        ({"prob_kernel": lambda A, B: -np.ones((len(A), len(B)))}, "prob_kernel, feature_kernel", None,
         "weights of at least 0")]),
    "clusters": (partial(ct.kce_test, *MANY, n_resamples=9), [
        ({"cluster": np.arange(90) % 29}, "cluster", None, "at least 30 clusters"),
        ({"cluster": [None, *range(89)]}, "cluster", 0, "a name")]),
    "parts": (partial(ct.kce_test_parts, kernel=ct.landmarks(K, ROWS[1], rank=9), n_resamples=9), [
        (([ROWS, 3],), "parts[1]", None, "(y_true, y_prob) or with features"),
        (([ROWS, (ROWS[0], 2 * ROWS[1])],), "parts[1], y_prob", 0, "probabilities between 0 and 1"),
        (([ROWS, MANY],), "parts[1]", None, "predictions of shape ('n', 3) as in parts[0]")]),
    "parts without landmarks": (ct.kce_test_parts, [
        ({"parts": [ROWS], "kernel": K}, "kernel", None, "one from landmarks(kernel, y_prob)")]),
    "mixed rows": (MixedKernel(1.0, 2), [((X, np.zeros((3, 3))), "X", None, "rows of 2 numbers, then codes")]),
    "space": (ct.FeatureSpace().fit, [
        ((pd.concat([TABLE, TABLE], axis=1),), "table", None, "rows, and columns with distinct names"),
        ((TABLE.assign(a=[1, 2, np.inf]),), "table['a']", 2, "a finite number"),
        ((TABLE.assign(b=[[1], [2], [1]]),), "table['b']", None, "names that can be sorted")]),
    "new rows": (ct.FeatureSpace().fit(TABLE).transform, [
        ((TABLE[["a"]],), "table", None, "a column 'b'"),
        ((TABLE.assign(b=["x", "z", "x"]),), "table['b']", 1, "one of 'x', 'y'"),
        ((TABLE.assign(a=[np.nan, 2, 3]),), "table['a']", 0, "a value")]),
    "tables": (partial(ct.klce_test, *PEOPLE), [
        ((pd.DataFrame({"a": [np.nan] * 3}),), "features['a']", None, "some value"),
        ((pd.DataFrame({"a": [1, 2, 3]}, index=[2, 1, 0]),), "y_true and features", 0, "equal indexes")]),
    "tables of predictions": (partial(ct.klce_test, [0, 1, 1], PEOPLE[1]), [
        ((TABLE[::-1],), "y_prob and features", 0, "equal indexes")]),
    "world": (worlds.FiniteWorld, [
        (([0.5, 0.6], np.eye(2), np.eye(2)), "weights", None, "2 positive numbers that sum to 1")]),
    "samples": (worlds.random_world(0).samples, [((5,), "n", None, "(m·d)^n <= 10^6 data sets")]),
    "widmann": (worlds.widmann_model, [(("M4", 10), "name", None, "one of 'M1', 'M2', 'M3'")]),
    "crowds": (worlds.clustered, [((1.1, 9, 0), "share", None, "a number in [0, 1]")]),
    "files": (downloads.fetch, [
        (("../passwd",), "filename", None, "'compas-scores-two-years.csv', 'AHS_2019_Cleaned.csv', 'heart.csv'")]),
    "digits": (datasets.digits_predictions, [(("svm",), "model", None, "one of 'random forest', 'logistic ")]),
    "platt": (lambda p: ct.PlattScaling().fit([0, 1], p), [
        (([[0.1, 0.6, 0.3], [0.3, 0.4, 0.3]],), "y_prob[:, 2]", None, "at least two different predictions")]),
    "temperature": (ct.TemperatureScaling().fit, [
        (([0, 1], [0.5, 0.5]), "y_prob", None, "some prediction that is not uniform")]),
    "parts of a map": (ct.TemperatureScaling().fit_parts, [
        (([ROWS, SCORES],), "parts[1]", None, ""), (([*ROWS],), "parts[0]", None, ""), (([],), "parts", None, ""),
        (([ROWS, lambda: (ROWS[0], 2 * ROWS[1])],), "parts[1], y_prob", 0, "probabilities between 0 and 1"),
        (([ROWS, (SCORES[0], ROWS[1])],), "parts[1], y_true and y_prob", None, EQUAL)]),
    "beta": (lambda clip: ct.BetaCalibration(clip=clip).fit(*SCORES), [((0.5,), "clip", None, "a number in (0, 0.5)")]),
    "vector": (lambda clip: ct.VectorScaling(clip=clip).fit(*SCORES), [((0.0,), "clip", None, "a number in (0, 0.5)")]),
    "dirichlet": (lambda each: ct.DirichletCalibration(each).fit(*SCORES), [
        ((0.0,), "strength", None, "a positive finite number")]),
    "bbq": (ct.BBQ().fit, [(([0, 1], np.full((2, 2), 0.5)), "y_prob", None, "P(Y = 1) as a vector of shape (n,)")]),
    "multicalibration": (ct.Multicalibration().fit, [
        ((*SCORES, X[:3]), "groups", None, "4 rows, one for each prediction"),
        ((*SCORES, np.ones((4, 0))), "groups", None, NUMBERS)]),
    "multicalibration's groups": (partial(MULTI.predict_proba, SCORES[1]), [
        ((np.ones((4, 2)),), "groups", None, "booleans as in fit"),
        ((np.ones(4, bool),), "groups", None, "2 columns as in fit")]),
    "multicalibration's options": (lambda **options: ct.Multicalibration(**options).fit(*SCORES, X[:4]), [
        ({"rho": 1.5}, "rho", None, "a number in (0, 1]"),
        ({"feature_bins": 1}, "feature_bins", None, AT_LEAST + "2")])}
CASES = [pytest.param(call, *case, id=f"{name}: {case[1]}") for name, (call, cases) in CALLS.items() for case in cases]


@pytest.mark.parametrize(("call", "arguments", "argument", "row", "expected"), CASES)
def test_refused_by_name(call, arguments, argument, row, expected):
    with refuses(argument, row, expected):
        call(**arguments) if isinstance(arguments, dict) else call(*arguments)


# What any function with such an option refuses, and in which words; found among all that take predictions.
OPTIONS = {
    "n_bins": (2.5, COUNT), "n_steps": (0, COUNT), "max_rank": (0, COUNT), "n_resamples": (-1, AT_LEAST),
    "folds": (1, AT_LEAST + "2"), "level": (1, "a number in (0, 1)"), "tol": (-1, "a "), "bandwidth": (0, "a "),
    "regularization": (-1e-9, "a "), "weights": ([1, 1], "one number a row, (30,)"),
    "cluster": ([0], "one name a row, (30,)"), "candidates": ([], ""), "norm": ("l2", ""), "kernel": ("rbf", KERNEL),
    "prob_kernel": (0.5, KERNEL), "feature_kernel": ("rbf", KERNEL), "rng": (-1, AT_LEAST + "0"),
    **dict.fromkeys(("notion", "strategy", "method", "estimator", "statistic", "null"), ("no", "one of"))}
FOUND = [(name, o) for name in FUNCTIONS for o in signature(getattr(ct, name)).parameters
         if o in OPTIONS and (o != "rng" or o in ENTRIES[name].arguments)]  # some draw only if asked to


@pytest.mark.parametrize(("name", "option"), FOUND)
def test_an_option_that_cannot_be_is_refused_by_every_function(name, option):
    bad, expected = OPTIONS[option]
    y, p = ROWS if name != "fit_binning" else (ROWS[0] % 2, ROWS[1][:, 0])
    with refuses(option, expected=expected):
        call_with(name, y, p, **ENTRIES[name].arguments | {option: bad})
