"""Claims of the lesson your_own_model."""

import re
from functools import lru_cache
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from claim import claim
from scipy.special import expit, logit
from scipy.stats import poisson
from seeds import as_shown, mean_within, within
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import calibtutor
from calibtutor import audit
from calibtutor.audit.intervals import cox_line, rms_error
from calibtutor.audit.sentences import short, shown
from calibtutor.data.datasets import MODELS, digits_split
from calibtutor.lessons.your_own_model import paragraph, scenes
from calibtutor.lessons.your_own_model.board import LEVEL
from calibtutor.lessons.your_own_model.data import BAD, digits_on_scanners, example, own_rows, spoil
from calibtutor.lessons.your_own_model.exercises import adjusted
from calibtutor.lessons.your_own_model.questions import KINDS, names_of, residual_sums, table_of
from calibtutor.lessons.your_own_model.scenes import drawn_table, raw_pvalues
from calibtutor.resampling import draw_labels

DRAWS = 599


@lru_cache
def found_of(seed, how):
    """Labels drawn from the network's predictions, scanners drawn anew, then spoiled: what finds something, by kind."""
    _, y_prob, _ = digits_on_scanners()
    rng = np.random.default_rng(seed)
    y_true = draw_labels(y_prob, 1, rng)[:, 0].astype(int)
    y, p, scanner = spoil(how, y_true, y_prob, rng.integers(1, 13, len(y_true)))
    found = zip(names_of(p, scanner), adjusted(table_of(y, p, scanner, DRAWS, rng)), strict=True)
    hit = [name for name, pvalue in found if pvalue <= LEVEL]
    return {kind: [name for k, name in hit if k == kind] for kind in KINDS}


def test_the_scorer_of_the_page_takes_labels_of_any_kind():
    page = (Path(__file__).parents[2] / "notebooks/your_own_predictions.md").read_text(encoding="utf-8")
    (code,) = [each for each in re.findall(r"```py\n(.*?)```", page, flags=re.S) if "def negative_ece" in each]
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.choice(["ill", "well"], 300)
    public = {name: getattr(calibtutor, name) for name in calibtutor.__all__}
    names = public | {"model": LogisticRegression(), "X": X, "y": y, "cross_val_score": Mock()}
    exec(code, names)
    model = LogisticRegression().fit(X, y)
    column = (y == "well").astype(int)
    right = calibtutor.expected_calibration_error(column, model.predict_proba(X))
    assert names["negative_ece"](model, X, y) == -right
    assert cross_val_score(model, X, y, scoring=names["negative_ece"]).max() < 0


@lru_cache
def audited(model):
    return audit(**example(model), n_resamples=999, rng=as_shown(0))


# --- page one ---


@claim(
    "14_your_own_model",
    "Right would be 0 and 1.",
    "A slope below 1 means over-confident: at slope .5 and intercept 0, a stated .98 should be .875.",
)
def test_which_slope_is_over_confident():
    z = np.linspace(-6, 6, 4001)
    for stretched, slope in ((1, 1), (2, 0.5)):
        assert cox_line(expit(z), expit(stretched * z), np.ones(4001))[1][0] == pytest.approx(slope, abs=1e-3)
    assert expit(0.5 * logit(0.98)) == pytest.approx(0.875)


@claim("14_your_own_model", "Of the network nothing is found.", "Its smallest $R$ is that of class 4")
@claim(
    "14_your_own_model",
    "Of three fours the network was sure they were none: far more than promised, but too few to move an average.",
)
def test_not_found_is_not_none(seeds):
    y_true, p, scanner = digits_on_scanners()
    found = audited("neural network")
    asked = found.tables["questions"].set_index("question")
    assert not found.detected and len(asked) == 27 and asked["p"].idxmin() == "class 4"
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    assert rms["low"] == 0 and round(rms["high"], 3) == 0.035 < found.settings["tolerance"] == 0.05
    sure = p[:, 4] < 0.01
    fours = (y_true[sure] == 4).sum()
    assert fours == 3 and poisson.sf(fours - 1, p[sure, 4].sum()) < 0.001
    table = table_of(y_true, p, scanner, 999, seeds.rng(1))
    assert adjusted(table).min() > LEVEL and raw_pvalues(table)[-10:][4] > LEVEL  # the average of class 4


@claim(
    "14_your_own_model",
    "Take twenty times as many rows, and give one label in a hundred at random:",
    "An error of about .01 is detected, and it is within the tolerance.",
    "where .9999 is said, .991 happens.",
)
@pytest.mark.slow
def test_detected_is_not_large(seeds):
    _, p, _ = digits_on_scanners()
    many = np.tile(p, (20, 1))
    q, said = 0.99 * many + 0.001, many.max(axis=1)
    top, rows = many.argmax(axis=1), np.arange(len(many))
    assert round(np.sqrt(np.mean((many - q)[rows, top] ** 2)), 2) == 0.01
    assert round(0.99 * 0.9999 + 0.001, 3) == 0.991 and np.median(said) > 0.999
    for seed in seeds(3):
        found = audit(draw_labels(q, 1, rng=seed)[:, 0], many, n_resamples=39, rng=seed)
        assert found.detected and found.tables["size"].set_index("quantity").loc["RMS error", "high"] < 0.05


@claim("14_your_own_model", "What changes sign within a bin is averaged away in it.")
def test_what_changes_sign_within_a_bin(seeds):
    """Both miss by .1: everywhere to one side, or in waves of .02."""
    rng = seeds.rng(6)
    for waves, low, high in ((0, 0.097, 0.103), (1, 0, 0.04)):
        found = []
        for said in 0.2 + 0.6 * rng.random((40, 2000)):
            miss = 0.1 - 0.2 * waves * ((100 * said).astype(int) % 2)
            hit = (rng.random(2000) < said - miss).astype(int)
            found.append(rms_error(hit, said, np.ones(2000))[0][0])
        assert mean_within(found, low, high)


# --- many questions ---


@claim(
    "14_your_own_model",
    "A network reads 1,079 digits from twelve scanners",
    "You ask 24 questions about its probabilities",
    "Whoever asks this many questions and reports the smallest $R$ finds something about every other time",
    "one question asked 24 times would cost 24 times as much.",
    "your_own_model/exercises",
    "and 24 questions are asked about it",
    "How often is at least one R at most .05?",
    "Were they independent and each R at most .05 in exactly 5 %, it would be 1 − .95²⁴ = 71 %.",
    "It is about .55: many of these sums take few values, so that R ≤ .05 is rarer than 5 %",
    "your_own_model/scenes",
    "Calibrated, yet … of … data sets show an R ≤ .05",
    "level .05",
    "all 24 of data set …",
    "24 questions, …",
    "Each has 1,079 digits",
)
def test_one_of_many_questions_is_found_about_every_other_time(seeds):
    y_true, y_prob, scanner = digits_on_scanners()
    assert len(y_true) == 1079 and len(names_of(y_prob, scanner)) == 24 and len(np.unique(scanner)) == 12
    redrawn, *observed = (drawn_table(y_prob, scanner, seed, 1999) for seed in seeds(3))
    observed, rng = np.hstack(observed), seeds.rng(3)
    small = np.empty(observed.shape, dtype=bool)
    for number, each in enumerate(observed.T):  # 4,000 data sets, each among 999 of 2,000 redrawn ones
        some = redrawn[:, rng.choice(redrawn.shape[1], 999, replace=False)]
        small[:, number] = (1 + (some >= each[:, None]).sum(axis=1)) / 1000 <= LEVEL + 1e-12
    assert round(1 - 0.95**24, 2) == 0.71 and within(small.any(axis=0).sum(), small.shape[1], 0.52, 0.58)
    assert 0.03 < small.mean() < 0.045
    assert np.median([len(np.unique(row)) for row in observed[:, :100]]) <= 12  # of 100 data sets


# --- what is spoiled ---


@claim("14_your_own_model", "naive Bayes is found on nearly every scanner.")
def test_naive_bayes_is_found_on_nearly_every_scanner(seeds):
    y, p, scanner = digits_on_scanners("naive Bayes")
    for seed in seeds(20):  # scanners and redrawn labels anew
        rng = np.random.default_rng(seed)
        found = adjusted(table_of(y, p, rng.permutation(scanner), 499, rng)) <= LEVEL
        assert found[2:14].sum() >= 9


@claim(
    "14_your_own_model", "Gap, slope and every scanner are found, since sure answers now meet another image's label."
)
@claim("your_own_model/exercises", "over all rows, does not know which row a label belongs to.")
@claim("your_own_model/scenes", "… of 24 questions find something")
@claim("your_own_model/scenes", "At the level .05")
def test_labels_one_row_down(seeds):
    for seed in seeds(20):
        found = found_of(seed, "labels one row down")
        assert len(found["all rows"]) == 2 and len(found["scanner"]) == 12
    y, p, scanner = digits_on_scanners()
    before, after = (residual_sums(p, labels[:, None], scanner)[-10:] for labels in (y, np.roll(y, 1)))
    assert np.allclose(before, after)


@claim("14_your_own_model", "(4 and 9): the gap and every scanner are found, the slope is not.")
@claim("14_your_own_model", "(The audit's own questions about a class see it.)")
def test_two_classes_swapped(seeds):
    y_true, p, scanner = digits_on_scanners()
    _, swapped, _ = spoil("two classes swapped", y_true, p, scanner)
    assert (swapped[:, [9, 4]] == p[:, [4, 9]]).all() and (swapped != p).any(axis=0).sum() == 2
    found = [found_of(seed, "two classes swapped") for seed in seeds(20)]
    assert all("gap" in each["all rows"] for each in found)
    assert within(sum(len(each["scanner"]) == 12 for each in found), len(found), 0.93, 1)
    assert within(sum("slope" in each["all rows"] for each in found), len(found), 0, 0.1)
    table = table_of(y_true, swapped, scanner, 999, seeds.rng(4))
    assert (adjusted(table)[-10:] > LEVEL).all() and ((adjusted(table)[:14] <= LEVEL) == (np.arange(14) != 1)).all()
    for how in ("labels one row down", "two classes swapped"):
        found = audit(*spoil(how, y_true, p, scanner)[:2], n_resamples=99, rng=as_shown(0))
        asked = found.tables["questions"].set_index("question")
        assert (asked.loc[["class 4", "class 9"], "p_adjusted"] <= LEVEL).all()


@claim(
    "14_your_own_model",
    "(a tenth of its labels is noted as the next digit): of the scanners only that one is found.",
    "In this draw digit 6 is found too, since three fives are noted as sixes.",
)
def test_one_bad_scanner(seeds):
    y_true, p, scanner = digits_on_scanners()
    noted, *_ = spoil("one bad scanner", y_true, p, scanner)
    wrong = noted[noted != y_true]
    assert round(len(wrong) / (scanner == BAD).sum(), 1) == 0.1
    assert (wrong == 6).sum() == 3 == np.bincount(wrong).max() and (wrong == 7).sum() == 0
    assert f"scanners: found: {BAD}; digits: found: 6." in scenes.spoiled().set(spoiling="one bad scanner").sentence
    found = [found_of(seed, "one bad scanner") for seed in seeds(20)]
    assert within(sum(each["scanner"] == [str(BAD)] for each in found), len(found), 0.93, 1)


@claim("your_own_model/scenes", " … misses promised, none happened)")
@claim(
    "14_your_own_model",
    "The tree gives its answer the probability 1, whatever the image, and on its own rows it is always right.",
)
def test_rows_of_the_training():
    y, p, _ = own_rows()
    assert (p.argmax(axis=1) == y).all() and (1 - p.max(axis=1)).sum() > 3
    train, y_train, test, y_test, *_ = digits_split()
    tree = MODELS["decision tree"]().fit(train, y_train)
    assert tree.predict_proba(test).max(axis=1).min() == 1
    assert tree.score(train, y_train) == 1 and tree.score(test, y_test) < 0.9


@claim(
    "14_your_own_model",
    "The true spread is larger than the redrawn one, so a calibrated model looks miscalibrated.",
    "your_own_model/exercises",
    "The variance is 9² = 81 times that of one miss, and for nine independent rows it is 9 times:",
    "the standard deviation is √(81/9) times as large.",
)
@claim("your_own_model/scenes", "a dot a calibrated data set; grey: 95 % of those redrawn; red:", "R ≤ .05")
@claim("your_own_model/scenes", "False alarms in … of 100 data sets", "100 patients, visits each: …")
def test_copies_look_surer_than_they_are(seeds):
    rng, said = seeds.rng(8), digits_on_scanners("logistic regression")[1].max(axis=1)[:100]
    observed = np.abs((said - (rng.random((400, 100)) < said)).mean(axis=1).round(9))
    for copies, low, high in ((1, 0.02, 0.06), (4, 0.27, 0.4), (9, 0.45, 0.6)):
        by_row = (said - (rng.random((copies, 999, 100)) < said)).mean(axis=(0, 2)).round(9)
        by_patient = (said - (rng.random((999, 100)) < said)).mean(axis=1).round(9)
        alarms, fewer = ((observed > scenes.farthest(redrawn)).sum() for redrawn in (by_row, by_patient))
        ranks = (1 + (np.abs(by_row) >= observed[:, None]).sum(axis=1)) / 1000
        assert alarms == (ranks <= LEVEL).sum() and within(alarms, 400, low, high) and within(fewer, 400, 0.02, 0.07)
        assert by_patient.std() / by_row.std() == pytest.approx(np.sqrt(copies), rel=0.12)


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


LACKS = {
    " rows": ("", None),
    "questions of": ("things of", "how many questions"),
    "adjusted p": ("p", "the adjusted p-value"),
    "RMS error has": ("It has", "the interval of the RMS error"),
    "Rows were taken for independent.": ("", "cannot say"),
    "iscalibration was found": ("uch was computed", "whether miscalibration was found"),
}
CLAIMS = {
    "The model is calibrated.": True,
    "Nothing else was found, so the model is calibrated.": True,
    "This proves it.": True,
    "It is not miscalibrated.": True,
    "There is no miscalibration.": True,
    "A slope of .6 could have been found.": False,
    "That does not show that the network is well calibrated.": False,
}


@pytest.mark.parametrize("of", ["neural network", "naive Bayes"])
def test_a_paragraph_is_looked_over(of):
    found, good = audited(of), written(audited(of))
    assert paragraph.look_over(good.replace(" ", "\n"), found).status == "right"
    assert paragraph.look_over("\n", found).status == "blank"
    for piece, (other, what) in LACKS.items():
        lacks = paragraph.missing(good.replace(piece, other), found)
        assert lacks == [] if what is None else len(lacks) == 1 and what in lacks[0], (piece, lacks)
    for claimed, is_too_much in CLAIMS.items():
        lacks = paragraph.missing(f"{good} {claimed}", found)
        assert any(each[:7] == "without" for each in lacks) == is_too_much, (claimed, lacks)
    assert len(paragraph.missing("We looked.", found)) >= 5


def test_a_paragraph_agrees_with_the_audit():
    found, net = audited("naive Bayes"), audited("neural network")
    for other, said, instead in ((found, "Mis", "No mis"), (net, "No mis", "Mis")):
        (lack,) = paragraph.missing(written(other).replace(said, instead), other)
        assert "whether miscalibration was found" in lack
    low = shown(found.tables["size"].set_index("quantity").loc["RMS error", "low"])
    (lack,) = paragraph.missing(written(found).replace(f" interval {low} to", " at most"), found)
    assert "the interval of the RMS error" in lack
    vague = written(net).replace("An RMS error of .1 would", "It would")
    assert "would have been found" in paragraph.missing(vague, net)[0]
    assert paragraph.missing(f"{written(net)} It is within the tolerance.", net) == []
    assert "beyond" in paragraph.missing(f"{written(found)} It is within the tolerance.", found)[0]
    y_prob = np.linspace(0.9, 0.99, 120)  # of so few misses there is no interval
    few = audit(np.arange(120) % 20 > 0, y_prob, n_resamples=39, rng=as_shown(0))
    good = written(few).replace("The RMS error has the 95 % interval unknown to unknown. ", "")
    assert paragraph.missing(good, few) == ["that the size of the RMS error cannot be told"]
    assert paragraph.missing(f"{good} How large the RMS error is cannot be told.", few) == []
