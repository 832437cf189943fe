"""Sliders and a picture that answers at once.

    explore(setup, update, bins=(1, 40, 1), model=["forest", "naive Bayes"])

`setup(fig)` draws the picture once and returns the artists that move; `update(artists, **values)` moves
them and returns what the picture then says, a `Finding`. Everything `setup` does not return is drawn
once and kept as a background, which is what makes the answer fast.
"""

import html
import inspect
import threading
import traceback
import weakref

import ipywidgets as widgets
import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist

from ..plots import STYLE, Finding, headline, new_figure
from .canvas import QuickCanvas, png
from .source import fold, several, source
from .still import WithStill, still_twin

__all__ = ["Explorable", "explore", "lecture_size"]

PAGE, ROOM = 100, 140  # dots per inch, on a page and for a lecture room
LEAST = 640  # pixels: a narrower screen scrolls the picture in its box
TOGGLED = 60  # letters that fit on the buttons of one choice; more become a drop-down
LABELS_LEFT = "<style>.calibtutor .widget-label {text-align: left; color: #5f5f5f}</style>"
_size = {"dpi": PAGE}
_living = weakref.WeakSet()


def lecture_size(on=True):
    """Make the type, lines and marks of all pictures 1.4 times as large, for a lecture room, or as before.

    Parameters
    ----------
    on : bool, default True
    """
    _size["dpi"] = ROOM if on else PAGE
    for explorable in list(_living):
        explorable.show_at(_size["dpi"])


def explore(setup, update, *, size=(9, 4), labels=None, code=(), **controls):
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
    **controls
        (min, max, step) -> slider; list of strings -> buttons side by side, or, if they are many or long, a
        drop-down; other list, of values or of (text, value) -> slider over its values;
        True or False -> check box; a string -> button with that text, whose value is an int that grows by 1
        with every click, from `update`'s default or 0: ``more="draw another data set"``.

    Returns
    -------
    Explorable

    Raises
    ------
    ValueError
        For a control that is none of these, or that `update` does not take, or a button whose default in
        `update` is no int.
    """
    return Explorable(setup, update, size, labels or {}, code, controls)


class Explorable(WithStill, widgets.VBox):
    """Controls above a picture above a sentence; see `explore`.

    Attributes
    ----------
    controls : dict of str -> widget
    image : widgets.Image
    message : widgets.HTML
        The sentence about the picture, or the error that kept it from being drawn.
    finding, png, error, values
        What was drawn last: a `Finding`, bytes, None or the error's text, and the controls' values.
    headline, sentence : str
        Of the finding.
    code : str
        The computation, as source.
    """

    def __init__(self, setup, update, size, labels, code, controls):
        accepted = {
            name: parameter.default for name, parameter in list(inspect.signature(update).parameters.items())[1:]
        }
        for name in controls:
            if name not in accepted:
                raise ValueError(f"controls: update takes {sorted(accepted)}, got {name!r}")
        # Events arrive on a second thread (JupyterLab >= 4.4): one drawing at a time, or pictures mix.
        self._lock = threading.RLock()
        self._update = update
        self._figure = new_figure(*size, dpi=_size["dpi"])
        with rc_context(STYLE):
            head = headline(self._figure)
            self._artists = setup(self._figure)
        self._head = head
        self._ghosts = [node for node in _nodes(self._artists) if hasattr(node, "remember")]
        self._moving = [*sorted(_find_artists(self._artists), key=lambda artist: artist.get_zorder()), *head]
        for artist in self._moving:
            artist.set_animated(True)  # left out of the background
        self._lay_out()
        self._figure.set_layout_engine("none")  # laid out once: nothing moves afterwards but what should
        self.controls = {
            name: _control(name, spec, accepted[name], labels.get(name, name.replace("_", " ")))
            for name, spec in controls.items()
        }
        self.image = widgets.Image(format="png")
        self.message = widgets.HTML()
        row = widgets.HBox(list(self.controls.values()))
        row.layout = widgets.Layout(flex_flow="row wrap", align_items="flex-end")
        box = widgets.Box([self.image], layout=widgets.Layout(overflow="auto hidden", max_width="100%"))
        self.finding, self.png, self.error, self._drawn = Finding("", "", ""), b"", None, None
        self._fit()
        for control in self.controls.values():
            control.observe(self._redraw, names="value")
        self._redraw()
        if self.error:  # a scene that fails at its defaults is a bug, not a reader's doing
            raise RuntimeError(self.error)
        looks = widgets.HTML(LABELS_LEFT, layout=widgets.Layout(display="none"))
        self.computed_by, self.code = several(code), source(code)
        super().__init__([row, box, self.message, fold(self.code), looks], _dom_classes=("calibtutor",))
        _living.add(self)

    def _lay_out(self):
        self._canvas = QuickCanvas(self._figure)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self._figure.bbox)

    def _fit(self):
        width, height = self._canvas.get_width_height()
        self.image.width, self.image.height = str(width), str(height)
        self.image.layout = widgets.Layout(
            width=f"{width}px", min_width=f"{LEAST}px", height="auto", max_width="100%", object_fit="contain"
        )
        self.message.layout = widgets.Layout(max_width=f"{width}px", min_height="3.2em")

    def show_at(self, dpi):
        """Draw at so many dots per inch from now on."""
        with self._lock:
            self._figure.set_dpi(dpi)
            self._lay_out()
            self._fit()
            self._drawn = None
            self._redraw()

    @property
    def headline(self):
        return self.finding.headline

    @property
    def sentence(self):
        return self.finding.sentence

    @property
    def values(self):
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values):
        """Move the controls as a reader would; returns self."""
        for name, value in values.items():
            self.controls[name].value = value
        return self

    def _redraw(self, change=None):
        with self._lock:
            values = self.values
            if values == self._drawn:
                return
            try:
                for ghost in self._ghosts if self._drawn else []:
                    ghost.remember()
                finding = self._update(self._artists, **values)
                if isinstance(finding, str):
                    finding = Finding("", "", finding)
                if not isinstance(finding, Finding) or not finding.sentence:
                    raise TypeError(f"update returned {finding!r}, expected a Finding or a sentence about the picture")
                for text, line in zip(self._head, finding, strict=False):
                    text.set_text(line)
                png = self._render()
            except Exception as problem:
                # Jupyter swallows exceptions of callbacks: without this line the old picture would stay and lie.
                self._drawn, self.error = None, "".join(traceback.format_exception_only(problem)).strip()
                self.image.layout.opacity = "0.25"
                self.message.value = (
                    f'<div role="alert" style="color:#b00020"><b>This picture could not be drawn for '
                    f"{html.escape(str(values))}</b><br>{html.escape(self.error)}</div>"
                )
                return
            self._drawn, self.error, self.finding, self.png = values, None, finding, png
            self.image.layout.opacity = "1"
            self.image.value = png
            self.message.value = (
                f'<div role="status" aria-live="polite" style="line-height:1.45">{html.escape(finding.sentence)}</div>'
            )

    def _render(self):
        self._canvas.restore_region(self._background)
        for artist in self._moving:
            self._figure.draw_artist(artist)
        return png(np.asarray(self._canvas.buffer_rgba()))

    def still(self):
        """The picture and what it says."""
        with self._lock:
            for artist in self._moving:
                artist.set_animated(False)  # or the whole figure would be saved without it
            try:
                return still_twin(self._figure, self.finding)
            finally:
                for artist in self._moving:
                    artist.set_animated(True)


class _CountingButton(widgets.Button, widgets.ValueWidget):
    """A button whose value counts its clicks: observed and set like any control, and unknown to the page."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.on_click(self._count)

    def _count(self, button):
        self.value += 1


def _nodes(tree):
    """All that `setup` returned, depth first."""
    yield tree
    if isinstance(tree, Artist):
        return
    branches = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list | tuple) else ()
    for branch in [*branches, *getattr(tree, "artists", [])]:
        yield from _nodes(branch)


def _find_artists(tree):
    return list(dict.fromkeys(node for node in _nodes(tree) if isinstance(node, Artist)))


def _control(name, spec, default, label):
    has_default = default is not inspect.Parameter.empty
    start = {"value": default} if has_default else {}
    # The label has the first line for itself, the control the second.
    wide = {"description": label, "style": {"description_width": "100%"}}
    wide["layout"] = widgets.Layout(width="280px", height="auto", flex_flow="row wrap")
    if isinstance(spec, bool):
        return widgets.Checkbox(**{"value": spec} | start, description=label, indent=False, layout={"width": "auto"})
    if isinstance(spec, str) and spec:
        clicks = start.get("value", 0)
        if type(clicks) is not int:  # ["forest"] without its brackets
            raise ValueError(f"controls: {name} is the button {spec!r}, expected an int as default, got {clicks!r}")
        return _CountingButton(value=clicks, description=spec, layout={"width": "auto"})
    if isinstance(spec, list) and spec:
        first = {"value": spec[0][1] if isinstance(spec[0], tuple) else spec[0]} | start
        words = all(isinstance(option, str) for option in spec)
        if words and len(spec) <= 4 and sum(map(len, spec)) <= TOGGLED:
            wide["style"]["button_width"] = wide["layout"].width = "auto"
            return widgets.ToggleButtons(options=spec, **first, **wide)
        return (widgets.Dropdown if words else widgets.SelectionSlider)(options=spec, **first, **wide)
    if isinstance(spec, tuple) and len(spec) == 3:
        low, high, step = spec
        kind = widgets.IntSlider if all(isinstance(v, int) for v in spec) else widgets.FloatSlider
        decimals = len(f"{step:.10f}".rstrip("0").partition(".")[2])
        digits = {} if kind is widgets.IntSlider else {"readout_format": f".{decimals}f"}
        return kind(**{"value": low} | start, min=low, max=high, step=step, **digits, **wide)
    raise ValueError(f"controls: {name} is {spec!r}, expected (min, max, step), a list, True/False or a text")
