"""The docstrings of public names keep numpydoc's rules; a fault is named with its function.

Public is what the package exports, the rooms that it exports from, the data, and what notebooks are written with.
The other rooms list what they lend each other: there a line may do, but a section that is written is whole.
"""

import dataclasses
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import calibtutor as ct

ROOT = Path(ct.__file__).parent
LEFT_OUT = {
    "GL01": "the summary begins behind the quotes (PEP 257)",
    "ES01": "a second paragraph where one line says all would be padding",
    "SA01": "relatives stand in the text where they matter, and in help(calibtutor)",
    "EX01": "test_examples.py says which functions need an example, and runs it",
    "SS05": "it takes a noun in the plural for a verb",
}
# Of a line about a loan between rooms: its arguments and what it returns have no section.
NO_SECTION = {"PR01", "RT01", "YD01"}
PUBLIC = {room for room, names in ct._ROOMS.items() if names} | {"data", "recalibration", "kernels"}
TEACH = {"explore", "derive", "exercise", "still", "upload", "handout"}
ROOMS = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__")
    for path in ROOT.rglob("*.py")
    if not {"lessons", "book", "__main__.py"} & set(path.parts)
)


def is_public(room):
    first, _, rest = room.partition("/")
    if first == "teach":
        return rest in TEACH
    return first in PUBLIC and not (first == "audit" and rest)


def names_of(room):
    """What a room lists, and the public methods and properties of its classes, with their objects."""
    module = import_module(f"calibtutor.{room.replace('/', '.')}")
    for name in getattr(module, "__all__", []):
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)) or thing.__module__ != module.__name__:
            continue  # a number or a table; or listed at home
        yield f"{module.__name__}.{name}", thing
        for part, method in vars(thing).items() if inspect.isclass(thing) else ():
            documented = isinstance(method, property) or inspect.isroutine(method) or hasattr(method, "func")
            if documented and not part.startswith("_") and not says_its_base(thing, part):
                yield f"{module.__name__}.{name}.{part}", method


def says_its_base(kind, name):
    """Whether a method without words of its own does for its class what the base's docstring says."""
    return not vars(kind)[name].__doc__ and any(getattr(base, name, None).__doc__ for base in kind.__mro__[1:]
                                                if hasattr(base, name))  # fmt: skip


def faults(name, thing, public=True):
    """What numpydoc finds, without what is left out; of a dataclass, attributes that its docstring leaves out."""
    found = dict(validate(name)["errors"])
    if dataclasses.is_dataclass(thing) and "PR01" in found:
        stated = {each.name for each in NumpyDocString(inspect.getdoc(thing))["Attributes"]}
        stated = {each for names in stated for each in names.split(", ")}
        wanted = {field.name for field in dataclasses.fields(thing) if not field.name.startswith("_")}
        del found["PR01"]
        if wanted - stated:
            found["attributes"] = f"{sorted(wanted - stated)} not documented"
    ignored = LEFT_OUT.keys() | (set() if public else NO_SECTION)
    return [f"{name}: {code} {text}" for code, text in found.items() if code not in ignored]


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_of_a_room(room):
    found = [fault for name, thing in names_of(room) for fault in faults(name, thing, is_public(room))]
    assert found == [], "\n".join(found)


def test_public_rooms_exist():
    assert PUBLIC | {f"teach/{room}" for room in TEACH} <= set(ROOMS)
    exported = {name for room in ROOMS if is_public(room) for name, _ in names_of(room)}
    assert set(ct.__all__) <= {name.rpartition(".")[2] for name in exported}


def careless(x, n=1):
    """returns something

    Parameters
    ----------
    x : array
        what it is
    """
    return x


def test_a_fault_is_named():
    found = faults(f"{__name__}.careless", careless)
    assert {re.match(r"\S+: (\w+)", fault)[1] for fault in found} == {"SS02", "SS03", "PR01", "PR08", "PR09", "RT01"}
    assert "test_docstrings.careless: PR01" in found[2]
