"""Scenes of notebook 05, second half: null distributions, and power in many dimensions."""

import numpy as np

from ..explore import explore
from ..plots import COLOURS, TITLE
from .kce_tests import square
from .klce_simulations import (
    CROWDS,
    DIMENSIONS,
    POWER_SETS,
    RACE_NULLS,
    RACE_SETS,
    RACE_SHARES,
    WIDTHS,
    power,
    race,
)

__all__ = ["null_race", "power_in_many_dimensions"]

COLOUR = dict(zip(RACE_NULLS, ("orange", "yellow", "pink", "sky", "green"), strict=True))


def null_race():
    """p-values of calibrated data sets under five nulls, as a crowd of alike data grows."""

    def setup(fig):
        for crowd in CROWDS:
            for share in RACE_SHARES:
                race(crowd, share)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.2, 1])
        axes, side = (fig.add_subplot(column) for column in columns)
        square(axes, xlabel="level α", ylabel="share of p-values ≤ α")
        lines = {name: axes.step([], [], where="post", color=COLOURS[COLOUR[name]], lw=1.8)[0] for name in RACE_NULLS}
        lines["labels"].set_linewidth(3)
        side.set(xlim=(0, 0.4), ylim=(-0.6, len(RACE_NULLS) - 0.4), xlabel="rejected at .05")
        side.set_yticks(range(len(RACE_NULLS)), RACE_NULLS[::-1])
        for label in side.get_yticklabels():
            label.set_color(COLOURS[COLOUR[label.get_text()]])
        side.axvline(0.05, color=COLOURS["ink"], ls="--", lw=1)
        bars = side.barh(range(len(RACE_NULLS)), [0] * len(RACE_NULLS), height=0.6,
                         color=[COLOURS[COLOUR[name]] for name in RACE_NULLS[::-1]])  # fmt: skip
        return {"lines": lines, "bars": bars, "title": axes.set_title(TITLE)}

    def update(artists, crowd="doubtful", share=0.2):
        pvalues = race(crowd, share)
        rejected = (pvalues <= 0.05 + 1e-12).mean(axis=1)
        for name, values in zip(RACE_NULLS, pvalues, strict=True):
            x = np.concatenate([[0], np.sort(values), [1]])
            y = np.concatenate([np.arange(len(values) + 1) / len(values), [1]])
            artists["lines"][name].set_data(x, y)
        for bar, value in zip(artists["bars"], rejected[::-1], strict=True):
            bar.set_width(value)
        artists["title"].set_text(f"{share:.0%} in a {crowd} crowd; all calibrated")
        said = ", ".join(f"{name} {value:.1%}" for name, value in zip(RACE_NULLS, rejected, strict=True))
        return f"{RACE_SETS} calibrated data sets, {share:.0%} of the data in a {crowd} crowd; rejected at .05: {said}."

    return explore(setup, update, size=(9.6, 4.3), crowd=list(CROWDS), share=RACE_SHARES,
                   labels={"share": "share of the crowd"})  # fmt: skip


def power_in_many_dimensions():
    """Power of the exact test against one unused feature among d, along the width of the feature kernel."""

    def setup(fig):
        for dimension in DIMENSIONS:
            power(dimension)
        axes = fig.add_subplot()
        axes.set(xscale="log", xlim=(WIDTHS[0] / 1.2, WIDTHS[-1] * 1.2), ylim=(0, 1.02),
                 xlabel="width of the feature kernel", ylabel="share rejected at .05")  # fmt: skip
        axes.set_xticks(WIDTHS, [f"{w:g}" for w in WIDTHS])
        axes.minorticks_off()
        (line,) = axes.plot([], [], "o-", color=COLOURS["green"], label="one width, exact test")
        together = axes.axhline(0, color=COLOURS["pink"], lw=2.5, label="aggregated over all")
        axes.axhline(0.05, color=COLOURS["grey"], ls="--", lw=1, label="level")
        axes.legend(loc="center right")
        return {"line": line, "together": together, "title": axes.set_title(TITLE)}

    def update(artists, features=10):
        single, aggregated = power(features)
        artists["line"].set_data(WIDTHS, single)
        artists["together"].set_ydata([aggregated, aggregated])
        best = WIDTHS[int(np.argmax(single))]
        artists["title"].set_text(f"{features} features, one of them not used")
        return (
            f"{features} features, n = 200, {POWER_SETS} data sets: the best width ({best:g}) rejects "
            f"{single.max():.0%}, the worst {single.min():.0%}, the aggregated test {aggregated:.0%}."
        )

    return explore(setup, update, size=(8, 4), features=DIMENSIONS)
