"""Derivations of notebook 02: what a bin forgets, what noise adds, and what a narrow kernel sees."""

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, rel_entr, xlogy
from scipy.stats import beta, norm

from ...data.worlds import random_world
from ...kde import conditional_frequency, dirichlet_log_kernel
from ...predictions import residuals
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
        Step(r"\mathbb{E}\,g_B^2", "Of the last term nothing would be left either only if the gap were the same all over each bin.",
             lambda w: w["w"] @ _in_bins(w, _gap(w)) ** 2, printed="a common belief: bins see the whole error"),
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


def _gap_of_a_bin(rng):
    """The standard deviation of a calibrated bin's gap, for 5 to 100 data."""
    n, p = int(rng.integers(5, 101)), rng.uniform(0.1, 0.9)
    return {"n": n, "p": p, "s": np.sqrt(p * (1 - p) / n)}


mean_of_normal = Derivation(
    title="Where √(2/π) comes from",
    claim="The absolute value of a normal variable Z with mean 0 and standard deviation s averages √(2/π)·s.",
    world=_gap_of_a_bin,
    describe=lambda w: f"a bin of {w['n']} data near p = {w['p']:.2f}: s = {w['s']:.3f}",
    steps=(
        Step(r"\mathbb{E}\,|Z|,\quad Z \sim N(0, s^2)", "Numerical integration of |z| against the normal density.",
             lambda w: 2 * quad(lambda z: z * norm.pdf(z, scale=w["s"]), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"s", "s is the root of the mean of Z². The mean of |Z| is smaller, by Jensen's inequality.",
             lambda w: w["s"], printed="a common slip: the standard deviation as the mean distance"),
        Step(r"\frac{2}{s \sqrt{2\pi}} \int_0^\infty z\, e^{-z^2/(2s^2)}\, dz", "Both sides of 0 count the same; the density is written out.",
             lambda w: 2 / (w["s"] * np.sqrt(2 * np.pi))
             * quad(lambda z: z * np.exp(-(z**2) / (2 * w["s"] ** 2)), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"\sqrt{2/\pi}\; s", "The integral is s², because −s² exp(−z²/(2s²)) has the integrand as its derivative.",
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


def _labelled(rng):
    """Eight three-class predictions with labels."""
    return {"y": rng.integers(0, 3, 8), "p": rng.dirichlet(np.ones(3), 8)}


def _kde_error(w, bandwidth, leave_one_out):
    ratio = conditional_frequency(w["y"], w["p"], bandwidth=bandwidth, leave_one_out=leave_one_out)
    return ((w["p"] - ratio) ** 2).sum(axis=1).mean()


VANISHING = 1e-13  # small enough that every weight but the largest is 0 in double precision


def _two_predictions(rng):
    return {"p": rng.uniform(0.1, 0.9), "c": rng.uniform(0.1, 0.9)}


def _log_beta(w, bandwidth):
    """log k(p; c), term by term."""
    c, n = w["c"], 1 / bandwidth
    lean = xlogy(c, w["p"]) + xlogy(1 - c, 1 - w["p"])
    return n * lean + gammaln(n + 2) - gammaln(c * n + 1) - gammaln((1 - c) * n + 1)


kernel_limit = Derivation(
    title="How a narrow kernel measures distance",
    claim="As γ → 0, γ·log k(p; c) tends to −KL(c ‖ p); the Kullback–Leibler divergence is KL(c ‖ p) = c log(c/p) + (1 − c) log((1 − c)/(1 − p)).",
    world=_two_predictions,
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']:.2f}",
    steps=(
        Step(r"\gamma\, \log\, k(p;\, c),\quad \gamma \rightarrow 0", "The Beta kernel of two classes, at a bandwidth of 1e-13.",
             lambda w: VANISHING * dirichlet_log_kernel([w["p"]], [w["c"]], VANISHING)[0, 0]),
        Step(r"c\, \log\, p + (1 - c)\, \log(1 - p) + \gamma\, [\log\, \Gamma(\frac{1}{\gamma} + 2) - \log\, \Gamma(\frac{c}{\gamma} + 1) - \log\, \Gamma(\frac{1 - c}{\gamma} + 1)]",
             "The logarithm of the Beta density, times γ.", lambda w: VANISHING * _log_beta(w, VANISHING)),
        Step(r"-(p - c)^2", "So it would be for the Gaussian kernel exp(−(p − c)²/γ), the same everywhere on [0, 1].",
             lambda w: -((w["p"] - w["c"]) ** 2), printed="a common belief: every kernel falls with the squared distance"),
        Step(r"c\, \log\, p + (1 - c)\, \log(1 - p) - c\, \log\, c - (1 - c)\, \log(1 - c)",
             "Stirling: log Γ(x + 1) = x log x − x + O(log x). The terms −x cancel, and so does log(1/γ); γ·O(log(1/γ)) → 0.",
             lambda w: xlogy(w["c"], w["p"] / w["c"]) + xlogy(1 - w["c"], (1 - w["p"]) / (1 - w["c"]))),
        Step(r"-\mathrm{KL}(c\, \|\, p)", "By definition. It is 0 at p = c and negative elsewhere: the nearest centre wins.",
             lambda w: -(rel_entr(w["c"], w["p"]) + rel_entr(1 - w["c"], 1 - w["p"]))),
    ),
    tolerance=1e-9,
)  # fmt: skip

bandwidth_to_zero = Derivation(
    title="Where the printed estimator goes",
    claim="With j = i in the sum, the kernel estimate tends to the Brier score as γ → 0, whatever the truth, if no two predictions are equal.",
    world=_labelled,
    steps=(
        Step(r"\frac{1}{n}\sum_i \|p_i - \hat{r}_\gamma(p_i)\|^2,\quad \gamma \rightarrow 0", "Eq. 11 as printed, at a bandwidth of 1e-13.",
             lambda w: _kde_error(w, VANISHING, False)),
        Step(r"\frac{1}{n}\sum_i \|p_i - \sum_j 1[j = i]\, e_{y_j}\|^2", "By the last derivation (for any number of classes) log k(p_i; p_j) ≈ −KL(p_j ‖ p_i)/γ, largest at p_j = p_i: all the weight falls on j = i, if no two are equal.",
             lambda w: np.mean([((w["p"][i] - np.eye(3)[w["y"][i]]) ** 2).sum() for i in range(8)])),
        Step(r"0", "“A finer bandwidth resolves the truth”: it resolves the labels.", lambda w: 0.0, printed="a common hope"),
        Step(r"\frac{1}{n}\sum_i \|\delta_i\|^2", "p_i − e_{y_i} is the residual δ_i: this is the Brier score.",
             lambda w: (residuals(w["y"], w["p"]) ** 2).sum(axis=1).mean()),
    ),
    tolerance=1e-9,
)  # fmt: skip


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
        Step(r"\mathbb{E}\,\frac{1}{n}\sum_i (p_i - y_{j(i)})^2", "All the weight falls on one neighbour j(i) ≠ i, the one of smallest KL(p_j ‖ p_i): a second one, farther by d, has exp(−d/γ) of its weight.",
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


beta_is_dirichlet = Derivation(
    title="One kernel, two names",
    claim="The Beta kernel on [0, 1] is the Dirichlet kernel for two classes; its arguments cannot be swapped.",
    world=_two_points,
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']:.2f}, γ = {w['h']:.2f}",
    steps=(
        Step(r"k(p;\, c) = \mathrm{Dir}((1 - p,\, p) \mid ((1 - c)/\gamma + 1,\; c/\gamma + 1))", "The Dirichlet kernel with two classes.",
             lambda w: float(np.exp(dirichlet_log_kernel([[1 - w["p"], w["p"]]], [[1 - w["c"], w["c"]]], w["h"])[0, 0]))),
        Step(r"k(c;\, p)", "Evaluation point and centre exchanged: another number.", lambda w: _kernel(w["c"], w["p"], w["h"]),
             printed="a trap: which argument is the centre, Gruber & Bach, eq. 11, do not say (errata G10)"),
        Step(r"\mathrm{Beta}(p \mid c/\gamma + 1,\; (1 - c)/\gamma + 1)", "Two classes: the Dirichlet density is the Beta density of its second entry, here as SciPy computes it.",
             lambda w: beta.pdf(w["p"], w["c"] / w["h"] + 1, (1 - w["c"]) / w["h"] + 1)),
    ),
    tolerance=1e-9,
)  # fmt: skip


kernel_is_a_density = Derivation(
    title="Why the likelihood has no −log γ",
    claim="The kernel integrates to 1 over p for every γ, so a mean of kernels is a density already.",
    world=_two_points,
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']:.2f}, γ = {w['h']:.2f}",
    steps=(
        Step(r"\int k(p;\, c)\, dp", "Numerical integration over [0, 1].",
             lambda w: quad(lambda p: _kernel(p, w["c"], w["h"]), 0, 1, epsabs=1e-11, limit=200)[0]),
        Step(r"\int \frac{1}{\gamma}\, k(p;\, c)\, dp", "The extra −log γ divides by γ once more, as for a kernel K((p − c)/γ).",
             lambda w: 1 / w["h"], printed="the released code of Popordanoska et al. (errata U1)"),
        Step(r"1", "A Beta density.", lambda w: 1.0),
    ),
    tolerance=1e-8,
)  # fmt: skip
