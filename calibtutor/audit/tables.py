"""One file of predictions as a table: csv, parquet or npz, and why it cannot be read as one."""

import zipfile
from contextlib import suppress
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from .columns import columns_of_file, listed_names, may_be_cases

__all__ = ["in_numbers", "table_of"]

KINDS = (".csv", ".tsv", ".csv.gz", ".parquet", ".npz")
NOTHING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]


def table_of(path, columns, form):
    """The columns that are asked for, of one file."""
    kind = next((kind for kind in KINDS if path.name.lower().endswith(kind)), None)
    if kind is None:
        raise ValueError(f"{path}: expected a file that ends in {', '.join(KINDS)}, or a folder of parquet files")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    if kind in (".npz", ".parquet") and (form.sep, form.decimal, form.encoding) != (None, ".", "utf-8"):
        raise ValueError(f"{path}: --sep, --decimal and --encoding are of csv files, this is {kind}")
    try:
        if kind == ".npz":
            table = _of_arrays(path, columns)
        elif kind == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = _of_text(path, columns, form)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: cannot be read as {kind} ({error}); {_encodings(path, form)}") from None
    except (ValueError, OSError, LookupError, EOFError, zipfile.BadZipFile) as error:
        text = " ".join(str(error).split())
        raise ValueError(text if text.startswith(str(path)) else f"{path}: cannot be read as {kind} ({text})") from None
    if not len(table):
        raise ValueError(f"{path}: expected rows, found none")
    table = table.reset_index(drop=table.index.names == [None])  # what pandas wrote as an index is a column of the file
    table.columns = table.columns.map(str)
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{path}: column {twice[0]!r} is there twice")
    return table


def _encodings(path, form):
    """What to do about bytes that are no text in an encoding."""
    with open(path, "rb") as file:
        wide = file.read(2) in (b"\xff\xfe", b"\xfe\xff")  # the mark that begins UTF-16
    other = "utf-16" if wide else "cp1252"
    if other == form.encoding.lower():
        return "say another --encoding, or save the file as UTF-8"
    return f"say --encoding {other}{'' if wide else ' (Windows, western Europe)'}, or save the file as UTF-8"


def _of_text(path, columns, form):
    """csv; in a column that only names groups "NA" may be Namibia."""
    sep = form.sep or ("\t" if ".tsv" in path.name.lower() else ",")
    look = {"sep": sep, "decimal": form.decimal, "encoding": form.encoding, "keep_default_na": False, "engine": "c"}
    found = pd.read_csv(path, header=None, nrows=1, dtype=str, **look).iloc[0].tolist()
    twice = [name for name in found if found.count(name) > 1]
    if twice:
        raise ValueError(f"{path}: column {twice[0]!r} is there twice")
    names, _ = columns_of_file(path, found, columns, sep)
    pd.read_csv(path, header=None, nrows=2, **look)  # complains of a first row that is too long, else read as an index
    others = {*columns.features, columns.label, columns.time, columns.cluster, columns.weight, *names}
    groups = [name for name in columns.groups if name not in others]
    nothing = {name: NOTHING for name in found if name not in groups}
    words = [*groups, columns.time] if form.date_format else groups
    # All columns are read: of rows that are too long nothing is said if only some are.
    table = pd.read_csv(path, dtype=dict.fromkeys(words, str), na_values=nothing, low_memory=False, **look)
    table = table[list(dict.fromkeys([*names, *columns.others(), *may_be_cases(found, columns, names)]))].copy()
    for name in groups:
        table[name] = _group(table[name].str.strip(), form.decimal)
    return table


def in_numbers(cells, decimal):
    """Numbers where cells of text are some; with decimal commas 1.234 is none, it may be 1,234."""
    if decimal == ",":
        swapped = str.maketrans(",.", ".,")
        cells = cells.map(lambda cell: cell.translate(swapped) if isinstance(cell, str) else cell)
    return pd.to_numeric(cells, errors="coerce")


def _group(cells, decimal):
    """Numbers if all that is written are numbers, else names."""
    numbers = in_numbers(cells, decimal)
    return numbers if (numbers.notna() | cells.isin(NOTHING)).all() else cells.where(cells != "")


def _of_arrays(path, columns):
    """npz: an array a column; a matrix becomes columns named p[0], p[1], …"""
    if not zipfile.is_zipfile(path):
        raise ValueError("numpy.savez writes a zip archive, this is none")
    with np.load(path, allow_pickle=False) as arrays:
        patterns = [*columns.prob, *columns.others()]
        wanted = [name for name in arrays.files if any(fnmatchcase(name, each) for each in patterns)]
        if not wanted:
            raise ValueError(f"{path}: no array {columns.label!r}; the file has {listed_names(arrays.files)}")
        found = {}
        for name in wanted:
            try:
                array = arrays[name]
            except ValueError:
                hint = "save it as numbers or text, array.astype(str)"
                raise ValueError(f"{path}: array {name!r} holds Python objects; {hint}") from None
            if array.ndim not in (1, 2):
                raise ValueError(f"{path}: array {name!r} has shape {array.shape}, expected (n,) or (n, d)")
            if array.ndim == 2 and array.shape[1] > 1:
                found |= {f"{name}[{k}]": column for k, column in enumerate(array.T)}
            else:
                found[name] = array.reshape(len(array))
        lengths = {name: len(column) for name, column in found.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"{path}: expected arrays of one length, got {lengths}")
        n = len(next(iter(found.values())))
        for name in may_be_cases(arrays.files, columns, wanted):
            with suppress(ValueError):  # Python objects: it was not asked for
                if arrays[name].shape == (n,):
                    found[name] = arrays[name]
    return pd.DataFrame(found)
