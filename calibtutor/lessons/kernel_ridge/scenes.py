"""Scenes: ridge surfaces beside the truth, few features, and a bug replayed."""

from itertools import product

import numpy as np

from ...plots import (
    CHOICE,
    INK,
    KEPT,
    MODELS,
    SMALL,
    SOFT,
    Finding,
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
from ..shared.verdicts import written
from . import simulations as sims
from .games import power_of_ten, twenty_splits, your_ukkr

__all__ = ["a_bug_replayed", "rank_seven", "ridge_surfaces", "twenty_splits", "your_ukkr"]


ALIKE = 0.02  # two distances


def nearer(distance, risk, size, true_size):
    """What to say of two surfaces: distances to the truth, risks and sizes (root mean squares), each by name.

    A surface of less than a tenth of the truth's size has vanished; distances within ALIKE are equal.
    """
    if max(size.values()) < 0.1 * true_size:
        return "λ is so large that both have vanished: they find no error"
    (first, near), (second, far) = sorted(distance.items(), key=lambda each: each[1])
    if far < (1 + ALIKE) * near:
        return f"{first} and {second} are equally far from the truth, within {ALIKE:.0%}"
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
        white = {"bbox": {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 2}, "size": SMALL}
        signs = []
        for x, y in product((0.25, 0.75), repeat=2):
            said = f"{'same side' if x == y else 'opposite'}\n{written(true_product(x, y), 2)}"
            signs.append(region(panels["truth h*"][0].axes, x, y, said, **white))
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


def rank_seven():
    """Eigenvalues of the kernel on real confidences, and what λ leaves of each feature in ukkr."""

    def setup(fig):
        for model in CAST:
            sims.eigenvalues(model)
        axes = panel(fig, yscale="log", xlim=(0.4, 11.4), ylim=(10.0**-15.4, 100), xlabel="number of the eigenvalue",
                     ylabel="eigenvalue of K/n, and λ")  # fmt: skip
        axes.set_xticks(range(1, 9))
        axes.set_yticks([1e-12, 1e-8, 1e-4, 1], ["10⁻¹²", "10⁻⁸", "10⁻⁴", "1"])
        axes.set_yticks([], minor=True)
        bands = [axes.axhline(1, color=colour, lw=width) for colour, width in ((INK, 6), (CHOICE, 3.5))]
        return {"bands": bands, "on": estimate(axes, ms=11), "off": estimate(axes, ms=11, alpha=0.3),
                "name": number(axes, offset=(-4, 14), ha="right"),
                "shares": [number(axes, offset=(10, 14), size=SMALL) for _ in range(8)]}  # fmt: skip

    def update(artists, model="logistic regression", penalty=1e-6):
        mu = sims.eigenvalues(model)
        rank, kept, left = np.arange(1, len(mu) + 1), mu > penalty, mu / (mu + penalty)
        for name, which in (("on", kept), ("off", ~kept)):
            artists[name].set_data(rank[which], mu[which])
            artists[name].set(color=MODELS[model][0], marker=MODELS[model][1])
        for band in artists["bands"]:
            band.set_ydata([penalty, penalty])
        for k, text in enumerate(artists["shares"]):
            text.xy = (rank[k], mu[k]) if k < len(mu) else (0, 0)
            text.set_text(f"{left[k]:.0%}" if k < len(mu) else "")
        artists["name"].xy = (11.4, penalty)
        artists["name"].set_text(f"λ = {power_of_ten(penalty)}: {kept.sum()} above")
        return Finding(
            f"{sims.TRAINED} confidences need {len(mu)} features, {kept.sum()} of them above λ",
            f"{model}; in percent: what λ leaves of a feature in ukkr; pale: less than half",
            f"These features carry the kernel up to {sims.TOLERANCE:g} of its trace.",
        )

    return explore(setup, update, size=(9, 4.4), model=list(CAST), penalty=[10.0**power for power in range(-14, 1)],
                   labels={"penalty": "λ"}, code=sims.eigenvalues)  # fmt: skip


def a_bug_replayed():
    """ukkr, trained on labels of which a share belongs to other rows: what it reports, and its risk."""
    rows, heights = sims.SHARES, range(len(sims.SHARES))[::-1]

    def setup(fig):
        for world in sims.REPLAYS:
            sims.misaligned(world)
        grid, common = fig.add_gridspec(1, 2, width_ratios=[2, 1]), {"read_y": False, "ylim": (-0.5, 5.3)}
        left = panel(fig, grid[0], xlim=(0, 0.076), xlabel="squared calibration error it reports", **common)
        right = panel(fig, grid[1], xlim=(-9.4, 0.8), xlabel="risk against “no error”", **common)
        left.set_xticks([0, 0.02, 0.04, 0.06], ["0", "0.02", "0.04", "0.06"])
        right.set_xticks([-6, -3, 0], ["−6%", "−3%", "0"])
        left.set_yticks(heights, [f"{share:.0%}" for share in rows], color=INK)
        left.tick_params(axis="y", length=0)
        left.set_title("labels on wrong rows", loc="left", color=SOFT)
        reference(right, [0, 0], [-0.5, 4.7])
        words(right, 0.7, 5, "reports no error", colour=SOFT, size=SMALL, ha="right")
        return {"true": truth(left), "name": words(left, 0, 5, "", bold=True), "stems": misses(left, lw=9, alpha=0.35),
                "dots": [estimate(axes, ms=11) for axes in (left, right)],
                "numbers": [[number(axes, offset=(x, y), ha=ha, colour=KEPT, size=SMALL) for _ in rows]
                            for axes, x, y, ha in ((left, 0, 15, "center"), (right, -9, 0, "right"))]}  # fmt: skip

    def update(artists, world=sims.REPLAYS[0]):
        found = sims.misaligned(world)
        gain, true = found["truth"]
        reports, risks = [found[share][1] for share in rows], [-100 * found[share][0] for share in rows]
        artists["true"].set_data([true, true], [-0.5, 4.7])
        artists["name"].set(x=true, text=f"truth {true:.4f}")
        artists["stems"].set_segments([[(at, row), (true, row)] for at, row in zip(reports, heights, strict=True)])
        shown = (reports, [f"{at:.4f}" for at in reports]), (risks, [percent(at) for at in risks])
        for dots, numbers, (values, said) in zip(artists["dots"], artists["numbers"], shown, strict=True):
            dots.set_data(values, heights)
            for text, *at, what in zip(numbers, values, heights, said, strict=True):
                text.xy = at
                text.set_text(what)
        return Finding(
            f"ukkr misses {1 - reports[0] / true:.0%} of the error; with all labels on wrong rows {1 - reports[-1] / true:.0%}",
            f"bars: what it misses; the truth's own risk: {percent(-100 * gain)}; simulated, {sims.FITTED} + {sims.JUDGED} data",
            f"It reports {', '.join(f'{at:.4f}' for at in reports)}; the truth is {true:.4f}.",
        )

    return explore(setup, update, size=(9, 4.2), world=sims.REPLAYS, code=sims.misaligned)


def percent(value):
    """With its sign and a digit: −0.6%."""
    return f"{value:.1f}%".replace("-", "−")
