"""Claims of the lesson chance."""

import math
from itertools import product

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom
from seeds import as_shown, mean_within, within
from worlds_of_binning_and_kde import ece
from worlds_of_calibration_tests import (
    SLACK,
    alarms,
    full_size,
    holds,
    pvalues_of_the_network,
    rejected,
    size,
    slow,
    within_chance,
)

from calibtutor import (
    expected_calibration_error,
    kce_test,
    kernel_grid,
    laplacian,
    rbf,
    skce,
)
from calibtutor.binning import resampled_errors
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.worlds import calibrated_model, mixed_widmann_model, wave_world
from calibtutor.lessons.bins import games as games_02
from calibtutor.lessons.chance import scenes, simulations, spoiling
from calibtutor.lessons.shared import simulations as of_simulations
from calibtutor.lessons.shared.pvalues import chance_of_a_curve
from calibtutor.pvalues import rank_pvalues
from calibtutor.reproductions import widmann
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.resampling import draw_labels, draw_pairs
from calibtutor.simplex import cell_of, errors_of_labels, errors_of_pairs


@claim(
    "03_chance",
    "300, 1,000 or 5,000 predictions, 10, 20 or 40 bins",
    "Over 1,500 such models the best limit on the ECE, chosen with the answers at hand, is right in about seven of ten",
    "“not calibrated, if fewer than 5 of 100 redrawn ECEs are as large” is right in more than nineteen of twenty",
    "of the calibrated ones it blames about one in twenty",
)
@claim("05_kernel_density", "in the game the ECE alone errs in three of ten")
@pytest.mark.parametrize("many", [500, pytest.param(1500, marks=pytest.mark.slow)])
def test_hidden_models(many, seeds):
    errors, calibrated, above, sizes, numbers = [], [], [], set(), set()
    for turn in seeds(many):
        y, p, bins, honest = games_02.hidden_model(turn)
        redrawn = (np.random.default_rng([turn, 1]).random((100, len(p))) < p).astype(float)
        errors.append(ece(p, y.astype(float), bins))
        above.append(np.sum(ece(p, redrawn, bins) >= errors[-1]))
        calibrated.append(honest)
        sizes.add(len(p))
        numbers.add(bins)
    errors, calibrated, above = map(np.array, (errors, calibrated, above))
    best = max(np.mean((errors < limit) == calibrated) for limit in errors)
    assert (sizes, numbers) == ({300, 1000, 5000}, {10, 20, 40})
    assert within(round(best * many), many, 0.66, 0.74)
    assert within(((above >= 5) == calibrated).sum(), many, 0.95, 1)
    assert within((above[calibrated] < 5).sum(), calibrated.sum(), 0.04, 0.06)


@claim(
    "03_chance",
    "an object with 80 %, a human with 0 %, an animal with 20 %",
    "the squared distance is .005 and its p-value .78",
    "Seven animals: chance does that one time in six. Ten: hardly ever.",
)
def test_twenty_scenes():
    promise, mass = np.array([0.80, 0, 0.20]), binom.pmf(np.arange(21), 20, 0.2)
    distance = [((promise - np.array([20 - k, 0, k]) / 20) ** 2).sum() for k in range(21)]
    chance_of = lambda observed: mass[np.array(distance) >= observed - SLACK].sum()
    assert round(1 / chance_of(distance[7])) == 6
    assert chance_of(distance[10]) < 0.005
    human = ((promise - np.array([15, 1, 4]) / 20) ** 2).sum()
    assert round(human, 3) == 0.005 and round(chance_of(human), 2) == 0.78


@claim("chance/scenes", "calibration error of one data set (ECE, 15 bins)")
def test_the_pictures_error_has_15_bins():
    y, p = digits_predictions("naive Bayes").y_true, digits_predictions("naive Bayes").y_prob
    observed, drawn = scenes.redrawn_errors("naive Bayes", 1079)[:2]
    assert observed == expected_calibration_error(y, p, n_bins=15) != expected_calibration_error(y, p, n_bins=14)
    np.testing.assert_array_equal(drawn, resampled_errors(p, n_bins=15, n_resamples=1000, rng=as_shown(0)))


@claim(
    "03_chance",
    ".0015 is beyond chance for naive Bayes in section 9, and above, at $n = 20$, about a third of the "
    "calibrated data sets show as much.",
)
def test_an_estimate_has_no_scale(seeds):
    predictions = digits_predictions("naive Bayes")
    found = kce_test(predictions.y_true, predictions.y_prob, n_resamples=199, rng=seeds.rng(10))
    assert round(found.estimate, 4) == 0.0015 and found.pvalue == 0.005
    k = widmann.TotalVariationLaplacian(of_simulations.BANDWIDTH)
    values = [skce(*mixed_widmann_model(0, 20, rng=seed), kernel=k) for seed in seeds(1000)]
    assert within((np.array(values) >= 0.0015).sum(), 1000, 0.3, 0.36)


@claim(
    "03_chance",
    "With 5 or 10 steps your binned error is therefore larger than most redrawn ones, and the test rejects at "
    "$\\alpha = .05$ up to nine of ten calibrated models.",
    "Redrawing *labels only* is right for the same statistic, cells and $n$.",
)
def test_a_shift_of_binned_errors(seeds):
    """Pairs redrawn, and labels only, on 80 other data sets than the picture's."""
    for n, cells in product((50, 200), (5, 10)):
        below, pvalues = [], []
        for number in range(100):
            rng = seeds.rng(11, number)
            y, p = mixed_widmann_model(0, n, n_classes=5, rng=rng)
            cell = cell_of(p, cells)
            observed = errors_of_labels(cell, p, y[:, None])[0]
            pairs = errors_of_pairs(cell, p, *draw_pairs(p, 99, rng))
            labels = errors_of_labels(cell, p, draw_labels(p, 99, rng))
            below.append((pairs < observed).mean())
            pvalues.append([(1 + (each >= observed - SLACK).sum()) / 100 for each in (pairs, labels)])
        by_pairs, by_labels = alarms(pvalues)
        assert not mean_within(below, 0, 0.5) and within(by_labels, 100, 0.03, 0.05)
    assert within(by_pairs, 100, 0.85, 0.95)  # n = 200, 10 steps


@claim(
    "03_chance",
    "drawing labels instead of counting them needs a “+ 1”, which costs no level; few draws cost power.",
)
def test_few_draws_cost_power(seeds):
    """With B = 19 draws p ≤ .05 says that none reaches the statistic: probability (1 − share)¹⁹, share of all draws."""
    found = {strength: [] for strength in (0, 0.2)}
    for strength, number in product(found, range(300)):
        rng = seeds.rng(12, number)
        y, p = mixed_widmann_model(strength, 100, n_classes=3, rng=rng)
        pvalue = kce_test(y, p, kernel=laplacian(0.25), n_resamples=499, rng=rng).pvalue
        found[strength].append([(1 - pvalue) ** 19, pvalue <= 0.05 + SLACK])
    few, many = np.transpose(found[0.2])
    assert not mean_within(many - few, -1, 0)
    assert mean_within(np.array(found[0])[:, 0], 0.05)


@claim("03_chance", "the grey band is what chance does to the curve of an exact test in 100 data sets (95 %)")
def test_the_band_of_chance(seeds):
    rng, n = seeds.rng(13), 100
    polygon = chance_of_a_curve(n)
    (x, low), high = polygon[:101].T, polygon[:100:-1, 1]
    inside = 0
    for _ in range(4000):
        pvalues = np.sort(rng.random(n))
        before, after = np.arange(n) / n, np.arange(1, n + 1) / n
        inside += (after <= np.interp(pvalues, x, high) + 1e-9).all() and (
            before >= np.interp(pvalues, x, low) - 1e-9
        ).all()
    assert within(inside, 4000, 0.945, 0.955)


@claim("03_chance", "and the test rejects at $\\alpha = .05$ up to nine of ten calibrated models")
def test_redrawing_pairs_cries_wolf_and_labels_do_not():
    """In the picture."""
    shares = {(n, cells): rejected(simulations.redrawn(n, cells).T)
              for n in simulations.REDRAW_SIZES for cells in simulations.REDRAW_CELLS}  # fmt: skip
    assert round(max(pairs for pairs, _ in shares.values()), 1) == 0.9
    assert all(pairs > 0.3 for (_, cells), (pairs, _) in shares.items() if cells > 2)
    assert within_chance(np.mean([labels for _, labels in shares.values()]), 900, 0.05)


@claim(
    "chance/exercises",
    "redrawing both rejects each of the 10,000 calibrated data sets of the poster (n = 250) at .05, labels only 5 %.",
)
@claim(
    "further/01_bounds_and_approximations",
    "And “consistency resampling” of M1: 100 % with the ECE as its statistic, but 4.5 % with $\\mathrm{SKCE}_{uq}$",
)
@claim(
    "08_kernel_tests",
    "Consistency resampling of a binned error can reject a calibrated model on every data set.",
)
def test_consistency_resampling_at_full_size():
    assert stored_summary("widmann")["n"] == 250 and full_size()["M1"]["data_sets"] == 10_000
    assert size("M1", "C") == 1 and round(size("M1", "exact ECE"), 2) == 0.05
    assert round(size("M1", "C with SKCE_uq"), 3) == 0.045


@claim(
    "03_chance",
    "three predictions, (.7, .2, .1), (.25, .6, .15) and (.3, .3, .4), all 27 label vectors",
    "The staircase touches the diagonal and never crosses it.",
)
def test_counting():
    base = np.array([[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]])
    for sharpness in (0, 0.5, 1, 2, 4):
        p = base**sharpness / (base**sharpness).sum(axis=1, keepdims=True)
        vectors = list(product(range(3), repeat=3))
        assert len(vectors) == 27
        mass = np.array([math.prod(p[i, k] for i, k in enumerate(vector)) for vector in vectors])
        value = np.array([skce(np.array(vector), p, kernel=rbf(bandwidth=0.5)) for vector in vectors])
        pvalue = np.array([mass[value >= each - SLACK].sum() for each in value])
        reached = np.array([mass[pvalue <= level + SLACK].sum() for level in pvalue])
        np.testing.assert_allclose(reached, pvalue, atol=1e-9)  # touches, at every p-value there is
        levels = np.linspace(0, 1, 401)
        assert all(mass[pvalue <= level].sum() <= level + 1e-9 for level in levels)


@claim("03_chance", "with 199 draws a p-value of .03 has a standard error of .012.")
def test_what_199_draws_know(seeds):
    assert round(np.sqrt(0.03 * 0.97 / 199), 3) == 0.012
    y, p = digits_predictions("neural network").y_true, digits_predictions("neural network").y_prob
    drawn = kce_test(y, p, n_resamples=2400, rng=seeds.rng(14))
    share = drawn.null_distribution.reshape(-1, 200)[:, :199] >= drawn.statistic  # twelve times 199 draws
    assert mean_within(share.mean(axis=1), 0.025, 0.035) and 0.003 < share.mean(axis=1).std(ddof=1) < 0.027


@pytest.mark.parametrize(
    ("statistic", "recipe"), [*product(spoiling.STATISTICS, spoiling.RECIPES)], ids=lambda each: each.replace(" ", "-")
)
@claim(
    "03_chance",
    "Draw all 400 data sets.",
    "With labels redrawn and one look, a test of either error rejects 5 % of them.",
    "Ten looks reject about a fifth of all calibrated models, three looks a tenth:",
    "Redrawing pairs spoils the binned error even at one look. With the SKCE it does no visible harm here",
)
@claim("chance/exercises", "Each look alone rejects 5 %.")
def test_a_spoiled_test(statistic, recipe):
    """Of the 400 data sets in the picture."""
    first = spoiling.first_alarms(statistic, recipe)
    one, three, ten = (round(400 * spoiling.share_so_far(first, looks)[-1]) for looks in (1, 3, 10))
    assert len(first) == spoiling.SETS == 400
    if (statistic, recipe) == ("binned error", "pairs"):
        assert not within(one, 400, 0, 0.1)  # not even at twice the level
        return
    assert within(one, 400, 0.05)
    assert within(three, 400, 0.1) and binom.sf(three - 1, 400, 0.05) < 1e-4
    assert within(ten, 400, 0.2) and not within(ten, 400, 0, 0.1)


@pytest.mark.parametrize("data_sets", [300, pytest.param(2000, marks=slow)])
@claim("03_chance", "look at $n$ = 100, at 200, at 300, …, and stop at the first $p \\le .05$.")
@claim(
    "chance/exercises",
    "You look at n = 100, 200, …, 1,000 and stop at the first p ≤ .05.",
    "Ten independent looks would make 1 − .95¹⁰ = 40 %, but each look has the rows of the looks before it in its data, "
    "so their alarms often come together.",
)
def test_ten_looks_by_other_means(data_sets, seeds):
    """Other data: 12 kinds of predictions, so that a look needs only the sums of residuals of each kind."""
    rng, pvalues, B = seeds.rng(15), [], 99
    for _ in range(data_sets):
        kinds = rng.dirichlet(np.ones(3), 12)
        kind = rng.integers(12, size=1000)
        p, K = kinds[kind], laplacian(0.5)(kinds)
        labels = (rng.random((1000, 1, B + 1)) > np.cumsum(p, axis=1)[:, :2, None]).sum(axis=1)
        delta = p[:, :, None] - (labels[:, None] == np.arange(3)[:, None])  # (rows, classes, data sets)
        member = (np.eye(12)[kind] * 1.0).reshape(10, 100, 12)
        sums = np.cumsum(member.transpose(0, 2, 1) @ delta.reshape(10, 100, -1), axis=0).reshape(10, 12, 3, B + 1)
        own = np.cumsum((delta**2).reshape(10, 300, B + 1).sum(axis=1), axis=0)
        values = (sums * np.einsum("ab,lbcd->lacd", K, sums)).sum(axis=(1, 2)) - own  # of all pairs i ≠ j
        pvalues.append((values >= values[:, :1] - SLACK).mean(axis=1))
    assert round(1 - 0.95**10, 2) == 0.40
    three, ten = (alarms(np.min(np.array(pvalues)[:, :looks], axis=1)) for looks in (3, 10))
    assert holds(pvalues)
    assert within(ten, data_sets, 0.17, 0.23) and within(three, data_sets, 0.09, 0.13)
    assert not within(ten, data_sets, 0, 0.05) and (data_sets < 2000 or not within(ten, data_sets, 0.4, 1))
    assert np.corrcoef(np.transpose(pvalues))[8, 9] > 0.7


@claim(
    "03_chance",
    "but with a short bandwidth ($\\gamma = .05$, $n = 50$, three classes) C almost never rejects, and misses errors "
    "that redrawn labels find.",
)
def test_copies_widen_what_is_redrawn(seeds, monkeypatch):
    monkeypatch.setattr(spoiling, "KERNEL", laplacian(0.05))
    spread, calibrated, found = [], [], []
    for number in range(300):
        rng = seeds.rng(16, number)
        p = rng.dirichlet(np.ones(3), 50)
        y = draw_labels(p, 1, rng)[:, 0].astype(int)
        calibrated.append(rank_pvalues(spoiling.errors("SKCE", "pairs", y, p, rng))[0])
        y = np.where(rng.random(50) < 0.5, 0, y)
        both = [spoiling.errors("SKCE", recipe, y, p, rng) for recipe in ("labels", "pairs")]
        found.append([rank_pvalues(each)[0] for each in both])
        spread.append(both[1][1:].std() / both[0][1:].std())
    assert within(alarms(calibrated), 300, 0, 0.005)
    assert np.quantile(spread, 0.05) > 1.2 and np.mean(spread) > 2
    labels, pairs = (np.transpose(found) <= 0.05 + SLACK).astype(int)
    assert not mean_within(labels - pairs, -1, 0)
    only = kce_test(y, p, kernel=laplacian(0.05), method="consistency", n_resamples=99, rng=rng)
    assert both[1][0] == pytest.approx(only.statistic)


@slow
def test_the_bootstraps_level_at_300(seeds):
    pvalues = []
    for seed in seeds(1200):
        rng = np.random.default_rng(seed)
        y, p = calibrated_model("near-deterministic", 300, rng=rng)
        pvalues.append(kce_test(y, p, method="asymptotic", n_resamples=19, rng=rng).pvalue)
    assert not within(alarms(pvalues), 1200, 0, 0.05)


def test_a_wave_is_found_by_the_librarys_test_as_often(seeds):
    """The simulation above against `kce_test`, whose scores are drawn."""
    pvalues = []
    for seed in seeds(150):
        rng = np.random.default_rng(seed)
        y, p = wave_world(1, 0.15).sample(250, rng)
        kernels = kernel_grid(p, factors=(0.25, 1, 4), family=lambda bandwidth: rbf(bandwidth=bandwidth))
        pvalues.append(kce_test(y, p, kernel=kernels, n_resamples=199, rng=rng).pvalue)
    assert holds(pvalues, 0.75, 0.85)


@slow
def test_the_networks_column_with_other_draws(seeds):
    found = np.array([pvalues_of_the_network(seed, 999) for seed in seeds(6)])
    assert mean_within(found[:, 0], 0.025, 0.035) and mean_within(found[:, 1], 0.02, 0.035)
    assert (found[:, :2] < 0.065).all() and (found[:, 2] > 0.3).all()
