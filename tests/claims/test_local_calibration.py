"""What lesson 05 says, computed anew or read from the stored summary of its full run (tests/reproductions)."""

import re
from functools import cache

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom
from seeds import as_shown, mean_within, within
from sentences import NOTEBOOKS, said
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from splits import trained

from calibtutor import (
    IsotonicCalibration,
    audit,
    expected_calibration_error,
    klce,
    klce_test,
    local_calibration_bias,
    median_bandwidth,
    rbf,
    reliability_curve,
    top_label,
)
from calibtutor.data.local_worlds import clustered, group_shift, hidden_feature, shifted
from calibtutor.lessons.local_calibration import derivations, exercises, planting, scenes
from calibtutor.lessons.local_calibration import simulations as sims
from calibtutor.pvalues import aggregated_pvalue, rank_pvalues
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.reproductions.local import LEVELS

slow = pytest.mark.slow
SLACK = 1e-12  # p-values of ranks are multiples of 1/(B + 1), up to rounding
WEAR_KERNELS = {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}


def some_or_more(few, more):
    """A few data sets, or as many as give the range teeth."""
    return pytest.mark.parametrize("data_sets", [few, pytest.param(more, marks=slow)])


def most(hits, n=20):
    """Whether so many of 20 splits support “on most splits”: fewer than 11 do not."""
    assert n == 20
    return within(hits, n, 0.93, 1)


def statistics(K, delta):
    """Σ_{i≠j} K_ij δ_i δ_j of every column."""
    return ((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2


def redrawn(null, y, p, n_draws, rng):
    """Residuals of so many draws, a column each."""
    delta, shape = p - y, (len(y), n_draws)
    if null == "labels":
        return p[:, None] - (rng.random(shape) < p[:, None])
    if null == "residuals":
        return delta[rng.integers(len(y), size=shape)]
    if null == "signs":
        return delta[:, None] * rng.choice([-1, 1], shape)
    return rng.permuted(np.tile(delta[:, None], n_draws), axis=0)


def pvalue(y, p, K, null, n_draws, rng):
    values = statistics(K, np.column_stack([p - y, redrawn(null, y, p, n_draws, rng)]))
    if null == "centred-permutation":
        values[1:] -= values[1:].mean()
    return rank_pvalues(values)[0]


def rejected(pvalues):
    """How many p-values are at most .05, a test each."""
    return (np.asarray(pvalues) <= 0.05 + SLACK).sum(axis=0)


# --- the opening ---


@cache
def another_scanner(model, seed):
    """The worn scanner on another split: hits, confidences, noise."""
    pixels, labels = load_digits(return_X_y=True)
    train, clean, y_train, y_test = train_test_split(
        pixels / 16, labels, test_size=0.6, stratify=labels, random_state=seed
    )
    rng = np.random.default_rng(seed)
    noisy = train + 0.1 * rng.standard_normal(train.shape)
    wear = rng.uniform(0, 0.5, len(clean))
    y_prob = trained(model, noisy, y_train, clean + wear[:, None] * rng.standard_normal(clean.shape))
    return (*top_label(y_test, y_prob), wear)


def crossed(hit, p, half):
    return sims.crossed(IsotonicCalibration, hit, p, half)


def halves(n, rng):
    return rng.permutation(n) % 2


def opening_and_repair(seed, rng):
    """What is said of the network on a split: of its quarters, and of p + LCB against isotonic regression."""
    hit, p, wear = another_scanner("neural network", seed)
    half = halves(len(p), rng)
    isotonic, repaired = crossed(hit, p, half), mended(hit, p, wear, half)
    miss, error = sims.quarters(hit, isotonic, wear)
    brier = [np.mean((each - hit) ** 2) for each in (p, isotonic, repaired)]
    return miss[0] < -2 * error[0] and miss[3] > 2 * error[3], brier[2] < min(brier[:2])


@claim(
    "05_local_calibration",
    "On most other splits of the digits, too, the network is too modest on the cleanest quarter and too sure on the "
    "worst one, beyond two standard errors.",
    "On other splits the Brier score is usually below that of isotonic regression, too.",
)
@slow
def test_the_worn_scanner_on_other_splits(seeds):
    quarters, brier = np.sum([opening_and_repair(seed, seeds.rng(1, seed)) for seed in seeds(20)], axis=0)
    assert most(quarters) and most(brier)


@claim("05_local_calibration", "no quarter is off beyond chance, in this split.")
def test_the_forest_is_fine_in_four_quarters():
    miss, error = sims.quarters(*sims.scans("random forest", True)[:3])
    assert (np.abs(miss) < 2 * error).all()


@some_or_more(10, 60)
@claim(
    "05_local_calibration",
    "That brings the mean near 0 almost by itself, and makes the grey a little too wide: if labels are drawn from such "
    "a map, a quarter leaves it in 2 to 4 % of cases.",
)
def test_cross_fitted_quarters_keep_their_band(data_sets, seeds):
    """Labels drawn from an isotonic map of the network's confidences, which knows nothing of the noise."""
    hit, p, wear, _ = sims.scans("neural network", False)
    r = IsotonicCalibration().fit(hit, p).predict_proba(p)
    off, mean = [], []
    for number in range(5 * data_sets):
        rng = seeds.rng(2, number)
        y = rng.random(len(p)) < r
        said = crossed(y, p, halves(len(p), rng))
        miss, error = sims.quarters(y, said, wear)
        off.append((np.abs(miss) > 2 * error).mean())
        mean.append(abs((said - y).mean()) * np.sqrt(len(y)) / (said - y).std())
    assert mean_within(off, 0.02, 0.04) and np.quantile(mean, 0.95) < 1  # without cross-fitting, about 2


# --- which rows are tested ---


@some_or_more(40, 400)
@claim(
    "05_local_calibration",
    "Cross-fitted predictions of all rows make the test conservative here (*Platt*): each map copies the "
    "chance of its half, and the two misses cancel.",
    "Draw new labels from $r$ for the same predictions (line), and more than one in twelve data sets are "
    "rejected, not one in fifty.",
    "With *isotonic* regression and 100 rows cross-fitting rejects too often instead, so it promises no level.",
    "**A clean half tests the fitted map**, which is itself a little off: to reject it is right, and no false alarm.",
)
def test_three_ways_to_choose_rows(data_sets, seeds):
    n = data_sets
    platt, isotonic = (
        np.array([sims.pvalues_by_rows(name, rows, seeds.rng(3, rows, k)) for k in range(many)])
        for name, rows, many in (("Platt", 400, n), ("isotonic", 100, 2 * n))
    )
    true, cross, again, clean = rejected(platt)
    assert within(true, n, 0.05) and within(cross, n, 0, 0.02)
    assert within(again, n, 1 / 12, 0.16) and within(clean, n, 0.09, 0.18)
    assert within(rejected(isotonic)[0], 2 * n, 0.05) and within(rejected(isotonic)[1], 2 * n, 0.08, 0.17)
    assert mean_within(platt[:, 0], 0.525)  # of ranks from 1 to 20
    if n > 100:
        assert not mean_within(platt[:, 1], 0, 0.525)
        assert platt[:, 3].mean() < 0.525 - 1.5 * platt[:, 3].std() / np.sqrt(n)  # about 5.5 standard errors below
        # The same predictions and the same true chances: only the labels differ.
        only = rejected(platt[:, 1:3] + (platt[:, 2:0:-1] <= 0.05 + SLACK))
        assert only[1] > only[0] and not within(only[0], only.sum(), 0.5)
        assert rejected(isotonic)[1] > binom.ppf(0.999, 2 * n, 0.05)


def test_over_both_halves_the_noise_cancels(seeds):
    """Platt's map makes the mean residual of its own half 0, so on the other half it is off by that half's luck."""
    sums = []
    for number in range(200):
        rng = seeds.rng(4, number)
        said, half = rng.uniform(0.05, 0.95, 400), halves(400, rng)
        y, again = rng.random((2, 400)) < said
        mapped = sims.crossed(sims.METHODS["Platt"], y, said, half)
        spread = np.sqrt(said @ (1 - said))
        sums.append([(mapped - labels).sum() / spread for labels in (y, again)])
    own, new = np.std(sums, axis=0)
    assert own < 0.3 and 1.1 < new < 2  # independent labels would give 1; two noises give √2


@claim(
    "05_local_calibration",
    "is within .05 of the diagonal where most images are (at 0 there are 11, and 4 of them are right).",
)
def test_the_diagram_of_the_opening():
    hit, p, _, _ = sims.scans("neural network", True)
    assert (p == 0).sum() == 11 and hit[p == 0].sum() == 4
    curve = reliability_curve(hit, p, n_bins=10)
    near = np.abs(curve.frequency - curve.confidence) < 0.0505
    assert curve.count[near].sum() > 0.9 * len(p)


# --- three notions ---


@some_or_more(30, 150)
@claim(
    "local_calibration/exercises",
    "If frequencies are p + .15 on one side and p − .15 on the other, the model is calibrated, and the test of "
    "notebook 04 rejects in about one of twenty data sets (n = 500, level .05).",
    "The local test rejects in more than 19 of 20.",
)
def test_calibrated_and_wrong_on_both_sides(data_sets, seeds):
    found = []
    for number in range(data_sets):
        rng = seeds.rng(22, number)
        y, p, X = group_shift(0.15, 500, rng)
        k = rbf(bandwidth=median_bandwidth(p[:, None]))(p[:, None])
        l = rbf(bandwidth=median_bandwidth(X))(X)
        found.append([pvalue(y, p, K, "labels", 99, rng) for K in (k, k * l)])
    global_, local = rejected(found)
    assert within(global_, data_sets, 0.05) and within(local, data_sets, 0.95, 1)


@claim(
    "local_calibration/exercises",
    "¼ · .12 + ¾ · gap = 0.",
    "the squares still add up to ¼ · .0144 + ¾ · .0016 = .0048, not 0.",
    "That is the weighted part, ¼ · .12.",
    "Then the overall gap would be ¼ · .12, and the model not right on average.",
)
def test_two_groups():
    gap = exercises.check.other_group.reference
    assert abs(0.12 / 4 + 0.75 * gap) < SLACK
    assert abs(0.12**2 / 4 + 0.75 * gap**2 - 0.0048) < SLACK and round(gap**2, 4) == 0.0016
    assert round(0.12**2, 4) == 0.0144


@claim(
    "local_calibration/exercises",
    "Say .2 or .8 by a coin, and let Y be another coin: with l ≡ 1, and k 1 for equal predictions and else 0, KLCE² is "
    ".045.",
    "With k ≡ 1 it is 0, although these predictions know nothing.",
)
def test_two_coins():
    p, gap = np.array([0.2, 0.8]), np.array([0.2, 0.8]) - 0.5
    assert abs(sum(0.25 * gap[a] * gap[b] * (p[a] == p[b]) for a in (0, 1) for b in (0, 1)) - 0.045) < SLACK
    assert abs(gap.mean()) < SLACK  # with k ≡ 1 only the mean residual at a feature counts


# --- inference ---


@claim(
    "05_local_calibration",
    "so that $\\sum_i y_i\\,(\\mathrm{age}_i - A) = 0$.",
    "Then the answer from predictions is off by exactly $\\sum_i (p_i - y_i)(\\mathrm{age}_i - A) \\,/ \\sum_i p_i$.",
    "**This question needs one sum to be 0**",
)
@claim("local_calibration/exercises", "Its error is Σ(p − y)(I − A)/Σp, A being the mean with labels.")
def test_one_sum_decides(seeds):
    rng = seeds.rng(5)
    for _ in range(20):
        age, p, y = rng.uniform(20, 80, 200), rng.random(200), rng.integers(0, 2, 200)
        A = age @ y / y.sum()
        assert abs(y @ (age - A)) < 1e-9
        assert abs(exercises.inference_estimate(age, p) - A - (p - y) @ (age - A) / p.sum()) < 1e-10
    age, _, owning = sims.town()
    for tilt in (-0.5, 0.2, 0.4):
        for where in ("age", "something else"):
            p = sims.said_at_each_age(tilt, where)
            off = sims.mean_age_of_owners(p) - sims.mean_age_of_owners(owning)
            assert abs(off - sims.moment(p) / (sims.town()[1] @ p)) < 1e-10
            assert abs(sims.town()[1] @ (p - owning)) < 1e-12  # right on average
    assert (age[0], age[-1]) == (20, 80)


@claim(
    "05_local_calibration",
    "Local calibration makes all of them 0 on average if $A$ is a fixed number; the $A$ of a sample leaves the answer "
    "a bias of order $1/n$.",
)
def test_the_mean_age_of_a_sample_depends_on_its_labels(seeds):
    rng, off = seeds.rng(6), {}
    for n, data_sets in ((10, 20_000), (40, 80_000)):
        age = rng.uniform(20, 80, (data_sets, n))
        p = 0.1 + 0.8 * (age - 20) / 60
        y = rng.random(p.shape) < p  # locally calibrated
        fixed = ((p - y) * (age - 60)).sum(axis=1)
        assert mean_within(fixed, 0)
        use = y.any(axis=1)
        answers = (age * p).sum(axis=1)[use] / p.sum(axis=1)[use] - (age * y).sum(axis=1)[use] / y.sum(axis=1)[use]
        assert not mean_within(answers, 0)
        off[n] = answers.mean()
    assert 2.5 < off[10] / off[40] < 6  # 4, if it is of order 1/n


@claim("local_calibration/scenes", "said − happened: … at 20, … at 80")
def test_the_ages_of_the_town():
    assert sims.town()[0][[0, -1]].tolist() == [20, 80]


# --- two kernels ---


@claim(
    "05_local_calibration",
    "A size that may be compared is the RMS error between bins of said − happened, with its interval, as "
    "`audit` (notebook 08) prints it.",
    "SKCE and KLCE² values compare only with one kernel, fixed for all models; then they say what the same bets earn, "
    "not by how many points a model misses.",
)
def test_a_size_that_may_be_compared():
    """A miss of .1 everywhere: eq. 4 depends on the kernel and on where predictions lie, the RMS miss does not."""
    u, found = np.linspace(-1, 1, 401), {}
    for spread in (0.4, 0.02):
        for bandwidth in (0.1, 0.5):
            found[spread, bandwidth] = 0.01 * rbf(bandwidth=bandwidth)((0.5 + spread * u)[:, None]).mean()
    assert found[0.02, 0.1] > 3 * found[0.4, 0.1] and found[0.4, 0.5] > 2 * found[0.4, 0.1]
    p = np.tile(np.linspace(0.1, 0.9, 60), 50)
    y = np.arange(3000) // 60 < np.round(50 * (p - 0.1))
    size = audit(y.astype(int), p, rng=as_shown(0), n_resamples=99).tables["size"].set_index("quantity")
    low, rms, high = size.loc["RMS error", ["low", "estimate", "high"]]
    assert low < 0.1 < high and abs(rms - 0.1) < 0.02


@claim(
    "05_local_calibration",
    "The paper's library divides by the mean of the kernel in addition (errata K1), which leaves the p-value as it is.",
)
def test_both_rulers_have_one_pvalue(seeds):
    rng = seeds.rng(7)
    for _ in range(20):
        y, p, X = group_shift(0.1, 40, rng)
        K = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.3)(X)
        drawn = p - (rng.random((19, 40)) < p)
        matrices = [K * np.outer(delta, delta) for delta in (p - y, *drawn)]
        ranks = [rank_pvalues(np.array([f(h) for h in matrices]))[0]
                 for f in (exercises.eq4, lambda h, K=K: exercises.klce_library(h, K))]  # fmt: skip
        assert ranks[0] == ranks[1]


@claim(
    "05_local_calibration",
    "In the first world the frequencies are .2 too high on the right and .2 too low on the left, at every prediction.",
    "With $l = 1$ left and right meet, and nothing is seen: that is the KCE of notebook 04.",
    "Choose *wrong everywhere*: each of the three sees it.",
    "a narrow kernel counts fewer pairs.",
)
def test_what_each_kernel_sees(seeds):
    """At the picture's first bandwidths: on the picture's data, and on 20 other data sets of each world."""
    modes = (0.1, 0.3), (0.1, None), (None, 0.3)
    for world, seen in ((sims.HALF_WORLDS[0], [True, False, True]), (sims.HALF_WORLDS[1], [True] * 3)):
        values, noise = sims.half_tables(world)
        assert [bool(scenes.stands_out(values[mode], noise[mode])) for mode in modes] == seen
    noise = sims.half_noise(sims.HALF_WORLDS[2])
    assert noise[0.02, 0.05] < noise[0.1, 0.3] < noise[1.0, 3.0]  # smaller numbers, on both sides of the comparison
    found = []
    for number in range(20):
        rng = seeds.rng(61, number)
        y, p, X = group_shift(0.2, 1000, rng)
        k, l = rbf(bandwidth=0.1)(p[:, None]), rbf(bandwidth=0.3)(X[:, :1])
        delta, v = (p - y)[:, None], p * (1 - p)
        for K in (k * l, k, l):
            spread = np.sqrt(2 * (v @ (K * K) @ v - v @ v))
            found.append(statistics(K, delta)[0] > scenes.OUT * spread)
    both, without_l, without_k = np.reshape(found, (20, 3)).sum(axis=0)
    assert within(both, 20, 0.98, 1) and within(without_k, 20, 0.98, 1) and within(without_l, 20, 0, 0.01)


@claim(
    "local_calibration/scenes",
    "pairs of the yellow add (red) or not; grey: chance, ≥ 99%",
)
def test_four_standard_deviations(seeds):
    rng = seeds.rng(8)
    draws = rng.standard_normal(200_000) ** 2  # the least regular sum of pairs
    assert within(((draws - 1) / np.sqrt(2) > scenes.OUT).sum(), 200_000, 0.0095, 0.01)
    y, p, x = sims.half_world(sims.HALF_WORLDS[2])
    K = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.3)(x[:, None])
    values = statistics(K, redrawn("labels", y, p, 2000, rng)) / (len(p) * (len(p) - 1))
    assert within((values > scenes.OUT * sims.half_noise(sims.HALF_WORLDS[2])[0.1, 0.3]).sum(), 2000, 0, 0.01)


def found_anew(error, size, data_sets, seeds):
    """`planting.found` by hand on fresh data sets, a row each: what each pair rejects, and the aggregated test."""
    found = []
    for number in range(data_sets):
        rng = seeds.rng(32, number)
        p, x = rng.uniform(0.25, 0.75, planting.ROWS), rng.uniform(-1, 1, planting.ROWS)
        y = rng.random(planting.ROWS) < p - planting.miss(error, size, p, x)
        delta = np.column_stack([p - y, redrawn("labels", y, p, 99, rng)])
        values = np.array([statistics(planting.together(p, x, widths), delta) for widths in planting.KERNELS.values()])
        _, aggregated, single = aggregated_pvalue(values)
        found.append(np.append(single, aggregated))
    return np.array(found) <= 0.05 + SLACK


@some_or_more(40, 300)
@claim(
    "05_local_calibration",
    "Ten stripes of size .2 need a narrow $l$, and no $k$: $k = 1$ finds 94 % of them, the pair “both, wide” 13 % "
    "here and some 8 % of other data sets.",
    "One spot hides from all four: at size .2 none finds half.",
    "The aggregated test of notebook 04 over the four is at most some 20 points behind the best of them",
)
def test_what_the_game_says_on_new_data_sets(data_sets, seeds):
    at = list(planting.KERNELS).index
    shown = planting.found("ten stripes", 0.2)
    assert [round(shown[at(each)], 2) for each in ("k = 1", "both, wide")] == [0.94, 0.13]
    stripes = found_anew("ten stripes", 0.2, data_sets, seeds).sum(axis=0)
    assert within(stripes[at("k = 1")], data_sets, 0.92, 0.96)
    assert within(stripes[at("both, wide")], data_sets, 0.06, 0.10)
    spot = found_anew("one spot", 0.2, data_sets, seeds).sum(axis=0)
    assert all(within(each, data_sets, 0, 0.45) for each in spot[:4]) and planting.found("one spot", 0.2).max() < 0.45
    behind = {(e, s): planting.found(e, s)[:4].max() - planting.found(e, s)[4]
              for e in planting.ERRORS for s in planting.SIZES}  # fmt: skip
    assert max(behind, key=behind.get) == ("ten stripes", 0.15) and abs(max(behind.values()) - 0.2) < 0.025
    most = found_anew("ten stripes", 0.15, data_sets, seeds)
    assert mean_within(most[:, at("k = 1")] - 1.0 * most[:, 4], 0.15, 0.24)  # .22 ± .015 in 800


@some_or_more(40, 200)
@claim(
    "local_calibration/exercises",
    "with one kernel alone nothing is left.",
    "Both together find it in some 93 % (wide) and more than 98 % (narrow) of data sets at size .2.",
)
def test_four_corners_hide_from_one_kernel(data_sets, seeds):
    at = list(planting.KERNELS).index
    found = found_anew("four corners", 0.2, data_sets, seeds).sum(axis=0)
    assert within(found[at("both, wide")], data_sets, 0.91, 0.95)
    assert within(found[at("both, narrow")], data_sets, 0.98, 1)
    assert all(within(found[at(one)], data_sets, 0.05) for one in ("l = 1", "k = 1"))
    for size in planting.SIZES:
        shown = planting.found("four corners", size)
        assert all(within(round(200 * shown[at(one)]), 200, 0.05) for one in ("l = 1", "k = 1"))


@claim("local_calibration/games", "At level .05 the exact test rejects: … .")
def test_the_game_by_other_means(seeds):
    """The public test on fresh data sets, for the pair that sees stripes best and for one that does not."""
    found = []
    for number in range(40):
        rng = seeds.rng(31, number)
        p, x = rng.uniform(0.25, 0.75, 300), rng.uniform(-1, 1, 300)
        y = (rng.random(300) < p - planting.miss("ten stripes", 0.2, p, x)).astype(int)
        one = lambda X, Y=None: np.ones((len(X), len(X if Y is None else Y)))
        for kernels in ((one, rbf(bandwidth=0.1)), (rbf(bandwidth=0.2), rbf(bandwidth=0.5))):
            found.append(klce_test(y, p, x, prob_kernel=kernels[0], feature_kernel=kernels[1], n_resamples=99, rng=rng))
    counts = rejected(np.array([each.pvalue for each in found]).reshape(40, 2))
    assert within(counts[0], 40, 0.92, 0.96) and within(counts[1], 40, 0.06, 0.10)
    assert planting.LEVEL == 0.05


# --- nulls ---

LINES = {
    "labels": "p - (rng.random(n) < p)",
    "residuals": "rng.choice(delta, n)",
    "permutation": "rng.permutation(delta)",
    "centred-permutation": "rng.permutation(delta)",
    "signs": "rng.choice([-1, 1], n) * delta",
}


@claim(
    "05_local_calibration",
    "labels | `p - (rng.random(n) < p)` |",
    "residuals | `rng.choice(delta, n)` |",
    "permutation | `rng.permutation(delta)` |",
    "signs | `rng.choice([-1, 1], n) * delta` |",
)
def test_a_line_of_code_is_the_null_of_klce_test(seeds):
    y, p, x = clustered(0.4, 60, seeds.rng(10))
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=1.0)}
    K, n = kernels["prob_kernel"](p[:, None]) * kernels["feature_kernel"](x), 60
    for null, line in LINES.items():
        names = {"p": p, "delta": p - y, "n": n, "rng": seeds.rng(9)}
        values = statistics(K, np.column_stack([eval(line, names) for _ in range(3000)])) / (n * (n - 1))
        if null == "centred-permutation":
            values -= values.mean()
        expected = klce_test(y, p, x, null=null, n_resamples=3000, rng=seeds.rng(11), **kernels).null_distribution
        room = 5 * expected.std() / np.sqrt(3000)
        assert abs(values.mean() - expected.mean()) <= 2 * room + 1e-12, null
        assert abs(values.std() - expected.std()) <= 3 * room + 1e-12, null


@some_or_more(100, 1000)
@claim(
    "local_calibration/exercises",
    "A fifth of the people share their features and are told .5; all others stand alone and are told .02 or .98.",
    "Which null distribution makes the test reject at .05 more than one time in eight?",
    "A permutation gives the crowd the small residuals of the confident, so its draws are too narrow: between 16 and "
    "20 % of data sets are rejected (n = 200), as many if the draws are centred as in the authors' library, 14 to 18 % "
    "with Algorithm 1.",
    "Random signs reject 4 to 7 %, redrawn labels 3 to 5 %",
)
def test_the_doubtful_crowd(data_sets, seeds):
    found = []
    for number in range(data_sets):
        rng = seeds.rng(21, number)
        y, p, x = clustered(0.2, 200, rng)
        K = rbf(width=0.1)(p[:, None]) * rbf(gamma=1.0)(x)
        found.append([pvalue(y, p, K, null, 99, rng) for null in
                      ("residuals", "permutation", "centred-permutation", "signs", "labels")])  # fmt: skip
    residuals, permuted, centred, signs, labels = rejected(found)
    assert within(permuted, data_sets, 0.16, 0.20) and within(centred, data_sets, 0.16, 0.20)
    assert within(residuals, data_sets, 0.14, 0.18)
    assert within(signs, data_sets, 0.04, 0.07) and within(labels, data_sets, 0.03, 0.05)
    assert within(permuted, data_sets, 1 / 8, 1)
    if data_sets > 100:
        assert permuted > data_sets / 8 > signs


@some_or_more(15, 250)
@claim("local_calibration/exercises", "More data do not help: permuted, still so at n = 800.")
def test_more_data_do_not_help(data_sets, seeds):
    found = []
    for number in range(data_sets):
        rng = seeds.rng(21, number)
        y, p, x = clustered(0.2, 800, rng)
        K = rbf(width=0.1)(p[:, None]) * rbf(gamma=1.0)(x)
        found.append(pvalue(y, p, K, "permutation", 39, rng))
    assert within(rejected(found), data_sets, 0.16, 0.20)


@some_or_more(60, 300)
@claim(
    "local_calibration/exercises",
    "A model says .15 too little for nearly everyone, and you have 200 labels.",
    "How often does Algorithm 1 notice, at level .05?",
    "In less than 1 % of data sets.",
    "With redrawn labels the test rejects in more than 90 %.",
)
def test_a_constant_shift(data_sets, seeds):
    found = []
    for number in range(data_sets):
        rng = seeds.rng(23, number)
        y, p, X = shifted(0.15, 200, rng)
        K = rbf(width=0.1)(p[:, None]) * rbf(gamma=0.5)(X)
        found.append([pvalue(y, p, K, null, 199, rng) for null in ("residuals", "labels")])
    residuals, labels = rejected(found)
    assert within(residuals, data_sets, 0, 0.01) and within(labels, data_sets, 0.9, 1)


@some_or_more(60, 400)
@claim(
    "05_local_calibration",
    "All data here are calibrated, so an honest test stays on or below the diagonal, up to noise (ties pull it below); "
    "shown are the levels at which one rejects.",
    "If a small crowd is *confident*, permutations hardly ever reject, and *signs* do in a third or more",
    "Move the share to .95:",
    "*permutation* turns round in both crowds.",
    "It hardly ever rejects a doubtful one now, and rejects a confident one in more than one of four data sets.",
    "*Labels* keep the level each time.",
)
def test_crowds_large_and_small(data_sets, seeds):
    """The picture's worlds, on fresh data sets: too often is more than chance explains, too rarely below 2 %."""
    nulls, hits, n = list(sims.RACE_NULLS), {}, data_sets
    for crowd, (centre, isolated) in sims.CROWDS.items():
        for share in (0.05, 0.2, 0.95):
            found = []
            for number in range(n):
                rng = seeds.rng(41, number)
                y, p, x = clustered(share, sims.RACE_N, rng, crowd=centre, isolated=isolated)
                K = rbf(width=0.1)(p[:, None]) * rbf(gamma=1.0)(x)
                found.append([pvalue(y, p, K, null, 39, rng) for null in nulls])
            hits[crowd, share] = dict(zip(nulls, rejected(found), strict=True))
            labels = np.array(found)[:, nulls.index("labels")]
            for level in (0.05, 0.1, 0.2):  # on or below the diagonal, as far as the picture shows it
                assert within((labels <= level + SLACK).sum(), n, 0, level)
    for small in (0.05, 0.2):
        few = hits["confident", small]
        assert all(within(few[null], n, 0, 0.02) for null in ("permutation", "centred-permutation", "residuals"))
        assert within(few["signs"], n, 0.33, 0.42)
    rarely, often = ("doubtful", 0.95), ("confident", 0.95)
    assert within(hits[rarely]["permutation"], n, 0, 0.02) and within(hits[often]["permutation"], n, 0.25, 0.33)
    assert within(hits[rarely]["residuals"], n, 0, 0.02) and within(hits[often]["residuals"], n, 0, 0.05)
    assert within(hits[often]["centred-permutation"], n, 0.09, 0.2)
    assert within(hits[rarely]["centred-permutation"], n, 0.09, 0.2)
    for null in ("residuals", "permutation", "centred-permutation"):  # a small doubtful crowd, where they begin
        assert within(hits["doubtful", 0.2][null], n, 0.12, 0.22)
    if n > 100:
        assert hits[often]["centred-permutation"] > binom.ppf(0.999, n, 0.05)


@claim("local_calibration/scenes", "Rejected at .05: … .", "quiet at 5%",
       "crying wolf at 5%", "false alarms at level 5%", "level 5%", "exact test, level 5%")  # fmt: skip
def test_the_level_of_the_pictures():
    assert scenes.LEVEL == 0.05


@some_or_more(100, 500)
@claim("05_local_calibration", "And in the crowds your test keeps its level where the permutation does not.")
def test_the_readers_test_keeps_its_level(data_sets, seeds):
    """The cell's design on fresh data sets; its labels test and a permutation."""
    k, l, found = rbf(bandwidth=0.1), rbf(bandwidth=0.08), []
    for number in range(data_sets):
        rng = seeds.rng(51, number)
        y, p, x = clustered(0.2, 200, rng)
        K = k(p[:, None]) * l(x)
        found.append([pvalue(y, p, K, null, 99, rng) for null in ("labels", "permutation")])
    labels, permuted = rejected(found)
    assert within(labels, data_sets, 0, 0.05) and within(permuted, data_sets, 0.12, 0.24)
    assert data_sets < 200 or permuted > binom.ppf(0.999, data_sets, 0.05)


@some_or_more(60, 900)
@claim(
    "local_calibration/exercises",
    "Its draws are too narrow, and it rejects too often.",
    "in the doubtful crowd it rejects too often as well.",
    "The rank is exact for every n, kernel and crowd.",
)
def test_which_null_for_sixty_of_two_hundred(data_sets, seeds):
    nulls, found = ("permutation", "centred-permutation", "labels"), []
    for number in range(data_sets):
        rng = seeds.rng(52, number)
        y, p, x = clustered(0.3, 200, rng)
        K = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.1)(x)
        found.append([pvalue(y, p, K, null, 39, rng) for null in nulls])
    permuted, centred, labels = rejected(found)
    assert within(permuted, data_sets, 0.1, 0.25) and within(centred, data_sets, 0.1, 0.25)
    assert within(labels, data_sets, 0, 0.05)
    assert data_sets < 200 or min(permuted, centred) > binom.ppf(0.999, data_sets, 0.05)


# --- the map ---


@claim(
    "05_local_calibration",
    "The network promises too little on clean images and too much on worn ones, beyond the band at every confidence "
    "from .65 up, in this split.",
)
def test_the_map_of_the_network():
    hit, p, wear, _ = sims.scans("neural network", True)
    across = np.linspace(0, 0.5, 36)[scenes.ENDS]
    miss, error, mass = sims.miss_map(hit, p, wear, np.arange(0.65, 0.951, 0.05), across, 0.1, 0.08)
    assert (mass > 20).all() and (miss[:, 0] < -2 * error[:, 0]).all() and (miss[:, 1] > 2 * error[:, 1]).all()


@claim(
    "05_local_calibration",
    "The band beside the map is ± 2 standard errors *of a model that is right*, $\\sum_i w_i^2\\, p_i(1 - "
    "p_i)$ under the "
    "root.",
    "Make the bandwidths small (.04 and .05): little more than half of the map still has 20 digits nearby, and the "
    "band grows.",
)
def test_the_band_grows_with_small_bandwidths():
    hit, p, wear, _ = sims.scans("neural network", True)
    mass = sims.miss_map(hit, p, wear, np.linspace(0.3, 1, 29), np.linspace(0, 0.5, 36), 0.05, 0.04)[2]
    assert 0.5 < (mass >= 20).mean() < 0.6
    at, across = np.array([0.7, 0.9]), np.linspace(0.05, 0.45, 9)
    bands = [
        sims.miss_map(hit, p, wear, at, across, *widths)[1] for widths in ((0.1, 0.08), (0.05, 0.04), (0.02, 0.02))
    ]
    assert (bands[0] < bands[1]).all() and (bands[1] < bands[2]).all()
    k, l = rbf(bandwidth=0.1), rbf(bandwidth=0.08)
    found = local_calibration_bias(hit, p, wear, at=([0.9], [0.2]), prob_kernel=k, feature_kernel=l)
    w = (k(np.array([[0.9]]), p[:, None]) * l(np.array([[0.2]]), wear[:, None])).ravel()
    assert abs(found.standard_error[0] - np.sqrt((w**2 * p * (1 - p)).sum()) / w.sum()) < 1e-12


@claim("local_calibration/scenes", "grey, right: ± 2 s.e.",
       "… digits, 10 bins; pale: under … ; grey, right: ± 2 standard errors",
       "white: no miss, deepest: 0.3; grey: few digits")  # fmt: skip
def test_what_the_scanners_pictures_count():
    shown = scenes.worn_scanner()
    miss, error = sims.quarters(*sims.scans("neural network", True)[:3])
    band = shown.artists["band"].get_paths()[3].vertices[:, 1].max()
    assert abs(band - 2 * error[3]) < 1e-12 and "10 bins" in shown.finding.drawn
    assert f"{miss[3]:+.3f} ± {2 * error[3]:.3f}" in shown.sentence
    assert scenes.where_wrong().artists["image"].get_clim() == (-0.3, 0.3)


@some_or_more(20, 100)
@claim(
    "05_local_calibration",
    "Six or seven in ten maps of a calibrated model, with the bandwidths .1 and .08 as at first, are more than 2 "
    "standard errors from zero somewhere",
)
def test_many_places_many_bumps(data_sets, seeds):
    """Labels redrawn from the recalibrated confidences of the four models, the map's first bandwidths and support."""
    up, across, found = np.linspace(0.3, 1, 29), np.linspace(0, 0.5, 36), []
    for row, model in enumerate(sims.CAST):
        _, p, wear, _ = sims.scans(model, True)
        rng = seeds.rng(71, row)
        for _ in range(data_sets):
            miss, error, mass = sims.miss_map(rng.random(len(p)) < p, p, wear, up, across, 0.1, 0.08)
            found.append((np.abs(miss) > 2 * error)[mass >= 20].any())
    assert within(sum(found), len(found), 0.6, 0.73)


# --- repairs ---


def mended(hit, p, wear, half, bandwidths=(0.1, 0.08)):
    W = rbf(bandwidth=bandwidths[0])(p[:, None]) * rbf(bandwidth=bandwidths[1])(wear[:, None])
    return exercises.mended(p, hit, W, half)


@pytest.mark.parametrize("tests", [0, pytest.param(20, marks=slow)])
@claim(
    "05_local_calibration",
    "For each of 20 other ways to cut the halves the Brier score falls, from .139 to about .118, and the miss of the "
    "most worn quarter from .262 to less than .05; the exact test of one half rejects before, and after it still does "
    "in a third to two thirds of the cuts.",
)
def test_adding_the_local_bias(tests, seeds):
    hit, p, wear, _ = sims.scans("neural network", False)
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=0.08), "n_resamples": 199}
    brier, worst, found = [], [], []
    for seed in seeds(20):
        half = halves(len(p), seeds.rng(12, seed))
        new = mended(hit, p, wear, half)
        brier.append(np.mean((new - hit) ** 2))
        worst.append(sims.quarters(hit, new, wear)[0][3])
        if tests:
            one = half == 0
            found.append([klce_test(hit[one], q[one], wear[one], rng=seed, **kernels).pvalue for q in (p, new)])
    assert round(np.mean((p - hit) ** 2), 3) == 0.139 and round(sims.quarters(hit, p, wear)[0][3], 3) == 0.262
    assert max(brier) < 0.13 and mean_within(brier, 0.1165, 0.1195) and np.abs(worst).max() < 0.05
    if tests:
        before, after = rejected(found)
        assert before == 20 and within(after, 20, 1 / 3, 2 / 3)


@claim("local_calibration/exercises", "LCB says by how much the model says too little nearby, so it is added.")
def test_the_sign_of_the_repair(seeds):
    hit, p, wear, _ = sims.scans("neural network", False)
    half = halves(len(p), seeds.rng(13))
    new = mended(hit, p, wear, half)
    wrong = np.clip(2 * p - new, 0, 1)
    assert np.mean((wrong - hit) ** 2) > np.mean((p - hit) ** 2) > np.mean((new - hit) ** 2)


@pytest.mark.parametrize("tests", [0, pytest.param(20, marks=slow)])
@claim(
    "local_calibration/exercises",
    "A scanner wears out, and the neural network says .109 too much on average.",
    "Isotonic regression on half of the images mends this: +.001 on the other half.",
    "On the cleanest third the miss was +.020.",
    "still +.02",
    "below −.05",
    "−.070 (mean over random halves): the network is now too modest there.",
    "On the most worn third +.242 has become +.119.",
    "The local test, with the wear as feature, rejects on nearly every half, before and after.",
)
def test_isotonic_regression_and_thirds(tests, seeds):
    hit, p, wear, _ = sims.scans("neural network", False)
    third = np.searchsorted(np.quantile(wear, [1 / 3, 2 / 3]), wear)
    found, means = [], []
    for seed in seeds(100):
        half = halves(len(p), seeds.rng(14, seed))
        learn, use = half == 0, half == 1
        new = IsotonicCalibration().fit(hit[learn], p[learn]).predict_proba(p[use])
        miss = new - hit[use]
        means.append([miss.mean(), *(miss[third[use] == k].mean() for k in (0, 2))])
        if len(found) < tests:
            options = {**WEAR_KERNELS, "n_resamples": 99, "rng": seed}
            scaled = wear[use] / wear.std()
            found.append([klce_test(hit[use], each, scaled, **options).pvalue for each in (p[use], new)])
    before = (p - hit)[third == 0].mean(), (p - hit)[third == 2].mean()
    assert [round(v, 3) for v in ((p - hit).mean(), *before)] == [0.109, 0.02, 0.242]
    for values, mean in zip(np.transpose(means), (0.001, -0.070, 0.119), strict=True):
        assert mean_within(values, mean - 0.0005, mean + 0.0005)
    if tests:
        assert all(within(count, tests, 0.98, 1) for count in rejected(found))


@claim("local_calibration/scenes",
       "… ; means over … cuts, half to fit, half to look at; triangles: quarters, larger: noisier",
       "the exact test has the noise as feature.",
       "an irrelevant feature; dark: p ≤ 0.05; grey: chance", "Dark: true chances …")  # fmt: skip
def test_what_the_pictures_of_repairs_and_rows_count():
    assert sims.CUTS == 20
    first = sims.which_rows("Platt", 400)[:, 0]  # the first of twenty bars
    assert f"Dark: true chances {first[0]:.1%}, cross-fitted {first[1]:.1%}" in scenes.which_rows().sentence
    hit, confidence, wear = sims.recalibrated("neural network", "isotonic", 0)
    assert len(hit) == len(confidence) == len(wear) == 539
    shown = scenes.repair()
    assert "rejects in 20 of 20 cuts" in shown.headline


def looked_at(hit, p, wear, rng):
    """Of each repair fitted on one half: what the other half says of it."""
    half, every = halves(len(p), rng), {}
    learn, use = half == 0, half == 1
    for name, method in sims.METHODS.items():
        new, groups = p[use], (wear[:, None],) if name == "multicalibration" else ()
        if method:
            fitted = method().fit(hit[learn], p[learn], *(g[learn] for g in groups))
            new = fitted.predict_proba(new, *(g[use] for g in groups))
            if not groups:  # a map of the confidence alone
                same = fitted.predict_proba(np.repeat(p[use][:5], 2))
                assert (same[::2] == same[1::2]).all()
        miss, error = sims.quarters(hit[use], new, wear[use])
        test = klce_test(hit[use], new, wear[use] / wear.std(), **WEAR_KERNELS, n_resamples=99, rng=rng)
        every[name] = {"brier": np.mean((new - hit[use]) ** 2), "ece": expected_calibration_error(hit[use], new),
                       "off": (np.abs(miss) > 2 * error).sum(), "rejects": test.pvalue <= 0.05 + SLACK}  # fmt: skip
    return every


MAPS = ("Platt", "temperature", "isotonic", "BBQ")


def holds_on(every, model):
    """What the text says of one cut, each in one truth value."""
    if model == "neural network":
        return [all(every[m]["ece"] < every["nothing"]["ece"] for m in MAPS),
                all(every[m]["off"] >= 2 and every[m]["rejects"] for m in MAPS),
                every["multicalibration"]["off"] <= 1,
                every["multicalibration"]["rejects"]]  # fmt: skip
    return [every["temperature"]["ece"] > 0.3 and every["temperature"]["rejects"],
            every["multicalibration"]["brier"] > every["isotonic"]["brier"],
            *(every[m]["rejects"] for m in MAPS if m != "temperature")]  # fmt: skip


@some_or_more(5, 20)
@claim(
    "05_local_calibration",
    "Each map was fitted on one half of the images and is looked at on the other, for 20 cuts.",
    "from the same map, two images with the same confidence get the same new one",
    "For the network they lower the ECE, and the quarters stay wrong.",
    "Multicalibration looks at the noise too, and takes most of that away.",
    "Yet the test rejects it in some of the cuts, and Platt, isotonic and BBQ of the forest in a few: it tests the "
    "fitted map, and a map from 540 images is itself a little off.",
    "For the forest, temperature is too stiff, and multicalibration, which fits many small cells, is worse than "
    "isotonic regression.",
)
def test_recalibration_on_other_cuts(data_sets, seeds):
    n = data_sets
    for model in ("neural network", "random forest"):
        hit, p, wear, _ = sims.scans(model, False)
        cuts = [looked_at(hit, p, wear, seeds.rng(15, k)) for k in range(n)]
        counts = np.sum([holds_on(each, model) for each in cuts], axis=0)
        assert all(within(count, n, 0.95, 1) for count in counts[:2])
        if model == "neural network":
            assert within(counts[2], n, 0.8, 1) and within(counts[3], n, 0.15, 0.45)
        else:
            assert all(within(count, n, 0.02, 0.2) for count in counts[2:])


@slow
def test_recalibration_on_other_splits(seeds):
    for model in ("neural network", "random forest"):
        splits = [looked_at(*another_scanner(model, seed), seeds.rng(16, seed)) for seed in seeds(20)]
        counts = np.sum([holds_on(each, model) for each in splits], axis=0)
        assert all(most(count) for count in counts[:2])
        if model == "neural network":
            assert most(counts[2]) and within(counts[3], 20, 0, 0.5)
        else:
            assert all(within(count, 20, 0, 0.3) for count in counts[2:])


# --- many features ---


@claim(
    "local_calibration/exercises",
    "In Figure 3 a model does not see one of d features; n = 500, both kernels of the paper's width 5.",
    "For d = 10 the exact test finds out in 60 % of the data sets.",
    "For d = 50?",
    "18 % of 1,000 data sets, and 27 % for d = 30.",
)
def test_figure_3_at_full_size():
    full, at = stored_summary("local")["studies"], LEVELS.index(0.05)
    for d, share in ((10, 0.60), (30, 0.27), (50, 0.18)):
        study = full[f"figure3-n500-d{d}"]
        assert study["data_sets"] == 1000 or d == 10
        assert abs(study["rejected"]["labels 5/5"][at] / study["data_sets"] - share) <= 0.0051


@some_or_more(40, 300)
@claim(
    "05_local_calibration",
    "The aggregated test pays for that (30 % against 50 % at $d = 10$ in these 60 data sets), but beats a badly chosen "
    "bandwidth (7 %).",
)
def test_the_aggregated_test_is_between(data_sets, seeds):
    single, aggregated = sims.power(10)
    assert [round(v, 2) for v in (aggregated, single.max(), single.min())] == [0.3, 0.5, 0.07] and sims.POWER_SETS == 60
    found = []
    for number in range(data_sets):
        rng = seeds.rng(81, number)
        y, p, X = hidden_feature(sims.POWER_N, 10, rng)
        widths = [rbf(width=w) for w in sims.WIDTHS]
        test = klce_test(y, p, X, prob_kernel=rbf(width=5.0), feature_kernel=widths, n_resamples=99, rng=rng)
        found.append(np.append(test.single_pvalues, test.pvalue))
    found, shown = (np.array(found) <= 0.05 + SLACK).astype(float), single
    best, worst, aggregated = found[:, shown.argmax()], found[:, shown.argmin()], found[:, -1]
    assert mean_within(best - aggregated, 0.1, 0.25) and mean_within(aggregated - worst, 0.2, 0.3)
    assert data_sets < 300 or worst.mean() < aggregated.mean() < best.mean()


# --- in practice ---


@some_or_more(150, 400)
@claim("05_local_calibration", "Each feature that the miss does not depend on costs power (section 7), so choose few.")
def test_a_feature_more_costs_power_or_brings_it(data_sets, seeds):
    """A miss with the sign of x1·x2: one feature is not enough, two are, and each further one costs."""
    found = []
    for number in range(data_sets):
        rng = seeds.rng(82, number)
        p, X = rng.uniform(0.25, 0.75, 200), rng.standard_normal((200, 4))
        y, k = rng.random(200) < p - 0.2 * np.sign(X[:, 0] * X[:, 1]), rbf(bandwidth=0.2)(p[:, None])
        found.append([pvalue(y, p, k * rbf(bandwidth=0.5)(X[:, :d]), "labels", 99, rng) for d in (1, 2, 3, 4)])
    one, two, three, four = rejected(found) / data_sets
    assert one < four < three < two


@some_or_more(60, 400)
@claim(
    "local_calibration/exercises",
    "A published audit (Heart, 184 test rows, features age in years and sex, l(x, x') = exp(−25 ‖x − x'‖²)) "
    "has p = .26.",
    "In years l(50, 51) = exp(−25) = 1.4e-11: people a year apart are strangers.",
    "In made-up data of that shape, frequencies .2 above the prediction for the old and .2 below for the young, 1.2 % "
    "of the pairs have k·l > .01, and the test misses the error in 43 to 51 % of data sets; with both features scaled "
    "to standard deviation 1 and bandwidth 1, in 16 to 23 %.",
)
def test_a_blind_kernel(data_sets, seeds):
    from calibtutor.reproductions.heart import HEART_PUBLISHED

    assert HEART_PUBLISHED["XE"][-1] == 0.26 and f"{np.exp(-25):.1e}" == "1.4e-11"
    found, near = [], []
    for number in range(data_sets):
        rng, n = seeds.rng(24, number), 184
        age, sex = np.round(rng.normal(54, 9, n)), (rng.random(n) < 0.68).astype(float)
        p = rng.uniform(0.25, 0.75, n)
        y = rng.random(n) < p + 0.2 * np.where(age > 54, 1, -1)
        X, k = np.column_stack([age, sex]), rbf(width=0.1)(p[:, None])
        delta = p[:, None] - np.column_stack([y, rng.random((n, 99)) < p[:, None]])
        matrices = k * rbf(gamma=25.0)(X), k * rbf(bandwidth=1.0)(X / X.std(axis=0))
        near.append((matrices[0][np.triu_indices(n, 1)] > 0.01).mean())
        found.append([rank_pvalues(statistics(K, delta))[0] for K in matrices])
    blind, scaled = data_sets - rejected(found)
    assert within(blind, data_sets, 0.43, 0.51) and within(scaled, data_sets, 0.16, 0.23)
    assert mean_within(near, 0.0115, 0.0125)


@claim(
    "05_local_calibration",
    "With *all* inputs as $x$ the only locally calibrated prediction that uses them is $p = P(Y = 1 \\mid "
    "x)$, the Bayes "
    "classifier",
)
def test_all_inputs_ask_for_the_bayes_classifier(seeds):
    """In a finite world p is a function of x, so P(Y = 1 | p, x) = r(x): the miss is p − r, whatever p is."""
    rng = seeds.rng(17)
    for _ in range(20):
        w, r, p = rng.dirichlet(np.ones(6)), rng.random(6), rng.random(6)
        K = rbf(bandwidth=0.3)(p[:, None]) * rbf(bandwidth=1.0)(np.arange(6.0)[:, None])
        gap = w * (p - r)
        assert gap @ K @ gap > 1e-9  # another p is not locally calibrated
        brier = lambda q, w=w, r=r: w @ (q**2 - 2 * q * r + r)
        assert brier(r) < brier(p)


@claim("05_local_calibration", "Codes such as K25 are explained in the [errata](errata.md).")
def test_every_code_of_a_slip_is_in_the_errata():
    errata = (NOTEBOOKS / "errata.md").read_text(encoding="utf-8")
    listed = {
        code
        for row in errata.splitlines()
        if row.startswith("|")
        for code in re.findall(r"\b[KS]\d*\b", row.split("|")[1])
    }
    steps = [s for d in vars(derivations).values() if hasattr(d, "steps") for s in d.steps]
    text = " ".join([said("05_local_calibration"), said("local_calibration/exercises"),
                     *(f"{s.reason} {s.printed}" for s in steps)])  # fmt: skip
    used = set(re.findall(r"\bK\d+\b", text))
    assert used and used <= listed and "S" in listed


def test_kernels_of_this_file_are_those_of_klce(seeds):
    y, p, X = group_shift(0.1, 50, seeds.rng(18))
    K = rbf(bandwidth=0.2)(p[:, None]) * rbf(bandwidth=0.5)(X)
    assert abs(statistics(K, (p - y)[:, None])[0] / (50 * 49) - klce(y, p, X, **WEAR_KERNELS)) < 1e-12
    drawn = pvalue(y, p, K, "labels", 999, seeds.rng(19))
    assert abs(drawn - klce_test(y, p, X, **WEAR_KERNELS, rng=seeds.rng(20)).pvalue) < 0.12
