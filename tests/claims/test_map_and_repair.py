"""Claims of the lesson map_and_repair."""

import numpy as np
import pytest
from claim import claim
from local_sums import halves, some_or_more, statistics
from rejections import SLACK, alarms, slow
from scipy.stats import binom
from seeds import mean_within, within

from calibtutor import expected_calibration_error, klce_test, rbf
from calibtutor.data.local_worlds import clustered
from calibtutor.lessons.for_whom import scenes as scenes_09
from calibtutor.lessons.map_and_repair import exercises, scenes
from calibtutor.lessons.map_and_repair import simulations as sims
from calibtutor.lessons.shared import worn as of_worn


@some_or_more(40, 110)
@claim(
    "10_map_and_repair",
    "Here they are rejected too *rarely*.",
    "With *isotonic* curves and 100 rows there are too many rejections instead: cross-fitting promises no level.",
    "It is rejected in more than 5 %.",
    "These are no false alarms: the fitted curve is itself a little off.",
    "map_and_repair/exercises",
    "Of 400 rows, each half is corrected by the Platt curve that the other half taught.",
    "The exact test is given all 400.",
    "In how many data sets does it reject at level .05?",
    "far less than 5 %",
    "far more than 5 %",
    "In less than 2 % of data sets.",
)
def test_three_ways_to_choose_rows(data_sets, seeds):
    n = data_sets
    platt, isotonic = (
        np.array([sims.pvalues_by_rows(name, rows, seeds.rng(3, rows, k)) for k in range(many)])
        for name, rows, many in (("Platt", 400, n), ("isotonic", 100, 4 * n))
    )
    true, cross, clean = alarms(platt)
    assert within(true, n, 0.05) and within(cross, n, 0, 0.02)
    assert within(clean, n, 0.09, 0.18)
    assert within(alarms(isotonic)[0], 4 * n, 0.05) and within(alarms(isotonic)[1], 4 * n, 0.08, 0.17)
    if n > 100:
        assert alarms(isotonic)[1] > binom.ppf(0.99, 4 * n, 0.05)


@claim("10_map_and_repair", "labels | `p - (rng.random(n) < p)` |", "residuals | `rng.choice(delta, n)` |")
@claim("10_map_and_repair", "permutation | `rng.permutation(delta)` |", "signs | `rng.choice([-1, 1], n) * delta` |")
def test_a_line_of_code_is_the_null_of_klce_test(seeds):
    y, p, x = clustered(0.4, 60, seeds.rng(10))
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=1.0)}
    K, rng = kernels["prob_kernel"](p[:, None]) * kernels["feature_kernel"](x), seeds.rng(9)
    draws = [sims.redrawn(y, p, rng) for _ in range(3000)]
    for null in ("labels", "residuals", "permutation", "signs"):
        values = statistics(K, np.column_stack([each[null] for each in draws])) / (60 * 59)
        expected = klce_test(y, p, x, null=null, n_resamples=3000, rng=seeds.rng(11), **kernels).null_distribution
        room = 10 * expected.std() / np.sqrt(3000)
        assert abs(values.mean() - expected.mean()) <= room and abs(values.std() - expected.std()) <= 1.5 * room, null


@some_or_more(60, 250)
@claim(
    "map_and_repair/exercises",
    "120 people: a fifth of them share their features and are told .5; all others stand alone and are told .02 or .98.",
    "Which null has more than twice as many false alarms as its level of 5 % allows?",
    "A permutation hands the small residuals of the others to the crowd, so its draws vary too little: between 14 and "
    "20 % of data sets are rejected, as many if the draws are centred, or drawn with replacement (Algorithm 1).",
    "10_map_and_repair",
    "Choose the *confident* crowd, people who are told .03.",
    "Now permutations hardly ever reject, and *signs* reject in about a third of the data sets.",
    "The few large residuals of these people are all negative, $.03 - 1$.",
    "*Labels* keeps its level each time.",
)
def test_crowds_doubtful_and_confident(data_sets, seeds):
    """The picture's worlds, on fresh data sets: hardly ever is below 2 %."""
    nulls, hits, n = list(sims.RACE_NULLS), {}, data_sets
    assert sims.RACE_N == 120 and sims.CROWDS["doubtful"] == (0.5, (0.02, 0.98)) and sims.CROWDS["confident"][0] == 0.03
    for crowd, (centre, isolated) in sims.CROWDS.items():
        found = []
        for number in range(n):
            rng = seeds.rng(41, number)
            y, p, x = clustered(0.2, sims.RACE_N, rng, crowd=centre, isolated=isolated)
            kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=1.0), "n_resamples": 99}
            found.append([klce_test(y, p, x, null=null, rng=rng, **kernels).pvalue for null in nulls])
        hits[crowd] = dict(zip(nulls, alarms(found), strict=True))
        assert within(hits[crowd]["labels"], n, 0, 0.05)
    for null in ("residuals", "permutation", "centred-permutation"):
        assert within(hits["doubtful"][null], n, 0.14, 0.20) and within(hits["confident"][null], n, 0, 0.02)
    assert within(hits["doubtful"]["signs"], n, 0.03, 0.07) and within(hits["confident"]["signs"], n, 0.32, 0.41)


@claim(
    "10_map_and_repair",
    "In this split the network says too little on clean images and too much on worn ones, at every confidence from .65 "
    "up.",
    "map_and_repair/exercises",
    "Where it says 90 % about a very noisy image, how often is it right?",
    "Near that place the mean of p − Y is +.12.",
    "On clean images with the same confidence it is right more often than it says.",
)
def test_the_map_of_the_network():
    hit, p, wear, _ = of_worn.scans("neural network", True)
    across = np.linspace(0, 0.5, 36)[scenes.ENDS]
    miss, error, mass = sims.miss_map(hit, p, wear, np.arange(0.65, 0.951, 0.05), across, 0.1, 0.08)
    assert (mass > 20).all() and (miss[:, 0] < -2 * error[:, 0]).all() and (miss[:, 1] > 2 * error[:, 1]).all()
    assert round(miss[5, 1], 2) == 0.12 and round(0.9 - miss[5, 1], 2) == 0.78


@some_or_more(20, 50)
@claim(
    "10_map_and_repair",
    "with the bandwidths of the opening map, even a right model's map leaves the band *somewhere* in six or seven of "
    "ten data sets (labels redrawn from what the corrected models say).",
)
def test_many_places_many_bumps(data_sets, seeds):
    """Labels redrawn from the recalibrated confidences of the four models, the map's first bandwidths and support."""
    up, across, found = np.linspace(0.3, 1, 29), np.linspace(0, 0.5, 36), []
    for row, model in enumerate(of_worn.CAST):
        _, p, wear, _ = of_worn.scans(model, True)
        rng = seeds.rng(71, row)
        for _ in range(data_sets):
            miss, error, mass = sims.miss_map(rng.random(len(p)) < p, p, wear, up, across, 0.1, 0.08)
            found.append((np.abs(miss) > 2 * error)[mass >= 20].any())
    assert within(sum(found), len(found), 0.6, 0.73)


@pytest.mark.parametrize("tests", [0, pytest.param(20, marks=slow)])
@claim(
    "10_map_and_repair",
    "In 20 other cuts, too, the Brier score falls as much, and the most worn quarter's miss stays below .05.",
    "But the test still rejects in about half of them.",
)
def test_adding_the_local_bias(tests, seeds):
    hit, p, wear, _ = of_worn.scans("neural network", False)
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=0.08), "n_resamples": 199}
    brier, worst, found = [], [], []
    for seed in seeds(20):
        half = halves(len(p), seeds.rng(12, seed))
        W = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.08)(wear[:, None])
        new = exercises.mended(p, hit, W, half)
        brier.append(np.mean((new - hit) ** 2))
        worst.append(of_worn.quarters(hit, new, wear)[0][3])
        if tests:
            one = half == 0
            found.append([klce_test(hit[one], q[one], wear[one], rng=seed, **kernels).pvalue for q in (p, new)])
    assert round(np.mean((p - hit) ** 2), 3) == 0.139 and round(of_worn.quarters(hit, p, wear)[0][3], 3) == 0.262
    assert max(brier) < 0.13 and mean_within(brier, 0.1165, 0.1195) and np.abs(worst).max() < 0.05
    if tests:
        before, after = alarms(found)
        assert before == 20 and within(after, 20, 1 / 3, 2 / 3)


@claim(
    "map_and_repair/scenes",
    "Rejected at .05: shares of data sets.",
    "false alarms at level 5%",
    "in confidence; grey, right: ± 2 standard errors",
    "in confidence; grey: ± 2 s.e.",
    "Deepest colour: 0.3.",
    "… ; means over … cuts, half to fit, half to look at; grey: chance, ± 2 standard errors",
    "R ≤ 0.05; grey: chance",
)
@claim("many_features/scenes", "level 5%", "exact test, level 5%")
@claim("for_whom/scenes", "… digits, 10 bins; pale: under … ; grey, right: ± 2 standard errors")
def test_what_the_pictures_count():
    assert scenes.LEVEL == 0.05 and scenes.where_wrong().artists["image"].get_clim() == (-0.3, 0.3)
    assert "10 bins" in scenes_09.worn_scanner().finding.drawn
    assert sims.CUTS == 20 and "rejects in 20 of 20 cuts" in scenes.repair().headline


@some_or_more(5, 20)
@claim(
    "10_map_and_repair",
    "Each is fitted on one half of the images and looked at on the other, for 20 cuts.",
    "They lower the network's ECE, and its quarters stay wrong.",
    "Multicalibration mends the quarters.",
    "But the test still rejects it in some cuts, and of the five it lowers the ECE least.",
    "map_and_repair/exercises",
    "and tested on the other half, in 20 cuts.",
    "After each of the four curves in all 20 cuts: a curve of the confidence cannot tell a clean image from a noisy "
    "one.",
    "After multicalibration in 6: what 540 images teach is itself a little off.",
)
def test_recalibration_on_other_cuts(data_sets, seeds):
    holds, maps = [], [name for name in sims.METHODS if name not in ("nothing", "multicalibration")]
    for cut in seeds(data_sets):
        ece, off, rejects = {}, {}, {}
        for name in sims.METHODS:
            hit, said, wear = sims.recalibrated("neural network", name, cut)
            kernels = {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}
            pvalue = klce_test(hit, said, wear / wear.std(), **kernels, n_resamples=99, rng=cut).pvalue
            miss, error = of_worn.quarters(hit, said, wear)
            ece[name], off[name] = expected_calibration_error(hit, said), (np.abs(miss) > 2 * error).sum()
            rejects[name] = pvalue <= 0.05 + SLACK
        curves = all(off[m] >= 2 and rejects[m] and ece[m] < ece["nothing"] for m in maps)
        holds.append([curves, off["multicalibration"] <= 1, rejects["multicalibration"]])
    curves, quarters, rejected = np.sum(holds, axis=0)
    assert within(curves, data_sets, 0.95, 1) and within(quarters, data_sets, 0.8, 1)
    assert within(rejected, data_sets, 0.15, 0.45)
    tests = {name: round(sims.CUTS * sims.repaired("neural network", name)[2]) for name in sims.METHODS}
    ece = {name: sims.repaired("neural network", name)[0] for name in sims.METHODS}
    assert sorted(ece, key=ece.get)[-2:] == ["multicalibration", "nothing"]
    assert tests["multicalibration"] == 6 and all(tests[name] == 20 for name in maps)


@claim("10_map_and_repair", "Take few: each feature that the miss does not depend on costs power")
def test_each_feature_costs_power(seeds):
    """The miss has the sign of x1·x2; then come a third and a fourth feature."""
    found = []
    for number in range(250):
        rng = seeds.rng(82, number)
        p, X = rng.uniform(0.25, 0.75, 200), rng.standard_normal((200, 4))
        y = (rng.random(200) < p - 0.2 * np.sign(X[:, 0] * X[:, 1])).astype(int)
        kernels = {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5), "n_resamples": 99}
        found.append([klce_test(y, p, X[:, :d], rng=rng, **kernels).pvalue <= 0.05 + SLACK for d in (2, 3, 4)])
    two, three, four = np.transpose(found).astype(float)
    assert not mean_within(two - three, -1, 0) and not mean_within(three - four, -1, 0)
