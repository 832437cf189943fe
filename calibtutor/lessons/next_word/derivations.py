"""Why the misses of tokens add up in a sequence."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters

two_tokens = Derivation("What two tokens in a row are said too much",
    "The miss of a sequence is a sum: each token's miss, times what stands before and behind it.",
    Step("E(c*d - A*B)",
         "The model says c of the likeliest first token, d of the likeliest second one after it: c d of both, by the chain rule. "
         "A is 1 if the first came, B if then the second came."),
    Step("c*d - P(A*B == 1)", "What it says is fixed; A B is 1 if both came."),
    Step("c*d - P(A == 1)*P(B == 1)", "As if the second token did not care what came first.", printed="what holds of independent tokens"),
    Step("c*d - r*s", "The chain rule for what happens: r for the first, s for the second, given that the first came."),
    Step("(c - r)*d + r*(d - s)",
         "r d is taken away and added. Both tokens calibrated: 0. Both over-confident: two parts of one sign, which add up."),
    world=lambda rng: dict(zip("cdrs", rng.uniform(0.2, 0.9, 4).tolist(), strict=True)),
    letters=lambda w: Letters({"text": ([w["r"] * w["s"], w["r"] * (1 - w["s"]), 1 - w["r"]],
                                        {"A": [1, 1, 0], "B": [1, 0, 0]})}, w),
    describe=lambda w: ", ".join(f"{k} = {v:.2f}" for k, v in w.items()), start=96, write=4,
    slips=(
        ("(c - r) + (d - s)", "The first token's miss counts as far as the second is said, the second's as far as the first comes."),
        ("(c - r)*(d - s)", "A product of misses is not the miss of products."),
        ("(c - r)*d + c*(d - s)", "What stands before d − s is what happened, r."),
        ("(c - r)*s + r*(d - s)", "Behind c − r stands what is said of the second token, d.")))
