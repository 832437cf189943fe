"""What pictures leave for readers without a kernel; what a derivation leaves is in `derive`."""

import base64
import html
import io
import textwrap
import weakref

import ipywidgets as widgets
from IPython import get_ipython
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from ..plots import SMALL, SOFT, headline
from .source import folded, several, source

STILL_DPI, LETTERS = 200, 12.2  # of a still; letters an inch of a line of SMALL type


class WithStill:
    """Mixin of a widget whose `still()` gives its twin for the page, as (data, metadata) by MIME type."""

    _last_shown = None, 0  # of all of them, and in which cell: what stands before the next one

    def _repr_mimebundle_(self, include=None, exclude=None):
        """The live widget and, in the same output, its still twin."""
        shell, (before, there) = get_ipython(), WithStill._last_shown
        here = shell.execution_count if shell else 0
        if before and here - there <= 1:  # else another cell stood between
            self.follows(before())
        WithStill._last_shown = weakref.ref(self), here
        still, about = self.still()
        return super()._repr_mimebundle_(include=include, exclude=exclude) | still, about

    def follows(self, before):
        """Called when it is shown, with what was shown in the same cell or the one before."""


class Picture(WithStill, widgets.VBox):
    """A still figure for a notebook, with a `Finding` that says what it shows and, folded, its code.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Of `new_figure`; the headline is added.
    finding : Finding
        What it shows.
    code : callable, or sequence of callables
        The functions that compute what is drawn.
    """

    def __init__(self, figure, finding, code=()):
        self.figure, self.finding, self.computed_by, self.code = figure, finding, several(code), source(code)
        headline(figure, *finding[:2])
        data, metadata = self._still = still_twin(figure, finding)
        about = metadata["image/png"]
        image = widgets.HTML(f'<img src="data:image/png;base64,{data["image/png"]}" alt="{html.escape(about["alt"])}" '
                             f'style="width:{about["width"]}px;max-width:100%">{folded(self.code)}')
        super().__init__([image], _dom_classes=("calibtutor",))

    def still(self):
        return self._still


def still_twin(figure, finding):
    """A figure as a notebook stores it, its sentence written below."""
    parts = [pixels(figure)]
    width, _ = figure.get_size_inches()
    if lines := textwrap.wrap(finding.sentence, int(width * LETTERS)):
        below = Figure(figsize=(width, 0.21 * len(lines) + 0.2))
        below.text(0.1 / width, 0.97, "\n".join(lines), size=SMALL, color=SOFT, va="top", linespacing=1.35)
        parts.append(pixels(below))
    whole = Image.new("RGB", (parts[0].width, sum(part.height for part in parts)), "white")
    for place, part in enumerate(parts):
        whole.paste(part, (0, place * parts[0].height))
    words = "\n".join(filter(None, finding))
    shown = {"alt": finding.words, "width": round(100 * width)}
    return {"image/png": packed(whole), "text/plain": words}, {"image/png": shown}


def pixels(figure, dpi=STILL_DPI):
    """A figure as an image."""
    canvas, before = figure.canvas, figure.dpi
    agg = FigureCanvasAgg(figure)
    figure.dpi = dpi
    agg.draw()  # once; `savefig` goes over every text twice
    image = Image.frombuffer("RGBA", agg.get_width_height(), agg.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB")
    figure.dpi = before
    figure.set_canvas(canvas)
    for text in figure.findobj(Text):  # each keeps what drew it last: 6 MB a picture, 20 a derivation
        text._renderer = None
    return image


def packed(image):
    """An image as PNG in base64, fast: in 256 colours that keep rare ones; fewer would turn pale greys pink."""
    return _png(image.quantize(256, method=Image.Quantize.MAXCOVERAGE), 6)


def repacked(png):
    """The same picture in fewer bytes, which takes eight times as long: for a notebook that is stored."""
    return _png(Image.open(io.BytesIO(base64.b64decode(png))), 9)


def _png(image, level):
    buffer = io.BytesIO()
    image.save(buffer, "png", compress_level=level)
    return base64.b64encode(buffer.getvalue()).decode()
