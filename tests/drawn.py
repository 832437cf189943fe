"""What a figure shows, for the tests of pictures."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


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
