"""Exercises of notebook 03."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _two_rows(rng):
    return rng.dirichlet(np.ones(3)), int(rng.integers(3)), rng.dirichlet(np.ones(3)), int(rng.integers(3))


def pair_product(p, y, p2, y2):
    """⟨p − e_y, p' − e_{y'}⟩."""
    e = np.eye(len(p))
    return (p - e[y]) @ (p2 - e[y2])


def _matrices(rng):
    delta, u = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    return delta @ delta.T, u @ u.T


def risk_estimate(z, h):
    """Mean of (z_ij − h_ij)² over i ≠ j."""
    n = len(z)
    losses = (z - h) ** 2
    return (losses.sum() - np.trace(losses)) / (n * (n - 1))


def _spectrum(rng):
    return rng.normal(size=(4, 3)), rng.random(4), 10.0 ** rng.uniform(-3, 0)


def kkr_core(moment, mu, lam):
    """M_ij = (moment momentᵀ)_ij / (μ_i μ_j + λ)."""
    return moment @ moment.T / (np.outer(mu, mu) + lam)


def _ridge(rng):
    return rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), 10.0 ** rng.uniform(-3, 0)


def ukkr(phi, delta, lam):
    """G with (C + λ) G = S: the regression of δ on the features is p ↦ Gᵀφ(p)."""
    n, r = phi.shape
    C, S = phi.T @ phi / n, phi.T @ delta / n
    return np.linalg.solve(C + lam * np.eye(r), S)


def _surface(rng):
    u = rng.normal(size=(5, 2))
    m = rng.normal(size=(2, 2))
    return (u @ (m + m.T) @ u.T,)


def reported_error(h):
    """Mean of h(p_i, p_i)."""
    return np.trace(h) / len(h)


def _root_of_the_error(h):
    """nan where the mean is below 0."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.trace(h) / len(h))


def reported_root(squares):
    """Root of the mean of the folds' squared errors."""
    return np.sqrt(np.mean(squares))


check = Checks([
    Exercise(
        "pair_product", pair_product, "One number for a pair; its mean over labels is h*(p, p').", inputs=_two_rows,
        hint="Two residuals, p − e_y and p' − e_y', and their inner product.",
        mistakes=[
            Mistake(lambda p, y, q, z: p @ q - float(y == z),
                    "⟨p, p'⟩ − ⟨e_y, e_y'⟩ is not the product of the differences: two cross terms are missing."),
            Mistake(lambda p, y, q, z: (p[y] - 1) * (q[z] - 1), "That uses one entry of each residual. Every class contributes."),
            Mistake(lambda p, y, q, z: ((p - np.eye(3)[y]) - (q - np.eye(3)[z])) @ ((p - np.eye(3)[y]) - (q - np.eye(3)[z])),
                    "That is a squared distance of the residuals. We need their inner product."),
        ],
    ),
    Exercise(
        "risk_of_truth", 0.0625, "z = (.5 − y)(.5 − y') is ±.25 whatever the labels, and h* = 0: R(h*) = .25² = .0625.",
        hint="h* is 0 here. What values can z = (p − y)(p' − y') take, and what is the mean of z²?",
        mistakes=[
            Mistake(0.0, "The truth has a risk too: z is noisy even when h is right."),
            Mistake(0.25, "That is |z|. The risk averages its square."),
        ],
    ),
    Exercise(
        "risk_estimate", risk_estimate, "n(n − 1) pairs, none of them a prediction with itself.", inputs=_matrices,
        hint="Square the differences, leave the diagonal out, and divide by the number of pairs that are left.",
        mistakes=[
            Mistake(lambda z, h: np.mean((z - h) ** 2), "The diagonal is in it: there a prediction meets its own label."),
            Mistake(lambda z, h: ((z - h) ** 2).sum() / (len(z) * (len(z) - 1)), "The diagonal is still in the sum."),
            Mistake(lambda z, h: np.sqrt(risk_estimate(z, h)), "No root: the risk is a mean of squares."),
            Mistake(
                lambda z, h: np.triu((z - h) ** 2, 1).sum() / (len(z) * (len(z) - 1)),
                "Each unordered pair is counted once, but you divide by the number of ordered pairs.",
            ),
            *(
                Mistake(lambda z, h, of=of: np.triu((z - h) ** 2).sum() / of(len(z)), "np.triu keeps the diagonal: np.triu(…, 1) leaves it out.")
                for of in (lambda n: n * (n - 1) / 2, lambda n: n * (n - 1), lambda n: n * (n + 1) / 2)
            ),
            Mistake(lambda z, h: (((z - h) ** 2).sum() - np.trace((z - h) ** 2)) / len(z) ** 2,
                    "The diagonal is gone, but you still divide by n². There are n(n − 1) pairs left."),
            Mistake(lambda z, h: ((z - h).sum() - np.trace(z - h)) / (len(z) * (len(z) - 1)),
                    "Square the differences before you average."),
        ],
    ),
    Exercise(
        "kkr_core", kkr_core, "One division for each pair of eigenvalues: the n² × n² inverse is gone.", inputs=_spectrum,
        hint="Eigenvalues of K ⊗ K are products μ_i μ_j, and λ is added once.",
        mistakes=[
            Mistake(lambda s, mu, lam: s @ s.T / np.outer(mu + lam, mu + lam),
                    "That is ukkr: λ is added to each eigenvalue before they are multiplied."),
            Mistake(lambda s, mu, lam: s @ s.T / (mu[:, None] + mu + lam), "Eigenvalues of a Kronecker product multiply."),
            Mistake(lambda s, mu, lam: s @ s.T / (np.diag(mu**2) + lam), "All pairs (i, j) count, not only i = j."),
        ],
    ),
    Exercise(
        "reported_error", reported_error,
        "Only the diagonal is an error: h(p, p) estimates ‖p − r(p)‖², and its mean the squared calibration error.", inputs=_surface,
        hint="Which entries of the matrix belong to one prediction and not to two? Average those.",
        mistakes=[
            Mistake(lambda h: h.mean(), "That is the mean over all pairs: misses of opposite sign cancel in it."),
            Mistake(lambda h: np.trace(h), "That is the sum of the right entries. Divide by how many they are."),
            Mistake(lambda h: (h.sum() - np.trace(h)) / (len(h) * (len(h) - 1)),
                    "The risk leaves the diagonal out. The error is what stands on it."),
            Mistake(_root_of_the_error, "No root: the squared error is asked, and an h that is no square has a root of nothing, nan."),
            Mistake(lambda h: np.sqrt(np.abs(np.trace(h)) / len(h)), "No root: the squared error is asked."),
            Mistake(lambda h: np.diag(h), "Those are the right entries. Their mean is asked, one number."),
        ],
    ),
    Exercise(
        "ukkr", ukkr, "C is (r, r) and S is (r, d): the number of data is gone.", inputs=_ridge,
        hint="With C = ΦᵀΦ/n and S = ΦᵀΔ/n solve (C + λ I) G = S; G has a row for each feature.",
        mistakes=[
            Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f + lam * np.eye(3), f.T @ d),
                    "C and S are means over the data: divide both ΦᵀΦ and ΦᵀΔ by n. As it stands your λ counts n times less."),
            Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f / len(f) + lam * np.eye(3), f.T @ d), "ΦᵀΔ is not divided by n yet."),
            Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f + lam * np.eye(3), f.T @ d / len(f)), "ΦᵀΦ is not divided by n yet."),
            Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f / len(f) + lam, f.T @ d / len(f)),
                    "C + lam adds λ to every entry. It belongs on the diagonal: lam * np.eye(r)."),
            Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f / len(f) + lam * len(f) * np.eye(3), f.T @ d / len(f)),
                    "λn belongs to K, as in (K + λn I). C is a mean already, so λ alone is added."),
            Mistake(lambda f, d, lam: np.linalg.lstsq(f, d, rcond=None)[0], "λ is missing: that is least squares."),
        ],
    ),
    Exercise(
        "cannot_be", 2,
        "For the forest and for logistic regression kkr's canonical estimate is below all top-label estimates, so at least one of each "
        "pair is off. The other models keep the rule, which proves nothing: wrong estimates can keep it too.",
        hint="Compare the smallest number of each canonical line with the smallest of the top-label line below it.",
        mistakes=[
            Mistake(0, "The estimators with the smallest risk keep the rule. Compare all estimates, kkr's too."),
            Mistake(1, "One more breaks it."),
            Mistake(3, "One too many: with the last digits the neural network keeps the rule."),
        ],
    ),
    Exercise(
        "what_follows", "nothing",
        "Half a spread is chance, so the risk cannot vouch for what h reports, large or small. It is no test either: it does not say that the model is calibrated.",
        hint="How much better than h = 0 is this risk, in spreads over the folds?",
        accept=["neither", "nothing at all"],
        mistakes=[
            Mistake("a small error", "The risk does not tell this h from h = 0: who vouches for its report?"),
            Mistake("a large error", "In this world it is large, but not by this evidence: half a spread may be chance."),
            Mistake("no error", "The risk is no test: this is the replay without the bug, where the true squared error is .066."),
        ],
    ),
    Exercise(
        "who_chooses", "validation",
        "The test part is left for one estimate. If its risk chose among estimators, the smallest of several noisy numbers "
        "would win by luck, and the estimate from the same data would inherit that luck.",
        hint="Which part has the estimator not been fitted on, and will not be used for the final number either?",
        accept=["validation data", "validation set", "validation part", "val"],
        mistakes=[
            *(Mistake(word, "Then the winner is the one that was luckiest on the data that give the final number: biased.")
              for word in ("test", "test part", "test data", "test set")),
            *(Mistake(word, "Every flexible estimator looks good on the data that it was fitted on.")
              for word in ("training", "training part", "train", "training data", "training set")),
        ],
    ),
    Exercise(
        "reported_root", reported_root,
        "Average the squares, then take one root. The other order is smaller (Jensen). The paper's tables average roots in that way, though of the risk (errata G7).",
        inputs=lambda rng: (rng.random(5) * 0.01,),
        hint="What is averaged without bias, the squared error or its root?",
        mistakes=[
            Mistake(lambda s: np.mean(np.sqrt(s)), "The mean of roots is smaller than the root of the mean: Jensen."),
            Mistake(lambda s: np.mean(s), "That is the squared error. Its root was asked."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    which=(
        "The neural network's squared top-label error × 1000 is 1.55, .85, 1.10, .40 or .41. Behind each number stands a function of pairs "
        "of predictions. What can labels tell about the five functions?",
        ["nothing about their distance to the truth", "the differences of their squared distances to the truth"],
        "the differences of their squared distances to the truth",
        "Without bias, as you will see; of the numbers themselves nothing directly (section 4). Whether 1,079 digits are enough to see a "
        "difference is another question: section 7.",
    ),
    at_theta_one=(
        "At θ = 1 the function h is exactly right. What will the estimated risk be there?",
        ["0", "the smallest, but not 0", "the same as everywhere"],
        "the smallest, but not 0",
        "Even the truth does not predict the noise in ⟨δ, δ'⟩. The risk of the truth is the floor under all others.",
    ),
    diagonal=(
        "If the pairs (i, i) are kept, the estimated risk of h = 0 is on average …",
        ["too small", "right", "too large"],
        "too large",
        "By Cauchy–Schwarz E⟨δ, δ'⟩² ≤ (E‖δ‖²)² ≤ E‖δ‖⁴, so for h = 0 the diagonal never lowers the mean. For other h it can: step "
        "through the worlds of the next derivation.",
    ),
    misaligned=(
        "Training labels are shuffled by mistake. What will kernel ridge regression report, after validation on correct labels has "
        "chosen λ?",
        ["a calibration error that is far too large", "far too little", "about the right one"],
        "far too little",
        "A shuffled label is independent of p, so the regression learns p − r̄, and with a small penalty it would report far too much. "
        "Validation on correct labels punishes that and pushes λ up until little of the surface is left.",
    ),
)
