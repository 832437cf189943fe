"""Every stored summary is that of the full run of its command, whose data sets made again give its numbers."""

import json

import numpy as np
import pytest
from reproductions import clusters, landmarks

from calibtutor.reproductions import local, shift, widmann
from calibtutor.reproductions.blocks import stored_summary

# What a run depends on beside its designs; what it holds for each; and what that is of the full run.
SETTINGS = {
    local: {"seed": local.SEED, "n_resamples": local.RESAMPLES, "levels": list(local.LEVELS)},
    widmann: {"seed": widmann.SEED, "n": widmann.N, "n_resamples": widmann.RESAMPLES},
    shift: {"seed": shift.SEED, "n": 1000, "data_sets": shift.TRIALS, "metrics": list(shift.METRICS)},
    clusters: {"seed": clusters.SEED, "n_resamples": clusters.RESAMPLES},
    landmarks: {"seed": landmarks.SEED, "n_resamples": landmarks.RESAMPLES},
}
HOLDS = {
    local: lambda found: {k: (e["data_sets"], list(e["rejected"])) for k, e in found["studies"].items()},
    widmann: lambda found: {k: (e["data_sets"], *e["estimates"], *e["rejected"]) for k, e in found["models"].items()},
    shift: lambda found: {rule["bandwidth"]: list(rule["first"]) for rule in found["rules"]},
    clusters: lambda found: {k: (e["data_sets"], sum(e["counts"])) for k, e in found["cells"].items()},
    landmarks: lambda found: {k: (e["data_sets"], list(e["rejected"])) for k, e in found["designs"].items()},
}
FULL = {
    local: {name: (study.data_sets, list(study.columns)) for name, study in local.STUDIES.items()},
    widmann: {name: (n, *widmann.ESTIMATES, *widmann.TESTS) for name, n in widmann.DATA_SETS.items()},
    shift: dict.fromkeys(shift.BANDWIDTHS, shift.NAMES),
    clusters: {name: (cell.data_sets, cell.data_sets) for name, cell in clusters.CELLS.items()},
    landmarks: {name: (design.data_sets, design.columns) for name, design in landmarks.DESIGNS.items()},
}


def name_of(module):
    return module.__name__.removeprefix("calibtutor.reproductions.")


def first_of(module):
    """(design, number, options, row) of what was kept of the first data sets."""
    found = stored_summary(name_of(module))
    if module is shift:
        for rule in found["rules"]:
            for name, row in list(rule["first"].items())[::4]:
                yield name, 0, {"bandwidth": rule["bandwidth"]}, row
        return
    (designs,) = (each for each in found.values() if isinstance(each, dict))
    for name, each in designs.items():
        for number, row in enumerate(each["first"][: 1 if module in (clusters, landmarks) else 2]):
            yield name, number, {}, row


@pytest.mark.parametrize("module", SETTINGS, ids=name_of)
def test_the_stored_summary_is_that_of_the_full_run(module):
    found = stored_summary(name_of(module))
    assert found["command"] == f"python -m {module.__name__} --share 1 --seed {module.SEED}"
    assert {name: found[name] for name in SETTINGS[module]} == SETTINGS[module]
    assert HOLDS[module](found) == FULL[module]


def again(module, slow=False):
    for name, number, options, row in first_of(module):
        if (module is landmarks and landmarks.DESIGNS[name].n > 1000) == slow:
            # A draw that single precision lifts above the observed statistic, or lets below it, is one step.
            near = {"rtol": 0, "atol": 0.0101} if module is landmarks else {"rtol": 1e-6 if module is shift else 1e-9}
            made = module.one_data_set(name, number, **options)
            np.testing.assert_allclose(made, np.atleast_1d(row), **near, err_msg=f"{name} {number}")


@pytest.mark.slow
@pytest.mark.parametrize("module", SETTINGS, ids=name_of)
def test_the_first_data_sets_made_again_give_the_stored_numbers(module):
    again(module)


@pytest.mark.slow
def test_so_do_many_rows_on_landmarks():
    again(landmarks, slow=True)


@pytest.mark.parametrize(("module", "name", "other", "small"), [
    (local, "figure5-n20", "figure5-n40", {"n_resamples": 9}),
    (widmann, "M2", "M3", {"n": 12, "n_resamples": 9}),
    (shift, "alpha-03", "alpha-04", {"n": 50}),
], ids=["local", "widmann", "shift"])  # fmt: skip
def test_a_data_set_depends_on_design_number_and_seed(module, name, other, small):
    one, same, *others = (
        module.one_data_set(*which, seed=seed, **small).tolist()
        for which, seed in (((name, 3), 0), ((name, 3), 0), ((name, 4), 0), ((name, 3), 1), ((other, 3), 0))
    )
    assert one == same and all(one != each for each in others)


COMMANDS = [  # its designs, some of them, the share of the full run, what is printed (clusters: test_cluster_size.py)
    (local, "STUDIES", ["figure5-widths", "figure5-n20"], "0.002", "figure5-n20 rejected at .05: residuals 0.2"),
    (widmann, "DATA_SETS", ["near-deterministic"], "0.0002", "near-deterministic rejected at .05: C 0."),
    (landmarks, "DESIGNS", ["M3, n = 250"], "0.02", "M3, n = 250: 0.5 × median, exact 1.00; 0.5 × median, 32 1.00"),
]


@pytest.mark.parametrize(("module", "table", "names", "share", "says"), COMMANDS, ids=["local", "widmann", "landmarks"])
def test_the_command_says_what_it_found(module, table, names, share, says, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(module, table, {name: getattr(module, table)[name] for name in names})
    monkeypatch.setattr(module, "BLOCK", 2)
    module.main(["--share", share, "--jobs", "1", "--seed", "5", "--folder", str(tmp_path)])
    assert says in capsys.readouterr().out
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["command"] == f"python -m {module.__name__} --share {share} --seed 5"
    designs = next(each for each in found.values() if isinstance(each, dict))
    assert list(designs) == names
    made = module.one_data_set(names[-1], 1, seed=5)
    np.testing.assert_allclose(np.atleast_1d(designs[names[-1]]["first"][1]), made)
