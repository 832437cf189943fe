"""What the maps of the prediction share: checks, one map against the rest for each class, and labels."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from ..door.arrays import check_weights
from ..door.inputs import InputError, naming, same_rows
from ..door.predictions import check_predictions
from ..door.probabilities import check_probabilities, two_columns
from ..door.table import key, listed, names_of_columns


class ScoreMap(BaseEstimator):
    """`fit` and `predict_proba` of a map; a subclass learns it (`_learn`) and applies it (`_apply`)."""

    _learned = ()  # attributes that `fit` sets; for more than two classes each becomes a list, a value a class
    _takes = "rows, one map a class"  # or "scores" alone and no weights, or "rows" as they stand
    _as_given = False  # whether it goes by slices of predictions in the type that came

    @same_rows
    def fit(self, y_true, y_prob, sample_weight=None):
        """Learn the map from held-out data.

        Parameters
        ----------
        y_true : array-like of int, shape (n,)
            Labels, as in `as_predictions`.
        y_prob : array-like of float, shape (n,) or (n, d)
            P(Y = 1), or a column a class; the class says what it takes.
        sample_weight : array-like of float, shape (n,), optional
            How often each row counts, >= 0: a weight of 2 is the row twice, 0 is the row left out.

        Returns
        -------
        self
            Itself, fitted.

        Raises
        ------
        InputError
            For input that `as_predictions` rejects, an (n, d) y_prob where a vector is needed, weights that are
            negative, not finite or all 0, or what the class says under "Raises".

        Notes
        -----
        A map is a `BaseEstimator` of scikit-learn, so that `clone`, `get_params` and pickles work. It takes
        (y_true, y_prob), not (X, y), and is no step of a pipeline: `Recalibrated`, a classifier and its map, is the
        classifier for pipelines and searches.
        """
        self._columns = keys_of(y_prob, "y_prob")
        y_true, y_prob = check_predictions(y_true, y_prob, as_given=self._as_given)
        if self._takes == "scores":
            need_scores(y_prob)
            if sample_weight is not None:
                hint = f"{type(self).__name__} counts rows: leave it out"
                raise InputError("sample_weight", "none", found="one", hint=hint)
        weight = check_weights(sample_weight, len(y_true), "sample_weight", least=1)
        if weight is not None:
            counts = slice(None) if (weight > 0).all() else weight > 0
            y_true, y_prob, weight = y_true[counts], y_prob[counts], weight[counts]
        self._n_columns = 2 if y_prob.ndim == 1 else y_prob.shape[1]
        self.maps = None
        if y_prob.ndim == 1 or self._takes == "rows":
            self._learn(y_true, y_prob, weight)
        elif self._n_columns == 2:
            self._learn(y_true, y_prob[:, 1], weight)
        else:
            self.maps = []
            for k, p in enumerate(y_prob.T):
                with naming(f"y_prob[:, {k}]"):  # all else has been checked
                    self.maps.append(clone(self).fit((y_true == k).astype(np.int64), p, weight))
            for name in self._learned:
                setattr(self, name, [getattr(each, name) for each in self.maps])
        return self

    def predict_proba(self, y_prob):
        """Apply the map to new predictions.

        Parameters
        ----------
        y_prob : array-like of float, shape (m,) or (m, d)
            As in `fit`; of two classes both columns or P(Y = 1) alone. Columns that have names, here and in `fit`, are
            found by these.

        Returns
        -------
        ndarray, same shape as `y_prob`
            Columns in the order of this `y_prob`. One map a class: rows are divided by their sum. A row that every map
            sends to 0 becomes 1/d everywhere, as in scikit-learn's `CalibratedClassifierCV`.

        Raises
        ------
        ValueError
            Before `fit`, or for a y_prob that `as_predictions` rejects or that has other columns than in `fit`.
        """
        check_is_fitted(self, self._learned)
        read, given = (keys_of(y_prob, "y_prob", as_given) for as_given in (False, True))
        y_prob = check_probabilities(y_prob, min_rows=1, as_given=self._as_given)
        if self._takes == "scores":
            need_scores(y_prob)
        found = 2 if y_prob.ndim == 1 else y_prob.shape[1]
        if found != self._n_columns:
            raise InputError("y_prob", f"{self._n_columns} columns as in fit", found=f"shape {y_prob.shape}")
        if y_prob.ndim == 1 or read is None:
            return self._mapped(y_prob)
        order = columns_as_in_fit(read, self._columns, "y_prob")
        names = np.array(read)[order].tolist()
        return self._mapped(y_prob[:, order])[:, [names.index(each) for each in given]]

    def _mapped(self, y_prob):
        if y_prob.ndim == 1 and self.maps is None or self._takes == "rows":
            return self._apply(y_prob)
        if self.maps is None:
            return two_columns(self._apply(y_prob[:, 1]))
        mapped = np.column_stack([each._apply(p) for each, p in zip(self.maps, y_prob.T, strict=True)])
        total = mapped.sum(axis=1, keepdims=True)
        return np.divide(mapped, total, out=np.full_like(mapped, 1 / self._n_columns), where=total > 0)


def need_scores(y_prob):
    """Refuse an (n, d) prediction where a binary one is needed."""
    if y_prob.ndim != 1:
        raise InputError("y_prob", "P(Y = 1) as a vector of shape (n,)", found=f"shape {y_prob.shape}")


def keys_of(values, name, as_given=False):
    """Keys of a table's columns in the order in which they are read, or `as_given`; None if they have no names."""
    named = hasattr(values, "columns") or hasattr(values, "column_names")  # a Series has one name, and it is no class
    keys = [key(each) for each in (names_of_columns(values, name) if named else None) or ()] or None
    return keys if as_given or keys is None or not _numbers(keys) else sorted(keys, key=int)


def _numbers(keys):
    return sorted(keys) == sorted(map(str, range(len(keys))))


def columns_as_in_fit(read, fitted, name):
    """Where the columns of `fit` stand in a table of which these keys were read; by position if names are missing."""
    if read is None or fitted is None or _numbers(read) != _numbers(fitted):  # 0, 1, … is what no names are called
        return slice(None)
    if set(read) != set(fitted):
        raise InputError(name, f"the columns of fit, {listed(fitted)}", found=listed(read), hint="rename them")
    return [read.index(each) for each in fitted]
