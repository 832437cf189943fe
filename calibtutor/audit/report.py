"""An audit as text, as one HTML file that asks for nothing, and as strict JSON."""

import json
import re
from html import escape
from importlib import resources
from string import Template

import numpy as np

from .sentences import numbers

LONG = 28  # letters of a cell that may take two lines
MOST_SHOWN, WORST = 200, 10  # rows of a table, and of that of classes, on the page; the JSON has all of them
PLACES = {"Brier_change": 4, "log_loss_change": 4}  # small differences; of others three
SHARES = ("p", "p_adjusted", "statistic", "found")  # from draws: three places, however small
QUESTIONS = ("Detected?", "How large?", "For whom?", "Divided by T?")  # the last where it was tried
# What stands where: heading, how to read it, tables with their titles.
ORDER = [
    ("The data", "", {"data": "What came in"}),
    ("How large", "A slope below 1: probabilities too near to 0 and 1; above 1: not near enough. Intervals: {percent}. "
     "Compare models by the RMS error and its interval, on the same rows.",
     {"size": "Sizes with intervals", "ranks": "Ranks",
      "others": "What other tools report, beside what chance makes of it; each p alone, unadjusted, no verdict"}),
    ("For whom", "Gap: said − happened, so that above 0 a group is promised too much; p: of gap and slope together. "
     "Intervals are {percent} each; the adjusted p pays for all questions asked.", {"groups": "Groups and periods"}),
    ("Which classes", "Each class where it is the top label; p and intervals ({percent}) hold for all at once. "
     "Shrunk: the gap less what luck adds to the worst of many. In many classes the question about all probabilities "
     "at once (canonical) hardly sees over-confidence: so top labels are asked, too.", {"classes": "Worst first"}),
    ("Sets of the top k", "Is the label among the k most probable classes as often as they say together? Intervals: "
     "{percent} each.", {"sets": "Sets of the most probable classes"}),
    ("Where", "Regions were looked for in one half of the rows and tested on the other, since something was found.",
     {"regions": "Regions", "bias": "Said − happened by feature; intervals one by one, nothing tested"}),
    ("What a repair would change", "Fitted on one half, judged on the other. Change: after minus before, so below 0 is "
     "better. For rows drawn like these: on others the same map may do harm.",
     {"repair": "Recalibration maps"}),
    ("What would have been found", "The share of data sets with such an error in which this audit finds one.",
     {"missed": "Errors that would have been found"}),
    ("Appendix", "A statistic has a kernel of its own: only p-values compare.",
     {"questions": "All questions of the family", "not_run": "Not run, and why",
      "settings": "Settings, seeds and versions"}),
    ("", "", {"curve": "The reliability curve, bin by bin", "columns": "Columns of the file"})]
WORDS = {"p_adjusted": "p, adjusted", "band": "chance, all bins and questions at once", "size": "size (RMS)"}
STYLE, PAGE, FIRST = (resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
                      for name in ("page.css", "page.html", "first.html"))


def value_in_words(value, name="", beside=()):
    """A cell: counts with thousands, numbers with three digits, a real minus; a dash where there is none.

    `beside`: the numbers that it is read with, from its estimate to the ends of its interval.
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or isinstance(value, float | np.floating) and np.isnan(value):
        return "–"
    if not isinstance(value, int | float | np.number):
        return str(value)
    whole = isinstance(value, int | np.integer) or name in ("n", "value") and float(value).is_integer()
    small = 0 < abs(value) < 0.0005 and name in SHARES
    shape = ",.0f" if whole or abs(value) >= 1000 else ".1e" if small else "z.3g" if name == "bin" else None
    if shape or np.isinf(value):
        text = f"{value:{shape or ''}}".replace("inf", "∞")
    else:
        beside = [value, 0.5] if name in SHARES else [*beside] if value in beside else [value]
        text = numbers(*beside, places=PLACES.get(name, 3))[beside.index(value)]
    return text.replace("-", "−")


def columns_of(table):
    """(heading, cells as text, whether they are numbers) of each column; an estimate and its ends are one column."""
    names, done, found = list(map(str, table.columns)), set(), []
    for name in names:
        if name in done:
            continue
        heading, ends = _with_ends(name, names)
        values, done = list(table[name]), done.union(ends)
        read = list(zip(*(table[each] for each in dict.fromkeys([name, *ends])), strict=True))
        cells = [""] * len(table) if name in ends else [value_in_words(row[0], name, row) for row in read]
        if ends:
            pairs = [tuple(value_in_words(value, heading, row) for value in row[-2:]) for row in read]
            # The ends beside an ECE are no interval: it is compared with them.
            chance = [name == "ECE" or str(each).startswith("ECE") for each in table.iloc[:, 0]]
            cells = [cell if pair == ("–", "–") else f"{cell} (chance: {' to '.join(pair)})" if of_chance
                     else f"{cell} [{', '.join(pair)}]".strip()
                     for cell, pair, of_chance in zip(cells, pairs, chance, strict=True)]
        numeric = all(isinstance(each, int | float | np.number) or each in ("", None) for each in values)
        found.append((WORDS.get(heading, heading.replace("_", " ")), cells, numeric and bool(values)))
    return found


def _with_ends(name, names):
    """A column's heading, and the two columns that hold its ends, itself the first if nothing lies between."""
    if name in ("estimate", "low") and "low" in names:
        return ("bin" if name == "low" else name), ("low", "high")
    stem = name.removesuffix("_low")
    return stem, (f"{stem}_low", f"{stem}_high") if f"{stem}_low" in names else ()


def page(audit, title="Calibration audit"):
    """One self-contained file: figures inline, a style sheet of its own, no request to anywhere."""
    tables = {name: table for name, table in audit.tables.items() if len(table)}
    pictures, percent = _pictures(audit), f"{100 * (1 - audit.settings['level']):g}%"
    curve, sections = pictures.pop("curve", ""), []
    for heading, note, titles in ORDER:
        body = "".join(pictures.pop(name, "") + _table(tables[name], title, WORST if name == "classes" else MOST_SHOWN)
                       for name, title in titles.items() if name in tables)
        note = "" if "regions" in titles and "regions" not in tables else note
        note = f"<p>{escape(note.format(percent=percent))}</p>" if note else ""
        if body:
            sections.append(f"<section><h2>{escape(heading)}</h2>{note}{body}</section>" if heading else body)
    said = "".join(f"<h2>{asked}</h2><p>{prose(text)}</p>"
                   for asked, text in zip(QUESTIONS, audit.conclusions, strict=False))
    rows = value_in_words(audit.tables["data"]["value"].iloc[0], "value")
    body = Template(FIRST.rstrip()).substitute(
        about=escape(f"{rows} rows, design {audit.settings['design']}"), said=said, picture=curve,
        look="found" if audit.detected else "quiet", limits=list_of_limits(audit), sections="".join(sections),
        level=audit.settings["level"], tolerance=audit.settings["tolerance"])
    return document(title, body)


def document(title, body):
    """A page that asks for nothing else."""
    return Template(PAGE).substitute(title=escape(title), style=STYLE, body=body)


def fragment(audit):
    """Page one for a notebook, in the notebook's own style."""
    said = "".join(f"<p>{prose(line)}</p>" for line in audit.conclusions)
    limits = f"<p>What this audit cannot say:</p>{list_of_limits(audit)}"
    return f'<div class="calibtutor-audit">{said}{_pictures(audit)["curve"]}{limits}</div>'


def list_of_limits(audit):
    return f"<ul>{''.join(f'<li>{prose(text)}</li>' for text in audit.limits)}</ul>"


def _pictures(audit):
    """Name -> figure with its image inline and what it shows in words."""
    from .figures import as_svg, drawn  # matplotlib is loaded when something is drawn

    found = {}
    for name, (figure, finding) in drawn(audit.tables, audit.settings["level"]).items():
        width = round(96 * figure.get_size_inches()[0] * 0.86)
        words = escape(f"{finding.headline}. {finding.sentence}")
        image = f'<img src="{as_svg(figure)}" alt="{words}" width="{width}">'
        box = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{image}</div>'
        found[name] = f'<figure class="{"wide" if width > 480 else "small"}">{box}</figure>'
    return found


def _table(table, caption, most=MOST_SHOWN):
    shown = table.head(most)
    columns = columns_of(shown)
    head = "".join(f'<th scope="col"{" class=n" if n else ""}>{escape(name)}</th>' for name, _, n in columns)
    rows = zip(*(cells for _, cells, _ in columns), strict=True)
    body = "".join(f"<tr>{''.join(map(_cell, row, (each[2] for each in columns)))}</tr>" for row in rows)
    more = f" (the first {most} of {len(table):,} rows)" if len(table) > most else ""
    inner = f"<caption>{escape(caption + more)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>{inner}</table></div>'


def _cell(text, numeric):
    look = " class=n" if numeric else " class=w" if len(text) > LONG else ""
    if numeric:  # an interval stays on a line
        text = text.replace(", ", ",\u00a0")
    return f"<td{look}>{escape(text)}</td>"


def prose(text):
    """A sentence, with a real minus before its numbers."""
    return escape(re.sub(r"(?<![\w.])-(?=\.?\d)", "−", text))


def as_json(audit):
    """Strict JSON: no NaN, nothing that only Python reads."""
    return json.dumps(audit.to_dict(), allow_nan=False, ensure_ascii=False, indent=1) + "\n"
