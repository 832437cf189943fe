"""Scenes of the lesson kernel_tests."""

import numpy as np
from matplotlib.collections import LineCollection

from ...plots import (
    CHANCE,
    CHANCE_BARS,
    INK,
    KEPT,
    MISS,
    NUMBER,
    SOFT,
    Finding,
    chance,
    estimate,
    misses,
    number,
    panel,
    reference,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared import simulations as shared_simulations
from ..shared.histograms_of_tests import heap
from ..shared.pvalues import IN_WORDS, by_chance, chance_of_a_curve, cries_wolf, square, steps
from ..shared.tests import LEVEL, on_the_way
from ..shared.verdicts import beyond, capital, signed, written
from . import simulations as sims

__all__ = ["p_value_race", "three_estimators", "which_bandwidth"]



def three_estimators():
    """Sampling distributions of the biased, unbiased and linear estimate, on the poster's data with ten classes."""
    names = ("biased", "unbiased", "linear")
    cells = np.linspace(-0.12, 0.28, 81)

    def setup(fig):
        for towards in ("M2", "M3"):
            for n in sims.SIZES:
                sims.estimates(n, towards)
        axes = panel(fig, read_y=False, xlim=(-0.17, 0.28), ylim=(-0.1, 3.3), xlabel="estimated squared error (SKCE)")
        axes.set_xticks([-0.1, 0, 0.1, 0.2], ["−0.1", "0", "0.1", "0.2"])
        bars = chance(axes, facecolor=KEPT, alpha=0.35)
        true = truth(axes)
        stems, means = misses(axes, lw=5), estimate(axes, ms=11)
        for k, each in enumerate(names):
            words(axes, -0.168, 2.42 - k, each, bold=True, ha="left")
        terms = [words(axes, -0.168, 2.12 - k, "", colour=SOFT, ha="left", size=11) for k in range(3)]
        numbers = [words(axes, 0, 2.35 - k, "", bold=True, size=NUMBER, ha="left") for k in range(3)]
        name = words(axes, 0, 3.17, "", bold=True)
        return {"bars": bars, "true": true, "stems": stems, "means": means, "terms": terms,
                "numbers": numbers, "name": name}  # fmt: skip

    def update(artists, n=20, strength=0.5, towards="M3"):
        truth_ = strength**2 * shared_simulations.true_skce(towards, 10)
        found = sims.estimates(n, towards)[strength]
        said, price = [], (f"{n * n:,}", f"{n * (n - 1) // 2:,}", f"{n // 2:,}")
        boxes, stems = [], []
        off = [off_target(values.mean(), truth_, values.std() / sims.REPEATS**0.5) for values in found]
        for k, (name, values, terms, biased) in enumerate(zip(names, found, price, off, strict=True)):
            row, mean = 2 - k, values.mean()
            boxes += heap(cells, np.histogram(np.clip(values, cells[0], cells[-1]), cells)[0], row, 0.85)
            stems += [[(truth_, row + 0.1), (mean, row + 0.1)]] if biased else []
            artists["terms"][k].set_text(f"{terms} terms")
            artists["numbers"][k].set(
                text=f"{signed(mean - truth_, 4)} on average" if biased else "no bias to be seen",
                x=min(values.max(), 0.16) + 0.008, color=MISS if biased else KEPT,
            )  # fmt: skip
            said.append(f"{name} averages {mean:.5f} with standard deviation {values.std():.5f}")
        artists["bars"].set_verts(boxes)
        artists["stems"].set_segments(stems)
        artists["means"].set_data([values.mean() for values in found], [2.1, 1.1, 0.1])
        artists["true"].set_data([truth_, truth_], [-0.1, 3.05])
        artists["name"].set(x=truth_, text=f"truth {written(truth_, 4)}")
        return Finding(
            estimators_headline(truth_, found, off[0], n),
            f"{on_the_way(strength, towards)}; {sims.REPEATS} data sets of n = {n}, ten classes; dot: their mean",
            f"True SKCE {truth_:.5f}: {'; '.join(said)}.",
        )

    return explore(setup, update, size=(9, 4.8), code=(sims.estimates, shared_simulations.true_skce), strength=sims.STRENGTHS,
                   towards=["M3", "M2"], n=sims.SIZES)  # fmt: skip


def off_target(mean, true, error):
    """Whether a mean of estimates misses the truth by more than 3 of its standard errors."""
    return abs(mean - true) > 3 * error


def estimators_headline(true, found, biased, n):
    """What is special about a truth of zero, or how far off the biased estimate is."""
    if true == 0:
        return f"The truth is 0, and {(found[1] < 0).mean():.0%} of the unbiased estimates are negative"
    if not biased:
        return "No bias is to be seen in these data sets"
    return f"The biased estimate says {found[0].mean() - true:.4f} too much at n = {n}"


AT_ONCE = 20  # data sets of the race that are there at first, and that a press draws


def p_value_race():
    """Every data set gives each test one p-value; their distribution functions grow as data sets are drawn."""
    rows = dict(zip(sims.RACE, range(len(sims.RACE))[::-1], strict=True))

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.02, 1.38), ylim=(-0.6, len(rows) - 0.4), xlabel="p-value")
        left.spines["bottom"].set_bounds(0, 1)
        left.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        left.set_yticks(list(rows.values()), [IN_WORDS[name] for name in rows])
        left.tick_params(axis="y", length=0, labelcolor=INK)
        dots = left.scatter([], [], s=26, lw=0, clip_on=False, zorder=4)
        dots.set_in_layout(False)
        counts = {name: words(left, 1.05, row, "", bold=True, size=NUMBER, ha="left") for name, row in rows.items()}
        level = reference(left)
        right = panel(fig, columns[1], ylabel="share of p-values ≤ α")
        right.set_title("grey: chance, red: cries wolf", color=SOFT)
        band = chance(right)
        square(right, xlabel="level α")
        lines = LineCollection([], lw=2, zorder=4)
        right.add_collection(lines)
        return {"dots": dots, "counts": counts, "level": level, "band": band, "lines": lines, "mark": reference(right)}

    def update(artists, one_more=0, twenty_more=0, strength=0.0, alpha=0.05):
        drawn = min(AT_ONCE * (1 + twenty_more) + one_more, sims.RACE_SETS)
        pvalues = sims.race(strength)[:, :drawn]
        shake = np.random.default_rng(0).uniform(-0.3, 0.3, sims.RACE_SETS)[:drawn]
        wolves = [name for name, values in zip(sims.RACE, sims.race(0.0)[:, :drawn], strict=True)
                  if cries_wolf(*steps(values), drawn)]  # fmt: skip
        places, colours, count = [], [], {}
        for name, values in zip(sims.RACE, pvalues, strict=True):
            rejected, colour = shared_simulations.rejections(values, alpha), MISS if name in wolves else KEPT
            places.append(np.column_stack([values, rows[name] + shake]))
            colours += [colour if each else CHANCE_BARS for each in rejected]
            count[name] = int(rejected.sum())
            artists["counts"][name].set(text=f"{count[name]} of {drawn}", color=colour)
        artists["dots"].set_offsets(np.vstack(places))
        artists["dots"].set_facecolor(colours)
        artists["level"].set_data([alpha, alpha], [-0.6, len(rows) - 0.4])
        artists["mark"].set_data([alpha, alpha], [0, 1])
        artists["band"].set_verts([chance_of_a_curve(drawn)])
        artists["lines"].set_segments([staircase(*steps(values)) for values in pvalues])
        artists["lines"].set_color([MISS if name in wolves else KEPT for name in sims.RACE])
        what = f"{drawn} data sets, {on_the_way(strength)}"
        last = f"the last one's exact p-value is {pvalues[sims.RACE.index('exact'), -1]:.2f}"
        said = ", ".join(f"{name} {count[name]}" for name in sims.RACE)
        return Finding(
            race_headline(strength, wolves, count, drawn),
            f"{what}; n = {sims.RACE_SIZE}, three classes; coloured: p ≤ {alpha:.0%}",
            f"{capital(last)}. Rejected: {said}.",
        )

    return explore(
        setup, update, size=(9, 4.6), code=(sims.race, shared_simulations.rejections), one_more="draw another data set",
        twenty_more=f"draw {AT_ONCE} more",
        strength=sims.RACE_STRENGTHS, alpha=(0.01, 0.5, 0.01), labels={"strength": "miscalibration", "alpha": "level α"},
        kept={"alpha": (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)},
    )  # fmt: skip


def staircase(x, y):
    """The corners of a curve that steps up at each x."""
    return np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])


AS_SUBJECT = {"C on an ECE": "redrawing pairs (C)", "D_b": "the bound", "A_uq": "the bootstrap", "A_l": "the t test",
              "exact": "exact", "aggregated": "aggregated"}  # fmt: skip


def race_headline(strength, wolves, count, drawn):
    """Who cries wolf on calibrated data, or which honest test finds the error most often."""
    if strength == 0:
        return (
            f"{capital(' and '.join(AS_SUBJECT[each] for each in wolves))} cr{'y' if len(wolves) > 1 else 'ies'} wolf, "
            "beyond what chance explains"
            if wolves
            else f"After {drawn} calibrated data sets no test stands out"
        )
    honest = {name: each for name, each in count.items() if name not in wolves}
    most = max(honest.values())
    if most == 0:
        return "No honest test finds the error at this level"
    top = [AS_SUBJECT[name] for name, each in honest.items()
           if not beyond(most - each, np.sqrt(sum(k * (drawn - k) / drawn for k in (most, each))))]  # fmt: skip
    none = [AS_SUBJECT[name] for name, each in honest.items() if each == 0]
    blind = f", {none[0]} never" if len(none) == 1 else f", {len(none)} never" if none else ""
    if len(top) > 2:
        return f"{len(top)} honest tests find the error about as often{blind}"
    return f"Of the honest, {' and '.join(top)} find{'s' * (len(top) == 1)} most errors{blind}"


def which_bandwidth():
    """Power of the exact test along the bandwidth, and of the aggregated test that chooses none."""

    end = sims.FACTORS[-1] * 4.2  # room for a name

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(sims.FACTORS[0] / 1.35, end), ylim=(0, 1.02),
                     xlabel="bandwidth / median distance", ylabel=f"share rejected at level {LEVEL:.0%}")  # fmt: skip
        axes.set_xticks(sims.FACTORS, [f"{w:g}" for w in sims.FACTORS])
        axes.minorticks_off()
        axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        low, high = by_chance(sims.POWER_SETS)
        axes.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
        reference(axes, axes.get_xlim(), [LEVEL, LEVEL])
        words(axes, end, high + 0.01, "grey: calibrated data", colour=SOFT, ha="right", va="bottom", size=11)
        line = estimate(axes, line=True, lw=1.2)
        dots = axes.scatter(sims.FACTORS, np.zeros(len(sims.FACTORS)), s=110, edgecolor="white", zorder=5)
        together = axes.axhline(0, color=KEPT, lw=4, alpha=0.45, zorder=2)
        names = [number(axes, colour=KEPT, offset=(0, 12), ha=ha) for ha in ("right", "center")]
        return {"line": line, "dots": dots, "together": together, "names": names}

    def update(artists, gap="one wave", n=200):
        single, aggregated = sims.power(gap, n)
        best, blind = int(np.argmax(single)), single <= by_chance(sims.POWER_SETS)[1]
        artists["line"].set_data(sims.FACTORS, single)
        artists["dots"].set_offsets(np.column_stack([sims.FACTORS, single]))
        artists["dots"].set_facecolor(np.where(blind, MISS, KEPT))
        artists["together"].set_ydata([aggregated, aggregated])
        together, alone = artists["names"]
        together.xy, alone.xy = (end, aggregated), (sims.FACTORS[best], single[best])
        together.set_text(f"aggregated: {aggregated:.0%}")
        alone.set_text(f"best bandwidth: {single[best]:.0%}")
        return Finding(
            f"The best bandwidth finds {single.max():.0%} of such errors, the aggregated test {aggregated:.0%}",
            f"what is wrong: {gap}; {sims.POWER_SETS} data sets of n = {n}"
            + "; red: as blind as on calibrated data" * bool(blind.any()),
            f"The best is {sims.FACTORS[best]:g} × the median distance; the worst finds {single.min():.0%}.",
        )

    return explore(setup, update, size=(9, 4.4), code=sims.power, gap=list(sims.GAPS), n=sims.POWER_SIZES,
                   labels={"gap": "what is wrong"})  # fmt: skip
