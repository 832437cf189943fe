"""Pictures of the case study on ten deep networks; `simulations` computes what takes long."""

from functools import lru_cache
from itertools import product

import numpy as np
from scipy.stats import spearmanr

from ...estimates.binning import expected_calibration_error, reliability_curve
from ...data.networks import DATA, NETWORKS, network_facts, network_predictions, network_training
from ...plots import (GREY, INK, KEPT, SOFT, Finding, ReliabilityDiagram, chance, estimate, misses, panel, reference,
                      region, ten_to, words)
from ...door.predictions import top_label
from ...reproductions.blocks import stored_summary
from ...reproductions.networks import ESTIMATORS, PUBLISHED
from ...teach.explore import explore
from ...teach.marks import choice, number, tell, truth
from ..shared.verdicts import beyond, signed, written
from .simulations import CUTS, LIGHT, best_of_halves, errors_in_light, in_light, own_temperature

ON_WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}


def said_of(gap, error):
    """“says 4.7 points too much”, or that a mean confidence is within two standard errors of what happened."""
    return f"says {100 * abs(gap):.1f} points too {'much' if gap > 0 else 'little'}" if beyond(gap, error) else "off within noise"


def by_epoch(confidence, hit, n_bins):
    """Of each epoch: its reliability curve; how often it is right, how sure it says it is, and its ECE."""
    epochs = [(h.astype(int), c.astype(float)) for h, c in zip(hit, confidence, strict=True)]
    curves = [reliability_curve(h, c, n_bins=n_bins) for h, c in epochs]
    return curves, np.array([(h.mean(), c.mean(), expected_calibration_error(h, c, n_bins=n_bins)) for h, c in epochs]).T


def every_epoch():
    """The ResNet-110 after each epoch of its training: its reliability, and four curves with the epoch marked."""
    found = {data: (*by_epoch(*network_training(data)[:2], 15), network_training(data)[2]) for data in DATA}
    most = max(len(curves) for curves, *_ in found.values())

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.15, 1])
        artists = {"diagram": ReliabilityDiagram(fig, spec=grid[0], cases="images")}
        strips = grid[1].subgridspec(3, 1, height_ratios=[2, 1.2, 1.2], hspace=0.12)
        for k, (name, ylim, ticks) in enumerate((("share", (-0.2, 1.12), [0, 0.5, 1]), ("log loss", (0.35, 40), [0.5, 5]),
                                                 ("ECE", (0.004, 1), [0.01, 0.1]))):
            axes = panel(fig, strips[k], xlim=(0.5, most + 3.8), ylabel=name, xticks=[], base=k == 2,
                         yscale="log" if k else "linear", ylim=ylim, y=ticks)
            artists[name] = [estimate(axes, line=True), choice(axes), number(axes, colour=KEPT, offset=(0, 16), ha="center", bbox=ON_WHITE)]
            if not k:
                artists |= {"right": truth(axes), "stem": misses(axes), "below": number(axes, offset=(0, -16), ha="center", bbox=ON_WHITE)}
        axes.set(xticks=[1, 5, 10, 15, 19], xlabel="epoch")
        return artists

    def update(artists, data=DATA[0], epoch=most):
        curves, (right, said, ece), loss = found[data]
        e, x = min(epoch, len(curves)) - 1, np.arange(1, len(curves) + 1)
        artists["diagram"].update(curves[e])
        artists["right"].set_data(x, right)
        artists["stem"].set_segments([[(e + 1, right[e]), (e + 1, said[e])]])
        at = np.clip(e + 1, 3.5, most)  # where a number has room
        tell(artists["below"], (at, min(right[e], said[e])), f"right {right[e]:.1%}")
        texts = {"share": (said, f"says {said[e]:.1%}"), "log loss": (loss, f"{loss[e]:.3f}"), "ECE": (ece, f"{ece[e]:.3f}")}
        for name, (line, text) in texts.items():
            artists[name][0].set_data(x, line)
            artists[name][1].set_data([e + 1], [line[e]])
            tell(artists[name][2], (at, line[e]), text)
        gap, rows = said[e] - right[e], curves[e].count.sum()
        return Finding(
            f"Epoch {e + 1}: right {right[e]:.0%}, {said_of(gap, np.sqrt(right[e] * (1 - right[e]) / rows))}",
            f"ResNet-110 on {data}, {rows:,} test images, 15 bins; yellow: this epoch",
            f"Of {len(curves)} epochs the log loss is smallest at epoch {loss.argmin() + 1}, the ECE at epoch {ece.argmin() + 1}.")

    return explore(setup, update, size=(9, 5.2), data=list(DATA), epoch=(1, most, 1), code=by_epoch)


SHORT = dict(zip(NETWORKS, ("LeNet", "Dense", "wide", "ResNet", "SD"), strict=True))


@lru_cache
def ten_facts():
    """{network on data: how it did on 10,000 test images, and its log loss at the end of its training}."""
    found = {}
    for data, network in product(DATA, NETWORKS):
        said, training = network_predictions(network, data=data), network_facts(data)[network]["last_training_loss"]
        hit, confidence = top_label(said.y_true, said.y_prob)
        gap, loss = confidence - hit, -np.log(said.y_prob[np.arange(len(hit)), said.y_true]).mean()
        found[f"{network} on {data}"] = {
            "gap": gap.mean(), "error": gap.std() / len(gap) ** 0.5, "ECE": expected_calibration_error(hit, confidence),
            "test − training loss": loss - training, "training loss": training, "accuracy": hit.mean(), "test loss": loss,
            "sure of": (confidence >= 0.9).mean()}
    return found


def rank_correlation(x, y):
    """Spearman's."""
    return spearmanr(x, y).statistic


def ten_networks():
    """Confidence − accuracy of ten networks, in the order of what may go with it; one of them is looked at."""
    facts = ten_facts()
    names, n, gaps = list(facts), len(facts), np.array([each["gap"] for each in facts.values()])
    small = np.array([name.endswith(DATA[0]) for name in names])

    def setup(fig):
        axes = panel(fig, xlim=(-0.7, n - 0.3), ylim=(-0.057, 0.118), ylabel="said − happened", xticks=[],
                     y=[0, 0.05, 0.1], base=False)
        reference(axes, [-0.7, n - 0.3], [0, 0])
        region(axes, -0.6, 0.113, "says too much", ha="left")
        words(axes, n - 0.4, 0.113, "● CIFAR-10   ○ CIFAR-100", colour=SOFT, ha="right")
        rings = estimate(axes, ms=11, mfc="white", mec=KEPT, mew=2, zorder=9)
        return {"stems": misses(axes, lw=5, alpha=0.85), "here": choice(axes, ms=20), "dots": (estimate(axes, ms=12, zorder=9), rings),
                "names": [words(axes, k, -0.024 - 0.011 * (k % 2), "", colour=SOFT) for k in range(n)],
                "ends": [words(axes, x, -0.05, "", colour=SOFT, ha=ha) for x, ha in ((-0.6, "left"), (n - 0.4, "right"))]}

    def update(artists, against="test − training loss", place=3):
        values = np.array([each[against] for each in facts.values()])
        order = np.argsort(values)
        for dots, inside in zip(artists["dots"], (small[order], ~small[order]), strict=True):
            dots.set_data(np.flatnonzero(inside), gaps[order][inside])
        artists["stems"].set_segments([[(k, 0), (k, gap)] for k, gap in enumerate(gaps[order])])
        for text, k in zip(artists["names"], order, strict=True):
            text.set_text(SHORT[names[k].partition(" on ")[0]])
        for text, end, k in zip(artists["ends"], ("smallest", "largest"), order[[0, -1]], strict=True):
            text.set_text(f"{end}: {written(values[k], 2)}")
        at = order[place - 1]
        artists["here"].set_data([place - 1], [gaps[at]])
        one = facts[names[at]]
        return Finding(
            f"Over-confidence and {against}: rank correlation {written(rank_correlation(values, gaps), 2)}",
            f"{names[at]}: right {one['accuracy']:.0%}, ECE {one['ECE']:.3f}; 90% sure or more of {one['sure of']:.0%} of 10,000 images",
            f"The yellow one {said_of(one['gap'], one['error'])}; its log loss is {one['test loss']:.2f}.")

    return explore(setup, update, size=(9, 4.6), against=["test − training loss", "training loss", "accuracy"], place=(1, n, 1),
                   code=rank_correlation, labels={"against": "from left to right by", "place": "which one, from the left"})


TABLES = {"CIFAR-10, top label": (DATA[0], "top-label"), "CIFAR-10, ten classes": (DATA[0], "canonical"),
          "CIFAR-100, top label": (DATA[1], "top-label"), "CIFAR-100, hundred classes": (DATA[1], "canonical")}
ROWS, LEFT, RIGHT = ESTIMATORS["top-label"], 1e-8, 3e-3


def against_nothing(best, part, won, told, splits):
    """What a risk says of h = 0: that nothing is below it, or how often the smallest is, and by which part of one ±."""
    if best == "h = 0" or told <= splits / 2:
        return "no mean risk is below that of h = 0" if best == "h = 0" else f"{best} is smallest, rarely told from h = 0"
    return f"{best} beats h = 0 in {won} of {splits} splits, by {part:.0%} of a ±"


def spread_of_risk(root, spread):
    """The ± of a risk whose root, in hundredths, is known ± spread."""
    return 2 * root * spread / 1e4


def risks_apart():
    """How far each estimator's risk is above the smallest, paired over folds, beside the ± of one risk alone."""
    designs = stored_summary("networks")["designs"]

    def setup(fig):
        ticks = [LEFT, 1e-6, 1e-5, 1e-4, 1e-3]
        axes = panel(fig, xlim=(LEFT / 2, 0.03), ylim=(0.4 - len(ROWS), 1.05), xscale="log", read_y=False, base=False,
                     x=ticks)
        axes.set(yticks=-np.arange(len(ROWS)), yticklabels=ROWS, xticklabels=["0", *map(ten_to, ticks[1:])])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.set_xlabel("risk above the smallest one, mean over splits", x=0.42)
        words(axes, 0.03, 0.75, "paper", colour=SOFT, ha="right")
        return {"band": chance(axes), "name": words(axes, 1e-4, 0.75, "within the ± of one risk", colour=SOFT, ha="right"),
                "paper": [words(axes, 0.03, -k, "", ha="right") for k in range(len(ROWS))],
                "bars": misses(axes, colors=GREY, lw=1.6), "dots": [estimate(axes, ms=12, color=c) for c in (KEPT, GREY)]}

    def update(artists, table=list(TABLES)[0], network=NETWORKS[2]):
        data, notion = TABLES[table]
        one, names = designs[f"{data}, {notion}, {network}"], ESTIMATORS[notion]
        mean, splits, told = one["mean"], one["data_sets"], one["told apart"]
        above, paired = (np.array([mean[name][key] for name in names]) for key in ("worse_by", "worse_by_spread"))
        alone = spread_of_risk(mean["h = 0"]["root_risk"], mean["h = 0"]["root_risk_spread"])
        grey, best = np.array([told[name] > splits / 2 for name in names]), int(above.argmin())
        at, x = np.array([-ROWS.index(name) for name in names]), np.clip(above, LEFT, RIGHT)
        x[best] = LEFT
        for dots, inside in zip(artists["dots"], (~grey, grey), strict=True):
            dots.set_data(x[inside], at[inside])
        ends = np.clip(above + np.outer([-1, 1], paired), LEFT, RIGHT)
        artists["bars"].set_segments([[(ends[0, k], y), (ends[1, k], y)] for k, y in enumerate(at) if k != best])
        artists["band"].set_verts([[(LEFT / 2, 0.5), (alone, 0.5), (alone, 0.5 - len(ROWS)), (LEFT / 2, 0.5 - len(ROWS))]])
        artists["name"].set_x(alone)
        theirs = dict(zip(names[1:], PUBLISHED[data, notion], strict=True))
        for paper, name in zip(artists["paper"], ROWS, strict=True):
            paper.set_text(f"{theirs[name][NETWORKS.index(network)]:.2f}" if name in theirs else "")
        won, counted = one["below"], lambda each: ", ".join(f"{name} in {each[name]}" for name in names if name in each)
        return Finding(
            f"{network}: {against_nothing(names[best], above[0] / alone, won[names[best]]['h = 0'], told['h = 0'], splits)}",
            f"{table}; mean of {splits} splits; bar: ± of the difference; grey: beyond two in most",
            f"Below h = 0: {counted({name: won[name]['h = 0'] for name in theirs})}. Told from the best: {counted(told)}.")

    return explore(setup, update, size=(9, 4.6), table=list(TABLES), network=list(NETWORKS), code=spread_of_risk)


TOPS = 0.02, 0.05, 0.1, 0.2, 0.5, 1, 6  # of an axis
AT = {light: f"At {signed(light, 0)}%" if light else "Unchanged" for light in LIGHT}


def lines_in_light(dials, finding, **first):
    """A line a network over eleven brightnesses, for each of `dials` {name: table (network, brightness)}; one is chosen."""
    def setup(fig):
        axes = panel(fig, xlim=(-53, 86), ylim=(first["low"], 1.1), yticks=[0, 0.5, 1], base=(-53, 53))
        axes.set(xticks=LIGHT[::2], xticklabels=[f"{signed(each, 0)}%" for each in LIGHT[::2]], yticklabels=[" " * 10] * 3)
        axes.set_xlabel("brightness", x=0.39)
        reference(axes, [-53, 53], [0, 0])
        return {"others": [estimate(axes, color=GREY, ls="-", lw=1.2, ms=5) for _ in NETWORKS], "line": estimate(axes, ls="-", ms=9),
                "stem": misses(axes, lw=5), "here": choice(axes), "names": [number(axes, size=12) for _ in NETWORKS],
                "ticks": [number(axes, offset=(-9, 0), size=12, colour=SOFT) for _ in range(3)],
                "number": number(axes, colour=KEPT, offset=(0, 17), ha="center", bbox=ON_WHITE)}

    def update(artists, dial=first["dial"], network=first["network"], light=first["light"]):
        lines, k, j = dials[dial], NETWORKS.index(network), LIGHT.index(light)
        top, places = next(each for each in TOPS if lines.max() <= each), lines[:, -1].argsort().argsort()
        for each, line in zip((*artists["others"], artists["line"]), (*lines, lines[k]), strict=True):
            each.set_data(LIGHT, line / top)
        artists["here"].set_data([light], [lines[k, j] / top])
        artists["stem"].set_segments([[(light, lines[k, LIGHT.index(0)] / top), (light, lines[k, j] / top)]])
        tell(artists["number"], (light, lines[k, j] / top), ten_to(lines[k, j]), position=(-22 if light == 50 else 0, 17))
        for tick, y in zip(artists["ticks"], (0, 0.5, 1), strict=True):
            tell(tick, (-53, y), ten_to(top * y), weight="normal")
        for label, name, place in zip(artists["names"], NETWORKS, places, strict=True):
            tell(label, (51, lines[:, -1].mean() / top + 0.085 * (place - 2)), name, color=KEPT if name == network else SOFT)
        return finding(dial, network, light)

    return explore(setup, update, size=(9, 4.6), dial=list(dials), network=list(NETWORKS), light=LIGHT, code=first.get("code", ()),
                   labels={"dial": "measured", "light": "brightness, %"}, kept={"light": LIGHT[::5]})


def paired_change(gap, start):
    """How much the gaps of the same images rose on average, and the standard error."""
    return np.mean(gap - start), np.std(gap - start) / len(gap) ** 0.5


def temperature_in_light():
    """Confidence − accuracy by brightness, as trained and after a temperature from held-out images."""
    gaps, names = {}, ("after T", "as trained")
    for dial, network, light in product(names, NETWORKS, LIGHT):
        y, p = in_light(network, light)
        hit, confidence = top_label(y, own_temperature(network).predict_proba(p) if dial == "after T" else p)
        gaps[dial, network, light] = confidence - hit
    dials = {dial: np.array([[gaps[dial, each, light].mean() for light in LIGHT] for each in NETWORKS]) for dial in names}

    def finding(dial, network, light):
        gap = gaps[dial, network, light]
        change, error = paired_change(gap, gaps[dial, network, 0])
        more = f"{signed(change)} ± {2 * error:.3f} from unchanged" + ("" if beyond(change, error) else " (noise)")
        return Finding(
            f"{AT[light]}, {network} {dial}: {more if light else said_of(gap.mean(), gap.std() / len(gap) ** 0.5)}",
            f"said − happened, 1,000 images; ± two standard errors, image by image; T = {own_temperature(network).temperature:.2f} from 5,000 others",
            "Its gap here: " + ", ".join(f"{each} {signed(dials[each][NETWORKS.index(network), LIGHT.index(light)])}" for each in dials) + ".")

    return lines_in_light(dials, finding, dial="after T", network=NETWORKS[2], light=50, low=-0.4, code=paired_change)


def brightness_dial():
    """Accuracy and errors by brightness: which network is best, and do two halves of the images say the same?"""
    accuracy = np.array([[np.mean(top_label(*in_light(network, light))[0]) for light in LIGHT] for network in NETWORKS])
    names = "ECE, 15 bins", "JKCE", "CKCE, λ = 0.18", "CKCE, λ = 0.001"
    dials = dict(zip(names, np.moveaxis([errors_in_light(network) for network in NETWORKS], 2, 0), strict=True)) | {"accuracy": accuracy}
    halves = np.array([best_of_halves(cut) for cut in range(CUTS)])  # cut, half, brightness, error

    def finding(dial, network, light):
        best, j = (dials[dial] * (-1 if dial == "accuracy" else 1)).argmin(axis=0), LIGHT.index(light)
        same = [(halves[:, 0, j, k] == halves[:, 1, j, k]).sum() for k in range(len(names)) if names[k] == dial]
        return Finding(
            f"{AT[light]}: {NETWORKS[best[j]]} is best" + "".join(f"; halves agree in {each} of {CUTS} cuts" for each in same),
            f"{dial}; 1,000 images, halves of 500; blue: {network}; red: change from unchanged",
            f"Best, of {len(LIGHT)} brightnesses: " + ", ".join(f"{each} at {(best == k).sum()}" for k, each in enumerate(NETWORKS)) + ".")

    return lines_in_light(dials, finding, dial="CKCE, λ = 0.18", network=NETWORKS[0], light=0, low=-0.12, code=errors_in_light)


CLASSES = """apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can castle
caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin elephant flatfish forest fox
girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain mouse
mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon
ray road rocket rose sea seal shark shrew skunk skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table
tank telephone television tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm""".split()


def miss_of_answers(answer, gap, rows):
    """Mean of confidence minus hit over those `rows` that were given each of 100 answers; nan for fewer than 20."""
    count = np.bincount(answer[rows], minlength=100)
    return np.where(count < 20, np.nan, np.bincount(answer[rows], gap[rows], minlength=100) / np.maximum(count, 1))


def two_halves(network):
    """`miss_of_answers` in both halves of 20 cuts of the test images; shape (20, 2, 100)."""
    said = network_predictions(network, data="CIFAR-100")
    hit, confidence = top_label(said.y_true, said.y_prob)
    halves = [np.array_split(np.random.default_rng(cut).permutation(len(hit)), 2) for cut in range(CUTS)]
    return np.array([[miss_of_answers(said.y_prob.argmax(axis=1), confidence - hit, each) for each in both] for both in halves])


def worst_class():
    """The miss of each of 100 answers in one half of the images and in the other; the worst of the one is marked."""
    found = {network: two_halves(network) for network in NETWORKS}

    def setup(fig):
        axes = panel(fig, xlim=(-0.4, 0.72), ylim=(-0.4, 0.42), xlabel="said − happened, in one half of the images",
                     ylabel="in the other half", x=[-0.3, 0, 0.3], y=[-0.3, 0, 0.3], base=(-0.4, 0.4))
        axes.xaxis.label.set(x=0.36)
        reference(axes, [-0.4, 0.4], [-0.4, 0.4], "the same in both", at=0.16)
        reference(axes, [-0.4, 0.4], [0, 0])
        words(axes, 0.72, -0.27, f"the worst of one half,\nmean of {CUTS} cuts", colour=SOFT, ha="right")
        return {"dots": estimate(axes, ms=7, alpha=0.6), "stem": misses(axes, lw=2.4), "here": choice(axes),
                "name": number(axes, offset=(14, 0)), "mean": words(axes, 0.72, -0.17, "", ha="right", bold=True, size=15)}

    def update(artists, network=NETWORKS[0], cut=0):
        every = found[network]
        worst = np.nanargmax(every, axis=2)  # cut, half
        (one, other), k = every[cut], worst[cut, 0]
        artists["dots"].set_data(one, other)
        artists["here"].set_data([one[k]], [other[k]])
        artists["stem"].set_segments([[(one[k], one[k]), (one[k], other[k])]])
        tell(artists["name"], (one[k], other[k]), name := CLASSES[k].replace("_", " "))
        here, there = np.nanmean(every[np.arange(CUTS), :, worst[:, 0]], axis=0)
        artists["mean"].set_text(f"{written(here, 2)} → {written(there, 2)}")
        return Finding(
            f"Worst in one half is “{name}”: {written(one[k], 2)} too much; in the other {written(other[k], 2)}",
            f"{network} on CIFAR-100, cut {cut}; a dot an answer given 20 times or more in each half",
            f"In {(worst[:, 0] == worst[:, 1]).sum()} of {CUTS} cuts both halves name the same worst answer.")

    return explore(setup, update, size=(9, 4.8), network=list(NETWORKS), cut=(0, CUTS - 1, 1), code=miss_of_answers,
                   kept={"cut": list(range(0, CUTS, 4))})
