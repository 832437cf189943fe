"""Derivations of the lesson bounds."""

from itertools import product

import numpy as np

from ...data.worlds import random_world
from ...kce import skce
from ...predictions import residuals, top_label
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import kce_atoms as kit
from ..shared.letters import tiny


def _confidences(w):
    """Ten rows: confidence c_i, hit_i, prediction and residual; a kernel of numbers and one of vectors."""
    hit, c = top_label(w["y"], w["p"])
    known = {"n": 10, "c": c, "hit": hit, "p": w["p"], "delta": residuals(w["y"], w["p"]), "k_p": kit.laplace,
             "k": lambda s, t: np.exp(-np.abs(s - t) / kit.BANDWIDTH)}  # fmt: skip
    return Letters(known=known, sets={"rows": 10})


mmce = Derivation(
    title="MMCE is SKCE after a reduction",
    claim="The maximum mean calibration error of Kumar et al. (2018), squared, as it is estimated from data.",
    world=kit.ten_rows,
    letters=_confidences,
    steps=(
        Step("1/n**2 * sum((c[i] - hit[i]) * (c[j] - hit[j]) * k(c[i], c[j]) for i in rows for j in rows)",
             "MMCE², as it is estimated: c = max p_k, and hit = 1 if the label is the most probable class."),
        Step("1/n**2 * (sum(c[i] * c[j] * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 0 if hit[j] == 0) "
             "+ sum((1 - c[i]) * (1 - c[j]) * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 1 if hit[j] == 1) "
             "- 2 * sum((1 - c[i]) * c[j] * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 1 if hit[j] == 0))",
             "Sorted by outcome: c − hit is c for a wrong prediction and −(1 − c) for a right one."),
        Step("1/n**2 * sum(inner(delta[i], delta[j]) * k_p(p[i], p[j]) for i in rows for j in rows)",
             "The SKCE of the whole vector: another notion, another number.", printed="a common mix-up of two notions"),
        Step(r"\mathrm{SKCE}_b\ \mathrm{of}\ (\mathrm{hit},\, c)", "The scalar residual of the reduced pair is c − hit. This is skce(*top_label(y_true, y_prob), estimator=\"biased\").",
             lambda w: skce(*top_label(w["y"], w["p"]), kernel=kit.KERNEL, estimator="biased")),
    ),
)  # fmt: skip


def _small_sample(rng):
    """Five three-class predictions with labels: few enough to list all label vectors Z."""
    return {"y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5)}


def _drawn_labels(w):
    """Five rows, the matrix k_ij, and every vector Z of labels drawn from the predictions."""
    z = np.array(list(product(range(3), repeat=5)))
    known = {"p": w["p"], "y": w["y"], "k": kit.KERNEL(w["p"]), "e": np.eye(3)}
    return Letters({"Z": (w["p"][np.arange(5), z].prod(axis=1), {"Z": z})}, known, {"rows": 5})


jkce = Derivation(
    title="JKCE, as it is estimated",
    claim="The joint kernel calibration error of Moskvichev & Sejdinovic (eq. 11) is a squared MMD: its unbiased estimate, with the label kernel 1[y = y'].",
    world=_small_sample,
    letters=_drawn_labels,
    start=1,
    steps=(
        Step("E_Z(mean(k[i, j] * (ind(y[i] == y[j]) - ind(y[i] == Z[j]) - ind(Z[i] == y[j]) + ind(Z[i] == Z[j])) "
             "for i in rows for j in rows if i != j))",
             "Real labels against labels Z_i drawn from the predictions p_i: the unbiased squared MMD, averaged over every vector Z."),
        Step("mean(k[i, j] * (ind(y[i] == y[j]) - p[i][y[j]] - p[j][y[i]] + inner(p[i], p[j])) for i in rows for j in rows if i != j)",
             "The mean over Z of four indicators: Z_j is y_i with probability p_j[y_i], and Z_i is Z_j with probability ⟨p_i, p_j⟩."),
        Step("mean(k[i, j] * (ind(y[i] == y[j]) - inner(p[i], p[j])) for i in rows for j in rows if i != j)",
             "The label kernel on the data, less what it is for labels drawn from the predictions.", printed="a tempting difference: no squared distance"),
        Step("mean(k[i, j] * inner(e[y[i]] - p[i], e[y[j]] - p[j]) for i in rows for j in rows if i != j)",
             "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the four terms are the expanded inner product."),
        Step(r"\mathrm{SKCE}_{uq}", "A U-statistic: it has no pairs i = j, and can be negative. This is skce(y_true, y_prob).",
             lambda w: skce(w["y"], w["p"], kernel=kit.KERNEL)),
    ),
)  # fmt: skip


def _with_rows(w):
    """`tiny`, with the number z_i of each row; KCE_b is left to its line."""
    letters = tiny(w)
    _, sets = letters.draws["D"]
    sets["z_data"] = w["rows"]
    del sets["KCE_b"]
    return letters


bounded_differences = Derivation(
    title="One row moves KCE_b by little",
    claim="How much KCE_b, the root of SKCE_b, can change if one row of the data is replaced.",
    world=lambda rng: kit.tiny(random_world(rng, n_kinds=2, n_classes=2, shared=False), 3),
    letters=_with_rows,
    steps=(
        Step("max(abs(KCE_b - KCE_b') * ind(count(z_data[i] != z_data'[i] for i in rows) == 1)); KCE_b = sqrt(SKCE_b)",
             "D and D' differ in one row z_i: all 64 data sets of n = 3 rows, every row, every replacement."),
        Step("max(max(abs(norm(x_bar) - norm(y[i]))) for i in rows); "
             "x_bar = mean(x_data[i] for i in rows); y[i] = x_bar + 1/n * (x - x_data[i])",
             "KCE_b is the length of the mean x̄ of x_i = φ(p_i) ⊗ δ_i, and y_i is that mean when row i is replaced."),
        Step("max(max(norm(x_bar - y[i])) for i in rows)",
             "Reverse triangle inequality: lengths differ by at most the length of the difference.", relation="<="),
        Step("1/n * max(norm(x - x'))",
             "The two means have all rows but one in common."),
        Step("1/n * max(norm(x))",
             "Both rows have at most this length, so they are no further apart.", relation="<=", printed="a slip: two rows can point to opposite sides"),
        Step("2/n * max(norm(x))",
             "Triangle inequality.", relation="<="),
        Step("2/n * sqrt(H)",
             "‖x‖² = k(p, p)‖δ‖² = h(z, z) ≤ H, where H = 2 for a kernel of at most 1.", relation="<="),
    ),
)  # fmt: skip
null_mean = Derivation(
    title="How large KCE_b is for a calibrated model",
    claim="Under calibration KCE_b still averages to a positive number m, but to no more than √(H/n).",
    world=lambda rng: kit.calibrated(rng, 4),
    letters=tiny,
    steps=(
        Step("m = E(sqrt(SKCE_b))",
             "A calibrated model, n = 4: the mean over all 256 data sets of the root of SKCE_b."),
        Step("E(norm(x_bar)); x_bar = mean(x_data[i] for i in rows)",
             "The length of the mean of x_i = φ(p_i) ⊗ δ_i."),
        Step("0",
             "The KCE is 0, but a length is never negative, so it averages to 0 only if it is always 0.", printed="a common hope"),
        Step("sqrt(E(norm2(x_bar)))",
             "Jensen: the mean is at most the root of the mean square.", relation="<="),
        Step("sqrt(E(h(Z, Z)) / n)",
             "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and SKCE = 0 for a calibrated model."),
        Step("sqrt(H / n)",
             "h ≤ H.", relation="<="),
    ),
)  # fmt: skip
