"""What functions return: one line at a prompt, arrays counted, and equal to itself alone."""

import dataclasses
import inspect

import numpy as np
import pandas as pd
import pytest

import calibtutor as ct
from calibtutor.predictions import Result

P = np.random.default_rng(0).dirichlet(np.ones(3), 400)
Y = np.array([np.random.default_rng(i).choice(3, p=p) for i, p in enumerate(P)])
CALLS = {
    "kce_test": lambda: ct.kce_test(Y, P, n_resamples=999, rng=0),
    "kce_test, aggregated": lambda: ct.kce_test(Y, P, kernel=ct.kernel_grid(P), n_resamples=19, rng=0),
    "klce_test": lambda: ct.klce_test(Y, P, P[:, 0], n_resamples=19, rng=0),
    "local_calibration_bias": lambda: ct.local_calibration_bias(Y, P, P[:, 0]),
    "conditional_error": lambda: ct.conditional_error(Y, P),
    "select_regularization": lambda: ct.select_regularization(Y, P, rng=0),
    "select_estimator": lambda: ct.select_estimator(Y, P, candidates=["h = 0", "15 bins"], rng=0),
    "simplex_occupancy": lambda: ct.simplex_occupancy(P),
    "reliability_curve": lambda: ct.reliability_curve(Y, P),
    "fit_binning": lambda: ct.fit_binning(*ct.top_label(Y, P)),
    "fit_ukkr": lambda: ct.fit_ukkr(Y, P),
    "calibration_spectrum": lambda: ct.calibration_spectrum(Y, P),
    "low_rank": lambda: ct.low_rank(ct.rbf(gamma=1), P),
}


@pytest.fixture(scope="module")
def found():
    return {name: call() for name, call in CALLS.items()}


def test_every_public_dataclass_is_a_result(found):
    public = [getattr(ct, name) for name in ct.__all__]
    kinds = {each for each in public if inspect.isclass(each) and dataclasses.is_dataclass(each)}
    assert kinds <= {type(result) for result in found.values()}
    assert [kind for kind in kinds if not issubclass(kind, Result)] == []


@pytest.mark.parametrize("name", CALLS)
def test_a_result_prints_on_one_line_and_says_its_numbers(name, found):
    result, text = found[name], repr(found[name])
    assert len(text) < 400 and "\n" not in text and "array(" not in text and " at 0x" not in text
    assert text.startswith(type(result).__name__ + "(")
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, float | int) and not field.name.startswith("_"):
            assert f"{field.name}={value:.6g}" in text
        if isinstance(value, np.ndarray) and not field.name.startswith("_"):
            assert f"{field.name}=<{' × '.join(map(str, value.shape))} numbers>" in text
        if isinstance(value, pd.DataFrame):
            assert f"{field.name}=<DataFrame>" in text
    if name != "select_estimator":  # its print is a table
        assert str(result) == text


@pytest.mark.parametrize("name", CALLS)
def test_a_result_is_equal_to_itself_alone(name, found):
    again = dataclasses.replace(found[name])
    assert found[name] == found[name] != again
    assert len({found[name], again}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(found[name], dataclasses.fields(again)[0].name, None)
