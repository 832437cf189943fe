"""Three errors while the inputs shift, and what moves them; the CKCE as λ falls; digits in another light."""

import numpy as np

from ...estimates.binning import reliability_curve
from ...data.datasets import brightened_digits
from ...data.worlds import shifted_inputs
from ...plots import (CHOICE, GREY, KEPT, MISS, MODELS, NUMBER, SMALL, SOFT, Finding, bars_between, chance, estimate,
                      misses, panel, reference, region, ten_to, words)
from ...door.predictions import top_label
from ...reproductions import shift as paper
from ...teach.explore import explore
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared.ckce_on_digits import PENALTY
from ..shared.ckce_plots import PAPER
from ..shared.maps import Heatmap
from . import endless
from . import simulations as sims

__all__ = ["darker_digits", "no_limit", "shift", "what_moved"]

ROOTS = ("ECE", "√SKCE", "√CKCE")


def steadiness(low):
    """How far down ECE, √SKCE and √CKCE go over the shift, from their lowest values relative to the maxima."""
    least = "moves least" if low[2] >= max(low[:2]) else "does not move least"
    return f"The √CKCE {least}: down to {low[2]:.0%} of its maximum"


def on_the_root_scale(mean, spread):
    """Roots of mean SKCE and CKCE beside the ECE, and what a standard deviation of the square is on that scale."""
    root = np.concatenate([mean[:1], np.sqrt(mean[1:])])
    return root, np.concatenate([spread[:1], spread[1:] / (2 * root[1:])])


def spaced(places, room):
    """The same heights in the same order, a lower one moved down where it has less than this room."""
    places, order = places.copy(), np.argsort(-places)
    for upper, lower in zip(order, order[1:], strict=False):
        places[lower] = min(places[lower], places[upper] - room)
    return places


def shift():
    """The same calibration curve, other inputs: three errors on the root scale while P(X) moves (the paper's Figure 2)."""

    found, columns = {}, ["ECE", "JKCE", "CKCE"]
    for rule, bandwidth in sims.RULES.items():
        mean, error = (each[columns].to_numpy().T for each in paper.curves(bandwidth))
        found[rule] = on_the_root_scale(mean, error * np.sqrt(paper.TRIALS))

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(-0.09, 1.22), xlabel="shift α of the inputs",
                     ylabel="error, relative to its maximum", xticks=[-1, 0, 1])
        left.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        rows = columns[1].subgridspec(2, 1, height_ratios=[2, 1], hspace=0.05)
        top = panel(fig, rows[0], xlim=(0, 1), ylim=(0, 1.02), ylabel="what happens", xticks=[], y=[0, 0.5, 1])
        below = panel(fig, rows[1], read_y=False, xlim=(0, 1), ylim=(0, 1.25), xlabel="what is said", x=[0, 0.5, 1])
        top.spines["bottom"].set_visible(False)
        reference(top, [0, 1], [0, 1])
        p = np.linspace(0.0067, 0.9933, 200)
        top.fill_between(p, p, sims.calibration_curve(p), color=MISS, alpha=0.2, lw=0)
        truth(top, p, sims.calibration_curve(p))
        words(top, 0.04, 0.93, "this never changes …", ha="left")
        words(below, 0.5, 1.05, "… this does (root scale)")
        looks = ({"color": SOFT, "lw": 1.6}, {"color": SOFT, "lw": 1.6}, {"lw": 3})
        return {"bars": chance(below, facecolor=GREY),
                "band": left.fill_between(paper.ALPHAS, 0, 0, color=KEPT, alpha=0.12, lw=0),
                "lines": [estimate(left, line=True, marker="o", ms=9.5, mec="white", **look) for look in looks],
                "names": [words(left, 0, 0, "", colour=colour, bold=colour == KEPT, size=NUMBER, bbox=box)
                          for colour, box in ((SOFT, PAPER), (SOFT, PAPER), (KEPT, None))],
                "here": chance(left, facecolor=CHOICE, alpha=0.6, zorder=0.5), "disc": choice(left)}

    def update(artists, alpha=0.0, bandwidth=paper.MEDIAN):
        mean, spread = found[bandwidth]
        top = mean.max(axis=1, keepdims=True)
        relative, k = mean / top, int(np.argmin(np.abs(paper.ALPHAS - alpha)))
        shares = np.histogram(sims.predictions_after(paper.ALPHAS[k]), sims.CELLS)[0] / sims.INPUTS
        artists["bars"].set_verts(bars_between(sims.CELLS, np.zeros(30), np.sqrt(shares)))
        for line, values in zip(artists["lines"], relative, strict=True):
            line.set_data(paper.ALPHAS, values)
            line.set_markevery([int(values.argmin())])
        artists["band"].set_data(paper.ALPHAS, relative[2] - spread[2] / top[2], relative[2] + spread[2] / top[2])
        artists["here"].set_verts(bars_between([paper.ALPHAS[k] - 0.03, paper.ALPHAS[k] + 0.03], [-0.09], [1.22]))
        artists["disc"].set_data([paper.ALPHAS[k]], [relative[2, k]])
        low, (ece, joint, conditional) = relative.min(axis=1), relative[:, len(paper.ALPHAS) // 2]
        above = 1 if ece - 0.22 < conditional < ece else -1  # the name of the ECE goes where that of the CKCE is not
        places = spaced(np.array([ece + 0.09 * above, joint - 0.09, conditional - 0.13 * above]), 0.085)
        for text, name, value, y in zip(artists["names"], ROOTS, low, places, strict=True):
            text.set(position=(0, y), text=f"{name}: down to {value:.0%}")
        said = ", ".join(f"{name} {m[k]:.3f} ({s[k]:.3f})" for name, m, s in zip(ROOTS, mean, spread, strict=True))
        return Finding(steadiness(low), f"bandwidth: {bandwidth}; {paper.TRIALS} data sets; band: 1 s.d.; dots: lowest",
                       f"n = {paper.N:,}; mean at this α (standard deviation): {said}.")

    alphas = [(f"{each:.2f}".replace("-", "−"), float(each)) for each in paper.ALPHAS]
    return explore(setup, update, size=(9, 4.5), alpha=alphas, bandwidth=list(sims.RULES),
                   labels={"alpha": "shift α"}, code=(sims.predictions_after, sims.calibration_curve))


OTHERS = {"color": "#B4B4B4", "zorder": 2}  # curves to compare with
STILL = 0.02  # a change below this is called none
MOVERS = {(True, True): "Crowd and bandwidth move", (True, False): "Only the crowd moves",
          (False, True): "Only the bandwidth moves", (False, False): "Nothing moves"}


def what_it_does(crowd_moves, bandwidth_moves, change):
    """What moves, and what the CKCE does from the ends to the middle."""
    does = "stays" if abs(change) < STILL else f"{'rises' if change > 0 else 'falls'} by {abs(change):.0%}"
    return f"{MOVERS[crowd_moves, bandwidth_moves]}: the CKCE {does}"


def what_moved():
    """The CKCE while the inputs shift, with the crowd, the bandwidth or the noise of the labels held still."""
    middle = len(sims.SHIFTS) // 2
    medians = np.array([sims.median_after(abs(alpha)) for alpha in sims.SHIFTS])
    nine_of_ten = shifted_inputs(sims.SHIFTS[:, None], [0.05, 0.95])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.6, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(0, 3.3), xlabel="shift α", x=[-1, 0, 1],
                     ylabel="CKCE, relative to the ends", y=[0, 1, 2, 3])
        reference(left, [-1.03, 1.03], [1, 1])
        as_published = sims.ckce_over_shift(paper.MEDIAN, sims.CROWDS[0], sims.LABELS[0])[-1]
        left.plot(sims.SHIFTS, relative_to_ends(as_published), lw=1.8, **OTHERS)
        line = estimate(left, line=True, clip_on=True)
        rows = columns[1].subgridspec(2, 1, hspace=0.05)
        top = panel(fig, rows[0], xlim=(-1.03, 1.03), ylim=(0.008, 1.1), yscale="log", xticks=[], y=[0.01, 0.1, 1])
        top.set_title("bandwidth", color=SOFT)
        top.plot(sims.SHIFTS, medians, lw=1.8, **OTHERS)
        below = panel(fig, rows[1], xlim=(-1.03, 1.03), ylim=(-1.1, 1.1), xlabel="shift α", x=[-1, 0, 1], y=[-1, 0, 1])
        below.set_title("where nine of ten inputs are", color=SOFT)
        return {"line": line, "ghost": Ghost(line), "disc": choice(left), "number": number(left, colour=KEPT),
                "width": estimate(top, line=True), "inputs": chance(below, facecolor=KEPT, alpha=0.35)}

    def update(artists, bandwidth=paper.MEDIAN, crowd="moves", noise="drawn", penalty=0.178):
        values = relative_to_ends(sims.ckce_over_shift(bandwidth, crowd, noise)[sims.SHIFT_PENALTIES.index(penalty)])
        change, median, moves = float(values[middle] - 1), bandwidth == paper.MEDIAN, crowd == "moves"
        artists["line"].set_data(sims.SHIFTS, values)
        artists["disc"].set_data([0], [values[middle]])
        tell(artists["number"], (0, values[middle]), f"{change:+.0%}".replace("-", "−"), ha="center",
             position=(0, 22 if 0 <= change < 1 or change < -0.6 else -22))
        artists["width"].set_data(sims.SHIFTS, medians if median else np.full(len(medians), sims.RULES[bandwidth]))
        ends = nine_of_ten if moves else np.tile(nine_of_ten[middle], (len(medians), 1))
        around = np.append(sims.SHIFTS, sims.SHIFTS[::-1]), np.append(ends[:, 0], ends[::-1, 1])
        artists["inputs"].set_verts([np.column_stack(around)])
        data = f"{sims.SHIFT_SETS} sets of {sims.SHIFT_N:,}" if noise == "drawn" else "endless data without noise"
        return Finding(
            what_it_does(moves, median, change),
            f"bandwidth: {bandwidth}, λ = {penalty:g}; {data}; grey: as at the opening",
            f"The median distance of the predictions is {medians[0]:.3f} at the ends and {medians[middle]:.3f} in the middle.")

    return explore(setup, update, size=(9, 4.5), bandwidth=list(sims.RULES), crowd=list(sims.CROWDS),
                   noise=list(sims.LABELS), penalty=sims.SHIFT_PENALTIES, labels={"noise": "labels", "penalty": "λ"},
                   code=(sims.median_after, relative_to_ends))


def relative_to_ends(values):
    """A curve over α, divided by the mean of its values at α = ±1."""
    return values / ((values[0] + values[-1]) / 2)


def _size(value):
    """Three digits, or a power of ten."""
    if value >= 1e5:
        return ten_to(float(f"{value:.0e}"))
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def no_limit():
    """CKCE of the paper's true curve as λ falls, without any noise: worlds of a few inputs level off, endless ones do not."""

    def setup(fig):
        axes = panel(fig, xscale="log", yscale="log", xlim=(1.6, 1e-13), ylim=(0.004, 3e4), xlabel="λ, falling to the right",
                     ylabel="CKCE of the true miss", x=[1, 1e-4, 1e-8, 1e-12])
        axes.set_yticks([0.01, 1, 100, 1e4], ["0.01", "1", "100", "10,000"])
        axes.minorticks_off()
        for world in endless.WORLDS:
            values = [endless.ckce_of(*endless.spectrum_of(world), each) for each in endless.PENALTIES]
            axes.plot(endless.PENALTIES, values, lw=1.2, **OTHERS)
            if world in ("4", "8"):
                words(axes, 5e-13, values[-1] / 2.6, f"{world} inputs", colour=SOFT, size=SMALL, ha="right")
        words(axes, 5e-13, 110, "endless inputs", colour=SOFT, size=SMALL, ha="right", in_layout=False)
        line = estimate(axes, line=True)
        return {"line": line, "ghost": Ghost(line), "here": choice(axes),
                "number": number(axes, colour=KEPT, offset=(-12, 12))}

    def update(artists, inputs="8", penalty=1e-6):
        world = endless.papers_world(None if inputs == endless.ENDLESS else int(inputs))
        spectrum = endless.directions(*world, endless.GAMMA)
        now = endless.ckce_of(*spectrum, penalty)
        artists["line"].set_data(endless.PENALTIES, [endless.ckce_of(*spectrum, each) for each in endless.PENALTIES])
        artists["here"].set_data([penalty], [now])
        beside = {"ha": "left", "position": (12, -12)} if penalty > 0.05 else {"ha": "right", "position": (-12, 12)}
        tell(artists["number"], (penalty, now), _size(now), **beside)
        ends = inputs != endless.ENDLESS
        return Finding(
            f"{inputs} inputs: {_size(now)} here, {_size(endless.limit(int(inputs)))} in the limit" if ends
            else f"Endless inputs: {_size(now)} here, and it never stops growing",
            f"the paper's world, α = 0, no noise; λ = {ten_to(penalty)}; kernel of eq. 8, γ = {endless.GAMMA:g}; grey: the other worlds")

    powers = [(ten_to(10.0**-power), 10.0**-power) for power in range(1, 13)]
    return explore(setup, update, size=(9, 4.4), inputs=endless.WORLDS, penalty=powers, labels={"penalty": "λ"},
                   code=(endless.directions, endless.ckce_of))


def in_light(change):
    """“50% darker”, “20% lighter”, “As they were”."""
    return f"{abs(change)}% {'darker' if change < 0 else 'lighter'}" if change else "As they were"


def errors_in_light(change):
    """ECE, √SKCE and √CKCE in a light, and their standard errors, both (3,)."""
    data = sims.in_light(change)
    return sims.three_root_errors(*data, np.ones(len(data[0])), PENALTY), sims.spread_in_light(change)


def in_bins(change):
    """Mean confidence, share of right answers and number of images in ten bins, of a light."""
    each = brightened_digits(sims.MODEL, change)
    curve = reliability_curve(*top_label(each.y_true, each.y_prob), n_bins=10)
    return curve.confidence, curve.frequency, curve.count


def darker_digits():
    """Logistic regression reads the same digits in another light: what the curve, the crowd and three errors do."""
    colour = MODELS[sims.MODEL][0]
    edges = np.linspace(0, 1, 11)

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.35])
        left = columns[0].subgridspec(2, 1, height_ratios=[4, 1], hspace=0.04)
        right = columns[1].subgridspec(3, 1, height_ratios=[1, 1, 4.2], hspace=0.04)
        top = panel(fig, left[0], xlim=(0, 1), ylim=(0, 1), xticks=[], y=[0, 0.5, 1], base=False,
                    ylabel="how often it is right")
        strip = panel(fig, left[1], read_y=False, xlim=(0, 1), ylim=(0, 1.25), x=[0, 0.5, 1],
                      xlabel="how sure it says it is")
        top.set_box_aspect(1)
        strip.set_box_aspect(1 / 4.2)
        reference(top, [0, 1], [0, 1])
        region(top, 0.03, 0.93, "under-confident", ha="left")
        region(top, 0.98, 0.06, "over-confident", ha="right")
        words(strip, 0.02, 1.05, "images", colour=SOFT, size=SMALL, ha="left")
        said, happened, count = in_bins(0)
        clean = {"color": GREY, "mfc": "white", "mec": GREY, "mew": 1.4}
        estimate(top, said[count > 0], happened[count > 0], ms=8, zorder=3, **clean)
        steps = chance(strip, facecolor="none", edgecolor=GREY, lw=1.4, zorder=4)
        steps.set_verts(bars_between(edges, np.zeros(10), count / count.max()))
        for cell, name in zip(right, ("clean", "now"), strict=False):
            pictures = fig.add_subplot(cell)
            now = Heatmap(pictures, (10, 73), x=(0, 73), y=(0, 10), cmap="gray")
            now.set_data(sims.strip(0))
            pictures.set(aspect="equal", ylim=(10, 0), gid="photograph")
            pictures.set_axis_off()
            words(pictures, 0, 0.5, f"{name} ", transform=pictures.transAxes, colour=SOFT, ha="right")
        errors = panel(fig, right[2], read_y=False, xlim=(-0.075, 0.4), ylim=(-0.5, 2.75),
                       xlabel="error: clean (ring) and now; bars: ± 2 standard errors", x=[0, 0.1, 0.2, 0.3, 0.4])
        rows, (at, spread) = [], errors_in_light(0)
        for k, name in enumerate(ROOTS):
            words(errors, -0.07, 2 - k, name, ha="left", bold=True)
            ends = [(at[k] - 2 * spread[k], 2 - k), (at[k] + 2 * spread[k], 2 - k)]
            misses(errors, segments=[ends], colors="#B4B4B4", lw=6, zorder=2)
            estimate(errors, [at[k]], [2 - k], ms=9, zorder=5, **clean)
            rows.append({"way": misses(errors, colors=GREY, lw=1.2, zorder=1.5),
                         "bar": misses(errors, colors=colour, lw=6, alpha=0.35, zorder=3),
                         "dot": estimate(errors, model=sims.MODEL, ms=11, zorder=6), "number": number(errors, offset=(0, 16), ha="center")})
        return {"dots": estimate(top, model=sims.MODEL, ls="-", lw=1.6), "gaps": misses(top, lw=3),
                "bars": chance(strip, facecolor=colour, alpha=0.6), "now": now, "rows": rows}

    def update(artists, brightness=-50):
        (said, happened, count), most = in_bins(brightness), in_bins(0)[2].max()
        full = count > 0
        artists["dots"].set_data(said[full], happened[full])
        artists["gaps"].set_segments([[(a, a), (a, b)] for a, b in zip(said[full], happened[full], strict=True)])
        artists["bars"].set_verts(bars_between(edges, np.zeros(10), count / most))
        artists["now"].set_data(sims.strip(brightness))
        (old, _), (now, spread) = errors_in_light(0), errors_in_light(brightness)
        for k, row in enumerate(artists["rows"]):
            row["way"].set_segments([[(old[k], 2 - k), (now[k], 2 - k)]])
            row["bar"].set_segments([[(now[k] - 2 * spread[k], 2 - k), (now[k] + 2 * spread[k], 2 - k)]])
            row["dot"].set_data([now[k]], [2 - k])
            tell(row["number"], (now[k], 2 - k), f"{now[k]:.3f}")
        each = brightened_digits(sims.MODEL, brightness)
        hit, confidence = top_label(each.y_true, each.y_prob)
        return Finding(
            f"{in_light(brightness)}: √CKCE {now[2]:.3f}" + (f", {old[2]:.3f} in clean light" if brightness else ""),
            f"logistic regression, {len(hit):,} digits, ten classes, λ = 0.17; left: its answers; grey: clean",
            f"Mean confidence {confidence.mean():.2f}, right {hit.mean():.0%}. ECE {now[0]:.4f}, √SKCE {now[1]:.4f}.")

    return explore(setup, update, size=(9, 5.2), brightness=(-50, 50, 10), labels={"brightness": "brightness, %"},
                   code=sims.three_root_errors)
