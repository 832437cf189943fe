"""What other tools report, by their definitions, and each p by redrawn labels."""

import numpy as np
import pytest
from audit_tables import drawn, evidence, panel
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from calibtutor.audit import cells
from calibtutor.audit.peers import grid_columns, others
from calibtutor.estimates.smooth import smooth_error

NAMES = ["Kolmogorov–Smirnov", "Kuiper", "Spiegelhalter, z", "ICI", "smooth ECE", "CORP, miscalibration"]


def reported(y, p, weights=None, cluster=None, n_resamples=19, rng=0):
    """The table, by the name of the statistic."""
    rows = panel(y, p, weights, cluster)
    table = others(evidence(rows, rng, n_resamples, tables=grid_columns(rows))).table
    assert table["statistic"].tolist() == NAMES
    return table.set_index("statistic")


def by_hand(y, p, w):
    order = np.argsort(p)
    last = np.r_[np.diff(p[order]) > 0, True]  # of equal ones
    sums = np.r_[0, np.cumsum((w * (y - p) / w.sum())[order])[last]]
    z = sum(w * (y - p) * (1 - 2 * p)) / np.sqrt(sum(w**2 * (1 - 2 * p) ** 2 * p * (1 - p)))
    fitted, smooth = IsotonicRegression().fit(p, y, w).predict(p), smooth_error(p, w * (y - p) / w.sum())
    spared = np.average((y - p) ** 2 - (y - fitted) ** 2, weights=w)
    return [np.abs(sums).max(), np.ptp(sums), z, np.average(abs(fitted - p), weights=w), smooth, spared]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["distinct", "a digit", "rare", "all but equal"])
def test_the_statistics_are_those_of_their_definitions(name, weighted):
    rng = np.random.default_rng(5)
    p = {"distinct": rng.random(120), "a digit": rng.random(120).round(1), "rare": rng.beta(0.5, 12, 120),
         "all but equal": np.where(np.arange(120) < 113, 0.2, rng.random(120))}[name]
    y, w = (rng.random(120) < p**1.4).astype(int), rng.random(120) + 0.2 if weighted else np.ones(120)
    found, wanted = reported(y, p, w)["value"], by_hand(y, p, w)
    for statistic, value in zip(NAMES, wanted, strict=True):
        assert found[statistic] == pytest.approx(value, abs=1e-4), statistic
    order = rng.permutation(120)
    again = reported(y[order], p[order], w[order])["value"]
    assert again.to_numpy() == pytest.approx(found.to_numpy(), abs=1e-4)  # ties know no order


def test_the_example_of_the_paper_and_what_is_certain():
    y, p = np.array([0, 1, 0, 1, 0]), np.array([0.1, 0.9, 0.21, 0.9, 0.5])
    found = reported(y, p)["value"].to_numpy()[:2] / (np.sqrt((p * (1 - p)).sum()) / 5)
    assert found == pytest.approx([0.978, 0.978], abs=1e-3)  # without C_0 = 0 a range would be below its maximum (.857)
    for sure in (np.array([0.0, 1.0] * 20), np.full(40, 0.5)):  # nothing is divided by 0
        assert np.isfinite(reported(np.arange(40) % 2, sure)[["value", "p"]].to_numpy()).all()


def test_of_more_than_a_thousand_predictions_nearly_equal_ones_are_one():
    rng = np.random.default_rng(1)
    p = rng.beta(0.7, 2, 4000)
    y = (rng.random(4000) < expit(0.7 * np.log(p / (1 - p)))).astype(int)
    few = grid_columns(panel(y[:1000], p[:1000]))[0]
    assert grid_columns(panel(y, p))[0].shape[1] == cells.ALONG == few.shape[1] and (few.sum(axis=0) == 1).all()
    found, wanted = reported(y, p)["value"].to_numpy(), by_hand(y, p, np.ones(4000))
    assert found == pytest.approx(wanted, rel=0.02, abs=5e-4)
    assert found[2] == pytest.approx(wanted[2], rel=1e-4)  # of the rows themselves


def test_the_top_label_of_many_classes_is_what_they_are_about():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.full(4, 0.5), 400)
    y = rng.integers(4, size=400)
    top, hit = p.max(axis=1), (y == p.argmax(axis=1)).astype(int)
    assert reported(y, p)["value"].to_numpy() == pytest.approx(reported(hit, top)["value"].to_numpy(), abs=1e-6)


@pytest.mark.parametrize("sets", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["distinct", "a digit", "weights", "clusters"])
def test_each_p_is_that_of_a_calibrated_model(kind, sets, n=80):
    found = []
    for seed in range(sets):
        rng = np.random.default_rng([seed, 31])
        p, u, cluster = rng.beta(0.8, 1.5, n), rng.random(n), None
        p = p.round(1) if kind == "a digit" else p
        if kind == "clusters":
            cluster = np.arange(n) // 2
            u = u[::2][cluster]
        weights = rng.random(n) + 0.1 if kind == "weights" else None
        found.append(reported((u < p).astype(int), p, weights, cluster, rng=rng)["p"].to_numpy())
    for level in (0.1, 0.25, 0.5):  # of 19 draws each twentieth is possible
        spread = np.sqrt(level * (1 - level) / sets)
        share = (np.array(found) <= level + 1e-9).mean(axis=0)
        assert (share <= level + 3.5 * spread).all(), (kind, level, share)
        assert kind != "distinct" or (share >= level - 3.5 * spread).all(), (level, share)


def test_what_is_wrong_has_a_small_p_and_lies_beyond_chance():
    rng = np.random.default_rng(0)
    p = rng.random(600)
    table = reported(drawn(rng, p**2), p, n_resamples=199)
    blind = table.index == "Spiegelhalter, z"  # what is too high at .2 and at .8 cancels
    outside = (table["value"] > table["chance_high"]) | (table["value"] < table["chance_low"])
    assert (table["p"] <= 0.05).tolist() == outside.tolist() == (~blind).tolist()
    assert (table["chance_low"] <= table["chance_high"]).all()
    assert table["p"]["Kuiper"] == 0.005 and table["p"]["ICI"] == 0.01  # of 199 draws, and of 99
