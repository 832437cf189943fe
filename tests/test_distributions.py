"""What is built can be installed, is whole, and holds nothing else."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import calibtutor

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
MADE_HERE = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", ".hypothesis", ".pytest_cache", ".ruff_cache")
ALL_ROOMS = """
import importlib, pkgutil, calibtutor
rooms = [importlib.import_module(room.name) for room in pkgutil.walk_packages(calibtutor.__path__, "calibtutor.")]
lessons = importlib.import_module("calibtutor.lessons")
made = [lessons.discover(kind) for kind in ("scenes", "derivations", "exercises", "guesses")]
print(calibtutor.__path__[0], *map(len, (rooms, *made)))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the repository, the source archive made of it, and the wheel made of that archive."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    for name in (".ci", ".github", "binder", "calibtutor", "findings", "notebooks", "paper", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=MADE_HERE)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":  # of a worktree
            shutil.copy2(path, source)
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, cwd=source)
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return files, archive, wheel


def run(*command, cwd):
    found = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def test_the_source_archive_is_the_repository(built):
    files, archive, _ = built
    with tarfile.open(archive) as opened:
        names = {member.name.partition("/")[2] for member in opened if member.isfile()}
    assert archive.name == f"calibtutor-{calibtutor.__version__}.tar.gz"
    assert files - names == {".gitignore"}
    assert {name for name in names - files if not name.startswith("calibtutor.egg-info/")} == {"PKG-INFO", "setup.cfg"}


def test_the_wheel_is_the_package(built):
    files, _, wheel = built
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        said = Parser().parsestr(opened.read(about).decode())
    assert {name for name in names if ".dist-info/" not in name} == {n for n in files if n.startswith("calibtutor/")}
    assert {name.rpartition(".")[2] for name in names} >= {"py", "pyi", "json", "npz", "html", "css", "js", "svg"}
    assert said["Version"] == calibtutor.__version__ and said["Requires-Python"] == ">=3.11"
    assert said["License-Expression"] == "MIT" and said["License-File"] == "LICENSE"
    assert said["Description-Content-Type"] == "text/markdown" and said.get_payload().startswith("# calibtutor")
    assert len(said.get_all("Project-URL")) == 3 and said.get_all("Classifier")


def test_every_room_of_an_installation_can_be_imported(built, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path]
    run(*pip, built[-1], cwd=tmp_path)
    place, *counts = run(sys.executable, "-c", ALL_ROOMS, cwd=tmp_path).split()  # what lies beside comes first
    assert place == str(tmp_path / "calibtutor")
    assert min(map(int, counts)) > 10
