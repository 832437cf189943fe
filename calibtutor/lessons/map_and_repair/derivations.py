"""The derivation of notebook 10: the variance of the local miss."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.label_vectors import label_vectors


def _residuals(w):
    mass, vectors = label_vectors(w["p"])
    return Letters({"y": (mass, {"delta": w["p"] - vectors["y"]})}, w, {"rows": 5})


band = Derivation("How far the local miss varies",
    "The variance of the local miss at one place, if the model is right.",
    Step("Var(miss); miss = sum(w[i] * delta[i] for i in rows) / sum(w[i] for i in rows)",
         "The local miss at one place, from five rows with weights w_i. All 32 label vectors; δ = p − y has mean 0."),
    Step("sum(w[i]**2 * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)**2",
         "Labels are independent given p and x, so the variance of the sum is the sum of the variances; a factor leaves a variance squared."),
    Step("sum(w[i] * p[i] * (1 - p[i]) for i in rows) / sum(w[i] for i in rows)",
         "A mean of several labels varies less than one label.", printed="a mix-up: the weighted mean of the variances of single labels"),
    Step("sum(w[i]**2 * p[i] * (1 - p[i]) for i in rows) / sum(w[i] for i in rows)**2",
         "A label that is 1 with probability p has the variance p(1 − p)."),
    Step("1/4 * sum(w[i]**2 for i in rows) / sum(w[i] for i in rows)**2", "p(1 − p) is at most ¼.", relation="<="),
    world=lambda rng: {"p": rng.uniform(0.05, 0.95, 5), "w": rng.uniform(0.05, 1, 5)}, letters=_residuals, write=1,
    describe=lambda w: "p = " + ", ".join(f"{p:.2f}" for p in w["p"]),
    slips=(
        ("1/sum(w[i] for i in rows) * sum(w[i] * Var(delta[i]) for i in rows)",
         "A factor comes out of a variance as its square: write w_i², and below it the square of the sum."),
        ("sum(w[i]**2 * Var(delta[i]) for i in rows)",
         "The division is missing: the sum of the weights comes out of the variance as its square."),
        ("sum(w[i]**2 * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)",
         "The sum of the weights must be squared, too: it is a factor, and comes out of the variance as its square.")))
