"""Formulas that are what they compute: one text gives LaTeX, the value in a world, and code in plain Python.

    E(norm2(p - r)) + 2 * E(inner(p - r, r - e_Y)) + E(norm2(r - e_Y))

The language is Python's: letters, ``+ - * / ** @``, ``.T``, comparisons, indexes and generators, so a sum over pairs is
``sum(h[i, j] for i in rows for j in rows if i != j)``. A prime marks an independent copy: ``E(k(p, p'))``. Behind a
semicolon stands what is defined for this formula and the ones after it: ``norm2(S); S = Phi.T @ Delta / n``. A text is
parsed with `ast` and walked; nothing that is typed is ever run.

`E` sums over the draws that its argument depends on, as `Letters` says, and over copies of them by themselves.
"""

import ast
import itertools
import re
from dataclasses import dataclass, field, replace

import numpy as np

from .typeset import OPERATORS, PRIME, parts_of, typeset


class Unreadable(ValueError):
    """A text is no formula or has no value; the message says what to write instead."""


# --- what letters are ---

SLOTS = 12  # first axes of every array: each draw, copy or index has one while it is used


@dataclass(frozen=True)
class along:  # noqa: N801 - reads like a function
    """A letter with several values, at each of which a formula is evaluated: ``along("level", [.05, .1])``.

    Letters along one axis move together.
    """

    axis: str
    values: object


@dataclass(frozen=True)
class Letters:
    """What the letters of formulas are in one world.

    Parameters
    ----------
    draws : dict of str -> (array of shape (s,), dict of str -> array of shape (s, ...))
        Of each draw the probabilities of its s outcomes, and the letters that depend on it.
    known : dict of str -> array, along or callable
        Letters that depend on no draw. A callable gets arrays whose first axes broadcast, and returns these first.
    sets : dict of str -> int or sequence of int
        What an index runs over; a number n stands for 0, …, n − 1.

    Raises
    ------
    ValueError
        For a letter that stands for two things, or has not one value for each outcome of its draw.
    """

    draws: dict = field(default_factory=dict)
    known: dict = field(default_factory=dict)
    sets: dict = field(default_factory=dict)
    defined: dict = field(default_factory=dict)

    def __post_init__(self):
        names = self.names()
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"letters: {', '.join(sorted(twice))} stand for two things")
        for mass, letters in self.draws.values():
            if wrong := [name for name, values in letters.items() if len(values) != len(mass)]:
                raise ValueError(f"letters: {', '.join(wrong)} have not one value for each of {len(mass)} outcomes")

    def names(self):
        """Every letter, in the order given."""
        return [name for _, letters in self.draws.values() for name in letters] + [*self.known, *self.defined]

    def split(self, name):
        """A name and the primes behind it that mark a copy: none if the world itself has a letter with these primes."""
        base = name if name in self.names() else name.rstrip(PRIME)
        return base, name[len(base) :]


# --- reading ---

COMPARISONS = {ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater,
               ast.GtE: np.greater_equal}
JOINS = {"sum": np.sum, "mean": np.sum, "count": np.sum, "max": np.max, "min": np.min, "argmax": np.argmax}
TYPED = {"′": PRIME, "’": PRIME, "^": "**", "²": "**2", "·": "*", "−": "-", "≤": "<=", "≥": ">=", "≠": "!="}
EQUALS = "(?<![<>!=])=(?!=)"  # == and <= are none
HINTS = {  # what a page shows, and how it is typed
    r"\\": "No LaTeX here: write E( … ), a / b, x^2.",
    r"\|\||‖": "Write norm2(a) for ‖a‖², norm(a) for ‖a‖.",
    r"⟨|<\s*\w+['′]?\s*,": "Write inner(a, b).",
    r"\|": "Write E(x, given=c) for E[x | c].",
    r"[⊗]": "Write outer(a, b).",
    r"\.\.|…": "Write a sum over a set: sum(x[i] for i in SET)."}
ALLOWED = (ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.UnaryOp, ast.USub, ast.Compare, ast.Call, ast.keyword,
           ast.Tuple, ast.Subscript, ast.GeneratorExp, ast.comprehension, ast.Store, ast.Attribute, *OPERATORS,
           *COMPARISONS)


@dataclass(frozen=True)
class Definition:
    """A name, the names of its parameters, and the tree that it stands for."""

    name: str
    parameters: tuple
    body: ast.expr


@dataclass(frozen=True)
class Formula:
    """A text that was read by `formula`.

    Attributes
    ----------
    text : str
    sides : tuple of ast.expr
        What stands between its equality signs; the last is its value.
    where : tuple of (ast.expr, ast.expr)
        Both sides of each equation behind it.
    """

    text: str
    sides: tuple
    where: tuple = ()

    @property
    def latex(self):
        """The formula in LaTeX that MathJax, mathtext and latex2mathml read alike."""
        behind = r",\ ".join(f"{typeset(a)} = {typeset(b)}" for a, b in self.where)
        return " = ".join(map(typeset, self.sides)) + (rf",\quad {behind}" if behind else "")

    def names(self):
        """The names in it, primes included."""
        trees = [*self.sides, *(side for pair in self.where for side in pair)]
        return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def define(self, letters):
        """Letters with what this formula defines: names that are free on its left, and those behind it."""
        given = {*letters.names()} - {*letters.defined}
        behind = [definition(*each) for each in self.where]
        front = [definition(side, self.sides[-1]) for side in self.sides[:-1]]
        new = {each.name: each for each in front if each and each.name not in letters.defined}
        new |= {each.name: each for each in behind if each}  # behind it a name may be used anew
        return replace(letters, defined=letters.defined | {k: each for k, each in new.items() if k not in given})

    @np.errstate(all="ignore")  # what is no number is said
    def value(self, letters):
        """A number, vector or matrix; a row of them for each outcome or value that the formula leaves open.

        `Unreadable` for an unknown letter, shapes that do not fit, sides that are not equal, or what is not finite.
        """
        inner = self.define(letters)
        world = World(inner)
        found = world.see(self.sides[-1], {})
        if not np.isfinite(found).all():
            raise Unreadable(f"“{written(self.sides[-1])}” is not a finite number here")
        for head, body in [*((side, self.sides[-1]) for side in self.sides[:-1]), *self.where]:
            mine = definition(head, body)
            if mine and inner.defined.get(mine.name) == mine:
                continue
            a, b = world.see(head, {}), world.see(body, {})
            if not np.allclose(_like(a, b), _like(b, a), 1e-7, 1e-9):
                raise Unreadable(f"{written(head)} = {written(body)} does not hold")
        open_ = [slot for _, slot in sorted(world.slot.items()) if found.shape[slot] > 1]
        found = found.transpose(*open_, *(slot for slot in range(found.ndim) if slot not in open_))
        return found.reshape(found.shape[: len(open_)] + found.shape[SLOTS:]).astype(float)


def formula(text):
    """Read a text as in the head of this file, and ``^`` as ``**``; `Unreadable` for what is no formula."""
    primed = re.sub(r"(?<=[\w)])['′’]+", lambda found: PRIME * len(found[0]), text.strip())
    first, *behind = _split("".join(TYPED.get(sign, sign) for sign in primed), ";")
    where = [tuple(map(_tree, _split(each, EQUALS))) for each in behind]
    if any(len(pair) != 2 for pair in where):
        raise Unreadable("behind a semicolon stands an equation: name = formula")
    return Formula(text, tuple(map(_tree, _split(first, EQUALS))), tuple(where))


def _split(text, mark):
    """The parts between marks, a pattern of one sign, that stand in no brackets."""
    depth = [*itertools.accumulate((sign in "([") - (sign in ")]") for sign in text)]
    cuts = [found.start() for found in re.finditer(mark, text) if not depth[found.start()]]
    return [text[before + 1 : cut] for before, cut in itertools.pairwise([-1, *cuts, len(text)])]


def _tree(text):
    text = text.strip()
    try:
        tree = ast.parse(text or "()", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Unreadable(f"“{_typed(text)}” cannot be read. {_hint(text)}") from None
    for node in ast.walk(tree):
        odd = not isinstance(node, ALLOWED) or isinstance(node, ast.Attribute) and node.attr != "T"
        odd |= isinstance(node, ast.Constant) and type(node.value) not in (int, float)
        if odd and any(re.search(sign, text) for sign in HINTS):
            raise Unreadable(f"“{_typed(text)}” cannot be read. {_hint(text)}")
        if odd or node is tree and isinstance(node, ast.Tuple):
            raise Unreadable(f"“{written(node)}” is no part of a formula")
        if isinstance(node, ast.Call) and not isinstance(node.func, ast.Name):
            raise Unreadable(f"“{written(node)}” cannot be read. Write * between factors.")
    return tree


def _hint(text):
    """What is most likely to be wrong with a text."""
    for sign, words in HINTS.items():
        if re.search(sign, text):
            return words
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        return "Are all brackets closed?"
    return "Write * between factors, @ between matrices, and functions with brackets: E( … )."


def definition(head, body):
    """What an equation defines if its left side is a name, a call of names or a name at indexes; else None."""
    inside = {ast.Call: lambda: (head.func, head.args), ast.Name: lambda: (head, []),
              ast.Subscript: lambda: (head.value, parts_of(head.slice))}
    name, parts = inside.get(type(head), lambda: (None, []))()
    if not isinstance(name, ast.Name) or not all(isinstance(part, ast.Name) for part in parts) or name.id in RESERVED:
        return None
    return Definition(name.id, tuple(part.id for part in parts), body)


def written(node):
    """A tree as its author would write it."""
    return _typed(ast.unparse(node)).replace("()", "(nothing)")


def _typed(text):
    return text.replace(PRIME, "'").replace("**", "^")


# --- evaluating: arrays with SLOTS first axes, of length 1 where nothing depends on them ---


def _own(a):
    """The axes of a number, vector or matrix."""
    return tuple(range(SLOTS, a.ndim))


def _like(a, b):
    """`a` with as many axes of its own as `b`."""
    return a.reshape(*a.shape, *(1,) * (b.ndim - a.ndim))


def _matmul(a, b):
    kind = a.ndim - SLOTS, b.ndim - SLOTS
    if kind == (2, 1):
        return (a @ b[..., None])[..., 0]
    if kind == (1, 2):
        return (a[..., None, :] @ b)[..., 0, :]
    if 0 in kind:
        raise Unreadable("@ stands between vectors and matrices; numbers take *")
    return a @ b if kind == (2, 2) else _inner(a, b)


def _power(a, exponent):
    if a.ndim == SLOTS:
        return a**exponent
    if a.ndim == SLOTS + 1:
        raise Unreadable("a vector has no powers: norm2(x) is its squared length, x[k] an entry")
    power = exponent.item()
    if power == int(power):
        return np.linalg.matrix_power(a, int(power))
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.maximum(values, 0)[..., None, :] ** power) @ np.swapaxes(vectors, -1, -2)


def _arithmetic(sign, a, b):
    one, two = a.ndim - SLOTS, b.ndim - SLOTS
    if sign in ("@", "**"):
        return (_matmul if sign == "@" else _power)(a, b)
    if sign in "+-" and a.shape[SLOTS:] != b.shape[SLOTS:] or sign == "*" and one and two or sign == "/" and two:
        kinds = ("a number", "a vector", "a matrix")
        hint = {"*": ": inner(a, b) multiplies vectors, @ matrices", "/": ": inv(A) is the inverse of a matrix"}
        words = ": a number times I is a matrix" if sign in "+-" and {one, two} == {0, 2} else hint.get(sign, "")
        raise Unreadable(f"{kinds[one]} {sign} {kinds[two]}{words}")
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign](_like(a, b), _like(b, a))


def _inner(a, b):
    if a.shape[SLOTS:] != b.shape[SLOTS:]:
        raise Unreadable(f"inner of shapes {a.shape[SLOTS:]} and {b.shape[SLOTS:]}: they must be alike")
    return (a * b).sum(axis=_own(a))


def _outer(a, b):
    return _like(a, np.empty((1,) * (a.ndim + b.ndim - SLOTS))) * np.expand_dims(b, _own(a))


def _entry(base, places):
    for place, size in zip(places, base.shape[SLOTS:], strict=False):
        if place.ndim > SLOTS or (place < 0).any() or (place >= size).any():
            raise Unreadable(f"an index is a number, here from 0 to {size - 1}")
    lead = np.ix_(*(np.arange(size) for size in base.shape[:SLOTS]))
    return base[(*lead, *(place.astype(int) for place in places))]


def _kron(a, b):
    four = np.swapaxes(_outer(a, b), -3, -2)
    return four.reshape(*four.shape[:SLOTS], a.shape[-2] * b.shape[-2], a.shape[-1] * b.shape[-1])


FUNCTIONS = {
    "norm2": lambda a: (a**2).sum(axis=_own(a)),
    **dict.fromkeys(("norm", "norm_HS"), lambda a: np.sqrt((a**2).sum(axis=_own(a)))),
    "norm_op": lambda a: np.linalg.norm(a, 2, axis=(-2, -1)), "inner": _inner, "outer": _outer, "kron": _kron,
    "vec": lambda a: a.reshape(*a.shape[:SLOTS], -1), "inv": np.linalg.inv,
    "tr": lambda a: np.trace(a, axis1=-2, axis2=-1), "ind": lambda a: a.astype(float), "sign": np.sign, "abs": np.abs,
    "sqrt": np.sqrt, "exp": np.exp, "ln": np.log, "cos": np.cos, "sin": np.sin, "floor": np.floor}
OF_NUMBERS = {"abs", "sqrt", "exp", "ln", "cos", "sin", "floor"}
MEANS = ("E", "Var", "Cov", "P")
RESERVED = {*FUNCTIONS, *MEANS, *JOINS}


class World:
    """Evaluates trees, given letters."""

    def __init__(self, letters):
        self.letters, self.slot = letters, {}

    def at(self, axis, values):
        """Values along an axis, in its slot."""
        slot = self.slot.setdefault(axis, next(k for k in range(SLOTS) if k not in self.slot.values()))
        return np.expand_dims(values, (*range(slot), *range(slot + 1, SLOTS)))

    def see(self, node, bound, prime=""):
        """The array of a tree; `bound` are indexes and parameters, `prime` what a copy adds to its letters."""
        try:
            return self._seen(node, bound, prime, lambda each: self.see(each, bound, prime))
        except Unreadable:
            raise
        except (TypeError, ValueError, IndexError):
            raise Unreadable(f"“{written(node)}” has no value: its parts do not fit") from None

    def _seen(self, node, bound, prime, see):
        match node:
            case ast.Constant():
                return np.full((1,) * SLOTS, float(node.value))
            case ast.Name():
                return bound[node.id] if node.id in bound else self.letter(node.id, prime)
            case ast.UnaryOp():
                return -see(node.operand)
            case ast.BinOp():
                return _arithmetic(OPERATORS[type(node.op)], see(node.left), see(node.right))
            case ast.Attribute():
                found = see(node.value)
                if found.ndim == SLOTS:
                    raise Unreadable(f"“{written(node)}”: a number is not transposed")
                return np.swapaxes(found, -1, -2) if found.ndim == SLOTS + 2 else found  # @ knows what a vector is
            case ast.Compare():
                sides = [see(each) for each in (node.left, *node.comparators)]
                held = [self.compared(*each) for each in zip(map(type, node.ops), sides, sides[1:], strict=False)]
                return np.logical_and.reduce(np.broadcast_arrays(*held))
            case ast.Subscript():
                rule = self.letters.defined.get(getattr(node.value, "id", None))
                places = [see(place) for place in parts_of(node.slice)]
                return self.call(rule, places, prime) if rule and rule.parameters else _entry(see(node.value), places)
            case ast.Call():
                return self.called(node, bound, prime, see)
        raise Unreadable(f"“{written(node)}” has no value by itself")

    def compared(self, op, a, b):
        if a.shape[SLOTS:] or b.shape[SLOTS:]:
            raise Unreadable("only numbers are compared; compare vectors by their norms or entries")
        near = np.isclose(a, b, 0, 1e-9)
        return COMPARISONS[op](np.where(near, 0, a), np.where(near, 0, b))

    def letter(self, name, prime):
        base, own = self.letters.split(name)
        if rule := self.letters.defined.get(base):
            if rule.parameters:
                raise Unreadable(f"“{base}” needs its arguments")
            return self.see(rule.body, {}, prime + own)
        for draw, (_, letters) in self.letters.draws.items():
            if base in letters:
                return self.at(draw + own + prime, letters[base])
        found = self.letters.known.get(base)
        if isinstance(found, along):
            return self.at(found.axis, found.values)
        if callable(found) or name in RESERVED:
            others = [each for each in self.letters.names() if each.startswith(f"{name}_")]
            table = "".join(f"; entries are of {each}[ … ]" for each in others[:1])
            raise Unreadable(f"“{_typed(name)}” is a function and takes round brackets: {name}( … ){table}")
        if found is None:
            between, there = " (write * between factors, @ between matrices)" * (len(base) > 1), self.letters.names()
            sums = [f", and an index in its sum: sum( … for {name} in {each})" for each in self.letters.sets]
            index = "".join(sums[:1]) if len(name) == 1 else ""
            raise Unreadable(f"“{_typed(name)}” is no letter here{between}. There are {', '.join(there)}{index}")
        return np.reshape(found, (*(1,) * SLOTS, *np.shape(found)))

    def call(self, rule, arguments, prime):
        """A definition at its arguments: their draws move aside, since it may average over the same ones."""
        if len(arguments) != len(rule.parameters):
            raise Unreadable(f"“{rule.name}” takes {len(rule.parameters)} arguments")
        taken = lambda slot: any(argument.shape[slot] > 1 for argument in arguments)
        aside = {axis: slot for axis, slot in self.slot.items() if self.mass(axis) is not None and taken(slot)}
        self.slot = {f"{axis} of {rule.name}" if axis in aside else axis: slot for axis, slot in self.slot.items()}
        found = self.see(rule.body, dict(zip(rule.parameters, arguments, strict=True)), prime)
        for axis, slot in aside.items():
            if axis in self.slot and found.shape[self.slot[axis]] > 1:
                raise Unreadable(f"“{rule.name}” depends on a draw of its own: prime its argument")
            self.slot[axis] = slot
            del self.slot[f"{axis} of {rule.name}"]
        return found

    def mass(self, axis):
        """The probabilities along an axis, if it is a draw's."""
        return self.letters.draws.get(axis.rstrip(PRIME), (None,))[0]

    def called(self, node, bound, prime, see):
        name, known = node.func.id, self.letters.known
        base = name.rstrip(PRIME)
        if any(each.arg != "given" for each in node.keywords):
            raise Unreadable(f"“{written(node)}”: only given= has a name; an event has two signs, Y == 1")
        if node.args and isinstance(node.args[0], ast.GeneratorExp):
            return self.joined(node, bound, prime)
        if name in MEANS or name[:2] == "E_" and name[2:] in self.letters.draws:
            return self.averaged(node, see)
        values = [see(each) for each in node.args]
        if rule := self.letters.defined.get(base):
            return self.call(rule, values, prime + name[len(base) :])
        if callable(known.get(name)):
            return np.asarray(known[name](*values))
        if name in ("max", "min") and len(values) > 1:
            return (np.maximum if name == "max" else np.minimum)(*values)
        if name in JOINS:
            raise Unreadable(f"“{written(node)}”: write {name}( … for i in SET)")
        if name not in FUNCTIONS and (name in bound or self.letters.split(name)[0] in self.letters.names()):
            raise Unreadable(f"“{_typed(name)}” is a letter and no function: write {_typed(name)} * ( … ), or"
                             f" {_typed(name)}[ … ] for an entry")
        if name not in FUNCTIONS:
            raise Unreadable(f"“{name}” is no function here. There are {', '.join([*MEANS, *FUNCTIONS, *JOINS])}")
        if name in OF_NUMBERS and any(value.ndim > SLOTS for value in values):
            raise Unreadable(f"“{written(node)}”: {name} takes a number")
        return FUNCTIONS[name](*values)

    def averaged(self, node, see):
        """E, Var, Cov or P, given events or what is known."""
        name, bodies = node.func.id, [see(each) for each in node.args]
        if len(bodies) != 1 + (name == "Cov") or name == "P" and not isinstance(node.args[0], ast.Compare):
            raise Unreadable(f"“{written(node)}”: P takes an event such as Y == 1, Cov two letters, E and Var one")
        if name in ("Var", "Cov") and any(body.ndim > SLOTS for body in bodies):
            raise Unreadable(f"“{written(node)}”: {name} takes numbers")
        given = [part for each in node.keywords for part in parts_of(each.value)]
        events = [see(each) for each in given if isinstance(each, ast.Compare)]
        alike = [see(each) for each in given if not isinstance(each, ast.Compare)]
        drawn = [axis for axis in self.slot if self.mass(axis) is not None]
        over = [axis for axis in drawn if name[2:] in ("", axis.rstrip(PRIME), "r", "v")]

        def mean(value):
            event = np.logical_and.reduce(np.broadcast_arrays(*events)) if events else np.ones((1,) * SLOTS)
            return self.mean(value * _like(event, value), over, alike) / _like(self.mean(event, over, alike), value)

        if name not in ("Var", "Cov"):
            return mean(bodies[0])
        return mean(_arithmetic("*", bodies[0], bodies[-1])) - mean(bodies[0]) * mean(bodies[-1])

    def mean(self, value, over, alike):
        """Over each axis, or over its outcomes at which all that is given is the same."""
        for axis in over:
            slot, mass = self.slot[axis], np.asarray(self.mass(axis))
            if value.shape[slot] > 1 or len(mass) == 1:
                keys = [np.moveaxis(a, slot, 0).reshape(len(mass), -1) for a in alike if a.shape[slot] > 1]
                weight = mass[None]
                if keys:
                    keys = np.round(np.column_stack(keys).astype(float), 12)
                    group = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
                    weight = (group[:, None] == group) * mass
                    weight = weight / weight.sum(axis=1, keepdims=True)
                value = np.moveaxis(np.tensordot(weight, value, (1, slot)), 0, slot)
        return value

    def joined(self, node, bound, prime):
        """A sum, mean, number, largest, smallest, or place of the largest, over indexes."""
        name, loop, bound, mine = node.func.id, node.args[0], dict(bound), {}
        for each in loop.generators:
            target, over = getattr(each.target, "id", ""), getattr(each.iter, "id", "")
            if name not in JOINS or over not in self.letters.sets or not target:
                shown = ", ".join(self.letters.sets) or "none here"
                raise Unreadable(
                    f"“{written(node)}”: write sum(… for i in SET); sets: {shown}; functions: {', '.join(JOINS)}")
            axis = f"{target} of {id(node)}"  # another sum may have an index of this name
            members = self.letters.sets[over]
            bound[target] = self.at(axis, members if np.ndim(members) else np.arange(members)).astype(float)
            mine[target] = self.slot[axis]
        body = self.see(loop.elt, bound, prime)
        kept = [self.see(each, bound, prime) for part in loop.generators for each in part.ifs]
        kept = np.logical_and.reduce(np.broadcast_arrays(*(bound[index] == bound[index] for index in mine), *kept))
        body, kept = np.broadcast_arrays(body, _like(kept, body))
        found = np.where(kept, body, {"max": -np.inf, "min": np.inf, "argmax": -np.inf}.get(name, 0))
        over = tuple(mine.values())
        found = JOINS[name](found, axis=over[0] if name == "argmax" else over, keepdims=True)
        if name == "argmax":
            found = bound[loop.generators[0].target.id].ravel()[found]
        self.slot = {axis: slot for axis, slot in self.slot.items() if slot not in over}
        return found / kept.sum(axis=over, keepdims=True) if name == "mean" else found
