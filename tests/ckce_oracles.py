"""The conditional kernel calibration error, literally: whole matrices and explicit inverses.

Nothing here shares code with the package. Kernels are functions of two rows, as in `kce_oracles`.
"""

import kce_oracles
import numpy as np
import pytest
import risk_oracles as literal

CANDIDATES = [10 ** (k / 2) for k in range(-12, 5)]  # times n^(−1/4)


def kernel_eight(p):
    """⟨a, b⟩ + exp(−‖a − b‖²/2γ²), γ the median distance; where that is 0 the bandwidth must not matter: 17."""
    return kce_oracles.linear_and_gaussian(kce_oracles.median_distance(p) or 17.0)


def trace_formula(K, delta, ridge):
    """Tr(W Δ Δᵀ W K), W = (K + λnI)⁻¹ (eq. 7, with label kernel 1[y = y'])."""
    W = np.linalg.inv(K + ridge * len(K) * np.eye(len(K)))
    return np.trace(W @ delta @ delta.T @ W @ K)


def primal(phi, delta, ridge):
    """‖Δᵀ Φ (ΦᵀΦ + λnI)⁻¹‖² (eq. 9; rows of `phi` are cases)."""
    inverse = np.linalg.inv(phi.T @ phi + ridge * len(phi) * np.eye(phi.shape[1]))
    return np.sum((delta.T @ phi @ inverse) ** 2)


def held_out_error(kernel, y, p, ridge, parts):
    """Mean over rows of ‖δ_i − Σ_jk k(p_i, p_j)[(K + λmI)⁻¹]_jk δ_k‖², fitted on the m rows of the other folds."""
    K, delta, total = literal.matrix(kernel, p, p), literal.residual_rows(y, p), 0.0
    for k, fold in enumerate(parts):
        rest = np.concatenate([part for j, part in enumerate(parts) if j != k])
        W = np.linalg.inv(K[np.ix_(rest, rest)] + ridge * len(rest) * np.eye(len(rest)))
        total += np.sum((delta[fold] - K[np.ix_(fold, rest)] @ W @ delta[rest]) ** 2)
    return total / len(delta)


# --- with the default kernel and λ = n^(−1/4): what the public functions return ---


def default_ckce(y, p):
    return trace_formula(literal.matrix(kernel_eight(p), p, p), literal.residual_rows(y, p), len(p) ** -0.25)


def default_jkce(y, p):
    return kce_oracles.unbiased(kernel_eight(p), y, p)


def right_error(result, y, p):
    assert result.value == pytest.approx(default_ckce(y, p), rel=0, abs=1e-9)
    assert (result.certificate, result.method, result.n_features) == (0, "exact", None)
    assert result.regularization == pytest.approx(len(p) ** -0.25)


def right_choice(result, y, p, folds=2, rng=0):
    parts = np.array_split(np.random.default_rng(rng).permutation(len(p)), folds)
    np.testing.assert_allclose(result.candidates, np.array(CANDIDATES) * len(p) ** -0.25, rtol=1e-12)
    wanted = [held_out_error(kernel_eight(p), y, p, ridge, parts) for ridge in result.candidates]
    np.testing.assert_allclose(result.errors, wanted, rtol=1e-5, atol=1e-9)
    assert result.baseline == pytest.approx(np.sum(literal.residual_rows(y, p) ** 2) / len(p), abs=1e-12)
    assert result.errors[list(result.candidates).index(result.regularization)] == min(result.errors)
