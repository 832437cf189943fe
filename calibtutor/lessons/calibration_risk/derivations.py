"""Derivations of notebook 03: the risk, its minimiser, its unbiased estimate, and the estimators it judges."""

import numpy as np

from ...data.worlds import random_world
from ...kde import conditional_frequency, dirichlet_log_kernel, kde_calibration_error
from ...kernels import rbf
from ...predictions import residuals
from ...risk import calibration_risk, fit_kde, fit_kkr, fit_ukkr
from ...teach.derive import Derivation, Step
from ..shared.kce_atoms import inner, ten_rows


def _two_laws(rng):
    """Two predictions and the laws of their labels."""
    return {name: rng.dirichlet(np.ones(3)) for name in ("p", "p2", "law", "law2")}


def _loss(w, c):
    """E(⟨p − e_Y, p' − e_V⟩ − c)², every pair of labels times its probability."""
    e = np.eye(3)
    return sum(
        w["law"][y] * w["law2"][v] * ((w["p"] - e[y]) @ (w["p2"] - e[v]) - c) ** 2 for y in range(3) for v in range(3)
    )


def _vertex(w):
    """Bottom of the parabola c ↦ L(c), from three of its values."""
    left, middle, right = (_loss(w, c) for c in (-1, 0, 1))
    return (left - right) / (2 * (left - 2 * middle + right))


minimiser = Derivation(
    title="What the loss is smallest for",
    claim="For two fixed predictions, whose labels Y and Y' have the laws r and r', the best single number is ⟨p − r, p' − r'⟩ "
    "(eq. 15, where these laws are P_Y and P_V).",
    world=_two_laws,
    steps=(
        Step(r"\mathrm{argmin}_c\ \mathbb{E}\,(\langle p - e_Y,\, p' - e_{Y'}\rangle - c)^2",
             "The mean loss L(c) is a parabola: its bottom, from its values at −1, 0 and 1.", _vertex),
        Step(r"\mathbb{E}\,\langle p - e_Y,\, p' - e_{Y'}\rangle", "A squared loss is smallest at the mean.",
             lambda w: sum(w["law"][y] * w["law2"][v] * (w["p"] - np.eye(3)[y]) @ (w["p2"] - np.eye(3)[v])
                           for y in range(3) for v in range(3))),
        Step(r"\langle p,\, p'\rangle - \langle r,\, r'\rangle", "The inner product of differences is no difference of inner products.",
             lambda w: w["p"] @ w["p2"] - w["law"] @ w["law2"], printed="a common slip"),
        Step(r"\langle p - r,\, p' - r'\rangle", "Y and Y' are independent, so both means go inside the product, which is linear in each factor.",
             lambda w: (w["p"] - w["law"]) @ (w["p2"] - w["law2"])),
    ),
)  # fmt: skip


def _world_and_h(rng):
    """A finite world and some bilinear h(p, q) = pᵀMq + b."""
    m = rng.normal(size=(3, 3))
    return {"world": random_world(rng, n_kinds=5), "m": m + m.T, "b": rng.normal()}


def _h(w, p, q):
    return ((p @ w["m"]) * q).sum(axis=-1) + w["b"]


def _h_star(w):
    gap = w["world"].predictions - w["world"].frequencies
    return gap @ gap.T


def _table(w):
    p = w["world"].predictions
    return p @ w["m"] @ p.T + w["b"]


def _risk(w, h=None):
    return w["world"].pair_expectation(
        lambda p, e, q, g: (inner(p - e, q - g) - (_h(w, p, q) if h is None else h)) ** 2
    )


def _risk_of_table(w, table):
    """E(⟨δ, δ'⟩ − table)² for a table of values over pairs of kinds."""
    world, e, total = w["world"], np.eye(3), 0.0
    delta = world.predictions[:, None] - e  # kind, label
    for a, wa in enumerate(world.weights):
        for b, wb in enumerate(world.weights):
            products = delta[a] @ delta[b].T
            total += wa * wb * world.conditionals[a] @ (products - table[a, b]) ** 2 @ world.conditionals[b]
    return total


def _mean_over_pairs(w, table):
    return w["world"].weights @ table @ w["world"].weights


excess_risk = Derivation(
    title="Excess risk is a distance",
    claim="The risk ranks functions by their squared distance to the truth.",
    world=_world_and_h,
    steps=(
        Step(r"R(h) = \mathbb{E}\,(z - h)^2,\quad z = \langle \delta, \delta'\rangle", "The risk, over two independent draws.", _risk),
        Step(r"\mathbb{E}\,(z - h^*)^2 + 2\,\mathbb{E}\,(z - h^*)(h^* - h) + \mathbb{E}\,(h^* - h)^2", "Add and subtract h*, and expand.",
             lambda w: _risk_of_table(w, _h_star(w)) + 2 * _cross(w) + _mean_over_pairs(w, (_table(w) - _h_star(w)) ** 2)),
        Step(r"\mathrm{Var}(z) + \mathbb{E}\,(h^* - h)^2",
             "Given p and p' the mean of z is h*, so the middle term is 0. But Var(z) is about one mean of all pairs, and h* varies.",
             lambda w: _risk_of_table(w, np.full_like(_h_star(w), _mean_over_pairs(w, _h_star(w)))) + _mean_over_pairs(w, (_table(w) - _h_star(w)) ** 2),
             printed="a common slip"),
        Step(r"R(h^*) + \mathbb{E}\,(h^* - h)^2", "Given p and p' the mean of z is h*, so the middle term is 0.",
             lambda w: _risk_of_table(w, _h_star(w)) + _mean_over_pairs(w, (_table(w) - _h_star(w)) ** 2)),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _cross(w):
    """E(z − h*)(h* − h), with the labels summed out pair by pair."""
    world, e, total = w["world"], np.eye(3), 0.0
    star, table = _h_star(w), _table(w)
    for a, wa in enumerate(world.weights):
        for b, wb in enumerate(world.weights):
            products = (world.predictions[a] - e) @ (world.predictions[b] - e).T
            mean = world.conditionals[a] @ products @ world.conditionals[b]
            total += wa * wb * (mean - star[a, b]) * (star[a, b] - table[a, b])
    return total


def _tiny(rng):
    """Two kinds, two classes: 64 data sets of three rows, and a bilinear h."""
    m = rng.normal(size=(2, 2))
    return {"world": random_world(rng, n_kinds=2, n_classes=2, shared=False), "m": m + m.T, "b": rng.normal()}


def _over_data_sets(w, statistic):
    mass, kinds, labels = w["world"].samples(3)
    p = w["world"].predictions
    return float(sum(m * statistic(w, p[k], np.eye(2)[y]) for m, k, y in zip(mass, kinds, labels, strict=True)))


def _pair_losses(w, p, e):
    delta = p - e
    return (delta @ delta.T - (p @ w["m"] @ p.T + w["b"])) ** 2


unbiased = Derivation(
    title="Why the diagonal is left out",
    claim="For an h that was not fitted on these data the mean over pairs i ≠ j is unbiased for the risk (eq. 20); with the "
    "diagonal it is not.",
    world=_tiny,
    steps=(
        Step(r"R(h)", "The risk in a world of two kinds and two classes.", _risk),
        Step(r"\mathbb{E}\,\frac{1}{n^2}\sum_{i, j} (\langle\delta_i, \delta_j\rangle - h(p_i, p_j))^2",
             "All pairs: on the diagonal a prediction meets its own label, ⟨δ_i, δ_i⟩, which is no independent pair.",
             lambda w: _over_data_sets(w, lambda w, p, e: _pair_losses(w, p, e).mean()), printed="a tempting mean"),
        Step(r"\mathbb{E}\,\frac{1}{n(n-1)}\sum_{i \neq j} (\langle\delta_i, \delta_j\rangle - h(p_i, p_j))^2",
             "Every data set of three rows times its probability: each pair i ≠ j is a fair draw, for a fixed h.",
             lambda w: _over_data_sets(w, lambda w, p, e: (_pair_losses(w, p, e).sum() - np.trace(_pair_losses(w, p, e))) / 6)),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _smoothed(w):
    """Mean of ‖v(p_i)‖² with the kernel's weighted mean of residuals, v."""
    log_kernel = dirichlet_log_kernel(w["p"], w["p"], 0.1)
    weight = np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True))
    v = weight @ residuals(w["y"], w["p"]) / weight.sum(axis=1, keepdims=True)
    return (v**2).sum(axis=1).mean()


kde_is_a_mean = Derivation(
    title="The kernel density ratio as a function of pairs",
    claim="The squared kernel estimate as printed is the mean of h_kde(p, p) over the data (eq. 26).",
    world=ten_rows,
    steps=(
        Step(r"\frac{1}{n}\sum_i \|p_i - \hat{r}(p_i)\|^2,\quad \hat{r}(p) = \sum_j w_j(p)\, e_{y_j}",
             "Eq. 11 as printed, bandwidth .1: the weights w_j(p) are proportional to k(p, p_j), and their sum is 1.",
             lambda w: kde_calibration_error(w["y"], w["p"], bandwidth=0.1, leave_one_out=False)),
        Step(r"\frac{1}{n}\sum_i \langle v(p_i),\, v(p_i)\rangle,\quad v(p) = \sum_j w_j(p)\,(p_j - e_{y_j})",
             "A weighted mean of residuals has the mean of the p_j near p in the place of p.", _smoothed, printed="a common slip"),
        Step(r"\frac{1}{n}\sum_i \langle u(p_i),\, u(p_i)\rangle,\quad u(p) = p - \hat{r}(p)", "Name the difference u.",
             lambda w: np.mean(((w["p"] - conditional_frequency(w["y"], w["p"], at=w["p"], bandwidth=0.1)) ** 2).sum(axis=1))),
        Step(r"\frac{1}{n}\sum_i h_{kde}(p_i,\, p_i)", "h_kde(p, p') = ⟨u(p), u(p')⟩ on the diagonal. (The authors of this estimator leave point i out of its own estimate: errata G9.)",
             lambda w: fit_kde(w["y"], w["p"], bandwidth=0.1).diagonal(w["p"]).mean()),
    ),
)  # fmt: skip


LAMBDA, GAMMA = 0.01, 20.0


def _small(rng):
    """Five predictions for training, four others to look at."""
    return {
        "y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5),
        "y2": rng.integers(0, 3, 4), "p2": rng.dirichlet(np.ones(3), 4),
    }  # fmt: skip


def _gram(w):
    return rbf(gamma=GAMMA)(w["p"])


def _targets(w):
    delta = residuals(w["y"], w["p"])
    return delta @ delta.T


def _objective(w, a):
    """Mean squared misfit of h = Σ a_ij k(·, p_i) k(p_j, ·) over all pairs, plus λ‖h‖² (eq. 27, corrected)."""
    k = _gram(w)
    return np.mean((_targets(w) - k @ a @ k) ** 2) + LAMBDA * np.sum(a * (k @ a @ k))


def _least_squares(w):
    """Minimise the objective over the 25 coefficients with a general least-squares solver."""
    k, n = _gram(w), 5
    design = np.kron(k, k)
    root = np.linalg.cholesky(np.kron(k, k)).T  # ‖root a‖² = aᵀ(K ⊗ K)a
    system = np.vstack([design / n, np.sqrt(LAMBDA) * root])
    aim = np.concatenate([_targets(w).ravel() / n, np.zeros(n * n)])
    return np.linalg.lstsq(system, aim, rcond=None)[0].reshape(n, n)


def _kronecker(w):
    k, n = _gram(w), 5
    return np.linalg.solve(np.kron(k, k) + LAMBDA * n**2 * np.eye(n * n), _targets(w).ravel()).reshape(n, n)


def _hadamard(w, apart=False):
    values, vectors = np.linalg.eigh(_gram(w))
    shifted = values + np.sqrt(LAMBDA) * 5
    below = np.outer(shifted, shifted) if apart else np.outer(values, values) + LAMBDA * 25
    return vectors @ ((vectors.T @ _targets(w) @ vectors) / below) @ vectors.T


kernel_ridge = Derivation(
    title="Kronecker kernel ridge regression",
    claim="The regularised least-squares problem over all pairs has a closed form that needs one eigendecomposition.",
    world=_small,
    steps=(
        Step(r"\min_h\ \frac{1}{n^2}\sum_{i, j}(\langle\delta_i, \delta_j\rangle - h(p_i, p_j))^2 + \lambda\,\|h\|^2",
             "Eq. 27 with h(p_i, p_j), solved by a general least-squares routine over all n² coefficients.",
             lambda w: _objective(w, _least_squares(w))),
        Step(r"\mathrm{at\ }\ \mathrm{vec}\,\alpha = (K \otimes K + \lambda n^2 I)^{-1}\,\mathrm{vec}(\Delta\Delta^T)",
             "Eq. 28: the n² linear equations for the n² coefficients, solved. ΔΔᵀ holds the products z_ij.",
             lambda w: _objective(w, _kronecker(w))),
        Step(r"\mathrm{at\ }\ \alpha = Q\,[\,Q^T \Delta\Delta^T Q \circ ((l_i + \sqrt{\lambda}\, n)(l_j + \sqrt{\lambda}\, n))^{-1}\,]\,Q^T",
             "This adds λn² to a product of eigenvalues, and two cross terms with it.",
             lambda w: _objective(w, _hadamard(w, apart=True)), printed="a common slip: λ shared between the factors"),
        Step(r"\mathrm{at\ }\ \alpha = Q\,[\,Q^T \Delta\Delta^T Q \circ (l_i l_j + \lambda n^2)^{-1}\,]\,Q^T",
             "Eq. 29: with eigenvectors Q and eigenvalues l, K = Q diag(l) Qᵀ, it is a division entry by entry (∘).", lambda w: _objective(w, _hadamard(w))),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _dual_plug_in(w):
    """Δᵀ(K + λn I)⁻¹ k(q) at the new predictions, then inner products."""
    delta = residuals(w["y"], w["p"])
    g = rbf(gamma=GAMMA)(w["p2"], w["p"]) @ np.linalg.solve(_gram(w) + LAMBDA * 5 * np.eye(5), delta)
    return g @ g.T


plug_in = Derivation(
    title="Two steps: regress, then multiply",
    claim="ukkr is the ridge regression of the residual on the prediction, put into the inner product (eq. 32).",
    world=_small,
    steps=(
        Step(r"\langle \hat{g}(p),\, \hat{g}(p')\rangle,\quad \hat{g}(p) = \Delta^T (K + \lambda n I)^{-1} k(p)", "Ridge regression of δ on p; the vector k(p) holds k(p_i, p) for all data.",
             lambda w: _dual_plug_in(w)),
        Step(r"\varphi(p)^T (C + \lambda n)^{-1} S S^T (C + \lambda n)^{-1} \varphi(p')", "C is a mean over the data already: n comes in twice.",
             lambda w: fit_ukkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=LAMBDA * len(w["y"]))(w["p2"]), printed="a common slip"),
        Step(r"\varphi(p)^T (C + \lambda)^{-1} S S^T (C + \lambda)^{-1} \varphi(p')",
             "The same with features: Φᵀ(ΦΦᵀ + λn)⁻¹ = (ΦᵀΦ + λn)⁻¹Φᵀ, C = ΦᵀΦ/n and S = ΦᵀΔ/n. This is what the package computes.",
             lambda w: fit_ukkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=LAMBDA)(w["p2"])),
    ),
    tolerance=1e-8,
)  # fmt: skip


two_ridges = Derivation(
    title="When the two ridge regressions agree",
    claim="At λ = 0, with K invertible, kkr and ukkr both reproduce ⟨δ_i, δ_j⟩ at the data; with a penalty neither does.",
    world=_small,
    steps=(
        Step(r"h_{kkr}(p_i, p_j) \mathrm{\ at\ } \lambda = 0", "All pairs of training predictions.",
             lambda w: fit_kkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=0.0)(w["p"])),
        Step(r"h_{ukkr}(p_i, p_j) \mathrm{\ at\ } \lambda = 0", "Without a penalty both interpolate. (The paper does not say that K must be invertible: errata G28.)",
             lambda w: fit_ukkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=0.0)(w["p"])),
        Step(r"h_{ukkr}(p_i, p_j) \mathrm{\ at\ } \lambda = 0.01", "A penalty shrinks: the fit no longer passes through its targets.",
             lambda w: fit_ukkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=0.01)(w["p"]),
             printed="“they agree”, carried over to a penalty above 0"),
        Step(r"\langle\delta_i,\, \delta_j\rangle", "The targets themselves.", _targets),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _function(w):
    return fit_kkr(w["y"], w["p"], kernel=rbf(gamma=GAMMA), regularization=LAMBDA)


def _literal(w):
    h, delta = _function(w)(w["p2"]), residuals(w["y2"], w["p2"])
    losses = (delta @ delta.T - h) ** 2
    return (losses.sum() - np.trace(losses)) / 12


def _expanded(w):
    h, z = _function(w)(w["p2"]), None
    delta = residuals(w["y2"], w["p2"])
    z = delta @ delta.T
    own = np.sum((np.diag(z) - np.diag(h)) ** 2)
    return (np.sum(z**2) - 2 * np.sum(z * h) + np.sum(h**2) - own) / 12


def _traced(w):
    """The expanded sum with (tr M UᵀU)² = (Σ_i h_ii)² in the place of ‖h‖²."""
    h, delta = _function(w)(w["p2"]), residuals(w["y2"], w["p2"])
    z = delta @ delta.T
    return (np.sum(z**2) - 2 * np.sum(z * h) + np.trace(h) ** 2 - np.sum((np.diag(z) - np.diag(h)) ** 2)) / 12


linear_time = Derivation(
    title="A sum over all pairs in linear time",
    claim="Because h is bilinear in few features, the sums over n² pairs are traces of small matrices (eqs. 30–31, generalised).",
    world=_small,
    steps=(
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} (z_{ij} - h_{ij})^2,\quad z = \Delta\Delta^T,\ h = U M U^T", "The double loop.", _literal),
        Step(r"\frac{1}{n(n-1)}\,[\,\|z\|^2 - 2\langle z, h\rangle + \|h\|^2 - \sum_i (z_{ii} - h_{ii})^2\,]", "Expand the square and take the diagonal off.",
             _expanded),
        Step(r"\frac{1}{n(n-1)}\,[\,\|\Delta^T\Delta\|^2 - 2\langle U^T\Delta\Delta^T U,\, M\rangle + (\mathrm{tr}\, M U^T U)^2 - \sum_i (\ldots)^2\,]",
             "‖h‖² is the sum of the squares of all entries; the squared trace has products of diagonal entries only.",
             _traced, printed="a common slip"),
        Step(r"\frac{1}{n(n-1)}\,[\,\|\Delta^T\Delta\|^2 - 2\langle U^T\Delta\Delta^T U,\, M\rangle + \mathrm{tr}(M U^T U M U^T U) - \sum_i (\ldots)^2\,]",
             "tr(AB) = tr(BA): every n × n matrix becomes d × d or r × r. This is `calibration_risk`.",
             lambda w: calibration_risk(_function(w), w["y2"], w["p2"])),
    ),
    tolerance=1e-9,
)  # fmt: skip
