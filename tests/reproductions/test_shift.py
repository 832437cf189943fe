"""The covariate-shift curves are the public functions', and the claim is put right."""

import json
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from calibtutor import median_bandwidth, rbf
from calibtutor.ckce import ckce, jkce
from calibtutor.data.worlds import covariate_shift, shifted_inputs
from calibtutor.reproductions import shift
from calibtutor.reproductions.blocks import in_blocks, stored_summary
from calibtutor.reproductions.shift import ALPHAS, METRICS, NAMES
from calibtutor.simplex import simplex_calibration_error


@lru_cache
def stored():
    return stored_summary("shift")


@lru_cache
def stored_curves():
    return shift.curves()


@lru_cache
def endless(rows=400):
    """What CKCE at two λ and JKCE estimate: residuals without the noise of labels, inputs equally likely."""
    table = {}
    for alpha in ALPHAS:
        x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
        f, truth = expit(5 * x), expit(x)
        eight = shift.spectra(np.column_stack([1 - f, f]), np.column_stack([truth - f, f - truth]))[0]
        table[alpha] = eight.norm(0, 1, 1000**-0.25), eight.norm(0, 1, 1e-3), eight.norm(0, 0, 0)
    return pd.DataFrame(table, index=["CKCE", "CKCE, λ = .001", "JKCE"]).T


# --- one data set ---


@pytest.mark.parametrize("k", [0, 7, 12, 24])
def test_one_data_set_holds_what_the_public_functions_return(k):
    y, p = covariate_shift(ALPHAS[k], 300, np.random.default_rng([3, k, 5]))
    gaussian = rbf(bandwidth=median_bandwidth(p))
    wanted = [
        ckce(y, p), ckce(y, p, kernel=lambda X, Y=None: X @ (X if Y is None else Y).T), ckce(y, p, kernel=gaussian),
        ckce(y, p, regularization=1e-3), jkce(y, p), 2 * simplex_calibration_error(y, p, n_steps=10),
    ]  # fmt: skip
    np.testing.assert_allclose(shift.one_data_set(NAMES[k], 5, seed=3, n=300), wanted, rtol=1e-8)


def test_a_data_set_depends_on_alpha_number_and_seed():
    others = [("alpha-03", 4, 0), ("alpha-04", 4, 0), ("alpha-03", 5, 0), ("alpha-03", 4, 1)]
    found = [shift.one_data_set(name, number, seed=seed, n=50)[0] for name, number, seed in others]
    assert len(set(found)) == 4 and found[0] == shift.one_data_set("alpha-03", 4, n=50)[0]
    assert len(ALPHAS) == 25 and (ALPHAS[0], ALPHAS[12], ALPHAS[24]) == (-1, 0, 1)


@pytest.mark.parametrize("statement", [shift.variation, shift.fall])
def test_statements_about_curves_and_their_errors(statement):
    rng = np.random.default_rng(0)
    mean, se = rng.uniform(0.5, 1.5, 25), rng.uniform(0.001, 0.003, 25)
    wanted = np.std(mean) / np.mean(mean) if statement is shift.variation else 1 - mean[12] / np.mean(mean[[0, 24]])
    found, error = statement(mean, se)
    assert found == pytest.approx(wanted, rel=1e-12) and statement(mean) == (found, 0)
    drawn = [statement(each)[0] for each in rng.normal(mean, se, (4000, 25))]
    assert error == pytest.approx(np.std(drawn), rel=0.06)


# --- many data sets ---


@pytest.mark.slow
def test_the_command_works_in_several_processes(tmp_path):
    # Run by -m, functions travel to the processes in another way than imported ones. All but one block are there.
    def quick(name, number, **settings):
        return np.random.default_rng(number).uniform(1, 2, len(METRICS))

    wanted, columns = dict.fromkeys(NAMES[:-1], shift.BLOCK), dict.fromkeys(NAMES, METRICS)
    for folder in (tmp_path / "another", tmp_path):  # the second folder of a process can be gone on with, too
        in_blocks(folder, wanted, quick, columns, {"seed": 0, "n": 1000}, block=shift.BLOCK, n_jobs=1, progress=False)
    options = ["--share", "0.05", "--jobs", "2", "--folder", str(tmp_path)]
    command = [sys.executable, "-m", "calibtutor.reproductions.shift", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "JKCE: variation over α" in done.stdout
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["command"] == "python -m calibtutor.reproductions.shift --share 0.05 --seed 0"
    assert found["data_sets"] == 20 and found["first"][NAMES[0]][2] == quick("", 2).tolist()
    assert found["first"][NAMES[-1]][0] == pytest.approx(stored()["first"][NAMES[-1]][0])


def test_the_summary_is_that_of_the_values():
    rng = np.random.default_rng(0)
    results = {name: rng.uniform(1, 2, (45, len(METRICS))) for name in NAMES}
    found = shift.summarise(results, command="by hand", seed=3)
    assert json.loads(json.dumps(found)) == found
    assert [found[key] for key in ("command", "seed", "data_sets")] == ["by hand", 3, 45]
    for k, name in enumerate(NAMES):
        np.testing.assert_allclose(found["mean"][k], results[name].mean(axis=0))
        np.testing.assert_allclose(found["sd"][k], results[name].std(axis=0, ddof=1))
        assert found["first"][name] == results[name][:3].tolist()


# --- what is stored ---


def test_the_stored_summary_is_that_of_the_full_run():
    found = stored()
    assert found["command"] == "python -m calibtutor.reproductions.shift --share 1 --seed 0"
    assert [found[k] for k in ("seed", "n", "data_sets")] == [shift.SEED, 1000, shift.TRIALS] and shift.TRIALS >= 200
    assert tuple(found["metrics"]) == METRICS and list(found["first"]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_first_data_set_made_again_gives_the_stored_numbers(name):
    np.testing.assert_allclose(shift.one_data_set(name, 0), stored()["first"][name][0], rtol=1e-6)


def test_conditional_errors_vary_less_than_the_joint_one_but_are_not_constant():
    mean, se = stored_curves()
    rough = {metric: shift.variation(mean[metric], se[metric]) for metric in METRICS}
    assert rough["CKCE"][0] + 3 * rough["CKCE"][1] < 0.15 and rough["JKCE"][0] - 3 * rough["JKCE"][1] > 0.35
    drop = {metric: shift.fall(mean[metric], se[metric]) for metric in METRICS}
    assert drop["CKCE"][0] > 5 * drop["CKCE"][1]  # the paper: 0
    # The order of robustness stands.
    order = ["CKCE", "CKCE, linear", "CKCE, Gaussian", "CKCE, λ = .001", "JKCE"]
    falls = [drop[metric][0] for metric in order]
    assert falls == sorted(falls) and drop["CKCE, linear"][0] < drop["ECE"][0] < drop["JKCE"][0]


def test_the_curves_are_those_of_endless_data_and_noise():
    mean, se = stored_curves()
    # Unbiased but for the bandwidth, which moves with the data.
    assert (np.abs(mean["JKCE"] - endless()["JKCE"]) < 4 * se["JKCE"] + 0.005 * endless()["JKCE"]).all()
    assert (mean["CKCE"] > endless()["CKCE"]).all()
    assert (mean["CKCE, λ = .001"] > 1.5 * endless()["CKCE, λ = .001"]).all()
    # With a small λ all of the fall is noise: the error that is there rises.
    assert shift.fall(endless()["CKCE, λ = .001"])[0] < -0.1 < 0.5 < shift.fall(mean["CKCE, λ = .001"])[0]


def test_the_table_beside_the_published():
    table = shift.beside_published()
    mean, se = stored_curves()
    assert list(table.index) == list(METRICS) and table.shape == (6, 7)
    assert table.loc["JKCE", "α = -0.5"] == f"{mean['JKCE'].iloc[6]:.3f}"
    assert table.loc["CKCE", "fall (s.e.)"] == "{:.3f} ({:.3f})".format(*shift.fall(mean["CKCE"], se["CKCE"]))
