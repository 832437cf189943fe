"""Pictures of the case studies that a function of the reader makes."""

from functools import lru_cache

import numpy as np

from ...plots import GREY, INK, KEPT, SOFT, Finding, estimate, misses, panel, reference, words
from ...reproductions.heart import exact_verdict, heart_split, two_kernels
from ...reproductions.objectives import objectives
from ...teach.explore import explore
from ...teach.marks import choice, number, tell
from ..shared.verdicts import capital, signed
from .exercises import check
from .simulations import AGES, GROUPS, SHUFFLES, groups_of, misses_by_shuffle, planted

__all__ = ["your_findings", "your_power"]

CALIBRATOR = {"random forest": "none", "after isotonic regression": "isotonic"}


def strongest(miss, error, shuffle):
    """The place where this shuffle's miss is the most standard errors from 0: what an eager reader would report."""
    return int(np.argmax(np.abs(miss[shuffle] / error[shuffle])))


def shares(comes_back, miss, error):
    """How often the strongest finding of each shuffle comes back in the others."""
    return np.array([comes_back(miss, error, each, strongest(miss, error, each)) for each in range(len(miss))])


def your_findings(comes_back=None):
    """The strongest finding of each of 24 shuffles of the COMPAS rows, and how often it comes back in the others."""
    judge = check.comes_back.use(comes_back)
    limit, step = 0.32, len(AGES) + 1

    @lru_cache
    def prepared(score):
        every = np.array([misses_by_shuffle(CALIBRATOR[score], each) for each in range(SHUFFLES)])
        miss, error = every.reshape(SHUFFLES, 2, -1).transpose(1, 0, 2)
        return miss, error, shares(judge, miss, error)

    x = np.array([step * g + a for g in range(len(GROUPS)) for a in range(len(AGES))], dtype=float)

    def setup(fig):
        for score in CALIBRATOR:
            prepared(score)
        axes = panel(fig, xlim=(-1, step * len(GROUPS) - 1), ylim=(-limit, limit), ylabel="new charge: said − happened",
                     xlabel="age, in four groups", y=[-0.2, 0, 0.2])
        ages = [AGES.index(25), AGES.index(55)]
        axes.set_xticks([step * g + a for g in range(len(GROUPS)) for a in ages], ["25", "55"] * len(GROUPS))
        reference(axes, [-1, step * len(GROUPS) - 1], [0, 0])
        for g, name in enumerate(GROUPS):
            race = "African-American" if g < 2 else "other"
            words(axes, step * g + 3, -0.27, f"{race}\n{name.split()[-1]}", colour=SOFT)
        return {"rings": estimate(axes, ms=6, mfc="none", mec=GREY, alpha=0.35, zorder=3),
                "stems": misses(axes, lw=2.2), "dots": estimate(axes, ms=8, zorder=5), "best": choice(axes, [0], [0]),
                "share": number(axes, colour=INK, offset=(0, 14), ha="center")}

    def update(artists, score="random forest", shuffle=0):
        miss, error, back = prepared(score)
        place, off = strongest(miss, error, shuffle), np.abs(miss[shuffle]) > 2 * error[shuffle]
        drawn = np.clip(miss, -limit, limit)
        artists["rings"].set_data(np.tile(x, SHUFFLES), drawn.ravel())
        artists["dots"].set_data(x, drawn[shuffle])
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(x[off], drawn[shuffle][off], strict=True)])
        artists["best"].set_data([x[place]], [drawn[shuffle, place]])
        up = miss[shuffle, place] > 0
        tell(artists["share"], (x[place], drawn[shuffle, place]), f"{back[shuffle]:.0%}", va="bottom" if up else "top",
             position=(0, 14 if up else -14))
        group, age, side = GROUPS[place // len(AGES)], AGES[place % len(AGES)], "too high" if up else "too low"
        return Finding(
            f"{capital(side)} for {group} at {age}: back in {back[shuffle]:.0%} of the others",
            f"{score}, shuffle {shuffle}; rings: all {SHUFFLES}; by {judge.by}",
            f"The yellow one is {signed(miss[shuffle, place])}, the strongest; {off.sum()} of {off.size} places are more than two standard errors "
            f"from 0. Over all shuffles the strongest comes back in {back.mean():.0%} of the others on average, in {back.min():.0%} at least.")

    return explore(setup, update, size=(9, 4.8), score=list(CALIBRATOR), shuffle=(0, SHUFFLES - 1, 1),
                   code=(misses_by_shuffle, strongest, shares))

SIZES = [0, 0.5, 1, 1.5, 2, 2.5, 3]
DATA_SETS = 200


def your_power(power=None):
    """How often the exact test finds a planted error, by its size, for two kernels on age and sex."""
    found_in = check.power.use(power)
    X_train, y_train, X_test, _, table = heart_split()
    p, groups = objectives(X_train, y_train, X_test, ["XE"])["XE"], groups_of(table)
    tests = {name: exact_verdict(p, features, feature_kernel=kernel, rng=0)
             for name, (features, kernel) in reversed(two_kernels(table).items())}
    draws = np.random.default_rng(1).random((DATA_SETS, len(p)))

    @lru_cache
    def curves(who):
        return {name: [float(found_in(planted(p, groups[who], size), draws, test)) for size in SIZES]
                for name, test in tests.items()}

    def setup(fig):
        for who in groups:
            curves(who)
        axes = panel(fig, xlim=(-0.1, 4.2), ylim=(-0.03, 1.06), xlabel="planted error, in log odds", xticks=SIZES[::2],
                     ylabel=f"rejected, of {DATA_SETS} data sets", base=(-0.1, 3.1))
        axes.set_yticks([0.05, 0.5, 1], ["5%", "50%", "100%"])
        axes.xaxis.label.set(x=0.37)
        reference(axes, [0, 3], [0.05, 0.05])
        return {"here": reference(axes, [0, 0], [0, 1]), "dots": choice(axes),
                "names": [number(axes, colour=colour, offset=(10, 0)) for colour in (KEPT, SOFT)],
                "lines": [estimate(axes, line=True, color=colour) for colour in (KEPT, SOFT)]}

    def update(artists, who="women", added=2.5):
        each, k = curves(who), SIZES.index(added)
        more = np.mean((planted(p, groups[who], added) - p)[groups[who]])
        names = {"scaled": "scaled", "years": "γ = 25, years"}
        upper = min(max(each["scaled"][-1], each["years"][-1] + 0.1), 0.98)
        ends = upper, min(each["years"][-1], upper - 0.1)  # apart, and below the headline
        for j, (name, values) in enumerate(each.items()):
            artists["lines"][j].set_data(SIZES, values)
            tell(artists["names"][j], (SIZES[-1], ends[j]), f"{names[name]}: {values[k]:.0%}")
        artists["here"].set_xdata([added, added])
        first, second = (values[k] for values in each.values())
        artists["dots"].set_data([added, added], [first, second])
        return Finding(
            f"The published kernel finds it in {second:.0%} of data sets, the scaled one in {first:.0%}" if added
            else f"Nothing planted: the tests reject in {second:.0%} and {first:.0%} of data sets",
            f"{who}: {groups[who].sum()} of {len(p)} patients, {signed(more, 2)} on average; by {found_in.by}",
            f"Planted: log odds {added:g} higher. Tests at level .05; the published kernel has γ = 25 and age in years.")

    return explore(setup, update, size=(9, 4.4), who=list(groups), added=SIZES, labels={"who": "planted in", "added": "log odds added"},
                   code=planted)
