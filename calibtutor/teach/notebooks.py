"""Run notebooks from a clean kernel and store them with their pictures.

    python -m calibtutor notebooks [NOTEBOOK ...] [--table]

Without names: every notebook under notebooks/. A notebook is replaced only after all its cells ran; running
one twice writes the same bytes unless a result changed; its minutes are counted anew. Prints seconds, peak memory
and size of each. --table also renews the table of notebooks/README.md: goals, needs, minutes and exercises are those of
the notebooks, seconds and memory those of this run (notebooks that did not run keep their last measurement); the tables
of notebooks/plans.md (calibtutor/teach/plans.py); and in notebook 00 the list of lessons and, from
notebooks/notation.md, the letters.
"""

import argparse
import contextlib
import os
import pathlib
import re
import sys
import tempfile
import threading
import time
import uuid

from .. import _course

with _course():
    import nbformat
    import psutil
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

from .minutes import write_minutes
from .plans import renewed
from .slides import mark
from .words import short_table

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = """\
| notebook | the question it answers | minutes | short route |
|---|---|---:|:---:|
"""
VIEW = "application/vnd.jupyter.widget-view+json"
SYLLABUS = """\
| notebook | you will be able to | you need | minutes | optional | exercises | peak MB | run seconds |
|---|---|---|---:|---:|---:|---:|---:|
"""
OPTIONAL = re.compile(r"^## Optional.* \((\d+) min, optional\)$", flags=re.M)
NEEDS = re.compile(r"\*\*You need:\*\* (.+?)\.(?=\s|$)", flags=re.S)


def discover(root=NOTEBOOKS):
    """Notebooks under a folder in reading order: the course first, then its case studies."""
    found = [p for p in root.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts]
    return sorted(found, key=lambda p: (len(p.parts), p))


def exercises(nb):
    """Names of the exercises a notebook checks, in order of appearance."""
    source = "\n".join(c.source for c in nb.cells if c.cell_type == "code")
    return list(dict.fromkeys(n for n in re.findall(r"\bcheck\.(\w+)\(", source) if n != "report"))


@contextlib.contextmanager
def peak_memory():
    """Yield a dict whose "mb" is, at exit, the most memory this process's children held together."""
    peak, done = {"mb": 0.0}, threading.Event()

    def watch():
        while not done.wait(0.05):
            held = 0
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):  # a child may end after being listed
                    held += child.memory_info().rss
            peak["mb"] = max(peak["mb"], held / 2**20)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def run(nb, folder, timeout=300, **kernel):
    """Execute a notebook in place from a clean kernel, started with env=..., if given; return (seconds, peak MB)."""
    client = NotebookClient(
        nb,
        timeout=timeout,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=40"],  # warnings of a kernel on this one machine are no news
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
    )
    start = time.perf_counter()
    with peak_memory() as peak:
        client.execute(**kernel)
    return time.perf_counter() - start, peak["mb"]


def clean(nb, name):
    """Drop what a stored notebook must not hold, and what would differ from one run to the next; mark its slides."""
    # With widget state stored, static pages show an empty widget instead of the picture beside it.
    nb.metadata.pop("widgets", None)
    nb.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    for i, cell in enumerate(nb.cells):
        for key in ("execution", "ExecuteTime", "scrolled", "collapsed"):
            cell.metadata.pop(key, None)
        if not cell.get("id") or len(cell.id) > 40:
            cell["id"] = f"cell-{i:02d}"
        for j, output in enumerate(cell.get("outputs", [])):
            if VIEW in output.get("data", {}):
                # The model is gone with the kernel; a name of our own keeps the file the same every run.
                output.data[VIEW]["model_id"] = uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{i}/{j}").hex
    return mark(nb)


def store(nb, path):
    """Write a notebook so that a reader of the file sees the old one or the new one, never a part."""
    nbformat.validate(nb)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            nbformat.write(nb, file)
        # mkstemp makes a private file; the notebook keeps the mode it had.
        os.chmod(temporary, path.stat().st_mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def execute(path):
    """Run a notebook file and store it; return (seconds, peak MB). If a cell fails: raise, store nothing."""
    nb = nbformat.read(path, as_version=4)
    measured = run(nb, path.parent)
    if "calibtutor" in nb.metadata:
        write_minutes(nb)
    store(clean(nb, path.stem), path)
    return measured


def read_measured(text):
    """The last two columns of a table written earlier: link -> (MB, seconds) as printed."""
    rows = re.findall(r"^\| \[[^]]*\]\(([^)]*)\) \|.*\| *([^|]*?) *\| *([^|]*?) *\|$", text, flags=re.M)
    return {link: (mb, seconds) for link, mb, seconds in rows}


def table(measured, root=NOTEBOOKS):
    """The syllabus as Markdown. `measured`: path -> (seconds, MB); the others keep their last numbers."""
    readme = root / "README.md"
    known = read_measured(readme.read_text(encoding="utf-8")) if readme.exists() else {}
    for path, (seconds, mb) in measured.items():
        known[path.relative_to(root).as_posix()] = (f"{mb:.0f}", f"{seconds:.0f}")
    rows, every, short = [], [], []
    for path in discover(root):
        nb = nbformat.read(path, as_version=4)
        about = nb.metadata.get("calibtutor", {})
        prose = "\n".join(c.source for c in nb.cells if c.cell_type == "markdown")
        heading = re.search(r"^# +(.+)$", prose, flags=re.M)
        title = heading[1].strip() if heading else path.stem
        link = path.relative_to(root).as_posix()
        counts = about.get("minutes", 0), sum(map(int, OPTIONAL.findall(prose))), len(exercises(nb))
        cells = [f"[{title}]({link})", about.get("goals", ""), needs(prose), *counts, *known.get(link, ("", ""))]
        rows.append(f"| {' | '.join(map(str, cells))} |\n")
        if path.parent.name != "lectures":  # a lecture shows what the others have
            every.append(counts)
        if about.get("short_route"):
            short.append(counts)
    for name, all_of_them in (("short route, after 00", short), ("all but the lecture", every)):
        sums = " | ".join(f"**{sum(each)}**" for each in zip(*all_of_them, strict=True))
        rows.append(f"| **{name}** | | | {sums} | | |\n" if sums else "")
    return SYLLABUS + "".join(rows)


def needs(prose):
    """What a notebook says that it needs, in one line and linked from the folder notebooks/."""
    said = NEEDS.search(prose)
    return " ".join(said[1].split()).replace("](../", "](") if said else ""


def renew(text, tables):
    """Markdown with tables in place of those that have the same first row: what it begins with -> table."""
    for head, rows in tables.items():
        table = rf"(?m)^\| {re.escape(head)} .*\n(?:\|.*\n?)*"
        # A function: in a replacement that is a string, LaTeX's backslashes would be escapes.
        text = re.sub(table, lambda _, rows=rows: rows, text)
    return text


def write_syllabus(measured, root=NOTEBOOKS):
    """Renew the tables of the syllabus and of the course plans."""
    readme, plans = root / "README.md", root / "plans.md"
    text = renew(readme.read_text(encoding="utf-8"), {"notebook | you will be able to": table(measured, root)})
    readme.write_text(text, encoding="utf-8")
    plans.write_text(renewed(plans.read_text(encoding="utf-8"), root), encoding="utf-8")


def lessons(root=NOTEBOOKS):
    """The lessons after 00 as Markdown: question, minutes, and whether the short route goes through."""
    rows = []
    for path in sorted(root.glob("[0-9]*.ipynb"))[1:]:
        nb = nbformat.read(path, as_version=4)
        about, title = nb.metadata["calibtutor"], re.search(r"^# +(.+?):", nb.cells[0].source)[1]
        route = "✓" if about.get("short_route") else ""
        rows.append(f"| [{title}]({path.name}) | {about['question']} | {about['minutes']} | {route} |\n")
    return LESSONS + "".join(rows)


def write_start(path=NOTEBOOKS / "00_start_here.ipynb"):
    """Renew the list of lessons and the table of letters in a notebook that has them."""
    nb, notation = nbformat.read(path, as_version=4), (path.parent / "notation.md").read_text(encoding="utf-8")
    tables = {"notebook | the question": lessons(path.parent), "letter | stands for": short_table(notation, path.name)}
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = renew(cell.source, tables)
    store(write_minutes(nb), path)


def main(argv=None):
    """Command line; returns the number of notebooks that failed."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor notebooks", description=__doc__, formatter_class=raw)
    parser.add_argument("notebook", nargs="*", type=pathlib.Path)
    parser.add_argument("--table", action="store_true", help="renew the syllabus and the course plans")
    args = parser.parse_args(argv)
    if not NOTEBOOKS.is_dir() and (args.table or not args.notebook):
        parser.error("no folder notebooks/ beside the package: run this in a clone, or name notebooks, no --table")
    for path in args.notebook:
        if not path.is_file():
            parser.error(f"{path}: no such file")
    measured, failed = {}, 0
    for path in [p.resolve() for p in args.notebook] or discover():
        try:
            seconds, mb = execute(path)
        except CellExecutionError as error:
            failed += 1
            print(f"{path.name}: NOT stored, a cell failed\n{error}", file=sys.stderr)
            continue
        if NOTEBOOKS in path.parents:
            measured[path] = (seconds, mb)
        size = path.stat().st_size / 1024
        print(f"{path.name}: {seconds:.1f} s, peak {mb:.0f} MB, {size:.0f} kB", flush=True)
    if args.table:
        write_start()
        write_syllabus(measured)
    return failed
