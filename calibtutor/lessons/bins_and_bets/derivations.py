"""Two classes, bets between −1 and 1, the noise of a bin, mean confidence, and a kernel estimate as a mean."""

from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import norm

from ...data.worlds import random_world
from ...risk import fit_kde
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.kce_atoms import ten_rows, weighted_gap
from ..shared.label_vectors import _labels
from ..shared.letters import population

factor_two = Derivation(
    title="Two classes, one number",
    claim="For two classes the canonical squared error, from the probability of the second class alone.",
    world=lambda rng: random_world(rng, n_kinds=5, n_classes=2),
    letters=population,
    steps=(
        Step("E(norm2(p - r))",
             "Canonical: p = (1 − p₁, p₁) and r = (1 − r₁, r₁)."),
        Step("E((p[1] - r[1])**2)",
             "One number says it all, but both entries of the vector are wrong by it.", printed="the reading that Gruber & Bach's text suggests (errata G21)"),
        Step("2 * E((p[1] - r[1])**2)",
             "(1 − p₁) − (1 − r₁) = −(p₁ − r₁): both entries err by the same amount."),
    ),
)  # fmt: skip


def _best_corner(w):
    """Every vector of signs is tried as b(p) at every prediction p, which several kinds may share."""
    corners = np.array(list(product([-1.0, 1.0], repeat=w.n_classes)))
    groups = {}
    for p, gap in zip(w.predictions.round(12), weighted_gap(w), strict=True):
        groups[tuple(p)] = groups.get(tuple(p), 0) + gap
    return sum((corners @ gap).max() for gap in groups.values())


bounded_opponent = Derivation(
    title="What a bounded opponent earns",
    claim="Over all bets with |bₖ(p)| ≤ 1 the largest payoff is a canonical error.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle p - r,\, b(p)\rangle",
             "Brute force: at every prediction all 2^d corners of the cube are tried.", _best_corner),
        Step("E(inner(p - r, (p - r) / norm(p - r)))",
             "Along the miss is best under ‖b(p)‖₂ ≤ 1, a smaller class: it earns E‖p − r‖₂.", printed="a common mix-up of the two norms"),
        Step("E(inner(p - r, sign(p - r)))",
             "Each prediction and class pays by itself, most at the sign of its miss: E‖p − r‖₁, the canonical error with norm 1."),
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
             "E[acc(1 − acc)] = r(1 − r)(n_m − 1)/n_m: a sample varies a little less around its own mean than around r."),
        Step("E((conf - acc)**2 - acc*(1 - acc)/n_m)",
             "With n_m in place of n_m − 1 some noise stays.", printed="a common slip"),
        Step("(conf - r)**2",
             "E (conf − acc)² is (conf − r)² plus the variance of acc, r(1 − r)/n_m, as in notebook 02: on average the noise is gone. (A result may be negative.)"),
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


def _dirichlet(q, p):
    """The density at q of a Dirichlet law with parameters p/.1 + 1."""
    a = p / 0.1 + 1
    return np.exp(gammaln(a.sum(axis=-1)) - gammaln(a).sum(axis=-1) + ((a - 1) * np.log(q)).sum(axis=-1))


def _rows(w):
    return Letters(known={"n": 10, "p": w["p"], "y": w["y"], "e": np.eye(3), "k": _dirichlet}, sets={"rows": 10})


kde_is_a_mean = Derivation(
    title="The kernel density ratio as a function of pairs",
    claim="The squared kernel estimate as printed is the mean of h_kde(p, p) over the data (eq. 26).",
    world=ten_rows,
    letters=_rows,
    start=11,
    steps=(
        Step("1/n * sum(norm2(p[i] - r_hat(p[i])) for i in rows); r_hat(q) = sum(k(q, p[j]) * e[y[j]] for j in rows) / sum(k(q, p[j]) for j in rows)",
             "Eq. 11 as printed, bandwidth .1: a mean of the labels' unit vectors, weighted by the kernel."),
        Step("1/n * sum(inner(v(p[i]), v(p[i])) for i in rows); v(q) = sum(k(q, p[j]) * (p[j] - e[y[j]]) for j in rows) / sum(k(q, p[j]) for j in rows)",
             "A weighted mean of residuals has the mean of the p_j near p in the place of p.", printed="a common slip"),
        Step("1/n * sum(inner(u(p[i]), u(p[i])) for i in rows); u(q) = q - r_hat(q)",
             "Name the difference u."),
        Step(r"\frac{1}{n}\sum_i h_{kde}(p_i,\, p_i)", "h_kde(p, p') = ⟨u(p), u(p')⟩ on the diagonal. (The authors of this estimator leave point i out of its own estimate: errata G9.)",
             lambda w: fit_kde(w["y"], w["p"], bandwidth=0.1).diagonal(w["p"]).mean()),
    ),
)  # fmt: skip
