"""Scenes: ridge surfaces beside the truth, the reader's ukkr, few features, twenty splits, and a bug replayed."""

from functools import lru_cache
from itertools import product

import numpy as np

from ...estimates.binning import reliability_curve
from ...data.datasets import digits_predictions
from ...kernels import low_rank, rbf
from ...plots import (CHOICE, FEW, INK, KEPT, MODELS, NUMBER, SMALL, SOFT, Finding, estimate, misses, panel, reference,
                      region, ten_to, words)
from ...door.predictions import top_label
from ...teach.explore import explore
from ...teach.marks import choice, number, tell, truth
from ..shared.maps import Heatmap
from ..shared.one_wave import PAIR_COLOURS, true_product
from ..shared.splits_of_digits import CAST, NAMES, SPLITS, in_spreads
from ..shared.verdicts import capital, signed, written
from . import simulations as sims
from .exercises import check

__all__ = ["a_bug_replayed", "rank_seven", "ridge_surfaces", "twenty_splits", "your_ukkr"]


ALIKE = 0.02  # two distances


def powers_of_ten(powers):
    """The values of a slider, as the pictures write them."""
    return [(ten_to(10.0**power), 10.0**power) for power in powers]


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
        "and its risk is the smaller one" if risk[first] < risk[second] else "though its risk is the larger one")


def ridge_surfaces():
    """kkr and ukkr beside the truth, as functions of two predictions."""

    def setup(fig):
        for n in sims.SURFACE_SIZES:
            for bandwidth in sims.BANDWIDTHS:
                sims.surfaces(n, 1.0, bandwidth)  # once, so that no slider step waits
        grid, panels = fig.add_gridspec(1, 3), {}
        for column, name in enumerate(["truth h*", "kkr", "ukkr"]):
            axes = panel(fig, grid[column], x=[0, 0.5, 1], y=[0, 0.5, 1], aspect="equal", xlabel="p",
                         ylabel="p'" if column == 0 else "")
            image = Heatmap(axes, (60, 60), vmin=-0.03, vmax=0.03, cmap=PAIR_COLOURS, enlarge="bilinear")
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
            tell(text, (1, 1.07), f"distance {away[name]:.4f}")
        return Finding(
            nearer(away, risks, sizes, np.sqrt(np.mean(true**2))),
            f"n = {n:,}, λ = {ten_to(penalty)}, bandwidth {bandwidth:g}; risks {risks['kkr']:.5f}, {risks['ukkr']:.5f}; "
            + (f"red: kkr's “square” below 0 ({below['kkr']:.0%})" if below["kkr"] else "no “square” is below 0"),
            f"Distance to the truth: kkr {away['kkr']:.4f}, ukkr {away['ukkr']:.4f}.")

    return explore(setup, update, size=(9, 4), n=sims.SURFACE_SIZES, penalty=powers_of_ten(range(-10, 2)),
                   bandwidth=sims.BANDWIDTHS, labels={"penalty": "λ", "bandwidth": "bandwidth γ"},
                   code=(sims._ridge, sims.surfaces, true_product))


BIN_COUNT = 15


def expected_miss(ukkr, features, delta, penalty, confidence):
    """By how much ukkr expects a model to be over-confident at some confidences: Gᵀφ(c), with low-rank features φ."""
    G = ukkr(features.features, delta, penalty)
    return (features.transform(confidence) @ G)[:, 0]


def miss_in_words(miss):
    """A miss as a headline has it; less than half a hundredth is none."""
    return "no miss" if abs(miss) < 0.005 else f"{'over' if miss > 0 else 'under'}-confident by {abs(miss):.2f}"


def your_ukkr(ukkr=None):
    """The curve that the reader's ridge regression, or the reference, draws through real residuals, as λ moves."""
    solve = check.ukkr.use(ukkr)
    low, high = -0.64, 0.75

    @lru_cache
    def prepared(model):
        each = digits_predictions(model)
        hit, confidence = top_label(each.y_true, each.y_prob)
        features = low_rank(rbf(gamma=1), confidence, tol=1e-12)
        return confidence, features, (confidence - hit)[:, None], reliability_curve(hit, confidence, n_bins=BIN_COUNT)

    def setup(fig):
        for model in CAST:
            prepared(model)
        axes = panel(fig, xlim=(0.18, 1.09), ylim=(low, high), x=[0.25, 0.5, 0.75, 1], y=[-0.5, 0, 0.5], xlabel="confidence",
                     ylabel="mean of the miss p − Y")
        reference(axes, [0.18, 1.09], [0, 0])
        region(axes, 0.28, 0.66, "over-confident")
        region(axes, 0.97, -0.5, "under-confident")
        return {"digits": estimate(axes, marker="|", ms=9, mew=1, alpha=0.4),
                "few": estimate(axes, ms=8, alpha=0.35), "many": estimate(axes, ms=8), "curve": estimate(axes, line=True),
                "here": choice(axes), "number": number(axes)}

    def update(artists, model="naive Bayes", penalty=1e-6, confidence=0.95):
        confidences, features, delta, bins = prepared(model)
        grid = np.linspace(confidences.min(), 1, 161)
        curve = expected_miss(solve, features, delta, penalty, grid)
        here = float(expected_miss(solve, features, delta, penalty, [confidence])[0])
        colour, _, text = MODELS[model]
        artists["digits"].set(data=(confidences, np.full(len(confidences), low + 0.03)), color=colour, mec=colour)
        for name, which in (("few", (bins.count > 0) & (bins.count < FEW)), ("many", bins.count >= FEW)):
            seen = which & (np.abs(bins.gap - (low + high) / 2) < (high - low) / 2)
            artists[name].set(data=(bins.confidence[seen], bins.gap[seen]), color=colour)
        artists["curve"].set(data=(grid, np.clip(curve, low, high)), color=colour)
        shown = float(np.clip(here, low + 0.02, high - 0.12))
        artists["here"].set_data([confidence], [shown])
        tell(artists["number"], (confidence, shown),
             signed(here, 2), color=text, position=(12, 12 if here >= 0 else -14))  # off the zero line
        return Finding(
            f"{capital(model)} at {confidence:g}: ukkr says {miss_in_words(here)}",
            f"λ = {ten_to(penalty)}, by {solve.by}; dots: {BIN_COUNT} bins, pale with few; ticks: the digits",
            f"Over all confidences it expects misses from {signed(curve.min(), 2)} to {signed(curve.max(), 2)}.")

    return explore(setup, update, size=(9, 4.4), model=CAST, penalty=powers_of_ten(range(-9, 2)),
                   confidence=(0.55, 1.0, 0.05), labels={"penalty": "λ"}, code=expected_miss)


def rank_seven():
    """Eigenvalues of the kernel on real confidences, and what λ leaves of each feature in ukkr."""

    def setup(fig):
        for model in CAST:
            sims.eigenvalues(model)
        axes = panel(fig, yscale="log", xlim=(0.4, 11.4), ylim=(10.0**-15.4, 100), x=range(1, 9),
                     y=[1e-12, 1e-8, 1e-4, 1], xlabel="number of the eigenvalue", ylabel="eigenvalue of K/n, and λ")
        bands = [axes.axhline(1, color=colour, lw=width) for colour, width in ((INK, 6), (CHOICE, 3.5))]
        return {"bands": bands, "on": estimate(axes, ms=11), "off": estimate(axes, ms=11, alpha=0.3),
                "name": number(axes, offset=(-4, 14), ha="right"),
                "shares": [number(axes, offset=(10, 14), size=SMALL) for _ in range(8)]}

    def update(artists, model="logistic regression", penalty=1e-6):
        mu = sims.eigenvalues(model)
        rank, kept, left = np.arange(1, len(mu) + 1), mu > penalty, mu / (mu + penalty)
        for name, which in (("on", kept), ("off", ~kept)):
            artists[name].set(data=(rank[which], mu[which]), color=MODELS[model][0], marker=MODELS[model][1])
        for band in artists["bands"]:
            band.set_ydata([penalty, penalty])
        for k, text in enumerate(artists["shares"]):
            tell(text, (rank[k], mu[k]) if k < len(mu) else (0, 0),
                 f"{left[k]:.0%}" if k < len(mu) else "", position=(10, 14 if k < kept.sum() else -14))
        tell(artists["name"], (11.4, penalty), f"λ = {ten_to(penalty)}: {kept.sum()} above")
        return Finding(f"{sims.TRAINED} confidences need {len(mu)} features, {kept.sum()} of them above λ",
                       f"{model}; in percent: what λ leaves of a feature in ukkr; pale: less than half",
                       f"These features carry the kernel up to {ten_to(sims.TOLERANCE)} of its trace.")

    return explore(setup, update, size=(9, 4.4), model=list(CAST), penalty=powers_of_ten(range(-14, 1)),
                   labels={"penalty": "λ"}, code=sims.eigenvalues)


FAR = 8  # spreads: what lies beyond is drawn there


def twenty_splits():
    """The pipeline on many splits of the same predictions: how often each candidate is told apart from the best."""
    names = [NAMES[each] for each in sims.CANDIDATES]
    rows = np.arange(len(names))[::-1]

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.3, FAR + 2.6), ylim=(-0.6, len(names) - 0.3),
                     xlabel="risk above the smallest of its split, in spreads over the folds")
        axes.set_xticks([0, 2, 4, 6, FAR], ["0", "2", "4", "6", f"{FAR} or more"])
        axes.set_yticks(rows, names, color=INK)
        axes.tick_params(axis="y", length=0)
        for row in rows:
            axes.plot([-0.3, FAR + 0.4], [row, row], color="#EEEEEE", lw=1, zorder=0)
        reference(axes, [2, 2], [-0.55, len(names) - 0.45])
        words(axes, 2.1, len(names) - 0.5, "told apart →", ha="left", colour=SOFT, size=SMALL)
        words(axes, FAR + 0.75, len(names) - 0.5, "told apart in", ha="left", colour=SOFT, size=SMALL)
        return {"alike": estimate(axes, ms=8), "apart": estimate(axes, ms=7, mfc="white", mew=1.4),
                "here": choice(axes, ms=10),
                "counts": [words(axes, FAR + 0.75, row, "", ha="left", bold=True, size=NUMBER) for row in rows]}

    def update(artists, model="naive Bayes", split=0):
        worse_by, spread, reports, pvalue = sims.twenty_splits(model)
        distance, (colour, _, text) = in_spreads(worse_by, spread), MODELS[model]
        x, apart = np.minimum(distance, FAR), distance > 2
        y = rows + np.linspace(-0.28, 0.28, SPLITS)[:, None]
        for name, which, fill, edge in (("apart", apart, "white", colour), ("alike", ~apart, colour, "white")):
            artists[name].set(data=(x[which], y[which]), color=colour, mec=edge, mfc=fill)
        artists["here"].set_data(x[split], y[split])
        for each, count in zip(artists["counts"], apart.sum(axis=0), strict=True):
            each.set(text=f"{count} of {SPLITS}", color=text if count > SPLITS / 2 else SOFT)
        left = reports[:, 1:][~apart[:, 1:]]
        return Finding(
            f"{capital(model)}: “no error” told apart in {apart[:, 0].sum()} of {SPLITS}; exact test: R = {pvalue:.2g}",
            f"the same predictions split {SPLITS} times, one dot a split; hollow: told apart from its best; yellow: rng={split}",
            f"Yellow: smallest risk for {names[int(worse_by[split].argmin())]}. Over all splits, what the risk leaves reports "
            f"{left.min():.4f} to {left.max():.4f}.")

    return explore(setup, update, size=(9, 4.6), model=CAST, split=(0, SPLITS - 1, 1),
                   labels={"split": "split (rng)"}, code=in_spreads)


def a_bug_replayed():
    """ukkr, trained on labels of which a share belongs to other rows: what it reports, and its risk."""
    rows, heights = sims.SHARES, range(len(sims.SHARES))[::-1]

    def setup(fig):
        for world in sims.REPLAYS:
            sims.misaligned(world)
        grid, common = fig.add_gridspec(1, 2, width_ratios=[2, 1]), {"read_y": False, "ylim": (-0.5, 5.3)}
        left = panel(fig, grid[0], xlim=(0, 0.076), x=[0, 0.02, 0.04, 0.06], xlabel="squared calibration error it reports",
                     **common)
        right = panel(fig, grid[1], xlim=(-9.4, 0.8), xlabel="risk against “no error”", **common)
        right.set_xticks([-6, -3, 0], ["−6%", "−3%", "0"])
        left.set_yticks(heights, [f"{share:.0%}" for share in rows], color=INK)
        left.tick_params(axis="y", length=0)
        left.set_title("labels on wrong rows", loc="left", color=SOFT)
        reference(right, [0, 0], [-0.5, 4.7])
        words(right, 0.7, 5, "reports no error", colour=SOFT, size=SMALL, ha="right")
        return {"true": truth(left), "name": words(left, 0, 5, "", bold=True), "stems": misses(left, lw=9, alpha=0.35),
                "dots": [estimate(axes, ms=11) for axes in (left, right)],
                "numbers": [[number(axes, offset=(x, y), ha=ha, colour=KEPT, size=SMALL) for _ in rows]
                            for axes, x, y, ha in ((left, 0, 15, "center"), (right, -9, 0, "right"))]}

    def update(artists, world=sims.REPLAYS[0]):
        found = sims.misaligned(world)
        gain, true = found["truth"]
        reports, risks = [found[share][1] for share in rows], [-100 * found[share][0] for share in rows]
        artists["true"].set_data([true, true], [-0.5, 4.7])
        artists["name"].set(x=true, text=f"truth {true:.4f}")
        artists["stems"].set_segments([[(at, row), (true, row)] for at, row in zip(reports, heights, strict=True)])
        floor = written(-100 * gain, 1)
        shown = (reports, [f"{at:.4f}" for at in reports]), (risks, [f"{written(at, 1)}%" for at in risks])
        for dots, numbers, (values, said) in zip(artists["dots"], artists["numbers"], shown, strict=True):
            dots.set_data(values, heights)
            for text, *at, what in zip(numbers, values, heights, said, strict=True):
                tell(text, at, what)
        return Finding(
            f"ukkr misses {1 - reports[0] / true:.0%} of the error; with all labels on wrong rows {1 - reports[-1] / true:.0%}",
            f"bars: what it misses; the truth's own risk: {floor}%; simulated, {sims.FITTED} + {sims.JUDGED} data",
            f"It reports {', '.join(f'{at:.4f}' for at in reports)}; the truth is {true:.4f}.")

    return explore(setup, update, size=(9, 4.2), world=sims.REPLAYS, code=sims.misaligned)
