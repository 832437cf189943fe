"""Frames: each is the live picture of its setting, whatever was drawn before. The course's own: tests/browser/."""

import io
import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from calibtutor.lessons import discover
from calibtutor.plots import HEAD, SMALL, Finding, new_figure
from calibtutor.teach.book import frames
from calibtutor.teach.explore import explore
from calibtutor.teach.hands import Hand
from calibtutor.teach.marks import Ghost, choice
from calibtutor.teach.still import Picture

SAME = 32  # levels of 255, at any pixel: 63 colours stand for a few hundred; over the whole course it is 27


pytestmark = pytest.mark.usefixtures("forget_widgets")


def scene(kept=None, fails_at=None):
    """A line with a ghost, a coloured box that comes with the second press, and a control that may do nothing."""

    def setup(fig):
        axes = fig.add_subplot(xlim=(0, 9), ylim=(0, 9))
        line, = axes.plot([], [], color="#0072B2", lw=5)
        box = axes.bar([7], [0], color="#C23B00")[0]
        return [line, Ghost(line), box]

    def update(artists, height=4, box=0, idle=False):
        if height == fails_at:
            raise ArithmeticError("no such height")
        artists[0].set_data([0, 6], [height, height])
        artists[2].set_height(box)
        drawn = f"box {box}; by the reference (gap is still blank)"
        return Finding(f"At {height}", drawn, f"A line at height {height} beside a box {box} high.")

    return explore(setup, update, size=(4, 3), height=(0, 8, 1), box="higher", idle=False, kept=kept)


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def written(folder, shown=None, **settings):
    frames.write(shown or scene(**settings), "lesson.scene", folder)
    return SimpleNamespace(data=json.loads(re.search(r"{.*}", (folder / "scene.js").read_text())[0]),
                           base=Image.open(folder / "base.png").convert("RGBA"),
                           files={int(file.stem): Image.open(file) for file in folder.glob("[0-9]*.png")})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The frames of the scene above, for tests that only look."""
    return written(tmp_path_factory.mktemp("frames") / "scene")


def composed(made, number):
    """A frame as the page shows it."""
    file = made.data["frame"][number] if "frame" in made.data else number
    whole = made.base.copy()
    whole.alpha_composite(made.files[file].convert("RGBA"))
    return np.asarray(whole.convert("RGB"), dtype=float)


def live(shown, values):
    """The live picture of the setting as a reader finds it who comes from the opening, without its headline."""
    shown.set(**values)
    whole = np.asarray(Image.open(io.BytesIO(shown.png)).convert("RGB"), dtype=float)
    return whole[round(100 * HEAD) :]


def test_every_frame_is_the_live_picture_and_says_what_it_says(made):
    assert [(c["kind"], c["start"]) for c in made.data["controls"]] == [("slider", 4), ("press", 0), ("check", 0)]
    words = ["At {0}", "box {1}", "A line at height {0} beside a box {1} high."]
    wanted = [[each.format(*at) for each in words] for at in itertools.product(range(9), range(9), [False, True])]
    assert [made.data["said"][which] for which in made.data["which"]] == wanted and len(made.data["said"]) == 81
    rng = np.random.default_rng(0)
    for number in rng.choice(162, 10, replace=False):
        height, box, idle = np.unravel_index(number, (9, 9, 2))
        shown = scene()  # afresh: its ghost is then the opening's line
        shown.ghosts[0].remember()
        shown.ghosts[0].remember = lambda: None
        truth = live(shown, {"height": int(height), "box": int(box), "idle": bool(idle)})
        assert truth.shape[:2] == (made.data["height"], made.data["width"])
        assert np.abs(composed(made, number) - truth).max() < SAME


def test_a_frame_holds_what_moves_in_few_colours_and_equal_pictures_share_a_file(made):
    assert len(made.files) == 81 and len(made.data["frame"]) == 162  # the idle control draws nothing new
    assert made.data["frame"][:4] == [0, 0, 2, 2]
    for image in made.files.values():
        assert image.mode == "P" and len(image.getcolors()) <= 64
        clear = np.asarray(image.convert("RGBA"))[..., 3] == 0
        assert 0.5 < clear.mean() < 1


def a_dot(fig):
    return fig.add_subplot().plot([0], [0])


def test_a_scene_with_too_many_settings_names_what_it_keeps():
    said = lambda artists, a=0, b=0: f"A dot that stays where it is, {a} and {b}."
    many = lambda **settings: explore(a_dot, said, a=(0, 99, 1), b=(0, 20, 1), **settings)

    with pytest.raises(ValueError, match="2,100 settings, the book holds 2,000; keep fewer values of a 100, b 21"):
        frames.settings(many())
    assert [len(each.values) for each in frames.settings(many(kept={"b": range(0, 21, 10)})).values()] == [100, 3]
    with pytest.raises(ValueError, match="cannot be 50"):
        frames.settings(many(kept={"b": (0, 50)}))
    with pytest.raises(ValueError, match=r"kept: the controls are \['a', 'b'\], got 'c'"):
        many(kept={"c": (0,)})


def test_presses_are_shared_among_the_buttons_of_a_scene():
    one = explore(a_dot, lambda artists, more=0: f"A dot, {more}.", more="more")
    two = explore(a_dot, lambda artists, more=0, less=0: f"A dot, {more - less}.", more="more", less="less")
    sizes = [[len(each.values) for each in frames.settings(shown).values()] for shown in (one, two)]
    assert sizes == [[9], [5, 5]]


def test_a_scene_is_made_anew_and_a_setting_that_cannot_be_drawn_is_named(tmp_path):
    folder = tmp_path / "scene"
    few = {"height": (3, 4, 5)}
    written(folder, kept=few)
    made = written(folder, kept=few | {"idle": [False]})
    assert len(names(folder)) == 2 * (3 * 9 + 1) + 1
    assert "frame" not in made.data, "without equal pictures a setting is its file"
    with pytest.raises(ValueError, match="lesson.scene at height=5, box=0, idle=False: ArithmeticError: no"):
        written(folder, kept=few, fails_at=5)


def test_what_a_page_says_before_the_player_runs(made):
    assert frames.opening(made.data) == {
        "width": 400, "height": 234, "hand": False, "upright": [500, 440], "controls": made.data["controls"],
        "photographs": (), "frame": 4 * 18, "said": ["At 4", "box 0", "A line at height 4 beside a box 0 high."],
        "longest": ["At 0", "box 0", "A line at height 0 beside a box 0 high."]}
    longer = made.data | {"said": [*made.data["said"], ["At 10", "", ""]]}
    assert frames.opening(longer)["longest"][:2] == ["At 10", "box 0"]
    assert 4 * 18 in made.files


def panels(words="so", hand=None, ylabel="", xlabel="", columns=2, at=0):
    def setup(fig):
        grid = fig.add_gridspec(1, columns, width_ratios=[2, *[1] * (columns - 1)])
        axes = [fig.add_subplot(each, xlim=(0, 9), ylim=(0, 9)) for each in grid]
        axes[0].set_ylabel(ylabel).set_in_layout(False)
        axes[0].set_xlabel(xlabel)
        axes[0].text(at, 5, words, fontsize=12).set_in_layout(False)
        return choice(axes[0])

    def update(dot, x=4):
        dot.set_data([x], [x])
        return f"at {x}"

    return explore(setup, update, size=(9, 4), x=(0, 9, 1), hand=hand)


def test_on_a_narrow_page_parts_stand_below_each_other(tmp_path):
    shown = panels()
    one, other = (each.get_position() for each in shown.upright().figure.axes)
    assert one.y0 > other.y1 and abs(one.x0 - other.x0) < 0.05 and one.width > 0.7
    made = written(tmp_path / "scene", shown)
    about = made.data["upright"]
    assert Image.open(tmp_path / "scene" / "u3.png").size == (about["width"], about["height"]) == (500, 620)
    spots = [each["spots"][3][0] for each in (made.data, about)]
    for spot, file in zip(spots, ("3.png", "u3.png"), strict=True):
        frame = np.asarray(Image.open(tmp_path / "scene" / file).convert("RGBA"), dtype=int)
        y, x = np.nonzero((abs(frame - [255, 210, 63, 255]) < 12).all(axis=2))
        yellow = x.mean() / frame.shape[1], y.mean() / frame.shape[0]
        assert spot == pytest.approx(yellow, abs=0.01)


def test_a_page_is_told_where_photographs_lie(tmp_path):
    def setup(fig):
        plain, dark = (fig.add_subplot(each) for each in fig.add_gridspec(1, 2))
        dark.set(facecolor="black", xticks=[], yticks=[], gid="photograph")
        plain.set_axis_off()
        return plain.plot([], [])

    shown = explore(setup, lambda artists, x=4: f"at {x}", size=(9, 4), x=(0, 9, 1))
    (places,) = frames.opening(written(tmp_path / "scene", shown).data)["photographs"]
    for place, name in zip(places, ("base", "ubase"), strict=True):
        high, wide = (black := np.asarray(Image.open(tmp_path / "scene" / f"{name}.png").convert("L")) < 99).shape
        y, x = np.nonzero(black)
        lies = y.min() / high, 1 - (x.max() + 1) / wide, 1 - (y.max() + 1) / high, x.min() / wide
        assert [float(each.rstrip("%")) / 100 for each in place.split()] == pytest.approx(lies, abs=0.004)


def test_a_picture_whose_words_would_be_cut_off_stays_as_it_is_is_taller_or_wider_breaks_lines_or_leaves_room():
    assert panels("one_name_without_a_space_as_long_as_a_wide_page_has_no_room_on_a_narrow_one").upright() is None
    assert panels(columns=4).upright() is None, "rows that belong together would stand apart"
    named = panels(ylabel=("share of models " * 3)[:35]).upright()
    assert named.size[1] > panels().upright().size[1] + 1
    named = panels(xlabel="what each of the models says, and how often they are right in all", columns=1).upright()
    number = panels("n=5,000", columns=1, at=8.2).upright()
    for tall in (named, number):
        assert tall.size[0] > 5 and SMALL / 72 * 356 / tall.size[0] >= 10, "pixels of small type on a phone"
        boxes = [text.get_window_extent() for each in tall.figure.axes for text in (each.xaxis.label, *each.texts)]
        assert all(box.x0 >= -2 and box.x1 <= tall.figure.bbox.width + 2 for box in boxes)
    right = [tall.figure.axes[0].get_position().x1 for tall in (named, number)]
    assert right[0] > 0.95 > right[1]


def test_a_scene_that_the_page_draws_has_its_opening_only(tmp_path, monkeypatch):
    (tmp_path / "panels.js").write_text('hands.scene("panels", () => () => ["", "", ""]);')
    table = {"by": "curve by the reference (f is still blank)"}
    made = written(tmp_path / "scene", panels(hand=Hand("panels", str(tmp_path / "room.py"), lambda: table, 1.5)))
    assert names(tmp_path / "scene") == ["0.png", "base.png", "hand.js", "scene.js"]
    about = made.data["hand"]
    assert about["table"] == {"by": "curve by the course's own function"}, "nobody writes functions in the book"
    assert about["controls"]["x"]["values"] == [*range(10)]
    assert made.data["hand"]["size"] == [900, 334] and made.data["hand"]["portrait"] == 1.5
    assert frames.opening(made.data)["said"] == ["", "", "at 4"]


def test_a_picture_is_stored_without_its_headline(tmp_path):
    for number, words in enumerate(("One line", "Another: Ágy")):
        finding = Finding(words, "two points", "A line that rises from 0 to 1.")
        figure = new_figure(4, 3)
        figure.add_subplot().plot([0, 1], [0, 1])
        said = frames.still(Picture(figure, finding), tmp_path / f"{number}.png")
        assert said == {"width": 400, "height": 234, "said": list(finding)}
    one, other = (Image.open(tmp_path / f"{number}.png") for number in (0, 1))
    assert one.size == (800, 468) and len(one.convert("RGB").getcolors()) > 2
    assert one.convert("RGB").tobytes() == other.convert("RGB").tobytes(), "of the headline nothing is left"
    assert names(tmp_path) == ["0.png", "1.png"]


@pytest.mark.parametrize("game", ["your_own_model.which_fault", "bins.hide_the_model"])
def test_a_game_keeps_no_score_from_one_frame_to_the_next(game):
    make = discover("scenes")[game]
    controls = frames.settings(shown := make())
    answers = {name: each.values[-1] for name, each in controls.items() if each.kind in ("select", "buttons")}
    buttons = [name for name, each in controls.items() if each.kind == "press"]
    order = [shown.values | answers | {name: presses} for presses in range(1, 5) for name in buttons]
    first = [pixels.copy() for pixels, _ in make().frames(order)][1:]
    back = [pixels.copy() for pixels, _ in make().frames(order[::-1])][:0:-1]
    assert all((a == b).all() for a, b in zip(first, back, strict=True))
