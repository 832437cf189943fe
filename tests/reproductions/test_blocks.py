"""Blocks: a run goes on where it stopped, and different runs never mix."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from calibtutor.reproductions.blocks import from_command_line, in_blocks

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


def test_the_command_says_which_run_and_writes_its_summary(tmp_path, monkeypatch):
    one_data_set = lambda design, number, *, seed: np.array([number + seed])
    monkeypatch.setitem(sys.modules, "some.one", SimpleNamespace(one_data_set=one_data_set))
    summarise = lambda results: {name: rows.ravel().tolist() for name, rows in results.items()}
    options = ["--share", "0.25", "--folder", str(tmp_path), "--jobs", "1", "--seed", "3"]
    found = from_command_line("some.one", "what it does", summarise, {"a": 20, "b": 4}, arguments=options)
    wanted = {"a": [3, 4, 5, 6, 7], "b": [3, 4]}  # two at least: they have a spread
    assert found == {"command": "python -m some.one --share 0.25 --seed 3", "seed": 3} | wanted
    assert json.loads((tmp_path / "summary.json").read_text()) == found
