"""Claims of notebook 08 and its lesson."""

from functools import lru_cache

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from calibtutor import audit
from calibtutor.audit.sentences import short, shown
from calibtutor.data.datasets import MODELS
from calibtutor.lessons.your_own_model import paragraph
from calibtutor.lessons.your_own_model.board import ASKED, LEVEL
from calibtutor.lessons.your_own_model.data import BAD, digits_on_scanners, example, spoil
from calibtutor.lessons.your_own_model.exercises import FOUR_TIMES, LEAST, adjusted
from calibtutor.lessons.your_own_model.questions import names_of, residual_sums, table_of
from calibtutor.lessons.your_own_model.scenes import raw_pvalues, tables_of
from calibtutor.resampling import draw_labels, rank_pvalues

sets = pytest.mark.parametrize("numbers", [range(60), pytest.param(range(60, 460), marks=pytest.mark.slow)])
SEEDS = range(20)


def calibrated(seed, how="nothing"):
    """The network's questions about labels drawn from its predictions, and scanners drawn anew; then spoiled."""
    _, y_prob, _ = digits_on_scanners()
    rng = np.random.default_rng([81, seed])
    y_true = draw_labels(y_prob, 1, rng)[:, 0].astype(int)
    y, p, scanner = spoil(how, y_true, y_prob, rng.integers(1, 13, len(y_true)))
    return table_of(y, p, scanner, 999, rng), names_of(p, scanner)


def found_of(seed, how):
    """Names of the questions that find something, by kind."""
    table, names = calibrated(seed, how)
    hit = [name for name, p in zip(names, adjusted(table), strict=True) if p <= LEVEL]
    return {kind: [name for k, name in hit if k == kind] for kind in ASKED}


@lru_cache
def audited(model):
    return audit(**example(model), n_resamples=199, rng=0)


# --- many questions ---


@sets
@claim(
    "08_your_own_model",
    "A network reads 1,079 digits from twelve scanners",
    "You ask 24 questions about its probabilities",
)
@claim("08_your_own_model", "In most data sets at least one p-value is .05 or less")
@claim("08_your_own_model", "On top are the 24 p-values of one data set")
@claim("your_own_model/exercises", "and 24 questions are asked about it")
@claim("your_own_model/exercises", "How often is at least one of them at most .05?")
@claim("your_own_model/exercises", "With independent questions it would be 1 − .95²⁴ = 71 %.")
@claim("your_own_model/exercises", "They share labels, so it is somewhat less often.")
@claim("your_own_model/scenes", "Calibrated, yet … of … data sets show a p ≤ .05", "p = .05")
@claim(
    "your_own_model/scenes",
    "24 questions, …",
    "data sets of 1,079 digits",
    "the smallest of 24 p-values is at most .05",
)
@claim("your_own_model/scenes", "On top are the 24 p-values of data set")
def test_one_of_many_questions_is_nearly_always_found(numbers):
    y_true, y_prob, scanner = digits_on_scanners()
    assert len(y_true) == 1079 and len(names_of(y_prob, scanner)) == 24 and len(np.unique(scanner)) == 12
    tables = tables_of(y_prob, scanner, numbers, n_draws=99)
    raw = np.mean([raw_pvalues(each).min() <= LEVEL for each in tables])
    after = sum(adjusted(each).min() <= LEVEL for each in tables)
    independent = 1 - 0.95**24
    assert round(independent, 2) == 0.71
    assert 0.5 < raw and raw < independent + 2 * np.sqrt(0.21 / len(tables))
    if len(tables) > 100:
        assert raw < independent
    assert after <= binom.ppf(0.9999, len(tables), LEVEL)


@claim("08_your_own_model", "The audit asks more than twenty questions.")
def test_the_audit_asks_more_than_twenty():
    assert len(audited("neural network").tables["questions"]) > 20


def test_step_down_finds_at_least_what_min_p_finds():
    from calibtutor.audit.family import adjusted_pvalues

    for seed in SEEDS:
        table, _ = calibrated(seed, "one bad scanner")
        raw, down = adjusted_pvalues(table)
        assert np.allclose(raw, rank_pvalues(table)[:, 0])
        assert (down <= LEVEL).sum() >= (adjusted(table) <= LEVEL).sum()


@claim("your_own_model/exercises", "The sum is 4 times as large.")
@claim("your_own_model/exercises", "but for independent rows it would be √4 times as large")
def test_copies_look_twice_as_sure():
    _, p, _ = digits_on_scanners()
    p = p.max(axis=1)
    z = lambda times: times * 5.0 / np.sqrt((np.tile(p, times) * (1 - np.tile(p, times))).sum())
    assert np.isclose(z(4) / z(1), FOUR_TIMES)


def test_the_least_p_by_bonferroni():
    assert np.isclose(24 / 200, LEAST)


# --- what is spoiled ---


@claim("08_your_own_model", "all rows and every scanner break.", "The questions about one class see nothing:")
@claim("your_own_model/scenes", "… of 24 questions find something")
@claim("your_own_model/games", "… of 24 questions find something")
@claim("your_own_model/scenes", "of 24 with an adjusted p-value of at most .05")
def test_labels_one_row_down():
    for seed in SEEDS:
        found = found_of(seed, "labels one row down")
        assert len(found["all rows"]) == 2 and len(found["scanner"]) == 12
        table, names = calibrated(seed, "labels one row down")
        before, _ = calibrated(seed)
        of_class = [kind == "digit" for kind, _ in names]
        assert np.allclose(table[of_class, 0], before[of_class, 0])  # the sum does not know the row


@claim("08_your_own_model", "(the columns of 4 and 9)")
@claim(
    "08_your_own_model",
    "the gap of all rows is found. The questions about one class see nothing again, since 4s and 9s are equally common",
)
def test_two_classes_swapped():
    y_true, *_ = digits_on_scanners()
    count = np.bincount(y_true)
    assert abs(count[4] - count[9]) <= 2
    found = [found_of(seed, "two classes swapped") for seed in SEEDS]
    assert all("gap" in each["all rows"] for each in found)
    rng = np.random.default_rng(0)
    table = table_of(*spoil("two classes swapped", *digits_on_scanners()), 999, rng)
    assert (adjusted(table)[-10:] > LEVEL).all()


@claim("08_your_own_model", "The audit asks about a class at each prediction, and sees both faults.")
@pytest.mark.parametrize("how", ["labels one row down", "two classes swapped"])
def test_the_audit_sees_them_in_a_class(how):
    y, p, _ = spoil(how, *digits_on_scanners())
    questions = audit(y, p, n_resamples=99, rng=0).tables["questions"].set_index("question")
    assert questions.loc["class 4", "p_adjusted"] <= LEVEL and questions.loc["class 9", "p_adjusted"] <= LEVEL


@claim("08_your_own_model", "of the scanners only that one is found.")
@claim("your_own_model/exercises", "In one of twelve scanners a tenth of the labels are noted wrongly.")
@claim("your_own_model/exercises", "About nine wrong labels", "Among all rows they are few.")
def test_one_bad_scanner():
    y_true, p, scanner = digits_on_scanners()
    wrong = (spoil("one bad scanner", y_true, p, scanner)[0] != y_true).sum()
    assert 8 <= wrong <= 10
    found = [found_of(seed, "one bad scanner") for seed in SEEDS]
    assert sum(each["scanner"] == [str(BAD)] for each in found) >= 18


@claim(
    "08_your_own_model",
    "Nothing is found: it has seen these labels.",
    "the decision tree says 1 for every digit and is often wrong",
)
def test_a_tree_on_its_own_rows():
    X, y = load_digits(return_X_y=True)
    for seed in SEEDS:
        train, test, y_train, y_test = train_test_split(X / 16, y, test_size=0.6, stratify=y, random_state=seed)
        tree = MODELS["decision tree"]().fit(train, y_train)
        rng = np.random.default_rng(seed)
        said = tree.predict_proba(test)
        assert said.max(axis=1).min() == 1 and 0.1 < (said.argmax(axis=1) != y_test).mean()
        own = table_of(y_train, tree.predict_proba(train), rng.integers(1, 13, len(y_train)), 99, rng)
        new = table_of(y_test, said, rng.integers(1, 13, len(y_test)), 99, rng)
        assert adjusted(own).min() == 1 and (adjusted(new) <= LEVEL).sum() >= 12


# --- the paragraph ---


def written(found):
    """A paragraph that says all that is asked for."""
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n = found.tables["data"]["value"].iloc[0]
    return (
        f"We asked {len(found.tables['questions'])} questions of {n:,} rows. The smallest p-value, adjusted for all of "
        f"them, was {short(found.pvalue)}; the RMS error has the 95 % interval {shown(rms['low'])} to "
        f"{shown(rms['high'])}. A larger error would usually have been found. Rows were taken for independent."
    )


@pytest.mark.parametrize("model", ["neural network", "naive Bayes"])
def test_a_paragraph_is_looked_over(model):
    found = audited(model)
    good = written(found)
    assert paragraph.missing(good, found) == []
    assert paragraph.look_over(good, found).status == "right"
    assert paragraph.look_over("\n", found).status == "blank"
    for piece, what in (
        (short(found.pvalue), "adjusted p-value"),
        ("independent", "cannot say"),
        ("rows.", "questions"),
    ):
        lacks = paragraph.missing(good.replace(piece, "") if what != "questions" else good[good.index(piece) :], found)
        assert any(what in each for each in lacks), piece
    assert found.detected or "what would have been found" in " ".join(
        paragraph.missing(good.replace("would", ""), found)
    )
    assert len(paragraph.missing("We looked.", found)) >= 5
    for claimed in ("The model is calibrated.", "It is well calibrated.", "This proves it."):
        assert paragraph.missing(f"{good} {claimed}", found)[-1].startswith("without")
    assert paragraph.missing(f"{good} It is calibrated within tolerance.", found) == []


def test_equal_sums_tie():
    y, p, scanner = digits_on_scanners()
    table = residual_sums(p, np.column_stack([y, y]), scanner)
    assert (table[:, 0] == table[:, 1]).all()
