"""Where is the model wrong: regions found on half of the rows, by a shallow tree, and tested on the other half."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from .family import adjusted_pvalues, statistics
from .questions import Questions
from .sections import FEWEST_ROWS, part_table

__all__ = ["region_table"]

DEPTH = 2
LEAST_SHARE = 0.05  # of the half, in a region
MANY_LEVELS = 30


def region_table(panel, features, first, second, level, n_resamples, rng):
    """Leaves of a tree on the residuals of `first`, and their tests on `second`: a family of their own.

    Parameters
    ----------
    panel : Panel
    features : DataFrame or ndarray
        In the panel's order.
    first, second : ndarray of int
    level : float
    n_resamples : int
    rng : Generator

    Returns
    -------
    DataFrame
    """
    names, X = _design(features)
    names, X = [*names, ("said", None)], np.column_stack([X, panel.said])
    residual = panel.said - panel.hit
    least = max(FEWEST_ROWS, round(LEAST_SHARE * len(first)))
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=least, random_state=0)
    tree.fit(X[first], residual[first], sample_weight=panel.weights[first])
    judge = panel.take(second)
    leaf = tree.apply(X[second])
    rules = {number: words for number, words in _rules(tree.tree_, names)}
    kept = [number for number in rules if (leaf == number).sum() >= FEWEST_ROWS]
    if not kept:
        return pd.DataFrame()
    rows = {rules[number]: leaf == number for number in kept}
    asked = Questions.empty(len(judge))
    asked.add_linear(judge, rows)
    drawn = statistics(judge, asked, [(None, n_resamples)], rng)
    pvalues = adjusted_pvalues(np.array([drawn.values[name] for name in asked.family]))
    found = part_table(judge, [({"rule": name}, rows[name]) for name in rows], list(zip(*pvalues, strict=True)), level)
    return found[["rule", "n", "gap", "gap_low", "gap_high", "p", "p_adjusted"]]


def _design(features):
    """Columns of numbers, with (name, level) of each: a level for a category, None for a number."""
    table = features if hasattr(features, "columns") else pd.DataFrame(np.asarray(features))
    names, columns = [], []
    for name in table.columns:
        column, shown = table[name], f"feature {name}" if isinstance(name, int) else str(name)
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            values = column.to_numpy(dtype=float, na_value=np.nan)
            columns.append(np.where(np.isnan(values), np.nanmedian(values), values))
            names.append((shown, None))
            missing, levels = np.isnan(values), []
        else:
            missing, levels = column.isna().to_numpy(), list(column.value_counts().index[:MANY_LEVELS])
        for each in levels:
            columns.append((column == each).to_numpy(dtype=float, na_value=0.0))
            names.append((shown, str(each)))
        if missing.any():
            columns.append(missing.astype(float))
            names.append((shown, "missing"))
    return names, np.column_stack(columns)


def _rules(tree, names, node=0, said=()):
    """(leaf, words) for each leaf."""
    if tree.children_left[node] < 0:
        yield node, " and ".join(said) or "all rows"
        return
    (name, level), cut = names[tree.feature[node]], tree.threshold[node]
    low, high = (
        (f"{name} <= {cut:.4g}", f"{name} > {cut:.4g}")
        if level is None
        else (f"{name} is not {level}", f"{name} is {level}")
    )
    yield from _rules(tree, names, tree.children_left[node], (*said, low))
    yield from _rules(tree, names, tree.children_right[node], (*said, high))
