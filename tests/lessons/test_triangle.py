"""Points and arrows stand where probabilities say."""

import kce_oracles as literal
import numpy as np
import pytest

from calibtutor.data.datasets import hole_predictions
from calibtutor.lessons.notions.scenes import arrows
from calibtutor.lessons.shared.triangle import arrow_polygons, to_plane


def test_the_corners_of_the_triangle():
    np.testing.assert_allclose(to_plane(np.eye(3)), [[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
    np.testing.assert_allclose(to_plane([1 / 3] * 3), [0.5, np.sqrt(3) / 6])
    p = np.random.default_rng(0).dirichlet(np.ones(3), (4, 5))
    plane = to_plane(p)
    assert plane.shape == (4, 5, 2)
    for index in np.ndindex(4, 5):  # a point is the mean of the corners, weighted with its probabilities
        np.testing.assert_allclose(plane[index], p[index] @ to_plane(np.eye(3)), atol=1e-15)


def test_arrows_end_where_they_point():
    start, end = np.array([[0, 0], [0.2, 0.2], [0.5, 0.5]]), np.array([[0.5, 0], [0.2, 0.21], [0.5, 0.5]])
    shapes = arrow_polygons(start, end)
    assert len(shapes) == 2  # the third has no length
    for shape, a, b in zip(shapes, start, end, strict=False):
        along = (b - a) / np.linalg.norm(b - a)
        reach = (np.array(shape) - a) @ along
        assert any(np.allclose(corner, b) for corner in shape)
        assert reach.min() == pytest.approx(0, abs=1e-12)
        assert reach.max() == pytest.approx(np.linalg.norm(b - a))
        across = (np.array(shape) - a) @ np.array([-along[1], along[0]])
        assert across.max() == pytest.approx(-across.min())


@pytest.mark.parametrize("cells", [2, 4, 8])
def test_arrows_go_from_the_mean_prediction_of_a_cell_to_its_frequencies(cells):
    digits = hole_predictions("random forest", noise=0.35)
    members = [rows for _, rows in sorted(literal.cells(digits.y_prob, cells).items()) if len(rows) >= 5]
    wanted = [(digits.y_prob[rows].mean(axis=0), np.eye(3)[digits.y_true[rows]].mean(axis=0)) for rows in members]
    said, happened, count = arrows("random forest", cells)
    assert count.tolist() == [len(rows) for rows in members]
    np.testing.assert_allclose([said, happened], np.swapaxes(wanted, 0, 1), atol=1e-12)
