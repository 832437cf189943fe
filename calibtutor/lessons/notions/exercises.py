"""Exercises of notebook 01."""

import numpy as np

from ...data.worlds import random_world
from ...teach.exercise import Checks, Exercise, Guesses, Mistake

__all__ = ["check", "guess"]


def _one_prediction(rng):
    return rng.dirichlet(np.ones(4)), int(rng.integers(4))


def _world(rng):
    """Weights, predictions and frequencies of a small world."""
    w = random_world(rng, n_kinds=5)
    return w.weights, w.predictions, w.frequencies


def _confidences(rng):
    """Kinds that share confidences, so that grouping matters."""
    return rng.dirichlet(np.ones(6)), rng.choice([0.5, 0.7, 0.9], 6), rng.random(6)


def residual(p, y):
    """δ = p − e_y."""
    delta = np.array(p, dtype=float)
    delta[y] -= 1
    return delta


def sharpness(weights, r):
    """E‖r − r̄‖² with r̄ = E r."""
    mean = weights @ r
    return weights @ ((r - mean) ** 2).sum(axis=1)


def top_label_error(weights, confidence, right):
    """E(c − P(hit | c))²: kinds of equal confidence are averaged first."""
    total = 0.0
    for c in np.unique(confidence):
        same = confidence == c
        mass = weights[same].sum()
        total += mass * (c - weights[same] @ right[same] / mass) ** 2
    return total


def _unweighted_groups(weights, confidence, right):
    means = {c: right[confidence == c].mean() for c in confidence}
    return weights @ np.array([(c - means[c]) ** 2 for c in confidence])


def payoff(weights, p, r, b):
    """E⟨r − p, b(p)⟩, with b(p) given row by row."""
    return weights @ ((r - p) * b).sum(axis=1)


def _payoff_inputs(rng):
    weights, p, r = _world(rng)
    return weights, p, r, np.sin(p @ rng.normal(0, 3, (3, 3)))  # a function of p: equal predictions, equal bets


check = Checks([
    Exercise(
        "residual", residual, "Every row of residuals sums to 0: what one class gets too much, others miss.",
        inputs=_one_prediction,
        hint="Take the unit vector of the label away from the prediction; the result has as many entries as p.",
        mistakes=[
            Mistake(lambda p, y: np.eye(len(p))[y] - p, "The sign: this course counts prediction minus outcome."),
            Mistake(lambda p, y: p[y] - 1, "That is the entry of the true class alone; the other classes have one too."),
            Mistake(lambda p, y: p - y, "You subtracted the label's number. Subtract its unit vector e_y."),
        ],
    ),
    Exercise(
        "blind_spot", "top-label",
        "In “hidden top” each class keeps its promise on average, and the top label does not: "
        "class-wise calibration does not imply top-label calibration.",
        hint="Choose “hidden top” in the ladder. Two boxes on the right are red: which of them promises less?",
        accept=["confidence", "top label", "top label = confidence"],
        mistakes=[
            Mistake("class-wise", "Look at its box: it stays blue, at error 0."),
            *(
                Mistake(word, "It fails too, but the box below it promises less and fails as well.")
                for word in ("top-label-per-class", "top label and its class", "top label per class")
            ),
            Mistake("canonical", "Canonical is broken too, but it is stronger than class-wise, so that is no surprise."),
        ],
    ),
    Exercise(
        "top_label_error", top_label_error,
        "Kinds that share a confidence cannot be told apart by it: errors of opposite sign cancel before the square.",
        inputs=_confidences,
        hint="Condition on the number c: first average `right` over all kinds with the same confidence.",
        mistakes=[
            Mistake(lambda w, c, right: w @ (c - right) ** 2,
                    "You squared kind by kind. Given c alone, kinds with equal confidence are averaged first."),
            Mistake(lambda w, c, right: (w @ (c - right)) ** 2,
                    "You averaged over everything: that is the squared overall gap, which forgets c altogether."),
            Mistake(_unweighted_groups, "Inside a group use the weights: its kinds are not equally likely."),
            Mistake(lambda w, c, right: np.sqrt(top_label_error(w, c, right)), "No root: the squared error is asked."),
        ],
    ),
    Exercise(
        "sharpness", sharpness, "How far the frequencies spread around P(Y). Given r it needs no p; what matters is which inputs share a prediction.",
        inputs=lambda rng: _world(rng)[::2],
        hint="Average r with the weights to get r̄ = P(Y), then average the squared distance to it.",
        mistakes=[
            Mistake(lambda w, r: w @ (r**2).sum(axis=1), "That is E‖r‖². Centre r at r̄ first."),
            Mistake(lambda w, r: np.mean(((r - r.mean(axis=0)) ** 2).sum(axis=1)),
                    "The kinds are not equally likely: use the weights in both averages."),
            Mistake(lambda w, r: w @ ((r - r.mean(axis=0)) ** 2).sum(axis=1),
                    "r̄ = P(Y) is a weighted mean too."),
            Mistake(lambda w, r: np.mean(((r - w @ r) ** 2).sum(axis=1)), "The outer average needs the weights too."),
        ],
    ),
    Exercise(
        "brier_of_constant", 0.9,
        "Calibration 0, sharpness 0, chance 1 − Σ .1² = .9: the constant model pays all of the chance.",
        hint="Put calibration and sharpness of the constant model into Murphy's decomposition.",
        mistakes=[
            Mistake(0.1, "That is ‖r̄‖² = Σ .1². The chance term is 1 minus it (the slip of errata G17)."),
            Mistake(0.09, "That is .1 · .9, the chance of one class against the rest. Sum over all ten."),
            Mistake(0.0, "Its calibration error is 0, but its Brier score is not: chance costs something."),
            Mistake(0.81, "That is (1 − .1)², the cost in the true class; the other nine add .1² each."),
        ],
    ),
    Exercise(
        "payoff", payoff, "The calibration error of a class F is the largest value this can take for b in F.",
        inputs=_payoff_inputs,
        hint="An inner product for each kind, then the weighted mean over kinds.",
        mistakes=[
            Mistake(lambda w, p, r, b: w @ ((p - r) * b).sum(axis=1),
                    "The opponent is paid r − p: what happens minus what was said."),
            Mistake(lambda w, p, r, b: ((r - p) * b).sum(axis=1).mean(), "The kinds are not equally likely: use the weights."),
            Mistake(lambda w, p, r, b: w @ np.abs((r - p) * b).sum(axis=1),
                    "No absolute value: the opponent pays where b points the wrong way."),
            Mistake(lambda w, p, r, b: abs(w @ ((r - p) * b).sum(axis=1)), "A payoff can be negative: no absolute value."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    dials=(
        "At power 1, which bars does merging change, and later which does exaggerating?",
        [
            "both change all bars",
            "merging: sharpness; exaggerating: calibration",
            "merging: calibration; exaggerating: sharpness",
        ],
        "merging: sharpness; exaggerating: calibration",
        "Merging says the average to all, which keeps the promise and tells fewer inputs apart. Exaggerating still tells them "
        "apart, but its numbers are no frequencies any more. (The Brier score follows in both cases; chance never moves.)",
    ),
    perfect_diagonal=(
        "As t grows, what will the reliability diagram of the top label show?",
        ["dots leave the diagonal", "dots stay on the diagonal"],
        "dots stay on the diagonal",
        "The diagram only looks at the top class and its confidence. The other two classes may swap everything between them.",
    ),
    temperature=(
        "Which way can a temperature move a model in this picture?",
        ["left and right", "up and down", "both"],
        "up and down",
        "The ranking of the classes stays, so the accuracy stays. Only the calibration error moves.",
    ),
    constants=(
        "In “six permutations”, what can an opponent with constants earn?",
        ["nothing", "a little", "as much as any other"],
        "nothing",
        "On average over all predictions every class occurs as often as promised, so a fixed bet breaks even.",
    ),
)
