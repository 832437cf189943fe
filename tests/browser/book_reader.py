"""A reader of the book in a browser: opens pages, moves what they have, and notes what goes wrong."""

import io
import random
import re

import numpy as np
import shelf
from lab import IN_PAGE
from PIL import Image

from calibtutor.lessons import discover as find
from calibtutor.plots import HEAD
from calibtutor.teach.book import indexes
from calibtutor.teach.controls import steps

GENERATED = [name.removesuffix(".html") for name in indexes.FILES]
FAR = 32  # of 255, in a pixel of a frame and of its live picture: a frame has 64 colours, and no pixel is so far off
FEW = 1e-4  # of a frame's pixels: some twenty may be so far off where it has many colours; another's are a thousand
PATIENCE = 5000  # milliseconds


class Reader:
    """A page of the book, and what went wrong on it."""

    def __init__(self, chromium, out, name, *, width=1300, height=1000, **context):
        self.out, self.complaints = out, []
        self.context = chromium.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._request)
        self.page.on("requestfailed", self._failed)
        self.go(name)

    def _failed(self, request):
        if request.failure != "net::ERR_ABORTED":  # by leaving the page
            self.complaints.append(f"failed: {request.url}: {request.failure}")

    def _request(self, request):
        if not request.url.startswith((f"file://{self.out}/", "data:")):
            self.complaints.append(f"outside: {request.url}")

    def go(self, name):
        self.page.goto(f"file://{self.out}/{name}")

    def scenes(self):
        return self.page.locator(".scene").evaluate_all("all => all.map(f => f.dataset.id)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def scene(self, ident):
        """Scroll a scene into view, wait for its data, and count its pictures from now on."""
        figure = self.page.locator(f'[id="scene-{ident}"]')
        figure.evaluate("f => f.querySelector('.veil')?.click()")
        figure.scroll_into_view_if_needed()
        ready = "id => document.getElementById(id).dataset.ready !== undefined"
        self.page.wait_for_function(ready, arg=f"scene-{ident}", timeout=PATIENCE)
        figure.evaluate("f => { f.turns = 0; f.addEventListener('shown', () => f.turns++); }")
        return figure

    def press(self, figure, control, key):
        """Press a key on a control and wait for its picture; False if the key did nothing."""
        before, turns = control.evaluate(IN_PAGE["valueOnPage"]), figure.evaluate("f => f.turns")
        control.press(key)
        if before is not None and control.evaluate(IN_PAGE["valueOnPage"]) == before:
            return False
        self._wait(figure, turns)
        return True

    def reset(self, figure, box):
        """Put a control back to where it was at first, so that the others are seen from the opening."""
        turns = figure.evaluate("f => f.turns")
        if box.evaluate(IN_PAGE["resetControl"]):
            self._wait(figure, turns)

    def _wait(self, figure, turns):
        self.page.wait_for_function("([f, n]) => f.turns > n", arg=[figure.element_handle(), turns], timeout=PATIENCE)


WIDE = "document.documentElement.scrollWidth > innerWidth"
FIELDS = "input[type=range], select, input[type=checkbox], input:checked, button[id]"


def drive(reader):
    """Move every control of a page by keyboard; what a reader would complain about, and how many controls there are."""
    count, complaints = 0, []
    for ident in reader.scenes():
        figure = reader.scene(ident)
        boxes = figure.locator(".control:not([hidden])").all()  # what is painted has no control of its own
        for number, box in enumerate(boxes):
            pictures, words, tops = moved(reader, figure, box)
            others = [each for each in boxes if each is not box and each.locator("[type=range]").count()]
            if len(pictures) == 1 and others:  # a direction, say, in which nothing has been moved yet
                reader.press(figure, others[0].locator("input"), "End")
                pictures = moved(reader, figure, box)[0]
                reader.reset(figure, others[0])
            count += 1
            name = f"{ident}, control {number}"
            answers = figure.locator("button[id]").count() and len(words) > 1  # a game's picture waits for its button
            complaints += [f"{name}: changes nothing"] * (len(pictures) == 1 and not answers)
            complaints += [f"{name}: the words stay as they were"] * (len(words) == 1)
            complaints += [f"{name}: the page jumps"] * (len(tops) > 1)
    return complaints + reader.complaints, count


def moved(reader, figure, box):
    """The pictures, words and places of a scene while one of its controls is moved to its ends and put back."""
    control = box.locator(FIELDS).first
    looks = [figure.evaluate(IN_PAGE["lookOfScene"])]
    for key in keys(control):
        if reader.press(figure, control, key):
            looks.append(figure.evaluate(IN_PAGE["lookOfScene"]))
        if control.evaluate("e => e.type === 'radio'"):
            control = box.locator("input:checked")
    reader.reset(figure, box)
    return [set(each) for each in zip(*looks, strict=True)]


def drag(page, mark, *places):
    """Take a mark in the middle and pull it to places, in pixels from where it was."""
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for across, down in places:
        page.mouse.move(x + across, y + down, steps=6)
    page.mouse.up()


def keys(control):
    kind = control.evaluate("e => e.type || e.tagName")
    if kind == "radio":
        return ("ArrowRight",) * 3
    return ("Space",) * 2 if kind in ("checkbox", "button", "submit") else ("End", "Home")


def compare(reader, many=10):
    """Shares of pixels in which frames, as the page shows them, are far from live pictures, at random settings."""
    rng, made, found = random.Random(0), find("scenes"), {}
    for ident in reader.scenes():
        if ident not in made or ident.partition(".")[2].startswith("your_"):
            continue  # what asks for a reader's function
        about = shelf.scene_data(reader.out / "frames" / ident)
        if "hand" in about:
            continue  # test_hands.py asks these
        figure, total = reader.scene(ident), len(about["which"])
        files = about.get("frame", range(total))
        for setting in rng.sample(range(total), min(many, total)):
            figure.evaluate(IN_PAGE["showFrame"], files[setting])
            found[ident, setting] = difference(figure, live(made[ident](), about, setting))
    return found


def live(shown, about, setting):
    """The live picture of a setting, moved there at once from the opening."""
    places = []
    for each in reversed(about["controls"]):
        setting, place = divmod(setting, len(each["texts"]))
        places.insert(0, place)
    for widget in shown.controls.values():
        widget.unobserve(shown._redraw, names="value")
    # Buttons first: a game's puts other controls back.
    for each, place in sorted(zip(about["controls"], places, strict=True), key=lambda pair: pair[0]["kind"] != "press"):
        widget = shown.controls[each["name"]]
        all_of = steps(each["name"], widget)
        if each["kind"] == "press":
            widget.value = int(each["texts"][place].split()[0]) + widget.value
        else:
            widget.value = all_of.values[all_of.texts.index(each["texts"][place])]
    shown._drawn = {"moved": True}  # at the opening too: a frame has its ghosts there
    shown._redraw()
    assert shown.error is None
    picture = Image.open(io.BytesIO(shown.png)).convert("RGB")
    return np.asarray(picture.crop((0, round(100 * HEAD), *picture.size)), dtype=float)


def difference(figure, wanted):
    # In the corner of the window, where no pixel of it is cut by the layout.
    corner = f'[id="{figure.get_attribute("id")}"] .sheet {{ position: fixed; left: 0; top: 0; z-index: 9; }}'
    seen = Image.open(io.BytesIO(figure.locator(".sheet").screenshot(style=corner))).convert("RGB")
    assert seen.size == wanted.shape[1::-1]
    return (np.abs(np.asarray(seen, dtype=float) - wanted) > FAR).any(axis=2).mean()


def found_by_axe(page, **options):
    """What axe finds serious or critical in a page as it is."""
    from axe_core_python.sync_playwright import Axe

    return [f"{each['id']}: {node['html'][:120]}"
            for each in Axe().run(page, **options)["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]]


def serious(chromium, out, page, scheme):
    """The same of a page of the book with its derivations open."""
    with Reader(chromium, out, f"{page}.html", color_scheme=scheme, reduced_motion="reduce") as reader:
        reader.page.evaluate("document.querySelectorAll('.derivation .rest').forEach(b => b.click())")
        assert reader.complaints == []
        return found_by_axe(reader.page)


def dead_links(out):
    """Links of a book's pages, and of its search box, that lead nowhere."""
    pages = {file.name: file.read_text(encoding="utf-8") for file in out.glob("*.html")}
    known = {name: set(re.findall(r' id="([^"]*)"', text)) for name, text in pages.items()}
    links = [(n, *link) for n, text in pages.items() for link in re.findall(r'href="([^"#:]*)(?:#([^"]*))?"', text)]
    search = (out / "search.js").read_text(encoding="utf-8")
    links += [("search.js", *link) for link in re.findall(r'"([\w.]+\.html)#([^"]*)"', search)]
    files = {file.name for file in out.iterdir()}
    return [(name, file, place)
            for name, file, place in links
            if file and file not in files or place and place not in known[file or name]]
