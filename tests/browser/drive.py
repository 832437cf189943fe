"""Drive every control of a notebook by keyboard, as a reader does, and write down what happened."""

import time
from dataclasses import dataclass, field

import lab
from lab import IN_PAGE

KEYS = {".noUi-handle": ("End", "Home"), "select": ("End", "Home"), "input[type=checkbox]": ("Space", "Space")}
BUTTON = "button.jupyter-button"
ENABLED = f"{BUTTON}:enabled"
OUTPUT = ".jp-OutputArea-output"
PATIENCE = 5  # seconds for a change; far above the 0.1 s it takes, a busy machine is not a dead control

SHOWN = "all => all.map(e => e.checkVisibility())"  # a question keeps its place while it is hidden


@dataclass
class Report:
    """What a reader with a keyboard would have seen in one notebook, and complained about."""

    controls: list = field(default_factory=list)
    complaints: list = field(default_factory=list)
    pictures: int = 0


def drive(chromium, address, name):
    """Open a notebook, run it, move every control; return a Report."""
    report = Report()
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.on("pageerror", lambda error: report.complaints.append(f"page: {error}"))
    lab.open_notebook(page, address, name)
    report.complaints += [f"cell: {text[-300:]}" for text in lab.errors(page)]
    report.complaints += [f"JupyterLab: {text}" for text in page.locator(".Toastify__toast").all_inner_texts()]
    for number, output in enumerate(page.query_selector_all(OUTPUT)):
        look = output.evaluate(IN_PAGE["lookOfOutput"])
        report.pictures += len(look["boxes"])
        report.complaints += [f"output {number}: {text}" for text in look["alerts"]]
        for selector, keys in KEYS.items():
            for element in output.query_selector_all(selector):
                _move(page, report, output, element, number, keys)
        _press_buttons(page, report, output, number)
    lab.shut_down(page)
    return report


def _press_buttons(page, report, output, number):
    """Every button once, those last that are chosen now; one that is disabled may wait for others to be pressed.

    What goes away with an answer needs no press: the other choices.
    """
    waiting, deadline = output.query_selector_all(BUTTON), time.monotonic() + PATIENCE
    waiting.sort(key=lambda button: button.evaluate("e => e.matches('.mod-active')"))
    while waiting and time.monotonic() < deadline:
        if ready := next((button for button in waiting if button.is_enabled()), None):
            _move(page, report, output, ready, number, ("Space",))
            waiting.remove(ready)
            deadline = time.monotonic() + PATIENCE
        else:  # the kernel may be about to enable one, or after more of the same: “Next”
            names = {button.inner_text() for button in waiting}
            enabled = [button for button in output.query_selector_all(ENABLED) if button.is_visible()]
            if others := [button for button in enabled if button.inner_text() not in names]:
                before = output.evaluate(IN_PAGE["lookOfOutput"])
                others[-1].press("Space")
                _settled(page, output, before, has_picture=False)
            page.wait_for_timeout(50)
        shown = page.evaluate(SHOWN, waiting)
        waiting = [button for button, is_shown in zip(waiting, shown, strict=True) if is_shown]
    report.complaints += [f"output {number}: button {b.inner_text()!r} never becomes enabled" for b in waiting]


def _move(page, report, output, element, number, keys):
    """Press keys on one control and add what its output did to the report."""
    before = output.evaluate(IN_PAGE["lookOfOutput"])
    name = element.evaluate(IN_PAGE["nameOfControl"])
    label = f"output {number}: {name}"
    has_picture, picture_changed, words_changed = bool(before["boxes"]), False, False
    for key in keys:
        value = None if element.evaluate("e => e.matches('button')") else element.evaluate(IN_PAGE["valueOfControl"])
        element.focus()
        page.keyboard.press(key)
        if value is not None and element.evaluate(IN_PAGE["valueOfControl"]) == value:
            continue  # End on a slider that is at its end
        after = _settled(page, output, before, has_picture)
        picture_changed |= after["sources"] != before["sources"]
        words_changed |= after["words"] != before["words"]
        pairs = zip(before["boxes"], after["boxes"], strict=True)
        if any(abs(a - b) > 1 for old, new in pairs for a, b in zip(old, new, strict=True)):
            report.complaints.append(f"{label}, {key}: picture box {before['boxes']} became {after['boxes']}")
        if any(abs(ratio - 1) > 0.02 for ratio in after["stretch"]):
            report.complaints.append(f"{label}, {key}: picture stretched, {after['stretch']}")
        report.complaints += [f"{label}, {key}: {text}" for text in after["alerts"]]
        before = after
    report.controls.append(label)
    dead = not (picture_changed if has_picture else words_changed)
    report.complaints += [f"{label}: changes nothing"] * dead
    report.complaints += [f"{label}: the words stay as they were"] * (picture_changed and not words_changed)


def _settled(page, output, before, has_picture):
    """The look of an output once picture and words have changed, or when it is clear that they will not."""
    deadline = time.monotonic() + PATIENCE
    while True:
        look = output.evaluate(IN_PAGE["lookOfOutput"])
        picture = look["decoded"] and look["sources"] != before["sources"]
        words = look["words"] != before["words"]
        failed = look["alerts"] and look["alerts"] != before["alerts"]
        changed = failed or (words and (picture or not has_picture))
        if changed and look["rests"] or time.monotonic() > deadline:
            return look
        page.wait_for_timeout(40)  # a look takes a share of the kernel's core
