"""Scenes of notebook 06, second half: the inputs shift, features are drawn, the light changes."""

import numpy as np

from ..explore import explore
from ..plots import COLOURS, TITLE
from .ckce_simulations import (
    CELLS,
    CHANGES,
    COUNTS,
    DRAWN_MODELS,
    DRAWS,
    LIT_N,
    SHIFT_KERNELS,
    SHIFT_N,
    SHIFT_PENALTIES,
    SHIFT_SETS,
    SHIFTS,
    calibration_curve,
    exact_norm,
    feature_errors,
    lit_errors,
    montage,
    shift_shares,
    shown_entries,
    some_digits,
    traces,
)

__all__ = ["darker_digits", "random_features", "shift"]

ERRORS = ("ECE", "JKCE", "CKCE")
COLOUR = dict(zip(ERRORS, ("blue", "pink", "orange"), strict=True))
PAIRS = {
    "random forest, logistic regression": ("random forest", "logistic regression"),
    "logistic regression, naive Bayes": ("logistic regression", "naive Bayes"),
    "random forest, naive Bayes": ("random forest", "naive Bayes"),
}


def shift():
    """The same calibration curve, other inputs: three errors while P(X) moves (the paper's Figure 2)."""
    middle = (CELLS[1:] + CELLS[:-1]) / 2

    def setup(fig):
        for kernel in SHIFT_KERNELS:
            traces(SHIFT_PENALTIES[-1], kernel)
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.4])
        rows = columns[0].subgridspec(2, 1, height_ratios=[2, 1], hspace=0.05)
        top = fig.add_subplot(rows[0])
        below = fig.add_subplot(rows[1], sharex=top)
        right = fig.add_subplot(columns[1])
        top.set(xlim=(0, 1), ylim=(0, 1), ylabel="probability of Y = 1", title="this never changes …")
        top.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls="--")
        p = np.linspace(0.0067, 0.9933, 200)
        top.plot(p, calibration_curve(p), color=COLOURS["ink"])
        top.tick_params(labelbottom=False)
        below.set(ylim=(0, 0.4), yticks=[], xlabel="prediction", ylabel="share")
        bars = below.bar(middle, 0 * middle, width=1 / 32, color=COLOURS["sky"])
        note = below.text(0.5, 0.97, "… this does", transform=below.transAxes, ha="center", va="top", fontsize=12)
        right.set(
            xlim=(-1.03, 1.03), ylim=(0, 1.5), xlabel="shift α of the inputs", ylabel="error, relative to its maximum"
        )
        band = right.fill_between(SHIFTS, 0, 0, color=COLOURS["orange"], alpha=0.2, lw=0)
        lines = [right.plot([], [], color=COLOURS[COLOUR[name]], label=name)[0] for name in ERRORS]
        lines[2].set_linewidth(3)
        right.legend(loc="upper center", ncols=3)
        (here,) = right.plot([0, 0], [0, 1.28], color=COLOURS["green"], lw=1.5, zorder=1.9)  # below the key
        marks = [right.plot([], [], "o", ms=8, color=COLOURS[COLOUR[name]])[0] for name in ERRORS]
        return {"bars": bars, "note": note, "band": band, "lines": lines, "here": here, "marks": marks,
                "title": right.set_title(TITLE)}  # fmt: skip

    def update(artists, alpha=0.0, penalty=0.178, kernel="linear + Gaussian"):
        mean, spread = traces(penalty, kernel)
        top = mean.max(axis=1, keepdims=True)
        relative, k = mean / top, int(np.argmin(np.abs(SHIFTS - alpha)))
        for bar, height in zip(artists["bars"], shift_shares(SHIFTS[k]), strict=True):
            bar.set_height(height)
        for line, mark, values in zip(artists["lines"], artists["marks"], relative, strict=True):
            line.set_data(SHIFTS, values)
            mark.set_data([SHIFTS[k]], [values[k]])
        artists["band"].set_data(SHIFTS, relative[2] - spread[2] / top[2], relative[2] + spread[2] / top[2])
        artists["here"].set_xdata([SHIFTS[k]] * 2)
        low = relative.min(axis=1)
        artists["title"].set_text(f"λ = {penalty:g}: CKCE falls to {low[2]:.0%} of its maximum")
        said = ", ".join(f"{name} {m[k]:.3f} ± {s[k]:.3f}" for name, m, s in zip(ERRORS, mean, spread, strict=True))
        lows = ", ".join(f"{name} {value:.0%}" for name, value in zip(ERRORS, low, strict=True))
        return (
            f"α = {alpha:g}, λ = {penalty:g}, kernel {kernel}; {SHIFT_SETS} data sets, n = {SHIFT_N:,}, mean ± "
            f"standard deviation: {said}. Lowest over α, relative to the maximum: {lows}."
        )

    return explore(setup, update, size=(10, 4.3), alpha=(-1.0, 1.0, 0.125), penalty=SHIFT_PENALTIES,
                   kernel=list(SHIFT_KERNELS), labels={"alpha": "shift α", "penalty": "λ"})  # fmt: skip


def random_features():
    """Random Fourier features: how far kernel and CKCE are from exact, as features are added."""

    def setup(fig):
        for model in DRAWN_MODELS:
            feature_errors(model)
        columns = fig.add_gridspec(1, 3, width_ratios=[1, 1, 1])
        left, middle, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(0.2, 2.1), ylim=(-0.6, 2.9), xlabel="kernel", ylabel="from random features")
        left.plot([0, 3], [0, 3], color=COLOURS["grey"], lw=1, ls="--")
        pairs = left.scatter([], [], s=6, lw=0, color=COLOURS["blue"], alpha=0.7)
        panels = []
        for axes, name in ((middle, "error of the kernel"), (right, "error of the CKCE, relative")):
            axes.set(xscale="log", yscale="log", xlim=(3.5, 720), ylim=(2e-4, 1), xlabel="frequencies D", title=name)
            axes.set_xticks([5, 20, 100, 500], ["5", "20", "100", "500"])
            axes.set_yticks([0.001, 0.01, 0.1, 1], [".001", ".01", ".1", "1"])
            axes.minorticks_off()
            others = axes.scatter([], [], s=12, lw=0, color=COLOURS["grey"], label="12 draws")
            (guide,) = axes.plot([], [], color=COLOURS["ink"], lw=1, ls="--", label="1/√D")
            (mark,) = axes.plot([], [], "o", ms=9, color=COLOURS["orange"], label="this draw")
            panels.append({"others": others, "guide": guide, "mark": mark})
        middle.legend(loc="lower left")
        return {"pairs": pairs, "panels": panels, "title": left.set_title(TITLE)}

    def update(artists, frequencies=20, draw=1, model=DRAWN_MODELS[0]):
        found, exact = feature_errors(model), exact_norm(model)
        shown, off, value = found[frequencies, draw]
        _, _, K = some_digits(model)
        artists["pairs"].set_offsets(np.column_stack([K[shown_entries()], shown]))
        errors = np.array([[each[1], abs(each[2] - exact) / exact] for each in found.values()])
        counts = np.repeat(COUNTS, DRAWS)
        now = off, abs(value - exact) / exact
        for panel, every, mine in zip(artists["panels"], errors.T, now, strict=True):
            panel["others"].set_offsets(np.column_stack([counts, every]))
            scale = np.sqrt((every**2 * counts).mean())
            panel["guide"].set_data(COUNTS, scale / np.sqrt(COUNTS))
            panel["mark"].set_data([frequencies], [max(mine, 2e-4)])
        artists["title"].set_text(f"D = {frequencies}")
        return (
            f"{model}, {len(K)} digits, D = {frequencies} frequencies, draw {draw}: the kernel is off by {now[0]:.4f} "
            f"(root mean square over pairs); CKCE {value:.5f}, exact {exact:.5f}, off by {now[1]:.1%}."
        )

    return explore(setup, update, size=(10, 3.9), frequencies=COUNTS, draw=(1, DRAWS, 1), model=DRAWN_MODELS,
                   labels={"frequencies": "frequencies D"})  # fmt: skip


def darker_digits():
    """Two models read the same digits in another light: which one is preferred, by which error?"""

    def setup(fig):
        for models in PAIRS.values():
            for model in models:
                for change in CHANGES:
                    lit_errors(model, change)
        grid = fig.add_gridspec(2, 4, width_ratios=[0.62, 1, 1, 1], height_ratios=[1, 0.06])
        pictures = fig.add_subplot(grid[0, 0])
        pictures.set(xticks=[], yticks=[])
        image = pictures.imshow(montage(0), cmap="gray", vmin=0, vmax=1)
        panels = []
        for k in range(len(ERRORS)):
            axes = fig.add_subplot(grid[0, k + 1])
            axes.set(xlim=(-55, 55), ylim=(0, 1.06), xlabel="brightness, %", yticks=[0, 0.5, 1])
            axes.set_xticks([-50, 0, 50])
            if k:
                axes.tick_params(labelleft=False)
            else:
                axes.set_ylabel("error, relative to the largest")
            lines = [axes.plot([], [], "o-", ms=4, color=COLOURS[colour])[0] for colour in ("blue", "green")]
            here = axes.axvline(0, color=COLOURS["orange"], lw=1.5)
            panels.append({"here": here, "lines": lines, "title": axes.set_title(TITLE + "\n" + TITLE, fontsize=11)})
        below = fig.add_subplot(grid[1, 1:])
        below.set_axis_off()
        names = [
            below.text(x, 0.5, "", ha="center", va="center", fontsize=12, color=COLOURS[colour])
            for x, colour in ((0.25, "blue"), (0.75, "green"))
        ]
        return {"image": image, "panels": panels, "names": names, "title": pictures.set_title(TITLE)}

    def update(artists, brightness=0, models="random forest, logistic regression"):
        names = PAIRS[models]
        values = np.array([[lit_errors(name, change) for change in CHANGES] for name in names])
        k = CHANGES.index(brightness)
        artists["image"].set_data(montage(brightness))
        sign = {-1: "−", 0: "", 1: "+"}[np.sign(brightness)]
        light = f"{sign}{abs(brightness)} %"
        artists["title"].set_text(light)
        flips = []
        for row, (name, panel) in enumerate(zip(ERRORS, artists["panels"], strict=True)):
            both = values[:, :, row]
            for line, each in zip(panel["lines"], both, strict=True):
                line.set_data(CHANGES, each / both.max())
            panel["here"].set_xdata([brightness] * 2)
            smaller = int((both[0] < both[1]).sum())
            flips.append(f"{name} {smaller} of {len(CHANGES)}")
            panel["title"].set_text(f"{name}\n{both[0, k]:.4f} : {both[1, k]:.4f}")
        for text, name in zip(artists["names"], names, strict=True):
            text.set_text(f"● {name}")
        a, b = values[:, k, 3]
        said = ", ".join(f"{n} {x:.4f} and {z:.4f}" for n, x, z in zip(ERRORS, *values[:, k, :3], strict=True))
        return (
            f"{names[0]} and {names[1]}, {LIT_N} digits, brightness {light}: "
            f"{a:.1%} and {b:.1%} right, {said}. "
            f"{names[0].capitalize()} has the smaller error at this many levels: {', '.join(flips)}."
        )

    return explore(setup, update, size=(10, 3.9), brightness=(-50, 50, 10), models=list(PAIRS))
