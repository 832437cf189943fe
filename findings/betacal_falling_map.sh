#!/usr/bin/env bash
# betacal 1.1.0, BetaCalibration("abm"): where scores rank the wrong way round, the map falls, though a and b are to be >= 0.
#
# Expected: beta calibration (Kull et al. 2017) asks for a, b >= 0, so that a larger score never has a smaller
# probability; where both would be negative the map is constant.
# Seen: 2,000 uniform scores s and labels with P(Y = 1) = 1 - s. A negative slope is dropped and the other fitted again,
# but that one is not looked at any more: it comes out near -2, and the map falls from .9 to .1 without a word.
# For whom it matters: a column of the wrong class, or a sign, is repaired in silence instead of being noticed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 betacal==1.1.0
"$folder/venv/bin/python" - <<'PY'
from importlib.metadata import version

import numpy as np
from betacal import BetaCalibration

rng = np.random.default_rng(0)
score = rng.random(2000)
label = (rng.random(2000) < 1 - score).astype(int)
fitted = BetaCalibration(parameters="abm").fit(score.reshape(-1, 1), label)
low, high = fitted.predict(np.array([[0.1], [0.9]]))
slopes = [round(float(each), 2) for each in fitted.calibrator_.map_[:2]]
print(f"betacal {version('betacal')}: slopes {slopes}; .1 becomes {low:.2f}, .9 becomes {high:.2f}")
assert min(slopes) < -1 and low > 0.8 and high < 0.2, "it has changed"
PY
echo "as stated above"
