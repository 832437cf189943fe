"""Claims of the lesson bounds."""

import math
from itertools import product

import numpy as np
import pytest
from claim import claim
from rejections import full_size, h_of, size, within_chance
from seeds import mean_within

from calibtutor import kce_test, laplacian, median_bandwidth
from calibtutor.data.worlds import calibrated_model, mixed_widmann_model
from calibtutor.lessons.shared import simulations as of_simulations
from calibtutor.lessons.shared.pvalues import raises_false_alarms
from calibtutor.pvalues import bound_pvalue
from calibtutor.reproductions import widmann
from calibtutor.reproductions.blocks import stored_summary


@claim(
    "further/01_bounds_and_approximations",
    "$D_b$ needs well over 1,000 predictions before it rejects, the others over 200,000.",
    "$n$ must be of order $1/\\mathrm{SKCE}$ for $D_b$, but $1/\\mathrm{SKCE}^2$ for the others.",
)
@claim("bounds/exercises", "from how many predictions on is it below .05?", "about 200", "about 2,000",
       "over 200,000")  # fmt: skip
def test_predictions_that_the_bounds_need():
    error, own = of_simulations.true_skce("M3", 10), 0.55 + 1 - 2 / 10  # E‖δ‖² = E‖p‖² + 1 − 2 E p_Y

    def needed(error, biased):
        low, high = 2, 10**8
        while high - low > 1:
            n = (low + high) // 2
            expected = error + (own - error) / n if biased else error
            low, high = (low, n) if bound_pvalue(expected, n, 2, biased=biased) <= 0.05 else (n, high)
        return high

    assert 1_300 < needed(error, biased=True) < 1_500
    assert 200_000 < needed(error, biased=False) < 215_000
    assert needed(error / 2, biased=True) == pytest.approx(2 * needed(error, biased=True), rel=0.01)
    assert needed(error / 2, biased=False) == pytest.approx(4 * needed(error, biased=False), rel=0.01)


@claim(
    "bounds/exercises",
    "It is exp(−⌊n/2⌋ · SKCE²/8), and the SKCE is .015.",
    "In the 10,000 data sets of section 4, with n = 250, it rejects not once, and the exact test always.",
)
@claim("further/01_bounds_and_approximations", "For example, $n = 250$, $H = 2$ and $t = .015$ give .996.")
@claim(
    "further/01_bounds_and_approximations",
    "at $n = 250$, $D_{uq}$ and $D_{ul}$ reject none of the poster's data sets.",
)
def test_a_bound_is_blind_to_m3():
    found = full_size()["M3"]
    assert stored_summary("widmann")["n"] == 250 and found["data_sets"] == 10_000
    assert size("M3", "D_uq") == 0 and size("M3", "exact") == 1
    assert size("M2", "D_uq") == size("M2", "D_ul") == size("M3", "D_ul") == 0
    assert round(found["estimates"]["SKCE_uq"]["truth"], 3) == 0.015
    assert round(bound_pvalue(0.015, 250, 2, biased=False), 3) == round(math.exp(-125 * 0.015**2 / 8), 3) == 0.996


@claim(
    "further/01_bounds_and_approximations",
    "For the coin there is one eigenvalue that is not 0: $\\mu_1 = \\tfrac12$, with $u_1 = 1$ for heads and $-1$ for "
    "tails.",
    "Then $n\\,\\mathrm{SKCE}_{uq} = \\frac{n}{n-1}\\,\\tfrac12\\,(W_1^2 - 1)$.",
    "predict .5 for a fair coin: heads have $h = \\tfrac12$ with heads and $-\\tfrac12$ with tails, which is 0 on "
    "average.",
)
def test_the_coins_eigenvalue(seeds):
    n = 30
    y, p = seeds.rng(18).integers(0, 2, n), np.full((n, 2), 0.5)
    h, W = h_of(y, p, laplacian(0.5)), (2 * y - 1).sum() / np.sqrt(n)
    assert (h == np.where(y[:, None] == y, 0.5, -0.5)).all()
    assert (h.sum() - np.trace(h)) / (n - 1) == pytest.approx(n / (n - 1) * 0.5 * (W**2 - 1))
    assert np.linalg.eigvalsh(np.array([[0.5, -0.5], [-0.5, 0.5]]) / 2) == pytest.approx([0, 0.5])


@claim(
    "further/01_bounds_and_approximations",
    "An ordinary bootstrap gets the law wrong, because on the data $h$ does not have mean 0.",
)
def test_an_ordinary_bootstrap_is_too_wide(seeds):
    ordinary, centred, n = [], [], 100
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        y, p = mixed_widmann_model(0, n, n_classes=3, rng=rng)
        k = laplacian(median_bandwidth(p))
        h = h_of(y, p, k)
        counts = rng.multinomial(n, np.full(n, 1 / n), 199)
        drawn = ((counts @ h * counts).sum(axis=1) - counts @ np.diag(h)) / (n * (n - 1))
        of_labels, of_rows = (
            kce_test(y, p, kernel=k, n_resamples=199, rng=rng, **method).null_distribution.std()
            for method in ({}, {"method": "asymptotic"})
        )
        ordinary.append(drawn.std() / of_labels)
        centred.append(of_rows / of_labels)
    assert mean_within(ordinary, 1.5, 2.3) and mean_within(centred, 0.9, 1.2)


@claim(
    "further/01_bounds_and_approximations",
    "$$T = \\frac{n}{n-1}\\,\\mathrm{SKCE}_{uq} - \\mathrm{SKCE}_b \\quad\\text{with}\\quad "
    "T' = \\frac{1}{n^2}\\sum_i N_i \\sum_j \\Big(\\frac{n}{n-1}\\,(N_j - 1[i = j]) - 2\\Big)\\, h_{ij}$$",
    "$R$ is again a rank.",
)
def test_the_formula_of_the_bootstrap(seeds):
    """It is what `kce_test` computes; the derivation shows what it is, and its mean."""
    for seed in seeds(20):
        n, k = 40, laplacian(0.5)
        y, p = mixed_widmann_model(0.5, n, n_classes=3, rng=seeds.rng(20, seed))
        h = h_of(y, p, k)
        found = kce_test(y, p, kernel=k, method="asymptotic", n_resamples=99, rng=seed)
        counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), 99)
        bracket = n / (n - 1) * (counts[:, None, :] - np.eye(n)) - 2
        drawn = np.einsum("bi,bij,ij->b", counts, bracket, h) / n**2
        np.testing.assert_allclose(found.null_distribution, drawn, atol=1e-12)
        T = n / (n - 1) * (h.sum() - np.trace(h)) / (n * (n - 1)) - h.mean()
        assert found.statistic == pytest.approx(T)
        assert found.pvalue == pytest.approx((1 + np.sum(drawn >= T)) / 100)


@claim(
    "further/01_bounds_and_approximations",
    "The ECE of the calibrated M1 is never near 0. Try the unbiased SKCE, and M2, M3: it is on target for all three.",
)
@claim("further/01_bounds_and_approximations", "With cells as they are meant it is far too large for all three models")
@claim("further/01_bounds_and_approximations", "only then does the ECE err to both sides, as the poster says")
def test_estimates_at_full_size():
    assert full_size()["M1"]["estimates"]["ECE"]["first_edge"] > 0.3
    collided = []
    for model in ("M1", "M2", "M3"):
        of = full_size()[model]["estimates"]
        assert of["ECE"]["mean"] > of["ECE"]["truth"] + 0.15
        collided.append(of["ECE, colliding cells"]["mean"] - of["ECE"]["truth"])
        error = of["SKCE_uq"]["sd"] / np.sqrt(full_size()[model]["data_sets"])
        assert abs(of["SKCE_uq"]["mean"] - of["SKCE_uq"]["truth"]) < 3.5 * error + 0.005 * of["SKCE_uq"]["truth"]
    assert min(collided) < -0.1 and max(collided) > 0.05


@claim(
    "further/01_bounds_and_approximations",
    "On near-deterministic ones $A_{uq}$ rejects 19 % of the data sets and $A_l$ 34 %.",
    "About 19 % is also the share of data sets in which no label contradicts the model's first answer",
    "Choose “exact ones”: 5 % on every calibrated model.",
    "Then “consistency resampling” of M1, where predictions are redrawn too: 100 % with the ECE, but 4.5 % with "
    "$\\mathrm{SKCE}_{uq}$.",
)
def test_approximations_fail_for_near_certain_predictions(seeds):
    assert [round(size("near-deterministic", test), 2) for test in ("A_uq", "A_l")] == [0.19, 0.34]
    for model, test in product(("M1", "heteroscedastic", "near-deterministic"), ("exact", "aggregated", "exact ECE")):
        assert within_chance(size(model, test), full_size()[model]["data_sets"], 0.05), (model, test)
    share = [calibrated_model("near-deterministic", 250, rng=seed)[1].max(axis=1).prod() for seed in seeds(100)]
    assert mean_within(share, 0.185, 0.195)  # the chance that no label contradicts, given the predictions
    assert size("M1", "C") == 1 and round(size("M1", "C with SKCE_uq"), 3) == 0.045


@claim("bounds/full_size", "None of these … tests rejects too often, up to α = 20%")
def test_a_test_may_reject_too_often_at_larger_levels():
    """C, colliding cells, on near-deterministic predictions: above what chance does, but only at larger levels."""
    later, n_sets = [], full_size()["near-deterministic"]["data_sets"]
    for test in ("C", "C, colliding cells", "C with SKCE_uq"):
        share = np.array(full_size()["near-deterministic"]["rejected"][test])
        levels = np.linspace(0, 1, len(share))
        assert not raises_false_alarms(levels[:41], share[:41], n_sets)
        later.append(raises_false_alarms(levels, share, n_sets))
    assert any(later)


@claim("further/01_bounds_and_approximations", "They agree within 2.6 standard errors of simulation")
def test_ours_and_the_published_agree():
    apart = []
    for k, model in enumerate(("M1", "M2", "M3")):
        spread = np.sqrt(1 / full_size()[model]["data_sets"] + 1 / 10_000)
        for name, published in widmann.PUBLISHED["means"].items():
            of = full_size()[model]["estimates"][name]
            apart.append(abs(of["mean"] - published[k]) / (of["sd"] * spread))
        for test, published in widmann.PUBLISHED["rejected at .05"].items():
            if published[k] is None or size(model, test) == published[k]:
                continue
            pooled = (size(model, test) + published[k]) / 2
            apart.append(abs(size(model, test) - published[k]) / (np.sqrt(pooled * (1 - pooled)) * spread))
    assert 2.4 < max(apart) <= 2.6
