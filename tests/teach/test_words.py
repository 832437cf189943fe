"""The letters and words of the course stand where notation.md says, mean one thing, and are those of notebook 00."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

import nbformat
import pytest
from notebook_rules import dead_links

from calibtutor.teach.notebooks import NOTEBOOKS, discover
from calibtutor.teach.words import LETTERS, letters, short_table, terms

TEXT = (NOTEBOOKS / "notation.md").read_text(encoding="utf-8")
TABLES, TERMS = letters(TEXT), terms(TEXT)
ROWS = [(title, letter) for title, rows in TABLES.items() for letter in rows]
FIRST = [letter for title, letter in ROWS if "something else" not in title]
MATH = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", flags=re.S)
GREEK = {"α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "λ": r"\lambda", "μ": r"\mu", "Δ": r"\Delta"}


@lru_cache
def sections(notebook, outputs=False):
    """A notebook's prose by section: its title, or number if it has one; what is before the first is the opening.

    With `outputs`: and what stands below pictures and in derivations.
    """
    found, at = {"opening": ""}, "opening"
    for cell in nbformat.read(NOTEBOOKS / notebook, as_version=4).cells:
        if cell.cell_type == "code":
            shown = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            found[at] += "\n".join(shown) * outputs
            continue
        # What is made of notation.md itself proves nothing.
        prose = re.sub(r"(?m)^\| letter \| stands for .*\n(?:\|.*\n?)*", "", cell.source)
        before, *rest = re.split(r"(?m)^## ", prose)
        found[at] += before
        for section in rest:
            number, title = re.match(r"(?:(\d+) · )?(.+?)(?: \(\d+ min(?:, optional)?\))?(?:\n|$)", section).groups()
            at = f"section {number}" if number else title
            found[at] = section
    return found


def plain(text):
    """Prose without marks for stress, formulas and line breaks, in small letters."""
    return " ".join(re.sub(r"[*$]|\\mathrm(?=\{)", "", text).replace("{CE}", "CE").split()).lower()


def tight(formula):
    """A formula without the spaces that part no names."""
    return re.sub(r"(?<![a-z])\s+|\s+(?![a-z])", "", re.sub(r"\\[,;]", " ", formula))


@lru_cache
def formulas(notebook):
    """The formulas of a notebook's prose, and its Greek letters outside of them."""
    prose = "\n".join(sections(notebook).values())
    greek = [GREEK[letter] for letter in re.findall("[" + "".join(GREEK) + "]", MATH.sub("", prose))]
    return tight("\n".join(MATH.findall(prose) + greek))


def uses(notebook, symbol):
    """Whether a letter, such as p_k, is in a formula of a notebook: as no part of a longer name, and no index."""
    around = re.escape(tight(symbol))
    if re.match(r"[A-Za-z]", symbol):
        around = r"(?<![A-Za-z\\{_])" + around
    if re.search(r"[A-Za-z]$", symbol):
        around += r"(?![A-Za-z{])"
    return re.search(around, formulas(notebook)) is not None


def pieces(letter):
    return re.findall(r"\$([^$]+)\$", letter.symbol)


def base(symbol):
    """The letter of a symbol: h of h_{ij}."""
    return re.search(r"(?:\\mathrm\{)?(\\?[A-Za-z]+)", symbol)[1]


def is_named(name, notebook):
    """Whether a link's text, a number or a case study's subject, is that of the notebook."""
    return PurePosixPath(notebook).stem.startswith(name) or name.lower() in notebook


# --- letters -----------------------------------------------------------------------------------------------


def test_there_are_letters():
    assert list(TABLES)[0] == LETTERS and len(TABLES) == 3 and len(TABLES[LETTERS]) > 20
    assert all(letter.symbol and letter.meaning for _, letter in ROWS)


@pytest.mark.parametrize(("title", "letter"), ROWS, ids=[letter.symbol for _, letter in ROWS])
def test_a_letter_stands_in_the_notebooks_named(title, letter):
    used = {(symbol, file): uses(file, symbol) for symbol in pieces(letter) for _, file in letter.links}
    for symbol in pieces(letter):
        assert any(used[symbol, file] for _, file in letter.links), f"{symbol} is in none of {letter.links}"
    for name, file in letter.links:
        assert is_named(name, file) and any(used[symbol, file] for symbol in pieces(letter)), (name, file)


@pytest.mark.parametrize("letter", FIRST, ids=lambda letter: letter.symbol)
def test_a_letter_is_in_no_earlier_notebook(letter):
    lessons = [path.name for path in discover() if path.parent == NOTEBOOKS]
    for symbol in pieces(letter):
        same = [row for _, row in ROWS if base(symbol) in map(base, pieces(row))]
        known = {file for row in same for _, file in row.links}
        first = min(lessons.index(file) for _, file in letter.links if uses(file, symbol))
        assert [name for name in lessons[:first] if uses(name, symbol) and name not in known] == []


def test_a_letter_is_explained_once():
    symbols = [symbol for letter in FIRST for symbol in pieces(letter)]
    assert len(symbols) == len(set(symbols))
    again = [symbol for title, letter in ROWS if "something else" in title for symbol in pieces(letter)]
    assert set(map(base, again)) - set(map(base, symbols)) == {"z", "t", "q"}  # of no meaning in the whole course


def test_notebook_00_shows_the_file():
    cells = nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
    shown = [cell.source for cell in cells if "| letter | stands for |" in cell.source]
    assert len(shown) == 1
    assert short_table(TEXT, "00_start_here.ipynb").strip() in shown[0] and "](notation.md)" in shown[0]


# --- words -------------------------------------------------------------------------------------------------


def test_terms_are_sorted_and_none_is_twice():
    names = [term.name.lower() for term in TERMS]
    assert 60 <= len(names) <= 90
    assert names == sorted(names) and len(names) == len(set(names))
    shorts = [term.short for term in TERMS if term.short]
    assert len(shorts) == len(set(shorts)) and not set(shorts) & {term.name for term in TERMS}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_term_is_used_where_it_is_explained(term):
    assert is_named(term.lesson, term.notebook)
    found = sections(term.notebook, outputs=True)
    assert term.section in found, f"{term.notebook} has {list(found)}"
    said = plain(found[term.section])
    names = [plain(term.name)] + [plain(term.short)] * bool(term.short)
    assert any(re.search(rf"\b{re.escape(name)}", said) for name in names), f"{names}: not in {term.section}"


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_term_has_one_or_two_sentences(term):
    told = re.sub(r"\([^)]*\)", "", term.text)
    assert 1 <= len(re.findall(r"[.](?=\s|$)", told)) <= 3 and len(term.text) < 330


def test_links_are_live():
    assert dead_links(TEXT, NOTEBOOKS) == []


# --- what the tests would catch ------------------------------------------------------------------------------


def test_a_letter_is_no_part_of_another():
    assert uses("02_binning_and_kde.ipynb", "w") and not uses("00_start_here.ipynb", "w")
    assert not uses("01_notions.ipynb", r"\lambda") and uses("03_calibration_risk.ipynb", r"\lambda")
    assert not uses("00_start_here.ipynb", "a")  # \mathrm{argmax} is one name


def test_a_row_or_entry_of_another_shape_is_refused():
    head = "## L\n\n| letter | stands for | first in | in the papers |\n|---|---|---|---|\n"
    with pytest.raises(ValueError, match="a row is"):
        letters(head + "| $p$ | a prediction | 00 | |\n")
    with pytest.raises(ValueError, match="an entry is"):
        terms("**bin**: a piece. [00](00_start_here.ipynb)\n")
