"""A picture for every setting of a scene: what moves, as PNG with transparency, over a base that stands still.

The base is the canvas without the artists that move: were it the first setting, its outlines would shine through.
In a frame a ghost, which live is the setting before, is the scene's opening shape: no frame depends on another.
"""

import hashlib
import itertools
import json
import math
import shutil

import numpy as np
from PIL import Image

from ...plots import HEAD
from .. import hands
from .. import still as stills
from ..controls import CountingButton, steps
from . import data

DPI = 100
MOST, KEPT = 2000, 3000  # settings of a scene; of one that names the values it keeps
PRESSES = 8  # of counting buttons, shared among those of a scene
SAID = 24  # settings of a scene that the page draws, of which the longest words are left room for
COLOURS = 64  # of a frame, transparency among them


def settings(shown):
    """What the controls of a scene are set to in the book: name -> `Steps`, of which all combinations are drawn.

    ValueError for more than 2,000 settings, or 3,000 of a scene that names the values it keeps, `explore(..., kept=)`.
    """
    if shown.hand:  # the page draws: no setting costs a frame
        return {name: steps(name, widget) for name, widget in shown.controls.items()}
    buttons = sum(isinstance(widget, CountingButton) for widget in shown.controls.values())
    presses = PRESSES // max(buttons, 1)
    found = {name: steps(name, widget, presses, shown.kept.get(name)) for name, widget in shown.controls.items()}
    count = math.prod(len(each.values) for each in found.values())
    most = KEPT if shown.kept else MOST
    if count > most:
        sizes = ", ".join(f"{name} {len(each.values)}" for name, each in found.items())
        raise ValueError(f"kept: {count:,} settings, the book holds {most:,}; keep fewer values of {sizes}")
    return found


def _combinations(shown, controls):
    """The settings that are drawn: all; of a scene that the page draws its opening, and some for their words."""
    found = itertools.product(*(each.values for each in controls.values()))
    if shown.hand:
        rng, opening = np.random.default_rng(0), [each.values[each.start] for each in controls.values()]
        draw = lambda: [each.values[rng.integers(len(each.values))] for each in controls.values()]
        found = [opening, *(draw() for _ in range(SAID))]
    return [dict(zip(controls, values, strict=True)) for values in found]


def delta(pixels, base):
    """What differs from the base, as an image of at most 64 colours; the rest is transparent."""
    # A pixel is one number here, which compares eight times as fast as its channels.
    moved = np.ascontiguousarray(pixels).view(np.uint32)[..., 0] != np.ascontiguousarray(base).view(np.uint32)[..., 0]
    places = np.zeros(moved.shape, np.uint8)
    palette = [255, 255, 255]
    if moved.any():
        row = Image.fromarray(np.ascontiguousarray(pixels[moved][None, :, :3]))
        few = row.quantize(COLOURS - 1, method=Image.Quantize.MAXCOVERAGE)
        places[moved] = np.asarray(few)[0] + 1
        palette += few.getpalette()[: 3 * (COLOURS - 1)]
    image = Image.fromarray(places, "P")
    image.putpalette(palette)
    image.info["transparency"] = 0
    return image


def write(shown, ident, folder):
    """Write a scene's folder, base.png, 0.png, 1.png … and scene.js; what scene.js holds.

    With a `u` before their names stand those for narrow pages, if the scene has them.
    """
    controls = settings(shown)
    combinations, tall = _combinations(shown, controls), shown.upright()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sets = [_Set(shown, folder, combinations)]
    if tall:  # for narrow pages; a file of its own for each of the others
        sets.append(_Set(tall, folder, combinations, "u"))
    said, which, files, known = {}, [], [], {}
    for number, values in enumerate(combinations):  # book.js (`setting`) counts in the same order
        try:
            drawn = [each.draw() for each in sets]
        except Exception as problem:
            at = ", ".join(f"{name}={value!r}" for name, value in values.items())
            raise ValueError(f"{ident} at {at}: {type(problem).__name__}: {problem}") from problem
        finding = tuple(data.CREDIT.sub("", each) for each in sets[0].finding)
        which.append(said.setdefault(finding, len(said)))
        picture = hashlib.blake2b(np.ascontiguousarray(drawn[0]), digest_size=16).digest()
        if picture not in known and not (shown.hand and number):
            known[picture] = number
            for each, pixels in zip(sets, drawn, strict=True):
                each.keep(number, pixels)
        files.append(known.get(picture, 0))
    told = [{"label": each.label, "kind": each.kind, "texts": each.texts, "start": each.start, "name": name,
             "hidden": name in shown.painted, "anew": [[*controls].index(other) for other in shown.anew.get(name, ())]}
            for name, each in controls.items()]
    scene = sets[0].about() | {"controls": told, "said": [list(each) for each in said], "which": which}
    if tall:
        scene["upright"] = sets[1].about()
    if photographs := [*zip(*(each.photographs() for each in sets), strict=True)]:
        scene["photographs"] = photographs
    if shown.hand:
        about = json.dumps(hands.about(shown.hand, shown.controls, shown.size), ensure_ascii=False)
        scene["hand"] = json.loads(data.REFERENCE.sub(data.OURS, about))
        (folder / "hand.js").write_text(hands.script(shown.hand), encoding="utf-8")
    elif files != [*range(len(files))]:
        scene["frame"] = files
    (folder / "scene.js").write_text(data.script("scene", ident, scene), encoding="utf-8")
    return scene


class _Set:
    """Frames of one shape: drawn, their spots noted, and kept as differences from their base."""

    def __init__(self, shown, folder, settings, prefix=""):
        self.shown, self.file, self.spots = shown, lambda name: folder / f"{prefix}{name}.png", []
        self.drawn = shown.frames(settings)
        self.base = next(self.drawn)[0].copy()
        Image.fromarray(self.base).convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT).save(
            self.file("base"), optimize=True)

    def draw(self):
        pixels, self.finding = next(self.drawn)
        height = self.shown.size[1]  # a frame has no headline
        self.spots.append([at and [round(at[0], 4), round((at[1] * height - HEAD) / (height - HEAD), 4)]
                           for at in self.shown.spots()])
        return pixels

    def keep(self, number, pixels):
        delta(pixels, self.base).save(self.file(number), optimize=True)

    def photographs(self):
        """Where photographs lie, as CSS has insets: a page in the dark must not make negatives of them."""
        part = 1 - HEAD / self.shown.size[1]  # of its height that a frame has: it has no headline
        boxes = [axes.get_position() for axes in self.shown.figure.axes if axes.get_gid() == "photograph"]
        sides = [(1 - box.y1 / part, 1 - box.x1, box.y0 / part, box.x0) for box in boxes]
        return [" ".join(f"{side:.2%}" for side in each) for each in sides]

    def about(self):
        height, width = self.base.shape[:2]
        return {"width": width, "height": height} | ({"spots": self.spots} if any(self.spots) else {})


def opening(scene):
    """What a page says of a scene before the player runs: its size and controls, its opening frame, and its words."""
    number = 0
    for each in scene["controls"] if "hand" not in scene else ():  # of a scene that the page draws the first is shown
        number = number * len(each["texts"]) + each["start"]
    return {key: scene[key] for key in ("width", "height", "controls")} | {
        "hand": "hand" in scene,
        "upright": "upright" in scene and [scene["upright"]["width"], scene["upright"]["height"]],
        "photographs": scene.get("photographs", ()),
        "frame": scene.get("frame", range(len(scene["which"])))[number],
        "said": scene["said"][scene["which"][number]],
        "longest": [max(texts, key=len) for texts in zip(*scene["said"], strict=True)]}


def still(picture, file):
    """Write a `Picture` as PNG, at twice its size on a page and without its headline; what a page says of it."""
    whole = stills.pixels(picture.figure, 2 * DPI)
    cropped = whole.crop((0, round(2 * DPI * HEAD), *whole.size))
    cropped.quantize(256, method=Image.Quantize.MEDIANCUT).save(file, optimize=True)
    width, height = (side // 2 for side in cropped.size)
    return {"width": width, "height": height, "said": [data.CREDIT.sub("", each) for each in picture.finding]}
