"""What several lessons use: crowd plots."""

import numpy as np

from . import crowd_of_digits as shared_crowd_of_digits

__all__ = ["LAMBDAS", "PAPER"]



def _plain(value):
    """λ as it is spoken of: 0.17, 0.001, 0.0003."""
    return f"{float(f'{value:.2g}'):g}" if value >= 1e-4 else f"1e{np.log10(value):g}".replace("-", "−")


LAMBDAS = [(_plain(each), each) for each in shared_crowd_of_digits.LADDER]
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}


def _ticks(axes, **ticks):
    for axis, values in ticks.items():
        axes.set(**{f"{axis}ticks": values, f"{axis}ticklabels": [f"{v:g}".replace("-", "−") for v in values]})
