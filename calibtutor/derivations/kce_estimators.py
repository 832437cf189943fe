"""Derivations of notebook 04, second part: what the estimators average to, and how far one row moves them."""

import numpy as np

from ..derive import Derivation, Step
from ..worlds import random_world
from .kce_atoms import (
    BOUND,
    calibrated,
    estimate_b,
    estimate_ul,
    estimate_uq,
    length_of_mean,
    mean_length,
    mean_of,
    own_mean,
    skce_of,
    table,
    tiny,
)

__all__ = ["biased", "bounded_differences", "estimators", "null_mean"]


def _three_rows(rng):
    """Two kinds, three classes: 216 data sets of three rows."""
    return tiny(random_world(rng, n_kinds=2, shared=False), 3)


def _mean_table(w):
    """E h_ij for every pair of rows, as an n × n matrix."""
    return np.einsum("s,sij->ij", w["mass"], table(w["atoms"].h, w["rows"]))


estimators = Derivation(
    title="Why two of the estimators are unbiased",
    claim="Pairs of different rows are pairs of independent draws, so SKCE_uq and SKCE_ul average to the SKCE.",
    world=_three_rows,
    steps=(
        Step(r"\mathbb{E}\,\mathrm{SKCE}_{uq} = \mathbb{E}\,\frac{1}{n(n-1)}\sum_{i \neq j} h_{ij}", "n = 3, two predictions, three classes: each of the 216 data sets times its probability.",
             lambda w: mean_of(w, estimate_uq)),
        Step(r"\frac{1}{n(n-1)}\sum_{i \neq j} \mathbb{E}\,h_{ij}", "The mean of a sum is the sum of the means, although the pairs share rows and are dependent.",
             lambda w: (_mean_table(w).sum() - np.trace(_mean_table(w))) / 6),
        Step(r"\mathbb{E}\,\frac{1}{n^2}\sum_{i, j} h_{ij}", "With the diagonal: there a row meets itself, which is no pair of independent draws.",
             lambda w: mean_of(w, estimate_b), printed="a tempting mean: SKCE_b"),
        Step(r"\mathrm{SKCE} = \mathbb{E}\,h(Z, Z')", "For i ≠ j the rows are two independent copies of Z = (p, Y).", skce_of),
        Step(r"\mathbb{E}\,\mathrm{SKCE}_{ul} = \mathbb{E}\,\lfloor n/2\rfloor^{-1} \sum_i h_{2i-1,\,2i}", "Rows 1 and 2, rows 3 and 4, … are such pairs too: the same mean from fewer pairs. (n = 3 has one.)",
             lambda w: mean_of(w, estimate_ul)),
    ),
)  # fmt: skip


def _spread_of_x(w):
    """E‖x − E x‖²."""
    atoms = w["atoms"]
    return atoms.mass @ ((atoms.x - atoms.mass @ atoms.x) ** 2).sum(axis=1)


biased = Derivation(
    title="How much too large SKCE_b is",
    claim="The mean of SKCE_b is the SKCE plus a positive term that goes away like 1/n.",
    world=_three_rows,
    steps=(
        Step(r"\mathbb{E}\,\mathrm{SKCE}_b = \mathbb{E}\,\frac{1}{n^2}\sum_{i, j} h_{ij}", "n = 3, all 216 data sets.", lambda w: mean_of(w, estimate_b)),
        Step(r"\frac{1}{n^2}\,[\,n\,\mathbb{E}\,h(Z, Z) + n(n-1)\,\mathbb{E}\,h(Z, Z')\,]", "On the diagonal a row meets itself, n times; off the diagonal it meets an independent one, n(n − 1) times.",
             lambda w: (3 * own_mean(w) + 6 * skce_of(w)) / 9),
        Step(r"\mathrm{SKCE}", "SKCE_b is consistent, its bias vanishes as n grows. At n = 3 it is there.", skce_of, printed="a common belief: consistent means unbiased"),
        Step(r"\mathrm{SKCE} + \frac{1}{n}\,[\,\mathbb{E}\,h(Z, Z) - \mathrm{SKCE}\,]", "Write n(n − 1)/n² as 1 − 1/n.", lambda w: skce_of(w) + (own_mean(w) - skce_of(w)) / 3),
        Step(r"\mathrm{SKCE} + \frac{1}{n}\,\mathbb{E}\,\|x - \mathbb{E}\,x\|^2,\quad x = \varphi(p) \otimes \delta", "h(Z, Z) = ‖x‖² and SKCE = ‖E x‖²: the bracket is the variance of x.", lambda w: skce_of(w) + _spread_of_x(w) / 3),
        Step(r"\mathrm{SKCE}", "A variance is not negative, so SKCE_b is biased upwards for every model, calibrated or not.", skce_of, relation=">="),
    ),
)  # fmt: skip


def _replacements(w):
    """All data sets with one row replaced, (n, atoms, s, n)."""
    n, kinds = w["n"], len(w["atoms"].mass)
    changed = np.broadcast_to(w["rows"], (n, kinds, *w["rows"].shape)).copy()
    for i in range(n):
        changed[i, :, :, i] = np.arange(kinds)[:, None]
    return changed


def _largest_change(w, size):
    """max |size(D) − size(D')| over data sets D, D' that differ in one row."""
    return max(np.abs(size(rows) - size(w["rows"])).max() for block in _replacements(w) for rows in block)


def _largest_step(w):
    """max ‖x̄ − x̄'‖ over the same pairs of data sets."""
    x, before = w["atoms"].x, w["atoms"].x[w["rows"]].mean(axis=1)
    return max(np.linalg.norm(x[r].mean(axis=1) - before, axis=1).max() for block in _replacements(w) for r in block)


def _root_of_b(w, rows):
    return np.sqrt(np.maximum(estimate_b(w["atoms"].h, rows), 0))


def _largest_distance(w):
    x = w["atoms"].x
    return np.linalg.norm(x[:, None] - x, axis=2).max()


bounded_differences = Derivation(
    title="One row moves KCE_b by little",
    claim="Replacing one row of the data changes KCE_b, the root of SKCE_b, by at most 2√H/n.",
    world=lambda rng: tiny(random_world(rng, n_kinds=2, n_classes=2, shared=False), 3),
    steps=(
        Step(r"\max\ |\,\mathrm{KCE}_b(D) - \mathrm{KCE}_b(D')\,|", "D and D' differ in one row: all 64 data sets of n = 3 rows, every row, every replacement.",
             lambda w: _largest_change(w, lambda rows: _root_of_b(w, rows))),
        Step(r"\max\ |\;\|\bar{x}\| - \|\bar{x}'\|\;|", "KCE_b is the length of the mean of x_i = φ(p_i) ⊗ δ_i.",
             lambda w: _largest_change(w, lambda rows: length_of_mean(w["atoms"].x, rows))),
        Step(r"\max\ \|\bar{x} - \bar{x}'\|", "Reverse triangle inequality: lengths differ by at most the length of the difference.", _largest_step, relation="<="),
        Step(r"\frac{1}{n}\,\max\ \|x - x'\|", "The two means have all rows but one in common.", lambda w: _largest_distance(w) / w["n"]),
        Step(r"\frac{2}{n}\,\max\ \|x\|", "Triangle inequality.", lambda w: 2 * np.linalg.norm(w["atoms"].x, axis=1).max() / w["n"], relation="<="),
        Step(r"\frac{2}{n}\sqrt{H}", "‖x‖² = k(p, p)‖δ‖² = h(z, z) ≤ H, where H = 2 for a kernel of at most 1.", lambda w: 2 * np.sqrt(BOUND) / w["n"], relation="<="),
    ),
)  # fmt: skip


null_mean = Derivation(
    title="How large KCE_b is for a calibrated model",
    claim="Under calibration KCE_b still averages to a positive number m, but to no more than √(H/n).",
    world=lambda rng: calibrated(rng, 4),
    steps=(
        Step(r"m = \mathbb{E}\,\mathrm{KCE}_b", "A calibrated model, n = 4: the mean over all 256 data sets of the root of SKCE_b.", lambda w: w["mass"] @ _root_of_b(w, w["rows"])),
        Step(r"\mathbb{E}\,\|\bar{x}\|", "The length of the mean of x_i = φ(p_i) ⊗ δ_i.", mean_length),
        Step(r"0", "The KCE is 0, but a length is never negative, so it averages to 0 only if it is always 0.", lambda w: 0.0, printed="a common hope"),
        Step(r"\sqrt{\mathbb{E}\,\|\bar{x}\|^2}", "Jensen: the mean is at most the root of the mean square.", lambda w: np.sqrt(w["mass"] @ length_of_mean(w["atoms"].x, w["rows"]) ** 2), relation="<="),
        Step(r"\sqrt{\mathbb{E}\,h(Z, Z) / n}", "E SKCE_b = SKCE + (E h(Z, Z) − SKCE)/n, and SKCE = 0 for a calibrated model.", lambda w: np.sqrt(own_mean(w) / w["n"])),
        Step(r"\sqrt{H/n}", "h ≤ H.", lambda w: np.sqrt(BOUND / w["n"]), relation="<="),
    ),
)  # fmt: skip
