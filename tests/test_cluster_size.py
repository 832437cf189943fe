"""How often the test by clusters rejects, as stored and computed anew.

A null of one uniform number a cluster is the truth where labels are that number's, and nobody has proved that it is
enough where they depend less. So the stored run of reproductions/clusters.py has both, in 500 data sets a cell or more.
"""

import re
from functools import lru_cache, partial

import numpy as np
import pytest
from reproductions import clusters
from reproductions.clusters import CELLS, LEVELS, rejected
from scipy.stats import binom
from test_kce_size import allowed

from calibtutor import kce_test
from calibtutor.reproductions.blocks import stored_summary

SIZES = {name: cell for name, cell in CELLS.items() if cell.slope == 1}
PROMISED = {name: cell for name, cell in SIZES.items() if cell.labels != "equal by noise"}
# One uniform number a cluster is the truth; confident models leave few different data sets, hence ties.
EXACT = {name: cell for name, cell in PROMISED.items() if cell.rows == 1 or cell.labels == "equal"}
CONTINUOUS = {name: cell for name, cell in EXACT.items() if cell.predictions == "spread"}
stored = lru_cache(partial(stored_summary, "reproductions.clusters"))


def counts_of(name):
    return np.array(stored()["cells"][name]["counts"])


def excess(counts):
    """F̂ − F at all levels that p-values of ranks can have."""
    return counts.cumsum() / counts.sum() - np.arange(1, len(counts) + 1) / len(counts)


# --- calibrated ---


def test_the_stored_sizes_are_never_above_the_level():
    rates = [(name, level, round(rejected(stored(), name, level) * CELLS[name].data_sets))
             for name in PROMISED for level in LEVELS]  # fmt: skip
    above = [each for each in rates if each[2] > binom.ppf(0.995, CELLS[each[0]].data_sets, each[1])]
    assert above == []


@pytest.mark.parametrize("name", EXACT)
def test_the_stored_distribution_of_pvalues_is_inside_its_band(name):
    distance = excess(counts_of(name))
    assert distance.max() <= allowed(CELLS[name].data_sets)
    if name in CONTINUOUS:
        assert distance.min() >= -allowed(CELLS[name].data_sets)


@pytest.mark.parametrize("name", [name for name in PROMISED if name not in EXACT])
def test_labels_that_depend_less_make_pvalues_crowd_in_the_middle(name):
    # Small ones are fewer than they may be, at levels that nobody uses there are more.
    assert "levels up to .3" in kce_test.__doc__
    distance = excess(counts_of(name))
    assert distance[:60].max() < 0 and distance[60:].max() > allowed(CELLS[name].data_sets)


def test_independent_labels_cost_size():
    dependent = {name: cell for name, cell in PROMISED.items() if cell.rows > 1 and cell.labels != "equal"}
    for name, cell in dependent.items():
        assert rejected(stored(), name) < (0.02 if cell.labels == "independent" else 0.05), name


def test_the_docstring_says_how_often_labels_equal_by_noise_are_rejected():
    # With more than two classes, labels may be more alike than those of one uniform number.
    noise = [name for name, cell in SIZES.items() if cell.labels == "equal by noise"]
    said = re.search(r"up to (\.\d+) \(five classes\) and (\.\d+) \(ten\)", " ".join(kce_test.__doc__.split())).groups()
    for classes, rate in zip((5, 10), said, strict=True):
        rates = [rejected(stored(), name) for name in noise if CELLS[name].classes == classes]
        assert float(rate) - 0.001 < max(rates) <= float(rate), classes
    # Above the level beyond doubt, where many rows share the noise.
    for name in ("5 classes, 200 × 10, spread, equal by noise", "10 classes, 50 × 10, spread, equal by noise"):
        assert rejected(stored(), name, 0.1) > binom.ppf(0.999, 2000, 0.1) / 2000


# --- computed anew, on other data ---


@pytest.mark.parametrize("data_sets", [40, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [
    "2 classes, 50 × 4, confident, equal", "2 classes, 50 × 4, spread, half dependent",
    "5 classes, 50 × 4, spread, equal", "5 classes, 50 × 10, confident, half dependent",
])  # fmt: skip
def test_the_size_is_at_most_the_level(name, data_sets):
    ranks = np.array([clusters.one_data_set(name, number, seed=1)[0] for number in range(data_sets)]) * 200
    counts = np.bincount(np.round(ranks).astype(int), minlength=201)[1:]
    assert excess(counts)[: 200 if name in EXACT else 60].max() <= allowed(data_sets)
    for level in LEVELS:
        assert counts[: round(200 * level)].sum() <= binom.ppf(0.995, data_sets, level)


def test_wrong_models_are_rejected():
    assert min(rejected(stored(), name) for name, cell in CELLS.items() if cell.slope != 1) > 0.15
