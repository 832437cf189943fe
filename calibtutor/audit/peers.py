"""What other tools report of the same predictions, beside what chance makes of it: no verdict, each p alone.

All of it comes from sums over at most 1,000 groups of nearly equal predictions, known of observed and redrawn labels.
"""

import numpy as np
import pandas as pd
from sklearn.isotonic import isotonic_regression

from ..chance.pvalues import rank_pvalues
from ..door.inputs import InputError
from ..estimates.smooth import smooth_error
from .cells import cells_along
from .columns import levels_of
from .questions import one_column_a_row
from .sections import NO_FEATURES, Section, part_table

FEW = 99  # draws for what takes long


def grid_columns(panel):
    """Rows' weights in groups of nearly equal predictions, and w (1 − 2p), as columns for sums over the draws."""
    score = panel.weights * (1 - 2 * panel.said)
    return one_column_a_row(panel.weights, cells_along(panel.said)), one_column_a_row(score, np.zeros(len(score)))


def others(evidence):
    r"""KS, Kuiper, Spiegelhalter, ICI, smECE and CORP's miscalibration, of P(Y = 1) or of the top label.

    With C_k = Σ_{i ≤ k} w_i (y_i − p_i)/Σ w, rows sorted by p and k behind the last of equal ones: max \|C_k\|, and max
    C − min C with C_0 = 0 (Arrieta-Ibarra et al. 2022). Spiegelhalter (1986): Σ (y − p)(1 − 2p) in its standard
    deviations if the model is calibrated. ICI (Austin & Steyerberg 2019): mean \|fit(p) − p\|; the fit is isotonic,
    since loess fails where most predictions are alike.
    """
    panel, place = evidence.panel, cells_along(evidence.panel.said)
    mass, w = np.bincount(place, panel.weights), panel.weights / panel.weights.sum()
    said, share = np.bincount(place, panel.weights * panel.said) / mass, mass / mass.sum()
    *sums, score = evidence.null.sums[evidence.asked.linear.shape[1] :]  # of `grid_columns`
    misses, n_draws = np.array(sums) / mass.sum(), min(FEW, len(score) - 1)
    walk = np.vstack([np.zeros(len(score)), np.cumsum(misses, axis=0)])
    score = score / mass.sum()
    unit = np.sqrt(np.sum((w * (1 - 2 * panel.said)) ** 2 * panel.said * (1 - panel.said)))
    unit = unit if panel.cluster is None else score[1:].std()
    rate = misses / share[:, None]  # happened − said
    steps = np.array([isotonic_regression(said + each, sample_weight=share) for each in rate.T[: n_draws + 1]]).T
    spared = share @ (rate[:, : n_draws + 1] ** 2 - (said[:, None] + rate[:, : n_draws + 1] - steps) ** 2)
    rows = [("Kolmogorov–Smirnov", np.abs(walk).max(axis=0), "largest sum of misses from the lowest prediction up"),
            ("Kuiper", np.ptp(walk, axis=0), "largest sum of misses over an interval of predictions"),
            ("Spiegelhalter, z", score / (unit or np.inf), "above 0: a larger Brier score than promised"),
            ("ICI", share @ np.abs(steps - said[:, None]), "mean distance to an isotonic fit; 99 draws"),
            ("smooth ECE", np.array([smooth_error(said, each) for each in misses.T[: n_draws + 1]]), "smECE; 99 draws"),
            ("CORP, miscalibration", spared, "what an isotonic repair would save of the Brier score; 99 draws")]
    ends = [evidence.level / 2, 1 - evidence.level / 2]
    table = [(name, values[0], *np.quantile(values[1:], ends), rank_pvalues(np.abs(values))[0], note)
             for name, values, note in rows]
    return Section(pd.DataFrame(table, columns=["statistic", "value", "chance_low", "chance_high", "p", "note"]))


def bias(evidence):
    """Said − happened by level of each feature (numbers cut at their quartiles), with intervals, one by one."""
    if evidence.features is None:
        return Section(not_run=[("bias by feature", NO_FEATURES)])
    parts, not_run = [], []
    for name, column in pd.DataFrame(evidence.features).items():
        try:
            levels = levels_of("features", name, column)
        except InputError as error:
            not_run.append((f"bias by {name}", f"too many levels: {error.found}"))
            continue
        parts += [({"feature": str(name), "level": level}, inside) for level, inside in levels.items()]
    table = part_table(evidence.panel, parts, [None] * len(parts), evidence.level)
    return Section(table.reindex(columns="feature level n said gap gap_low gap_high".split()), not_run)
