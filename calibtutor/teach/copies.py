"""Copies of a notebook: blank, as a student gets it, or filled in; and a teacher's own questions in it."""

import ast
import copy
import inspect
import re
import runpy
import textwrap
from dataclasses import dataclass
from pathlib import Path

from .. import _course

with _course():
    import nbformat

from .exercise import Exercise
from .notebooks import NOTEBOOKS, clean

__all__ = [
    "Variant",
    "blanked",
    "filled",
    "live",
    "point_to_variants",
    "put_variants",
    "read_variants",
    "refuse_strangers",
]

VARIANTS = "variants.py"  # in the folder of the teacher's copies
LESSON = re.compile(r"from calibtutor\.lessons\.(\w+) import")
CHECK = re.compile(r"^check\.(\w+)\((\w+)\)$", flags=re.M)
OFFERED = re.compile(r"[^.?!]*`check\.\w+\.solution\(\)`\.")  # a sentence about what a student's copy does not show


@dataclass(frozen=True)
class Variant:
    """A teacher's own question in place of one of the course's.

    Parameters
    ----------
    cell : str
        What stands above the check: the question as a comment, with ``answer = None`` or a function to fill in.
    exercise : Exercise
        With the name of the one that it replaces.
    """

    cell: str
    exercise: Exercise


def blanked(path, paths, module, own):
    """A notebook as a student gets it.

    Parameters
    ----------
    path : Path
        Of the notebook.
    paths : sequence of Path
        Of all notebooks that are handed out: links to others become words.
    module : str
        Its lesson.
    own : dict
        "lesson.name" -> Variant.

    Returns
    -------
    nbformat.NotebookNode
        Without outputs.
    """
    nb = nbformat.read(path, as_version=4)
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = OFFERED.sub("", live(cell.source, path, paths))
            continue
        cell.update(outputs=[], execution_count=None)
        for name, argument in CHECK.findall(cell.source):
            if variant := own.get(f"{module}.{name}"):
                gap = "\n\n\n" if callable(variant.exercise.reference) else "\n"
                cell.source = f"{variant.cell.rstrip()}{gap}check.{name}({argument})"
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "exercise"]
            cell.metadata["calibtutor"] = {"exercise": name}
    return clean(nb, path.stem)


def filled(nb, exercises):
    """A notebook with the reference in each cell that asks for an answer.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        With its answers blank.
    exercises : dict
        Name -> Exercise.

    Returns
    -------
    nbformat.NotebookNode
        A copy without outputs.
    """
    nb, imported = copy.deepcopy(nb), False
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        cell.update(outputs=[], execution_count=None)
        for name, argument in CHECK.findall(cell.source):
            cell.source = _fill(cell.source, argument, exercises[name].reference)
            if not imported and callable(exercises[name].reference) and "import numpy as np" not in cell.source:
                cell.source = f"import numpy as np\n\n\n{cell.source}"  # a case study may import it further down
        imported = imported or "import numpy as np" in cell.source
    return nb


def read_variants(file):
    """The dict `variants` of a teacher's file; ValueError if it has none, {} for no file."""
    if file is None:
        return {}
    found = runpy.run_path(str(file)).get("variants")
    if not isinstance(found, dict) or not all(isinstance(each, Variant) for each in found.values()):
        raise ValueError(f"variants: expected a dict variants in {file}, 'lesson.name' -> Variant")
    return found


def put_variants(check, file):
    """Put a teacher's own questions in the place of the course's: the first cell of an instructor's copy does it.

    Parameters
    ----------
    check : Checks
        What the notebook imported.
    file : str or Path
        Where the dict `variants` is.
    """
    for name, variant in read_variants(Path(file)).items():
        if name.partition(".")[2] in [each.name for each in check]:
            check.replace(variant.exercise)


def point_to_variants(nb, name):
    """Have an instructor's copy judge variants: right after its lesson is imported."""
    place = next(i for i, cell in enumerate(nb.cells) if cell.cell_type == "code" and LESSON.search(cell.source))
    file = "/".join([".."] * (name.count("/") + 1) + [VARIANTS])
    source = f"from calibtutor.teach.handout import put_variants\n\nput_variants(check, {file!r})"
    nb.cells.insert(place + 1, nbformat.v4.new_code_cell(source, id="put-variants"))


def refuse_strangers(own, lessons, exercises):
    """Say what a variant names that was not handed out, or names otherwise than its exercise."""
    asked = {f"{lessons[name]['module']}.{each}" for name, found in exercises.items() for each in found}
    for name, variant in own.items():
        if name not in asked:
            raise ValueError(
                f"variants: {name!r} is no exercise of these lessons; there are {', '.join(sorted(asked))}"
            )
        if name.partition(".")[2] != variant.exercise.name:
            raise ValueError(f"variants: {name!r} holds an exercise called {variant.exercise.name!r}")


def _fill(source, argument, reference):
    """A cell's source with the reference for its blank."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if callable(reference) and isinstance(node, ast.FunctionDef) and node.name == argument:
            wanted = textwrap.dedent(inspect.getsource(reference)).rstrip()
            (found,) = ast.parse(wanted).body
            same = ast.unparse(found.args) == ast.unparse(node.args) and found.name == node.name
            said = [line for line in map(_comment, lines[node.lineno : node.end_lineno]) if line]  # the question
            head = [lines[node.lineno - 1]] if same else wanted.splitlines()[: found.body[0].lineno - 1]
            lines[node.lineno - 1 : node.end_lineno] = head + said + wanted.splitlines()[found.body[0].lineno - 1 :]
            return "\n".join(lines)
        if not callable(reference) and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == argument:
            comment = _comment(lines[node.end_lineno - 1]).strip()
            lines[node.lineno - 1 : node.end_lineno] = [f"{argument} = {reference!r}  {comment}".rstrip()]
            return "\n".join(lines)
    raise ValueError(f"no blank for {argument} in this cell:\n{source}")


def _comment(line):
    """The comment of a line of a blank, or nothing."""
    return f"    {line[line.index('#') :]}" if "#" in line else ""


def live(text, path, paths):
    """Markdown in which a link to what was not handed out is its words."""
    kept = {*paths, NOTEBOOKS / "README.md", NOTEBOOKS / "errata.md"}
    is_dead = lambda target: (
        not re.match(r"[a-z]+:|#", target) and (path.parent / target.partition("#")[0]).resolve() not in kept
    )
    return re.sub(r"\[([^]]*)\]\(([^)\s]+)\)", lambda link: link[1] if is_dead(link[2]) else link[0], text)
