"""``python -m calibtutor audit``: what it reads and refuses, exit codes, no file left behind."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit import command
from calibtutor.audit.table_file import read_table

ROOT = Path(__file__).resolve().parents[2]
CLASSES, PROBS = ["cat", "dog", "eel"], ["p_cat", "p_dog", "p_eel"]
THREE, ONE = ("--y-true", "y", "--y-prob", *PROBS, "--classes", *CLASSES), ("--y-true", "y", "--y-prob", "p")


def cases(n=240):
    """A table as people have it: three classes with names, and what belongs to a row."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1, 1], n)
    return pd.DataFrame(p.round(4), columns=PROBS).assign(
        y=np.array(CLASSES)[drawn(rng, p)], sex=rng.choice(["F", "M"], n), site=rng.choice(["US", "DE", ""], n),
        patient=np.arange(n) // 4, w=rng.random(n) + 0.5, age=rng.normal(50, 9, n).round(1), month=np.arange(n) // 80)


def two(n=240, power=1):
    rng = np.random.default_rng(0)
    p = rng.random(n)
    return pd.DataFrame({"p": p, "y": drawn(rng, p**power)})


def run(*arguments):
    return main(["audit", *map(str, arguments), "--n-resamples", "19"])


def test_every_option_arrives_in_the_audit(tmp_path, capsys):
    cases().to_csv(tmp_path / "a.csv", index=False)
    probs, classes = PROBS[::-1], CLASSES[::-1]  # in another order than in the file
    more = "--groups sex --groups site --features age --cluster patient --weights w --time month --design cv "
    more += "--logits --tolerance .1 --dependence worst"
    options = "--y-true", "y", "--y-prob", *probs, "--classes", *classes, *more.split()
    assert run(tmp_path / "a.csv", *options, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 0
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    printed = capsys.readouterr()
    assert found["conclusions"][0] in " ".join(printed.out.split()) and printed.err == ""
    assert "Calibration audit of a.csv" in (tmp_path / "r.html").read_text(encoding="utf-8")
    t = pd.read_csv(tmp_path / "a.csv")
    direct = ct.audit(t["y"], t[probs], classes=classes, groups=t[["sex", "site"]],
                      features=t[["age"]], cluster=t["patient"], weights=t["w"], time=t["month"], design="cv",
                      logits=True, dependence="worst", tolerance=0.1, n_resamples=19, rng=0)
    columns = {row["what"]: row["column"] for row in found["tables"].pop("columns")}
    assert columns == {"y_true": "y", "y_prob": ", ".join(probs), "classes": ", ".join(classes), "features": "age",
                       "groups": "sex, site", "cluster": "patient", "weights": "w", "time": "month"}
    assert found == json.loads(json.dumps(direct.to_dict()))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "r.html", "r.json"]


def test_the_same_rows_in_any_kind_of_file_are_the_same_table(tmp_path):
    table = cases()
    for name, sep in (("a.csv", ","), ("a.csv.gz", ","), ("a.tsv", "\t"), ("b.csv", ";")):
        table.to_csv(tmp_path / name, index=False, sep=sep)
    table.set_index("patient").to_parquet(tmp_path / "a.parquet")  # an index with a name is a column
    for name, sep in (("a.csv", None), ("a.csv.gz", None), ("a.tsv", None), ("a.parquet", None), ("b.csv", ";")):
        found = read_table(tmp_path / name, sep)[table.columns]
        pd.testing.assert_frame_equal(found.replace({"site": {np.nan: ""}}), table)


@pytest.mark.parametrize(("sep", "between"), [(",", ","), (" *[|] *", " | "), (r"\t", "\t")])
def test_a_column_has_one_type_and_no_name_is_a_gap_where_names_are_read(sep, between, tmp_path, recwarn):
    many = 60_000 if sep == "," else 600  # in pieces a column of many rows would have two types
    text = "y|code|none\n" + "mild|7|1\n" * many + "None|x|NA\n|NA|2\n"
    (tmp_path / "a.csv").write_text(text.replace("|", between), encoding="utf-8")
    table, plain = read_table(tmp_path / "a.csv", sep, ["y", "code", "none"]), read_table(tmp_path / "a.csv", sep)
    assert table["y"].unique().tolist() == ["mild", "None", np.nan] and table["none"].sum() == many + 2
    assert table["code"].unique().tolist() == ["7", "x", "NA"] and plain[["y", "code"]].isna().sum().tolist() == [2, 1]
    assert not recwarn


def test_only_the_gate_makes_exit_code_1_and_it_does_not_pass_what_it_cannot_tell(tmp_path, capsys):
    two(500, power=3).to_csv(tmp_path / "a.csv", index=False)
    two(60).assign(p=0.02, y=[1, *[0] * 59]).to_csv(tmp_path / "few.csv", index=False)
    for name, most, code, says in (("a.csv", None, 0, ""), ("a.csv", "0.001", 1, ": exceeds 0.001"),
                                   ("a.csv", "0.9", 0, "not shown to exceed 0.9"),
                                   ("few.csv", ".5", 1, "without interval, not comparable with 0.5")):
        out, gate = tmp_path / f"{name}{most}.html", ("--fail-if-exceeds", most) if most else ()
        assert run(tmp_path / name, *ONE, "--out", out, *gate) == code and out.exists(), (name, most)
        assert says in capsys.readouterr().err


def test_what_was_there_is_said_to_be_replaced_and_the_file_itself_is_kept(tmp_path, capsys):
    two().to_csv(tmp_path / "a.csv", index=False)
    out, numbers = tmp_path / "r.html", tmp_path / "r.json"
    (tmp_path / "b.csv").hardlink_to(tmp_path / "a.csv")
    (tmp_path / "c.csv").symlink_to(tmp_path / "b.csv")
    numbers.write_text("before", encoding="utf-8")
    assert run(tmp_path / "a.csv", *ONE, "--out", out, "--json", numbers) == 0
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert lines == [f"Report: {out}", f"Numbers: {numbers} (replaced what was there)"]
    before = (tmp_path / "a.csv").read_bytes()
    for other in (tmp_path / "b.csv", tmp_path / "c.csv", f"{tmp_path}/./r.html"):
        assert run(tmp_path / "a.csv", *ONE, "--out", out, "--json", other) == 2
        assert "expected different files" in capsys.readouterr().err
    assert (tmp_path / "a.csv").read_bytes() == before


def test_where_nothing_may_be_written_or_drawn_it_is_said_before_anything_is_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "read_table", lambda *_: pytest.fail("it was read"))
    os.mkfifo(tmp_path / "r.html")
    assert run(tmp_path / "a.csv", *ONE, "--out", tmp_path / "r.html") == 2
    assert "a device or a pipe" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "calibtutor.audit.figures", None)  # as without matplotlib
    assert run("a.csv", *ONE, "--out", tmp_path / "other.html") == 2
    assert "calibtutor.audit.figures" in capsys.readouterr().err


def test_an_interrupt_is_one_line_and_leaves_nothing(tmp_path, capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    two().to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr(command, "write", interrupt)
    assert run(tmp_path / "a.csv", *ONE, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 130
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == f"{command.PROG}: interrupted, nothing is written\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("module", [
    None, "numpy", *(pytest.param(name, marks=pytest.mark.slow) for name in ("argparse", "pandas", "matplotlib"))])
def test_the_shell_sees_the_exit_code_and_one_line(module, tmp_path):
    text = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise ImportError('Ctrl-C was lost')"
    (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    line = [sys.executable, "-m", "calibtutor", "audit", "a.csv", *ONE, "--out", "r.html"]
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # also of tests that run in the background
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=env, preexec_fn=heard)
    assert done.returncode == (130 if module else 2) and done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith("python -m calibtutor") and ("interrupted" in done.stderr) == bool(module)


def changed(column, row, value):
    frame = cases().astype(object)
    frame.loc[row, column] = value
    return frame


BAD = {  # table, options, column or option that is named, row or None
    "no such file": (None, THREE, "a.csv", None),
    "no rows": (two(0), ONE, "a.csv", None),
    "no column": (two(), THREE, "'p_cat'", None),
    "one name for two columns": (pd.concat([two(), two()], axis=1), ONE, "'p'", None),
    "the label as a group": (cases(), (*THREE, "--groups", "sex", "y"), "groups", None),
    "a word": (changed("p_dog", 7, "half"), THREE, "--y-prob: row 7", 7),
    "decimal commas": (changed("p_dog", 7, "0,5"), THREE, "decimal=','", 7),
    "semicolons": ("p;y\n0,5;1\n0,25;0\n", ONE, "longer ones; does the first line name", None),
    "no names, twice": ("1,1\n0,1\n0,0\n", ONE, "column '1'", None),
    "no table": ('p,y\n.5,"1\n', ONE, "(--sep)", None),
    "commas between classes": (cases(), (*THREE[:-3], ",".join(CLASSES)), "blanks separate", None),
    "classes as words": (cases().assign(y=1), (*THREE[:-3], "01", "02", "03"), "(1 is not 01)", 0),
    "no label": (changed("y", 7, "None"), THREE, "row 7 is 'None'", 7),
    "no number": (changed("w", 7, "None"), (*THREE, "--weights", "w"), "--weights: row 7 is nan", 7),
    "a negative weight": (changed("w", 6, -1), (*THREE, "--weights", "w"), "--weights", 6),
    "few draws": (cases(), (*THREE, "--n-resamples", "18"), "--n-resamples", None),
    "a gate that is no number": (cases(), (*THREE, "--fail-if-exceeds", "nan"), "--fail-if-exceeds", None),
    "no folder for the report": (cases(), (*THREE, "--out", "none/r.html"), "none/r.html", None)}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_that_names_column_and_row_and_nothing_is_written(name, tmp_path, capsys, monkeypatch):
    table, options, where, row = BAD[name]
    monkeypatch.chdir(tmp_path)
    if table is not None:
        Path("a.csv").write_text(table if isinstance(table, str) else table.to_csv(index=False), encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    first = ["--n-resamples", "19", "--out", "r.html", "--json", "r.json"]  # of two the last one counts
    assert main(["audit", "a.csv", *first, *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and where in printed.err, printed.err
    assert row is None or f"row {row} " in printed.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["a.parquet", "a.csv.gz", "a.xlsx", "lengths.csv", "longer.csv"])
def test_a_file_that_is_no_table_is_refused(name, tmp_path):
    content = {"lengths.csv": b"p,y\n.5,1\n.5,1,7,8\n", "longer.csv": b"p,y\n.5,1,7\n.4,0,8\n"}
    (tmp_path / name).write_bytes(content.get(name, b"PAR1 this is none PK"))
    with pytest.raises(ct.InputError) as refused:
        read_table(tmp_path / name)
    assert refused.value.argument == name  # an uploaded file lies in a folder that says nothing


def test_codes_stay_codes_and_the_page_says_what_was_read_as_what(tmp_path, capsys):
    rng = np.random.default_rng(0)
    p, site = rng.random(400), rng.integers(0, 3, 400)
    lines = [f"{'01' if u < q else '00'},{q:.3f},{('01', '1', '02')[k]},{i // 5:03}"
             for i, (u, q, k) in enumerate(zip(rng.random(400), p, site, strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(["y,p,site,ward", *lines]), encoding="utf-8")
    options = ["--y-true", "y", "--y-prob", "p", "--classes", "00", "01", "--groups", "site", "--cluster", "ward"]
    outputs = ["--out", tmp_path / "r.html", "--json", tmp_path / "r.json"]
    assert run(tmp_path / "a.csv", *options, "--n-resamples", "99", *outputs) == 0
    tables = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["tables"]
    assert [(each["what"], each["read as"]) for each in tables["columns"]] == [
        ("y_true", "words"), ("y_prob", "numbers"), ("classes", ""), ("groups", "words"),
        ("cluster", "words")]
    asked = " ".join(each["question"] for each in tables["questions"])
    assert "site = 01" in asked and "site = 1" in asked and "site = 02" in asked
    table = read_table(tmp_path / "a.csv", words=["y", "site", "ward"])
    assert table["ward"].iloc[5] == "001" and sorted(table["site"].unique()) == ["01", "02", "1"]
