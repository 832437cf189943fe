"""Exercises of the lesson map_and_repair."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def effective_size(w):
    """(Σ w)²/Σ w²."""
    return w.sum() ** 2 / (w**2).sum()


def mended(p, y, W, half):
    """p + Σ_j w_ij (y_j − p_j)/Σ_j w_ij over the j of the other half, cut to [0, 1]."""
    other = W * (half[:, None] != half)
    return np.clip(p + other @ (y - p) / other.sum(axis=1), 0, 1)


def _rows_of_two_halves(rng):
    """Six rows; with the wrong sign, all rows, or transposed weights other numbers come out, and one is cut off."""
    near = rng.uniform(0.05, 1, (6, 6))  # as if each row had a bandwidth of its own
    half = rng.permutation([0, 0, 0, 1, 1, 1])
    y = rng.permutation([0, 1, 0, 1, 0, 1])
    p = np.clip(rng.random(6), 0.05, 0.95)
    p[0], y[0] = 0.99, 0
    return p, y, near, half


def _mended_with(change, sign=1, mask=lambda half: half[:, None] != half):
    """Mended with other weights, or another sign."""

    def wrong(p, y, W, half):
        other = change(W * mask(half))
        return np.clip(p + sign * other @ (y - p) / other.sum(axis=1), 0, 1)

    return wrong


OTHER_NULLS = {
    "residuals": "Algorithm 1 takes residuals from one pot, with their mean: wrong size in the doubtful crowd, and blind to a constant shift.",
    "permutation": "A permutation gives the crowd the small residuals of the confident. Its draws are too narrow, and it rejects too often.",
    "centred-permutation": "Centring moves the draws and not their width: in the doubtful crowd it rejects too often as well.",
    "signs": "Random signs keep each residual's size at its place, which is right as n grows. For any finite n it is an approximation.",
    "bound": "It keeps the level, but far from exactly: it hardly ever rejects.",
}


check = Checks([
    Exercise(
        "effective_size", effective_size, "n for equal weights, near 1 if one row has nearly all of the weight: how many rows a weighted mean is worth.",
        inputs=lambda rng: (rng.uniform(0.05, 1, int(rng.integers(3, 8))),),
        hint="It must be n for n equal weights, whatever their size, and 1 for a single one. Compare a squared sum with a sum of squares.",
        mistakes=[
            Mistake(lambda w: w.sum(), "The sum changes when all weights are doubled; the number of rows they are worth does not."),
            Mistake(len, "All rows count fully here. A row with a small weight should count for less."),
            Mistake(lambda w: 1 / (w**2).sum(), "Right for weights that sum to 1. These do not: normalise them, or square their sum."),
            Mistake(lambda w: (w**2).sum() / w.sum() ** 2, "Upside down: this shrinks as rows are added."),
            Mistake(lambda w: w.sum() ** 2 / (w**2).sum() / len(w), "That is the share of the n rows. Their number is asked."),
            Mistake(lambda w: w.sum() / (w**2).sum(), "For equal weights c this is 1/c, however many there are: square the sum as well."),
            Mistake(lambda w: w.sum() / w.max(), "Weights relative to the largest: right for equal ones, but the variance of a weighted mean goes with Σ w²."),
        ],
    ),
    Exercise(
        "mended", mended, "LCB says by how much the model says too little nearby, so it is added. Labels of the other half keep a row's own label out of its prediction.",
        inputs=_rows_of_two_halves,
        hint="Row i takes its weights from row i of W, and drops those of its own half. Then p plus a weighted mean of y − p, cut to [0, 1].",
        mistakes=[
            Mistake(_mended_with(lambda w: w, sign=-1), "The sign: LCB is y − p, what happened minus what was said. Add it."),
            Mistake(_mended_with(lambda w: w, mask=lambda half: True), "Your own half is in the sum, and with it the row's own label: a prediction that knows its answer."),
            Mistake(lambda p, y, W, half: p + W @ (y - p) / W.sum(axis=1), "All rows are in your sum, the row itself among them: a prediction that knows its answer. Take the other half's, and cut to [0, 1]."),
            Mistake(_mended_with(lambda w: w, mask=lambda half: ~np.eye(len(half), dtype=bool)), "You leave out the row itself. Leave out its whole half, as the text asks."),
            Mistake(_mended_with(lambda w: w, mask=lambda half: half[:, None] == half), "These are the rows of the same half, the row itself among them. Take the other half."),
            Mistake(_mended_with(lambda w: w**2), "The weights count once, not squared."),
            Mistake(_mended_with(lambda w: w.T), "Transposed: W[i, j] is the weight of row j at row i, so row i takes row i of W."),
            Mistake(lambda p, y, W, half: p + (o := W * (half[:, None] != half)) @ (y - p) / o.sum(axis=1), "Almost: cut it to [0, 1], a probability cannot leave it."),
            Mistake(lambda p, y, W, half: np.clip(p + (W * (half[:, None] != half)) @ (y - p), 0, 1), "A weighted sum. Divide by Σ w_ij over the same rows."),
            Mistake(lambda p, y, W, half: np.clip(p + (W * (half[:, None] != half)) @ (y - p) / W.sum(axis=1), 0, 1), "You divide by the weights of all rows. Only those of the other half are in the sum above."),
            Mistake(lambda p, y, W, half: (o := W * (half[:, None] != half)) @ (y - p) / o.sum(axis=1), "That is LCB. Add it to p."),
            Mistake(lambda p, y, W, half: (o := W * (half[:, None] != half)) @ y / o.sum(axis=1), "That is how often it happens nearby. p + LCB keeps the row's own p and adds the miss."),
        ],
    ),
    Exercise(
        "which_null", "labels",
        "Given (p, x), H₀ fixes the law of the labels and nothing else, so draw these. The rank is exact for every n, kernel and crowd.",
        hint="One of them draws what the null hypothesis says, and nothing that it does not say.",
        accept=["label", "redraw labels", "redrawn labels", "redraw the labels", "redrawing labels", "exact", "exact test"],
        mistakes=[Mistake(word, said) for word, said in OTHER_NULLS.items()],
    ),
])  # fmt: skip


guess = Guesses(
    doubtful_crowd=(
        "A fifth of the people share their features and are told .5; all others stand alone and are told .02 or .98. All of this is locally calibrated. "
        "Which null distribution makes the test reject at .05 more than one time in eight?",
        ["redrawn labels", "permuted residuals", "random signs"], "permuted residuals",
        "A permutation gives the crowd the small residuals of the confident, so its draws are too narrow: between 16 and 20 % of data sets are rejected "
        "(n = 200), as many if the draws are centred as in the authors' library, 14 to 18 % with Algorithm 1. More data do not help: permuted, still so at n = 800. "
        "Random signs reject 4 to 7 %, redrawn labels 3 to 5 % (an even crowd has many ties, which count against rejecting)."),
)
