"""How fast a picture that the page draws follows a hand: from a pointer's event to its marks laid out, in Chromium.

Each scene's first handle is dragged along a loop, a step a frame. A frame at 60 Hz has 16 ms.
"""

import lab
from tables import median_p95, print_table
from test_hands import IN_HAND, opened

STEPS = 240
DRAG = """async (steps) => {
  const handle = document.querySelector(".handle"), box = handle.querySelector(".choice").getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2, took = [];
  const send = (kind, [clientX, clientY]) => {
    handle.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX, clientY }));
  };
  handle.setPointerCapture = () => {};
  handle.hasPointerCapture = () => true;
  send("pointerdown", [x, y]);
  for (let k = 0; k < steps; k++) {
    const turn = 2 * Math.PI * k / 40;
    const start = performance.now();
    send("pointermove", [x + 120 * Math.sin(turn), y + 60 * Math.sin(2 * turn)]);
    document.querySelector("svg.hands").getBoundingClientRect();  // layout
    took.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  return took;
}"""


def main():
    rows = []
    with lab.browser() as chromium:
        for name in IN_HAND:
            page, *_ = opened(chromium, name)
            took = page.evaluate(DRAG, STEPS)
            rows.append([name, *median_p95(took), f"{max(took):.0f}"])
            page.context.close()
    print_table("From a pointer's event to marks laid out", ["scene", "median ms", "p95 ms", "longest"], rows)
