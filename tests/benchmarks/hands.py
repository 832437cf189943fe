"""How fast a picture that the page draws follows a hand: from a pointer's event to its marks laid out, in Chromium.

Each scene's first handle is dragged along a loop, a step a frame. A frame at 60 Hz has 16 ms.
"""

import lab
from tables import median_p95, print_table
from test_hands import IN_HAND, opened

STEPS = 240


def main():
    rows = []
    with lab.browser() as chromium:
        for name in IN_HAND:
            page, *_ = opened(chromium, name)
            took = page.evaluate(lab.IN_PAGE["dragInCircles"], STEPS)
            rows.append([name, *median_p95(took), f"{max(took):.0f}"])
            page.context.close()
    print_table("From a pointer's event to marks laid out", ["scene", "median ms", "p95 ms", "longest"], rows)
