"""Claims of the lesson bets_and_kernels."""

import itertools

import numpy as np
import pytest
from claim import claim
from scipy.optimize import linprog
from seeds import as_shown, mean_within, within
from sentences import NOTEBOOKS, notebook
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from smooth_oracles import distance_to_calibration
from splits import hit_and_confidence, trained
from worlds_of_calibration_tests import FOUR, SLACK, alarms, full_size, h_of, nearly_all, rejected, slow
from worlds_of_notions import BANDWIDTHS, REFERENCE, the_game

from calibtutor import (
    kce_test,
    laplacian,
    median_bandwidth,
    rbf,
    skce,
)
from calibtutor.binning import expected_calibration_error
from calibtutor.data.datasets import (
    HOLES,
    digits_cast,
    digits_predictions,
    hole_predictions,
)
from calibtutor.data.worlds import (
    mixed_widmann_model,
    wave_world,
)
from calibtutor.kce import kce_witness
from calibtutor.kernels import low_rank
from calibtutor.lessons.bets_and_kernels import derivations, scenes
from calibtutor.lessons.bets_and_kernels.bumps import best_bet, matrix_and_length, sum_of_bumps, three_bumps
from calibtutor.lessons.bets_and_kernels.games import GAMMA, best_bets, earned
from calibtutor.lessons.bets_and_kernels.nudge import four_errors
from calibtutor.lessons.bins_and_bets.scenes import opponent
from calibtutor.lessons.bins_and_bets.worlds import best_opponents
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.chance import simulations as sims_03
from calibtutor.lessons.chance import spoiling as spoiling_03
from calibtutor.lessons.kernel_tests import simulations as sims_08
from calibtutor.lessons.shared import kce_atoms
from calibtutor.lessons.shared import simulations as of_simulations
from calibtutor.lessons.shared.worlds import WORLDS
from calibtutor.predictions import residuals
from calibtutor.reproductions import widmann
from calibtutor.smooth import smooth_calibration_error

SHOWN = as_shown(0)


def most(hits, n=40):
    """Whether so many of 40 splits support “on most other splits”: fewer than 22 do not."""
    assert n == 40
    return within(hits, n, 0.85, 1)


def redrawn_errors(model, n, draws, rng):
    """The ECE of the first n digits, and those of redrawn label sets, by plain NumPy."""
    predictions = digits_predictions(model)
    p, confidence = predictions.y_prob[:n], predictions.y_prob[:n].max(axis=1)
    edges = np.linspace(0, 1, 16)
    # Bins are closed above, like the course's; the forest's votes are not looked at here.
    bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
    member = np.eye(15)[bins]
    hit = rng.random((draws, n)) < confidence  # redrawn labels hit the top class with the confidence
    drawn = np.abs(hit @ member - confidence @ member).sum(axis=1) / n
    observed = np.abs(((p.argmax(axis=1) == predictions.y_true[:n]) - confidence) @ member).sum() / n
    return observed, drawn


@claim(
    "04_bets_and_kernels",
    "all 1,079 digits: about 650 of 1,000 calibrated data sets look at least as bad.",
    "For logistic regression none does.",
    "Now the network again with the first 300 digits: some 50 of 1,000, and with the first 100 some 650.",
)
@claim(
    "chance/exercises",
    "The neural network's ECE on 1,079 digits is .010, logistic regression's is .092.",
    "how often would 1,079 digits give an ECE at least as large as .010?",
    "About 65 % of redrawn sets of labels do: a perfect model with these predictions shows .011 on average.",
    "Logistic regression, redrawn in the same way, never came above .06.",
)
def test_the_networks_error_is_what_chance_makes(seeds):
    rng, at_least = seeds.rng(1), {}
    observed, drawn = redrawn_errors("neural network", 1079, 4000, rng)
    assert round(observed, 3) == 0.010 and mean_within(drawn, 0.0105, 0.0115)
    assert within((drawn >= observed - SLACK).sum(), 4000, 0.64, 0.66)
    predictions = digits_predictions("neural network")
    assert observed == pytest.approx(expected_calibration_error(predictions.y_true, predictions.y_prob), abs=1e-12)
    for n in (100, 300):
        observed, drawn = redrawn_errors("neural network", n, 4000, rng)
        at_least[n] = (drawn >= observed - SLACK).sum()
    assert within(at_least[300], 4000, 0.045, 0.06) and within(at_least[100], 4000, 0.64, 0.68)
    observed, drawn = redrawn_errors("logistic regression", 1079, 4000, rng)
    assert round(observed, 3) == 0.092 and drawn.max() <= 0.06
    assert scenes_03.redrawn_errors("logistic regression", 1079)[1].max() <= 0.06


@claim("04_bets_and_kernels", "Who looks three times has three chances of a small p-value")
def test_three_sizes_reject_a_calibrated_model_more_often_than_one(seeds):
    """Labels drawn from the network's own predictions: p-values at 100, 300 and 1,079 digits, and the smallest."""
    p = digits_predictions("neural network").y_prob
    confidence, edges, rng = p.max(axis=1), np.linspace(0, 1, 16), seeds.rng(2)
    member = np.eye(15)[np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)]
    hit = rng.random((2000, len(p))) < confidence
    ranks = []
    for n in (100, 300, 1079):
        errors = np.round(np.abs((hit[:, :n] - confidence[:n]) @ member[:n]).sum(axis=1), 9)
        ranks.append([(errors >= each).mean() for each in errors])
    assert (rejected(np.array(ranks).T) <= 0.05 + 1e-9).all()
    assert within(alarms(np.min(ranks, axis=0)), 2000, 0.1, 0.15)


@claim("04_bets_and_kernels", "the largest $\\lvert h\\rvert$ there can be; 2 for a kernel of at most 1")
def test_the_largest_h(seeds):
    rng = seeds.rng(3)
    p, y = rng.dirichlet([0.05] * 4, 500), rng.integers(0, 4, 500)
    p = np.vstack([p, np.eye(4)[[0, 0, 1, 1]]])
    h = h_of(np.append(y, [1, 1, 0, 0]), p, lambda p: np.ones((len(p), len(p))))
    assert np.abs(h).max() == 2 and h.min() == -2


@claim(
    "04_bets_and_kernels",
    "Else: $\\gamma = .5$ in derivations and in the game of section 4; Gaussian kernels in section 1's first picture, "
    "in section 7's picture and, with $\\gamma = .5$, where label vectors are counted; "
    "the poster's kernel in sections 3, 5 and 8",
)
@claim("08_kernel_tests", "with the total variation, half of the L1 distance; here $\\gamma = .9$, near the median.")
def test_kernels_that_are_said(monkeypatch, seeds):
    p = seeds.rng(4).dirichlet(np.ones(3), 30)
    for k in (kce_atoms.KERNEL, spoiling_03.KERNEL):
        np.testing.assert_allclose(k(p), laplacian(0.5)(p))
    labels, _, statistic = sims_03.every_label_vector(1.0)
    wanted = [skce(y, np.array(sims_03.THREE), kernel=rbf(bandwidth=0.5)) for y in labels]
    np.testing.assert_allclose(statistic, wanted, atol=1e-12)
    q = mixed_widmann_model(0, 250, rng=seeds.rng(5))[1]
    found = widmann.TotalVariationLaplacian(of_simulations.BANDWIDTH)(q[:5])[0]
    np.testing.assert_allclose(found, np.exp(-np.abs(q[:5] - q[0]).sum(axis=1) / 2 / 0.9))
    medians = [widmann.authors_bandwidth(mixed_widmann_model(0, 250, rng=seed)[1]) for seed in seeds(20)]
    assert mean_within(medians, 0.89, 0.91)
    for towards in ("M2", "M3"):  # the truth of sections 3 and 5 is that of section 8
        stored = full_size()[towards]["estimates"]["SKCE_uq"]["truth"]
        assert of_simulations.true_skce(towards, 10) == pytest.approx(stored, rel=0.01)
    monkeypatch.setattr(simulations, "POWER_SETS", 4)
    apart = np.subtract.outer(np.arange(400), np.arange(400)) / 400
    np.testing.assert_allclose(scenes.kernel_matrix(0.1), np.exp(-(apart**2) / (2 * 0.1**2)), atol=1e-12)  # Gaussian
    found, wanted = sims_08.power.__wrapped__("one wave", 100)[0], np.zeros(7)
    for number in range(4):
        rng = np.random.default_rng([6, number])
        y, q = wave_world(1, 0.15).sample(100, rng)
        kernels = [rbf(bandwidth=factor * median_bandwidth(q)) for factor in sims_08.FACTORS]
        wanted += kce_test(y, q, kernel=kernels, n_resamples=99, rng=rng).single_pvalues <= 0.05 + SLACK
    np.testing.assert_allclose(found, wanted / 4)


@claim("04_bets_and_kernels", "the first eight of a greedy choice")
def test_the_eight_features_are_a_greedy_choice():
    """A pivoted Cholesky factor: each feature belongs to the prediction that those before explain worst."""
    for model in FOUR:
        _, p = holes_of_the_lesson(model)
        k = laplacian(median_bandwidth(p))
        left, built = k(p), np.zeros((len(p), len(p)))
        for _ in range(8):
            pivot = int(np.argmax(np.diag(left)))
            part = np.outer(left[:, pivot], left[pivot]) / left[pivot, pivot]
            left, built = left - part, built + part
        found = low_rank(k, p, tol=0, max_rank=8).features
        np.testing.assert_allclose(found @ found.T, built, atol=1e-8)


@claim(
    "04_bets_and_kernels",
    "Constants see nothing of a wave. All functions with $|b| \\le 1$ just copy the sign of the gap",
    "Now add waves until the kernel loses them, and find the bandwidth that brings them back.",
)
def test_classes_of_functions():
    grid = (np.arange(400) + 0.5) / 400
    gaps = {waves: wave_world(waves, 0.15).curve(grid) - grid for waves in range(1, 7)}
    for gap in gaps.values():
        assert abs(gap.mean()) < 1e-9
        assert (gap * np.sign(gap)).mean() == pytest.approx(0.15 * 2 / np.pi, rel=0.03)  # cut off at 0 and 1
    kernels = {width: rbf(bandwidth=width)(grid[:, None]) for width in scenes.BANDWIDTHS}
    earns = {
        (waves, width): np.sqrt(gap @ K @ gap) / 400 for waves, gap in gaps.items() for width, K in kernels.items()
    }
    for width in (0.2, 0.5):
        assert earns[6, width] < 0.15 * earns[1, width]
    for waves in range(3, 7):
        best = max(scenes.BANDWIDTHS, key=lambda width: earns[waves, width])
        assert best < 0.1 and earns[waves, best] > 2 * earns[waves, 0.5]


def test_the_best_payoff_is_the_supremum(seeds):
    """The exercise's answer against the search over all functions of the derivation's last line but one."""
    for seed in seeds(20):
        drawn = derivations.supremum.world(np.random.default_rng(seed))
        w = drawn["world"]
        K = kce_atoms.KERNEL(w.predictions)
        found = exercises.best_payoff(w.weights, w.predictions, w.frequencies, K)
        assert found == pytest.approx(derivations._searched(drawn), rel=1e-9)


def holes_of_a_split(model, seed):
    """(y, p) of 400 test images, "how many holes?", of a model trained on another split and another noise."""
    pixels, digits = load_digits(return_X_y=True)
    pixels = pixels / 16 + 0.35 * np.random.default_rng(seed).standard_normal(pixels.shape)
    split = train_test_split(pixels, digits, test_size=0.6, stratify=digits, random_state=seed)
    p = trained(model, split[0], split[2], split[1])
    p = np.column_stack([p[:, HOLES == k].sum(axis=1) for k in range(3)])
    return HOLES[split[3]][:400], p[:400] / p[:400].sum(axis=1, keepdims=True)


def holes_of_the_lesson(model):
    predictions = hole_predictions(model, noise=0.35)
    return predictions.y_true[:400], predictions.y_prob[:400]


def arrows(y, p):
    """The witness near each corner, its component along that corner's class: > 0 points to the corner."""
    near = np.full((3, 3), 1 / 12) + 0.75 * np.eye(3)
    return np.diag(kce_witness(y, p, at=near))


def pvalue_of_the_witness(y, p, rng=SHOWN, draws=99):
    return kce_test(y, p, statistic="biased", n_resamples=draws, rng=rng).pvalue


def says_one_hole_too_often(y, p, rng=SHOWN):
    return arrows(y, p)[1] < -0.1 and pvalue_of_the_witness(y, p, rng) <= 0.05


def points_outwards(y, p, rng=SHOWN):
    return (arrows(y, p)[:2] > 0.05).all() and pvalue_of_the_witness(y, p, rng) <= 0.01 + SLACK


@claim("04_bets_and_kernels", "Naive Bayes says “one hole” too often: its arrows point back from that corner.")
def test_naive_bayes_says_one_hole_too_often(seeds):
    assert says_one_hole_too_often(*holes_of_the_lesson("naive Bayes"))
    assert most(sum(says_one_hole_too_often(*holes_of_a_split("naive Bayes", k), k) for k in seeds(40)))


@claim(
    "04_bets_and_kernels",
    "its arrows point *outwards*, to “no hole” and “one hole”, which it does not dare to name.",
)
def test_the_forest_is_too_modest():
    assert points_outwards(*holes_of_the_lesson("random forest"))


@slow
@claim("04_bets_and_kernels", "Both hold on most other splits of the digits as well.")
def test_the_forest_is_too_modest_on_other_splits(seeds):
    assert nearly_all(sum(points_outwards(*holes_of_a_split("random forest", k), k) for k in seeds(20)))


@claim(
    "04_bets_and_kernels",
    "labels drawn from logistic regression's own predictions give arrows like its own, as the numbers beside them say",
)
def test_logistic_regressions_arrows_may_be_chance(seeds):
    y, p = holes_of_the_lesson("logistic regression")
    assert pvalue_of_the_witness(y, p) > 0.2
    assert mean_within([pvalue_of_the_witness(y, p, k) for k in seeds(20)], 0.25, 0.5)


@claim(
    "04_bets_and_kernels",
    "With a short bandwidth the witness only speaks where there are data, and eight features are no longer enough.",
)
def test_a_short_bandwidth_needs_many_features():
    for model in FOUR:
        y, p = holes_of_the_lesson(model)
        carried, alone = {}, {}
        for factor in (0.05, 1):
            k = laplacian(factor * median_bandwidth(p))
            S = low_rank(k, p, tol=0, max_rank=8).features.T @ residuals(y, p) / len(p)
            carried[factor] = (S**2).sum() / skce(y, p, kernel=k, estimator="biased")
            middle = kce_witness(y, p, at=np.full((1, 3), 1 / 3), kernel=k)
            alone[factor] = np.linalg.norm(middle) / np.linalg.norm(kce_witness(y, p, kernel=k), axis=1).max()
        assert carried[0.05] < 0.5 < 0.69 < carried[1], model
        assert alone[0.05] < 0.02 < 0.15 < alone[1], model


@claim(
    "04_bets_and_kernels",
    "The network is rejected too, though its ECE above was no more than chance: “how many holes?” is another "
    "question, on noisier images.",
)
def test_the_network_is_rejected_over_holes(seeds):
    y, p = holes_of_the_lesson("neural network")
    assert pvalue_of_the_witness(y, p) <= 0.03  # as in the picture
    assert pvalue_of_the_witness(y, p, seeds.rng(29), 4999) < 0.005  # .0017
    observed, drawn = redrawn_errors("neural network", 1079, 1000, seeds.rng(6))
    assert within((drawn >= observed).sum(), 1000, 0.6, 0.7)
    right = lambda noise: np.mean(hole_predictions("neural network", noise=noise).y_prob.max(axis=1))
    assert right(0.35) < right(0) - 0.02


def printed_by(where, cell):
    """What a notebook's code cell prints, as stored."""
    found = next(each for each in notebook(NOTEBOOKS / f"{where}.ipynb").cells if each.get("id") == cell)
    return "".join(output.get("text", "") for output in found.outputs)


def bets(rng, world):
    """Random members of the unit balls of constants, linear bets and the RKHS, at random points of the triangle."""
    at = rng.dirichlet([0.5] * 3, 200)
    constant, matrix = rng.normal(size=3), rng.normal(size=(3, 3))
    yield np.broadcast_to(constant / np.linalg.norm(constant), at.shape)
    yield at @ (matrix / np.linalg.norm(matrix)).T
    bandwidth, beta = rng.choice(BANDWIDTHS), rng.normal(size=world.predictions.shape)
    gram, cross = (
        np.exp(-((x[:, None] - world.predictions) ** 2).sum(axis=-1) / (2 * bandwidth**2))
        for x in (world.predictions, at)
    )
    yield cross @ beta / np.sqrt((gram * (beta @ beta.T)).sum())


@claim(
    "04_bets_and_kernels",
    "A class inside another never earns more.",
    "Constants, linear bets and the RKHS ball all keep $|b_k| \\le 1$, so *bounded*, which holds "
    "them all, earns most in "
    "every world.",
    "This, $\\mathbb{E}\\,\\|r(p) - p\\|_1$, is the canonical error with norm 1.",
)
def test_bounded_bets_hold_the_others(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        for world in WORLDS.values():
            assert max(abs(values).max() for values in bets(rng, world(1.0))) <= 1 + 1e-12
    for world, bandwidth in itertools.product(WORLDS.values(), BANDWIDTHS):
        earns = best_opponents(world(1.0), bandwidth)[0]
        assert earns["bounded"] == max(earns.values())
        assert earns["bounded"] == pytest.approx(world(1.0).calibration_error(norm=1))


@claim(
    "04_bets_and_kernels",
    "Those three are not nested, and each measures length in its own way: compare their bars with zero, "
    "not with each other.",
)
def test_three_classes_of_bets_are_not_nested():
    earned = [best_opponents(world(1.0), b)[0] for world in WORLDS.values() for b in BANDWIDTHS]
    for more, less in itertools.permutations(("constants", "linear", "RKHS ball"), 2):
        assert any(earns[more] > earns[less] + 1e-3 for earns in earned)


@claim(
    "04_bets_and_kernels",
    "Constants are blind to every world here except “favourite class”.",
    "With a large bandwidth the kernel is almost constant, and the RKHS ball earns nearly what constants earn.",
    "The Gaussian one is, at every bandwidth, but it may earn little: 1e-07 in “hidden top” at bandwidth 5.",
)
@claim(
    "notions/exercises",
    "On average over all predictions every class occurs as often as promised, so a fixed bet breaks even.",
)
def test_what_opponents_see():
    for name, world in WORLDS.items():
        world = world(1.0)
        mean = np.linalg.norm(world.weights @ (world.frequencies - world.predictions))
        assert (mean > 0.1) == (name == "favourite class") and (mean < 1e-12) == (name != "favourite class")
        ball = np.array([best_opponents(world, b)[0]["RKHS ball"] for b in (*BANDWIDTHS, 50, 500)])
        assert min(ball[: len(BANDWIDTHS)]) > 1e-12  # every bandwidth of the slider sees every world
        off = abs(ball - mean)[BANDWIDTHS.index(0.5) :]
        assert (np.diff(off) < 0).all()  # nearer with every larger bandwidth
        assert off[BANDWIDTHS.index(5.0) - BANDWIDTHS.index(0.5)] < max(ball) / 6 and off[-1] < max(ball) / 100
    world = WORLDS["hidden top"](1.0)
    p, miss = world.predictions, world.weights[:, None] * (world.frequencies - world.predictions)
    similar = np.exp(-((p[:, None] - p) ** 2).sum(axis=-1) / (2 * 5**2))
    assert f"{np.sqrt((similar * (miss @ miss.T)).sum()):.0e}" == "1e-07"
    assert opponent().set(world="hidden top", functions="RKHS ball", bandwidth=5.0).headline.endswith("barely seen")
    assert opponent().values["world"] != "six permutations"  # the guess before it asks what constants earn there


@claim(
    "04_bets_and_kernels",
    "(The ECE of section 4 is earned by a poorer opponent, who sees only the bin of the confidence "
    "and bets ±1 on “hit”.)",
)
def test_the_opponent_of_the_ece():
    for each in digits_cast().values():
        hit, confidence = hit_and_confidence(each.y_true, each.y_prob)
        which = np.ceil(confidence * 5).astype(int)
        pays = np.array([(hit - confidence)[which == m].sum() for m in range(1, 6)]) / len(hit)
        best = max(pays @ bet for bet in itertools.product([-1, 1], repeat=5))
        assert best == pytest.approx(expected_calibration_error(each.y_true, each.y_prob, n_bins=5), abs=1e-12)


def gaussian(p, q, bandwidth):
    return np.array([[np.exp(-0.5 * abs(a - b) ** 2 / bandwidth**2) for b in q] for a in p])


def test_no_smooth_bet_earns_more_than_the_best(seeds):
    p, r = the_game()
    K, rng = gaussian(p, p, GAMMA), seeds.rng(1)
    found = best_bets(p, r, True, GAMMA)
    most = ((r - p) * found).mean()
    assert found @ np.linalg.solve(K, found) == pytest.approx(1)
    assert earned(found, p, r, True, GAMMA) == (pytest.approx(most), pytest.approx(1), pytest.approx(most))
    for beta in rng.normal(size=(1000, 6)):  # through K β: every smooth bet there is, up to its length
        assert ((r - p) * (K @ beta)).mean() / np.sqrt(beta @ K @ beta) <= most + 1e-12
    found = np.round(found, 1)  # what sliders can do
    assert earned(found, p, r, True, GAMMA)[0] > 0.99 * most


@claim(
    "04_bets_and_kernels",
    "given $p$ the mean of $e_Y$ is $r(p)$: labels stand in for it.",
    "With its sign free, a bet can never lose where it is placed; what counts is the other half (± two standard",
    "In this split the forest pays whoever bets on its answers, naive Bayes whoever bets against them, and on the "
    "network this bet loses .001, which may be chance.",
)
def test_a_bet_on_digits():
    printed = printed_by("01_notions", "use-payoff")
    for name, sign, pays in (("random forest", 1, 5), ("naive Bayes", -1, 5), ("neural network", None, -2)):
        digits = digits_predictions(name)
        hit, c = hit_and_confidence(digits.y_true, digits.y_prob)
        placed, other = ((hit - c)[half::2] for half in (0, 1))
        collected, error = np.sign(placed.mean()) * other.mean(), other.std(ddof=1) / len(other) ** 0.5
        assert f"{name:15} placed {abs(placed.mean()):.3f}, collected {collected:+.3f} ± {2 * error:.3f}" in printed
        assert collected > pays * error and sign in (None, np.sign(placed.mean()))
    assert f"{collected:.3f}" == "-0.001"  # of the network, the last
    p, e = digits.y_prob[::2], np.eye(10)[digits.y_true[::2]]
    same = REFERENCE["payoff"](np.full(len(p), 1 / len(p)), p, e, np.full(p.shape, 0.5))
    assert abs(same) < 1e-15  # the same bet on all ten digits earns nothing, on any half


@claim(
    "04_bets_and_kernels",
    "1 if they are equal, .61 if they are one *bandwidth* $\\gamma$ apart, .01 at three.",
    "It says how similar the centres are, and $K\\beta$ is $b$ at the centres.",
    "Bumps that are far apart only add their $\\beta_a^2$.",
    "Where they meet, equal signs make $b$ longer and opposite signs shorter.",
    "no $b$ in the unit ball exceeds 1 anywhere, and none can change quickly, $|b(p) - b(q)| \\le \\|k(\\cdot, p) - "
    "k(\\cdot, q)\\| = \\sqrt{2 - 2\\,k(p, q)}$.",
)
@claim(
    "bets_and_kernels/exercises",
    "One row for each p, one column for each q, 1 where they are equal.",
    "divided by 2γ².",
    "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ².",
    "Divide by (2 * g**2).",
)
def test_bumps_and_their_length(seeds):
    k = REFERENCE["kernel_matrix"](np.array([0.0]), np.array([0.0, 0.2, 0.6]), 0.2)[0]
    assert 1 / 2 * 0.2**2 == (1 / 2) * 0.2**2 != 1 / (2 * 0.2**2)
    assert k[0] == 1 and f"{k[1]:.2f}" == "0.61" and f"{k[2]:.2f}" == "0.01"
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        centres, beta, bandwidth = rng.random(5), rng.normal(size=5), rng.choice([0.05, 0.1, 0.3, 1.0])
        K, squared = matrix_and_length(centres, beta, bandwidth)
        np.testing.assert_allclose(K, gaussian(centres, centres, bandwidth))
        np.testing.assert_allclose(REFERENCE["kernel_matrix"](centres, centres, bandwidth), K)
        np.testing.assert_allclose(sum_of_bumps(centres, centres, beta, bandwidth), K @ beta)
        pairs = itertools.product(range(5), repeat=2)
        assert squared == pytest.approx(sum(beta[a] * K[a, c] * beta[c] for a, c in pairs))
        at = np.linspace(0, 1, 60)
        b = sum_of_bumps(at, centres, beta, bandwidth) / np.sqrt(squared)
        assert abs(b).max() <= 1 + 1e-9
        steepest = np.sqrt(2 - 2 * np.minimum(gaussian(at, at, bandwidth), 1))
        assert (abs(b[:, None] - b) <= steepest + 1e-7).all()
        apart = matrix_and_length(np.arange(5.0), beta, 0.1)[1]
        assert apart == pytest.approx((beta**2).sum())
        signs = abs(beta)
        assert matrix_and_length(centres, signs, bandwidth)[1] > (beta**2).sum()
        two = signs[:2]
        assert matrix_and_length([0.4, 0.5], two * [1, -1], 0.3)[1] < (two**2).sum()


@claim(
    "04_bets_and_kernels",
    "every sum of “bumps” is a straight line $b(p) = v_0 + v_1 p$; and $\\vec b = (v_0, v_1)$.",
    "So $\\langle b,\\, k(\\cdot, p)\\rangle = b(p)$, the *reproducing property*.",
)
@claim(
    "bets_and_kernels/exercises",
    "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5.",
    "By features: b is 3 (1, 0) − (1, 1) = (2, −1), so b(p) = 2 − p, of squared length 4 + 1.",
)
def test_two_features_by_hand(seeds):
    def k(p, q):
        return 1 + np.multiply.outer(p, q)

    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        centres, beta, p = rng.random(4), rng.normal(size=4), rng.random()
        a, b = beta.sum(), beta @ centres
        assert k(p, centres) @ beta == pytest.approx(a + b * p)
        assert beta @ k(centres, centres) @ beta == pytest.approx(a**2 + b**2)
        assert beta @ k(centres, p) == pytest.approx(np.array([a, b]) @ [1, p])  # ⟨b, k(·, p)⟩ = Σ β_a k(p_a, p)
    K, beta = k(np.array([0.0, 1.0]), np.array([0.0, 1.0])), np.array([3, -1])
    assert K.tolist() == [[1, 1], [1, 2]] and beta @ K @ beta == 5 == REFERENCE["length_by_hand"]
    assert (beta @ [[1, 0], [1, 1]]).tolist() == [2, -1]


@claim("04_bets_and_kernels", "These are the numbers of the picture above, as it opens.")
def test_the_picture_of_bumps_as_it_opens():
    shown, K = three_bumps(), gaussian([0.2, 0.5, 0.8], [0.2, 0.5, 0.8], 0.2)
    beta = np.array([1, 0.8, -0.5])
    assert f"‖b‖² = {beta @ K @ beta:.2f}," in shown.headline and f"sum is {(K @ beta)[1]:.3f}" in shown.sentence
    assert "‖b‖² = 2.14," in shown.headline and "sum is 0.962" in shown.sentence


@claim(
    "04_bets_and_kernels",
    "Even of a calibrated model the mean of MMCE² over labels is not 0: each of the $n$ digits is also paired with "
    "itself, which adds the mean of $c\\,(1 - c)$, divided by $n$",
    "and collects on the other half, where a calibrated model pays 0 on average.",
)
@pytest.mark.parametrize("ties", [False, True])
def test_a_calibrated_model_has_an_mmce_and_pays_nothing(ties, seeds):
    c = digits_predictions("logistic regression").y_prob.max(axis=1)[:300]
    c = np.maximum(np.round(c, 1), 0.3) if ties else c  # confidences that are shared, and some of 1
    kernel = REFERENCE["kernel_matrix"]
    collected, promised, mmce = [], [], []
    K = kernel(c, c, 0.1)
    for seed in seeds(400):
        hit = (np.random.default_rng(seed).random(len(c)) < c).astype(float)
        bet, placed = best_bet(kernel, c[::2], hit[::2], 0.1, c[1::2])
        promised.append(placed)
        mmce.append((hit - c) @ K @ (hit - c) / len(c) ** 2)
        collected.append((bet * (hit - c)[1::2]).mean())
    adds = (c * (1 - c)).mean() / len(c)
    assert (len(np.unique(c)) < 10 and (c == 1).any()) == ties and adds > 0
    assert mean_within(mmce, adds) and not mean_within(mmce, 0) and not mean_within(mmce, 2 * adds)
    assert mean_within(collected, 0) and not mean_within(collected, np.mean(promised))


def earned_by_lipschitz_bets(weights, p, r):
    """sup E (r − p) b(p) over |b| ≤ 1 and |b(p) − b(q)| ≤ |p − q|: neighbours suffice. A linear program."""
    order = np.argsort(p)
    weights, p, r = (np.asarray(each, float)[order] for each in (weights, p, r))
    steps = np.diff(np.eye(len(p)), axis=0)
    solved = linprog(
        -weights * (r - p), A_ub=np.vstack([steps, -steps]), b_ub=np.tile(np.diff(p), 2), bounds=(-1, 1), method="highs"
    )
    return -solved.fun


def nudged(by, n=1000):
    """Labels and scores: half of the events happen, and scores of ½ move up where they do and down where not."""
    y = np.arange(n) % 2
    return y, 0.5 + by * np.where(y == 1, 1, -1)


@claim(
    "04_bets_and_kernels",
    "A model says .5 of an event that happens half of the time: it is calibrated.",
    "Now every score moves by .001, up where the event happens and down where it does not.",
    "Bets of any shape tell .501 from .499, and the ECE jumps from 0 to .499.",
    "A Lipschitz bet hardly tells the two scores apart and earns .0005.",
    "by it the nudged model is better.",
    "by it “always .6” is better.",
    "So it is small where the distance is, but need not rank two models as the distance does (move to .05).",
)
@claim("bets_and_kernels/nudge", "“always .6”", "always .6", "always .6: 0.100 by each", "The other model: 0.1 by each.")
@claim(
    "notions/exercises",
    "½ · .48 · (b(.52) − b(.48)), and a Lipschitz bet changes by .04 there at most.",
    "Any bets between −1 and 1 earn .48.",
    "It earns ½ · .48 · b(.52) where the event happens and −½ · .48 · b(.48) where it does not.",
    "(Your number is the distance to calibration.)",
    "From .52 to 1 it is .48",
)
def test_a_small_nudge():
    for by in (0.0, 0.001, 0.02, 0.05, 0.2):
        y, p = nudged(by)
        found = four_errors(by)
        assert found["ece"] == pytest.approx(expected_calibration_error(y, p, n_bins=10), abs=1e-12)
        assert found["smece"] == pytest.approx(smooth_calibration_error(y, p), abs=1e-6)
        if by:
            bets = earned_by_lipschitz_bets([0.5, 0.5], [0.5 - by, 0.5 + by], [0, 1])
            assert found["lipschitz_bets"] == pytest.approx(bets)
            points = round(1 / by) + 1
            assert found["distance"] == pytest.approx(distance_to_calibration(y, p, 2 * points - 1)[0], abs=1e-9)
    y, always = np.arange(1000) % 2, np.full(1000, 0.6)
    assert smooth_calibration_error(y, always) == pytest.approx(0.1) == expected_calibration_error(y, always)
    assert distance_to_calibration(y, always)[0] == pytest.approx(0.1)
    assert earned_by_lipschitz_bets([1], [0.6], [0.5]) == pytest.approx(0.1)
    small, larger = four_errors(0.001), four_errors(0.05)
    assert small["ece"] == pytest.approx(0.499) and f"{small['lipschitz_bets']:.4f}" == "0.0005"
    assert small["ece"] > 0.1 > max(small["smece"], small["distance"])
    assert larger["smece"] > 0.1 > larger["distance"]
    asked = four_errors(0.02)
    assert asked["lipschitz_bets"] == pytest.approx(0.0096) and asked["distance"] == pytest.approx(0.0192)
    assert asked["ece"] == pytest.approx(0.48)


@claim("04_bets_and_kernels", "if $\\gamma \\ge 1$, all bets of the RKHS ball of section 5 are such bets.")
def test_the_unit_ball_is_lipschitz_at_large_bandwidths(seeds):
    at = np.linspace(0, 1, 80)
    apart = abs(at[:, None] - at)
    for bandwidth in (1.0, 2.0, 5.0):
        k = gaussian(at, at, bandwidth)
        assert (np.sqrt(2 - 2 * np.minimum(k, 1)) <= apart / bandwidth + 1e-7).all()
    for seed in seeds(20):
        centres, beta = seeds.rng(2, seed).random(4), seeds.rng(3, seed).normal(size=4)
        b = sum_of_bumps(at, centres, beta, 1.0) / np.sqrt(matrix_and_length(centres, beta, 1.0)[1])
        assert (abs(b[:, None] - b) <= apart + 1e-7).all()


@claim(
    "04_bets_and_kernels",
    "The best Lipschitz bet earns between half of the distance and twice the distance.",
    "it lies between half of the distance and twice its root.",
)
def test_two_errors_stay_near_the_distance(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng([60, seed])
        p = rng.random(8).round(2)[rng.integers(0, 8, 60)]
        y = (rng.random(60) < p ** rng.choice([0.3, 1, 3])).astype(int)
        distance, coarse = distance_to_calibration(y, p)
        kinds = np.unique(p)
        r = np.array([y[p == each].mean() for each in kinds])
        bets = earned_by_lipschitz_bets([(p == each).mean() for each in kinds], kinds, r)
        least = (distance - coarse) / 2
        assert least <= bets <= 2 * distance and least <= smooth_calibration_error(y, p) <= 2 * np.sqrt(distance)


@claim(
    "04_bets_and_kernels",
    "how far scores must move, on average, until they are calibrated, if each may move by itself and knowing "
    "its outcome (Błasiok et al., 2023, *lower* distance)",
)
def test_scores_that_move_together_have_a_longer_way():
    for by in (0.01, 0.05):
        p, r = np.array([0.5 - by, 0.5 + by]), np.array([0.5 + by, 0.5 - by])
        happened = np.round(100 * r).astype(int)
        y = np.concatenate([np.arange(100) < each for each in happened]).astype(int)
        together = min(by, abs(p - r).mean())  # both scores to ½, or each to its own frequency
        bets = earned_by_lipschitz_bets([0.5, 0.5], p, r)
        distance, coarse = distance_to_calibration(y, np.repeat(p, 100))
        assert (distance - coarse) / 2 <= bets <= 2 * distance and distance <= 4 * by**2
        assert bets < together / 5


@claim(
    "04_bets_and_kernels",
    "The smECE needs no bins, and counts random noise as error, as the ECE does (notebook 02):",
)
def test_noise_adds_to_both_errors(seeds):
    found = []
    for seed in seeds(20):
        rng = np.random.default_rng([61, seed])
        p = rng.random(300)
        y = (rng.random(300) < p).astype(int)  # calibrated
        found.append((expected_calibration_error(y, p), smooth_calibration_error(y, p)))
    assert np.min(found) > 0.005 and not mean_within(np.array(found)[:, 1], 0, 0.02)


@claim("04_bets_and_kernels", "only relative lengths matter (one that would leave the triangle ends at its edge).")
def test_arrows_of_bets_stay_in_the_triangle():
    shown = opponent()
    for world, functions in itertools.product(WORLDS, ("constants", "linear", "RKHS ball", "bounded")):
        shown.set(world=world, functions=functions)
        for drawn in (shown.artists["triangle"].arrows, shown.artists["between"]):
            for path in drawn.get_paths():
                x, y = path.vertices[3]  # its tip
                top = 2 * y / np.sqrt(3)
                assert min(top, x - top / 2, 1 - x - top / 2) > -1e-9
