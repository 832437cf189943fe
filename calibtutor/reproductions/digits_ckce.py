"""Table 1 of Moskvichev & Sejdinovic in method: digits instead of ImageNet.

    python -m calibtutor.reproductions.digits_ckce

computes everything again (a minute or so) and writes `digits_ckce.json`, which is stored beside this file. All models
are measured with one kernel, so that their rows compare. (The median distances of their predictions, the paper's
heuristic, are 1.0 to 1.4.)
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from ..chance.resampling import draw_labels
from ..data.datasets import MODELS, digits_predictions, digits_split
from ..errors.ckce import ckce, jkce
from ..estimates.simplex import cell_of, simplex_calibration_error
from ..kernels import linear_plus_gaussian
from .blocks import stored_summary
from .widmann import errors_of_labels

STEPS, DRAWS, SEED = 10, 200, 0
KERNEL = linear_plus_gaussian(1.0)
MARGINAL = "class frequencies"
SMALLEST = 1e-15  # a probability in a logarithm is at least this

# ImageNet's validation data: accuracy, cross entropy, CKCE, JKCE, ECE.
PUBLISHED = {"ImageNet: ResNet": (0.804, 0.938, 0.061, 0.002, 0.316),
             "ImageNet: ViT": (0.851, 0.652, 0.044, 0.002, 0.389),
             "ImageNet: marginal": (0.001, 6.908, 0.0, -0.002, 0.003)}


def calibrated_ckce(y_prob):
    """What `ckce` with KERNEL is on average if labels are drawn from the predictions: no miscalibration, noise only.

    With A = WKW it is Σ_i A_ii E‖δ_i‖², and E‖p_i − e_y‖² = 1 − ‖p_i‖².
    """
    n = len(y_prob)
    mu, V = np.linalg.eigh(KERNEL(y_prob))
    mu = np.maximum(mu, 0)
    return float((V**2 @ (mu / (mu + n**0.75) ** 2)) @ (1 - (y_prob**2).sum(axis=1)))


def calibrated_ece(y_prob):
    """The same for the ECE, over `DRAWS` draws of all labels."""
    return float(2 * errors_of_labels(cell_of(y_prob, STEPS), y_prob, draw_labels(y_prob, DRAWS, SEED)).mean())


def performance(model):
    """One row of Table 1, as plain numbers; "class frequencies" says those of the training data, whatever the image."""
    _, y_train, _, y_true, _, _ = digits_split()
    marginal = np.tile(np.bincount(y_train) / len(y_train), (len(y_true), 1))
    y_prob = marginal if model == MARGINAL else digits_predictions(model).y_prob
    count = np.bincount(cell_of(y_prob, STEPS))
    return {"accuracy": float((y_prob.argmax(axis=1) == y_true).mean()),
            "cross entropy": float(-np.log(np.maximum(y_prob[np.arange(len(y_true)), y_true], SMALLEST)).mean()),
            "CKCE": ckce(y_true, y_prob, kernel=KERNEL),
            "JKCE": jkce(y_true, y_prob, kernel=KERNEL),
            "ECE": 2 * simplex_calibration_error(y_true, y_prob, n_steps=STEPS),  # the L¹ norm of equation 10
            "CKCE if calibrated": calibrated_ckce(y_prob),
            "ECE if calibrated": calibrated_ece(y_prob),
            "cells": len(count),
            "cells of one row": int((count == 1).sum())}


def table_1():
    """Table of the stored values, most accurate model first, above the paper's for ImageNet.

    Each kind of data has its own n, hence its own λ, and its own kernel: compare rows of the same data only (errata
    C3). "if calibrated" is what the measure would be on average if all labels were drawn from the predictions; "cells"
    are those with a prediction, out of 92,377.
    """
    ours = pd.DataFrame(stored_summary("digits_ckce")).T.sort_values("accuracy", ascending=False)
    ours = ours.astype({"cells": int, "cells of one row": int}).astype(object)
    table = pd.concat([ours, pd.DataFrame(PUBLISHED, index=list(ours)[:5], dtype=object).T])
    for name in list(table)[:7]:
        digits = 5 if name == "JKCE" else 4 if name.startswith("CKCE") else 3
        table[name] = [f"{value:.{digits if model in ours.index else 3}f}" for model, value in table[name].items()]
    return table.fillna("").replace("nan", "")


if __name__ == "__main__":
    found = {model: performance(model) for model in (*MODELS, MARGINAL)}
    Path(__file__).with_suffix(".json").write_text(json.dumps(found))
