"""Panels, evidence, and an audit with all sections, for tests of the audit; not to be changed in place."""

from functools import lru_cache, partial

import numpy as np
import pandas as pd

import calibtutor as ct
from calibtutor.audit.clusters import redrawn
from calibtutor.audit.family import adjusted_pvalues
from calibtutor.audit.questions import Panel, questions_of
from calibtutor.audit.sections import Evidence
from calibtutor.chance.resampling import draw_labels

quick = partial(ct.audit, n_resamples=19, rng=0)


@lru_cache
def real():
    """Three classes, over-confident; two groups with letters that HTML minds."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1, 1], 600)
    y = np.array([rng.choice(3, p=row**2 / (row**2).sum()) for row in p])
    site, age = rng.choice(["A & B", "C<D"], 600), rng.normal(50, 10, 600)
    return ct.audit(y, p, groups=pd.DataFrame({"site": site}), features=pd.DataFrame({"age": age}),
                    time=np.repeat([2023, 2024], 300), n_resamples=99, rng=0)


def drawn(rng, p):
    """Labels of a calibrated model."""
    return draw_labels(p, 1, rng)[:, 0].astype(np.int64)


def panel(y_true, y_prob, weights=None, cluster=None, **more):
    """Rows that nobody checks, in their order."""
    weights = np.ones(len(y_true)) if weights is None else weights
    d = 2 if np.ndim(y_prob) == 1 else y_prob.shape[1]
    return Panel(np.asarray(y_true).astype(np.int64), y_prob, weights, cluster, list(range(d)), **more)


def surprise(rows, question, y, asked):
    """What happened − its promise, (rows, targets of the question), of whole arrays."""
    if question.targets == ("said",):
        return ((y if rows.two else y == rows.top) - rows.said)[:, None]
    delta = np.eye(rows.y_prob.shape[1])[y] - rows.y_prob
    return delta @ asked.projection if question.targets == ("signs",) else delta[:, question.targets]


def evidence(rows, rng, n_resamples=199, *, asked=None, tables=(), level=0.05, **more):
    """All questions, or those `asked`, answered of a panel."""
    rng, asked = np.random.default_rng(rng), asked or questions_of(rows, **more)
    null = redrawn(rows, asked, [(None, n_resamples)], rng, tables=tables)
    pvalues = adjusted_pvalues(np.array([null.values[name] for name in asked.family]))
    answers = dict(zip(asked.family, zip(*pvalues, strict=True), strict=True))
    return Evidence(rows, level, n_resamples, asked=asked, null=null, answers=answers, rng={"missed": rng})


def smallest(found):
    """The smallest adjusted p."""
    return min(adjusted for _, adjusted in found.answers.values())
