"""The simulations of Figures 3 and 5 are `klce_test`'s, and say what the stored summary says."""

import json
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

from calibtutor import klce_test, rbf
from calibtutor.data.local_worlds import NULL_DESIGNS, constant_kernel, hidden_feature
from calibtutor.reproductions import local
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.reproductions.local import LEVELS, NULLS, PUBLISHED, STUDIES

FIGURE_3 = [name for name in STUDIES if name.startswith("figure3")]
FIGURE_5 = [name for name in STUDIES if name.startswith("figure5")]


@lru_cache
def stored():
    return stored_summary("local")


def rejected(name, column, level=0.05):
    each = stored()["studies"][name]
    return each["rejected"][column][LEVELS.index(level)] / each["data_sets"]


# --- one data set ---


def kernels(pair):
    width, feature_width = pair
    features = constant_kernel if np.isinf(feature_width) else rbf(width=feature_width)
    return {"prob_kernel": rbf(width=width), "feature_kernel": features}


@pytest.mark.parametrize("name", ["figure3-n500-d10", "figure3-n1000-d50", "figure5-widths", "figure5-n20"])
def test_one_data_set_holds_the_pvalues_of_klce_test(name):
    study, found = STUDIES[name], iter(local.one_data_set(name, 7, seed=3, n_resamples=49))
    y, p, X = study.draw(local.streams(name, 7, 3)[0])
    stream = dict(zip(NULLS, (1, 2, 2, 3, 4), strict=True))  # both permutation nulls: the same draws

    def test(null, **options):
        return klce_test(y, p, X, null=null, n_resamples=49, rng=local.streams(name, 7, 3)[stream[null]], **options)

    for pair in study.widths[: study.all_nulls]:
        for null in NULLS[:-1]:
            assert next(found) == test(null, **kernels(pair)).pvalue, (pair, null)
    pairs = [kernels(pair) for pair in study.widths]

    def together(chosen):
        return test("labels", **{key: [pair[key] for pair in chosen] for key in pairs[0]})

    assert [next(found) for _ in pairs] == list(together(pairs).single_pvalues)
    for group in study.groups.values():
        assert next(found) == together([pairs[index] for index in group]).pvalue
    assert not list(found)


def test_the_designs_are_the_papers():
    assert [STUDIES[name].n for name in FIGURE_5] == [50, 20, 40, 60, 80, 100] and set(PUBLISHED) == set(STUDIES)
    widths = [width for width, _ in STUDIES["figure5-widths"].widths]
    np.testing.assert_allclose(widths, np.linspace(0.01, 0.99, 11), atol=1e-12)
    for name, study in STUDIES.items():
        if name in FIGURE_3:
            assert (study.n, study.n_features) == tuple(int(part[1:]) for part in name.split("-")[1:])
            assert study.widths[0] == (5, 5) and study.all_nulls == 1
            wanted = hidden_feature(study.n, study.n_features, local.streams(name, 4)[0])
        else:
            assert all(np.isinf(feature_width) for _, feature_width in study.widths)
            wanted = NULL_DESIGNS["the paper's Figure 5"].draw(study.n, local.streams(name, 4)[0])
        assert all((a == b).all() for a, b in zip(study.draw(local.streams(name, 4)[0]), wanted, strict=True))


# --- many data sets ---


@pytest.mark.slow
def test_a_dask_cluster_writes_the_same_bytes(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(local, "STUDIES", {name: STUDIES[name] for name in FIGURE_3[:2]})
    monkeypatch.setattr(local, "BLOCK", 1)
    run = lambda name, *how: local.main(["--share", "0.002", "--folder", str(tmp_path / name), *how])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        for name in ("first", "second"):  # for a worker that lives on, the second folder is another one
            run(name, "--dask", cluster.scheduler_address)
        assert any("_kept" in name for name in cluster.scheduler.task_prefixes)  # by the cluster
    run("alone", "--jobs", "1")
    alone = {file.name: file.read_bytes() for file in (tmp_path / "alone").iterdir()}
    assert len(alone) == 5  # two blocks a study, and the summary
    for name in ("first", "second"):
        assert {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} == alone


def test_the_summary_is_that_of_the_values():
    width = len(STUDIES["figure3-n500-d10"].columns)
    pvalues = np.random.default_rng(0).integers(1, 201, (60, width)) / 200
    found = local.summarise({"figure3-n500-d10": pvalues}, command="by hand", seed=3, n_resamples=199)
    assert json.loads(json.dumps(found)) == found and [found[k] for k in ("command", "seed")] == ["by hand", 3]
    each = found["studies"]["figure3-n500-d10"]
    assert each["data_sets"] == 60 and each["first"] == pvalues[:5].tolist()
    for name, column in zip(STUDIES["figure3-n500-d10"].columns, pvalues.T, strict=True):
        assert each["rejected"][name] == [sum(round(200 * p) <= limit for p in column) for limit in (2, 10, 20)]


# --- what is stored ---


def spread(rate, *counts):
    return np.sqrt(max(rate * (1 - rate), 1e-3) * sum(1 / count for count in counts))


@pytest.mark.parametrize("name", FIGURE_3)
def test_figure_3_is_the_published_one_with_permutations_and_not_with_algorithm_1(name):
    # Both have the noise of their data sets: 1,000 of the authors', with 1,000 permutations to our 199.
    permuted, algorithm = (1 - rejected(name, f"{null} 5/5") for null in ("permutation", "residuals"))
    allowed = 4.5 * spread(PUBLISHED[name], 1000, STUDIES[name].data_sets) + 0.005
    assert abs(permuted - PUBLISHED[name]) < allowed
    # Redrawn with replacement and not centred, residuals detect hardly anything at n = 500.
    assert abs(algorithm - PUBLISHED[name]) > allowed
    assert STUDIES[name].n == 1000 or algorithm > 0.8


def test_the_aggregated_test_is_never_far_behind_the_best_single_bandwidth():
    behind, ahead = [], []
    for name in FIGURE_3:
        study = STUDIES[name]
        labels = [column for column in study.columns if column.startswith("labels")]
        near = [rejected(name, labels[index]) for index in study.groups["aggregated √2"]]
        assert max(near) - rejected(name, "aggregated √2") <= 0.1
        single = [rejected(name, labels[index]) for index in study.groups["aggregated"]]
        assert len(labels) == 7 and len(single) == 5
        behind.append(max(single) - rejected(name, "aggregated"))
        ahead.append(rejected(name, "aggregated") - min(single))
    # Steps of 2 and 5 are coarse: where the best finds half of the failures, not knowing it costs more than .1.
    assert 0.1 < max(behind) < 0.16
    assert min(ahead) > 0.05 and max(ahead) > 0.75


def test_figure_5_is_the_published_one_with_permutations_and_flat_for_some_nulls_only():
    for name in FIGURE_5:
        for (width, _), published in zip(STUDIES[name].widths, np.ravel(PUBLISHED[name]), strict=True):
            ours = rejected(name, f"permutation {width:g}")
            assert abs(ours - published) < 3.5 * spread(0.05, 4000, 4000), (name, width)
        # What Algorithm 1 and the library do there was not published.
        for width, _ in STUDIES[name].widths[2:] or STUDIES[name].widths:
            assert rejected(name, f"residuals {width:g}") < 0.01
            assert rejected(name, f"centred-permutation {width:g}") > 0.07


def test_the_exact_test_holds_its_level_in_figure_5():
    counts = [
        (level, each["rejected"][column][index])
        for name, each in stored()["studies"].items() if name in FIGURE_5
        for column in each["rejected"] if column.startswith(("labels", "aggregated"))
        for index, level in enumerate(LEVELS)
    ]  # fmt: skip
    # One band for all of them: 99 % together. The most extreme is 245 of 4,000, width .01; with other seeds, 16,000
    # data sets gave 768 there (.048).
    beyond = 0.005 / len(counts)
    assert len(counts) == 3 * (11 + 1 + 5)
    for level, count in counts:
        assert binom.ppf(beyond, 4000, level) <= count <= binom.ppf(1 - beyond, 4000, level)


def test_the_table_beside_the_published():
    table = local.beside_published()
    assert table.shape == (13, 10)
    cell = table.loc["permutation 5/5", "n = 500, d = 30"]
    assert cell == f"{1 - rejected('figure3-n500-d30', 'permutation 5/5'):.3f} (0.242)"
