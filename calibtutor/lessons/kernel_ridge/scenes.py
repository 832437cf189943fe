"""Scenes: ridge surfaces beside the truth, few features and the risk along λ, and a bug replayed."""

import numpy as np

from ...plots import (
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    NUMBER,
    SMALL,
    SOFT,
    TICKS,
    Finding,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.one_wave import PAIR_COLOURS, true_product
from ..shared.splits_of_digits import CAST
from . import simulations as sims
from .games import power_of_ten, twenty_splits, your_ukkr

__all__ = ["a_bug_replayed", "rank_seven", "ridge_surfaces", "twenty_splits", "your_ukkr"]


def nearer(distance, risk, size, true_size):
    """What to say of two surfaces: distances to the truth, risks and sizes (root mean squares), each by name.

    A surface of less than a tenth of the truth's size has vanished; distances within 2 % are equal.
    """
    if max(size.values()) < 0.1 * true_size:
        return "λ is so large that both have vanished: they find no error"
    (first, near), (second, far) = sorted(distance.items(), key=lambda each: each[1])
    if far < 1.02 * near:
        return f"{first} and {second} are equally far from the truth, within 2%"
    return f"{first} is nearer to the truth, " + (
        "and its risk is the smaller one" if risk[first] < risk[second] else "though its risk is the larger one"
    )


def ridge_surfaces():
    """kkr and ukkr beside the truth, as functions of two predictions."""
    powers = range(-10, 2)

    def setup(fig):
        for n in sims.SURFACE_SIZES:
            for bandwidth in sims.BANDWIDTHS:
                sims.surfaces(n, 1.0, bandwidth)  # once, so that no slider step waits
        grid, panels = fig.add_gridspec(1, 3), {}
        for column, name in enumerate(["truth h*", "kkr", "ukkr"]):
            axes = panel(fig, grid[column], aspect="equal", xlabel="p", ylabel="p'" if column == 0 else "")
            image = Heatmap(axes, (60, 60), vmin=-0.03, vmax=0.03, cmap=PAIR_COLOURS, enlarge="bilinear")
            for set_ticks in (axes.set_xticks, axes.set_yticks):
                set_ticks([0, 0.5, 1], ["0", "0.5", "1"])
            words(axes, 0, 1.07, name, bold=True, ha="left", size=14, transform=axes.transAxes)
            panels[name] = image, misses(axes, lw=4), number(axes, offset=(0, 0), xycoords="axes fraction", ha="right")
            if column == 0:
                white = {"bbox": {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 2}, "size": SMALL}
                signs = [region(axes, x, y, text, **white) for x, y, text in (
                    (0.25, 0.25, "same side\n0.02"), (0.75, 0.75, "same side\n0.02"), (0.25, 0.75, "opposite\n−0.02"), (0.75, 0.25, "opposite\n−0.02"))]  # fmt: skip
        return {**panels, "signs": signs}

    def update(artists, n=1000, penalty=0.0001, bandwidth=0.32):
        true, fitted = true_product(sims.GRID[:, None], sims.GRID), sims.surfaces(n, penalty, bandwidth)
        away, risks, sizes, below = {}, {}, {}, {}
        artists["truth h*"][0].set_data(true)
        for name, (surface, risk) in fitted.items():
            image, dips, text = artists[name]
            image.set_data(surface)
            where = sims.GRID[np.diag(surface) < 0]
            dips.set_segments([[(x - 0.009, x - 0.009), (x + 0.009, x + 0.009)] for x in where])
            away[name], risks[name], below[name] = np.sqrt(np.mean((surface - true) ** 2)), risk, len(where) / len(true)
            sizes[name] = np.sqrt(np.mean(surface**2))
            text.xy = (1, 1.07)
            text.set_text(f"distance {away[name]:.4f}")
        return Finding(
            nearer(away, risks, sizes, np.sqrt(np.mean(true**2))),
            f"n = {n:,}, λ = {power_of_ten(penalty)}, bandwidth {bandwidth:g}; risks {risks['kkr']:.5f}, {risks['ukkr']:.5f}; "
            + (f"red: kkr's “square” below 0 ({below['kkr']:.0%})" if below["kkr"] else "no “square” is below 0"),
            f"Distance to the truth: kkr {away['kkr']:.4f}, ukkr {away['ukkr']:.4f}.",
        )

    return explore(setup, update, size=(9, 4), n=sims.SURFACE_SIZES, penalty=[10.0**power for power in powers],
                   bandwidth=sims.BANDWIDTHS, labels={"penalty": "λ", "bandwidth": "bandwidth γ"},
                   code=(sims._ridge, sims.surfaces, true_product))  # fmt: skip


def fit_of(penalty, penalties, risks):
    """What a penalty does, from the risk along the penalties: within 1 % of the smallest risk it is as good as any."""
    best = int(np.argmin(risks))
    if risks[int(np.argmin(np.abs(np.log(penalties / penalty))))] <= 1.01 * risks[best]:
        return "is within 1% of the best"
    return "over-smooths" if penalty > penalties[best] else "fits noise"


def rank_seven():
    """Eigenvalues of the kernel on real confidences, and the risk along λ that they make cheap."""
    limits, ticks = (10.0**-15.4, 10.0**4.2), [1e-12, 1e-8, 1e-4, 1]

    def setup(fig):
        for model in CAST:
            sims.ridge_path(model)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(
            fig, grid[0], xlim=(0.4, 12.6), xlabel="number of the eigenvalue, of 719", ylabel="eigenvalue of K/n, and λ"
        )
        right = panel(fig, grid[1], read_y=False, xlim=(-0.08, 1.08), xlabel="validation risk (line: ukkr, dots: kkr)")
        bands = []
        for axes in (left, right):
            axes.set(yscale="log", ylim=limits)
            axes.set_yticks(
                ticks if axes is left else [], [power_of_ten(each) for each in ticks] if axes is left else []
            )
            axes.set_yticks([], minor=True)
            for colour, width in ((INK, 6), (CHOICE, 3.5)):
                bands.append(truth(axes, [0, 1], [1, 1], transform=axes.get_yaxis_transform(), color=colour, lw=width))
        left.set_xticks([1, 4, 7, 10])
        right.set_xticks([])
        left.set_title("the kernel on real confidences", color=SOFT)
        right.set_title("the risk along λ (+: above its smallest)", color=SOFT)
        return {"bands": bands, "on": estimate(left, ms=11), "off": estimate(left, ms=11, alpha=0.3),
                "ukkr": estimate(right, line=True), "kkr": estimate(right, mfc="white", ms=6, mew=1.6),
                "name": number(left, offset=(-4, 12), ha="right"), "here": choice(right),
                "risk": number(right, colour=MISS)}  # fmt: skip

    def update(artists, model="logistic regression", penalty=1e-6):
        spectrum, powers, risks = sims.ridge_path(model)
        penalties, rank = 10.0**powers, np.arange(1, len(spectrum) + 1)
        colour, marker, text = MODELS[model]
        kept = spectrum > penalty
        for name, which in (("on", kept), ("off", ~kept)):
            artists[name].set_data(rank[which], spectrum[which])
            artists[name].set(color=colour, marker=marker)
        for band in artists["bands"]:
            band.set_ydata([penalty, penalty])
        low, high = min(r.min() for r in risks.values()), max(r.max() for r in risks.values())
        for name in ("kkr", "ukkr"):
            artists[name].set_data((risks[name] - low) / (high - low), penalties)
            artists[name].set(color=colour, mec=colour)
        at = int(np.argmin(np.abs(np.log(penalties / penalty))))
        x, above = (risks["ukkr"][at] - low) / (high - low), risks["ukkr"][at] / risks["ukkr"].min() - 1
        artists["here"].set_data([x], [penalty])
        free = 1 if (penalty > penalties[risks["ukkr"].argmin()]) == (x > 0.6) else -1  # the curve bends away there
        artists["risk"].xy = (x, penalty)
        artists["risk"].set(position=(-12 if x > 0.6 else 12, 14 * free), ha="right" if x > 0.6 else "left")
        artists["risk"].set_text(f"+{above:.1%}" if above >= 0.0005 else "smallest")
        artists["risk"].set_color(MISS if above > 0.01 else KEPT)
        artists["name"].xy = (12.6, penalty)
        artists["name"].set_text(f"λ = {power_of_ten(penalty)}: {kept.sum()} above")
        return Finding(
            f"719 confidences need {len(spectrum)} features, {kept.sum()} of them above λ",
            f"{model}; the paler, below λ, count less than half (ukkr); this λ {fit_of(penalty, penalties, risks['ukkr'])}",
            f"These features carry the kernel up to 1e-12 of its trace. Validation risk: kkr {risks['kkr'][at]:.6f}, ukkr {risks['ukkr'][at]:.6f}.",
        )

    return explore(setup, update, size=(9, 4.6), model=list(CAST), penalty=[10.0**power for power in range(-14, 3)],
                   labels={"penalty": "λ"}, code=sims.ridge_path)  # fmt: skip


def a_bug_replayed():
    """Canonical ridge regressions trained on labels of which a share belongs to other rows."""
    rows = {"kkr": 1.0, "ukkr": 0.0}
    every = sims.misaligned()
    true, ceiling = every["truth"], 100 * (every["h*"] / every[0.0]["h = 0"][0] - 1)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[2, 1])
        left = panel(
            fig,
            grid[0],
            read_y=False,
            xlim=(0, 0.0705),
            ylim=(-0.5, 1.62),
            xlabel="squared calibration error it reports",
        )
        right = panel(fig, grid[1], read_y=False, xlim=(-2.4, 0.6), ylim=(-0.5, 1.62), xlabel="risk against “no error”")
        left.set_xticks([0, 0.02, 0.04, 0.06], ["0", "0.02", "0.04", "0.06"])
        right.set_xticks([-2, -1, 0], ["−2%", "−1%", "0"])
        left.set_yticks(list(rows.values()), list(rows), color=INK, size=14)
        left.tick_params(axis="y", length=0)
        truth(left, [true, true], [-0.5, 1.4])
        words(left, true, 1.5, f"truth {true:.4f}", bold=True, size=NUMBER, ha="center")
        reference(right, [0, 0], [-0.5, 1.4])
        words(right, 0.58, 1.5, "reports no error", colour=SOFT, size=SMALL, ha="right")
        look = {"ls": "", "marker": "o", "ms": 8, "mfc": "none", "mec": GREY, "mew": 1, "zorder": 3.5}
        for share in sims.SHARES:  # all settings, as pale rings
            left.plot([every[share][name][1] for name in rows], list(rows.values()), **look)
            right.plot([_below(every[share], name) for name in rows], list(rows.values()), **look)
        return {"stems": misses(left, lw=9, alpha=0.35), "reports": estimate(left, ms=13), "risks": estimate(right, ms=13),
                "numbers": {name: (number(left, offset=(0, 20), ha="center", colour=KEPT), number(left, offset=(-8, -18), colour=MISS, size=TICKS),
                                   number(right, offset=(0, 20), ha="center", colour=KEPT)) for name in rows},
                "healthy": [number(left, offset=(0, 20), ha="center", colour=SOFT, size=SMALL) for name in rows]}  # fmt: skip

    def update(artists, share_misaligned=1.0):
        found = every[share_misaligned]
        reports, below = {name: found[name][1] for name in rows}, {name: _below(found, name) for name in rows}
        artists["stems"].set_segments([[(reports[name], y), (true, y)] for name, y in rows.items()])
        artists["reports"].set_data(list(reports.values()), list(rows.values()))
        artists["risks"].set_data(list(below.values()), list(rows.values()))
        for (name, y), healthy in zip(rows.items(), artists["healthy"], strict=True):
            report, miss, risk = artists["numbers"][name]
            for text, at, said in (
                (report, reports[name], f"{reports[name]:.4f}"),
                (miss, true, f"misses {1 - reports[name] / true:.0%} of the error"),
                (risk, below[name], f"{below[name]:.1f}%".replace("-", "−")),
                (healthy, every[0.0][name][1], "no bug" if share_misaligned else ""),
            ):
                text.xy = (at, y)
                text.set_text(said)
        missed = 1 - reports["ukkr"] / true
        return Finding(
            f"{'All' if share_misaligned == 1 else f'{share_misaligned:.0%} of the'} labels on wrong rows: ukkr misses "
            f"{missed:.0%} of the error"
            if share_misaligned
            else f"Every label on its row: ukkr misses {missed:.0%} of the error, kkr {1 - reports['kkr'] / true:.0%}",
            f"risk: ukkr {_below(found, 'ukkr'):.1f}%, the truth itself {ceiling:.0f}%; rings: other shares; 300 + 200 data".replace("-", "−"),
            f"ukkr's validation risk is {found['ukkr'][0]:.5f} (h = 0: {found['h = 0'][0]:.5f}) and it reports "
            f"{found['ukkr'][1]:.4f}; the truth is {true:.4f}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4), share_misaligned=sims.SHARES,
                   labels={"share_misaligned": "share of labels on wrong rows"},
                   code=sims.fitted_to_misplaced)  # fmt: skip


def _below(found, name):
    """A validation risk against that of h = 0, in percent."""
    return 100 * (found[name][0] / found["h = 0"][0] - 1)
