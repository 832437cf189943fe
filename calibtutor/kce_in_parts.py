"""The exact test as sums over rows: for any number of rows, in blocks, files or on many machines.

With a kernel of finite rank, k(p, q) = φ(p)ᵀφ(q), all that a draw b of the labels needs is S_b = Σ_i w_i φ(p_i)δ_i^bᵀ
and Σ_i w_i²‖φ(p_i)‖²‖δ_i^b‖², a sum over rows each:

    Σ_{i≠j} w_i w_j k(p_i, p_j)⟨δ_i^b, δ_j^b⟩ = ‖S_b‖² − Σ_i w_i²‖φ(p_i)‖²‖δ_i^b‖²

So parts of the data are summed apart and added. Part j draws its labels from child j of the seed: who sums it, and
when, makes no difference. Where rows belong together, clusters take the place of rows in the second sum.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import csc_array
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from .gram import joined_rows
from .inputs import InputError, check_count, check_rng
from .kernels import Landmarks, as_rows
from .pair_sums import label_residuals, own_weight, runs, within_forms
from .predictions import check_predictions, two_columns
from .pvalues import ranked
from .resampling import FEW_CLASSES, draw_labels

BLOCK_ROWS = 512  # rows summed at once, in single precision
SUM_ENTRIES = 2**23  # of the sums held at once, 67 MB: more draws take another pass over the rows


@dataclass
class Sums:
    """Sums over rows for some of the draws; those of two parts add up."""

    hits: np.ndarray  # (d − 1, draws, r): Σ_{i: y_i = k} w_i φ_i for each class but the last
    promised: np.ndarray  # (d, r): Σ_i w_i p_ik φ_i
    total: np.ndarray  # (r,): Σ_i w_i φ_i
    own: np.ndarray  # (draws,): Σ_i w_i²‖φ_i‖²‖δ_i‖², or the same over pairs within a cluster
    weight: float  # Σ_i w_i
    own_weight: float  # Σ_i w_i², or Σ_c (Σ_{i∈c} w_i)² of clusters

    def __iadd__(self, other):
        for name, value in vars(other).items():
            mine = getattr(self, name)
            mine += value  # arrays in place
            setattr(self, name, mine)
        return self

    def estimates(self):
        """Unbiased SKCE of each draw: (‖S_b‖² − own)/((Σ_i w_i)² − own_weight), S_b over all classes."""
        missed = self.promised[:-1, None] - self.hits
        last = self.promised[-1] - (self.total - self.hits.sum(axis=0))
        form = np.einsum("kbr,kbr->b", missed, missed) + np.einsum("br,br->b", last, last)
        return (form - self.own) / (self.weight**2 - self.own_weight)


def kce_test_parts(parts, *, kernel, n_resamples=999, rng=None, n_jobs=None, progress=False):
    r"""`kce_test` of data that come in parts: files, machines, or more rows than memory holds.

    Parameters
    ----------
    parts : sequence of (y_true, y_prob) or of callables that return such a pair
        A callable is called where its part is summed, and what it returned is dropped then. A third entry, features,
        makes it `klce_test`.
    kernel : Landmarks
        From `landmarks`: of some of the predictions (joined with the features, for `klce_test`).
    n_resamples, rng, n_jobs, progress : int, Generator, int, bool
        As in `kce_test`; the backend of `joblib.parallel_config` may be "dask".

    Returns
    -------
    CalibrationTestResult
        The same, to the last bit, whatever the number of jobs and the engine. Other parts give other draws.

    Raises
    ------
    InputError
        For no parts, a part that `as_predictions` rejects (its number is named), parts of different width, or a
        kernel that has no features.

    Notes
    -----
    O(n r d B) time; (B + 1) r d numbers for the sums of a part, in passes over the parts where these exceed 67 MB. A
    block of rows is summed in single precision, blocks are added in double.

    Examples
    --------
    >>> from calibtutor import kce_test_parts, landmarks, laplacian
    >>> from calibtutor.data.worlds import widmann_model
    >>> files = [widmann_model("M1", 500, rng=seed) for seed in range(4)]
    >>> kernel = landmarks(laplacian(0.5), files[0][1], rank=64, rng=0)
    >>> kce_test_parts(files, kernel=kernel, n_resamples=99, rng=0).pvalue > 0.01
    True
    """
    check_count(n_resamples, "n_resamples")
    parts = list(parts)
    if not parts:
        raise InputError("parts", "at least one part", found="none")
    values = values_of_parts(parts, kernel, n_resamples, rng, n_jobs, progress)
    return ranked(values, f"labels, {len(kernel.points)} landmarks")


def values_of_parts(parts, kernel, n_resamples, rng, n_jobs=None, progress=False):
    """The observed estimate and those of the draws, (1 + n_resamples,), of parts as in `kce_test_parts`, or of `Rows`.

    Of (n,) predictions it is that of the scalar residuals.
    """
    if not isinstance(kernel, Landmarks):
        raise InputError("kernel", "one from landmarks(kernel, y_prob)", found=repr(kernel))
    seeds = np.random.SeedSequence(check_rng(rng).integers(2**63)).spawn(len(parts))
    shape = _checked(parts[0], 0).shape
    width = shape[0] if shape else 2
    step = max(1, SUM_ENTRIES // (width * kernel.rank))
    passes = [range(start, min(start + step, n_resamples + 1)) for start in range(0, n_resamples + 1, step)]
    values, bar = [], tqdm(total=len(parts) * len(passes), disable=not progress)
    for draws in passes:
        call = delayed(partial(_sums_of_part, kernel=kernel, n_resamples=n_resamples, draws=draws, shape=shape))
        # Threads need no copies of the parts. A backend that was chosen by joblib.parallel_config goes before.
        with threadpool_limits(1):
            found = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
                call(part, number, seed) for number, (part, seed) in enumerate(zip(parts, seeds, strict=True))
            )
            sums = next(found)
            for each in found:
                sums += each
                bar.update()
        bar.update()
        values.append(sums.estimates() / (1 if shape else 2))  # p − y is half of the two residuals' square
    bar.close()
    return np.concatenate(values)


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows of a part: X is what the kernel sees. A table is cut into several by `blocks`.

    With `top`, the top labels, hits are compared with confidences.
    """

    y_true: np.ndarray
    y_prob: np.ndarray
    X: np.ndarray
    weights: np.ndarray | None = None
    cluster: np.ndarray | None = None
    top: np.ndarray | None = None

    @property
    def shape(self):
        """Of what is compared with a label, or with a hit."""
        return self.y_prob.shape[1:] if self.top is None else ()

    def blocks(self, step):
        """Views of about `step` rows."""
        for rows in blocks(self.cluster, len(self.y_prob), step):
            yield Rows(*(each if each is None else each[rows] for each in vars(self).values()))


def blocks(cluster, n, step):
    """Slices of about `step` of n rows, cut where a cluster (sorted) ends."""
    end = 0
    while end < n:
        start, end = end, min(end + step, n)
        if cluster is not None:
            end = int(np.searchsorted(cluster, cluster[end - 1], side="right"))
        yield slice(start, end)


def _checked(part, number):
    """The rows of a part, which may be a callable."""
    if callable(part):
        part = part()
    if isinstance(part, Rows):
        return part
    if not (isinstance(part, tuple | list) and len(part) in (2, 3)):
        raise InputError(f"parts[{number}]", "(y_true, y_prob) or with features", found=type(part).__name__)
    try:
        y_true, y_prob = check_predictions(*part[:2])
        return Rows(y_true, y_prob, joined_rows(y_prob, part[2]) if len(part) == 3 else as_rows(y_prob))
    except InputError as error:
        raise error.of(f"parts[{number}], {error.argument}") from None


def _sums_of_part(part, number, seed, *, kernel, n_resamples, draws, shape):
    rows = _checked(part, number)
    if rows.shape != shape:
        shape, found = (f"predictions of shape {('n', *each)}" for each in (shape, rows.shape))
        raise InputError(f"parts[{number}]", f"{shape} as in parts[0]", found=found)
    with threadpool_limits(1):  # sums in one order, here or in another process
        return sums_of_rows(rows, kernel, n_resamples, np.random.default_rng(seed), draws)


def sums_of_rows(rows, kernel, n_resamples, rng, draws):
    """`Sums` of rows for the observed labels (draw 0) and those redrawn by `rng`, some of these `draws`.

    All are drawn, wanted or not, so that each is the same in any pass.
    """
    d, r = rows.shape[0] if rows.shape else 2, kernel.rank
    sums = Sums(np.zeros((d - 1, len(draws), r)), np.zeros((d, r)), np.zeros(r), np.zeros(len(draws)), 0.0, 0.0)
    for block in rows.blocks(BLOCK_ROWS):
        w = np.ones(len(block.y_prob)) if block.weights is None else block.weights
        labels = draw_labels(block.y_prob, n_resamples, rng, observed=block.y_true, cluster=block.cluster)
        labels, p = labels[:, draws.start : draws.stop], block.y_prob
        if block.top is not None:
            labels, p = labels == block.top[:, None], p.max(axis=1)
        _add_block(sums, kernel.features(block.X) * w[:, None], two_columns(p), labels, block.cluster)
        sums.weight += w.sum()
        sums.own_weight += own_weight(w, block.cluster)
    return sums


def _add_block(sums, phi, p, labels, cluster):
    """One block of rows, in single precision where it is multiplied by draws."""
    sums.promised += p.T @ phi
    sums.total += phi.sum(axis=0)
    single = phi.astype(np.float32)
    if cluster is None:
        height = (phi**2).sum(axis=1)  # w²k(p, p); ‖δ‖² = ‖p‖² + 1 − 2 p_y
        said = np.take_along_axis(p, labels.astype(np.intp), axis=1)
        sums.own += height @ ((p**2).sum(axis=1) + 1) - 2 * (height @ said)
    else:
        of_rows = lambda rows: single[rows] @ single[rows].T
        residuals = label_residuals(p.astype(np.float32), labels)
        sums.own += within_forms(of_rows, residuals, runs(cluster), labels.shape[1])
    d, draws = p.shape[1], labels.shape[1]
    if d <= FEW_CLASSES:  # a class at a time: 1 where a draw gives a row this label
        given = np.empty(labels.shape, dtype=np.float32)
        for k in range(d - 1):
            np.equal(labels, k, out=given, casting="unsafe")
            sums.hits[k] += given.T @ single
    else:
        places = labels.astype(np.intp) * draws + np.arange(draws)
        ones, starts = np.ones(places.size, dtype=np.float32), np.arange(0, places.size + 1, draws)
        given = csc_array((ones, places.ravel(), starts), shape=(d * draws, len(p)))
        sums.hits += (given @ single).reshape(d, draws, -1)[:-1]
