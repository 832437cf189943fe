"""Derivations of notebook 05, first part: the kernel local calibration error and what it is the norm of."""

from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.special import expit

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import klce_atoms as kit
from ..shared.kce_atoms import table
from ..shared.letters import local
from .derivations_of_tests import *  # noqa: F403  the notebook finds all its derivations here


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


local_norm = Derivation(
    title="KLCE² is a squared norm and a mean over pairs",
    claim="The squared norm of μ = E[(r − p) φ(p) ⊗ ψ(x)] is a mean over two independent rows: eq. 3 of the paper.",
    world=kit.local_world,
    letters=local,
    write=1,
    slips=(
        ("E(k(p, p') * l(x, x') * (r - p)**2)",
         "the second row is lost: its gap is r' − p'"),
        ("E(k(p, p) * l(x, x) * (r - p) * (r' - p'))",
         "the kernels compare the two rows: k(p, p') and l(x, x')"),
        ("E(k(p, p) * l(x, x) * (r - p)**2)",
         "that is the mean of the squared norm; asked is the squared norm of the mean"),
    ),
    steps=(
        Step("norm2(mu); mu = E((r - p) * outer(phi(p), psi(x)))",
             "r = P(Y = 1 | p, x). φ and ψ are the features of k and l; μ is a matrix, and its norm the root of its summed squares."),
        Step("E(k(p, p') * l(x, x') * (r - p) * (r' - p'))",
             "A squared mean is the mean over two independent rows, and ⟨φ ⊗ ψ, φ' ⊗ ψ'⟩ = ⟨φ, φ'⟩⟨ψ, ψ'⟩ = k l."),
        Step("E(k(p, p') * l(x, x') * (r_p - p) * (r_p' - p'))",
             "r_p = P(Y = 1 | p) mixes all features with that prediction: local errors cancel before they are seen.", printed="a mix-up: the frequencies that calibration is about"),
        Step("E(h(Z, Z')) = E(k(p, p') * l(x, x') * (p - Y) * (p' - Y'))",
             "Tower rule: given (p, x) the label averages to r, and the two rows are independent. Both signs turn, so the product does not."),
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


def _task(rng, make=kit.local_world):
    """A world, and a trait I(x) whose mean among the positives is asked for."""
    world = make(rng)
    return {"world": world, "I": world.given(rng.normal(45, 15, len(world.w)), world.x)}


def _traits(w):
    letters = local(w["world"])
    letters.draws["o"][1]["I"] = np.repeat(w["I"], 2)
    return letters


inference_bias = Derivation(
    title="The bias of an inference",
    claim="Σ I p/Σ p in place of E[I(X) | Y = 1] errs by one moment of the local error.",
    world=_task,
    letters=_traits,
    start=1,
    write=1,
    slips=(
        ("E(I*p)/E(p) - E(I*Y)/E(p)",
         "a mean among the positives is divided by their share"),
        ("E(I*p)/E(p) - E(I*Y)",
         "E[I Y] is no mean among the positives yet: it counts the others as 0"),
        ("E(I*p)/E(p) - E(I*p)/E(Y)",
         "the mean that was asked for is over labels, and p is none"),
        ("E(I*p)/E(p) - E(I)",
         "asked is for the mean of I among the positives"),
    ),
    steps=(
        Step("E(I*p) / E(p) - A; A = E(I, given=Y == 1)",
             "What Σ_i I(x_i) p_i/Σ_i p_i tends to, less what was asked for. p is the prediction; I(X) a trait, such as an age in years."),
        Step("E(I*p) / E(p) - E(I*Y) / E(Y)",
             "Y is 0 or 1, so a mean among the positives is a mean weighted by Y."),
        Step("1/E(p) * (E(I * (p - Y)) - A * E(p - Y))",
             "One fraction: E[I Y] is A · E Y."),
        Step("1/E(p) * Cov(I, p - r)",
             "A covariance has E I where A belongs: the two agree when E p = E Y.", printed="true for a model that is right on average; this one is not"),
        Step("1/E(p) * E((I - A) * (p - r))",
             "Tower rule: I is a function of x, so Y may be averaged given (p, x), to r = P(Y = 1 | p, x). What is left is the local error."),
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


def _models_of_groups(rng):
    """Two predictions times four features, in two groups of two; columns of `e` are p − r(p, x) of three models."""
    p, x = np.repeat([0.35, 0.65], 4), np.tile(np.arange(4.0), 2)
    world, e, group = kit.LocalWorld.of(rng.dirichlet(3 * np.ones(8)), p, x, p), rng.uniform(-0.15, 0.15, 8), x // 2
    errors = np.column_stack([e - world.given(e, p), e - world.given(e, p, group), np.zeros(8)])
    return {"mass": world.w, "p": p, "g": group, "x": x, "e": errors}


def _three(w):
    """The errors e_m of three models."""
    drawn = {name: values for name, values in w.items() if name != "mass"}
    return Letters({"o": (w["mass"], drawn)}, {"m": along("model", range(3))})


three_notions = Derivation(
    title="Calibrated, multicalibrated, locally calibrated",
    claim="Three models and three ways to look at their errors: given p, given p and a group, given p and x.",
    world=_models_of_groups,
    describe=lambda w: f"calibrated (wrong somewhere by {np.abs(w['e'][:, 0]).max():.3f}); calibrated in both groups; locally calibrated",
    letters=_three,
    steps=(
        Step("E(E(e[m], given=p)**2)",
             "Calibration: e_m = p − r(p, x) is model m's local error, and its mean given p is p − r(p). Three models, three numbers: all of them are calibrated."),
        Step("E(E(E(e[m], given=(p, g)), given=p)**2)",
             "Tower rule: what happens at p is the mean over the groups g of what happens there."),
        Step("E(E(e[m], given=(p, g))**2)",
             "Model 0 is wrong in both groups, in opposite directions.", printed="a common belief: calibrated, hence calibrated for each group"),
        Step("E(E(e[m], given=(p, g))**2)",
             "Jensen: the square of a mean is at most the mean of the squares. 0 here is calibration in each group, or multicalibration for these groups.", relation="<="),
        Step("E(E(E(e[m], given=(p, x)), given=(p, g))**2)",
             "Tower rule again: g is a function of x."),
        Step("E(E(e[m], given=(p, x))**2)",
             "Model 1 is right in each group, and wrong inside them.", printed="a hope: calibrated for some groups, hence for everyone in them"),
        Step("E(E(e[m], given=(p, x))**2)",
             "Jensen. 0 is local calibration: only model 2 has it. Groups that are single features x would make both notions one.", relation="<="),
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
