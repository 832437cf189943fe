"""The scene that notebooks 02 and 03 share: two estimators as surfaces over pairs of predictions."""

from functools import lru_cache

import numpy as np

from ...binning import reliability_curve
from ...data.worlds import wave_world
from ...kde import conditional_frequency
from ...plots import TITLE, Heatmap
from ...teach.explore import explore

__all__ = ["two_surfaces"]


def two_surfaces():
    """Truth, bins and kernel as functions of two predictions, h(p, p') = u(p)·u(p')."""
    world = wave_world(1, 0.15)
    cells = (np.arange(80) + 0.5) / 80
    data = {n: world.sample(n, 3) for n in (200, 1000, 5000)}
    truth = cells - world.curve(cells)

    @lru_cache(maxsize=100)
    def bin_gap(n, bins):
        curve = reliability_curve(*data[n], n_bins=bins)
        gap = curve.gap[np.minimum(np.ceil(cells * bins).astype(int) - 1, bins - 1)]
        return np.nan_to_num(gap)  # an empty bin claims no error

    @lru_cache(maxsize=100)
    def kernel_gap(n, h):
        return cells - conditional_frequency(*data[n], at=cells, bandwidth=h)

    def setup(fig):
        columns = fig.add_gridspec(1, 4, width_ratios=[1, 1, 1, 0.06])
        panels = {}
        for column, name in enumerate(["truth h*", "bins", "kernel"]):
            axes = fig.add_subplot(columns[column])
            image = Heatmap(axes, (80, 80), vmin=-0.03, vmax=0.03, enlarge="hamming")
            axes.set(aspect="equal", xlabel="p", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            if column == 0:
                axes.set_ylabel("p'")
            panels[name] = image, axes.set_title(TITLE, fontsize=11)
        fig.colorbar(image, cax=fig.add_subplot(columns[3]))
        return panels

    def update(artists, n=1000, bins=15, bandwidth=0.02):
        said = []
        for name, gap in (("truth h*", truth), ("bins", bin_gap(n, bins)), ("kernel", kernel_gap(n, bandwidth))):
            image, title = artists[name]
            image.set_data(np.outer(gap, gap))
            away = np.sqrt(np.mean((np.outer(gap, gap) - np.outer(truth, truth)) ** 2))
            title.set_text(
                f"{name}: diagonal {np.mean(gap**2):.4f}" + (f"\ndistance to truth {away:.4f}" if away else "\n")
            )
            said.append(f"{name} {np.mean(gap**2):.4f}" + (f" (distance {away:.4f})" if away else ""))
        return f"n = {n}, {bins} bins, bandwidth {bandwidth:g}. Squared error, the diagonal's mean: {', '.join(said)}."

    return explore(setup, update, size=(9.4, 3.5), n=list(data), bins=(1, 60, 1),
                   bandwidth=[0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0])  # fmt: skip
