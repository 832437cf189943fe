"""The picture of the case study on CIFAR-10: estimates over splits; computed in `simulations`, stored."""

import numpy as np

from ...plots import GREY, KEPT, SOFT, Finding, estimate, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import number
from .simulations import NOTIONS, SIZES, SPLITS, estimates_and_risks, grouped_on_all

__all__ = ["estimates_over_splits"]

ROWS = NOTIONS["top-label"]
SHOWN = {"ten classes": "canonical", "top label": "top-label"}
LOW, HIGH = -0.002, 0.021  # ends of the axis of estimates


def estimates_over_splits():
    """The estimates of CIFAR's squared error on a split, beside those of 20, and how often the risk tells them apart."""

    def setup(fig):
        axes = panel(fig, xlim=(-0.0022, 0.0285), ylim=(-len(ROWS) + 0.35, 1.05),
                     xlabel="estimated squared error (beyond the axis: at its end)")  # fmt: skip
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set_yticks(-np.arange(len(ROWS)), ROWS)
        axes.tick_params(axis="y", length=0, labelcolor=SOFT)
        axes.set_xticks([0, 0.005, 0.01, 0.015, 0.02], ["0", "0.005", "0.01", "0.015", "0.02"])
        axes.xaxis.label.set(x=0.4)
        reference(axes, [0, 0], [-len(ROWS) + 0.5, 0.5])
        words(axes, 0.0283, 0.72, f"told apart from the best,\nof {SPLITS} splits", colour=SOFT, ha="right")
        plain = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        rings = estimate(axes, ms=8, mfc="none", mec=GREY, alpha=0.5, zorder=3)
        return {"rings": rings, "dots": estimate(axes, ms=12), "pale": estimate(axes, ms=12, color=GREY),
                "line": reference(axes, [0, 0], [-len(ROWS) + 0.5, 0.5]),
                "name": words(axes, 0, 0.75, "", colour=SOFT),
                "numbers": [number(axes, offset=(0, 14), ha="center", bbox=plain) for _ in ROWS],
                "counts": [words(axes, 0.0283, -k, "", ha="right", bold=True) for k in range(len(ROWS))]}  # fmt: skip

    def update(artists, error="ten classes", images=SIZES[0], split=0):
        notion = SHOWN[error]
        names = NOTIONS[notion]
        every = np.array([estimates_and_risks(notion, images, each) for each in range(SPLITS)])
        (values, risks, apart), y = every[split].T, np.array([-ROWS.index(name) for name in names])
        some = np.array([name != "h = 0" for name in names])  # h = 0 estimates nothing
        values, at = np.round(values, 4) + 0.0, np.clip(values, LOW, HIGH)
        best, apart = int(risks.argmin()), apart.astype(bool)
        artists["rings"].set_data(np.clip(every[:, some, 0], LOW, HIGH).ravel(), np.tile(y[some], SPLITS))
        artists["dots"].set_data(at[some & ~apart], y[some & ~apart])
        artists["pale"].set_data(at[some & apart], y[some & apart])
        often = every[:, :, 2].sum(axis=0).astype(int)
        for k, name in enumerate(ROWS):
            inside = name in names
            j = names.index(name) if inside else 0
            artists["numbers"][k].xy = (at[j], y[j]) if inside else (0, 0)
            artists["numbers"][k].set(text=f"{values[j]:.4f}".replace("-", "−") if inside and some[j] else "",
                                      color=SOFT if apart[j] else KEPT)  # fmt: skip
            artists["counts"][k].set(text=f"{often[j]}" if inside else "not for ten classes" if "bin" in name else "not run",
                                     weight="bold" if inside else "normal", color=KEPT if inside else SOFT)  # fmt: skip
        least = grouped_on_all(notion)
        artists["line"].set_xdata([least, least])
        artists["name"].set(text=f"lower bound by groups: {least:.4f}", x=least)
        low, high = values[some].min(), values[some].max()
        middle = [f"{name} {value:.4f}" for name, value, known in zip(names, values, some, strict=True)
                  if known and low < value < high]  # fmt: skip
        between = f" Between these estimates: {', '.join(middle)}." if middle else ""
        return Finding(
            f"Split {split}: {names[best]} has the smallest risk; estimates {low:.4f} to {high:.4f}".replace("-", "−"),
            f"{error}, {images:,} images; rings: {SPLITS} splits; grey: its risk is told apart from the smallest",
            f"Lower bound by groups, from all images: {least:.4f}.{between} Told apart from the best, in so many splits: "
            + ", ".join(f"{name}: {count}" for name, count in zip(names, often, strict=True)) + ".",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), error=list(SHOWN), images=sorted(SIZES), split=(0, SPLITS - 1, 1),
                   labels={"images": "number of images"}, code=estimates_and_risks)  # fmt: skip
