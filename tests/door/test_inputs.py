"""Predictions as people have them: what each form becomes, or how it is refused or doubted."""

import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy import sparse
from scipy.special import logit

import calibtutor as ct
from calibtutor.door.probabilities import check_probabilities

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
TENTHS = np.tile([[0.4, 0.4, 0.3], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]], (N // 3, 1))  # rows that miss 1 by .1
HALVES = np.tile(np.float16([[0.1, 0.2, 0.7], [0.15, 0.45, 0.4]]), (N // 2, 1))
HALVES = HALVES / HALVES.sum(axis=1, keepdims=True, dtype=float)  # what the error says helps these, too

# (labels, probabilities, options, the plain arrays that they are)
ACCEPTED = {
    "lists": lambda: (Y.tolist(), P.tolist(), {}, (Y, P)),
    "booleans": lambda: (B == 1, S, {}, (B, S)),
    "one-hot": lambda: (ONE_HOT, P, {}, (Y, P)),
    "one-hot beside a vector": lambda: (np.eye(2, dtype=int)[B], S, {}, (B, S)),
    "one-hot with classes": lambda: (ONE_HOT, FRAME[["dog", "owl", "cat"]], THREE, (Y, P)),
    "one-hot frame": lambda: (pd.get_dummies(pd.Series(WORDS)), FRAME, {}, (Y, P)),
    "columns (n, 1)": lambda: (B[:, None], S[:, None], {}, (B, S)),
    "float32": lambda: (Y, P.astype(np.float32), {}, (Y, P.astype(np.float32).astype(float))),
    "decimals": lambda: (B, np.array([Decimal(str(s)) for s in S]), {}, (B, S)),
    "Series": lambda: (pd.Series(B, OTHER), pd.Series(S, OTHER), {}, (B, S)),
    "Int64 and Float64": lambda: (pd.Series(Y, dtype="Int64"), FLOAT64, {}, (Y, P)),
    "Sparse": lambda: (pd.Series(B, dtype="Sparse[int]"), pd.Series(S, dtype="Sparse[float]"), {}, (B, S)),
    "arrow numbers": lambda: (arrow(B, "int8"), arrow(S, "float64"), {}, (B, S)),
    "arrow words": lambda: (arrow(WORDS, "string"), FRAME, {}, (Y, P)),
    "frame without names": lambda: (Y, frame(P), {}, (Y, P)),
    "numbers from a file": lambda: (Y, frame(P, ["0", "1", "2"])[["2", "0", "1"]], {}, (Y, P)),
    "labels 1..d by name": lambda: (Y + 1, frame(P, [1, 2, 3]), {}, (Y, P)),
    "labels -1 and 1": lambda: (2 * B - 1, S, {"classes": (-1, 1)}, (B, S)),
    "words by name": lambda: (WORDS, FRAME, {}, (Y, P)),
    "words by name, other order": lambda: (WORDS, FRAME[["dog", "cat", "owl"]], {}, DOGS_FIRST),
    "words with classes": lambda: (WORDS, P, THREE, (Y, P)),
    "categories": lambda: (pd.Categorical(WORDS), FRAME, {}, (Y, P)),
    "words beside a vector": lambda: (YES_NO, S, TWO, (B, S)),
    "words beside its column": lambda: (YES_NO, pd.Series(S, name="yes"), TWO, (B, S)),
    "booleans by name": lambda: (B == 1, frame(PAIR[:, ::-1], [True, False]), {}, (B, PAIR)),
    "tensors": lambda: (Tensor(Y), Tensor(P.astype(np.float32)), {}, (Y, P.astype(np.float32).astype(float))),
    "rounded": lambda: (Y, ROUNDED, ROUND, (Y, THIRDS)),
    "rounded to tenths": lambda: (Y, TENTHS, ROUND, (Y, TENTHS / TENTHS.sum(axis=1, keepdims=True))),
    "halves divided by their sum": lambda: (Y, HALVES, {}, (Y, HALVES)),
    "rounded above 1": lambda: (B, swapped(PAIR, B == 0, [1.0004, 0]), ROUND, (B, swapped(PAIR, B == 0, [1, 0])))}

MASK = np.arange(N) == 7

CLASSES = "pass classes (of as_predictions, or of audit)"
LEAVE = "leave such rows out"
LOGITS = "softmax(y_prob, axis=1)"
FAR = "more than rounding explains"
ROUNDED_ROWS = "y_prob / y_prob.sum(axis=1, keepdims=True, dtype=float), or pass normalise=True to as_predictions"
FIRST = "labels come first"
AMONG_3 = "a label among 0..2"
AMONG_2 = "a label among 0..1"
RANGE = "probabilities between 0 and 1"
FINITE = "finite numbers"
FROM_1 = "subtract 1"
OF_3 = "a label among 0..2, as y_prob names no"
ANIMALS, RENAME = "one of y_prob's classes, 'owl', 'cat', 'dog'", "rename the columns"
ONE_HOT_ROWS, COLUMNS = "a label a row, or one-hot rows with a single", "the label of each column, in order"
ALIGN, NUMBERS, SHAPE = "align them first (y_prob.loc", "real numbers", "shape (n, d) or (n,)"

REFUSED = {
    "labels 1..d": (Y + 1, P, {}, ("y_true", 0, AMONG_3, FROM_1)),
    "labels -1 and 1": (2 * B - 1, S, {}, ("y_true", 0, AMONG_2, CLASSES)),
    "words": (WORDS, P, {}, ("y_true", 0, OF_3, CLASSES)),
    "words, frame without names": (WORDS, frame(P), {}, ("y_true", 0, "one of y_prob's classes, 0, 1, 2", RENAME)),
    "numbers beside names": (Y, FRAME, {}, ("y_true", 0, ANIMALS, "numpy.array(classes)[y_true]")),
    "a word of no column": (swapped(WORDS.astype(object), 7, "Owl"), FRAME, {}, ("y_true", 7, ANIMALS, RENAME)),
    "two columns, one name": (WORDS, frame(P, ["owl", "cat", "cat"]), {},
                              ("y_prob", None, "columns with distinct names")),
    "wrong classes": (WORDS, FRAME, {"classes": ("owl", "cat", "cow")},
                      ("classes", None, "the names of y_prob's columns, 'owl', 'cat',", RENAME)),
    "classes against a name": (YES_NO, pd.Series(S, name="no"), TWO,
                               ("classes", None, "'no' as the second: y_prob, which predicts")),
    "two classes of three": (WORDS, P, TWO, ("classes", None, "3 distinct labels")),
    "a set of classes": (YES_NO, S, {"classes": {"no", "yes"}},
                         ("classes", None, COLUMNS)),
    "gap in one-hot": (swapped(ONE_HOT, 7, 0), P, {}, ("y_true", 7, ONE_HOT_ROWS, FIRST)),
    "lists as labels": (pd.Series([[0, 1]] * N), FRAME, {}, ("y_true", None, "one label a row")),
    "arguments swapped": (P, Y, {}, ("y_prob", 0, RANGE, "y_true comes first")),
    "missing word": (swapped(WORDS.astype(object), 7, None), FRAME, {}, ("y_true", 7, "a label", LEAVE)),
    "missing Float64": (Y, FLOAT64.mask(pd.Series(MASK), axis=0), {}, ("y_prob", 7, FINITE, LEAVE)),
    "NaN": (Y, swapped(P, 7, np.nan), {}, ("y_prob", 7, FINITE, LEAVE)),
    "masked": (B, np.ma.masked_array(S, MASK), {}, ("y_prob", 7, "a value", LEAVE)),
    "other index": (LINES, frame(P), {}, ("y_true and y_prob", 0, "equal indexes", ALIGN)),
    "logits": (Y, np.log(P) + 1, {}, ("y_prob", 0, RANGE, LOGITS)),
    "scores": (Y, 3 * P, {}, ("y_prob", 0, RANGE, "rows sum to 3 at least and 3 at most: divide by the sums")),
    "log-odds": (B, logit(S), {}, ("y_prob", 0, RANGE, "expit(y_prob)")),
    "logarithms": (B, np.log(S), {}, ("y_prob", 0, RANGE, "looks like log-probabilities (apply numpy.exp) or logits")),
    "log-probabilities": (Y, np.log(P), {}, ("y_prob", 0, RANGE, "whose exp has the sum 1: pass numpy.exp(y_prob)")),
    "a log of 0": (Y, swapped(np.log(P), 7, [-np.inf, 0, -np.inf]), {}, ("y_prob", 0, RANGE, "numpy.exp(y_prob)")),
    "multi-label tables": (Y, [PAIR, PAIR], {}, ("y_prob", None, SHAPE, "One at a time: y_prob[k], y_true[:, k]")),
    "turned on its side": (Y, P.T, {}, ("y_prob", 0, "a sum of 1", "columns have the sum 1: pass y_prob.T")),
    "a dict": (B, dict(enumerate(S)), {}, ("y_prob", None, NUMBERS)),
    "percentages": (Y, 100 * P, {}, ("y_prob", 0, RANGE, "divide by 100")),
    "a model": (B, type("Model", (), {"predict_proba": 0})(), {}, ("y_prob", None, NUMBERS, "predict_proba(X)")),
    "words as probabilities": (B, S.astype(str), {}, ("y_prob", None, NUMBERS)),
    "rows in a Series": (Y, pd.Series(list(P)), {}, ("y_prob", None, NUMBERS, "numpy.stack(y_prob)")),
    "sparse": (sparse.csr_array(ONE_HOT), P, {}, ("y_true", None, "an array", "y_true.toarray()")),
    "tensor with a gradient": (Y, Tensor(P, True), {},
                               ("y_prob", None, "a rectangular array of numbers", "tensor.detach().numpy()")),
    "sums of .9999": (Y, ROUNDED, {}, ("y_prob", 0, "a sum of 1", ROUNDED_ROWS)),
    "tenths": (Y, TENTHS, {}, ("y_prob", 0, "a sum of 1", ROUNDED_ROWS)),
    "tenths without a class": (Y, swapped(TENTHS, 7, [0.1, 0.1, 0.3]), ROUND, ("y_prob", 7, "a sum of 1", FAR)),
    "sum of .94": (Y, swapped(P, 7, [0.5, 0.24, 0.2]), ROUND, ("y_prob", 7, "a sum of 1", FAR)),
    "score above 1": (B, swapped(S, 6, 1.5), {}, ("y_prob", 6, RANGE, "expit(y_prob)")),
    "first of two bad rows": (Y, swapped(P, [2, 4], 0.5), {}, ("y_prob", 2, "a sum of 1", "2 of 240 rows miss it")),
    "negative label": (swapped(Y, 2, -1), P, {}, ("y_true", 2, AMONG_3, CLASSES)),
    "more labels": (np.append(Y, 0), P, {}, ("y_true and y_prob", None, "equal lengths")),
    "one row": (Y[:1], P[:1], {}, ("y_prob", None, "at least 2 rows")),
    "no labels": ([], P, {}, ("y_true", None, "at least one row")),
    "ragged": (B, [[0.5, 0.5], [1.0]] * 120, {}, ("y_prob", None, "a rectangular array of numbers")),
    "three dimensions": (Y, np.full((N, 2, 2), 0.5), {}, ("y_prob", None, SHAPE))}

RARE = np.where(Y == 2, 1, Y)
MORE = "have more probability in the columns of"
DOUBTED = {
    "P(Y = 0)": (B, 1 - S, {}, r"labels 1 .* \(AUC = 0.\d+ < 1/2\); is this P\(Y = 0\)\? If so, pass 1 - y_prob"),
    "columns turned round": (B, PAIR[:, ::-1], {}, "AUC = .*the columns are in the other order"),
    "two columns exchanged": (Y, P[:, [1, 0, 2]], {}, f"labels 0, 1 {MORE} 1, 0; if .* pass classes="),
    "a label that never occurs": (RARE, P, {}, "y_true: no row has the label 2; if some should, check"),
    "booleans among floats": (B, frame({"0": S < 0.5, "1": 1.0 * (S >= 0.5)}), {}, "only 0 and 1; if these"),
    "predicted labels": (B, (S > 0.5).astype(int), {}, r"only 0 and 1; .* pass probabilities \(predict_proba\)")}


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


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_what_to_do(case):
    y_true, y_prob, options, (argument, row, expected, *hint) = REFUSED[case]
    with refuses(argument, row, expected, hint="".join(hint)):
        ct.as_predictions(y_true, y_prob, **options)


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
    y, p, above = B.copy(), S.copy(), swapped(S, 0, 1 + 1e-9)
    for array in (*ct.as_predictions(y, p), ct.as_predictions(y, above)[1]):
        array[:] = 1
    assert (y == B).all() and (p == S).all() and above[0] > 1 and (above[1:] == S[1:]).all()
