"""The same seed gives the same p-value as version 1.0, whatever way the sums are made: ranks and statistics stored."""

import numpy as np
import pytest

from calibtutor import kce_test, kce_test_parts, klce_test, landmarks, laplacian, rbf
from calibtutor.data.worlds import mixed_widmann_model

DRAWS = 99


def world(d, n):
    """Labels, predictions, weights and clusters of four rows or so."""
    y, p = mixed_widmann_model(0.04, n, n_classes=d, rng=[d, n])
    rng = np.random.default_rng([d, n, 1])
    return y, p, rng.random(n), rng.integers(0, max(30, n // 4), n)


def result_of(d, n, *, w=False, c=False, vector=False, low=None, x=False, **options):
    y, p, weights, cluster = world(d, n)
    options |= {"weights": weights} if w else {}
    options |= {"cluster": cluster} if c else {}
    options |= {"kernel": landmarks(laplacian(0.4), p, rank=low, rng=0)} if low else {}
    if options.pop("parts", False):
        return kce_test_parts([(y[a::3], p[a::3]) for a in range(3)], n_resamples=DRAWS, rng=7, **options)
    data = (y == 0, p[:, 0]) if vector else (y, p)
    data = (data[0].astype(int), data[1], weights + p[:, 0]) if x else data
    return (klce_test if x else kce_test)(*data, n_resamples=DRAWS, rng=7, **options)


TOP, LOW = "top-label", rbf(bandwidth=2.0)
KERNELS = [laplacian(0.2), laplacian(1.0), LOW]
# Of each setting the rank of 100, the mean size of the draws, and the estimates.
STORED = [
    (dict(d=2, n=60), 5, 0.00090954672949, 0.0028554346375),
    (dict(d=2, n=700, w=True), 1, 0.00010920195676, 0.00065166188667),
    (dict(d=2, n=300, vector=True), 73, 7.4114081816e-05, -7.5538445633e-05),
    (dict(d=2, n=300, vector=True, c=True), 50, 0.00013673873412, -5.3856226672e-05),
    (dict(d=3, n=60), 66, 0.3702020202, -0.0022508066733, -3.8508292831e-05),
    (dict(d=3, n=400, w=True, c=True), 1, 0.35222222222, 0.00035434119874, 0.0008848963555),
    (dict(d=3, n=900, kernel=LOW), 65, 0.00015118823191, -0.00010816222679),
    (dict(d=3, n=900, kernel=LOW, w=True, c=True), 44, 0.000248659621, -7.2342331489e-05),
    (dict(d=5, n=300, statistic="biased"), 19, 0.33222222222, 0.0014361265455, 0.00037990607481),
    (dict(d=5, n=300, statistic="biased", w=True), 34, 0.34050505051, 0.0015058742263, 0.00027880977515),
    (dict(d=5, n=301, statistic="linear"), 51, 0.34202020202, 0.0018607732062, -0.0002003986198),
    (dict(d=5, n=300, kernel=KERNELS), 17, 0.39090909091, 4.2188233524e-05, 0.00041910107965, 0.00073791189799),
    (dict(d=10, n=1500), 1, 0.33636363636, 4.671451793e-05, 0.00056245729656),
    (dict(d=10, n=600, c=True), 26, 0.36494949495, -9.3569899368e-05, 0.00029040620963),
    (dict(d=10, n=600, low=64), 63, 5.5320468304e-05, -3.4694709635e-05),
    (dict(d=10, n=600, low=64, w=True, c=True), 69, 8.5809327587e-05, -7.4552344342e-05),
    (dict(d=10, n=300, notion=TOP), 6, 0.00032392127154, 0.00089113698105),
    (dict(d=40, n=600), 39, 0.3203030303, -2.6534063706e-05, 0.0001259202426),
    (dict(d=40, n=600, w=True, c=True), 35, 0.34858585859, -5.8028879151e-05, 0.0001405568161),
    (dict(d=40, n=500, low=64), 37, 6.111087889e-05, 1.1496005303e-05),
    (dict(d=40, n=500, low=40, w=True, c=True), 83, 0.00010376376126, -0.00014478379904),
    (dict(d=100, n=700), 100, 0.33090909091, -7.0927946816e-05, -0.00016738918357),
    (dict(d=100, n=600, low=64), 50, 6.5720926607e-05, -1.5594101898e-05),
    (dict(d=100, n=300, statistic="biased"), 27, 0.34343434343, 0.0031898220438, 0.00048728879497),
    (dict(d=300, n=300), 33, 0.35272727273, 7.0476872229e-05, -0.00014791702447),
    (dict(d=40, n=300, low=64, parts=True), 45, 0.00011508610429, 1.6278857099e-05),
    (dict(d=4, n=200, x=True), 77, 0.00040737191299, -0.00047601917056),
    (dict(d=4, n=200, x=True, w=True, c=True), 68, 0.00082334258061, -0.00054394531293),
    (dict(d=2, n=200, x=True, vector=True), 22, 0.0001202295284, 0.00010356053735),
    (dict(d=3, n=200, x=True, null="centred-permutation"), 42, 0.00020468424617, 4.3636385819e-05),
    (dict(d=3, n=200, x=True, null="signs"), 34, 0.0003967287332, 4.3636385819e-05),
    (dict(d=3, n=200, method="asymptotic"), 40, 0.00093775538422, -5.513584135e-05),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "rank", "drawn", "estimates"), [(s, r, m, e) for s, r, m, *e in STORED])
def test_pvalues_of_version_1_stay(setting, rank, drawn, estimates):
    found = result_of(**setting)
    assert found.pvalue * (DRAWS + 1) == pytest.approx(rank)
    size = 1e-9 if "low" not in setting else 1e-5  # sums in single precision
    assert np.abs(found.null_distribution).mean() == pytest.approx(drawn, rel=size)
    np.testing.assert_allclose(np.atleast_1d(found.estimate), estimates, rtol=0, atol=size * max(map(abs, estimates)))
