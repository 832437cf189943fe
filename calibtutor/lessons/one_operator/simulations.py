"""What the scenes on the dial compute: errors at all its places, and how often an order comes back on other splits."""

from functools import lru_cache

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from ...data.datasets import MODELS, Predictions
from ...errors.spectrum import spectrum_of_features
from ...estimates.binning import bin_of
from ...kernels import low_rank, rbf
from ..shared.spectra_of_digits import answers, answers_of, rows, rows_of, spectrum_of, weights
from ..shared.stored import stored

FIRST, OTHERS = "naive Bayes", ["logistic regression", "random forest"]
POSITIONS = np.round(np.linspace(0, 2, 41), 2)  # t
COLUMNS = (("SKCE", None), ("KLCE²", None), ("CCE²", 0.001), ("CKCE", 0.001), ("CKCE", 0.1))  # errors and their λ


# --- three errors from bins ---


def mass_and_gap(confidence, hit, n_bins):
    """Share of the data in each bin of equal width that is not empty, and the mean residual there."""
    bins = bin_of(confidence, np.arange(n_bins + 1) / n_bins)
    mass = np.bincount(bins, minlength=n_bins) / len(bins)
    total = np.bincount(bins, confidence - hit, n_bins) / len(bins)
    seen = mass > 0
    return mass[seen], total[seen] / mass[seen]


def along_with_bins(mass, gap, positions):
    """The dial with bins and λ = 0: mass^(2 − t) gap², summed over the bins, at each position t."""
    return np.array([(mass ** (2 - t) * gap**2).sum() for t in positions])


# --- four errors of one model ---


def local_of(phi, delta, ink):
    """KLCE² (eq. 4) from features φ (n, r), residuals δ (n,), the ink (n,): sums of δ φ ⊗ ψ, no row with itself."""
    n, psi = len(delta), low_rank(rbf(bandwidth=0.5), (ink / ink.std())[:, None], tol=1e-10).features
    products = (phi[:, :, None] * psi[:, None, :] * delta[:, None, None]).reshape(n, -1)
    return float((products.sum(axis=0) ** 2).sum() - (products**2).sum()) / (n * (n - 1))


@lru_cache
def five_errors(model):
    """The errors of COLUMNS, shape (5,); SKCE and KLCE² without the pairs of a row with itself, as in their papers."""
    of_digits = spectrum_of(model)
    rest = [weights(of_digits.eigenvalues, 1 + (name == "CKCE"), lam) @ of_digits.energy for name, lam in COLUMNS[2:]]
    return np.array([of_digits.norm(0, 0, 0, unbiased=True), local_of(*rows(model), answers(model)[2]), *rest])


def five_on_splits(model):
    """The same on each of the other splits, shape (5, splits)."""
    rest = [split_along(model, 1 + (name == "CKCE"), lam) for name, lam in COLUMNS[2:]]
    return np.array([*splits(model)[2].T, *rest])


# --- which order comes back on other splits? ---

SPLITS = range(1, 21)  # seeds; the course's own split has 0


def trained_again(model, split):
    """What a model trained on another split says of that split's test images, as `digits_predictions` gives it."""
    pixels, labels = load_digits(return_X_y=True)
    train, test, y_train, y = train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=split)
    y_prob = np.minimum(MODELS[model]().fit(train, y_train).predict_proba(test), 1)
    return Predictions(model, y, y_prob, test.mean(axis=1))


@stored([FIRST, *OTHERS], SPLITS)
def another_split(model, split):
    """A model trained and tested on another split: μ_j and s_j, both (r,), then SKCE and KLCE²."""
    hit, confidence, ink = answers_of(trained_again(model, split))
    phi, delta = rows_of(hit, confidence)
    found = spectrum_of_features(phi, delta)
    clean = np.array([found.norm(0, 0, 0, unbiased=True), local_of(phi, delta, ink)])
    return found.eigenvalues, found.coordinates[:, 0], clean


@lru_cache
def splits(model):
    """Eigenvalues and energies on the other splits, both (splits, r), filled up with 0; and what has no noise."""
    mu, s, clean = zip(*(another_split(model, split) for split in SPLITS), strict=True)
    filled = lambda rows: np.array([np.pad(row, (0, max(map(len, rows)) - len(row))) for row in rows])
    return filled(mu), filled(s) ** 2, np.array(clean)


def split_along(model, t, level):
    """The family at one position, on each of the other splits, shape (splits,)."""
    mu, energy, _ = splits(model)
    return (weights(mu, t, level) * energy).sum(axis=1)


@lru_cache
def comes_back(first, second, t, level):
    """On how many of the other splits the first model has the smaller error."""
    return int((split_along(first, t, level) < split_along(second, t, level)).sum())
