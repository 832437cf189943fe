"""Points and arrows stand where probabilities say."""

import matplotlib
import numpy as np
import pytest
from drawn import texts

from calibtutor import plots
from calibtutor.lessons.shared.triangle import Simplex, arrow_polygons, to_plane
from calibtutor.plots import new_figure


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


def test_the_triangle_shows_points_and_arrows():
    figure = new_figure(3, 3)
    triangle = Simplex(figure.add_subplot(), ("a", "b", "c"), title="named")
    start = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]])
    triangle.update(start, start[:, [1, 0, 2]], size=[10, 20])
    np.testing.assert_allclose(triangle.points.get_offsets(), to_plane(start))
    assert triangle.points.get_sizes().tolist() == [10, 20]
    assert len(triangle.arrows.get_paths()) == 1  # the second ends where it starts
    assert {"a", "b", "c", "named"} <= set(texts(figure))
    triangle.update(start[:1], start[:1])
    assert len(triangle.points.get_offsets()) == 1 and triangle.arrows.get_paths() == []


def test_the_triangle_takes_the_colours_of_the_grammar_or_of_a_model():
    def seen(collection):
        return matplotlib.colors.to_hex(collection.get_facecolor()[0]).upper()

    triangle = Simplex(new_figure(3, 3).add_subplot(), ("a", "b", "c"))
    assert (seen(triangle.points), seen(triangle.arrows)) == (plots.KEPT, plots.MISS)
    assert texts(triangle.axes.figure) == ["a", "b", "c"]
    shape = triangle.points.get_paths()[0].vertices
    triangle.update(np.eye(3), model="neural network")
    assert seen(triangle.points) == plots.MODELS["neural network"][0]
    assert triangle.points.get_paths()[0].vertices.shape != shape.shape
    other = Simplex(new_figure(3, 3).add_subplot(), ("a", "b", "c"), arrow_colour=plots.INK, point_colour=plots.GREY)
    assert (seen(other.points), seen(other.arrows)) == (plots.GREY, plots.INK)
