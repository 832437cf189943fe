"""Derivations of notebook 04, fourth part: the law of the estimates when the model is calibrated, and exact p-values."""

from itertools import permutations, product

import numpy as np

from ...data.worlds import FiniteWorld, random_world
from ...kce import skce
from ...pair_sums import skce_of_labels
from ...pvalues import bound_pvalue, rank_pvalues
from ...teach.derive import Derivation, Step
from ..shared import kce_atoms as kit


def _calibrated_world(rng):
    """A calibrated model with three predictions of three classes."""
    p = rng.dirichlet(np.ones(3), 3)
    return FiniteWorld(rng.dirichlet(3 * np.ones(3)), p, p)


def _first_projection(w):
    atoms = kit.Atoms.of(w)
    return atoms.h @ atoms.mass


def _with_mean_residual(w):
    """E k(p, p')⟨δ, E[δ' | p']⟩ for every z = (p, y)."""
    delta = w.predictions[:, None] - np.eye(3)
    mean = np.einsum("ay,ayk->ak", w.conditionals, delta)  # E[δ' | p']
    return (
        (delta @ (w.weights[:, None] * mean).T * kit.pairwise(kit.laplace, w.predictions)[:, None]).sum(axis=2).ravel()
    )


degenerate = Derivation(
    title="One row against a random one",
    claim="What h(z, Z') averages to for one fixed row z, if the model is calibrated.",
    world=_calibrated_world,
    describe=lambda w: f"first prediction: ({', '.join(f'{x:.2f}' for x in w.predictions[0])})",
    steps=(
        Step(r"h_1(z) = \mathbb{E}\,h(z, Z')", "One row is held fixed, the other is averaged: a value for each of the nine z = (p, y) of this world.", _first_projection),
        Step(r"\mathbb{E}\;k(p, p')\,\langle \delta,\ \mathbb{E}[\,\delta' \mid p'\,]\,\rangle", "Tower rule: average over the label of the second row first, given its prediction.", _with_mean_residual),
        Step(r"P(z)\,h(z, z)", "Rows other than z average to 0, and with probability P(z) the second row is z again.",
             lambda w: kit.Atoms.of(w).mass * np.diag(kit.Atoms.of(w).h), printed="a slip: it is all rows, z among them, that average to 0"),
        Step(r"0", "Calibrated means E[δ' | p'] = p' − r(p') = 0 at every prediction.", lambda w: np.zeros(9)),
    ),
)  # fmt: skip


def _pair_variance(w):
    """c_2 = Var h(Z, Z')."""
    atoms = w["atoms"]
    return atoms.mass @ atoms.h**2 @ atoms.mass - (atoms.mass @ atoms.h @ atoms.mass) ** 2


def _projection_variance(w):
    """c_1 = Var h_1(Z) = Cov(h(Z, Z'), h(Z, Z''))."""
    first = w["atoms"].h @ w["atoms"].mass
    return w["atoms"].mass @ first**2 - (w["atoms"].mass @ first) ** 2


def _mean_square(w):
    """E h(Z, Z')²."""
    return w["atoms"].mass @ w["atoms"].h ** 2 @ w["atoms"].mass


def _variance_uq(w):
    return kit.mean_of(w, lambda h, rows: kit.estimate_uq(h, rows) ** 2) - kit.mean_of(w, kit.estimate_uq) ** 2


null_variance = Derivation(
    title="The variance under calibration",
    claim="For a calibrated model the variance of SKCE_uq goes down like 1/n², not like 1/n.",
    world=lambda rng: kit.calibrated(rng, 4),
    steps=(
        Step(r"\mathrm{Var}\,\mathrm{SKCE}_{uq}", "A calibrated model, n = 4: all 256 data sets times their probabilities.", _variance_uq),
        Step(r"\frac{4(n-2)\,c_1 + 2\,c_2}{n(n-1)},\quad c_1 = \mathrm{Var}\,h_1(Z),\ c_2 = \mathrm{Var}\,h(Z, Z')",
             "Every pair of rows against every other: covariance c_1 if they share one row, c_2 if equal, 0 if disjoint.",
             lambda w: (8 * _projection_variance(w) + 2 * _pair_variance(w)) / 12),
        Step(r"\frac{4}{n}\,c_1", "The usual normal approximation keeps this term only. Here it is 0: the estimate would not vary at all.",
             lambda w: 4 * _projection_variance(w) / w["n"], printed="the first-order formula for U-statistics"),
        Step(r"\frac{2}{n(n-1)}\,\mathbb{E}\,h(Z, Z')^2", "h_1 = 0, so c_1 = 0; and E h = 0, so c_2 = E h².", lambda w: 2 * _mean_square(w) / 12),
    ),
)  # fmt: skip


def _spectrum(atoms):
    """Eigenvalues μ_m and functions u_m (columns): h(z, z') = Σ μ_m u_m(z) u_m(z') with E u_m² = 1."""
    root = np.sqrt(atoms.mass)
    values, vectors = np.linalg.eigh(root[:, None] * atoms.h * root)
    return values, vectors / root[:, None]


def _eigenvalues(w):
    return _spectrum(w["atoms"])[0]


def _normal_mean(function):
    """E function(Z) for a standard normal Z: Gauss–Hermite, exact for polynomials up to degree 15."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    return weights @ function(nodes) / weights.sum()


biased_limit = Derivation(
    title="What n·SKCE_b averages to under calibration",
    claim="At every n, and in the limit.",
    world=lambda rng: kit.calibrated(rng, 4),
    steps=(
        Step(r"n\,\mathbb{E}\,\mathrm{SKCE}_b", "A calibrated model, n = 4: all 256 data sets.", lambda w: w["n"] * kit.mean_of(w, kit.estimate_b)),
        Step(r"\mathbb{E}\,h(Z, Z)", "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and the SKCE is 0.", kit.own_mean),
        Step(r"\sum_m \mu_m", "A trace is the sum of the eigenvalues; μ_m are those of the matrix √P(z) h(z, z') √P(z'), P(z) the probability of z.",
             lambda w: _eigenvalues(w).sum()),
        Step(r"\mathbb{E}\,\sum_m \mu_m (Z_m^2 - 1)", "That is the limit of n·SKCE_uq, which leaves the diagonal out and averages to 0.",
             lambda w: _eigenvalues(w).sum() * _normal_mean(lambda z: z**2 - 1), printed="a mix-up of the two limits"),
        Step(r"\mathbb{E}\,\sum_m \mu_m Z_m^2", "E Z² = 1 for a standard normal Z. Σ μ_m Z_m² is the limit law of n·SKCE_b: see the derivation of W_m.",
             lambda w: _eigenvalues(w).sum() * _normal_mean(lambda z: z**2)),
    ),
)  # fmt: skip


limit_variance = Derivation(
    title="The limit law has the right variance",
    claim="Under calibration n(n − 1) Var SKCE_uq is the variance of Σ μ_m (Z_m² − 1), the limit law of n·SKCE_uq, at every n.",
    world=lambda rng: kit.calibrated(rng, 4),
    steps=(
        Step(r"n(n-1)\,\mathrm{Var}\,\mathrm{SKCE}_{uq}", "A calibrated model, n = 4: all 256 data sets.", lambda w: 12 * _variance_uq(w)),
        Step(r"2\,\mathbb{E}\,h(Z, Z')^2", "The variance of a degenerate U-statistic, as before.", lambda w: 2 * _mean_square(w)),
        Step(r"2\sum_m \mu_m^2", "E h² is the squared Frobenius norm of √P(z) h(z, z') √P(z'), hence the sum of its squared eigenvalues.",
             lambda w: 2 * (_eigenvalues(w) ** 2).sum()),
        Step(r"(\sum_m \mu_m)^2", "The square of a sum is not the sum of squares; and Var Z² is 2, not 1.",
             lambda w: _eigenvalues(w).sum() ** 2, printed="a common slip"),
        Step(r"\mathrm{Var}\,\sum_m \mu_m (Z_m^2 - 1)", "The Z_m are independent, so variances add, and E(Z² − 1)² = 2.",
             lambda w: (_eigenvalues(w) ** 2).sum() * _normal_mean(lambda z: (z**2 - 1) ** 2)),
    ),
)  # fmt: skip


def _twelve_rows(rng):
    """Twelve rows from a calibrated model: which atom each is."""
    world = _calibrated_world(rng)
    y, p = world.sample(12, rng)
    kinds = (p[:, None] == world.predictions).all(axis=2).argmax(axis=1)
    return {"atoms": kit.Atoms.of(world), "y": y, "p": p, "rows": kinds * 3 + y}


def _double_sum(w):
    """Σ_{i≠j} Σ_m μ_m u_m(z_i) u_m(z_j)/(n − 1), pair by pair."""
    values, u = _spectrum(w["atoms"])
    z = u[w["rows"]]
    return sum((values * z[i] * z[j]).sum() for i in range(12) for j in range(12) if i != j) / 11


def _squares(w):
    """μ_m, W_m² and n⁻¹ Σ_i u_m(z_i)²."""
    values, u = _spectrum(w["atoms"])
    z = u[w["rows"]]
    return values, z.sum(axis=0) ** 2 / 12, (z**2).mean(axis=0)


eigenfunctions = Derivation(
    title="Where the weighted chi-squares come from",
    claim="On any data set n·SKCE_uq is n/(n − 1) times a weighted sum of squares of W_m = Σ_i u_m(z_i)/√n, less the diagonal.",
    world=_twelve_rows,
    steps=(
        Step(r"n\,\mathrm{SKCE}_{uq} = \frac{1}{n-1}\sum_{i \neq j} h_{ij}", "One data set of n = 12 rows from a calibrated model.",
             lambda w: 12 * skce(w["y"], w["p"], kernel=kit.KERNEL)),
        Step(r"\frac{1}{n-1}\sum_{i \neq j}\,\sum_m \mu_m\, u_m(z_i)\, u_m(z_j)", "√P(z) h(z, z') √P(z') is a symmetric matrix with eigenvalues μ_m and eigenvectors √P(z) u_m(z): h(z, z') = Σ μ_m u_m(z) u_m(z'), E u_m(Z)² = 1.", _double_sum),
        Step(r"\frac{n}{n-1}\sum_m \mu_m\,(W_m^2 - 1)", "All pairs less i = j, and E u_m(Z)² = 1.",
             lambda w: 12 / 11 * (_squares(w)[0] @ (_squares(w)[1] - 1)), printed="the limit: on n rows the mean of u_m² is not 1"),
        Step(r"\frac{n}{n-1}\sum_m \mu_m\,(W_m^2 - \frac{1}{n}\sum_i u_m(z_i)^2)",
             "All pairs less i = j. Calibration gives E u_m = 0 where μ_m ≠ 0, so W_m tends to a standard normal Z_m, and the mean square to 1: Σ μ_m (Z_m² − 1).",
             lambda w: 12 / 11 * (_squares(w)[0] @ (_squares(w)[1] - _squares(w)[2]))),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _four_rows(rng):
    """h of four rows of a model that is not calibrated, and all 4⁴ draws of four rows with replacement."""
    y, p = random_world(rng, n_kinds=4, shared=False).sample(4, rng)
    delta, drawn = p - np.eye(3)[y], np.array(list(product(range(4), repeat=4)))
    return {"h": kit.KERNEL(p) * (delta @ delta.T), "drawn": drawn}


def _by_counts(w):
    """Mean over the draws of n⁻² Σ_i C_i Σ_j (n/(n − 1) (C_j − 1[i = j]) − 2) h_ij."""
    counts = (w["drawn"][:, :, None] == np.arange(4)).sum(axis=1)
    weight = 4 / 3 * (counts[:, None, :] - np.eye(4)) - 2
    return (counts[:, :, None] * weight * w["h"]).sum(axis=(1, 2)).mean() / 16


def _centred(h):
    return h - h.mean(axis=1, keepdims=True) - h.mean(axis=0) + h.mean()


def _by_draws(w):
    """Mean over the draws of the unbiased estimate with centred h, less SKCE_b: pair by pair."""
    h = _centred(w["h"])
    pairs = list(permutations(range(4), 2))
    return np.mean([np.mean([h[rows[a], rows[c]] for a, c in pairs]) for rows in w["drawn"]]) - w["h"].mean()


centred_bootstrap = Derivation(
    title="What the bootstrap of A_uq is centred at",
    claim="T' is the unbiased estimate of redrawn rows with a centred h, less SKCE_b; the first part has mean 0 on any data set.",
    world=_four_rows,
    steps=(
        Step(r"\mathbb{E}_C\,T' = \mathbb{E}_C\;\frac{1}{n^2}\sum_i C_i \sum_j (\frac{n}{n-1}(C_j - 1[i = j]) - 2)\,h_{ij}",
             "One data set of n = 4 rows from a model that is not calibrated. C_i counts how often row i is drawn; the mean is over all 4⁴ draws.",
             _by_counts),
        Step(r"\mathbb{E}_C\;\frac{1}{n(n-1)}\sum_{a \neq c} \tilde{h}_{i_a i_c} - \mathrm{SKCE}_b,\quad \tilde{h}_{ij} = h_{ij} - \bar{h}_i - \bar{h}_j + \mathrm{SKCE}_b",
             "Draw by draw: i_a is the row of draw a, and h̄_i the mean of row i of the matrix h. Multiplied out, each C_i stands before the same terms.",
             _by_draws),
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} \tilde{h}_{ij} - \mathrm{SKCE}_b", "a ≠ c are different draws, and a redrawn pair is any pair of rows with the same chance.",
             lambda w: kit.off_diagonal_mean(_centred(w["h"])) - w["h"].mean(), printed="a slip: two draws can give the same row"),
        Step(r"\frac{1}{n^2}\sum_{i, j} \tilde{h}_{ij} - \mathrm{SKCE}_b", "Two draws are independent, and each is any row with the same chance 1/n.",
             lambda w: _centred(w["h"]).mean() - w["h"].mean()),
        Step(r"-\,\mathrm{SKCE}_b", "Every row of the centred h sums to 0. So T' ≥ T compares a variable of mean 0 with n/(n − 1) SKCE_uq.",
             lambda w: -w["h"].mean()),
    ),
)  # fmt: skip


TIE = 1e-9  # equal statistics may differ in the last bits


def _fixed_predictions(rng):
    """Three binary predictions, two of them equal; every triple (labels, two redraws) of label vectors.

    `statistic` (512, 3) holds SKCE_uq of the observed labels first, then of B = 2 redraws.
    """
    p = rng.uniform(0.05, 0.95, 2)[[0, 0, 1]]
    vectors = np.array(list(product([0, 1], repeat=3)))
    chance = np.where(vectors == 1, p, 1 - p).prod(axis=1)
    values = skce_of_labels(kit.KERNEL, p, p, vectors.T)
    triples = np.array(list(product(range(8), repeat=3)))
    return {"mass": chance[triples].prod(axis=1), "statistic": values[triples]}


def _at_least(w):
    """R_b = #{c : T_c ≥ T_b}, itself counted, for every triple."""
    t = w["statistic"]
    return (t[:, None, :] >= t[:, :, None] - TIE).sum(axis=2)


LEVELS = np.arange(1, 4)  # j of the level j/(B + 1)

exact_pvalue = Derivation(
    title="Why redrawn labels give an exact p-value",
    claim="For a calibrated model P(p ≤ α) ≤ α for p = (1 + #{T* ≥ T})/(B + 1), at every n and B, with every statistic.",
    world=_fixed_predictions,
    steps=(
        Step(r"P(p \leq \frac{j}{B+1}),\quad j = 1, \ldots, B + 1", "Three fixed predictions, T = SKCE_uq, B = 2: all 8³ outcomes of labels and two redraws. Three numbers, for j = 1, 2, 3.",
             lambda w: np.array([w["mass"] @ (rank_pvalues(w["statistic"])[:, 0] <= j / 3 + TIE) for j in LEVELS])),
        Step(r"P(R_0 < j),\quad R_b = |\{c : T_c \geq T_b\}|", "The observed data set is at least as large as itself: with “<” it would not count itself.",
             lambda w: np.array([w["mass"] @ (_at_least(w)[:, 0] < j) for j in LEVELS]), printed="a common slip"),
        Step(r"P(R_0 \leq j),\quad R_b = |\{c : T_c \geq T_b\}|", "Write T_0 for T and T_1, …, T_B for the redraws: (B + 1) p counts those that are at least T_0, itself included.",
             lambda w: np.array([w["mass"] @ (_at_least(w)[:, 0] <= j) for j in LEVELS])),
        Step(r"\frac{1}{B+1}\sum_b P(R_b \leq j)", "Exchangeability: given the predictions, observed and redrawn labels all have the law Y_i ~ Cat(p_i).",
             lambda w: np.array([np.mean([w["mass"] @ (_at_least(w)[:, b] <= j) for b in range(3)]) for j in LEVELS])),
        Step(r"\frac{1}{B+1}\,\mathbb{E}\,|\{b : R_b \leq j\}|", "A sum of probabilities is the mean of a count.",
             lambda w: np.array([w["mass"] @ (_at_least(w) <= j).sum(axis=1) for j in LEVELS]) / 3),
        Step(r"\frac{j}{B+1}", "Without ties the R_b are 1, 2, …, B + 1, and just j of them are at most j. Ties only make some R_b larger.",
             lambda w: LEVELS / 3, relation="<="),
    ),
)  # fmt: skip


plus_one = Derivation(
    title="Why the p-value has a + 1",
    claim="Without the + 1 a calibrated model gets p = 0 with positive probability, and no test may do that.",
    world=_fixed_predictions,
    steps=(
        Step(r"P(\,\frac{1}{B}\sum_b 1[T_b^* \geq T] = 0\,)", "The share of redraws that reach T, taken for the p-value: how often it is 0. B = 2, all 8³ outcomes.",
             lambda w: w["mass"] @ ((w["statistic"][:, 1:] >= w["statistic"][:, :1] - TIE).mean(axis=1) == 0)),
        Step(r"P(\,T > \max_b T_b^*\,)", "No redraw reaches T: then T is larger than the largest of them.",
             lambda w: w["mass"] @ (w["statistic"][:, 0] > w["statistic"][:, 1:].max(axis=1) + TIE)),
        Step(r"0", "A p-value must satisfy P(p ≤ α) ≤ α, also at α = 0.", lambda w: 0.0, relation="<=",
             printed="p = #{T* ≥ T}/B, as in CalibrationTests.jl (errata U5)"),
        Step(r"P(\,p \leq \frac{1}{B+1}\,),\quad p = \frac{1}{B+1}\,(1 + \sum_b 1[T_b^* \geq T])", "With the + 1 the observed labels count as one of B + 1, and the same outcomes get p = 1/(B + 1).",
             lambda w: w["mass"] @ (rank_pvalues(w["statistic"])[:, 0] <= 1 / 3 + TIE)),
        Step(r"\frac{1}{B+1}", "Exchangeability: no one of B + 1 equally likely places is strictly largest more often than that.", lambda w: 1 / 3, relation="<="),
    ),
)  # fmt: skip


def _six_rows(rng, threshold):
    """A calibrated model, n = 6, and a number t to exceed; `threshold(world, u)` places it, u uniform."""
    world = kit.calibrated(rng, 6)
    return {**world, "t": threshold(world, rng.uniform())}


def _between_mean_and_largest(w, u):
    """Between H/n, below which the bound says 1, and the largest SKCE_b there is (at least ½ > H/n = ⅓)."""
    floor = kit.BOUND / w["n"]
    return floor + (0.2 + 0.7 * u) * (kit.estimate_b(w["atoms"].h, w["rows"]).max() - floor)


def _tail(w, estimate):
    return w["mass"] @ (estimate(w["atoms"].h, w["rows"]) >= w["t"])


bound_biased = Derivation(
    title="The bound D_b",
    claim="How likely a calibrated model gives SKCE_b ≥ t, for t ≥ H/n, at most: at every n and for every kernel with |h| ≤ H.",
    world=lambda rng: _six_rows(rng, _between_mean_and_largest),
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_b \geq t)", "The exact chance that a calibrated model looks this bad: all 4,096 data sets of n = 6 rows.", lambda w: _tail(w, kit.estimate_b)),
        Step(r"P(\mathrm{KCE}_b - m \geq \sqrt{t} - m),\quad m = \mathbb{E}\,\mathrm{KCE}_b", "Take roots and subtract the mean.",
             lambda w: w["mass"] @ (kit.length_of_mean(w["atoms"].x, w["rows"]) - kit.mean_length(w) >= np.sqrt(w["t"]) - kit.mean_length(w))),
        Step(r"\exp(-n\,(\sqrt{t} - m)^2 / (2H))", "McDiarmid's inequality exp(−2ε²/(n c²)): one row changes KCE_b by at most c = 2√H/n, and ε = √t − m.",
             lambda w: np.exp(-2 * (np.sqrt(w["t"]) - kit.mean_length(w)) ** 2 / (w["n"] * (2 * np.sqrt(kit.BOUND) / w["n"]) ** 2)), relation="<="),
        Step(r"\exp(-n\,(\sqrt{t} - \sqrt{H/n})^2 / (2H))", "m is unknown but at most √(H/n), which is at most √t here: a smaller square, a larger bound.",
             lambda w: np.exp(-w["n"] * (np.sqrt(w["t"]) - np.sqrt(kit.BOUND / w["n"])) ** 2 / (2 * kit.BOUND)), relation="<="),
        Step(r"\exp(-\frac{1}{2}\,(n t / H - 1)^2)", "The square was of a difference of roots.",
             lambda w: np.exp(-0.5 * (w["n"] * w["t"] / kit.BOUND - 1) ** 2), printed="a common slip"),
        Step(r"\exp(-\frac{1}{2}\,\max(0,\, \sqrt{n t / H} - 1)^2)", "Multiply n/H into the square; for t < H/n the maximum makes it 1, which is always true. This is method=\"bound-biased\".",
             lambda w: bound_pvalue(w["t"], w["n"], kit.BOUND, biased=True)),
    ),
)  # fmt: skip


def _part_of_largest(w, u):
    return (0.3 + 0.6 * u) * kit.estimate_uq(w["atoms"].h, w["rows"]).max()


def _rate(w):
    """s = ⌊n/2⌋ t / H²."""
    return w["n"] // 2 * w["t"] / kit.BOUND**2


def _markov(w, estimate):
    """e^{−st} E e^{s·estimate}."""
    return np.exp(-_rate(w) * w["t"]) * (w["mass"] @ np.exp(_rate(w) * estimate(w["atoms"].h, w["rows"])))


def _independent_pairs(w):
    """e^{−st} (E e^{sh/k})^k over the law of one pair, k = ⌊n/2⌋."""
    k, mass = w["n"] // 2, w["atoms"].mass
    return np.exp(-_rate(w) * w["t"]) * (mass @ np.exp(_rate(w) * w["atoms"].h / k) @ mass) ** k


bound_unbiased = Derivation(
    title="The bounds D_uq and D_ul",
    claim="For a calibrated model the tails of SKCE_uq and SKCE_ul have one bound, which knows n and H only, for t ≥ 0 (Hoeffding 1963).",
    world=lambda rng: _six_rows(rng, _part_of_largest),
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    steps=(
        Step(r"P(U \geq t)\ \mathrm{for}\ U = \mathrm{SKCE}_{uq},\ \mathrm{SKCE}_{ul}", "Two exact probabilities over all 4,096 data sets of n = 6 rows.",
             lambda w: np.array([_tail(w, kit.estimate_uq), _tail(w, kit.estimate_ul)])),
        Step(r"P(e^{sU} \geq e^{st}),\quad s = \lfloor n/2\rfloor\, t / H^2", "e^x is increasing. This s makes line 6 smallest.",
             lambda w: np.array([w["mass"] @ (np.exp(_rate(w) * estimate(w["atoms"].h, w["rows"])) >= np.exp(_rate(w) * w["t"]))
                                 for estimate in (kit.estimate_uq, kit.estimate_ul)])),
        Step(r"e^{-st}\;\mathbb{E}\,e^{sU}", "Markov's inequality.", lambda w: np.array([_markov(w, kit.estimate_uq), _markov(w, kit.estimate_ul)]), relation="<="),
        Step(r"e^{-st}\;\mathbb{E}\,e^{s\,\mathrm{SKCE}_{ul}}", "SKCE_uq is the mean of SKCE_ul over all orders of the rows; e^x is convex (Jensen), and every order has the same law.",
             lambda w: _markov(w, kit.estimate_ul), relation="<="),
        Step(r"e^{-st}\,(\,\mathbb{E}\,e^{s\,h(Z, Z') / \lfloor n/2\rfloor}\,)^{\lfloor n/2\rfloor}", "SKCE_ul is a mean of ⌊n/2⌋ independent pairs: this is where ⌊n/2⌋ comes from.", _independent_pairs),
        Step(r"e^{-st}\;e^{s^2 H^2 / (2\,\lfloor n/2\rfloor)}", "Hoeffding's lemma: a variable of mean 0 between −H and H has E e^{ah} ≤ exp(a²H²/2), here with a = s/⌊n/2⌋.",
             lambda w: np.exp(-_rate(w) * w["t"] + _rate(w) ** 2 * kit.BOUND**2 / (2 * (w["n"] // 2))), relation="<="),
        Step(r"\exp(-2\,\lfloor n/2\rfloor\, t^2 / H^2)", "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms of range H.",
             lambda w: np.exp(-2 * (w["n"] // 2) * w["t"] ** 2 / kit.BOUND**2), printed="a common slip: the range of [−H, H] is 2H"),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms. These are method=\"bound-unbiased\" and \"bound-linear\".",
             lambda w: bound_pvalue(w["t"], w["n"], kit.BOUND, biased=False)),
    ),
)  # fmt: skip


def _coin(rng):
    """A fair coin, predicted as such, n = 2: h is ±½, so that H = ½ is the largest |h|."""
    half = [[0.5, 0.5]]
    world = kit.tiny(FiniteWorld([1.0], half, half), 2)
    return {**world, "t": rng.uniform(0.86, 0.99) * 0.5}


floor_half = Derivation(
    title="Why ⌊n/2⌋ and not n",
    claim="Two rows make one pair: with n in the exponent a fair coin breaks the bound.",
    world=_coin,
    describe=lambda w: f"n = 2, H = 0.5, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_{uq} \geq t)", "A coin that is fair and predicted to be fair, two rows, H = ½: a calibrated model.", lambda w: _tail(w, kit.estimate_uq)),
        Step(r"P(Y_1 = Y_2)", "⟨δ_1, δ_2⟩ is ½ for equal labels and −½ for others, and t is below ½.",
             lambda w: w["mass"] @ (w["rows"][:, 0] == w["rows"][:, 1])),
        Step(r"\exp(-n\, t^2 / (2H^2))", "It is below the probability that it should bound.",
             lambda w: np.exp(-w["n"] * w["t"] ** 2 / (2 * 0.5**2)), relation="<=",
             printed="n in place of ⌊n/2⌋, as in Vashistha & Farahi's Theorem 3.6, which bounds both tails (errata K25)"),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "One independent pair, one factor.",
             lambda w: bound_pvalue(w["t"], w["n"], 0.5, biased=False), relation="<="),
    ),
)  # fmt: skip


def _smallest_estimate(rng):
    """A calibrated model, n = 2, its own bound H on |h|, and as t the smallest SKCE_uq that it can have."""
    world = kit.calibrated(rng, 2)
    h = world["atoms"].h
    return {**world, "t": kit.estimate_uq(h, world["rows"]).min(), "bound": np.abs(h).max()}


negative_estimate = Derivation(
    title="A negative estimate",
    claim="What can be said of P(SKCE_uq ≥ t) if the estimate t is below 0.",
    world=_smallest_estimate,
    describe=lambda w: f"n = 2, H = {w['bound']:.3f}, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_{uq} \geq t),\quad t = \min\,\mathrm{SKCE}_{uq}", "A calibrated model, n = 2, with H its largest |h|. SKCE_uq averages to 0, so its smallest value t is negative.", lambda w: _tail(w, kit.estimate_uq)),
        Step(r"1 - P(\mathrm{SKCE}_{uq} < t)", "No data set has a smaller estimate: no data set could speak more for the model.",
             lambda w: 1 - w["mass"] @ (kit.estimate_uq(w["atoms"].h, w["rows"]) < w["t"])),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "The best possible data would count against the model.",
             lambda w: np.exp(-(w["n"] // 2) * w["t"] ** 2 / (2 * w["bound"] ** 2)), relation="<=",
             printed="a squared estimate, as in CalibrationTests.jl (errata U5)"),
        Step(r"\exp(-\lfloor n/2\rfloor\, \max(0,\, t)^2 / (2H^2))", "Hoeffding's bound is for t ≥ 0; for t < 0 only the bound 1 is left.",
             lambda w: bound_pvalue(w["t"], w["n"], w["bound"], biased=False), relation="<="),
    ),
)  # fmt: skip
