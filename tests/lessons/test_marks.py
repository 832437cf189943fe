"""Cells of a map have their colours, points and arrows stand where probabilities say, colours are told apart."""

import itertools
import re
from pathlib import Path

import kce_oracles as literal
import numpy as np
import pytest
from drawn import draw
from grammar import LEAST_CONTRAST, contrast
from matplotlib.colors import to_rgb

from calibtutor import lessons
from calibtutor.data.datasets import hole_predictions
from calibtutor.lessons.notions.scenes import arrows
from calibtutor.lessons.shared.maps import Heatmap
from calibtutor.lessons.shared.triangle import arrow_polygons, to_plane
from calibtutor.plots import CHOICE, INK, KEPT, MISS, MODELS, SOFT, new_figure


def cell_middles(figure, axes, shape):
    """The colours drawn in the middle of every cell of axes that are filled by a matrix, lowest row first."""
    picture = draw(figure)
    left, bottom, right, top = axes.bbox.extents
    rows = [len(picture) - 1 - int(bottom + (i + 0.5) / shape[0] * (top - bottom)) for i in range(shape[0])]
    columns = [int(left + (j + 0.5) / shape[1] * (right - left)) for j in range(shape[1])]
    return picture[np.ix_(rows, columns)]


@pytest.mark.parametrize("upside_down", [False, True])
def test_a_heatmap_shows_every_cell_where_it_is(upside_down):
    figure = new_figure(4, 3)
    axes = figure.add_subplot(facecolor="#00FF00")
    heatmap = Heatmap(axes, (3, 4), x=(0, 2), y=(5, 8), vmin=-1, vmax=1, cmap="PuOr")
    values = np.linspace(-1.2, 1.2, 12).reshape(3, 4)
    values[1, 2] = np.nan
    heatmap.set_data(values)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 2), (5, 8))
    if upside_down:
        axes.invert_yaxis()
    wanted = (heatmap.cmap(np.clip((values + 1) / 2, 0, 1))[..., :3] * 255).round()
    wanted[1, 2] = 0, 255, 0
    found = cell_middles(figure, axes, values.shape)
    np.testing.assert_allclose(found, wanted[::-1] if upside_down else wanted, atol=2)


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


APART = 11  # CIE76 of two models' colours, for who lacks green cones; shapes differ as well


def seen_without_green_cones(colour):
    """Viénot, Brettel and Mollon (1999), in linear RGB."""
    loss = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
    return np.clip(loss @ np.array(to_rgb(colour)) ** 2.2, 0, 1)


def lab(linear):
    """CIE L*a*b* of linear sRGB, daylight D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.where((t := xyz / (0.9505, 1, 1.089)) > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(one, other):
    return np.linalg.norm(lab(seen_without_green_cones(one)) - lab(seen_without_green_cones(other)))


def test_models_are_told_apart_without_green_cones():
    for (a, (one, shape, _)), (b, (other, another, _)) in itertools.combinations(MODELS.items(), 2):
        assert apart(one, other) > APART, (a, b, apart(one, other))
        assert shape != another
    for verdict, name in ((KEPT, "kept"), (CHOICE, "choice"), (INK, "truth")):
        assert apart(MISS, verdict) > 2 * APART, name


def test_words_in_a_models_colour_can_be_read():
    for colour in (INK, SOFT, KEPT, MISS, *(text for _, _, text in MODELS.values())):
        assert contrast(colour, "white") >= LEAST_CONTRAST


def test_no_picture_names_a_colour_that_the_dark_turns():
    sources = [each for each in Path(lessons.__file__).parent.rglob("*") if each.suffix in (".py", ".js")]
    named = re.compile(r"\b(white|black|dark): [a-z]", flags=re.I)  # as legends do: “dark: the last one”
    assert [(each.name, found) for each in sources for found in named.findall(each.read_text(encoding="utf-8"))] == []
