"""What functions return: one line at a prompt, arrays counted, and equal to itself alone."""

import dataclasses
import inspect
import json

import numpy as np
import pandas as pd
import pytest

import calibtutor as ct
from calibtutor.door.results import Result

P = np.random.default_rng(0).dirichlet(np.ones(3), 400)
Y = np.array([np.random.default_rng(i).choice(3, p=p) for i, p in enumerate(P)])
CALLS = {
    "audit": lambda: ct.audit(Y, P, groups=P[:, 0] > 0.5, n_resamples=19, rng=0),
    "compare": lambda: ct.compare((Y, P), (Y, P**2 / (P**2).sum(axis=1, keepdims=True))),
    "kce_test": lambda: ct.kce_test(Y, P, n_resamples=999, rng=0),
    "klce_test": lambda: ct.klce_test(Y, P, P[:, 0], n_resamples=19, rng=0),
    "local_calibration_bias": lambda: ct.local_calibration_bias(Y, P, P[:, 0]),
    "conditional_error": lambda: ct.conditional_error(Y, P),
    "select_regularization": lambda: ct.select_regularization(Y, P, rng=0),
    "select_estimator": lambda: ct.select_estimator(Y, P, candidates=["h = 0", "15 bins"], rng=0),
    "reliability_curve": lambda: ct.reliability_curve(Y, P),
    "corp_reliability": lambda: ct.corp_reliability(Y, P, n_resamples=19, rng=0), "fit_ukkr": lambda: ct.fit_ukkr(Y, P),
    "calibration_spectrum": lambda: ct.calibration_spectrum(Y, P), "low_rank": lambda: ct.low_rank(ct.rbf(gamma=1), P)}


@pytest.fixture(scope="module")
def found():
    return {name: call() for name, call in CALLS.items()}


def test_every_public_dataclass_is_a_result(found):
    public = [getattr(ct, name) for name in ct.__all__]
    kinds = {each for each in public if inspect.isclass(each) and dataclasses.is_dataclass(each)}
    assert kinds <= {type(result) for result in found.values()}
    assert [kind for kind in kinds if not issubclass(kind, Result)] == []


def public(result):
    return {f.name: getattr(result, f.name) for f in dataclasses.fields(result) if not f.name.startswith("_")}


@pytest.mark.parametrize("name", CALLS)
def test_a_result_prints_on_one_line_goes_through_json_and_is_equal_to_itself_alone(name, found):
    result, text, again = found[name], repr(found[name]), dataclasses.replace(found[name])
    assert len(text) < 400 and "\n" not in text and "array(" not in text
    assert text.startswith(type(result).__name__ + "(")
    assert str(result) == text or name in ("select_estimator", "audit", "compare")  # they print what they found
    assert result == result != again and len({result, again}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, dataclasses.fields(again)[0].name, None)
    plain, values = json.loads(json.dumps(result.to_dict(), allow_nan=False)), public(again)
    assert plain == again.to_dict() and " at 0x" not in text + json.dumps(plain) and list(plain) == list(values)
    for field, value in values.items():
        if isinstance(value, np.ndarray):
            assert f"{field}=<{' × '.join(map(str, value.shape))} numbers>" in text
            np.testing.assert_array_equal(np.array(plain[field], float), value)
        if isinstance(value, pd.DataFrame):
            assert f"{field}=<DataFrame>" in text
        if isinstance(value, float | int) and not isinstance(value, bool):
            assert f"{field}={value:.6g}" in text
        if isinstance(value, bool | int | float | str) and value == value:
            assert plain[field] == value


def test_what_json_does_not_know_is_said_in_other_words():
    @dataclasses.dataclass(frozen=True, eq=False, repr=False)
    class Odd(Result):
        one: object
        two: object = None
        _hidden: int = 3

    numbers = np.array([[np.nan, np.inf], [-np.inf, np.float64(0.1)]])
    table = pd.DataFrame({"risk": [0.5, np.nan], "best": [True, False]}, index=["a", "b"])
    plain = Odd({2: Odd((np.int64(3), np.bool_(True)), numbers)}, [table, ct.rbf(gamma=0.5), lambda x: x]).to_dict()
    assert plain == {"one": {"2": {"one": [3, True], "two": [[None, "inf"], ["-inf", 0.1]]}},
                     "two": [[{"index": "a", "risk": 0.5, "best": True}, {"index": "b", "risk": None, "best": False}],
                             repr(ct.rbf(gamma=0.5)), "<function>"]}
    assert type(plain["one"]["2"]["one"][1]) is bool and json.loads(json.dumps(plain, allow_nan=False)) == plain


@pytest.mark.parametrize("name", CALLS)
def test_a_summary_is_for_a_person(name, found):
    result = found[name]
    text = result.summary()
    assert 3 <= len(text.splitlines()) <= (20 if name == "audit" else 12) and max(map(len, text.splitlines())) <= 160
    assert " at 0x" not in text and "array(" not in text
    if isinstance(result, ct.CalibrationTestResult):
        assert '"Not rejected" is not "calibrated".' in text
        assert f"the smallest p there can be is {1 / (1 + result.null_distribution.size):.4g}" in text
    elif not isinstance(result, ct.EstimatorSelectionResult | ct.Audit | ct.Comparison):
        lines = dict(line.split(maxsplit=1) for line in text.splitlines()[1:])
        assert text.startswith(f"{type(result).__name__}: ") and list(lines) == list(public(result))
    if name == "reliability_curve":
        assert lines["confidence"].endswith(f", {(result.count == 0).sum()} missing")
