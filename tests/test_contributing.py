"""The examples of CONTRIBUTING work as they stand there, in the files that they name."""

import importlib
import re
from pathlib import Path

import numpy as np
from scipy.stats import binom

from calibtutor.teach.derive import Derivation
from calibtutor.teach.explore import Explorable
from calibtutor.teach.expressions import Letters

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", TEXT, flags=re.S))


def names(path, **more):
    """What an example finds in its file, and what it imports besides."""
    assert (ROOT / path).is_file()
    return {**vars(importlib.import_module(path.removesuffix(".py").replace("/", "."))), **more}


def run(path, folder, **more):
    """In a file, since a picture shows the source of its code."""
    here, file = names(path, **more), folder / "example.py"
    file.write_text(EXAMPLES[path], encoding="utf-8")
    exec(compile(EXAMPLES[path], file, "exec"), here)  # noqa: S102
    return here


def test_a_scene(tmp_path):
    scene = run("calibtutor/lessons/start/scenes.py", tmp_path)["fair_coin"]()
    assert isinstance(scene, Explorable) and "40% to 60% heads" in scene.finding.headline


def test_a_derivation_in_ten_lines(tmp_path):
    path = "calibtutor/lessons/start/derivations.py"
    derivation = run(path, tmp_path, Letters=Letters)["fair_coin"]
    assert isinstance(derivation, Derivation) and len(EXAMPLES[path].strip().splitlines()) <= 10
    assert [[line.holds for line in derivation.evaluate(seed)] for seed in range(21)] == [[None, False, True]] * 21
    _, slip, last = (line.value for line in derivation.evaluate(0))
    assert abs(slip / last - 1) > 0.1


def test_an_exercise_and_its_value():
    path = "calibtutor/lessons/start/exercises.py"
    (exercise,) = eval(f"[{EXAMPLES[path]}]", names(path))  # noqa: S307
    (value,) = eval(f"{{{EXAMPLES['tests/lessons/test_exercises.py']}}}").values()  # noqa: S307
    assert np.isclose(value(), exercise.reference)


def test_a_claim():
    quoted = re.search(r"```markdown\n<!--.*?-->\n(.*?)\n```", TEXT)[1]
    said = []
    here = {"claim": lambda *words: lambda test: said.append(words) or test, "binom": binom}
    exec(EXAMPLES["tests/claims/test_start.py"], here)  # noqa: S102
    here["test_a_hundred_flips_of_a_fair_coin"]()
    assert said == [("00_start_here", quoted)]
