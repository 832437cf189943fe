"""Derivations of tests of the lesson many_features."""

from itertools import product

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import klce_atoms as kit


def _triples(w):
    """T of three label vectors; S the same, the first with the labels of rows 1 and 2 exchanged."""
    triples, T = np.array(list(product(range(8), repeat=3))), w["T"].round(9)
    exchanged = T.reshape(2, 2, 2).swapaxes(0, 1).ravel()[triples[:, 0]]
    drawn = {"T": T[triples], "S": np.column_stack([exchanged, T[triples[:, 1:]]])}
    known = {"B": 2, "alpha": along("level", [1 / 3, 2 / 3])}
    return Letters({"t": (w["mass"][triples].prod(axis=1), drawn)}, known, {"sets": 3})


labels_exchangeable = Derivation(
    title="Redrawn labels are exchangeable with the observed",
    claim="For a locally calibrated model the p-value R of the test that redraws labels has P(R ≤ α) ≤ α, at every n.",
    world=kit.three_fixed_rows,
    letters=_triples,
    steps=(
        Step("P(R[0] <= alpha); R[b] = 1/(B + 1) * count(T[c] >= T[b] for c in sets)",
             "Three rows (p, x) are given. T_0 is eq. 4 for the observed labels, T_1 and T_2 for B = 2 redrawn label vectors; R_0, the test's p-value, is the share of the three that are at least T_0. All 8³ outcomes, at α = ⅓ and ⅔."),
        Step("P(R[1] <= alpha)",
             "R_1 is the same for the first redrawn vector: let it play the observed one. Given (p, x) both have the law Y_i ~ Bern(p_i), independent: nothing changes."),
        Step("P(1/(B + 1) * count(S[c] >= S[0] for c in sets) <= alpha)",
             "S is T with the observed labels of rows 1 and 2 exchanged: their predictions differ, and so do the laws of (Y_1, Y_2) and (Y_2, Y_1).", printed="the same for the observed labels in another order"),
        Step("1/(B + 1) * E(count(R[b] <= alpha for b in sets))",
             "So R_0, R_1, R_2 have one law, and P(R_0 ≤ α) is the mean over the three."),
        Step("alpha",
             "Of three data sets at most 3α can be among the 3α with the largest T.", relation="<="),
    ),
)  # fmt: skip
WITHIN = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2]])  # orders that keep each stratum together


def _orders_in_strata(w):
    """T of the four orders, and S, for which the residuals of rows 2 and 3 are exchanged first."""
    T, S = (kit.eq4(w["K"], w["delta"][:, first][:, WITHIN]).round(9) for first in ([0, 1, 2, 3], [0, 2, 1, 3]))
    known = {"m": 4, "alpha": along("level", [1 / 4, 1 / 2, 3 / 4])}
    return Letters({"y": (w["mass"], {"T": T, "S": S})}, known, {"orders": 4})


strata = Derivation(
    title="Permutations inside strata",
    claim="A permutation test for rows in two strata, each with one prediction: its p-value R.",
    world=kit.two_strata,
    describe=lambda w: f"p = {w['p'][0]:.3f} twice, {w['p'][2]:.3f} twice",
    letters=_orders_in_strata,
    steps=(
        Step("P(R[0] <= alpha); R[b] = 1/m * count(T[c] >= T[b] for c in orders)",
             "Rows 1 and 2 share a prediction, rows 3 and 4 another. T_b is eq. 4 with the residuals in order b, one of the m = 2 · 2 orders inside the strata, T_0 as observed; R_b is the share of the four that are at least T_b. All 16 label vectors, at α = ¼, ½ and ¾."),
        Step("1/m * sum(P(R[b] <= alpha) for b in orders)",
             "δ and δ in order b have the same law for each of the four, so each may play the observed one."),
        Step("P(1/m * count(S[c] >= S[0] for c in orders) <= alpha)",
             "S is T with the residuals of rows 2 and 3 exchanged first: their predictions differ, and so do the laws of δ and of this.", printed="the same for an order that leaves the strata"),
        Step("1/m * E(count(R[b] <= alpha for b in orders))",
             "A sum of probabilities is the mean of a count."),
        Step("alpha",
             "Of the four orders at most 4α can be among the 4α with the largest T.", relation="<="),
    ),
)  # fmt: skip


def _redrawn_residuals(w):
    """K and residuals of four rows; the rows r_i of each draw with replacement, the rows π_bi of each order b."""
    drawn, orders = np.array(list(product(range(4), repeat=4))), kit.orders(4)
    known = {"n": 4, "m": len(orders), "K": w["K"], "delta": w["seen"], "pi": orders}
    return Letters({"d": (np.full(256, 1 / 256), {"r": drawn})}, known, {"rows": 4, "orders": len(orders)})


algorithm_one = Derivation(
    title="The centre of Algorithm 1",
    claim="The mean of eq. 4 over all ways to redraw the residuals of one data set.",
    world=kit.four_rows,
    letters=_redrawn_residuals,
    start=1,
    steps=(
        Step("E(1/(n*(n - 1)) * sum(K[i, j] * delta[r[i]] * delta[r[j]] for i in rows for j in rows if i != j))",
             "One data set of n = 4 rows, K = k l: the mean of eq. 4 over all 4⁴ = 256 ways to redraw its residuals with replacement; r_i is the row whose residual comes to place i."),
        Step("1/(n*(n - 1)) * sum(K[i, j] * E(delta[r[i]] * delta[r[j]]) for i in rows for j in rows if i != j)",
             "The kernel is fixed, only residuals are redrawn."),
        Step("mean(K[i, j] for i in rows for j in rows if i != j) "
             "* mean(delta[i] * delta[j] for i in rows for j in rows if i != j)",
             "With replacement a residual may be drawn twice, and then meets itself.", printed="the same for draws without replacement"),
        Step("delta_bar**2 * mean(K[i, j] for i in rows for j in rows if i != j); "
             "delta_bar = mean(delta[i] for i in rows)",
             "Draws are independent, and each has the mean of the observed residuals."),
        Step("0",
             "A null distribution should have mean 0. A model that says too little everywhere, by the same amount, has just this as its KLCE²: no power against it.", relation=">="),
    ),
)  # fmt: skip
permutation_mean = Derivation(
    title="The centre of the permutations",
    claim="The mean of eq. 4 over all orders of the residuals of one data set.",
    world=kit.four_rows,
    letters=_redrawn_residuals,
    start=1,
    steps=(
        Step("1/m * sum(1/(n*(n - 1)) * sum(K[i, j] * delta[pi[b, i]] * delta[pi[b, j]] for i in rows for j in rows "
             "if i != j) for b in orders)",
             "n = 4 residuals, as in “The centre of Algorithm 1”, in all m = 4! = 24 orders; π_bi is the row whose residual comes to place i in order b."),
        Step("delta_bar**2 * mean(K[i, j] for i in rows for j in rows if i != j); "
             "delta_bar = mean(delta[i] for i in rows)",
             "Two residuals of one order are two different rows, and so depend on each other.", printed="the same for draws with replacement"),
        Step("mean(K[i, j] for i in rows for j in rows if i != j) "
             "* mean(delta[i] * delta[j] for i in rows for j in rows if i != j)",
             "Under a random order each pair of places gets each pair of residuals equally often."),
        Step("mean(K[i, j] for i in rows for j in rows if i != j) "
             "* (1/(n*(n - 1)) * (sum(delta[i] for i in rows)**2 - sum(delta[i]**2 for i in rows)))",
             "Negative if (Σδ)² is less than Σδ². The authors' library subtracts the mean of its draws from these, and not from the observed T (errata S)."),
    ),
)  # fmt: skip


def _orders_of_six(w):
    T = kit.eq4(w["K"], w["delta"][:, kit.orders(6)]).round(9)
    drawn = {"T": T, "T_bar": T.mean(axis=1), "delta": w["delta"]}
    return Letters({"y": (w["mass"], drawn)}, {"m": 720}, {"rows": 6, "orders": 720})


centred_permutation = Derivation(
    title="The centred permutation test with a flat kernel",
    claim="With k = l = 1: how often the library's test rejects a calibrated model at level .05.",
    world=kit.flat_kernel,
    letters=_orders_of_six,
    steps=(
        Step("P(R <= 0.05); R = (1 + count(T[b] - T_bar >= T[0] for b in orders)) / (m + 1)",
             "n = 6 rows of a locally calibrated model, k = l = 1. T_b is eq. 4 with the residuals in order b, T_0 as observed; from each of the m = 720 draws the library subtracts T̄, their mean, from T_0 it does not; R is the p-value. All 64 label vectors."),
        Step("P(T[0] > 0)",
             "No order changes T_0 = [(Σδ)² − Σδ²]/(n(n − 1)), so every centred draw is 0: R is 1/721 if T_0 > 0, else 1."),
        Step("0.05",
             "A width that left the constant direction out cannot tell noise from error.", relation="<=", printed="the level of the test behind Tables 1 and 2 (errata S)"),
        Step("P(sum(delta[i] for i in rows)**2 > sum(delta[i]**2 for i in rows))",
             "As n grows (Σδ)²/Σδ² tends to a chi-square with one degree of freedom, and P(χ² > 1) = .317."),
    ),
)  # fmt: skip


def _label_vectors(w):
    known = {"n": 5, "K": w["K"], "p": w["p"], "D": np.diag(w["p"] * (1 - w["p"]))}
    return Letters({"y": (w["mass"], {"delta": w["delta"]})}, known, {"rows": 5})


limit_variances = Derivation(
    title="How wide the null distribution is",
    claim="The variance of n·T for a locally calibrated model, given (p, x).",
    world=lambda rng: kit.fixed_rows(rng, 5),
    describe=lambda w: "p = " + ", ".join(f"{p:.2f}" for p in w["p"]),
    letters=_label_vectors,
    steps=(
        Step("Var((n - 1) * T); "
             "T = 1/(n*(n - 1)) * sum(K[i, j] * delta[i] * delta[j] for i in rows for j in rows if i != j)",
             "Five rows of a locally calibrated model, T from eq. 4, K = k l: all 32 label vectors. D is the diagonal matrix of p_i(1 − p_i), used below. (n − 1 and n are the same thing for large n.)"),
        Step("2/n**2 * sum(K[i, j]**2 * Var(delta[i]) * Var(delta[j]) for i in rows for j in rows if i != j)",
             "Residuals are independent with mean 0: E δ_i δ_j δ_a δ_b is 0 unless {i, j} = {a, b}, which happens in two ways."),
        Step("2/n**2 * D_bar**2 * sum(K[i, j]**2 for i in rows for j in rows if i != j); "
             "D_bar = mean(p[i] * (1 - p[i]) for i in rows)",
             "As if every residual had mean 0 and the average variance, whatever its place: too narrow where the kernel's mass is at p near ½, too wide where it is at confident rows. Moved residuals come near this in a small crowd; permuted ones also keep their sum, and hardly vary in a large one.", printed="the variance as if all residuals were alike (errata S)"),
        Step("2/n**2 * sum((D**(1/2) @ K @ D**(1/2))[i, j]**2 for i in rows for j in rows if i != j)",
             "Var δ = p(1 − p). In the limit the eigenvalues of D^½ K D^½/n are the weights of the chi-squares."),
    ),
)  # fmt: skip


def _two_rows(w):
    drawn = {"T": w["T"], "delta_1": 1 - 2 * w["labels"][:, 0], "delta_2": 1 - 2 * w["labels"][:, 1]}
    return Letters({"D": (w["mass"], drawn)}, {"n": 2, "H": 1, "alpha": w["alpha"]})


printed_bound = Derivation(
    title="The acceptance region of Corollary 3.7",
    claim="Which level its limit guarantees: two rows, and a model that is always wrong.",
    world=kit.always_wrong,
    describe=lambda w: f"n = 2, k = l = 1, α = {w['alpha']:.3f}",
    letters=_two_rows,
    start=1,
    steps=(
        Step("P(T >= c); c = H * sqrt(ln(alpha**(-2))) / sqrt(n)",
             "The paper calls a model right if T < c, its eq. 5; here H = 1. The model says 0 or 1 and is always wrong, but k = l = 1 sees the mean error only, which is 0: KLCE = 0, and that is the hypothesis."),
        Step("P(delta_1 == delta_2)",
             "With n = 2 eq. 4 is T = δ_1 δ_2, which is 1 or −1, and c is below 1."),
        Step("alpha",
             "The test rejects half of the time.", relation="<=", printed="the level that Corollary 3.7 promises (errata K25)"),
        Step("exp(-floor(n/2) * c**2 / (2*H**2))",
             "What Hoeffding's inequality gives for this c: two rows make one pair.", relation="<="),
        Step("sqrt(alpha)",
             "Put c in: half of the exponent is missing. For even n the limit for level α is √2 c."),
    ),
)  # fmt: skip
