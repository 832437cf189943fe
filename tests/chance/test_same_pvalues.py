"""The same seed gives the p-value that it always gave, whatever way the sums are made: ranks and statistics stored."""

import numpy as np
import pytest

from calibtutor import kce_test, kce_test_parts, klce_test, landmarks, laplacian, rbf
from calibtutor.data.worlds import mixed_widmann_model

DRAWS = 99


def result_of(d, n, *, w=False, c=False, vector=False, low=None, x=False, parts=False, **options):
    """Of a model slightly wrong; with weights, clusters of four rows or so, landmarks, features or in parts."""
    y, p = mixed_widmann_model(0.04, n, n_classes=d, rng=[d, n])
    rng = np.random.default_rng([d, n, 1])
    given = {"weights": rng.random(n), "cluster": rng.integers(0, max(30, n // 4), n)}
    features = given["weights"] + p[:, 0]
    options |= {name: each for name, each in given.items() if {"weights": w, "cluster": c}[name]}
    options |= {"kernel": landmarks(laplacian(0.4), p, rank=low, rng=0)} if low else {}
    options |= {"n_resamples": DRAWS, "rng": 7}
    if parts:
        return kce_test_parts([(y[a::3], p[a::3]) for a in range(3)], **options)
    y, p = ((y == 0).astype(int), p[:, 0]) if vector else (y, p)
    return klce_test(y, p, features, **options) if x else kce_test(y, p, **options)


TOP, LOW = "top-label", rbf(bandwidth=2.0)
KERNELS = [laplacian(0.2), laplacian(1.0), LOW]
# Of each setting the rank of 100, and the sum of sizes of its estimates (and draws, of a test of one kernel).
STORED = [
    (dict(d=3, n=200, x=True, null="centred-permutation"), 42, 0.020307376757), (dict(d=2, n=60), 5, 0.092900560857),
    (dict(d=5, n=300, statistic="biased", w=True), 34, 0.0017846840014), (dict(d=3, n=60), 66, 0.0022893149661),
    (dict(d=3, n=900, kernel=LOW, w=True, c=True), 44, 0.024689644811), (dict(d=10, n=1500), 1, 0.00060917181449),
    (dict(d=10, n=600, low=64, w=True, c=True), 69, 0.0085696757754), (dict(d=40, n=600), 39, 0.00015245430631),
    (dict(d=40, n=500, low=40, w=True, c=True), 83, 0.010417396164), (dict(d=300, n=300), 33, 0.0002183938967),
    (dict(d=4, n=200, x=True, w=True, c=True), 68, 0.082054860793), (dict(d=100, n=700), 100, 0.00023831713039),
    (dict(d=2, n=200, x=True, vector=True), 22, 0.012006283849), (dict(d=2, n=700, w=True), 1, 0.011462655606),
    (dict(d=40, n=300, low=64, parts=True), 45, 0.011409803182), (dict(d=4, n=200, x=True), 77, 0.040805838557),
    (dict(d=2, n=300, vector=True, c=True), 50, 0.013590990904), (dict(d=10, n=600, c=True), 26, 0.000383976109),
    (dict(d=5, n=301, statistic="linear"), 51, 0.002061171826), (dict(d=40, n=500, low=64), 37, 0.0060614730154),
    (dict(d=40, n=600, w=True, c=True), 35, 0.00019858569525), (dict(d=100, n=600, low=64), 50, 0.006521965836),
    (dict(d=5, n=300, kernel=KERNELS), 17, 0.0011992012112), (dict(d=10, n=300, notion=TOP), 6, 0.032959342863),
    (dict(d=3, n=400, w=True, c=True), 1, 0.0012392375542)]


@pytest.mark.parametrize(("setting", "rank", "size"), STORED)
def test_pvalues_of_a_seed_stay(setting, rank, size):
    found = result_of(**setting)
    assert found.pvalue * (DRAWS + 1) == pytest.approx(rank)
    sizes = np.abs([*np.atleast_1d(found.estimate), *(found.null_distribution if found.single_pvalues is None else [])])
    assert sizes.sum() == pytest.approx(size, rel=1e-9 if "low" not in setting else 1e-6)  # sums in single precision
