"""Heart disease in Vashistha & Farahi's Table 2, and what all their published tables share: a statistic and its test.

Their tables and figures were made with the library KiTE. Its numbers are not those of the paper's equations, so that
both are computed here, side by side. The other studies are in `compas` and `housing`.
"""

from collections import namedtuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from ..chance.pvalues import rank_pvalues
from ..chance.resampling import draw_labels
from ..data.tables import load_heart
from ..estimates.binning import brier_score, expected_calibration_error, reliability_curve
from ..kernels import as_rows, low_rank, rbf
from ..kernels.features import FeatureSpace

PROB_WIDTH = 0.1
# Table 2, heart: (Brier score, ECE, KLCE², p) as printed; objective "MMD" with the kernel on standardised inputs.
HEART_PUBLISHED = {"XE": (0.1162, 0.1014, 0.0031, 0.26),
                   "XE + MMCE": (0.1130, 0.0801, 0.0038, 0.222),
                   "XE + MMD": (0.1150, 0.0964, 0.0028, 0.262)}


# A statistic as the library prints it: equation 4 over the mean of all n² values of k·l, the diagonal included.
Printed = namedtuple("Printed", "printed equation_4 mean_kernel")


def local_test(y_true, y_prob, features, *, gamma, prob_width=PROB_WIDTH, n_resamples=999, rng=None):
    """(KLCE² as printed, p-value of `klce_test`), through few features of the kernel (pivoted Cholesky, to 1e-10).

    KLCE² as printed is Σ_{i≠j} e_i K_ij e_j / ((n − 1)/n · Σ_ij K_ij), with K = k·l, k(p, p') = exp(−(p − p')²/width²),
    without the usual 2, and l(x, x') = exp(−gamma ‖x − x'‖²), on features as they are. This is one Gaussian kernel on
    (p/width, √γ x), of low rank: O(n·rank²) instead of O(n²) for each pass.
    """
    n = len(y_prob)
    rows = np.column_stack([y_prob / prob_width, np.sqrt(gamma) * np.asarray(features, dtype=float)])
    phi = low_rank(rbf(gamma=1.0), rows, tol=1e-10, max_rank=min(n, 2000)).features
    error = y_prob[:, None] - np.column_stack([y_true.astype(np.int32), draw_labels(y_prob, n_resamples, rng)])
    values = (((phi.T @ error) ** 2).sum(axis=0) - (error**2).sum(axis=0)) / (n * (n - 1))
    mean = float((phi.sum(axis=0) ** 2).sum() / n**2)
    return Printed(float(values[0] / mean), float(values[0]), mean), float(rank_pvalues(values)[0])


def scores(y_true, y_prob, features, **options):
    """A row of Table 2 the printed way, then with weighted bins, equation 4 and the exact p-value of `local_test`."""
    each, pvalue = local_test(y_true, y_prob, features, **options)
    gap = reliability_curve(y_true, y_prob, n_bins=10).gap  # unweighted: a bin counts, holds it 1 prediction or 1,000
    return {"Brier": brier_score(y_true, y_prob),
            "ECE, unweighted": float(np.nanmean(np.abs(gap))),
            "ECE": expected_calibration_error(y_true, y_prob, n_bins=10),
            "KLCE² as printed": each.printed,
            "equation 4": each.equation_4,
            "mean of K": each.mean_kernel,
            "exact p": pvalue}


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
    kernel = rbf(width=PROB_WIDTH)(y_prob[:, None]) * feature_kernel(as_rows(features))
    np.fill_diagonal(kernel, 0)
    drawn = y_prob - (np.random.default_rng(rng).random((n_resamples, len(y_prob))) < y_prob)
    null = ((drawn @ kernel) * drawn).sum(axis=1)

    def rejects(y_true):
        error = y_prob - y_true
        return 1 + np.sum(null >= error @ kernel @ error) <= 0.05 * (n_resamples + 1)

    return rejects


def kernel_reach(K):
    """How far a kernel sees, from its matrix: (share of pairs i < j with K > .01, effective size of each row).

    The effective size (Σ_j K_ij)²/Σ_j K_ij² counts the rows that an average near row i rests on; 1 is the row alone.
    """
    return float(np.mean(K[np.triu_indices(len(K), 1)] > 0.01)), K.sum(axis=1) ** 2 / (K**2).sum(axis=1)


def heart_cholesterol(seed=31):
    """The weight of cholesterol in the model of Table 2, and in one that is told which values are missing.

    In the second, a zero is replaced by the mean of the others and a column marks it. "s.e." is the standard error of a
    weight, from the curvature of the log loss.
    """
    X_train, y_train, X_test, y_test, _ = heart_split(seed)
    column = list(load_heart(progress=False).select_dtypes("number").columns).index("Cholesterol")
    parts, found = (X_train, X_test), {}
    mean = X_train[X_train[:, column] > 0, column].mean()
    marked = [np.column_stack([part, part[:, column] == 0]) for part in parts]
    for part in marked:
        part[part[:, -1] == 1, column] = mean
    for name, (train, test) in {"0 is a number": parts, "0 is missing": marked}.items():
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(train, y_train)
        p, Z = model.predict_proba(train)[:, 1], np.column_stack([train, np.ones(len(train))])
        variance = np.linalg.inv(Z.T @ (Z * (p * (1 - p))[:, None])).diagonal()
        found[name] = {"weight per 100 mg/dl": 100 * model.coef_[0, column],
                       "s.e.": 100 * np.sqrt(variance[column]),
                       "weight of “not measured”": model.coef_[0, -1] if name == "0 is missing" else np.nan,
                       "Brier": brier_score(y_test, model.predict_proba(test)[:, 1])}
    return found
