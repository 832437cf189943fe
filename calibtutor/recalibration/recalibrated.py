"""A classifier and its repair as one scikit-learn classifier."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from ..door.inputs import InputError, same_rows
from ..door.probabilities import two_columns
from .multicalibration import Multicalibration

SINGLE = 1e-3  # by how much rows of single precision may miss 1


class Recalibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose probabilities pass a map, as one classifier: for pipelines, searches, pickles.

    Parameters
    ----------
    estimator : classifier with `predict_proba`
        What is repaired; cloned, unless ``cv="prefit"``.
    recalibrator : PlattScaling, TemperatureScaling, DirichletCalibration or another map
        With ``fit(y_true, y_prob)`` and ``predict_proba(y_prob)``; cloned. Of two classes it sees P(classes_[1]) alone.
    cv : int, splitter or "prefit", default 5
        Cross-fitting: each row is predicted by a clone fitted on the other folds, these predictions teach the map, and
        the estimator is fitted once more on all rows; of rows it was fitted on it would be too sure. A class that a
        fold lacks has probability 0 there. "prefit": the estimator stays; give `fit` rows that it has not seen. A
        `FrozenEstimator` of scikit-learn stays with any cv.

    Attributes
    ----------
    classes_ : ndarray, shape (d,)
        The labels, in the order of the columns of `predict_proba`.
    estimator_, recalibrator_ : classifier, map
        Fitted.
    n_features_in_, feature_names_in_ : int, ndarray
        Of the estimator, where it has them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibtutor import Recalibrated, TemperatureScaling
    >>> X, y = load_digits(return_X_y=True)
    >>> Recalibrated(GaussianNB(), TemperatureScaling(clip=1e-6)).fit(X[:900], y[:900]).predict_proba(X[900:]).shape
    (897, 10)
    """

    def __init__(self, estimator, recalibrator, *, cv=5):
        self.estimator, self.recalibrator, self.cv = estimator, recalibrator, cv

    @same_rows
    def fit(self, X, y, sample_weight=None):
        """Fit the estimator and, on predictions of rows that it was not fitted on, the map.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As the estimator takes them; rows of weight 2 count twice for both.

        Returns
        -------
        self
            Itself. InputError for one class, a `Multicalibration`, a RecordBatch of pyarrow, or what the map refuses.
        """
        if isinstance(self.recalibrator, Multicalibration):
            raise InputError("recalibrator", "a map of the prediction alone", found="one that asks for groups")
        if type(X).__name__ == "RecordBatch":  # of pyarrow: scikit-learn would pick dicts of rows from it
            raise InputError("X", "an array or a table", found="a RecordBatch", hint="Table.from_batches([X])")
        X, y = indexable(X, y)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError("y", "at least two classes", found="one class")
        weights = {} if sample_weight is None else {"sample_weight": _check_sample_weight(sample_weight, X)}
        if self.cv == "prefit":
            self.estimator_ = self.estimator
            said = self._said(self.estimator_, X)
        else:
            said = np.zeros((len(y), len(self.classes_)))
            for train, test in check_cv(self.cv, y, classifier=True).split(X, y):
                part = {name: each[train] for name, each in weights.items()}
                fold = clone(self.estimator).fit(_safe_indexing(X, train), y[train], **part)
                said[test] = self._said(fold, _safe_indexing(X, test))
            self.estimator_ = clone(self.estimator).fit(X, y, **weights)
        self.recalibrator_ = clone(self.recalibrator).fit(labels, _for_map(said), **weights)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict_proba(self, X):
        """Repaired probabilities.

        Parameters
        ----------
        X : array-like
            As in `fit`.

        Returns
        -------
        ndarray, shape (k, d)
            A column for each of `classes_`.
        """
        check_is_fitted(self, "recalibrator_")
        return two_columns(self.recalibrator_.predict_proba(_for_map(self._said(self.estimator_, X))))

    def predict(self, X):
        """The class of the largest repaired probability.

        Parameters
        ----------
        X : array-like
            As in `fit`.

        Returns
        -------
        ndarray, shape (k,)
            Of `classes_`.
        """
        rows = self.predict_proba(X)
        return self.classes_[rows.argmax(axis=1)]

    def _said(self, estimator, X):
        """Its probabilities, a column for each of our classes."""
        rows = np.asarray(estimator.predict_proba(X))
        single, rows = rows.dtype != np.float64, rows.astype(float)
        if len(unknown := np.setdiff1d(estimator.classes_, self.classes_)):
            raise InputError("y", f"every class of the estimator, also {unknown[0]!r}", hint="the map must see it")
        said = np.zeros((len(rows), len(self.classes_)))
        said[:, np.searchsorted(self.classes_, estimator.classes_)] = rows
        total = said.sum(axis=1, keepdims=True)  # what misses 1 by more than single precision does is refused
        return said / np.where(np.abs(total - 1) <= SINGLE, total, 1) if single else said

    def __sklearn_tags__(self):
        from sklearn.utils import get_tags  # scikit-learn 1.6 and newer, which alone asks

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags


def _for_map(rows):
    return rows[:, 1] if rows.shape[1] == 2 else rows
