"""What the pictures of notebook 10 compute: nulls and crowds, a map of the local miss, rows to test, repairs."""

from functools import partial
from itertools import product

import numpy as np

from ...data.networks import network_predictions
from ...data.worlds import clustered
from ...errors.klce import klce_test
from ...estimates.binning import expected_calibration_error
from ...kernels import rbf
from ...recalibration import BBQ, IsotonicCalibration, Multicalibration, PlattScaling, TemperatureScaling
from ...recalibration.linear_in_logs import DirichletCalibration, VectorScaling
from ..shared.stored import stored
from ..shared.worn import CAST, FOLDS, crossed, quarters, scans

METHODS = {"nothing": None,
           "Platt": PlattScaling,
           "temperature": lambda: TemperatureScaling(clip=2.0**-52),  # 0 means 0
           "isotonic": IsotonicCalibration,
           "BBQ": BBQ,
           "multicalibration": lambda: Multicalibration(alpha=0.02, n_bins=5, min_count=20)}
CUTS = 20


def recalibrated(model, method, cut):
    """Hits, confidences and wear of a random half of the images, after a recalibration that the other half taught."""
    hit, confidence, wear, _ = scans(model, False)
    half = np.random.default_rng([11, cut]).permutation(len(hit)) % 2
    learn, test = half == 0, half == 1
    said = confidence[test]
    if METHODS[method]:
        groups = (wear[:, None],) if method == "multicalibration" else ()
        fitted = METHODS[method]().fit(hit[learn], confidence[learn], *(g[learn] for g in groups))
        said = fitted.predict_proba(said, *(g[test] for g in groups))
    return hit[test], said, wear[test]


@stored(CAST, METHODS)
def repaired(model, method):
    """Means over CUTS halves that nothing was fitted on: ECE, miss in each quarter of wear, whether the test rejects.

    Last what chance does to these misses, two standard errors: each image is in half of the cuts, so that they are as
    good as those of all images.
    """
    looks, kernels = [], {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}
    for cut in range(CUTS):
        hit, confidence, wear = recalibrated(model, method, cut)
        pvalue = klce_test(hit, confidence, wear / wear.std(), **kernels, n_resamples=99, rng=cut).pvalue
        miss, error = quarters(hit, confidence, wear)
        looks.append((expected_calibration_error(hit, confidence), miss, pvalue <= 0.05, 2 * error / np.sqrt(2)))
    ece, miss, rejected, wide = zip(*looks, strict=True)
    return float(np.mean(ece)), np.mean(miss, axis=0), float(np.mean(rejected)), np.mean(wide, axis=0)


ANSWERS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")  # of CIFAR-10
DEEP = ["Wide ResNet-32", "DenseNet-40", "LeNet-5"]
DEEP_MAPS = {"temperature": METHODS["temperature"], "vector": VectorScaling, "Dirichlet": DirichletCalibration}
REPAIRS, TAUGHT, TEACHERS = ["as trained", *DEEP_MAPS], [500, 1000, 2000, 5000], 5


def mapped(network, repair, n, draw):
    """Labels of 10,000 test images, and what a map says of them that n held-out images taught."""
    held, test = (network_predictions(network, split=split) for split in ("held out", "test"))
    if repair not in DEEP_MAPS:
        return test.y_true, test.y_prob
    rows = np.random.default_rng([12, draw]).permutation(len(held.y_true))[:n]
    return test.y_true, DEEP_MAPS[repair]().fit(held.y_true[rows], held.y_prob[rows]).predict_proba(test.y_prob)


@stored(DEEP)
def by_answer(network):
    """By repair and number of images 23 means over draws: the miss of all and by answer, two standard errors, log loss."""
    found = []
    for repair, n, draw in product(REPAIRS, TAUGHT, range(TEACHERS)):
        y, said = mapped(network, repair, n, draw)
        answer, c = said.argmax(axis=1), said.max(axis=1)
        where = np.column_stack([np.ones(len(c)), np.eye(10)[answer]])
        miss, error = ((c - (answer == y)) @ where, 2 * np.sqrt(c * (1 - c) @ where)) / where.sum(axis=0)
        found.append([*miss, *error, -np.log(said[np.arange(len(c)), y]).mean()])
    return np.reshape(found, (len(REPAIRS), len(TAUGHT), TEACHERS, 23)).mean(axis=2)


ROWS_MAPS = ["Platt", "isotonic"]
ROWS_N, ROWS_SETS, ROWS_DRAWS = [100, 200, 400], 400, 19


@stored(ROWS_MAPS, ROWS_N)
def which_rows(method, n):
    """Share of p-values in each twentieth, shape (3, 20): labels redrawn, an irrelevant feature."""
    values = [pvalues_by_rows(method, n, np.random.default_rng([10, number])) for number in range(ROWS_SETS)]
    twentieth = np.ceil(20 * np.array(values) - 1e-9).astype(int) - 1
    return np.array([np.bincount(row, minlength=20) for row in twentieth.T]) / ROWS_SETS


def pvalues_by_rows(method, n, rng):
    """One data set: the p-value of the test that redraws labels: true chances, cross-fitted, a half without any fit."""
    said, x, half = rng.uniform(0.05, 0.95, n), rng.standard_normal(n), rng.permutation(n) % FOLDS
    r = 1 / (1 + np.exp(-0.3) * (1 / said - 1) ** 0.5)  # what really happens: logit r = .3 + ½ logit said
    y = (rng.random(n) < r).astype(int)
    mapped, clean = crossed(METHODS[method], y, said, half), half == 0
    kernels = {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}
    test = partial(klce_test, **kernels, n_resamples=ROWS_DRAWS, rng=rng)
    return [test(*each).pvalue for each in ((y, r, x), (y, mapped, x), (y[clean], mapped[clean], x[clean]))]


RACE_NULLS = ("residuals", "permutation", "centred-permutation", "signs", "labels")
CROWDS = {"doubtful": (0.5, (0.02, 0.98)), "confident": (0.03, (0.5,))}
RACE_SETS, RACE_N, RACE_SHARE = 400, 120, 0.2


@stored(CROWDS)
def race(crowd):
    """p-values of calibrated data sets by null, shape (len(RACE_NULLS), RACE_SETS)."""
    settings, pvalues = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=1.0), "n_resamples": 99}, []
    for number in range(RACE_SETS):
        y, p, x, rng = people(crowd, number)
        pvalues.append([klce_test(y, p, x, **settings, null=null, rng=rng).pvalue for null in RACE_NULLS])
    return np.transpose(pvalues)


def people(crowd, number=0):
    """One data set of the race: labels, predictions, features; and what its nulls draw from."""
    rng = np.random.default_rng([7, number])
    centre, isolated = CROWDS[crowd]
    return *clustered(RACE_SHARE, RACE_N, rng, crowd=centre, isolated=isolated), rng


def redrawn(y, p, rng):
    """Residuals redrawn once by each null."""
    delta, n = p - y, len(y)
    permuted = rng.permutation(delta)
    return {"residuals": rng.choice(delta, n),
            "permutation": permuted,
            "centred-permutation": permuted,
            "signs": rng.choice([-1, 1], n) * delta,
            "labels": p - (rng.random(n) < p)}


def weights(p, x, at_p, at_x, width_p, width_x):
    """w_i = k(p, p_i) l(x, x_i) of every row at one place."""
    return np.exp(-((p - at_p) ** 2) / (2 * width_p**2) - (x - at_x) ** 2 / (2 * width_x**2))


def band_of(p, w):
    """Two standard errors of a right model's local miss at one place."""
    return 2 * np.sqrt(w**2 @ (p * (1 - p))) / w.sum()


def miss_map(hit, confidence, wear, at_confidence, at_wear, width_confidence, width_wear):
    """Local miss (said − happened), its standard error and Σ k l on a grid, three arrays (confidences, wears).

    Minus the bias of `local_calibration_bias`; on a grid the product kernel turns every sum into one small matrix product.
    """
    k = rbf(bandwidth=width_confidence)(at_confidence[:, None], confidence[:, None])
    l = rbf(bandwidth=width_wear)(at_wear[:, None], wear[:, None])
    mass = k @ l.T
    miss = (k * (confidence - hit)) @ l.T / mass
    standard_error = np.sqrt((k**2 * confidence * (1 - confidence)) @ (l**2).T) / mass
    return miss, standard_error, mass
