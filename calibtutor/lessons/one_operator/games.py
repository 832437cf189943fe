"""Scenes with bins: what the fullest bin makes of three errors, and a ranking to flip."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_cast
from ...plots import (
    GREY,
    INK,
    MODELS,
    SMALL,
    SOFT,
    Finding,
    bars_between,
    choice,
    estimate,
    number,
    panel,
    reference,
    words,
)
from ...teach.explore import explore
from ..shared.spectra_of_digits import CAST, THREE, answers
from ..shared.tally import Tally
from ..shared.verdicts import capital
from . import simulations as sims

__all__ = ["flip_the_ranking", "your_bins"]

BINS = [1, 2, 5, 10, 20, 100]
NOBODY, NEVER, EARLY, LATE = "choose an answer", "never", "before CCE² (t below 1)", "after CCE² (t above 1)"
DIGITS, FEW_BINS = 300, 5
CLEAR = 1.3  # a pair of models is asked about only if its ends are so far from equal
FLIP = (0.15, 0.85, 1.15, 1.85)  # and it flips well inside one of the halves, if it does


def mass_and_gap(confidence, hit, n_bins):
    """Share of the data in each bin of equal width that is not empty, and the mean residual there."""
    bins = np.minimum((n_bins * confidence).astype(int), n_bins - 1)
    mass = np.bincount(bins, minlength=n_bins) / len(bins)
    total = np.bincount(bins, confidence - hit, n_bins) / len(bins)
    seen = mass > 0
    return mass[seen], total[seen] / mass[seen]


def along_with_bins(mass, gap, positions):
    """The dial with bins and λ = 0: mass^(2 − t) gap², summed over the bins, at each position t."""
    return np.array([(mass ** (2 - t) * gap**2).sum() for t in positions])


def _share(share):
    """A share in whole percent; what rounds to all of it but is less says so."""
    return "over 99%" if 0.995 <= share < 1 - 1e-9 else f"{share:.0%}"


# --- three errors from bins ---


def your_bins():
    """Bins as blocks, as wide as they are common and as high as their gap; and what the fullest makes of each error."""
    high = 0.75

    def setup(fig):
        for model in CAST:
            answers(model)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, grid[0], xlim=(0, 1), ylim=(0, high), xlabel="mass: share of the images, bin after bin",
                     ylabel="gap: size of the mean of p − Y")  # fmt: skip
        left.set_yticks([0, 0.25, 0.5, 0.75], ["0", "0.25", "0.5", "0.75"])
        left.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        blocks, fullest = (left.fill_between([0, 1], [0, 0], step="post", lw=0.8, ec="white") for _ in range(2))
        below = panel(fig, grid[1], read_y=False, xlim=(0, 2.05), ylim=(-0.6, 2.9), xticks=[])
        below.spines["bottom"].set_visible(False)
        below.set_title("share of the fullest bin in each error", color=SOFT)
        for k, name in enumerate(THREE):
            words(below, 0.28, 2 - k, name, ha="right")
        bars = below.hlines([], [], [], lw=18)
        return {"blocks": blocks, "fullest": fullest, "bars": bars, "numbers": [number(below) for _ in THREE],
                "values": [words(below, 0.3, 1.62 - k, "", ha="left", colour=SOFT, size=SMALL) for k in range(3)]}  # fmt: skip

    def update(artists, model="naive Bayes", bins=10):
        hit, confidence, _ = answers(model)
        mass, gap = mass_and_gap(confidence, hit, bins)
        top = mass.argmax()
        three = along_with_bins(mass, gap, [0, 1, 2])
        shares = along_with_bins(mass[[top]], gap[[top]], [0, 1, 2]) / three
        colour, _, text = MODELS[model]
        edges, heights = np.r_[0, np.cumsum(mass)], np.minimum(np.abs(gap), high)
        for name, kept, alpha in (("blocks", mass != mass[top], 0.35), ("fullest", mass == mass[top], 1)):
            artists[name].set_verts(np.array(bars_between(edges, 0 * heights, heights))[kept])
            artists[name].set(facecolor=colour, alpha=alpha)
        artists["bars"].set_segments([[(0.3, 2 - k), (0.3 + share, 2 - k)] for k, share in enumerate(shares)])
        artists["bars"].set_color(colour)
        for k, (label, value, share) in enumerate(zip(artists["numbers"], artists["values"], shares, strict=True)):
            label.xy = (0.3 + share, 2 - k)
            label.set(text=_share(share), color=text, position=(6, 0))
            value.set_text(f"of {three[k]:.3g}")
        return Finding(
            f"The fullest bin makes {_share(shares[0])} of SKCE, {_share(shares[2])} of CKCE",
            f"{model}, {len(mass)} of {bins} bins are not empty, λ = 0",
            f"It holds {mass[top]:.1%} of the images with a gap of {abs(gap[top]):.3f}.",
        )

    return explore(setup, update, size=(9, 4.2), model=list(CAST), bins=BINS, code=(mass_and_gap, along_with_bins))  # fmt: skip


# --- the game ---


def when(ratio):
    """Where a curve of ratios along `sims.POSITIONS` changes sides: the verdict and the place; None if it is unclear."""
    turns = np.flatnonzero(np.diff(ratio > 1))
    if len(turns) > 1 or min(max(each, 1 / each) for each in ratio[[0, -1]]) < CLEAR:
        return None
    if not len(turns):
        return NEVER, None
    one, two = np.log(ratio[turns[0] : turns[0] + 2])
    place = float(sims.POSITIONS[turns[0]] + 0.05 * one / (one - two))
    early, late = FLIP[0] < place < FLIP[1], FLIP[2] < place < FLIP[3]
    return (EARLY if early else LATE, place) if early or late else None


@lru_cache
def drawn(seed):
    """Two models on some of the test digits: their names and their bins."""
    rng = np.random.default_rng(seed)
    cast = digits_cast()
    names = tuple(rng.choice([name for name in MODELS if name in cast], 2, replace=False))
    some = rng.permutation(len(next(iter(cast.values())).y_true))[:DIGITS]
    found = []
    for name in names:
        p, y = cast[name].y_prob[some], cast[name].y_true[some]
        found.append(mass_and_gap(p.max(axis=1), p.argmax(axis=1) == y, FEW_BINS))
    return names, found


@lru_cache
def asked(turn):
    """What a turn shows: names, bins, verdict and place. Each verdict comes once in three turns."""
    wanted = np.random.default_rng(70 + turn // 3).permutation([NEVER, EARLY, LATE])[turn % 3]
    for seed in range(1000 * turn, 1000 * (turn + 1)):
        names, bins = drawn(seed)
        ratio = np.divide(*(along_with_bins(*each, sims.POSITIONS) for each in bins))
        verdict = when(ratio)
        if verdict and verdict[0] == wanted:
            return names, bins, *verdict
    raise RuntimeError(f"no pair of models for turn {turn}")


def _models_panel(fig, spec):
    rows, models = spec.subgridspec(2, 1, hspace=0.15), []
    for k in range(2):
        axes = panel(fig, rows[k], xlim=(0, 1), ylim=(0, 0.85), ylabel="gap")
        axes.set_yticks([0, 0.4, 0.8], ["0", "0.4", "0.8"])
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"] if k else ["", "", ""])
        axes.set_xlabel("mass" if k else "")
        models.append({"blocks": axes.fill_between([0, 1], [0, 0], lw=1.2, ec="white"),
                       "name": words(axes, 0.02, 0.95, "", ha="left", va="top", transform=axes.transAxes, bold=True)})  # fmt: skip
    return models


def _dial_panel(fig, spec):
    axes = panel(fig, spec, xlim=(-0.03, 2.03), ylim=(0.01, 100), yscale="log", ylabel="error of the upper / of the lower model")
    axes.set_xticks([0, 1, 2], [f"{name}\nt = {t}" for t, name in enumerate(THREE)])
    axes.set_yticks([0.1, 1, 10], ["1/10", "1", "10"])
    axes.set_yticks([], minor=True)
    reference(axes, [-0.03, 2.03], [1, 1])
    return {"said": words(axes, 0.03, 0.96, "", ha="left", va="top", transform=axes.transAxes),
            "curve": estimate(axes, line=True, color=GREY), "flip": estimate(axes, color=INK, ms=9),
            "here": choice(axes), "times": number(axes), "count": words(axes, 1, 0.018, "", bold=True, size=24)}  # fmt: skip


def _show_models(models, names, bins):
    for part, name, (mass, gap) in zip(models, names, bins, strict=True):
        tops = np.minimum(np.abs(gap), 0.85)
        part["blocks"].set_verts(bars_between(np.r_[0, np.cumsum(mass)], 0 * tops, tops))
        part["blocks"].set_facecolor(MODELS[name][0])
        part["name"].set(text=name, color=MODELS[name][2])


def _show_ratio(artists, position, value, colour):
    """The dot at this place of the dial with its factor; without a value a “?” stands there."""
    y = 1.0 if value is None else np.clip(value, 0.0101, 99)
    artists["here"].set_data([] if value is None else [position], [] if value is None else [y])
    artists["times"].xy = position, y
    artists["times"].set(text="?" if value is None else f"{max(value, 1 / value):.2g} ×", color=colour,
                         ha="right" if position > 1 else "left",
                         position=(-11 if position > 1 else 11, 15 if y > 1 else -15))  # fmt: skip


def _flips(said, verdict, place, drawn, here):
    """What the game says after an answer."""
    where = "it never flips" if place is None else f"it flips at t = {place:.2f}"
    return Finding(
        f"{'Yes' if said == verdict else 'No'}: {where}",
        drawn,
        f"You said {said}. There the errors differ by a factor of {max(here, 1 / here):.2g}.",
    )


def flip_the_ranking():
    """Two models as bins: where on the dial does their ranking flip? First a guess, then the dial turns."""
    tally = Tally(lambda turn: asked(turn)[2])

    def setup(fig):
        for turn in range(3):
            asked(turn)
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1])
        return {"models": _models_panel(fig, grid[0])} | _dial_panel(fig, grid[1])

    def update(artists, answer=NOBODY, position=0.0, show=0):
        turn = show // 2
        tally.note(show, None if answer == NOBODY else answer)
        said = tally.answers.get(turn) if show % 2 else None
        names, bins, verdict, place = asked(turn)
        _show_models(artists["models"], names, bins)
        ratio = np.divide(*(along_with_bins(*each, sims.POSITIONS) for each in bins))
        artists["curve"].set_data(*((sims.POSITIONS, np.clip(ratio, 0.0101, 99)) if said else ([], [])))
        artists["flip"].set_data(*(([place], [1]) if said and place else ([], [])))
        # The dial turns, but what it shows comes after the answer.
        here = float(np.interp(position, sims.POSITIONS, ratio)) if said or not position else None
        ahead = names[0] if (here or ratio[0]) < 1 else names[1]
        _show_ratio(artists, position, here, INK if here is None else MODELS[ahead][2])
        picked = said or answer
        artists["said"].set_text("" if picked == NOBODY else f"you say: {picked}")
        right, of = tally.right()
        artists["count"].set_text(f"{right} of {of} right" if of else "")
        drawn = f"{DIGITS} test digits in {FEW_BINS} bins, λ = 0, turn {turn + 1}"
        if said:
            return _flips(said, verdict, place, f"{drawn}; at t = {position:g} {ahead} is ahead", here)
        return Finding(
            f"By SKCE {names[0] if ratio[0] < 1 else names[1]} is ahead: where does that flip?",
            f"{drawn}; {'first choose an answer' if show % 2 else 'blocks are bins: mass wide, |gap| high'}",
            f"{capital(names[0])} against {names[1]}; the dial stands at t = {position:g}."
            + f" You would say {answer}." * (answer != NOBODY),
        )

    return explore(setup, update, size=(9, 4.8), answer=[NOBODY, NEVER, EARLY, LATE], position=(0.0, 2.0, 0.05),
                   show="show the answer / another pair", anew={"show": ("answer", "position")}, code=along_with_bins,
                   labels={"answer": "the ranking flips", "position": "position t (after your answer)"})  # fmt: skip
