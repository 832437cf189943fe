"""The code of a picture: the functions that compute it, as text that runs when it is pasted into a cell."""

import ast
import contextlib
import html
import inspect
import textwrap
from collections import defaultdict

import calibtutor


def source(functions):
    """The source of functions, with the imports and constants that they need: it runs when it is pasted into a cell.

    ValueError for a function that uses variables of the function around it: pasted alone it would not run.
    """
    functions = [inspect.unwrap(each) for each in several(functions)]
    needed, bodies = {}, []
    for each in functions:
        if each.__code__.co_freevars:
            names = ", ".join(each.__code__.co_freevars)
            raise ValueError(f"code: {each.__name__} uses {names} of the function around it; pass them as arguments")
        needed |= _globals(each)
        text = textwrap.dedent(inspect.getsource(each))
        bodies.append(text[text.index("def ") :].rstrip())  # without its decorators
    for each in functions:
        needed.pop(each.__name__, None)
    return "\n\n\n".join(["\n".join(_head(needed)), *bodies] if needed else bodies)


def function_source(function):
    """The source of a function or of a lambda, with what it uses of its own module."""
    found = [lambda_source(function) or textwrap.dedent(inspect.getsource(function)).strip()]
    for each in _globals(function).values():
        if inspect.isfunction(each) and each.__module__ == function.__module__ and each is not function:
            found.append(inspect.getsource(each).strip())
    return "\n\n".join(found)


def lambda_source(function):
    """The source of a lambda; None of any other function."""
    if function.__name__ != "<lambda>":
        return None
    text = inspect.getsource(function)
    text = text[text.index("lambda") :]
    while True:  # it stands in a call, of which its line may hold the end
        with contextlib.suppress(SyntaxError):
            if isinstance(ast.parse(text, mode="eval").body, ast.Lambda):
                return text
        text = text[:-1]


def several(functions):
    """The functions as a tuple, one alone too."""
    return tuple(functions) if isinstance(functions, tuple | list) else (functions,)


def _globals(function):
    """What a function takes from its module, by name."""
    codes, names = [function.__code__], set()
    while codes:
        code = codes.pop()
        names |= set(code.co_names)
        codes += [each for each in code.co_consts if inspect.iscode(each)]
    return {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}


def _head(needed):
    """Imports, by module and the public door where there is one, and constants."""
    rooms, constants = defaultdict(list), []
    for name, value in needed.items():
        if inspect.ismodule(value):
            room, _, last = value.__name__.rpartition(".")
        elif inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value)):
            room, last = value.__module__, value.__name__
            room = "calibtutor" if last in calibtutor.__all__ and room.startswith("calibtutor.") else room
        elif type(value).__name__ == "ufunc":  # those of NumPy are called np.exp
            room, last = "scipy.special", value.__name__
        else:
            constants.append(f"{name} = {value!r}")
            continue
        rooms[room].append(last + (f" as {name}" if name != last else ""))
    alone = [f"import {each}" for each in rooms.pop("", ())]
    return alone + [f"from {room} import {', '.join(names)}" for room, names in rooms.items()] + constants


def folded(code):
    """The code, folded, as HTML."""
    inside = f"<pre style='line-height:1.35;font-size:13px;white-space:pre-wrap'>{html.escape(code)}</pre>"
    return f"<details><summary>The code</summary>{inside}</details>" if code else ""
