"""Exercises of the lesson conditional_error."""

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


def _features_and_residuals(rng):
    return rng.normal(size=(6, 3)), _residuals(rng, 6), rng.uniform(0.05, 0.5)


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


def ckce_primal(Phi, Delta, lam):
    """‖(C + λI)⁻¹S‖², C = ΦᵀΦ/n, S = ΦᵀΔ/n."""
    n, r = Phi.shape
    A = np.linalg.solve(Phi.T @ Phi / n + lam * np.eye(r), Phi.T @ Delta / n)
    return np.sum(A**2)


def _primal(combine, scale=1.0, penalty=lambda lam, n: lam):
    """ckce_primal with another penalty, a scaled C, or another norm of the parts."""

    def wrong(Phi, Delta, lam):
        n, r = Phi.shape
        C, S = Phi.T @ Phi / n * (n if scale == "n" else scale), Phi.T @ Delta / n
        return combine(C, S, np.linalg.inv(C + penalty(lam, n) * np.eye(r)), n)

    return wrong


def jkce(K, Delta):
    """Mean of k_ij⟨δ_i, δ_j⟩ over the n(n − 1) pairs i ≠ j."""
    n = len(K)
    h = K * (Delta @ Delta.T)
    return (h.sum() - np.trace(h)) / (n * (n - 1))


def _over_h(combine):
    return lambda K, Delta: combine(K * (Delta @ Delta.T), len(K))


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
            Mistake(_dual_mistake(lambda K, A, D: np.sum((K @ A) ** 2) / len(K)), "That is the mean of ‖g(p_i)‖², the L² norm (the error of notebook 03). Eq. 7 has K once: the RKHS norm."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum((K @ A) ** 2)), "Eq. 7 has K once, not twice."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum(D * (K @ A))), "W stands on both sides of ΔΔᵀ. One of yours is missing."),
            Mistake(_dual_mistake(lambda K, A, D: np.sum(D * (K @ D)) / len(K) ** 2), "No W has entered: that is the biased SKCE."),
            Mistake(_dual_mistake(lambda K, A, D: ((K @ A) @ A.T).sum()), "That is a sum over all entries. The trace has the diagonal only."),
        ],
    ),
    Exercise(
        "ckce_primal", ckce_primal, "Eq. 9, and the same number as eq. 7 with K = ΦΦᵀ: r × r matrices instead of n × n, so n may be large.",
        inputs=_features_and_residuals,
        hint="Two small matrices, both means over rows: C of φφᵀ, S of φδᵀ. Regress, then take the sum of squares of the coefficients.",
        mistakes=[
            Mistake(_primal(lambda C, S, I, n: np.sum((I @ S) ** 2), penalty=lambda lam, n: lam * n), "C is a mean already, so λ stands beside it without n. (K is a sum: there it is λn.)"),
            Mistake(lambda Phi, D, s: np.sum(np.linalg.solve(Phi.T @ Phi + s * np.eye(Phi.shape[1]), Phi.T @ D) ** 2), "ΦᵀΦ + λI: you left both means as sums, and then λ must be λn. Divide ΦᵀΦ and ΦᵀΔ by n."),
            Mistake(_primal(lambda C, S, I, n: np.sum((np.linalg.pinv(C) @ S) ** 2)), "λ is missing: add λI to C before you solve."),
            Mistake(_primal(lambda C, S, I, n: np.sum((I @ S) ** 2), scale="n"), "S is a mean, C is a sum. Divide both by n."),
            Mistake(_primal(lambda C, S, I, n: np.sum((I @ S * n) ** 2)), "C is a mean, S is a sum. Divide both by n."),
            Mistake(_primal(lambda C, S, I, n: np.sum(S**2)), "‖S‖² is the biased SKCE. The CKCE divides by C + λ first."),
            Mistake(_primal(lambda C, S, I, n: np.sum(S * (I @ S))), "The inverse enters twice: square it together with S."),
            Mistake(_primal(lambda C, S, I, n: np.sum((I @ S) * (C @ I @ S))), "That is the L² norm of the regression, the mean of ‖g(p_i)‖². The CKCE is its RKHS norm: squares of the coefficients."),
            Mistake(_primal(lambda C, S, I, n: np.sqrt(np.sum((I @ S) ** 2))), "No root: the CKCE is the squared norm."),
            Mistake(_primal(lambda C, S, I, n: I @ S), "Those are the coefficients. Sum their squares."),
        ],
    ),
    Exercise(
        "jkce", jkce, "The unbiased SKCE of notebook 04: the distance of the joint laws of (Y, p) and (Z, p), Z drawn from p.",
        inputs=lambda rng: (_near(rng.normal(size=5)), _residuals(rng, 5)),
        hint="All inner products of residual rows at once, entry by entry times the kernel; then a mean over the pairs of two different rows.",
        mistakes=[
            Mistake(_over_h(lambda h, n: h.mean()), "The diagonal is in your mean: there a residual meets itself."),
            Mistake(_over_h(lambda h, n: (h.sum() - np.trace(h)) / n**2), "The diagonal is gone, but you still divide by n²."),
            Mistake(_over_h(lambda h, n: h.sum() / (n * (n - 1))), "You divide by the number of pairs i ≠ j, but the diagonal is still in the sum."),
            *(Mistake(_over_h(lambda h, n, of=of: np.triu(h).sum() / of(n)), "np.triu keeps the diagonal: np.triu(h, 1) leaves it out.")
              for of in (lambda n: n * (n - 1) / 2, lambda n: n * (n - 1), lambda n: n * (n + 1) / 2)),
            Mistake(_over_h(lambda h, n: h.sum() - np.trace(h)), "This is the sum over i ≠ j. Make it a mean."),
            Mistake(_over_h(lambda h, n: np.triu(h, 1).sum() / (n * (n - 1))), "Each pair is counted once, but you divide by the number of ordered pairs."),
            Mistake(lambda K, D: jkce(np.ones_like(K), D), "The kernel is missing: this is the distance of the overall label frequencies."),
            Mistake(lambda K, D: jkce(K @ D @ D.T, np.ones((len(K), 1))), "* multiplies entry by entry, @ is a matrix product."),
            Mistake(lambda K, D: max(0.0, jkce(K, D)), "Cut at 0 it is biased: an unbiased estimate of 0 must fall on both sides."),
        ],
    ),
    Exercise(
        "kernel_8", kernel_8, "Linear functions, so that q itself is in the space, and a Gaussian, so that any curve can be approached.",
        inputs=lambda rng: (rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(3), 2), rng.uniform(0.3, 1.0)),
        hint="A matrix product for the first part. For the second: squared distances of all pairs, by broadcasting P[:, None] − Q.",
        mistakes=[
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / g**2)), "The paper has 2γ² below, not γ²: a bandwidth, not a width."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / 2 * g**2)), "−sq/2·γ² multiplies by γ²: put 2γ² in brackets, or divide twice."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-g * sq)), "That is γ as in notebook 03. Here it is a bandwidth: divide by 2γ²."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-sq / (2 * g))), "γ is squared in the exponent."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(-np.sqrt(sq) / (2 * g**2))), "The distance is squared in the exponent."),
            Mistake(_kernel(lambda dot, sq, g: dot * np.exp(-sq / (2 * g**2))), "Added, not multiplied: a sum holds the functions of both, a product does not."),
            Mistake(_kernel(lambda dot, sq, g: np.exp(-sq / (2 * g**2))), "Only the Gaussian. It holds no linear function, not even a constant: add ⟨p, q⟩."),
            Mistake(_kernel(lambda dot, sq, g: dot), "Only the linear part. It cannot bend: add the Gaussian."),
            Mistake(_kernel(lambda dot, sq, g: dot + np.exp(sq / (2 * g**2))), "The sign in the exponent: near pairs count most."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    who_sees=(
        "Naive Bayes is right in 23 of 47 images of which it is .9 to .99 sure. The CKCE here has kernel (8) on the confidence, with bandwidth .1. Which error takes notice?",
        ["the ECE with ten bins", "the CKCE with the paper's λ", "the CKCE with λ = .001"], "the CKCE with λ = .001",
        "The gap is .474. The bin with these images says .083, the regression in the CKCE with the paper's λ = .17 expects .09 there, with λ = .001 it expects .38. "
        "So λ decides what is seen, and who looks better: with λ = .17 naive Bayes has the smaller CKCE, with λ = .001 logistic regression, on this split and on most others."),
    gaussian_alone=(
        "A model says .15 too much everywhere. Can a regression with a Gaussian kernel alone represent that?",
        ["yes, exactly", "ever closer, never exactly", "no, not nearly"], "ever closer, never exactly",
        "No constant is in the space of a Gaussian kernel. As λ falls the fit comes as close as you like, but its squared norm, the CKCE, goes on growing: .100, .121, .133 for "
        "λ = .01, .0001, .000001. With the linear kernel it stays at .090: on the simplex a constant is linear, as probabilities sum to 1."),
)
