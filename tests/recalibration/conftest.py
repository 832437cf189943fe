"""Nothing here may warn unless a test says so."""

import warnings

import pytest


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
