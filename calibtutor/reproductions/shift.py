"""Figures 2 and 4 of Moskvichev & Sejdinovic: calibration errors while the inputs move and P(Y | x) stays.

The paper chooses the bandwidth γ of its kernels “via the median heuristic” and does not say of which data. The inputs
of this experiment move, and with them the median distance of the predictions, by a factor of twenty. So each data set
is measured by several rules: the median of each data set, and one γ for all of them.
"""

import numpy as np
import pandas as pd

from ..data.worlds import covariate_shift
from ..door.predictions import residuals
from ..errors.spectrum import spectrum_of_features
from ..estimates.simplex import simplex_calibration_error
from ..kernels import linear_plus_gaussian, low_rank, median_bandwidth, rbf
from .blocks import from_command_line, stored_summary

ALPHAS = np.linspace(-1, 1, 25)
MEDIAN = "median of each data set"
BANDWIDTHS = (MEDIAN, 0.05, 0.1, 0.25, 0.5)
METRICS = ("CKCE", "CKCE, linear", "CKCE, Gaussian", "CKCE, λ = .001", "JKCE", "ECE")
FREE = ("CKCE, linear", "ECE")  # of any bandwidth
N, TRIALS, BLOCK = 1000, 400, 20
FULL = {(bandwidth, k): TRIALS for bandwidth in BANDWIDTHS for k in range(len(ALPHAS))}
SMALL_RIDGE, STEPS = 1e-3, 10
MAX_RANK = 100  # on a line these kernels have rank 40 or so; what is left out is below rounding
DIGITS = 10


def one_data_set(design, number, *, seed=0, n=N):
    """All `METRICS` of one data set of a design: one of `BANDWIDTHS`, on which the data do not depend, and k of α_k.

    They are what `ckce` (with kernel (8), its linear and its Gaussian part), `jkce` and twice
    `simplex_calibration_error` (the L¹ norm) return; here they share the features of the kernels.
    """
    bandwidth, k = design
    y_true, y_prob = covariate_shift(ALPHAS[k], n, np.random.default_rng([seed, k, number]))
    delta = residuals(y_true, y_prob)
    eight, linear, gaussian = spectra(y_prob, delta, median_bandwidth(y_prob) if bandwidth == MEDIAN else bandwidth)
    conditional = [found.norm(0, 1, n**-0.25) for found in (eight, linear, gaussian)]
    ece = 2 * simplex_calibration_error(y_true, y_prob, n_steps=STEPS)
    return np.array([*conditional, eight.norm(0, 1, SMALL_RIDGE), eight.norm(0, 0, 0, unbiased=True), ece])


def features(y_prob, gamma):
    """Features of kernel (8), linear and Gaussian alone."""
    eight, gaussian = (low_rank(kernel, y_prob, tol=1e-12, max_rank=MAX_RANK).features
                       for kernel in (linear_plus_gaussian(gamma), rbf(bandwidth=gamma)))
    return eight, y_prob, gaussian


def spectra(y_prob, delta, gamma):
    """`CalibrationSpectrum` for the kernels of `features`."""
    return [spectrum_of_features(phi, delta) for phi in features(y_prob, gamma)]


def variation(mean, se=0):
    """Coefficient of variation of a curve over α (standard deviation over mean), and its standard error."""
    mean = np.asarray(mean)
    spread, centre = mean.std(), mean.mean()
    slope = ((mean - centre) / spread - spread / centre) / (len(mean) * centre)
    return float(spread / centre), float(np.linalg.norm(slope * se))


def change(mean, se=0):
    """Value at α = 0 / mean of the values at α = ±1, − 1, and its standard error; below 0 for a fall to the middle."""
    mean = np.asarray(mean)
    middle, ends = len(mean) // 2, (mean[0] + mean[-1]) / 2
    slope = np.zeros(len(mean))
    slope[[0, middle, -1]] = -mean[middle] / ends / 2, 1, -mean[middle] / ends / 2
    return float(mean[middle] / ends - 1), float(np.linalg.norm(slope / ends * se))


def summarise(results):
    """What is stored: for each rule of the bandwidth means and standard deviations over trials; plain numbers."""
    rules = []
    for bandwidth in BANDWIDTHS:
        values = np.stack([results[bandwidth, k] for k in range(len(ALPHAS))])  # (α, trial, metric)
        rules.append({"bandwidth": bandwidth, "mean": _rounded(values.mean(axis=1)),
                      "sd": _rounded(values.std(axis=1, ddof=1)),
                      "first": _rounded(values[:, 0])})  # to be made again and compared
    return {"n": N, "data_sets": values.shape[1], "metrics": list(METRICS), "rules": rules}


def _rounded(values):
    return [_rounded(each) for each in values] if np.ndim(values) else float(f"{values:.{DIGITS}g}")


def curves(bandwidth=MEDIAN):
    """The stored curves of Figures 2 and 4 with one of `BANDWIDTHS`: means, standard errors; by α and metric."""
    summary = stored_summary("shift")
    (rule,) = (each for each in summary["rules"] if each["bandwidth"] == bandwidth)
    shape = {"index": pd.Index(ALPHAS, name="α"), "columns": summary["metrics"]}
    mean, sd = (pd.DataFrame(rule[key], **shape) for key in ("mean", "sd"))
    return mean, sd / np.sqrt(summary["data_sets"])


def beside_published(metrics=METRICS, bandwidths=BANDWIDTHS):
    """Table of the stored curves at three α, their variation over all 25, and the change from the ends to α = 0.

    A row for each metric and rule of the bandwidth; one row if the metric has no bandwidth. The paper's word for CKCE
    is "constant" (change 0); it prints no values.
    """
    rows = {}
    for metric in metrics:
        for bandwidth in bandwidths[: 1 if metric in FREE else None]:
            mean, se = (each[metric] for each in curves(bandwidth))
            cells = {f"α = {ALPHAS[k]:g}": f"{mean.iloc[k]:.3f}" for k in (0, 12, 24)}
            for name, statement in (("variation", variation), ("change", change)):
                cells[f"{name} (s.e.)"] = "{:.3f} ({:.3f})".format(*statement(mean, se))
            rows[metric, "–" if metric in FREE else f"γ: {bandwidth}"] = cells
    return pd.DataFrame(rows).T


def tell(summary):
    for rule in summary["rules"]:
        for metric, mean in zip(METRICS, np.transpose(rule["mean"]), strict=True):
            found = f"variation over α {variation(mean)[0]:.3f}, change to α = 0 {change(mean)[0]:+.3f}"
            print(f"bandwidth {rule['bandwidth']}, {metric}: {found}")


if __name__ == "__main__":
    from_command_line(__spec__.name)
