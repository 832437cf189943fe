"""What forecasters expect of two measures of calibration, and recalibration maps as estimates, judged by their risk."""

import numpy as np
import pandas as pd

from ...data.worlds import mixed_widmann_model, temperature_simulation
from ...door.predictions import residuals
from ...errors.spectrum import calibration_spectrum
from ...estimates.risk import calibration_risk, kernel_ridge, risk_of_features
from ...recalibration import IsotonicCalibration, TemperatureScaling, fit_recalibration, variational_error
from ..shared.stored import stored

NUMBERS_SAID = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30]
EVENTS = [30, 100, 300, 1000]
DRAWS, BINS = 4000, 10


def two_bin_error(y, p):
    """Mean over a cut of [0, 1] into two bins of (Σ p − y)² of each, summed, over n² (Hartline et al. 2026).

    Two predictions share a bin for a share 1 − |p_i − p_j| of the cuts: it is the biased SKCE with that kernel.
    """
    same = 1 - np.abs(p[:, None] - p)
    return (((p - y) @ same) * (p - y)).sum(axis=-1) / len(p) ** 2


def said(n, numbers):
    """Chances r of n events, spread evenly, and the mean chance of one's group if so many numbers are said."""
    r = (np.arange(n) + 0.5) / n
    group = np.arange(n) * numbers // n
    return r, (np.bincount(group, r) / np.bincount(group))[group]


@stored(EVENTS)
def expects(n):
    """For each of NUMBERS_SAID and all: the ECE's mean over labels with chances r; the two-bin error's over that of r.

    The second exactly: of labels with the chances r it is that of r in place of y, and Σ r(1 − r)/n².
    """
    rng, found = np.random.default_rng(n), []
    for numbers in (*NUMBERS_SAID, n):
        r, p = said(n, numbers)
        y = (rng.random((DRAWS, n)) < r).astype(float)
        cell = np.maximum(np.ceil(np.round(p * BINS, 9)).astype(int) - 1, 0)
        ece = np.abs((p - y) @ np.eye(BINS)[cell]).sum(axis=1) / n
        noise = (r * (1 - r)).sum() / n**2
        found.append([ece.mean(), (two_bin_error(r, p) + noise) / noise])
    return np.array(found)


def _five_classes(seed, n=500):
    y, p, truth = temperature_simulation(n, seed)
    return y, p, p - truth


def _half_are_class_0(seed, n=500):
    y, p = mixed_widmann_model(0.5, n, towards="M2", rng=seed)
    return y, p, (p - np.eye(10)[0]) / 2


WORLDS = {"a temperature": _five_classes, "half of the labels are class 0": _half_are_class_0}
MAPS = {"temperature": TemperatureScaling(clip=1e-6), "isotonic": IsotonicCalibration()}
RIDGES, SETS = ["kkr", "ukkr"], 20


@stored(WORLDS)
def maps_judged(world):
    """Of each data set, of RIDGES and MAPS: risk and that of h = 0, both above the truth's, as a ratio; report; saved loss."""
    found = []
    for seed in range(SETS):
        y, p, miss = WORLDS[world](seed)
        other_y, other, away = WORLDS[world](1000 + seed)
        delta, one = residuals(other_y, other), np.eye(p.shape[1])
        floor, nothing = (risk_of_features(u, one, delta) for u in (away, 0 * away))
        true = (miss**2).sum(axis=1).mean()
        fits, spectrum = [], calibration_spectrum(y, p)
        for name in RIDGES:
            some = [kernel_ridge(spectrum, name, penalty) for penalty in 10.0 ** -np.arange(1, 7)]
            fits.append(min(some, key=lambda h: calibration_risk(h, other_y, other)))
        fits += [fit_recalibration(y, p, recalibrator=each) for each in MAPS.values()]
        risks = [(calibration_risk(h, other_y, other) - floor) / (nothing - floor) for h in fits]
        reports = [h.diagonal(other).mean() / true for h in fits]
        saved = [variational_error(y, p, recalibrator=each, rng=seed) / true for each in MAPS.values()]
        found.append([risks, reports, [0, 0, *saved]])
    return np.array(found)


def maps_on_one_risk():
    """`maps_judged` as a table: means over the data sets, and in how many the risk is below that of h = 0."""
    rows = {}
    for world in WORLDS:
        found = maps_judged(world)  # data set; risk, report, saved loss; estimator
        for k, name in enumerate([*RIDGES, *MAPS]):
            risk, report, saved = found[:, :, k].T
            rows[world, name] = [f"{risk.mean():.2f}", f"{(risk < 1).sum()} of {SETS}", f"{report.mean():.2f}",
                                 "" if name in RIDGES else f"{saved.mean():.2f}"]
    columns = ["excess risk over that of h = 0", "below h = 0", "reported / truth", "saved loss / truth"]
    return pd.DataFrame(rows, columns).T
