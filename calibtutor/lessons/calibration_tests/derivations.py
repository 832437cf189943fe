"""Derivations of notebook 04, first part: the kernel calibration error and the errors it is compared with."""

from itertools import product

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import linprog

from ...data.worlds import FiniteWorld, random_world
from ...kce import skce
from ...predictions import residuals, top_label
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import kce_atoms as kit
from ..shared.letters import features, population, tiny
from .derivations_of_tests import *  # noqa: F403  the notebook finds all its derivations here


def _world_and_function(rng):
    """A finite world, and a function b = Σ_c k(·, z_c) β_c with ‖b‖ = 1 whose centres z_c are no predictions."""
    world = random_world(rng, n_kinds=5, shared=False)
    centres, beta = rng.dirichlet(np.ones(3), 4), rng.normal(size=(4, 3))
    beta /= np.sqrt((kit.pairwise(kit.laplace, centres) * (beta @ beta.T)).sum())
    return {"world": world, "centres": centres, "beta": beta}


def _searched(w):
    """The root of the largest payoff²/‖b‖² over all b = Σ_a k(·, p_a) β_a: a generalised eigenvalue problem."""
    gram = kit.pairwise(kit.laplace, w["world"].predictions)
    slope = (gram @ kit.weighted_gap(w["world"])).ravel()  # the payoff is ⟨slope, β⟩
    return np.sqrt(eigh(np.outer(slope, slope), np.kron(gram, np.eye(3)), eigvals_only=True)[-1])


def _bets(w):
    """A population, φ at its predictions and at the centres of b, and b with its coordinates B."""
    points = np.vstack([w["world"].predictions, w["centres"]])
    phi = features(kit.laplace, points)
    b = lambda p: kit.laplace(p[..., None, :], w["centres"]) @ w["beta"]
    return population(w["world"], phi=phi, b=b, B=phi(w["centres"]).T @ w["beta"])


supremum = Derivation(
    title="From a supremum to a norm",
    claim="The supremum over the unit ball of an RKHS is the norm of the mean embedding, and one function attains it.",
    world=_world_and_function,
    letters=_bets,
    steps=(
        Step("E(inner(r - p, b(p)))",
             "What one bet b with ‖b‖ = 1 earns: the mean product of the gap r − p with b(p). This b is a random one."),
        Step("inner(s, B); s = E(outer(phi(p), r - p))",
             "Reproducing property: ⟨v, b(p)⟩ is the inner product of b with φ(p) ⊗ v = k(·, p) v, and a mean goes inside an inner product. B is b in coordinates: b(p) = Bᵀφ(p)."),
        Step("norm(s)",
             "Cauchy–Schwarz: ⟨s, b⟩ ≤ ‖s‖‖b‖, and ‖b‖ = 1. The right-hand side no longer depends on b.", relation="<="),
        Step("E(inner(r - p, s.T @ phi(p)))",
             "The function s(p) = sᵀφ(p) itself is not in the unit ball, unless ‖s‖ happens to be 1: this is ‖s‖².", printed="the maximiser in Vashistha & Farahi's Prop. A.9, as printed (errata K29)"),
        Step("E(inner(r - p, s.T @ phi(p) / norm(s)))",
             "The witness s/‖s‖ is in the unit ball and attains the bound, so the bound is the supremum."),
        Step(r"\mathrm{KCE} = \sup_{\|b\| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle",
             "The same by search: the largest ratio of E⟨r − p, b(p)⟩² to ‖b‖² over all functions Σ_a k(·, p_a) β_a.",
             _searched),
        Step("sqrt(E(k(p, p') * inner(r - p, r' - p')))",
             "‖s‖² = ⟨s, s⟩: a mean over two independent draws, since ⟨φ(p), φ(p')⟩ = k(p, p')."),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _calibrated_on_average(rng):
    """Predictions more spread than the truth: E p = E e_Y, yet hardly any prediction is right."""
    world = random_world(rng, n_kinds=5)
    kept = rng.uniform(0, 0.8)
    truth = kept * world.predictions + (1 - kept) * (world.weights @ world.predictions)
    return FiniteWorld(world.weights, world.predictions, truth)


skce_pairs = Derivation(
    title="A squared norm is a mean over pairs",
    claim="The SKCE as a mean over two independent copies of (p, Y), with δ = p − e_Y.",
    world=_calibrated_on_average,
    letters=lambda w: population(w, phi=features(kit.laplace, w.predictions)),
    steps=(
        Step("SKCE = norm2(E(outer(phi(p), delta)))",
             "The squared norm of the mean embedding. In these worlds the model is calibrated on average, E δ = 0, but overconfident."),
        Step("E(inner(outer(phi(p), delta), outer(phi(p'), delta')))",
             "The inner product of two means is the mean inner product of two independent copies (p, Y) and (p', Y')."),
        Step("E(k(p, p) * inner(delta, delta'))",
             "Here k sees one draw only: the mean factorises, and E δ' = 0 makes it 0, however wrong the single predictions are.", printed="Widmann et al.'s poster, eq. 2, as printed (errata P1)"),
        Step("E(k(p, p') * inner(delta, delta'))",
             "⟨a ⊗ b, a' ⊗ b'⟩ = ⟨a, a'⟩⟨b, b'⟩: the kernel compares the two predictions. This is eq. 2 with its prime."),
    ),
)  # fmt: skip


no_frequencies = Derivation(
    title="Why r need not be estimated",
    claim="Labels of two independent draws can stand in for the unknown frequencies r(p) and r(p').",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    write=1,
    slips=(
        ("E(k(p, p') * inner(E(delta, given=p), E(delta, given=p)))",
         "the second draw is lost: its residual has a prime"),
        ("E(k(p, p')) * inner(E(delta), E(delta'))",
         "k depends on the predictions: the mean of the product is not the product of the means"),
    ),
    steps=(
        Step("E(k(p, p') * inner(p - r, p' - r'))",
             "The SKCE with the frequencies r = P(Y | p), which nobody knows outside a finite world."),
        Step("E(k(p, p') * inner(E(delta, given=p), E(delta', given=p')))",
             "The mean of e_Y given p is r, so the gap p − r is the mean of the residual δ = p − e_Y given p."),
        Step("E(k(p, p) * inner(delta, delta))",
             "A label times itself: its noise is squared instead of averaged away. This is why a plug-in error is biased upwards.", printed="a tempting shortcut: one draw instead of two"),
        Step("E(k(p, p') * inner(delta, delta'))",
             "Tower rule: given p and p' the labels are independent, so a product of means is a mean of products. No r is left."),
    ),
)  # fmt: skip


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


def _best_in_box(w, low, high):
    """max E⟨r − p, b(p)⟩ over low ≤ b_k ≤ high, by linear programming."""
    return -linprog(-kit.weighted_gap(w).ravel(), bounds=(low, high)).fun


def _events(w):
    letters = population(w, A=np.array(list(product([0.0, 1.0], repeat=w.n_classes))))
    return Letters(letters.draws, letters.known, {"events": 2**w.n_classes})


ece_as_sup = Derivation(
    title="ECE is a supremum too",
    claim="With all functions |b_k| ≤ 1 in place of the unit ball of an RKHS the supremum is the ECE in the L1 distance.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=_events,
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle", "A linear programme: one variable between −1 and 1 for each prediction and class.",
             lambda w: _best_in_box(w, -1, 1)),
        Step("E(inner(r - p, sign(r - p)))",
             "The payoff is a sum over predictions and classes; each term is largest at the sign of its own gap."),
        Step("ECE = E(norm1(r - p))",
             "x · sign(x) = |x|. So the sup is the ECE (eq. 1) with the L1 distance, but to know the signs one must know r."),
        Step(r"\sup_{0 \leq b_k \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle", "Functions between 0 and 1 find the gains only. That is total variation, half of L1: say which distance an ECE uses.",
             lambda w: _best_in_box(w, 0, 1),
             printed="total variation, a library's default, taken for L1 (errata U4)"),
        Step("2 * E(max(inner(A[m], r - p) for m in events))",
             "r and p both sum to 1, so what some classes gain the others lose: twice the best set of classes. A_m runs over the indicators of all sets."),
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


def _three_rows(rng):
    """Two kinds, three classes: 216 data sets of three rows."""
    return kit.tiny(random_world(rng, n_kinds=2, shared=False), 3)


estimators = Derivation(
    title="Why two of the estimators are unbiased",
    claim="Pairs of different rows are pairs of independent draws, so SKCE_uq and SKCE_ul average to the SKCE.",
    world=_three_rows,
    letters=tiny,
    steps=(
        Step("E(1/(n*(n - 1)) * sum(h_data[i, j] for i in rows for j in rows if i != j))",
             "The mean of SKCE_uq: n = 3, two predictions, three classes, each of the 216 data sets times its probability."),
        Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i != j)",
             "The mean of a sum is the sum of the means, although the pairs share rows and are dependent."),
        Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i < j)",
             "h is symmetric, so each pair of rows need be counted only once.", printed="a common slip: half of the terms, divided by all"),
        Step("SKCE = E(h(Z, Z'))",
             "For i ≠ j the rows are two independent copies of Z = (p, Y)."),
        Step("E(1/floor(n/2) * sum(h_data[2*i, 2*i + 1] for i in pairs))",
             "SKCE_ul: rows 0 and 1, rows 2 and 3, … are such pairs too: the same mean from fewer pairs. (n = 3 has one.)"),
    ),
)  # fmt: skip


biased = Derivation(
    title="What SKCE_b averages to",
    claim="The mean of the biased estimate over data sets, at every n.",
    world=_three_rows,
    letters=tiny,
    write=1,
    slips=(
        ("1/n**2 * (E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z')))",
         "a row meets itself n times, once for each row"),
        ("1/n**2 * (n * E(h(Z, Z)) + n**2 * E(h(Z, Z')))",
         "the n pairs i = j are counted twice: n(n − 1) are left"),
        ("E(h(Z, Z'))",
         "that forgets the diagonal, where a row meets itself"),
    ),
    steps=(
        Step("E(1/n**2 * sum(h_data[i, j] for i in rows for j in rows))",
             "The mean of SKCE_b: n = 3, all 216 data sets."),
        Step("1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * SKCE); SKCE = E(h(Z, Z'))",
             "On the diagonal a row meets itself, n times; off the diagonal it meets an independent one, n(n − 1) times."),
        Step("SKCE + 1/n * E(h(Z, Z))",
             "n of the n² pairs lie on the diagonal: a share 1/n, and the others average to the SKCE.", printed="a common slip: the other pairs are fewer than n²"),
        Step("SKCE + 1/n * (E(h(Z, Z)) - SKCE)",
             "Write n(n − 1)/n² as 1 − 1/n."),
        Step("SKCE + 1/n * E(norm2(x - E(x)))",
             "h(Z, Z) = ‖x‖² and SKCE = ‖E x‖² for x = φ(p) ⊗ δ: the bracket is the variance of x."),
        Step("SKCE",
             "A variance is not negative, so SKCE_b is biased upwards for every model, calibrated or not.", relation=">="),
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
