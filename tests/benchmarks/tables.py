"""Plain tables for a terminal."""

import numpy as np


def print_table(title, header, rows):
    """Print rows of text under a header; the first column is left-aligned, the others right-aligned."""
    table = [list(header), *[[str(field) for field in row] for row in rows]]
    widths = [max(len(row[k]) for row in table) for k in range(len(header))]
    print(f"\n{title}\n")
    for number, row in enumerate(table):
        cells = [row[0].ljust(widths[0]), *(f.rjust(w) for f, w in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells))
        if number == 0:
            print("  ".join("-" * width for width in widths), flush=True)


def median_p95(milliseconds):
    """Median and 95th percentile, as text."""
    return [f"{value:.0f}" for value in np.quantile(milliseconds, [0.5, 0.95])]
