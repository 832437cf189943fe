"""Claims of the lesson for_whom."""

from functools import cache

import numpy as np
from claim import claim
from seeds import mean_within, within
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from splits import trained
from worn_digits import (
    SLACK,
    WEAR_KERNELS,
    halves,
    pvalue,
    redrawn,
    rejected,
    slow,
    some_or_more,
    statistics,
)

from calibtutor import IsotonicCalibration, klce, klce_test, rbf, reliability_curve, top_label
from calibtutor.data.local_worlds import group_shift
from calibtutor.lessons.for_whom import exercises, planting, scenes
from calibtutor.lessons.for_whom import simulations as sims
from calibtutor.lessons.shared import worn as of_worn
from calibtutor.pvalues import aggregated_pvalue


def most(hits, n=20):
    """Whether so many of 20 splits support “on most splits”: fewer than 11 do not."""
    assert n == 20
    return within(hits, n, 0.93, 1)


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
    return of_worn.crossed(IsotonicCalibration, hit, p, half)


def said_of_the_network(seed, rng):
    """On another split: whether the cleanest quarter hears too little and the worst too much; an inference's error."""
    hit, p, wear = another_scanner("neural network", seed)
    half = halves(len(p), rng)
    new = crossed(hit, p, half)
    miss, error = of_worn.quarters(hit, new, wear)
    y, q, x = hit[half == 0], new[half == 0], wear[half == 0]  # taught by the other half alone
    A = x[y == 1].mean()
    off = (x @ q / q.sum() - A) / (np.sqrt((q * (1 - q)) @ (x - A) ** 2) / q.sum())
    return miss[0] < -2 * error[0] and miss[3] > 2 * error[3], off > 2


@claim("09_for_whom", "On most other splits of these digits it is the same.")
@slow
def test_the_worn_scanner_on_other_splits(seeds):
    quarters, inference = np.sum([said_of_the_network(seed, seeds.rng(1, seed)) for seed in seeds(20)], axis=0)
    assert most(quarters) and most(inference)


@claim(
    "09_for_whom",
    "As trained it says 11 points too much on average.",
    "the reliability diagram stays near the diagonal where most images are (the long red line at 0 stands for 11 of "
    "them).",
    "after the same correction no quarter is off beyond chance, in this split.",
)
def test_the_opening():
    hit, p, _, _ = of_worn.scans("neural network", False)
    assert round((p - hit).mean(), 2) == 0.11
    hit, p, _, _ = of_worn.scans("neural network", True)
    assert (p == 0).sum() == 11 and hit[p == 0].any()
    curve = reliability_curve(hit, p, n_bins=10)
    near = np.abs(curve.frequency - curve.confidence) < 0.0505
    assert curve.count[near].sum() > 0.9 * len(p)
    miss, error = of_worn.quarters(*of_worn.scans("random forest", True)[:3])
    assert (np.abs(miss) < 2 * error).all()


@claim(
    "for_whom/exercises",
    "As trained, the network says .26 too much on the noisiest quarter of the images and .02 too much on the cleanest.",
    "still .02 too much",
    ".05 too little or worse",
    ".07 too little.",
    "One curve takes the same from all images of the same confidence.",
)
def test_the_cleanest_quarter(seeds):
    hit, p, wear, _ = of_worn.scans("neural network", False)
    assert of_worn.quarters(hit, p, wear)[0].round(2)[[0, 3]].tolist() == [0.02, 0.26]
    shown = scenes.worn_scanner()
    assert "cleanest −0.075 ±" in shown.sentence and shown.artists["numbers"][0].get_text() == "−0.07"
    cuts = [of_worn.quarters(hit, crossed(hit, p, halves(len(p), seeds.rng(14, k))), wear)[0][0] for k in range(20)]
    assert max(cuts) < -0.05 and mean_within(cuts, -0.08, -0.065)


@claim(
    "09_for_whom",
    "With 64, nearly all are inside the grey, since 17 images say little: in this split as many of the random forest's "
    "groups are off as of the network's.",
    "For the network this *RMS miss* is 8 points, with 4 groups as with 64.",
)
@claim(
    "for_whom/exercises",
    "Of 64 groups, how many?",
    "about 50",
    "about 30",
    "fewer than 10",
    "7 of 64, though the network is no better than before: the mean of 17 answers varies by chance alone by .16 to "
    "each side (two standard errors), so the grey hides misses that quarters show.",
)
@claim("for_whom/scenes", "… , recalibrated; … images a group; grey: chance, ± 2 standard errors")
def test_sixty_four_groups():
    for model in ("neural network", "random forest"):
        hit, p, noise, _ = of_worn.scans(model, True)
        group = sims.by_noise(noise, 64)
        error = sims.chance_of(p, group)
        miss = exercises.group_gap(hit, p, group)
        assert (np.abs(miss) > 2 * error).sum() == 7 and set(np.bincount(group)) == {16, 17}
        if model == "neural network":
            assert abs(2 * error.mean() - 0.165) < 0.001
    shown = scenes.more_groups()
    hit, p, noise, _ = of_worn.scans("neural network", True)
    edge = shown.artists["band"].get_paths()[0].vertices[:, 1].max()
    assert abs(edge - 2 * sims.chance_of(p, sims.by_noise(noise, 64))[0]) < 1e-12
    for groups in (4, 64):
        assert "RMS miss 0.084" in shown.set(groups=groups).headline


def test_the_rms_miss_is_that_of_the_frequencies(seeds):
    """Without bias: labels drawn from known frequencies that miss by .1 in half of the groups."""
    rng, found = seeds.rng(15), []
    p, group = rng.uniform(0.3, 0.7, 800), np.arange(800) % 8
    for _ in range(200):
        y = rng.random(800) < p - 0.1 * (group < 4)
        found.append(np.mean(exercises.group_gap(y, p, group) ** 2 - sims.chance_of(p, group) ** 2))
    assert mean_within(found, 0.005, 0.0051)  # the variance is that of p, not of the true frequencies


@claim(
    "09_for_whom",
    "of all who are told .7, 70 % turn out positive.",
    "An example: everyone is told .5.",
    "On the left ($x = 0$, half of the people) 30 % turn out positive, on the right ($x = 1$) 70 %.",
)
@claim(
    "for_whom/exercises",
    "¼ · .12 + ¾ · miss = 0.",
    "The squares do not cancel: ¼ · .0144 + ¾ · .0016 = .0048.",
    "That is the weighted part, ¼ · .12.",
    "Then the mean miss would be ¼ · .12, and the model not right on average.",
    "Two independent rows lie on one side in half of the cases; then E δ E δ' is .2² = .04, left as well as right.",
    "Otherwise l is 0: ½ · .04.",
)
def test_two_groups():
    miss = exercises.check.other_group.reference
    assert abs(0.12 / 4 + 0.75 * miss) < SLACK
    assert abs(0.12**2 / 4 + 0.75 * miss**2 - 0.0048) < SLACK and round(miss**2, 4) == 0.0016
    assert round(0.12**2, 4) == 0.0144
    left, right = 0.5 - 0.3, 0.5 - 0.7
    assert round(left**2, 2) == round(right**2, 2) == 0.04
    assert abs((left**2 + right**2) / 4 - exercises.check.left_and_right.reference) < SLACK


@claim(
    "09_for_whom",
    "a narrow kernel counts fewer pairs, so its values are smaller.",
    "where predictions lie closer together, more pairs count.",
)
def test_values_of_klce_depend_on_kernel_and_predictions():
    """A miss of .1 everywhere: eq. 4 depends on the kernel and on where predictions lie."""
    u, found = np.linspace(-1, 1, 401), {}
    for spread in (0.4, 0.02):
        for bandwidth in (0.1, 0.5):
            found[spread, bandwidth] = 0.01 * rbf(bandwidth=bandwidth)((0.5 + spread * u)[:, None]).mean()
    assert found[0.02, 0.1] > 3 * found[0.4, 0.1] and found[0.4, 0.5] > 2 * found[0.4, 0.1]


@claim("09_for_whom", "With the noise beside them the network is rejected.")
def test_the_local_test_rejects_on_other_halves(seeds):
    hit, p, wear, _ = of_worn.scans("neural network", False)
    found = []
    for number in range(20):
        rng = seeds.rng(16, number)
        half = halves(len(p), rng)
        q = IsotonicCalibration().fit(hit[half == 1], p[half == 1]).predict_proba(p[half == 0])
        K = rbf(bandwidth=0.1)(q[:, None]) * rbf(bandwidth=0.08)(wear[half == 0][:, None])
        found.append(pvalue(hit[half == 0], q, K, "labels", 99, rng))
    assert within(rejected(found), 20, 0.98, 1)


@some_or_more(10, 60)
@claim(
    "09_for_whom",
    "That brings the mean near 0 almost by itself and makes the grey a little too wide.",
)
def test_cross_fitted_quarters_keep_their_band(data_sets, seeds):
    """Labels drawn from an isotonic map of the network's confidences, which knows nothing of the noise."""
    hit, p, wear, _ = of_worn.scans("neural network", False)
    r = IsotonicCalibration().fit(hit, p).predict_proba(p)
    off, mean = [], []
    for number in range(5 * data_sets):
        rng = seeds.rng(2, number)
        y = rng.random(len(p)) < r
        said = crossed(y, p, halves(len(p), rng))
        miss, error = of_worn.quarters(y, said, wear)
        off.append((np.abs(miss) > 2 * error).mean())
        mean.append(abs((said - y).mean()) * np.sqrt(len(y)) / (said - y).std())
    assert mean_within(off, 0.02, 0.04) and np.quantile(mean, 0.95) < 1  # without cross-fitting, about 2


@claim("for_whom/exercises", "Its error is Σ(p − y)(I − A)/Σp, A being the mean with labels.")
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


@claim("for_whom/scenes", "said − happened: … at 20, … at 80")
def test_the_ages_of_the_town():
    assert sims.town()[0][[0, -1]].tolist() == [20, 80]


@claim(
    "09_for_whom",
    "In the next picture predictions lie anywhere between .25 and .75.",
    "Again too little is said on the right (blue), by .2, and too much on the left (red).",
)
@claim("for_whom/exercises", "Pairs with similar predictions then mix left and right, and the misses cancel.")
def test_what_each_kernel_sees(seeds):
    """At the picture's first bandwidths: on the picture's data, and on 20 other data sets of each world."""
    modes = (0.1, 0.3), (0.1, None), (None, 0.3)
    for world, seen in ((sims.HALF_WORLDS[0], [True, False, True]), (sims.HALF_WORLDS[1], [True] * 3)):
        p, x = sims.half_world(world)[1:]
        assert 0.25 <= p.min() < 0.26 < 0.74 < p.max() <= 0.75
        assert set(sims.planted_miss(world, x)) == ({-0.2, 0.2} if world == sims.HALF_WORLDS[0] else {-0.15})
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


@claim("for_whom/scenes", "… rows; … ; yellow: near the ringed row; grey: chance, ≥ 99%")
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


@some_or_more(40, 120)
@claim(
    "09_for_whom",
    "*Ten stripes* are found best by a narrow $l$ alone ($k = 1$).",
    "*One spot* hides from all four pairs: at size .2 none finds half.",
    "The aggregated test over the four is at most some 20 points behind the best of them.",
)
def test_what_the_game_says_on_new_data_sets(data_sets, seeds):
    at = list(planting.KERNELS).index
    shown = planting.found("ten stripes", 0.2)
    assert [round(shown[at(each)], 2) for each in ("k = 1", "both, wide")] == [0.94, 0.13]
    stripes = found_anew("ten stripes", 0.2, data_sets, seeds).sum(axis=0)
    assert within(stripes[at("k = 1")], data_sets, 0.92, 0.96)
    assert within(stripes[at("both, wide")], data_sets, 0.06, 0.10)
    assert stripes[at("k = 1")] == stripes[:4].max() and shown[at("k = 1")] == shown[:4].max()
    spot = found_anew("one spot", 0.2, data_sets, seeds).sum(axis=0)
    assert all(within(each, data_sets, 0, 0.45) for each in spot[:4]) and planting.found("one spot", 0.2).max() < 0.45
    behind = {(e, s): planting.found(e, s)[:4].max() - planting.found(e, s)[4]
              for e in planting.ERRORS for s in planting.SIZES}  # fmt: skip
    assert max(behind, key=behind.get) == ("ten stripes", 0.15) and abs(max(behind.values()) - 0.2) < 0.025
    most = found_anew("ten stripes", 0.15, data_sets, seeds)
    assert mean_within(most[:, at("k = 1")] - 1.0 * most[:, 4], 0.15, 0.24)  # .22 ± .015 in 800


@some_or_more(40, 100)
@claim(
    "for_whom/exercises",
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


@claim("for_whom/games", "At level .05 the exact test rejects: … .")
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


def test_kernels_of_this_file_are_those_of_klce(seeds):
    y, p, X = group_shift(0.1, 50, seeds.rng(18))
    K = rbf(bandwidth=0.2)(p[:, None]) * rbf(bandwidth=0.5)(X)
    assert abs(statistics(K, (p - y)[:, None])[0] / (50 * 49) - klce(y, p, X, **WEAR_KERNELS)) < 1e-12
    drawn = pvalue(y, p, K, "labels", 999, seeds.rng(19))
    assert abs(drawn - klce_test(y, p, X, **WEAR_KERNELS, rng=seeds.rng(20)).pvalue) < 0.12
