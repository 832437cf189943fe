"""Columns keep their names from `fit` to `predict_proba`, and what goes by rows has one index."""

import inspect

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import calibtutor
from calibtutor import InputError
from calibtutor.door.inputs import BY_ROWS

RNG = np.random.default_rng(0)
N = 120
NEEDED = {"recalibrator": calibtutor.PlattScaling(), "k": 1, "at": [0.5], "bandwidth": 0.1, "n_resamples": 19,
          "first": None, "second": None, "h": calibtutor.fit_binning([0, 1, 1], [0.2, 0.7, 0.9], n_bins=1)}


def table(d, words):
    p = RNG.dirichlet(np.ones(d), N)
    names = ["no", "yes", "perhaps"][:d] if words else list(range(d))
    y = np.array([RNG.choice(d, p=each) for each in p])
    return pd.DataFrame(p, columns=names), np.array(names, dtype=object if words else int)[y]


@pytest.mark.filterwarnings("ignore:temperature")
@pytest.mark.parametrize("words", [True, False], ids=["words", "numbers"])
@pytest.mark.parametrize("d", [2, 3])
def test_columns_are_found_by_their_names(d, words):
    frame, y = table(d, words)
    order = list(range(d))[::-1]
    for name in "PlattScaling IsotonicCalibration TemperatureScaling VectorScaling DirichletCalibration".split():
        each = getattr(calibtutor, name)()
        fitted = each.fit(y, frame)
        right = fitted.predict_proba(frame)
        turned = frame.iloc[:, order]
        np.testing.assert_allclose(fitted.predict_proba(turned), right[:, order], atol=1e-12)
        np.testing.assert_allclose(each.fit(y, turned).predict_proba(frame), right, atol=2e-6)
        if words:
            fitted = each.fit(y, frame)
            arrow = pa.Table.from_pandas(turned)
            np.testing.assert_allclose(fitted.predict_proba(arrow), right[:, order], atol=1e-12)
            with pytest.raises(InputError, match="the columns of fit"):
                fitted.predict_proba(frame.rename(columns={"no": "never"}))
        np.testing.assert_allclose(fitted.predict_proba(frame.to_numpy()), right, atol=1e-12)  # no names: by position
        with pytest.raises(InputError, match=f"{d} columns as in fit"):
            fitted.predict_proba(np.full((4, d + 1), 1 / (d + 1)))


def test_groups_are_found_by_their_names():
    p, groups = RNG.random(600), pd.DataFrame(RNG.random((600, 2)) < 0.5, columns=["old", "rural"])
    y = (RNG.random(600) < np.where(groups["old"], p / 2, p)).astype(int)
    fitted = calibtutor.Multicalibration(min_count=20).fit(y, p, groups)
    right = fitted.predict_proba(p, groups)
    np.testing.assert_array_equal(fitted.predict_proba(p, groups[["rural", "old"]]), right)
    assert (right != fitted.predict_proba(p, groups[["rural", "old"]].to_numpy())).any()
    with pytest.raises(InputError, match="groups: expected the columns of fit"):
        fitted.predict_proba(p, groups.rename(columns={"old": "aged"}))


def by_rows(function):
    return [name for name in inspect.signature(function).parameters if name in BY_ROWS]


def public():
    """Every public function, and the methods of public classes, of which two arguments or more go by rows."""
    for name in calibtutor.__all__:
        each = getattr(calibtutor, name)
        found = {name: each} if inspect.isfunction(each) else {}
        if inspect.isclass(each):
            found = {f"{name}.{do}": getattr(each, do) for do in ("fit", "predict_proba") if hasattr(each, do)}
        for where, function in found.items():
            if len(by_rows(function)) > 1:
                yield where, function


@pytest.mark.parametrize(("where", "function"), list(public()), ids=lambda each: each if isinstance(each, str) else "")
def test_rows_in_another_order_are_refused(where, function):
    names = by_rows(function)
    y, p = RNG.integers(0, 2, N), RNG.random(N)
    values = {"y_true": y, "y": y, "y_prob": p, "X": RNG.random((N, 2)), "features": RNG.random((N, 2)),
              "groups": RNG.random(N) < 0.5, "weights": np.ones(N), "sample_weight": np.ones(N),
              "cluster": np.arange(N) // 2, "time": np.arange(N), "log_prob": -p, "entropy": p}
    pandas = {k: pd.DataFrame(v) if v.ndim == 2 else pd.Series(v) for k, v in values.items()}
    for one in names:
        for other in names:
            if one == other:
                continue
            needed = [k for k, each in inspect.signature(function).parameters.items() if each.default is each.empty]
            given = {k: values[k] if k in values else NEEDED[k] for k in needed if k != "self"}
            given |= {one: pandas[one], other: pandas[other].iloc[::-1]}
            if "." in where:
                kind = getattr(calibtutor, where.split(".")[0])
                given["self"] = kind(*([None, None] if kind is calibtutor.Recalibrated else []))
            with pytest.raises(InputError, match="equal indexes") as caught:
                function(**given)
            assert {one, other} == set(caught.value.argument.split(" and "))


def test_tied_scores_are_given_a_kernel_that_works():
    score, y = np.repeat([0.5, 0.9], [40, 200]), np.arange(240) % 2
    for function in (calibtutor.kce_test, calibtutor.skce, calibtutor.ckce):
        with pytest.raises(InputError, match=r"such as laplacian\(0.4\)"):
            function(y, score)
    assert calibtutor.skce(y, score, kernel=calibtutor.laplacian(0.4)) > 0


class Foreign:
    """A frame as polars has it, which the tests do without: columns by name, no index."""

    def __init__(self, frame):
        self.columns, self.frame = list(frame), frame

    __len__ = lambda self: len(self.frame)
    __getitem__ = lambda self, column: self.frame[column].to_numpy()
    __array__ = lambda self, dtype=None, copy=None: self.frame.to_numpy()


class Tensor(list):
    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")  # torch's words


P, CITY = RNG.random(N), np.array(list("ABC"))[np.arange(N) % 3]
Y, OLD = (RNG.random(N) < P).astype(int), pd.DataFrame(RNG.random((N, 2)) < 0.5, columns=["old", "rural"])
MIXED, LAZY = pd.DataFrame({"age": RNG.random(N), "city": CITY}), Foreign(OLD)
LAZY.collect = None
multi = lambda groups, new: calibtutor.Multicalibration(min_count=5).fit(Y, P / 2, groups).predict_proba(P / 2, new)
tables = lambda **given: calibtutor.audit(Y, P, n_resamples=19, rng=0, **given).to_dict()["tables"]
READ = {  # what a table gives, whoever made it
    "features": lambda t: calibtutor.klce(Y, P, t(MIXED)),
    "at": lambda t: calibtutor.local_calibration_bias(Y, P, t(MIXED), at=(P[:3], t(MIXED[:3]))).bias,
    "space": lambda t: calibtutor.FeatureSpace().fit(t(MIXED)).transform(t(MIXED)),
    "audit": lambda t: tables(features=t(MIXED), groups=t(OLD)),
    "groups": lambda t: multi(t(OLD), t(OLD[["rural", "old"]]))}
REFUSED = {"klce features": lambda given: calibtutor.klce(Y, P, given),
           "audit features": lambda given: tables(features=given),
           "audit groups": lambda given: tables(groups={"g": given}),
           "Multicalibration groups": lambda given: multi(given, given),
           "weights": lambda given: calibtutor.expected_calibration_error(Y, P, weights=given),
           "cluster": lambda given: calibtutor.kce_test(Y, P, cluster=given, n_resamples=19)}


@pytest.mark.parametrize("kind", [Foreign, pa.Table.from_pandas, pa.RecordBatch.from_pandas])
@pytest.mark.parametrize("what", READ)
def test_a_table_of_another_library_gives_what_pandas_gives(what, kind):
    np.testing.assert_array_equal(READ[what](kind), READ[what](lambda frame: frame))


@pytest.mark.parametrize("where", REFUSED)
def test_what_numpy_cannot_read_or_hides_is_refused_in_the_same_words_everywhere(where):
    masked = np.ma.array(P, mask=np.arange(N) == 2), r"row 2 is masked"
    for given, words in (masked, (Tensor(P), r"unsupported ScalarType BFloat16: pass \w+.*\.float\(\)")):
        with pytest.raises(InputError, match=words):
            REFUSED[where](given)


def test_words_and_lazy_tables_as_features_and_groups_and_nullable_truth_values():
    assert calibtutor.klce(Y, P, CITY) == calibtutor.klce(Y, P, MIXED["city"]) == calibtutor.klce(Y, P, MIXED[["city"]])
    np.testing.assert_array_equal(multi(OLD.astype("boolean"), OLD), multi(OLD, OLD))
    for where, given, words in (("klce features", LAZY, "got a Foreign; pass features.collect"),
                                ("Multicalibration groups", CITY, "booleans or numbers.*get_dummies")):
        with pytest.raises(InputError, match=words):
            REFUSED[where](given)
