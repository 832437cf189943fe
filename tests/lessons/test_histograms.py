"""Histograms of lesson 02 show the numbers they are given, and their words stay apart."""

import itertools

import numpy as np
import pytest
from drawn import boxes, draw, texts

from calibtutor.lessons.bins.histograms import Histogram
from calibtutor.lessons.shared.verdicts import written
from calibtutor.plots import new_figure


def test_a_histogram_counts_and_keeps_what_is_out_of_range():
    figure = new_figure(6, 3)
    histogram = Histogram(figure.add_subplot(), np.linspace(0, 1, 5), xlabel="ECE")
    histogram.update([-3, 0.1, 0.3, 0.6, 0.9, 0.95, 2, 7], 0.25, 0.7)
    heights = boxes(histogram.bars)[:, 3]
    np.testing.assert_allclose(heights / heights.max(), np.array([2, 1, 1, 4]) / 4)
    assert heights.max() < 1
    assert (list(histogram.truth.get_xdata()), list(histogram.mean.get_xdata())) == ([0.25] * 2, [0.7] * 2)
    assert {"ECE", "truth 0.250", "mean 0.700", "bias +0.450"} <= set(texts(figure))
    np.testing.assert_allclose(np.array(histogram.bias.get_segments())[0, :, 0], [0.25, 0.7])
    histogram.update([0.6, 0.9], 0.7, 0.25)
    assert "bias −0.450" in texts(figure)
    outline = np.column_stack(histogram.outline.get_data())
    np.testing.assert_allclose(outline[[0, -1]], [[0.5, 0], [1, 0]])  # from the first full cell to the last


@pytest.mark.parametrize(("truth", "mean"), [(0, 0.1), (0.1, 0), (0.5, 0.51), (0.51, 0.5), (1, 0.9), (0.9, 1)])
def test_a_histograms_names_stay_in_its_panel(truth, mean):
    figure = new_figure(9, 4)
    histogram = Histogram(figure.add_subplot(), np.linspace(0, 1, 5))
    histogram.update([0.1], truth, mean)
    draw(figure)
    panel, names = histogram.axes.bbox, [each.get_window_extent() for each in histogram.names]
    for name in names:
        assert panel.x0 <= name.x0 and name.x1 <= panel.x1
    assert not any(one.overlaps(other) for one, other in itertools.combinations(names, 2))


def test_a_number_is_written_with_a_real_minus_and_no_sign_at_zero():
    assert [written(x) for x in (0, 0.25, -0.25, -0.0001)] == ["0", "0.250", "−0.250", "0.000"]
    assert [written(x, 2, sign="+") for x in (0.25, -0.25, 0.001)] == ["+0.25", "−0.25", "0.00"]
