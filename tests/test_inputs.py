"""Predictions as people have them: what each form becomes, or the words it is refused or doubted with.

A form is accepted (it is read as the plain arrays, exactly), refused or doubted; it is never read as something else.
"""

import re
import subprocess
import sys
import tracemalloc
import warnings
from dataclasses import fields, is_dataclass
from decimal import Decimal
from time import process_time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import logit
from test_bad_input import ENTRIES, call

import calibtutor as ct
from calibtutor.predictions import check_predictions, check_probabilities

# Three classes in an order that is not the alphabet's, and two; labels drawn from the predictions.
N = 240
RNG = np.random.default_rng(0)
NAMES = np.array(["owl", "cat", "dog"])
P = RNG.dirichlet(np.full(3, 0.7), N)
Y = (RNG.random((N, 1)) > P.cumsum(axis=1)).sum(axis=1)
S = RNG.beta(0.8, 0.8, N)
B = (RNG.random(N) < S).astype(int)
ROUNDED = P.round(4)
FRAME = pd.DataFrame(P, columns=NAMES)
WORDS, YES_NO = NAMES[Y], np.array(["no", "yes"])[B]
PAIR = np.column_stack([1 - S, S])
OTHER = np.arange(N)[::-1]  # another order of the rows


class Tensor:
    """As torch's: numpy reads it, if no gradient hangs on it."""

    def __init__(self, values, requires_grad=False):
        self.values, self.requires_grad = np.asarray(values), requires_grad

    def __array__(self, dtype=None, copy=None):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self.values if dtype is None else self.values.astype(dtype)


class Standard:
    """An array of the array API standard that offers DLPack and nothing else."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def __array_namespace__(self, api_version=None):
        return np

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()


def arrow(values, kind):
    """A column of pandas that Arrow holds."""
    return pd.Series(values, dtype=pd.ArrowDtype(getattr(pytest.importorskip("pyarrow"), kind)()))


def frame(values, columns=None, **options):
    return pd.DataFrame(values, columns=columns, **options)


def swapped(values, row=0, value=None):
    """A copy with one value in the place of another."""
    values = values.copy() if hasattr(values, "copy") else list(values)
    values[row] = value
    return values


ONE_HOT = np.eye(3)[Y]
LINES = pd.Series(Y, index=OTHER)
FLOAT64 = frame(P).astype("Float64")
DOGS_FIRST = (2 - Y, P[:, ::-1])
THREE, TWO = {"classes": tuple(NAMES)}, {"classes": ("no", "yes")}
ROUND = {"normalise": True}
THIRDS = ROUNDED / ROUNDED.sum(axis=1, keepdims=True)

# (labels, probabilities, options, the plain arrays that they are)
ACCEPTED = {
    "lists": lambda: (Y.tolist(), P.tolist(), {}, (Y, P)),
    "tuples and a vector": lambda: (tuple(B), tuple(S), {}, (B, S)),
    "whole floats": lambda: (Y.astype(float), P, {}, (Y, P)),
    "unsigned": lambda: (Y.astype(np.uint8), P, {}, (Y, P)),
    "booleans": lambda: (B == 1, S, {}, (B, S)),
    "booleans beside two columns": lambda: (B == 1, PAIR, {}, (B, PAIR)),
    "one-hot": lambda: (ONE_HOT, P, {}, (Y, P)),
    "one-hot booleans": lambda: (ONE_HOT == 1, P, {}, (Y, P)),
    "one-hot beside a vector": lambda: (np.eye(2, dtype=int)[B], S, {}, (B, S)),
    "one-hot with classes": lambda: (ONE_HOT, FRAME[["dog", "owl", "cat"]], THREE, (Y, P)),
    "one-hot frame": lambda: (pd.get_dummies(pd.Series(WORDS)), FRAME, {}, (Y, P)),
    "one-hot frame of numbers": lambda: (pd.get_dummies(pd.Series(Y)), P, {}, (Y, P)),
    "columns (n, 1)": lambda: (B[:, None], S[:, None], {}, (B, S)),
    "frames of one column": lambda: (frame(B, ["y"]), frame(S, ["score"]), {}, (B, S)),
    "float16 vector": lambda: (B, S.astype(np.float16), {}, (B, S.astype(np.float16).astype(float))),
    "float32": lambda: (Y, P.astype(np.float32), {}, (Y, P.astype(np.float32).astype(float))),
    "objects": lambda: (Y.astype(object), P.astype(object), {}, (Y, P)),
    "decimals": lambda: (B, np.array([Decimal(str(s)) for s in S]), {}, (B, S)),
    "column order": lambda: (Y, np.asfortranarray(P), {}, (Y, P)),
    "masked, nothing hidden": lambda: (B, np.ma.masked_array(S), {}, (B, S)),
    "Series": lambda: (pd.Series(B, OTHER), pd.Series(S, OTHER), {}, (B, S)),
    "Series beside an array": lambda: (pd.Series(B, OTHER), S, {}, (B, S)),
    "Int64 and Float64": lambda: (pd.Series(Y, dtype="Int64"), FLOAT64, {}, (Y, P)),
    "boolean and Float64": lambda: (pd.array(B == 1, dtype="boolean"), pd.array(S, dtype="Float64"), {}, (B, S)),
    "Float64 with float": lambda: (Y, frame(P).astype({0: "Float64"}), {}, (Y, P)),
    "Sparse": lambda: (pd.Series(B, dtype="Sparse[int]"), pd.Series(S, dtype="Sparse[float]"), {}, (B, S)),
    "arrow numbers": lambda: (arrow(B, "int8"), arrow(S, "float64"), {}, (B, S)),
    "arrow words": lambda: (arrow(WORDS, "string"), FRAME, {}, (Y, P)),
    "frame without names": lambda: (Y, frame(P), {}, (Y, P)),
    "names that are numbers": lambda: (Y, frame(P)[[2, 0, 1]], {}, (Y, P)),
    "numbers from a file": lambda: (Y, frame(P, ["0", "1", "2"])[["2", "0", "1"]], {}, (Y, P)),
    "labels 1..d by name": lambda: (Y + 1, frame(P, [1, 2, 3]), {}, (Y, P)),
    "labels 1..d with classes": lambda: (Y + 1, P, {"classes": (1, 2, 3)}, (Y, P)),
    "labels 1..d, frame, classes": lambda: (Y + 1.0, frame(P), {"classes": [1, 2, 3]}, (Y, P)),
    "labels 1 and 2": lambda: (B + 1, S, {"classes": (1, 2)}, (B, S)),
    "labels -1 and 1": lambda: (2 * B - 1, S, {"classes": (-1, 1)}, (B, S)),
    "words by name": lambda: (WORDS, FRAME, {}, (Y, P)),
    "words by name, other order": lambda: (WORDS, FRAME[["dog", "cat", "owl"]], {}, DOGS_FIRST),
    "words, frame and classes": lambda: (WORDS, FRAME[["dog", "cat", "owl"]], THREE, (Y, P)),
    "words with classes": lambda: (WORDS, P, THREE, (Y, P)),
    "words with model.classes_": lambda: (WORDS, P[:, [1, 2, 0]], {"classes": np.unique(NAMES)},
                                         (np.array([2, 0, 1])[Y], P[:, [1, 2, 0]])),
    "words as objects": lambda: (WORDS.astype(object), P, THREE, (Y, P)),
    "words of fixed bytes": lambda: (WORDS.astype("S"), P, {"classes": NAMES.astype("S")}, (Y, P)),
    "words of pandas": lambda: (pd.Series(WORDS, dtype="string"), FRAME, {}, (Y, P)),
    "categories": lambda: (pd.Categorical(WORDS), FRAME, {}, (Y, P)),
    "categories that are numbers": lambda: (pd.Series(Y).astype("category"), P, {}, (Y, P)),
    "words beside a vector": lambda: (YES_NO, S, TWO, (B, S)),
    "words beside its column": lambda: (YES_NO, pd.Series(S, name="yes"), TWO, (B, S)),
    "words beside two columns": lambda: (YES_NO, frame(PAIR, ["no", "yes"]), {}, (B, PAIR)),
    "booleans by name": lambda: (B == 1, frame(PAIR[:, ::-1], [True, False]), {}, (B, PAIR)),
    "booleans from a file": lambda: (B == 1, frame(PAIR[:, ::-1], ["True", "False"]), {}, (B, PAIR)),
    "tensors": lambda: (Tensor(Y), Tensor(P.astype(np.float32)), {}, (Y, P.astype(np.float32).astype(float))),
    "array API": lambda: (Standard(Y), Standard(P), {}, (Y, P)),
    "rounded": lambda: (Y, ROUNDED, ROUND, (Y, THIRDS)),
    "float16 rows": lambda: (Y, P.astype(np.float16), ROUND,
                            (Y, (Q := P.astype(np.float16).astype(float)) / Q.sum(axis=1, keepdims=True))),
    "rounded above 1": lambda: (B, swapped(PAIR, B == 0, [1.0004, 0]), ROUND, (B, swapped(PAIR, B == 0, [1, 0]))),
}  # fmt: skip

FAR = "more than rounding explains"
ORDER = "their order cannot be known; pass classes= to as_predictions, the label of each column in order"
UNKNOWN = f"y_true: row 0 is .*, but y_prob has no names of classes: {ORDER}"
FROM_1 = "labels that start at 1: subtract 1 or pass classes="
SOFTMAX = r"y_prob: row \d+ is .*, expected probabilities between 0 and 1; looks like logits: apply softmax \(scipy"
NO_CLASS = "which is no class of y_prob, .*; rename its columns, or pass classes= to as_predictions"
MISSING = "expected a label.*; leave such rows out"
GAP = "expected finite numbers; leave such rows out"
MASK = np.arange(N) == 7

REFUSED = {
    "labels 1..d": (Y + 1, P, {}, rf"y_true: row \d+ is 3, expected a label among 0..2; {FROM_1}"),
    "labels 1..d, frame": (Y + 1, frame(P), {}, FROM_1),
    "labels 1 and 2": (B + 1, S, {}, FROM_1),
    "labels -1 and 1": (2 * B - 1, S, {}, r"y_true: row \d+ is -1, expected a label among 0..1; pass classes="),
    "labels 5 and 7": (5 + 2 * B, S, {}, r"y_true: row 0 is \d, expected .*; pass classes= to as_predictions"),
    "words": (WORDS, P, {}, UNKNOWN),
    "words that are numbers": (Y.astype(str), P, {}, UNKNOWN),
    "words beside a vector": (YES_NO, S, {}, UNKNOWN),
    "words, frame without names": (WORDS, frame(P), {}, f"y_true: row 0 is '...', {NO_CLASS}"),
    "ordered categories": (pd.Categorical(WORDS, NAMES, ordered=True), P, {}, UNKNOWN),
    "numbers beside names": (Y, FRAME, {}, f"y_true: row 0 is [012], {NO_CLASS}"),
    "one-hot beside names": (ONE_HOT, FRAME, {}, NO_CLASS),
    "booleans beside names": (B == 1, frame(PAIR, ["no", "yes"]), {}, NO_CLASS),
    "booleans, three classes": (Y == 1, P, {}, "y_true: expected a label among 0..2, got booleans for 3 classes"),
    "a word of no column": (swapped(WORDS.astype(object), 7, "Owl"), FRAME, {}, f"y_true: row 7 is 'Owl', {NO_CLASS}"),
    "two columns, one name": (WORDS, frame(P, ["owl", "cat", "cat"]), {}, "y_prob: expected columns with distinct"),
    "wrong classes": (WORDS, FRAME, {"classes": ("owl", "cat", "cow")}, "classes: 'owl', 'cat', 'cow' contradicts the"),
    "classes against numbers": (Y, frame(P), {"classes": (2, 0, 1)}, "classes: 2, 0, 1 contradicts .*; rename the col"),
    "classes against a name": (YES_NO, pd.Series(S, name="no"), TWO, "classes: the second .* has the name 'no'"),
    "two classes of three": (WORDS, P, TWO, "classes: expected 3 distinct labels, got 'no', 'yes'"),
    "one class twice": (B, S, {"classes": (1, "1")}, "classes: expected two distinct labels"),
    "a set of classes": (YES_NO, S, {"classes": {"no", "yes"}}, "classes: expected the label of each column, in order"),
    "a word for classes": (YES_NO, S, {"classes": "ny"}, "classes: expected the label of each column, in order"),
    "gap in one-hot": (swapped(ONE_HOT, 7, 0), P, {}, r"row 7 is \[0. 0. 0.\], expected a label a row, or one-"),
    "one-hot of two": (np.eye(2)[B], P, {}, "one-hot rows with a single 1 in 3 columns"),
    "several labels": (np.array([[0, 1]] * 239 + [[1]], dtype=object)[:, None], P, {}, "y_true: expected"),
    "lists as labels": (pd.Series([[0, 1]] * N), FRAME, {}, "y_true: expected one label a row"),
    "arguments swapped": (P, Y, {}, r"is 2.0, .*; looks like labels \(y_true comes first\) or perc"),
    "vectors swapped": (S, B, {}, "y_true: row 0 is 0.*, expected a label among 0..1; labels come first"),
    "missing word": (swapped(WORDS.astype(object), 7, None), FRAME, {}, f"y_true: row 7 is None, {MISSING}"),
    "missing category": (pd.Series(WORDS, dtype="category").mask(MASK), FRAME, {}, f"y_true: row 7 is nan, {MISSING}"),
    "missing string": (pd.Series(WORDS, dtype="string").mask(MASK), FRAME, {}, f"y_true: row 7 is <NA>, {MISSING}"),
    "missing Int64": (pd.Series(Y, dtype="Int64").mask(MASK), P, {}, f"y_true: row 7 is nan, {MISSING}"),
    "missing Int64, named": (pd.Series(Y, dtype="Int64").mask(MASK), P, {"classes": [0, 1, 2]}, f"is nan, {MISSING}"),
    "missing boolean": (pd.Series(B == 1, dtype="boolean").mask(MASK), S, {}, f"y_true: row 7 is nan, {MISSING}"),
    "missing Float64": (Y, FLOAT64.mask(pd.Series(MASK), axis=0), {}, rf"y_prob: row 7 is \[nan.*, {GAP}"),
    "missing object": (B, swapped(S.astype(object), 7, None), {}, f"y_prob: row 7 is nan, {GAP}"),
    "missing NA": (B, swapped(S.astype(object), 7, pd.NA), {}, f"y_prob: row 7 is nan, {GAP}"),
    "missing number": (swapped(Y.astype(object), 7, None), P, {}, f"y_true: row 7 is nan, {MISSING}"),
    "NaN": (Y, swapped(P, 7, np.nan), {}, rf"y_prob: row 7 is \[nan.*, {GAP}"),
    "masked": (B, np.ma.masked_array(S, MASK), {}, "y_prob: row 7 is masked, .*; leave such rows out"),
    "masked labels": (np.ma.masked_array(B, MASK), S, {}, "y_true: row 7 is masked, .*; leave such rows out"),
    "other index": (LINES, frame(P), {}, r"expected equal indexes, row 0 has 239 and 0; align them first \(y_prob.loc"),
    "index of a part": (pd.Series(B, OTHER + 9), pd.Series(S), {}, "or pass y_true.to_numpy"),
    "logits": (Y, np.log(P) + 1, {}, SOFTMAX),
    "logarithms": (Y, np.log(P), {}, SOFTMAX),
    "positive logits": (Y, np.log(P) - np.log(P).min() + 0.1, {}, SOFTMAX),
    "log-odds": (B, logit(S), {}, r"; looks like logits: apply the sigmoid \(scipy.special.expit\(y_prob\)\) first"),
    "percentages": (Y, 100 * P, {}, "; looks like percentages: divide by 100"),
    "percentages of class 1": (B, 100 * S, {}, "; looks like percentages: divide by 100"),
    "words as probabilities": (B, S.astype(str), {}, "y_prob: expected real numbers, got dtype"),
    "words as objects": (B, S.astype(str).astype(object), {}, "y_prob: expected real numbers, got dtype object"),
    "strings of pandas": (Y, frame(P.astype(str), dtype="string"), {}, "y_prob: expected real numbers, got dtype obj"),
    "rows in a Series": (Y, pd.Series(list(P)), {}, r"a row is a ndarray: pass numpy.stack\(y_prob\)"),
    "sparse": (sparse.csr_array(ONE_HOT), P, {}, r"y_true: .* sparse csr_array; pass y_true.toarray\(\)"),
    "tensor with a gradient": (Y, Tensor(P, True), {}, r"y_prob: expected .* Use tensor.detach\(\).numpy\(\)"),
    "sums of .9999": (Y, ROUNDED, {}, r"y_prob: row \d+ sums to (0.9999|1.0001), expected 1; \d+ of 240 rows miss it, "
                      "by 0.0001 at most; if they are probabilities, pass normalise=True to as_predictions"),
    "float16 rows": (Y, P.astype(np.float16), {}, "rows miss it, by 0.000.* at most; if they are"),
    "scores of each class": (Y, swapped(P, 7, [0.5, 0.5, 0.5]), {}, f"row 7 sums to 1.5, expected 1; 1 of .*{FAR}"),
    "sum of .94": (Y, swapped(P, 7, [0.5, 0.24, 0.2]), ROUND, f"row 7 sums to 0.94, expected 1; 1 of .*{FAR}"),
    "sum of 0": (Y, swapped(P, 7, 0), ROUND, f"row 7 sums to 0, expected 1; 1 of 240 rows miss it, by 1 .*{FAR}"),
    "slightly negative": (Y, swapped(P, 7, [1.01, 0, -0.01]), ROUND, "expected probabilities between 0 and 1$"),
}  # fmt: skip

RARE = np.where(Y == 2, 1, Y)
MORE = "have more probability in the columns of"
DOUBTED = {
    "P(Y = 0)": (B, 1 - S, {}, r"labels 1 .* \(AUC = 0.\d+ < 1/2\); is this P\(Y = 0\)\? If so, pass 1 - y_prob"),
    "P(no)": (YES_NO, 1 - S, TWO, r"labels 'yes' .* labels 'no' .* is this P\(Y = 'no'\)\?"),
    "columns turned round": (B, PAIR[:, ::-1], {}, "AUC = .*the columns are in the other order"),
    "columns in another order": (Y, P[:, [1, 2, 0]], {}, f"labels 0, 1, 2 {MORE} 2, 0, 1; if"),
    "two columns exchanged": (Y, P[:, [1, 0, 2]], {}, f"labels 0, 1 {MORE} 1, 0; if .* pass classes="),
    "a label that never occurs": (RARE, P, {}, "y_true: no row has the label 2; if some should, check"),
    "a word that never occurs": (NAMES[RARE], FRAME, {}, "y_true: no row has the label 'dog'"),
    "labels 1..d without d": (1 + (RARE > 0), P, {}, "y_true: no row has the label 0; .* numbered alike"),
    "no label 1": (0 * B, S, {}, "y_true: no row has the label 1"),
    "booleans among floats": (B, frame({"0": S < 0.5, "1": 1.0 * (S >= 0.5)}), {}, "only 0 and 1; if these"),
    "predicted labels": (B, (S > 0.5).astype(int), {}, r"only 0 and 1; .* pass probabilities \(predict_proba\)"),
}  # fmt: skip


def numbers(y_true, y_prob):
    return (
        ct.expected_calibration_error(y_true, y_prob),
        ct.brier_score(y_true, y_prob),
        ct.kce_test(y_true, y_prob, n_resamples=19, rng=0).pvalue,
    )


def test_the_table_is_long_enough():
    assert len(ACCEPTED) + len(REFUSED) + len(DOUBTED) >= 120


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_is_read_as_the_plain_arrays(case):
    y_true, y_prob, options, plain = ACCEPTED[case]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # good predictions are not doubted
        found = ct.as_predictions(y_true, y_prob, **options)
    assert [a.dtype for a in found] == [np.int64, np.float64]
    for array, wanted in zip(found, plain, strict=True):
        np.testing.assert_array_equal(array, wanted, strict=False)
        assert array.flags["C_CONTIGUOUS"]
    assert numbers(*found) == numbers(*plain)
    if not options:  # then every function reads it so
        assert numbers(y_true, y_prob) == numbers(*plain)


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_what_to_do(case):
    y_true, y_prob, options, words = REFUSED[case]
    with pytest.raises(ValueError, match=words) as door:
        ct.as_predictions(y_true, y_prob, **options)
    assert re.match("(y_true|y_prob|y_true and y_prob|classes): ", str(door.value))
    if not options:  # every function says the same
        with pytest.raises(ValueError, match=f"^{re.escape(str(door.value))}$"):
            ct.expected_calibration_error(y_true, y_prob)


@pytest.mark.parametrize("case", DOUBTED)
def test_doubted_once_and_only_at_the_door(case):
    y_true, y_prob, options, words = DOUBTED[case]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        plain = ct.as_predictions(y_true, y_prob, **options)
    assert {(each.category, each.filename) for each in told} == {(UserWarning, __file__)}
    assert len([each for each in told if re.search(words, str(each.message))]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.brier_score(*plain)


def flat(result):
    """The numbers in what a function gives back."""
    if is_dataclass(result):
        result = [getattr(result, field.name) for field in fields(result)]
    if isinstance(result, list | tuple):
        return [number for each in result for number in flat(each)]
    if isinstance(result, pd.DataFrame):
        result = result.select_dtypes("number").to_numpy()
    if isinstance(result, np.ndarray | float | np.floating):
        return np.ravel(np.asarray(result, dtype=float)).tolist()
    return []


@pytest.mark.parametrize("name", ENTRIES)
def test_every_function_has_the_same_door(name):
    entry = ENTRIES[name]
    for case in ["words by name", "columns (n, 1)"]:
        y_true, y_prob, _, plain = ACCEPTED[case]()
        try:
            wanted = call(name, *plain, **entry.arguments)
        except ValueError as error:  # where only a vector is wanted, or none
            assert "expected shape" in str(error)
            with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
                call(name, y_true, y_prob, **entry.arguments)
        else:
            found = call(name, y_true, y_prob, **entry.arguments)
            np.testing.assert_array_equal(flat(found), flat(wanted))


@pytest.mark.parametrize("model", [ct.TemperatureScaling, ct.PlattScaling, ct.IsotonicCalibration, ct.BBQ])
def test_recalibration_has_the_same_door(model):
    y_true, y_prob = pd.Series(B == 1, OTHER), pd.Series(S, OTHER, dtype="Float64")
    found = model().fit(y_true, y_prob).predict_proba(y_prob)
    np.testing.assert_array_equal(found, model().fit(B, S).predict_proba(S))


def test_probabilities_alone_are_read_as_beside_labels():
    turned = frame(P)[[2, 0, 1]]
    h, g = ct.fit_kkr(Y, turned), ct.fit_kkr(Y, P)
    np.testing.assert_array_equal(h(turned), g(P))
    np.testing.assert_array_equal(check_probabilities(FRAME[["dog", "cat", "owl"]]), P[:, ::-1])


def test_a_class_of_few_rows_is_not_doubted():
    # Calibrated: the warning about the order of columns must not come by chance, however few rows a class has.
    rng = np.random.default_rng(1)
    told = 0
    for d in [3, 10, 30] * 60:
        p = rng.dirichlet(np.full(d, 3.0), 50)
        y = (rng.random((50, 1)) > p.cumsum(axis=1)).sum(axis=1)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            ct.as_predictions(np.minimum(y, d - 1), p)
        told += any("more probability" in str(each.message) for each in found)
    assert told == 0


def test_what_comes_out_is_a_copy():
    y, p = B.copy(), S.copy()
    for array in ct.as_predictions(y, p):
        array[:] = 1
    assert (y == B).all() and (p == S).all()


def test_plain_arrays_need_no_pandas():
    code = (
        "import sys, calibtutor.predictions as p; p.check_predictions([[1, 0], [0, 1]], [[.5, .5], [.2, .8]]);"
        "print({'pandas', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("labels", ["numbers", "words"])
def test_a_million_rows(labels):
    rng = np.random.default_rng(0)
    p = rng.random((10**6, 10))
    p /= p.sum(axis=1, keepdims=True)
    y = rng.integers(10, size=10**6)
    if labels == "words":
        y, p = np.array([f"class {k}" for k in range(10)], object)[y], frame(p, [f"class {k}" for k in range(10)])
    check_predictions(y[:9], p[:9])  # what is imported late
    start = process_time()
    check_predictions(y, p)
    assert process_time() - start < 3  # .1 s and .4 s; a loop over the rows takes longer
    tracemalloc.start()
    check_predictions(y, p)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2.2 * 80e6  # two copies
