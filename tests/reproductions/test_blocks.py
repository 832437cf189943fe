"""Blocks: a run goes on where it stopped, what is half-written does not count, and different runs never mix."""

import json

import numpy as np
import pytest

from calibtutor.reproductions.blocks import from_command_line, in_blocks

WANTED = {"a": 7, "b": 3}
COLUMNS = dict.fromkeys(WANTED, ("seed", "name", "number"))


def row(name, number, seed):
    return np.array([seed, ord(name), number])


@pytest.fixture
def run(tmp_path):
    """A run in blocks of three, and `run.made`: the data sets that were made."""

    def run(wanted=WANTED, columns=COLUMNS, seed=5, block=3, stop=None):
        def make(name, number, *, seed):
            run.made.append((name, number))
            if stop == (name, number):
                raise KeyboardInterrupt
            return row(name, number, seed)

        run.made = []
        found = in_blocks(tmp_path, wanted, make, columns, {"seed": seed}, block=block, n_jobs=1, progress=False)
        for name, rows in found.items():
            assert rows.tolist() == [row(name, number, seed).tolist() for number in range(wanted[name])]

    return run


def test_a_run_goes_on_where_it_stopped(run, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(stop=("a", 7))
    assert run.made == [("a", number) for number in range(8)]
    run()
    assert run.made == [("a", 6), ("a", 7), ("a", 8), ("b", 0), ("b", 1), ("b", 2)]
    run()
    assert not run.made
    run({"a": 4})
    assert not run.made
    block = max(tmp_path.glob("*.npy"), key=lambda file: file.stat().st_mtime_ns)  # the last that was written: b
    block.write_bytes(block.read_bytes()[:50])
    run()
    assert run.made == [("b", 0), ("b", 1), ("b", 2)]


@pytest.mark.parametrize(
    "other", [{"block": 2}, {"seed": 6}, {"columns": dict.fromkeys(WANTED, ("seed", "letter", "number"))}], ids=str
)
def test_different_runs_share_a_folder_and_no_block(run, other):
    run()
    run(**other)
    assert len(run.made) >= 10
    run()
    assert not run.made


def test_the_command_says_which_run_and_writes_its_summary(tmp_path):
    def simulate(folder, *, data_sets, seed, n_jobs):
        assert (folder, n_jobs) == (str(tmp_path), 1)
        return data_sets, seed

    def summarise(results, *, command, seed):
        assert results[1] == seed
        return {"command": command, "data sets": results[0]}

    options = ["--share", "0.25", "--folder", str(tmp_path), "--jobs", "1"]
    for full, share in (({"a": 40, "b": 4}, {"a": 10, "b": 2}), (100, 25)):  # two at least: they have a spread
        found = from_command_line("some.one", "what it does", simulate, summarise, full, seed=3, arguments=options)
        assert found == {"command": "python -m some.one --share 0.25 --seed 3", "data sets": share}
        assert json.loads((tmp_path / "summary.json").read_text()) == found
    from_command_line("some.one", "what it does", simulate, summarise, 9, seed=3, arguments=[*options, "--seed", "4"])
    assert "--seed 4" in (tmp_path / "summary.json").read_text()
