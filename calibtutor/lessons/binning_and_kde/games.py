"""Scenes of notebook 02 that the reader plays, and pictures made by the reader's own functions."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import expected_calibration_error, reliability_curve, resampled_errors
from ...data.datasets import digits_cast
from ...data.worlds import wave_world
from ...kde import conditional_frequency
from ...plots import (
    CHANCE_BARS,
    GREY,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    bars_between,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...plots import choice as you_are_here  # the code of a picture would take rng.choice for `choice`
from ...predictions import top_label
from ...teach.exercise import whose
from ...teach.explore import explore
from ..shared.tally import Tally
from ..shared.verdicts import capital, written
from .exercises import check
from .histograms import NullHistogram

__all__ = ["draw_again", "hide_the_model", "your_kernel", "your_null"]

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


@lru_cache
def two_ratios(seed, n=1000, bins=15, bandwidth=0.02):
    """Distance of bins to the truth over that of the kernel: of the diagonal's mean, and of the whole surface."""
    world, at = wave_world(1, 0.15), (np.arange(80) + 0.5) / 80
    y, p = world.sample(n, seed)
    truth = at - world.curve(at)
    by_bins = reliability_curve(y, p, n_bins=bins).gap[np.ceil(at * bins).astype(int) - 1]
    by_kernel = at - conditional_frequency(y, p, at=at, bandwidth=bandwidth)
    diagonal = [abs(np.mean(u**2) - np.mean(truth**2)) for u in (by_bins, by_kernel)]
    surface = [np.linalg.norm(np.outer(u, u) - np.outer(truth, truth)) for u in (by_bins, by_kernel)]
    return diagonal[0] / diagonal[1], surface[0] / surface[1]


def draw_again():
    """The comparison of two surfaces on new data sets, ten a click: how often are bins closer to the truth?"""
    start, each_click, widest = 3, 10, 60  # the draw of `two_surfaces` comes first

    def setup(fig):
        for seed in range(start, start + 1 + 6 * each_click):
            two_ratios(seed)  # now, so that the first clicks do not wait
        axes = panel(fig, read_y=False, xscale="log", xlim=(1 / widest, 24 * widest), ylim=(0, 2.15),
                     xlabel="distance of bins to the truth ÷ distance of the kernel (log scale)")  # fmt: skip
        axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        axes.minorticks_off()
        axes.spines["bottom"].set_bounds(1 / widest, widest)
        reference(axes, [1, 1], [0, 2])
        region(axes, 0.9, 2.07, "bins closer", ha="right")
        region(axes, 1.1, 2.07, "kernel closer", ha="left")
        found = {}
        for name, row in (("diagonal", 1.5), ("surface", 0.5)):
            words(axes, 1.3 * widest, row - 0.22, f"by the {name},\nbins are closer", ha="left", colour=SOFT)
            found[name] = {"dots": estimate(axes, ms=8),
                           "count": words(axes, 1.3 * widest, row + 0.12, "", ha="left", bold=True, size=26)}  # fmt: skip
        return found

    def update(artists, more=0):
        seeds = range(start, start + 1 + each_click * more)
        ratios = np.clip([two_ratios(seed) for seed in seeds], 1.1 / widest, widest / 1.1)
        height = 0.7 * ((np.arange(len(seeds)) * 0.618) % 1) - 0.35  # spread, so that dots do not cover each other
        for column, (name, row) in enumerate((("diagonal", 1.5), ("surface", 0.5))):
            artists[name]["dots"].set_data(ratios[:, column], row + height)
            artists[name]["count"].set_text(f"{(ratios[:, column] < 1).sum()} of {len(seeds)}")
        diagonal, surface = (ratios < 1).sum(axis=0)
        draws = "1 draw" if len(seeds) == 1 else f"{len(seeds)} draws"
        return Finding(
            f"Bins are closer in {diagonal} of {draws} on the diagonal, in {surface} as a surface",
            "a dot a draw of 1,000 predictions with one large wave; 15 bins, γ = 0.02",
        )

    return explore(setup, update, size=(9, 4), more="draw 10 more", code=two_ratios)


def first_digits(model, n):
    """Hits, as 0 and 1, and confidences of a model on the first n digits."""
    hit, confidence = top_label(digits_cast()[model].y_true[:n], digits_cast()[model].y_prob[:n])
    return hit.astype(float), confidence


def redrawn_eces(confidence, bins, ece, redraw_labels, repeats=200):
    """The ECEs of data sets whose labels are redrawn from the confidences."""
    rng = np.random.default_rng(0)
    u = rng.random((repeats, len(confidence)))
    return np.array([ece(confidence, redraw_labels(confidence, each), bins) for each in u])


def your_null(ece=None, redraw_labels=None):
    """The ECE of real predictions beside those of redrawn labels, both by the reader's functions."""
    ece, redraw_labels = check.ece.use(ece), check.redraw_labels.use(redraw_labels)
    by = whose(ece, redraw_labels)
    models, numbers, n = ["logistic regression", "neural network", "random forest"], [5, 15, 40], 100
    drawn = {}

    def setup(fig):
        for model in models:
            for bins in numbers:  # now, so that no click waits
                hit, confidence = first_digits(model, n)
                chance = redrawn_eces(confidence, bins, ece, redraw_labels)
                drawn[model, bins] = ece(confidence, hit, bins), chance
        return NullHistogram(panel(fig), np.linspace(0, 0.45, 91), xlabel="ECE, by the function above")

    def update(artists, model="logistic regression", bins=15):
        error, chance = drawn[model, bins]
        above = int((chance >= error - 1e-12).sum())
        explained = (above + 1) / (len(chance) + 1) > 0.05
        artists.update(chance, error - 1e-12, model, model, explained)
        return Finding(
            f"{capital(model)}: ECE {error:.3f}, "
            + ("as chance alone gives" if explained else "chance rarely gives as much"),
            f"{n} digits, bins: {bins}, labels redrawn {len(chance)} times; by {by}",
            f"Redrawn sets with at least this ECE: {above}.",
        )

    return explore(setup, update, size=(9, 4.4), model=models, bins=numbers, code=redrawn_eces)


def estimate_and_error(confidence, hit, gamma, kernel, leave_one_out):
    """The kernel estimate at every confidence, own label left out, and the estimated squared error."""
    frequency = leave_one_out(kernel(confidence[:, None], confidence[None, :], gamma), hit)
    return frequency, np.mean((confidence - frequency) ** 2)


def your_kernel(beta_kernel=None, leave_one_out=None):
    """The kernel estimate of real predictions and its error against the bandwidth, by the reader's functions."""
    beta_kernel, leave_one_out = check.beta_kernel.use(beta_kernel), check.leave_one_out.use(leave_one_out)
    by = whose(beta_kernel, leave_one_out)
    models, gammas, n = (
        ["logistic regression", "neural network", "naive Bayes"],
        [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
        300,
    )
    found = {}

    def setup(fig):
        for model in models:
            hit, confidence = first_digits(model, n)
            for gamma in gammas:  # now, so that no slider step waits
                found[model, gamma] = estimate_and_error(confidence, hit, gamma, beta_kernel, leave_one_out)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        axes = panel(fig, columns[0], xlim=(0.2, 1.01), ylim=(0, 1.03), xlabel="how sure it says it is",
                     ylabel="kernel estimate: how often it is right")  # fmt: skip
        axes.set_xticks([0.2, 0.6, 1], ["0.2", "0.6", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        reference(axes, [0.2, 1], [0.2, 1], "as often as it says", at=0.4, side=-1)
        side = panel(fig, columns[1], xscale="log", xlim=(0.0007, 1.4), ylim=(0, 0.045), xlabel="bandwidth γ",
                     ylabel="estimated squared error")  # fmt: skip
        side.set_xticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
        side.set_yticks([0, 0.02, 0.04], ["0", "0.02", "0.04"])
        side.minorticks_off()
        return {"dots": estimate(axes, ms=5, mew=0, clip_on=True), "stems": misses(axes, lw=1, alpha=0.35, zorder=2.5),
                "curve": estimate(side, line=True, clip_on=True), "here": you_are_here(side), "value": number(side, offset=(0, 20))}  # fmt: skip

    def update(artists, model="logistic regression", gamma=0.01):
        _, confidence = first_digits(model, n)
        frequency, error = found[model, gamma]
        errors = [found[model, each][1] for each in gammas]
        artists["dots"].set_data(confidence, frequency)
        artists["stems"].set_segments([[(x, x), (x, y)] for x, y in zip(confidence, frequency, strict=True)])
        artists["curve"].set_data(gammas, errors)
        for name in ("dots", "curve"):
            artists[name].set_color(MODELS[model][0])
        artists["here"].set_data([gamma], [error])
        artists["value"].xy = gamma, error
        artists["value"].set(
            text=written(error, 4), ha="left" if gamma < 0.01 else "right" if gamma > 0.1 else "center"
        )
        return Finding(
            f"{capital(model)}: at γ = {gamma:g} the squared error is {error:.4f}",
            f"{n} digits, own label left out; by {by}",
            f"Over all γ it runs from {min(errors):.4f} to {max(errors):.4f}.",
        )

    return explore(
        setup,
        update,
        size=(9, 4.4),
        model=models,
        gamma=gammas,
        labels={"gamma": "bandwidth γ"},
        code=estimate_and_error,
    )
