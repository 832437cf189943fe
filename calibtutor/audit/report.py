"""An audit as text, as one HTML file that asks for nothing, and as strict JSON; written whole or not at all."""

import html
import json
import os
import re
from pathlib import Path

import numpy as np

from .style import MEANINGS, ORDER, STYLE, WORDS

LONG = 28  # letters of a cell that may take two lines
MOST_SHOWN = 200  # rows of a table on the page; the JSON has all of them
DIGITS = {"risk": "z.6f", "bin": "z.3g", "brier": "z.4f", "log_loss": "z.4f"}  # differences are small beside a risk
QUESTIONS = ("Detected?", "How large?", "For whom?")


# --- numbers and tables as words ---


def value_in_words(value, name=""):
    """A cell: counts with thousands, numbers with three digits, a real minus; a dash where there is none."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "the risk cannot tell" if name == "told_apart" else "no"
    if value is None or isinstance(value, float | np.floating) and np.isnan(value):
        return "–"
    if not isinstance(value, int | float | np.number):
        return str(value)
    if isinstance(value, int | np.integer):
        text = f"{value:,}"
    elif np.isinf(value):
        text = f"{'-' * (value < 0)}∞"
    elif name in ("n", "value") and value.is_integer() or abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        small = 0 < abs(value) < 0.0005 and name in ("p", "p_adjusted", "statistic")
        text = f"{value:{'.1e' if small else DIGITS.get(name, 'z.3f')}}"
    return text.replace("-", "−")


def columns_of(table):
    """(heading, cells as text, whether they are numbers) of each column; an estimate and its ends are one column."""
    names, done, found = list(map(str, table.columns)), set(), []
    for name in names:
        if name in done:
            continue
        heading, ends = _with_ends(name, names)
        values, done = list(table[name]), done.union(ends)
        cells = [""] * len(table) if name in ends else [value_in_words(value, name) for value in values]
        if ends:
            # The ends beside an ECE are no interval: it is compared with them.
            of_chance = [name == "estimate" and str(each).startswith("ECE") for each in table.iloc[:, 0]]
            pairs = zip(*([value_in_words(value, heading) for value in table[end]] for end in ends), strict=True)
            cells = [f"{cell} {_span(pair, chance)}".strip()
                     for cell, pair, chance in zip(cells, pairs, of_chance, strict=True)]  # fmt: skip
        numeric = all(isinstance(each, int | float | np.number) or each in ("", None) for each in values)
        found.append((WORDS.get(heading, heading.replace("_", " ")), cells, numeric and bool(values)))
    return found


def _span(ends, of_chance):
    if ends == ("–", "–"):
        return ""
    return f"(chance: {' to '.join(ends)})" if of_chance else f"[{', '.join(ends)}]"


def _with_ends(name, names):
    """A column's heading, and the two columns that hold its ends, itself the first if nothing lies between."""
    if name == "estimate" and "low" in names:
        return name, ("low", "high")
    if name == "low":
        return "bin", ("low", "high")
    stem = name.removesuffix("_low")
    return stem, (f"{stem}_low", f"{stem}_high") if f"{stem}_low" in names else ()


# --- HTML ---


def page(audit, title="Calibration audit"):
    """One self-contained file: figures inline, a style sheet of its own, no request to anywhere."""
    tables = {name: table for name, table in audit.tables.items() if len(table)}
    pictures, percent = _pictures(audit), f"{100 * (1 - audit.settings['level']):g}%"
    first, sections = _first(audit, pictures.pop("curve", "")), []
    for heading, note, titles in ORDER:
        body = "".join(pictures.pop(name, "") + _table(tables[name], title)
                       for name, title in titles.items() if name in tables)  # fmt: skip
        note = f"<p>{_safe(note.format(percent=percent))}</p>" if note else ""
        if body:
            sections.append(f"<section><h2>{_safe(heading)}</h2>{note}{body}</section>" if heading else body)
    rows = value_in_words(audit.tables["data"]["value"].iloc[0], "value")
    about = f"{rows} rows, design {audit.settings['design']}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{_safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_safe(title)}</h1>\n<p class=about>{_safe(about)}</p>\n"
        f"{first}\n{''.join(sections)}\n</main>\n</body>\n</html>\n"
    )


def fragment(audit):
    """Page one for a notebook, in the notebook's own style."""
    said = "".join(f"<p>{_prose(line)}</p>" for line in audit.conclusions)
    limits = _limits(audit, "<p>What this audit cannot say:</p>")
    return f'<div class="calibtutor-audit">{said}{_pictures(audit, ["curve"]).get("curve", "")}{limits}</div>'


def _limits(audit, heading):
    limits = "".join(f"<li>{_prose(text)}</li>" for text in audit.limits)
    return f"{heading}<ul>{limits}</ul>" if limits else ""


def _first(audit, picture):
    said = "".join(f"<h2>{asked}</h2><p>{_prose(text)}</p>"
                   for asked, text in zip(QUESTIONS, audit.conclusions, strict=True))  # fmt: skip
    words = "".join(f"<dt>{name}</dt><dd>{_safe(text.format(**audit.settings))}</dd>" for name, text in MEANINGS)
    limits = _limits(audit, "<h2>What this audit cannot say</h2>")
    limits += f"<details><summary>What the words mean</summary><dl>{words}</dl></details>"
    said = f'<div class="said {"found" if audit.detected else "quiet"}">{said}</div>'
    return f'<section class="first">{said}{picture}<div class="limits">{limits}</div></section>'


def _pictures(audit, wanted=None):
    """Name -> figure with its image inline and what it shows in words; those wanted, or all."""
    from .figures import as_svg, drawn  # matplotlib is loaded when something is drawn

    found = {}
    tables = audit.tables if wanted is None else {name: audit.tables[name] for name in wanted if name in audit.tables}
    for name, (figure, finding) in drawn(tables, audit.settings["level"]).items():
        width = round(96 * figure.get_size_inches()[0] * 0.86)
        words = _safe(f"{finding.headline}. {finding.sentence}")
        image = f'<img src="{as_svg(figure)}" alt="{words}" width="{width}">'
        box = f'<div class="scroll" tabindex="0" role="region" aria-label="{_safe(name)}">{image}</div>'
        found[name] = f'<figure class="{"wide" if width > 480 else "small"}">{box}</figure>'
    return found


def _table(table, caption):
    shown = table.head(MOST_SHOWN)
    columns = columns_of(shown)
    head = "".join(f'<th scope="col"{" class=n" if n else ""}>{_safe(name)}</th>' for name, _, n in columns)
    rows = zip(*(cells for _, cells, _ in columns), strict=True)
    body = "".join(f"<tr>{''.join(map(_cell, row, (each[2] for each in columns)))}</tr>" for row in rows)
    more = f" (the first {MOST_SHOWN} of {len(table):,} rows)" if len(table) > MOST_SHOWN else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_safe(caption)}"><table>'
        f"<caption>{_safe(caption + more)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(text, numeric):
    look = " class=n" if numeric else " class=w" if len(text) > LONG else ""
    if numeric:  # an interval stays on a line
        text = text.replace(", ", ",\u00a0")
    return f"<td{look}>{_safe(text)}</td>"


def _safe(text):
    return html.escape(str(text))


def _prose(text):
    """A sentence, with a real minus before its numbers."""
    return _safe(re.sub(r"(?<![\w.])-(?=\.?\d)", "−", text))


# --- files ---


def as_json(audit):
    """Strict JSON: no NaN, nothing that only Python reads."""
    return json.dumps(audit.to_dict(), allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def write(texts):
    """Write files {path: text} together: whole, or if one cannot be written none of them, and what was there stays."""
    ready = {Path(path): Path(path).with_name(f".{Path(path).name}.{os.getpid()}") for path in texts}
    try:
        for path, text in texts.items():
            ready[Path(path)].write_text(text, encoding="utf-8")
        for path, whole in ready.items():
            whole.replace(path)
    finally:
        for whole in ready.values():
            whole.unlink(missing_ok=True)
