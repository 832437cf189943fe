"""Claims of the lesson map_and_repair."""

import numpy as np
from claim import claim
from rejections import alarms, halves, rejected, statistics
from scipy.stats import binom
from seeds import mean_within, within

from calibtutor import klce_test, rbf
from calibtutor.data.worlds import clustered
from calibtutor.lessons.for_whom import scenes as scenes_09
from calibtutor.lessons.map_and_repair import exercises, scenes
from calibtutor.lessons.map_and_repair import simulations as sims
from calibtutor.lessons.shared import worn as of_worn


@claim("10_map_and_repair", "Here they are rejected too *rarely*.",
       "With *isotonic* curves and 100 rows there are too many rejections instead: cross-fitting promises no level.",
       "It is rejected in more than 5 %.", "These are no false alarms: the fitted curve is itself a little off.",
       "map_and_repair/exercises", "Of 400 rows, each half is corrected by the Platt curve that the other half taught.",
       "The exact test is given all 400.", "In less than 2 % of data sets.")
def test_three_ways_to_choose_rows():
    """In the picture's data sets."""
    (true, cross, clean), isotonic = (sims.which_rows(*each)[:, 0] for each in (("Platt", 400), ("isotonic", 100)))
    assert sims.ROWS_SETS == 400
    assert all(within(round(400 * each), 400, 0.05, refuses=0.12) for each in (true, isotonic[0]))
    assert cross < 0.02 and min(clean, isotonic[1]) > binom.ppf(0.999, 400, 0.05) / 400


@claim("10_map_and_repair", "labels | `p - (rng.random(n) < p)` |", "residuals | `rng.choice(delta, n)` |",
       "permutation | `rng.permutation(delta)` |", "signs | `rng.choice([-1, 1], n) * delta` |")
def test_a_line_of_code_is_the_null_of_klce_test(seeds):
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=1.0)}
    for crowd in (0.5, 0.2):  # where .5 is said, labels and signs are one: .2 is said of what mostly happens
        y, p, x = clustered(0.4, 60, seeds.rng(10), crowd=crowd)
        y = y if crowd == 0.5 else 1 - y
        K, rng = kernels["prob_kernel"](p[:, None]) * kernels["feature_kernel"](x), seeds.rng(9)
        draws = [sims.redrawn(y, p, rng) for _ in range(3000)]
        for null in ("labels", "residuals", "permutation", "signs"):
            values = statistics(K, np.column_stack([each[null] for each in draws])) / (60 * 59)
            expected = klce_test(y, p, x, null=null, n_resamples=3000, rng=seeds.rng(11), **kernels).null_distribution
            off, spread = abs(values.mean() - expected.mean()), abs(values.std() - expected.std())
            assert max(off, spread / 1.5) <= 10 * expected.std() / np.sqrt(3000), null


@claim("map_and_repair/exercises", "120 people: a fifth of them share their features and are told .5; all others stand "
       "alone and are told .02 or .98.", "A permutation hands the small residuals of the others to the crowd, so its "
       "draws vary too little: a sixth to a fifth of data sets are rejected, as many if the draws are centred, or "
       "drawn with replacement (Algorithm 1).", "10_map_and_repair",
       "Choose the *confident* crowd, people who are told .03.",
       "Now permutations hardly ever reject, and *signs* reject in some four of ten data sets.",
       "The few large residuals of these people are all negative.", "*Labels* keeps its level each time.")
def test_crowds_doubtful_and_confident(seeds, n=400):
    """In the picture's data sets, and in others."""
    assert sims.RACE_N == 120 and sims.CROWDS["doubtful"] == (0.5, (0.02, 0.98)) and sims.CROWDS["confident"][0] == 0.03
    shown = {crowd: dict(zip(sims.RACE_NULLS, rejected(sims.race(crowd).T), strict=True)) for crowd in sims.CROWDS}
    for null in ("residuals", "permutation", "centred-permutation"):
        assert 1 / 7 < shown["doubtful"][null] < 0.21 and shown["confident"][null] < 0.02
    assert max(each["labels"] for each in shown.values()) <= 0.05 and 1 / 3 < shown["confident"]["signs"] < 0.45
    for crowd, null, low, high, other in (("doubtful", "permutation", 0.17, 0.22, (0.05, 1 / 3)),
                                          ("confident", "permutation", 0, 0.01, 0.05),
                                          ("confident", "signs", 0.36, 0.43, (0.2, 0.55)),
                                          ("doubtful", "labels", 0.03, 0.05, 0.12),
                                          ("confident", "labels", 0.02, 0.05, 0.12)):
        hits = 0
        for seed in seeds(n):
            y, p, x, rng = sims.people(crowd, seed)
            kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=1.0)}
            hits += klce_test(y, p, x, **kernels, null=null, n_resamples=99, rng=rng).pvalue <= 0.05
        assert within(hits, n, low, high, refuses=other)


@claim("10_map_and_repair", "In this split the network says too little on clean images and too much on worn ones, at "
       "every confidence from .65 up.", "map_and_repair/exercises", "Near that place the mean of p − Y is +.12.")
def test_the_map_of_the_network():
    hit, p, wear, _ = of_worn.scans("neural network", True)
    across = np.linspace(0, 0.5, 36)[scenes.ENDS]
    miss, error, mass = sims.miss_map(hit, p, wear, np.arange(0.65, 0.951, 0.05), across, 0.1, 0.08)
    assert (mass > 20).all() and (miss[:, 0] < -2 * error[:, 0]).all() and (miss[:, 1] > 2 * error[:, 1]).all()
    assert round(miss[5, 1], 2) == 0.12 and round(0.9 - miss[5, 1], 2) == 0.78


@claim("10_map_and_repair", "with the bandwidths of the opening map, even a right model's map leaves the band "
       "*somewhere* in six or seven of ten data sets.")
def test_many_places_many_bumps(seeds):
    """Labels redrawn from the recalibrated confidences of the four models, the map's first bandwidths and support."""
    up, across, found = np.linspace(0.3, 1, 29), np.linspace(0, 0.5, 36), []
    for row, model in enumerate(of_worn.CAST):
        _, p, wear, _ = of_worn.scans(model, True)
        rng = seeds.rng(71, row)
        for _ in range(75):
            miss, error, mass = sims.miss_map(rng.random(len(p)) < p, p, wear, up, across, 0.1, 0.08)
            found.append((np.abs(miss) > 2 * error)[mass >= 20].any())
    assert within(sum(found), len(found), 0.62, 0.7, refuses=(0.5, 0.8))


@claim("10_map_and_repair",
       "In 20 other cuts, too, the Brier score falls as much, and the most worn quarter's miss stays below .05.",
       "But the test still rejects in about half of them.")
def test_adding_the_local_bias(seeds):
    hit, p, wear, _ = of_worn.scans("neural network", False)
    kernels = {"prob_kernel": rbf(bandwidth=0.1), "feature_kernel": rbf(bandwidth=0.08), "n_resamples": 99}
    brier, worst, found = [], [], []
    for seed in seeds(120):
        half = halves(len(p), seeds.rng(12, seed))
        W = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.08)(wear[:, None])
        new = exercises.mended(p, hit, W, half)
        brier.append(np.mean((new - hit) ** 2))
        worst.append(of_worn.quarters(hit, new, wear)[0][3])
        one = half == 0
        found.append(klce_test(hit[one], new[one], wear[one], rng=seed, **kernels).pvalue)
    assert round(np.mean((p - hit) ** 2), 3) == 0.139 and round(of_worn.quarters(hit, p, wear)[0][3], 3) == 0.262
    assert max(brier) < 0.13 and mean_within(brier, 0.1165, 0.1195, refuses=0.13) and np.abs(worst).max() < 0.05
    assert within(alarms(found), 120, 0.4, 0.5, refuses=(0.2, 0.75))


@claim("map_and_repair/scenes", "Rejected at .05: shares of data sets.", "Deepest colour: 0.3.",
       "for_whom/scenes", "… digits, 10 bins; pale: under … ; grey, right: ± 2 standard errors")
def test_what_the_pictures_count():
    assert scenes.LEVEL == 0.05 and scenes.where_wrong().artists["image"].get_clim() == (-0.3, 0.3)
    assert "10 bins" in scenes_09.worn_scanner().finding.drawn


@claim("10_map_and_repair", "They lower the network's ECE, not the quarters' misses.",
       "Multicalibration mends the quarters.",
       "But the test still rejects it in some cuts, and of the five it lowers the ECE least.",
       "map_and_repair/exercises", "and tested on the other half, in 20 cuts.",
       "After each of the four curves in all 20 cuts: a curve of the confidence cannot tell a clean image from a noisy "
       "one.", "After multicalibration in 6: what 540 images teach is itself a little off.")
def test_recalibration_in_the_pictures_cuts():
    maps = [name for name in sims.METHODS if name not in ("nothing", "multicalibration")]
    ece, miss, rejects, wide = zip(*(sims.repaired("neural network", name) for name in sims.METHODS), strict=True)
    ece, off = (dict(zip(sims.METHODS, each, strict=True)) for each in (ece, np.abs(miss) > wide))
    assert sims.CUTS == 20 and sorted(ece, key=ece.get)[-2:] == ["multicalibration", "nothing"]
    assert all(off[name].sum() >= 2 for name in maps) and not off["multicalibration"].any()
    cuts = dict(zip(sims.METHODS, np.multiply(20, rejects).round(), strict=True))
    assert cuts["multicalibration"] == 6 and all(cuts[name] == 20 for name in maps)
    assert len(of_worn.scans("neural network", False)[0]) // 2 == 539  # or 540, by the cut


@claim("10_map_and_repair",
       "As trained, the wide ResNet says .056 too much.", "where it says *cat* it still says too much.",
       "Twenty numbers bring the cats within noise, but need more images: after 500 the temperature has the smallest "
       "log loss", "map_and_repair/scenes", "… , 10,000 test images; log loss …")
def test_what_three_maps_mend_of_networks():
    """In the picture; the log loss of every network."""
    found = sims.by_answer("Wide ResNet-32")
    miss, error, cat = found[:, -1, :11], found[:, -1, 11:22], 1 + sims.ANSWERS.index("cat")
    assert round(miss[0, 0], 3) == 0.056 and 0.005 < miss[1, 0] < 0.01  # “most of that”
    assert miss[1, cat] > 2 * error[1, cat] and (np.abs(miss[2:, cat]) < error[2:, cat]).all()
    for network in sims.DEEP:
        loss = sims.by_answer(network)[:, :, 22]
        assert loss[1:, 0].argmin() == 0 and np.ptp(loss[1]) < 0.002 and (np.diff(loss[2:]) < 0).all()
