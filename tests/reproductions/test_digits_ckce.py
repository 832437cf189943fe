"""Table 1 and Figure 3 in method, on digits: what is stored is made again, and bounds and noise are what they say."""

import json
from functools import lru_cache
from itertools import product

import ckce_oracles
import numpy as np
import pytest

from calibtutor.ckce import jkce
from calibtutor.data.datasets import MODELS, brightened_digits
from calibtutor.reproductions import digits_ckce as digits
from calibtutor.simplex import simplex_calibration_error

# Trained in a second. The network's last digits, and what is made of them, may differ between machines.
REPEATABLE = {"logistic regression": 1e-4, "naive Bayes": 1e-4, "decision tree": 1e-4, "neural network": 0.05}


@lru_cache
def stored():
    return digits.stored_summary()


# --- Table 1 ---


def test_the_joint_error_of_a_constant_prediction_is_the_closed_form_and_bounded():
    q = np.array([0.5, 0.3, 0.2])
    y = np.array([0, 1, 1, 2, 0, 0, 0])
    assert digits.constant_jkce([4, 2, 1], q) == pytest.approx(jkce(y, np.tile(q, (7, 1))), rel=1e-12)
    least = digits.smallest_constant_jkce(3)
    for n in (2, 3, 4):
        found = [jkce(list(y), np.full((n, 3), 1 / 3)) for y in product(range(3), repeat=n)]
        assert min(found) > least - 1e-12 and (n > 3 or min(found) == pytest.approx(least))


def test_the_printed_marginal_value_is_impossible():
    printed = digits.PUBLISHED["ImageNet: marginal"][3]
    assert printed + 0.0005 < digits.smallest_constant_jkce(1000)  # before it was rounded it was below −.0015
    table = digits.marginal_bounds()["JKCE of a constant prediction"]
    assert list(table[:3]) == ["-0.0020000", "-0.0010010", "-0.0000200"] and table.iloc[3] == table.iloc[4]


def test_what_noise_alone_does_is_the_mean_over_all_labels():
    p = np.array([[0.6, 0.3, 0.1], [0.61, 0.3, 0.09], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    labels = list(product(range(3), repeat=4))
    weight = [np.prod(p[range(4), y]) for y in labels]
    wanted = np.dot(weight, [ckce_oracles.default_ckce(list(y), p.tolist()) for y in labels])
    assert digits.calibrated_ckce(p) == pytest.approx(wanted, rel=1e-9)
    wanted = np.dot(weight, [2 * simplex_calibration_error(y, p) for y in labels])
    assert digits.calibrated_ece(p, rng=digits.SEED) == pytest.approx(wanted, abs=4 * 0.4 / np.sqrt(digits.DRAWS))
    assert digits.calibrated_ckce(np.tile(p[0], (4, 1))) > 0


def test_the_constant_model_says_the_same_in_every_light():
    _, p = digits.said(digits.MARGINAL, 20)
    assert p.shape == (1079, 10) and (np.ptp(p, axis=0) == 0).all()
    assert np.array_equal(digits.said("naive Bayes", 20)[1], brightened_digits("naive Bayes", 20).y_prob)


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
    forest = stored()["table 1"]["random forest"]
    assert forest["CKCE"] > 10 * forest["CKCE if calibrated"] and forest["ECE"] < 0.95 * forest["ECE if calibrated"]


# --- Figure 3 ---


@pytest.mark.parametrize("model", REPEATABLE)
def test_figure_3_made_again_gives_the_stored_numbers(model):
    rows = {row["brightness"]: row for row in stored()["figure 3"] if row["model"] == model}
    assert tuple(rows) == digits.BRIGHTNESS
    for percent in (-50, 30):
        found = digits.brightness_row(model, percent)
        assert {key: found[key] for key in ("model", "brightness")} == {"model": model, "brightness": percent}
        for key in ("accuracy", "confidence", *digits.MEASURES):
            assert found[key] == pytest.approx(rows[percent][key], rel=REPEATABLE[model]), key


def test_preferences_count_brightness_levels():
    table, rows = digits.preferences(), digits.figure_3(["naive Bayes", "random forest"])
    assert len(rows) == 22 and len(digits.figure_3()) == 55
    naive, forest = (rows[rows.model == model].reset_index() for model in ("naive Bayes", "random forest"))
    for measure in digits.MEASURES:
        assert table.loc["random forest before naive Bayes", measure] == (forest[measure] < naive[measure]).sum()
    pairs = table.iloc[:-1]
    assert len(pairs) == 10 and (table.iloc[-1] == ((pairs == 0) | (pairs == 11)).sum()).all()
    with pytest.raises(ValueError, match="models: expected some of .*; got oracle"):
        digits.figure_3(["oracle"])


def test_the_command_for_digits_writes_what_it_computes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(digits.summarise, "__kwdefaults__", {
        "models": ("naive Bayes",), "brightness": (0, 10), "progress": False,
    })  # fmt: skip
    digits.main(["--file", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["command"] == stored()["command"] == "python -m calibtutor.reproductions.digits_ckce"
    assert list(found["table 1"]) == ["naive Bayes", digits.MARGINAL] and len(found["figure 3"]) == 2
    assert found["table 1"]["naive Bayes"] == pytest.approx(stored()["table 1"]["naive Bayes"], rel=1e-4)
    assert "cross entropy" in capsys.readouterr().out
