"""Derivation of notebook 00: the squared error of one forecast."""

from ...teach.derive import Derivation, Step


def _forecast_and_rate(rng):
    return {"p": rng.random(), "r": rng.random()}


def _expect(world, value):
    """E[value(Y)] for Y that is 1 with probability r."""
    return world["r"] * value(1) + (1 - world["r"]) * value(0)


one_forecast = Derivation(
    title="What a forecast costs",
    claim="The expected squared error of a forecast p for an event of rate r, with the event itself averaged out.",
    world=_forecast_and_rate,
    describe=lambda w: f"p = {w['p']:.2f}, r = {w['r']:.2f}",
    steps=(
        Step(r"\mathbb{E}\,(p - Y)^2", "What we want: the average over Y, which is 1 with probability r and else 0.",
             lambda w: _expect(w, lambda y: (w["p"] - y) ** 2)),
        Step(r"r\,(p - 1)^2 + (1 - r)\,p^2", "Write the two outcomes out.",
             lambda w: w["r"] * (w["p"] - 1) ** 2 + (1 - w["r"]) * w["p"] ** 2),
        Step(r"p^2 - 2pr + r", "Expand: the p² r terms cancel.",
             lambda w: w["p"] ** 2 - 2 * w["p"] * w["r"] + w["r"]),
        Step(r"(p - r)^2", "Replacing Y by its mean forgets that Y itself varies.",
             lambda w: (w["p"] - w["r"]) ** 2, printed="a common shortcut"),
        Step(r"(p - r)^2 + r\,(1 - r)", "Complete the square. The first part is ours to lose, the second is the variance of Y.",
             lambda w: (w["p"] - w["r"]) ** 2 + w["r"] * (1 - w["r"])),
    ),
)  # fmt: skip
