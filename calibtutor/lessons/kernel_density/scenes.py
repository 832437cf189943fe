"""Pictures of kernel estimates: the kernel, its bandwidth, and the rule that chooses one."""

from functools import lru_cache

import numpy as np
from matplotlib.colors import to_rgba

from ...estimates.binning import brier_score
from ...estimates.kde import BANDWIDTHS, select_bandwidth
from ...plots import (GREY, INK, KEPT, MISS, MODELS, SMALL, SOFT, Finding, bars_between, chance, estimate, misses,
                      panel, reference, ten_to, words)
from ...teach.explore import explore
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared.verdicts import capital, written
from .simulations import (beta_kernel, calibrated_scores, errors_by_bandwidth, kernel_density, kernel_estimate,
                          likeliest, mean_log_likelihoods, scores_of)

__all__ = ["choose_bandwidth", "error_by_bandwidth", "flat_to_brier", "kernel_at_the_wall"]


def beside_chance(above, of):
    """At how many bandwidths an error is larger than those of redrawn labels, in words."""
    if above == 0:
        return "nowhere above the grey"
    return "above the grey at every bandwidth" if above == of else f"above the grey at {above} of {of} bandwidths"


def error_by_bandwidth():
    """The estimated squared error of real predictions against the bandwidth, beside redrawn labels; the rule's choice."""
    models = ["random forest", "logistic regression", "neural network", "naive Bayes"]
    of = lru_cache(lambda model: errors_by_bandwidth(model, BANDWIDTHS))
    rule = lru_cache(lambda model: select_bandwidth(scores_of(model)))

    def setup(fig):
        axes = panel(fig, xscale="log", yscale="log", xlim=(0.7e-5, 1.5), ylim=(9e-5, 0.7), x=10.0 ** np.arange(-5, 1),
                     y=[0.001, 0.01, 0.1], xlabel="bandwidth γ", ylabel="estimated squared error")
        return {"grey": chance(axes), "mean": estimate(axes, line=True, color=GREY, lw=1.2, zorder=2),
                "name": words(axes, 1.4, 0.46, "", colour=SOFT, ha="right"), "curve": estimate(axes, ls="-", lw=1.8, ms=6),
                "rule": estimate(axes, ms=14), "value": number(axes, offset=(4, 22), ha="left")}

    def update(artists, model="neural network", redrawn=False):
        error, *null = of(model).T
        colour, marker, text = MODELS[model]
        chosen = int(np.flatnonzero(rule(model) == BANDWIDTHS)[0])
        low, high = np.min(null, axis=0), np.max(null, axis=0)
        outline = [*zip(BANDWIDTHS, low, strict=True), *zip(BANDWIDTHS[::-1], high[::-1], strict=True)]
        artists["grey"].set_verts([outline] if redrawn else [])
        artists["mean"].set_data(BANDWIDTHS, np.mean(null, axis=0) if redrawn else np.nan * error)
        artists["name"].set_text(f"grey: labels redrawn {len(null)} times; line: their mean" if redrawn else "")
        artists["curve"].set_data(BANDWIDTHS, error)
        artists["rule"].set_data([BANDWIDTHS[chosen]], [error[chosen]])
        for name in ("curve", "rule"):
            artists[name].set(color=colour, marker=marker, mec="white")
        tell(artists["value"], (BANDWIDTHS[chosen], error[chosen]), f"the rule's choice: {written(error[chosen], 4)}",
             color=text, ha="left" if BANDWIDTHS[chosen] < 1e-3 else "center")
        drawn = f"{len(scores_of(model)):,} digits, top label; the rule chooses γ = {ten_to(BANDWIDTHS[chosen])}"
        if not redrawn:
            return Finding(f"{capital(model)}: between {error.min():.4f} and {error.max():.4f}, by the bandwidth alone",
                           drawn, f"At the rule's choice it is {error[chosen]:.4f}.")
        above = int((error > high).sum())
        return Finding(
            f"{capital(model)}: {beside_chance(above, len(error))}", drawn,
            f"At the rule's choice it is {error[chosen]:.4f}; redrawn labels get {np.mean(null, axis=0)[chosen]:.4f} on average.")

    return explore(setup, update, size=(9, 4.4), model=models, redrawn=False, labels={"redrawn": "redrawn labels beside it"},
                   code=errors_by_bandwidth)


def keeps_its_mass(mass):
    """Whether a kernel's mass is 1, to half a percent."""
    return abs(mass - 1) < 0.005


def kernel_at_the_wall():
    """The Beta kernel as its centre and bandwidth move, and with its arguments exchanged."""
    grid = np.linspace(0, 1, 1001)

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.1, 1.1), ylim=(-0.08, 1.5), x=[0, 0.5, 1], xlabel="p")
        for wall, x, text in ((0, -0.05, "below 0"), (1, 1.05, "above 1")):
            axes.axvline(wall, color=INK, lw=2.4, zorder=3)
            axes.axvspan(x - 0.05, x + 0.05, color="#EEEEEE", lw=0, zorder=0)
            words(axes, x, 0.75, text, colour=SOFT, rotation=90)
        fill = chance(axes, facecolor=to_rgba(KEPT, 0.25), lw=0)
        return {"fill": fill, "ghost": Ghost(fill), "density": estimate(axes, line=True),
                "swapped": estimate(axes, line=True, color=MISS, zorder=3.5, clip_on=True),
                "centre": estimate(axes, color=INK, marker="^", ms=9, mew=0),
                "names": [number(axes, colour=colour, ha="center", offset=(0, 0)) for colour in (KEPT, MISS)]}

    def update(artists, centre=0.1, bandwidth=0.1):
        forward, backward, mass = beta_kernel(centre, bandwidth, grid)
        top = forward.max()
        artists["fill"].set_verts([[(0, 0), *zip(grid, forward / top, strict=True), (1, 0)]])
        artists["density"].set_data(grid, forward / top)
        artists["swapped"].set_data(grid[1:-1], np.minimum(backward[1:-1] / top, 2))
        artists["centre"].set_data([centre], [-0.04])
        said = "k(p; centre): mass 1", f"k(centre; p): mass {mass:.3f}"
        for each, y, text in zip(artists["names"], (1.38, 1.24), said, strict=True):
            tell(each, (0.63 if centre <= 0.5 else 0.37, y), text)
        return Finding(
            "Mass between the walls: 1; with p and centre swapped, "
            + ("1 as well" if keeps_its_mass(mass) else f"{mass:.3f}"),
            f"blue: Beta kernel; red: its arguments swapped; centre {centre:.2f}, bandwidth γ = {bandwidth:g}",
            "A triangle marks the centre; the kernel's top is there.")

    return explore(
        setup, update, size=(9, 4.4), centre=(0.0, 1.0, 0.05), bandwidth=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
        labels={"bandwidth": "bandwidth γ"}, code=beta_kernel)


POWERS = np.round(np.arange(-7, 3.01, 0.25), 2)  # of the bandwidth, on a grid that sliders step through


def number_over_curve(each, x, values, step):
    """Write a curve's value over the side of its mark where the curve lies lower."""
    slope = values[min(step + 1, len(values) - 1)] - values[max(step - 1, 0)]
    side = 1 if step < 4 else -1 if step > len(values) - 5 else 0 if abs(slope) < 0.01 else -np.sign(slope)
    tell(each, (x, values[step]), written(values[step], 4), position=(14 * side, 14 if side else 22),
         ha={1: "left", 0: "center", -1: "right"}[side])


def what_is_left(error, brier, spread, narrow):
    """What a kernel estimate has come to: nothing local, single labels, or neither, in words.

    It is flat if its values spread (from lowest to highest) by less than .15, and made of labels if it reports at
    least three quarters of the Brier score at a bandwidth that is narrow: below the one where it reports least.
    """
    if spread < 0.15:
        return "Too flat: nearly the same frequency everywhere"
    return "Too narrow: single labels are left" if narrow and error >= 0.75 * brier else ""


def flat_to_brier():
    """KDE calibration error of a perfect model against the bandwidth, with and without leave-one-out."""
    y, p = calibrated_scores()
    brier = brier_score(y, p)

    @lru_cache
    def estimates(leave_one_out):
        """Frequencies and error at each bandwidth."""
        each = [kernel_estimate(y, p, bandwidth, leave_one_out) for bandwidth in 10.0**POWERS]
        return [frequency for frequency, _ in each], np.array([error for _, error in each])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        axes = panel(fig, columns[0], xscale="log", xlim=(6e-8, 1600), ylim=(-0.03, 0.3), x=[1e-6, 1e-4, 0.01, 1, 100],
                     y=[0, 0.1, 0.2, 0.3], xlabel="bandwidth γ", ylabel="estimated squared error")
        reference(axes, axes.get_xlim(), [brier, brier])
        words(axes, 1000, brier + 0.004, f"Brier score {brier:.3f}", colour=SOFT, ha="right", va="bottom", size=SMALL)
        truth(axes, axes.get_xlim(), [0, 0])
        words(axes, 1000, -0.006, "truth: 0", ha="right", va="top", bold=True)
        side = panel(fig, columns[1], xlim=(-0.02, 1.02), ylim=(-0.04, 1.04), x=[0, 0.5, 1], y=[0, 0.5, 1],
                     xlabel="prediction p", ylabel="estimated frequency")
        truth(side, [0, 1], [0, 1])
        return {"line": estimate(axes, line=True), "other": estimate(axes, line=True, color=GREY, lw=1.2, zorder=2.5),
                "stem": misses(axes, zorder=4.5), "dot": choice(axes), "number": number(axes, colour=MISS),
                "curve": estimate(side, ms=5, mew=0)}

    def update(artists, log10_bandwidth=-7.0, leave_one_out=True):
        h = 10.0**log10_bandwidth
        step = int(np.argmin(np.abs(POWERS - log10_bandwidth)))
        frequencies, errors = estimates(leave_one_out)
        value, each = errors[step], frequencies[step]
        artists["line"].set_data(10.0**POWERS, errors)
        artists["other"].set_data(10.0**POWERS, estimates(not leave_one_out)[1])
        artists["stem"].set_segments([[(h, 0), (h, value)]])
        artists["dot"].set_data([h], [value])
        number_over_curve(artists["number"], h, errors, step)
        artists["curve"].set_data(p, each)
        ways = ["own label in", "own label left out"]
        way, other = ways[leave_one_out], ways[not leave_one_out]
        left_over = what_is_left(value, brier, np.ptp(each), step < np.argmin(errors))
        return Finding(f"{left_over}, error {value:.4f}, truth 0"
                       if left_over else f"Truth 0, and the estimated error is {value:.4f}",
                       f"{len(y)} predictions of a calibrated model, {way}; γ = {ten_to(h)}; thin: {other}")

    return explore(setup, update, size=(9, 4.4), log10_bandwidth=[(ten_to(10.0**each), float(each)) for each in POWERS],
                   leave_one_out=True, labels={"log10_bandwidth": "bandwidth γ", "leave_one_out": "leave one out"},
                   code=(calibrated_scores, kernel_estimate))


def is_a_comb(h, n):
    """Whether a kernel is too narrow to join n scores: its width at p = ½, √h/2, is below two of their mean distances."""
    return np.sqrt(h) / 2 < 2 / n


def choose_bandwidth():
    """The likelihood that chooses the bandwidth, as it should be and as it was released."""
    scores_by = {each: scores_of(each) for each in ("random forest", "logistic regression")}
    grid = np.linspace(0.0005, 0.9995, 3000)
    likelihood = lru_cache(lambda model: mean_log_likelihoods(scores_by[model], BANDWIDTHS))
    density = lru_cache(lambda model, bandwidth: kernel_density(scores_by[model], bandwidth, grid))

    def setup(fig):
        for model in scores_by:
            for extra in (False, True):
                density(model, likeliest(likelihood(model), BANDWIDTHS, extra)[1])  # now, so that no click waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        axes = panel(fig, columns[0], read_y=False, xlim=(0, 1), ylim=(0, 5), x=[0, 0.5, 1], xlabel="confidence")
        line = estimate(axes, grid, 0 * grid, line=True, lw=1, clip_on=True)
        side = panel(fig, columns[1], xscale="log", xlim=(0.6e-5, 1.7), ylim=(-2.6, 0.35), x=[1e-5, 1e-3, 0.1],
                     y=[-2, -1, 0], xlabel="bandwidth γ", ylabel="L / n, less its largest")
        curve = estimate(side, ls="-", lw=1.6, ms=5, mew=0, clip_on=True)
        return {"bars": chance(axes), "line": line, "curve": curve, "ghost": Ghost(curve),
                "best": estimate(side, ms=13),
                "chosen": number(side, offset=(0, 18)), "scores": words(axes, 0.02, 4.3, "", ha="left"),
                "drawn": words(axes, 0.02, 4.7, "", ha="left", bold=True)}

    def update(artists, model="random forest", published_extra_term=False):
        scores = scores_by[model]
        values, h = likeliest(likelihood(model), BANDWIDTHS, published_extra_term)
        comb = is_a_comb(h, len(scores))
        verdict, (colour, _, text) = MISS if comb else KEPT, MODELS[model]
        artists["curve"].set_data(BANDWIDTHS, values - values.max())
        artists["best"].set(data=([h], [0]), color=verdict, mec="white")
        tell(artists["chosen"], (h, 0), f"γ = {ten_to(h)}", color=verdict, ha="left" if h < 0.003 else "center")
        share, edges = np.histogram(scores, 25, (0, 1), density=True)
        artists["bars"].set(verts=bars_between(edges, 0 * share, share), facecolor=to_rgba(colour, 0.25))
        artists["line"].set(ydata=density(model, h), color=verdict)
        artists["drawn"].set(text="the density it draws", color=verdict)
        artists["scores"].set(text=f"{len(scores):,} confidences", color=text)
        rule = "with the released code's extra −log γ" if published_extra_term else "likelihood"
        end = ", the smallest offered" if h == BANDWIDTHS.min() else ""
        return Finding(f"The rule chooses γ = {ten_to(h)}{end}: " + ("spikes" if comb else "a smooth density"),
                       f"{model}; rule: {rule}; right: each of {len(BANDWIDTHS)} bandwidths offered")

    return explore(
        setup, update, size=(9, 4.4), model=list(scores_by), published_extra_term=False,
        labels={"published_extra_term": "add −log γ, as released"}, code=(scores_of, mean_log_likelihoods, likeliest, kernel_density))
