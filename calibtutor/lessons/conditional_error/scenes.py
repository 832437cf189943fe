"""Scenes of notebook 06: the regression inside the CKCE, what a kernel can represent, random features, a shift."""

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
    Finding,
    Ghost,
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
from ...reproductions import shift as paper
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.verdicts import signed
from . import simulations as sims
from .games import no_limit, reweight_the_crowd, what_it_sees, what_moved, who_sees_them

__all__ = [
    "darker_digits", "no_limit", "predict_by_weights", "random_features", "representable", "reweight_the_crowd", "shift",
    "what_it_sees", "what_moved", "who_sees_them",
]  # fmt: skip

ERRORS = ("ECE", "JKCE", "CKCE")
ROOTS = ("ECE", "√JKCE", "√CKCE")
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
TIE = 0.05  # two errors that differ by less, relative to the larger, are called a near tie
NEAR_TIE = "a near tie"


def camps(names, values):
    """Whom each of ERRORS prefers, in words; `values` is (2 models, 3 errors)."""
    found = {}
    for error, (a, b) in zip(ERRORS, values.T, strict=True):
        tied = abs(a - b) <= TIE * max(abs(a), abs(b))
        found.setdefault(NEAR_TIE if tied else names[int(b < a)], []).append(error)
    match sorted(found.items(), key=lambda camp: len(camp[1])):
        case [(who, _)]:
            return f"all three errors {'see' if who == NEAR_TIE else 'prefer'} {who}"
        case [(few, [alone]), (many, _)] if NEAR_TIE in found:
            verbs = ("sees", "prefer") if few == NEAR_TIE else ("prefers", "see")
            return f"{alone} {verbs[0]} {few}, the others {verbs[1]} {many}"
        case [(few, [alone]), _]:
            return f"{alone} alone prefers {few}"
    return "each error gives another answer"


def _digits(value):
    return f"{value:.3f}" if value >= 0.02 else f"{value:.4f}"


def _ticks(axes, **ticks):
    for axis, values in ticks.items():
        axes.set(**{f"{axis}ticks": values, f"{axis}ticklabels": [f"{v:g}".replace("-", "−") for v in values]})


def speaking(weights):
    """How many images speak: so many equal weights would be as noisy."""
    return weights.sum() ** 2 / (weights**2).sum()


def effect_of_penalty(weights):
    """What λ does to a mean with these weights: shrink it, leave it to single images, or neither."""
    if weights.sum() < 0.9:
        return "So large a λ pulls both means towards 0"
    return "So small a λ lets single images pull" if speaking(weights) < 10 else "λ hardly shrinks the means here"


def at_one_confidence(q, said, happened, effect):
    """The miss at q, or first what λ does to it."""
    if "large" in effect:
        return f"{effect}: {said:.2f} and {happened:.2f}"
    if abs(happened - 0.5) > 0.505:
        return f"Near {q:.2f} single images pull too hard: a mean label of {happened:.2f}"
    pulled = ", pulled by single images" if "small" in effect else ""
    return f"Weighted around {q:.2f} it says {said:.2f} and is right {happened:.2f}{pulled}"


def predict_by_weights():
    """A conditional mean from weights: what happened and what was said near one confidence, and their difference."""
    grid = np.linspace(0.3, 1, 141)

    def setup(fig):
        for width in sims.WIDTHS:
            sims.weights(grid[:1], 1.0, width)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0.28, 1.02), ylim=(0, 1.14), xlabel="confidence",
                     ylabel="sum of weight × value")  # fmt: skip
        right = panel(fig, columns[1], read_y=False, xlim=(0.28, 1.02), ylim=(-0.45, 1.4), xlabel="confidence")
        _ticks(left, x=(0.4, 0.6, 0.8, 1), y=(0, 0.5, 1))
        _ticks(right, x=(0.4, 0.6, 0.8, 1))
        right.set_title("each image's weight; dashes: 0", color=SOFT)
        reference(left, [0.28, 1.02], [0.28, 1.02])
        reference(right, [0.28, 1.02], [0, 0])
        band = chance(right, facecolor=CHOICE, alpha=0.6, zorder=0.5)
        dots = [
            right.scatter([0.5], [0], s=size, lw=lw, color=colour, marker=marker)
            for colour, marker, size, lw in ((KEPT, "o", 12, 0), (INK, "x", 26, 1.2))
        ]
        words(right, 0.6, 1.3, "● right", colour=KEPT, ha="right")
        words(right, 0.7, 1.3, "× wrong", ha="left")
        gap = left.fill_between(grid, 0, 0, color=MISS, alpha=0.09, lw=0)
        said, happened = truth(left), estimate(left, line=True, clip_on=True)
        names = [words(left, 0, 0, "what it said", in_layout=False),
                 words(left, 0, 0, "what happened", colour=KEPT, in_layout=False)]  # fmt: skip
        return {"dots": dots, "band": band, "gap": gap, "curves": [said, happened], "ghost": Ghost(happened),
                "names": names, "stem": misses(left, lw=6, zorder=5), "q": choice(left), "miss": number(left, colour=MISS)}  # fmt: skip

    def update(artists, q=0.55, penalty=0.01, width=0.1):
        hit, confidence = sims.forest()
        at_q = sims.weights([q], penalty, width)[:, 0]
        every = sims.weights(grid, penalty, width)
        largest = np.abs(at_q).max()
        for label, dots in zip((1, 0), artists["dots"], strict=True):
            dots.set_offsets(np.column_stack([confidence, at_q / largest])[hit == label])
        artists["band"].set_verts(bars_between([q - 0.012, q + 0.012], [-0.45], [1.15]))
        curves = confidence @ every, hit @ every
        aside = 40 if q > 0.6 else 92
        for k, (line, name, values) in enumerate(zip(artists["curves"], artists["names"], curves, strict=True)):
            line.set_data(grid, values)
            above = values[aside] > curves[1 - k][aside]
            name.set(position=(grid[aside], values[aside] + (0.02 if above else -0.02)), ha="right" if above else "left",
                     va="bottom" if above else "top")  # fmt: skip
        artists["gap"].set_data(grid, *curves)
        happened, said = float(hit @ at_q), float(confidence @ at_q)
        artists["stem"].set_segments([[(q, said), (q, happened)]])
        artists["q"].set_data([q], [0])
        room = abs(said - happened) > 0.12  # for the number between the curves
        artists["miss"].xy = (q, (said + happened) / 2 if room else max(said, happened) + 0.07)
        right = q < (0.8 if room else 0.5)
        artists["miss"].set(text=signed(said - happened, 2), ha="left" if right else "right",
                            position=(10 if right else -10, 0))  # fmt: skip
        effect = effect_of_penalty(at_q)
        return Finding(
            at_one_confidence(q, said, happened, effect),
            f"random forest, {len(hit)} digits, λ = {penalty:g}, bandwidth {width:g}; red: what it said − what happened",
            f"The weights sum to {at_q.sum():.3f}. {effect}.",
        )

    return explore(setup, update, size=(9, 4.5), q=(0.3, 1.0, 0.05), penalty=sims.PENALTIES, width=sims.WIDTHS,
                   labels={"q": "confidence q", "penalty": "λ", "width": "bandwidth"}, code=sims.weights)  # fmt: skip


def reach(kernel, miss, share, best):
    """What a kernel finds of a miss, in words, from the share not found by it and by the best of the three."""
    if best > 0.5:
        return f"At this λ each of the three kernels misses over half of the {miss}"
    if share < 0.05:
        return f"The {kernel} kernel finds nearly all of the {miss}"
    return f"The {kernel} kernel does not find {share:.0%} of the {miss}"


def representable():
    """What regression with a linear kernel, a Gaussian, and both can find of a known miss, without any noise."""

    def setup(fig):
        for name in sims.FEATURES:
            sims.fitted(name, "constant", 1.0)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0.2, 0.8), ylim=(-0.24, 0.24), xlabel="prediction p",
                     ylabel="said − happened")  # fmt: skip
        _ticks(left, x=(0.2, 0.5, 0.8), y=(-0.2, 0, 0.2))
        reference(left, [0.2, 0.8], [0, 0])
        region(left, 0.205, 0.22, "says too much", ha="left")
        region(left, 0.795, -0.22, "says too little", ha="right")
        true, found = truth(left), estimate(left, line=True)
        lost = left.fill_between(sims.SCORES, 0, 0, color=MISS, alpha=0.2, lw=0)
        names = [words(left, 0.5, 0, "true miss", in_layout=False),
                 words(left, 0.5, 0, "found", colour=KEPT, in_layout=False)]  # fmt: skip
        right = panel(fig, columns[1], read_y=False, xlim=(-0.03, 1.06), ylim=(-0.6, 2.5))
        right.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        right.set_xlabel("share of the miss not found")
        rows = []
        for k, name in enumerate(sims.FEATURES):
            rows.append({
                "name": words(right, 0, 2 - k - 0.3, name, ha="left"),
                "rings": estimate(right, mfc="none", mec="#B4B4B4", ms=9, zorder=2),
                "stem": misses(right, lw=6),
                "dot": estimate(right, ms=13, mec=INK, zorder=5),
                "number": number(right, colour=MISS, offset=(0, 16), ha="center"),
            })  # fmt: skip
        return {"truth": true, "found": found, "lost": lost, "names": names, "ghost": Ghost(found), "rows": rows}

    def update(artists, miss="S-shape", kernel="linear", penalty=0.001):
        true, shares = sims.MISSES[miss], {}
        for k, (name, row) in enumerate(zip(sims.FEATURES, artists["rows"], strict=True)):
            share = shares[name] = _left_over(name, miss, penalty)
            row["rings"].set_data([_left_over(name, miss, level) for level in sims.LADDER], [2 - k] * len(sims.LADDER))
            row["stem"].set_segments([[(0, 2 - k), (share, 2 - k)]])
            row["dot"].set_data([share], [2 - k])
            row["dot"].set(mfc=CHOICE if name == kernel else MISS, mew=1.6 if name == kernel else 0)
            row["number"].xy = (min(max(share, 0.08), 0.94), 2 - k)
            row["number"].set_text(f"{share:.0%}" if share >= 0.1 else f"{share:.1%}")
            row["name"].set_weight("bold" if name == kernel else "normal")
        found, norm = sims.fitted(kernel, miss, penalty)
        artists["truth"].set_data(sims.SCORES, true)
        artists["found"].set_data(sims.SCORES, found)
        artists["lost"].set_data(sims.SCORES, true, found)
        apart = np.abs(true - found)
        wide = apart[30:100].argmax() + 30, apart[100:180].argmax() + 100
        for name, at, mine, other in zip(artists["names"], wide[::-1], (true, found), (found, true), strict=True):
            above = mine[at] > other[at]
            name.set(position=(sims.SCORES[at], mine[at] + (0.012 if above else -0.012)), ha="right" if above else "left",
                     va="bottom" if above else "top")  # fmt: skip
        said = ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if name != kernel)
        return Finding(
            reach(kernel, miss, shares[kernel], min(shares.values())),
            f"without noise: a true miss, and what regression finds; λ = {np.format_float_positional(penalty, trim='-')}; rings: other λ, larger to the right",
            f"Not found by the other kernels, as root mean square: {said}. CKCE with this one: {norm:.4f}.",
        )

    return explore(setup, update, size=(9, 4.4), miss=["S-shape", *[m for m in sims.MISSES if m != "S-shape"]],
                   kernel=list(sims.FEATURES), penalty=sims.LADDER, labels={"penalty": "λ", "miss": "true miss"}, code=sims.found_by)  # fmt: skip


def _left_over(name, miss, penalty):
    true = sims.MISSES[miss]
    return float(np.sqrt(((sims.fitted(name, miss, penalty)[0] - true) ** 2).mean() / (true**2).mean()))


SHAPES = {"o": "●", "s": "■", "D": "◆"}
LIT_PAIRS = {
    "random forest, logistic regression": ("random forest", "logistic regression"),
    "logistic regression, naive Bayes": ("logistic regression", "naive Bayes"),
    "random forest, naive Bayes": ("random forest", "naive Bayes"),
}


def steadiness(low):
    """How far down ECE, √JKCE and √CKCE go over the shift, from their lowest values relative to the maxima."""
    least = "moves least" if low[2] >= max(low[:2]) else "does not move least"
    return f"The √CKCE {least}: down to {low[2]:.0%} of its maximum"


def on_the_root_scale(mean, spread):
    """Roots of mean JKCE and CKCE beside the ECE, and what a standard deviation of the square is on that scale."""
    root = np.concatenate([mean[:1], np.sqrt(mean[1:])])
    return root, np.concatenate([spread[:1], spread[1:] / (2 * root[1:])])


def spaced(places, room):
    """The same heights in the same order, a lower one moved down where it has less than this room."""
    places, order = places.copy(), np.argsort(-places)
    for upper, lower in zip(order, order[1:], strict=False):
        places[lower] = min(places[lower], places[upper] - room)
    return places


def shift():
    """The same calibration curve, other inputs: three errors on the root scale while P(X) moves (the paper's Figure 2)."""

    columns_of = {kernel: ["ECE", "JKCE", metric] for kernel, metric in sims.SHIFT_KERNELS.items()}
    found = {}
    for rule, bandwidth in sims.RULES.items():
        mean, error = paper.curves(bandwidth)
        spread = error * np.sqrt(paper.TRIALS)
        found |= {
            (rule, k): on_the_root_scale(mean[c].to_numpy().T, spread[c].to_numpy().T) for k, c in columns_of.items()
        }

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], xlim=(-1.03, 1.03), ylim=(-0.09, 1.16), xlabel="shift α of the inputs",
                     ylabel="error, relative to its maximum", xticks=[-1, 0, 1])  # fmt: skip
        left.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        rows = columns[1].subgridspec(2, 1, height_ratios=[2, 1], hspace=0.05)
        top = panel(fig, rows[0], xlim=(0, 1), ylim=(0, 1.02), ylabel="what happens", xticks=[])
        below = panel(fig, rows[1], read_y=False, xlim=(0, 1), ylim=(0, 1.25), xlabel="what is said")
        _ticks(top, y=(0, 0.5, 1))
        _ticks(below, x=(0, 0.5, 1))
        top.spines["bottom"].set_visible(False)
        reference(top, [0, 1], [0, 1])
        p = np.linspace(0.0067, 0.9933, 200)
        top.fill_between(p, p, sims.calibration_curve(p), color=MISS, alpha=0.2, lw=0)
        truth(top, p, sims.calibration_curve(p))
        words(top, 0.04, 0.93, "this never changes …", ha="left")
        words(below, 0.5, 1.05, "… this does (root scale)")
        band = left.fill_between(paper.ALPHAS, 0, 0, color=KEPT, alpha=0.12, lw=0)
        looks = ({"color": SOFT, "lw": 1.6}, {"color": SOFT, "lw": 1.6}, {"lw": 3})
        lines = [estimate(left, line=True, marker="o", ms=9.5, mec="white", **look) for look in looks]
        names = [words(left, 0, 0, "", colour=KEPT if name == "CKCE" else SOFT, bold=name == "CKCE", size=NUMBER, bbox=PAPER)
                 for name in ERRORS]  # fmt: skip
        return {"bars": chance(below, facecolor=GREY), "band": band, "lines": lines, "names": names,
                "here": chance(left, facecolor=CHOICE, alpha=0.6, zorder=0.5), "disc": choice(left)}  # fmt: skip

    def update(artists, alpha=0.0, bandwidth=paper.MEDIAN, kernel="linear + Gaussian"):
        mean, spread = found[bandwidth, kernel]
        top = mean.max(axis=1, keepdims=True)
        relative, k = mean / top, int(np.argmin(np.abs(paper.ALPHAS - alpha)))
        shares = np.histogram(sims.predictions_after(paper.ALPHAS[k]), sims.CELLS)[0] / sims.INPUTS
        artists["bars"].set_verts(bars_between(sims.CELLS, np.zeros(30), np.sqrt(shares)))
        for line, values in zip(artists["lines"], relative, strict=True):
            line.set_data(paper.ALPHAS, values)
            line.set_markevery([int(values.argmin())])
        artists["band"].set_data(paper.ALPHAS, relative[2] - spread[2] / top[2], relative[2] + spread[2] / top[2])
        artists["here"].set_verts(bars_between([paper.ALPHAS[k] - 0.03, paper.ALPHAS[k] + 0.03], [-0.09], [1.16]))
        artists["disc"].set_data([paper.ALPHAS[k]], [relative[2, k]])
        low, (ece, joint, conditional) = relative.min(axis=1), relative[:, len(paper.ALPHAS) // 2]
        above = 1 if ece - 0.22 < conditional < ece else -1  # the name of the ECE goes where that of the CKCE is not
        places = spaced(np.array([ece + 0.06 * above, joint - 0.06, conditional - 0.085 * above]), 0.085)
        for text, name, value, y in zip(artists["names"], ROOTS, low, places, strict=True):
            text.set(position=(0, y), text=f"{name}: down to {value:.0%}")
        said = ", ".join(f"{name} {m[k]:.3f} ({s[k]:.3f})" for name, m, s in zip(ROOTS, mean, spread, strict=True))
        lows = ", ".join(f"{name} {value:.0%}" for name, value in zip(ROOTS[:2], low, strict=False))
        return Finding(
            steadiness(low),
            f"α = {paper.ALPHAS[k]:.2g}, {kernel}, bandwidth: {bandwidth}; {paper.TRIALS} sets; band: 1 s.d.; dots: lowest".replace(
                "-", "−"
            ),
            f"The others go down to: {lows}. n = {paper.N:,}; mean here (standard deviation): {said}.",
        )

    alphas = [(f"{each:.2f}".replace("-", "−"), float(each)) for each in paper.ALPHAS]
    return explore(setup, update, size=(9, 4.5), alpha=alphas, bandwidth=list(sims.RULES), kernel=list(sims.SHIFT_KERNELS),
                   labels={"alpha": "shift α", "kernel": "kernel of the CKCE"}, code=(sims.predictions_after, sims.calibration_curve))  # fmt: skip


def random_features():
    """Random Fourier features: how far kernel and CKCE are from exact, as features are added."""
    counts = np.repeat(sims.COUNTS, sims.DRAWS)

    def setup(fig):
        for model in sims.DRAWN_MODELS:
            sims.feature_errors(model)
        axes = panel(fig, xscale="log", yscale="log", xlim=(4.2, 620), ylim=(1e-4, 0.6), xlabel="random frequencies D",
                     ylabel="off by")  # fmt: skip
        axes.set_xticks([5, 20, 100, 500], ["5", "20", "100", "500"])
        axes.set_yticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
        axes.minorticks_off()
        axes.set_xticks([10, 50, 200], ["", "", ""], minor=True)
        rings = [estimate(axes, mfc="none", mec="#B4B4B4", ms=7, zorder=2) for _ in range(2)]
        guides = [reference(axes) for _ in range(2)]
        words(axes, 12, 0.36, "the kernel (root mean square)", colour=SOFT, ha="left")
        name = words(axes, 5, 0.0018, "the CKCE (relative)", ha="left")
        slope = words(axes, 0, 0, "falls like 1/√D", colour=SOFT, size=11, ha="left", va="bottom")
        discs = [choice(axes) for _ in range(2)]
        numbers = [number(axes, bbox=PAPER) for _ in range(2)]
        return {"rings": rings, "name": name, "guides": guides, "slope": slope, "discs": discs, "numbers": numbers}

    def update(artists, frequencies=20, draw=3, model=sims.DRAWN_MODELS[0]):
        found, exact = sims.feature_errors(model), sims.exact_norm(model)
        p, delta, _ = sims.some_digits(model)
        value, (colour, marker, text) = sims.with_waves(p, delta, frequencies, draw, sims.PENALTY)[1], MODELS[model]
        artists["rings"][1].set(mec=colour, marker=marker, alpha=0.45)
        artists["name"].set_color(text)
        errors = np.array([[each[1], abs(each[2] - exact) / exact] for each in found.values()])
        now = found[frequencies, draw][1], abs(value - exact) / exact
        off = f"{now[0]:.3f}", f"{now[1]:.1%}" if now[1] >= 5e-4 else "under 0.1%"
        for k, every in enumerate(errors.T):
            artists["rings"][k].set_data(counts, np.maximum(every, 1e-4))
            scale = np.sqrt((every**2 * counts).mean())
            artists["guides"][k].set_data(sims.COUNTS, scale / np.sqrt(sims.COUNTS))
            y = max(now[k], 1e-4)
            artists["discs"][k].set_data([frequencies], [y])
            artists["numbers"][k].xy = (frequencies, y)
            right = frequencies < 200
            artists["numbers"][k].set(text=off[k], color=(INK, text)[k], ha="left" if right else "right",
                                      position=(13 if right else -13, (5, -5)[k]))  # fmt: skip
        artists["slope"].set_position((230, 1.15 * np.sqrt((errors[:, 0] ** 2 * counts).mean() / 230)))
        n = len(sims.some_digits(model)[2])
        return Finding(
            f"{frequencies} frequencies, this draw: kernel off by {off[0]}, CKCE by {off[1]}",
            f"{model}, {n} digits, draw {draw} of {sims.DRAWS}; rings: the other draws; dashes: 1/√D",
            f"The kernel's error is a root mean square over pairs. CKCE {value:.5f}, exact {exact:.5f}.",
        )

    return explore(setup, update, size=(9, 4.4), model=sims.DRAWN_MODELS, frequencies=sims.COUNTS, draw=(1, sims.DRAWS, 1),
                   labels={"frequencies": "frequencies D"}, code=sims.with_waves)  # fmt: skip


def darker_digits():
    """Two models read the same digits in another light: three errors on the root scale, with standard errors."""

    def setup(fig):
        for change in sims.CHANGES:
            sims.montage(change)
        grid = fig.add_gridspec(1, 4, width_ratios=[1, 1, 1, 0.66])
        pictures = fig.add_subplot(grid[3])
        image = Heatmap(pictures, sims.montage(0).shape, x=(0, 19), y=(0, 37), cmap="gray")
        pictures.set(aspect="equal", ylim=(37, 0), anchor="N", xticks=[], yticks=[])
        pictures.set_axis_off()
        pictures.set_title("what they read", color=SOFT)
        panels = []
        for k, name in enumerate(ROOTS):
            axes = panel(fig, grid[k], read_y=not k, xlim=(-57, 57), ylim=(0, 1.12))
            axes.set_xticks([-50, 0, 50], ["−50", "0", "+50"])
            axes.set_xlabel(("", "brightness, %", "")[k])
            if not k:
                axes.set_ylabel("error, relative to the largest")
                axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
            axes.set_title(name, color=INK, weight="bold")
            panels.append({
                "band": chance(axes, facecolor=CHOICE, alpha=0.6, zorder=0.5),
                "lines": [estimate(axes, ls="-", lw=2, ms=6, mew=0.5) for _ in range(2)],
                "errors": [misses(axes, lw=1.2, zorder=2) for _ in range(2)],
                "numbers": [words(axes, 57, y, "", ha="right", bold=True, size=NUMBER) for y in (1.06, 0.96)],
            })  # fmt: skip
        below = {"size": SMALL, "ha": "right", "transform": pictures.transAxes, "in_layout": False}
        names = [words(pictures, 1.03, y, "", **below) for y in (-0.06, -0.14)]
        return {"image": image, "panels": panels, "names": names}

    def update(artists, models="random forest, logistic regression", brightness=-40):
        names = LIT_PAIRS[models]
        found = np.array([[sims.lit_errors(name, change) for change in sims.CHANGES] for name in names])
        values, spread = found[:, :, 0], found[:, :, 1]
        k = sims.CHANGES.index(brightness)
        artists["image"].set_data(sims.montage(brightness))
        how = f"{abs(brightness)}% {'darker' if brightness < 0 else 'lighter'}" if brightness else "As they were"
        flips = []
        for row, (name, part) in enumerate(zip(ROOTS, artists["panels"], strict=True)):
            both = values[:, :, row]
            heights, half = both / both.max(), 2 * spread[:, :, row] / both.max()
            part["band"].set_verts(bars_between([brightness - 4, brightness + 4], [0], [1.12]))
            for side, each in enumerate(part["lines"]):
                colour, marker, text = MODELS[names[side]]
                each.set_data(sims.CHANGES, heights[side])
                each.set(color=colour, marker=marker)
                part["errors"][side].set_segments(
                    [[(x, h - e), (x, h + e)] for x, h, e in zip(sims.CHANGES, heights[side], half[side], strict=True)]
                )
                part["errors"][side].set_color(colour)
                part["numbers"][side].set(text=f"{SHAPES[marker]} {_digits(both[side, k])}", color=text)
            flips.append(f"{name} {int((both[0] < both[1]).sum())}")
        a, b = values[:, k, 3]
        first, second = (SHAPES[MODELS[name][1]] for name in names)
        for text, name in zip(artists["names"], names, strict=True):
            text.set(text=f"{SHAPES[MODELS[name][1]]} {name}", color=MODELS[name][2])
        said = ", ".join(f"{n} {x:.4f} and {z:.4f}" for n, x, z in zip(ROOTS, *values[:, k, :3], strict=True))
        return Finding(
            f"{how}: {camps(names, values[:, k, :3])}",
            f"{sims.LIT_N:,} digits in another light; bars: ± 2 standard errors; right at this light: {first} {a:.0%}, {second} {b:.0%}",
            f"{names[0].capitalize()} and {names[1]}: {said}. At how many of {len(sims.CHANGES)} levels the first has the smaller "
            f"error: {', '.join(flips)}.",
        )

    return explore(setup, update, size=(9, 4.6), models=list(LIT_PAIRS), brightness=(-50, 50, 10),
                   code=sims.lit_errors)  # fmt: skip
