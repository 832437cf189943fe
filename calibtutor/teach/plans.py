"""Course plans, minute by minute: what is done of which section, and how long it takes.

`python -m calibtutor notebooks --table` writes them into notebooks/plans.md, below marks like `<!-- plan: guest -->`.
Minutes of a section, and of what is used of it, are those of `minutes.py`, and what a class adds stands beside them;
what is in no notebook says its own; "questions" get what is left.
"""

import re
from typing import NamedTuple

from .. import _course

with _course():
    import nbformat

from .minutes import part, plan

__all__ = ["HOMEWORK", "LENGTH", "MEETINGS", "PROJECT", "WEEKS", "Meeting", "Step", "Week", "renewed", "tables"]

LENGTH = 90


class Step(NamedTuple):
    """A part of a meeting: a section, or (`only`, `without`, `until`: see `minutes.part`) what is used of it.

    `notebook` is a lesson's number or a word of a file's name; `talk` is what a class takes beyond a reader's minutes,
    for votes or a round of answers. Without a notebook the step takes `talk`, and without that what is left.
    """

    notebook: str
    section: str
    do: str
    only: tuple = ()
    without: tuple = ()
    until: str = ""
    talk: int = 0


class Meeting(NamedTuple):
    """Steps that fill so many minutes."""

    length: int
    steps: tuple


class Week(NamedTuple):
    """What is used in class and set for home, as "01: opening 1 2", and the step of the project."""

    in_class: str
    at_home: str
    project: str = ""


VOTE = 3  # hands up, reasons from each side
HALL = 2  # in a lecture hall one reason from each side is enough


def _talk(do, minutes=0):
    return Step("", "", do, talk=minutes)


GUEST = Meeting(45, (
    Step("guest", "", "`four_models` is on the screen while people come in; read the question aloud"),
    Step("guest", "1", "vote; forest, then naive Bayes; the network with 2 bins, then 30", talk=HALL),
    Step("guest", "2", "what a point and an arrow are; vote; t to 1; then “six permutations”", talk=HALL),
    Step("guest", "3", "say *p-value*; vote; each model in turn; the network with 100, 300, all digits", talk=HALL),
    Step("guest", "4", "the two recipes; vote; 5 steps, then 10: what is chance?", talk=HALL),
    Step("guest", "5", "vote; the box off and on; who sends the worst images?", talk=HALL),
    Step("guest", "Where to go on", "the three lines"),
    _talk("questions; the links stay on the screen"),
))  # fmt: skip

CLASS = Meeting(LENGTH, (
    _talk("pairs open [notebook 00](00_start_here.ipynb), run its first cell alone, and close the lid: the prose below "
          "tells what the vote is about", 5),
    Step("00", "", "show `four_models`: what does “70 %” promise?"),
    Step("00", "Commit first", "vote; lids open: click the cell below `reveal_reliability`, Run → Run All Above "
         "Selected Cell (a later cell prints the answer); all answer `most_over_confident`", talk=VOTE),
    Step("00", "A reliability diagram", "say: *confidence* is what a model gives its answer, *hit* 1 if that is right, "
         "else 0; pairs write `reliability` (`check.reliability.hint()`), the next cell draws"),
    Step("01", "1", "show: say that a point is a prediction, and its arrow leads to how often each class then "
         "happens; vote, then `perfect_diagonal`, both worlds: a diagram sees what it looks at", talk=VOTE),
    Step("04", "", "show: `collision`, seven animals of twenty: chance? Say that a *p-value* is how often chance alone "
         "does as much or more; vote, then `is_that_bad`: the network, all digits", talk=VOTE),
    Step("02", "9", "pairs run all cells of 02, vote, set the forest, then the network; write `redraw_labels`; the "
         "next cell uses it, and references for what else is blank", without=("hide_the_model",), talk=VOTE),
    Step("05", "", "show `worn_scanner`: right on average, and for whom? *Recalibrated* is: corrected on other digits"),
    _talk("questions"),
    _talk("lids down: the exit slip", 5),
))  # fmt: skip

FIRST = Meeting(LENGTH, (
    Step("00", "", "`four_models`: the question of the course"),
    Step("00", "Commit first", "vote, then `reveal_reliability`", talk=VOTE),
    Step("01", "1", "vote, then `perfect_diagonal`, both worlds", talk=VOTE),
    Step("01", "2", "`ladder`: for every arrow they name a world in which its converse fails; step through the proof",
         without=("top_label_error", "factor_two"), talk=VOTE),
    Step("01", "3", "vote, then `murphy_dials` and `murphy`", without=("sharpness", "brier_of_constant"), talk=VOTE),
    Step("01", "4", "vote, then the picture", until="accuracy_and_calibration", talk=VOTE),
    Step("02", "1", "vote, then `aliasing`: bins forget", talk=VOTE),
    Step("02", "2", "vote, `perfect_but_positive`: noise adds", without=("most_bins", "mean_of_normal"), talk=VOTE),
    _talk("questions; set the kernel primer for next time"),
))  # fmt: skip

SECOND = Meeting(LENGTH, (
    Step("02", "9", "vote, then `one_number_decides_nothing`", without=("redraw_labels", "hide_the_model"), talk=VOTE),
    Step("04", "", "`collision`; vote, then `is_that_bad`: settle on *n* before you look", talk=VOTE),
    Step("04", "1", "an error is an opponent's best payoff; a kernel's ball has a formula", until="supremum"),
    Step("04", "2", "two derivations: no frequency is needed; SKCE, a mean over pairs", without=("h_matrix",)),
    Step("04", "4", "vote twice; `redraw_what`, `by_counting`, why it is exact; `spoil_the_test`",
         without=("redraw_labels", "pvalue", "plus_one"), talk=2 * VOTE),
    Step("04", "6", "`p_value_race`"),
    Step("04", "9", "the table of the models: which of them would they sign?", talk=VOTE),
    _talk("questions; does everybody's machine open 02 and 04?"),
))  # fmt: skip

LAB = Meeting(LENGTH, (
    _talk("pairs open 02 and 04 and run all cells; references stand in for what is blank", 10),
    Step("02", "", "write it; the next cell runs it on the network's digits", only=("ece",)),
    Step("04", "2", "one line, once the shapes are right", only=("h_matrix",)),
    Step("04", "3", "three means of that matrix", only=("three_estimators",)),
    Step("04", "4", "the whole test, out of their own functions", only=("redraw_labels", "pvalue", "h_matrix")),
    Step("08", "1", "a classifier of their own: its predictions in a file, or the example", talk=10),
    Step("08", "2", "page one of its audit"),
    _talk("for whoever is behind; one finding from each pair"),
))  # fmt: skip

HOMEWORK = (
    ("01: 5", "before lecture 2: what is a kernel?"),
    ("05: 1 2 5 6", "after the lab: right for whom? A map of the misses, and what repairs them"),
    ("compas: all", "after the lab: a risk score for people, beside a paper"),
)

MEETINGS = {"guest": GUEST, "class": CLASS, "lecture 1": FIRST, "lecture 2": SECOND, "lab": LAB}

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
    clock, found, taken = 0, [], [_taken(step, find) for step in meeting.steps]
    left = meeting.length - sum(counted + step.talk for step, (_, counted) in zip(meeting.steps, taken, strict=True))
    for step, (title, counted) in zip(meeting.steps, taken, strict=True):
        minutes = [each for each in (counted, step.talk) if each] or [left]
        where = f"[{step.notebook} {_section(title)}]({find(step.notebook)[0]})" if step.notebook else ""
        at = f"{clock // 60}:{clock % 60:02}"
        found.append((at, "+".join(map(str, minutes)), where, step.do + _used(step)))
        clock += sum(minutes)
    return [*found, ("", f"**{clock}**", "", "**together**")]


def _used(step):
    """Which part of its section a step is."""
    names = ", ".join(f"`{name}`" for name in (*step.only, *step.without, *filter(None, [step.until])))
    how = "only" if step.only else "without" if step.without else "as far as"
    return f" ({how} {names})" if names else ""


def _taken(step, find):
    """Its section's title, and a reader's minutes."""
    if not step.notebook:
        return "", 0
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
        lines += [f"| {' | '.join(row)} |" for row in rows(meeting, find)]
        found[name] = "\n".join(lines)
    lines = ["| week | in class | min | at home | min | project: due |", "|---:|---|---:|---|---:|---|"]
    for number, week in enumerate(WEEKS, 1):
        (here, minutes), (home, later) = _sections(week.in_class, find), _sections(week.at_home, find)
        lines.append(f"| {number} | {here} | {minutes or ''} | {home} | {later or ''} | {week.project} |")
    found["term"] = "\n".join(lines)
    home = [(*_sections(sections, find), do) for sections, do in HOMEWORK]
    lines = ["| min | where | what |", "|---:|---|---|"]
    lines += [f"| {taking} | {where} | {do} |" for where, taking, do in home]
    found["home"] = "\n".join([*lines, f"| **{sum(taking for _, taking, _ in home)}** | | **together** |"])
    lines = ["| points | for | full points if |", "|---:|---|---|"]
    lines += [f"| {' | '.join(map(str, each))} |" for each in PROJECT]
    found["project"] = "\n".join([*lines, f"| **{sum(points for points, *_ in PROJECT)}** | | **together** |"])
    return found


def renewed(text, root):
    """The text of plans.md with its tables made anew."""
    for name, table in tables(root).items():
        mark = f"<!-- plan: {name} -->\n"
        text = re.sub(rf"{re.escape(mark)}(?:\n(?:\|.*\n)+)?", lambda _, new=f"{mark}\n{table}\n": new, text)
    return text
