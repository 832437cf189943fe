"""A notebook as an assignment in nbgrader's format, and as a student gets it.

Every exercise becomes two cells: the course's own, in which the reference stands between BEGIN SOLUTION and END
SOLUTION, and one that gives points for it by a hidden test. An open question becomes a task that a person marks, with
its rubric between BEGIN MARK SCHEME and END MARK SCHEME. Students' copies lack what stands between such lines.

**Hidden tests are plain.** They run in the kernel that a student's code ran in, so they do not ask `check`, which that
code can have changed: they hold the sources of the reference, of the inputs and of the comparison, cut out of the
lesson (`plain`), and draw inputs from a seed that no student's copy has.
"""

import ast
import copy
import inspect
import re
import textwrap

from .. import _course

with _course():
    from nbformat.v4 import new_code_cell, new_markdown_cell

from . import answers
from .exercise import TRIALS
from .notebooks import NOTEBOOKS
from .source import lambda_source

LESSON = re.compile(r"from calibtutor\.lessons\.(\w+) import")
EARLIER = re.compile(r"^from calibtutor\.lessons\.\w+\.exercises import check as (\w+)$", re.M)
CHECK = re.compile(r"^check\.(\w+)\((\w+)\)$", flags=re.M)
OFFERED = re.compile(r"[^.?!]*`check\.\w+\.solution\(\)`\.")  # a sentence about what a class's copy does not show
LINK = re.compile(r"\[([^]]*)\]\((?!#|[a-z]+:)[^)\s]+\)")  # to another file of the course, which a class need not have
SOLUTION = re.compile(r"(?<=\n)### BEGIN SOLUTION\n.*?### END SOLUTION(?=\n)", flags=re.S)
KEPT = re.compile(r"\n[^\n]*BEGIN (HIDDEN TESTS|MARK SCHEME)\b.*?END \1[^\n]*", flags=re.S)  # by the teacher
QUESTION = re.compile(r"([^|]+?)\n\n(\| points \|.+?)(?:\n\n|\Z)", flags=re.S)
VALUE, FUNCTION = 1, 2  # points
OPEN = """\
**Open question** ({points} points). {question}

=== BEGIN MARK SCHEME ===

{rubric}

=== END MARK SCHEME ==="""
TEST = """\
# Points for `{name}` are given here, when the notebook is marked.
### BEGIN HIDDEN TESTS
def hidden_test(answer):
{sources}

{body}

hidden_test({argument})
### END HIDDEN TESTS"""
OF_VALUE = """\
right = {right!r}
if isinstance(answer, str) and not isinstance(right[0], str):
    answer = number(answer)
fits = any(same(answer, each, {tolerance!r}) or decimals(answer, each) for each in right)
assert fits, "another answer than the reference's"
"""
OF_FUNCTION = """\
inputs = ({inputs})
rng = np.random.default_rng({seed})
for _ in range({trials}):
    given = inputs(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader takes what a cell says on stderr for a failure
        wanted, found = (function(*copy.deepcopy(given)) for function in ({reference}, answer))
    fits = same(found, wanted, {tolerance!r}) or decimals(found, wanted)
    assert fits, f"for {{given}} expected {{wanted}}, got {{found}}"
"""


def assignment(nb, exercises, questions, seed):
    """A notebook as its teacher keeps it, in nbgrader's `source/`; `seed` draws the hidden tests' inputs."""
    nb, cells, closed = copy.deepcopy(nb), [], False
    for cell in nb.cells:
        cells.append(cell)
        if cell.cell_type == "markdown":
            cell.source = OFFERED.sub("", LINK.sub(r"\1", cell.source))
            continue
        cell.update(outputs=[], execution_count=None)
        if not closed and LESSON.search(cell.source) and exercises:
            cell.source, closed = f"{cell.source}\n\ncheck.close()", True
        cell.source = EARLIER.sub(r"\g<0>\n\1.close()", cell.source)  # that lesson's solutions are this class's, too
        for name, argument in CHECK.findall(cell.source):
            one = exercises[name]
            cell.source = _solved(cell.source, argument, one)
            cell.metadata["nbgrader"] = _about(name, solution=True)
            test = new_code_cell(hidden_test(one, argument, seed), id=f"test-{name}"[:60])
            points = FUNCTION if callable(one.reference) else VALUE
            test.metadata["nbgrader"] = _about(f"test-{name}", points=points, grade=True, locked=True)
            cells.append(test)
    for k, (question, rubric) in enumerate(questions):
        points = _points(rubric)
        task = new_markdown_cell(OPEN.format(points=points, question=question, rubric=rubric), id=f"open-{k}")
        task.metadata["nbgrader"] = _about(f"open-{k}", points=points, task=True, locked=True)
        cells += [task, new_markdown_cell("*Your answer:*", id=f"answer-{k}")]
    nb.cells = cells
    return nb


def students_copy(nb):
    """An assignment without what students do not get, as nbgrader's `generate_assignment` releases it."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        cell.source = KEPT.sub("", SOLUTION.sub("", cell.source))
    return nb


def hidden_test(exercise, argument, seed):
    """Code that raises unless the answer held by `argument` is right, and uses nothing of the course."""
    if not callable(exercise.reference):
        sources = plain(answers, "same", "number", "decimals")
        body = OF_VALUE.format(right=(exercise.reference, *exercise.accept), tolerance=exercise.tolerance)
    else:
        lesson, reference = inspect.getmodule(exercise.reference), exercise.reference.__name__
        inputs = lambda_source(exercise.inputs) or exercise.inputs.__name__
        parts = "import copy\nimport warnings", plain(answers, "same", "decimals"), plain(lesson, reference, inputs)
        sources = "\n\n\n".join(parts)
        about = {"inputs": inputs, "reference": reference, "tolerance": exercise.tolerance}
        # More than the check, which a reader waits for: a mistake that shows on one input of eight would pass twenty of
        # them in one seed of fifteen.
        body = OF_FUNCTION.format(**about, seed=seed, trials=10 * TRIALS)
    sources, body = (textwrap.indent(each, "    ") for each in (sources, body))
    return TEST.format(name=exercise.name, argument=argument, sources=sources, body=body)


def plain(module, *expressions):
    """The part of a module's source that these expressions need: imports, constants and functions, in its order.

    ValueError if that uses something imported from the course: it must run anywhere.
    """
    text = inspect.getsource(module)
    tree = ast.parse(text)
    defined = {name: node for node in tree.body for name in _defines(node)}
    needed = [ast.parse(each) for each in expressions]
    for part in needed:  # it grows
        names = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)} & defined.keys()
        needed += {defined[name] for name in names}.difference(needed)
    parts = []
    for node in (node for node in tree.body if node in needed):
        if isinstance(node, ast.ImportFrom) and (node.level or node.module.split(".")[0] == "calibtutor"):
            raise ValueError(f"{module.__name__}: not plain, since {', '.join(expressions)} need {ast.unparse(node)}")
        gap = "\n" if isinstance(node, ast.Import | ast.ImportFrom) else "\n\n\n"
        parts.append(gap + ast.get_source_segment(text, node))
    return "".join(parts).strip()


def open_questions(name):
    """The open questions of one notebook, from notebooks/open_questions.md: (question, rubric) each."""
    text = (NOTEBOOKS / "open_questions.md").read_text(encoding="utf-8")
    part = re.search(rf"^## {re.escape(name)}\n\n(.*?)(?=^## |\Z)", text, flags=re.S | re.M)
    return [(question.strip(), rubric.strip()) for question, rubric in QUESTION.findall(part[1])] if part else []


def _points(rubric):
    return sum(map(int, re.findall(r"^\| (\d+) \|", rubric, flags=re.M)))


def _about(name, **kind):
    kinds = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    return {"schema_version": 3, "grade_id": name} | kinds | kind


def _solved(source, argument, exercise):
    """An exercise's cell with the reference above its check; the blank stays, and comes first."""
    if callable(exercise.reference):
        name = exercise.reference.__name__
        answer = plain(inspect.getmodule(exercise.reference), name)
        answer += f"\n\n\n{argument} = {name}" if name != argument else ""
    else:
        answer = f"{argument} = {exercise.reference!r}"
    asked, gap = f"check.{exercise.name}({argument})", "\n\n" if callable(exercise.reference) else "\n"
    above, below = source.split(asked)
    return f"{above.rstrip()}{gap}### BEGIN SOLUTION\n{answer}\n### END SOLUTION\n{asked}{below}"


def _defines(node):
    """Names that a statement of a module defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.asname or each.name for each in node.names]
    if isinstance(node, ast.Assign):
        return [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
