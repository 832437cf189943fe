"""Pictures of what another depth, or another split, would have said; computed in `simulations`, stored."""

import numpy as np

from ...plots import INK, KEPT, SOFT, Finding, choice, estimate, misses, panel, reference, words
from ...plots import truth as true_line
from ...teach.explore import explore
from .simulations import DATA_SETS, DEPTHS, FOREST_SPLITS, HEART_SPLITS, gap_by_depth, heart_on_split

__all__ = ["forest_by_depth", "other_splits"]

# --- housing: the depth of the forest ---

ROWS = ["forest", "LR without BLACK", "LR with BLACK"]
PANELS = {  # ends of the axis, ticks, what is right
    "Brier score": (0.159, 0.187, {0.165: "0.165", 0.18: "0.180"}, None),
    "ECE": (-0.008, 0.1, {0: "0", 0.05: "0.05"}, None),
    "share of the gap": (0.44, 1.1, {0.5: "50%", 0.75: "75%", 1: "100%"}, 1),
    "excess in training": (-0.03, 0.115, {0: "0", 0.05: "0.05", 0.1: "0.10"}, 0),
}


def panels_of_rows(fig, titles, rows):
    """A panel for each title, with the same rows in all; names stand left of the first."""
    for k, (spec, title) in enumerate(zip(fig.add_gridspec(1, len(titles), wspace=0.08), titles, strict=True)):
        axes = panel(fig, spec, read_y=False, ylim=(0.4 - len(rows), 0.9))
        axes.set_title(title, color=INK, weight="bold")
        if k == 0:
            axes.set_yticks(-np.arange(len(rows)), rows)
            axes.tick_params(axis="y", length=0, labelcolor=INK)
        yield axes


def mark_truth(axes, value, rows):
    """A line through all rows, with its name."""
    true_line(axes, [value, value], [0.5 - len(rows), 0.5])
    words(axes, value, 0.68, "truth", bold=True)


def forest_by_depth():
    """Scores, gap and the excess on training rows of the models of Figure 2; choose the depth of the forest's trees."""
    at = -np.arange(len(ROWS))

    def setup(fig):
        artists = []
        panels = zip(panels_of_rows(fig, PANELS, ROWS), PANELS.values(), strict=True)
        for axes, (low, high, ticks, right) in panels:
            axes.set(xlim=(low, high))
            axes.set_xticks(list(ticks), list(ticks.values()))
            if right is not None:
                mark_truth(axes, right, ROWS)
            artists.append({"dots": estimate(axes, ms=8, alpha=0.45), "stems": misses(axes, lw=7, alpha=0.85),
                            "means": estimate(axes, ms=20, marker="|", mec=KEPT, mew=2.4)})  # fmt: skip
        return artists

    def update(artists, max_depth=7):
        every = np.array([gap_by_depth(max_depth or None, split) for split in range(FOREST_SPLITS)])
        brier, ece, gap, truth, excess = every.transpose(2, 0, 1)
        shown = brier, ece, gap / truth, excess
        for each, values, (*_, right) in zip(artists, shown, PANELS.values(), strict=True):
            each["dots"].set_data(values.ravel(), np.tile(at, FOREST_SPLITS))
            each["means"].set_data(values.mean(axis=0), at)
            if right is not None:
                ends = zip(values.mean(axis=0), at, strict=True)
                each["stems"].set_segments([[(right, y), (mean, y)] for mean, y in ends])
        best, share = ROWS[brier.mean(axis=0).argmin()], (gap / truth).mean(axis=0)[0]
        said = "; ".join(f"{name} {', '.join(f'{mean:.3f}' for mean in means)}"
                         for name, means in zip(ROWS, np.mean(shown, axis=1).T, strict=True))  # fmt: skip
        depth = f"depth {max_depth}" if max_depth else "no limit"
        return Finding(
            f"{depth.capitalize()}: the forest reports {share:.0%} of the gap; best Brier: {best}",
            f"one dot a split ({FOREST_SPLITS}), a bar their mean; excess: p − y over Black households; red: off the truth",
            f"Means of {', '.join(PANELS)}: {said}.",
        )

    depths = [(str(depth or "no limit"), depth or 0) for depth in reversed(DEPTHS)]
    return explore(setup, update, size=(9, 3.6), max_depth=depths, labels={"max_depth": "depth of the trees"},
                   code=gap_by_depth)  # fmt: skip


# --- heart: which finding comes back? ---

FINDINGS = {"p, exact": 0, "p, permuted residuals": 1, "finds women + 2.5": 2.6, "finds men + 2.5": 3.6,
            "finds 58 and over + 2.5": 4.6, "finds under 58 + 2.5": 5.6}  # fmt: skip
COLOURS = {"γ = 25, years": SOFT, "scaled features": KEPT}  # as the rows of `heart_on_split`
THEIRS = 31


def other_splits():
    """P-values and power of the test with the published kernel and with scaled features, on 40 splits of the patients."""
    down = -np.add.outer([-0.17, 0.17], list(FINDINGS.values()))

    def setup(fig):
        every = np.array([heart_on_split(split) for split in range(HEART_SPLITS)])
        axes = panel(fig, xlim=(-0.02, 1.34), ylim=(-6.1, 0.95), xticks=[0.05, 0.5, 1],
                     xlabel=f"p-value, or share of {DATA_SETS} data sets in which the exact test rejects")  # fmt: skip
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set_yticks(down.mean(axis=0), FINDINGS)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.xaxis.label.set(x=0.38)
        reference(axes, [0.05, 0.05], [-6, 0.5])
        words(axes, 1.33, 0.75, f"of {HEART_SPLITS}: least, most", colour=SOFT, ha="right")
        for k, (name, colour) in enumerate(COLOURS.items()):
            words(axes, 0.3 + 0.4 * k, 0.75, name, colour=colour, bold=True)
            rows = np.tile(down[k], (HEART_SPLITS, 1))
            estimate(axes, every[:, k], rows, ms=6, mfc="none", mec=colour, alpha=0.45, zorder=3)
            for y, values in zip(down[k], every[:, k].T, strict=True):
                words(axes, 1.33, y, f"{values.min():.2f}, {values.max():.2f}", colour=colour, ha="right", size=11)
        return {"every": every, "dots": choice(axes, ms=10)}

    def update(artists, split=THEIRS):
        here, every = heart_on_split(split), artists["every"]
        artists["dots"].set_data(here.ravel(), down.ravel())
        rejected = (every[:, :, 0] <= 0.05).sum(axis=0)
        years, scaled = (", ".join(f"{name.partition(' +')[0]} {found:.2f}" for k, name, found in zip(range(6), FINDINGS, row, strict=True)
                                   if not (first and k in (0, 2))) for first, row in zip((True, False), here, strict=True))  # fmt: skip
        return Finding(
            f"γ = 25, years: p = {here[0, 0]:.2f}, and finds the error for women in {here[0, 2]:.0%}",
            f"yellow: split {split}{', that of Table 2' if split == THEIRS else ''}; rings: splits 0 to {HEART_SPLITS - 1}; + 2.5: in log odds",
            f"Beside these: {years}. Scaled features: {scaled}. The exact test rejects on {rejected[0]} and on {rejected[1]} of "
            f"{HEART_SPLITS} splits.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 5), split=(0, HEART_SPLITS - 1, 1), code=heart_on_split)
