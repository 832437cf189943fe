"""Derivations of notebook 02, first half: what a bin forgets, and what noise adds."""

import numpy as np

from ..derive import Derivation, Step
from ..worlds import random_world

__all__ = ["argmax_for_max", "bins_forget", "debiasing", "noise_adds"]


def _binned_world(rng):
    """Eight confidences in three bins, with known frequencies."""
    c = np.sort(rng.random(8))
    return {"w": rng.dirichlet(np.ones(8)), "c": c, "r": rng.random(8), "bin": np.minimum((c * 3).astype(int), 2)}


def _in_bins(w, values):
    """Mean of `values` in each kind's bin."""
    mass = np.bincount(w["bin"], w["w"], minlength=3)
    with np.errstate(invalid="ignore"):
        return (np.bincount(w["bin"], w["w"] * values, minlength=3) / mass)[w["bin"]]


bins_forget = Derivation(
    title="A bin averages before it measures",
    claim="With infinitely many data the squared binned error is the true one less the spread of the gap inside bins.",
    world=_binned_world,
    steps=(
        Step(r"\mathbb{E}\,(c - r(c))^2", "The true squared error: confidence c against its frequency r(c).",
             lambda w: w["w"] @ (w["c"] - w["r"]) ** 2),
        Step(r"\mathbb{E}\,[\,g_B^2 + 2\,g_B\,(g - g_B) + (g - g_B)^2\,]",
             "Write g = c − r(c), add and subtract its mean g_B in the bin B of c, and expand.",
             lambda w: w["w"] @ (_in_bins(w, _gap(w)) ** 2
                                 + 2 * _in_bins(w, _gap(w)) * (_gap(w) - _in_bins(w, _gap(w)))
                                 + (_gap(w) - _in_bins(w, _gap(w))) ** 2)),
        Step(r"\mathbb{E}\,g_B^2 + \mathbb{E}\,\mathrm{Var}(g \mid B)",
             "Inside a bin g − g_B averages to 0, so the middle term goes. What is left is binned error plus spread.",
             lambda w: w["w"] @ _in_bins(w, _gap(w)) ** 2 + w["w"] @ (_gap(w) - _in_bins(w, _gap(w))) ** 2),
        Step(r"\mathbb{E}\,g_B^2 = \sum_m P(B_m)\,(\mathrm{conf}_m - \mathrm{acc}_m)^2",
             "Drop the spread, which is never negative: bins see at most the truth. Bias down.",
             lambda w: w["w"] @ _in_bins(w, _gap(w)) ** 2, relation=">="),
    ),
)  # fmt: skip


def _gap(w):
    return w["c"] - w["r"]


def _one_bin(rng):
    """Five confidences in one bin and their frequencies: few enough to list all 32 label vectors."""
    return {"c": rng.random(5), "r": rng.random(5)}


def _over_labels(w, statistic):
    """E[statistic(labels)] exactly: every label vector times its probability."""
    n = len(w["r"])
    labels = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    mass = np.where(labels == 1, w["r"], 1 - w["r"]).prod(axis=1)
    return float(sum(m * statistic(y) for m, y in zip(mass, labels, strict=True)))


noise_adds = Derivation(
    title="Noise counts as error",
    claim="The expected squared gap of a bin is the squared true gap plus the variance of its frequency.",
    world=_one_bin,
    steps=(
        Step(r"\mathbb{E}\,(\mathrm{conf} - \mathrm{acc})^2", "One bin, n_m labels: every label vector, times its probability.",
             lambda w: _over_labels(w, lambda y: (w["c"].mean() - y.mean()) ** 2)),
        Step(r"(\mathrm{conf} - \bar{r})^2 + \mathrm{Var}(\mathrm{acc})", "Mean of a square = square of the mean + variance; E acc = r̄, the mean of r_i in this bin.",
             lambda w: _gap(w).mean() ** 2 + _over_labels(w, lambda y: (y.mean() - w["r"].mean()) ** 2)),
        Step(r"(\mathrm{conf} - \bar{r})^2", "“More data in the sum, so noise cancels”: a square does not let it.",
             lambda w: _gap(w).mean() ** 2, printed="a common belief"),
        Step(r"(\mathrm{conf} - \bar{r})^2 + n_m^{-2} \sum_i r_i (1 - r_i)", "Labels are independent coins: their variances add. Bias up.",
             lambda w: _gap(w).mean() ** 2 + (w["r"] * (1 - w["r"])).sum() / len(w["r"]) ** 2),
    ),
)  # fmt: skip


def _equal_bin(rng):
    """Five labels in one bin with the same frequency r."""
    return {"c": rng.random(5), "r": np.full(5, rng.random())}


debiasing = Derivation(
    title="Taking the noise away again",
    claim="acc(1 − acc)/(n_m − 1) is an unbiased estimate of Var(acc) when all labels of the bin have one frequency r.",
    world=_equal_bin,
    steps=(
        Step(r"\mathbb{E}\,[(\mathrm{conf} - \mathrm{acc})^2 - \mathrm{acc}(1 - \mathrm{acc})/(n_m - 1)]",
             "The debiased square of Kumar et al. (2019), averaged over all label vectors.",
             lambda w: _over_labels(w, lambda y: (w["c"].mean() - y.mean()) ** 2 - y.mean() * (1 - y.mean()) / (len(y) - 1))),
        Step(r"\mathbb{E}\,(\mathrm{conf} - \mathrm{acc})^2 - \frac{r(1 - r)}{n_m}",
             "E[acc(1 − acc)] = r(1 − r)(n_m − 1)/n_m: the sample looks a little less noisy than it is.",
             lambda w: _over_labels(w, lambda y: (w["c"].mean() - y.mean()) ** 2) - w["r"][0] * (1 - w["r"][0]) / len(w["r"])),
        Step(r"\mathbb{E}\,[(\mathrm{conf} - \mathrm{acc})^2 - \mathrm{acc}(1 - \mathrm{acc})/n_m]",
             "With n_m in place of n_m − 1 some noise stays.",
             lambda w: _over_labels(w, lambda y: (w["c"].mean() - y.mean()) ** 2 - y.mean() * (1 - y.mean()) / len(y)),
             printed="a common slip"),
        Step(r"(\mathrm{conf} - r)^2", "By the previous derivation the noise is gone on average. (What a bin forgets is still missing, and a result may be negative.)",
             lambda w: _gap(w).mean() ** 2),
    ),
)  # fmt: skip


def _four_classes(rng):
    return random_world(rng, n_kinds=5, n_classes=4)


argmax_for_max = Derivation(
    title="What conf(B) averages",
    claim="The confidence of a bin is the mean of max p_k; the index argmax p_k is no probability at all.",
    world=_four_classes,
    steps=(
        Step(r"\mathbb{E}\,[\max_k\, p_k]", "One bin that holds everything: its mean confidence.",
             lambda w: w.weights @ w.predictions.max(axis=1)),
        Step(r"\mathbb{E}\,[\mathrm{argmax}_k\, p_k]", "This averages class numbers, here 0 to 3.",
             lambda w: w.weights @ w.predictions.argmax(axis=1),
             printed="Gruber & Bach, below eq. 10, as printed (errata G19)"),
        Step(r"\mathbb{E}\,[p_{k^*}],\quad k^* = \mathrm{argmax}_k\, p_k", "The index is only used to look the probability up.",
             lambda w: w.weights @ np.take_along_axis(w.predictions, w.predictions.argmax(axis=1)[:, None], axis=1)[:, 0]),
    ),
)  # fmt: skip
