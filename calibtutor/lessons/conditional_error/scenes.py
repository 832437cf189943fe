"""Scenes of notebook 06, first half: two models, the regression inside the CKCE, and what a kernel can represent."""

import numpy as np

from ...plots import COLOURS, TITLE, Heatmap, ReliabilityDiagram
from ...teach.explore import explore
from . import simulations as sims

__all__ = [
    "darker_digits",
    "predict_by_weights",
    "random_features",
    "representable",
    "shift",
    "two_models",
]

PAIRS = {
    "logistic regression, naive Bayes": ("logistic regression", "naive Bayes"),
    "random forest, naive Bayes": ("random forest", "naive Bayes"),
    "random forest, logistic regression": ("random forest", "logistic regression"),
    "neural network, naive Bayes": ("neural network", "naive Bayes"),
}
ERRORS = ("ECE", "JKCE", "CKCE")
SIDES = ("blue", "green")


def two_models():
    """Which of two models is better calibrated? Both diagrams, and what three errors say."""

    def setup(fig):
        for models in PAIRS.values():
            for model in models:
                for images in sims.IMAGES:
                    sims.compared(model, images)
        columns = fig.add_gridspec(1, 3, width_ratios=[1, 1, 1.15])
        diagrams = [ReliabilityDiagram(fig, spec=columns[k], colour=colour) for k, colour in enumerate(SIDES)]
        diagrams[1].axes.set_ylabel("")
        axes = fig.add_subplot(columns[2])
        axes.set(xlim=(-0.55, 2.55), ylim=(0, 1.16), ylabel="error, relative to the larger")
        axes.set_xticks(range(3), ERRORS)
        bars, numbers = [], []
        for k, colour in enumerate(SIDES):
            places = np.arange(3) + 0.4 * (k - 0.5)
            bars += axes.bar(places, [1] * 3, width=0.36, color=COLOURS[colour], alpha=0.8)
            numbers += [axes.text(x, 1, "", ha="center", va="bottom", fontsize=9) for x in places]
        return {"diagrams": diagrams, "bars": bars, "numbers": numbers, "title": axes.set_title(TITLE)}

    def update(artists, models="logistic regression, naive Bayes", images="all"):
        names = PAIRS[models]
        found = [sims.compared(name, images) for name in names]
        values = np.array([errors for _, errors, _ in found])
        for diagram, name, (curve, _, _) in zip(artists["diagrams"], names, found, strict=True):
            diagram.update(curve, title=name)
        heights = np.maximum(values / np.maximum(values.max(axis=0), 1e-12), 0)
        marks = zip(artists["bars"], artists["numbers"], values.ravel(), heights.ravel(), strict=True)
        for bar, number, value, height in marks:
            bar.set_height(height)
            number.set_y(height + 0.01)
            number.set_text(f"{value:.3f}" if value >= 0.02 else f"{value:.4f}")
        count = found[0][2]
        artists["title"].set_text(f"{count:,} images: {images}")
        said = ", ".join(f"{name} {a:.4f} and {b:.4f}" for name, (a, b) in zip(ERRORS, values.T, strict=True))
        better = ", ".join(f"{name} {names[k]}" for name, k in zip(ERRORS, values.argmin(axis=0), strict=True))
        return f"{names[0]} and {names[1]}, {images} of the images, n = {count:,}: {said}. The smaller: {better}."

    return explore(setup, update, size=(10, 4.1), models=list(PAIRS), images=sims.IMAGES)


def predict_by_weights():
    """A conditional mean from weights: what happened and what was said near one confidence, and their difference."""
    grid = np.linspace(0.3, 1, 141)

    def setup(fig):
        for width in sims.WIDTHS:
            sims.weights(grid[:1], 1.0, width)
        hit, confidence = sims.forest()
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.15])
        left, right = (fig.add_subplot(column) for column in columns)
        for axes in (left, right):
            axes.set(xlim=(0.28, 1.02), xlabel="confidence")
        left.set(ylim=(-0.45, 1.35), yticks=[], ylabel="weight, relative to the largest")
        left.axhline(0, color=COLOURS["ink"], lw=1)
        dots = [
            left.scatter([0.5], [0], s=size, lw=0, color=COLOURS[colour], label=name)
            for colour, name, size in (("blue", "right", 10), ("orange", "wrong", 24))
        ]
        left.legend(loc="upper center", markerscale=2, ncols=2)
        right.set(ylim=(-0.02, 1.35), ylabel="sum of weight × value")
        right.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls=":")
        gap = right.fill_between(grid, 0, 0, color=COLOURS["yellow"], alpha=0.35, lw=0)
        (truth,) = right.plot([], [], color=COLOURS["blue"], label="labels: right is 1")
        (promise,) = right.plot([], [], color=COLOURS["ink"], ls="--", label="confidences")
        right.legend(loc="upper center", ncols=2)
        (line,) = left.plot([0.5, 0.5], [-0.45, 1.15], color=COLOURS["green"], lw=1.5, zorder=0.9)  # below the key
        (ends,) = right.plot([], [], "o-", color=COLOURS["green"], ms=7, clip_on=False)
        ends.set_in_layout(False)
        titles = [left.set_title(TITLE), right.set_title(TITLE)]
        return {"dots": dots, "gap": gap, "curves": [truth, promise], "line": line, "ends": ends, "titles": titles}

    def update(artists, q=0.55, penalty=0.01, width=0.1):
        hit, confidence = sims.forest()
        at_q = sims.weights([q], penalty, width)[:, 0]
        every = sims.weights(grid, penalty, width)
        largest = np.abs(at_q).max()
        for label, dots in zip((1, 0), artists["dots"], strict=True):
            dots.set_offsets(np.column_stack([confidence, at_q / largest])[hit == label])
        truth, promise = hit @ every, confidence @ every
        for line, values in zip(artists["curves"], (truth, promise), strict=True):
            line.set_data(grid, values)
        artists["gap"].set_data(grid, truth, promise)
        artists["line"].set_xdata([q, q])
        happened, said = float(hit @ at_q), float(confidence @ at_q)
        artists["ends"].set_data([q, q], [said, happened])
        artists["titles"][0].set_text(f"weights sum to {at_q.sum():.2f}")
        artists["titles"][1].set_text(f"g({q:.2f}) = {said:.3f} − {happened:.3f} = {said - happened:+.3f}")
        effect = (
            "So large a λ pulls both means towards 0"
            if abs(said - q) > 0.05
            else "So small a λ lets single images pull"
            if penalty <= 0.0001
            else "λ hardly shrinks the means here"
        )
        return (
            f"Random forest, {len(hit)} digits, λ = {penalty:g}, bandwidth {width:g}. At confidence {q:.2f} "
            f"the weights sum to {at_q.sum():.3f}, the weighted confidences to {said:.3f}, the weighted labels to "
            f"{happened:.3f}: g = {said - happened:+.3f}. {effect}."
        )

    return explore(setup, update, size=(9.8, 4.2), q=(0.3, 1.0, 0.05), penalty=sims.PENALTIES, width=sims.WIDTHS,
                   labels={"q": "confidence q", "penalty": "λ", "width": "bandwidth"})  # fmt: skip


def representable():
    """What regression with a linear kernel, a Gaussian, and both can find of a known miss, without any noise."""

    def setup(fig):
        for name in sims.FEATURES:
            sims.fitted(name, "constant", 1.0)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.1, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(0.2, 0.8), ylim=(-0.22, 0.22), xlabel="prediction p", ylabel="says too much by")
        left.axhline(0, color=COLOURS["grey"], lw=1)
        (truth,) = left.plot([], [], color=COLOURS["ink"], ls="--", label="true miss")
        lost = left.fill_between(sims.SCORES, 0, 0, color=COLOURS["yellow"], alpha=0.35, lw=0)
        (found,) = left.plot([], [], color=COLOURS["orange"], lw=2.5, label="found")
        left.legend(loc="lower right", ncols=2)
        right.set(xscale="log", xlim=(7e-7, 1.3), ylim=(0, 1.2), xlabel="λ", ylabel="share of the miss not found")
        right.set_xticks([1e-6, 1e-4, 1e-2, 1], ["1e-6", ".0001", ".01", "1"])
        right.minorticks_off()
        curves = {
            name: right.plot([], [], color=COLOURS[colour], ls=style, label=name)[0]
            for name, colour, style in zip(sims.FEATURES, ("green", "sky", "orange"), ("--", "-.", "-"), strict=True)
        }
        right.legend(loc="upper center", ncols=3, columnspacing=1, handlelength=1.8)
        (mark,) = right.plot([], [], "o", color=COLOURS["ink"], ms=9, clip_on=False)
        mark.set_in_layout(False)
        titles = [left.set_title(TITLE), right.set_title(TITLE)]
        return {"truth": truth, "lost": lost, "found": found, "curves": curves, "mark": mark, "titles": titles}

    def update(artists, miss="S-shape", kernel="linear", penalty=0.001):
        true, shares = sims.MISSES[miss], {}
        for name, curve in artists["curves"].items():
            curve.set_data(sims.LADDER, [_left_over(name, miss, level) for level in sims.LADDER])
            curve.set_linewidth(3.5 if name == kernel else 1.5)
            shares[name] = _left_over(name, miss, penalty)
        found, norm = sims.fitted(kernel, miss, penalty)
        artists["truth"].set_data(sims.SCORES, true)
        artists["found"].set_data(sims.SCORES, found)
        artists["lost"].set_data(sims.SCORES, true, found)
        artists["mark"].set_data([penalty], [shares[kernel]])
        artists["titles"][0].set_text(f"{kernel} kernel, λ = {penalty:g}: CKCE {norm:.3f}")
        artists["titles"][1].set_text(f"{kernel}: {shares[kernel]:.1%} not found")
        said = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        return (
            f"True miss: {miss}; λ = {penalty:g}. Root mean square of what is not found, relative to that of the miss: "
            f"{said}. CKCE with the {kernel} kernel: {norm:.4f}."
        )

    return explore(setup, update, size=(9.6, 4.1), miss=["S-shape", *[m for m in sims.MISSES if m != "S-shape"]],
                   kernel=list(sims.FEATURES), penalty=sims.LADDER, labels={"penalty": "λ", "miss": "true miss"})  # fmt: skip


def _left_over(name, miss, penalty):
    true = sims.MISSES[miss]
    return float(np.sqrt(((sims.fitted(name, miss, penalty)[0] - true) ** 2).mean() / (true**2).mean()))


COLOUR = dict(zip(ERRORS, ("blue", "pink", "orange"), strict=True))
LIT_PAIRS = {
    "random forest, logistic regression": ("random forest", "logistic regression"),
    "logistic regression, naive Bayes": ("logistic regression", "naive Bayes"),
    "random forest, naive Bayes": ("random forest", "naive Bayes"),
}


def shift():
    """The same calibration curve, other inputs: three errors while P(X) moves (the paper's Figure 2)."""
    middle = (sims.CELLS[1:] + sims.CELLS[:-1]) / 2

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.4])
        rows = columns[0].subgridspec(2, 1, height_ratios=[2, 1], hspace=0.05)
        top = fig.add_subplot(rows[0])
        below = fig.add_subplot(rows[1], sharex=top)
        right = fig.add_subplot(columns[1])
        top.set(xlim=(0, 1), ylim=(0, 1), ylabel="probability of Y = 1", title="this never changes …")
        top.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls="--")
        p = np.linspace(0.0067, 0.9933, 200)
        top.plot(p, sims.calibration_curve(p), color=COLOURS["ink"])
        top.tick_params(labelbottom=False)
        below.set(ylim=(0, 0.4), yticks=[], xlabel="prediction", ylabel="share")
        bars = below.bar(middle, 0 * middle, width=1 / 32, color=COLOURS["sky"])
        note = below.text(0.5, 0.97, "… this does", transform=below.transAxes, ha="center", va="top", fontsize=12)
        right.set(
            xlim=(-1.03, 1.03), ylim=(0, 1.5), xlabel="shift α of the inputs", ylabel="error, relative to its maximum"
        )
        band = right.fill_between(sims.SHIFTS, 0, 0, color=COLOURS["orange"], alpha=0.2, lw=0)
        lines = [right.plot([], [], color=COLOURS[COLOUR[name]], label=name)[0] for name in ERRORS]
        lines[2].set_linewidth(3)
        right.legend(loc="upper center", ncols=3)
        (here,) = right.plot([0, 0], [0, 1.28], color=COLOURS["green"], lw=1.5, zorder=1.9)  # below the key
        marks = [right.plot([], [], "o", ms=8, color=COLOURS[COLOUR[name]])[0] for name in ERRORS]
        return {"bars": bars, "note": note, "band": band, "lines": lines, "here": here, "marks": marks,
                "title": right.set_title(TITLE)}  # fmt: skip

    def update(artists, alpha=0.0, penalty=0.178, kernel="linear + Gaussian"):
        mean, spread = sims.traces(penalty, kernel)
        top = mean.max(axis=1, keepdims=True)
        relative, k = mean / top, int(np.argmin(np.abs(sims.SHIFTS - alpha)))
        for bar, height in zip(artists["bars"], sims.shift_shares(sims.SHIFTS[k]), strict=True):
            bar.set_height(height)
        for line, mark, values in zip(artists["lines"], artists["marks"], relative, strict=True):
            line.set_data(sims.SHIFTS, values)
            mark.set_data([sims.SHIFTS[k]], [values[k]])
        artists["band"].set_data(sims.SHIFTS, relative[2] - spread[2] / top[2], relative[2] + spread[2] / top[2])
        artists["here"].set_xdata([sims.SHIFTS[k]] * 2)
        low = relative.min(axis=1)
        artists["title"].set_text(f"λ = {penalty:g}: CKCE falls to {low[2]:.0%} of its maximum")
        said = ", ".join(f"{name} {m[k]:.3f} ± {s[k]:.3f}" for name, m, s in zip(ERRORS, mean, spread, strict=True))
        lows = ", ".join(f"{name} {value:.0%}" for name, value in zip(ERRORS, low, strict=True))
        return (
            f"α = {alpha:g}, λ = {penalty:g}, kernel {kernel}; {sims.SHIFT_SETS} data sets, n = {sims.SHIFT_N:,}, mean ± "
            f"standard deviation: {said}. Lowest over α, relative to the maximum: {lows}."
        )

    return explore(setup, update, size=(10, 4.3), alpha=(-1.0, 1.0, 0.125), penalty=sims.SHIFT_PENALTIES,
                   kernel=list(sims.SHIFT_KERNELS), labels={"alpha": "shift α", "penalty": "λ"})  # fmt: skip


def random_features():
    """Random Fourier features: how far kernel and CKCE are from exact, as features are added."""

    def setup(fig):
        for model in sims.DRAWN_MODELS:
            sims.feature_errors(model)
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

    def update(artists, frequencies=20, draw=1, model=sims.DRAWN_MODELS[0]):
        found, exact = sims.feature_errors(model), sims.exact_norm(model)
        shown, off, value = found[frequencies, draw]
        _, _, K = sims.some_digits(model)
        artists["pairs"].set_offsets(np.column_stack([K[sims.shown_entries()], shown]))
        errors = np.array([[each[1], abs(each[2] - exact) / exact] for each in found.values()])
        counts = np.repeat(sims.COUNTS, sims.DRAWS)
        now = off, abs(value - exact) / exact
        for panel, every, mine in zip(artists["panels"], errors.T, now, strict=True):
            panel["others"].set_offsets(np.column_stack([counts, every]))
            scale = np.sqrt((every**2 * counts).mean())
            panel["guide"].set_data(sims.COUNTS, scale / np.sqrt(sims.COUNTS))
            panel["mark"].set_data([frequencies], [max(mine, 2e-4)])
        artists["title"].set_text(f"D = {frequencies}")
        return (
            f"{model}, {len(K)} digits, D = {frequencies} frequencies, draw {draw}: the kernel is off by {now[0]:.4f} "
            f"(root mean square over pairs); CKCE {value:.5f}, exact {exact:.5f}, off by {now[1]:.1%}."
        )

    return explore(setup, update, size=(10, 3.9), frequencies=sims.COUNTS, draw=(1, sims.DRAWS, 1), model=sims.DRAWN_MODELS,
                   labels={"frequencies": "frequencies D"})  # fmt: skip


def darker_digits():
    """Two models read the same digits in another light: which one is preferred, by which error?"""

    def setup(fig):
        for models in LIT_PAIRS.values():
            for model in models:
                for change in sims.CHANGES:
                    sims.lit_errors(model, change), sims.montage(change)
        grid = fig.add_gridspec(2, 4, width_ratios=[0.62, 1, 1, 1], height_ratios=[1, 0.06])
        pictures = fig.add_subplot(grid[0, 0])
        image = Heatmap(pictures, sims.montage(0).shape, x=(0, 19), y=(0, 37), cmap="gray")
        pictures.set(aspect="equal", ylim=(37, 0), xticks=[], yticks=[])
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
        names = LIT_PAIRS[models]
        values = np.array([[sims.lit_errors(name, change) for change in sims.CHANGES] for name in names])
        k = sims.CHANGES.index(brightness)
        artists["image"].set_data(sims.montage(brightness))
        sign = {-1: "−", 0: "", 1: "+"}[np.sign(brightness)]
        light = f"{sign}{abs(brightness)} %"
        artists["title"].set_text(light)
        flips = []
        for row, (name, panel) in enumerate(zip(ERRORS, artists["panels"], strict=True)):
            both = values[:, :, row]
            for line, each in zip(panel["lines"], both, strict=True):
                line.set_data(sims.CHANGES, each / both.max())
            panel["here"].set_xdata([brightness] * 2)
            smaller = int((both[0] < both[1]).sum())
            flips.append(f"{name} {smaller} of {len(sims.CHANGES)}")
            panel["title"].set_text(f"{name}\n{both[0, k]:.4f} : {both[1, k]:.4f}")
        for text, name in zip(artists["names"], names, strict=True):
            text.set_text(f"● {name}")
        a, b = values[:, k, 3]
        said = ", ".join(f"{n} {x:.4f} and {z:.4f}" for n, x, z in zip(ERRORS, *values[:, k, :3], strict=True))
        return (
            f"{names[0]} and {names[1]}, {sims.LIT_N} digits, brightness {light}: "
            f"{a:.1%} and {b:.1%} right, {said}. "
            f"{names[0].capitalize()} has the smaller error at this many levels: {', '.join(flips)}."
        )

    return explore(setup, update, size=(10, 3.9), brightness=(-50, 50, 10), models=list(LIT_PAIRS))
