#!/usr/bin/env bash
# Whose ECE? Seven packages on the same 40 answers, ten bins asked for.
#
# Answers: .75 (all right), .8 (all wrong), .85 (all right), 1 (all wrong), ten each: .8 is an end of a bin. Expected, as
# most papers define it: bins (a, b], so that .8 shares a bin with .75, and .425. Left-closed bins, .8 with .85, give .475.
# A second set, .95 (right) and 1 (wrong), tells whether 1 has a bin of its own: .525, or .475 if the last bin is closed.
# Seen:
#   (a, b]                          scikit-learn 1.9.1 (calibration_curve), uncertainty-calibration 0.1.4, calzone-tool 0.1.0
#   (a, b], num_bins are edges      MAPIE 1.6.0: num_bins=10 makes 9 bins, 11 makes ten
#   [a, b), the last one closed     netcal 1.4.0
#   [a, b), 1 in a bin of its own   relplot 1.0.3, torchmetrics 1.9.0
# torchmetrics' norm "l2" is a root; uncertainty-calibration's get_calibration_error has by default a bin for each of few
# distinct numbers, and norm 2 with the root.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q numpy==2.4.6 scikit-learn==1.9.1 MAPIE==1.6.0 torch==2.13.0 torchmetrics==1.9.0 \
    netcal==1.4.0 uncertainty-calibration==0.1.4 relplot==1.0.3 calzone-tool==0.1.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import calibration as uncertainty
import numpy as np
import torch
from calzone.metrics import calculate_ece_mce
from calzone.utils import reliability_diagram
from mapie.metrics.calibration import expected_calibration_error as mapie
from netcal.metrics import ECE
from relplot.metrics import binnedECE
from sklearn.calibration import calibration_curve
from torchmetrics.functional.classification import binary_calibration_error

SETS = {"ends": ([0.75, 0.8, 0.85, 1.0], [1, 0, 1, 0]), "one": ([0.95, 1.0], [1, 0])}


def scikit_learn(c, hit):
    said = calibration_curve(hit, c, n_bins=10)[1]
    return float(said[0])  # the mean of the first bin: .775 if .75 and .8 share it


def calzone(c, hit):
    right, said, _, count = reliability_diagram(hit, np.column_stack([1 - c, c]), num_bins=10)
    return calculate_ece_mce(right, said, count)[0]


def torchmetrics(c, hit, norm="l1"):
    return binary_calibration_error(torch.tensor(c), torch.tensor(hit), n_bins=10, norm=norm)


STATED = [
    ("scikit-learn, first bin's mean", scikit_learn, 0.775, None),
    ("uncertainty-calibration", lambda c, hit: uncertainty.get_ece(c, hit, num_bins=10), 0.425, 0.475),
    ("calzone-tool", calzone, 0.425, 0.475),
    ("MAPIE, num_bins=10", lambda c, hit: mapie(hit, c, num_bins=10), 0.475, None),
    ("MAPIE, num_bins=11", lambda c, hit: mapie(hit, c, num_bins=11), 0.425, 0.475),
    ("netcal", lambda c, hit: ECE(10).measure(c, hit), 0.475, 0.475),
    ("relplot", lambda c, hit: binnedECE(c, hit, nbins=10), 0.475, 0.525),
    ("torchmetrics", torchmetrics, 0.475, 0.525),
    ("torchmetrics, l2", lambda c, hit: torchmetrics(c, hit, "l2"), np.sqrt(0.318438), None),
    ("uncertainty-calibration, default", uncertainty.get_calibration_error, np.sqrt(0.43125), None),
]
changed = []
for name, measure, *stated in STATED:
    found = [float(measure(np.repeat(c, 10), np.repeat(hit, 10))) for c, hit in SETS.values()]
    print(f"{name:34} ends {found[0]:.4f}  one {found[1]:.4f}")
    changed += [name for a, b in zip(found, stated) if b is not None and abs(a - b) > 1e-4]
assert not changed, f"not as stated any more: {changed}"
PY
echo "as stated above"
