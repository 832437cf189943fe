"""What the published tables of Vashistha & Farahi share: their statistic, their kernels, their calibration errors.

Their tables and figures were made with the library KiTE. Its numbers are not those of the paper's equations, so that
both are computed here, side by side. The studies themselves are in `compas` and `housing`.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ..binning import brier_score, expected_calibration_error, reliability_curve
from ..data.tables import load_heart
from ..features import FeatureSpace
from ..gram import Gram, ProductKernel
from ..kernels import as_rows, rbf
from ..klce import klce_test
from ..predictions import check_predictions
from ..recalibration import PenalisedLogisticRegression

__all__ = ["HEART_PUBLISHED", "Printed", "exact_verdict", "heart_cholesterol", "heart_split", "kernel_reach",
           "objectives", "printed_statistic", "scores", "two_kernels", "unweighted_ece"]  # fmt: skip

PROB_WIDTH = 0.1
# Table 2, heart: (Brier score, ECE, KLCE², p) as printed; objective "MMD" with the kernel on standardised inputs.
HEART_PUBLISHED = {
    "XE": (0.1162, 0.1014, 0.0031, 0.26),
    "XE + MMCE": (0.1130, 0.0801, 0.0038, 0.222),
    "XE + MMD": (0.1150, 0.0964, 0.0028, 0.262),
}
# A penalty of weight .7 on the labels' kernel with "bandwidth y" 1 is this times the penalty on residuals.
MMD_FACTOR = 2 * (1 - np.exp(-2))


class Printed(NamedTuple):
    """A statistic as the library prints it: equation 4 over the mean of all n² values of k·l, the diagonal included."""

    printed: float
    equation_4: float
    mean_kernel: float


def printed_statistic(y_true, y_prob, features, *, gamma, prob_width=PROB_WIDTH):
    """KLCE² as printed: Σ_{i≠j} e_i K_ij e_j / ((n − 1)/n · Σ_ij K_ij), with K = k·l.

    k(p, p') = exp(−(p − p')²/width²), without the usual 2, and l(x, x') = exp(−gamma ‖x − x'‖²), on features as they
    are.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    features, n = as_rows(features), len(y_prob)
    kernel = ProductKernel(rbf(width=prob_width), rbf(gamma=gamma), 1)
    gram = Gram(kernel, np.hstack([as_rows(y_prob), features]))
    error = y_prob - y_true
    equation_4 = (gram.form(error[:, None]) - gram.diagonal @ error**2) / (n * (n - 1))
    mean = gram.form(np.ones((n, 1))) / n**2
    return Printed(equation_4 / mean, equation_4, mean)


def unweighted_ece(y_true, y_prob, *, n_bins=10):
    """The "ECE" of Table 2: the mean gap of the bins that are not empty, whether they hold 1 prediction or 1,000."""
    return float(np.nanmean(np.abs(reliability_curve(y_true, y_prob, n_bins=n_bins).gap)))


def scores(y_true, y_prob, features, *, gamma, n_resamples=999, rng=None):
    """A row of Table 2 the printed way, then with weighted bins, equation 4 and the exact p-value."""
    statistic = printed_statistic(y_true, y_prob, features, gamma=gamma)
    kernels = {"prob_kernel": rbf(width=PROB_WIDTH), "feature_kernel": rbf(gamma=gamma)}
    test = klce_test(y_true, y_prob, features, **kernels, n_resamples=n_resamples, rng=rng)
    return {
        "Brier": brier_score(y_true, y_prob),
        "ECE, unweighted": unweighted_ece(y_true, y_prob),
        "ECE": expected_calibration_error(y_true, y_prob, n_bins=10),
        "KLCE² as printed": statistic.printed,
        "equation 4": statistic.equation_4,
        "exact p": test.pvalue,
    }


def objectives(X_train, y_train, X_test, names=None):
    """{objective of Table 2: predictions on X_test} of logistic regressions trained with it; X is standardised.

    Where the authors took 100 epochs of Adam, here the optimum is found.
    """
    scale = StandardScaler().fit(X_train)
    X_train, X_test = scale.transform(X_train), scale.transform(X_test)
    models = {
        "XE": PenalisedLogisticRegression(None),
        "XE + MMCE": PenalisedLogisticRegression("mmce", weight=0.7),
        "XE + MMD": PenalisedLogisticRegression("mmd", weight=0.7 * MMD_FACTOR, feature_kernel=rbf(gamma=1 / 25)),
    }
    return {name: models[name].fit(X_train, y_train).predict_proba(X_test) for name in names or models}


def heart_split(seed=31):
    """734 patients to train, 184 to test: inputs and labels of both, ages and sexes of the second. 31 is Table 2's."""
    table = load_heart(progress=False)
    X = pd.get_dummies(table.drop(columns="HeartDisease"), drop_first=True).astype(float)
    train, test = train_test_split(table.index, test_size=0.2, random_state=seed)
    y = table["HeartDisease"].to_numpy()
    return X.loc[train].to_numpy(), y[train], X.loc[test].to_numpy(), y[test], table.loc[test, ["Age", "Sex"]]


def two_kernels(patients):
    """{name: (features, kernel)} of age and sex: "years" as in Table 2 (γ = 25), "scaled" as in `FeatureSpace`."""
    space = FeatureSpace().fit(patients)
    Z, raw = space.transform(patients), np.column_stack([patients["Age"], patients["Sex"] == "F"]).astype(float)
    return {"years": (raw, rbf(gamma=25)), "scaled": (Z, space.kernel(Z))}


def exact_verdict(y_prob, features, *, feature_kernel, n_resamples=999, rng=None):
    """The exact test of local calibration at level .05, a function of labels: its null is drawn once for all."""
    kernel = ProductKernel(rbf(width=PROB_WIDTH), feature_kernel, 1)(np.hstack([as_rows(y_prob), as_rows(features)]))
    np.fill_diagonal(kernel, 0)
    drawn = y_prob - (np.random.default_rng(rng).random((n_resamples, len(y_prob))) < y_prob)
    null = ((drawn @ kernel) * drawn).sum(axis=1)

    def rejects(y_true):
        error = y_prob - y_true
        return 1 + np.sum(null >= error @ kernel @ error) <= 0.05 * (n_resamples + 1)

    return rejects


def kernel_reach(y_prob, features, *, prob_kernel, feature_kernel):
    """How far a product kernel sees: (share of pairs i < j with K > .01, effective size of each row).

    The effective size (Σ_j K_ij)²/Σ_j K_ij² counts the rows that an average near row i rests on; 1 is the row alone.
    """
    X = np.hstack([as_rows(y_prob), as_rows(features)])
    K = ProductKernel(prob_kernel, feature_kernel, 1)(X)
    pairs = K[np.triu_indices(len(K), 1)]
    return float((pairs > 0.01).mean()), K.sum(axis=1) ** 2 / (K**2).sum(axis=1)


def heart_cholesterol():
    """The weight of cholesterol in the model of Table 2, and in one that is told which values are missing.

    In the second, a zero is replaced by the mean of the others and a column marks it.
    """
    X_train, y_train, X_test, y_test, _ = heart_split()
    column = list(load_heart(progress=False).select_dtypes("number").columns).index("Cholesterol")
    mean = X_train[X_train[:, column] > 0, column].mean()
    found = {}
    for name in ("0 is a number", "0 is missing"):
        parts = [X_train.copy(), X_test.copy()]
        if name == "0 is missing":
            missing = [part[:, column] == 0 for part in parts]
            for part, rows in zip(parts, missing, strict=True):
                part[rows, column] = mean
            parts = [np.column_stack([part, rows]) for part, rows in zip(parts, missing, strict=True)]
        model = PenalisedLogisticRegression(None).fit(parts[0], y_train)
        found[name] = {
            "weight per 100 mg/dl": 100 * model.coef[column],
            "weight of “not measured”": model.coef[-1] if name == "0 is missing" else np.nan,
            "Brier": brier_score(y_test, model.predict_proba(parts[1])),
        }
    return found
