"""Exercises of notebook 01."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _one_prediction(rng):
    return rng.dirichlet(np.ones(4)), int(rng.integers(4))


def _world(rng):
    """Weights, predictions and frequencies of a small world."""
    p, r = rng.dirichlet(np.ones(3), (2, 5))
    p[1], r[1] = p[0], r[0]  # two kinds are told the same
    return rng.dirichlet(3 * np.ones(5)), p, r


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


def _means_of_groups(weights, confidence, right):
    """The mean of `right`, by the weights, for each confidence."""
    groups = [confidence == c for c in np.unique(confidence)]
    return np.unique(confidence), np.array([np.average(right[same], weights=weights[same]) for same in groups])


def _sum_of_groups(weights, confidence, right):
    c, means = _means_of_groups(weights, confidence, right)
    return ((c - means) ** 2).sum()


def _mean_of_groups(weights, confidence, right):
    return _sum_of_groups(weights, confidence, right) / len(np.unique(confidence))


def payoff(weights, p, r, b):
    """E⟨r − p, b(p)⟩, with b(p) given row by row."""
    return weights @ ((r - p) * b).sum(axis=1)


def _payoff_inputs(rng):
    weights, p, r = _world(rng)
    return weights, p, r, np.sin(p @ rng.normal(0, 3, (3, 3)))  # a function of p: equal predictions, equal bets


def _tempered_inputs(rng):
    """Four predictions, two entries of them 0 (a forest and a tree say that too); a large T shows what was added to 0."""
    p = rng.dirichlet(np.ones(4), 4)
    p[:2, 0] = 0
    return p / p.sum(axis=1, keepdims=True), float(rng.choice([0.25, 0.5, 4.0]))


def temper(p, temperature):
    """Log-probabilities over the temperature: p to the power of 1/T, rescaled so that each row sums to 1."""
    powers = p ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def _temper_away_from_0(away):
    """The same of predictions that are moved off 0 first."""
    return lambda p, temperature: temper(away(p), temperature)


def _softmax_of_p(p, temperature):
    e = np.exp(p / temperature)
    return e / e.sum(axis=1, keepdims=True)


def kernel_matrix(p, q, bandwidth):
    """K[i, j] = exp(−(p_i − q_j)² / (2γ²))."""
    return np.exp(-((p[:, None] - q[None, :]) ** 2) / (2 * bandwidth**2))


def _scalars(rng):
    return rng.random(5), rng.random(4), float(rng.choice([0.1, 0.3, 2.0]))


def gap_and_error(confidence, hit):
    """Mean of confidence − hit and the standard error of that mean."""
    delta = confidence - hit
    return delta.mean(), delta.std(ddof=1) / np.sqrt(len(delta))


def _rounded_hits(rng):
    confidence = rng.uniform(0.3, 1, 12)
    hit = (rng.random(12) < confidence).astype(float)
    return confidence, np.r_[hit[:10], 0.0, 1.0]  # both outcomes occur


check = Checks([
    Exercise(
        "residual", residual, "Every row of residuals sums to 0: what one class gets too much, others miss.",
        inputs=_one_prediction,
        hint="Take the unit vector of the label away from the prediction; the result has as many entries as p.",
        mistakes=[
            Mistake(lambda p, y: np.eye(len(p))[y] - p, "The sign: this course counts prediction minus outcome."),
            Mistake(lambda p, y: p[y] - 1, "That is the entry of the true class alone; the other classes have one too."),
            Mistake(lambda p, y: 1 - p, "You took the prediction away from 1 everywhere: e_y is 1 in the place of y only."),
            Mistake(lambda p, y: np.abs(p - np.eye(len(p))[y]), "No absolute value: in the true class the residual is negative."),
            Mistake(lambda p, y: p - y, "You subtracted the label's number. Subtract its unit vector e_y."),
        ],
    ),
    Exercise(
        "blind_spot", "top-label",
        "In “hidden top” each class keeps its promise on average, and the top label does not: "
        "class-wise calibration does not imply top-label calibration.",
        hint="Choose “hidden top” in the ladder. Two boxes on the right are red: which of them promises less?",
        accept=["confidence", "top label = confidence", "top-label calibration", "confidence calibration", "top-label confidence"],
        mistakes=[
            *(
                Mistake(word, "Look at its box: it stays blue, at error 0.")
                for word in ("class-wise", "class-wise calibration", "each class")
            ),
            *(
                Mistake(word, "It fails too, but the box below it promises less and fails as well.")
                for word in ("top-label-per-class", "top label and its class")
            ),
            *(
                Mistake(word, "Canonical is broken too, but it is stronger than class-wise, so that is no surprise.")
                for word in ("canonical", "canonical calibration", "whole vector")
            ),
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
            *(
                Mistake(wrong, "The groups are not equally likely: each counts with the sum of its weights.")
                for wrong in (_sum_of_groups, _mean_of_groups)
            ),
            Mistake(_unweighted_groups, "Inside a group use the weights: its kinds are not equally likely."),
            Mistake(lambda w, c, right: np.sqrt(top_label_error(w, c, right)), "No root: the squared error is asked."),
        ],
    ),
    Exercise(
        "sharpness", sharpness, "How far the frequencies spread around P(Y). Given r it needs no p; what matters is which inputs share a prediction.",
        inputs=lambda rng: _world(rng)[::2],
        hint="Average r with the weights to get r̄ = P(Y), then average the squared distance to it.",
        mistakes=[
            Mistake(lambda w, r: 1 - ((w @ r) ** 2).sum(), "That is chance. Sharpness is what is saved by telling inputs apart."),
            Mistake(lambda w, r: np.sqrt(sharpness(w, r)), "No root: squared distances are averaged."),
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
            Mistake(-0.9, "A squared error cannot be negative: sharpness is subtracted, and it is 0 here."),
            Mistake(1.0, "Almost: chance is 1 − ‖r̄‖², and ‖r̄‖² is not 0."),
            Mistake(0.81, "That is (1 − .1)², the cost in the true class; the other nine add .1² each."),
        ],
    ),
    Exercise(
        "temper", temper,
        "Raising to the power 1/T keeps the order of the classes, so it moves the calibration error and never the accuracy.",
        inputs=_tempered_inputs,
        hint="Divide log p by the temperature, exponentiate, and make each row sum to 1 again.",
        mistakes=[
            Mistake(lambda p, t: p ** (1 / t), "The rows do not sum to 1 any more: rescale each."),
            Mistake(lambda p, t: p**t / (p**t).sum(axis=1, keepdims=True),
                    "You multiplied log p by the temperature. Divide, so that a small temperature makes the model bold."),
            Mistake(_softmax_of_p, "You divided p itself. Divide its logarithm."),
            Mistake(lambda p, t: p ** (1 / t) / (p ** (1 / t)).sum(),
                    "You rescaled the whole table. Each row must sum to 1 by itself."),
            *(
                Mistake(_temper_away_from_0(away), "What you add to 0, or cut it at, grows with the temperature. log 0 may be −∞: exp takes it back to 0.")
                for small in 10.0 ** np.arange(-13, -3)
                for away in (lambda p, small=small: p + small, lambda p, small=small: np.clip(p, small, None))
            ),
            Mistake(lambda p, t: p / t, "You divided p itself, and its rows do not sum to 1. Divide its logarithm, then rescale."),
            Mistake(lambda p, t: p, "Nothing has changed: the temperature is not used. Rescaling alone undoes p / T."),
            Mistake(lambda p, t: np.log(np.maximum(p, 1e-300)) / t, "Those are the new log-probabilities: exponentiate and rescale."),
        ],
    ),
    Exercise(
        "kernel_matrix", kernel_matrix,
        "One row for each p, one column for each q, 1 where they are equal. A bet Σ_a k(·, q_a) β_a at all p is K @ beta.",
        inputs=_scalars,
        hint="Differences of every p with every q: p[:, None] - q[None, :] has a row for each p.",
        mistakes=[
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / g**2), "A factor is missing: the square is divided by 2γ²."),
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / 2 * g**2),
                    "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ². Divide by (2 * g**2)."),
            Mistake(lambda p, q, g: np.exp(-g * (p[:, None] - q) ** 2),
                    "You multiplied by the bandwidth. Here γ is a width: divide by 2γ²."),
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / (2 * g)), "The bandwidth is squared too: 2γ²."),
            Mistake(lambda p, q, g: np.exp(-np.abs(p[:, None] - q) / (2 * g**2)), "The difference is squared."),
            Mistake(lambda p, q, g: np.exp((p[:, None] - q) ** 2 / (2 * g**2)), "The sign: far apart means less similar."),
            Mistake(lambda p, q, g: kernel_matrix(q, p, g), "Rows are p and columns are q; yours are exchanged."),
            Mistake(lambda p, q, g: kernel_matrix(p, q, g) / (g * np.sqrt(2 * np.pi)),
                    "No density: at equal predictions the kernel is 1, so nothing stands before the exponential."),
        ],
    ),
    Exercise(
        "length_by_hand", 5,
        "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5. By features: b is 3 (1, 0) − (1, 1) = (2, −1), "
        "so b(p) = 2 − p, of squared length 4 + 1.",
        hint="Write down the four similarities of 0 and 1, or add up the features φ(0) and φ(1) with their weights.",
        mistakes=[
            Mistake(np.sqrt(5), "That is the length; its square is asked."),
            Mistake(np.sqrt(10), "That is the Euclidean length of β. The length of b has K between the weights (and its square is asked)."),
            Mistake(10, "That is Σ β²: as if the two bumps were not similar at all."),
            Mistake(4, "That is (Σ β)²: as if k were 1 for every pair. k of 1 with itself is more."),
            Mistake(8, "The pair of 0 and 1 counts twice, as (0, 1) and as (1, 0)."),
            Mistake(17, "The second weight is negative: its pairs with the first count with a minus."),
        ],
    ),
    Exercise(
        "gap_and_error", gap_and_error,
        "The error shrinks like one over the root of the number of digits, so small groups need large gaps.",
        inputs=_rounded_hits,
        hint="A mean of independent numbers has the standard error s / √n; s is their standard deviation, with n − 1.",
        mistakes=[
            Mistake(lambda c, hit: ((hit - c).mean(), (hit - c).std(ddof=1) / np.sqrt(len(c))),
                    "The sign: this course counts said minus happened."),
            Mistake(lambda c, hit: ((hit - c).mean(), (hit - c).std() / np.sqrt(len(c))),
                    "Two things: said minus happened, and n − 1 in the standard deviation (ddof=1)."),
            Mistake(lambda c, hit: ((c - hit).mean(), (c - hit).std(ddof=1)),
                    "That is the spread of single digits. A mean of n varies less, by the root of n."),
            Mistake(lambda c, hit: ((c - hit).mean(), (c - hit).std() / np.sqrt(len(c))),
                    "Almost: with n − 1 in the standard deviation (ddof=1)."),
            *(
                Mistake(wrong, "√(p(1 − p)/n) is for n coins with one and the same p. Here every digit has its own confidence: take the standard deviation of confidence − hit.")
                for wrong in (
                    lambda c, hit: ((c - hit).mean(), np.sqrt(hit.mean() * (1 - hit.mean()) / len(hit))),
                    lambda c, hit: ((c - hit).mean(), np.sqrt(c.mean() * (1 - c.mean()) / len(c))),
                    lambda c, hit: ((c - hit).mean(), np.sqrt((c * (1 - c)).mean() / len(c))),
                )
            ),
            Mistake(lambda c, hit: ((c - hit).mean(), (c - hit).var(ddof=1) / len(c)), "That is the squared error: take the root."),
            Mistake(lambda c, hit: ((c - hit).mean(), (c - hit).std(ddof=1) / len(c)), "Divide by the root of n."),
            Mistake(lambda c, hit: (np.abs(c - hit).mean(), np.abs(c - hit).std(ddof=1) / np.sqrt(len(c))),
                    "No absolute value: errors of opposite sign cancel in a gap."),
            Mistake(lambda c, hit: (c - hit).mean(), "That is the gap alone: return its standard error as well, as (gap, error)."),
        ],
    ),
    Exercise(
        "nudged_bet", 0.0096,
        "½ · .48 · (b(.52) − b(.48)), and a Lipschitz bet changes by .04 there at most. Any bets between −1 and 1 earn .48.",
        hint="It earns ½ · .48 · b(.52) where the event happens and −½ · .48 · b(.48) where it does not. How far apart may the two bets be?",
        mistakes=[
            Mistake(0.48, "That is earned by any bets between −1 and 1, and is the ECE: a Lipschitz bet cannot jump from −1 to 1 there."),
            Mistake(0.0192, "Almost: each of the two happens half of the time only. (Your number is the distance to calibration.)"),
            Mistake(0.02, "That is how far each score was moved."),
            Mistake(0.04, "That is the largest difference of the two bets. Multiply it by what each unit of it earns."),
            Mistake(0.0104, "From .52 to 1 it is .48: an opponent is paid what happens minus what was said."),
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
            Mistake(lambda w, p, r, b: ((r - p) * b).sum(), "That is a sum over kinds. Weigh each kind by its probability."),
            Mistake(lambda w, p, r, b: w @ (r * b).sum(axis=1),
                    "That is what is paid out. The stake, at the model's prices p, has to be taken off."),
            Mistake(lambda w, p, r, b: w @ np.abs((r - p) * b).sum(axis=1),
                    "No absolute value: the opponent pays where b points the wrong way."),
            Mistake(lambda w, p, r, b: abs(w @ ((r - p) * b).sum(axis=1)), "A payoff can be negative: no absolute value."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    all_of_one_kind=(
        "Six bets, each from −1 to 1, on a model that is right on average. What does the same bet everywhere earn?",
        ["nothing", "half of the best", "it depends on the bet"],
        "nothing",
        "What a fixed bet wins where events are more frequent than said it loses where they are less frequent.",
    ),
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
