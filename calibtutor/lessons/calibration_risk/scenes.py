"""Scenes of notebook 03, the calibration risk."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...data.worlds import random_world, wave_world
from ...plots import COLOURS, TITLE, Heatmap, Histogram
from ...selection import select_estimator
from ...teach.explore import explore
from ..shared.surfaces import two_surfaces  # noqa: F401  notebook 03 shows it again
from . import simulations as sims

__all__ = [
    "a_bug_replayed", "distance_you_can_measure", "five_estimators", "learn_from_pairs", "rank_seven",
    "ridge_surfaces", "skip_the_diagonal", "which_to_believe",
]  # fmt: skip

CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")
ESTIMATORS = ("15 bins", "binning", "kde", "kkr", "ukkr")
WITH_NOTHING = ("h = 0", *ESTIMATORS)


@lru_cache
def _selection(model):
    each = digits_predictions(model)
    return select_estimator(each.y_true, each.y_prob, notion="top-label", rng=0)


def _error_dots(axes, names, xlabel, limits):
    """Dots with horizontal error bars, one row a name; returns what moves."""
    axes.set(xlim=limits, ylim=(-0.6, len(names) - 0.4), xlabel=xlabel)
    axes.set_yticks(range(len(names)), list(names)[::-1])
    (dots,) = axes.plot([], [], "o", ms=9, color=COLOURS["blue"])
    bars = axes.hlines([0], [0], [0], color=COLOURS["blue"], lw=2)
    return dots, bars


def _move_dots(dots, bars, values, errors):
    rows = np.arange(len(values))[::-1]
    dots.set_data(values, rows)
    bars.set_segments([[(v - e, y), (v + e, y)] for v, e, y in zip(values, errors, rows, strict=True)])


def five_estimators():
    """Five estimators of the same top-label error on the same real predictions."""

    def setup(fig):
        for model in CAST:
            _selection(model)  # once, so that no click waits
        axes = fig.add_subplot()
        dots, bars = _error_dots(axes, ESTIMATORS, "estimated squared top-label error × 1000, log scale", (0.01, 100))
        axes.set_xscale("log")
        return {"dots": dots, "bars": bars, "title": axes.set_title(TITLE)}

    def update(artists, model="neural network"):
        table = _selection(model).table.loc[list(ESTIMATORS)]
        values = 1000 * table["estimate"].to_numpy(float)
        _move_dots(artists["dots"], artists["bars"], values, 1000 * table["estimate_spread"].to_numpy(float))
        artists["title"].set_text(f"{model}: from {values.min():.2f} to {values.max():.2f}")
        said = ", ".join(f"{name} {v:.2f}" for name, v in zip(ESTIMATORS, values, strict=True))
        return f"{model} on 1079 digits, squared top-label error × 1000: {said}."

    return explore(setup, update, size=(8.6, 3), model=list(CAST))


def learn_from_pairs():
    """Products of residuals in one cell of the pair map: wild values whose mean is h*."""
    world, cells = wave_world(1, 0.15), 8
    data = {n: world.sample(n, 1) for n in (200, 1000, 4000)}
    middle = (np.arange(cells) + 0.5) / cells

    @lru_cache
    def grouped(n):
        y, p = data[n]
        return [(p - y)[(p * cells).astype(int) == m] for m in range(cells)]

    @lru_cache
    def means(n):
        return np.array([part.mean() for part in grouped(n)])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.2])
        axes = fig.add_subplot(columns[0])
        image = Heatmap(axes, (cells, cells), vmin=-0.04, vmax=0.04)
        axes.set(aspect="equal", xlabel="p", ylabel="p'", title="mean of ⟨δ, δ'⟩ in each cell")
        (frame,) = axes.plot([], [], color=COLOURS["ink"], lw=2)
        panel = fig.add_subplot(columns[1])
        histogram = Histogram(panel, np.linspace(-1, 1, 41), xlabel="⟨δ, δ'⟩ for pairs of this cell",
                              truth_label="h* at its middle", mean_label="mean of the pairs")  # fmt: skip
        panel.set_ylabel("share of pairs")
        fig.colorbar(image, ax=axes)
        return {"image": image, "frame": frame, "histogram": histogram}

    def update(artists, p_cell=2, other_cell=2, n=1000):
        image = np.outer(means(n), means(n))
        artists["image"].set_data(image.T)
        x, y = p_cell / cells, other_cell / cells
        artists["frame"].set_data([x, x + 1 / cells, x + 1 / cells, x, x], [y, y, y + 1 / cells, y + 1 / cells, y])
        pairs = np.outer(grouped(n)[p_cell], grouped(n)[other_cell])
        if p_cell == other_cell:
            pairs = pairs[~np.eye(len(pairs), dtype=bool)]  # a prediction is no pair with itself
        gap = middle - world.curve(middle)
        truth = gap[p_cell] * gap[other_cell]
        artists["histogram"].update(
            pairs.ravel(), truth, pairs.mean(), f"{pairs.size:,} pairs: mean {pairs.mean():+.4f}, h* {truth:+.4f}"
        )
        return (
            f"n = {n}: {pairs.size:,} pairs, p near {middle[p_cell]:.2f} and p' near {middle[other_cell]:.2f}; their "
            f"products run from {pairs.min():+.2f} to {pairs.max():+.2f}, their mean is {pairs.mean():+.4f}, "
            f"h* is {truth:+.4f}."
        )

    return explore(setup, update, size=(9.4, 3.8), p_cell=(0, cells - 1, 1), other_cell=(0, cells - 1, 1), n=list(data),
                   labels={"p_cell": "cell of p", "other_cell": "cell of p'"})  # fmt: skip


def distance_you_can_measure():
    """Figure 1 of Gruber & Bach: the risk over θ, and its excess beside the distance to the truth."""

    def setup(fig):
        for n in (100, 500):
            sims.figure_one(n)
        columns = fig.add_gridspec(1, 2)
        axes = fig.add_subplot(columns[0])
        axes.set(
            xscale="log",
            xlim=(sims.THETAS[0], sims.THETAS[-1]),
            ylim=(0, 0.03),
            xlabel="θ",
            ylabel="estimated risk",
            title="what you can compute",
        )
        band = axes.fill_between(sims.THETAS, 0 * sims.THETAS, 0 * sims.THETAS, color=COLOURS["sky"], alpha=0.5, lw=0)
        (risk,) = axes.plot([], [], color=COLOURS["blue"])
        (dot,) = axes.plot([], [], "o", ms=10, color=COLOURS["orange"])
        axes.axvline(1, color=COLOURS["grey"], ls="--", lw=1)
        panel = fig.add_subplot(columns[1], sharex=axes)
        panel.set(ylim=(-0.0005, 0.018), xlabel="θ", ylabel="squared distance", title="what only the world knows")
        (excess,) = panel.plot([], [], color=COLOURS["blue"], lw=4, alpha=0.5, label="risk(θ) − risk(1)")
        (distance,) = panel.plot([], [], color=COLOURS["ink"], lw=1.3, ls="--", label="mean of (h − h*)²")
        (there,) = panel.plot([], [], "o", ms=10, color=COLOURS["orange"])
        panel.axvline(1, color=COLOURS["grey"], ls="--", lw=1)
        panel.legend(loc="upper center")
        return {"band": band, "risk": risk, "dot": dot, "excess": excess, "distance": distance, "there": there}

    def update(artists, log2_theta=0.0, n=500):
        risks, distances = sims.figure_one(n)
        mean, spread = risks.mean(axis=0), risks.std(axis=0, ddof=1)
        step = int(np.argmin(np.abs(np.log2(sims.THETAS) - log2_theta)))
        artists["band"].set_data(sims.THETAS, mean - spread, mean + spread)
        artists["risk"].set_data(sims.THETAS, mean)
        artists["dot"].set_data([sims.THETAS[step]], [mean[step]])
        base = mean[int(np.argmin(np.abs(np.log2(sims.THETAS))))]
        artists["excess"].set_data(sims.THETAS, mean - base)
        artists["distance"].set_data(sims.THETAS, distances)
        artists["there"].set_data([sims.THETAS[step]], [distances[step]])
        return (
            f"θ = {sims.THETAS[step]:.3g}, n = {n}: risk {mean[step]:.4f} ± {spread[step]:.4f} over {len(risks)} data sets; "
            f"at θ = 1 it is {base:.4f}. Squared distance to the truth {distances[step]:.4f}."
        )

    return explore(
        setup, update, size=(9.4, 3.8), log2_theta=(-5.0, 5.0, 0.5), n=[100, 500], labels={"log2_theta": "log₂ θ"}
    )


def skip_the_diagonal():
    """The risk's estimate over many data sets, with and without the pairs (i, i)."""
    world = random_world(3, n_kinds=5)
    truth = world.pair_expectation(lambda p, e, q, g: ((p - e) * (q - g)).sum(axis=-1) ** 2)

    @lru_cache
    def estimates(n, diagonal):
        found = []
        for seed in range(400):
            y, p = world.sample(n, seed)
            delta = p - np.eye(3)[y]
            losses = (delta @ delta.T) ** 2  # of h = 0
            found.append(losses.mean() if diagonal else (losses.sum() - np.trace(losses)) / (n * (n - 1)))
        return np.array(found)

    def setup(fig):
        for n in (5, 10, 20, 50, 100):
            estimates(n, True), estimates(n, False)
        return Histogram(
            fig.add_subplot(), np.linspace(0, 2.4, 81), xlabel="estimated risk of h = 0", truth_label="risk, exact"
        )

    def update(artist, n=10, with_diagonal=False):
        found = estimates(n, with_diagonal)
        artist.update(found, truth, found.mean(), f"mean {found.mean():.4f}, risk {truth:.4f}")
        which = "all pairs" if with_diagonal else "pairs i ≠ j"
        return (
            f"n = {n}, {which}: over 400 data sets the estimate averages {found.mean():.4f}; the risk is {truth:.4f}."
        )

    return explore(
        setup,
        update,
        size=(9, 3.4),
        n=[5, 10, 20, 50, 100],
        with_diagonal=False,
        labels={"with_diagonal": "with the diagonal"},
    )


def ridge_surfaces():
    """kkr and ukkr beside the truth, as functions of two predictions."""

    def setup(fig):
        for n in sims.SURFACE_SIZES:
            for gamma in sims.GAMMAS:
                sims.surfaces(n, gamma, 0)  # once, so that no slider step waits
        columns = fig.add_gridspec(1, 4, width_ratios=[1, 1, 1, 0.06])
        panels = {}
        for column, name in enumerate(["truth h*", "kkr", "ukkr"]):
            axes = fig.add_subplot(columns[column])
            image = Heatmap(axes, (60, 60), vmin=-0.03, vmax=0.03)
            axes.set(aspect="equal", xlabel="p", ylabel="p'" if column == 0 else "", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            panels[name] = image, axes.set_title("\n".join([TITLE] * 3), fontsize=10)
        fig.colorbar(image, cax=fig.add_subplot(columns[3]))
        return panels

    def update(artists, log10_regularization=-4, gamma=5.0, n=1000):
        truth, fitted = sims.surfaces(n, gamma, log10_regularization)
        said = []
        artists["truth h*"][0].set_data(truth)
        artists["truth h*"][1].set_text(f"truth h*\n\ndiagonal {np.diag(truth).mean():.4f}")
        for name, (surface, risk) in fitted.items():
            image, title = artists[name]
            image.set_data(surface)
            away, below = np.sqrt(np.mean((surface - truth) ** 2)), (np.diag(surface) < 0).mean()
            title.set_text(
                f"{name}: risk {risk:.5f}\nroot mean square distance {away:.4f}\n"
                f"diagonal {np.diag(surface).mean():.4f}, {below:.0%} below 0"
            )
            said.append(f"{name} distance {away:.4f}, risk {risk:.5f}, {below:.0%} of the diagonal below 0")
        return f"n = {n}, γ = {gamma:g}, λ = 1e{log10_regularization}: {'; '.join(said)}."

    return explore(setup, update, size=(9.6, 3.6), log10_regularization=list(range(-10, 2)), gamma=sims.GAMMAS,
                   n=sims.SURFACE_SIZES, labels={"log10_regularization": "log₁₀ λ"})  # fmt: skip


def rank_seven():
    """Eigenvalues of the kernel on real confidences, and the risk along λ that they make cheap."""
    models = list(CAST)

    def setup(fig):
        for model in models:
            sims.ridge_path(model)
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.2])
        axes = fig.add_subplot(columns[0])
        axes.set(
            xlim=(0.5, 14.5),
            ylim=(1e-17, 10),
            yscale="log",
            xlabel="number",
            ylabel="eigenvalue of K/n",
            title="the kernel on real confidences",
        )
        (spectrum,) = axes.plot([], [], "o-", color=COLOURS["blue"])
        penalty = axes.axhline(1, color=COLOURS["orange"], lw=1.5)
        panel = fig.add_subplot(columns[1])
        panel.set(
            xlim=(1e-14, 1e2),
            xscale="log",
            ylim=(-0.05, 1.05),
            xlabel="λ",
            ylabel="validation risk, rescaled",
            title="risk along λ",
        )
        lines = {
            name: panel.plot([], [], color=COLOURS[c], label=name)[0]
            for name, c in (("kkr", "green"), ("ukkr", "pink"))
        }
        here = panel.axvline(1, color=COLOURS["orange"], lw=1.5)
        panel.legend(loc="upper left")
        return {"spectrum": spectrum, "penalty": penalty, "lines": lines, "here": here}

    def update(artists, model="logistic regression", log10_regularization=-6):
        spectrum, powers, risks = sims.ridge_path(model)
        artists["spectrum"].set_data(np.arange(1, len(spectrum) + 1), spectrum)
        artists["penalty"].set_ydata([10.0**log10_regularization] * 2)
        artists["here"].set_xdata([10.0**log10_regularization] * 2)
        low = min(r.min() for r in risks.values())
        high = max(r.max() for r in risks.values())
        for name, line in artists["lines"].items():
            line.set_data(10.0**powers, (risks[name] - low) / (high - low))
        at = int(np.argmin(np.abs(powers - log10_regularization)))
        return (
            f"{model}: {len(spectrum)} features carry the kernel of 719 confidences up to 1e-12 of its trace. At λ = "
            f"1e{log10_regularization} the validation risk is {risks['kkr'][at]:.6f} (kkr) and "
            f"{risks['ukkr'][at]:.6f} (ukkr)."
        )

    return explore(setup, update, size=(9.4, 3.9), model=models, log10_regularization=list(range(-14, 3)),
                   labels={"log10_regularization": "log₁₀ λ"})  # fmt: skip


def which_to_believe():
    """The pipeline on the cast: validation risk beside the estimate on the part put aside, on the model's scale."""

    def setup(fig):
        for model in CAST:
            _selection(model)
        columns = fig.add_gridspec(1, 2)
        panels = []
        for column, label in enumerate(("validation risk above the best", "estimated squared error")):
            axes = fig.add_subplot(columns[column])
            dots, bars = _error_dots(axes, WITH_NOTHING, label + " (own scale, spread of folds)", (-0.35, 1.75))
            axes.set_xticks([])
            axes.axvline(0, color=COLOURS["grey"], lw=1, ls="--")
            axes.tick_params(labelleft=column == 0)
            words = [axes.text(0, row, "", va="bottom", fontsize=9) for row in range(len(WITH_NOTHING) - 1, -1, -1)]
            panels.append({"dots": dots, "bars": bars, "words": words, "title": axes.set_title(TITLE)})
        return panels

    def show(panel, values, errors, factor, digits, title):
        scale = np.nanmax(np.abs(values) + errors)
        _move_dots(panel["dots"], panel["bars"], values / scale, errors / scale)
        for word, value in zip(panel["words"], values, strict=True):
            word.set_text("nothing" if np.isnan(value) else f"{factor * value:.{digits}f}")
            word.set_position((max(np.nan_to_num(value), 0) / scale + 0.03, word.get_position()[1]))
        panel["title"].set_text(title)

    def update(artists, model="neural network"):
        selection = _selection(model)
        table = selection.table.loc[list(WITH_NOTHING)]
        worse, estimate = (
            [table[column].to_numpy(float) for column in (name, f"{name}_spread")] for name in ("worse_by", "estimate")
        )
        show(artists[0], *worse, 1e6, 1, f"best: {selection.best}  (× 10⁻⁶)")
        show(artists[1], *estimate, 1e3, 2, "what each reports (× 10⁻³)")
        alike = [name for name in WITH_NOTHING if name != selection.best and not table.loc[name, "told_apart"]]
        return f"{model}: smallest validation risk for {selection.best}, which reports {selection.estimate:.5f}. " + (
            f"Not told apart from it: {', '.join(alike)}." if alike else "All others are told apart."
        )

    return explore(setup, update, size=(9.4, 4), model=list(CAST))


def a_bug_replayed():
    """Canonical ridge regressions trained on labels of which a share belongs to other rows."""
    names = ["h = 0", "kkr", "ukkr"]

    def setup(fig):
        sims.misaligned()
        columns = fig.add_gridspec(1, 2)
        left, right = (fig.add_subplot(c) for c in columns)
        risks = [found[name][0] for key, found in sims.misaligned().items() if key != "truth" for name in names]
        room = 0.1 * (max(risks) - min(risks))
        left.set(
            xlim=(min(risks) - room, max(risks) + room),
            ylim=(-0.6, 2.6),
            xlabel="validation risk",
            title="what the risk says",
        )
        right.set(xlim=(0, 0.14), ylim=(-0.6, 2.6), xlabel="estimated squared error", title="what is reported")
        for axes in (left, right):
            axes.set_yticks(range(3), names[::-1])
        right.tick_params(labelleft=False)
        truth = right.axvline(sims.misaligned()["truth"], color=COLOURS["ink"], ls="--", lw=1.5)
        right.text(sims.misaligned()["truth"], 2.52, " truth", va="top")
        (risk,) = left.plot([], [], "o", ms=11, color=COLOURS["blue"])
        (estimate,) = right.plot([], [], "o", ms=11, color=COLOURS["orange"])
        return {"risk": risk, "estimate": estimate, "truth": truth}

    def update(artists, share_misaligned=1.0):
        found = sims.misaligned()[share_misaligned]
        artists["risk"].set_data([found[name][0] for name in names], [2, 1, 0])
        artists["estimate"].set_data([found[name][1] for name in names], [2, 1, 0])
        return (
            f"{share_misaligned:.0%} of the training labels sit on other rows: ukkr's validation risk is "
            f"{found['ukkr'][0]:.5f} (h = 0: {found['h = 0'][0]:.5f}) and it reports {found['ukkr'][1]:.4f}; "
            f"the truth is {sims.misaligned()['truth']:.4f}."
        )

    return explore(
        setup, update, size=(9.2, 3.2), share_misaligned=sims.SHARES, labels={"share_misaligned": "share misaligned"}
    )
