"""Pictures of notebook 11: whether 47 images are seen, a conditional mean, kernels, what λ lets through."""

import numpy as np

from ...plots import (CHOICE, GREY, INK, KEPT, MISS, NUMBER, SMALL, SOFT, Finding, bars_between, chance, estimate,
                      misses, panel, reference, region, ten_to, words)
from ...teach.explore import explore
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared import ckce_on_digits as on_digits
from ..shared.ckce_plots import LAMBDAS, plain
from ..shared.first_digits import CAST
from ..shared.rows_of_misses import lollipops, show_lollipops
from ..shared.verdicts import signed
from . import simulations as sims

__all__ = ["predict_by_weights", "representable", "what_it_sees", "who_sees_them"]

CELLS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1])  # the 47 are nine tenths of the last bin's width


def who_sees_them():
    """47 images that naive Bayes gets wrong half of the time: their miss, their bin's, and a regression's there."""
    grid = np.linspace(0.5, 1, 201)

    def setup(fig):
        hit, confidence, _ = on_digits.confidences("naive Bayes")
        rows = fig.add_gridspec(2, 1, height_ratios=[4, 1], hspace=0.03)
        top = panel(fig, rows[0], xlim=(0.497, 1.01), ylim=(-0.1, 0.84), xticks=[], y=[0, 0.25, 0.5], base=False,
                    ylabel="said − happened")
        reference(top, [0.5, 1], [0, 0])
        region(top, 0.5, 0.78, "over-confident", ha="left")
        region(top, 0.5, -0.07, "under-confident", ha="left")
        sure, last = sims.nearly_sure(confidence), confidence > 0.9
        at, gap = confidence[sure].mean(), (confidence - hit)[sure].mean()
        whole = (confidence - hit)[last].mean()
        misses(top, lw=6).set_segments([[(at, 0), (at, gap)]])
        estimate(top, [at], [gap], ms=12, color=MISS, mec="white")
        words(top, 1.005, 0.78, f"{sure.sum()} images: {gap:.3f}", colour=MISS, bold=True, size=NUMBER, ha="right")
        top.plot([0.9, 1], [whole, whole], color=INK, lw=4, solid_capstyle="butt", zorder=6)
        words(top, 0.897, whole, f"their bin: {whole:.3f}", bold=True, ha="right")
        below = panel(fig, rows[1], read_y=False, xlim=(0.497, 1.01), ylim=(0, 1.5), x=[0.5, 0.6, 0.7, 0.8, 0.9, 1],
                      xlabel="how sure it says it is")
        count = np.histogram(confidence, CELLS)[0]
        bars = bars_between(CELLS, np.zeros(6), np.sqrt(count / count.max()))
        for k, (bar, each) in enumerate(zip(bars, count, strict=True)):
            colour = MISS if k == 4 else GREY
            chance(below, facecolor=colour, edgecolor="white", lw=1).set_verts([bar])
            words(below, CELLS[k : k + 2].mean() - 0.012 * (k == 5), np.sqrt(each / count.max()) + 0.28, f"{each:,}",
                  colour=MISS if k == 4 else SOFT, bold=k == 4)
        words(below, 0.5, 1.15, "images (root scale)", colour=SOFT, size=SMALL, ha="left")
        curve = estimate(top, line=True, lw=3)
        return {"curve": curve, "ghost": Ghost(curve), "here": choice(top), "number": number(top, colour=KEPT, offset=(-14, -13))}

    def update(artists, penalty=0.001):
        hit, confidence, features = on_digits.confidences("naive Bayes")
        G = sims.regression(features.features, confidence - hit, penalty)
        sure = sims.nearly_sure(confidence)
        there = float((features.features[sure] @ G).mean())
        artists["curve"].set_data(grid, np.clip(features.transform(grid) @ G, -0.1, 0.84))
        artists["here"].set_data([confidence[sure].mean()], [there])
        clear = there if there > 0.18 else 0  # of the curve and the bin's line
        tell(artists["number"], (confidence[sure].mean(), clear), f"{there:.2f}")
        return Finding(
            f"With λ = {plain(penalty)} the regression says {there:.2f} at the {sure.sum()} images",
            f"naive Bayes, {len(hit):,} digits; blue: ridge regression of the miss, bandwidth 0.1; dot: its mean over the {sure.sum()}",
            f"The √CKCE, the length of the blue curve, is {np.linalg.norm(G):.3f}.")

    return explore(setup, update, size=(9, 4.8), penalty=LAMBDAS, labels={"penalty": "λ"}, code=sims.regression)


def what_it_sees():
    """Eigenvalues of C against λ: of a direction below it less than half is kept, whatever the model does there."""

    def setup(fig):
        for model in CAST:
            sims.seen_by(model)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], yscale="log", xlim=(0.2, sims.SHOWN + 0.8), ylim=(5e-6, 3), xlabel="direction, by eigenvalue",
                     ylabel="eigenvalue of C", x=[1, 10, 20], y=[])
        left.set_yticks([0.0001, 0.01, 1], ["0.0001", "0.01", "1"])
        right = panel(fig, columns[1], read_y=False, xlim=(0, 1.5), ylim=(-0.6, 1.7), xticks=[], base=False)
        right.set_title("CKCE with this λ", color=SOFT)
        for y, name in ((1, "kernel of eq. 8"), (0, "⟨p, q⟩ + 1 alone")):
            words(right, 0, y + 0.33, name, ha="left")
        return {"band": chance(left, facecolor=CHOICE, alpha=0.6, zorder=0.5), "disc": choice(left),
                "name": words(left, sims.SHOWN - 0.9, 1, "", ha="right", va="bottom", bold=True),
                "above": estimate(left, ms=9), "below": estimate(left, ms=8, mfc="white", mec=GREY, mew=1.4),
                "bars": lollipops(right, (1, 0), 9)}

    def update(artists, model="logistic regression", penalty=on_digits.PENALTY):
        spectrum, linear = sims.seen_by(model)
        whole, share, alone = sims.parts_of_ckce(spectrum, linear, penalty)
        mu, index = np.maximum(spectrum.eigenvalues[: sims.SHOWN], 5e-6), np.arange(1, sims.SHOWN + 1)
        above = mu > penalty
        artists["above"].set_data(index[above], mu[above])
        artists["below"].set_data(index[~above], mu[~above])
        artists["band"].set_verts(bars_between([0.2, sims.SHOWN + 0.8], [penalty / 1.12], [penalty * 1.12]))
        artists["disc"].set_data([sims.SHOWN], [penalty])
        low = penalty < 0.05  # the eigenvalues fall: below them the left is free, above them the right
        artists["name"].set(position=(0.4 if low else sims.SHOWN - 0.9, penalty * 1.25), text=f"λ = {plain(penalty)}", ha="left" if low else "right")
        top = max(whole, alone)
        texts = [f"{value:.4f}" if value < 0.1 else f"{value:.2f}" for value in (whole, alone)]
        show_lollipops(artists["bars"], (1, 0), (whole / top, alone / top), [KEPT] * 2, texts)
        return Finding(
            f"Directions above λ: {(spectrum.eigenvalues > penalty).sum()}; the first ten make {share:.0%} of the CKCE",
            f"{model}, ten classes, {spectrum.n:,} digits, kernel of eq. 8, γ = 1; rings: below λ, less than half is kept",
            f"At λ = {plain(penalty)} the kernel ⟨p, q⟩ + 1 alone gives {alone / whole:.0%} of the CKCE.")

    return explore(setup, update, size=(9, 4.3), model=list(CAST), penalty=LAMBDAS, labels={"penalty": "λ"},
                   code=sims.parts_of_ckce)


def predict_by_weights():
    """A conditional mean from weights: what happened and what was said near one confidence, and their difference."""
    grid = np.linspace(0.3, 1, 141)

    def setup(fig):
        for width in sims.WIDTHS:
            sims.weights(grid[:1], 1.0, width)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0.28, 1.02), ylim=(0, 1.14), xlabel="confidence",
                     ylabel="sum of weight × value", x=[0.4, 0.6, 0.8, 1], y=[0, 0.5, 1])
        right = panel(fig, columns[1], read_y=False, xlim=(0.2, 1.02), ylim=(-0.45, 1.4), x=[0.4, 0.6, 0.8, 1],
                      xlabel="confidence")
        right.set_title("each image's weight; dashes: 0", color=SOFT)
        reference(left, [0.28, 1.02], [0.28, 1.02])
        reference(right, [0.2, 1.02], [0, 0])
        dots = [right.scatter([0.5], [0], s=size, lw=lw, color=colour, marker=marker)
                for colour, marker, size, lw in ((KEPT, "o", 12, 0), (INK, "x", 26, 1.2))]
        words(right, 0.6, 1.3, "● right", colour=KEPT, ha="right")
        words(right, 0.7, 1.3, "× wrong", ha="left")
        said, happened = truth(left), estimate(left, line=True, clip_on=True)
        names = [words(left, 0, 0, "what it said", in_layout=False),
                 words(left, 0, 0, "what happened", colour=KEPT, in_layout=False)]
        return {"dots": dots, "band": chance(right, facecolor=CHOICE, alpha=0.6, zorder=0.5),
                "gap": left.fill_between(grid, 0, 0, color=MISS, alpha=0.09, lw=0),
                "curves": [said, happened], "ghost": Ghost(happened), "names": names,
                "stem": misses(left, lw=6, zorder=5), "q": choice(left), "miss": number(left, colour=MISS)}

    def update(artists, q=0.55, penalty=0.01, width=0.1):
        hit, confidence = sims.forest()
        at_q = sims.weights([q], penalty, width)[:, 0]
        every = sims.weights(grid, penalty, width)
        largest = np.abs(at_q).max()
        for label, dots in zip((1, 0), artists["dots"], strict=True):
            dots.set_offsets(np.column_stack([confidence, at_q / largest])[hit == label])
        artists["band"].set_verts(bars_between([q - 0.012, q + 0.012], [-0.45], [1.15]))
        curves = confidence @ every, hit @ every
        aside = 40 if q > 0.6 else 92
        for k, (line, name, values) in enumerate(zip(artists["curves"], artists["names"], curves, strict=True)):
            line.set_data(grid, values)
            above = values[aside] > curves[1 - k][aside]
            name.set(position=(grid[aside], values[aside] + (0.02 if above else -0.02)), ha="right" if above else "left",
                     va="bottom" if above else "top")
        artists["gap"].set_data(grid, *curves)
        happened, said = float(hit @ at_q), float(confidence @ at_q)
        artists["stem"].set_segments([[(q, said), (q, happened)]])
        artists["q"].set_data([q], [0])
        room = abs(said - happened) > 0.12  # for the number between the curves
        right = q < (0.8 if room else 0.5)
        tell(artists["miss"], (q, (said + happened) / 2 if room else max(said, happened) + 0.07),
             signed(said - happened, 2), ha="left" if right else "right", position=(10 if right else -10, 0))
        return Finding(
            f"Weighted around {q:.2f}: said {said:.2f}, happened {happened:.2f}",
            f"random forest, {len(hit)} digits, λ = {penalty:g}, bandwidth {width:g}; red: what it said − what happened",
            f"The weights sum to {at_q.sum():.3f}.")

    return explore(setup, update, size=(9, 4.5), q=(0.3, 1.0, 0.05), penalty=sims.PENALTIES, width=sims.WIDTHS,
                   labels={"q": "confidence q", "penalty": "λ", "width": "bandwidth"}, code=sims.weights)


def representable():
    """What regression with a linear kernel, a Gaussian, and both can find of a known miss, without any noise."""
    rows = np.arange(3)[::-1]

    def setup(fig):
        for name in sims.FEATURES:
            sims.fitted(name, "constant", 1.0)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0.2, 0.8), ylim=(-0.24, 0.24), xlabel="prediction p",
                     ylabel="said − happened", x=[0.2, 0.5, 0.8], y=[-0.2, 0, 0.2])
        reference(left, [0.2, 0.8], [0, 0])
        region(left, 0.205, 0.22, "says too much", ha="left")
        region(left, 0.795, -0.22, "says too little", ha="right")
        true, found = truth(left), estimate(left, line=True)
        names = [words(left, 0.5, 0, "true miss", in_layout=False),
                 words(left, 0.5, 0, "found", colour=KEPT, in_layout=False)]
        right = panel(fig, columns[1], read_y=False, xlim=(-0.03, 1.06), ylim=(-0.6, 2.5),
                      xlabel="share of the miss not found")
        right.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        return {"truth": true, "found": found, "ghost": Ghost(found), "names": names,
                "lost": left.fill_between(sims.SCORES, 0, 0, color=MISS, alpha=0.2, lw=0),
                "rings": estimate(right, mfc="none", mec="#B4B4B4", ms=9, zorder=2), "stems": misses(right, lw=6),
                "dots": estimate(right, color=MISS, mec=INK, ms=12), "chosen": choice(right),
                "shares": [number(right, colour=MISS, offset=(0, 16), ha="center") for _ in rows],
                "kernels": [words(right, 0, row - 0.3, name, ha="left") for row, name in zip(rows, sims.FEATURES, strict=True)]}

    def update(artists, miss="S-shape", kernel="linear", penalty=0.001):
        true = sims.MISSES[miss]
        every = np.array([[_left_over(name, miss, level) for level in sims.LEVELS] for name in sims.FEATURES])
        shares, chosen = every[:, sims.LEVELS.index(penalty)], list(sims.FEATURES).index(kernel)
        artists["rings"].set_data(every.ravel(), np.repeat(rows, len(sims.LEVELS)))
        artists["stems"].set_segments([[(0, row), (share, row)] for row, share in zip(rows, shares, strict=True)])
        artists["dots"].set_data(shares, rows)
        artists["chosen"].set_data([shares[chosen]], [rows[chosen]])
        written = [f"{share:.{0 if share >= 0.1 else 1}%}" for share in shares]
        for k, (text, name) in enumerate(zip(artists["shares"], artists["kernels"], strict=True)):
            tell(text, (np.clip(shares[k], 0.08, 0.94), rows[k]), written[k])
            name.set_weight("bold" if k == chosen else "normal")
        found, norm = sims.fitted(kernel, miss, penalty)
        artists["truth"].set_data(sims.SCORES, true)
        artists["found"].set_data(sims.SCORES, found)
        artists["lost"].set_data(sims.SCORES, true, found)
        apart = np.abs(true - found)
        room = apart + np.abs(true) / 2  # more at a crest
        wide = room[30:85].argmax() + 30, room[124:180].argmax() + 124
        for name, at, mine, other in zip(artists["names"], wide[::-1], (true, found), (found, true), strict=True):
            above = mine[at] > (other[at] if apart[at] > 0.01 else 0)
            aside = "center" if miss == "two waves" else "right" if above else "left"
            name.set(position=(sims.SCORES[at], mine[at] + (0.012 if above else -0.012)), ha=aside, va="bottom" if above else "top")
        return Finding(
            f"The {kernel} kernel does not find {written[chosen]} of the {miss}",
            f"without noise: a true miss, and what regression finds; λ = {ten_to(penalty)}; rings: other λ, larger to the right",
            f"CKCE, the squared length of what is found: {norm:.4f}. Not found is a root mean square.")

    return explore(setup, update, size=(9, 4.4), miss=["S-shape", *[m for m in sims.MISSES if m != "S-shape"]],
                   kernel=list(sims.FEATURES), penalty=[(ten_to(each), each) for each in sims.LEVELS], labels={"penalty": "λ", "miss": "true miss"}, code=sims.found_by)


def _left_over(name, miss, penalty):
    true = sims.MISSES[miss]
    return float(np.sqrt(((sims.fitted(name, miss, penalty)[0] - true) ** 2).mean() / (true**2).mean()))
