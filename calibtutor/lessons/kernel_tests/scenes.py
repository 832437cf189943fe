"""Pictures of notebook 08: what a test sees, three estimates, several bandwidths, and which tests hold their level."""

import numpy as np

from ...plots import (CHANCE, CHANCE_BARS, INK, KEPT, MISS, NUMBER, SOFT, Finding, at_large, chance, estimate, misses,
                      panel, reference, words)
from ...chance.pvalues import rank_pvalues
from ...reproductions.many_classes import DATA_SETS, SIZES, TEMPERATURES
from ...teach.explore import explore
from ...teach.marks import choice, number, tell, truth
from ..shared.histograms import heap
from ..shared.posters_models import BANDWIDTH, true_skce
from ..shared.pvalues import LEVEL, by_chance, chance_of_a_curve, colour_of, rejections, square, steps
from ..shared.triangle import CLASSES
from ..shared.verdicts import beyond, signed, written
from . import simulations as sims

__all__ = ["confidence_or_all", "many_classes", "p_value_race", "three_estimators", "which_bandwidth"]


def pvalue_of(observed, null):
    """The rank of the observed statistic among all."""
    return float(rank_pvalues(np.append(observed, null))[0])


def confidence_or_all():
    """A camera that takes humans for animals: what a test of the confidence sees, and a test of all probabilities."""
    cells = np.linspace(-0.0024, 0.0126, 61)
    rows = ("all three probabilities", "the confidence (object)")

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.45])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.03, 0.82), ylim=(-0.5, 2.85), xlabel="share of the obstacles")
        left.set_xticks([0, 0.4, 0.8], ["0", "40%", "80%"])
        left.set_yticks([2, 1, 0], CLASSES)
        left.tick_params(axis="y", length=0, labelcolor=INK)
        for row, share in zip((2, 1, 0), sims.two_nulls()[0].mean(axis=0), strict=True):
            truth(left, [share, share], [row - 0.24, row + 0.24], color=SOFT, lw=3)
        words(left, 0.41, 2.72, "line: said, dot: happened", colour=SOFT)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.0026, 0.0146), ylim=(-0.1, 2.25), base=(0, 0.01),
                      x=[0, 0.005, 0.01], xlabel="squared error (SKCE)")
        for row, name in zip((1.13, 0), rows, strict=True):
            words(right, 0.0146, row + 0.98, name, bold=True, ha="right")
        return {"stems": misses(left), "happened": estimate(left, ms=11),
                "bars": chance(right, facecolor=CHANCE_BARS, edgecolor="white", lw=0.3), "above": misses(right),
                "dots": right.scatter([], [], s=130, edgecolor="white", zorder=5),
                "numbers": [number(right, offset=(12, 0)) for _ in rows]}

    def update(artists, share=0.3):
        p, (y, *tests) = sims.two_nulls()[0], sims.two_tests(share)
        said, happened = p.mean(axis=0), np.bincount(y, minlength=3) / sims.SCENES
        off = beyond(said - happened, np.sqrt((p * (1 - p)).sum(axis=0)) / sims.SCENES)
        artists["stems"].set_segments([[(said[k], 2 - k), (happened[k], 2 - k)] for k in range(3) if off[k]])
        artists["happened"].set_data(happened, [2, 1, 0])
        boxes, above, found = [], [], [pvalue_of(*each) for each in tests]
        for row, (observed, null), pvalue, text in zip((1.13, 0), tests, found, artists["numbers"], strict=True):
            boxes += heap(cells, np.histogram(null, cells)[0], row, 0.72)
            above += [[(0, row + 0.2), (observed, row + 0.2)]] if pvalue <= LEVEL else []
            tell(text, (observed, row + 0.2), f"$R$ = {pvalue:.3f}", color=colour_of(pvalue))
        artists["bars"].set_verts(boxes)
        artists["above"].set_segments(above)
        artists["dots"].set_offsets([(tests[0][0], 1.33), (tests[1][0], 0.2)])
        artists["dots"].set_facecolor([colour_of(each) for each in found])
        return Finding(
            "The test of all three probabilities notices, that of the confidence does not"
            if found[0] <= LEVEL < found[1] else "Neither test rejects the camera",
            f"{share:.0%} of the supposed animals are humans; {sims.SCENES} obstacles; grey: labels redrawn {sims.DRAWS} times",
            "Said and happened: "
            + ", ".join(f"{name} {a:.3f} and {b:.3f}" for name, a, b in zip(CLASSES, said, happened, strict=True)))

    return explore(setup, update, size=(9, 4.4), code=(sims.two_nulls, sims.two_tests), share=(0.0, 0.6, 0.05),
                   labels={"share": "share of supposed animals that are humans"})


def three_estimators():
    """Sampling distributions of the biased, unbiased and linear estimate, on the poster's data with ten classes."""
    names = ("biased", "unbiased", "linear")
    cells = np.linspace(-0.12, 0.28, 81)

    def setup(fig):
        for n in sims.SIZES:
            sims.estimates(n)
        axes = panel(fig, read_y=False, xlim=(-0.17, 0.28), ylim=(-0.1, 3.3), xlabel="estimated squared error (SKCE)",
                     x=[-0.1, 0, 0.1, 0.2])
        for k, each in enumerate(names):
            words(axes, -0.168, 2.42 - k, each, bold=True, ha="left")
        return {"bars": chance(axes, facecolor=KEPT, alpha=0.35), "true": truth(axes), "stems": misses(axes, lw=5),
                "means": estimate(axes, ms=11), "name": words(axes, 0, 3.17, "", bold=True),
                "numbers": [words(axes, 0, 2.35 - k, "", bold=True, size=NUMBER, ha="left") for k in range(3)]}

    def update(artists, n=20, strength=0.0):
        truth_, found = strength**2 * true_skce(), sims.estimates(n)[strength]
        said, boxes, stems = [], [], []
        off = [off_target(values.mean(), truth_, values.std() / sims.REPEATS**0.5) for values in found]
        for k, (name, values, biased) in enumerate(zip(names, found, off, strict=True)):
            row, mean = 2 - k, values.mean()
            boxes += heap(cells, np.histogram(np.clip(values, cells[0], cells[-1]), cells)[0], row, 0.85)
            stems += [[(truth_, row + 0.1), (mean, row + 0.1)]] if biased else []
            artists["numbers"][k].set(text=f"{signed(mean - truth_, 4)} on average" if biased else "unbiased",
                                      x=min(values.max(), 0.16) + 0.008, color=MISS if biased else KEPT)
            said.append(f"{name} averages {mean:.5f} with standard deviation {values.std():.5f}")
        artists["bars"].set_verts(boxes)
        artists["stems"].set_segments(stems)
        artists["means"].set_data([values.mean() for values in found], [2.1, 1.1, 0.1])
        artists["true"].set_data([truth_, truth_], [-0.1, 3.05])
        artists["name"].set(x=truth_, text=f"truth {written(truth_, 4)}")
        who = f"{strength:.0%} of the labels ignore the predictions" if strength else "calibrated"
        return Finding(estimators_headline(truth_, found, off[0], n),
                       f"{who}; {sims.REPEATS} sets of n = {n}; dot: mean; kernel exp(−TV/{BANDWIDTH})",
                       f"True SKCE {truth_:.5f}: {'; '.join(said)}.")

    return explore(setup, update, size=(9, 4.8), code=(sims.estimates, true_skce), strength=sims.STRENGTHS, n=sims.SIZES)


def off_target(mean, true, error):
    """Whether a mean of estimates misses the truth by more than 3 of its standard errors."""
    return abs(mean - true) > 3 * error


def estimators_headline(true, found, biased, n):
    """What is special about a truth of zero, or how far off the biased estimate is."""
    if true == 0:
        return f"The truth is 0, and {(found[1] < 0).mean():.0%} of the unbiased estimates are negative"
    if not biased:
        return "In these data sets all three averages are near the truth"
    return f"The biased estimate says {found[0].mean() - true:.4f} too much at n = {n}"


IN_WORDS = {"D_b": "bound", "A_uq": "bootstrap", "exact": "exact", "aggregated": "aggregated"}


def p_value_race():
    """Each test's p-values on 81 data sets, and their distribution function beside what chance does to an exact one."""
    rows = dict(zip(IN_WORDS, range(len(IN_WORDS))[::-1], strict=True))
    shake = np.random.default_rng(0).uniform(-0.3, 0.3, sims.RACE_SETS)

    def setup(fig):
        grid = fig.add_gridspec(len(rows), 2, width_ratios=[5.5, 1])
        left = panel(fig, grid[:, 0], read_y=False, xlim=(-0.02, 1.5), ylim=(-0.5, len(rows) - 0.5), xlabel="p-value R",
                     x=[0, 0.5, 1], base=(0, 1))
        left.set_yticks(list(rows.values()), IN_WORDS.values())
        left.tick_params(axis="y", length=0, labelcolor=INK)
        dots = at_large(left.scatter([], [], s=26, lw=0, clip_on=False, zorder=4))
        counts = {name: words(left, 1.05, row, "", bold=True, size=NUMBER, ha="left") for name, row in rows.items()}
        reference(left, [LEVEL, LEVEL], [-0.5, len(rows) - 0.5])
        curves = []
        for k in range(len(rows)):
            last = k == len(rows) - 1
            axes = square(fig, grid[k, 1], read_y=False, aspect="equal", x=[0, 0.5, 1] if last else [],
                          xlabel="level α" * last)
            chance(axes).set_verts([chance_of_a_curve(sims.RACE_SETS)])
            if k == 0:
                axes.set_title("share of R ≤ α", color=SOFT)
            curves.append(axes.plot([], [], drawstyle="steps-post", lw=2, zorder=4, clip_on=False)[0])
        return {"dots": dots, "counts": counts, "curves": curves}

    def update(artists, data="nearly certain"):
        pvalues = dict(zip(sims.RACE, sims.race(data), strict=True))
        places, colours, count = [], [], {name: int(rejections(pvalues[name], LEVEL).sum()) for name in rows}
        red = too_often(count) if data in sims.CALIBRATED else []
        for (name, row), curve in zip(rows.items(), artists["curves"], strict=True):
            colour = MISS if name in red else KEPT
            places.append(np.column_stack([pvalues[name], row + shake]))
            colours += [colour if each else CHANCE_BARS for each in rejections(pvalues[name], LEVEL)]
            artists["counts"][name].set(text=f"{count[name]} of {sims.RACE_SETS}", color=colour)
            curve.set_data(steps(pvalues[name]))
            curve.set_color(colour)
        artists["dots"].set_offsets(np.vstack(places))
        artists["dots"].set_facecolor(colours)
        return Finding(race_headline(data in sims.CALIBRATED, red, count),
                       f"{data}; {sims.RACE_SETS} sets, n = {sims.RACE_SIZE}; coloured dots: R ≤ {LEVEL:.0%}; grey band: chance",
                       f"Rejected: {', '.join(f'{IN_WORDS[name]} {each}' for name, each in count.items())}.")

    return explore(setup, update, size=(9, 5), code=(sims.race, rejections), data=list(sims.RACE_DATA))


def too_often(count):
    """Tests that reject more of these calibrated data sets at the level than chance lets an exact one."""
    return [name for name, each in count.items() if each > sims.RACE_SETS * by_chance(sims.RACE_SETS)[1] + 1e-9]


def race_headline(calibrated, red, count):
    """Which tests reject too many calibrated data sets at the level, or which finds the error most often."""
    of = sims.RACE_SETS
    if calibrated and red:
        return f"False alarms: the {' and the '.join(IN_WORDS[each] for each in red)} in {count[red[0]]} of {of} data sets"
    if calibrated:
        return f"No test rejects more than {max(count.values())} of {of}: chance does that"
    best = max(count, key=count.get)
    return f"The {IN_WORDS[best]} test finds the error most often: in {count[best]} of {of} data sets"


def many_classes():
    """Share of over-confident models that are found, by number of classes: all probabilities, confidence, both."""
    asked = {"all probabilities": (KEPT, "-", 2.2), "confidence": (SOFT, ":", 2.2), "both": (KEPT, "-", 7)}

    def setup(fig):
        left = sims.CLASSES[0] / 1.2
        axes = panel(fig, xscale="log", xlim=(left, 6000), ylim=(0, 1.04), x=sims.CLASSES, xlabel="number of classes",
                     ylabel=f"share of data sets with R ≤ {LEVEL:.0%}", base=(left, 1200))
        axes.set_yticks([0, LEVEL, 0.5, 1], ["0", "5%", "50%", "100%"])
        low, high = by_chance(DATA_SETS)
        chance(axes).set_verts([[(x, y) for x, y in ((1, low), (1200, low), (1200, high), (1, high))]])
        reference(axes, [1, 1200], [LEVEL, LEVEL])
        return {"lines": [axes.plot([], [], style, color=colour, lw=width, alpha=0.35 if width > 3 else 1)[0]
                          for colour, style, width in asked.values()],
                "names": [words(axes, 1150, 0, name, bold=True, colour=colour, ha="left")
                          for name, (colour, *_) in asked.items()],
                "dots": estimate(axes, ms=7), "chosen": choice(axes)}

    def update(artists, classes=1000, temperature=1.3, n=1000):
        shares, gap = sims.found_in_many_classes(temperature, n)
        k = sims.CLASSES.index(classes)
        for line, row in zip(artists["lines"], shares, strict=True):
            line.set_data(sims.CLASSES, row)
        artists["dots"].set_data(sims.CLASSES, shares[0])
        artists["chosen"].set_data([classes], [shares[0, k]])
        last, calibrated = -0.1, temperature == 1
        for row in np.argsort(shares[:, -1], kind="stable"):  # beside its line's end, a line of text apart
            last = max(min(shares[row, -1], 0.85), last + 0.075)
            artists["names"][row].set_y(last)
        return Finding(
            f"{classes:,} classes: both together raise {shares[2, k]:.0%} false alarms" if calibrated
            else f"{classes:,} classes: all probabilities find {shares[0, k]:.0%}, both together {shares[2, k]:.0%}",
            f"temperature {temperature:g}; {DATA_SETS} data sets of n = {n:,}; grey: calibrated data",
            f"Alone, all probabilities raise {shares[0, k]:.0%}, the confidence {shares[1, k]:.0%}." if calibrated
            else f"Confidence minus hits is {gap[k]:.3f} on average here; it grows from {gap[0]:.3f} to {gap[-1]:.3f}.")

    return explore(setup, update, size=(9, 4.6), code=sims.found_in_many_classes,
                   classes=list(sims.CLASSES), temperature=list(TEMPERATURES), n=list(SIZES))


def which_bandwidth():
    """Share rejected by the exact test along the bandwidth, by the smallest of seven R, and aggregated."""
    end = sims.FACTORS[-1] * 5.5  # room for names

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(sims.FACTORS[0] / 1.35, end), xlabel="bandwidth / median distance",
                     ylabel=f"share with R ≤ {LEVEL:.0%} (uneven scale)")
        wide = [0, 0.2, 1], [0, 0.5, 1]  # false alarms are few: up to 20 % takes half of the axis
        axes.set_yscale("function", functions=(lambda y: np.interp(y, *wide), lambda y: np.interp(y, *wide[::-1])))
        axes.set_ylim(0, 1)
        axes.set_xticks(sims.FACTORS, [f"{w:g}" for w in sims.FACTORS])
        axes.minorticks_off()
        axes.set_yticks([0, LEVEL, 0.1, 0.2, 0.5, 1], ["0", "5%", "10%", "20%", "50%", "100%"])
        low, high = by_chance(sims.POWER_SETS)
        axes.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
        reference(axes, axes.get_xlim(), [LEVEL, LEVEL])
        return {"dots": estimate(axes, ms=10, ls="-", lw=1.2),
                "rules": [axes.axhline(0, xmax=share, color=colour, lw=4, alpha=0.45, zorder=2)
                          for share, colour in ((1, KEPT), (0.76, MISS))],
                "names": [number(axes, colour=colour, offset=(0, 12), ha=ha)
                          for colour, ha in ((KEPT, "right"), (KEPT, "center"), (MISS, "right"))]}

    def update(artists, wrong=sims.WRONG[0], n=200):
        single, smallest, aggregated = sims.power(wrong, n)
        calibrated, best = wrong == sims.WRONG[0], int(np.argmax(single))
        artists["dots"].set_data(sims.FACTORS, single)
        for line, height in zip(artists["rules"], (aggregated, smallest if calibrated else np.nan), strict=True):
            line.set_ydata([height] * 2)
        together, alone, least = artists["names"]
        tell(together, (end, aggregated), f"aggregated: {aggregated:.0%}", position=(0, 9 if calibrated else 12))
        tell(alone, (sims.FACTORS[best], single[best]), "" if calibrated else f"best bandwidth: {single[best]:.0%}")
        tell(least, (1.2 * sims.FACTORS[-1], smallest), f"smallest of the seven R: {smallest:.0%}" * calibrated)
        return Finding(
            f"False alarms: smallest of seven R {smallest:.0%}, aggregated {aggregated:.0%}" if calibrated
            else f"The best bandwidth finds {single.max():.0%} of such errors, the aggregated test {aggregated:.0%}",
            f"wrong: {wrong}; {sims.POWER_SETS:,} data sets of n = {n}; Gaussian kernels; grey: calibrated data",
            f"The best is {sims.FACTORS[best]:g} × the median distance; the worst finds {single.min():.1%}."
            if not calibrated else f"Each alone rejects {single.min():.1%} to {single.max():.1%}.")

    return explore(setup, update, size=(9, 4.4), code=sims.power, wrong=sims.WRONG, n=sims.POWER_SIZES,
                   labels={"wrong": "what is wrong"})
