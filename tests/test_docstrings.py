"""numpydoc's linter on what the package exports, with the methods of its classes; and the examples run."""

import doctest
import importlib
import inspect
import re
from functools import cached_property

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from test_packaging import MODULES, PACKAGE, dotted

import calibtutor as ct

LEFT_OUT = {"ES01": "a second paragraph where one line says all would be padding",
            "SA01": "relatives stand in the text where they matter, and in help(calibtutor)",
            "EX01": "the tests below say which functions need an example, and run it",
            "SS05": "it takes a noun in the plural for a verb",
            **dict.fromkeys(("SS02", "PR08", "RT04"), "formulas and symbols have no capitals: λ is not Λ"),
            "RT02": "one line may name two values that are returned"}
METHODS = classmethod, staticmethod, property, cached_property, type(lambda: None)


def documented():
    """Dotted name -> object: what is exported, and the public methods that are written down where they are."""
    for name in ct.__all__:
        thing = getattr(ct, name)
        yield f"{thing.__module__}.{thing.__qualname__}", thing
        for part, method in vars(thing).items() if inspect.isclass(thing) else ():
            public = isinstance(method, METHODS) and not part.startswith("_") and part not in fields(thing)
            if public and method.__doc__:
                yield f"{thing.__module__}.{thing.__qualname__}.{part}", method


def fields(thing):
    """The public fields of a dataclass or a named tuple."""
    names = getattr(thing, "__dataclass_fields__", None) or getattr(thing, "_fields", ())
    return [name for name in names if not name.startswith("_")]


def faults(name, thing):
    """What numpydoc finds, without what is left out; of a record, fields that its docstring leaves out."""
    found = [error for error in validate(name)["errors"] if error[0] not in LEFT_OUT]
    if inspect.isclass(thing) and (record := fields(thing)):
        doc = NumpyDocString(inspect.getdoc(thing) or "")
        stated = {each for entry in doc["Attributes"] + doc["Parameters"] for each in entry.name.split(", ")}
        found = [error for error in found if error[0] != "PR01"]
        found += [("attributes", field) for field in record if field not in stated]
    return found


@pytest.mark.filterwarnings("ignore:Widget")  # numpydoc looks at every attribute of a class
@pytest.mark.parametrize("name", DOCUMENTED := dict(documented()))
def test_docstring(name):
    assert faults(name, DOCUMENTED[name]) == []


LIBRARY = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] not in ("teach", "lessons", "reproductions")]


def task(name):
    """The names in the package's map behind one task."""
    (block,) = re.findall(rf"^{name} +((?:.+\n)(?: {{10}}.+\n)*)", ct.__doc__, flags=re.M)
    return block.split()


FUNCTIONS = [name for each in ("measure", "test", "locate", "repair", "choose") for name in task(each)]


@pytest.mark.parametrize("path", LIBRARY, ids=dotted)
def test_examples_print_what_they_say(path):
    module = importlib.import_module(dotted(path).removesuffix(".__init__"))
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_the_map_names_has_an_example(name):
    doc = inspect.getdoc(getattr(ct, name))
    if shared := re.search(r"Example: `(\w+)`", doc):
        doc = inspect.getdoc(getattr(ct, shared[1]))
    _, _, section = doc.partition("\nExamples\n--------\n")
    examples = doctest.DocTestParser().get_examples(section)
    assert 2 <= len(examples) <= 8
    assert any(re.match(rf"from calibtutor import .*\b{name}\b", each.source) for each in examples)  # can be copied
    assert any(each.want for each in examples)  # and prints something to compare
