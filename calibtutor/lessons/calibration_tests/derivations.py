"""Derivations of notebook 04, first part: the kernel calibration error and the errors it is compared with."""

from itertools import product

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import linprog

from ...data.worlds import FiniteWorld, random_world
from ...kce import skce
from ...predictions import residuals, top_label
from ...teach.derive import Derivation, Step
from ..shared import kce_atoms as kit
from .derivations_of_tests import *  # noqa: F403  the notebook finds all its derivations here


def _world_and_function(rng):
    """A finite world, and a function b = Σ_c k(·, z_c) β_c with ‖b‖ = 1 whose centres z_c are no predictions."""
    world = random_world(rng, n_kinds=5, shared=False)
    centres, beta = rng.dirichlet(np.ones(3), 4), rng.normal(size=(4, 3))
    beta /= np.sqrt((kit.pairwise(kit.laplace, centres) * (beta @ beta.T)).sum())
    return {"world": world, "centres": centres, "beta": beta}


def _payoff(world, values):
    """E⟨r − p, b(p)⟩ from the values of b at the predictions."""
    return (kit.weighted_gap(world) * values).sum()


def _product_in_coordinates(w):
    """⟨s, b⟩ in the coordinates of φ at all predictions and centres."""
    phi = kit.coordinates(kit.pairwise(kit.laplace, np.vstack([w["world"].predictions, w["centres"]])))
    s, b = phi[:5].T @ kit.weighted_gap(w["world"]), phi[5:].T @ w["beta"]
    return (s * b).sum()


def _norm_in_coordinates(w):
    phi = kit.coordinates(kit.pairwise(kit.laplace, w["world"].predictions))
    return np.linalg.norm(phi.T @ kit.weighted_gap(w["world"]))


def _witness(world):
    """s = E[k(·, p)(r − p)] at every prediction."""
    return kit.pairwise(kit.laplace, world.predictions) @ kit.weighted_gap(world)


def _searched(world):
    """The root of the largest payoff²/‖b‖² over all b = Σ_a k(·, p_a) β_a: a generalised eigenvalue problem."""
    gram = kit.pairwise(kit.laplace, world.predictions)
    slope = _witness(world).ravel()  # the payoff is ⟨slope, β⟩
    square = eigh(np.outer(slope, slope), np.kron(gram, np.eye(3)), eigvals_only=True, subset_by_index=[14, 14])
    return np.sqrt(square[0])


def _norm_of_mean(w):
    """‖E x‖ for x = φ(p) ⊗ (r − p), as a double sum over kinds."""
    gap = kit.weighted_gap(w)
    return np.sqrt((kit.pairwise(kit.laplace, w.predictions) * (gap @ gap.T)).sum())


supremum = Derivation(
    title="From a supremum to a norm",
    claim="The supremum over the unit ball of an RKHS is the norm of the mean embedding, and one function attains it.",
    world=_world_and_function,
    steps=(
        Step(r"\mathbb{E}\,\langle r - p,\, b(p)\rangle", "What one bet b with ‖b‖ = 1 earns: the mean product of the gap r − p with b(p). This b is a random one.",
             lambda w: _payoff(w["world"], kit.pairwise(kit.laplace, w["world"].predictions, w["centres"]) @ w["beta"])),
        Step(r"\langle s,\, b\rangle,\quad s = \mathbb{E}\,[\,\varphi(p) \otimes (r - p)\,]",
             "Reproducing property: ⟨v, b(p)⟩ is the inner product of b with φ(p) ⊗ v = k(·, p) v, and a mean goes inside an inner product.",
             _product_in_coordinates),
        Step(r"\|s\|", "Cauchy–Schwarz: ⟨s, b⟩ ≤ ‖s‖‖b‖, and ‖b‖ = 1. The right-hand side no longer depends on b.",
             _norm_in_coordinates, relation="<="),
        Step(r"\mathbb{E}\,\langle r - p,\, s(p)\rangle",
             "The function s itself is not in the unit ball, unless ‖s‖ happens to be 1: this is ‖s‖².",
             lambda w: _payoff(w["world"], _witness(w["world"])),
             printed="the maximiser in Vashistha & Farahi's Prop. A.9, as printed (errata K29)"),
        Step(r"\mathbb{E}\,\langle r - p,\, s(p) / \|s\|\,\rangle",
             "The witness s/‖s‖ is in the unit ball and attains the bound, so the bound is the supremum.",
             lambda w: _payoff(w["world"], _witness(w["world"])) / _norm_in_coordinates(w)),
        Step(r"\mathrm{KCE} = \sup_{\|b\| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle",
             "The same by search: the largest ratio of E⟨r − p, b(p)⟩² to ‖b‖² over all functions Σ_a k(·, p_a) β_a.",
             lambda w: _searched(w["world"])),
        Step(r"\sqrt{\mathbb{E}\;k(p, p')\,\langle r - p,\, r' - p'\rangle}",
             "‖s‖² = ⟨s, s⟩: a mean over two independent draws, since ⟨φ(p), φ(p')⟩ = k(p, p').",
             lambda w: _norm_of_mean(w["world"])),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _calibrated_on_average(rng):
    """Predictions more spread than the truth: E p = E e_Y, yet hardly any prediction is right."""
    world = random_world(rng, n_kinds=5)
    kept = rng.uniform(0, 0.8)
    truth = kept * world.predictions + (1 - kept) * (world.weights @ world.predictions)
    return FiniteWorld(world.weights, world.predictions, truth)


def _tensor_pairs(w):
    """E⟨x, x'⟩ over pairs of atoms."""
    atoms = kit.Atoms.of(w)
    return atoms.mass @ (atoms.x @ atoms.x.T) @ atoms.mass


skce_pairs = Derivation(
    title="A squared norm is a mean over pairs",
    claim="The SKCE as a mean over two independent copies of (p, Y), with δ = p − e_Y.",
    world=_calibrated_on_average,
    steps=(
        Step(r"\mathrm{SKCE} = \|\,\mathbb{E}\,[\,\varphi(p) \otimes \delta\,]\,\|^2", "The squared norm of the mean embedding. In these worlds the model is calibrated on average, E δ = 0, but overconfident.",
             lambda w: np.linalg.norm(kit.Atoms.of(w).mass @ kit.Atoms.of(w).x) ** 2),
        Step(r"\mathbb{E}\;\langle\,\varphi(p) \otimes \delta,\ \varphi(p') \otimes \delta'\,\rangle",
             "The inner product of two means is the mean inner product of two independent copies (p, Y) and (p', Y').", _tensor_pairs),
        Step(r"\mathbb{E}\;\delta^T\, k(p, p)\,\delta'", "Here k sees one draw only: the mean factorises, and E δ' = 0 makes it 0, however wrong the single predictions are.",
             lambda w: w.pair_expectation(lambda p, e, q, g: kit.laplace(p, p) * kit.inner(p - e, q - g)),
             printed="Widmann et al.'s poster, eq. 2, as printed (errata P1)"),
        Step(r"\mathbb{E}\;\delta^T\, k(p, p')\,\delta'", "⟨a ⊗ b, a' ⊗ b'⟩ = ⟨a, a'⟩⟨b, b'⟩: the kernel compares the two predictions. This is eq. 2 with its prime.",
             lambda w: w.pair_expectation(lambda p, e, q, g: kit.laplace(p, q) * kit.inner(p - e, q - g))),
    ),
)  # fmt: skip


def _with_conditional_means(w):
    """E k ⟨E[δ | p], E[δ' | p']⟩: residuals averaged over kinds of equal prediction first."""
    mean = w.weights[:, None] * w.given(w.predictions, w.predictions - w.conditionals)
    return (kit.pairwise(kit.laplace, w.predictions) * (mean @ mean.T)).sum()


no_frequencies = Derivation(
    title="Why r need not be estimated",
    claim="Labels of two independent draws can stand in for the unknown frequencies r(p) and r(p').",
    world=lambda rng: random_world(rng, n_kinds=6),
    steps=(
        Step(r"\mathbb{E}\;k(p, p')\,\langle p - r,\, p' - r'\rangle", "The SKCE with the frequencies r = P(Y | p), which nobody knows outside a finite world.",
             lambda w: _norm_of_mean(w) ** 2),
        Step(r"\mathbb{E}\;k(p, p')\,\langle\,\mathbb{E}[\,\delta \mid p\,],\ \mathbb{E}[\,\delta' \mid p'\,]\,\rangle", "The mean of e_Y given p is r, so the gap p − r is the mean of the residual δ = p − e_Y given p.",
             _with_conditional_means),
        Step(r"\mathbb{E}\;k(p, p)\,\langle \delta,\, \delta\rangle", "A label times itself: its noise is squared instead of averaged away. This is why a plug-in error is biased upwards.",
             lambda w: w.expectation(lambda p, e: kit.laplace(p, p) * kit.inner(p - e, p - e)),
             printed="a tempting shortcut: one draw instead of two"),
        Step(r"\mathbb{E}\;k(p, p')\,\langle \delta,\, \delta'\rangle", "Tower rule: given p and p' the labels are independent, so a product of means is a mean of products. No r is left.",
             lambda w: w.pair_expectation(lambda p, e, q, g: kit.laplace(p, q) * kit.inner(p - e, q - g))),
    ),
)  # fmt: skip


def _mmce_parts(w):
    hit, c = top_label(w["y"], w["p"])
    return hit, c, np.exp(-np.abs(c[:, None] - c) / kit.BANDWIDTH)


def _mmce_loop(w):
    hit, c, k = _mmce_parts(w)
    return sum((c[i] - hit[i]) * (c[j] - hit[j]) * k[i, j] for i in range(10) for j in range(10)) / 100


def _mmce_by_outcome(w):
    """Right predictions miss 1 − c, wrong ones c, with opposite signs."""
    hit, c, k = _mmce_parts(w)
    right, wrong = np.where(hit == 1, 1 - c, 0), np.where(hit == 0, c, 0)
    return (wrong @ k @ wrong + right @ k @ right - 2 * right @ k @ wrong) / 100


mmce = Derivation(
    title="MMCE is SKCE after a reduction",
    claim="The maximum mean calibration error of Kumar et al. (2018), squared, as it is estimated from data.",
    world=kit.ten_rows,
    steps=(
        Step(r"\mathrm{MMCE}^2 = \frac{1}{n^2}\sum_{i, j} (c_i - \mathrm{hit}_i)(c_j - \mathrm{hit}_j)\,k(c_i, c_j)", "As it is estimated: c = max p_k, and hit = 1 if the label is the most probable class.",
             _mmce_loop),
        Step(r"\frac{1}{n^2}\,[\,\sum_{\mathrm{wrong}} c_i c_j k_{ij} + \sum_{\mathrm{right}} \bar{c}_i \bar{c}_j k_{ij} - 2\sum_{\mathrm{mixed}} \bar{c}_i c_j k_{ij}\,]", "Sorted by outcome: c − hit is c for a wrong prediction and −(1 − c) for a right one; c̄ = 1 − c.",
             _mmce_by_outcome),
        Step(r"\frac{1}{n^2}\sum_{i, j}\, \langle \delta_i,\, \delta_j\rangle\, k(p_i, p_j)", "The SKCE of the whole vector: another notion, another number.",
             lambda w: skce(w["y"], w["p"], kernel=kit.KERNEL, estimator="biased"), printed="a common mix-up of two notions"),
        Step(r"\mathrm{SKCE}_b\ \mathrm{of}\ (\mathrm{hit},\, c)", "The scalar residual of the reduced pair is c − hit. This is skce(*top_label(y_true, y_prob), estimator=\"biased\").",
             lambda w: skce(*top_label(w["y"], w["p"]), kernel=kit.KERNEL, estimator="biased")),
    ),
)  # fmt: skip


def _best_in_box(w, low, high):
    """max E⟨r − p, b(p)⟩ over low ≤ b_k ≤ high, by linear programming."""
    return -linprog(-kit.weighted_gap(w).ravel(), bounds=(low, high)).fun


def _best_event(w):
    """2 E max_A (r(A) − p(A)) by trying every set A of classes."""
    members = np.array(list(product([0.0, 1.0], repeat=w.n_classes)))
    return 2 * w.weights @ ((w.frequencies - w.predictions) @ members.T).max(axis=1)


ece_as_sup = Derivation(
    title="ECE is a supremum too",
    claim="With all functions |b_k| ≤ 1 in place of the unit ball of an RKHS the supremum is the ECE in the L1 distance.",
    world=lambda rng: random_world(rng, n_kinds=6),
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle", "A linear programme: one variable between −1 and 1 for each prediction and class.",
             lambda w: _best_in_box(w, -1, 1)),
        Step(r"\mathbb{E}\,\langle r - p,\, \mathrm{sign}(r - p)\rangle", "The payoff is a sum over predictions and classes; each term is largest at the sign of its own gap.",
             lambda w: _payoff(w, np.sign(w.frequencies - w.predictions))),
        Step(r"\mathrm{ECE} = \mathbb{E}\,\|r - p\|_1", "x · sign(x) = |x|. So the sup is the ECE (eq. 1) with the L1 distance, but to know the signs one must know r.",
             lambda w: w.calibration_error(norm=1)),
        Step(r"\sup_{0 \leq b_k \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle", "Functions between 0 and 1 find the gains only. That is total variation, half of L1: say which distance an ECE uses.",
             lambda w: _best_in_box(w, 0, 1),
             printed="total variation, a library's default, taken for L1 (errata U4)"),
        Step(r"2\;\mathbb{E}\,\max_A\,[\,r(A) - p(A)\,]", "r and p both sum to 1, so what some classes gain the others lose: twice the best set A of classes (all tried).",
             _best_event),
    ),
)  # fmt: skip


def _small_sample(rng):
    """Five three-class predictions with labels: few enough to list all label vectors Z."""
    return {"y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5)}


def _over_drawn_labels(w):
    """Means over i ≠ j of k_ij (1[y_i = y_j] − 1[y_i = Z_j] − 1[Z_i = y_j] + 1[Z_i = Z_j]), over all 243 vectors Z."""
    z, y = np.array(list(product(range(3), repeat=5))), w["y"]
    mass = w["p"][np.arange(5), z].prod(axis=1)
    same = lambda a, b: a[:, :, None] == b[:, None, :]
    seen = np.broadcast_to(y, z.shape)
    signs = same(seen, seen).astype(float) - same(seen, z) - same(z, seen) + same(z, z)
    return kit.off_diagonal_mean(np.einsum("s,sij->ij", mass, signs) * kit.KERNEL(w["p"]))


def _four_means(w):
    p, y = w["p"], w["y"]
    crossed = p[:, y]  # row i, column j: p_i[y_j]
    return kit.off_diagonal_mean(kit.KERNEL(p) * ((y[:, None] == y) - crossed - crossed.T + p @ p.T))


jkce = Derivation(
    title="JKCE, as it is estimated",
    claim="The joint kernel calibration error of Moskvichev & Sejdinovic (eq. 11) is a squared MMD: its unbiased estimate, with the label kernel 1[y = y'].",
    world=_small_sample,
    steps=(
        Step(r"\mathbb{E}_Z\ \mathrm{MMD}^2(\{(p_i, y_i)\},\ \{(p_i, Z_i)\}),\quad Z_i \sim p_i", "Real labels against labels drawn from the predictions: the unbiased squared MMD, averaged over every vector Z.",
             _over_drawn_labels),
        Step(r"\mathrm{mean}_{i \neq j}\ k_{ij}\,(1[y_i = y_j] - p_i[y_j] - p_j[y_i] + \langle p_i, p_j\rangle)", "The mean over Z of four indicators: Z_j is y_i with probability p_j[y_i], and Z_i is Z_j with probability ⟨p_i, p_j⟩.",
             _four_means),
        Step(r"\mathrm{mean}_{i \neq j}\ k_{ij}\,(1[y_i = y_j] - \langle p_i, p_j\rangle)", "The label kernel on the data, less what it is for labels drawn from the predictions.",
             lambda w: kit.off_diagonal_mean(kit.KERNEL(w["p"]) * ((w["y"][:, None] == w["y"]) - w["p"] @ w["p"].T)),
             printed="a tempting difference: no squared distance"),
        Step(r"\mathrm{mean}_{i \neq j}\ k_{ij}\,\langle e_{y_i} - p_i,\ e_{y_j} - p_j\rangle", "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the four terms are the expanded inner product.",
             lambda w: kit.off_diagonal_mean(kit.KERNEL(w["p"]) * (residuals(w["y"], w["p"]) @ residuals(w["y"], w["p"]).T))),
        Step(r"\mathrm{SKCE}_{uq}", "A U-statistic: it has no pairs i = j, and can be negative. This is skce(y_true, y_prob).",
             lambda w: skce(w["y"], w["p"], kernel=kit.KERNEL)),
    ),
)  # fmt: skip


def _three_rows(rng):
    """Two kinds, three classes: 216 data sets of three rows."""
    return kit.tiny(random_world(rng, n_kinds=2, shared=False), 3)


def _mean_table(w):
    """E h_ij for every pair of rows, as an n × n matrix."""
    return np.einsum("s,sij->ij", w["mass"], kit.table(w["atoms"].h, w["rows"]))


estimators = Derivation(
    title="Why two of the estimators are unbiased",
    claim="Pairs of different rows are pairs of independent draws, so SKCE_uq and SKCE_ul average to the SKCE.",
    world=_three_rows,
    steps=(
        Step(r"\mathbb{E}\,\mathrm{SKCE}_{uq} = \mathbb{E}\,\frac{1}{n(n-1)}\sum_{i \neq j} h_{ij}", "n = 3, two predictions, three classes: each of the 216 data sets times its probability.",
             lambda w: kit.mean_of(w, kit.estimate_uq)),
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} \mathbb{E}\,h_{ij}", "The mean of a sum is the sum of the means, although the pairs share rows and are dependent.",
             lambda w: (_mean_table(w).sum() - np.trace(_mean_table(w))) / 6),
        Step(r"\frac{1}{n(n-1)}\sum_{i < j} \mathbb{E}\,h_{ij}", "h is symmetric, so each pair of rows need be counted only once.",
             lambda w: np.triu(_mean_table(w), 1).sum() / 6, printed="a common slip: half of the terms, divided by all"),
        Step(r"\mathrm{SKCE} = \mathbb{E}\,h(Z, Z')", "For i ≠ j the rows are two independent copies of Z = (p, Y).", kit.skce_of),
        Step(r"\mathbb{E}\,\mathrm{SKCE}_{ul} = \mathbb{E}\,\lfloor n/2\rfloor^{-1} \sum_i h_{2i-1,\,2i}", "Rows 1 and 2, rows 3 and 4, … are such pairs too: the same mean from fewer pairs. (n = 3 has one.)",
             lambda w: kit.mean_of(w, kit.estimate_ul)),
    ),
)  # fmt: skip


def _spread_of_x(w):
    """E‖x − E x‖²."""
    atoms = w["atoms"]
    return atoms.mass @ ((atoms.x - atoms.mass @ atoms.x) ** 2).sum(axis=1)


biased = Derivation(
    title="What SKCE_b averages to",
    claim="The mean of the biased estimate over data sets, at every n.",
    world=_three_rows,
    steps=(
        Step(r"\mathbb{E}\,\mathrm{SKCE}_b = \mathbb{E}\,\frac{1}{n^2}\sum_{i, j} h_{ij}", "n = 3, all 216 data sets.", lambda w: kit.mean_of(w, kit.estimate_b)),
        Step(r"\frac{1}{n^2}\,[\,n\,\mathbb{E}\,h(Z, Z) + n(n-1)\,\mathbb{E}\,h(Z, Z')\,]", "On the diagonal a row meets itself, n times; off the diagonal it meets an independent one, n(n − 1) times.",
             lambda w: (3 * kit.own_mean(w) + 6 * kit.skce_of(w)) / 9),
        Step(r"\mathrm{SKCE} + \frac{1}{n}\,\mathbb{E}\,h(Z, Z)", "n of the n² pairs lie on the diagonal: a share 1/n, and the others average to the SKCE.",
             lambda w: kit.skce_of(w) + kit.own_mean(w) / 3, printed="a common slip: the other pairs are fewer than n²"),
        Step(r"\mathrm{SKCE} + \frac{1}{n}\,[\,\mathbb{E}\,h(Z, Z) - \mathrm{SKCE}\,]", "Write n(n − 1)/n² as 1 − 1/n.", lambda w: kit.skce_of(w) + (kit.own_mean(w) - kit.skce_of(w)) / 3),
        Step(r"\mathrm{SKCE} + \frac{1}{n}\,\mathbb{E}\,\|x - \mathbb{E}\,x\|^2,\quad x = \varphi(p) \otimes \delta", "h(Z, Z) = ‖x‖² and SKCE = ‖E x‖²: the bracket is the variance of x.", lambda w: kit.skce_of(w) + _spread_of_x(w) / 3),
        Step(r"\mathrm{SKCE}", "A variance is not negative, so SKCE_b is biased upwards for every model, calibrated or not.", kit.skce_of, relation=">="),
    ),
)  # fmt: skip


def _replacements(w):
    """All data sets with one row replaced, (n, atoms, s, n)."""
    n, kinds = w["n"], len(w["atoms"].mass)
    changed = np.broadcast_to(w["rows"], (n, kinds, *w["rows"].shape)).copy()
    for i in range(n):
        changed[i, :, :, i] = np.arange(kinds)[:, None]
    return changed


def _largest_change(w, size):
    """max |size(D) − size(D')| over data sets D, D' that differ in one row."""
    return max(np.abs(size(rows) - size(w["rows"])).max() for block in _replacements(w) for rows in block)


def _largest_step(w):
    """max ‖x̄ − x̄'‖ over the same pairs of data sets."""
    x, before = w["atoms"].x, w["atoms"].x[w["rows"]].mean(axis=1)
    return max(np.linalg.norm(x[r].mean(axis=1) - before, axis=1).max() for block in _replacements(w) for r in block)


def _root_of_b(w, rows):
    return np.sqrt(np.maximum(kit.estimate_b(w["atoms"].h, rows), 0))


def _largest_distance(w):
    x = w["atoms"].x
    return np.linalg.norm(x[:, None] - x, axis=2).max()


bounded_differences = Derivation(
    title="One row moves KCE_b by little",
    claim="How much KCE_b, the root of SKCE_b, can change if one row of the data is replaced.",
    world=lambda rng: kit.tiny(random_world(rng, n_kinds=2, n_classes=2, shared=False), 3),
    steps=(
        Step(r"\max\ |\,\mathrm{KCE}_b(D) - \mathrm{KCE}_b(D')\,|", "D and D' differ in one row: all 64 data sets of n = 3 rows, every row, every replacement.",
             lambda w: _largest_change(w, lambda rows: _root_of_b(w, rows))),
        Step(r"\max\ |\;\|\bar{x}\| - \|\bar{x}'\|\;|", "KCE_b is the length of the mean of x_i = φ(p_i) ⊗ δ_i.",
             lambda w: _largest_change(w, lambda rows: kit.length_of_mean(w["atoms"].x, rows))),
        Step(r"\max\ \|\bar{x} - \bar{x}'\|", "Reverse triangle inequality: lengths differ by at most the length of the difference.", _largest_step, relation="<="),
        Step(r"\frac{1}{n}\,\max\ \|x - x'\|", "The two means have all rows but one in common.", lambda w: _largest_distance(w) / w["n"]),
        Step(r"\frac{1}{n}\,\max\ \|x\|", "Both rows have at most this length, so they are no further apart.",
             lambda w: np.linalg.norm(w["atoms"].x, axis=1).max() / w["n"], relation="<=", printed="a slip: two rows can point to opposite sides"),
        Step(r"\frac{2}{n}\,\max\ \|x\|", "Triangle inequality.", lambda w: 2 * np.linalg.norm(w["atoms"].x, axis=1).max() / w["n"], relation="<="),
        Step(r"\frac{2}{n}\sqrt{H}", "‖x‖² = k(p, p)‖δ‖² = h(z, z) ≤ H, where H = 2 for a kernel of at most 1.", lambda w: 2 * np.sqrt(kit.BOUND) / w["n"], relation="<="),
    ),
)  # fmt: skip


null_mean = Derivation(
    title="How large KCE_b is for a calibrated model",
    claim="Under calibration KCE_b still averages to a positive number m, but to no more than √(H/n).",
    world=lambda rng: kit.calibrated(rng, 4),
    steps=(
        Step(r"m = \mathbb{E}\,\mathrm{KCE}_b", "A calibrated model, n = 4: the mean over all 256 data sets of the root of SKCE_b.", lambda w: w["mass"] @ _root_of_b(w, w["rows"])),
        Step(r"\mathbb{E}\,\|\bar{x}\|", "The length of the mean of x_i = φ(p_i) ⊗ δ_i.", kit.mean_length),
        Step(r"0", "The KCE is 0, but a length is never negative, so it averages to 0 only if it is always 0.", lambda w: 0.0, printed="a common hope"),
        Step(r"\sqrt{\mathbb{E}\,\|\bar{x}\|^2}", "Jensen: the mean is at most the root of the mean square.", lambda w: np.sqrt(w["mass"] @ kit.length_of_mean(w["atoms"].x, w["rows"]) ** 2), relation="<="),
        Step(r"\sqrt{\mathbb{E}\,h(Z, Z) / n}", "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and SKCE = 0 for a calibrated model.", lambda w: np.sqrt(kit.own_mean(w) / w["n"])),
        Step(r"\sqrt{H/n}", "h ≤ H.", lambda w: np.sqrt(kit.BOUND / w["n"]), relation="<="),
    ),
)  # fmt: skip
