"""Scenes of notebook 03 in which the reader takes part: many splits, an own h, and settings judged by their risk."""

from functools import lru_cache

import numpy as np

from ...binning import reliability_curve
from ...data.datasets import digits_predictions
from ...data.worlds import wave_world
from ...kernels import low_rank, rbf
from ...plots import (
    FEW,
    INK,
    KEPT,
    MODELS,
    NUMBER,
    SMALL,
    SOFT,
    Finding,
    choice,
    estimate,
    number,
    panel,
    reference,
    region,
    words,
)
from ...predictions import top_label
from ...risk import EstimationFunction, calibration_risk, fit_binning, fit_kde
from ...teach.explore import explore
from ..shared.verdicts import capital, signed
from . import simulations as sims
from .exercises import check

__all__ = ["judged_alike", "twenty_splits", "your_h", "your_ukkr"]

FAR = 8  # where rows of splits end: what lies beyond is drawn there
SIZES = [200, 500, 1000]
BINS = range(1, 61)
BANDWIDTHS = [0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0]
FRESH = 2000
BIN_COUNT = 15


# --- section 4: settings, judged by a risk that does not know the truth ---


@lru_cache
def excess_and_distance(n, seed=1):
    """Risk above that of the truth, and squared distance to it, of every setting: an array (settings, 2)."""
    world, grid = wave_world(1, 0.15), (np.arange(100) + 0.5) / 100
    (y, p), (fresh_y, fresh_p) = world.sample(n, seed), world.sample(FRESH, 1000 + seed)
    fits = [fit_binning(y, p, n_bins=each) for each in BINS]
    fits += [fit_kde(y, p, bandwidth=each) for each in BANDWIDTHS]
    star = EstimationFunction("h*", lambda p: (p - world.curve(p))[:, None], np.eye(1))
    floor = calibration_risk(star, fresh_y, fresh_p)
    excess = [calibration_risk(h, fresh_y, fresh_p) - floor for h in fits]
    return np.array([excess, [np.mean((h(grid) - star(grid)) ** 2) for h in fits]]).T


def beaten(distance, chosen):
    """How many of the other settings are farther from the truth than the chosen one, in words."""
    farther, others = int((distance > distance[chosen]).sum()), len(distance) - 1
    return f"nearer to the truth than {'all' if farther == others else farther} of the {others} others"


def judged_alike():
    """Bins and kernel at all settings: the risk that labels give against the distance that only the world knows."""
    looks = {"bins": {"marker": "s", "ms": 6}, "kernel": {"marker": "o", "ms": 9}}
    limits = 3e-6, 2e-2

    def setup(fig):
        for n in SIZES:
            excess_and_distance(n)
        axes = panel(fig, xscale="log", yscale="log", xlim=limits, ylim=limits,
                     xlabel="squared distance to the truth (only the world knows it)",
                     ylabel="risk, above that of the truth")  # fmt: skip
        ticks = [1e-5, 1e-4, 1e-3, 1e-2]
        for set_ticks in (axes.set_xticks, axes.set_yticks):
            set_ticks(ticks, ["10⁻⁵", "0.0001", "0.001", "0.01"])
            set_ticks([], minor=True)
        reference(axes, limits, limits)
        words(axes, 2.6e-3, 5e-3, "equal", colour=SOFT, size=SMALL)
        dots = {
            "bins": estimate(axes, mfc="white", mew=1.4, mec=KEPT, **looks["bins"]),
            "kernel": estimate(axes, **looks["kernel"]),
        }
        words(axes, 5e-6, 1.1e-2, f"□  bins, 1 to {BINS[-1]} of them", ha="left", colour=KEPT, size=SMALL)
        words(axes, 5e-6, 6e-3, "●  kernel, nine bandwidths", ha="left", colour=KEPT, size=SMALL)
        return {"dots": dots, "here": [choice(axes), choice(axes)], "chosen": estimate(axes, ms=19, mfc="none", mec=INK, mew=1.6),
                "names": [number(axes, offset=(12, -12), size=SMALL), number(axes, offset=(-12, 12), size=SMALL)]}  # fmt: skip

    def update(artists, n=1000, bins=30, bandwidth=0.1):
        every = excess_and_distance(n)
        found = {"bins": every[: len(BINS)], "kernel": every[len(BINS) :]}
        at = {"bins": list(BINS).index(bins), "kernel": BANDWIDTHS.index(bandwidth)}
        names = {"bins": f"{bins} bin" + "s" * (bins > 1), "kernel": f"γ = {bandwidth:g}"}
        for name, (excess, distance) in ((name, each.T) for name, each in found.items()):
            artists["dots"][name].set_data(distance, np.maximum(excess, limits[0]))
        for name, dot, text in zip(looks, artists["here"], artists["names"], strict=True):
            excess, distance = found[name][at[name]]
            dot.set_data([distance], [max(excess, limits[0])])
            text.xy = distance, max(excess, limits[0])
            text.set_text(names[name])
        artists["chosen"].set_data(*([max(each, limits[0])] for each in every[every[:, 0].argmin(), ::-1]))
        settings = [f"{each} bins" for each in BINS] + [f"γ = {each:g}" for each in BANDWIDTHS]
        chosen, nearest = every[:, 0].argmin(), every[:, 1].argmin()
        (risk_b, away_b), (risk_k, away_k) = found["bins"][at["bins"]], found["kernel"][at["kernel"]]
        return Finding(
            f"The risk chooses {settings[chosen]}: {beaten(every[:, 1], chosen)}",
            f"n = {n:,}, one wave; risk on {FRESH:,} others; ring: the risk's choice; yellow: {names['bins']} and {names['kernel']}",
            f"Bins: risk {risk_b:.6f} above that of the truth, squared distance {away_b:.6f}; kernel: {risk_k:.6f} and "
            f"{away_k:.6f}.".replace("-", "−") + f" Nearest of all is {settings[nearest]}." * bool(nearest != chosen),
        )

    return explore(setup, update, size=(9, 4.6), n=SIZES, bins=(BINS[0], BINS[-1], 1), bandwidth=BANDWIDTHS,
                   labels={"bandwidth": "bandwidth γ"}, code=excess_and_distance)  # fmt: skip


# --- section 6: the reader's ridge regression on real predictions ---


def expected_miss(ukkr, features, delta, penalty, confidence):
    """How much too sure ukkr expects a model to be at some confidences: Gᵀφ(c), with the low-rank features φ."""
    G = ukkr(features.features, delta, penalty)
    return (features.transform(confidence) @ G)[:, 0]


def in_words(miss):
    """A miss as a headline has it; less than half a hundredth is none."""
    return "no miss" if abs(miss) < 0.005 else f"{abs(miss):.2f} too {'sure' if miss > 0 else 'shy'}"


def your_ukkr(ukkr=None):
    """The curve that the reader's ridge regression draws through real residuals, as λ moves.

    Parameters
    ----------
    ukkr : callable, optional
        Features (n, r), residuals (n, d), λ -> G, shape (r, d); or what `check.ukkr.use` gives.
    """
    solve = check.ukkr.use(ukkr)
    low, high, grid = -0.45, 0.75, np.linspace(0.5, 1, 101)

    @lru_cache
    def prepared(model):
        each = digits_predictions(model)
        hit, confidence = top_label(each.y_true, each.y_prob)
        features = low_rank(rbf(gamma=1), confidence, tol=1e-12)
        return features, (confidence - hit)[:, None], reliability_curve(hit, confidence, n_bins=BIN_COUNT)

    def setup(fig):
        for model in sims.MODELS:
            prepared(model)
        axes = panel(
            fig, xlim=(0.49, 1.06), ylim=(low, high), xlabel="how sure it says it is", ylabel="said − happened"
        )
        axes.set_yticks([-0.3, 0, 0.3, 0.6], ["−0.3", "0", "0.3", "0.6"])
        reference(axes, [0.49, 1.06], [0, 0])
        axes.set_xticks([0.5, 0.75, 1], ["0.5", "0.75", "1"])
        region(axes, 0.54, 0.66, "says too much")
        region(axes, 0.54, -0.38, "says too little")
        return {"few": estimate(axes, ms=8, alpha=0.35), "many": estimate(axes, ms=8), "curve": estimate(axes, line=True),
                "here": choice(axes), "number": number(axes, offset=(12, 10))}  # fmt: skip

    def update(artists, model="naive Bayes", penalty=1e-6, confidence=0.95):
        features, delta, bins = prepared(model)
        curve = expected_miss(solve, features, delta, penalty, grid)
        here = float(expected_miss(solve, features, delta, penalty, [confidence])[0])
        colour, _, text = MODELS[model]
        for name, which in (("few", (bins.count > 0) & (bins.count < FEW)), ("many", bins.count >= FEW)):
            seen = which & (np.abs(bins.gap - (low + high) / 2) < (high - low) / 2) & (bins.confidence > grid[0])
            artists[name].set_data(bins.confidence[seen], bins.gap[seen])
            artists[name].set(color=colour)
        artists["curve"].set_data(grid, np.clip(curve, low, high))
        artists["curve"].set(color=colour)
        shown = float(np.clip(here, low + 0.02, high - 0.12))
        artists["here"].set_data([confidence], [shown])
        artists["number"].xy = confidence, shown
        artists["number"].set(text=signed(here, 2), color=text)
        return Finding(
            f"{capital(model)}, sure by {confidence:g}: ukkr says {in_words(here)}",
            f"λ = {penalty:g}, by {solve.by}; dots: {BIN_COUNT} bins of the same digits, pale with few",
            f"Over all confidences it expects misses from {signed(curve.min(), 2)} to {signed(curve.max(), 2)}.",
        )

    return explore(setup, update, size=(9, 4.4), model=sims.MODELS, penalty=[10.0**power for power in range(-9, 2)],
                   confidence=(0.5, 1.0, 0.05), labels={"penalty": "λ"}, code=expected_miss)  # fmt: skip


# --- section 7: many splits ---


def in_spreads(worse_by, spread):
    """How many spreads over the folds a risk lies above the smallest of its split; beyond 2 it is told apart."""
    return np.divide(worse_by, spread, out=np.zeros_like(worse_by), where=spread > 0)


def _rows(names):
    """Makes a panel with a row of splits for each name, and the artists that fill it."""
    heights = {name: len(names) - 1 - row for row, name in enumerate(names)}

    def make(fig, spec=None):
        axes = panel(fig, spec, read_y=False, xlim=(-0.3, FAR + 2.6), ylim=(-0.6, len(names) - 0.3),
                     xlabel="risk above the smallest of its split, in spreads over the folds")  # fmt: skip
        axes.set_xticks([0, 2, 4, 6, FAR], ["0", "2", "4", "6", f"{FAR} or more"])
        axes.set_yticks(list(heights.values()), list(names), color=INK)
        axes.tick_params(axis="y", length=0)
        for row in heights.values():
            axes.plot([-0.3, FAR + 0.4], [row, row], color="#EEEEEE", lw=1, zorder=0)
        reference(axes, [2, 2], [-0.55, len(names) - 0.45])
        words(axes, 2.1, len(names) - 0.5, "told apart →", ha="left", colour=SOFT, size=SMALL)
        words(axes, FAR + 0.75, len(names) - 0.5, "told apart in", ha="left", colour=SOFT, size=SMALL)
        return {
            "axes": axes,
            "alike": estimate(axes, ms=8),
            "apart": estimate(axes, ms=7, mfc="white", mew=1.4),
            "here": choice(axes, ms=10),
            "counts": {name: words(axes, FAR + 0.75, row, "", ha="left", bold=True, size=NUMBER)
                       for name, row in heights.items()},
        }  # fmt: skip

    def fill(artists, distance, model, split):
        """Dots for distances (splits, names); `split` is the chosen one."""
        colour, _, text = MODELS[model]
        splits = len(distance)
        x, apart = np.minimum(distance, FAR), distance > 2
        y = np.array(list(heights.values())) + np.linspace(-0.28, 0.28, splits)[:, None]
        for name, which in (("apart", apart), ("alike", ~apart)):
            artists[name].set_data(x[which], y[which])
            artists[name].set(color=colour, mec=colour if name == "apart" else "white")
            artists[name].set_markerfacecolor(colour if name == "alike" else "white")
        artists["here"].set_data(x[split], y[split])
        for name, count in zip(names, apart.sum(axis=0), strict=True):
            artists["counts"][name].set(text=f"{count} of {splits}", color=text if count > splits / 2 else SOFT)

    return make, fill


def what_splits_say(apart, splits, pvalue):
    """What the splits say of “no error”, and the exact test beside them."""
    return f"“no error” told apart in {apart} of {splits}; exact test: p = {pvalue:.2g}"


def twenty_splits():
    """The pipeline on many splits of the same predictions: how often each candidate is told apart from the best."""
    make, fill = _rows(sims.CANDIDATES)

    def setup(fig):
        return make(fig)

    def update(artists, model="naive Bayes", split=0):
        worse_by, spread, reports, pvalue = sims.twenty_splits(model)
        distance = in_spreads(worse_by, spread)
        fill(artists, distance, model, split)
        best = sims.CANDIDATES[int(worse_by[split].argmin())]
        left = reports[(distance <= 2) & (np.arange(len(sims.CANDIDATES)) > 0)]
        alike = [
            name for name, each in zip(sims.CANDIDATES, distance[split], strict=True) if each <= 2 and name != best
        ]
        return Finding(
            f"{capital(model)}: " + what_splits_say((distance[:, 0] > 2).sum(), len(distance), pvalue),
            f"the same predictions split {len(distance)} times, one dot a split; hollow: told apart from its best; yellow: rng={split}",
            f"Yellow: smallest risk for {best}, not told apart from it: {', '.join(alike) or 'none'}. Over all "
            f"splits, what the risk leaves reports {left.min():.4f} to {left.max():.4f}.",
        )

    return explore(setup, update, size=(9, 4.6), model=sims.MODELS, split=(0, sims.SPLITS - 1, 1),
                   labels={"split": "split (rng)"}, code=in_spreads)  # fmt: skip


def risks_of_u(u, hit, confidence, parts):
    """Risk of h(c, c') = u(c) u(c') on each part, shape (folds,): u is fixed, so nothing is fitted."""
    h = EstimationFunction("mine", lambda c: np.reshape(u(c) + 0 * c, (-1, 1)), np.eye(1))
    return np.array([calibration_risk(h, hit[part], confidence[part]) for part in parts])


def above_the_smallest(risks):
    """Fold risks (folds, candidates) as distances from the candidate with the smallest mean, in spreads over the folds."""
    above = risks - risks[:, [risks.mean(axis=0).argmin()]]
    return in_spreads(above.mean(axis=0), above.std(axis=0, ddof=1) / np.sqrt(len(above)))


def _stand_in(c):
    """Too sure by a tenth, everywhere."""
    return 0.1 + 0 * c


def _as_miss(u):
    """The reader's function, what to call it, and whose it is; the stand-in while it is blank."""
    if u is None or u(np.array([0.5, 0.9])) is None:
        return _stand_in, "a constant", "a tenth everywhere, as yours is blank"
    return u, "your h", "by your u"


def who_is_ahead(whose, mine, ridge):
    """In how many splits this h has a smaller risk than ukkr, in words."""
    ahead = int((mine < ridge).sum())
    return f"{whose} is ahead of ukkr in {ahead or 'none'} of {len(mine)} splits"


def your_h(u=None):
    """The reader's own u beside h = 0 and ukkr, on many splits of real predictions.

    Parameters
    ----------
    u : callable, optional
        Confidences (n,) -> how much too sure the model is there, (n,) or a number; h(c, c') = u(c) u(c').
    """
    names = ["h = 0", "ukkr", "yours"]
    make, fill = _rows(names)
    u, whose, by = _as_miss(u)

    @lru_cache
    def fold_risks(model):
        each = digits_predictions(model)
        hit, confidence = top_label(each.y_true, each.y_prob)
        parts = [sims.parts_of(len(hit), seed) for seed in range(sims.SPLITS)]
        mine = np.array([risks_of_u(u, hit, confidence, each) for each in parts])
        return np.stack([*sims.ridge_on_splits(model), mine], axis=2)  # splits, folds, names

    def setup(fig):
        for model in sims.MODELS:
            fold_risks(model)
        return make(fig)

    def update(artists, model="naive Bayes", split=0):
        risks = fold_risks(model)
        distance = np.array([above_the_smallest(each) for each in risks])
        fill(artists, distance, model, split)
        mean, hidden = risks.mean(axis=1), (distance[:, 0] > 2).sum()
        return Finding(
            f"{capital(model)}: {who_is_ahead(whose, mean[:, 2], mean[:, 1])}",
            f"{by}; ahead: the smaller risk; hollow: told apart; yellow: rng={split}",
            f"Yellow: risks h = 0 {mean[split, 0]:.6f}, ukkr {mean[split, 1]:.6f}, yours {mean[split, 2]:.6f}. In how many "
            f"splits “no error” is told apart: {hidden}.",
        )

    return explore(setup, update, size=(9, 4), model=sims.MODELS, split=(0, sims.SPLITS - 1, 1),
                   labels={"split": "split (rng)"}, code=(risks_of_u, above_the_smallest, in_spreads))  # fmt: skip
