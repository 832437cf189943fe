"""What the plain Python of a formula runs with: a world's arrays, and the functions that a page only names."""

import numpy as np

from calibtutor.teach.expressions import FUNCTIONS, SLOTS, along


def namespace(letters):
    """The names that the code of a formula uses."""
    here = {name: [int(k) for k in letters.members(name)] for name in letters.sets}
    for draw, (mass, values) in letters.draws.items():
        own = f"_{draw}" * (len(letters.draws) > 1)
        here |= {f"P{own}": np.asarray(mass), f"outcomes{own}": range(len(mass))}
        here |= {name: np.asarray(x) for name, x in values.items()}
    plain = lambda x: x if callable(x) else np.asarray(x.values if isinstance(x, along) else x)
    here |= {name: plain(x) for name, x in letters.known.items()}
    own = {name: _without_slots(function) for name, function in FUNCTIONS.items()}
    joins = {"mean": lambda each: np.mean([*each], axis=0), "argmax": lambda each: int(np.argmax([*each]))}
    joins |= {"count": lambda each: sum(map(bool, each)), "same": lambda a, b: np.allclose(a, b, 0, 1e-9)}
    return own | joins | {"power": _power} | here


def _without_slots(function):
    lift = lambda a: np.reshape(a, (*(1,) * SLOTS, *np.shape(a)))
    return lambda *each: (found := function(*map(lift, each))).reshape(found.shape[SLOTS:])


def _power(a, exponent):
    """A power of a number, or of a symmetric matrix by its eigenvalues."""
    if np.ndim(a) < 2:
        return a**exponent
    if exponent == int(exponent):
        return np.linalg.matrix_power(a, int(exponent))
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.maximum(values, 0) ** exponent) @ vectors.T
