"""A file of predictions as a table with named columns, and which of them is what."""

from functools import partial
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from ..class_names import listed
from ..inputs import InputError

KINDS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".parquet": None}  # ending -> what separates columns
OTHERWISE = "what is written in another way can be read by pandas, and audited by calibtutor.audit"
FORM = "does the first line name the columns, and what separates them? (--sep)"


def read_table(path, sep=None, words=()):
    """A csv, tsv or parquet file, as pandas reads it; `sep` is what separates the columns of text.

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
    try:
        table = pd.read_parquet(path) if sep is None else read()
        names = table.columns if sep is None else read(header=None, nrows=1, dtype=str).iloc[0].dropna()
    except (ValueError, OSError, EOFError) as error:
        why = f"pandas says: {error}; {FORM}; {OTHERWISE}"
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


def arguments_of(table, y_true, y_prob, *, classes=None, groups=(), features=(), cluster=None, weights=None, time=None):
    """What `audit` takes, of a table that has these columns; a single one of `y_prob` is P(Y = 1)."""
    one = {name: each for name, each in (("cluster", cluster), ("weights", weights), ("time", time)) if each}
    more = {name: list(dict.fromkeys(each)) for name, each in (("groups", groups), ("features", features)) if each}
    for name in (y_true, *y_prob, *one.values(), *sum(more.values(), [])):
        if name not in table:
            hint = "blanks separate names" if "," in name and table.shape[1] > 1 else FORM
            raise InputError(f"column {name!r}", f"a column of the file, which has {listed(table.columns)}", hint=hint)
    for argument, names in (more | {name: [each] for name, each in one.items()}).items():
        if y_true in names:
            raise InputError(argument, "other columns than the label", found=repr(y_true))
    if classes and len(classes) == 1 and "," in classes[0]:
        raise InputError("classes", "a label for each column", found=repr(classes[0]), hint="blanks separate names")
    said = table[y_prob[0]].rename(None) if len(y_prob) == 1 else table[list(y_prob)]
    columns = {argument: table[names] for argument, names in (one | more).items()}
    return {"y_true": table[y_true], "y_prob": said, "classes": classes} | columns
