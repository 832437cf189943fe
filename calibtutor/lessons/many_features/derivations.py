"""Proofs of further 02: what KLCE is the norm of, what is estimated and printed, and how its null distributions lie."""

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.special import expit

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import klce_atoms as kit
from ..shared.letters import local, table, task, traits


def _right_on_average_everywhere(rng):
    """Predictions m ± s by a coin that knows nothing, and x beside them; Y is 1 with probability m(x)."""
    x, m, s = kit.apart(rng, 3, 0, 2), rng.uniform(0.3, 0.7, 3), rng.uniform(0.1, 0.28)
    place = np.repeat(rng.dirichlet(3 * np.ones(3)), 2) / 2
    return kit.LocalWorld.of(place, np.repeat(m, 2) + np.tile([-s, s], 3), np.repeat(x, 2), np.repeat(m, 2))


without_k = Derivation(
    title="KLCE with k ≡ 1",
    claim="How much of an error is left when predictions are not compared, for a model that adds a coin's noise to the truth.",
    world=_right_on_average_everywhere,
    describe=lambda w: f"first prediction {w.base.predictions[0, 1]:.2f}",
    letters=local,
    steps=(
        Step("E(l(x, x') * delta * delta')",
             "KLCE² with k = 1, for a model that adds a coin's noise: it says m(x) + s or m(x) − s, where the truth is m(x). δ = p − Y."),
        Step("E(l(x, x') * E(delta, given=x) * E(delta', given=x'))",
             "l sees x alone, so residuals are averaged over everything else first."),
        Step("norm2(E((p - r_p) * phi(p)))",
             "KCE², with r_p = P(Y = 1 | p). The model is over-confident, and the KCE says so.", printed="Vashistha & Farahi, §3.1: “if we set h(.) = 1, we get the calibration error” (errata K21)"),
        Step("0",
             "At each x the two errors +s and −s are equally likely."),
    ),
)  # fmt: skip


def _three_places(rng):
    """Three predictions times three features, all right but for one feature at each prediction, where p is off by ½."""
    w = kit.grid_world(rng)
    wrong = np.arange(9) % 4 == 0
    return kit.LocalWorld.of(w.w, w.p, w.x, np.where(wrong, (w.p + 0.5) % 1, w.p))


def _bilinear_supremum(w):
    """Largest E(p − r) h(p) g(x) for h = Σ_b α_b k(·, p_b), g = Σ_a β_a l(·, x_a), ‖h‖ = ‖g‖ = 1.

    The payoff is α'Aβ and the squared norms α'Kα, β'Lβ: the largest generalised eigenvalue of two block matrices.
    """
    K, L = kit.k_of(w.p[::3]), kit.l_of(w.x[:3])
    A, zero = K @ w.gap.reshape(3, 3) @ L, np.zeros((3, 3))
    return eigh(np.block([[zero, A], [A.T, zero]]), block_diag(K, L), eigvals_only=True)[-1]


operator_norm = Derivation(
    title="One function of p times one of x",
    claim="LCE is a supremum over products h(p) g(x), KLCE a norm of the matrix μ: how far the two are apart.",
    world=_three_places,
    letters=lambda w: replace(local(w, sigma=np.linalg.svd(w.mu, compute_uv=False)), sets={"modes": 3}),
    start=1,
    steps=(
        Step(r"\mathrm{LCE} = \sup_{\|h\| \leq 1,\, \|g\| \leq 1}\ \mathbb{E}\,(p - r)\,h(p)\,g(x)", "Definition 3.1, by search over all h = Σ_b α_b k(·, p_b) and g = Σ_a β_a l(·, x_a). Three predictions, three features, wrong in three of nine places.", _bilinear_supremum),
        Step("LCE = norm_op(mu); mu = E((p - r) * outer(phi(p), psi(x)))",
             "The payoff is hᵀμg. Between two unit balls it is largest at the first pair of singular vectors: the operator norm."),
        Step("KLCE = norm_HS(mu)",
             "HS: the root of the summed squares. Products h ⊗ g are not the whole unit ball of the product space: sums of products are in it too.", printed="Def. 3.3 and Thm 3.4, which set the two equal (errata K22)"),
        Step("KLCE = sqrt(sum(sigma[m]**2 for m in modes))",
             "The root of the sum of all squared singular values, of which LCE is the first: KLCE ≥ LCE, equal only if one product explains the whole error.", relation="<="),
        Step("sqrt(E(k(p, p') * l(x, x') * delta * delta'))",
             "Eq. 3: easy to estimate, which the supremum over products is not."),
        Step("sqrt(3) * LCE",
             "LCE is the operator norm. A matrix with three rows has at most three singular values, none above the first. So KLCE is 0 where LCE is, and misses nothing that LCE sees.", relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _searched(w):
    """Root of the largest payoff²/‖m‖² over all m = Σ_a β_a k(·, p_a) l(·, x_a): (β'Kg)²/β'Kβ, g the weighted gaps."""
    K = kit.k_of(w.p) * kit.l_of(w.x)
    return np.sqrt(eigh(np.outer(K @ w.gap, K @ w.gap), K, eigvals_only=True)[-1])


witness = Derivation(
    title="The witness, and the local calibration bias",
    claim="Which function attains the supremum over the unit ball, and what LCB has to do with it.",
    world=kit.grid_world,
    letters=local,
    steps=(
        Step(r"\mathrm{KLCE} = \sup_{\|m\| \leq 1}\ \mathbb{E}\,(p - r)\,m(p, x)", "By search: the largest payoff for its norm among all m = Σ_a β_a k(·, p_a) l(·, x_a).", _searched),
        Step("E((p - r) * m(p, x)); m(q, t) = E((p - r) * k(p, q) * l(x, t))",
             "m(q, t) = E[(p − r) k(p, q) l(x, t)], μ as a function, points the right way, but it is not in the unit ball: this is ‖μ‖².", printed="the maximiser in Prop. A.9, as printed (errata K29)"),
        Step("E((p - r) * (m(p, x) / norm(mu))); m(q, t) = E((p - r) * k(p, q) * l(x, t)); mu = E((p - r) * outer(phi(p), psi(x)))",
             "Divided by its length it is, and it attains the supremum."),
        Step("E((p - r) * (-LCB(p, x) * M(p, x) / norm(mu))); LCB(q, t) = E(k(p, q) * l(x, t) * (Y - p)) / M(q, t); M(q, t) = E(k(p, q) * l(x, t))",
             "The paper's LCB (eq. 7) is a weighted mean of Y − p, so −LCB is the local miss. Its numerator is μ, its denominator the mass M of the kernel there."),
        Step("sqrt(E(k(p, p') * l(x, x') * delta * delta'))",
             "‖μ‖, as a mean over pairs."),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _eight_rows(rng):
    w = kit.local_world(rng)
    kind = rng.choice(6, 8, p=w.w)
    y = (rng.random(8) < w.q[kind]).astype(int)
    return {"y": y, "p": w.p[kind], "x": w.x[kind], "K": kit.k_of(w.p[kind]) * kit.l_of(w.x[kind])}


def _local_constants(w):
    """For each query the b that makes Σ_i w_i (y_i − p_i − b)² smallest, by least squares."""
    roots = np.sqrt(w["K"])
    return np.array([np.linalg.lstsq(root[:, None], root * (w["y"] - w["p"]), rcond=None)[0][0] for root in roots])


def _queries(w):
    """Eight rows; each is a query (p', x') too."""
    known = {"n": 8, "p": w["p"], "x": w["x"], "y": w["y"], "k": kit.prob_kernel, "l": kit.feature_kernel}
    return Letters(known=known | {"pʹ": along("query", w["p"]), "xʹ": along("query", w["x"])}, sets={"rows": 8})


local_mean = Derivation(
    title="LCB as a local fit",
    claim="The estimate of eq. 7 solves a small regression problem near each query (p', x').",
    world=_eight_rows,
    letters=_queries,
    steps=(
        Step("LCB(p', x') = sum(w[i] * (y[i] - p[i]) for i in rows) / sum(w[i] for i in rows); w[i] = k(p[i], p') * l(x[i], x')",
             "Eq. 7 at each of n = 8 rows: this is local_calibration_bias(y_true, y_prob, features).bias."),
        Step("1/n * sum(w[i] * (y[i] - p[i]) for i in rows)",
             "The witness mixes two things: how wrong the model is, and how many rows are near.", printed="the first display of Prop. 3.8, which is called LCB too"),
        Step("mu_hat / M_hat; mu_hat = 1/n * sum(w[i] * (y[i] - p[i]) for i in rows); M_hat = 1/n * sum(w[i] for i in rows)",
             "Witness over mass, each with its 1/n: the mass cancels how many rows are near."),
        Step(r"\mathrm{argmin}_b\ \sum_i w_i\,(y_i - p_i - b)^2", "Weighted least squares with a constant (a Nadaraya–Watson regression): near a query, one number stands for all of y − p.", _local_constants),
    ),
)  # fmt: skip


def _three_models(rng):
    """Fixed p and x, and a difference d of frequency functions."""
    w, d = kit.grid_world(rng), rng.uniform(-0.2, 0.2, 9)
    return {"world": w, "d": d}


def _in_a_row(w):
    world, r = w["world"], w["world"].r
    drawn = {"p": world.p, "x": world.x, "r_0": r, "r_1": r + w["d"], "r_2": r + 2 * w["d"]}
    return Letters({"o": (world.w, drawn)}, {"k": kit.prob_kernel, "l": kit.feature_kernel})


squared_no_metric = Derivation(
    title="KLCE² and the triangle inequality",
    claim="Three models in a row, and how far the last is from the first.",
    world=_three_models,
    letters=_in_a_row,
    steps=(
        Step("D_02 = E(k(p, p') * l(x, x') * (r_2 - r_0) * (r_2' - r_0'))",
             "KLCE² of r_2 if r_0 is the truth. Three frequency functions in a row: r_1 = r_0 + d and r_2 = r_0 + 2d; p, x and with them both kernels stay."),
        Step("4 * D_01; D_01 = E(k(p, p') * l(x, x') * (r_1 - r_0) * (r_1' - r_0'))",
             "A squared norm: twice the error counts four times."),
        Step("D_01 + D_12; D_12 = E(k(p, p') * l(x, x') * (r_2 - r_1) * (r_2' - r_1'))",
             "Two steps of the same length give 1 + 1, not 4.", relation="<=", printed="Corollary 3.5: “The squared KLCE … is a metric” (errata K27)"),
        Step("(sqrt(D_01) + sqrt(D_12))**2; D_12 = E(k(p, p') * l(x, x') * (r_2 - r_1) * (r_2' - r_1'))",
             "Without the squares the triangle inequality holds: a norm.", relation="<="),
    ),
)  # fmt: skip


def _right_on_average_at_each_x(rng):
    """Three features; at each the model says m + s or m − s by chance, and the truth is m either way."""
    chance = rng.uniform(0.3, 0.7, 3)
    m, s, x = rng.uniform(0.3, 0.7, 3), rng.uniform(0.05, 0.1, 3), kit.apart(rng, 3, 0, 2)
    weights = (rng.dirichlet(3 * np.ones(3))[:, None] * np.column_stack([chance, 1 - chance])).ravel()
    # Deviations whose mean given x is 0, also when the two are not equally likely.
    said = m[:, None] + s[:, None] * np.column_stack([1 / chance, -1 / (1 - chance)]) / 2
    return kit.LocalWorld.of(weights, said.ravel(), np.repeat(x, 2), np.repeat(m, 2))


sufficient_not_necessary = Derivation(
    title="An inference from a noisy model",
    claim="The bias of Σ I p/Σ p for a model that adds noise to the truth, for every trait I(X).",
    world=lambda rng: task(rng, _right_on_average_at_each_x),
    describe=lambda w: f"ages {', '.join(f'{age:.0f}' for age in w['I'][::2])}",
    letters=traits,
    steps=(
        Step("E(I*p) / E(p) - A; A = E(I, given=Y == 1)",
             "A model that adds noise to the truth: at each x it says too much or too little, by chance, and is right on average."),
        Step("1/E(p) * E((I - A) * (p - r))",
             "“The bias of an inference” (notebook 09, section 2): the local error p − r(p, x), weighted with the trait."),
        Step("1/E(p) * E((I - A) * E(p - Y, given=x))",
             "Tower rule once more: I is a function of x alone, so p is averaged out too."),
        Step("E((p - r)**2)",
             "Its local error is not 0. Yet nothing is biased.", printed="§2.1: “without a locally calibrated classifier, achieving unbiased estimation is infeasible” (errata K32)"),
        Step("0",
             "E[p − Y | X] = 0 at each x. Such models are called multiaccurate; KLCE with k ≡ 1 asks for this, and for no more."),
    ),
)  # fmt: skip


def _sum_and_coin(rng):
    """Three sums s > 0 of the features that the model saw, and one feature ± c by a fair coin that it did not see."""
    s, c = kit.apart(rng, 3, 0.2, 3), rng.uniform(0.8, 2)
    seen, hidden = np.repeat(s, 2), np.tile([-c, c], 3)
    return {"s": s, "c": c, "world": kit.LocalWorld.of(np.full(6, 1 / 6), expit(seen), hidden, expit(seen + hidden))}


hidden_feature = Derivation(
    title="A feature left out",
    claim="What happens where a model says σ(s), if it does not see the last feature.",
    world=_sum_and_coin,
    describe=lambda w: "s = " + ", ".join(f"{s:.2f}" for s in w["s"]) + f"; c = {w['c']:.2f}",
    letters=lambda w: local(w["world"], s=along("place", w["s"]), c=w["c"], sigma=expit),
    write=1,
    slips=(
        ("sigma(s + c) + sigma(s - c)",
         "each of the two values has the chance ½"),
        ("sigma(1/2 * (s + c) + 1/2 * (s - c))",
         "the mean is taken of σ, not inside σ"),
        ("sigma(s + c)",
         "the other value of x_d, −c, is as likely"),
    ),
    steps=(
        Step("P(Y == 1, given=p == sigma(s))",
             "P(Y = 1 | p) at p = σ(s): the model of Figure 3 for three values s > 0 of x_1 + … + x_{d−1}. Truth: σ(s + x_d); here x_d is ± c by a coin instead of N(0, 1)."),
        Step("1/2 * (sigma(s + c) + sigma(s - c))",
             "The mean over the two values of x_d, which is independent of s."),
        Step("sigma(s)",
             "The mean of a sigmoid is not the sigmoid of the mean.", printed="§4: “calibrated on {x_1, …, x_{d−1}}” (errata K24)"),
        Step("1/2 + 1/2 * sinh(s) / (cosh(s) + cosh(c))",
             "σ(u) = ½ + ½ tanh(u/2), and the sum of two tanh."),
        Step("sigma(s)",
             "cosh c ≥ 1, and with 1 in its place this is σ(s). Where the model says more than ½ it says too much: the error is not in x_d alone.", relation="<="),
    ),
)  # fmt: skip


def _three_kinds(rng):
    """Three kinds with different (p, x): 216 data sets of three rows."""
    p, x = kit.apart(rng, 3, 0, 1), kit.apart(rng, 3, 0, 2)
    w = kit.LocalWorld.of(rng.dirichlet(3 * np.ones(3)), p, x, (p + rng.uniform(0.3, 0.7, 3)) % 1)
    return kit.data_sets(w, 3)


def _sets(w):
    """All data sets of three rows with h_ij and K_ij = k_ij l_ij, beside the draw of one row."""
    one, kernel = local(w["world"], n=w["n"]), kit.k_of(w["world"].p) * kit.l_of(w["world"].x)
    sets = {"h_data": table(w["world"].atoms()[1], w["rows"]), "K_data": table(kernel, w["kinds"])}
    return replace(one, draws=one.draws | {"D": (w["mass"], sets)}, sets={"rows": w["n"]})


unbiased = Derivation(
    title="What eq. 4 averages to",
    claim="The mean over all data sets of the estimator of eq. 4, and of what the authors' library prints.",
    world=_three_kinds,
    letters=_sets,
    steps=(
        Step("E(1/(n*(n - 1)) * sum(h_data[i, j] for i in rows for j in rows if i != j))",
             "Eq. 4, n = 3 rows of three kinds: each of the 216 data sets times its probability."),
        Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i != j)",
             "The mean of a sum is the sum of the means."),
        Step("E(sum(h_data[i, j] for i in rows for j in rows if i != j) / ((n - 1)/n * sum(K_data[i, j] for i in rows for j in rows)))",
             "The library divides by the kernel's own size, which depends on the data and on the bandwidth. K_ij = k_ij l_ij.", printed="the values printed as KLCE² in the tables (errata K1)"),
        Step("E(h(Z, Z'))",
             "For i ≠ j the rows are independent copies of Z = (p, x, Y)."),
        Step("E(printed * mean(K_data[i, j] for i in rows for j in rows)); printed = sum(h_data[i, j] for i in rows for j in rows if i != j) / ((n - 1)/n * sum(K_data[i, j] for i in rows for j in rows))",
             "What is printed, times the mean of all n² kernel values, is eq. 4: the kernel's size must be reported too."),
    ),
)  # fmt: skip


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
