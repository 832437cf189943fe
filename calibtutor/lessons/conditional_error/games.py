"""Games of the lesson conditional_error."""

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
    words,
)
from ...teach.explore import explore
from ..shared import ckce_on_digits as shared_ckce_on_digits
from ..shared import crowd_of_digits as shared_crowd_of_digits
from ..shared.crowd_plots import LAMBDAS, _plain
from . import crowd
from . import simulations as sims

__all__ = ["what_it_sees", "who_sees_them"]



def _two(value):
    """Two digits after the point, or two that count."""
    return f"{value:.2f}" if value >= 0.005 else f"{value:.2g}"


LARGE = [(_plain(each), each) for each in crowd.LARGE]
ALL = len(sims.SPLITS)


def preferred(splits):
    """Who has the smaller error on nine of ten splits, from the number on which logistic regression has it."""
    if 0.1 * ALL < splits < 0.9 * ALL:
        return "neither"
    return "logistic regression" if splits > ALL / 2 else "naive Bayes"


def who_sees_them():
    """47 images that naive Bayes gets wrong half of the time: the miss that bins, and the CKCE with a λ, expect there."""
    grid = np.linspace(0.5, 1, 101)
    pair = "logistic regression", "naive Bayes"

    def setup(fig):
        sims.comes_back(*pair)
        hit, confidence, features = shared_crowd_of_digits.confidences("naive Bayes")
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], xlim=(0.49, 1.03), ylim=(-0.13, 0.75), xlabel="how sure it says it is",
                     ylabel="said − happened")  # fmt: skip
        left.set_xticks([0.5, 0.75, 1], ["0.5", "0.75", "1"])
        left.set_yticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        reference(left, [0.49, 1.02], [0, 0])
        region(left, 0.5, 0.7, "says too much", ha="left")
        sure, last = crowd.nearly_sure(confidence), confidence > 0.9
        at, gap = confidence[sure].mean(), (confidence - hit)[sure].mean()
        whole = (confidence - hit)[last].mean()
        misses(left, lw=6).set_segments([[(at, 0), (at, gap)]])
        estimate(left, [at], [gap], ms=11, color=MISS, mec="white")
        words(left, 1.02, 0.7, f"{sure.sum()} images: {gap:.3f}", colour=MISS, bold=True, size=NUMBER, ha="right")
        left.plot([0.9, 1], [whole, whole], color=INK, lw=4, solid_capstyle="butt", zorder=6)
        words(left, 0.95, -0.05, f"their bin: {whole:.3f}", size=SMALL, ha="right")
        curve = estimate(left, line=True)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.06, 1.06), ylim=(-0.75, 3.6))
        right.set_xticks([0, 0.5, 1], ["0", f"{ALL // 2}", f"{ALL}"])
        right.set_xlabel("other splits on which logistic\nregression has the smaller error")
        right.axvspan(0.1, 0.9, color="#EFEFEF", lw=0, zorder=0)
        words(right, 0.5, -0.5, "changes from split to split", colour=SOFT, size=SMALL)
        rows = [{"name": words(right, 0, 3 - k + 0.3, "", ha="left"), "dot": estimate(right, ms=12, mec="white"),
                 "number": number(right, colour=INK)} for k in range(4)]  # fmt: skip
        return {"curve": curve, "ghost": Ghost(curve), "here": choice(left), "number": number(left, colour=KEPT, offset=(-12, 8)),
                "rows": rows}  # fmt: skip

    def update(artists, penalty=0.001):
        hit, confidence, features = shared_crowd_of_digits.confidences("naive Bayes")
        G = crowd.regression(features.features, confidence - hit, penalty)
        sure = crowd.nearly_sure(confidence)
        there = float((features.features[sure] @ G).mean())
        artists["curve"].set_data(grid, np.clip(features.transform(grid) @ G, -0.13, 0.75))
        artists["here"].set_data([confidence[sure].mean()], [there])
        artists["number"].xy = confidence[sure].mean(), there
        artists["number"].set_text(f"{there:.2f}")
        papers, chosen = ([crowd.roots(model, each) for model in pair] for each in (shared_ckce_on_digits.PENALTY, penalty))
        found = [[each[k] for each in papers] for k in range(3)] + [[each[2] for each in chosen]]
        levels, back = [*shared_crowd_of_digits.LADDER, *crowd.LARGE], sims.comes_back(*pair)
        counts = [back[0], back[1], *(back[2 + levels.index(each)] for each in (shared_ckce_on_digits.PENALTY, penalty))]
        names = ["ECE", "√SKCE", f"√CKCE, λ = {_plain(shared_ckce_on_digits.PENALTY)} (paper)", f"√CKCE, λ = {_plain(penalty)}"]
        for row, name, (logistic, bayes), count, y in zip(
            artists["rows"], names, found, counts, (3, 2, 1, 0), strict=True
        ):
            row["name"].set_text(f"{name}: {_two(logistic)}, {_two(bayes)}")
            row["dot"].set_data([count / ALL], [y])
            who = preferred(count)
            row["dot"].set_color(SOFT if who == "neither" else MODELS[who][0])
            row["number"].xy = (count / ALL, y)
            left_of = count > 0.6 * ALL
            row["number"].set(text=f"{count}", ha="right" if left_of else "left", position=(-10 if left_of else 10, 0))
        errors = "ECE", "√SKCE", "√CKCE with the paper's λ", "√CKCE with this λ"
        said = ", ".join(f"{name} {count}" for name, count in zip(errors, counts, strict=True))
        return Finding(
            f"With λ = {_plain(penalty)} the CKCE expects {there:.2f} at these images",
            f"naive Bayes, {len(hit):,} digits; blue: its regression; right: logistic regression, naive Bayes",
            f"There are {sure.sum()} such images. On how many of {ALL} other splits logistic regression has the smaller error: {said}.",
        )

    return explore(
        setup, update, size=(9, 4.6), penalty=[*LAMBDAS, *LARGE], labels={"penalty": "λ"}, code=crowd.regression
    )


def how_many_above(above, share):
    """How many directions stay, and what the ten largest make of the error."""
    count = "No direction stands" if not above else "1 direction stands" if above == 1 else f"{above} directions stand"
    return f"{count} above λ; the first ten make {share:.0%} of the CKCE"


def what_it_sees():
    """Eigenvalues of C against λ: of a direction below it less than half is kept, whatever the model does there."""

    def setup(fig):
        for model in sims.CAST:
            crowd.seen_by(model)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], yscale="log", xlim=(0.2, crowd.SHOWN + 0.8), ylim=(5e-6, 3), xlabel="direction, by eigenvalue",
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
        return {"band": band, "name": words(left, crowd.SHOWN + 0.6, 1, "", ha="right", va="bottom", bold=True),
                "above": estimate(left, ms=9), "below": estimate(left, ms=8, mfc="white", mec=GREY, mew=1.4),
                "bars": chance(right, facecolor=KEPT), "numbers": [number(right) for _ in range(2)]}  # fmt: skip

    def update(artists, model="logistic regression", penalty=shared_ckce_on_digits.PENALTY):
        spectrum, linear = crowd.seen_by(model)
        whole, share, alone = crowd.parts_of_ckce(spectrum, linear, penalty)
        mu, index = np.maximum(spectrum.eigenvalues[: crowd.SHOWN], 5e-6), np.arange(1, crowd.SHOWN + 1)
        above = mu > penalty
        artists["above"].set_data(index[above], mu[above])
        artists["below"].set_data(index[~above], mu[~above])
        artists["band"].set_verts(bars_between([0.2, crowd.SHOWN + 0.8], [penalty / 1.12], [penalty * 1.12]))
        artists["name"].set(position=(crowd.SHOWN + 0.6, penalty * 1.25), text=f"λ = {_plain(penalty)}")
        top = max(whole, alone)
        artists["bars"].set_verts([[(0, y - 0.18), (0, y + 0.18), (v / top, y + 0.18), (v / top, y - 0.18)]
                                   for y, v in ((1, whole), (0, alone))])  # fmt: skip
        for text, y, value in zip(artists["numbers"], (1, 0), (whole, alone), strict=True):
            text.xy = (value / top, y)
            text.set_text(f"{value:.4f}" if value < 0.1 else f"{value:.2f}")
        return Finding(
            how_many_above(int((spectrum.eigenvalues > penalty).sum()), share),
            f"{model}, ten classes, {spectrum.n:,} digits, kernel of eq. 8, γ = 1; rings: below λ, less than half is kept",
            f"At λ = {_plain(penalty)} the CKCE is {whole:.4f}; the kernel ⟨p, q⟩ + 1 alone gives {alone:.4f}.",
        )

    return explore(setup, update, size=(9, 4.3), model=list(sims.CAST), penalty=LAMBDAS, labels={"penalty": "λ"},
                   code=crowd.parts_of_ckce)  # fmt: skip
