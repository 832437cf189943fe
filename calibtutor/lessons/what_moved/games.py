"""What moved, as all else is held still; the CKCE as λ falls; another crowd of digits."""

import numpy as np

from ...data.worlds import shifted_inputs
from ...plots import (
    GREY,
    KEPT,
    MISS,
    SMALL,
    SOFT,
    Finding,
    Ghost,
    chance,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    words,
)
from ...reproductions import shift as paper
from ...teach.explore import explore
from ..shared import ckce_on_digits as on_digits
from ..shared.ckce_plots import LAMBDAS, plain
from ..shared.verdicts import signed
from . import another_crowd, endless
from . import simulations as sims

__all__ = ["no_limit", "reweight_the_crowd", "what_moved"]

ERRORS = ("ECE", "SKCE", "CKCE")
ROOTS = ("ECE", "√SKCE", "√CKCE")
MOVING = "moves", "drawn"  # the crowd and the labels, as in the paper
STILL = 0.02  # a change below this is called none
MOVERS = {
    (True, True): "Crowd and bandwidth move", (True, False): "Only the crowd moves",
    (False, True): "Only the bandwidth moves", (False, False): "Nothing moves",
}  # fmt: skip


def signed_percent(value, digits=0):
    """+12%, −14%."""
    return f"{value:+.{digits}%}".replace("-", "−")


def what_it_does(crowd_moves, bandwidth_moves, change):
    """What moves, and what the CKCE does from the ends to the middle."""
    does = "stays" if abs(change) < STILL else f"{'rises' if change > 0 else 'falls'} by {abs(change):.0%}"
    return f"{MOVERS[crowd_moves, bandwidth_moves]}: the CKCE {does}"


def what_moved():
    """The CKCE while the inputs shift, with the crowd, the bandwidth or the noise of the labels held still."""
    low, high = 0.1, 2.0
    middle = len(sims.SHIFTS) // 2
    medians = np.array([sims.median_after(abs(alpha)) for alpha in sims.SHIFTS])
    nine_of_ten = shifted_inputs(sims.SHIFTS[:, None], [0.05, 0.95])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.6, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(low, high), xlabel="shift α", xticks=[-1, 0, 1],
                     ylabel="CKCE, relative to the ends")  # fmt: skip
        left.set_yticks([0.5, 1, 1.5, 2], ["0.5", "1", "1.5", "2"])
        reference(left, [-1.03, 1.03], [1, 1])
        left.plot(
            sims.SHIFTS,
            relative_to_ends(sims.ckce_over_shift(paper.MEDIAN, *MOVING)[-1]),
            color="#B4B4B4",
            lw=1.8,
            zorder=2,
        )
        line = estimate(left, line=True, clip_on=True)
        rows = columns[1].subgridspec(2, 1, hspace=0.05)
        top = panel(fig, rows[0], xlim=(-1.03, 1.03), ylim=(0.008, 1.1), yscale="log", xticks=[])
        top.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        top.minorticks_off()
        top.set_title("bandwidth", color=SOFT)
        top.plot(sims.SHIFTS, medians, color="#B4B4B4", lw=1.8, zorder=2)
        below = panel(fig, rows[1], xlim=(-1.03, 1.03), ylim=(-1.1, 1.1), xlabel="shift α", xticks=[-1, 0, 1])
        below.set_yticks([-1, 0, 1], ["−1", "0", "1"])
        below.set_title("where nine of ten inputs are", color=SOFT)
        return {"line": line, "ghost": Ghost(line), "disc": choice(left), "number": number(left, colour=KEPT),
                "width": estimate(top, line=True), "inputs": chance(below, facecolor=KEPT, alpha=0.35)}  # fmt: skip

    def update(artists, bandwidth=paper.MEDIAN, crowd="moves", noise="drawn", penalty=0.178):
        values = relative_to_ends(sims.ckce_over_shift(bandwidth, crowd, noise)[sims.SHIFT_PENALTIES.index(penalty)])
        change, median, moves = float(values[middle] - 1), bandwidth == paper.MEDIAN, crowd == "moves"
        artists["line"].set_data(sims.SHIFTS, values)
        beyond = values[middle] > high  # off the picture, as the arrow says
        artists["disc"].set_data([0], [np.nan if beyond else values[middle]])
        artists["number"].xy = 0, min(values[middle], high)
        artists["number"].set(
            text=f"{'↑ ' * bool(beyond)}{signed_percent(change)}",
            ha="center",
            position=(0, -14 if beyond else 22 if change >= 0 or change < -0.6 else -22),
        )
        artists["width"].set_data(sims.SHIFTS, medians if median else np.full(len(medians), sims.RULES[bandwidth]))
        ends = nine_of_ten if moves else np.tile(nine_of_ten[middle], (len(medians), 1))
        around = np.append(sims.SHIFTS, sims.SHIFTS[::-1]), np.append(ends[:, 0], ends[::-1, 1])
        artists["inputs"].set_verts([np.column_stack(around)])
        said = what_it_does(moves, median, change)
        data = f"{sims.SHIFT_SETS} sets of {sims.SHIFT_N:,}" if noise == "drawn" else "endless data without noise"
        settings = f"bandwidth: {bandwidth}, λ = {penalty:g}; {data}"
        return Finding(
            said,
            f"{settings}; grey: median, λ = {sims.SHIFT_PENALTIES[-1]:g}",
            f"The median distance of the predictions is {medians[0]:.3f} at the ends and {medians[middle]:.3f} in the middle.",
        )

    return explore(setup, update, size=(9, 4.5), bandwidth=list(sims.RULES),
                   crowd=list(sims.CROWDS), noise=list(sims.LABELS), penalty=sims.SHIFT_PENALTIES,
                   labels={"noise": "labels", "penalty": "λ"},
                   code=(sims.median_after, relative_to_ends))  # fmt: skip


def relative_to_ends(values):
    """A curve over α, divided by the mean of its values at α = ±1."""
    return values / ((values[0] + values[-1]) / 2)


def towards_zero(world, now, end):
    """Where a world's CKCE goes as λ → 0."""
    if world == endless.ENDLESS:
        return f"Endless inputs: {now} here, and it never stops growing"
    return f"{world} inputs: {now} here, {end} in the limit"


def _size(value):
    """Three digits, or a power of ten."""
    if value < 1e5:
        return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    power = int(np.floor(np.log10(value)))
    return f"{value / 10**power:.0f}e{power}"


def no_limit():
    """CKCE of the paper's true curve as λ falls, without any noise: worlds of a few inputs level off, endless ones do not."""

    def setup(fig):
        axes = panel(fig, xscale="log", yscale="log", xlim=(1.6, 1e-13), ylim=(0.004, 3e4), xlabel="λ, falling to the right",
                     ylabel="CKCE of the true miss")  # fmt: skip
        axes.set_xticks([1, 1e-4, 1e-8, 1e-12], ["1", "10⁻⁴", "10⁻⁸", "10⁻¹²"])
        axes.set_yticks([0.01, 1, 100, 1e4], ["0.01", "1", "100", "10,000"])
        axes.minorticks_off()
        for world in endless.WORLDS:
            values = [endless.ckce_of(*endless.spectrum_of(world), each) for each in endless.PENALTIES]
            axes.plot(endless.PENALTIES, values, color="#B4B4B4", lw=1.2, zorder=2)
            if world in ("4", "8"):
                words(axes, 5e-13, values[-1] / 1.9, f"{world} inputs", colour=SOFT, size=SMALL, ha="right")
        words(axes, 1e-9, 200, "endless inputs", colour=SOFT, size=SMALL, ha="right", in_layout=False)
        line = estimate(axes, line=True)
        return {
            "line": line,
            "ghost": Ghost(line),
            "here": choice(axes),
            "number": number(axes, colour=KEPT, offset=(-12, 12)),
        }

    def update(artists, inputs="8", penalty=1e-6):
        mu, energy = endless.directions(
            *endless.papers_world(None if inputs == endless.ENDLESS else int(inputs)), endless.GAMMA
        )
        values = [endless.ckce_of(mu, energy, each) for each in endless.PENALTIES]
        now = endless.ckce_of(mu, energy, penalty)
        artists["line"].set_data(endless.PENALTIES, values)
        artists["here"].set_data([penalty], [now])
        artists["number"].xy = (penalty, now)
        artists["number"].set_text(_size(now))
        end = None if inputs == endless.ENDLESS else endless.limit(int(inputs))
        how = "endless inputs" if end is None else f"{inputs} inputs"
        return Finding(
            towards_zero(inputs, _size(now), end and _size(end)),
            f"the paper's world, α = 0, no noise: {how}; kernel of eq. 8, γ = {endless.GAMMA:g}; grey: the other worlds",
            f"Here λ is {penalty:.0e}.".replace("-", "−"),
        )

    powers = [(f"{10.0**-power:.0e}", 10.0**-power) for power in range(1, 13)]
    return explore(setup, update, size=(9, 4.4), inputs=endless.WORLDS, penalty=powers, labels={"penalty": "λ"},
                   code=(endless.directions, endless.ckce_of))  # fmt: skip


def who_moved(ratios):
    """Which errors moved by more than two bootstrap standard errors of their log ratios; `ratios` is (1 + m, 3)."""
    logs = np.log(np.maximum(ratios, 1e-6))
    return np.abs(logs[0]) > np.maximum(2 * logs[1:].std(axis=0), 1e-9)


def in_words(moved):
    """Which of the three errors moved."""
    names = [name for name, yes in zip(ERRORS, moved, strict=True) if yes]
    if not names:
        return "No error is seen to move"
    return "All three errors move" if len(names) == 3 else f"{' and '.join(names)} move{'s' * (len(names) == 1)}"


def reweight_the_crowd():
    """Choose how often each group of confidences occurs, with P(Y | p) as it is: which error stays?"""

    def setup(fig):
        for model in ("logistic regression", "naive Bayes", "random forest"):
            on_digits.confidences(model)
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.3])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.6, 3.6), ylim=(0, 1.15))
        left.set_xticks(range(4), list(another_crowd.GROUPS))
        left.set_xlabel("confidence")
        left.set_title("share of the crowd", color=SOFT)
        before = chance(left, facecolor="none", edgecolor=GREY, lw=1.4, zorder=4)
        right = panel(fig, columns[1], read_y=False, xscale="log", xlim=(0.17, 6), ylim=(-0.5, 2.6),
                      xlabel="error, relative to what it was")  # fmt: skip
        right.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
        right.minorticks_off()
        reference(right, [1, 1], [-0.5, 2.5])
        rows = [{"bar": misses(right, colors="#B4B4B4", lw=7, zorder=2), "dot": estimate(right, ms=13, mec="white"),
                 "number": number(right, offset=(0, 17), ha="center")} for _ in ERRORS]  # fmt: skip
        for k, name in enumerate(ROOTS):
            words(right, 0.18, 2 - k, name, ha="left")
        return {"before": before, "bars": chance(left, facecolor=KEPT, alpha=0.8), "rows": rows,
                "shares": [words(left, k, 0, "", bold=True) for k in range(4)]}  # fmt: skip

    def update(artists, model="logistic regression", penalty=on_digits.PENALTY, below_7=5.0, from_7_to_9=2.0, from_9_to_99=1.0,
               above_99=0.2):  # fmt: skip
        hit, confidence, _ = on_digits.confidences(model)
        times = below_7, from_7_to_9, from_9_to_99, above_99
        weights = another_crowd.crowd(confidence, times)
        group = another_crowd.group_of(confidence)
        for name, w, width in (("before", np.ones(len(hit)), 0.4), ("bars", weights, 0.3)):
            share = np.bincount(group, w, 4) / w.sum()
            artists[name].set_verts(
                [[(k - width, 0), (k - width, s), (k + width, s), (k + width, 0)] for k, s in enumerate(share)]
            )
        for k, (text, each) in enumerate(zip(artists["shares"], share, strict=True)):
            text.set(text=f"{each:.0%}", position=(k, each + 0.05))
        found = another_crowd.moved(model, times, penalty).copy()
        # The dots once more, by the two functions that the reader can unfold.
        phi = on_digits.confidences(model).features.features
        before, after = on_digits.root_errors(phi, hit, confidence, np.array([np.ones(len(hit)), weights]), penalty)
        found[0] = after / before
        moved, spread = who_moved(found), np.log(np.maximum(found[1:], 1e-6)).std(axis=0)
        for k, row in enumerate(artists["rows"]):
            x = float(np.clip(found[0, k], 0.2, 5.5))
            low, high = np.clip(found[0, k] * np.exp([-2 * spread[k], 2 * spread[k]]), 0.2, 5.5)
            row["bar"].set_segments([[(low, 2 - k), (high, 2 - k)]])
            row["dot"].set_data([x], [2 - k])
            row["dot"].set_color(MISS if moved[k] else KEPT)
            row["number"].xy = (x, 2 - k)
            row["number"].set(text=f"× {found[0, k]:.2f}", color=MISS if moved[k] else KEPT)
        said = ", ".join(f"{name} × {x:.2f}" for name, x in zip(ROOTS, found[0], strict=True))
        return Finding(
            in_words(moved),
            f"{model}, P(Y | p) as it is, another crowd; root scale, λ = {plain(penalty)}; bars: ± 2 standard errors",
            f"{said} (± two standard errors: {', '.join(signed(2 * each, 2) for each in spread)} on the log scale).",
        )

    groups = dict(zip(("below_7", "from_7_to_9", "from_9_to_99", "above_99"), another_crowd.GROUPS, strict=True))
    options = [(f"× {each:g}", each) for each in another_crowd.TIMES]
    return explore(setup, update, size=(9, 4.3), model=["logistic regression", "naive Bayes", "random forest"], penalty=LAMBDAS,
                   **dict.fromkeys(groups, options), labels={"penalty": "λ"} | groups, code=(another_crowd.group_of, another_crowd.crowd, on_digits.root_errors),
                   kept={"below_7": (0.2, 1.0, 5.0), "from_7_to_9": (0.5, 1.0, 2.0), "from_9_to_99": (0.2, 1.0, 5.0), "above_99": (0.2, 1.0, 5.0)})  # fmt: skip
