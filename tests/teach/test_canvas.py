"""The quick canvas draws what matplotlib draws, its PNG is the pixels; what is stored of a picture shows the same."""

import base64
import io
import string

import numpy as np
import pytest
from drawn import draw
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties
from PIL import Image

from calibtutor.plots import Finding, new_figure, reliability_diagram
from calibtutor.teach.canvas import QuickCanvas, QuickRenderer, png
from calibtutor.teach.still import Picture, packed, repacked

# Kerning inside a word ends it between two pixels: what follows is drawn there by matplotlib, and at the nearest here.
PLAIN = ["10 bins see 0.0000        27 of 12", "p = 0.05 ± 2 s.e.", "−7e−07 × 10⁻⁶", "kernel", "(terror)", "AV", "   "]
KERNED = ["true error 0.0255: AV, To, T. and first rows", "two lines\nof 12 and 0.5"]


def both(write):
    """Pixels by matplotlib's canvas, and by ours."""
    canvases = [canvas_class(new_figure(6, 2)) for canvas_class in (FigureCanvasAgg, QuickCanvas)]
    for canvas in canvases:
        write(canvas.figure)
        canvas.draw()
    return [np.array(canvas.buffer_rgba())[..., :3].astype(int) for canvas in canvases]


@pytest.mark.parametrize("line", PLAIN)
@pytest.mark.parametrize("style", [{}, {"fontsize": 9, "color": "#D55E00"}, {"weight": "bold", "color": (0, 0, 1, 0.5)},
                                   {"bbox": {"color": "yellow", "pad": 2}}, {"alpha": 0.6}], ids=str)
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


DATA = [0, 1, 1, 0, 1, 1], [0.1, 0.15, 0.7, 0.75, 0.9, 1.0]
FINDING = Finding("A headline", "what is drawn", "A sentence about it that says a lot, and then some more.")


def seen(png):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"))


def test_a_picture_brings_what_it_says():
    data, metadata = Picture(reliability_diagram(*DATA), FINDING)._repr_mimebundle_()
    stored = seen(data["image/png"])
    assert stored.shape[1] == 1000 and 1060 < stored.shape[0] < 1150  # 5 by 5 inches, two lines of words below
    assert data["text/plain"] == "A headline\nwhat is drawn\nA sentence about it that says a lot, and then some more."
    assert metadata["image/png"] == {"alt": f"A headline. what is drawn. {FINDING.sentence}", "width": 500}
    letters = (stored < 128).all(axis=2).any(axis=1)
    assert letters[:100].any() and letters[1010:].any()
    data, metadata = Picture(reliability_diagram(*DATA), Finding("A headline?", "what is drawn"))._repr_mimebundle_()
    assert seen(data["image/png"]).shape[:2] == (1000, 1000), "no room for a third sentence"
    assert data["text/plain"] == "A headline?\nwhat is drawn"
    assert metadata["image/png"]["alt"] == "A headline? what is drawn."


def test_a_stored_picture_looks_the_same_and_is_small():
    image = Image.fromarray(draw(reliability_diagram(*DATA))[..., :3].astype(np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "png")
    quick = packed(image)
    stored = repacked(quick)
    assert len(base64.b64decode(quick)) < len(buffer.getvalue())
    assert np.abs(np.asarray(image).astype(int) - seen(quick)).mean() < 1
    assert len(stored) < len(quick) and repacked(stored) == stored and (seen(quick) == seen(stored)).all()


def test_a_stored_picture_keeps_its_colours():
    pale, greys = [[200 + k % 8, 200 + k // 8, 190] for k in range(64)], [[20 + 3 * k] * 3 for k in range(64)]
    shades = np.array([pale, greys], np.uint8)
    assert np.abs(seen(packed(Image.fromarray(shades))) - shades.astype(int)).max() <= 1
