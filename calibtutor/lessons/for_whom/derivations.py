"""Derivations of notebook 09: three notions of being right, the bias of an inference, the norm of a local error."""

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import klce_atoms as kit
from ..shared.letters import local, task, traits

local_norm = Derivation("KLCE² is a squared norm and a mean over pairs",
    "The squared length of μ = E[(p − r) φ(p) ⊗ ψ(x)], as a mean over two independent rows: eq. 3 of the paper.",
    Step("norm2(mu); mu = E((p - r) * outer(phi(p), psi(x)))",
         "r = P(Y = 1 | p, x). φ and ψ are the features of k and l; outer makes the matrix φ ⊗ ψ of all their products. So μ is a matrix, and its norm the root of its summed squares."),
    Step("E(k(p, p') * l(x, x') * (p - r) * (p' - r'))",
         "A squared mean is the mean over two independent rows, and ⟨φ ⊗ ψ, φ' ⊗ ψ'⟩ = ⟨φ, φ'⟩⟨ψ, ψ'⟩ = k l."),
    Step("E(k(p, p') * l(x, x') * (p - r_p) * (p' - r_p'))",
         "r_p = P(Y = 1 | p) mixes all features with that prediction: local errors cancel before they are seen.", printed="a mix-up: the frequencies that calibration is about"),
    Step("E(h(Z, Z')) = E(k(p, p') * l(x, x') * (p - Y) * (p' - Y'))",
         "Tower rule: given (p, x) the label averages to r, and the two rows are independent."),
    world=kit.local_world, letters=local, write=1,
    slips=(
        ("E(k(p, p') * l(x, x') * (p - r)**2)", "The second row is lost: its error is p' − r'."),
        ("E(k(p, p) * l(x, x) * (p - r) * (p' - r'))", "The kernels compare the two rows: write k(p, p') and l(x, x')."),
        ("E(k(p, p) * l(x, x) * (p - r)**2)",
         "That is the mean of the squared norm. The squared norm of the mean is asked for.")))
inference_bias = Derivation("The bias of an inference",
    "How far Σ I p/Σ p is off from A = E[I(X) | Y = 1], the mean that was asked for.",
    Step("E(I*p) / E(p) - A; A = E(I, given=Y == 1)",
         "What Σ_i I(x_i) p_i/Σ_i p_i tends to, less what was asked for. p is the prediction; I(X) a trait, such as an age in years."),
    Step("E(I*p) / E(p) - E(I*Y) / E(Y)", "Y is 0 or 1, so a mean among the positives is a mean weighted by Y."),
    Step("1/E(p) * Cov(I, p - r)",
         "A covariance has E I where A belongs: the two agree when E p = E Y.", printed="true for a model that is right on average; this one is not"),
    Step("1/E(p) * E((I - A) * (p - r))",
         "E[(I − A) Y] = 0, as A · E Y is E[I Y]: take it from E[(I − A) p]. Tower rule: I is a function of x, so Y may be averaged given (p, x), to r = P(Y = 1 | p, x). What is left is the local error."),
    world=task, letters=traits, start=1, write=1,
    slips=(
        ("E(I*p)/E(p) - E(I*Y)/E(p)", "The second mean is over the positives: divide it by their share."),
        ("E(I*p)/E(p) - E(I*Y)", "The second term is no mean over the positives yet: it counts all others as 0."),
        ("E(I*p)/E(p) - E(I*p)/E(Y)", "The second mean is over the rows whose label is 1: it needs the labels, and p is none."),
        ("E(I*p)/E(p) - E(I)", "That is the mean of I over all rows. The mean over the positives is asked for.")))


def _models_of_groups(rng):
    """Two predictions times four features, in two groups of two; columns of `e` are p − r(p, x) of three models."""
    p, x = np.repeat([0.35, 0.65], 4), np.tile(np.arange(4.0), 2)
    world, e, group = kit.LocalWorld(rng.dirichlet(3 * np.ones(8)), p, x, p), rng.uniform(-0.15, 0.15, 8), x // 2
    errors = np.column_stack([e - world.given(e, p), e - world.given(e, p, group), np.zeros(8)])
    return world.w, {"p": p, "g": group, "x": x, "e": errors}


three_notions = Derivation("Calibrated, multicalibrated, locally calibrated",
    "Three models and three ways to look at their errors: given p, given p and a group, given p and x.",
    Step("E(E(e[m], given=p)**2)",
         "Calibration: e_m = p − r(p, x) is model m's local error, and its mean given p is p − r(p). Three models, three numbers: all of them are calibrated."),
    Step("E(E(E(e[m], given=(p, g)), given=p)**2)",
         "Tower rule: the mean at p is the mean over the groups g of the means there. In model 0 these cancel."),
    Step("E(E(e[m], given=(p, g))**2)",
         "Jensen: the square of a mean is at most the mean of the squares. 0 here is multicalibration for these groups: models 1 and 2 have it.", relation="<="),
    Step("E(E(e[m], given=g)**2)",
         "A group as a whole, whatever it was told: there opposite misses at different predictions cancel, too.", relation="<=", printed="a mix-up: a mean miss of 0 in each group is less than multicalibration"),
    Step("E(E(e[m], given=(p, x))**2)",
         "Tower rule and Jensen again, as g is a function of x. 0 is local calibration: only model 2 has it, model 1 is wrong inside its groups.", relation="<="),
    world=_models_of_groups, letters=lambda w: Letters({"o": w}, {"m": along("model", range(3))}),
    describe=lambda w: f"calibrated (wrong somewhere by {np.abs(w[1]['e'][:, 0]).max():.3f}); calibrated in both groups; locally calibrated")
