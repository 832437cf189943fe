"""A file of predictions as a table with named columns, and which of them is what."""

from functools import partial
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from ..door.inputs import InputError
from ..door.table import listed

KINDS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".parquet": None, ".npz": None, ".npy": None}  # -> what separates
OTHERWISE = "what is written in another way can be read by pandas, and audited by calibtutor.audit"
FORM = "does the first line name the columns, and what separates them? (--sep)"


def read_table(path, sep=None, words=()):
    """A file's table, as pandas reads it, or {name: array} of an npz; `sep` is what separates the columns of text.

    In columns of `words` NA and None are words, too, unless all others are numbers; and codes, numbers of which one
    begins with 0 as in 01, stay text: 01 is not 1.
    """
    path = Path(path)
    kind = next((kind for kind in KINDS if path.name.lower().endswith(kind)), None)
    if kind is None:
        raise InputError(path.name, f"a file that ends in {', '.join(KINDS)}", hint=OTHERWISE)
    sep = KINDS[kind] and (sep or KINDS[kind]).replace(r"\t", "\t")  # of several letters it is a regular expression
    engine = {"engine": "python"} if sep and sep[1:] else {"low_memory": False}  # in pieces a column has two types
    read = partial(pd.read_csv, path, sep=sep, **engine)
    numpy = kind.startswith(".np")
    try:
        if numpy:
            table = np.load(path, allow_pickle=False)
            return pd.DataFrame(table).rename(columns=str) if isinstance(table, np.ndarray) else table
        table = pd.read_parquet(path) if sep is None else read()
        names = table.columns if sep is None else read(header=None, nrows=1, dtype=str).iloc[0].dropna()
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        why = f"numpy says: {error}" if numpy else f"pandas says: {error}; {FORM}; {OTHERWISE}"
        raise InputError(path.name, f"a file of {kind}", found="what cannot be read", hint=why) from None
    for name in names[names.duplicated()]:  # pandas calls the second of two columns p "p.1"
        raise InputError(f"column {name!r}", "columns of different names", found="it twice", hint=FORM)
    if not len(table):
        raise InputError(path.name, "rows", found="none")
    if sep is not None and not isinstance(table.index, pd.RangeIndex):  # pandas takes what is too long for an index
        raise InputError(path.name, "rows as long as the first line", found="longer ones", hint=FORM)
    for name in table.columns.intersection(words) if sep is not None else ():
        if not is_numeric_dtype(table[name]):
            if table[name].hasnans:
                table[name] = read(usecols=[name], keep_default_na=False, na_values=[""])[name]
        elif (text := read(usecols=[name], dtype=str)[name].str.strip()).str.match(r"0\d+$").any():
            table[name] = text
    return table.reset_index(drop=table.index.names == [None])  # what parquet has as an index is a column


def _spelled(names, columns, rest=()):
    """Names; first:last is all from the one to the other in the file, ":" the rest, unless a column is called so."""
    found = []
    for name in names:
        ends = [(name[:k], name[k + 1 :]) for k in range(len(name)) if name[k] == ":" and name not in columns]
        places = next((list(map(columns.index, pair)) for pair in ends if {*pair} <= {*columns}), None)
        if places and places[0] > places[1]:
            raise InputError(f"columns {name!r}", "the first to stand before the last in the file")
        found += columns[places[0] : places[1] + 1] if places else rest if ends and name == ":" else [name]
    return found


def _frame(table, names, n=None):
    """Columns of a table; of arrays a name is a column, or a block of columns name[0], name[1], …"""
    if hasattr(table, "iloc"):
        return table[names]
    found = []
    for name in names:
        try:
            array = table[name]
        except ValueError as error:
            raise InputError(f"array {name!r}", "numbers or text", hint=f"{error}: save .astype(str)") from None
        if array.ndim not in (1, 2) or len(array) != (n or len(array)):
            raise InputError(f"array {name!r}", f"columns of {n or 'n'} rows", found=f"shape {array.shape}")
        block = [name] if array.ndim == 1 else [f"{name}[{k}]" for k in range(array.shape[1])]
        found.append(pd.DataFrame(array.astype(str) if array.dtype.kind == "S" else array, columns=block))
    return pd.concat(found, axis=1)


def arguments_of(table, y_true, y_prob, *, classes=None, groups=(), features=(), **more):
    """What `audit` takes, of a table that has these columns; a single one of `y_prob` is P(Y = 1).

    In `y_prob` and `features` first:last is a range of columns, in `y_prob` ":" all that are not named otherwise; of
    `classes` 0:99 alone is 0, …, 99. `more` are arguments of one column each.
    """
    columns = list(table)
    one = {what: [name] for what, name in more.items() if name}
    used = {"groups": groups, "features": _spelled(features, columns)} | one
    used = {what: list(dict.fromkeys(names)) for what, names in used.items() if names}
    named = {y_true, *sum(used.values(), [])}
    y_prob = _spelled(y_prob, columns, [each for each in columns if each not in named])
    for name in (*named, *y_prob):
        if name not in columns:
            hint = "blanks separate names" if "," in name and columns[1:] else FORM if hasattr(table, "iloc") else ""
            raise InputError(f"column {name!r}", f"a column of the file, which has {listed(columns)}", hint=hint)
    for argument, names in used.items():
        if y_true in names:
            raise InputError(argument, "other columns than the label", found=repr(y_true))
    if classes and len(classes) == 1:
        if "," in classes[0]:
            raise InputError("classes", "a label for each column", found=repr(classes[0]), hint="blanks separate names")
        first, _, last = classes[0].partition(":")
        if first.isdecimal() and last.isdecimal():
            classes = [str(k) for k in range(int(first), int(last) + 1)]
    n = len(_frame(table, [y_true]))

    def block(name):
        """A column, or those of one array, which have no names."""
        frame = _frame(table, [name], n)
        return frame.iloc[:, 0].rename(None) if frame.shape[1] == 1 else frame.set_axis(range(frame.shape[1]), axis=1)

    said = block(*y_prob) if len(y_prob) == 1 else _frame(table, y_prob, n)
    found = {what: block(*names) if what in one else _frame(table, names, n) for what, names in used.items()}
    return {"y_true": block(y_true), "y_prob": said, "classes": classes} | found
