"""Derivations of notebook further/01: two bounds, the law of an estimate of 0, and the bootstrap that finds it."""

from itertools import product

import numpy as np

from ...data.worlds import FiniteWorld, random_world
from ...errors.kce import skce
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import kce_atoms as kit
from ..shared.letters import tiny


def _calibrated_world(rng):
    """A calibrated model with three predictions of three classes."""
    p = rng.dirichlet(np.ones(3), 3)
    return FiniteWorld(rng.dirichlet(3 * np.ones(3)), p, p)


def _one_row(w):
    """Each z = (p, y) with its p and δ, and a second row Z' with its p' and δ'."""
    atoms = kit.Atoms(w)
    second = {"pʹ": atoms.p, "deltaʹ": atoms.delta, "Zʹ": np.arange(len(atoms.p))}
    first = {"z": range(len(atoms.p)), "p": atoms.p, "delta": atoms.delta, "P_z": atoms.mass}
    known = {"k": kit.laplace, "h": lambda a, b: atoms.h[a.astype(int), b.astype(int)]}
    return Letters({"o": (atoms.mass, second)}, known | {name: along("row", values) for name, values in first.items()})


degenerate = Derivation("One row against a random one",
    "What h(z, Z') averages to for one fixed row z, if the model is calibrated.",
    Step("h_1(z) = E(h(z, Z'))",
         "One row is held fixed, the other is averaged: a value for each of the nine z = (p, y) of this world."),
    Step("E(k(p, p') * inner(delta, E(delta', given=p')))",
         "Tower rule: average over the label of the second row first, given its prediction."),
    Step("P_z * h(z, z)",
         "Rows other than z average to 0, and with probability P_z the second row is z again.", printed="a slip: it is all rows, z among them, that average to 0"),
    Step("0", "Calibrated means E[δ' | p'] = p' − r(p') = 0 at every prediction."),
    world=_calibrated_world, letters=_one_row,
    describe=lambda w: f"first prediction: ({', '.join(f'{x:.2f}' for x in w.predictions[0])})")


def _twelve_rows(rng):
    """Twelve rows from a calibrated model: which atom each is."""
    world = _calibrated_world(rng)
    y, p = world.sample(12, rng)
    kinds = (p[:, None] == world.predictions).all(axis=2).argmax(axis=1)
    return {"atoms": kit.Atoms(world), "y": y, "p": p, "rows": kinds * 3 + y}


def _eigenfunctions(w):
    """Twelve rows z_i; eigenvalues μ_m and functions u_m: h(z, z') = Σ μ_m u_m(z) u_m(z') with E u_m² = 1."""
    h, root = w["atoms"].h, np.sqrt(w["atoms"].mass)
    mu, vectors = np.linalg.eigh(root[:, None] * h * root)
    known = {"n": 12, "h": h[np.ix_(w["rows"], w["rows"])], "mu": mu, "u": vectors.T / root, "z": w["rows"],
             "SKCE_uq": skce(w["y"], w["p"], kernel=kit.KERNEL)}
    return Letters(known=known, sets={"rows": 12, "modes": len(mu)})


eigenfunctions = Derivation("Where the weighted chi-squares come from",
    "On any data set n·SKCE_uq is n/(n − 1) times a weighted sum of squares of W_m = Σ_i u_m(z_i)/√n, less the diagonal.",
    Step("n * SKCE_uq = 1/(n - 1) * sum(h[i, j] for i in rows for j in rows if i != j)",
         "One data set of n = 12 rows from a calibrated model."),
    Step("1/(n - 1) * sum(sum(mu[m] * u[m, z[i]] * u[m, z[j]] for m in modes) for i in rows for j in rows if i != j)",
         "√P(z) h(z, z') √P(z') is a symmetric matrix with eigenvalues μ_m and eigenvectors √P(z) u_m(z), z_i says which row of it row i is: h(z, z') = Σ μ_m u_m(z) u_m(z'), E u_m(Z)² = 1."),
    Step("n/(n - 1) * sum(mu[m] * (W[m]**2 - 1) for m in modes); W[m] = 1/sqrt(n) * sum(u[m, z[i]] for i in rows)",
         "All pairs less i = j, and E u_m(Z)² = 1.", printed="the limit: on n rows the mean of u_m² is not 1"),
    Step("n/(n - 1) * sum(mu[m] * (W[m]**2 - 1/n * sum(u[m, z[i]]**2 for i in rows)) for m in modes); "
         "W[m] = 1/sqrt(n) * sum(u[m, z[i]] for i in rows)",
         "All pairs less i = j. Calibration gives E u_m = 0 where μ_m ≠ 0, so W_m tends to a standard normal G_m, and the mean square to 1: Σ μ_m (G_m² − 1)."),
    world=_twelve_rows, letters=_eigenfunctions, tolerance=1e-9)


def _four_rows(rng):
    """h of four rows of a model that is not calibrated, and all 4⁴ draws of four rows with replacement."""
    y, p = random_world(rng, n_kinds=4, shared=False).sample(4, rng)
    delta, drawn = p - np.eye(3)[y], np.array(list(product(range(4), repeat=4)))
    return {"h": kit.KERNEL(p) * (delta @ delta.T), "drawn": drawn}


def _redrawn(w):
    """h of four rows, the row r_a of each draw a, and how often row i is drawn, N_i."""
    counts = (w["drawn"][:, :, None] == np.arange(4)).sum(axis=1)
    known = {"n": 4, "h": w["h"], "h_bar": w["h"].mean(axis=1), "SKCE_b": w["h"].mean()}
    return Letters({"s": (np.full(256, 1 / 256), {"N": counts, "r": w["drawn"]})}, known, {"rows": 4})


centred_bootstrap = Derivation("What the bootstrap of A_uq is centred at",
    "T' is the unbiased estimate of redrawn rows with a centred h, less SKCE_b; the first part has mean 0 on any data set.",
    Step("E(T'); T' = 1/n**2 * sum(N[i] * (n/(n - 1) * (N[j] - ind(i == j)) - 2) * h[i, j] for i in rows for j in rows)",
         "One data set of n = 4 rows from a model that is not calibrated. N_i counts how often row i is drawn; the mean is over all 4⁴ draws."),
    Step("E(1/(n*(n - 1)) * sum(h_tilde[r[a], r[c]] for a in rows for c in rows if a != c)) - SKCE_b; "
         "h_tilde[i, j] = h[i, j] - h_bar[i] - h_bar[j] + SKCE_b",
         "Draw by draw: r_a is the row of draw a, and h̄_i the mean of row i of the matrix h. Multiplied out, each N_i stands before the same terms."),
    Step("1/(n*(n - 1)) * sum(h_tilde[i, j] for i in rows for j in rows if i != j) - SKCE_b",
         "a ≠ c are different draws, and a redrawn pair is any pair of rows with the same chance.", printed="a slip: two draws can give the same row"),
    Step("1/n**2 * sum(h_tilde[i, j] for i in rows for j in rows) - SKCE_b",
         "Two draws are independent, and each is any row with the same chance 1/n."),
    Step("-SKCE_b",
         "Every row of the centred h sums to 0. So T' ≥ T compares a variable of mean 0 with n/(n − 1) SKCE_uq."),
    world=_four_rows, letters=_redrawn)


def _six_rows(rng, estimate, floor, least):
    """A calibrated model, n = 6, and a number t between `floor` and the largest estimate that it can have."""
    w = kit.calibrated(rng, 6)
    return {**w, "t": floor + rng.uniform(least, 0.9) * (estimate(w["atoms"].h, w["rows"]).max() - floor)}


bound_biased = Derivation("The bound D_b",
    "How likely a calibrated model gives SKCE_b ≥ t, for t ≥ H/n, at most: at every n and for every kernel with |h| ≤ H.",
    Step("P(SKCE_b >= t)",
         "The exact chance that a calibrated model looks this bad: all 4,096 data sets of n = 6 rows."),
    Step("P(KCE_b - v >= sqrt(t) - v); v = E(KCE_b); KCE_b = sqrt(SKCE_b)", "Take roots and subtract the mean."),
    Step("exp(-n*(sqrt(t) - v)**2 / (2*H))",
         "McDiarmid's inequality exp(−2ε²/(n c²)): one row changes KCE_b by at most c = 2√H/n, and ε = √t − v.", relation="<="),
    Step("exp(-n*(sqrt(t) - sqrt(H/n))**2 / (2*H))",
         "v is unknown but at most √(H/n), which is at most √t here: a smaller square, a larger bound.", relation="<="),
    Step("exp(-1/2 * (n*t/H - 1)**2)", "The square was of a difference of roots.", printed="a common slip"),
    Step("exp(-1/2 * max(0, sqrt(n*t/H) - 1)**2)",
         "Multiply n/H into the square; for t < H/n the maximum makes it 1, which is always true. This is method=\"bound-biased\"."),
    world=lambda rng: _six_rows(rng, kit.estimate_b, kit.BOUND / 6, 0.2),  # below H/n the bound says 1
    letters=lambda w: tiny(w, t=w["t"]), describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}", start=1)


def _both_estimates(w):
    letters = tiny(w, t=w["t"], j=along("estimate", [0, 1]))
    mass, sets = letters.draws["D"]
    sets["U"] = np.column_stack([sets["SKCE_uq"], sets["SKCE_ul"]])
    return letters


bound_unbiased = Derivation("The bounds D_uq and D_ul",
    "For a calibrated model the tails of SKCE_uq and SKCE_ul have one bound, which knows n and H only, for t ≥ 0 (Hoeffding 1963).",
    Step("P(U[j] >= t)",
         "Two exact probabilities over all 4,096 data sets of n = 6 rows: U_0 is SKCE_uq, and U_1 is SKCE_ul."),
    Step("P(exp(s*U[j]) >= exp(s*t)); s = floor(n/2) * t / H**2", "eˣ is increasing. This s makes line 6 smallest."),
    Step("exp(-s*t) * E(exp(s*U[j]))", "Markov's inequality.", relation="<="),
    Step("exp(-s*t) * E(exp(s*SKCE_ul))",
         "SKCE_uq is the mean of SKCE_ul over all orders of the rows; eˣ is convex (Jensen), and every order has the same law.", relation="<="),
    Step("exp(-s*t) * E(exp(s*h(Z, Z') / floor(n/2)))**floor(n/2)",
         "SKCE_ul is a mean of ⌊n/2⌋ independent pairs: this is where ⌊n/2⌋ comes from."),
    Step("exp(-s*t) * exp(s**2 * H**2 / (2*floor(n/2)))",
         "Hoeffding's lemma: a variable of mean 0 between −H and H has E exp(ah) ≤ exp(a²H²/2), here with a = s/⌊n/2⌋.", relation="<="),
    Step("exp(-2*floor(n/2) * t**2 / H**2)",
         "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms of range H.", printed="a common slip: the range of [−H, H] is 2H"),
    Step("exp(-floor(n/2) * t**2 / (2*H**2))",
         "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms. These are method=\"bound-unbiased\" and \"bound-linear\"."),
    world=lambda rng: _six_rows(rng, kit.estimate_uq, 0, 0.3), letters=_both_estimates,
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}", start=1)
