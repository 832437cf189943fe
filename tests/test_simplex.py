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
