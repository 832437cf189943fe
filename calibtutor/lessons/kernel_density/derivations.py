"""Derivations: the narrow end of a kernel estimate with each label left out, and the mass of the Beta kernel."""

import numpy as np
from scipy.integrate import quad

from ...estimates.kde import conditional_frequency
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.label_vectors import label_vectors
from .kernel import dirichlet_log_kernel

VANISHING = 1e-13  # small enough that every weight but the largest is 0 in double precision


def _winner(w):
    """For each i the j ≠ i whose kernel is largest at p_i as γ → 0."""
    log_kernel = dirichlet_log_kernel(w["p"], w["p"], VANISHING)
    np.fill_diagonal(log_kernel, -np.inf)
    return log_kernel.argmax(axis=1)


def _left_out(w):
    """The mean over all label vectors y of the error against an estimate from the other rows."""
    mass, drawn = label_vectors(w["r"])
    estimates = [conditional_frequency(y, w["p"], bandwidth=VANISHING) for y in drawn["y"]]
    return mass @ ((w["p"] - estimates) ** 2).mean(axis=1)


neighbour_limit = Derivation("One neighbour has all the weight",
    "What a very narrow kernel reports on average, if each label is left out of its own estimate.",
    Step(r"\mathbb{E}\,\frac{1}{n}\sum_i (p_i - \hat{r}_\gamma^{(-i)}(p_i))^2,\quad \gamma \rightarrow 0",
         "Five predictions, γ = 1e-13, the mean over all 32 label vectors; the event at p_i happens with frequency r_i.",
         _left_out),
    Step("E(1/n * sum((p[i] - y[j[i]])**2 for i in rows))",
         "All the weight falls on one neighbour j_i ≠ i, the one whose kernel is the largest at p_i: the others' weights beside it go to 0."),
    Step("1/n * sum((p[i] - r[j[i]])**2 for i in rows)",
         "If its frequency were seen, this would be the answer. Its label is seen.", printed="a common hope"),
    Step("1/n * sum((p[i] - r[j[i]])**2 + r[j[i]] * (1 - r[j[i]]) for i in rows)",
         "Mean of a square = square of the mean + variance: noise again, as in a bin of one."),
    world=lambda rng: {"p": np.sort(rng.random(5)), "r": rng.random(5)},
    letters=lambda w: Letters({"s": label_vectors(w["r"])}, w | {"n": 5, "j": _winner(w)}, {"rows": 5}),
    write=1, tolerance=1e-9,
    slips=(("E(1/n * sum((p[i] - y[i])**2 for i in rows))",
            "Each label is left out of its own estimate. Whose label does the estimate take instead?"),
           ("E(1/n * sum(p[i] - y[j[i]] for i in rows))", "The miss is not squared.")))


def _kernel(p, centre, h):
    return float(np.exp(dirichlet_log_kernel([p], [centre], h)[0, 0]))


kernel_is_a_density = Derivation("Is −log γ needed?",
    "The integral of the kernel over p, which is also that of a mean of kernels.",
    Step(r"\int k(p;\, \mathrm{centre})\, dp", "Numerical integration over [0, 1].",
         lambda w: quad(lambda p: _kernel(p, w["centre"], w["h"]), 0, 1, epsabs=1e-11, limit=200)[0]),
    Step("gamma",
         "So it is for a kernel g((p − centre)/γ), which has to be divided by γ; hence the −log γ.", printed="what the released code of Popordanoska et al. takes for granted (errata U1)"),
    Step("1", "A Beta density in p, for every γ: so is a mean of kernels, and nothing is to be divided."),
    world=lambda rng: {"centre": rng.uniform(0.1, 0.9), "h": rng.uniform(0.2, 0.6)},
    letters=lambda w: Letters(known={"gamma": w["h"]}),
    describe=lambda w: f"centre {w['centre']:.2f}, γ = {w['h']:.2f}", tolerance=1e-8)
