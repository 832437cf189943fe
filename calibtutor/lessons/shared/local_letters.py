"""Letters of derivations of local calibration: residuals, traits, redrawn residuals."""

import numpy as np

from ..shared import klce_atoms as kit
from ..shared.letters import local


def _task(rng, make=kit.local_world):
    """A world, and a trait I(x) whose mean among the positives is asked for."""
    world = make(rng)
    return {"world": world, "I": world.given(rng.normal(45, 15, len(world.w)), world.x)}


def _traits(w):
    letters = local(w["world"])
    letters.draws["o"][1]["I"] = np.repeat(w["I"], 2)
    return letters
