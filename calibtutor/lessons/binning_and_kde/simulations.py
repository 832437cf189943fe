"""Repeated data sets behind the scenes of notebook 02, drawn once and kept, so that sliders only add them up."""

from functools import lru_cache

import numpy as np

from ...binning import error_of_bins
from ...data.worlds import wave_world

__all__ = []  # simulations, not scenes

SIZES = [50, 100, 200, 500, 1000, 2000, 5000]
BIN_NUMBERS = [1, 2, 3, 5, 8, 12, 20, 30, 50]
HEIGHTS = [0.0, 0.05, 0.1, 0.15]
REPEATS = 400


@lru_cache
def _hits_below(n, wave_height):
    """Running counts of events in sorted scores for `REPEATS` label draws: any bin is a difference of two."""
    world = wave_world(2, wave_height)
    scores = (np.arange(n) + 0.5) / n  # uniform scores, spread evenly: only the labels vary
    labels = np.random.default_rng(n).random((REPEATS, n)) < world.curve(scores)
    return scores, np.concatenate([np.zeros((REPEATS, 1)), np.cumsum(labels, axis=1)], axis=1)


def _bins(n, wave_height, n_bins):
    """Counts (m,), confidences (m,) and frequencies (REPEATS, m) in the non-empty of `n_bins` equal-width bins."""
    scores, hits = _hits_below(n, wave_height)
    cuts = np.searchsorted(scores, np.linspace(0, 1, n_bins + 1), side="right")
    cuts = np.unique(cuts)
    count = np.diff(cuts)
    score_sums = np.diff(np.concatenate([[0], np.cumsum(scores)])[cuts])
    return count, score_sums / count, np.diff(hits[:, cuts], axis=1) / count


def binned_errors_of_perfect_model(n, n_bins):
    """ECE of a calibrated model on `REPEATS` data sets, and its mean by the normal approximation.

    A bin's gap is nearly normal with variance v_m = Σ p(1 − p)/n_m², so E|gap| ≈ √(2 v_m/π); the ECE's mean is
    the sum weighted by n_m/n.
    """
    count, confidence, frequency = _bins(n, 0.0, n_bins)
    errors = np.abs(confidence - frequency) @ (count / n)
    scores, _ = _hits_below(n, 0.0)
    ends = np.cumsum(count)
    variances = np.add.reduceat(scores * (1 - scores), np.concatenate([[0], ends[:-1]])) / count**2
    return errors, float((count / n) @ np.sqrt(2 * variances / np.pi))


@lru_cache
def rmse_table(wave_height, debiased):
    """RMSE and bias of the norm-2 error, (bin numbers, sizes), the truth, and the share of negative squares at 500.

    NaN where bins would hold fewer than two data on average.
    """
    truth = wave_world(2, wave_height).calibration_error(norm=2)
    rmse, bias = np.full((2, len(BIN_NUMBERS), len(SIZES)), np.nan)
    negative = []
    for column, n in enumerate(SIZES):
        for row, n_bins in enumerate(BIN_NUMBERS):
            if n_bins > n / 2:
                continue
            count, confidence, frequency = _bins(n, wave_height, n_bins)
            estimate = error_of_bins(count, confidence, frequency, 2, debiased)
            rmse[row, column] = np.sqrt(((estimate - truth) ** 2).mean())
            bias[row, column] = estimate.mean() - truth
            if n == 500:
                negative.append((estimate < 0).mean())
    return rmse, bias, truth, float(np.mean(negative))
