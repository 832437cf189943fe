"""Claims of the lesson bounds."""

import math
from itertools import product

import numpy as np
import pytest
from claim import claim
from rejections import full_size, h_of, size
from seeds import mean_within

from calibtutor import kce_test, laplacian
from calibtutor.chance.pvalues import bound_pvalue
from calibtutor.data.worlds import calibrated_model, mixed_widmann_model
from calibtutor.lessons.bounds import simulations as sims
from calibtutor.lessons.bounds.full_size import shares_rejected
from calibtutor.lessons.shared.posters_models import true_skce
from calibtutor.reproductions import widmann
from calibtutor.reproductions.blocks import stored_summary


@claim("further/01_bounds_and_approximations",
       "$D_b$ needs well over 1,000 predictions before it rejects, the others over 200,000.",
       "$n$ must be of order $1/\\mathrm{SKCE}$ for $D_b$, but $1/\\mathrm{SKCE}^2$ for the others.")
def test_predictions_that_the_bounds_need():
    error, own = true_skce(), 0.55 + 1 - 2 / 10  # E‖δ‖² = E‖p‖² + 1 − 2 E p_Y
    biased = lambda error: (2 * (1 + math.sqrt(2 * math.log(20))) ** 2 - own + error) / error  # D_b(n) = .05
    unbiased = lambda error: 2 * 8 * math.log(20) / error**2
    assert sims.expected_terms(1.0) == pytest.approx((error, own))
    for which, needed, low, high, times in ((0, biased, 1_300, 1_500, 2), (1, unbiased, 200_000, 215_000, 4)):
        assert sims.enough(which, error, own, 0.05, 10**6) == pytest.approx(needed(error), abs=2)
        assert low < needed(error) < high and needed(error / 2) == pytest.approx(times * needed(error), rel=0.01)


@claim("bounds/exercises", "It is exp(−⌊n/2⌋ · SKCE²/8), and the SKCE is .015.",
       "In the 10,000 data sets of section 4, with n = 250, it rejects not once, and the exact test always.",
       "further/01_bounds_and_approximations", "For example, $n = 250$, $H = 2$ and $t = .015$ give .996.",
       "at $n = 250$, $D_{uq}$ and $D_{ul}$ reject none of the poster's data sets.",
       "A bound that holds for all models is far from any one of them.")
def test_a_bound_is_blind_to_m3():
    found = full_size()["M3"]
    assert stored_summary("widmann")["n"] == 250 and found["data_sets"] == 10_000
    assert size("M3", "D_uq") == 0 and size("M3", "exact") == 1
    assert size("M2", "D_uq") == size("M2", "D_ul") == size("M3", "D_ul") == 0
    assert max(size(*each) for each in product(("M1", "heteroscedastic"), ("D_b", "D_uq", "D_ul"))) < 0.001
    assert round(found["estimates"]["SKCE_uq"]["truth"], 3) == 0.015
    assert round(bound_pvalue(0.015, 250, 2, biased=False), 3) == round(math.exp(-125 * 0.015**2 / 8), 3) == 0.996


@claim("further/01_bounds_and_approximations",
       "The ECE of the calibrated M1 is never near 0. Try the unbiased SKCE, and M2, M3: it is on target for all "
       "three.", "With cells as they are meant it is far too large for all three models",
       "only then does the ECE err to both sides, as the poster says")
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


@claim("further/01_bounds_and_approximations",
       "On near-deterministic ones $A_{uq}$ rejects 19 % of the data sets and $A_l$ 34 %.",
       "About 19 % is also the share of data sets in which no label contradicts the model's first answer",
       "Choose “exact ones”: 5 % on every calibrated model.", "Then “consistency resampling” of M1, where predictions "
       "are redrawn too: 100 % with the ECE, but 4.5 % with $\\mathrm{SKCE}_{uq}$.", "chance/exercises",
       "in a published setting (n = 250, 10 pieces) redrawing pairs rejects each of 10,000 calibrated data sets, "
       "redrawing labels only 5 % of them.", "bounds/full_size",
       "None of these … tests rejects too often, up to α = 20%")
def test_approximations_fail_for_near_certain_predictions(seeds):
    assert [round(size("near-deterministic", test), 2) for test in ("A_uq", "A_l")] == [0.19, 0.34]
    for model, test in product(("M1", "heteroscedastic", "near-deterministic"), ("exact", "aggregated", "exact ECE")):
        shares, n = full_size()[model]["rejected"][test], full_size()[model]["data_sets"]
        for level in (0.01, 0.05, 0.1, 0.2):  # where hardly a label surprises, ties cost size
            low = 0 if model == "near-deterministic" else level
            far = 3.5 * np.sqrt(level * (1 - level) / n)
            assert low - far * (low > 0) <= shares[round(200 * level)] <= level + far, (model, test, level)
    assert shares_rejected("M1")[0][-1] == 0.2
    share = [calibrated_model("near-deterministic", 250, rng=seed)[1].max(axis=1).prod() for seed in seeds(100)]
    # The chance that no label contradicts, given the predictions:
    assert mean_within(share, 0.185, 0.195, refuses=(0.17, 0.21))
    assert stored_summary("widmann")["n"] == 250 and full_size()["M1"]["data_sets"] == 10_000
    assert round(size("M1", "exact ECE"), 2) == 0.05
    assert size("M1", "C") == 1 and round(size("M1", "C with SKCE_uq"), 3) == 0.045


@claim("further/01_bounds_and_approximations", "They agree within 2.6 standard errors of simulation")
def test_ours_and_the_published_agree():
    apart = []
    for k, model in enumerate(("M1", "M2", "M3")):
        spread = np.sqrt(1 / full_size()[model]["data_sets"] + 1 / 10_000)
        for name, published in widmann.PUBLISHED["means"].items():
            of = full_size()[model]["estimates"][name]
            apart.append(abs(of["mean"] - published[k]) / (of["sd"] * spread))
        for test, published in widmann.PUBLISHED["rejected at .05"].items():
            if published[k] not in (None, ours := size(model, test)):
                pooled = (ours + published[k]) / 2
                apart.append(abs(ours - published[k]) / (np.sqrt(pooled * (1 - pooled)) * spread))
    assert 2.4 < max(apart) <= 2.6


@claim("further/01_bounds_and_approximations",
       "An ordinary bootstrap gets the law wrong, because on the data $h$ does not have mean 0.")
def test_an_ordinary_bootstrap_is_too_wide(seeds, n=100):
    """Both bootstraps have the same draws of rows; beside them: what redrawn labels give."""
    spreads = []
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        y, p = mixed_widmann_model(0, n, n_classes=3, rng=rng)
        h = h_of(y, p, kernel := laplacian(0.5))
        both = h, h - h.mean(axis=0) - h.mean(axis=1)[:, None] + h.mean()  # as it is, and centred
        counts = rng.multinomial(n, np.full(n, 1 / n), 199)
        drawn = [((counts @ m * counts).sum(axis=1) - counts @ np.diag(m)) / (n * (n - 1)) for m in both]
        null = kce_test(y, p, kernel=kernel, n_resamples=199, rng=rng).null_distribution
        spreads.append(np.std(drawn, axis=1) / null.std())
    ordinary, of_centred = np.transpose(spreads)
    assert mean_within(ordinary, 1.8, 2.2, refuses=1.4) and mean_within(of_centred, 1.1, 1.3, refuses=1.6)
