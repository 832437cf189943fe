"""A conditional mean from weights; which misses a kernel can represent."""

import numpy as np

from ...plots import (
    CHOICE,
    INK,
    KEPT,
    MISS,
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
from ...teach.explore import explore
from ..shared.ckce_plots import ticks
from ..shared.verdicts import signed
from . import regressions
from . import simulations as sims
from .games import what_it_sees, who_is_ahead, who_sees_them

__all__ = ["predict_by_weights", "representable", "what_it_sees", "who_is_ahead", "who_sees_them"]


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
            regressions.weights(grid[:1], 1.0, width)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0.28, 1.02), ylim=(0, 1.14), xlabel="confidence",
                     ylabel="sum of weight × value")  # fmt: skip
        right = panel(fig, columns[1], read_y=False, xlim=(0.28, 1.02), ylim=(-0.45, 1.4), xlabel="confidence")
        ticks(left, x=(0.4, 0.6, 0.8, 1), y=(0, 0.5, 1))
        ticks(right, x=(0.4, 0.6, 0.8, 1))
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
        hit, confidence = regressions.forest()
        at_q = regressions.weights([q], penalty, width)[:, 0]
        every = regressions.weights(grid, penalty, width)
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
                   labels={"q": "confidence q", "penalty": "λ", "width": "bandwidth"}, code=regressions.weights)  # fmt: skip


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
        ticks(left, x=(0.2, 0.5, 0.8), y=(-0.2, 0, 0.2))
        reference(left, [0.2, 0.8], [0, 0])
        region(left, 0.205, 0.22, "over-confident", ha="left")
        region(left, 0.795, -0.22, "under-confident", ha="right")
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
