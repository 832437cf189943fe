"""Exercises and guesses on the dial, its spectrum, and the images that decide."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _rows_and_dial(rng):
    """Features and residuals of a few rows, a and b inside the dial, λ."""
    n = int(rng.integers(6, 10))
    phi, delta = rng.normal(size=(n, 3)), rng.uniform(-1, 1, n)
    return phi, delta, rng.uniform(0.2, 0.45), rng.uniform(0.6, 0.95), rng.uniform(0.1, 0.5)


def dial(phi, delta, a, b, lam):
    """Σ_j μ_j^(2a)/(μ_j + λ)^(2b) s_j², from features (n, r) and residuals (n,)."""
    n = len(delta)
    S, C = phi.T @ delta / n, phi.T @ phi / n
    mu, V = np.linalg.eigh(C)
    mu = np.maximum(mu, 0)  # 0 may come out as −1e−17
    s = V.T @ S
    return (mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2).sum()


def _right(mu, s, a, b, lam):
    return (mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2).sum()


def _dial_with(weight=_right, S=lambda f, d: f.T @ d / len(d), C=lambda f: f.T @ f / len(f), turn=lambda V, S: V.T @ S):
    """A slip in one of the four lines of the dial."""

    def slip(phi, delta, a, b, lam):
        mu, V = np.linalg.eigh(C(phi))
        return weight(np.maximum(mu, 0), turn(V, S(phi, delta)), a, b, lam)

    return slip


def arrows(phi, delta, lam):
    """(C + λ)⁻¹ φ(p_i) δ_i / n, a row for each image."""
    C = phi.T @ phi / len(phi)
    return np.linalg.solve(C + lam * np.eye(len(C)), (phi * delta[:, None]).T).T / len(phi)


def _arrows_with(C=lambda square, n, ridge: square / n + ridge, tail=lambda f, d: f * d[:, None] / len(d)):
    """A slip in what is inverted, or in what it meets."""
    return lambda phi, delta, lam: (
        np.linalg.solve(C(phi.T @ phi, len(delta), lam * np.eye(phi.shape[1])), tail(phi, delta).T).T)


def _turned(phi, delta, lam):
    """The arrows in the basis of C."""
    mu, V = np.linalg.eigh(phi.T @ phi / len(delta))
    return (phi @ V) * delta[:, None] / (mu + lam) / len(delta)


OTHER_ERRORS = {
    ("skce", "kce", "mmce", "jkce"): "It weighs a prediction by the square of how often it is said: so in the first hospital nearly nothing is left of the miss.",
    ("klce", "klce2"): "It also needs features, and weighs places by how common they are, as SKCE does.",
    ("cce", "cce2", "ukkr", "ece", "kkr"): "Closer, but it is a mean over the patients seen: each prediction counts by its share, and the shares differ."}


check = Checks([
    Exercise("dial", dial,
        "Six lines, four papers: (0, 0) is SKCE, (½, 1) ukkr's CCE² and (0, 1) CKCE. No matrix of n² pairs is needed.",
        Mistake(_dial_with(S=lambda f, d: f.T @ d, C=lambda f: f.T @ f), "S and C are sums over the rows in yours. Both are means: divide by n."),
        Mistake(_dial_with(S=lambda f, d: f.T @ d), "S is a sum over the rows in yours. It is their mean, as C is."),
        Mistake(_dial_with(C=lambda f: f.T @ f), "C is a sum over the rows in yours. It is their mean, as S is: otherwise λ counts n times less."),
        Mistake(_dial_with(turn=lambda V, S: V @ S), "You turn S with V. The eigenvectors are the columns of V, so s = Vᵀ S."),
        Mistake(_dial_with(turn=lambda V, S: S), "S is not turned yet: μ_j belongs to direction j, not to feature j. s = Vᵀ S."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: (mu**a / (mu + lam) ** b * s**2).sum(), ), "The stretch of each direction must be squared, as s is."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam) ** (2 * b) * s).sum()), "s is not squared yet."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: (mu**a / (mu + lam) ** b * s).sum() ** 2), "You sum first and square then: directions of opposite sign cancel. Square each, then sum."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / mu ** (2 * b) * s**2).sum()), "λ is missing."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * b) / (mu + lam) ** (2 * a) * s**2).sum()), "a and b have changed places: a is the power of μ, b that of μ + λ."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2), "Those are the parts of the directions. Add them up."),
        Mistake(_dial_with(lambda mu, s, a, b, lam: np.sqrt(_right(mu, s, a, b, lam))), "No root: all errors of the dial are squared."),
        inputs=_rows_and_dial, hint="S and C are means over rows. Turn S into the eigenvectors of C; then each direction has a μ, an s and a weight."),
    Exercise("sign_changes", 4,
        "Four times in half a unit. No confidence is rare here, and the eigenvalue is small all the same: a kernel with γ = .1 hardly tells such neighbours apart.",
        Mistake(5, "Those are the stretches of one sign. Count the changes between them."),
        Mistake(8, "Differences of signs count each change double. Count the places where they are not 0."),
        Mistake(3, "That is the direction before. The largest eigenvalue stands last: direction five is the fifth column from the right."),
        hint="Direction five is the fifth column of V from the right. Plot it, or count where np.sign of it changes."),
    Exercise("arrows", arrows, "Their sum is the regression G = (C + λ)⁻¹ S, and its squared length is the CKCE.",
        Mistake(_arrows_with(tail=lambda f, d: f * d[:, None]), "Each arrow is n times too long: S is a mean, so divide by n."),
        Mistake(_arrows_with(lambda square, n, ridge: square + ridge, lambda f, d: f * d[:, None]), "n is missing twice: C and S are both means."),
        Mistake(_arrows_with(lambda square, n, ridge: square + ridge), "C is a sum over the rows in yours. It is their mean: divide by n."),
        Mistake(_arrows_with(lambda square, n, ridge: square / n + n * ridge), "λ is added to C as it is. The n stands beside it only where K is inverted."),
        Mistake(_arrows_with(lambda square, n, ridge: square / n), "λ is missing."),
        Mistake(_arrows_with(lambda square, n, ridge: square / n + ridge.max()), "λ is added to every entry of C in yours. Add λI: only the diagonal."),
        Mistake(_turned, "The same arrows, turned: lengths and products are right. Multiply by Vᵀ from the right to turn them back."),
        Mistake(_arrows_with(tail=lambda f, d: f / len(d)), "The residual δ is missing: it says how far each arrow points, and to which side."),
        Mistake(lambda f, d, lam: arrows(f, d, lam).T, "One row for each image: yours stands on its side."),
        Mistake(lambda f, d, lam: arrows(f, d, lam).sum(axis=0), "That is their sum already. Keep one row for each image."),
        Mistake(lambda f, d, lam: f * d[:, None] / len(d), "These add up to S. The inverse of C + λ is missing."),
        inputs=lambda rng: (*(drawn := _rows_and_dial(rng))[:2], drawn[-1]), hint="C is the mean of φφᵀ; np.linalg.solve(C + λI, ...) takes all images at once, as columns."),
    Exercise("which_error", "CKCE",
        "As λ → 0 it is the squared length of the curve, however often a prediction is said, if the curve has a length in the RKHS (else it grows without end: notebook 12, section 3). With data λ cannot be so small: noise grows.",
        *(Mistake(word, said) for words, said in OTHER_ERRORS.items() for word in words),
        hint="Which end of the dial asks least how often a prediction is said?", accept=["ckce2", "CKCE with a small λ", "CKCE with small λ"]),
])

guess = Guesses(
    fullest_bin=(
        "With ten bins, naive Bayes' fullest bin, from .9 to 1, holds 97.5 % of the images and has a gap of .083. How much of its CKCE with λ = 0 does this bin make?",
        ["2 %", "about half", "73 %"], "2 %",
        "It makes 99.7 % of the SKCE and 73 % of the CCE², where its mass counts twice and once. In the CKCE it is one gap among five, and not a large one."),
    sure_images=(
        "Two groups of naive Bayes' images: 1,005 are said with more than .99, 74 are not. Their arrows, head to tail, make the whole; the next picture has them on the left for the SKCE, on the right for the CKCE with λ = .01. "
        "What share of the CKCE do the 1,005 sure images make?",
        ["about three quarters", "about a third", "hardly any"], "hardly any",
        "Their arrow is short, and it turns back a little: −2.5 %, although they make 73 % of the SKCE. The 74 others make the rest."),
    before=[
        ("With one feature, C = .4, S = .1 and λ = .1: what is the regression G?", [".2", ".25", ".04"], ".2",
         "G = S/(C + λ); its square is the CKCE (notebook 11, section 2)."),
        ("What must a pair have in common to count in KLCE², and not in the SKCE?", ["features", "the label", "the bin"], "features",
         "The kernel is a product: alike in prediction and in features (notebook 09, section 3)."),
        ("Which error asks least how often a prediction occurs?", ["SKCE", "KLCE²", "CKCE"], "CKCE",
         "It regresses the miss on the prediction first (notebook 11, opening).")])
