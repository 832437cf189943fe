"""The pipeline is its definition: folds, validation risk, ensemble, and labels of the test part that nobody reads."""

import numpy as np
import pytest
import risk_oracles as literal
from scipy.stats import sem

import calibtutor as ct
from calibtutor.data.worlds import temperature_simulation, widmann_model
from calibtutor.errors.spectrum import calibration_spectrum
from calibtutor.estimates import selection
from calibtutor.estimates.kde import BANDWIDTHS
from calibtutor.estimates.selection import FITS, GRIDS, Fold

SHARING = ("kde", "kkr", "ukkr")
REGULARIZATIONS = [1e-4, 1e-2, 1.0]
SMALL = {"two bins": (ct.fit_binning, [{"n_bins": 2}, {"n_bins": 6}]),
         "kkr": (ct.fit_kkr, [{"regularization": value} for value in REGULARIZATIONS]),
         "ukkr": (ct.fit_ukkr, [{"regularization": value} for value in REGULARIZATIONS])}
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def offer(monkeypatch):
    """Candidates with a small grid of keywords of their own in the place of the paper's."""

    def offered(candidates):
        fits = {name: lambda fold, how, fit=fit: fit(fold.y, fold.p, **how) for name, (fit, _) in candidates.items()}
        monkeypatch.setattr(selection, "FITS", fits)
        grids = {name: lambda _, each=each: each for name, (_, each) in candidates.items()}
        monkeypatch.setattr(selection, "GRIDS", grids)

    return offered


def data(n=60, seed=0):
    return widmann_model("M2", n, n_classes=3, rng=seed)


def reductions(y, p, notion):
    if notion == "class-wise":
        return [ct.class_wise(y, p, k) for k in range(p.shape[1])]
    return [ct.top_label(y, p) if notion == "top-label" else (y, p)]


def split(n, folds, rng):
    """The shuffle as documented: a fifth, rounded down, is put aside; folds of the rest."""
    order = np.random.default_rng(rng).permutation(n)
    n_tune = n - n // 5
    return np.array_split(order[:n_tune], folds), order[n_tune:]


def by_hand(pairs, fit, grid, folds, rng):
    """(risks (grid, folds), diagonals (grid, folds, pairs, test)): every risk a double loop."""
    parts, test = split(len(pairs[0][0]), folds, rng)
    risks, diagonals = [], []
    for kwargs in grid:
        risks.append([])
        diagonals.append([])
        for held_out in parts:
            train = [i for part in parts if part is not held_out for i in part]
            fitted = [(fit(y[train], p[train], **kwargs), y, p) for y, p in pairs]
            each = [literal.risk(h(p[held_out]), y[held_out], p[held_out]) for h, y, p in fitted]
            risks[-1].append(np.mean(each))
            diagonals[-1].append([np.diag(h(p[test])) for h, _, p in fitted])
    return np.array(risks), np.array(diagonals)


@pytest.mark.parametrize("notion", ["top-label", "canonical", "class-wise"])
@pytest.mark.parametrize("folds", [2, 5])
def test_every_figure_of_the_table(notion, folds, offer):
    (y, p), rng = data(), 3
    offer(SMALL)
    candidates = {name: SMALL[name] for name in SMALL if notion != "canonical" or "bins" not in name}
    found = ct.select_estimator(y, p, notion=notion, folds=folds, rng=rng)
    assert list(found.table.index) == list(candidates)
    chosen = {}
    for name, (fit, grid) in candidates.items():
        risks, diagonals = by_hand(reductions(y, p, notion), fit, grid, folds, rng)
        best = int(risks.mean(axis=1).argmin())
        chosen[name] = risks, diagonals = risks[best], diagonals[best]
        estimates = diagonals.mean(axis=(1, 2))
        wanted = {"risk": risks.mean(),
                  "risk_spread": sem(risks),
                  "root_risk": 100 * np.sqrt(risks).mean(),  # errata G7: the mean of the roots
                  "root_risk_spread": 100 * sem(np.sqrt(risks)),
                  "estimate": estimates.mean(),
                  "estimate_spread": sem(estimates),
                  "root": np.sign(estimates.mean()) * np.sqrt(abs(estimates.mean())),
                  "negative": (diagonals.mean(axis=0) < 0).mean()}
        row = found.table.loc[name]
        assert row["setting"] == str(grid[best])
        assert row[list(wanted)].astype(float).to_dict() == pytest.approx(wanted, rel=1e-9, abs=1e-13)
    best = min(chosen, key=lambda name: chosen[name][0].mean())
    assert found.best == best
    assert (found.estimate, found.spread_over_folds) == tuple(found.table.loc[best, ["estimate", "estimate_spread"]])
    first = reductions(y, p, notion)[0][1][split(60, folds, rng)[1]]  # of several classes the ensemble has the first
    np.testing.assert_allclose([h.diagonal(first) for h in found.ensemble], chosen[best][1][:, 0], rtol=1e-9, atol=1e-9)
    for name, (risks, _) in chosen.items():
        more = risks - chosen[best][0]
        row = found.table.loc[name]
        assert row["worse_by"] == pytest.approx(more.mean(), rel=1e-6, abs=1e-13)
        assert row["worse_by_spread"] == pytest.approx(sem(more), rel=1e-6, abs=1e-13)
        assert row["told_apart"] == (name != best and more.mean() > 2 * sem(more))


@pytest.mark.parametrize("notion", ["top-label", "canonical"])
def test_the_grids_of_the_paper(notion):
    ((y, p),) = reductions(*data(70, 1), notion)
    scalar = notion == "top-label"
    kkr = 10.0 ** (np.arange(-1, -18, -2) if scalar else np.arange(8, -10, -1))
    ukkr = 10.0 ** (np.arange(-1, -10, -1) if scalar else np.arange(4, -5, -0.5))
    grids = {"h = 0": ([""], lambda _: ct.EstimationFunction("zero", lambda P: np.zeros((len(P), 1)), np.eye(1))),
             "15 bins": ([15], lambda b: ct.fit_binning(y, p, n_bins=b)),
             "binning": ([5 * i for i in range(1, 21)], lambda b: ct.fit_binning(y, p, n_bins=b)),
             "kde": (BANDWIDTHS, lambda h: ct.fit_kde(y, p, bandwidth=h)),
             "kkr": (kkr, lambda c: ct.fit_kkr(y, p, regularization=c / 70**0.5)),
             "ukkr": (ukkr, lambda c: ct.fit_ukkr(y, p, regularization=c / 70**0.25))}
    names = [name for name in grids if scalar or "bin" not in name]
    assert list(ct.select_estimator(*data(70, 1), notion=notion, rng=0).table.index) == names
    for name in names:
        (settings, fit), offered = grids[name], list(GRIDS[name](scalar))
        assert offered == ([""] if name == "h = 0" else pytest.approx(list(settings), rel=1e-12))
        for setting in offered[:: max(1, len(offered) - 1)]:  # the first and the last
            h, wanted = FITS[name](Fold(y, p, None, None), setting), fit(setting)
            np.testing.assert_allclose(h(p[:9]), wanted(p[:9]), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("world", ["scores", "ten classes"])
def test_what_settings_share_changes_no_risk(world):
    y, p = widmann_model("M2", 330, n_classes=10, rng=2)
    y, p = (y, p) if world == "ten classes" else ((y == 0).astype(int), p[:, 0])
    at, delta = p[300:], literal.residual_rows(y[300:], p[300:])
    fold, grids = Fold(y[:300], p[:300], at, delta), {name: list(GRIDS[name](p.ndim == 1)) for name in SHARING}
    for name, risks in fold.risks(grids).items():
        each = [FITS[name](fold, setting) for setting in grids[name]]
        assert risks == pytest.approx([literal.risk(h(at), y[300:], at) for h in each], rel=1e-9)


def test_grids_rank_and_jobs():
    (y, p), grids = data(300), {"kde": [0.05, 0.1], "ukkr": [1e-3]}
    options = {"notion": "canonical", "candidates": ["kde", "ukkr"], "grids": grids, "rng": 0}
    found = ct.select_estimator(y, p, rank=4, **options)
    assert same(ct.select_estimator(y, p, rank=4, n_jobs=2, **options), found)
    parts = split(300, 5, 0)[0]
    train = np.concatenate(parts[1:])
    whole, few = (calibration_spectrum(y[train], p[train], max_rank=each) for each in (None, 4))
    assert found.best == "ukkr" and found.table["setting"][["kde", "ukkr"]].tolist() == ["0.1", "0.001"]
    wanted = few.eigenfunctions(p[:9]) @ few.regression(1e-3 * len(train) ** -0.25)
    np.testing.assert_allclose(found.ensemble[0](p[:9]), wanted @ wanted.T, rtol=1e-9)
    assert found.left_out == max(h.left_out for h in found.ensemble) >= few.left_out > 1e-4 > 1e-11 > whole.left_out
    assert found.notes[0] == f"kkr and ukkr leave out {found.left_out:.1g} of their kernel's trace: see rank=."
    assert ct.select_estimator(y, p, **options).left_out <= 1e-11


def same(one, other):
    numbers = np.array_equal([one.estimate], [other.estimate], equal_nan=True)
    return numbers and one.table.equals(other.table) and (one.best, one.notes) == (other.best, other.notes)


def test_labels_of_the_test_part_are_never_read_and_nothing_else_is_drawn(offer):
    # Whoever held the split could peek; so count, from outside, the labels that change nothing.
    offer(SMALL)
    y, p = data(30)
    before = ct.select_estimator(y, p, folds=3, rng=5)
    assert same(before, ct.select_estimator(y.tolist(), p.tolist(), folds=3, rng=np.random.default_rng(5)))
    wrong = np.where(y == p.argmax(axis=1), p.argmin(axis=1), p.argmax(axis=1))  # top-label: right and wrong exchanged
    flipped = (np.where(np.arange(30) == row, wrong, y) for row in range(30))
    silent = [row for row, each in enumerate(flipped) if same(ct.select_estimator(each, p, folds=3, rng=5), before)]
    assert silent == sorted(split(30, 3, 5)[1])


def constant(value, name="constant"):
    """A candidate with h(p, q) = value, whatever it is trained on."""
    h = ct.EstimationFunction(name, lambda P: np.ones((len(P), 1)), np.array([[value]]))
    return lambda y, p: h, [{}]


def test_a_negative_square_and_estimators_that_the_risk_does_not_tell_apart_are_said(offer):
    offer({"minus": constant(-0.04), "one": constant(0.01), "twin": constant(0.01), "bad": constant(9.0)})
    found = ct.select_estimator(*data(), candidates=["one", "twin", "bad"], rng=0)
    assert found.best == "one" and found.table["told_apart"].tolist() == [False, False, True]
    assert [note.partition(" (")[0] for note in found.notes] == ["The risk does not tell one apart from twin"]
    minus = ct.select_estimator(*data(), candidates=["minus", "bad"], rng=0)
    assert minus.table["negative"].tolist() == [1, 0] and minus.table.loc["minus", "root"] == pytest.approx(-0.2)
    assert [note.partition(":")[0] for note in minus.notes] == ["minus", "minus"]  # a share, and the square
    assert all(note in str(minus) for note in minus.notes)
    alone = ct.select_estimator(*data(), candidates=["one", "bad"], rng=0)
    assert alone.notes == [] and alone.estimate == pytest.approx(0.01)


def test_maps_are_chosen_by_their_risk_for_who_asks():
    y, p, truth = temperature_simulation(1500, 2)
    maps = [ct.TemperatureScaling(clip=2**-52), ct.PlattScaling(), ct.IsotonicCalibration()]
    risks, diagonals = by_hand([(y, p)], ct.fit_recalibration, [{"recalibrator": each} for each in maps], 5, 0)
    found = ct.select_estimator(y, p, notion="canonical", candidates=["h = 0", "recalibration"], rng=0)
    row = found.table.loc["recalibration"]
    assert (found.best, row["setting"]) == ("recalibration", "TemperatureScaling")
    assert row["risk"] == pytest.approx(risks[0].mean()) and risks[0].mean() < risks[1:].mean(axis=1).min()
    assert found.estimate == pytest.approx(diagonals[0].mean(), rel=1e-9)
    assert found.estimate == pytest.approx(((p - truth) ** 2).sum(axis=1).mean(), rel=0.2)
    fold = Fold(*ct.top_label(y, p), None, None)
    chosen = [FITS["recalibration"](fold, each) for each in GRIDS["recalibration"](True)]
    assert [h.parameters["recalibrator"] for h in chosen] == [str(each) for each in maps]


NO_TEST = " h = 0 here. The risk is no test of calibration: see kce_test."


@pytest.mark.parametrize(("world", "n", "seed", "note"), [
    # Labels that have nothing to do with the predictions: few data do not make them calibrated.
    ("M3", 30, 0, ["The risk cannot tell ukkr from" + NO_TEST]), ("M3", 100, 0, []),
    ("M1", 100, 1, ["No risk is below that of" + NO_TEST])])
def test_what_is_not_told_apart_from_h_0_is_no_verdict(world, n, seed, note):
    found = ct.select_estimator(*widmann_model(world, n, n_classes=3, rng=0), candidates=["h = 0", "ukkr"], rng=seed)
    assert found.best == ("ukkr" if world == "M3" else "h = 0")
    assert [each for each in found.notes if NO_TEST in each] == note
    assert found.table.loc["h = 0", "told_apart"] == (not note)
    # Where h = 0 wins nothing is estimated.
    assert np.isfinite([found.estimate, found.spread_over_folds]).tolist() == [world == "M3"] * 2
    finite = np.isfinite(found.table[["estimate", "estimate_spread", "root"]].astype(float))
    assert finite.all(axis=1).tolist() == [False, True]
    assert str(found).startswith("squared calibration error 0" if world == "M3" else "The risk prefers h = 0, which")
