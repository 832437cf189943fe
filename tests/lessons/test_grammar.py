"""One grammar for every picture: what is tested here of every scene, at every end of every control."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D
from test_scenes import NEEDS, SCENES, ends

from calibtutor.data.downloads import available
from calibtutor.plots import CHOICE, INK, KEPT, MISS, MODELS, SMALL, SOFT
from calibtutor.teach.explore import Explorable

LEAST_CONTRAST = 4.5
APART = 11  # CIE76 of two models' colours, for who lacks green cones; shapes differ as well


pytestmark = pytest.mark.usefixtures("forget_widgets")


# --- what a figure is made of ---


def in_sight(text):
    """Whether its axes are on, and a label belongs to a tick in sight."""
    axes = text.axes
    if axes is None:
        return True
    if not axes.get_visible():
        return False
    for axis in (axes.xaxis, axes.yaxis):
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if text in (tick.label1, tick.label2):
                low, high = sorted(axis.get_view_interval())
                room = 1e-6 * (high - low)
                return axes.axison and axis.get_visible() and low - room <= tick.get_loc() <= high + room
        if text in (axis.label, axis.offsetText):
            return axes.axison and axis.get_visible()
    return True


def outline(text, renderer):
    """Its box, turned as the text is, a pixel smaller on each side."""
    turn = text.get_rotation()
    if turn % 90 == 0:
        x0, y0, x1, y1 = text.get_window_extent(renderer).extents
        return Path([(x0 + 1, y0 + 1), (x1 - 1, y0 + 1), (x1 - 1, y1 - 1), (x0 + 1, y1 - 1), (x0 + 1, y0 + 1)])
    box = text.get_window_extent(renderer)
    centre = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    width, height, _ = renderer.get_text_width_height_descent(text.get_text(), text.get_fontproperties(), False)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (width / 2 - 1, height / 2 - 1)
    return Path(Affine2D().rotate_deg(turn).translate(*centre).transform(corners))


def luminance(colour):
    c = np.asarray(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    """WCAG 2.1's contrast of two colours, 1 to 21."""
    high, low = sorted([luminance(one), luminance(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def broken_rules(figure):
    """What the grammar forbids and the figure does, in words."""
    before, hidden = figure.canvas, [a for a in figure.findobj() if a.get_animated()]
    canvas = FigureCanvasAgg(figure)
    for artist in hidden:  # what moves is drawn too
        artist.set_animated(False)
    try:
        return [*_of_texts(figure, canvas)]
    finally:
        for artist in hidden:
            artist.set_animated(True)
        figure.set_canvas(before)


def _of_texts(figure, canvas):
    figure.draw_without_rendering()  # which lays out, and places what stands at ticks
    figure.set_layout_engine("none")  # or it would lay out anew without the texts
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and in_sight(t)]
    outlines = {text: outline(text, canvas.get_renderer()) for text in texts}
    width, height = figure.bbox.size
    for text, path in outlines.items():
        (x0, y0), (x1, y1) = path.vertices.min(axis=0), path.vertices.max(axis=0)
        if x0 < -1 or y0 < -1 or x1 > width + 1 or y1 > height + 1:
            yield f"{text.get_text()!r} leaves the figure"
        if text.get_size() < SMALL:
            yield f"{text.get_text()!r} is set in {text.get_size()} points"
    for one, other in itertools.combinations(outlines, 2):
        if outlines[one].intersects_path(outlines[other], filled=True):
            yield f"{one.get_text()!r} runs into {other.get_text()!r}"
    for text in texts:
        text.set_visible(False)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255
    for text in texts:
        text.set_visible(True)
    for text, path in outlines.items():
        (x0, y0), (x1, y1) = (np.round(v).astype(int) for v in (path.vertices.min(axis=0), path.vertices.max(axis=0)))
        beneath = pixels[max(y0, 0) : y1 + 1, max(x0, 0) : x1 + 1].reshape(-1, 3)
        patch = text.get_bbox_patch()
        ground = np.median(beneath, axis=0) if patch is None else to_rgb(patch.get_facecolor())
        if len(beneath) and (ratio := contrast(text.get_color(), ground)) < LEAST_CONTRAST:
            yield f"{text.get_text()!r} has a contrast of {ratio:.1f}"
        if text.get_text() in MODELS and text.get_color() not in (MODELS[text.get_text()][2], INK, SOFT):
            yield f"{text.get_text()!r} is not in its model's colour"


def scales(figure):
    """Limits and ticks of every axes."""
    return [(a.get_xlim(), a.get_ylim(), tuple(a.get_xticks()), tuple(a.get_yticks())) for a in figure.axes]


def settings(explorable):
    """As it opens, and every control at its ends, the others at their defaults."""
    start = explorable.values
    yield start
    for name, control in explorable.controls.items():
        for value in ends(control):
            yield {**start, name: value}


def opened(name):
    if name in NEEDS and not available(NEEDS[name]):
        pytest.skip(f"needs {NEEDS[name]}")
    return SCENES[name]()


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_keeps_the_grammar(name):
    scene = opened(name)
    if not isinstance(scene, Explorable):
        assert scene.finding.headline and scene.finding.drawn
        assert "\n".join(broken_rules(scene.figure)) == ""
        return
    found, headlines, scale = defaultdict(list), set(), None
    for values in settings(scene):
        scene.set(**values)
        assert scene.error is None
        headlines.add(scene.headline)
        for rule in broken_rules(scene._figure):
            found[rule].append(values)
        if not scene.headline or not scene.finding.drawn:
            found["no headline, or no second line"].append(values)
        now = scales(scene._figure)
        if now != (scale := scale or now):
            found["axes rescale"].append(values)
    assert "\n".join(f"{rule}  at {values[0]}" for rule, values in found.items()) == ""
    assert len(headlines) > 1, f"the headline never changes: {headlines}"


# --- colours ---


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
    for _, _, text in MODELS.values():
        assert contrast(text, "white") >= LEAST_CONTRAST
    for colour in (INK, SOFT, KEPT, MISS):
        assert contrast(colour, "white") >= LEAST_CONTRAST
