"""``python -m calibtutor audit``: what it reads and refuses, exit codes, no file left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit import command, report
from calibtutor.audit.table_file import arguments_of, read_table

ROOT = Path(__file__).resolve().parents[2]
N, CLASSES = 240, ["cat", "dog", "eel"]
PROBS = ["p_cat", "p_dog", "p_eel"]
THREE, ONE = ("--y-true", "y", "--y-prob", *PROBS, "--classes", *CLASSES), ("--y-true", "y", "--y-prob", "p")


def cases(n=N, seed=0):
    """A table as people have it: three classes with names, and what belongs to a row."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1, 1], n)
    said = pd.DataFrame(p.round(4), columns=PROBS)
    y = np.array(CLASSES)[[rng.choice(3, p=row) for row in p]]
    return said.assign(y=y, sex=rng.choice(["F", "M"], n), site=rng.choice(["US", "DE", ""], n),
                       patient=np.arange(n) // 4, w=rng.random(n) + 0.5, age=rng.normal(50, 9, n).round(1),
                       month=np.arange(n) // 80)  # fmt: skip


def two(n=N, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return pd.DataFrame({"p": p, "y": (rng.random(n) < p).astype(int), "patient": np.arange(n) // 4})


def run(*arguments):
    return main(["audit", *map(str, arguments), "--n-resamples", "19"])


def numbers_of(tmp_path, file, *options):
    assert run(file, *options, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 0
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    del found["tables"]["columns"]
    return found


# --- what it reads ---


def test_every_option_arrives_in_the_audit(tmp_path, capsys):
    cases().to_csv(tmp_path / "a.csv", index=False)
    out, numbers = tmp_path / "report.html", tmp_path / "report.json"
    options = "--groups sex site --features age --cluster patient --weights w --time month --design cv"
    assert run(tmp_path / "a.csv", *THREE, *options.split(), "--tolerance", ".1", "--out", out, "--json", numbers) == 0
    printed = capsys.readouterr()
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["conclusions"][0] in " ".join(printed.out.split()) and str(out) in printed.out and printed.err == ""
    assert "Calibration audit of a.csv" in out.read_text(encoding="utf-8")
    t = pd.read_csv(tmp_path / "a.csv")
    direct = ct.audit(t["y"], t[PROBS], classes=CLASSES, groups=t[["sex", "site"]],
                      features=t[["age"]], cluster=t["patient"], weights=t["w"], time=t["month"], design="cv",
                      tolerance=0.1, n_resamples=19, rng=0)  # fmt: skip
    columns = {row["what"]: row["column"] for row in found["tables"].pop("columns")}
    assert columns == {"y_true": "y", "y_prob": ", ".join(PROBS), "classes": ", ".join(CLASSES), "features": "age",
                       "groups": "sex, site", "cluster": "patient", "weights": "w", "time": "month"}  # fmt: skip
    assert found == json.loads(json.dumps(direct.to_dict()))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "report.html", "report.json"]


def test_the_same_rows_in_any_kind_of_file_give_the_same_audit(tmp_path):
    table = cases()
    for name, sep in (("a.csv", ","), ("a.csv.gz", ","), ("a.tsv", "\t"), ("b.csv", ";")):
        table.to_csv(tmp_path / name, index=False, sep=sep)
    table.set_index("patient").to_parquet(tmp_path / "a.parquet")  # an index with a name is a column
    wanted = numbers_of(tmp_path, tmp_path / "a.csv", *THREE, "--cluster", "patient")
    for name, more in (("a.csv.gz", ()), ("a.tsv", ()), ("a.parquet", ()), ("b.csv", ("--sep", ";"))):
        assert numbers_of(tmp_path, tmp_path / name, *THREE, "--cluster", "patient", *more) == wanted, name


def test_options_of_many_names_may_be_given_twice(tmp_path):
    cases().to_csv(tmp_path / "a.csv", index=False)
    wanted = numbers_of(tmp_path, tmp_path / "a.csv", *THREE, "--groups", "sex", "site")
    again = "--groups sex --groups site --groups sex".split()
    assert numbers_of(tmp_path, tmp_path / "a.csv", *THREE, *again) == wanted


def test_columns_are_classes_in_the_order_of_classes_whatever_the_order_in_the_file():
    table = cases()
    wanted = arguments_of(table, "y", PROBS, classes=CLASSES)
    turned = arguments_of(table[["p_eel", "y", "p_cat", "p_dog"]], "y", PROBS[::-1], classes=CLASSES[::-1])
    one, other = (ct.as_predictions(**given, normalise=True) for given in (wanted, turned))
    assert one[1] == pytest.approx(other[1][:, ::-1]) and (one[0] == 2 - other[0]).all()


def test_one_column_is_the_probability_of_1_or_of_the_second_class(tmp_path):
    table = two()
    table.assign(word=np.where(table["y"] == 1, "ill", "well")).to_csv(tmp_path / "a.csv", index=False)
    plain = numbers_of(tmp_path, tmp_path / "a.csv", *ONE)
    words = numbers_of(tmp_path, tmp_path / "a.csv", "--y-true", "word", "--y-prob", "p", "--classes", "well", "ill")
    assert plain["pvalue"] == words["pvalue"] and plain["tables"]["size"] == words["tables"]["size"]


# --- the gate ---


def test_only_the_gate_makes_exit_code_1_and_it_does_not_pass_what_it_cannot_tell(tmp_path, capsys):
    rng = np.random.default_rng(0)
    p = rng.random(500)
    pd.DataFrame({"p": p, "y": (rng.random(500) < p**3).astype(int)}).to_csv(tmp_path / "a.csv", index=False)
    two(60).assign(p=0.02, y=[1, *[0] * 59]).to_csv(tmp_path / "few.csv", index=False)
    for name, most, code, says in (("a.csv", None, 0, ""), ("a.csv", "0.001", 1, ": exceeds 0.001"),
                                   ("a.csv", "0.9", 0, "not shown to exceed 0.9"),
                                   ("few.csv", ".5", 1, "without interval, not comparable with 0.5")):  # fmt: skip
        out, gate = tmp_path / f"{name}{most}.html", ("--fail-if-exceeds", most) if most else ()
        assert run(tmp_path / name, *ONE, "--out", out, *gate) == code and out.exists(), (name, most)
        assert says in capsys.readouterr().err


# --- what it writes over ---


def test_what_was_there_is_said_to_be_replaced_and_the_file_itself_is_kept(tmp_path, capsys):
    two().to_csv(tmp_path / "a.csv", index=False)
    other, out, numbers = tmp_path / "b.csv", tmp_path / "r.html", tmp_path / "r.json"
    other.hardlink_to(tmp_path / "a.csv")
    (tmp_path / "c.csv").symlink_to(other)
    numbers.write_text("before", encoding="utf-8")
    assert run(tmp_path / "a.csv", *ONE, "--out", out, "--json", numbers) == 0
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert lines == [f"Report: {out}", f"Numbers: {numbers} (replaced what was there)"]
    assert run(tmp_path / "a.csv", *ONE, "--out", out) == 0 and "(replaced" in capsys.readouterr().out.splitlines()[-1]
    before = (tmp_path / "a.csv").read_bytes()
    for name in ("b.csv", "c.csv"):
        for outputs in (("--out", tmp_path / name), ("--out", out, "--json", tmp_path / name)):
            assert run(tmp_path / "a.csv", *ONE, *outputs) == 2
            assert "expected different files" in capsys.readouterr().err
    assert run(tmp_path / "a.csv", *ONE, "--out", out, "--json", f"{tmp_path}/./r.html") == 2
    assert (tmp_path / "a.csv").read_bytes() == before


def test_where_nothing_may_be_written_it_is_said_before_anything_is_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "read_table", lambda *_: pytest.fail("it was read"))
    os.mkfifo(tmp_path / "r.html")
    assert run(tmp_path / "a.csv", *ONE, "--out", tmp_path / "r.html") == 2
    assert "a device or a pipe" in capsys.readouterr().err


@pytest.mark.parametrize("where", [(command, "audit"), (report, "page"), (report, "write")])
def test_an_interrupt_is_one_line_and_leaves_nothing(where, tmp_path, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    two().to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr(*where, interrupt)
    assert run(tmp_path / "a.csv", *ONE, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 130
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.splitlines()[-1:] == [f"{command.PROG}: interrupted, nothing is written"]
    assert printed.err.count("\n") == 1 and [each.name for each in tmp_path.iterdir()] == ["a.csv"]


# --- what it refuses ---


def changed(column, row, value):
    frame = cases().astype(object)
    frame.loc[row, column] = value
    return frame


def text(words):
    return lambda path: path.write_text(words, encoding="utf-8")


BAD = {
    # name: (the table or how the file is made, options, column or option, row or None)
    "no such file": (lambda path: None, THREE, "a.csv", None),
    "a header alone": (text("p,y\n"), ONE, "a.csv", None),
    "rows of other lengths": (text("p,y\n.5,1\n.5,1,7,8\n"), ONE, "a.csv", None),
    "rows longer than the header": (text("p,y\n.5,1,7\n.4,0,8\n"), ONE, "a.csv", None),
    "no label": (two().drop(columns="y"), ONE, "'y'", None),
    "no probability": (two(), THREE, "'p_cat'", None),
    "the label as a group": (cases(), (*THREE, "--groups", "sex", "y"), "groups", None),
    "the label as a feature": (
        cases().assign(z=cases()["y"]),
        (*THREE, "--features", "age", "z"),
        "features['z']",
        None,
    ),
    "the label as time": (two(), (*ONE, "--time", "y"), "--time", None),
    "columns apart otherwise": (text("p;y\n.5;1\n.5;0\n"), ONE, "--sep", None),
    "a negative seed": (two(), (*ONE, "--rng", "-1"), "--rng", None),
    "a word": (changed("p_dog", 7, "0,5"), THREE, "--y-prob", 7),
    "a gap": (changed("p_eel", 11, None), THREE, "--y-prob", 11),
    "an unknown label": (changed("y", 9, "fox"), THREE, "--y-true", 9),
    "no label in a row": (changed("y", 9, None), THREE, "--y-true", 9),
    "words beside one column": (two().replace({"y": {0: "no", 1: "yes"}}), ONE, "--y-true", 0),
    "a negative weight": (changed("w", 6, -1), (*THREE, "--weights", "w"), "--weights", 6),
    "few clusters": (cases(), (*THREE, "--cluster", "sex"), "--cluster", None),
    "no time": (changed("month", 6, None), (*THREE, "--time", "month"), "--time", 6),
    "a tolerance beyond 1": (cases(), (*THREE, "--tolerance", "5"), "--tolerance", None),
    "few draws": (cases(), (*THREE, "--n-resamples", "18"), "--n-resamples", None),
    "no folder for the report": (cases(), (*THREE, "--out", "none/r.html"), "none/r.html", None),
    "the file as report": (cases(), (*THREE, "--out", "a.csv"), "--out", None),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_that_names_column_and_row_and_nothing_is_written(name, tmp_path, capsys, monkeypatch):
    make, options, where, row = BAD[name]
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "a.csv") if callable(make) else make.to_csv("a.csv", index=False)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    more = [] if "--n-resamples" in options else ["--n-resamples", "19"]
    more += [] if "--out" in options else ["--out", "r.html"]
    assert main(["audit", "a.csv", *options, *more, "--json", "r.json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and where in printed.err, printed.err
    assert row is None or f"row {row} " in printed.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_that_is_none_is_refused(tmp_path):
    for name in ("a.parquet", "a.csv.gz", "a.xlsx"):
        (tmp_path / name).write_bytes(b"PAR1 this is none PK")
        with pytest.raises(ct.InputError) as refused:
            read_table(tmp_path / name)
        assert refused.value.argument == name  # an uploaded file lies in a folder that says nothing


@pytest.mark.parametrize("wrong", [(), ("a.csv", *ONE), ("a.csv", *ONE, "--out", "r.html", "--design", "x")])
def test_wrong_use_is_exit_code_2(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        main(["audit", *wrong])
    assert end.value.code == 2 and "usage: python -m calibtutor audit" in capsys.readouterr().err


def test_help_says_the_exit_codes_without_loading_matplotlib():
    code = "import sys\nfrom calibtutor.__main__ import main\n"
    code += "try:\n    main(['audit', '--help'])\nfinally:\n    print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0 and "Exit code 0" in found.stdout and "--fail-if-exceeds" in found.stdout
    assert "matplotlib" not in found.stdout.split()


def test_the_shell_sees_exit_code_2_and_no_traceback(tmp_path):
    command = [sys.executable, "-m", "calibtutor", "audit", "a.csv", *ONE, "--out", "r.html"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    bad = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert bad.returncode == 2 and bad.stdout == "" and bad.stderr.count("\n") == 1


def test_without_matplotlib_it_is_said_before_anything_is_read(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "calibtutor.audit.figures", None)
    assert run("a.csv", *ONE, "--out", "r.html") == 2
    assert "calibtutor.audit.figures" in capsys.readouterr().err
