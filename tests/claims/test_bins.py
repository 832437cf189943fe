"""Claims of the lesson bins."""

from itertools import product

import numpy as np
import pytest
from claim import claim
from scipy.special import expit, logit
from scipy.stats import binom, rankdata
from seeds import mean_within, within
from splits import another_split
from worlds_of_binning_and_kde import binned, calibrated, ece, top

from calibtutor import (
    corp_reliability,
    expected_calibration_error,
    top_label,
)
from calibtutor.binning import equal_mass_edges
from calibtutor.data.datasets import digits_cast
from calibtutor.data.worlds import CurveWorld
from calibtutor.lessons.bins import check, games
from calibtutor.lessons.bins import simulations as sims
from calibtutor.lessons.bins.simulations import BIN_NUMBERS, HEIGHTS, SIZES, bin_by_bin, rmse_table
from calibtutor.lessons.bins.stairs import by_stairs
from calibtutor.recalibration import PlattScaling


def rmse_of_draws(height, rng, sizes, waves=2, repeats=800):
    """`rmse_table` on other draws: the distance from the truth by debiasing (no, yes), number of bins and n."""
    found = np.full((2, len(BIN_NUMBERS), len(sizes)), np.nan)
    for column, n in enumerate(sizes):
        p = (np.arange(n) + 0.5) / n
        drawn = rng.random((repeats, n)) < p + height * np.sin(2 * np.pi * waves * p)
        below, said_below = np.pad(np.cumsum(drawn, axis=1), ((0, 0), (1, 0))), np.append(0, np.cumsum(p))
        for row, m in enumerate(BIN_NUMBERS):
            if n >= 2 * m:
                cuts = np.unique(np.searchsorted(p, np.arange(m + 1) / m, side="right"))
                count = np.diff(cuts)
                came, said = np.diff(below[:, cuts], axis=1) / count, np.diff(said_below[cuts]) / count
                for correct in (0, 1):
                    noise = correct * came * (1 - came) / np.maximum(count - 1, 1)
                    squares = ((said - came) ** 2 - noise) @ count / n
                    miss = np.sign(squares) * np.sqrt(abs(squares)) - height / np.sqrt(2)
                    found[correct, row, column] = np.sqrt(np.mean(miss**2))
    return found


def by_mass(confidence, hits, n_bins=10):
    """The ECE in bins of equally many, for several sets of hits."""
    bins = np.array_split(np.argsort(confidence, kind="stable"), n_bins)
    return sum(np.abs(np.sum(confidence[b] - hits[:, b], axis=1)) for b in bins) / len(confidence)


SOME_AND_MANY = pytest.mark.parametrize("repeats", [800, pytest.param(4000, marks=pytest.mark.slow)])


def debiased(height, n_bins, rng, repeats=2000, n=500, correct=True):
    """Squares of norm 2 over many data sets with two waves of this height, and their signed roots."""
    p = (np.arange(n) + 0.5) / n
    hits = (rng.random((repeats, n)) < p + height * np.sin(4 * np.pi * p)).astype(float)
    count, said, came = binned(p, hits, n_bins)
    squares = ((said - came) ** 2 - correct * came * (1 - came) / (count - 1)) @ count / n
    return squares, np.sign(squares) * np.sqrt(abs(squares))


@claim("02_bins", "here by a factor of sixty")
def test_ruler_here():
    hit, confidence = top("neural network")
    found = [ece(confidence, hit, m) for m in range(1, 61)]
    assert 55 < max(found) / min(found) < 65
    hit, confidence = top("random forest")
    found = [ece(confidence, hit, m) for m in range(1, 61)]
    assert max(found) < 1.02 * min(found)


@pytest.mark.slow
@claim("02_bins", "on most other splits of the digits by two at least")
@claim("02_bins", "For the random forest the bins hardly matter.")
def test_ruler_on_other_splits(seeds):
    by_two = hardly = 0
    for seed in seeds(20):
        ratio = []
        for model in ("random forest", "neural network"):
            each = another_split(model, seed)
            hit, confidence = top_label(each.y_true, each.y_prob)
            found = [ece(confidence, hit, m) for m in range(1, 61)]
            ratio.append(max(found) / min(found))
        hardly, by_two = hardly + (ratio[0] < 1.03), by_two + (ratio[1] > 2)
    assert within(by_two, 20, 0.93, 1) and within(hardly, 20, 0.93, 1)  # fewer than 11 are not most


@claim(
    "02_bins",
    "If half of the predictions are in a bin that misses by .1, and half in one that misses by nothing, it is .05.",
)
def test_an_example_of_an_ece():
    hit, confidence = np.repeat([1, 0, 1], [2, 3, 5]), np.repeat([0.5, 1.0], 5)
    assert check.ece.reference(hit, confidence, 2) == pytest.approx(0.05)


@claim("02_bins", "11 bins see a tenth of the error", "Twenty see all of it")
@claim("bins/exercises", "Each bin holds exactly one wave, and a wave averages to zero.", "Twenty bins see all of it")
def test_ten_waves():
    p = (np.arange(1_000_000) + 0.5) / 1_000_000
    gap = 0.04 * np.sin(20 * np.pi * p)

    def seen(m):
        return np.abs(np.add.reduceat(gap, np.ceil(np.arange(m) / m * len(p)).astype(int))).sum() / np.abs(gap).sum()

    assert seen(10) < 1e-6
    assert seen(11) == pytest.approx(0.1, abs=0.005)
    assert seen(20) == pytest.approx(1, abs=1e-4)


@claim("02_bins", "ten flips of a fair coin mostly do not show five heads")
def test_ten_flips():
    assert binom.pmf(5, 10, 0.5) < 0.25


@claim("bins/exercises", "n = 500 predictions, 15 bins, a calibrated model", "about .005", "about .05")
@claim(
    "bins/exercises",
    "Each bin holds about 33 coins, whose share of heads misses its mean by some .055, and the ECE averages just that",
)
def test_a_calibrated_model(seeds):
    p, labels = calibrated(500, 4000, seeds.rng(1))
    errors = ece(p, labels)
    assert round(errors.mean(), 2) == 0.05 and round(errors.mean(), 3) in (0.054, 0.055)
    assert round(500 / 15) == 33
    formula = np.mean(np.sqrt(2 / np.pi * binned(p, p * (1 - p), 15)[2] / (500 / 15)))
    assert formula == pytest.approx(errors.mean(), rel=0.02)


@claim(
    "02_bins",
    "it has 300, 1,000 or 5,000 predictions in 10, 20 or 40 bins.",
    "Then you see $n$, the bins and what 100 data sets of a calibrated model with the same predictions get",
    "In this game even the best limit on it, chosen with the answers at hand, is right in about seven of ten",
    "“not calibrated, if above 1.3 times the mean of a calibrated model” is right in more than nine of ten.",
)
@pytest.mark.parametrize("many", [400, pytest.param(1500, marks=pytest.mark.slow)])
def test_rules_for_hidden_models(many, seeds):
    errors, means, is_calibrated, sizes, numbers = [], [], [], set(), set()
    assert len(games.error_and_chance(games.FIRST)[1]) == 100
    for turn in seeds(many):
        y, c, bins, each = games.hidden_model(turn)
        count, _, _ = binned(c, y, bins)
        variance = binned(c, c * (1 - c), bins)[2]
        means.append(count @ np.sqrt(2 / np.pi * variance / count) / len(c))
        errors.append(ece(c, y.astype(float), bins))
        is_calibrated.append(each)
        sizes.add(len(c))
        numbers.add(bins)
        if turn < seeds(many)[3]:
            assert games.mean_if_calibrated.__wrapped__(turn) == pytest.approx(means[-1])
    errors, means, is_calibrated = map(np.array, (errors, means, is_calibrated))
    best = max(np.mean((errors < limit) == is_calibrated) for limit in errors)
    assert (sizes, numbers) == ({300, 1000, 5000}, {10, 20, 40})
    assert within(round(best * many), many, 0.66, 0.74)
    assert within(((errors <= 1.3 * means) == is_calibrated).sum(), many, 0.91, 1)


@claim("02_bins", "an estimate that is always .03 off has RMSE .03")
def test_an_example_of_an_rmse():
    assert np.sqrt(np.mean(np.full(9, 0.03) ** 2)) == pytest.approx(0.03)


@claim(
    "02_bins",
    "The best number of bins grows with $n$ and with the error you are looking for",
)
@SOME_AND_MANY
def test_best_numbers_of_bins(repeats, seeds):
    shown = np.array([np.nanargmin(rmse_table(height, False)[0], axis=0) for height in HEIGHTS])
    fresh = np.array([  # few and many data only: neighbours in the table may change places
        np.nanargmin(rmse_of_draws(height, seeds.rng(3), [50, 500, 5000], repeats=repeats)[0], axis=0)
        for height in HEIGHTS
    ])  # fmt: skip
    for best in (shown, fresh):
        assert (best[0] == 0).all() and (np.diff(best, axis=0) >= 0).all() and (np.diff(best, axis=1) >= 0).all()
        assert (best[1:, -1] > best[1:, 0]).all() and (best[3, 1:] > best[1, 1:]).all()


@claim("bins/exercises", "n = 500 predictions, waves of height .1.")
@claim("bins/exercises", "With 2 bins each holds one whole wave", "With 20 noise outweighs what the bins see.")
def test_the_best_of_four_numbers_of_bins(seeds):
    for rmse in (rmse_table(0.1, False)[0][:, SIZES.index(500)], rmse_of_draws(0.1, seeds.rng(12), [500])[0, :, 0]):
        of_bins = dict(zip(BIN_NUMBERS, rmse, strict=True))
        assert min((2, 5, 20, 50), key=of_bins.get) == 5
    p = (np.arange(10_000) + 0.5) / 10_000
    seen = abs(np.mean(0.1 * np.sin(4 * np.pi * p[p < 0.5])))  # by either of two bins
    assert seen < 1e-6
    r = p + 0.1 * np.sin(4 * np.pi * p)
    assert np.sqrt(np.mean(r * (1 - r)) * 20 / 500) > 0.1 / np.sqrt(2)  # noise in 20 bins, and the whole error, norm 2


@claim(
    "02_bins",
    "too many bins hurt less",
    "at $n$ = 500 the best number of bins does worse than before",
)
def test_debiasing_costs(seeds):
    plain, corrected = (rmse_table(0.1, each)[0][:, SIZES.index(500)] for each in (False, True))
    for without, debiased_ in ((plain, corrected), rmse_of_draws(0.1, seeds.rng(4), [500])[:, :, 0]):
        assert debiased_[-1] < 0.75 * without[-1] and debiased_.min() > 1.2 * without.min()


@claim(
    "02_bins",
    "the root is too small on average",
    "Where $r$ varies within a bin, it passes for noise, and debiasing subtracts too much.",
)
def test_debiased_roots_are_too_small(seeds):
    p = (np.arange(500) + 0.5) / 500
    for height in HEIGHTS:
        for m in (1, 5, 12, 50):
            squares, roots = debiased(height, m, seeds.rng(5, m), repeats=10_000 if height == 0 and m == 1 else 2000)
            r = p + height * np.sin(4 * np.pi * p)
            count, said, came = binned(p, r, m)
            seen = count @ (said - came) ** 2 / 500  # what bins of infinitely many data see
            more = count @ ((binned(p, r**2, m)[2] - came**2) / (count - 1)) / 500  # Σ (n_m/n) Var(r | B_m)/(n_m − 1)
            assert mean_within(squares, seen - more)
            if height == 0 and m == 1:
                assert not mean_within(squares, seen), "these draws could not tell that more is missing"
            assert mean_within(roots, -1, height / np.sqrt(2))
        assert (rmse_table(height, True)[1][:, 3] < 0).all()


WAYS = list(product((1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50), ("width", "mass")))
SETTINGS = [  # a model on the digits and its truth, or a height of two waves over evenly spread predictions
    *product(("random forest", "logistic regression", "neural network", "naive Bayes"), ("fitted", "waves")),
    *product(("even",), (0.05, 0.1, 0.15)),
]


def setting(model, truth, n):
    """Predictions in order, and the frequency r that labels are drawn from."""
    at = (np.arange(n) + 0.5) / n
    if model == "even":
        return at, at + truth * np.sin(4 * np.pi * at)
    hit, c = top(model)
    hit, c = hit[np.argsort(c)].astype(int), np.sort(c)
    waves = logit(np.clip(c, 1e-9, 1 - 1e-9)) + np.sin(4 * np.pi * (rankdata(c) - 0.5) / len(c))
    r = {"calibrated": c, "fitted": PlattScaling().fit(hit, c).predict_proba(c), "waves": expit(waves)}[truth]
    rows = (at * len(c)).astype(int)
    return c[rows], r[rows]


def by_all_ways(c, r, rng, repeats):
    """Squared misses of the ECE by way to bin; of the plain and the debiased root of norm 2; mean ECEs; the error."""
    n, error, root = len(c), np.abs(c - r).mean(), np.sqrt(np.mean((c - r) ** 2))
    hits, found = np.pad(np.cumsum(rng.random((repeats, n)) < r, axis=1), ((0, 0), (1, 0))), {}
    said = np.append(0, np.cumsum(c))
    for m, how in WAYS:
        edges = np.arange(m + 1) / m if how == "width" else equal_mass_edges(c, m)
        cuts = np.unique(np.append(0, np.searchsorted(c, edges[1:], side="right")))
        count = np.diff(cuts)
        acc = np.diff(hits[:, cuts], axis=1) / count
        gap = np.diff(said[cuts]) / count - acc
        noise = np.where(count > 1, acc * (1 - acc) / np.maximum(count - 1, 1), gap**2)
        plain, less = gap**2 @ count / n, (gap**2 - noise) @ count / n
        eces, signed = np.abs(gap) @ count / n, np.sign(less) * np.sqrt(abs(less))
        found[m, how] = (eces - error) ** 2, (np.sqrt(plain) - root) ** 2, (signed - root) ** 2, eces.mean()
    return found, error


@claim("02_bins", "draw labels from it 400 times")
def test_the_ways_to_bin_are_the_packages(seeds):
    assert sims.eces_on_digits()[0].shape == (400,)
    c, r = setting("neural network", "waves", 300)
    found, _ = by_all_ways(c, r, seeds.rng(6), 1)
    hit = (seeds.rng(6).random((1, 300)) < r)[0].astype(int)
    for (m, how), (_, plain, less, mean) in found.items():
        strategy = {"width": "uniform", "mass": "quantile"}[how]
        assert mean == pytest.approx(expected_calibration_error(hit, c, n_bins=m, strategy=strategy))
        for debias, miss in ((False, plain), (True, less)):
            root = expected_calibration_error(hit, c, n_bins=m, strategy=strategy, norm=2, debias=debias)
            assert miss[0] == pytest.approx((root - np.sqrt(np.mean((c - r) ** 2))) ** 2, abs=1e-12)
    for model, truth in product(("neural network", "naive Bayes"), sims.TRUTHS):
        assert np.allclose(setting(model, truth, 1000), sims.digits_with_truth(model, truth, 1000))


@claim(
    "02_bins",
    "equal mass, 5 bins up to 500 predictions and 10 for 1,000 to 5,000, not debiased.",
    "In all our cases with an error its RMSE is at most twice that of the best of 26 binnings; 15 bins of equal width "
    "can be more than three times as far off as the best.",
    "Where it comes nearer than the rule, **the error is lost in noise**: here wherever the error was below half of "
    "what a calibrated model with these confidences gets on average.",
    "The rule was measured on four models' digits and two waves.",
)
@pytest.mark.parametrize(
    ("sizes", "repeats"),
    [((200, 1000), 400), pytest.param((200, 500, 1000, 2000, 5000), 1500, marks=pytest.mark.slow)],
    ids=["two sizes", "all"],
)
def test_a_rule_for_the_number_of_bins(sizes, repeats, seeds):
    assert len(WAYS) == 26 and HEIGHTS[1:] == [0.05, 0.1, 0.15]
    wide, lost = [], 0
    for (model, truth), n in product(SETTINGS, sizes):
        rule = (5 if n <= 500 else 10, "mass")
        found, error = by_all_ways(*setting(model, truth, n), seeds.rng(7, n), repeats)
        mean = {way: misses[0].mean() for way, misses in found.items()}
        best = min(mean, key=mean.get)
        assert mean_within(found[rule][0] - 4 * found[best][0], -1, 0)
        wide.append(np.sqrt(mean[15, "width"] / mean[best]))
        assert found[rule][2].mean() > 0.97 * found[rule][1].mean()  # of the same labels: their ratio hardly varies
        if model == "even":
            continue
        chance = by_all_ways(*setting(model, "calibrated", n), seeds.rng(8, n), repeats)[0][rule][3]
        if error > chance:
            assert mean[rule] < error**2  # by half or more: there it is not lost
        if error < chance / 2:
            lost += 1
            assert mean[rule] > error**2  # twice or more
    assert max(wide) > (3 if repeats > 400 else 2.8) and lost >= 2  # 3.6 ± .15 with 400 repeats


@claim("02_bins", "More waves need more bins.")
def test_more_waves_need_more_bins(seeds):
    best = [np.nanargmin(rmse_of_draws(0.15, seeds.rng(9), [500], waves)[0]) for waves in (1, 2, 5)]
    assert best[0] < best[1] < best[2]


@claim("02_bins", "But $\\hat r$ follows noise, too: a calibrated model has a miscalibration above 0.")
def test_an_isotonic_fit_follows_noise(seeds):
    y, p = CurveWorld(lambda p: p, lambda u: u).sample(300, seeds.rng(10))
    assert mean_within(corp_reliability(y, p, n_resamples=200, rng=seeds.rng(11)).chance, 0.003, 0.03)


@claim(
    "bins/exercises",
    "Each gap averages √(2/π · ¼ / n_m), and with equal bins n_m = 2,000/bins:",
    "√(2/π · ¼ · bins/2,000) = .02 at 5.03 bins.",
)
def test_bins_for_a_limit_on_noise():
    found = {}
    for m in (4, 5, 6):
        hits = np.arange(2000 // m + 1)
        found[m] = binom.pmf(hits, len(hits) - 1, 0.5) @ abs(hits / (len(hits) - 1) - 0.5)
        assert found[m] == pytest.approx(np.sqrt(2 / np.pi * 0.25 * m / 2000), rel=0.002)
    assert found[4] < found[5] < 0.02 < found[6]
    assert 0.02**2 * 2000 / (2 / np.pi * 0.25) == pytest.approx(5.03, abs=0.005)


@claim("02_bins", "The hits 0, 1, 0, 1 become 0, ½, ½, 1.")
@claim("bins/exercises", "1, 0 falls: pooled, ½ and ½.", "⅓, ⅓, ⅓, 1, 1 rises.")
def test_isotonic_by_hand():
    for hits, fitted in (([0, 1, 0, 1], [0, 0.5, 0.5, 1]), ([1, 0, 0, 1, 1], [1 / 3, 1 / 3, 1 / 3, 1, 1])):
        n = range(len(hits))
        levels = [max(min(np.mean(hits[i : k + 1]) for k in n[j:]) for i in n[: j + 1]) for j in n]
        assert levels == pytest.approx(fitted)  # the largest of the smallest means
        at = np.linspace(0.1, 0.9, len(hits))
        fit = corp_reliability(hits, at)
        assert fit.frequency[np.searchsorted(fit.high, at)] == pytest.approx(fitted)


@claim("02_bins", "Grey holds about nine in ten of its fits or more at each confidence")
@pytest.mark.parametrize("n", [300, pytest.param(1079, marks=pytest.mark.slow)])
def test_grey_of_isotonic_fits(n, seeds):
    for model in ("logistic regression", "neural network"):
        _, at, low, high, _ = by_stairs(model, n)
        _, confidence = top(model, n)
        rng, inside = seeds.rng(13), []
        for _ in range(200):
            fit = corp_reliability((rng.random(n) < confidence).astype(int), confidence)
            fitted = fit.frequency[np.searchsorted(fit.high, at)]
            inside.append((low - 1e-12 <= fitted) & (fitted <= high + 1e-12))
        held = np.mean(inside, axis=0)
        assert held.mean() > 0.88 and held.min() > 0.77  # a share of 200 around one that 200 others have placed


@claim("02_bins", "Where frequencies fall as confidence rises, CORP sees only part of the error.")
def test_an_isotonic_fit_cannot_fall(seeds):
    for seed in seeds(20):
        y, c = CurveWorld(lambda c: 1 - c, lambda u: u).sample(2000, seed)
        assert corp_reliability(y, c).miscalibration < 0.87 * np.mean((2 * c - 1) ** 2)  # ¾: less the variance of r


@claim("02_bins", "By the rule the network's error is .007.", "more than four times what a calibrated model")
def test_errors_by_the_rule(seeds):
    hit, confidence = top("logistic regression")
    drawn = seeds.rng(15).random((400, 1079)) < confidence
    (found,), chance = by_mass(confidence, hit[None]), by_mass(confidence, drawn)
    assert found > 4 * chance.mean() and found > 2 * chance.max()
    hit, confidence = top("neural network")
    assert round(by_mass(confidence, hit[None])[0], 3) == 0.007


@claim(
    "02_bins",
    "Grey holds a calibrated model's frequency in about 9 of 10 cases or more, for each bin separately: one bin in ten "
    "may lie outside by chance.",
)
@pytest.mark.parametrize(
    "numbers", [(15,), pytest.param((5, 10, 20, 30, 40), marks=pytest.mark.slow)], ids=["15 bins", "others"]
)
def test_bands_hold_nine_of_ten(numbers):
    inside = []
    for model, strategy, n_bins in product(digits_cast(), ("uniform", "quantile", "sweep"), numbers):
        curve, low, high, _ = bin_by_bin(model, strategy, n_bins)
        cell = np.maximum(np.searchsorted(curve.edges, top(model)[1]) - 1, 0)
        for m in np.unique(cell):
            law = np.ones(1)  # of the number of hits in this bin, exactly
            for p in top(model)[1][cell == m]:
                law = np.convolve(law, [1 - p, p])
            share = np.arange(len(law)) / curve.count[m]
            assert len(law) == 1 + curve.count[m]
            inside.append(law[(share >= low[m] - 1e-12) & (share <= high[m] + 1e-12)].sum())
    assert min(inside) > 0.89
    assert np.mean(np.array(inside) < 0.9) < 0.02
    assert np.median(inside) < 0.98, "a band so wide says nothing"


@claim("02_bins", "naive Bayes fills fewer equal-mass bins than asked for")
def test_ties_of_naive_bayes():
    assert (bin_by_bin("naive Bayes", "quantile", 15)[0].count > 0).sum() < 15


@claim("bins/scenes", "under 2 per bin")
def test_grey_cells():
    rmse = rmse_table(0.1, False)[0]
    per_bin = np.array([50, 100, 200, 500, 1000, 2000, 5000]) / np.array(BIN_NUMBERS)[:, None]
    assert (np.isnan(rmse) == (per_bin < 2)).all()
