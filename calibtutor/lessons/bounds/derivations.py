"""Derivations of notebook further/01: bounds and their lemmas, laws under calibration, and the SKCE's relatives."""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from ...data.worlds import FiniteWorld, random_world
from ...kce import skce
from ...predictions import residuals, top_label
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import kce_atoms as kit
from ..shared.letters import features, population, tiny


def _with_rows(w):
    """`tiny`, with the number z_i of each row; KCE_b is left to its line."""
    letters = tiny(w)
    _, sets = letters.draws["D"]
    sets["z_data"] = w["rows"]
    del sets["KCE_b"]
    return letters


bounded_differences = Derivation(
    title="One row moves KCE_b by little",
    claim="How much KCE_b, the root of SKCE_b, can change if one row of the data is replaced.",
    world=lambda rng: kit.tiny(random_world(rng, n_kinds=2, n_classes=2, shared=False), 3),
    letters=_with_rows,
    steps=(
        Step("max(abs(KCE_b - KCE_b') * ind(count(z_data[i] != z_data'[i] for i in rows) == 1)); KCE_b = sqrt(SKCE_b)",
             "D and D' differ in one row z_i: all 64 data sets of n = 3 rows, every row, every replacement."),
        Step("max(max(abs(norm(x_bar) - norm(y[i]))) for i in rows); "
             "x_bar = mean(x_data[i] for i in rows); y[i] = x_bar + 1/n * (x - x_data[i])",
             "KCE_b is the length of the mean x̄ of x_i = φ(p_i) ⊗ δ_i, and y_i is that mean when row i is replaced."),
        Step("max(max(norm(x_bar - y[i])) for i in rows)",
             "Reverse triangle inequality: lengths differ by at most the length of the difference.", relation="<="),
        Step("1/n * max(norm(x - x'))",
             "The two means have all rows but one in common."),
        Step("1/n * max(norm(x))",
             "Both rows have at most this length, so they are no further apart.", relation="<=", printed="a slip: two rows can point to opposite sides"),
        Step("2/n * max(norm(x))",
             "Triangle inequality.", relation="<="),
        Step("2/n * sqrt(H)",
             "‖x‖² = k(p, p)‖δ‖² = h(z, z) ≤ H, where H = 2 for a kernel of at most 1.", relation="<="),
    ),
)  # fmt: skip
null_mean = Derivation(
    title="How large KCE_b is for a calibrated model",
    claim="Under calibration KCE_b still averages to a positive number v, but to no more than √(H/n).",
    world=lambda rng: kit.calibrated(rng, 4),
    letters=tiny,
    steps=(
        Step("v = E(sqrt(SKCE_b))",
             "A calibrated model, n = 4: the mean over all 256 data sets of the root of SKCE_b."),
        Step("E(norm(x_bar)); x_bar = mean(x_data[i] for i in rows)",
             "The length of the mean of x_i = φ(p_i) ⊗ δ_i."),
        Step("0",
             "The KCE is 0, but a length is never negative, so it averages to 0 only if it is always 0.", printed="a common hope"),
        Step("sqrt(E(norm2(x_bar)))",
             "Jensen: the mean is at most the root of the mean square.", relation="<="),
        Step("sqrt(E(h(Z, Z)) / n)",
             "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and SKCE = 0 for a calibrated model."),
        Step("sqrt(H / n)",
             "h ≤ H.", relation="<="),
    ),
)  # fmt: skip


def _calibrated_world(rng):
    """A calibrated model with three predictions of three classes."""
    p = rng.dirichlet(np.ones(3), 3)
    return FiniteWorld(rng.dirichlet(3 * np.ones(3)), p, p)


def _one_row(w):
    """Each z = (p, y) with its p and δ, and a second row Z' with its p' and δ'."""
    atoms, d = kit.Atoms.of(w), w.n_classes
    p, e = np.repeat(w.predictions, d, axis=0), np.tile(np.eye(d), (len(w.weights), 1))
    second = {"pʹ": p, "deltaʹ": p - e, "Zʹ": np.arange(len(p))}
    first = {"z": range(len(p)), "p": p, "delta": p - e, "P_z": atoms.mass}
    known = {"k": kit.laplace, "h": lambda a, b: atoms.h[a.astype(int), b.astype(int)]}
    return Letters({"o": (atoms.mass, second)}, known | {name: along("row", values) for name, values in first.items()})


degenerate = Derivation(
    title="One row against a random one",
    claim="What h(z, Z') averages to for one fixed row z, if the model is calibrated.",
    world=_calibrated_world,
    describe=lambda w: f"first prediction: ({', '.join(f'{x:.2f}' for x in w.predictions[0])})",
    letters=_one_row,
    steps=(
        Step("h_1(z) = E(h(z, Z'))",
             "One row is held fixed, the other is averaged: a value for each of the nine z = (p, y) of this world."),
        Step("E(k(p, p') * inner(delta, E(delta', given=p')))",
             "Tower rule: average over the label of the second row first, given its prediction."),
        Step("P_z * h(z, z)",
             "Rows other than z average to 0, and with probability P_z the second row is z again.", printed="a slip: it is all rows, z among them, that average to 0"),
        Step("0",
             "Calibrated means E[δ' | p'] = p' − r(p') = 0 at every prediction."),
    ),
)  # fmt: skip
null_variance = Derivation(
    title="The variance under calibration",
    claim="For a calibrated model the variance of SKCE_uq goes down like 1/n², not like 1/n.",
    world=lambda rng: kit.calibrated(rng, 4),
    letters=tiny,
    steps=(
        Step("Var(SKCE_uq)",
             "A calibrated model, n = 4: all 256 data sets times their probabilities."),
        Step("(4*(n - 2)*c_1 + 2*c_2) / (n*(n - 1)); c_1 = Var(h_1(Z)); c_2 = Var(h(Z, Z')); h_1(z) = E(h(z, Z))",
             "Every pair of rows against every other: covariance c_1 if they share one row, c_2 if equal, 0 if disjoint."),
        Step("4/n * c_1",
             "The usual normal approximation keeps this term only. Here it is 0: the estimate would not vary at all.", printed="the first-order formula for U-statistics"),
        Step("2/(n*(n - 1)) * E(h(Z, Z')**2)",
             "h_1 = 0, so c_1 = 0; and E h = 0, so c_2 = E h²."),
    ),
)  # fmt: skip


biased_limit = Derivation(
    title="What n·SKCE_b averages to under calibration",
    claim="At every n, and in the limit.",
    world=lambda rng: kit.calibrated(rng, 4),
    letters=tiny,
    steps=(
        Step("n * E(SKCE_b)",
             "A calibrated model, n = 4: all 256 data sets."),
        Step("E(h(Z, Z))",
             "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and the SKCE is 0."),
        Step("sum(mu[m] for m in modes)",
             "A trace is the sum of the eigenvalues; μ_m are those of the matrix √P(z) h(z, z') √P(z'), P(z) the probability of z."),
        Step("E(sum(mu[m] * (G[m]**2 - 1) for m in modes))",
             "That is the limit of n·SKCE_uq, which leaves the diagonal out and averages to 0.", printed="a mix-up of the two limits"),
        Step("E(sum(mu[m] * G[m]**2 for m in modes))",
             "E G² = 1 for a standard normal G. Σ μ_m G_m² is the limit law of n·SKCE_b: see the derivation of W_m."),
    ),
)  # fmt: skip
limit_variance = Derivation(
    title="The limit law has the right variance",
    claim="Under calibration n(n − 1) Var SKCE_uq is the variance of Σ μ_m (G_m² − 1), the limit law of n·SKCE_uq, at every n.",
    world=lambda rng: kit.calibrated(rng, 4),
    letters=tiny,
    steps=(
        Step("n*(n - 1) * Var(SKCE_uq)",
             "A calibrated model, n = 4: all 256 data sets."),
        Step("2 * E(h(Z, Z')**2)",
             "The variance of a degenerate U-statistic, as before."),
        Step("2 * sum(mu[m]**2 for m in modes)",
             "E h² is the squared Frobenius norm of √P(z) h(z, z') √P(z'), hence the sum of its squared eigenvalues."),
        Step("sum(mu[m] for m in modes)**2",
             "The square of a sum is not the sum of squares; and Var G² is 2, not 1.", printed="a common slip"),
        Step("Var(sum(mu[m] * (G[m]**2 - 1) for m in modes))",
             "The G_m are independent, so variances add, and E(G² − 1)² = 2."),
    ),
)  # fmt: skip


def _twelve_rows(rng):
    """Twelve rows from a calibrated model: which atom each is."""
    world = _calibrated_world(rng)
    y, p = world.sample(12, rng)
    kinds = (p[:, None] == world.predictions).all(axis=2).argmax(axis=1)
    return {"atoms": kit.Atoms.of(world), "y": y, "p": p, "rows": kinds * 3 + y}


def _eigenfunctions(w):
    """Twelve rows z_i; eigenvalues μ_m and functions u_m: h(z, z') = Σ μ_m u_m(z) u_m(z') with E u_m² = 1."""
    h, root = w["atoms"].h, np.sqrt(w["atoms"].mass)
    mu, vectors = np.linalg.eigh(root[:, None] * h * root)
    known = {"n": 12, "h": h[np.ix_(w["rows"], w["rows"])], "mu": mu, "u": vectors.T / root, "z": w["rows"],
             "SKCE_uq": skce(w["y"], w["p"], kernel=kit.KERNEL)}  # fmt: skip
    return Letters(known=known, sets={"rows": 12, "modes": len(mu)})


eigenfunctions = Derivation(
    title="Where the weighted chi-squares come from",
    claim="On any data set n·SKCE_uq is n/(n − 1) times a weighted sum of squares of W_m = Σ_i u_m(z_i)/√n, less the diagonal.",
    world=_twelve_rows,
    letters=_eigenfunctions,
    steps=(
        Step("n * SKCE_uq = 1/(n - 1) * sum(h[i, j] for i in rows for j in rows if i != j)",
             "One data set of n = 12 rows from a calibrated model."),
        Step("1/(n - 1) * sum(sum(mu[m] * u[m, z[i]] * u[m, z[j]] for m in modes) for i in rows for j in rows if i != j)",
             "√P(z) h(z, z') √P(z') is a symmetric matrix with eigenvalues μ_m and eigenvectors √P(z) u_m(z), z_i says which row of it row i is: h(z, z') = Σ μ_m u_m(z) u_m(z'), E u_m(Z)² = 1."),
        Step("n/(n - 1) * sum(mu[m] * (W[m]**2 - 1) for m in modes); W[m] = 1/sqrt(n) * sum(u[m, z[i]] for i in rows)",
             "All pairs less i = j, and E u_m(Z)² = 1.", printed="the limit: on n rows the mean of u_m² is not 1"),
        Step("n/(n - 1) * sum(mu[m] * (W[m]**2 - 1/n * sum(u[m, z[i]]**2 for i in rows)) for m in modes); "
             "W[m] = 1/sqrt(n) * sum(u[m, z[i]] for i in rows)",
             "All pairs less i = j. Calibration gives E u_m = 0 where μ_m ≠ 0, so W_m tends to a standard normal G_m, and the mean square to 1: Σ μ_m (G_m² − 1)."),
    ),
    tolerance=1e-9,
)  # fmt: skip


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


centred_bootstrap = Derivation(
    title="What the bootstrap of A_uq is centred at",
    claim="T' is the unbiased estimate of redrawn rows with a centred h, less SKCE_b; the first part has mean 0 on any data set.",
    world=_four_rows,
    letters=_redrawn,
    steps=(
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
    ),
)  # fmt: skip


def _six_rows(rng, estimate, floor, least):
    """A calibrated model, n = 6, and a number t between `floor` and the largest estimate that it can have."""
    w = kit.calibrated(rng, 6)
    return {**w, "t": floor + rng.uniform(least, 0.9) * (estimate(w["atoms"].h, w["rows"]).max() - floor)}


bound_biased = Derivation(
    title="The bound D_b",
    claim="How likely a calibrated model gives SKCE_b ≥ t, for t ≥ H/n, at most: at every n and for every kernel with |h| ≤ H.",
    world=lambda rng: _six_rows(rng, kit.estimate_b, kit.BOUND / 6, 0.2),  # below H/n the bound says 1
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    letters=lambda w: tiny(w, t=w["t"]),
    start=1,
    steps=(
        Step("P(SKCE_b >= t)",
             "The exact chance that a calibrated model looks this bad: all 4,096 data sets of n = 6 rows."),
        Step("P(KCE_b - v >= sqrt(t) - v); v = E(KCE_b)",
             "Take roots and subtract the mean."),
        Step("exp(-n*(sqrt(t) - v)**2 / (2*H))",
             "McDiarmid's inequality exp(−2ε²/(n c²)): one row changes KCE_b by at most c = 2√H/n, and ε = √t − v.", relation="<="),
        Step("exp(-n*(sqrt(t) - sqrt(H/n))**2 / (2*H))",
             "v is unknown but at most √(H/n), which is at most √t here: a smaller square, a larger bound.", relation="<="),
        Step("exp(-1/2 * (n*t/H - 1)**2)",
             "The square was of a difference of roots.", printed="a common slip"),
        Step("exp(-1/2 * max(0, sqrt(n*t/H) - 1)**2)",
             "Multiply n/H into the square; for t < H/n the maximum makes it 1, which is always true. This is method=\"bound-biased\"."),
    ),
)  # fmt: skip


def _both_estimates(w):
    letters = tiny(w, t=w["t"], j=along("estimate", [0, 1]))
    mass, sets = letters.draws["D"]
    sets["U"] = np.column_stack([sets["SKCE_uq"], sets["SKCE_ul"]])
    return letters


bound_unbiased = Derivation(
    title="The bounds D_uq and D_ul",
    claim="For a calibrated model the tails of SKCE_uq and SKCE_ul have one bound, which knows n and H only, for t ≥ 0 (Hoeffding 1963).",
    world=lambda rng: _six_rows(rng, kit.estimate_uq, 0, 0.3),
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    letters=_both_estimates,
    start=1,
    steps=(
        Step("P(U[j] >= t)",
             "Two exact probabilities over all 4,096 data sets of n = 6 rows: U_0 is SKCE_uq, and U_1 is SKCE_ul."),
        Step("P(exp(s*U[j]) >= exp(s*t)); s = floor(n/2) * t / H**2",
             "e^x is increasing. This s makes line 6 smallest."),
        Step("exp(-s*t) * E(exp(s*U[j]))",
             "Markov's inequality.", relation="<="),
        Step("exp(-s*t) * E(exp(s*SKCE_ul))",
             "SKCE_uq is the mean of SKCE_ul over all orders of the rows; e^x is convex (Jensen), and every order has the same law.", relation="<="),
        Step("exp(-s*t) * E(exp(s*h(Z, Z') / floor(n/2)))**floor(n/2)",
             "SKCE_ul is a mean of ⌊n/2⌋ independent pairs: this is where ⌊n/2⌋ comes from."),
        Step("exp(-s*t) * exp(s**2 * H**2 / (2*floor(n/2)))",
             "Hoeffding's lemma: a variable of mean 0 between −H and H has E e^{ah} ≤ exp(a²H²/2), here with a = s/⌊n/2⌋.", relation="<="),
        Step("exp(-2*floor(n/2) * t**2 / H**2)",
             "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms of range H.", printed="a common slip: the range of [−H, H] is 2H"),
        Step("exp(-floor(n/2) * t**2 / (2*H**2))",
             "Put s in: Hoeffding's inequality for a mean of ⌊n/2⌋ terms. These are method=\"bound-unbiased\" and \"bound-linear\"."),
    ),
)  # fmt: skip


def _coin(rng):
    """A fair coin, predicted as such, n = 2: h is ±½, so that H = ½ is the largest |h|."""
    half = [[0.5, 0.5]]
    world = kit.tiny(FiniteWorld([1.0], half, half), 2)
    return {**world, "t": rng.uniform(0.86, 0.99) * 0.5}


def _coin_letters(w):
    letters = tiny(w, t=w["t"], H=0.5)
    letters.draws["D"][1].update({"Y_1": w["rows"][:, 0], "Y_2": w["rows"][:, 1]})
    return letters


floor_half = Derivation(
    title="Why ⌊n/2⌋ and not n",
    claim="Two rows make one pair: with n in the exponent a fair coin breaks the bound.",
    world=_coin,
    describe=lambda w: f"n = 2, H = 0.5, t = {w['t']:.3f}",
    letters=_coin_letters,
    steps=(
        Step("P(SKCE_uq >= t)",
             "A coin that is fair and predicted to be fair, two rows, H = ½: a calibrated model."),
        Step("P(Y_1 == Y_2)",
             "⟨δ_1, δ_2⟩ is ½ for equal labels and −½ for others, and t is below ½."),
        Step("exp(-n * t**2 / (2*H**2))",
             "It is below the probability that it should bound.", relation="<=", printed="n in place of ⌊n/2⌋, as in Vashistha & Farahi's Theorem 3.6, which bounds both tails (errata K25)"),
        Step("exp(-floor(n/2) * t**2 / (2*H**2))",
             "One independent pair, one factor.", relation="<="),
    ),
)  # fmt: skip


def _smallest_estimate(rng):
    """A calibrated model, n = 2, its own bound H on |h|, and as t the smallest SKCE_uq that it can have."""
    world = kit.calibrated(rng, 2)
    h = world["atoms"].h
    return {**world, "t": kit.estimate_uq(h, world["rows"]).min(), "bound": np.abs(h).max()}


negative_estimate = Derivation(
    title="A negative estimate",
    claim="What can be said of P(SKCE_uq ≥ t) if the estimate t is below 0.",
    world=_smallest_estimate,
    describe=lambda w: f"n = 2, H = {w['bound']:.3f}, t = {w['t']:.3f}",
    letters=lambda w: tiny(w, H=w["bound"]),
    steps=(
        Step("P(SKCE_uq >= t); t = min(SKCE_uq)",
             "A calibrated model, n = 2, with H its largest |h|. SKCE_uq averages to 0, so its smallest value t is negative."),
        Step("1 - P(SKCE_uq < t)",
             "No data set has a smaller estimate: no data set could speak more for the model."),
        Step("exp(-floor(n/2) * t**2 / (2*H**2))",
             "The best possible data would count against the model.", relation="<=", printed="a squared estimate, as in CalibrationTests.jl (errata U5)"),
        Step("exp(-floor(n/2) * max(0, t)**2 / (2*H**2))",
             "Hoeffding's bound is for t ≥ 0; for t < 0 only the bound 1 is left.", relation="<="),
    ),
)  # fmt: skip


def _calibrated_on_average(rng):
    """Predictions more spread than the truth: E p = E e_Y, yet hardly any prediction is right."""
    world = random_world(rng, n_kinds=5)
    kept = rng.uniform(0, 0.8)
    truth = kept * world.predictions + (1 - kept) * (world.weights @ world.predictions)
    return FiniteWorld(world.weights, world.predictions, truth)


skce_pairs = Derivation(
    title="A squared norm is a mean over pairs",
    claim="The SKCE as a mean over two independent copies of (p, Y), with δ = p − e_Y.",
    world=_calibrated_on_average,
    letters=lambda w: population(w, phi=features(kit.laplace, w.predictions)),
    steps=(
        Step("SKCE = norm2(E(outer(phi(p), delta)))",
             "The squared norm of the mean embedding. In these worlds the model is calibrated on average, E δ = 0, but over-confident."),
        Step("E(inner(outer(phi(p), delta), outer(phi(p'), delta')))",
             "The inner product of two means is the mean inner product of two independent copies (p, Y) and (p', Y')."),
        Step("E(k(p, p) * inner(delta, delta'))",
             "Here k sees one draw only: the mean factorises, and E δ' = 0 makes it 0, however wrong the single predictions are.", printed="Widmann et al.'s poster, eq. 2, as printed (errata P1)"),
        Step("E(k(p, p') * inner(delta, delta'))",
             "⟨a ⊗ b, a' ⊗ b'⟩ = ⟨a, a'⟩⟨b, b'⟩: the kernel compares the two predictions. This is eq. 2 with its prime."),
    ),
)  # fmt: skip


def _best_in_box(w, low, high):
    """max E⟨p − r, b(p)⟩ over low ≤ b_k ≤ high, by linear programming."""
    return -linprog(kit.weighted_gap(w).ravel(), bounds=(low, high)).fun


def _events(w):
    letters = population(w, A=np.array(list(product([0.0, 1.0], repeat=w.n_classes))))
    return Letters(letters.draws, letters.known, {"events": 2**w.n_classes})


ece_as_sup = Derivation(
    title="ECE is a supremum too",
    claim="With all functions |b_k| ≤ 1 in place of the unit ball of an RKHS the supremum is the ECE in the L1 distance.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=_events,
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle p - r,\, b(p)\rangle", "A linear programme: one variable between −1 and 1 for each prediction and class.",
             lambda w: _best_in_box(w, -1, 1)),
        Step("E(inner(p - r, sign(p - r)))",
             "The payoff is a sum over predictions and classes; each term is largest at the sign of its own gap."),
        Step("ECE = E(norm1(p - r))",
             "x · sign(x) = |x|. So the sup is the ECE (eq. 1) with the L1 distance, but to know the signs one must know r."),
        Step(r"\sup_{0 \leq b_k \leq 1}\ \mathbb{E}\,\langle p - r,\, b(p)\rangle", "Functions between 0 and 1 find the gains only. That is total variation, half of L1: say which distance an ECE uses.",
             lambda w: _best_in_box(w, 0, 1),
             printed="total variation, a library's default, taken for L1 (errata U4)"),
        Step("2 * E(max(inner(A[m], p - r) for m in events))",
             "r and p both sum to 1, so what some classes gain the others lose: twice the best set of classes. A_m runs over the indicators of all sets."),
    ),
)  # fmt: skip


def _confidences(w):
    """Ten rows: confidence c_i, hit_i, prediction and residual; a kernel of numbers and one of vectors."""
    hit, c = top_label(w["y"], w["p"])
    known = {"n": 10, "c": c, "hit": hit, "p": w["p"], "delta": residuals(w["y"], w["p"]), "k_p": kit.laplace,
             "k": lambda s, t: np.exp(-np.abs(s - t) / kit.BANDWIDTH)}  # fmt: skip
    return Letters(known=known, sets={"rows": 10})


mmce = Derivation(
    title="MMCE is SKCE after a reduction",
    claim="The maximum mean calibration error of Kumar et al. (2018), squared, as it is estimated from data.",
    world=kit.ten_rows,
    letters=_confidences,
    steps=(
        Step("1/n**2 * sum((c[i] - hit[i]) * (c[j] - hit[j]) * k(c[i], c[j]) for i in rows for j in rows)",
             "MMCE², as it is estimated: c = max p_k, and hit = 1 if the label is the most probable class."),
        Step("1/n**2 * (sum(c[i] * c[j] * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 0 if hit[j] == 0) "
             "+ sum((1 - c[i]) * (1 - c[j]) * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 1 if hit[j] == 1) "
             "- 2 * sum((1 - c[i]) * c[j] * k(c[i], c[j]) for i in rows for j in rows if hit[i] == 1 if hit[j] == 0))",
             "Sorted by outcome: c − hit is c for a wrong prediction and −(1 − c) for a right one."),
        Step("1/n**2 * sum(inner(delta[i], delta[j]) * k_p(p[i], p[j]) for i in rows for j in rows)",
             "The SKCE of the whole vector: another notion, another number.", printed="a common mix-up of two notions"),
        Step(r"\mathrm{SKCE}_b\ \mathrm{of}\ (\mathrm{hit},\, c)", "The scalar residual of the reduced pair is c − hit. This is skce(*top_label(y_true, y_prob), estimator=\"biased\").",
             lambda w: skce(*top_label(w["y"], w["p"]), kernel=kit.KERNEL, estimator="biased")),
    ),
)  # fmt: skip


def _drawn_labels(w):
    """Five rows, the matrix k_ij, and every vector Z of labels drawn from the predictions."""
    z = np.array(list(product(range(3), repeat=5)))
    known = {"p": w["p"], "y": w["y"], "k": kit.KERNEL(w["p"]), "e": np.eye(3)}
    return Letters({"Z": (w["p"][np.arange(5), z].prod(axis=1), {"Z": z})}, known, {"rows": 5})


jkce = Derivation(
    title="JKCE, as it is estimated",
    claim="The joint kernel calibration error of Moskvichev & Sejdinovic (eq. 11) is a squared MMD: its unbiased estimate, with the label kernel 1[y = y'].",
    world=lambda rng: {"y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5)},  # few: all Z are listed
    letters=_drawn_labels,
    start=1,
    steps=(
        Step("E_Z(mean(k[i, j] * (ind(y[i] == y[j]) - ind(y[i] == Z[j]) - ind(Z[i] == y[j]) + ind(Z[i] == Z[j])) "
             "for i in rows for j in rows if i != j))",
             "Real labels against labels Z_i drawn from the predictions p_i: the unbiased squared MMD, averaged over every vector Z."),
        Step("mean(k[i, j] * (ind(y[i] == y[j]) - p[i][y[j]] - p[j][y[i]] + inner(p[i], p[j])) for i in rows for j in rows if i != j)",
             "The mean over Z of four indicators: Z_j is y_i with probability p_j[y_i], and Z_i is Z_j with probability ⟨p_i, p_j⟩."),
        Step("mean(k[i, j] * (ind(y[i] == y[j]) - inner(p[i], p[j])) for i in rows for j in rows if i != j)",
             "The label kernel on the data, less what it is for labels drawn from the predictions.", printed="a tempting difference: no squared distance"),
        Step("mean(k[i, j] * inner(e[y[i]] - p[i], e[y[j]] - p[j]) for i in rows for j in rows if i != j)",
             "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the four terms are the expanded inner product."),
        Step(r"\mathrm{SKCE}_{uq}", "A U-statistic: it has no pairs i = j, and can be negative. This is skce(y_true, y_prob).",
             lambda w: skce(w["y"], w["p"], kernel=kit.KERNEL)),
    ),
)  # fmt: skip
