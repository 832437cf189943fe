"""Tests by sums over rows: the same numbers as the definition, whatever the parts, the jobs and the engine."""

from contextlib import ExitStack
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from joblib import parallel_config
from kce_oracles import square_matrix

import calibtutor.errors.kce as kce_room
from calibtutor import TemperatureScaling, kce_test, kce_test_parts, klce_test, skce
from calibtutor.chance import kce_in_parts, nulls, resampling
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.worlds import widmann_model
from calibtutor.door.predictions import residuals, top_label
from calibtutor.kernels import as_rows, landmarks, laplacian, median_bandwidth, rbf
from calibtutor.kernels.gram import Gram, ProductKernel
from calibtutor.kernels.pair_sums import skce_of_labels

RNG = np.random.default_rng(5)
P = RNG.dirichlet(np.ones(4), 90)
Y = np.array([RNG.choice(4, p=p) for p in P])
KERNEL = landmarks(laplacian(0.4), P, rank=30, rng=0)
W, C = RNG.random(90), RNG.integers(0, 35, 90)


def weighted_pairs(kernel, y, p, weights, cluster):
    """Σ w_i w_j h_ij / Σ w_i w_j over pairs of different clusters, from the whole matrix."""
    delta = residuals(y, p)
    terms = kernel(p) * (np.outer(delta, delta) if p.ndim == 1 else delta @ delta.T)
    pairs = (cluster[:, None] != cluster) * np.outer(weights, weights)
    return (pairs * terms).sum() / pairs.sum()


def test_landmarks_are_a_kernel_of_finite_rank_equal_to_the_kernel_on_themselves():
    np.testing.assert_allclose(KERNEL(KERNEL.points), laplacian(0.4)(KERNEL.points), atol=1e-8)
    np.testing.assert_allclose(KERNEL.features(P) @ KERNEL.features(P).T, KERNEL(P, P), atol=1e-12)
    np.testing.assert_allclose(KERNEL.diag(P), np.diag(KERNEL(P)), atol=1e-12)
    assert np.linalg.eigvalsh(laplacian(0.4)(P) - KERNEL(P)).min() > -1e-9  # Nyström never exceeds the kernel

    few = landmarks(rbf(bandwidth=0.5), np.repeat([0.1, 0.5, 0.9], 20), rank=60, rng=0)
    assert len(few.points) == 3  # equal rows count once


def test_the_draws_are_the_statistic_of_redrawn_labels(monkeypatch):
    drawn, states = [], set()

    def noted(y_prob, n_draws, rng, **options):
        states.add(str(rng.bit_generator.state))
        drawn.append(draw_labels(y_prob, n_draws, rng, **options))
        return drawn[-1]

    monkeypatch.setattr(kce_in_parts, "draw_labels", noted)
    monkeypatch.setattr(nulls, "PART_ROWS", 30)
    found = kce_test(Y, P, kernel=KERNEL, n_resamples=20, rng=3)
    labels = np.concatenate(drawn)
    assert len(states) == len(drawn) == 3  # no two parts with the same random numbers
    assert labels.shape == (90, 21) and (labels[:, 0] == Y).all()
    expected = [skce(column, P, kernel=KERNEL) for column in labels[:, 1:].T.astype(int)]
    np.testing.assert_allclose(found.null_distribution, expected, atol=1e-7)


@pytest.mark.parametrize("limits", [
    {"chance.kce_in_parts.SUM_ENTRIES": 4 * 30 * 6},  # six draws at once, of labels and features that are held
    {"chance.kce_in_parts.SUM_ENTRIES": 4 * 30 * 6, "chance.kce_in_parts.HELD_BYTES": 0},  # or made again
    {"chance.kce_in_parts.BLOCK_ROWS": 7, "chance.kce_in_parts.DRAWN_ROWS": 20},  # cut where a cluster ends
    {"kernels.pair_sums.FEW_CLASSES": 3}], ids=str)
def test_the_way_it_is_summed_changes_nothing(limits, monkeypatch):
    data = dict(kernel=KERNEL, cluster=C, weights=W, n_resamples=20, rng=3)
    whole = kce_test(Y, P, **data)
    for name, value in limits.items():
        monkeypatch.setattr(f"calibtutor.{name}", value)
    other = kce_test(Y, P, **data)
    np.testing.assert_allclose(other.null_distribution, whole.null_distribution, rtol=0, atol=1e-7)
    assert other.statistic == pytest.approx(whole.statistic, abs=1e-8)


@pytest.mark.parametrize("limits", [
    {},
    {"pair_sums.FREQUENT": -1},  # every class is a column
    {"pair_sums.FREQUENT": 2},  # every row looks its fellows up
    {"pair_sums.FREQUENT": 0.25, "pair_sums.STRIP_ENTRIES": 90 * 7, "pair_sums.CHUNK_ENTRIES": 270},  # both, in parts
    {"gram.PROBE_ROWS": 30},  # sums over features
    {"gram.PROBE_ROWS": 30, "pair_sums.FEW_CLASSES": 1, "pair_sums.SUM_ENTRIES": 900, "pair_sums.BLOCK_ROWS": 7},
], ids=str)
@pytest.mark.parametrize("cluster", [None, np.sort(C), np.sort(C) // 18])
@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_every_way_is_the_sum_over_all_pairs(d, weights, cluster, limits, monkeypatch):
    for name, value in limits.items():
        monkeypatch.setattr(f"calibtutor.kernels.{name}", value)
    p = P[:, 0] if d == 1 else np.column_stack([P[:, 0], 1 - P[:, 0]]) if d == 2 else P
    labels, kernel = draw_labels(p, 11, 0, observed=np.minimum(Y, max(d - 1, 1)), cluster=cluster), square_matrix
    assert (Gram(kernel, p).features is not None) == ("gram.PROBE_ROWS" in limits)
    w, rows = np.ones(90) if weights is None else weights, np.arange(90) if cluster is None else cluster
    found = skce_of_labels(kernel, p, p, labels, weights=weights, cluster=cluster)
    wanted = [weighted_pairs(lambda _: kernel(as_rows(p)), y.astype(int), p, w, rows) for y in labels.T]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    if cluster is None:
        delta = [w[:, None] * as_rows(residuals(y.astype(int), p)) for y in labels.T]
        wanted = [(kernel(as_rows(p)) * (each @ each.T)).sum() / w.sum() ** 2 for each in delta]
        found = skce_of_labels(kernel, p, p, labels, "biased", weights=weights)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_single_precision_is_read_as_what_it_is_in_double():
    def found(p):
        labels, rows = draw_labels(p, 9, 0, observed=Y), kce_in_parts.Rows(Y, p, p, W, np.sort(C))
        look = kce_in_parts.OfTopLabel(landmarks(laplacian(0.2), p.max(axis=1), rank=9, rng=0))
        exact = skce_of_labels(laplacian(0.4), p, p, labels)
        return labels, exact, kce_in_parts.values_of_parts([rows], [KERNEL, look], 9, 0)

    single = P.astype(np.float32)
    assert all((one == other).all() for one, other in zip(found(single), found(single.astype(float)), strict=True))


@pytest.mark.parametrize("cluster", [None, C])
def test_both_notions_by_sums_are_both_by_the_whole_matrix(cluster, monkeypatch):
    data = dict(weights=W, cluster=cluster, n_resamples=20, rng=3)
    whole = kce_test(Y, P, **data)
    monkeypatch.setattr(kce_room, "LANDMARKS_ABOVE", 80)  # all 90 rows are landmarks
    monkeypatch.setattr(nulls, "PART_ROWS", 30)
    summed = kce_test(Y, P, **data)
    assert "90 landmarks" in summed.method and summed.estimate == pytest.approx(whole.estimate, abs=1e-6)
    hits, confidence = top_label(Y, P)
    kernel = laplacian(median_bandwidth(confidence))
    rows = np.arange(90) if cluster is None else cluster
    expected = weighted_pairs(lambda p: kernel(p[:, None]), hits, confidence, W, rows)
    assert summed.estimate[1] == pytest.approx(expected, abs=1e-6)


MANY = [widmann_model("M2", n, n_classes=3, rng=n) for n in (300, 500, 200)]
OF_PARTS = landmarks(laplacian(0.5), MANY[0][1], rank=40, rng=0)


@pytest.mark.parametrize("engine", ["threading", pytest.param("dask", marks=pytest.mark.slow)])
def test_who_sums_makes_no_difference(engine):
    alone = kce_test_parts(MANY, kernel=OF_PARTS, n_resamples=99, rng=1)
    scaling = TemperatureScaling(clip=0.01)
    whole = scaling.fit(*map(np.concatenate, zip(*MANY, strict=True))).temperature
    first, one = (scaling.fit_parts(parts).temperature for parts in (MANY[:1], MANY))
    with ExitStack() as stack:
        if engine == "dask":
            distributed = pytest.importorskip("distributed")
            options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
            stack.enter_context(distributed.Client(stack.enter_context(distributed.LocalCluster(**options))))
        stack.enter_context(parallel_config(engine, n_jobs=2))
        calls = [partial(MANY.__getitem__, k) for k in range(3)]
        found = kce_test_parts(calls, kernel=OF_PARTS, n_resamples=99, rng=1)
        assert scaling.fit_parts(calls).temperature == one
    assert one == pytest.approx(whole, rel=1e-9) != pytest.approx(first, rel=1e-2)
    assert found.null_distribution.tobytes() == alone.null_distribution.tobytes()
    assert (found.statistic, found.pvalue) == (alone.statistic, alone.pvalue)


def test_parts_with_features_are_the_local_test():
    x = np.random.default_rng(0).normal(size=(1000, 2))
    y, p = np.concatenate([y for y, _ in MANY]), np.concatenate([p for _, p in MANY])
    rows, cuts = np.hstack([p, x]), [0, 300, 800, 1000]
    kernel = landmarks(ProductKernel(rbf(bandwidth=0.5), rbf(bandwidth=1), 3), rows, rank=50, rng=0)
    split = [(y[a:b], p[a:b], x[a:b]) for a, b in pairwise(cuts)]
    expected = weighted_pairs(lambda _: kernel(rows), y, p, np.ones(1000), np.arange(1000))
    assert kce_test_parts(split, kernel=kernel, n_resamples=9, rng=0).statistic == pytest.approx(expected, abs=1e-7)


def test_the_default_is_chosen_by_size_and_the_result_says_so(monkeypatch):
    monkeypatch.setattr(kce_room, "LANDMARKS_ABOVE", 80)
    monkeypatch.setattr(kce_room, "RANK", 20)
    assert kce_test(Y[:80], P[:80], n_resamples=9, rng=0).method == "labels, aggregated"
    assert kce_test(Y, P, n_resamples=9, rng=0).method == "labels, 20 landmarks, aggregated"
    assert kce_test(Y, P, notion="canonical", n_resamples=9, rng=0).method == "labels, 20 landmarks"
    assert kce_test(Y, P, kernel=laplacian(0.4), n_resamples=9, rng=0).method == "labels"
    assert klce_test(Y, P, P[:, 0], n_resamples=9, rng=0).method == "labels, 20 landmarks"
    assert klce_test(Y, P, P[:, 0], feature_kernel=rbf(bandwidth=1), n_resamples=9, rng=0).method == "labels"


def test_rows_of_a_cluster_with_one_prediction_get_one_label(monkeypatch):
    p = np.repeat(np.random.default_rng(0).dirichlet(np.ones(3), 20), 5, axis=0)
    labels = draw_labels(p, 50, 0, cluster=np.repeat(np.arange(20), 5))
    assert (labels.reshape(20, 5, 50) == labels[::5, None]).all() and len(np.unique(labels)) == 3
    monkeypatch.setattr(resampling, "BLOCK_ENTRIES", 8 * 13 * 50)  # 13 rows at once: clusters are cut
    assert (draw_labels(p, 50, 0, cluster=np.repeat(np.arange(20), 5)) == labels).all()


def test_a_callable_statistic_sees_labels_of_clusters_in_the_rows_own_order():
    cluster, p = np.tile(np.arange(30), 3), np.tile(np.linspace(0.1, 0.9, 30), 3)

    def disagree(y, _):
        return float((y[:30] != y[30:60]).sum())

    y = (np.arange(90) < 45).astype(int)
    assert kce_test(y, p, statistic=disagree, cluster=cluster, n_resamples=20, rng=0).null_distribution.max() == 0
    assert kce_test(y, p, statistic=disagree, n_resamples=20, rng=0).null_distribution.max() > 0
