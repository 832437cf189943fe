"""Every cell has its colour, where it is."""

import numpy as np
import pytest
from drawn import draw

from calibtutor.lessons.shared.maps import Heatmap
from calibtutor.plots import new_figure


def cell_middles(figure, axes, shape):
    """The colours drawn in the middle of every cell of axes that are filled by a matrix, lowest row first."""
    picture = draw(figure)
    left, bottom, right, top = axes.bbox.extents
    rows = [len(picture) - 1 - int(bottom + (i + 0.5) / shape[0] * (top - bottom)) for i in range(shape[0])]
    columns = [int(left + (j + 0.5) / shape[1] * (right - left)) for j in range(shape[1])]
    return picture[np.ix_(rows, columns)]


@pytest.mark.parametrize("upside_down", [False, True])
def test_a_heatmap_shows_every_cell_where_it_is(upside_down):
    figure = new_figure(4, 3)
    axes = figure.add_subplot(facecolor="#00FF00")
    heatmap = Heatmap(axes, (3, 4), x=(0, 2), y=(5, 8), vmin=-1, vmax=1, cmap="PuOr")
    values = np.linspace(-1.2, 1.2, 12).reshape(3, 4)
    values[1, 2] = np.nan
    heatmap.set_data(values)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 2), (5, 8))
    if upside_down:
        axes.invert_yaxis()
    wanted = (heatmap.cmap(np.clip((values + 1) / 2, 0, 1))[..., :3] * 255).round()
    wanted[1, 2] = 0, 255, 0
    found = cell_middles(figure, axes, values.shape)
    np.testing.assert_allclose(found, wanted[::-1] if upside_down else wanted, atol=2)
