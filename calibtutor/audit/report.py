"""An audit as text, as one HTML file that asks for nothing, and as strict JSON; written whole or not at all."""

import html
import json
import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from .style import MEANINGS, ORDER, STYLE, TITLES, WORDS

LONG = 28  # letters of a cell that may take two lines
MOST_SHOWN = 200  # rows of a table on the page; the JSON has all of them
QUESTIONS = ("Detected?", "How large?", "For whom?")


# --- numbers and tables as words ---


def value_in_words(value, name=""):
    """A cell: counts with thousands, numbers with three digits, a real minus; a dash where there is none."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "the risk cannot tell" if name == "told_apart" else "no"
    if value is None or isinstance(value, float | np.floating) and np.isnan(value):
        return "–"
    if isinstance(value, int | np.integer):
        return f"{value:,}".replace("-", "−")
    if isinstance(value, float | np.floating):
        if np.isinf(value):
            return "∞" if value > 0 else "−∞"
        if name in ("n", "value") and value.is_integer() or abs(value) >= 1000:
            return f"{value:,.0f}".replace("-", "−")
        if name == "risk":  # differences are small beside it
            return f"{value:.6f}".replace("-", "−")
        if name == "bin":
            return f"{value:.3g}"
        if name in ("brier", "log_loss"):  # changes by a repair
            return f"{round(value, 4) + 0.0:.4f}".replace("-", "−")
        small = 0 < abs(value) < 0.0005 and name in ("p", "p_adjusted", "statistic")
        return (f"{value:.1e}" if small else f"{round(value, 3) + 0.0:.3f}").replace("-", "−")
    return str(value)


def columns_of(table):
    """(heading, cells as text, whether they are numbers) of each column; an estimate and its ends are one column."""
    names, done, found = list(map(str, table.columns)), set(), []
    for name in names:
        if name in done:
            continue
        heading, ends = _with_ends(name, names)
        values = list(table[name])
        cells = [""] * len(table) if name in ends else [value_in_words(value, name) for value in values]
        if ends:
            done |= set(ends)
            spans = [
                [value_in_words(each, heading) for each in pair] for pair in zip(*map(table.get, ends), strict=True)
            ]
            # The ends beside an ECE are no interval: it is compared with them.
            of_chance = [name == "estimate" and str(each).startswith("ECE") for each in table.iloc[:, 0]]
            spans = [_span(*pair) for pair in zip(spans, of_chance, strict=True)]
            cells = [f"{cell} {span}".strip() for cell, span in zip(cells, spans, strict=True)]
        numeric = all(isinstance(each, int | float | np.number) or each in ("", None) for each in values)
        found.append((WORDS.get(heading, heading.replace("_", " ")), cells, numeric and bool(values)))
    return found


def _span(ends, of_chance):
    if ends == ["–", "–"]:
        return ""
    return f"(chance: {' to '.join(ends)})" if of_chance else f"[{', '.join(ends)}]"


def _with_ends(name, names):
    """A column's heading, and the two columns that hold its ends, itself the first if nothing lies between."""
    stem = name.removesuffix("_low")
    if name == "estimate" and "low" in names:
        return name, ("low", "high")
    if name == "low":
        return "bin", ("low", "high")
    return stem, (f"{stem}_low", f"{stem}_high") if f"{stem}_low" in names else ()


# --- HTML ---


def _about(audit):
    """n and the design, in a few words."""
    about = dict(zip(audit.tables["data"]["what"].astype(str), audit.tables["data"]["value"], strict=True))
    n = next((value for what, value in about.items() if what in ("n", "rows")), None)
    parts = [f"{value_in_words(n, 'value')} rows"] if n is not None else []
    design = audit.settings.get("design")
    return ", ".join(parts + ([f"design {design}"] if design else []))


def page(audit, title="Calibration audit"):
    """One self-contained file: figures inline, a style sheet of its own, no request to anywhere.

    Parameters
    ----------
    audit : Audit
    title : str

    Returns
    -------
    str
    """
    pictures = _pictures(audit)
    first = _first(audit, pictures.pop("curve", ""))
    sections, used, percent = [], {"curve"}, f"{100 * (1 - audit.settings['level']):g}%"
    for heading, note, names in ORDER:
        here = [name for name in names if name in audit.tables and len(audit.tables[name])]
        used |= set(names)
        body = "".join(pictures.pop(name, "") + _table(audit.tables[name], TITLES.get(name, name)) for name in here)
        if body:
            note = f"<p>{_safe(note.format(percent=percent))}</p>" if note else ""
            sections.append(f"<section><h2>{_safe(heading)}</h2>{note}{body}</section>")
    rest = [name for name in audit.tables if name not in used and len(audit.tables[name])]
    rest = [*(["curve"] if "curve" in audit.tables else []), *rest]
    sections.append("".join(_table(audit.tables[name], TITLES.get(name, name)) for name in rest))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{_safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_safe(title)}</h1>\n<p class=about>{_safe(_about(audit))}</p>\n"
        f"{first}\n{''.join(sections)}\n</main>\n</body>\n</html>\n"
    )


def fragment(audit):
    """Page one for a notebook, in the notebook's own style."""
    said = "".join(f"<p>{_prose(line)}</p>" for line in audit.conclusions)
    limits = "".join(f"<li>{_prose(text)}</li>" for text in audit.limits)
    limits = f"<p>What this audit cannot say:</p><ul>{limits}</ul>" if limits else ""
    return f'<div class="calibtutor-audit">{said}{_pictures(audit, ["curve"]).get("curve", "")}{limits}</div>'


def _first(audit, picture):
    said = list(zip(QUESTIONS, audit.conclusions, strict=False))
    said = "".join(f"<h2>{asked}</h2><p>{_prose(text.removeprefix(asked).strip())}</p>" for asked, text in said)
    said += "".join(f"<p>{_prose(text)}</p>" for text in audit.conclusions[len(QUESTIONS) :])
    limits = "".join(f"<li>{_prose(text)}</li>" for text in audit.limits)
    limits = f"<h2>What this audit cannot say</h2><ul>{limits}</ul>" if limits else ""
    state = "found" if audit.detected else "quiet"
    level, tolerance = audit.settings["level"], audit.settings["tolerance"]
    words = "".join(
        f"<dt>{name}</dt><dd>{_safe(text.format(level=level, tolerance=tolerance))}</dd>" for name, text in MEANINGS
    )
    limits += f"<details><summary>What the words mean</summary><dl>{words}</dl></details>"
    said, limits = f'<div class="said {state}">{said}</div>', f'<div class="limits">{limits}</div>'
    return f'<section class="first">{said}{picture}{limits}</section>'


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
    """Write files together: whole, or if one cannot be written none of them, and what was there stays.

    Parameters
    ----------
    texts : dict of path to str

    Raises
    ------
    OSError
        For a folder that is not there, or cannot be written to.
    """
    with ExitStack() as stack:
        ready = []
        for path, text in texts.items():
            path = Path(path)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            stack.callback(lambda name=name: os.path.exists(name) and os.remove(name))
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, 0o666 & ~_umask())
            ready.append((name, path))
        for name, path in ready:
            os.replace(name, path)


def _umask():
    """What the process takes away from new files; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
