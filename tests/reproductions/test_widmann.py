"""The poster's simulation is what it says. What is stored is read in claims/test_bounds.py."""

import json
import math

import kce_oracles as literal
import numpy as np
import pytest
from scipy.stats import ttest_1samp

from calibtutor import kce_test
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.worlds import widmann_model
from calibtutor.reproductions import widmann
from calibtutor.reproductions.widmann import ESTIMATES, LEVELS, MODELS, TESTS, draw_pairs

CALIBRATED = ("M1", "heteroscedastic", "near-deterministic")


def total_variation(a, b):
    return math.fsum(abs(x - z) for x, z in zip(a, b, strict=True)) / 2


def authors_kernel(p):
    """exp(−TV/ν), ν the median of all n² total variations."""
    p = np.asarray(p).tolist()
    bandwidth = np.median([total_variation(a, b) for a in p for b in p])
    return lambda a, b: math.exp(-total_variation(a, b) / bandwidth)


@pytest.mark.parametrize("model", MODELS)
def test_one_data_set_holds_the_tests_of_its_data(model):
    n, draws = 16, 19
    found = widmann.one_data_set(model, 5, seed=2, n=n, n_resamples=draws)
    assert found.shape == (len(ESTIMATES) + len(TESTS),)
    estimate, pvalue = dict(zip(ESTIMATES, found, strict=False)), dict(zip(TESTS, found[len(ESTIMATES) :], strict=True))
    y, p, rng = widmann.draw(model, 5, 2, n)
    kernel, groups = authors_kernel(p), literal.colliding_groups(p.tolist())

    assert estimate["ECE"] == pytest.approx(literal.simplex_error(y, p.tolist()), abs=1e-12)
    assert estimate["ECE, colliding cells"] == pytest.approx(literal.error_of_groups(groups, y, p), abs=1e-12)
    for name, definition in (("b", literal.biased), ("uq", literal.unbiased), ("ul", literal.linear)):
        assert estimate[f"SKCE_{name}"] == pytest.approx(definition(kernel, y, p), abs=1e-12)

    assert pvalue["D_b"] == pytest.approx(literal.bound_biased(estimate["SKCE_b"], n, 2), rel=1e-9)
    for name in ("uq", "ul"):
        assert pvalue[f"D_{name}"] == pytest.approx(literal.bound_unbiased(estimate[f"SKCE_{name}"], n, 2), rel=1e-9)
    terms = literal.pair_terms(literal.terms(kernel, y, p))
    assert pvalue["A_l"] == pytest.approx(ttest_1samp(terms, 0, alternative="greater").pvalue, rel=1e-6)

    # Drawn again, in this order: for the bootstrap, for labels with seven bandwidths, and for the ECEs.
    kernels = [widmann.TotalVariationLaplacian(2.0**k * widmann.authors_bandwidth(p)) for k in range(-3, 4)]
    bootstrap = kce_test(y, p, kernel=kernels[3], method="asymptotic", n_resamples=draws, rng=rng)
    every = kce_test(y, p, kernel=kernels, n_resamples=draws, rng=rng)
    labels, (rows, drawn) = draw_labels(p, draws, rng), draw_pairs(p, draws, rng)
    assert every.estimate[3] == pytest.approx(estimate["SKCE_uq"], rel=1e-9)
    wanted = [bootstrap.pvalue, every.single_pvalues[3], every.pvalue]
    assert [pvalue[name] for name in ("A_uq", "exact", "aggregated")] == wanted

    # The p-values of the ECEs, one drawn data set at a time.
    error = lambda y, p: round(literal.simplex_error(y, p.tolist()), 12)
    collided = lambda y, i: round(literal.error_of_groups(literal.colliding_groups(p[i].tolist()), y, p[i]), 12)
    pairs = list(zip(rows.T, drawn.T, strict=True))
    assert pvalue["exact ECE"] == literal.rank_pvalue(error(y, p), [error(column, p) for column in labels.T])
    assert pvalue["C"] == literal.rank_pvalue(error(y, p), [error(column, p[i]) for i, column in pairs])
    first = collided(y, np.arange(n))
    assert pvalue["C, colliding cells"] == literal.rank_pvalue(first, [collided(column, i) for i, column in pairs])
    skce = lambda y, p: round(literal.unbiased(kernel, y, p), 12)
    assert pvalue["C with SKCE_uq"] == literal.rank_pvalue(skce(y, p), [skce(column, p[i]) for i, column in pairs])


def test_true_values():
    p = np.random.default_rng(0).dirichlet([0.1] * 10, 200_000)
    for model, truth in (("M2", (p + np.eye(10)[0]) / 2), ("M3", 0.1)):
        distances = np.abs(p - truth).sum(axis=1) / 2
        ece, error = widmann.true_values(model, data_sets=2, rows=120)
        assert abs(ece - distances.mean()) < 4.5 * distances.std() / np.sqrt(200_000)
        found = []
        for number in range(2):
            kernel = widmann.TotalVariationLaplacian(widmann.authors_bandwidth(widmann.draw(model, number)[1]))
            q = widmann_model(model, 120, rng=np.random.default_rng([0, 99, number]))[1]
            gap = q - ((q + np.eye(10)[0]) / 2 if model == "M2" else 0.1)
            h = kernel(q) * (gap @ gap.T)
            found.append((h.sum() - np.trace(h)) / (120 * 119))
        assert error == pytest.approx(np.mean(found), rel=1e-10)
    for model in CALIBRATED:
        assert widmann.true_values(model) == (0, 0)


def test_the_summary_is_that_of_the_values(monkeypatch):
    monkeypatch.setattr(widmann, "true_values", lambda model: (0.25, 0.5))
    rng, width = np.random.default_rng(0), len(ESTIMATES) + len(TESTS)
    values = {"M1": rng.integers(1, 201, (60, width)) / 200, "M3": rng.random((40, width))}
    found = widmann.summarise(values)
    assert json.loads(json.dumps(found)) == found and list(found["models"]) == ["M1", "M3"]
    for model, table in values.items():
        each = found["models"][model]
        assert each["data_sets"] == len(table)
        for column, name in zip(table.T, ESTIMATES, strict=False):
            of = each["estimates"][name]
            assert (of["mean"], of["sd"]) == pytest.approx((column.mean(), column.std(ddof=1)), rel=1e-12)
            assert of["truth"] == (0.25 if "ECE" in name else 0.5)
            ends = of["first_edge"] + of["width"] * np.arange(41)
            assert ends[0] == column.min() and ends[-1] == pytest.approx(column.max(), rel=1e-12)
            assert sum(of["counts"]) == len(table) and len(of["counts"]) == 40
        for column, name in zip(table.T[len(ESTIMATES) :], TESTS, strict=True):
            rates = [round(sum(v <= level + 1e-12 for v in column) / len(column), 5) for level in LEVELS]
            assert each["rejected"][name] == rates and rates[-1] == 1
