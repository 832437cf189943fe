"""The kernel calibration error and its tests, literally: whole matrices, one replicate and one label vector at a time.

Nothing here shares code with the package. A kernel is a function of two rows.
"""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
import risk_oracles as literal
from risk_oracles import rows, scores
from scipy.spatial.distance import pdist


def linear_and_gaussian(bandwidth):
    return lambda a, b: a @ b + np.exp(-literal.squared_distance(a, b) / (2 * bandwidth**2))


def square(a, b):
    return (1 + a @ b) ** 2


def square_matrix(X, Y=None):
    """`square` as the package takes a kernel: of all pairs of rows."""
    return (1 + X @ (X if Y is None else Y).T) ** 2


def median_distance(p):
    """Median of the distances of all pairs i < j."""
    return float(np.median(pdist(literal.as_rows(p))))


def poster_kernel(p):
    """exp(−‖a − b‖/ν) with ν the median distance."""
    return literal.exponential(median_distance(p))


# --- estimators ---


def terms(kernel, y, p):
    """h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩."""
    delta = literal.residual_rows(y, p)
    return literal.matrix(kernel, p, p) * (delta @ delta.T)


def biased(kernel, y, p):
    return terms(kernel, y, p).mean()


def unbiased(kernel, y, p):
    return literal.off_diagonal(terms(kernel, y, p))


def linear(kernel, y, p):
    """Rows 1 and 2, rows 3 and 4, …; an odd last row is left out."""
    return pair_terms(terms(kernel, y, p)).mean()


def pair_terms(h):
    return np.diag(h, 1)[::2]


ESTIMATORS = {"biased": biased, "unbiased": unbiased, "linear": linear}


def witness(kernel, y, p, at):
    """−Σ_i k(q, p_i) δ_i / ‖Σ_i φ(p_i) ⊗ δ_i‖ for every q of `at`; zeros if the norm is 0."""
    norm = len(p) * math.sqrt(max(biased(kernel, y, p), 0.0))
    return -literal.matrix(kernel, at, p) @ literal.residual_rows(y, p) / (norm or math.inf)


# --- p-values by formula ---


def bound_biased(estimate, n, bound):
    root = math.sqrt(n * max(estimate, 0.0) / bound)
    return math.exp(-0.5 * (root - 1) ** 2) if root > 1 else 1.0


def bound_unbiased(estimate, n, bound):
    """Hoeffding with ⌊n/2⌋ terms in [−bound, bound]: exp(−2mt²/(2·bound)²)."""
    return math.exp(-2 * (n // 2) * estimate**2 / (2 * bound) ** 2) if estimate > 0 else 1.0


def bootstrap_score(kernel, y, p):
    n = len(p)
    return n / (n - 1) * unbiased(kernel, y, p) - biased(kernel, y, p)


def bootstrap_draw(kernel, y, p, counts):
    """n⁻² Σ_i C_i Σ_j (n/(n−1)(C_j − 1[i=j]) − 2) h_ij."""
    n, counts = len(p), np.array(counts)
    return np.sum(counts[:, None] * (n / (n - 1) * (counts - np.eye(n)) - 2) * terms(kernel, y, p)) / n**2


def rank_pvalue(observed, draws):
    """(1 + #{draws at least as large})/(B + 1)."""
    return (1 + sum(draw >= observed for draw in draws)) / (len(draws) + 1)


def aggregated(statistics):
    """The smallest rank of each data set; ties by the largest standardised statistic; then the rank of the first."""
    each = [[rank_pvalue(row[b], row[:b] + row[b + 1 :]) for b in range(len(row))] for row in statistics]
    smallest = [min(column) for column in zip(*each, strict=True)]
    values = np.array(statistics, float)
    centred, spread = values - values.mean(axis=1, keepdims=True), values.std(axis=1, keepdims=True)
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12).max(axis=0).round(9)
    scores = [(-rank, largest) for rank, largest in zip(smallest, standard, strict=True)]
    return smallest, rank_pvalue(scores[0], scores[1:]), [row[0] for row in each]


# --- every label vector that the predictions can bring ---


def label_vectors(p):
    """Those of a probability above 0."""
    table = [[1 - row, row] for row in p] if np.ndim(p) == 1 else p
    return itertools.product(*([k for k, mass in enumerate(row) if mass > 0] for row in table))


# --- bins for whole vectors ---


def cells(p, n_steps):
    """{cell: row numbers}; a cell is the tuple of steps of size 1/n_steps, the last one closed."""
    found = defaultdict(list)
    for i, row in enumerate(p):
        found[tuple(min(int(round(v * n_steps, 11)), n_steps - 1) for v in row)].append(i)
    return found


def simplex_error(y, p, n_steps=10):
    """Σ_cells (n_c/n) ½ Σ_k |mean p_k − frequency of k|."""
    return error_of_groups(cells(p, n_steps).values(), y, p)


def error_of_groups(groups, y, p):
    delta = literal.residual_rows(y, p)
    return sum(np.abs(delta[members].sum(axis=0)).sum() for members in groups) / (2 * len(p))


def colliding_groups(p, n_steps=10):
    """Rows whose steps 1, …, n_steps (closed on the right, the first on both sides) have the same product."""
    found = defaultdict(list)
    for i, row in enumerate(p):
        found[math.prod(max(math.ceil(v * n_steps), 1) for v in row)].append(i)
    return list(found.values())


# --- data of several kinds, and what every Monte Carlo test must satisfy ---


TWO = np.array([0, 1]), np.array([[0.3, 0.7, 0.0], [0.2, 0.2, 0.6]])
DATA = {"rows": lambda n=15: rows(n), "scores": lambda n=15: scores(n), "even rows": lambda: rows(14)}
DATA["two rows"] = lambda: TWO


def shuffled(y, p, seed):
    """Rows as the linear statistics see them, and what is left of the random numbers."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    return y[order], p[order], rng


def assert_same(one, other, tolerance=0.0):
    """Two results of a test say the same."""
    assert one.pvalue == other.pvalue and one.method == other.method
    for name in ("statistic", "estimate", "null_distribution", "single_pvalues"):
        found, wanted = getattr(one, name), getattr(other, name)
        assert (found is None) == (wanted is None)
        if found is not None:
            np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def assert_rank(result):
    """p = (1 + #{T* ≥ T})/(B + 1), never 0; what is equal to 1e-9 of the largest value counts as equal."""
    values = [result.statistic, *result.null_distribution]
    slack = 1e-9 * max(map(abs, values))
    assert result.pvalue == pytest.approx(rank_pvalue(values[0] - slack, values[1:]), abs=1e-12)
    assert 1 / len(values) <= result.pvalue <= 1


# --- with the default kernel: what the public functions return ---


def default_skce(y, p):
    return unbiased(poster_kernel(p), y, p)


def default_witness(y, p):
    return np.reshape(witness(poster_kernel(p), y, p, p), np.shape(p))


def right_test(result, y, p, statistic=default_skce):
    """Every draw is a value that labels of positive probability can give, and the observed one is ranked among them."""
    assert result.statistic == result.estimate == pytest.approx(statistic(y, p), abs=1e-12)
    possible = np.array([statistic(labels, p) for labels in label_vectors(p)])
    assert all(np.abs(possible - value).min() < 1e-12 for value in result.null_distribution)
    assert_rank(result)


def right_grid(kernels, y, p):
    X = literal.as_rows(p)
    for kernel, factor in zip(kernels, (0.125, 0.25, 0.5, 1, 2, 4, 8), strict=True):
        formula = literal.exponential(factor * median_distance(p))
        np.testing.assert_allclose(kernel(X), literal.matrix(formula, p, p), rtol=0, atol=1e-9)
