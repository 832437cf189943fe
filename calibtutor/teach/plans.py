"""Course plans, minute by minute: what is done of which section, and how long it takes.

`python -m calibtutor notebooks --table` writes them into notebooks/plans.md, below the marks `<!-- plan: … -->`. Minutes
of a section, and of what is used of it, are those of `minutes.py`; what no notebook holds says its own; "questions" get
what is left.
"""

import re
from typing import NamedTuple

from .. import _course

with _course():
    import nbformat

from .minutes import part, plan

__all__ = ["LENGTH", "MEETINGS", "PROJECT", "WEEKS", "Meeting", "Step", "Week", "renewed", "tables"]

LENGTH = 90


class Step(NamedTuple):
    """A part of a meeting: a section, or (`only`, `without`, `until`: see `minutes.part`) what is used of it.

    `notebook` is a lesson's number or a word of a file's name; without one the step is no notebook's, and takes
    `minutes`. Without minutes either it takes what is left.
    """

    notebook: str
    section: str
    do: str
    only: tuple = ()
    without: tuple = ()
    until: str = ""
    minutes: int = 0


class Meeting(NamedTuple):
    """Steps that fill so many minutes; 0: as long as they take."""

    length: int
    steps: tuple


class Week(NamedTuple):
    """What is used in class and set for home, as "01: opening 1 2", and the step of the project."""

    in_class: str
    at_home: str
    project: str = ""


def _talk(do, minutes=0):
    return Step("", "", do, minutes=minutes)


GUEST = Meeting(45, (
    Step("guest", "", "`four_models` is on the screen while people come in; read the question aloud"),
    Step("guest", "1", "vote; forest, then naive Bayes; 2 bins, then 30"),
    Step("guest", "2", "what a point and an arrow are; vote; t to 1; then “six permutations”"),
    Step("guest", "3", "say *p-value*; vote; each model in turn; the network with 100, 300 and all digits"),
    Step("guest", "4", "the two recipes; vote; 5 steps, then 10"),
    Step("guest", "5", "vote; the box off and on; who sends the worst images?"),
    Step("guest", "Where to go on", "the three lines; leave the links on the screen"),
))  # fmt: skip

CLASS = Meeting(LENGTH, (
    _talk("pairs open [notebook 00](00_start_here.ipynb), and run all cells; who has no Python takes the book", 5),
    Step("00", "", "`four_models`: what does “70 %” promise?"),
    Step("00", "Commit first", "vote, then `reveal_reliability`; all answer `most_over_confident`"),
    Step("00", "A reliability diagram", "in pairs: write `reliability`; the next cell draws theirs"),
    Step("01", "1", "vote; `perfect_diagonal`, both worlds: a diagram sees what it looks at"),
    Step("04", "", "run all cells; `collision`: seven animals of twenty, is that chance? Then vote and `is_that_bad`"),
    Step("02", "9", "run all cells; write `redraw_labels`; play `hide_the_model` twice"),
    Step("05", "", "`worn_scanner`: right on average, and for whom?"),
    _talk("questions; the open question of notebook 00 as an exit slip"),
))  # fmt: skip

FIRST = Meeting(LENGTH, (
    Step("00", "", "`four_models`: the question of the course"),
    Step("00", "Commit first", "vote, then `reveal_reliability`"),
    Step("01", "1", "vote; `perfect_diagonal`, both worlds"),
    Step("01", "2", "`ladder`: for every arrow a world in which its converse fails; step its proof",
         without=("top_label_error", "factor_two")),
    Step("01", "3", "vote; `murphy_dials`, then its derivation", without=("sharpness", "brier_of_constant")),
    Step("01", "4", "vote; `accuracy_and_calibration`", until="accuracy_and_calibration"),
    Step("02", "1", "vote; `aliasing`: bins forget", without=("wave_error",)),
    Step("02", "2", "vote; `perfect_but_positive`: noise adds", without=("most_bins", "mean_of_normal")),
    _talk("questions; set the kernel primer for next time"),
))  # fmt: skip

SECOND = Meeting(LENGTH, (
    Step("02", "9", "vote; `one_number_decides_nothing`", without=("redraw_labels", "hide_the_model")),
    Step("04", "", "`collision`, vote, `is_that_bad`; settle *n* before you look"),
    Step("04", "2", "the two derivations: the frequencies vanish", without=("h_matrix",)),
    Step("04", "4", "vote; `redraw_what`, `by_counting`, why it is exact; `spoil_the_test`",
         without=("redraw_labels", "pvalue", "plus_one")),
    Step("04", "6", "`p_value_race`"),
    Step("04", "9", "the table of the five models; which of them would you sign?"),
    _talk("questions; check that everybody can open the lab's notebooks"),
))  # fmt: skip

LAB = Meeting(LENGTH, (
    _talk("open 02 and 04, run all cells; nothing is filled in yet, the references stand in", 10),
    Step("02", "", "write it, then run it on the network's digits", only=("ece",)),
    Step("04", "2", "one line, if the shapes are right", only=("h_matrix",)),
    Step("04", "3", "three means of the same matrix", only=("three_estimators",)),
    Step("04", "4", "the test, out of one's own four functions", only=("redraw_labels", "pvalue", "h_matrix")),
    Step("08", "1", "a classifier of one's own: bring its predictions, or keep the example"),
    Step("08", "2", "read page one of its audit"),
    _talk("for the slower half, and one finding from each pair"),
))  # fmt: skip

HOMEWORK = Meeting(0, (
    Step("01", "5", "before lecture 2: the kernel primer (“A kernel in ten minutes” and what leads to it)"),
    Step("05", "1", "after the lab; run all cells of 05 first"),
    Step("05", "2", "what a local error does to a mean"),
    Step("05", "5", "the map, by one's own functions"),
    Step("05", "6", "recalibrate, and mend"),
    *(Step("compas", section, do) for section, do in (
        ("", "the case study: read"),
        ("What a label is", "the label is not what it seems"),
        ("Figure 4", "the paper, digit by digit"),
        ("Where is it wrong", "vote, then look"),
        ("Which finding", "write `comes_back`; which findings would you print?"),
    )),
))  # fmt: skip

MEETINGS = {"guest": GUEST, "class": CLASS, "lecture 1": FIRST, "lecture 2": SECOND, "lab": LAB, "home": HOMEWORK}

WEEKS = (
    Week("00: all", "", "announced; groups of two or three"),
    Week("01: opening 1 2 3 4", "01: 5", "**decision and model**: who decides what by it, what a row is"),
    Week("01: 6 7; 02: opening 1", "02: 2 3"),
    Week("02: 4 5 6 9", "02: 7 8", "**predictions** in one file, which `audit` reads"),
    Week("04: opening 1 2", "04: 3"),
    Week("04: 4 6 9", "04: 5 7 8"),
    Week("05: opening 1 2 3", "05: 8"),
    Week("05: 4 5 6", "05: 7; compas: all"),
    Week("08: all", "", "**protocol**, before anybody looks: one page"),
    Week("heart: all", "housing: all", "**report**.html and .json"),
    Week("03: opening 1 2 3 4", "03: 5 6"),
    Week("03: 7 8 9", "cifar: all", "**another group** runs your command on your file"),
    Week("", "", "**talks**, ten minutes each; all the rest"),
)

PROJECT = (
    (3, "the rows", "they trained nothing; what a row is; which belong together (`--cluster`), or that none do"),
    (4, "the protocol", "groups, clusters, tolerance, seed and command, and why; the report asks this and no more"),
    (3, "run again", "the command and the file give the same report.json on another machine"),
    (4, "reading", "found, how large, for whom: with p-value and interval; “not found” is not “not large”"),
    (3, "limits", "which error would have been found; what nobody asked; whose labels these are"),
    (3, "a repair", "learned on one half, audited on the other beside the old one; whom it helped"),
)


def _notebooks(root):
    """Find a notebook by a lesson's number or a word of its name, and read it: name -> (link, notebook)."""

    def find(name):
        (path,) = [*root.glob(f"{name}_*.ipynb")] or [*root.glob(f"*/*{name}*.ipynb")]
        return path.relative_to(root).as_posix(), nbformat.read(path, as_version=4)

    known = {}
    return lambda name: known.get(name) or known.setdefault(name, find(name))


def rows(meeting, find):
    """(clock, minutes, where, what) of each step of a meeting; `find`: name -> (link, notebook)."""
    taken = [_taken(step, find) for step in meeting.steps]
    minutes, clock, found = [each for _, each in taken], 0, []
    if 0 in minutes:
        minutes[minutes.index(0)] = meeting.length - sum(minutes)
    for step, (title, _), taking in zip(meeting.steps, taken, minutes, strict=True):
        names = ", ".join(f"`{name}`" for name in step.only or step.without)
        used = f"only {names}: " * bool(step.only) + f"without {names}: " * bool(step.without)
        used += f"as far as `{step.until}`: " * bool(step.until)
        where = f"[{step.notebook} {_section(title)}]({find(step.notebook)[0]})" if step.notebook else ""
        found.append((f"{clock // 60}:{clock % 60:02}", taking, where, used + step.do))
        clock += taking
    return found


def _taken(step, find):
    if not step.notebook:
        return "", step.minutes
    return part(find(step.notebook)[1], step.section, only=step.only, without=step.without, until=step.until)


def _section(title):
    number = re.match(r"(\d+) · ", title)
    return f"§{number[1]}" if number else f"“{title.partition(':')[0]}”" if title else "opening"


def _sections(said, find):
    """Of "01: opening 1 2; 02: all": how a table says it, and minutes."""
    words, minutes = [], 0
    for each in filter(None, said.split("; ")):
        name, _, sections = each.partition(": ")
        link, nb = find(name)
        if sections == "all":
            minutes += sum(taking for title, taking in plan(nb) if not title.startswith("Optional"))
        else:
            minutes += sum(part(nb, "" if s == "opening" else s)[1] for s in sections.split())
            sections = re.sub(r"(?<!\S)(\d)", r"§\1", sections, count=1).replace(" ", ", ")
        words.append(f"[{name}]({link}) {sections}")
    return "; ".join(words), minutes


def tables(root):
    """The tables of notebooks/plans.md: mark -> Markdown."""
    find, found = _notebooks(root), {}
    for name, meeting in MEETINGS.items():
        lines = ["| clock | min | where | what |", "|---:|---:|---|---|"]
        made = rows(meeting, find)
        lines += [f"| {' | '.join(map(str, row))} |" for row in made]
        lines += [f"| | **{sum(taking for _, taking, *_ in made)}** | | **together** |"]
        found[name] = "\n".join(lines)
    lines = ["| week | in class | min | at home | min | project: due |", "|---:|---|---:|---|---:|---|"]
    for number, week in enumerate(WEEKS, 1):
        (here, minutes), (home, later) = _sections(week.in_class, find), _sections(week.at_home, find)
        lines.append(f"| {number} | {here} | {minutes or ''} | {home} | {later or ''} | {week.project} |")
    found["term"] = "\n".join(lines)
    lines = ["| points | for | full points if |", "|---:|---|---|"]
    lines += [f"| {' | '.join(map(str, each))} |" for each in PROJECT]
    found["project"] = "\n".join([*lines, f"| **{sum(points for points, *_ in PROJECT)}** | | **together** |"])
    return found


def renewed(text, root):
    """The text of plans.md with its tables made anew."""
    for name, table in tables(root).items():
        mark = f"<!-- plan: {name} -->\n"
        text = re.sub(rf"{re.escape(mark)}\n?(?:\|.*\n)*", lambda _, new=f"{mark}\n{table}\n": new, text)
    return text
