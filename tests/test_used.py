"""What a module offers is used: by a notebook, a lesson, another room or, being public, by the reader."""

import ast
import re
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from notebook_rules import code_cells

import calibtutor as ct
from calibtutor.teach.notebooks import discover as notebooks

ROOT = Path(ct.__file__).parent
ROOMS = [path for path in ROOT.rglob("*.py") if not {"lessons", "teach", "__main__.py"} & set(path.parts)]


def words(source):
    """Names that code loads, imports or reaches for; not those that it defines or lists."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute | ast.alias):
            yield getattr(node, "attr", None) or node.name


def in_notebooks():
    for path in notebooks():
        for _, cell in code_cells(nbformat.read(path, as_version=4)):
            yield from re.findall(r"\w+", cell.source)
    yield from words((ROOT.parent / "notebooks/conftest.py").read_text(encoding="utf-8"))


USED = {word for path in ROOT.rglob("*.py") for word in words(path.read_text(encoding="utf-8"))} | set(in_notebooks())


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_module_offers_is_used(path):
    name = ".".join(["calibtutor", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    assert set(getattr(import_module(name), "__all__", [])) - USED - set(ct.__all__) == set()
