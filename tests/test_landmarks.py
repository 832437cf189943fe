"""What landmarks cost in power is what their docstring says."""

import numpy as np
import pytest

from calibtutor import kce_test, landmarks, laplacian, median_bandwidth
from calibtutor.data.worlds import mixed_widmann_model


@pytest.mark.slow
def test_many_landmarks_cost_no_power_and_few_a_tenth():
    assert "256 landmarks find as many, 32 one in ten fewer" in landmarks.__doc__
    rejected = []
    for seed in range(80):
        y, p = mixed_widmann_model(0.13, 1000, rng=seed)
        kernel = laplacian(median_bandwidth(p))
        few = [landmarks(kernel, p, rank=rank, rng=seed) for rank in (256, 32)]
        pairs = (kce_test(y, p, kernel=each, n_resamples=99, rng=seed).single_pvalues for each in ([kernel], few))
        rejected.append(np.concatenate(list(pairs)) <= 0.05 + 1e-12)
    exact, many, fewer = np.mean(rejected, axis=0)
    assert 0.45 < exact < 0.75  # binomial, 99 %; differences of tests of the same data are smaller
    assert abs(exact - many) < 0.04 and 0.05 < exact - fewer < 0.15
