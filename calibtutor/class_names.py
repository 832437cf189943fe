"""Labels and names of classes: numbers, words or one-hot rows in, the number of each label's column out."""

import numpy as np

from .inputs import NUMBERS, InputError, as_array, check_rows, of_objects, reject

CLASSES = "classes (of as_predictions, or of audit), the label of each column"  # in hints


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


def labels_of(y_true, y_prob, table, names, classes=None):
    """The door's last stage: the number of each label's column in the table that `y_prob` became."""
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


def names_of_columns(values, name):
    """A list, or None; a column alone, a Series, may have a name too."""
    if hasattr(values, "iloc") and np.ndim(values) == 1:
        return None if values.name is None else [values.name]
    names = getattr(values, "column_names", getattr(values, "columns", None))  # arrow; pandas and polars
    names = None if names is None or callable(names) else list(names)
    if names and len({key(each) for each in names}) < len(names):
        raise InputError(name, "columns with distinct names", found=listed(names))
    return names


def by_classes(table, names, classes):
    """The columns in the order of `classes`, which are their names from now on."""
    if isinstance(classes, str | bytes | dict | set | frozenset) or not hasattr(classes, "__len__"):
        raise InputError("classes", "the label of each column, in order", found=repr(classes))
    vector = table.ndim == 1
    wanted, classes = 2 if vector else table.shape[1], [plain(each) for each in classes]
    keys = [key(each) for each in classes]
    if len(keys) != wanted or len(set(keys)) < len(keys):
        what = "two distinct labels (the second is the one y_prob predicts)" if vector else f"{wanted} distinct labels"
        raise InputError("classes", what, found=listed(classes))
    have = [key(each) for each in names or ()]
    if vector:
        if names and isinstance(names[0], str) and have[0] == keys[0]:
            raise InputError("classes", f"{names[0]!r} as the second: y_prob, which predicts it, has this name")
        return table, classes
    unnamed = not names or have == [str(k) for k in range(wanted)]  # what pandas calls columns without names
    if not unnamed and set(have) == set(keys):
        return table.take([have.index(each) for each in keys], axis=1), classes
    if have != keys and (set(have) == set(keys) if unnamed else set(have) & set(keys)):
        hint = "rename the columns, or pass y_prob.to_numpy()"
        raise InputError("classes", f"the names of y_prob's columns, {listed(names)}", found=listed(classes), hint=hint)
    return table, classes


def by_number(table, names):
    """The columns in the order 0, …, d − 1, if these are their names."""
    if table.ndim == 1:
        return table, None
    have, numbers = [key(each) for each in names or ()], [str(k) for k in range(table.shape[-1])]
    if have == numbers or sorted(have) != sorted(numbers):
        return table, names
    return table.take([have.index(each) for each in numbers], axis=1), list(range(len(numbers)))


def key(label):
    """What makes two labels one: 1, 1.0, True and "1" (a file knows names of columns as text only)."""
    label = plain(label)
    if isinstance(label, bool) or isinstance(label, float) and label.is_integer():
        return str(int(label))
    return {"True": "1", "False": "0"}.get(str(label), str(label))


def plain(label):
    """A numpy number as a Python number."""
    return label.item() if isinstance(label, np.generic) else label


def listed(labels):
    """The first eight, for a message."""
    labels = list(labels)
    return ", ".join(repr(plain(each)) for each in labels[:8]) + (", …" if len(labels) > 8 else "")
