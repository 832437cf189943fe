"""Exercises of notebook 07."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


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


def _dial_with(weight, S=None, C=None, turn=None):
    """A slip in one of the four lines of the dial."""

    def slip(phi, delta, a, b, lam):
        n = len(delta)
        mu, V = np.linalg.eigh((C or (lambda f, n: f.T @ f / n))(phi, n))
        s = (turn or (lambda V, S: V.T @ S))(V, (S or (lambda f, d, n: f.T @ d / n))(phi, delta, n))
        return weight(np.maximum(mu, 0), s, a, b, lam)

    return slip


def _right(mu, s, a, b, lam):
    return (mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2).sum()


def _bins(rng):
    mass = rng.uniform(0.1, 1, 4)
    return mass / mass.sum(), rng.uniform(-0.3, 0.3, 4)


def three_binned(mass, gap):
    """SKCE, CCE² and CKCE with one feature a bin and λ = 0."""
    return np.array([(mass**2 * gap**2).sum(), (mass * gap**2).sum(), (gap**2).sum()])


def _floors(rng):
    own = rng.uniform(0.001, 0.02, 4)
    return rng.uniform(0.2, 3, 4), own * rng.uniform(0.5, 2.5, 4), own, int(rng.integers(5, 12))


def without_noise(weight, energy, own, n):
    """Pairs i ≠ j only, over n(n − 1)."""
    return (weight * (energy - own)).sum() * n / (n - 1)


def _rows_and_penalty(rng):
    phi, delta, _, _, lam = _rows_and_dial(rng)
    return phi, delta, lam


def arrows(phi, delta, lam):
    """(C + λ)⁻¹ φ(p_i) δ_i / n, a row for each image."""
    C = phi.T @ phi / len(phi)
    return np.linalg.solve(C + lam * np.eye(len(C)), (phi * delta[:, None]).T).T / len(phi)


def _arrows_with(C, tail=lambda phi, delta: phi * delta[:, None] / len(delta)):
    """A slip in what is inverted, or in what it meets."""
    return lambda phi, delta, lam: (
        np.linalg.solve(C(phi.T @ phi, len(delta), lam * np.eye(phi.shape[1])), tail(phi, delta).T).T
    )


def _penalised(square, n, ridge):
    return square / n + ridge


def _turned(phi, delta, lam):
    """The arrows in the basis of C."""
    mu, V = np.linalg.eigh(phi.T @ phi / len(delta))
    return (phi @ V) * delta[:, None] / (mu + lam) / len(delta)


SWAP = 0.4

OTHER_ERRORS = {
    ("skce", "kce", "mmce", "jkce"): "It weighs a prediction by the square of how often it is said: so in the first hospital nearly nothing is left of the miss.",
    ("klce", "klce2"): "It also needs features, and weighs places by how common they are, as SKCE does.",
    ("cce", "cce2", "ukkr", "ece", "kkr"): "Closer, but it is a mean over the patients seen: each prediction counts by its share, and the shares differ.",
}  # fmt: skip


check = Checks([
    Exercise(
        "dial", dial, "Six lines, four papers: (0, 0) is SKCE, (½, 1) ukkr's CCE² and (0, 1) CKCE. No matrix of n² pairs is needed.",
        inputs=_rows_and_dial,
        hint="S and C are means over rows. Turn S into the eigenvectors of C; then each direction has a μ, an s and a weight.",
        mistakes=[
            Mistake(_dial_with(_right, S=lambda f, d, n: f.T @ d, C=lambda f, n: f.T @ f), "S and C are sums over the rows in yours. Both are means: divide by n."),
            Mistake(_dial_with(_right, S=lambda f, d, n: f.T @ d), "S is a sum over the rows in yours. It is their mean, as C is."),
            Mistake(_dial_with(_right, C=lambda f, n: f.T @ f), "C is a sum over the rows in yours. It is their mean, as S is: otherwise λ counts n times less."),
            Mistake(_dial_with(_right, C=lambda f, n: np.cov(f.T)), "np.cov takes the mean of the features off and divides by n − 1. C is the plain mean of products, ΦᵀΦ/n."),
            Mistake(_dial_with(_right, turn=lambda V, S: V @ S), "You turn S with V. The eigenvectors are the columns of V, so s = Vᵀ S."),
            Mistake(_dial_with(_right, turn=lambda V, S: S), "S is not turned yet: μ_j belongs to direction j, not to feature j. s = Vᵀ S."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu**a / (mu + lam) ** b * s**2).sum(), ), "The stretch of each direction must be squared, as s is."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam) ** b * s**2).sum()), "b is not doubled yet. The norm squares the whole factor."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu**a / (mu + lam) ** (2 * b) * s**2).sum()), "a is not doubled yet. The norm squares the whole factor."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam) ** (2 * b) * s).sum()), "s is not squared yet."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu**a / (mu + lam) ** b * s).sum() ** 2), "You sum first and square then: directions of opposite sign cancel. Square each, then sum."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) * (mu + lam) ** (2 * b) * s**2).sum()), "The exponent is −b: a direction is divided by (μ + λ)ᵇ, not multiplied by it."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu ** (2 * b) + lam) * s**2).sum()), "λ is added to the eigenvalue, before the power."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam**2) ** (2 * b) * s**2).sum()), "λ² stands where λ should: only the bracket as a whole is squared."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / mu ** (2 * b) * s**2).sum()), "λ is missing."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: ((mu + lam) ** (2 * a - 2 * b) * s**2).sum()), "Only the second factor has λ in it."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * b) / (mu + lam) ** (2 * a) * s**2).sum()), "a and b have changed places: a is the power of μ, b that of μ + λ."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam) ** (2 * b)).sum()), "The weights alone. Each multiplies the s² of its direction."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2), "Those are the parts of the directions. Add them up."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: (mu ** (2 * a) / (mu + lam) ** (2 * b) * s**2).mean()), "The parts add up; no mean over directions is taken."),
            Mistake(_dial_with(lambda mu, s, a, b, lam: np.sqrt(_right(mu, s, a, b, lam))), "No root: all errors of the dial are squared."),
        ],
    ),
    Exercise(
        "why_small", "fine", "Each confidence is said equally often, so nothing is rare. Direction 5 changes its sign several times between .5 and 1, and a kernel with γ = .1 hardly tells such neighbours apart.",
        hint="All confidences are equally common here. What else distinguishes the fifth direction from the first?",
        accept=["too fine", "fineness"],
        mistakes=[
            *(Mistake(word, "No confidence is rarer than another here: they are spread evenly.") for word in ("rare", "too rare")),
            *(Mistake(word, "Eigenvalues of C know no labels, so no noise of labels either.") for word in ("noise", "noisy")),
        ],
    ),
    Exercise(
        "three_binned", three_binned, "Mass counts twice, once, or not at all: Σ mass^(2 − t) gap² at position t. The one in the middle is the square of the binned L² error.",
        inputs=_bins,
        hint="Each is a sum over bins. The gap is always squared; how often does the mass count?",
        mistakes=[
            Mistake(lambda m, g: three_binned(m, g)[::-1], "The right three in the reverse order: SKCE first."),
            Mistake(lambda m, g: np.array([(m * g**2).sum(), (g**2).sum(), (g**2 / m).sum()]), "One power of mass too few: in SKCE the mass is squared too."),
            Mistake(lambda m, g: np.sqrt(three_binned(m, g)), "No roots: all three are squared errors."),
            Mistake(lambda m, g: np.array([(m * g).sum() ** 2, (m * g**2).sum(), (g**2).sum()]), "In your SKCE gaps of opposite sign cancel. Square each bin, then add."),
            Mistake(lambda m, g: np.array([(m**2 * g**2).sum(), (m * g**2).sum(), (g**2).mean()]), "CKCE is a sum over bins, not their mean."),
            Mistake(lambda m, g: np.array([(m**2 * g**2).sum(), (m * np.abs(g)).sum(), (g**2).sum()]), "The middle one is an L² error: gaps are squared, then weighted."),
            Mistake(lambda m, g: np.array([(m * g**2).sum()] * 3), "They are not the same: mass counts twice, once, or not at all."),
            Mistake(lambda m, g: np.array([(m**2 * g**2).sum(), np.average(g, weights=m) ** 2, (g**2).sum()]), "In your CCE² gaps of opposite sign cancel. Square each gap, then weigh it."),
            Mistake(lambda m, g: np.array([(m**2 * g**2).sum(), (m * g**2).sum(), g.sum() ** 2]), "In your CKCE gaps of opposite sign cancel. Square each gap, then add."),
            Mistake(lambda m, g: np.array([(m**2 * g).sum(), (m * g).sum(), g.sum()]), "The gaps are not squared yet."),
            Mistake(lambda m, g: (m * g**2).sum(), "That is one of them. Three are asked: SKCE, CCE², CKCE."),
        ],
    ),
    Exercise(
        "without_noise", without_noise, "At (0, 0) this is the unbiased SKCE; elsewhere it is the same mean over pairs i ≠ j. For a calibrated model its mean is 0.",
        inputs=_floors,
        hint="Noise comes from rows that meet themselves. Take it off in each direction, with the direction's weight; then ask how many pairs are left.",
        mistakes=[
            Mistake(lambda w, e, own, n: (w * (e - own)).sum(), "The pairs i = i are gone from the sum, but n² still stands below. n(n − 1) pairs are left."),
            Mistake(lambda w, e, own, n: (w * e).sum() - own.sum(), "Noise is weighted like everything else in its direction."),
            Mistake(lambda w, e, own, n: (w * e).sum(), "The noise is still in it: no pair has been taken off."),
            Mistake(lambda w, e, own, n: (w * np.maximum(e - own, 0)).sum() * n / (n - 1), "Cut at 0 direction by direction it is biased: for a calibrated model its mean would be above 0."),
            Mistake(lambda w, e, own, n: (w * (e - own)).sum() * (n - 1) / n, "The wrong way round: fewer pairs stand below, so the value grows."),
            Mistake(lambda w, e, own, n: (w * (e - own / n)).sum(), "own is of the size of the energy already: it has its n² below."),
            Mistake(lambda w, e, own, n: (w * (e + own)).sum() * n / (n - 1), "Noise adds to the energy, so take it off."),
            Mistake(lambda w, e, own, n: (e - own).sum() * n / (n - 1), "The weights are missing: this is the unbiased SKCE wherever the dial stands."),
        ],
    ),
    Exercise(
        "swap", SWAP, "√α/(μ₁ + λ) = √β/(μ₂ + λ): .2(.05 + λ) = .1(.5 + λ). Below that λ the model with the smaller SKCE has the larger CKCE.",
        hint="Each model has one direction only: its CKCE is one fraction. Set the two equal and take roots first.",
        mistakes=[
            Mistake(0.1, "This divides by μ + λ once. CKCE divides by the square."),
            *(Mistake(wrong, "The roots are right. A sign is lost on the way to λ.") for wrong in (-0.4, 0.6)),
            *(Mistake(wrong, "The roots are right, but the terms in λ are added: .2λ and .1λ stand on different sides.") for wrong in (2 / 15, 0.1333, 0.133)),
            Mistake(0.2, "The roots are right, but B's root multiplies λ too."),
            *(Mistake(wrong, "The roots are right, but the eigenvalues have changed places: A's .2 stands over .5 + λ.") for wrong in (-0.95, 0.95)),
            Mistake(0.0, "At λ = 0 they are .04/.25 = .16 and .01/.0025 = 4: not equal."),
            Mistake(0.275, "That is the mean of the eigenvalues; the energies must enter too."),
            Mistake(4.0, "With λ = 4 both are small, but not equal: .0020 and .0006."),
        ],
    ),
    Exercise(
        "arrows", arrows, "Their sum is the regression B = (C + λ)⁻¹ S, and its squared length is the CKCE.",
        inputs=_rows_and_penalty,
        hint="C is the mean of φφᵀ; np.linalg.solve(C + λI, ...) takes all images at once, as columns.",
        mistakes=[
            Mistake(_arrows_with(_penalised, lambda f, d: f * d[:, None]), "Each arrow is n times too long: S is a mean, so divide by n."),
            Mistake(_arrows_with(lambda square, n, ridge: square + ridge, lambda f, d: f * d[:, None]), "n is missing twice: C and S are both means."),
            Mistake(_arrows_with(lambda square, n, ridge: square + ridge), "C is a sum over the rows in yours. It is their mean: divide by n."),
            Mistake(_arrows_with(lambda square, n, ridge: square / n + n * ridge), "λ is added to C as it is. The n stands beside it only where K is inverted."),
            Mistake(_arrows_with(lambda square, n, ridge: square / n), "λ is missing."),
            Mistake(_arrows_with(lambda square, n, ridge: square / n + ridge.max()), "λ is added to every entry of C in yours. Add λI: only the diagonal."),
            Mistake(_arrows_with(lambda square, n, ridge: np.linalg.matrix_power(square / n + ridge, 2)), "The inverse is used twice. CKCE has its square because it squares the length."),
            *(Mistake(turned, "The same arrows, turned: lengths and products are right. Multiply by Vᵀ from the right to turn them back.") for turned in (_turned, lambda f, d, lam: _turned(f, d, lam)[:, ::-1])),
            Mistake(_arrows_with(_penalised, lambda f, d: f / len(d)), "The residual δ is missing: it says how far each arrow points, and to which side."),
            Mistake(_arrows_with(_penalised, lambda f, d: f * np.abs(d)[:, None] / len(d)), "The residual keeps its sign: a hit and a miss pull to opposite sides."),
            Mistake(lambda f, d, lam: (f * d[:, None]) @ _penalised(f.T @ f, len(d), lam * np.eye(f.shape[1])) / len(d), "C + λ multiplies in yours. The arrow is divided by it."),
            Mistake(lambda f, d, lam: arrows(f, d, lam).T, "One row for each image: yours stands on its side."),
            Mistake(lambda f, d, lam: arrows(f, d, lam).sum(axis=0), "That is their sum already. Keep one row for each image."),
            Mistake(lambda f, d, lam: f * d[:, None] / len(d), "These add up to S. The inverse of C + λ is missing."),
        ],
    ),
    Exercise(
        "which_error", "CKCE",
        "As λ → 0 it is the squared length of the curve, however often a prediction is said, if the curve has a length in the RKHS (else it grows without end: errata C3b). With data λ cannot be so small: noise grows. Whether 30 % means the "
        "same in both is another question, since CKCE forgets signs: compare the local biases there (notebook 05).",
        hint="Which end of the dial asks least how often a prediction is said?",
        accept=["ckce2", "CKCE with a small λ"],
        mistakes=[Mistake(word, said) for words, said in OTHER_ERRORS.items() for word in words],
    ),
])  # fmt: skip

guess = Guesses(
    rare_confidences=(
        "Naive Bayes says more than .9 for 1,052 of 1,079 images, a bin that is .083 too sure. Within it are 47 images at .9 to .99: 49 % of "
        "them are right, and they are .474 too sure. Which error is mostly made by these 47 (λ = .01)?",
        ["SKCE", "CCE²", "CKCE"], "CKCE",
        "With the kernel of this notebook the 47 alone make .131 of the CKCE of .215, but .0004 of the SKCE of .0067 and .0014 of the CCE² of .0091: kernel and λ smooth them together with their "
        "neighbours (with a bin of their own, beside the others of section 1, they would make .0098 of .0162). "
        "The 27 images at or below .9 alone make .045 of that CKCE."),
    one_bin=(
        "Two bins: one holds 99 % of the images with a gap of .01, the other 1 % with a gap of .30. How much of SKCE comes from the small bin (one "
        "feature a bin)?",
        ["about 8 %", "about 90 %", "more than 99 %"], "about 8 %",
        "(.01 · .30)² = .000009 against (.99 · .01)² = .000098: 8 %. Of CCE², .01 · .09 = .0009 against .99 · .0001 = .0001, it is 90 %, and of "
        "CKCE at λ = 0, .09 against .0001, 99.9 %. Nothing but the power of the mass has changed."),
    huge_penalty=(
        "Turn λ up to 10. What becomes of the ranking by CKCE?",
        ["that of SKCE", "all models tie", "it turns around"], "that of SKCE",
        "If λ is far above all eigenvalues, all directions are divided by nearly the same number. The values become tiny, "
        "their order is that of SKCE: so it is at λ = 10, here and on most other splits."),
    noise_share=(
        "The neural network is nearly calibrated. How much of its CKCE of .173 (λ = .001) would noise alone give?",
        ["almost nothing", "about a third", "most of it"], "most of it",
        "81 %: small eigenvalues are divided by little, and there data are few. Without the pairs of a row with itself, .033 is left. Of the forest's .533 "
        "noise makes 32 %, of its SKCE .4 %."),
)  # fmt: skip
