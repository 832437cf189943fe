"""Twenty-four questions about the predictions of ten classes on twelve scanners, all asked of the same labels."""

import numpy as np

from ...chance.resampling import draw_labels

KINDS = ("all rows", "scanner", "digit")


def residual_sums(y_prob, labels, scanner):
    """Size of Σ (said − happened), one row a question, for every column of labels (n, B + 1).

    Asked are all rows, and whether more confidence brings more residual; the rows of each scanner; and each class.
    A vector `y_prob` holds P(Y = 1).
    """
    if y_prob.ndim == 1:
        y_prob = np.column_stack([1 - y_prob, y_prob])
    top, said = y_prob.argmax(axis=1), y_prob.max(axis=1)
    delta = said[:, None] - (labels == top[:, None])
    rows = np.array([np.ones(len(said)), said - said.mean(), *(scanner == s for s in np.unique(scanner))])
    of_classes = [y_prob[:, k].sum() - (labels == k).sum(axis=0) for k in range(y_prob.shape[1])]
    return np.abs(np.vstack([rows @ delta, of_classes])).round(9)  # equal sums shall tie


def names_of(y_prob, scanner):
    """What each row of `residual_sums` is about: its kind and its name."""
    kinds = [("all rows", "gap"), ("all rows", "slope")]
    kinds += [("scanner", str(s)) for s in np.unique(scanner)]
    return kinds + [("digit", str(k)) for k in range(y_prob.shape[1])]


def table_of(y_true, y_prob, scanner, n_draws, rng):
    """`residual_sums` of the observed labels, first, and of labels redrawn from the predictions."""
    labels = draw_labels(y_prob, n_draws, rng, observed=y_true)
    return residual_sums(y_prob, labels, scanner)
