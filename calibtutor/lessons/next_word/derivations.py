"""Why the misses of tokens add up in a sequence."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters


def _two_tokens(rng):
    return {"r": rng.uniform(0.2, 0.9), "s": rng.uniform(0.2, 0.9), "c": rng.uniform(0.2, 0.9), "d": rng.uniform(0.2, 0.9)}


def _came(w):
    """A, B: 1 if the likeliest first, and after it second, token came; said with c and d, true with r and s."""
    mass = [w["r"] * w["s"], w["r"] * (1 - w["s"]), 1 - w["r"]]
    return Letters({"text": (mass, {"A": [1, 1, 0], "B": [1, 0, 0]})}, w)


two_tokens = Derivation(
    "What two tokens in a row are said too much",
    "The miss of a sequence is a sum: each token's miss, times what stands before and behind it.",
    Step("E(c*d - A*B)",
         "c is what the model says of the likeliest first token, d of the second once the first came. By the chain rule it says c d of both. "
         "A is 1 if the first came, B if the second came after it."),
    Step("c*d - P(A*B == 1)", "What it says is fixed, and A B is 1 if both came."),
    Step("c*d - r*s", "The chain rule again, for what happens: r for the first, s for the second once the first came."),
    Step("(c - r) * (d - s)", "A product of misses is not the miss of products.", printed="a slip"),
    Step("(c - r)*d + r*(d - s)",
         "r d is taken away and added. Both tokens calibrated: 0. Both over-confident: the parts have one sign and add up."),
    world=_two_tokens, letters=_came, describe=lambda w: ", ".join(f"{k} = {v:.2f}" for k, v in w.items()), start=4, write=4,
    slips=(
        ("(c - r) + (d - s)", "the second token matters only where the first came, and the first only where the second does"),
        ("(c - r)*d + c*(d - s)", "c d − r d and c d − c s overlap: in the second part what happened stands before d − s"),
        ("(c - r)*s + r*(d - s)", "behind c − r stands what is said of the second token, d"),
    ),
)  # fmt: skip
