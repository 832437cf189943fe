"""What bins do to an error: more or fewer of them, waves that they average away, noise that they count."""

from itertools import product, zip_longest

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba

from ...data.datasets import digits_cast
from ...data.worlds import wave_world
from ...plots import (
    GREY,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    Ghost,
    bars_between,
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
from ..shared.histograms import heap
from ..shared.verdicts import capital
from .games import hide_the_model
from .simulations import (
    BIN_NUMBERS,
    HEIGHTS,
    SHOWN_SIZES,
    SIZES,
    ece_by_bins,
    errors_of_perfect_model,
    found_by_bins,
    in_bins,
    rmse_of_bins,
    running_hits,
    true_and_binned_error,
)
from .stairs import stairs_or_bins

__all__ = [
    "aliasing", "best_number_of_bins", "ece_against_bins", "hide_the_model", "perfect_but_positive", "stairs_or_bins",
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
        words(axes, 1, 0.051, "waves: the true miss", ha="right")
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
    cells = np.linspace(0, 0.32, 97)

    def setup(fig):
        for n in SIZES[1:]:  # the errors of fewer need twice the axis
            running_hits(n, 0.0)  # draws the labels now, so that no slider step waits for them
        axes = panel(fig, read_y=False, xlim=(0, 0.32), ylim=(0, 1), xlabel="calibration error of one data set (ECE)")
        axes.set_xticks([0, 0.1, 0.2, 0.3], ["0", "0.1", "0.2", "0.3"])
        bars = axes.add_collection(PolyCollection([], facecolor=to_rgba(KEPT, 0.35), edgecolor="white", lw=0.5))
        truth(axes, [0, 0], [0, 0.97])
        words(axes, 0.006, 0.94, "truth 0", bold=True, ha="left")
        return {"bars": bars, "mean": estimate(axes, line=True), "bias": misses(axes, lw=9),
                "names": [number(axes, offset=(12, 0), colour=colour) for colour in (KEPT, MISS)]}  # fmt: skip

    def update(artists, n=500, bins=15):
        errors, predicted = errors_of_perfect_model(n, bins)
        mean, least = errors.mean(), errors.min()
        artists["bars"].set_verts(heap(cells, np.histogram(errors, cells)[0], 0, 0.62))
        artists["mean"].set_data([mean, mean], [0, 0.84])
        artists["bias"].set_segments([[(0, 0.71), (mean, 0.71)]])
        for name, height, text in zip(artists["names"], (0.82, 0.71), ("mean {:.3f}", "bias +{:.3f}"), strict=True):
            name.xy = mean, height
            name.set_text(text.format(mean))
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


def best_number_of_bins():
    """How far the ECE is from the truth, against the number of bins: few data, some, many."""
    x = np.array(BIN_NUMBERS)

    def setup(fig):
        for n, height in product(SHOWN_SIZES, HEIGHTS):
            rmse_of_bins(n, height)  # now, so that no slider step waits
        axes = panel(fig, xlim=(0.92, 95), ylim=(0.004, 0.3), xscale="log", yscale="log",
                     xlabel="number of bins (log scale)", ylabel="RMSE of the ECE (log scale)")  # fmt: skip
        axes.set_xticks(x, x)
        axes.spines["bottom"].set_bounds(1, x[-1])
        axes.set_yticks([0.01, 0.03, 0.1], ["0.01", "0.03", "0.1"])
        axes.minorticks_off()
        lines = {n: estimate(axes, line=True) for n in SHOWN_SIZES}
        return {"lines": lines, "best": {n: estimate(axes, ms=11, zorder=6) for n in SHOWN_SIZES},
                "names": {n: number(axes, offset=(8, 0)) for n in SHOWN_SIZES},
                "count": number(axes, colour=KEPT, offset=(0, 18), ha="center")}  # fmt: skip

    def update(artists, wave_height=0.1, n=500):
        best = []
        for size in SHOWN_SIZES:
            rmse, _ = rmse_of_bins(size, wave_height)
            colour, at = KEPT if size == n else GREY, int(np.nanargmin(rmse))
            best.append(BIN_NUMBERS[at])
            artists["lines"][size].set_data(x, rmse)
            artists["lines"][size].set(color=colour, lw=2.8 if size == n else 1.6, zorder=3 if size == n else 2)
            artists["best"][size].set_data([best[-1]], [rmse[at]])
            artists["best"][size].set(color=colour, mec="white")
            artists["names"][size].xy = x[-1], rmse[-1]
            artists["names"][size].set(text=f"n = {size:,}", color=KEPT if size == n else SOFT)
        rmse, true = rmse_of_bins(n, wave_height)
        mine = best[SHOWN_SIZES.index(n)]
        artists["count"].xy = max(mine, 1.15), np.nanmin(rmse)
        artists["count"].set_text(of(mine, "bin"))
        return Finding(
            best_bins(best),
            f"waves of height {wave_height:g}, true error {true:.3f}; dots: the best number of bins for each n",
            f"n = {n:,}: the ECE is off by {np.nanmin(rmse):.3f} with the best number, by {rmse[0]:.3f} with 1 bin and by "
            f"{rmse[-1]:.3f} with {BIN_NUMBERS[-1]}.",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(found_by_bins, rmse_of_bins), wave_height=HEIGHTS, n=SHOWN_SIZES,
        labels={"wave_height": "height of the waves"},
    )  # fmt: skip
