"""A small change of every score, by four errors."""

from ...plots import GREY, INK, MISS, SOFT, Finding, choice, misses, number, panel, reference, region, words
from ...smooth import smooth_calibration_error
from ...teach.explore import explore

__all__ = ["small_nudge"]


EXACT = 1e-9
OTHER = 0.6  # what the model says that it is compared with: in all cases, of which half happen
NUDGES = [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.5]
NAMES = {  # measure: its name in a headline, and at its bar
    "ece": ("the ECE", "ECE\n(any bets)"),
    "lipschitz_bets": ("Lipschitz bets", "Lipschitz bets"),
    "smece": ("smECE", "smECE"),
    "distance": ("the distance", "distance to\ncalibration"),
}


def four_errors(nudge=0.001):
    """Exact errors of a model that says ½ + nudge of what happens and ½ − nudge of what does not, half of the time each.

    A bet b earns ½ (½ − nudge) (b(½ + nudge) − b(½ − nudge)): bets between −1 and 1 may differ by 2 there, Lipschitz
    bets by 2 nudge. The distance is how far scores move on average on the shortest way to a calibrated model.
    """
    gap = 0.5 - nudge
    return {
        "ece": gap if nudge else 0.0,
        "lipschitz_bets": nudge * gap,
        "smece": smooth_calibration_error([0, 1], [0.5 - nudge, 0.5 + nudge]),
        "distance": 2 * nudge * gap,
    }


def who_wins(errors, other):
    """The finding: by which measures a constant model, whose error is `other` by each, is nearer to calibrated."""
    if max(errors.values()) < EXACT:
        return "Every error is 0: what it says is what happens"
    wins = [NAMES[name][0] for name, error in errors.items() if error > other + EXACT]
    loses = [NAMES[name][0] for name, error in errors.items() if error < other - EXACT]
    if not wins:
        return "By no measure is “always .6” the better model"
    if not loses:
        return "By every measure “always .6” is the better model"
    by = f"all but {loses[0]}" if len(loses) == 1 else f"{wins[0]} alone" if len(wins) == 1 else " and ".join(wins)
    return f"By {by}, “always .6” is the better model"


def small_nudge():
    """Scores of ½ that move a little, up where it happens: four errors, beside those of a model that always says .6."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.15])
        axes = panel(fig, grid[0], xlim=(-0.02, 1.02), ylim=(-0.06, 1.06), xlabel="probability said", ylabel="happens")
        axes.set_aspect("equal")
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        reference(axes, [0, 1], [0, 1])
        region(axes, 0.02, 0.98, "says too little", ha="left")
        region(axes, 0.98, 0.02, "says too much", ha="right")
        axes.plot([OTHER] * 2, [OTHER, 0.5], color=GREY, lw=1.4, zorder=2)
        axes.plot([OTHER], [0.5], "o", ms=10, mfc="white", mec=GREY, mew=1.6, zorder=3)
        words(axes, OTHER + 0.03, 0.47, "always .6", colour=SOFT, ha="left")
        side = panel(fig, grid[1], xlim=(0, 0.66), ylim=(3.6, -0.75), xlabel="error")
        side.set_xticks([0, 0.2, 0.4], ["0", "0.2", "0.4"])
        side.set_yticks(range(4), [name for _, name in NAMES.values()])
        side.tick_params(axis="y", length=0)
        side.spines["left"].set_visible(False)
        reference(side, [OTHER - 0.5] * 2, [-0.5, 3.6])
        words(side, OTHER - 0.5, -0.62, "always .6: 0.100 by each", colour=SOFT, ha="left")
        return {
            "stems": misses(axes),
            "dots": choice(axes),
            "bars": list(side.barh(range(4), [0] * 4, height=0.5, color=MISS, zorder=3)),
            "numbers": [number(side, offset=(6, 0), colour=MISS) for _ in NAMES],
        }

    def update(artists, nudge=0.001):
        errors = four_errors(nudge)
        said, happens = ([0.5 - nudge, 0.5 + nudge], [0, 1]) if nudge else ([0.5], [0.5])
        artists["stems"].set_segments([[(p, p), (p, r)] for p, r in zip(said, happens, strict=True)])
        artists["dots"].set_data(said, happens)
        for y, (bar, each, error) in enumerate(zip(artists["bars"], artists["numbers"], errors.values(), strict=True)):
            bar.set_width(error)
            each.xy = (max(error, OTHER - 0.5), y)  # right of the dashes
            each.set(text=f"{error:.4f}" if 0 < error < 0.001 else f"{error:.3f}", color=MISS if error > EXACT else INK)
        listed = ", ".join(f"{NAMES[name][0].removeprefix('the ')} {error:.4f}" for name, error in errors.items())
        return Finding(
            who_wins(errors, OTHER - 0.5),
            f"yellow: it says ½ + {nudge:g} of what happens and ½ − {nudge:g} of what does not, half of the time each",
            f"{listed[:1].upper()}{listed[1:]}. The other model: 0.1 by each.",
        )

    return explore(
        setup, update, size=(9, 4.4), code=four_errors, nudge=NUDGES, labels={"nudge": "each score moves by"}
    )  # fmt: skip
