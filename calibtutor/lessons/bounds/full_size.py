"""The poster's two figures from our stored run of 10,000 data sets."""

from functools import lru_cache
from itertools import zip_longest

import numpy as np

from ...plots import CHOICE, INK, KEPT, MISS, Finding, bars_between, chance, estimate, misses, panel, reference, words
from ...reproductions.blocks import stored_summary
from ...reproductions.widmann import ESTIMATES, MODELS, N
from ...teach.explore import explore
from ..shared.histograms import heap
from ..shared.posters_models import LIKE
from ..shared.pvalues import IN_WORDS, by_chance, raises_false_alarms
from ..shared.verdicts import signed, written

CLOSE = 0.01  # of the true value, which is a simulation's as well
SEEN = 0.01  # the least share of data sets in which a test that sees an error finds it


@lru_cache
def stored_runs():
    """Moments and histograms of estimates and shares rejected, by model.

    `calibtutor.reproductions.widmann.one_data_set(model, number)` made each data set, its estimates and its p-values.
    """
    return stored_summary("widmann")["models"]


def on_target(mean, truth, sd, n_sets):
    """Whether estimates average the truth: within 3 standard errors, or within 1% of it."""
    return abs(mean - truth) <= max(3 * sd / np.sqrt(n_sets), CLOSE * abs(truth))


def averages(model):
    """Of each estimator: its mean, the truth, and whether the mean is on target."""
    runs = stored_runs()[model]
    found = {name: (each["mean"], each["truth"], each["sd"]) for name, each in runs["estimates"].items()}
    return {name: (*each[:2], on_target(*each, runs["data_sets"])) for name, each in found.items()}


@lru_cache
def shares_rejected(model):
    """Levels 0, 0.005, …, 0.2, and of each test the share of a model's data sets with a p-value of at most that."""
    levels = np.linspace(0, 1, 201)[:41]
    return levels, {test: np.array(shares[:41]) for test, shares in stored_runs()[model]["rejected"].items()}


@lru_cache
def too_often(model):
    """Tests that reject too often: on this model, or, where there is an error to find, on the poster's calibrated one."""
    judge = "M1" if model in ("M2", "M3") else model
    levels, shares = shares_rejected(judge)
    return {test for test, share in shares.items() if raises_false_alarms(levels, share, stored_runs()[judge]["data_sets"])}


def full_size_estimates():
    """The poster's first figure: estimates over 10,000 data sets against the true value."""
    summary, rows = stored_runs(), dict(zip(ESTIMATES, range(len(ESTIMATES))[::-1], strict=True))
    plain = {"ECE": "ECE", "ECE, colliding cells": "ECE of colliding cells", "SKCE_b": "biased SKCE",
             "SKCE_uq": "unbiased SKCE", "SKCE_ul": "linear SKCE"}

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.07, 1.09), ylim=(-0.5, 4.85),
                     xlabel="estimated calibration error (SKCE: squared)", x=[0, 0.25, 0.5, 0.75, 1])
        axes.set_yticks(list(rows.values()), [plain[name] for name in rows])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        reference(axes, [0, 0], [-0.5, 4.42])
        return {"here": chance(axes, facecolor=CHOICE, alpha=0.35, zorder=0),
                "bars": chance(axes, facecolor=KEPT, alpha=0.4, zorder=2), "means": estimate(axes),
                "truths": misses(axes, colors=INK, lw=3, zorder=5), "stems": misses(axes, lw=5),
                "numbers": {name: words(axes, 0, y, "", bold=True, size=13.5, ha="left") for name, y in rows.items()},
                "true": words(axes, 0, 4.5, "", bold=True, va="bottom")}

    def update(artists, estimator="ECE", model="M1"):
        boxes, stems, data_sets, every = [], [], summary[model]["data_sets"], averages(model)
        for name, row in rows.items():
            found, (mean, true, hit) = summary[model]["estimates"][name], every[name]
            counts = np.array(found["counts"])
            edges = found["first_edge"] + found["width"] * np.arange(len(counts) + 1)
            boxes += heap(edges, counts, row, 0.38)
            stems += [] if hit else [[(true, row), (mean, row)]]
            artists["numbers"][name].set(x=max(mean + 3 * found["sd"], true) + 0.015, color=KEPT if hit else MISS,
                                         text="on target" if hit else short(mean - true, signed))
        artists["bars"].set_verts(boxes)
        artists["stems"].set_segments(stems)
        artists["truths"].set_segments([[(every[name][1], y + end) for end in (-0.2, 0.42)]
                                        for name, y in rows.items()])
        artists["means"].set_data([every[name][0] for name in rows], list(rows.values()))
        here, (mean, true, hit) = rows[estimator], every[estimator]
        artists["here"].set_verts(bars_between([-0.07, 1.09], [here - 0.36], [here + 0.46]))
        artists["true"].set(x=every["ECE"][1], text=f"truth {short(every['ECE'][1])}")
        off = f"says {short(abs(mean - true))} too {'much' if mean > true else 'little'}"
        return Finding(
            f"The {plain[estimator]} {'is on target' if hit else off}",
            f"{model}: {LIKE[model]}; ink: truth, dot: mean of {data_sets:,} data sets of {N}, red: the miss",
            f"Standard deviation {summary[model]['estimates'][estimator]['sd']:.5f}, true value {true:.5f}.")

    return explore(setup, update, size=(9, 4.6), code=(stored_runs, on_target, averages), model=["M1", "M2", "M3"],
                   estimator=list(ESTIMATES))


def short(value, how=written):
    """Three digits, or four where three would be few."""
    return how(value, 3 if abs(value) >= 0.05 else 4)


TESTS = {"of the poster": ("C, colliding cells", "A_uq", "A_l", "D_b", "D_uq", "D_ul"),
         "exact ones": ("exact", "aggregated", "exact ECE"),
         "consistency resampling": ("C", "C, colliding cells", "C with SKCE_uq")}


def _show_rows(artists, share, red, start, alpha):
    """A dot for each test's share, with a stem from where it should be, and its name and number."""
    heights = {name: 5 - k for k, name in enumerate(share)}
    for dots, stems, is_red in (("bad", "stems", True), ("good", "kept", False)):
        mine = [name for name in share if (name in red) == is_red]
        artists[dots].set_data([share[name] for name in mine], [heights[name] for name in mine])
        artists[stems].set_segments([[(start, heights[name]), (share[name], heights[name])] for name in mine])
    for label, value, name in zip_longest(artists["names"], artists["numbers"], share):
        label.set_text(IN_WORDS[name] if name else "")
        value.set_text(f"{share[name]:.1%}" if name else "")
        if name:
            value.set(x=max(share[name], alpha) + 0.04, color=MISS if name in red else KEPT)


def full_size_errors():
    """The poster's second figure: how often each test rejects, at every level."""

    def setup(fig):
        for model in MODELS:
            too_often(model)
        rows = panel(fig, read_y=False, xlim=(-0.86, 1.24), ylim=(-0.6, 5.6), xlabel="share of data sets rejected",
                     base=(0, 1))
        rows.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        rows.xaxis.label.set(x=0.65)
        return {"band": chance(rows), "level": reference(rows), "stems": misses(rows), "good": estimate(rows),
                "bad": estimate(rows, color=MISS), "kept": misses(rows, colors=KEPT),
                "names": [words(rows, -0.05, 5 - k, "", ha="right") for k in range(6)],
                "numbers": [words(rows, 0, 5 - k, "", bold=True, size=13.5, ha="left") for k in range(6)]}

    def update(artists, model="M1", tests="of the poster", alpha=0.05):
        (levels, rejected), n_sets = shares_rejected(model), stored_runs()[model]["data_sets"]
        at = int(np.argmin(np.abs(levels - alpha)))
        share = {name: float(rejected[name][at]) for name in TESTS[tests]}
        power, red = model in ("M2", "M3"), [name for name in share if name in too_often(model)]
        _show_rows(artists, share, red, 0 if power else alpha, alpha)
        artists["band"].set_verts([] if power else bars_between(by_chance(n_sets, alpha), [-0.6], [5.6]))
        artists["level"].set_data([alpha, alpha], [-0.6, 5.6])
        return Finding(errors_headline(share, red, power),
                       f"{model}: {LIKE[model]}; {n_sets:,} sets of {N}, α = {alpha:.0%}; C redraws pairs; "
                       + ("red: too often on M1" if power else "grey: chance, red: above"),
                       f"Rejected: {', '.join(f'{name} {value:.1%}' for name, value in share.items())}.")

    return explore(setup, update, size=(9, 4.6), code=(stored_runs, shares_rejected, too_often), model=list(MODELS),
                   tests=list(TESTS), alpha=(0.01, 0.2, 0.01), labels={"alpha": "level α"})


def errors_headline(share, red, power):
    """The finding of `full_size_errors`: which tests reject too often, or which of the others find nothing."""
    if power:
        others = [value for test, value in share.items() if test not in red]
        if blind := sum(value < SEEN for value in others):
            return f"{blind} of the {len(others)} other tests find{'s' * (blind == 1)} nothing"
        return f"Every other test finds the error, the weakest in {min(others):.0%} of the data sets"
    if not red:
        return f"None of these {len(share)} tests rejects too often, up to α = 20%"
    worst = max(share[each] for each in red)
    many = "rejects too often:" if len(red) == 1 else "reject too often, up to"
    return f"{len(red)} of {len(share)} tests {many} {worst:.0%} false alarms"
