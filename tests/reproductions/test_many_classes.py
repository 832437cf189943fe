"""The simulation of many classes is `kce_test`'s statistic on labels redrawn, and its tests hold their level."""

import numpy as np
import pytest
from scipy.stats import binom

from calibtutor import laplacian, median_bandwidth
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.worlds import tempered_model
from calibtutor.kernels.pair_sums import skce_of_labels
from calibtutor.reproductions import many_classes as room
from calibtutor.reproductions.blocks import stored_summary


@pytest.mark.parametrize("d", [3, 40])  # a matrix product, and pairs of equal labels
def test_its_statistics_are_the_library_s(d):
    y, p = tempered_model(80, d, temperature=1.5, rng=0)
    labels = draw_labels(p, 5, 0, observed=y)
    confidence, hits = p.max(axis=1), labels == p.argmax(axis=1)[:, None]
    wanted = skce_of_labels(laplacian(median_bandwidth(p)), p, p, labels)
    np.testing.assert_allclose(room.canonical(p, labels), wanted, atol=1e-7)
    wanted = skce_of_labels(laplacian(median_bandwidth(confidence)), confidence, confidence, hits)
    np.testing.assert_allclose(room.of_top_label(confidence, hits), wanted, atol=1e-7)


def test_a_tempered_model_has_its_temperature_and_one_confidence():
    sure = [tempered_model(4000, d, rng=0)[1].max(axis=1).mean() for d in (3, 300)]
    assert abs(sure[0] - sure[1]) < 0.05
    y, p = tempered_model(20_000, 10, temperature=1.5, rng=1)
    loss = [-np.log((q := p ** (1 / t))[np.arange(len(y)), y] / q.sum(axis=1)).mean() for t in (1.4, 1.5, 1.6)]
    assert np.argmin(loss) == 1


def test_levels_hold_and_both_find_nearly_what_the_better_one_finds():
    cells = stored_summary("many_classes")["designs"].values()
    for cell in cells:
        n, shares = cell["data_sets"], {T: np.array(list(each.values())) for T, each in cell["rejected"].items()}
        assert (shares["1"] <= binom.ppf(1 - 1e-4, n, room.LEVEL)).all()
        for each in shares.values():
            assert each[2] >= each[:2].max() - 0.15 * n
    total = sum(np.array(list(cell["rejected"]["1"].values())) for cell in cells)  # 3,600 data sets
    low, high = binom.ppf([0.001, 0.999], sum(cell["data_sets"] for cell in cells), room.LEVEL)
    assert (low <= total).all() and (total <= high).all()
