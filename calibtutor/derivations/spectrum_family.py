"""Derivations of notebook 07, second part: one family of norms, how its members are ordered, and where λ leads."""

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from ..derive import Derivation, Step
from ..kce import skce
from ..risk import fit_ukkr
from .ckce_atoms import KERNEL, kernel_of, lambda_is, six_rows, squared

__all__ = ["between", "large_penalty", "one_family", "ranking_flips", "smoothness", "skce_bounds"]


def _dial(rng):
    """A sample, and powers a and b between those of the named errors."""
    return {"fit": six_rows(rng), "a": rng.uniform(0, 1), "b": rng.uniform(0, 1)}


def _power(matrix, exponent):
    values, directions = np.linalg.eigh(matrix)
    return (directions * values**exponent) @ directions.T


def _kernel_side(w, exponent):
    """(1/n) Tr(Δᵀ f(K/n)Δ) with f(t) = t^exponent/(t + λ)^2b."""
    s = w["fit"]
    middle = _power(s.K / s.n, exponent) @ _power(s.K / s.n + s.lam * np.eye(s.n), -2 * w["b"])
    return np.trace(s.delta.T @ middle @ s.delta) / s.n


def _member(w):
    """Σ_j μ_j^2a/(μ_j + λ)^2b ‖s_j‖²."""
    mu, energy = w["fit"].energy
    return (mu ** (2 * w["a"]) / (mu + w["fit"].lam) ** (2 * w["b"])) @ energy


def _scaled(s):
    """μ_j, and ‖c_j‖² for c_j the mean of δ weighted by v_jᵀφ(p), scaled to mean square 1 on the sample."""
    modes = s.phi @ np.linalg.eigh(s.C)[1]
    mu = (modes**2).mean(axis=0)
    return mu, ((s.delta.T @ (modes / np.sqrt(mu)) / s.n) ** 2).sum(axis=0)


def _scaled_member(w):
    mu, c = _scaled(w["fit"])
    return (mu ** (2 * w["a"] + 1) / (mu + w["fit"].lam) ** (2 * w["b"])) @ c


one_family = Derivation(
    title="One family with three dials",
    claim="E(a, b, λ) = ‖Cᵃ(C + λI)⁻ᵇS‖² only re-weights eigendirections. SKCE_b is (0, 0), CKCE is (0, 1), ukkr's CCE² in sample is (½, 1).",
    world=_dial,
    describe=lambda w: f"a = {w['a']:.2f}, b = {w['b']:.2f}, {lambda_is(w['fit'])}",
    steps=(
        Step(r"E(a, b, \lambda) = \|C^a (C + \lambda I)^{-b} S\|^2,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta", "n = 6 rows: features φ(p_i) in Φ, residuals δ = p − e_y in Δ. A power of a symmetric matrix is the power of its eigenvalues; a and b lie anywhere from 0 to 1.",
             lambda w: squared(_power(w["fit"].C, w["a"]) @ _power(w["fit"].penalised, -w["b"]) @ w["fit"].S)),
        Step(r"\sum_j \mu_j^{2a}\,(\mu_j + \lambda)^{-2b}\,\|s_j\|^2,\quad C v_j = \mu_j v_j,\ s_j = v_j^T S", "All these matrices have the eigenvectors v_j of C. The data enter through μ_j and ‖s_j‖², the choice of an error through the weights.", _member),
        Step(r"\frac{1}{n}\,\mathrm{Tr}(\Delta^T f(\frac{1}{n}K)\,\Delta),\quad f(t) = t^{2a} / (t + \lambda)^{2b}", "S = ΦᵀΔ/n brings two more Φ with it.",
             lambda w: _kernel_side(w, 2 * w["a"]), printed="a common slip: one power of K too few"),
        Step(r"\frac{1}{n}\,\mathrm{Tr}(\Delta^T f(\frac{1}{n}K)\,\Delta),\quad f(t) = t^{2a+1} / (t + \lambda)^{2b}", "Push-through for any power: Φ(ΦᵀΦ)ᵏΦᵀ = (ΦΦᵀ)ᵏ⁺¹. So no features are needed, the kernel matrix K = ΦΦᵀ will do.",
             lambda w: _kernel_side(w, 2 * w["a"] + 1)),
        Step(r"\sum_j \mu_j^{2a+1}\,(\mu_j + \lambda)^{-2b}\,\|c_j\|^2,\quad c_j = s_j \,/ \sqrt{\mu_j}", "c_j is the mean of δ times a function of mean square 1 on the sample. At λ = 0 the weights are μ_j for SKCE_b, 1 for CCE² and 1/μ_j for CKCE.", _scaled_member),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _in_sample(s):
    """The mean of ukkr's h(p, p) over its own training rows."""
    return fit_ukkr(s.y, s.p, kernel=KERNEL, regularization=s.lam).diagonal(s.p).mean()


def _ckce(s):
    return np.trace(s.W @ s.delta @ s.delta.T @ s.W @ s.K)


def _skce_b(s):
    return skce(s.y, s.p, kernel=KERNEL, estimator="biased")


smoothness = Derivation(
    title="CCE² is at most max k times CKCE",
    claim="A short function is small everywhere: the mean square of ĝ is at most max k(p, p) times its squared RKHS norm, but not the other way round.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{CCE}^2 = \frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2", "ukkr in sample: ĝ(p) = Bᵀφ(p) is the ridge regression of the residual δ on the features φ(p), with penalty λ, on n = 6 rows.", _in_sample),
        Step(r"\mathrm{Tr}(B^T C B),\quad B = (C + \lambda I)^{-1} S", "C = ΦᵀΦ/n is the mean of φφᵀ, and S = ΦᵀΔ/n.", lambda w: np.trace(w.ridge.T @ w.C @ w.ridge)),
        Step(r"\mu_{max}\ \|B\|^2 = \mu_{max}\ \mathrm{CKCE}", "No direction is stretched by more than the largest eigenvalue of C. ‖B‖² is CKCE.", lambda w: w.energy[0].max() * _ckce(w), relation="<="),
        Step(r"\mathrm{CKCE}\ \cdot\ \frac{1}{n}\sum_i k(p_i, p_i)", "The largest eigenvalue is at most the sum of all, Tr C = (1/n)Σ‖φ(p_i)‖².", lambda w: np.diag(w.K).mean() * _ckce(w), relation="<="),
        Step(r"\mathrm{CKCE}\ \cdot\ \max_i\ k(p_i, p_i)", "With eq. 8 it is at most 2, since ‖p‖² ≤ 1. A small CKCE makes CCE² small; the reverse fails, for μ_j may be tiny.",
             lambda w: kernel_of(w.p, w.p).max() * squared(w.ridge), relation="<="),
    ),
    tolerance=1e-9,
)  # fmt: skip


between = Derivation(
    title="CCE² lies below the geometric mean of the two ends",
    claim="At every λ the mean square of ĝ is at most √(SKCE_b · CKCE): it sits between the two on the dial.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{CCE}^2 = \frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2", "ukkr in sample, n = 6: ĝ(p) = Bᵀφ(p), B = (C + λI)⁻¹S, C = ΦᵀΦ/n and S = ΦᵀΔ/n for features φ and residuals δ = p − e_Y.", _in_sample),
        Step(r"\sum_j \mu_j\,\|s_j\|^2 \,/\, (\mu_j + \lambda)^2 = \langle B,\, C B\rangle", "In the basis of C: C v_j = μ_j v_j, s_j = v_jᵀS; ⟨·, ·⟩ adds products of entries.", lambda w: (w.energy[0] / (w.energy[0] + w.lam) ** 2) @ w.energy[1]),
        Step(r"(\mathrm{SKCE}_b \cdot \mathrm{CKCE})^{1/2}", "Only a bound: with λ > 0 something is lost, and more if the s_j are spread over several μ_j.",
             lambda w: np.sqrt(_skce_b(w) * _ckce(w)), printed="a tempting guess: exactly half-way"),
        Step(r"\|B\|\ \|C B\|", "Cauchy–Schwarz. The first factor is the root of CKCE.", lambda w: np.sqrt(squared(w.ridge) * squared(w.C @ w.ridge)), relation="<="),
        Step(r"(\mathrm{SKCE}_b \cdot \mathrm{CKCE})^{1/2}", "‖C B‖ ≤ ‖(C + λI)B‖ = ‖S‖, because λ only adds to each μ_j; and ‖S‖² is SKCE_b.", lambda w: np.sqrt(_skce_b(w) * _ckce(w)), relation="<="),
    ),
    tolerance=1e-9,
)  # fmt: skip


skce_bounds = Derivation(
    title="What a small SKCE promises",
    claim="CCE² is at most SKCE_b/(4λ): the regression can only find what the penalty lets through.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{CCE}^2 = \frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2", "ukkr in sample, n = 6: ĝ is the ridge regression of the residual on the features of p, with penalty λ.", _in_sample),
        Step(r"\sum_j \mu_j\,\|s_j\|^2 \,/\, (\mu_j + \lambda)^2", "μ_j and v_j are the eigenvalues and eigenvectors of C = ΦᵀΦ/n, s_j = v_jᵀS and S = ΦᵀΔ/n.", lambda w: (w.energy[0] / (w.energy[0] + w.lam) ** 2) @ w.energy[1]),
        Step(r"\frac{1}{4\lambda}\,\sum_j \|s_j\|^2", "(μ + λ)² − 4μλ = (μ − λ)² ≥ 0, with equality at μ = λ: ukkr on this scale listens to directions near its λ.", lambda w: w.energy[1].sum() / (4 * w.lam), relation="<="),
        Step(r"\frac{1}{4\lambda}\;\mathrm{SKCE}_b", "‖S‖² in another basis. As λ → 0 the promise becomes empty: SKCE_b may be tiny and CCE² not.", lambda w: _skce_b(w) / (4 * w.lam)),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _strong_penalty(rng):
    """A sample with λ between 1 and 100."""
    return replace(six_rows(rng), lam=10 ** rng.uniform(0, 2))


large_penalty = Derivation(
    title="With a large penalty λ² CKCE tends to SKCE",
    claim="λ²·CKCE tends to SKCE_b as λ → ∞, and for every λ it lies between SKCE_b/(1 + μ_max/λ)² and SKCE_b.",
    world=_strong_penalty,
    describe=lambda_is,
    steps=(
        Step(r"\lambda^2\,\mathrm{CKCE}_{\lambda} = \lambda^2\,\mathrm{Tr}(W \Delta\Delta^T W K),\quad W = (K + \lambda n I)^{-1}", "Eq. 7 with the Kronecker kernel, n = 6 rows with residuals in Δ, kernel values in K, and λ somewhere between 1 and 100.", lambda w: w.lam**2 * _ckce(w)),
        Step(r"\sum_j \lambda^2\,\|s_j\|^2 \,/\, (\mu_j + \lambda)^2", "In the basis of C = ΦᵀΦ/n, where K = ΦΦᵀ: C v_j = μ_j v_j, s_j = v_jᵀS, S = ΦᵀΔ/n.", lambda w: (w.lam / (w.energy[0] + w.lam)) ** 2 @ w.energy[1]),
        Step(r"\mathrm{SKCE}_b", "Every factor λ²/(μ_j + λ)² is below 1, by about 2μ_j/λ.", _skce_b, printed="the limit, taken for the value at this λ"),
        Step(r"\mathrm{SKCE}_b = \sum_j \|s_j\|^2", "Dropping the factors can only add.", _skce_b, relation="<="),
        Step(r"(1 + \mu_{max} / \lambda)^2\ \lambda^2\,\mathrm{CKCE}_{\lambda}", "No factor is below that of the largest eigenvalue. As λ grows the bracket tends to 1 and closes the gap: all directions count alike.",
             lambda w: (1 + w.energy[0].max() / w.lam) ** 2 * w.lam**2 * _ckce(w), relation="<="),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _two_models(rng):
    """Two directions with μ_1 > μ_2; model A errs along the first, model B along the second by less."""
    mu = np.array([rng.uniform(0.3, 0.6), rng.uniform(0.02, 0.1)])
    alpha = rng.uniform(0.1, 0.3)
    ratio = rng.uniform(1.2 * mu[1] / mu[0], 0.9)  # √β/√α, so that they do swap at some λ > 0
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    return {"mu": mu, "alpha": alpha, "beta": ratio**2 * alpha, "C": turn * mu @ turn.T, "turn": turn}


def _swap_by_search(w):
    """The λ at which both models have the same CKCE, with matrices."""
    a, b = np.sqrt(w["alpha"]) * w["turn"][:, 0], np.sqrt(w["beta"]) * w["turn"][:, 1]
    ckce_of = lambda s, lam: squared(np.linalg.solve(w["C"] + lam * np.eye(2), s))
    return brentq(lambda lam: np.log(ckce_of(a, lam) / ckce_of(b, lam)), 0, 1e4, xtol=1e-14, rtol=1e-14)


def _swap_by_line(w):
    """Root of √α(μ_2 + λ) − √β(μ_1 + λ), a linear function, from its values at 0 and 1."""
    at = lambda lam: np.sqrt(w["alpha"]) * (w["mu"][1] + lam) - np.sqrt(w["beta"]) * (w["mu"][0] + lam)
    return -at(0) / (at(1) - at(0))


ranking_flips = Derivation(
    title="When two models change places",
    claim="Model A errs where predictions vary much, B less, but where they vary little: SKCE_b prefers B, CKCE prefers A, if λ is small enough.",
    world=_two_models,
    describe=lambda w: f"μ = {w['mu'][0]:.2f} and {w['mu'][1]:.2f}, α = {w['alpha']:.2f}, β = {w['beta']:.3f}",
    steps=(
        Step(r"\lambda^*\ \mathrm{where}\ \|(C + \lambda I)^{-1} S_A\|^2 = \|(C + \lambda I)^{-1} S_B\|^2", "C has eigenvalues μ_1 > μ_2. S_A has length √α along the first eigenvector, S_B the smaller √β along the second. Where their CKCEs meet, by search.", _swap_by_search),
        Step(r"\lambda\ \mathrm{where}\ \sqrt{\alpha}\,(\mu_2 + \lambda) = \sqrt{\beta}\,(\mu_1 + \lambda)", "One direction each, so α/(μ_1 + λ)² = β/(μ_2 + λ)². Take roots: an equation that is linear in λ.", _swap_by_line),
        Step(r"\frac{\beta\,\mu_1 - \alpha\,\mu_2}{\alpha - \beta}", "Roots not taken: right for the half-way member ⟨S, (C + λI)⁻¹S⟩, which divides once.",
             lambda w: (w["beta"] * w["mu"][0] - w["alpha"] * w["mu"][1]) / (w["alpha"] - w["beta"]), printed="a common slip: the inverse used once"),
        Step(r"\frac{\sqrt{\beta}\,\mu_1 - \sqrt{\alpha}\,\mu_2}{\sqrt{\alpha} - \sqrt{\beta}}", "Below λ* B has the larger CKCE, above it A, as for SKCE_b. A ranking by CKCE is a statement about λ as well.",
             lambda w: (np.sqrt(w["beta"]) * w["mu"][0] - np.sqrt(w["alpha"]) * w["mu"][1]) / (np.sqrt(w["alpha"]) - np.sqrt(w["beta"]))),
    ),
    tolerance=1e-9,
)  # fmt: skip
