"""Scenes of notebook 06, first half: two models, the regression inside the CKCE, and what a kernel can represent."""

import numpy as np

from ..explore import explore
from ..plots import COLOURS, TITLE, ReliabilityDiagram
from .ckce_simulations import (
    FEATURES,
    IMAGES,
    LADDER,
    MISSES,
    PENALTIES,
    SCORES,
    WIDTHS,
    compared,
    fitted,
    forest,
    weights,
)

__all__ = ["predict_by_weights", "representable", "two_models"]

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
                for images in IMAGES:
                    compared(model, images)
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
        found = [compared(name, images) for name in names]
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

    return explore(setup, update, size=(10, 4.1), models=list(PAIRS), images=IMAGES)


def predict_by_weights():
    """A conditional mean from weights: what happened and what was said near one confidence, and their difference."""
    grid = np.linspace(0.3, 1, 141)

    def setup(fig):
        for width in WIDTHS:
            weights(grid[:1], 1.0, width)
        hit, confidence = forest()
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
        hit, confidence = forest()
        at_q = weights([q], penalty, width)[:, 0]
        every = weights(grid, penalty, width)
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

    return explore(setup, update, size=(9.8, 4.2), q=(0.3, 1.0, 0.05), penalty=PENALTIES, width=WIDTHS,
                   labels={"q": "confidence q", "penalty": "λ", "width": "bandwidth"})  # fmt: skip


def representable():
    """What regression with a linear kernel, a Gaussian, and both can find of a known miss, without any noise."""

    def setup(fig):
        for name in FEATURES:
            fitted(name, "constant", 1.0)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.1, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(0.2, 0.8), ylim=(-0.22, 0.22), xlabel="prediction p", ylabel="says too much by")
        left.axhline(0, color=COLOURS["grey"], lw=1)
        (truth,) = left.plot([], [], color=COLOURS["ink"], ls="--", label="true miss")
        lost = left.fill_between(SCORES, 0, 0, color=COLOURS["yellow"], alpha=0.35, lw=0)
        (found,) = left.plot([], [], color=COLOURS["orange"], lw=2.5, label="found")
        left.legend(loc="lower right", ncols=2)
        right.set(xscale="log", xlim=(7e-7, 1.3), ylim=(0, 1.2), xlabel="λ", ylabel="share of the miss not found")
        right.set_xticks([1e-6, 1e-4, 1e-2, 1], ["1e-6", ".0001", ".01", "1"])
        right.minorticks_off()
        curves = {
            name: right.plot([], [], color=COLOURS[colour], ls=style, label=name)[0]
            for name, colour, style in zip(FEATURES, ("green", "sky", "orange"), ("--", "-.", "-"), strict=True)
        }
        right.legend(loc="upper center", ncols=3, columnspacing=1, handlelength=1.8)
        (mark,) = right.plot([], [], "o", color=COLOURS["ink"], ms=9, clip_on=False)
        mark.set_in_layout(False)
        titles = [left.set_title(TITLE), right.set_title(TITLE)]
        return {"truth": truth, "lost": lost, "found": found, "curves": curves, "mark": mark, "titles": titles}

    def update(artists, miss="S-shape", kernel="linear", penalty=0.001):
        true, shares = MISSES[miss], {}
        for name, curve in artists["curves"].items():
            curve.set_data(LADDER, [_left_over(name, miss, level) for level in LADDER])
            curve.set_linewidth(3.5 if name == kernel else 1.5)
            shares[name] = _left_over(name, miss, penalty)
        found, norm = fitted(kernel, miss, penalty)
        artists["truth"].set_data(SCORES, true)
        artists["found"].set_data(SCORES, found)
        artists["lost"].set_data(SCORES, true, found)
        artists["mark"].set_data([penalty], [shares[kernel]])
        artists["titles"][0].set_text(f"{kernel} kernel, λ = {penalty:g}: CKCE {norm:.3f}")
        artists["titles"][1].set_text(f"{kernel}: {shares[kernel]:.1%} not found")
        said = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        return (
            f"True miss: {miss}; λ = {penalty:g}. Root mean square of what is not found, relative to that of the miss: "
            f"{said}. CKCE with the {kernel} kernel: {norm:.4f}."
        )

    return explore(setup, update, size=(9.6, 4.1), miss=["S-shape", *[m for m in MISSES if m != "S-shape"]],
                   kernel=list(FEATURES), penalty=LADDER, labels={"penalty": "λ", "miss": "true miss"})  # fmt: skip


def _left_over(name, miss, penalty):
    true = MISSES[miss]
    return float(np.sqrt(((fitted(name, miss, penalty)[0] - true) ** 2).mean() / (true**2).mean()))
