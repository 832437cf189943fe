"""Two sets of predictions side by side: intervals against scipy and simulation, words, the command."""

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
UNITS = np.arange(900) // 10


def drawn(seed, slope=1.0, n=900, per=1):
    """Labels, what a model says that sees half, in log-odds stretched by `slope`, and what another half says."""
    rng = np.random.default_rng(seed)
    one, other, common = (np.repeat(rng.normal(size=n // per), per) for _ in range(3))
    return rng.random(n) < expit(one + other + common / 2), expit(0.8 * slope * one), expit(0.8 * slope * other)


def table(*given, **options):
    return ct.compare(*given, **options).table.set_index("quantity")


def test_intervals_of_means_are_students_whatever_the_order_of_paired_rows():
    (y, p, q), order = drawn(0), np.random.default_rng(1).permutation(900)
    found = table((y, p), (y, q))
    square = ttest_rel((q - y) ** 2, (p - y) ** 2).confidence_interval()
    assert found.loc["Brier score", DIFFERENCE[1:]].tolist() == pytest.approx([*square])
    again = table((y, p), (y[order], q[order]), cluster=(np.arange(900), order))
    pd.testing.assert_frame_equal(again, found)
    sums = ttest_rel(*(np.bincount(UNITS, each) / 10 for each in (q - y, p - y))).confidence_interval()
    clusters = table((y, p), (y, q), cluster=UNITS)
    assert clusters.loc[GAP, DIFFERENCE[1:]].tolist() == pytest.approx([*sums])
    apart = ct.compare((y, p), (y[::-1], q[::-1]))
    reach = 1.963 * np.hypot(np.std(p - y), np.std(q - y)) / 30
    assert np.diff(apart.table.set_index("quantity").loc[GAP, DIFFERENCE[1:]])[0] == pytest.approx(2 * reach, rel=0.01)
    assert "900 + 900 cases, independent" in apart.conclusions[0] and "(cluster)" in apart.limits[-1]


def test_slopes_and_squares_are_those_of_the_audit_and_equal_models_do_not_differ():
    (y, p, _), (x, q, _) = drawn(0, 2), drawn(1)
    found, ones = table((y, p), (x, q)), np.ones(900)
    for side, hit, said in (("first", y * 1, p), ("second", x * 1, q)):
        sizes = *cox_line(hit, said, ones), rms_error(hit, said, ones)[0]
        wanted = [estimate for estimate, *_ in sizes]
        assert found[side][["intercept", "slope", "RMS error"]].tolist() == pytest.approx(wanted)
    lines = [cox_line(hit, said, ones)[1] for hit, said in ((y * 1, p), (x * 1, q))]
    slope, low, high = found.loc["slope", DIFFERENCE]
    assert slope == pytest.approx(lines[1][0] - lines[0][0])
    assert (high - low) == pytest.approx(np.hypot(*(high - low for _, low, high in lines)), rel=1e-3)
    assert not table((y, p), (y, p.copy()))[DIFFERENCE].fillna(0).abs().gt(1e-9).any(axis=None)


@pytest.mark.parametrize(("slope", "per"), [(1, 1), (2, 1), (1, 10)])
def test_the_variance_of_the_squares_difference_is_what_simulation_finds(slope, per):
    rows = []
    for seed in range(120):
        (y, p, _), (_, _, q) = drawn(seed, slope, per=per), drawn(seed, per=per)
        found = table((y, p), (y, q), cluster=UNITS if per > 1 else None)
        value, low, high = found.loc["squared RMS error", DIFFERENCE]
        rows.append((value, (high - low) / 3.93))
    value, deviation = np.array(rows).T
    assert 0.8 < np.sqrt(np.mean(deviation**2)) / value.std() < 1.35


def test_no_interval_where_few_cases_differ_and_none_is_needed_where_none_can():
    rng = np.random.default_rng(0)
    z = 3 * rng.normal(size=(600, 3))
    y = np.array([rng.choice(3, p=each) for each in softmax(z, axis=1)])
    cooler = table((y, z), (y, z / 2), logits=True)
    assert cooler.loc["happened", DIFFERENCE].tolist() == [0, 0, 0] and cooler.loc[GAP, DIFFERENCE].notna().all()
    other = z.copy()
    other[:6] = z[:6, ::-1]
    few = table((y, z), (y, other), logits=True)
    assert few.loc[["happened", GAP], DIFFERENCE[1:]].isna().all(axis=None) and "no interval" in few.loc[GAP, "note"]


@pytest.mark.parametrize(("first", "second", "options", "match"), [
    ("good", ([0, 1], [0.5, np.nan]), {}, "^y_prob of second: row 1"), ("good", 3, {}, "^second: .*a pair"),
    ("good", ([0, 2, 1] * 30, [[0.2, 0.3, 0.5]] * 90), {}, "the same two classes"),
    ("good", "good", {"names": "aa"}, "^names"), ("good", "good", {"cluster": [1] * 899}, "^cluster and y_true"),
    ("good", "good", {"cluster": UNITS // 4}, "at least 30 clusters")])  # fmt: skip
def test_what_is_refused_is_named(first, second, options, match):
    first, second = (drawn(0)[:2] if each == "good" else each for each in (first, second))
    with pytest.raises(ct.InputError, match=match):
        ct.compare(first, second, **options)


def test_the_command_gives_what_the_function_gives_of_one_file_and_of_two(tmp_path, capsys):
    y, p, q = drawn(0, 2)
    for name, said in (("old", p), ("new", q)):
        np.savez(tmp_path / f"{name}.npz", y=y, p=said, q=q, site=UNITS)
    old, new, out = tmp_path / "old.npz", tmp_path / "new.npz", ["--out", str(tmp_path / "r.html"), "--y-true", "y"]
    out += ["--json", str(tmp_path / "r.json"), "--y-prob", "p"]
    for more, names in (([old, "--than", "q", "--cluster", "site"], ("p", "q")), ([old, new], ("old", "new"))):
        assert main(["compare", *map(str, more), *out]) == 0
        wanted = ct.compare((y, p), (y, q), names=names, cluster=UNITS if "site" in more else None)
        assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == json.loads(json.dumps(wanted.to_dict()))
        assert f"<h1>{names[0]} beside {names[1]}</h1>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    for bad, match in (([old], "SECOND and --than"), ([old, "none.npz"], "none.npz"), ([old, "--than", "x"], "'x'")):
        assert main(["compare", *map(str, bad), *out]) == 2 and match in capsys.readouterr().err


def test_the_example_of_the_guide_says_what_the_guide_says():
    page = PAGE.read_text(encoding="utf-8")
    (code,) = (each for each in re.findall(r"```py\n(.*?)```", page, flags=re.S) if "compare(" in each)
    exec(code, names := {})
    assert all(each in " ".join(page.split()) for each in names["found"].conclusions)
