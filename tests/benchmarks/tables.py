"""Plain tables for a terminal."""

import sys

import numpy as np
import pandas as pd


def print_table(title, header, rows):
    """Print rows under a header."""
    print(f"\n{title}\n\n{pd.DataFrame(rows, columns=header).to_string(index=False)}", flush=True)


def median_p95(milliseconds):
    """Median and 95th percentile, as text."""
    return [f"{value:.0f}" for value in np.quantile(milliseconds, [0.5, 0.95])]


def peak():
    """The most that this process has held, MB; of a new one, what the one that started it held (Linux)."""
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
