"""Exercises of notebook 06."""

import numpy as np
from scipy.stats import rankdata

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


def fourier_map(p, W):
    """p, then cos(Wp)/√D, then sin(Wp)/√D."""
    angles = W @ p
    return np.concatenate([p, np.cos(angles) / np.sqrt(len(W)), np.sin(angles) / np.sqrt(len(W))])


def tilt(confidence, times):
    """times^(rank/(n − 1)), divided by its mean; equal confidences share the mean of their ranks."""
    below = (confidence[:, None] > confidence).sum(axis=1)
    up_to = (confidence[:, None] >= confidence).sum(axis=1)
    weights = times ** ((below + up_to - 1) / 2 / (len(confidence) - 1))
    return weights / weights.mean()


def _tilted(confidence, times, rank):
    weights = times ** (rank / (len(confidence) - 1))
    return weights / weights.mean()


def _with_ties(rng):
    """Six confidences, two of them equal, in any order; and how much more the largest counts."""
    some = rng.uniform(0.2, 1, 5)
    return rng.permutation([*some, rng.choice(some)]), rng.uniform(2, 9)


def apart(f, n, g, m):
    """(g − f)/√(f(1 − f)/n + g(1 − g)/m)."""
    return (g - f) / np.sqrt(f * (1 - f) / n + g * (1 - g) / m)


def _pooled(f, n, g, m):
    """`apart` with one share for both groups."""
    both = (n * f + m * g) / (n + m)
    return (g - f) / np.sqrt(both * (1 - both) * (1 / n + 1 / m))


def _waves(combine):
    return lambda p, W: combine(p, W @ p, len(W))


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
    Exercise(
        "fourier_map", fourier_map, "The inner product of two such vectors has the mean k(p, q) of eq. 8, as cos a cos b + sin a sin b = cos(a − b).",
        inputs=lambda rng: (rng.dirichlet(np.ones(3)), rng.normal(size=(4, 3))),
        hint="The angles are one matrix–vector product. D of them: the D products cos a cos b + sin a sin b must average, so each factor takes a root.",
        mistakes=[
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a), np.sin(a)])), "The waves are not divided: their inner product is a sum over D frequencies, and must be a mean."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / D, np.sin(a) / D])), "Divided by D in each of two factors makes D² in the product. Take the root."),
            Mistake(_waves(lambda p, a, D: np.concatenate([np.cos(a), np.sin(a)]) / np.sqrt(D)), "p itself is missing: these are features of the Gaussian part only."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a), np.sin(a)]) / np.sqrt(D)), "p is not divided: ⟨p, q⟩ enters once, exactly."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a), np.sin(a)]) / np.sqrt(2 * D)), "p is not divided, and √D is enough: cos² + sin² is 1, not 2."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / np.sqrt(2 * D), np.sin(a) / np.sqrt(2 * D)])), "√D, not √(2D): cos² + sin² is 1, so D pairs of waves have the mean 1 already."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / np.sqrt(D)])), "Cosines alone make cos a cos b, which is not a function of a − b. Add the sines."),
            Mistake(_waves(lambda p, a, D: np.concatenate([p, np.ravel([np.cos(a), np.sin(a)], order="F") / np.sqrt(D)])), "The right features in the paper's order. Here: p, then all cosines, then all sines."),
        ],
    ),
    Exercise(
        "tilt", tilt, "Weights that depend on p alone leave P(Y | p) as it is: a shift of the crowd, and of nothing else.",
        inputs=_with_ties,
        hint="scipy.stats.rankdata gives ranks 1 … n, and equal confidences the mean of theirs. Take 1 away, divide by n − 1, and use that as the exponent.",
        mistakes=[
            Mistake(lambda c, t: _tilted(c, t, np.argsort(np.argsort(c))), "Equal confidences get different weights, by their order in the data: then P(Y | p) may move. Give them their mean rank (scipy.stats.rankdata)."),
            Mistake(lambda c, t: _tilted(c, t, np.searchsorted(np.sort(c), c)), "Equal confidences share a weight, good. But their rank is the mean of theirs, not the least."),
            Mistake(lambda c, t: _tilted(c, t, np.searchsorted(np.sort(c), c, side="right") - 1), "Equal confidences share a weight, good. But their rank is the mean of theirs, not the largest."),
            Mistake(lambda c, t: t ** ((rankdata(c) - 1) / (len(c) - 1)), "The shape is right. Divide by the mean, so that the weights have the mean 1."),
            Mistake(lambda c, t: tilt(c, 1 / t), "The wrong way round: the surest image counts most."),
            Mistake(lambda c, t: t**c / (t**c).mean(), "That uses the confidence itself as exponent. Here it is the rank, from 0 to 1."),
            Mistake(lambda c, t: t ** ((c - c.min()) / np.ptp(c)) / (t ** ((c - c.min()) / np.ptp(c))).mean(), "The exponent is the rank divided by n − 1, not the confidence."),
            Mistake(lambda c, t: t ** (np.argsort(c) / (len(c) - 1)) / (t ** (np.argsort(c) / (len(c) - 1))).mean(), "argsort once lists the images from least to most sure. Ranks need it twice."),
            Mistake(lambda c, t: tilt(c, t) / len(c), "These sum to 1. The mean is to be 1."),
            *[Mistake(lambda c, t, how=how: t ** ((rankdata(c, method=how) - 1) / (len(c) - 1)), "Two steps are left: equal confidences share the mean of their ranks, and the weights are divided by their mean.") for how in ("ordinal", "min", "max")],
        ],
    ),
    Exercise(
        "apart", apart, "Beyond 2 chance hardly explains it: these images are right more often (or less) at about the same confidence, and no error can be blamed for moving with that.",
        inputs=lambda rng: (rng.uniform(0.2, 0.9), int(rng.integers(50, 300)), rng.uniform(0.2, 0.9), int(rng.integers(50, 300))),
        hint="The variance of a share f of n independent cases is f(1 − f)/n. Variances of independent shares add up.",
        mistakes=[
            Mistake(lambda f, n, g, m: abs(apart(f, n, g, m)), "The size is right. Leave the sign: it says which way."),
            Mistake(_pooled, "The textbook's test of equal shares pools the two. Here each share keeps its own variance."),
            Mistake(lambda f, n, g, m: g - f, "That is the difference. Divide it by its standard error."),
            Mistake(lambda f, n, g, m: (f - g) / np.sqrt(f * (1 - f) / n + g * (1 - g) / m), "The sign: after minus before."),
            Mistake(lambda f, n, g, m: (g - f) / (f * (1 - f) / n + g * (1 - g) / m), "That is the variance. Take its root."),
            Mistake(lambda f, n, g, m: (g - f) / (np.sqrt(f * (1 - f) / n) + np.sqrt(g * (1 - g) / m)), "Variances add up, standard errors do not."),
            Mistake(lambda f, n, g, m: (g - f) / np.sqrt(f * (1 - f) + g * (1 - g)), "The numbers of cases are missing: each variance is f(1 − f)/n."),
        ],
    ),
    Exercise(
        "lowest_jkce", -0.3125,
        "k(p, p) = ¼ + 1, and for two different labels ⟨δ, δ'⟩ = ‖p‖² − ¼ − ¼ = −¼. With 1,000 classes this is −.001001: the −.002 of the paper's Table 1 cannot be (errata C1).",
        hint="All rows have the same p, so k is one number. The least inner product ⟨p − e_y, p − e_y'⟩ is that of two different labels.",
        mistakes=[
            Mistake(-0.25, "That is the inner product of two residuals. The kernel is not 1: it has a linear part."),
            Mistake(0.0, "An unbiased estimate of 0 falls on both sides: a few data with different labels go below."),
            Mistake(0.3125, "The size is right. What is the sign of ⟨δ, δ'⟩ for two different labels?"),
            Mistake(-1.25, "That is the kernel. Times the least inner product of two residuals."),
            Mistake(-0.0625, "That is the linear part of the kernel only; the Gaussian adds 1 to it."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    who_sees=(
        "Naive Bayes is right in 23 of 47 images of which it is .9 to .99 sure. The CKCE here has kernel (8) on the confidence, with bandwidth .1. Which error takes notice?",
        ["the ECE with ten bins", "the CKCE with the paper's λ", "the CKCE with λ = .001"], "the CKCE with λ = .001",
        "The gap is .474. The bin with these images says .083, the regression in the CKCE with the paper's λ = .17 expects .09 there, with λ = .001 it expects .38. "
        "So λ decides what is seen, and who looks better: with λ = .17 naive Bayes has the smaller CKCE, with λ = .001 logistic regression, on this split and on most others."),
    which_moves=(
        "Nothing changes but where the inputs are: P(Y | p) stays. Inputs move from one end of the range to its middle. Which error moves most?",
        ["ECE", "JKCE", "CKCE"], "JKCE",
        "In the paper's world, means of 400 data sets (n = 1,000), the bandwidth the median distance of each: from the ends to the middle √JKCE falls by 68 %, the ECE by 44 %, √CKCE by 8 %. "
        "The CKCE moves least of the three, with each bandwidth of the picture. The paper says that it stays constant (errata C3)."),
    what_moved=(
        "From the ends to the middle the CKCE falls by 15 % (no root; n = 1,000). The curve stays. What makes it fall?",
        ["the penalty λ", "the noise of the labels", "the crowd of inputs", "the bandwidth of the kernel"], "the bandwidth of the kernel",
        "The bandwidth is the median distance of the predictions, and these move: it is .016 at the ends and .346 in the middle. With one bandwidth for all data sets, from .05 to .5, nothing falls. "
        "The CKCE rises towards the middle, with and without noise, for each λ of the picture. (λ was the same for all data sets.) See for yourself: hold still one at a time."),
    small_penalty=(
        "One bandwidth, .1, and no noise: with the paper's λ = .178 the CKCE rises by 20 % from the ends to the middle. Now λ = .01. Is it steadier?",
        ["yes, nearly constant", "about the same", "no, it moves more"], "no, it moves more",
        "It rises by 137 %; with bandwidths from .05 to .5 by 100 % to 163 %. A small λ lets the regression follow the curve more closely, and each crowd shows it another piece."),
    large_penalty=(
        "Let λ grow without end. What becomes of the CKCE?",
        ["it tends to the ECE", "it tends to 0, and models rank as by the biased SKCE", "it grows without end"], "it tends to 0, and models rank as by the biased SKCE",
        "(C + λI)⁻¹ is nearly I/λ then, so λ² times the CKCE tends to ‖S‖², the biased SKCE. (Naive Bayes and logistic regression, in the picture of the opening: λ = 100.) A large λ gives back the marginal that the CKCE was made to remove."),
    constant_model=(
        "A model says the same to everyone: the true frequencies of the classes. Its CKCE?",
        ["about 0", "large: it knows nothing", "not defined"], "about 0",
        "It is calibrated. One prediction p, so CKCE = k‖mean δ‖²/(k + λ)² with k = k(p, p), and the mean residual is 0 but for chance. Only the median heuristic fails, as all "
        "distances are 0 (errata C4): any bandwidth gives the same."),
    gaussian_alone=(
        "A model says .15 too much everywhere. Can a regression with a Gaussian kernel alone represent that?",
        ["yes, exactly", "ever closer, never exactly", "no, not nearly"], "ever closer, never exactly",
        "No constant is in the space of a Gaussian kernel. As λ falls the fit comes as close as you like, but its squared norm, the CKCE, goes on growing: .100, .121, .133 for "
        "λ = .01, .0001, .000001. With the linear kernel it stays at .090: on the simplex a constant is linear, as probabilities sum to 1."),
    more_frequencies=(
        "Twenty random frequencies give the kernel with an error of about .1. How many do you need for half of the error?",
        ["twice as many", "four times as many", "twenty more"], "four times as many",
        "Each entry is a mean of D independent terms, so its error falls like 1/√D."),
    darker_digits=(
        "Digits are shown at half of their brightness, to models that learnt them at full brightness. What does the √CKCE of logistic regression do?",
        ["it stays, within noise", "it grows to more than three times", "it halves"], "it grows to more than three times",
        "From .100 to .349 (λ = .17). The mean confidence falls from .87 to .58: another crowd. Has the curve moved, too? That comes next."),
    which_crowd=(
        "Reweight the digits: sure ones count up to nine times as much as doubtful ones, or the reverse. P(Y | p) stays. Which error stays, on the root scale?",
        ["the CKCE", "the SKCE", "none of them"], "none of them",
        "From mostly sure to mostly doubtful, with λ = .17 and bandwidth .1: logistic regression ECE × 2.6, √SKCE × 2.2, √CKCE × 2.0; naive Bayes × 3.5, 3.4 and 4.1. "
        "With λ = .001 the √CKCE moves less in naive Bayes, × 1.6, but it moves."),
)  # fmt: skip
