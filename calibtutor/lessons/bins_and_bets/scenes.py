"""Notebook 04's bets, and which forecaster two measures reward."""

import numpy as np

from ...plots import KEPT, MISS, Finding, estimate, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import choice
from ..bets_and_kernels.scenes import place_bets
from ..shared.verdicts import capital
from . import simulations as sims

__all__ = ["place_bets", "rewards"]


def rewards():
    """What calibrated forecasters who say one number, two, three, … or each event's chance expect of two measures."""
    numbers = [*map(str, sims.NUMBERS_SAID), "all"]
    at = np.arange(len(numbers))

    def setup(fig):
        axes = panel(fig, xlim=(-0.4, at[-1] + 0.4), ylim=(0, 1.25), y=[0, 0.5, 1],
                     xlabel="how many different numbers he says", ylabel="expected, as a share of\nwhat the truth expects")
        axes.set_xticks(at, numbers)
        reference(axes, [-0.4, at[-1] + 0.4], [1, 1])
        words(axes, 1, 1.1, "two-bin error", colour=KEPT, bold=True, ha="left")
        words(axes, 2.2, 0.38, "ECE", colour=MISS, bold=True, ha="left")
        return {"lines": [estimate(axes, line=True, color=MISS), estimate(axes, line=True)],
                "marks": [choice(axes), estimate(axes, zorder=8)]}

    def update(artists, numbers_said="2", events=100):
        found = sims.expects(events)
        k, shares = numbers.index(numbers_said), np.column_stack([found[:, 0] / found[-1, 0], found[:, 1]])
        for column in (0, 1):
            artists["lines"][column].set_data(at, shares[:, column])
            artists["marks"][column].set_data([at[k]], [shares[k, column]])
        said = f"all {events:,} chances" if numbers_said == "all" else f"{numbers_said} different number{'s' * (k > 0)}"
        return Finding(
            f"{capital(said)}: expected ECE {found[k, 0]:.3f}, that of the truth {found[-1, 0]:.3f}",
            f"{events:,} events with chances from 0 to 1; all that is said is calibrated; ECE with ten bins",
            f"The two-bin error expects {shares[k, 1]:.2f} of what it expects of the truth.")

    return explore(setup, update, size=(8, 4.4), code=sims.expects, numbers_said=numbers, events=sims.EVENTS)
