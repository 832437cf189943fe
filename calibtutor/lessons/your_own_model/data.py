"""Predictions to audit: the built-in example, a file, and the same predictions spoiled."""

import warnings
from functools import lru_cache

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ... import InputError, as_predictions
from ...audit.table_file import arguments_of, read_table
from ...data import datasets
from ...door.probabilities import two_columns
from ...door.table import listed

SCANNERS, BAD = 12, 7
SPOILS = ["nothing", "labels one row down", "two classes swapped", "one bad scanner"]


@lru_cache
def digits_on_scanners(model="neural network"):
    """Labels (n,), predictions (n, 10) and the scanner of each test digit; scanners are drawn, and differ in nothing."""
    digits = datasets.digits_predictions(model)
    scanner = np.random.default_rng(8).integers(1, SCANNERS + 1, len(digits.y_true))
    return digits.y_true, _unit(digits.y_prob), scanner


@lru_cache
def own_rows():
    """As `digits_on_scanners`, of the network and the rows it was trained on."""
    train, y_train, *_ = datasets.digits_split()
    with threadpool_limits(limits=1):
        y_prob = datasets.MODELS["neural network"]().fit(train, y_train).predict_proba(train)
    return y_train, _unit(y_prob), np.random.default_rng(8).integers(1, SCANNERS + 1, len(y_train))


def example(model="neural network"):
    """The built-in example, as `audit` takes it: y_true, y_prob and groups; models are those of `digits_predictions`."""
    y_true, y_prob, scanner = digits_on_scanners(model)
    return {"y_true": y_true, "y_prob": y_prob, "groups": {"scanner": [f"{s:02d}" for s in scanner]}}


def clinic():
    """A small file to bring in: of 200 patients the outcome, "relapse" or "cured", and the risk said of it, in per cent."""
    rng = np.random.default_rng(204)
    risk = rng.integers(2, 70, 200)
    relapse = rng.random(200) < (risk / 100) ** 1.5
    return pd.DataFrame({"patient": np.arange(1, 201), "outcome": np.where(relapse, "relapse", "cured"), "risk": risk})


def arrays(data):
    """What `example` or `read` gives, as labels 0 to d − 1 (n,), predictions (n, d) and groups (n,).

    The group is the first column of groups, or one group of all rows.
    """
    y_true, y_prob = as_predictions(data["y_true"], data["y_prob"], classes=data.get("classes"), normalise=True)
    columns = list(dict(data["groups"]).values()) if data["groups"] is not None else []
    group = np.asarray(columns[0]) if columns else np.full(len(y_true), "all")
    return y_true, two_columns(y_prob), group


def read(path, y_true="y", y_prob=("p",), *, sep=None, **columns):
    """Predictions in a file (csv, tsv, parquet), as `audit` takes them.

    Parameters
    ----------
    path : path
        One row a case.
    y_true : str
        The column of the label.
    y_prob : sequence of str
        The columns of the probabilities; one alone is P(Y = 1).
    sep : str, optional
        What separates the columns of a csv.
    **columns
        classes, the label of each column of `y_prob`; groups, a list; cluster: the column that says what rows belong to.

    Returns
    -------
    dict
        y_true, y_prob, groups and, if there are any, cluster and classes.

    Raises
    ------
    ValueError
        Naming what is wrong, and the row.
    """
    table = read_table(path, sep)
    if y_true not in (names := list(table)):
        raise InputError(f"column {y_true!r}", f"the label's, one of {listed(names)}", hint="say y_true=, its name")
    given = arguments_of(table, y_true, y_prob, **columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the audit says what it doubts
        as_predictions(given["y_true"], given["y_prob"], classes=given["classes"], normalise=True)
    return {"groups": None} | {name: value for name, value in given.items() if value is not None}


def spoil(how, y_true, y_prob, scanner):
    """Labels (n,), predictions (n, 10) and scanners (n,), spoiled in one of the ways of `SPOILS`."""
    if how == "labels one row down":
        return np.roll(y_true, 1), y_prob, scanner  # row i has the label of row i − 1, the first row that of the last
    if how == "two classes swapped":  # the columns of 4 and 9
        return y_true, y_prob[:, [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]], scanner
    if how == "one bad scanner":  # a tenth of its labels is noted as the next digit
        wrong = np.isin(np.arange(len(y_true)), np.flatnonzero(scanner == BAD)[::10])
        return np.where(wrong, (y_true + 1) % 10, y_true), y_prob, scanner
    return y_true, y_prob, scanner


def new_files():
    """Four files, two of them spoiled: {letter: what is known of it, in words}."""
    y, network, _ = digits_on_scanners()
    logistic, bayes = (digits_on_scanners(name)[1] for name in ("logistic regression", "naive Bayes"))
    swapped = logistic[:, [0, 1, 2, 8, 4, 5, 6, 7, 3, 9]]
    files = {"a": (y, bayes, bayes), "b": (y, swapped, logistic), "c": (y, _unit(network**3), network),
             "d": (*own_rows()[:2], network)}
    told = {}
    for letter, (labels, p, before) in files.items():
        misses, known, promised = labels != p.argmax(axis=1), (y == before.argmax(axis=1)).mean(), 1 - p.max(axis=1)
        told[letter] = (f"right {1 - misses.mean():.0%}, at validation {known:.0%}; {promised.sum():.0f} misses promised, "
                        f"{misses.sum()} happened")
    return told


def _unit(y_prob):
    y_prob = np.asarray(y_prob, dtype=float)
    return y_prob / y_prob.sum(axis=1, keepdims=True)
