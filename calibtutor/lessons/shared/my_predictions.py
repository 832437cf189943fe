"""A reader's own predictions, kept in one file beside the notebooks: `keep` in 00, `use` and `kept` in later ones."""

import warnings
from io import BytesIO
from textwrap import fill
from types import SimpleNamespace

import numpy as np

from ... import InputError, as_predictions, top_label
from ...data.datasets import digits_predictions
from ...door.probabilities import two_columns
from ...door.table import table_of
from ...teach.kept import place
from ...whole import write

NAME = "my_predictions.npz"  # beside my_functions


def keep(y_true, y_prob, *, classes=None, normalise=False):
    """Keep labels (n,) and probabilities (n, d), or (n,) of one event, by `as_predictions`, which says what it refuses."""
    with warnings.catch_warnings(record=True, action="always", category=UserWarning) as doubts:
        try:
            y, p = as_predictions(y_true, y_prob, classes=classes, normalise=normalise)
        except InputError as error:  # it says where else such an argument is taken; here it is this function's
            error.hint = error.hint.replace(" (of as_predictions, or of audit)", "").replace(" to as_predictions", "")
            raise
    names, file = table_of(y_prob, classes)[1], place() / NAME
    np.savez(held := BytesIO(), y_true=y, y_prob=p, classes=np.array([] if names is None else names, dtype=str))
    try:
        write({file: held.getvalue()})
    except (InputError, OSError):
        return print(f"They could not be kept in {NAME}: one cannot write there.")
    print(f"{_size(p)}: kept in {NAME}, beside this notebook; nothing is sent.", "Delete the file to drop them.", sep="\n")
    for each in doubts:
        print(fill(f"Doubtful: {each.message}.", 100))


def kept():
    """What was kept, as `audit` takes it (y_true, y_prob, groups and classes, which may be None), or None."""
    file = place() / NAME
    if not file.exists():
        return print("No predictions of yours are kept: the digits' network stands in.")
    try:
        with file.open("rb") as opened, np.load(opened) as held:
            y, p, names = (held[name] for name in ("y_true", "y_prob", "classes"))
        found = {"y_true": names[y] if len(names) else y, "y_prob": p, "groups": None, "classes": names.tolist() or None}
        _door(found)
    except Exception:  # whatever somebody made of the file
        return print(f"{NAME} holds no predictions any more: keep yours again. The digits' network stands in.")
    print(f"Your predictions: {_size(p)}.")
    return found


def use(most=None):
    """The reader's predictions, or the network's: y_true, y_prob, table (n, d), and of the top label hit and confidence.

    Of more rows than `most` as many are drawn, the same each time.
    """
    y, p = _door(kept() or vars(digits_predictions("neural network")))
    if most and len(y) > most:
        rows = np.sort(np.random.default_rng(0).choice(len(y), most, replace=False))
        y, p = y[rows], p[rows]
        print(f"Of these {most:,}, drawn at random.")
    top = dict(zip(("hit", "confidence"), top_label(y, p), strict=True))
    return SimpleNamespace(y_true=y, y_prob=p, table=two_columns(p), **top)


def _door(found):
    with warnings.catch_warnings(action="ignore"):  # what is doubted was said when they were kept
        return as_predictions(found["y_true"], found["y_prob"], classes=found.get("classes"))


def _size(p):
    return f"{len(p):,} rows, " + ("one event" if p.ndim == 1 else f"{p.shape[1]} classes")
