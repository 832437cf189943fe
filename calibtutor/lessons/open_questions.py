"""Questions without one right answer, each with what a good answer says; for a teacher, who gives the points.

A question is answered in a few sentences, from the lesson alone. `QUESTIONS` has the names of the notebooks' files.
Students' copies get the questions and not the rubrics (calibtutor/teach/sheet.py).
"""

from typing import NamedTuple

__all__ = ["QUESTIONS", "OpenQuestion"]


class OpenQuestion(NamedTuple):
    """A question, and (points, what earns them)."""

    question: str
    rubric: tuple


QUESTIONS = {
    "00_start_here": [
        OpenQuestion(
            "A colleague says: “My model has the better accuracy, so its probabilities are the more trustworthy ones.” "
            "Answer in at most five sentences, with one of the models of this notebook as your example.",
            (
                (1, "Says what calibration promises: what is said with 80 % happens in 80 % of such cases."),
                (1, "Says that accuracy is about the answer and calibration about the number said with it."),
                (
                    1,
                    "Names a model whose accuracy and mean confidence differ, and the direction (over- or under-confident).",
                ),
                (1, "Says how to see it: mean confidence minus accuracy, or the dots of a reliability diagram."),
            ),
        ),
    ],
    "01_notions": [
        OpenQuestion(
            "Describe a classifier for three classes whose top-label reliability diagram is perfect and which is still "
            "not calibrated. Who would be harmed by believing it, and which notion would have shown it?",
            (
                (
                    1,
                    "The example keeps the share of hits at each confidence right (it need not be a worked-out table).",
                ),
                (1, "In it some entry of the prediction, or some group behind it, is off."),
                (
                    1,
                    "Names a notion that conditions on more: class-wise, canonical, or local if the harm is to a group.",
                ),
                (1, "Somebody uses exactly the part that is wrong: the second class, or the group."),
            ),
        ),
        OpenQuestion(
            "Always saying the base rates is perfectly calibrated. Why does nobody want that model, and which part of the Brier score says so?",
            (
                (1, "Its predictions are the same for everybody: nothing can be decided with them."),
                (1, "Names sharpness, the variance of what happens given the prediction, which is zero."),
                (1, "Places it in the decomposition: calibration − sharpness + chance."),
            ),
        ),
    ],
    "02_binning_and_kde": [
        OpenQuestion(
            "A report says: “ECE .02 (15 bins), so the model is well calibrated.” What three things would you ask its author, and why?",
            (
                (1, "How many predictions: noise alone makes an ECE above zero, more so with few data and many bins."),
                (1, "What a calibrated model with the same predictions would get: redrawn labels."),
                (
                    1,
                    "How the result changes with the number or kind of bins, since bins average errors away (bias down).",
                ),
                (1, "Which notion: the top label alone, or all classes."),
            ),
        ),
    ],
    "03_calibration_risk": [
        OpenQuestion(
            "Two estimators give .010 and .018 for the same model. Explain to somebody who knows cross-validation how calibration "
            "risk chooses between them, and when it refuses to.",
            (
                (1, "Both are functions of pairs of predictions, fitted to products of residuals: a regression."),
                (
                    1,
                    "The risk is the squared distance to the unknown truth plus a constant, so it can be compared without the truth.",
                ),
                (1, "It is estimated on data that fitted neither, with pairs i ≠ j."),
                (
                    1,
                    "If the difference of risks is within its noise they are not told apart, and the range is the answer; h = 0 stays in the table.",
                ),
            ),
        ),
    ],
    "04_calibration_tests": [
        OpenQuestion(
            "A test of calibration gives p = .40 on 150 predictions of ten classes. The model's author writes “shown to be calibrated”. "
            "Rewrite the sentence, and say what you would do next.",
            (
                (1, "The new sentence says no more than “not rejected”, with the number of data."),
                (
                    1,
                    "Says that power may be small at this size, for canonical calibration of ten classes in particular.",
                ),
                (
                    1,
                    "Next: plant an error of a size that matters and see how often it is found, or get more data, or test the notion that is used.",
                ),
                (1, "Reports the size of the error (SKCE) beside the p-value, or says why a p-value is no size."),
            ),
        ),
        OpenQuestion(
            "Why may one redraw labels, but not compare with an error recomputed after shuffling residuals between different predictions?",
            (
                (1, "Under the null the law of the labels given the predictions is known: it is the prediction."),
                (1, "So redrawn labels have the law of the observed ones, for any statistic."),
                (1, "A residual's law depends on its prediction; moved to another it has the wrong law."),
            ),
        ),
    ],
    "05_local_calibration": [
        OpenQuestion(
            "Choose a model that decides about people. Which features would you give to a local test, which group could it still not see, "
            "and what would you check before you believe a large p-value?",
            (
                (1, "The features are known for everybody and describe people, not the model."),
                (1, "Names a group that no given feature tells apart, so no kernel can see it."),
                (1, "Checks the effective size: whether enough rows are near one another, after scaling."),
                (1, "Checks power by planting an error, or says that labels themselves can be biased."),
            ),
        ),
    ],
    "06_conditional_error": [
        OpenQuestion(
            "A hospital compares two models on two different groups of patients. Why is comparing their ECEs misleading, what does CKCE "
            "change about that, and what does it cost?",
            (
                (1, "ECE and SKCE weigh an error by how often its prediction is said, so the crowd is in the number."),
                (1, "CKCE regresses the residual on the prediction first and measures the curve."),
                (1, "More robust is not constant: with λ > 0 the crowd is still in it; same kernel and λ for both."),
                (1, "Cost: a small λ trusts rare predictions, noise counts, and it is not unbiased."),
            ),
        ),
    ],
    "07_one_operator": [
        OpenQuestion(
            "Two errors rank two models differently. Somebody asks which one is right. What do you answer, and what do you need to know first?",
            (
                (1, "Both are sums of squares over the same directions under different weights: neither is wrong."),
                (
                    1,
                    "Says which end counts common directions (SKCE) and which counts rare or fine ones more (CKCE, small λ).",
                ),
                (
                    1,
                    "Needs the purpose: a cost paid for each prediction, or a curve that must be right also where it is seldom used.",
                ),
                (1, "Asks whether the difference is above the noise at that λ."),
            ),
        ),
    ],
    "08_your_own_model": [
        OpenQuestion(
            "Audit a model of your own, or one of the digits' models. Write what you would sign: at most eight lines, for "
            "somebody who will rely on its probabilities and has not seen the report.",
            (
                (1, "Says which rows were audited, that they did not train the model, and which of them belong together."),
                (1, "Gives the size of the error with its interval, and not a p-value alone."),
                (1, "Says how many questions were asked, and that their p-values are adjusted for that."),
                (1, "Of what was not found: names the error that would have been found, and never says “calibrated”."),
                (1, "Names the groups that were asked about, and two things that this audit cannot say."),
            ),
        ),
    ],
    "case_studies/01_cifar_calibration_risk": [
        OpenQuestion(
            "What would have told you that predictions and labels of this file were misaligned, before any calibration error was computed, and after?",
            (
                (1, "Before: accuracy near that of guessing, against the published one."),
                (1, "After: an error of impossible size, or a risk above that of h = 0."),
                (1, "Says that a penalty chosen on right labels can hide it."),
            ),
        ),
    ],
    "case_studies/02_compas_local_calibration": [
        OpenQuestion(
            "Suppose that the score were locally calibrated for age, sex and recorded race. Give the strongest argument that it should still "
            "not be used, and the strongest answer to it.",
            (
                (1, "The argument rests on what the label is: a recorded charge, not conduct."),
                (1, "Says that calibration to biased labels repeats the bias."),
                (1, "The answer takes the argument seriously: compared with which alternative, for which decision."),
                (1, "Keeps apart what the data can show and what is a question of law or of values."),
            ),
        ),
    ],
    "case_studies/03_housing_who_owns": [
        OpenQuestion(
            "The model with the worse scores gave the right answer. Under which condition may a statistician add up predicted "
            "probabilities in place of labels, and how would you check it without the labels of the new data?",
            (
                (1, "The bias along the trait must vanish: the sum of (p − y) times the trait's deviation."),
                (1, "A logistic regression with an intercept and the trait has this on its training data."),
                (
                    1,
                    "Checked on held-out labelled data of the same population; for other populations it is an assumption.",
                ),
            ),
        ),
    ],
    "case_studies/04_heart_what_a_kernel_sees": [
        OpenQuestion(
            "Write the two sentences about local calibration that you would put into a paper on this model, and say what each rests on.",
            (
                (1, "Says “not rejected”, never “calibrated”."),
                (1, "Names null, kernel with its scaling, and the number of patients."),
                (1, "Gives the power against a planted error of a stated size, or the effective size."),
                (1, "Mentions that the cholesterol zeros are missing values, or another limit of these data."),
            ),
        ),
    ],
    "lectures/01_guest_lecture": [
        OpenQuestion(
            "A company says of its model: “It is calibrated: its reliability diagram is on the diagonal.” Write three questions to "
            "the company, one from each half of the lecture at least, and say what a bad answer would look like.",
            (
                (1, "Asks how many predictions there were, and what chance alone would have given with them."),
                (1, "Asks about the whole prediction: the diagram sees the top answer only."),
                (1, "Asks for whom: in which groups the promise was looked at."),
                (1, "Says for one of them which answer would be a bad one."),
            ),
        ),
    ],
}
