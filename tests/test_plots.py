"""Pictures show the numbers they are given, move in place, and touch nothing global."""

import base64
import io

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.text import Text
from PIL import Image

from calibtutor import consistency_band, plots, reliability_curve
from calibtutor.plots import (
    CHANCE,
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    Finding,
    Heatmap,
    Picture,
    ReliabilityDiagram,
    Simplex,
    WinnerMap,
    arrow_polygons,
    chance,
    choice,
    estimate,
    headline,
    misses,
    new_figure,
    number,
    packed,
    panel,
    reference,
    reliability_diagram,
    to_plane,
    truth,
    words,
)


def draw(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def texts(figure):
    return [t.get_text().strip() for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]


def boxes(collection):
    """(left, right, bottom, top) of every polygon of a collection."""
    corners = [path.vertices for path in collection.get_paths()]
    return np.array([[c[:, 0].min(), c[:, 0].max(), c[:, 1].min(), c[:, 1].max()] for c in corners])


DATA = [0, 1, 1, 0, 1, 1], [0.1, 0.15, 0.7, 0.75, 0.9, 1.0]


@pytest.fixture
def curve():
    """Five bins, the second and third of them empty."""
    return reliability_curve(*DATA, n_bins=5)


# --- reliability diagrams ---


def test_a_diagram_shows_every_bin_that_holds_data(curve):
    figure = new_figure(5, 5)
    diagram = ReliabilityDiagram(figure)
    diagram.update(curve, title="a title")
    full = [0, 3, 4]
    wanted = np.column_stack([curve.confidence[full], curve.frequency[full]])
    np.testing.assert_allclose(diagram.points.get_offsets(), wanted)
    for segment, (x, y) in zip(diagram.gaps.get_segments(), wanted, strict=True):
        np.testing.assert_allclose(segment, [(x, x), (x, y)])  # from the diagonal to the point
    bars = boxes(diagram.bars)
    np.testing.assert_allclose(bars[:, 0], [0, 0.2, 0.4, 0.6, 0.8], atol=1e-12)
    np.testing.assert_allclose(bars[:, 3], curve.count / curve.count.max())
    assert diagram.tallest.get_text() == "2"
    assert diagram.title.get_text() == "a title"
    assert diagram.band.get_paths() == []


def test_a_band_is_drawn_over_its_bins(curve):
    figure = new_figure(5, 5)
    diagram = ReliabilityDiagram(figure)
    low, high = np.array([0.1, np.nan, np.nan, 0.5, 0.8]), np.array([0.4, np.nan, np.nan, 0.9, 1.0])
    diagram.update(curve, (low, high))
    np.testing.assert_allclose(boxes(diagram.band), [[0, 0.2, 0.1, 0.4], [0.6, 0.8, 0.5, 0.9], [0.8, 1, 0.8, 1]])
    diagram.update(curve)
    assert diagram.band.get_paths() == []


def test_an_update_leaves_nothing_behind(curve):
    figure, fresh = new_figure(5, 5), new_figure(5, 5)
    diagram = ReliabilityDiagram(figure)
    other = reliability_curve(np.arange(200) % 2, np.linspace(0, 1, 200), n_bins=20)
    band = np.full(20, 0.2), np.full(20, 0.8)
    diagram.update(other, band, title="same")
    diagram.update(curve, title="same")
    once = ReliabilityDiagram(fresh)
    once.update(curve, title="same")
    assert (draw(figure) == draw(fresh)).all()


def test_everything_that_an_update_moves_is_among_the_artists(curve):
    other = reliability_curve([0, 1, 1], [0.3, 0.5, 0.95], n_bins=4)
    band = np.full(4, 0.2), np.full(4, 0.8)
    figure = new_figure(5, 5)
    diagram = ReliabilityDiagram(figure)
    figure.set_layout_engine("none")
    diagram.update(curve, title="one")
    for artist in diagram.artists:
        artist.set_visible(False)
    before = draw(figure)
    diagram.update(other, band, title="two")
    assert (draw(figure) == before).all()


def test_a_still_diagram():
    with_title = reliability_diagram(*DATA, n_bins=5, title="the title", event="how often it rains")
    assert {"the title", "how often it rains", "2"} <= set(texts(with_title))
    assert np.abs(draw(with_title) - draw(reliability_diagram(*DATA, n_bins=5))).max() > 100


def test_without_a_title_there_is_none():
    titles = [axes.get_title().strip() for axes in reliability_diagram(*DATA).axes]
    assert titles == [""] * len(titles)


def test_a_still_diagram_has_the_curve_and_the_pointwise_band_of_its_data(curve):
    band = consistency_band(DATA[1], edges=curve.edges, rng=3)
    figure = new_figure(5, 5)
    ReliabilityDiagram(figure).update(curve, band)
    assert (draw(reliability_diagram(*DATA, n_bins=5, rng=3)) == draw(figure)).all()
    n = 300
    p = np.random.default_rng(0).uniform(size=n) ** 3
    few, many = (reliability_diagram(np.arange(n) % 2, p, n_bins=4, strategy=s) for s in ("uniform", "quantile"))
    assert "75" in texts(many) and "75" not in texts(few)  # the tallest bar, where all are equal


def test_a_diagram_takes_the_place_of_axes_in_a_grid():
    figure = plt.figure()
    try:
        left, right = figure.subplots(1, 2)
        place = right.get_position()
        assert reliability_diagram(*DATA, n_bins=5, ax=right, title="on the right") is figure
        assert right not in figure.axes and left in figure.axes and "on the right" in texts(figure)
        draw(figure)
        for axes in figure.axes[1:]:
            assert axes.get_position().x0 >= place.x0 - 1e-9 and axes.get_position().x1 <= place.x1 + 1e-9
        with pytest.raises(ValueError, match="ax: expected axes of a grid"):
            reliability_diagram(*DATA, ax=figure.add_axes([0, 0, 1, 1]))
    finally:
        plt.close(figure)


# --- the triangle ---


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


# --- matrices as colours ---


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


def test_a_heatmap_is_imshow_but_for_edges():
    values = np.random.default_rng(0).normal(size=(12, 9))
    ours, theirs = new_figure(4, 3), new_figure(4, 3)
    Heatmap(ours.add_subplot(), values.shape, vmin=-2, vmax=2, cmap="PuOr").set_data(values)
    theirs.add_subplot().imshow(values, vmin=-2, vmax=2, cmap="PuOr", origin="lower", extent=(0, 1, 0, 1),
                                aspect="auto", interpolation="nearest")  # fmt: skip
    away = np.abs(draw(ours) - draw(theirs)).max(axis=2)
    assert (away > 2).mean() < 0.03, "a pixel a border of cells"


def test_a_smooth_heatmap_goes_through_its_cells():
    ramp = np.linspace(0, 1, 5)[None, :].repeat(2, axis=0)
    shown = {}
    for enlarge in ("nearest", "bilinear"):
        figure = new_figure(4, 3)
        axes = figure.add_subplot()
        Heatmap(axes, ramp.shape, cmap="gray", enlarge=enlarge).set_data(ramp)
        shown[enlarge] = cell_middles(figure, axes, (2, 5)), cell_middles(figure, axes, (2, 60))[0, :, 0]
    np.testing.assert_allclose(shown["bilinear"][0], shown["nearest"][0], atol=4)
    assert len(np.unique(shown["nearest"][1])) == 5 and len(np.unique(shown["bilinear"][1])) > 40
    assert (np.diff(shown["bilinear"][1]) >= 0).all()


# --- pictures for notebooks ---


FINDING = Finding("A headline", "what is drawn", "A sentence about it that says a lot, and then some more.")


def test_a_picture_brings_what_it_says():
    data, metadata = Picture(reliability_diagram(*DATA), FINDING)._repr_mimebundle_()
    stored = np.asarray(Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB"))
    assert stored.shape[1] == 1000 and 1060 < stored.shape[0] < 1150  # 5 by 5 inches, two lines of words below
    assert data["text/plain"] == "A headline\nwhat is drawn\nA sentence about it that says a lot, and then some more."
    assert metadata["image/png"] == {"alt": f"A headline. {FINDING.sentence}", "width": 500}
    letters = (stored < 128).all(axis=2).any(axis=1)
    assert letters[:100].any() and letters[1010:].any()


def test_headlines_lie_above_the_axes():
    figure = reliability_diagram(*DATA)
    lines = headline(figure, *FINDING[:2])
    figure.draw_without_rendering()
    lowest = min(line.get_window_extent().y0 for line in lines)
    assert all(axes.get_tightbbox().y1 < lowest for axes in figure.axes)
    assert [line.get_text() for line in lines] == ["A headline", "what is drawn"]
    assert lines[0].get_window_extent().y0 > lines[1].get_window_extent().y1


def test_a_packed_picture_looks_the_same():
    image = Image.fromarray(draw(reliability_diagram(*DATA))[..., :3].astype(np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "png")
    stored = base64.b64decode(packed(image))
    assert len(stored) < len(buffer.getvalue())
    assert np.abs(np.asarray(image).astype(int) - np.asarray(Image.open(io.BytesIO(stored)).convert("RGB"))).mean() < 1


# --- marks ---


def test_marks_are_as_tabled():
    axes = panel(new_figure(4, 3), xlim=(0, 1), ylim=(0, 1), read_y=False)
    assert not axes.spines["left"].get_visible() and len(axes.get_yticks()) == 0
    assert (truth(axes).get_color(), reference(axes).get_color()) == (INK, GREY)
    assert estimate(axes).get_color() == KEPT and estimate(axes, line=True).get_marker() == "None"
    for name, (colour, shape, _) in MODELS.items():
        dots = estimate(axes, model=name)
        assert (dots.get_color(), dots.get_marker()) == (colour, shape)
    assert misses(axes).get_colors().tolist() == [list(to_rgba(MISS))]
    assert chance(axes).get_facecolor().tolist() == [list(to_rgba(CHANCE))]
    assert choice(axes).get_markerfacecolor() == CHOICE
    assert words(axes, 0, 0, "small", size=3).get_size() == 11


def test_a_number_travels_with_its_mark():
    figure = new_figure(4, 3)
    axes = panel(figure, xlim=(0, 1), ylim=(0, 1))
    pin = number(axes, offset=(10, 0))
    pin.set_text("0.25")
    places = []
    for x in (0.2, 0.7):
        pin.xy = (x, 0.5)
        figure.draw_without_rendering()
        places.append(pin.get_window_extent().x0 - axes.transData.transform((x, 0.5))[0])
    assert places[0] == pytest.approx(places[1], abs=1) and places[0] == pytest.approx(10 * 100 / 72, abs=2)


def test_a_reference_is_named_along_its_line():
    figure = new_figure(6, 2)
    axes = panel(figure, xlim=(0, 1), ylim=(0, 1))
    reference(axes, [0, 1], [0, 1], "the name")
    figure.draw_without_rendering()
    (name,) = (text for text in axes.texts if text.get_text() == "the name")
    width, height = axes.bbox.size
    assert name.get_rotation() == pytest.approx(np.degrees(np.arctan2(height, width)), abs=1)


def test_a_winner_map_has_the_winners_colours():
    figure = new_figure(3, 3)
    axes = panel(figure, read_y=False, xticks=[])
    axes.set_axis_off()
    winner = WinnerMap(axes, (1, 99), KEPT, MISS)
    winner.update(np.linspace(1, -1, 99)[None])
    figure.set_layout_engine("none")
    axes.set_position((0, 0, 1, 1))
    row = draw(figure)[150]
    pale = [255 * (1 - 0.45 * (1 - np.array(to_rgb(colour)))) for colour in (KEPT, MISS)]
    assert np.abs(row[5, :3] - pale[0]).max() < 4 and np.abs(row[-5, :3] - pale[1]).max() < 4
    assert np.abs(row[150, :3] - 255).max() < 8  # equal: white


def test_a_readers_settings_neither_spoil_a_picture_nor_are_spoiled():
    plain = draw(reliability_diagram(*DATA))
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "axes.grid": True, "lines.linewidth": 9}):
        before = dict(matplotlib.rcParams)
        figure = new_figure(5, 5)
        assert dict(matplotlib.rcParams) == before
        axes = figure.add_subplot()
        assert axes.xaxis.label.get_size() == plots.STYLE["axes.labelsize"]
        assert not axes.spines["top"].get_visible()
        assert draw(reliability_diagram(*DATA)).shape == plain.shape
        assert dict(matplotlib.rcParams) == before
