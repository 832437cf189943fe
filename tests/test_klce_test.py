"""Every null is its definition, the exact one alone and aggregated."""

import kce_oracles
import klce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from kce_oracles import assert_rank, assert_same
from klce_oracles import DATA
from sklearn.gaussian_process.kernels import ConstantKernel

from calibtutor import klce_test, laplacian, rbf
from calibtutor.features import MixedKernel
from calibtutor.klce import NULLS

DRAWING = [null for null in NULLS if null != "bound"]
KERNELS = {"prob_kernel": laplacian(0.4), "feature_kernel": rbf(gamma=0.5)}
FORMULAS = risk_oracles.exponential(0.4), risk_oracles.gaussian(0.5)


@pytest.mark.parametrize("null", DRAWING)
@pytest.mark.parametrize("case", DATA)
def test_the_draws_are_the_definition_and_the_observed_value_is_ranked(case, null):
    y, p, x = DATA[case]()
    found = klce_test(y, p, x, **KERNELS, null=null, n_resamples=40, rng=5)
    assert found.statistic == found.estimate == pytest.approx(literal.klce(*FORMULAS, y, p, x), abs=1e-12)
    assert found.method == null and found.null_distribution.shape == (40,) and found.single_pvalues is None
    wanted = literal.null_values(null, *FORMULAS, y, p, x, 40, 5)
    np.testing.assert_allclose(found.null_distribution, wanted, rtol=0, atol=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", DATA)
def test_the_bound_is_the_closed_form(case):
    y, p, x = DATA[case]()
    y, top = np.zeros_like(y), 1 if p.ndim == 1 else 2  # always class 0: a large error
    estimate, k = literal.klce(*FORMULAS, y, p, x), KERNELS["prob_kernel"]
    cases = (k, None, 1, top), (k, 0.3, 1, 0.3), (ConstantKernel(3.0) * k, None, 3, 3 * top)
    for kernel, given, scale, bound in cases:
        found = klce_test(y, p, x, **KERNELS | {"prob_kernel": kernel}, null="bound", bound=given)
        assert found.estimate == pytest.approx(scale * estimate, rel=1e-10) and found.method == "bound"
        wanted = kce_oracles.bound_unbiased(scale * estimate, len(y), bound)
        assert found.pvalue == pytest.approx(wanted, rel=1e-10) and 0 < found.pvalue < 1
    mixed = klce_test(y, p, x, prob_kernel=k, feature_kernel=MixedKernel(1.0, x.shape[1]), null="bound")
    assert mixed.pvalue == pytest.approx(kce_oracles.bound_unbiased(mixed.estimate, len(y), top), rel=1e-10)


def test_a_list_and_one_kernel_make_pairs():
    y, p, x = DATA["rows"]()
    probs, l = [laplacian(0.1), laplacian(0.4)], rbf(gamma=0.5)
    options = {"n_resamples": 60, "rng": 2}
    wanted = klce_test(y, p, x, prob_kernel=probs, feature_kernel=[l, l], **options)
    assert_same(klce_test(y, p, x, prob_kernel=iter(probs), feature_kernel=l, **options), wanted)
    assert_same(klce_test(y, p, x, prob_kernel=probs, feature_kernel=[l], **options), wanted)
    default = klce_test(y, p, x, prob_kernel=probs, **options)
    median = rbf(bandwidth=literal.median_distance(x))
    assert_same(default, klce_test(y, p, x, prob_kernel=probs, feature_kernel=median, **options), 1e-12)
