"""The second stage: what was given as predictions becomes numbers, in columns that are in order and may have names."""

import numpy as np

from .arrays import NUMBERS, as_array
from .inputs import InputError


def table_of(y_prob, classes=None, name="y_prob"):
    """The stage in one: numbers, (n,) or (n, d), their columns in order, and names of these or None."""
    table, names = _as_numbers(y_prob, name)
    return by_number(table, names) if classes is None else by_classes(table, names, classes)


def _as_numbers(values, name):
    """Numbers as an array, and the names of its columns, if it has any."""
    several = f"a table a label, as a multi-label model gives them? One at a time: {name}[k], y_true[:, k]"
    if isinstance(values, list | tuple) and len(values) and len(getattr(values[0], "shape", ())) == 2:
        raise InputError(name, "shape (n, d) or (n,)", found=f"{len(values)} tables", hint=several)
    array = as_array(values, name)
    if array.dtype.kind not in NUMBERS:
        first = array.flat[0] if array.size else None
        rows = array.ndim and hasattr(first, "__len__") and not isinstance(first, str | bytes)
        hint = f"a row is a {type(first).__name__}: pass numpy.stack({name})" if rows else ""
        word = next((i for i, each in enumerate(array.flat) if isinstance(each, str) and not _is_number(each)), None)
        if word is not None and array.ndim:
            row = word // (array.size // len(array))
            found, hint = str(array.flat[word]), "a point for the comma: pandas.read_csv(…, decimal=',')"
            hint = hint if _is_number(found.replace(",", ".")) else ""
            raise InputError(name, "real numbers", found=repr(found), row=row, hint=hint)
        hint = f"pass what its predict_proba(X) gives, as {name}" if hasattr(values, "predict_proba") else hint
        found = f"dtype {array.dtype}" if array.ndim else f"a {type(values).__name__}"
        raise InputError(name, "real numbers", found=found, hint=hint)
    if array.size == 0:
        raise InputError(name, "at least one row", found=f"an empty array of shape {array.shape}")
    if array.ndim == 2 and array.shape[1] == 1:  # P(Y = 1) as a column
        array = array[:, 0]
    if array.ndim not in (1, 2):
        hint = several if array.ndim == 3 else ""
        raise InputError(name, "shape (n, d) or (n,)", found=f"shape {array.shape}", hint=hint)
    return array, names_of_columns(values, name)


def _is_number(word):
    try:
        return float(word) == float(word)
    except ValueError:
        return False


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
