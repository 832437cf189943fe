"""Cells of whole vectors, and their error for many label vectors at once, equal their definitions."""

import kce_oracles as literal
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled

from calibtutor import simplex_calibration_error
from calibtutor.resampling import draw_labels, draw_pairs
from calibtutor.simplex import cell_of, errors_of_labels, errors_of_pairs, simplex_cells

DATA, STEPS, SEEDS = labelled(classes=(2, 5), max_rows=30), st.integers(1, 12), st.integers(0, 10**6)


@PROPERTY
@given(DATA, STEPS)
def test_cells_are_numbered_and_counted_and_their_error_is_the_sum(data, n_steps):
    y, p = data
    number = cell_of(np.array(p), n_steps)
    groups = [np.flatnonzero(number == k).tolist() for k in range(number.max() + 1)]
    assert sorted(groups) == sorted(literal.cells(p, n_steps).values())
    found = simplex_calibration_error(y, p, n_steps=n_steps)
    assert isinstance(found, float) and found == pytest.approx(literal.simplex_error(y, p, n_steps), rel=0, abs=1e-12)


@PROPERTY
@given(DATA, st.integers(1, 5), st.integers(1, 3))
def test_simplex_cells(data, n_steps, min_count):
    y, p = data
    groups = [members for _, members in sorted(literal.cells(p, n_steps).items()) if len(members) >= min_count]
    said, happened, count = simplex_cells(y, p, n_steps=n_steps, min_count=min_count)
    assert said.shape == happened.shape == (len(groups), len(p[0]))
    assert count.tolist() == [len(members) for members in groups]
    for members, mean, frequency in zip(groups, said, happened, strict=True):
        np.testing.assert_allclose(mean, np.array(p)[members].mean(axis=0), atol=1e-10)
        np.testing.assert_allclose(frequency, np.eye(len(p[0]))[y][members].mean(axis=0), atol=1e-10)


@PROPERTY
@given(DATA, STEPS, SEEDS)
def test_errors_of_many_label_vectors_and_of_resampled_predictions(data, n_steps, seed):
    p = np.array(data[1])
    cell, labels = cell_of(p, n_steps), draw_labels(p, 7, rng=seed)
    wanted = [literal.simplex_error(column, p.tolist(), n_steps) for column in labels.T]
    np.testing.assert_allclose(errors_of_labels(cell, p, labels), wanted, rtol=0, atol=1e-12)
    rows, labels = draw_pairs(p, 7, rng=seed)
    wanted = [literal.simplex_error(y, p[i].tolist(), n_steps) for i, y in zip(rows.T, labels.T, strict=True)]
    np.testing.assert_allclose(errors_of_pairs(cell, p, rows, labels), wanted, rtol=0, atol=1e-12)


def test_edges_belong_to_the_upper_cell_and_the_last_is_closed():
    p = [[0.5, 0.5], [0.49, 0.51], [0.5, 0.5], [1.0, 0.0], [0.9, 0.1]]
    assert cell_of(np.array(p), 2).tolist() == [2, 0, 2, 1, 1]  # (1, 1), (0, 1), (1, 1), (1, 0), (1, 0)
    tenths = np.array([[k / 10, (10 - k) / 10] for k in range(11)])
    assert cell_of(tenths, 10).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9]  # (9, 0) before (9, 1)
    y, p = [0, 1, 1], [[0.7, 0.3], [0.7, 0.3], [0.9, 0.1]]  # gap (.2, .2) of two rows, (.9, .9) of one; ten steps
    assert simplex_calibration_error(y, p) == pytest.approx((2 * 0.2 + 0.9) / 3)
