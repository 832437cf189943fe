"""Scenes in which settings and the reader's own h are judged by their risk."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...data.worlds import wave_world
from ...plots import (
    INK,
    KEPT,
    SMALL,
    SOFT,
    Finding,
    estimate,
    number,
    panel,
    reference,
    words,
)
from ...predictions import top_label
from ...risk import EstimationFunction, calibration_risk, fit_binning, fit_kde
from ...teach.explore import explore
from ..shared.rows_of_splits import rows_of_splits
from ..shared.splits_of_digits import CAST, SPLITS, in_spreads
from ..shared.verdicts import capital
from . import simulations as sims

__all__ = ["judged_alike", "your_h"]

SIZES = [200, 500, 1000]
BINS = range(1, 61)
BANDWIDTHS = [0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0]
FRESH = 2000
STAND_IN = 0.1


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
    return f"nearer to the truth than {'all' if farther == others else farther} of {others} others"


def judged_alike():
    """Bins and kernel at all settings: the risk that labels give against the distance that only the world knows."""
    looks = {"bins": {"marker": "s", "ms": 6, "mfc": "white", "mew": 1.4, "mec": KEPT}, "kernel": {"ms": 9}}
    limits = 3e-6, 2e-2

    def setup(fig):
        for n in SIZES:
            excess_and_distance(n)
        axes = panel(fig, xscale="log", yscale="log", xlim=limits, ylim=limits,
                     xlabel="squared distance to the truth (only the world knows it)",
                     ylabel="risk, above that of the truth")  # fmt: skip
        for set_ticks in (axes.set_xticks, axes.set_yticks):
            set_ticks([1e-5, 1e-4, 1e-3, 1e-2], ["10⁻⁵", "0.0001", "0.001", "0.01"])
            set_ticks([], minor=True)
        reference(axes, limits, limits)
        words(axes, 2.6e-3, 5e-3, "equal", colour=SOFT, size=SMALL)
        words(axes, 5e-6, 1.1e-2, f"□  bins, 1 to {BINS[-1]} of them", ha="left", colour=KEPT, size=SMALL)
        words(axes, 5e-6, 6e-3, "●  kernel, nine bandwidths", ha="left", colour=KEPT, size=SMALL)
        return {"dots": {name: estimate(axes, **look) for name, look in looks.items()},
                "chosen": estimate(axes, ms=19, mfc="none", mec=INK, mew=1.6),
                "name": number(axes, offset=(14, -14), size=SMALL)}  # fmt: skip

    def update(artists, n=1000):
        every = excess_and_distance(n)
        shown, chosen, nearest = np.maximum(every, limits[0]), every[:, 0].argmin(), every[:, 1].argmin()
        for name, which in (("bins", slice(len(BINS))), ("kernel", slice(len(BINS), None))):
            artists["dots"][name].set_data(*shown[which, ::-1].T)
        artists["chosen"].set_data(*shown[[chosen], ::-1].T)
        artists["name"].xy = shown[chosen, ::-1]
        artists["name"].set_text("the risk's choice")
        settings = [f"{each} bins" for each in BINS] + [f"bandwidth {each:g}" for each in BANDWIDTHS]
        return Finding(
            f"Chosen: {settings[chosen]}, {beaten(every[:, 1], chosen)}",
            f"n = {n:,}, one wave; risk on {FRESH:,} others; ring: the risk's choice",
            f"Squared distance of the choice {every[chosen, 1]:.6f}; nearest of all is {settings[nearest]}, {every[nearest, 1]:.6f}.",
        )

    return explore(setup, update, size=(9, 4.6), n=SIZES, code=excess_and_distance)


def risks_of_u(u, hit, confidence, parts):
    """Risk of h(c, c') = u(c) u(c') on each part, shape (folds,): u is fixed, so nothing is fitted."""
    h = EstimationFunction("mine", lambda c: np.reshape(u(c) + 0 * c, (-1, 1)), np.eye(1))
    return np.array([calibration_risk(h, hit[part], confidence[part]) for part in parts])


def above_the_smallest(risks):
    """Fold risks (folds, candidates) as distances from the candidate with the smallest mean, in spreads over the folds."""
    above = risks - risks[:, [risks.mean(axis=0).argmin()]]
    return in_spreads(above.mean(axis=0), above.std(axis=0, ddof=1) / np.sqrt(len(above)))


def _as_miss(u):
    """The reader's function, what to call it, and whose it is; while it is blank, over-confident by STAND_IN everywhere."""
    if u is None or u(np.array([0.5, 0.9])) is None:
        return lambda c: STAND_IN, "a constant", f"u = {STAND_IN}, as yours is blank"
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
        Confidences (n,) -> by how much over-confident the model is there, (n,) or a number; h(c, c') = u(c) u(c').
    """
    names = ["h = 0", "ukkr", "yours"]
    make, fill = rows_of_splits(names)
    u, whose, by = _as_miss(u)

    @lru_cache
    def fold_risks(model):
        each = digits_predictions(model)
        hit, confidence = top_label(each.y_true, each.y_prob)
        parts = [sims.parts_of(len(hit), seed) for seed in range(SPLITS)]
        mine = np.array([risks_of_u(u, hit, confidence, each) for each in parts])
        return np.stack([*sims.ridge_on_splits(model), mine], axis=2)  # splits, folds, names

    def setup(fig):
        for model in CAST:
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

    return explore(setup, update, size=(9, 4), model=CAST, split=(0, SPLITS - 1, 1),
                   labels={"split": "split (rng)"}, code=(risks_of_u, above_the_smallest, in_spreads))  # fmt: skip
