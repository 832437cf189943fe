"""The explorer: controls of every kind, pictures that always match their values, errors that show."""

import base64
import io
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from weakref import WeakSet

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from PIL import Image

from calibtutor.plots import Finding, chance, estimate, panel
from calibtutor.teach import still
from calibtutor.teach.controls import control, steps
from calibtutor.teach.explore import explore, lecture_size
from calibtutor.teach.guess import Predict
from calibtutor.teach.marks import Ghost, choice


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def two_bars(fig):
    """Two bars on a bare figure; their heights are the values."""
    return [fig.add_artist(Rectangle((x, 0), 0.4, 0, color=colour)) for x, colour in ((0, "navy"), (0.5, "orange"))]


def set_bars(bars, a=1, b=2):
    for bar, value in zip(bars, (a, b), strict=True):
        bar.set_height(value / 5)
    return f"heights {a} and {b}"


def bars(**controls):
    return explore(two_bars, set_bars, size=(2, 1), **(controls or {"a": (0, 5, 1), "b": (0, 5, 1)}))


@pytest.mark.parametrize(("spec", "first"), [
    ((2, 9, 1), 2), ((0.5, 1.0, 0.1), 0.5), (["x", "y"], "x"), ([3, 1], 3), (True, True), ("draw another", 0)])
def test_without_a_default_a_control_starts_at_its_first_value(spec, first):
    update = lambda artists, v, some_more=3: "A sentence."
    shown = explore(lambda fig: [], update, size=(1, 1), v=spec, some_more=(0, 5, 1), labels={"v": "its label"})
    assert shown.values == {"v": first, "some_more": 3}
    assert shown.controls["some_more"].description == "some more"
    assert shown.controls["v"].description == ("draw another" if spec == "draw another" else "its label")


def test_every_second_press_of_a_game_puts_its_answer_back():
    def update(artists, answer="none", show=0):
        return f"{answer} after {show}"

    game = explore(lambda fig: [], update, size=(1, 1), answer=["none", "yes"], show="show", anew={"show": ["answer"]})
    game.set(answer="yes").set(show=1)
    assert game.finding.sentence == "yes after 1"
    game.set(show=2)
    assert game.finding.sentence == "none after 2"
    with pytest.raises(ValueError, match=r"anew: the controls are \['a', 'b'\], got 'c'"):
        bars(a=(0, 5, 1), b=(0, 5, 1), anew={"a": ["c"]})


def test_what_is_no_control_or_not_taken_is_refused():
    for spec in ((0, 5), None):
        with pytest.raises(ValueError, match=r"a is .*expected \(min, max, step\), a list, True/False or a text"):
            bars(a=spec)
    with pytest.raises(ValueError, match=r"a is the button 'forest', expected an int as default, got True"):
        explore(lambda fig: [], lambda artists, a=True: "A sentence.", size=(1, 1), a="forest")
    with pytest.raises(ValueError, match=r"controls: update takes \['a', 'b'\], got 'c'"):
        bars(c=(0, 5, 1))


def test_a_button_counts_its_clicks_and_the_picture_follows():
    shown = bars(a="raise the left bar", b=(0, 5, 1))
    first, button = shown.png, shown.controls["a"]
    assert isinstance(button, widgets.Button) and button.layout.width == "auto"
    assert "value" not in button.get_state(), "the button in the page knows no such trait"
    assert shown.values == {"a": 1, "b": 2}, "update's default"
    for count in (2, 3):
        button.click()
        assert shown.values == {"a": count, "b": 2}
        assert shown.finding.sentence == f"heights {count} and 2" and shown.finding.sentence in shown.message.value
        assert shown.png == shown.image.value == bars().set(a=count).png
    assert shown.set(a=1).png == first and shown.sentence == shown.finding.sentence == "heights 1 and 2"
    button.click()
    assert shown.values["a"] == 2, "counting goes on from what was set"


def test_the_picture_follows_and_nothing_jumps():
    shown = bars()
    first = shown.png
    assert shown.image.value == first and shown.finding.sentence == "heights 1 and 2"
    assert "heights 1 and 2" in shown.message.value and 'role="status"' in shown.message.value
    shown.set(a=5)
    assert shown.png != first and shown.image.value == shown.png
    picture = pixels(shown.png)
    assert picture.shape == (100, 200, 3) == (int(shown.image.height), int(shown.image.width), 3)
    # The left bar fills its 40 % of the height, the right one two fifths of it; between them the page is white.
    assert picture[:, 20].max(axis=0).tolist() == [0, 0, 128]
    assert (picture[:, 150, 2] == 0).mean() == pytest.approx(0.4, abs=0.02)
    assert (picture[:, 90] == 255).all()
    shown.set(a=1)
    assert shown.png == first


def test_an_error_is_shown_and_the_next_good_value_recovers():
    def update(artists, a=1, b=2):
        if a == 3:
            raise ZeroDivisionError("no <b>bars</b> for 3")
        return set_bars(artists, a, b) if a != 4 else None

    shown = explore(two_bars, update, size=(2, 1), a=(0, 5, 1), b=(0, 5, 1)).set(a=2)
    good = shown.png
    shown.set(a=3)
    assert shown.error == "ZeroDivisionError: no <b>bars</b> for 3"
    assert 'role="alert"' in shown.message.value and "no &lt;b&gt;bars&lt;/b&gt; for 3" in shown.message.value
    assert "&#x27;a&#x27;: 3" in shown.message.value  # the values that failed
    assert float(shown.image.layout.opacity) < 0.5 and shown.image.value == good
    shown.set(a=2)  # straight back to what was drawn last
    assert shown.error is None and shown.png == good == shown.image.value
    assert float(shown.image.layout.opacity) == 1
    assert 'role="status"' in shown.message.value and "heights 2 and 2" in shown.message.value
    shown.set(a=3).set(b=3)
    assert shown.error and 'role="alert"' in shown.message.value
    assert "update returned None, expected a Finding or a sentence" in shown.set(a=4).error
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):  # at the defaults
        explore(lambda fig: [], lambda artists, a=0: f"{1 / a}", size=(1, 1), a=(0, 5, 1))


def test_what_comes_during_a_slow_update_is_drawn_once():
    entered, go, drawn = threading.Event(), threading.Event(), []

    def slowly(artists, a=0, b=0):
        drawn.append((a, b))
        if a == 1:
            entered.set()
            go.wait(20)
        return f"Values {a} and {b}."

    shown = explore(lambda fig: [], slowly, size=(1, 1), a=(0, 5, 1), b=(0, 5, 1))
    threads = [threading.Thread(target=shown.set, kwargs=each) for each in ({"a": 1}, {"a": 2}, {"b": 3})]
    threads[0].start()
    assert entered.wait(20)
    for thread in threads[1:]:
        thread.start()
    while shown.values != {"a": 2, "b": 3}:
        time.sleep(0.01)
    go.set()
    for thread in threads:
        thread.join(20)
    assert drawn == [(0, 0), (1, 0), (2, 3)] and shown.error is None


def told(artists, a=1, b=2):
    return Finding(f"{a} against {b}", f"two bars, a = {a}, b = {b}", set_bars(artists, a, b))


def test_the_headline_and_what_is_drawn_stand_above_the_picture():
    shown, bare = (explore(two_bars, update, size=(4, 2), a=(0, 5, 1)) for update in (told, set_bars))
    assert shown.finding == ("1 against 2", "two bars, a = 1, b = 2", "heights 1 and 2")
    assert bare.finding == ("", "", "heights 1 and 2")
    head, rest = np.vsplit(pixels(shown.png) - pixels(bare.png), [66])
    assert (rest == 0).all() and len(np.flatnonzero(head.any(axis=(1, 2)))) > 20  # two lines of letters
    first = shown.png
    assert "1 against 2. two bars, a = 1, b = 2.</span> heights 1 and 2</div>" in shown.message.value  # read aloud
    assert shown.set(a=2).finding.headline == "2 against 2" and shown.set(a=1).png == first


def test_a_ghost_stays_where_its_artist_was():
    def setup(fig):
        axes = panel(fig, xlim=(0, 1), ylim=(0, 6))
        line, fill = estimate(axes, [0, 1], [0, 0], line=True), chance(axes)
        return {"line": line, "fill": fill, "ghosts": [Ghost(line), Ghost(fill)]}

    def update(artists, a=1):
        artists["line"].set_ydata([a, a])
        artists["fill"].set_verts([[(0, a), (1, a), (1, a + 1)]])
        return f"A line at {a}."

    shown = explore(setup, update, size=(4, 3), a=(0, 5, 1))
    line, fill = (ghost.shadow for ghost in shown.ghosts)
    assert len(line.get_xdata()) == 0 and fill.get_paths() == []
    for before, after in ((1, 4), (4, 2)):
        shown.set(a=after)
        assert list(line.get_ydata()) == [before, before]
        assert fill.get_paths()[0].vertices[:3].tolist() == [[0, before], [1, before], [1, before + 1]]
    assert {line, fill} <= set(shown.moving)


def test_lecture_size_enlarges_every_picture_and_takes_it_back(monkeypatch):
    monkeypatch.setattr(sys.modules["calibtutor.teach.explore"], "_living", WeakSet())  # and none of other tests
    shown, first = bars(), bars().png
    try:
        lecture_size()
        later = bars()
        for each in (shown, later):
            assert pixels(each.png).shape == (140, 280, 3) == (int(each.image.height), int(each.image.width), 3)
            assert each.image.value == each.png and each.image.layout.width == "280px"
        assert shown.set(a=4).png == later.set(a=4).png
        assert shown.set(a=1).error is None
    finally:
        lecture_size(False)
    assert shown.png == first and later.set(a=1).png == first


def chosen(**controls):
    """A yellow mark at (x, y²) that two sliders move, and a menu and `more` do not."""

    def setup(fig):
        axes = fig.add_subplot(xlim=(0, 10), ylim=(0, 100))
        return {"dot": choice(axes), "line": axes.plot([0, 1], [0, 1])[0]}

    def update(artists, x=2, y=3, name="a", more=0):
        artists["dot"].set_data([x], [y**2])
        artists["line"].set_ydata([0, more])
        return f"{name}: {x}, {y}"

    return explore(setup, update, **({"x": (0, 10, 1), "y": (0, 10, 1), "name": ["a", "b"]} | controls))


def test_a_yellow_mark_that_is_pulled_moves_the_slider_that_brings_it_nearest():
    shown = chosen(more=(0, 3, 1)).set(more=2)
    ((x, y),) = shown.spots()
    axes = shown.figure.axes[0]
    at = lambda *data: axes.transData.transform(data) / shown.figure.bbox.size * (1, -1) + (0, 1)
    assert at(2, 9) == pytest.approx((x, y))
    shown.pull(0, *at(2.1, 9.5))
    assert shown.values == {"x": 2, "y": 3, "name": "a", "more": 2}, "nothing brings it nearer"
    shown.pull(0, *at(7.2, 11))
    assert shown.values == {"x": 7, "y": 3, "name": "a", "more": 2} and shown.finding.sentence == "a: 7, 3"
    assert shown.spots() == [pytest.approx(at(7, 9))]
    shown.grips.pulled = [0, *at(7.1, 50)]  # as the page does it
    assert shown.values == {"x": 7, "y": 7, "name": "a", "more": 2}
    for tap, x in enumerate((8, 9, 10, 0)):
        shown.grips.pulled = [0, None, tap]
        assert shown.values == {"x": x, "y": 7, "name": "a", "more": 2}, "a step on, and from the end to the beginning"
    assert shown.grips.melts == 0 and shown.set(name="b").grips.melts == 1, "what a menu changes goes slowly"
    before, width = Image.open(io.BytesIO(shown.png)).size, shown.image.width
    shown.grips.ratio = 2  # a sharp screen
    assert Image.open(io.BytesIO(shown.png)).size == tuple(2 * side for side in before) and shown.image.width == width
    game = chosen(more="ask again")
    assert game.spots() == [] and game.grips.spots == [], "a game gives nothing away to a hand"


def test_a_still_is_the_live_picture_twice_as_fine_with_its_sentence_below():
    """What else the output of a notebook holds is asked of every scene in tests/lessons/test_scenes.py."""
    shown = explore(two_bars, told, size=(4, 2), a=(0, 5, 1))
    data, metadata = shown._repr_mimebundle_()
    assert metadata["image/png"]["width"] == 400
    still = pixels(base64.b64decode(data["image/png"]))
    assert still.shape[1] == 800 and still.shape[0] > 400 and (still[400:] < 128).any()
    live = Image.fromarray(still[:400].astype(np.uint8)).resize((400, 200), Image.Resampling.BOX)
    off = np.abs(np.asarray(live).astype(int) - pixels(shown.png)).max(axis=2)
    assert (off > 60).mean() < 0.02  # letters of other hinting
    assert (still[:60] < 100).all(axis=2).any(), "the headline is in the still"


@pytest.mark.slow
def test_pyplot_stays_out():
    """Importing it would choose a backend and keep every figure alive."""
    code = """
import sys
from calibtutor.lessons import discover
[discover(kind) for kind in ("scenes", "exercises", "guesses", "derivations")]
discover("scenes")["start.coin"]().still()
sys.exit("matplotlib.pyplot" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


def test_below_a_guess_that_nobody_made_a_picture_waits(monkeypatch):
    """Run All shows a guess and its picture at once; in each cell one of them."""
    cell = SimpleNamespace(execution_count=0)
    monkeypatch.setattr(still, "get_ipython", lambda: cell)

    def shown(each, later=1):
        cell.execution_count += later
        each._repr_mimebundle_()
        return each

    hidden = lambda scene: scene.image.layout.visibility == "hidden"
    guess = shown(Predict("Which?", ["a", "b"], "a", "So."))
    scene = shown(bars())
    assert hidden(scene) and scene.veil.layout.display == "" and "image/png" in scene._repr_mimebundle_()[0]
    assert scene.veil in scene._held.children and scene.veil.layout.visibility != "hidden"  # in the grey area
    assert not hidden(shown(bars())), "a picture stands between"
    shown(guess)
    assert not hidden(shown(bars(), later=2)), "a cell stands between"
    guess.buttons[1].click()
    assert not hidden(scene) and scene.veil.layout.display == "none"
    shown(guess)
    assert not hidden(shown(bars())), "the guess was made"


pytestmark = pytest.mark.usefixtures("forget_widgets")
LONG = "a forest of 200 trees, of which none was pruned, not even at the end"
CASES = [((1, 4, 1), 2, {}, ("slider", [1, 2, 3, 4], ["1", "2", "3", "4"], 1)),
         ((-0.2, 0.1, 0.1), 0.1, {}, ("slider", [-0.2, -0.1, 0.0, 0.1], ["−0.2", "−0.1", "0.0", "0.1"], 3)),
         ((0.05, 0.95, 0.05), 0.35, {"kept": [0.1, 0.35]}, ("slider", [0.1, 0.35], ["0.10", "0.35"], 1)),
         (["a", "b"], "b", {}, ("buttons", ["a", "b"], ["a", "b"], 1)),
         ([LONG, "words"], LONG, {}, ("select", [LONG, "words"], [LONG, "words"], 0)),
         ([50, "all"], "all", {}, ("slider", [50, "all"], ["50", "all"], 1)),
         (["a", "b", "c", "d", "e"], "a", {"kept": ["a", "e"]}, ("select", ["a", "e"], ["a", "e"], 0)),
         ([0.01, 0.1], 0.1, {}, ("slider", [0.01, 0.1], ["0.01", "0.1"], 1)),
         ([("one", 1), ("two", 2)], 1, {}, ("slider", [1, 2], ["one", "two"], 0)),
         (True, True, {}, ("check", [False, True], ["no", "yes"], 1)),
         (True, False, {}, ("check", [False, True], ["no", "yes"], 0)),
         ("more", 0, {"presses": 2}, ("press", [0, 1, 2], ["0 of 2", "1 of 2", "2 of 2"], 0)),
         ("more", 3, {"kept": range(3, 5)}, ("press", [3, 4], ["0 of 1", "1 of 1"], 0))]


@pytest.mark.parametrize(("spec", "default", "asked", "expected"), CASES)
def test_every_kind_of_control_has_its_steps(spec, default, asked, expected):
    found = steps("x", control("x", spec, default, "the label"), **asked)
    assert (found.kind, found.values, found.texts, found.start) == expected
    assert found.label == ("more" if spec == "more" else "the label")


@pytest.mark.parametrize(("spec", "default", "kept", "says"), [
    ((0.0, 1.0, 0.1), 0.5, [0.5, 0.55], "kept: x cannot be 0.55"),
    ((0.0, 1.0, 0.1), 0.5, [0.4, 0.6], "kept: x starts at 0.5, which is not kept"),
    (True, False, [False, 2], "kept: x cannot be 2")])
def test_a_value_that_the_control_cannot_have_is_refused(spec, default, kept, says):
    with pytest.raises(ValueError, match=says):
        steps("x", control("x", spec, default, "its label"), kept=kept)
