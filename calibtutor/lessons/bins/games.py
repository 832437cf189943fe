"""Games of the lesson bins."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import expected_calibration_error, resampled_errors
from ...plots import (
    CHANCE_BARS,
    GREY,
    KEPT,
    MISS,
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



REDRAWN = 100  # sets of labels in the game
SHOWN = 12  # models in the game's tally; older ones leave it
NOBODY, CALIBRATED, NOT_CALIBRATED = "not yet", "calibrated", "not calibrated"
ECE_CELLS = np.linspace(0, 0.25, 51)
FIRST = 27  # the game's first model; from here a large ECE comes first that is chance, soon a small one that is not


@lru_cache
def hidden_model(turn):
    """Labels, predictions and a number of bins; and whether the labels follow the predictions."""
    rng = np.random.default_rng(turn)
    n, bins = int(rng.choice([300, 1000, 5000])), int(rng.choice([10, 20, 40]))
    calibrated = bool(rng.random() < 0.5)
    p = rng.random(n)
    wave = 0 if calibrated else 4 / np.sqrt(n) * np.sin(2 * np.pi * p)
    return (rng.random(n) < p + wave).astype(int), p, bins, calibrated


@lru_cache
def error_and_chance(turn):
    """The ECE of a hidden model, and the ECEs of labels that are redrawn from its predictions."""
    y, p, bins, _ = hidden_model(turn)
    return expected_calibration_error(y, p, n_bins=bins), resampled_errors(
        p, n_bins=bins, n_resamples=REDRAWN, rng=turn
    )


def word(turn):
    """What the model of a turn is: the right answer."""
    return CALIBRATED if hidden_model(FIRST + turn)[3] else NOT_CALIBRATED


def outcome(turn, looks):
    """What the model of a turn was, and which of both looks at it were right, in words."""
    first, second = ("right" if look == word(turn) else "wrong" for look in looks)
    judged = f"{first} twice" if first == second else f"first {first}, then {second}"
    return f"Model {turn + 1} was {word(turn)}: {judged}"


def _chance_panel(fig, spec):
    axes = panel(fig, spec, read_y=False, xlim=(0, 0.25), ylim=(0, 1), xlabel="calibration error (ECE)")
    axes.set_xticks([0, 0.1, 0.2], ["0", "0.1", "0.2"])
    bars, beyond = (
        PolyCollection([], facecolor=colour, edgecolor="white", lw=0.5, zorder=1) for colour in (CHANCE_BARS, GREY)
    )
    axes.add_collection(bars)
    axes.add_collection(beyond)
    return {
        "bars": bars,
        "beyond": beyond,
        "line": truth(axes),
        "dot": estimate(axes, ms=13, mec="white"),
        "ece": number(axes),
        "about": words(axes, 0.25, 0.66, "", ha="right", colour=SOFT, va="top"),
        "count": words(axes, 0.25, 0.75, "", ha="right", bold=True, size=30),
    }


def _tally_panel(fig, spec):
    axes = panel(fig, spec, read_y=False, xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    looks = []
    for y, text in ((0.86, "by the ECE alone"), (0.44, "beside the redrawn labels")):
        words(axes, 0.08, y, text, ha="left", colour=SOFT)
        marks = [words(axes, 0.11 + 0.075 * k, y - 0.24, "", size=13, bold=True) for k in range(SHOWN)]
        looks.append({"right": words(axes, 0.08, y - 0.11, "", ha="left", bold=True, size=20), "marks": marks})
    return looks


def _show_error(artists, error, chance, about):
    """The ECE, and beside it those of redrawn labels, if there are any to show."""
    small, large = (np.histogram(part, ECE_CELLS)[0] for part in (chance[chance < error], chance[chance >= error]))
    scale = 0.62 / max((small + large).max(), 1)
    artists["bars"].set_verts(bars_between(ECE_CELLS, 0 * small, small * scale))
    artists["beyond"].set_verts(bars_between(ECE_CELLS, small * scale, (small + large) * scale))
    artists["line"].set_data([error, error], [0, 0.9])
    artists["dot"].set_data([error], [0.9])
    left = error > 0.125
    artists["ece"].xy = error, 0.9
    artists["ece"].set(text=f"ECE {error:.3f}", position=(-14 if left else 14, 0), ha="right" if left else "left")
    count = f"{large.sum()} of {REDRAWN}" if len(chance) else ""
    for name, text in (("count", count), ("about", about)):
        artists[name].set(text=text, x=0.003 if left else 0.25, ha="left" if left else "right")


def _show_tally(artists, tally, waiting):
    """How often this look was right, or what it said of the model that is still hidden."""
    right, of = tally.right()
    artists["right"].set_text(f"{waiting}?" if waiting else f"{right} of {of} right" if of else NOBODY)
    recent = [tally.answers[each] == word(each) for each in sorted(tally.answers)][-SHOWN:]
    for k, mark in enumerate(artists["marks"]):
        shown = "" if k >= len(recent) else "✓" if recent[k] else "✗"
        mark.set(text=shown, color=KEPT if shown == "✓" else MISS)


def _asks(turn, error, seen, alone, beside):
    """What the game says while the model is hidden: first its ECE, then what chance does."""
    if alone == NOBODY:
        return Finding(
            f"Model {turn + 1}: ECE {error:.3f}. Calibrated or not?",
            "say it by the ECE alone; then its redrawn labels come",
            "" if beside == NOBODY else f"First that: “{beside}” waits.",
        )
    return Finding(
        f"Model {turn + 1}: {seen}. {'And now?' if beside == NOBODY else f'{capital(beside)}?'}",
        f"you said {alone} by the ECE alone; grey: labels redrawn from its predictions; dark: as large",
    )


def _tells(turn, error, seen, looks, tallies):
    """What the game says when it shows what the model was."""
    (one, of), (two, _) = (tally.right() for tally in tallies)
    return Finding(
        outcome(turn, looks),
        f"you said: {looks[0]} by the ECE alone, {looks[1]} beside redrawn labels",
        f"Its ECE is {error:.3f}, {seen}. Right so far, of {of}: {one} at the first look, {two} at the second.",
    )


def hide_the_model():
    """A hidden model, calibrated or not: judge it by its ECE alone, then beside redrawn labels; both looks are counted."""
    tallies = Tally(word), Tally(word)

    def setup(fig):
        for turn in range(FIRST, FIRST + SHOWN):
            error_and_chance(turn)  # now, so that no click waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        return _chance_panel(fig, columns[0]) | {"looks": _tally_panel(fig, columns[1])}

    def update(artists, alone=NOBODY, beside=NOBODY, show=0):
        turn, looks = show // 2, (alone, beside)
        is_shown = NOBODY not in looks and show % 2 == 1
        for tally, look in zip(tallies, looks, strict=True):
            tally.note(show, None if NOBODY in looks else look)
        error, chance = error_and_chance(FIRST + turn)
        _, p, bins, _ = hidden_model(FIRST + turn)
        seen = f"{(chance >= error).sum()} of {REDRAWN} redrawn ECEs are as large"
        about = f"redrawn ECEs are as large\n{len(p):,} predictions, {bins} bins"
        hidden = alone == NOBODY
        _show_error(artists, error, chance[: 0 if hidden else None], "calibrated or not?" if hidden else about)
        for row, tally, look in zip(artists["looks"], tallies, looks, strict=True):
            _show_tally(row, tally, "" if is_shown or look == NOBODY else look)
        return _tells(turn, error, seen, looks, tallies) if is_shown else _asks(turn, error, seen, *looks)

    answers = [NOBODY, CALIBRATED, NOT_CALIBRATED]
    return explore(
        setup, update, size=(9, 4.4), alone=answers, beside=answers, show="show what it was / another model",
        anew={"show": ("alone", "beside")}, labels={"alone": "by the ECE alone", "beside": "beside redrawn labels"},
        code=(hidden_model, error_and_chance),
    )  # fmt: skip
