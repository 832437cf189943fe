"""The poster's two experiments (Widmann et al. 2019): estimates of the calibration error, and the tests' errors.

    python -m calibtutor.reproductions.widmann --data-sets 10000 --jobs 2 --folder widmann-runs

writes blocks of results into the folder as it goes (a second run goes on where the first one stopped) and at the end
`summary.json`. The summary that is stored beside this file was made by this command; the file says with which seed.
"""

import argparse
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from ..kce import kce_test, kernel_grid
from ..kernels import laplacian, median_bandwidth
from ..resampling import draw_labels, draw_pairs, rank_pvalues
from ..simplex import errors_of_labels, errors_of_pairs
from ..worlds import calibrated_model, widmann_model

__all__ = ["LEVELS", "MODELS", "TESTS", "one_data_set", "run", "stored_summary", "summarise", "true_values"]

MODELS = ("M1", "M2", "M3", "heteroscedastic", "near-deterministic")
ESTIMATES = ("ECE", "SKCE_b", "SKCE_uq", "SKCE_ul")
TESTS = ("C", "D_b", "D_uq", "D_ul", "A_uq", "A_l", "exact", "aggregated", "exact ECE", "C with SKCE_uq")
LEVELS = np.linspace(0, 1, 201)
N, RESAMPLES, SEED, BLOCK = 250, 199, 0, 100


def draw(model, number, seed=SEED, n=N):
    """Data set `number` of a model: it depends on nothing but the three."""
    rng = np.random.default_rng([seed, MODELS.index(model), number])
    make = widmann_model if model in ("M1", "M2", "M3") else calibrated_model
    return *make(model, n, rng=rng), rng


def one_data_set(model, number, *, seed=SEED, n=N, n_resamples=RESAMPLES):
    """All estimates, then all p-values, of one data set; shape (len(ESTIMATES) + len(TESTS),)."""
    y_true, y_prob, rng = draw(model, number, seed, n)
    kernels = kernel_grid(y_prob)
    default = kernels[3]  # factor 1: the median heuristic, the poster's choice
    options = {"kernel": default, "n_resamples": n_resamples, "rng": rng}
    bounds = [kce_test(y_true, y_prob, method=f"bound-{name}", **options) for name in ("biased", "unbiased", "linear")]
    bootstrap = kce_test(y_true, y_prob, method="asymptotic", **options)
    t_test = kce_test(y_true, y_prob, method="asymptotic-linear", **options)
    every = kce_test(y_true, y_prob, kernel=kernels, n_resamples=n_resamples, rng=rng)
    labels = np.column_stack([y_true, draw_labels(y_prob, n_resamples, rng)])
    of_labels = errors_of_labels(y_prob, labels)
    rows, drawn = draw_pairs(y_prob, n_resamples, rng)
    of_pairs = np.concatenate([of_labels[:1], errors_of_pairs(y_prob, rows, drawn)])
    pvalues = [
        rank_pvalues(of_pairs)[0],
        *(bound.pvalue for bound in bounds),
        bootstrap.pvalue,
        t_test.pvalue,
        every.single_pvalues[3],
        every.pvalue,
        rank_pvalues(of_labels)[0],
        _consistency_of_skce(y_true, y_prob, default, rows, drawn),
    ]
    return np.array([of_labels[0], *(bound.estimate for bound in bounds), *pvalues])


def _consistency_of_skce(y_true, y_prob, kernel, rows, labels):
    """C with SKCE_uq: every resampled pair's kernel value is one of the observed predictions'."""
    n, K = len(y_prob), kernel(y_prob)
    eye = np.eye(y_prob.shape[1])

    def unbiased(delta, k):
        h = k * (delta @ delta.T)
        return (h.sum() - np.trace(h)) / (n * (n - 1))

    drawn = [unbiased(y_prob[r] - eye[y], K[np.ix_(r, r)]) for r, y in zip(rows.T, labels.T, strict=True)]
    return rank_pvalues(np.array([unbiased(y_prob - eye[y_true], K), *drawn]))[0]


def run(folder, *, data_sets=10_000, models=MODELS, seed=SEED, n=N, n_resamples=RESAMPLES, n_jobs=None, progress=True):
    """Simulate in blocks, each written when it is done; blocks that are there already are not made again.

    Returns
    -------
    dict of ndarray
        Model -> results, shape (data_sets, len(ESTIMATES) + len(TESTS)).
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"seed": seed, "n": n, "n_resamples": n_resamples}
    about = folder / "settings.json"
    if about.exists() and json.loads(about.read_text()) != settings:
        raise ValueError(f"folder: {folder} holds runs with {about.read_text()}, expected {settings}")
    about.write_text(json.dumps(settings))
    starts = range(0, data_sets, BLOCK)
    path = {(model, start): folder / f"{model}-{start:06d}.npy" for model in models for start in starts}
    missing = [key for key, file in path.items() if not file.exists()]
    calls = (delayed(_block)(path[key], *key, settings) for key in missing)
    done = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)
    for _ in tqdm(done, total=len(missing), disable=not progress, unit="block"):
        pass
    return {model: np.vstack([np.load(path[model, s]) for s in starts])[:data_sets] for model in models}


def _block(file, model, start, settings):
    results = [one_data_set(model, number, **settings) for number in range(start, start + BLOCK)]
    part = file.with_suffix(".part")
    with open(part, "wb") as stream:
        np.save(stream, np.array(results))
    part.rename(file)  # a block is there whole or not at all


def true_values(model, *, n=N, seed=SEED, data_sets=100, rows=2000):
    """(ECE, SKCE) of a model: total variation between p and P(Y | p), and the mean of h over pairs.

    The SKCE depends on the bandwidth, hence on the data set: its mean over the median heuristics of `data_sets` data
    sets, for noiseless residuals of `rows` other predictions (a mean over pairs i ≠ j).
    """
    if model not in ("M2", "M3"):
        return 0.0, 0.0
    _, p = widmann_model(model, rows, rng=np.random.default_rng([seed, 99]))
    truth = (p + np.eye(10)[0]) / 2 if model == "M2" else np.full_like(p, 0.1)
    products = (p - truth) @ (p - truth).T
    np.fill_diagonal(products, 0)
    each = [
        (laplacian(median_bandwidth(draw(model, number, seed, n)[1]))(p) * products).sum() / (rows * (rows - 1))
        for number in range(data_sets)
    ]
    return float(np.abs(p - truth).sum(axis=1).mean() / 2), float(np.mean(each))


def summarise(results, *, command, seed=SEED, n=N, n_resamples=RESAMPLES):
    """What is stored: moments and histograms of the estimates, rejection rates at `LEVELS`; plain numbers."""
    summary = {"command": command, "seed": seed, "n": n, "n_resamples": n_resamples, "models": {}}
    for model, values in results.items():
        ece, error = true_values(model, n=n, seed=seed)
        estimates = {}
        for column, name in enumerate(ESTIMATES):
            found = values[:, column]
            count, edges = np.histogram(found, 40)
            estimates[name] = {
                "mean": float(found.mean()), "sd": float(found.std(ddof=1)), "truth": ece if name == "ECE" else error,
                "first_edge": float(edges[0]), "width": float(edges[1] - edges[0]), "counts": count.tolist(),
            }  # fmt: skip
        pvalues = values[:, len(ESTIMATES) :]
        # p ≤ level with room for a rounding error: p-values of ranks are multiples of 1/(B + 1)
        rejected = {
            name: [round(float((pvalues[:, column] <= level + 1e-12).mean()), 5) for level in LEVELS]
            for column, name in enumerate(TESTS)
        }
        summary["models"][model] = {"data_sets": len(values), "estimates": estimates, "rejected": rejected}
    return summary


def stored_summary():
    """The summary of the full run, as stored with the package."""
    return json.loads(files(__package__).joinpath("widmann.json").read_text())


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m calibtutor.reproductions.widmann", description=__doc__)
    parser.add_argument("--data-sets", type=int, default=10_000, help="per model (the poster: 10000)")
    parser.add_argument("--jobs", type=int, default=None, help="processes; results do not depend on it")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--folder", default="widmann-runs", help="blocks and summary.json go here")
    chosen = parser.parse_args(arguments)
    results = run(chosen.folder, data_sets=chosen.data_sets, seed=chosen.seed, n_jobs=chosen.jobs)
    command = f"{parser.prog} --data-sets {chosen.data_sets} --seed {chosen.seed}"
    summary = summarise(results, command=command, seed=chosen.seed)
    Path(chosen.folder, "summary.json").write_text(json.dumps(summary, indent=1))
    for model, each in summary["models"].items():
        at = {name: rates[10] for name, rates in each["rejected"].items()}
        print(model, "rejected at .05:", ", ".join(f"{name} {rate:.3f}" for name, rate in at.items()))


if __name__ == "__main__":
    main()
