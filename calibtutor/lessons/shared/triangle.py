"""The triangle of three probabilities, with its data and arrows."""

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from ...plots import GREY, KEPT, MISS, MODELS, SOFT, model_marker, words

CLASSES = ("object", "human", "animal")  # of made-up worlds


class Simplex:
    """The triangle of three-class predictions, with arrows from what was said to what happens."""

    def __init__(self, axes, names, *, title=""):
        self.axes = axes
        axes.set_axis_off()
        axes.set(xlim=(-0.08, 1.08), ylim=(-0.13, 0.97), aspect="equal", xticks=[], yticks=[])
        words(axes, -0.08, 0.97, title, ha="left", va="top", colour=SOFT)  # where the triangle leaves room
        corners = to_plane(np.eye(3))
        lines = [np.vstack([corners, corners[:1]])]
        for level in (0.25, 0.5, 0.75):  # light grid: lines of equal probability
            for k in range(3):
                ends = [[level, 1 - level, 0], [level, 0, 1 - level]]  # of the classes k, k + 1, k + 2
                lines.append(to_plane(np.roll(ends, k, axis=1)))
        colours, widths = [GREY] + ["#E4E4E4"] * 9, [1.2] + [0.8] * 9
        axes.add_collection(LineCollection(lines, colors=colours, linewidths=widths, zorder=0.5))
        for corner, name, dy in zip(corners, names, (-0.05, -0.05, 0.03), strict=True):
            words(axes, *(corner + (0, dy)), name, va="bottom" if dy > 0 else "top")
        self.points = axes.scatter([], [], s=[], color=KEPT, zorder=3, lw=0)
        self.arrows = axes.add_collection(PolyCollection([], facecolor=MISS, zorder=4, lw=0))
        self.artists = [self.points, self.arrows]  # explore draws these anew

    def update(self, start, end=None, size=30, model=None):
        """Points at `start` (m, 3), of a `model`'s colour and shape, and arrows to `end` (m, 3); `size` is an area."""
        if model is not None:
            self.points.set(paths=[model_marker(model)], facecolor=MODELS[model][0])
        start = to_plane(start)
        self.points.set(offsets=start, sizes=np.broadcast_to(size, len(start)))
        if end is not None:
            self.point(start, to_plane(end))

    def point(self, start, end):
        """Arrows alone, from `start` to `end`, both (m, 2) in the plane."""
        self.arrows.set_verts(arrow_polygons(start, end))


def to_plane(p):
    """Probability vectors (..., 3) to points of the equilateral triangle: class 0 left, 1 right, 2 top."""
    p = np.asarray(p)
    return np.stack([p[..., 1] + p[..., 2] / 2, np.sqrt(3) / 2 * p[..., 2]], axis=-1)


def arrow_polygons(start, end, width=0.011):
    """Arrows as polygons: one collection draws hundreds quickly. Arrows shorter than their head shrink."""
    head = 4 * width
    shapes = []
    for a, b in zip(start, end, strict=True):
        length = np.hypot(*(b - a))
        if length < 1e-3:
            continue
        along = (b - a) / length
        side = np.array([-along[1], along[0]])
        tip = min(head, 0.6 * length)
        w, neck = width * tip / head, b - along * tip
        half, barb = side * w / 2, side * tip / 2.2
        shapes.append([a + half, neck + half, neck + barb, b, neck - barb, neck - half, a - half])
    return shapes
