"""Plain tables for a terminal."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd


def print_table(title, header, rows):
    """Print rows under a header."""
    print(f"\n{title}\n\n{pd.DataFrame(rows, columns=header).to_string(index=False)}", flush=True)


def alone(function, *given):
    """What a function returns in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *given).result()


def median_p95(milliseconds):
    """Median and 95th percentile, as text."""
    return [f"{value:.0f}" for value in np.quantile(milliseconds, [0.5, 0.95])]
