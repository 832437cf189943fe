"""Table 1 in method, on digits: what is stored is made again, and noise is what it says."""

from itertools import product

import ckce_oracles
import kce_oracles
import numpy as np
import pytest
from risk_oracles import matrix, residual_rows

from calibtutor.estimates.simplex import simplex_calibration_error
from calibtutor.reproductions import digits_ckce as digits
from calibtutor.reproductions.blocks import stored_summary

# Trained in a second. The network's last digits, and what is made of them, may differ between machines.
REPEATABLE = {"logistic regression": 1e-4, "naive Bayes": 1e-4, "decision tree": 1e-4, "neural network": 0.05}


def test_what_noise_alone_does_is_the_mean_over_all_labels():
    p = np.array([[0.6, 0.3, 0.1], [0.61, 0.3, 0.09], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    labels = list(product(range(3), repeat=4))
    weight = [np.prod(p[range(4), y]) for y in labels]
    K = matrix(kce_oracles.linear_and_gaussian(1.0), p.tolist(), p.tolist())
    wanted = np.dot(weight, [ckce_oracles.trace_formula(K, residual_rows(y, p), 4**-0.25) for y in labels])
    assert digits.calibrated_ckce(p) == pytest.approx(wanted, rel=1e-9)
    wanted = np.dot(weight, [2 * simplex_calibration_error(y, p) for y in labels])
    assert digits.calibrated_ece(p) == pytest.approx(wanted, abs=4 * 0.4 / np.sqrt(digits.DRAWS))


@pytest.mark.parametrize("model", [*REPEATABLE, digits.MARGINAL])
def test_table_1_made_again_gives_the_stored_numbers(model):
    found, wanted = digits.performance(model), stored_summary("digits_ckce")[model]
    assert list(found) == list(wanted)
    for key, value in wanted.items():
        assert found[key] == pytest.approx(value, rel=REPEATABLE.get(model, 1e-4), abs=1e-9), key
