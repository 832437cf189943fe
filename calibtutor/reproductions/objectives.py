"""The objectives of Table 2 of Vashistha & Farahi: logistic regressions that pay for calibration errors.

With residuals δ_i = p_i − y_i they minimise mean log loss + weight · n⁻² Σ_{i,j} δ_i k_ij δ_j. For "MMCE" (after Kumar
et al. 2018) k compares predictions, and is differentiated too; for "MMD" (after Marx et al. 2023) it compares inputs.

Kumar et al. take top-label pairs, whose residual jumps at p = ½, a Laplacian kernel and the root of the form; here k is
Gaussian and the loss smooth. Marx et al. compare labels by a kernel exp(−‖e_y − e_y'‖²/s): for two classes, the factor
2(1 − exp(−2/s)) times δ_i δ_j, so that the "bandwidth y" of Table 2 is a constant, s = 1. They leave out i = j. Both
trained on batches of 32, for some epochs; here the optimum on all data is found.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from ..kernels import low_rank, rbf

GRID = np.linspace(0, 1, 1001)  # the predictions from which k gets its features
WEIGHT, BANDWIDTH = 0.7, 0.2
LABELS_FACTOR = 2 * (1 - np.exp(-2))  # of Marx et al., with s = 1
FLAT = 1e-6  # no entry of the gradient is larger at an optimum


def mmce(bandwidth):
    """The penalty with k of predictions: (p, y) -> its value and its derivatives by p, shape (n,)."""
    k = rbf(bandwidth=bandwidth)
    phi = low_rank(k, GRID)  # k ≈ φφᵀ, to 2e-9
    slope = replace(phi, kernel=lambda p, q: (q.T - p) / bandwidth**2 * k(p, q))

    def penalty(p, y):
        delta, features = (p - y)[:, None], phi.transform(p)
        mean, change = (delta * features).mean(axis=0), features + delta * slope.transform(p)
        return mean @ mean, 2 / len(p) * (change @ mean)

    return penalty


def mmd(X, kernel):
    """The penalty with a kernel of inputs, through at most 200 features of it."""
    psi = low_rank(kernel, X, max_rank=200).features

    def penalty(p, y):
        mean = (p - y) @ psi / len(p)
        return mean @ mean, 2 / len(p) * (psi @ mean)

    return penalty


def loss(w, inputs, y, weight=0.0, penalty=None):
    """Mean log loss + weight · penalty, and the gradient by w."""
    z = inputs @ w
    p = expit(z)
    value, by_z = (np.logaddexp(0, z) - y * z).mean(), (p - y) / len(y)
    if penalty:
        more, by_p = penalty(p, y)
        value, by_z = value + weight * more, by_z + weight * by_p * p * (1 - p)
    return value, inputs.T @ by_z


def optimum(start, *arguments):
    """Which w minimises `loss`."""
    # Steps go on until the gradient vanishes or rounding stops them: the default stops at a small gain already.
    options = {"maxiter": 2000, "maxfun": 20_000, "gtol": 1e-9, "ftol": 0}
    found = minimize(loss, start, arguments, "L-BFGS-B", jac=True, options=options)
    if np.abs(found.jac).max() > FLAT:
        raise RuntimeError(f"no optimum after {found.nit} steps: {found.message}")
    return found.x


def objectives(X_train, y_train, X_test, names=None):
    """{objective of Table 2: predictions on X_test} of the models trained with it, on standardised inputs."""
    scale = StandardScaler().fit(X_train)
    train, test = (np.column_stack([scale.transform(X), np.ones(len(X))]) for X in (X_train, X_test))
    plain = optimum(np.zeros(train.shape[1]), train, y_train)
    penalties = {"XE": lambda: None,
                 "XE + MMCE": lambda: (WEIGHT, mmce(BANDWIDTH)),
                 "XE + MMD": lambda: (WEIGHT * LABELS_FACTOR, mmd(train[:, :-1], rbf(gamma=1 / 25)))}
    found = {}
    for name in names or penalties:
        term = penalties[name]()
        found[name] = expit(test @ (optimum(plain, train, y_train, *term) if term else plain))
    return found
