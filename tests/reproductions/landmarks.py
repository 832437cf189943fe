"""What landmarks cost: power of the exact test with few of them, beside the kernel itself, on the same data sets.

    PYTHONPATH=tests python -m reproductions.landmarks --jobs 2 --folder landmarks-runs

writes blocks of results into the folder as it goes (a second run goes on where the first one stopped) and at the end
`summary.json`. The summary that is stored beside this file was made by this command; the file says with which seed.

No paper's simulation, but our own: what `calibtutor.landmarks` says of its power.
"""

from dataclasses import dataclass

import numpy as np

from calibtutor.data.worlds import mixed_widmann_model
from calibtutor.kce import kce_test
from calibtutor.kernels import landmarks, laplacian, median_bandwidth
from calibtutor.reproductions.blocks import from_command_line, in_blocks, stored_summary

__all__ = ["DESIGNS", "Design", "one_data_set", "power", "run", "streams", "summarise"]

FACTORS = (0.5, 1)  # of the median bandwidth
RESAMPLES, SEED, BLOCK, LEVEL = 99, 0, 10, 0.05


@dataclass(frozen=True)
class Design:
    """The poster's predictions, ten classes, and labels between M1 and M2 or M3, as in `mixed_widmann_model`."""

    n: int
    towards: str
    strength: float
    ranks: tuple
    data_sets: int

    @property
    def columns(self):
        """ "<factor> × median, exact" and "…, <rank>", by factor."""
        return [f"{factor:g} × median, {kind}" for factor in FACTORS for kind in ("exact", *self.ranks)]


# M2 is half of the way towards it; the tilted worlds are as hard as leaves an exact test something to lose.
DESIGNS = {
    "M2, n = 250": Design(250, "M2", 0.5, (32, 64, 128), 100),
    "M3, n = 250": Design(250, "M3", 1, (32, 64, 128), 100),
    "M2, n = 1,000": Design(1000, "M2", 0.5, (32, 64, 256), 50),
    "M3, n = 1,000": Design(1000, "M3", 1, (32, 64, 256), 50),
    "towards M2, n = 250": Design(250, "M2", 0.06, (32, 64, 128), 400),
    "towards M3, n = 250": Design(250, "M3", 0.25, (32, 64, 128), 400),
    "towards M2, n = 1,000": Design(1000, "M2", 0.03, (32, 64, 256), 400),
    "towards M3, n = 1,000": Design(1000, "M3", 0.13, (32, 64, 256), 400),
    "towards M2, n = 4,000": Design(4000, "M2", 0.015, (64, 256, 1024), 60),
    "towards M3, n = 4,000": Design(4000, "M3", 0.07, (64, 256, 1024), 60),
}


def streams(name, number, seed=SEED):
    """Generators of one data set: for the data, for labels redrawn, and for landmarks."""
    design = DESIGNS[name]
    where = [design.n, int(design.towards[1]), round(1000 * design.strength), number]
    return np.random.default_rng([seed, *where]).spawn(3)


def one_data_set(name, number, *, seed=SEED, n_resamples=RESAMPLES):
    """The p-values of one data set, in the order of `Design.columns`."""
    design, (of_data, of_labels, of_landmarks) = DESIGNS[name], streams(name, number, seed)
    y_true, y_prob = mixed_widmann_model(design.strength, design.n, towards=design.towards, rng=of_data)
    kernels = [laplacian(factor * median_bandwidth(y_prob)) for factor in FACTORS]
    few = [landmarks(kernel, y_prob, rank=rank, rng=of_landmarks) for kernel in kernels for rank in design.ranks]
    exact, low = (
        kce_test(y_true, y_prob, kernel=each, n_resamples=n_resamples, rng=of_labels).single_pvalues
        for each in (kernels, few)
    )
    return np.column_stack([exact, np.reshape(low, (len(FACTORS), -1))]).ravel()


def run(folder, *, data_sets=None, seed=SEED, n_resamples=RESAMPLES, n_jobs=None, progress=True):
    """p-values of `one_data_set` for each design (default: its `data_sets`), kept in the folder; see `in_blocks`."""
    wanted = data_sets or {name: design.data_sets for name, design in DESIGNS.items()}
    columns, settings = {name: DESIGNS[name].columns for name in wanted}, {"seed": seed, "n_resamples": n_resamples}
    return in_blocks(folder, wanted, one_data_set, columns, settings, block=BLOCK, n_jobs=n_jobs, progress=progress)


def summarise(results, *, command, seed=SEED, n_resamples=RESAMPLES):
    """What is stored: how many data sets were rejected at .05, and how many by one of exact and few only."""
    designs = {}
    for name, pvalues in results.items():
        found = pvalues <= LEVEL + 1e-12  # multiples of 1/(B + 1), up to rounding
        exact = np.repeat(found[:, :: len(DESIGNS[name].ranks) + 1], len(DESIGNS[name].ranks) + 1, axis=1)
        designs[name] = {
            "data_sets": len(pvalues),
            "rejected": dict(zip(DESIGNS[name].columns, found.sum(axis=0).tolist(), strict=True)),
            "differ": dict(zip(DESIGNS[name].columns, (found != exact).sum(axis=0).tolist(), strict=True)),
            "first": pvalues[:2].tolist(),  # to be made again and compared
        }
    return {"command": command, "seed": seed, "n_resamples": n_resamples, "designs": designs}


def power(name, factor, kind):
    """Stored share of the data sets rejected at .05 with a kernel, "exact" or a rank."""
    each = stored_summary("reproductions.landmarks")["designs"][name]
    return each["rejected"][f"{factor:g} × median, {kind}"] / each["data_sets"]


def main(arguments=None):
    full = {name: design.data_sets for name, design in DESIGNS.items()}
    summary = from_command_line("reproductions.landmarks", __doc__, run, summarise, full, seed=SEED,
                                arguments=arguments)  # fmt: skip
    for name, each in summary["designs"].items():
        shares = (f"{column} {count / each['data_sets']:.2f}" for column, count in each["rejected"].items())
        print(f"{name}:", "; ".join(shares))


if __name__ == "__main__":
    main()
