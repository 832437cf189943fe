"""The syllabus and the course plans say what the notebooks hold, and their minutes add up."""

import re

import nbformat
import pytest

from calibtutor import __main__ as shell
from calibtutor.lessons.open_questions import QUESTIONS
from calibtutor.teach import minutes, notebooks, plans
from calibtutor.teach.handout import _chosen
from calibtutor.teach.notebooks import NOTEBOOKS

SYLLABUS, PLANS = ((NOTEBOOKS / name).read_text(encoding="utf-8") for name in ("README.md", "plans.md"))
MEASURED = (NOTEBOOKS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
LECTURE = nbformat.read(NOTEBOOKS / "lectures" / "01_guest_lecture.ipynb", as_version=4)
WORDS = {2: "two", 3: "three"}
STEPS = [(name, step) for name, meeting in plans.MEETINGS.items() for step in meeting.steps if step.notebook]
find = plans._notebooks(NOTEBOOKS)


def rows(text, first):
    """The cells of the rows of a table, found by the words before its head."""
    table = re.search(rf"{re.escape(first)}\n*((?:\|.*\n)+)", text)[1].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table]


def test_syllabus_and_plans_are_renewed():
    again = "python -m calibtutor notebooks --table renews them"
    assert notebooks.table({}) in SYLLABUS, again
    assert plans.renewed(PLANS, NOTEBOOKS) == PLANS, again


@pytest.mark.parametrize("name", plans.MEETINGS)
def test_the_minutes_of_a_plan_sum_to_its_length(name):
    *steps, (_, together, *_) = rows(PLANS, f"<!-- plan: {name} -->")
    clock = 0
    for at, taking, *_ in steps:
        assert at == f"{clock // 60}:{clock % 60:02}"
        clock += sum(map(int, taking.split("+")))
    assert together == f"**{clock}**" and clock == plans.MEETINGS[name].length
    (left,) = [int(row[1]) for row, step in zip(steps, plans.MEETINGS[name].steps, strict=True)
               if not (step.notebook or step.talk)]  # fmt: skip
    assert 5 <= left <= 15, "questions get what is left"


def test_a_step_of_a_whole_section_takes_what_the_notebook_says():
    whole = [step for _, step in STEPS if not (step.only or step.without or step.until)]
    assert len(whole) > 20
    for step in whole:
        title, taking = minutes.part(find(step.notebook)[1], step.section)
        said = "\n".join(cell.source for cell in find(step.notebook)[1].cells)
        assert (f"## {title} ({taking} min)" if title else f"of which {taking} before the first section") in said


@pytest.mark.parametrize("step", [step for _, step in STEPS], ids=[f"{n}-{s.notebook}-{s.section}" for n, s in STEPS])
def test_what_a_step_names_stands_in_its_section(step):
    names = {name for name in re.findall(r"`(\w+)`", step.do)} - {"n"}
    minutes.part(find(step.notebook)[1], step.section, only=names)


def test_a_week_fits_and_nothing_is_done_twice():
    done = []
    for week in plans.WEEKS:
        assert plans._sections(week.in_class, find)[1] <= plans.LENGTH - 5
        for said in (week.in_class, week.at_home):
            for each in filter(None, said.split("; ")):
                name, _, sections = each.partition(": ")
                done += [(name, section) for section in sections.split()]
    assert len(done) == len(set(done))
    assert {"00", "01", "02", "03", "04", "05", "08"} <= {name for name, _ in done}


def test_a_project_is_judged_in_twenty_points():
    assert sum(points for points, *_ in plans.PROJECT) == 20


def test_the_lecture_asks_before_it_shows():
    shown = [(kind, name) for cell in LECTURE.cells for kind, name in minutes.NAMED.findall(cell.source)]
    assert [kind for kind, _ in shown] == ["scenes", *["guess", "scenes"] * 5, "scenes"]
    votes = [step for step in plans.GUEST.steps if "vote" in step.do]
    assert [step.section for step in votes] == list("12345") and {step.talk for step in votes} == {plans.HALL}
    assert f"that adds {WORDS[plans.VOTE]} minutes, in a lecture hall {WORDS[plans.HALL]}." in PLANS


def test_the_class_is_asked_what_the_notebook_asks():
    (question,) = QUESTIONS["00_start_here"]
    assert f"**The exit slip**, that of 00, on paper: {question.question}\n" in PLANS
    handed_out = set(re.search(r"`--lesson ([\d ]+)`, homework", PLANS)[1].split())
    assert {step.notebook for step in plans.CLASS.steps if "pairs" in step.do} - {""} <= handed_out
    for lesson, name in re.findall(r"\b(\d\d)\.(\w+)", re.search(r"--only ([^`]+)", PLANS)[1]):
        assert any(f"`{name}`" in step.do for step in plans.CLASS.steps if step.notebook == lesson)


def test_what_is_needed_comes_before():
    order = [path.relative_to(NOTEBOOKS).as_posix() for path in notebooks.discover()]
    for path in order:
        nb = nbformat.read(NOTEBOOKS / path, as_version=4)
        needed = re.findall(r"\]\((\d\d[^)]*)\)", notebooks.needs("\n".join(cell.source for cell in nb.cells)))
        assert all(order.index(each) < order.index(path) for each in needed)
        assert needed or path == order[0] or path.startswith("lectures")
        if nb.metadata["calibtutor"].get("short_route"):
            assert not [each for each in needed if each.startswith("03")]


@pytest.mark.parametrize("text", [SYLLABUS, PLANS], ids=["README.md", "plans.md"])
def test_commands_of_a_page_are_ours(text):
    for python, command in re.findall(r"(\S*)python -m calibtutor (\w+)", text):
        assert python == "`.venv/bin/" and command in {*shell.COMMANDS, "data", "check"}
    for lessons in re.findall(r"--lesson ([\w ]+)", text):
        assert len(_chosen(lessons.split())) == len(lessons.split())


def test_measurements_are_those_of_the_benchmark():
    for measured in ("73 s", "20 ", "two cores"):
        assert measured in SYLLABUS and measured in MEASURED
    assert "391 MB a student" in PLANS and "391 MB a student" in MEASURED
    disk = re.search(r"INSTALLED_MB = \d+, (\d+)", (NOTEBOOKS / "check_setup.py").read_text(encoding="utf-8"))[1]
    assert f"{int(disk) / 1000:g} GB of disk" in SYLLABUS


def test_a_part_of_a_section():
    nb, section = find("01")[1], "2"
    title, whole = minutes.part(nb, section)
    assert title == "2 · The ladder" and dict(minutes.plan(nb))[title] == whole
    assert minutes.part(nb, section, only=["ladder"])[1] == round(minutes.PICTURE)
    assert minutes.part(nb, section, only=["ladder", "blind_spot"])[1] == round(minutes.PICTURE + minutes.VALUE)
    less = minutes.part(nb, section, without=["top_label_error"])[1]  # with its use, on the worlds
    assert whole - less > minutes.part(nb, section, only=["top_label_error"])[1] - 1
    assert minutes.part(nb, section, until="ladder")[1] < minutes.part(nb, section, until="weaker_notion")[1] < whole
    with pytest.raises(ValueError, match=r"ladders: not in section '2 · The ladder'"):
        minutes.part(nb, section, without=["ladders"])
    with pytest.raises(ValueError, match="expected the beginning of one title, got '12'"):
        minutes.part(nb, "12")
