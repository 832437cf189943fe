"""Exercises and guesses: both ridge regressions, what a penalty leaves, and what a smaller risk says."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def ukkr(phi, delta, lam):
    """G with (C + λ) G = S: the regression of δ on the features is p ↦ Gᵀφ(p)."""
    n, r = phi.shape
    C, S = phi.T @ phi / n, phi.T @ delta / n
    return np.linalg.solve(C + lam * np.eye(r), S)


def kkr_core(moment, mu, lam):
    """M_ij = (moment momentᵀ)_ij / (μ_i μ_j + λ)."""
    return moment @ moment.T / (np.outer(mu, mu) + lam)


check = Checks([
    Exercise("ukkr", ukkr, "G has a row for each feature, however many the data are.",
        Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f + lam * np.eye(3), f.T @ d), "C and S are means over the data: divide both ΦᵀΦ and ΦᵀΔ by n. As it stands your λ counts n times less."),
        Mistake(lambda f, d, lam: np.linalg.solve(f.T @ f / len(f) + lam, f.T @ d / len(f)), "C + lam adds λ to every entry. It belongs on the diagonal: lam * np.eye(len(C))."),
        Mistake(lambda f, d, lam: np.linalg.lstsq(f, d, rcond=None)[0], "λ is missing: that is least squares."),
        inputs=lambda rng: (rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), 10.0 ** rng.uniform(-3, 0)), hint="With C = ΦᵀΦ/n and S = ΦᵀΔ/n solve (C + λ I) G = S; G has a row for each feature."),
    Exercise("kkr_core", kkr_core, "A division for each entry: no equations are left to solve.",
        Mistake(lambda s, mu, lam: s @ s.T / np.outer(mu + lam, mu + lam), "That is ukkr: λ is added to each eigenvalue before they are multiplied."),
        Mistake(lambda s, mu, lam: s @ s.T / (mu[:, None] + mu + lam), "The eigenvalues are multiplied, not added."),
        Mistake(lambda s, mu, lam: s @ s.T / (np.diag(mu**2) + lam), "All pairs (i, j) count, not only i = j."),
        inputs=lambda rng: (rng.normal(size=(4, 3)), rng.random(4), 10.0 ** rng.uniform(-3, 0)), hint="λ is added once, to the product μ_i μ_j."),
    Exercise("share_left", 0.25,
        "μ/(μ + λ) = .01/.04: λ hardly touches features with a large μ, and takes nearly all of those with a small one.",
        Mistake(0.75, "That is the share that λ takes."),
        Mistake(1 / 3, "You divided μ by λ. λ is added to μ."),
        hint="It is the fraction above, μ over μ plus λ.", tolerance=0.004),
    Exercise("what_follows", "nothing",
        "Half a spread may be chance, so the risk cannot vouch for what h reports, large or small. It is no test either: it does not say that the model is calibrated.",
        Mistake("a small error", "The risk does not tell this h from h = 0: who vouches for its report?"),
        Mistake("a large error", "In this world it is large, but not by this evidence: half a spread may be chance."),
        Mistake("no error", "The risk is no test: this is the replay without the bug, where the true squared error is .065."),
        hint="How much better than h = 0 is this risk, in spreads over the folds?", accept=["neither", "nothing at all"]),
])


guess = Guesses(
    sure_by_95=("Where naive Bayes says .95: by how much is it over-confident, says ukkr?",
                [".05", ".15", ".35"], ".35",
                "Of its 47 digits with a confidence between .9 and .99 about half are right. Mostly it says almost 1."),
    misaligned=(
        "Training labels are shuffled by mistake. What will ukkr report, after validation on correct labels has chosen λ?",
        ["a calibration error that is far too large", "far too little", "about the right one"], "far too little",
        "A shuffled label is independent of p, so the regression learns p minus the mean label, and with a small penalty it would report far too much. "
        "Validation on correct labels punishes that and pushes λ up until little of the surface is left."),
    before=[
        ("The risk of h is .047, and that of the truth .046. How large is the squared distance of h to the truth?",
         [".047", ".001", ".093"], ".001", ".047 − .046 = .001: the truth's own risk stands in both (notebook 06, section 2)."),
        ("Where in the matrix of all h(p_i, p_j) is the error that an estimator reports?",
         ["off the diagonal", "everywhere", "on the diagonal"], "on the diagonal", "h(p, p) is a squared miss (notebook 06, section 4)."),
        ("K = ΦΦᵀ is a kernel's matrix. What is one entry of it?",
         ["an inner product of two rows of Φ", "a feature", "a residual"], "an inner product of two rows of Φ",
         "Each row of Φ has the features of one prediction (notebook 04, section 2).")])
