"""Guesses, and exercises: two answers of the reader, and the functions sharpness and temper."""

import numpy as np
from scipy.special import softmax

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _world(rng):
    """Weights and frequencies of a small world, in which two kinds are told the same."""
    r = rng.dirichlet(np.ones(3), (2, 5))[1]
    r[1] = r[0]
    return rng.dirichlet(3 * np.ones(5)), r


def sharpness(weights, r):
    """E‖r − r̄‖² with r̄ = E r."""
    mean = weights @ r
    return weights @ ((r - mean) ** 2).sum(axis=1)


def _tempered_inputs(rng):
    """Five predictions, two entries of them 0 (a forest and a tree say that too); a large T shows what was added to 0."""
    p = rng.dirichlet(np.ones(4), 5)
    p[:2, 0] = 0
    return p / p.sum(axis=1, keepdims=True), float(rng.choice([0.25, 0.5, 4.0]))


def temper(p, temperature):
    """Log-probabilities over the temperature: p to the power of 1/T, rescaled so that each row sums to 1."""
    powers = p ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


check = Checks([
    Exercise("blind_spot", "top-label",
        "In “hidden top” every class occurs as often as is said, on average, and the top label does not: class-wise calibration does not imply top-label calibration.",
        Mistake("class-wise", "Look at its box: it stays blue, at error 0."),
        Mistake("top label and its class", "It fails too, but the box below it promises less and fails as well."),
        Mistake("canonical", "Canonical is broken too, but it is stronger than class-wise, so that is no surprise."),
        hint="Choose “hidden top” in the ladder. Two boxes on the right are red: which of them promises less?", accept=["confidence", "top label = confidence", "top-label calibration", "confidence calibration", "top-label confidence"]),
    Exercise("sharpness", sharpness,
        "How far the frequencies spread around P(Y). Given r it needs no p; what matters is which inputs share a prediction.",
        Mistake(lambda w, r: 1 - ((w @ r) ** 2).sum(), "That is chance. Sharpness is what is saved by telling inputs apart."),
        Mistake(lambda w, r: np.sqrt(sharpness(w, r)), "No root: squared distances are averaged."),
        Mistake(lambda w, r: w @ np.linalg.norm(r - w @ r, axis=1), "Those are distances. Square them before you average."),
        Mistake(lambda w, r: w @ (r**2).sum(axis=1), "That is E‖r‖². Centre r at r̄ first."),
        Mistake(lambda w, r: np.mean(((r - r.mean(axis=0)) ** 2).sum(axis=1)), "The kinds are not equally likely: use the weights in both averages."),
        Mistake(lambda w, r: w @ ((r - r.mean(axis=0)) ** 2).sum(axis=1), "r̄ = P(Y) is a weighted mean too."),
        inputs=_world, hint="Average r with the weights to get r̄ = P(Y), then average the squared distance to it."),
    Exercise("brier_of_constant", 0.54,
        "Calibration 0, sharpness 0, chance 1 − (.6² + .3² + .1²) = .54: its Brier score equals chance.",
        Mistake(0.46, "That is ‖r̄‖². The chance term is 1 minus it (the slip of errata G17)."),
        Mistake(0.24, "That is .6 · .4, for the first class against the rest. Sum over all three."),
        Mistake(0.0, "Its calibration error is 0, but its Brier score is not: it still does not know the label."),
        hint="Put calibration and sharpness of the constant model into Murphy's decomposition."),
    Exercise("temper", temper,
        "Raising to the power 1/T keeps the order of the classes, so it moves the calibration error and never the accuracy.",
        Mistake(lambda p, t: p ** (1 / t), "The rows do not sum to 1 any more: rescale each."),
        Mistake(lambda p, t: p**t / (p**t).sum(axis=1, keepdims=True), "You took the power T. It is 1/T, so that a small temperature makes the model more confident."),
        Mistake(lambda p, t: softmax(p / t, axis=1), "You divided p by T. Take the power 1/T, which divides its logarithm."),
        Mistake(lambda p, t: p ** (1 / t) / (p ** (1 / t)).sum(), "You rescaled the whole table. Each row must sum to 1 by itself."),
        *(Mistake(lambda p, t, away=away: temper(away(p), t), "What you add to 0, or cut it at, grows with the temperature. log 0 may be −∞: exp takes it back to 0.") for small in 10.0 ** np.arange(-13, -3)
          for away in (lambda p, small=small: p + small, lambda p, small=small: np.clip(p, small, None))),
        Mistake(lambda p, t: p, "Nothing has changed: the temperature is not used. Rescaling alone undoes p / T."),
        inputs=_tempered_inputs, hint="At T = 1/2 all probabilities are squared; then each row is divided by its sum."),
])


guess = Guesses(
    dials=(
        "Move one slider and leave the other as it is: which part of the Brier score does “merge cells” change, and which does “exaggerate”?",
        ["both change both parts",
         "merging: sharpness; exaggerating: calibration",
         "merging: calibration; exaggerating: sharpness"],
        "merging: sharpness; exaggerating: calibration",
        "Merged inputs get their mean prediction: that stays calibrated, but tells fewer inputs apart. Exaggerating tells as many apart, but its numbers are no longer the frequencies."),
    as_t_grows=("As t grows, what will the reliability diagram of the top label show?",
        ["dots leave the diagonal", "dots stay on the diagonal"], "dots stay on the diagonal", "The diagram only looks at the top class and its confidence. The other two classes may swap everything between them."),
    same_for_all=(
        "A model says (.3, .7) of every digit. The second class is true of 90 % of the light half and of 50 % of the dark half. Which of the four notions fail?",
        ["none", "canonical alone", "all four"], "none", "Of all digits with this prediction, 70 % have the second class, as it says. Every notion looks at the prediction alone, and it is always the same."),
    temperature=("Which way can a temperature move a model in this picture?",
        ["left and right", "up and down", "both"], "up and down", "The ranking of the classes stays, so the accuracy stays. Only the calibration error moves."),
    before=[
        ("A model says .7, and it rains on 4 of 10 such days. What does it pay for its error alone, the squared miss?",
         [".3", ".21", ".09"], ".09", "(.7 − .4)² = .09; the rest of the cost is the coin's own noise (notebook 00, section 4)."),
        ("The dots of a reliability diagram lie above the diagonal. The model is …",
         ["over-confident", "under-confident", "calibrated"], "under-confident",
         "More answers are right than it says (notebook 00, section 1)."),
        ("Two models have the same accuracy. Are they equally well calibrated?", ["yes", "not always"], "not always",
         "Accuracy counts answers and looks at no probability (notebook 00, opening).")])
