"""Pictures show the numbers they are given, move in place, and touch nothing global."""

import matplotlib
import numpy as np
import pytest
from drawn import boxes, draw, texts
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from scipy.special import expit, logit

from calibtutor import consistency_band, plots, reliability_curve
from calibtutor.plots import EVENT, MODELS, OF_ONE, SAID, ReliabilityDiagram, new_figure, reliability_diagram

DATA = [0, 1, 1, 0, 1, 1], [0.1, 0.15, 0.7, 0.75, 0.9, 1.0]


@pytest.fixture
def curve():
    """Five bins, the second and third of them empty."""
    return reliability_curve(*DATA, n_bins=5)


def test_a_diagram_shows_every_bin_that_holds_data_and_a_band_over_its_bins(curve):
    diagram = ReliabilityDiagram(new_figure(5, 5))
    low, high = np.array([0.1, np.nan, np.nan, 0.5, 0.8]), np.array([0.4, np.nan, np.nan, 0.9, 1.0])
    diagram.update(curve, (low, high))
    np.testing.assert_allclose(boxes(diagram.band), [[0, 0.2, 0.1, 0.4], [0.6, 0.8, 0.5, 0.9], [0.8, 1, 0.8, 1]])
    diagram.update(curve, title="a title")
    full = [0, 3, 4]
    wanted = np.column_stack([curve.confidence[full], curve.frequency[full]])
    np.testing.assert_allclose(diagram.points.get_offsets(), wanted)
    for segment, (x, y) in zip(diagram.gaps.get_segments(), wanted, strict=True):
        np.testing.assert_allclose(segment, [(x, x), (x, y)])  # from the diagonal to the point
    bars = boxes(diagram.bars)
    np.testing.assert_allclose(bars[:, 0], [0, 0.2, 0.4, 0.6, 0.8], atol=1e-12)
    np.testing.assert_allclose(bars[:, 3], curve.count / curve.count.max())
    assert (diagram.tallest.get_text(), diagram.title.get_text()) == ("2", "a title")
    assert diagram.band.get_paths() == []


def test_everything_that_an_update_moves_is_among_the_artists(curve):
    other, figure = reliability_curve([0, 1, 1], [0.3, 0.5, 0.95], n_bins=4), new_figure(5, 5)
    diagram = ReliabilityDiagram(figure)
    figure.set_layout_engine("none")
    diagram.update(curve, title="one")
    for artist in diagram.artists:
        artist.set_visible(False)
    before = draw(figure)
    diagram.update(other, (np.full(4, 0.2), np.full(4, 0.8)), title="two")
    assert (draw(figure) == before).all()


def test_a_still_diagram_has_the_curve_and_the_pointwise_band_of_its_data(curve):
    band = consistency_band(DATA[1], edges=curve.edges, rng=3)
    figure = new_figure(5, 5)
    event, said = OF_ONE
    ReliabilityDiagram(figure, event=event, said=said).update(curve, band)
    assert (draw(reliability_diagram(*DATA, n_bins=5, rng=3)) == draw(figure)).all()
    named = reliability_diagram(*DATA, n_bins=5, title="the title", event="how often it rains")
    assert {"the title", "how often it rains", "2"} <= set(texts(named))
    p = np.random.default_rng(0).uniform(size=300) ** 3
    few, many = (reliability_diagram(np.arange(300) % 2, p, n_bins=4, strategy=s) for s in ("uniform", "quantile"))
    assert "75" in texts(many) and "75" not in texts(few)  # the tallest bar, where all are equal


def test_a_diagram_is_one_call_with_axes_and_without():
    alone, figure = reliability_diagram(*DATA, rng=0), Figure(layout="constrained")
    part = figure.subfigures(1, 2)[1]
    assert reliability_diagram(*DATA, ax=figure.gca(), rng=0) is figure
    shown = figure.axes[:2]
    assert reliability_diagram(*DATA, ax=part.subplots(), rng=0) is part
    draw(figure)
    for one, *others in zip(alone.axes, shown, part.axes, strict=True):
        for each in others:
            for a, b in zip(one.collections, each.collections, strict=True):
                np.testing.assert_array_equal(a.get_offsets(), b.get_offsets())
                np.testing.assert_array_equal(boxes(a), boxes(b))
    assert texts(alone) == texts(part)
    rows = np.column_stack([1 - np.array(DATA[1]), DATA[1]])
    for y_prob, names in ((DATA[1], OF_ONE), (rows, (EVENT, SAID))):  # class 1, or the top label
        diagram, counts = reliability_diagram(DATA[0], y_prob).axes
        assert (diagram.get_ylabel(), counts.get_xlabel().split("\n")[0]) == names
    taken = Figure(layout="constrained").subplots()
    reliability_diagram(*DATA, ax=taken).clear()
    removed, cleared = Figure().subplots(), Figure().subplots()
    removed.remove()
    cleared.figure.clear()
    inset, all_of_them = Figure().subplots().inset_axes([0, 0, 1, 1]), Figure().subplots(1, 2)
    for ax in (taken, removed, cleared, figure.add_axes([0, 0, 1, 1]), inset, all_of_them):
        with pytest.raises(ValueError, match="ax: expected axes of a grid.*neither placed by hand nor removed"):
            reliability_diagram(*DATA, ax=ax)


def rare(n=5000, rng=0):
    rng = np.random.default_rng(rng)
    p = 1e-3 * np.exp(rng.normal(size=n))
    return (rng.random(n) < p).astype(int), p


def models(n):
    """Labels, and two to five models of them: two have colours of their own in the whole course."""
    rng = np.random.default_rng(n)
    z, names = rng.normal(size=400), ["forest", "random forest", "boosted trees", "naive Bayes", "one more"][:n]
    return (rng.random(400) < expit(z)).astype(int), {each: expit(k * z / 2) for k, each in enumerate(names, 1)}


@pytest.mark.parametrize(("n", "width", "settings"), [
    (2, 9, {}), (5, 5, {}), (5, 3.4, {"scale": "logit", "strategy": "quantile"}), (3, 5, {"weights": np.arange(400.0)})
])
def test_several_models_lie_over_each_other_under_a_legend_of_their_marks(n, width, settings):
    (y, said), (figure, again) = models(n), (new_figure(width, 5.5) for _ in range(2))
    ax, later = (each.subplots(1, 2)[0] if width == 9 else each.add_subplot() for each in (figure, again))
    reliability_diagram(y, said, ax=ax, **settings)
    picture, axes = draw(figure), next(each for each in figure.axes if each.get_legend())
    marks, legend = [each for each in axes.collections if each.get_visible()], axes.get_legend()
    assert [each.get_text() for each in legend.get_texts()] == list(said) and len(marks) == n
    lines, box = legend.get_lines(), legend.get_window_extent()
    assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == n
    assert box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height
    for name, line, mark in zip(said, lines, marks, strict=True):
        curve = reliability_curve(y, said[name], **{k: each for k, each in settings.items() if k != "scale"})
        wanted, found = np.column_stack([curve.confidence, curve.frequency])[curve.count > 0], mark.get_offsets()
        if "scale" not in settings:
            np.testing.assert_allclose(found, wanted)
        assert found.shape == wanted.shape and name not in MODELS or line.get_color() == MODELS[name][0]
        assert to_rgba(line.get_color())[:3] in {tuple(each[:3]) for each in mark.get_facecolor()}
        assert not any(box.padded(4).contains(*each) for each in axes.transData.transform(found))
    for name in said:  # one by one on the same axes
        reliability_diagram(y, {name: said[name]}, ax=later, **settings)
    assert (draw(again) == picture).all()


def test_a_later_call_lays_over_and_what_does_not_go_together_is_refused():
    (y, said), ax = models(2), Figure(layout="constrained").subplots()
    for each, p in enumerate(said.values(), 1):
        figure = reliability_diagram(y[each:], p[each:], ax=ax)
        ax = figure.axes[each % 2]  # the diagram's own axes will do
    assert [each.get_text() for each in figure.axes[0].get_legend().get_texts()] == ["model 1", "model 2"]
    rows = np.column_stack([1 - p, p])
    for wanted, given, settings in [
        ("y_prob: expected one to 5 models, got 6", models(5)[1] | {"p": p}, {}),
        ("y_prob: expected one to 5 models, got 0", {}, {}),
        *(("y_prob: expected models that share their axes", *each) for each in [
            (said | {"rows": rows}, {}), (rows, {"ax": ax}), (p, {"ax": ax, "scale": "logit"})]),
        (r"y_prob\['forest'\]: row 0 is", {"forest": p + 2 * (p == p[0])}, {}),
        (r"y_true and y_prob\['forest'\]: expected equal lengths", {"forest": p[1:]}, {}),
        (r"y_prob\['forest'\].*expit\(y_prob\['forest'\]\)", {"forest": 9 * p - 3}, {}),
        *((r"of several a dict {name: y_prob}, got a list of 2", list(each), {}) for each in [(p, p), (rows, rows)]),
    ]:
        with pytest.raises(ValueError, match=wanted):
            reliability_diagram(y, given, **settings)


def test_on_logit_axes_every_mark_stands_where_its_numbers_are_and_what_never_happened_on_the_edge():
    y, p = rare()
    axes, counts = reliability_diagram(y, p, strategy="quantile", scale="logit", rng=3).axes
    curve, (band, gaps, points) = reliability_curve(y, p, strategy="quantile"), axes.collections
    names = [label.get_text() for label in counts.get_xticklabels()]
    ticks = dict(zip(names, counts.get_xticks(), strict=True))
    unit = (ticks["0.01"] - ticks["0.001"]) / (logit(0.01) - logit(0.001))
    where = lambda values: np.clip(ticks["0.001"] + unit * (logit(values) - logit(0.001)), 0, 1)
    assert axes.get_yticks() == pytest.approx(counts.get_xticks()) and (curve.frequency == 0).any()
    np.testing.assert_allclose(points.get_offsets(), where(np.column_stack([curve.confidence, curve.frequency])))
    low, high = consistency_band(p, edges=curve.edges, rng=3)
    sides = np.column_stack([curve.edges[:-1], curve.edges[1:], low, high])
    np.testing.assert_allclose(boxes(band), where(sides))
    starts = [each[0] for each in gaps.get_segments()]
    np.testing.assert_allclose(starts, where(np.column_stack([curve.confidence] * 2)))
    never = curve.frequency == 0
    assert ((points.get_offsets()[:, 1] == 0) == never).all()
    assert ((points.get_facecolor()[:, :3] == 1).all(axis=1) == never).all()
    assert counts.get_xlabel().endswith(f"hollow: it never happened in {never.sum()} bins")
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[0, 0], [1, 1]]  # equal places are equal probabilities


def test_a_line_says_that_nearly_all_scores_are_in_one_bin_and_what_spreads_them():
    (y, p), last = rare(), lambda *args, **more: reliability_diagram(*args, **more).axes[1].get_xlabel().split("\n")[1:]
    both = "strategy='quantile' and scale='logit' spread them"
    assert last(y, p) == ["all 5,000 scores are in one bin of 15;", both]
    assert last(y, 1 - p)[1] == last(y, np.where(np.arange(5000) < 40, 0.5, p))[1] == both
    assert last(y, np.where(np.arange(5000) < 40, 0.5, p))[0] == "4,960 of 5,000 scores are in one bin of 15;"
    assert last(y, np.where(np.arange(5000) < 60, 0.5, p)) == last(y, np.full(5000, 0.01)) == last(y, p, n_bins=1) == []
    assert last(y, p, strategy="quantile")[1] == "scale='logit' spreads them" and last(*DATA) == []


def test_a_readers_settings_neither_spoil_a_picture_nor_are_spoiled():
    plain = draw(reliability_diagram(*DATA))
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "axes.grid": True, "lines.linewidth": 9}):
        before = dict(matplotlib.rcParams)
        axes = new_figure(5, 5).add_subplot()
        assert axes.xaxis.label.get_size() == plots.STYLE["axes.labelsize"]
        assert not axes.spines["top"].get_visible()
        assert draw(reliability_diagram(*DATA)).shape == plain.shape
        assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(("base", "ends"), [(True, None), (False, None), ((0, 0.5), (0, 0.5))])
def test_the_line_below_a_panel_ends_where_it_is_told(base, ends):
    spine = plots.panel(new_figure(), base=base).spines["bottom"]
    assert spine.get_visible() == bool(base) and (not ends or spine.get_bounds() == ends)
