"""The housing survey: what can be redone of Figures 1 and 2 and of Tables 1 and 2, and the stored tables."""

import numpy as np
import pytest

from calibtutor.binning import expected_calibration_error
from calibtutor.data.downloads import available
from calibtutor.kernels import rbf
from calibtutor.klce import klce_test
from calibtutor.lessons.case_studies.scenes import dots_by_split
from calibtutor.reproductions import housing as study
from calibtutor.reproductions.heart import objectives, printed_statistic

needs_data = pytest.mark.skipif(
    not available("AHS_2019_Cleaned.csv"), reason="AHS_2019_Cleaned.csv: no copy; see python -m calibtutor data"
)


def toy(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.001, 0.999, n)
    return (rng.random(n) < p).astype(int), p, np.column_stack([rng.uniform(4, 5.7, n), rng.integers(0, 2, n)])


def test_few_features_give_the_exact_statistic_and_p_value():
    y, p, X = toy()
    found, pvalue = study.local_test(y, p, X, gamma=25, n_resamples=99, rng=3)
    exact = printed_statistic(y, p, X, gamma=25)
    assert found.printed == pytest.approx(exact.printed, rel=1e-5)
    assert found.mean_kernel == pytest.approx(exact.mean_kernel, rel=1e-6)
    kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=25)}
    assert pvalue == klce_test(y, p, X, **kernels, n_resamples=99, rng=3).pvalue


def test_the_histogram_error_mixes_two_binnings():
    y, p, _ = toy(4000)
    assert study.histogram_ece(y, p) == pytest.approx(expected_calibration_error(y, p, n_bins=10), abs=1e-3)
    squeezed = 0.05 + 0.9 * p**2  # its bins are no longer tenths
    assert abs(study.histogram_ece(y, squeezed) - expected_calibration_error(y, squeezed, n_bins=10)) > 1e-4
    with pytest.raises(ValueError, match="are empty"):
        study.histogram_ece(y, p / 2)


def test_objectives_keep_the_plain_optimum_where_it_is_calibrated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (rng.random(3000) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    found = objectives(X, y, X)
    assert list(found) == ["XE", "XE + MMCE", "XE + MMD"]
    for p in found.values():
        assert np.abs(p - found["XE"]).max() < 0.02
    assert (found["XE"] != found["XE + MMCE"]).any() and (found["XE"] != found["XE + MMD"]).any()


@needs_data
def test_the_constant_of_table_1_to_every_digit():
    train, test = study._split()
    assert len(test) == 12165
    p = np.full(len(test), train["OWNER"].mean())
    X = test[study.AUDITED].to_numpy(float)
    found = printed_statistic(test["OWNER"].to_numpy(), p, X, gamma=0.5)
    assert found.printed == pytest.approx(study.TABLE_1["constant"][0], abs=1e-10)
    assert found.equation_4 == pytest.approx(0.002259, abs=1e-6)


@needs_data
def test_figure_1():
    means = study.age_of_owners(range(3)).groupby("model").mean()
    assert means["age"].to_numpy() == pytest.approx([53.2, 56.1], abs=0.15)
    assert means["accuracy"].to_numpy() == pytest.approx([0.721, 0.705], abs=0.004)
    assert means["Brier"].to_numpy() == pytest.approx([0.1845, 0.199], abs=0.0015)


@needs_data
def test_figure_2_and_the_model_that_it_lacks():
    found = study.ownership_gap([0]).set_index("model")
    assert found.loc["forest", "ECE"] > 3 * found.loc["LR without BLACK", "ECE"]  # the text says the opposite
    assert found.loc["forest", "ECE, authors"] == pytest.approx(0.038, abs=0.003)
    assert found.loc["forest", "gap"] == pytest.approx(-0.195, abs=0.02)
    assert found.loc["LR without BLACK", "gap"] == pytest.approx(-0.131, abs=0.01)
    assert found.loc["LR with BLACK", "gap"] == pytest.approx(found.loc["LR with BLACK", "truth"], abs=0.02)


@pytest.mark.slow
@needs_data
def test_stored_rows_come_back():
    predictions, test = study.predictions_of_table_2()
    name = "XE + MMD"
    again = study.on_tables({name: predictions[name]}, test, kernels={name: (0.1, 25)}, n_resamples=999)
    stored = study.stored_tables()["table 2"].loc[name]
    assert again.loc[name].to_numpy(float) == pytest.approx(stored.to_numpy(float), rel=1e-4, abs=2e-3)
    assert again.loc[name, "equation 4"] == pytest.approx(stored["equation 4"], rel=1e-3)


def test_pictures_answer_and_say_what_they_show():
    said = dots_by_split({"age": {"a": [1, 3], "b": [4, 4]}}, truth={"age": 2}).finding.sentence
    assert "Mean age: a 2, b 4" in said and "truth 2" in said
