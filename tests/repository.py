"""The repository again, in another folder: what a clone holds, and nothing that was made in this one."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (".ci", ".github", "binder", "calibtutor", "notebooks", "tests")
MADE_HERE = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", ".hypothesis", ".pytest_cache", ".ruff_cache")


def copy_repository(to, folders=FOLDERS):
    """Copy these folders and all files beside them; return the folder they are in."""
    to.mkdir(parents=True, exist_ok=True)
    for name in folders:
        shutil.copytree(ROOT / name, to / name, ignore=MADE_HERE)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":  # of a worktree
            shutil.copy2(path, to)
    return to
