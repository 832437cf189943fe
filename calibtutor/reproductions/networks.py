"""Gruber and Bach's Tables 1, 2, 3 and 5 on the course's ten networks: which estimator has the smallest risk?

These are not the published networks (`calibtutor.data.networks`): what can be
compared is which row is below which, and not the numbers.
"""

import numpy as np
import pandas as pd

from ..data.networks import DATA, NETWORKS, network_predictions
from ..estimates.selection import select_estimator
from .blocks import from_command_line, stored_summary

SCALAR, VECTOR = ("h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"), ("h = 0", "kde", "kkr", "ukkr")
ESTIMATORS = {"top-label": SCALAR, "canonical": VECTOR, "class-wise": SCALAR}
# Of `select_estimator`'s table, where h = 0 has no estimate and no setting (0 here). `worse_by` pairs the folds.
COLUMNS = ("root_risk", "root_risk_spread", "estimate", "negative", "worse_by", "worse_by_spread", "setting")
RANK, BLOCK = 400, 1  # of the canonical notion's kernel; a split
# A split shuffles the images, for all networks alike. A hundred classes take minutes each; with kde, which chooses its
# bandwidth for each of them in five folds, hours: there it is left out.
SPLITS = {("CIFAR-100", "canonical"): 3, ("CIFAR-10", "class-wise"): 3, ("CIFAR-100", "class-wise"): 2}
DESIGNS = {f"{d}, {notion}, {net}": (d, notion, net) for notion in ESTIMATORS for d in DATA for net in NETWORKS}
FULL = {design: SPLITS.get(each[:2], 10) for design, each in DESIGNS.items()}

# 100 × the root of the validation risk, mean over five folds: Tables 1, 2, 5 and 3 of Gruber and Bach, a row an
# estimator (h = 0 is not in them), a column a network.
PUBLISHED = {
    ("CIFAR-10", "top-label"): (
        (14.96, 6.14, 5.03, 5.40, 4.73), (14.96, 6.12, 5.03, 5.39, 4.72), (14.98, 13.70, 12.31, 7.46, 10.65),
        (14.96, 6.13, 5.03, 5.39, 4.72), (14.96, 6.11, 5.03, 5.38, 4.72)),
    ("CIFAR-100", "top-label"): (
        (18.51, 20.66, 18.40, 18.67, 17.18), (18.50, 20.43, 18.24, 18.61, 17.11), (18.50, 23.74, 23.28, 19.69, 18.21),
        (18.50, 20.52, 18.29, 18.59, 17.11), (18.50, 20.51, 18.28, 18.61, 17.12)),
    ("CIFAR-10", "canonical"): (
        (13.53, 5.13, 4.22, 4.46, 3.89), (13.53, 5.13, 4.22, 4.47, 3.89), (13.53, 5.13, 4.22, 4.47, 3.89)),
    ("CIFAR-100", "canonical"): (
        (8.38, 5.61, 4.98, 5.14, 4.79), (8.36, 5.56, 5.00, 5.16, 4.80), (8.35, 5.56, 5.01, 5.16, 4.80))}


def names_of(design):
    data, notion, _ = DESIGNS[design]
    return [name for name in ESTIMATORS[notion] if (data, notion, name) != ("CIFAR-100", "class-wise", "kde")]


def one_data_set(design, number, *, seed=0, images=10_000):
    """The estimators' `COLUMNS` on one split of the first images, one after the other; shape (estimators · 7,)."""
    data, notion, network = DESIGNS[design]
    said = network_predictions(network, data=data)
    names = names_of(design)
    options = {"notion": notion, "rank": RANK if notion == "canonical" else None, "candidates": names}
    rng = np.random.default_rng([seed, number])
    table = select_estimator(said.y_true[:images], said.y_prob[:images], rng=rng, **options).table
    table["setting"] = pd.to_numeric(table["setting"])  # h = 0 has none
    return table.loc[names, list(COLUMNS)].fillna(0).to_numpy(float).ravel()


def summarise(results):
    """Means over splits and their standard deviations; who is best, told apart and below whom, in so many splits."""
    designs = {}
    for design, rows in results.items():
        names = names_of(design)
        splits = rows.reshape(len(rows), len(names), len(COLUMNS))
        above, spread, setting = np.moveaxis(splits[..., 4:], -1, 0)  # exact where roots print alike
        below = [(above[:, [k]] < above).sum(axis=0) for k in range(len(names))]
        found = {"best": (above == 0).sum(axis=0), "told apart": (above > 2 * spread).sum(axis=0), "setting": setting.T}
        found |= {"below": [dict(zip(names, each.tolist(), strict=True)) for each in below]}
        for name, each in (("mean", splits.mean(axis=0)), ("sd", splits.std(axis=0, ddof=1))):
            digits = np.vectorize(lambda value: float(f"{value:.6g}"))(each[:, :-1]).tolist()
            found[name] = [dict(zip(COLUMNS, row, strict=False)) for row in digits]
        by_name = {key: dict(zip(names, np.asarray(each).tolist(), strict=True)) for key, each in found.items()}
        designs[design] = {"data_sets": len(rows), "first": rows[:1].tolist()} | by_name  # first: to be made again
    return {"designs": designs}


def beside_published(data, notion, summary=None):
    """100 × the root risk, mean over splits, and in brackets the paper's: a row an estimator, a column a network."""
    found = (summary or stored_summary("networks"))["designs"]
    columns = [found[f"{data}, {notion}, {network}"]["mean"] for network in NETWORKS]
    rows = {name: [f"{each[name]['root_risk']:.3f}" for each in columns] for name in columns[0]}
    for name, theirs in zip(ESTIMATORS[notion][1:], PUBLISHED.get((data, notion), ()), strict=False):
        rows[name] = [f"{a} ({b:.2f})" for a, b in zip(rows[name], theirs, strict=True)]
    return pd.DataFrame(rows, index=NETWORKS).T


def tell(summary):
    for data, notion in dict.fromkeys(each[:2] for each in DESIGNS.values()):
        print(data, notion, beside_published(data, notion, summary).to_string(), sep="\n")


if __name__ == "__main__":
    from_command_line(__spec__.name)
