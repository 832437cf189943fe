"""Claims of the lesson kernel_tests."""

from dataclasses import astuple
from functools import partial
from itertools import product

import numpy as np
from claim import claim
from rejections import FOUR, SLACK, alarms, h_of, holds, slow
from scipy.stats import binom
from seeds import as_shown, mean_within, within
from splits import another_split

from calibtutor import kce_test, kernel_grid, landmarks, laplacian, median_bandwidth, rbf, skce, top_label
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.networks import network_predictions
from calibtutor.data.worlds import FiniteWorld, calibrated_model, mixed_widmann_model, tempered_model
from calibtutor.kernels.pair_sums import skce_of_labels
from calibtutor.lessons.kernel_tests import exercises, scenes, simulations
from calibtutor.lessons.shared.kce_atoms import KERNEL, Atoms
from calibtutor.lessons.shared.posters_models import BANDWIDTH, true_skce
from calibtutor.lessons.shared.pvalues import chance_of_a_curve
from calibtutor.reproductions import widmann
from calibtutor.reproductions.many_classes import SIZES, TEMPERATURES


@claim("08_kernel_tests", "At 0 the model is calibrated.",
       "As more supposed animals are humans, the p-value $R$ of all three probabilities falls below .05.",
       "The test of the confidence does not move")
def test_a_test_of_the_confidence_is_blind_to_a_swap():
    shown = [[scenes.pvalue_of(*each) for each in simulations.two_tests(share)[1:]] for share in (0, 0.2, 0.3, 0.6)]
    assert [every <= 0.05 for every, _ in shown] == [False, False, True, True]
    assert len({top for _, top in shown}) == 1 and shown[0][1] > 0.05


@claim("08_kernel_tests", "It is too large on average: at $n$ = 20 more than half of it is bias, at every strength.",
       "An unbiased estimate of 0 must fall on both sides of 0",
       "The linear one is quick, but varies more, because it uses few pairs.",
       "kernel_tests/exercises", "200 data sets of 20 rows, all from a calibrated model.",
       "here about half of the unbiased and half of the linear ones are negative.")
def test_three_estimators(seeds):
    k = widmann.TotalVariationLaplacian(BANDWIDTH)
    for strength in simulations.STRENGTHS:
        found = []
        for seed in seeds(simulations.REPEATS):
            y, p = mixed_widmann_model(strength, 20, rng=seed)
            found.append(exercises.three_estimators(h_of(y, p, k)))
        biased, unbiased, linear = np.transpose(found)
        truth = strength**2 * true_skce()
        assert len(biased) == 200 and biased.min() > 0 and linear.std() > unbiased.std()
        assert mean_within(biased, max(2 * truth, 0.015), 1, refuses=truth)
        assert all(mean_within(each, truth, refuses=biased.mean()) for each in (unbiased, linear))
        assert biased.mean() > 2 * truth
        if not strength:
            assert within((unbiased < 0).sum(), 200, 0.53, 0.59, refuses=(1 / 3, 0.75))
            assert within((linear < 0).sum(), 200, 0.47, 0.53, refuses=(1 / 3, 2 / 3))


@claim("04_bets_and_kernels", "another bandwidth can rank two models the other way round.",
       "08_kernel_tests", "More than half of the network's biased estimate is bias.",
       "SKCE values compare only with one kernel for all models: with $\\gamma = .5$ the forest's is largest, with "
       "$\\gamma = .05$ that of naive Bayes.", "The other three have the smallest $R$ that 999 redraws allow.",
       "from 999 redrawn label sets")
def test_four_models_of_the_digits(seeds):
    """On this split, with other draws than the notebook's."""
    shown = {name: (digits_predictions(name).y_true, digits_predictions(name).y_prob) for name in FOUR}
    sizes = [[skce(*each, kernel=laplacian(bandwidth)) for bandwidth in (0.5, 0.05)] for each in shown.values()]
    assert np.argmax(sizes, axis=0).tolist() == [FOUR.index("random forest"), FOUR.index("naive Bayes")]
    for name, (y, p) in shown.items():
        kernel = laplacian(median_bandwidth(p))
        unbiased, biased = (skce(y, p, kernel=kernel, estimator=each) for each in ("unbiased", "biased"))
        pvalue = kce_test(y, p, kernel=kernel, rng=seeds.rng(1)).pvalue
        assert 0.01 < pvalue < 0.05 if name == "neural network" else pvalue == 0.001
        assert name != "neural network" or biased - unbiased > 0.5 * biased


@claim("08_kernel_tests", "At level .05 an exact test rejects 4 of them on average, and by chance up to 8, "
       "two standard deviations of $\\sqrt{81\\cdot.05\\cdot.95}=2$ more.",
       "of ¼, one and four times the median distance",
       "The bound's $R$ are all near 1: it holds its level, but it finds nothing.", "Exact and aggregated "
       "are *below* the band at .4, as no $R$ lies between .2 and .45: 69 data sets have at most one wrong answer; "
       "their exact $R$ are above .45.",
       "no test shows a fault.",
       "Choose *15% of labels ignore predictions*: now more rejections mean more power.",
       "The aggregated test finds far more than the exact one, since one of its kernels, that of ¼ of the median, "
       "suits this error better.",
       "kernel_tests/exercises", "a rejects 5, which chance does, and d none:", "b rejects 26 and c 13: chance does "
       "that to no exact test.", "Test a rejects 5 of 81: more than 5 %, but an exact test does that by chance, it "
       "rejects up to 8.",
       "c rejects one calibrated data set in six.", "Chance lets an exact test reject 8 of 81 at most.")
def test_the_race():
    """In the picture's 81 data sets, and in the exercise's."""
    found = {data: simulations.race(data).T for data in simulations.RACE_DATA}
    shown = {data: dict(zip(simulations.RACE, alarms(each).tolist(), strict=True)) for data, each in found.items()}
    red = {data: scenes.too_often({name: each[name] for name in scenes.IN_WORDS}) for data, each in shown.items()}
    assert red["calibrated"] == [] and red["nearly certain"] == ["A_uq"] and shown["nearly certain"]["A_uq"] == 44
    assert list(shown["15% of labels ignore predictions"].values()) == [80, 0, 17, 5, 29, 53]
    assert min(each[:, 1].min() for each in found.values()) > 0.95 and binom.ppf(0.975, 81, 0.05) == 8
    unknown = {letter: int(alarms(each)) for letter, each in simulations.unknown_tests().items()}
    assert unknown == {"a": 5, "b": 26, "c": 13, "d": 0} and round(81 / 13) == 6 and round(81 * 0.05) == 4
    assert round(np.sqrt(81 * 0.05 * 0.95), 1) == 2
    assert exercises.check.holds_its_level.reference == "".join(each for each in "abcd" if unknown[each] <= 8)
    drawn = [calibrated_model("near-deterministic", simulations.RACE_SIZE, rng=np.random.default_rng([4, data_set]))
             for data_set in range(simulations.RACE_SETS)]
    wrong = np.array([np.sum(p.argmax(axis=1) != y) for y, p in drawn])
    exact, both = (found["nearly certain"][:, simulations.RACE.index(name)] for name in ("exact", "aggregated"))
    assert (wrong <= 1).sum() == 69 and exact[wrong <= 1].min() > 0.45
    band = chance_of_a_curve(simulations.RACE_SETS)
    low = np.interp(0.4, *band[:len(band) // 2].T)
    assert all(not ((0.2 < each) & (each < 0.45)).any() and np.mean(each <= 0.4) < low for each in (exact, both))
    waves = dict(zip(simulations.FACTORS, simulations.power("one wave", 200)[0], strict=True))
    assert waves[0.25] < max(waves.values())


@claim("08_kernel_tests", "calibrated and *nearly certain*: each prediction gives one class at least 98 %.",
       "The bootstrap rejects about half of the data sets. In these, by luck, every answer is right.",
       "Redrawn rows then contain no wrong answer either, so there seems to be hardly any noise.")
def test_nearly_certain_predictions(seeds, data_sets=200):
    without, bootstrap, exact = [], [], []
    for seed in seeds(data_sets):
        rng = np.random.default_rng(seed)
        y, p = calibrated_model("near-deterministic", 100, rng=rng)
        assert p.max(axis=1).min() >= 0.98
        test = partial(kce_test, y, p, kernel=laplacian(median_bandwidth(p)), n_resamples=99, rng=rng)
        without.append((p.argmax(axis=1) == y).all())
        bootstrap.append(test(method="asymptotic").pvalue <= 0.05 + SLACK)
        exact.append(test().pvalue)
    without, bootstrap = np.array(without), np.array(bootstrap)
    assert within(bootstrap[without].sum(), without.sum(), 0.98, 1, refuses=0.8)
    assert within(bootstrap[~without].sum(), (~without).sum(), 0, 0.02, refuses=0.2)
    assert within(bootstrap.sum(), data_sets, 0.5, 0.57, refuses=(1 / 3, 0.75)) and holds(exact, 0.02)


@claim("kernel_tests/exercises", "Two classes, n = 200, a calibrated model.",
       "Seven independent tests would give 1 − .95⁷ = 30 %, but these look at the same data and mostly agree.",
       "08_kernel_tests", "Each bandwidth alone holds its level. The smallest of seven $R$ does not",
       "**The aggregated test** tries several bandwidths and holds its level.",
       "Say the observed labels have $R$ = .04, .02 and .10 at three bandwidths: keep the smallest, .02.",
       "If nine of 200 sets, the observed one included, have a smallest $R$ of at most .02, the "
       "aggregated $R$ is 9/200.")
def test_the_best_of_seven_bandwidths(seeds, designs=6):
    """For each of some sets of scores 1,000 label vectors: every kernel's ranks among 99 others are p-values."""
    assert round(1 - 0.95**7, 2) == 0.30
    single, smallest, together, agree = [], [], [], []
    for seed in seeds(designs):
        rng = np.random.default_rng(seed)
        p = rng.random(200)
        kernels = kernel_grid(p, factors=simulations.FACTORS, family=lambda bandwidth: rbf(bandwidth=bandwidth))
        labels = draw_labels(p, 1000, rng)
        values = np.array([skce_of_labels(kernel, p, p, labels) for kernel in kernels]).reshape(7, 10, 100)
        for each in values.transpose(1, 0, 2):  # 100 data sets that are alike: any one may be the observed
            ranks = (each[:, None] >= each[:, :, None] - SLACK).mean(axis=2)
            least = ranks.min(axis=0)
            single.append((ranks <= 0.05 + SLACK).mean(axis=1))
            smallest.append((least <= 0.05 + SLACK).mean())
            together.append((np.mean(least[:, None] >= least, axis=1) <= 0.05 + SLACK).mean())
            agree.append(np.median(np.abs(np.diff(ranks, axis=0)).max(axis=0)))
    assert np.allclose(single, 0.05) and mean_within(smallest, 0.115, 0.15, refuses=(0.05, 0.3))
    by_hand = np.full((3, 200), 0.5)
    by_hand[:, 0], by_hand[0, 1:9] = (0.04, 0.02, 0.10), 0.02
    assert exercises.aggregated(by_hand) == 9 / 200
    assert np.median(agree) < 0.3 and 0.03 < np.mean(together) <= 0.05 + SLACK


def of_one_over_confidence(d, bandwidth):
    """SKCE, standard deviation of a pair's h if calibrated, and mean ⟨δ, δ'⟩ of like and unlike top labels; d classes.

    Confidence .7, the rest spread evenly; .1 of it should be on the others. ν is `bandwidth` times the distance between
    two predictions of unlike top labels, the median one.
    """
    p = np.full((2, d), 0.3 / (d - 1))
    p[[0, 1], [0, 1]] = 0.7
    bias = np.full((2, d), -0.1 / (d - 1))
    bias[[0, 1], [0, 1]] = 0.1
    k = np.array([1, np.exp(-1 / bandwidth)])  # of like and unlike top labels
    mean = np.array([bias[0] @ bias[0], bias[0] @ bias[1]])
    covariance = [np.diag(each) - np.outer(each, each) for each in p]
    square = np.array([(covariance[0] * covariance[0]).sum(), (covariance[0] * covariance[1]).sum()])
    weight = np.array([1 / d, 1 - 1 / d])
    return weight @ (k * mean), np.sqrt(weight @ (k**2 * square)), mean


@claim("08_kernel_tests", "With $d$ classes about $1/d$ of all pairs of rows have the same top label; in the others "
       "$\\langle\\delta, \\delta'\\rangle$ averages nearly 0.",
       "for one and the same over-confidence the SKCE falls like $1/d$, its noise only like $1/\\sqrt d$.",
       "kernel_tests/exercises", "Take the root of 100 once: the noise falls like 1/n.",
       "Signal over noise is as n/√d: 100 times as many classes need √100 = 10 times as many rows.")
def test_why_over_confidence_is_missed_in_many_classes():
    for bandwidth in (0.25, 1, 4):
        (few, noise_few, _), (many, noise_many, mean) = (of_one_over_confidence(d, bandwidth) for d in (30, 3000))
        assert abs(mean[1]) < 0.01 * mean[0]
        assert 95 < few / many < 105 and 9.5 < noise_few / noise_many < 10.7
        assert 9.5 < (few / noise_few) / (many / noise_many) < 10.7


@slow
@claim("08_kernel_tests", "The test of the confidence loses nothing, and both together find nearly as much as the "
       "better one.", "kernel_tests/exercises",
       "Models of 3 to 1,000 classes, equally sure, and all too sure: temperature 1.3, n = 1,000.",
       "With more classes the error is even larger.",
       "The error grows with the classes, and is still found less often: it is shared among more and more top labels.")
def test_over_confidence_in_many_classes(seeds, data_sets=30):
    for temperature, n in product(TEMPERATURES[1:], SIZES):  # in the picture's data sets
        (every, confidence, both), gap = simulations.found_in_many_classes(temperature, n)
        assert (np.diff(gap) > 0).all() and (np.diff(confidence) > -0.05).all()
        assert (np.maximum(every, confidence) - both).max() < 0.15
        assert temperature != 1.3 or n != 1000 or every[-1] < every[0] - 0.2
    few, many = [], []
    for seed in seeds(data_sets):
        for d, found in ((3, few), (100, many)):
            y, p = tempered_model(1000, d, temperature=1.3, rng=seed)
            kernel = landmarks(laplacian(median_bandwidth(p)), p, rank=128, rng=seed)  # the quick way
            found.append([kce_test(y, p, kernel=kernel, n_resamples=99, rng=seed).pvalue,
                          kce_test(*top_label(y, p), n_resamples=99, rng=seed).pvalue])
    (few_all, few_top), (many_all, many_top) = (alarms(np.array(found)) for found in (few, many))
    assert within(few_all, data_sets, 0.68, 0.8, refuses=0.3) and within(many_all, data_sets, 0.22, 0.36, refuses=0.75)
    assert within(few_top, data_sets, 0.96, 1, refuses=0.75) and within(many_top, data_sets, 0.99, 1, refuses=0.8)


@claim("08_kernel_tests",
       "The digits' network is rejected, too, but with both questions its $R$ is .057: asking twice costs power.",
       "kernel_tests/exercises", "Other redraws than asked: pass rng=0 and leave their number at 999.",
       "Redrawn pairs raise false alarms (03, section 3).", "The observed set counts, too: 5 of 200 (03, section 5).",
       "h is k times that product, so it may be negative (04, section 4).")
def test_both_looks_at_the_network(seeds):
    """On this split; R of 999 draws has a standard deviation of about .006."""
    data = digits_predictions("neural network")
    shown = kce_test(data.y_true, data.y_prob, rng=as_shown(0))
    assert (round(shown.single_pvalues[0], 3), round(shown.pvalue, 3)) == (0.030, 0.057)
    assert scenes.pvalue_of(1, np.r_[np.zeros(195), np.ones(4)]) == 5 / 200
    assert len(shown.null_distribution) == 999
    by = partial(kce_test, data.y_true, data.y_prob, rng=as_shown(0))
    middle = median_bandwidth(data.y_prob)
    calls = [{}, {"notion": "top-label"}, {"kernel": rbf(bandwidth=middle)}, {"kernel": kernel_grid(data.y_prob)},
             *({"kernel": laplacian(middle), "n_resamples": draws} for draws in (19, 99, 199, 1000)),
             *({"kernel": laplacian(each)} for each in (0.1, 0.5, 1, middle / 4, middle / 2, 4 * middle))]
    assert {round(by(**each).pvalue, 3) for each in calls} <= {w.answer for w in exercises.check.whole_test.mistakes}
    other = kce_test(data.y_true, data.y_prob, rng=seeds.rng(1))
    assert other.single_pvalues[0] < other.pvalue < 0.09 and 0.01 < other.single_pvalues[0] < 0.055


@slow
@claim("08_kernel_tests", "**Each test sees what the other misses.** LeNet-5 is .42 sure and right in .39 of 10,000 "
       "images: the confidence shows it, all 100 probabilities do not.",
       "DenseNet-40 is as often right as it says, but its probabilities *as a whole* are rejected.",
       "five networks that tell 100 kinds of images apart.")
def test_each_test_sees_what_the_other_misses(seeds):
    found = {}
    for name in ("LeNet-5", "DenseNet-40"):
        _, y, p, *_ = astuple(network_predictions(name, data="CIFAR-100"))
        other = kce_test(y, p, n_resamples=99, rng=seeds.rng(7)).single_pvalues
        pvalues = np.transpose([simulations.tests_of_a_network(name)[:2], other])
        found[name] = p.max(axis=1).mean(), (p.argmax(axis=1) == y).mean(), *pvalues
        assert p.shape == (10_000, 100)
    (said, happened, every, confidence), (of_dense, kept, canonical, top) = found.values()
    assert (round(said, 2), round(happened, 2)) == (0.42, 0.39) and min(every) > 0.3 and max(confidence) <= 0.01
    assert abs(of_dense - kept) < 0.005 and max(canonical) <= 0.06 and min(top) > 0.3  # .005: a standard error


@claim("08_kernel_tests", "The best bandwidth depends on the error, and the worst has less than half of its power.",
       "The aggregated test loses some power against the best bandwidth, which nobody knows beforehand, but far less "
       "than a bad choice costs.")
def test_the_price_of_not_choosing():
    """In the picture's data sets, 1,000 of each kind."""
    drawn = [simulations.power(wrong, n) for wrong, n in product(simulations.WRONG[1:], simulations.POWER_SIZES)]
    assert len({int(np.argmax(single)) for single, *_ in drawn}) >= 3
    for single, _, together in drawn:
        assert min(single) < 0.5 * max(single)
        assert 0.05 < max(single) - together < 0.2 and max(single) - min(single) > 2 * (max(single) - together)


@slow
@claim("08_kernel_tests", "The evidence against this model is weak: on other splits of the digits its $R$ may be "
       "above .1.")
def test_the_networks_evidence_on_other_splits(seeds):
    asked, pvalues = {"notion": "canonical", "n_resamples": 199, "rng": seeds.rng()}, []
    for digits in (another_split("neural network", seed) for seed in seeds(20)):
        pvalues.append(kce_test(digits.y_true, digits.y_prob, **asked).pvalue)
    assert max(pvalues) > 0.1


SAID, UNSEEN = np.array([0.2, 0.5, 0.8]), np.array([0.1, -0.2, 0.1])  # misses on which no straight line earns


def two_classes(p):
    return np.column_stack([1 - p, p])


def by_lines(p, q=None):
    """The kernel 1 + p q."""
    return 1 + np.outer(p[:, 1], (p if q is None else q)[:, 1])


@claim("08_kernel_tests", "if the kernel is *universal*, as Gaussian and Laplacian ones are: every continuous "
       "function can be approximated by sums of bumps. Then the SKCE is 0 only if the model is calibrated",
       "A kernel with two features, 1 and $p$, can be blind:", "04_bets_and_kernels",
       "For the Gaussian kernel it is positive for every model that is not calibrated")
def test_a_universal_kernel_sees_every_error(seeds, worlds=20):
    grid = np.linspace(0, 1, 101)
    kink = np.abs(grid - 0.5)  # continuous, and no straight line comes nearer than .25
    for kernel, blind in ((laplacian(0.5), False), (rbf(bandwidth=0.1), False), (by_lines, True)):
        bumps = kernel(two_classes(grid), two_classes(grid[::2]))
        off = np.abs(bumps @ np.linalg.lstsq(bumps, kink, rcond=1e-13)[0] - kink).max()
        assert off >= 0.25 if blind else off < 0.02
        for seed in seeds(worlds):
            p = (np.arange(5) + 0.8 * np.random.default_rng(seed).random(5)) / 5
            assert (np.linalg.eigvalsh(kernel(two_classes(p)))[0] < 1e-12) == blind
        assert (UNSEEN @ kernel(two_classes(SAID)) @ UNSEEN < 1e-12) == blind


@slow
@claim("08_kernel_tests", "**With a universal kernel the exact test is consistent**: against every miscalibrated model "
       "its power tends to 1 as $n$ grows.", "The observed unbiased estimate tends to the SKCE, above 0; redrawn ones "
       "have mean 0 and a standard deviation of order $1/n$ at most.")
def test_the_exact_test_finds_every_error_in_the_end(seeds, data_sets=160):
    """Half of the misses that a kernel of two features does not see."""
    world = FiniteWorld(np.ones(3) / 3, two_classes(SAID), two_classes(SAID - UNSEEN / 2))
    atoms = Atoms(world)
    row = atoms.h @ atoms.mass  # E[h(Z, z')] for each z'
    truth = row @ atoms.mass
    limit = np.sqrt(4 * ((row - truth) ** 2 @ atoms.mass))  # of √n times the standard deviation
    found, spread = {}, {}
    for n in (100, 400, 1600, 6400):
        rng = seeds.rng(n)
        drawn = [world.sample(n, rng) for _ in range(data_sets)]
        tests = [kce_test(*each, kernel=KERNEL, n_resamples=99, rng=rng) for each in drawn]
        off = np.sqrt(n) * np.array([each.estimate - truth for each in tests]) / limit
        found[n] = alarms([each.pvalue for each in tests])
        spread[n] = np.array([each.null_distribution.std() for each in tests])
        means = [each.null_distribution.mean() for each in tests]
        assert mean_within(off, 0, refuses=-np.sqrt(n) * truth / limit)
        assert mean_within(means / spread[n].mean(), 0, refuses=(-0.1, 0.1))
        if n >= 1600:  # √(2/π) is a normal number's; the rest is noise of order 1/n
            assert mean_within(np.abs(off), 0.8, 0.9, refuses=(0.4, 1.6))
        if n == 1600:
            above = [(each.null_distribution >= each.estimate).mean() for each in tests]
            assert mean_within(above, 0, 0.01, refuses=0.05)
            blind = [kce_test(*each, kernel=by_lines, n_resamples=99, rng=rng).pvalue for each in drawn]
            assert within(alarms(blind), data_sets, 0.03, 0.07, refuses=0.2)
    assert within(found[100], data_sets, 0.09, 0.14, refuses=0.33)
    assert within(found[400], data_sets, 0.32, 0.43, refuses=(0.15, 0.8))
    assert within(found[1600], data_sets, 0.96, 1, refuses=0.8) and found[6400] == data_sets
    for n in (400, 1600, 6400):  # like 1/√n it would be 2, 4, 8
        assert mean_within(n * spread[n] / (100 * spread[100].mean()), 0.97, 1.03, refuses=(0.5, 2))
