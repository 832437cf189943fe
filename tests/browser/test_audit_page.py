"""In a real browser without a network: the audit's page opens, asks for nothing, and fits its window."""

from dataclasses import replace
from functools import cache

import pytest
from audit_tables import real
from lab import IN_PAGE

from calibtutor.audit import report

TITLE = "Calibration audit of a_file_with_a_rather_long_name_and_no_blank.csv"


@cache
def page_of_long_names():
    groups = real().tables["groups"].assign(level="a very long name of a level that nobody would abbreviate " * 3)
    return report.page(replace(real(), tables=real().tables | {"groups": groups}), TITLE)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1100, "light")])
def test_the_page_opens_without_a_network_and_fits(width, scheme, chromium, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page_of_long_names(), encoding="utf-8")
    context = chromium.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    seen = page.evaluate(IN_PAGE["lookOfReport"])
    context.close()
    assert said == [] and [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert seen["title"] == TITLE
    assert seen["pictures"] == 2 and seen["failed"] == seen["boxes"] == 0
    assert seen["sticks_out"] == 0 and seen["letters"] >= 16
    assert (seen["paper"] == "rgb(255, 255, 255)") == (scheme == "light")
    assert seen["picture"] > 340
