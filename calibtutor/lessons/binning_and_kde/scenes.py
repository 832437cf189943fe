"""Scenes of notebook 02, first half: what bins do to a calibration error."""

from functools import lru_cache
from itertools import product

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import brier_score, consistency_band, expected_calibration_error, reliability_curve, resampled_errors
from ...data.datasets import digits_cast, hole_predictions
from ...data.worlds import CurveWorld, wave_world
from ...kde import BANDWIDTHS, conditional_frequency, dirichlet_log_kernel, kde_calibration_error, log_likelihood
from ...plots import COLOURS, TITLE, Heatmap, Histogram, ReliabilityDiagram, Simplex, bars_between, to_plane
from ...predictions import top_label
from ...teach.explore import explore
from ..shared.surfaces import two_surfaces
from .simulations import BIN_NUMBERS, HEIGHTS, SIZES, binned_errors_of_perfect_model, rmse_table

__all__ = [
    "aliasing",
    "choose_bandwidth",
    "ece_against_bins",
    "flat_to_brier",
    "kernel_at_the_wall",
    "kernel_on_triangle",
    "one_number_decides_nothing",
    "perfect_but_positive",
    "rmse_map",
    "three_binnings",
    "two_surfaces",
]

def ece_against_bins():
    """The ECE of one model on one data set as a function of the number of bins."""
    cast = digits_cast()
    n_bins = np.arange(1, 61)

    @lru_cache
    def errors(model, strategy):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        return [expected_calibration_error(y_true, y_prob, n_bins=int(m), strategy=strategy) for m in n_bins]

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(0.5, 60.5), ylim=(0.0003, 0.5), yscale="log", xlabel="number of bins", ylabel="ECE (log scale)")
        axes.set_yticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
        axes.minorticks_off()
        for name in cast:
            each, _ = errors(name, "uniform"), errors(name, "quantile")  # both now, so that no click waits
            axes.plot(n_bins, each, color="#CFCFCF", lw=1)
            below = name == "naive Bayes"  # its line runs just under logistic regression's
            axes.text(60, each[-1] * (0.9 if below else 1.06), name, ha="right", va="top" if below else "bottom",
                      color="#777777", fontsize=9)  # fmt: skip
        (line,) = axes.plot([], [], color=COLOURS["blue"])
        (dot,) = axes.plot([], [], "o", color=COLOURS["orange"], ms=10)
        label = axes.text(
            0, 0, "", color=COLOURS["orange"], va="bottom", ha="left", fontsize=12, bbox={"color": "white", "pad": 1}
        )
        return {"line": line, "dot": dot, "label": label}

    def update(artists, model="neural network", strategy="uniform", bins=15):
        each = errors(model, strategy)
        artists["line"].set_data(n_bins, each)
        artists["dot"].set_data([bins], [each[bins - 1]])
        artists["label"].set_text(f"{each[bins - 1]:.4f}")
        artists["label"].set_position((min(bins + 0.8, 55), each[bins - 1] * 1.12))
        return (
            f"{model}, {strategy} bins: the ECE is {each[bins - 1]:.4f} with {bins} bins; over 1 to 60 bins it runs "
            f"from {min(each):.4f} to {max(each):.4f}. The predictions never changed."
        )

    return explore(setup, update, size=(9, 4.2), model=list(cast), strategy=["uniform", "quantile"], bins=(1, 60, 1))


def aliasing():
    """A wavy truth and the bins that look at it: equal widths hide what averages to zero inside them."""
    grid = np.linspace(0, 1, 1001)

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(0, 1), ylim=(-0.05, 0.05), xlabel="prediction p", ylabel="truth − prediction, r(p) − p")
        axes.axhline(0, color=COLOURS["grey"], lw=1)
        bars = PolyCollection(
            [], facecolor=COLOURS["orange"], alpha=0.75, edgecolor="white", lw=0.6, label="what bins see"
        )
        axes.add_collection(bars)
        (wave,) = axes.plot(grid, 0 * grid, color=COLOURS["blue"], label="truth")
        axes.legend(loc="lower right", ncols=2)
        return {"bars": bars, "wave": wave, "title": axes.set_title(TITLE)}

    def update(artists, waves=10, bins=10):
        world = wave_world(waves)
        artists["wave"].set_ydata(world.curve(grid) - grid)
        scores = world.scores().reshape(-1)
        cell = np.clip(np.ceil(scores * bins).astype(int) - 1, 0, bins - 1)
        gap = np.bincount(cell, world.curve(scores) - scores) / np.bincount(cell)
        artists["bars"].set_verts(bars_between(np.arange(bins + 1) / bins, 0 * gap, gap))
        true, seen = world.calibration_error(), world.binned_error(bins)
        artists["title"].set_text(f"true error {true:.4f}        {bins} bins see {seen:.4f}")
        return (
            f"{waves} waves, {bins} bins, infinitely many data: the true error is {true:.4f}, the binned one "
            f"{seen:.4f} ({seen / true:.0%} of it)."
        )

    return explore(setup, update, size=(9, 3.8), waves=(1, 15, 1), bins=(1, 40, 1))


def perfect_but_positive():
    """ECE of a perfectly calibrated model over many data sets, with the formula for its mean."""

    def setup(fig):
        for n in SIZES:
            binned_errors_of_perfect_model(n, 1)  # draws the labels now, so that no slider step waits for them
        axes = fig.add_subplot()
        return Histogram(
            axes, np.linspace(0, 0.45, 91), xlabel="ECE of a perfectly calibrated model", truth_label="truth: 0"
        )

    def update(artist, n=500, bins=15):
        errors, predicted = binned_errors_of_perfect_model(n, bins)
        artist.update(errors, 0.0, errors.mean(), f"mean {errors.mean():.4f}, by the formula {predicted:.4f}")
        return (
            f"Perfect model, {n} predictions, {bins} bins, {len(errors)} data sets: the ECE is {errors.mean():.4f} on "
            f"average (formula {predicted:.4f}) and at least {errors.min():.4f}; the true error is 0."
        )

    return explore(setup, update, size=(9, 3.6), n=SIZES, bins=(1, 50, 1))


def rmse_map():
    """Distance of the estimate from the truth, for every number of bins and data."""

    def setup(fig):
        for height, debiased in product(HEIGHTS, (False, True)):
            rmse_table(height, debiased)  # seconds in all, once, so that no slider step waits
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = fig.add_subplot(grid[0])
        rows, columns = len(BIN_NUMBERS), len(SIZES)
        image = Heatmap(axes, (rows, columns), x=(-0.5, columns - 0.5), y=(-0.5, rows - 0.5), vmax=0.15, cmap="cividis")
        axes.set_xticks(range(len(SIZES)), SIZES)
        axes.set_yticks(range(len(BIN_NUMBERS)), BIN_NUMBERS)
        axes.set(xlabel="number of data n", ylabel="number of bins", title="RMSE of the estimate (star: best)")
        fig.colorbar(image, ax=axes)
        (best,) = axes.plot([], [], "*", color="white", ms=13, mec="black", mew=0.8)
        side = fig.add_subplot(grid[1])
        side.set(
            xlim=(-0.15, 0.25),
            ylim=(-0.5, len(BIN_NUMBERS) - 0.5),
            xlabel="mean estimate − truth",
            title="bias at n = 500",
        )
        side.set_yticks(range(len(BIN_NUMBERS)), BIN_NUMBERS)
        side.axvline(0, color=COLOURS["ink"], lw=1)
        bars = side.barh(range(len(BIN_NUMBERS)), [1] * len(BIN_NUMBERS), color=COLOURS["orange"], height=0.6)
        return {"image": image, "best": best, "bars": list(bars)}

    def update(artists, wave_height=0.1, debiased=False):
        rmse, bias, truth, negative = rmse_table(wave_height, debiased)
        artists["image"].set_data(rmse)
        artists["best"].set_data(range(len(SIZES)), np.nanargmin(rmse, axis=0))
        for bar, value in zip(artists["bars"], bias[:, SIZES.index(500)], strict=True):
            bar.set_width(value)
        best = ", ".join(
            f"{BIN_NUMBERS[row]} at n = {n}" for n, row in zip(SIZES, np.nanargmin(rmse, axis=0), strict=True)
        )
        more = (
            f" {negative:.0%} of the debiased squares at n = 500 are negative (all numbers of bins together)."
            if debiased
            else ""
        )
        return f"True error {truth:.3f} (norm 2). Best number of bins: {best}.{more}"

    return explore(
        setup, update, size=(9.4, 4.2), wave_height=HEIGHTS, debiased=False,
        labels={"wave_height": "height of the waves"},
    )  # fmt: skip


def three_binnings():
    """Equal width, equal mass and monotone sweep on confidences that pile up at 1."""
    cast = digits_cast()

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.1])
        diagram = ReliabilityDiagram(fig, spec=grid[0])
        axes = fig.add_subplot(grid[1])
        axes.set(xlim=(0, 1), ylim=(-0.6, 0.6), xlabel="predictions from least to most confident (share)",
                 ylabel="confidence − accuracy", title="the same bins, drawn by rank")  # fmt: skip
        axes.axhline(0, color=COLOURS["ink"], lw=1)
        bars = PolyCollection([], facecolor=COLOURS["orange"], alpha=0.8, edgecolor="white", lw=0.8)
        axes.add_collection(bars)
        return {"diagram": diagram, "bars": bars, "note": axes.text(0.5, -0.48, "", ha="center", va="top", fontsize=10)}

    def update(artists, model="neural network", strategy="uniform", bins=15):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        curve = reliability_curve(y_true, y_prob, n_bins=bins, strategy=strategy)
        band = consistency_band(y_prob, edges=curve.edges, n_resamples=200, rng=0)
        full = curve.count > 0
        artists["diagram"].update(curve, band, title=f"{model}: {full.sum()} bins in use")
        edges = np.concatenate([[0], np.cumsum(curve.count[full]) / curve.count.sum()])
        artists["bars"].set_verts(bars_between(edges, np.zeros(full.sum()), curve.gap[full]))
        fullest = int(curve.count.argmax())
        artists["note"].set_text(f"fullest bin: {curve.count[fullest]} digits, gap {curve.gap[fullest]:+.3f}")
        error = expected_calibration_error(y_true, y_prob, n_bins=bins, strategy=strategy)
        return (
            f"{model}, {strategy}: {full.sum()} bins hold data, the fullest {curve.count.max()} and the emptiest "
            f"{curve.count[full].min()} of {len(y_true)} predictions; ECE {error:.4f}. "
            "Grey: where 90 % of frequencies would fall if the model were calibrated."
        )

    return explore(
        setup, update, size=(9.4, 4.4), model=list(cast), strategy=["uniform", "quantile", "sweep"], bins=(2, 40, 1)
    )


def one_number_decides_nothing():
    """A model's ECE beside the ECEs it would get if it were calibrated."""
    cast = digits_cast()

    def setup(fig):
        axes = fig.add_subplot()
        return Histogram(
            axes, np.linspace(0, 0.45, 91), xlabel="ECE", truth_label="this model", mean_label="mean if calibrated"
        )

    def update(artist, model="logistic regression", n=100, bins=15):
        y_true, y_prob = cast[model].y_true[:n], cast[model].y_prob[:n]
        error = expected_calibration_error(y_true, y_prob, n_bins=bins)
        null = resampled_errors(y_prob, n_bins=bins, n_resamples=500, rng=0)
        above = (null >= error).sum()
        artist.update(null, error, null.mean(), f"{model}, n = {n}: ECE {error:.3f}")
        return (
            f"{model} on {n} digits, {bins} bins: ECE {error:.3f}. If it were calibrated, its ECE would average "
            f"{null.mean():.3f}, and {above} of {len(null)} such data sets show at least this much."
        )

    confident = [name for name in cast if top_label(cast[name].y_true, cast[name].y_prob)[1].min() < 1]
    return explore(setup, update, size=(9, 3.6), model=confident, n=[50, 100, 200, 500, 1079], bins=(1, 40, 1))


def kernel_at_the_wall():
    """Beta and Dirichlet kernels as their centre and bandwidth move."""
    grid = np.linspace(0, 1, 1001)
    triangles = _small_triangles(26)
    middles = triangles.mean(axis=1)

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        axes = fig.add_subplot(columns[0])
        axes.set(xlim=(0, 1), ylim=(0, 12), xlabel="p", ylabel="kernel", title="on [0, 1]: Beta")
        (density,) = axes.plot(grid, 0 * grid, color=COLOURS["blue"], label="k(p; centre): a density in p")
        (swapped,) = axes.plot(
            grid, 0 * grid, color=COLOURS["orange"], ls="--", label="k(centre; p): arguments swapped"
        )
        centre = axes.axvline(0, color=COLOURS["grey"], lw=1, ls=":")
        axes.legend(loc="upper center")
        plane = fig.add_subplot(columns[1])
        plane.set(xlim=(-0.05, 1.05), ylim=(-0.05, 0.92), aspect="equal", title="on the triangle: Dirichlet")
        plane.set_axis_off()
        heat = PolyCollection(to_plane(triangles), cmap="cividis", edgecolor="face", lw=0.3, antialiased=False)
        heat.set_clim(0, 1)
        plane.add_collection(heat)
        (dot,) = plane.plot([], [], "o", color="white", ms=7, mec="black")
        return {"density": density, "swapped": swapped, "centre": centre, "heat": heat, "dot": dot}

    def update(artists, centre=0.1, bandwidth=0.1):
        forward = np.exp(dirichlet_log_kernel(grid, [centre], bandwidth)[:, 0])
        backward = np.exp(dirichlet_log_kernel([centre], grid, bandwidth)[0])
        artists["density"].set_ydata(forward)
        artists["swapped"].set_ydata(backward)
        artists["centre"].set_xdata([centre, centre])
        middle = np.array([[0.7 * (1 - centre), centre, 0.3 * (1 - centre)]])
        log_density = dirichlet_log_kernel(middles, middle, bandwidth)[:, 0]
        artists["heat"].set_array(np.exp(log_density - log_density.max()))
        artists["dot"].set_data(*to_plane(middle).T)
        return (
            f"Centre {centre:.2f}, bandwidth {bandwidth:g}: the kernel's top is at its centre and no mass leaves "
            f"[0, 1]. Swapped, k(centre; p) integrates to {np.trapezoid(backward[1:-1], grid[1:-1]):.3f} instead of 1."
        )

    return explore(
        setup, update, size=(9.4, 4), centre=(0.0, 1.0, 0.05), bandwidth=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    )


def _small_triangles(steps):
    """Barycentric corners (m, 3, 3) of the small triangles that tile the simplex."""
    corner = np.array([(i, j, steps - i - j) for i in range(steps) for j in range(steps - i)]) / steps
    corner = corner[corner[:, 2] > 0]
    a, b, c = np.eye(3) / steps
    up = np.stack([corner, corner + a - c, corner + b - c], axis=1)
    inner = corner[corner[:, 2] > 1.5 / steps]
    down = np.stack([inner + a - c, inner + b - c, inner + a + b - 2 * c], axis=1)
    return np.concatenate([up, down])


POWERS = np.round(np.arange(-7, 3.01, 0.25), 2)  # of the bandwidth, on a grid that sliders step through


def flat_to_brier():
    """KDE calibration error of a perfect model against the bandwidth, with and without leave-one-out."""
    world = CurveWorld(lambda p: p, lambda u: 0.5 + 0.5 * (2 * u - 1) * np.abs(2 * u - 1) ** 0.2)
    y, p = world.sample(400, 1)
    order = np.argsort(p)
    y, p = y[order], p[order]

    @lru_cache
    def errors(leave_one_out):
        return np.array([kde_calibration_error(y, p, bandwidth=h, leave_one_out=leave_one_out) for h in 10.0**POWERS])

    @lru_cache(maxsize=100)
    def ratio(power, leave_one_out):
        return conditional_frequency(y, p, bandwidth=10.0**power, leave_one_out=leave_one_out)

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        axes = fig.add_subplot(columns[0])
        brier = brier_score(y, p)
        axes.set(
            xlim=(10**-7.2, 1500),
            xscale="log",
            ylim=(-0.005, 0.3),
            xlabel="bandwidth h",
            ylabel="estimated squared error",
        )
        axes.axhline(brier, color=COLOURS["grey"], ls="--", lw=1.2)
        axes.text(1000, brier + 0.004, f"Brier score {brier:.3f}", ha="right", color="#555555")
        axes.axhline(0, color=COLOURS["ink"], ls="--", lw=1.2)
        axes.text(10**-7.1, 0.004, "truth: 0", color=COLOURS["ink"])
        axes.plot(10.0**POWERS, errors(True), color=COLOURS["blue"], label="leave one out")
        axes.plot(10.0**POWERS, errors(False), color=COLOURS["orange"], label="with itself, as printed")
        axes.legend(loc="upper right", bbox_to_anchor=(1, 0.9))
        (dot,) = axes.plot([], [], "o", ms=11, color=COLOURS["ink"])
        panel = fig.add_subplot(columns[1])
        panel.set(xlim=(0, 1), ylim=(-0.04, 1.04), xlabel="prediction p", ylabel="estimated frequency")
        panel.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls="--")
        (curve,) = panel.plot([], [], ".", ms=5, color=COLOURS["blue"])
        return {"dot": dot, "curve": curve, "title": panel.set_title(TITLE)}

    def update(artists, log10_bandwidth=-2.0, leave_one_out=True):
        h = 10.0**log10_bandwidth
        value = errors(leave_one_out)[np.argmin(np.abs(POWERS - log10_bandwidth))]
        artists["dot"].set_data([h], [value])
        artists["curve"].set_data(p, ratio(log10_bandwidth, leave_one_out))
        artists["title"].set_text(f"h = {h:.1g}: error {value:.4f}")
        way = "leave-one-out" if leave_one_out else "with each point in its own estimate"
        return f"Calibrated model, 400 scores, {way}, h = {h:.2g}: estimated squared error {value:.4f}; the truth is 0."

    return explore(
        setup, update, size=(9.4, 4.2), log10_bandwidth=[float(x) for x in POWERS], leave_one_out=True,
        labels={"log10_bandwidth": "log₁₀ bandwidth", "leave_one_out": "leave one out"},
    )  # fmt: skip


def kernel_on_triangle():
    """Real predictions on the triangle: arrows to the kernel estimate, and its error against the bandwidth."""
    models = ["random forest", "logistic regression", "naive Bayes"]
    powers = POWERS[(POWERS >= -5) & (POWERS <= 2)]
    data = {}
    for model in models:
        each = hole_predictions(model, noise=0.35)
        data[model] = each.y_true[:400], each.y_prob[:400]

    @lru_cache
    def estimates(model, leave_one_out):
        y, p = data[model]
        return [conditional_frequency(y, p, bandwidth=h, leave_one_out=leave_one_out) for h in 10.0**powers]

    def errors(model, leave_one_out):
        p = data[model][1]
        return [((p - ratio) ** 2).sum() / len(p) for ratio in estimates(model, leave_one_out)]

    def setup(fig):
        for model in models:
            estimates(model, True), estimates(model, False)  # once, so that no slider step waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.1, 1])
        triangle = Simplex(fig.add_subplot(columns[0]), ("no hole", "one", "two"), arrow_width=0.005)
        axes = fig.add_subplot(columns[1])
        axes.set(xlim=(0.7e-5, 150), xscale="log", ylim=(-0.01, 0.5), xlabel="bandwidth h", ylabel="estimated CCE₂²")
        (curve,) = axes.plot([], [], color=COLOURS["blue"], label="estimate")
        brier = axes.axhline(0, color=COLOURS["grey"], ls="--", label="Brier score")
        (dot,) = axes.plot([], [], "o", ms=11, color=COLOURS["ink"])
        axes.legend(loc="upper right")
        return {"triangle": triangle, "curve": curve, "brier": brier, "dot": dot}

    def update(artists, model="random forest", log10_bandwidth=-1.5, leave_one_out=True):
        y, p = data[model]
        step = int(np.argmin(np.abs(powers - log10_bandwidth)))
        ratio, each = estimates(model, leave_one_out)[step], errors(model, leave_one_out)
        artists["triangle"].update(p[:70], ratio[:70], size=10, title="70 predictions → kernel estimate")
        artists["curve"].set_data(10.0**powers, each)
        artists["brier"].set_ydata([brier_score(y, p)] * 2)
        artists["dot"].set_data([10.0**log10_bandwidth], [each[step]])
        return (
            f"{model} on 400 noisy digits, three classes: at h = {10.0**log10_bandwidth:.2g} the estimated squared "
            f"canonical error is {each[step]:.3f}; its Brier score is {brier_score(y, p):.3f}."
        )

    return explore(
        setup, update, size=(9.4, 4.2), model=models, log10_bandwidth=[float(x) for x in powers], leave_one_out=True,
        labels={"log10_bandwidth": "log₁₀ bandwidth", "leave_one_out": "leave one out"},
    )  # fmt: skip


def choose_bandwidth():
    """The likelihood that chooses the bandwidth, as it should be and as it was released."""
    rng = np.random.default_rng(0)
    confidence = {name: top_label(each.y_true, each.y_prob)[1] for name, each in digits_cast().items()}
    samples = {
        "uniform scores": rng.random(600),
        "Beta(5, 2) scores": rng.beta(5, 2, 600),
        "logistic regression on digits": confidence["logistic regression"],
        "random forest on digits (ties)": confidence["random forest"],
    }
    grid = np.linspace(0.0005, 0.9995, 3000)

    @lru_cache
    def likelihood(sample):
        return log_likelihood(samples[sample]) / len(samples[sample])

    @lru_cache(maxsize=100)
    def density(sample, h):
        return np.exp(dirichlet_log_kernel(grid, samples[sample], h)).mean(axis=1)

    def setup(fig):
        for sample in samples:
            for values in (likelihood(sample), likelihood(sample) - np.log(BANDWIDTHS)):
                density(sample, BANDWIDTHS[np.argmax(values)])  # now, so that no click waits
        columns = fig.add_gridspec(1, 2)
        axes = fig.add_subplot(columns[0])
        axes.set(xlim=(0.7e-5, 1.4), xscale="log", ylim=(-2.6, 0.25), xlabel="bandwidth h",
                 ylabel="log-likelihood per prediction, less its best")  # fmt: skip
        (curve,) = axes.plot([], [], "o-", ms=4, color=COLOURS["blue"])
        best = axes.axvline(1, color=COLOURS["orange"])
        panel = fig.add_subplot(columns[1])
        panel.set(xlim=(0, 1), ylim=(0, 5), xlabel="score", ylabel="density")
        bars = PolyCollection([], facecolor="#DDDDDD")
        panel.add_collection(bars)
        (line,) = panel.plot(grid, 0 * grid, color=COLOURS["orange"], lw=0.9)
        return {"curve": curve, "best": best, "bars": bars, "line": line,
                "title": axes.set_title(TITLE), "name": panel.set_title(TITLE)}  # fmt: skip

    def update(artists, sample="uniform scores", published_extra_term=False):
        values = likelihood(sample) - (np.log(BANDWIDTHS) if published_extra_term else 0)
        h = BANDWIDTHS[np.argmax(values)]
        artists["curve"].set_data(BANDWIDTHS, values - values.max())
        artists["best"].set_xdata([h, h])
        artists["title"].set_text(f"chosen: h = {h:.2g}")
        share, edges = np.histogram(samples[sample], 25, (0, 1), density=True)
        artists["bars"].set_verts(bars_between(edges, 0 * share, share))
        artists["line"].set_ydata(density(sample, h))
        artists["name"].set_text(f"{sample}: density")
        rule = "with the extra −log h of the released code" if published_extra_term else "likelihood"
        return f"{sample}, {rule}: the chosen bandwidth is {h:.2g}."

    return explore(
        setup, update, size=(9.4, 4), sample=list(samples), published_extra_term=False,
        labels={"published_extra_term": "add −log h, as released"},
    )  # fmt: skip
