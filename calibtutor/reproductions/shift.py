"""Figures 2 and 4 of Moskvichev & Sejdinovic: calibration errors while the inputs move and P(Y | x) stays.

    python -m calibtutor.reproductions.shift --jobs 2 --folder shift-runs

writes blocks of results into the folder as it goes (a second run goes on where the first one stopped) and at the end
`summary.json`. The summary that is stored beside this file was made by this command; the file says with which seed.
"""

import numpy as np
import pandas as pd

from ..data.worlds import covariate_shift
from ..kernels import linear_plus_gaussian, low_rank, median_bandwidth, rbf
from ..predictions import residuals
from ..simplex import simplex_calibration_error
from ..spectrum import spectrum_of_features
from .blocks import from_command_line, in_blocks, stored_summary

__all__ = [
    "ALPHAS",
    "METRICS",
    "beside_published",
    "curves",
    "fall",
    "one_data_set",
    "run",
    "summarise",
    "variation",
]

ALPHAS = np.linspace(-1, 1, 25)
NAMES = [f"alpha-{k:02d}" for k in range(len(ALPHAS))]
METRICS = ("CKCE", "CKCE, linear", "CKCE, Gaussian", "CKCE, λ = .001", "JKCE", "ECE")
N, TRIALS, SEED, BLOCK = 1000, 400, 0, 20
SMALL_RIDGE, STEPS = 1e-3, 10
MAX_RANK = 100  # on a line these kernels have rank 40 or so; what is left out is below rounding

def one_data_set(name, number, *, seed=SEED, n=N):
    """All `METRICS` of one data set.

    They are what `ckce` (with kernel (8), its linear and its Gaussian part), `jkce` and twice
    `simplex_calibration_error` (the L¹ norm) return; here they share the features of the kernels.
    """
    k = NAMES.index(name)
    y_true, y_prob = covariate_shift(ALPHAS[k], n, np.random.default_rng([seed, k, number]))
    delta = residuals(y_true, y_prob)
    eight, linear, gaussian = spectra(y_prob, delta)
    conditional = [found.norm(0, 1, n**-0.25) for found in (eight, linear, gaussian)]
    ece = 2 * simplex_calibration_error(y_true, y_prob, n_steps=STEPS)
    return np.array([*conditional, eight.norm(0, 1, SMALL_RIDGE), eight.norm(0, 0, 0, unbiased=True), ece])


def spectra(y_prob, delta):
    """`CalibrationSpectrum` for kernel (8), linear and Gaussian alone; γ is the median distance."""
    gamma = median_bandwidth(y_prob)
    eight, gaussian = (
        low_rank(kernel, y_prob, tol=1e-12, max_rank=MAX_RANK).features
        for kernel in (linear_plus_gaussian(gamma), rbf(bandwidth=gamma))
    )
    return [spectrum_of_features(phi, delta) for phi in (eight, y_prob, gaussian)]


def run(folder, *, data_sets=TRIALS, seed=SEED, n=N, n_jobs=None, progress=True):
    """`METRICS` of so many data sets for each α, kept in the folder; see `in_blocks`."""
    wanted, columns = dict.fromkeys(NAMES, data_sets), dict.fromkeys(NAMES, METRICS)
    settings = {"seed": seed, "n": n}
    return in_blocks(folder, wanted, one_data_set, columns, settings, block=BLOCK, n_jobs=n_jobs, progress=progress)


# --- from curves to statements ---


def variation(mean, se=None):
    """Coefficient of variation of a curve over α (standard deviation over mean), and its standard error."""
    mean = np.asarray(mean)
    spread, centre = mean.std(), mean.mean()
    slope = ((mean - centre) / spread - spread / centre) / (len(mean) * centre)
    return float(spread / centre), 0.0 if se is None else float(np.linalg.norm(slope * se))


def fall(mean, se=None):
    """1 − value at α = 0 / mean of the values at α = ±1, and its standard error."""
    mean = np.asarray(mean)
    middle, ends = len(mean) // 2, (mean[0] + mean[-1]) / 2
    slope = np.zeros(len(mean))
    slope[[0, middle, -1]] = mean[middle] / ends / 2, -1, mean[middle] / ends / 2
    return float(1 - mean[middle] / ends), 0.0 if se is None else float(np.linalg.norm(slope / ends * se))


def summarise(results, *, command, seed=SEED, n=N):
    """What is stored: means and standard deviations over trials; plain numbers."""
    values = np.stack([results[name] for name in NAMES])  # (α, trial, metric)
    return {
        "command": command, "seed": seed, "n": n, "data_sets": values.shape[1], "metrics": list(METRICS),
        "mean": values.mean(axis=1).tolist(),
        "sd": values.std(axis=1, ddof=1).tolist(),
        "first": {name: results[name][:3].tolist() for name in NAMES},  # to be made again and compared
    }  # fmt: skip


def curves():
    """The stored curves of Figures 2 and 4: (means, standard errors), DataFrames with a row an α, a column a metric."""
    summary = stored_summary("shift")
    shape = {"index": pd.Index(ALPHAS, name="α"), "columns": summary["metrics"]}
    mean, sd = (pd.DataFrame(summary[key], **shape) for key in ("mean", "sd"))
    return mean, sd / np.sqrt(summary["data_sets"])


def beside_published():
    """Table of the stored curves at five α, their variation over all 25, and the fall to α = 0.

    The paper's word for CKCE is "constant" (fall 0); it prints no values.
    """
    mean, se = curves()
    rows = {}
    for metric in METRICS:
        rough, rough_se = variation(mean[metric], se[metric])
        drop, drop_se = fall(mean[metric], se[metric])
        cells = {f"α = {ALPHAS[k]:g}": f"{mean[metric].iloc[k]:.3f}" for k in (0, 6, 12, 18, 24)}
        cells["variation (s.e.)"] = f"{rough:.3f} ({rough_se:.3f})"
        cells["fall (s.e.)"] = f"{drop:.3f} ({drop_se:.3f})"
        rows[metric] = cells
    return pd.DataFrame(rows).T


def main(arguments=None):
    summary = from_command_line("shift", __doc__, run, summarise, TRIALS, seed=SEED, arguments=arguments)
    for metric, mean in zip(METRICS, np.transpose(summary["mean"]), strict=True):
        print(f"{metric}: variation over α {variation(mean)[0]:.3f}, fall to α = 0 {fall(mean)[0]:.3f}")


if __name__ == "__main__":
    main()
