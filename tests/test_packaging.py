"""The README, the pins, Binder, CI, the import rules and the docstrings agree with one another."""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from notebook_rules import dead_links
from packaging.requirements import Requirement

import calibtutor

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "calibtutor"
MODULES = sorted(PACKAGE.rglob("*.py"))
needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="what Binder and CI run are bash scripts for Linux")

ROOMS = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", "plots", "audit"}
ROOMS |= {"data", "recalibration"}  # with them: the library


def lines(name):
    """A requirements file without comments and blank lines."""
    text = [line.partition("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return [line for line in text if line]


def block(mark):
    """The one line of code that follows a comment in the README."""
    found = re.findall(rf"<!-- {mark} -->\n```bash\n(.+)\n```\n", README)
    assert len(found) == 1, f"README: expected one line of bash after <!-- {mark} -->, got {found}"
    return found[0]


# --- one command, one list of versions ------------------------------------------------------------------


@needs_bash
def test_ci_runs_the_readme_command_word_for_word():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert block("test command") in script.splitlines()
    assert block("test command").endswith("-m pytest --nbval -n 2 --dist loadfile")  # a kernel needs its whole file
    assert script.rstrip().endswith("-m pytest -m slow -n 2")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)
    assert "run: bash .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_readme_commands_name_files_that_exist():
    commands = [block(mark) for mark in ("course command", "test command", "benchmark command")]
    files = re.findall(r"(?<=\s)[\w/]+\.(?:txt|py|ipynb)", " ".join(commands))
    assert len(files) == 4
    assert [f for f in files if not (ROOT / f).exists()] == []


def test_readme_links_are_live():
    assert dead_links(README, ROOT) == []


def test_readme_example_prints_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", README, flags=re.S)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", ["binder/requirements.txt", "tests/requirements.txt"])
def test_versions_are_exact(name):
    pins = [line for line in lines(name) if not line.startswith("-")]
    assert pins and [pin for pin in pins if not re.fullmatch(r"[\w-]+==[\w.]+", pin)] == []


def test_versions_stand_in_one_place():
    assert lines("requirements.txt") == ["-r binder/requirements.txt", "-e ."]
    assert lines("tests/requirements.txt")[0] == "-r ../requirements.txt"


def test_pins_cover_every_runtime_dependency_and_fit_it():
    pins = {Requirement(line).name: Requirement(line) for line in lines("binder/requirements.txt")}
    for dependency in map(Requirement, PROJECT["dependencies"]):
        (version,) = {s.version for s in pins[dependency.name].specifier}
        assert dependency.specifier.contains(version), f"{dependency} excludes the pinned {version}"


def test_every_import_is_a_declared_dependency():
    declared = {Requirement(text).name for text in PROJECT["dependencies"]}
    homes = packages_distributions()
    used = {name.split(".")[0] for path in MODULES for name in imports(path.read_text(encoding="utf-8"), dotted(path))}
    outside = used - set(sys.stdlib_module_names) - {"calibtutor"}
    assert {name for name in outside if not declared & {d.lower() for d in homes[name]}} == set()


# --- Binder ---------------------------------------------------------------------------------------------


@needs_bash
def test_binder_image_has_the_python_the_pins_and_the_course():
    dry = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
    result = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, timeout=60)
    recipe = result.stdout + result.stderr
    assert result.returncode == 0, recipe[-2000:]
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f"Building conda environment for python={oldest}\n" in recipe
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in recipe
    assert re.search(r"^RUN \./binder/postBuild$", recipe, flags=re.M)


@needs_bash
@pytest.mark.parametrize(("fails", "code"), [("-m calibtutor data", 0), ("-c import", 1), ("-m pip", 1)])
def test_binder_image_may_lack_the_data_but_not_the_course(fails, code, tmp_path):
    script = ROOT / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    # A python that only says what it was asked, and fails at one of the three things.
    stand_in = tmp_path / "python"
    stand_in.write_text(f'#!/bin/bash\necho "$*"\n[[ "$*" != "{fails}"* ]]\n', encoding="utf-8")
    stand_in.chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run([script], env=env, capture_output=True, text=True)
    assert result.returncode == code
    assert fails in result.stdout.splitlines()[-1]
    assert ("data not fetched" in result.stderr) == (code == 0)


# --- import rules ---------------------------------------------------------------------------------------


def dotted(path):
    """calibtutor/scenes/start.py -> calibtutor.scenes.start; a package's __init__ keeps that name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def imports(source, module):
    """Full dotted names a module imports, wherever in its source; relative ones are resolved."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = module.split(".")[: -node.level] if node.level else []
            base += node.module.split(".") if node.module else []
            names |= {".".join([*base, alias.name]) for alias in node.names}
    return names


def forbidden(source, module):
    """What this module imports against the rules of the rooms."""
    room, *rest = module.split(".")[1:]
    banned = {"calibtutor.lessons"}
    if room == "lessons":  # what two lessons use is in shared
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
    if room == "plots":  # it draws numbers, it does not make them
        banned |= {f"calibtutor.{name}" for name in ROOMS} | {"sklearn", "scipy"}
    return {name for name in imports(source, module) for b in banned if name == b or name.startswith(f"{b}.")}


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_room_imports_what_it_may(path):
    assert forbidden(path.read_text(encoding="utf-8"), dotted(path)) == set()


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("calibtutor.binning", "import matplotlib.pyplot as plt"),
        ("calibtutor.kde", "def f():\n    from matplotlib import cm"),
        ("calibtutor.data.worlds", "from .. import plots"),
        ("calibtutor.risk", "from .plots import reliability_diagram"),
        ("calibtutor.data.datasets", "from calibtutor.teach.explore import explore"),
        ("calibtutor.recalibration.bbq", "from ..reproductions import heart"),
        ("calibtutor.reproductions.heart", "from ..lessons.case_studies import scenes"),
        ("calibtutor.reproductions.heart", "from ..teach.explore import explore"),
        ("calibtutor.teach.explore", "from ..lessons import discover"),
        ("calibtutor.lessons.start.scenes", "import ipywidgets as widgets"),
        ("calibtutor.lessons.start.scenes", "from ..notions import scenes"),
        ("calibtutor.plots", "from .binning import reliability_curve"),
        ("calibtutor.audit", "from ipywidgets import HTML"),
        ("calibtutor", "from .teach import explore"),
    ],
)
def test_import_rule_catches(module, source):
    assert forbidden(source, module if "." in module else f"{module}.__init__") != set()


def test_teaching_elements_may_import_widgets():
    assert forbidden("import ipywidgets\nfrom ..plots import new_figure", "calibtutor.teach.explore") == set()


# --- docstrings and style -------------------------------------------------------------------------------


def missing_sections(function):
    """Which of numpydoc's Parameters, Returns and Raises a function should have, and has not."""
    doc = inspect.getdoc(function) or ""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    nodes = list(ast.walk(tree))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    wanted = set()
    if inspect.signature(function).parameters:
        wanted.add("Parameters")
    if any(isinstance(node, ast.Return) and node.value is not None for node in nodes):
        wanted.add("Returns")
    if any(isinstance(node, ast.Raise) for node in nodes) or any("check_" in name for name in called):
        wanted.add("Raises")
    missing = {name for name in wanted if f"\n{name}\n{'-' * len(name)}" not in doc}
    after = doc.partition("\nParameters\n")[2].partition("\n\n")[0]
    return missing | {p for p in inspect.signature(function).parameters if not re.search(rf"\b{p}\b", after)}


def test_public_names_exist_once():
    assert len(set(calibtutor.__all__)) == len(calibtutor.__all__)
    assert [name for name in calibtutor.__all__ if not hasattr(calibtutor, name)] == []


@pytest.mark.parametrize("name", calibtutor.__all__)
def test_public_name_is_documented(name):
    thing = getattr(calibtutor, name)
    if inspect.isfunction(thing):
        assert missing_sections(thing) == set()
    elif inspect.isclass(thing):
        assert re.search(r"\n(Attributes|Parameters)\n-", inspect.getdoc(thing) or "")
    else:
        assert inspect.ismodule(thing) and inspect.getdoc(thing)


def test_docstring_check_sees_what_is_missing():
    def undocumented(a, b):
        """Add.

        Parameters
        ----------
        a : int
        """
        if a is b:
            raise ValueError("no")
        return a + b

    assert missing_sections(undocumented) == {"Returns", "Raises", "b"}


def test_every_module_imports_and_says_what_it_is():
    for path in MODULES:
        name = dotted(path).removesuffix(".__init__")
        assert importlib.import_module(name).__doc__, f"{name} has no docstring"


def test_style():
    result = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--output-format=concise", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
