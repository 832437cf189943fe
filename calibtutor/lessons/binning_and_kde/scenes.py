"""Scenes of notebook 02, first half: what bins do to a calibration error."""

from functools import lru_cache
from itertools import product, zip_longest

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb, to_rgba
from matplotlib.patches import Polygon

from ...binning import brier_score
from ...data.datasets import digits_cast
from ...data.worlds import wave_world
from ...kde import BANDWIDTHS
from ...plots import (
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SMALL,
    SOFT,
    Finding,
    Ghost,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...predictions import top_label
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.surfaces import two_surfaces
from ..shared.triangle import Simplex, to_plane
from ..shared.verdicts import capital, written
from .games import draw_again, hide_the_model, your_kernel, your_null
from .histograms import Histogram, NullHistogram
from .simulations import (
    BIN_NUMBERS,
    HEIGHTS,
    SIZES,
    beta_kernel,
    bin_by_bin,
    calibrated_scores,
    dirichlet_kernel,
    ece_by_bins,
    error_beside_chance,
    errors_of_perfect_model,
    found_by_bins,
    in_bins,
    kernel_density,
    kernel_estimate,
    likeliest,
    mean_log_likelihoods,
    noisy_digits,
    rmse_table,
    running_hits,
    scores_of,
    true_and_binned_error,
)
from .stairs import stairs_or_bins

__all__ = [
    "aliasing",
    "choose_bandwidth",
    "draw_again",
    "ece_against_bins",
    "flat_to_brier",
    "hide_the_model",
    "kernel_at_the_wall",
    "kernel_on_triangle",
    "one_number_decides_nothing",
    "perfect_but_positive",
    "rmse_map",
    "stairs_or_bins",
    "three_binnings",
    "two_surfaces",
    "your_kernel",
    "your_null",
]


def of(number_of, thing):
    """“1 bin”, “1,079 digits”."""
    return f"{number_of:,} {thing}{'' if number_of == 1 else 's'}"


def ten_to(h):
    """A bandwidth in plain digits, or below .001 as a power of ten."""
    if 1e-3 <= h < 1e4:
        return f"{float(f'{h:.2g}'):g}"
    factor, power = f"{h:.1e}".split("e")
    factor = "" if factor == "1.0" else f"{float(factor):g}·"
    return factor + "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def does_the_ruler_decide(errors):
    """Whether the largest of some estimates of one error is at least twice the smallest."""
    return max(errors) >= 2 * min(errors)


def ece_against_bins():
    """The ECE of one model on one data set as a function of the number of bins."""
    cast = digits_cast()
    n_bins = np.arange(1, 61)

    def setup(fig):
        axes = panel(fig, xlim=(0, 78), ylim=(0.00012, 0.6), yscale="log", xlabel="number of bins", xticks=[1, 20, 40, 60],
                     ylabel="ECE (log scale)")  # fmt: skip
        axes.set_yticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
        axes.minorticks_off()
        axes.spines["bottom"].set_bounds(1, 60)
        ends = dict.fromkeys(cast)
        for name in cast:
            each, _ = ece_by_bins(name, "uniform"), ece_by_bins(name, "quantile")  # both now, so that no click waits
            axes.plot(n_bins, each, color=MODELS[name][0], lw=1, alpha=0.5)
            ends[name] = each[-1]
        last = 1
        for name in sorted(ends, key=ends.get, reverse=True):  # in its line's height, at least a line of text apart
            last = min(ends[name], last / 1.5)
            words(axes, 61.5, last, name, colour=MODELS[name][2], ha="left")
        line = estimate(axes, line=True, lw=2.8)
        return {"line": line, "ghost": Ghost(line), "ends": estimate(axes, ms=8), "dot": choice(axes),
                "names": [number(axes, ha="center", offset=(0, 16 * s)) for s in (-1, 1)],
                "here": number(axes, offset=(0, -20), ha="center")}  # fmt: skip

    def update(artists, model="neural network", strategy="uniform", bins=15):
        each = ece_by_bins(model, strategy)
        colour, _, text = MODELS[model]
        artists["line"].set_data(n_bins, each)
        artists["line"].set_color(colour)
        decides, here = does_the_ruler_decide(each), each[bins - 1]
        ends = [int(np.argmin(each)), int(np.argmax(each))] if decides else []
        artists["ends"].set_data(n_bins[ends], [each[m] for m in ends])
        artists["ends"].set(color=colour, mec="white")
        artists["dot"].set_data([bins], [here])
        artists["here"].xy = (np.clip(bins, 5, 57), here)
        artists["here"].set(text=f"{here:.4f}", position=(0, 20 if here > 0.13 else -20))  # away from other models
        for name, m in zip_longest(artists["names"], ends):
            covered = not decides or abs(m + 1 - bins) < 8 and here < 2.5 * each[m]
            name.xy = (0, 1) if covered else (np.clip(m + 1, 5, 57), each[m])
            name.set(text="" if covered else f"{each[m]:.4f}", color=text)
        return Finding(
            f"{capital(model)}: ECE {min(each):.4f} or {max(each):.4f}, as you choose the bins"
            if decides
            else f"{capital(model)}: ECE near {np.median(each):.3f}, whatever the bins",
            f"{len(cast[model].y_true):,} digits; {strategy} bins: {bins}, ECE {here:.4f}; thin: all models, uniform bins",
            "The predictions never change.",
        )

    return explore(
        setup, update, size=(9, 4.6), code=ece_by_bins, model=list(cast), strategy=["uniform", "quantile"], bins=(1, 60, 1)
    )  # fmt: skip


def share_seen(seen, true):
    """How much of an error is seen, in words."""
    return "none" if seen < 0.005 * true else "all" if seen > 0.995 * true else f"{seen / true:.0%}"


def aliasing():
    """A wavy truth and the bins that look at it: equal widths hide what averages to zero inside them."""
    grid = np.linspace(0, 1, 1001)

    def setup(fig):
        axes = panel(fig, xlim=(0, 1.27), ylim=(-0.052, 0.058), xlabel="prediction p", ylabel="miss: said − happened",
                     xticks=[0, 0.5, 1])  # fmt: skip
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_yticks([-0.04, 0, 0.04], ["−0.04", "0", "0.04"])
        axes.spines["bottom"].set_bounds(0, 1)
        reference(axes, [0, 1], [0, 0])
        region(axes, 0.012, 0.051, "says too much", ha="left")
        region(axes, 0.012, -0.048, "says too little", ha="left")
        words(axes, 1, 0.051, "black: the true miss", ha="right")
        words(axes, 1, -0.048, "red: what the bins see", colour=MISS, ha="right")
        bars = PolyCollection([], facecolor=to_rgba(MISS, 0.6), edgecolor=MISS, lw=1.6, zorder=2.5)  # seen at 0
        axes.add_collection(bars)
        edges = LineCollection([], colors=GREY, lw=0.8, zorder=0.5)
        axes.add_collection(edges)
        share = words(axes, 1.15, 0.014, "", bold=True, size=30, colour=MISS)
        return {"bars": bars, "edges": edges, "wave": truth(axes, grid, 0 * grid), "share": share,
                "seen": words(axes, 1.15, -0.006, "", colour=SOFT, va="center")}  # fmt: skip

    def update(artists, waves=10, bins=10):
        artists["wave"].set_ydata(grid - wave_world(waves).curve(grid))
        true, seen, miss = true_and_binned_error(waves, bins)
        sides = np.arange(bins + 1) / bins
        artists["bars"].set_verts(bars_between(sides, 0 * miss, miss))
        artists["edges"].set_segments([[(x, -0.041), (x, 0.041)] for x in sides])
        artists["share"].set_text(f"{seen / true:.0%}")
        artists["seen"].set_text(f"of the error\nis seen by\n{of(bins, 'bin')}")
        return Finding(
            f"{of(bins, 'bin')} see{'s' * (bins == 1)} {share_seen(seen, true)} of the true error, {true:.4f}",
            f"{of(waves, 'wave')}, infinitely many data; {of(bins, 'equal bin')}: binned error {seen:.4f}",
        )

    return explore(setup, update, size=(9, 4.2), code=true_and_binned_error, waves=(1, 15, 1), bins=(1, 40, 1))


def perfect_but_positive():
    """ECE of a perfectly calibrated model over many data sets, with the formula for its mean."""

    def setup(fig):
        for n in SIZES[1:]:  # the errors of fewer need twice the axis
            running_hits(n, 0.0)  # draws the labels now, so that no slider step waits for them
        histogram = Histogram(panel(fig), np.linspace(0, 0.32, 97), xlabel="calibration error of one data set (ECE)")
        return {"histogram": histogram, "ghost": Ghost(histogram.outline)}

    def update(artists, n=500, bins=15):
        errors, predicted = errors_of_perfect_model(n, bins)
        mean, least = errors.mean(), errors.min()
        artists["histogram"].update(errors, 0.0, mean)
        return Finding(
            f"Nothing is wrong, and the ECE is {mean:.3f} on average"
            + (f", never below {least:.3f}" if least >= 0.0005 else ""),
            f"{len(errors)} data sets of a perfectly calibrated model; n = {n:,}, {of(bins, 'bin')}; mean by formula {predicted:.4f}",
        )

    return explore(
        setup, update, size=(9, 4), code=(running_hits, in_bins, errors_of_perfect_model),
        n=SIZES[1:], bins=(1, 50, 1),
    )  # fmt: skip


def best_bins(best):
    """What the best numbers of bins, from few data to many, do: in words."""
    first, last = best[0], best[-1]
    if min(best) == max(best):
        return f"The best number of bins is {first}, however many the data"
    how = "grows" if last > first else "falls" if last < first else "stays near"
    return f"The best number of bins {how} " + (
        f"{first}" if first == last else f"from {first} to {last} with the data"
    )


def rmse_map():
    """Distance of the estimate from the truth, for every number of bins and data."""
    rows, columns, column = len(BIN_NUMBERS), len(SIZES), SIZES.index(500)

    def setup(fig):
        for height, debiased in product(HEIGHTS, (False, True)):
            rmse_table(height, debiased)  # seconds in all, once, so that no slider step waits
        grid = fig.add_gridspec(1, 2, width_ratios=[2.1, 1])
        axes = panel(fig, grid[0])
        shades = LinearSegmentedColormap.from_list("error", ["white", MISS]).with_extremes(bad="#EEEEEE")
        image = Heatmap(axes, (rows, columns), x=(-0.5, columns - 0.5), y=(-0.5, rows - 0.5), vmax=0.15, cmap=shades)
        axes.set_xticks(range(columns), [f"{n:,}" for n in SIZES])
        axes.set_yticks(range(rows), BIN_NUMBERS)
        axes.set(xlabel="number of data n", ylabel="number of bins")
        axes.spines[:].set_visible(False)
        bar = fig.colorbar(image, ax=axes, aspect=40, pad=0.01, ticks=[0, 0.05, 0.1, 0.15])
        bar.ax.set_yticklabels(["0", "0.05", "0.1", "0.15"], color=SOFT)
        bar.ax.set_title("RMSE", color=SOFT, pad=12)
        bar.outline.set_visible(False)
        x, y = [column - 0.5, column + 0.5], [-0.5, rows - 0.5]
        (frame,) = axes.plot(np.take(x, [0, 1, 1, 0, 0]), np.take(y, [0, 0, 1, 1, 0]), color=INK, lw=1.6, zorder=5)
        best = estimate(axes, ms=11, zorder=6)
        side = panel(fig, grid[1], read_y=False, xlim=(-0.18, 0.23), ylim=(-0.5, rows - 0.5),
                     xlabel="mean estimate − truth")  # fmt: skip
        side.set_title(f"bias at n = {SIZES[column]}", color=SOFT)
        side.set_xticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        reference(side, [0, 0], [-0.5, rows - 0.5])
        few = words(axes, 0, rows - 1.5, "under 2\na bin", colour=SOFT, size=SMALL)
        return {"image": image, "few": few, "frame": frame, "best": best, "stems": misses(side, lw=9),
                "numbers": [number(side, colour=MISS, size=SMALL) for _ in BIN_NUMBERS]}  # fmt: skip

    def update(artists, wave_height=0.1, debiased=False):
        rmse, bias, true = rmse_table(wave_height, debiased)
        negative = np.mean([found_by_bins(SIZES[column], bins, wave_height, debiased) < 0 for bins in BIN_NUMBERS])
        artists["image"].set_data(rmse)
        where = np.nanargmin(rmse, axis=0)
        artists["best"].set_data(range(columns), where)
        artists["stems"].set_segments([[(0, row), (value, row)] for row, value in enumerate(bias[:, column])])
        for row, (each, value) in enumerate(zip(artists["numbers"], bias[:, column], strict=True)):
            side = 1 if value >= 0 else -1
            each.xy = (value, row)
            each.set(text=written(value), position=(6 * side, 0), ha="left" if side > 0 else "right")
        steps = zip(SIZES[1:], where[:-1], where[1:], strict=True)
        between = [f"{BIN_NUMBERS[row]} from n = {n:,} on" for n, last, row in steps if last != row != where[-1]]
        more = (
            f"{negative:.0%} of the debiased squares at n = {SIZES[column]} are negative (all numbers of bins together)."
            if debiased
            else ""
        )
        return Finding(
            best_bins([BIN_NUMBERS[row] for row in where]),
            f"waves of height {wave_height:g}, true error {true:.3f} (norm 2), {'' if debiased else 'not '}debiased; blue: best "
            "number of bins",
            " ".join(filter(None, [f"In between: {', '.join(between)}." if between else "", more])),
        )

    return explore(
        setup, update, size=(9, 4.8), code=(found_by_bins, rmse_table), wave_height=HEIGHTS, debiased=False,
        labels={"wave_height": "height of the waves"},
    )  # fmt: skip


def bins_in_words(strategy, asked, full):
    """“15 uniform bins, 10 hold data”; the sweep is not asked for a number."""
    all_full = full == asked or strategy == "sweep"
    return (
        of(full, f"{strategy} bin")
        if all_full
        else f"{of(asked, f'{strategy} bin')}, {full} {'holds' if full == 1 else 'hold'} data"
    )


def swallowed(count):
    """Where the predictions are, in words: in one bin, if it holds more than half of them."""
    most, digits = max(count), of(sum(count), "digit")
    return (
        f"One bin swallows {most:,} of {digits}"
        if 2 * most > sum(count)
        else f"No bin holds more than {most:,} of {digits}"
    )


def three_binnings():
    """Equal width, equal mass and monotone sweep on confidences that pile up at 1, every bin as wide as it is full."""
    cast = digits_cast()

    def setup(fig):
        axes = panel(fig, xlim=(0, 1), ylim=(0, 1.06), ylabel="how often it is right",
                     xlabel="predictions from least to most confident; a bin is as wide as it is full")  # fmt: skip
        axes.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        bars = PolyCollection([], edgecolor="white", lw=1, zorder=1)
        axes.add_collection(bars)
        band, miss = chance(axes, zorder=1.5), PolyCollection([], facecolor=MISS, lw=0, zorder=2)
        axes.add_collection(miss)
        says, right = misses(axes, colors=INK, lw=2.4, zorder=4), misses(axes, lw=2.4, zorder=3)
        return {"bars": bars, "band": band, "miss": miss, "says": says, "right": right,
                "held": words(axes, 0, 0.42, "", bold=True, size=30),
                "gap": words(axes, 0, 0.27, "")}  # fmt: skip

    def update(artists, model="neural network", strategy="uniform", bins=15):
        curve, low, high, error = bin_by_bin(model, strategy, bins)
        full = curve.count > 0
        count, said, right, gap = curve.count[full], curve.confidence[full], curve.frequency[full], curve.gap[full]
        edges = np.concatenate([[0], np.cumsum(count) / count.sum()])
        artists["bars"].set_verts(bars_between(edges, 0 * right, right))
        fullest, colour = int(count.argmax()), MODELS[model][0]
        artists["bars"].set_facecolor([to_rgba(colour, 0.4 if each == fullest else 0.2) for each in range(len(count))])
        artists["band"].set_verts(bars_between(edges, low[full], high[full]))
        artists["miss"].set_verts(bars_between(edges, said, right))
        for name, level in (("says", said), ("right", right)):
            artists[name].set_segments([[(a, y), (b, y)] for a, b, y in zip(edges[:-1], edges[1:], level, strict=True)])
        artists["right"].set_color(colour)
        (a, b), x, ha = edges[fullest : fullest + 2], edges[fullest : fullest + 2].mean(), "center"
        if b - a < 0.35:  # too narrow for words, which stand beside it
            x, ha = (b + 0.01, "left") if a < 0.5 else (a - 0.01, "right")
        artists["held"].set(text=of(count[fullest], "digit"), x=x, ha=ha)
        side = "too much" if gap[fullest] > 0 else "too little"
        artists["gap"].set(text=f"in the fullest bin; it says {written(abs(gap[fullest]))} {side}", x=x, ha=ha)
        return Finding(
            swallowed(count),
            f"{model}, {bins_in_words(strategy, bins, full.sum())}; black: how sure; red: miss (ECE {error:.4f}); grey: chance",
            "Grey: holds about 90 % of frequencies or more, bin by bin, if the model is calibrated.",
        )

    return explore(
        setup, update, size=(9, 4.6), code=bin_by_bin, model=list(cast), strategy=["uniform", "quantile", "sweep"],
        bins=(2, 40, 1),
    )  # fmt: skip


def chance_explains(above, drawn, level=0.05):
    """Whether chance explains a value that `above` of `drawn` values without error reach: its p-value is over the level."""
    return (above + 1) / (drawn + 1) > level


def one_number_decides_nothing():
    """A model's ECE beside the ECEs it would get if it were calibrated."""
    cast = digits_cast()

    def setup(fig):
        histogram = NullHistogram(
            panel(fig), np.linspace(0, 0.45, 91), xlabel="calibration error of one data set (ECE)"
        )
        return {"histogram": histogram, "ghost": Ghost(histogram.outline)}

    def update(artists, model="logistic regression", n=100, bins=15):
        error, null = error_beside_chance(model, n, bins)
        above = int((null >= error).sum())
        explained = chance_explains(above, len(null))
        artists["histogram"].update(null, error, model, model, explained)
        return Finding(
            f"ECE {error:.3f} on {n:,} digits: "
            + ("chance alone can explain it" if explained else "chance rarely gives as much"),
            f"grey: {model}'s own predictions with labels redrawn from them {len(null)} times, bins: {bins}",
            f"If it were calibrated, its ECE would average {null.mean():.3f}; redrawn sets with at least this one: {above}.",
        )

    confident = [name for name in cast if top_label(cast[name].y_true, cast[name].y_prob)[1].min() < 1]
    return explore(
        setup, update, size=(9, 4.4), code=(error_beside_chance, chance_explains), model=confident,
        n=[50, 100, 200, 500, 1079], bins=(1, 40, 1),
    )  # fmt: skip


def keeps_its_mass(mass):
    """Whether a kernel's mass is 1, to half a percent."""
    return abs(mass - 1) < 0.005


def kernel_at_the_wall():
    """Beta and Dirichlet kernels as their centre and bandwidth move."""
    grid = np.linspace(0, 1, 1001)
    across, up = np.linspace(-0.16, 1.16, 80), np.linspace(-0.14, 1, 70)  # a rectangle, clipped to the triangle in it
    top = np.tile(2 / np.sqrt(3) * up[:, None], (1, len(across)))
    points = np.clip(np.stack([1 - across - top / 2, across - top / 2, top], axis=-1).reshape(-1, 3), 0, 1)
    points /= points.sum(axis=1, keepdims=True)
    shades = LinearSegmentedColormap.from_list("kernel", ["white", [1 - 0.55 * (1 - each) for each in to_rgb(KEPT)]])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        axes = panel(
            fig, columns[0], read_y=False, xlim=(-0.1, 1.1), ylim=(0, 1.5), xlabel="p, the probability of class 1"
        )
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        for wall in (0, 1):
            axes.axvline(wall, color=INK, lw=2.4, zorder=3)
        for x, text in ((-0.05, "below 0"), (1.05, "above 1")):
            axes.axvspan(x - 0.05, x + 0.05, color="#EEEEEE", lw=0, zorder=0)
            words(axes, x, 0.75, text, colour=SOFT, rotation=90)
        fill = PolyCollection([], facecolor=to_rgba(KEPT, 0.25), lw=0)
        axes.add_collection(fill)
        (swapped,) = axes.plot([], [], color=MISS, lw=2.2, zorder=3.5)
        plane = panel(fig, columns[1], read_y=False, xlim=(-0.16, 1.16), ylim=(-0.14, 1.0), aspect="equal")
        plane.set_axis_off()
        heat = Heatmap(plane, (len(up), len(across)), x=across[[0, -1]], y=up[[0, -1]], cmap=shades, enlarge="bicubic")
        heat.set_clip_path(Polygon(to_plane(np.eye(3)), transform=plane.transData))
        outline = plane.plot(*to_plane(np.eye(3)[[0, 1, 2, 0]]).T, color=INK, lw=1.6, zorder=2)
        path = reference(plane, *to_plane(np.array([[0.7, 0, 0.3], [0, 1, 0]])).T)
        for (x, y), name, down in zip(to_plane(np.eye(3)), ("class 0", "class 1", "class 2"), (1, 1, 0), strict=True):
            words(plane, x, y + (-0.04 if down else 0.04), name, va="top" if down else "bottom")
        return {"fill": fill, "ghost": Ghost(fill), "density": estimate(axes, line=True), "swapped": swapped,
                "heat": heat, "outline": outline, "path": path, "dots": [choice(axes), choice(plane)],
                "names": [number(axes, colour=colour, ha="center", va="center", offset=(0, 0)) for colour in (KEPT, MISS)],
                "centre": number(plane, offset=(14, 0))}  # fmt: skip

    def update(artists, centre=0.1, bandwidth=0.1):
        forward, backward, mass = beta_kernel(centre, bandwidth, grid)
        top = forward.max()
        artists["fill"].set_verts([[(0, 0), *zip(grid, forward / top, strict=True), (1, 0)]])
        artists["density"].set_data(grid, forward / top)
        artists["swapped"].set_data(grid[1:-1], np.minimum(backward[1:-1] / top, 2))
        x = 0.63 if centre <= 0.5 else 0.37
        for each, y, text in zip(
            artists["names"], (1.38, 1.24), ("k(p; centre): mass 1", f"k(centre; p): mass {mass:.3f}"), strict=True
        ):
            each.xy = (x, y)
            each.set_text(text)
        middle = np.array([[0.7 * (1 - centre), centre, 0.3 * (1 - centre)]])
        artists["heat"].set_data(dirichlet_kernel(middle, bandwidth, points).reshape(len(up), len(across)))
        artists["dots"][0].set_data([centre], [0])
        artists["dots"][1].set_data(*to_plane(middle).T)
        artists["centre"].xy = to_plane(middle)[0]
        side = 1 if centre <= 0.5 else -1
        artists["centre"].set(text=f"p₁ = {centre:.2f}", position=(14 * side, 12), ha="left" if side > 0 else "right")
        return Finding(
            "Mass between the walls: 1; with p and centre swapped, "
            + ("1 as well" if keeps_its_mass(mass) else f"{mass:.3f}"),
            f"left: Beta kernel and, red, its arguments swapped; right: Dirichlet; centre {centre:.2f}, bandwidth γ = {bandwidth:g}",
            "The kernel's top is at its centre.",
        )

    return explore(
        setup, update, size=(9, 4.4), centre=(0.0, 1.0, 0.05), bandwidth=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
        labels={"bandwidth": "bandwidth γ"}, code=(beta_kernel, dirichlet_kernel),
    )  # fmt: skip


POWERS = np.round(np.arange(-7, 3.01, 0.25), 2)  # of the bandwidth, on a grid that sliders step through


def bandwidth_axis(fig, spec, powers, top, ylabel):
    """Axes for an error against the bandwidth, at most five powers of ten named."""
    axes = panel(fig, spec, xscale="log", xlim=(10 ** (powers[0] - 0.2), 10 ** (powers[-1] + 0.2)), ylim=(-0.1 * top, top),
                 xlabel="bandwidth γ", ylabel=ylabel)  # fmt: skip
    axes.set_xticks(ticks := 10.0 ** np.arange(np.ceil(powers[0] / 2) * 2, powers[-1] + 0.1, 2.0), map(ten_to, ticks))
    axes.minorticks_off()
    return axes


def number_over_curve(each, x, values, step, digits=4, avoid=np.inf):
    """Write a curve's value over the side of its mark where the curve lies lower; below, if it would meet a line."""
    slope = values[min(step + 1, len(values) - 1)] - values[max(step - 1, 0)]
    side = 1 if step < 4 else -1 if step > len(values) - 5 else 0 if abs(slope) < 0.01 else -np.sign(slope)
    up = -1 if side and 5 <= step <= len(values) - 6 and abs(values[step] - avoid) < 0.05 else 1
    each.xy = x, values[step]
    each.set(text=written(values[step], digits), position=(14 * side * up, 14 * up if side else 22),
             ha={1: "left", 0: "center", -1: "right"}[side * up])  # fmt: skip


def what_is_left(error, brier, spread, narrow):
    """What a kernel estimate has come to: nothing local, single labels, or neither, in words.

    It is flat if its values spread (from lowest to highest) by less than .15, and made of labels if it reports at
    least three quarters of the Brier score at a bandwidth that is narrow: below the one where it reports least.
    """
    if spread < 0.15:
        return "Too flat: nearly the same frequency everywhere"
    return "Too narrow: single labels are left" if narrow and error >= 0.75 * brier else ""


def flat_to_brier():
    """KDE calibration error of a perfect model against the bandwidth, with and without leave-one-out."""
    y, p = calibrated_scores()
    brier = brier_score(y, p)

    @lru_cache
    def estimates(leave_one_out):
        """Frequencies and error at each bandwidth."""
        each = [kernel_estimate(y, p, bandwidth, leave_one_out) for bandwidth in 10.0**POWERS]
        return [frequency for frequency, _ in each], np.array([error for _, error in each])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        axes = bandwidth_axis(fig, columns[0], POWERS, 0.3, "estimated squared error")
        axes.set_yticks([0, 0.1, 0.2, 0.3], ["0", "0.1", "0.2", "0.3"])
        reference(axes, axes.get_xlim(), [brier, brier])
        words(
            axes,
            10.0 ** POWERS[-1],
            brier + 0.004,
            f"Brier score {brier:.3f}",
            colour=SOFT,
            ha="right",
            va="bottom",
            size=SMALL,
        )
        truth(axes, axes.get_xlim(), [0, 0])
        words(axes, 10.0 ** POWERS[-1], -0.006, "truth: 0", ha="right", va="top", bold=True)
        line = estimate(axes, line=True)
        other = estimate(axes, line=True, color=GREY, lw=1.2, zorder=2.5)
        side = panel(fig, columns[1], xlim=(-0.02, 1.02), ylim=(-0.04, 1.04), xlabel="prediction p",
                     ylabel="estimated frequency")  # fmt: skip
        side.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        side.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        truth(side, [0, 1], [0, 1])
        return {"line": line, "other": other, "stem": misses(axes, zorder=4.5), "dot": choice(axes),
                "number": number(axes, colour=MISS), "curve": estimate(side, ms=5, mew=0)}  # fmt: skip

    def update(artists, log10_bandwidth=-5.0, leave_one_out=True):
        h = 10.0**log10_bandwidth
        step = int(np.argmin(np.abs(POWERS - log10_bandwidth)))
        frequencies, errors = estimates(leave_one_out)
        value, each = errors[step], frequencies[step]
        artists["line"].set_data(10.0**POWERS, errors)
        artists["other"].set_data(10.0**POWERS, estimates(not leave_one_out)[1])
        artists["stem"].set_segments([[(h, 0), (h, value)]])
        artists["dot"].set_data([h], [value])
        number_over_curve(artists["number"], h, errors, step)
        artists["curve"].set_data(p, each)
        ways = ["with each point in its own estimate", "leave-one-out"]
        way, other = ways[leave_one_out], ways[not leave_one_out]
        left_over = what_is_left(value, brier, np.ptp(each), step < np.argmin(errors))
        return Finding(
            f"{left_over}, error {value:.4f}, truth 0"
            if left_over
            else f"Truth 0, and the estimated error is {value:.4f}",
            f"{len(y)} scores of a calibrated model, {way}; γ = {ten_to(h)}; thin: {other}",
        )

    return explore(
        setup, update, size=(9, 4.4), log10_bandwidth=_steps(POWERS), leave_one_out=True,
        labels={"log10_bandwidth": "bandwidth γ", "leave_one_out": "leave one out"},
        code=(calibrated_scores, kernel_estimate),
    )  # fmt: skip


def _steps(powers):
    """Bandwidths as a slider's (text, power of ten)."""
    return [(ten_to(10.0**each), float(each)) for each in powers]


def kernel_on_triangle():
    """Real predictions on the triangle: arrows to the kernel estimate, and its error against the bandwidth."""
    models = ["random forest", "logistic regression", "naive Bayes"]
    powers = POWERS[(POWERS >= -5) & (POWERS <= 2)]
    data = {model: noisy_digits(model) for model in models}

    @lru_cache
    def estimates(model, leave_one_out):
        """Frequencies and error at each bandwidth."""
        each = [kernel_estimate(*data[model], bandwidth, leave_one_out) for bandwidth in 10.0**powers]
        return [frequency for frequency, _ in each], [error for _, error in each]

    def setup(fig):
        for model in models:
            estimates(model, True), estimates(model, False)  # once, so that no slider step waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        triangle = Simplex(
            fig.add_subplot(columns[0]),
            ("no hole", "one hole", "two holes"),
            arrow_width=0.006,
        )
        axes = bandwidth_axis(fig, columns[1], powers, 0.5, "estimated squared error")
        axes.set_yticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        curve = estimate(axes, line=True)
        return {"triangle": triangle, "curve": curve, "ghost": Ghost(curve), "brier": reference(axes),
                "name": words(axes, 0.1, 0, "", colour=SOFT, va="bottom", size=SMALL),
                "dot": choice(axes), "number": number(axes)}  # fmt: skip

    def update(artists, model="random forest", log10_bandwidth=-1.5, leave_one_out=True):
        y, p = data[model]
        step = int(np.argmin(np.abs(powers - log10_bandwidth)))
        frequencies, each = estimates(model, leave_one_out)
        ratio, brier = frequencies[step], brier_score(y, p)
        artists["triangle"].update(p[:50], ratio[:50], size=14)
        artists["triangle"].points.set_color(MODELS[model][0])
        artists["curve"].set_data(10.0**powers, each)
        artists["curve"].set_color(MODELS[model][0])
        artists["brier"].set_data([10.0 ** powers[0], 10.0 ** powers[-1]], [brier, brier])
        artists["name"].set(text=f"Brier score {brier:.3f}", y=brier + 0.006)
        artists["dot"].set_data([10.0**log10_bandwidth], [each[step]])
        number_over_curve(artists["number"], 10.0**log10_bandwidth, each, step, 3, brier)
        left_over = what_is_left(each[step], brier, np.ptp(ratio, axis=0).max(), step < np.argmin(each))
        way = "leave one out" if leave_one_out else "with itself"
        arrows = len(artists["triangle"].points.get_offsets())
        return Finding(
            f"{left_over}, error {each[step]:.3f}"
            if left_over
            else f"This bandwidth says error {each[step]:.3f}, others up to {max(each):.3f}",
            f"{model}, {len(y)} noisy digits, γ = {ten_to(10.0**log10_bandwidth)}, {way}; arrows: {arrows} predictions → estimate",
            f"Squared canonical error, three classes; the Brier score is {brier:.3f}.",
        )

    return explore(
        setup, update, size=(9, 4.6), model=models, log10_bandwidth=_steps(powers), leave_one_out=True,
        labels={"log10_bandwidth": "bandwidth γ", "leave_one_out": "leave one out"},
        code=(noisy_digits, kernel_estimate),
    )  # fmt: skip


def is_a_comb(h, n):
    """Whether a kernel is too narrow to join n scores: its width at p = ½, √h/2, is below two of their mean distances."""
    return np.sqrt(h) / 2 < 2 / n


def choose_bandwidth():
    """The likelihood that chooses the bandwidth, as it should be and as it was released."""
    samples = {
        each: scores_of(each) for each in ("random forest", "logistic regression", "uniform scores", "Beta(5, 2)")
    }
    grid = np.linspace(0.0005, 0.9995, 3000)

    @lru_cache
    def likelihood(sample):
        return mean_log_likelihoods(samples[sample], BANDWIDTHS)

    @lru_cache(maxsize=100)
    def density(sample, bandwidth):
        return kernel_density(samples[sample], bandwidth, grid)

    def setup(fig):
        for sample in samples:
            for extra in (False, True):
                density(sample, likeliest(likelihood(sample), BANDWIDTHS, extra)[1])  # now, so that no click waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        axes = panel(fig, columns[0], read_y=False, xlim=(0, 1), ylim=(0, 5), xlabel="score")
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        bars = PolyCollection([], zorder=1)
        axes.add_collection(bars)
        line = estimate(axes, grid, 0 * grid, line=True, lw=1, clip_on=True)
        side = panel(fig, columns[1], xscale="log", xlim=(0.6e-5, 1.7), ylim=(-2.6, 0.35), xlabel="bandwidth γ",
                     ylabel="log-likelihood, less its best")  # fmt: skip
        side.set_xticks(ticks := [1e-5, 1e-3, 0.1], map(ten_to, ticks))
        side.set_yticks([-2, -1, 0], ["−2", "−1", "0"])
        side.minorticks_off()
        curve = estimate(side, ls="-", lw=1.6, ms=5, mew=0, clip_on=True)
        return {"bars": bars, "line": line, "curve": curve, "ghost": Ghost(curve), "best": estimate(side, ms=13),
                "chosen": number(side, offset=(0, 18)), "drawn": words(axes, 0.02, 4.7, "", ha="left", bold=True),
                "scores": words(axes, 0.02, 4.3, "", ha="left")}  # fmt: skip

    def update(artists, sample="random forest", published_extra_term=False):
        scores = samples[sample]
        values, h = likeliest(likelihood(sample), BANDWIDTHS, published_extra_term)
        comb = is_a_comb(h, len(scores))
        verdict, (colour, _, text) = MISS if comb else KEPT, MODELS.get(sample, (KEPT, "o", KEPT))
        artists["curve"].set_data(BANDWIDTHS, values - values.max())
        artists["best"].set_data([h], [0])
        artists["best"].set(color=verdict, mec="white")
        artists["chosen"].xy = (h, 0)
        artists["chosen"].set(text=f"γ = {ten_to(h)}", color=verdict, ha="left" if h < 0.003 else "center")
        share, edges = np.histogram(scores, 25, (0, 1), density=True)
        artists["bars"].set_verts(bars_between(edges, 0 * share, share))
        artists["bars"].set_facecolor(to_rgba(colour, 0.25))
        artists["line"].set_ydata(density(sample, h))
        artists["line"].set_color(verdict)
        artists["drawn"].set(text="the density it draws", color=verdict)
        artists["scores"].set(text=f"{len(scores):,} scores", color=text)
        rule = "with the extra −log γ of the released code" if published_extra_term else "likelihood"
        end = ", the smallest offered" if h == BANDWIDTHS.min() else ""
        return Finding(
            f"The rule chooses γ = {ten_to(h)}{end}: " + ("a comb" if comb else "a smooth density"),
            f"{sample}; rule: {rule}; right: each of {len(BANDWIDTHS)} bandwidths offered",
        )

    return explore(
        setup, update, size=(9, 4.4), sample=list(samples), published_extra_term=False,
        labels={"published_extra_term": "add −log γ, as released"}, code=(scores_of, mean_log_likelihoods, likeliest, kernel_density),
    )  # fmt: skip
