"""Logistic regression that is trained to be calibrated: log loss plus a kernel calibration error.

The penalty is the square of a norm, ‖n⁻¹ Σ_i δ_i φ(p_i) ⊗ ψ(x_i)‖². With few features φ and ψ it costs O(n), and no
n × n matrix is needed.
"""

import warnings
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..inputs import InputError, check_choice, check_count, check_kernel, check_number, check_numbers, errors_of, reject
from ..kernels import low_rank, median_bandwidth, rbf

__all__ = ["PenalisedLogisticRegression"]

PENALTIES = (None, "mmce", "mmd", "klce")
GRID = np.linspace(0, 1, 1001)  # the predictions from which k gets its features
NARROWEST = 0.01  # bandwidth of k that this grid resolves
SMALL_GRADIENT = 1e-6  # a larger one means that the optimiser did not arrive


class PenalisedLogisticRegression(BaseEstimator):
    r"""Binary logistic regression, p(x) = 1/(1 + exp(−⟨w, x⟩ − b)), that pays for calibration error.

    With residuals δ_i = p_i − y_i it minimises

        n⁻¹ Σ_i log loss(y_i, p_i) + weight · n⁻² Σ_{i,j} δ_i k(p_i, p_j) l(x_i, x_j) δ_j

    by SciPy's L-BFGS with analytic gradients (k moves with the predictions and is differentiated too), starting from
    the unpenalised optimum. The name of the penalty says which kernels enter:

        "mmce"   k alone (l = 1): calibration, after Kumar et al. (2018)
        "mmd"    l alone (k = 1): the mean residual near each x, whatever the prediction, after Marx et al. (2024)
        "klce"   both: local calibration, the form of Vashistha & Farahi, eq. 4, with i = j
        None     log loss alone, without any penalty on the size of w

    Parameters
    ----------
    penalty : {"mmce", "mmd", "klce", None}
        Which of the above.
    weight : float >= 0
        Vashistha & Farahi's Table 2 has .7. For "mmd" that is .7 · 2(1 − exp(−2)) = 1.21 here (see Notes).
    prob_kernel : Gaussian kernel made by `rbf`, optional
        k, with a bandwidth of at least 0.01; default ``rbf(bandwidth=0.2)``.
    feature_kernel : callable l(X, Y=None) -> matrix, optional
        Default: Gaussian with the median heuristic. It sees features as they are given: scale them first.
        Table 2: ``rbf(gamma=1 / 25)`` on standardised features.
    max_rank : int >= 1
        Largest number of features ψ that stand for l (`low_rank`): time is O(n · max_rank) for
        each gradient.
    max_iter : int >= 1
        Iterations of L-BFGS.

    Attributes
    ----------
    coef : ndarray, shape (k,)
        w.
    intercept : float
        b.
    log_loss, penalty_value : float
        The two terms on the training data; the second without its weight (0 for None).
    left_out : float
        Share of l's trace that the features leave out. If l(x, x) = 1, the true penalty is at least `penalty_value` and
        at most `penalty_value + left_out`.
    converged : bool
        Whether the gradient vanished (no entry above 1e-6, for standardised X); if not, `fit` warns. Labels that a
        plane separates have no finite optimum: w is then as large as it takes for the gradient to vanish.

    Notes
    -----
    Kumar et al. take top-label pairs (right or wrong, confidence), a Laplacian kernel and the root of the form. The
    residual of such a pair changes its sign at p = 1/2, where the loss jumps. Here k is Gaussian, on P(Y = 1), and
    there is no root, so that the loss is a smooth function of w.

    Marx et al. compare the law of (x, Y) with that of (x, Y') for Y' drawn from the prediction, by an MMD with a kernel
    exp(−‖e_y − e_y'‖²/s) on the *labels*. For two classes that kernel is the factor 2(1 − exp(−2/s)) times δ_i δ_j: the
    "bandwidth y" of Table 2 is a constant, s = 1, and no kernel on predictions is left. They leave i = j out. Both were
    trained on batches of 32, where the estimates are noisier than on all data, as here.

    It takes no `sample_weight`: kernel sums count rows.

    Examples
    --------
    >>> from calibtutor import PenalisedLogisticRegression
    >>> X, y_true = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> fitted = PenalisedLogisticRegression("mmce", weight=0.1).fit(X, y_true)
    >>> fitted.converged, fitted.predict_proba([[0.0], [5.0]]).round(2)
    (True, array([0.05, 0.95]))
    """

    def __init__(
        self, penalty="mmce", *, weight=0.7, prob_kernel=None, feature_kernel=None, max_rank=200, max_iter=2000
    ):
        self.penalty = penalty
        self.weight = weight
        self.prob_kernel = prob_kernel
        self.feature_kernel = feature_kernel
        self.max_rank = max_rank
        self.max_iter = max_iter

    def fit(self, X, y_true, features=None):
        """Train.

        Parameters
        ----------
        X : array-like of float, shape (n, k)
            Inputs of the model. Their scale does not matter to the result.
        y_true : array-like of int, shape (n,)
            Labels 0 and 1, both present.
        features : array-like of float, shape (n, m), optional
            What l sees: where the model shall be calibrated locally. Default: X.

        Returns
        -------
        self
            Itself, fitted.

        Raises
        ------
        InputError
            For input that is no table of finite numbers, other lengths or labels, a single class, or a setting out of
            range.
        """
        self._check_settings()
        X = check_numbers(X, "X", rows=2, columns=1, vectors=False)
        y = _labels(y_true, len(X))
        features = X if features is None else check_numbers(features, "features", columns=1, vectors=False)
        if len(features) != len(X):
            raise InputError("features and X", "equal lengths", found=f"{len(features)} and {len(X)} rows")
        penalty = self._make_penalty(features)
        self.left_out = penalty.left_out
        scale = StandardScaler().fit(X)  # a better shape for the optimiser
        inputs = np.column_stack([scale.transform(X), np.ones(len(X))])
        start = self._minimised(np.zeros(inputs.shape[1]), inputs, y, 0.0, penalty)
        found = start if self.penalty is None else self._minimised(start.x, inputs, y, self.weight, penalty)
        self.converged = bool(np.abs(found.jac).max() <= SMALL_GRADIENT)
        if not self.converged:
            warnings.warn(
                f"max_iter: the gradient is still {np.abs(found.jac).max():.2g} after {found.nit} iterations",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.coef = found.x[:-1] / scale.scale_
        self.intercept = float(found.x[-1] - self.coef @ scale.mean_)
        p = expit(inputs @ found.x)
        self.penalty_value = 0.0 if self.penalty is None else penalty(p, y)[0]
        self.log_loss = objective(found.x, inputs, y, 0.0, penalty)[0]
        return self

    def predict_proba(self, X):
        """P(Y = 1) of new inputs: a vector, as everywhere in this package, not scikit-learn's two columns.

        Parameters
        ----------
        X : array-like of float, shape (m, k)
            Inputs with the columns of `fit`.

        Returns
        -------
        ndarray, shape (m,)
            P(Y = 1).

        Raises
        ------
        ValueError
            Before `fit`, or for an X of another shape or with numbers that are not finite.
        """
        check_is_fitted(self, "coef")
        X = check_numbers(X, "X", vectors=False)
        if X.shape[1] != len(self.coef):
            raise InputError("X", f"{len(self.coef)} columns as in fit", found=X.shape[1])
        return expit(X @ self.coef + self.intercept)

    def _check_settings(self):
        check_choice(self.penalty, "penalty", PENALTIES)
        check_number(self.weight, "weight")
        kernel = self.prob_kernel
        if kernel is not None and not (isinstance(kernel, RBF) and np.ndim(kernel.length_scale) == 0):
            raise InputError("prob_kernel", "a Gaussian kernel made by rbf(...)", found=repr(kernel))
        if kernel is not None and kernel.length_scale < NARROWEST:
            found = f"{kernel.length_scale:g}"
            raise InputError("prob_kernel", f"a bandwidth of at least {NARROWEST}", found=found)
        if self.feature_kernel is not None:
            check_kernel(self.feature_kernel, "feature_kernel")
        check_count(self.max_iter, "max_iter")

    def _make_penalty(self, features):
        prob_kernel = feature_kernel = None
        if self.penalty in ("mmce", "klce"):
            prob_kernel = rbf(bandwidth=0.2) if self.prob_kernel is None else self.prob_kernel
        if self.penalty in ("mmd", "klce"):
            feature_kernel = _median_kernel(features) if self.feature_kernel is None else self.feature_kernel
        return Penalty(prob_kernel, feature_kernel, features, self.max_rank)

    def _minimised(self, start, inputs, y, weight, penalty):
        # Steps go on until the gradient vanishes or rounding stops them: the default stops at a small gain already.
        options = {"maxiter": self.max_iter, "maxfun": 10 * self.max_iter, "gtol": 1e-9, "ftol": 0}
        return minimize(objective, start, (inputs, y, weight, penalty), "L-BFGS-B", jac=True, options=options)


class Penalty:
    """n⁻² Σ_{i,j} δ_i k(p_i, p_j) l(x_i, x_j) δ_j and its derivatives by p; a kernel that is None is 1.

    k ≈ φφᵀ from a grid of predictions (to 2e-9), l ≈ ψψᵀ from the rows.
    """

    def __init__(self, prob_kernel, feature_kernel, features, max_rank):
        self.psi, self.left_out, self.phi = np.ones((len(features), 1)), 0.0, None
        if feature_kernel is not None:
            factor = low_rank(feature_kernel, features, max_rank=max_rank)
            self.psi, self.left_out = factor.features, factor.residual / factor.trace
        if prob_kernel is not None:
            variance = prob_kernel.length_scale**2
            self.phi = low_rank(prob_kernel, GRID)
            self.slope = replace(self.phi, kernel=lambda p, q: (q.T - p) / variance * prob_kernel(p, q))

    def __call__(self, p, y):
        """The penalty and its derivatives, shape (n,)."""
        delta = (p - y)[:, None]
        if self.phi is None:
            phi, change = np.ones_like(delta), np.ones_like(delta)
        else:
            phi = self.phi.transform(p)
            change = phi + delta * self.slope.transform(p)  # of δ_i φ(p_i), by p_i
        mean = (delta * phi).T @ self.psi / len(p)
        return float((mean**2).sum()), 2 / len(p) * ((change @ mean) * self.psi).sum(axis=1)


def objective(w, inputs, y, weight, penalty):
    """Mean log loss + weight · penalty and its gradient; the last input is 1."""
    z = inputs @ w
    p = expit(z)
    loss = (np.logaddexp(0, z) - y * z).mean()
    by_z = (p - y) / len(y)
    if weight:
        value, by_p = penalty(p, y)
        loss = loss + weight * value
        by_z = by_z + weight * by_p * p * (1 - p)
    return loss, inputs.T @ by_z


def _median_kernel(features):
    with errors_of("feature_kernel"):  # most rows are equal
        return rbf(bandwidth=median_bandwidth(features))


def _labels(y_true, n):
    y_true = np.asarray(y_true)
    if y_true.dtype.kind not in "biuf" or y_true.shape != (n,):
        found = f"{y_true.dtype} {y_true.shape}"
        raise InputError("y_true", f"{n} numbers, one for each row of X", found=found)
    reject(~np.isin(y_true, [0, 1]), y_true[:, None], "y_true", "a label among 0..1")
    if len(np.unique(y_true)) < 2:
        raise InputError("y_true", "both classes", found=f"{n} labels {y_true[0]}")
    return y_true.astype(float)
