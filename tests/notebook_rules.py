"""What a stored notebook must be, one function a rule: `rule(nb, path)` returns complaints, empty when kept."""

import ast
import base64
import re
from urllib.parse import unquote

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from calibtutor.teach.assignment import LESSON
from calibtutor.teach.notebooks import NOTEBOOKS

VIEW = "application/vnd.jupyter.widget-view+json"
PICTURE_ROOMS = re.compile(r"calibtutor\.(plots|teach\.explore|lessons\.\w+\.scenes)\.")
# Folders of the author's machine; the character before keeps the paths of web addresses out.
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:work|root|tmp|home|opt)/")
MAX_BYTES, MAX_LINES, MIN_EXERCISES = 2**20, 12, 4


def exercises(nb):
    """Names of the exercises a notebook checks, in order of appearance."""
    source = "\n".join(c.source for c in nb.cells if c.cell_type == "code")
    return list(dict.fromkeys(n for n in re.findall(r"\bcheck\.(\w+)\(", source) if n != "report"))


def code_cells(nb):
    """(number, cell) of the code cells that hold code; numbers count all cells from 0."""
    return [(i, c) for i, c in enumerate(nb.cells) if c.cell_type == "code" and c.source.strip()]


def outputs(nb):
    """(cell number, output) of all stored outputs."""
    return [(i, o) for i, c in code_cells(nb) for o in c.outputs]


def pngs(cell):
    """The stored PNG files of a cell, as bytes."""
    found = [o.data["image/png"] for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    return [base64.b64decode(text) for text in found]


def names(nb, called=False):
    """(cell number, dotted name with imports resolved) of all that the code names, or of what it calls."""
    known, found = {}, []
    for i, cell in code_cells(nb):
        nodes = [*ast.walk(ast.parse(TransformerManager().transform_cell(cell.source)))]
        for node in nodes:
            if isinstance(node, ast.Import):
                for a in node.names:
                    known[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom):
                known.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
        used = [node for node in nodes if isinstance(node, ast.Attribute | ast.Name)]
        for node in (node.func for node in nodes if isinstance(node, ast.Call)) if called else used:
            first, _, rest = ast.unparse(node).partition(".")
            found.append((i, f"{known.get(first, first)}.{rest}".rstrip(".")))
    return found


def dead_links(markdown, folder):
    """Targets of links and pictures that should be files, and are not."""
    targets = re.findall(r"\]\(([^)\s]+)", markdown)
    targets += re.findall(r"""(?:src|href)=["']([^"']+)["']""", markdown)
    files = [t for t in targets if not re.match(r"[a-z]+:|#", t)]
    return [t for t in files if not (folder / unquote(t.partition("#")[0])).exists()]


def is_executed(nb, path):
    """Every code cell ran, once, from top to bottom."""
    counts = [c.execution_count for _, c in code_cells(nb)]
    wanted = list(range(1, len(counts) + 1))
    return [] if counts == wanted else [f"execution counts are {counts}, expected {wanted}"]


def has_no_error(nb, path):
    """No cell ends in an exception, no picture reports one, and no warning or log line is left for the reader."""
    complaints = [f"cell {i}: stored error {o.ename}" for i, o in outputs(nb) if o.output_type == "error"]
    complaints += [f"cell {i}: stderr {o.text[:80]!r}" for i, o in outputs(nb) if o.get("name") == "stderr"]
    for i, o in outputs(nb):
        if 'role="alert"' in o.get("data", {}).get("text/html", ""):
            complaints.append(f"cell {i}: an output shows an error to the reader")
    return complaints


def has_twins(nb, path):
    """Beside every live widget stand something to look at and a sentence, for readers without a kernel."""
    complaints = []
    for i, o in outputs(nb):
        if VIEW not in o.get("data", {}):
            continue
        if not {"image/png", "text/html"} & set(o.data):
            complaints.append(f"cell {i}: a widget without image/png or text/html beside it")
        sentence = o.data.get("text/plain", "").strip()
        if len(sentence.split()) < 4 or re.match(r"\w+\(|<", sentence):
            complaints.append(f"cell {i}: a widget has {sentence[:60]!r} for text/plain, expected a sentence")
    return complaints


def has_pictures(nb, path):
    """A cell that calls for a picture holds one."""
    wanted = {i for i, name in names(nb, called=True) if PICTURE_ROOMS.match(name)}
    bare = [i for i in sorted(wanted) if not pngs(nb.cells[i])]
    return [f"cell {i}: calls for a picture and holds no PNG" for i in bare]


def has_no_machine_path(nb, path):
    """Nothing tells where the author's files lie."""
    complaints = []
    for i, cell in enumerate(nb.cells):
        texts = [cell.source]
        for o in cell.get("outputs", []):
            texts += [o.get("text", ""), *o.get("traceback", [])]
            # Encoded pictures hold any five letters sooner or later.
            texts += [v for k, v in o.get("data", {}).items() if k.startswith("text/")]
        for text in texts:
            if hit := MACHINE_PATH.search(text):
                around = text[hit.start() : hit.start() + 40]
                complaints.append(f"cell {i}: machine path {around!r}")
    return complaints


def has_no_address(nb, path):
    """No output is an object's default text: it tells a reader nothing and differs in every run."""
    texts = [(i, o.get("data", {}).get("text/plain", "")) for i, o in outputs(nb)]
    return [f"cell {i}: prints {t[:60]!r}" for i, t in texts if re.search(r"<.* at 0x[0-9a-f]+>", t)]


def is_small(nb, path):
    """At most 1 MB: larger notebooks are slow to open, and some hosts do not show them."""
    size = path.stat().st_size
    return [] if size <= MAX_BYTES else [f"{size / 2**20:.2f} MB, expected at most 1 MB"]


def starts_with_picture(nb, path):
    """Question and picture first: there is a PNG among the first four cells."""
    return [] if any(pngs(c) for c in nb.cells[:4]) else ["no picture within the first 4 cells"]


def has_short_cells(nb, path):
    """Story, calls and pictures; longer code belongs into the package, where it is tested."""
    long = [(i, len(c.source.strip().splitlines())) for i, c in code_cells(nb)]
    return [f"cell {i}: {n} lines of code, expected at most {MAX_LINES}" for i, n in long if n > MAX_LINES]


def has_exercises(nb, path):
    """At least four exercises answer the reader."""
    if {"case_studies", "further", "lectures"} & {*path.parts}:  # they show the method at work; sessions ask
        return []
    found = exercises(nb)
    return [] if len(found) >= MIN_EXERCISES else [f"{len(found)} exercises, expected {MIN_EXERCISES}: {found}"]


def has_live_links(nb, path):
    """Links and pictures that point into the repository point at something."""
    prose = [(i, c.source) for i, c in enumerate(nb.cells) if c.cell_type == "markdown"]
    dead = [(i, target) for i, text in prose for target in dead_links(text, path.parent)]
    return [f"cell {i}: link to {target!r}, which does not exist" for i, target in dead]


RULES = [is_executed, has_no_error, has_twins, has_pictures, has_no_machine_path, has_no_address,
         is_small, starts_with_picture, has_short_cells, has_exercises, has_live_links]

# Lessons of notebooks in further/ and case_studies/: what is asked of each of them runs with what is slow.
PATHS = [path for folder in ("further", "case_studies") for path in NOTEBOOKS.glob(f"{folder}/*.ipynb")]
FURTHER = {LESSON.search(path.read_text(encoding="utf-8"))[1] for path in PATHS}


def sessions_first(names):
    """Parameters of a test: "lesson.name" as it is, marked as slow where the lesson is one of FURTHER."""
    return [pytest.param(n, marks=pytest.mark.slow) if n.partition(".")[0] in FURTHER else n for n in names]
