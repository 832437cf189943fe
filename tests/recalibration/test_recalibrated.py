"""A classifier with its map is scikit-learn's kind of classifier, and what it says is the map of what was left out."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from refusals import refuses
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import calibtutor as ct

X, Y = load_digits(return_X_y=True)
X, Y = X[:600], Y[:600]
CLIPPED = [ct.TemperatureScaling, ct.BetaCalibration, ct.VectorScaling, ct.DirichletCalibration]
MAPS = [ct.PlattScaling(), ct.IsotonicCalibration(), ct.BBQ(), *(each(clip=1e-6) for each in CLIPPED)]


@pytest.mark.parametrize("recalibrator", MAPS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("names", [["even", "odd"], list("abcdefghij")])
def test_the_map_is_taught_by_predictions_of_rows_left_out(recalibrator, names):
    labels = np.array(names)[Y % len(names)]
    model = ct.Recalibrated(GaussianNB(), recalibrator, cv=3)
    if len(names) == 10 and isinstance(recalibrator, ct.BBQ):
        with refuses("y_prob", expected="P(Y = 1) as a vector"):
            model.fit(X, labels)
        return
    model.fit(X, labels)
    out = cross_val_predict(GaussianNB(), X, labels, cv=StratifiedKFold(3), method="predict_proba")
    new = GaussianNB().fit(X, labels).predict_proba(X[:50])
    out, new = (rows[:, 1] if len(names) == 2 else rows for rows in (out, new))
    wanted = clone(recalibrator).fit(Y % len(names), out).predict_proba(new)
    found = model.predict_proba(X[:50])
    np.testing.assert_allclose(found[:, 1] if len(names) == 2 else found, wanted, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert model.classes_.tolist() == names and set(model.predict(X)) <= set(names)


def test_a_fitted_estimator_stays_and_all_rows_teach_the_map():
    forest = RandomForestClassifier(20, random_state=0).fit(X[:300], Y[:300])
    model = ct.Recalibrated(forest, ct.TemperatureScaling(clip=0.01), cv="prefit").fit(X[300:], Y[300:])
    assert model.estimator_ is forest
    by_hand = ct.TemperatureScaling(clip=0.01).fit(Y[300:], forest.predict_proba(X[300:]))
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(forest.predict_proba(X)), atol=1e-12)
    with refuses("y", expected="every class of the estimator, also"):
        ct.Recalibrated(forest, ct.TemperatureScaling(), cv="prefit").fit(X[Y < 8], Y[Y < 8])
    frozen = pytest.importorskip("sklearn.frozen")
    twin = ct.Recalibrated(frozen.FrozenEstimator(forest), ct.TemperatureScaling(clip=0.01)).fit(X[300:], Y[300:])
    assert twin.recalibrator_.temperature == pytest.approx(model.recalibrator_.temperature)


def test_it_goes_where_classifiers_go():
    few = Y < 6
    frame, y = pd.DataFrame(X[few].astype(np.float32)).add_prefix("pixel "), Y[few]
    labels = pd.Series(y, index=frame.index).map(str)
    model = ct.Recalibrated(LogisticRegression(max_iter=300), ct.IsotonicCalibration(), cv=3)
    pipe = make_pipeline(StandardScaler(), model)
    found = cross_val_predict(pipe, frame, labels, cv=3, method="predict_proba")
    assert found.shape == (len(y), 6) and (found.argmax(axis=1) == y).mean() > 0.8
    model = ct.Recalibrated(GaussianNB(), ct.TemperatureScaling(clip=1e-3), cv=3).fit(frame, labels)
    assert model.feature_names_in_.tolist() == list(frame) and model.n_features_in_ == 64
    grid = {"estimator__var_smoothing": [1e-9, 1e-2], "recalibrator": [ct.PlattScaling(), model.recalibrator]}
    best = GridSearchCV(model, grid | {"cv": [2]}, scoring="neg_log_loss", cv=3).fit(frame, y)
    assert best.best_params_["estimator__var_smoothing"] == 1e-2
    model.set_params(recalibrator=ct.DirichletCalibration(), recalibrator__strength=10)  # as its docstring says
    assert model.recalibrator.strength == 10
    again = pickle.loads(pickle.dumps(best))
    np.testing.assert_array_equal(again.predict_proba(frame), best.predict_proba(frame))


def test_weights_count_rows_and_groups_stay_together():
    w = np.random.default_rng(0).integers(1, 3, 600)
    folds = list(GroupKFold(3).split(X, Y, np.arange(600) % 7))
    weighted = ct.Recalibrated(LogisticRegression(tol=1e-8, max_iter=2000), ct.PlattScaling(), cv=folds)
    weighted.fit(X, Y % 2, sample_weight=w)
    rows = np.repeat(np.arange(600), w)
    folds = [(np.flatnonzero(np.isin(rows, a)), np.flatnonzero(np.isin(rows, b))) for a, b in weighted.cv]
    repeated = clone(weighted).set_params(cv=folds).fit(X[rows], Y[rows] % 2)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)
    batch, platt = pa.RecordBatch.from_pandas(pd.DataFrame(X).add_prefix("x")), ct.PlattScaling()
    for *data, wrong, argument in [
        (X, Y, ct.Multicalibration(), "recalibrator"), (X, 0 * Y, platt, "y"), (batch, Y, platt, "X"),
    ]:
        with refuses(argument):
            ct.Recalibrated(LogisticRegression(), wrong).fit(*data)


@pytest.mark.skipif(tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6), reason="other checks before 1.6")
def test_scikit_learn_s_own_checks():
    # Copies of a row may fall into two folds, weights of 2 may not.
    reason = "folds part copies of a row, and do not part a row that counts twice"
    names = ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"]
    model = ct.Recalibrated(LogisticRegression(), ct.TemperatureScaling(), cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its data, not of the model
        found = check_estimator(model, expected_failed_checks=dict.fromkeys(names, reason), on_skip=None)
    assert not [each["check_name"] for each in found if each["status"] == "failed"]
