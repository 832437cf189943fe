"""The quick canvas draws what matplotlib draws, and its PNG is the pixels."""

import io
import string

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties
from PIL import Image

from calibtutor.plots import new_figure
from calibtutor.teach.canvas import QuickCanvas, QuickRenderer, png

# Kerning inside a word ends it between two pixels: what follows is drawn there by matplotlib, and at the nearest here.
PLAIN = ["10 bins see 0.0000        27 of 12", "p = 0.05 ± 2 s.e.", "−7e−07 × 10⁻⁶", "kernel", "(terror)", "AV", "   "]
KERNED = ["true error 0.0255: AV, To, T. and first rows", "two lines\nof 12 and 0.5"]


def pixels_of(canvas_class, write):
    figure = new_figure(6, 2)
    write(figure)
    canvas = canvas_class(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3].astype(int)


def both(write):
    return [pixels_of(canvas, write) for canvas in (FigureCanvasAgg, QuickCanvas)]


@pytest.mark.parametrize("line", PLAIN)
@pytest.mark.parametrize("style", [{}, {"fontsize": 9, "color": "#D55E00"}, {"weight": "bold", "color": (0, 0, 1, 0.5)},
                                   {"bbox": {"color": "yellow", "pad": 2}}, {"alpha": 0.6}], ids=str)  # fmt: skip
def test_letters_at_whole_pixels_are_matplotlibs(line, style):
    ordinary, quick = both(lambda figure: figure.text(60 / 600, 100 / 200, line, **style))
    assert np.abs(ordinary - quick).max() <= 2, "no more than rounding of colours where letters touch"
    assert line.isspace() or (quick.min(axis=2) < 128).any()


def test_what_is_slanted_or_mathematics_is_left_to_matplotlib():
    def write(figure):
        figure.text(0.1, 0.5, "slanted 12", rotation=30)
        figure.text(0.5, 0.5, "$x_1^2$ and 12")
        figure.text(0.7, 0.3, "ragged 12", antialiased=False)

    ordinary, quick = both(write)
    assert (ordinary == quick).all() and (quick < 128).any()


@pytest.mark.slow
def test_a_line_is_as_long_and_high_as_matplotlib_says():
    measured = [(size, weight) for size in (9, 12, 14) for weight in ("normal", "bold")]
    near_digits = string.printable.strip().replace("$", "") + "−±×√²⁻₂λγαθ°“”’…≤≥→✓✗·●"
    pairs = {pair for d in "17 " for c in near_digits for pair in (d + c, c + d)}
    ordinary, quick = (kind(10, 10, 100) for kind in (RendererAgg, QuickRenderer))
    for size, weight in measured:
        font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
        for line in [*PLAIN, KERNED[0], *pairs]:
            sides = [each.get_text_width_height_descent(line, font, False) for each in (ordinary, quick)]
            assert sides[0] == pytest.approx(sides[1], abs=1e-9), (line, size, weight)


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 5, 3), (40, 60, 4)])
def test_the_png_is_the_pixels(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    image = Image.open(io.BytesIO(png(pixels)))
    image.verify()  # checksums
    image = Image.open(io.BytesIO(png(pixels)))
    assert image.mode == "RGB" and (np.asarray(image) == pixels[..., :3]).all()
