"""Pictures: how sure four models are, reliability diagrams, twenty road scenes, what a forecast costs."""

import numpy as np

from ...estimates.binning import ReliabilityCurve, reliability_curve
from ...data.datasets import digits_cast, digits_predictions
from ...plots import (INK, KEPT, MISS, MODELS, SOFT, Finding, ReliabilityDiagram, chance, estimate, misses, panel,
                      reference, words)
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared.verdicts import capital
from .exercises import check

__all__ = ["coin", "four_models", "reveal_reliability", "road_scenes", "your_diagram"]

FOUR = ("random forest", "logistic regression", "neural network", "naive Bayes")
DIGITS = 18  # so many images are shown


def hit_and_confidence(model):
    """For each test digit: 1 if the model's answer is right, else 0; and the probability that it gives its answer."""
    seen = digits_predictions(model)  # seen.y_prob: a row of ten probabilities for each digit
    hit = seen.y_prob.argmax(axis=1) == seen.y_true
    return hit.astype(int), seen.y_prob.max(axis=1)


def answers(model):
    """What a model answers to each test digit, and how sure it is."""
    seen = digits_predictions(model)
    return seen.y_prob.argmax(axis=1), seen.y_prob.max(axis=1)


def four_models():
    """One digit and how sure four models are of it, among all their confidences; three are about equally accurate."""
    first = digits_predictions(FOUR[0])
    shown = np.hstack([np.pad(image, 1) for image in first.images[:DIGITS]])

    def setup(fig):
        grid = fig.add_gridspec(2, 1, height_ratios=[1, 5])
        strip = fig.add_subplot(grid[0])
        strip.imshow(1 - shown, cmap="gray", vmin=0, vmax=1)
        strip.set(ylim=(14.5, -0.5))
        strip.set_axis_off()
        axes = panel(fig, grid[1], read_y=False, xlim=(-0.62, 1.03), ylim=(-0.05, 4), x=[0, 0.5, 1], base=(0, 1))
        words(axes, 0.5, -0.56, "confidence", colour=SOFT)
        rows = []
        for row, name in zip((3, 2, 1, 0), FOUR, strict=True):
            hit, confidence = hit_and_confidence(name)
            right, sure, (colour, _, text) = hit.mean(), confidence.mean(), MODELS[name]
            heights, edges = np.histogram(confidence, np.linspace(0, 1, 21))
            axes.bar(edges[:-1], 0.7 * heights / heights.max(), 0.05, row, align="edge", color=colour, alpha=0.35)
            reference(axes, [0, 1], [row, row], dashes=(1, 0), lw=0.8)
            truth(axes, [right, right], [row, row + 0.8])
            misses(axes, lw=7).set_segments([[(right, row + 0.62), (sure, row + 0.62)]])
            estimate(axes, [sure], [row + 0.62], model=name, ms=10)
            words(axes, -0.6, row + 0.66, name, ha="left", colour=text, bold=True)
            words(axes, -0.6, row + 0.38, f"{right:.0%} right, {sure:.0%} sure", ha="left")
            rows.append({"says": words(axes, -0.6, row + 0.1, "", ha="left"), "at": choice(axes, ms=10)})
        return {"digit": choice(strip, ms=10), "rows": rows}

    def update(artists, digit=1):
        artists["digit"].set_data([10 * digit - 5.5], [12])
        said = []
        for row, name, each in zip((3, 2, 1, 0), FOUR, artists["rows"], strict=True):
            answer, sure = (of_all[digit - 1] for of_all in answers(name))
            wrong = answer != first.y_true[digit - 1]
            each["says"].set(text=f"this one: {answer}, {sure:.0%}", color=MISS if wrong else INK)
            each["at"].set_data([sure], [row + 0.1])
            said.append((sure, f"{name} says {answer}" + (" and is wrong" if wrong else "")))
        return Finding(
            f"The same {first.y_true[digit - 1]}: {', '.join(f'{sure:.0%}' for sure, _ in said[:3])} and {said[3][0]:.0%} sure",
            f"bars: how sure four models are of {len(first.y_true):,} digits; coloured dot: their mean, thick line: share right",
            capital(f"{'; '.join(words_ for _, words_ in said)}."))

    return explore(setup, update, size=(9, 5), digit=(1, DIGITS, 1), code=answers)


def verdict(gap):
    """Over- or under-confident on average; within 2 points it is neither."""
    return "over-confident" if gap > 0.02 else "under-confident" if gap < -0.02 else "about right on average"


def judged(model, bins):
    """The bins of a model's confidences, what it says and how often it is right on average, and its ECE."""
    hit, confidence = hit_and_confidence(model)
    curve = reliability_curve(hit, confidence, n_bins=bins)  # of each bin: count, mean confidence, share of hits
    full = curve.count > 0
    miss = np.abs(curve.confidence - curve.frequency)[full]
    return curve, confidence.mean(), hit.mean(), np.average(miss, weights=curve.count[full])


def reveal_reliability():
    """Reliability diagram of any model of the cast, beside its two averages."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.08, 1])
        diagram = ReliabilityDiagram(fig, spec=grid[0], cases="digits")
        axes = panel(fig, grid[1], read_y=False, xlim=(-1.9, 3.0), ylim=(0.45, 1.08), xticks=[], base=False)
        axes.set_title("on average", color=SOFT)
        names = [number(axes, offset=o, colour=c) for o, c in (((-4, 0), INK), ((14, 0), KEPT), ((14, 0), MISS))]
        return {"diagram": diagram, "says": axes.plot([], [], color=INK, lw=2.4)[0], "stem": misses(axes, lw=9),
                "dot": estimate(axes, ms=12), "names": names}

    def update(artists, model="random forest", bins=10):
        curve, sure, right, error = judged(model, bins)
        artists["diagram"].update(curve, model=model)
        gap = sure - right
        colour, marker, text = MODELS[model]
        artists["says"].set_data([-0.25, 0.25], [sure, sure])
        artists["stem"].set_segments([[(0, sure), (0, right)]])
        artists["dot"].set(data=([0], [right]), color=colour, marker=marker, mec="white")
        says, is_right, miss = artists["names"]
        apart = 0.05 if right >= sure else -0.05
        tell(says, (-0.25, sure), f"says {sure:.3f}")
        tell(is_right, (0, right + (apart if abs(gap) < 0.15 else 0)), f"is right {right:.3f}", color=text)
        tell(miss, (0, (sure + right) / 2), f"{abs(gap):.3f} {verdict(gap)}" if abs(gap) >= 0.05 else "")
        return Finding(
            f"{capital(model)}: {sure:.0%} sure, {right:.0%} right, so {verdict(gap)}",
            f"{curve.count.sum():,} digits in {bins} bins; the red lines, weighted by their digits, average {error:.3f} (the ECE)")

    return explore(setup, update, size=(9, 5.6), model=list(digits_cast()), bins=(2, 30, 1),
                   code=(hit_and_confidence, judged), hand=Hand("reveal_reliability", __file__, digits_in_hand, 1.55))


def digits_in_hand():
    """Of each model every digit's answer, confidence and hit, their means; and the images, 0 to f a pixel."""
    models, seen = {}, digits_predictions(FOUR[0])
    for name in digits_cast():
        hit, confidence = hit_and_confidence(name)
        models[name] = {"answer": answers(name)[0].tolist(), "confidence": confidence.tolist(),
                        "hit": hit.tolist(), "sure": confidence.mean(), "share": hit.mean()}
    grey = np.rint(15 * seen.images.reshape(len(seen.images), -1)).astype(int)
    ends = {bins: (np.arange(bins + 1) / bins).tolist() for bins in range(2, 31)}
    return {"models": models, "edges": ends, "side": seen.images.shape[1], "images": "".join(f"{each:x}" for each in grey.ravel())}


def your_diagram(function=None):
    """A reliability diagram whose dots the reader's function computes."""
    function = check.reliability.use(function)

    def setup(fig):
        diagram = ReliabilityDiagram(fig, cases="digits")
        diagram.axes.texts[-1].set(text="says\ntoo much", x=0.9)  # in 30 bins red lines are further left
        return diagram

    def update(diagram, model="naive Bayes", bins=10):
        hit, confidence = hit_and_confidence(model)
        try:
            curve = as_curve(function(hit, confidence, bins), bins)
        except Exception as problem:  # the reader's own: said where the picture would be
            diagram.update(as_curve([(0, 0, 1)], bins), model=model)
            diagram.points.set_offsets(np.empty((0, 2)))
            diagram.bars.set_verts([])
            diagram.tallest.set_text("")
            return Finding("No dots: these are no rows of a diagram", f"{capital(model)} in {bins} bins, by {function.by}",
                           f"Nothing can be drawn. {type(problem).__name__}: {problem}")
        diagram.update(curve, model=model)
        full, low = curve.count > 0, (curve.gap > 0).sum()
        return Finding(f"{capital(model)}: {low} of {full.sum()} dots below the diagonal",
                       f"{curve.count.sum():,} digits in {bins} bins; the dots by {function.by}",
                       f"The fullest bin holds {curve.count.max()} digits.")

    return explore(setup, update, size=(7, 5.6), model=list(digits_cast()), bins=(2, 30, 1), code=hit_and_confidence)


def as_curve(rows, bins):
    """Rows of mean confidence, share of hits and count, each put in the bin of its confidence."""
    rows = np.asarray(rows, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        raise ValueError(f"expected finite rows of three numbers, got an array of shape {rows.shape}.")
    if rows[:, :2].min() < 0 or rows[:, :2].max() > 1:
        raise ValueError("expected mean confidence and share of hits, in [0, 1], as the first two of each row.")
    which = np.clip(np.ceil(rows[:, 0] * bins).astype(int) - 1, 0, bins - 1)
    if len(set(which)) < len(which):
        raise ValueError("two rows have their mean confidence in the same bin.")
    count, confidence, frequency = np.zeros(bins, int), np.full(bins, np.nan), np.full(bins, np.nan)
    confidence[which], frequency[which], count[which] = rows.T
    return ReliabilityCurve(np.arange(bins + 1) / bins, count, confidence, frequency)


SCENES = 20
PROMISE = {"object": 0.8, "human": 0.0, "animal": 0.2}


def said_and_happened(humans, animals):
    """For each kind, the probability that was said and its share of the 20 scenes; what is left is objects."""
    animals = min(animals, SCENES - humans)
    count = {"object": SCENES - humans - animals, "human": humans, "animal": animals}
    return {kind: (PROMISE[kind], count[kind] / SCENES) for kind in PROMISE}


def road_scenes():
    """Twenty road scenes that all got (80 %, 0 %, 20 %): the reader decides what was really there."""
    colours = dict(zip(PROMISE, ("#8A949E", "#5E2A7E", "#00806B"), strict=True))
    forecast = ", ".join(f"{share:.0%} {name}" for name, share in PROMISE.items())

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.45, 1])
        road = panel(fig, grid[0], read_y=False, xlim=(-0.1, 5.1), ylim=(-0.1, 4.1), aspect="equal", xticks=[])
        road.set_axis_off()
        tile = _box(0, 0, 0.96, 0.96)
        chance(road, facecolor="#EEF1F4", lw=0).set_verts([tile + (i % 5, i // 5) for i in range(SCENES)])
        shapes = {name: chance(road, facecolor=colour, lw=0) for name, colour in colours.items()}
        bars = panel(fig, grid[1], read_y=False, xlim=(-0.45, 2.8), ylim=(0, 1.16))
        bars.set_xticks(range(3), list(PROMISE))
        happened = bars.bar(range(3), [1, 1, 1], width=0.5, color=list(colours.values()), alpha=0.55)
        for x, promise in enumerate(PROMISE.values()):
            truth(bars, [x - 0.3, x + 0.3], [promise, promise], zorder=5, clip_on=False)
            words(bars, x + 0.34, max(promise, 0.075), f"said\n{promise:.0%}", size=11, ha="left")
        return {"shapes": shapes, "happened": happened, "stems": misses(bars, lw=9),
                "numbers": [words(bars, x, 0, "", bold=True, va="bottom", size=13.5) for x in range(3)]}

    def update(artists, humans=3, animals=9):
        seen = said_and_happened(humans, animals)
        count = {name: round(share * SCENES) for name, (_, share) in seen.items()}
        kinds = np.repeat(list(count), list(count.values()))
        for name, shape in artists["shapes"].items():
            shape.set_verts(
                [polygon + (i % 5, i // 5) for i in np.flatnonzero(kinds == name) for polygon in ICONS[name]])
        stems = []
        for x, (bar, number_, name) in enumerate(zip(artists["happened"], artists["numbers"], seen, strict=True)):
            promise, share = seen[name]
            kept = abs(share - promise) < 1e-9
            bar.set_height(share)
            stems += [] if kept else [[(x, promise), (x, share)]]
            low = promise - share > 0.12  # beside the red bar, or above both
            number_.set(text=f"{share:.0%}", x=x + 0.1 * low, y=share + 0.01 if low else max(share, promise, 0.08) + 0.03,
                        ha="left" if low else "center", color=KEPT if kept else MISS)
        artists["stems"].set_segments(stems)
        worst = max(seen, key=lambda name: abs(seen[name][1] - seen[name][0]))
        promise, share = seen[worst]
        kept = abs(share - promise) < 1e-9
        cut = animals > count["animal"]
        rest = f"of {animals} animals {count['animal']} found room" if cut else "you choose what was there"
        return Finding("Calibrated: every promise is kept"
                       if kept else f"{worst.capitalize()}s: {promise:.0%} said, {share:.0%} happened",
                       f"{SCENES} scenes, all with the forecast {forecast}; {rest}",
                       f"Objects {count['object']}, humans {humans}, animals {count['animal']}.")

    return explore(setup, update, size=(9, 4.6), humans=(0, SCENES, 1), animals=(0, SCENES, 1), code=said_and_happened)


def cost(forecast, rate):
    """The two parts of a forecast's expected squared error: calibration error and variance of the outcome."""
    return (forecast - rate) ** 2, rate * (1 - rate)


def coin():
    """A forecast p for an event of true rate r: the expected squared error and its two parts."""
    grid = np.linspace(0, 1, 101)

    def setup(fig):
        axes = panel(fig, xlim=(-0.09, 1.12), ylim=(-0.13, 1.06), x=[0, 0.5, 1], y=[0, 0.5, 1], xlabel="forecast p",
                     ylabel="expected squared error")
        curve = estimate(axes, grid, grid, line=True)
        return {"curve": curve, "ghost": Ghost(curve), "floor": reference(axes, [0, 1], [0, 0]),
                "name": words(axes, 0, 0, "", colour=SOFT, size=11, va="top"), "stem": misses(axes, lw=9),
                "dot": choice(axes), "miss": number(axes, colour=MISS, offset=(13, 0))}

    def update(artists, forecast=0.8, rate=0.5):
        moved = (forecast, rate) != (0.8, 0.5)  # as it opens, the reader is asked for the cheapest forecast
        error, variance = cost(forecast, rate)
        artists["curve"].set_ydata(cost(grid, rate)[0] + variance)
        artists["floor"].set_ydata([variance, variance])
        above = forecast >= rate or error > 0.5  # there the axis is too near
        left = forecast >= 0.5 if above else forecast > 0.5  # words stand where stem and number are not, all below the curve
        artists["name"].set(position=(0.0 if left else 1.0, variance - 0.02), ha="left" if left else "right",
                            text=f"no forecast is below r (1 − r) = {variance:.3f}" if moved else "")
        artists["stem"].set_segments([[(forecast, variance), (forecast, variance + error)]] if error else [])
        artists["dot"].set_data([forecast], [variance + error])
        tell(artists["miss"], (forecast, variance + error / 2 if error > 0.1 else variance - 0.06),
             f"{error:.3f}" * (error > 5e-4), ha="left" if above else "right", position=(13 if above else -13, 0))
        more = f"{error:.3f}" if error > 5e-4 else "nothing"
        return Finding(
            f"You say {forecast:.0%}, it happens in {rate:.0%}: you pay {more} more",
            f"blue: the expected squared error of each forecast at r = {rate:.2f}; you say p = {forecast:.2f}",
            f"The variance of the outcome costs {variance:.3f}; together {error + variance:.3f}.")

    return explore(setup, update, size=(9, 4.2), forecast=(0.0, 1.0, 0.05), rate=(0.0, 1.0, 0.05), code=cost,
                   hand=Hand("coin", __file__))


def _disc(x, y, rx, ry=None, n=24):
    turn = np.linspace(0, 2 * np.pi, n)
    return np.column_stack([x + rx * np.cos(turn), y + (ry or rx) * np.sin(turn)])


def _box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


# Unit-tile drawings: a traffic cone, a walker, a dog.
ICONS = {"object": [np.array([(0.3, 0.2), (0.66, 0.2), (0.52, 0.8), (0.44, 0.8)]), _box(0.22, 0.14, 0.74, 0.22)],
         "human": [_disc(0.48, 0.76, 0.1),
                   np.array([(0.34, 0.64), (0.62, 0.64), (0.57, 0.36), (0.39, 0.36)]),
                   _box(0.39, 0.12, 0.46, 0.38),
                   _box(0.5, 0.12, 0.57, 0.38)],
         "animal": [_disc(0.45, 0.46, 0.24, 0.13),
                    _disc(0.72, 0.62, 0.11, 0.1),
                    np.array([(0.64, 0.68), (0.7, 0.7), (0.65, 0.82)]),
                    np.array([(0.2, 0.5), (0.25, 0.56), (0.1, 0.7)]),
                    *(_box(x, 0.16, x + 0.06, 0.42) for x in (0.26, 0.36, 0.5, 0.6))]}
