"""Derivations of notebook 05, second part: which redrawn data look like those of a locally calibrated model."""

from itertools import product

import numpy as np

from ...pvalues import bound_pvalue
from ...teach.derive import Derivation, Step
from ..shared import klce_atoms as kit
from ..shared.kce_atoms import off_diagonal_mean

# --- redrawn labels ---


LEVELS = np.array([1, 2]) / 3


def _chance_of_small_p(w, place=0, observed=None):
    """P(p ≤ 1/3) and P(p ≤ 2/3), where the data set at `place` of each triple is ranked among all three."""
    first = w["mass"] if observed is None else observed
    mass = first[w["triples"][:, 0]] * w["mass"][w["triples"][:, 1:]].prod(axis=1)
    T = w["T"][w["triples"]]
    rank = kit.rank_of_first(np.roll(T, -place, axis=1))
    return np.array([mass @ (rank <= level + kit.TIE) for level in LEVELS])


labels_exchangeable = Derivation(
    title="Redrawn labels are exchangeable with the observed",
    claim="For a locally calibrated model the p-value R of the test that redraws labels has P(R ≤ α) ≤ α, at every n.",
    world=kit.three_fixed_rows,
    steps=(
        Step(r"P(R_0 \leq \alpha),\quad \alpha = \frac{1}{3},\, \frac{2}{3}", "Three rows (p, x) are given. T is eq. 4. R_0 is the test's p-value: among the observed and B = 2 redrawn label vectors, the share whose T is at least the observed one. R(y) is R_0 where the observed labels are y. All 8³ outcomes.",
             _chance_of_small_p),
        Step(r"P(R_1 \leq \alpha)", "R_1 is the same for the first redrawn vector: let it play the observed one. Given (p, x) both have the law Y_i ~ Bern(p_i), independent: nothing changes.",
             lambda w: _chance_of_small_p(w, place=1)),
        Step(r"P(R(Y_2,\, Y_1,\, Y_3) \leq \alpha)", "The labels of rows 1 and 2 exchanged: their predictions differ, and so do the laws of (Y_1, Y_2) and (Y_2, Y_1).",
             lambda w: _chance_of_small_p(w, observed=kit.chance(w["p"][[1, 0, 2]], w["y"])), printed="the same for the observed labels in another order"),
        Step(r"\frac{1}{3}\;\mathbb{E}\,|\{b : R_b \leq \alpha\}|", "So R_0, R_1, R_2 have one law, and P(R_0 ≤ α) is the mean over the three.", lambda w: kit.mean_small_ranks(w["mass"][w["triples"]].prod(axis=1), w["T"][w["triples"]], LEVELS)),
        Step(r"\alpha", "Of three data sets at most 3α can be among the 3α with the largest T.", lambda w: LEVELS, relation="<="),
    ),
)  # fmt: skip


# --- permuted residuals ---


def _permutation_pvalues(w, orders):
    """The rank of T among T of all orders, the observed one first, for every label vector."""
    return kit.rank_of_first(kit.eq4(w["K"], w["delta"][:, orders]))


permutation_size = Derivation(
    title="The size of a permutation test",
    claim="Two doubtful rows together and one alone that is confident of no: how often the test at α = 1/3 rejects a true model.",
    world=kit.crowd_of_two,
    describe=lambda w: f"p = {w['p'][0]:.3f} twice at one place, {w['p'][2]:.3f} elsewhere",
    steps=(
        Step(r"P(R \leq \frac{1}{3})", "Rows 1 and 2, the crowd, have a prediction a near ½, row 3 has c near 0; the kernel is 1 inside the crowd and 0 outside. R is the p-value: the share of all 3! orders of the residuals whose T is at least the observed one. All eight label vectors.",
             lambda w: w["mass"] @ (_permutation_pvalues(w, kit.orders(3)) <= 1 / 3 + kit.TIE)),
        Step(r"P(Y_1 = Y_2) - P(Y_1 = Y_2 = Y_3 = 1)", "Only two of six orders leave the crowd its own large residuals. If these have equal signs, all other orders make T smaller (but for a surprise in row 3).",
             lambda w: w["mass"] @ (w["y"][:, 0] == w["y"][:, 1]) - w["mass"][-1]),
        Step(r"\frac{1}{3}", "The level that was asked for.", lambda w: 1 / 3, relation="<=", printed="what a valid p-value keeps: P(R ≤ α) ≤ α (errata S)"),
        Step(r"a^2(1 - c) + (1 - a)^2", "About ½, although the model is locally calibrated.",
             lambda w: w["p"][0] ** 2 * (1 - w["p"][2]) + (1 - w["p"][0]) ** 2),
    ),
)  # fmt: skip


WITHIN = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2]])  # orders that keep each stratum together
QUARTERS = np.array([1, 2, 3]) / 4


def _stratified_size(w, order=(0, 1, 2, 3)):
    """P(p ≤ j/4) where the residuals are first put in this order, p being the rank among the four orders within."""
    delta = w["delta"][:, list(order)]
    p = kit.rank_of_first(kit.eq4(w["K"], delta[:, WITHIN]))
    return np.array([w["mass"] @ (p <= level + kit.TIE) for level in QUARTERS])


strata = Derivation(
    title="Permutations inside strata",
    claim="A permutation test for rows in two strata, each with one prediction: its p-value R.",
    world=kit.two_strata,
    describe=lambda w: f"p = {w['p'][0]:.3f} twice, {w['p'][2]:.3f} twice",
    steps=(
        Step(r"P(R \leq \alpha),\quad \alpha = \frac{1}{4},\, \frac{1}{2},\, \frac{3}{4}", "Rows 1 and 2 share a prediction, rows 3 and 4 another. R is the share of the 2 · 2 orders inside the strata whose T is at least the observed one; all 16 label vectors.", _stratified_size),
        Step(r"\frac{1}{4}\sum_{\pi} P(R(\delta_{\pi}) \leq \alpha)", "δ and δ_π have the same law for each of the four π, so each may play the observed one.",
             lambda w: np.mean([_stratified_size(w, order) for order in WITHIN], axis=0)),
        Step(r"P(R(\delta_1,\, \delta_3,\, \delta_2,\, \delta_4) \leq \alpha)", "Rows 2 and 3 exchanged: their predictions differ, and so do the laws of δ and of this.",
             lambda w: _stratified_size(w, (0, 2, 1, 3)), printed="the same for an order that leaves the strata"),
        Step(r"\frac{1}{4}\;\mathbb{E}\,|\{\pi : R(\delta_{\pi}) \leq \alpha\}|", "A sum of probabilities is the mean of a count.",
             lambda w: kit.mean_small_ranks(w["mass"], kit.eq4(w["K"], w["delta"][:, WITHIN]), QUARTERS)),
        Step(r"\alpha", "Of the four orders at most 4α can be among the 4α with the largest T.", lambda w: QUARTERS, relation="<="),
    ),
)  # fmt: skip


# --- Algorithm 1 and the library ---


def _mean_over(w, rows):
    """Mean of eq. 4 over resampled residuals, `rows` (s, n) saying which ones."""
    return kit.eq4(w["K"], w["seen"][rows]).mean()


def _mean_products(w, rows):
    """(n(n − 1))⁻¹ Σ_{i≠j} K_ij E*[δ*_i δ*_j]."""
    drawn = w["seen"][rows]
    return off_diagonal_mean(w["K"] * (drawn.T @ drawn) / len(drawn))


WITH_REPLACEMENT, ALL_ORDERS = np.array(list(product(range(4), repeat=4))), kit.orders(4)

algorithm_one = Derivation(
    title="The centre of Algorithm 1",
    claim="The mean of eq. 4 over all ways to redraw the residuals of one data set.",
    world=kit.four_rows,
    steps=(
        Step(r"\mathbb{E}^* \frac{1}{n(n-1)}\sum_{i \neq j} K_{ij}\,\delta_i^*\,\delta_j^*", "One data set of n = 4 rows, K = k l: the mean of eq. 4 over all 4⁴ = 256 ways to redraw its residuals with replacement.",
             lambda w: _mean_over(w, WITH_REPLACEMENT)),
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} K_{ij}\;\mathbb{E}^*[\,\delta_i^*\,\delta_j^*\,]", "The kernel is fixed, only residuals are redrawn.", lambda w: _mean_products(w, WITH_REPLACEMENT)),
        Step(r"\mathrm{mean}_{i \neq j}\, K_{ij} \cdot \mathrm{mean}_{i \neq j}\, \delta_i \delta_j", "With replacement a residual may be drawn twice, and then meets itself.",
             lambda w: off_diagonal_mean(w["K"]) * off_diagonal_mean(np.outer(w["seen"], w["seen"])), printed="the same for draws without replacement"),
        Step(r"\bar{\delta}^2 \cdot \mathrm{mean}_{i \neq j}\, K_{ij}", "Draws are independent, and each has the mean of the observed residuals.", lambda w: w["seen"].mean() ** 2 * off_diagonal_mean(w["K"])),
        Step(r"0", "A null distribution should have mean 0. A model that says too little everywhere, by the same amount, has just this as its KLCE²: no power against it.", lambda w: 0.0, relation=">="),
    ),
)  # fmt: skip


permutation_mean = Derivation(
    title="The centre of the permutations",
    claim="The mean of eq. 4 over all orders of the residuals of one data set.",
    world=kit.four_rows,
    steps=(
        Step(r"\frac{1}{n!}\sum_{\pi} \frac{1}{n(n-1)}\sum_{i \neq j} K_{ij}\,\delta_{\pi(i)}\,\delta_{\pi(j)}", "n = 4 residuals, as in “The centre of Algorithm 1”, in all 24 orders.", lambda w: _mean_over(w, ALL_ORDERS)),
        Step(r"\bar{\delta}^2 \cdot \mathrm{mean}_{i \neq j}\, K_{ij}", "Two residuals of one order are two different rows, and so depend on each other.",
             lambda w: w["seen"].mean() ** 2 * off_diagonal_mean(w["K"]), printed="the same for draws with replacement"),
        Step(r"\mathrm{mean}_{i \neq j}\, K_{ij} \cdot \mathrm{mean}_{i \neq j}\, \delta_i \delta_j", "Under a random order each pair of places gets each pair of residuals equally often.",
             lambda w: off_diagonal_mean(w["K"]) * off_diagonal_mean(np.outer(w["seen"], w["seen"]))),
        Step(r"\mathrm{mean}_{i \neq j}\, K_{ij} \cdot \frac{1}{n(n-1)}\,[\,(\sum_i \delta_i)^2 - \sum_i \delta_i^2\,]", "Negative if (Σδ)² is less than Σδ². The authors' library subtracts the mean of its draws from these, and not from the observed T (errata S).",
             lambda w: off_diagonal_mean(w["K"]) * (w["seen"].sum() ** 2 - (w["seen"] ** 2).sum()) / 12),
    ),
)  # fmt: skip


def _centred_pvalues(w):
    """p of the library's test for every label vector: permuted statistics less their mean, the observed one as it is."""
    T, drawn = kit.eq4(w["K"], w["delta"]), kit.eq4(w["K"], w["delta"][:, kit.orders(6)])
    drawn -= drawn.mean(axis=1, keepdims=True)
    return kit.rank_of_first(np.column_stack([T, drawn]))


centred_permutation = Derivation(
    title="The centred permutation test with a flat kernel",
    claim="With k = l = 1: how often the library's test rejects a calibrated model at level .05.",
    world=kit.flat_kernel,
    steps=(
        Step(r"P(R \leq 0.05)", "n = 6 rows of a locally calibrated model, k = l = 1, the 720 orders as draws, less their mean; R is the p-value. All 64 label vectors.",
             lambda w: w["mass"] @ (_centred_pvalues(w) <= 0.05)),
        Step(r"P(T > 0)", "No order changes T = [(Σδ)² − Σδ²]/(n(n − 1)), so every centred draw is 0: R is 1/721 if T > 0, else 1.",
             lambda w: w["mass"] @ (kit.eq4(w["K"], w["delta"]) > 0)),
        Step(r"0.05", "A width that left the constant direction out cannot tell noise from error.", lambda w: 0.05, relation="<=", printed="the level of the test behind Tables 1 and 2 (errata S)"),
        Step(r"P(\,(\sum_i \delta_i)^2 > \sum_i \delta_i^2\,)", "As n grows (Σδ)²/Σδ² tends to a chi-square with one degree of freedom, and P(χ² > 1) = .317.",
             lambda w: w["mass"] @ (w["delta"].sum(axis=1) ** 2 > (w["delta"] ** 2).sum(axis=1))),
    ),
)  # fmt: skip


def _spread(w):
    """D = p(1 − p)."""
    return w["p"] * (1 - w["p"])


def _null_variance(w):
    T = (len(w["p"]) - 1) * kit.eq4(w["K"], w["delta"])
    return w["mass"] @ T**2 - (w["mass"] @ T) ** 2


limit_variances = Derivation(
    title="How wide the null distribution is",
    claim="The variance of n·T for a locally calibrated model, given (p, x).",
    world=lambda rng: kit.fixed_rows(rng, 5),
    describe=lambda w: "p = " + ", ".join(f"{p:.2f}" for p in w["p"]),
    steps=(
        Step(r"\mathrm{Var}\,[(n-1)\,T]", "Five rows of a locally calibrated model, T from eq. 4, K = k l: all 32 label vectors. D is the diagonal matrix of p_i(1 − p_i), used below. (n − 1 and n are the same thing for large n.)", _null_variance),
        Step(r"\frac{2}{n^2} \sum_{i \neq j} K_{ij}^2\;\mathrm{Var}(\delta_i)\,\mathrm{Var}(\delta_j)", "Residuals are independent with mean 0: E δ_i δ_j δ_a δ_b is 0 unless {i, j} = {a, b}, which happens in two ways.",
             lambda w: 2 / 25 * sum(w["K"][i, j] ** 2 * (w["mass"] @ w["delta"][:, i] ** 2) * (w["mass"] @ w["delta"][:, j] ** 2) for i in range(5) for j in range(5) if i != j)),
        Step(r"\frac{2}{n^2}\;\mathrm{mean}(D)^2 \sum_{i \neq j} K_{ij}^2", "As if every residual had mean 0 and the average variance, whatever its place: too narrow where the kernel's mass is at p near ½, too wide where it is at confident rows. Moved residuals come near this in a small crowd; permuted ones also keep their sum, and hardly vary in a large one.",
             lambda w: 2 / 25 * _spread(w).mean() ** 2 * kit.off_diagonal_squares(w["K"]), printed="the variance as if all residuals were alike (errata S)"),
        Step(r"\frac{2}{n^2} \sum_{i \neq j}\,(D^{1/2} K D^{1/2})_{ij}^2", "Var δ = p(1 − p). In the limit the eigenvalues of D^½ K D^½/n are the weights of the chi-squares.",
             lambda w: 2 / 25 * kit.off_diagonal_squares(np.sqrt(_spread(w))[:, None] * w["K"] * np.sqrt(_spread(w)))),
    ),
)  # fmt: skip


# --- bounds ---


printed_bound = Derivation(
    title="The acceptance region of Corollary 3.7",
    claim="Which level its limit guarantees: two rows, and a model that is always wrong.",
    world=kit.always_wrong,
    describe=lambda w: f"n = 2, k = l = 1, α = {w['alpha']:.3f}",
    steps=(
        Step(r"P(T \geq c),\quad c = H\sqrt{\ln \alpha^{-2}} / \sqrt{n}", "The paper calls a model right if T < c, its eq. 5; here H = 1. The model says 0 or 1 and is always wrong, but k = l = 1 sees the mean error only, which is 0: KLCE = 0, and that is the hypothesis.",
             lambda w: w["mass"] @ (w["T"] >= w["limit"])),
        Step(r"P(\delta_1 = \delta_2)", "With n = 2 eq. 4 is T = δ_1 δ_2, which is 1 or −1, and c is below 1.", lambda w: w["mass"] @ (w["labels"][:, 0] == w["labels"][:, 1])),
        Step(r"\alpha", "The test rejects half of the time.", lambda w: w["alpha"], relation="<=", printed="the level that Corollary 3.7 promises (errata K25)"),
        Step(r"\exp(-\lfloor n/2\rfloor\, c^2 / (2H^2))", "What Hoeffding's inequality gives for this c: two rows make one pair.", lambda w: bound_pvalue(w["limit"], 2, 1.0, biased=False), relation="<="),
        Step(r"\sqrt{\alpha}", "Put c in: half of the exponent is missing. For even n the limit for level α is √2 c.", lambda w: np.sqrt(w["alpha"])),
    ),
)  # fmt: skip
