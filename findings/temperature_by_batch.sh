#!/usr/bin/env bash
# scikit-learn 1.9.1, CalibratedClassifierCV(method="temperature"): whether predict_proba's numbers are probabilities or
# logits is read off each batch, by whether all its rows sum to 1 within the rounding of their type.
#
# Expected: the temperature of a model that says 1.5 times its right logits is 1.5, in whatever type it says them, and what
# is said of a row does not depend on the rows beside it. Seen, on 5,000 rows:
#   float64, float32                      T = 1.52, log loss 1.45 -> 1.35; a row alone is said what it is said in the batch
#   float16 (networks in half precision)  T = .25, log loss 1.45 -> 1.52: probabilities taken for logits, without a word;
#                                         of 20 rows asked alone, one gets a probability .44 from the one in the batch
#   1,000 classes, six decimals           T = .09; alone and in the batch differ by .99
# and a model with two classes whose decision_function is twice the right logit has 1 / beta_ near 4, not 2: the two
# logits are -f and f. Its probabilities are right. Pull request 34313 of scikit-learn (open, September 2026) is about both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/venv/bin/python" -W ignore - <<'PY'
import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss

ROUNDED = {
    "float64": lambda p: p,
    "float32": lambda p: p.astype(np.float32),
    "float16": lambda p: p.astype(np.float16),
    "six decimals": lambda p: p.round(6),
}


class Sure(ClassifierMixin, BaseEstimator):
    """A network whose logits are 1.5 times what they should be, in some type."""

    def __init__(self, kept="float64"):
        self.kept = kept

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict(self, X):
        return X.argmax(axis=1)

    def predict_proba(self, X):
        return ROUNDED[self.kept](softmax(1.5 * X, axis=1))


class Two(Sure):
    """Two classes, and a decision function twice the right logit, which is the first column."""

    predict_proba = None

    def decision_function(self, X):
        return 2 * X[:, 0]


def fitted(model, X, y):
    scaled = CalibratedClassifierCV(FrozenEstimator(model.fit(X, y)), method="temperature").fit(X, y)
    return scaled, 1 / scaled.calibrated_classifiers_[0].calibrators[0].beta_


def drawn(classes, rng, n=5_000):
    X = 2 * rng.normal(size=(n, classes))
    y = (softmax(X, axis=1).cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


rng, changed = np.random.default_rng(0), []
STATED = [(10, "float64", 1.52, 0), (10, "float32", 1.52, 0), (10, "float16", 0.25, 0.44), (1000, "float32", 1.91, 0),
          (1000, "six decimals", 0.09, 0.99)]  # fmt: skip
data = {classes: drawn(classes, rng) for classes in (10, 1000)}
for classes, kept, temperature, apart in STATED:
    X, y = data[classes]
    scaled, T = fitted(Sure(kept), X, y)
    together, alone = scaled.predict_proba(X), np.vstack([scaled.predict_proba(X[[i]]) for i in range(20)])
    found = float(np.abs(alone - together[:20]).max())
    raw = log_loss(y, Sure(kept).predict_proba(X).astype(float))
    print(f"{classes:4} classes, {kept:12}  T {T:.3f}  log loss {raw:.3f} -> {log_loss(y, together):.3f}  alone {found:.3f}")
    changed += [kept] if abs(T - temperature) > 0.01 or abs(found - apart) > 0.01 else []
f = rng.normal(size=(20_000, 1)) * 2
event = (rng.random(20_000) < 1 / (1 + np.exp(-f[:, 0]))).astype(int)
scaled, T = fitted(Two(), f, event)
off = abs(scaled.predict_proba(np.array([[2.0]]))[0, 1] - 1 / (1 + np.exp(-2)))
print(f"two classes, decision_function: 1 / beta_ {T:.3f}, and a probability off by {off:.3f}")
changed += ["decision_function"] if abs(T - 4) > 0.2 or off > 0.01 else []
assert not changed, f"not as stated any more: {changed}"
PY
echo "as stated above"
