"""The moving picture at the top of the README, as a GIF for a telephone's width: a hand in a picture of notebook 00.

    python notebooks/pictures/first_look.py [notebooks/pictures/first_look.gif]

Run it when the scene looks different; a test compares the two. It needs Playwright and a Chromium, which draws the page
that a reader has, and a cursor over it.
"""

import io
import json
import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import lab  # noqa: E402

from calibtutor.lessons.start.scenes import reveal_reliability  # noqa: E402
from calibtutor.teach import hands  # noqa: E402

SIZE = 390, 560
SHOWN = "random forest", "naive Bayes", "neural network"  # in this order, and back
COLOURS = 96
QUICK, GLANCE, LOOK = 60, 500, 1800  # milliseconds of a frame
PAGE = """<!doctype html><meta charset="utf-8"><style>{css}
  body, .hands {{ font-family: "DejaVu Sans", sans-serif }}
  body {{ margin: 0; height: 560px; overflow: hidden; background: #fff }}
  p {{ margin: 6px 8px 2px; height: 48px; font-size: 17px; line-height: 24px; font-weight: 700 }}
  i {{ display: inline-block; margin: 0 0 8px 8px; padding: 8px 10px; border: 1px solid #767676; border-radius: 6px;
      font: 13px "DejaVu Sans", sans-serif }}
  i.on {{ background: #0072b2; color: #fff }} #host {{ width: 390px; height: 450px; overflow: hidden }}
  #cursor {{ position: fixed; z-index: 9; width: 26px; pointer-events: none }}
</style><p></p>{buttons}<div id="host"></div>
<svg id="cursor" viewBox="0 0 26 38" fill="#222" stroke="#fff" stroke-width="2.4">
<path d="M2 2v29l7-6 5 11 6-3-5-10h9z"/></svg>
<script>{module}</script><script>
const about = {about}, names = about.controls.model.values, cursor = document.getElementById("cursor");
const say = (lines) => {{ document.querySelector("p").textContent = lines[0]; }};
const shown = hands.mount(document.getElementById("host"), about, {start}, {{ say }});
const choose = (model) => {{
  document.querySelectorAll("i").forEach((each) => each.classList.toggle("on", each.textContent === model));
  shown.show({{ model: names.indexOf(model) }}, {{ tween: true }});
}};
choose("random forest");
addEventListener("mousemove", (event) => {{
  Object.assign(cursor.style, {{ left: `${{event.clientX - 2}}px`, top: `${{event.clientY - 2}}px` }});
}}, true);
document.querySelectorAll("i").forEach((each) => each.addEventListener("click", () => choose(each.textContent)));
</script>"""


def film(page):
    """(frame as PNG, milliseconds): the yellow edge is dragged, then other models are chosen, whose digits fly."""
    at = [330.0, 470.0]

    def frame(milliseconds=QUICK):
        page.clock.run_for(QUICK)
        return page.screenshot(), milliseconds

    def move(x, y, steps):
        (x0, y0), at[:] = at, (x, y)
        for k in range(1, steps + 1):
            t = (1 - math.cos(math.pi * k / steps)) / 2
            page.mouse.move(x0 + t * (x - x0), y0 + t * (y - y0))
            yield frame()

    def middle(found):
        box = found.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    page.mouse.move(*at)
    yield frame(LOOK)
    x, y = middle(page.locator(".handle .choice"))
    yield from move(x, y, 6)
    page.mouse.down()
    for to, steps in ((0.6, 14), (0.93, 12), (0.9, 4)):
        yield from move(x + (to - 0.9) * 262, y, steps)
    page.mouse.up()
    yield frame(GLANCE)
    for model in (*SHOWN[1:], SHOWN[0]):
        yield from move(*middle(page.locator("i", has_text=model)), 6)
        page.mouse.down()
        page.mouse.up()
        yield from (frame() for _ in range(5))
        yield frame(LOOK)


def write(path, chromium):
    """Write the GIF."""
    scene = reveal_reliability()
    about = hands.about(scene.hand, scene.controls, scene.size)
    start = {name: told["values"].index(scene.values[name]) for name, told in about["controls"].items()}
    css, module = ((hands.HERE / name).read_text(encoding="utf-8") for name in ("hands.css", "hands.js"))
    text = PAGE.format(css=css, module=module + hands.script(scene.hand), about=json.dumps(about), start=start,
                       buttons="".join(f"<i>{name}</i>" for name in SHOWN))  # fmt: skip
    page = chromium.new_page(viewport=dict(zip(("width", "height"), SIZE, strict=True)))
    page.clock.install()
    page.set_content(text)
    shots, durations = zip(*film(page), strict=True)
    page.close()
    frames = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    # One palette for all, or colours would flicker, of what is looked at.
    looks = [each for each, milliseconds in zip(frames, durations, strict=True) if milliseconds == LOOK]
    sheet = Image.fromarray(np.concatenate([np.asarray(each) for each in looks]))
    palette = sheet.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    first, *rest = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames)
    first.save(path, save_all=True, append_images=rest, duration=durations, loop=0, optimize=True, disposal=1)


if __name__ == "__main__":
    with lab.browser() as chromium:
        write(*(sys.argv[1:] or ["notebooks/pictures/first_look.gif"]), chromium)
