"""The picture that runs the reader's kernel and estimate on real predictions."""

import numpy as np

from ...plots import MODELS, Finding, estimate, misses, number, panel, reference
from ...plots import choice as you_are_here  # the code of a picture would take rng.choice for `choice`
from ...teach.exercise import whose
from ...teach.explore import explore
from ..shared.first_digits import first_digits
from ..shared.verdicts import capital, written
from .exercises import check

__all__ = ["your_kernel"]


def estimate_and_error(confidence, hit, gamma, kernel, leave_one_out):
    """The kernel estimate at every confidence, own label left out, and the estimated squared error."""
    frequency = leave_one_out(kernel(confidence[:, None], confidence[None, :], gamma), hit)
    return frequency, np.mean((confidence - frequency) ** 2)


def your_kernel(beta_kernel=None, leave_one_out=None):
    """The kernel estimate of real predictions and its error against the bandwidth, by the reader's functions."""
    beta_kernel, leave_one_out = check.beta_kernel.use(beta_kernel), check.leave_one_out.use(leave_one_out)
    by = whose(beta_kernel, leave_one_out)
    models, gammas = ["logistic regression", "neural network", "naive Bayes"], [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]
    n, found = 300, {}

    def setup(fig):
        for model in models:
            hit, confidence = first_digits(model, n)
            for gamma in gammas:  # now, so that no slider step waits
                found[model, gamma] = estimate_and_error(confidence, hit, gamma, beta_kernel, leave_one_out)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        axes = panel(fig, columns[0], xlim=(0.2, 1.01), ylim=(0, 1.03), xlabel="how sure it says it is",
                     ylabel="kernel estimate: how often it is right")  # fmt: skip
        axes.set_xticks([0.2, 0.6, 1], ["0.2", "0.6", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        reference(axes, [0.2, 1], [0.2, 1], "as often as it says", at=0.4, side=-1)
        side = panel(fig, columns[1], xscale="log", xlim=(0.0007, 1.4), ylim=(0, 0.045), xlabel="bandwidth γ",
                     ylabel="estimated squared error")  # fmt: skip
        side.set_xticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
        side.set_yticks([0, 0.02, 0.04], ["0", "0.02", "0.04"])
        side.minorticks_off()
        return {"dots": estimate(axes, ms=5, mew=0, clip_on=True), "stems": misses(axes, lw=1, alpha=0.35, zorder=2.5),
                "curve": estimate(side, line=True, clip_on=True), "here": you_are_here(side), "value": number(side, offset=(0, 20))}  # fmt: skip

    def update(artists, model="logistic regression", gamma=0.01):
        _, confidence = first_digits(model, n)
        frequency, error = found[model, gamma]
        errors = [found[model, each][1] for each in gammas]
        artists["dots"].set_data(confidence, frequency)
        artists["stems"].set_segments([[(x, x), (x, y)] for x, y in zip(confidence, frequency, strict=True)])
        artists["curve"].set_data(gammas, errors)
        for name in ("dots", "curve"):
            artists[name].set_color(MODELS[model][0])
        artists["here"].set_data([gamma], [error])
        artists["value"].xy = gamma, error
        side = "left" if gamma < 0.01 else "right" if gamma > 0.1 else "center"
        artists["value"].set(text=written(error, 4), ha=side)
        return Finding(
            f"{capital(model)}: at γ = {gamma:g} the squared error is {error:.4f}",
            f"{n} digits, own label left out; by {by}",
            f"Over all γ it runs from {min(errors):.4f} to {max(errors):.4f}.",
        )

    return explore(setup, update, size=(9, 4.4), model=models, gamma=gammas, labels={"gamma": "bandwidth γ"},
                   code=estimate_and_error)  # fmt: skip
