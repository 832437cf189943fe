"""What the letters of derivations are in a world; several lessons use these."""

import numpy as np

from ...teach.expressions import Letters
from .kce_atoms import BOUND, Atoms, estimate_b, estimate_ul, estimate_uq, laplace, table
from .klce_atoms import feature_kernel, local_world, prob_kernel


def population(world, *, k=laplace, **others):
    """The draw o, an outcome, of a `FiniteWorld`: a prediction, its frequencies and a label; k is a kernel, classes the set of k.

    Letters: p, r = P(Y | p), the label Y (from 0), its unit vector e_Y, the residual delta = p − e_Y; r_bar = P(Y).
    """
    atoms, (m, d) = Atoms(world), world.predictions.shape
    drawn = {"p": atoms.p, "r": np.repeat(world.frequencies, d, axis=0), "e_Y": atoms.e_Y, "delta": atoms.delta,
             "Y": np.tile(np.arange(d), m)}
    return Letters({"o": (atoms.mass, drawn)}, {"r_bar": world.marginal, "k": k, **others}, {"classes": d})


def features(kernel, points):
    """φ with ⟨φ(p), φ(q)⟩ = k(p, q) at these points, vectors or numbers, in as many coordinates; some may be equal."""
    points = np.unique(points.round(12), axis=0)
    values, vectors = np.linalg.eigh(kernel(points[:, None], points[None]))
    beside = (..., None, slice(None)) if points.ndim == 2 else (..., None)
    return lambda p: kernel(np.asarray(p)[beside], points) @ (vectors / np.sqrt(values))


def tiny(w, **others):
    """All data sets D of n rows of a tiny world, and the draw o of one row.

    Letters of D: h_data[i, j] and the estimates; of o: its number Z. h(Z, Z') is a function.
    """
    atoms, rows, n = w["atoms"], w["rows"], w["n"]
    sets = {"h_data": table(atoms.h, rows), "SKCE_b": np.maximum(estimate_b(atoms.h, rows), 0),
            "SKCE_uq": estimate_uq(atoms.h, rows), "SKCE_ul": estimate_ul(atoms.h, rows)}
    draws = {"D": (w["mass"], sets), "o": (atoms.mass, {"Z": np.arange(len(atoms.mass))})}
    known = {"n": n, "H": BOUND, "h": lambda a, b: atoms.h[a.astype(int), b.astype(int)]}
    return Letters(draws, known | others, {"rows": n, "pairs": n // 2})


def local(world, **others):
    """The draw o of a `LocalWorld`: p, x, the label Y, r = P(Y = 1 | p, x), r_p = P(Y = 1 | p) and delta = p − Y.

    k and l are its two kernels, phi and psi their features; h(Z, Z') is k l delta delta', Z the number of an outcome.
    Others are known, too.
    """
    mass, h = world.atoms()
    of_kind = {"p": world.p, "x": world.x, "r": world.r, "r_p": world.base.frequencies[:, 1]}
    drawn = {name: np.repeat(values, 2) for name, values in of_kind.items()}
    drawn |= {"Y": np.tile([0.0, 1.0], len(world.p)), "Z": np.arange(len(mass))}
    drawn["delta"] = drawn["p"] - drawn["Y"]
    known = {"k": prob_kernel, "l": feature_kernel, "phi": features(prob_kernel, world.p),
             "psi": features(feature_kernel, world.x), "h": lambda a, b: h[a.astype(int), b.astype(int)]}
    return Letters({"o": (mass, drawn)}, known | others)


def task(rng, make=local_world):
    """A world, and a trait I(x) whose mean among the positives is asked for."""
    world = make(rng)
    return {"world": world, "I": world.given(rng.normal(45, 15, len(world.w)), world.x)}


def traits(w):
    letters = local(w["world"])
    letters.draws["o"][1]["I"] = np.repeat(w["I"], 2)
    return letters
