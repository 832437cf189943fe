"""What the pictures of notebook 08 compute: estimates, null draws and p-values on data whose truth is known."""

from functools import lru_cache, partial
from itertools import product

import numpy as np

from ...chance.pvalues import rank_pvalues, t_pvalue
from ...chance.resampling import draw_labels
from ...data.networks import NETWORKS, network_predictions
from ...data.worlds import CurveWorld, calibrated_model, mixed_widmann_model, wave_world
from ...door.predictions import residuals
from ...errors.kce import kce_test, kernel_grid
from ...estimates.simplex import cell_of
from ...kernels import laplacian, median_bandwidth, rbf
from ...kernels.pair_sums import pair_terms, skce_of_labels
from ...reproductions.blocks import stored_summary
from ...reproductions.many_classes import CLASSES, TESTS
from ...reproductions.widmann import TotalVariationLaplacian, draw_pairs, errors_of_labels, errors_of_pairs
from ..shared.posters_models import BANDWIDTH
from ..shared.pvalues import rejections
from ..shared.stored import stored

SCENES = 300
DRAWS = 199


def camera(n, rng):
    """What a camera says of n obstacles: probabilities of object, human, animal; the object always comes first."""
    objects = rng.uniform(0.5, 0.95, n)
    animals = rng.uniform(0.4, 0.9, n) * (1 - objects)
    return np.column_stack([objects, 1 - objects - animals, animals])


@lru_cache
def two_nulls():
    """The camera's predictions, a number for each label, and the SKCE of redrawn labels: all classes, confidence."""
    rng = np.random.default_rng([3, 9])
    p = camera(SCENES, rng)
    labels, confidence = draw_labels(p, DRAWS, rng), p[:, 0]
    k, k_top = (laplacian(median_bandwidth(each)) for each in (p, confidence))
    every = skce_of_labels(k, p, p, labels), skce_of_labels(k_top, confidence, confidence, (labels == 0).astype(int))
    return p, rng.random(SCENES), (k, k_top), every


def two_tests(share):
    """If this share of the animals are humans: labels, and (observed SKCE, redrawn ones) of the two tests."""
    p, u, (k, k_top), (null, null_top) = two_nulls()
    object_, human = p[:, 0], p[:, 1] + share * p[:, 2]
    y = (u > object_).astype(int) + (u > object_ + human)  # 0, 1, 2: object, human, animal
    observed = skce_of_labels(k, p, p, y[:, None])[0]
    top = skce_of_labels(k_top, object_, object_, (y == 0).astype(int)[:, None])[0]
    return y, (observed, null), (top, null_top)


SIZES = [20, 50, 100, 200]
STRENGTHS = [0.0, 0.25, 0.5, 0.75, 1.0]
REPEATS = 200


@lru_cache
def estimates(n):
    """{strength: (biased, unbiased, linear), each (REPEATS,)}: SKCE estimates of the poster's data, ten classes."""
    found = {strength: np.empty((3, REPEATS)) for strength in STRENGTHS}
    corners = np.eye(10)
    for seed, strength in product(range(REPEATS), STRENGTHS):
        y, p = mixed_widmann_model(strength, n, rng=seed)
        if strength == STRENGTHS[0]:  # the other strengths change labels only
            K = TotalVariationLaplacian(BANDWIDTH)(p)
        delta = p - corners[y]
        h = K * (delta @ delta.T)  # h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩
        total, own, pairs = h.sum(), h.trace(), h.diagonal(1)[::2]  # the pairs: h_12, h_34, …
        found[strength][:, seed] = total / n**2, (total - own) / (n * (n - 1)), pairs.sum() / len(pairs)
    return found


RACE = ("C on an ECE", "D_b", "A_uq", "A_l", "exact", "aggregated")
RACE_DATA = {"calibrated": 0.0, "nearly certain": None, "15% of labels ignore predictions": 0.15,
             "30% of labels ignore predictions": 0.3}
CALIBRATED = ("calibrated", "nearly certain")
RACE_SETS = 81
RACE_SIZE = 100


@stored(RACE_DATA)
def race(data):
    """p-values of many data sets: C on an ECE, D_b, A_uq, A_l, exact, aggregated; shape (6, RACE_SETS)."""
    pvalues = []
    for number in range(RACE_SETS):
        rng = np.random.default_rng([4, number])
        if data == "nearly certain":
            y, p = calibrated_model("near-deterministic", RACE_SIZE, rng=rng)
        else:
            y, p = mixed_widmann_model(RACE_DATA[data], RACE_SIZE, n_classes=3, rng=rng)
        kernels = kernel_grid(p, factors=(0.25, 1, 4))  # times the median distance
        test = partial(kce_test, y, p, n_resamples=99, rng=rng)
        exact = test(kernel=kernels)  # labels redrawn: each kernel alone, and all
        C = pairs_redrawn(y, p, 10, rng)
        D_b, A_uq = (test(kernel=kernels[1], method=method) for method in ("bound-biased", "asymptotic"))
        _, A_l = t_pvalue(pair_terms(kernels[1], p, residuals(y, p)))  # t test of h_12, h_34, …
        pvalues.append([C, D_b.pvalue, A_uq.pvalue, A_l, exact.single_pvalues[1], exact.pvalue])
    return np.transpose(pvalues)


def unknown_tests():
    """{letter: p-values of calibrated data sets}: t test, the same of nearly certain predictions, pairs redrawn, bound."""
    (pairs, bound, _, t_test, *_), (_, _, _, nearly_certain, *_) = map(race, CALIBRATED)
    return {"a": t_test, "b": nearly_certain, "c": pairs, "d": bound}


def pairs_redrawn(y, p, cells, rng):
    """p-value of the canonical binned error by consistency resampling (C); see `redrawn`."""
    draw_labels(p, 99, rng)  # unused: without them the stored results would need other random numbers
    cell = cell_of(p, cells)
    drawn = errors_of_pairs(cell, p, *draw_pairs(p, 99, rng))
    return rank_pvalues(np.append(errors_of_labels(cell, p, y[:, None]), drawn))[0]


MANY = stored_summary("many_classes")["designs"]


def found_in_many_classes(temperature, n):
    """Shares of data sets rejected at .05 by each test, a row each, and confidence − accuracy; by number of classes.

    `calibtutor.reproductions.many_classes` made them: p = softmax(z), y from softmax(z/T), labels redrawn 199 times.
    """
    cells = [MANY[f"n = {n}, d = {d}"] for d in CLASSES]
    counts = [[cell["rejected"][f"{temperature:g}"][test] / cell["data_sets"] for cell in cells] for test in TESTS]
    return np.array(counts), np.array([cell["gap"][f"{temperature:g}"] for cell in cells])


FACTORS = (0.05, 0.125, 0.25, 0.5, 1, 2, 4)
WRONG = ["nothing (calibrated)", "everywhere too high", "one wave", "three waves"]
POWER_SIZES = [100, 200]
POWER_SETS = 1000


def world_of(wrong):
    """Scores spread evenly over [0, 1], with frequencies as said, .08 below, or .15 away in waves."""
    waves, too_high = {"one wave": 1, "three waves": 3}.get(wrong, 0), 0.08 * (wrong == "everywhere too high")
    return wave_world(waves, 0.15) if waves else CurveWorld(lambda p: np.clip(p - too_high, 0, 1))


@stored(WRONG, POWER_SIZES)
def power(wrong, n):
    """Share of data sets rejected at .05: by each bandwidth, by the smallest of the seven R, aggregated."""
    single, aggregated = [], []
    for number in range(POWER_SETS):
        rng = np.random.default_rng([6, number])
        y, p = world_of(wrong).sample(n, rng)
        kernels = kernel_grid(p, factors=FACTORS, family=lambda bandwidth: rbf(bandwidth=bandwidth))
        found = kce_test(y, p, kernel=kernels, n_resamples=99, rng=rng)
        single.append(found.single_pvalues)
        aggregated.append(found.pvalue)
    rejected = rejections(single, 0.05)  # the smallest rejects if any does
    return rejected.mean(axis=0), float(rejected.any(axis=1).mean()), float(rejections(aggregated, 0.05).mean())


@stored(NETWORKS)
def tests_of_a_network(name):
    """p-values of a network that tells 100 kinds of images apart: all probabilities, the confidence, both together."""
    images = network_predictions(name, data="CIFAR-100")
    test = kce_test(images.y_true, images.y_prob, n_resamples=DRAWS, rng=0)
    return np.append(test.single_pvalues, test.pvalue)
