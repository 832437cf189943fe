"""How headlines and numbers on pictures are written, and when a miss counts."""

import numpy as np


def written(value, digits=3, sign=""):
    """A number with so many digits, a real minus, and no sign before what rounds to 0; with `sign` "+" a plus too."""
    text = f"{value:{sign}.{digits}f}" if value or sign else "0"
    return text.replace("-", "−") if text.strip("-+0.") else text.strip("-+")


def signed(value, digits=3):
    """A number with its sign."""
    return written(value, digits, sign="+")


def capital(text):
    """With a large first letter, the others as they are: “Naive Bayes”."""
    return text[0].upper() + text[1:]


def beyond(miss, error):
    """Whether a miss is more than two standard errors from 0."""
    return np.abs(miss) > 2 * error


def points(miss, more="over-confident", less="under-confident"):
    """“13 points over-confident”: a miss in whole points of a hundred, and its side."""
    return f"{100 * abs(miss):.0f} points {more if miss > 0 else less}"
