"""The opening game: six bets against a model whose errors are hidden."""

import numpy as np

from ...kernels import rbf
from ...plots import GREY, INK, KEPT, MISS, Finding, choice, misses, number, panel, reference, region
from ...teach.explore import explore
from ...teach.hands import Hand

__all__ = ["place_bets"]


SAID = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)  # six probabilities, said equally often
MISSED_BY = (-0.08, -0.12, 0.05, 0.15, 0.08, -0.08)  # p − r: kept from the player; their mean is 0
BAND = 0.15  # bandwidth of the Gaussian kernel by which a smooth bet follows its neighbours
START = 1.0  # the state that the guess before it asks about
EXACT = 1e-9


def earned(bets, p, r):
    """Mean payoff of bets from −1 to 1 on equally likely predictions p with frequencies r, and the best there is."""
    miss = (p - r) / len(p)
    return miss @ bets, np.abs(miss).sum()


def smoothed(bets, p):
    """Each bet as the kernel-weighted mean of all: it goes where its neighbours are pulled."""
    k = rbf(bandwidth=BAND)(np.reshape(p, (-1, 1)))
    return k / k.sum(axis=1, keepdims=True) @ bets


def best_bets(p, r):
    """The bets that earn most: the signs of the misses."""
    return np.sign(p - r)


def how_far(payoff, best, bets):
    """The finding of the game; bets that are all the same are named as such."""
    if not np.any(bets):
        return f"No bet is placed. The best bets earn {best:.3f}"
    if np.ptp(bets) < EXACT:
        return f"The same bet everywhere earns {payoff:.3f}, the best six {best:.3f}"
    if payoff > best * (1 - EXACT):
        return f"You earn {payoff:.3f}: nothing better is allowed"
    if payoff < 0:
        return f"Your bets lose {-payoff:.3f}, the best earn {best:.3f}"
    return f"Your bets earn {payoff:.3f}: {payoff / best:.0%} of the best"


def place_bets():
    """Six bets of the reader, from −1 to 1, against the supremum."""
    p = np.array(SAID)
    r = p - MISSED_BY

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, grid[0], xlim=(0, 1), ylim=(-1.3, 1.3), xlabel="probability said", ylabel="bet")
        axes.set_xticks(SAID, [f"{each:g}" for each in SAID])
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0, 1], [0, 0])
        region(axes, 0.99, 1.22, "“p is too high”", ha="right")
        region(axes, 0.99, -1.22, "“p is too low”", ha="right")
        stems = misses(axes, colors=GREY, lw=1.6)
        (best,) = axes.plot([], [], "_", color=INK, ms=26, mew=3, zorder=9)
        side = panel(fig, grid[1], xlim=(-0.11, 0.16), ylim=(1.6, -0.6), xlabel="mean payoff")
        side.set_xticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        side.set_yticks([0, 1], ["you", "best"])
        side.tick_params(axis="y", length=0)
        side.spines["left"].set_visible(False)
        reference(side, [0, 0], [-0.5, 1.5])
        bars = list(
            side.barh([0, 1], [0, 0], height=0.45, color=[KEPT, "none"], edgecolor=["none", INK], lw=1.6, zorder=3)
        )
        numbers = [number(side, offset=(6, 0), colour=INK) for _ in range(2)]
        return {"stems": stems, "best": best, "dots": choice(axes), "bars": bars, "numbers": numbers}

    def update(artists, bet_1=START, bet_2=START, bet_3=START, bet_4=START, bet_5=START, bet_6=START,
               smooth=False, show_the_best=False):  # fmt: skip
        pulled, found = np.array([bet_1, bet_2, bet_3, bet_4, bet_5, bet_6]), best_bets(p, r)
        bets = smoothed(pulled, p) if smooth else pulled
        payoff, best = earned(bets, p, r)
        payoff = payoff if abs(payoff) > EXACT else 0.0  # rounding has no sign
        artists["stems"].set_segments([[(x, 0), (x, b)] for x, b in zip(p, bets, strict=True)])
        artists["dots"].set_data(p, bets)
        artists["best"].set_data(p if show_the_best else [], found if show_the_best else [])
        for y, (bar, each, x) in enumerate(zip(artists["bars"], artists["numbers"], (payoff, best), strict=True)):
            bar.set_width(x)
            each.xy = (max(x, 0), y)
            each.set_text(f"{x:.3f}".replace("-", "−"))
        artists["bars"][0].set_facecolor(MISS if payoff < 0 else KEPT)
        listed = ", ".join(f"{each:+.1f}" for each in bets).replace("-", "−")
        return Finding(
            how_far(payoff, best, bets),
            "yellow: your bets where the model says .1, .25, … .9"
            + (", neighbours in tow" if smooth else "")
            + ("; dashes: the best" if show_the_best else ""),
            f"Your bets: {listed}.",
        )

    return explore(
        setup, update, size=(9, 4.2), code=(earned, smoothed, best_bets),
        **{f"bet_{a + 1}": (-1.0, 1.0, 0.1) for a in range(len(SAID))}, smooth=False, show_the_best=False,
        labels={f"bet_{a + 1}": f"bet where it says {x:g}" for a, x in enumerate(SAID)} | {"smooth": "neighbours follow"},
        hand=Hand("place_bets", __file__, lambda: {
            "said": p.tolist(), "happens": r.tolist(), "weights": smoothed(np.eye(len(p)), p).tolist(),
        }),
    )  # fmt: skip
