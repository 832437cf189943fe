"""What headlines say of misses, and when."""

import numpy as np

__all__ = ["beyond", "points", "signed"]


def signed(value, digits=3):
    """A number with its sign and a real minus; what rounds to 0 has none."""
    rounded = round(float(value), digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"


def beyond(miss, error):
    """Whether a miss is more than two standard errors from 0."""
    return np.abs(miss) > 2 * error


def points(miss, more="too sure", less="too shy"):
    """“13 points too sure”: a miss in whole points of a hundred, and its side."""
    return f"{100 * abs(miss):.0f} points {more if miss > 0 else less}"
