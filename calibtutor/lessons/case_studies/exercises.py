"""Exercises of the case studies. Their checks need no data; notebooks run the reader's functions on real predictions."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def comes_back(miss, error, shuffle, place):
    """The share of the other shuffles with this sign, and more than two standard errors, at this place."""
    away = miss[:, place] / error[:, place]
    again = (np.abs(away) > 2) & (np.sign(away) == np.sign(away[shuffle]))
    return np.mean(np.delete(again, shuffle))


def one_sum(p, y, age):
    """Σ (p − y)(age − A)/Σ p, with A the mean age of the owners."""
    A = np.mean(age[y == 1])
    return np.sum((p - y) * (age - A)) / np.sum(p)


def power(truth, draws, rejects):
    """The share of data sets, one a row of `draws`, in which the test rejects; y is 1 with probability `truth`."""
    return np.mean([rejects((u < truth).astype(int)) for u in draws])


def grouped_error(residuals, group):
    """Mean over rows of their group's mean product of two different residuals; a group of one counts 0."""
    total = 0
    for each in np.unique(group):
        inside = residuals[group == each]
        if len(inside) > 1:
            total += (np.sum(inside.sum(axis=0) ** 2) - np.sum(inside**2)) / (len(inside) - 1)
    return total / len(group)


def _residuals(rng):
    n, d = int(rng.integers(12, 30)), int(rng.integers(2, 5))
    return rng.dirichlet(np.ones(d), n) - np.eye(d)[rng.integers(0, d, n)], rng.integers(0, 5, n)


def _shuffles(rng):
    shuffles, places = int(rng.integers(5, 12)), int(rng.integers(2, 5))
    shift, error = rng.normal(0, 0.05, places), rng.uniform(0.01, 0.04, (shuffles, places))
    shuffle, place = int(rng.integers(shuffles)), int(rng.integers(places))
    miss = shift + rng.normal(0, 0.03, (shuffles, places))
    miss[shuffle, place] = np.sign(shift[place]) * rng.uniform(0.1, 0.2)  # a finding to ask for
    return miss, error, shuffle, place


def _households(rng):
    p = rng.random(int(rng.integers(10, 20)))
    y, age = rng.integers(0, 2, len(p)), rng.uniform(20, 80, len(p))
    y[:2] = 0, 1
    return p, y, age


def _planted(rng):
    n = int(rng.integers(5, 12))
    w, limit = rng.normal(size=n), float(rng.uniform(0.2, 0.8))
    return rng.random(n), rng.random((40, n)), lambda y: y @ w > limit


check = Checks([
    Exercise("grouped_error", grouped_error,
        "Given the predictions, it is at most the mean squared error on average, whatever the groups: a mean of products is at most a mean of squares.",
        Mistake(lambda residuals, group: np.mean([np.sum(residuals[group == g].mean(axis=0) ** 2) for g in group]), "You squared each group's mean: that counts the pairs of a residual with itself, which are never negative."),
        Mistake(lambda residuals, group: np.mean([grouped_error(residuals[group == g], 0 * group[group == g]) for g in np.unique(group)]), "A large group must count for more than a small one: weight each with its number of rows."),
        Mistake(lambda residuals, group: np.mean(np.sum(residuals**2, axis=1)), "That is the mean squared residual, with the labels' noise in it: even a calibrated model has it."),
        Mistake(lambda residuals, group: grouped_error(residuals, group) * len(group), "That is the sum over rows. Divide by their number."),
        inputs=_residuals,
        hint="For one group: the squared length of the sum of its residuals is the sum over all pairs, own pairs included. Take those away, divide by the number of other pairs. Then average over groups, each as often as it has rows."),
    Exercise("comes_back", comes_back,
        "It asks whether the finding is the model's or this shuffle's. All shuffles hold the same people, so it does not ask about others.",
        Mistake(lambda miss, error, shuffle, place: np.mean(np.delete(np.abs(miss[:, place]) > 2 * error[:, place], shuffle)), "Too high there and too low here is not the same finding: ask for the sign as well."),
        Mistake(lambda miss, error, shuffle, place: (1 + comes_back(miss, error, shuffle, place) * (len(miss) - 1)) / len(miss), "A finding agrees with itself: leave the shuffle that it comes from out of the mean."),
        Mistake(lambda miss, error, shuffle, place: np.mean(np.delete(np.sign(miss[:, place]) == np.sign(miss[shuffle, place]), shuffle)), "The sign alone agrees half of the time by chance. Ask for two standard errors too."),
        Mistake(lambda miss, error, shuffle, place: comes_back(miss, error, shuffle, place) * (len(miss) - 1), "That is a number of shuffles. Divide by how many others there are."),
        inputs=_shuffles,
        hint="Divide column `place` of miss by that of error. Which rows are beyond two, on the side of row `shuffle`? Average over the rows that are left without it."),
    Exercise("one_sum", one_sum,
        "It equals Σ p·age/Σ p − A for every p, because Σ y·(age − A) is 0: the estimate is right when this sum is 0, and only then.",
        Mistake(lambda p, y, age: np.sum((p - y) * age) / np.sum(p), "This changes when all p are multiplied by 1.1, and the estimate does not. Measure ages from A."),
        Mistake(lambda p, y, age: np.sum((p - y) * (age - np.mean(age))) / np.sum(p), "A is the mean age of the owners, not of everyone."),
        Mistake(lambda p, y, age: np.mean((p - y) * (age - np.mean(age[y == 1]))), "The sum is right. The estimate divides by the sum of p, not by the number of households."),
        Mistake(lambda p, y, age: np.sum((p - y) * (age - np.mean(age[y == 1]))), "The sum is right. Divide it, to have years."),
        Mistake(lambda p, y, age: -one_sum(p, y, age), "The size is right, the sign is not: estimate minus truth."),
        inputs=_households, hint="A is the mean age where y is 1. Sum (p − y)(age − A) over all households, owners or not, and divide as the estimate does."),
    Exercise("power", power, "With truth = p it is the size of the test: how often it rejects a model that is right.",
        Mistake(lambda truth, draws, rejects: 1 - power(truth, draws, rejects), "That is how often the error is missed."),
        Mistake(lambda truth, draws, rejects: power(truth, draws, rejects) * len(draws), "That is a number of data sets. Divide it."),
        Mistake(lambda truth, draws, rejects: power(1 - truth, 1 - draws, rejects), "A uniform number lies below t with probability t, above it with 1 − t."),
        Mistake(lambda truth, draws, rejects: float(rejects(truth)), "rejects takes labels, 0 or 1, not probabilities: draw them first."),
        Mistake(lambda truth, draws, rejects: np.mean([rejects(u) for u in draws]), "rejects takes labels, 0 or 1: make them from u and truth first."),
        inputs=_planted, hint="For each row u of draws: the label is 1 where u lies below truth. Give these labels to rejects, count, divide."),
])

guess = Guesses(
    later_epochs=(
        "From epoch 10 to epoch 19 the ResNet-110's accuracy on CIFAR-10 rises from .79 to .86. What happens to its over-confidence, "
        "mean confidence minus accuracy?",
        ["it shrinks to half", "it changes by less than a point", "it doubles"], "it changes by less than a point",
        "It was .043 and is .047: half a point, which redrawn images may take away or double."),
    paired_folds=(
        "Wide ResNet-32: all six roots of this column lie within .06 of each other, and each has a ± of .26 or more over its folds. "
        "The risk of kkr and of kde are taken on the same folds. In how many of ten random splits is kkr's the smaller one?",
        ["about 5", "about 8", "all 10"], "all 10",
        "In all 10. The labels' noise, which makes the ±, is the same for both."),
    to_lighter=(
        "The wide network as trained: its gap, said − happened, grows by .043 when the images are made 50 % lighter. T was learned from other "
        "images, unchanged. How much of this growth is left after T?",
        ["hardly any", "more than half", "more than all of it"], "more than half",
        "The gap still grows by .027 (± .018): T divides all logits by one number, in any light."),
    worst_of_a_hundred=(
        "LeNet-5 on CIFAR-100: in one half of the images, the worst of 100 answers says about .18 too much, on average over 20 cuts. "
        "In the other half, how much too much does the same answer say?",
        ["about .18", "about .09", "about .01"], "about .01",
        "On average .01. The worst of a hundred was the unluckiest."),
    after_recalibration=(
        "Isotonic regression brings the dots to the diagonal. The forest's misses at age 35 are within .1 of 0 in each of "
        "the four groups below. Subtract the miss of African-American men from that of other women. What happens to this difference, "
        "women − men, with its sign?",
        ["it falls", "it hardly changes", "it rises"], "it rises",
        "Over 24 shuffles of the rows it rose each time, by .04 to .13."),
    which_is_rejected=(
        "Model 2's mean age is right to about a tenth of a year. An exact test of local calibration on age sees 2,000 households. Which models does it reject?",
        ["neither", "Model 1 only", "both"], "both",
        "Both get p = .001: one sum that is nearly 0 makes the mean age right, and the miss along age is not 0."),
    published_setting=(
        "Suppose that women fall ill more often than the model says: .24 more, on average. How often does the test with the published kernel reject?",
        ["about 5 %", "about 50 %", "about 95 %"], "about 5 %",
        "It rejects a model that is right hardly less often. With scaled features it is about 50 %."))
