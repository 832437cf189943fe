"""Residuals and reductions of vectors, and what the checks let through; of rows: test_bad_input.py."""

import numpy as np
import pytest
from refusals import refuses

from calibtutor import class_wise, residuals, top_label
from calibtutor.inputs import check_count, check_number, check_numbers
from calibtutor.predictions import SUM_TOLERANCE, check_probabilities, pairs_of_notion


def test_a_vector_is_the_probability_of_class_1():
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5]
    np.testing.assert_allclose(residuals(y, p), [0.2, -0.3, -0.6, 0.5], atol=1e-15)
    np.testing.assert_allclose(top_label(y, p), [[1, 1, 0, 1], [0.8, 0.7, 0.6, 0.5]], atol=1e-15)  # a tie: class 0
    np.testing.assert_allclose(class_wise(y, p, 0), [[1, 0, 0, 1], [0.8, 0.3, 0.6, 0.5]], atol=1e-15)
    # It is taken as it is unless its top label is asked for.
    for notion, pair in (("canonical", (y, p)), ("class-wise", (y, p)), ("top-label", top_label(y, p))):
        np.testing.assert_array_equal(pairs_of_notion(y, p, notion), [pair])


@pytest.mark.parametrize("k", [2, -1, 1.0, None, True])
@pytest.mark.parametrize("y_prob", [[0.2, 0.9], [[0.8, 0.2], [0.1, 0.9]]], ids=["vector", "rows"])
def test_a_class_that_is_none_is_named(k, y_prob):
    # 1.0 and True would index as something else than the column.
    with refuses("k", expected="a class among 0..1"):
        class_wise([0, 1], y_prob, k)
    assert class_wise([0, 1], y_prob, np.int64(1))[1].tolist() == [0.2, 0.9]


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
    ({"below": 2}, [0, 1.9], [-1, 2], "a number in [0, 2)"),
]


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
    ):  # fmt: skip
        with refuses("at", row, words):
            check_numbers(values, "at", columns=2)
