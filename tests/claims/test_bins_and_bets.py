"""Claims of the lesson bins_and_bets."""

import itertools

import numpy as np
import pytest
from claim import claim

from calibtutor.lessons.bins_and_bets.scenes import opponent
from calibtutor.lessons.bins_and_bets.worlds import best_opponents
from calibtutor.lessons.shared.worlds import WORLDS

BANDWIDTHS = 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_the_ring_is_where_most_is_won(bandwidth):
    shown = opponent()
    for name, make in WORLDS.items():
        world = make(1.0)
        shown.set(world=name, functions="RKHS ball", bandwidth=bandwidth)
        bet = best_opponents(world, bandwidth)[1]["RKHS ball"](world.predictions)
        won = (bet * (world.predictions - world.frequencies)).sum(axis=1)
        x, y = (float(np.squeeze(each)) for each in shown.artists["ring"].get_data())
        p = np.array([1 - x - y / np.sqrt(3), x - y / np.sqrt(3), 2 * y / np.sqrt(3)])
        ringed = abs(world.predictions - p).sum(axis=1).argmin()
        assert won[ringed] > 0.999 * won.max(), name


@claim("further/05_bins_and_bets", "Bets of any shape earn from every error, and no other kind earns more.")
def test_bets_of_any_shape_earn_most():
    for make, bandwidth in itertools.product(WORLDS.values(), BANDWIDTHS):
        world = make(1.0)
        earns, field = best_opponents(world, bandwidth)
        for name, bet in field.items():
            won = world.weights @ (bet(world.predictions) * (world.predictions - world.frequencies)).sum(axis=1)
            assert won > 0 or earns[name] < 1e-12
        assert earns["bounded"] > 0.01 and max(earns.values()) == earns["bounded"]


@claim(
    "further/05_bins_and_bets",
    "Choose *hidden top*: the model is right on average, and neither constants nor linear bets earn anything.",
    "Smooth bets do, and more with a small bandwidth.",
)
def test_bets_that_see_nothing():
    smooth = []
    for bandwidth in BANDWIDTHS:
        earns = best_opponents(WORLDS["hidden top"](1.0), bandwidth)[0]
        assert max(earns["constants"], earns["linear"]) < 1e-12
        smooth.append(earns["RKHS ball"])
    assert smooth[0] > 0.03 and (np.diff(smooth) < 0).all()
