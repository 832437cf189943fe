"""InputError: its fields are what a program reads, its text is for people, and it survives a process."""

import copy
import pickle

import pytest

import calibtutor as ct

FIELDS = ("argument", "row", "found", "expected", "hint")
ERROR = ct.InputError("y_prob", "a probability", found=1.5, row=3, hint="divide by 100")
SENTENCES = {
    "y_prob: row 3 is 1.5, expected a probability; divide by 100": ERROR,
    "y_prob: row 3, expected a probability": ct.InputError("y_prob", "a probability", row=3),
    "n_bins: expected a whole number, got 2.5; round it": ct.InputError(
        "n_bins", "a whole number", found=2.5, hint="round it"
    ),
    "debias: expected norm=2": ct.InputError("debias", "norm=2"),
    "k: got None": ct.InputError("k", found=None),
    "k: leave it out": ct.InputError("k", hint="leave it out"),
}


def fields(error):
    return [getattr(error, name) for name in FIELDS]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_one_sentence(sentence):
    assert str(SENTENCES[sentence]) == sentence


def test_it_is_a_value_error_with_fields():
    assert isinstance(ERROR, ValueError)
    assert fields(ERROR) == ["y_prob", 3, "1.5", "a probability", "divide by 100"]


def test_of_another_name():
    other = ERROR.of("--prob")
    assert fields(other) == ["--prob", *fields(ERROR)[1:]] and other is not ERROR
    assert fields(ERROR)[0] == "y_prob"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copied_and_pickled_whole(again):
    assert fields(again(ERROR)) == fields(ERROR) and str(again(ERROR)) == str(ERROR)
