"""The examples of CONTRIBUTING.md, put where it says and tested as it says, in a copy of the repository."""

import os
import re
import shlex
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from notebook_rules import dead_links
from repository import ROOT, copy_repository

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```(python|markdown)\n(?:# |<!-- )(\S+)(?: -->)?\n(.*?)```", TEXT, flags=re.S)
(COMMAND,) = re.findall(r'^\.venv-test/bin/python (-m pytest tests/lessons .+ -k ".+")$', TEXT, flags=re.M)
STORE, KEEPS, _ = re.search(r"```bash\n(.+ notebooks --table .+)\n(.+)\n(.+test_plans.py)\n```", TEXT).groups()
ASKED = """
    test_scenes.py::test_a_scene_answers_and_says_what_it_shows[start.fair_coin]
    test_scenes.py::test_what_is_made_is_used_in_a_notebook
    test_derivations.py::test_all_lines_hold_and_all_slips_are_refuted[start.fair_coin]
    test_derivations.py::test_a_reader_can_follow[start.fair_coin]
    test_exercises.py::test_the_right_answer_passes_and_the_blank_does_not[start.fair_coin]
    test_exercises.py::test_likely_mistakes_are_foreseen_and_told_apart[start.fair_coin]
    test_exercises.py::test_nothing_gives_the_answer_away[start.fair_coin]
    test_exercises.py::test_a_right_number_is_what_its_question_comes_to[start.fair_coin]
    test_start.py::test_a_hundred_flips_of_a_fair_coin
    test_layer.py::test_every_number_is_printed_or_claimed[00_start_here]
    test_layer.py::test_every_number_is_printed_or_claimed[start/exercises]
    test_layer.py::test_every_number_is_printed_or_claimed[start/scenes]
""".split()


def put(language, path, code):
    """What the text tells a contributor to do with an example."""
    if path.suffix == ".ipynb":
        nb, new = nbformat.read(path, as_version=4), new_code_cell if language == "python" else new_markdown_cell
        nb.cells.append(new(code.rstrip()))
        nbformat.write(nb, path)
        return
    text = path.read_text(encoding="utf-8")
    if path.name == "exercises.py":  # "It goes into the list `check`."
        text = text.replace("check = Checks([\n", f"check = Checks([\n{code}", 1)
    elif path.name == "test_exercises.py":  # "in `VALUES`"
        text = text.replace("VALUES = {\n", f"VALUES = {{\n{code}", 1)
    else:
        text += f"\n\n{code}"
    if path.name == "scenes.py":  # "Put the scene's name into `__all__`."
        text = text.replace("__all__ = [", '__all__ = ["fair_coin", ', 1)
    path.write_text(text, encoding="utf-8")


def contributed(folder, slip=lambda code: code):
    """A copy of the repository with all examples in it."""
    root = copy_repository(folder / "clone", ("calibtutor", "notebooks", "tests"))
    for language, name, code in EXAMPLES:
        put(language, root / name, slip(code))
    return root


def asked(root, command=COMMAND):
    """What a command for the environment's Python says in this clone."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    words = shlex.split(command.removeprefix(".venv-test/bin/python "))
    options = ["-rA", "-p", "no:cacheprovider", "-p", "no:xdist"] if "pytest" in words else []
    command = [sys.executable, *words, *options]
    found = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    return found.returncode, found.stdout + found.stderr


def told(output, outcome):
    """The tests with this outcome, without their folders."""
    return set(re.findall(rf"^{outcome} \S*?(test_\w+\.py::\S+)", output, flags=re.M))


def test_every_kind_of_thing_has_an_example():
    assert len(EXAMPLES) == TEXT.count("```python\n") + TEXT.count("```markdown\n") == 9
    assert all((ROOT / name).is_file() for _, name, _ in EXAMPLES)


@pytest.mark.slow
def test_examples_pass_what_is_asked_of_all_lessons(tmp_path):
    code, output = asked(contributed(tmp_path))
    assert code == 0, output[-3000:]
    assert set(ASKED) - told(output, "PASSED") == set()


def asked_of(part):
    """The test that is asked for and has this in its name."""
    (found,) = (test for test in ASKED if part in test)
    return found


SLIPS = {  # what a contributor might get wrong -> the tests that say so
    'f"A bar around one half: {found}."': ('"A bar around one half."', asked_of("scene_answers")),
    '(1 - w["r"]) / 2)': ('(1 - w["r"]) / 3)', asked_of("all_lines_hold")),
    "0.5 / 0.05": ("0.5 / 0.04", asked_of("right_number")),
    "Mistake(100,": ("Mistake(400,", asked_of("likely_mistakes")),
    '@claim("00_start_here", "Of 100 flips': ('@claim("00_start_here", "Of 99 flips', asked_of("hundred_flips")),
    "One flip of": ("As 20 · 20 says, one flip of", asked_of("[start/exercises]")),
}  # fmt: skip


@pytest.mark.slow
def test_slips_in_the_examples_are_found(tmp_path):
    def slip(code):
        for right, (wrong, _) in SLIPS.items():
            code = code.replace(right, wrong)
        return code

    code, output = asked(contributed(tmp_path, slip))
    assert code == 1
    assert {test for _, test in SLIPS.values()} - told(output, "FAILED") == set(), output[-3000:]


@pytest.mark.slow
def test_the_notebook_is_stored_and_keeps_every_rule(tmp_path):
    root = contributed(tmp_path)
    assert asked(root, KEEPS)[0] == 1  # its new cells have not run
    for command in (STORE, KEEPS):
        code, output = asked(root, command)
        assert code == 0, output[-3000:]


def test_commands_name_what_exists():
    commands = "\n".join(re.findall(r"```bash\n(.*?)```", TEXT, flags=re.S))
    files = re.findall(r"(?<=\s)[\w/]+(?:/|\.py|\.ipynb|\.json)\b", commands)
    assert len(files) > 5 and [name for name in files if not (ROOT / name).exists()] == []
    assert dead_links(TEXT, ROOT) == []
