"""Kernel calibration error and tests of "the model is calibrated" (Widmann et al. 2019, poster).

With δ_i = p_i − e_{y_i} and h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩ the squared error SKCE = E h(Z, Z') is a mean over pairs:
no conditional frequency is estimated.
"""

from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed

from ..chance.nulls import OfTopLabel, bound_test, centred_bootstrap, label_test
from ..chance.pvalues import CalibrationTestResult, ranked, t_pvalue
from ..chance.resampling import chunks_of_draws, draw_labels
from ..door.arrays import check_clusters
from ..door.inputs import InputError, check_choice, check_count, check_rng, naming, refuse_beside, same_rows
from ..door.predictions import check_predictions, residuals, top_label
from ..door.probabilities import check_probabilities
from ..kernels import as_rows, entries, landmarks, laplacian, median_bandwidth, slices
from ..kernels.gram import Gram, listed_kernels
from ..kernels.pair_sums import pair_terms, skce_of_residuals
from ..progress import progress_bar

ESTIMATORS = ("unbiased", "biased", "linear")
BOUNDS = {"bound-biased": "biased", "bound-unbiased": "unbiased", "bound-linear": "linear"}
# Of 10,000 rows 999 redraws take 15 s of one core in 100 classes and 48 s in 1,000, most of them for distances.
LANDMARKS_ABOVE, RANK = 10_000, 256  # rows above which the default kernel of a test is one of finite rank; its rank
METHODS = ("labels", "asymptotic", "asymptotic-linear", *BOUNDS)
NOTIONS = ("canonical", "top-label")
UNASKED = {  # what a test of one notion in three classes and more says of the other
    "canonical": "Not asked: is the top label as often right as it says? In many classes this test hardly sees it.",
    "top-label": "Not asked: are the other classes' probabilities right?"}


def skce(y_true, y_prob, *, kernel=None, estimator="unbiased"):
    r"""Estimate of the squared kernel calibration error E k(p, p')⟨δ, δ'⟩ (poster, eq. 2 corrected: errata P1).

    With h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩:

        biased     n⁻² Σ_{i,j} h_ij = ‖n⁻¹ Σ_i φ(p_i) ⊗ δ_i‖²      never negative
        unbiased   Σ_{i≠j} h_ij / (n(n − 1))                        mean SKCE, may be negative
        linear     ⌊n/2⌋⁻¹ Σ_i h_{2i−1,2i}                          the same mean, O(n), more noise

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n,) uses the scalar residual p − y: half of the value for the same data as (n, 2).
    kernel : callable k(X, Y=None) -> matrix, optional
        Default: Laplacian exp(−‖p − q‖/ν) with the median heuristic, as on the poster. It stands for the
        matrix-valued kernel k·I.
    estimator : {"unbiased", "biased", "linear"}
        "linear" pairs neighbouring rows as they stand: shuffle rows that have been sorted (`kce_test` does).

    Returns
    -------
    float
        In [0, 2 sup k] if biased, [−2 sup k, 2 sup k] otherwise; (n,): without the 2.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, an unknown estimator, or no kernel given and a median distance of
        0 (a constant model: errata C4).

    Notes
    -----
    Values compare only with one kernel, fixed for all models: the default has each model's own bandwidth. Then they say
    what the same bets earn, not by how many points a model misses. A size that may be compared is the RMS error between
    bins of said − happened, with its interval, as `audit` prints it.

    A kernel of low rank (to 1e-12 of its trace) takes O(n r²), any other O(n²) time; memory is O(n).

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import skce
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> print(f"{skce(y_true, y_prob):.4f}")
    0.0174
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    check_choice(estimator, "estimator", ESTIMATORS)
    return skce_of_residuals(_one_kernel(kernel, y_prob), y_prob, as_rows(residuals(y_true, y_prob)), estimator)


def kce_witness(y_true, y_prob, *, at=None, kernel=None):
    r"""The function of the unit ball that exposes the model most: it attains the sup in KCE (poster).

        f(q) = −Σ_i k(q, p_i) δ_i / ‖Σ_i φ(p_i) ⊗ δ_i‖

    so that n⁻¹ Σ_i ⟨e_{y_i} − p_i, f(p_i)⟩ is the biased KCE, the root of SKCE_b.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    at : array-like, shape (m, d) or (m,), optional
        Where to evaluate; default: at the predictions.
    kernel : callable, optional
        As in `skce`.

    Returns
    -------
    ndarray, shape (m, d) or (m,)
        Points from the prediction to what happens. Zeros if SKCE_b is 0: then nothing is exposed.

    Raises
    ------
    InputError
        As in `skce`, and for `at` with another number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import kce_witness
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> kce_witness(y_true, y_prob, at=[0.3, 0.7]).round(3)  # negative: too much is promised
    array([-0.666, -0.715])
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    kernel, delta = _one_kernel(kernel, y_prob), as_rows(residuals(y_true, y_prob))
    points = as_rows(y_prob) if at is None else as_rows(at, "at")
    if points.ndim != 2 or points.shape[1] != as_rows(y_prob).shape[1]:
        raise InputError("at", f"predictions like y_prob, {y_prob.shape}", found=f"shape {np.shape(at)}")
    norm, values = np.sqrt(max(Gram(kernel, y_prob).form(delta), 0.0)), np.zeros((len(points), delta.shape[1]))
    for part in slices(len(points) if norm else 0, 2**22 // len(delta)):
        values[part] = -entries(kernel, points[part], as_rows(y_prob)) @ delta / norm
    return values[:, 0] if y_prob.ndim == 1 else values


def kernel_grid(y_prob, *, family=laplacian, factors=(0.125, 0.25, 0.5, 1, 2, 4, 8)):
    """Kernels over a range of bandwidths for the aggregated test: `family(factor × median distance)`.

    Parameters
    ----------
    y_prob : array-like, shape (n, d) or (n,)
        Predictions, as in `as_predictions`.
    family : callable(bandwidth) -> kernel, default `laplacian`
        What makes a kernel of a bandwidth.
    factors : sequence of float > 0
        Multiples of the median heuristic.

    Returns
    -------
    list of kernels
        In the order of `factors`.

    Raises
    ------
    InputError
        For a y_prob that `as_predictions` rejects, a median distance of 0, or a factor that is not positive.
    """
    y_prob = check_probabilities(y_prob)
    with naming("y_prob"):
        median = median_bandwidth(y_prob)
    return [family(float(factor) * median) for factor in factors]


def default_of_test(kernel, X):
    """The kernel itself up to `LANDMARKS_ABOVE` rows, and of finite rank beyond."""
    return kernel if len(X) <= LANDMARKS_ABOVE else landmarks(kernel, X, rank=RANK, rng=0)


@same_rows
def kce_test(y_true, y_prob, *, kernel=None, notion=None, method="labels", statistic=None, n_resamples=999, bound=None,
             cluster=None, weights=None, rng=None, n_jobs=None, progress=False):
    r"""Test of H₀ "the model is calibrated" (Widmann, Lindsten & Zachariah 2019).

    Bounds and approximations are those of their "Calibration tests in multi-class classification".

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    kernel : callable, or several, optional
        As in `skce`; the default for "labels" with more than 10,000 rows is its `landmarks` kernel of rank 256, and
        `method` of the result says so. Any iterable of kernels (see `kernel_grid`) is the aggregated test, with
        method="labels": the smallest p-value over the kernels, calibrated by the same label draws, so that no bandwidth
        need be chosen.
    notion : {"canonical", "top-label"} or both, optional
        What is compared: whole predictions with labels, or confidences with hits (`top_label`). Both are an aggregated
        test, and the default for three classes and more where no `kernel` is given and `method` is "labels"; else it is
        "canonical". See Notes.
    method : str
        =================== ==================================================================================
        "labels"            exact: labels redrawn from the predictions, which stay; p = (1 + #{T* ≥ T})/(B + 1)
        "bound-biased"      D_b: exp(−½ max(0, √(n SKCE_b/H) − 1)²)
        "bound-unbiased"    D_uq: exp(−⌊n/2⌋ max(0, SKCE_uq)²/(2H²))
        "bound-linear"      D_ul: the same with SKCE_ul
        "asymptotic"        A_uq: bootstrap of T = n/(n−1) SKCE_uq − SKCE_b, centred (see Notes)
        "asymptotic-linear" A_l: one-sided t test of the ⌊n/2⌋ independent terms
        =================== ==================================================================================
        Which of them hold their level is said in the notes.
    statistic : {"unbiased", "biased", "linear"} or callable(y_true, y_prob) -> float, optional
        For "labels" only: which estimator (default "unbiased"), or any statistic that is large when calibration fails.
    n_resamples : int >= 1
        B, for all methods that draw.
    bound : float > 0, optional
        H = sup |h| of the bounds; default 2 k(p, p) for a stationary kernel (binary vector: k(p, p)).
    cluster : array-like, shape (n,), optional
        Names of what rows belong to, a patient of several visits, say; with method="labels". Labels of a cluster are
        redrawn with one uniform number, pairs within a cluster are left out. At least 30 clusters.
    weights : array-like of float >= 0, shape (n,), optional
        Pairs count w_i w_j in the statistic of method="labels". The draws are as they are without.
    rng : int, Generator or None
        Draws the labels, and whatever else a method draws.
    n_jobs : int, optional
        Of joblib, for a callable `statistic` and kernels from `landmarks`; None leaves it to `joblib.parallel_config`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    CalibrationTestResult
        Its `pvalue` is the answer, its `summary` says what that can be.

    Raises
    ------
    InputError
        As in `skce`; for unknown options; both notions beside a kernel, a vector y_prob or another method;
        clusters that are fewer than 30 or unnamed; negative weights; clusters or weights, a statistic or several
        kernels with another method; clusters with a statistic other than "unbiased" or a callable, weights with
        "linear" or a callable; a kernel or a notion beside a callable statistic; "asymptotic-linear" with fewer than 4
        rows; a bound that is needed and not given.

    Notes
    -----
    "labels" holds its level at every n, kernel and statistic, if the rows are independent: not if some belong together,
    and not if a prediction was learnt from the other rows' labels. The bounds hold it too and are conservative. The
    other two hold it only approximately, as n grows. "asymptotic" compares T with
    T* = n⁻² Σ_i C_i Σ_j (n/(n−1) (C_j − 1[i = j]) − 2) h_ij, where C counts how often a row is drawn (multinomial):
    the bootstrap of a degenerate U-statistic (Arcones & Giné 1992), as in the authors' released code.

    Notions: on average residuals of an over-confident model are positive at the top label and negative elsewhere, and
    two rows share their top label once in d classes. So the canonical SKCE of one over-confidence falls like 1/d and
    its noise like 1/√d: what 300 rows show in ten classes takes ten times as many in 1,000, at every bandwidth. The top
    label's SKCE stays as it is, but is blind to errors among the other classes and to those that cancel over classes.
    Simulated in 3 to 1,000 classes (reproductions/many_classes.py): the test of both finds nearly what the better one
    finds.

    Clusters: given the predictions, labels of a cluster may depend on one another. Proved: the test is exact if they
    are one uniform number's, y_i = F_{p_i}^{-1}(u), as dependent as labels of two classes can be. Simulated
    (tests/reproductions/clusters.py; two and five classes, spread and confident models, 4 and 10 rows a cluster):
    where half of the rows have a number of their own, or all of them, calibrated models were rejected less often than
    allowed at levels up to .3, which costs power (and more often at larger ones: p-values crowd in the middle). Not
    covered: three classes and more whose labels are equal by another rule, as one number ranks the classes. Of such
    calibrated models up to .065 (five classes) and .074 (ten) were rejected at .05.
    Weights: exact if labels are independent given predictions and weights.

    A p-value is no size, and the estimate compares only as values of `skce` do: with one kernel, fixed for all models.

    Pairs of neighbouring rows are independent of one another only if the order of the rows says nothing of the labels.
    So "linear" in a method or statistic shuffles the rows first, with `rng`. A callable sees them as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import kce_test
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> kce_test(y_true, y_prob, rng=0).pvalue
    0.001
    """
    # Labels are redrawn in slices of the type that came.
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=method == "labels" and not callable(statistic))
    check_choice(method, "method", METHODS)
    check_count(n_resamples, "n_resamples")
    if method != "labels":
        refuse_beside(f"method={method!r}", cluster=cluster, weights=weights, statistic=statistic)
    rng = check_rng(rng)
    draws = {"n_resamples": n_resamples, "rng": rng, "n_jobs": n_jobs, "progress": progress}
    if callable(statistic):
        refuse_beside("a callable statistic", kernel=kernel, weights=weights, notion=notion)
        return _by_data_sets(statistic, y_true, y_prob, cluster, **draws)
    statistic = "unbiased" if statistic is None else statistic
    check_choice(statistic, "statistic", ESTIMATORS)
    if statistic != "unbiased":
        refuse_beside(f"statistic={statistic!r}", cluster=cluster, weights=weights if statistic == "linear" else None)
    notions, two = _notions(notion, kernel, y_prob, method), y_prob.ndim == 1 or y_prob.shape[1] == 2
    default = _default
    if notions == ("top-label",):
        (y_true, y_prob), default = top_label(y_true, y_prob), _of_confidences
    kernels, several = listed_kernels(default(y_prob) if kernel is None else kernel)
    if several and method != "labels":
        raise InputError("kernel", f"one kernel for method={method!r}", found=f"{len(kernels)} kernels")
    if statistic == "linear" or method.endswith("linear"):
        order = rng.permutation(len(y_true))
        y_true, y_prob = y_true[order], y_prob[order]
    if method == "labels":
        finite = kernel is None and statistic == "unbiased"
        kernels = [default_of_test(each, y_prob) if finite else each for each in kernels]
        if len(notions) > 1:
            confidence = as_rows(y_prob.max(axis=1))
            of_top = _of_confidences(confidence)
            kernels.append(OfTopLabel(default_of_test(of_top, confidence) if finite else of_top))
        found = label_test(kernels, y_prob, y_true, y_prob, several=len(kernels) > 1 or several, estimator=statistic,
                           cluster=cluster, weights=weights, **draws)
    else:
        found = _by_formula(kernels[0], y_true, y_prob, method, bound, n_resamples, rng, progress)
    return replace(found, notions=notions, unasked="" if two or len(notions) > 1 else UNASKED[notions[0]])


def _by_formula(kernel, y_true, y_prob, method, bound, n_resamples, rng, progress):
    delta = as_rows(residuals(y_true, y_prob))
    if method == "asymptotic":
        return centred_bootstrap(kernel, y_prob, delta, n_resamples, rng, progress)
    if method in BOUNDS:
        return bound_test(kernel, y_prob, delta, BOUNDS[method], bound, method)
    if len(y_prob) < 4:
        raise InputError("y_prob", f"at least 4 rows for method={method!r}", found=len(y_prob))
    terms = pair_terms(kernel, y_prob, delta)
    return CalibrationTestResult(*t_pvalue(terms), None, method, float(terms.mean()))


def _notions(notion, kernel, y_prob, method):
    """The notions that are tested, as a tuple."""
    if notion is None:
        many = y_prob.ndim == 2 and y_prob.shape[1] > 2 and kernel is None and method == "labels"
        return NOTIONS if many else NOTIONS[:1]
    chosen = (notion,) if isinstance(notion, str) else tuple(notion)
    for each in chosen:
        check_choice(each, "notion", NOTIONS)
    if len(set(chosen)) > 1:
        if y_prob.ndim == 1:
            raise InputError("notion", "one for a vector y_prob", found="both", hint="leave it out")
        refuse_beside("both notions", kernel=kernel)
        if method != "labels":
            raise InputError("notion", f"one for method={method!r}", found="both")
    if not chosen:
        raise InputError("notion", f"one of {', '.join(map(repr, NOTIONS))}, or both", found="none")
    return tuple(each for each in NOTIONS if each in chosen)


def _of_confidences(confidence):
    """The default kernel of confidences; of many that are equal, their root mean square distance is the bandwidth."""
    try:
        return laplacian(median_bandwidth(confidence))
    except InputError:
        return laplacian(float(np.sqrt(2) * confidence.std()) or 1.0)


def _by_data_sets(statistic, y_true, y_prob, cluster, *, n_resamples, rng, n_jobs, progress):
    """The exact test by a statistic that has no formula for many labels."""
    cluster = check_clusters(cluster, y_prob)
    order = np.arange(len(y_prob)) if cluster is None else np.argsort(cluster, kind="stable")
    cluster = cluster if cluster is None else cluster[order]

    def data_sets():
        yield y_true, y_prob
        for draws in chunks_of_draws(len(y_prob), n_resamples):
            labels = draw_labels(y_prob[order], len(draws), rng, cluster=cluster)[np.argsort(order)]
            yield from ((column.astype(np.int64), y_prob) for column in labels.T)

    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(statistic)(*data) for data in data_sets())
    values = np.array([float(value) for value in progress_bar(found, total=n_resamples + 1, shown=progress)])
    return replace(ranked(values, "labels"), notions=())


@naming("y_prob")
def _default(y_prob):
    return laplacian(median_bandwidth(y_prob))


def _one_kernel(kernel, y_prob):
    kernels, several = listed_kernels(_default(y_prob) if kernel is None else kernel)
    if several:
        raise InputError("kernel", "one callable", found="several", hint="these go with kce_test")
    return kernels[0]
