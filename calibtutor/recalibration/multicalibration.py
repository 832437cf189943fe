"""Multicalibration: groups stand between maps of the prediction and training."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..door.arrays import as_array, as_rows, check_numbers
from ..door.inputs import InputError, check_count, check_number, same_rows
from ..door.predictions import check_predictions
from ..door.probabilities import check_probabilities
from ..estimates.binning import bin_of
from .base import columns_as_in_fit, keys_of, need_scores


class Multicalibration(BaseEstimator):
    r"""Shift predictions until no group is off in any bin of predictions.

    A cell is a group × a bin of the current predictions. With p̄ and ȳ its mean prediction and mean label, a cell of at
    least `min_count` predictions is violated when

        |ȳ − p̄| > α                  multicalibration (Hébert-Johnson et al. 2018)
        |ȳ − p̄| > α · max(ȳ, ρ)      proportional (La Cava et al. 2023): the error relative to the outcome

    Rounds go through the groups; all violated cells of a group move at once, p ← p + (ȳ − p̄), clipped to [0, 1].
    A round without a violation ends it. Each move lowers the sum of squared errors of the training data by at least
    n_cell (ȳ − p̄)²: they never get worse, and the rounds come to an end.

    It takes P(Y = 1), no (n, d), and no `sample_weight`: `min_count` counts rows.

    Parameters
    ----------
    alpha : float in (0, 1)
        α. The default of the authors of the proportional form is .01.
    n_bins : int >= 1
        Bins of equal width, right-closed.
    min_count : int >= 1
        Smaller cells are left alone: with 100, the standard error of ȳ is at most .05.
    proportional : bool
        Whether the error is taken relative to the outcome.
    rho : float in (0, 1]
        ρ, the floor of the outcome.
    feature_bins : int >= 2
        Groups for each feature, when `groups` holds features.
    max_iter : int >= 1
        Rounds.

    Attributes
    ----------
    converged : bool
        Whether a round without violations was reached; if not, `fit` warns.
    n_rounds : int
    updates : list of (int, ndarray)
        What was done, in order: the group, and the shift of each of its bins (0: none). `predict_proba` does it again.
    group_edges : list of ndarray, or None
        When `groups` holds features: where each was cut.

    Notes
    -----
    The guarantee holds on the training data and for large cells; new data have sampling noise on top. It is not local
    calibration: inside a cell anything may happen.

    Examples
    --------
    >>> from calibtutor import Multicalibration
    >>> y_true, y_prob, groups = [0, 1, 1, 1] * 50, [0.5] * 200, [[False], [True], [True], [True]] * 50
    >>> repaired = Multicalibration().fit(y_true, y_prob, groups)
    >>> repaired.predict_proba(y_prob[:4], groups[:4])
    array([0.5, 1. , 1. , 1. ])
    """

    def __init__(self, *, alpha=0.05, n_bins=10, min_count=100, proportional=False, rho=0.1, feature_bins=5,
                 max_iter=1000):
        self.alpha, self.n_bins, self.min_count, self.max_iter = alpha, n_bins, min_count, max_iter
        self.proportional, self.rho, self.feature_bins = proportional, rho, feature_bins

    @same_rows
    def fit(self, y_true, y_prob, groups):
        """Find the shifts on held-out data.

        Parameters
        ----------
        y_true : array-like of int, shape (n,)
            Labels, as in `as_predictions`.
        y_prob : array-like of float, shape (n,)
            P(Y = 1).
        groups : array-like, shape (n, g) or (n,)
            Booleans: who belongs to which of g groups; groups may overlap, and a row in none stays as it is.
            Numbers: g features, each made into groups of its own: a group for each value if there are at most
            `feature_bins` (new values join the nearest), intervals of equal mass otherwise.

        Returns
        -------
        self
            Itself, fitted.

        Raises
        ------
        InputError
            For input that `as_predictions` rejects, an (n, d) y_prob, groups of another length or kind, or a setting
            out of range.
        """
        for name, least in [("n_bins", 1), ("min_count", 1), ("feature_bins", 2), ("max_iter", 1)]:
            check_count(getattr(self, name), name, least)
        for name in ["alpha", "rho"]:
            check_number(getattr(self, name), name, above=0, most=1)
        y_true, y_prob = check_predictions(y_true, y_prob)
        need_scores(y_prob)
        self._groups = keys_of(groups, "groups", as_given=True)
        groups = _table(groups, len(y_prob))
        self.group_edges = None if groups.dtype == bool else [_cuts(x, self.feature_bins) for x in groups.T]
        self._n_columns = groups.shape[1]
        members = self._members(groups)
        self._edges = np.arange(self.n_bins + 1) / self.n_bins
        self.updates, y_prob = [], y_prob.copy()
        self.n_rounds, self.converged = 0, False
        while not self.converged and self.n_rounds < self.max_iter:
            done = len(self.updates)
            for group, inside in enumerate(members.T):
                shift = self._shift(y_true[inside], y_prob[inside])
                if shift.any():
                    self.updates.append((group, shift))
                    y_prob[inside] = self._moved(y_prob[inside], shift)
            self.n_rounds += 1
            self.converged = len(self.updates) == done
        if not self.converged:
            message = f"max_iter: cells were still violated in round {self.max_iter}"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return self

    @same_rows
    def predict_proba(self, y_prob, groups):
        """Do the recorded shifts to new predictions, in the same order.

        Parameters
        ----------
        y_prob : array-like of float, shape (m,)
            P(Y = 1).
        groups : array-like, shape (m, g) or (m,)
            Of the same kind and columns as in `fit`; columns with names are found by these.

        Returns
        -------
        ndarray, shape (m,)
            Moved predictions, in [0, 1].

        Raises
        ------
        ValueError
            Before `fit`, or for input of another kind or shape than in `fit`.
        """
        check_is_fitted(self, "converged")
        y_prob = check_probabilities(y_prob, min_rows=1).copy()
        need_scores(y_prob)
        names, groups = keys_of(groups, "groups", as_given=True), _table(groups, len(y_prob))
        if (groups.dtype == bool) != (self.group_edges is None):
            kind = "booleans" if self.group_edges is None else "features (numbers)"
            raise InputError("groups", f"{kind} as in fit", found=f"dtype {groups.dtype}")
        if groups.shape[1] != self._n_columns:
            raise InputError("groups", f"{self._n_columns} columns as in fit", found=groups.shape[1])
        members = self._members(groups[:, columns_as_in_fit(names, self._groups, "groups")])
        for group, shift in self.updates:
            inside = members[:, group]
            y_prob[inside] = self._moved(y_prob[inside], shift)
        return y_prob

    def _members(self, groups):
        """Who belongs to which group, shape (n, number of groups)."""
        if self.group_edges is None:
            return groups
        columns = zip(groups.T, self.group_edges, strict=True)
        return np.hstack([np.searchsorted(cuts, x)[:, None] == np.arange(len(cuts) + 1) for x, cuts in columns])

    def _shift(self, y_true, y_prob):
        """ȳ − p̄ in the violated bins of one group, 0 in the others."""
        cell = bin_of(y_prob, self._edges)
        count = np.bincount(cell, minlength=self.n_bins)
        outcome, predicted = (np.bincount(cell, weights=values, minlength=self.n_bins) / np.maximum(count, 1)
                              for values in (y_true, y_prob))
        gap = outcome - predicted
        allowed = self.alpha * (np.maximum(outcome, self.rho) if self.proportional else 1)
        return np.where((count >= self.min_count) & (np.abs(gap) > allowed), gap, 0.0)

    def _moved(self, y_prob, shift):
        return np.clip(y_prob + shift[bin_of(y_prob, self._edges)], 0, 1)


def _table(groups, n):
    """Groups as an (n, g) array of booleans or of finite floats."""
    groups = as_array(groups, "groups")
    if groups.dtype.kind in "OTU":
        hint = "pandas.get_dummies(groups) makes a column of booleans of each name"
        raise InputError("groups", "booleans or numbers", found=f"dtype {groups.dtype}", hint=hint)
    kind = bool if groups.dtype == bool else float
    groups = as_rows(check_numbers(groups, "groups", columns=1))
    if len(groups) != n:
        raise InputError("groups", f"{n} rows, one for each prediction", found=len(groups))
    return groups.astype(kind)


def _cuts(x, n_groups):
    """Where to cut a feature: half-way between its values if they are few, else into groups of equal mass."""
    values = np.unique(x)
    if len(values) <= n_groups:
        return (values[:-1] + values[1:]) / 2
    return np.unique(np.quantile(x, np.arange(1, n_groups) / n_groups, method="inverted_cdf"))
