"""What bins do to an error: waves that they average away, noise that they count, a game, and a diagram without any."""

from functools import lru_cache
from itertools import product, zip_longest

import numpy as np
from matplotlib.colors import to_rgba

from ...estimates.binning import consistency_band, expected_calibration_error, reliability_curve, resampled_errors
from ...estimates.corp import corp_reliability
from ...data.datasets import digits_cast, digits_predictions
from ...data.worlds import wave_world
from ...plots import (CHANCE_BARS, FEW, GREY, INK, KEPT, MISS, MODELS, NUMBER, SOFT, Finding, at_large, bars_between,
                      chance, estimate, misses, model_marker, panel, reference, region, words)
from ...door.predictions import top_label
from ...teach.explore import explore
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared.histograms import heap
from ..shared.tally import Tally
from ..shared.verdicts import capital
from .simulations import (ANSWERS, SAID, SIZES, STATED, by_convention, ece_by_bins, errors_of_perfect_model,
                          found_by_bins, mean_if_calibrated, of_network, running_hits, share_right, stated,
                          true_and_binned_error)

__all__ = ["aliasing", "ece_against_bins", "hide_the_model", "perfect_but_positive", "stairs_or_bins", "whose_ece"]


def of(number_of, thing):
    """“1 bin”, “1,079 digits”."""
    return f"{number_of:,} {thing}{'' if number_of == 1 else 's'}"


def does_the_ruler_decide(errors):
    """Whether the largest of some estimates of one error is at least twice the smallest."""
    return max(errors) >= 2 * min(errors)


def ece_against_bins():
    """The ECE of one model on one data set as a function of the number of bins."""
    cast = digits_cast()
    n_bins = np.arange(1, 61)

    def setup(fig):
        axes = panel(fig, xlim=(0, 78), ylim=(0.00012, 0.6), yscale="log", x=[1, 20, 40, 60], y=[0.001, 0.01, 0.1],
                     xlabel="number of bins", ylabel="ECE (log scale)", base=(1, 60))
        ends = dict.fromkeys(cast)
        for name in cast:
            each, _ = ece_by_bins(name, "uniform"), ece_by_bins(name, "quantile")  # both now, so that no click waits
            axes.plot(n_bins, each, color=MODELS[name][0], lw=1, alpha=0.5)
            ends[name] = each[-1]
        last = 1
        for name in sorted(ends, key=ends.get, reverse=True):  # in its line's height, at least a line of text apart
            last = min(ends[name], last / 1.5)
            words(axes, 61.5, last, name, colour=MODELS[name][2], ha="left")
        line = estimate(axes, line=True, lw=2.8)
        return {"line": line, "ghost": Ghost(line), "ends": estimate(axes, ms=8), "dot": choice(axes),
                "names": [number(axes, ha="center", offset=(0, 16 * s)) for s in (-1, 1)],
                "here": number(axes, offset=(0, -20), ha="center")}

    def update(artists, model="neural network", strategy="uniform", bins=15):
        each = ece_by_bins(model, strategy)
        colour, _, text = MODELS[model]
        artists["line"].set(data=(n_bins, each), color=colour)
        decides, here = does_the_ruler_decide(each), each[bins - 1]
        ends = [int(np.argmin(each)), int(np.argmax(each))] if decides else []
        artists["ends"].set(data=(n_bins[ends], [each[m] for m in ends]), color=colour, mec="white")
        artists["dot"].set_data([bins], [here])
        tell(artists["here"], (np.clip(bins, 5, 57), here),
             f"{here:.4f}", position=(0, 20 if here > 0.13 else -20))  # away from other models
        for name, m in zip_longest(artists["names"], ends):
            covered = not decides or abs(m + 1 - bins) < 8 and here < 2.5 * each[m]
            tell(name, (0, 1) if covered else (np.clip(m + 1, 5, 57), each[m]),
                 "" if covered else f"{each[m]:.4f}", color=text)
        return Finding(
            f"{capital(model)}: ECE {min(each):.4f} or {max(each):.4f}, as you choose the bins"
            if decides else f"{capital(model)}: ECE near {np.median(each):.3f}, whatever the bins",
            f"{len(cast[model].y_true):,} digits; {strategy} bins: {bins}, ECE {here:.4f}; thin: all models, uniform bins")

    return explore(
        setup, update, size=(9, 4.6), code=ece_by_bins, model=list(cast), strategy=["uniform", "quantile"], bins=(1, 60, 1))


def share_seen(seen, true):
    """How much of an error is seen, in words."""
    return "none" if seen < 0.005 * true else "all" if seen > 0.995 * true else f"{seen / true:.0%}"


def aliasing():
    """A wavy truth and the bins that look at it: equal widths hide what averages to zero inside them."""
    grid = np.linspace(0, 1, 1001)

    def setup(fig):
        axes = panel(fig, xlim=(0, 1.27), ylim=(-0.052, 0.058), xlabel="confidence c", ylabel="miss: said − happened",
                     x=[0, 0.5, 1], y=[-0.04, 0, 0.04], base=(0, 1))
        reference(axes, [0, 1], [0, 0])
        region(axes, 0.012, 0.051, "says too much", ha="left")
        region(axes, 0.012, -0.048, "says too little", ha="left")
        words(axes, 1, 0.051, "waves: the true miss", ha="right")
        words(axes, 1, -0.048, "red: what the bins see", colour=MISS, ha="right")
        return {"bars": chance(axes, facecolor=to_rgba(MISS, 0.6), edgecolor=MISS, lw=1.6, zorder=2.5),  # seen at 0
                "edges": misses(axes, colors=GREY, lw=0.8, zorder=0.5), "wave": truth(axes, grid, 0 * grid),
                "share": words(axes, 1.15, 0.014, "", bold=True, size=20, colour=MISS),
                "seen": words(axes, 1.15, -0.006, "", colour=SOFT, va="center")}

    def update(artists, waves=10, bins=10):
        artists["wave"].set_ydata(grid - wave_world(waves).curve(grid))
        true, seen, miss = true_and_binned_error(waves, bins)
        sides = np.arange(bins + 1) / bins
        artists["bars"].set_verts(bars_between(sides, 0 * miss, miss))
        artists["edges"].set_segments([[(x, -0.041), (x, 0.041)] for x in sides])
        artists["share"].set_text(f"{seen / true:.0%}")
        artists["seen"].set_text(f"of the error\nis seen by\n{of(bins, 'bin')}")
        return Finding(
            f"{of(bins, 'bin')} see{'s' * (bins == 1)} {share_seen(seen, true)} of the true error, {true:.4f}",
            f"{of(waves, 'wave')}, infinitely many data; {of(bins, 'equal bin')}: binned error {seen:.4f}")

    return explore(setup, update, size=(9, 4.2), code=true_and_binned_error, waves=(1, 15, 1), bins=(1, 40, 1))


def perfect_but_positive():
    """ECE of a calibrated model over many data sets, the formula for its mean, and what the network itself got."""
    cells, colour = np.linspace(0, 0.14, 85), MODELS["neural network"][2]

    def setup(fig):
        for n, said in product(SIZES, SAID):
            running_hits(n, 0.0, said)  # draws the labels now, so that no slider step waits for them
        axes = panel(fig, read_y=False, xlim=(0, 0.14), ylim=(0, 1), x=[0, 0.05, 0.1],
                     xlabel="calibration error of one data set (ECE)")
        bars = chance(axes, facecolor=to_rgba(KEPT, 0.35), edgecolor="white", lw=0.5)
        truth(axes, [0, 0], [0, 0.97])
        words(axes, 0.0025, 0.95, "truth 0", bold=True, ha="left")
        return {"bars": bars, "mean": estimate(axes, line=True), "bias": misses(axes, lw=9),
                "own": estimate(axes, model="neural network", line=True, marker="^", ms=11, mec="white", markevery=[1]),
                "names": [number(axes, offset=(12, 0), colour=each) for each in (KEPT, MISS, colour)]}

    def update(artists, said=SAID[0], n=500, bins=15):
        errors, predicted = errors_of_perfect_model(n, bins, said)
        mean, least, real = errors.mean(), errors.min(), said in SAID[:2]
        own = of_network(said)[1][SIZES.index(n), bins - 1] if real else 0.0
        artists["bars"].set_verts(heap(cells, np.histogram(errors, cells)[0], 0, 0.5))
        artists["mean"].set_data([mean, mean], [0, 0.84])
        artists["bias"].set_segments([[(0, 0.73), (mean, 0.73)]])
        artists["own"].set_data(([own, own], [0, 0.6]) if real else ([], []))
        texts = (f"mean {mean:.3f}", f"bias +{mean:.3f}", f"{said} itself {own:.3f}" if real else "")
        for name, at, text in zip(artists["names"], ((mean, 0.84), (mean, 0.73), (own, 0.6)), texts, strict=True):
            tell(name, at, text)
        above = f", never below {least:.3f}" if least >= 0.0005 else ""
        return Finding(
            f"Nothing is wrong, and the ECE is {mean:.3f} on average{above}",
            f"{len(errors)} calibrated data sets, confidences "
            + (f"of {said}" if real else said) + f"; n = {n:,}, {of(bins, 'bin')}; mean by formula {predicted:.4f}",
            f"{(errors >= own).sum()} of them are as far off as {said} itself on its first {n:,} images." if real else "")

    return explore(setup, update, size=(9, 4), code=(found_by_bins, mean_if_calibrated, errors_of_perfect_model),
                   said=SAID, n=SIZES, bins=(1, 50, 1), labels={"said": "confidences"})


def whose_ece():
    """The same stated confidences under eleven definitions of the ECE: one dot each."""
    names = list(by_convention(*stated("steps of 5%"), 10))
    rows = dict(zip(names, range(len(names))[::-1], strict=True))

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(0, 0.215), ylim=(-0.6, len(names) - 0.1), x=[0, 0.05, 0.1, 0.15],
                     xlabel="what a package calls calibration error", base=(0, 0.175))
        axes.set_yticks(list(rows.values()), names)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        return {"stems": misses(axes, colors=CHANCE_BARS, lw=1.5, zorder=1), "dots": estimate(axes, ms=11),
                "yours": choice(axes), "true": truth(axes), "name": words(axes, 0, len(names) - 0.35, "", bold=True),
                "numbers": {name: words(axes, 0.214, rows[name], "", bold=True, size=NUMBER, ha="right") for name in names}}

    def update(artists, yours=names[0], bins=10, confidences="steps of 5%"):
        errors = by_convention(*stated(confidences), bins)
        artists["stems"].set_segments([[(0, row), (errors[name], row)] for name, row in rows.items()])
        artists["dots"].set_data(list(errors.values()), list(rows.values()))
        artists["yours"].set_data([errors[yours]], [rows[yours]])
        for name, text in artists["numbers"].items():
            text.set(text=f"{errors[name]:.3f}", color=INK if name == yours else SOFT)
        first, c = list(errors.values())[:7], stated(confidences)[0]
        true = np.abs(c - share_right(c)).mean()
        artists["true"].set_data([true, true], [rows[names[6]] - 0.4, len(names) - 0.6])
        artists["name"].set(x=true, text=f"truth {true:.3f}")
        return Finding(
            f"The same answers, norm 1: an ECE of {min(first):.3f} to {max(first):.3f}",
            f"yellow: ECE {errors[yours]:.3f}, {yours}; {of(bins, 'bin')}; {ANSWERS:,} confidences stated in {confidences}",
            "The true mean size of the miss is known in this world, and counts for norm 1 alone.")

    return explore(setup, update, size=(9, 5.2), code=by_convention, yours=names, bins=(2, 20, 1),
                   confidences=list(STATED))


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


def word(turn):
    """What the model of a turn is: the right answer."""
    return CALIBRATED if hidden_model(FIRST + turn)[3] else NOT_CALIBRATED


def _asks(turn, error, seen, alone, beside):
    """What the game says while the model is hidden: first its ECE, then what calibrated data sets get."""
    if alone == NOBODY:
        return Finding(f"Model {turn + 1}: ECE {error:.3f}. Calibrated or not?",
                       "first answer by the ECE alone; then you see what calibrated models with these predictions get",
                       "" if beside == NOBODY else f"First that: “{beside}” waits.")
    return Finding(f"Model {turn + 1}: {seen}. {'And now?' if beside == NOBODY else f'{capital(beside)}?'}",
                   f"you said {alone}; grey: {DRAWN} calibrated data sets, strong: as large; dashed: mean by formula")


def _tells(turn, looks, tallies):
    """What the game says when it shows what the model was."""
    first, second = ("right" if look == word(turn) else "wrong" for look in looks)
    (one, of), (two, _) = (tally.right() for tally in tallies)
    return Finding(f"Model {turn + 1} was {word(turn)}: "
                   + (f"{first} twice" if first == second else f"first {first}, then {second}"),
                   f"you said: {looks[0]} by the ECE alone, {looks[1]} beside calibrated data sets",
                   f"Right so far, of {of}: {one} at the first look, {two} at the second.")


def hide_the_model():
    """A hidden model, calibrated or not: judge it by its ECE alone, then beside calibrated data sets; both looks are counted."""
    tallies = Tally(word), Tally(word)

    def setup(fig):
        for turn in range(FIRST, FIRST + 12):
            error_and_chance(turn)  # now, so that no click waits
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, columns[0], read_y=False, xlim=(0, 0.28), ylim=(0, 1), x=[0, 0.1, 0.2],
                     xlabel="calibration error (ECE)")
        bars = [chance(axes, facecolor=colour, edgecolor="white", lw=0.5) for colour in (CHANCE_BARS, GREY)]
        side, rights = panel(fig, columns[1], read_y=False, xlim=(0, 1), ylim=(0, 1)), []
        side.set_axis_off()
        for y, look in ((0.75, "by the ECE alone"), (0.4, "beside calibrated data sets")):
            words(side, 0.08, y, look, ha="left", colour=SOFT)
            rights.append(words(side, 0.08, y - 0.12, "", ha="left", bold=True, size=20))
        return {"bars": bars, "line": truth(axes), "dot": estimate(axes, ms=13),
                "mean": reference(axes, color=INK, lw=1.6, dashes=(3, 2)),
                "ece": number(axes, offset=(14, 0)), "average": number(axes, offset=(8, 0), colour=SOFT),
                "count": words(axes, 0.004, 0.9, "", ha="left", bold=True, size=30),
                "about": words(axes, 0.128, 0.9, "", ha="left", colour=SOFT), "rights": rights}

    def update(artists, alone=NOBODY, beside=NOBODY, show=0):
        turn, looks = show // 2, (alone, beside)
        is_shown = NOBODY not in looks and show % 2 == 1
        for tally, look, right in zip(tallies, looks, artists["rights"], strict=True):
            tally.note(show, None if NOBODY in looks else look)
            found, of = tally.right()
            waits = not is_shown and look != NOBODY
            right.set_text(f"{look}?" if waits else f"{found} of {of} right" if of else NOBODY)
        error, chance = error_and_chance(FIRST + turn)
        _, c, bins, _ = hidden_model(FIRST + turn)
        mean = mean_if_calibrated(c, bins)
        large, asked = (chance >= error).sum(), alone != NOBODY
        small, beyond = (
            np.histogram(part, ECE_CELLS)[0] * asked for part in (chance[chance < error], chance[chance >= error]))
        scale = 0.5 / max((small + beyond).max(), 1)
        for bars, low, high in zip(artists["bars"], (0 * small, small), (small, small + beyond), strict=True):
            bars.set_verts(bars_between(ECE_CELLS, low * scale, high * scale))
        artists["line"].set_data([error, error], [0, 0.68])
        artists["dot"].set_data([error], [0.68])
        tell(artists["ece"], (error, 0.68), f"ECE {error:.3f}")
        artists["mean"].set_data(([mean, mean], [0, 0.57]) if asked else ([], []))
        tell(artists["average"], (max(mean, error), 0.57), f"mean {mean:.3f}" if asked else "")  # right of both lines
        artists["count"].set_text(f"{large} of {DRAWN}" if asked else "Calibrated or not?")
        about = f"calibrated data sets have\nas large an ECE\n({len(c):,} predictions, {bins} bins)"
        artists["about"].set_text(about if asked else "")
        if is_shown:
            return _tells(turn, looks, tallies)
        return _asks(turn, error, f"{large} of {DRAWN} calibrated data sets reach this ECE", *looks)

    answers = [NOBODY, CALIBRATED, NOT_CALIBRATED]
    return explore(
        setup, update, size=(9, 4.4), alone=answers, beside=answers, show="show what it was / another model",
        anew={"show": ("alone", "beside")}, labels={"alone": "by the ECE alone", "beside": "beside calibrated data"},
        code=(hidden_model, error_and_chance, mean_if_calibrated))


FITS = 200  # calibrated data sets beside the fit


@lru_cache
def by_bins(model="logistic regression", n=300, bins=10):
    """The reliability curve in equal bins, where its frequencies would fall by chance, and the ECE."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true[:n], digits.y_prob[:n])
    curve = reliability_curve(hit, confidence, n_bins=bins)
    low, high = consistency_band(confidence, n_bins=bins, n_resamples=500, rng=0)
    return curve, low, high, expected_calibration_error(hit, confidence, n_bins=bins)


@lru_cache
def by_stairs(model="logistic regression", n=300, drawn=200):
    """The isotonic fit and its decomposition; where fits to calibrated data sets lie, and how many miss as much."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true[:n], digits.y_prob[:n])
    found, at, rng = corp_reliability(hit, confidence), np.unique(confidence), np.random.default_rng(0)
    fits = [corp_reliability((rng.random(n) < confidence).astype(int), confidence) for _ in range(drawn)]
    low, high = np.quantile([fit.frequency[np.searchsorted(fit.high, at)] for fit in fits], [0.05, 0.95], axis=0)
    return found, at, low, high, sum(fit.miscalibration >= found.miscalibration - 1e-12 for fit in fits)


class _Square:
    """A square diagram: dots and misses, what chance does, and a line of fact below the diagonal."""

    def __init__(self, fig, spec, ylabel=""):
        axes = panel(fig, spec, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), x=[0, 0.5, 1], y=[0, 0.5, 1], aspect="equal",
                     xlabel="how sure it says it is", ylabel=ylabel)
        region(axes, 0.1, 0.9, "says\ntoo little")
        region(axes, 0.86, 0.08, "says\ntoo much")
        self.axes, self.band, self.gaps = axes, chance(axes), misses(axes)
        self.diagonal = reference(axes, [0, 1], [0, 1])
        self.points = at_large(axes.scatter([], [], s=[], zorder=4, clip_on=False, edgecolor="white", lw=0.8))
        self.name = words(axes, 0.5, 1.05, "its name", bold=True, va="bottom")  # there when it is laid out
        self.artists = [self.band, self.diagonal, self.gaps, self.points, self.name]

    def update(self, model, x, y, count, boxes):
        few = np.where(count < FEW, 0.35, 1.0)
        self.points.set(paths=[model_marker(model)], offsets=np.column_stack([x, y]),
                        sizes=30 + 130 * count / count.sum(),
                        facecolor=[to_rgba(MODELS[model][0], each) for each in few])
        self.gaps.set(segments=[[(a, a), (a, b)] for a, b in zip(x, y, strict=True)],
                      colors=[to_rgba(MISS, each) for each in few])
        self.band.set_verts(boxes)


def stairs_or_bins():
    """Bins that the reader moves, and beside them the isotonic fit, which has none."""
    models = ["logistic regression", "neural network", "random forest", "naive Bayes"]

    def setup(fig):
        columns = fig.add_gridspec(1, 3, width_ratios=[1, 1, 0.42])
        left, right = _Square(fig, columns[0], "how often it is right"), _Square(fig, columns[1])
        right.name.set_text("no bins: an isotonic fit")
        side = panel(fig, columns[2], read_y=False, xlim=(0, 1), ylim=(0, 1))
        side.set_axis_off()
        parts = {}
        for y, name, colour in ((0.92, "Brier score", INK), (0.66, "= miscalibration", MISS), (0.4, "− discrimination", INK),
                                (0.14, "+ uncertainty", INK)):
            words(side, 0, y, name, ha="left", colour=SOFT)
            parts[name.split()[-1]] = words(side, 0, y - 0.09, "", ha="left", bold=True, size=NUMBER, colour=colour)
        return {"left": left, "right": right, "line": estimate(right.axes, line=True), **parts}

    def update(artists, model="logistic regression", n=300, bins=10):
        curve, low, high, error = by_bins(model, n, bins)
        full = curve.count > 0
        boxes = [box for box, keep in zip(bars_between(curve.edges, low, high), full, strict=True) if keep]
        artists["left"].update(model, curve.confidence[full], curve.frequency[full], curve.count[full], boxes)
        artists["left"].name.set_text(f"{bins} bins of equal width: ECE {error:.3f}")
        found, at, low, high, as_large = by_stairs(model, n, FITS)
        band = [np.column_stack([np.concatenate([at, at[::-1]]), np.concatenate([low, high[::-1]])])]
        artists["right"].update(model, found.confidence, found.frequency, found.count, band)
        ends = np.column_stack([found.low, found.high]).ravel()
        artists["line"].set(data=(ends, found.frequency.repeat(2)), color=MODELS[model][0])
        for name in ("score", "miscalibration", "discrimination", "uncertainty"):
            artists[name].set_text(f"{getattr(found, name):.4f}")
        return Finding(
            f"Miscalibration {found.miscalibration:.4f}: as large in {as_large} of {FITS} calibrated data sets",
            f"{model}, {n:,} digits; left: {bins} bins, ECE {error:.3f}; right: {len(found.count)} steps; grey: if calibrated")

    return explore(
        setup, update, size=(9, 4.9), model=models, n=[100, 300, 1079], bins=(2, 40, 1), code=(by_bins, by_stairs))
