"""Evaluates the LaTeX of a derivation's line, given what its letters are in a world.

A formula becomes closures over an environment of names: `p`, `SKCE_b`, `p[]` if it has an index, `k()` if it is called.
A mean is a sum over `draws`, (masses, {letter: its values}); with a prime a letter is of an independent second draw.
What is not understood raises `Unread`: nothing is guessed.
"""

import re
from dataclasses import dataclass
from itertools import product

import numpy as np

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
SPACES = {r"\,", r"\;", r"\ ", r"\quad"}
CLOSE = {"(": ")", "[": "]", "{": "}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor", r"\|": r"\|", "|": "|"}
RELATIONS = {
    "=": lambda a, b: np.allclose(a, b, 1e-9, 1e-9), r"\neq": lambda a, b: a != b, "<": lambda a, b: a < b - 1e-9,
    ">": lambda a, b: a > b + 1e-9, r"\leq": lambda a, b: a <= b + 1e-9, r"\geq": lambda a, b: a >= b - 1e-9,
}  # fmt: skip
ENDS = {")", "]", "}", ",", r"\rangle", r"\rfloor", r"\mid", "+", "-", "end", *RELATIONS}
ACCENTS = (r"\bar", r"\hat", r"\tilde", r"\mathrm", r"\mathbb")
PLAIN = {r"\exp": np.exp, r"\ln": np.log, r"\cos": np.cos, r"\sinh": np.sinh, r"\cosh": np.cosh, "sign": np.sign,
         "Tr": np.trace, "tr": np.trace}  # fmt: skip
JOINS = {r"\sum": sum, "mean": np.mean, r"\max": max, "argmax": lambda values: int(np.argmax(values)) + 1}
INDEXES = "abcijkm"
DEFINED = re.compile(
    r"((?:\\(?:bar|hat|tilde|mathrm)\{[^}]*\}|\\?[A-Za-z]+)(?:\^\*)?)(?:_(\w|\{[^}]*\}))?(?:\(([^()]*)\))?"
)


class Unread(Exception):
    """What the reader does not understand."""


@dataclass(frozen=True)
class Node:
    """The names in a formula, and its value as a function of the environment."""

    names: frozenset
    value: object


class Event(Node):
    """True or false."""


@dataclass(frozen=True)
class Rule:
    """A definition by a formula."""

    parameters: tuple
    node: Node


def op(function, *nodes):
    return Node(frozenset().union(*(n.names for n in nodes)), lambda env: function(*(n.value(env) for n in nodes)))


def times(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(a) == np.ndim(b) == 1:
        raise Unread("a vector beside a vector")
    found = np.outer(a, b) if np.ndim(a) == 1 else a @ b
    return found.item() if found.size == 1 else found


def plus(a, b):
    a, b = (x * np.eye(len(y)) if np.ndim(x) == 0 and np.ndim(y) == 2 else x for x, y in ((a, b), (b, a)))
    if np.shape(a) != np.shape(b):
        raise Unread("a sum of different shapes")
    return a + b


def power(a, exponent):
    if np.ndim(a) != 2 or exponent == -1:
        return a**exponent if np.ndim(a) != 2 else np.linalg.inv(a)
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.maximum(values, 0) ** exponent) @ vectors.T


def known(env, key):
    value = env[key]
    if value is None:
        raise Unread(f"{key} outside of a mean or a sum")
    return value.node.value(env) if isinstance(value, Rule) and not value.parameters else value


def settled(node, env):
    """Whether nothing in it is random any more."""
    try:
        return node.value(env) is not None
    except (Unread, KeyError):
        return False


def states(env, nodes):
    """(mass, environment) of every outcome of the draws that formulas mention, also by what they are defined by."""
    names, left, copies = set(), [name for node in nodes for name in node.names], []
    while left:
        if (name := left.pop()) not in names:
            names.add(name)
            left += env[name].node.names if isinstance(env.get(name), Rule) else ()
    for masses, letters in env["draws"]:
        for prime in ("", "'"):  # what a line defines is not a letter any more
            here = {x + prime: v for x, v in letters.items() if not isinstance(env.get(x + prime), Rule)}
            if names & {*here} and not env["fixed"] & {*here}:
                copies.append([(m, {x: v[k] for x, v in here.items()}) for k, m in enumerate(masses)])
    if not copies:
        raise Unread("a mean of nothing random")
    for outcome in product(*copies):
        state = dict(env)
        for _, values in outcome:
            state.update(values)
        yield np.prod([mass for mass, _ in outcome]), state


def mean(env, body, given=()):
    """E[body | given]: events, or values that this environment has."""
    wanted = [True if isinstance(each, Event) else each.value(env) for each in given]
    total = whole = 0.0
    for mass, state in states(env, [body, *given]):
        if all(np.allclose(each.value(state), value, 0, 1e-12) for each, value in zip(given, wanted, strict=True)):
            total, whole = total + mass * body.value(state), whole + mass
    return total / whole


class Reader:
    """Recursive descent over one formula; the environment says which names have an index or are functions."""

    def __init__(self, latex, env):
        self.tokens = [token for token in TOKEN.findall(latex) if token not in SPACES] + ["end"]
        self.k, self.env, self.open = 0, env, []

    @property
    def here(self):
        return self.tokens[self.k]

    def take(self, wanted=None):
        if wanted not in (None, self.here):
            raise Unread(f"expected {wanted}, got {self.here}")
        self.k += 1
        return self.tokens[self.k - 1]

    def within(self, parse):
        """What stands in brackets of any kind."""
        self.open.append(CLOSE.get(self.take(), "nothing"))
        found = parse()
        self.take(self.open.pop())
        return found

    def text(self):
        """What stands below or above, as it is written."""
        if self.here != "{":
            return self.take()
        depth, start = 0, self.k
        while depth or self.k == start:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        pairs = zip(self.tokens[start + 1 : self.k - 1], self.tokens[start + 2 : self.k], strict=True)
        return "".join(a + " " * (a[0] == "\\" and b.isalpha()) for a, b in pairs)

    def listed(self):
        found = [self.event()]
        while self.here == ",":
            self.take()
            found.append(self.event())
        return found

    def event(self):
        """A chain of relations, or a sum alone."""
        sides, between = [self.sum()], []
        while self.here in RELATIONS:
            between.append(RELATIONS[self.take()])
            sides.append(self.sum())
        if not between:
            return sides[0]
        holds = op(lambda *v: all(r(a, b) for r, a, b in zip(between, v, v[1:], strict=False)), *sides)
        return Event(holds.names, holds.value)

    def sum(self):
        sign = self.take() if self.here in "+-" else "+"
        found = self.term() if sign == "+" else op(lambda a: -a, self.term())
        while self.here in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            found = op(lambda a, b, sign=sign: plus(a, sign * b), found, self.term())
        return found

    def term(self):
        found = self.factor()
        while self.here not in ENDS and not (self.open and self.here == self.open[-1]):
            between = self.take() if self.here in ("/", r"\otimes", r"\cdot") else ""
            join = {"/": lambda a, b: times(a, power(b, -1)), r"\otimes": np.multiply.outer}.get(between, times)
            found = op(join, found, self.factor())
        return found

    def factor(self):
        found = self.atom()
        while self.here == "^":
            self.take()
            if self.here in ("T", "*"):
                self.take()
                found = op(lambda a: a[None] if np.ndim(a) == 1 else np.transpose(a), found)
            else:
                found = op(power, found, Reader(self.text(), self.env).sum())
        return found

    def atom(self):
        token = self.here
        if token[0].isdigit():
            self.take()
            if token == "1" and self.here == "[":
                return op(float, self.within(self.event))
            return Node(frozenset(), lambda env: float(token) if "." in token else int(token))
        if token in ("(", "["):
            found = self.within(self.event)
            return self.indexed(found) if self.here == "_" else found
        if token in (r"\frac", r"\sqrt"):
            self.take()
            parts = [self.within(self.sum) for _ in range(2 if token == r"\frac" else 1)]
            return op(lambda a, *b: a / b[0] if b else np.sqrt(a), *parts)
        if token == r"\langle":
            return op(lambda a, b: np.sum(a * b), *self.within(self.listed))
        if token in (r"\lfloor", "|"):
            return op({"|": np.abs}.get(token, np.floor), self.within(self.sum))
        if token == r"\|":
            found, order = self.within(self.sum), ""
            if self.here == "_":
                self.take()
                order = re.sub(r"\\mathrm|\W", "", self.text())
            if order not in ("", "1", "2", "HS"):
                raise Unread(f"norm {order}")
            return op(lambda a: np.abs(a).sum() if order == "1" else np.sqrt((a**2).sum()), found)
        if token in PLAIN or token in JOINS:
            return self.operator(self.take())
        if token in ACCENTS or re.fullmatch(r"[A-Za-z]|\\[A-Za-z]+", token):
            return self.named()
        raise Unread(token)

    def operator(self, name):
        """A function before its argument, or what joins all values of some indexes."""
        if name in PLAIN:
            return op(PLAIN[name], self.within(self.sum) if self.here == "(" else self.term())
        below = above = ""
        while self.here in ("_", "^"):
            below, above = (self.text(), above) if self.take() == "_" else (below, self.text())
        if name == r"\max" and not below:
            if self.here == "(":
                return op(np.maximum, *self.within(self.listed))
            body = self.term()
            return Node(body.names, lambda env: max(body.value(state) for _, state in states(env, [body])))
        rule = re.fullmatch(r"(\w),?(?:(\w)|(\\neq ?|<|=)(\w))?", below)
        if not rule:
            raise Unread(f"{name}_{below}")
        (first, second, relation, other), body = rule.groups(), self.term()
        indexes = [first] + [x for x in (second, other) if x and relation != "="]

        def value(env):
            if relation == "=":
                ranges = [range(int(other), int(above) + 1)]
            else:
                ranges = [env["range"].get(i) or range(1, int(env["n"]) + 1) for i in indexes]
            kept = [v for v in product(*ranges) if relation in (None, "=") or RELATIONS[relation.strip()](*v)]
            return JOINS[name]([body.value(env | dict(zip(indexes, v, strict=True))) for v in kept])

        return Node(body.names - set(indexes), value)

    def random(self, name):
        """E, Var, Cov or P."""
        while self.here in ("_", "^"):  # over what, which the draws say
            self.take()
            self.text()
        given = []
        if not (self.here == "[" or self.here == "(" and name != "E"):
            bodies = [self.term()]
        else:
            self.open.append(CLOSE[self.take()])
            bodies = self.listed()
            if self.here == r"\mid":
                self.take()
                given = self.listed()
            self.take(self.open.pop())
        names = op(None, *bodies, *given).names
        if name not in ("Var", "Cov"):
            return Node(names, lambda env: mean(env, bodies[0], given))
        a, b = bodies[0], bodies[-1]
        return Node(names, lambda env: mean(env, op(times, a, b), given) - mean(env, a, given) * mean(env, b, given))

    def named(self):
        base = self.take()
        if base in ACCENTS:
            word = self.text()
            base = word if base in (r"\mathrm", r"\mathbb") else f"{base}{{{word}}}"
        if base in ("E", "Var", "Cov") or base == "P" and self.here == "(" and "P()" not in self.env:
            return self.random(base)
        if base in PLAIN or base == "argmax" or base == "mean" and self.here == "_":
            return self.operator(base)
        sub = prime = star = ""
        place = None
        while self.here in ("_", "'") or self.here == "^" and self.tokens[self.k + 1] == "*":
            if self.here == "^" and not {f"{base}^*", f"{base}^*[]"} & {*self.env}:
                break  # a star that transposes
            if (mark := self.take()) == "_":
                place, sub = self.k, self.text()
                if sub.endswith("'"):
                    sub, prime = sub[:-1], "'"
            else:
                prime, star = ("'", star) if mark == "'" else (prime, f"^{self.take()}")
        base += star
        whole = f"{base}_{sub}" if sub else base
        for key in (whole, base):  # e_Y is a name, p_i is one with an index
            if self.here == "(" and f"{key}()" in self.env and (key == whole or f"{key}[]" not in self.env):
                call = self.called(f"{key}()", self.within(self.listed))
                return call if key == whole else self.indexed(call, place)
            if key == whole and key + prime in self.env:
                return Node(frozenset([key + prime]), lambda env, key=key + prime: known(env, key))
        key = f"{base}[]" if f"{base}[]" in self.env else base + prime
        if sub and key in self.env:
            found = self.indexed(Node(frozenset([key]), lambda env: known(env, key)), place)
            return op(lambda a, y: a[int(y) - 1], found, self.within(self.sum)) if self.here == "[" else found
        if base in ("e", r"\pi"):
            return Node(frozenset(), lambda env: np.e if base == "e" else np.pi)
        raise Unread(whole + prime)

    def called(self, key, arguments):
        def value(env):
            rule = env[key]
            if not isinstance(rule, Rule):
                return rule(*(each.value(env) for each in arguments))
            put = [each.value(env) if settled(each, env) else Rule((), each) for each in arguments]
            return rule.node.value(env | dict(zip(rule.parameters, put, strict=True)))

        return Node(frozenset([key]).union(*(each.names for each in arguments)), value)

    def indexed(self, array, place=None):
        """An entry of an array, counted from 1, or a definition at an index."""
        if place is None:
            self.take("_")
            place = self.k
            self.text()
        outside = Reader("", self.env)
        outside.tokens = self.tokens[place:]
        inner, parts = Reader(outside.text(), self.env), []
        while inner.here != "end":
            parts.append(inner.sum() if inner.here.isdigit() else inner.factor())
            if inner.here == ",":
                inner.take()

        def value(env):
            places, found = [int(part.value(env)) for part in parts], array.value(env)
            if isinstance(found, Rule):
                return found.node.value(env | dict(zip(found.parameters, places, strict=True)))
            for each in places:
                found = found[each - 1]
            return found

        return Node(array.names.union(*(part.names for part in parts)), value)


def split(latex, mark):
    """The parts between marks that stand in no brackets."""
    parts, depth = [""], 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", latex):
        depth += (token in ("(", "[", "{", r"\langle")) - (token in (")", "]", "}", r"\rangle"))
        parts, add = ([*parts, ""], "") if token == mark and not depth else (parts, token)
        parts[-1] += add
    return [part.strip() for part in parts]


def parsed(text, env):
    reader = Reader(text, env)
    node = reader.event()
    reader.take("end")
    return node


def read(latex, env):
    """The sides of a line as nodes, and the environment with what the line defines; no sides if it is not read."""
    if re.search(r"\\mathrm\{(\\ |of|for|with|where|under)", latex):  # words
        return [], env
    main, *rest = split(latex.replace(r",\quad", ";"), ";")
    for clause in (each for part in rest for each in split(part, ",")):
        name, *values = split(clause, "=")
        if values and (found := DEFINED.fullmatch(re.sub(r"\\[,; ]", "", name).strip())):
            base, sub, parameters = re.sub(r"\\mathrm\{(\w*)\}", r"\1", found[1]), (found[2] or "").strip("{}"), ()
            name = f"{base}_{sub}" if sub else base
            if found[3] is not None:
                name, parameters = f"{name}()", tuple(re.findall(r"\\?\w+'?", found[3]))
            elif sub and set(sub) <= set(INDEXES):
                name, parameters = f"{base}[]", tuple(sub)
            try:
                node = parsed(values[-1], env | dict.fromkeys(parameters))
            except Unread:
                continue
            env = env | {name: node.value(env) if not parameters and settled(node, env) else Rule(parameters, node)}
    sides = []
    for side in split(main, "="):
        try:
            sides.append(parsed(side, env))
        except Unread:
            sides.append(None)  # in front may stand what is defined
    return sides if sides[-1] else [], env
