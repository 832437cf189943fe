"""What landmarks cost in power: the stored run is this code's, and `landmarks` says what it found."""

import re
from functools import lru_cache, partial

import numpy as np
from reproductions import landmarks
from reproductions.landmarks import DESIGNS, FACTORS, power

import calibtutor
from calibtutor import kce_test, laplacian, median_bandwidth
from calibtutor.data.worlds import mixed_widmann_model
from calibtutor.reproductions.blocks import stored_summary

stored = lru_cache(partial(stored_summary, "reproductions.landmarks"))
TILTED = [name for name in DESIGNS if name.startswith("towards")]


def lost(name, rank):
    """Power of the kernel less that of its landmarks, the larger of both bandwidths."""
    return max(power(name, factor, "exact") - power(name, factor, rank) for factor in FACTORS)


# --- one data set ---


def test_one_data_set_holds_the_pvalues_of_kce_test():
    name = "towards M3, n = 250"
    of_data, of_labels, of_landmarks = landmarks.streams(name, 3, 1)
    y, p = mixed_widmann_model(0.25, 250, towards="M3", rng=of_data)
    exact, wanted = [laplacian(factor * median_bandwidth(p)) for factor in (0.5, 1)], {}
    few = [calibtutor.landmarks(kernel, p, rank=rank, rng=of_landmarks) for kernel in exact for rank in (32, 64, 128)]
    for kernels, kinds in ((exact, ["exact"]), (few, [32, 64, 128])):
        found = iter(kce_test(y, p, kernel=kernels, n_resamples=39, rng=of_labels).single_pvalues)
        wanted |= {f"{factor} × median, {kind}": next(found) for factor in ("0.5", "1") for kind in kinds}
    found = landmarks.one_data_set(name, 3, seed=1, n_resamples=39)
    assert dict(zip(DESIGNS[name].columns, found, strict=True)) == wanted


# --- what is stored ---


def test_the_tilted_worlds_leave_something_to_lose():
    assert len(TILTED) == 6
    for name in TILTED:
        assert all(0.2 < power(name, factor, "exact") < 0.95 for factor in FACTORS), name


def test_the_docstring_says_how_much_power_is_lost():
    said = " ".join(calibtutor.landmarks.__doc__.split())
    found = re.search(r"256 landmarks lost at most (\.\d+) at n = 1,000 and (\.\d+) at n = 4,000, "
                      r"64 lost at most (\.\d+) and 32 up to (\.\d+)", said)  # fmt: skip
    at_1000, at_4000, few, fewer = (float(number) for number in found.groups())
    of_size = lambda n: [name for name in TILTED if DESIGNS[name].n == n]
    worst = {
        at_1000: [lost(name, 256) for name in of_size(1000)],
        at_4000: [lost(name, 256) for name in of_size(4000)],
        few: [lost(name, 64) for name in TILTED],
        fewer: [lost(name, 32) for name in TILTED if 32 in DESIGNS[name].ranks],
    }
    for bound, losses in worst.items():
        assert bound - 0.02 < max(losses) <= bound + 1e-12
    # In the poster's own worlds nothing is lost.
    assert all(power(name, 1, rank) == 1 for name in DESIGNS if name not in TILTED for rank in DESIGNS[name].ranks)


def test_the_loss_at_many_rows_is_no_more_than_their_noise():
    for name in TILTED:
        each = stored()["designs"][name]
        for column in DESIGNS[name].columns:
            exact, rank = column.split(",")[0] + ", exact", column.split(", ")[1]
            difference = each["rejected"][exact] - each["rejected"][column]
            if rank in ("128", "256", "1024"):  # √ of how many differ: the standard error of their difference
                assert difference <= 2.6 * np.sqrt(each["differ"][column]), (name, column)
