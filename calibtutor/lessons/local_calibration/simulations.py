"""Computations behind the scenes of notebook 05: done once and kept, or stored (`..shared.stored`)."""

from functools import lru_cache

import numpy as np

from ...binning import expected_calibration_error
from ...data.datasets import worn_digits
from ...data.local_worlds import clustered, group_shift, hidden_feature
from ...kernels import rbf
from ...klce import klce_test
from ...predictions import top_label
from ...pvalues import rank_pvalues
from ...recalibration import (
    BBQ,
    IsotonicCalibration,
    Multicalibration,
    PlattScaling,
    TemperatureScaling,
)
from ..shared.stored import stored
from .planting import found  # noqa: F401  is stored with the others

__all__ = []  # computations, not scenes

CAST = ("neural network", "random forest", "logistic regression", "naive Bayes")
FOLDS = 2


def folds(n):
    """Which half each row belongs to, shape (n,)."""
    return np.random.default_rng(0).permutation(n) % FOLDS


@lru_cache
def scans(model, isotonic):
    """The worn scanner, top label: hits (n,), confidences (n,), wear (n,), ink (n,).

    With `isotonic` each half's confidences are recalibrated on the other half.
    """
    predictions, wear = worn_digits(model)
    hit, confidence = top_label(predictions.y_true, predictions.y_prob)
    if isotonic:
        confidence = crossed(IsotonicCalibration, hit, confidence, folds(len(hit)))
    return hit, confidence, wear, predictions.ink


def crossed(method, y, said, half):
    """Each half recalibrated by a map that was fitted on the other half."""
    mapped = np.empty(len(y))
    for k in range(FOLDS):
        mapped[half == k] = method().fit(y[half != k], said[half != k]).predict_proba(said[half == k])
    return mapped


# --- an inference ---


@lru_cache
def town():
    """Ages, their shares, and the share of each age that owns a home; three arrays (121,)."""
    age = np.linspace(20, 80, 121)
    share = np.exp(-(((age - 48) / 16) ** 2) / 2)
    return age, share / share.sum(), 0.2 + 0.6 / (1 + np.exp(-(age - 45) / 9))


def said_at_each_age(tilt, depends_on):
    """What the model says of each age, on average; over all ages it is right on average, whatever the tilt."""
    age, share, owning = town()
    return owning + 0.4 * tilt * (share @ age - age) / 30 if depends_on == "age" else owning


def mean_age_of_owners(p):
    """Σ age · p / Σ p, where p is the share of each age that owns, or what a model says it is."""
    age, share, _ = town()
    return share @ (age * p) / (share @ p)


def moment(p):
    """E (p − Y)(age − A), the one number that must be 0; A is the mean age of those who do own."""
    age, share, owning = town()
    return share @ ((p - owning) * (age - mean_age_of_owners(owning)))


# --- repairs ---

METHODS = {
    "nothing": None,
    "Platt": PlattScaling,
    "temperature": lambda: TemperatureScaling(clip=2.0**-52),  # 0 means 0
    "isotonic": IsotonicCalibration,
    "BBQ": BBQ,
    "multicalibration": lambda: Multicalibration(alpha=0.02, n_bins=5, min_count=20),
}


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
    """Means over CUTS halves that nothing was fitted on: ECE, miss in each quarter of wear, whether the test rejects."""
    looks, kernels = [], {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}
    for cut in range(CUTS):
        hit, confidence, wear = recalibrated(model, method, cut)
        pvalue = klce_test(hit, confidence, wear / wear.std(), **kernels, n_resamples=99, rng=cut).pvalue
        looks.append((expected_calibration_error(hit, confidence), quarters(hit, confidence, wear)[0], pvalue <= 0.05))
    ece, miss, rejected = zip(*looks, strict=True)
    return float(np.mean(ece)), np.mean(miss, axis=0), float(np.mean(rejected))


def quarters(hit, confidence, feature):
    """Confidence minus share of hits in each quarter of a feature, and its standard error, both shape (4,)."""
    group = np.searchsorted(np.quantile(feature, [0.25, 0.5, 0.75]), feature)
    miss = [(confidence - hit)[group == k] for k in range(4)]
    return np.array([m.mean() for m in miss]), np.array([m.std() / np.sqrt(len(m)) for m in miss])


# --- which rows are tested ---

ROWS = ("true r", "cross-fitted", "the same, new labels", "clean half")
ROWS_MAPS = ["Platt", "isotonic"]
ROWS_N, ROWS_SETS, ROWS_DRAWS = [100, 200, 400], 400, 19


@stored(ROWS_MAPS, ROWS_N)
def which_rows(method, n):
    """Share of p-values in each twentieth, shape (len(ROWS), 20): labels redrawn, an irrelevant feature."""
    values = [pvalues_by_rows(method, n, np.random.default_rng([10, number])) for number in range(ROWS_SETS)]
    twentieth = np.ceil(20 * np.array(values) - 1e-9).astype(int) - 1
    return np.array([np.bincount(row, minlength=20) for row in twentieth.T]) / ROWS_SETS


def pvalues_by_rows(method, n, rng):
    """One data set: the p-value of the test that redraws labels, for each of ROWS."""
    said, x, half = rng.uniform(0.05, 0.95, n), rng.standard_normal(n), rng.permutation(n) % FOLDS
    r = 1 / (1 + np.exp(-0.3) * (1 / said - 1) ** 0.5)  # what really happens: logit r = .3 + ½ logit said
    y, again = rng.random((2, n)) < r
    mapped, clean = crossed(METHODS[method], y, said, half), half == 0
    L = rbf(bandwidth=0.5)(x[:, None])
    tested = (y, r, L), (y, mapped, L), (again, mapped, L), (y[clean], mapped[clean], L[clean][:, clean])
    return [pvalue_of(*each, rng) for each in tested]


def pvalue_of(y, p, L, rng):
    """What `klce_test` does with redrawn labels; L are the features' kernel values."""
    K = rbf(bandwidth=0.2)(p[:, None]) * L
    delta = p[:, None] - np.column_stack([y, rng.random((len(y), ROWS_DRAWS)) < p[:, None]])
    return rank_pvalues(((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2)[0]


# --- the race of the nulls ---

RACE_NULLS = ("residuals", "permutation", "centred-permutation", "signs", "labels")
RACE_SHARES = [0.05, 0.2, 0.5, 0.8, 0.95]
CROWDS = {"doubtful": (0.5, (0.02, 0.98)), "confident": (0.03, (0.5,))}
RACE_SETS, RACE_N, RACE_DRAWS = 120, 120, 99


@stored(CROWDS, RACE_SHARES)
def race(crowd, share):
    """p-values of calibrated data sets by null, shape (len(RACE_NULLS), RACE_SETS).

    What `klce_test` does with each null, for all of them from one kernel matrix: 6,000 tests in a second.
    """
    pvalues = np.empty((len(RACE_NULLS), RACE_SETS))
    for number in range(RACE_SETS):
        rng = np.random.default_rng([7, number])
        centre, isolated = CROWDS[crowd]
        y, p, x = clustered(share, RACE_N, rng, crowd=centre, isolated=isolated)
        K = rbf(width=0.1)(p[:, None]) * rbf(gamma=1.0)(x)
        pvalues[:, number] = [rank_pvalues(values)[0] for values in race_statistics(y, p, K, rng)]
    return pvalues


def race_statistics(y, p, K, rng):
    """Σ_{i≠j} K_ij δ_i δ_j of the observed and of RACE_DRAWS drawn residuals, one row a null."""
    delta, shape = p - y, (len(y), RACE_DRAWS)
    copies = np.tile(delta[:, None], RACE_DRAWS)
    permuted = rng.permuted(copies, axis=0)
    drawn = {
        "residuals": delta[rng.integers(len(y), size=shape)],
        "permutation": permuted,
        "centred-permutation": permuted,
        "signs": copies * rng.choice([-1, 1], shape),
        "labels": p[:, None] - (rng.random(shape) < p[:, None]),
    }
    values = np.empty((len(RACE_NULLS), RACE_DRAWS + 1))
    for row, null in enumerate(RACE_NULLS):
        E = np.column_stack([delta, drawn[null]])
        values[row] = ((K @ E) * E).sum(axis=0) - np.diag(K) @ E**2
    values[RACE_NULLS.index("centred-permutation"), 1:] -= values[RACE_NULLS.index("centred-permutation"), 1:].mean()
    return values


# --- two kernels ---


HALF_N = 1000
HALF_WORLDS = ["wrong left and right", "wrong everywhere", "right"]
PROB_WIDTHS, FEATURE_WIDTHS = [0.02, 0.05, 0.1, 0.3, 1.0], [0.05, 0.1, 0.3, 1.0, 3.0]


@lru_cache
def half_world(world):
    """HALF_N data (y, p, x): frequencies miss p by ± .2 left and right of x = 0, by .15 everywhere, or not at all."""
    rng = np.random.default_rng(3)
    y, p, X = group_shift(0.2 if world == HALF_WORLDS[0] else 0, HALF_N, rng)
    if world == HALF_WORLDS[1]:
        y = (rng.random(HALF_N) < p + 0.15).astype(int)
    return y, p, X[:, 0]


def half_table(world):
    """eq. 4 for every width of k (None: k = 1) and of l: {(width_p, width_x): value}."""
    return half_tables(world)[0]


def half_noise(world):
    """Standard deviation of eq. 4 over calibrated labels: {(width_p, width_x): value}.

    Residuals of different rows are then uncorrelated, so the variance is 2 Σ_{i≠j} (k l)²_ij v_i v_j, v = p (1 − p).
    """
    return half_tables(world)[1]


@lru_cache
def half_tables(world):
    """`half_table` and `half_noise`, from the same kernel matrices."""
    y, p, x = half_world(world)
    pairs, spread = (np.outer(each, each) for each in (p - y, p * (1 - p)))
    np.fill_diagonal(pairs, 0)
    np.fill_diagonal(spread, 0)
    ks, ls = (
        {None: np.ones_like(pairs)} | {width: rbf(bandwidth=width)(values[:, None]) for width in widths}
        for values, widths in ((p, PROB_WIDTHS), (x, FEATURE_WIDTHS))
    )
    squares = {b: l * l for b, l in ls.items()}
    values, noise, n = {}, {}, HALF_N * (HALF_N - 1)
    for a, k in ks.items():
        weighted, spread_there = k * pairs, k * k * spread
        for b, l in ls.items():
            values[a, b] = float(np.vdot(weighted, l) / n)
            noise[a, b] = float(np.sqrt(2 * np.vdot(spread_there, squares[b])) / n)
    return values, noise


# --- the map of the miss ---


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


# --- power against the dimension ---

DIMENSIONS = [2, 5, 10, 20, 40]
WIDTHS = [1.0, 2.0, 5.0, 10.0, 20.0]
POWER_N, POWER_SETS = 200, 60


@stored(DIMENSIONS)
def power(dimension):
    """Share rejected at .05 by the exact test, (one a feature width, aggregated): the last feature is not used."""
    probs, features = rbf(width=5.0), [rbf(width=w) for w in WIDTHS]
    single, aggregated = [], []
    for number in range(POWER_SETS):
        rng = np.random.default_rng([8, number])
        y, p, X = hidden_feature(POWER_N, dimension, rng)
        result = klce_test(y, p, X, prob_kernel=probs, feature_kernel=features, n_resamples=99, rng=rng)
        single.append(result.single_pvalues)
        aggregated.append(result.pvalue)
    return (np.array(single) <= 0.05 + 1e-12).mean(axis=0), float((np.array(aggregated) <= 0.05 + 1e-12).mean())
