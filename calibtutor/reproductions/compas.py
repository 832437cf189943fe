"""COMPAS in Vashistha & Farahi: the numbers of Figure 4, their calibrators, and maps of the local bias (Figure 6).

The file is about real people. Nothing here returns or shows a row of it: only means over many.
"""

from collections import namedtuple
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.linear_model import LogisticRegression

from ..data.tables import load_compas, read_columns
from ..errors.kce import kce_test
from ..errors.klce import klce_test, local_calibration_bias
from ..estimates.binning import brier_score, expected_calibration_error, maximum_calibration_error
from ..kernels import rbf
from ..recalibration import IsotonicCalibration, TemperatureScaling
from .heart import PROB_WIDTH, local_test

SEED, GAMMA, BINS = 1864, 0.5, 20
# Printed by the authors' notebook for Figure 4: Brier score, ECE, MCE, KLCE².
PUBLISHED = {"none": (0.262, 0.160, 0.269, 0.032),
             "Platt": (0.231, 0.022, 0.037, 0.003),
             "temperature": (0.241, 0.091, 0.207, 0.005),
             "isotonic": (0.231, 0.018, 0.046, 0.002),
             "BBQ": (0.232, 0.009, 0.027, 0.003)}
RACES = ["African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other"]
# In the authors' order: the forest draws features by their position.
INPUTS = ["age", "sex", RACES[0], "juv_fel_count", "juv_misd_count", "priors_count", "c_charge_degree", *RACES[1:]]
AUDITED = ["age", "sex", RACES[0]]


# A forest's labels and predictions on two thirds: `held` is for calibrators, `test` for tests. X_test: age in decades,
# sex (1: female) and race (1: African-American).
Split = namedtuple("Split", "y_held p_held y_test p_test X_test")


@lru_cache(maxsize=2)
def compas_split(seed=SEED, *, without_late=False):
    """The authors' split and random forest: 2,380 rows to train, 2,381 to recalibrate, 2,453 to test.

    One stream of random numbers shuffles the rows and then grows the forest, as when a seed is set for all of NumPy.
    `without_late` leaves out who was assessed after 1 April 2014: of these the file holds only people with a new
    charge.
    """
    table = load_compas(progress=False)
    table["age"] /= 10
    table["sex"] = (table["sex"] == "Female").astype(int)
    table["c_charge_degree"] = (table["c_charge_degree"] == "M").astype(int)
    table = table.join(pd.get_dummies(table["race"]).astype(int))
    if without_late:
        table = table[~assessed_late()]
    stream = np.random.RandomState(seed)
    table = table.sample(frac=1, random_state=stream)
    first, second = int(0.33 * len(table)), int(0.66 * len(table))
    train, held, test = table.iloc[:first], table.iloc[first:second], table.iloc[second:]
    forest = RandomForestClassifier(random_state=stream).fit(train[INPUTS].to_numpy(), train["is_recid"].to_numpy())
    p_held, p_test = (forest.predict_proba(part[INPUTS].to_numpy())[:, 1] for part in (held, test))
    X = test[AUDITED].to_numpy(dtype=float)
    return Split(held["is_recid"].to_numpy(), p_held, test["is_recid"].to_numpy(), p_test, X)


def recalibrated(split):
    """{name: test predictions} of Figure 4: as they are, and after four maps learned on the second third.

    "Platt" is scikit-learn's `LogisticRegression()` on the probability itself, default penalty included: what the
    authors' library runs. Temperature scaling clips the probabilities 0 and 1 at 2⁻⁵², as netcal does.
    """
    y, p, q = split.y_held, split.p_held, split.p_test
    return {"none": q,
            "Platt": LogisticRegression().fit(p[:, None], y).predict_proba(q[:, None])[:, 1],
            "temperature": TemperatureScaling(clip=2.0**-52).fit(y, p).predict_proba(q),
            "isotonic": IsotonicCalibration().fit(y, p).predict_proba(q),
            "BBQ": library_bbq(y, p, q)}


def library_bbq(y_true, y_prob, query, *, same_cells=False):
    """The "BBQ" of the library netcal with its default settings, which Figure 4 shows, at `query`.

    Histograms with B equal-width bins, B from n^{1/3}/10 to 10 n^{1/3}, weighted by exp(−BIC/2); the list, best first,
    is cut where two neighbouring weights differ by less than .001 of the weights' variance. Empty bins predict their
    midpoint. Frequencies are learned in left-closed bins and looked up in right-closed ones, which moves every
    prediction that lies on an edge; a forest of 100 trees has many. With `same_cells` both are right-closed.
    """
    n, root = len(y_true), np.cbrt(len(y_true))
    answers, bic = [], []
    for n_bins in range(max(1, int(root / 10)), min(int(np.ceil(n / 5)), int(np.ceil(10 * root))) + 1):
        edges = np.linspace(0, 1, n_bins + 1)
        cell = lambda p, side, edges=edges, last=n_bins - 1: np.clip(np.searchsorted(edges, p, side=side) - 1, 0, last)
        learned = cell(y_prob, "left" if same_cells else "right")  # their code: no rounding is forgiven
        count, hits = np.bincount(learned, minlength=n_bins), np.bincount(learned, y_true, minlength=n_bins)
        frequency = np.where(count > 0, hits / np.maximum(count, 1), (edges[:-1] + edges[1:]) / 2)
        said = frequency[cell(y_prob, "left")]
        given = np.where(y_true == 1, said, 1 - said)
        log_likelihood = np.log(np.maximum(given, np.exp(-100))).sum()  # torch's binary cross entropy: log 0 = −100
        answers.append(frequency[cell(query, "left")])
        bic.append(n_bins * np.log(n) - 2 * log_likelihood)
    weight = np.exp((min(bic) - np.array(bic)) / 2)
    best = np.argsort(weight)[::-1]
    small = -np.diff(weight[best]) / weight.var() <= 0.001
    kept = best[: 1 + np.append(small, True).argmax()]
    return weight[kept] @ np.array(answers)[kept] / weight[kept].sum()


def figure_4(split):
    """The numbers of Figure 4, rows as in `PUBLISHED`: Brier score, ECE, MCE, KLCE² as printed; equation 4; mean K."""
    rows = {}
    for name, p in recalibrated(split).items():
        y, (each, _) = split.y_test, local_test(split.y_test, p, split.X_test, gamma=GAMMA, n_resamples=0)
        errors = [measure(y, p, n_bins=BINS) for measure in (expected_calibration_error, maximum_calibration_error)]
        rows[name] = [brier_score(y, p), *errors, each.printed, each.equation_4, each.mean_kernel]
    return pd.DataFrame(rows, index=["Brier", "ECE", "MCE", "KLCE² as printed", "equation 4", "mean of K"]).T


def verdicts(split, *, names=None, n_resamples=999, rng=None):
    """Exact p-values of two tests with the same kernel k, of calibration (KCE) and of local calibration (KLCE)."""
    k, l, rows, said = rbf(width=PROB_WIDTH), rbf(gamma=GAMMA), {}, recalibrated(split)
    options = {"n_resamples": n_resamples, "rng": rng}
    for name in names or said:
        data = split.y_test, said[name]
        calibrated = kce_test(*data, kernel=k, **options)
        local = klce_test(*data, split.X_test, prob_kernel=k, feature_kernel=l, **options)
        rows[name] = [calibrated.pvalue, local.pvalue]
    return pd.DataFrame(rows, index=["p, calibrated", "p, locally calibrated"]).T


def bias_by_age(split, y_prob, ages, *, years=5.0):
    """{group: local bias} around each age, for women and men, African-American and not; Gaussian weights in age.

    Predictions are not compared (k = 1): a point is the mean of label − prediction over all predictions made at that
    age.
    """
    at, found = (np.full(len(ages), 0.5), np.asarray(ages, dtype=float)), {}
    kernels = {"prob_kernel": ConstantKernel(), "feature_kernel": rbf(bandwidth=years)}
    for race, sex in product((1, 0), (1, 0)):
        inside = (split.X_test[:, 1] == sex) & (split.X_test[:, 2] == race)
        name = f"{'African-American' if race else 'other'} {'women' if sex else 'men'}"
        rows = split.y_test[inside], y_prob[inside], 10 * split.X_test[inside, 0]
        found[name] = local_calibration_bias(*rows, at=at, **kernels)
    return found


def outcomes_by_month():
    """For each month of assessment: rows in the file, and the share with a new charge on record (`is_recid`)."""
    table = _dates()
    return table.groupby(table["date"].str[:7])["is_recid"].agg(rows="size", share="mean")


def assessed_late():
    """For each row of `load_compas`: was the person assessed after 1 April 2014? Shape (7214,), bool."""
    return (_dates()["date"] > "2014-04-01").to_numpy()


def _dates():
    """Date of assessment and outcome of each row, in the order of the file. No other column is read."""
    columns = ["compas_screening_date", "is_recid"]
    return read_columns("compas-scores-two-years.csv", columns, progress=False).set_axis(["date", "is_recid"], axis=1)
