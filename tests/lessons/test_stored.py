"""What scenes read from files is what their simulations give."""

import json

import numpy as np
import pytest

from calibtutor.lessons.shared import stored
from calibtutor.lessons.shared.stored import LESSONS, rounded, stored_functions

LONG = {"at_each_look", "by_answer", "maps_judged", "power", "race", "tests_of_a_network", "twenty_splits",
        "which_rows"}
FUNCTIONS = [pytest.param(lesson, name, marks=[pytest.mark.slow] * (name in LONG))
             for lesson, functions in stored_functions().items() for name in functions]


def content(lesson):
    return json.loads((LESSONS / lesson / "simulations.json").read_text(encoding="utf-8"))


def test_files_hold_what_is_marked_and_no_more():
    assert sorted(path.parent.name for path in LESSONS.glob("*/simulations.json")) == sorted(stored_functions())
    for lesson, functions in stored_functions().items():
        wanted = {name: [json.dumps(key) for key in each.combinations] for name, each in functions.items()}
        assert {name: list(results) for name, results in content(lesson).items()} == wanted
        assert (LESSONS / lesson / "simulations.json").stat().st_size < 100_000


@pytest.mark.parametrize(("lesson", "name"), FUNCTIONS)
def test_computed_again_a_stored_result_is_the_same(lesson, name):
    """The last combination: where a grid was made longer, the newest. Models may differ in a last digit."""
    function = stored_functions()[lesson][name]
    key = function.combinations[-1]
    fresh, kept = rounded(function.__wrapped__(*key)), content(lesson)[name][json.dumps(key)]
    assert np.shape(_flat(fresh)) == np.shape(_flat(kept))
    np.testing.assert_allclose(_flat(kept), _flat(fresh), atol=2e-7)


def _flat(result):
    return np.concatenate([_flat(each) for each in result]) if isinstance(result, list) else np.array([result])


def test_the_command_writes_what_scenes_read(tmp_path, monkeypatch):
    def simulate(n, name):
        return np.full(n, 1 / 3), float(len(name))

    simulate.__module__ = "calibtutor.lessons.some_lesson.simulations"
    marked = stored.stored([2, 3], ["a", "é"])(simulate)
    (tmp_path / "some_lesson").mkdir()
    monkeypatch.setattr(stored, "LESSONS", tmp_path)
    monkeypatch.setattr(stored, "stored_functions", lambda: {"some_lesson": {"simulate": marked}})
    stored.main([])
    first = (tmp_path / "some_lesson" / "simulations.json").read_bytes()
    stored.main(["some_lesson"])
    assert (tmp_path / "some_lesson" / "simulations.json").read_bytes() == first
    values, number = marked(3, "é")
    np.testing.assert_allclose(values, [1 / 3] * 3, atol=1e-8)
    assert number == 1
