"""Pictures that are taken in hand: marks drawn in the page by hands.js, from numbers that Python computed.

A scene's script stands beside its room, `lessons/start/coin.js`, and says where marks go; what is computed comes as a
table. `explore(..., hand=Hand("coin", __file__, table))` joins it to the scene's controls, live and in the book. The
scene's `update` stays what the still shows, and what tests hold the script to.
"""

from dataclasses import dataclass
from pathlib import Path

import anywidget
import ipywidgets as widgets
from traitlets import Any, Dict, Float, Int, List

from ..plots import HEAD
from .controls import CountingButton, steps

HERE = Path(__file__).parent
ENGINE, SHEET = ((HERE / name).read_text(encoding="utf-8") for name in ("hands.js", "hands.css"))
MODULE = "\nexport default {{ render: hands.{} }};\n"


@dataclass(frozen=True)
class Hand:
    """How a scene is drawn in the page.

    Attributes
    ----------
    scene : str
        The name under which its script calls ``hands.scene``.
    room : str
        ``__file__`` of the scene's room: the script is scene.js beside it.
    table : callable() -> dict
        What the script looks up: numbers, texts, lists and dicts of them.
    portrait : float
        Height by width on a page narrower than 560 pixels.
    painted : tuple of str
        Controls that are set in the picture alone, and not shown above it.
    """

    scene: str
    room: str
    table: callable = dict
    portrait: float = 1.15
    painted: tuple = ()


def script(hand):
    """The source of a scene's script."""
    return (Path(hand.room).parent / f"{hand.scene}.js").read_text(encoding="utf-8")


def about(hand, controls, size):
    """What hands.js is told of a picture: its script's name and table, its size in pixels, its controls' values."""
    told = {}
    for name, widget in controls.items():
        each = steps(name, widget)
        told[name] = {"label": each.label, "values": each.values, "texts": each.texts, "tween": each.kind != "slider",
                      "raw": not hasattr(widget, "options")}
    return {"scene": hand.scene, "table": hand.table(), "controls": told, "portrait": hand.portrait,
            "size": [round(100 * size[0]), round(100 * (size[1] - HEAD))]}


def marks(hand, controls, size):
    """The picture as a widget whose traits `at_<control>` the page itself joins to the controls: no kernel between."""
    place = lambda widget: "index" if hasattr(widget, "options") else "value"
    traits = {f"at_{name}": Any(getattr(each, place(each))).tag(sync=True) for name, each in controls.items()}
    traits |= {"about": Dict().tag(sync=True), "zoom": Float(1.0).tag(sync=True)}
    traits |= {"_esm": ENGINE + script(hand) + MODULE.format("render"), "_css": SHEET}
    made = type("Marks", (anywidget.AnyWidget,), traits)(about=about(hand, controls, size))
    for name, widget in controls.items():
        if isinstance(widget, CountingButton):  # the page does not know how often it was pressed
            widget.observe(lambda change, name=name: setattr(made, f"at_{name}", change["new"]), names="value")
        else:
            widgets.jslink((widget, place(widget)), (made, f"at_{name}"))
    return made


class Grips(anywidget.AnyWidget):
    """What lies over an image: `spots` to drag, in shares of its size; `pulled` is a spot and its new place.

    The page lets the old image go slowly each time `melts` grows, just before the new one comes.
    """

    _esm, _css = ENGINE + MODULE.format("renderGrips"), SHEET
    spots = List().tag(sync=True)
    pulled = List().tag(sync=True)
    melts = Int().tag(sync=True)
    ratio = Int(1).tag(sync=True)  # of the screen's pixels to the page's, 1 or 2
