"""A recalibration map as an estimate of the squared error: as an estimation function, and by the loss that it saves."""

from functools import partial

import numpy as np
from sklearn.base import clone, is_classifier

from ..door.inputs import InputError, check_count, check_rng
from ..door.predictions import check_predictions, residuals
from ..door.probabilities import two_columns
from ..estimates.risk import EstimationFunction
from ..kernels import as_rows
from ..progress import progress_bar
from .multicalibration import Multicalibration
from .posthoc import CLIP, logs_of


def fit_recalibration(y_true, y_prob, *, recalibrator):
    r"""Any recalibration map g as an estimation function: u(p) = p − g(p), so h(p, q) = ⟨p − g(p), q − g(q)⟩.

    If g is the truth r, h is h*. So the risk judges a map beside bins and kernels. Example: `variational_error`.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    recalibrator : PlattScaling, TemperatureScaling, IsotonicCalibration, BBQ, another map, or a classifier
        A map has ``fit(y_true, y_prob)`` and ``predict_proba(y_prob)``. A classifier of scikit-learn sees the logs of
        the d probabilities, of a vector those of 1 − p and p: with them logistic regression has the identity among its
        maps, so that it need not invent an error, and trees see the order alone. Zeros count as 2⁻⁵². Cloned.

    Returns
    -------
    EstimationFunction
        With a feature for each column of y_prob; h(p, p) is never negative. A class that the classifier never saw has
        probability 0.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, what is no map or classifier, or what the map refuses.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    needed = ("get_params", "fit", "predict_proba")
    if isinstance(recalibrator, type | Multicalibration) or not all(hasattr(recalibrator, each) for each in needed):
        wanted = "a map of the prediction or a classifier, with fit and predict_proba"
        raise InputError("recalibrator", wanted, found=repr(recalibrator))
    model, sees_logs = clone(recalibrator), is_classifier(recalibrator)
    model.fit(*((logs_of(y_prob, CLIP), y_true) if sees_logs else (y_true, y_prob)))
    features = partial(_moves, model, sees_logs, y_prob.shape[1:])
    core = np.eye(as_rows(y_prob).shape[1])
    return EstimationFunction("recalibration", features, core, {"recalibrator": str(recalibrator)})


def _moves(model, sees_logs, shape, P):
    if P.shape[1:] != shape:
        raise InputError("P", f"rows of shape {shape} as in the fit", found=P.shape[1:])
    if not sees_logs:
        return as_rows(P - model.predict_proba(P))
    mapped = np.zeros_like(two_columns(P))
    mapped[:, model.classes_] = model.predict_proba(logs_of(P, CLIP))
    return as_rows(P - (mapped[:, 1] if P.ndim == 1 else mapped))


def variational_error(y_true, y_prob, *, recalibrator, folds=5, rng=None, progress=False):
    r"""By how much the best map lowers the squared loss on rows that it has not seen, E‖p − Y‖² − E‖g(p) − Y‖².

    An estimate of the squared calibration error E‖p − r(p)‖² from below: given g, its mean falls short of it by
    E‖g(p) − r(p)‖², what g has not learned. The mean of h(p, p) of `fit_recalibration`, E‖p − g(p)‖², says how far g
    moves, right or wrong: too large by the noise that g takes over, too small for a g that hardly moves.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. A vector has the scalar error, half that of the rows (1 − p, p).
    recalibrator : map or classifier
        g, as in `fit_recalibration`; fitted `folds` times, on all folds but the one where the losses are taken.
    folds : int >= 2
        How often the shuffled rows are cut.
    rng : int, Generator or None
        Shuffles the rows.
    progress : bool
        Show a progress bar of the folds.

    Returns
    -------
    float
        At most the Brier score of y_prob. Negative where the maps lose more by noise than they repair.

    Raises
    ------
    InputError
        For what `fit_recalibration` rejects, or too few data for the folds.

    Notes
    -----
    Berta, Braun, Holzmüller, Bach & Jordan (2026), for the squared loss; their package probmetrics reads two classes
    as rows, and its number is then twice this one.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import IsotonicCalibration, fit_recalibration, variational_error
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident; the square is .0368
    >>> h = fit_recalibration(y_true[::2], y_prob[::2], recalibrator=IsotonicCalibration())
    >>> reduction = variational_error(y_true, y_prob, recalibrator=IsotonicCalibration(), rng=0)
    >>> print(f"{reduction:.4f} {h.diagonal(y_prob[1::2]).mean():.4f}")
    0.0201 0.0498
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    check_count(folds, "folds", 2)
    if len(y_true) < 2 * folds:
        raise InputError("y_true", f"enough rows for {folds} folds of 2", found=len(y_true))
    delta, order = as_rows(residuals(y_true, y_prob)), check_rng(rng).permutation(len(y_true))
    total = 0.0
    for held_out in progress_bar(np.array_split(order, folds), shown=progress):
        rest = np.setdiff1d(order, held_out)
        u = fit_recalibration(y_true[rest], y_prob[rest], recalibrator=recalibrator).features(y_prob[held_out])
        total += (2 * delta[held_out] * u - u**2).sum()  # ‖δ‖² − ‖δ − u‖², as g(p) − Y = δ − u
    return float(total / len(y_true))
