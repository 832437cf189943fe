"""The picture of further 02: how often a local test finds one unused feature among many."""

import numpy as np

from ...plots import KEPT, SOFT, Finding, estimate, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import number, tell, truth
from . import simulations as sims

__all__ = ["power_in_many_dimensions"]


def power_in_many_dimensions():
    """Power of the exact test against one unused feature among d, along the bandwidth of the feature kernel."""
    widths = np.array(sims.WIDTHS) / np.sqrt(2)  # bandwidths; the paper's widths are √2 times as large

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(0.53, 44), ylim=(0, 1.05), xlabel="bandwidth γ of the feature kernel",
                     ylabel="errors found (power)", base=(0.67, widths[-1]))
        axes.set_xticks(widths, [f"{w:.2g}" for w in widths])
        axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        axes.minorticks_off()
        for each in sims.DIMENSIONS:
            curve = sims.power(each)[0]
            first = each == sims.DIMENSIONS[0]  # it alone has room to say what the numbers count
            words(axes, 0.68 if first else 0.66, curve[0] - 0.1 * first, f"{each} features" if first else f"{each}",
                  ha="left" if first else "right", size=11, colour=SOFT)
            axes.plot(widths, curve, color="#B4B4B4", lw=1.6, marker="o", ms=6, mfc="white", zorder=1)
        reference(axes, [0.67, widths[-1]], [0.05, 0.05])
        words(axes, 16.3, 0.05, "level 5%", ha="left", size=11, colour=SOFT)
        return {"together": truth(axes, [0.67, widths[-1]], [0, 0]),
                "line": estimate(axes, line=True, marker="o", ms=9.5, mec="white"),
                "name": number(axes, offset=(0, 0)), "best": number(axes, colour=KEPT, offset=(-10, 8))}

    def update(artists, features=40):
        single, aggregated = sims.power(features)
        best = int(np.argmax(single))
        artists["line"].set_data(widths, single)
        artists["together"].set_ydata([aggregated, aggregated])
        tell(artists["name"], (16.3, max(aggregated, 0.12)), f"all five: {aggregated:.0%}")
        tell(artists["best"], (widths[best], single[best]),
             f"{single[best]:.0%}", ha="right" if best else "left", position=(-9 * (best > 0), 14))
        return Finding(
            f"{features} features: the best bandwidth finds {single[best]:.0%} of the errors, all five {aggregated:.0%}",
            f"exact test, level 5%, n = {sims.POWER_N}, {sims.POWER_SETS} data sets, one feature unused; pale: other numbers of features",
            f"The best bandwidth is {widths[best]:.2g}; the worst finds {single.min():.0%}.")

    return explore(setup, update, size=(9, 4.4), code=sims.power, features=sims.DIMENSIONS)
