"""Derivations of notebook 04, third part: bounds on the tails of the estimators when the model is calibrated."""

import numpy as np

from ..derive import Derivation, Step
from ..nulls import bound_pvalue
from ..worlds import FiniteWorld
from .kce_atoms import BOUND, calibrated, estimate_b, estimate_ul, estimate_uq, length_of_mean, mean_length, tiny

__all__ = ["bound_biased", "bound_unbiased", "floor_half", "negative_estimate"]


def _six_rows(rng, threshold):
    """A calibrated model, n = 6, and a number t to exceed; `threshold(world, u)` places it, u uniform."""
    world = calibrated(rng, 6)
    return {**world, "t": threshold(world, rng.uniform())}


def _between_mean_and_largest(w, u):
    """Between H/n, below which the bound says 1, and the largest SKCE_b there is (at least ½ > H/n = ⅓)."""
    floor = BOUND / w["n"]
    return floor + (0.2 + 0.7 * u) * (estimate_b(w["atoms"].h, w["rows"]).max() - floor)


def _tail(w, estimate):
    return w["mass"] @ (estimate(w["atoms"].h, w["rows"]) >= w["t"])


bound_biased = Derivation(
    title="The bound D_b",
    claim="For a calibrated model P(SKCE_b ≥ t) ≤ exp(−½(√(nt/H) − 1)²) for t ≥ H/n, at every n and for every kernel with |h| ≤ H.",
    world=lambda rng: _six_rows(rng, _between_mean_and_largest),
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_b \geq t)", "The exact chance that a calibrated model looks this bad: all 4,096 data sets of n = 6 rows.", lambda w: _tail(w, estimate_b)),
        Step(r"P(\mathrm{KCE}_b - m \geq \sqrt{t} - m),\quad m = \mathbb{E}\,\mathrm{KCE}_b", "Take roots and subtract the mean.",
             lambda w: w["mass"] @ (length_of_mean(w["atoms"].x, w["rows"]) - mean_length(w) >= np.sqrt(w["t"]) - mean_length(w))),
        Step(r"\exp(-n\,(\sqrt{t} - m)^2 / (2H))", "McDiarmid's inequality exp(−2ε²/(n c²)): one row changes KCE_b by at most c = 2√H/n, and ε = √t − m.",
             lambda w: np.exp(-2 * (np.sqrt(w["t"]) - mean_length(w)) ** 2 / (w["n"] * (2 * np.sqrt(BOUND) / w["n"]) ** 2)), relation="<="),
        Step(r"\exp(-n\,(\sqrt{t} - \sqrt{H/n})^2 / (2H))", "m is unknown but at most √(H/n), which is at most √t here: a smaller square, a larger bound.",
             lambda w: np.exp(-w["n"] * (np.sqrt(w["t"]) - np.sqrt(BOUND / w["n"])) ** 2 / (2 * BOUND)), relation="<="),
        Step(r"\exp(-\frac{1}{2}\,\max(0,\, \sqrt{n t / H} - 1)^2)", "Multiply n/H into the square; for t < H/n the maximum makes it 1, which is always true. This is method=\"bound-biased\".",
             lambda w: bound_pvalue(w["t"], w["n"], BOUND, biased=True)),
    ),
)  # fmt: skip


def _part_of_largest(w, u):
    return (0.3 + 0.6 * u) * estimate_uq(w["atoms"].h, w["rows"]).max()


def _rate(w):
    """s = ⌊n/2⌋ t / H²."""
    return w["n"] // 2 * w["t"] / BOUND**2


def _markov(w, estimate):
    """e^{−st} E e^{s·estimate}."""
    return np.exp(-_rate(w) * w["t"]) * (w["mass"] @ np.exp(_rate(w) * estimate(w["atoms"].h, w["rows"])))


def _independent_pairs(w):
    """e^{−st} (E e^{sh/k})^k over the law of one pair, k = ⌊n/2⌋."""
    k, mass = w["n"] // 2, w["atoms"].mass
    return np.exp(-_rate(w) * w["t"]) * (mass @ np.exp(_rate(w) * w["atoms"].h / k) @ mass) ** k


bound_unbiased = Derivation(
    title="The bounds D_uq and D_ul",
    claim="For a calibrated model the tails of SKCE_uq and SKCE_ul have one bound, exp(−⌊n/2⌋ t²/(2H²)) for t ≥ 0 (Hoeffding 1963).",
    world=lambda rng: _six_rows(rng, _part_of_largest),
    describe=lambda w: f"n = 6, H = 2, t = {w['t']:.3f}",
    steps=(
        Step(r"P(U \geq t)\ \mathrm{for}\ U = \mathrm{SKCE}_{uq},\ \mathrm{SKCE}_{ul}", "Two exact probabilities over all 4,096 data sets of n = 6 rows.",
             lambda w: np.array([_tail(w, estimate_uq), _tail(w, estimate_ul)])),
        Step(r"P(e^{sU} \geq e^{st}),\quad s = \lfloor n/2\rfloor\, t / H^2", "e^x is increasing. The value of s is the one that makes the last line smallest.",
             lambda w: np.array([w["mass"] @ (np.exp(_rate(w) * estimate(w["atoms"].h, w["rows"])) >= np.exp(_rate(w) * w["t"]))
                                 for estimate in (estimate_uq, estimate_ul)])),
        Step(r"e^{-st}\;\mathbb{E}\,e^{sU}", "Markov's inequality.", lambda w: np.array([_markov(w, estimate_uq), _markov(w, estimate_ul)]), relation="<="),
        Step(r"e^{-st}\;\mathbb{E}\,e^{s\,\mathrm{SKCE}_{ul}}", "SKCE_uq is the mean of SKCE_ul over all orders of the rows; e^x is convex (Jensen), and every order has the same law.",
             lambda w: _markov(w, estimate_ul), relation="<="),
        Step(r"e^{-st}\,(\,\mathbb{E}\,e^{s\,h(Z, Z') / \lfloor n/2\rfloor}\,)^{\lfloor n/2\rfloor}", "SKCE_ul is a mean of ⌊n/2⌋ independent pairs: this is where ⌊n/2⌋ comes from.", _independent_pairs),
        Step(r"e^{-st}\;e^{s^2 H^2 / (2\,\lfloor n/2\rfloor)}", "Hoeffding's lemma: a variable of mean 0 between −H and H has E e^{ah} ≤ exp(a²H²/2), here with a = s/⌊n/2⌋.",
             lambda w: np.exp(-_rate(w) * w["t"] + _rate(w) ** 2 * BOUND**2 / (2 * (w["n"] // 2))), relation="<="),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "Put s in. These are method=\"bound-unbiased\" and \"bound-linear\".",
             lambda w: bound_pvalue(w["t"], w["n"], BOUND, biased=False)),
    ),
)  # fmt: skip


def _coin(rng):
    """A fair coin, predicted as such, n = 2: h is ±½, so that H = ½ is the largest |h|."""
    half = [[0.5, 0.5]]
    world = tiny(FiniteWorld([1.0], half, half), 2)
    return {**world, "t": rng.uniform(0.86, 0.99) * 0.5}


floor_half = Derivation(
    title="Why ⌊n/2⌋ and not n",
    claim="Two rows make one pair: with n in the exponent a fair coin breaks the bound.",
    world=_coin,
    describe=lambda w: f"n = 2, H = 0.5, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_{uq} \geq t)", "A coin that is fair and predicted to be fair, two rows, H = ½: a calibrated model.", lambda w: _tail(w, estimate_uq)),
        Step(r"P(Y_1 = Y_2)", "⟨δ_1, δ_2⟩ is ½ for equal labels and −½ for others, and t is below ½.",
             lambda w: w["mass"] @ (w["rows"][:, 0] == w["rows"][:, 1])),
        Step(r"\exp(-n\, t^2 / (2H^2))", "It is below the probability that it should bound.",
             lambda w: np.exp(-w["n"] * w["t"] ** 2 / (2 * 0.5**2)), relation="<=",
             printed="n in place of ⌊n/2⌋, as in Vashistha & Farahi's Theorem 3.6, which bounds both tails (errata K25)"),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "One independent pair, one factor.",
             lambda w: bound_pvalue(w["t"], w["n"], 0.5, biased=False), relation="<="),
    ),
)  # fmt: skip


def _smallest_estimate(rng):
    """A calibrated model, n = 2, its own bound H on |h|, and as t the smallest SKCE_uq that it can have."""
    world = calibrated(rng, 2)
    h = world["atoms"].h
    return {**world, "t": estimate_uq(h, world["rows"]).min(), "bound": np.abs(h).max()}


negative_estimate = Derivation(
    title="A negative estimate is no evidence",
    claim="Below 0 the bound on P(SKCE_uq ≥ t) is 1; a square forgets the sign and makes the p-value smaller.",
    world=_smallest_estimate,
    describe=lambda w: f"n = 2, H = {w['bound']:.3f}, t = {w['t']:.3f}",
    steps=(
        Step(r"P(\mathrm{SKCE}_{uq} \geq t),\quad t = \min\,\mathrm{SKCE}_{uq}", "A calibrated model, n = 2, with H its largest |h|. SKCE_uq averages to 0, so its smallest value t is negative.", lambda w: _tail(w, estimate_uq)),
        Step(r"1 - P(\mathrm{SKCE}_{uq} < t)", "No data set has a smaller estimate: no data set could speak more for the model.",
             lambda w: 1 - w["mass"] @ (estimate_uq(w["atoms"].h, w["rows"]) < w["t"])),
        Step(r"\exp(-\lfloor n/2\rfloor\, t^2 / (2H^2))", "The best possible data would count against the model.",
             lambda w: np.exp(-(w["n"] // 2) * w["t"] ** 2 / (2 * w["bound"] ** 2)), relation="<=",
             printed="a squared estimate, as in CalibrationTests.jl (errata U5)"),
        Step(r"\exp(-\lfloor n/2\rfloor\, \max(0,\, t)^2 / (2H^2))", "Hoeffding's bound is for t ≥ 0; for t < 0 only the bound 1 is left.",
             lambda w: bound_pvalue(w["t"], w["n"], w["bound"], biased=False), relation="<="),
    ),
)  # fmt: skip
