"""Matrices as colours."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.image import AxesImage
from matplotlib.transforms import IdentityTransform
from PIL import Image

from ...plots import KEPT, MISS

# Says too little, says too much; pale enough for words.
SIGNED = LinearSegmentedColormap.from_list(
    "signed", [[1 - 0.7 * (1 - c) for c in to_rgb(each)] for each in (KEPT, "white", MISS)])


class Heatmap(AxesImage):
    """A matrix as colours that fill their axes, row 0 at `y[0]` and column 0 at `x[0]`; `set_data` shows another.

    The cells are coloured, then enlarged by Pillow with one of its filters ("nearest": edges stay sharp); `imshow`
    resamples numbers, which takes many times as long.
    """

    def __init__(self, axes, shape, *, x=(0, 1), y=(0, 1), vmin=0, vmax=1, cmap="PuOr", enlarge="nearest"):
        super().__init__(axes, cmap=cmap, extent=(*x, *y), origin="lower", zorder=0)
        self.enlarge = Image.Resampling[enlarge.upper()]
        self.set_data(np.zeros(shape))
        self.set_clim(vmin, vmax)
        axes.add_image(self)
        axes.set(xlim=x, ylim=y)

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        """As `AxesImage`: pixels, their left and lower edge, and a transform that does nothing."""
        left, bottom, right, top = np.round(self.axes.bbox.extents).astype(int)
        cells = Image.fromarray(self.to_rgba(self.get_array(), bytes=True))
        picture = np.asarray(cells.resize((right - left, top - bottom), self.enlarge))
        upwards = picture[::-1] if self.axes.yaxis_inverted() else picture  # Agg takes the lowest row first
        return upwards.copy(), left, bottom, IdentityTransform()
