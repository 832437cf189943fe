"""Bad input is refused at the one door, and extreme input is answered rightly, by every public function.

The functions are discovered: one that takes predictions and has no entry in `ENTRIES` fails the first test. What the
door takes and refuses is told in test_inputs.py.
"""

import inspect
import pickle
import sys
import warnings
from dataclasses import dataclass, field

import ckce_oracles
import kce_oracles
import klce_oracles
import numpy as np
import oracles
import pandas as pd
import pytest
import risk_oracles
from matplotlib.collections import PathCollection
from refusals import refuses
from sklearn.dummy import DummyClassifier
from test_binning import assert_curve
from test_corp import right_result as right_corp
from test_smooth import right_error as right_smooth
from test_spectrum import right_spectrum

import calibtutor as ct
from calibtutor.estimates.kde import BANDWIDTHS

ARGUMENTS, TINY = ("y_true", "y_prob"), sys.float_info.min
TAKEN = {name: [a for a in inspect.signature(getattr(ct, name)).parameters if a in ARGUMENTS]
         for name in ct.__all__
         if callable(getattr(ct, name)) and not inspect.isclass(getattr(ct, name))}
PUBLIC = [name for name, taken in TAKEN.items() if taken]


def pair(y, p):
    """(hits, scores) as the binned errors see them."""
    return (y, p) if np.ndim(p) == 1 else oracles.top_label(y, p)


@dataclass(frozen=True)
class Entry:
    """How a function is called here, what it must return, and the extreme cases that its docstring refuses.

    `right(result, y, p)` compares with the definition; `refuses` maps a case to fields of the InputError;
    the data are given `times` times over, for what needs more than a few rows.
    """

    right: object
    arguments: dict = field(default_factory=dict)
    refuses: dict = field(default_factory=dict)
    times: int = 1
    doubts: bool = False  # it warns of what is extreme


def close(definition):
    """The result is a finite number or array, and the definition's."""

    def right(result, y, p):
        found, wanted = np.asarray(result, float), np.asarray(definition(y, p), float)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)

    return right


def likeliest(result, y, p):
    values = [oracles.log_likelihood(p, h, sys.float_info.epsilon) for h in BANDWIDTHS]
    assert result in BANDWIDTHS and values[list(BANDWIDTHS).index(result)] == pytest.approx(max(values), rel=1e-9)


def right_arrays(result, y, p):
    for found, wanted in zip(result, (y, p), strict=True):
        np.testing.assert_array_equal(found, wanted)


def right_curve(result, y, p):
    assert_curve(result, oracles.bins(*pair(y, p), oracles.uniform_ends(15)))


def right_audit(result, y, p):
    size = result.tables["size"].set_index("quantity")["estimate"]
    wanted = oracles.ece(*pair(y, p)), oracles.brier(y, p)
    np.testing.assert_allclose(size[["ECE, 15 bins", "Brier score"]], wanted, atol=1e-9)
    assert 1 / 20 <= result.pvalue <= 1 and result.detected == (result.pvalue <= 0.05) and len(result.conclusions) < 5


def right_diagram(result, y, p):
    full = [(c, f) for count, c, f in oracles.bins(*pair(y, p), oracles.uniform_ends(15)) if count]
    (dots,) = (each for axes in result.axes for each in axes.collections if isinstance(each, PathCollection))
    np.testing.assert_allclose(dots.get_offsets(), full, atol=1e-9)


def right_band(result, y, p):
    wanted = oracles.bins(*pair(y, p), oracles.uniform_ends(15))
    for low, high, (count, confidence, _) in zip(*result, wanted, strict=True):
        if confidence in (0, 1):  # labels of certain predictions are certain
            assert low == high == confidence
        assert (0 <= low <= high <= 1) if count else np.isnan([low, high]).all()


def right_errors(result, y, p):
    assert result.shape == (50,) and np.isfinite(result).all() and (0 <= result).all() and (result <= 1).all()
    if all(score in (0, 1) for score in pair(y, p)[1]):
        assert (result == 0).all()


def function_is(definition):
    """The fitted function at its own training data is the definition's matrix."""

    def right(h, y, p):
        found = h(p)
        assert np.isfinite(found).all() and found.shape == (len(p), len(p))
        np.testing.assert_allclose(found, definition(y, p), rtol=0, atol=1e-7)
        np.testing.assert_allclose(h.diagonal(p), np.diag(found), rtol=0, atol=1e-12)

    return right


def right_selection(result, y, p):
    finite = np.isfinite([result.estimate, result.spread_over_folds])
    assert result.best in result.table.index and (finite == (result.best != "h = 0")).all()
    assert result.table["risk"].min() == result.table["risk"][result.best] > -1e-12
    assert -1 <= result.estimate <= 2 or result.best == "h = 0"


ROWS, SCORES = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 2, [0.1, 0.9, 0.6, 0.4, 0.7, 0.2]
EXTREME = {
    "one class only": ([2] * 6, ROWS), "only zeros happen": ([0] * 6, SCORES), "only ones happen": ([1] * 6, SCORES),
    "constant": ([0, 1, 2, 0, 1, 2], [[0.2, 0.5, 0.3]] * 6), "constant scores": ([0, 1, 1, 0, 1, 1], [0.25] * 6),
    "zeros and ones": ([0, 1, 2, 1, 1, 0], np.eye(3)[[0, 1, 2, 0, 1, 2]].tolist()),
    "scores of 0 and 1": ([0, 1, 1, 0, 0, 1], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
    "a class that is never predicted": ([0, 1, 2, 0, 1, 2], [[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]] * 3),
    "two rows": ([0, 1], [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]), "two scores": ([0, 1], [0.4, 0.9]),
    "smallest numbers": ([0, 1, 1, 0], [5e-324, 1e-300, 1 - 1e-16, 1e-17]), "names": ([0, 2, 1, 0, 0, 1], ROWS)}
MATRICES = [case for case, (_, p) in EXTREME.items() if np.ndim(p) == 2]
NO_CELLS = dict.fromkeys(set(EXTREME) - set(MATRICES), ("y_prob", None, "shape (n, d)"))

PRIOR = {"recalibrator": DummyClassifier(strategy="prior")}


def prior(y, p, at):
    """The frequencies of the classes, whatever is predicted."""
    return np.zeros_like(at) + (np.mean(y) if np.ndim(p) == 1 else np.mean(np.eye(np.shape(p)[1])[y], axis=0))


NOTHING = ct.EstimationFunction("zero", lambda P: np.zeros((len(P), 1)), np.eye(1))
GAUSSIAN = risk_oracles.gaussian(1.0)
EQUAL = ("y_prob", None, "two different predictions")
NO_MEDIAN = dict.fromkeys(("constant", "constant scores"), ("y_prob", None, "a median distance above 0"))
NO_BANDWIDTH = dict.fromkeys(NO_MEDIAN, ("prob_kernel", None, "a median distance above 0"))
ENTRIES = {
    "as_predictions": Entry(right_arrays, doubts=True),
    "audit": Entry(right_audit, {"rng": 0, "n_resamples": 19}),
    "residuals": Entry(close(lambda y, p: np.reshape(oracles.residual_rows(y, p), np.shape(p)))),
    "top_label": Entry(close(lambda y, p: oracles.top_label(y, p))),
    "class_wise": Entry(close(lambda y, p: oracles.class_wise(y, p, 1)), {"k": 1}),
    "brier_score": Entry(close(oracles.brier)),
    "reliability_curve": Entry(right_curve),
    "reliability_diagram": Entry(right_diagram, {"rng": 0}),
    "expected_calibration_error": Entry(close(lambda y, p: oracles.ece(*pair(y, p)))),
    "smooth_calibration_error": Entry(lambda found, y, p: right_smooth(found, *pair(y, p))),
    "corp_reliability": Entry(lambda found, y, p: right_corp(found, *pair(y, p))),
    "maximum_calibration_error": Entry(close(lambda y, p: oracles.ece(*pair(y, p), norm="max"))),
    "consistency_band": Entry(right_band, {"rng": 0, "n_resamples": 50}),
    "resampled_errors": Entry(right_errors, {"rng": 0, "n_resamples": 50}),
    "conditional_frequency": Entry(close(lambda y, p: oracles.kde_ratio(y, p, 0.1, TINY)), {"bandwidth": 0.1}),
    "kde_calibration_error": Entry(close(lambda y, p: oracles.kde_error(y, p, 0.1, TINY)), {"bandwidth": 0.1}),
    "fit_binning": Entry(function_is(lambda y, p: risk_oracles.binning(y, p, p)),
                         refuses=dict.fromkeys(MATRICES, ("y_prob", None, "shape (n,)"))),
    "fit_kde": Entry(function_is(lambda y, p: risk_oracles.kde(y, p, p, 0.1)), {"bandwidth": 0.1}),
    "fit_kkr": Entry(function_is(lambda y, p: risk_oracles.kkr(y, p, p, GAUSSIAN, 1e-3))),
    "fit_ukkr": Entry(function_is(lambda y, p: risk_oracles.ukkr(y, p, p, GAUSSIAN, 1e-3))),
    "fit_recalibration": Entry(function_is(lambda y, p: risk_oracles.recalibration(y, p, p, prior)), PRIOR),
    "variational_error": Entry(close(lambda y, p: risk_oracles.variational(np.array(y), np.array(p), prior, 2, 0)),
                               PRIOR | {"folds": 2, "rng": 0}, times=2),
    "calibration_risk": Entry(close(lambda y, p: risk_oracles.risk(np.zeros((len(p), len(p))), y, p)), {"h": NOTHING}),
    "select_estimator": Entry(right_selection, {"folds": 2, "rng": 0}, times=12),
    "skce": Entry(close(kce_oracles.default_skce), refuses=NO_MEDIAN),
    "kce_test": Entry(kce_oracles.right_test, {"rng": 0, "n_resamples": 50, "notion": "canonical"}, refuses=NO_MEDIAN),
    "kce_witness": Entry(close(kce_oracles.default_witness), refuses=NO_MEDIAN),
    "klce": Entry(close(klce_oracles.default_klce), refuses=NO_BANDWIDTH),
    "klce_test": Entry(klce_oracles.right_test, {"rng": 0, "n_resamples": 50}, refuses=NO_BANDWIDTH),
    "local_calibration_bias": Entry(klce_oracles.right_bias, refuses=NO_BANDWIDTH),
    "ckce": Entry(close(ckce_oracles.default_ckce)),
    "conditional_error": Entry(ckce_oracles.right_error),
    "jkce": Entry(close(ckce_oracles.default_jkce)),
    "select_regularization": Entry(ckce_oracles.right_choice, {"folds": 2, "rng": 0}),
    "calibration_spectrum": Entry(right_spectrum, {"feature_kernel": ct.rbf(gamma=1.0)}),
    "kernel_grid": Entry(kce_oracles.right_grid, refuses=NO_MEDIAN),
    "simplex_calibration_error": Entry(close(kce_oracles.simplex_error), refuses=NO_CELLS),
    "select_bandwidth": Entry(likeliest, refuses={"constant": EQUAL, "constant scores": EQUAL})}


def call(name, y_true, y_prob, **arguments):
    given = {"y_true": y_true, "y_prob": y_prob}
    if "features" in inspect.signature(getattr(ct, name)).parameters:  # good ones, as many as there are predictions
        arguments = arguments | {"features": klce_oracles.features(len(y_prob) if hasattr(y_prob, "__len__") else 1)}
    return getattr(ct, name)(**{argument: given[argument] for argument in TAKEN[name]}, **arguments)


def test_every_function_that_takes_predictions_has_an_entry():
    assert set(PUBLIC) == set(ENTRIES)


FUNCTIONS = [name for name in PUBLIC if name in ENTRIES]
SPOILED = {"y_true": ([0, 3, 1, 0], 1), "y_prob": ([[0.5, 0.3, 0.2]] * 3 + [[0.5, np.nan, 0.2]], 3)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_input_is_refused_at_the_one_door(name):
    good = {"y_true": [0, 2, 1, 0], "y_prob": [[0.5, 0.3, 0.2]] * 4}
    for argument in TAKEN[name]:
        bad, row = SPOILED[argument]
        with refuses(argument, row) as door:
            ct.as_predictions(**good | {argument: bad})
        with refuses(argument, row) as caught:
            call(name, **good | {argument: bad}, **ENTRIES[name].arguments)
        assert vars(caught.value) == vars(door.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_extreme_input_is_answered_rightly(name):
    entry = ENTRIES[name]
    for case, extreme in EXTREME.items():
        y_true, y_prob = (column * entry.times for column in extreme)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if entry.doubts else "error")
            if case in entry.refuses:
                with refuses(*entry.refuses[case]):
                    call(name, y_true, y_prob, **entry.arguments)
                continue
            given = y_true, y_prob
            if case == "names":  # what they become: test_inputs.py
                given = np.array(["owl", "cat", "dog"])[y_true], pd.DataFrame(y_prob, columns=["owl", "cat", "dog"])
            entry.right(call(name, *given, **entry.arguments), y_true, y_prob)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_function_refuses_stands_in_its_docstring(name):
    text = inspect.getdoc(getattr(ct, name))
    if any(f"`{other}`" in text for other in PUBLIC if "Raises" in inspect.getdoc(getattr(ct, other))):
        return  # it says which function it is like
    assert "Raises\n------\nInputError" in text
    assert all(argument in text for argument in TAKEN[name])


ERROR = ct.InputError("y_prob", "a probability", found=1.5, row=3, hint="divide by 100")


@pytest.mark.parametrize(("error", "sentence"), [
    (ERROR, "y_prob: row 3 is 1.5, expected a probability; divide by 100"),
    (ct.InputError("n_bins", "a count", found=2.5, hint="round it"), "n_bins: expected a count, got 2.5; round it"),
    (ct.InputError("k", found=None), "k: got None")])
def test_one_sentence(error, sentence):
    assert str(error) == sentence


def test_it_is_a_value_error_whose_fields_survive_another_name_and_a_pickle():
    wanted = {"argument": "y_prob", "row": 3, "found": "1.5", "expected": "a probability", "hint": "divide by 100"}
    assert isinstance(ERROR, ValueError) and vars(ERROR) == wanted
    assert vars(ERROR.of("--prob")) == wanted | {"argument": "--prob"}
    again = pickle.loads(pickle.dumps(ERROR))
    assert vars(again) == wanted and str(again) == str(ERROR)
