"""Figures 3 and 5 of Vashistha & Farahi: how often tests of local calibration err, by their null distribution.

    python -m calibtutor.reproductions.local --jobs 2 --folder local-runs

writes blocks of results into the folder as it goes (a second run goes on where the first one stopped) and at the end
`summary.json`. The summary that is stored beside this file was made by this command; the file says with which seed.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

from ..data.local_worlds import NULL_DESIGNS, hidden_feature
from ..pvalues import aggregated_pvalue, rank_pvalues
from ..resampling import draw_labels
from .blocks import from_command_line, in_blocks, stored_summary

__all__ = ["LEVELS", "NULLS", "PUBLISHED", "STUDIES", "Study", "beside_published", "one_data_set", "run", "streams",
           "summarise"]  # fmt: skip

NULLS = ("residuals", "permutation", "centred-permutation", "signs", "labels")  # as in `klce_test`
LEVELS = (0.01, 0.05, 0.1)
RESAMPLES, SEED, BLOCK = 199, 0, 100
STRIPE = 250
# Widths (prediction, features) of Figure 3: the authors' pair, then each of the two smaller and larger on its own, then
# the feature width smaller and larger by √2 only. Two aggregated tests: over the first five, and over steps of √2.
PAIRS = ((5.0, 5.0), (1.0, 5.0), (25.0, 5.0), (5.0, 2.5), (5.0, 10.0), (5.0, 3.54), (5.0, 7.07))
AGGREGATED = {"aggregated": (0, 1, 2, 3, 4), "aggregated √2": (5, 0, 6)}
# Of Figure 5, whose kernel sees predictions only (errata K11): a feature kernel of infinite width is 1 everywhere.
WIDTHS = tuple((round(float(width), 3), inf) for width in np.linspace(0.01, 0.99, 11))


@dataclass(frozen=True, eq=False)
class Study:
    """One design at one size; k l = exp(−(p − p')²/w² − ‖x − x'‖²/v²).

    In figure 3 the last of the features is hidden from the model, in 5 a calibrated model has one feature. `widths` are
    pairs (w, v); `groups` say which of them an aggregated test takes together. For the first `all_nulls` of the widths
    all nulls are used, for the others only the exact one.
    """

    figure: int
    n: int
    n_features: int
    widths: tuple
    groups: dict
    all_nulls: int
    data_sets: int

    def draw(self, rng):
        """Labels, predictions and features."""
        if self.figure == 3:
            return hidden_feature(self.n, self.n_features, rng)
        return NULL_DESIGNS["the paper's Figure 5"].draw(self.n, rng)

    @property
    def columns(self):
        """Names of the p-values: "<null> <widths>", then those of the aggregated tests."""
        labels = ["/".join(f"{width:g}" for width in pair if width < inf) for pair in self.widths]
        names = [f"{null} {label}" for label in labels[: self.all_nulls] for null in NULLS[:-1]]
        return [*names, *(f"labels {label}" for label in labels), *self.groups]


STUDIES = {
    **{
        f"figure3-n{n}-d{d}": Study(3, n, d, PAIRS, AGGREGATED, 1, 1000)
        for n in (500, 1000) for d in (10, 20, 30, 40, 50)
    },
    # All widths see the same data sets (so do the authors', from one random key): their rates go up and down together.
    "figure5-widths": Study(5, 50, 1, WIDTHS, {"aggregated": tuple(range(11))}, 11, 4000),
    **{f"figure5-n{n}": Study(5, n, 1, ((0.2, inf),), {}, 1, 4000) for n in (20, 40, 60, 80, 100)},
}  # fmt: skip

# Figure 3: share not rejected in 1,000 data sets, Figure 5: share rejected in 4,000; both at .05, 1,000 permutations,
# p = #{drawn > observed}/1,000. The authors' notebooks print these values, but the last five are read off the figure.
PUBLISHED = {
    "figure3-n500-d10": 0.006, "figure3-n500-d20": 0.069, "figure3-n500-d30": 0.242,
    "figure3-n500-d40": 0.426, "figure3-n500-d50": 0.534,
    "figure3-n1000-d10": 0.0, "figure3-n1000-d20": 0.001, "figure3-n1000-d30": 0.012,
    "figure3-n1000-d40": 0.051, "figure3-n1000-d50": 0.15,
    "figure5-widths": (
        0.04875, 0.05075, 0.04925, 0.05, 0.049, 0.04975, 0.05, 0.05, 0.0495, 0.0495, 0.04925,
    ),
    "figure5-n20": 0.058, "figure5-n40": 0.052, "figure5-n60": 0.05, "figure5-n80": 0.054, "figure5-n100": 0.049,
}  # fmt: skip


def streams(name, number, seed=SEED):
    """Generators of one data set: for the data, for residuals, permutations, signs and labels."""
    study = STUDIES[name]
    return np.random.default_rng([seed, study.figure, study.n, study.n_features, number]).spawn(5)


def one_data_set(name, number, *, seed=SEED, n_resamples=RESAMPLES):
    """The p-values of one data set, in the order of `Study.columns`.

    They are those of `klce_test` with the generators of `streams`. Here all nulls share one kernel matrix, and both
    permutation nulls the draws.
    """
    study = STUDIES[name]
    of_data, of_rows, of_orders, of_signs, of_labels = streams(name, number, seed)
    y_true, y_prob, features = study.draw(of_data)
    delta, n, draws = y_prob - y_true, study.n, range(n_resamples)
    redrawn = np.column_stack([
        delta,
        *(delta[of_rows.integers(n, size=n)] for _ in draws),
        *(delta[of_orders.permutation(n)] for _ in draws),
        delta[:, None] * (of_signs.integers(0, 2, (n, n_resamples), dtype=np.int8) * 2 - 1),
    ])  # fmt: skip
    relabelled = y_prob[:, None] - np.column_stack([y_true, draw_labels(y_prob, n_resamples, of_labels)])
    between_p, between_x = (pdist(rows, "sqeuclidean") for rows in (y_prob[:, None], features))
    pvalues, of_exact = [], []
    for index, (width, feature_width) in enumerate(study.widths):
        K = squareform(np.exp(-(between_p / width**2 + between_x / feature_width**2)))  # zeros on its diagonal
        of_exact.append(_forms(K, relabelled))
        if index < study.all_nulls:
            observed, *drawn = np.split(_forms(K, redrawn), [1, 1 + n_resamples, 1 + 2 * n_resamples])
            drawn.insert(2, drawn[1] - drawn[1].mean())
            pvalues += [rank_pvalues(np.concatenate([observed, each]))[0] for each in drawn]
    exact = np.array(of_exact)
    together = [aggregated_pvalue(exact[list(group)])[1] for group in study.groups.values()]
    return np.array([*pvalues, *rank_pvalues(exact)[:, 0], *together])


def _forms(K, V):
    """vᵀKv of each column. K is symmetric: stripes of its upper half will do, the rest of a stripe counts twice."""
    total = 0
    for start in range(0, len(K), STRIPE):
        rows, after = slice(start, start + STRIPE), slice(start + STRIPE, None)
        product = K[rows, rows] @ V[rows] + 2 * (K[rows, after] @ V[after])
        total = total + np.einsum("ij,ij->j", product, V[rows])
    return total


def run(folder, *, data_sets=None, seed=SEED, n_resamples=RESAMPLES, n_jobs=None, progress=True):
    """p-values of `one_data_set` for each study (default: its `data_sets`), kept in the folder; see `in_blocks`."""
    wanted = data_sets or {name: study.data_sets for name, study in STUDIES.items()}
    columns, settings = {name: STUDIES[name].columns for name in wanted}, {"seed": seed, "n_resamples": n_resamples}
    return in_blocks(folder, wanted, one_data_set, columns, settings, block=BLOCK, n_jobs=n_jobs, progress=progress)


def summarise(results, *, command, seed=SEED, n_resamples=RESAMPLES):
    """What is stored: how many data sets were rejected at each of `LEVELS`; plain numbers."""
    studies = {
        name: {
            "data_sets": len(pvalues),
            # Room for a rounding error: p-values are multiples of 1/(B + 1).
            "rejected": {
                column: [int((p <= level + 1e-12).sum()) for level in LEVELS]
                for column, p in zip(STUDIES[name].columns, pvalues.T, strict=True)
            },
            "first": pvalues[:5].tolist(),  # to be made again and compared
        }
        for name, pvalues in results.items()
    }
    return {"command": command, "seed": seed, "n_resamples": n_resamples, "levels": list(LEVELS), "studies": studies}


def beside_published():
    """Table of Figure 3's stored shares at level .05, the authors' values in brackets.

    A cell is a Type II error (share not rejected), a column n and the number of features. The authors permuted
    residuals, so their values stand beside "permutation".
    """
    full, columns, at = stored_summary("local")["studies"], {}, LEVELS.index(0.05)
    for name, study in STUDIES.items():
        if study.figure == 3:
            counts = full[name]["rejected"].items()
            cells = {key: f"{1 - each[at] / full[name]['data_sets']:.3f}" for key, each in counts}
            cells["permutation 5/5"] += f" ({PUBLISHED[name]:.3f})"
            columns[f"n = {study.n}, d = {study.n_features}"] = cells
    return pd.DataFrame(columns)


def main(arguments=None):
    full = {name: study.data_sets for name, study in STUDIES.items()}
    summary = from_command_line(f"{__package__}.local", __doc__, run, summarise, full, seed=SEED, arguments=arguments)
    for name, each in summary["studies"].items():
        at = {key: counts[LEVELS.index(0.05)] / each["data_sets"] for key, counts in each["rejected"].items()}
        print(name, "rejected at .05:", ", ".join(f"{key} {rate:.3f}" for key, rate in at.items()))


if __name__ == "__main__":
    main()
