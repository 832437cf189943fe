"""The code of a picture runs where it is pasted."""

from functools import lru_cache

import numpy as np
import pytest

from calibtutor.door.predictions import top_label
from calibtutor.teach.exercise import Exercise
from calibtutor.teach.explore import explore
from calibtutor.teach.source import folded, source

TENTH = 0.1


def mean_gap(y_true, y_prob):
    """Mean confidence minus accuracy."""
    hit, confidence = top_label(y_true, y_prob)
    return float(np.mean(confidence - hit))


@lru_cache
def far(y_true=(0, 1), shift=0):
    return mean_gap(np.array(y_true), np.array([[0.9, 0.1], [0.3, 0.7]])) > TENTH + shift


def test_source_brings_its_imports_and_constants():
    text = source((far, mean_gap))
    assert "lru_cache" not in text
    assert text.splitlines()[:3] == ["import numpy as np", "from calibtutor import top_label", "TENTH = 0.1"]
    here = {}
    exec(text, here)
    assert here["far"]() == far() and here["mean_gap"]([0, 1], [[0.8, 0.2], [0.5, 0.5]]) == pytest.approx(0.15)


def test_a_function_that_needs_its_surroundings_is_refused():
    outer = 3

    def inner():
        return outer

    with pytest.raises(ValueError, match="code: inner uses outer of the function around it"):
        source(inner)


def test_a_picture_offers_its_code_folded():
    def setup(fig):
        return fig.text(0.5, 0.5, "")

    def update(artist, shift=0):
        return f"this picture says whether the gap is far: {far(shift=shift)}"

    shown = explore(setup, update, code=far, shift=(0, 2, 1))
    assert shown.code == source(far)
    (below,) = [
        child for child in shown.children if "<details><summary>The code</summary>" in getattr(child, "value", "")]
    assert "shift=0" in below.value and "&gt; TENTH" in below.value
    assert folded("") == ""


def test_the_reference_stands_in_while_a_function_is_blank_and_use_wants_a_function():
    square = Exercise("square", lambda x: x * x, "It is.", hint="Multiply.", inputs=lambda rng: (rng.random(),))
    blank, mine, wrong = square.use(lambda x: ...), square.use(lambda x: x**2), square.use(lambda x: x + 1)
    assert blank(3) == 9 and blank.by == "the reference (square is still blank)" == square.use(None).by
    assert mine(3) == 9 and mine.by == "your square" == repr(mine)
    assert wrong(3) == 4 and wrong.by == "your square, not right yet"
    assert square.use(mine) is mine, "what is used already is used as it is"
    assert square.tries == 0 and square.status == "blank"  # using is not handing in
    with pytest.raises(ValueError, match="expected your function square, got 9; pass it without"):
        square.use(9)
    with pytest.raises(ValueError, match="asks for a value"):
        Exercise("two", 2, "It is.", hint="Count.").use(lambda: 2)
