"""The stored summary of the poster's simulation is this code's, holds its levels, and agrees with the published."""

from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

from calibtutor.reproductions import widmann
from calibtutor.reproductions.widmann import ESTIMATES, LEVELS, MODELS, PUBLISHED, TESTS

CALIBRATED = ("M1", "heteroscedastic", "near-deterministic")


@lru_cache
def stored():
    return widmann.stored_summary()


def test_the_stored_summary_is_that_of_the_full_run():
    found = stored()
    assert found["command"].startswith("python -m calibtutor.reproductions.widmann ")
    assert [found[k] for k in ("seed", "n", "n_resamples")] == [widmann.SEED, widmann.N, widmann.RESAMPLES]
    assert tuple(found["models"]) == MODELS
    for each in found["models"].values():
        assert each["data_sets"] >= 2000
        assert tuple(each["estimates"]) == ESTIMATES and tuple(each["rejected"]) == TESTS
        assert all(sum(of["counts"]) == each["data_sets"] for of in each["estimates"].values())
        for rates in each["rejected"].values():
            assert len(rates) == len(LEVELS) and sorted(rates) == rates and rates[-1] == 1


@pytest.mark.parametrize("model", MODELS)
def test_the_first_data_sets_made_again_give_the_stored_numbers(model):
    for number, row in enumerate(stored()["models"][model]["first"][:2]):
        np.testing.assert_allclose(widmann.one_data_set(model, number), row, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("test", ["exact", "aggregated", "exact ECE"])
@pytest.mark.parametrize("model", CALIBRATED)
def test_the_stored_sizes_are_the_levels(model, test):
    each = stored()["models"][model]
    for level in (0.01, 0.05, 0.1):
        low, high = binom.ppf([0.005, 0.995], each["data_sets"], level) / each["data_sets"]
        rate = each["rejected"][test][round(200 * level)]
        assert rate <= high + 5e-6  # rates are rounded to five digits
        # Where hardly a label surprises, ties cost size.
        assert rate >= low - 5e-6 or model == "near-deterministic"


def test_the_stored_estimates_have_the_true_means():
    for model in MODELS:
        each = stored()["models"][model]
        for name, of in each["estimates"].items():
            ece, error = widmann.true_values(model) if model in CALIBRATED else (of["truth"], of["truth"])
            assert of["truth"] == (ece if "ECE" in name else error)
            standard_error = of["sd"] / np.sqrt(each["data_sets"])
            if name in ("SKCE_uq", "SKCE_ul"):  # the truth of M2 and M3 is itself a mean over 20 bandwidths
                assert abs(of["mean"] - of["truth"]) < 4.5 * standard_error + 0.01 * of["truth"]
            elif name != "ECE, colliding cells":
                assert of["mean"] > of["truth"] + 4.5 * standard_error  # biased, and upwards


def test_the_stored_figures_are_the_published_ones():
    # Both have the noise of their data sets: 10,000 of the authors', with 1,000 resamples to our 199.
    for k, model in enumerate(("M1", "M2", "M3")):
        each = stored()["models"][model]
        spread = np.sqrt(1 / each["data_sets"] + 1 / 10_000)
        for name, published in PUBLISHED["means"].items():
            of = each["estimates"][name]
            assert abs(of["mean"] - published[k]) < 4.5 * of["sd"] * spread + 5e-5, (model, name)
        for test, published in PUBLISHED["rejected at .05"].items():
            if published[k] is not None:
                rate = each["rejected"][test][10]
                noise = np.sqrt(max(rate * (1 - rate), 1e-3)) * spread
                assert abs(rate - published[k]) < 4.5 * noise + 0.005, (model, test)
