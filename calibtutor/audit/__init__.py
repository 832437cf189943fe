"""The audit: one call, one page, a verdict that holds.

`questions` are put to redrawn labels by `family`; `sections`, `regions`, `peers` and `missed` are the tables,
`sentences` and `doubts` page one.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from platform import python_version
from textwrap import fill

import numpy as np
import pandas as pd

from ..door.inputs import InputError, check_choice, check_count, check_number, refuse_beside, same_rows
from ..door.results import Result
from ..progress import progress_bar
from ..whole import write
from . import missed, peers, regions, report, sections, sentences
from .clusters import DEPENDENCE, redrawn
from .columns import features_of, groups_of, tested_parts
from .doubts import dependence_doubts
from .family import adjusted_pvalues
from .inputs import data_table, panel_of
from .questions import FEWEST_ROWS, questions_of
from .sections import Evidence, halves

__all__ = ["Audit", "audit"]

WIDTH = 120  # of the summary
DESIGNS = ("holdout", "cv")
PACKAGES = ("calibtutor", "numpy", "scipy", "sklearn", "pandas")
DRAWN = ("null", "missed", "halves", "regions", "again")  # each from a child of the seed
SURPRISE = 0.01  # the probability that a calibrated model calls any outcome impossible
# In the order of their tables, which have the names of the functions.
SECTIONS = (sections.size, sections.curve, sections.groups, sections.ranks, sections.classes, sections.sets,
             regions.regions, peers.bias, sections.repair, peers.others, sections.questions, missed.missed)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """What an audit found, page by page.

    Attributes
    ----------
    detected : bool
        Whether `pvalue` is at most the level.
    pvalue : float
        The smallest adjusted p of the family.
    conclusions, limits : list of str
        Detected? How large? For whom? Where it was tried, what division by T would do. And what this audit cannot say.
    tables : dict of DataFrame
        data, size, curve, groups, classes, sets, regions, bias, repair, others, questions, missed, settings and
        not_run, those that there are.
    settings : dict
    """

    detected: bool
    pvalue: float
    conclusions: list
    limits: list
    tables: dict
    settings: dict

    def __repr__(self):
        rms = self.tables["size"].set_index("quantity").loc["RMS error", ["estimate", "low", "high"]]
        size = "{:.3g} [{:.3g}, {:.3g}]".format(*rms)
        return f"Audit(detected={self.detected}, pvalue={self.pvalue:.6g}, rms_error={size}, tables={len(self.tables)})"

    @cached_property
    def figures(self):
        """Figures of matplotlib by the name of their section, made when first asked for."""
        from .figures import drawn

        return {name: figure for name, (figure, _) in drawn(self.tables, self.settings["level"]).items()}

    def summary(self):
        """Page one in words.

        Returns
        -------
        str
            Its sentences, a line each or more, and what the audit cannot say.
        """
        lines = [*self.conclusions, "What this audit cannot say:", *(f"- {each}" for each in self.limits)]
        return "\n".join(fill(each, WIDTH, subsequent_indent="  ", break_long_words=False) for each in lines)

    __str__ = summary

    def to_json(self, path):
        """Write all that was found, tables too, as JSON, whole or not at all.

        Parameters
        ----------
        path : str or Path
            As in `to_html`.
        """
        write({path: report.as_json(self)})

    def to_html(self, path):
        """Write the report as one page that asks for nothing else.

        Parameters
        ----------
        path : str or Path
            Where it is written, whole or not at all: a new file, or one that may be replaced.

        Raises
        ------
        InputError
            For a folder, a device or a pipe, and a file that may only be read.
        """
        write({path: self._page()})

    _page = report.page

    _repr_html_ = report.fragment


@same_rows
def audit(y_true, y_prob, *, logits=False, percent=False, candidates=False, log_prob=None, entropy=None, classes=None,
          features=None, groups=None, weights=None, cluster=None, time=None, dependence="robust", design="holdout",
          tolerance=0.05, level=0.05, n_resamples=999, rng=None, progress=False):
    r"""Is the model calibrated, how large is its error and for whom: an audit of held-out predictions.

    One family of questions, fixed before labels are looked at: intercept and slope; the bins of the reliability curve;
    all classes at once, which in many classes hardly sees over-confidence (notes of `kce_test`), and so the top label,
    too, and each class (up to 20) of more than two; each group and period of 50 rows or more (its gap and its slope);
    and the prediction given the features. All are asked of the same redrawn labels, and
    p-values pay for their number (Westfall & Young 1993, step-down).

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n, d) or (n,)
        Rows that miss 1 by no more than .05 are divided by their sum, and the report says so.
    logits : bool
        Whether `y_prob` holds scores z, with p_k = exp(z_k)/Σ_l exp(z_l), or log-odds of class 1, shape (n,); −inf
        where a class is ruled out. Log loss, intercept, slope and temperature come from them in double precision: no
        1 − p is lost, and nothing stops at 10⁻⁶. Log-probabilities are scores, too.
    percent : bool
        Whether `y_prob` holds percents, from 0 to 100.
    candidates : bool
        Whether `y_prob` holds log-probabilities of the k likeliest of many outcomes, (n, k), likeliest first, −inf
        where there are no others, and `y_true` the rank of what came, 0 for the likeliest, k or more for all beyond.
        Classes are then ranks, and all that is beyond with 1 − Σ_j p_j; the first candidate is the top label.
    log_prob, entropy : array-like of float, shape (n,), optional
        Of candidates: log p of what came, and H = −Σ p log p of all outcomes; E(−log p − H) = 0 if it is calibrated.
    classes : sequence of d labels, optional
        As in `as_predictions`.
    features : array-like, or table of pandas, polars or arrow, shape (n, m), optional
        What calibration is asked for given, as in `klce_test`; nothing that determines the label.
    groups : table of pandas, polars or arrow, dict of columns, or one column, optional
        Names, at most 500 a column, that do not determine the label; more than 20 numbers are cut at their quartiles.
    weights : array-like of float >= 0, shape (n,), optional
        How much each row counts.
    cluster : array-like, shape (n,), optional
        What rows belong to, as in `kce_test`; at least 30, independent of each other.
    time : array-like, shape (n,), optional
        Periods, numbers or dates (as text: 2024-01-31); more than twelve are cut into eight of about as many rows.
    dependence : {"robust", "worst"}
        With clusters: whether p-values hold whatever the dependence within them (signs of clusters are redrawn), or
        suppose the worst (labels by one number a cluster, as in `kce_test`).
    design : {"holdout", "cv", "training"}
        Where predictions come from: rows the model never saw; cross-validation, where no p-value is exact (Notes); or
        the rows it was fitted on, of which there is no audit.
    tolerance : float in (0, 1)
        An RMS error that would not matter.
    level : float in (0, 1)
        Of the tests; intervals cover with 1 − level.
    n_resamples : int >= 1/level − 1
        How often labels are redrawn.
    rng : int, Generator or None
        Source of the draws.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Audit
        Its pages in words and tables.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, logits that are NaN or ∞, columns of another length or index or that
        determine the label, fewer than 30 clusters, weights that are negative or nearly all on a few rows, groups that
        are a name a row, dates that cannot be read, options out of range, or design="training".

    Notes
    -----
    If the model is calibrated, it is called detected with probability `level` at most, at any n (rows independent given
    predictions, features and groups; clusters: see below). Regions are found on half of the rows and tested on the
    other half, and only if something was found before, so that they add no false alarm.

    Clusters: sums over a cluster, S_c = Σ_{i ∈ c} w_i φ(x_i)(t_i − t̄_i), have mean 0 then, however its rows depend. All
    questions are asked of the same random signs, Σ_c ε_c S_c (Canay, Romano & Shaikh 2017): right for symmetric sums,
    nearly for many. Where fewer than 20 clusters hold a hit, or a miss, dependence="worst" takes over; sums that hardly
    four make up are left open (p = 1); page one says so. Sequences in order: if next-word predictions are calibrated
    given all that came before, misses are martingale differences, and p-values and intervals without `cluster` are
    right for many rows.

    Above 20,000 rows the kernel questions compare means of cells of nearly equal predictions, at most 1,000 of one
    number and 4,096 of all classes: no p-value is less exact, and what differs within a cell is not seen by these.
    Where signs of clusters are redrawn, rows are compared.

    Predictions by cross-validation, and by maps fitted on each half of the rows for the other half, hold labels that
    are tested, and no p-value is exact: it may be too large or too small (notebooks/your_own_predictions.md). Keep rows
    that nothing was fitted on.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import audit
    >>> y_prob = np.linspace(0.05, 0.95, 300)
    >>> y_true = np.random.default_rng(0).random(300) < y_prob**2  # over-confident everywhere
    >>> found = audit(y_true, y_prob, n_resamples=199, rng=0)
    >>> found.detected, found.pvalue
    (True, 0.005)
    """
    level = check_number(level, "level", above=0, below=1)
    tolerance = check_number(tolerance, "tolerance", above=0, below=1)
    check_count(n_resamples, "n_resamples", int(np.ceil(1 / level * (1 - 1e-12))) - 1)  # fewer give no p <= level
    how = {"logits": logits, "percent": percent, "candidates": candidates}
    for name, value in how.items():
        if not isinstance(value, bool | np.bool_):
            raise InputError(name, "True or False", found=f"a {type(value).__name__}", hint="numbers are y_prob")
    if sum(how.values()) > 1:
        raise InputError(", ".join(how), "one of them to be true")
    beside = {"classes": classes} if candidates else {"log_prob": log_prob, "entropy": entropy}
    refuse_beside(f"candidates={candidates}", **beside)
    if design not in DESIGNS:
        hint = "a model looks calibrated on the rows it was fitted on, so that an audit of these is none"
        raise InputError("design", f"one of {', '.join(DESIGNS)}", found=repr(design), hint=hint)
    check_choice(dependence, "dependence", DEPENDENCE)
    if not isinstance(rng, np.random.Generator | np.random.RandomState | None):
        check_count(rng, "rng", 0)
    seed = int(rng) if isinstance(rng, int | np.integer) else int(np.random.default_rng(rng).integers(2**31))
    rng = dict(zip(DRAWN, map(np.random.default_rng, np.random.SeedSequence(seed).spawn(len(DRAWN))), strict=True))
    rows = y_prob if hasattr(y_prob, "iloc") else y_true  # whose index says which rows these are, if one has an index
    kept = (log_prob, entropy) if candidates else None
    panel, order, notes = panel_of(y_true, y_prob, classes, weights, cluster, design, logits, percent, kept)
    panel = replace(panel, robust=dependence == "robust")
    features, groups = features_of(features, rows, order, panel), groups_of(groups, time, rows, order, panel)
    asked = features, tested_parts(groups), n_resamples
    answered = _answers(panel, *asked, rng["null"], peers.grid_columns(panel), progress)
    halved = halves(panel, rng["halves"])
    evidence = Evidence(panel, level, n_resamples, features, groups, *answered, halved, rng, progress)
    pvalue = min(adjusted for _, adjusted in evidence.answers.values())
    notes += [("doubt", "", doubt) for doubt in dependence_doubts(panel, features, timed=time is not None)]
    tables, not_run = {"data": None}, list(evidence.asked.not_run)
    for section in progress_bar(SECTIONS, shown=progress, desc="sections"):
        found = section(evidence)
        tables |= {} if found.table is None else {section.__name__: found.table}
        not_run, notes = not_run + found.not_run, notes + found.notes
    settings = {"design": design, "tolerance": tolerance, "level": level, "n_resamples": n_resamples, "seed": seed}
    settings |= {"weights": bool(np.ptp(panel.weights)), "clusters": panel.cluster is not None}
    settings |= how | {"dependence": dependence} | {name: import_module(name).__version__ for name in PACKAGES}
    settings["python"] = python_version()
    tables["data"] = data_table(panel, notes)
    tables["settings"] = pd.DataFrame(list(settings.items()), columns=["name", "value"])
    tables["not_run"] = pd.DataFrame(not_run, columns=["what", "why"])
    doubts = [note for what, _, note in notes if what == "doubt"]
    first = sentences.detected_sentence(tables["questions"], level, tables["missed"], panel.two, doubts)
    large = sentences.how_large_sentence(tables["size"], tolerance, level, two=panel.two, questions=tables["questions"])
    large += sentences.candidates_sentence(tables)
    large += "" if panel.cluster is None else sentences.design_sentence(panel)
    first += _surprises(panel, order, *asked, rng["again"], level, pvalue <= level)
    divided = sentences.divided_sentence(tables.get("repair"), level)
    conclusions = [first, large, sentences.for_whom_sentence(tables, level), *filter(None, [divided])]
    return Audit(pvalue <= level, pvalue, conclusions, sentences.limits_of(evidence, design, tables), tables, settings)


def _answers(panel, features, parts, n_resamples, rng, tables=(), progress=False):
    """The questions of a panel, their statistics on redrawn labels, and {question: (p, adjusted p)}."""
    asked = questions_of(panel, features=features, groups=parts)
    tilts = missed.sizes_of(panel, asked) if tables else ()
    null = redrawn(panel, asked, [(None, n_resamples)], rng, tables=tables, progress=progress, tilts=tilts)
    pvalues = adjusted_pvalues(np.array([null.values[name] for name in asked.family]))
    return asked, null, dict(zip(asked.family, zip(*map(np.ndarray.tolist, pvalues), strict=True), strict=True))


def _surprises(panel, order, features, parts, n_resamples, rng, level, detected):
    """Which outcomes were called all but impossible, in words, and if something was found, what is without them."""
    given, least = panel.given, SURPRISE / len(panel) / (len(panel.names) - 1)
    rare, rest = np.flatnonzero(given < least), np.flatnonzero(given >= least)
    rare = rare[np.argsort(given[rare], kind="stable")]
    named = [(int(order[i]), panel.names[panel.y_true[i]], given[i]) for i in rare]
    if not named or not detected or len(rest) < FEWEST_ROWS:
        return sentences.surprises_sentence(named)
    features = None if features is None else features.iloc[rest] if hasattr(features, "iloc") else features[rest]
    parts = {name: rows[rest] for name, rows in parts.items()}
    answers = _answers(panel.take(rest), features, parts, n_resamples, rng)[2]
    return sentences.surprises_sentence(named, min(adjusted for _, adjusted in answers.values()), level)
