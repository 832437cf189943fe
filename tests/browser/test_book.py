"""The book in a real browser, from a folder and without a server: two lessons and a game, built in seconds.

What is asked of all pages needs CALIBTUTOR_BOOK=FOLDER: a book that was built before, with every setting of each scene.
"""

import base64
import colorsys
import contextlib
import io
import os
import re
from pathlib import Path

import book_reader
import numpy as np
import pytest
import shelf
from book_reader import FEW, GENERATED, PATIENCE, WIDE, Reader, drag
from grammar import LEAST_CONTRAST, contrast
from lab import IN_PAGE
from matplotlib.colors import to_rgb
from PIL import Image

from calibtutor import plots
from calibtutor.lessons import discover as find
from calibtutor.teach.book import data
from calibtutor.teach.book.frames import opening
from calibtutor.teach.notebooks import NOTEBOOKS, discover

pytestmark = pytest.mark.slow
LESSONS = [NOTEBOOKS / "00_start_here.ipynb", NOTEBOOKS / "case_studies" / "04_heart_what_a_kernel_sees.ipynb"]
GAME = NOTEBOOKS / "14_your_own_model.ipynb"
SLOW = "audit(", "found.tables", "many_questions(", "look_over("  # of code of the game's notebook
HUB = "https://hub.example/{notebook}"
PHONE = {"has_touch": True, "is_mobile": True}
PAGES = [path.stem for path in discover()]
INKED = 200  # of 255: darker than paper, grid and shades
PLACE = "grip => grip.style.left + grip.style.top"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The two lessons, and one with a game without what takes it long."""
    out = tmp_path_factory.mktemp("book")
    shelf.build(out, [*LESSONS, GAME], HUB, SLOW)
    return out


@pytest.fixture(scope="module")
def whole_book():
    """All lessons, built before: that takes minutes."""
    if "CALIBTUTOR_BOOK" not in os.environ:
        pytest.skip("CALIBTUTOR_BOOK=FOLDER is missing, where FOLDER is what `python -m calibtutor book FOLDER` wrote")
    return Path(os.environ["CALIBTUTOR_BOOK"])


@pytest.fixture
def out(request):
    """The folder of one book or the other, by its fixture's name."""
    return request.getfixturevalue(request.param)


def of_both(few, every):
    """Parameters `out` and `page`: some pages of the small book, and pages of the whole one."""
    pairs = [*(("book", page) for page in few), *(("whole_book", page) for page in every)]
    return pytest.mark.parametrize(("out", "page"), pairs, indirect=["out"])


@pytest.fixture
def opened(chromium, book):
    """Open the first lesson, as `Reader` does; in the end nothing may have gone wrong on the page."""
    with contextlib.ExitStack() as stack:
        readers = []

        def open_page(place="", **options):
            name = place if place.endswith(".html") else f"{LESSONS[0].stem}.html{place}"
            readers.append(stack.enter_context(Reader(chromium, book, name, **options)))
            return readers[-1]

        yield open_page
        assert [reader.complaints for reader in readers if reader.complaints] == []


@of_both([path.stem for path in LESSONS], PAGES)
def test_every_control_moves_picture_and_words_and_frames_are_the_live_pictures(chromium, out, page):
    with Reader(chromium, out, f"{page}.html") as reader:
        complaints, count = book_reader.drive(reader)
        assert complaints == [] and (count >= 5 or page != LESSONS[0].stem)
        found = book_reader.compare(reader, many=3 if len(list(out.glob("*.html"))) < len(PAGES) else 10)
    assert {key: far for key, far in found.items() if far > FEW} == {} and (found or page != LESSONS[0].stem)


@of_both([*(path.stem for path in (*LESSONS, GAME)), *GENERATED], [*PAGES, *GENERATED])
def test_a_phone_scrolls_no_page_sideways(chromium, out, page):
    with Reader(chromium, out, f"{page}.html", width=390) as reader:
        assert not reader.page.evaluate(WIDE) and reader.page.evaluate(IN_PAGE["smallOnes"]) == []
        for ident in reader.scenes():
            figure = reader.scene(ident)
            fits = figure.locator(".stage.turns, .stage.drawn").count()
            width = figure.locator(".sheet").evaluate("s => s.offsetWidth")
            edges = figure.locator(".stage").evaluate(IN_PAGE["paleEdges"])
            assert edges == ([1, 1] if fits else [0.2, 1]), "paler where it goes on"
            assert width < 390 if fits else width == 640, f"{ident}: it turns, or it scrolls in its box"
            if figure.locator(".controls").count():
                assert figure.locator(".controls").evaluate("c => getComputedStyle(c).position") == "sticky"
        assert reader.complaints == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
@of_both([LESSONS[0].stem, "errata", "notation"], [*PAGES, *GENERATED])
def test_axe_finds_nothing_serious(chromium, out, page, scheme):
    assert book_reader.serious(chromium, out, page, scheme) == []


def test_a_page_is_read_and_played_by_keyboard(opened):
    page = opened().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        where = page.evaluate(IN_PAGE["whereFocusIs"])
        assert where[2], f"{where}: the focus is not to be seen"
        if where[:2] == ["guess", "BUTTON"] and ("guess", "BUTTON") not in reached:
            page.keyboard.press("Space")
        if where[:2] == ["exercise", "INPUT"]:
            page.keyboard.type("naive bayes")
            page.keyboard.press("Enter")
        if where[:2] == ["derivation", "next"]:
            for _ in range(8):
                page.keyboard.press("Enter")
        reached.add(tuple(where[:2]))
    assert {("scene", "INPUT"), ("scene", "SELECT"), ("guess", "BUTTON"), ("exercise", "SUMMARY")} <= reached
    assert page.locator(".guess .reply[data-mark]").count()
    assert "One model of the five is further out" in page.locator(".exercise .reply").first.inner_text()
    assert page.locator(".derivation .todo").count() == 0
    assert page.locator(".derivation .question button").first.is_enabled()
    page.locator("#search").focus()
    page.keyboard.type("calibration promises")
    page.locator("#found a").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**#2-what-calibration-promises")


def test_a_guess_comes_before_its_answer_and_a_choice_before_its_numbers(opened):
    reader = opened()
    guess, derivation = reader.page.locator(".guess").first, reader.page.locator(".derivation").first
    assert "Every single one" not in guess.inner_text()
    guess.get_by_role("button", name="about 150").click()
    assert guess.locator(".reply").inner_text().startswith("✗ about 150: no, it is “all 201”. Every single one.")
    guess.get_by_role("button", name="all 201").click()
    assert "✓ all 201: yes (your first guess: about 150)." in guess.locator(".reply").inner_text()
    derivation.locator(".rest").click()
    assert "refute" not in derivation.inner_text()
    derivation.get_by_role("button", name="line 4").click()
    assert "✗ Line 4 is false, and line 5 holds: compare the numbers." in derivation.inner_text()
    assert "a common shortcut: these numbers refute it" in derivation.inner_text()
    before = derivation.locator(".value code").all_text_contents()  # one is folded
    derivation.locator("input").press("End")
    after = derivation.locator(".value code").all_text_contents()  # one is folded
    assert all(a != b for a, b in zip(before, after, strict=True))


def test_a_thumb_that_scrolls_across_a_slider_leaves_it_where_it_was(opened):
    reader = opened(width=390, **PHONE)
    figure = reader.scene("start.coin")
    slider, reset = figure.locator("[type=range]").last, figure.locator(".reset")
    session = reader.context.new_cdp_session(reader.page)
    for share in (0.1, 0.9):
        slider.evaluate("s => scrollTo({top: scrollY + s.getBoundingClientRect().top - 500, behavior: 'instant'})")
        before = slider.evaluate("s => [scrollY, s.value]")
        slider.evaluate("s => { s.told = 0; s.addEventListener('input', () => s.told++); }")
        box = slider.bounding_box()
        x, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
        touch(session, "touchStart", x, y)
        for step in range(1, 11):
            touch(session, "touchMove", x, y - 15 * step)
            reader.page.wait_for_timeout(16)
        touch(session, "touchEnd")
        after = slider.evaluate("s => [scrollY, s.value]")
        assert after[0] > before[0] + 50 and after[1] == before[1]
        assert slider.evaluate("s => s.told"), "the thumb has not set the slider in between"
    assert not reset.is_visible()
    reader.press(figure, slider, "End")
    moved = figure.evaluate(IN_PAGE["lookOfScene"])
    reset.tap()
    reader.page.wait_for_function("([f, n]) => f.turns > n", arg=[figure.element_handle(), 1], timeout=PATIENCE)
    assert slider.input_value() == before[1] and not reset.is_visible()
    assert figure.evaluate(IN_PAGE["lookOfScene"]) != moved


def test_a_phone_has_picture_and_controls_in_sight_and_folds_the_sliders_of_marks(opened):
    reader = opened(width=390, height=844, **PHONE)
    for ident, name in {"start.reveal_reliability": "bins", "start.coin": "forecast"}.items():
        figure = reader.scene(ident)
        hidden = [each for each in figure.locator(".control").all() if not each.is_visible()]
        assert [each.get_attribute("data-name") for each in hidden] == [name], "its handle is in the picture"
        figure.locator("svg").evaluate("s => scrollBy({top: s.getBoundingClientRect().top - 44, behavior: 'instant'})")
        top, bottom = figure.locator(".controls").evaluate(BOX)[1::2]
        assert figure.locator("svg").evaluate(BOX)[3] <= top + 1 and bottom <= 792, "the page's foot is 52 px"
        figure.get_by_role("button", name="Sliders", expanded=False).press("Enter")
        slider = hidden[0].locator("input")
        assert reader.press(figure, slider, "ArrowRight")
        figure.get_by_role("button", name="Sliders", expanded=True).press("Enter")
        assert not slider.is_visible()
        figure.locator(".reset").press("Enter")
        assert figure.evaluate("f => f.contains(document.activeElement)"), "the focus is lost in what is folded"
    reader.page.set_viewport_size({"width": 900, "height": 900})
    assert slider.is_visible() and not figure.locator(".fold").is_visible()


def touch(session, kind, *place):
    points = [dict(zip("xy", place, strict=True))] if place else []
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_what_is_found_fits_a_phone_and_goes_away(opened):
    page = opened(width=390, **PHONE).page
    page.fill("#search", "cal")
    found = page.locator("#found")
    found.wait_for()
    box = found.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.evaluate("document.querySelector('h1').style.cssText = 'position: relative; z-index: 9'")
    page.locator("h1").tap(force=True)
    assert not found.is_visible()
    assert page.locator(".contents details:not([open])").count() == 1
    page.evaluate("document.querySelectorAll('h2')[1].scrollIntoView({behavior: 'instant'})")
    title = page.evaluate("document.querySelectorAll('.contents a')[1].textContent")
    page.wait_for_function("t => document.querySelector('.where').textContent === `: ${t}`", arg=title)
    assert page.locator(".contents summary").bounding_box()["y"] >= 0


def test_words_of_sections_are_found_with_their_section_and_the_words_around(opened):
    page = opened().page
    assert page.locator("[src='search.js']").count() == 0, "fetched before anybody searches"
    page.fill("#search", "bundled data")  # stands in the text below the title, in no heading and no glossary
    hit = page.locator("#found a").first
    hit.wait_for()
    title, where, around = hit.inner_text().split("\n")
    assert (title, where) == ("00 · Start here: can you trust a probability?", "00 · Start here")
    assert "scikit-learn's bundled data set" in around and len(around) < 220
    assert hit.locator("mark").all_inner_texts() == ["bundled", "data"]
    page.fill("#search", "pretend dog")  # both in the section, far from each other
    assert page.locator("#found a").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**#2-what-calibration-promises")
    page.fill("#search", "temperature")
    assert page.locator("#found a").first.inner_text().startswith("temperature"), "the glossary's word comes first"
    for pair in [("overconfident", "Over-confident"), ("naïve", "naive"), ("lambda", "λ"), ("bias", "Bíás")]:
        found = {page.fill("#search", asked) or page.locator("#found").inner_text() for asked in pair}
        assert len(found) == 1 and page.locator("#found mark").count(), pair
    for odd in ("(", "[a", "\\", "p̂ .7–.8", "$&", "-", "a-]", "n/a"):
        page.fill("#search", odd)
        assert page.locator("#found").is_visible()


def hue(colour):
    return 360 * colorsys.rgb_to_hsv(*colour)[0]


def test_in_the_dark_pictures_belong_to_the_page_and_colours_keep_their_names(opened):
    words = [plots.INK, plots.SOFT, plots.KEPT, plots.MISS, *(text for *_, text in plots.MODELS.values())]
    named = [plots.KEPT, plots.MISS, plots.CHOICE, *(colour for colour, *_ in plots.MODELS.values())]
    colours = list(dict.fromkeys(["#ffffff", *words, *named, plots.CHANCE]))
    page = opened(f"{GAME.stem}.html", color_scheme="dark").page
    paper = tuple(page.evaluate(IN_PAGE["swatch"], colours))
    seen = Image.open(io.BytesIO(page.screenshot(clip={"x": 0, "y": 0, "width": 600, "height": 40}))).convert("RGB")
    dark = {each: tuple(v / 255 for v in seen.getpixel((40 * k + 20, 20))) for k, each in enumerate(colours)}
    assert max(abs(255 * a - b) for a, b in zip(dark["#ffffff"], paper, strict=True)) <= 1, "a slab"
    assert {each: dark[each] for each in words if contrast(dark[each], dark["#ffffff"]) < LEAST_CONTRAST} == {}
    assert {each: dark[each] for each in words if contrast(dark[each], dark[plots.CHANCE]) < 4} == {}
    turned = {each: hue(dark[each]) - hue(to_rgb(each)) for each in named if each != plots.MODELS["decision tree"][0]}
    assert max(map(abs, turned.values())) < 18, turned
    assert contrast(dark[plots.CHOICE], plots.CHOICE) < 1.1, "yellow is yellow"
    light = opened(f"{GAME.stem}.html").page.locator(".stage:not(.drawn) > .sheet").first
    assert light.evaluate("s => getComputedStyle(s).filter") == "none"


def test_in_the_dark_a_photograph_is_no_negative(opened):
    page, png = opened(f"{GAME.stem}.html", color_scheme="dark").page, io.BytesIO()
    Image.new("L", (80, 40), 60).save(png, "PNG")
    page.evaluate(IN_PAGE["photograph"], base64.b64encode(png.getvalue()).decode())
    seen = Image.open(io.BytesIO(page.screenshot(clip={"x": 0, "y": 0, "width": 80, "height": 40}))).convert("L")
    assert seen.getpixel((20, 20)) == pytest.approx(60, abs=8) and seen.getpixel((60, 20)) > 190


BOX = "e => (b => [b.left, b.top, b.right, b.bottom])(e.getBoundingClientRect())"


def test_a_phone_has_the_way_on_at_its_foot_and_nothing_lies_behind_it(opened):
    reader = opened(f"{GAME.stem}.html", width=390, height=844, reduced_motion="reduce")
    page, bar = reader.page, reader.page.locator(".bar")
    left, top, right, bottom = bar.evaluate(BOX)
    assert (left, right, bottom) == (0, 390, 844)
    names = ["Previous", "Contents", "Search"]  # it is the last page
    assert [each.split("\n")[-1] for each in bar.locator("a, button").all_inner_texts()] == names
    for each in bar.locator("a, button").all():
        x0, y0, x1, y1 = each.evaluate(BOX)
        assert x1 - x0 >= 44 and y1 - y0 >= 44
    controls = reader.scene(reader.scenes()[0]).locator(".controls")
    controls.evaluate("c => scrollBy(0, c.closest('.scene').querySelector('.stage').getBoundingClientRect().top - 500)")
    assert top - 1 <= controls.evaluate(BOX)[3] <= top, "a picture's controls stand on it"
    reader.scene(reader.scenes()[-1])  # as tall as it will be
    page.evaluate("scrollTo(0, 1e6)")
    assert page.locator("footer").evaluate(BOX)[3] <= top + 0.5, "the page's end is behind it"
    place = page.evaluate("scrollY")
    bar.get_by_role("button", name="Search").click()
    box = page.locator("#search")
    assert box.evaluate("b => b === document.activeElement") and box.evaluate(BOX)[1] >= 0
    page.keyboard.type("cal")
    page.locator("#found a").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # the first may only empty the box
    assert page.evaluate("scrollY") == place and page.locator(".seek").evaluate("b => b === document.activeElement")
    page.emulate_media(media="print")
    assert not bar.is_visible()
    page.emulate_media(media="screen")
    page.evaluate("location.hash = 'present'")
    page.locator(".presenting").wait_for()
    assert not bar.is_visible()
    page.evaluate("location.hash = ''")
    bar.get_by_role("link", name="Previous").click()
    page.wait_for_url(f"**/{LESSONS[1].stem}.html")
    assert not opened().page.locator(".bar").is_visible()


@pytest.mark.parametrize("width", [390, 1300])
def test_a_yellow_mark_over_an_image_is_dragged_and_its_slider_follows(opened, width):
    reader = opened(f"{LESSONS[1].stem}.html", width=width)
    reader.page.evaluate(IN_PAGE["allWide"])
    grip = ".grip:visible"
    figure = next(each for each in map(reader.scene, reader.scenes()) if each.locator(grip).count())
    before, looks = figure.locator("output").all_inner_texts(), figure.evaluate(IN_PAGE["lookOfScene"])
    assert figure.locator(grip).first.evaluate(BOX)[2] <= width, "it opens with what is yellow beyond its edge"
    far = -0.7 * figure.locator(".stage").evaluate("s => s.offsetWidth")  # the values of this book are few
    drag(reader.page, figure.locator(grip).first, (far, 20))
    reader.page.wait_for_timeout(200)
    assert figure.locator("output").all_inner_texts() != before and figure.evaluate(IN_PAGE["lookOfScene"]) != looks


def test_the_contents_begin_with_a_picture_to_take_in_hand(opened):
    reader = opened("index.html", width=390, height=844)
    figure = reader.scene("start.reveal_reliability")
    first = reader.page.evaluate("document.querySelector('article :is(h2, .play)').id")
    assert first == "scene-start.reveal_reliability" and not figure.locator(".veil").count()
    before, handle = figure.evaluate(IN_PAGE["lookOfScene"]), figure.locator(".handle")
    handle.scroll_into_view_if_needed()
    drag(reader.page, handle, (-60, 0))
    assert figure.evaluate(IN_PAGE["lookOfScene"]) != before


def test_a_finding_is_veiled_until_its_guess(opened):
    def whole(figure):
        return all(figure.locator(part).is_visible() for part in (".headline", ".sheet"))  # it has no third sentence

    page, veiled = opened().page, ".scene:has(.veil)"
    figure = page.locator(veiled).first
    assert figure.get_attribute("data-after") == "guess-start.near_seventy"
    assert not figure.locator(".headline").is_visible() and not figure.locator(".sheet").is_visible()
    assert figure.get_by_role("img").count() == 0, "a screen reader would say it"
    page.emulate_media(media="print")
    assert whole(figure)
    page.emulate_media(media="screen")
    page.locator("#guess-start\\.near_seventy button").first.click()
    assert whole(figure) and not figure.locator(".veil").is_visible()
    figure = opened(width=390).page.locator(veiled).first
    figure.locator(".veil").click()
    assert whole(figure)
    figure = opened(java_script_enabled=False).page.locator(veiled).first
    assert whole(figure) and not figure.locator(".veil").is_visible()


def test_who_comes_back_finds_what_was_done(opened):
    reader = opened()
    page = reader.page
    page.locator(".guess button").first.click()
    page.locator(".exercise input").first.fill("naive bayes")
    page.locator(".exercise form button").first.click()
    page.locator(".derivation .rest").first.click()
    page.locator(".derivation .question button").first.click()
    replies = page.locator(".reply").all_inner_texts()
    page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
    page.wait_for_timeout(100)
    reader.go("notation.html")
    page.go_back()
    assert page.locator(".reply").all_inner_texts() == replies
    assert page.locator(".exercise input").first.input_value() == "naive bayes"
    assert page.locator(".derivation .todo").count() == 0
    page.wait_for_function("Math.abs(scrollY - 2000) < 50")


def test_what_is_pressed_can_be_read_and_a_phone_may_lie_on_its_side(opened):
    reader = opened(width=844, height=390, reduced_motion="reduce")
    pressed = reader.page.locator(".guess button").first
    pressed.click()
    for scheme in ("light", "dark"):
        reader.page.emulate_media(color_scheme=scheme)
        pressed.hover()
        assert book_reader.found_by_axe(reader.page, context=".guess") == []
        colour = "b => getComputedStyle(b).backgroundColor"
        hovered = pressed.evaluate(colour), pressed.evaluate("b => b.matches(':hover')")
        reader.page.mouse.move(0, 0)
        assert hovered == (pressed.evaluate(colour), True), "a finger's hover sticks"
        assert hovered[0] != reader.page.locator(".guess button").nth(1).evaluate(colour)
    figure = reader.scene("start.coin")
    sheet, controls = (figure.locator(each).bounding_box() for each in (".sheet", ".controls"))
    assert sheet["x"] + sheet["width"] <= controls["x"] and sheet["height"] <= 390
    assert abs(sheet["y"] - controls["y"]) < 5 and not reader.page.evaluate(WIDE)


STOPS = "article > :is(.scene, .picture, .derivation, .guess)"
HALLS = {"light": {"width": 1280, "height": 720}, "dark": {"width": 1920, "height": 1080}}


def test_presenting_is_one_thing_a_screen(opened):
    page = opened("#present").page
    where = page.locator("#present [role=status]")
    stops = page.locator(STOPS)
    kinds = stops.evaluate_all("all => all.map(each => each.dataset.kind)")
    veiled = stops.evaluate_all("all => all.map(each => 'after' in each.dataset)")
    titles = page.locator("article :is(h1, h2)").evaluate_all("all => all.map(each => each.textContent)")
    assert any(veiled)
    page.keyboard.press("PageUp")  # there is none before the first
    for number, kind in enumerate(kinds):
        assert where.inner_text() == f"{number + 1} of {len(kinds)}"
        shown = [k for k in range(len(kinds)) if stops.nth(k).is_visible()]
        assert shown == [number] and not page.locator(".prose:visible, header:visible").count()
        assert stops.nth(number).evaluate("stop => document.activeElement === stop")
        section = stops.nth(number).get_attribute("data-section")
        assert section and any(text.startswith(section) for text in titles)
        for scheme, size in HALLS.items():
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            assert not page.evaluate(WIDE)
            if kind != "derivation":  # its lines go on below
                assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), f"{number}: too tall"
            if kind in ("scene", "derivation", "guess") and kind not in kinds[:number]:
                assert book_reader.found_by_axe(page) == []
        forward = ("ArrowRight", "PageDown")[number % 2]
        if veiled[number]:
            assert stops.nth(number).locator(".veil").is_visible()
            page.keyboard.press(forward)  # shows what the hall has guessed
            assert stops.nth(number).is_visible() and not stops.nth(number).locator(".veil").is_visible()
        page.keyboard.press(forward)
    assert where.inner_text() == f"{len(kinds)} of {len(kinds)}"
    page.emulate_media(media="print")
    assert all(stop.is_visible() for stop in [*stops.all(), page.locator("h1")])
    assert not page.locator("#present").is_visible()


def test_who_presents_moves_sliders_and_comes_back_to_the_place(opened):
    reader = opened(width=1280, height=720)
    page, where = reader.page, reader.page.locator("#present [role=status]")
    figure = reader.scene("start.coin")
    page.get_by_role("link", name="Present from here").click()
    where.wait_for(timeout=PATIENCE)
    entered = where.inner_text()
    assert figure.is_visible(), "not the place where one was"
    slider = figure.locator("[type=range]").first
    before = slider.input_value()
    reader.press(figure, slider, "ArrowLeft")
    assert slider.input_value() != before and where.inner_text() == entered
    slider.press("PageDown")  # a presenter's remote has no other keys
    assert where.inner_text() != entered and not figure.is_visible()
    page.get_by_role("button", name="Back", exact=True).click()
    assert where.inner_text() == entered
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    page.locator("h1").wait_for(timeout=PATIENCE)  # the address changes first
    assert not where.is_visible()
    before = page.locator(STOPS).nth(int(entered.split()[0]) - 2)
    place = before.bounding_box()
    assert -720 < place["y"] < 720 and before.evaluate("stop => document.activeElement === stop")
    page.keyboard.press("ArrowRight")
    assert page.locator("h1").is_visible(), "keys of presenting in the page"
    derivation = page.locator(".derivation").first
    derivation.scroll_into_view_if_needed()
    page.get_by_role("link", name="Present", exact=True).press("Enter")
    while not derivation.is_visible():
        page.keyboard.press("PageDown")
    for _ in range(derivation.locator("li").count()):
        line = derivation.locator("li:not(.todo)").last.element_handle()
        page.wait_for_function(IN_PAGE["inSight"], arg=line, timeout=PATIENCE)  # it scrolls there smoothly
        derivation.locator(".next").press("Enter") if derivation.locator(".next").is_enabled() else None
    page.get_by_role("link", name="Leave").click()
    page.locator("h1").wait_for(timeout=PATIENCE)


def test_a_link_to_a_line_shows_it(opened):
    reader = opened("#derivation-start.one_forecast-3")
    lines = reader.page.locator(".derivation li")
    lines.nth(2).locator("math").first.wait_for()
    reader.page.wait_for_function("document.querySelectorAll('.derivation li')[2].getBoundingClientRect().top < 1000")
    assert reader.page.locator(".derivation .todo").count() == lines.count() - 3


def test_a_game_asks_again_without_the_last_answer(opened):
    reader = opened(f"{GAME.stem}.html")
    figure = reader.scene("your_own_model.which_fault")
    menu, button = figure.locator("select"), figure.locator("button[id]")
    for key, control, chosen in [("End", menu, True), ("Enter", button, True), ("Enter", button, False)]:
        assert reader.press(figure, control, key)
        assert (menu.evaluate("m => m.selectedIndex") > 0) is chosen


@pytest.mark.parametrize(("motion", "melts"), [("no-preference", 1), ("reduce", 0)])
def test_what_a_menu_changes_goes_slowly_and_a_slider_is_followed_at_once(opened, motion, melts):
    game = opened(f"{GAME.stem}.html", reduced_motion=motion)
    for reader, ident, control, key, seen in (
        (game, "your_own_model.which_fault", "select", "End", melts),
        (opened(reduced_motion=motion), "start.road_scenes", "[type=range]", "Home", 0),
    ):
        figure = reader.scene(ident)
        figure.evaluate(IN_PAGE["countMelts"])
        assert reader.press(figure, figure.locator(control).first, key)
        assert figure.evaluate("f => f.melts") == seen
        reader.page.wait_for_function("!document.querySelector('.melting')", timeout=PATIENCE)


def test_an_older_picture_never_covers_a_newer_one(opened):
    reader = opened()
    figure = reader.scene("start.road_scenes")
    reader.page.evaluate(IN_PAGE["firstIsDecodedLast"])
    figure.evaluate(IN_PAGE["twoRequests"])
    reader.page.wait_for_function("f => f.turns === 1", arg=figure.element_handle())
    first = figure.evaluate(IN_PAGE["lookOfScene"])
    reader.page.wait_for_timeout(600)
    assert figure.evaluate(IN_PAGE["lookOfScene"]) == first and figure.evaluate("f => f.turns") == 1


def test_without_scripts_everything_can_be_read(opened):
    page = opened("#present", java_script_enabled=False).page
    assert page.locator("h1").is_visible() and not page.locator("[href='#present'], #present").first.is_visible()
    assert "random forest says 9" in page.locator(".scene .base img").first.get_attribute("alt").lower()
    assert page.locator(".derivation li").last.is_visible()
    assert page.locator(".derivation .reason").last.is_visible()
    assert not page.locator(".controls").first.is_visible() and not page.locator("form.answer").first.is_visible()
    assert page.locator(".guess noscript details, .guess details").count() > 0


def test_print_shows_derivations_whole_and_no_controls(opened):
    reader = opened()
    reason, answer = (reader.page.locator(each).last for each in (".derivation .reason", ".exercise details p"))
    assert not reason.is_visible()
    reader.page.emulate_media(media="print")
    assert reason.is_visible() and reader.page.locator(".derivation .value").last.is_visible()
    assert not answer.is_visible() and not reader.page.locator(".controls:visible, .top:visible").count()
    assert all(line.is_visible() for line in reader.page.locator(".derivation .line").all()), "the reader's too"
    pressed = reader.page.locator(":is(button, input, select, summary, .reply, .hands .button, .hands .tap):visible")
    look = "all => all.map(e => [e.closest('.options')?.className, getComputedStyle(e).border])"
    borders = pressed.evaluate_all(look)
    assert borders and all(where == "options" and line.startswith("0px") for where, line in borders), borders
    reader.page.set_viewport_size({"width": 680, "height": 900})  # A4 within its margins
    drawn = reader.page.locator("svg.hands").first
    assert drawn.evaluate("s => s.getBoundingClientRect().right <= innerWidth")


def test_simple_exercises_reply_as_they_do_live(opened):
    reader = opened()
    for exercise in find("exercises").values():
        about = data.exercise(exercise)
        if about["kind"] == "function":
            continue
        given = [about["reference"], *about["accept"], *(answer for answer, _ in about["mistakes"])]
        given += ["perhaps", "  Perhaps "] if about["kind"] == "word" else [123.456, 1e9, -2e-5, 0.5]
        for answer in given:
            live = exercise(answer)
            typed = answer if isinstance(answer, str) else repr(answer)
            status, words = reader.page.evaluate("([about, typed]) => book.judge(about, typed)", [about, typed])
            assert (status, words) == (live.status, live.text.replace("“  Perhaps ”", "“Perhaps”")), typed
    about = dict(name="x", kind="number", accept=[], tolerance=0, mistakes=[], hint="", explanation="")
    commas = [("5,03", 5.03), ("-0,125", -0.125), ("1,500", 1500), ("1,234,567.5", 1234567.5)]
    for typed, meant in [*commas, ("5,03", [5, 3])]:
        wanted = {"reference": meant, "kind": "number" if isinstance(meant, float | int) else "numbers"}
        status, words = reader.page.evaluate("([about, typed]) => book.judge(about, typed)", [about | wanted, typed])
        assert status == "right", (typed, words)


def test_nothing_is_left_of_latex_and_code_is_linked(book):
    aside = re.compile(r"<(pre|code|script|style).*?</\1>|data-latex=\"[^\"]*\"", flags=re.S)
    for file in book.glob("*.html"):
        text = aside.sub("", file.read_text(encoding="utf-8"))
        assert not re.findall(r"\$[^$\s][^$]*\$|\\[a-zA-Z]+", text), file.name
    start = (book / f"{LESSONS[0].stem}.html").read_text(encoding="utf-8")
    assert "still blank" not in start and "the course&#x27;s own function" in start
    assert HUB.replace("{notebook}", "notebooks/00_start_here.ipynb") in start
    assert book_reader.dead_links(book) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_yellow_mark_follows_a_hand_and_a_tap(chromium, whole_book, page):
    dead = []
    with Reader(chromium, whole_book, f"{page}.html") as reader:
        for ident in reader.scenes():
            figure = reader.scene(ident)
            for k in range(figure.locator(".grip:visible").count()):
                grip = figure.locator(".grip:visible").nth(k)
                for moves in ([[]] * 3, [[each] for each in ((-90, -20), (90, 20), (20, -90), (-20, 90), (-350, 0))]):
                    before = grip.evaluate(PLACE)  # a step may leave a mark where it is, and a drag have one way only
                    for places in moves:
                        drag(reader.page, grip, *places)
                        reader.page.wait_for_timeout(100)
                        if grip.evaluate(PLACE) != before:
                            break
                    else:
                        dead.append((ident, k, moves[0]))
    assert dead == []


def test_no_picture_is_cut_at_the_top(whole_book):
    cut = []
    for base in whole_book.glob("frames/*/base.png"):
        page, scene = Image.open(base).convert("RGBA"), shelf.scene_data(base.parent)
        page.alpha_composite(Image.open(base.with_name(f"{opening(scene)['frame']}.png")).convert("RGBA"))
        if np.asarray(page.convert("L"))[0].min() < INKED:
            cut.append(base.parent.name)
    assert cut == []


def test_every_line_that_a_paper_prints_wrong_is_among_the_errata(whole_book):
    text = (whole_book / "errata.html").read_text(encoding="utf-8")
    for name, derivation in find("derivations").items():
        for place, line in enumerate(derivation.displayed(), 1):
            code = re.search(r"\(errata (\w+)\)", line.step.printed or "")
            if code:
                assert f"#derivation-{name}-{place}" in text and f"<b>{code[1]}</b>" in text, (name, place)
    assert book_reader.dead_links(whole_book) == []
