"""Derivations of notebook 02: what a bin forgets, what noise adds, and what a narrow kernel sees."""

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from ...data.worlds import random_world
from ...kde import conditional_frequency, dirichlet_log_kernel
from ...teach.derive import Derivation, Step


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
    claim="What bins of infinitely many data see of the squared error.",
    world=_binned_world,
    steps=(
        Step(r"\mathbb{E}\,g_B^2 = \sum_m P(B_m)\,(\mathrm{conf}_m - \mathrm{acc}_m)^2", "What bins see; g = c − r(c), and g_B is its mean in the bin B of c.",
             lambda w: w["w"] @ _in_bins(w, _gap(w)) ** 2),
        Step(r"\mathbb{E}\,[\,g^2 - 2\,g\,(g - g_B) + (g - g_B)^2\,]",
             "Write g_B = g − (g − g_B) and expand.",
             lambda w: w["w"] @ (_gap(w) ** 2 - 2 * _gap(w) * (_gap(w) - _in_bins(w, _gap(w)))
                                 + (_gap(w) - _in_bins(w, _gap(w))) ** 2)),
        Step(r"\mathbb{E}\,g^2 - 2\,\mathbb{E}\,\mathrm{Var}(g \mid B)", "The middle term is counted, the last one is forgotten.",
             lambda w: w["w"] @ _gap(w) ** 2 - 2 * _spread_in_bins(w), printed="a common slip"),
        Step(r"\mathbb{E}\,g^2 - \mathbb{E}\,\mathrm{Var}(g \mid B)",
             "Inside a bin g − g_B averages to 0, so g(g − g_B) averages to the variance: −2 of it, +1. Bins see the true squared error less a spread: bias down.",
             lambda w: w["w"] @ _gap(w) ** 2 - _spread_in_bins(w)),
    ),
)  # fmt: skip


def _spread_in_bins(w):
    """E Var(g | B)."""
    return w["w"] @ (_gap(w) - _in_bins(w, _gap(w))) ** 2


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


def _gap_of_a_bin(rng):
    """The standard deviation of a calibrated bin's gap, for 5 to 100 data."""
    n, p = int(rng.integers(5, 101)), rng.uniform(0.1, 0.9)
    return {"n": n, "p": p, "s": np.sqrt(p * (1 - p) / n)}


mean_of_normal = Derivation(
    title="How far from 0 a gap is on average",
    claim="The mean of |Z|, for a normal variable Z with mean 0 and standard deviation s.",
    world=_gap_of_a_bin,
    describe=lambda w: f"a bin of {w['n']} data near p = {w['p']:.2f}: s = {w['s']:.3f}",
    steps=(
        Step(r"\mathbb{E}\,|Z|,\quad Z \sim N(0, s^2)", "Numerical integration of |z| against the normal density.",
             lambda w: 2 * quad(lambda z: z * norm.pdf(z, scale=w["s"]), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"\frac{2}{s \sqrt{2\pi}} \int_0^\infty z\, e^{-z^2/(2s^2)}\, dz", "Both sides of 0 count the same; the density is written out.",
             lambda w: 2 / (w["s"] * np.sqrt(2 * np.pi))
             * quad(lambda z: z * np.exp(-(z**2) / (2 * w["s"] ** 2)), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"\sqrt{\frac{1}{2\pi}}\; s", "The integral would have to be s²/2.",
             lambda w: w["s"] / np.sqrt(2 * np.pi), printed="a common slip: a factor 2 lost in the integral"),
        Step(r"\sqrt{\frac{2}{\pi}}\; s", "The integral is s², because −s² exp(−z²/(2s²)) has the integrand as its derivative.",
             lambda w: np.sqrt(2 / np.pi) * w["s"]),
    ),
    tolerance=1e-10,
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
    claim="The mean confidence of a bin, where a paper prints the mean of argmax p_k, which is an index (errata G19).",
    world=_four_classes,
    steps=(
        Step(r"\mathbb{E}\,[\max_k\, p_k]", "One bin that holds everything: its mean confidence.",
             lambda w: w.weights @ w.predictions.max(axis=1)),
        Step(r"\max_k\, \mathbb{E}\,[p_k]", "The mean of the largest is at least the largest mean: predictions of a bin need not name the same class.",
             lambda w: (w.weights @ w.predictions).max(), printed="a common slip: mean first, then maximum"),
        Step(r"\mathbb{E}\,[p_{k^*}],\quad k^* = \mathrm{argmax}_k\, p_k", "The index is only used to look the probability up.",
             lambda w: w.weights @ np.take_along_axis(w.predictions, w.predictions.argmax(axis=1)[:, None], axis=1)[:, 0]),
    ),
)  # fmt: skip


VANISHING = 1e-13  # small enough that every weight but the largest is 0 in double precision


def _neighbours(rng):
    """Scores with frequencies; every label vector of the five is listed."""
    return {"p": np.sort(rng.random(5)), "r": rng.random(5)}


def _winner(w):
    """For each i the j ≠ i whose kernel is largest at p_i as γ → 0."""
    log_kernel = dirichlet_log_kernel(w["p"], w["p"], VANISHING)
    np.fill_diagonal(log_kernel, -np.inf)
    return log_kernel.argmax(axis=1)


neighbour_limit = Derivation(
    title="Leaving one out does not remove the noise",
    claim="Leaving i out, the estimate tends to the error against one neighbour's label, whose noise is still there.",
    world=_neighbours,
    steps=(
        Step(r"\mathbb{E}\,\frac{1}{n}\sum_i (p_i - \hat{r}_\gamma^{(-i)}(p_i))^2,\quad \gamma \rightarrow 0",
             "Leave-one-out at a bandwidth of 1e-13, over all 32 label vectors.",
             lambda w: _over_labels(w, lambda y: ((w["p"] - conditional_frequency(y, w["p"], bandwidth=VANISHING)) ** 2).mean())),
        Step(r"\mathbb{E}\,\frac{1}{n}\sum_i (p_i - y_{j(i)})^2", "All the weight falls on one neighbour j(i) ≠ i, the one whose kernel is the largest at p_i: the others' weights beside it go to 0.",
             lambda w: _over_labels(w, lambda y: ((w["p"] - y[_winner(w)]) ** 2).mean())),
        Step(r"\frac{1}{n}\sum_i (p_i - r_{j(i)})^2", "If its frequency were seen, this would be the answer. Its label is seen.",
             lambda w: ((w["p"] - w["r"][_winner(w)]) ** 2).mean(), printed="a common hope"),
        Step(r"\frac{1}{n}\sum_i [(p_i - r_{j(i)})^2 + r_{j(i)}(1 - r_{j(i)})]",
             "Mean of a square = square of the mean + variance: noise again, as in a bin of one.",
             lambda w: ((w["p"] - w["r"][_winner(w)]) ** 2 + (w["r"] * (1 - w["r"]))[_winner(w)]).mean()),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _two_points(rng):
    return {"p": rng.uniform(0.1, 0.9), "c": rng.uniform(0.1, 0.9), "h": rng.uniform(0.2, 0.6)}


def _kernel(p, c, h):
    return float(np.exp(dirichlet_log_kernel([p], [c], h)[0, 0]))


kernel_is_a_density = Derivation(
    title="Is −log γ needed?",
    claim="The integral of the kernel over p, which is also that of a mean of kernels.",
    world=_two_points,
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']:.2f}, γ = {w['h']:.2f}",
    steps=(
        Step(r"\int k(p;\, c)\, dp", "Numerical integration over [0, 1].",
             lambda w: quad(lambda p: _kernel(p, w["c"], w["h"]), 0, 1, epsabs=1e-11, limit=200)[0]),
        Step(r"\gamma", "So it is for a kernel K((p − c)/γ), which has to be divided by γ; hence the −log γ.",
             lambda w: w["h"], printed="what the released code of Popordanoska et al. takes for granted (errata U1)"),
        Step(r"1", "A Beta density in p, for every γ: so is a mean of kernels, and nothing is to be divided.", lambda w: 1.0),
    ),
    tolerance=1e-8,
)  # fmt: skip
