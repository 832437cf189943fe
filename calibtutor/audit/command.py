"""``python -m calibtutor audit FILE …``: predictions in a file, their audit in another."""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from ..door.inputs import InputError, check_number
from ..whole import place_of, write
from . import audit, report, sentences
from .clusters import DEPENDENCE
from .table_file import KINDS, arguments_of, read_table

PROG = "python -m calibtutor audit"
ABOUT = f"""Audit of a classifier's predictions: how far off, for whom, and what chance explains.
FILE is a table with named columns ({", ".join(KINDS)}), one row a case; rows are counted from 0.
An array of an npz is a column, or a block of columns, which --y-prob takes whole: --logits --y-prob scores."""
COLUMNS = "y_true y_prob log_prob entropy classes groups features cluster weights time".split()
OPTIONS = "logits percent candidates dependence design tolerance level n_resamples rng".split()
CODES = "Exit code 0: the report is written; 2: bad input, nothing is written; 1: only with --fail-if-exceeds."


def parser(prog=PROG, about=ABOUT, *, audits=True):
    """The command's arguments, or those that it shares with another."""
    parser = argparse.ArgumentParser(prog=prog, description=about, epilog=CODES if audits else CODES.split("; 1:")[0])
    add, only = parser.add_argument, parser.add_argument if audits else lambda *_, **__: None
    add("file", metavar="FILE", type=Path)
    add("--y-true", required=True, metavar="Y", help="column of the labels")
    add("--y-prob", required=True, nargs="+", action="extend", metavar="P", help="columns of the "
        "probabilities: p_cat p_dog, or p0:p99, from one to the other in the file, or ':', all that are not named "
        "otherwise; one alone is P(Y = 1)")
    add("--logits", action="store_true", help="they are logits, whose softmax are the probabilities; one column alone: "
        "log-odds of Y = 1")
    add("--percent", action="store_true", help="they are percents")
    only("--candidates", action="store_true", help="they are log-probabilities of the likeliest of many outcomes, "
        "likeliest first, and Y is the rank of what came: 0, 1, …, or beyond")
    only("--log-prob", metavar="L", help="of candidates: column of the log-probability of what came")
    only("--entropy", metavar="H", help="of candidates: column of the entropy of all outcomes, in nats")
    add("--classes", nargs="+", help="label of each probability column, in order (0:99 is 0, …, 99); of one column "
        "two, and it predicts the second: no yes")
    only("--groups", nargs="+", action="extend", default=[], help="columns that name groups: sex site")
    only("--features", nargs="+", action="extend", default=[], help="columns of features: age dose, or a range, too")
    add("--cluster", help="column that says which rows belong together: patient")
    only("--dependence", choices=DEPENDENCE, default=DEPENDENCE[0], help="within clusters: p-values robust to any "
        "(default), or for the worst")
    add("--weights", help="column of weights")
    only("--time", help="column of periods, or of dates such as 2024-01-31")
    add("--sep", help="what separates columns of text: ';' (default a comma, in a tsv a tab)")
    only("--design", choices=("holdout", "cv", "training"), default="holdout", help="where the predictions come from")
    only("--tolerance", type=float, default=0.05, help="RMS error that would not matter (default .05)")
    add("--level", type=float, default=0.05, help="of the tests (default .05)")
    only("--n-resamples", type=int, default=999, help="redrawn sets of labels (default 999)")
    only("--rng", type=int, default=0, help="of the draws (default 0)")
    add("--out", required=True, type=Path, metavar="REPORT.html", help="the report, one file")
    add("--json", type=Path, metavar="REPORT.json", help="its numbers")
    only("--fail-if-exceeds", type=float, metavar="X", help="exit code 1 if the RMS error is shown to exceed X (its "
        "interval lies above), or has no interval")
    return parser


def main(argv=None):
    """Audit a file; returns the exit code: 1 if the RMS error is shown to exceed the gate, or has no interval."""
    chosen = parser().parse_args(argv)
    (found, code), most = written(PROG, chosen, [chosen.file], _audited), chosen.fail_if_exceeds
    if code or most is None:
        return code
    size = found.tables["size"].set_index("quantity").loc["RMS error"]
    shown = "exceeds" if size["low"] > most else "not shown to exceed"
    verdict = shown if np.isfinite(size["low"]) else "without interval, not comparable with"
    print(f"{PROG}: RMS error {sentences.interval(*size[sentences.ENDS])}: {verdict} {most:g}", file=sys.stderr)
    return 0 if size["low"] <= most else 1


def written(prog, chosen, files, find):
    """What `find` finds, written to --out and --json, and the exit code; of bad input None, and nothing is written."""
    outputs = [path for path in (chosen.out, chosen.json) if path]
    try:
        there = [path for path in outputs if path.exists()]
        if len({*map(place_of, outputs)}) < len(outputs) or any(path.samefile(old) for path in files for old in there):
            raise InputError("FILE, --out and --json", "different files")
        found, page = find(chosen)
        write(dict(zip(outputs, [page, report.as_json(found)], strict=False)))
    except (ValueError, OSError, ImportError) as error:
        print(f"{prog}: {' '.join(str(error).split())}", file=sys.stderr)
        return None, 2
    except KeyboardInterrupt:
        print(f"{prog}: interrupted, nothing is written", file=sys.stderr)
        return None, 130
    said = [f"{what}: {path}{' (replaced what was there)' if path in there else ''}"
            for what, path in zip(("Report", "Numbers"), outputs, strict=False)]
    try:
        print(found.summary(), *said, sep="\n", flush=True)
    except BrokenPipeError:  # nobody reads on: the report is written all the same
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (what is flushed at exit)
    return found, 0


def _audited(chosen):
    """The audit and its page."""
    from .figures import drawn  # noqa: F401 (matplotlib is missing: said now, not after minutes)

    if chosen.fail_if_exceeds is not None:
        check_number(chosen.fail_if_exceeds, "--fail-if-exceeds")
    columns = {name: getattr(chosen, name) for name in COLUMNS}
    options = {name: getattr(chosen, name) for name in OPTIONS}
    table = read_table(chosen.file, chosen.sep, [chosen.y_true, *chosen.groups, *filter(None, [chosen.cluster])])
    try:
        given = arguments_of(table, **columns)
        found = audit(**given, **options, progress=sys.stderr.isatty())
    except InputError as error:
        option = f"--{error.argument.replace('_', '-')}" if error.argument in vars(chosen) else error.argument
        raise error.of(f"{chosen.file}: {option}") from None
    used = [(name, value if isinstance(value, str) else ", ".join(value), _kinds(given[name]))
            for name, value in columns.items() if value]
    found.tables["columns"] = pd.DataFrame(used, columns=["what", "column", "read as"])
    return found, found._page(f"Calibration audit of {chosen.file.name}")


def _kinds(read):
    """What columns of the file were read as, and how many if that is more than three; classes are none."""
    if not hasattr(read, "iloc"):
        return ""
    kinds = pd.DataFrame(read).dtypes.map(pd.api.types.is_numeric_dtype).map({True: "numbers", False: "words"})
    return ", ".join(kinds.unique()) + (f" ({len(kinds)} columns)" if len(kinds) > 3 else "")
