"""How fast a picture follows a slider: in the kernel for every scene, in a browser beside `interact`."""

import tempfile
import time
from pathlib import Path

import lab
import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_notebook
from tables import alone, median_p95, print_table

from calibtutor.lessons import discover
from calibtutor.teach.controls import steps
from calibtutor.teach.notebooks import clean

MAX_STEPS, PRESSES, BLOCK, DRAGS, DRAG_SECONDS = 60, 50, 10, 5, 2
OPENS, REDRAWS = 2, 40  # seconds, milliseconds

# The same figure twice: moved in place by `explore`, and drawn anew by `interact` and inline pyplot. The course's
# constrained layout is left to `explore`: `interact` would pay for it at every step, and take four times as long.
FIGURE = """
import ipywidgets, matplotlib.pyplot as plt, numpy as np
from calibtutor.estimates.binning import reliability_curve
from calibtutor.teach.explore import explore
from calibtutor.plots import ReliabilityDiagram

rng = np.random.default_rng(0)
p = rng.beta(2, 1, 10_000)
y = (rng.random(len(p)) < p**1.3).astype(int)

def setup(fig):
    left, right = fig.add_gridspec(1, 2)
    axes = fig.add_subplot(right, xlim=(0, 1), ylim=(0, 1), xlabel="predicted", ylabel="share below")
    axes.plot(np.sort(p), np.linspace(0, 1, len(p)))
    return {"diagram": ReliabilityDiagram(fig, spec=left), "line": axes.axvline(0.5)}

def update(artists, bins=10):
    artists["diagram"].update(reliability_curve(y, p, n_bins=bins))
    artists["line"].set_xdata([1 / bins, 1 / bins])
    return f"A reliability diagram with {bins} bins."
"""
OURS = "explore(setup, update, bins=(1, 80, 1))"
PLAIN = """
@ipywidgets.interact(bins=(1, 80, 1))
def show(bins=10):
    fig = plt.figure(figsize=(9, 4), dpi=100)
    update(setup(fig), bins=bins)
    plt.show()
"""


def values(control):
    """The values a control can take, at most MAX_STEPS of them, evenly spread."""
    possible = steps("", control, presses=MAX_STEPS).values
    return [possible[k] for k in np.unique(np.linspace(0, len(possible) - 1, MAX_STEPS).round().astype(int))]


def sweep(explorable):
    """Milliseconds of every redraw as each control goes through its values, the others at their defaults."""
    spent = []
    for control in explorable.controls.values():
        start_value = control.value
        for value in (each for each in [*values(control), start_value] if each != control.value):
            start = time.perf_counter()
            control.value = value
            spent.append(1000 * (time.perf_counter() - start))
            if explorable.error:
                raise RuntimeError(f"{explorable.values}: {explorable.error}")
    return spent


def measure(name):
    """A row of the table for one scene; the first in its process, so that whatever it keeps is not there yet."""
    scene = discover("scenes")[name]
    start = time.perf_counter()
    shown = scene()
    opened = time.perf_counter() - start
    spent = sweep(shown) if hasattr(shown, "controls") else []
    median, p95 = median_p95(spent or [0])
    slow = ["opening"] * (opened > OPENS) + ["redraws"] * (int(p95) > REDRAWS)
    return [name, f"{opened:.2f}", len(spent), median, p95, ", ".join(slow)]


def kernel_side():
    """A row for every scene, each in a process of its own."""
    rows = sorted((alone(measure, name) for name in discover("scenes")), key=lambda row: -int(row[4]))
    title = f"""Kernel side, slowest first. Each scene is opened in a fresh process, models trained and files read
included (imports not), then every control is swept once: all values are met for the first time.
Bars: {OPENS} s to open, p95 {REDRAWS} ms"""
    print_table(title, ["scene", "s to open", "redraws", "median ms", "p95 ms", "too slow"], rows)


def press(page, output, key):
    """Milliseconds from a key on the slider to the new picture."""
    output.evaluate(lab.IN_PAGE["waitForPicture"])
    output.query_selector(".noUi-handle").focus()
    page.keyboard.press(key)
    return page.evaluate("window.picture")


def drag(page, output):
    """(pictures shown, ms from release to the last one) of one drag from end to end."""
    handle, track = output.query_selector(".noUi-handle"), output.query_selector(".noUi-base")
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(1000)
    box, bar = handle.bounding_box(), track.bounding_box()
    y = box["y"] + box["height"] / 2
    output.evaluate(lab.IN_PAGE["countPictures"])
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    start = time.monotonic()
    while (share := (time.monotonic() - start) / DRAG_SECONDS) < 1:
        page.mouse.move(bar["x"] + share * bar["width"], y)
        page.wait_for_timeout(8)
    page.mouse.up()
    page.wait_for_timeout(1500)
    seen = page.evaluate("() => { seen.stop = true; return seen; }")
    late = max([t - seen["released"] for t in seen["times"]], default=0)
    return len(seen["times"]), max(late, 0)


def browser_side():
    """Both ways of showing the same figure, in turns, in one page."""
    cells = [new_code_cell(source) for source in (FIGURE, OURS, PLAIN)]
    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(clean(new_notebook(cells=cells), "slider"), Path(folder, "slider.ipynb"))
        with lab.serve(folder) as address, lab.browser() as chromium:
            page = chromium.new_page(viewport={"width": 1300, "height": 1600})
            lab.open_notebook(page, address, "slider.ipynb")
            if problems := lab.errors(page):
                raise RuntimeError("\n".join(problems))
            outputs = dict(zip(["explore", "interact"], page.query_selector_all(".jp-OutputArea-output"), strict=False))
            spent = {name: [] for name in outputs}
            for _ in range(PRESSES // BLOCK):
                for name, output in outputs.items():
                    press(page, output, "ArrowRight")  # the first after a change of place warms up
                    spent[name] += [press(page, output, "ArrowRight") for _ in range(BLOCK)]
            drags = {name: [drag(page, output) for _ in range(DRAGS)] for name, output in outputs.items()}
            lab.shut_down(page)
    rows = []
    for name in outputs:
        counts, late = np.transpose(drags[name])
        rows.append([name, *median_p95(spent[name]), np.median(counts), f"{np.median(late):.0f}", f"{max(late):.0f}"])
    header = ["way", "median ms", "p95 ms", f"pictures in a {DRAG_SECONDS} s drag", "last, ms after release", "worst"]
    print_table(f"In the browser, {PRESSES} key presses each (bars: p95 70 ms, release 60 ms)", header, rows)
    ratio = np.median(spent["explore"]) / np.median(spent["interact"])
    print(f"\nexplore / interact: {ratio:.2f} of the median time (bar: 0.25)", flush=True)


def main():
    """Print both tables, the second where there is a browser."""
    kernel_side()
    if lab.find_browser() is None:
        print("\nNo browser found: the browser half is left out.")
    else:
        browser_side()
