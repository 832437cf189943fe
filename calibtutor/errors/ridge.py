"""The norm of the ridge regression of residuals on predictions: by the kernel's matrix, or by features, certified."""

from functools import partial

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..door.inputs import InputError
from ..kernels import entries, kernel_diagonal, low_rank, slices
from .spectrum import Moments

FIRST_RANK = 64
PIVOT_ROWS = 2000  # pivots are looked for among so many rows, evenly spread over the data
PIVOT_TOLERANCE = 1e-12  # of the trace: pivots beyond would be rounding errors
BLOCK_ENTRIES = 2**20  # of features made at once: 8 MB
NEGATIVE = 1e-8  # of the largest diagonal entry: more below 0 is no rounding error


def error_of_matrix(K, delta, regularization):
    """Tr(WΔΔᵀWK), W = (K + λnI)⁻¹, by one Cholesky factor: O(n³) time, and memory for one more n × n matrix."""
    shifted = np.array(K, dtype=float)
    shifted[np.diag_indices_from(shifted)] += regularization * len(K)
    try:  # transposed: LAPACK then works in place
        weights = cho_solve(cho_factor(shifted.T, lower=True, overwrite_a=True), delta)
    except LinAlgError:
        found = f"K + λnI that is not positive definite at λ = {regularization:g}"
        raise InputError("kernel", "a positive semi-definite one and a λ above rounding", found=found) from None
    return float((weights * (K @ weights)).sum())


def certified(sums, regularization):
    """‖(C + λI)⁻¹S‖² of `Moments`, and a bound on its distance to the value for K in place of ΦΦᵀ.

    The bound. Let ν = λn, K̂ = ΦΦᵀ and E = K − K̂, both positive semi-definite, ε = tr E, Ŵ = (K̂ + ν)⁻¹,
    W = (K + ν)⁻¹, f and f̂ the two values, u = E^½ŴΔ, v = νE^½Ŵ²Δ, M = I − E^½WE^½ and e = ν‖WE^½u‖². Put
    W = Ŵ − WEŴ into f = tr Δᵀ(W − νW²)Δ, where νWŴΔ = νŴ²Δ − νWEŴ²Δ, so that E^½νWŴΔ = Mv:

        f − f̂ = −⟨u, Mu⟩ + 2⟨u, Mv⟩ − e = ⟨v, Mv⟩ − ⟨u − v, M(u − v)⟩ − e.

    As W ≤ (E + ν)⁻¹, 0 ≤ E^½WE^½ ≤ ε/(ε + ν), so 0 ≤ M ≤ I and, with νW² ≤ W, e ≤ ‖u‖² ε/(ε + ν); and
    νWEW ≤ νWKW ≤ 1/4, so e ≤ ‖u‖²/4. With ‖E^½A‖² ≤ ε‖A‖² and Ŵ − νŴ² = K̂Ŵ²:

        −ε‖K̂Ŵ²Δ‖² − min(ε/(ε + ν), 1/4) ε‖ŴΔ‖²  ≤  f − f̂  ≤  ε‖νŴ²Δ‖².

    Also 0 ≤ f ≤ ‖Δ‖²/(4ν), as μ/(μ + ν)² ≤ 1/(4ν). Only ‖E‖ ≤ tr E is wasteful: where what was left out is spread
    over n rows, the true distance is about n times smaller.
    """
    found, n, left, nu = sums.spectrum(), sums.n, sums.left, regularization * sums.n
    value, most = found.norm(0, 1, regularization), sums.energy / (4 * nu)
    # In the span of Φ, Ŵ is 1/(nμ + ν) and ΔᵀΔ has n‖VᵀS‖²/μ; outside, Ŵ is 1/ν. Nothing is divided by μ here:
    shifted = found.eigenvalues + regularization
    share, each = regularization / shifted, n * found.energy / shifted
    spread = (sums.energy - (each * (1 + share)).sum()) / nu**2  # ‖ŴΔ‖²
    noise = (sums.energy - (each * (1 + share) * (1 + share**2)).sum()) / nu**2  # ‖νŴ²Δ‖²
    seen = (each * found.eigenvalues / shifted**3).sum() / n**2  # ‖K̂Ŵ²Δ‖²
    below = seen + min(left / (left + nu), 0.25) * max(spread, 0)
    return value, float(min(left * max(noise, below), max(value, most - value)))


def moments(feature_map, X, delta, diagonal=None):
    """`Moments` of all rows, a block at a time; given the diagonal of K, with what the features leave out of it."""
    sums, step = None, max(256, BLOCK_ENTRIES // max(1, feature_map(X[:1]).shape[1]))
    for rows in slices(len(X), step):
        phi, left = feature_map(X[rows]), 0.0
        if diagonal is not None:
            rest = diagonal[rows] - (phi**2).sum(axis=1)
            if rest.min() < -NEGATIVE * diagonal.max():
                row = X[rows.start + np.argmin(rest)]
                raise InputError("kernel", "a positive semi-definite one", hint=f"the prediction {row} denies it")
            left = float(np.maximum(rest, 0).sum())
        block = Moments.of(phi, delta[rows], left)
        sums = block if sums is None else sums + block
    if not np.isfinite(sums.second).all():
        raise InputError("kernel", "finite numbers", found="others")
    return sums


def pivots(kernel, X):
    """Numbers of some rows, evenly spread, and `low_rank` of them: Σφφ ≤ K on all rows."""
    entries(kernel, X[:1], X[:1])
    few = np.unique(np.linspace(0, len(X) - 1, min(len(X), PIVOT_ROWS)).astype(int))
    return few, partial(low_rank, kernel, X[few], tol=PIVOT_TOLERANCE)


def low_rank_error(kernel, X, delta, regularization, tol, max_rank):
    """Value, certificate and rank; as many features as it takes for a certificate of `tol` times the value."""
    few, pivoted = pivots(kernel, X)
    diagonal, wanted = kernel_diagonal(kernel, X), min(FIRST_RANK, max_rank)
    factor = pivoted(max_rank=wanted)
    # The few rows that pivots come from tell cheaply how many it takes; then all rows decide.
    for rows in [few, slice(None)] if len(few) < len(X) else [slice(None)]:
        while True:
            sums = moments(factor.transform, X[rows], delta[rows], diagonal[rows])
            value, certificate = certified(sums, regularization)
            if certificate <= tol * value or factor.rank < wanted or wanted == max_rank:
                break
            wanted = min(2 * wanted, max_rank)
            factor = pivoted(max_rank=wanted)
    return value, certificate, factor.rank
