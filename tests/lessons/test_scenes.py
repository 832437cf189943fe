"""Every scene answers every control, with a picture that is whole and a sentence that says what it shows.

Scenes, derivations, exercises and guesses are discovered, so that a new one is tested without being listed.
"""

import base64
import io
import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pytest
from drawn import ends
from grammar import broken_rules, scales
from matplotlib.collections import Collection
from matplotlib.colors import to_rgb
from notebook_rules import code_cells, names, sessions_first
from PIL import Image

from calibtutor import expected_calibration_error, top_label
from calibtutor.data.datasets import digits_predictions
from calibtutor.lessons import discover
from calibtutor.lessons.notions import scenes as scenes_01
from calibtutor.plots import CHOICE, Finding
from calibtutor.teach.assignment import LESSON
from calibtutor.teach.book import frames
from calibtutor.teach.controls import CountingButton
from calibtutor.teach.explore import Explorable
from calibtutor.teach.notebooks import discover as notebooks
from calibtutor.teach.still import Picture

SCENES = discover("scenes")
# Moving artists lie over all that stands still, which a whole redraw orders by depth: axes and letters differ.
DEPTH_PIXELS = 0.004
STILL_PIXELS = 0.0005  # a dot that moved by its width, and its number with it, are twice that
# What scenes with a known truth must say: at these values, these words in this order.
SAID = json.loads(Path(__file__).with_name("scenes_said.json").read_text(encoding="utf-8"))


pytestmark = pytest.mark.usefixtures("forget_widgets")


@pytest.mark.parametrize("name", sessions_first(SCENES))
def test_a_scene_answers_and_says_what_it_shows(name):
    shown = SCENES[name]()
    assert isinstance(shown, Explorable | Picture)
    assert SCENES[name].__doc__, "a scene says in its docstring what it is for"
    opening = looks(shown)
    data, metadata = shown._repr_mimebundle_()
    said, before = shown.finding, getattr(shown, "values", {})
    if before and shown.stored:  # it opens before its process has begun
        said = shown.set(**shown.stored).finding
        shown.set(**before)
    assert (data["text/plain"], metadata["image/png"]["alt"]) == ("\n".join(filter(None, said)), said.words)
    fresh, stored = pixels(base64.b64decode(data["image/png"])), stored_stills().get(name)
    assert stored is None or fresh.shape == stored.shape, "its notebook holds a still of another size; store it again"
    moved = 0 if stored is None else share_of_differing_pixels(fresh, stored, by=64)
    assert moved < STILL_PIXELS, f"{moved:.2%} of its still in the notebook differ; store it again"
    if isinstance(shown, Explorable):
        assert "application/vnd.jupyter.widget-view+json" in data
        stops = sweep(shown)
        assert stops[0].png == opening[0], "a look at its still changed it"
        assert wrong_with(shown, stops) == []
        headlines = {stop.finding.headline for stop in stops}
        assert len(headlines) > 1, f"the headline never changes: {headlines}"
        findings = [stop.finding for stop in stops]
        in_book = frames.settings(shown)  # or too many, which it says
        assert any(len(each.values) > 1 for each in in_book.values())
    else:
        shown.figure.draw_without_rendering()
        assert broken_rules(shown.figure) == []
        findings = [shown.finding]
    assert all(finding.headline and finding.drawn for finding in findings), "no headline, or no second line"
    for values, words in SAID.get(name, []):
        before = shown.values
        said = shown.set(**values).finding.words
        shown.set(**before)
        assert re.search(".*".join(map(re.escape, words.split(" … "))), said), said
    again, unused = opened_again(name, shown.computed_by)
    assert looks(again) == opening, "the next reader is shown something else"
    assert unused == [], "not what this picture runs"
    assert wrong_with_code(again) == []


@cache
def stored_stills():
    """What notebooks hold of the scenes that they show as they open: {name: pixels}."""
    found = {}
    for path in notebooks():
        cells = [cell for _, cell in code_cells(nbformat.read(path, as_version=4))]
        lesson = next(filter(None, (LESSON.search(cell.source) for cell in cells)))[1]
        for cell in cells:
            shown = re.search(r"^scenes\.(\w+)\(\)\s*\Z", cell.source, flags=re.M)
            for output in cell.outputs if shown else []:
                if "image/png" in output.get("data", {}):
                    found[f"{lesson}.{shown[1]}"] = pixels(base64.b64decode(output.data["image/png"]))
    return found


def looks(shown):
    """What a reader is shown first."""
    if isinstance(shown, Explorable):
        return shown.png, shown.finding
    data, _ = shown.still()
    return data["image/png"], shown.finding


def opened_again(name, functions):
    """The scene, opened once more, and which of the functions that it names it did not run."""
    before = {function: function.cache_info() for function in functions if hasattr(function, "cache_info")}
    ran = set()
    sys.setprofile(lambda frame, event, argument: ran.add(frame.f_code) if event == "call" else None)
    try:
        again = SCENES[name]()
    finally:
        sys.setprofile(None)
    ran |= {function for function in before if function.cache_info()[:2] != before[function][:2]}
    return again, [each.__name__ for each in functions if ran.isdisjoint({each, getattr(each, "__code__", each)})]


LONGEST = 24  # lines of the code of a picture, without imports


def wrong_with_code(shown):
    """In words, what is wrong with the code below a picture. It runs alone, or raises here."""
    lines = [line for line in shown.code.splitlines() if line.strip() and not line.startswith(("import ", "from "))]
    said = {"the picture does not offer its code": not shown.computed_by,
            f"{len(lines)} lines: show the heart of the computation": len(lines) > LONGEST,
            "the drawing, not the computation": re.search(r"axes|artist|set_text|Finding", shown.code),
            "a function does not say what it computes": not all(function.__doc__ for function in shown.computed_by)}
    exec(shown.code, {})
    return [words for words, wrong in said.items() if wrong]


def test_dots_stand_where_the_computation_says():
    shown = SCENES["notions.perfect_diagonal"]().set(t=1.0)
    world = scenes_01.trade_lower(1.0, scenes_01.placed(0.3, 0.6))
    wanted = scenes_01.what_diagrams_show(world)
    for parts, (said, happens) in zip(shown.artists["diagrams"], wanted, strict=False):
        np.testing.assert_array_equal(parts["dots"].get_data(), (said, happens))
    assert np.abs(happens - said).max() > 0.1
    shown = SCENES["bins.ece_against_bins"]().set(bins=40)
    digits = digits_predictions("neural network")
    wanted = expected_calibration_error(*top_label(digits.y_true, digits.y_prob), n_bins=40)
    assert shown.artists["dot"].get_data() == ([40], [pytest.approx(wanted)])


# What a reader with a mouse would complain about.
@dataclass
class Stop:
    """What a scene showed with one control moved to one value; at one end of the control it is redrawn to compare.

    As it opens, no control is.
    """

    control: str
    value: object
    png: bytes
    finding: Finding
    error: str | None
    rules: list
    scales: list
    spots: list
    yellow: list | None
    stale: float = 0.0
    reordered: float = 0.0

    @property
    def at(self):
        return f"{self.control} at {self.value}" if self.control else "as it opens"


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def share_of_differing_pixels(a, b, by=0):
    return float(((np.maximum(a, b) - np.minimum(a, b)).max(axis=2) > by).mean())  # unsigned: no a − b below 0


def redrawn(shown, layers=2):
    """The same figure drawn from nothing: in two layers, as the explorer does, or in one."""
    figure, canvas, moving = shown.figure, shown.figure.canvas, shown.moving
    assert set(moving) == {artist for artist in figure.findobj() if artist.get_animated()}
    for artist in moving:
        artist.set_animated(layers == 2)
    canvas.draw()
    for artist in moving if layers == 2 else []:  # in the explorer's order, which decides at equal depth
        figure.draw_artist(artist)
    for artist in moving:
        artist.set_animated(True)
    return np.array(canvas.buffer_rgba())[..., :3]


def stop_at(shown, control=None, value=None):
    """What is shown, now that the control has this value."""
    rules = [] if shown.error else broken_rules(shown.figure)
    rest = scales(shown.figure), shown.spots(), yellow_shapes(shown)
    return Stop(control, value, shown.png, shown.finding, shown.error, rules, *rest)


def yellow_shapes(shown):
    """Outlines of what the reader chose; None where no image is dragged: the page draws it, or it is a game."""
    if shown.hand or any(isinstance(each, CountingButton) for each in shown.controls.values()):
        return None
    chosen = lambda each: any(np.allclose(colour[:3], to_rgb(CHOICE)) for colour in each.get_facecolor())
    shapes = [each for each in shown.moving if isinstance(each, Collection) and chosen(each)]
    return [[each.get_offsets().tolist(), *(path.vertices.tolist() for path in each.get_paths())] for each in shapes]


def sweep(shown):
    """What it shows as it opens, with every control at its ends, one at a time, and back at the defaults."""
    for ghost in shown.ghosts:  # the setting before is no part of what a setting shows
        ghost.remember = lambda: None
    shown.figure.set_layout_engine("none")  # where things lie was settled once and for all
    shown.show_at(shown.figure.dpi)  # a still left the labels of axes where they lie in its own size
    stops, defaults = [stop_at(shown)], shown.values
    for name, control in shown.controls.items():
        values = ends(control)
        far = next(value for value in (values[-1], values[0]) if value != defaults[name])
        for value in values:
            shown.set(**{name: value})
            stop = stop_at(shown, name, value)
            if value == far and not stop.error:
                stop.stale = share_of_differing_pixels(pixels(stop.png), redrawn(shown))
                if name == list(shown.controls)[-1]:  # depth is the scene's, not a control's
                    stop.reordered = share_of_differing_pixels(pixels(stop.png), redrawn(shown, layers=1), by=40)
            stops.append(stop)
        shown.set(**defaults)
    return stops


def wrong_with(shown, stops):
    """In words, what went wrong while every control was moved to its ends and back."""
    first, said, dragged = stops[0], [], set()
    size = Image.open(io.BytesIO(first.png)).size
    for stop in stops:
        words = stop.finding.words
        found = {
            stop.error: stop.error,
            "the picture has another size": Image.open(io.BytesIO(stop.png)).size != size,
            f"the words do not tell: {words}": len(words.split()) < 5 or re.search(r"\bnan\b|\binf\b", words),
            "an artist moves that setup does not return": stop.stale,
            f"{stop.reordered:.1%} of the pixels are drawn over what should hide them": stop.reordered > DEPTH_PIXELS,
            "axes rescale": stop.scales != first.scales,
            **dict.fromkeys(stop.rules, True)}
        said += [f"{stop.at}: {words}" for words, wrong in found.items() if wrong]
    for control in shown.controls:
        mine = [stop for stop in stops if stop.control == control]
        said += [f"{control}: the picture stays as it is"] * (len({stop.png for stop in mine}) < 2)
        said += [f"{control}: the words stay as they are"] * (len({stop.finding for stop in mine}) < 2)
        if hasattr(shown.controls[control], "readout") and first.yellow is not None:  # a slider
            moved = {k for stop in mine for k, spot in enumerate(first.spots) if stop.spots[k] != spot}
            cannot = not moved and any(stop.yellow != first.yellow for stop in mine)
            said += [f"{control}: moves what is yellow, which cannot be dragged"] * cannot
            dragged |= moved
    said += [f"no slider moves yellow mark {k}" for k in range(len(first.spots)) if k not in dragged]
    return said + ["back at the defaults the picture is not the first one"] * (shown.png != first.png)


WORDS = {"scenes": "scenes", "derivations": "derivations", "exercises": "check", "guesses": "guess"}
MADE = {f"{kind} {name}": name.replace(".", f".{word}.") for kind, word in WORDS.items() for name in discover(kind)}


def test_what_is_made_is_used_in_a_notebook():
    assert set(SAID) <= set(SCENES)
    used = {name for path in notebooks() for _, name in names(nbformat.read(path, as_version=4))}
    assert [what for what, name in MADE.items() if f"calibtutor.lessons.{name}" not in used] == []
