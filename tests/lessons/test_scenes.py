"""Every scene answers every control, with a picture that is whole and a sentence that says what it shows.

Scenes, derivations, exercises and guesses are discovered, so that a new one is tested without being listed.
"""

import ast
import base64
import io
import re
from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import nbformat
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from notebook_rules import code_cells
from PIL import Image

from calibtutor.data.downloads import available
from calibtutor.lessons import discover
from calibtutor.plots import Picture
from calibtutor.teach.explore import Explorable, explore
from calibtutor.teach.notebooks import discover as notebooks

SCENES = discover("scenes")
NEEDS = {
    "case_studies.bias_explorer": "compas-scores-two-years.csv",
    "case_studies.owners_explorer": "AHS_2019_Cleaned.csv",
    "case_studies.neighbours_explorer": "heart.csv",
}
SCENES = {name: scene for name, scene in SCENES.items() if name not in NEEDS or available(NEEDS[name])}
MAX_OPTIONS = 8
# Moving artists lie over all that stands still, which a whole redraw orders by depth: axes and letters differ.
DEPTH_PIXELS = 0.004


@dataclass
class Stop:
    """What a scene showed with one control moved to one value; at the control's ends it is redrawn to compare."""

    control: str
    value: object
    picture: np.ndarray
    sentence: str
    error: str | None
    stale: float = 0.0
    reordered: float = 0.0


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def ends(control):
    """The values a control is swept over: all of a short list, the next two clicks, both ends of anything else."""
    if isinstance(control, widgets.Button):
        return [control.value + 1, control.value + 2]
    if hasattr(control, "options"):
        return control.options if len(control.options) <= MAX_OPTIONS else [control.options[0], control.options[-1]]
    return [control.min, control.max] if hasattr(control, "min") else [True, False]


def share_of_differing_pixels(a, b, by=0):
    return float((np.abs(a - b).max(axis=2) > by).mean())


def redrawn(shown):
    """The same figure drawn from nothing, twice: in two layers as the explorer does, and in one."""
    figure, canvas = shown._figure, shown._canvas
    figure.set_layout_engine("none")  # where things lie was settled once and for all
    canvas.draw()
    moving = shown._moving  # in the explorer's order, which decides between artists of equal depth
    assert set(moving) == {artist for artist in figure.findobj() if artist.get_animated()}
    for artist in moving:
        figure.draw_artist(artist)
    layered = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    for artist in moving:
        artist.set_animated(False)
    canvas.draw()
    whole = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    for artist in moving:
        artist.set_animated(True)
    return layered, whole


def sweep_of(shown):
    """Move every control over its ends, one at a time, from the defaults."""
    stops, defaults = [], shown.values
    for name, control in shown.controls.items():
        values = ends(control)
        for value in values:
            shown.set(**{name: value})
            stop = Stop(name, value, pixels(shown.png), shown.sentence, shown.error)
            if value in (values[0], values[-1]):
                layered, whole = redrawn(shown)
                stop.stale = share_of_differing_pixels(stop.picture, layered)
                stop.reordered = share_of_differing_pixels(stop.picture, whole, by=40)
            stops.append(stop)
        shown.set(**defaults)
    return stops


@cache
def made(name, copy=0):
    return SCENES[name]()


@cache
def sweep(name):
    """(first picture, stops, last picture at the defaults again)."""
    shown = made(name)
    first = shown.png
    return first, sweep_of(shown), shown.png


every_scene = pytest.mark.parametrize("name", SCENES)


def skip_stills(name):
    if isinstance(made(name), Picture):
        pytest.skip("a still picture has no controls")


@every_scene
def test_a_scene_is_an_explorable_or_a_picture(name):
    shown = made(name)
    assert isinstance(shown, Explorable | Picture)
    assert SCENES[name].__doc__, "a scene says in its docstring what it is for"
    assert len(shown.sentence.split()) >= 5 and not re.search(r"\bnan\b|\binf\b", shown.sentence)
    data, metadata = shown._repr_mimebundle_()
    stored = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert stored.size == Image.open(io.BytesIO(shown.png)).size
    assert data["text/plain"] == metadata["image/png"]["alt"] == shown.sentence
    assert isinstance(shown, Picture) or "application/vnd.jupyter.widget-view+json" in data


@every_scene
def test_two_readers_are_told_the_same(name):
    sweep(name) if isinstance(made(name), Explorable) else None  # moved about and back at the defaults
    assert made(name)._repr_mimebundle_()[0]["text/plain"] == made(name, 1)._repr_mimebundle_()[0]["text/plain"]
    assert made(name).png == made(name, 1).png


@every_scene
def test_every_control_can_go_to_both_ends(name):
    skip_stills(name)
    first, stops, last = sweep(name)
    assert {stop.control for stop in stops} == set(made(name).controls)
    assert [(stop.control, stop.value, stop.error) for stop in stops if stop.error] == []
    assert {stop.picture.shape for stop in stops} == {pixels(first).shape}
    assert last == first, "back at the defaults the picture is the first one again"


@every_scene
def test_every_control_changes_picture_and_sentence(name):
    skip_stills(name)
    _, stops, _ = sweep(name)
    for control in made(name).controls:
        mine = [stop for stop in stops if stop.control == control]
        assert len({stop.picture.tobytes() for stop in mine}) > 1, control
        assert len({stop.sentence for stop in mine}) > 1, control
        for stop in mine:
            assert len(stop.sentence.split()) >= 5 and not re.search(r"\bnan\b|\binf\b", stop.sentence), stop.sentence


@every_scene
def test_in_place_is_as_good_as_from_nothing(name):
    skip_stills(name)
    _, stops, _ = sweep(name)
    assert [(s.control, s.value) for s in stops if s.stale] == [], "an artist moves that setup does not return"
    assert [(s.control, s.value, s.reordered) for s in stops if s.reordered > DEPTH_PIXELS] == []


def test_a_forgotten_artist_is_noticed():
    def setup(fig):
        return [fig.add_artist(Rectangle((x, 0), 0.01, 0.05)) for x in (0.2, 0.7)]

    def update(artists, a=1):
        for artist in artists:
            artist.set_y(a / 6)
        return f"Two small marks at height {a} of 6."

    good = explore(setup, update, size=(4, 3), a=(0, 5, 1))
    assert not any(stop.stale or stop.reordered > DEPTH_PIXELS for stop in sweep_of(good))
    kept = []

    def forgetful(fig):
        kept[:] = setup(fig)
        return kept[:1]

    bad = explore(forgetful, lambda artists, a=1: update(kept, a), size=(4, 3), a=(0, 5, 1))
    assert any(stop.stale for stop in sweep_of(bad))


def test_a_button_is_swept_over_its_next_clicks():
    def setup(fig):
        return [fig.add_artist(Rectangle((0.2, 0), 0.1, 0.1))]

    def update(artists, more=0, a=1):
        artists[0].set_xy((a / 10, more / 10))
        return f"A mark after {more} clicks."

    shown = explore(setup, update, size=(4, 3), more="move it", a=(0, 5, 1))
    first, stops = shown.png, sweep_of(shown)
    assert [(stop.control, stop.value) for stop in stops] == [("more", 1), ("more", 2), ("a", 0), ("a", 5)]
    assert [type(stop.value) for stop in stops] == [int] * 4  # True would pass for a first click
    assert len({stop.picture.tobytes() for stop in stops}) == 4 and shown.png == first


def test_an_artist_drawn_over_what_should_hide_it_is_noticed():
    def setup(fig):
        fig.add_artist(Rectangle((0, 0), 1, 1, color="navy", zorder=9))
        return fig.add_artist(Rectangle((0, 0), 0.5, 0.5, color="orange"))

    shown = explore(setup, lambda artist, a=1: f"Orange over blue, {a} of 5.", size=(2, 2), a=(0, 5, 1))
    assert all(stop.reordered > DEPTH_PIXELS and not stop.stale for stop in sweep_of(shown))


# What scenes with a known truth must say: (scene, values, words that must stand in the sentence in this order).
SAID = [
    ("binning_and_kde.aliasing", {"waves": 10, "bins": 10}, "0.0255 … 0.0000"),
    ("binning_and_kde.aliasing", {"waves": 10, "bins": 20}, "0.0255 … 0.0255"),
    ("start.coin", {"forecast": 0.8, "rate": 0.5}, "0.340 … 0.090 … 0.250"),
    ("start.road_scenes", {"humans": 0, "animals": 4}, "Calibrated"),
    ("start.road_scenes", {"humans": 5, "animals": 4}, "Not calibrated … object … 55%"),
    ("notions.ladder", {"world": "six permutations", "strength": 0.0}, "Every notion holds"),
    ("notions.ladder", {"world": "six permutations", "strength": 1.0}, "Broken: canonical."),
    ("notions.ladder", {"world": "trade the lower two", "strength": 1.0}, "Broken: canonical, class-wise."),
    ("notions.ladder", {"world": "hidden top", "strength": 1.0}, "Broken: canonical, top-label-per-class, top-label."),
    ("notions.opponent", {"functions": "constants", "world": "six permutations"}, "earns 0 … nothing"),
    ("binning_and_kde.choose_bandwidth", {"published_extra_term": True}, "e-05"),
]


@pytest.mark.parametrize(("name", "values", "words"), SAID)
def test_scenes_with_a_known_truth_say_it(name, values, words):
    shown = made(name)
    defaults = shown.values
    sentence = shown.set(**values).sentence
    shown.set(**defaults)
    assert re.search(".*".join(map(re.escape, words.split(" … "))), sentence), sentence


# --- nothing is made for no notebook ---


@cache
def names_in_notebooks():
    """Every dotted name in the notebooks' code, with imports resolved."""
    found = set()
    for path in notebooks():
        source = "\n".join(cell.source for _, cell in code_cells(nbformat.read(path, as_version=4)))
        found |= dotted_names("\n".join(line for line in source.splitlines() if not re.match(r"\s*[%!]", line)))
    return found


def dotted_names(source):
    known, found = {}, set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            known |= {alias.asname: alias.name for alias in node.names if alias.asname}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            first, dot, rest = ast.unparse(node).partition(".")
            found.add(known.get(first, first) + dot + rest)
    return found


WORDS = {"scenes": "scenes", "derivations": "derivations", "exercises": "check", "guesses": "guess"}
MADE = {
    f"{kind} {name}": name.replace(".", f".{word}.")
    for kind, word in WORDS.items()
    for name in discover(kind)
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_used_in_a_notebook(name):
    assert f"calibtutor.lessons.{MADE[name]}" in names_in_notebooks()


def test_names_are_found_through_imports():
    source = "from calibtutor.lessons.start import scenes as s\nfrom a.b import check\nimport x.y as z\n"
    source += "s.coin()\ncheck.gap(1)\nz.f"
    assert {"calibtutor.lessons.start.scenes.coin", "a.b.check.gap", "x.y.f"} <= dotted_names(source)
    assert "calibtutor.lessons.start.scenes.forest" not in dotted_names(source)
