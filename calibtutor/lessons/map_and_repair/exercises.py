"""What notebook 10 asks: a map of the local miss and how far to believe it, which null, which rows, and a repair."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def local_miss(y, p, w):
    """Σ w (p − y)/Σ w."""
    return w @ (p - y) / w.sum()


def effective_size(w):
    """(Σ w)²/Σ w²."""
    return w.sum() ** 2 / (w**2).sum()


def mended(p, y, W, half):
    """p − Σ_j w_ij (p_j − y_j)/Σ_j w_ij over the j of the other half, cut to [0, 1]."""
    other = W * (half[:, None] != half)
    return np.clip(p - other @ (p - y) / other.sum(axis=1), 0, 1)


def _rows_of_two_halves(rng):
    """Six rows; with the wrong sign, all rows, or transposed weights other numbers come out, and one is cut off."""
    near = rng.uniform(0.05, 1, (6, 6))  # as if each row had a bandwidth of its own
    half = rng.permutation([0, 0, 0, 1, 1, 1])
    y = rng.permutation([0, 1, 0, 1, 0, 1])
    p = np.clip(rng.random(6), 0.05, 0.95)
    p[0], y[0] = 0.99, 0
    return p, y, near, half


def _mended_with(change, sign=-1, mask=lambda half: half[:, None] != half):
    """Mended with other weights, or another sign."""
    return lambda p, y, W, half: np.clip(p + sign * (o := change(W * mask(half))) @ (p - y) / o.sum(axis=1), 0, 1)


check = Checks([
    Exercise("local_miss", local_miss,
        "A weighted mean of the residuals: what was said minus what happened, near the place. The paper's LCB is minus this.",
        Mistake(lambda y, p, w: w @ (y - p) / w.sum(), "The sign: a miss is what was said minus what happened, p − y. (Yours is the paper's LCB.)"),
        Mistake(lambda y, p, w: w @ (p - y), "A weighted sum. Divide by the sum of the weights."),
        Mistake(lambda y, p, w: np.mean(w * (p - y)), "Divide by the sum of the weights, not by n: rows far away hardly count."),
        Mistake(lambda y, p, w: w @ np.abs(p - y) / w.sum(), "Keep the signs: on average a right model's misses cancel, their sizes do not."),
        Mistake(lambda y, p, w: np.mean(p - y), "The weights have not entered: this is the miss of all rows, near or far."),
        Mistake(lambda y, p, w: w * (p - y) / w.sum(), "One number for each row. Add them up: one place has one miss."),
        inputs=lambda rng: (rng.permutation([0, 1, 0, 1, 0, 1, 1]), rng.random(7), rng.uniform(0.05, 1, 7)), hint="A mean of p − y in which row i counts w[i] times."),
    Exercise("effective_size", effective_size,
        "1/(4m) = ¼ Σ w²/(Σ w)². It is n for n equal weights, and near 1 if one row has nearly all of the weight.",
        Mistake(lambda w: w.sum(), "The sum changes when all weights are doubled; the number of rows they are worth does not."),
        Mistake(lambda w: 1 / (w**2).sum(), "Right for weights that sum to 1. These do not: normalise them, or square their sum."),
        Mistake(lambda w: (w**2).sum() / w.sum() ** 2, "Upside down: this shrinks as rows are added."),
        Mistake(lambda w: w.sum() / (w**2).sum(), "For equal weights c this is 1/c, however many there are: square the sum as well."),
        Mistake(lambda w: w.sum() / w.max(), "Weights relative to the largest: right for equal ones, but the variance of a weighted mean goes with Σ w²."),
        inputs=lambda rng: (rng.uniform(0.05, 1, int(rng.integers(3, 8))),), hint="It must be n for n equal weights, whatever their size, and 1 for a single one. Compare a squared sum with a sum of squares."),
    Exercise("mended", mended,
        "Where too much is said nearby, the prediction goes down. Labels of the other half keep a row's own label out of its prediction.",
        Mistake(_mended_with(lambda w: w, sign=1), "The sign: where the local miss is positive, too much is said. Subtract it."),
        Mistake(_mended_with(lambda w: w, mask=lambda half: True), "Your own half is in the sum, and with it the row's own label: a prediction that knows its answer."),
        Mistake(lambda p, y, W, half: p - W @ (p - y) / W.sum(axis=1), "All rows are in your sum, the row itself among them: a prediction that knows its answer. Take the other half's, and cut to [0, 1]."),
        Mistake(_mended_with(lambda w: w, mask=lambda half: half[:, None] == half), "These are the rows of the same half, the row itself among them. Take the other half."),
        Mistake(lambda p, y, W, half: np.clip(p - (W * (half[:, None] != half)) @ (p - y) / W.sum(axis=1), 0, 1), "Divide by the weights of the other half alone: yours have left the sum above."),
        Mistake(_mended_with(lambda w: w.T), "Transposed: W[i, j] is the weight of row j at row i, so row i takes row i of W."),
        Mistake(lambda p, y, W, half: p - (o := W * (half[:, None] != half)) @ (p - y) / o.sum(axis=1), "Almost: cut it to [0, 1], a probability cannot leave it."),
        Mistake(lambda p, y, W, half: (o := W * (half[:, None] != half)) @ (p - y) / o.sum(axis=1), "That is the local miss. Subtract it from p."),
        inputs=_rows_of_two_halves, hint="Row i takes its weights from row i of W, and drops those of its own half. Then p minus a weighted mean of p − y, cut to [0, 1]."),
    Exercise("which_null", "signs",
        "Each residual is then plus or minus one half with equal chances, and so is a flipped one. Elsewhere sign and size go together, p or p − 1: a flip makes what no label gives.",
        Mistake("labels", "Which of the other four?"),
        *(Mistake(name, "Permuted residuals have the observed number of 1s among their labels, in every draw.") for name in ("permutation", "centred-permutation")),
        Mistake("residuals", "Drawn from the observed residuals, whose share of 1s is not exactly one half."),
        hint="Which residuals can there be, and with which chances does each null draw them?", accept=["sign", "random signs", "flipped signs", "wild bootstrap"]),
    Exercise("rows_to_test", 300,
        "One third. Its curve was taught by the other two, and knows nothing of the labels that are tested. A second third was corrected by a curve that saw labels of the first.",
        Mistake(900, "All rows were used to correct others: together they are cross-fitted, and no level is promised."),
        Mistake(600, "Two thirds: each of them taught the curve of the other, so their predictions know the tested labels."),
        Mistake(0, "Each third has a curve that was taught by other rows. Test one of them."),
        hint="The test holds its level for predictions that know nothing of the tested labels. Which rows taught the curve of one third? And that of the next?"),
])


guess = Guesses(
    ninety_percent=(
        "After the correction the network is right on average. Where it says 90 % about a very noisy image, how often is it right?",
        ["about 60 %", "about 78 %", "about 90 %"], "about 78 %", "Near that place the mean of p − Y is +.12. On clean images with the same confidence it is right more often than it says."),
    doubtful_crowd=(
        "120 people: a fifth of them share their features and are told .5; all others stand alone and are told .02 or .98. All of this is locally calibrated. Which null has more than twice as many false alarms as its level of 5 % allows?",
        ["labels", "permutation", "signs"], "permutation",
        "A permutation hands the small residuals of the others to the crowd, so its draws vary too little: a sixth to a fifth of data sets are rejected, as many if the draws are centred, or drawn with replacement (Algorithm 1)."),
    cross_fitted=(
        "In the next picture the feature plays no part: the true chance depends on what was said alone. Of 400 rows, each half is corrected by the Platt curve that "
        "the other half taught. The exact test is given all 400. In how many data sets does it reject at level .05?",
        ["far less than 5 %", "about 5 %", "far more than 5 %"], "far less than 5 %", "In less than 2 % of data sets. The test is exact for predictions that do not know the labels; these do, and here it makes the test blind."),
    repairs=(
        "The neural network of the scanner is corrected on one half of the images, in each of the five ways, and tested on the other half, in 20 cuts. After which of "
        "them does the exact test of local calibration still reject in some of the cuts?",
        ["after all five", "after all but multicalibration", "after temperature and Platt alone"], "after all five",
        "After each of the four curves in all 20 cuts: a curve of the confidence cannot tell a clean image from a noisy one. After multicalibration in 6: what 540 images teach is itself a little off."),
    before=[
        ("Two rows have k = .5, l = .2 and the residuals .5 and .4: what is k l δ δ′?", [".02", ".1", ".2"], ".02",
         "A pair counts by both kernels: alike in prediction, but hardly in features (notebook 09, section 3)."),
        ("A model is calibrated among the young and among the old: is it locally calibrated?", ["yes", "not always", "never"], "not always",
         "Inside a group its misses may cancel: it is multicalibrated (notebook 09, section 1)."),
        ("What is the strength of a pair of kernels?", ["T", "T over its standard deviation", "its R on the tested rows"],
         "T over its standard deviation", "Chance decides what a value means; choose on other rows (notebook 09, section 3).")])
