"""Scenes of notebook 02, second half: kernels instead of bins."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection

from ..binning import brier_score, reliability_curve
from ..datasets import digits_cast, hole_predictions
from ..explore import explore
from ..kde import BANDWIDTHS, conditional_frequency, dirichlet_log_kernel, kde_calibration_error, log_likelihood
from ..plots import COLOURS, TITLE, Simplex, to_plane
from ..predictions import top_label
from ..worlds import CurveWorld, wave_world

__all__ = ["choose_bandwidth", "flat_to_brier", "kernel_at_the_wall", "kernel_on_triangle", "two_surfaces"]


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
        artists["bars"].set_verts(
            [[(a, 0), (b, 0), (b, v), (a, v)] for a, b, v in zip(edges[:-1], edges[1:], share, strict=True)]
        )
        artists["line"].set_ydata(density(sample, h))
        artists["name"].set_text(f"{sample}: density")
        rule = "with the extra −log h of the released code" if published_extra_term else "likelihood"
        return f"{sample}, {rule}: the chosen bandwidth is {h:.2g}."

    return explore(
        setup, update, size=(9.4, 4), sample=list(samples), published_extra_term=False,
        labels={"published_extra_term": "add −log h, as released"},
    )  # fmt: skip


def two_surfaces():
    """Truth, bins and kernel as functions of two predictions, h(p, p') = u(p)·u(p')."""
    world = wave_world(1, 0.15)
    cells = (np.arange(80) + 0.5) / 80
    data = {n: world.sample(n, 3) for n in (200, 1000, 5000)}
    truth = cells - world.curve(cells)

    @lru_cache(maxsize=100)
    def bin_gap(n, bins):
        curve = reliability_curve(*data[n], n_bins=bins)
        gap = curve.gap[np.minimum(np.ceil(cells * bins).astype(int) - 1, bins - 1)]
        return np.nan_to_num(gap)  # an empty bin claims no error

    @lru_cache(maxsize=100)
    def kernel_gap(n, h):
        return cells - conditional_frequency(*data[n], at=cells, bandwidth=h)

    def setup(fig):
        columns = fig.add_gridspec(1, 4, width_ratios=[1, 1, 1, 0.06])
        panels = {}
        for column, name in enumerate(["truth h*", "bins", "kernel"]):
            axes = fig.add_subplot(columns[column])
            image = axes.imshow(
                np.zeros((80, 80)), origin="lower", extent=(0, 1, 0, 1), cmap="PuOr", vmin=-0.03, vmax=0.03
            )
            axes.set(xlabel="p", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            if column == 0:
                axes.set_ylabel("p'")
            panels[name] = image, axes.set_title(TITLE, fontsize=11)
        fig.colorbar(image, cax=fig.add_subplot(columns[3]))
        return panels

    def update(artists, n=1000, bins=15, bandwidth=0.02):
        said = []
        for name, gap in (("truth h*", truth), ("bins", bin_gap(n, bins)), ("kernel", kernel_gap(n, bandwidth))):
            image, title = artists[name]
            image.set_data(np.outer(gap, gap))
            away = np.sqrt(np.mean((np.outer(gap, gap) - np.outer(truth, truth)) ** 2))
            title.set_text(
                f"{name}: diagonal {np.mean(gap**2):.4f}" + (f"\ndistance to truth {away:.4f}" if away else "\n")
            )
            said.append(f"{name} {np.mean(gap**2):.4f}" + (f" (distance {away:.4f})" if away else ""))
        return f"n = {n}, {bins} bins, bandwidth {bandwidth:g}. Squared error, the diagonal's mean: {', '.join(said)}."

    return explore(setup, update, size=(9.4, 3.5), n=list(data), bins=(1, 60, 1),
                   bandwidth=[0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0])  # fmt: skip
