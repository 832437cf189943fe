"""Weights of a conditional mean, the CKCE from kernel values, kernel (8), what a penalty keeps; guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _near(rows):
    """A kernel matrix of rows."""
    return np.exp(-((rows[:, None] - rows) ** 2))


def _matrix_and_column(rng):
    rows = rng.normal(size=5)
    return _near(rows), np.exp(-((rows - rng.normal()) ** 2)), rng.uniform(0.05, 0.5)


def _matrix_and_residuals(rng):
    delta = rng.dirichlet(np.ones(3), 5) - np.eye(3)[rng.integers(0, 3, 5)]
    return _near(rng.normal(size=5)), delta, rng.uniform(0.05, 0.5)


def ridge_weights(K, k_q, lam):
    """(K + λnI)⁻¹ k(·, q)."""
    n = len(K)
    return np.linalg.solve(K + lam * n * np.eye(n), k_q)


def ckce_dual(K, Delta, lam):
    """Tr(WΔΔᵀWK), W = (K + λnI)⁻¹."""
    n = len(K)
    A = np.linalg.solve(K + lam * n * np.eye(n), Delta)
    return np.sum(A * (K @ A))


def _dual(combine):
    """What `ckce_dual` does with the coefficients, done in another way."""
    return lambda K, D, lam: combine(K, np.linalg.solve(K + lam * len(K) * np.eye(len(K)), D), D)


def kernel_8(P, Q, gamma):
    """⟨p, q⟩ + exp(−‖p − q‖²/2γ²) for all rows p of P and q of Q."""
    squared = ((P[:, None] - Q) ** 2).sum(axis=-1)
    return P @ Q.T + np.exp(-squared / (2 * gamma**2))


def _kernel(combine):
    return lambda P, Q, gamma: combine(P @ Q.T, ((P[:, None] - Q) ** 2).sum(axis=-1), gamma)


check = Checks([
    Exercise("ridge_weights", ridge_weights,
        "The same weights serve every function of the label: Σ w_i y_i, Σ w_i p_i, Σ w_i e_{y_i}. They may be negative, and need not sum to 1.",
        Mistake(lambda K, k, s: np.linalg.solve(K + s * np.eye(len(K)), k), "λ is multiplied by n: the penalty stands beside a sum over n rows, not beside a mean."),
        Mistake(lambda K, k, s: np.linalg.solve(K / len(K) + s * np.eye(len(K)), k), "K/n + λI, but then k_q must be divided by n, too. Or add λn to the diagonal of K as it is."),
        Mistake(lambda K, k, s: np.linalg.solve(K + s * len(K), k), "K + λn adds to every entry. Only the diagonal gets it: multiply by np.eye(n)."),
        Mistake(lambda K, k, s: k / k.sum(), "Those are the weights of a local average (notebook 05). Ridge regression solves a linear system."),
        Mistake(lambda K, k, s: ridge_weights(K, k, s) / ridge_weights(K, k, s).sum(), "Do not normalise: these weights need not sum to 1, and a large λ pulls the mean towards 0."),
        inputs=_matrix_and_column, hint="Solve a linear system: the matrix is K with something added on its diagonal, the right side is k(·, q)."),
    Exercise("ckce_dual", ckce_dual,
        "Eq. 7. A = WΔ holds the coefficients of the regression, and tr AᵀKA is the squared length of the function that they make.",
        Mistake(lambda K, D, s: ckce_dual(K, D, s / len(K)), "λ is multiplied by n in W: the penalty stands beside a sum over n rows."),
        Mistake(lambda K, D, s: np.sqrt(ckce_dual(K, D, s)), "No root: the CKCE is the squared norm."),
        Mistake(_dual(lambda K, A, D: np.sum(A**2)), "K is missing: that is the size of the coefficients, not the norm of the function that they make."),
        Mistake(_dual(lambda K, A, D: np.sum((K @ A) ** 2) / len(K)), "That is the mean of ‖g(p_i)‖², the L² norm (the error of notebook 07). Eq. 7 has K once: the RKHS norm."),
        Mistake(_dual(lambda K, A, D: np.sum(D * (K @ A))), "W stands on both sides of ΔΔᵀ. One of yours is missing."),
        inputs=_matrix_and_residuals, hint="Solve for A = WΔ first, no inverse needed. A function Σ_i a_i k(p_i, ·) has the squared norm aᵀKa; add these up over the columns."),
    Exercise("kernel_8", kernel_8,
        "Linear functions, so that q itself is in the space, and a Gaussian, so that any curve can be approached.",
        Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / g**2)), "The paper has 2γ² below, not γ²: a bandwidth, not a width."),
        Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / 2 * g**2)), "−sq/2·γ² multiplies by γ²: put 2γ² in brackets, or divide twice."),
        Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-g * sq)), "Here γ is a bandwidth: divide by 2γ²."),
        Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-np.sqrt(sq) / (2 * g**2))), "The distance is squared in the exponent."),
        Mistake(_kernel(lambda dot, sq, g: dot * np.exp(-sq / (2 * g**2))), "Added, not multiplied: a sum holds the functions of both, a product does not."),
        Mistake(_kernel(lambda dot, sq, g: np.exp(-sq / (2 * g**2))), "Only the Gaussian. It holds no linear function, not even a constant: add ⟨p, q⟩."),
        inputs=lambda rng: (rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(3), 2), rng.uniform(0.3, 1.0)), hint="A matrix product for the first part. For the second: squared distances of all pairs, by broadcasting P[:, None] − Q."),
    Exercise("kept", 0.001,
        "μ/(μ + λ) is three quarters if λ is a third of μ. The paper's λ is far larger, and keeps next to nothing of this bend.",
        Mistake(0.009, "That λ keeps one quarter: λ is then three times μ."),
        Mistake(0.004, "That is μ + λ. Take μ away."),
        Mistake(0.00075, "A quarter of μ keeps four fifths. What is lost is λ/(μ + λ), not λ/μ."),
        Mistake(0.003, "With λ = μ half is kept."),
        hint="Set μ/(μ + λ) to three quarters and solve for λ."),
])


guess = Guesses(
    forty_seven=(
        "Naive Bayes is .9 to .99 sure of 47 images, and right in about half of them. The last bin of the reliability diagram holds them and a thousand others. Which miss does it show?",
        [".47", ".25", ".083"], ".083",
        "The 47 are over-confident by .474, their bin by .083: nearly all of its images are others. A regression of the miss on the confidence can see the 47, if its penalty λ is small."),
    linear_alone=(
        "The true miss is an S: too little is said below one half, too much above. How much of it does a linear kernel not find, with λ = .001 and no noise at all?",
        ["nothing", "about a third", "nearly all"], "about a third",
        "31 %: its fit is a straight line through the S. A smaller λ does not help, since a linear kernel has no other functions."),
    how_many_above=(
        "Logistic regression, ten classes, λ = .17: how many eigenvalues of C lie above λ, so that more than half is kept?",
        ["one", "ten", "nearly all"], "one",
        "The largest is .63; nine lie a little below λ, and keep a third to a half. All others keep less than 2 %."),
    before=[
        ("Two bumps at one place less one bump at another, k = .5 between them: what is its squared length?", ["3", "5", "7"], "3",
         "The squares of the heights, and twice their product times k, here negative (notebook 04, section 2)."),
        ("Which of the three estimates of the SKCE can be negative?", ["the biased one", "the other two", "none"], "the other two",
         "Only the biased one is a squared length (notebook 08, section 1)."),
        ("What does ukkr regress on the features?", ["the residual", "products of pairs of residuals", "the label"],
         "the residual", "It multiplies two fits; kkr regresses products (notebook 07, sections 1 and 2).")])
