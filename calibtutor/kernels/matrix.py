"""Entries of a kernel's matrix: blocks, pairs and the diagonal."""

import numpy as np

from ..door.arrays import as_rows
from ..door.inputs import InputError

DIAGONAL_ROWS = 64  # one by one takes a call a row, all at once n² entries


def slices(n, step):
    """0, …, n − 1 in slices of `step`, at least 1: what is made of so many rows at once fits into memory."""
    step = max(1, step)
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def entries(kernel, X, Y):
    """The block k(X, Y), in the kernel's own precision.

    What is no matrix of finite numbers is refused, as NaN would end in a p-value of 1.
    """
    block = np.asarray(kernel(X, Y))
    if block.shape != (len(X), len(Y)):
        raise InputError("kernel", f"a matrix of shape {(len(X), len(Y))}", found=f"shape {block.shape}")
    if not np.isfinite(block).all():
        row, column = np.argwhere(~np.isfinite(block))[0]
        raise InputError("kernel", "finite numbers", found=f"{block[row, column]} for {X[row]} and {Y[column]}")
    return block


def paired(kernel, X, Y):
    """k(x_i, y_i) for each i, shape (n,), in O(n): diagonals of small blocks."""
    X, Y = as_rows(X), as_rows(Y)
    blocks = (np.diagonal(entries(kernel, X[rows], Y[rows])) for rows in slices(len(X), DIAGONAL_ROWS))
    return np.concatenate([np.zeros(0), *blocks])


def kernel_diagonal(kernel, X):
    """k(x_i, x_i) for each row, shape (n,); scikit-learn kernels know it, others are asked in small blocks."""
    X = as_rows(X)
    return np.array(kernel.diag(X), dtype=float) if hasattr(kernel, "diag") else paired(kernel, X, X)
