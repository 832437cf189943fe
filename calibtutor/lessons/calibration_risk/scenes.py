"""Scenes of notebook 03, the calibration risk."""

from functools import lru_cache

import numpy as np

from ...plots import (
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    NUMBER,
    SMALL,
    SOFT,
    TICKS,
    Finding,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.verdicts import capital, signed
from . import simulations as sims
from .games import judged_alike, twenty_splits, your_h, your_ukkr

__all__ = [
    "a_bug_replayed", "distance_you_can_measure", "judged_alike", "learn_from_pairs", "rank_seven", "ridge_surfaces",
    "skip_the_diagonal", "twenty_splits", "which_to_believe", "your_h", "your_ukkr",
]  # fmt: skip

CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")
ESTIMATORS = ("15 bins", "binning", "kde", "kkr", "ukkr")
WITH_NOTHING = ("h = 0", *ESTIMATORS)
SIGNED = "PuOr_r"  # warm above 0


def learn_from_pairs():
    """Products of residuals in one cell of the pair map: wild values whose mean is h*."""
    cells, data = 8, {n: sims.one_wave(n) for n in (200, 1000, 4000)}
    middle = (np.arange(cells) + 0.5) / cells
    edges = np.linspace(-1, 1, 41)

    @lru_cache
    def means(n):
        return sims.mean_products(*data[n], cells)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, grid[0], read_y=False, xlim=(-1.06, 1.06), ylim=(-0.12, 1.2), xticks=[-1, -0.5, 0, 0.5, 1],
                     xlabel="product of two residuals, ⟨δ, δ'⟩")  # fmt: skip
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
        bars = chance(axes, facecolor=KEPT, alpha=0.45, edgecolor="white", lw=0.5)
        star, stem, mean = truth(axes), misses(axes, lw=9), estimate(axes)
        names = number(axes, offset=(-8, 0)), number(axes, offset=(12, 0), colour=KEPT)
        square = panel(fig, grid[1], aspect="equal", xlabel="p", ylabel="p'")
        square.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        square.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        square.set_title("mean product in each cell:\npurple −0.04, white 0, orange 0.04", color=SOFT)
        image = Heatmap(square, (cells, cells), vmin=-0.04, vmax=0.04, cmap=SIGNED)
        halo = truth(square, color="white", lw=6)
        frame = truth(square, color=INK, lw=2.6)
        return {"bars": bars, "star": star, "stem": stem, "mean": mean, "names": names, "image": image,
                "halo": halo, "frame": frame}  # fmt: skip

    def update(artists, p_cell=2, other_cell=2, n=1000):
        artists["image"].set_data(means(n).T)
        x, y = p_cell / cells, other_cell / cells
        for frame in (artists["halo"], artists["frame"]):
            frame.set_data([x, x + 1 / cells, x + 1 / cells, x, x], [y, y, y + 1 / cells, y + 1 / cells, y])
        pairs = sims.products_of_residuals(*data[n], p_cell, other_cell, cells)
        star, mean = sims.true_product(middle[p_cell], middle[other_cell]), pairs.mean()
        count = np.histogram(pairs, len(edges) - 1, (-1, 1))[0]
        artists["bars"].set_verts(bars_between(edges, np.zeros(len(count)), 0.95 * count / count.max()))
        artists["star"].set_data([star, star], [-0.06, 1.12])
        artists["stem"].set_segments([[(star, -0.06), (mean, -0.06)]])
        artists["mean"].set_data([mean], [-0.06])
        for text, at, said in zip(artists["names"], ((star, 1.08), (mean, 1.08)), (star, mean), strict=True):
            text.xy = at
            text.set_text(f"{'truth h*' if text.xyann[0] < 0 else 'mean'} {signed(said, 4)}")
        return Finding(
            f"The products scatter, their mean is {signed(mean, 4)}; the truth h* is {signed(star, 4)}",
            f"n = {n:,}: {pairs.size:,} pairs with p near {middle[p_cell]:.2f} and p' near {middle[other_cell]:.2f}, the framed cell",
            f"The products run from {pairs.min():+.2f} to {pairs.max():+.2f}.".replace("-", "−"),
        )

    return explore(setup, update, size=(9, 4.4), p_cell=(0, cells - 1, 1), other_cell=(0, cells - 1, 1), n=list(data),
                   labels={"p_cell": "cell of p", "other_cell": "cell of p'"},
                   code=(sims.one_wave, sims.products_of_residuals, sims.mean_products, sims.true_product))  # fmt: skip


def distance_you_can_measure():
    """Figure 1 of Gruber & Bach: the risk over θ, and its excess beside the distance to the truth."""
    thetas, at_one = sims.THETAS, int(np.argmin(np.abs(np.log2(sims.THETAS))))
    lowest, span = 0.004, 0.024  # both panels are as high, so that equal lengths are equal numbers

    def setup(fig):
        for n in (100, 500):
            sims.figure_one(n)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        common = {"xscale": "log", "xlim": (0.028, 36), "xlabel": "θ (at 1, h is the truth)"}
        left = panel(fig, grid[0], **common, ylim=(lowest, lowest + span), ylabel="estimated risk")
        right = panel(fig, grid[1], **common, ylim=(lowest - 0.0086, lowest - 0.0086 + span))
        left.set_yticks([0.01, 0.02], ["0.01", "0.02"])
        right.set_yticks([0, 0.01], ["0", "0.01"])
        for axes, title in ((left, "what you can compute"), (right, "what only the world knows")):
            axes.set_title(title, color=SOFT)
            axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
            axes.set_xticks([], minor=True)
        band = chance(left)
        floor = reference(left, thetas[[0, -1]], [0, 0])
        words(left, 8, 0.0215, f"grey: one standard\ndeviation, {sims.REPEATS} data sets", colour=SOFT, size=SMALL)
        words(right, 2.2, 0.012, "squared distance\nto the truth", bold=True)
        words(right, 2.2, 0.0092, "excess of the risk", colour=KEPT, bold=True)
        reference(right, thetas[[0, -1]], [0, 0])
        return {"band": band, "floor": floor, "risk": estimate(left, line=True),
                "excess": estimate(right, line=True, lw=6, alpha=0.5), "distance": truth(right, lw=2),
                "stems": [misses(axes, lw=5, zorder=5) for axes in (left, right)],
                "dots": [choice(axes) for axes in (left, right)],
                "numbers": [number(axes, colour=MISS, offset=(0, 0)) for axes in (left, right)]}  # fmt: skip

    def update(artists, theta=0.044, n=500):
        risks, distances = sims.figure_one(n)
        mean, spread = risks.mean(axis=0), risks.std(axis=0, ddof=1)
        step = int(np.argmin(np.abs(np.log(thetas / theta))))
        base, here, above = mean[at_one], thetas[step], risks[:, step] - risks[:, at_one]
        artists["band"].set_verts(
            [np.column_stack([[*thetas, *thetas[::-1]], [*mean + spread, *(mean - spread)[::-1]]])]
        )
        artists["floor"].set_ydata([base, base])
        artists["risk"].set_data(thetas, mean)
        artists["excess"].set_data(thetas, mean - base)
        artists["distance"].set_data(thetas, distances)
        for k, (low, high) in enumerate(((base, mean[step]), (0, distances[step]))):
            artists["stems"][k].set_segments([[(here, low), (here, high)]])
            artists["dots"][k].set_data([here], [high])
            artists["numbers"][k].xy = (here, low - 0.0034)
            artists["numbers"][k].set_text(f"{high - low:.4f}" if step != at_one else "")
            artists["numbers"][k].set(ha="left" if here < 0.06 else "right" if here > 15 else "center")
        return Finding(
            f"The risk's excess {above.mean():.4f} {'misses' if is_biased(above, distances[step]) else 'matches'} "
            f"the hidden squared distance {distances[step]:.4f}"
            if step != at_one
            else f"At θ = 1 h is the truth, and its risk is still {base:.4f}",
            f"θ = {here:.2g}: simulated five-class predictions, {len(risks)} data sets of n = {n}; dashed: risk of the truth, {base:.4f}",
            f"The risk {f'is {mean[step]:.4f} here and ' if step != at_one else ''}has a standard deviation of {spread[step]:.4f}.",
        )

    return explore(setup, update, size=(9, 4.4), theta=[float(f"{each:.2g}") for each in thetas], n=[100, 500],
                   labels={"theta": "θ"}, code=sims.figure_one)  # fmt: skip


def is_biased(found, true):
    """Whether the mean of `found` is more than three standard errors from the truth."""
    return abs(np.mean(found) - true) > 3 * np.std(found, ddof=1) / np.sqrt(len(found))


def skip_the_diagonal():
    """The risk's estimate over many data sets, with and without the pairs (i, i)."""
    true = sims.true_risk_of_no_error()
    sizes, edges, rows = [5, 10, 20, 50, 100], np.linspace(0, 2.4, 41), {False: 1.45, True: 0.0}

    def setup(fig):
        for n in sizes:
            sims.risks_of_no_error(n)
        axes = panel(fig, read_y=False, xlim=(0, 2.4), ylim=(-0.36, 2.75), xlabel="estimated risk of h = 0, “no error”")
        axes.set_xticks([0, 0.5, 1, 1.5, 2], ["0", "0.5", "1", "1.5", "2"])
        words(axes, 2.38, rows[False] + 0.5, "only pairs i ≠ j", ha="right", size=14, bold=True)
        words(axes, 2.38, rows[True] + 0.5, "all pairs, (i, i) too", ha="right", size=14, bold=True)
        for base in rows.values():
            axes.axhline(base, color="#DDDDDD", lw=1, zorder=0)
        truth(axes, [true, true], [-0.3, 2.6])
        words(axes, true, 2.6, f" the risk, {true:.4f}", ha="left", va="center", bold=True)
        bars = chance(axes, facecolor=KEPT, alpha=0.45, edgecolor="white", lw=0.5)
        return {"bars": bars, "stem": misses(axes, lw=9), "dots": estimate(axes, ms=12),
                "numbers": {kept: number(axes, offset=(12, 0)) for kept in rows}}  # fmt: skip

    def update(artists, n=5):
        verts, stems, means = [], [], {}
        for kept, base in rows.items():
            found = sims.risks_of_no_error(n)[int(kept)]
            count = np.histogram(np.clip(found, edges[0], edges[-1]), edges)[0]
            shape, at, off = 1.05 * count / count.max(), means.setdefault(kept, found.mean()), is_biased(found, true)
            verts += bars_between(edges, np.full(len(shape), base), base + shape)
            stems += [[(true, base - 0.15), (at, base - 0.15)]] if off else []
            text = artists["numbers"][kept]
            text.xy = (max(at, true), base - 0.15)
            text.set(text=f"{abs(at - true):.3f} too {'large' if at > true else 'small'}" if off else f"mean {at:.4f}",
                     color=MISS if off else KEPT)  # fmt: skip
        artists["bars"].set_verts(verts)
        artists["stem"].set_segments(stems)
        artists["dots"].set_data(list(means.values()), [base - 0.15 for base in rows.values()])
        share = means[True] / true - 1
        without, every = sims.risks_of_no_error(n)
        off, unbiased = is_biased(every, true), not is_biased(without, true)
        return Finding(
            f"Predictions paired with themselves make the risk {share:.0%} too large"
            if off
            else f"At n = {n} what the pairs (i, i) add is lost in the noise",
            f"{sims.DATA_SETS:,} data sets of n = {n}; dots: their means. Pairs i ≠ j: {abs(means[False] - true):.4f} off, "
            + ("within chance" if unbiased else "more than chance"),
            f"The risk is {true:.4f}; with all pairs the estimate averages {means[True]:.4f}, without (i, i) {means[False]:.4f}.",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(sims.risks_of_no_error, sims.true_risk_of_no_error), n=sizes
    )  # fmt: skip


def nearer(distance, risk, size, true_size):
    """What to say of two surfaces: distances to the truth, risks and sizes (root mean squares), each by name.

    A surface of less than a tenth of the truth's size has vanished; distances within 2 % are equal.
    """
    if max(size.values()) < 0.1 * true_size:
        return "λ is so large that both have vanished: they find no error"
    (first, near), (second, far) = sorted(distance.items(), key=lambda each: each[1])
    if far < 1.02 * near:
        return f"{first} and {second} are equally far from the truth, within 2%"
    return f"{first} is nearer to the truth, " + (
        "and its risk is the smaller one" if risk[first] < risk[second] else "though its risk is the larger one"
    )


def ridge_surfaces():
    """kkr and ukkr beside the truth, as functions of two predictions."""
    powers = range(-10, 2)

    def setup(fig):
        for n in sims.SURFACE_SIZES:
            for gamma in sims.GAMMAS:
                sims.surfaces(n, 1.0, gamma)  # once, so that no slider step waits
        grid, panels = fig.add_gridspec(1, 3), {}
        for column, name in enumerate(["truth h*", "kkr", "ukkr"]):
            axes = panel(fig, grid[column], aspect="equal", xlabel="p", ylabel="p'" if column == 0 else "")
            image = Heatmap(axes, (60, 60), vmin=-0.03, vmax=0.03, cmap=SIGNED, enlarge="bilinear")
            for set_ticks in (axes.set_xticks, axes.set_yticks):
                set_ticks([0, 0.5, 1], ["0", "0.5", "1"])
            words(axes, 0, 1.07, name, bold=True, ha="left", size=14, transform=axes.transAxes)
            panels[name] = image, misses(axes, lw=4), number(axes, offset=(0, 0), xycoords="axes fraction", ha="right")
            if column == 0:
                white = {"bbox": {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 2}, "size": SMALL}
                signs = [region(axes, x, y, text, **white) for x, y, text in (
                    (0.25, 0.25, "same side\n0.02"), (0.75, 0.75, "same side\n0.02"), (0.25, 0.75, "opposite\n−0.02"), (0.75, 0.25, "opposite\n−0.02"))]  # fmt: skip
        return {**panels, "signs": signs}

    def update(artists, n=1000, penalty=0.0001, gamma=5.0):
        true, fitted = sims.true_product(sims.GRID[:, None], sims.GRID), sims.surfaces(n, penalty, gamma)
        away, risks, sizes, below = {}, {}, {}, {}
        artists["truth h*"][0].set_data(true)
        for name, (surface, risk) in fitted.items():
            image, dips, text = artists[name]
            image.set_data(surface)
            where = sims.GRID[np.diag(surface) < 0]
            dips.set_segments([[(x - 0.009, x - 0.009), (x + 0.009, x + 0.009)] for x in where])
            away[name], risks[name], below[name] = np.sqrt(np.mean((surface - true) ** 2)), risk, len(where) / len(true)
            sizes[name] = np.sqrt(np.mean(surface**2))
            text.xy = (1, 1.07)
            text.set_text(f"{away[name]:.4f} away")
        return Finding(
            nearer(away, risks, sizes, np.sqrt(np.mean(true**2))),
            f"n = {n:,}, λ = {_power(penalty)}, γ = {gamma:g}; risks {risks['kkr']:.5f}, {risks['ukkr']:.5f}; "
            + (
                f"red: where kkr's “square” is below 0 ({below['kkr']:.0%})" if below["kkr"] else "no square is below 0"
            ),
            f"Distance to the truth: kkr {away['kkr']:.4f}, ukkr {away['ukkr']:.4f}.",
        )

    return explore(setup, update, size=(9, 4), n=sims.SURFACE_SIZES, penalty=[10.0**power for power in powers],
                   gamma=sims.GAMMAS, labels={"penalty": "λ", "gamma": "γ"},
                   code=(sims._ridge, sims.surfaces, sims.true_product))  # fmt: skip


def fit_of(penalty, penalties, risks):
    """What a penalty does, from the risk along the penalties: within 1 % of the smallest risk it is as good as any."""
    best = int(np.argmin(risks))
    if risks[int(np.argmin(np.abs(np.log(penalties / penalty))))] <= 1.01 * risks[best]:
        return "is within 1% of the best"
    return "over-smooths" if penalty > penalties[best] else "fits noise"


def rank_seven():
    """Eigenvalues of the kernel on real confidences, and the risk along λ that they make cheap."""
    limits, ticks = (10.0**-15.4, 10.0**4.2), [1e-12, 1e-8, 1e-4, 1]

    def setup(fig):
        for model in CAST:
            sims.ridge_path(model)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(
            fig, grid[0], xlim=(0.4, 12.6), xlabel="number of the eigenvalue, of 719", ylabel="eigenvalue of K/n, and λ"
        )
        right = panel(fig, grid[1], read_y=False, xlim=(-0.08, 1.08), xlabel="validation risk (line: ukkr, dots: kkr)")
        bands = []
        for axes in (left, right):
            axes.set(yscale="log", ylim=limits)
            axes.set_yticks(ticks if axes is left else [], [_power(each) for each in ticks] if axes is left else [])
            axes.set_yticks([], minor=True)
            for colour, width in ((INK, 6), (CHOICE, 3.5)):
                bands.append(truth(axes, [0, 1], [1, 1], transform=axes.get_yaxis_transform(), color=colour, lw=width))
        left.set_xticks([1, 4, 7, 10])
        right.set_xticks([])
        left.set_title("the kernel on real confidences", color=SOFT)
        right.set_title("the risk along λ (+: above its smallest)", color=SOFT)
        return {"bands": bands, "on": estimate(left, ms=11), "off": estimate(left, ms=11, alpha=0.3),
                "ukkr": estimate(right, line=True), "kkr": estimate(right, mfc="white", ms=6, mew=1.6),
                "name": number(left, offset=(-4, 12), ha="right"), "here": choice(right),
                "risk": number(right, colour=MISS)}  # fmt: skip

    def update(artists, model="logistic regression", penalty=1e-6):
        spectrum, powers, risks = sims.ridge_path(model)
        penalties, rank = 10.0**powers, np.arange(1, len(spectrum) + 1)
        colour, marker, text = MODELS[model]
        kept = spectrum > penalty
        for name, which in (("on", kept), ("off", ~kept)):
            artists[name].set_data(rank[which], spectrum[which])
            artists[name].set(color=colour, marker=marker)
        for band in artists["bands"]:
            band.set_ydata([penalty, penalty])
        low, high = min(r.min() for r in risks.values()), max(r.max() for r in risks.values())
        for name in ("kkr", "ukkr"):
            artists[name].set_data((risks[name] - low) / (high - low), penalties)
            artists[name].set(color=colour, mec=colour)
        at = int(np.argmin(np.abs(np.log(penalties / penalty))))
        x, above = (risks["ukkr"][at] - low) / (high - low), risks["ukkr"][at] / risks["ukkr"].min() - 1
        artists["here"].set_data([x], [penalty])
        free = 1 if (penalty > penalties[risks["ukkr"].argmin()]) == (x > 0.6) else -1  # the curve bends away there
        artists["risk"].xy = (x, penalty)
        artists["risk"].set(position=(-12 if x > 0.6 else 12, 14 * free), ha="right" if x > 0.6 else "left")
        artists["risk"].set_text(f"+{above:.1%}" if above >= 0.0005 else "smallest")
        artists["risk"].set_color(MISS if above > 0.01 else KEPT)
        artists["name"].xy = (12.6, penalty)
        artists["name"].set_text(f"λ = {_power(penalty)}: {kept.sum()} above")
        return Finding(
            f"719 confidences are {len(spectrum)} directions, {kept.sum()} of them above λ",
            f"{model}; the paler, below λ, count less than half (ukkr); this λ {fit_of(penalty, penalties, risks['ukkr'])}",
            f"The directions carry the kernel up to 1e-12 of its trace. Validation risk: kkr {risks['kkr'][at]:.6f}, ukkr {risks['ukkr'][at]:.6f}.",
        )

    return explore(setup, update, size=(9, 4.6), model=list(CAST), penalty=[10.0**power for power in range(-14, 3)],
                   labels={"penalty": "λ"}, code=sims.ridge_path)  # fmt: skip


def _power(value):
    """A power of ten as it is written: 10⁻⁶, 0.1, 100."""
    power = round(np.log10(value))
    return (
        f"{value:g}" if -2 <= power <= 2 else "10" + f"{power}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    )


def ruled_out(estimates, every, no_error):
    """What the risk rules out, in words: of `every` estimates so many, and “no error” or not."""
    if not estimates:
        return "the risk rules out only “no error”" if no_error else "the risk rules out nothing, not even “no error”"
    count = f"all {every}" if estimates == every else f"{estimates} of {every}"
    return f"the risk rules out {count}, {'and' if no_error else 'but not'} “no error”"


def _row_of(name):
    return len(WITH_NOTHING) - 1 - list(WITH_NOTHING).index(name)


def _show_reports(artists, value, spread, stands, colour, marker):
    """Dots with their folds, full where the risk leaves them."""
    for name, which in (("full", stands), ("hollow", ~stands)):
        artists[name].set_data(value[which], [_row_of(each) for each in value.index[which]])
        artists[name].set(marker=marker, color=colour, mfc=colour if name == "full" else "white",
                          mec="white" if name == "full" else colour)  # fmt: skip
    ends = zip(value - spread, value + spread, map(_row_of, value.index), strict=True)
    artists["folds"].set_segments([[(low, y), (high, y)] for low, high, y in ends])
    artists["folds"].set_color([(colour, 1 if each else 0.4) for each in stands])


def _show_names(artists, value, spread, stands, judged, colour):
    """Each report, and what the risk says of it."""
    for name, label in artists["numbers"].items():
        label.xy = (value[name] + spread[name], _row_of(name))
        said = f"{value[name]:#.3g}" if name in ESTIMATORS else "no error"
        label.set(text=f"{said}, {judged[name]}" if judged[name] else said,
                  color=colour if stands[name] else SOFT, weight="bold" if stands[name] else "normal")  # fmt: skip


def _show_range(artists, low, high, colour, text):
    artists["band"].set_verts([[(low, -0.5), (high, -0.5), (high, 5.6), (low, 5.6)]])
    artists["band"].set_facecolor((colour, 0.18))
    artists["range"].set(position=(np.sqrt(max(low, 1e-4) * high), 6), color=text,
                         text=f"{f'{low:#.3g}' if low else 0} to {high:#.3g}")  # fmt: skip


def _judged_by_risk(selection, stands):
    """What the risk says of each, with and without an estimator: “best”, nothing, “told apart”."""
    return {name: "best" if name == selection.best else "" if stands[name] else "told apart" for name in WITH_NOTHING}


def _by_the_risk(model, selection, stands):
    standing = sum(stands[name] for name in ESTIMATORS)
    alike = [name for name in WITH_NOTHING if name != selection.best and stands[name]]
    return Finding(
        f"{capital(model)}: {ruled_out(len(ESTIMATORS) - standing, len(ESTIMATORS), not stands['h = 0'])}",
        "1,079 digits, top-label error on a fifth; bars: five folds; filled: the risk cannot tell it from the best",
        f"Smallest validation risk for {selection.best}, which reports {selection.estimate:.5f}. "
        + (f"Not told apart from it: {', '.join(alike)}." if alike else "All others are told apart."),
    )


def _by_themselves(model, value):
    low, high = value[list(ESTIMATORS)].min(), value[list(ESTIMATORS)].max()
    return Finding(
        f"{capital(model)}: the largest of five answers is {high / low:.1f} × the smallest",
        "1,079 digits, top-label error on a fifth; bars: five folds",
        "Squared: " + ", ".join(f"{name} {value[name]:.5f}" for name in ESTIMATORS) + ".",
    )


def which_to_believe():
    """What five estimators report of the same real predictions, and which of them the validation risk leaves."""

    def setup(fig):
        for model in CAST:
            sims.selection(model)  # once, so that no click waits
        axes = panel(fig, read_y=False, xlim=(-0.00004, 0.6), ylim=(-0.55, 6.35),
                     xlabel="squared calibration error it reports (log scale, and 0)")  # fmt: skip
        axes.set_xscale("symlog", linthresh=2e-4, linscale=0.35)  # with room for 0
        axes.set_xticks([0, 0.001, 0.01, 0.1], ["0", "0.001", "0.01", "0.1"])
        axes.set_xticks([], minor=True)
        axes.set_yticks([_row_of(name) for name in WITH_NOTHING], list(WITH_NOTHING), color=INK)
        axes.tick_params(axis="y", length=0)
        for row in range(len(WITH_NOTHING)):
            axes.axhline(row, color="#EEEEEE", lw=1, zorder=0)
        full, hollow = estimate(axes, ms=12, zorder=5), estimate(axes, ms=11, mfc="white", mew=2, zorder=5)
        return {"band": chance(axes), "folds": misses(axes, lw=2), "full": full, "hollow": hollow,
                "range": words(axes, 0, 6, "", bold=True, size=NUMBER),
                "numbers": {name: number(axes, offset=(12, 0)) for name in WITH_NOTHING}}  # fmt: skip

    def update(artists, model="neural network", by_its_risk=True):
        selection = sims.selection(model)
        value, spread, told_apart = sims.what_they_report(selection)
        colour, marker, text = MODELS[model]
        stands = ~told_apart | (not by_its_risk)
        _show_reports(artists, value, spread, stands, colour, marker)
        judged = _judged_by_risk(selection, stands) if by_its_risk else dict.fromkeys(WITH_NOTHING, "")
        _show_names(artists, value, spread, stands, judged, text)
        left = [value[name] for name in ESTIMATORS if stands[name]] or [value["h = 0"]]
        low = 0 if by_its_risk and stands["h = 0"] else min(left)
        _show_range(artists, low, max(left), colour, text)
        return _by_the_risk(model, selection, stands) if by_its_risk else _by_themselves(model, value)

    return explore(setup, update, size=(9, 4.6), model=list(CAST), by_its_risk=True,
                   labels={"by_its_risk": "judged by the risk"},
                   code=(sims.selection, sims.what_they_report))  # fmt: skip


def a_bug_replayed():
    """Canonical ridge regressions trained on labels of which a share belongs to other rows."""
    rows = {"kkr": 1.0, "ukkr": 0.0}
    every = sims.misaligned()
    true, ceiling = every["truth"], 100 * (every["h*"] / every[0.0]["h = 0"][0] - 1)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[2, 1])
        left = panel(
            fig,
            grid[0],
            read_y=False,
            xlim=(0, 0.0705),
            ylim=(-0.5, 1.62),
            xlabel="squared calibration error it reports",
        )
        right = panel(fig, grid[1], read_y=False, xlim=(-2.4, 0.6), ylim=(-0.5, 1.62), xlabel="risk against “no error”")
        left.set_xticks([0, 0.02, 0.04, 0.06], ["0", "0.02", "0.04", "0.06"])
        right.set_xticks([-2, -1, 0], ["−2%", "−1%", "0"])
        left.set_yticks(list(rows.values()), list(rows), color=INK, size=14)
        left.tick_params(axis="y", length=0)
        truth(left, [true, true], [-0.5, 1.4])
        words(left, true, 1.5, f"truth {true:.4f}", bold=True, size=NUMBER, ha="center")
        reference(right, [0, 0], [-0.5, 1.4])
        words(right, 0.58, 1.5, "reports no error", colour=SOFT, size=SMALL, ha="right")
        look = {"ls": "", "marker": "o", "ms": 8, "mfc": "none", "mec": GREY, "mew": 1, "zorder": 3.5}
        for share in sims.SHARES:  # all settings, as pale rings
            left.plot([every[share][name][1] for name in rows], list(rows.values()), **look)
            right.plot([_below(every[share], name) for name in rows], list(rows.values()), **look)
        return {"stems": misses(left, lw=9, alpha=0.35), "reports": estimate(left, ms=13), "risks": estimate(right, ms=13),
                "numbers": {name: (number(left, offset=(0, 20), ha="center", colour=KEPT), number(left, offset=(-8, -18), colour=MISS, size=TICKS),
                                   number(right, offset=(0, 20), ha="center", colour=KEPT)) for name in rows},
                "healthy": [number(left, offset=(0, 20), ha="center", colour=SOFT, size=SMALL) for name in rows]}  # fmt: skip

    def update(artists, share_misaligned=1.0):
        found = every[share_misaligned]
        reports, below = {name: found[name][1] for name in rows}, {name: _below(found, name) for name in rows}
        artists["stems"].set_segments([[(reports[name], y), (true, y)] for name, y in rows.items()])
        artists["reports"].set_data(list(reports.values()), list(rows.values()))
        artists["risks"].set_data(list(below.values()), list(rows.values()))
        for (name, y), healthy in zip(rows.items(), artists["healthy"], strict=True):
            report, miss, risk = artists["numbers"][name]
            for text, at, said in (
                (report, reports[name], f"{reports[name]:.4f}"),
                (miss, true, f"misses {1 - reports[name] / true:.0%} of the error"),
                (risk, below[name], f"{below[name]:.1f}%".replace("-", "−")),
                (healthy, every[0.0][name][1], "no bug" if share_misaligned else ""),
            ):
                text.xy = (at, y)
                text.set_text(said)
        missed = 1 - reports["ukkr"] / true
        return Finding(
            f"{'All' if share_misaligned == 1 else f'{share_misaligned:.0%} of the'} labels on wrong rows: ukkr misses "
            f"{missed:.0%} of the error"
            if share_misaligned
            else f"Every label on its row: ukkr misses {missed:.0%} of the error, kkr {1 - reports['kkr'] / true:.0%}",
            f"risk: ukkr {_below(found, 'ukkr'):.1f}%, the truth itself {ceiling:.0f}%; rings: other shares; 300 + 200 data".replace("-", "−"),
            f"ukkr's validation risk is {found['ukkr'][0]:.5f} (h = 0: {found['h = 0'][0]:.5f}) and it reports "
            f"{found['ukkr'][1]:.4f}; the truth is {true:.4f}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4), share_misaligned=sims.SHARES,
                   labels={"share_misaligned": "share of labels on wrong rows"},
                   code=sims.fitted_to_misplaced)  # fmt: skip


def _below(found, name):
    """A validation risk against that of h = 0, in percent."""
    return 100 * (found[name][0] / found["h = 0"][0] - 1)
