"""The check before a lab says in words what is missing: each thing that can be missing is taken away once."""

import ast
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from calibtutor.__main__ import main as command
from calibtutor.data import downloads

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "notebooks" / "check_setup.py"
MB = 2**20
SPEC = importlib.util.spec_from_file_location("check_setup", SCRIPT)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)
TABLE = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8").splitlines()
NEEDED = max(int(line.split("|")[-3]) for line in TABLE if line.startswith("| [")) + check.LAB_MB  # MB


def but(**versions):
    """The versions of the course, these ones instead."""
    pins = dict(line.split("==") for line in check.read(ROOT / "binder" / "requirements.txt"))
    own = {"calibtutor": "1.0", "jupyterlab_widgets": "3.0.17"}
    return ({**pins, **own} | {name.replace("_", "-"): version for name, version in versions.items()} | versions).get


@pytest.mark.slow
def test_nothing_is_missing_where_the_tests_run():
    result = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    said = [line for line in result.stdout.splitlines()[:-2] if not line.startswith(" ")]
    assert len(said) == 9, result.stdout + result.stderr
    assert [line for line in said if line.startswith("MISSING")] == [] and result.returncode == 0
    files = all(map(downloads.available, downloads.FILES))
    assert result.stdout.endswith("\nReady.\n") == files == ("later" not in result.stdout)


@pytest.mark.parametrize(("line", "code", "said"), [
    (("MISSING", "that", "Do it."), 1, "Not ready: do what the arrow says, then start this again."),
    (("later  ", "that", "Do it."), 0, "Ready: the sessions. The case studies wait for their files.")])
def test_what_is_missing_is_said_and_the_sessions_need_no_case_studies_files(line, code, said, monkeypatch, capsys):
    monkeypatch.setattr(check, "lines", lambda: [("ok", "this", ""), (line[0].strip(), *line[1:]), ("note", "so", "")])
    assert check.main() == code
    assert capsys.readouterr().out == f"ok       this\n{line[0]}  that\n         -> Do it.\nnote     so\n\n{said}\n"


def test_the_package_has_it_as_a_command(monkeypatch):  # without the script: test_main.py
    ran = []
    monkeypatch.setattr("runpy.run_path", lambda path: {"main": lambda: ran.append(Path(path)) or 1})
    assert command(["check"]) == 1 and ran == [SCRIPT]


def test_an_old_python_can_read_it_and_says_so_itself():
    assert ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 8))
    # This one, that takes itself for an old one.
    code = f"import runpy, sys; sys.version_info = (3, 9, 18); runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    result = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr == ""
    assert result.stdout.startswith("MISSING  Python 3.9.18 is too old") and result.stdout.count("MISSING") == 1


def test_a_python_without_packages_is_told_what_to_type(tmp_path):
    # -S: as if nothing were installed. A copy, so that no .venv of this clone is found.
    for name in ("binder", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.ipynb", ".*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CONDA_PREFIX")}
    script = tmp_path / "notebooks" / "check_setup.py"
    result = subprocess.run([sys._base_executable, "-S", script], capture_output=True, text=True, env=env)
    assert result.returncode == 1, result.stderr
    more = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").count("==") + 1 - 4  # and calibtutor
    assert f"MISSING  not installed: jupyterlab, jupyter_server, ipykernel, ipywidgets and {more} more" in result.stdout
    assert "-m venv .venv, then " in result.stdout and "-m pip install -r requirements.txt" in result.stdout


ELSEWHERE = Path("elsewhere", "calibtutor")
CASES = [  # what is asked, the answer's kind, and words of what it says and of what to do; what is there: see above
    (lambda: check.check_packages(but(nbclient=None, calibtutor=None)), "MISSING",
     "not installed: nbclient, calibtutor", "requirements.txt"),
    (lambda: check.check_packages(but(pandas="2.0.3", numpy="1.9")), "MISSING",
     "too old: numpy 1.9 (needs 1.26), pandas 2.0.3 (needs 2.1)", "requirements.txt"),
    (lambda: check.check_packages(but(scipy="99.1rc2")), "note", "scipy 99.1rc2 for ", "last digits may differ"),
    (lambda: check.check_import(ELSEWHERE), "MISSING", str(ELSEWHERE), f"-e {ROOT}"),
    (lambda: check.check_widgets(but(ipywidgets="7.8.1")), "MISSING", "ipywidgets is 7.8.1: sliders need 8", ""),
    (lambda: check.check_widgets(but(), [ELSEWHERE]), "MISSING", "does not find the part that draws sliders",
     "jupyterlab_widgets"),
    (lambda: check.check_memory(NEEDED * MB), "ok", "", ""),
    (lambda: check.check_memory((NEEDED - 1) * MB), "MISSING",
     f"only {NEEDED - 1} MB of memory are free; {NEEDED} MB are needed", "Close"),
    (lambda: check.check_disk(free=199 * MB), "MISSING", "only 199 MB are free on the disk", "")]


@pytest.mark.parametrize(("asked", "kind", "says", "do"), CASES)
def test_what_is_there_and_what_is_missing(asked, kind, says, do):
    found = asked()
    assert found[0] == kind and says in found[1] and do in found[2]


def test_data(monkeypatch, tmp_path):
    monkeypatch.setattr(downloads.CACHE, "path", tmp_path / "cache")
    monkeypatch.setenv(downloads.DATA_DIR, str(tmp_path))
    kind, says, do = check.check_data(lambda address: None)
    assert kind == "later" and "calibtutor data" in do
    assert says.startswith("not here yet: compas-scores-two-years.csv, ")
    kind, says, do = check.check_data(lambda address: "no route to host")
    assert kind == "later" and says.endswith("cannot be reached: no route to host") and downloads.DATA_DIR in do
    (tmp_path / "heart.csv").write_text("half a file")
    kind, says, do = check.check_data(lambda address: None)
    assert kind == "MISSING" and says.startswith("heart.csv is damaged") and str(tmp_path) in says
    monkeypatch.setattr(downloads, "available", lambda name: True)
    monkeypatch.setattr(downloads, "fetch", lambda name, progress: tmp_path)
    assert check.check_data() == ("ok", "all 3 files of the case studies", "")


def test_memory_is_what_a_container_allows_and_a_folder_must_be_writable(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    limit.write_text("max\n")
    assert check.free_memory([limit, tmp_path / "none"]) > 0
    limit.write_text(f"{50 * MB}\n")
    assert check.free_memory([limit]) == 50 * MB
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "could not save your work" in check.check_disk()[1]


def test_port(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        number = taken.getsockname()[1]
        kind, says, do = check.check_port(number)
        assert kind == "note" and f"port {number} is taken" in says and "the address that it prints" in do
    assert check.check_port(number)[0] == "ok"
    monkeypatch.setattr(socket, "create_connection", mock.Mock(side_effect=PermissionError("not allowed")))
    assert check.check_port()[:2] == ("MISSING", "programs of this machine cannot talk to one another: not allowed")


@pytest.mark.parametrize(("source", "says"), [
    ("import calibtutor.lessens", "could not be drawn. ModuleNotFoundError: No module named 'calibtutor.lessens'"),
    ("import sys; print(sys.executable, 1, True)", "does not follow its slider: "),  # nor is there a picture
    ("import sys, IPython.display as d; d.display({'image/png': ''}, raw=True); print(sys.executable, 1, False)",
     "does not follow its slider: "),
    ("print('/usr/bin/env', 1, True)", "another Python, /usr/bin/env")])
def test_a_scene(source, says):
    kind, said, do = check.check_scene(source)
    assert kind == "MISSING" and says in said and do
