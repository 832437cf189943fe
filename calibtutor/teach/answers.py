"""Answers of readers: compared with the right one, and shown in words. Plain NumPy: hidden tests hold its source."""

import re
import textwrap
import unicodedata
from contextlib import suppress
from fractions import Fraction

import numpy as np


def _word(text):
    """A word without case, hyphens, quotes or spaces, and without an article or an argument's name before it."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "", re.sub(r"^\s*\w+\s*=|^\W*(the|it is)\b", "", text))


def in_full(text, wrong, right):
    """The wrong word of which a part of four letters or more was typed; those with one hint are one."""
    part = _word(text)
    within = [each for each in wrong if len(part) > 3 and part in _word(each)]
    known = len({wrong[each] for each in within}) == 1 and not any(part in _word(each) for each in right)
    return within[0] if known else text


NUMBER = re.compile(r"\s*([-−\d./e ]+?)\s*(%?)[a-z ]*", re.I)


def number(text):
    """The number that a text holds, as “1/16”, “3,000”, “36 %” and “4 animals” do; otherwise the text."""
    found = NUMBER.fullmatch(re.sub(r",(?=\d{3}\b)", "", text))
    try:
        return float(Fraction(found[1].replace("−", "-").replace(" ", ""))) / (100 if found[2] else 1)
    except (TypeError, ValueError, ArithmeticError):
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


RULES = {  # how wrong answers may come from the right ones; of one number only the first two tell nothing
    "The size is right, the sign is not.": np.negative, "That is a hundred times as much.": lambda right: 100 * right,
    "That is 1 minus what is asked for.": lambda right: 1 - right, "That is the absolute value of it.": np.abs,
    "That is the square of it.": np.square, "That is the root of it.": lambda right: np.sqrt(np.maximum(right, 0))}


def comes_from(found, wanted, sizes, tolerance):
    """By which one rule the answers to all inputs come from the right ones; `sizes` are those of first arguments."""
    try:
        ones, others = ([np.asarray(each, dtype=float) for each in side] for side in (found, wanted))
    except Exception:  # see same
        return ""
    alike = lambda these: all(same(one, this, tolerance) for one, this in zip(ones, these, strict=True))
    for words, rule in [*RULES.items()][: None if sizes else 2]:
        if alike(map(rule, others)):
            return words
    ordered = lambda side: np.concatenate([np.sort(each, None) for each in side])
    if ones[0].size > 1 and same(ordered(ones), ordered(others), tolerance):
        return "The right numbers in another order."
    if not sizes or ones[0].shape != others[0].shape or not np.any(ones[0]):
        return ""
    if others[0].ndim and len({each.shape[-1] for each in (*ones, *others)}) == 1 < others[0].shape[-1] < 5:
        fits = [all(same(a[..., k], b[..., k], tolerance) for a, b in zip(ones, others, strict=True))
                for k in range(others[0].shape[-1])]
        off = [f"{k + 1}" for k, each in enumerate(fits) if not each]
        if len(off) < len(fits):
            what = ("number" if others[0].ndim == 1 else "column") + "s" * (len(off) > 1)
            return f"Look at {what} {' and '.join(off)}: the rest is right."
    at = np.argmax(np.abs(others[0]))
    by = float(ones[0].flat[at] / others[0].flat[at])
    factors = {f"It is {by:.4g} times the right one for every input.": [by] * len(sizes),
               "It is n times the right one: a sum in place of a mean?": sizes,
               "It is divided by n once too often.": [1 / max(n, 1) for n in sizes]}
    return next((words for words, by in factors.items() if alike(map(np.multiply, by, others))), "")


def other_shape(found, wanted, tolerance):
    """What to say if only the shape is wrong, or if no number can be right in this shape; else nothing."""
    try:
        found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    except Exception:  # see same; words have no shape either
        return ""
    if found.shape == wanted.shape:
        return ""
    shape = lambda value: f"an array of shape {value.shape}" if value.ndim else "one number"
    shapes = f"expected {shape(wanted)}, got {shape(found)}"
    if same(found.T, wanted, tolerance):
        return "rows and columns are exchanged: .T turns them."
    if found.size == wanted.size and same(found.ravel(), wanted.ravel(), tolerance):
        return f"the right numbers in the wrong shape: {shapes}."
    table = "" if found.shape != wanted.shape * 2 else " A column beside a row makes a table of all pairs."
    return f"the shape is wrong: {shapes}.{table}"


RAISED = {  # what an error says, and what a reader may do
    "could not be broadcast": "Two arrays do not fit together: x[:, None] makes a column, x[None, :] a row.",
    "out of bounds": "An index is too large for its array: places count from 0.",
    "matmul|not aligned": "@ needs as many columns on its left as there are rows on its right.",
    "is ambiguous": "An array is no yes or no: use a mask, np.where or .any().",
    "is not defined": "Python does not know this name: functions of NumPy begin with np.",
    "has no len": "A number stands where an array is expected: are the arguments in their order?",
    "positional argument": "The arguments must be those of the question, in their order."}


def in_words(problem):
    """What an error says to whoever has not seen it before, or nothing."""
    return next((f"{said} " for sign, said in RAISED.items() if re.search(sign, problem)), "")


def in_a_line(values):
    """Values in one line of text, cut if they are long."""
    return textwrap.shorten(", ".join(map(show, values)), 120, placeholder=" …")


def apart(found, wanted):
    """Both in words; of more than six entries the one that is furthest off."""
    where = ""
    with suppress(Exception):  # see same
        one, other = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
        if other.size > 6 and one.shape == other.shape:
            at = np.unravel_index(np.argmax(np.abs(one - other)), other.shape)
            found, wanted, where = one[at], other[at], f" at [{', '.join(map(str, at))}]"
    return f"expected {show(wanted, 9)}{where}, got {show(found, 9)}"


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
