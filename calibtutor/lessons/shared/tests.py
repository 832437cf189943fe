"""What several lessons use: tests."""

from ...plots import (
    KEPT,
    MISS,
)
from .histograms_of_tests import LIKE

__all__ = ["CAST", "LEVEL", "colour_of", "on_the_way"]



CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")
LEVEL = 0.05


def colour_of(pvalue):
    return MISS if pvalue <= LEVEL else KEPT


def on_the_way(strength, towards="M3"):
    """What the poster's data are, between the calibrated M1 and another, in words."""
    return (
        f"{strength:.0%} towards {towards} ({LIKE[towards]})" if strength else f"calibrated (M1), 0% towards {towards}"
    )
