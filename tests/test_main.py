"""The command line: what it says, its exit codes, and that asking for help costs nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

import calibtutor
from calibtutor.__main__ import main
from calibtutor.teach import notebooks

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("option", "says"), [("--help", "notebooks"), ("--version", calibtutor.__version__)])
def test_answers_without_loading_anything(option, says):
    code = "import sys\nfrom calibtutor.__main__ import main\ntry:\n    main()\nfinally:\n    print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code, option], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0 and says in result.stdout
    assert {"numpy", "matplotlib", "ipywidgets", "nbclient"} & set(result.stdout.split()) == set()


@pytest.mark.parametrize("wrong", [[], ["date"], ["data", "--all"], ["notebooks", "--all"], ["notebooks", "no.ipynb"]])
def test_wrong_use_is_exit_code_2(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        main(wrong)
    assert end.value.code == 2
    assert "usage: python -m calibtutor" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["notebooks", "check", "book out"])
def test_an_installation_has_no_notebooks_and_says_so(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(notebooks, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(notebooks, "discover", lambda: [])  # else a broken check would run, and store, the course
    monkeypatch.setattr(Path, "is_file", lambda path: False)
    with pytest.raises(SystemExit) as end:
        main(command.split())
    assert end.value.code == 2
    assert "run this in a clone" in capsys.readouterr().err
