"""Every stored summary is that of the full run of its command, whose data sets made again give its numbers."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from reproductions import clusters

from calibtutor.reproductions import local, many_classes, networks, shift, type_one, widmann
from calibtutor.reproductions.blocks import from_command_line, in_blocks, stored_summary

RULES = dict(zip(shift.BANDWIDTHS, stored_summary("shift")["rules"], strict=True))
# What a run holds beside its designs; where these stand, and how many data sets each has.
RUNS = {local: ({"n_resamples": 199}, "designs", dict.fromkeys(local.DESIGNS, 1000)),
        networks: ({}, "designs", networks.FULL),
        many_classes: ({"n_resamples": 199}, "designs", dict.fromkeys(many_classes.DESIGNS, 200)),
        type_one: ({"n_resamples": 199}, "designs", dict.fromkeys(type_one.DESIGNS, 10_000)),
        widmann: ({"n": 250, "n_resamples": 199}, "models", widmann.FULL),
        clusters: ({"n_resamples": 199}, "cells", clusters.FULL),
        shift: ({"n": 1000, "data_sets": shift.TRIALS, "metrics": list(shift.METRICS)}, "rules", RULES)}


def name_of(module):
    return module.__name__.removeprefix("calibtutor.reproductions.")


@pytest.mark.parametrize("module", RUNS, ids=name_of)
def test_the_stored_summary_is_that_of_the_full_run(module):
    found, (settings, key, full) = stored_summary(name_of(module)), RUNS[module]
    assert found["command"] == f"python -m {module.__name__} --share 1 --seed 0"
    assert {name: found[name] for name in settings} == settings
    if module is shift:
        assert [rule["bandwidth"] for rule in found[key]] == list(shift.BANDWIDTHS)
    else:
        assert {name: each["data_sets"] for name, each in found[key].items()} == full


def first_of(module):
    """(design, row) of what was kept of first data sets."""
    if module is shift:
        return [((rule, k), each["first"][k]) for rule, each in RULES.items() for k in range(0, 25, 4)]
    found = stored_summary(name_of(module))[RUNS[module][1]]
    if module is networks:  # others take minutes each
        found = {name: each for name, each in found.items() if name.startswith("CIFAR-10, top-label")}
    return [(name, each["first"][0]) for name, each in found.items()]


@pytest.mark.slow
@pytest.mark.parametrize("module", RUNS, ids=name_of)
def test_the_first_data_sets_made_again_give_the_stored_numbers(module):
    for design, row in first_of(module):
        made = module.one_data_set(design, 0)
        near = {"rtol": 1e-6 if module is shift else 1e-9, "atol": 1e-6 if module is networks else 0}
        np.testing.assert_allclose(made, np.atleast_1d(row), **near, err_msg=design)


@pytest.mark.parametrize(("module", "design", "other", "small"), [
    (local, "n = 500, d = 10", "n = 500, d = 20", {"n_resamples": 9}),
    (type_one, "n = 20, width 0.2", "n = 100, width 0.2", {"n_resamples": 9}),
    (many_classes, "n = 300, d = 3", "n = 300, d = 10", {"n_resamples": 9}),
    (widmann, "M2", "M3", {"n": 12, "n_resamples": 9}),
    (shift, (0.1, 3), (0.1, 4), {"n": 50})], ids=["local", "type_one", "many_classes", "widmann", "shift"])
def test_a_data_set_depends_on_design_number_and_seed(module, design, other, small):
    made = lambda which, number, seed: module.one_data_set(which, number, seed=seed, **small).tolist()
    settings = (design, 3, 0), (design, 3, 0), (design, 4, 0), (design, 3, 1), (other, 3, 0)
    one, same, *others = (made(*each) for each in settings)
    assert one == same and all(one != each for each in others)


@pytest.mark.parametrize(("module", "design", "says"), [
    (local, "n = 500, d = 10", "n = 500, d = 10 rejected at .05: residuals 5/5 0."),
    (type_one, "doubtful crowd", "doubtful crowd rejected at .05: labels 0."),
    (many_classes, "n = 300, d = 3", "n = 300, d = 3 {'1': {'canonical': "),
    (widmann, "near-deterministic", "near-deterministic rejected at .05: C 0."),
], ids=["local", "type_one", "many_classes", "widmann"])
def test_the_command_says_what_it_found(module, design, says, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(module, "FULL", {design: module.FULL[design]})
    monkeypatch.setattr(module, "BLOCK", 2)
    from_command_line(module.__name__, ["--share", "0.0002", "--jobs", "1", "--seed", "5", "--folder", str(tmp_path)])
    assert says in capsys.readouterr().out
    found = json.loads((tmp_path / "summary.json").read_text())
    (each,) = found[RUNS[module][1]].values()
    np.testing.assert_allclose(each["first"][1], module.one_data_set(design, 1, seed=5))


WANTED = {"a": 7, ("b", 1): 3}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run in blocks of three, and `run.made`: the data sets that were made."""

    def run(wanted=WANTED, seed=5, stop=None):
        def one_data_set(design, number, *, seed):
            run.made.append((design[0], number))
            if stop == (design[0], number):
                raise KeyboardInterrupt
            return np.array([seed, ord(design[0]), number])

        run.made = []
        monkeypatch.setitem(sys.modules, "made_up", SimpleNamespace(one_data_set=one_data_set))
        found = in_blocks(tmp_path, wanted, "made_up", seed, block=3, n_jobs=1)
        for design, rows in found.items():
            assert rows.tolist() == [[seed, ord(design[0]), number] for number in range(wanted[design])]

    return run


def test_a_run_goes_on_where_it_stopped(run):
    with pytest.raises(KeyboardInterrupt):
        run(stop=("a", 4))
    assert run.made == [("a", number) for number in range(5)]
    run()
    assert run.made == [("a", 3), ("a", 4), ("a", 5), ("a", 6), ("b", 0), ("b", 1), ("b", 2)]
    run({"a": 6})
    assert not run.made
    run(seed=6)
    assert len(run.made) == 10


def test_the_command_says_which_run_and_writes_its_summary(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "some.one", SimpleNamespace(
        FULL={"a": 20, "b": 4}, BLOCK=3, one_data_set=lambda design, number, *, seed: np.array([number + seed]),
        summarise=lambda results: {name: rows.ravel().tolist() for name, rows in results.items()}, tell=print))
    options = ["--share", "0.25", "--folder", str(tmp_path), "--jobs", "1", "--seed", "3"]
    found = from_command_line("some.one", options)
    wanted = {"a": [3, 4, 5, 6, 7], "b": [3, 4]}  # two at least: they have a spread
    assert found == {"command": "python -m some.one --share 0.25 --seed 3", "seed": 3} | wanted
    assert json.loads((tmp_path / "summary.json").read_text()) == found and str(found) in capsys.readouterr().out
