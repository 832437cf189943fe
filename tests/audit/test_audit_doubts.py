"""What the data make doubtful: false alarms, power where rows depend; what was impossible; labels in disguise."""

from collections import Counter
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn, panel, quick
from scipy.special import expit, ndtr, softmax
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

import calibtutor as ct
from calibtutor.audit.doubts import _closer_than_chance, dependence_doubts
from calibtutor.audit.inputs import panel_of

# A doubt and what it says.
SAYS = {"close": "closer to its mean", "alike": "equal to an earlier", "drift": "drifts along the file",
        "near": "labels of neighbours", "chance": "no more often than by chance", "answers": "the model's answers",
        "flat": "softmax applied twice", "turned": "< 1/2", "columns": "more probability in the columns",
        "never": "no row has the label", "hard": "only 0 and 1"}


def doubts(y, p, features=None, **options):
    """Which doubts are raised."""
    rows, _, notes = panel_of(y, p)
    said = [note for what, _, note in notes if what == "doubt"]
    said += dependence_doubts(rows, features, **options)
    found = {name for name, words in SAYS.items() if any(words in each for each in said)}
    assert len(found) == len(said), said
    return found


def shares(world, sets):
    """The share of data sets in which each doubt is raised."""
    found = [doubts(*world(np.random.default_rng([seed, 11]))) for seed in range(sets)]
    return {name: np.mean([name in each for each in found]) for name in SAYS}


WORLDS = {"uniform": lambda rng, n: rng.random(n), "skewed": lambda rng, n: rng.beta(0.3, 3, n),
          "weak": lambda rng, n: rng.beta(60, 60, n), "a digit": lambda rng, n: rng.random(n).round(1),
          "half constant": lambda rng, n: np.where(rng.random(n) < 0.5, 0.2, rng.random(n)),
          "rare": lambda rng, n: rng.beta(0.1, 20, 20 * n), "sorted": lambda rng, n: np.sort(rng.random(n)),
          "three": lambda rng, n: rng.dirichlet(np.ones(3), n),
          "three, a digit": lambda rng, n: rng.multinomial(10, np.ones(3) / 3, n) / 10,
          "three, weak": lambda rng, n: rng.dirichlet(np.full(3, 60.0), n),
          "three, one rare": lambda rng, n: rng.dirichlet([2.0, 2, 0.01], n),
          "ten": lambda rng, n: rng.dirichlet(np.full(10, 0.2), n)}
ALL = [*WORLDS, "uniform, by label", "three, by label", "a digit, features"]


def calibrated(world, n, rng):
    p = WORLDS[world.removesuffix(", by label").removesuffix(", features")](rng, n)
    y = drawn(rng, p)
    order = np.argsort(y, kind="stable") if world.endswith("by label") else np.arange(len(p))
    features = pd.DataFrame({"sex": rng.choice(["f", "m"], n)}) if world.endswith("features") else None
    return y[order], p[order], features


def alarms(world, n, sets):
    """How many of some data sets have any doubt, and which they have."""
    found = [doubts(*calibrated(world, n, np.random.default_rng([seed, 13]))) for seed in range(sets)]
    return sum(map(bool, found)), Counter(chain.from_iterable(found))


@pytest.mark.parametrize(("worlds", "sizes", "sets"), [(ALL, (60, 300), 12), *(
    pytest.param([world], [n], 500, marks=pytest.mark.slow) for world in ALL for n in (60, 600))])
def test_all_doubts_together_are_raised_of_two_percent_of_calibrated_independent_data_sets(worlds, sizes, sets):
    found = [alarms(world, n, sets) for world in worlds for n in sizes]
    chance = 0.001 if worlds is ALL else 0.001 / 2 / len(ALL)
    assert sum(k for k, _ in found) <= binom(sets * len(found), 0.02).isf(chance), found


@pytest.mark.parametrize(("events", "share"), [(6, 0.15), (60, 0.05)])
def test_the_exception_is_an_expected_number_that_is_whole(events, share):
    close = 0
    for seed in range(300):
        rng = np.random.default_rng([seed, 11])
        p = rng.uniform(0.5, 1.5, 600)
        p *= events / p.sum()
        close += bool(_closer_than_chance(panel(drawn(rng, p), p)))
    assert abs(close / 300 - share) <= 3.3 * np.sqrt(share * (1 - share) / 300)


def test_a_label_that_never_occurs_is_doubted_where_it_should():
    for rate, doubted in ((0.002, set()), (0.03, {"never"})):  # .6 and 9 are expected of 300
        p = rate * np.random.default_rng(0).uniform(0.5, 1.5, 300)
        assert doubts(np.zeros(300, dtype=int), p) & {"never"} == doubted


# Of rows that depend, and of files put together wrongly.
def copied(rng, times):
    p, rows = rng.random(400 // times), rng.permutation(400) // times
    return drawn(rng, p)[rows], p[rows]


def visits(rng):
    """Latent normals of ten visits of a patient correlate; what is said differs from visit to visit."""
    z = np.sqrt(0.3) * np.repeat(rng.normal(size=100), 10) + np.sqrt(0.7) * rng.normal(size=1000)
    p = rng.uniform(0.1, 0.9, 1000)
    return (ndtr(z) < p).astype(int), p


def drifting(rng):
    """Right on average, not along the rows."""
    p = rng.uniform(0.2, 0.8, 1000)
    return drawn(rng, p + 0.18 * np.linspace(-1, 1, 1000)), p


def fitted(rng):
    """A model's predictions of its own rows."""
    X = rng.normal(size=(300, 5))
    y = drawn(rng, expit(X[:, 0] - 0.5))
    return y, LogisticRegression().fit(X, y).predict_proba(X)[:, 1]


def four(rng, change):
    """Four classes, calibrated until rows, columns or labels are changed."""
    p = rng.dirichlet(np.full(4, 0.3), 400)
    return change(rng, drawn(rng, p), p)


DOUBTED = {  # rows, and doubts of which one should be raised
    "copied": (partial(copied, times=2), {"alike"}),
    "visits": (visits, {"near", "drift"}),
    "a drift": (drifting, {"drift"}),
    "training rows": (fitted, {"close"}),
    "softmax twice": (partial(four, change=lambda rng, y, p: (y, softmax(p, axis=1))), {"flat"}),
    "answers": (partial(four, change=lambda rng, y, p: (p.argmax(axis=1), p)), {"answers"}),
    "another order": (partial(four, change=lambda rng, y, p: (rng.permutation(y), p)), {"chance"})}


@pytest.mark.parametrize("name", DOUBTED)
def test_rows_that_depend_or_were_mixed_up_are_doubted(name):
    world, wanted = DOUBTED[name]
    assert sum(share for doubt, share in shares(world, 12).items() if doubt in wanted) >= 0.75


def wrong(rng, digits, waves):
    """Miscalibrated, and independent."""
    p = rng.random(600).round(digits)
    return drawn(rng, np.clip(p + 0.2 * np.sin(waves * p), 0, 1)), p


def test_a_wrong_model_of_independent_rows_is_not_taken_for_dependence():
    found = [shares(partial(wrong, digits=digits, waves=waves), 20) for digits in (1, 9) for waves in (-4, 9)]
    total = {name: 20 * sum(each[name] for each in found) for name in ("alike", "drift", "near")}
    assert max(total.values()) <= 6.5, total  # binomial, 80 at .02: more in .1 %


def test_rare_events_side_by_side_are_no_dependence_until_they_are_many():
    for pairs, doubted in ((1, set()), (2, set()), (12, {"near"})):
        at = np.random.default_rng(0).choice(2400, 24 - pairs, replace=False) * 2
        y, p = np.zeros(4800, dtype=int), np.full(4800, 0.005) + 1e-6 * np.arange(4800)
        y[np.r_[at, at[:pairs] + 1]] = 1
        assert doubts(y, p) - {"drift"} == doubted


def test_what_is_said_of_clusters_time_or_features_is_not_doubted_again():
    rng = np.random.default_rng(0)
    y, p = copied(rng, 8)
    assert "alike" in doubts(y, p)
    assert dependence_doubts(panel_of(y, p, cluster=pd.factorize(p)[0])[0]) == []
    y, p = drifting(rng)
    assert doubts(y, p) == {"drift"} and doubts(y, p, timed=True) == set()
    page = quick(y, p)
    assert page.conclusions[0].startswith("Is the input right? rows: what happens drifts")
    assert not quick(y, p, time=np.arange(1000)).conclusions[0].startswith("Is the")
    # Half of the label is known from the sex, and little is said: equal in all that was given are few.
    p, sex, order = rng.choice([0.2, 0.5, 0.8], 600), rng.random(600) < 0.5, np.arange(600)
    y, features = drawn(rng, p + np.where(sex, 0.15, -0.15)), pd.DataFrame({"sex": sex, "id": order})
    assert "alike" not in doubts(y, p, features)
    twice = np.tile(order[:300], 2)
    assert "alike" in doubts(y[twice], p[twice], features.iloc[twice])


@pytest.mark.parametrize("each", [None, 1, 5])
def test_outcomes_called_impossible_are_named_by_their_row_in_the_input(each):
    """Calibrated but for rows 7 and 400, in clusters of this size; row 9 weighs nothing."""
    rng, cluster = np.random.default_rng(3), None if each is None else np.arange(500)[::-1] // each
    p = rng.uniform(0.02, 0.98, 500)
    y = drawn(rng, p)
    p[[7, 9, 400]], y[[7, 9, 400]] = [6e-7, 1e-9, 4e-9], 1
    found = ct.audit(y, p, weights=np.arange(500) != 9, cluster=cluster, n_resamples=199, rng=0)
    said, named = found.conclusions[0], "row 400 (label 1, probability 4e-09), row 7 (label 1, probability 6e-07); "
    if each == 5:  # two clusters are no finding
        assert not found.detected and said.startswith("No miscalibration found: p ")
        assert said.endswith(f"{named}at most one in a hundred calibrated models has such a row.")
    else:
        assert found.detected and f"{named}without such rows nothing is" in said and "row 9 " not in said


def test_nothing_is_called_impossible_that_chance_allows():
    rng = np.random.default_rng(0)
    p = np.clip(rng.random(800), 2e-5, 1)  # .01/800 is less
    y = drawn(rng, p**2)
    p[:2], y[:2] = 1.3e-5, 1
    found = ct.audit(y, p, n_resamples=199, rng=0)
    assert found.detected and "impossible" not in found.conclusions[0]
    p[0] = 1.2e-5
    said = ct.audit(y, p, n_resamples=199, rng=0).conclusions[0]
    assert "in row 0 (label 1, probability 1e-05); it is found without such rows, too" in said


DISGUISES = {"noise": lambda y, top, rng: y + rng.random(len(y)) * 0.5,
             "missing": lambda y, top, rng: pd.Series(np.where(y == 1, "ill", None)),
             "category": lambda y, top, rng: pd.Series(y).astype("category"),
             "patients": lambda y, top, rng: (4 * y + rng.integers(4, size=len(y))).astype(str),
             "a class": lambda y, top, rng: y == 1,
             "right": lambda y, top, rng: y == top,
             "how far off": lambda y, top, rng: np.abs(y - top) + rng.random(len(y)) * 0.5}


@pytest.mark.parametrize(("argument", "classes", "name"), [
    *(("groups", 3, name) for name in DISGUISES), *(("features", 2, name) for name in DISGUISES),
    ("weights", 2, "itself"), ("time", 2, "itself")])
def test_what_determines_the_label_is_no_group_no_feature_no_weight_and_no_time(argument, classes, name):
    rng = np.random.default_rng(0)
    p = rng.random(300) if classes == 2 else rng.dirichlet(np.ones(3), 300)
    y, top = drawn(rng, p), p > 0.5 if classes == 2 else p.argmax(axis=1)
    hidden = DISGUISES[name](y, 1 * top, rng) if name in DISGUISES else y
    given = hidden if hidden is y else pd.DataFrame({"age": rng.random(300), "hidden": hidden})
    with pytest.raises(ct.InputError) as refused:
        quick(y, p, **{argument: given})
    assert refused.value.argument == argument + "['hidden']" * (hidden is not y)
    assert refused.value.found == "what determines it"


def test_what_is_known_before_the_label_may_be_strong():
    rng = np.random.default_rng(1)
    z, ids = rng.normal(size=400) * 2, rng.permutation(400)
    p = expit(z)
    y = drawn(rng, p)
    strong = y + rng.normal(size=400) * 0.3  # sorts the labels but for a few
    assert (np.diff(y[np.argsort(strong)]) != 0).sum() > 1
    near = pd.Series(np.where(rng.random(400) < 0.01, 1 - y, y).astype(str))
    features = pd.DataFrame({"strong": strong, "near": near, "id": ids, "name": ids.astype(str), "few": ids // 4})
    quick(y, p, features=features)
    quick(y, p, groups={"clinic": ids // 40, "near": near}, cluster=ids // 4, time=ids)
    # A good model all but certain of separate classes: the feature says no more than it does.
    sure, sides = np.where(z > 0, 0.99, 0.01), (z > 0).astype(int)
    quick(sides, sure, features=pd.DataFrame({"z": z}), groups={"side": z > 0})
    turned = ids < 60  # here labels were written down the wrong way round: that is a finding
    said = quick(np.where(turned, 1 - sides, sides), sure, groups={"turned": turned})
    assert "turned = True" in said.conclusions[2]
