"""A game: calibrated or not, judged by the ECE alone and then beside calibrated data sets."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import expected_calibration_error, resampled_errors
from ...plots import (
    CHANCE_BARS,
    GREY,
    INK,
    SOFT,
    Finding,
    bars_between,
    estimate,
    number,
    panel,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared.tally import Tally
from ..shared.verdicts import capital

__all__ = ["hide_the_model"]

DRAWN = 100  # calibrated data sets in the game
NOBODY, CALIBRATED, NOT_CALIBRATED = "not yet", "calibrated", "not calibrated"
ECE_CELLS = np.linspace(0, 0.28, 57)
FIRST = 27  # the game's first model; from here a large ECE comes first that is chance, soon a small one that is not


@lru_cache
def hidden_model(turn):
    """Labels, predictions and a number of bins; and whether the labels follow the predictions."""
    rng = np.random.default_rng(turn)
    n, bins = int(rng.choice([300, 1000, 5000])), int(rng.choice([10, 20, 40]))
    calibrated = bool(rng.random() < 0.5)
    c = rng.random(n)
    wave = 0 if calibrated else 4 / np.sqrt(n) * np.sin(2 * np.pi * c)
    return (rng.random(n) < c + wave).astype(int), c, bins, calibrated


@lru_cache
def error_and_chance(turn):
    """The ECE of a hidden model, and those of data sets of a calibrated model with its predictions."""
    y, c, bins, _ = hidden_model(turn)
    return expected_calibration_error(y, c, n_bins=bins), resampled_errors(c, n_bins=bins, n_resamples=DRAWN, rng=turn)


@lru_cache
def mean_if_calibrated(turn):
    """The mean ECE of a calibrated model with these predictions, by the formula: Σ n_m/n √(2/π · v/n_m), v = mean of c(1 − c)."""
    _, c, bins, _ = hidden_model(turn)
    place = np.ceil(c * bins).astype(int)
    in_each = [c[place == m] for m in np.unique(place)]
    return sum(len(b) / len(c) * np.sqrt(2 / np.pi * np.mean(b * (1 - b)) / len(b)) for b in in_each)


def word(turn):
    """What the model of a turn is: the right answer."""
    return CALIBRATED if hidden_model(FIRST + turn)[3] else NOT_CALIBRATED


def _asks(turn, error, seen, alone, beside):
    """What the game says while the model is hidden: first its ECE, then what calibrated data sets get."""
    if alone == NOBODY:
        return Finding(
            f"Model {turn + 1}: ECE {error:.3f}. Calibrated or not?",
            "first answer by the ECE alone; then you see what calibrated models with these predictions get",
            "" if beside == NOBODY else f"First that: “{beside}” waits.",
        )
    return Finding(
        f"Model {turn + 1}: {seen}. {'And now?' if beside == NOBODY else f'{capital(beside)}?'}",
        f"you said {alone}; grey: {DRAWN} calibrated data sets, strong: as large; dashed: mean by formula",
    )


def _tells(turn, looks, tallies):
    """What the game says when it shows what the model was."""
    first, second = ("right" if look == word(turn) else "wrong" for look in looks)
    (one, of), (two, _) = (tally.right() for tally in tallies)
    return Finding(
        f"Model {turn + 1} was {word(turn)}: "
        + (f"{first} twice" if first == second else f"first {first}, then {second}"),
        f"you said: {looks[0]} by the ECE alone, {looks[1]} beside calibrated data sets",
        f"Right so far, of {of}: {one} at the first look, {two} at the second.",
    )


def hide_the_model():
    """A hidden model, calibrated or not: judge it by its ECE alone, then beside calibrated data sets; both looks are counted."""
    tallies = Tally(word), Tally(word)

    def setup(fig):
        for turn in range(FIRST, FIRST + 12):
            error_and_chance(turn)  # now, so that no click waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, columns[0], read_y=False, xlim=(0, 0.28), ylim=(0, 1), xlabel="calibration error (ECE)")
        axes.set_xticks([0, 0.1, 0.2], ["0", "0.1", "0.2"])
        bars = [axes.add_collection(PolyCollection([], facecolor=colour, edgecolor="white", lw=0.5, zorder=1))
                for colour in (CHANCE_BARS, GREY)]  # fmt: skip
        (mean,) = axes.plot([], [], color=INK, lw=1.6, ls=(0, (3, 2)), zorder=2)
        side, rights = panel(fig, columns[1], read_y=False, xlim=(0, 1), ylim=(0, 1)), []
        side.set_axis_off()
        for y, look in ((0.75, "by the ECE alone"), (0.4, "beside calibrated data sets")):
            words(side, 0.08, y, look, ha="left", colour=SOFT)
            rights.append(words(side, 0.08, y - 0.12, "", ha="left", bold=True, size=20))
        return {"bars": bars, "line": truth(axes), "mean": mean, "dot": estimate(axes, ms=13, mec="white"),
                "ece": number(axes, offset=(14, 0)), "average": number(axes, offset=(8, 0), colour=SOFT),
                "count": words(axes, 0.004, 0.9, "", ha="left", bold=True, size=30),
                "about": words(axes, 0.128, 0.9, "", ha="left", colour=SOFT), "rights": rights}  # fmt: skip

    def update(artists, alone=NOBODY, beside=NOBODY, show=0):
        turn, looks = show // 2, (alone, beside)
        is_shown = NOBODY not in looks and show % 2 == 1
        for tally, look, right in zip(tallies, looks, artists["rights"], strict=True):
            tally.note(show, None if NOBODY in looks else look)
            found, of = tally.right()
            waits = not is_shown and look != NOBODY
            right.set_text(f"{look}?" if waits else f"{found} of {of} right" if of else NOBODY)
        error, chance = error_and_chance(FIRST + turn)
        mean, (_, c, bins, _) = mean_if_calibrated(FIRST + turn), hidden_model(FIRST + turn)
        large, asked = (chance >= error).sum(), alone != NOBODY
        small, beyond = (
            np.histogram(part, ECE_CELLS)[0] * asked for part in (chance[chance < error], chance[chance >= error])
        )
        scale = 0.5 / max((small + beyond).max(), 1)
        for bars, low, high in zip(artists["bars"], (0 * small, small), (small, small + beyond), strict=True):
            bars.set_verts(bars_between(ECE_CELLS, low * scale, high * scale))
        artists["line"].set_data([error, error], [0, 0.68])
        artists["dot"].set_data([error], [0.68])
        artists["ece"].xy = error, 0.68
        artists["ece"].set_text(f"ECE {error:.3f}")
        artists["mean"].set_data(([mean, mean], [0, 0.57]) if asked else ([], []))
        artists["average"].xy = max(mean, error), 0.57  # right of both lines
        artists["average"].set_text(f"mean {mean:.3f}" if asked else "")
        artists["count"].set_text(f"{large} of {DRAWN}" if asked else "Calibrated or not?")
        about = f"calibrated data sets have\nas large an ECE\n({len(c):,} predictions, {bins} bins)"
        artists["about"].set_text(about if asked else "")
        if is_shown:
            return _tells(turn, looks, tallies)
        return _asks(turn, error, f"{large} of {DRAWN} calibrated data sets have as large an ECE", *looks)

    answers = [NOBODY, CALIBRATED, NOT_CALIBRATED]
    return explore(
        setup, update, size=(9, 4.4), alone=answers, beside=answers, show="show what it was / another model",
        anew={"show": ("alone", "beside")}, labels={"alone": "by the ECE alone", "beside": "beside calibrated data"},
        code=(hidden_model, error_and_chance, mean_if_calibrated),
    )  # fmt: skip
