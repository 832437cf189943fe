"""Claims of notebook 08 and its lesson."""

import re
import warnings
from functools import lru_cache

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom, poisson
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from calibtutor import as_predictions, audit
from calibtutor.audit import sentences
from calibtutor.audit.family import adjusted_pvalues
from calibtutor.audit.intervals import cox_line, rms_error
from calibtutor.audit.missed import tilts
from calibtutor.audit.sentences import short, shown
from calibtutor.data.datasets import MODELS
from calibtutor.lessons.your_own_model import paragraph, scenes
from calibtutor.lessons.your_own_model.board import LEVEL
from calibtutor.lessons.your_own_model.data import BAD, digits_on_scanners, example, own_rows, spoil
from calibtutor.lessons.your_own_model.exercises import adjusted
from calibtutor.lessons.your_own_model.questions import KINDS, names_of, residual_sums, table_of
from calibtutor.lessons.your_own_model.scenes import raw_pvalues, tables_of
from calibtutor.resampling import draw_labels, rank_pvalues

sets = pytest.mark.parametrize("numbers", [range(500), pytest.param(range(500, 3500), marks=pytest.mark.slow)])
SEEDS, DRAWS = range(20), 599


@lru_cache
def calibrated(seed, how="nothing"):
    """The network's questions about labels drawn from its predictions, and scanners drawn anew; then spoiled."""
    _, y_prob, _ = digits_on_scanners()
    rng = np.random.default_rng([81, seed])
    y_true = draw_labels(y_prob, 1, rng)[:, 0].astype(int)
    y, p, scanner = spoil(how, y_true, y_prob, rng.integers(1, 13, len(y_true)))
    return table_of(y, p, scanner, DRAWS, rng), names_of(p, scanner)


def found_of(seed, how):
    """Names of the questions that find something, by kind."""
    table, names = calibrated(seed, how)
    hit = [name for name, p in zip(names, adjusted(table), strict=True) if p <= LEVEL]
    return {kind: [name for k, name in hit if k == kind] for kind in KINDS}


@lru_cache
def audited(model):
    return audit(**example(model), n_resamples=999, rng=0)


# --- bring ---


@claim("08_your_own_model", "What no row can show is let in: section 4.")
@claim("your_own_model/exercises", "Which fault does as_predictions let in without a word?")
@claim("your_own_model/exercises", "The numbers are probabilities still, of the wrong classes.")
def test_the_door_lets_in_what_no_row_shows():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        p, y = rng.dirichlet([1, 1, 1], 40), rng.integers(0, 3, 40)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.allclose(as_predictions(y, p[:, [1, 0, 2]])[1], p[:, [1, 0, 2]])
        for bad in (5 * p - 2, 100 * p):
            with pytest.raises(ValueError, match="row 0 is .*(softmax|divide by 100)"):
                as_predictions(y, bad)


# --- page one ---


@claim("08_your_own_model", "0 and 1 would be right, a slope below 1 is over-confident.")
def test_which_slope_is_over_confident():
    for seed in SEEDS:
        rng = np.random.default_rng([86, seed])
        z = rng.normal(0, 2, 4000)
        hit = (rng.random(4000) < 1 / (1 + np.exp(-z))).astype(int)
        calibrated, over = (cox_line(hit, 1 / (1 + np.exp(-k * z)), np.ones(4000))[1] for k in (1, 2))
        assert abs(calibrated[0] - 1) < 0.15 and abs(over[0] - 0.5) < 0.1 and over[2] < 1


@claim("08_your_own_model", "Of the network nothing is found.", "Its smallest p-value is that of class 4")
@claim(
    "08_your_own_model",
    "Three fours that the network was sure are none: far more than it promised, and too few to move an average.",
)
@claim("08_your_own_model", "Of the network these sums find nothing.")
def test_not_found_is_not_none():
    y_true, p, scanner = digits_on_scanners()
    found = audited("neural network")
    asked = found.tables["questions"].set_index("question")
    assert not found.detected and len(asked) == 25 and asked["p"].idxmin() == "class 4"
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    assert rms["low"] == 0 and round(rms["high"], 3) == 0.035 < found.settings["tolerance"] == 0.05
    sure = p[:, 4] < 0.01
    fours = (y_true[sure] == 4).sum()
    assert fours == 3 and poisson.sf(fours - 1, p[sure, 4].sum()) < 0.001
    table = table_of(y_true, p, scanner, 999, np.random.default_rng(0))
    assert adjusted(table).min() > LEVEL and raw_pvalues(table)[-10:][4] > LEVEL  # the average of class 4


@claim(
    "08_your_own_model",
    "if the 22 answers that it is least sure of were right less often by .4, the RMS error would be .057, and yet "
    "the interval would end below .05 in about a quarter of all data sets.",
)
def test_the_rms_error_averages():
    _, p, _ = digits_on_scanners()
    said = p.max(axis=1)
    q, least = said.copy(), np.argsort(said)[:22]
    q[least] = np.maximum(said[least] - 0.4, 0)
    assert round(np.sqrt(np.mean((said - q) ** 2)), 3) == 0.057
    draws = (np.random.default_rng([87, seed]).random(len(q)) < q for seed in range(300))
    below = np.mean([rms_error(hit.astype(int), said, np.ones(len(q)))[0][2] < 0.05 for hit in draws])
    assert abs(below - 0.25) < 0.08


@claim("08_your_own_model", "Twenty times as many rows show an error of about .01:")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_detected_is_not_large(seed):
    _, p, _ = digits_on_scanners()
    many = np.tile(p, (20, 1))
    q = 0.99 * many + 0.001
    top, rows = many.argmax(axis=1), np.arange(len(many))
    assert round(np.sqrt(np.mean((many - q)[rows, top] ** 2)), 2) == 0.01
    found = audit(draw_labels(q, 1, rng=seed)[:, 0], many, n_resamples=39, rng=0)
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    assert found.detected and rms["high"] < 0.05


@claim(
    "08_your_own_model",
    "in four of five data sets from a model that says too much or is over-confident.",
    "Other errors are not tried.",
)
def test_what_would_have_been_found():
    assert sentences.FOUND == 4 / 5
    assert set(audited("neural network").tables["missed"]["error"]) == {"shift", "slope"} == set(sentences.WRONG)
    _, p, _ = digits_on_scanners()
    rows, top = np.arange(len(p)), p.argmax(axis=1)
    for error in ("shift", "slope"):
        assert (tilts(error, 0.5)(p)[rows, top] <= p[rows, top] + 1e-12).all()


@claim(
    "08_your_own_model",
    "*within the tolerance* if the interval ends below it, *more than the tolerance* if it begins above it",
)
def test_what_may_be_signed_is_what_the_audit_says():
    table = lambda low, high: audited("neural network").tables["size"].assign(low=low, high=high)
    says = lambda low, high: sentences.how_large_sentence(table(low, high), 0.05, 0.05)
    assert ": within the tolerance of .05, all rows taken together" in says(0.01, 0.04)
    assert ": more than the tolerance" in says(0.06, 0.09)
    assert "may be more or less" in says(0.0, 0.07)


@claim("your_own_model/exercises", "a scanner has some ninety rows, and few rows hide much.")
def test_rows_of_a_scanner():
    n = np.bincount(digits_on_scanners()[2])[1:]
    assert round(n.mean()) == 90 and n.min() > 70 and n.max() < 115


# --- many questions ---


@sets
@claim(
    "08_your_own_model",
    "A network reads 1,079 digits from twelve scanners",
    "You ask 24 questions about its probabilities",
)
@claim("08_your_own_model", "Whoever asks this many questions and reports the smallest p-value has something to report")
@claim("your_own_model/exercises", "and 24 questions are asked about it")
@claim("your_own_model/exercises", "How often is at least one of them at most .05?")
@claim(
    "your_own_model/exercises",
    "Were they independent and each p at most .05 in exactly 5 %, it would be 1 − .95²⁴ = 71 %.",
    "Many of these sums take few values, so that p ≤ .05 is rarer than 5 %; that they share labels matters less: it is "
    "about .56.",
)
@claim("your_own_model/scenes", "Calibrated, yet … of … data sets show a p ≤ .05", "p = .05", "all 24 of data set …")
@claim(
    "your_own_model/scenes",
    "24 questions, …",
    "data sets of 1,079 digits",
    "the smallest of 24 p-values is at most .05",
)
@claim("your_own_model/scenes", "On top are the 24 p-values of data set")
def test_one_of_many_questions_is_mostly_found(numbers):
    y_true, y_prob, scanner = digits_on_scanners()
    assert len(y_true) == 1079 and len(names_of(y_prob, scanner)) == 24 and len(np.unique(scanner)) == 12
    tables = tables_of(y_prob, scanner, numbers, n_draws=99)
    small = np.array([raw_pvalues(each) for each in tables]) <= LEVEL
    raw, each, error = small.any(axis=1).mean(), small.mean(axis=0), np.sqrt(0.25 / len(tables))
    exact, independent = 1 - 0.95**24, 1 - np.prod(1 - each)  # independent questions with these shares of p <= .05
    assert round(exact, 2) == 0.71 and abs(raw - 0.56) < 3 * error and raw > 0.5
    assert 0.03 < each.mean() < 0.04 and exact - independent > 0.1 > 2 * abs(independent - raw)
    assert np.median([len(np.unique(row)) for table in tables[:20] for row in table]) <= 12  # of 100 data sets
    after = sum(adjusted(each).min() <= LEVEL for each in tables)
    assert after <= binom.ppf(0.9999, len(tables), LEVEL)


@claim(
    "08_your_own_model",
    "one question asked 24 times would cost 24 times as much.",
    "*Min-p* (Westfall and Young, 1993) pays once for what questions share.",
)
def test_one_question_asked_often_is_paid_once():
    for seed in SEEDS:
        table = np.tile(np.random.default_rng(seed).normal(size=200) + 3.0 * (np.arange(200) == 0), (24, 1))
        assert np.allclose(adjusted(table), raw_pvalues(table))


@claim(
    "08_your_own_model",
    "with 199 some fourteen data sets share the smallest $m_b$, .005, and adjusted p-values begin near .07.",
)
def test_few_redraws_tie():
    _, y_prob, scanner = digits_on_scanners()
    ranks = (rank_pvalues(each) for each in tables_of(y_prob, scanner, SEEDS, 199))
    smallest = [np.sum(each.min(axis=0) <= 0.005 + 1e-12) for each in ranks]
    assert abs(np.mean(smallest) - 14) < 1.5 and abs(np.mean(smallest) / 200 - 0.07) < 0.01


@claim("08_your_own_model", "so with few redraws its adjusted p-values can be smaller than yours.")
def test_ties_are_ranked_by_the_statistic():
    for seed in SEEDS:
        table = calibrated(seed, "labels one row down")[0][:, :200]
        assert adjusted_pvalues(table)[1].min() < adjusted(table).min() / 2


@claim("08_your_own_model", "It works *step-down*: once the smallest p-value is settled")
def test_step_down_finds_at_least_what_min_p_finds():
    for seed in SEEDS:
        table, _ = calibrated(seed, "one bad scanner")
        raw, down = adjusted_pvalues(table)
        assert np.allclose(raw, rank_pvalues(table)[:, 0])
        assert (down <= LEVEL).sum() >= (adjusted(table) <= LEVEL).sum()


# --- what is spoiled ---


@claim("08_your_own_model", "gap, slope and every scanner break, since sure answers now meet another image's label.")
@claim("your_own_model/exercises", "over all rows does not know which row a label belongs to.")
@claim("your_own_model/scenes", "… of 24 questions find something")
@claim("your_own_model/games", "… of 24 questions find something")
@claim("your_own_model/scenes", "of 24 with an adjusted p-value of at most .05")
def test_labels_one_row_down():
    for seed in SEEDS:
        found = found_of(seed, "labels one row down")
        assert len(found["all rows"]) == 2 and len(found["scanner"]) == 12
    y, p, scanner = digits_on_scanners()
    before, after = (residual_sums(p, labels[:, None], scanner)[-10:] for labels in (y, np.roll(y, 1)))
    assert np.allclose(before, after)


@claim("08_your_own_model", "(the columns of 4 and 9)")
@claim(
    "08_your_own_model",
    "the gap and every scanner break, the slope does not.",
    "Sums about one class see nothing, since 4s and 9s are equally common.",
)
def test_two_classes_swapped():
    y_true, p, scanner = digits_on_scanners()
    _, swapped, _ = spoil("two classes swapped", y_true, p, scanner)
    assert (swapped[:, [9, 4]] == p[:, [4, 9]]).all() and (swapped != p).any(axis=0).sum() == 2
    count = np.bincount(y_true)
    assert abs(count[4] - count[9]) <= 2
    found = [found_of(seed, "two classes swapped") for seed in SEEDS]
    assert all("gap" in each["all rows"] and len(each["scanner"]) == 12 for each in found)
    assert sum("slope" in each["all rows"] for each in found) <= 4
    table = table_of(*spoil("two classes swapped", *digits_on_scanners()), 999, np.random.default_rng(0))
    assert (adjusted(table)[-10:] > LEVEL).all() and ((adjusted(table)[:14] <= LEVEL) == (np.arange(14) != 1)).all()


@claim("08_your_own_model", "(The audit's questions about a class see both faults.)")
@pytest.mark.parametrize("how", ["labels one row down", "two classes swapped"])
def test_the_audit_sees_them_in_a_class(how):
    y, p, _ = spoil(how, *digits_on_scanners())
    questions = audit(y, p, n_resamples=99, rng=0).tables["questions"].set_index("question")
    assert questions.loc["class 4", "p_adjusted"] <= LEVEL and questions.loc["class 9", "p_adjusted"] <= LEVEL


def found_in_the_picture():
    scene = scenes.spoiled()
    scene.set(spoiling="one bad scanner")
    words = dict(re.findall(r"(scanner|digit)s: found: ([\d, ]+)", scene.sentence))
    scene.close()
    return {kind: names.split(", ") for kind, names in words.items()}


@claim(
    "08_your_own_model",
    "(a tenth of its labels is noted as the next digit): of the scanners only that one is found; in this draw digit 6 "
    "is too, since three fives are noted as sixes and no six as a seven.",
)
def test_one_bad_scanner():
    y_true, p, scanner = digits_on_scanners()
    noted, *_ = spoil("one bad scanner", y_true, p, scanner)
    wrong = noted[noted != y_true]
    assert round(len(wrong) / (scanner == BAD).sum(), 1) == 0.1
    assert (wrong == 6).sum() == 3 == np.bincount(wrong).max() and (wrong == 7).sum() == 0
    assert found_in_the_picture() == {"scanner": [str(BAD)], "digit": ["6"]}
    found = [found_of(seed, "one bad scanner") for seed in SEEDS]
    assert sum(each["scanner"] == [str(BAD)] for each in found) >= 18


@claim(
    "08_your_own_model",
    "Who does not name the scanners learns that something is wrong (from the audit), but not where.",
)
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 23), marks=pytest.mark.slow)])
def test_without_scanners_the_audit_finds_but_not_where(seeds):
    _, y_prob, _ = digits_on_scanners()
    found = []
    for seed in seeds:
        rng = np.random.default_rng([88, seed])
        y = draw_labels(y_prob, 1, rng)[:, 0].astype(int)
        y, p, _ = spoil("one bad scanner", y, y_prob, rng.integers(1, 13, len(y)))
        found.append(audit(y, p, n_resamples=99, rng=0))
    assert np.mean([each.detected for each in found]) > 0.8
    assert all("For whom was not asked" in each.conclusions[2] for each in found)


@claim("08_your_own_model", "one's fault leaves the others' sums alone.")
def test_scanners_share_no_rows():
    y, p, scanner = digits_on_scanners()
    noted, *_ = spoil("one bad scanner", y, p, scanner)
    table = residual_sums(p, np.column_stack([y, noted]), scanner)[2:14]
    assert ((table[:, 0] != table[:, 1]) == (np.arange(1, 13) == BAD)).all()


@claim("your_own_model/games", " … misses promised, none happened)")
def test_rows_of_the_training_in_the_game():
    for seed in SEEDS:
        rng = np.random.default_rng([89, seed])
        y, p, _ = own_rows()
        table = table_of(y, p, rng.integers(1, 13, len(y)), 199, rng)
        assert (adjusted(table)[2:] > 0.99).all() and (p.argmax(axis=1) == y).all() and (1 - p.max(axis=1)).sum() > 3


@claim("08_your_own_model", "and the audit refuses.)")
@claim("08_your_own_model", "The tree says 1 for every digit, and on its own rows it is always right.")
@claim("your_own_model/exercises", "The model has seen these labels: it is sure, and right.")
def test_a_tree_on_its_own_rows():
    with pytest.raises(ValueError, match="an audit of these is none"):
        audit([0, 1], [0.2, 0.8], design="training")
    X, y = load_digits(return_X_y=True)
    for seed in SEEDS:
        train, test, y_train, y_test = train_test_split(X / 16, y, test_size=0.6, stratify=y, random_state=seed)
        tree = MODELS["decision tree"]().fit(train, y_train)
        assert tree.predict_proba(test).max(axis=1).min() == 1
        assert tree.score(train, y_train) == 1 and tree.score(test, y_test) < 0.9


patients = pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 22), marks=pytest.mark.slow)])


@patients
@claim("08_your_own_model", "Now a hundred patients come four times")
@claim("08_your_own_model", "With `cluster=` redrawn visits agree as the real ones do.")
@claim("your_own_model/exercises", "or count one miss four times.")
def test_copies_make_false_findings(seeds):
    _, y_prob, _ = digits_on_scanners()
    alarms = np.zeros(2, dtype=int)
    for seed in seeds:
        rng = np.random.default_rng([85, seed])
        visits = np.tile(people := rng.choice(len(y_prob), 100, replace=False), 4)
        y = np.tile(draw_labels(y_prob[people], 1, rng)[:, 0], 4)
        alarms += [audit(y, y_prob[visits], cluster=c, n_resamples=99, rng=0).detected for c in (None, visits)]
    assert alarms[0] >= len(seeds) / 2 > alarms[1] and alarms[1] <= binom.ppf(0.9999, len(seeds), LEVEL)


@claim(
    "08_your_own_model",
    "Four copies of a residual sum to four times as much; independent ones would spread twice as far.",
    "So a miss looks twice as sure as it is.",
)
def test_copies_look_twice_as_sure():
    _, p, _ = digits_on_scanners()
    p = p.max(axis=1)
    spread = lambda p: np.sqrt((p * (1 - p)).sum())
    assert np.isclose(spread(np.tile(p, 4)) / spread(p), 2) and np.isclose(4 / 2, 2)


# --- the paragraph ---


def written(found):
    """A paragraph that says all that is asked for."""
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n = found.tables["data"]["value"].iloc[0]
    said = "Miscalibration was found" if found.detected else "No miscalibration was found"
    return (
        f"We asked {len(found.tables['questions'])} questions of {n:,} rows. "
        f"{said} (adjusted p = {short(found.pvalue)}). "
        f"The RMS error has the 95 % interval {shown(rms['low'])} to {shown(rms['high'])}. "
        "An RMS error of .1 would usually have been found. Rows were taken for independent."
    )


@lru_cache
def nothing_found():
    y_prob = np.random.default_rng(0).uniform(0.1, 0.9, 300)
    found = audit(np.random.default_rng(1).random(300) < y_prob, y_prob, n_resamples=99, rng=0)
    assert not found.detected and found.tables["size"].set_index("quantity").loc["RMS error", "high"] > 0.05
    return found


LACKS = {
    "We asked": ("Asked were", None),
    "p = .": ("p-value: .", None),
    " rows": ("", None),
    "questions of": ("things of", "how many questions"),
    "adjusted p": ("p", "the adjusted p-value"),
    "RMS error has": ("It has", "the interval of the RMS error"),
    " to .": (" or so. It is not above .", "the interval of the RMS error"),
    "Rows were taken for independent.": ("", "cannot say"),
    "iscalibration was found": ("uch was computed", "whether miscalibration was found"),
}
CLAIMS = {
    "The model is calibrated.": True,
    "Nothing else was found, so the model is calibrated.": True,
    "It is well calibrated.": True,
    "This proves it.": True,
    "It is not miscalibrated.": True,
    "There is no miscalibration.": True,
    "Nobody can say that it is calibrated.": False,
    "That does not show that the network is well calibrated.": False,
    "This proves nothing.": None,
}


@pytest.mark.parametrize("of", ["neural network", "naive Bayes", None])
def test_a_paragraph_is_looked_over(of):
    found = audited(of) if of else nothing_found()
    good = written(found)
    assert paragraph.missing(good, found) == []
    assert paragraph.look_over(good.replace(" ", "\n"), found).status == "right"
    assert paragraph.look_over("\n", found).status == "blank"
    for piece, (other, what) in LACKS.items():
        assert piece in good
        lacks = paragraph.missing(good.replace(piece, other), found)
        assert lacks == [] if what is None else len(lacks) == 1 and what in lacks[0], (piece, lacks)
    for claimed, is_too_much in CLAIMS.items():
        lacks = paragraph.missing(f"{good} {claimed}", found)
        if is_too_much is not None:
            assert ([each[:7] for each in lacks] == ["without"]) == is_too_much, (claimed, lacks)
    assert len(paragraph.missing("We looked.", found)) >= 5
    shuffled = " ".join(sorted(good.split()))
    assert len(paragraph.missing(shuffled, found)) >= 3


def test_a_paragraph_about_a_size_that_cannot_be_told():
    y_prob = np.linspace(0.9, 0.99, 120)  # of so few misses there is no interval
    found = audit(np.random.default_rng(0).random(120) < y_prob, y_prob, n_resamples=39, rng=0)
    assert not np.isfinite(found.tables["size"].set_index("quantity").loc["RMS error", "high"])
    good = written(found).replace("The RMS error has the 95 % interval unknown to unknown. ", "")
    assert paragraph.missing(good, found) == ["that the size of the RMS error cannot be told"]
    assert paragraph.missing(f"{good} How large the RMS error is cannot be told.", found) == []


def test_a_paragraph_agrees_with_the_audit():
    found, quiet = audited("naive Bayes"), nothing_found()
    lacks = paragraph.missing(written(found).replace("Miscalibration was", "No miscalibration was"), found)
    assert len(lacks) == 1 and "it was)" in lacks[0]
    assert paragraph.missing(f"{written(found)} It is not calibrated.", found) == []
    assert "nothing was found" in paragraph.missing(f"{written(quiet)} It is miscalibrated.", quiet)[-1]
    vague = written(quiet).replace("An RMS error of .1 would", "It would")
    assert "would have been found" in paragraph.missing(vague, quiet)[0]
    net, within = audited("neural network"), "It is within the tolerance."
    assert paragraph.missing(f"{written(net)} {within}", net) == []
    for other in (found, quiet):
        assert "beyond" in paragraph.missing(f"{written(other)} {within}", other)[0]
    for calibrated_within in ("It is calibrated within tolerance.", "So: calibrated within tolerance."):
        assert ["without" in each for each in paragraph.missing(f"{written(net)} {calibrated_within}", net)] == [True]
    for unknown in ("Unknown: next year.", "Next year is unknown."):
        assert paragraph.missing(written(net).replace("Rows were taken for independent.", unknown), net) == []


def test_equal_sums_tie():
    y, p, scanner = digits_on_scanners()
    table = residual_sums(p, np.column_stack([y, y]), scanner)
    assert (table[:, 0] == table[:, 1]).all()
