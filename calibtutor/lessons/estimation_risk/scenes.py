"""Scenes: products of pairs, the risk beside the distance, and which of five answers to believe."""

from functools import lru_cache

import numpy as np

from ...plots import (INK, KEPT, MISS, MODELS, NUMBER, SMALL, SOFT, Finding, bars_between, chance, estimate, misses,
                      panel, reference, words)
from ...teach.explore import explore
from ...teach.marks import choice, number, tell, truth
from ..shared.maps import Heatmap
from ..shared.one_wave import PAIR_COLOURS, true_product
from ..shared.splits_of_digits import CAST, NAMES
from ..shared.verdicts import capital, signed
from . import simulations as sims

__all__ = ["distance_you_can_measure", "judged_alike", "learn_from_pairs", "which_to_believe"]

WITH_NOTHING = tuple(NAMES)
ESTIMATORS = WITH_NOTHING[1:]
ROWS = np.arange(len(WITH_NOTHING))


def learn_from_pairs():
    """Products of residuals in one cell of the pair map: wild values whose mean is h*."""
    cells, widest, data = 8, 0.04, {n: sims.one_wave(n) for n in (200, 1000, 4000)}
    middle = (np.arange(cells) + 0.5) / cells
    edges = np.linspace(-1, 1, 41)
    means = lru_cache(lambda n: sims.mean_products(*data[n], cells))

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, grid[0], read_y=False, xlim=(-1.06, 1.06), ylim=(-0.12, 1.2), x=[-1, -0.5, 0, 0.5, 1],
                     xlabel="product of two residuals, ⟨δ, δ'⟩")
        square = panel(fig, grid[1], x=[0, 0.5, 1], y=[0, 0.5, 1], aspect="equal", xlabel="p", ylabel="p'")
        square.set_title(f"mean product in each cell:\npurple −{widest}, blank 0, orange {widest}", color=SOFT)
        return {"bars": chance(axes, facecolor=KEPT, alpha=0.45, edgecolor="white", lw=0.5), "star": truth(axes),
                "stem": misses(axes, lw=9), "mean": estimate(axes),
                "names": [number(axes, offset=(-8, 0)), number(axes, offset=(12, 0), colour=KEPT)],
                "image": Heatmap(square, (cells, cells), vmin=-widest, vmax=widest, cmap=PAIR_COLOURS),
                "frames": [truth(square, color=c, lw=lw, clip_on=False) for c, lw in (("white", 6), (INK, 2.6))]}

    def update(artists, p_cell=2, other_cell=2, n=1000):
        artists["image"].set_data(means(n).T)
        x, y = p_cell / cells, other_cell / cells
        for frame in artists["frames"]:
            frame.set_data([x, x + 1 / cells, x + 1 / cells, x, x], [y, y, y + 1 / cells, y + 1 / cells, y])
        pairs = sims.products_of_residuals(*data[n], p_cell, other_cell, cells)
        star, mean = true_product(middle[p_cell], middle[other_cell]), pairs.mean()
        count = np.histogram(pairs, len(edges) - 1, (-1, 1))[0]
        artists["bars"].set_verts(bars_between(edges, np.zeros(len(count)), 0.95 * count / count.max()))
        artists["star"].set_data([star, star], [-0.06, 1.12])
        artists["stem"].set_segments([[(star, -0.06), (mean, -0.06)]])
        artists["mean"].set_data([mean], [-0.06])
        for text, at, said in zip(artists["names"], ((star, 1.08), (mean, 1.08)), (star, mean), strict=True):
            tell(text, at, f"{'truth h*' if text.xyann[0] < 0 else 'mean'} {signed(said, 4)}")
        return Finding(
            f"The products scatter, their mean is {signed(mean, 4)}; the truth h* is {signed(star, 4)}",
            f"n = {n:,}: {pairs.size:,} pairs with p near {middle[p_cell]:.2f} and p' near {middle[other_cell]:.2f}, the framed cell",
            f"The products run from {pairs.min():+.2f} to {pairs.max():+.2f}.".replace("-", "−"))

    return explore(setup, update, size=(9, 4.4), p_cell=(0, cells - 1, 1), other_cell=(0, cells - 1, 1), n=list(data),
                   labels={"p_cell": "cell of p", "other_cell": "cell of p'"},
                   code=(sims.one_wave, sims.products_of_residuals, sims.mean_products, true_product))


def distance_you_can_measure():
    """Figure 1 of Gruber & Bach: the risk over θ, and its excess beside the distance to the truth."""
    thetas, at_one = sims.THETAS, int(np.argmin(np.abs(np.log2(sims.THETAS))))
    lowest, span = 0.004, 0.024  # both panels are as high, so that equal lengths are equal numbers

    def setup(fig):
        for n in (100, 500):
            sims.figure_one(n)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        common = {"xscale": "log", "xlim": (0.028, 36), "x": [0.1, 1, 10], "xlabel": "θ (at 1, h is the truth)"}
        left = panel(fig, grid[0], **common, y=[0.01, 0.02], ylim=(lowest, lowest + span), ylabel="estimated risk")
        right = panel(fig, grid[1], **common, y=[0, 0.01], ylim=(lowest - 0.0086, lowest - 0.0086 + span))
        left.set_title("what you can compute", color=SOFT)
        right.set_title("what only the world knows", color=SOFT)
        words(left, 8, 0.0215, f"grey: one standard\ndeviation, {sims.REPEATS} data sets", colour=SOFT, size=SMALL)
        words(right, 2.2, 0.012, "squared distance\nto the truth", bold=True)
        words(right, 2.2, 0.0092, "excess of the risk", colour=KEPT, bold=True)
        reference(right, thetas[[0, -1]], [0, 0])
        return {"band": chance(left), "floor": reference(left, thetas[[0, -1]], [0, 0]),
                "risk": estimate(left, line=True), "excess": estimate(right, line=True, lw=6, alpha=0.5),
                "distance": truth(right, lw=2), "stems": [misses(axes, lw=5, zorder=5) for axes in (left, right)],
                "dots": [choice(axes) for axes in (left, right)],
                "numbers": [number(axes, colour=MISS, offset=(0, 0)) for axes in (left, right)]}

    def update(artists, theta=1.0, n=500):
        risks, distances = sims.figure_one(n)
        mean, spread = risks.mean(axis=0), risks.std(axis=0, ddof=1)
        step = int(np.argmin(np.abs(np.log(thetas / theta))))
        base, here, above = mean[at_one], thetas[step], risks[:, step] - risks[:, at_one]
        artists["band"].set_verts(
            [np.column_stack([[*thetas, *thetas[::-1]], [*mean + spread, *(mean - spread)[::-1]]])])
        artists["floor"].set_ydata([base, base])
        artists["risk"].set_data(thetas, mean)
        artists["excess"].set_data(thetas, mean - base)
        artists["distance"].set_data(thetas, distances)
        for k, (low, high) in enumerate(((base, mean[step]), (0, distances[step]))):
            artists["stems"][k].set_segments([[(here, low), (here, high)]])
            artists["dots"][k].set_data([here], [high])
            tell(artists["numbers"][k], (here, low - 0.0034), f"{high - low:.4f}" if step != at_one else "")
            artists["numbers"][k].set(ha="left" if here < 0.06 else "right" if here > 15 else "center")
        return Finding(
            f"The risk's excess {above.mean():.4f} {'misses' if is_biased(above, distances[step]) else 'matches'} "
            f"the hidden squared distance {distances[step]:.4f}"
            if step != at_one else f"At θ = 1 h is the truth, and its risk is still {base:.4f}",
            f"θ = {here:.2g}: simulated five-class predictions, {len(risks)} data sets of n = {n}; dashed: risk of the truth, {base:.4f}",
            f"The risk {f'is {mean[step]:.4f} here and ' if step != at_one else ''}has a standard deviation of {spread[step]:.4f}.")

    return explore(setup, update, size=(9, 4.4), theta=[float(f"{each:.2g}") for each in thetas], n=[100, 500],
                   labels={"theta": "θ"}, code=sims.figure_one)


def is_biased(found, true):
    """Whether the mean of `found` is more than three standard errors from the truth."""
    return abs(np.mean(found) - true) > 3 * np.std(found, ddof=1) / np.sqrt(len(found))


def beaten(distance, chosen):
    """How many of the other settings are farther from the truth than the chosen one, in words."""
    farther, others = int((distance > distance[chosen]).sum()), len(distance) - 1
    return f"nearer to the truth than {'all' if farther == others else farther} of {others} others"


def judged_alike():
    """Bins and kernel at all settings: the risk that labels give against the distance that only the world knows."""
    looks = {"bins": {"marker": "s", "ms": 6, "mfc": "white", "mew": 1.4, "mec": KEPT}, "kernel": {"ms": 9}}
    limits = 3e-6, 2e-2

    def setup(fig):
        for n in sims.SIZES:
            sims.excess_and_distance(n)
        ticks = [1e-5, 1e-4, 1e-3, 1e-2]
        axes = panel(fig, xscale="log", yscale="log", xlim=limits, ylim=limits, x=ticks, y=ticks,
                     xlabel="squared distance to the truth (only the world knows it)",
                     ylabel="risk, above that of the truth")
        reference(axes, limits, limits)
        words(axes, 1.2e-5, 6e-6, "equal", colour=SOFT, size=SMALL)
        words(axes, 5e-6, 1.1e-2, f"□  bins, 1 to {sims.BINS[-1]} of them", ha="left", colour=KEPT, size=SMALL)
        words(axes, 5e-6, 6e-3, "●  kernel, nine bandwidths", ha="left", colour=KEPT, size=SMALL)
        return {"dots": {name: estimate(axes, **look) for name, look in looks.items()},
                "chosen": estimate(axes, ms=19, mfc="none", mec=INK, mew=1.6),
                "name": number(axes, offset=(14, -14), size=SMALL)}

    def update(artists, n=1000):
        every = sims.excess_and_distance(n)
        shown, chosen, nearest = np.maximum(every, limits[0]), every[:, 0].argmin(), every[:, 1].argmin()
        for name, which in (("bins", slice(len(sims.BINS))), ("kernel", slice(len(sims.BINS), None))):
            artists["dots"][name].set_data(*shown[which, ::-1].T)
        artists["chosen"].set_data(*shown[[chosen], ::-1].T)
        tell(artists["name"], shown[chosen, ::-1], "the risk's choice")
        settings = [f"{each} bins" for each in sims.BINS] + [f"bandwidth {each:g}" for each in sims.BANDWIDTHS]
        return Finding(
            f"Chosen: {settings[chosen]}, {beaten(every[:, 1], chosen)}",
            f"n = {n:,}, one wave; risk on {sims.FRESH:,} others; ring: the risk's choice",
            f"Squared distance of the choice {every[chosen, 1]:.6f}; nearest of all is {settings[nearest]}, {every[nearest, 1]:.6f}.")

    return explore(setup, update, size=(9, 4.6), n=sims.SIZES, code=sims.excess_and_distance)


def ruled_out(estimates, every, no_error):
    """What the risk rules out, in words: of `every` estimates so many, and “no error” or not."""
    if not estimates:
        return "the risk rules out only “no error”" if no_error else "the risk rules out nothing, not even “no error”"
    count = f"all {every}" if estimates == every else f"{estimates} of {every}"
    return f"the risk rules out {count}, {'and' if no_error else 'but not'} “no error”"


def _by_the_risk(model, selection, stands):
    standing = sum(stands[name] for name in ESTIMATORS)
    alike = [name for name in WITH_NOTHING if name != selection.best and stands[name]]
    return Finding(f"{capital(model)}: {ruled_out(len(ESTIMATORS) - standing, len(ESTIMATORS), not stands['h = 0'])}",
                   "1,079 digits, top-label error on a fifth; bars: spread of the five fits; filled: not told apart",
                   f"Smallest validation risk for {NAMES[selection.best]}, which reports {selection.estimate:.5f}. "
                   f"Not told apart from it: {'; '.join(NAMES[each] for each in alike) or 'nothing'}.")


def _by_themselves(model, value):
    low, high = value[list(ESTIMATORS)].min(), value[list(ESTIMATORS)].max()
    return Finding(f"{capital(model)}: the largest of five answers is {high / low:.1f} × the smallest",
                   "1,079 digits, top-label error on a fifth; bars: spread of the five fits",
                   "Squared: " + "; ".join(f"{NAMES[name]} {value[name]:.5f}" for name in ESTIMATORS) + ".")


def which_to_believe():
    """What five estimators report of the same real predictions, and which of them the validation risk leaves."""

    def setup(fig):
        for model in CAST:
            sims.selection(model)  # once, so that no click waits
        axes = panel(fig, read_y=False, xlim=(-0.00004, 0.6), ylim=(-0.55, 6.35),
                     xlabel="squared calibration error it reports (log scale, and 0)")
        axes.set_xscale("symlog", linthresh=2e-4, linscale=0.35)  # with room for 0
        axes.set_xticks([0, 0.001, 0.01, 0.1], ["0", "0.001", "0.01", "0.1"])
        axes.set_xticks([], minor=True)
        axes.set_yticks(ROWS[::-1], list(NAMES.values()), color=INK)
        axes.tick_params(axis="y", length=0)
        for row in ROWS:
            axes.axhline(row, color="#EEEEEE", lw=1, zorder=0)
        return {"band": chance(axes), "folds": misses(axes, lw=2), "full": estimate(axes, ms=12, zorder=5),
                "hollow": estimate(axes, ms=11, mfc="white", mew=2, zorder=5),
                "range": words(axes, 0, 6, "", bold=True, size=NUMBER),
                "numbers": {name: number(axes, offset=(12, 0)) for name in WITH_NOTHING}}

    def update(artists, model="neural network", by_its_risk=True):
        selection = sims.selection(model)
        value, spread, told_apart = sims.what_they_report(selection)
        colour, marker, text = MODELS[model]
        stands = ~told_apart | (not by_its_risk)
        for name, which, fill, edge in (("full", stands, colour, "white"), ("hollow", ~stands, "white", colour)):
            artists[name].set(data=(value[which], ROWS[::-1][which]), marker=marker, color=colour, mfc=fill, mec=edge)
        ends = zip(value - spread, value + spread, ROWS[::-1], strict=True)
        artists["folds"].set(segments=[[(low, y), (high, y)] for low, high, y in ends],
                             colors=[(colour, 1 if each else 0.4) for each in stands])
        for row, (name, label) in zip(ROWS[::-1], artists["numbers"].items(), strict=True):
            said = f"{value[name]:#.3g}" if name in ESTIMATORS else "no error"
            judged = "best" if by_its_risk and name == selection.best else "" if stands[name] else "told apart"
            tell(label, (value[name] + spread[name], row), f"{said}, {judged}" if judged else said,
                 color=text if stands[name] else SOFT, weight="bold" if stands[name] else "normal")
        left = [value[name] for name in ESTIMATORS if stands[name]] or [value["h = 0"]]
        low, high = 0 if by_its_risk and stands["h = 0"] else min(left), max(left)
        artists["band"].set(verts=[[(low, -0.5), (high, -0.5), (high, 5.6), (low, 5.6)]], facecolor=(colour, 0.18))
        artists["range"].set(position=(np.sqrt(max(low, 1e-4) * high), 6), color=text,
                             text=f"{f'{low:#.3g}' if low else 0} to {high:#.3g}")
        return _by_the_risk(model, selection, stands) if by_its_risk else _by_themselves(model, value)

    return explore(setup, update, size=(9, 4.6), model=list(CAST), by_its_risk=True,
                   labels={"by_its_risk": "judged by the risk"}, code=(sims.selection, sims.what_they_report))
