"""Table 1 in method, on digits: what is stored is made again, and noise is what it says."""

import json
from functools import lru_cache
from itertools import product

import ckce_oracles
import kce_oracles
import numpy as np
import pytest
from risk_oracles import residual_rows

from calibtutor.data.datasets import MODELS
from calibtutor.reproductions import digits_ckce as digits
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.simplex import simplex_calibration_error

# Trained in a second. The network's last digits, and what is made of them, may differ between machines.
REPEATABLE = {"logistic regression": 1e-4, "naive Bayes": 1e-4, "decision tree": 1e-4, "neural network": 0.05}


@lru_cache
def stored():
    return stored_summary("digits_ckce")


# --- Table 1 ---


def test_what_noise_alone_does_is_the_mean_over_all_labels():
    p = np.array([[0.6, 0.3, 0.1], [0.61, 0.3, 0.09], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    labels = list(product(range(3), repeat=4))
    weight = [np.prod(p[range(4), y]) for y in labels]
    K = ckce_oracles.gram(kce_oracles.linear_and_gaussian(1.0), p.tolist())
    wanted = np.dot(weight, [ckce_oracles.trace_formula(K, residual_rows(y, p), 4**-0.25) for y in labels])
    assert digits.calibrated_ckce(p) == pytest.approx(wanted, rel=1e-9)
    wanted = np.dot(weight, [2 * simplex_calibration_error(y, p) for y in labels])
    assert digits.calibrated_ece(p, rng=digits.SEED) == pytest.approx(wanted, abs=4 * 0.4 / np.sqrt(digits.DRAWS))
    assert digits.calibrated_ckce(np.tile(p[0], (4, 1))) > 0


@pytest.mark.parametrize("model", [*REPEATABLE, digits.MARGINAL])
def test_table_1_made_again_gives_the_stored_numbers(model):
    found, wanted = digits.performance(model), stored()["table 1"][model]
    assert list(found) == list(wanted)
    for key, value in wanted.items():
        assert found[key] == pytest.approx(value, rel=REPEATABLE.get(model, 1e-4), abs=1e-9), key


def test_table_1_says_what_is_known_of_the_marginal_model():
    table = digits.table_1()
    assert list(stored()["table 1"]) == [*MODELS, digits.MARGINAL] and table.shape == (9, 9)
    assert list(table.index[-3:]) == list(digits.PUBLISHED) and table.index[5] == digits.MARGINAL
    marginal = stored()["table 1"][digits.MARGINAL]
    assert marginal["cells"] == 1 and marginal["ECE"] < 0.01 and -1e-3 < marginal["JKCE"] < 0
    assert table.loc["ImageNet: ViT", "ECE"] == "0.389" and table.loc["ImageNet: ViT", "cells"] == ""


def test_the_error_in_cells_is_noise_for_the_accurate_models():
    for model in ("random forest", "logistic regression", "neural network"):
        row = stored()["table 1"][model]
        assert row["cells of one row"] > 0.6 * row["cells"] and row["cells"] < 0.01 * 92_377
        assert row["ECE"] < 1.02 * row["ECE if calibrated"]  # no more than a calibrated model would have
        assert row["CKCE"] > 1.3 * row["CKCE if calibrated"]


def test_the_command_for_digits_writes_what_it_computes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(digits.summarise, "__kwdefaults__", {"models": ("naive Bayes",), "progress": False})
    digits.main(["--file", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["command"] == stored()["command"] == "python -m calibtutor.reproductions.digits_ckce"
    assert list(found["table 1"]) == ["naive Bayes", digits.MARGINAL]
    assert found["table 1"]["naive Bayes"] == pytest.approx(stored()["table 1"]["naive Bayes"], rel=1e-4)
    assert "cross entropy" in capsys.readouterr().out
