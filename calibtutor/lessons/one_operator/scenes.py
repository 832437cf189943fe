"""Scenes of notebook 07: one small matrix, its spectrum, and the dial that runs through the errors of four papers."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from scipy.ndimage import distance_transform_edt
from scipy.optimize import brentq

from ...plots import (
    CHANCE_BARS,
    INK,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    Ghost,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    words,
)
from ...teach.explore import explore
from ..shared.maps import Heatmap, WinnerMap
from ..shared.verdicts import capital
from . import simulations as sims
from .exercises import check
from .games import flip_the_ranking, your_bins

__all__ = ["dial", "flip_the_ranking", "four_formulas", "operators", "ranking_flips", "spectrum", "two_ends",
           "your_bins"]  # fmt: skip

CAST = sorted(sims.CAST, key=lambda model: model != "naive Bayes")  # it is looked at first
ERRORS = ("SKCE", "KLCE²", "CCE²", "CKCE", "CKCE, λ = 0.1")
FIRST, OTHERS = "naive Bayes", ["logistic regression", "random forest"]
DIAL = {"other": OTHERS, "position": (0.0, 2.0, 0.05), "level": sims.LEVELS,
        "labels": {"level": "λ", "position": "position t", "other": "naive Bayes against"}}  # fmt: skip
SHIFTED, FEW_LEVELS = [FIRST, "logistic regression", "random forest"], sims.LEVELS[:5]
USUAL = 0.1  # a λ near the n^(−1/4) = .17 that is the default for CKCE
# Lines of a rank plot stay level around each column, where the numbers are.
BUMPS = np.linspace(0, 4, 161)
TURNS = np.add.outer(range(5), [-0.27, 0.27]).ravel()
SHOWN = 6  # features in a picture of C
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
NEARLY = 1.05  # two errors with a smaller ratio are called nearly equal
OFTEN = 18  # an order that fewer of the 20 other splits have is said to be one of this split
PLACES = ("best", "2nd", "3rd", "last")
CHI_SQUARE = 3.84  # noise alone exceeds its mean so many times in 5 % of all directions


def _short(value):
    return (f"{value:.4f}" if abs(value) >= 1e-4 else f"{value:.0e}").replace("-", "−")


def here_or_everywhere(said, count):
    """What is said of an order that so many of the other splits have."""
    return said if count >= OFTEN else f"{said}, in this split"


def ranked(values, elsewhere):
    """Places of models by each error, and how often two neighbours come back in this order.

    Parameters
    ----------
    values : ndarray, shape (m, k)
        Errors of m models.
    elsewhere : ndarray, shape (m, k, splits)
        The same on other splits.

    Returns
    -------
    places : ndarray of int, shape (m, k)
    counts : ndarray of int, shape (m − 1, k)
        On how many of the other splits the models at places i + 1 and i + 2 are in this order.
    """
    order = values.argsort(axis=0)
    by_place = np.take_along_axis(elsewhere, order[..., None], axis=0)
    return order.argsort(axis=0) + 1, (by_place[:-1] < by_place[1:]).sum(axis=-1)


def four_formulas():
    """The same predictions, four errors, and how each of them ranks four models."""

    def setup(fig):
        for name in CAST:
            for feature in sims.FEATURES:
                sims.four_errors(name, feature, sims.REFERENCE)
            sims.splits(name)
        axes = panel(fig, read_y=False, xlim=(-0.4, 5.2), ylim=(4.5, 0.45))
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(axis="x", length=0, labelcolor=INK, labelsize=13.5)
        axes.xaxis.tick_top()
        axes.set_xticks(range(5), ERRORS)
        for place, name in enumerate(PLACES, 1):
            words(axes, -0.38, place, name, colour=SOFT, size=11, ha="left")
        lines = {name: estimate(axes, model=name, line=True, lw=5, alpha=0.45, solid_capstyle="round") for name in CAST}
        dots = {name: estimate(axes, model=name, ms=13) for name in CAST}
        names = {name: words(axes, 4.22, 1, name, colour=MODELS[name][2], ha="left", bold=True) for name in CAST}
        texts = {name: [words(axes, k, 1, "", colour=MODELS[name][2], va="bottom") for k in range(5)] for name in CAST}
        counts = [[words(axes, k, gap + 1.43, "", colour=SOFT, size=11) for gap in range(3)] for k in range(5)]
        return {"lines": lines, "dots": dots, "names": names, "texts": texts, "counts": counts}

    def update(artists, level=0.001, feature=sims.FEATURES[0]):
        ends = [(sims.four_errors(name, feature, level), sims.four_errors(name, feature, USUAL)[-1:]) for name in CAST]
        values = np.array([np.concatenate(each) for each in ends])
        elsewhere = [[*sims.four_on_splits(name, feature, level), sims.split_along(name, 2, USUAL)] for name in CAST]
        places, counts = ranked(values, np.array(elsewhere))
        for texts, column in zip(artists["counts"], counts.T, strict=True):
            for each, count in zip(texts, column, strict=True):
                each.set_text(f"{count} of {len(sims.SPLITS)}")
        for name, row, place in zip(CAST, values, places, strict=True):
            artists["lines"][name].set_data(BUMPS, np.interp(BUMPS, TURNS, place.repeat(2)))
            artists["dots"][name].set_data(range(5), place)
            artists["names"][name].set_y(place[-1])
            for text, value, at in zip(artists["texts"][name], row, place, strict=True):
                text.set(y=at - 0.17, text=_short(value))
        orders = len({tuple(column) for column in places.T})
        said = "All agree on the order" if orders == 1 else f"They order the models in {orders} ways"
        places_of_first = " or ".join(PLACES[k - 1] for k in sorted(set(places[0]))).replace(
            " or ", ", ", max(orders - 2, 0)
        )
        mine = zip(ERRORS, values[0], places[0], strict=True)
        mine = ", ".join(f"{name} {_short(value)} (place {place})" for name, value, place in mine)
        return Finding(
            f"{capital(FIRST)} is {places_of_first}, depending on the error" if orders > 1 else said,
            f"1,079 digits, CCE², CKCE: λ = {level:g}; KLCE²: {feature}; grey: other splits, trained again, with this order",
            f"{mine}" + f". {said}." * (orders > 1),
        )

    return explore(setup, update, size=(9, 4.4), feature=sims.FEATURES, level=sims.LEVELS, code=ranked,
                   labels={"level": "λ", "feature": "feature of KLCE"})  # fmt: skip


def moments(phi, delta):
    """What each feature has to do with the residual, S, and how much the features are met, alone and together, C."""
    n = len(delta)
    return phi.T @ delta / n, phi.T @ phi / n


def operators():
    """The matrices S and C of one model: all that the biased errors know of it."""
    cool_to_warm = LinearSegmentedColormap.from_list("signed", [KEPT, "white", INK])

    def setup(fig):
        for name in CAST:
            sims.rows(name)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        left, right = (panel(fig, each, read_y=False) for each in grid)
        place = dict(x=(-0.5, SHOWN - 0.5), y=(SHOWN - 0.5, -0.5), cmap=cool_to_warm)
        C = Heatmap(left, (SHOWN, SHOWN), vmin=-2.4, vmax=2.4, **place)
        left.set_title("C: how often features are met, and together", color=SOFT)
        left.set_xticks(range(SHOWN), range(1, SHOWN + 1))
        left.set_yticks(range(SHOWN), range(1, SHOWN + 1))
        left.set(xlabel="feature", ylabel="feature")
        left.tick_params(length=0)
        left.spines["bottom"].set_visible(False)
        cells = [[words(left, j, i, "", size=11) for j in range(SHOWN)] for i in range(SHOWN)]
        right.set(xlim=(-0.21, 0.21), ylim=(SHOWN - 0.5, -0.5))
        right.set_title("S: the residual that each finds", color=SOFT)
        right.set_xticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        right.set_xlabel("mean of feature × (said − happened)")
        reference(right, [0, 0], [SHOWN - 0.5, -0.5])
        return {
            "C": C,
            "cells": cells,
            "S": misses(right, lw=14),
            "numbers": [number(right, colour=MISS) for _ in cells],
        }

    def update(artists, model=FIRST):
        S, C = moments(*sims.rows(model))
        artists["C"].set_data((np.sign(C) * np.sqrt(np.abs(C)))[:SHOWN, :SHOWN])  # or small entries are not seen
        for row, values in zip(artists["cells"], C, strict=False):
            for text, value in zip(row, values, strict=False):
                text.set_text(f"{value:.2f}".replace("-", "−") if abs(value) >= 0.005 else "")
        artists["S"].set_segments([[(0, k), (S[k], k)] for k in range(SHOWN)])
        for k, text in enumerate(artists["numbers"]):
            text.xy = (S[k], k)
            text.set(text=f"{S[k]:.3f}".replace("-", "−"), ha="left" if S[k] >= 0 else "right",
                     position=(8 if S[k] >= 0 else -8, 0))  # fmt: skip
        top = int((S[:SHOWN] ** 2).argmax())
        share = S[top] ** 2 / (S**2).sum()
        return Finding(
            f"{capital(model)}: feature {top + 1} is {C[top, top]:.0%} of C and {share:.0%} of SKCE",
            f"1,079 digits, {SHOWN} of {len(S)} features of the confidence; SKCE with its noise is the sum of S²: {abs(S[top]):.3f}² of {_short((S**2).sum())}",
        )

    return explore(setup, update, size=(9, 4.4), model=CAST, code=moments)


class Shares:
    """Which directions make the errors of two models: bars over the eigenvalues, one model above the other."""

    def __init__(self, fig, spec):
        rows = spec.subgridspec(2, 1, hspace=0.3)
        self.rows = []
        for k in range(2):
            axes = panel(fig, rows[k], read_y=False, xscale="log", xlim=(1e-4, 1.6), ylim=(0, 1.3))
            axes.minorticks_off()
            axes.set_xticks([1e-3, 1e-2, 0.1, 1], ["", "", "", ""] if not k else ["0.001", "0.01", "0.1", "1"])
            if k:
                axes.set_xlabel("rare or fine  ←  eigenvalue μ")
            else:
                axes.set_title("share of the error in each direction", color=SOFT, loc="left", fontsize=11)
            bars = LineCollection([], lw=7, capstyle="butt")
            axes.add_collection(bars, autolim=False)
            name = words(axes, 0.02, 1, "", ha="left", va="top", transform=axes.transAxes)
            self.rows.append((bars, name, number(axes, offset=(0, 9), ha="center")))
        self.artists = [each for row in self.rows for each in row]

    def update(self, names, parts):
        for (bars, name, largest), model, part in zip(self.rows, names, parts, strict=True):
            colour, _, text = MODELS[model]
            mu, share = sims.spectrum_of(model).eigenvalues, part / part.sum()
            seen = mu >= 1.2e-4
            bars.set_segments([[(m, 0), (m, s)] for m, s in zip(mu[seen], share[seen], strict=True)])
            bars.set_color(colour)
            name.set(text=f"{model}: {part.sum():.3g}".replace("-", "−"), color=text)
            top = share.argmax()
            largest.xy = (mu[top], share[top])
            largest.set(text=f"{share[top]:.0%}", color=text, ha="right" if mu[top] > 0.3 else "center",
                        position=(7 if mu[top] > 0.3 else 0, 9))  # fmt: skip


def who_is_ahead(first, second, ratio):
    """Which of two models looks better and how many times, from the first's error over the second's."""
    if max(ratio, 1 / ratio) < NEARLY:
        return f"{capital(first)} and {second} look nearly equal"
    ahead, times = (second, ratio) if ratio > 1 else (first, 1 / ratio)
    return (
        f"{capital(ahead)} looks {times:.1f} times better"
        if times < 9.95
        else f"{capital(ahead)} looks {times:.0f} times better"
    )


def _place(position):
    named = {0: " (SKCE)", 1: " (CCE²)", 2: " (CKCE)"}.get(position, "")
    return f"t = {position:.3g}{named}"


def _by(position):
    return {0: "by SKCE", 1: "by CCE²", 2: "by CKCE"}.get(position, f"at t = {position:.3g}")


def _times(ratio):
    return f"{max(ratio, 1 / ratio):.1f} ×"


def spectrum():
    """Each eigendirection of C: how common it is, how much residual it finds, and what it looks at."""
    three = ("SKCE", "CCE²", "CKCE")

    def setup(fig):
        for name in CAST:
            for bandwidth in sims.BANDWIDTHS:
                sims.curves(name, bandwidth)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        left = panel(fig, grid[0], xscale="log", yscale="log", xlim=(1e-5, 2), ylim=(1e-9, 1))
        left.set(xlabel="rare or fine   ←   eigenvalue μ   →   common and coarse", ylabel="residual found (energy)")
        left.set_xticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
        left.set_yticks([1e-8, 1e-6, 1e-4, 1e-2, 1], ["10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"])
        left.minorticks_off()
        words(left, 1.3e-5, 0.4, "dashes: the most there can be", colour=SOFT, size=11, ha="left")
        words(left, 1.3e-5, 0.1, "grey: noise alone, on average", colour=SOFT, size=11, ha="left")
        noise = LineCollection([], colors=CHANCE_BARS, lw=9, capstyle="butt", zorder=1)
        left.add_collection(noise, autolim=False)
        rows = grid[1].subgridspec(2, 1, height_ratios=[1, 1.1], hspace=0.05)
        top = panel(fig, rows[0], read_y=False, xlim=(0.2, 1.01), ylim=(-1.15, 1.1))
        top.set_xticks([0.2, 0.6, 1], ["0.2", "0.6", "1"])
        reference(top, [0.2, 1], [0, 0])
        below = panel(fig, rows[1], read_y=False, xlim=(0, 1.7), ylim=(-0.5, 2.5), xticks=[])
        below.spines["bottom"].set_visible(False)
        for k, name in enumerate(three):
            words(below, 0.27, 2 - k, name, ha="right")
        below.set_title("and makes this share of each error", color=SOFT)
        bars = LineCollection([], lw=15, capstyle="butt")
        below.add_collection(bars, autolim=False)
        return {
            "bound": reference(left),
            "noise": noise,
            "dots": estimate(left),
            "below": estimate(left),
            "here": choice(left),
            "looks": top.set_title("Ty", color=SOFT),
            "rug": top.plot([], [], "|", color=INK, alpha=0.3, ms=9, mew=0.8, in_layout=False)[0],
            "curve": estimate(top, line=True),
            "bars": bars,
            "numbers": [number(below) for _ in three],
        }

    def update(artists, model=FIRST, direction=1, bandwidth=0.1):
        j = direction - 1
        _, confidence, _, _ = sims.answers(model)
        hit = sims.answers(model)[0]
        mu, energy, own = sims.spectrum_of_rows(*sims.rows(model, bandwidth))
        colour, marker, text = MODELS[model]
        ends = np.array([1e-5, 2])
        artists["bound"].set_data(ends, ends * np.mean((confidence - hit) ** 2))
        artists["noise"].set_segments([[(m, 1e-9), (m, o)] for m, o in zip(mu, own, strict=True) if m > 1.3e-5])
        for name, seen, mark in (("dots", energy >= 1e-9, marker), ("below", energy < 1e-9, 11)):  # 11: points down
            seen = seen & (mu > 1.3e-5)
            artists[name].set_data(mu[seen], np.maximum(energy[seen], 2.2e-9))
            artists[name].set(color=colour, marker=mark, mec="white")
        artists["here"].set_data([mu[j] if mu[j] > ends[0] else np.nan], [energy[j]])
        artists["rug"].set_data(confidence, np.full(len(confidence), -1.0))
        artists["curve"].set_data(sims.GRID, sims.curves(model, bandwidth)[:, j])
        artists["curve"].set_color(colour)
        artists["looks"].set_text(f"direction {direction} looks at these confidences")
        parts = [sims.weights(mu, t, sims.REFERENCE) * energy for t in (0, 1, 2)]
        shares = [part[j] / part.sum() for part in parts]
        artists["bars"].set_segments([[(0.3, 2 - k), (0.3 + share, 2 - k)] for k, share in enumerate(shares)])
        artists["bars"].set_color(to_rgba(colour, 0.7))
        for k, (label, share) in enumerate(zip(artists["numbers"], shares, strict=True)):
            label.xy = (0.3 + share, 2 - k)
            label.set(text=f"{share:.0%}", color=text, position=(6, 0))
        ratio = energy[j] / own[j]
        return Finding(
            f"Direction {direction}: {shares[0]:.0%} of SKCE, {shares[2]:.0%} of CKCE{beside_noise(ratio)}",
            f"{model}, 1,079 digits, bandwidth γ = {bandwidth:g}, λ = {sims.REFERENCE:g}; {yellow_dot(mu[j], ends[0])} {ratio:.3g} times its noise",
            f"It makes {shares[1]:.0%} of CCE². Its eigenvalue is {mu[j]:.2g}, its energy {energy[j]:.1e}.".replace("e-", "e−"),
        )

    return explore(setup, update, size=(9, 4.8), model=CAST, direction=(1, 6, 1), bandwidth=sims.BANDWIDTHS,
                   labels={"bandwidth": "bandwidth γ"}, code=(sims.spectrum_of_rows, sims.weights))  # fmt: skip


def beside_noise(ratio):
    """What to add to a direction whose energy is so many times its noise."""
    return "" if ratio > CHI_SQUARE else ", maybe noise alone"


def yellow_dot(mu, left):
    """What to say of a direction's dot on an axis that begins at `left`."""
    return "the yellow dot is" if mu > left else "left of the axis,"


def _dial_axis(axes):
    axes.set_xticks([0, 1, 2], [f"{name}\nt = {t}" for t, name in enumerate(("SKCE", "CCE²", "CKCE"))])


def _parts(position, level, other):
    models = [sims.spectrum_of(name) for name in (FIRST, other)]
    return [sims.weights(each.eigenvalues, position, level) * each.energy for each in models]


def _elsewhere(position, level, other, ratio):
    """On how many of the other splits the model that is ahead is ahead."""
    count = sims.comes_back(FIRST, other, float(position), level)
    return count if ratio < 1 else len(sims.SPLITS) - count


def along_the_dial(dial, phi, delta, positions, lam):
    """The error at each position t of the dial: (a, b) goes from (0, 0) over (½, 1) to (0, 1)."""
    return np.array([dial(phi, delta, min(t, 2 - t) / 2, min(t, 1), lam) for t in positions])


def dial(function=None):
    """From SKCE through CCE² to CKCE: who is ahead, and which eigendirections of two models make their errors.

    Parameters
    ----------
    function : callable, optional
        Features (n, r), residuals (n,), a, b, λ -> the error; or what `check.dial.use` gives.
    """
    method = check.dial.use(function)

    @lru_cache
    def errors(model, level):
        return along_the_dial(method, *sims.rows(model), sims.POSITIONS, level)

    @lru_cache
    def swaps(other, level):
        lead = lambda t: np.subtract(
            *(along_the_dial(method, *sims.rows(name), [t], level)[0] for name in (FIRST, other))
        )
        ahead = np.sign(errors(FIRST, level) - errors(other, level))
        turns = np.flatnonzero(ahead[1:] * ahead[:-1] < 0)
        return [brentq(lead, *sims.POSITIONS[k : k + 2], xtol=1e-4) for k in turns]

    def setup(fig):
        for other in OTHERS:
            _parts(0, 1, other), sims.comes_back(FIRST, other, 0.0, 1.0)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(
            fig,
            grid[0],
            xlim=(-0.03, 2.03),
            ylim=(0.06, 8),
            yscale="log",
            ylabel="error of naive Bayes / error of the other",
        )
        _dial_axis(axes)
        axes.set_yticks([0.1, 0.3, 1, 3], ["1/10", "1/3", "1", "3"])
        axes.set_yticks([], minor=True)
        axes.axhspan(0.06, 1, color=MODELS[FIRST][0], alpha=0.05, lw=0, zorder=0)
        above = axes.axhspan(1, 8, alpha=0.05, lw=0, zorder=0)
        reference(axes, [-0.03, 2.03], [1, 1])
        words(axes, 0.02, 0.075, f"{FIRST} looks better", colour=MODELS[FIRST][2], ha="left")
        curve = estimate(axes, model=FIRST, line=True, lw=3)
        return {"above": above, "curve": curve, "ghost": Ghost(curve), "crossing": estimate(axes, color=INK, ms=9),
                "name": words(axes, 0.02, 6.3, "", ha="left"), "dot": choice(axes), "times": number(axes),
                "where": [number(axes, offset=(0, -15), ha="center", size=12) for _ in range(3)],
                "shares": Shares(fig, grid[1])}  # fmt: skip

    def update(artists, other=OTHERS[0], position=0.0, level=0.001):
        artists["shares"].update((FIRST, other), _parts(position, level, other))
        along = np.array([errors(name, level) for name in (FIRST, other)])
        totals = along[:, np.abs(sims.POSITIONS - position).argmin()]
        ratio, found = totals[0] / totals[1], swaps(other, level)
        artists["above"].set_color(to_rgba(MODELS[other][0], 0.05))
        artists["name"].set(text=f"{other} looks better", color=MODELS[other][2])
        curve = along[0] / along[1]
        artists["curve"].set_data(sims.POSITIONS, curve)
        artists["crossing"].set_data(found, np.ones(len(found)))
        for k, label in enumerate(artists["where"]):
            hidden = k >= len(found) or (abs(found[k] - position) < 0.35 and abs(np.log(ratio)) < 0.4)  # by the dot
            label.set_text("" if hidden else f"{found[k]:.2f}")
            label.xy = (found[k] if k < len(found) else 0, 1)
            label.set_ha("right" if (curve[0] > 1) == (k % 2 == 0) else "left")  # where the curve is not
        artists["dot"].set_data([position], [ratio])
        artists["times"].xy = (position, ratio)
        left = position > 1
        beside = np.interp(position + (-0.25 if left else 0.25), sims.POSITIONS, curve)
        artists["times"].set(text=_times(ratio), color=MODELS[other if ratio > 1 else FIRST][2],
                             ha="right" if left else "left", position=(-9 if left else 9, -16 if beside > ratio else 16))  # fmt: skip
        count = _elsewhere(position, level, other, ratio)
        where = " and ".join(f"t = {t:.2f}" for t in found)
        swapped = f"They change places at {where}" if where else "They do not change places on this dial"
        return Finding(
            here_or_everywhere(f"{who_is_ahead(FIRST, other, ratio)} {_by(position)}", count),
            f"{_place(position)}, λ = {level:g}: this order in {count} of {len(sims.SPLITS)} other splits; curve by {method.by}",
            f"{capital(FIRST)} has {totals[0]:.4g}, {other} {totals[1]:.4g}. {swapped}.",
        )

    return explore(setup, update, size=(9, 4.6), **DIAL, code=along_the_dial)


def _deepest(inside):
    """The cell of a map that lies furthest from all that is not `inside`; None if a name would have no room."""
    depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    return np.unravel_index(depth.argmax(), depth.shape) if depth.max() >= 4 else None


def ranking_flips():
    """Every setting of the dial at once: where one model is better, where the other, and which directions decide."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        left = panel(fig, grid[0], ylabel="penalty λ")
        log_levels = np.log10(sims.MAP_LEVELS)
        models = {
            name: (sims.spectrum_of(name).eigenvalues, sims.spectrum_of(name).energy) for name in (FIRST, *OTHERS)
        }
        maps = {
            other: sims.log_ratio(models[FIRST], models[other], sims.POSITIONS, sims.MAP_LEVELS) for other in OTHERS
        }
        often = [len(sims.SPLITS) - OFTEN + 0.5, OFTEN - 0.5]
        open_ = {"levels": often, "colors": INK, "linestyles": [(0, (4, 3))], "linewidths": 1, "zorder": 3}
        ink = {"levels": [0], "colors": INK, "zorder": 3}
        found = {"maps": {}, "lines": {}, "open": {}, "names": {}}
        for other, each in maps.items():
            found["maps"][other] = WinnerMap(
                left, (2, 2), MODELS[other][0], MODELS[FIRST][0], x=(0, 2), y=tuple(log_levels[[0, -1]])
            )
            found["maps"][other].update(each / 1.1)
            found["lines"][other] = left.contour(sims.POSITIONS, log_levels, each, **ink)
            found["open"][other] = left.contour(sims.POSITIONS, log_levels, sims.comes_back_map(FIRST, other), **open_)
            found["names"][other] = []
            for name, inside in ((other, each > 0), (FIRST, each < 0)):
                if (cell := _deepest(inside)) is not None:
                    x = np.clip(sims.POSITIONS[cell[1]], 0.45, 1.55)
                    text = name.replace(" r", "\nr") + "\nlooks better"
                    found["names"][other] += [
                        words(left, x, log_levels[cell[0]], text, colour=MODELS[name][2], bbox=PAPER)
                    ]
        _dial_axis(left)
        left.set_yticks(range(-3, 2), ["0.001", "0.01", "0.1", "1", "10"])
        return found | {"here": choice(left), "times": number(left, bbox=PAPER), "shares": Shares(fig, grid[1])}

    def update(artists, other=OTHERS[0], position=2.0, level=0.001):
        for name in OTHERS:
            for each in (
                *artists["maps"][name].artists,
                artists["lines"][name],
                artists["open"][name],
                *artists["names"][name],
            ):
                each.set_visible(name == other)
        for each in artists["names"][other]:
            x, y = each.get_position()
            each.set_visible(abs(x - position) > 0.7 or abs(y - np.log10(level)) > 0.7)  # not under the reader's dot
        parts = _parts(position, level, other)
        totals = [part.sum() for part in parts]
        artists["shares"].update((FIRST, other), parts)
        ratio, y = totals[0] / totals[1], np.log10(level)
        artists["here"].set_data([position], [y])
        artists["times"].xy = (position, y)
        left = position > 1
        artists["times"].set(text=_times(ratio), ha="right" if left else "left", color=MODELS[other if ratio > 1 else FIRST][2],
                             position=(-9 if left else 9, 14 if y < 0 else -14))  # fmt: skip
        deciding = []
        for name, part, total in zip((FIRST, other), parts, totals, strict=True):
            mu = sims.spectrum_of(name).eigenvalues
            deciding.append(f"{part.max() / total:.0%} from μ = {mu[part.argmax()]:.3g}")
        count = _elsewhere(position, level, other, ratio)
        return Finding(
            here_or_everywhere(f"{who_is_ahead(FIRST, other, ratio)} {_by(position)}", count),
            f"{_place(position)}, λ = {level:g}: this order in {count} of {len(sims.SPLITS)} other splits; between dashes fewer than {OFTEN}",
            f"{capital(FIRST)} {totals[0]:.4g} ({deciding[0]}), {other} {totals[1]:.4g} ({deciding[1]}). On the black line they are "
            "equal in this split.",
        )

    return explore(setup, update, size=(9, 4.7), **DIAL, code=(sims.weights, sims.log_ratio))


def what_moves(by_shift, by_level):
    """Which errors other data move and which another λ moves, in words, from factors at SKCE and at CKCE."""
    big = [max(f, 1 / f) for f in (*by_shift, *by_level)]
    if max(big) < NEARLY:
        return "Nothing moved: the data and λ are as they were"
    if max(big[:2]) < NEARLY:
        return f"The same data, another λ: CKCE × {by_level[1]:.3g}"
    if max(big[2:]) < NEARLY:
        return f"The same λ, other data: SKCE × {by_shift[0]:.3g}, CKCE × {by_shift[1]:.3g}"
    return f"Other data: SKCE × {by_shift[0]:.3g}. Another λ: CKCE × {by_level[1]:.3g}"


def two_ends():
    """What moves an error along the dial: other frequencies of confidences, or another λ."""
    cells = np.linspace(0, 1, 21)

    def setup(fig):
        for name in SHIFTED:
            for level in FEW_LEVELS:
                sims.along(name, level)
                for shift in np.arange(sims.SHIFTS[0], sims.SHIFTS[1] + 1e-9, sims.SHIFTS[2]):
                    sims.tilted_along(name, float(shift), level)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(
            fig, grid[0], xlim=(-0.05, 2.05), ylim=(0.12, 180), yscale="log", ylabel="the error is multiplied by"
        )
        _dial_axis(left)
        left.set_yticks([1, 10, 100], ["1", "10", "100"])
        left.set_yticks([], minor=True)
        reference(left, [-0.05, 2.05], [1, 1])
        right = panel(fig, grid[1], read_y=False, xlim=(0, 1), ylim=(0, 1.25), xlabel="confidence")
        right.set_xticks([0.25, 0.5, 0.75, 1], ["0.25", "0.5", "0.75", "1"])
        words(right, 0.02, 1.14, "bars: other data", ha="left")
        words(right, 0.02, 1.02, "line: the data as they are", ha="left")
        lines = [estimate(left, line=True, lw=3), estimate(left, line=True, lw=3)]
        return {"before": right.stairs(np.ones(20), cells, color=INK, lw=1.5),
                "after": right.stairs(np.ones(20), cells, fill=True, alpha=0.4), "lines": lines,
                "ghosts": [Ghost(line) for line in lines], "dots": [estimate(left, ms=11) for _ in lines],
                "numbers": [number(left, bbox=PAPER) for _ in range(3)]}  # fmt: skip

    def update(artists, model=SHIFTED[0], shift=-1.0, level=0.001):
        _, confidence, _, _ = sims.answers(model)
        weights = np.ones(len(confidence)), sims.tilt(confidence, shift)
        share = [np.histogram(confidence, cells, weights=w)[0] / len(confidence) for w in weights]
        for name, heights in zip(("before", "after"), share, strict=True):
            artists[name].set_data(heights / np.max(share))
        colour, marker, text = MODELS[model]
        artists["after"].set_facecolor(to_rgba(colour, 0.4))
        as_is = sims.along(model, level)
        factors = sims.tilted_along(model, shift, level) / as_is, as_is / sims.along(model, USUAL)
        moved, by_level = factors
        for k, (line, dots, values) in enumerate(zip(artists["lines"], artists["dots"], factors, strict=True)):
            line.set_data(sims.POSITIONS, values)
            line.set_color(to_rgba(colour, (1, 0.5)[k]))
            dots.set_data([0, 1, 2], values[[0, 20, 40]])
            dots.set(marker=marker, color=colour, mfc=(colour, "white")[k], mec=("white", colour)[k], mew=(1, 2)[k])
        what = "same data" if shift == 0 else "other data", "same λ" if level == USUAL else "another λ"
        first = moved[-1] > by_level[-1]  # which of the two at CKCE is written above
        for label, t, value, name, above in zip(
            artists["numbers"], (0, 2, 2), (moved[0], moved[-1], by_level[-1]), (what[0], what[0], what[1]),
            (moved[0] >= 1, first, not first), strict=True
        ):  # fmt: skip
            label.xy = (t, value)
            label.set(text=f"{name} × {value:.3g}", color=text, ha="right" if t else "left",
                      position=(-4 if t else 4, 18 if above else -18))  # fmt: skip
        mean, instead = confidence @ weights[1] / len(confidence), "" if level == USUAL else f" and not {USUAL:g}"
        said = f"Other data: CCE² × {moved[20]:.3g}" + f", CKCE × {moved[-1]:.3g}. Another λ: CCE² × {by_level[20]:.3g}" * bool(instead)
        return Finding(
            what_moves(moved[[0, -1]], by_level[[0, -1]]),
            f"{model}, λ = {level:g}{instead}; shift {shift:g}: mean confidence {confidence.mean():.3f}, now {mean:.3f}".replace(
                "-", "−"
            ),
            f"{said}.",
        )

    return explore(setup, update, size=(9, 4.6), model=SHIFTED, shift=sims.SHIFTS, level=FEW_LEVELS,
                   labels={"level": "λ", "shift": "shift of confidences"}, code=sims.tilt)  # fmt: skip
