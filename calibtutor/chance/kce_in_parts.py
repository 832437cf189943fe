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
from threadpoolctl import threadpool_limits

from ..door.inputs import InputError, check_count, check_rng
from ..door.predictions import check_predictions
from ..door.probabilities import two_columns
from ..kernels import Landmarks, slices
from ..kernels.gram import joined_rows
from ..kernels.pair_sums import BLOCK_ROWS, SUM_ENTRIES, Sums, blocks, label_sums
from ..progress import progress_bar
from .pvalues import ranked
from .resampling import draw_labels

DRAWN_ROWS = 8192  # whose labels are drawn at once
HELD_BYTES = 2**29  # what is kept of the rows, if more than one pass is needed, instead of being drawn again


def kce_test_parts(parts, *, kernel, n_resamples=999, rng=None, n_jobs=None, progress=False):
    r"""`kce_test` of data that come in parts: files, machines, or more rows than memory holds.

    Parameters
    ----------
    parts : sequence of (y_true, y_prob) or of callables that return such a pair
        A callable is called where its part is summed, once a pass, and what it returned is dropped then; the first one
        here, too, for its shape. A third entry, features, makes it `klce_test`.
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
    O(n r B) time for B draws and r landmarks, whatever the number d of classes; (B + 1) r d numbers for the sums of a
    part, in passes over the parts where these exceed 67 MB. Few rows are summed in single precision, such sums are
    added in double. On Dask keep parts well below a worker's memory: joblib 1.6.0 is not told when a part that ends its
    worker every time is given up, and waits.

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
    if not isinstance(kernel, Landmarks):
        raise InputError("kernel", "one from landmarks(kernel, y_prob)", found=repr(kernel))
    (values,) = values_of_parts(parts, [kernel], n_resamples, rng, n_jobs, progress)
    return ranked(values, f"labels, {len(kernel.points)} landmarks")


@dataclass(frozen=True)
class OfTopLabel:
    """A kernel of confidences: hits are compared with them, from the same label draws."""

    kernel: object


def values_of_parts(parts, kernels, n_resamples, rng, n_jobs=None, progress=False):
    """The observed estimates and those of the draws, (kernels, 1 + n_resamples), of parts as in `kce_test_parts`.

    Parts may be `Rows`, and kernels `OfTopLabel`. Of (n,) predictions estimates are those of the scalar residuals.
    """
    seeds = np.random.SeedSequence(check_rng(rng).integers(2**63)).spawn(len(parts))
    shape, values, sums, held = _checked(parts[0], 0).y_prob.shape[1:], [], [], []
    # Of each kernel: itself, whether it is of the top label, the classes. (p − y)² is half of two residuals' squares.
    looks = [(k.kernel, True, 2) if isinstance(k, OfTopLabel) else (k, False, *(shape or (2,))) for k in kernels]
    passes = slices(n_resamples + 1, SUM_ENTRIES // sum(kernel.rank * d for kernel, _, d in looks))
    # A row's labels and features, if the rows are at hand: what a callable returned is dropped.
    bytes_a_row = 4 * sum(kernel.rank for kernel, *_ in looks) + (1 + len(looks)) * n_resamples
    n = sum(len(part.y_prob) if isinstance(part, Rows) else HELD_BYTES for part in parts)
    hold = len(passes) > 1 and n * bytes_a_row <= HELD_BYTES
    call = delayed(partial(_sums_of_part, looks=looks, n_resamples=n_resamples, shape=shape, hold=hold))
    bar = progress_bar(total=len(parts) - 1 + len(passes) if hold else len(parts) * len(passes), shown=progress)

    def run(calls):
        # Threads need no copies of the parts. A backend that was chosen by joblib.parallel_config goes before.
        with threadpool_limits(1):
            for found in Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(calls):
                bar.update()
                yield found

    for draws in passes[:1] if hold else passes:
        total = []
        for found, drawn in run(call(*part, draws) for part in zip(parts, range(len(parts)), seeds, strict=True)):
            held += drawn
            for mine, other in zip(total, found, strict=bool(total)):
                mine += other
            total = total or found
        sums = total[len(looks) :] or sums
        values.append([each.estimates(hits, draws) for each, hits in zip(sums, total, strict=False)])
    if hold:
        later = run(call(held, 0, None, draws) for draws in passes[1:])
        for draws, (total, _) in zip(passes[1:], later, strict=True):
            values.append([each.estimates(hits, draws) for each, hits in zip(sums, total, strict=True)])
    bar.close()
    return np.concatenate(values, axis=1) / [[1 + (top or not shape)] for _, top, _ in looks]


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows of a part: X is what a kernel of whole predictions sees. A table is cut into several by `blocks`."""

    y_true: np.ndarray
    y_prob: np.ndarray
    X: np.ndarray
    weights: np.ndarray | None = None
    cluster: np.ndarray | None = None

    def blocks(self, step):
        """Views of about `step` rows."""
        for rows in blocks(self.cluster, len(self.y_prob), step):
            yield Rows(*(each if each is None else each[rows] for each in vars(self).values()))


def _checked(part, number):
    """The rows of a part, which may be a callable."""
    part = part() if callable(part) else part
    if isinstance(part, Rows):
        return part
    if not (isinstance(part, tuple | list) and len(part) in (2, 3)):
        raise InputError(f"parts[{number}]", "(y_true, y_prob) or with features", found=type(part).__name__)
    try:
        y_true, y_prob = check_predictions(*part[:2])
        return Rows(y_true, y_prob, joined_rows(y_prob, part[2]) if len(part) == 3 else y_prob)
    except InputError as error:
        raise error.of(f"parts[{number}], {error.argument}") from None


def _sums_of_part(part, number, seed, draws, *, looks, n_resamples, shape, hold):
    """Of each look `label_sums` of these draws, then, with the first draw, `Sums`; and what is held, without a seed."""
    if seed is not None:
        rows = _checked(part, number)
        if rows.y_prob.shape[1:] != shape:
            shape, found = (f"predictions of shape {('n', *each)}" for each in (shape, rows.y_prob.shape[1:]))
            raise InputError(f"parts[{number}]", f"{shape} as in parts[0]", found=found)
        part = _drawn(rows, looks, n_resamples, np.random.default_rng(seed), draws.start == 0)
    hits, sums, held = [None] * len(looks), [], []
    with threadpool_limits(1):  # sums in one order, here or in another process
        for block in part:
            if draws.start == 0:
                held += [block] * hold
                for mine, (*_, other) in zip(sums, block, strict=bool(sums)):
                    mine += other
                sums = sums or [each for *_, each in block]
            for k, (phi, labels, each) in enumerate(block):
                hits[k] = label_sums(phi, labels[:, draws], len(each.promised), hits[k])
    return hits + sums, held


def _drawn(rows, looks, n_resamples, rng, summed):
    """Blocks of rows; of each look features in single precision, labels or hits, and `Sums` if wanted, of all draws."""
    for block in rows.blocks(min(DRAWN_ROWS, max(BLOCK_ROWS, 2**24 // n_resamples))):
        n, w = len(block.y_prob), np.ones(len(block.y_prob)) if block.weights is None else block.weights
        drawn = draw_labels(block.y_prob, n_resamples, rng, observed=block.y_true, cluster=block.cluster)
        found = []
        for kernel, top, d in looks:
            labels = drawn == block.y_prob.argmax(axis=1)[:, None] if top else drawn
            phi, sums = np.empty((n, kernel.rank), dtype=np.float32), Sums(d, kernel.rank, n_resamples + 1)
            for part in blocks(block.cluster, n, BLOCK_ROWS):
                p = block.y_prob[part].astype(float)
                p = p.max(axis=1) if top else p
                phi[part] = features = kernel.features(p if top else block.X[part]) * w[part, None]
                if summed:
                    cluster = block.cluster if block.cluster is None else block.cluster[part]
                    sums.add(features, two_columns(p), w[part], labels[part], cluster)
            found.append((phi, labels, sums))
        yield found
