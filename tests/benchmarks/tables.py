"""Plain tables for a terminal."""

import numpy as np
import pandas as pd


def print_table(title, header, rows):
    """Print rows under a header."""
    print(f"\n{title}\n\n{pd.DataFrame(rows, columns=header).to_string(index=False)}", flush=True)


def median_p95(milliseconds):
    """Median and 95th percentile, as text."""
    return [f"{value:.0f}" for value in np.quantile(milliseconds, [0.5, 0.95])]
