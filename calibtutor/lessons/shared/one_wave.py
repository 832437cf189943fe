"""The world with one wave, over pairs of predictions."""

from ...data.worlds import wave_world

PAIR_COLOURS = "PuOr_r"  # of products: orange above 0


def true_product(p, other):
    """h*(p, p') = (p − r(p)) (p' − r(p')), known in this world of one wave."""
    world = wave_world(1, 0.15)
    return (p - world.curve(p)) * (other - world.curve(other))
