"""What bins average away, and what noise adds to them."""

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.label_vectors import bin_of_labels


def _binned_world(rng):
    """Eight confidences c with known frequencies r, in three bins B."""
    c = np.sort(rng.random(8))
    return rng.dirichlet(np.ones(8)), {"c": c, "r": rng.random(8), "B": np.minimum((c * 3).astype(int), 2)}


bins_forget = Derivation("A bin averages before it measures",
    "What bins of infinitely many data see of the squared error.",
    Step("E(g_B**2) = sum(P(B == m) * (E(c, given=B == m) - E(r, given=B == m))**2 for m in bins); g = c - r; g_B = E(g, given=B)",
         "What bins see: g = c − r(c), and g_B is the mean of g over B, the bin that c lies in. In bin m that is the mean confidence less the frequency."),
    Step("E(g**2 - 2*g*(g - g_B) + (g - g_B)**2)", "Write g_B = g − (g − g_B) and expand."),
    Step("E(g**2) - 2 * E(Var(g, given=B))",
         "The middle term is counted, the last one is forgotten.", printed="a common slip"),
    Step("E(g**2) - E(Var(g, given=B))",
         "Inside a bin g − g_B averages to 0, so g(g − g_B) averages to the variance: −2 of it, +1. Bins see the true squared error less a spread: bias down."),
    world=_binned_world, letters=lambda w: Letters({"z": w}, sets={"bins": np.unique(w[1]["B"])}))


noise_adds = Derivation("Noise counts as error", "What the squared gap of a bin is on average.",
    Step("E((conf_m - acc_m)**2); acc_m = mean(y[i] for i in rows)",
         "One bin with n_m labels y_i, 1 for a hit and else 0: the mean over all label vectors, each with its probability."),
    Step("(conf_m - r_bar)**2 + Var(acc_m)",
         "Mean of a square = square of the mean + variance; E acc_m = r̄, the mean of the r_i in this bin."),
    Step("(conf_m - r_bar)**2 + r_bar * (1 - r_bar)/n_m",
         "The mean of n_m labels, each a hit with probability r̄.", printed="a common slip"),
    Step("(conf_m - r_bar)**2 + 1/n_m**2 * sum(r[i] * (1 - r[i]) for i in rows)",
         "Labels are independent coins with probabilities r_i, which differ: the variance of each is r_i(1 − r_i), and they add. Bias up."),
    world=lambda rng: {"c": rng.random(5), "r": rng.random(5)},  # few enough to list all 32 label vectors
    letters=bin_of_labels, start=5, write=1,
    slips=(
        ("(conf_m - r_bar)**2 - Var(acc_m)", "The variance must be added, not taken off."),
        ("(conf_m - r_bar)**2", "The variance is missing: the mean of a square is the square of the mean plus the variance."),
        ("(conf_m - r_bar)**2 + Var(acc_m)/n_m", "Do not divide again: Var(acc_m) is the variance of the mean already."),
        ("(conf_m - r_bar)**2 + r_bar*(1 - r_bar)/n_m", "Not every label of the bin is a hit with probability r̄. Leave the variance as it is: Var(acc_m).")))
