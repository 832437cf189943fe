"""One grammar for every picture: what it forbids a figure."""

import itertools

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from calibtutor.plots import INK, MODELS, SMALL, SOFT
from calibtutor.teach.canvas import QuickRenderer

LEAST_CONTRAST = 4.5


class Unlettered(QuickRenderer):
    """Measures texts and gives them their places, but leaves bare what lies beneath."""

    def draw_text(self, *args, **kwargs):
        pass


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
    turn, box = text.get_rotation(), text.get_window_extent(renderer)
    if turn % 90 == 0:
        x0, y0, x1, y1 = box.padded(-1).extents
        return Path([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
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
    """What the grammar forbids and the figure, drawn before, does, in words. Its layout stays as it was drawn."""
    hidden = [a for a in figure.findobj() if a.get_animated()]
    for artist in hidden:  # what moves is drawn too
        artist.set_animated(False)
    try:
        return [*_of_texts(figure, Unlettered(*figure.canvas.get_width_height(physical=True), figure.dpi))]
    finally:
        for artist in hidden:
            artist.set_animated(True)


def _of_places(figure, outlines):
    """Texts that leave the figure by more than so many pixels, are small, or run into each other."""
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


def _of_texts(figure, renderer):
    figure.set_layout_engine("none")  # or it would lay out anew without the texts
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and in_sight(t)]
    outlines = {text: outline(text, renderer) for text in texts}
    yield from _of_places(figure, outlines)
    figure.draw(renderer)
    pixels = np.asarray(renderer.buffer_rgba())[::-1, :, :3]
    for text, path in outlines.items():
        (x0, y0), (x1, y1) = (np.round(v).astype(int) for v in (path.vertices.min(axis=0), path.vertices.max(axis=0)))
        beneath = pixels[max(y0, 0) : y1 + 1, max(x0, 0) : x1 + 1].reshape(-1, 3) / 255
        patch = text.get_bbox_patch()
        ground = np.median(beneath, axis=0) if patch is None else to_rgb(patch.get_facecolor())
        if len(beneath) and (ratio := contrast(text.get_color(), ground)) < LEAST_CONTRAST:
            yield f"{text.get_text()!r} has a contrast of {ratio:.1f}"
        if text.get_text() in MODELS and text.get_color() not in (MODELS[text.get_text()][2], INK, SOFT):
            yield f"{text.get_text()!r} is not in its model's colour"


def scales(figure):
    """Limits and ticks of every axes."""
    return [(a.get_xlim(), a.get_ylim(), tuple(a.get_xticks()), tuple(a.get_yticks())) for a in figure.axes]
