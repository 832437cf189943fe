"""In a real browser without a network: the audit's page opens, asks for nothing, and fits its window."""

from dataclasses import replace

import pytest
from audit_tables import real

from calibtutor.audit import report

# What a reader sees: width of the page, pictures that failed, tables that stick out of their box.
LOOK = """() => ({
    sticks_out: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    failed: [...document.images].filter(i => !i.complete || !i.naturalWidth).length,
    pictures: document.images.length,
    boxes: [...document.querySelectorAll('.scroll')].filter(b => b.getBoundingClientRect().right > innerWidth).length,
    letters: parseFloat(getComputedStyle(document.body).fontSize),
    paper: getComputedStyle(document.body).backgroundColor,
    picture: document.images[0].getBoundingClientRect().width,
    title: document.title,
})"""


@pytest.fixture
def opened(chromium, tmp_path):
    """Open a page from a file, the network off; returns what is seen, and all that was complained of or asked for."""

    def open_page(text, width, scheme="light"):
        (tmp_path / "report.html").write_text(text, encoding="utf-8")
        context = chromium.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
        page, said = context.new_page(), []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url) if not request.url.startswith("data:") else None)
        page.goto((tmp_path / "report.html").as_uri())
        seen = page.evaluate(LOOK)
        context.close()
        return seen, said[1:] if said and said[0].endswith("report.html") else said

    return open_page


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1100, "light")])
def test_the_page_opens_without_a_network_and_fits(width, scheme, opened):
    groups = real().tables["groups"].assign(level="a very long name of a level that nobody would abbreviate " * 3)
    audit = replace(real(), tables=real().tables | {"groups": groups})
    title = "Calibration audit of a_file_with_a_rather_long_name_and_no_blank.csv"
    seen, said = opened(report.page(audit, title), width, scheme)
    assert said == [] and seen["title"] == title
    assert seen["pictures"] == 3 and seen["failed"] == seen["boxes"] == 0
    assert seen["sticks_out"] == 0 and seen["letters"] >= 16
    assert (seen["paper"] == "rgb(255, 255, 255)") == (scheme == "light")
    assert seen["picture"] > 340
