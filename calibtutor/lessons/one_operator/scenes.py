"""Scenes: four errors of two models, the spectrum, the dial through it, and the images that decide."""

from functools import lru_cache

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch
from scipy.optimize import brentq

from ...plots import (CHANCE_BARS, INK, MODELS, SMALL, SOFT, Finding, bars_between, estimate, misses, panel, reference,
                      words)
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared.spectra_of_digits import CAST, LEVELS, THREE, answers, rows, spectrum_of, spectrum_of_rows, weights
from ..shared.verdicts import capital
from . import simulations as sims
from .exercises import check
from .simulations import FIRST, OTHERS

__all__ = ["dial", "four_formulas", "spectrum", "whose_arrows", "your_bins"]

PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
NEARLY = 1.05  # two errors with a smaller ratio are called nearly equal
OFTEN = 18  # an order that fewer of the 20 other splits have is said to be one of this split
SHOWN = 6  # directions of a spectrum
GRID = np.linspace(0.2, 1, 161)  # confidences at which functions are drawn
CUTS = [0.7, 0.9, 0.95, 0.99, 0.999]


def _short(value):
    return (f"{value:.4f}" if abs(value) >= 1e-4 else f"{value:.0e}").replace("-", "−")


# --- the opening ---


def ratios(first, second, first_elsewhere, second_elsewhere):
    """One model's errors, (k,), over another's, and how many of their errors on other splits, (k, splits), agree."""
    ratio = first / second
    agree = (first_elsewhere < second_elsewhere) == (ratio < 1)[:, None]
    return ratio, agree.sum(axis=1)


def four_formulas():
    """The same two models by four errors, one of them with two λ: which model looks better, and how often."""
    columns = [name if lam is None else f"{name}\nλ = {lam:g}" for name, lam in sims.COLUMNS]

    def setup(fig):
        for name in (FIRST, *OTHERS):
            sims.five_errors(name), sims.five_on_splits(name)
        axes = panel(fig, xlim=(-0.5, 4.6), ylim=(0.05, 6), yscale="log", ylabel="error of naive Bayes / error of the other")
        axes.set_yticks([0.1, 0.3, 1, 3], ["1/10", "1/3", "1", "3"])
        axes.set_yticks([], minor=True)
        axes.set_xticks(range(5), columns)
        axes.tick_params(axis="x", length=0, labelcolor=INK)
        axes.axhspan(0.05, 1, color=MODELS[FIRST][0], alpha=0.05, lw=0, zorder=0)
        reference(axes, [-0.5, 4.6], [1, 1])
        words(axes, -0.45, 0.062, f"{FIRST} looks better", colour=MODELS[FIRST][2], ha="left")
        beside = lambda offset, **more: [number(axes, offset=offset, **more) for _ in columns]
        return {"above": axes.axhspan(1, 6, alpha=0.05, lw=0, zorder=0),
                "name": words(axes, -0.45, 4.9, "", ha="left"), "marks": [estimate(axes, ms=15) for _ in columns],
                "times": beside((14, 0), bbox=PAPER), "values": beside((0, -17), ha="center", colour=SOFT, size=SMALL)}

    def update(artists, other=OTHERS[0]):
        here, elsewhere = ([f(name) for name in (FIRST, other)] for f in (sims.five_errors, sims.five_on_splits))
        ratio, count = ratios(*here, *elsewhere)
        artists["above"].set_color(to_rgba(MODELS[other][0], 0.05))
        artists["name"].set(text=f"{other} looks better", color=MODELS[other][2])
        for k, (mark, times, values) in enumerate(zip(*(artists[each] for each in ("marks", "times", "values")), strict=True)):
            colour, marker, text = MODELS[other if ratio[k] > 1 else FIRST]
            inside, rim, width = (colour, "white", 1) if count[k] >= OFTEN else ("white", colour, 2)
            mark.set(data=([k], [ratio[k]]), marker=marker, color=colour, mfc=inside, mec=rim, mew=width)
            tell(times, (k, ratio[k]), _times(ratio[k]), color=text)
            tell(values, (k, ratio[k]), f"{_short(here[0][k])} / {_short(here[1][k])}")
        ahead = int((ratio < 1).sum())
        often = ", ".join(f"{' '.join(name.split())}: {n}" for name, n in zip(columns, count, strict=True))
        return Finding(f"{capital(FIRST)} looks better by {ahead} of the five, {other} by {5 - ahead}",
                       "1,079 digits; small numbers: both errors; filled: most other splits have this order, too",
                       f"Other splits with this order: {often}.")

    return explore(setup, update, size=(9, 4.6), other=OTHERS, labels={"other": "naive Bayes against"}, code=ratios)


# --- three errors from bins ---


def your_bins():
    """Bins as blocks, as wide as they are common and as high as their gap; and what the fullest makes of each error."""

    def setup(fig):
        for model in CAST:
            answers(model)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, grid[0], xlim=(0, 1), ylim=(0, 1), xlabel="mass: share of the images, bin after bin",
                     ylabel="gap: size of the mean of p − Y", y=[0, 0.5, 1], x=[0, 0.5, 1])
        blocks, fullest = (left.fill_between([0, 1], [0, 0], step="post", lw=0.8, ec="white") for _ in range(2))
        below = panel(fig, grid[1], read_y=False, xlim=(0, 2.05), ylim=(-0.6, 2.9), xticks=[], base=False)
        below.set_title("share of the fullest bin in each error", color=SOFT)
        for k, name in enumerate(THREE):
            words(below, 0.28, 2 - k, name, ha="right")
        bars = below.hlines([], [], [], lw=18)
        return {"blocks": blocks, "fullest": fullest, "bars": bars, "numbers": [number(below) for _ in THREE],
                "values": [words(below, 0.3, 1.62 - k, "", ha="left", colour=SOFT, size=SMALL) for k in range(3)]}

    def update(artists, model="naive Bayes", bins=10):
        hit, confidence, _ = answers(model)
        mass, gap = sims.mass_and_gap(confidence, hit, bins)
        top = mass.argmax()
        three = sims.along_with_bins(mass, gap, [0, 1, 2])
        shares = sims.along_with_bins(mass[[top]], gap[[top]], [0, 1, 2]) / three
        colour, _, text = MODELS[model]
        edges, heights = np.r_[0, np.cumsum(mass)], np.abs(gap)
        for name, kept, alpha in (("blocks", mass != mass[top], 0.35), ("fullest", mass == mass[top], 1)):
            artists[name].set_verts(np.array(bars_between(edges, 0 * heights, heights))[kept])
            artists[name].set(facecolor=colour, alpha=alpha)
        artists["bars"].set_segments([[(0.3, 2 - k), (0.3 + share, 2 - k)] for k, share in enumerate(shares)])
        artists["bars"].set_color(colour)
        for k, (label, value, share) in enumerate(zip(artists["numbers"], artists["values"], shares, strict=True)):
            tell(label, (0.3 + share, 2 - k), _share(share), color=text, position=(6, 0))
            value.set_text(f"of {np.format_float_positional(three[k], 3, fractional=False, trim='-')}")
        return Finding(f"The fullest bin makes {_share(shares[0])} of SKCE, {_share(shares[2])} of CKCE",
                       f"{model}, {len(mass)} of {bins} bins not empty, λ = 0",
                       f"It holds {mass[top]:.1%} of the images with a gap of {abs(gap[top]):.3f}.")

    return explore(setup, update, size=(9, 4.2), model=list(CAST), bins=[1, 2, 5, 10, 20, 100], code=(sims.mass_and_gap, sims.along_with_bins))


# --- the dial ---

DIRECTIONS = 11  # of each model are drawn on the dial's spectrum, as far as their eigenvalues are on its axis
LEFT = -4  # that axis, in powers of ten
ALONG = np.linspace(LEFT, 0, 41)


def weight_curve(position, level):
    """log₁₀ of what a direction of eigenvalue 10^x counts, over the largest of it, at the places x of ALONG."""
    heights = np.log10(weights(10**ALONG, position, level))
    return heights - heights.max()


def lit(heights):
    """How bright a direction shines, from log₁₀ of its weight over the largest."""
    return 0.2 + 0.8 * 10 ** (heights / 4)


def shares_of_two(fig, spec):
    """What a direction counts over its eigenvalue, and which directions make the errors of two models; all in powers of ten."""
    rows = spec.subgridspec(3, 1, hspace=0.02, height_ratios=[0.8, 1, 1])
    axes = panel(fig, rows[0], xlim=(LEFT, 1.2), ylim=(-6.3, 0.6), xticks=[])
    axes.set_yticks([-6, -3, 0], ["10⁻⁶", "10⁻³", "1"])
    axes.set_title("weight of a direction", color=SOFT, loc="left", fontsize=11)
    parts = [truth(axes), reference(axes), choice(axes), words(axes, 0, -4.6, "", ha="left")]
    for k in range(2):
        axes = panel(fig, rows[1 + k], read_y=False, xlim=(LEFT, 1.2), ylim=(0, 1.9))
        axes.set_xticks(*([-3, -2, -1, 0, 1], ["0.001", "0.01", "0.1", "1", "10"]) if k else [[]])
        if k:
            axes.set_xlabel("rare or fine  ←  eigenvalue μ")
        else:
            axes.set_title("share of the error in each direction", color=SOFT, loc="left", fontsize=11)
        name = words(axes, 0, 1, "", ha="left", va="top", transform=axes.transAxes, size=SMALL)
        parts.append((misses(axes, lw=7, zorder=2), name, number(axes, offset=(0, 9), ha="center")))
    return parts


def show_shares(artists, names, parts, position, level):
    """Move `shares_of_two`."""
    weight, rule, here, written, *models = artists
    curve, x = weight_curve(position, level), np.log10(level)
    weight.set_data(ALONG, curve)
    rule.set_data([x, x], [-6.3, 0.6])
    here.set_data([x], [-6.3])
    written.set(text=f"λ = {level:g}", x=x - 0.15 if x > -1 else x + 0.15, ha="right" if x > -1 else "left")
    for (bars, name, largest), model, part in zip(models, names, parts, strict=True):
        colour, _, text = MODELS[model]
        mu, share = spectrum_of(model).eigenvalues[:DIRECTIONS], (part / part.sum())[:DIRECTIONS]
        seen = mu >= 1.2e-4
        at, share = np.where(seen, np.log10(np.maximum(mu, 1e-9)), LEFT), np.where(seen, share, 0)
        bars.set_segments([[(m, 0), (m, s)] for m, s in zip(at, share, strict=True)])
        bars.set_color([to_rgba(colour, each) for each in lit(np.interp(at, ALONG, curve))])
        name.set(text=f"{model}: {part.sum():.3g}".replace("-", "−"), color=text)
        top = share.argmax()
        tell(largest, (at[top], share[top]), f"{share[top]:.0%}", color=text)


def who_is_ahead(first, second, ratio):
    """Which of two models looks better and how many times, from the first's error over the second's."""
    if max(ratio, 1 / ratio) < NEARLY:
        return f"{capital(first)} and {second} nearly equal"
    ahead, times = (second, ratio) if ratio > 1 else (first, 1 / ratio)
    return f"{capital(ahead)} looks {times:.{int(times < 9.95)}f} times better"


def _times(ratio):
    return f"{max(ratio, 1 / ratio):.1f} ×"


def spectrum():
    """Each eigendirection of C: where it looks, how common it is, and what it and its noise add to three errors."""
    heights = SHOWN - np.arange(SHOWN)

    def setup(fig):
        for name in CAST:
            spectrum_of(name), rows(name)
        grid = fig.add_gridspec(1, 5, width_ratios=[2.1, 0.75, 1, 1, 1], wspace=0.06)
        looks = panel(fig, grid[0], read_y=False, xlim=(0.15, 1.01), ylim=(0.1, SHOWN + 0.6), xlabel="confidence p",
                      x=[0.2, 0.6, 1])
        looks.set_title("direction j, $v_j(p)$", color=SOFT, fontsize=12)
        for j, y in enumerate(heights, 1):
            reference(looks, [0.2, 1], [y, y], lw=0.8)
            words(looks, 0.165, y, str(j), bold=True)
        middle = panel(fig, grid[1], read_y=False, xlim=(0, 1), ylim=(0.1, SHOWN + 0.6), xticks=[], base=False)
        middle.set_title("$\\mu_j$", color=SOFT, fontsize=12)
        bars, noise, numbers = [], [], []
        for k, name in enumerate(THREE):
            axes = panel(fig, grid[2 + k], read_y=False, xlim=(0, 1.65), ylim=(0.1, SHOWN + 0.6), xticks=[], base=False)
            axes.set_title(f"share of {name}", color=SOFT, fontsize=12)
            axes.axvline(0, color=SOFT, lw=0.8)
            bars.append(misses(axes, lw=17, zorder=2))
            noise.append(misses(axes, lw=9, colors=CHANCE_BARS, zorder=5))
            numbers.append([number(axes, size=12) for _ in heights])
        return {"curves": [estimate(looks, line=True) for _ in heights], "bars": bars, "noise": noise, "numbers": numbers,
                "rug": looks.plot([], [], "|", color=INK, alpha=0.3, ms=9, mew=0.8, in_layout=False)[0],
                "mu": [words(middle, 0.5, y, "") for y in heights]}

    def update(artists, model=FIRST, level=0.01):
        mu, energy, own = (each[: len(spectrum_of(model).eigenvalues)] for each in spectrum_of_rows(*rows(model)))
        colour, _, text = MODELS[model]
        confidence = answers(model)[1]
        functions = spectrum_of(model).eigenfunctions(GRID)
        artists["rug"].set_data(confidence, np.full(len(confidence), 0.28))
        for j, (curve, label) in enumerate(zip(artists["curves"], artists["mu"], strict=True)):
            curve.set_data(GRID, heights[j] + 0.42 * functions[:, j] / np.abs(functions[:, j]).max())
            curve.set_color(colour)
            label.set_text(f"{mu[j]:.2g}" if mu[j] >= 1e-3 else f"{mu[j]:.4f}")
        shares, noisy = [], []
        for t, (bars, noise, numbers) in enumerate(zip(*(artists[k] for k in ("bars", "noise", "numbers")), strict=True)):
            part, chance = (weights(mu, t, level) * each for each in (energy, own))
            shares.append(part / part.sum()), noisy.append(chance / part.sum())
            bars.set_segments([[(0, y), (share, y)] for y, share in zip(heights, shares[t], strict=False)])
            noise.set_segments([[(0, y), (share, y)] for y, share in zip(heights, noisy[t], strict=False)])
            bars.set_color(to_rgba(colour, 0.75))
            for label, y, share, chance in zip(numbers, heights, shares[t], noisy[t], strict=False):
                at = min(max(share, chance), 1.15), y  # noise can be more than all, and the next panel is near
                tell(label, at, f"{share:.0%}", color=text, position=(5, 0))
        top = shares[2].argmax()
        return Finding(f"Direction 1 makes {shares[0][0]:.0%} of the SKCE, {shares[2][0]:.0%} of the CKCE",
                       f"{model}, 1,079 digits, λ = {level:g}; grey: noise; lowest strip: the confidences",
                       f"The largest part of the CKCE, {shares[2][top]:.1%}, comes from direction {top + 1}. "
                       f"In all, noise is {noisy[0].sum():.1%} of the SKCE and {noisy[2].sum():.1%} of the CKCE.")

    return explore(setup, update, size=(9.5, 5), model=list(CAST), level=LEVELS, labels={"level": "λ"},
                   code=(spectrum_of_rows, weights))


def _parts(position, level, other):
    models = [spectrum_of(name) for name in (FIRST, other)]
    return [weights(each.eigenvalues, position, level) * each.energy for each in models]


def along_the_dial(dial, phi, delta, positions, lam):
    """The error at each position t of the dial: (a, b) goes from (0, 0) over (½, 1) to (0, 1)."""
    return np.array([dial(phi, delta, min(t, 2 - t) / 2, min(t, 1), lam) for t in positions])


def dial(function=None):
    """From SKCE through CCE² to CKCE: who is ahead, and which eigendirections of two models make their errors.

    `function`, the reader's, takes features (n, r), residuals (n,), a, b, λ; or it is what `check.dial.use` gives.
    """
    method = check.dial.use(function)

    @lru_cache
    def errors(model, level):
        return along_the_dial(method, *rows(model), sims.POSITIONS, level)

    @lru_cache
    def swaps(other, level):
        lead = lambda t: np.subtract(*(along_the_dial(method, *rows(name), [t], level)[0] for name in (FIRST, other)))
        ahead = np.sign(errors(FIRST, level) - errors(other, level))
        turns = np.flatnonzero(ahead[1:] * ahead[:-1] < 0)
        return [brentq(lead, *sims.POSITIONS[k : k + 2], xtol=1e-4) for k in turns]

    def in_hand():
        table = {"positions": sims.POSITIONS.tolist(), "levels": LEVELS, "first": FIRST, "others": {}, "spectra": {},
                 "directions": DIRECTIONS, "along": ALONG.tolist(), "splits": len(sims.SPLITS), "often": OFTEN, "by": method.by}
        for name in (FIRST, *OTHERS):
            each = spectrum_of(name)
            table["spectra"][name] = {"mu": each.eigenvalues.tolist(), "energy": each.energy.tolist(),
                                      "errors": [errors(name, level).tolist() for level in LEVELS]}
        for other in OTHERS:
            table["others"][other] = [
                {"swaps": swaps(other, level), "ahead": [sims.comes_back(FIRST, other, float(t), level) for t in sims.POSITIONS]}
                for level in LEVELS]
        return table

    def setup(fig):
        for other in OTHERS:
            _parts(0, 1, other), sims.comes_back(FIRST, other, 0.0, 1.0)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        low, high = np.log10([0.06, 8])  # powers of ten, as the page has them
        axes = panel(fig, grid[0], xlim=(-0.03, 2.03), ylim=(low, high), ylabel="error of naive Bayes / error of the other")
        axes.set_xticks([0, 1, 2], [f"{name}\nt = {t}" for t, name in enumerate(THREE)])
        axes.set_yticks(np.log10([0.1, 0.3, 1, 3]), ["1/10", "1/3", "1", "3"])
        axes.axhspan(low, 0, color=MODELS[FIRST][0], alpha=0.05, lw=0, zorder=0)
        above = axes.axhspan(0, high, alpha=0.05, lw=0, zorder=0)
        reference(axes, [-0.03, 2.03], [0, 0])
        words(axes, 0.02, np.log10(0.075), f"{FIRST} looks better", colour=MODELS[FIRST][2], ha="left")
        curve = estimate(axes, model=FIRST, line=True, lw=3)
        return {"above": above, "curve": curve, "ghost": Ghost(curve), "crossing": estimate(axes, color=INK, ms=9),
                "name": words(axes, 0.02, np.log10(6.3), "", ha="left"), "dot": choice(axes), "times": number(axes),
                "where": [number(axes, offset=(0, -15), ha="center", size=12) for _ in range(3)],
                "shares": shares_of_two(fig, grid[1])}

    def update(artists, other=OTHERS[0], position=0.0, level=0.001):
        show_shares(artists["shares"], (FIRST, other), _parts(position, level, other), position, level)
        along = np.array([errors(name, level) for name in (FIRST, other)])
        totals = along[:, np.abs(sims.POSITIONS - position).argmin()]
        ratio, found = totals[0] / totals[1], swaps(other, level)
        artists["above"].set_color(to_rgba(MODELS[other][0], 0.05))
        artists["name"].set(text=f"{other} looks better", color=MODELS[other][2])
        curve, height = np.log10(along[0] / along[1]), np.log10(ratio)
        artists["curve"].set_data(sims.POSITIONS, curve)
        artists["crossing"].set_data(found, np.zeros(len(found)))
        for k, label in enumerate(artists["where"]):
            hidden = k >= len(found) or (abs(found[k] - position) < 0.35 and abs(height) < 0.17)  # by the dot
            tell(label, (found[k] if k < len(found) else 0, 0), "" if hidden else f"{found[k]:.2f}",
                 ha="right" if (curve[0] > 0) == (k % 2 == 0) else "left")  # where the curve is not
        artists["dot"].set_data([position], [height])
        side = -1 if position > 1 else 1
        beside = np.interp(position + 0.25 * side, sims.POSITIONS, curve)
        tell(artists["times"], (position, height), _times(ratio), color=MODELS[other if ratio > 1 else FIRST][2],
             ha="left" if side > 0 else "right", position=(9 * side, -16 if beside > height else 16))
        count, name = sims.comes_back(FIRST, other, float(position), level), dict(enumerate(THREE)).get(position)
        count = count if ratio < 1 else len(sims.SPLITS) - count
        by = f"by {name}" if name else f"at t = {position:.3g}"
        where = " and ".join(f"t = {t:.2f}" for t in found)
        swapped = f"They change places at {where}" if where else "They do not change places on this dial"
        return Finding(
            f"{who_is_ahead(FIRST, other, ratio)} {by}{'' if count >= OFTEN else ', in this split'}",
            f"t = {position:.3g}{f' ({name})' if name else ''}, λ = {level:g}: this order in {count} of "
            f"{len(sims.SPLITS)} other splits; curve by {method.by}",
            f"{capital(FIRST)} has {totals[0]:.4g}, {other} {totals[1]:.4g}. {swapped}.")

    return explore(setup, update, size=(9, 5), other=OTHERS, position=(0.0, 2.0, 0.05), level=LEVELS, code=along_the_dial,
                   labels={"level": "λ", "position": "position t", "other": "naive Bayes against"},
                   hand=Hand("dial", __file__, in_hand, 1.8))


# --- which images decide ---


def in_the_plane(group, others):
    """Where two arrows (r,), put head to tail, end in the plane that they span: their sum ends at (1, 0)."""
    total = group + others
    size = np.linalg.norm(total)
    along = others @ total / size**2
    across = np.linalg.norm(others - along * total) / size
    return np.array([along, across])  # the others' head, where the group's arrow begins


def whose_arrows(function=None):
    """The arrows of two groups of images, head to tail, in the SKCE and in the CKCE.

    `function`, the reader's, takes features (n, r), residuals (n,), λ and gives (n, r); or what `check.arrows.use` gives.
    """
    method = check.arrows.use(function)

    def setup(fig):
        for name in CAST:
            rows(name)
        grid, panels = fig.add_gridspec(1, 2), []
        for k, name in enumerate(("SKCE", "CKCE")):
            axes = panel(fig, grid[k], read_y=False, xlim=(-0.12, 1.12), ylim=(-0.2, 0.34), xticks=[], aspect="equal")
            axes.spines["bottom"].set_visible(False)
            axes.set_title(name, color=INK)
            arrows = [FancyArrowPatch((0, 0), (1, 0), arrowstyle="-|>", mutation_scale=17, shrinkA=0, shrinkB=0, lw=lw,
                                      color=colour, zorder=z) for lw, colour, z in ((1.6, INK, 3), (3.4, SOFT, 4), (3.4, SOFT, 5))]
            for each in arrows:
                axes.add_patch(each)
            texts = [words(axes, 0.5, y, text, bold=bold) for y, text, bold in ((-0.06, "all images", 0), (-0.16, "", 1), (0, "", 1))]
            panels.append((arrows, reference(axes, lw=1), texts))
        return {"panels": panels}

    def update(artists, model=FIRST, cut=0.99, level=0.01):
        phi, delta = rows(model)
        above, colour = answers(model)[1] > cut, MODELS[model]
        each = phi * delta[:, None] / len(delta), np.asarray(method(phi, delta, level), float)
        joints = [in_the_plane(single[above].sum(axis=0), single[~above].sum(axis=0)) for single in each]
        scale = min(1, 0.22 / max(joint[1] for joint in joints))  # high arrows are drawn smaller
        shares = [1 - joint[0] for joint in joints]
        for (arrows, drop, texts), joint in zip(artists["panels"], joints, strict=True):
            start, bend, end = ([0.5 + scale * (x - 0.5), scale * y] for x, y in ((0, 0), joint, (1, 0)))
            for arrow, ends in zip(arrows, ((start, end), (start, bend), (bend, end)), strict=True):
                arrow.set_positions(*ends)
                arrow.set_visible(np.hypot(*np.subtract(*ends)) > 0.02)  # a shorter one would be all head
            arrows[2].set_color(colour[0])
            drop.set_data([bend[0]] * 2, [0, bend[1]])
            texts[1].set(text=f"above {cut:g}: {_share(1 - joint[0])}", color=colour[2])
            texts[2].set(y=bend[1] + 0.06, text=f"not above: {_share(joint[0])}", color=SOFT)
        return Finding(f"Above {cut:g}: {_share(shares[0])} of the SKCE, {_share(shares[1])} of the CKCE",
                       f"{model}, {above.sum():,} of 1,079 images above, λ = {level:g}; arrows by {method.by}",
                       "Grey: images not above; in colour: those above. A share is a part of the arrow of all images.")

    return explore(setup, update, size=(9, 3), model=list(CAST), cut=CUTS, level=LEVELS, labels={"level": "λ"},
                   code=in_the_plane)


def _share(share):
    """A share in percent, with a real minus; small ones, and what is nearly all, with a decimal."""
    return (f"{share:.1%}" if abs(share) < 0.095 or 0.995 <= share < 1 - 1e-9 else f"{share:.0%}").replace("-", "−")
