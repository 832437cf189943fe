"""Residuals and reductions of vectors, and what the checks let through; of rows: test_bad_input.py."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from refusals import refuses

import calibtutor as ct
from calibtutor import class_wise, residuals, top_label
from calibtutor.chance.resampling import draw_labels
from calibtutor.door import probabilities
from calibtutor.door.arrays import check_numbers
from calibtutor.door.inputs import check_count, check_number
from calibtutor.door.predictions import check_predictions, pairs_of_notion
from calibtutor.door.probabilities import SUM_TOLERANCE, check_probabilities


def test_a_vector_is_the_probability_of_class_1():
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5]
    np.testing.assert_allclose(residuals(y, p), [0.2, -0.3, -0.6, 0.5], atol=1e-15)
    np.testing.assert_allclose(top_label(y, p), [[1, 1, 0, 1], [0.8, 0.7, 0.6, 0.5]], atol=1e-15)  # a tie: class 0
    np.testing.assert_allclose(class_wise(y, p, 0), [[1, 0, 0, 1], [0.8, 0.3, 0.6, 0.5]], atol=1e-15)
    assert class_wise([0, 1], [[0.8, 0.2], [0.1, 0.9]], np.int64(1))[1].tolist() == [0.2, 0.9]
    # It is taken as it is unless its top label is asked for.
    for notion, pair in (("canonical", (y, p)), ("class-wise", (y, p)), ("top-label", top_label(y, p))):
        np.testing.assert_array_equal(pairs_of_notion(y, p, notion), [pair])


def test_float32_softmax_passes_and_a_wrong_sum_does_not():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 5, (200, 10)).astype(np.float32)
    weight = np.exp(logits - logits.max(axis=1, keepdims=True))
    check_probabilities(weight / weight.sum(axis=1, keepdims=True))
    assert check_probabilities([1 + 2.2e-16, 0.5]).max() == 1 and check_probabilities([True, False]).tolist() == [1, 0]
    slip = np.array([[0.5, 0.5], [0.4, 0.6 + 0.9 * SUM_TOLERANCE]])
    check_probabilities(slip)
    slip[1, 1] = 0.6 + 1.1 * SUM_TOLERANCE
    with refuses("y_prob", 1, "a sum of 1"):
        check_probabilities(slip)


NO_NUMBERS = [True, np.True_, None, "1", "auto", [1.0], np.array(1.0), 1j, np.nan]
RANGES = [  # the range, what it holds, what it does not, in words
    ({"above": 0}, [5e-324, 1, 1e308], [0, -1, np.inf], "a positive finite number"),
    ({"least": -100}, [-100, np.float32(2), np.int64(7)], [-100.1, -np.inf, np.inf], "a finite number of at least -1"),
    ({"most": 1}, [0, 1], [-1e-9, 1.1, np.inf], "a number in [0, 1]"),
    ({"above": 0, "below": 0.5}, [1e-9, 0.49], [0, 0.5], "a number in (0, 0.5)"),
    ({"below": 2}, [0, 1.9], [-1, 2], "a number in [0, 2)")]


@pytest.mark.parametrize(("range_", "inside", "outside", "words"), RANGES, ids=[words for *_, words in RANGES])
def test_numbers_are_checked_against_their_range(range_, inside, outside, words):
    for value in inside:
        found = check_number(value, "width", **range_)
        assert type(found) is float and found == value
    for value in outside + NO_NUMBERS:
        with refuses("width", expected=words, found=repr(value)):
            check_number(value, "width", **range_)


def test_counts_are_whole():
    check_count(1, "folds")
    check_count(np.int32(2), "folds", 2)
    for value in (0, -1, 2.0, *NO_NUMBERS):
        with refuses("folds", expected="a whole number of at least "):
            check_count(value, "folds")


def test_tables_are_checked_and_not_converted():
    assert check_numbers([[1, 2]], "at").dtype == float and check_numbers([True, False], "at").tolist() == [1, 0]
    for values, row, words in (
        (["a"], None, "real numbers, (n, m) or (n,)"), ([[1.0]], None, "real numbers"), (1.0, None, "real numbers"),
        ([[1], [1, 2]], None, "a rectangular array"), ([[0, 1], [np.nan, 1]], 1, "finite numbers"),
    ):
        with refuses("at", row, words):
            check_numbers(values, "at", columns=2)


BY_SLICES = {  # what makes no table; the others do
    "check": partial(check_predictions, as_given=True),
    "error": lambda y, p: [ct.expected_calibration_error(y, p, weights=w) for w in (None, y)],
    "brier": lambda y, p: [ct.brier_score(y, p, weights=w) for w in (None, y)],
    "top": top_label,
    "class": partial(class_wise, k=1),
    "temperature": lambda y, p: [ct.TemperatureScaling().fit(y, p, w).temperature for w in (None, 1 + y)]}
OTHERS = {"equal mass": lambda y, p: list(vars(ct.reliability_curve(y, p, strategy="quantile")).values())[:4],
          "band": lambda y, p: ct.consistency_band(p, n_resamples=9, rng=0),
          "repaired": lambda y, p: [ct.TemperatureScaling(clip=0.01).fit(y, p).predict_proba(p)]}


@pytest.mark.filterwarnings("ignore:temperature")
@pytest.mark.parametrize("name", BY_SLICES | OTHERS)
def test_slices_of_what_came_give_what_doubles_give_and_make_no_table(name, monkeypatch):
    rng, of = np.random.default_rng(1), (BY_SLICES | OTHERS)[name]
    fine, coarse = rng.dirichlet(np.ones(3), 40), rng.multinomial(256, [0.2, 0.5, 0.3], 40) / 256  # also as halves
    for rows in (fine, np.r_[fine, rng.multinomial(20, [0.2, 0.5, 0.3], 40) / 20].astype("f4"), coarse.astype("f2")):
        labels = draw_labels(rows.astype(float), 1, rng)[:, 0].astype(int)
        spread = np.repeat(np.repeat(rows, 2, axis=0), 2, axis=1)[::2, ::2]
        for y, p in ((labels, np.asfortranarray(rows)), (labels, spread), (labels == 1, rows[:, 1])):
            before, whole = p.copy(), of(y, p.astype(float, order="C"))
            with monkeypatch.context() as small:
                small.setattr(probabilities, "SLICE_ENTRIES", 13)
                for one, other in zip(whole, of(y, p), strict=True):
                    np.testing.assert_allclose(other, one, rtol=1e-11)
            assert (p == before).all()

    y, p = np.arange(20_000) % 100, rng.dirichlet(np.ones(100), 20_000).astype(np.float32)  # 8 MB
    tracemalloc.start()
    of(y, p)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert name in OTHERS or peak < 0.6 * p.nbytes
