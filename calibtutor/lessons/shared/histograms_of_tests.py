"""What several lessons use: histograms of tests."""

from ...plots import (
    bars_between,
)  # fmt: skip

__all__ = ["LIKE", "heap"]



LIKE = {"M1": "calibrated", "M2": "half of the labels set to class 0", "M3": "labels ignore predictions",
        "heteroscedastic": "calibrated", "near-deterministic": "calibrated"}  # fmt: skip


def heap(edges, count, row, height):
    """The bars of a histogram that stands on `row`, the tallest of this height; empty ones are left out."""
    bars = bars_between(edges, 0 * count + row, row + height * count / count.max())
    return [bar for bar, cases in zip(bars, count, strict=True) if cases]
