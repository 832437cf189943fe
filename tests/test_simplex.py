"""Cells of whole vectors and their error equal their definitions; errors of many label vectors: test_widmann.py."""

import kce_oracles as literal
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled

from calibtutor import simplex_calibration_error
from calibtutor.simplex import cell_of


@PROPERTY
@given(labelled(classes=(2, 5), max_rows=30), st.integers(1, 12))
def test_cells_are_numbered_and_counted_and_their_error_is_the_sum(data, n_steps):
    y, p = data
    number = cell_of(np.array(p), n_steps)
    groups = [np.flatnonzero(number == k).tolist() for k in range(number.max() + 1)]
    assert sorted(groups) == sorted(literal.cells(p, n_steps).values())
    found = simplex_calibration_error(y, p, n_steps=n_steps)
    assert isinstance(found, float) and found == pytest.approx(literal.simplex_error(y, p, n_steps), rel=0, abs=1e-12)


def test_edges_belong_to_the_upper_cell_and_the_last_is_closed():
    p = [[0.5, 0.5], [0.49, 0.51], [0.5, 0.5], [1.0, 0.0], [0.9, 0.1]]
    assert cell_of(np.array(p), 2).tolist() == [2, 0, 2, 1, 1]  # (1, 1), (0, 1), (1, 1), (1, 0), (1, 0)
    tenths = np.array([[k / 10, (10 - k) / 10] for k in range(11)])
    assert cell_of(tenths, 10).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9]  # (9, 0) before (9, 1)
    y, p = [0, 1, 1], [[0.7, 0.3], [0.7, 0.3], [0.9, 0.1]]  # gap (.2, .2) of two rows, (.9, .9) of one; ten steps
    assert simplex_calibration_error(y, p) == pytest.approx((2 * 0.2 + 0.9) / 3)
