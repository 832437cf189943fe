"""What the search knows: the words of sections, of what a page plays in them, and of the glossary."""

import json

import nbformat

from calibtutor.teach.book import indexes, pages

WORDS = "# A lesson: its name\n\nFirst $x^2$ words.\n\n## Two *kinds* (5 min)\n\n- one\n- two & three"


def known(page):
    text = indexes.search([page])
    return json.loads(text[text.index("[") : text.rindex("]") + 1])


def test_a_section_is_known_by_its_words_and_by_what_it_plays():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(WORDS), nbformat.v4.new_code_cell("x")])
    page = pages.Page("a.html", nb, {"cells": {}, "derivation": {}})
    pages._read(page, {"a.html"}, None)
    shown = [("guess", "g", {"question": "Which <b>way</b>?"}), ("html", "", "<pre>1</pre>")]
    nb.cells[1].metadata["book_shown"] = shown
    first, second, *glossary = known(page)
    assert first == ["A lesson: its name", "a.html#a-lesson-its-name", "A lesson", "First x2 words."]
    assert second == ["Two kinds", "a.html#two-kinds", "A lesson", "one two & three Which way?"]
    assert all(address.startswith("notation.html#") and words == "" for _, address, _, words in glossary)
