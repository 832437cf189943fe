"""Claims of the lesson your_own_model."""

import re
from functools import lru_cache
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from claim import claim
from scipy.special import expit, logit
from seeds import as_shown, within
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from splits import another_split

import calibtutor
from calibtutor import audit
from calibtutor.audit.intervals import cox_line
from calibtutor.audit.sentences import short, shown
from calibtutor.data.datasets import digits_split
from calibtutor.lessons.kernel_tests.exercises import aggregated
from calibtutor.lessons.your_own_model import check, new_files, paragraph, scenes
from calibtutor.lessons.your_own_model.board import LEVEL
from calibtutor.lessons.your_own_model.data import BAD, SPOILS, digits_on_scanners, example, spoil
from calibtutor.lessons.your_own_model.questions import names_of
from calibtutor.lessons.your_own_model.scenes import drawn_table


def test_the_scorer_of_the_page_takes_labels_of_any_kind(seeds):
    page = (Path(__file__).parents[2] / "notebooks/your_own_predictions.md").read_text(encoding="utf-8")
    (code,) = [each for each in re.findall(r"```py\n(.*?)```", page, flags=re.S) if "def negative_ece" in each]
    rng = seeds.rng(0)
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


@claim("14_your_own_model",
       "Below 1 the model is **too extreme**: at slope .5 a stated .98 should be .875, and .02 should be .125.")
def test_which_slope_is_too_extreme():
    z = np.linspace(-6, 6, 4001)
    assert cox_line(expit(z), expit(2 * z), np.ones(4001))[1][0] == pytest.approx(0.5, abs=1e-3)
    assert expit(0.5 * logit([0.98, 0.02])) == pytest.approx([0.875, 0.125])


@pytest.mark.slow
@claim("14_your_own_model", "(On some other splits something is found.)")
def test_the_network_on_other_splits(seeds, n=30):
    assert not audited("neural network").detected
    digits = (another_split("neural network", seed) for seed in seeds(n))
    found = sum(audit(each.y_true, each.y_prob, n_resamples=499, rng=seeds.rng()).detected for each in digits)
    assert within(found, n, 0.28, 0.45, refuses=(0, 0.9))


@claim("14_your_own_model", "A network reads 1,079 digits from twelve (made-up) scanners.",
       "If you ask 24 questions and report the smallest $R$, you find something in about half of all cases",
       "one question asked 24 times would cost 24 times as much.",
       "your_own_model/exercises", "and 24 questions are asked about it",
       "Were they independent and each R at most .05 in exactly 5 %, it would be 1 − .95²⁴ = 71 %.",
       "It is about .55: many of these sums take few values, so that R ≤ .05 is rarer than 5 %",
       "your_own_model/scenes", "Calibrated, yet … of … data sets show an R ≤ .05", "the 24 R of data set …",
       "24 questions, …", "… of 24 questions find something")
def test_one_of_many_questions_is_found_about_every_other_time(seeds):
    y_true, y_prob, scanner = digits_on_scanners()
    assert len(y_true) == 1079 and len(names_of(y_prob, scanner)) == 24 and len(np.unique(scanner)) == 12
    redrawn, *observed = (drawn_table(y_prob, scanner, seed, 1999) for seed in seeds(3))
    observed, rng = np.hstack(observed), seeds.rng(3)
    small = np.empty(observed.shape, dtype=bool)
    for number, each in enumerate(observed.T):  # 4,000 data sets, each among 999 of 2,000 redrawn ones
        some = redrawn[:, rng.choice(redrawn.shape[1], 999, replace=False)]
        small[:, number] = (1 + (some >= each[:, None]).sum(axis=1)) / 1000 <= LEVEL + 1e-12
    assert round(1 - 0.95**24, 2) == 0.71
    assert within(small.any(axis=0).sum(), small.shape[1], 0.54, 0.57, refuses=(0.5, 0.6))
    assert 0.03 < small.mean() < 0.045
    assert np.median([len(np.unique(row)) for row in observed[:, :100]]) <= 12  # of 100 data sets


@claim("14_your_own_model", "(4 and 9): the gap and every scanner are found, the slope is not.",
       "(a tenth of its labels is noted as the next digit): of the scanners only that one is found.",
       "It collapses when rows or classes are exchanged, here from 97 % to 8 % and 77 %.",
       "naive Bayes is right in 90 %, as it always was.",
       "your_own_model/scenes", "the labels are one row down: every scanner is off, no digit is", "on clean rows 97%")
def test_two_classes_swapped_and_one_bad_scanner():
    y_true, p, scanner = digits_on_scanners()
    says = {by: scenes.spoiled().set(spoiling=by).finding.sentence for by in ("two classes swapped", "one bad scanner")}
    assert "all rows: found: gap; scanners: 12 found; digits: nothing found." in says["two classes swapped"]
    assert f"scanners: found: {BAD}; digits: found: 6." in says["one bad scanner"]
    right = [(spoil(how, y_true, p, scanner)[0] == spoil(how, y_true, p, scanner)[1].argmax(axis=1)).mean()
             for how in SPOILS[:3]]
    assert np.round([*right, (y_true == digits_on_scanners("naive Bayes")[1].argmax(axis=1)).mean()], 2).tolist() == [
        0.97, 0.08, 0.77, 0.90]
    signs = {"labels one row down": "scanners: 12 found; digits: nothing", "two classes swapped": "scanners: 12 found",
             "one bad scanner": r"scanners: found: \d+;", scenes.TRAINING: "100% right", "nothing": ""}
    for turn in range(10):  # what a game's answer says is so in each file
        game = scenes.which_fault().set(answer=scenes.asked(turn)).set(show=2 * turn + 1)
        assert re.search(signs[scenes.asked(turn)], f"{game.finding.sentence} {game.finding.drawn}")
    _, swapped, _ = spoil("two classes swapped", y_true, p, scanner)
    assert (swapped[:, [9, 4]] == p[:, [4, 9]]).all() and (swapped != p).any(axis=0).sum() == 2
    asked = audit(y_true, swapped, n_resamples=99, rng=as_shown(0)).tables["questions"].set_index("question")
    assert (asked.loc[["class 4", "class 9"], "p_adjusted"] <= LEVEL).all()
    noted, *_ = spoil("one bad scanner", y_true, p, scanner)
    wrong = noted != y_true
    assert round(wrong.sum() / (scanner == BAD).sum(), 1) == 0.1 and y_true[wrong & (noted == 6)].tolist() == [5] * 3


@claim("14_your_own_model", "13 on intercept and slope, of all rows and of each scanner;", "27 for the example:",
       "Notebook 08 rejected this network's ten probabilities, with $R$ = .030.", "But 26 others were asked, too.",
       "Adjusted for all 27 it is .456", "Sign page one's .264, the smallest of the 27 adjusted: no evidence.",
       "An audit finds nothing there; page one only asks whether the model saw these labels.",
       "your_own_model/exercises", "38/1000: the number of questions is paid for already (08, section 4).",
       "Not rejected is not calibrated: few data hide a lot (08, last section).",
       "A test needs labels that nothing was fitted on (10, section 3).")
def test_what_the_audit_asks_and_files_at_fault(seeds):
    asked = audited("neural network").tables["questions"].set_index("question")
    assert len(asked) == 13 + 2 + 12 == 27 and {"canonical", "top label", "class 9"} < set(asked.index)
    assert asked.loc["canonical", ["p", "p_adjusted"]].astype(float).round(3).tolist() == [0.030, 0.456]
    assert asked["p_adjusted"].min() == audited("neural network").pvalue == 0.264
    train, y_train, *_ = digits_split()
    said = DecisionTreeClassifier(min_samples_leaf=5, random_state=as_shown(0)).fit(train, y_train).predict_proba(train)
    first = audit(y_train, said, n_resamples=99, rng=seeds.rng(1)).conclusions[0]
    assert "did the model see these labels" in first and "No miscalibration found" in first
    for letter, known in new_files().items():
        right, before, promised, happened = (int(n) for n in re.findall(r"\d+", known))
        at_fault = right < before - 10 or promised > 5 and not happened
        assert at_fault == (letter in check.data_at_fault.reference) and (at_fault or happened > 3 * promised)
    assert aggregated(np.repeat([[0.01, 0.5]], [38, 962], axis=1)) == 0.038


@claim("14_your_own_model",
       "The true spread is larger than the redrawn one, so a calibrated model looks miscalibrated.",
       "your_own_model/exercises",
       "The variance is 9² = 81 times that of one miss, and for nine independent rows it is 9 times:",
       "the standard deviation is √(81/9) times as large.",
       "your_own_model/scenes", "grey: where 95 % of the redrawn data sets lie",
       "Each dot is one calibrated data set; red: R ≤ .05.", "False alarms in … of 100 data sets",
       "100 patients, visits each: …")
def test_copies_look_surer_than_they_are(seeds):
    rng, said = seeds.rng(8), digits_on_scanners("logistic regression")[1].max(axis=1)[:100]
    observed = np.abs((said - (rng.random((400, 100)) < said)).mean(axis=1).round(9))
    of_copies = (1, 0.03, 0.05, 0.12), (4, 0.26, 0.31, (0.05, 0.5)), (9, 0.46, 0.53, (1 / 3, 2 / 3))
    for copies, low, high, other in of_copies:
        by_row = (said - (rng.random((copies, 999, 100)) < said)).mean(axis=(0, 2)).round(9)
        by_patient = (said - (rng.random((999, 100)) < said)).mean(axis=1).round(9)
        alarms, fewer = ((observed > scenes.farthest(redrawn)).sum() for redrawn in (by_row, by_patient))
        ranks = (1 + (np.abs(by_row) >= observed[:, None]).sum(axis=1)) / 1000
        assert alarms == (ranks <= LEVEL).sum() and within(alarms, 400, low, high, refuses=other)
        assert within(fewer, 400, 0.03, 0.055, refuses=0.12)
        assert by_patient.std() / by_row.std() == pytest.approx(np.sqrt(copies), rel=0.12)


# --- the paragraph ---


def written(found):
    """A paragraph that says all that is asked for."""
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n = found.tables["data"]["value"].iloc[0]
    said = "Miscalibration was found" if found.detected else "No miscalibration was found"
    return (f"We asked {len(found.tables['questions'])} questions of {n:,} rows. "
            f"{said} (adjusted p = {short(found.pvalue)}). "
            f"The RMS error has the 95 % interval {shown(rms['low'])} to {shown(rms['high'])}. "
            "An RMS error of .2 would usually have been found. Rows were taken for independent.")


LACKS = {
    " rows": ("", None), "questions of": ("things of", "how many questions"), "adjusted p": ("p", "the adjusted"),
    "RMS error has": ("It has", "the interval of the RMS error"), "Rows were taken for independent.": ("", "cannot"),
    "Rows were taken for independent": ("We did not ask about writers", None),
    " Rows were taken for independent.": (" I don't know what to write.", "cannot"),
    ". Rows were taken for independent.": (". Nobody knows.", "cannot"),
    "iscalibration was found": ("uch was computed", "whether miscalibration was found")}
CLAIMS = {
    "The model is calibrated.": True, "Nothing else was found, so the model is calibrated.": True,
    "This proves it.": True, "It will stay so next year.": True, "It stays so next year.": True,
    "We do not know how it does on women.": False, "Ask the same of next year's rows.": False,
    "It will be so next year.": True, "All scanners are fine.": True,
    "Next year the error will still be at most .035.": True, "It is not miscalibrated.": True,
    "Whether this will be so next year is not known.": False, "There is no miscalibration.": True,
    "A slope of .6 could have been found.": False, "That does not show that the network is well calibrated.": False}


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


SIZE, LIMIT = "An RMS error of .2 would usually have been found.", "Rows were taken for independent."
SUPPORTED = [  # of the network: .045 would have been found, .020 missed
    (SIZE, "An RMS error of .045 would have been found in four of five data sets; one of .02 would usually be missed."),
    (SIZE, "Errors of 4.5 % and more would have been found, those below .045 could be missed."),
    (SIZE, "None found anything, though an error of .045 would not be missed, and one of .02 would not be found."),
    (LIMIT, "Small groups were hardly tested."), (LIMIT, "Unknown: how it does in other places."),
    (LIMIT, "We did not test groups of fewer than 100 rows."),
    (LIMIT, f"{LIMIT} The p-value is not the probability that the model is right."),
    (LIMIT, f"{LIMIT} A p-value is the probability of so large a miss if the model is calibrated."),
    (LIMIT, "Nobody asked whether it can be trusted on each scanner.")]
REFUSED = [
    *((SIZE, what, "page one says “An RMS error in the top label of .045 (if") for what in (
        "An error of .001 would have been found in four of five data sets.", ".02 would have been found.",
        "An error of .1 would have been missed.", "Errors below .045 would have been found.")),
    (LIMIT, f"{LIMIT} So the probability that the model is right is .264.", "not how probable the model is"),
    (LIMIT, f"{LIMIT} It can be trusted on each scanner.", "“can be trusted”: no audit shows that"),
    (LIMIT, f"{LIMIT} The RMS error is at most .035 on every scanner.", "that of all rows together"),
    (LIMIT, f"{LIMIT} So the error is exactly zero.", "not shown to be 0"),
    (LIMIT, "Unknown: nothing.", "one thing that this audit cannot say; without “Unknown, nothing”: no audit asks")]


def test_a_paragraph_says_of_sizes_and_of_the_model_what_page_one_says():
    net = audited("neural network")
    for piece, other in SUPPORTED:
        assert paragraph.missing(written(net).replace(piece, other), net) == [], other
    for piece, other, why in REFUSED:
        reply = paragraph.look_over(written(net).replace(piece, other), net)
        assert reply.status == "wrong" and why in reply.text, (other, reply.text)


def test_a_paragraph_agrees_with_the_audit():
    found, net = audited("naive Bayes"), audited("neural network")
    for other, said, instead in ((found, "Mis", "No mis"), (net, "No mis", "Mis")):
        (lack,) = paragraph.missing(written(other).replace(said, instead), other)
        assert "whether miscalibration was found" in lack
    low = shown(found.tables["size"].set_index("quantity").loc["RMS error", "low"])
    (lack,) = paragraph.missing(written(found).replace(f" interval {low} to", " at most"), found)
    assert "the interval of the RMS error" in lack
    (lack,) = paragraph.missing(written(net).replace(short(net.pvalue), f"{net.pvalue:.2f}"), net)
    assert f"({short(net.pvalue)}), called so: {net.pvalue:.2f} is rounded" in lack
    assert "would have" in paragraph.missing(written(net).replace("An RMS error of .2 would", "It would"), net)[0]
    nothing = written(net).replace("No miscalibration was found", "They found nothing")
    assert paragraph.missing(f"{nothing} It is within the tolerance.", net) == []
    assert "beyond" in paragraph.missing(f"{written(found)} It is within the tolerance.", found)[0]
    y_prob = np.linspace(0.9, 0.99, 120)  # of so few misses there is no interval
    few = audit(np.arange(120) % 20 > 0, y_prob, n_resamples=39, rng=as_shown(0))
    good = written(few).replace("The RMS error has the 95 % interval unknown to unknown. ", "")
    assert paragraph.missing(good, few) == ["that the size of the RMS error cannot be told"]
    assert paragraph.missing(f"{good} How large the RMS error is cannot be told.", few) == []
