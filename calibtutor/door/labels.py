"""The fourth stage: numbers, words or one-hot rows become the number of each label's column in the table."""

import numpy as np

from .arrays import NUMBERS, as_array, of_objects
from .inputs import InputError, check_rows, reject
from .table import key, listed, names_of_columns, plain

CLASSES = "classes (of as_predictions, or of audit), the label of each column"  # in hints


def labels_of(y_true, y_prob, table, names, classes=None):
    """The number of each label's column in the table that `y_prob` became."""
    n_classes = 2 if table.ndim == 1 else table.shape[1]
    labels, one_hot = _read(y_true, n_classes)
    check_rows(y_true, y_prob, len(labels), len(table))
    if one_hot and classes is not None:  # without names: column k is classes[k], as in y_prob
        return labels
    keys = [key(name) for name in (range(n_classes) if names is None else names)]
    if labels.dtype.kind in NUMBERS and keys == [str(k) for k in range(n_classes)]:
        return _class_numbers(labels, n_classes)
    import pandas as pd  # hashes a million words in a fraction of a second; not loaded for plain arrays

    try:
        codes, found = pd.factorize(labels.astype(object) if labels.dtype.kind in "SUT" else labels)
    except TypeError as error:  # a list in each row
        raise InputError("y_true", "one label a row", hint=str(error)) from None
    reject(codes < 0, labels[:, None], "y_true", "a label", "leave such rows out")
    column = {each: k for k, each in enumerate(keys)}
    numbers = np.array([column.get(key(label), -1) for label in found], dtype=np.int64)
    if names is None or numbers.min() < 0:
        row, wanted = 0, f"a label among 0..{n_classes - 1}, as y_prob names no classes"
        hint = f"the order of others cannot be known: pass {CLASSES} in order"
        if names is not None:
            row, wanted = int(np.argmax(numbers[codes] < 0)), f"one of y_prob's classes, {listed(names)}"
            hint = f"rename the columns, or pass {CLASSES} in order, as labels are written (1 is not 01)"
            hint += "; leave rows of no class out"
            if labels.dtype.kind in "iu" and 0 <= labels.min() <= labels.max() < n_classes and not keys[0].isdigit():
                hint = "if labels are numbers of columns, pass numpy.array(classes)[y_true]"
        hint += " (a vector y_prob: two, and it predicts the second)"
        raise InputError("y_true", wanted, found=repr(plain(labels[row])), row=row, hint=hint)
    return numbers[codes]


def _read(y_true, n_classes):
    """A vector of labels without gaps, and whether they are the numbers of one-hot columns that have no names."""
    array, names = as_array(y_true, "y_true"), names_of_columns(y_true, "y_true")
    if array.size == 0:
        raise InputError("y_true", "at least one row", found=f"an empty array of shape {array.shape}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2 and array.dtype.kind in NUMBERS:
        fits = names is not None or array.shape[1] == n_classes
        wrong = ~((array == 0) | (array == 1)).all(axis=1) | (array.sum(axis=1) != 1)
        wanted = f"a label a row, or one-hot rows with a single 1 in {n_classes} columns"
        reject(wrong | (not fits), array, "y_true", wanted, "labels come first")
        array = array.argmax(axis=1).astype(np.int64)
        if names is None:
            return array, True
        array = of_objects(np.array(names, dtype=object))[array]
    if array.ndim != 1:
        raise InputError("y_true", "labels of shape (n,)", found=f"shape {array.shape}")
    if array.dtype.kind not in NUMBERS + "OSUT":
        raise InputError("y_true", "labels", found=f"dtype {array.dtype}")
    return array, False


def _class_numbers(labels, n_classes):
    if labels.dtype.kind == "b":
        if n_classes > 2:
            raise InputError("y_true", f"a label among 0..{n_classes - 1}", found=f"booleans for {n_classes} classes")
        return labels.astype(np.int64)
    wrong = ~((labels >= 0) & (labels < n_classes) & (labels.dtype.kind != "f" or labels == np.floor(labels)))
    if wrong.any():
        row = int(np.argmax(wrong))
        if np.isnan(labels[row]):
            hint = "leave such rows out"
        elif labels[row] != np.floor(labels[row]):
            hint = "labels come first, then probabilities"
        elif labels.min() >= 1 and labels.max() == n_classes:
            hint = "labels that start at 1: subtract 1 or pass classes, 1 to d"
        else:
            hint = f"pass {CLASSES} in order"
        raise InputError("y_true", f"a label among 0..{n_classes - 1}", found=labels[row], row=row, hint=hint)
    return labels.astype(np.int64, copy=False)
