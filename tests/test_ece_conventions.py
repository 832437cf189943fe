"""Our ECE against the figures of two tools that people use, on the same 10,000 predictions.

Recorded on 2026-11-21 with torchmetrics 1.9.0 (torch 2.13.0, CPU) and netcal 1.4.0, both under numpy 2.4.6:
`multiclass_calibration_error(norm="l1" | "l2" | "max")`, netcal's `ECE` and `MCE`.

The tools close their bins on the other side than we do. Ours are (a, b], the first one holding 0; both tools
use [a, b). On top of that, torchmetrics puts a confidence of exactly 1 into a bin of its own, a sixteenth for
n_bins=15, whereas netcal clips it to 1 - 2e-16 and so keeps it in the last bin. No prediction below lies on
an edge or at 1, hence the agreement; predictions on a grid, as from a small forest, can differ.

torchmetrics also adds up in float32, whatever it is given. With 9,000 confidences near 1 in one bin, as on
CIFAR-10, that costs 3e-5: its own formula in float64 gives netcal's figure.
"""

import numpy as np
import pytest

from calibtutor.binning import expected_calibration_error
from calibtutor.data.datasets import load_cifar10

# (n_bins, norm) -> (torchmetrics, netcal); netcal has no norm 2.
SYNTHETIC = {
    (15, 1): (0.0593913, 0.0593914),
    (15, 2): (0.0842940, None),
    (15, "max"): (0.2715762, 0.2715762),
    (10, 1): (0.0578881, 0.0578880),
    (10, 2): (0.0815637, None),
    (10, "max"): (0.2826326, 0.2826324),
}
CIFAR10 = {
    (15, 1): (0.0398100, 0.0397801),
    (15, 2): (0.0652917, None),
    (15, "max"): (0.2856855, 0.2856857),
    (10, 1): (0.0399378, 0.0399071),
    (10, 2): (0.0587590, None),
    (10, "max"): (0.2860758, 0.2860762),
}


@pytest.fixture(scope="module")
def synthetic():
    """Confidence up to 1; the truth is sharper than predicted in the middle and flatter at the top."""
    rng = np.random.default_rng(0)
    y_prob = rng.dirichlet(np.full(10, 0.2), size=10_000)
    truth = y_prob**3
    truth = 0.6 * truth / truth.sum(axis=1, keepdims=True) + 0.04
    y_true = (rng.random((10_000, 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(axis=1)
    return y_true, y_prob


@pytest.fixture(scope="module")
def cifar10():
    p = load_cifar10(progress=False)
    return p.y_true, p.y_prob


@pytest.mark.parametrize(("data", "recorded"), [("synthetic", SYNTHETIC), ("cifar10", CIFAR10)])
def test_same_figure_as_torchmetrics_and_netcal(data, recorded, request):
    y_true, y_prob = request.getfixturevalue(data)
    for (n_bins, norm), (torchmetrics, netcal) in recorded.items():
        ours = expected_calibration_error(y_true, y_prob, n_bins=n_bins, norm=norm)
        assert ours == pytest.approx(torchmetrics, abs=1e-4)
        assert netcal is None or ours == pytest.approx(netcal, abs=1e-6)
