"""A folder of parquet files: read whole while it is small, else a sample of its rows, and the rest part by part."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ..kernels import landmarks, laplacian, median_bandwidth
from ..predictions import as_predictions
from ..row_sums import RANK, kce_test_parts
from .files import Rows, read_rows

__all__ = ["SAMPLE", "read_folder", "pvalue_of_all_rows"]

SAMPLE = 100_000  # rows that all sections can take; of more, so many are drawn


def read_folder(path, columns, most=None, rng=None, form=None):
    """Rows of a folder, and of how many they are.

    Parameters
    ----------
    path : path
        Its files that end in .parquet are taken in the order of their names.
    columns : Columns
    most : int, optional
        Default `SAMPLE`. Of more rows so many are drawn, without replacement; every row is checked all the same.
    rng : int, Generator or None
    form : Form, optional

    Returns
    -------
    rows : Rows
    n : int
        Rows in the folder, without those that were left out for their gaps.
    parts : list of path

    Raises
    ------
    ValueError
        As `read_rows`; for a folder without parquet files, and files whose columns differ.
    """
    parts = sorted(each for each in Path(path).iterdir() if each.suffix == ".parquet")
    if not parts:
        raise ValueError(f"{path}: expected a folder of parquet files, found none that ends in .parquet")
    most = SAMPLE if most is None else most
    counts = [len(read_rows(part, columns, form=form).y_true) for part in parts]
    n = sum(counts)
    chosen = np.arange(n) if n <= most else np.sort(np.random.default_rng(rng).choice(n, most, replace=False))
    starts = np.concatenate([[0], np.cumsum(counts)])
    pieces = []
    for part, start, stop in zip(parts, starts, starts[1:], strict=False):
        here = chosen[(chosen >= start) & (chosen < stop)] - start
        pieces.append(read_rows(part, columns, here, form))
        names = [_names(piece) for piece in (pieces[0], pieces[-1])]
        if names[0] != names[1]:
            raise ValueError(f"{part}: expected the classes of {parts[0].name}, {names[0]}, got {names[1]}")
    return _joined(pieces), n, parts


def pvalue_of_all_rows(parts, columns, rows, *, form=None, n_resamples=999, rng=None, progress=False):
    """The exact test of canonical calibration on all rows of a folder, summed part by part.

    Its kernel is that of `kce_test`, with landmarks among the rows that were drawn. Who sums the parts is left to
    `joblib.parallel_config`.
    """

    def read(part):
        return as_predictions_of(read_rows(part, columns, form=form))

    drawn = as_predictions_of(rows)[1]
    kernel = landmarks(laplacian(median_bandwidth(drawn)), drawn, rank=RANK, rng=0)
    # Absolute: a worker of a cluster may work elsewhere.
    whole = [partial(read, part.absolute()) for part in parts]
    return kce_test_parts(whole, kernel=kernel, n_resamples=n_resamples,
                          rng=rng, progress=progress).pvalue  # fmt: skip


def as_predictions_of(rows):
    """Checked arrays of rows."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a part may lack a class
        return as_predictions(rows.y_true, rows.y_prob, classes=rows.classes, normalise=True)


def _names(rows):
    return list(rows.y_prob.columns) if rows.y_prob.ndim == 2 else "one column"


def _joined(pieces):
    def column(name):
        first = getattr(pieces[0], name)
        if first is None:
            return None
        values = [getattr(piece, name) for piece in pieces]
        return np.concatenate(values) if isinstance(first, np.ndarray) else pd.concat(values, ignore_index=True)

    names = ("y_true", "y_prob", "groups", "features", "cluster", "weights", "time", "cases")
    left_out = sum(piece.left_out for piece in pieces)
    gaps = {name: sum(piece.gaps.get(name, 0) for piece in pieces) for piece in pieces for name in piece.gaps}
    return Rows(classes=pieces[0].classes, left_out=left_out, gaps=gaps, **{name: column(name) for name in names})
