"""Every page of the book in a real browser, from a folder and without a server.

They need CALIBTUTOR_BOOK=FOLDER, a book that was built before, with every setting of every scene.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from book_reader import FEW, GENERATED, WIDE, Reader, compare, dead_links, drag, drive, serious
from PIL import Image

from calibtutor.lessons import discover as find
from calibtutor.teach.book.frames import opening
from calibtutor.teach.notebooks import discover

pytestmark = pytest.mark.slow
INKED = 200  # of 255: darker than paper, grid and shades
PLACE = "grip => grip.style.left + grip.style.top"
PAGES = [path.stem for path in discover()]


@pytest.fixture(scope="module")
def whole_book():
    """All lessons, built before: that takes minutes."""
    if "CALIBTUTOR_BOOK" not in os.environ:
        pytest.skip("CALIBTUTOR_BOOK=FOLDER is missing, where FOLDER is what `python -m calibtutor book FOLDER` wrote")
    return Path(os.environ["CALIBTUTOR_BOOK"])


@pytest.mark.parametrize("page", PAGES)
def test_every_control_moves_and_frames_are_the_live_pictures(chromium, whole_book, page):
    with Reader(chromium, whole_book, f"{page}.html") as reader:
        assert drive(reader)[0] == []
        assert {key: far for key, far in compare(reader).items() if far > FEW} == {}


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


@pytest.mark.parametrize("page", [*PAGES, *GENERATED])
def test_a_page_fits_a_phone_and_axe_finds_nothing_serious(chromium, whole_book, page):
    with Reader(chromium, whole_book, f"{page}.html", width=390) as reader:
        assert not reader.page.evaluate(WIDE)
    assert serious(chromium, whole_book, page, "light") == serious(chromium, whole_book, page, "dark") == []


def test_no_picture_is_cut_at_the_top(whole_book):
    cut = []
    for base in whole_book.glob("frames/*/base.png"):
        page, script = Image.open(base).convert("RGBA"), base.with_name("scene.js").read_text(encoding="utf-8")
        scene = json.loads(script[script.index("{") : script.rindex("}") + 1])
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
    assert dead_links(whole_book) == []
