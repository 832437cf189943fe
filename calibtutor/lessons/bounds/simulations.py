"""What the bounds of notebook further/01 are at the expected estimate."""

import bisect

from ...chance.pvalues import bound_pvalue
from ..shared.posters_models import true_skce


def expected_terms(strength):
    """E h(Z, Z'), the SKCE, and E h(Z, Z), of data so far from M1 to M3, ten classes."""
    # E h(Z, Z) = E‖δ‖² = 1 − 2 E p_Y + E‖p‖², the last of Dirichlet(.1, …, .1)
    return strength**2 * true_skce(), 1 - 2 * strength / 10 + (2 * strength - 1) * 1.1 / 2


def bounds(n, true, own):
    """Bounds on R, where an estimate is what one expects: (biased, unbiased or linear)."""
    H, biased = 2, true + (own - true) / n  # |h| is at most H; of the n² terms, n are h(Z, Z)
    # exp(−½ max(0, √(n biased/H) − 1)²) and exp(−⌊n/2⌋ true²/(2H²))
    return bound_pvalue(biased, n, H, biased=True), bound_pvalue(true, n, H, biased=False)


def enough(which, true, own, alpha, most):
    """The least n, from 10 on, at which a bound is at most alpha; more than `most` if none is."""
    return 10 + bisect.bisect_left(range(10, most + 1), True, key=lambda n: bounds(n, true, own)[which] <= alpha)
