"""A notebook's Markdown as HTML: formulas as MathML, headings with ids, links to the book's own pages."""

import html
import posixpath
import re

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from .data import free
from .formulas import in_words, mathml

MINUTES = re.compile(r"\s*\((\d+ min(?:, optional)?)\)\s*$")
BESIDE = re.compile(r"(?P<before>[(\[“]*)(?P<math><math.*?</math>)(?P<behind>[.,;:)\]?!”]*)", flags=re.S)
RUN = re.compile(r"<em>(To make the pictures move, r|R)un the cells?\b")  # here they move, and nothing runs
PAGES = {"README.md": "index.html", "errata.md": "errata.html", "notation.md": "notation.html"}  # no notebooks


class Prose(IPythonRenderer):
    """Renders the Markdown cells of one page, in order, and keeps its `headings`: (words, id).

    Those of level 2 are its `sections`: id, words, html, minutes. A link to a notebook that is no page of `known`
    becomes plain text.
    """

    def __init__(self, known):
        super().__init__(escape=False)
        self.known, self.sections, self.headings = known, [], []

    def render(self, text):
        """One cell."""
        return BESIDE.sub(_kept, MarkdownWithMath(renderer=self).render(text))

    def heading(self, text, level, **attrs):
        text, said = (*MINUTES.split(text.strip()), "")[:2]
        words = re.sub(r"<[^>]*>", "", html.unescape(text))
        ident = slug(words, [known for _, known in self.headings])
        self.headings.append((words, ident))
        if level == 2:
            self.sections.append({"id": ident, "words": words, "html": text, "minutes": said.split(",")[0]})
        beside = f' <span class="minutes">{said}</span>' if said else ""
        return f'<h{level} id="{ident}">{text}{beside}</h{level}>\n'

    def block_math(self, body):
        return f'<div class="formula">{mathml(body, display=True)}</div>'

    def inline_math(self, body):
        return mathml(body)

    def paragraph(self, text):
        return "" if RUN.match(text) else super().paragraph(text)

    def table(self, text):
        return f'<div class="table"><table>{text}</table></div>\n'

    def link(self, text, url, title=None):
        address, mark, place = url.partition("#")
        if "://" in address or not address:
            return super().link(text, url, title)
        name = posixpath.basename(address)
        page = PAGES.get(name, name.replace(".ipynb", ".html"))
        return super().link(text, page + mark + place, title) if page in self.known else text


def slug(words, taken=()):
    """A heading's id: its words with hyphens, and a number if another has them already."""
    return free(re.sub(r"[^\w]+", "-", in_words(words).lower()).strip("-") or "section", taken)


def _kept(found):
    """A formula and the signs that stand against it, which browsers would put on a line of their own."""
    return f'<span class="kept">{found[0]}</span>' if found["before"] or found["behind"] else found[0]
