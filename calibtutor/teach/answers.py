"""Answers of readers: compared with the right one, and shown in words. Plain NumPy: hidden tests hold its source."""

import re
import textwrap
import unicodedata
from fractions import Fraction

import numpy as np


def _word(text):
    """A word without case, hyphens, quotes or spaces, and without an article or an argument's name before it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "", re.sub(r"^\s*\w+\s*=|^\W*(the|it is)\b", "", text))


def number(text):
    """The number that a text holds, as “1/16” and “0.5” do; otherwise the text."""
    try:
        return float(Fraction(text.replace("−", "-").replace(" ", "")))
    except (ValueError, ArithmeticError):
        return text


def decimals(found, wanted):
    """To how many decimals right numbers were rounded or cut; 0 if they were not, or by more than a hundredth."""
    try:
        found, wanted = (np.hstack([np.ravel(np.asarray(each, float)) for each in side]) for side in (found, wanted))
        off = np.abs(found - wanted).max(initial=0)
    except Exception:  # see same
        return 0
    for places in range(2, 8) if np.isfinite(off) else ():
        whole = np.abs(found - np.round(found, places)).max(initial=0) < 1e-12
        if whole and 0 < off < 0.999 * 10.0**-places and off <= 0.01 * np.abs(wanted).max(initial=0):
            return places
    return 0


def same(found, wanted, tolerance):
    if isinstance(wanted, str) or isinstance(found, str):
        return isinstance(found, str) and isinstance(wanted, str) and _word(found) == _word(wanted)
    try:
        if np.iscomplexobj(found):
            return False
        found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    except Exception:  # a learner may hand in anything; what is no array of numbers is no answer
        return False
    if found.shape != wanted.shape:
        return False
    largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
    # The rest is for answers that are 0 up to rounding.
    return bool(np.allclose(found, wanted, rtol=0, atol=tolerance * largest + 1e-7, equal_nan=True))


def other_shape(found, wanted, tolerance):
    """What to say if only the shape is wrong, or if no number can be right in this shape; else nothing."""
    try:
        found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    except Exception:  # see same; words have no shape either
        return ""
    if found.shape == wanted.shape:
        return ""
    shapes = f"expected {_shape(wanted)}, got {_shape(found)}"
    if found.size == wanted.size and same(found.ravel(), wanted.ravel(), tolerance):
        return f"the right numbers in the wrong shape: {shapes}."
    table = "" if found.shape != wanted.shape * 2 else " A column beside a row makes a table of all pairs."
    return f"the shape is wrong: {shapes}.{table}"


def _shape(value):
    return f"an array of shape {value.shape}" if value.ndim else "one number"


RAISED = {  # what an error says, and what a reader may do
    "could not be broadcast": "Two arrays do not fit together: x[:, None] makes a column, x[None, :] a row.",
    "out of bounds": "An index is too large for its array: places count from 0.",
    "matmul|not aligned": "@ needs as many columns on its left as there are rows on its right.",
    "is ambiguous": "An array is no yes or no: use a mask, np.where or .any().",
    "positional argument": "The arguments must be those of the question, in their order.",
    "has no attribute|not callable|not subscriptable": "Something is not of the kind that it is used as.",
    "is not defined": "A name is not known there.",
}


def in_words(problem):
    """What an error says to whoever has not seen it before, or nothing."""
    return next((f"{said} " for sign, said in RAISED.items() if re.search(sign, problem)), "")


def in_a_line(values):
    """Values in one line of text, cut if they are long."""
    return textwrap.shorten(", ".join(map(show, values)), 120, placeholder=" …")


def show(value, digits=6):
    if isinstance(value, str):
        return f"“{value}”"
    try:
        if np.iscomplexobj(value):
            return str(value)
        value = np.asarray(value, dtype=float)
        if value.ndim == 0:
            return f"{value:.{digits}g}"  # no dot behind a whole number
        plain = bool(np.abs(value).max(initial=0) > 0.01)  # 0.001, not 1.0e-03
        return np.array2string(value, precision=digits - 2, threshold=12, separator=", ", suppress_small=plain)
    except Exception:  # see same
        return type(value).__name__
