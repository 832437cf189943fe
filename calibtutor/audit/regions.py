"""Where is the model wrong: regions found on half of the rows, by a shallow tree, and tested on the other half."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from .clusters import redrawn
from .family import adjusted_pvalues
from .questions import FEWEST_ROWS, Questions
from .sections import NO_FEATURES, NO_HALVES, Section, part_table

DEPTH = 2
LEAST_SHARE = 0.05  # of the half, in a region
MANY_LEVELS = 30
MOVED = 0.01  # of the rows, by rounding a cut


def regions(evidence):
    """Leaves of a tree on the residuals of one half, tested on the other: a family of their own (notes of `audit`)."""
    if evidence.features is None or evidence.halves is None:
        return Section(not_run=[("regions", NO_FEATURES if evidence.features is None else NO_HALVES)])
    if min(adjusted for _, adjusted in evidence.answers.values()) > evidence.level:
        return Section(not_run=[("regions", "nothing was found before, and only then are they asked")])
    panel, (first, second) = evidence.panel, evidence.halves
    names, X = _design(evidence.features)
    least = max(FEWEST_ROWS, round(LEAST_SHARE * len(first)))
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=least, random_state=0)
    tree.fit(X[first], (panel.said - panel.hit)[first], sample_weight=panel.weights[first])
    judge, rows = panel.take(second), {}
    for conditions in _leaves(tree.tree_, X):
        inside = np.all([(X[second, c] > cut) == above for c, cut, above in conditions], axis=0)
        if conditions and inside.sum() >= FEWEST_ROWS:  # without a condition it is all rows
            rows[_in_words(conditions, names)] = inside
    if not rows:
        return Section(not_run=[("regions", f"no division of half of the rows leaves {FEWEST_ROWS} in each part")])
    asked = Questions()
    asked.add_linear(judge, rows)
    drawn = redrawn(judge, asked, [(None, evidence.n_resamples)], evidence.rng["regions"])
    pvalues = adjusted_pvalues(np.array([drawn.values[name] for name in asked.family]))
    parts = [({"rule": name}, inside) for name, inside in rows.items()]
    return Section(part_table(judge, parts, zip(*pvalues, strict=True), evidence.level).drop(columns="tested"))


def _design(features):
    """Columns of numbers, with (name, level) of each: a level for a category, None for a number."""
    table = features if hasattr(features, "columns") else pd.DataFrame(np.asarray(features)).add_prefix("feature ")
    found = []
    for name, column in table.items():
        numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        if numbers:
            values = column.to_numpy(dtype=float, na_value=np.nan)
            found.append(((str(name), None), np.where(np.isnan(values), np.nanmedian(values), values)))
        often = [] if numbers else column.value_counts().index[:MANY_LEVELS]
        for level, inside in [*((str(each), column == each) for each in often), ("missing", column.isna())]:
            if inside.any():
                found.append(((str(name), level), inside.to_numpy(dtype=float, na_value=0.0)))
    names, columns = zip(*found, strict=True)
    return names, np.column_stack(columns)


def _leaves(tree, X, node=0, way=()):
    """The way to each leaf: (column, cut, whether above it), the cuts with as few digits as move few rows across."""
    if tree.children_left[node] < 0:
        yield way
        return
    column = int(tree.feature[node])
    cut, values = float(tree.threshold[node]), X[:, column]
    shorter = (float(f"{cut:.{digits}g}") for digits in range(1, 16))
    cut = next((each for each in shorter if ((values <= each) != (values <= cut)).mean() <= MOVED), cut)
    yield from _leaves(tree, X, tree.children_left[node], (*way, (column, cut, False)))
    yield from _leaves(tree, X, tree.children_right[node], (*way, (column, cut, True)))


def _in_words(way, names):
    """One condition a column."""
    words = []
    for column in dict.fromkeys(each[0] for each in way):
        name, level = names[column]
        low, high = ([cut for c, cut, above in way if c == column and above is side] for side in (True, False))
        if level is not None:
            words.append(f"{name} is {'' if low else 'not '}{level}")
        elif low and high:
            words.append(f"{max(low):.15g} < {name} <= {min(high):.15g}")
        else:
            words.append(f"{name} > {max(low):.15g}" if low else f"{name} <= {min(high):.15g}")
    return " and ".join(words)
