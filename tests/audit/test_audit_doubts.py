"""What the data make doubtful: false alarms, power where rows depend; what was impossible; labels in disguise."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, ndtr
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import calibtutor as ct
from calibtutor.audit.doubts import dependence_doubts
from calibtutor.audit.inputs import panel_of

# A doubt and what it says.
SAYS = {"close": "closer to its mean", "alike": "equal to an earlier", "drift": "drifts along the file",
        "near": "labels of neighbours", "chance": "as often as by chance", "answers": "the model's answers",
        "flat": "softmax applied twice", "turned": "< 1/2", "columns": "more probability in the columns"}  # fmt: skip
DEPENDENT = {"alike", "drift", "near"}


def doubts(y, p, features=None, **options):
    """Which doubts are raised."""
    panel, order, notes = panel_of(y, p)
    said = [note for what, _, note in notes if what == "doubt" and "no row has the label" not in note]
    said += dependence_doubts(panel, features, **options)
    found = {name for name, words in SAYS.items() if any(words in each for each in said)}
    assert len(found) == len(said), said
    return found


def drawn(rng, p):
    """Labels of a calibrated model."""
    if p.ndim == 1:
        return (rng.random(len(p)) < p).astype(int)
    return (rng.random(len(p))[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(max=p.shape[1] - 1)


def thirds(rng, n):
    first = rng.integers(11, size=n)
    second = (10 - first) // 2
    return np.column_stack([first, second, 10 - first - second]) / 10


WORLDS = {
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.beta(0.3, 3, n),
    "sure": lambda rng, n: rng.beta(8, 1, n),
    "weak": lambda rng, n: rng.beta(60, 60, n),
    "a digit": lambda rng, n: rng.random(n).round(1),
    "two digits": lambda rng, n: rng.random(n).round(2),
    "constant": lambda rng, n: np.full(n, 0.3),
    "half constant": lambda rng, n: np.where(rng.random(n) < 0.5, 0.2, rng.random(n)),
    "two values": lambda rng, n: rng.choice([0.3, 0.7], n),
    "sorted": lambda rng, n: np.sort(rng.random(n)),
    "three": lambda rng, n: rng.dirichlet(np.ones(3), n),
    "three, a digit": thirds,
    "three, weak": lambda rng, n: rng.dirichlet(np.full(3, 40.0), n),
    "ten": lambda rng, n: rng.dirichlet(np.full(10, 0.2), n),
}


def false_alarms(world, n, sets):
    """How often each doubt is raised of a calibrated model and independent rows."""
    count = dict.fromkeys(SAYS, 0)
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 7])
        p = WORLDS[world.removesuffix(", by label").removesuffix(", features")](rng, n)
        y = drawn(rng, p)
        order = np.argsort(y, kind="stable") if world.endswith("by label") else np.arange(n)
        features = pd.DataFrame({"sex": rng.choice(["f", "m"], n)}) if world.endswith("features") else None
        for name in doubts(y[order], p[order], features):
            count[name] += 1
    return count


ALL = [*WORLDS, "uniform, by label", "three, by label", "a digit, features"]


def test_doubts_are_rarely_raised_of_calibrated_independent_rows():
    total = dict.fromkeys(SAYS, 0)
    for world in ALL:
        for n in (60, 300):
            for name, count in false_alarms(world, n, 6).items():
                total[name] += count
    assert max(total.values()) <= 11, total  # binomial, 204 at .02: more in .2 %


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 300, 1000, 2000])
@pytest.mark.parametrize("world", ALL)
def test_false_alarms_are_at_most_two_percent(world, n):
    assert max(false_alarms(world, n, 400).values()) <= 18  # 8 + 3.6 standard deviations: of 612 counts


def copied(rng, times, n=400, shuffled=True):
    rows = np.tile(np.arange(n // times), times)
    rows = rng.permutation(rows) if shuffled else np.sort(rows)
    p = rng.random(n // times)
    return drawn(rng, p)[rows], p[rows]


def visits(rng, shuffled=False, patients=100, each=10, correlation=0.3):
    """Latent normals of a patient's visits correlate; what is said differs from visit to visit."""
    own = np.repeat(rng.normal(size=patients), each)
    z = np.sqrt(correlation) * own + np.sqrt(1 - correlation) * rng.normal(size=patients * each)
    p = rng.uniform(0.1, 0.9, patients * each)
    order = rng.permutation(len(p)) if shuffled else slice(None)
    return (ndtr(z) < p).astype(int)[order], p[order]


def drifting(rng, step, n=1000, size=0.12):
    """Right on average, not along the rows."""
    p, t = rng.uniform(0.2, 0.8, n), np.linspace(-1, 1, n)
    return drawn(rng, p + size * (np.sign(t) if step else 1.5 * t)), p


def people(rng, n):
    X = rng.normal(size=(n, 5))
    return X, (rng.random(n) < expit(X[:, 0] - 0.5)).astype(int)


def of_folds(rng, n=1000):
    X, y = people(rng, n)
    folds = StratifiedKFold(5, shuffle=True, random_state=int(rng.integers(1000)))
    return y, cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")[:, 1]


def of_training(rng, n=300):
    X, y = people(rng, n)
    return y, LogisticRegression().fit(X, y).predict_proba(X)[:, 1]


DEPENDENCES = {
    # name: (rows, what should be doubted, share of data sets in which it is)
    "copied 8 times": (lambda rng: copied(rng, 8), {"alike"}, 0.9),
    "copied 8 times, one after another": (lambda rng: copied(rng, 8, shuffled=False), {"alike"}, 0.9),
    "copied twice": (lambda rng: copied(rng, 2), {"alike"}, 0.9),
    "visits": (visits, {"near", "drift"}, 0.9),
    "linear drift": (lambda rng: drifting(rng, False), {"drift"}, 0.9),
    "a step": (lambda rng: drifting(rng, True), {"drift"}, 0.9),
    "training rows": (of_training, {"close"}, 0.9),
}


def shares(world, sets):
    """The share of data sets in which each doubt is raised."""
    found = [doubts(*world(np.random.default_rng([seed, 11]))) for seed in range(sets)]
    return {name: np.mean([name in each for each in found]) for name in SAYS}, found


@pytest.mark.parametrize("name", DEPENDENCES)
def test_rows_that_depend_are_doubted(name):
    world, wanted, least = DEPENDENCES[name]
    found = shares(world, 12)[1]
    assert np.mean([bool(wanted & each) for each in found]) >= least - 0.15


@pytest.mark.slow
def test_cross_validation_is_doubted_more_often_than_chance_allows():
    assert 0.15 <= shares(of_folds, 100)[0]["close"] <= 0.6  # of held-out rows .015; at n = 300 .15


def wrong(rng, name, n=600):
    """Miscalibrated, and independent."""
    p = rng.random(n).round(1 if name == "a digit" else 9)
    logits = np.log((p + 1e-9) / (1 - p + 1e-9))
    happens = {"waves": np.clip(p + 0.2 * np.sin(9 * p), 0, 1), "over-confident": expit(0.4 * logits)}.get(name, p**2)
    if name == "three":
        p = rng.dirichlet(np.ones(3), n)
        happens = p**2 / (p**2).sum(axis=1, keepdims=True)
    return drawn(rng, happens), p


def test_a_wrong_model_of_independent_rows_is_not_taken_for_dependence():
    count = dict.fromkeys(DEPENDENT, 0)
    for name in ("square", "a digit", "waves", "over-confident", "three"):
        found = shares(lambda rng, name=name: wrong(rng, name), 30)[1]
        count = {each: count[each] + sum(each in some for some in found) for each in count}
    assert max(count.values()) <= 9, count  # binomial, 150 at .02: more in .1 %


def test_what_is_said_of_clusters_or_time_is_not_doubted_again():
    rng = np.random.default_rng(0)
    y, p = copied(rng, 8)
    assert any("(cluster)" in each for each in dependence_doubts(panel_of(y, p)[0]))
    assert dependence_doubts(panel_of(y, p, cluster=pd.factorize(p)[0])[0]) == []
    y, p = drifting(rng, True)
    (said,) = dependence_doubts(panel_of(y, p)[0])
    assert "(time, groups)" in said and dependence_doubts(panel_of(y, p)[0], timed=True) == []
    page = ct.audit(y, p, n_resamples=19, rng=0)
    assert page.conclusions[0].startswith("Is the input right? rows: what happens drifts")
    assert not ct.audit(y, p, time=np.arange(1000), n_resamples=19, rng=0).conclusions[0].startswith("Is the")


def test_features_tell_cases_apart_that_are_not_copies():
    """Half of the label is known from the sex, and little is said: equal in all that was given are few."""
    rng = np.random.default_rng(0)
    p, sex = rng.choice([0.2, 0.5, 0.8], 600), rng.random(600) < 0.5
    y = drawn(rng, np.clip(p + np.where(sex, 0.15, -0.15), 0, 1))
    order = np.arange(600)
    assert "alike" not in doubts(y, p, pd.DataFrame({"sex": sex, "id": order}))
    twice = np.tile(order[:300], 2)
    assert "alike" in doubts(y[twice], p[twice], pd.DataFrame({"sex": sex, "id": order}).iloc[twice])


# --- outcomes called impossible ---


def surprised(**options):
    """Calibrated but for two outcomes called all but impossible, in rows 7 and 400; row 9 weighs nothing."""
    rng = np.random.default_rng(3)
    p = rng.uniform(0.02, 0.98, 500)
    y = drawn(rng, p)
    p[[7, 9, 400]], y[[7, 9, 400]] = [6e-7, 1e-9, 4e-9], 1
    weights = np.where(np.arange(500) == 9, 0.0, 1.0)
    return ct.audit(y, p, weights=weights, n_resamples=199, rng=0, **options)


@pytest.mark.parametrize("cluster", [None, np.arange(500)[::-1]])
def test_outcomes_called_impossible_are_named_by_their_row_in_the_input(cluster):
    found = surprised(cluster=cluster)
    named = "row 400 (label 1, probability 4e-09), row 7 (label 1, probability 6e-07); without such rows nothing is"
    assert found.detected and named in found.conclusions[0] and "row 9 " not in found.conclusions[0]


def test_what_only_independent_rows_would_show_is_undecided():
    found = surprised(cluster=np.arange(500)[::-1] // 5)
    said = "Undecided. If rows of a cluster are independent, miscalibration is found: p .0"
    assert not found.detected and found.conclusions[0].startswith(said)
    assert "If they depend as much as they can: No miscalibration found: p " in found.conclusions[0]


def test_nothing_is_called_impossible_that_chance_allows():
    rng = np.random.default_rng(0)
    p = np.clip(rng.random(800), 2e-5, 1)  # .01/800 is less
    p[:2] = 1.3e-5
    y = drawn(rng, p**2)
    y[:2] = 1
    found = ct.audit(y, p, n_resamples=199, rng=0)
    assert found.detected and "impossible" not in found.conclusions[0]
    p[0] = 1.2e-5
    said = ct.audit(y, p, n_resamples=199, rng=0).conclusions[0]
    assert "in row 0 (label 1, probability 1e-05); it is found without such rows, too" in said
    words, three = np.array(["cat", "dog", "eel"])[rng.integers(3, size=600)], np.full((600, 3), 1 / 3)
    three[5] = np.where(np.array(["cat", "dog", "eel"]) == words[5], 1e-9, 0.5)
    said = ct.audit(words, three, classes=["cat", "dog", "eel"], n_resamples=199, rng=0).conclusions[0]
    assert "impossible" not in said or f"row 5 (label {words[5]}, probability 1e-09)" in said


# --- the label in disguise ---


def cases(n=400, sharp=1.0):
    rng = np.random.default_rng(1)
    z = rng.normal(size=n) * 2
    p = expit(z)
    return (rng.random(n) < expit(sharp * z)).astype(int), p, z, rng


DISGUISES = {
    "itself": lambda y, rng: y,
    "bool": lambda y, rng: y == 1,
    "words": lambda y, rng: np.where(y == 1, "ill", "well"),
    "turned": lambda y, rng: 1.0 - y,
    "noise": lambda y, rng: y + rng.normal(size=len(y)) * 0.01,
    "missing": lambda y, rng: pd.Series(np.where(y == 1, "ill", None)),
    "category": lambda y, rng: pd.Series(y).astype("category"),
    "patients": lambda y, rng: (4 * y + rng.integers(4, size=len(y))).astype(str),
}


@pytest.mark.parametrize("name", DISGUISES)
@pytest.mark.parametrize("argument", ["groups", "features"])
def test_what_determines_the_label_is_no_group_and_no_feature(argument, name):
    y, p, z, rng = cases()
    table = pd.DataFrame({"age": z, "hidden": DISGUISES[name](y, rng)})
    with pytest.raises(ct.InputError) as refused:
        ct.audit(y, p, **{argument: table}, n_resamples=19, rng=0)
    assert refused.value.argument == f"{argument}['hidden']" and "determines it" in str(refused.value)


NOISY = np.linspace(0, 0.5, 300)
HIDDEN = lambda y: y, lambda y: np.array(list("abc"))[y], lambda y: y + NOISY, lambda y: y == 1


@pytest.mark.parametrize("hide", HIDDEN)
def test_the_label_of_three_classes_is_no_feature(hide):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 300)
    y = drawn(rng, p)
    with pytest.raises(ct.InputError, match="what determines it"):
        ct.audit(y, p, features=pd.DataFrame({"x": hide(y)}), n_resamples=19, rng=0)


def test_what_is_known_before_the_label_may_be_strong():
    y, p, z, rng = cases()
    ids = rng.permutation(400)
    strong = y + rng.normal(size=400) * 0.3  # sorts the labels but for a few
    assert (np.diff(y[np.argsort(strong)]) != 0).sum() > 1
    near = pd.Series(np.where(rng.random(400) < 0.01, 1 - y, y).astype(str))
    for features in (strong, near, ids, ids.astype(str), ids // 4, z):
        ct.audit(y, p, features=pd.DataFrame({"x": features}), n_resamples=19, rng=0)
    ct.audit(y, p, groups={"clinic": ids // 40, "near": near}, cluster=ids // 4, time=y, n_resamples=19, rng=0)
    # A good model all but certain of separate classes: the feature says no more than it does.
    sure, sides = np.where(z > 0, 0.99, 0.01), (z > 0).astype(int)
    ct.audit(sides, sure, features=pd.DataFrame({"z": z}), groups={"side": z > 0}, n_resamples=19, rng=0)
