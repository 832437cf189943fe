"""A canvas for pictures that follow a slider: what matplotlib and Pillow make, in a third of the time.

Most of a redraw would be letters, which matplotlib shapes and renders anew, .1 ms apiece, and the PNG, for which
Pillow tries five filters a row; on a plot they buy nothing.
"""

import re
import struct
import zlib
from functools import lru_cache
from math import ceil, floor

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg

# Digits and spaces are never kerned, so a line is as long as its digits and the runs between them: numbers of any
# value are made of ten kept bitmaps. Tests hold matplotlib to it.
RUNS = re.compile(r"\d|\s|[^\d\s]+")
ROOM = 4  # pixels around a run, for letters that lean out of their boxes


class QuickCanvas(FigureCanvasAgg):
    """An Agg canvas that keeps the letters it has drawn."""

    def get_renderer(self):
        if getattr(self, "renderer", None) is None:
            self.renderer = QuickRenderer(*self.get_width_height(physical=True), self.figure.dpi)
        return self.renderer


class QuickRenderer(RendererAgg):
    """Draws level text from kept bitmaps, at whole pixels; all else as its parent does."""

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if ismath or angle or not gc.get_antialiased():
            return super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
        key, x, y = prop.copy(), floor(x + 0.5), floor(self.height - y + 0.5)
        for run in RUNS.findall(s):
            if not run.isspace():
                bitmap, below = _bitmap(run, key, self.dpi, tuple(gc.get_rgb()))
                self.draw_image(gc, floor(x + 0.5) - ROOM, y - below, bitmap)
            x += _measured(run, key, self.dpi)[0]  # a kerned run may be some 64ths longer than whole pixels

    def get_text_width_height_descent(self, s, prop, ismath):
        if ismath or not s:
            return super().get_text_width_height_descent(s, prop, ismath)
        key = prop.copy()
        widths, heights, descents = zip(*(_measured(run, key, self.dpi) for run in RUNS.findall(s)), strict=True)
        below = max(descents)
        return sum(widths), below + max(height - d for height, d in zip(heights, descents, strict=True)), below


@lru_cache(maxsize=4096)
def _measured(run, prop, dpi):
    """Width, height and descent in pixels."""
    return RendererAgg(1, 1, dpi).get_text_width_height_descent(run, prop, False)


@lru_cache(maxsize=2048)
def _bitmap(run, prop, dpi, colour):
    """A run as RGBA pixels, lowest row first as Agg takes them, ROOM on its left; how far they reach below the line."""
    width, height, descent = _measured(run, prop, dpi)
    below, above = ROOM + max(ceil(descent), 0), ROOM + ceil(max(height - descent, 0))
    renderer = RendererAgg(ceil(width) + 2 * ROOM, below + above, dpi)
    gc = renderer.new_gc()
    gc.set_foreground(colour, isRGBA=True)
    renderer.draw_text(gc, ROOM, above, run, prop, 0)
    return np.array(renderer.buffer_rgba())[::-1].copy(), below


def png(pixels):
    """A PNG of pixels (height, width, 3 or more): lossless, without filters and at zlib's fastest level.

    Every row begins with its filter, 0 (PNG specification, third edition, §9).
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    for k in range(3):
        rows[:, 1 + k :: 3] = pixels[..., k]  # three strided copies: a reshape to rows takes eight times as long
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB, not interlaced
    chunks = b"IHDR" + header, b"IDAT" + zlib.compress(rows, level=1), b"IEND"
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)
