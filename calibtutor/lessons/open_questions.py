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
            "A colleague says: “My model has the better accuracy, so its probabilities are the more trustworthy "
            "ones.” Answer in at most five sentences: what does a trustworthy probability promise, why does accuracy "
            "not tell, and which model of notebook 00 shows it, in which direction?",
            (
                (
                    1,
                    "Says what a trustworthy probability promises: what is said with 80 % happens in 80 % of such "
                    "cases.",
                ),
                (
                    1,
                    "Says that accuracy does not tell this: it is about the answer, calibration about the number "
                    "said with it.",
                ),
                (
                    1,
                    "The example refutes the colleague: the random forest (right 96 %, says 71 %), under-confident, is "
                    "more accurate than naive Bayes (right 90 %, says 99 %) and further off; logistic regression (right "
                    "96 %, says 87 %), under-confident, is as far off. Naive Bayes and the decision tree alone do not: "
                    "the network is more accurate and less far off.",
                ),
            ),
        ),
    ],
    "01_notions": [
        OpenQuestion(
            "Describe a classifier for three classes whose top-label reliability diagram is perfect and which is "
            "still not calibrated. Who would be harmed by believing it, and which notion would have shown it?",
            (
                (
                    1,
                    "The example keeps the share of hits at each confidence right (it need not be a worked-out table).",
                ),
                (
                    1,
                    "In it the prediction is off all the same: in other entries, or where the model ranks one class "
                    "or another first.",
                ),
                (1, "Somebody uses exactly the part that is wrong, such as the second class."),
                (
                    1,
                    "Names a notion that conditions on more and is broken here: top label and its class, class-wise, "
                    "or canonical.",
                ),
            ),
        ),
        OpenQuestion(
            "Always saying the base rates is perfectly calibrated. Why does nobody want that model, and which part "
            "of the Brier score says so, by which value?",
            (
                (1, "Its predictions are the same for everybody: nothing can be decided with them."),
                (1, "Names sharpness, the variance of what happens given the prediction."),
                (1, "Its value is zero, so of the score all the chance is left."),
            ),
        ),
    ],
    "02_binning_and_kde": [
        OpenQuestion(
            "A report says: “ECE .02 (15 bins), so the model is well calibrated.” What three things would you ask "
            "its author, and why?",
            (
                (
                    3,
                    "A point for each of three questions whose answer could change the verdict, such as: how many "
                    "predictions? what does a calibrated model with the same predictions get (redrawn labels)? what "
                    "do other numbers or kinds of bins give? which notion, the top label alone or all classes?",
                ),
                (
                    3,
                    "A point for the reason of each: noise alone makes an ECE above zero, more so with few data and "
                    "many bins; .02 is large or small only beside chance; bins average errors away (bias down); a "
                    "diagram of the top label does not see the other classes.",
                ),
            ),
        ),
    ],
    "03_calibration_risk": [
        OpenQuestion(
            "Two estimators give .010 and .018 for the same model. Explain to somebody who knows cross-validation "
            "how calibration risk chooses between them, and when it refuses to.",
            (
                (
                    1,
                    "Says what is fitted: a function of pairs of predictions, to products of residuals. It is a "
                    "regression.",
                ),
                (
                    1,
                    "Says what is compared: the squared distance to the unknown truth plus a constant, so the truth "
                    "is not needed.",
                ),
                (1, "Says on which data: on rows that fitted neither."),
                (
                    1,
                    "Says when it refuses: if the difference of the two risks is within its noise, they are not told "
                    "apart.",
                ),
            ),
        ),
    ],
    "04_calibration_tests": [
        OpenQuestion(
            "A test of calibration gives p = .40 on 150 predictions of ten classes. The model's author writes “shown "
            "to be calibrated”. Rewrite the sentence, say why the old one does not follow, and what you would do "
            "next.",
            (
                (1, "The new sentence says no more than “not rejected”."),
                (
                    1,
                    "Why: the power may be small, with 150 predictions of ten classes in particular; a p-value is no "
                    "size of an error.",
                ),
                (
                    1,
                    "Next: plant an error of a size that matters and see how often it is found, get more data, test "
                    "the notion that is used, or report the size of the error (SKCE) beside the p-value.",
                ),
            ),
        ),
        OpenQuestion(
            "Why may one redraw labels, but not compare with an error recomputed after shuffling residuals between "
            "different predictions?",
            (
                (1, "Under the null the law of the labels given the predictions is known: it is the prediction."),
                (1, "So redrawn labels have the law of the observed ones."),
                (1, "A residual's law depends on its prediction; moved to another it has the wrong law."),
            ),
        ),
    ],
    "05_local_calibration": [
        OpenQuestion(
            "Choose a model that decides about people. Which features would you give to a local test, which group "
            "could it still not see, and what would you check before you believe a large p-value?",
            (
                (
                    1,
                    "Names features that are known for everybody the model decides about, and that describe people "
                    "and not the model.",
                ),
                (1, "Names a group that none of these features tells apart, so that no kernel can see it."),
                (
                    1,
                    "Checks whether an error would have been found: the effective size (enough rows near one "
                    "another, after scaling), or the power against a planted error.",
                ),
            ),
        ),
    ],
    "06_conditional_error": [
        OpenQuestion(
            "A hospital compares two models on two different groups of patients. Why is comparing their ECEs "
            "misleading, what does CKCE change about that, what does it not change, and what does it cost?",
            (
                (1, "An ECE weighs an error by how often its prediction is said, so the crowd is in the number."),
                (1, "CKCE regresses the residual on the prediction first and measures the curve."),
                (1, "More robust is not constant: with λ > 0 the crowd is still in it."),
                (
                    1,
                    "Names a cost: a small λ trusts rare predictions and counts their noise; it is not unbiased; λ "
                    "and the kernel decide what it sees and must be the same for both.",
                ),
            ),
        ),
    ],
    "07_one_operator": [
        OpenQuestion(
            "SKCE and CKCE rank two models differently. Somebody asks which one is right. What do you answer, and "
            "what two things do you need to know first?",
            (
                (1, "Both are sums of squares over the same directions under different weights: neither is wrong."),
                (1, "Says what each weighs: SKCE common directions, CKCE with a small λ also rare or fine ones."),
                (
                    1,
                    "Needs the purpose: a cost paid for each prediction, or a curve that must be right also where it "
                    "is seldom used.",
                ),
                (1, "Needs the noise: whether the difference is more than chance gives at that λ."),
            ),
        ),
    ],
    "08_your_own_model": [
        OpenQuestion(
            "Audit a model of your own, or one of the digits' models. Write what you would sign, in at most eight "
            "lines, for somebody who will rely on its probabilities and has not seen the report: which rows and "
            "questions, what was found, how large the error is, and two things that this audit cannot say.",
            (
                (1, "Says which rows were audited, and that they did not train the model."),
                (1, "Says what was asked, of which groups too, and how many questions it was."),
                (
                    1,
                    "Says what was found, with adjusted p-values, or which error would have been found; never "
                    "“calibrated”.",
                ),
                (1, "Gives the size of the error with its interval, and not a p-value alone."),
                (1, "Says two things that this audit cannot say, such as a group that nobody asked about."),
            ),
        ),
    ],
    "case_studies/01_cifar_calibration_risk": [
        OpenQuestion(
            "What would have told you that predictions and labels of this file were misaligned, before any "
            "calibration error was computed, and after? And what could hide it?",
            (
                (1, "Before: accuracy near that of guessing, or far from the published one."),
                (1, "After: an error of impossible size, or a risk above that of h = 0."),
                (1, "Hidden by a penalty that was chosen on right labels."),
            ),
        ),
    ],
    "case_studies/02_compas_local_calibration": [
        OpenQuestion(
            "Suppose that the score were locally calibrated for age, sex and recorded race. Give the strongest "
            "argument from what its labels are that it should still not be used, and the strongest answer to it. "
            "Which part of the dispute could data settle?",
            (
                (1, "The argument rests on what the label is: a recorded charge, not conduct."),
                (1, "Says why this matters: calibration to biased labels repeats the bias."),
                (1, "The answer takes the argument seriously: compared with which alternative, for which decision."),
                (1, "Keeps apart what data can show and what is a question of law or of values."),
            ),
        ),
    ],
    "case_studies/03_housing_who_owns": [
        OpenQuestion(
            "The model with the worse scores gave the right answer. Under which condition may a statistician add up "
            "predicted probabilities in place of labels, which kind of model meets it on its training data by "
            "construction, and how would you check it without the labels of the new data?",
            (
                (1, "The bias along the trait must vanish: the sum of (p − y) times the trait's deviation."),
                (1, "A logistic regression with an intercept and the trait, at its optimum."),
                (
                    1,
                    "Checked on held-out labelled data of the same population; for other populations it is an "
                    "assumption.",
                ),
            ),
        ),
    ],
    "case_studies/04_heart_what_a_kernel_sees": [
        OpenQuestion(
            "Write the two sentences about local calibration that you would put into a paper on this model, say what "
            "each rests on, and name one limit of these data.",
            (
                (1, "The result: “not rejected”, never “calibrated”."),
                (1, "It rests on a null, a kernel with its scaling, and a number of patients, and these are named."),
                (1, "What it means: the power against a planted error of a stated size, or the effective size."),
                (1, "A limit, such as cholesterol zeros that are missing values."),
            ),
        ),
    ],
    "lectures/01_guest_lecture": [
        OpenQuestion(
            "A company says of its model: “It is calibrated: its reliability diagram is on the diagonal.” Write "
            "three questions to the company, at least one from each half of the lecture, and say for one of them "
            "what a bad answer would look like.",
            (
                (
                    1,
                    "A question from the first half: how were the bins chosen? what of the whole prediction, of "
                    "which the diagram sees the top answer only?",
                ),
                (
                    1,
                    "A question from the second half: what would chance alone give with so many predictions? how was "
                    "chance drawn? in which groups was the promise looked at?",
                ),
                (1, "A third of either kind that could change the verdict."),
                (1, "Says which answer to one of them would be a bad one, and it would be."),
            ),
        ),
    ],
}
