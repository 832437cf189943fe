"""That bad input is refused, by the fields of the error and not by its words."""

from contextlib import contextmanager

import pytest

from calibtutor import InputError


@contextmanager
def refuses(argument, row=None, expected="", *, found="", hint=""):
    """An InputError of this argument and this row is raised; of the other fields these parts are looked for."""
    with pytest.raises(InputError) as caught:
        yield caught
    error = caught.value
    assert (error.argument, error.row) == (argument, row), error
    assert expected in error.expected and found in error.found and hint in error.hint, error
