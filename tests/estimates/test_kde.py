"""The kernel estimator equals its definition in forty digits, from 1e-13 to 1, zeros and ones included."""

import sys

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled
from scipy import stats

from calibtutor import conditional_frequency, kde_calibration_error, select_bandwidth
from calibtutor.estimates import kde
from calibtutor.estimates.kde import BANDWIDTHS, log_likelihood
from calibtutor.lessons.kernel_density.kernel import dirichlet_log_kernel

# Zeros are raised to these, as documented: the smallest normal double, and the machine epsilon for likelihoods.
TINY, LIKELIHOOD_CLIP = sys.float_info.min, sys.float_info.epsilon
TOLERANCE = 1e-10
BANDWIDTH = st.one_of(st.sampled_from([1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]), st.floats(-5, 0).map(lambda x: 10**x))
pytestmark = pytest.mark.filterwarnings("error")  # a log of 0 or 0/0 may not even be warned about
ROWS, SCORES = labelled(classes=(2, 4), max_rows=9), labelled(classes=(1, 1), max_rows=9)


@PROPERTY
@given(st.one_of(ROWS, SCORES), st.sampled_from([1e-13, 1e-8]) | BANDWIDTH, st.booleans(), st.integers(1, 9))
def test_frequencies_given_rows_or_scores_and_elsewhere(data, bandwidth, leave_one_out, seed):
    (y, p), rng = data, np.random.default_rng(seed)
    elsewhere = rng.random(seed) if np.ndim(p) == 1 else rng.dirichlet(np.full(len(p[0]), 0.5), seed)
    for how in ({"leave_one_out": leave_one_out}, {"at": elsewhere.tolist()}):
        found = conditional_frequency(y, p, bandwidth=bandwidth, **how)
        wanted = oracles.kde_ratio(y, p, bandwidth, TINY, **how)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE)


@PROPERTY
@given(ROWS, BANDWIDTH, st.sampled_from([1, 2, 3]), st.booleans())
def test_errors_of_all_three_notions(data, bandwidth, norm, leave_one_out):
    y, rows = data
    how = {"norm": norm, "leave_one_out": leave_one_out}
    pairs = [oracles.class_wise(y, rows, k) for k in range(len(rows[0]))]
    each = [oracles.kde_error(*pair, bandwidth, TINY, **how) for pair in pairs]
    wanted = {"canonical": oracles.kde_error(y, rows, bandwidth, TINY, **how),
              "top-label": oracles.kde_error(*oracles.top_label(y, rows), bandwidth, TINY, **how),
              "class-wise": sum(each) / len(each)}
    for notion, value in wanted.items():
        found = kde_calibration_error(y, rows, bandwidth=bandwidth, notion=notion, **how)
        assert isinstance(found, float)
        assert found == pytest.approx(value, abs=TOLERANCE), notion


@PROPERTY
@given(st.one_of(ROWS, SCORES), BANDWIDTH)
def test_likelihood_of_rows_or_scores(data, bandwidth):
    _, p = data
    wanted = oracles.log_likelihood(p, bandwidth, LIKELIHOOD_CLIP)
    assert log_likelihood(p, bandwidth)[0] == pytest.approx(wanted, rel=1e-10, abs=TOLERANCE)


@pytest.mark.parametrize("bandwidth", [1e-5, 1e-3, 0.1])
def test_where_many_neighbours_count(bandwidth):
    # Random rows are so far apart that one weight wins; here all lie within a kernel's width.
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 25), 0.3 + np.sqrt(bandwidth) * rng.random(25)
    wanted = oracles.kde_ratio(y.tolist(), scores.tolist(), bandwidth, TINY)
    found = conditional_frequency(y, scores, bandwidth=bandwidth)
    assert np.ptp(found) > 1e-3 and found.min() > 0.01 and found.max() < 0.99
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("entries", [1, 50, 200])
def test_tiles_change_nothing(entries, monkeypatch):
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(3), 43), rng.integers(0, 3, 43)

    def everything():
        ratios = [conditional_frequency(y, p, bandwidth=0.05, leave_one_out=out) for out in (True, False)]
        ratios.append(conditional_frequency(y, p, at=p[:11], bandwidth=0.05))
        return [*(r.ravel() for r in ratios), log_likelihood(p, [1e-4, 0.05, 1.0])]

    whole = everything()
    monkeypatch.setattr(kde, "TILE_ENTRIES", entries)
    for a, b in zip(whole, everything(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_the_bandwidth_is_the_likeliest_of_the_published_grid_and_every_reduction_chooses_its_own():
    np.testing.assert_allclose(BANDWIDTHS, [*(10 ** (k * 2 / 7 - 5) for k in range(15)), 0.2, 0.4, 0.6, 0.8, 1.0])
    p = np.random.default_rng(1).dirichlet([2, 2, 2], 200)
    values = [oracles.log_likelihood(p[:20].tolist(), h, LIKELIHOOD_CLIP) for h in BANDWIDTHS]
    assert select_bandwidth(p[:20]) == BANDWIDTHS[values.index(max(values))]
    y = np.arange(200) % 3
    assert kde_calibration_error(y, p) == kde_calibration_error(y, p, bandwidth=select_bandwidth(p))
    rng = np.random.default_rng(2)
    p, y = rng.dirichlet([0.2, 1, 5], 150), rng.integers(0, 3, 150)
    chosen = [select_bandwidth(p[:, k]) for k in range(3)]
    assert len(set(chosen)) > 1
    each = [kde_calibration_error(y == k, p[:, k], bandwidth=chosen[k]) for k in range(3)]
    assert kde_calibration_error(y, p, notion="class-wise") == pytest.approx(np.mean(each), rel=1e-12)
    confidence = p.max(axis=1)
    wanted = kde_calibration_error(y == p.argmax(axis=1), confidence, bandwidth=select_bandwidth(confidence))
    assert kde_calibration_error(y, p, notion="top-label") == pytest.approx(wanted, rel=1e-12)


def test_the_kernel_is_scipys_dirichlet_density():  # of the points, errata G10
    points, centres = np.random.default_rng(0).dirichlet(np.ones(3), (2, 4))
    centres[0] = [1, 0, 0]
    for bandwidth in (1e-3, 1.0):
        wanted = [[stats.dirichlet.logpdf(p, c / bandwidth + 1) for c in centres] for p in points]
        np.testing.assert_allclose(dirichlet_log_kernel(points, centres, bandwidth), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("scores", [
    lambda rng: rng.beta(2, 2, 1000), lambda rng: rng.beta(3, 6, 520).round(2), lambda rng: rng.beta(2, 1.5, 520)])
def test_scores_gathered_in_cells_choose_the_same_bandwidth(scores, monkeypatch):
    p, cells = scores(np.random.default_rng(0)), 256
    bandwidths = BANDWIDTHS[np.sqrt(BANDWIDTHS) / 2 >= 8 * np.pi / 2 / cells]  # a cell is an eighth of such a width
    exact = log_likelihood(p, bandwidths)
    monkeypatch.setattr(kde, "CELLS", cells)
    gathered = log_likelihood(p, bandwidths)
    assert 1e-6 < np.abs(gathered - exact).max() < 0.3  # of hundreds
    assert 0 < gathered.argmax() == exact.argmax()
