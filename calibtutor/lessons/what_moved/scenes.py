"""Scenes of the lesson what_moved."""

import numpy as np

from ...plots import (
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    NUMBER,
    SMALL,
    SOFT,
    Finding,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
    panel,
    reference,
    truth,
    words,
)
from ...reproductions import shift as paper
from ...teach.explore import explore
from ..shared.ckce_plots import PAPER, ticks
from ..shared.maps import Heatmap
from . import simulations as sims
from .games import no_limit, reweight_the_crowd, what_moved

__all__ = ["darker_digits", "no_limit", "reweight_the_crowd", "shift", "what_moved"]



ERRORS = ("ECE", "JKCE", "CKCE")
ROOTS = ("ECE", "√JKCE", "√CKCE")
TIE = 0.05  # two errors that differ by less, relative to the larger, are called a near tie
NEAR_TIE = "a near tie"


def camps(names, values):
    """Whom each of ERRORS prefers, in words; `values` is (2 models, 3 errors)."""
    found = {}
    for error, (a, b) in zip(ERRORS, values.T, strict=True):
        tied = abs(a - b) <= TIE * max(abs(a), abs(b))
        found.setdefault(NEAR_TIE if tied else names[int(b < a)], []).append(error)
    match sorted(found.items(), key=lambda camp: len(camp[1])):
        case [(who, _)]:
            return f"all three errors {'see' if who == NEAR_TIE else 'prefer'} {who}"
        case [(few, [alone]), (many, _)] if NEAR_TIE in found:
            verbs = ("sees", "prefer") if few == NEAR_TIE else ("prefers", "see")
            return f"{alone} {verbs[0]} {few}, the others {verbs[1]} {many}"
        case [(few, [alone]), _]:
            return f"{alone} alone prefers {few}"
    return "each error gives another answer"


def _digits(value):
    return f"{value:.3f}" if value >= 0.02 else f"{value:.4f}"


SHAPES = {"o": "●", "s": "■", "D": "◆"}
LIT_PAIRS = {
    "random forest, logistic regression": ("random forest", "logistic regression"),
    "logistic regression, naive Bayes": ("logistic regression", "naive Bayes"),
    "random forest, naive Bayes": ("random forest", "naive Bayes"),
}


def steadiness(low):
    """How far down ECE, √JKCE and √CKCE go over the shift, from their lowest values relative to the maxima."""
    least = "moves least" if low[2] >= max(low[:2]) else "does not move least"
    return f"The √CKCE {least}: down to {low[2]:.0%} of its maximum"


def on_the_root_scale(mean, spread):
    """Roots of mean JKCE and CKCE beside the ECE, and what a standard deviation of the square is on that scale."""
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

    columns_of = {kernel: ["ECE", "JKCE", metric] for kernel, metric in sims.SHIFT_KERNELS.items()}
    found = {}
    for rule, bandwidth in sims.RULES.items():
        mean, error = paper.curves(bandwidth)
        spread = error * np.sqrt(paper.TRIALS)
        found |= {
            (rule, k): on_the_root_scale(mean[c].to_numpy().T, spread[c].to_numpy().T) for k, c in columns_of.items()
        }

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(-0.09, 1.16), xlabel="shift α of the inputs",
                     ylabel="error, relative to its maximum", xticks=[-1, 0, 1])  # fmt: skip
        left.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        rows = columns[1].subgridspec(2, 1, height_ratios=[2, 1], hspace=0.05)
        top = panel(fig, rows[0], xlim=(0, 1), ylim=(0, 1.02), ylabel="what happens", xticks=[])
        below = panel(fig, rows[1], read_y=False, xlim=(0, 1), ylim=(0, 1.25), xlabel="what is said")
        ticks(top, y=(0, 0.5, 1))
        ticks(below, x=(0, 0.5, 1))
        top.spines["bottom"].set_visible(False)
        reference(top, [0, 1], [0, 1])
        p = np.linspace(0.0067, 0.9933, 200)
        top.fill_between(p, p, sims.calibration_curve(p), color=MISS, alpha=0.2, lw=0)
        truth(top, p, sims.calibration_curve(p))
        words(top, 0.04, 0.93, "this never changes …", ha="left")
        words(below, 0.5, 1.05, "… this does (root scale)")
        band = left.fill_between(paper.ALPHAS, 0, 0, color=KEPT, alpha=0.12, lw=0)
        looks = ({"color": SOFT, "lw": 1.6}, {"color": SOFT, "lw": 1.6}, {"lw": 3})
        lines = [estimate(left, line=True, marker="o", ms=9.5, mec="white", **look) for look in looks]
        names = [words(left, 0, 0, "", colour=KEPT if name == "CKCE" else SOFT, bold=name == "CKCE", size=NUMBER, bbox=PAPER)
                 for name in ERRORS]  # fmt: skip
        return {"bars": chance(below, facecolor=GREY), "band": band, "lines": lines, "names": names,
                "here": chance(left, facecolor=CHOICE, alpha=0.6, zorder=0.5), "disc": choice(left)}  # fmt: skip

    def update(artists, alpha=0.0, bandwidth=paper.MEDIAN, kernel="linear + Gaussian"):
        mean, spread = found[bandwidth, kernel]
        top = mean.max(axis=1, keepdims=True)
        relative, k = mean / top, int(np.argmin(np.abs(paper.ALPHAS - alpha)))
        shares = np.histogram(sims.predictions_after(paper.ALPHAS[k]), sims.CELLS)[0] / sims.INPUTS
        artists["bars"].set_verts(bars_between(sims.CELLS, np.zeros(30), np.sqrt(shares)))
        for line, values in zip(artists["lines"], relative, strict=True):
            line.set_data(paper.ALPHAS, values)
            line.set_markevery([int(values.argmin())])
        artists["band"].set_data(paper.ALPHAS, relative[2] - spread[2] / top[2], relative[2] + spread[2] / top[2])
        artists["here"].set_verts(bars_between([paper.ALPHAS[k] - 0.03, paper.ALPHAS[k] + 0.03], [-0.09], [1.16]))
        artists["disc"].set_data([paper.ALPHAS[k]], [relative[2, k]])
        low, (ece, joint, conditional) = relative.min(axis=1), relative[:, len(paper.ALPHAS) // 2]
        above = 1 if ece - 0.22 < conditional < ece else -1  # the name of the ECE goes where that of the CKCE is not
        places = spaced(np.array([ece + 0.06 * above, joint - 0.06, conditional - 0.085 * above]), 0.085)
        for text, name, value, y in zip(artists["names"], ROOTS, low, places, strict=True):
            text.set(position=(0, y), text=f"{name}: down to {value:.0%}")
        said = ", ".join(f"{name} {m[k]:.3f} ({s[k]:.3f})" for name, m, s in zip(ROOTS, mean, spread, strict=True))
        lows = ", ".join(f"{name} {value:.0%}" for name, value in zip(ROOTS[:2], low, strict=False))
        return Finding(
            steadiness(low),
            f"α = {paper.ALPHAS[k]:.2g}, {kernel}, bandwidth: {bandwidth}; {paper.TRIALS} sets; band: 1 s.d.; dots: lowest".replace(
                "-", "−"
            ),
            f"The others go down to: {lows}. n = {paper.N:,}; mean here (standard deviation): {said}.",
        )

    alphas = [(f"{each:.2f}".replace("-", "−"), float(each)) for each in paper.ALPHAS]
    return explore(setup, update, size=(9, 4.5), alpha=alphas, bandwidth=list(sims.RULES), kernel=list(sims.SHIFT_KERNELS),
                   labels={"alpha": "shift α", "kernel": "kernel of the CKCE"}, code=(sims.predictions_after, sims.calibration_curve))  # fmt: skip


def darker_digits():
    """Two models read the same digits in another light: three errors on the root scale, with standard errors."""

    def setup(fig):
        for change in sims.CHANGES:
            sims.montage(change)
        grid = fig.add_gridspec(1, 4, width_ratios=[1, 1, 1, 0.66])
        pictures = fig.add_subplot(grid[3])
        image = Heatmap(pictures, sims.montage(0).shape, x=(0, 19), y=(0, 37), cmap="gray")
        pictures.set(aspect="equal", ylim=(37, 0), anchor="N", xticks=[], yticks=[])
        pictures.set_axis_off()
        pictures.set_title("what they read", color=SOFT)
        panels = []
        for k, name in enumerate(ROOTS):
            axes = panel(fig, grid[k], read_y=not k, xlim=(-57, 57), ylim=(0, 1.12))
            axes.set_xticks([-50, 0, 50], ["−50", "0", "+50"])
            axes.set_xlabel(("", "brightness, %", "")[k])
            if not k:
                axes.set_ylabel("error, relative to the largest")
                axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
            axes.set_title(name, color=INK, weight="bold")
            panels.append({
                "band": chance(axes, facecolor=CHOICE, alpha=0.6, zorder=0.5),
                "lines": [estimate(axes, ls="-", lw=2, ms=6, mew=0.5) for _ in range(2)],
                "errors": [misses(axes, lw=1.2, zorder=2) for _ in range(2)],
                "numbers": [words(axes, 57, y, "", ha="right", bold=True, size=NUMBER) for y in (1.06, 0.96)],
            })  # fmt: skip
        below = {"size": SMALL, "ha": "right", "transform": pictures.transAxes, "in_layout": False}
        names = [words(pictures, 1.03, y, "", **below) for y in (-0.06, -0.14)]
        return {"image": image, "panels": panels, "names": names}

    def update(artists, models="random forest, logistic regression", brightness=-40):
        names = LIT_PAIRS[models]
        found = np.array([[sims.lit_errors(name, change) for change in sims.CHANGES] for name in names])
        values, spread = found[:, :, 0], found[:, :, 1]
        k = sims.CHANGES.index(brightness)
        artists["image"].set_data(sims.montage(brightness))
        how = f"{abs(brightness)}% {'darker' if brightness < 0 else 'lighter'}" if brightness else "As they were"
        flips = []
        for row, (name, part) in enumerate(zip(ROOTS, artists["panels"], strict=True)):
            both = values[:, :, row]
            heights, half = both / both.max(), 2 * spread[:, :, row] / both.max()
            part["band"].set_verts(bars_between([brightness - 4, brightness + 4], [0], [1.12]))
            for side, each in enumerate(part["lines"]):
                colour, marker, text = MODELS[names[side]]
                each.set_data(sims.CHANGES, heights[side])
                each.set(color=colour, marker=marker)
                part["errors"][side].set_segments(
                    [[(x, h - e), (x, h + e)] for x, h, e in zip(sims.CHANGES, heights[side], half[side], strict=True)]
                )
                part["errors"][side].set_color(colour)
                part["numbers"][side].set(text=f"{SHAPES[marker]} {_digits(both[side, k])}", color=text)
            flips.append(f"{name} {int((both[0] < both[1]).sum())}")
        a, b = values[:, k, 3]
        first, second = (SHAPES[MODELS[name][1]] for name in names)
        for text, name in zip(artists["names"], names, strict=True):
            text.set(text=f"{SHAPES[MODELS[name][1]]} {name}", color=MODELS[name][2])
        said = ", ".join(f"{n} {x:.4f} and {z:.4f}" for n, x, z in zip(ROOTS, *values[:, k, :3], strict=True))
        return Finding(
            f"{how}: {camps(names, values[:, k, :3])}",
            f"{sims.LIT_N:,} digits in another light; bars: ± 2 standard errors; right at this light: {first} {a:.0%}, {second} {b:.0%}",
            f"{names[0].capitalize()} and {names[1]}: {said}. At how many of {len(sims.CHANGES)} levels the first has the smaller "
            f"error: {', '.join(flips)}.",
        )

    return explore(setup, update, size=(9, 4.6), models=list(LIT_PAIRS), brightness=(-50, 50, 10),
                   code=sims.lit_errors)  # fmt: skip
