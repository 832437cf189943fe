"""A file of predictions as a table with named columns, and which of them is what."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..class_names import listed
from ..inputs import InputError

__all__ = ["Columns", "read_table"]

KINDS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".parquet": None}  # ending -> what separates columns
OTHERWISE = "what is written in another way can be read by pandas, and audited by calibtutor.audit"
CLASSES = "say classes, the label of each column of probabilities, in order; of one column two, and it is the second's"


def read_table(path, sep=None):
    """A csv, tsv or parquet file, as pandas reads it; `sep` is what separates the columns of text."""
    path = Path(path)
    kind = next((kind for kind in KINDS if path.name.lower().endswith(kind)), None)
    if kind is None:
        raise InputError(path.name, f"a file that ends in {', '.join(KINDS)}", hint=OTHERWISE)
    try:
        table = pd.read_parquet(path) if kind == ".parquet" else pd.read_csv(path, sep=sep or KINDS[kind])
    except (ValueError, OSError, EOFError) as error:
        why = f"pandas says: {error}; {OTHERWISE}"
        raise InputError(path.name, f"a file of {kind}", found="what cannot be read", hint=why) from None
    if not len(table):
        raise InputError(path.name, "rows", found="none")
    if kind != ".parquet" and not isinstance(table.index, pd.RangeIndex):  # pandas takes what is too long for an index
        raise InputError(path.name, "rows as long as the first line", found="longer ones")
    return table.reset_index(drop=table.index.names == [None])  # what parquet has as an index is a column


@dataclass(frozen=True)
class Columns:
    """Which column of a table is what."""

    label: str
    prob: list  # names, or patterns with a star for the class; one name alone is P(Y = 1)
    groups: list = ()
    features: list = ()
    cluster: str | None = None
    weights: str | None = None
    time: str | None = None
    classes: list | None = None  # the label of each column of probabilities; of one column two, it is the second's

    def arguments(self, table):
        """What `audit` takes, of a table that has these columns, and numbers where they are needed."""
        prob = self._probabilities(table)
        one = {name: getattr(self, name) for name in ("cluster", "weights", "time") if getattr(self, name)}
        more = {name: list(getattr(self, name)) for name in ("groups", "features") if getattr(self, name)}
        for name in (self.label, *prob, *one.values(), *sum(more.values(), [])):
            if name not in table:
                raise InputError(f"column {name!r}", f"a column of the file, which has {listed(table.columns)}")
        for name in (*prob, *filter(None, [self.weights])):
            _check_numbers(table, name)
        y_prob = table[list(prob)].set_axis(list(prob.values()), axis=1)
        y_prob = y_prob.iloc[:, 0].rename(None) if len(prob) == 1 else y_prob
        columns = {argument: table[names] for argument, names in (one | more).items()}
        return {"y_true": table[self.label], "y_prob": y_prob, "classes": self.classes} | columns

    def _probabilities(self, table):
        """The columns of the probabilities, and the class of each."""
        found, others = {}, {self.label, self.cluster, self.weights, self.time, *self.groups, *self.features}
        for wanted in self.prob:
            pattern = re.compile("(.+)".join(map(re.escape, wanted.split("*", 1))))
            fit = {name: pattern.fullmatch(name) for name in map(str, table) if name not in others}
            found |= {name: each[1] if "*" in wanted else name for name, each in fit.items() if each}
            if not any(fit.values()):
                raise InputError(f"probabilities {wanted!r}", f"columns of the file, which has {listed(table.columns)}")
        if len(found) == 1 and "*" in self.prob[0] and not self.classes and "1" not in found.values():
            ((name, label),) = found.items()
            raise InputError(f"probabilities {self.prob[0]!r}", "a column a class", found=f"{name!r} alone",
                             hint=f"name it, and say classes: the other label, then {label}")  # fmt: skip
        if self.classes and len(self.classes) == len(found) and "*" not in "".join(self.prob):
            return dict(zip(found, self.classes, strict=True))
        return found

    def in_columns(self, error, table):
        """An error of `audit` about an argument, as one about the columns that it came from."""
        names = {"y_true": [self.label], "y_prob": self.prob, "features": self.features, "cluster": [self.cluster],
                 "weights": [self.weights], "time": [self.time]}.get(error.argument)  # fmt: skip
        if names is None:
            return error
        hint = error.hint
        if error.argument == "y_true" and table[self.label].notna().all():
            hint = self._about_classes(sorted(map(str, table[self.label].unique())))
        return InputError(f"column {listed(names)}", error.expected, found=error.found, row=error.row, hint=hint)

    def _about_classes(self, labels):
        """What to say of labels whose columns are not known: of two and one column, both orders."""
        if len(labels) > 2 or len(self.prob) > 1 or "*" in self.prob[0]:
            return CLASSES
        name, said = self.prob[0], zip((labels, labels[::-1]), labels[::-1], strict=True)
        return "say " + ", ".join(f"classes {','.join(order)} if {name} is P({label})" for order, label in said)


def _check_numbers(table, name):
    """Refuse a column of words, at the first."""
    if not pd.api.types.is_numeric_dtype(table[name].dtype):
        wrong = pd.to_numeric(table[name].astype(str), errors="coerce").isna()
        row = int(np.argmax(wrong))
        raise InputError(f"column {name!r}", "numbers", found=repr(table[name][row]), row=row, hint=OTHERWISE)
