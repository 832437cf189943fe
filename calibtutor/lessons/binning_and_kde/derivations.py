"""Derivations of notebook 02: what a bin forgets, what noise adds, and what a narrow kernel sees."""

from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from ...data.worlds import random_world
from ...kde import conditional_frequency, dirichlet_log_kernel
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.letters import population


def _binned_world(rng):
    """Eight confidences in three bins, with known frequencies."""
    c = np.sort(rng.random(8))
    return {"w": rng.dirichlet(np.ones(8)), "c": c, "r": rng.random(8), "bin": np.minimum((c * 3).astype(int), 2)}


def _bins(w):
    """A confidence c, its frequency r and its bin B."""
    return Letters({"z": (w["w"], {"c": w["c"], "r": w["r"], "B": w["bin"]})}, sets={"bins": np.unique(w["bin"])})


bins_forget = Derivation(
    title="A bin averages before it measures",
    claim="What bins of infinitely many data see of the squared error.",
    world=_binned_world,
    letters=_bins,
    steps=(
        Step("E(g_B**2) = sum(P(B == m) * (E(c, given=B == m) - E(r, given=B == m))**2 for m in bins); g = c - r; g_B = E(g, given=B)",
             "What bins see: g = c − r(c), and g_B is its mean in the bin B of c; in bin m that is the mean confidence less the frequency."),
        Step("E(g**2 - 2*g*(g - g_B) + (g - g_B)**2)",
             "Write g_B = g − (g − g_B) and expand."),
        Step("E(g**2) - 2 * E(Var(g, given=B))",
             "The middle term is counted, the last one is forgotten.", printed="a common slip"),
        Step("E(g**2) - E(Var(g, given=B))",
             "Inside a bin g − g_B averages to 0, so g(g − g_B) averages to the variance: −2 of it, +1. Bins see the true squared error less a spread: bias down."),
    ),
)  # fmt: skip


def _one_bin(rng):
    """Five confidences in one bin and their frequencies: few enough to list all 32 label vectors."""
    return {"c": rng.random(5), "r": rng.random(5)}


def _label_vectors(r):
    """All 2ⁿ label vectors y of independent labels with frequencies r, and their probabilities."""
    y = np.array(list(product([0, 1], repeat=len(r))))
    return np.where(y == 1, r, 1 - r).prod(axis=1), {"y": y}


def _labels(w, **more):
    """A bin's label vectors, its mean confidence, its frequencies r_i and their mean."""
    n = len(w["r"])
    known = {"conf": w["c"].mean(), "r": w["r"], "r_bar": w["r"].mean(), "n_m": n, **more}
    return Letters({"s": _label_vectors(w["r"])}, known, {"rows": n})


noise_adds = Derivation(
    title="Noise counts as error",
    claim="The expected squared gap of a bin is the squared true gap plus the variance of its frequency.",
    world=_one_bin,
    letters=_labels,
    write=1,
    slips=(
        ("(conf - r_bar)**2 - Var(acc)",
         "the variance is added, not taken off"),
        ("(conf - r_bar)**2",
         "a square's mean is the square of the mean and the variance, which is missing"),
        ("(conf - r_bar)**2 + r_bar * (1 - r_bar)/n_m",
         "the r_i differ: the variances of the labels are r_i(1 − r_i), not r̄(1 − r̄)"),
    ),
    steps=(
        Step("E((conf - acc)**2); acc = mean(y[i] for i in rows)",
             "One bin, n_m labels: every label vector, times its probability."),
        Step("(conf - r_bar)**2 + Var(acc)",
             "Mean of a square = square of the mean + variance; E acc = r̄, the mean of r_i in this bin."),
        Step("(conf - r_bar)**2",
             "“More data in the sum, so noise cancels”: a square does not let it.", printed="a common belief"),
        Step("(conf - r_bar)**2 + 1/n_m**2 * sum(r[i] * (1 - r[i]) for i in rows)",
             "Labels are independent coins: their variances add. Bias up."),
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
    letters=lambda w: Letters(known={"s": w["s"], "pi": np.pi}),
    steps=(
        Step(r"\mathbb{E}\,|Z|,\quad Z \sim N(0, s^2)", "Numerical integration of |z| against the normal density.",
             lambda w: 2 * quad(lambda z: z * norm.pdf(z, scale=w["s"]), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step(r"\frac{2}{s \sqrt{2\pi}} \int_0^\infty z\, e^{-z^2/(2s^2)}\, dz", "Both sides of 0 count the same; the density is written out.",
             lambda w: 2 / (w["s"] * np.sqrt(2 * np.pi))
             * quad(lambda z: z * np.exp(-(z**2) / (2 * w["s"] ** 2)), 0, 12 * w["s"], epsabs=1e-13, limit=200)[0]),
        Step("sqrt(1/(2*pi)) * s",
             "The integral would have to be s²/2.", printed="a common slip: a factor 2 lost in the integral"),
        Step("sqrt(2/pi) * s",
             "The integral is s², because −s² exp(−z²/(2s²)) has the integrand as its derivative."),
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
    letters=lambda w: _labels(w, r=w["r"][0]),
    start=1,
    write=1,
    slips=(
        ("E((conf - acc)**2) - r*(1 - r)",
         "the variance of a mean of n_m labels is less than that of one label"),
        ("E((conf - acc)**2) - r*(1 - r)/(n_m - 1)",
         "n_m − 1 goes: the mean of acc(1 − acc) is less than r(1 − r)"),
        ("E((conf - acc)**2)",
         "the mean of what is taken off is missing"),
    ),
    steps=(
        Step("E((conf - acc)**2 - acc*(1 - acc)/(n_m - 1)); acc = mean(y[i] for i in rows)",
             "The debiased square of Kumar et al. (2019), averaged over all label vectors."),
        Step("E((conf - acc)**2) - r*(1 - r)/n_m",
             "E[acc(1 − acc)] = r(1 − r)(n_m − 1)/n_m: the sample looks a little less noisy than it is."),
        Step("E((conf - acc)**2 - acc*(1 - acc)/n_m)",
             "With n_m in place of n_m − 1 some noise stays.", printed="a common slip"),
        Step("(conf - r)**2",
             "By the previous derivation the noise is gone on average. (What a bin forgets is still missing, and a result may be negative.)"),
    ),
)  # fmt: skip


def _four_classes(rng):
    return random_world(rng, n_kinds=5, n_classes=4)


argmax_for_max = Derivation(
    title="What conf(B) averages",
    claim="The mean confidence of a bin, where a paper prints the mean of argmax p_k, which is an index (errata G19).",
    world=_four_classes,
    letters=population,
    steps=(
        Step("E(max(p[k] for k in classes))",
             "One bin that holds everything: its mean confidence."),
        Step("max(E(p[k]) for k in classes)",
             "The mean of the largest is at least the largest mean: predictions of a bin need not name the same class.", printed="a common slip: mean first, then maximum"),
        Step("E(p[k_star]); k_star = argmax(p[k] for k in classes)",
             "The index is only used to look the probability up."),
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


def _left_out(w):
    """The mean over all label vectors y of the error against an estimate from the other rows."""
    mass, drawn = _label_vectors(w["r"])
    estimates = [conditional_frequency(y, w["p"], bandwidth=VANISHING) for y in drawn["y"]]
    return mass @ ((w["p"] - estimates) ** 2).mean(axis=1)


def _neighbour_labels(w):
    """Label vectors y, scores p_i, frequencies r_i, and the neighbour j_i of each."""
    return Letters({"s": _label_vectors(w["r"])}, {"n": 5, "p": w["p"], "r": w["r"], "j": _winner(w)}, {"rows": 5})


neighbour_limit = Derivation(
    title="Leaving one out does not remove the noise",
    claim="Leaving i out, the estimate tends to the error against one neighbour's label, whose noise is still there.",
    world=_neighbours,
    letters=_neighbour_labels,
    steps=(
        Step(r"\mathbb{E}\,\frac{1}{n}\sum_i (p_i - \hat{r}_\gamma^{(-i)}(p_i))^2,\quad \gamma \rightarrow 0",
             "Leave-one-out at a bandwidth of 1e-13, over all 32 label vectors.",
             _left_out),
        Step("E(1/n * sum((p[i] - y[j[i]])**2 for i in rows))",
             "All the weight falls on one neighbour j_i ≠ i, the one whose kernel is the largest at p_i: the others' weights beside it go to 0."),
        Step("1/n * sum((p[i] - r[j[i]])**2 for i in rows)",
             "If its frequency were seen, this would be the answer. Its label is seen.", printed="a common hope"),
        Step("1/n * sum((p[i] - r[j[i]])**2 + r[j[i]] * (1 - r[j[i]]) for i in rows)",
             "Mean of a square = square of the mean + variance: noise again, as in a bin of one."),
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
    letters=lambda w: Letters(known={"gamma": w["h"]}),
    steps=(
        Step(r"\int k(p;\, c)\, dp", "Numerical integration over [0, 1].",
             lambda w: quad(lambda p: _kernel(p, w["c"], w["h"]), 0, 1, epsabs=1e-11, limit=200)[0]),
        Step("gamma",
             "So it is for a kernel K((p − c)/γ), which has to be divided by γ; hence the −log γ.", printed="what the released code of Popordanoska et al. takes for granted (errata U1)"),
        Step("1",
             "A Beta density in p, for every γ: so is a mean of kernels, and nothing is to be divided."),
    ),
    tolerance=1e-8,
)  # fmt: skip
