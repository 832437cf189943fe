"""Derivations of notebook 08: what the biased estimate of the SKCE averages to, and which models have SKCE 0."""

from dataclasses import replace

import numpy as np

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ...teach.expressions import along
from ..shared import kce_atoms as kit
from ..shared.letters import population, tiny

biased = Derivation("What SKCE_b averages to", "The mean of the biased estimate over data sets, at every n.",
    Step("E(1/n**2 * sum(h_data[i, j] for i in rows for j in rows))", "The mean of SKCE_b: n = 3, all 216 data sets."),
    Step("1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * SKCE); SKCE = E(h(Z, Z'))",
         "On the diagonal a row meets itself, n times; off the diagonal it meets an independent one, n(n − 1) times."),
    Step("SKCE + 1/n * E(h(Z, Z))",
         "n of the n² pairs lie on the diagonal: a share 1/n, and the others average to the SKCE.", printed="a common slip: the other pairs are fewer than n²"),
    Step("SKCE + 1/n * (E(h(Z, Z)) - SKCE)", "Write n(n − 1)/n² as 1 − 1/n."),
    Step("SKCE",
         "h(Z, Z) is a squared length, and the SKCE is that of the mean: a mean square is at least the square of the mean. So SKCE_b is biased upwards for every model, calibrated or not.", relation=">="),
    world=lambda rng: kit.tiny(random_world(rng, n_kinds=2, shared=False), 3), letters=tiny, write=1,
    slips=(
        ("1/n**2 * (E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z')))", "A row meets itself n times, once for each row: yours counts it once."),
        ("1/n**2 * (n * E(h(Z, Z)) + n**2 * E(h(Z, Z')))", "The n pairs i = j are counted twice: off the diagonal n(n − 1) are left."),
        ("1/n**2 * (n * E(h(Z, Z)) + n*(n - 1)/2 * E(h(Z, Z')))", "Each pair of two rows stands in the sum twice, as (i, j) and as (j, i)."),
        ("1/n**2 * (n * E(h(Z, Z)) + (n - 1) * E(h(Z, Z')))", "Each of the n rows meets n − 1 others: n(n − 1) terms are off the diagonal."),
        ("E(h(Z, Z'))", "The diagonal is missing, where a row meets itself."),
        ("1/n * E(h(Z, Z))", "The pairs of two different rows are missing.")))


def _different_predictions(world):
    """Beside the draw o the shares w_a and misses g_a of its predictions, their kernel matrix K, and its spectrum."""
    p, m = world.predictions, len(world.weights)
    K = kit.laplace(p[:, None], p)
    mu, v = np.linalg.eigh(K)
    letters = population(world, w=world.weights, g=p - world.frequencies, K=K, mu=mu, v=v.T, mu_min=mu[0],
                         j=along("j", range(m)))
    return replace(letters, sets=letters.sets | {"predictions": m, "directions": m})


only_calibrated = Derivation("SKCE 0 means calibrated",
    "With finitely many predictions the SKCE is at least a sum of squared misses with positive weights: it is 0 only if the model is calibrated.",
    Step("SKCE = E(k(p, p') * inner(delta, delta'))", "The SKCE, as in notebook 04."),
    Step("sum(w[a] * w[b] * K[a, b] * inner(g[a], g[b]) for a in predictions for b in predictions)",
         "Five different predictions p_a with shares w_a; K_ab = k(p_a, p_b). Given p_a the mean of δ is the miss g_a = p_a − r(p_a)."),
    Step("sum(mu[j] * sum((v[j, a] * w[a])**2 * norm2(g[a]) for a in predictions) for j in directions); K @ v[j] = mu[j] * v[j]",
         "The terms are squared one by one, so that only the pairs a = b are left.", printed="a common slip: the square of a sum is not the sum of squares"),
    Step("sum(mu[j] * norm2(c[j]) for j in directions); K @ v[j] = mu[j] * v[j]; c[j] = sum(v[j, a] * w[a] * g[a] for a in predictions)",
         "K is symmetric: K_ab = Σ_j μ_j v_ja v_jb, with eigenvectors v_j of length 1, orthogonal to each other. The two sums over a and b are then one squared."),
    Step("mu_min * sum(norm2(c[j]) for j in directions)",
         "No eigenvalue is below the smallest. That is positive if the kernel is universal: were Kβ = 0 for a β that is not 0, every function f of its space would have Σ_a β_a f(p_a) = 0; but for each p_a there is one that is near 1 there and near 0 at the others.", relation=">="),
    Step("mu_min * sum(w[a]**2 * norm2(g[a]) for a in predictions)",
         "The c_j are the vectors w_a g_a in another orthonormal basis, which keeps the sum of their squared lengths. So the SKCE is 0 only if each g_a is 0. With endless predictions the smallest eigenvalue tends to 0. But if the SKCE is 0, no bet of the space earns (notebook 04), so no continuous bet does, which these come near: the miss is 0."),
    world=lambda rng: random_world(rng, n_kinds=5, shared=False), letters=_different_predictions, start=21, write=5,
    slips=(("mu_min * sum(w[a] * norm2(g[a]) for a in predictions)",
            "The shares must be squared: w_a is a factor within c_j, and that is squared."),
           ("mu_min * sum(norm2(g[a]) for a in predictions)",
            "The shares w_a are missing: what is said rarely adds little."),
           ("mu_min * norm2(sum(w[a] * g[a] for a in predictions))",
            "That is the squared length of a sum, in which misses of opposite signs cancel.")))
