"""Weights of a conditional mean, the CKCE from kernel values, kernel (8), what a penalty keeps; guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _residuals(rng, n, d=3):
    """Rows p − e_y of random predictions and labels."""
    return rng.dirichlet(np.ones(d), n) - np.eye(d)[rng.integers(0, d, n)]


def _near(rows):
    """A kernel matrix of rows."""
    return np.exp(-((rows[:, None] - rows) ** 2))


def _matrix_and_column(rng):
    rows = rng.normal(size=5)
    return _near(rows), np.exp(-((rows - rng.normal()) ** 2)), rng.uniform(0.05, 0.5)


def _matrix_and_residuals(rng):
    return _near(rng.normal(size=5)), _residuals(rng, 5), rng.uniform(0.05, 0.5)


def ridge_weights(K, k_q, lam):
    """(K + λnI)⁻¹ k(·, q)."""
    n = len(K)
    return np.linalg.solve(K + lam * n * np.eye(n), k_q)


def ckce_dual(K, Delta, lam):
    """Tr(WΔΔᵀWK), W = (K + λnI)⁻¹."""
    n = len(K)
    A = np.linalg.solve(K + lam * n * np.eye(n), Delta)
    return np.sum(A * (K @ A))


def _dual(K, Delta, ridge, combine=lambda K, A, Delta: np.sum(A * (K @ A))):
    """ckce_dual with another multiple of I, or with the regression used in another way."""
    return combine(K, np.linalg.solve(K + ridge, Delta), Delta)


def _dual_mistake(combine):
    return lambda K, Delta, lam: _dual(K, Delta, lam * len(K) * np.eye(len(K)), combine)


def kernel_8(P, Q, gamma):
    """⟨p, q⟩ + exp(−‖p − q‖²/2γ²) for all rows p of P and q of Q."""
    squared = ((P[:, None] - Q) ** 2).sum(axis=-1)
    return P @ Q.T + np.exp(-squared / (2 * gamma**2))


def _kernel(combine):
    def wrong(P, Q, gamma):
        return combine(P @ Q.T, ((P[:, None] - Q) ** 2).sum(axis=-1), gamma)

    return wrong


check = Checks([
    Exercise(
        "ridge_weights", ridge_weights, "The same weights serve every function of the label: Σ w_i y_i, Σ w_i p_i, Σ w_i e_{y_i}. They may be negative, and need not sum to 1.",
        inputs=_matrix_and_column,
        hint="Solve a linear system: the matrix is K with something added on its diagonal, the right side is k(·, q).",
        mistakes=[
            Mistake(lambda K, k, s: np.linalg.solve(K + s * np.eye(len(K)), k), "λ is multiplied by n: the penalty stands beside a sum over n rows, not beside a mean."),
            Mistake(lambda K, k, s: np.linalg.solve(K / len(K) + s * np.eye(len(K)), k), "K/n + λI, but then k_q must be divided by n, too. Or add λn to the diagonal of K as it is."),
            Mistake(lambda K, k, s: np.linalg.solve(K, k), "λ is missing. Without it two rows that are nearly equal get huge weights of opposite sign."),
            Mistake(lambda K, k, s: np.linalg.solve(K + s * len(K), k), "K + λn adds to every entry. Only the diagonal gets it: multiply by np.eye(n)."),
            Mistake(lambda K, k, s: k / k.sum(), "Those are the weights of a local average (notebook 05). Ridge regression solves a linear system."),
            Mistake(lambda K, k, s: (K + s * len(K) * np.eye(len(K))) @ k, "Multiplied by the matrix. Its inverse is needed: np.linalg.solve."),
            Mistake(lambda K, k, s: ridge_weights(K, k, s) / ridge_weights(K, k, s).sum(), "Do not normalise: these weights need not sum to 1, and a large λ pulls the mean towards 0."),
        ],
    ),
    Exercise(
        "ckce_dual", ckce_dual, "Eq. 7. A = WΔ holds the coefficients of the regression, and tr AᵀKA is its squared RKHS norm.",
        inputs=_matrix_and_residuals,
        hint="Solve for A = WΔ first, no inverse needed. A function Σ_i a_i k(p_i, ·) has the squared norm aᵀKa; add these up over the columns.",
        mistakes=[
            Mistake(lambda K, D, s: _dual(K, D, s * np.eye(len(K))), "λ is multiplied by n in W: the penalty stands beside a sum over n rows."),
            Mistake(lambda K, D, s: _dual(K / len(K), D, s * np.eye(len(K))), "K/n + λI, but then the rest must be divided, too. W is (K + λnI)⁻¹ with K as it is."),
            Mistake(lambda K, D, s: np.sum(np.linalg.pinv(K) @ D * D), "λ is missing: add λn to the diagonal of K before you solve."),
            Mistake(lambda K, D, s: _dual(K, D, s * len(K)), "K + λn adds to every entry. Only the diagonal gets it: multiply by np.eye(n)."),
            Mistake(lambda K, D, s: np.sqrt(ckce_dual(K, D, s)), "No root: the CKCE is the squared norm."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum(A**2)), "K is missing: that is the size of the coefficients, not the norm of the function that they make."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum((K @ A) ** 2) / len(K)), "That is the mean of ‖g(p_i)‖², the L² norm (the error of notebook 07). Eq. 7 has K once: the RKHS norm."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum((K @ A) ** 2)), "Eq. 7 has K once, not twice."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum(D * (K @ A))), "W stands on both sides of ΔΔᵀ. One of yours is missing."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum(D * (K @ D)) / len(K) ** 2), "No W has entered: that is the biased SKCE."),
            Mistake(_dual_mistake(lambda K, A, D: ((K @ A) @ A.T).sum()), "That is a sum over all entries. The trace has the diagonal only."),
        ],
    ),
    Exercise(
        "kernel_8", kernel_8, "Linear functions, so that q itself is in the space, and a Gaussian, so that any curve can be approached.",
        inputs=lambda rng: (rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(3), 2), rng.uniform(0.3, 1.0)),
        hint="A matrix product for the first part. For the second: squared distances of all pairs, by broadcasting P[:, None] − Q.",
        mistakes=[
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / g**2)), "The paper has 2γ² below, not γ²: a bandwidth, not a width."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / 2 * g**2)), "−sq/2·γ² multiplies by γ²: put 2γ² in brackets, or divide twice."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-g * sq)), "Here γ is a bandwidth: divide by 2γ²."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / (2 * g))), "γ is squared in the exponent."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-np.sqrt(sq) / (2 * g**2))), "The distance is squared in the exponent."),
            Mistake(_kernel(lambda dot, sq, g: dot * np.exp(-sq / (2 * g**2))), "Added, not multiplied: a sum holds the functions of both, a product does not."),
            Mistake(_kernel(lambda dot, sq, g: np.exp(-sq / (2 * g**2))), "Only the Gaussian. It holds no linear function, not even a constant: add ⟨p, q⟩."),
            Mistake(_kernel(lambda dot, sq, g: dot), "Only the linear part. It cannot bend: add the Gaussian."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(sq / (2 * g**2))), "The sign in the exponent: near pairs count most."),
        ],
    ),
    Exercise(
        "kept", 0.001, "Kept is μ/(μ + λ) = .003/.004. A λ of .003 keeps half, the paper's .17 less than 2 %.",
        hint="Set μ/(μ + λ) to three quarters and solve for λ.",
        mistakes=[
            Mistake(0.009, "That λ keeps one quarter: λ is then three times μ."),
            Mistake(0.004, "That is μ + λ. Take μ away."),
            Mistake(0.00075, "A quarter of μ keeps four fifths. What is lost is λ/(μ + λ), not λ/μ."),
            Mistake(0.00225, "Three quarters of μ keeps a little more than half: compare λ with μ + λ, not with μ."),
            Mistake(0.003, "With λ = μ half is kept."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    forty_seven=(
        "Naive Bayes is .9 to .99 sure of 47 images, and right in about half of them. The last bin of the reliability diagram holds them and a thousand others. Which miss does it show?",
        [".47", ".25", ".083"], ".083",
        "The 47 are over-confident by .474, their bin by .083: nearly all of its images are others. A regression of the miss on the confidence can see the 47, if its penalty λ is small."),
    negative_weights=(
        "The mean at a confidence of .55, with λ = .01. May an image count with a negative weight?",
        ["no: weights are shares", "yes"], "yes",
        "In the picture's right part some images lie below the dashes. Ridge regression does not divide by a sum: it solves a linear system, and takes back on one side of q what it gave too much on the other."),
    gaussian_alone=(
        "A model is over-confident by .15 everywhere. Can a regression with a Gaussian kernel alone represent that miss?",
        ["yes, exactly", "ever closer, never exactly", "no, not nearly"], "ever closer, never exactly",
        "No constant is in the space of a Gaussian kernel. As λ falls the fit comes as close as you like, but its squared norm, the CKCE, goes on growing: .100, .121, .133 for "
        "λ = .01, .0001, .000001. With the linear kernel it stays at .090: on the simplex a constant is linear, as probabilities sum to 1."),
    other_splits=(
        "λ = .001, and both models trained and tested again on 20 other splits. On how many of them has logistic regression the smaller CKCE?",
        ["about half", "about three quarters", "all of them"], "all of them",
        "And with the paper's λ on none. So this is no luck of a split: it is λ. Both hold on most splits for bandwidths from .05 to .3, too. "
        "At λ = 100, far right, the CKCE ranks as the biased SKCE does."),
    how_many_above=(
        "Logistic regression, ten classes, λ = .17: how many eigenvalues of C lie above λ, so that more than half is kept?",
        ["one", "ten", "nearly all"], "one",
        "The largest is .63; nine lie a little below λ, and keep a third to a half. All others keep less than 2 %."),
)
