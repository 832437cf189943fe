"""What moved, as all else is held still; the CKCE as λ falls."""

import numpy as np

from ...data.worlds import shifted_inputs
from ...plots import KEPT, SMALL, SOFT, Finding, Ghost, chance, choice, estimate, number, panel, reference, words
from ...reproductions import shift as paper
from ...teach.explore import explore
from . import endless
from . import simulations as sims

OTHERS = {"color": "#B4B4B4", "zorder": 2}  # curves to compare with
STILL = 0.02  # a change below this is called none
MOVERS = {
    (True, True): "Crowd and bandwidth move", (True, False): "Only the crowd moves",
    (False, True): "Only the bandwidth moves", (False, False): "Nothing moves",
}  # fmt: skip


def what_it_does(crowd_moves, bandwidth_moves, change):
    """What moves, and what the CKCE does from the ends to the middle."""
    does = "stays" if abs(change) < STILL else f"{'rises' if change > 0 else 'falls'} by {abs(change):.0%}"
    return f"{MOVERS[crowd_moves, bandwidth_moves]}: the CKCE {does}"


def what_moved():
    """The CKCE while the inputs shift, with the crowd, the bandwidth or the noise of the labels held still."""
    high, middle = 2.5, len(sims.SHIFTS) // 2
    medians = np.array([sims.median_after(abs(alpha)) for alpha in sims.SHIFTS])
    nine_of_ten = shifted_inputs(sims.SHIFTS[:, None], [0.05, 0.95])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.6, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(0, high), xlabel="shift α", xticks=[-1, 0, 1],
                     ylabel="CKCE, relative to the ends")  # fmt: skip
        left.set_yticks([0, 1, 2])
        reference(left, [-1.03, 1.03], [1, 1])
        as_published = sims.ckce_over_shift(paper.MEDIAN, sims.CROWDS[0], sims.LABELS[0])[-1]
        left.plot(sims.SHIFTS, relative_to_ends(as_published), lw=1.8, **OTHERS)
        line = estimate(left, line=True, clip_on=True)
        rows = columns[1].subgridspec(2, 1, hspace=0.05)
        top = panel(fig, rows[0], xlim=(-1.03, 1.03), ylim=(0.008, 1.1), yscale="log", xticks=[])
        top.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        top.minorticks_off()
        top.set_title("bandwidth", color=SOFT)
        top.plot(sims.SHIFTS, medians, lw=1.8, **OTHERS)
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
            text=f"{'↑ ' * bool(beyond)}{change:+.0%}".replace("-", "−"),
            ha="center",
            position=(0, 22 if 0 <= change < 1 or change < -0.6 else -22),
        )
        artists["width"].set_data(sims.SHIFTS, medians if median else np.full(len(medians), sims.RULES[bandwidth]))
        ends = nine_of_ten if moves else np.tile(nine_of_ten[middle], (len(medians), 1))
        around = np.append(sims.SHIFTS, sims.SHIFTS[::-1]), np.append(ends[:, 0], ends[::-1, 1])
        artists["inputs"].set_verts([np.column_stack(around)])
        data = f"{sims.SHIFT_SETS} sets of {sims.SHIFT_N:,}" if noise == "drawn" else "endless data without noise"
        return Finding(
            what_it_does(moves, median, change),
            f"bandwidth: {bandwidth}, λ = {penalty:g}; {data}; grey: as at the opening",
            f"The median distance of the predictions is {medians[0]:.3f} at the ends and {medians[middle]:.3f} in the middle.",
        )

    return explore(setup, update, size=(9, 4.5), bandwidth=list(sims.RULES), crowd=list(sims.CROWDS),
                   noise=list(sims.LABELS), penalty=sims.SHIFT_PENALTIES, labels={"noise": "labels", "penalty": "λ"},
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
            axes.plot(endless.PENALTIES, values, lw=1.2, **OTHERS)
            if world in ("4", "8"):
                words(axes, 5e-13, values[-1] / 1.9, f"{world} inputs", colour=SOFT, size=SMALL, ha="right")
        words(axes, 1e-9, 200, "endless inputs", colour=SOFT, size=SMALL, ha="right", in_layout=False)
        line = estimate(axes, line=True)
        return {"line": line, "ghost": Ghost(line), "here": choice(axes),
                "number": number(axes, colour=KEPT, offset=(-12, 12))}  # fmt: skip

    def update(artists, inputs="8", penalty=1e-6):
        world = endless.papers_world(None if inputs == endless.ENDLESS else int(inputs))
        spectrum = endless.directions(*world, endless.GAMMA)
        now = endless.ckce_of(*spectrum, penalty)
        artists["line"].set_data(endless.PENALTIES, [endless.ckce_of(*spectrum, each) for each in endless.PENALTIES])
        artists["here"].set_data([penalty], [now])
        artists["number"].xy = (penalty, now)
        artists["number"].set_text(_size(now))
        end = None if inputs == endless.ENDLESS else _size(endless.limit(int(inputs)))
        return Finding(
            towards_zero(inputs, _size(now), end),
            f"the paper's world, α = 0, no noise: {inputs} inputs; kernel of eq. 8, γ = {endless.GAMMA:g}; grey: the other worlds",
        )

    powers = [(f"{10.0**-power:.0e}", 10.0**-power) for power in range(1, 13)]
    return explore(setup, update, size=(9, 4.4), inputs=endless.WORLDS, penalty=powers, labels={"penalty": "λ"},
                   code=(endless.directions, endless.ckce_of))  # fmt: skip
