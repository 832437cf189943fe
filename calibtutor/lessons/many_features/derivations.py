"""Proofs of further 02: what KLCE is the norm of, what is estimated, where a null distribution lies, two bounds."""

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.linalg import block_diag, eigh

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import klce_atoms as kit
from ..shared.letters import features, local, table, task, traits


def _grid_world(rng):
    """Three predictions times three features, every pair once."""
    p, x = np.repeat(kit.apart(rng, 3, 0, 1), 3), np.tile(kit.apart(rng, 3, 0, 2), 3)
    return kit.LocalWorld(rng.dirichlet(3 * np.ones(9)), p, x, rng.uniform(0.05, 0.95, 9))


def _three_places(rng):
    """Three predictions times three features, all right but for one feature at each prediction, where p is off by ½."""
    w = _grid_world(rng)
    wrong = np.arange(9) % 4 == 0
    return kit.LocalWorld(w.w, w.p, w.x, np.where(wrong, (w.p + 0.5) % 1, w.p))


def _bilinear_supremum(w):
    """Largest E(p − r) h(p) g(x) for h = Σ_b α_b k(·, p_b), g = Σ_a β_a l(·, x_a), ‖h‖ = ‖g‖ = 1.

    The payoff is α'Aβ and the squared norms α'Kα, β'Lβ: the largest generalised eigenvalue of two block matrices.
    """
    K, L = kit.k_of(w.p[::3]), kit.l_of(w.x[:3])
    A, zero = K @ w.gap.reshape(3, 3) @ L, np.zeros((3, 3))
    return eigh(np.block([[zero, A], [A.T, zero]]), block_diag(K, L), eigvals_only=True)[-1]


operator_norm = Derivation("One function of p times one of x",
    "LCE is a supremum over products h(p) g(x), KLCE a norm of the matrix μ: how far the two are apart.",
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
    world=_three_places,
    letters=lambda w: replace(local(w, sigma=np.linalg.svd(
        features(kit.prob_kernel, w.p)(w.p).T * w.gap @ features(kit.feature_kernel, w.x)(w.x), compute_uv=False)),
        sets={"modes": 3}), start=1, tolerance=1e-10)


def _searched(w):
    """Root of the largest payoff²/‖m‖² over all m = Σ_a β_a k(·, p_a) l(·, x_a): (β'Kg)²/β'Kβ, g the weighted gaps."""
    K = kit.k_of(w.p) * kit.l_of(w.x)
    return np.sqrt(eigh(np.outer(K @ w.gap, K @ w.gap), K, eigvals_only=True)[-1])


witness = Derivation("The witness, and the local calibration bias",
    "Which function attains the supremum over the unit ball, and what LCB has to do with it.",
    Step(r"\mathrm{KLCE} = \sup_{\|m\| \leq 1}\ \mathbb{E}\,(p - r)\,m(p, x)", "By search: the largest payoff for its norm among all m = Σ_a β_a k(·, p_a) l(·, x_a).", _searched),
    Step("E((p - r) * m(p, x)); m(q, t) = E((p - r) * k(p, q) * l(x, t))",
         "m(q, t) = E[(p − r) k(p, q) l(x, t)], μ as a function, points the right way, but it is not in the unit ball: this is ‖μ‖².", printed="the maximiser in Prop. A.9, as printed (errata K29)"),
    Step("E((p - r) * (m(p, x) / norm(mu))); m(q, t) = E((p - r) * k(p, q) * l(x, t)); mu = E((p - r) * outer(phi(p), psi(x)))",
         "Divided by its length it is, and it attains the supremum."),
    Step("E((p - r) * (-LCB(p, x) * M(p, x) / norm(mu))); LCB(q, t) = E(k(p, q) * l(x, t) * (Y - p)) / M(q, t); M(q, t) = E(k(p, q) * l(x, t))",
         "The paper's LCB (eq. 7) is a weighted mean of Y − p, so −LCB is the local miss. Its numerator is μ, its denominator the mass M of the kernel there."),
    Step("sqrt(E(k(p, p') * l(x, x') * delta * delta'))", "‖μ‖, as a mean over pairs."),
    world=_grid_world, letters=local, tolerance=1e-9)


def _right_on_average_at_each_x(rng):
    """Three features; at each the model says m + s or m − s by chance, and the truth is m either way."""
    chance = rng.uniform(0.3, 0.7, 3)
    m, s, x = rng.uniform(0.3, 0.7, 3), rng.uniform(0.05, 0.1, 3), kit.apart(rng, 3, 0, 2)
    weights = (rng.dirichlet(3 * np.ones(3))[:, None] * np.column_stack([chance, 1 - chance])).ravel()
    # Deviations whose mean given x is 0, also when the two are not equally likely.
    said = m[:, None] + s[:, None] * np.column_stack([1 / chance, -1 / (1 - chance)]) / 2
    return kit.LocalWorld(weights, said.ravel(), np.repeat(x, 2), np.repeat(m, 2))


sufficient_not_necessary = Derivation("An inference from a noisy model",
    "The bias of Σ I p/Σ p for a model that adds noise to the truth, for every trait I(X).",
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
    world=lambda rng: task(rng, _right_on_average_at_each_x), letters=traits,
    describe=lambda w: f"ages {', '.join(f'{age:.0f}' for age in w['I'][::2])}")


def _three_kinds(rng):
    """Three kinds with different (p, x)."""
    p, x = kit.apart(rng, 3, 0, 1), kit.apart(rng, 3, 0, 2)
    return kit.LocalWorld(rng.dirichlet(3 * np.ones(3)), p, x, (p + rng.uniform(0.3, 0.7, 3)) % 1)


def _sets(w):
    """All 216 data sets of three rows with h_ij and K_ij = k_ij l_ij, beside the draw of one row."""
    mass, kinds, labels = w.base.samples(3)
    sets = {"h_data": table(w.atoms()[1], 2 * kinds + labels), "K_data": table(kit.k_of(w.p) * kit.l_of(w.x), kinds)}
    one = local(w, n=3)
    return replace(one, draws=one.draws | {"D": (mass, sets)}, sets={"rows": 3})


unbiased = Derivation("What eq. 4 averages to",
    "The mean over all data sets of the estimator of eq. 4, and of what the authors' library prints.",
    Step("E(1/(n*(n - 1)) * sum(h_data[i, j] for i in rows for j in rows if i != j))",
         "Eq. 4, n = 3 rows of three kinds: each of the 216 data sets times its probability."),
    Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i != j)",
         "The mean of a sum is the sum of the means."),
    Step("E(sum(h_data[i, j] for i in rows for j in rows if i != j) / ((n - 1)/n * sum(K_data[i, j] for i in rows for j in rows)))",
         "The library divides by the kernel's own size, which depends on the data and on the bandwidth. K_ij = k_ij l_ij.", printed="the values printed as KLCE² in the tables (errata K1)"),
    Step("E(h(Z, Z'))", "For i ≠ j the rows are independent copies of Z = (p, x, Y)."),
    Step("E(printed * mean(K_data[i, j] for i in rows for j in rows)); printed = sum(h_data[i, j] for i in rows for j in rows if i != j) / ((n - 1)/n * sum(K_data[i, j] for i in rows for j in rows))",
         "What is printed, times the mean of all n² kernel values, is eq. 4: the kernel's size must be reported too."),
    world=_three_kinds, letters=_sets)


def _redrawn_residuals(rng):
    """K and residuals of four rows; the rows r_i of each draw with replacement."""
    p, x = kit.apart(rng, 4, 0, 1), kit.apart(rng, 4, 0, 2)
    drawn = np.array(list(product(range(4), repeat=4)))
    known = {"n": 4, "K": kit.k_of(p) * kit.l_of(x), "delta": p - (rng.random(4) < p)}
    return Letters({"d": (np.full(256, 1 / 256), {"r": drawn})}, known, {"rows": 4})


algorithm_one = Derivation("The centre of Algorithm 1",
    "The mean of eq. 4 over all ways to redraw the residuals of one data set.",
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
    world=_redrawn_residuals, letters=lambda w: w, start=1)


def _two_rows(alpha):
    """δ = ±1 by a fair coin in each of two rows: p is 0 or 1, and Y = 1 − p."""
    delta = np.array(list(product([-1.0, 1.0], repeat=2)))
    drawn = {"T": delta.prod(axis=1), "delta_1": delta[:, 0], "delta_2": delta[:, 1]}
    return Letters({"D": (np.full(4, 1 / 4), drawn)}, {"n": 2, "H": 1, "alpha": alpha})


printed_bound = Derivation("The acceptance region of Corollary 3.7, with the constant of Theorem 3.6",
    "Which level its limit guarantees: two rows, and a model that is always wrong.",
    Step("P(T >= c); c = H * sqrt(ln(alpha**(-2))) / sqrt(n)",
         "The paper calls a model right if T < c, its eq. 5; H stands for the constant of Theorem 3.6, here 1 (the corollary's own is larger: errata K25). The model says 0 or 1 and is always wrong, but k = l = 1 sees the mean error only, which is 0: KLCE = 0, and that is the hypothesis."),
    Step("P(delta_1 == delta_2)", "With n = 2 eq. 4 is T = δ_1 δ_2, which is 1 or −1, and c is below 1."),
    Step("alpha",
         "The test rejects half of the time.", relation="<=", printed="the level that is promised (errata K34)"),
    Step("exp(-floor(n/2) * c**2 / (2*H**2))",
         "What Hoeffding's inequality gives for this c: two rows make one pair.", relation="<="),
    Step("sqrt(alpha)", "Put c in: half of the exponent is missing. For even n the limit for level α is √2 c."),
    world=lambda rng: rng.uniform(0.38, 0.49), letters=_two_rows,
    describe=lambda alpha: f"n = 2, k = l = 1, α = {alpha:.3f}", start=1)
