"""Derivations of notebook 06, second part: the mean and the variance of random Fourier features."""

import numpy as np

from ..derive import Derivation, Step
from .ckce_atoms import normal_grid

__all__ = ["fourier_mean", "fourier_variance"]


def _pair(rng):
    """Two predictions p and q, a bandwidth γ, and a number D of frequencies."""
    return {"p": rng.dirichlet(np.ones(3)), "q": rng.dirichlet(np.ones(3)), "gamma": rng.uniform(0.6, 0.9), "D": int(rng.integers(1, 4))}  # fmt: skip


def _distance(w):
    """‖p − q‖/γ."""
    return np.linalg.norm(w["p"] - w["q"]) / w["gamma"]


def _kernel(w, times=1):
    """κ of `times` the difference: exp(−‖times (p − q)‖²/2γ²)."""
    return np.exp(-((times * (w["p"] - w["q"])) ** 2).sum() / (2 * w["gamma"] ** 2))


def _over_frequencies(w, value):
    """⟨p, q⟩ + E value(wᵀp, wᵀq) over w ~ N(0, γ⁻²I) in three dimensions."""
    points, mass = normal_grid(3, 24)
    return w["p"] @ w["q"] + mass @ value(points @ w["p"] / w["gamma"], points @ w["q"] / w["gamma"])


def _along(w, value):
    """E value(wᵀu) for u = p − q, through one normal number g: wᵀu has the law of g‖u‖/γ."""
    g, mass = normal_grid(1, 40)
    return mass @ value(g[:, 0] * _distance(w))


fourier_mean = Derivation(
    title="Fourier features have the right mean",
    claim="The mean of ⟨φ̂(p), φ̂(q)⟩ over random frequencies w ~ N(0, γ⁻²I) is the kernel of eq. 8, for every number D of frequencies.",
    world=_pair,
    describe=lambda w: f"D = {w['D']}, γ = {w['gamma']:.2f}",
    steps=(
        Step(r"\mathbb{E}\,\langle\hat{\varphi}(p), \hat{\varphi}(q)\rangle = p^T q + \mathbb{E}[\cos w^T p\,\cos w^T q + \sin w^T p\,\sin w^T q]",
             "φ̂(p) is p followed by cos(w_jᵀp)/√D and sin(w_jᵀp)/√D, j = 1, …, D. All j have the same mean, so D cancels. The integral over w in R³, by quadrature.",
             lambda w: _over_frequencies(w, lambda a, b: np.cos(a) * np.cos(b) + np.sin(a) * np.sin(b))),
        Step(r"p^T q + \mathbb{E}\,\cos w^T u,\quad u = p - q", "cos a cos b + sin a sin b = cos(a − b): only the difference of the two predictions is left.",
             lambda w: _over_frequencies(w, lambda a, b: np.cos(a - b))),
        Step(r"p^T q + 2\,\mathbb{E}\,\cos w^T p\,\cos w^T q", "2 cos a cos b = cos(a − b) + cos(a + b): a second kernel, of p + q, comes along.",
             lambda w: _over_frequencies(w, lambda a, b: 2 * np.cos(a) * np.cos(b)), printed="a common slip: cosines without sines"),
        Step(r"p^T q + \mathbb{E}\,\cos(g\,\|u\| / \gamma),\quad g \sim N(0, 1)", "wᵀu is a sum of normal numbers: normal, with mean 0 and variance ‖u‖²/γ².",
             lambda w: w["p"] @ w["q"] + _along(w, np.cos)),
        Step(r"p^T q + \exp(-\|p - q\|^2 / 2\gamma^2)", "The characteristic function of a normal number: E cos(tg) = exp(−t²/2). This is the kernel of eq. 8.",
             lambda w: w["p"] @ w["q"] + _kernel(w)),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _mean_of_cosines(w):
    """Var of (1/D)Σ_j cos(w_jᵀu) over D independent frequencies, as a D-dimensional integral."""
    g, mass = normal_grid(w["D"], 40)
    value = np.cos(g * _distance(w)).mean(axis=1)
    return mass @ value**2 - (mass @ value) ** 2


def _with_phases(w):
    """Var of the mean over D of 2 cos(wᵀp + b) cos(wᵀq + b), the phase b uniform on the circle."""
    plane = np.linalg.qr(np.column_stack([w["p"], w["q"]]))[1]  # p and q in a basis of their plane
    points, mass = normal_grid(2, 40)
    a, b = (points @ plane / w["gamma"]).T
    phase = np.arange(8)[:, None] * np.pi / 4  # eight phases integrate products of four cosines exactly
    value = 2 * np.cos(a + phase) * np.cos(b + phase)
    return ((value**2).mean(axis=0) @ mass - (value.mean(axis=0) @ mass) ** 2) / w["D"]


fourier_variance = Derivation(
    title="How much Fourier features scatter",
    claim="The variance of ⟨φ̂(p), φ̂(q)⟩ is (1 − κ²)²/(2D), κ = exp(−‖p − q‖²/2γ²): none for near predictions, at most 1/(2D) for far ones.",
    world=_pair,
    describe=lambda w: f"D = {w['D']}, κ = {_kernel(w):.2f}",
    steps=(
        Step(r"\mathrm{Var}\,\langle\hat{\varphi}(p), \hat{\varphi}(q)\rangle = \mathrm{Var}\ \frac{1}{D}\sum_j \cos w_j^T u,\quad u = p - q",
             "pᵀq is not random, and each pair of features makes one cosine. The D frequencies w_j ~ N(0, γ⁻²I) are independent: an integral in D dimensions.",
             _mean_of_cosines),
        Step(r"\frac{1}{D}\,(\,\mathbb{E}\,\cos^2 w^T u - \kappa^2)", "The variance of a mean of D independent numbers is 1/D of the variance of one. Its mean is κ.",
             lambda w: (_along(w, lambda t: np.cos(t) ** 2) - _kernel(w) ** 2) / w["D"]),
        Step(r"\frac{1}{2D}\,(1 + k(2u) - 2\,k(u)^2)", "2 cos² t = 1 + cos 2t, so the mean of the square is half of 1 + k(2u), where k(u) = exp(−‖u‖²/2γ²) = κ.",
             lambda w: (1 + _kernel(w, 2) - 2 * _kernel(w) ** 2) / (2 * w["D"])),
        Step(r"\frac{1}{D}\,(1 + \frac{1}{2}\,k(2u) - k(u)^2)", "The variance of another map, √(2/D) cos(wᵀp + b) with a random phase b: right mean too, but scatter even at p = q.",
             _with_phases, printed="the two usual maps taken for one"),
        Step(r"\frac{1}{2D}\,(1 - \kappa^2)^2", "k(2u) = κ⁴, because ‖2u‖² = 4‖u‖²: a complete square.", lambda w: (1 - _kernel(w) ** 2) ** 2 / (2 * w["D"])),
        Step(r"\frac{1}{2D}", "κ is between 0 and 1. The error of the kernel therefore falls like 1/√D: four times the features for half of it.",
             lambda w: 1 / (2 * w["D"]), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip
