"""Bumps of the lesson bets_and_kernels."""

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
BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0]


def sum_of_bumps(p, centres, weights, bandwidth):
    """b(p) = Σ_a k(p, p_a) β_a at every p, for the Gaussian kernel."""
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
    """A bet as a sum of three bumps, and its length from the matrix of similarities."""
    at = np.linspace(0, 1, 201)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, grid[0], xlim=(0, 1), ylim=(-3.1, 3.1), xlabel="prediction p", ylabel="b(p)")
        axes.set_xticks([0, *CENTRES, 1], ["0", "0.2", "0.5", "0.8", "1"])
        axes.set_yticks([-2, 0, 2], ["−2", "0", "2"])
        reference(axes, [0, 1], [0, 0])
        bumps = [axes.plot([], [], color=GREY, lw=1.4)[0] for _ in CENTRES]
        (whole,) = axes.plot([], [], color=INK, lw=2.4, zorder=4)
        (unit,) = axes.plot([], [], color=KEPT, lw=2.2, zorder=3)
        words(axes, 0.01, 2.85, "black: b, the sum", ha="left")
        words(axes, 0.01, 2.35, "blue: b/‖b‖, of length 1", ha="left", colour=KEPT)
        words(
            axes,
            0.01,
            -2.85,
            "grey: each bump k(·, pₐ) βₐ",
            ha="left",
            colour=SOFT,
        )
        side = panel(fig, grid[1], read_y=False, xlim=(-1.2, 3), ylim=(3.4, -1.1), xticks=[])
        side.spines["bottom"].set_visible(False)
        words(side, 1, -0.85, "K: how similar the centres are", colour=SOFT)
        for a, x in enumerate(CENTRES):
            words(side, a, -0.4, f"{x:g}", colour=SOFT, size=SMALL)
            words(side, -0.75, a + 0.25, f"{x:g}", colour=SOFT, size=SMALL)
        squares = [side.add_patch(_square(a, c)) for a in range(3) for c in range(3)]
        entries = [words(side, a, c + 0.25, "", bold=True, size=SMALL) for a in range(3) for c in range(3)]
        length = words(side, 1, 3.15, "", bold=True)
        return {"bumps": bumps, "whole": whole, "unit": unit, "dots": choice(axes), "squares": squares,
                "entries": entries, "length": length}  # fmt: skip

    def update(artists, bandwidth=0.2, beta_1=1.0, beta_2=0.8, beta_3=-0.5):
        weights = np.array([beta_1, beta_2, beta_3])
        K, squared = matrix_and_length(CENTRES, weights, bandwidth)
        b = sum_of_bumps(at, CENTRES, weights, bandwidth)
        for line, x, beta in zip(artists["bumps"], CENTRES, weights, strict=True):
            line.set_data(at, sum_of_bumps(at, [x], [beta], bandwidth))
        artists["whole"].set_data(at, b)
        some = squared > 1e-12
        artists["unit"].set_data(at if some else [], b / np.sqrt(squared) if some else [])
        artists["dots"].set_data(CENTRES, weights)
        for square, entry, k in zip(artists["squares"], artists["entries"], K.ravel(), strict=True):
            square.set_facecolor(str(1 - 0.35 * k))
            entry.set_text(f"{k:.2f}")
        artists["length"].set_text(f"‖b‖² = βᵀKβ = {squared:.2f}")
        listed = ", ".join(f"{each:+.1f}" for each in weights).replace("-", "−")
        return Finding(
            what_bumps_do(K, weights),
            f"yellow: the weights β = ({listed}) at {', '.join(PLACES)}; bandwidth γ = {bandwidth:g}",
            f"In the middle the sum is {sum_of_bumps(CENTRES, CENTRES, weights, bandwidth)[1]:.3f}.".replace("-", "−"),
        )

    return explore(
        setup, update, size=(9, 4.2), code=(sum_of_bumps, matrix_and_length), bandwidth=BANDWIDTHS,
        beta_1=(-1.0, 1.0, 0.1), beta_2=(-1.0, 1.0, 0.1), beta_3=(-1.0, 1.0, 0.1),
        labels={"bandwidth": "bandwidth γ"}
        | {f"beta_{a}": f"weight β{index} (at {x})" for a, (index, x) in enumerate(zip("₁₂₃", PLACES, strict=True), 1)},
        kept={"beta_1": (-1.0, -0.5, 0.0, 0.5, 1.0), "beta_2": (-1.0, -0.5, 0.0, 0.5, 0.8, 1.0), "beta_3": (-1.0, -0.5, 0.0, 0.5, 1.0)},
    )  # fmt: skip


def _square(a, c):
    return Rectangle((a - 0.45, c - 0.2), 0.9, 0.9, lw=0)


def best_bet(kernel, confidence, hit, bandwidth, at):
    """The best bet of length 1 on these predictions, b = s/‖s‖ with s the mean of bumps (hit − c), and its payoff."""
    gap = (hit - confidence) / len(hit)
    squared = gap @ kernel(confidence, confidence, bandwidth) @ gap
    payoff = np.sqrt(squared) if squared > 0 else np.nan
    return kernel(at, confidence, bandwidth) @ gap / payoff, payoff


def does_it_pay(promised, collected):
    """The finding of a bet placed on one half and collected on the other."""
    if not np.isfinite(promised):
        return "No length: such a matrix belongs to no kernel"
    if collected <= 0:
        return f"Placed: {promised:.3f}. On the other half it loses {-collected:.3f}"
    return f"Placed, it earns {promised:.3f}; on the other half {collected:.3f}"


def best_smooth_bet(kernel=None):
    """The best smooth bet on the confidence of a real model, made of a kernel: the reader's, or the reference."""
    kernel = check.kernel_matrix.use(kernel)
    grid = np.linspace(0.1, 1, 91)
    cast = {name: top_label(each.y_true, each.y_prob) for name, each in digits_cast().items()}
    known = {}
    here, there = slice(0, None, 2), slice(1, None, 2)  # the rows are in random order

    def setup(fig):
        axes = panel(fig, xlim=(0.1, 1.0), ylim=(-1.1, 1.1), xlabel="confidence c", ylabel="bet b(c) on “right”")
        axes.set_xticks([0.1, 0.5, 1], ["0.1", "0.5", "1"])
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0.1, 1], [0, 0])
        region(axes, 0.11, 1.0, "bets on: says too little", ha="left")
        region(axes, 0.11, -1.0, "bets against: says too much", ha="left")
        (strip,) = axes.plot([], [], "|", ms=10, mew=1, color="#BBBBBB", zorder=1)
        return {"line": estimate(axes, line=True), "strip": strip, "number": number(axes, ha="right", colour=INK)}

    def update(artists, model="random forest", bandwidth=0.1):
        hit, confidence = cast[model]
        if (model, bandwidth) not in known:
            at = np.concatenate([grid, confidence[there]])
            bet, promised = best_bet(kernel, confidence[here], hit[here], bandwidth, at)
            known[model, bandwidth] = bet[: len(grid)], promised, (bet[len(grid) :] * (hit - confidence)[there]).mean()
        bet, promised, collected = known[model, bandwidth]
        artists["line"].set_data(grid, bet)
        artists["line"].set_color(MODELS[model][0])
        seen = np.unique(confidence[here].round(3))
        artists["strip"].set_data(seen, np.zeros(len(seen)))
        artists["number"].xy = (0.98, 0.82 if bet[-1] < 0 else -0.82)
        artists["number"].set(text=f"earns {collected:+.3f}".replace("-", "−"), color=KEPT if collected > 0 else MISS)
        return Finding(
            does_it_pay(promised, collected),
            f"{model}, {len(hit[here])} digits to place, {len(hit[there])} to collect; γ = {bandwidth:g}; {kernel.by}",
        )

    return explore(
        setup, update, size=(9, 4.2), code=best_bet, model=list(cast), bandwidth=BANDWIDTHS,
        labels={"bandwidth": "bandwidth γ"},
    )  # fmt: skip
