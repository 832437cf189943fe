"""How often the test by clusters rejects in the stored run of reproductions/clusters.py, 500 data sets a cell or more.

One uniform number a cluster is the truth where labels are that number's; where they depend less nobody has proved it.
"""

import re
from functools import lru_cache, partial

import numpy as np
import pytest
from reproductions.clusters import CELLS, LEVELS, rejected
from scipy.stats import binom
from test_kce_size import allowed

from calibtutor import kce_test
from calibtutor.reproductions.blocks import stored_summary

SIZES = {name: cell for name, cell in CELLS.items() if cell.slope == 1}
PROMISED = {name: cell for name, cell in SIZES.items() if cell.labels != "equal by noise"}
# One uniform number a cluster is the truth; confident models leave few different data sets, hence ties.
EXACT = {name: cell for name, cell in PROMISED.items() if cell.rows == 1 or cell.labels == "equal"}
stored = lru_cache(partial(stored_summary, "reproductions.clusters"))


def excess(name):
    """F̂ − F at all levels that p-values of ranks can have."""
    counts = np.array(stored()["cells"][name]["counts"])
    return counts.cumsum() / counts.sum() - np.arange(1, len(counts) + 1) / len(counts)


def test_the_stored_sizes_are_never_above_the_level():
    rates = [(name, level, round(rejected(stored(), name, level) * CELLS[name].data_sets))
             for name in PROMISED for level in LEVELS]
    above = [each for each in rates if each[2] > binom.ppf(0.995, CELLS[each[0]].data_sets, each[1])]
    assert above == []


@pytest.mark.parametrize("name", PROMISED)
def test_the_stored_distribution_of_pvalues_is_inside_its_band(name):
    distance, most = excess(name), allowed(CELLS[name].data_sets)
    if name in EXACT:
        assert distance.max() <= most
        assert CELLS[name].predictions != "spread" or distance.min() >= -most  # confident models make ties
    else:  # labels that depend less: small p-values are fewer than they may be, at levels that nobody uses more
        assert "levels up to .3" in kce_test.__doc__
        assert distance[:60].max() < 0 and distance[60:].max() > most


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


def test_wrong_models_are_rejected():
    assert min(rejected(stored(), name) for name, cell in CELLS.items() if cell.slope != 1) > 0.15
