"""How λ is written, and what the pictures of the CKCE share."""

import numpy as np

from .ckce_on_digits import LADDER


def plain(value):
    """λ as it is spoken of: 0.17, 0.001, 0.0003."""
    return f"{float(f'{value:.2g}'):g}" if value >= 1e-4 else f"1e{np.log10(value):g}".replace("-", "−")


LAMBDAS = [(plain(each), each) for each in LADDER]
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
