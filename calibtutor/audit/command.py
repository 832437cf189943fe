"""``python -m calibtutor audit FILE …``: predictions in a file, their audit in another."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..inputs import InputError
from . import audit, report
from .intervals import FEWEST
from .table_file import KINDS, Columns, read_table

PROG = "python -m calibtutor audit"
ABOUT = f"""Audit of a classifier's predictions: how far off, for whom, and what chance explains.
FILE is a table with named columns ({", ".join(KINDS)}), one row a case; rows are counted from 0."""
CODES = "Exit code 0: the report is written; 2: bad input, nothing is written; 1: only with --fail-if-exceeds."


def _list(text):
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"expected names with commas between, got {text!r}")
    return names


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
    add("--groups", type=_list, default=[], help="columns that name groups: sex,site")
    add("--features", type=_list, default=[], help="columns of features: age,dose")
    add("--cluster", help="column that says which rows belong together: patient")
    add("--weights", help="column of weights")
    add("--time", help="column of periods, or of dates such as 2024-01-31")
    add("--sep", help="what separates columns of text: ';' (default a comma, in a tsv a tab)")
    add("--design", choices=("holdout", "cv", "training"), default="holdout", help="where the predictions come from")
    add("--tolerance", type=float, default=0.05, help="RMS error that would not matter (default .05)")
    add("--draws", type=int, default=999, help="redrawn sets of labels (default 999)")
    add("--seed", type=int, default=0, help="of the draws (default 0)")
    add("--out", required=True, type=Path, metavar="REPORT.html", help="the report, one file")
    add("--json", type=Path, metavar="REPORT.json", help="its numbers")
    add("--fail-if-exceeds", type=float, metavar="X", help="exit code 1 if the RMS error is shown to exceed X (its "
        "95%% interval lies above), or has no interval")  # fmt: skip
    return parser


def main(argv=None):
    """Audit a file; returns the exit code."""
    chosen = parser().parse_args(argv)
    try:
        found = _audited(chosen)
        texts = {chosen.out: report.page(found, f"Calibration audit of {chosen.file.name}")}
        if chosen.json:
            texts[chosen.json] = report.as_json(found)
        report.write(texts)
    except (ValueError, OSError, ImportError) as error:
        print(f"{PROG}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(found.summary())
    print(f"\nReport: {chosen.out}{f'; numbers: {chosen.json}' if chosen.json else ''}")
    return _gate(found, chosen.fail_if_exceeds)


def _audited(chosen):
    from .figures import drawn  # noqa: F401 (matplotlib is missing: said now, not after minutes)

    _check_outputs(chosen)
    columns = Columns(*(getattr(chosen, name) for name in Columns.__dataclass_fields__))
    table = read_table(chosen.file, chosen.sep)
    options = {"design": chosen.design, "tolerance": chosen.tolerance, "n_resamples": chosen.draws, "rng": chosen.seed}
    try:
        found = audit(**columns.arguments(table), **options, progress=sys.stderr.isatty())
    except InputError as error:
        error = columns.in_columns(error, table)
        name = {"n_resamples": "draws", "rng": "seed"}.get(error.argument, error.argument)
        raise error.of(f"{chosen.file}: {f'--{name}' if name in vars(chosen) else name}") from None
    used = [(name, ", ".join([value] if isinstance(value, str) else value))
            for name, value in vars(columns).items() if value]  # fmt: skip
    return replace(found, tables=found.tables | {"columns": pd.DataFrame(used, columns=["what", "column"])})


def _check_outputs(chosen):
    outputs = [path for path in (chosen.out, chosen.json) if path]
    for path in outputs:
        if not path.parent.is_dir():
            raise InputError(str(path), f"a folder {path.parent}", found="none")
        if path.is_dir():
            raise InputError(str(path), "the name of a file", found="a folder")
    if len({path.resolve() for path in (chosen.file, *outputs)}) <= len(outputs):
        raise InputError("FILE, --out and --json", "different files")


def _gate(found, most):
    """Exit code 1 if the RMS error is shown to exceed `most`, or has no interval; says what it found."""
    if most is None:
        return 0
    size = found.tables["size"].set_index("quantity").loc["RMS error"]
    said = f"RMS error {size['estimate']:.3f} [{size['low']:.3f}, {size['high']:.3f}]"
    if size["low"] > most:
        said += f": exceeds {most:g}"
    elif size["low"] <= most:
        said += f": not shown to exceed {most:g}"
    else:
        said = f"the RMS error has no interval to compare with {most:g}: fewer than {FEWEST} hits or misses"
    print(f"{PROG}: {said}", file=sys.stderr)
    return 0 if size["low"] <= most else 1
