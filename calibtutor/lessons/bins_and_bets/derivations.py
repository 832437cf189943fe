"""Two classes, bets between −1 and 1, the noise of a bin, mean confidence, a kernel estimate, two ridge regressions."""

from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import norm

from ...data.worlds import random_world
from ...predictions import residuals
from ...risk import fit_kde
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared.kce_atoms import ten_rows, weighted_gap
from ..shared.label_vectors import _labels
from ..shared.letters import population
from ..shared.ridge_rows import LAMBDA, features, gram, near, small, solved, targets

factor_two = Derivation(
    title="Two classes, one number",
    claim="For two classes the canonical squared error, from the probability of the second class alone.",
    world=lambda rng: random_world(rng, n_kinds=5, n_classes=2),
    letters=population,
    steps=(
        Step("E(norm2(p - r))",
             "Canonical: p = (1 − p₁, p₁) and r = (1 − r₁, r₁)."),
        Step("E((p[1] - r[1])**2)",
             "One number says it all, but both entries of the vector are wrong by it.", printed="the reading that Gruber & Bach's text suggests (errata G21)"),
        Step("2 * E((p[1] - r[1])**2)",
             "(1 − p₁) − (1 − r₁) = −(p₁ − r₁): both entries err by the same amount."),
    ),
)  # fmt: skip


def _best_corner(w):
    """Every vector of signs is tried as b(p) at every prediction p, which several kinds may share."""
    corners = np.array(list(product([-1.0, 1.0], repeat=w.n_classes)))
    groups = {}
    for p, gap in zip(w.predictions.round(12), weighted_gap(w), strict=True):
        groups[tuple(p)] = groups.get(tuple(p), 0) + gap
    return sum((corners @ gap).max() for gap in groups.values())


bounded_opponent = Derivation(
    title="What a bounded opponent earns",
    claim="Over all bets with |bₖ(p)| ≤ 1 the largest payoff is a canonical error.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle p - r,\, b(p)\rangle",
             "Brute force: at every prediction all 2^d corners of the cube are tried.", _best_corner),
        Step("E(inner(p - r, (p - r) / norm(p - r)))",
             "Along the miss is best under ‖b(p)‖₂ ≤ 1, a smaller class: it earns E‖p − r‖₂.", printed="a common mix-up of the two norms"),
        Step("E(inner(p - r, sign(p - r)))",
             "Each prediction and class pays by itself, most at the sign of its miss: E‖p − r‖₁, the canonical error with norm 1."),
    ),
)  # fmt: skip


def _gap_of_a_bin(rng):
    """The standard deviation of a calibrated bin's gap, for 5 to 100 data."""
    n, p = int(rng.integers(5, 101)), rng.uniform(0.1, 0.9)
    return {"n": n, "p": p, "s": np.sqrt(p * (1 - p) / n)}


def _written_out(w):
    part, _ = quad(lambda z: z * np.exp(-(z**2) / (2 * w["s"] ** 2)), 0, 12 * w["s"], epsabs=1e-13, limit=200)
    return 2 / (w["s"] * np.sqrt(2 * np.pi)) * part


mean_of_normal = Derivation(
    title="How far from 0 a gap is on average",
    claim="The mean of |Z|, for a normal variable Z with mean 0 and standard deviation s.",
    world=_gap_of_a_bin,
    describe=lambda w: f"a bin of {w['n']} data near p = {w['p']:.2f}: s = {w['s']:.3f}",
    letters=lambda w: Letters(known={"s": w["s"], "pi": np.pi}),
    steps=(
        Step(r"\mathbb{E}\,|Z|,\quad Z \sim N(0, s^2)", "Numerical integration of |z| against the normal density.",
             lambda w: 2 * quad(lambda z: z * norm.pdf(z, scale=w["s"]), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"\frac{2}{s \sqrt{2\pi}} \int_0^\infty z\, e^{-z^2/(2s^2)}\, dz", "Both sides of 0 count the same; the density is written out.",
             _written_out),
        Step("sqrt(1/(2*pi)) * s",
             "The integral would have to be s²/2.", printed="a common slip: a factor 2 lost in the integral"),
        Step("sqrt(2/pi) * s",
             "The integral is s², because −s² exp(−z²/(2s²)) has the integrand as its derivative."),
    ),
    tolerance=1e-10,
)  # fmt: skip


debiasing = Derivation(
    title="Taking the noise away again",
    claim="acc(1 − acc)/(n_m − 1) is an unbiased estimate of Var(acc) when all labels of the bin have one frequency r.",
    world=lambda rng: {"c": rng.random(5), "r": np.full(5, rng.random())},
    letters=lambda w: _labels(w, r=w["r"][0]),
    start=1,
    write=1,
    slips=(
        ("E((conf - acc)**2) - r*(1 - r)",
         "the variance of a mean of n_m labels is less than that of one label"),
        ("E((conf - acc)**2) - r*(1 - r)/(n_m - 1)",
         "n_m − 1 goes: the mean of acc(1 − acc) is less than r(1 − r)"),
        ("E((conf - acc)**2)",
         "the mean of what is taken off is missing"),
    ),
    steps=(
        Step("E((conf - acc)**2 - acc*(1 - acc)/(n_m - 1)); acc = mean(y[i] for i in rows)",
             "The debiased square of Kumar et al. (2019), averaged over all label vectors."),
        Step("E((conf - acc)**2) - r*(1 - r)/n_m",
             "E[acc(1 − acc)] = r(1 − r)(n_m − 1)/n_m: a sample varies a little less around its own mean than around r."),
        Step("E((conf - acc)**2 - acc*(1 - acc)/n_m)",
             "With n_m in place of n_m − 1 some noise stays.", printed="a common slip"),
        Step("(conf - r)**2",
             "E (conf − acc)² is (conf − r)² plus the variance of acc, r(1 − r)/n_m, as in notebook 02: on average the noise is gone. (A result may be negative.)"),
    ),
)  # fmt: skip


argmax_for_max = Derivation(
    title="What conf(B) averages",
    claim="The mean confidence of a bin, where a paper prints the mean of argmax p_k, which is an index (errata G19).",
    world=lambda rng: random_world(rng, n_kinds=5, n_classes=4),
    letters=population,
    steps=(
        Step("E(max(p[k] for k in classes))",
             "One bin that holds everything: its mean confidence."),
        Step("max(E(p[k]) for k in classes)",
             "The mean of the largest is at least the largest mean: predictions of a bin need not name the same class.", printed="a common slip: mean first, then maximum"),
        Step("E(p[k_star]); k_star = argmax(p[k] for k in classes)",
             "The index is only used to look the probability up."),
    ),
)  # fmt: skip


def _dirichlet(q, p):
    """The density at q of a Dirichlet law with parameters p/.1 + 1."""
    a = p / 0.1 + 1
    return np.exp(gammaln(a.sum(axis=-1)) - gammaln(a).sum(axis=-1) + ((a - 1) * np.log(q)).sum(axis=-1))


def _rows(w):
    return Letters(known={"n": 10, "p": w["p"], "y": w["y"], "e": np.eye(3), "k": _dirichlet}, sets={"rows": 10})


kde_is_a_mean = Derivation(
    title="The kernel density ratio as a function of pairs",
    claim="The squared kernel estimate as printed is the mean of h_kde(p, p) over the data (eq. 26).",
    world=ten_rows,
    letters=_rows,
    start=11,
    steps=(
        Step("1/n * sum(norm2(p[i] - r_hat(p[i])) for i in rows); r_hat(q) = sum(k(q, p[j]) * e[y[j]] for j in rows) / sum(k(q, p[j]) for j in rows)",
             "Eq. 11 as printed, bandwidth .1: a mean of the labels' unit vectors, weighted by the kernel."),
        Step("1/n * sum(inner(v(p[i]), v(p[i])) for i in rows); v(q) = sum(k(q, p[j]) * (p[j] - e[y[j]]) for j in rows) / sum(k(q, p[j]) for j in rows)",
             "A weighted mean of residuals has the mean of the p_j near p in the place of p.", printed="a common slip"),
        Step("1/n * sum(inner(u(p[i]), u(p[i])) for i in rows); u(q) = q - r_hat(q)",
             "Name the difference u."),
        Step(r"\frac{1}{n}\sum_i h_{kde}(p_i,\, p_i)", "h_kde(p, p') = ⟨u(p), u(p')⟩ on the diagonal. (The authors of this estimator leave point i out of its own estimate: errata G9.)",
             lambda w: fit_kde(w["y"], w["p"], bandwidth=0.1).diagonal(w["p"]).mean()),
    ),
)  # fmt: skip


def _objective(w, a):
    """Mean squared misfit of h = Σ a_ij k(·, p_i) k(p_j, ·) over all pairs, plus λ‖h‖² (eq. 27, corrected)."""
    k = gram(w)
    return np.mean((targets(w) - k @ a @ k) ** 2) + LAMBDA * np.sum(a * (k @ a @ k))


def _least_squares(w):
    """Minimise the objective over the 25 coefficients with a general least-squares solver."""
    pairs = np.kron(gram(w), gram(w))
    root = np.linalg.cholesky(pairs).T  # ‖root a‖² = aᵀ(K ⊗ K)a
    system = np.vstack([pairs / 5, np.sqrt(LAMBDA) * root])
    aim = np.concatenate([targets(w).ravel() / 5, np.zeros(25)])
    return np.linalg.lstsq(system, aim, rcond=None)[0].reshape(5, 5)


def _ridge(w):
    """The data's K and Δ, eigenvalues nμ_i and eigenvectors q_i of K, and the coefficients α of eq. 28."""
    eigenvalues, q = np.linalg.eigh(gram(w))
    alpha = solved(gram(w), LAMBDA * 25, targets(w))
    known = {"n": 5, "lam": LAMBDA, "K": gram(w), "Delta": residuals(w["y"], w["p"]), "alpha": alpha}
    known |= {"mu": eigenvalues / 5, "q": q.T}
    return Letters(known=known | {"I": np.eye(25), "i": along("i", range(5))}, sets={"rows": 5})


kronecker = Derivation(
    title="Kronecker kernel ridge regression",
    claim="The regularised least-squares problem over all pairs has a closed form that needs one eigendecomposition.",
    world=small,
    letters=_ridge,
    steps=(
        Step(r"\min_h\ \frac{1}{n^2}\sum_{i, j}(\langle\delta_i, \delta_j\rangle - h(p_i, p_j))^2 + \lambda\,\|h\|^2",
             "Eq. 27 with h(p_i, p_j), solved by a general least-squares routine over all n² coefficients.",
             lambda w: _objective(w, _least_squares(w))),
        Step("J(alpha); J(a) = 1/n**2 * norm2(Delta @ Delta.T - K @ a @ K) + lam * inner(a, K @ a @ K); (kron(K, K) + lam * n**2 * I) @ vec(alpha) = vec(Delta @ Delta.T)",
             "Eq. 28: the n² linear equations for the n² coefficients, solved. ΔΔᵀ holds the products z_ij, and KαK the values h(p_i, p_j)."),
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / ((n*mu[i] + sqrt(lam)*n) * (n*mu[j] + sqrt(lam)*n)) * outer(q[i], q[j]) for i in rows for j in rows)",
             "This adds λn² to a product of eigenvalues, and two cross terms with it.", printed="a common slip: λ shared between the factors"),
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / (n*mu[i]*n*mu[j] + lam*n**2) * outer(q[i], q[j]) for i in rows for j in rows); K @ q[i] = n*mu[i] * q[i]",
             "Eq. 29: with orthonormal eigenvectors q_i and eigenvalues nμ_i of K it is a division entry by entry."),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _looked_at(w):
    """Data to fit on, and any two of four other predictions q and t."""
    root, phi = features(w)
    known = {"n": 5, "lam": LAMBDA, "K": gram(w), "Delta": residuals(w["y"], w["p"]), "Phi": root, "I": np.eye(5)}
    return Letters(known=known | {"k": near(w), "phi": phi, "q": along("q", w["p2"]), "t": along("t", w["p2"])})


plug_in = Derivation(
    title="Two steps: regress, then multiply",
    claim="ukkr is the ridge regression of the residual on the prediction, put into the inner product (eq. 32).",
    world=small,
    letters=_looked_at,
    steps=(
        Step("inner(g_hat(q), g_hat(t)); g_hat(x) = Delta.T @ inv(K + lam * n * I) @ k(x)",
             "Ridge regression of δ on p, at any two other predictions q and t; the vector k(x) holds k(p_i, x) for all data."),
        Step("phi(q).T @ inv(C + lam * n * I) @ S @ S.T @ inv(C + lam * n * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "C is a mean over the data already: n comes in twice.", printed="a common slip"),
        Step("phi(q).T @ inv(C + lam * I) @ S @ S.T @ inv(C + lam * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "The same with features: Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, C = ΦᵀΦ/n and S = ΦᵀΔ/n. This is what the package computes."),
    ),
    tolerance=1e-8,
)  # fmt: skip


def _without_penalty(w):
    delta = residuals(w["y"], w["p"])
    known = {"n": 5, "K": gram(w), "Delta": delta, "delta": delta, "A": solved(gram(w), 0.0, targets(w))}
    return Letters(known=known | {"I": np.eye(5), "i": along("i", range(5)), "j": along("j", range(5))})


two_ridges = Derivation(
    title="When the two ridge regressions agree",
    claim="At λ = 0, with K invertible, kkr and ukkr both reproduce ⟨δ_i, δ_j⟩ at the data; with a penalty neither does.",
    world=small,
    letters=_without_penalty,
    steps=(
        Step("(K @ A @ K)[i, j]; kron(K, K) @ vec(A) = vec(Delta @ Delta.T)",
             "kkr at λ = 0, at all pairs of training predictions."),
        Step("(K @ B @ B.T @ K)[i, j]; B = inv(K) @ Delta",
             "ukkr at λ = 0: without a penalty both interpolate. (The paper does not say that K must be invertible: errata G28.)"),
        Step("(K @ B @ B.T @ K)[i, j]; B = inv(K + 0.01 * n * I) @ Delta",
             "ukkr at λ = .01: a penalty shrinks, the fit no longer passes through its targets.", printed="“they agree”, carried over to a penalty above 0"),
        Step("inner(delta[i], delta[j])",
             "The targets themselves."),
    ),
    tolerance=1e-9,
)  # fmt: skip
