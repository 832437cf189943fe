"""From statistics of the observed and the drawn data sets to p-values, and the result of a test."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ..door.inputs import InputError
from ..door.results import Result

# Equal data sets give sums that differ in the last bits; a draw this close below counts as a tie, hence against us.
TIE = 1e-9
TINY = np.finfo(float).tiny  # e^{−x} may underflow; a p-value is never 0


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationTestResult(Result):
    """A test of the hypothesis that the model is calibrated.

    A small p-value speaks against the model. A large one does not speak for it: `summary` says why, in five lines or
    more, and what p rests on.

    Attributes
    ----------
    statistic : float
        What was compared with its null distribution.
    pvalue : float in (0, 1]
        Where draws are ranked, 1/(n_resamples + 1) is the smallest there can be, however wrong the model.
    null_distribution : ndarray, shape (n_resamples,), or None
        The statistic's draws under the hypothesis; None where the p-value is a formula. Aggregated test: the
        smallest p-values of the draws (`statistic` is the observed smallest).
    method : str
    estimate : float or ndarray
        The estimate of the error; aggregated test: one a kernel.
    single_pvalues : ndarray or None
        Aggregated test: the p-value of each kernel alone. None of them is a valid test of its own if chosen afterwards.
    notions : tuple of str
        What was tested (none by a callable statistic); of two, `estimate` and `single_pvalues` have an entry each.
    unasked : str
        What a test of one notion does not look for where there are more than two classes.
    """

    statistic: float
    pvalue: float
    null_distribution: np.ndarray | None
    method: str
    estimate: object
    single_pvalues: np.ndarray | None = None
    notions: tuple = ("canonical",)
    unasked: str = ""

    def summary(self):
        drawn = "No draws: p comes from a formula."
        if self.null_distribution is not None:
            n = len(self.null_distribution)
            drawn = f"{n:,} draws under the hypothesis: the smallest p there can be is {1 / (n + 1):.3g}"
            drawn += ", and this is it; more draws can give a smaller one." if self.pvalue < 1.5 / (n + 1) else "."
        if self.single_pvalues is None:
            estimate = f"Estimate of the squared error: {self.estimate:.4g}"
        elif len(self.notions) > 1:
            each = zip(self.notions, self.estimate, self.single_pvalues, strict=True)
            each = "; ".join(f"{name}: {value:.4g}, p = {alone:.3g} alone" for name, value, alone in each)
            estimate = f"Squared error, {each}; p pays for both looks"
        else:
            several, low, high = len(self.single_pvalues), np.min(self.estimate), np.max(self.estimate)
            estimate = f"Squared error by {several} kernels: estimates {low:.4g} to {high:.4g}; p pays for all looks"
        if "clusters" in self.method:
            drawn += ("\nA cluster's labels were redrawn with one uniform number. Proved: exact if they depend so."
                      "\nSimulated, not proved: rejects too rarely if they depend less. Three classes and more can"
                      "\nbe equal in other ways; of these it rejected up to .074 at .05.")
        if "landmarks" in self.method:
            drawn += "\nA kernel on landmarks: the test is exact, and may find less than the kernel itself."
        return (f'Test of calibration, method "{self.method}": p = {self.pvalue:.3g}\n{drawn}\n{estimate}\n'
                f"{self.unasked and self.unasked + chr(10)}"
                "A small p speaks against the model. A large one does not speak for it: the data may be too few, or\n"
                'the kernel may not look where the error is. "Not rejected" is not "calibrated".')


def rank_pvalues(statistics):
    """(1 + #{others >= this one})/(B + 1) for each of B + 1 data sets, along the last axis; ties are counted.

    A statistic that is NaN has no rank and is refused.
    """
    n_sets = statistics.shape[-1]
    if missing := np.isnan(statistics).sum():
        raise InputError("statistic", "a number for each data set", found=f"NaN for {missing}")
    slack = TIE * np.abs(np.where(np.isinf(statistics), 0, statistics)).max(axis=-1, keepdims=True)
    flat = statistics.reshape(-1, n_sets)
    ranks = [n_sets - np.searchsorted(np.sort(values), values - width, side="left")
             for values, width in zip(flat, slack.reshape(-1), strict=True)]
    return np.reshape(ranks, statistics.shape) / n_sets


def aggregated_pvalue(statistics):
    """Exact p-value of m statistics at once, (m, B + 1): the smallest of their p-values, ranked among the draws'.

    Few draws leave many equal smallest p-values. Between these the largest standardised statistic decides: any
    symmetric function of the data sets keeps the ranks exact, and less power is lost than by counting all as ties.
    Gives each data set's smallest p-value (B + 1,), the observed one's rank, and each statistic's own p-value (m,).
    """
    each = rank_pvalues(statistics)
    smallest, n_sets = each.min(axis=0), statistics.shape[1]
    largest = standardised(statistics, statistics).max(axis=0)
    score = largest / (1 + np.abs(largest)) / 2 - np.round(smallest * n_sets)  # whole steps, and less than one between
    return smallest, float(rank_pvalues(score)[0]), each[:, 0]


def standardised(statistics, null):
    """Each row's distance to the mean of its draws `null`, in their standard deviations; 0 where these never change."""
    spread = null.std(axis=1, keepdims=True)
    moves = spread > TIE * np.abs(null).max(axis=1, keepdims=True)
    return np.where(moves, (statistics - null.mean(axis=1, keepdims=True)) / np.where(moves, spread, 1), 0.0)


def ranked(values, method, estimate=None):
    """The test whose observed statistic is the first of all values, and the others those of the draws."""
    observed = float(values[0])
    estimate = observed if estimate is None else estimate
    return CalibrationTestResult(observed, float(rank_pvalues(values)[0]), values[1:], method, estimate)


def bound_pvalue(estimate, n, bound, *, biased):
    """Distribution-free bound on P(estimate or more | calibrated), |h| ≤ bound (McDiarmid 1989; Hoeffding 1963)."""
    if biased:
        exponent = max(0.0, np.sqrt(n * max(estimate, 0.0) / bound) - 1) ** 2 / 2
    else:  # a negative estimate speaks for calibration: without the max its square would count against (errata U5)
        exponent = (n // 2) * max(0.0, estimate) ** 2 / (2 * bound**2)
    return max(float(np.exp(-exponent)), TINY)


def t_pvalue(terms):
    """One-sided t test of independent terms with mean 0: (score, p-value)."""
    mean, error = terms.mean(), terms.std(ddof=1) / np.sqrt(len(terms))
    with np.errstate(divide="ignore"):  # equal terms: ±∞, the limit of the formula
        score = mean / error if mean else 0.0
    return float(score), max(float(stdtr(len(terms) - 1, -score)), TINY)
