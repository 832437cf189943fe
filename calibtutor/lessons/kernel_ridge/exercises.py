"""Exercises of the lesson kernel_ridge."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



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


def reported_root(squares):
    """Root of the mean of the folds' squared errors."""
    return np.sqrt(np.mean(squares))


check = Checks([
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
    misaligned=(
        "Training labels are shuffled by mistake. What will kernel ridge regression report, after validation on correct labels has "
        "chosen λ?",
        ["a calibration error that is far too large", "far too little", "about the right one"],
        "far too little",
        "A shuffled label is independent of p, so the regression learns p − r̄, and with a small penalty it would report far too much. "
        "Validation on correct labels punishes that and pushes λ up until little of the surface is left.",
    ),
)
