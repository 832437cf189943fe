"""What bins do to an error: more or fewer of them, waves that they average away, noise that they count."""

from itertools import product, zip_longest

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgba

from ...data.datasets import digits_cast
from ...data.worlds import wave_world
from ...plots import (
    GREY,
    INK,
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
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.verdicts import capital, written
from .games import hide_the_model
from .histograms import Histogram
from .simulations import (
    BIN_NUMBERS,
    HEIGHTS,
    SIZES,
    bin_by_bin,
    ece_by_bins,
    errors_of_perfect_model,
    found_by_bins,
    in_bins,
    rmse_table,
    running_hits,
    true_and_binned_error,
)
from .stairs import stairs_or_bins

__all__ = [
    "aliasing", "ece_against_bins", "hide_the_model", "perfect_but_positive", "rmse_map", "stairs_or_bins",
    "three_binnings",
]  # fmt: skip


def of(number_of, thing):
    """“1 bin”, “1,079 digits”."""
    return f"{number_of:,} {thing}{'' if number_of == 1 else 's'}"


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
        axes = panel(fig, xlim=(0, 1.27), ylim=(-0.052, 0.058), xlabel="confidence c", ylabel="miss: said − happened",
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
        few = words(axes, 0, rows - 1.5, "under 2\nper bin", colour=SOFT, size=SMALL)
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


def where_they_are(count):
    """Where the predictions are, in words: in one bin, if it holds more than half of them."""
    most, digits = max(count), of(sum(count), "digit")
    return (
        f"One bin holds {most:,} of {digits}"
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
            where_they_are(count),
            f"{model}, {bins_in_words(strategy, bins, full.sum())}; black: how sure; red: miss (ECE {error:.4f}); grey: chance",
        )

    return explore(
        setup, update, size=(9, 4.6), code=bin_by_bin, model=list(cast), strategy=["uniform", "quantile", "sweep"],
        bins=(2, 40, 1),
    )  # fmt: skip
