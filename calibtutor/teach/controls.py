"""The controls above a picture: their widgets, and what each can be set to."""

import inspect
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

TOGGLED = 60  # letters that fit on the buttons of one choice; more become a drop-down


class CountingButton(widgets.Button, widgets.ValueWidget):
    """A button whose value counts its clicks: observed and set like any control, and unknown to the page."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.on_click(lambda _: self.set_trait("value", self.value + 1))


def control(name, spec, default, label):
    """The widget of a control, as `explore` describes it; ValueError for what it does not describe."""
    start = {} if default is inspect.Parameter.empty else {"value": default}
    # The label has the first line for itself, the control the second.
    layout = widgets.Layout(flex="1 1 240px", flex_flow="row wrap", min_width="240px", width="auto", height="auto")
    wide = {"description": label, "style": {"description_width": "100%"}, "layout": layout}
    if isinstance(spec, bool):
        return widgets.Checkbox(**{"value": spec} | start, description=label, indent=False, layout={"width": "auto"})
    if isinstance(spec, str) and spec:
        clicks = start.get("value", 0)
        if type(clicks) is not int:  # ["forest"] without its brackets
            raise ValueError(f"controls: {name} is the button {spec!r}, expected an int as default, got {clicks!r}")
        return CountingButton(value=clicks, description=spec, layout={"width": "auto"})
    if isinstance(spec, list) and spec:
        first = {"value": spec[0][1] if isinstance(spec[0], tuple) else spec[0]} | start
        words = all(isinstance(option, str) for option in spec)
        if words and len(spec) <= 4 and sum(map(len, spec)) <= TOGGLED:
            wide["style"]["button_width"], layout.flex = "auto", "1 1 auto"  # as wide as its buttons
            return widgets.ToggleButtons(options=spec, **first, **wide)
        return (widgets.Dropdown if words else widgets.SelectionSlider)(options=spec, **first, **wide)
    if isinstance(spec, tuple) and len(spec) == 3:
        low, high, step = spec
        kind = widgets.IntSlider if all(isinstance(v, int) for v in spec) else widgets.FloatSlider
        decimals = len(f"{step:.10f}".rstrip("0").partition(".")[2])
        digits = {} if kind is widgets.IntSlider else {"readout_format": f".{decimals}f"}
        return kind(**{"value": low} | start, min=low, max=high, step=step, **digits, **wide)
    raise ValueError(f"controls: {name} is {spec!r}, expected (min, max, step), a list, True/False or a text")


class Steps(NamedTuple):
    """What a control can be set to.

    Its label; its kind, "slider", "buttons", "select", "check" or "press"; its values, and how the reader sees each;
    which of them comes first.
    """

    label: str
    kind: str
    values: list
    texts: list
    start: int


SLIDERS = widgets.SelectionSlider, widgets.IntSlider, widgets.FloatSlider
KINDS = {CountingButton: "press", widgets.Checkbox: "check", widgets.ToggleButtons: "buttons",
         widgets.Dropdown: "select", **dict.fromkeys(SLIDERS, "slider")}


def steps(name, widget, presses=8, kept=None):
    """All that a control can be set to, or what is `kept` of it; a counting button is pressed so many times."""
    kind = KINDS[type(widget)]
    if kind == "press":
        presses = max(kept) - widget.value if kept else presses
        values = list(range(widget.value, widget.value + presses + 1))
        texts = [f"{pressed} of {presses}" for pressed in range(presses + 1)]
    elif kind == "check":
        values, texts = [False, True], ["no", "yes"]
    elif hasattr(widget, "options"):
        pairs = [each if isinstance(each, tuple) else (str(each), each) for each in widget.options]
        texts, values = (list(column) for column in zip(*pairs, strict=True))
    else:
        count = int((widget.max - widget.min) / widget.step + 1e-6) + 1
        values = [widget.min + i * widget.step for i in range(count)]
        if isinstance(widget, widgets.FloatSlider):
            values = [round(value, 10) for value in values]
        texts = [format(value, widget.readout_format).replace("-", "−") for value in values]
    if kept is not None:
        found = [next((i for i, value in enumerate(values) if _same(value, each)), None) for each in kept]
        if None in found:
            raise ValueError(f"kept: {name} cannot be {list(kept)[found.index(None)]!r}")
        if kind != "press":  # that one keeps its texts: they count
            values, texts = [values[i] for i in found], [texts[i] for i in found]
    start = next((i for i, value in enumerate(values) if _same(value, widget.value)), None)
    if start is None:
        raise ValueError(f"kept: {name} starts at {widget.value!r}, which is not kept")
    return Steps(widget.description, kind, values, texts, start)


def _same(a, b):
    numbers = all(isinstance(each, int | float) for each in (a, b))
    return bool(np.isclose(a, b, rtol=1e-9, atol=1e-12)) if numbers else a is b or a == b
