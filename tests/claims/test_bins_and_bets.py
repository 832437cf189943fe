"""Claims of the lesson bins_and_bets."""

import itertools

import numpy as np
import pytest
from claim import claim
from worlds_of_notions import BANDWIDTHS

from calibtutor.lessons.bins_and_bets.scenes import opponent
from calibtutor.lessons.bins_and_bets.worlds import best_opponents
from calibtutor.lessons.shared.worlds import WORLDS


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_the_ring_is_where_most_is_won(bandwidth):
    shown = opponent()
    for name, make in WORLDS.items():
        world = make(1.0)
        shown.set(world=name, functions="RKHS ball", bandwidth=bandwidth)
        bet = best_opponents(world, bandwidth)[1]["RKHS ball"](world.predictions)
        won = (bet * (world.frequencies - world.predictions)).sum(axis=1)
        x, y = (float(np.squeeze(each)) for each in shown.artists["ring"].get_data())
        p = np.array([1 - x - y / np.sqrt(3), x - y / np.sqrt(3), 2 * y / np.sqrt(3)])
        ringed = abs(world.predictions - p).sum(axis=1).argmin()
        assert won[ringed] > 0.999 * won.max(), name


@claim("bins_and_bets/scenes", "red: the best bets, which pay on average")
def test_best_bets_pay_on_average():
    for world, bandwidth in itertools.product(WORLDS.values(), BANDWIDTHS):
        world = world(1.0)
        earns, field = best_opponents(world, bandwidth)
        for name, bet in field.items():
            won = world.weights @ (bet(world.predictions) * (world.frequencies - world.predictions)).sum(axis=1)
            assert won > 0 or earns[name] < 1e-12
