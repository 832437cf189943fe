"""How fast a page of the book answers a key, in a browser and from a folder."""

import os
from pathlib import Path

import lab
from book_reader import Reader
from tables import median_p95, print_table

from calibtutor.teach.notebooks import discover

DRAWN = 30  # milliseconds
PRESSES = 12


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


def main():
    """Print a row for each page of the book that lies at CALIBTUTOR_BOOK."""
    if "CALIBTUTOR_BOOK" not in os.environ or lab.find_browser() is None:
        print("\nbook: left out, it needs a browser, and CALIBTUTOR_BOOK=FOLDER that `calibtutor book FOLDER` wrote.")
        return
    took = {}
    with lab.browser() as chromium:
        for path in discover():
            with Reader(chromium, Path(os.environ["CALIBTUTOR_BOOK"]), f"{path.stem}.html") as reader:
                took[path.stem] = timed(reader)
    took["all"] = sum(took.values(), [])
    rows = [[name, len(each), *median_p95(each)] for name, each in took.items() if each]  # a page may have no slider
    print_table(f"Book: key to painted picture (bar: p95 {DRAWN} ms)", ["page", "keys", "median ms", "p95 ms"], rows)
