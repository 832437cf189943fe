"""No slide is taller or wider than a projector. Without reveal.js and MathJax, which a test does not download."""

import json

import pytest

from calibtutor.teach.notebooks import NOTEBOOKS, discover

CONFIG = NOTEBOOKS.parent / "binder" / "jupyter_nbconvert_config.json"
ALONE = "section { width: 1280px; padding: 20px 0; } aside { display: none; }"  # reveal.js shows one; here are all
SIZES = """[...document.querySelectorAll('section section')].map(s => [s.offsetHeight, s.scrollWidth, s.innerText])
    .filter(([height, width]) => height > 720 || width > 1280 || height < 50)"""
OTHERS = [path for path in discover() if path.stem != "01_notions"]


@pytest.mark.parametrize(
    "path",
    [NOTEBOOKS / "01_notions.ipynb", *(pytest.param(path, marks=pytest.mark.slow) for path in OTHERS)],
    ids=lambda path: path.stem,
)
def test_every_slide_fits_a_projector(chromium, tmp_path, path):
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    html, _ = SlidesExporter(config=Config(json.loads(CONFIG.read_text(encoding="utf-8")))).from_filename(path)
    (tmp_path / "slides.html").write_text(html, encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.route("http*://**", lambda route: route.abort())
    page.goto(f"file://{tmp_path}/slides.html")
    page.add_style_tag(content=ALONE)
    page.wait_for_function("[...document.images].every(image => image.complete)")
    assert page.locator("section section").count() > 10
    assert page.evaluate(SIZES) == []
    page.close()
