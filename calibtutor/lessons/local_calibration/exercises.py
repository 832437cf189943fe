"""Exercises of notebook 05."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _near(rows):
    """A kernel matrix of rows."""
    return np.exp(-((rows[:, None] - rows) ** 2))


def _rows_and_kernels(rng):
    return rng.random(4), rng.integers(0, 2, 4), _near(rng.normal(size=4)), _near(rng.normal(size=4))


def local_matrix(p, y, K, L):
    """h_ij = K_ij L_ij δ_i δ_j."""
    delta = p - y
    return K * L * np.outer(delta, delta)


def _products_of(left, right, combine=lambda K, L, z: K * L * z):
    """h from other rows than the residuals, or combined with the kernels in another way."""

    def wrong(p, y, K, L):
        rows = {"p": p, "y": y, "delta": p - y}
        return combine(K, L, np.outer(rows[left], rows[right]))

    return wrong


def _symmetric(rng):
    """Matrices h whose estimate has either sign."""
    h = rng.normal(0.2, 1, size=[int(rng.integers(4, 7))] * 2)
    return (h + h.T,)


def eq4(h):
    """Mean over the n(n − 1) pairs i ≠ j."""
    n = len(h)
    return (h.sum() - np.trace(h)) / (n * (n - 1))


def _root(h):
    with np.errstate(invalid="ignore"):
        return np.sqrt(eq4(h))


def _matrix_and_kernel(rng):
    (h,) = _symmetric(rng)
    return h, _near(rng.normal(size=len(h)))


def klce_library(h, kernel):
    """Σ_{i≠j} h_ij over (n − 1)/n Σ_ij k_ij l_ij, which is eq. 4 over the mean of the kernel."""
    n = len(h)
    return (h.sum() - np.trace(h)) / ((n - 1) / n * kernel.sum())


def local_bias(y, p, w):
    """Σ w_i (y_i − p_i)/Σ w_i."""
    return w @ (y - p) / w.sum()


def effective_size(w):
    """(Σ w)²/Σ w²."""
    return w.sum() ** 2 / (w**2).sum()


def inference_estimate(trait, p):
    """Σ I f/Σ f."""
    return trait @ p / p.sum()


def redraw_null(p, u):
    """Labels are 1 where u < p; a column of residuals for each draw."""
    y = u < p[:, None]
    return p[:, None] - y


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


def group_gap(y, p, group):
    """Mean of p − y in group 0 and in group 1."""
    return np.array([(p - y)[group == g].mean() for g in (0, 1)])


OTHER_NULLS = {
    "residuals": "Algorithm 1 takes residuals from one pot, with their mean: wrong size in the doubtful crowd, and blind to a constant shift.",
    "permutation": "A permutation gives the crowd the small residuals of the confident. Its draws are too narrow, and it rejects too often.",
    "centred-permutation": "Centring moves the draws and not their width: in the doubtful crowd it rejects too often as well.",
    "signs": "Random signs keep each residual's size at its place, which is right as n grows. For any finite n it is an approximation.",
    "bound": "It keeps the level, but far from exactly: it hardly ever rejects.",
}


check = Checks([
    Exercise(
        "local_matrix", local_matrix, "A pair counts if both its predictions and its features are near. Everything in this notebook is a mean over this matrix.",
        inputs=_rows_and_kernels,
        hint="Residuals p − y first; then all their products at once; then both kernels, entry by entry.",
        mistakes=[
            Mistake(_products_of("delta", "delta", lambda K, L, z: K * z), "L is missing: this is the matrix of notebook 04, which does not look at features."),
            Mistake(_products_of("delta", "delta", lambda K, L, z: L * z), "K is missing: k ≡ 1 sees features only, and errors that cancel there are lost (errata K21)."),
            Mistake(_products_of("delta", "delta", lambda K, L, z: z), "Both kernels are missing: near and far pairs count alike."),
            Mistake(_products_of("delta", "delta", lambda K, L, z: (K + L) * z), "K + L is large if one of the two is near. A product asks for both."),
            Mistake(_products_of("delta", "delta", lambda K, L, z: K @ L * z), "* multiplies entry by entry, @ is a matrix product (the slip of errata K30)."),
            Mistake(_products_of("p", "p"), "Those are products of predictions. No label has entered: use p − y."),
            *(Mistake(_products_of(*rows), "One of the two factors is not a residual. Both i and j bring theirs.")
              for rows in (("delta", "p"), ("p", "delta"), ("delta", "y"), ("y", "delta"))),
            *(Mistake(wrong, "Only one residual is in each entry: h_ij needs δ_i and δ_j. Try np.outer.")
              for wrong in (lambda p, y, K, L: K * L * (p - y), lambda p, y, K, L: K * L * (p - y)[:, None])),
            Mistake(lambda p, y, K, L: K * L * (p - y) ** 2, "δ_j² in every row: the pair (i, j) has δ_i δ_j. Try np.outer."),
            Mistake(_products_of("delta", "delta", lambda K, L, z: K * L * (z - np.diag(np.diag(z)))), "The diagonal belongs to h. Leaving it out is the estimator's business."),
        ],
    ),
    Exercise(
        "eq4", eq4, "Off the diagonal the rows are independent, so this averages to KLCE²: it can be negative.",
        inputs=_symmetric,
        hint="Which entries of h are products of two different rows, and how many are there?",
        mistakes=[
            Mistake(lambda h: h.mean(), "The diagonal is in your mean: there a residual meets itself, and nothing averages away."),
            Mistake(lambda h: h.sum() / (len(h) * (len(h) - 1)), "You divide by the number of pairs i ≠ j, but the diagonal is still in the sum."),
            Mistake(lambda h: (h.sum() - np.trace(h)) / len(h) ** 2, "The diagonal is gone, but you still divide by n²."),
            Mistake(lambda h: np.triu(h, 1).sum() / (len(h) * (len(h) - 1)), "Each pair is counted once, but you divide by the number of ordered pairs."),
            *(Mistake(lambda h, of=of: np.triu(h).sum() / of(len(h)), "np.triu keeps the diagonal: np.triu(h, 1) leaves it out.")
              for of in (lambda n: n * (n - 1) / 2, lambda n: n * (n - 1), lambda n: n * (n + 1) / 2)),
            Mistake(lambda h: h.sum() - np.trace(h), "This is the sum over i ≠ j. Make it a mean."),
            Mistake(_root, "No root: eq. 4 estimates the squared KLCE, and may be negative."),
            Mistake(lambda h: max(0.0, eq4(h)), "Cut at 0 it is biased: an unbiased estimate of 0 must fall on both sides."),
            Mistake(lambda h: abs(eq4(h)), "No absolute value: an unbiased estimate of 0 must fall on both sides."),
        ],
    ),
    Exercise(
        "klce_library", klce_library, "Eq. 4 over the mean of all n² kernel values. A narrower kernel has a smaller mean, so such numbers cannot be compared across kernels or data (errata K1).",
        inputs=_matrix_and_kernel,
        hint="The sum of eq. 4, over another number: instead of n(n − 1) the library takes the kernel's own sum, times (n − 1)/n.",
        mistakes=[
            Mistake(lambda h, M: eq4(h), "That is eq. 4, which the paper defines. What is printed in its tables is something else."),
            Mistake(lambda h, M: h.sum() / M.sum(), "The library leaves the diagonal of h out, too."),
            Mistake(lambda h, M: (h.sum() - np.trace(h)) / M.sum(), "Almost: the factor (n − 1)/n before the kernel's sum is missing."),
            Mistake(lambda h, M: (h.sum() - np.trace(h)) / (M.sum() - np.trace(M)), "That would make sense, but the library's sum over the kernel keeps its diagonal."),
            Mistake(lambda h, M: eq4(h) * M.mean(), "The wrong way round: dividing eq. 4 by the mean kernel gives what is printed."),
            Mistake(lambda h, M: eq4(h) / M.sum(), "The mean of the kernel, not its sum: n² times too small."),
        ],
    ),
    Exercise(
        "local_bias", local_bias, "A weighted mean of what happened minus what was promised: positive where the model says too little (eq. 7).",
        inputs=lambda rng: (rng.integers(0, 2, 5), rng.random(5), rng.uniform(0.05, 1, 5)),
        hint="A weighted mean: what stands below must be the weights' own total.",
        mistakes=[
            Mistake(lambda y, p, w: w @ (p - y) / w.sum(), "The sign: LCB is what happened minus what was promised, y − p."),
            Mistake(lambda y, p, w: np.mean(w * (y - p)), "Divided by n this is the witness, small wherever few rows are near. Divide by Σ w_i."),
            Mistake(lambda y, p, w: w @ (y - p), "A weighted sum. Divide by Σ w_i to make it a mean."),
            Mistake(lambda y, p, w: np.mean(y - p), "The weights are missing: this is the global gap, the same at each query."),
            Mistake(lambda y, p, w: w @ y / w.sum(), "That is the local frequency of Y = 1. Compare it with what was promised there."),
            Mistake(lambda y, p, w: w @ y / w.sum() - p.mean(), "Average the predictions with the same weights as the labels."),
            Mistake(lambda y, p, w: w**2 @ (y - p) / (w**2).sum(), "The weights count once, not squared. (Squared they enter the standard error.)"),
            Mistake(lambda y, p, w: abs(w @ (y - p) / w.sum()), "Keep the sign: it tells too much from too little."),
        ],
    ),
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
        "inference_estimate", inference_estimate, "Each person is in the class with probability p, so counts p times: a weighted mean. Its error is Σ(p − y)(I − A)/Σp, A being the mean with labels.",
        inputs=lambda rng: (rng.uniform(20, 80, 6), rng.permutation([0.1, 0.9, *rng.uniform(0.2, 0.8, 4)])),  # ages; both sides of ½
        hint="A mean of the trait in which each row counts as much as it belongs to the class.",
        mistakes=[
            Mistake(lambda I, p: np.mean(I * p), "Divide by the sum of the predictions, not by n: only part of the n people is in the class."),
            Mistake(lambda I, p: I @ p, "A weighted sum. Divide by the total weight."),
            Mistake(lambda I, p: I.mean(), "That is the mean in the whole population. The predictions have not entered."),
            Mistake(lambda I, p: I[p > 0.5].mean(), "Those the model calls positive. Some of the others are in the class as well."),
            Mistake(lambda I, p: I @ p / I.sum(), "Upside down: this is a mean prediction, weighted by the trait."),
            Mistake(lambda I, p: I @ p / (p > 0.5).sum(), "The expected size of the class is the sum of the predictions, not the number above ½."),
            Mistake(lambda I, p: I @ (1 - p) / (1 - p).sum(), "That is the mean among the others, Y = 0."),
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
        "redraw_null", redraw_null, "Given (p, x) a locally calibrated model's labels are independent coins with chances p: observed and drawn columns are alike, so their ranks are exact.",
        inputs=lambda rng: (rng.random(3), rng.random((3, 4))),
        hint="u is below p with probability p. Draw labels first, then take residuals as for the observed ones. p[:, None] gives p a column's shape.",
        mistakes=[
            Mistake(lambda p, u: u < p[:, None], "Those are the labels. Residuals are p − y."),
            Mistake(lambda p, u: (u < p[:, None]) - p[:, None], "The sign: residuals are p − y in this course. (The test would not notice, your LCB would.)"),
            *(Mistake(wrong, "The wrong way round: u lies above p with probability 1 − p.")
              for wrong in (lambda p, u: p[:, None] - (u > p[:, None]), lambda p, u: p[:, None] - (u >= p[:, None]))),
            Mistake(lambda p, u: p[:, None] - (u < 0.5), "Every label is a fair coin here. Row i has the chance p_i."),
            Mistake(lambda p, u: p[:, None] - (u < p.mean()), "One chance for all rows: that is the mistake of the other nulls, with labels. Row i has its own p_i."),
            Mistake(lambda p, u: p[:, None] - np.round(p)[:, None] + 0 * u, "Rounding gives the label that is more likely, always. A draw gives the other one its share."),
            Mistake(lambda p, u: (p[:, None] - (u < p[:, None])).T, "Transposed: a row for each person, a column for each draw."),
        ],
    ),
    Exercise(
        "which_null", "labels",
        "Given (p, x), H₀ fixes the law of the labels and nothing else, so draw these. The rank is exact for every n, kernel and crowd.",
        hint="One of them draws what the null hypothesis says, and nothing that it does not say.",
        accept=["label", "redraw labels", "redrawn labels", "redraw the labels", "redrawing labels", "exact", "exact test"],
        mistakes=[Mistake(word, said) for word, said in OTHER_NULLS.items()],
    ),
    Exercise(
        "group_gap", group_gap, "The overall gap is the mean of these, weighted by the sizes of the groups: it can be 0 while neither of them is.",
        inputs=lambda rng: (rng.integers(0, 2, 8), rng.random(8), rng.permutation([0, 0, 0, 1, 1, 1, 1, 1])),
        hint="Take the rows of one group, average p − y over them, and do the same for the other.",
        mistakes=[
            Mistake(lambda y, p, g: np.mean(p - y), "One number for everyone: opposite errors cancel in it. Average inside each group."),
            Mistake(lambda y, p, g: -group_gap(y, p, g), "The sign: promised minus happened, p − y."),
            Mistake(lambda y, p, g: np.array([(p - y)[g == k].sum() for k in (0, 1)]), "These are sums: a larger group would look worse. Divide by the size of the group."),
            Mistake(lambda y, p, g: np.array([(p - y)[g == k].sum() / len(p) for k in (0, 1)]), "You divide by n. A group has fewer rows than that."),
            Mistake(lambda y, p, g: group_gap(y, p, g)[::-1], "The right numbers in the other order: group 0 first."),
            Mistake(lambda y, p, g: np.abs(group_gap(y, p, g)), "Keep the signs: they tell whom the model favours."),
            Mistake(lambda y, p, g: np.array([p[g == k].mean() - y.mean() for k in (0, 1)]), "Compare with what happened in the same group, not with everybody's frequency."),
        ],
    ),
    Exercise(
        "other_group", -0.04,
        "¼ · .12 + ¾ · gap = 0. The larger group pays with a smaller gap; the squares still add up to ¼ · .0144 + ¾ · .0016 = .0048, not 0.",
        hint="The two gaps, weighted by the sizes of the groups, must add up to nothing.",
        mistakes=[
            Mistake(-0.12, "That would be right for two groups of the same size. The rest is three times as large."),
            Mistake(0.04, "The size is right. If one group hears too much, what must the other hear?"),
            *(Mistake(wrong, "The wrong way round: the larger group needs the smaller gap.") for wrong in (-0.36, 0.36)),
            Mistake(-0.03, "That is the weighted part, ¼ · .12. Divide it by the share of the rest."),
            Mistake(0.0, "Then the overall gap would be ¼ · .12, and the model not right on average."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    calibrated_in_groups=(
        "A model is calibrated: of all people who are told p, a share p turns out positive. Is it calibrated among the young, and among the old?",
        ["yes, in both", "in one of them at least", "not necessarily in either"], "not necessarily in either",
        "Errors of opposite sign cancel in the average. If frequencies are p + .15 on one side and p − .15 on the other, the model is calibrated, and the test "
        "of notebook 04 rejects in about one of twenty data sets (n = 500, level .05). The local test rejects in more than 19 of 20."),
    which_is_kce=(
        "k compares predictions and l compares features. Which of them must be 1 everywhere, so that KLCE becomes the KCE?",
        ["k", "l", "either of them"], "l",
        "l ≡ 1 forgets the features. The paper says k (errata K21). Say .2 or .8 by a coin, and let Y be another coin: with l ≡ 1, and k 1 for equal "
        "predictions and else 0, KLCE² is .045. With k ≡ 1 it is 0, although these predictions know nothing."),
    doubtful_crowd=(
        "A fifth of the people share their features and are told .5; all others stand alone and are told .02 or .98. All of this is locally calibrated. "
        "Which null distribution makes the test reject at .05 more than one time in eight?",
        ["redrawn labels", "permuted residuals", "random signs"], "permuted residuals",
        "A permutation gives the crowd the small residuals of the confident, so its draws are too narrow: between 16 and 20 % of data sets are rejected "
        "(n = 200), as many if the draws are centred as in the authors' library, 14 to 18 % with Algorithm 1. More data do not help: permuted, still so at n = 800. "
        "Random signs reject 4 to 7 %, redrawn labels 3 to 5 % (an even crowd has many ties, which count against rejecting)."),
    constant_shift=(
        "A model says .15 too little for nearly everyone, and you have 200 labels. How often does Algorithm 1 notice, at level .05?",
        ["hardly ever", "about half of the time", "nearly always"], "hardly ever",
        "In less than 1 % of data sets. The residuals that it redraws have the shift in them, so its null distribution lies where the statistic is. With "
        "redrawn labels the test rejects in more than 90 %."),
    four_corners=(
        "You plant an error in four corners: too much where x and p are both high or both low, too little in the other two. Which kernels are blind to it, however "
        "large it is?",
        ["l = 1 and k = 1", "only l = 1", "only k = 1", "none of them"], "l = 1 and k = 1",
        "At each prediction the misses left and right cancel, and at each feature those above and below: with one kernel alone nothing is left. Both together "
        "find it in some 93 % (wide) and more than 98 % (narrow) of data sets at size .2."),
    worn_scanner=(
        "A scanner wears out, and the neural network says .109 too much on average. Isotonic regression on half of the images mends this: +.001 on the "
        "other half. On the cleanest third the miss was +.020. What is it now?",
        ["about 0, too", "still +.02", "below −.05"], "below −.05",
        "−.070 (mean over random halves): the network is now too modest there. On the most worn third +.242 has become +.119. A map of the confidence "
        "cannot tell a clean image from a worn one with the same confidence. The local test, with the wear as feature, rejects on nearly every half, before and after."),
    blind_kernel=(
        "A published audit (Heart, 184 test rows, features age in years and sex, l(x, x') = exp(−25 ‖x − x'‖²)) has p = .26. What does it say about the model?",
        ["it is locally calibrated", "it is probably locally calibrated", "little"], "little",
        "In years l(50, 51) = exp(−25) = 1.4e-11: people a year apart are strangers. In made-up data of that shape, frequencies .2 above the "
        "prediction for the old and .2 below for the young, 1.2 % of the pairs have k·l > .01, and the test misses the error in 43 to 51 % of data sets; "
        "with both features scaled to standard deviation 1 and bandwidth 1, in 16 to 23 %."),
    dimension=(
        "In Figure 3 a model does not see one of d features; n = 500, both kernels of the paper's width 5. For d = 10 the exact test finds out in 60 % of the data "
        "sets. For d = 50?",
        ["just as often", "about one time in five", "one time in twenty: the level"], "about one time in five",
        "18 % of 1,000 data sets, and 27 % for d = 30. One feature in fifty hardly changes a distance, so the kernel averages over the error. What is left "
        "is partly another error: without its last feature the sigmoid is too sure of itself on the others as well (errata K24)."),
)  # fmt: skip
