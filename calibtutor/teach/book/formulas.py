"""Formulas of the book: LaTeX to MathML when a page is built, and the font that they are set in.

latex2mathml does the work, from LaTeX that it reads as meant; what its operators are is said in a table. A long formula
comes in pieces between which a narrow page breaks it.
"""

import html
import io
import re
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from fontTools import subset
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert_to_element

FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|(?<![\\$\w])\$(?P<inline>[^$]+?)(?<!\\)\$(?!\d)", flags=re.S)
OPENING, CLOSING, RELATIONS = {*"([{⟨⌊⌈"}, {*")]}⟩⌋⌉"}, {*"=≠≤≥<>≈≡∝∼→↦∈"}
SHORT = 9  # letters and signs that stay together on a line
SIGNS = {"*": "∗", "~": "∼", "―": "‾"}  # as TeX has them; the last is a bar that the font can stretch
UNSPACED = {"lspace": "0", "rspace": "0"}
MEANT = {  # what latex2mathml takes for letters or gives a space: tag and attributes
    **dict.fromkeys("()[]{}|/.", ("mo", UNSPACED)),
    **dict.fromkeys("⟨⟩⌊⌋⌈⌉‖", ("mo", {"stretchy": "false", **UNSPACED})),
    **dict.fromkeys(":;∼", ("mo", {})),
    "‾": ("mo", {"stretchy": "true"}),
    **dict.fromkeys("ΓΔΘΛΞΠΣΦΨΩ⊤…", ("mi", {"mathvariant": "normal"})),
    **dict.fromkeys(("max", "min", "sup", "lim"), ("mo", {"lspace": "0", "rspace": ".17em"}))}
START = {*OPENING, *RELATIONS, *",;/+−"}  # a sign behind these is no sum's or difference's


@lru_cache(maxsize=4096)
def mathml(latex, display=False):
    """One formula as MathML: several ``<math>``, between which a line may break, if it is long.

    The first carries the LaTeX as its ``data-latex``. ValueError for a command that would be left as it is.
    """
    latex = latex.strip()
    row = convert_to_element(_plain(latex), display="block" if display else "inline")[0]
    for node in row.iter():
        sign = html.unescape(node.text or "")  # latex2mathml writes them as entities
        node.text = SIGNS.get(sign, sign)
        node.tag, known = MEANT.get(node.text, (node.tag, {}))
        node.attrib |= known
    for before, node in ((before, node) for each in row.iter() for before, node in pairwise([None, *each])):
        if node.text in ("+", "−"):
            node.set("form", "prefix" if before is None or before.text in START else "infix")
    if found := [e.text for e in row.iter() if e.text and "\\" in e.text]:
        raise ValueError(f"latex: {found} of {latex!r} is unknown to latex2mathml")
    about, written = {"data-latex": latex}, []
    for piece in _pieces(row):
        math = ElementTree.Element("math", {"displaystyle": "true"} | about if display else about)
        math.extend(piece)
        written.append(ElementTree.tostring(math, encoding="unicode"))
        about = {}
    return "<wbr>".join(written)


def in_words(text):
    """Words with formulas between dollars, as plain text for titles and the search."""
    letters = lambda found: html.unescape(re.sub(r"<[^>]*>", "", mathml(found["display"] or found["inline"])))
    return FORMULA.sub(letters, text).replace("`", "").replace("*", "")


def _plain(latex):
    """LaTeX that latex2mathml reads as meant: an upright word is one, and not its letters."""
    latex = re.sub(r"\\mathrm\s*([A-Za-z])", r"\\mathrm{\1}", latex).replace(r"\!", "").replace("\n", " ")
    in_text = lambda found: r"\text" + found[1].replace(r"\ ", " ").replace(r"\_", "_")
    return re.sub(r"\\mathrm(\{[^{}]*\})", in_text, latex)


def _pieces(row):
    """The formula's parts between which a line may break: behind a relation or a wide space, before a sum's sign."""
    if sum(len((each.text or "").strip()) for each in row.iter()) <= SHORT:
        return [list(row)]
    pieces, depth, barred = [[]], 0, False
    for node in row:
        core = node  # the bracket that an exponent is about
        while len(core) and core.tag in ("msup", "msub", "msubsup"):
            core = core[0]
        depth += core.text in OPENING
        depth -= core.text in CLOSING
        barred ^= core.text in ("‖", "|")  # opens and closes
        if depth == 0 and not barred and node.get("form") == "infix":
            pieces.append([])
        pieces[-1].append(node)
        wide = node.get("width", "").startswith(("1em", "2em"))
        relates = node.tag == "mo" and node.text in RELATIONS and len(pieces[-1]) > 1  # a line's own sign stays
        if depth == 0 and (wide or relates):
            pieces.append([])
    return [piece for piece in pieces if piece]


def font(characters):
    """STIX Two Math (OFL 1.1), cut to what formulas with these characters can need, as WOFF."""
    (folder,) = find_spec("ziamath").submodule_search_locations  # its font is all that is wanted of it
    whole = TTFont(Path(folder) / "fonts" / "STIXTwoMath-Regular.ttf")
    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True, name_IDs=[0, 1, 2, 5, 13, 14])
    cut = subset.Subsetter(options)
    # A letter alone is set in italics, which are characters of their own.
    italics = [*range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C)]
    cut.populate(unicodes={*map(ord, characters), *range(0x20, 0x7F), *italics, 0x2212, 0x221A, 0x2032})
    cut.subset(whole)
    variants = whole["MATH"].table.MathVariants
    radical = variants.VertGlyphCoverage.glyphs.index(whole.getBestCmap()[0x221A])
    variants.VertGlyphConstruction[radical].GlyphAssembly = None  # set together from pieces, a root misses its bar
    whole.flavor = "woff"
    held = io.BytesIO()
    whole.save(held)
    return held.getvalue()
