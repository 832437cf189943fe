"""The examples in the library's docstrings run, and whoever looks up a function of the map finds one."""

import doctest
import importlib
import inspect
import re

import pytest
from test_packaging import MODULES, PACKAGE, dotted

import calibtutor

LIBRARY = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] not in ("teach", "lessons", "reproductions")]


def task(name):
    """The names in the package's map behind one task."""
    (block,) = re.findall(rf"^{name} +((?:.+\n)(?: {{10}}.+\n)*)", calibtutor.__doc__, flags=re.M)
    return block.split()


FUNCTIONS = [name for each in ("measure", "test", "locate", "repair", "choose") for name in task(each)]


@pytest.mark.parametrize("path", LIBRARY, ids=dotted)
def test_examples_print_what_they_say(path):
    module = importlib.import_module(dotted(path).removesuffix(".__init__"))
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_every_name_of_the_map_stands_under_one_task():
    named = FUNCTIONS + task("prepare")
    assert len(named) == len(set(named)) and len(FUNCTIONS) > 30  # that the map has all: test_packaging


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_the_map_names_has_an_example(name):
    doc = inspect.getdoc(getattr(calibtutor, name))
    if shared := re.search(r"Example: `(\w+)`", doc):
        doc = inspect.getdoc(getattr(calibtutor, shared[1]))
    _, _, section = doc.partition("\nExamples\n--------\n")
    examples = doctest.DocTestParser().get_examples(section)
    assert 2 <= len(examples) <= 8
    assert any(re.match(rf"from calibtutor import .*\b{name}\b", each.source) for each in examples)  # can be copied
    assert any(each.want for each in examples)  # and prints something to compare
