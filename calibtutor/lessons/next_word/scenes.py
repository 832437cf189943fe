"""Pictures of a language model's next words: by kind of text, candidate and position, repaired, and by passages."""

import numpy as np
from scipy.special import logit

from ...data.networks import KINDS
from ...plots import GREY, INK, KEPT, MISS, SOFT, Finding, chance, estimate, misses, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import choice, number, tell
from ..shared.verdicts import capital, signed
from .simulations import ALL, NUMBERS, REPAIRS, gap, in_blocks, in_ten_parts, interval, passages, repaired, verdicts, what_ranks_say

__all__ = ["along_a_passage", "by_kind", "passages_needed", "ranks", "repairs"]

NAMED = {"kind": "kind of text"}


def gaps(axes):
    """Stems from 0, 95 % intervals and dots, which `show` moves."""
    return [misses(axes), misses(axes, colors=KEPT, lw=2.4), estimate(axes)]


def show(marks, x, mean, reach, flat=False):
    """Dots at x, stems up to them; `flat`: along rows, from left to right."""
    points = lambda ends: [(a, b)[:: -1 if flat else 1] for a, b in zip(x, ends, strict=True)]
    for lines, low, high in ((marks[0], 0 * mean, mean), (marks[1], mean - reach, mean + reach)):
        lines.set_segments([*zip(points(low), points(high), strict=True)])
    marks[2].set_data(*zip(*points(mean), strict=True))


def said_and_happened(scale, ticks, limits, opening, **controls):
    """The likeliest token in ten parts, on a scale, beside said − happened of each kind; with a repair."""
    each = lambda repair: np.array([interval(gap(name, repair)) for name in KINDS]).T

    def setup(fig):
        for known in controls.get("repair", []):
            each(known)  # learnt now, so that no click waits
        grid, places = fig.add_gridspec(1, 2, width_ratios=[1.25, 1], wspace=0.12), scale(np.array(ticks))
        axes = panel(fig, grid[0], xlim=limits, ylim=limits, xlabel="said of the likeliest token", ylabel="it came")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(places, [f"{100 * tick:g}%" for tick in ticks])
        reference(axes, limits, limits, "as often as it says", at=0.3)
        words(axes, 0.02, 0.93, "wide: passages resampled\nthin: positions", colour=SOFT, ha="left", transform=axes.transAxes)
        side = panel(fig, grid[1], read_y=False, xlim=(-0.05, 0.125), ylim=(-5.6, 0.8), x=[0, 0.05, 0.1], xlabel="said − happened")
        side.set_yticks(-np.arange(6), KINDS)
        side.tick_params(axis="y", length=0, labelcolor=INK)
        reference(side, [0, 0], [-5.5, 0.5])
        lines = [misses(axes, colors=c, lw=w, alpha=a, zorder=z) for c, w, a, z in ((KEPT, 7, 0.4, 3), (INK, 1.2, 1, 5))]
        return {"rings": estimate(axes, mfc="none", mec=GREY, zorder=2), "lines": [misses(axes, lw=2), *lines], "dots": estimate(axes),
                "gaps": gaps(side), "number": number(side, colour=MISS, offset=(0, 13), ha="center")}

    def update(artists, kind=opening[0], repair=opening[1]):
        x, new, y, (low, high), reach = in_ten_parts(kind, repair)
        mean, (means, far), k = interval(gap(kind, repair)), each(repair), KINDS.index(kind) if kind in KINDS else 0
        artists["rings"].set_data(scale(x), scale(y))
        artists["dots"].set_data(scale(new), scale(y))
        for lines, a, b in zip(artists["lines"], (new, low, y - reach), (y, high, y + reach), strict=True):
            lines.set_segments([[(p, u), (p, v)] for p, u, v in zip(scale(new), scale(a), scale(b), strict=True)])
        show(artists["gaps"], -np.arange(6), means, far, flat=True)
        tell(artists["number"], (means[k], -k), signed(means[k]) if kind in KINDS else "")
        return Finding(
            f"{capital(kind)}{'' if repair == REPAIRS[0] else f', {repair}'}: {new.mean():.3f} said, and {y.mean():.3f} happens",
            f"{len(gap(kind))} passages; ten equal parts; bars: 95%" + ("; rings: as it is; repairs learnt on other passages" if "repair" in controls else ""),
            f"It says {mean[0]:.3f} ± {mean[1]:.3f} too much. Within a part, intervals by passages are {np.mean(high - low) / np.mean(2 * reach):.2f} times "
            f"as wide as by positions. By kind: {', '.join(f'{name} {signed(m)} ± {r:.3f}' for name, m, r in zip(KINDS, means, far, strict=True))}.")

    return explore(setup, update, size=(9, 4.9), labels=NAMED, code=repaired if "repair" in controls else in_ten_parts, **controls)


def by_kind():
    """How often the likeliest token comes against how sure the model is, and by how much it says too much of each kind."""
    return said_and_happened(lambda p: p, [0, 0.5, 1], (0, 1), ("arithmetic", REPAIRS[0]), kind=[ALL, *KINDS])


def repairs():
    """Log-odds of what is said and of what happens, before and after a temperature, held out by passages."""
    return said_and_happened(lambda p: np.clip(logit(p), -4.2, 5), [0.05, 0.2, 0.5, 0.8, 0.95], (-4.2, 5), ("arithmetic", REPAIRS[2]), kind=list(KINDS), repair=REPAIRS)


def ranks():
    """What is said too much or too little of the first to eighth candidate, and of all others."""
    x = np.array([*range(8), 9])

    def setup(fig):
        axes = panel(fig, xlim=(-0.6, 9.9), ylim=(-0.105, 0.125), y=[-0.1, -0.05, 0, 0.05, 0.1], ylabel="said − happened",
                     xlabel="candidate, the likeliest first")
        axes.set_xticks(x, [*"12345678", "all others"])
        reference(axes, [-0.6, 9.9], [0, 0])
        return gaps(axes), [number(axes, colour=MISS, offset=(0, 14), ha="center") for _ in range(2)]

    def update(artists, kind=ALL, candidates="each alone"):
        its, together = passages(kind), candidates != "each alone"
        mean, reach = interval(what_ranks_say(its.top, its.rank, together))
        show(artists[0], x, mean, reach)
        for text, k in zip(artists[1], (0, 8), strict=True):
            tell(text, (x[k], mean[k] + np.copysign(reach[k], mean[k])), signed(mean[k]), position=(0, np.copysign(14, mean[k])))
        last = f"the first eight {signed(mean[7])}" if together else f"all beyond the eighth {signed(mean[8])}"
        return Finding(
            f"{capital(kind)}: the likeliest token {signed(mean[0])}, {last}",
            f"candidates: {candidates}; above 0: says too much; bars: 95%, by {len(its.hit)} passages",
            f"{'First two, first three' if together else 'Second, third'}: {signed(mean[1])}, {signed(mean[2])}. Beyond the eighth {signed(mean[8])} "
            f"of {1 - np.exp(its.top).sum(axis=-1).mean():.3f} said.")

    return explore(setup, update, size=(9, 4.4), kind=[ALL, *KINDS], candidates=["each alone", "the first k together"], labels=NAMED,
                   code=(what_ranks_say, interval))


def along_a_passage():
    """Surprise against entropy, and said − happened, along a passage: does context calibrate?"""
    x, names, edges = np.arange(7), ["1–3", "4–7", "8–15", "16–31", "32–63", "64–127", "128–255"], [0, 3, 7, 15, 31, 63, 127, 255]

    def setup(fig):
        grid = fig.add_gridspec(1, 2, wspace=0.1)
        first = panel(fig, grid[0], xlim=(-0.4, 6.9), ylim=(0, 10), y=[0, 2, 4, 6, 8], ylabel="nats", xlabel="position")
        second = panel(fig, grid[1], xlim=(-0.4, 6.9), ylim=(-0.25, 0.3), y=[-0.2, 0, 0.2], ylabel="said − happened", xlabel="position")
        for axes in (first, second):
            axes.set_xticks(x[::2], names[::2])
        reference(second, [-0.4, 6.4], [0, 0])
        texts = [number(first, colour=KEPT, offset=(12, 4)), number(first, colour=SOFT, offset=(0, -16))]
        return chance(first, facecolor=MISS, alpha=0.25), estimate(first, line=True), reference(first, lw=1.8), texts, gaps(second)

    def update(artists, kind=ALL):
        fill, *lines, texts, marks = artists
        its = passages(kind)
        surprise, entropy = (in_blocks(each, edges).mean(axis=0) for each in (its.surprise, its.entropy))
        for line, text, at, name, values in zip(lines, texts, (0, 2), ("surprise: −log p of what came", "entropy"), (surprise, entropy), strict=True):
            line.set_data(x, values)
            tell(text, (at, values[at]), name, ha=("left", "center")[at // 2])
        fill.set_verts([[*zip(x, entropy, strict=True), *zip(x[::-1], surprise[::-1], strict=True)]])
        show(marks, x, *interval(in_blocks(its.said - its.hit, edges)))
        (less, far), (nats, wide) = (interval(in_blocks(v, [0, 16])[:, 0] - in_blocks(v, [127, 255])[:, 0])
                                     for v in (its.said - its.hit, its.surprise - its.entropy))
        found = "early as late, within chance" if abs(less) <= far else "more over-confident early" if less > 0 else "less over-confident early"
        return Finding(
            f"{capital(kind)}: {found}, {signed(less)} ± {far:.3f}",
            f"first 16 tokens minus those from 128 on; bars: 95%, by {len(its.hit)} passages",
            f"Surprise − entropy: {(its.surprise - its.entropy).mean():.2f} nats; early minus late {signed(nats, 2)} ± {wide:.2f}.")

    return explore(setup, update, size=(9, 4.2), kind=[ALL, *KINDS], labels=NAMED, code=(in_blocks, interval))


def passages_needed():
    """How often so many passages show that a kind of text is over-confident."""
    rates = {kind: [verdicts(gap(kind), n) for n in NUMBERS] for kind in KINDS}

    def setup(fig):
        axes = panel(fig, xlim=(3, 31), ylim=(0, 1.06), x=NUMBERS, xlabel="passages", ylabel="verdict: says too much",
                     yticks=[0, 0.5, 1], yticklabels=["0", "50%", "100%"], base=(3, 25))
        for values in rates.values():
            axes.plot(NUMBERS, values, color=GREY, lw=1, alpha=0.6)
        return estimate(axes, line=True), choice(axes), number(axes, colour=KEPT)

    def update(artists, kind="army manual", passages=12):
        line, here, text = artists
        found = rates[kind][NUMBERS.index(passages)]
        line.set_data(NUMBERS, rates[kind])
        here.set_data([passages], [found])
        tell(text, (24, rates[kind][-1]), kind, position=(12, -4))
        return Finding(
            f"{capital(kind)}: {passages} passages show it in {found:.0%} of draws",
            "drawn from the 24 with repetition; shown: the 95% interval lies above 0; grey: other kinds",
            f"Others: {', '.join(f'{name} {rate[NUMBERS.index(passages)]:.0%}' for name, rate in rates.items() if name != kind)}.")

    return explore(setup, update, size=(9, 4), kind=list(KINDS), passages=NUMBERS, labels=NAMED, code=verdicts)
