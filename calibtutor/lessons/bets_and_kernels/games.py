"""Games of the lesson bets_and_kernels."""

import numpy as np

from ...kernels import rbf
from ...plots import GREY, INK, KEPT, MISS, SOFT, Finding, choice, misses, number, panel, reference, words
from ...teach.explore import explore

__all__ = ["place_bets"]



SAID = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)  # six probabilities, said equally often
MISSED_BY = (0.08, 0.12, -0.05, -0.15, -0.08, 0.08)  # r − p: kept from the player; their mean is 0
START = 0.0
ANY, SMOOTH = "any, from −1 to 1", "smooth, of length 1"
GAMMA = 0.15
EXACT = 1e-9


def earned(bets, p, r, smooth=False, bandwidth=0.15):
    """Mean payoff of bets on six probabilities p with frequencies r, the length of the bet, and the best payoff.

    Smooth bets are sums of bumps. The shortest through these six points has squared length bᵀK⁻¹b; if it is longer
    than 1 it is divided by its length.
    """
    gap = (r - p) / len(p)
    if not smooth:
        return gap @ bets, np.abs(bets).max(), np.abs(gap).sum()
    K = rbf(bandwidth=bandwidth)(p[:, None])
    length = np.sqrt(bets @ np.linalg.solve(K, bets))
    return gap @ bets / max(length, 1), length, np.sqrt(gap @ K @ gap)


def best_bets(p, r, smooth=False, bandwidth=0.15):
    """The bets that earn most: the signs of the gaps, or their bumps, at length 1."""
    if not smooth:
        return np.sign(r - p)
    bumps = rbf(bandwidth=bandwidth)(p[:, None]) @ (r - p)
    return bumps / np.sqrt((r - p) @ bumps)


def how_far(payoff, best, moved):
    """The finding of the game; until a bet is moved it names the best alone."""
    if not moved:
        return f"No bet is placed. The best bets earn {best:.3f}"
    if payoff > best * (1 - EXACT):
        return f"You earn {payoff:.3f}: nothing better is allowed"
    if payoff > best * 0.995:
        return f"You earn {payoff:.3f}: within half a percent of the best"
    if abs(payoff) < EXACT:
        return f"Your bets earn 0.000, the best earn {best:.3f}"
    if payoff < 0:
        return f"Your bets lose {-payoff:.3f}, the best earn {best:.3f}"
    return f"Your bets earn {payoff:.3f}: {payoff / best:.0%} of the best"


def place_bets():
    """Six bets of the reader against the supremum: any bets up to 1, or smooth ones of length 1."""
    p = np.array(SAID)
    r = p + MISSED_BY
    k, at = rbf(bandwidth=GAMMA), np.linspace(0, 1, 121)
    through = k(at[:, None], p[:, None]) @ np.linalg.inv(k(p[:, None]))  # the shortest sum of bumps through six points

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, grid[0], xlim=(0, 1), ylim=(-1.25, 1.25), xlabel="probability said", ylabel="bet")
        axes.set_xticks(SAID, [f"{each:g}" for each in SAID])
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0, 1], [0, 0])
        words(axes, 0.99, 1.16, "on: “it happens more often”", colour=SOFT, ha="right", style="italic")
        words(axes, 0.99, -1.16, "against: “less often”", colour=SOFT, ha="right", style="italic")
        stems = misses(axes, colors=GREY, lw=1.6)
        (best,) = axes.plot([], [], "_", color=INK, ms=26, mew=3, zorder=9)
        side = panel(fig, grid[1], xlim=(-0.1, 0.16), ylim=(1.6, -0.6), xlabel="mean payoff")
        side.set_xticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        side.set_yticks([0, 1], ["you", "best"])
        side.tick_params(axis="y", length=0)
        side.spines["left"].set_visible(False)
        reference(side, [0, 0], [-0.5, 1.5])
        bars = list(
            side.barh([0, 1], [0, 0], height=0.45, color=[KEPT, "none"], edgecolor=["none", INK], lw=1.6, zorder=3)
        )
        numbers = [number(side, offset=(6, 0), colour=INK) for _ in range(2)]
        note = words(side, 0.005, 0.5, "", colour=SOFT, ha="left")
        (curve,) = axes.plot([], [], color=KEPT, lw=1.4, zorder=3)
        return {
            "curve": curve,
            "stems": stems,
            "best": best,
            "dots": choice(axes),
            "bars": bars,
            "numbers": numbers,
            "note": note,
        }

    def update(artists, bets_allowed=ANY, bet_1=START, bet_2=START, bet_3=START, bet_4=START, bet_5=START, bet_6=START,
               show_the_best=False):  # fmt: skip
        bets, smooth = np.array([bet_1, bet_2, bet_3, bet_4, bet_5, bet_6]), bets_allowed == SMOOTH
        payoff, length, best = earned(bets, p, r, smooth, GAMMA)
        payoff = payoff if abs(payoff) > EXACT else 0.0  # rounding has no sign
        found = best_bets(p, r, smooth, GAMMA)
        placed = bets / max(length, 1) if smooth else bets
        artists["stems"].set_segments([[(x, 0), (x, b)] for x, b in zip(p, placed, strict=True)])
        artists["dots"].set_data(p, placed)
        artists["curve"].set_data(at if smooth else [], through @ placed if smooth else [])
        artists["best"].set_data(p if show_the_best else [], found if show_the_best else [])
        for bar, each, x in zip(artists["bars"], artists["numbers"], (payoff, best), strict=True):
            bar.set_width(x)
            each.xy = (max(x, 0), each.xy[1])
            each.set_text(f"{x:.3f}".replace("-", "−"))
        artists["bars"][0].set_facecolor(MISS if payoff < 0 else KEPT)
        for y, each in enumerate(artists["numbers"]):
            each.xy = (each.xy[0], y)
        cut = smooth and length > 1 + EXACT
        artists["note"].set_text(f"length {length:.2f}" + (", cut to 1" if cut else "") if smooth else "")
        listed = ", ".join(f"{each:+.1f}" for each in bets).replace("-", "−")
        return Finding(
            how_far(payoff, best, (bets != START).any()),
            f"yellow: your bets where the model says .1, .25, … .9; bets allowed: {bets_allowed}"
            + ("; dashes: the best" if show_the_best else ""),
            f"Your bets: {listed}" + (f", of length {length:.2f}" if smooth else "")
            + ("; the best: " + ", ".join(f"{each:+.2f}" for each in found).replace("-", "−") if show_the_best else "") + ".",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.2), code=(earned, best_bets), bets_allowed=[ANY, SMOOTH],
        **{f"bet_{a + 1}": (-1.0, 1.0, 0.1) for a in range(len(SAID))}, show_the_best=False,
        labels={f"bet_{a + 1}": f"bet where it says {x:g}" for a, x in enumerate(SAID)},
        kept={f"bet_{a + 1}": (-1.0, 0.0, 1.0) for a in range(len(SAID))},  # they reach 93% of the best smooth bet
    )  # fmt: skip
