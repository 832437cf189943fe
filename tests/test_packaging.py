"""The README and its companions, pins, Binder, CI, import rules and docstrings agree with one another."""

import ast
import functools
import inspect
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from notebook_rules import dead_links
from packaging.requirements import Requirement

import calibtutor
from calibtutor.__main__ import COMMANDS
from calibtutor.door.results import Result

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = [Requirement(text) for text in PROJECT["dependencies"]]
COURSE = [Requirement(text) for text in PROJECT["optional-dependencies"]["course"]]
BOOK, LITE = ([Requirement(text) for text in PROJECT["optional-dependencies"][name]] for name in ("book", "lite"))
README, CONTRIBUTING, CHANGELOG = (
    (ROOT / f"{name}.md").read_text(encoding="utf-8") for name in ("README", "CONTRIBUTING", "CHANGELOG"))
OWN_PREDICTIONS = ROOT / "notebooks" / "your_own_predictions.md"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "notebooks").rglob("*.md")]
PACKAGE = ROOT / "calibtutor"
MODULES = sorted(PACKAGE.rglob("*.py"))
needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="what Binder and CI run are bash scripts for Linux")

FLOORS = "door", "kernels", "chance", "errors", "estimates"  # none knows one behind it
ROOMS = {*FLOORS, "progress", "whole", "data", "recalibration"}  # the library
NOT_CORE = ("calibtutor.plots", "calibtutor.data.downloads", "calibtutor.teach", "calibtutor.lessons")
NOT_CORE += ("calibtutor.audit.figures",)
homes = functools.cache(packages_distributions)  # by name of import; it takes a second to find them


def lines(name):
    """A requirements file without comments and blank lines."""
    text = [line.partition("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return [line for line in text if line]


def block(mark, text=README):
    """The one line of code that follows a comment."""
    (line,) = re.findall(rf"<!-- {mark} -->\n```bash\n(.+)\n```\n", text)
    return line


@needs_bash
def test_ci_runs_the_readme_command_word_for_word():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert block("test command") in script.splitlines()
    assert block("test command").endswith("--dist loadfile")  # a kernel needs its whole file
    assert "CALIBTUTOR_OUTPUTS=compare readme_command\n" in script  # in CI each cell prints what is stored
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "run: bash .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_readme_commands_name_files_that_exist():
    commands = [block("course command"), block("test command"), block("benchmark command", CONTRIBUTING)]
    files = re.findall(r"(?<=\s)[\w/]+\.(?:txt|py|ipynb)", " ".join(commands))
    assert len(files) == 4
    assert [f for f in files if not (ROOT / f).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_links_of_a_page_are_live(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"python -m calibtutor (\w+)", text)) <= {"data", "check", *COMMANDS}
    assert dead_links(text, path.parent) == []
    for page, place in re.findall(r"\]\(([\w./]+\.md|)#([^)\s]+)\)", text):
        target = (path.parent / page if page else path).read_text(encoding="utf-8")
        headings = [words.lower().replace(" ", "-") for words in re.findall(r"^#+ (.+)$", target, flags=re.M)]
        assert place in [re.sub(r"[^\w-]", "", words) for words in headings], f"{page}#{place}"


def test_readme_example_prints_what_it_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it writes a report
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", OWN_PREDICTIONS.read_text(encoding="utf-8"), flags=re.S)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_versions_are_exact_stand_in_one_place_and_fit_what_is_needed():
    assert lines("requirements.txt") == ["-r binder/requirements.txt", "-e .[course]"]
    assert lines("tests/requirements.txt")[0] == "-r ../requirements.txt"
    for line in lines("binder/requirements.txt") + lines("tests/requirements.txt")[1:]:
        assert re.fullmatch(r"[\w-]+==[\w.]+", line)
    pins = {Requirement(line).name: line.partition("==")[2] for line in lines("binder/requirements.txt")}
    for dependency in CORE + COURSE + BOOK:
        assert dependency.specifier.contains(pins[dependency.name]), dependency


def undeclared(paths, declared):
    """Modules imported that no declared distribution brings."""
    used = {name.split(".")[0] for path in paths for name in imported_by(path)}
    outside = used - set(sys.stdlib_module_names) - {"calibtutor"}
    return {name for name in outside if not {each.name for each in declared} & set(map(str.lower, homes()[name]))}


def test_every_import_is_a_declared_dependency():
    assert undeclared(MODULES, CORE + COURSE + BOOK + LITE) == set()
    built = "calibtutor.teach.book", "calibtutor.teach.lite"
    for rooms, declared in ((built, CORE + COURSE), (NOT_CORE, CORE)):
        assert undeclared([path for path in MODULES if not dotted(path).startswith(rooms)], declared) == set()


WITHOUT_COURSE = """
import importlib, sys
for name in {blocked}:
    sys.modules[name] = None

import numpy as np
import calibtutor as ct
from calibtutor.__main__ import main

for room in {rooms}:
    importlib.import_module(room)
# A function and its room have one name: the function is meant.
assert all(callable(getattr(ct, name)) for name in set(ct.__all__) - {{"reliability_diagram"}})
p = np.random.default_rng(0).dirichlet(np.ones(3), 60)
y = p.argmax(axis=1)
assert ct.kce_test(y, p, n_resamples=19, rng=0).pvalue == 0.05
assert ct.select_estimator(y, p, candidates=["h = 0", "15 bins"], folds=2, rng=0, progress=True).best == "15 bins"
assert ct.TemperatureScaling().fit(y, p).predict_proba(p).shape == p.shape
for room in {course}:
    try:
        importlib.import_module(room)
    except ModuleNotFoundError as error:
        assert 'pip install "{root}[course]"' in str(error), error
    else:
        raise AssertionError(room)
try:
    main(["data"])
except SystemExit as end:
    assert end.code == 2
"""


def test_library_works_without_what_only_the_course_needs():
    course = {requirement.name for requirement in COURSE}
    blocked = {name for name, found in homes().items() if course & {each.lower() for each in found}}
    assert {"matplotlib", "ipywidgets", "PIL", "nbclient"} <= blocked
    names = [dotted(path).removesuffix(".__init__") for path in MODULES]
    needs = tuple(name for name in names if name.startswith(NOT_CORE) or "tables" in name or "reproductions" in name)
    rooms = [name for name in names if name not in needs]
    code = WITHOUT_COURSE.format(blocked=blocked, rooms=rooms, course=NOT_CORE, root=ROOT)
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0 and f'pip install "{ROOT}[course]"' in result.stderr, result.stderr


def test_versions_of_the_package_agree():
    assert PROJECT["dynamic"] == ["version"]  # taken from calibtutor.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    newest, released = re.search(r"^## \[(.+)\] - (.+)$", CHANGELOG, flags=re.M).groups()
    assert (citation["version"], str(citation["date-released"])) == (newest, released)
    assert newest == calibtutor.__version__
    assert set(re.findall(r"mybinder\.org/v2/gh/OWNER/calibtutor/([^?]+)", README)) == {f"v{newest}"}


@pytest.mark.parametrize(("code", "heavy"), [
    ("import calibtutor", {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "argparse"}),
    ("from calibtutor import expected_calibration_error", {"scipy", "sklearn", "pandas", "matplotlib"}),
    ("import calibtutor.door.predictions as room; room.check_predictions([[1, 0], [0, 1]], [[0.5, 0.5], [0.2, 0.8]])",
     {"scipy", "sklearn", "pandas"}),
    ("import calibtutor.errors.kce", {"scipy.stats", "sklearn", "pandas", "matplotlib"}),
    ("import calibtutor.plots", {"sklearn", "pandas"}),
    ("import calibtutor.teach.connection", {"numpy", "matplotlib", "ipywidgets"})])
def test_import_loads_no_more_than_it_needs(code, heavy):
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    loaded = set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
    assert "calibtutor" in loaded and loaded & heavy == set()


def test_map_of_the_package_names_every_function():
    rows = re.findall(r"^(?:\w+| ) +((?:\w+ *)+)$", calibtutor.__doc__, flags=re.M)
    told = [word for row in rows for word in row.split()]
    things = {name: getattr(calibtutor, name) for name in calibtutor.__all__}
    results = {name for name, thing in things.items() if inspect.isclass(thing) and issubclass(thing, Result)}
    assert sorted(told) == sorted(set(things) - results)  # each under one task
    assert set(things) <= set(dir(calibtutor))


def test_draws_are_new_unless_seeded():
    options = {name: inspect.signature(getattr(calibtutor, name)).parameters for name in calibtutor.__all__}
    defaults = {name: each["rng"].default for name, each in options.items() if "rng" in each}
    seeded = {name: default for name, default in defaults.items() if default is not None}
    assert seeded == {"median_bandwidth": 0}  # a kernel must be the same each time


@needs_bash
def test_binder_image_has_the_python_the_pins_and_the_course():
    dry = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
    result = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, timeout=60)
    recipe = result.stdout + result.stderr
    assert f"Building conda environment for python={PROJECT['requires-python'].removeprefix('>=')}\n" in recipe
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in recipe
    assert "\nRUN ./binder/postBuild\n" in recipe and re.search("ENV NB_PYTHON_PREFIX[ =]", recipe)


@needs_bash
@pytest.mark.parametrize(("fails", "code"), [("-m calibtutor data", 0), ("-c import", 1), ("-m pip", 1)])
def test_binder_image_may_lack_the_data_but_not_the_course(fails, code, tmp_path):
    script = ROOT / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    # A python that only says what it was asked, and fails at one of the three things.
    stand_in = tmp_path / "python"
    stand_in.write_text(f'#!/bin/bash\necho "$*"\n[[ "$*" != "{fails}"* ]]\n', encoding="utf-8")
    stand_in.chmod(0o755)
    (tmp_path / "etc" / "jupyter").mkdir(parents=True)
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "NB_PYTHON_PREFIX": str(tmp_path)}
    result = subprocess.run([script], env=env, capture_output=True, text=True)
    assert result.returncode == code and fails in result.stdout.splitlines()[-1]
    assert (tmp_path / "etc" / "jupyter" / "jupyter_server_config.json").is_file() == (code == 0)


def dotted(path):
    """calibtutor/lessons/start/scenes.py -> calibtutor.lessons.start.scenes; a package's __init__ keeps that name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@functools.cache
def imported_by(path):
    """Full dotted names a module imports, wherever in its source; relative ones are resolved."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = dotted(path).split(".")[: -node.level] if node.level else []
            base += node.module.split(".") if node.module else []
            names |= {".".join([*base, alias.name]) for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_room_imports_what_it_may(path):
    room, *rest = dotted(path).split(".")[1:]
    banned = {"calibtutor.lessons"}
    if room == "__main__" or {"guest_lecture", "bins_and_bets"} & {*rest[:1]}:  # hands them on; show what others have
        banned = set()
    elif room == "lessons":  # what two lessons use is in shared
        lessons = {path.name for path in (PACKAGE / "lessons").iterdir()} - {"shared", rest[0]}
        banned = {f"calibtutor.lessons.{name}" for name in lessons}
    if room not in ("teach", "__main__"):
        banned |= {"ipywidgets"}
    if room in ROOMS | {"__init__", "plots", "audit", "reproductions"}:
        banned |= {"calibtutor.teach"}
    if room in ROOMS | {"__init__", "reproductions"}:
        banned |= {"matplotlib", "calibtutor.plots", "calibtutor.audit"}
    if room in ROOMS:
        banned |= {"calibtutor.reproductions"}
    if room in FLOORS:
        banned |= {f"calibtutor.{name}" for name in FLOORS[FLOORS.index(room) + 1 :]}
        banned |= {"calibtutor.data", "calibtutor.recalibration"}
    if room == "plots":  # it draws numbers, it does not make them; its one public name asks `binning` for them
        banned |= {f"calibtutor.{name}" for name in ROOMS - {"estimates", "door"}} | {"sklearn", "scipy"}
    assert [name for name in imported_by(path) for b in banned if f"{name}.".startswith(f"{b}.")] == []
    assert 'import_module("calibtutor.' not in path.read_text(encoding="utf-8")


def test_style():
    ruff = [sys.executable, "-m", "ruff", "check", "--output-format=concise", "."]
    result = subprocess.run(ruff, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_papers_references_are_those_it_cites():
    paper, bib = (ROOT / "paper" / name for name in ("paper.md", "paper.bib"))
    cited = set(re.findall(r"@(\w+)\]", paper.read_text(encoding="utf-8")))
    listed = set(re.findall(r"^@\w+\{(\w+),", bib.read_text(encoding="utf-8"), re.M))
    assert cited == listed and len(cited) >= 5
