"""Pictures of notebook further/01: bounds as n grows; those of the poster at full size are in `full_size`."""

import numpy as np

from ...plots import KEPT, SOFT, Finding, estimate, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import Ghost, number, tell
from ..shared.posters_models import on_the_way
from . import simulations as sims
from .full_size import full_size_errors, full_size_estimates

__all__ = ["bounds_against_n", "full_size_errors", "full_size_estimates"]


def bounds_against_n():
    """What three bounds make of the expected estimate as n grows, on the way from the poster's M1 to its M3."""
    sizes = np.unique(np.logspace(1, 6, 241).astype(int))

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(10, 6e6), ylim=(0, 1.06), xlabel="number of predictions n",
                     ylabel="upper limit of R", y=[0, 0.5, 1], base=(10, 1e6))  # beyond is room for numbers
        axes.set_xticks([10, 100, 1e3, 1e4, 1e5, 1e6], ["10", "100", "1,000", "10,000", "100,000", "1 million"])
        axes.minorticks_off()
        lines = [estimate(axes, line=True) for _ in range(2)]
        return {"lines": lines, "ghosts": [Ghost(line) for line in lines], "level": reference(axes),
                "names": [number(axes, colour=KEPT, offset=o, size=12) for o in ((-8, -6), (8, 6))],
                "needed": [number(axes, colour=KEPT, offset=(9, 13)) for _ in range(2)], "dots": estimate(axes, ms=11),
                "alpha": words(axes, 10.8, 0, "", colour=SOFT, ha="left", va="bottom", size=11)}

    def update(artists, strength=1.0, alpha=0.05):
        true, own = sims.expected_terms(strength)
        biased, unbiased = np.transpose([sims.bounds(n, true, own) for n in sizes])
        first = [sims.enough(which, true, own, alpha, sizes[-1]) for which in (0, 1)]
        first = [n if n <= sizes[-1] else None for n in first]
        texts = "biased\n$D_b$", "unbiased, linear\n$D_{uq}$, $D_{ul}$"
        for line, name, text, bound in zip(artists["lines"], artists["names"], texts, (biased, unbiased), strict=True):
            line.set_data(sizes, bound)
            at = int(np.argmax(bound <= 0.4)) if (bound <= 0.4).any() else len(sizes) - 1
            tell(name, (sizes[at], bound[at]), text)
        late = artists["names"][1].xy[0] > 2e5  # then its name is left of its curve, and below
        artists["names"][1].set(ha="right" if late else "left", position=(-4, -28) if late else (8, 6))
        for each, n in zip(artists["needed"], first, strict=True):
            tell(each, (n or 10, alpha), f"{n:,}" if n else "")
        artists["dots"].set_data([n for n in first if n], [alpha for n in first if n])
        artists["level"].set_data([10, 1e6], [alpha, alpha])
        artists["alpha"].set(y=alpha + 0.015, text=f"α = {alpha:.0%}")
        return Finding(bounds_headline(first),
                       f"{on_the_way(strength)}; ten classes, SKCE {true:.4f}; at the expected estimate",
                       f"That many until the upper limit of R falls to {alpha:.0%}.")

    return explore(setup, update, size=(9, 4.4), code=(sims.expected_terms, sims.bounds, sims.enough),
                   strength=(0.2, 1.0, 0.1), alpha=(0.01, 0.2, 0.01),
                   labels={"strength": "miscalibration", "alpha": "level α"})


def bounds_headline(first):
    """From how many predictions on the bounds can see the error, if a million are enough."""
    biased, unbiased = first
    if biased is None:
        return "A million predictions are too few for every bound"
    if unbiased is None:
        return f"The biased bound needs {biased:,} predictions, the others over a million"
    return f"The biased bound needs {biased:,} predictions, the others {unbiased:,}"
