"""The paper's tables on our networks: each number is the one that its column names, and counts are counts."""

from itertools import product

import numpy as np
import pytest

from calibtutor import calibration_risk, expected_calibration_error, fit_kde, top_label
from calibtutor.data.networks import DATA, NETWORKS, network_predictions
from calibtutor.reproductions import networks as room
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.teach.notebooks import NOTEBOOKS


@pytest.mark.parametrize("design", ["CIFAR-10, top-label, Wide ResNet-32", "CIFAR-100, canonical, LeNet-5"])
def test_a_row_is_what_the_paper_prints_of_five_folds(design):
    data, notion, network = room.DESIGNS[design]
    rows = room.one_data_set(design, 4, seed=2, images=600).reshape(-1, len(room.COLUMNS))
    table = dict(zip(room.ESTIMATORS[notion], rows.tolist(), strict=True))
    said = network_predictions(network, data=data)
    y, p = said.y_true[:600], said.y_prob[:600]
    y, p = top_label(y, p) if notion == "top-label" else (y, p)
    order, roots, squares = np.random.default_rng([2, 4]).permutation(600), [], []
    for part in np.array_split(order[:480], 5):
        rest = np.setdiff1d(order[:480], part)
        h = fit_kde(y[rest], p[rest], bandwidth=table["kde"][-1])
        roots.append(100 * calibration_risk(h, y[part], p[part]) ** 0.5)
        squares.append(h.diagonal(p[order[480:]]).mean())
    found = np.mean(roots), np.std(roots, ddof=1) / 5**0.5, np.mean(squares)
    np.testing.assert_allclose(table["kde"][:3], found, rtol=1e-4)
    assert min(row[4] for row in table.values()) == table["h = 0"][2] == 0


def test_a_summary_counts_splits_and_stands_beside_the_paper():
    one = np.zeros((4, len(room.COLUMNS)))
    one[:, 0], one[:, 4], one[:, 5] = (5.0, 4.0, 3.0, 2.0), (4, 3, 2, 0), (1, 1, 1, 0)  # h = 0, kde, kkr, ukkr
    both = np.array([one, one])
    both[1, :, 4] = (0, 3, 2, 1)
    summary = room.summarise({f"CIFAR-10, canonical, {each}": both.reshape(2, -1) for each in NETWORKS})
    found = summary["designs"]["CIFAR-10, canonical, LeNet-5"]
    assert found["best"] == {"h = 0": 1, "kde": 0, "kkr": 0, "ukkr": 1}
    assert found["told apart"] == {"h = 0": 1, "kde": 2, "kkr": 0, "ukkr": 1}
    assert found["below"]["ukkr"] == {"h = 0": 1, "kde": 2, "kkr": 2, "ukkr": 0}
    assert found["mean"]["kde"]["root_risk"] == 4 and found["sd"]["h = 0"]["worse_by"] == 2.82843
    table = room.beside_published("CIFAR-10", "canonical", summary)
    assert table.loc["kde", "LeNet-5"] == "4.000 (13.53)" and table.loc["h = 0", "ResNet-110 SD"] == "5.000"


def test_which_orderings_agree_over_ten_splits():
    text, far = " ".join((NOTEBOOKS / "README.md").read_text(encoding="utf-8").split()), {}
    assert "ukkr has a smaller risk than 15 bins in all ten splits of each network's images." in text
    assert "in all splits of the five networks with an ECE above .03, and in none of the other five." in text
    for data, network in product(DATA, NETWORKS):
        said = network_predictions(network, data=data)
        designs = stored_summary("networks")["designs"]
        below, whole = designs[f"{data}, top-label, {network}"]["below"], designs[f"{data}, canonical, {network}"]
        far[data, network] = expected_calibration_error(said.y_true, said.y_prob) > 0.03
        assert below["ukkr"]["15 bins"] == 10 and below["15 bins"]["h = 0"] == 10 * far[data, network]
        assert {whole["below"][name]["kde"] for name in ("kkr", "ukkr")} == {whole["data_sets"]}
    kde, kkr, ukkr = room.PUBLISHED["CIFAR-100", "canonical"]
    assert "in print kde leads in three columns of table 3, by .02 at most" in text and sum(far.values()) == 5
    leads = np.minimum(kkr, ukkr) - np.array(kde)
    assert (leads > 0).sum() == 3 and round(leads.max(), 2) == 0.02
