"""What a figure shows, for the tests of pictures."""

import ipywidgets as widgets
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

MAX_OPTIONS = 8


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


def ends(control):
    """The values a control is swept over: all of a short list, the next two clicks, both ends of anything else."""
    if isinstance(control, widgets.Button):
        return [control.value + 1, control.value + 2]
    if hasattr(control, "options"):
        options = [each[1] if isinstance(each, tuple) else each for each in control.options]  # (text, value) or value
        return options if len(options) <= MAX_OPTIONS else [options[0], options[-1]]
    return [control.min, control.max] if hasattr(control, "min") else [True, False]
