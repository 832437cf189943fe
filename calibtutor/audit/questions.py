"""The confirmatory family: what is asked, and its statistic for many label vectors at once.

Every statistic is a squared norm of sums over rows, ‖Σ_i w_i φ(x_i) (t(y_i) − t̄_i)‖², where t is what is predicted
(one class, or "the top label is right") and t̄ its promise. So labels are redrawn by blocks of rows and never held.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from ..door.inputs import InputError
from ..errors.klce import product_kernel
from ..estimates.binning import bin_of, equal_mass_edges, in_one_bin
from ..kernels import Landmarks, as_rows, landmarks, laplacian, median_bandwidth
from .intervals import bins_for, equal_mass, logit

FEWEST_ROWS = 50  # of a group that is tested
MISSES = 10  # so many promised, and none, is no luck
LINE = "intercept and slope"  # the question about all rows together
CURVE = "reliability curve"  # the one about the largest miss of its bins
RMS = "RMS error"  # and about all of its bins of equal mass
LOCAL = "given the features"
N_BINS = 15  # of the curve
CLASS_QUESTIONS = 20  # more classes are asked together only
LINE_RANK = 64  # landmarks of a kernel on [0, 1]
RANK = 256  # and of one on all classes
LOCAL_RANK = 1024  # many categories make a kernel nearly diagonal: with 256, what heart's 918 rows show is lost
RIDGE = 1e-9  # of a row's variance
FEW_TARGETS = 32  # residuals of more classes are projected on so many random directions
SIGNS = "signs"  # the target of these: signs of one size


@dataclass(frozen=True)
class Panel:
    """Checked rows, sorted by cluster, and what two classes and many have in common."""

    y_true: np.ndarray
    y_prob: np.ndarray  # (n,) of two classes, or (n, d), which may be in single precision
    weights: np.ndarray
    cluster: np.ndarray | None
    names: list  # of the classes
    logs: np.ndarray | None = None  # (n, 2), where logits came in: log-odds of `said`, log-probability of the label
    entropy: np.ndarray | None = None  # (n,), if classes are ranks: that of all outcomes, or NaN
    robust: bool = False  # to any dependence within clusters: their signs are redrawn, not labels
    two = property(lambda panel: panel.y_prob.ndim == 1)
    ranked = property(lambda panel: panel.entropy is not None)
    kind = property(lambda panel: "" if panel.ranked else "class ")  # before a name

    @cached_property
    def top(self):
        """The most probable class, and of ranks the first, whatever is beyond; None of two classes."""
        return None if self.two else self.y_prob[:, : 1 if self.ranked else None].argmax(axis=1)

    @cached_property
    def hit(self):
        """Two classes: the label; more: whether the top label is right."""
        return (self.y_true if self.two else self.y_true == self.top).astype(np.int64)

    @cached_property
    def said(self):
        """P(Y = 1), or the top label's probability."""
        return self.y_prob if self.two else self.y_prob[:, : 1 if self.ranked else None].max(axis=1).astype(float)

    @cached_property
    def code(self):
        """A number of 64 bits, the same one for equal predictions."""
        return pd.util.hash_pandas_object(pd.DataFrame(self.y_prob), index=False).to_numpy()

    @cached_property
    def z(self):
        """The log-odds of `said`: those that came in, or of probabilities."""
        return logit(self.said) if self.logs is None else self.logs[:, 0]

    @property
    def given(self):
        """What was said of what happened."""
        if self.logs is not None and not self.ranked:
            return np.exp(self.logs[:, 1])
        if self.two:
            return np.where(self.y_true == 1, self.said, 1 - self.said)
        return self.y_prob[np.arange(len(self)), self.y_true].astype(float)

    def __len__(self):
        return len(self.y_true)

    def about(self, hit, said):
        """The same rows asked about another event."""
        return Panel(hit, said, self.weights, self.cluster, [0, 1])

    def take(self, rows, kind=None):
        """Some of the rows, in their order; predictions of this type, or of that which they have."""
        cluster, *more = (None if each is None else each[rows] for each in (self.cluster, self.logs, self.entropy))
        y_prob = np.asarray(self.y_prob[rows], dtype=kind)
        return Panel(self.y_true[rows], y_prob, self.weights[rows], cluster, self.names, *more, self.robust)


@dataclass(frozen=True)
class KernelQuestion:
    """Is the residual of these targets 0 given X? A target is "said", the number of a class, or SIGNS."""

    name: str
    kernel: Landmarks
    X: np.ndarray
    targets: tuple


@dataclass
class Questions:
    """Kernel questions, and linear ones as columns of one sparse matrix."""

    linear: csr_array | None = None
    kernels: list = field(default_factory=list)
    columns: dict = field(default_factory=dict)  # name -> slice of the columns of `linear`
    inverse: dict = field(default_factory=dict)  # name -> V⁺ of the sums' covariance if the model is calibrated
    not_run: list = field(default_factory=list)  # (what, why)
    projection: np.ndarray | None = None  # (d, directions), for many classes
    edges: np.ndarray | None = None  # of the reliability curve
    bins: dict = field(default_factory=dict)  # name -> columns of `linear`: the weights of rows in each bin
    spread: dict = field(default_factory=dict)  # name -> standard deviation of a bin's sum, or root of its weight
    family: list = field(default_factory=list)  # names of the questions that are tested together

    def add_linear(self, panel, named_rows):
        """An intercept and a slope on the logit scale for each name, of the rows it holds."""
        z, variance = panel.z, panel.said * (1 - panel.said)
        parts = [] if self.linear is None else [self.linear]
        start = sum(part.shape[1] for part in parts)
        for name, rows in named_rows.items():
            ends, rows = np.cumsum(np.r_[0, 2 * rows], dtype=np.int32), np.flatnonzero(rows)
            inside = variance[rows] * panel.weights[rows] ** 2
            centre = np.average(z[rows], weights=inside) if inside.sum() > 0 else 0.0
            Z = np.column_stack([np.ones(len(rows)), z[rows] - centre])
            places = np.tile(np.arange(2, dtype=np.int32), len(rows))
            parts.append(csr_array(((Z * panel.weights[rows, None]).ravel(), places, ends), shape=(len(panel), 2)))
            self.columns[name] = slice(start, start + 2)
            # The ridge: what is certain varies by nothing, and where it does not happen that is surprise without end.
            ridge = RIDGE * (panel.weights[rows] ** 2).sum() * np.eye(2)
            self.inverse[name] = np.linalg.inv((Z * inside[:, None]).T @ Z + ridge)
            start += 2
            self.family.append(name)
        self.linear = hstack(parts, format="csr")

    def add_bins(self, panel):
        """The largest sum of misses of a bin of the curve, and the mean square of those of equal mass."""
        self.edges, w, parts, start = curve_edges(panel.said), panel.weights, [self.linear], self.linear.shape[1]
        along = np.unique(bin_of(panel.said, self.edges), return_inverse=True)[1]
        for name, index in ((CURVE, along), (RMS, equal_mass(panel.said, bins_for(len(panel))))):
            parts.append(one_column_a_row(w, index))
            variance = np.bincount(index, w**2 * panel.said * (1 - panel.said)) + RIDGE * np.bincount(index, w**2)
            self.spread[name] = np.sqrt(variance if name == CURVE else np.bincount(index, w) * w.sum())
            self.bins[name] = slice(start, start := start + parts[-1].shape[1])
            self.family.append(name)
        self.linear = hstack(parts, format="csr")


def curve_edges(said):
    """Bins of the reliability curve: of equal width, or of equal mass if nearly all rows are in one of those."""
    ordered = np.sort(said)
    return equal_mass_edges(ordered, N_BINS) if in_one_bin(ordered, N_BINS)[0] else np.arange(N_BINS + 1) / N_BINS


def one_column_a_row(values, column):
    """A sparse matrix with one value in each row."""
    return csr_array((values, column.astype(np.int32), np.arange(len(values) + 1, dtype=np.int32)))


def questions_of(panel, *, features=None, groups=None):
    """The family, fixed before the labels are looked at; features sorted as the panel, groups {question: rows}."""
    asked = Questions()
    asked.add_linear(panel, {LINE: np.ones(len(panel), dtype=bool)})
    asked.add_bins(panel)
    if panel.two:
        _add_kernel(asked, "canonical", panel.said, ("said",))
    else:
        d = panel.y_prob.shape[1]
        targets = tuple(range(d))
        if d > FEW_TARGETS:
            signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(d, FEW_TARGETS))
            asked.projection, targets = signs / np.sqrt(FEW_TARGETS), (SIGNS,)
        _add_kernel(asked, "canonical", panel.y_prob, targets)
        _add_kernel(asked, "top label", panel.said, ("said",))
        if d <= CLASS_QUESTIONS + panel.ranked:
            for k, name in enumerate(panel.names):
                _add_kernel(asked, f"{panel.kind}{name}", panel.y_prob[:, k], (k,))
        else:
            asked.not_run.append(("each class", f"{d} classes; a question a class up to {CLASS_QUESTIONS}"))
    if features is not None:
        try:
            X, kernel = product_kernel(panel.y_true, panel.y_prob, features)
        except InputError as error:
            what = {"prob_kernel": "predictions", "feature_kernel": "rows of features"}.get(error.argument)
            if what is None:  # nobody gave a kernel: an error about one says that there is no default
                raise
            asked.not_run.append((LOCAL, f"at least half of all pairs of {what} are equal, too many for a kernel"))
        else:
            asked.kernels.append(KernelQuestion(LOCAL, landmarks(kernel, X, rank=LOCAL_RANK, rng=0), X, ("said",)))
            asked.family.append(LOCAL)
    asked.add_linear(panel, groups or {})
    return asked


def _add_kernel(asked, name, X, targets):
    X = as_rows(X, single=True)
    bandwidth = _bandwidth(X)
    if bandwidth <= 1e-12:
        asked.not_run.append((name, f"all predictions are equal: {LINE} ask the same"))
        return
    kernel = landmarks(laplacian(bandwidth), X, rank=LINE_RANK if X.shape[1] == 1 else RANK, rng=0)
    asked.kernels.append(KernelQuestion(name, kernel, X, targets))
    asked.family.append(name)


def _bandwidth(X):
    """The median distance, or the root mean square distance if it is larger and X is one probability.

    Where nearly all probabilities of a class are nearly 0, the kernel would see each of the others alone.
    """
    spread = float(np.sqrt(2 * sum(column.var(dtype=float) for column in X.T)))
    try:
        median = median_bandwidth(X)
    except ValueError:  # at least half of all pairs are equal
        return spread
    return max(median, spread) if X.shape[1] == 1 else median
