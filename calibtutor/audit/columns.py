"""Which column of a file is what, as the shell command's options say it."""

import re
from dataclasses import dataclass

__all__ = ["Columns", "Form", "columns_of_file", "columns_or_parts", "listed_names", "may_be_cases"]


@dataclass(frozen=True)
class Columns:
    """Which column is what.

    Attributes
    ----------
    label, cluster, weight, time : str or None
    prob : list of str
        Names, or patterns with a star for the class.
    groups, features : list of str
    classes : list of str or None
    """

    label: str
    prob: list
    groups: list = ()
    features: list = ()
    cluster: str | None = None
    weight: str | None = None
    time: str | None = None
    classes: list | None = None

    def __post_init__(self):
        for name in self.prob:
            if name.count("*") > 1:
                raise ValueError(f"--prob {name!r}: expected one star, for the class")

    def others(self):
        """Every column but the probabilities, once."""
        alone = [name for name in (self.label, self.cluster, self.weight, self.time) if name]
        return list(dict.fromkeys([*alone, *self.groups, *self.features]))


@dataclass(frozen=True)
class Form:
    """How a file is written.

    Attributes
    ----------
    sep : str or None
        What stands between the columns of a csv; None is a comma, and a tab in a tsv.
    decimal, encoding : str
        Of a csv.
    date_format : str or None
        Of the dates in the column of time, as in `datetime.strptime`.
    drop_missing : bool
        Whether rows with a gap where a value is needed are left out; they are refused otherwise.
    percent : bool
        Whether probabilities are written in percent.
    """

    sep: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    date_format: str | None = None
    drop_missing: bool = False
    percent: bool = False


def columns_of_file(path, found, columns, sep=None):
    """The columns of the probabilities and the class of each; `sep` is what stood between columns, in a csv.

    Raises
    ------
    ValueError
        For a column that is not in the file, or a pattern that fits none.
    """
    names, classes = [], []
    for wanted in columns.prob:
        before, star, after = wanted.partition("*")
        if star:
            fit = [name for name in found if _fits(name, before, after) and name not in columns.others()]
            if not fit:
                has = f"the file has {listed_names(found)}{_other_sep(found, sep)}"
                raise ValueError(f"{path}: no column fits --prob {wanted!r}; {has}")
        else:
            fit = columns_or_parts([wanted], found)
        names += fit
        classes += [name[len(before) : len(name) - len(after)] if star else name for name in fit]
    others = [
        *columns_or_parts(columns.features, found),
        *(each for each in columns.others() if each not in columns.features),
    ]
    missing = [name for name in [columns.label, *names, *others] if name not in found]
    if missing:
        has = f"the file has {listed_names(found)}{_other_sep(found, sep)}"
        raise ValueError(f"{path}: no column {missing[0]!r}; {has}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{path}: column {twice!r} is named twice by --prob {','.join(columns.prob)}")
    if len(names) == 1 and "*" in columns.prob[0] and columns.classes is None and classes[0] != "1":
        hint = f"--prob {names[0]} --classes OTHER,{classes[0]}"
        raise ValueError(f"{path}: only column {names[0]!r} fits --prob {columns.prob[0]!r}; one column: say {hint}")
    if all("[" in name and name.endswith("]") for name in names):  # a matrix of npz: columns without names
        classes = list(range(len(names)))
    if columns.classes is not None and "*" not in "".join(columns.prob):
        classes = columns.classes if len(columns.classes) == len(names) else classes
    return names, classes


CASE = r"id|ids|(patient|subject|person|customer|user|client|household)(s|id|nr|no)?"


def may_be_cases(found, columns, names):
    """Columns that are not used, with names such as patient_id, PatientID or user: rows may be of one case."""
    used = {*columns.others(), *names}
    words = lambda name: re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    like = lambda name: any(re.fullmatch(CASE, word.lower()) for word in words(name))
    return [] if columns.cluster else [name for name in found if name not in used and like(name)]


def _other_sep(found, sep):
    """A hint, if a csv seems to have one column, and its name has what may separate columns."""
    seen = re.search(r"[;,\t|]", found[0]) if sep and len(found) == 1 else None
    if not seen:
        return ""
    tried = {",": "a comma", "\t": "a tab"}.get(sep, repr(sep))
    return f"; are its columns separated by something else than {tried}? If so, say --sep {seen[0]!r}"


def _fits(name, before, after):
    return len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after)


def listed_names(names):
    """Names of columns in one line, of many the first."""
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def columns_or_parts(names, found):
    """Names as they are, and the columns of a matrix of npz, X[0], X[1], …, for X."""
    parts = {name: [each for each in found if each.startswith(f"{name}[")] for name in names}
    return [each for name in names for each in (parts[name] if name not in found and parts[name] else [name])]
