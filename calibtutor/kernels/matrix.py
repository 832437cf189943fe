"""Entries of a kernel's matrix: blocks, pairs and the diagonal."""

import numpy as np

from ..inputs import InputError, as_rows

__all__ = ["entries", "kernel_diagonal", "paired"]

DIAGONAL_ROWS = 64  # one by one takes a call a row, all at once n² entries


def entries(kernel, X, Y):
    """The block k(X, Y).

    What is no matrix of finite numbers is refused, as NaN would end in a p-value of 1.

    Parameters
    ----------
    kernel : callable k(X, Y) -> matrix
        Any kernel.
    X, Y : ndarray, shapes (n, d) and (m, d)
        Rows.

    Returns
    -------
    ndarray, shape (n, m)
        In the kernel's own precision.

    Raises
    ------
    InputError
        For another shape, or an entry that is not finite, with the rows that it belongs to.
    """
    block = np.asarray(kernel(X, Y))
    if block.shape != (len(X), len(Y)):
        raise InputError("kernel", f"a matrix of shape {(len(X), len(Y))}", found=f"shape {block.shape}")
    if not np.isfinite(block).all():
        row, column = np.argwhere(~np.isfinite(block))[0]
        raise InputError("kernel", "finite numbers", found=f"{block[row, column]} for {X[row]} and {Y[column]}")
    return block


def paired(kernel, X, Y, *, block=DIAGONAL_ROWS):
    """k(x_i, y_i) for each i, shape (n,), in O(n): diagonals of small blocks.

    Parameters
    ----------
    kernel : callable k(X, Y) -> matrix
        Any kernel.
    X, Y : array-like, shape (n, d) or (n,)
        Rows, as many of each.
    block : int >= 1
        Rows of a block: one by one takes a call a row, all at once n² entries.

    Returns
    -------
    ndarray, shape (n,)
        In the order of the rows.

    Raises
    ------
    InputError
        As `entries`.
    """
    X, Y = as_rows(X), as_rows(Y)
    parts = [np.diagonal(entries(kernel, X[i : i + block], Y[i : i + block])) for i in range(0, len(X), block)]
    return np.concatenate(parts) if parts else np.zeros(0)


def kernel_diagonal(kernel, X):
    """k(x_i, x_i) for each row, shape (n,); scikit-learn kernels know it, others are asked in small blocks.

    Parameters
    ----------
    kernel : callable k(X, Y) -> matrix
        Any kernel.
    X : array-like, shape (n, d) or (n,)
        Rows.

    Returns
    -------
    ndarray, shape (n,)
        A copy, which may be changed.

    Raises
    ------
    InputError
        As `entries`, of a kernel without `diag`.
    """
    X = as_rows(X)
    return np.array(kernel.diag(X), dtype=float) if hasattr(kernel, "diag") else paired(kernel, X, X)
