"""Scenes of notebook 05, first half: what local calibration is, and where it fails."""

import numpy as np

from ...binning import reliability_curve
from ...plots import COLOURS, TITLE, Heatmap, ReliabilityDiagram
from ...teach.explore import explore
from ..shared.pvalues import power_curve, show_power, square, steps
from . import simulations as sims

__all__ = [
    "downstream",
    "null_race",
    "power_in_many_dimensions",
    "repair",
    "two_kernels",
    "where_wrong",
    "worn_scanner",
]

QUARTERS = ("cleanest", "second", "third", "most worn")
STAR = (0.5, 0.4)  # a prediction and a feature


def worn_scanner():
    """A model that is calibrated on average, and its miss in each quarter of the images."""

    def setup(fig):
        for name in sims.CAST:
            sims.scans(name, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.15])
        diagram = ReliabilityDiagram(fig, spec=columns[0])
        axes = fig.add_subplot(columns[1])
        bars, whiskers = _quarter_bars(axes)
        return {"diagram": diagram, "bars": bars, "whiskers": whiskers, "title": axes.set_title(TITLE)}

    def update(artists, model="neural network", isotonic=True):
        hit, confidence, wear, _ = sims.scans(model, isotonic)
        miss, error = sims.quarters(hit, confidence, wear)
        artists["diagram"].update(reliability_curve(hit, confidence, n_bins=10), title=model)
        _show_quarters(artists, miss, error)
        overall = (confidence - hit).mean()
        artists["title"].set_text(f"all images {overall:+.3f}, most worn {miss[3]:+.3f}")
        state = "after isotonic recalibration" if isotonic else "as trained"
        said = ", ".join(f"{name} {m:+.3f} ± {2 * e:.3f}" for name, m, e in zip(QUARTERS, miss, error, strict=True))
        return f"{model}, {state}: confidence minus share right is {overall:+.3f} on all images; by quarter: {said}."

    return explore(setup, update, size=(9.4, 4.2), model=list(sims.CAST), isotonic=True)


def _quarter_bars(axes):
    axes.set(xlim=(-0.6, 3.6), ylim=(-0.55, 0.55), ylabel="confidence − share right")
    axes.set_xticks(range(4), QUARTERS)
    axes.set_xlabel("quarter of the images, by noise")
    axes.axhline(0, color=COLOURS["ink"], lw=1)
    bars = axes.bar(range(4), [0] * 4, width=0.6, color=COLOURS["sky"])
    whiskers = [axes.plot([], [], color=COLOURS["ink"], lw=1.6)[0] for _ in range(4)]
    return bars, whiskers


def _show_quarters(artists, miss, error):
    for k, (bar, line) in enumerate(zip(artists["bars"], artists["whiskers"], strict=True)):
        bar.set_height(miss[k])
        bar.set_facecolor(COLOURS["orange"] if abs(miss[k]) > 2 * error[k] else COLOURS["sky"])
        line.set_data([k, k], [miss[k] - 2 * error[k], miss[k] + 2 * error[k]])


def downstream():
    """What a local bias does to “the mean age of owners”, computed from predictions instead of labels."""
    age = np.linspace(20, 80, 121)
    weight = np.exp(-(((age - 48) / 16) ** 2) / 2)
    weight /= weight.sum()
    true = 0.2 + 0.6 / (1 + np.exp(-(age - 45) / 9))

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(20, 80), ylim=(0, 1), xlabel="age", ylabel="probability to own the home")
        left.plot(age, true, color=COLOURS["ink"], ls="--", label="frequency")
        (line,) = left.plot([], [], color=COLOURS["orange"], lw=2.2, label="mean prediction")
        left.legend(loc="upper left")
        right.set(xlim=(0.4, 2.6), ylim=(46, 58), ylabel="mean age of owners")
        right.set_xticks([1, 2], ["from labels", "from predictions"])
        right.axhline(weight @ (age * true) / (weight @ true), color=COLOURS["grey"], lw=1, ls="--")
        right.plot([1], [weight @ (age * true) / (weight @ true)], "o", color=COLOURS["ink"], ms=11)
        (link,) = right.plot([], [], color=COLOURS["orange"], lw=2.2)
        (dot,) = right.plot([], [], "D", color=COLOURS["orange"], ms=11)
        return {"line": line, "dot": dot, "link": link, "title": right.set_title(TITLE)}

    def update(artists, tilt=0.4, depends_on="age"):
        # The tilt has mean 0 under these ages, so the model is right on average in both cases.
        slope = tilt * 0.4 * (weight @ age - age) / 30
        mean = true + slope if depends_on == "age" else true
        owners = weight @ (age * true) / (weight @ true)
        estimate = weight @ (age * mean) / (weight @ mean)
        artists["line"].set_data(age, mean)
        artists["dot"].set_data([2], [estimate])
        artists["link"].set_data([2, 2], [owners, estimate])
        artists["title"].set_text(f"off by {estimate - owners:+.2f} years")
        covariance = weight @ ((age - owners) * (mean - true)) / (weight @ mean)
        where = "with age" if depends_on == "age" else "with something that has nothing to do with age"
        return (
            f"The prediction is tilted by {tilt:g} {where}. Mean age of owners: {owners:.2f} from labels, "
            f"{estimate:.2f} from predictions; the formula says {covariance:+.2f}."
        )

    return explore(setup, update, size=(9.2, 4), tilt=(-0.5, 0.5, 0.1), depends_on=["age", "something else"],
                   labels={"depends_on": "miss goes with"})  # fmt: skip


def two_kernels():
    """Which pairs are compared, and what is left when one of the two kernels is 1."""
    shown, modes = 400, ["both kernels", "l = 1", "k = 1"]
    grid_p, grid_x = np.linspace(0.25, 0.75, 60), np.linspace(-1, 1, 60)

    def setup(fig):
        for each in sims.HALF_WORLDS:  # before the first click, not at it
            sims.half_table(each)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlabel="feature x", ylabel="prediction p")
        near = Heatmap(left, (60, 60), x=(-1, 1), y=(0.25, 0.75), vmax=1.6, cmap="Greens")
        dots = left.scatter(np.zeros(shown), np.zeros(shown), s=9, lw=0)
        left.plot([STAR[1]], [STAR[0]], "*", color=COLOURS["ink"], ms=15)
        left.set_title("green: what counts as near the star")
        right.set(xlim=(-0.6, 2.6), ylim=(-0.002, 0.045), ylabel="estimate of the squared error")
        right.set_xticks(range(3), modes)
        right.axhline(0, color=COLOURS["ink"], lw=1)
        bars = right.bar(range(3), [0] * 3, width=0.6, color=COLOURS["grey"])
        return {"near": near, "dots": dots, "bars": bars}

    def update(artists, world=sims.HALF_WORLDS[0], kernels="both kernels", width_p=0.1, width_x=0.3):
        y, p, x = sims.half_world(world)
        pairs = dict(zip(modes, ((width_p, width_x), (width_p, None), (None, width_x)), strict=True))
        values = [sims.half_table(world)[pair] for pair in pairs.values()]
        for bar, name, value in zip(artists["bars"], pairs, values, strict=True):
            bar.set_height(value)
            bar.set_facecolor(COLOURS["green"] if name == kernels else COLOURS["grey"])
        near_p, near_x = (
            np.ones(60) if width is None else np.exp(-((grid - star) ** 2) / (2 * width**2))
            for width, grid, star in zip(pairs[kernels], (grid_p, grid_x), STAR, strict=True)
        )
        artists["near"].set_data(np.outer(near_p, near_x))
        artists["dots"].set_offsets(np.column_stack([x, p])[:shown])
        artists["dots"].set_facecolor([COLOURS["blue" if label else "yellow"] for label in y[:shown]])
        said = ", ".join(f"{name} {value:.4f}" for name, value in zip(pairs, values, strict=True))
        return f"The world is {world}; {len(y):,} data. Estimates of the squared error: {said}. Green: {kernels}."

    return explore(
        setup, update, size=(9.6, 4.2), world=sims.HALF_WORLDS, kernels=modes, width_p=sims.PROB_WIDTHS, width_x=sims.FEATURE_WIDTHS,
        labels={"width_p": "width of k", "width_x": "width of l"},
    )  # fmt: skip


def where_wrong():
    """The local calibration bias over (noise, confidence), shown only where enough data support it."""
    across, up = np.linspace(0, 0.5, 36), np.linspace(0.3, 1, 29)

    def setup(fig):
        for each in sims.CAST:  # trained before the first click, not at it
            sims.scans(each, True)
        columns = fig.add_gridspec(1, 3, width_ratios=[1.35, 0.05, 1])
        left, scale, right = (fig.add_subplot(column) for column in columns)
        left.set(xlabel="noise of the image", ylabel="confidence", facecolor="#dddddd")
        image = Heatmap(left, (29, 36), x=(0, 0.5), y=(0.3, 1), vmin=-0.3, vmax=0.3)
        fig.colorbar(image, cax=scale)
        dots = left.scatter([], [], s=3, color=COLOURS["ink"], lw=0, alpha=0.5)
        cut = left.axhline(0.9, color=COLOURS["green"], lw=1.5)
        right.set(xlim=(0, 0.5), ylim=(-0.5, 0.5), xlabel="noise of the image", ylabel="share right − confidence")
        right.axhline(0, color=COLOURS["ink"], lw=1)
        band = right.fill_between(across, 0, 0, color=COLOURS["green"], alpha=0.25, lw=0)
        (line,) = right.plot([], [], color=COLOURS["green"], lw=2)
        return {"image": image, "dots": dots, "cut": cut, "band": band, "line": line,
                "titles": [left.set_title(TITLE), right.set_title(TITLE)]}  # fmt: skip

    def update(artists, model="neural network", width_noise=0.08, width_confidence=0.1, support=20, confidence=0.9):
        hit, said, wear, _ = sims.scans(model, True)
        widths = width_confidence, width_noise
        bias, _, mass = sims.bias_map(hit, said, wear, up, across, *widths)
        artists["image"].set_data(np.where(mass >= support, bias, np.nan))
        artists["dots"].set_offsets(np.column_stack([wear, said])[::2])  # half of them: enough to see where data are
        artists["cut"].set_ydata([confidence, confidence])
        bias, spread, near = (row[0] for row in sims.bias_map(hit, said, wear, np.array([confidence]), across, *widths))
        good = near >= support
        middle, spread = np.where(good, bias, np.nan), 2 * spread
        artists["line"].set_data(across, middle)
        artists["band"].set_data(across, np.where(good, bias - spread, np.nan), np.where(good, bias + spread, np.nan))
        share = (mass >= support).mean()
        artists["titles"][0].set_text(f"{model}: {share:.0%} of the map has support")
        artists["titles"][1].set_text(f"along confidence {confidence:.2f}, ± 2 s.e.")
        ends = [f"{middle[k]:+.3f} ± {spread[k]:.3f}" if good[k] else "unknown" for k in (3, 32)]
        return (
            f"{model} after isotonic recalibration; {share:.0%} of the map has {support} data or more nearby. At "
            f"confidence {confidence:.2f} the bias is {ends[0]} on clean images and {ends[1]} on worn ones."
        )

    return explore(setup, update, size=(9.8, 4.4), model=list(sims.CAST), width_noise=[0.02, 0.04, 0.08, 0.15, 0.3, 1.0],
                   width_confidence=[0.02, 0.05, 0.1, 0.2, 0.5], support=[0, 5, 10, 20, 40, 80],
                   confidence=(0.35, 0.95, 0.05),
                   labels={"width_noise": "width, noise", "width_confidence": "width, confidence",
                           "support": "data needed"})  # fmt: skip


def repair():
    """What recalibration mends: the error on average, and the error given the noise."""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.2, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(0, 0.3), ylim=(-0.6, len(sims.METHODS) - 0.4), xlabel="error")
        left.set_yticks(range(len(sims.METHODS)), list(sims.METHODS)[::-1])
        lines = [left.plot([], [], color=COLOURS["grey"], lw=1)[0] for _ in sims.METHODS]
        (globally,) = left.plot([], [], "o", ms=9, color=COLOURS["blue"], label="ECE", clip_on=False)
        (locally,) = left.plot([], [], "D", ms=8, color=COLOURS["orange"], label="√KLCE²", clip_on=False)
        left.legend(loc="lower right")
        bars, whiskers = _quarter_bars(right)
        return {"lines": lines, "globally": globally, "locally": locally, "bars": bars, "whiskers": whiskers,
                "title": right.set_title(TITLE)}  # fmt: skip

    def update(artists, model="neural network", method="isotonic"):
        every = [sims.repaired(model, name) for name in sims.METHODS]
        rows = np.arange(len(sims.METHODS))[::-1]
        ece, local = (np.minimum([each[k] for each in every], 0.3) for k in (0, 1))
        artists["globally"].set_data(ece, rows)
        artists["locally"].set_data(local, rows)
        for line, row, a, b in zip(artists["lines"], rows, ece, local, strict=True):
            line.set_data([a, b], [row, row])
        found = sims.repaired(model, method)
        _show_quarters(artists, *found[2])
        artists["title"].set_text(f"{method}: p = {found[3]:.3f}")
        said = "; ".join(
            f"{name}: ECE {each[0]:.3f}, √KLCE² {each[1]:.3f}" for name, each in zip(sims.METHODS, every, strict=True)
        )
        return (
            f"{model}. {said} (errors above .3 are drawn at .3, negative estimates at 0). Exact p-value of local "
            f"calibration after {method}, 99 draws: {found[3]:.3f}."
        )

    return explore(
        setup, update, size=(9.6, 4.2), model=list(sims.CAST), method=["isotonic", *[m for m in sims.METHODS if m != "isotonic"]]
    )


COLOUR = dict(zip(sims.RACE_NULLS, ("orange", "yellow", "pink", "sky", "green"), strict=True))


def null_race():
    """p-values of calibrated data sets under five nulls, as a crowd of alike data grows."""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.2, 1])
        axes, side = (fig.add_subplot(column) for column in columns)
        square(axes, xlabel="level α", ylabel="share of p-values ≤ α")
        lines = {name: axes.step([], [], where="post", color=COLOURS[COLOUR[name]], lw=1.8)[0] for name in sims.RACE_NULLS}
        lines["labels"].set_linewidth(3)
        side.set(xlim=(0, 0.4), ylim=(-0.6, len(sims.RACE_NULLS) - 0.4), xlabel="rejected at .05")
        side.set_yticks(range(len(sims.RACE_NULLS)), sims.RACE_NULLS[::-1])
        for label in side.get_yticklabels():
            label.set_color(COLOURS[COLOUR[label.get_text()]])
        side.axvline(0.05, color=COLOURS["ink"], ls="--", lw=1)
        bars = side.barh(range(len(sims.RACE_NULLS)), [0] * len(sims.RACE_NULLS), height=0.6,
                         color=[COLOURS[COLOUR[name]] for name in sims.RACE_NULLS[::-1]])  # fmt: skip
        return {"lines": lines, "bars": bars, "title": axes.set_title(TITLE)}

    def update(artists, crowd="doubtful", share=0.2):
        pvalues = sims.race(crowd, share)
        rejected = (pvalues <= 0.05 + 1e-12).mean(axis=1)
        for name, values in zip(sims.RACE_NULLS, pvalues, strict=True):
            artists["lines"][name].set_data(*steps(values))
        for bar, value in zip(artists["bars"], rejected[::-1], strict=True):
            bar.set_width(value)
        artists["title"].set_text(f"{share:.0%} in a {crowd} crowd; all calibrated")
        said = ", ".join(f"{name} {value:.1%}" for name, value in zip(sims.RACE_NULLS, rejected, strict=True))
        return f"{sims.RACE_SETS} calibrated data sets, {share:.0%} of the data in a {crowd} crowd; rejected at .05: {said}."

    return explore(setup, update, size=(9.6, 4.3), crowd=list(sims.CROWDS), share=sims.RACE_SHARES,
                   labels={"share": "share of the crowd"})  # fmt: skip


def power_in_many_dimensions():
    """Power of the exact test against one unused feature among d, along the width of the feature kernel."""

    def setup(fig):
        return power_curve(
            fig, sims.WIDTHS, "one width, exact test", key="center right", xlabel="width of the feature kernel"
        )

    def update(artists, features=10):
        single, aggregated = sims.power(features)
        best = show_power(artists, sims.WIDTHS, single, aggregated)
        artists["title"].set_text(f"{features} features, one of them not used")
        return (
            f"{features} features, n = 200, {sims.POWER_SETS} data sets: the best width ({best:g}) rejects "
            f"{single.max():.0%}, the worst {single.min():.0%}, the aggregated test {aggregated:.0%}."
        )

    return explore(setup, update, size=(8, 4), features=sims.DIMENSIONS)
