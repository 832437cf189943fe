"""Two sets of predictions side by side: intervals against scipy and simulation, refusals, the command, the guide."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax
from scipy.stats import ttest_rel

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit.comparison import DIFFERENCE, GAP
from calibtutor.audit.intervals import cox_line, rms_error

PAGE = Path(__file__).parents[2] / "notebooks/your_own_predictions.md"
UNITS, ROWS = np.arange(900) // 10, np.arange(900)


def drawn(seed, slope=1.0, per=1):
    """Labels, what a model says that sees half, in log-odds stretched by `slope`, and what sees the other half."""
    one, other, rest = np.random.default_rng(seed).normal(size=(3, 900 // per)).repeat(per, axis=1)
    y = np.random.default_rng(seed + 1000).random(900) < expit(one + other + rest / 2)
    return y, expit(0.8 * slope * one), expit(0.8 * other)


def table(*given, **options):
    return ct.compare(*given, **options).table.set_index("quantity")


def test_intervals_of_means_are_students_of_pairs_in_any_order_of_clusters_and_of_samples():
    (y, p, q), order = drawn(0), np.random.default_rng(1).permutation(900)
    found, clusters = table((y, p), (y, q)), table((y, p), (y, q), cluster=UNITS)
    squares, sums = ((q - y) ** 2, (p - y) ** 2), (np.bincount(UNITS, each) / 10 for each in (q, p))
    for some, name, pair in ((found, "Brier score", squares), (clusters, GAP, sums)):
        assert some.loc[name, DIFFERENCE[1:]].tolist() == pytest.approx([*ttest_rel(*pair).confidence_interval()])
    pd.testing.assert_frame_equal(table((y, p), (y[order], q[order]), cluster=(ROWS, order)), found)
    apart = ct.compare((y, p), (y[::-1], q[::-1]))
    reach, (_, low, high) = 1.96 * np.hypot(np.std(p - y), np.std(q - y)) / 30, apart.table.loc[2, DIFFERENCE]
    assert high - low == pytest.approx(2 * reach, rel=0.01) and "900 + 900 cases, independent" in apart.conclusions[0]


def test_slopes_and_squares_are_those_of_the_audit_and_equal_models_do_not_differ():
    (y, p, _), (x, q, _) = drawn(0, 2), drawn(1)
    found, sides = table((y, p), (x, q)), [(y * 1, p, np.ones(900)), (x * 1, q, np.ones(900))]
    for name, side in zip(("first", "second"), sides, strict=True):
        sizes = [*cox_line(*side), rms_error(*side)[0]]
        assert found[name][["intercept", "slope", "RMS error"]].tolist() == pytest.approx([each[0] for each in sizes])
    one, two = (cox_line(*side)[1] for side in sides)
    value, low, high = found.loc["slope", DIFFERENCE]
    assert value == pytest.approx(two[0] - one[0])
    assert high - low == pytest.approx(np.hypot(one[2] - one[1], two[2] - two[1]), rel=1e-3)
    first, second = ct.compare((y, p), (y, p.copy())).conclusions
    assert "not shown to differ, .000" in first and second.startswith("Not shown to differ: said, intercept")


@pytest.mark.parametrize(("slope", "per", "other"), [  # the other 1: of the same scores
    (2, 1, 1), (1, 10, 2), pytest.param(1, 1, 2, marks=pytest.mark.slow)])
def test_the_interval_of_squares_is_as_wide_as_a_simulation_asks_for_and_the_others_cover(slope, per, other):
    both = [(drawn(seed, slope, per), drawn(seed, 1, per)[other]) for seed in range(80)]
    pairs = [((y, p), (y, q)) for (y, p, _), q in both]
    options = {"cluster": UNITS} if per > 1 else {}
    found = np.array([table(*pair, **options)[DIFFERENCE].drop("RMS error") for pair in pairs], dtype=float)
    value, low, high = np.moveaxis(found, 2, 0)  # (seed, quantity)
    assert 0.8 < np.sqrt(np.mean((high - low)[:, 5] ** 2)) / 3.93 / value[:, 5].std() < 1.35
    if slope == 1:
        assert (((low <= 1e-9) & (high >= -1e-9)).mean(axis=0) > 0.86).all()


def test_few_cases_that_differ_leave_no_interval_and_what_is_no_pair_is_refused():
    rng, (y, p, _) = np.random.default_rng(0), drawn(0)
    z = 3 * rng.normal(size=(600, 3))
    x = np.array([rng.choice(3, p=each) for each in softmax(z, axis=1)])
    other = np.where(np.arange(600)[:, None] < 6, z[:, ::-1], z)
    cooler, few = (table((x, z), (x, each), logits=True).loc[["happened", GAP], DIFFERENCE] for each in (z / 2, other))
    assert cooler.loc["happened"].tolist() == [0, 0, 0] and cooler.notna().all(axis=None)
    assert few[DIFFERENCE[1:]].isna().all(axis=None)
    good, bad = (y, p), (y, np.where(ROWS == 7, np.nan, p))
    for second, options, match in ((bad, {}, "^y_prob of second: row 7"), (3, {}, "^second: .*a pair"),
                                   ((x, z), {"logits": True}, "same two classes"), (good, {"names": "aa"}, "^names"),
                                   (good, {"cluster": UNITS[1:]}, "^cluster and"),
                                   (good, {"cluster": UNITS // 4}, "at least 30")):
        with pytest.raises(ct.InputError, match=match):
            ct.compare(good, second, **options)


def test_the_command_gives_what_the_function_gives_of_one_file_and_of_two_and_the_guide_what_it_says(tmp_path, capsys):
    y, p, q = drawn(0, 2)
    old, new = str(tmp_path / "old.npz"), str(tmp_path / "new.npz")
    np.savez(old, y=y, p=p, q=q, site=UNITS)
    np.savez(new, y=y, p=q)
    out, numbers = tmp_path / "r.html", tmp_path / "r.json"
    line = ["--y-true", "y", "--y-prob", "p", "--out", str(out), "--json", str(numbers)]
    for more, names in (([old, "--than", "q", "--cluster", "site"], ("p", "q")), ([old, new], ("old", "new"))):
        assert main(["compare", *more, *line]) == 0
        wanted = ct.compare((y, p), (y, q), names=names, cluster=UNITS if "site" in more else None)
        assert json.loads(numbers.read_text(encoding="utf-8")) == wanted.to_dict()
        assert f"<h1>{names[0]} beside {names[1]}</h1>" in out.read_text(encoding="utf-8")
    for bad, match in (([old], "SECOND and --than"), ([old, "none.npz"], "none.npz"), ([old, "--than", "x"], "'x'")):
        assert main(["compare", *bad, *line]) == 2 and match in capsys.readouterr().err
    page = PAGE.read_text(encoding="utf-8")
    (code,) = (each for each in re.findall(r"```py\n(.*?)```", page, flags=re.S) if "compare(" in each)
    exec(code, made := {})
    assert all(each in " ".join(page.split()) for each in made["found"].conclusions)
