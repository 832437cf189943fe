"""Scenes of notebook 07: one small matrix, its spectrum, and the dial that runs through the errors of four papers."""

import numpy as np
from matplotlib.collections import LineCollection

from ...binning import reliability_curve
from ...plots import COLOURS, TITLE, Heatmap, ReliabilityDiagram
from ...teach.explore import explore
from . import simulations as sims

__all__ = ["dial", "four_formulas", "ranking_flips", "spectrum", "two_ends"]

CAST = sorted(sims.CAST, key=lambda model: model != "naive Bayes")  # it is looked at first
HUES = dict(zip(CAST, ("orange", "green", "blue", "pink"), strict=True))
ERRORS = ("SKCE", "KLCE²", "CCE²", "CKCE")
FIRST, OTHERS = "naive Bayes", ["logistic regression", "random forest"]
DIAL = {"position": (0.0, 2.0, 0.05), "level": sims.LEVELS, "other": OTHERS,
        "labels": {"level": "λ", "position": "position t", "other": "against"}}  # fmt: skip
SHIFTED, FEW_LEVELS = ["random forest", "logistic regression", FIRST], sims.LEVELS[:5]
USUAL = 0.1  # a λ near the n^(−1/4) = .17 that is the default for CKCE
# Lines of a rank plot stay level around each column, where the numbers are.
BUMPS = np.linspace(0, 3, 121)
TURNS = np.add.outer(range(4), [-0.27, 0.27]).ravel()
SHOWN = 6  # features in a picture of C


def four_formulas():
    """The same predictions, four errors and their orderings; and the matrices S and C behind three of them."""

    def setup(fig):
        for name in CAST:
            for feature in sims.FEATURES:
                sims.four_errors(name, feature, sims.REFERENCE)
        columns = fig.add_gridspec(1, 4, width_ratios=[1.15, 0.62, 0.11, 1.75])
        diagram = ReliabilityDiagram(fig, spec=columns[0])
        second, third, ranks = (fig.add_subplot(columns[k]) for k in (1, 2, 3))
        second.set(title="C", xticks=range(SHOWN), yticks=range(SHOWN), xlabel="feature", ylabel="feature")
        third.set(title="S", xticks=[], yticks=[])
        second.set_xticklabels(range(1, SHOWN + 1))
        second.set_yticklabels(range(1, SHOWN + 1))
        place = dict(x=(-0.5, SHOWN - 0.5), y=(-0.5, SHOWN - 0.5), cmap="PuOr_r")
        C = Heatmap(second, (SHOWN, SHOWN), vmin=-0.6, vmax=0.6, **place)
        S = Heatmap(third, (SHOWN, 1), vmin=-0.15, vmax=0.15, **place)
        for axes in (second, third):
            axes.invert_yaxis()
        ranks.set(xlim=(-0.35, 3.35), ylim=(4.45, 0.4))
        ranks.set_xticks(range(4), ERRORS)
        ranks.set_yticks(range(1, 5), sorted(CAST, key=lambda name: sims.spectrum_of(name).norm(0, 0, 0)))
        lines = {name: ranks.plot([], [], "o-", color=COLOURS[HUES[name]], ms=8, markevery=40)[0] for name in CAST}
        put = {"ha": "center", "va": "bottom", "fontsize": 9}
        texts = {name: [ranks.text(k, 1, "", **put) for k in range(4)] for name in CAST}
        return {"diagram": diagram, "C": C, "S": S, "lines": lines, "texts": texts, "title": ranks.set_title(TITLE)}

    def update(artists, model=FIRST, level=0.001, feature=sims.FEATURES[0]):
        hit, confidence, _, _ = sims.answers(model)
        artists["diagram"].update(reliability_curve(hit, confidence, n_bins=10), title=model)
        found = sims.spectrum_of(model)
        V = found.vectors
        artists["C"].set_data(((V * found.eigenvalues) @ V.T)[:SHOWN, :SHOWN])
        artists["S"].set_data((V @ found.coordinates)[:SHOWN])
        values = np.array([sims.four_errors(name, feature, level) for name in CAST])
        places = values.argsort(axis=0).argsort(axis=0) + 1
        for name, row, place in zip(CAST, values, places, strict=True):
            artists["lines"][name].set_data(BUMPS, np.interp(BUMPS, TURNS, place.repeat(2)))
            artists["lines"][name].set_linewidth(4 if name == model else 2)
            for text, value, k, at in zip(artists["texts"][name], row, range(4), place, strict=True):
                text.set_position((k, at - 0.1))
                text.set_text(_short(value))
        orders = len({tuple(column) for column in places.T})
        artists["title"].set_text(f"best on top: {orders} ordering{'s' if orders > 1 else ''}")
        said = (
            "All four errors agree on the order"
            if orders == 1
            else f"The four errors order the models in {orders} ways"
        )
        mine = zip(ERRORS, values[CAST.index(model)], places[CAST.index(model)], strict=True)
        mine = ", ".join(f"{name} {_short(value)} (place {place})" for name, value, place in mine)
        return f"{model}, λ = {level:g}, KLCE² by {feature}: {mine}. {said}."

    return explore(setup, update, size=(11, 4.2), model=CAST, level=sims.LEVELS, feature=sims.FEATURES,
                   labels={"level": "λ", "feature": "feature of KLCE"})  # fmt: skip


def _short(value):
    return (f"{value:.4f}" if abs(value) >= 1e-4 else f"{value:.0e}").replace("-", "−")


def spectrum():
    """Each eigendirection of C: how common it is, how much residual it finds, and what it looks at."""

    def setup(fig):
        for name in CAST:
            for bandwidth in sims.BANDWIDTHS:
                sims.curves(name, bandwidth)
        left, right = (fig.add_subplot(column) for column in fig.add_gridspec(1, 2, width_ratios=[1.15, 1]))
        left.set(xscale="log", yscale="log", xlim=(1e-5, 1.6), ylim=(1e-9, 1), xlabel="eigenvalue μ: how common",
                 ylabel="energy: how much residual")  # fmt: skip
        (bound,) = left.plot([], [], color=COLOURS["grey"], ls=":", lw=1.5, label="most there can be")
        floor = LineCollection([], colors=COLOURS["sky"], lw=3, label="noise alone")
        left.add_collection(floor, autolim=False)
        (dots,) = left.plot([], [], "o", color=COLOURS["blue"], ms=7, label="energy")
        (ring,) = left.plot([], [], "o", mfc="none", mec=COLOURS["orange"], mew=2.5, ms=15)
        left.legend(loc="upper left")
        right.set(xlim=(0.2, 1.01), ylim=(-1.1, 1.1), xlabel="confidence p", ylabel="v(p), what the direction looks at")
        right.axhline(0, color=COLOURS["grey"], lw=1)
        (rug,) = right.plot([], [], "|", color=COLOURS["ink"], alpha=0.3, ms=9, mew=0.8)
        (curve,) = right.plot([], [], color=COLOURS["orange"], lw=2.5)
        return {"bound": bound, "floor": floor, "dots": dots, "ring": ring, "rug": rug, "curve": curve,
                "titles": [left.set_title(TITLE), right.set_title(TITLE)]}  # fmt: skip

    def update(artists, model=FIRST, direction=1, bandwidth=0.1):
        found, j = sims.spectrum_of(model, bandwidth), direction - 1
        hit, confidence, _, _ = sims.answers(model)
        mu, energy, own = found.eigenvalues, found.energy, found.own
        ends = np.array([1e-5, 1.6])
        artists["bound"].set_data(ends, ends * np.mean((confidence - hit) ** 2))
        artists["floor"].set_segments([[(m * 0.8, o), (m * 1.25, o)] for m, o in zip(mu, own, strict=True)])
        artists["dots"].set_data(mu, energy)
        artists["ring"].set_data([mu[j]], [energy[j]])
        artists["rug"].set_data(confidence, np.full(len(confidence), -1.0))
        artists["curve"].set_data(sims.GRID, sims.curves(model, bandwidth)[:, j])
        artists["titles"][0].set_text(f"{model}: energy {energy[j]:.1e}, noise {own[j]:.1e}")
        artists["titles"][1].set_text(f"direction {direction}: μ = {mu[j]:.2g}")
        points = [sims.path(t, sims.REFERENCE) for t in (0, 1, 2)]
        shares = [found.contributions(*point)[j] / found.norm(*point) for point in points]
        return (
            f"{model}, kernel width {bandwidth:g}: direction {direction} has eigenvalue {mu[j]:.2g} and energy "
            f"{energy[j]:.1e}, {energy[j] / own[j]:.1f} times what noise alone gives. It makes {shares[0]:.0%} of "
            f"SKCE, {shares[1]:.0%} of CCE² and {shares[2]:.0%} of CKCE (λ = {sims.REFERENCE:g})."
        )

    return explore(setup, update, size=(10, 4.2), model=CAST, direction=(1, 6, 1), bandwidth=sims.BANDWIDTHS,
                   labels={"bandwidth": "kernel width"})  # fmt: skip


def _dial_axis(axes):
    axes.set_xticks([0, 1, 2], ["SKCE\nt = 0", "CCE²\nt = 1", "CKCE\nt = 2"])


def dial():
    """From SKCE through CCE² to CKCE: how the eigendirections of two models are re-weighted, and who is ahead."""

    def setup(fig):
        for other in OTHERS:
            for level in sims.LEVELS:
                sims.lead(FIRST, other, (level,))
                sims.swaps(FIRST, other, level)
        left, right = (fig.add_subplot(column) for column in fig.add_gridspec(1, 2, width_ratios=[1.1, 1]))
        left.set(xscale="log", xlim=(1e-5, 1.6), ylim=(0, 1), xlabel="eigenvalue μ of the direction",
                 ylabel="part of the larger total")  # fmt: skip
        bars = [LineCollection([], colors=COLOURS["orange"], lw=7), LineCollection([], colors=COLOURS["blue"], lw=7)]
        for each in bars:
            left.add_collection(each, autolim=False)
        left.legend(bars, [FIRST, "other model"], loc="upper left")
        right.set(xlim=(-0.05, 2.05), ylim=(0.06, 6), yscale="log", ylabel="naive Bayes / other model")
        _dial_axis(right)
        right.set_yticks([0.1, 0.3, 1, 3], ["0.1", "0.3", "1", "3"])
        right.set_yticks([], minor=True)
        right.axhline(1, color=COLOURS["ink"], lw=1)
        (curve,) = right.plot([], [], color=COLOURS["grey"], lw=2.5)
        (crossing,) = right.plot([], [], "D", color=COLOURS["ink"], ms=7)
        (dot,) = right.plot([], [], "o", color=COLOURS["orange"], ms=12)
        return {"bars": bars, "curve": curve, "crossing": crossing, "dot": dot,
                "titles": [left.set_title(TITLE), right.set_title(TITLE)]}  # fmt: skip

    def update(artists, position=0.0, level=0.001, other=OTHERS[0]):
        totals, parts = [], []
        for name in (FIRST, other):
            parts.append(sims.spectrum_of(name).contributions(*sims.path(position, level)))
            totals.append(parts[-1].sum())
        for bars, name, part, shift in zip(artists["bars"], (FIRST, other), parts, (0.94, 1.06), strict=True):
            mu = sims.spectrum_of(name).eigenvalues * shift
            bars.set_segments([[(m, 0), (m, height)] for m, height in zip(mu, part / max(totals), strict=True)])
        ratio = 10 ** sims.lead(FIRST, other, (level,))[0]
        found = sims.swaps(FIRST, other, level)
        artists["curve"].set_data(sims.POSITIONS, ratio)
        artists["crossing"].set_data(found, np.ones(len(found)))
        artists["dot"].set_data([position], [totals[0] / totals[1]])
        a, b, _ = sims.path(position, level)
        artists["titles"][0].set_text(f"a = {a:.2f}, b = {b:.2f}, λ = {level:g}")
        ahead = FIRST if totals[0] < totals[1] else other
        artists["titles"][1].set_text(f"better: {ahead}")
        where = " and ".join(f"t = {t:.2f}" for t in found)
        swapped = f"They change places at {where}" if where else "They do not change places on this dial"
        return (
            f"At t = {position:.2f}, λ = {level:g}, the family gives {totals[0]:.4g} for {FIRST} and {totals[1]:.4g} "
            f"for {other}, so {ahead} looks better. {swapped}."
        )

    return explore(setup, update, size=(10, 4.2), **DIAL)


def ranking_flips():
    """Every setting of the dial at once: where one model is better, where the other, and which directions decide."""

    def setup(fig):
        columns = fig.add_gridspec(1, 3, width_ratios=[1.1, 0.05, 1.1])
        left, scale, right = (fig.add_subplot(column) for column in columns)
        log_levels = np.log10(sims.MAP_LEVELS)
        image = Heatmap(left, (2, 2), x=(0, 2), y=log_levels[[0, -1]], vmin=-1.1, vmax=1.1, cmap="PuOr_r",
                        enlarge="bilinear")  # fmt: skip
        fig.colorbar(image, cax=scale, ticks=np.log10([0.1, 0.3, 1, 3, 10]), label="naive Bayes / other model")
        scale.set_yticklabels(["0.1", "0.3", "1", "3", "10"])
        maps = {other: sims.lead(FIRST, other, sims.MAP_LEVELS) for other in OTHERS}
        ink = {"levels": [0], "colors": COLOURS["ink"]}
        lines = {other: left.contour(sims.POSITIONS, log_levels, each, **ink) for other, each in maps.items()}
        left.set_ylabel("λ")
        _dial_axis(left)
        left.set_yticks(range(-3, 2), ["0.001", "0.01", "0.1", "1", "10"])
        (star,) = left.plot([], [], "*", color=COLOURS["green"], mec="white", ms=20, clip_on=False)
        star.set_in_layout(False)
        right.set(xscale="log", yscale="log", xlim=(1e-5, 1.6), ylim=(1e-10, 1), xlabel="eigenvalue μ", ylabel="energy")
        dots = [right.scatter([], [], color=COLOURS[hue], alpha=0.75, lw=0) for hue in ("orange", "blue")]
        for hue, name in (("orange", FIRST), ("blue", "other model")):
            right.plot([], [], "o", color=COLOURS[hue], label=name)  # for the legend: dots themselves change size
        (weight,) = right.plot([], [], color=COLOURS["green"], lw=2, label="weight (largest at the top)")
        right.legend(loc="lower right")
        return {"image": image, "lines": lines, "star": star, "dots": dots, "weight": weight,
                "titles": [left.set_title(TITLE), right.set_title(TITLE)]}  # fmt: skip

    def update(artists, position=2.0, level=0.001, other=OTHERS[0]):
        artists["image"].set_data(sims.lead(FIRST, other, sims.MAP_LEVELS))
        for name, line in artists["lines"].items():
            line.set_visible(name == other)
        artists["star"].set_data([position], [np.log10(level)])
        mu = np.geomspace(1e-5, 1.6, 200)
        a, b, _ = sims.path(position, level)
        weight = (mu**a / (mu + level) ** b) ** 2
        artists["weight"].set_data(mu, 0.7 * weight / weight.max())
        totals, deciding = [], []
        for dots, name in zip(artists["dots"], (FIRST, other), strict=True):
            found = sims.spectrum_of(name)
            parts = found.contributions(*sims.path(position, level))
            totals.append(parts.sum())
            dots.set_offsets(np.column_stack([found.eigenvalues, found.energy]))
            dots.set_sizes(14 + 400 * parts / totals[-1])
            deciding.append(f"{parts.max() / totals[-1]:.0%} from μ = {found.eigenvalues[parts.argmax()]:.3g}")
        ahead = FIRST if totals[0] < totals[1] else other
        artists["titles"][0].set_text(f"{FIRST} / {other}: {totals[0] / totals[1]:.2f}")
        artists["titles"][1].set_text("a dot's size: its part of the error")
        return (
            f"t = {position:.2f}, λ = {level:g}: {FIRST} {totals[0]:.4g} ({deciding[0]}), {other} {totals[1]:.4g} "
            f"({deciding[1]}); {ahead} looks better. On the black line they are equal."
        )

    return explore(setup, update, size=(10.4, 4.4), **DIAL)


def two_ends():
    """What moves an error along the dial: other frequencies of confidences, or another λ."""
    cells = np.linspace(0, 1, 21)

    def setup(fig):
        for name in SHIFTED:
            for level in FEW_LEVELS:
                sims.along(name, level)
                for shift in np.arange(sims.SHIFTS[0], sims.SHIFTS[1] + 1e-9, sims.SHIFTS[2]):
                    sims.tilted_along(name, float(shift), level)
        left, right = (fig.add_subplot(column) for column in fig.add_gridspec(1, 2, width_ratios=[1, 1.2]))
        left.set(xlim=(0, 1), ylim=(0, 1.25), yticks=[], xlabel="confidence", ylabel="share of the images")
        after = left.stairs(np.ones(20), cells, fill=True, color=COLOURS["orange"], alpha=0.7, label="shifted")
        before = left.stairs(np.ones(20), cells, color=COLOURS["ink"], lw=1.5, label="as it is")
        left.legend(loc="upper left")
        right.set(xlim=(-0.05, 2.05), ylim=(0.15, 120), yscale="log", ylabel="the error changes by a factor")
        _dial_axis(right)
        right.set_yticks([0.3, 1, 3, 10, 30, 100], ["0.3", "1", "3", "10", "30", "100"])
        right.set_yticks([], minor=True)
        right.axhline(1, color=COLOURS["grey"], lw=1)
        (moved,) = right.plot([], [], color=COLOURS["orange"], lw=3, label="confidences shifted")
        (level,) = right.plot([], [], color=COLOURS["blue"], lw=3, ls="--", label=f"λ moved from {USUAL:g}")
        right.legend(loc="upper left")
        return {"before": before, "after": after, "moved": moved, "level": level,
                "titles": [left.set_title(TITLE), right.set_title(TITLE)]}  # fmt: skip

    def update(artists, shift=-1.0, level=0.01, model=SHIFTED[0]):
        _, confidence, _, _ = sims.answers(model)
        weights = np.ones(len(confidence)), sims.tilt(confidence, shift)
        share = [np.histogram(confidence, cells, weights=w)[0] / len(confidence) for w in weights]
        for name, heights in zip(("before", "after"), share, strict=True):
            artists[name].set_data(heights / np.max(share))
        as_is = sims.along(model, level)
        moved, by_level = sims.tilted_along(model, shift, level) / as_is, as_is / sims.along(model, USUAL)
        artists["moved"].set_data(sims.POSITIONS, moved)
        artists["level"].set_data(sims.POSITIONS, by_level)
        mean = confidence @ weights[1] / len(confidence)
        artists["titles"][0].set_text(f"{model}: mean {confidence.mean():.3f}, shifted {mean:.3f}")
        artists["titles"][1].set_text(f"SKCE × {moved[0]:.2f}, CKCE × {moved[-1]:.2f}")
        return (
            f"{model}, λ = {level:g}. Mean confidence goes from {confidence.mean():.3f} to {mean:.3f}: SKCE changes by "
            f"a factor {moved[0]:.2f}, CCE² {moved[20]:.2f}, CKCE {moved[-1]:.2f}. Taking λ = {level:g} and "
            f"not {USUAL:g} changes them by {by_level[0]:.2f}, {by_level[20]:.2f} and {by_level[-1]:.2f}."
        )

    return explore(setup, update, size=(10, 4.2), shift=sims.SHIFTS, level=FEW_LEVELS, model=SHIFTED,
                   labels={"level": "λ", "shift": "shift of confidences"})  # fmt: skip
