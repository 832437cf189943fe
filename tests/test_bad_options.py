"""Every option of the library that cannot be is refused by its name, a case a rule.

What labels and predictions are refused is told in test_inputs.py and test_bad_input.py, which numbers are no counts or
outside of a range in test_predictions.py.
"""

from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from test_bad_input import ENTRIES, FUNCTIONS
from test_bad_input import call as call_with

import calibtutor as ct
from calibtutor.data import datasets, local_worlds, worlds
from calibtutor.features import MixedKernel
from calibtutor.kde import dirichlet_log_kernel, log_likelihood
from calibtutor.kernels import families
from calibtutor.recalibration import (
    BBQ,
    Multicalibration,
    PlattScaling,
    TemperatureScaling,
)
from calibtutor.simplex import simplex_cells
from calibtutor.spectrum import calibration_spectrum, ranking_flips, spectrum_of_features

K = ct.rbf(gamma=1.0)
RNG = np.random.default_rng(0)
SCORES = [0, 1, 1, 0], [0.1, 0.7, 0.6, 0.3]
ROWS = np.array([0, 1, 2] * 10), RNG.dirichlet(np.ones(3), 30)
X = RNG.normal(size=(30, 2))
CLUSTER = np.arange(90) % 35
MANY = RNG.integers(0, 4, 90), RNG.dirichlet(np.ones(4), 90)
EYE = [0, 1, 2], np.eye(3)
TABLE = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
PEOPLE = pd.Series([0, 1, 1]), pd.Series([0.2, 0.7, 0.6])


def vector(A, B=None):
    return np.ones(len(A))


def no_number(A, B=None):
    return np.full((len(A), len(A if B is None else B)), np.nan)


def negative(A, B=None):
    return -A @ (A if B is None else B).T


def grows(A, B=None):
    return np.exp(np.abs(A - (A if B is None else B).T))


COUNT, FINITE, KERNEL = "a whole number of at least 1", "finite numbers", "a callable k(X, Y=None) -> matrix"
POSITIVE, LEAST, UNIT = "a positive finite number", "a finite number of at least 0", "a number in [0, 1]"
TWO_UNIT, TWO, EQUAL = "a number in [0, 2]", "at least two different predictions", "equal lengths"
ALIKE, NUMBERS = "rows like the data", "real numbers, (n, m) or (n,)"
MEDIAN, SEMI = "a median distance above 0", "a positive semi-definite one"
DISTINCT, VECTOR = "rows, and columns with distinct names", "P(Y = 1) as a vector of shape (n,)"
MODELS = "one of 'random forest', 'logistic regression', 'neural"
PAIRS, PAIR = "(n, r) and (n, d), n >= 2", "a pair (predictions, features)"
SHAPES, AT_LEAST = "as many predictions as features, (3, 2) numbers a row", "a whole number of at least "

# What is called; then for each refusal the options, or the arguments, and the fields of the error.
CALLS = {
    "ece": (partial(ct.expected_calibration_error, *SCORES), [
        ({"norm": 1, "debias": True}, "debias", None, "norm=2, the only one")]),
    "band": (partial(ct.consistency_band, [0.2, 0.6, 0.9]), [
        ({"simultaneous": True, "n_resamples": 8}, "n_resamples", None, "at least 9 for level 0.9"),
        *[({"edges": bad}, "edges", None, "numbers rising from 0 to 1")
          for bad in ([0, 0.5], [0.1, 1], [0, -0.5, 1], [0, 0.5, 0.5, 1], [0, np.nan, 1], [[0, 1]])]]),
    "brier": (partial(ct.brier_score, *SCORES), [({"weights": [1, -1, 1, 1]}, "weights", 1, "at least 0")]),
    "kde": (partial(ct.kde_calibration_error, *ROWS), [({"norm": 0.5}, "norm", None, "a finite number of at least 1")]),
    "frequency": (partial(ct.conditional_frequency, *EYE), [
        ({"at": np.eye(3), "bandwidth": 0.1, "leave_one_out": True}, "leave_one_out", None, "at=None"),
        ({"at": [[0.5, 0.5]], "bandwidth": 0.1}, "at", None, "rows of shape (3,)")]),
    "density": (dirichlet_log_kernel, [
        (([[0.2, 0.3, 0.5]], [[0.5, 0.5]], 0.1), "centres", None, "3 columns as in points")]),
    "likelihood": (log_likelihood, [((SCORES[1], [0.1, 0]), "bandwidth", None, POSITIVE)]),
    "cells": (simplex_cells, [(([0, 1], [0.5, 0.2]), "y_prob", None, "shape (n, d)")]),
    "rbf": (ct.rbf, [
        ({}, "gamma, bandwidth, width", None, "exactly one of the three"),
        ({"gamma": 1.0, "width": 1.0}, "gamma, bandwidth, width", None, "exactly one of the three")]),
    "laplacian": (ct.laplacian, [((0,), "bandwidth", None, POSITIVE)]),
    "linear plus gaussian": (ct.linear_plus_gaussian, [((0,), "bandwidth", None, POSITIVE)]),
    "fourier": (partial(ct.fourier_features, ROWS[1]), [({"bandwidth": 0}, "bandwidth", None, POSITIVE)]),
    "median": (families.median_bandwidth, [  # errata C4: the heuristic gives 0, and the kernel would be 0/0
        (([0.2, 0.2, 0.2, 0.2, 0.7],), "X", None, MEDIAN),
        (([[0.5, 0.5]],), "X", None, "at least 2 rows")]),
    "low rank": (ct.low_rank, [
        ((K, np.empty((0, 3))), "X", None, "at least 1 row"),
        ((negative, np.array([0.0, 1.0, 2.0])), "kernel", None, "a non-negative diagonal")]),
    "landmarks": (lambda kernel, **options: ct.landmarks(kernel, MANY[1], **options), [
        ((lambda A, B=None: -ct.laplacian(1)(A, B),), "kernel", None, SEMI),
        ((lambda A, B=None: 0 * K(A, B),), "kernel", None, "one that is not 0 on the data")]),
    "skce": (partial(ct.skce, *SCORES), [({"kernel": [K, K]}, "kernel", None, "one callable")]),
    "witness": (partial(ct.kce_witness, *EYE), [
        *[({"at": bad}, "at", None, "predictions like y_prob, (3, 3)") for bad in ([[0.5, 0.5]], 0.5)],
        ({"at": [[0, 0, 1], [0, np.nan, 1]]}, "at", 1, FINITE)]),
    "grid": (partial(ct.kernel_grid, ROWS[1]), [({"factors": [1, -1]}, "bandwidth", None, POSITIVE)]),
    "ckce": (partial(ct.ckce, *ROWS), [
        ({"method": "fourier", "kernel": ct.laplacian(1)}, "kernel", None, "linear_plus_gaussian(bandwidth) or rbf"),
        *[({"kernel": k, "method": m}, "kernel", None, says) for m in ("exact", "low-rank")
          for k, says in ((vector, "a matrix of shape"), (no_number, FINITE))],
        ({"kernel": lambda A, B: -A @ B.T - 5}, "kernel", None, SEMI + " and a λ"),
        ({"kernel": lambda A, B: A @ B[:, ::-1].T, "method": "low-rank"}, "kernel", None, SEMI)]),
    "regularization": (partial(ct.select_regularization, *ROWS), [
        ({"folds": 31}, "folds", None, "at most 30, the number of rows of y_prob"),
        ({"candidates": [0.1, 0]}, "candidates", None, "a list of positive")]),
    "h of bins": (ct.fit_binning(*SCORES), [((ROWS[1],), "P", None, "shape (n,)")]),
    "h of kde": (ct.fit_kde(*SCORES, bandwidth=0.1), [
        (([0.2], [0.2, 1.5]), "Q", 1, "probabilities between 0 and 1")]),
    "h(p, p)": (ct.fit_kkr(*SCORES).diagonal, [(([0.2, 1.5],), "P", 1, "probabilities between 0 and 1")]),
    "h of ukkr": (ct.fit_ukkr(*SCORES), [(([[0.5, 0.5]],), "y_prob and features", None, ALIKE)]),
    "selection": (partial(ct.select_estimator, *ROWS), [
        ({"candidates": ["kkr", "krr"]}, "candidates", None, "one of 'h = 0', '15 bins', 'binning', 'kde', 'kkr',"),
        ({"candidates": ["binning"], "notion": "canonical"}, "candidates", None, "names for predictions of shape (n"),
        ({"folds": 25}, "y_true", None, "enough rows for 25 folds of 2 and a test part of 2")]),
    "spectrum": (partial(calibration_spectrum, *SCORES), [
        ({"kernel": grows}, "kernel", None, SEMI),
        ({"features": X[:3], "feature_kernel": K}, "features and y_prob", None, EQUAL),
        ({"features": X[:4]}, "feature_kernel", None, KERNEL),
        ({"feature_kernel": K}, "feature_kernel", None, "none beside no features")]),
    "norm": (calibration_spectrum(*SCORES).norm, [
        ((-0.1, 1, 0.1), "a", None, TWO_UNIT), ((0, 1, -1e-9), "regularization", None, LEAST)]),
    "core": (calibration_spectrum(*SCORES).core, [(("kde", 0.1), "estimator", None, "one of 'kkr', 'ukkr'")]),
    "local eigenfunctions": (calibration_spectrum(*SCORES, [0.0, 1, 2, 3], feature_kernel=K).eigenfunctions, [
        *[(bad, "y_prob and features", None, ALIKE) for bad in (([0.5],), ([0.5], [[1.0, 2.0]]))]]),
    "phi": (spectrum_of_features, [
        *[(bad, "phi and delta", None, PAIRS) for bad in (([1.0, 2.0], [0.1, 0.2]), (np.eye(3), [0.1, 0.2]))]]),
    "phi elsewhere": (spectrum_of_features(np.eye(2), [0.1, 0.2]).eigenfunctions, [
        ((np.eye(3),), "y_prob", None, "rows of 2 features and nothing else")]),
    "flips": (partial(ranking_flips, *[calibration_spectrum(*SCORES)] * 2, lambda t: (0, 1, t)), [
        (([1.0, 0.5],), "grid", None, "at least two rising numbers")]),
    "kce_test": (partial(ct.kce_test, *ROWS), [
        ({"method": "asymptotic", "statistic": len}, "statistic", None, "none beside method='asymptotic'"),
        ({"kernel": [K], "method": "asymptotic"}, "kernel", None, "one kernel for method='asymptotic'"),
        ({"kernel": []}, "kernel", None, "at least one kernel"),
        ({"kernel": K, "statistic": len}, "kernel", None, "none beside a callable statistic"),
        ({"bound": 0, "method": "bound-biased"}, "bound", None, POSITIVE),
        ({"cluster": CLUSTER[:30], "statistic": "biased"}, "cluster", None, "none beside statistic='biased'"),
        ({"weights": CLUSTER[:30], "statistic": "linear"}, "weights", None, "none beside statistic='linear'"),
        ({"weights": CLUSTER[:30], "statistic": ct.skce}, "weights", None, "none beside a callable statistic")]),
    "klce_test": (partial(ct.klce_test, *ROWS), [
        ({"features": X, "prob_kernel": [K, "rbf"]}, "prob_kernel", None, KERNEL),
        ({"features": X, "prob_kernel": [K], "null": "signs"}, "prob_kernel, feature_kernel", None, "one callable"),
        ({"features": X, "prob_kernel": [K] * 2, "feature_kernel": [K] * 3}, "prob_kernel, feature_kernel", None,
         "lists of one")]),
    **{f"features of {f.__name__}": (partial(f, *ROWS), [
        ({"features": np.where(X == X[3, 1], np.nan, X)}, "features", 3, FINITE),
        ({"features": X[:5]}, "features and y_prob", None, EQUAL),
        ({"features": ["old"] * 30}, "features", None, NUMBERS),
        ({"features": np.zeros(30)}, "feature_kernel", None, MEDIAN),
        *[({"features": X, **bad}, "prob_kernel, feature_kernel", None, "one callable each")
          for bad in ({"prob_kernel": [K]}, {"feature_kernel": (K, K)}) if f is not ct.klce_test]])
       for f in (ct.klce, ct.klce_test, ct.local_calibration_bias)},
    "local bias": (partial(ct.local_calibration_bias, *ROWS, X), [
        ({"at": np.zeros((2, 5))}, "at", None, PAIR),
        *[({"at": bad}, "at", None, SHAPES) for bad in ((np.eye(3), X[:2]), (X[:3], np.eye(3)))],
        ({"prob_kernel": lambda A, B: -np.ones((len(A), len(B)))}, "prob_kernel, feature_kernel", None,
         "weights of at least 0")]),
    **{f"clusters of {f.__name__}": (partial(f, *more, n_resamples=9), [
        ({"weights": [1.0] + [0.0] * 89}, "weights", None, "rows whose weight is not zero, at least 2"),
        ({"cluster": np.arange(90) % 29}, "cluster", None, "at least 30 clusters"),
        ({"cluster": [None, *range(89)]}, "cluster", 0, "a name")])
       for f, more in ((ct.kce_test, MANY), (ct.klce_test, (*MANY, MANY[1][:, 0])))},
    "parts": (partial(ct.kce_test_parts, kernel=ct.landmarks(K, ROWS[1], rank=9), n_resamples=9), [
        (([],), "parts", None, "at least one part"),
        (([ROWS, 3],), "parts[1]", None, "(y_true, y_prob) or with features"),
        (([ROWS, (ROWS[0], 2 * ROWS[1])],), "parts[1], y_prob", 0, "probabilities between 0 and 1"),
        (([ROWS, MANY],), "parts[1]", None, "predictions of shape ('n', 3) as in parts[0]")]),
    "parts without landmarks": (ct.kce_test_parts, [
        ({"parts": [ROWS], "kernel": K}, "kernel", None, "one from landmarks(kernel, y_prob)")]),
    "mixed rows": (MixedKernel(1.0, 2), [((X, np.zeros((3, 3))), "X", None, "rows of 2 numbers, then codes")]),
    "space": (ct.FeatureSpace().fit, [
        ((TABLE.to_numpy(),), "table", None, "a pandas DataFrame"),
        *[((bad,), "table", None, DISTINCT) for bad in (TABLE[:0], pd.concat([TABLE, TABLE], axis=1))],
        ((TABLE.assign(a=[1, 2, np.inf]),), "table['a']", 2, "a finite number"),
        ((TABLE.assign(b=[[1], [2], [1]]),), "table['b']", None, "names that can be sorted")]),
    "new rows": (ct.FeatureSpace().fit(TABLE).transform, [
        ((TABLE[["a"]],), "table", None, "a column 'b'"),
        ((TABLE.assign(b=["x", "z", "x"]),), "table['b']", 1, "one of 'x', 'y'"),
        ((TABLE.assign(a=[np.nan, 2, 3]),), "table['a']", 0, "a value"),
        ((TABLE.assign(a=list("xyz")),), "table['a']", None, "real numbers")]),
    "tables": (partial(ct.klce_test, *PEOPLE), [
        ((pd.DataFrame({"a": [np.nan] * 3}),), "features['a']", None, "some value"),
        ((pd.DataFrame({"a": [1, 2, 3]}, index=[2, 1, 0]),), "y_true and features", 0, "equal indexes"),
        ((TABLE[:2],), "features and y_prob", None, EQUAL),
        ((pd.DataFrame({"a": [1, 1, 1]}),), "feature_kernel", None, MEDIAN)]),
    "tables of predictions": (partial(ct.klce_test, [0, 1, 1], PEOPLE[1]), [
        ((TABLE[::-1],), "y_prob and features", 0, "equal indexes")]),
    "tables elsewhere": (partial(ct.local_calibration_bias, *PEOPLE, TABLE), [
        ({"at": (PEOPLE[1][:1], pd.DataFrame({"a": [np.nan], "b": ["x"]}))}, "at['a']", 0, "a value as in `fit`")]),
    "world": (worlds.FiniteWorld, [
        (([0.5, 0.6], np.eye(2), np.eye(2)), "weights", None, "2 positive numbers that sum to 1"),
        (([0.5, 0.5], np.eye(2), np.eye(3)[:2]), "conditionals", None, "")]),
    "samples": (worlds.random_world(0).samples, [((5,), "n", None, "(m·d)^n <= 10^6 data sets")]),
    "widmann": (worlds.widmann_model, [(("M4", 10), "name", None, "one of 'M1', 'M2', 'M3'")]),
    "mixed": (worlds.mixed_widmann_model, [((1.01, 10), "strength", None, UNIT)]),
    "calibrated": (worlds.calibrated_model, [
        (("M1", 10), "name", None, "one of 'heteroscedastic', 'near-deterministic'")]),
    "crowds": (local_worlds.clustered, [((1.1, 9, 0), "share", None, UNIT)]),
    "hidden": (local_worlds.hidden_feature, [((9, 1.5, 0), "n_features", None, COUNT)]),
    "groups": (local_worlds.group_shift, [((0.26, 9, 0), "amount", None, "a number in [0, 0.25]")]),
    **{f.__name__: (f, [(("svm",), "model", None, MODELS)]) for f in (
        datasets.digits_predictions, datasets.hole_predictions, datasets.worn_digits, datasets.brightened_digits)},
    "platt": (lambda p=(0.1, 0.9), **named: PlattScaling(**named).fit([0, 1], p), [
        ({"clip": 0}, "clip", None, "a number in (0, 0.5)"),
        ({"p": [0.3, 0.3]}, "y_prob", None, TWO),
        ({"p": [[0.1, 0.6, 0.3], [0.3, 0.4, 0.3]]}, "y_prob[:, 2]", None, TWO)]),
    "temperature": (lambda p=(0.1, 0.9), **named: TemperatureScaling(**named).fit([0, 1], p), [
        ({"clip": 0.5}, "clip", None, "a number in (0, 0.5)"),
        ({"p": [0.5, 0.5]}, "y_prob", None, "some prediction that is not uniform")]),
    "bbq": (lambda strength=2, p=(0.1, 0.9): BBQ(strength).fit([0, 1], p), [
        ({"p": np.full((2, 2), 0.5)}, "y_prob", None, VECTOR),
        ((0,), "prior_strength", None, POSITIVE)]),
    "multicalibration": (lambda groups=X, y=SCORES[0] * 2, p=SCORES[1] * 2, **options: Multicalibration(**options).fit(
        y, p, groups[:8] if groups is X else groups), [
        ((X[:7],), "groups", None, "8 rows, one for each prediction"),
        ((np.ones((8, 0)),), "groups", None, NUMBERS),
        ({"p": np.full((8, 2), 0.5)}, "y_prob", None, VECTOR),
        ({"alpha": 0}, "alpha", None, "a number in (0, 1]"), ({"rho": 1.5}, "rho", None, "a number in (0, 1]"),
        *[({name: 0}, name, None, COUNT) for name in ("n_bins", "min_count", "max_iter")],
        ({"feature_bins": 1}, "feature_bins", None, AT_LEAST + "2")]),
}  # fmt: skip
CASES = [pytest.param(call, *case, id=f"{name}: {case[1]}") for name, (call, cases) in CALLS.items() for case in cases]


@pytest.mark.parametrize(("call", "arguments", "argument", "row", "expected"), CASES)
def test_refused_by_name(call, arguments, argument, row, expected):
    with refuses(argument, row, expected):
        call(**arguments) if isinstance(arguments, dict) else call(*arguments)


# What any function with such an option refuses, and in which words; found among all that take predictions.
OPTIONS = {
    "n_bins": (2.5, COUNT), "n_steps": (0, COUNT), "max_rank": (0, COUNT), "n_resamples": (-1, AT_LEAST),
    "folds": (1, AT_LEAST + "2"), "level": (1, "a number in (0, 1)"), "tol": (-1, LEAST), "bandwidth": (0, "a "),
    "regularization": (-1e-9, "a "), "weights": ([1, 1], "one number a row, (30,)"),
    "cluster": ([0], "one name a row, (30,)"), "candidates": ([], ""), "norm": ("l2", ""), "kernel": ("rbf", KERNEL),
    "prob_kernel": (0.5, KERNEL), "feature_kernel": ("rbf", KERNEL),
    **dict.fromkeys(("notion", "strategy", "method", "estimator", "statistic", "null"), ("no", "one of")),
}  # fmt: skip
FOUND = [
    (name, option) for name in FUNCTIONS for option in OPTIONS if option in signature(getattr(ct, name)).parameters
]


@pytest.mark.parametrize(("name", "option"), FOUND)
def test_an_option_that_cannot_be_is_refused_by_every_function(name, option):
    bad, expected = OPTIONS[option]
    y, p = ROWS if name != "fit_binning" else (ROWS[0] % 2, ROWS[1][:, 0])
    with refuses(option, expected=expected):
        call_with(name, y, p, **ENTRIES[name].arguments | {option: bad})
