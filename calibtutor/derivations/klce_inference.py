"""Derivations of notebook 05, third part: what local calibration is good for, and what it implies."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..derive import Derivation, Step
from .klce_atoms import LocalWorld, apart, grid_world, local_world

__all__ = ["calibrated_bias", "hidden_feature", "inference_bias", "sufficient_not_necessary", "three_notions"]


@dataclass(frozen=True)
class Task:
    """A world, and a trait I(x) whose mean among the positives is asked for."""

    world: LocalWorld
    trait: np.ndarray

    def mean(self, values):
        return self.world.w @ values

    @property
    def truth(self):
        """A = E[I | Y = 1]."""
        return self.mean(self.trait * self.world.q) / self.mean(self.world.q)

    @property
    def bias(self):
        """E[I f]/E f − A: what Σ I(x_i) f_i/Σ f_i tends to, less the truth. f is the prediction p."""
        return self.mean(self.trait * self.world.p) / self.mean(self.world.p) - self.truth

    @property
    def error(self):
        """f − r(f, x), the local error."""
        return self.world.p - self.world.r

    def covariance(self):
        return self.mean(self.trait * self.error) - self.mean(self.trait) * self.mean(self.error)


def _task(rng, make=local_world):
    world = make(rng)
    values = rng.normal(45, 15, len(world.w))
    return Task(world, world.given(values, world.x))  # a function of x


def _among_positives(t):
    """E[I f]/E f − E[I | Y = 1], the second mean over the law of x given Y = 1."""
    law = t.world.w * t.world.q
    return t.mean(t.trait * t.world.p) / t.mean(t.world.p) - (law / law.sum()) @ t.trait


inference_bias = Derivation(
    title="The bias of an inference",
    claim="Estimating E[I(X) | Y = 1] by Σ I f/Σ f errs by E[(I − A)(f − r)]/E f: only errors that go with the trait count.",
    world=_task,
    steps=(
        Step(r"\mathbb{E}[I f] / \mathbb{E}f - A,\quad A = \mathbb{E}[\,I(X) \mid Y = 1\,]", "What Σ_i I(x_i) f_i/Σ_i f_i tends to, less what was asked for. f is the prediction; I(X) a trait, such as an age in years.",
             _among_positives),
        Step(r"\mathbb{E}[I f] / \mathbb{E}f - \mathbb{E}[I Y] / \mathbb{E}Y", "A mean among the positives is a mean weighted by Y. The model puts f in its place.",
             lambda t: t.mean(t.trait * t.world.p) / t.mean(t.world.p) - t.mean(t.trait * t.world.q) / t.mean(t.world.q)),
        Step(r"\frac{1}{\mathbb{E}f}\;(\,\mathbb{E}[\,I\,(f - Y)\,] - A\;\mathbb{E}[\,f - Y\,]\,)", "One fraction: E[I Y] is A · E Y.",
             lambda t: (t.mean(t.trait * (t.world.p - t.world.q)) - t.truth * t.mean(t.world.p - t.world.q)) / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathrm{Cov}(I,\, f - r)", "A covariance has E I where A belongs: the two agree when E f = E Y.",
             lambda t: t.covariance() / t.mean(t.world.p), printed="true for a model that is right on average; this one is not"),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathbb{E}[\,(I - A)\,(f - r)\,],\quad r = P(Y = 1 \mid f,\, x)", "Tower rule: I is a function of x, so Y may be averaged given (f, x). What is left is the local error.",
             lambda t: t.mean((t.trait - t.truth) * t.error) / t.mean(t.world.p)),
    ),
)  # fmt: skip


def _calibrated(rng):
    """Three predictions times three features: the error is that of the feature, less its mean at the prediction."""
    world = grid_world(rng)
    p, gap = 0.35 + 0.3 * world.p, np.tile(rng.uniform(-0.17, 0.17, 3), 3)
    return LocalWorld.of(world.w, p, world.x, p + gap - world.given(gap, p))


calibrated_bias = Derivation(
    title="Calibrated, and a biased inference",
    claim="For a calibrated model the bias is Cov(I, f − r)/E f: zero error on average, but not for this question.",
    world=lambda rng: _task(rng, _calibrated),
    steps=(
        Step(r"\mathbb{E}[I f] / \mathbb{E}f - \mathbb{E}[\,I \mid Y = 1\,]", "A model that is calibrated at each of its three predictions, and says too much for some x and too little for others.", lambda t: t.bias),
        Step(r"0", "Calibration is a statement about f alone. It does not know what I is.", lambda t: 0.0, printed="a hope: calibrated probabilities are good weights"),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathbb{E}[\,(I - A)\,(f - r)\,]", "“The bias of an inference”, section 2.", lambda t: t.mean((t.trait - t.truth) * t.error) / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathrm{Cov}(I,\, f - r)", "Calibrated means E[f − r | f] = 0, so E[f − r] = 0, and any constant may be taken from I.",
             lambda t: t.covariance() / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathbb{E}\,|I - \mathbb{E}I|\,|f - r|", "So the bias is 0 for every I if the local error is: local calibration suffices.",
             lambda t: t.mean(np.abs(t.trait - t.mean(t.trait)) * np.abs(t.error)) / t.mean(t.world.p), relation="<="),
    ),
)  # fmt: skip


def _right_on_average_at_each_x(rng):
    """Three features; at each the model says m + s or m − s by chance, and the truth is m either way."""
    chance = rng.uniform(0.3, 0.7, 3)
    m, s, x = rng.uniform(0.3, 0.7, 3), rng.uniform(0.05, 0.1, 3), apart(rng, 3, 0, 2)
    weights = (rng.dirichlet(3 * np.ones(3))[:, None] * np.column_stack([chance, 1 - chance])).ravel()
    # Deviations whose mean given x is 0, also when the two are not equally likely.
    said = m[:, None] + s[:, None] * np.column_stack([1 / chance, -1 / (1 - chance)]) / 2
    return LocalWorld.of(weights, said.ravel(), np.repeat(x, 2), np.repeat(m, 2))


sufficient_not_necessary = Derivation(
    title="Local calibration suffices, but is not needed",
    claim="E[Y − f | X] = 0 is enough for an unbiased inference, for every trait I(X). It does not imply local calibration.",
    world=lambda rng: _task(rng, _right_on_average_at_each_x),
    describe=lambda w: f"ages {', '.join(f'{age:.0f}' for age in w.trait[::2])}",
    steps=(
        Step(r"\mathbb{E}[I f] / \mathbb{E}f - \mathbb{E}[\,I \mid Y = 1\,]", "A model that adds noise to the truth: at each x it says too much or too little, by chance, and is right on average.", lambda t: t.bias),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathbb{E}[\,(I - A)\,(f - r)\,]", "As before: the local error f − r(f, x), weighted with the trait.", lambda t: t.mean((t.trait - t.truth) * t.error) / t.mean(t.world.p)),
        Step(r"\frac{1}{\mathbb{E}f}\;\mathbb{E}[\,(I - A)\;\mathbb{E}[\,f - Y \mid X\,]\,]", "Tower rule once more: I is a function of x alone, so f is averaged out too.",
             lambda t: t.mean((t.trait - t.truth) * t.world.given(t.world.p - t.world.q, t.world.x)) / t.mean(t.world.p)),
        Step(r"\mathbb{E}\,(f - r)^2", "Its local error is not 0. Yet nothing is biased.", lambda t: t.mean(t.error**2),
             printed="§2.1: “without a locally calibrated classifier, achieving unbiased estimation is infeasible” (errata K32)"),
        Step(r"0", "E[f − Y | X] = 0 at each x. Such models are called multiaccurate; KLCE with k ≡ 1 asks for this, and for no more.", lambda t: 0.0),
    ),
)  # fmt: skip


def _three_models(rng):
    """Two predictions times four features, in two groups of two; columns of `gap` are r(p, x) − p of three models."""
    world = LocalWorld.of(
        rng.dirichlet(3 * np.ones(8)), np.repeat([0.35, 0.65], 4), np.tile(np.arange(4.0), 2), np.full(8, 0.5)
    )
    group, gap = world.x // 2, rng.uniform(-0.15, 0.15, 8)
    calibrated, multicalibrated = gap - world.given(gap, world.p), gap - world.given(gap, world.p, group)
    return {
        "world": world,
        "p": world.p,
        "g": group,
        "x": world.x,
        "gap": np.column_stack([calibrated, multicalibrated, np.zeros(8)]),
    }


def _error(w, inner, outer=None):
    """E(mean of the gap given `inner`)² of each model; with `outer` that mean is averaged given `outer` first."""
    mean = w["gap"]
    for keys in (inner, outer or inner):
        mean = w["world"].given(mean, *(w[key] for key in keys))
    return w["world"].w @ mean**2


three_notions = Derivation(
    title="Calibrated, multicalibrated, locally calibrated",
    claim="Each notion implies the one before and none the one after: errors can only average away when less is looked at.",
    world=_three_models,
    describe=lambda w: f"calibrated (wrong somewhere by {np.abs(w['gap'][:, 0]).max():.3f}); calibrated in both groups; locally calibrated",
    steps=(
        Step(r"\mathbb{E}\,(p - r(p))^2", "Calibration, r(p) = P(Y = 1 | p). Three models, three numbers: all of them are calibrated.", lambda w: _error(w, "p")),
        Step(r"\mathbb{E}\,(\,\mathbb{E}[\,p - r(p, g) \mid p\,]\,)^2", "Tower rule: what happens at p is the mean over the groups g of what happens there.", lambda w: _error(w, "pg", "p")),
        Step(r"\mathbb{E}\,(p - r(p, g))^2", "Model 1 is wrong in both groups, in opposite directions.", lambda w: _error(w, "pg"), printed="a common belief: calibrated, hence calibrated for each group"),
        Step(r"\mathbb{E}\,(p - r(p, g))^2", "Jensen: the square of a mean is at most the mean of the squares. 0 here is calibration in each group, or multicalibration for these groups.",
             lambda w: _error(w, "pg"), relation="<="),
        Step(r"\mathbb{E}\,(\,\mathbb{E}[\,p - r(p, x) \mid p, g\,]\,)^2", "Tower rule again: g is a function of x.", lambda w: _error(w, "px", "pg")),
        Step(r"\mathbb{E}\,(p - r(p, x))^2", "Model 2 is right in each group, and wrong inside them.", lambda w: _error(w, "px"), printed="a hope: calibrated for some groups, hence for everyone in them"),
        Step(r"\mathbb{E}\,(p - r(p, x))^2", "Jensen. 0 is local calibration: only model 3 has it. Groups that are single features x would make both notions one.",
             lambda w: _error(w, "px"), relation="<="),
    ),
)  # fmt: skip


def _sum_and_coin(rng):
    """Three sums s > 0 of the features that the model saw, and one feature ± c by a fair coin that it did not see."""
    s, c = apart(rng, 3, 0.2, 3), rng.uniform(0.8, 2)
    both = np.repeat(s, 2) + np.tile([-c, c], 3)
    return {
        "s": s,
        "c": c,
        "world": LocalWorld.of(np.full(6, 1 / 6), expit(np.repeat(s, 2)), np.tile([-c, c], 3), expit(both)),
    }


hidden_feature = Derivation(
    title="A feature left out",
    claim="The sigmoid of the features that are seen is not calibrated on them: without the last one, frequencies are nearer to ½.",
    world=_sum_and_coin,
    describe=lambda w: "s = " + ", ".join(f"{s:.2f}" for s in w["s"]) + f"; c = {w['c']:.2f}",
    steps=(
        Step(r"P(Y = 1 \mid \hat{f}),\quad \hat{f} = \sigma(s)", "The model of Figure 3 for three values s > 0 of x_1 + … + x_{d−1}. Truth: σ(s + x_d); here x_d is ± c by a coin instead of N(0, 1).",
             lambda w: w["world"].base.frequencies[::2, 1]),
        Step(r"\frac{1}{2}\,[\,\sigma(s + c) + \sigma(s - c)\,]", "The mean over the two values of x_d, which is independent of s.", lambda w: (expit(w["s"] + w["c"]) + expit(w["s"] - w["c"])) / 2),
        Step(r"\sigma(s)", "The mean of a sigmoid is not the sigmoid of the mean.", lambda w: expit(w["s"]), printed="§4: “calibrated on {x_1, …, x_{d−1}}” (errata K24)"),
        Step(r"\frac{1}{2} + \frac{1}{2}\,\sinh(s) \, / \, (\cosh s + \cosh c)", "σ(u) = ½ + ½ tanh(u/2), and the sum of two tanh.",
             lambda w: 0.5 + 0.5 * np.sinh(w["s"]) / (np.cosh(w["s"]) + np.cosh(w["c"]))),
        Step(r"\sigma(s)", "cosh c ≥ 1, and with 1 in its place this is σ(s). Where the model says more than ½ it says too much: the error is not in x_d alone.", lambda w: expit(w["s"]), relation="<="),
    ),
)  # fmt: skip
