#!/usr/bin/env bash
# scikit-learn 1.9.1, GaussianNB.predict_proba on float32 features: rows of probabilities may have the sum 2.
#
# Expected: rows that sum to 1 within single precision, some 1e-6, as float64 features give within 1e-14.
# Seen: the digits, scaled by StandardScaler, 1,200 to fit and 597 to predict. As float64 all rows sum to 1; as float32
# one row sums to 2: two classes are given probability 1 each. The logarithms of the classes' likelihoods are large
# (pixels that hardly vary), and single precision does not tell the largest two from the logarithm of their sum.
# For whom it matters: a calibration error of such rows counts a class that is "certain" and wrong; a sum is worth a check.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
"$folder/venv/bin/python" - <<'PY'
import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

X, y = load_digits(return_X_y=True)
X = StandardScaler().fit_transform(X)
largest = {}
for kind in (np.float64, np.float32):
    Z = X.astype(kind)
    total = GaussianNB().fit(Z[:1200], y[:1200]).predict_proba(Z[1200:]).astype(float).sum(axis=1)
    largest[kind.__name__] = float(total.max())
    print(f"scikit-learn {sklearn.__version__}, {kind.__name__}: rows sum to {total.min():.6f} ... {total.max():.6f}")
assert abs(largest["float64"] - 1) < 1e-12, "float64 has changed"
assert abs(largest["float32"] - 2) < 1e-3, "float32 has changed"
PY
echo "as stated above"
