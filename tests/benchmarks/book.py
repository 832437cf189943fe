"""How fast a page answers: a picture that it draws to a hand, and the book, from a folder, to a key."""

import os
from pathlib import Path

import lab
from book_reader import Reader
from tables import median_p95, print_table
from test_hands import IN_HAND, opened

from calibtutor.teach.notebooks import discover

DRAWN = 30  # milliseconds
PRESSES, STEPS = 12, 240


def timed(reader):
    """Milliseconds from each of many keys on all sliders of a page to the picture on the screen."""
    took = []
    for ident in reader.scenes():
        figure = reader.scene(ident)
        for slider in figure.locator("input[type=range]").all():
            slider.focus()
            reader.page.wait_for_timeout(200)
            slider.evaluate(lab.IN_PAGE["timeKeys"])
            for key in ["ArrowRight"] * PRESSES + ["ArrowLeft"] * PRESSES:
                reader.page.keyboard.press(key)
                reader.page.wait_for_timeout(50)
        if figure.locator("input[type=range]").count():
            took += figure.evaluate("f => f.took")
    return took


def by_hand(chromium):
    """Print a row for each scene: its first handle is dragged along a loop, a step a frame (at 60 Hz 16 ms)."""
    rows = []
    for name in IN_HAND:
        page, *_ = opened(chromium, name)
        took = page.evaluate(lab.IN_PAGE["dragInCircles"], STEPS)
        rows.append([name, *median_p95(took), f"{max(took):.0f}"])
        page.context.close()
    print_table("From a pointer's event to marks laid out", ["scene", "median ms", "p95 ms", "longest"], rows)


def main():
    """Both tables; the second has a row for each page of the book that lies at CALIBTUTOR_BOOK."""
    took = {}
    with lab.browser() as chromium:
        by_hand(chromium)
        if "CALIBTUTOR_BOOK" not in os.environ:
            print("\nbook: left out, it needs CALIBTUTOR_BOOK=FOLDER that `python -m calibtutor book FOLDER` wrote.")
            return
        folder = Path(os.environ["CALIBTUTOR_BOOK"])
        for path in discover():
            if (folder / f"{path.stem}.html").is_file():  # a book may hold a few of the notebooks
                with Reader(chromium, folder, f"{path.stem}.html") as reader:
                    took[path.stem] = timed(reader)
    took["all"] = sum(took.values(), [])
    rows = [[name, len(each), *median_p95(each)] for name, each in took.items() if each]  # a page may have no slider
    print_table(f"Book: key to painted picture (bar: p95 {DRAWN} ms)", ["page", "keys", "median ms", "p95 ms"], rows)
