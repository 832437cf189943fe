"""Derivations of notebook 05, first part: the kernel local calibration error and what it is the norm of."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.special import expit

from ...klce import local_calibration_bias
from ...teach.derive import Derivation, Step
from ..shared import klce_atoms as kit
from ..shared.kce_atoms import coordinates, estimate_uq, table
from .derivations_of_tests import *  # noqa: F403  the notebook finds all its derivations here


def _one(values):
    """The kernel that is 1 everywhere: it does not look."""
    return np.ones((len(values), len(values)))


def _pairs(w, prob_kernel=kit.k_of, feature_kernel=kit.l_of):
    """E h(Z, Z') with other kernels."""
    mass, h = w.atoms(prob_kernel, feature_kernel)
    return mass @ h @ mass


def _kce_in_coordinates(w):
    """‖E[φ(p)(r(p) − p)]‖²."""
    gap = w.w * (w.base.frequencies[:, 1] - w.p)
    return ((coordinates(kit.k_of(w.p)).T @ gap) ** 2).sum()


def _right_on_average_everywhere(rng):
    """Predictions m ± s by a coin that knows nothing, and x beside them; Y is 1 with probability m(x)."""
    x, m, s = kit.apart(rng, 3, 0, 2), rng.uniform(0.3, 0.7, 3), rng.uniform(0.1, 0.28)
    place = np.repeat(rng.dirichlet(3 * np.ones(3)), 2) / 2
    return kit.LocalWorld.of(place, np.repeat(m, 2) + np.tile([-s, s], 3), np.repeat(x, 2), np.repeat(m, 2))


def _features_only(w):
    """E l(x, x') E[δ | x] E[δ' | x']."""
    mean = w.w * w.given(w.p - w.q, w.x)
    return mean @ kit.l_of(w.x) @ mean


without_k = Derivation(
    title="KLCE with k ≡ 1",
    claim="How much of an error is left when predictions are not compared, for a model that adds a coin's noise to the truth.",
    world=_right_on_average_everywhere,
    describe=lambda w: f"first prediction {w.base.predictions[0, 1]:.2f}",
    steps=(
        Step(r"\mathrm{KLCE}^2\ \mathrm{with}\ k \equiv 1", "A model that adds a coin's noise: it says m(x) + s or m(x) − s, where the truth is m(x).",
             lambda w: _pairs(w, prob_kernel=_one)),
        Step(r"\mathbb{E}\;l(x, x')\;\mathbb{E}[\,\delta \mid x\,]\;\mathbb{E}[\,\delta' \mid x'\,]", "l sees x alone, so residuals are averaged over everything else first.", _features_only),
        Step(r"\mathrm{KCE}^2", "The model is overconfident, and the KCE says so.", _kce_in_coordinates,
             printed="Vashistha & Farahi, §3.1: “if we set h(.) = 1, we get the calibration error” (errata K21)"),
        Step(r"0", "At each x the two errors +s and −s are equally likely.", lambda w: 0.0),
    ),
)  # fmt: skip


def _with_frequencies(w, gap):
    return gap @ (kit.k_of(w.p) * kit.l_of(w.x)) @ gap


local_norm = Derivation(
    title="KLCE² is a squared norm and a mean over pairs",
    claim="The squared norm of μ = E[(r − p) φ(p) ⊗ ψ(x)] is a mean over two independent rows: eq. 3 of the paper.",
    world=kit.local_world,
    steps=(
        Step(r"\|\mu\|^2,\quad \mu = \mathbb{E}\,[\,(r - p)\;\varphi(p) \otimes \psi(x)\,]", "r = P(Y = 1 | p, x). φ and ψ are the features of k and l; μ is a matrix, and its norm the root of its summed squares.",
             lambda w: (w.mu**2).sum()),
        Step(r"\mathbb{E}\;k(p, p')\,l(x, x')\,(r - p)(r' - p')", "⟨φ ⊗ ψ, φ' ⊗ ψ'⟩ = ⟨φ, φ'⟩⟨ψ, ψ'⟩ = k l: the product kernel.", lambda w: _with_frequencies(w, w.gap)),
        Step(r"\mathbb{E}\;k(p, p')\,l(x, x')\,(r(p) - p)(r(p') - p')", "r(p) = P(Y = 1 | p) mixes all features with that prediction: local errors cancel before they are seen.",
             lambda w: _with_frequencies(w, w.w * (w.base.frequencies[:, 1] - w.p)), printed="a mix-up: the frequencies that calibration is about"),
        Step(r"\mathbb{E}\,h(Z, Z') = \mathbb{E}\;k(p, p')\,l(x, x')\,(p - Y)(p' - Y')", "Tower rule: given (p, x) the label averages to r, and the two rows are independent. Both signs turn, so the product does not.",
             lambda w: w.klce2),
    ),
)  # fmt: skip


def _three_kinds(rng):
    """Three kinds with different (p, x): 216 data sets of three rows."""
    p, x = kit.apart(rng, 3, 0, 1), kit.apart(rng, 3, 0, 2)
    w = kit.LocalWorld.of(rng.dirichlet(3 * np.ones(3)), p, x, (p + rng.uniform(0.3, 0.7, 3)) % 1)
    kernel, (_, h) = kit.k_of(w.p) * kit.l_of(w.x), w.atoms()
    return {**kit.data_sets(w, 3), "h": h, "mean_kernel": lambda kinds: table(kernel, kinds).mean(axis=(1, 2))}


def _library(w):
    """What the authors' library prints for every data set: Σ_{i≠j} h_ij over (n − 1)/n Σ_ij K_ij."""
    n, h = w["n"], table(w["h"], w["rows"])
    total = n**2 * w["mean_kernel"](w["kinds"])
    return (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / ((n - 1) / n * total)


def _mean_pairs(w):
    """n⁻¹(n − 1)⁻¹ Σ_{i≠j} E h_ij."""
    mean = np.einsum("s,sij->ij", w["mass"], table(w["h"], w["rows"]))
    return (mean.sum() - np.trace(mean)) / (w["n"] * (w["n"] - 1))


unbiased = Derivation(
    title="What eq. 4 averages to",
    claim="The mean over all data sets of the estimator of eq. 4, and of what the authors' library prints.",
    world=_three_kinds,
    steps=(
        Step(r"\mathbb{E}\,\frac{1}{n(n-1)}\sum_{i \neq j} h_{ij}", "Eq. 4, n = 3 rows of three kinds: each of the 216 data sets times its probability.",
             lambda w: w["mass"] @ estimate_uq(w["h"], w["rows"])),
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} \mathbb{E}\,h_{ij}", "The mean of a sum is the sum of the means.", _mean_pairs),
        Step(r"\mathbb{E}\,[\,\sum_{i \neq j} h_{ij} \; / \; (\frac{n-1}{n}\sum_{i, j} k_{ij} l_{ij})\,]", "The library divides by the kernel's own size, which depends on the data and on the bandwidth.",
             lambda w: w["mass"] @ _library(w), printed="the values printed as KLCE² in the tables (errata K1)"),
        Step(r"\mathrm{KLCE}^2 = \mathbb{E}\,h(Z, Z')", "For i ≠ j the rows are independent copies of Z = (p, x, Y).", lambda w: w["world"].klce2),
        Step(r"\mathbb{E}\,[\,\mathrm{printed} \cdot \mathrm{mean}_{i, j}\, k_{ij} l_{ij}\,]", "What is printed, times the mean of all n² kernel values, is eq. 4: the kernel's size must be reported too.",
             lambda w: w["mass"] @ (_library(w) * w["mean_kernel"](w["kinds"]))),
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
    p, x = w.p[::3], w.x[:3]
    payoff = kit.k_of(p) @ w.gap.reshape(3, 3) @ kit.l_of(x)
    zero = np.zeros((3, 3))
    return eigh(np.block([[zero, payoff], [payoff.T, zero]]), block_diag(kit.k_of(p), kit.l_of(x)), eigvals_only=True)[
        -1
    ]


operator_norm = Derivation(
    title="One function of p times one of x",
    claim="LCE is a supremum over products h(p) g(x), KLCE a norm of the matrix μ: how far the two are apart.",
    world=_three_places,
    steps=(
        Step(r"\mathrm{LCE} = \sup_{\|h\| \leq 1,\, \|g\| \leq 1}\ \mathbb{E}\,(r - p)\,h(p)\,g(x)", "Definition 3.1, by search over all h = Σ_b α_b k(·, p_b) and g = Σ_a β_a l(·, x_a). Three predictions, three features, wrong in three of nine places.", _bilinear_supremum),
        Step(r"\sigma_1(\mu),\quad \mu = \mathbb{E}\,[\,(r - p)\;\varphi(p) \otimes \psi(x)\,]", "The payoff is hᵀμg. Between two unit balls it is largest at the first pair of singular vectors: the operator norm.",
             lambda w: np.linalg.svd(w.mu, compute_uv=False)[0]),
        Step(r"\mathrm{KLCE} = \|\mu\|_{\mathrm{HS}}", "HS: the root of the summed squares. Products h ⊗ g are not the whole unit ball of the product space: sums of products are in it too.",
             lambda w: np.linalg.norm(w.mu), printed="Def. 3.3 and Thm 3.4, which set the two equal (errata K22)"),
        Step(r"\mathrm{KLCE} = (\sum_m \sigma_m^2)^{1/2}", "All singular values count: KLCE ≥ LCE, equal only if one product explains the whole error.",
             lambda w: np.linalg.norm(w.mu), relation="<="),
        Step(r"(\,\mathbb{E}\;k(p, p')\,l(x, x')\,\delta\,\delta'\,)^{1/2}", "Eq. 3: easy to estimate, which the supremum over products is not.", lambda w: np.sqrt(w.klce2)),
        Step(r"\sqrt{3}\;\mathrm{LCE}", "A matrix with three rows has at most three singular values, none above the first. So KLCE is 0 where LCE is, and misses nothing that LCE sees.",
             lambda w: np.sqrt(3) * np.linalg.norm(w.mu, 2), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _mu_at(w):
    """μ(p', x') = E[(r − p) k(p, p') l(x, x')] at every kind."""
    return (kit.k_of(w.p) * kit.l_of(w.x)) @ w.gap


def _mass_at(w):
    """M(p', x') = E[k(p, p') l(x, x')]."""
    return (kit.k_of(w.p) * kit.l_of(w.x)) @ w.w


def _searched(w):
    """Root of the largest payoff²/‖m‖² over all m = Σ_a β_a k(·, p_a) l(·, x_a)."""
    slope = _mu_at(w)
    return np.sqrt(eigh(np.outer(slope, slope), kit.k_of(w.p) * kit.l_of(w.x), eigvals_only=True)[-1])


witness = Derivation(
    title="The witness, and the local calibration bias",
    claim="Which function attains the supremum over the unit ball, and what LCB has to do with it.",
    world=kit.grid_world,
    steps=(
        Step(r"\mathrm{KLCE} = \sup_{\|m\| \leq 1}\ \mathbb{E}\,(r - p)\,m(p, x)", "By search: the largest payoff for its norm among all m = Σ_a β_a k(·, p_a) l(·, x_a).", _searched),
        Step(r"\mathbb{E}\,(r - p)\,\mu(p, x)", "μ(p', x') = E[(r − p) k(p, p') l(x, x')] points the right way, but it is not in the unit ball: this is ‖μ‖².",
             lambda w: w.gap @ _mu_at(w), printed="the maximiser in Prop. A.9, as printed (errata K29)"),
        Step(r"\mathbb{E}\,(r - p)\,\mu(p, x) / \|\mu\|", "Divided by its length it is, and it attains the supremum.", lambda w: w.gap @ _mu_at(w) / np.linalg.norm(w.mu)),
        Step(r"\mathbb{E}\,(r - p)\,\mathrm{LCB}(p, x)\,M(p, x) / \|\mu\|,\quad M = \mathbb{E}\,k l", "LCB = E[k l (Y − p)]/E[k l] (eq. 7) is a weighted mean of Y − p. Its numerator is μ, its denominator the mass M of the kernel there.",
             lambda w: w.gap @ (_local_bias(w) * _mass_at(w)) / np.linalg.norm(w.mu)),
        Step(r"(\,\mathbb{E}\;k(p, p')\,l(x, x')\,\delta\,\delta'\,)^{1/2}", "‖μ‖, as a mean over pairs.", lambda w: np.sqrt(w.klce2)),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _local_bias(w):
    """LCB of the population: weights w_b k l normalised for each query, times r − p."""
    weight = kit.k_of(w.p) * kit.l_of(w.x) * w.w
    return (weight / weight.sum(axis=1, keepdims=True)) @ (w.r - w.p)


def _eight_rows(rng):
    w = kit.local_world(rng)
    kind = rng.choice(6, 8, p=w.w)
    y = (rng.random(8) < w.q[kind]).astype(int)
    return {"y": y, "p": w.p[kind], "x": w.x[kind], "K": kit.k_of(w.p[kind]) * kit.l_of(w.x[kind])}


def _local_constants(w):
    """For each query the b that makes Σ_i w_i (y_i − p_i − b)² smallest, by least squares."""
    roots = np.sqrt(w["K"])
    return np.array([np.linalg.lstsq(root[:, None], root * (w["y"] - w["p"]), rcond=None)[0][0] for root in roots])


local_mean = Derivation(
    title="LCB as a local fit",
    claim="The estimate of eq. 7 solves a small regression problem near each query (p', x').",
    world=_eight_rows,
    steps=(
        Step(r"\mathrm{LCB}(p', x') = \sum_i w_i (y_i - p_i) \, / \, \sum_i w_i,\quad w_i = k(p_i, p')\,l(x_i, x')", "Eq. 7 at each of n = 8 rows: this is local_calibration_bias(y_true, y_prob, features).bias.",
             lambda w: local_calibration_bias(w["y"], w["p"], w["x"], prob_kernel=kit.PROB_KERNEL, feature_kernel=kit.FEATURE_KERNEL).bias),
        Step(r"\frac{1}{n}\sum_i w_i\,(y_i - p_i)", "The witness mixes two things: how wrong the model is, and how many rows are near.",
             lambda w: w["K"] @ (w["y"] - w["p"]) / 8, printed="the first display of Prop. 3.8, which is called LCB too"),
        Step(r"\hat{\mu}(p', x') \, / \, \hat{M}(p', x')", "Witness over mass, each with its 1/n: the mass cancels how many rows are near.",
             lambda w: (w["K"] @ (w["y"] - w["p"]) / 8) / w["K"].mean(axis=1)),
        Step(r"\mathrm{argmin}_b\ \sum_i w_i\,(y_i - p_i - b)^2", "Weighted least squares with a constant (a Nadaraya–Watson regression): near a query, one number stands for all of y − p.", _local_constants),
    ),
)  # fmt: skip


def _three_models(rng):
    """Fixed p and x, and a difference d of frequency functions."""
    w, d = kit.grid_world(rng), rng.uniform(-0.2, 0.2, 9)
    return {"kernel": kit.k_of(w.p) * kit.l_of(w.x), "w": w.w, "d": d}


def _distance2(w, error):
    v = w["w"] * error
    return v @ w["kernel"] @ v


squared_no_metric = Derivation(
    title="KLCE² and the triangle inequality",
    claim="Three models in a row, and how far the last is from the first.",
    world=_three_models,
    steps=(
        Step(r"\mathrm{KLCE}^2(r_0,\, r_2)", "Three frequency functions in a row: r_1 = r_0 + d and r_2 = r_0 + 2d. KLCE²(r_a, r_b) is the squared error with r_b − r_a in the place of r − p; p, x and with them both kernels stay.", lambda w: _distance2(w, 2 * w["d"])),
        Step(r"4\,\mathrm{KLCE}^2(r_0,\, r_1)", "A squared norm: twice the error counts four times.", lambda w: 4 * _distance2(w, w["d"])),
        Step(r"\mathrm{KLCE}^2(r_0,\, r_1) + \mathrm{KLCE}^2(r_1,\, r_2)", "Two steps of the same length give 1 + 1, not 4.", lambda w: 2 * _distance2(w, w["d"]), relation="<=",
             printed="Corollary 3.5: “The squared KLCE … is a metric” (errata K27)"),
        Step(r"(\,\mathrm{KLCE}(r_0,\, r_1) + \mathrm{KLCE}(r_1,\, r_2)\,)^2", "Without the squares the triangle inequality holds: a norm.", lambda w: (2 * np.sqrt(_distance2(w, w["d"]))) ** 2, relation="<="),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A world, and a trait I(x) whose mean among the positives is asked for."""

    world: kit.LocalWorld
    trait: np.ndarray

    def mean(self, values):
        return self.world.w @ values

    @property
    def truth(self):
        """A = E[I | Y = 1]."""
        return self.mean(self.trait * self.world.q) / self.mean(self.world.q)

    @property
    def bias(self):
        """E[I p]/E p − A: what Σ I(x_i) p_i/Σ p_i tends to, less the truth."""
        return self.mean(self.trait * self.world.p) / self.mean(self.world.p) - self.truth

    @property
    def error(self):
        """p − r(p, x), the local error."""
        return self.world.p - self.world.r

    def covariance(self):
        return self.mean(self.trait * self.error) - self.mean(self.trait) * self.mean(self.error)


def _task(rng, make=kit.local_world):
    world = make(rng)
    values = rng.normal(45, 15, len(world.w))
    return Task(world, world.given(values, world.x))  # a function of x


def _among_positives(t):
    """E[I p]/E p − E[I | Y = 1], the second mean over the law of x given Y = 1."""
    law = t.world.w * t.world.q
    return t.mean(t.trait * t.world.p) / t.mean(t.world.p) - (law / law.sum()) @ t.trait


inference_bias = Derivation(
    title="The bias of an inference",
    claim="Σ I p/Σ p in place of E[I(X) | Y = 1] errs by one moment of the local error.",
    world=_task,
    steps=(
        Step(r"\mathbb{E}[I p] / \mathbb{E}\,p - A,\quad A = \mathbb{E}[\,I(X) \mid Y = 1\,]", "What Σ_i I(x_i) p_i/Σ_i p_i tends to, less what was asked for. p is the prediction; I(X) a trait, such as an age in years.",
             _among_positives),
        Step(r"\mathbb{E}[I p] / \mathbb{E}\,p - \mathbb{E}[I Y] / \mathbb{E}Y", "A mean among the positives is a mean weighted by Y. The model puts p in its place.",
             lambda t: t.mean(t.trait * t.world.p) / t.mean(t.world.p) - t.mean(t.trait * t.world.q) / t.mean(t.world.q)),
        Step(r"\frac{1}{\mathbb{E}\,p}\;(\,\mathbb{E}[\,I\,(p - Y)\,] - A\;\mathbb{E}[\,p - Y\,]\,)", "One fraction: E[I Y] is A · E Y.",
             lambda t: (t.mean(t.trait * (t.world.p - t.world.q)) - t.truth * t.mean(t.world.p - t.world.q)) / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}\,p}\;\mathrm{Cov}(I,\, p - r)", "A covariance has E I where A belongs: the two agree when E p = E Y.",
             lambda t: t.covariance() / t.mean(t.world.p), printed="true for a model that is right on average; this one is not"),
        Step(r"\frac{1}{\mathbb{E}\,p}\;\mathbb{E}[\,(I - A)\,(p - r)\,],\quad r = P(Y = 1 \mid p,\, x)", "Tower rule: I is a function of x, so Y may be averaged given (p, x). What is left is the local error.",
             lambda t: t.mean((t.trait - t.truth) * t.error) / t.mean(t.world.p)),
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
    describe=lambda w: f"ages {', '.join(f'{age:.0f}' for age in w.trait[::2])}",
    steps=(
        Step(r"\mathbb{E}[I p] / \mathbb{E}\,p - \mathbb{E}[\,I \mid Y = 1\,]", "A model that adds noise to the truth: at each x it says too much or too little, by chance, and is right on average.", lambda t: t.bias),
        Step(r"\frac{1}{\mathbb{E}\,p}\;\mathbb{E}[\,(I - A)\,(p - r)\,]", "“The bias of an inference”, section 2: the local error p − r(p, x), weighted with the trait.", lambda t: t.mean((t.trait - t.truth) * t.error) / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}\,p}\;\mathbb{E}[\,(I - A)\;\mathbb{E}[\,p - Y \mid X\,]\,]", "Tower rule once more: I is a function of x alone, so p is averaged out too.",
             lambda t: t.mean((t.trait - t.truth) * t.world.given(t.world.p - t.world.q, t.world.x)) / t.mean(t.world.p)),
        Step(r"\mathbb{E}\,(p - r)^2", "Its local error is not 0. Yet nothing is biased.", lambda t: t.mean(t.error**2),
             printed="§2.1: “without a locally calibrated classifier, achieving unbiased estimation is infeasible” (errata K32)"),
        Step(r"0", "E[p − Y | X] = 0 at each x. Such models are called multiaccurate; KLCE with k ≡ 1 asks for this, and for no more.", lambda t: 0.0),
    ),
)  # fmt: skip


def _models_of_groups(rng):
    """Two predictions times four features, in two groups of two; columns of `gap` are r(p, x) − p of three models."""
    world = kit.LocalWorld.of(
        rng.dirichlet(3 * np.ones(8)), np.repeat([0.35, 0.65], 4), np.tile(np.arange(4.0), 2), np.full(8, 0.5)
    )
    group, gap = world.x // 2, rng.uniform(-0.15, 0.15, 8)
    calibrated, multicalibrated = gap - world.given(gap, world.p), gap - world.given(gap, world.p, group)
    return {
        "world": world,
        "p": world.p,
        "g": group,
        "x": world.x,
        "gap": np.column_stack([calibrated, multicalibrated, np.zeros(8)]),
    }


def _error(w, inner, outer=None):
    """E(mean of the gap given `inner`)² of each model; with `outer` that mean is averaged given `outer` first."""
    mean = w["gap"]
    for keys in (inner, outer or inner):
        mean = w["world"].given(mean, *(w[key] for key in keys))
    return w["world"].w @ mean**2


three_notions = Derivation(
    title="Calibrated, multicalibrated, locally calibrated",
    claim="Three models and three ways to look at their errors: given p, given p and a group, given p and x.",
    world=_models_of_groups,
    describe=lambda w: f"calibrated (wrong somewhere by {np.abs(w['gap'][:, 0]).max():.3f}); calibrated in both groups; locally calibrated",
    steps=(
        Step(r"\mathbb{E}\,(p - r(p))^2", "Calibration, r(p) = P(Y = 1 | p). Three models, three numbers: all of them are calibrated.", lambda w: _error(w, "p")),
        Step(r"\mathbb{E}\,(\,\mathbb{E}[\,p - r(p, g) \mid p\,]\,)^2", "Tower rule: what happens at p is the mean over the groups g of what happens there.", lambda w: _error(w, "pg", "p")),
        Step(r"\mathbb{E}\,(p - r(p, g))^2", "Model 1 is wrong in both groups, in opposite directions.", lambda w: _error(w, "pg"), printed="a common belief: calibrated, hence calibrated for each group"),
        Step(r"\mathbb{E}\,(p - r(p, g))^2", "Jensen: the square of a mean is at most the mean of the squares. 0 here is calibration in each group, or multicalibration for these groups.",
             lambda w: _error(w, "pg"), relation="<="),
        Step(r"\mathbb{E}\,(\,\mathbb{E}[\,p - r(p, x) \mid p, g\,]\,)^2", "Tower rule again: g is a function of x.", lambda w: _error(w, "px", "pg")),
        Step(r"\mathbb{E}\,(p - r(p, x))^2", "Model 2 is right in each group, and wrong inside them.", lambda w: _error(w, "px"), printed="a hope: calibrated for some groups, hence for everyone in them"),
        Step(r"\mathbb{E}\,(p - r(p, x))^2", "Jensen. 0 is local calibration: only model 3 has it. Groups that are single features x would make both notions one.",
             lambda w: _error(w, "px"), relation="<="),
    ),
)  # fmt: skip


def _sum_and_coin(rng):
    """Three sums s > 0 of the features that the model saw, and one feature ± c by a fair coin that it did not see."""
    s, c = kit.apart(rng, 3, 0.2, 3), rng.uniform(0.8, 2)
    both = np.repeat(s, 2) + np.tile([-c, c], 3)
    return {
        "s": s,
        "c": c,
        "world": kit.LocalWorld.of(np.full(6, 1 / 6), expit(np.repeat(s, 2)), np.tile([-c, c], 3), expit(both)),
    }


hidden_feature = Derivation(
    title="A feature left out",
    claim="What happens where a model says σ(s), if it does not see the last feature.",
    world=_sum_and_coin,
    describe=lambda w: "s = " + ", ".join(f"{s:.2f}" for s in w["s"]) + f"; c = {w['c']:.2f}",
    steps=(
        Step(r"P(Y = 1 \mid p),\quad p = \sigma(s)", "The model of Figure 3 for three values s > 0 of x_1 + … + x_{d−1}. Truth: σ(s + x_d); here x_d is ± c by a coin instead of N(0, 1).",
             lambda w: w["world"].base.frequencies[::2, 1]),
        Step(r"\frac{1}{2}\,[\,\sigma(s + c) + \sigma(s - c)\,]", "The mean over the two values of x_d, which is independent of s.", lambda w: (expit(w["s"] + w["c"]) + expit(w["s"] - w["c"])) / 2),
        Step(r"\sigma(s)", "The mean of a sigmoid is not the sigmoid of the mean.", lambda w: expit(w["s"]), printed="§4: “calibrated on {x_1, …, x_{d−1}}” (errata K24)"),
        Step(r"\frac{1}{2} + \frac{1}{2}\,\sinh(s) \, / \, (\cosh s + \cosh c)", "σ(u) = ½ + ½ tanh(u/2), and the sum of two tanh.",
             lambda w: 0.5 + 0.5 * np.sinh(w["s"]) / (np.cosh(w["s"]) + np.cosh(w["c"]))),
        Step(r"\sigma(s)", "cosh c ≥ 1, and with 1 in its place this is σ(s). Where the model says more than ½ it says too much: the error is not in x_d alone.", lambda w: expit(w["s"]), relation="<="),
    ),
)  # fmt: skip
