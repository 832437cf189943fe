"""The pages that are made of the others, as Markdown: contents, letters and words, errata; what the search knows."""

import html
import json
import re

from ..notebooks import NOTEBOOKS
from .formulas import in_words, mathml
from .prose import slug

PICTURES = NOTEBOOKS / "pictures"  # of each notebook one, small

FILES = {"index.html": "Contents", "notation.html": "Letters and words", "errata.html": "Errata"}
FOLDERS = {"The course": "", "Case studies": "case_studies", "Further": "further", "A lecture": "lectures"}
CODE = re.compile(r"\(errata (\w+)\)")
FROM_PAPER = re.compile(r"errata \w+|§|\b(?:eqs?|Table|Thm|Theorem|Prop|Corollary|Def)\b")
PLACE = re.compile(r"\[(?P<lesson>\w+), (?P<section>[^]]+)\]\((?P<file>[^)#]+)\)")  # of a word, in notation.md
WORD = re.compile(r"(?m)^\*\*(.+?)\*\*: (.+)$")  # of the glossary, and what it means


def written(lessons, planned=()):
    """The pages of `FILES`: (title, description, Markdown without its title) each, in this order."""
    return [_contents(lessons, planned), _words(lessons), _errata(lessons)]


def _contents(lessons, planned):
    said = [
        "A classifier says 80 %. Does it happen 80 % of the time? For whom, and how sure are we? Every picture here "
        "follows its controls, every derivation is evaluated line by line, and exercises answer back. Nothing needs to "
        "be installed, and nothing runs but this page. Yellow is what you take in hand.\n"]
    for heading, folder in FOLDERS.items():
        pages = [page for page in lessons if page.path.parent == NOTEBOOKS / folder]
        if not pages:
            continue
        said.append(f"\n## {heading} ({sum(page.minutes for page in pages)} min)\n\n")
        if heading == "The course":
            short = sum(page.minutes for page in pages if page.about.get("short_route"))
            said.append(
                f"The short route, {short} minutes after the start, goes through the lessons marked with ✓: from "
                "measuring a calibration error to asking for whom it is large.\n\n")
        said += ['<ol class="lessons">', *map(_entry, pages), "</ol>\n"]
    if planned:
        said.append("\n## For a class\n\nEach plan has a page that *Present* runs through.\n\n")
        said += [f"* [{page.title}]({page.file})\n" for page in planned]
    about = "A course on the calibration of classifiers in which every slider moves."
    return "Calibration, hands on", about, "".join(said)


def _entry(page):
    about, (name, _, rest) = page.about, page.title.partition(":" if " · " in page.title else "\0")
    question = about.get("question") or rest.strip()
    route = ' <span class="route" title="on the short route">✓</span>' if about.get("short_route") else ""
    question = question[:1].upper() + question[1:]
    look, title = "", f'<a href="{page.file}">{html.escape(name)}</a>'
    if (PICTURES / f"{page.path.stem}.png").is_file():
        look = (f'<a class="look" href="{page.file}" tabindex="-1" aria-hidden="true">'
                f'<img src="pictures/{page.path.stem}.png" alt="" loading="lazy" width="240"></a>')
    return (f'<li>{look}{title}{route} <span class="minutes">{page.minutes} min</span>'
            f'<p class="asks">{html.escape(question)}</p><p>{html.escape(about.get("goals", ""))}.</p></li>')


def _words(lessons):
    """The course's letters and words, each word with an id; its link leads to the section that it names."""
    pages = {page.path.relative_to(NOTEBOOKS).as_posix(): page for page in lessons}

    def linked(found):
        sections = pages[found["file"]].sections if found["file"] in pages else []
        named = found["section"].removeprefix("section ")
        ids = [each["id"] for each in sections if each["words"] == named or each["words"].startswith(f"{named} · ")]
        return f"[{found['lesson']}, {found['section']}]({found['file']}{'#' + ids[0] if ids else ''})"

    text = (NOTEBOOKS / "notation.md").read_text(encoding="utf-8").partition("\n")[2]
    text = WORD.sub(lambda found: f'<span id="{_word(found[1])}"></span>{found[0]}', text)
    text = PLACE.sub(linked, text)
    return "Letters and words of the course", "The notation of the course, beside that of the papers; a glossary.", text


def _word(name):
    return "word-" + slug(re.sub(r" \(.*", "", name))


def _errata(lessons):
    slips = []
    for page in lessons:
        for ident, each in page.caught["derivation"].items():
            for choice in each["choices"]:
                (true,) = (each["lines"][k] for k in choice if each["lines"][k]["printed"] is None)
                for k in choice:
                    line, place = each["lines"][k], f"{page.file}#derivation-{ident}-{k + 1}"
                    if line["printed"] and FROM_PAPER.search(line["printed"]):
                        slips.append(_slip(line, true, place, f"{page.title.split(':')[0]}, line {k + 1}"))
    listing = "".join(slip for _, slip in sorted(slips))
    text = (
        (NOTEBOOKS / "errata.md").read_text(encoding="utf-8").partition("\n")[2].strip() + "\n\n## Line by line\n\n"
        "Each of these lines stands in a derivation beside the true one: what is printed or, where a paper leaves "
        f'something unsaid, what one might read. Its link leads to the numbers.\n\n<ul class="slips">{listing}</ul>\n')
    about = "What papers print and what holds: wrong in print, left unsaid, our criticism; and the numbers that say so."
    return "What papers print", about, text


def _slip(line, true, place, where):
    """By what it is sorted, and an entry of the list."""
    code = CODE.search(line["printed"])
    said, name = html.escape(CODE.sub("", line["printed"]).strip()), f"<b>{code[1]}</b> " if code else ""
    false, right = (mathml(re.sub(r"^(=|\\leq|\\geq)\\;", "", each["math"]), display=True) for each in (line, true))
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", code[1] if code else "~")], (
        f'<li><p>{name}{said}</p><p><span class="miss">false</span> {false}</p>'
        f'<p><span class="holds">true</span> {right}</p><p><a href="{place}">{html.escape(where)}</a></p></li>')


SHOWN = {  # what a page plays, and what of its words the search knows
    **dict.fromkeys(("scene", "picture"), lambda it: it["said"]),
    "derivation": lambda it: [it["title"], it["claim"]],
    "guess": lambda it: [it["question"]],
    "exercise": lambda it: [it.get("asked", "")]}
HEAD = re.compile(r'<h(?P<level>[1-6]) id="(?P<id>[^"]*)">(?P<title>.*?)</h[1-6]>', flags=re.S)
ASIDE = re.compile(r'<span class="minutes">.*?</span>', flags=re.S)
BREAK = re.compile(r"<(?:/?(?:p|li|div|tr|td|th|table|ul|ol|pre|blockquote)|br|hr)\b[^>]*>")


def search(pages):
    """The script that the search box asks: [title, address, where, words] of all sections, derivations and words."""
    entries = []
    for page in pages:
        short = page.title.split(":")[0]
        if page.file != "notation.html":  # its words have entries of their own
            entries += [[title, f"{page.file}#{ident}", short, " ".join(of)] for title, ident, of in _sections(page)]
        else:
            entries += [[in_words(words), f"{page.file}#{ident}", short, ""] for words, ident in page.headings]
        for ident, each in (page.caught or {"derivation": {}})["derivation"].items():
            entries.append([_text(each["title"]), f"{page.file}#derivation-{ident}", f"{short}, derivation", ""])
    for name, text in WORD.findall((NOTEBOOKS / "notation.md").read_text(encoding="utf-8")):
        text = in_words(re.sub(r"\]\([^)]*\)|\[", "", PLACE.sub("", text).strip()))
        entries.append([in_words(name), f"notation.html#{_word(name)}", text, ""])
    return f"book.search({json.dumps(entries, ensure_ascii=False, separators=(',', ':'))});\n"


def _sections(page):
    """(title, id, [words, …]) of a page's sections, and of what it plays in them."""
    found = []
    for cell in page.notebook.cells:
        for part in re.split(r"(?=<h[1-6] )", cell.metadata.get("book_html", "")):
            if head := HEAD.match(part):
                found.append((_text(ASIDE.sub("", head["title"])), head["id"], []))
                part = part[head.end() :]
            if found and (words := _text(part)):
                found[-1][2].append(words)
        for kind, _, shown in cell.metadata.get("book_shown", []):
            if found and kind in SHOWN:
                found[-1][2].extend(filter(None, map(_text, SHOWN[kind](shown))))
    return found


def _text(code):
    """The words of HTML, a formula by its letters."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", BREAK.sub(" ", code))).split())
