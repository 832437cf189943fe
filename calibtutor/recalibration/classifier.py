"""Any map of the prediction in scikit-learn's protocol: `fit(X, y)`, `classes_`, two columns for two classes."""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..inputs import InputError
from ..predictions import check_probabilities
from .base import ScoreMap
from .posthoc import TemperatureScaling

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, X, *, reset, skip_check_array):
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)


__all__ = ["ProbabilityCalibrator"]


class ProbabilityCalibrator(ClassifierMixin, BaseEstimator):
    """A recalibration map as a scikit-learn classifier whose inputs X are predicted probabilities.

    The maps take ``fit(y_true, y_prob)``, the order of this package; scikit-learn calls ``fit(X, y)``. This class turns
    the one into the other, with labels of any kind, so that a map stands in a `Pipeline`, in `cross_val_predict` and
    behind a model in a `StackingClassifier`:

        cross_val_predict(ProbabilityCalibrator(PlattScaling()), y_prob, y_true, method="predict_proba")
        StackingClassifier([("model", model)], ProbabilityCalibrator(), stack_method="predict_proba", cv=5)

    The second fits `model` and calibrates it: the map learns from cross-validated predictions, or with ``cv="prefit"``
    from data that the fitted model has not seen.

    Parameters
    ----------
    method : PlattScaling, TemperatureScaling, IsotonicCalibration or BBQ, optional
        The map; it is cloned and not changed. Default: ``TemperatureScaling()``. `Multicalibration` needs groups
        and does not fit into this protocol.
    classes : sequence of d labels, optional
        What the columns of X stand for, in this order; with one column, or (n,), the second is what X is the
        probability of. Default: the labels in y, sorted, as scikit-learn's classifiers order their columns; there must
        be as many as columns. Needed where a label may be absent in `fit`. `cross_val_predict` numbers the labels
        0, 1, … before it calls `fit`: leave it out there.

    Attributes
    ----------
    classes_ : ndarray, shape (d,)
    map_ : the fitted map
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Where X is a DataFrame with such names.

    Examples
    --------
    >>> from calibtutor import IsotonicCalibration, ProbabilityCalibrator
    >>> X, y = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6], [0.3, 0.7]], ["no", "no", "yes", "no", "yes"]
    >>> fitted = ProbabilityCalibrator(IsotonicCalibration()).fit(X, y)
    >>> fitted.predict_proba([[0.9, 0.1], [0.35, 0.65]])
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    >>> fitted.classes_.tolist(), fitted.predict([[0.1, 0.9]]).tolist()
    (['no', 'yes'], ['yes'])
    """

    def __init__(self, method=None, *, classes=None):
        self.method = method
        self.classes = classes

    def fit(self, X, y, sample_weight=None):
        """Learn the map from held-out predictions and their labels.

        Parameters
        ----------
        X : array-like of float, shape (n, d), (n, 1) or (n,)
            Predicted probabilities; of two classes the second column alone is enough.
        y : array-like of labels, shape (n,)
            Labels of any kind.
        sample_weight : array-like of float, shape (n,), optional
            As in the map; `BBQ` takes none.

        Returns
        -------
        self
            Itself, fitted.

        Raises
        ------
        InputError
            For an X that is no predicted probabilities, labels that `classes` lacks, a number of columns that is not
            that of the classes, named columns that are the classes in another order, or what the map refuses.
        """
        method = TemperatureScaling() if self.method is None else self.method
        if not isinstance(method, ScoreMap):
            raise InputError("method", "a map of the prediction such as PlattScaling()", found=repr(method))
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        seen, place = np.unique(y, return_inverse=True)
        self.classes_ = seen if self.classes is None else np.asarray(self.classes)
        at = {label: k for k, label in enumerate(self.classes_.tolist())}
        if len(at) < len(self.classes_):
            raise InputError("classes", "different labels", found=repr(self.classes))
        for k, label in enumerate(seen.tolist()):
            if label not in at:
                found, wanted = repr(label), f"one of classes, {list(at)}"
                raise InputError("y", wanted, found=found, row=np.argmax(place == k))
        y_prob = self._scores(self._table(X, reset=True), min_rows=2)
        if len(y) != len(y_prob):
            raise InputError("X and y", "equal lengths", found=f"{len(y_prob)} and {len(y)} rows")
        place = np.array([at[label] for label in seen.tolist()])[place]
        try:
            self.map_ = clone(method).fit(place, y_prob, sample_weight=sample_weight)
        except InputError as error:  # of all of y_prob, which is X here, or of one column
            raise error.of(error.argument.replace("y_prob", "X")) from None
        return self

    def predict_proba(self, X):
        """New probabilities of the classes.

        Parameters
        ----------
        X : array-like of float, shape (m, d), (m, 1) or (m,)
            As in `fit`.

        Returns
        -------
        ndarray, shape (m, d)
            Columns in the order of `classes_`; rows sum to 1.

        Raises
        ------
        ValueError
            Before `fit`, or for an X of other columns than in `fit` or that is no predicted probabilities.
        """
        check_is_fitted(self, "map_")
        mapped = self.map_.predict_proba(self._scores(self._table(X, reset=False), min_rows=1))
        return np.column_stack([1 - mapped, mapped]) if mapped.ndim == 1 else mapped

    def predict(self, X):
        """The most probable class; of equal ones the first of `classes_`.

        Parameters
        ----------
        X : array-like of float, shape (m, d), (m, 1) or (m,)
            As in `fit`.

        Returns
        -------
        ndarray of labels, shape (m,)
            Of `classes_`.

        Raises
        ------
        InputError
            As `predict_proba`.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _table(self, X, *, reset):
        """X with columns, as many and named as in `fit`."""
        if issparse(X):
            raise InputError("X", "a dense array", found="a sparse one", hint="X.toarray() makes it dense")
        X = X if hasattr(X, "columns") else np.asarray(X)
        X = X[:, None] if X.ndim == 1 else X
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _scores(self, X, *, min_rows):
        """X as the map takes it: (n, d), of two classes the second column alone."""
        classes = self.classes_.tolist()
        names = list(getattr(X, "columns", classes))
        if set(names) == set(classes) and names != classes:
            hint = f"X[{classes}] orders them, or classes= does"
            raise InputError("X", f"the columns {classes}", found=names, hint=hint)
        if np.ndim(X) == 2 and np.shape(X)[1] == 1:
            X = np.asarray(X)[:, 0]
        y_prob = check_probabilities(X, "X", min_rows=min_rows)
        columns = 1 if y_prob.ndim == 1 else y_prob.shape[1]
        if len(classes) != max(columns, 2):
            wanted = "two classes for one column" if columns == 1 else f"{columns} classes, one for each column"
            raise InputError("X and y", wanted, found=classes, hint="say classes= where y lacks one")
        return y_prob[:, 1] if columns == 2 else y_prob

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # no better than the predictions it is given
        return tags
