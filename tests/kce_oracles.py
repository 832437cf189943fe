"""The kernel calibration error and its tests, literally: double loops, one replicate and one label vector at a time.

Nothing here shares code with the package. A kernel is a function of two rows (lists of numbers); labels and
predictions are lists.
"""

import itertools
import math
from collections import defaultdict

import risk_oracles as literal


def linear_and_gaussian(bandwidth):
    return lambda a, b: literal.inner(a, b) + math.exp(-literal.squared_distance(a, b) / (2 * bandwidth**2))


def square(a, b):
    return (1 + literal.inner(a, b)) ** 2


def median_distance(p):
    """Median of the distances of all pairs i < j."""
    p = literal.as_rows(p)
    distances = sorted(
        math.sqrt(literal.squared_distance(p[i], p[j])) for j in range(len(p)) for i in range(j)
    )  # fmt: skip
    half = len(distances) // 2
    return distances[half] if len(distances) % 2 else (distances[half - 1] + distances[half]) / 2


def poster_kernel(p):
    """exp(−‖a − b‖/ν) with ν the median distance."""
    return literal.exponential(median_distance(p))


# --- estimators ---


def terms(kernel, y, p):
    """h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩."""
    delta, p = literal.residual_rows(y, p), literal.as_rows(p)
    return [[kernel(a, b) * literal.inner(u, v) for b, v in zip(p, delta, strict=True)]
            for a, u in zip(p, delta, strict=True)]  # fmt: skip


def biased(kernel, y, p):
    h = terms(kernel, y, p)
    return math.fsum(value for row in h for value in row) / len(h) ** 2


def unbiased(kernel, y, p):
    h, n = terms(kernel, y, p), len(p)
    return math.fsum(h[i][j] for i in range(n) for j in range(n) if i != j) / (n * (n - 1))


def linear(kernel, y, p):
    """Rows 1 and 2, rows 3 and 4, …; an odd last row is left out."""
    h = terms(kernel, y, p)
    return math.fsum(pair_terms(h)) / (len(h) // 2)


def pair_terms(h):
    return [h[i][i + 1] for i in range(0, len(h) - 1, 2)]


ESTIMATORS = {"biased": biased, "unbiased": unbiased, "linear": linear}


def witness(kernel, y, p, at):
    """−Σ_i k(q, p_i) δ_i / ‖Σ_i φ(p_i) ⊗ δ_i‖ for every q of `at`; zeros if the norm is 0."""
    delta, rows = literal.residual_rows(y, p), literal.as_rows(p)
    norm = len(p) * math.sqrt(max(biased(kernel, y, p), 0.0))
    values = []
    for q in literal.as_rows(at):
        pull = [-math.fsum(kernel(q, row) * d[k] for row, d in zip(rows, delta, strict=True)) / (norm or math.inf)
                for k in range(len(delta[0]))]  # fmt: skip
        values.append(pull)
    return values


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
    h, n = terms(kernel, y, p), len(p)
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += counts[i] * (n / (n - 1) * (counts[j] - (i == j)) - 2) * h[i][j]
    return total / n**2


def centred_u_statistic(kernel, y, p, drawn):
    """Mean over pairs of places a ≠ b of h(X_a, X_b) − E*h(X_a, ·) − E*h(·, X_b) + E*E*h, for drawn row numbers.

    Arcones & Giné (1992): E* is the mean over the observed rows.
    """
    h, n = terms(kernel, y, p), len(p)
    row = [math.fsum(line) / n for line in h]
    grand = math.fsum(row) / n
    values = [h[drawn[a]][drawn[b]] - row[drawn[a]] - row[drawn[b]] + grand
              for a in range(n) for b in range(n) if a != b]  # fmt: skip
    return math.fsum(values) / len(values)


def rank_pvalue(observed, draws):
    """(1 + #{draws at least as large})/(B + 1)."""
    return (1 + sum(draw >= observed for draw in draws)) / (len(draws) + 1)


# --- every label vector that the predictions can bring, with its probability ---


def label_vectors(p):
    """[(probability, labels)]; vectors of probability 0 are left out."""
    table = [[1 - row, row] for row in p] if isinstance(p[0], float) else p
    found = []
    for labels in itertools.product(*(range(len(row)) for row in table)):
        mass = math.prod(row[label] for row, label in zip(table, labels, strict=True))
        if mass > 0:
            found.append((mass, list(labels)))
    return found


def pvalue_law(law, n_draws):
    """{p-value: probability} of a Monte Carlo test whose observed value and draws all come from `law`.

    `law` is [(probability, value)]. Given the observed value t, the number of draws at or above it is binomial.
    """
    found = defaultdict(float)
    for mass, value in law:
        tail = min(1.0, math.fsum(m for m, v in law if v >= value - 1e-9))
        for above in range(n_draws + 1):
            chance = math.comb(n_draws, above) * tail**above * (1 - tail) ** (n_draws - above)
            found[(1 + above) / (n_draws + 1)] += mass * chance
    return dict(found)


# --- bins for whole vectors ---


def cells(p, n_cells):
    """{cell: row numbers}; a cell is the tuple of steps of size 1/n_cells, the last one closed."""
    found = defaultdict(list)
    for i, row in enumerate(p):
        found[tuple(min(int(v * n_cells), n_cells - 1) for v in row)].append(i)
    return found


def simplex_error(y, p, n_cells=10):
    """Σ_cells (n_c/n) ½ Σ_k |mean p_k − frequency of k|."""
    return error_of_groups(cells(p, n_cells).values(), y, p)


def error_of_groups(groups, y, p):
    total = 0.0
    for members in groups:
        for k in range(len(p[0])):
            said = math.fsum(p[i][k] for i in members) / len(members)
            happened = sum(y[i] == k for i in members) / len(members)
            total += len(members) / len(p) * abs(said - happened) / 2
    return total


def colliding_groups(p, n_cells=10):
    """Rows whose steps 1, …, n_cells (closed on the right, the first on both sides) have the same product."""
    found = defaultdict(list)
    for i, row in enumerate(p):
        found[math.prod(max(math.ceil(v * n_cells), 1) for v in row)].append(i)
    return list(found.values())
