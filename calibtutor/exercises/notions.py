"""Exercises of notebook 01."""

import numpy as np

from ..exercise import Checks, Exercise, Guesses, Mistake
from ..worlds import random_world

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


def payoff(weights, p, r, f):
    """E⟨r − p, f(p)⟩, with f(p) given row by row."""
    return weights @ ((r - p) * f).sum(axis=1)


def _payoff_inputs(rng):
    weights, p, r = _world(rng)
    return weights, p, r, rng.normal(size=p.shape)


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
        "sharpness", sharpness, "It measures how far the frequencies spread around P(Y); it never looks at p.",
        inputs=lambda rng: _world(rng)[::2],
        hint="Average r with the weights to get r̄ = P(Y), then average the squared distance to it.",
        mistakes=[
            Mistake(lambda w, r: w @ (r**2).sum(axis=1), "That is E‖r‖². Centre r at r̄ first."),
            Mistake(lambda w, r: np.mean(((r - r.mean(axis=0)) ** 2).sum(axis=1)),
                    "The kinds are not equally likely: use the weights in both averages."),
            Mistake(lambda w, r: w @ ((r - r.mean(axis=0)) ** 2).sum(axis=1),
                    "r̄ = P(Y) is a weighted mean too."),
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
        ],
    ),
    Exercise(
        "blind_spot", "top-label",
        "In “hidden top” each class keeps its promise on average, and the top label does not: "
        "class-wise calibration does not imply top-label calibration.",
        hint="Choose “hidden top” in the ladder and look for an orange box beside a green “class-wise”.",
        mistakes=[
            Mistake("class-wise", "Look at its box: it stays green, at error 0."),
            Mistake("canonical", "Canonical is broken too, but it is stronger than class-wise, so that is no surprise."),
        ],
    ),
    Exercise(
        "payoff", payoff, "The calibration error of a class F is the largest value this can take for f in F.",
        inputs=_payoff_inputs,
        hint="An inner product for each kind, then the weighted mean over kinds.",
        mistakes=[
            Mistake(lambda w, p, r, f: w @ ((p - r) * f).sum(axis=1),
                    "The opponent is paid r − p: what happens minus what was said."),
            Mistake(lambda w, p, r, f: ((r - p) * f).sum(axis=1).mean(), "The kinds are not equally likely: use the weights."),
            Mistake(lambda w, p, r, f: w @ np.abs((r - p) * f).sum(axis=1),
                    "No absolute value: the opponent pays where f points the wrong way."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
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
