"""What a handed-in notebook answers: for each exercise the code that its answer needs, and nothing else.

A notebook takes a minute and half a gigabyte to run, and most of it is ours. Of a submission only the argument of
``check.<name>(...)`` is wanted, with the statements before it that define the names it uses, and the names these use.
Nothing is run here: the code is read.
"""

import ast
import json
import re
import symtable
from dataclasses import dataclass

__all__ = ["Answer", "answers", "code_cells"]

LARGEST = 20 * 2**20  # bytes of a notebook file: ours have less than 2 MB with all their pictures
LONGEST = 200_000  # letters of code in all: ours have 15,000
ATTEMPTS, PASSES = 3, 100  # cells that answer one exercise, functions that call the next: what is looked at of them
IPYTHON = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", flags=re.M)  # %matplotlib inline, !pip, gap?
REACHES = {"calibtutor.teach", "ctypes", "gc", "importlib", "inspect", "marshal", "os", "pathlib",
           "pickle", "pkgutil", "requests", "runpy", "shutil", "signal", "socket", "subprocess", "sys", "threading",
           "urllib", "__import__", "compile", "eval", "exec", "globals", "open"}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """How one exercise was answered.

    Attributes
    ----------
    code : str
        What defines the answer; empty if nothing is needed, or if there is no answer.
    value : str
        The expression that was handed to the check, or empty: no cell asks the check, or its code cannot be read.
    problem : str
        What is wrong with it in words, or empty.
    reaches : tuple of str
        What it uses that an answer has no need of: a reason for a teacher to look at it, and no more.
    """

    code: str = ""
    value: str = ""
    problem: str = ""
    reaches: tuple = ()


def code_cells(path):
    """The code cells of a notebook file.

    Parameters
    ----------
    path : Path
        Of the file.

    Returns
    -------
    list of (str, str)
        Id and source of each.

    Raises
    ------
    ValueError
        When it is no notebook; the message says why.
    """
    size = path.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{size / 2**20:.0f} MB, expected at most {LARGEST / 2**20:.0f}")
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found = [(str(c.get("id", "")), "".join(c["source"])) for c in cells if c["cell_type"] == "code"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is no notebook ({type(error).__name__})") from None
    if sum(len(source) for _, source in found) > LONGEST:
        raise ValueError(f"more than {LONGEST:,} letters of code")
    return found


def answers(cells, exercises):
    """What the code cells of a notebook answer.

    Parameters
    ----------
    cells : list of (str, str)
        Id and source of each, in their order.
    exercises : dict
        Name -> id of the cell that asked it, for an answer whose check was taken away.

    Returns
    -------
    dict
        Name -> list of Answer, for each name: of the last cells that ask the check, in their order; empty if none.
    """
    found, before = {name: [] for name in exercises}, []  # a problem in words, or (value, statements before it)
    for place, source in cells:
        statements, problem = _statements(source)
        asked = [name for name, home in exercises.items() if f"check.{name}(" in source or place == home]
        if problem:
            for name in asked:
                found[name].append(problem)
            continue
        calls = {name: argument for name, argument in _checked(statements) if name in exercises}
        for name in asked:
            if name not in calls:  # the cell is there, its check is not
                defined = set().union(*(each.binds for each in statements))
                calls |= {each: own for each, own in ((name, "answer"), (name, name)) if own in defined}
        for name, value in calls.items():
            found[name].append((value, len(before) + len(statements)))
        before += statements
    return {
        name: [Answer(problem=a) if isinstance(a, str) else _answer(a[0], before[: a[1]]) for a in asked[-ATTEMPTS:]]
        for name, asked in found.items()
    }


def _statements(source):
    """The statements of a cell, or what is wrong with it."""
    try:
        try:
            body = ast.parse(source).body
        except SyntaxError:  # lines for IPython define nothing
            body = ast.parse(IPYTHON.sub(r"\1pass", source)).body
        return [_Statement(node) for node in body], ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # null bytes, a thousand brackets, ...
        return [], f"its cell cannot be read: {type(error).__name__}: {error}"


def _checked(statements):
    """(name, argument as source) of the calls check.name(argument) in these statements, in their order."""
    for statement in statements:
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                if isinstance(node.func.value, ast.Name) and node.func.value.id == "check" and len(given) == 1:
                    yield node.func.attr, ast.unparse(given[0])


def _answer(value, before):
    needed = _needed(_Statement(ast.parse(value).body[0]), before)
    if needed is None:
        return Answer(problem="its functions call one another too deeply to be read")
    code = "\n".join(each.source for each in needed)
    mentions = _mentions(ast.parse(f"{code}\n{value}"))
    return Answer(code, value, "", tuple(sorted({m for m in mentions if m in REACHES or m.endswith(".exercises")})))


class _Statement:
    """A statement with the names that it binds and uses. `later`: those that a function in it looks up when called."""

    def __init__(self, node):
        self.node, self.source = node, ast.unparse(node)
        top = symtable.symtable(self.source, "cell", "exec")
        self.binds = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
        self.uses = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
        self.later = set().union(*(_globals(child) for child in top.get_children()))
        self.is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        # A plain one starts afresh; a[0] = 1, a.append(1) and an `if` change what was there.
        plain = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        self.is_plain = isinstance(node, plain)
        changed = set() if isinstance(node, plain[2:]) else _changed(node) - {"check"}
        if changed:
            self.binds, self.is_plain = self.binds | changed, False


def _globals(table):
    """Names that a function, or a function within it, takes from its module."""
    own = {s.get_name() for s in table.get_symbols() if s.is_global()}
    return own.union(*(_globals(child) for child in table.get_children()))


def _changed(node):
    """Names of what a statement changes in place: a[0] = 1, a.b = 1, a.append(1)."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store)]
    calls = [n.value.func for n in ast.walk(node) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    return {_root(each) for each in found + [call for call in calls if isinstance(call, ast.Attribute)]} - {""}


def _root(node):
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _needed(wanted, before):
    """The statements among those before that the wanted one depends on, in their order; None if that has no end."""
    called = set(wanted.later)
    for _ in range(PASSES):
        names, later, kept = wanted.uses | called, set(called), []
        for each in reversed(before):
            if not (each.binds & names or each.is_star):
                continue
            kept.append(each)
            if each.is_plain:
                names = names - each.binds
            names, later = names | each.uses, later | each.later
        if later == called:
            return kept[::-1]
        called = later
    return None


def _mentions(tree):
    """Modules that are imported and names that are used, dotted ones also by their first parts."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Name):
            found.add(node.id)
    parts = [name.split(".") for name in found]
    return {".".join(part[: n + 1]) for part in parts for n in range(len(part))}
