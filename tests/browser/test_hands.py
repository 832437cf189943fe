"""Pictures taken in hand: what the page draws and says is what Python computes, and every handle answers hand and keys.

A scene's script is held to its `update` at random settings: its lines word for word, its marks within half a pixel.
"""

import base64
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from book_reader import drag
from lab import IN_PAGE
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D

from calibtutor.lessons import discover
from calibtutor.teach import hands
from calibtutor.teach.explore import Explorable, explore

SETTINGS = [12, pytest.param(50, marks=pytest.mark.slow)]
NAMES = [name for name, make in discover("scenes").items() if "hand=Hand" in open(make.__code__.co_filename).read()]


@cache
def scene(name):
    return discover("scenes")[name]()


PAGE, LIVE = (Path(__file__).with_name(f"one_{what}.html").read_text(encoding="utf-8") for what in ("scene", "image"))
IN_HAND = [name for name in NAMES if isinstance(scene(name), Explorable) and scene(name).hand]


def opened(chromium, name, width=900, **context):
    """A page with this scene alone, what the page was told of it, and its opening places."""
    shown = scene(name)
    about = hands.about(shown.hand, shown.controls, shown.size)
    start = {each: told["values"].index(shown._opening[each]) for each, told in about["controls"].items()}
    page = chromium.new_context(viewport={"width": max(width, 400), "height": 900}, **context).new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text))
    css, module = ((hands.HERE / each).read_text() for each in ("hands.css", "hands.js"))
    parts = {"script": hands.script(shown.hand), "about": json.dumps(about), "start": start, "width": width}
    page.set_content(PAGE.format(css=css, module=module, **parts))
    return page, about, start


def artist_of(shown, mark):
    """The artist that a mark's name leads to: `dot`, `diagram.points` or `bars.0`."""
    found = shown.artists
    for part in mark.split("."):
        if isinstance(found, list):
            found = found[int(part)] if part.isdigit() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else getattr(found, part, None)
    return found


def drawn(artist):
    """Where a line, segments or an outline are, [x, y, x, y, …]; None of other artists."""
    if isinstance(artist, Line2D):
        found = np.column_stack(artist.get_data()).astype(float)
    elif isinstance(artist, LineCollection):
        found = np.concatenate([*map(np.asarray, artist.get_segments()), np.empty((0, 2))])
    elif isinstance(artist, PathCollection):
        found = np.asarray(artist.get_offsets())
    elif isinstance(artist, PolyCollection):
        found = np.concatenate([*(path.vertices[:-1] for path in artist.get_paths()), np.empty((0, 2))])
    else:
        return None
    return found.ravel()


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", IN_HAND)
def test_the_page_draws_and_says_what_python_computes(name, settings, chromium):
    shown, rng = scene(name), np.random.default_rng(0)
    page, about, _ = opened(chromium, name)
    compared = set()
    for _ in range(settings):
        at = {each: int(rng.integers(len(told["values"]))) for each, told in about["controls"].items()}
        values = {each: about["controls"][each]["values"][place] for each, place in at.items()}
        finding = shown._move(values)
        page.evaluate("at => shown.show(at)", at)
        assert page.evaluate("lines") == list(finding), values
        for mark, each in page.evaluate(IN_PAGE["marksWanted"]).items():
            if (wanted := drawn(artist_of(shown, mark))) is not None:
                found = np.array([np.nan if x is None else x for x in each["at"]], dtype=float)
                assert found.shape == wanted.shape, (mark, values)
                apart = np.abs(found - wanted).reshape(-1, 2) * np.abs(each["px"])
                assert np.nanmax(apart, initial=0) <= 0.5, (mark, values)
                assert (np.isnan(found) == np.isnan(wanted)).all(), (mark, values)
                compared.add(mark)
    assert page.errors == [] and compared, "a mark has its artist's name"


def test_numbers_are_written_as_python_writes_them(chromium):
    page, *_ = opened(chromium, "start.coin")
    numbers = [*(np.arange(-40, 41) / 16), *(np.arange(200) / 1000), 0.0625, 0.2475, 2.5, 1e-9, 0.55 * (1 - 0.55)]
    for digits in range(5):
        written = "([all, digits]) => all.map((x) => hands.fixed(x, digits, {minus: '-'}))"
        said = page.evaluate(written, [[float(x) for x in numbers], digits])
        assert said == [f"{x:.{digits}f}" for x in numbers]


@pytest.mark.parametrize("name", IN_HAND)
def test_a_hand_and_keys_move_every_handle(name, chromium):
    page, *_ = opened(chromium, name, 360, reduced_motion="reduce")
    handles = page.locator(".handle").all()
    assert handles, "nothing to take in hand"
    for handle in handles:
        assert handle.locator(".target").bounding_box()["width"] > 43.9
        page.evaluate("moved.length = 0")
        for place in ((-60, -60), (60, 60)):
            drag(page, handle.locator(".choice"), place)
        by_hand = {each for each, _ in page.evaluate("moved")}
        page.evaluate("moved.length = 0")
        for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
            handle.press(key)
        by_keys = {each for each, _ in page.evaluate("moved")}
        assert by_hand and by_hand == by_keys, handle.get_attribute("aria-label")
        page.evaluate("moved.length = 0")
        for key in ("End", "Home", "ArrowRight"):
            handle.press(key)
        assert [place for _, place in page.evaluate("moved")][-2:] == [0, 1], "to the first value, and one up"
        assert handle.get_attribute("role") == "slider" and handle.get_attribute("aria-valuetext")
    sizes = page.locator("svg.hands text").evaluate_all("all => all.map(t => parseFloat(getComputedStyle(t).fontSize))")
    assert min(sizes) >= 11 and page.errors == []


def test_a_bet_stays_under_the_finger_with_its_neighbours_in_tow(chromium):
    page, *_ = opened(chromium, "bets_and_kernels.place_bets")
    page.evaluate("shown.show({smooth: 1})")
    bets = "[...document.querySelectorAll('.choice')].map(e => e.getBoundingClientRect().y)"
    for by in (80, 150, -40):
        before = page.evaluate(bets)
        drag(page, page.locator(".choice").nth(2), (0, by))
        moved = np.subtract(page.evaluate(bets), before)
        assert moved[2] == pytest.approx(by, abs=10), "half a step of the sliders, and a pixel or two"
        assert (abs(moved[[1, 3]]) > abs(by) / 3).all() and abs(moved[5]) < abs(by) / 3


@pytest.mark.parametrize(("motion", "flies"), [("no-preference", True), ("reduce", False)])
def test_points_fly_onto_the_edges_where_a_weaker_notion_sees_them(motion, flies, chromium):
    page, *_ = opened(chromium, "notions.perfect_diagonal", reduced_motion=motion)
    points = "shown.picture.marks['triangle.points'].%s.join()"
    where = page.evaluate(f"() => {{ const before = {points % 'shown'}; shown.show({{look: 1}}, {{tween: true}});"
                          f"return [before, {points % 'shown'}, {points % 'wanted'}]; }}")
    assert where[0].count(",") == where[2].count(",") and where[0] != where[2]
    assert where[1] == where[0 if flies else 2]
    page.wait_for_function(f"{points % 'shown'} === {json.dumps(where[2])}", timeout=2000)


def columns(page):
    """What is painted: the places of `column_1` … in the picture."""
    at = page.evaluate("shown.picture.at")
    return [at[f"column_{k}"] for k in range(1, 11)]


def test_a_map_is_painted_dragged_and_pinched(chromium):
    page, *_ = opened(chromium, "for_whom.plant_an_error", has_touch=True)
    box, place = page.locator("rect.painted").bounding_box(), "shown.picture.at"
    at = lambda u, v: (box["x"] + box["width"] * u, box["y"] + box["height"] * (1 - v))

    def paint(start, end):
        page.mouse.move(*at(*start))
        page.mouse.down()
        page.mouse.move(*at(*end), steps=12)
        page.mouse.up()

    paint((0.05, 0.9), (0.25, 0.9))  # three cells that said too little say right
    assert columns(page)[:4] == [1 + 1 + 3 + 2 * 9, 1 + 1 + 3 + 2 * 9, 1 + 1 + 3 + 2 * 9, 0]
    before = page.evaluate(place)
    paint((0.4, 0.5), (0.5, 0.6))  # within the reach: the bet moves
    moved = page.evaluate(place)
    assert {name for name in moved if moved[name] != before[name]} == {"bet_x", "bet_p"}
    fingers = page.context.new_cdp_session(page)
    touch = lambda kind, *points: fingers.send("Input.dispatchTouchEvent", {
        "type": kind, "touchPoints": [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]})
    touch("touchStart", at(0.05, 0.1))  # paints, till the second finger comes
    assert columns(page) != [moved[f"column_{k}"] for k in range(1, 11)]
    touch("touchStart", at(0.05, 0.1), at(0.95, 0.95))
    for step in range(1, 9):
        touch("touchMove", at(0.05 + 0.03 * step, 0.1 + 0.03 * step), at(0.95 - 0.03 * step, 0.95 - 0.03 * step))
    touch("touchEnd")
    pinched = page.evaluate(place)
    assert {name for name in pinched if pinched[name] != moved[name]} == {"width_x", "width_p"}
    assert pinched["width_x"] < moved["width_x"] and pinched["width_p"] < moved["width_p"]
    brush = page.locator(".brush")
    said = brush.get_attribute("aria-label")
    brush.press("ArrowRight")
    assert brush.get_attribute("aria-label") != said
    brush.press("Enter")
    assert columns(page) != [pinched[f"column_{k}"] for k in range(1, 11)]
    page.get_by_role("button", name="wipe the paint").press("Enter")
    assert columns(page) == [0] * 10 and page.errors == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_image_that_a_menu_changes_goes_slowly(motion, chromium):
    shown = explore(lambda fig: fig.add_subplot().plot([], []), lambda a, x=1, few="a": f"So {x} {few}.",
                    size=(3, 2), x=(0, 3, 1), few=["a", "b"])
    shown.set(x=2)
    assert shown.grips.melts == 0, "a slider is followed at once"
    shown.set(few="b")
    assert shown.grips.melts == 1
    page = chromium.new_context(reduced_motion=motion).new_page()
    css, module = ((hands.HERE / each).read_text() for each in ("hands.css", "hands.js"))
    page.set_content(LIVE.format(css=css, module=module, png=base64.b64encode(shown.png).decode()))
    page.wait_for_function("document.querySelector('img').complete")
    old = page.evaluate(IN_PAGE["changedByAMenu"])
    assert old == ([300, 90, [255] * 4] if motion != "reduce" else None)
    page.wait_for_function("!document.querySelector('.melting')", timeout=2000)


def test_an_area_of_nothing_is_no_path(chromium):
    page, *_ = opened(chromium, "start.coin")
    drawn = page.evaluate(IN_PAGE["drawAreas"])
    page.wait_for_timeout(50)
    assert drawn == ["", "MLLZMLLZ"] and page.errors == []


def test_nothing_shows_through_a_veil():
    scripts = [hands.HERE / "hands.js", *(hands.HERE.parent / "lessons").glob("*/*.js")]
    shown = [path.name for path in scripts if '"visible"' in path.read_text(encoding="utf-8")]
    assert shown == [], "it would be seen in a picture that is hidden: say inherit"
