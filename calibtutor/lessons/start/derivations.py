"""The expected squared error of one forecast, and its two parts."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters

one_forecast = Derivation("What a forecast costs",
    "The expected squared error of a forecast p for an event of rate r, with the event itself averaged out.",
    Step("E((p - Y)**2)", "What we want: the average over Y, which is 1 with probability r and else 0."),
    Step("r * (p - 1)**2 + (1 - r) * p**2", "Write the two outcomes out."),
    Step("p**2 - 2*p*r + r", "Expand: the p² r terms cancel."),
    Step("(p - r)**2", "Replacing Y by its mean forgets that Y itself varies.", printed="a common shortcut"),
    Step("(p - r)**2 + r * (1 - r)",
         "Complete the square. A better forecast makes the first part smaller; the second, the variance of Y, stays."),
    world=lambda rng: {"p": rng.random(), "r": rng.random()},
    letters=lambda w: Letters({"label": ([1 - w["r"], w["r"]], {"Y": [0, 1]})}, {"p": w["p"], "r": w["r"]}),
    describe=lambda w: f"p = {w['p']:.2f}, r = {w['r']:.2f}", write=1,
    slips=(("r * (1 - p)**2 + (1 - r) * p", "The second outcome is not squared: 0 − p, squared, is p²."),
           ("(1 - r) * (p - 1)**2 + r * p**2", "The two chances are exchanged: Y is 1 with probability r."),
           ("(p - 1)**2 + p**2", "The chances of the two outcomes are missing."),
           ("r * (p - 1) + (1 - r) * p", "The squares are missing: the cost is (p − Y)², not p − Y."),
           ("r * (p - 1)**2", "The outcome Y = 0 is missing.")))
