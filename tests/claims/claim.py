"""A claim: what the course says, word for word, and the test that supports it."""

import ast
import functools
from collections import defaultdict
from pathlib import Path

import pytest
from seeds import again
from sentences import places, said


def claim(*texts):
    """Mark a test as the support of what the course says: places, each followed by its words.

    A place is a notebook ("01_notions") or a room of a lesson ("notions/exercises"). The test fails when the words are
    no longer said there: then the claim goes, or follows the new words. In a lesson's source " … " stands for what the
    program fills in.
    """

    def mark(test):
        @functools.wraps(test)
        def supported(*args, **kwargs):
            for where, words in by_place(texts):
                if words not in said(where):
                    pytest.fail(f"{where} does not say any more: {words}", pytrace=False)
            try:
                return test(*args, **kwargs)
            except AssertionError:
                if "seeds" not in kwargs:
                    raise
            print("AGAIN")  # by chance, or false: other seeds tell
            return test(*args, **kwargs | {"seeds": again})

        return supported

    return mark


def by_place(texts):
    """The words of a claim, each behind its place."""
    where, *rest = texts
    for text in rest:
        if text in places():
            where = text
        else:
            yield where, text


@functools.cache
def claims():
    """The claims in this folder, read from their source: {"bins::test_whose_ece": its marks, …}."""
    found = defaultdict(list)
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # no claim within a test of claims
            for mark in getattr(node, "decorator_list", []):
                if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "claim":
                    found[f"{path.stem.removeprefix('test_')}::{node.name}"].append(mark)
    return dict(found)


@functools.cache
def quotations():
    """What all claims quote, by place: {where: [words, …]}."""
    found = defaultdict(list)
    for mark in (mark for marks in claims().values() for mark in marks):
        for where, words in by_place(map(ast.literal_eval, mark.args)):
            found[where].append(words)
    return dict(found)
