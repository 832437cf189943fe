"""Exercises and guesses about kernel estimates and their bandwidth."""

import numpy as np
from scipy import stats

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def leave_one_out(kernel, y):
    """r̂_i = Σ_{j≠i} k_ij y_j / Σ_{j≠i} k_ij."""
    kernel = kernel - np.diag(np.diag(kernel))
    return kernel @ y / kernel.sum(axis=1)


def beta_kernel(p, centre, gamma):
    """The Beta density at p whose top is at the centre."""
    from scipy.stats import beta

    return beta.pdf(p, centre / gamma + 1, (1 - centre) / gamma + 1)


def _points_and_centres(rng):
    """Points and centres, sometimes both at the wall, and a bandwidth, sometimes a very small one."""
    p, centre = rng.uniform(0.05, 0.95, (3, 1)), rng.uniform(0.05, 0.95, (1, 4))
    if rng.random() < 0.4:
        p[-1, 0] = centre[0, -1] = 1
    return p, centre, 0.001 if rng.random() < 0.4 else rng.uniform(0.05, 0.5)


check = Checks([
    Exercise("beta_kernel", beta_kernel,
        "A density in p for every centre. Its top is there, because a Beta(a, b) has it at (a − 1)/(a + b − 2).",
        Mistake(lambda p, c, g: beta_kernel(*np.broadcast_arrays(c, p), g), "You exchanged p and the centre: the parameters come from the centre, the density is taken at p (errata G10)."),
        Mistake(lambda p, c, g: beta_kernel(1 - p, c, g), "That is the mirror image. The first parameter belongs to p itself, the second to 1 − p."),
        Mistake(lambda p, c, g: stats.beta.pdf(p, c / g, (1 - c) / g), "Add 1 to both parameters: otherwise the top is not at the centre, and near a wall the density is infinite there."),
        Mistake(lambda p, c, g: beta_kernel(p, c, 1 / g), "Divide by the bandwidth: a small γ makes the kernel narrow."),
        Mistake(lambda p, c, g: beta_kernel(p, c, g) / g, "It is a density already; do not divide by γ (errata U1)."),
        inputs=_points_and_centres, hint="Which a and b belong to this centre? They stand in the formula above. scipy.stats.beta.pdf(p, a, b) has the density."),
    Exercise("leave_one_out", leave_one_out, "Prediction i is missing from the sum above and from the sum below.",
        Mistake(lambda k, y: k @ y / k.sum(axis=1), "Prediction i is in its own estimate: that is eq. 11 as printed (errata G9)."),
        Mistake(lambda k, y: (k @ y - y) / (k.sum(axis=1) - 1), "The diagonal is not 1 for this kernel: take k_ii away."),
        Mistake(lambda k, y: (off := k - np.diag(np.diag(k))) @ y / off.sum(axis=0), "Row i belongs to the estimate at i: sum over the row."),
        Mistake(lambda k, y: (k - np.diag(np.diag(k))) @ y / k.sum(axis=1), "You removed i above and left it below: the weights no longer sum to 1."),
        # Not symmetric, and the diagonal is not 1.
        inputs=lambda rng: (rng.random((3, 3)) + 0.1, rng.integers(0, 2, 3)), hint="Remove k_ii from the numerator and from the denominator."),
    Exercise("flat_limit", 0.09,
        "Every estimate is ½, the share of events, and each prediction is .3 away from it: .3² = .09, for a model that has no error.",
        Mistake(0, "That is the true error. The kernel's estimate is the share of events everywhere, and the predictions differ from it."),
        Mistake(0.16, "That is p(1 − p), the noise of a label, which many data average away here."),
        Mistake(0.3, "That is the distance of each prediction from the share of events. The error is squared."),
        hint="Which share of events is the estimate at every prediction? How far are the predictions from it, squared?"),
    Exercise("distrust", "logistic regression",
        "Its bandwidth is not the smallest offered, a third and three times of it agree, and redrawn labels get far less.",
        Mistake("random forest", "Its γ is the smallest bandwidth offered: equal predictions made the choice."),
        Mistake("neural network", "Redrawn labels, whose true error is 0, get about as much."),
        Mistake("naive Bayes", "Look at its γ: which of the bandwidths offered is it?"),
        hint="Go through the three checks with the table: γ first, then γ/3 and 3γ, then the redrawn labels."),
])


guess = Guesses(
    to_zero=(
        "Calibrated, 400 predictions, each label left out of its own estimate, and a very narrow kernel, γ = 10⁻⁷. The estimated squared error is …",
        ["near 0, the truth", "about half the Brier score", "about the Brier score"], "about the Brier score",
        "Nearly all the weight falls on one neighbour, and its label, 0 or 1, is the estimate. It is as noisy as the label that was left out."),
    ties=(
        "The random forest's confidence is a share of its 200 trees' votes, so that many confidences are equal. Of 20 bandwidths from 10⁻⁵ to 1, which one will the rule choose for it?",
        ["the smallest offered", "one in between", "the largest offered"], "the smallest offered",
        "A confidence that occurs twice lies exactly at the centre of another one's kernel. The narrower the kernel, the higher it is there."),
    redrawn=(
        "The labels are redrawn from the network's predictions, so that the true error is 0. The bandwidth stays at the rule's choice. Beside .0073, the estimated squared error is …",
        ["near 0", "about half as much", "about as much"], "about as much",
        "At this bandwidth single neighbours decide, and their noise counts as error, whether the model errs or not."),
    before=[
        ("In a bin the mean confidence is .7, the share of hits .6, and the estimated variance of that share .004. How large is the debiased squared gap?",
         [".014", ".006", ".096"], ".006", "(.7 − .6)² − .004 = .006: the noise is subtracted from the square (notebook 02, section 4)."),
        ("Labels are redrawn from a model's predictions. How large is the true error then?",
         ["that of the observed labels", "0", "nobody knows"], "0", "For such labels the model is calibrated (notebook 03, section 1)."),
        ("k is a Gaussian kernel. For which two predictions is it largest?",
         ["for distant ones", "for those near 1", "for equal ones"], "for equal ones", "It says how near they are (notebook 04, section 2).")])
