"""What λ decides: whether 47 images are seen, which of two models is ahead, which directions stay."""

import numpy as np

from ...plots import (
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
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
    words,
)
from ...teach.explore import explore
from ..shared import ckce_on_digits as on_digits
from ..shared.ckce_plots import LAMBDAS, plain
from . import regressions
from . import simulations as sims

__all__ = ["what_it_sees", "who_is_ahead", "who_sees_them"]

EVERY = [(plain(each), each) for each in regressions.LAMBDAS]
CELLS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1])  # the 47 are nine tenths of the last bin's width


def who_sees_them():
    """47 images that naive Bayes gets wrong half of the time: their miss, their bin's, and a regression's there."""
    grid = np.linspace(0.5, 1, 201)

    def setup(fig):
        hit, confidence, _ = on_digits.confidences("naive Bayes")
        rows = fig.add_gridspec(2, 1, height_ratios=[4, 1], hspace=0.03)
        top = panel(fig, rows[0], xlim=(0.497, 1.01), ylim=(-0.1, 0.74), xticks=[], ylabel="said − happened")
        top.set_yticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        top.spines["bottom"].set_visible(False)
        reference(top, [0.5, 1], [0, 0])
        region(top, 0.5, 0.68, "over-confident", ha="left")
        region(top, 0.5, -0.07, "under-confident", ha="left")
        sure, last = regressions.nearly_sure(confidence), confidence > 0.9
        at, gap = confidence[sure].mean(), (confidence - hit)[sure].mean()
        whole = (confidence - hit)[last].mean()
        misses(top, lw=6).set_segments([[(at, 0), (at, gap)]])
        estimate(top, [at], [gap], ms=12, color=MISS, mec="white")
        words(top, 1.005, 0.68, f"{sure.sum()} images: {gap:.3f}", colour=MISS, bold=True, size=NUMBER, ha="right")
        top.plot([0.9, 1], [whole, whole], color=INK, lw=4, solid_capstyle="butt", zorder=6)
        words(top, 0.897, whole, f"their bin: {whole:.3f}", bold=True, ha="right")
        below = panel(fig, rows[1], read_y=False, xlim=(0.497, 1.01), ylim=(0, 1.5), xlabel="how sure it says it is")
        below.set_xticks([0.5, 0.6, 0.7, 0.8, 0.9, 1], ["0.5", "0.6", "0.7", "0.8", "0.9", "1"])
        count = np.array([((confidence >= low) & (confidence < high + (high == 1))).sum()
                          for low, high in zip(CELLS, CELLS[1:], strict=False)])  # fmt: skip
        bars = bars_between(CELLS, np.zeros(6), np.sqrt(count / count.max()))
        for k, (bar, each) in enumerate(zip(bars, count, strict=True)):
            colour = MISS if k == 4 else GREY
            chance(below, facecolor=colour, edgecolor="white", lw=1).set_verts([bar])
            words(below, CELLS[k : k + 2].mean() - 0.012 * (k == 5), np.sqrt(each / count.max()) + 0.28, f"{each:,}",
                  colour=MISS if k == 4 else SOFT, bold=k == 4)  # fmt: skip
        words(below, 0.5, 1.15, "images (root scale)", colour=SOFT, size=SMALL, ha="left")
        curve = estimate(top, line=True, lw=3)
        return {"curve": curve, "ghost": Ghost(curve), "here": choice(top), "number": number(top, colour=KEPT, offset=(-14, 10))}

    def update(artists, penalty=0.001):
        hit, confidence, features = on_digits.confidences("naive Bayes")
        G = regressions.regression(features.features, confidence - hit, penalty)
        sure = regressions.nearly_sure(confidence)
        there = float((features.features[sure] @ G).mean())
        artists["curve"].set_data(grid, np.clip(features.transform(grid) @ G, -0.1, 0.74))
        artists["here"].set_data([confidence[sure].mean()], [there])
        artists["number"].xy = confidence[sure].mean(), there
        artists["number"].set_text(f"{there:.2f}")
        return Finding(
            f"With λ = {plain(penalty)} the regression says {there:.2f} at the {sure.sum()} images",
            f"naive Bayes, {len(hit):,} digits; blue: ridge regression of the miss on the confidence, bandwidth 0.1",
            f"The √CKCE, the length of this curve, is {np.linalg.norm(G):.3f}.",
        )

    return explore(setup, update, size=(9, 4.8), penalty=EVERY, labels={"penalty": "λ"}, code=regressions.regression)


def ahead_on(penalty, splits):
    """On how many other splits logistic regression has the smaller error, in words."""
    return f"At λ = {penalty} logistic regression is ahead on {splits} of {len(sims.SPLITS)} other splits"


def who_is_ahead():
    """√CKCE of logistic regression over that of naive Bayes, against λ: here and on twenty other splits."""

    def setup(fig):
        axes = panel(fig, xscale="log", yscale="log", xlim=(2.4e-4, 130), ylim=(0.3, 5), xlabel="λ",
                     ylabel="√CKCE, logistic regression / naive Bayes")  # fmt: skip
        axes.set_xticks([1e-3, 1e-2, 0.1, 1, 10, 100], ["0.001", "0.01", "0.1", "1", "10", "100"])
        axes.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
        axes.minorticks_off()
        reference(axes, [2.4e-4, 130], [1, 1])
        for each in sims.on_other_splits():
            axes.plot(regressions.LAMBDAS, each, color="#B4B4B4", lw=1.1, zorder=2)
        axes.plot([on_digits.PENALTY] * 2, [0.3, 4.3], color=GREY, lw=1, dashes=(1, 3), zorder=1)
        words(axes, on_digits.PENALTY, 4.5, "the paper's λ", colour=SOFT, size=SMALL)
        region(axes, 120, 0.34, "logistic regression is ahead: less error", ha="right")
        region(axes, 2.7e-4, 4.5, "naive Bayes is ahead", ha="left")
        return {"line": estimate(axes, line=True, lw=3), "here": choice(axes), "number": number(axes, offset=(12, -14)),
                "splits": estimate(axes, ms=5.5, color=GREY, mew=0.5)}  # fmt: skip

    def update(artists, penalty=0.001):
        models = [on_digits.confidences(name) for name in sims.PAIR]
        roots = np.array([[np.linalg.norm(regressions.regression(phi.features, confidence - hit, each))
                           for each in regressions.LAMBDAS] for hit, confidence, phi in models])  # fmt: skip
        ratio, k = roots[0] / roots[1], regressions.LAMBDAS.index(penalty)
        others = sims.on_other_splits()[:, k]
        artists["line"].set_data(regressions.LAMBDAS, ratio)
        artists["splits"].set_data(np.full(len(others), penalty), others)
        artists["here"].set_data([penalty], [ratio[k]])
        artists["number"].xy = penalty, ratio[k]
        right = penalty < 50
        artists["number"].set(text=f"{ratio[k]:.2f}", ha="left" if right else "right", position=(12 if right else -12, -14))
        return Finding(
            ahead_on(plain(penalty), int((others < 1).sum())),
            f"blue: the course's split; grey: {len(others)} others, trained again; digits, kernel of eq. 8, bandwidth 0.1",
            f"√CKCE on the blue one: logistic regression {roots[0, k]:.3g}, naive Bayes {roots[1, k]:.3g}.",
        )

    return explore(setup, update, size=(9, 4.6), penalty=EVERY, labels={"penalty": "λ"}, code=regressions.regression)


def how_many_above(above, share):
    """How many directions stay, and what the ten largest make of the error."""
    count = "No direction stands" if not above else "1 direction stands" if above == 1 else f"{above} directions stand"
    return f"{count} above λ; the first ten make {share:.0%} of the CKCE"


def what_it_sees():
    """Eigenvalues of C against λ: of a direction below it less than half is kept, whatever the model does there."""

    def setup(fig):
        for model in sims.CAST:
            regressions.seen_by(model)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], yscale="log", xlim=(0.2, regressions.SHOWN + 0.8), ylim=(5e-6, 3), xlabel="direction, by eigenvalue",
                     ylabel="eigenvalue of C")  # fmt: skip
        left.set_xticks([1, 10, 20])
        left.set_yticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
        left.minorticks_off()
        band = chance(left, facecolor=CHOICE, alpha=0.6, zorder=0.5)
        right = panel(fig, columns[1], read_y=False, xlim=(0, 1.5), ylim=(-0.6, 1.7))
        right.set_xticks([])
        right.spines["bottom"].set_visible(False)
        right.set_title("CKCE with this λ", color=SOFT)
        for y, name in ((1, "kernel of eq. 8"), (0, "⟨p, q⟩ + 1 alone")):
            words(right, 0, y + 0.33, name, ha="left")
        return {"band": band, "name": words(left, regressions.SHOWN + 0.6, 1, "", ha="right", va="bottom", bold=True),
                "above": estimate(left, ms=9), "below": estimate(left, ms=8, mfc="white", mec=GREY, mew=1.4),
                "bars": chance(right, facecolor=KEPT), "numbers": [number(right) for _ in range(2)]}  # fmt: skip

    def update(artists, model="logistic regression", penalty=on_digits.PENALTY):
        spectrum, linear = regressions.seen_by(model)
        whole, share, alone = regressions.parts_of_ckce(spectrum, linear, penalty)
        mu, index = np.maximum(spectrum.eigenvalues[: regressions.SHOWN], 5e-6), np.arange(1, regressions.SHOWN + 1)
        above = mu > penalty
        artists["above"].set_data(index[above], mu[above])
        artists["below"].set_data(index[~above], mu[~above])
        artists["band"].set_verts(bars_between([0.2, regressions.SHOWN + 0.8], [penalty / 1.12], [penalty * 1.12]))
        artists["name"].set(position=(regressions.SHOWN + 0.6, penalty * 1.25), text=f"λ = {plain(penalty)}")
        top = max(whole, alone)
        artists["bars"].set_verts([[(0, y - 0.18), (0, y + 0.18), (v / top, y + 0.18), (v / top, y - 0.18)]
                                   for y, v in ((1, whole), (0, alone))])  # fmt: skip
        for text, y, value in zip(artists["numbers"], (1, 0), (whole, alone), strict=True):
            text.xy = (value / top, y)
            text.set_text(f"{value:.4f}" if value < 0.1 else f"{value:.2f}")
        return Finding(
            how_many_above(int((spectrum.eigenvalues > penalty).sum()), share),
            f"{model}, ten classes, {spectrum.n:,} digits, kernel of eq. 8, γ = 1; rings: below λ, less than half is kept",
            f"At λ = {plain(penalty)} the CKCE is {whole:.4f}; the kernel ⟨p, q⟩ + 1 alone gives {alone:.4f}.",
        )

    return explore(setup, update, size=(9, 4.3), model=list(sims.CAST), penalty=LAMBDAS, labels={"penalty": "λ"},
                   code=regressions.parts_of_ckce)  # fmt: skip
