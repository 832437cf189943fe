"""The syllabus, the course plans and notebook 00's list of lessons name notebooks and minutes that there are."""

import re

import nbformat
import pytest
from notebook_rules import exercises

from calibtutor import lessons
from calibtutor.teach.notebooks import NOTEBOOKS, discover, minutes

SYLLABUS, PLANS = ((NOTEBOOKS / f"{name}.md").read_text(encoding="utf-8") for name in ("README", "plans"))
FOUND = {path.relative_to(NOTEBOOKS).as_posix(): nbformat.read(path, as_version=4) for path in discover()}
LINES, ASKED = map(lessons.discover, ("derivations", "exercises"))
ROWS = {row[1]: row[0] for row in re.findall(r"(?m)^(\| (?:● )?\[[^]]+\]\(([^)]+\.ipynb)\) .+\|)$", SYLLABUS)}


@pytest.mark.parametrize("name", FOUND)
def test_a_row_of_the_syllabus_says_what_its_notebook_says(name):
    nb = FOUND[name]
    _, title, goals, needs, taking, asked, mb, seconds, _ = map(str.strip, ROWS[name].split("|"))
    assert f"# {title.removeprefix('● ')[1:].partition('](')[0]}\n" in nb.cells[0].source + "\n"
    assert title.startswith("●") == bool(nb.metadata["calibtutor"].get("short_route"))
    assert (goals, int(taking), int(asked)) == (nb.metadata["calibtutor"]["goals"], minutes(nb), len(exercises(nb)))
    assert needs and float(mb) <= 700 and float(seconds) <= 60, "more than a Binder session can bear"


def test_each_notebook_has_a_row_and_the_sums_of_the_syllabus_are_those_of_its_rows():
    assert list(ROWS) == list(FOUND)
    short = [name for name, nb in FOUND.items() if nb.metadata["calibtutor"].get("short_route")]
    every = [name for name in FOUND if not name.startswith("lectures/")]  # a lecture shows what the others have
    for names in (short, every):
        sums = (sum(int(ROWS[name].split("|")[column]) for name in names) for column in (4, 5))
        assert f"| {' | '.join(f'**{each}**' for each in sums)} |" in SYLLABUS


def test_the_minutes_of_sections_are_those_of_the_notebook():
    for name, nb in FOUND.items():
        prose = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
        sections = map(int, re.findall(r"(?m)^## .+ \((\d+) min\)$", prose))
        assert minutes_of(nb, "opening") + sum(sections) == minutes(nb), name


def test_a_session_is_a_sitting():
    sessions = {name: minutes(nb) for name, nb in FOUND.items() if name[:2].isdigit()}
    assert len(sessions) == 15 and max(sessions.values()) <= 75, sessions
    prose = {name: [cell.source for cell in FOUND[name].cells if cell.cell_type == "markdown"] for name in sessions}
    words = {name: len(" ".join(cells).split()) for name, cells in prose.items()}
    assert max(words.values()) <= 1_600, words


TAKES = {"scenes": 3.5, "guess": 1, "derive": 0, "play": 2, "check": 3}
CALL = re.compile(r"^(scenes|guess|derive|play|check)\b(?:\(derivations)?\.(?!report)(\w+)", flags=re.M)


def recipe(nb):
    """Minutes by the recipe of the syllabus, without what is optional, folded or a reference."""
    source = "\n".join(f"\0{cell.source}\0" if cell.cell_type == "code" else cell.source for cell in nb.cells)
    lesson = re.search(r"calibtutor\.lessons\.(\w+)", source)[1]
    source = "".join(part for part in re.split(r"(?m)^(?=## )", source) if ", optional)" not in part.split("\n")[0])
    prose = re.sub(r"\0.*?\0|<details>.*?</details>|\*References.*|\]\([^)]*\)", " ", source, flags=re.S)
    prose, formulas = re.subn(r"\$\$.+?\$\$|\$[^$]+\$", " ", re.sub(r"\$\\?\w+\$", " x ", prose), flags=re.S)
    sum_ = len(re.findall(r"\w+(?:[’'.-]\w+)*", prose)) / 120 + formulas / 5
    for code in re.findall(r"\0(.*?)\0", source, flags=re.S):
        called = CALL.findall(code)
        given = [line for line in code.splitlines() if not re.match(r" *(#|import|from|check\b|$)", line)]
        sum_ += sum(TAKES[kind] for kind, _ in called) or len(given) / 4
        sum_ += sum(1.5 * len(LINES[f"{lesson}.{name}"].steps) for kind, name in called if kind == "derive")
        sum_ += sum(4 * callable(ASKED[f"{lesson}.{name}"].reference) for kind, name in called if kind == "check")
    return sum_


def test_no_session_says_much_less_than_the_recipe():
    said = {name[:2]: minutes(nb) / recipe(nb) for name, nb in FOUND.items() if name[:2].isdigit()}
    assert not {name for name, share in said.items() if share < 0.9}


def test_plans_by_the_week_say_the_minutes_of_what_they_name():
    """In tables without a clock: all of a notebook, or named sections of it."""
    for row in re.findall(r"(?m)^\| \d+ \|(?: \[|.+\| \[).+$", PLANS):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for where, said in zip(cells, cells[1:], strict=False):
            if said.isdigit() and (links := re.findall(r"\[[\w ]*?( opening| §\d+)?\]\(([^)]+\.ipynb)\)", where)):
                assert int(said) == sum(minutes_of(FOUND[name], section.strip(" §")) for section, name in links), row


def minutes_of(nb, section):
    prose = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    if not section:
        return minutes(nb)
    if section == "opening":
        return int(re.search(r"\*\*Minutes:\*\* \d+, of which (\d+) before the first section", prose)[1])
    return int(re.search(rf"(?m)^## {section} · .+ \((\d+) min(?:, optional)?\)$", prose)[1])


def test_the_plans_name_what_the_notebooks_show():
    code = "\n".join(cell.source for nb in FOUND.values() for cell in nb.cells if cell.cell_type == "code")
    named = re.findall(r"`(\w+)`", "\n".join(re.findall(r"(?m)^\| \d:\d\d \|.+", PLANS)))
    assert len(named) > 20
    assert [name for name in named if not re.search(rf"\.{name}\b", code)] == []


@pytest.mark.parametrize("first", re.findall(r"(?m)^\| 0:00 .+$", PLANS), ids=lambda row: row[:40])
def test_the_clock_of_a_plan_runs(first):
    clock = 0
    for row in PLANS[PLANS.index(first) :].splitlines():
        at, taking = (cell.strip() for cell in row.split("|")[1:3])
        if not at:
            assert taking == f"**{clock}**" and clock in (45, 90)
            return
        assert at == f"{clock // 60}:{clock % 60:02}"
        clock += sum(map(int, taking.split("+")))


def test_the_readme_lists_the_sessions():
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r'<a href="notebooks/(\d\d_\w+\.ipynb)"><img src="notebooks/(.+?)".+?<b>\d\d</b>( ●)?', readme)
    assert [name for name, _, _ in cells] == [name for name in FOUND if name[:2].isdigit()]
    for name, picture, short in cells:
        assert picture == f"pictures/{name[:-6]}.png"  # which test_book_plans asks for
        assert bool(short) == bool(FOUND[name].metadata["calibtutor"].get("short_route"))


# --- what the papers have ---

PLACES = re.findall(r"(?m)^\| ([GKCP]) \| (.+?) \| .+? \| (.+) \|$", SYLLABUS)
# All that is numbered, by the first letters of its kind: G's and C's from 1 on, K's in its sections and its appendix.
NUMBERED = {"G": {"Def": 2, "Theo": 2, "eq": 48, "Tab": 5, "Fig": 5},
            "K": {"Def": "2.1 2.2 2.3 3.1 3.3 A.1 A.2", "Lem": "3.2 A.3 A.4 A.7", "Theo": "3.4 3.6 A.5 A.6 A.8",
                  "Cor": "3.5 3.7", "Prop": "3.8 A.9", "Prob": 1, "Alg": 1, "eq": 8, "Tab": 3, "Fig": 6},
            "C": {"Def": 1, "eq": 11, "Tab": 1, "Fig": 4},
            "P": {"eq": 2}}


def in_print(text):
    """(kind, number) of all that a cell names: “Theorem 2, eqs. 19, 37–39” has five."""
    for kind, numbers in re.findall(r"([A-Za-z]+)\.? ((?:A?\.?[\d.–]+(?:, )?)+)", text):
        for first, last in re.findall(r"((?:A\.)?\d[\d.]*)(?:–(\d+))?", numbers):
            yield from ((kind, str(k)) for k in range(int(first), int(last) + 1)) if last else [(kind, first)]


@pytest.mark.parametrize("paper", NUMBERED)
def test_each_number_of_a_paper_stands_in_one_row(paper):
    found = [each for letter, text, _ in PLACES if letter == paper for each in in_print(text)]
    wanted = []
    for kind, numbers in NUMBERED[paper].items():
        each = numbers.split() if isinstance(numbers, str) else map(str, range(1, numbers + 1))
        wanted += [(kind, number) for number in each]
    short = {kind: start for kind, _ in found for start in NUMBERED[paper] if kind.startswith(start)}
    assert sorted((short[kind], number) for kind, number in found) == sorted(wanted)


def test_places_of_the_papers_exist():
    assert 30 < len(PLACES) <= 45
    for _, text, where in PLACES:
        assert re.search(r"\]\(", where), f"{text}: neither a place nor a reason that leads to one"
        for label, section, name in re.findall(r"\[([\w/-]+)(?: §(\d+))?\]\(([^)]+\.ipynb)\)", where):
            assert not re.fullmatch(r"(further/)?\d\d", label) or name.startswith(f"{label}_"), (text, label, name)
            if section:
                minutes_of(FOUND[name], section)
        for module in re.findall(r"`(.+?)`", where):
            assert (NOTEBOOKS.parent / "calibtutor" / module).is_file(), module
