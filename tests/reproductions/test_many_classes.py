"""The simulation of many classes: its tests are the library's and hold their level."""

import numpy as np
from scipy.stats import binom

from calibtutor import kce_test
from calibtutor.data.worlds import tempered_model
from calibtutor.reproductions import many_classes as room
from calibtutor.reproductions.blocks import stored_summary


def test_its_p_values_are_those_of_the_library_s_test():
    found = room.one_data_set("n = 300, d = 10", 4, seed=2, n_resamples=49)
    of_rows, of_labels = (np.random.default_rng([2, 8, 300, 10, 4, k]) for k in range(2))
    test = kce_test(*tempered_model(300, 10, temperature=1.1, rng=of_rows), n_resamples=49, rng=of_labels)
    assert found[3:6].tolist() == [*test.single_pvalues, test.pvalue]


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
