"""Scenes of notebook 04: the poster's two figures, from the stored summary of 10,000 data sets."""

import numpy as np
from matplotlib.collections import PolyCollection

from ...plots import COLOURS, TITLE, bars_between
from ...reproductions.blocks import stored_summary
from ...reproductions.widmann import ESTIMATES, LEVELS, MODELS, TESTS
from ...teach.explore import explore
from ..shared.pvalues import COLOUR, square

__all__ = ["full_size_errors", "full_size_estimates"]

TICKS = (0.1, 0.3, 0.5, 0.7, 0.9)


def full_size_estimates():
    """The poster's first figure: estimates over 10,000 data sets against the true value."""
    summary = stored_summary("widmann")["models"]

    def setup(fig):
        axes = fig.add_subplot()
        # The axis adapts to each setting, so its numbers are texts that change with it.
        axes.set(xlim=(0, 1), ylim=(0, 1.4), yticks=[], xlabel="estimate (0 is the grey line)")
        axes.set_xticks(TICKS, [" "] * len(TICKS))
        numbers = [axes.annotate("", (x, 0), (0, -6), textcoords="offset points", ha="center", va="top") for x in TICKS]
        bars = PolyCollection([], facecolor=COLOURS["sky"], edgecolor="white", lw=0.5)
        axes.add_collection(bars)
        mean = axes.axvline(0.5, color=COLOURS["orange"], lw=2.2, label="mean of the estimates")
        truth = axes.axvline(0.5, color=COLOURS["ink"], ls="--", lw=1.8, label="true value")
        zero = axes.axvline(0.5, color=COLOURS["grey"], lw=1)
        fig.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
        return {"bars": bars, "mean": mean, "truth": truth, "zero": zero, "numbers": numbers,
                "title": axes.set_title(TITLE)}  # fmt: skip

    def update(artists, estimator="ECE", model="M1"):
        found = summary[model]["estimates"][estimator]
        edges = found["first_edge"] + found["width"] * np.arange(len(found["counts"]) + 1)
        low, high = min(edges[0], found["truth"], 0), max(edges[-1], found["truth"], 0)
        room = 0.05 * (high - low)
        x = (edges - low + room) / (high - low + 2 * room)
        heights = np.array(found["counts"]) / max(found["counts"])
        artists["bars"].set_verts(bars_between(x, 0 * heights, heights))
        for name, value in (("mean", found["mean"]), ("truth", found["truth"]), ("zero", 0)):
            artists[name].set_xdata([(value - low + room) / (high - low + 2 * room)] * 2)
        for x, number in zip(TICKS, artists["numbers"], strict=True):
            number.set_text(f"{low - room + x * (high - low + 2 * room):.4f}")
        artists["title"].set_text(f"{model}, {estimator}: mean {found['mean']:.5f}, truth {found['truth']:.5f}")
        sets = summary[model]["data_sets"]
        return (
            f"{estimator} of {model} over {sets:,} data sets of 250: mean {found['mean']:.5f}, standard deviation "
            f"{found['sd']:.5f}, true value {found['truth']:.5f}."
        )

    return explore(setup, update, size=(9.4, 3.6), estimator=list(ESTIMATES), model=["M1", "M2", "M3"])


def full_size_errors():
    """The poster's second figure: how often each test rejects, at every level."""
    summary = stored_summary("widmann")["models"]
    groups = {
        "of the poster": ("C, colliding cells", "D_b", "D_uq", "D_ul", "A_uq", "A_l"),
        "exact ones": ("exact", "aggregated", "exact ECE"),
        "consistency resampling": ("C", "C, colliding cells", "C with SKCE_uq"),
    }
    dashes = ["-", "--", ":"]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = fig.add_subplot(columns[0])
        square(axes, xlabel="level α", ylabel="share of data sets rejected")
        level = axes.axvline(0.05, color=COLOURS["grey"], lw=1)
        lines = {}
        for name in TESTS:
            style = dashes[["D_b", "D_uq", "D_ul"].index(name)] if name.startswith("D_") else "-"
            style = "--" if name == "C with SKCE_uq" else style
            lines[name] = axes.plot([], [], color=COLOURS[COLOUR[name]], ls=style)[0]
        side = fig.add_subplot(columns[1])
        side.set(xlim=(0, 1), ylim=(0, 1))
        side.set_axis_off()
        keys = [side.plot([], [], lw=2.5)[0] for _ in range(6)]
        words = [side.text(0.2, 0.88 - 0.13 * k, "", va="center") for k in range(6)]
        return {"lines": lines, "keys": keys, "words": words, "level": level, "title": axes.set_title(TITLE)}

    def update(artists, tests="of the poster", model="M1", alpha=0.05):
        rejected, chosen = summary[model]["rejected"], groups[tests]
        at = int(np.argmin(np.abs(LEVELS - alpha)))
        for name, line in artists["lines"].items():
            line.set_data(LEVELS, rejected[name]) if name in chosen else line.set_data([], [])
        for key, word in zip(artists["keys"], artists["words"], strict=True):
            key.set_data([], [])
            word.set_text("")
        for k, name in enumerate(chosen):
            line = artists["lines"][name]
            artists["keys"][k].set_data([0, 0.15], [0.88 - 0.13 * k] * 2)
            artists["keys"][k].set(color=line.get_color(), linestyle=line.get_linestyle())
            artists["words"][k].set_text(f"{name}  {rejected[name][at]:.3f}")
        artists["level"].set_xdata([alpha, alpha])
        kind = "calibrated: type I error" if model not in ("M2", "M3") else "miscalibrated: power"
        artists["title"].set_text(f"{model} ({kind})")
        said = ", ".join(f"{name} {rejected[name][at]:.3f}" for name in chosen)
        return f"{model}, {kind}, {summary[model]['data_sets']:,} data sets; rejected at α = {alpha:.2f}: {said}."

    return explore(setup, update, size=(9.4, 4.2), tests=list(groups), model=list(MODELS), alpha=(0.01, 0.5, 0.01),
                   labels={"alpha": "level α"})  # fmt: skip
