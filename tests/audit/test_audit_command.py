"""``python -m calibtutor audit``: what it reads and refuses, in which words, exit codes, no file left behind."""

import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit import folder
from calibtutor.audit.columns import Columns, may_be_cases
from calibtutor.audit.command import in_shell, parser

ROOT = Path(__file__).resolve().parents[2]
N, ORDER = 240, ["cat", "dog", "eel"]


def cases(n=N, seed=0):
    """A table as people have it: three classes with names, and what belongs to a row."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1, 1], n)
    said = pd.DataFrame(p.round(4), columns=["p_cat", "p_dog", "p_eel"])
    y = np.array(ORDER)[[rng.choice(3, p=row) for row in p]]
    return said.assign(y=y, sex=rng.choice(["F", "M"], n), site=rng.choice(["NA", "DE", ""], n),
                       patient=np.arange(n) // 4, w=rng.random(n) + 0.5, age=rng.normal(50, 9, n).round(1),
                       month=np.arange(n) // 80)  # fmt: skip


def two(n=N, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return pd.DataFrame({"p": p, "y": (rng.random(n) < p).astype(int), "patient": np.arange(n) // 4})


def run(*arguments):
    """Exit code, the report's words and numbers if they were written."""
    return main(["audit", *map(str, arguments), "--draws", "19"])


# --- what it reads ---


def test_every_option_arrives_in_the_audit(tmp_path, capsys):
    cases().to_csv(tmp_path / "a.csv", index=False)
    out, numbers = tmp_path / "report.html", tmp_path / "report.json"
    options = "--group sex,site --feature age --cluster patient --weight w --time month --design cv"
    assert run(tmp_path / "a.csv", *THREE, *options.split(), "--tolerance", ".1", "--out", out, "--json", numbers) == 0
    printed = capsys.readouterr()
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["conclusions"][0] in " ".join(printed.out.split()) and str(out) in printed.out and printed.err == ""
    assert "Calibration audit of a.csv" in out.read_text(encoding="utf-8")
    settings = found["settings"]
    assert {settings[name] for name in ("design", "tolerance", "n_resamples", "seed")} == {"cv", 0.1, 19, 0}
    assert settings["weights"] is settings["clusters"] is True
    levels = {(row["column"], row["level"]): row["n"] for row in found["tables"]["groups"]}
    site = cases()["site"].value_counts()
    assert {name for _, name in levels} == {"F", "M", "NA", "DE", "missing"} and levels["site", "NA"] == site["NA"]
    assert len(found["tables"]["time"]) == 3 and "local" in found["tables"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "report.html", "report.json"]


def numbers_of(tmp_path, file, *options):
    assert run(file, *options, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 0
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    return {name: found[name] for name in ("pvalue", "conclusions", "limits", "tables")}


THREE = ("--label", "y", "--prob", "p_*")


def test_the_same_rows_in_any_kind_of_file_give_the_same_audit(tmp_path):
    table = cases()
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_csv(tmp_path / "a.csv.gz", index=False)
    table.to_csv(tmp_path / "a.tsv", index=False, sep="\t")
    table.to_parquet(tmp_path / "a.parquet")
    np.savez(tmp_path / "a.npz", **{name: table[name].to_numpy(str if name == "y" else float) for name in table
                                    if name.startswith("p_") or name in ("y", "patient")})  # fmt: skip
    (tmp_path / "parts").mkdir()
    for k in range(3):
        table[80 * k : 80 * k + 80].to_parquet(tmp_path / "parts" / f"{k}.parquet")
    wanted = numbers_of(tmp_path, tmp_path / "a.csv", *THREE)
    for name in ("a.csv.gz", "a.tsv", "a.parquet", "a.npz", "parts"):
        assert numbers_of(tmp_path, tmp_path / name, *THREE) == wanted, name
    direct = ct.audit(table["y"], table[["p_cat", "p_dog", "p_eel"]].set_axis(["cat", "dog", "eel"], axis=1),
                      n_resamples=19, rng=0)  # fmt: skip
    assert wanted["pvalue"] == direct.pvalue and wanted["conclusions"] == in_shell(direct.conclusions)


def test_columns_are_classes_by_what_stands_for_the_star_whatever_their_order(tmp_path):
    table = cases()
    table.to_csv(tmp_path / "a.csv", index=False)
    table[["p_eel", "y", "patient", "p_cat", "p_dog"]].to_csv(tmp_path / "b.csv", index=False)
    a, b = (numbers_of(tmp_path, tmp_path / f"{k}.csv", *THREE, "--classes", "cat,dog,eel") for k in "ab")
    assert a == b
    listed = numbers_of(tmp_path, tmp_path / "a.csv", "--label", "y", "--prob", "p_cat,p_dog,p_eel",
                        "--classes", "cat,dog,eel")  # fmt: skip
    assert listed == a


def test_one_column_is_the_probability_of_1_or_of_the_second_class(tmp_path):
    table = two()
    table.assign(word=np.where(table["y"] == 1, "ill", "well")).to_csv(tmp_path / "a.csv", index=False)
    plain = numbers_of(tmp_path, tmp_path / "a.csv", "--label", "y", "--prob", "p")
    words = numbers_of(tmp_path, tmp_path / "a.csv", "--label", "word", "--prob", "p", "--classes", "well,ill")
    assert plain["pvalue"] == words["pvalue"] == ct.audit(table["y"], table["p"], n_resamples=19, rng=0).pvalue
    assert plain["tables"]["size"] == words["tables"]["size"]


def test_a_matrix_in_npz_needs_no_names(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1, 1], N)
    y = np.array([rng.choice(3, p=row) for row in p])
    np.savez(tmp_path / "a.npz", probabilities=p, y=y, hospital=rng.choice(["A", "B"], N), X=rng.normal(size=(N, 2)))
    found = numbers_of(tmp_path, tmp_path / "a.npz", "--label", "y", "--prob", "probabilities", "--group", "hospital",
                       "--feature", "X")  # fmt: skip
    assert found["pvalue"] == ct.audit(y, p, groups={"hospital": np.load(tmp_path / "a.npz")["hospital"]},
                                       features=np.load(tmp_path / "a.npz")["X"],
                                       n_resamples=19, rng=0).pvalue  # fmt: skip


def test_the_index_of_parquet_is_a_column(tmp_path):
    table = cases().set_axis(["0", "1", "2", *cases().columns[3:]], axis=1).assign(y=lambda t: t["y"].map(ORDER.index))
    table.to_csv(tmp_path / "a.csv", index=False)
    table.set_index("patient").to_parquet(tmp_path / "a.parquet")
    options = ("--label", "y", "--prob", "0,1,2", "--cluster", "patient")
    assert numbers_of(tmp_path, tmp_path / "a.parquet", *options) == numbers_of(tmp_path, tmp_path / "a.csv", *options)


def test_numbers_in_a_group_are_numbers_and_words_are_words(tmp_path):
    table = two().assign(age=np.arange(N) % 60, code=np.where(np.arange(N) % 2, "007", "x"))
    table.loc[3, "age"] = np.nan
    table.to_csv(tmp_path / "a.csv", index=False, na_rep="NA")
    found = numbers_of(tmp_path, tmp_path / "a.csv", "--label", "y", "--prob", "p", "--group", "age,code")
    levels = [row["level"] for row in found["tables"]["groups"]]
    assert len(levels) == 7 and levels[0].startswith("0 to ") and levels[4:] == ["missing", "007", "x"]


# --- files as they are elsewhere ---


def european(table, path, **written):
    """A csv as a spreadsheet writes it where decimals have commas."""
    table.to_csv(path, index=False, **{"sep": ";", "decimal": ",", "encoding": "cp1252"} | written)


EUROPEAN = ("--sep", ";", "--decimal", ",", "--encoding", "cp1252")


def test_a_european_file_gives_the_numbers_of_its_plain_twin(tmp_path):
    table = cases().rename(columns={"sex": "männlich"}).assign(dose=lambda t: t["age"] / 10)
    table.to_csv(tmp_path / "a.csv", index=False)
    european(table, tmp_path / "b.csv")
    european(table, tmp_path / "c.csv", sep="\t", encoding="utf-16")
    options = (*THREE, "--group", "männlich,dose", "--feature", "age", "--weight", "w")
    wanted = numbers_of(tmp_path, tmp_path / "a.csv", *options)
    assert numbers_of(tmp_path, tmp_path / "b.csv", *options, *EUROPEAN) == wanted
    assert len([row for row in wanted["tables"]["groups"] if row["column"] == "dose"]) == 4  # numbers, cut
    assert numbers_of(tmp_path, tmp_path / "c.csv", *options, "--sep", r"\t", *EUROPEAN[2:5], "UTF16") == wanted


def test_a_column_that_may_say_what_belongs_together_is_named(tmp_path, capsys):
    table = two().rename(columns={"patient": "PatientID"}).assign(row_id=np.arange(N), site_id=np.arange(N) % 9)
    table["width"] = table["personality"] = np.arange(N) % 50
    kinds = {"a.csv": table.to_csv, "a.parquet": table.to_parquet}
    for write, name in zip(kinds.values(), kinds, strict=True):
        write(tmp_path / name, index=False)
    np.savez(tmp_path / "a.npz", **table, nobody=np.array([None] * N), id=np.array([None] * N), user=np.arange(3))
    table.assign(user=[np.array([0, 1])] * N).to_parquet(tmp_path / "a.parquet")
    note = "PatientID has 60 values in 240 rows; --cluster PatientID if they belong together"
    for name in (*kinds, "a.npz"):
        limits = numbers_of(tmp_path, tmp_path / name, *ONE)["limits"]
        assert capsys.readouterr().err == f"python -m calibtutor audit: {note}\n"
        assert [each for each in limits if "independent" in each or "--cluster" in each] == [
            f"It takes rows for independent given the predictions: {note}."]  # fmt: skip
    for more in (("--cluster", "PatientID"), ("--group", "PatientID")):
        said = numbers_of(tmp_path, tmp_path / "a.csv", *ONE, *more)["limits"]
        assert "PatientID" not in " ".join(said) and "belong together\n" not in capsys.readouterr().err
    assert may_be_cases(["user_id", "USER", "clients", "PatientKey", "x.ID", "p", "void", "useful", "household 1"],
                        Columns("y", ["p"]), ["p"]) == ["user_id", "USER", "clients", "PatientKey", "x.ID",
                                                        "household 1"]  # fmt: skip


@pytest.mark.parametrize(("written", "n"), [("%d/%m/%Y", 40), ("%m/%d/%y", 40), ("%d.%m.%Y", 5), ("%Y%m%d", 40)])
def test_dates_in_any_format_are_those_of_the_twin(written, n, tmp_path):
    dates("%Y-%m-%d", n)(tmp_path / "a.csv")
    dates(written, n)(tmp_path / "b.csv")
    wanted = numbers_of(tmp_path, tmp_path / "a.csv", *DATED)
    assert wanted["tables"]["time"][0]["period"].startswith("2024-03-01")
    assert numbers_of(tmp_path, tmp_path / "b.csv", *DATED, "--date-format", written) == wanted


def test_rows_with_gaps_are_left_out_if_told_and_the_report_says_so(tmp_path, capsys):
    table = cases().astype({"month": object, "w": object, "age": object})
    table.loc[[2, 5], "month"] = table.loc[[5, 9], "w"] = table.loc[[9], "p_dog"] = table.loc[[40, 41], "age"] = None
    table.to_csv(tmp_path / "a.csv", index=False)
    table.drop([2, 5, 9]).to_csv(tmp_path / "b.csv", index=False)
    (tmp_path / "parts").mkdir()
    for k in range(3):
        part = table[80 * k : 80 * k + 80].astype({"month": float, "w": float, "age": float})
        part.to_parquet(tmp_path / "parts" / f"{k}.parquet")
    options = (*THREE, "--group", "age", "--weight", "w", "--time", "month")
    wanted = numbers_of(tmp_path, tmp_path / "b.csv", *options)
    before = capsys.readouterr().err
    for name in ("a.csv", "parts"):
        found = numbers_of(tmp_path, tmp_path / name, *options, "--drop-missing")
        note = "3 of 240 rows had no p_dog, w or month and were left out"
        assert capsys.readouterr().err == f"{before}python -m calibtutor audit: {note}\n"
        assert found["limits"].pop(0) == f"{note}: what they were like is not known."
        assert note in (tmp_path / "r.html").read_text(encoding="utf-8")
        row = found["tables"]["data"].pop(1)
        for k, each in enumerate([row, *found["tables"]["data"]]):
            each["index"] = k if k == 0 else k - 1
        assert row == {"index": 0, "what": "rows dropped, with gaps", "value": 3, "note": "p_dog 1, w 2, month 2"}
        assert found == wanted, name
    assert any(row["level"] == "missing" and row["n"] == 2 for row in wanted["tables"]["groups"])


# --- a folder that is larger than what all sections can take ---


def test_of_a_large_folder_a_sample_is_drawn_and_all_rows_are_tested(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    table = cases(900)
    table["row"] = np.arange(900.0)
    for k in range(3):
        table[300 * k : 300 * k + 300].to_parquet(tmp_path / "parts" / f"{k}.parquet")
    monkeypatch.setattr(folder, "SAMPLE", 500)
    found = numbers_of(tmp_path, tmp_path / "parts", *THREE, "--feature", "row")
    (row,) = found["tables"]["all rows"]
    assert row["rows"] == 900 and 0 < row["p"] <= 1
    assert "500 rows drawn at random from 900" in found["limits"][-1]
    said = f"all 900 rows, by parts, is a question of its own: p {row['p']:.3g}.".replace("p 0.", "p .")
    assert len(found["conclusions"]) == 4 and said in found["conclusions"][-1]
    assert said in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert found["tables"]["data"][0]["value"] == 500
    with_cluster = numbers_of(tmp_path, tmp_path / "parts", *THREE, "--cluster", "patient")
    assert "all rows" not in with_cluster["tables"]
    assert "clusters and weights are not known" in with_cluster["tables"]["not_run"][-1]["why"]
    columns = Columns("y", ["p_*"], features=["row"])
    rows, n, _ = folder.read_folder(tmp_path / "parts", columns, most=500, rng=0)
    drawn = rows.features["row"].to_numpy().astype(int)
    assert n == 900 and len(set(drawn)) == 500 and (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(rows.y_true, table["y"].iloc[drawn])
    np.testing.assert_array_equal(rows.y_prob, table[["p_cat", "p_dog", "p_eel"]].iloc[drawn])


def test_rows_with_gaps_are_left_out_of_a_sample_and_of_all_rows(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    for k in range(3):
        table = two(300, seed=k)
        table.loc[7, "p"] = np.nan
        table.to_parquet(tmp_path / "parts" / f"{k}.parquet")
    monkeypatch.setattr(folder, "SAMPLE", 500)
    found = numbers_of(tmp_path, tmp_path / "parts", *ONE, "--drop-missing")
    assert found["limits"][0].startswith("3 of 900 rows had no p and were left out: ")
    assert found["tables"]["all rows"][0]["rows"] == 897 and found["tables"]["data"][0]["value"] == 500
    assert "500 rows drawn at random from 897" in found["limits"][-1]


def test_all_rows_find_what_a_part_would_miss(tmp_path):
    (tmp_path / "parts").mkdir()
    for k in range(3):
        table = two(2000, seed=k)
        table["p"] = table["p"] ** 1.15
        table.to_parquet(tmp_path / "parts" / f"{k}.parquet")
    columns = Columns("y", ["p"])
    rows, n, parts = folder.read_folder(tmp_path / "parts", columns, most=200, rng=0)
    assert folder.pvalue_of_all_rows(parts, columns, rows, n_resamples=99, rng=0) == 0.01
    right = [two(2000, seed=k) for k in range(3)]
    for k in range(3):
        right[k].to_parquet(tmp_path / "parts" / f"{k}.parquet")
    assert folder.pvalue_of_all_rows(parts, columns, rows, n_resamples=99, rng=0) > 0.01


@pytest.mark.slow  # it starts a cluster
def test_a_dask_cluster_gives_the_same_report(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    (tmp_path / "parts").mkdir()
    for k in range(3):
        cases(300, seed=k).to_parquet(tmp_path / "parts" / f"{k}.parquet")
    monkeypatch.setattr(folder, "SAMPLE", 500)
    monkeypatch.chdir(tmp_path)
    alone = numbers_of(tmp_path, Path("parts"), *THREE)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        monkeypatch.chdir(tmp_path.parent)  # the workers work elsewhere
        relative = Path(tmp_path.name, "parts")
        assert numbers_of(tmp_path, relative, *THREE, "--dask", cluster.scheduler_address) == alone
        assert cluster.scheduler.transition_counter > 0  # of its tasks; without --dask it has none


# --- in the words of the shell ---


def test_every_option_that_is_named_is_one_of_the_command():
    options = {word for action in parser()._actions for word in action.option_strings}
    arguments = inspect.signature(ct.audit).parameters
    said = [in_shell(f'{name}: no, pass {name}= or {name}="cv"') for name in arguments]
    named = [option for each in said for option in re.findall("--[a-z]+", each)]
    assert set(named) <= options and len(named) == 3 * 12  # all but level and progress
    assert in_shell("a = b, cluster = 3, timed=1") == "a = b, cluster = 3, timed=1"


def test_a_report_names_options_and_no_arguments(tmp_path):
    two().to_csv(tmp_path / "a.csv", index=False)
    assert run(tmp_path / "a.csv", *ONE, "--out", tmp_path / "r.html", "--json", tmp_path / "r.json") == 0
    for name in ("r.html", "r.json"):
        text = re.sub(r"<style>.*</style>|<img[^>]*>", "", (tmp_path / name).read_text(encoding="utf-8"), flags=re.S)
        assert {"--cluster", "--group", "--feature"} <= set(re.findall(r"--[a-z]+", text))
        assert not re.search(r"\b(cluster|groups|features|weights|design|classes)=", text)


@pytest.mark.parametrize(("labels", "options", "turned"), [
    (["no", "yes"], ("--classes", "no,yes"), "yes,no"),
    (["not ill", "ill"], ("--classes", "not ill,ill"), "'ill,not ill'"),
    ([0, 1], (), "1,0"),
])  # fmt: skip
def test_classes_turned_round_are_doubted_in_options_that_help(labels, options, turned, tmp_path):
    table = two().assign(p=lambda t: 1 - t["p"], y=lambda t: np.array(labels)[t["y"]])
    table.to_csv(tmp_path / "a.csv", index=False)
    found = numbers_of(tmp_path, tmp_path / "a.csv", *ONE, *options)
    doubt = found["conclusions"][0]
    (noted,) = (row["note"] for row in found["tables"]["data"] if row["what"] == "doubt")
    said = f"if the column is P({labels[0]}), say --classes {turned}, the order turned round"
    assert said in doubt and said in noted and "1 -" not in doubt + noted
    assert f"label {labels[1]} have lower" in doubt and f"those with {labels[0]} (AUC = 0." in doubt
    right = numbers_of(tmp_path, tmp_path / "a.csv", *ONE, "--classes", f"{labels[1]},{labels[0]}")
    assert "AUC" not in right["conclusions"][0]


# --- the gate ---


@pytest.mark.parametrize(("most", "code", "said"), [("0.001", 1, "]: exceeds"), ("0.9", 0, "]: not shown to exceed")])
def test_only_the_gate_makes_exit_code_1(most, code, said, tmp_path, capsys):
    rng = np.random.default_rng(0)
    p = rng.random(500)
    pd.DataFrame({"p": p, "y": (rng.random(500) < p**3).astype(int)}).to_csv(tmp_path / "a.csv", index=False)
    options = (tmp_path / "a.csv", "--label", "y", "--prob", "p", "--out", tmp_path / "r.html")
    assert run(*options) == 0  # found, and all the same 0
    assert run(*options, "--fail-if-exceeds", most) == code
    assert f"{said} {float(most):g}" in capsys.readouterr().err and (tmp_path / "r.html").exists()


def test_the_gate_does_not_pass_what_it_cannot_tell(tmp_path, capsys):
    table = two(60).assign(p=0.02, y=[1, *[0] * 59])
    table.to_csv(tmp_path / "a.csv", index=False)
    options = (tmp_path / "a.csv", "--label", "y", "--prob", "p", "--out", tmp_path / "r.html")
    assert run(*options, "--fail-if-exceeds", ".5") == 1
    assert "no interval to compare with 0.5: fewer than 20 hits" in capsys.readouterr().err


def test_percent_is_divided_where_it_is_said(tmp_path, capsys):
    two().to_csv(tmp_path / "a.csv", index=False)
    two().assign(p=lambda t: 100 * t["p"]).to_csv(tmp_path / "b.csv", index=False)
    assert run(tmp_path / "b.csv", *ONE, "--out", tmp_path / "r.html") == 2
    assert "looks like percentages: say --percent" in capsys.readouterr().err
    plain, percent = (numbers_of(tmp_path, tmp_path / f"{name}.csv", *ONE, *more)
                      for name, more in (("a", ()), ("b", ("--percent",))))  # fmt: skip
    sizes = [[row["estimate"] for row in found["tables"]["size"]] for found in (plain, percent)]
    assert sizes[0] == pytest.approx(sizes[1])


# --- what it refuses ---


def changed(column, row, value, table=cases):
    """A csv with one cell changed."""

    def write(path):
        frame = table().astype(object)
        frame.loc[row, column] = value
        frame.to_csv(path, index=False)

    return write


def with_gaps(value, column="p_dog"):
    """Gaps in label, a probability and time, in rows that overlap, and what row 30 says."""

    def make():
        table = cases().astype(object)
        table.loc[[20], "y"] = table.loc[[7, 20], "p_dog"] = table.loc[[2, 5], "month"] = None
        table.loc[30, column] = value
        return table

    return make


def csv_of(make):
    return lambda path: make().to_csv(path, index=False)


def text(words, encoding="utf-8"):
    return lambda path: path.write_text(words, encoding=encoding)


def garbage(path):
    path.write_bytes(b"PAR1 this is none PK")


def folder_of(*parts):
    def write(path):
        path.mkdir()
        for k, part in enumerate(parts):
            part(path / f"{k}.parquet")

    return write


def arrays(**given):
    return lambda path: np.savez(path, **given)


def dates(written, n=40):
    """A csv with n days from March 1 on, as they are written somewhere."""
    day = pd.date_range("2024-03-01", periods=n).strftime(written).to_numpy()
    return csv_of(lambda: two().assign(day=day[np.arange(N) % n]))


GOOD = lambda path: cases().to_parquet(path)
P3 = np.full((60, 3), 1 / 3)
LISTS = pd.DataFrame({"p": [[0.5, 0.5], [0.1, 0.9]], "y": [0, 1]})
ONE = ("--label", "y", "--prob", "p")
DATED = (*ONE, "--time", "day")
BAD = {  # a case a line reads better than wrapped ones
    # name: (file's name, how it is made, options, what the line says)
    "no such file": ("a.csv", lambda path: None, THREE, ["a.csv: no such file"]),
    "an unknown kind": ("a.xlsx", garbage, THREE, ["a.xlsx: expected a file that ends in .csv"]),
    "nothing": ("a.csv", text(""), THREE, ["a.csv: ", "No columns"]),
    "a header alone": ("a.csv", text("p_a,p_b,y\n"), THREE, ["a.csv: expected rows, found none"]),
    "one row": ("a.csv", text("p,y\n.5,1\n"), ONE, ["a.csv: ", "at least 2 rows"]),
    "no label": ("a.csv", text("p_a,p_b\n.5,.5\n"), THREE, ["a.csv: no column 'y'; the file has 'p_a'"]),
    "no probability": ("a.csv", csv_of(two), THREE, ["a.csv: no column fits --prob 'p_*'; the file has 'p'"]),
    "no such group": ("a.csv", csv_of(cases), (*THREE, "--group", "sex,race"), ["a.csv: no column 'race'"]),
    "semicolons": ("a.csv", text("p;y\n0,5;1\n"), ONE, ["no column 'y'", "else than a comma? If so, say --sep ';'"]),
    "semicolons, a star": ("a.csv", text("y;p_a\n1;0,5\n"), THREE, ["no column fits --prob 'p_*'", "--sep ';'"]),
    "tabs": ("a.csv", text("p\ty\n0.5\t1\n"), ONE, ["else than a comma? If so, say --sep '\\t'"]),
    "semicolons in a tsv": ("a.tsv", text("p;y\n.5;1\n"), ONE, ["something else than a tab? If so, say --sep ';'"]),
    "no semicolons": ("a.csv", csv_of(two), (*ONE, "--sep", ";"), ["something else than ';'? If so, say --sep ','"]),
    "a decimal comma": ("a.csv", text('p,y\n0.5,1\n"0,5",1\n'), ONE, ["row 1 (line 3)", "a point, got '0,5'",
                        "say --decimal ','"]),
    "a decimal point": ("a.csv", text("p;y\n0,5;1\n0.5;1\n"), (*ONE, "--sep", ";", "--decimal", ","),
                        ["row 1 (line 3)", "with a comma, got '0.5'"]),
    "a separator in parquet": ("a.parquet", GOOD, (*THREE, "--sep", ";"), ["--sep, --decimal and --encoding are of"]),
    "a word": ("a.csv", changed("p_dog", 7, "high"), THREE, ["a.csv: column 'p_dog', row 7 (line 9)", "'high'"]),
    "a gap": ("a.csv", changed("p_eel", 11, None), THREE, ["column 'p_eel', row 11 (line 13)",
              "got nothing; rows with a gap in 'p_eel': 1 of 240; give them values, or --drop-missing"]),
    "nothing but gaps": ("a.csv", csv_of(lambda: two().assign(p=None)), (*ONE, "--drop-missing"),
                         ["a.csv: each of the 240 rows has a gap in 'p'"]),
    "a word after gaps": ("a.csv", csv_of(with_gaps("high")), (*THREE, "--drop-missing"),
                          ["column 'p_dog', row 30 (line 32)", "'high'"]),
    "a class after gaps": ("a.csv", csv_of(with_gaps(2, "p_cat")), (*THREE, "--drop-missing"),
                           ["column 'p_cat', row 30 (line 32) is [2. "]),
    "many gaps": ("a.csv", csv_of(with_gaps(0.1)), (*THREE, "--time", "month"),
                  ["column 'y', row 20 (line 22)", "rows with a gap in 'y', 'p_dog', 'month': 4 of 240; give"]),
    "infinity": ("a.csv", changed("p", 4, "inf", two), ONE, ["column 'p', row 4 (line 6)", "finite"]),
    "above 1": ("a.csv", changed("p", 5, 1.02, two), ONE, ["column 'p', row 5 (line 7) is 1.02"]),
    "percentages": ("a.csv", csv_of(lambda: two().assign(p=lambda t: 100 * t["p"])), ONE, ["say --percent"]),
    "logits": ("a.csv", csv_of(lambda: two().assign(p=lambda t: 9 * t.p - 4)), ONE, ["looks like logits", "softmax"]),
    "not to 1": ("a.csv", changed("p_cat", 2, 0.999), THREE, ["p_cat + p_dog + p_eel', row 2 (line 4) is [0.999"]),
    "no label in a row": ("a.csv", changed("y", 9, None), THREE, ["column 'y', row 9 (line 11)", "got nothing"]),
    "an unknown label": ("a.csv", changed("y", 9, "fox"), THREE, ["column 'y', row 9 (line 11) is 'fox'"]),
    "words beside one column": ("a.csv", changed("y", 0, "ill", two), ONE, ["column 'y', row 0 (line 2)", "--classes"]),
    "yes and no": ("a.csv", csv_of(lambda: two().replace({"y": {0: "no", 1: "yes"}})), ONE,
                   ["column 'y', row 0 (line 2) is '", "names no classes; say --classes ",
                    "say --classes no,yes if p is P(yes), --classes yes,no if p is P(no)"]),
    "words with spaces": ("a.csv", csv_of(lambda: two().replace({"y": {0: "not ill", 1: "ill"}})), ONE,
                          ["say --classes 'ill,not ill' if p is P(not ill), "]),
    "three words": ("a.csv", csv_of(cases), ("--label", "y", "--prob", "p_cat"),
                    ["--classes", "column 'y' has 'cat', 'dog', 'eel', one column of probabilities is for two"]),
    "a star for one": ("a.csv", text("p_ill,y\n.5,1\n.4,0\n"), THREE, ["--prob p_ill --classes OTHER,ill"]),
    "two stars": ("a.csv", csv_of(cases), ("--label", "y", "--prob", "*_*"), ["--prob '*_*': expected one star"]),
    "a column twice": ("a.csv", text("p,y,p\n.5,1,.5\n.4,0,.4\n"), ONE, ["a.csv: column 'p' is there twice"]),
    "named twice": ("a.csv", csv_of(cases), ("--label", "y", "--prob", "p_*,p_cat"), ["column 'p_cat' is named twice"]),
    "classes that contradict": ("a.csv", csv_of(cases), (*THREE, "--classes", "cat,dog,fox"), ["leave --classes out"]),
    "a negative weight": ("a.csv", changed("w", 6, -1), (*THREE, "--weight", "w"), ["row 6 (line 8)", "at least 0"]),
    "no cluster": ("a.csv", changed("patient", 6, None), (*THREE, "--cluster", "patient"), ["column 'patient', row 6"]),
    "few clusters": ("a.csv", csv_of(cases), (*THREE, "--cluster", "sex"), ["a.csv: --cluster: ", "at least 30"]),
    "no time": ("a.csv", changed("month", 6, None), (*THREE, "--time", "month"), ["column 'month', row 6 (line 8)"]),
    "dates": ("a.csv", dates("%d/%m/%Y"), DATED, ["column 'day', row 0 (line 2)", "'01/03/2024'", "could be swapped",
              "--date-format '%d/%m/%Y' (or '%m/%d/%Y', if"]),
    "a few dates": ("a.csv", dates("%m.%d.%y", 3), DATED, ["row 0 (line 2)", "'03.01.24'",
                    "'%d.%m.%y' (or '%m.%d.%y'"]),
    "dates with a clock": ("a.csv", dates("%d-%m-%Y %H:%M"), DATED, ["--date-format '%d-%m-%Y %H:%M' (or"]),
    "a date in words": ("a.csv", dates("%d %b %Y"), DATED, ["row 0 (line 2)", "'01 Mar 2024'", "--date-format"]),
    "no such date": ("a.csv", dates("%d/%m/%Y"), (*DATED, "--date-format", "%m/%d/%Y"),
                     ["column 'day', row 12 (line 14): expected a date written as %m/%d/%Y, got '13/03/2024'"]),
    "a format without time": ("a.csv", csv_of(two), (*ONE, "--date-format", "%Y"), ["there is no --time"]),
    "another encoding": ("a.csv", text("p,y,Größe\n.5,1,ä\n", "latin-1"), ONE, ["cannot be read as .csv", "utf-8",
                         "say --encoding cp1252 (Windows, western Europe), or save the file as UTF-8"]),
    "two bytes a letter": ("a.csv", text("p,y\n.5,1\n", "utf-16"), ONE, ["a.csv: cannot", "say --encoding utf-16"]),
    "not that encoding either": ("a.csv", text("p,y,ä\n.5,1,ä\n", "latin-1"), (*ONE, "--encoding", "ascii"),
                                 ["'ascii' codec", "--encoding cp1252"]),
    "rows of other lengths": ("a.csv", text("p,y\n.5,1\n.5,1,7,8\n"), ONE, ["a.csv: ", "line 3"]),
    "training": ("a.csv", csv_of(cases), (*THREE, "--design", "training"), ["--design: ", "fitted on", "--design cv"]),
    "no draws": ("a.csv", csv_of(cases), (*THREE, "--draws", "0"), ["a.csv: --draws: expected a whole"]),
    "no parquet": ("a.parquet", garbage, THREE, ["a.parquet: cannot be read as .parquet"]),
    "lists in parquet": ("a.parquet", lambda path: LISTS.to_parquet(path), ONE, ["a.parquet: column 'p', row 0:"]),
    "no npz": ("a.npz", garbage, THREE, ["a.npz: cannot be read as .npz", "zip"]),
    "objects in npz": ("a.npz", arrays(p=P3, y=np.array([None] * 60)), ONE, ["a.npz: array 'y' holds Python objects"]),
    "arrays of two lengths": ("a.npz", arrays(p=P3, y=np.arange(7)), ONE, ["a.npz: expected arrays of one length"]),
    "an array of three axes": ("a.npz", arrays(p=P3[None], y=np.arange(7)), ONE, ["array 'p' has shape (1, 60, 3)"]),
    "an empty folder": ("parts", folder_of(), THREE, ["parts: expected a folder of parquet files"]),
    "a broken part": ("parts", folder_of(GOOD, garbage), THREE, ["1.parquet: cannot be read as .parquet"]),
    "a part with a gap": ("parts", folder_of(GOOD, lambda path: cases().replace({"y": {"cat": None}}).to_parquet(path)),
                          THREE, ["1.parquet: column 'y', row "]),
    "parts of other classes": ("parts", folder_of(GOOD, lambda path: cases().rename(columns={"p_cat": "p_ape"}).replace(
        {"y": {"cat": "ape"}}).to_parquet(path)), THREE, ["1.parquet: expected the classes of 0.parquet", "'ape'"]),
    "no folder for the report": ("a.csv", csv_of(cases), (*THREE, "--out", "none/r.html"), ["there is no folder none"]),
    "a folder as report": ("a.csv", csv_of(cases), (*THREE, "--out", "."), ["this is a folder"]),
    "a cluster for a file": ("a.csv", csv_of(cases), (*THREE, "--dask", "tcp://x:8786"), ["--dask: ", "no folder"]),
    "no scheduler": ("parts", folder_of(GOOD), (*THREE, "--dask", "x"), ["--dask: expected tcp://HOST:PORT", "'x'"]),
    "the file as report": ("a.csv", csv_of(cases), (*THREE, "--out", "a.csv"), ["expected different files"]),
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_exit_code_2_and_nothing_written(name, tmp_path, capsys, monkeypatch):
    file, make, options, says = BAD[name]
    monkeypatch.chdir(tmp_path)
    make(tmp_path / file)
    before = {path: path.read_bytes() if path.is_file() else None for path in tmp_path.rglob("*")}
    options = [*options, *([] if "--draws" in options else ["--draws", "19"])]
    out = [] if "--out" in options else ["--out", "r.html"]
    assert main(["audit", file, *options, *out, "--json", "r.json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and printed.err.endswith("\n")
    assert printed.err.startswith("python -m calibtutor audit: ")
    assert [each for each in says if each not in printed.err] == [], printed.err
    assert {path: path.read_bytes() if path.is_file() else None for path in tmp_path.rglob("*")} == before


WHOLE = ["a.csv", *ONE, "--out", "r.html"]


@pytest.mark.parametrize("wrong", [[], WHOLE[:1], WHOLE[:5], [*WHOLE, "--tolerance", "2"], [*WHOLE, "--design", "x"],
                                   [*WHOLE, "--sep", ";;"], [*WHOLE, "--encoding", "x"],
                                   [*WHOLE, "--date-format", "dd/mm"], [*WHOLE, "--date-format", "%Q"]])  # fmt: skip
def test_wrong_use_is_exit_code_2(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        main(["audit", *wrong])
    assert end.value.code == 2 and "usage: python -m calibtutor audit" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_leaves_the_old_ones(tmp_path, capsys, monkeypatch):
    cases().to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "r.html").write_text("old", encoding="utf-8")

    def fail(**options):
        raise OSError("disk full")

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    assert run(tmp_path / "a.csv", *THREE, "--out", tmp_path / "r.html") == 2
    assert "disk full" in capsys.readouterr().err
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "r.html"]


@pytest.mark.slow
def test_the_shell_sees_the_exit_codes_and_no_traceback(tmp_path):
    two().to_csv(tmp_path / "a.csv", index=False)
    shell = [sys.executable, "-m", "calibtutor", "audit", "a.csv", *ONE, "--draws", "19", "--out", "r.html"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    two().drop(columns="patient").to_csv(tmp_path / "a.csv", index=False)
    good = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert good.returncode == 0 and good.stderr == "" and "Report: r.html" in good.stdout
    bad = subprocess.run([*shell[:7], "--prob", "q", *shell[9:]], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert bad.returncode == 2 and bad.stdout == ""
    assert bad.stderr == "python -m calibtutor audit: a.csv: no column 'q'; the file has 'p', 'y'\n"


def test_help_says_the_exit_codes_without_loading_matplotlib():
    code = "import sys\nfrom calibtutor.__main__ import main\n"
    code += "try:\n    main(['audit', '--help'])\nfinally:\n    print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0 and "Exit code 0" in found.stdout and "--fail-if-exceeds" in found.stdout
    assert "matplotlib" not in found.stdout.split()


def test_without_matplotlib_it_is_said_before_anything_is_computed(tmp_path):
    code = "import sys; sys.modules['matplotlib'] = None\nfrom calibtutor.__main__ import main\nsys.exit(main())"
    two().to_csv(tmp_path / "a.csv", index=False)
    shell = [sys.executable, "-c", code, "audit", "a.csv", *ONE, "--out", "r.html"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    found = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert found.returncode == 2 and found.stderr.count("\n") == 1 and "matplotlib" in found.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]
