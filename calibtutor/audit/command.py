"""``python -m calibtutor audit FILE …``: predictions in a file, their audit in another."""

import argparse
import ast
import codecs
import re
import shlex
import sys
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd
from joblib import parallel_config

from ..inputs import FEWEST_CLUSTERS
from . import report
from .columns import Columns, Form, listed_names
from .files import read_rows
from .folder import SAMPLE, pvalue_of_all_rows, read_folder
from .intervals import FEWEST
from .sentences import short

PROG = "python -m calibtutor audit"
ABOUT = """Audit of a classifier's predictions: how far off, for whom, and what chance explains.
FILE is csv (tsv, csv.gz), parquet or npz, one row a case; or a folder of parquet files."""
CODES = "Exit code 0: the report is written; 2: bad input, nothing is written; 1: only with --fail-if-exceeds."


def _list(text):
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"expected names with commas between, got {text!r}")
    return names


def _share(text):
    value = float(text)  # argparse says what a ValueError means
    if not 0 <= value <= 1:
        raise ValueError
    return value


def _character(text):
    if len(text := {"\\t": "\t", "tab": "\t"}.get(text, text)) != 1:
        raise argparse.ArgumentTypeError(f"expected one character (a tab is '\\t'), got {text!r}")
    return text


def _date_format(text):
    if "%" not in text:
        raise argparse.ArgumentTypeError(f"expected letters after %, such as '%d/%m/%Y', got {text!r}")
    try:
        datetime.strptime("", text)  # says if it is a format
    except (ValueError, re.error) as error:
        if "does not match" not in str(error):
            raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _encoding(text):
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise argparse.ArgumentTypeError(f"expected an encoding such as cp1252, got {text!r}") from None


_share.__name__ = "number between 0 and 1"


def parser():
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog=PROG, description=ABOUT, epilog=CODES)
    add = parser.add_argument
    add("file", metavar="FILE", type=Path)
    add("--label", required=True, metavar="Y", help="column of the labels")
    add("--prob", required=True, type=_list, metavar="P", help="columns of the probabilities: 'p_*' takes what stands "
        "for the star as the class; one column is P(Y = 1); or names with commas between")  # fmt: skip
    add("--classes", type=_list, help="label of each probability column, in order; of one column two, and it predicts "
        "the second: no,yes")  # fmt: skip
    add("--group", type=_list, default=[], help="columns that name groups: sex,site")
    add("--feature", type=_list, default=[], help="columns of features: age,dose")
    add("--cluster", help="column that says which rows belong together: patient")
    add("--weight", help="column of weights")
    add("--time", help="column of periods")
    add("--sep", type=_character, help="what separates columns of a csv: ';' (default a comma, in a tsv a tab)")
    add("--decimal", choices=(".", ","), default=".", metavar="MARK", help="decimal mark of a csv: ',' (default .)")
    add("--encoding", type=_encoding, default="utf-8", help="of a csv, such as cp1252 (default utf-8)")
    add("--date-format", type=_date_format, metavar="FORMAT", help="of dates in --time: '%%d/%%m/%%Y' for 31/12/2024")
    add("--percent", action="store_true", help="probabilities are written in percent")
    add("--drop-missing", action="store_true", help="leave out rows with a gap in label, probabilities, weight, "
        "cluster or time; the report says how many")  # fmt: skip
    add("--design", choices=("holdout", "cv", "training"), default="holdout", help="where the predictions come from")
    add("--tolerance", type=_share, default=0.05, help="RMS error that would not matter (default .05)")
    add("--draws", type=int, default=999, help="redrawn sets of labels (default 999)")
    add("--seed", type=int, default=0, help="of the draws (default 0)")
    add("--dask", metavar="ADDRESS", help="of a Dask scheduler, for the test of all rows of a folder of more than "
        f"{SAMPLE:,}; its workers see the folder")  # fmt: skip
    add("--out", required=True, type=Path, metavar="REPORT.html", help="the report, one file")
    add("--json", type=Path, metavar="REPORT.json", help="its numbers")
    add("--fail-if-exceeds", type=_share, metavar="X", help="exit code 1 if the RMS error is shown to exceed X (its "
        "95%% interval lies above), or has no interval")  # fmt: skip
    return parser


# What `audit` calls an argument, where the option has another name.
ARGUMENTS = {"y_true": "label", "y_prob": "prob", "groups": "group", "features": "feature", "weights": "weight",
             "n_resamples": "draws", "rng": "seed"}  # fmt: skip
ARGUMENTS |= {name: name for name in ("classes", "cluster", "time", "design", "tolerance")}
NAMED = re.compile(rf"\b({'|'.join(ARGUMENTS)})(?:=(?:\"(\w+)\")?|(?=: ))")


# One column of probabilities that is perhaps that of the other class: {P's class}, {the other}, as Python writes them.
TURNED = re.compile(r"labels (\S.*?) have lower probabilities than labels (\S.*?) \((AUC = \S+ < 1/2)\); "
                    r"is this P\(Y = .*?\)\? If so, pass 1 - y_prob")  # fmt: skip


def _turned(found):
    one, other = (str(ast.literal_eval(each)) for each in found.groups()[:2])
    turned = f"say --classes {shlex.quote(f'{one},{other}')}, the order turned round"
    return (f"rows with the label {one} have lower probabilities than those with {other} ({found[3]}); "
            f"if the column is P({other}), {turned}")  # fmt: skip


def in_shell(said):
    """Sentences, and tables of them, with options where an argument is named: cluster=, design="cv", or "cluster: "."""
    if isinstance(said, str):
        said = TURNED.sub(_turned, said)
        said = NAMED.sub(lambda found: f"--{ARGUMENTS[found[1]]}{f' {found[2]}' if found[2] else ''}", said)
        return said.replace("y_prob", "the probabilities")
    if isinstance(said, pd.DataFrame):
        return said.assign(**{name: said[name].map(in_shell) for name in ("why", "note") if name in said})
    if isinstance(said, dict):
        return {name: in_shell(each) for name, each in said.items()}
    return [in_shell(each) for each in said] if isinstance(said, list) else said


def main(argv=None):
    """Audit a file; returns the exit code."""
    chosen = parser().parse_args(argv)
    try:
        audit, notes = _audited(chosen)
        texts = {chosen.out: report.page(audit, f"Calibration audit of {chosen.file.name}")}
        if chosen.json:
            texts[chosen.json] = report.as_json(audit)
        report.write(texts)
    except (ValueError, OSError, ImportError) as error:
        print(f"{PROG}: {in_shell(' '.join(str(error).split()))}", file=sys.stderr)
        return 2
    for note in notes:
        print(f"{PROG}: {note}", file=sys.stderr)
    print(audit.summary())
    print(f"\nReport: {chosen.out}{f'; numbers: {chosen.json}' if chosen.json else ''}")
    return _gate(audit, chosen.fail_if_exceeds)


def _audited(chosen):
    from . import audit
    from .figures import drawn  # noqa: F401 (matplotlib is missing: said now, not after minutes)

    if chosen.date_format and not chosen.time:
        raise ValueError("--date-format: it is of the dates in --time, and there is no --time")
    outputs = [path for path in (chosen.out, chosen.json) if path]
    for path in outputs:
        if not path.parent.is_dir():
            raise ValueError(f"{path}: there is no folder {path.parent}")
        if path.is_dir():
            raise ValueError(f"{path}: expected the name of a file, this is a folder")
    paths = [path.resolve() for path in (chosen.file, *outputs)]
    if len(set(paths)) < len(paths):
        raise ValueError("FILE, --out and --json: expected different files")
    columns = Columns(chosen.label, chosen.prob, chosen.group, chosen.feature, chosen.cluster, chosen.weight,
                      chosen.time, chosen.classes)  # fmt: skip
    client = _client(chosen)
    form = Form(chosen.sep, chosen.decimal, chosen.encoding, chosen.date_format, chosen.drop_missing, chosen.percent)
    parts = None
    if chosen.file.is_dir():
        rows, n, parts = read_folder(chosen.file, columns, rng=chosen.seed, form=form)
    else:
        rows = read_rows(chosen.file, columns, form=form)
        n = len(rows.y_true)
    progress = sys.stderr.isatty()
    options = {"n_resamples": chosen.draws, "rng": chosen.seed, "progress": progress}
    try:
        found = audit(rows.y_true, rows.y_prob, classes=rows.classes, features=rows.features, groups=rows.groups,
                      weights=rows.weights, cluster=rows.cluster, time=rows.time, design=chosen.design,
                      tolerance=chosen.tolerance, **options)  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{chosen.file}: {error}") from None
    found = replace(found, **{name: in_shell(getattr(found, name)) for name in ("conclusions", "limits", "tables")})
    if parts and n > len(rows.y_true):
        with parallel_config("dask", client=client) if client else nullcontext():
            found = _with_all_rows(found, rows, n, parts, columns, options | {"form": form})
    notes = []
    found, one_case = _with_cases(found, rows)
    notes += one_case
    if rows.left_out:
        found, note = _with_left_out(found, rows, n)
        notes.append(note)
    return found, notes


def _client(chosen):
    """A client of the Dask scheduler, which is asked now and not after minutes; None without one."""
    if not chosen.dask:
        return None
    if not chosen.file.is_dir():
        raise ValueError("--dask: it sums the test of all rows of a folder of parquet files, and FILE is no folder")
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--dask: pip install distributed") from None
    try:
        return Client(chosen.dask, timeout=10, set_as_default=False)
    except (ValueError, OSError) as error:
        wanted = "--dask: expected tcp://HOST:PORT of a scheduler that runs"
        raise ValueError(f"{wanted}, got {chosen.dask!r}: {error}") from None


def _with_cases(audit, rows):
    """The audit, with the name of a column that says which rows belong together, if it was not used; and that line."""
    n, values = len(rows.cases), rows.cases.nunique()
    repeated = values[(values >= FEWEST_CLUSTERS) & (values < n)]
    if not len(repeated):
        return audit, []
    name, count = repeated.index[0], repeated.iloc[0]
    note = f"{name} has {count:,} values in {n:,} rows; --cluster {shlex.quote(name)} if they belong together"
    said = f"It takes rows for independent given the predictions: {note}."
    limits = [said if each.startswith(said.partition(":")[0]) else each for each in audit.limits]
    return replace(audit, limits=limits), [note]


def _with_left_out(audit, rows, n):
    """The audit, with what is known of the rows that were left out for their gaps, and that in one line."""
    columns = " or ".join(listed_names(list(rows.gaps)).replace("'", "").rsplit(", ", 1))
    were = "was" if rows.left_out == 1 else "were"
    note = f"{rows.left_out:,} of {n + rows.left_out:,} rows had no {columns} and {were} left out"
    data = audit.tables["data"]
    row = {"what": "rows dropped, with gaps", "value": rows.left_out}
    row["note"] = ", ".join(f"{name} {count:,}" for name, count in rows.gaps.items())
    data = pd.concat([data[:1], pd.DataFrame([row], dtype=object), data[1:]], ignore_index=True)
    limits = [f"{note}: what they were like is not known.", *audit.limits]
    return replace(audit, tables=audit.tables | {"data": data}, limits=limits), note


def _with_all_rows(audit, rows, n, parts, columns, options):
    """The audit of a sample, with what is known of all rows."""
    m, tables, conclusions = len(rows.y_true), dict(audit.tables), list(audit.conclusions)
    if columns.cluster or columns.weight:
        why = "clusters and weights are not known to the test by parts"
        tables["not_run"] = _more(tables.get("not_run"), what="test of all rows, by parts", why=why)
    else:
        p = pvalue_of_all_rows(parts, columns, rows, **options)
        tables["all rows"] = pd.DataFrame([{"what": "canonical calibration, all rows, by parts", "rows": n, "p": p}])
        conclusions.append(f"The exact test of all {n:,} rows, by parts, is a question of its own: p {short(p)}.")
    limits = [*audit.limits, f"Every other number is about {m:,} rows drawn at random from {n:,}."]
    return replace(audit, tables=tables, limits=limits, conclusions=conclusions)


def _more(table, **row):
    return pd.concat([each for each in (table, pd.DataFrame([row])) if each is not None], ignore_index=True)


def _gate(audit, most):
    """Exit code 1 if the RMS error is shown to exceed `most`, or has no interval; says what it found."""
    if most is None:
        return 0
    size = audit.tables["size"].set_index("quantity").loc["RMS error"]
    interval = f"RMS error {size['estimate']:.3f} [{size['low']:.3f}, {size['high']:.3f}]"
    if size["low"] <= most:
        print(f"{PROG}: {interval}: not shown to exceed {most:g}", file=sys.stderr)
        return 0
    if size["low"] > most:
        print(f"{PROG}: {interval}: exceeds {most:g}", file=sys.stderr)
    else:
        few = f"fewer than {FEWEST} hits or fewer than {FEWEST} misses"
        print(f"{PROG}: the RMS error has no interval to compare with {most:g}: {few}", file=sys.stderr)
    return 1
