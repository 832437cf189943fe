"""Derivations of the lesson many_features."""

from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.special import expit

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import klce_atoms as kit
from ..shared.letters import local
from ..shared.local_letters import _task, _traits


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
        Step("norm2(E((r_p - p) * phi(p)))",
             "KCE², with r_p = P(Y = 1 | p). The model is overconfident, and the KCE says so.", printed="Vashistha & Farahi, §3.1: “if we set h(.) = 1, we get the calibration error” (errata K21)"),
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
    """Largest E(r − p) h(p) g(x) for h = Σ_b α_b k(·, p_b), g = Σ_a β_a l(·, x_a), ‖h‖ = ‖g‖ = 1.

    The payoff is α'Aβ and the squared norms α'Kα, β'Lβ: the largest generalised eigenvalue of two block matrices.
    """
    K, L = kit.k_of(w.p[::3]), kit.l_of(w.x[:3])
    A, zero = K @ w.gap.reshape(3, 3) @ L, np.zeros((3, 3))
    return eigh(np.block([[zero, A], [A.T, zero]]), block_diag(K, L), eigvals_only=True)[-1]


def _singular_values(w):
    """Beside the letters of the world the singular values sigma[m] of μ."""
    return replace(local(w, sigma=np.linalg.svd(w.mu, compute_uv=False)), sets={"modes": 3})


operator_norm = Derivation(
    title="One function of p times one of x",
    claim="LCE is a supremum over products h(p) g(x), KLCE a norm of the matrix μ: how far the two are apart.",
    world=_three_places,
    letters=_singular_values,
    start=1,
    steps=(
        Step(r"\mathrm{LCE} = \sup_{\|h\| \leq 1,\, \|g\| \leq 1}\ \mathbb{E}\,(r - p)\,h(p)\,g(x)", "Definition 3.1, by search over all h = Σ_b α_b k(·, p_b) and g = Σ_a β_a l(·, x_a). Three predictions, three features, wrong in three of nine places.", _bilinear_supremum),
        Step("LCE = norm_op(mu); mu = E((r - p) * outer(phi(p), psi(x)))",
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
        Step(r"\mathrm{KLCE} = \sup_{\|m\| \leq 1}\ \mathbb{E}\,(r - p)\,m(p, x)", "By search: the largest payoff for its norm among all m = Σ_a β_a k(·, p_a) l(·, x_a).", _searched),
        Step("E((r - p) * m(p, x)); m(q, t) = E((r - p) * k(p, q) * l(x, t))",
             "m(q, t) = E[(r − p) k(p, q) l(x, t)], μ as a function, points the right way, but it is not in the unit ball: this is ‖μ‖².", printed="the maximiser in Prop. A.9, as printed (errata K29)"),
        Step("E((r - p) * (m(p, x) / norm(mu))); m(q, t) = E((r - p) * k(p, q) * l(x, t)); mu = E((r - p) * outer(phi(p), psi(x)))",
             "Divided by its length it is, and it attains the supremum."),
        Step("E((r - p) * (LCB(p, x) * M(p, x) / norm(mu))); LCB(q, t) = E(k(p, q) * l(x, t) * (Y - p)) / M(q, t); M(q, t) = E(k(p, q) * l(x, t))",
             "LCB (eq. 7) is a weighted mean of Y − p. Its numerator is μ, its denominator the mass M of the kernel there."),
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
    world=lambda rng: _task(rng, _right_on_average_at_each_x),
    describe=lambda w: f"ages {', '.join(f'{age:.0f}' for age in w['I'][::2])}",
    letters=_traits,
    steps=(
        Step("E(I*p) / E(p) - A; A = E(I, given=Y == 1)",
             "A model that adds noise to the truth: at each x it says too much or too little, by chance, and is right on average."),
        Step("1/E(p) * E((I - A) * (p - r))",
             "“The bias of an inference”, section 2: the local error p − r(p, x), weighted with the trait."),
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
