"""The poster's two experiments (Widmann et al. 2019): estimates of the calibration error, and the tests' errors."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.special import betainc
from sklearn.gaussian_process.kernels import NormalizedKernelMixin, StationaryKernelMixin

from ..chance.pvalues import bound_pvalue, rank_pvalues, t_pvalue
from ..chance.resampling import draw_labels, label_type, labels_at
from ..data.worlds import calibrated_model, widmann_model
from ..door.inputs import check_rng
from ..door.predictions import residuals
from ..errors.kce import kce_test, skce
from ..estimates.simplex import cell_of
from ..kernels import slices
from ..kernels.gram import BLOCK_ENTRIES, Gram
from ..kernels.pair_sums import of_form, pair_terms, skce_of_residuals
from .blocks import from_command_line, stored_summary

MODELS = ("M1", "M2", "M3", "heteroscedastic", "near-deterministic")
ESTIMATES = ("ECE", "ECE, colliding cells", "SKCE_b", "SKCE_uq", "SKCE_ul")
TESTS = ("C", "C, colliding cells", "D_b", "D_uq", "D_ul", "A_uq", "A_l", "exact", "aggregated", "exact ECE",
         "C with SKCE_uq")
LEVELS = np.linspace(0, 1, 201)
N, RESAMPLES, BLOCK = 250, 199, 100
FACTORS = (0.125, 0.25, 0.5, 1, 2, 4, 8)  # of the median bandwidth, for the aggregated test
FULL = {"M1": 10_000, "M2": 10_000, "M3": 10_000, "heteroscedastic": 4_000, "near-deterministic": 4_000}

# What the authors' repository devmotion/CalibrationPaper holds for n = 250, ten classes, Dir(.1), median bandwidth:
# means of 10,000 estimates (paper/figures/errors) and shares p ≤ .05 (paper/figures/pvalues), plotted values of release
# 0.2.0; the two rows of the colliding cells are release 0.1.0's (paper/figures/errors_comparison.tex and
# pvalues_comparison.tex). They drew 1,000 resamples. None: not in the repository.
PUBLISHED = {
    "means": {"ECE": (0.4395, 0.6633, 0.8918), "ECE, colliding cells": (0.2288, 0.5134, 0.3908),
              "SKCE_b": (0.00179, 0.09977, 0.02051), "SKCE_uq": (-0.00001, 0.09655, 0.01517),
              "SKCE_ul": (0.00016, 0.09656, 0.01505)},
    "rejected at .05": {
        "C": (1.0, 1.0, 1.0), "C, colliding cells": (0.2447, None, None), "D_b": (0.0, 0.6294, 0.0),
        "D_uq": (0.0, 0.0, 0.0), "D_ul": (0.0, 0.0, 0.0), "A_uq": (0.0347, 1.0, 1.0), "A_l": (0.0455, 1.0, 0.1859)}}


@dataclass(frozen=True)
class TotalVariationLaplacian(StationaryKernelMixin, NormalizedKernelMixin):
    """exp(−‖p − q‖/ν) with ‖·‖ the total variation, half the sum of absolute differences, as in the authors' code.

    On the poster the norm has no name. With ν the median of the same distance its scale cancels.
    """

    bandwidth: float

    def __call__(self, X, Y=None):
        return np.exp(-cdist(X, X if Y is None else Y, "cityblock") / (2 * self.bandwidth))


def authors_bandwidth(y_prob):
    """Median of all n² total variations, the n zeros of the diagonal among them, as in the authors' code."""
    return float(np.median(cdist(y_prob, y_prob, "cityblock"))) / 2


def colliding_cells(y_prob, n_steps=10):
    """Cells numbered by the *product* of the steps 1, …, 10 along each probability.

    Different cells then share a number: (1, 4) and (2, 2). The authors' first release did this (their list of changes
    names it as a mistake), and only with it the ECE estimates lie on both sides of the truth, as the poster says.
    """
    return np.unique(np.maximum(np.ceil(y_prob * n_steps), 1).prod(axis=1), return_inverse=True)[1]


def draw_pairs(y_prob, n_draws, rng=None):
    """Consistency resampling: rows (n, d) drawn with replacement, then their labels (Bröcker & Smith 2007).

    Draw b holds the predictions ``y_prob[rows[:, b]]`` and the labels ``labels[:, b]``.
    """
    rng, (n, n_classes) = check_rng(rng), y_prob.shape
    rows = rng.integers(n, size=(n, n_draws), dtype=np.int32)
    labels = np.empty((n, n_draws), dtype=label_type(y_prob))
    for part in slices(n, BLOCK_ENTRIES // (n_draws * n_classes)):
        chosen = y_prob[rows[part].ravel()]
        labels[part] = labels_at(chosen, rng.random((len(chosen), 1))).reshape(-1, n_draws)
    return rows, labels


def errors_of_labels(cell, y_prob, labels):
    """`simplex_calibration_error` for each column of labels (n, m); `cell` holds the cells' numbers, shape (n,)."""
    return errors_of_pairs(cell, y_prob, np.broadcast_to(np.arange(len(y_prob))[:, None], labels.shape), labels)


def errors_of_pairs(cell, y_prob, rows, labels):
    """`simplex_calibration_error` of data sets whose predictions are ``y_prob[rows[:, b]]``, both (n, m)."""
    (n, n_classes), n_draws = y_prob.shape, labels.shape[1]
    # Σ over a cell of p − e_y, for each class and draw: one count a prediction replaces sums over rows.
    draw = np.arange(n_draws)
    times = np.bincount((rows * n_draws + draw).ravel(), minlength=n * n_draws).reshape(n, n_draws)
    member = (cell == np.arange(cell.max() + 1)[:, None]).astype(float)
    total = np.zeros(n_draws)
    for k in range(n_classes):
        hits = labels == k
        seen = np.bincount((cell[rows] * n_draws + draw)[hits], minlength=len(member) * n_draws)
        promised = member @ (times * y_prob[:, k : k + 1])
        total += np.abs(promised - seen.reshape(len(member), n_draws)).sum(axis=0)
    return total / (2 * n)


def draw(model, number, seed=0, n=N):
    """Data set `number` of a model: it depends on nothing but the three."""
    rng = np.random.default_rng([seed, MODELS.index(model), number])
    make = widmann_model if model in MODELS[:3] else calibrated_model
    return *make(model, n, rng=rng), rng


def one_data_set(model, number, *, seed=0, n=N, n_resamples=RESAMPLES):
    """All estimates, then all p-values, of one data set; shape (len(ESTIMATES) + len(TESTS),)."""
    y_true, y_prob, rng = draw(model, number, seed, n)
    median = authors_bandwidth(y_prob)
    kernels = [TotalVariationLaplacian(factor * median) for factor in FACTORS]
    default = kernels[FACTORS.index(1)]
    options = {"kernel": default, "n_resamples": n_resamples, "rng": rng}
    bounds = [kce_test(y_true, y_prob, method=f"bound-{name}", **options) for name in ("biased", "unbiased")]
    bootstrap = kce_test(y_true, y_prob, method="asymptotic", **options)
    # Rows are drawn independently here: neighbours make pairs as they stand, nothing is shuffled.
    terms = pair_terms(default, y_prob, residuals(y_true, y_prob))
    every = kce_test(y_true, y_prob, kernel=kernels, n_resamples=n_resamples, rng=rng)
    labels = np.column_stack([y_true, draw_labels(y_prob, n_resamples, rng)])
    rows, drawn = draw_pairs(y_prob, n_resamples, rng)
    cell, collided = cell_of(y_prob, 10), colliding_cells(y_prob)
    of_labels = errors_of_labels(cell, y_prob, labels)
    first = errors_of_labels(collided, y_prob, y_true[:, None])
    pvalues = [rank_pvalues(np.concatenate([of_labels[:1], errors_of_pairs(cell, y_prob, rows, drawn)]))[0],
               rank_pvalues(np.concatenate([first, errors_of_pairs(collided, y_prob, rows, drawn)]))[0],
               *(bound.pvalue for bound in bounds), bound_pvalue(terms.mean(), n, 2, biased=False), bootstrap.pvalue,
               t_pvalue(terms)[1], every.single_pvalues[FACTORS.index(1)], every.pvalue, rank_pvalues(of_labels)[0],
               _consistency_of_skce(y_true, y_prob, default, rows, drawn)]
    return np.array([of_labels[0], first[0], *(bound.estimate for bound in bounds), terms.mean(), *pvalues])


def _consistency_of_skce(y_true, y_prob, kernel, rows, labels):
    """C with SKCE_uq. Σ_ij k⟨δ, δ⟩ over a resampled data set is a form of what each observed row was drawn with."""
    (n, n_draws), n_classes = rows.shape, y_prob.shape[1]
    draw = np.arange(n_draws)
    index = (rows * n_classes + labels) * n_draws + draw
    drawn_labels = np.bincount(index.ravel(), minlength=n * n_classes * n_draws).reshape(n, n_classes, n_draws)
    total = drawn_labels.sum(axis=1, keepdims=True) * y_prob[:, :, None] - drawn_labels  # Σ δ of each observed row
    squares = (y_prob**2).sum(axis=1)[rows] - 2 * y_prob[rows, labels] + 1
    gram = Gram(kernel, y_prob)
    forms, _ = gram.forms(lambda rows, draws: total[rows, :, draws], n_draws)
    drawn = of_form(forms, (gram.diagonal[rows] * squares).sum(axis=0), n, "unbiased")
    return rank_pvalues(np.append(skce(y_true, y_prob, kernel=kernel), drawn))[0]


def true_values(model, *, data_sets=20, rows=3000):
    """(ECE, SKCE) of a model: E‖p − P(Y | p)‖ in total variation, in closed form, and the mean of h over pairs.

    The SKCE depends on the bandwidth, hence on the data set: a mean over the medians of `data_sets` data sets, each
    with noiseless residuals of `rows` predictions of its own (pairs i ≠ j).
    """
    if model not in ("M2", "M3"):
        return 0.0, 0.0
    # M2: ½ E(1 − p_1). M3: 10 E max(0, .1 − p_1) with p_1 ~ Beta(.1, .9).
    ece = 0.45 if model == "M2" else 10 * (0.1 * betainc(0.1, 0.9, 0.1) - 0.1 * betainc(1.1, 0.9, 0.1))
    errors = []
    for number in range(data_sets):
        _, p = widmann_model(model, rows, rng=np.random.default_rng([0, 99, number]))
        gap = (p - np.eye(10)[0]) / 2 if model == "M2" else p - 0.1
        errors.append(skce_of_residuals(TotalVariationLaplacian(authors_bandwidth(draw(model, number)[1])), p, gap))
    return float(ece), float(np.mean(errors))


def summarise(results):
    """What is stored: moments and histograms of the estimates, rejection rates at `LEVELS`; plain numbers."""
    summary = {"n": N, "n_resamples": RESAMPLES, "models": {}}
    for model, values in results.items():
        ece, error = true_values(model)
        estimates = {}
        for name, found in zip(ESTIMATES, values.T, strict=False):
            count, edges = np.histogram(found, 40)
            estimates[name] = {
                "mean": float(found.mean()), "sd": float(found.std(ddof=1)),
                "truth": ece if name.startswith("ECE") else error,
                "first_edge": float(edges[0]), "width": float(edges[1] - edges[0]), "counts": count.tolist()}
        # p ≤ level with room for a rounding error: p-values of ranks are multiples of 1/(B + 1)
        rejected = {name: [round(float((p <= level + 1e-12).mean()), 5) for level in LEVELS]
                    for name, p in zip(TESTS, values.T[len(ESTIMATES) :], strict=True)}
        summary["models"][model] = {"data_sets": len(values), "estimates": estimates, "rejected": rejected,
                                    "first": values[:5].tolist()}  # to be made again and compared
    return summary


def beside_published():
    """Table of the stored means and shares rejected, M1 to M3, with the authors' values in brackets ("?": none)."""
    full, rows = stored_summary("widmann")["models"], {}
    for name, published in PUBLISHED["means"].items():
        ours = [full[model]["estimates"][name]["mean"] for model in MODELS[:3]]
        rows[f"mean {name}"] = [f"{a:.4f} ({b:.4f})" for a, b in zip(ours, published, strict=True)]
    for name, published in PUBLISHED["rejected at .05"].items():
        ours = [full[model]["rejected"][name][np.argmin(np.abs(LEVELS - 0.05))] for model in MODELS[:3]]
        theirs = ["?" if rate is None else f"{rate:.3f}" for rate in published]
        rows[f"rejects: {name}"] = [f"{a:.3f} ({b})" for a, b in zip(ours, theirs, strict=True)]
    return pd.DataFrame(rows, index=MODELS[:3]).T


def tell(summary):
    for model, each in summary["models"].items():
        at = {name: rates[10] for name, rates in each["rejected"].items()}
        print(model, "rejected at .05:", ", ".join(f"{name} {rate:.3f}" for name, rate in at.items()))


if __name__ == "__main__":
    from_command_line(__spec__.name)
