"""Predictions to audit: the built-in example, a file, and the same predictions spoiled."""

import re
from functools import lru_cache

import numpy as np

from ...audit.columns import Columns, Form
from ...audit.files import read_rows
from ...data import datasets

__all__ = ["SCANNERS", "SPOILS", "digits_on_scanners", "example", "read", "spoil"]

SCANNERS, BAD = 12, 7
SPOILS = ["nothing", "labels one row down", "two classes swapped", "one bad scanner"]


@lru_cache
def digits_on_scanners(model="neural network"):
    """Labels (n,), predictions (n, 10) and the scanner of each test digit; scanners are drawn, and differ in nothing."""
    digits = datasets.digits_predictions(model)
    scanner = np.random.default_rng(8).integers(1, SCANNERS + 1, len(digits.y_true))
    return digits.y_true, _unit(digits.y_prob), scanner


def example(model="neural network"):
    """The built-in example, as `audit` takes it.

    Parameters
    ----------
    model : str
        As in `digits_predictions`.

    Returns
    -------
    dict
        y_true, y_prob and groups.
    """
    y_true, y_prob, scanner = digits_on_scanners(model)
    return {"y_true": y_true, "y_prob": y_prob, "groups": {"scanner": [f"{s:02d}" for s in scanner]}}


def read(path, label="y", prob="p_*", groups=(), cluster=None, **form):
    """Predictions in a file (csv, parquet, npz), as `audit` takes them.

    Parameters
    ----------
    path : path
        One row a case.
    label, prob : str
        The column of the label, and those of the probabilities: the class stands where the star does; one column
        without a star is P(Y = 1).
    groups : sequence of str
        Columns of names.
    cluster : str, optional
        The column that says what rows belong to: a patient, a film.
    **form
        How the file is written, as in `Form`: sep=";".

    Returns
    -------
    dict
        y_true, y_prob, groups and, if there is one, cluster.

    Raises
    ------
    ValueError
        Naming file, row and column.
    """
    groups = [groups] if isinstance(groups, str) else list(groups)
    try:
        rows = read_rows(path, Columns(label=label, prob=[prob], groups=groups, cluster=cluster), form=Form(**form))
    except ValueError as refused:  # the shell's options are arguments here
        said = str(refused).replace("--drop-missing", "drop_missing=True")
        said = re.sub(r"--encoding ([\w-]+)", r"encoding='\1'", said)
        raise ValueError(re.sub(r"--(\w+) ", r"\1=", said)) from None
    told = {"y_true": rows.y_true, "y_prob": rows.y_prob, "groups": rows.groups}
    return told if cluster is None else {**told, "cluster": rows.cluster}


def one_row_down(y_true):
    """Row i gets the label of row i − 1, the first row that of the last."""
    return np.roll(y_true, 1)


def spoil(how, y_true, y_prob, scanner, slip=one_row_down):
    """Spoil predictions in one of the ways of `SPOILS`.

    Parameters
    ----------
    how : str
    y_true, y_prob, scanner : ndarray, shapes (n,), (n, 10), (n,)
    slip : callable, optional
        Labels -> labels, for "labels one row down".

    Returns
    -------
    y_true, y_prob, scanner
    """
    if how == "labels one row down":
        return slip(y_true), y_prob, scanner
    if how == "two classes swapped":  # the columns of 4 and 9
        return y_true, y_prob[:, [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]], scanner
    if how == "one bad scanner":  # a tenth of its labels is noted as the next digit
        wrong = np.isin(np.arange(len(y_true)), np.flatnonzero(scanner == BAD)[::10])
        return np.where(wrong, (y_true + 1) % 10, y_true), y_prob, scanner
    return y_true, y_prob, scanner


def _unit(y_prob):
    y_prob = np.asarray(y_prob, dtype=float)
    return y_prob / y_prob.sum(axis=1, keepdims=True)
