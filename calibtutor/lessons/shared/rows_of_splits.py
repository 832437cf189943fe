"""A row of dots for each candidate, one dot a split: how far its risk is above the smallest."""

import numpy as np

from ...plots import INK, MODELS, NUMBER, SMALL, SOFT, choice, estimate, panel, reference, words

__all__ = ["FAR", "rows_of_splits"]

FAR = 8  # where rows end: what lies beyond is drawn there


def rows_of_splits(names):
    """Makes a panel with a row of splits for each name, and the artists that fill it."""
    heights = {name: len(names) - 1 - row for row, name in enumerate(names)}

    def make(fig, spec=None):
        axes = panel(fig, spec, read_y=False, xlim=(-0.3, FAR + 2.6), ylim=(-0.6, len(names) - 0.3),
                     xlabel="risk above the smallest of its split, in spreads over the folds")  # fmt: skip
        axes.set_xticks([0, 2, 4, 6, FAR], ["0", "2", "4", "6", f"{FAR} or more"])
        axes.set_yticks(list(heights.values()), list(names), color=INK)
        axes.tick_params(axis="y", length=0)
        for row in heights.values():
            axes.plot([-0.3, FAR + 0.4], [row, row], color="#EEEEEE", lw=1, zorder=0)
        reference(axes, [2, 2], [-0.55, len(names) - 0.45])
        words(axes, 2.1, len(names) - 0.5, "told apart →", ha="left", colour=SOFT, size=SMALL)
        words(axes, FAR + 0.75, len(names) - 0.5, "told apart in", ha="left", colour=SOFT, size=SMALL)
        counts = {name: words(axes, FAR + 0.75, row, "", ha="left", bold=True, size=NUMBER)
                  for name, row in heights.items()}  # fmt: skip
        return {"axes": axes, "alike": estimate(axes, ms=8), "apart": estimate(axes, ms=7, mfc="white", mew=1.4),
                "here": choice(axes, ms=10), "counts": counts}  # fmt: skip

    def fill(artists, distance, model, split):
        """Dots for distances (splits, names); `split` is the chosen one."""
        colour, _, text = MODELS[model]
        splits = len(distance)
        x, apart = np.minimum(distance, FAR), distance > 2
        y = np.array(list(heights.values())) + np.linspace(-0.28, 0.28, splits)[:, None]
        for name, which in (("apart", apart), ("alike", ~apart)):
            artists[name].set_data(x[which], y[which])
            artists[name].set(color=colour, mec=colour if name == "apart" else "white")
            artists[name].set_markerfacecolor(colour if name == "alike" else "white")
        artists["here"].set_data(x[split], y[split])
        for name, count in zip(names, apart.sum(axis=0), strict=True):
            artists["counts"][name].set(text=f"{count} of {splits}", color=text if count > splits / 2 else SOFT)

    return make, fill
