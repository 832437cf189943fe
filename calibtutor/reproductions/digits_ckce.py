"""Table 1 and Figure 3 of Moskvichev & Sejdinovic in method: digits instead of ImageNet.

    python -m calibtutor.reproductions.digits_ckce --file digits-ckce.json

trains five classifiers on clean images and computes everything again (a minute or so). What is stored beside this file
was made by this command.
"""

import argparse
import json
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ..ckce import ckce, default_kernel, jkce
from ..data.datasets import MODELS, _digits, brightened_digits
from ..resampling import draw_labels
from ..simplex import cell_of, errors_of_labels, simplex_calibration_error, simplex_occupancy

__all__ = [
    "BRIGHTNESS",
    "PUBLISHED",
    "constant_jkce",
    "figure_3",
    "marginal_bounds",
    "preferences",
    "said",
    "smallest_constant_jkce",
    "stored_summary",
    "summarise",
    "table_1",
]

BRIGHTNESS = tuple(range(-50, 51, 10))  # percent
STEPS, DRAWS, SEED = 10, 200, 0
MARGINAL = "class frequencies"
MEASURES = ("CKCE", "JKCE", "ECE")
SMALLEST = 1e-15  # a probability in a logarithm is at least this

# ImageNet's validation data: accuracy, cross entropy, CKCE, JKCE, ECE.
PUBLISHED = {
    "ImageNet: ResNet": (0.804, 0.938, 0.061, 0.002, 0.316),
    "ImageNet: ViT": (0.851, 0.652, 0.044, 0.002, 0.389),
    "ImageNet: marginal": (0.001, 6.908, 0.0, -0.002, 0.003),
}
IMAGENET = 50_000, 1000  # rows and classes of the validation data


# --- the models ---


def said(model, percent=0):
    """Labels and predictions, shapes (1079,) and (1079, 10), for test images under another light.

    Parameters
    ----------
    model, percent
        As in `brightened_digits`; or "class frequencies": those of the training data, whatever the image.
    """
    if model == MARGINAL:
        _, y_train, _, y_test, _, _ = _digits(0.0)
        return y_test, np.tile(np.bincount(y_train) / len(y_train), (len(y_test), 1))
    digits = brightened_digits(model, percent)
    return digits.y_true, digits.y_prob


# --- a constant prediction ---


def constant_jkce(counts, q):
    """JKCE of the constant prediction q for so many labels of each class, in closed form (kernel (8))."""
    counts, q = np.asarray(counts, dtype=float), np.asarray(q, dtype=float)
    n, size = counts.sum(), q @ q
    squares = n * size - 2 * counts @ q + n  # Σ ‖q − e_y‖²
    return float((1 + size) * (((n * q - counts) ** 2).sum() - squares) / (n * (n - 1)))


def smallest_constant_jkce(n_classes):
    """The least JKCE that n_classes equal probabilities can have, with any labels and any n: −(1 + 1/d)/d.

    Two rows give k(q, q)⟨q − e_y, q − e_z⟩ = (1 + 1/d)(1[y = z] − 1/d).
    """
    return -(1 + 1 / n_classes) / n_classes


def marginal_bounds():
    """Table that makes the printed JKCE of the marginal model impossible (errata C1), and ours beside it."""
    n, d = IMAGENET
    y_true, y_prob = said(MARGINAL)
    rows = {
        "printed for ImageNet": PUBLISHED["ImageNet: marginal"][3],
        "least possible, 1,000 equal probabilities": smallest_constant_jkce(d),
        f"exact, {n:,} balanced labels": constant_jkce(np.full(d, n // d), np.full(d, 1 / d)),
        "digits, closed form": constant_jkce(np.bincount(y_true), y_prob[0]),
        "digits, estimator": jkce(y_true, y_prob),
    }
    return pd.DataFrame({"JKCE of a constant prediction": {name: f"{value:.7f}" for name, value in rows.items()}})


# --- what noise alone does ---


def calibrated_ckce(y_prob):
    """What `ckce` is on average if labels are drawn from the predictions: no miscalibration, noise only.

    With A = WKW it is Σ_i A_ii E‖δ_i‖², and E‖p_i − e_y‖² = 1 − ‖p_i‖².
    """
    n = len(y_prob)
    mu, V = np.linalg.eigh(default_kernel(y_prob)(y_prob))
    mu = np.maximum(mu, 0)
    return float((V**2 @ (mu / (mu + n**0.75) ** 2)) @ (1 - (y_prob**2).sum(axis=1)))


def calibrated_ece(y_prob, *, rng=SEED):
    """The same for the ECE, over `DRAWS` draws of all labels."""
    cell = cell_of(y_prob, STEPS)
    return float(2 * errors_of_labels(cell, y_prob, draw_labels(y_prob, DRAWS, rng)).mean())


# --- both ---


def performance(model):
    """One row of Table 1, as plain numbers."""
    y_true, y_prob = said(model)
    cells = simplex_occupancy(y_prob, n_steps=STEPS)
    return {
        "accuracy": float((y_prob.argmax(axis=1) == y_true).mean()),
        "cross entropy": float(-np.log(np.maximum(y_prob[np.arange(len(y_true)), y_true], SMALLEST)).mean()),
        **measures(y_true, y_prob),
        "CKCE if calibrated": calibrated_ckce(y_prob),
        "ECE if calibrated": calibrated_ece(y_prob),
        "cells": cells.occupied,
        "cells of one row": cells.single,
    }


def measures(y_true, y_prob):
    ece = 2 * simplex_calibration_error(y_true, y_prob, n_steps=STEPS)  # the L¹ norm of equation 10
    return dict(zip(MEASURES, (ckce(y_true, y_prob), jkce(y_true, y_prob), ece), strict=True))


def brightness_row(model, percent):
    """One model at one brightness."""
    y_true, y_prob = said(model, percent)
    accuracy = float((y_prob.argmax(axis=1) == y_true).mean())
    confidence = float(y_prob.max(axis=1).mean())
    return {"model": model, "brightness": percent, "accuracy": accuracy, "confidence": confidence,
            **measures(y_true, y_prob)}  # fmt: skip


def summarise(*, command, models=tuple(MODELS), brightness=BRIGHTNESS, progress=True):
    """Everything that is stored."""
    pairs = tqdm([(m, b) for m in models for b in brightness], disable=not progress, unit="image set")
    return {
        "command": command,
        "table 1": {model: performance(model) for model in (*models, MARGINAL)},
        "figure 3": [brightness_row(model, percent) for model, percent in pairs],
    }


def stored_summary():
    """What is stored with the package."""
    return json.loads(files(__package__).joinpath("digits_ckce.json").read_text())


def table_1():
    """Table of the stored values, most accurate model first, above the paper's for ImageNet.

    Each kind of data has its own n, hence its own λ: compare rows of the same data only (errata C3). "if calibrated" is
    what the measure would be on average if all labels were drawn from the predictions; "cells" are those with a
    prediction, out of 92,377.
    """
    ours = pd.DataFrame(stored_summary()["table 1"]).T.sort_values("accuracy", ascending=False)
    ours = ours.astype({"cells": int, "cells of one row": int}).astype(object)
    theirs = pd.DataFrame(PUBLISHED, index=list(ours)[:5], dtype=object).T
    table = pd.concat([ours, theirs])
    for name in list(table)[:7]:
        digits = 5 if name == "JKCE" else 4 if name.startswith("CKCE") else 3
        few = [f"{value:.{digits}f}" if model in ours.index else f"{value:.3f}" for model, value in table[name].items()]
        table[name] = few
    return table.fillna("").replace("nan", "")


def figure_3(models=None):
    """The stored values of some models (None: all), a row for each model and brightness."""
    table = pd.DataFrame(stored_summary()["figure 3"])
    unknown = set(models or ()) - set(table.model)
    if unknown:
        raise ValueError(f"models: expected some of {', '.join(MODELS)}; got {', '.join(sorted(unknown))}")
    return table if models is None else table[table.model.isin(models)].reset_index(drop=True)


def preferences():
    """Table: for each pair of models, at how many of the eleven brightness levels a measure prefers the first.

    11 or 0 is the "consistent preference" of the paper.
    """
    wide, levels, rows = figure_3().pivot(index="brightness", columns="model"), len(BRIGHTNESS), {}
    for a, b in combinations(MODELS, 2):
        wins = [(wide[measure][a] < wide[measure][b]).sum() for measure in MEASURES]
        rows[f"{a} before {b}"] = [*wins, (wide["accuracy"][a] > wide["accuracy"][b]).sum()]
    table = pd.DataFrame(rows, index=[*MEASURES, "accuracy"]).T
    table.loc["pairs that are always ranked alike"] = table.isin([0, levels]).sum()
    return table


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m calibtutor.reproductions.digits_ckce", description=__doc__)
    parser.add_argument("--file", default="digits-ckce.json", help="is written")
    chosen = parser.parse_args(arguments)
    summary = summarise(command=parser.prog)
    Path(chosen.file).write_text(json.dumps(summary))
    print(pd.DataFrame(summary["table 1"]).T.round(4).to_string())


if __name__ == "__main__":
    main()
