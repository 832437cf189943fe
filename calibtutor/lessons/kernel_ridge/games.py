"""Scenes of the reader's ukkr on real confidences, and of twenty splits."""

from functools import lru_cache

import numpy as np

from ...binning import reliability_curve
from ...data.datasets import digits_predictions
from ...kernels import low_rank, rbf
from ...plots import (
    FEW,
    MODELS,
    Finding,
    choice,
    estimate,
    number,
    panel,
    reference,
    region,
)
from ...predictions import top_label
from ...teach.explore import explore
from ..shared.rows_of_splits import rows_of_splits
from ..shared.splits_of_digits import CAST, NAMES, SPLITS, in_spreads
from ..shared.verdicts import capital, signed
from . import simulations as sims
from .exercises import check

__all__ = ["twenty_splits", "your_ukkr"]

BIN_COUNT = 15


def expected_miss(ukkr, features, delta, penalty, confidence):
    """By how much ukkr expects a model to be over-confident at some confidences: Gᵀφ(c), with low-rank features φ."""
    G = ukkr(features.features, delta, penalty)
    return (features.transform(confidence) @ G)[:, 0]


def power_of_ten(value):
    """A power of ten as it is written: 10⁻⁶, 0.1, 100."""
    power = round(np.log10(value))
    return (
        f"{value:g}" if -2 <= power <= 2 else "10" + f"{power}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    )


def in_words(miss):
    """A miss as a headline has it; less than half a hundredth is none."""
    return "no miss" if abs(miss) < 0.005 else f"{'over' if miss > 0 else 'under'}-confident by {abs(miss):.2f}"


def your_ukkr(ukkr=None):
    """The curve that the reader's ridge regression draws through real residuals, as λ moves.

    Parameters
    ----------
    ukkr : callable, optional
        Features and residuals, a row for each datum, and λ -> G, a row for each feature; or what `check.ukkr.use` gives.
    """
    solve = check.ukkr.use(ukkr)
    low, high = -0.64, 0.75

    @lru_cache
    def prepared(model):
        each = digits_predictions(model)
        hit, confidence = top_label(each.y_true, each.y_prob)
        features = low_rank(rbf(gamma=1), confidence, tol=1e-12)
        return confidence, features, (confidence - hit)[:, None], reliability_curve(hit, confidence, n_bins=BIN_COUNT)

    def setup(fig):
        for model in CAST:
            prepared(model)
        axes = panel(fig, xlim=(0.18, 1.09), ylim=(low, high), xlabel="confidence", ylabel="mean of the miss p − Y")
        axes.set_yticks([-0.5, 0, 0.5], ["−0.5", "0", "0.5"])
        reference(axes, [0.18, 1.09], [0, 0])
        axes.set_xticks([0.25, 0.5, 0.75, 1], ["0.25", "0.5", "0.75", "1"])
        region(axes, 0.28, 0.66, "over-confident")
        region(axes, 0.97, -0.5, "under-confident")
        return {"digits": estimate(axes, marker="|", ms=9, mew=1, alpha=0.4),
                "few": estimate(axes, ms=8, alpha=0.35), "many": estimate(axes, ms=8), "curve": estimate(axes, line=True),
                "here": choice(axes), "number": number(axes, offset=(12, 10))}  # fmt: skip

    def update(artists, model="naive Bayes", penalty=1e-6, confidence=0.95):
        confidences, features, delta, bins = prepared(model)
        grid = np.linspace(confidences.min(), 1, 161)
        curve = expected_miss(solve, features, delta, penalty, grid)
        here = float(expected_miss(solve, features, delta, penalty, [confidence])[0])
        colour, _, text = MODELS[model]
        artists["digits"].set_data(confidences, np.full(len(confidences), low + 0.03))
        artists["digits"].set(color=colour, mec=colour)
        for name, which in (("few", (bins.count > 0) & (bins.count < FEW)), ("many", bins.count >= FEW)):
            seen = which & (np.abs(bins.gap - (low + high) / 2) < (high - low) / 2)
            artists[name].set_data(bins.confidence[seen], bins.gap[seen])
            artists[name].set(color=colour)
        artists["curve"].set_data(grid, np.clip(curve, low, high))
        artists["curve"].set(color=colour)
        shown = float(np.clip(here, low + 0.02, high - 0.12))
        artists["here"].set_data([confidence], [shown])
        artists["number"].xy = confidence, shown
        artists["number"].set(text=signed(here, 2), color=text)
        return Finding(
            f"{capital(model)} at {confidence:g}: ukkr says {in_words(here)}",
            f"λ = {power_of_ten(penalty)}, by {solve.by}; dots: {BIN_COUNT} bins, pale with few; ticks: the digits",
            f"Over all confidences it expects misses from {signed(curve.min(), 2)} to {signed(curve.max(), 2)}.",
        )

    return explore(setup, update, size=(9, 4.4), model=CAST, penalty=[10.0**power for power in range(-9, 2)],
                   confidence=(0.55, 1.0, 0.05), labels={"penalty": "λ"}, code=expected_miss)  # fmt: skip


def what_splits_say(apart, splits, pvalue):
    """What the splits say of “no error”, and the exact test beside them."""
    return f"“no error” told apart in {apart} of {splits}; exact test: R = {pvalue:.2g}"


def twenty_splits():
    """The pipeline on many splits of the same predictions: how often each candidate is told apart from the best."""
    setup, fill = rows_of_splits([NAMES[each] for each in sims.CANDIDATES])

    def update(artists, model="naive Bayes", split=0):
        worse_by, spread, reports, pvalue = sims.twenty_splits(model)
        distance = in_spreads(worse_by, spread)
        fill(artists, distance, model, split)
        best = sims.CANDIDATES[int(worse_by[split].argmin())]
        left = reports[(distance <= 2) & (np.arange(len(sims.CANDIDATES)) > 0)]
        return Finding(
            f"{capital(model)}: " + what_splits_say((distance[:, 0] > 2).sum(), len(distance), pvalue),
            f"the same predictions split {len(distance)} times, one dot a split; hollow: told apart from its best; yellow: rng={split}",
            f"Yellow: smallest risk for {NAMES[best]}. Over all splits, what the risk leaves reports {left.min():.4f} to {left.max():.4f}.",
        )

    return explore(setup, update, size=(9, 4.6), model=CAST, split=(0, SPLITS - 1, 1),
                   labels={"split": "split (rng)"}, code=in_spreads)  # fmt: skip
