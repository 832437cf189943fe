"""Results computed ahead, so that a scene opens at once.

    python -m calibtutor.lessons.shared.stored [lesson ...]

computes anew, from their seeds, what the functions of a lesson that are marked with `stored` give, and writes it beside
them into `simulations.json`. Without names: every lesson that has such functions, in some minutes.
"""

import json
import sys
from functools import lru_cache, wraps
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np

LESSONS = Path(__file__).resolve().parents[1]
DECIMALS = 8


def stored(*choices):
    """Decorator: what a function gives for every combination of `choices` is read from its lesson's file.

    The decorated function raises KeyError for any other arguments; `__wrapped__` computes; `combinations` lists them.
    """

    def read_instead(compute):
        @wraps(compute)
        def read(*arguments):
            return _content(compute.__module__.split(".")[-2])[compute.__name__][json.dumps(arguments)]

        read.combinations = list(product(*choices))
        return read

    return read_instead


def stored_functions():
    """{lesson: {name: function}} of the lessons that have any."""
    found = {}
    for path in sorted(LESSONS.glob("*/*.py")):
        if "\n@stored(" not in path.read_text(encoding="utf-8"):
            continue
        module = import_module(f"..{path.parent.name}.{path.stem}", __package__)
        for name, each in vars(module).items():
            if hasattr(each, "combinations") and each.__module__ == module.__name__:
                found.setdefault(path.parent.name, {})[name] = each
    return found


def rounded(result):
    """A result as JSON has it: lists of numbers with DECIMALS decimals."""
    return [rounded(each) for each in result] if isinstance(result, tuple) else np.round(result, DECIMALS).tolist()


@lru_cache
def _content(lesson):
    content = json.loads((LESSONS / lesson / "simulations.json").read_text(encoding="utf-8"))
    return {name: {key: _arrays(result) for key, result in results.items()} for name, results in content.items()}


def _arrays(result):
    """Lists of numbers as arrays, lists of unlike things as tuples."""
    if not isinstance(result, list):
        return result
    try:
        return np.array(result)
    except ValueError:
        return tuple(map(_arrays, result))


def main(lessons):
    """Write the files of these lessons, or of all."""
    functions = stored_functions()
    for lesson in lessons or functions:
        content = {name: {json.dumps(key): rounded(each.__wrapped__(*key)) for key in each.combinations}
                   for name, each in functions[lesson].items()}
        path = LESSONS / lesson / "simulations.json"
        # A line a result: short, and a diff shows what changed.
        parts = [",\n".join(f"{json.dumps(key)}: {json.dumps(result)}" for key, result in results.items())
                 for results in content.values()]
        parts = [f"{json.dumps(name)}: {{\n{part}\n}}" for name, part in zip(content, parts, strict=True)]
        path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
        print(f"{lesson}/{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
