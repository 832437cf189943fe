"""Smooth bets: a sum of three bumps and its length; the best one on the confidence of real models."""

import numpy as np
from matplotlib.patches import Rectangle

from ...data.datasets import digits_cast
from ...kernels import rbf
from ...plots import (
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SMALL,
    SOFT,
    Finding,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    words,
)
from ...predictions import top_label
from ...teach.explore import explore
from .exercises import check

__all__ = ["best_smooth_bet", "three_bumps"]


CENTRES = (0.2, 0.5, 0.8)
PLACES = [f"{x:g}".removeprefix("0") for x in CENTRES]
TOUCH = 0.05  # a similarity below which two bumps hardly meet
WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.3]  # of three bumps: no sum leaves the picture
BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0]


def sum_of_bumps(p, centres, weights, bandwidth):
    """b(p) = Σ_a β_a k(p, p_a) at every p, for the Gaussian kernel."""
    k = rbf(bandwidth=bandwidth)
    return k(np.reshape(p, (-1, 1)), np.reshape(centres, (-1, 1))) @ weights


def matrix_and_length(centres, weights, bandwidth):
    """The matrix K of similarities of the centres, and ‖b‖² = Σ_a Σ_c β_a k(p_a, p_c) β_c."""
    K = rbf(bandwidth=bandwidth)(np.reshape(centres, (-1, 1)))
    return K, weights @ K @ weights


def what_bumps_do(K, weights):
    """The finding of three bumps: whether they meet, and whether they add or cancel."""
    alone, squared = (weights**2).sum(), weights @ K @ weights
    live = weights != 0
    K, some = K[np.ix_(live, live)], live.sum() > 1
    if some and np.abs(K - np.diag(np.diag(K))).max() < TOUCH:
        return f"Bumps that hardly meet: ‖b‖² = {squared:.2f}, about the sum of β²"
    if squared > alone + 0.005:
        return f"Bumps that meet add up: ‖b‖² = {squared:.2f}, the sum of β² is {alone:.2f}"
    if squared < alone - 0.005:
        return f"Bumps that meet cancel: ‖b‖² = {squared:.2f}, the sum of β² is {alone:.2f}"
    return f"‖b‖² = {squared:.2f}, as the sum of β²"


def three_bumps():
    """A bet as a sum of three bumps, and its length from the similarities of their centres."""
    at = np.linspace(0, 1, 201)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, grid[0], xlim=(0, 1.17), ylim=(-2.35, 2.35), ylabel="b(p)")
        axes.set_xlabel("prediction p", x=0.5 / 1.17)
        axes.set_xticks([0, *CENTRES, 1], ["0", "0.2", "0.5", "0.8", "1"])
        axes.set_yticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
        axes.spines["bottom"].set_bounds(0, 1)
        reference(axes, [0, 1], [0, 0])
        bumps = [axes.plot([], [], color=GREY, lw=1.4)[0] for _ in CENTRES]
        (whole,) = axes.plot([], [], color=INK, lw=2.6, zorder=4)
        (unit,) = axes.plot([], [], color=KEPT, lw=2.2, zorder=3)
        names = [
            words(axes, 1.02, 0, name, ha="left", colour=colour, bold=True)
            for name, colour in (("b", INK), ("b/‖b‖", KEPT))
        ]
        side = panel(fig, grid[1], read_y=False, xlim=(-1, 2.55), ylim=(3.5, -1.3), xticks=[])
        side.spines["bottom"].set_visible(False)
        words(side, 1, -1.05, r"nine terms $\beta_a\, k(p_a, p_c)\, \beta_c$ (dashed: negative)", colour=SOFT)
        for a, x in enumerate(CENTRES):
            words(side, a, -0.55, f"{x:g}", colour=SOFT, size=SMALL)
            words(side, -0.75, a + 0.2, f"{x:g}", colour=SOFT, size=SMALL)
        squares = [side.add_patch(_square(a, c)) for a in range(3) for c in range(3)]
        terms = [words(side, c, a + 0.06, "", bold=True) for a in range(3) for c in range(3)]
        similar = [words(side, c, a + 0.42, "", size=SMALL, colour=SOFT) for a in range(3) for c in range(3)]
        return {"bumps": bumps, "stems": misses(axes, colors=GREY, lw=1.4), "whole": whole, "unit": unit, "names": names,
                "dots": choice(axes), "squares": squares, "terms": terms, "similar": similar,
                "length": words(side, 1, 3.15, "", bold=True)}  # fmt: skip

    def update(artists, bandwidth=0.2, beta_1=1.0, beta_2=0.8, beta_3=-0.5):
        weights = np.array([beta_1, beta_2, beta_3])
        K, squared = matrix_and_length(CENTRES, weights, bandwidth)
        b = sum_of_bumps(at, CENTRES, weights, bandwidth)
        for line, x, beta in zip(artists["bumps"], CENTRES, weights, strict=True):
            line.set_data(at, sum_of_bumps(at, [x], [beta], bandwidth))
        artists["whole"].set_data(at, b)
        some = squared > 1e-12
        short = b / np.sqrt(squared) if some else 0 * b
        artists["unit"].set_data(at if some else [], short if some else [])
        artists["stems"].set_segments([[(x, 0), (x, beta)] for x, beta in zip(CENTRES, weights, strict=True)])
        artists["dots"].set_data(CENTRES, weights)
        middle, apart = (b[-1] + short[-1]) / 2, max(abs(b[-1] - short[-1]), 0.36) / 2
        up = 1 if b[-1] >= short[-1] else -1
        for each, y in zip(artists["names"], (middle + up * apart, middle - up * apart), strict=True):
            each.set_y(y)
        artists["names"][1].set_visible(some)
        terms = weights[:, None] * K * weights
        each_cell = zip(artists["squares"], artists["terms"], artists["similar"], terms.ravel(), K.ravel(), strict=True)
        for square, large, small, term, k in each_cell:
            square.set(
                facecolor=str(0.94 - 0.06 * term) if term > 0.005 else "1",
                linestyle="--" if term < -0.005 else "-",
                linewidth=1.4 * (term < -0.005),
            )
            large.set_text(f"{term:.2f}".replace("-0.00", "0.00").replace("-", "−"))
            small.set_text(f"k = {k:.2f}")
        artists["length"].set_text(f"their sum: ‖b‖² = {squared:.2f}")
        listed = ", ".join(f"{each:+.1f}" for each in weights).replace("-", "−")
        return Finding(
            what_bumps_do(K, weights),
            f"yellow: weights β = ({listed}) at {', '.join(PLACES)}; thick: sum of the bumps; blue: of length 1; γ = {bandwidth:g}",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(sum_of_bumps, matrix_and_length), bandwidth=WIDTHS,
        beta_1=(-1.0, 1.0, 0.1), beta_2=(-1.0, 1.0, 0.1), beta_3=(-1.0, 1.0, 0.1),
        labels={"bandwidth": "bandwidth γ"}
        | {f"beta_{a}": f"weight β{index} (at {x})" for a, (index, x) in enumerate(zip("₁₂₃", PLACES, strict=True), 1)},
        kept={"beta_1": (-1.0, -0.5, 0.0, 0.5, 1.0), "beta_2": (-1.0, -0.5, 0.0, 0.5, 0.8, 1.0), "beta_3": (-1.0, -0.5, 0.0, 0.5, 1.0)},
    )  # fmt: skip


def _square(a, c):
    return Rectangle((c - 0.46, a - 0.26), 0.92, 0.92, edgecolor=INK)


def best_bet(kernel, confidence, hit, bandwidth, at):
    """The best bet of length 1 on these predictions, b = s/‖s‖ with s the mean of (c − hit) × bump, and its payoff."""
    miss = (confidence - hit) / len(hit)
    squared = miss @ kernel(confidence, confidence, bandwidth) @ miss
    payoff = np.sqrt(squared) if squared > 0 else np.nan
    return kernel(at, confidence, bandwidth) @ miss / payoff, payoff


def does_it_pay(chosen, other):
    """The finding of a bet that is chosen on one half and earns on the other."""
    if not np.isfinite(chosen):
        return "No length: such a matrix belongs to no kernel"
    if other <= 0:
        return f"Earns {chosen:.3f} on the half used to choose it, loses {-other:.3f} on the other half"
    return f"Earns {chosen:.3f} on the half used to choose it, {other:.3f} on the other half"


def best_smooth_bet(kernel=None):
    """The best smooth bet on the confidence of a real model, made of a kernel: the reader's, or the reference."""
    kernel = check.kernel_matrix.use(kernel)
    grid = np.linspace(0.1, 1, 91)
    cast = {name: top_label(each.y_true, each.y_prob) for name, each in digits_cast().items()}
    known = {}
    here, there = slice(0, None, 2), slice(1, None, 2)  # the rows are in random order

    def setup(fig):
        axes = panel(fig, xlim=(0.1, 1.0), ylim=(-1.1, 1.1), xlabel="confidence c", ylabel="bet b(c)")
        axes.set_xticks([0.1, 0.5, 1], ["0.1", "0.5", "1"])
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0.1, 1], [0, 0])
        region(axes, 0.11, 1.0, "bets that c is too high", ha="left")
        region(axes, 0.11, -1.0, "bets that c is too low", ha="left")
        (strip,) = axes.plot([], [], "|", ms=10, mew=1, color="#BBBBBB", zorder=1)
        return {"line": estimate(axes, line=True), "strip": strip, "number": number(axes, ha="right", colour=INK)}

    def update(artists, model="random forest", bandwidth=0.1):
        hit, confidence = cast[model]
        if (model, bandwidth) not in known:
            at = np.concatenate([grid, confidence[there]])
            bet, chosen = best_bet(kernel, confidence[here], hit[here], bandwidth, at)
            known[model, bandwidth] = bet[: len(grid)], chosen, (bet[len(grid) :] * (confidence - hit)[there]).mean()
        bet, chosen, other = known[model, bandwidth]
        artists["line"].set_data(grid, bet)
        artists["line"].set_color(MODELS[model][0])
        seen = np.unique(confidence[here].round(3))
        artists["strip"].set_data(seen, np.zeros(len(seen)))
        artists["number"].xy = (0.98, 0.82 if bet[-1] < 0 else -0.82)
        artists["number"].set(text=f"earns {other:+.3f}".replace("-", "−"), color=KEPT if other > 0 else MISS)
        return Finding(
            does_it_pay(chosen, other),
            f"{model}: bet of {len(hit[here])} digits, on {len(hit[there])} others; γ = {bandwidth:g}; {kernel.by}",
        )

    return explore(
        setup, update, size=(9, 4.2), code=best_bet, model=list(cast), bandwidth=BANDWIDTHS,
        labels={"bandwidth": "bandwidth γ"},
    )  # fmt: skip
