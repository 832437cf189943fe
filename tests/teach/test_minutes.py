"""Minutes are counted from what a notebook holds."""

import inspect

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from calibtutor.lessons import discover
from calibtutor.teach.minutes import plan, write_minutes

PROSE = "word " * 300


def a_notebook():
    cells = [
        new_markdown_cell("# Tiny\n**Minutes:** 7. **You need:** nothing."),
        new_code_cell("from calibtutor.lessons.start import check, derivations, derive, scenes\nscenes.coin()"),
        new_markdown_cell(f"{PROSE}\n\n## 1 · One (99 min)\n{PROSE}"),
        new_code_cell("scenes.coin()\nscenes.road_scenes()"),
        new_code_cell("derive(derivations.one_forecast)"),
        new_markdown_cell("## Optional: two (1 min, optional)\nMore."),
        new_code_cell("check.animals(None)"),
        new_code_cell("def gap(hit, confidence):\n    ...\n\n\ncheck.gap(gap)"),
        new_code_cell("\n".join(["x = 1"] * 6), outputs=[new_output("stream", text="1")]),
        new_code_cell("check.report()"),
    ]
    return new_notebook(cells=cells)


def test_plan_counts_prose_pictures_lines_and_exercises():
    lines = len(discover("derivations")["start.one_forecast"].steps)
    opening, one, two = plan(a_notebook())
    assert opening == ("", round(2.75 + 3.05))
    assert one == ("1 · One", round(3.02 + 2 * 2.75 + 0.75 * lines))
    body = len(inspect.getsource(discover("exercises")["start.gap"].reference).splitlines()) - 1
    assert two == ("Optional: two", round(0.03 + 2 + (2 + body) + (1 + 1)))


def test_written_minutes_sum_and_stay():
    nb = write_minutes(a_notebook())
    sections = dict(plan(nb))
    total = sections[""] + sections["1 · One"]
    opening, _, first, _, _, optional, *_ = [cell.source for cell in nb.cells]
    assert opening.endswith(
        f"**Minutes:** {total}, of which {sections['']} before the first section, and {sections['Optional: two']} more "
        "for what is optional. **You need:** nothing."
    )
    assert f"\n## 1 · One ({sections['1 · One']} min)\n" in first
    assert optional.startswith(f"## Optional: two ({sections['Optional: two']} min, optional)\n")
    assert nb.metadata["calibtutor"]["minutes"] == total
    again = [cell.source for cell in write_minutes(nb).cells]
    assert again == [opening, nb.cells[1].source, first, *(cell.source for cell in nb.cells[3:])]
