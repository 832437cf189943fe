"""Every claim takes its seeds from one place."""

import ast
from pathlib import Path

import pytest

OWN = {"rng", "random_state", "seed"}  # arguments that are seeds
FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem not in ("seeds", "test_seeds"))


def _is_written(node):
    """Whether a seed stands there as a number, or a list that holds nothing else."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_written, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def seeds_of_its_own(source):
    """The lines on which code chooses a seed by itself: rng=0, default_rng([4, 1]), for seed in range(20)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [each.value for each in node.keywords if each.arg in OWN]
            given += node.args[:1] if name in ("default_rng", "SeedSequence", "RandomState") else []
            found += [node.lineno for each in given if _is_written(each)]
        elif isinstance(node, ast.For | ast.comprehension):
            names = {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
            calls = [each for each in ast.walk(node.iter) if isinstance(each, ast.Call)]
            ranges = any(getattr(each.func, "id", "") == "range" for each in calls)
            if ranges and any("seed" in name or "split" in name for name in names):
                found.append(node.iter.lineno)
    return sorted(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_claim_chooses_its_seeds(path):
    lines = seeds_of_its_own(path.read_text(encoding="utf-8"))
    assert not lines, f"{path.name} {lines}: take `seeds`, or `as_shown` for a draw of the course (see seeds.py)"
