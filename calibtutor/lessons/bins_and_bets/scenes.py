"""The picture: the best bets of four kinds, and what they earn."""

import numpy as np
from matplotlib.collections import PolyCollection

from ...plots import CHOICE, INK, MISS, Finding, number, panel, words
from ...teach.explore import explore
from ..shared.triangle import Simplex, arrow_polygons, to_plane
from ..shared.worlds import CLASSES, WORLDS, world_named
from .worlds import best_opponents, best_payoffs

__all__ = ["opponent"]


def _payoff(value):
    """Small payoffs are shown as small, not as 0."""
    return f"{value:.3f}" if value >= 0.0005 else "0" if value < 1e-12 else f"{value:.0e}"


BETS = {  # class of functions: its bets, as a subject
    "constants": "The same bet everywhere earns",
    "linear": "Linear bets earn",
    "RKHS ball": "Smooth bets (the RKHS ball) earn",
    "bounded": "Bets of any shape, up to 1, earn",
}


def what_it_earns(functions, earns):
    """The finding of a class of bets; below 1e-12 it earns nothing."""
    if earns < 1e-12:
        return f"{BETS[functions]} nothing: blind to this error"
    return f"{BETS[functions]} {_payoff(earns)}, so this error is {'seen' if earns >= 0.0005 else 'barely seen'}"


def high_or_low(bet):
    """The class that a bet calls too low, or the one that it calls too high by half as much again."""
    if bet.max() > 1.5 * -bet.min():
        return f"“{CLASSES[bet.argmax()]}” is too high"
    return f"“{CLASSES[bet.argmin()]}” is too low"


def first_of_largest(won):
    """Where most is won; what differs by rounding counts as equal, however small it is."""
    return int((won >= won.max() - 1e-6 * abs(won.max())).argmax())


def stay_inside(start, step):
    """Where steps from points of the triangle end; those that would leave it end at its edge."""
    room = np.where(step < 0, start / np.maximum(-step, 1e-300), 1)
    return start + np.minimum(room.min(axis=1, keepdims=True), 1) * step


def opponent():
    """For four classes of bets the best one, drawn as where it would move each prediction, and what it earns."""
    steps = 9  # the lattice stays within the triangle, so that no arrow reaches a name
    lattice = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)])
    lattice = (lattice + 0.5) / (steps + 1.5)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES)
        axes = panel(fig, grid[1], xlim=(0, 0.9), ylim=(3.5, -0.5), xlabel="what the best bet earns, CE[F]")
        axes.set_xticks([0, 0.4, 0.8], ["0", "0.4", "0.8"])
        axes.set_yticks(range(4), BETS)
        axes.tick_params(axis="y", length=0)
        between = triangle.axes.add_collection(PolyCollection([], facecolor=MISS, alpha=0.3, lw=0, zorder=2))
        (ring,) = triangle.axes.plot([], [], "o", ms=13, mfc="none", mec=INK, mew=1.6, zorder=5)
        note = words(triangle.axes, 0.5, -0.085, "", colour=MISS, bold=True)
        band = axes.axhspan(-0.45, 0.45, color=CHOICE, alpha=0.45, lw=0, zorder=0)
        bars = list(axes.barh(range(4), [1] * 4, height=0.5, color=MISS, zorder=3))
        numbers = [number(axes, offset=(6, 0), colour=INK) for _ in range(4)]
        return {"triangle": triangle, "between": between, "ring": ring, "note": note, "band": band,
                "bars": bars, "numbers": numbers}  # fmt: skip

    def update(artists, functions="RKHS ball", world="favourite class", bandwidth=0.3):
        w = world_named(world)
        earns, field = best_opponents(w, bandwidth)
        pays, bets = earns[functions] > 1e-12, field[functions](w.predictions)
        won = (bets * (w.predictions - w.frequencies)).sum(axis=1)
        most = first_of_largest(won)
        around = np.zeros((1, 3)) if functions == "bounded" else field[functions](lattice)
        scale = -0.13 * pays / (np.linalg.norm(np.vstack([bets, around]), axis=1).max() or 1)
        ends = to_plane(w.predictions), to_plane(stay_inside(w.predictions, scale * bets))
        artists["triangle"].update(w.predictions, size=45)
        artists["triangle"].point(*ends)
        artists["ring"].set_data(*(ends[0][[most]].T if pays else ((), ())))
        artists["between"].set_verts(arrow_polygons(to_plane(lattice), to_plane(stay_inside(lattice, scale * around))))
        chosen = high_or_low(bets[most])
        artists["note"].set_text(f"ring: {chosen}" if pays else "no bet pays")
        artists["band"].set_y(list(BETS).index(functions) - 0.45)
        for y, (bar, each, name) in enumerate(zip(artists["bars"], artists["numbers"], BETS, strict=True)):
            bar.set_width(earns[name])
            bar.set_alpha(1 if name == functions else 0.35)
            each.xy = (earns[name], y)
            each.set_text(_payoff(earns[name]))
        return Finding(
            what_it_earns(functions, earns[functions]),
            f"red: where the best bets would move {len(w.predictions)} predictions, world “{world}”; γ = {bandwidth:g}",
            f"Where it wins most, it bets that {chosen}." if pays else "",
        )

    return explore(
        setup, update, size=(9, 4.6), world=list(WORLDS), functions=list(BETS),
        bandwidth=[0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0], labels={"functions": "bets from", "bandwidth": "bandwidth γ"},
        code=best_payoffs,
    )  # fmt: skip
