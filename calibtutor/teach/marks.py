"""What only pictures that move draw, beside the marks of `plots`: what is true, where the reader stands and stood.

Numbers travel with their marks, and the columns of a figure stand below each other on a narrow page.
"""

from .. import _course
from ..plots import CHOICE, GREY, INK, NUMBER, StyledFigure, at_large

with _course():
    from matplotlib.collections import PolyCollection


class SceneFigure(StyledFigure):
    """With `upright` columns side by side stand below each other, for a narrow page; `columns`: how many there were."""

    upright, columns = False, 1

    def add_gridspec(self, nrows=1, ncols=1, **settings):
        if nrows == 1 and ncols > 1:
            self.columns = ncols
            if self.upright:
                nrows, ncols = ncols, 1
                settings = {name: value for name, value in settings.items() if name not in ("width_ratios", "wspace")}
        return super().add_gridspec(nrows, ncols, **settings)


def truth(axes, x=(), y=(), **settings):
    """A line that is true: ink, solid, thick. Like all marks that are lines it may be empty at first, if it moves."""
    return axes.plot(x, y, **({"color": INK, "lw": 2.4, "zorder": 3} | settings))[0]


def number(axes, *, colour=INK, offset=(10, 0), size=NUMBER, **settings):
    """A number that travels with its mark, `offset` points away: `tell` says where that stands, and what it says."""
    settings = {"ha": "left" if offset[0] >= 0 else "right", "va": "center", "zorder": 9} | settings
    return at_large(axes.annotate("", (0, 0), offset, textcoords="offset points", color=colour, fontsize=size,
                                  weight="bold", annotation_clip=False, **settings))


def tell(label, at, text, **settings):
    """Let a `number` stand at (x, y) and say a text; settings as of any text: ``ha``, ``color``, ``position``, …"""
    label.xy = at
    label.set(text=text, **settings)


def choice(axes, x=(), y=(), **settings):
    """Where the reader stands: a yellow disc with a ring of ink."""
    look = {"marker": "o", "ls": "", "ms": 13, "mfc": CHOICE, "mec": INK, "mew": 1.6, "zorder": 8, "clip_on": False}
    return at_large(axes.plot(x, y, **(look | settings))[0])


class Ghost:
    """The previous setting of a line or of filled shapes, as a thin grey outline; the explorer calls `remember`."""

    def __init__(self, artist):
        self.artist = artist
        if isinstance(artist, PolyCollection):
            self.shadow = PolyCollection([], facecolor="none", edgecolor=GREY, lw=0.8, zorder=artist.get_zorder() - 0.1)
            artist.axes.add_collection(self.shadow)
        else:
            (self.shadow,) = artist.axes.plot([], [], color=GREY, lw=1, zorder=artist.get_zorder() - 0.1)
            self.shadow.set_drawstyle(artist.get_drawstyle())
            if artist.get_linestyle() in ("None", ""):
                self.shadow.set(marker=artist.get_marker(), ms=artist.get_markersize(), mfc="none", ls="")
        self.artists = [self.shadow]

    def remember(self):
        """Take the shape that the artist has now."""
        if isinstance(self.artist, PolyCollection):
            self.shadow.set_verts([path.vertices for path in self.artist.get_paths()])
        else:
            self.shadow.set_data(*self.artist.get_data())
