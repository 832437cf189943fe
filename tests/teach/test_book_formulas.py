"""Formulas of the book: every one in the course converts, and is read as meant."""

import io
import re

import nbformat
import pytest
from fontTools.ttLib import TTFont

from calibtutor.lessons import discover as find
from calibtutor.teach.book.formulas import FORMULA, font, mathml
from calibtutor.teach.derive import sign
from calibtutor.teach.notebooks import NOTEBOOKS, discover

CODE = re.compile(r"```.*?```|`[^`\n]*`", flags=re.S)


def course():
    """All formulas of notebooks, notation, errata and derivations: where, LaTeX."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in NOTEBOOKS.glob("*.md")}
    for path in discover():
        cells = nbformat.read(path, as_version=4).cells
        texts[path.name] = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    for name, text in texts.items():
        for found in FORMULA.finditer(CODE.sub("", text)):
            yield name, found["display"] or found["inline"]
    for name, derivation in find("derivations").items():
        yield from ((name, sign(line) + line.step.latex) for line in derivation.displayed())


def plain(latex, display=False):
    """MathML without what only says how it was made."""
    return re.sub(r' (data-latex|stretchy|lspace|rspace)="[^"]*"', "", mathml(latex, display))


def test_every_formula_of_the_course_becomes_mathml():
    seen = list(course())
    assert len(seen) > 1000
    for name, latex in seen:
        for display in (True, False):
            made = re.sub(r' data-latex="[^"]*"', "", mathml(latex, display))
            left = re.sub(r"<[^>]*>", "", made)
            assert made.startswith("<math") and left, (name, latex)
            assert not re.search(r"\\|\$", left), (name, latex, left)
            assert r"\{" in latex or not re.search("[{}]", left), (name, latex, left)


def test_signs_brackets_and_words_are_what_they_mean_and_what_is_not_known_is_refused():
    with pytest.raises(ValueError, match="unknowncommand"):
        mathml(r"a + \unknowncommand{b}")
    assert plain(r"\mathrm{CCE}_2") == "<math><msub><mtext>CCE</mtext><mn>2</mn></msub></math>"
    forms = {r"\exp(-a)": "prefix", "a - b": "infix", "a = -b": "prefix"}  # of a minus
    assert [plain(latex).count(f'form="{form}"') for latex, form in forms.items()] == [1, 1, 1]
    assert plain(r"\langle a, b\rangle") == "<math><mo>⟨</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>⟩</mo></math>"
    assert 'lspace="0" rspace="0"' in mathml(r"\|a\|")
    assert 'data-latex="p &lt; \\pi"' in mathml(r"p < \pi"), "the LaTeX is kept for who wants it"


def test_a_long_formula_may_break_behind_relations_and_before_sums_and_nowhere_else():
    pieces = plain(r"f(x, y) = \sum_i (a_i - b_i) + c(x = 1) = d").split("<wbr>")
    words = [re.sub("<[^>]*>", "", piece) for piece in pieces]
    assert words == ["f(x,y)=", "∑i(ai−bi)", "+c(x=1)=", "d"]
    assert plain(r"\|p - r\|^2 + \|x - y\|^2 + |z - 1|").count("<wbr>") == 2
    assert "<wbr>" not in plain("a = b + c") and plain(r"=\;f(x, y) + c(x)").count("<wbr>") == 1


def test_the_font_is_small_and_holds_what_formulas_need_and_bars_that_stretch_and_meet_roots():
    made = font("a∑⟨𝔼δΔ∥‾")
    cut = TTFont(io.BytesIO(made))
    known, variants = cut.getBestCmap(), cut["MATH"].table.MathVariants
    assert len(made) < 150_000 and all(ord(letter) in known for letter in "∑⟨𝔼Δ𝑎𝛿ℎ")
    assert any("OFL" in str(name) for name in cut["name"].names)
    assert '<mo accent="true" stretchy="true">‾</mo>' in mathml(r"\overline{p(1-p)}")
    assert known[ord("‾")] in variants.HorizGlyphCoverage.glyphs
    root = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(known[ord("√")])]
    assert root.GlyphAssembly is None and len(root.MathGlyphVariantRecord) > 2
