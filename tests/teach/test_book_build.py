"""Only what has changed is run again, one process a notebook; what fails is named, and spoils nothing else."""

import json
import shutil
from unittest import mock

import pytest
from lab import write_notebook as write

from calibtutor.__main__ import main
from calibtutor.teach import notebooks
from calibtutor.teach.book import build, pages, work

pytestmark = pytest.mark.slow
SCENE = """
from calibtutor.teach.explore import explore

def setup(fig):
    return fig.add_subplot(xlim=(0, 9)).plot([0, 1], [0, 1])

def update(artists, x=1):
    artists[0].set_xdata([0, x])
    return f"A line that ends at the number {x}."

explore(setup, update, size=(4, 3), x=(0, 3, 1))
"""
START = "from calibtutor.lessons.start import guess\nguess.near_seventy()"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A book of two notebooks, and what its build said of a third."""
    folder = tmp_path_factory.mktemp("notebooks")
    paths = [write(folder / "01_scene.ipynb", SCENE), write(folder / "02_start.ipynb", START)]
    bad = write(folder / "03_bad.ipynb", "x = 1", "1 / 0")
    with pytest.raises(build.BuildError) as said:
        build.run(folder / "out", [*paths, bad])
    return folder, str(said.value)


@pytest.fixture
def book(built, tmp_path, monkeypatch):
    """A copy of it, with a copy of the package that its keys are made of; and the names of notebooks that are run."""
    shutil.copytree(built[0], tmp_path / "copy")
    package = tmp_path / "package"
    package.mkdir()
    monkeypatch.setattr(work, "PACKAGE", package)
    work.package.cache_clear()
    for file in (tmp_path / "copy" / "out" / build.KEPT).iterdir():  # as if made of that package
        kept = json.loads(file.read_text()) | {"key": work.key(tmp_path / "copy" / f"{file.stem}.ipynb")}
        file.write_text(json.dumps(kept))
    ran = []

    def run(out, todo, jobs):
        ran.extend(path.stem for path in todo)
        return dict.fromkeys(todo, EMPTY)

    monkeypatch.setattr(build, "_run", run)
    folder = tmp_path / "copy"
    yield folder, lambda: build.run(folder / "out", sorted(folder.glob("0[12]*.ipynb"))), ran
    work.package.cache_clear()


EMPTY = {kind: {} for kind in ("cells", "scene", "picture", "derivation", "guess", "exercise")}


def test_a_notebook_that_fails_is_named_and_the_others_are_kept(built):
    folder, said = built
    assert said == "03_bad.ipynb: cell 2: ZeroDivisionError: division by zero"
    frames = folder / "out" / "frames" / "01_scene.cell-1"
    made = {file.name for file in frames.iterdir()}
    numbers = {f"{shape}{number}.png" for shape in ("", "u") for number in (0, 1, 2, 3, "base")}
    assert made == {*numbers, "scene.js"}
    assert {file.name for file in (folder / "out" / build.KEPT).iterdir()} == {"01_scene.json", "02_start.json"}


def test_nothing_changed_nothing_is_run(book):
    _, run, ran = book
    captured = run()
    assert ran == []
    first, second = captured.values()
    assert first["cells"] == {1: [["scene", "01_scene.cell-1"]]}, "cells have numbers"
    scene = first["scene"]["01_scene.cell-1"]
    assert scene["said"] == ["", "", "A line that ends at the number 1."] and scene["controls"][0]["start"] == 1
    assert second["guess"]["start.near_seventy"]["options"]


def test_code_the_package_and_a_new_matplotlib_count_and_words_do_not(book, monkeypatch, tmp_path):
    folder, run, ran = book
    write(folder / "01_scene.ipynb", SCENE, words="# Other words")
    run()
    assert ran == []
    write(folder / "01_scene.ipynb", SCENE.replace("(0, 3, 1)", "(0, 4, 1)"))
    run()
    assert ran == ["01_scene"]
    (tmp_path / "package" / "canvas.py").write_text("#")
    work.package.cache_clear()
    run()
    assert sorted(ran[1:]) == ["01_scene", "02_start"]


@pytest.mark.parametrize("lost", ["frames/01_scene.cell-1", ".kept/01_scene.json", "half of .kept/01_scene.json"])
def test_what_an_ended_build_did_not_finish_is_made(lost, book):
    folder, run, ran = book
    gone = folder / "out" / lost.removeprefix("half of ")
    if lost.startswith("half"):
        gone.write_text(gone.read_text()[:99])
    else:
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    run()
    assert ran == ["01_scene"]


def test_two_notebooks_cannot_show_the_same(book):
    folder, run, _ = book
    kept = folder / "out" / build.KEPT
    twin = json.loads((kept / "01_scene.json").read_text())
    twin["caught"]["guess"] = json.loads((kept / "02_start.json").read_text())["caught"]["guess"]
    (kept / "01_scene.json").write_text(json.dumps(twin))
    with pytest.raises(build.BuildError, match="02_start.ipynb: start.near_seventy is shown in 01_scene.ipynb too"):
        run()


@pytest.mark.parametrize(("arguments", "says"), [
    (["--lesson", "begin"], "--lesson: invalid choice: 'begin' (choose from"),
    (["--jobs", "0"], "--jobs: expected 1 or more, got 0"),
    (["--hub", "https://hub"], "--hub: expected an address with {notebook} in it, got 'https://hub'"),
    (["--plan", "none"], "--plan: invalid choice"),
    ([], "holds something else")])
def test_a_wrong_command_says_what_is_right_and_leaves_a_folder_alone(arguments, says, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("")
    for out in (tmp_path / "out",) if arguments else (tmp_path, tmp_path / "thesis.tex"):
        with pytest.raises(SystemExit) as end:
            main(["book", str(out), *arguments])
        assert end.value.code == 2 and says in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_command_builds_what_is_asked_for(tmp_path, monkeypatch, capsys):
    made = mock.Mock(side_effect=[None, build.BuildError("01_notions.ipynb: no")])
    monkeypatch.setattr(build, "run", made)
    monkeypatch.setattr(pages, "write", written := mock.Mock())
    out = tmp_path / "out"
    options = ["--lesson", "01_notions", "00_start_here", "--jobs", "3", "--hub", "https://hub/{notebook}"]
    assert main(["book", str(out), *options]) == 0
    assert "2 notebooks" in capsys.readouterr().out
    where, chosen, jobs = made.call_args.args
    assert where == out and [path.stem for path in chosen] == ["00_start_here", "01_notions"], "in reading order"
    assert jobs == 3
    written.assert_called_once_with(out, None, "https://hub/{notebook}")
    assert main(["book", str(out)]) == 1 and "01_notions.ipynb: no" in capsys.readouterr().err
    assert written.call_count == 1 and made.call_args.args[1] == notebooks.discover()
