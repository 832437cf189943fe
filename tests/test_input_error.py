"""InputError: its fields are what a program reads, its text is for people, and it survives a process."""

import pickle

import pytest

import calibtutor as ct

FIELDS = ("argument", "row", "found", "expected", "hint")
ERROR = ct.InputError("y_prob", "a probability", found=1.5, row=3, hint="divide by 100")


def fields(error):
    return [getattr(error, name) for name in FIELDS]


@pytest.mark.parametrize(("error", "sentence"), [
    (ERROR, "y_prob: row 3 is 1.5, expected a probability; divide by 100"),
    (ct.InputError("n_bins", "a count", found=2.5, hint="round it"), "n_bins: expected a count, got 2.5; round it"),
    (ct.InputError("k", found=None), "k: got None"),
])  # fmt: skip
def test_one_sentence(error, sentence):
    assert str(error) == sentence


def test_it_is_a_value_error_whose_fields_survive_another_name_and_a_pickle():
    assert isinstance(ERROR, ValueError)
    assert fields(ERROR) == ["y_prob", 3, "1.5", "a probability", "divide by 100"]
    assert fields(ERROR.of("--prob")) == ["--prob", *fields(ERROR)[1:]]
    again = pickle.loads(pickle.dumps(ERROR))
    assert fields(again) == fields(ERROR) and str(again) == str(ERROR)
