"""The audit: one call, one page, a verdict that holds.

`questions` says what is asked, `family` redraws labels and adjusts p-values, `intervals` and `missed` say how large an
error is and how large it could have been, `sections` and `regions` are the tables, `sentences` the page in words;
`figures`, `report`, `columns` and `command` show, write and read.
"""

from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from platform import python_version
from textwrap import fill

import numpy as np
import pandas as pd

from ..inputs import InputError, check_count, check_number
from ..results import Result
from . import missed, regions, sections
from .family import adjusted_pvalues, statistics
from .inputs import data_table, groups_of, in_order, panel_of, parts_of, periods_of
from .questions import FEWEST_ROWS, questions_of
from .sections import Evidence, bin_columns, halves
from .sentences import detected_sentence, for_whom_sentence, found_line, how_large_sentence, limits_of

__all__ = ["Audit", "audit"]

WIDTH = 120  # of the summary
DESIGNS = ("holdout", "cv")
DRAWN = ("null", "missed", "halves", "regions", "estimators")  # each from a child of the seed
# In the order of their tables, which have the names of the functions.
SECTIONS = (
    *(sections.size, sections.curve, sections.notions, sections.groups, sections.time, sections.local),
    *(regions.regions, sections.repair, sections.estimators, sections.questions, missed.missed),
)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """What an audit found, page by page.

    Attributes
    ----------
    detected : bool
        Whether `pvalue` is at most the level.
    pvalue : float
        The smallest adjusted p of the confirmatory family.
    conclusions : list of str
        Detected? How large? For whom?
    limits : list of str
        What this audit cannot say.
    tables : dict of DataFrame
        data, size, curve, notions, groups, time, local, regions, repair, estimators, questions, missed, settings and
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
        return f"Audit(detected={self.detected}, pvalue={self.pvalue:.6g}, tables={len(self.tables)})"

    def __str__(self):
        return self.summary()

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
            Conclusions and limits.
        """
        lines = [*self.conclusions, "What this audit cannot say:", *(f"- {each}" for each in self.limits)]
        return "\n".join(fill(each, WIDTH, subsequent_indent="  ", break_long_words=False) for each in lines)

    def to_json(self, path):
        """Write all that was found, tables too, as JSON.

        Parameters
        ----------
        path : str or Path
            Where it is written, whole or not at all.
        """
        from .report import as_json, write

        write({path: as_json(self)})

    def to_html(self, path):
        """Write the report as one page that asks for nothing else.

        Parameters
        ----------
        path : str or Path
            Where it is written, whole or not at all.
        """
        from .report import page, write

        write({path: page(self)})

    def _repr_html_(self):
        from .report import fragment

        return fragment(self)


def audit(
    y_true,
    y_prob,
    *,
    classes=None,
    features=None,
    groups=None,
    weights=None,
    cluster=None,
    time=None,
    design="holdout",
    tolerance=0.05,
    level=0.05,
    n_resamples=999,
    rng=None,
    progress=False,
):
    r"""Is the model calibrated, how large is its error and for whom: an audit of held-out predictions.

    One family of questions, fixed before labels are looked at: intercept and slope; all classes at once; the top label
    and each class (up to 20) of more than two; each group and period of 50 rows or more (its gap and its slope); and
    the prediction given the features. All are asked of the same redrawn labels, and p-values pay for their number
    (Westfall & Young 1993, step-down).

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n, d) or (n,)
        Rows that miss 1 by no more than .05 are divided by their sum, and the report says so.
    classes : sequence of d labels, optional
        As in `as_predictions`.
    features : DataFrame or array-like, shape (n, m), optional
        What calibration is asked for given, as in `klce_test`.
    groups : DataFrame, dict of columns, or one column, optional
        Names, at most 500 a column; more than 20 different numbers are cut at their quartiles, rounded.
    weights : array-like of float >= 0, shape (n,), optional
        How much each row counts.
    cluster : array-like, shape (n,), optional
        As in `kce_test`: what rows belong to. At least 30.
    time : array-like, shape (n,), optional
        Periods, numbers or dates (as text: 2024-01-31); more than twelve are cut into eight of about as many rows.
        Names are sorted, unless they are categories in an order.
    design : {"holdout", "cv", "training"}
        Where predictions come from: rows the model never saw; cross-validation, where no p-value is exact (Notes); or
        the rows it was fitted on, of which there is no audit.
    tolerance : float in (0, 1]
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
    ValueError
        For input that `as_predictions` rejects, columns of another length or index, fewer than 30 clusters, weights
        that are negative or nearly all on a few rows, groups that are a name a row, dates that cannot be read, options
        out of range, or design="training".

    Notes
    -----
    If the model is calibrated, it is called detected with probability `level` at most, at any n (rows independent given
    predictions, features and groups). Regions are found on half of the rows and tested on the other half, a family
    of their own.

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
    tolerance = check_number(tolerance, "tolerance", most=1, above=0)
    check_count(n_resamples, "n_resamples", int(np.ceil(1 / level * (1 - 1e-12))) - 1)  # fewer give no p <= level
    if design not in DESIGNS:
        why = "a model looks calibrated on the rows it was fitted on, so that an audit of these is none"
        found, hint = repr(design), why if design == "training" else ""
        raise InputError("design", f"one of {', '.join(DESIGNS)}", found=found, hint=hint)
    seed = int(rng) if isinstance(rng, int | np.integer) else int(np.random.default_rng(rng).integers(2**31))
    rng = dict(zip(DRAWN, map(np.random.default_rng, np.random.SeedSequence(seed).spawn(len(DRAWN))), strict=True))
    rows = y_prob if hasattr(y_prob, "iloc") else y_true  # whose index says which rows these are, if one has an index
    panel, order, notes = panel_of(y_true, y_prob, classes, weights, cluster, rows)
    features = None if features is None else in_order(features, "features", rows, order)
    groups, periods = groups_of(groups, rows, order), periods_of(time, rows, order)
    tested = {name: some for name, some in parts_of(groups, periods).items() if some.sum() >= FEWEST_ROWS}
    asked = questions_of(panel, features=features, groups=tested)
    null = statistics(panel, asked, [(None, n_resamples)], rng["null"], tables=(bin_columns(panel),), progress=progress)
    pvalues = adjusted_pvalues(np.array([null.values[name] for name in asked.family]))
    answers = dict(zip(asked.family, zip(*map(np.ndarray.tolist, pvalues), strict=True), strict=True))
    evidence = Evidence(panel, level, n_resamples, features, groups, periods, asked, null, answers,
                        halves(panel, rng["halves"]), rng, progress)  # fmt: skip
    tables, not_run = {"data": None}, list(asked.not_run)
    for section in SECTIONS:
        found = section(evidence)
        tables |= {} if found.table is None else {section.__name__: found.table}
        not_run, notes = not_run + found.not_run, notes + found.notes
    settings = _settings(design, tolerance, level, n_resamples, seed, panel)
    tables["data"] = data_table(panel, notes, features)
    tables["settings"] = pd.DataFrame(list(settings.items()), columns=["name", "value"])
    tables["not_run"] = pd.DataFrame(not_run, columns=["what", "why"])
    doubts, questions = [note for what, _, note in notes if what == "doubt"], tables["questions"]
    line_found = found_line(questions, level)
    conclusions = [
        detected_sentence(questions, level, tables["missed"], panel.two, doubts),
        how_large_sentence(tables["size"], tolerance, level, two=panel.two, line_found=line_found),
        for_whom_sentence(tables, level),
    ]
    smallest = float(min(pvalues[1]))
    limits = limits_of(evidence, design, tables)
    return Audit(smallest <= level, smallest, conclusions, limits, tables, settings)


def _settings(design, tolerance, level, n_resamples, seed, panel):
    from .. import __version__

    settings = {"design": design, "tolerance": tolerance, "level": level, "n_resamples": n_resamples, "seed": seed}
    settings |= {"weights": bool(np.ptp(panel.weights)), "clusters": panel.cluster is not None}
    versions = {name: metadata.version(name) for name in ("numpy", "scipy", "scikit-learn", "pandas")}
    return settings | {"calibtutor": __version__} | versions | {"python": python_version()}
