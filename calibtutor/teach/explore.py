"""Sliders and a picture that answers at once: explore(setup, update, bins=(1, 40, 1), model=["forest", "naive Bayes"]).

What `setup` does not return is drawn once and kept as a background, which is what makes the answer fast.
"""

import html
import inspect
import itertools
import threading
import traceback
import weakref

import ipywidgets as widgets
import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist, setp
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from ..plots import CHOICE, HEAD, STYLE, Finding, headline, new_figure
from .canvas import QuickCanvas, png
from .controls import CountingButton, control, steps
from .guess import Predict
from .hands import Grips, marks
from .marks import SceneFigure
from .source import folded, several, source
from .still import WithStill, still_twin

PAGE, ROOM = 100, 140  # dots per inch, on a page and for a lecture room
TALL = 4.4, 3.1  # inches of a picture for a phone: height of one part, of each of several
# Its width, what its height is stretched by, and the share left free on the right (None: and no long line is broken).
SHAPES = (5, 1, None), (5, 1.25, None), *((5.4, tall, room) for room in (0, 0.06, 0.12) for tall in (1, 1.25, 1.5))
LEAST = 480  # pixels: a narrower screen scrolls the picture in its box
UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"  # read aloud, not shown
VEIL = "<i>The picture waits for your guess above it: press one of the answers.</i>"
LOOKS = ("<style>.calibtutor .widget-label {text-align: left; color: #5f5f5f} "
         ".calibtutor .waits {background: #f3f3f3; border-radius: 6px} .calibtutor .held {position: relative} "
         ".calibtutor .veil {position: absolute; inset: 0; margin: auto; width: max-content; height: max-content; "
         "max-width: 90%; color: #5f5f5f; z-index: 2} .calibtutor .veil i {font-size: 15px}</style>")
_size = {"dpi": PAGE}
_living = weakref.WeakSet()


def lecture_size(on=True):
    """Make the type, lines and marks of all pictures 1.4 times as large, for a lecture room, or as before."""
    _size["dpi"] = ROOM if on else PAGE
    for explorable in list(_living):
        explorable.show_at(_size["dpi"])


def explore(setup, update, *, size=(9, 4), labels=None, code=(), kept=None, anew=None, hand=None, stored=None,
            **controls):
    """A picture with controls: live in a running notebook, a still PNG everywhere else.

    Parameters
    ----------
    setup : callable(fig) -> artists
        Makes the artists. Those that move are returned: an Artist, or lists, dicts or objects with an
        ``artists`` attribute that hold them.
    update : callable(artists, **values) -> Finding or str
        Moves the artists in place and returns headline, second line and one sentence of alternative text, or that
        sentence alone. Its keyword defaults are the controls' first values. What is in a `Ghost` leaves its last
        shape behind.
    size : (float, float)
        Width and height in inches at 100 dots per inch, the two lines above the picture included; fixed, so the
        page never jumps.
    labels : dict, optional
        Control name -> what the reader sees (default: the name with spaces; a button shows its own text).
    code : callable, or sequence of callables
        The functions that compute what is drawn, which `update` calls; offered below, folded.
    kept : dict, optional
        Control name -> those of its values that the book shows, which holds a picture for every combination.
    anew : dict, optional
        A game's button -> the controls that every second press of it puts back: it shows the answer, then asks again.
    hand : Hand, optional
        How the page draws it itself, so that its marks can be dragged; without it the page shows images.
    stored : dict, optional
        Control name -> its value in the still, of a picture that opens before its process has begun.
    **controls
        (min, max, step) -> slider; list of strings -> buttons side by side, or, if they are many or long, a
        drop-down; other list, of values or of (text, value) -> slider over its values;
        True or False -> check box; a string -> button with that text, whose value is an int that grows by 1
        with every click, from `update`'s default or 0: ``more="draw another data set"``.

    Returns
    -------
    Explorable
        The live picture.

    Raises
    ------
    ValueError
        For a control that is none of these, or that `update` does not take, or a button whose default in
        `update` is no int; for values to keep of a control that there is not, or one to put back or to store.
    """
    return Explorable(setup, update, size, labels or {}, code, kept or {}, anew or {}, hand, controls, stored or {})


class Explorable(WithStill, widgets.VBox):
    """Controls above a picture above a sentence; see `explore`.

    `artists` are what `setup` returned, `moving` those of it that move and the two lines above the picture; `finding`,
    `png` and `error` are of what was drawn last, and `message` says it, or why there is none.
    """

    def __init__(self, setup, update, size, labels, code, kept, anew, hand, controls, stored, upright=False, room=None):
        accepted = {name: each.default for name, each in list(inspect.signature(update).parameters.items())[1:]}
        put_back = [*anew, *itertools.chain(*anew.values())]
        for argument, names in (("controls", controls), ("kept", kept), ("stored", stored), ("anew", put_back)):
            said, known = ("update takes", accepted) if names is controls else ("the controls are", controls)
            if unknown := [name for name in names if name not in known]:
                raise ValueError(f"{argument}: {said} {sorted(known)}, got {unknown[0]!r}")
        self.kept, self.anew, self.hand, self.size, self.stored = kept, anew, hand, size, stored
        # Events arrive on a second thread (JupyterLab >= 4.4): one drawing at a time, or pictures mix.
        self._lock = threading.RLock()
        self._update = update
        self._made_by = setup, update, labels, kept, anew, controls
        self.figure = new_figure(*size, dpi=_size["dpi"], kind=SceneFigure)
        self.figure.upright = upright
        with rc_context(STYLE):
            self._head = headline(self.figure, room=room or 0)
            self.artists = setup(self.figure)
        written = [text for each in self.figure.axes for text in (*each.texts, each.xaxis.label) if room is not None]
        setp(written, wrap=True)
        nodes = list(_nodes(self.artists))
        self.ghosts = [node for node in nodes if hasattr(node, "remember")]
        found = dict.fromkeys(node for node in nodes if isinstance(node, Artist))
        self.moving = [*sorted(found, key=lambda artist: artist.get_zorder()), *self._head]
        setp(self.moving, animated=True)  # left out of the background
        self._lay_out()
        self.figure.set_layout_engine("none")  # laid out once: nothing moves afterwards but what should
        self.controls = {name: control(name, spec, accepted[name], labels.get(name, name.replace("_", " ")))
                         for name, spec in controls.items()}
        self.image = widgets.Image(format="png")
        self.message = widgets.HTML()
        self.painted = hand.painted if hand else ()
        row = widgets.HBox([each for name, each in self.controls.items() if name not in self.painted])
        sliders = [each for each in row.children if hasattr(each, "readout")]
        for each in sliders if len(sliders) > 3 else ():
            each.layout.flex = "0 1 280px"  # as wide in the last line as in the first
        row.layout = widgets.Layout(flex_flow="row wrap", align_items="flex-end", max_width=f"{PAGE * size[0]:.0f}px")
        self.marks = marks(hand, self.controls, size) if hand else None
        self.grips, self._paths = Grips(), {}
        self.grips.observe(lambda change: self.pull(*change["new"]), names="pulled")
        self.grips.observe(lambda change: self.show_at(_size["dpi"]), names="ratio")
        self.veil = widgets.HTML(VEIL, layout=widgets.Layout(display="none"), _dom_classes=("veil",))  # in its middle
        shown = [self.marks, self.veil] if hand else [self.image, self.grips, self.veil]
        self._held = widgets.Box(shown, _dom_classes=("held",))
        box = widgets.Box([self._held], layout=widgets.Layout(overflow="auto hidden", max_width="100%"))
        self._opening = self.values
        self.finding, self._png, self.error, self._drawn = Finding("", "", ""), b"", None, None
        self._fit()
        for each in self.controls.values():
            each.observe(self._redraw, names="value")
        for name, others in anew.items():
            back = {other: self._opening[other] for other in others}
            ask = lambda change, back=back: change["new"] % 2 == 0 and self.set(**back)
            self.controls[name].observe(ask, names="value")
        self._redraw()
        if self.error:  # a scene that fails at its defaults is a bug, not a reader's doing
            raise RuntimeError(self.error)
        looks = widgets.HTML(LOOKS, layout=widgets.Layout(display="none"))
        self.computed_by, self.code = several(code), source(code)
        super().__init__([row, box, self.message, widgets.HTML(folded(self.code)), looks], _dom_classes=("calibtutor",))
        _living.add(self)

    def follows(self, before):
        """Directly below a guess that nobody has made yet the picture waits: Run All must not give the answer away."""
        if isinstance(before, Predict) and before.first is None:
            self._cover(True)
            before.waiting.append(lambda: self._cover(False))

    def _cover(self, waits):
        self.veil.layout.display = "" if waits else "none"
        (self._held.add_class if waits else self._held.remove_class)("waits")
        for each in (self.marks or self.image, self.grips, self.message):
            each.layout.visibility = "hidden" if waits else "visible"  # it keeps its place

    def _lay_out(self):
        self._canvas = QuickCanvas(self.figure)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self.figure.bbox)

    def _fit(self):
        width, height = (round(side / self.grips.ratio) for side in self._canvas.get_width_height())
        self.image.width, self.image.height = str(width), str(height)
        self.image.layout = widgets.Layout(
            width=f"{width}px", min_width=f"{LEAST}px", height="auto", max_width="100%", object_fit="contain")
        self._held.layout = widgets.Layout(width=f"{width}px", min_width=f"{LEAST}px", max_width="100%")
        self.message.layout = widgets.Layout(max_width=f"{width}px", min_height="3.2em")

    def show_at(self, dpi):
        """Draw at so many dots per inch from now on, twice as sharp on a screen that has two pixels for one."""
        with self._lock:
            if self.marks:
                self.marks.zoom = dpi / PAGE
            self.figure.set_dpi(dpi * self.grips.ratio)
            self._lay_out()
            self._fit()
            self._drawn = None
            self._redraw()

    @property
    def png(self):
        """What was drawn last, as bytes; where the page draws, it is drawn when it is asked for."""
        if self._png is None:
            with self._lock:
                self._png = png(self._draw(self.moving))
        return self._png

    @property
    def headline(self):
        """Headline of what was drawn last."""
        return self.finding.headline

    @property
    def sentence(self):
        """The sentence about what was drawn last."""
        return self.finding.sentence

    @property
    def values(self):
        """What the controls are set to, by name."""
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values):
        """Move the controls as a reader would; itself."""
        for name, value in values.items():
            self.controls[name].value = value
        return self

    def _redraw(self, change=None):
        with self._lock:
            values = self.values
            if values == self._drawn:
                return
            try:
                for ghost in self.ghosts if self._drawn else []:
                    ghost.remember()
                finding = self._move(values)
                for text, line in zip(self._head, finding, strict=False):
                    text.set_text(line)
                drawn = None if self.hand else png(self._draw(self.moving))
            except Exception as problem:
                # Jupyter swallows exceptions of callbacks: without this line the old picture would stay and lie.
                self.message.layout.display = ""
                self._drawn, self.error = None, "".join(traceback.format_exception_only(problem)).strip()
                self.image.layout.opacity = "0.25"
                self.message.value = (f'<div role="alert" style="color:#b00020"><b>This picture could not be drawn for '
                                      f"{html.escape(str(values))}</b><br>{html.escape(self.error)}</div>")
                return
            self._drawn, self.error, self.finding, self._png = values, None, finding, drawn
            if self.hand:  # the page says it itself
                self.message.layout.display = "none"
                return
            self.image.layout.opacity = "1"
            if change and not hasattr(change["owner"], "readout"):  # no slider: that one is followed at once
                self.grips.melts += 1
            self.image.value = drawn
            self.grips.spots = self.spots()
            # The first two lines stand in the picture: they are read aloud here.
            head = html.escape(Finding(finding.headline, finding.drawn).words)
            self.message.value = (
                f'<div role="status" aria-live="polite" style="line-height:1.45"><span style="{UNSEEN}">{head}</span> '
                f"{html.escape(finding.sentence)}</div>")

    def _move(self, values):
        """Move the artists; what the picture then says."""
        finding = self._update(self.artists, **values)
        if isinstance(finding, str):
            finding = Finding("", "", finding)
        if not isinstance(finding, Finding) or not finding.words:
            raise TypeError(f"update returned {finding!r}, expected a Finding or a sentence about the picture")
        return finding

    def spots(self):
        """Where the yellow marks stand, which the reader chose: (x, y) in shares of the picture, from its upper left.

        None in a game, whose answers must not be read off by dragging, nor where the page itself draws.
        """
        if self.hand or any(isinstance(each, CountingButton) for each in self.controls.values()):
            return []
        chosen = [each for each in self.moving if isinstance(each, Line2D) and each.get_markerfacecolor() == CHOICE]
        box, found = self.figure.bbox, []
        for each in chosen:
            places = each.axes.transData.transform(each.get_xydata()) if each.get_visible() else []
            found += [[x / box.width, 1 - y / box.height] if np.isfinite(x + y) else None for x, y in places]
        return found

    def pull(self, spot, x, y):
        """Move the slider that brings a yellow mark nearer to a place, as `spots` has them; a step on if x is None."""
        with self._lock:
            now, here, moves = self.values, dict(enumerate(self.spots())).get(spot), {}
            apart = lambda place: np.hypot(*(self.size * np.subtract(place, (x, y)))) if place else np.inf
            least = 0 if x is None else apart(here) - 1e-9  # what leaves the mark alone is no slider of it
            for name, widget in self.controls.items():
                if (each := steps(name, widget)).kind != "slider":
                    continue
                key = spot, name, *((other, value) for other, value in now.items() if other != name)
                if key not in self._paths:
                    path = self._paths[key] = []
                    for value in each.values:
                        self._move(now | {name: value})
                        path.append(dict(enumerate(self.spots())).get(spot))
                if x is None and not moves and any(place != here for place in self._paths[key]):
                    moves = {name: each.values[(each.start + 1) % len(each.values)]}
                for value, place in zip(each.values, self._paths[key], strict=True) if x is not None else ():
                    if apart(place) < least:
                        least, moves = apart(place), {name: value}
            self._move(now)
        self.set(**moves)

    def _draw(self, artists):
        self._canvas.restore_region(self._background)
        for artist in artists:
            self.figure.draw_artist(artist)
        return np.asarray(self._canvas.buffer_rgba())

    def frames(self, settings):
        """The picture at many settings, for the book: without headline, and with every ghost at its opening shape.

        The order of the settings changes no picture. Afterwards the explorable is no longer as its reader left it.
        Yields pixels, to be read before the next are drawn, and the `Finding`: first what stands still, without one.
        """
        with self._lock:
            self._move(self._opening)
            for ghost in self.ghosts:
                ghost.remember()
            top = round(HEAD * self.figure.dpi)
            yield self._draw([])[top:], None
            plays = any(isinstance(each, CountingButton) for each in self.controls.values())
            for values in settings:
                if plays:  # a game keeps score from one press to the next; its opening has none
                    self._move(self._opening)
                finding = self._move(values)
                yield self._draw(artist for artist in self.moving if artist not in self._head)[top:], finding

    def upright(self):
        """The same picture for a narrow page, its parts below each other; None if its words would not fit there."""
        if self.hand or (parts := self.figure.columns) > 3:  # the page lays it out; rows of many belong together
            return None
        setup, update, labels, kept, anew, controls = self._made_by
        reach = {name: steps(name, widget, 2).values for name, widget in self.controls.items()}
        ends = [{}, *({name: values[k]} for name, values in reach.items() for k in (0, -1))]
        for width, stretch, room in SHAPES:  # a long name of a vertical axis needs the second
            size = width, HEAD + stretch * (TALL[1] * parts if parts > 1 else TALL[0])
            tall = Explorable(setup, update, size, labels, (), kept, anew, None, controls, {}, True, room)
            if all((tall._unreadable(each, room) <= self._unreadable(each, room)).all() for each in ends):
                return tall
        return None

    def _unreadable(self, values, room):
        """How many words are cut off by the picture's edge, and how many pairs of them overlap, at this setting."""
        self._move(self._opening | values)
        renderer, (_, _, width, height) = self._canvas.get_renderer(), self.figure.bbox.bounds
        whole = Bbox([(-2, -2), (width + 2, height - HEAD * self.figure.dpi + 2)])
        axes = [axis for each in self.figure.axes for axis in (each.xaxis, each.yaxis)]
        ticks = {text for axis in axes for tick in axis.get_major_ticks() for text in (tick.label1, tick.label2)}
        texts = [each for each in self.figure.findobj(Text) if each.get_text().strip() and each.get_visible()]
        boxes = [each.get_window_extent(renderer) for each in texts if each not in ticks and each not in self._head]
        cut = sum(not (whole.contains(*each.min) and whole.contains(*each.max)) for each in boxes)
        pairs = itertools.combinations([each.padded(-3 * (room is None)) for each in boxes], 2)  # which may touch there
        return np.array([cut, sum(bool(a.overlaps(b)) for a, b in pairs)])

    def still(self):
        """The picture and what it says."""
        with self._lock:
            before = self.values
            if before == self._opening:  # else its reader has begun: it is stored as it is left
                self.set(**self.stored)
            setp(self.moving, animated=False)  # or the whole figure would be saved without them
            try:
                return still_twin(self.figure, self.finding)
            finally:
                setp(self.moving, animated=True)
                self.set(**before)


def _nodes(tree):
    """All that `setup` returned, depth first."""
    yield tree
    if isinstance(tree, Artist):
        return
    branches = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list | tuple) else ()
    for branch in [*branches, *getattr(tree, "artists", [])]:
        yield from _nodes(branch)
