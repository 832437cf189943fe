"""The docstrings of public names keep numpydoc's rules; a fault is named with its function.

Public is what the package exports, the rooms that it exports from, the data, and what notebooks are written with.
The other rooms list what they lend each other: there a line may do, but a section that is written is whole. Not looked
at are the lessons, where a docstring may be a question, and the rooms of the book, which serve one command.
"""

import ast
import inspect
import re
import textwrap
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import calibtutor as ct

ROOT = Path(ct.__file__).parent
pytestmark = pytest.mark.filterwarnings("ignore:Widget")  # numpydoc looks at every attribute of a class
LEFT_OUT = {
    "ES01": "a second paragraph where one line says all would be padding",
    "SA01": "relatives stand in the text where they matter, and in help(calibtutor)",
    "EX01": "test_examples.py says which functions need an example, and runs it",
    "SS05": "it takes a noun in the plural for a verb",
}
# Of what rooms lend each other: a line about it need not have sections, nor these a word on every entry.
SHORT = {"PR01", "PR04", "PR07", "RT01", "RT03", "YD01", "attributes"}
METHODS = FunctionType, classmethod, staticmethod, property, cached_property
PUBLIC = {room for room, names in ct._ROOMS.items() if names} | {"data", "door"}
TEACH = "controls derive exercise explore grade handout sheet source still submission upload words".split()
ROOMS = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__")
    for path in ROOT.rglob("*.py")
    if not {"lessons", "book"} & set(path.parts) and path.relative_to(ROOT).as_posix()[:2] != "__"
)


def is_public(room):
    first, _, rest = room.partition("/")
    return rest in TEACH if first == "teach" else first in PUBLIC and not (first == "audit" and rest)


def names_of(room):
    """What a room lists, and the public methods and properties of its classes, with their objects."""
    module = import_module(f"calibtutor.{room.replace('/', '.')}")
    for name in getattr(module, "__all__", []):
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)) or thing.__module__ != module.__name__:
            continue  # a number or a table; or listed at home
        yield f"{module.__name__}.{name}", thing
        for part, method in vars(thing).items() if inspect.isclass(thing) else ():
            overrides = any(hasattr(base, part) for base in thing.__mro__[1:])  # its base's words hold for it
            is_method = isinstance(method, METHODS) and part not in record_of(thing) and not part.startswith("_")
            if is_method and (method.__doc__ or not overrides):
                yield f"{module.__name__}.{name}.{part}", method


def faults(name, thing, public=True):
    """What numpydoc finds, without what is left out; of a record, attributes that its docstring leaves out."""
    doc = NumpyDocString(inspect.getdoc(thing) or "")
    found = [(code, text) for code, text in validate(name)["errors"] if not is_no_fault(code, doc)]
    if record := record_of(thing):
        stated = {each for entry in doc["Attributes"] + doc["Parameters"] for each in entry.name.split(", ")}
        found = [(code, text) for code, text in found if code != "PR01"]
        found += [("attributes", f"{field} is not documented") for field in record if field not in stated]
    if public and inspect.isfunction(thing) and refuses(thing) and not doc["Raises"]:
        found.append(("Raises", "it refuses input and does not say which"))
    ignored = LEFT_OUT.keys() | (set() if public else SHORT)
    return [f"{name}: {code} {text}" for code, text in found if code not in ignored]


def record_of(thing):
    """The public fields of a dataclass or a named tuple."""
    names = getattr(thing, "__dataclass_fields__", None) or getattr(thing, "_fields", ())
    return [name for name in names if not name.startswith("_")] if inspect.isclass(thing) else []


def is_no_fault(code, doc):
    """Formulas and symbols have no capitals, λ is not Λ; and one line may name two values that are returned."""
    if code == "RT02":
        return ", " in doc["Returns"][0].name
    if code in ("SS02", "PR08", "RT04"):
        first = [doc["Summary"], *(each.desc for each in doc["Parameters"] + doc["Returns"])]
        return not any(re.match(r"[a-zα-ω][a-z]+(?!\()\b", lines[0]) for lines in first if lines)
    return False


def refuses(function):
    """Whether a function raises an error itself, or has its arguments checked."""
    nodes = list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    return any(isinstance(node, ast.Raise) for node in nodes) or any("check_" in name for name in called)


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_of_a_room(room):
    exported, found = [getattr(ct, name) for name in ct.__all__], []
    classes = {f"{each.__module__}.{each.__name__}" for each in exported}
    for name, thing in names_of(room):
        found += faults(name, thing, is_public(room) or thing in exported or name.rpartition(".")[0] in classes)
    assert found == [], "\n".join(found)


def test_public_rooms_exist():
    assert PUBLIC | {f"teach/{room}" for room in TEACH} <= {*ROOMS, "data"}
    assert set(ct.__all__) <= {name.rpartition(".")[2] for room in ROOMS for name, _ in names_of(room)}


def careless(x, n=1):
    """returns something

    Parameters
    ----------
    x : array
        what it is
    """
    if x is None:
        raise ValueError("x: expected an array")
    return x


def test_a_fault_is_named():
    found = faults(f"{__name__}.careless", careless)
    codes = {re.match(r"\S+\.careless: (\w+)", fault)[1] for fault in found}
    assert codes == {"SS02", "SS03", "PR01", "PR08", "PR09", "RT01", "Raises"}
