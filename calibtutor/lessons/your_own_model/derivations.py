"""A derivation: copies of a row spread further."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters

copies = Derivation("Copies of a row", "The variance of the sum of the misses of one patient, who comes c times.",
    Step("Var(sum(p - Y for v in visits))",
         "The c visits v of one patient have the same prediction p and the same label Y. The model is calibrated: Y is 1 with probability p."),
    Step("c * p * (1 - p)",
         "A variance p(1 − p) for each row: so labels are redrawn if nobody says which rows belong together.", printed="as if the rows were independent"),
    Step("Var(c * (p - Y))", "The misses are equal, so their sum is c times one of them."),
    Step("c**2 * p * (1 - p)",
         "A factor comes out of a variance as its square, and Y, 1 with probability p, has variance p(1 − p)."),
    world=lambda rng: {"p": rng.uniform(0.05, 0.95), "c": int(rng.integers(2, 10))},
    letters=lambda w: Letters({"label": ([1 - w["p"], w["p"]], {"Y": [0, 1]})}, w, {"visits": w["c"]}),
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']} visits", write=3,
    slips=(
        ("c * p * (1 - p)", "The factor is c²: a number comes out of a variance as its square, and the misses of one patient are equal."),
        ("p * (1 - p)", "The number of visits is missing: the sum has c equal misses."),
        ("c**2 * p", "The second factor is missing: a label that is 1 with probability p has the variance p(1 − p).")))
