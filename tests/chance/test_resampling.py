"""Draws have the law of the predictions, and ranks are p-values."""

import kce_oracles as literal
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from refusals import refuses

from calibtutor.chance.pvalues import aggregated_pvalue, rank_pvalues
from calibtutor.chance.resampling import draw_labels
from calibtutor.reproductions import widmann
from calibtutor.reproductions.widmann import draw_pairs

DRAWS = 40_000


def assert_frequencies(counts, law, n):
    """Counts of n draws lie within 4.5 standard errors of the law; what is impossible never happens."""
    law = np.asarray(law, float)
    assert (np.abs(counts / n - law) <= 4.5 * np.sqrt(law * (1 - law) / n)).all()


ROWS = np.array([[0.2, 0.5, 0.3], [0.0, 0.4, 0.6], [0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5],
                 [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1e-3, 1e-3, 0.998]])
SCORES = np.array([0.0, 0.25, 0.9, 1.0, 1e-300])


@pytest.mark.parametrize("p", [ROWS, SCORES], ids=["rows", "scores"])
def test_labels_have_the_law_of_their_row_and_scores_are_the_probability_of_one(p):
    labels = draw_labels(p, DRAWS, rng=0)
    assert labels.shape == (len(p), DRAWS) and labels.dtype == np.uint8
    for drawn, row in zip(labels, p if p.ndim == 2 else np.column_stack([1 - p, p]), strict=True):
        assert_frequencies(np.bincount(drawn, minlength=len(row)), row, DRAWS)
    if p is ROWS:  # rows are independent, and so are draws
        assert_frequencies(((labels[0] == 1) & (labels[4] == 0)).sum(), 0.25, DRAWS)
        assert_frequencies(((labels[0, 1:] == 1) & (labels[0, :-1] == 1)).sum(), 0.25, DRAWS - 1)


@pytest.mark.parametrize(("classes", "kind"), [(2, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_labels_take_the_fewest_bytes_that_hold_them(classes, kind):
    p = np.full((3, classes), 1 / classes)
    p[0] = np.eye(classes)[-1]
    observed = np.array([0, classes - 1, 1])
    labels = draw_labels(p, 50, rng=0, observed=observed)
    assert labels.dtype == kind and (labels[:, 0] == observed).all() and (labels[0, 1:] == classes - 1).all()
    assert (labels[:, 1:] == draw_labels(p, 50, rng=0)).all()
    assert draw_pairs(p, 2, rng=0)[1].dtype == kind


@pytest.mark.parametrize("total", [1 - 1e-5, 1 - 1e-6, 1 + 1e-6, 1 + 1e-5])
def test_rows_that_miss_1_by_rounding_draw_no_impossible_class(total):
    # A uniform number above a sum of 1 − 1e-5 must not fall to the last class, whose probability is 0.
    p = np.tile([0.25 * total, 0.0, 0.75 * total, 0.0], (25, 1))
    labels = draw_labels(p, DRAWS, rng=0)
    assert_frequencies(np.bincount(labels.ravel(), minlength=4), [0.25, 0, 0.75, 0], labels.size)
    rows, labels = draw_pairs(p, DRAWS, rng=0)
    assert_frequencies(np.bincount(labels.ravel(), minlength=4), [0.25, 0, 0.75, 0], labels.size)


def test_pairs_are_rows_with_replacement_and_their_labels(monkeypatch, p=ROWS):
    whole = draw_pairs(p, DRAWS, rng=0)
    monkeypatch.setattr(widmann, "BLOCK_ENTRIES", 3 * DRAWS * p.shape[1])  # drawn three rows at once: the same
    rows, labels = draw_pairs(p, DRAWS, rng=0)
    assert (whole[0] == rows).all() and (whole[1] == labels).all() and rows.shape == labels.shape == (len(p), DRAWS)
    assert_frequencies(np.bincount(rows.ravel(), minlength=len(p)), np.full(len(p), 1 / len(p)), rows.size)
    assert_frequencies((rows[0] == rows[1]).sum(), 1 / len(p), DRAWS)
    for number, row in enumerate(p):
        drawn = labels[rows == number]
        assert_frequencies(np.bincount(drawn, minlength=len(row)), row, len(drawn))


@PROPERTY
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=12))
def test_ranks_are_counted_ties_against_us(values):
    found = rank_pvalues(np.array(values, float))
    for one, rest in ((k, values[:k] + values[k + 1 :]) for k in range(len(values))):
        assert found[one] == literal.rank_pvalue(values[one], rest)


@PROPERTY
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_rounding_errors_are_ties(values, random):
    # Two orders of summation: each value moves by a rounding error, up or down, and no p-value falls.
    noise = 1e-13 * max(map(abs, values))
    moved = np.array([v + random.choice([-1, 0, 1]) * noise for v in values])
    gaps = np.abs(np.subtract.outer(values, values)) / max(*map(abs, values), 1e-300)
    if ((gaps > 0) & (gaps < 1e-8)).any():
        return  # neither a tie nor a difference
    assert (rank_pvalues(moved) == rank_pvalues(np.array(values))).all()


def test_infinite_statistics_have_ranks_and_nan_has_none():
    assert rank_pvalues(np.array([np.inf, 1.0, 2.0])).tolist() == [1 / 3, 1, 2 / 3]
    assert rank_pvalues(np.array([1.0, np.inf, np.inf, -np.inf])).tolist() == [0.75, 0.5, 0.5, 1]
    assert rank_pvalues(np.full(3, np.inf)).tolist() == [1, 1, 1]
    for values in ([np.nan, 1, 2], [3, 1, np.nan]):
        with refuses("statistic", expected="a number for each data set"):
            rank_pvalues(np.array(values))


@PROPERTY
@given(st.integers(2, 9).flatmap(
    lambda b: st.lists(st.lists(st.integers(-3, 3), min_size=b, max_size=b), min_size=1, max_size=4)))
def test_the_aggregate_ranks_the_smallest_pvalues(statistics):
    smallest, pvalue, single = aggregated_pvalue(np.array(statistics, float))
    wanted, literal_pvalue, literal_single = literal.aggregated(statistics)
    assert smallest.tolist() == wanted and single.tolist() == literal_single
    assert pvalue == pytest.approx(literal_pvalue, abs=1e-12)
    if len(statistics) == 1:
        assert pvalue == pytest.approx(rank_pvalues(np.array(statistics[0], float))[0], abs=1e-12)
