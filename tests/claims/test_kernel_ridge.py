"""Claims of the lesson kernel_ridge."""

import numpy as np
import pytest
from claim import claim
from of_digits import risk_on_pairs, selected, top
from seeds import as_shown, mean_within, within

from calibtutor import kce_test, low_rank, rbf
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.worlds import temperature_simulation, wave_world
from calibtutor.errors.spectrum import calibration_spectrum
from calibtutor.estimates.risk import risk_of_features
from calibtutor.lessons.kernel_ridge import simulations as sims
from calibtutor.lessons.kernel_ridge.exercises import check
from calibtutor.lessons.kernel_ridge.scenes import expected_miss
from calibtutor.lessons.shared.splits_of_digits import CAST, in_spreads


@claim("07_kernel_ridge",
       "At the smallest risk the distance is the smallest or nearly so, though the risk never saw the truth",
       "ukkr multiplies a vector by itself and cannot fall below 0. kkr knows nothing of squares")
def test_the_risk_finds_the_nearest(seeds, draws=60):
    world, kernel, grid = wave_world(1, 0.15), rbf(bandwidth=0.32), (np.arange(60) + 0.5) / 60
    ratios = {"kkr": [], "ukkr": []}
    truth, penalties = np.outer(*2 * [0.15 * np.sin(2 * np.pi * grid)]), 10.0 ** np.arange(-10, 2)
    for seed in seeds(draws):
        (y, p), (fresh, at) = world.sample(1000, seed), world.sample(2000, 1000 + seed)
        found = calibration_spectrum(y, p, kernel=kernel)
        on_grid, on_fresh = found.eigenfunctions(grid), found.eigenfunctions(at)
        for name, dips in (("kkr", True), ("ukkr", False)):
            cores = [found.core(name, penalty) for penalty in penalties]
            risks = [risk_of_features(on_fresh, core, (at - fresh)[:, None]) for core in cores]
            fits = [on_grid @ core @ on_grid.T for core in cores]
            away = [np.sqrt(np.mean((h - truth) ** 2)) for h in fits]
            ratios[name].append(away[np.argmin(risks)] / min(away))
            assert (min(np.diag(h).min() for h in fits) < -1e-9) == dips
    for each in map(np.array, ratios.values()):
        assert within((each < 1.25).sum(), draws, 0.82, 1, refuses=0.5)
        assert within((each > 2).sum(), draws, 0, 0.04, refuses=0.2)


@claim("07_kernel_ridge", "to the left of .999 the curve rests on 107 digits",
       "Six to eight features carry the whole matrix, to twelve digits",
       "For ten classes the kernel needs many features: on 1,079 predictions of the forest 1,059, of naive Bayes 95",
       "kernel_ridge/exercises", "μ/(μ + λ) = .01/.04", "The risk of h is .047, and that of the truth .046.",
       ".047 − .046 = .001: the truth's own risk stands in both",
       "Of its 47 digits with a confidence between .9 and .99 about half are right")
def test_naive_bayes_at_95_and_ranks(seeds):
    assert check.share_left.reference == 0.01 / 0.04 and 0.047 - 0.046 == pytest.approx(0.001)
    hit, c = top("naive Bayes")
    assert (c < 0.999).sum() == 107 and len(c) == 1079
    some = (c > 0.9) & (c < 0.99)
    assert some.sum() == 47 and 0.45 < hit[some].mean() < 0.55
    features = low_rank(rbf(gamma=1), c, tol=1e-12)
    at = expected_miss(check.ukkr.use(None), features, (c - hit)[:, None], 1e-6, [0.95])  # as the picture opens
    assert at == pytest.approx([0.35], abs=0.005)
    rank = lambda p: low_rank(rbf(gamma=1), p, tol=sims.TOLERANCE).rank
    of_ten = {model: digits_predictions(model).y_prob for model in CAST}
    splits = [np.random.default_rng(seed).permutation(1079)[: sims.TRAINED] for seed in seeds(20)]
    assert {rank(p.max(axis=1)[rows]) for p in of_ten.values() for rows in splits} == {6, 7, 8}
    assert (rank(of_ten["random forest"]), rank(of_ten["naive Bayes"])) == (1059, 95)


@claim("07_kernel_ridge", "On most of these splits the risk cannot tell it from “no error”",
       "anything from .005 to .035")
def test_twenty_splits():
    worse_by, spread, reports, pvalue = sims.twenty_splits("naive Bayes")
    apart = in_spreads(worse_by, spread) > 2
    assert apart.shape == (20, 6) and apart[:, 0].sum() == 4  # as the guess says
    left = reports[:, 1:][~apart[:, 1:]]
    assert (round(left.min(), 3), round(left.max(), 3)) == (0.005, 0.035)
    assert round(pvalue, 3) == 0.001 == round(kce_test(*top("naive Bayes"), rng=as_shown(0)).pvalue, 3)
    assert (apart[0] == selected("naive Bayes").loc[sims.CANDIDATES, "told_apart"]).all()


def replayed(seed, order, share):
    """ukkr with this share of labels misplaced: its risk's share below that of h = 0, its report over the true squared
    error, in how many spreads over five parts it is below, λ, and the truth's share."""
    misses, delta, true = sims.replay(share, seed, order)
    risk = lambda u, rows=slice(None): risk_on_pairs(u[rows] @ u[rows].T, delta[rows])
    best = int(np.argmin([risk(u) for u in misses]))
    u, nothing = misses[best], risk(0 * true)
    gain = [risk(0 * u, rows) - risk(u, rows) for rows in np.array_split(np.arange(len(delta)), 5)]
    spreads = np.mean(gain) / (np.std(gain, ddof=1) / np.sqrt(5))
    report, truth = (u**2).sum() / (true**2).sum(), 1 - risk(true) / nothing
    return 1 - risk(u) / nothing, report, spreads, sims.PENALTIES[best], truth


@pytest.mark.slow
@claim("07_kernel_ridge", "With all labels misplaced ukkr reports an eighth of the truth, on average over such worlds",
       "With the right labels ukkr has the smaller risk in nearly all worlds", "On average the truth takes some 10 % "
       "off the risk of $h = 0$, ukkr with the right labels less than half of that",
       "Misplaced labels take less than 1 %, and still $h = 0$ is told apart from the wrong ukkr in most worlds",
       "kernel_ridge/exercises", "Validation on correct labels punishes that and pushes λ up")
def test_misplaced_labels(seeds):
    n = 80
    none, every = (np.array([replayed(seed, 5000 + seed, share) for seed in seeds(n)]).T for share in (0.0, 1.0))
    assert mean_within(every[1], 0.115, 0.13, refuses=(1 / 10, 1 / 6))
    assert within((none[0] > every[0]).sum(), n, 0.97, 1, refuses=0.875)
    assert mean_within(none[4], 0.098, 0.11, refuses=(0.05, 0.15))
    assert mean_within(none[4] - 2 * none[0], 0, 0.05, refuses=none[4].mean() * (1 - 4 / 3))  # two thirds
    assert mean_within(every[0], 0, 0.007, refuses=0.01) and within((every[2] > 2).sum(), n, 0.9, 1, refuses=0.5)
    assert within((every[3] > none[3]).sum(), n, 0.97, 1, refuses=0.8)


@claim("kernel_ridge/exercises", "this is the replay without the bug, where the true squared error is .065",
       "Half a spread may be chance", "07_kernel_ridge", "Kernel and $\\lambda$ are those of the released code")
def test_the_replay_with_the_bug_and_without():
    y, p, q = temperature_simulation(500, rng=as_shown(5))
    K, rng = np.exp(-((p[:300, None] - p[:300]) ** 2).sum(axis=2)), np.random.default_rng(as_shown(1))
    moved, labels = rng.permutation(300)[:75], y[:300].copy()
    labels[moved] = labels[rng.permutation(moved)]
    at = np.exp(-((p[300:, None] - p[:300]) ** 2).sum(axis=2))
    for k, penalty in ((0, 1e4 * 300**-0.25), (8, 300**-0.25)):
        u = at @ np.linalg.solve(K + 300 * penalty * np.eye(300), p[:300] - np.eye(5)[labels])
        assert sims.replay(0.25, as_shown(5))[0][k] == pytest.approx(u, abs=1e-6)
    world = sims.misaligned()
    assert round(world[0.0][1], 3) == 0.054 and round(world["truth"][1], 3) == 0.065
    assert replayed(as_shown(5), as_shown(1), 0.0)[2] == pytest.approx(0.5, abs=0.05)
