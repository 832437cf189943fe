"""Murphy's decomposition of the Brier score, and why top-label calibration is weaker than canonical."""

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ..shared.letters import population

murphy = Derivation("Murphy's decomposition", "Brier score = calibration error − sharpness + chance.",
    Step("E(norm2(p - e_Y))", "The Brier score of the predictions p = f(X); a label counts as its unit vector."),
    Step("E(norm2(p - r)) + 2 * E(inner(p - r, r - e_Y)) + E(norm2(r - e_Y))",
         "Add and subtract r = r(p) = P(Y | f(X) = p), and expand the square."),
    Step("E(norm2(p - r)) + E(norm2(r - e_Y))", "Given p, the mean of the label's unit vector is r, and p − r is fixed: look at the middle term."),
    Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + norm2(r_bar)",
         "The last term has lost its “1 −”: this line is off by 1 − 2‖r̄‖².",
         printed="Gruber & Bach, eq. 5, as printed (errata G17)"),
    Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + 1 - norm2(r_bar)",
         "E‖r − e_Y‖² = 1 − E‖r‖², for e_Y has length 1 and mean r; and E‖r‖² = E‖r − r̄‖² + ‖r̄‖² (Pythagoras). Chance is 1 − ‖r̄‖²."),
    world=lambda rng: random_world(rng, n_kinds=6), letters=population, write=2,
    slips=(
        ("E(norm2(p - r)) - E(norm2(r - e_Y))", "The two parts are added: they are the squared legs of a right angle."),
        ("norm2(E(p - r)) + E(norm2(r - e_Y))", "The mean is taken before the square. Take the square of each gap first."),
        ("E(norm2(p - r))", "The second part is missing: something is paid even if p = r."),
        ("E(norm2(p - r)) + E(norm2(r - r_bar))", "The second part is about the label e_Y, and r̄ is the mean of all labels.")))


def _world_with_shared_confidence(rng):
    """Permuted predictions share their largest entry, so that conditioning on it alone forgets something."""
    world = random_world(rng, n_kinds=6)
    predictions = world.predictions.copy()
    predictions[2], predictions[3] = predictions[0][[1, 2, 0]], predictions[4][[2, 0, 1]]
    return type(world)(world.weights, predictions, world.conditionals)


weaker_notion = Derivation("Why top-label calibration is weaker",
    "The squared error of the top label is at most the canonical one.",
    Step("E((c - P(Y == k_star, given=c))**2); c = max(p[k] for k in classes); k_star = argmax(p[k] for k in classes)",
         "Top label: confidence c = max pₖ at k* = argmax pₖ, conditioned on the number c alone."),
    Step("E((p[k_star] - r[k_star])**2)",
         "c is p at k*, but P(Y = k* | c) is not r at k*: predictions that share a confidence may have different r.", printed="a common slip"),
    Step("E(E(p[k_star] - r[k_star], given=c)**2)",
         "Tower rule: P(Y = k* | c) is the mean of r at k* over all predictions with that confidence. The square of a mean "
         "is at most the mean of the squares (Jensen), the other line."),
    Step("E(norm2(p - r))",
         "Jensen, and then one squared entry is at most the squared length of the vector: the canonical error.", relation="<="),
    world=_world_with_shared_confidence, letters=population, start=2, write=3,
    slips=(
        ("E(p[k_star] - r[k_star])**2", "The mean over the predictions is taken before the square: that is never larger, and a bound from above is asked for."),))
