"""A formula as plain Python, loops over arrays; and its terms, which tell whether two ways of writing are the same."""

import ast
from copy import deepcopy
from functools import reduce
from itertools import product

import numpy as np

from .expressions import MEANS, SLOTS, World, along, indexes, written
from .typeset import OPERATORS, PRIME

__all__ = ["open_draws", "python", "terms"]


# --- plain Python ---


def python(formula, letters):
    """The code of a formula: loops over outcomes and indexes, over arrays that have the letters' names."""
    letters = formula.define(letters)
    plain, lines, tree = _Plain(letters), [], formula.sides[-1]
    body = plain.see(tree, {axis: plain.variable(axis) for axis in plain.draws(tree)})
    text = _unparsed(body)
    for axis in sorted(plain.draws(tree), reverse=True):
        text = f"[{text} for {plain.variable(axis)} in {plain.outcomes(axis)}]"
    done = set()

    def define(names):
        """What a definition needs stands before it."""
        for rule in (letters.defined[name] for name in names if name not in done):
            done.add(rule.name)
            plain.used = []
            axes = sorted(plain.draws(rule.body, {*rule.parameters}))
            own = [*map(plain.variable, axes), *rule.parameters]
            inner = _unparsed(
                plain.see(rule.body, {axis: plain.variable(axis) for axis in axes}, frozenset(rule.parameters))
            )
            define(plain.used)
            lines.append(f"{rule.name} = " + (f"lambda {', '.join(own)}: " if own else "") + inner)

    define(plain.used)
    return "\n".join([*lines, text])


def _unparsed(tree):
    """Text, without the second brackets that `ast.unparse` writes around the only argument of a function."""
    text, place = ast.unparse(tree), 0
    while (place := text.find("((", place)) >= 0:
        ends, depth = {}, []
        for k, sign in enumerate(text):
            if sign == "(":
                depth.append(k)
            elif sign == ")":
                ends[depth.pop()] = k
        inner = ends[place + 1]
        if ends[place] == inner + 1 and text[place - 1 : place].isalnum() and " for " in text[place:inner]:
            text = text[: place + 1] + text[place + 2 : inner] + text[inner + 1 :]
        place += 1
    return text


class _Plain:
    """Turns trees into trees of plain Python."""

    def __init__(self, letters):
        self.letters, self.used, self.indexes = letters, [], set()
        self.single = len(letters.draws) == 1

    def variable(self, axis):
        """What an outcome is called in the code."""
        draw = axis.rstrip(PRIME)
        taken = {*self.letters.names(), *self.letters.sets} | {
            name for each in self.letters.defined.values() for name in each.parameters
        }
        return draw + "_" * (draw in taken and not self.counts(draw)) + axis[len(draw) :]

    def counts(self, axis):
        """Whether an axis is that of a letter of its name with the values 0, 1, …: a loop runs over the letter."""
        found = self.letters.known.get(axis)
        own = isinstance(found, along) and found.axis == axis
        return own and np.array_equal(found.values, range(len(found.values)))

    def random(self, axes):
        """Those of them that are draws, and no open values of a letter."""
        return {axis for axis in axes if axis.rstrip(PRIME) in self.letters.draws}

    def masses(self, axis):
        return "P" if self.single else f"P_{axis.rstrip(PRIME)}"

    def outcomes(self, axis):
        if not self.random([axis]):
            lengths = {x.axis: len(x.values) for x in self.letters.known.values() if isinstance(x, along)}
            return f"range({lengths[axis]})"
        return "outcomes" if self.single else f"outcomes_{axis.rstrip(PRIME)}"

    def draws(self, node, bound=frozenset()):
        """The draws that a tree depends on, and the axes of letters with several values."""
        see = lambda each: self.draws(each, bound)
        inside = lambda: set().union(*map(see, ast.iter_child_nodes(node)))
        if isinstance(node, ast.Name):
            base, primes = self.letters.split(node.id)
            if node.id in bound:
                return set()
            if rule := self.letters.defined.get(base):
                own = self.draws(rule.body, frozenset(rule.parameters))
                return {axis + primes for axis in own}
            if isinstance(self.letters.known.get(base), along):
                return {self.letters.known[base].axis}
            draw = self.letters.draw_of(base)
            return {draw + primes} if draw else set()
        if isinstance(node, ast.GeneratorExp):
            bound = bound | {each.target.id for each in node.generators}
            see = lambda each: self.draws(each, bound)
            return inside()
        if isinstance(node, ast.Call):
            name = node.func.id
            base = name.rstrip(PRIME)
            found = set().union(*map(see, [*node.args, *(each.value for each in node.keywords)]))
            if self.means(name) and (not node.keywords or isinstance(node.keywords[0].value, ast.Compare)):
                return {x for x in found if not self.random([x]) or name[2:] not in ("", "r", "v", x.rstrip(PRIME))}
            if name in ("max", "min") and len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp):
                return found - self.random(found)
            if rule := self.letters.defined.get(base):
                found |= {x + name[len(base) :] for x in self.draws(rule.body, frozenset(rule.parameters))}
            return found
        return inside()

    def means(self, name):
        return name in MEANS or name[:2] == "E_" and name[2:] in self.letters.draws

    def see(self, node, at, bound=frozenset()):
        """The tree with every random letter at its outcome; `at` has the variable of each draw."""
        see = lambda each: self.see(each, at, bound)
        if isinstance(node, ast.Name):
            return self.name(node, at, bound)
        if isinstance(node, ast.Subscript):
            rule = self.letters.defined.get(getattr(node.value, "id", None))
            if rule and rule.parameters:
                return see(ast.Call(ast.Name(rule.name), indexes(node), []))
        if isinstance(node, ast.GeneratorExp):
            bound = bound | {each.target.id for each in node.generators}
            self.indexes |= {each.target.id for each in node.generators}
            parts = [
                ast.comprehension(each.target, each.iter, [self.see(test, at, bound) for test in each.ifs], 0)
                for each in node.generators
            ]
            return ast.GeneratorExp(self.see(node.elt, at, bound), parts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and self.may_be_matrix(node.left, bound):
            return ast.Call(ast.Name("power"), [see(node.left), see(node.right)], [])
        if isinstance(node, ast.Call):
            name = node.func.id
            if self.means(name):
                return self.mean(node, at, bound)
            if name in ("max", "min") and len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp):
                names = {x: self.variable(x) for x in self.random(self.draws(node.args[0], bound))}
                return self.loop(name, [lambda inner: self.see(node.args[0], inner, bound)], at, names, weighed=False)
            base = name.rstrip(PRIME)
            args = [see(each) for each in node.args]
            if rule := self.letters.defined.get(base):
                self.need(base)
                own = sorted(self.draws(rule.body, frozenset(rule.parameters)))
                args = [ast.Name(at[axis + name[len(base) :]]) for axis in own] + args
            return ast.Call(ast.Name(base), args, [])
        each = lambda x: [*map(each, x)] if isinstance(x, list) else see(x) if isinstance(x, ast.expr) else x
        return type(node)(**{key: each(value) for key, value in ast.iter_fields(node)})

    def may_be_matrix(self, node, bound):
        if bound & {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - self.indexes:
            return True  # a parameter, of which nothing is known
        try:
            return World(self.letters).see(node, {}).ndim == SLOTS + 2
        except ValueError:  # an index is not known here, so this is an entry
            return False

    def need(self, name):
        self.used = [*(each for each in self.used if each != name), name]

    def name(self, node, at, bound):
        base, primes = self.letters.split(node.id)
        if node.id in bound:
            return node
        if rule := self.letters.defined.get(base):
            self.need(base)
            own = [ast.Name(at[axis + primes]) for axis in sorted(self.draws(rule.body))]
            return ast.Call(ast.Name(base), own, []) if own else ast.Name(base)
        if draw := self.letters.draw_of(base):
            return ast.Subscript(ast.Name(base), ast.Name(at[draw + primes]))
        found = self.letters.known.get(base)
        if isinstance(found, along):
            place = ast.Name(at[found.axis])
            return place if base == found.axis and self.counts(base) else ast.Subscript(ast.Name(base), place)
        return ast.Name(base)

    def loop(self, name, factors, at, names, weighed=True):
        """name(P[o] * factors for o in outcomes); a factor depends on the draws' variables, `names` has new ones."""
        inner = at | names
        masses = [ast.Subscript(ast.Name(self.masses(axis)), ast.Name(inner[axis])) for axis in sorted(names)]
        product = reduce(lambda x, y: ast.BinOp(x, ast.Mult(), y), masses * weighed + [each(inner) for each in factors])
        over = [ast.comprehension(ast.Name(inner[x]), ast.Name(self.outcomes(x)), [], 0) for x in sorted(names)]
        return ast.Call(ast.Name(name), [ast.GeneratorExp(product, over)], [])

    def mean(self, node, at, bound):
        """E, Var, Cov or P as sums over outcomes; what is given is a factor that is 1 or 0."""
        name, given = node.func.id, [each.value for each in node.keywords]
        if name in ("Var", "Cov"):
            a, b = node.args[0], node.args[-1]
            e = lambda body: self.see(ast.Call(ast.Name("E"), [body], node.keywords), at, bound)
            return ast.BinOp(e(ast.BinOp(a, ast.Mult(), b)), ast.Sub(), ast.BinOp(e(a), ast.Mult(), e(b)))
        body = lambda inner: self.see(node.args[0], inner, bound)
        depends = self.random(self.draws(ast.Tuple([node.args[0], *given]), bound))
        names = {x: self.variable(x) for x in depends if name[2:] in ("", x.rstrip(PRIME), "r", "v")}
        if not names or not given:
            return self.loop("sum", [body], at, names) if names else body(at)
        given = [part for each in given for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
        at = names | at  # the outcome that is known has the plain name
        names = {x: f"{at[x]}_" for x in names}
        seen = lambda c: lambda inner: self.see(c, inner, bound)
        same = lambda c: lambda inner: ast.Call(ast.Name("same"), [seen(c)(inner), self.see(c, at, bound)], [])
        held = [seen(c) if isinstance(c, ast.Compare) else same(c) for c in given]
        return ast.BinOp(self.loop("sum", [body, *held], at, names), ast.Div(), self.loop("sum", held, at, names))


# --- the same, written in another way ---


def open_draws(formula, letters):
    """The draws that a formula still depends on, over which nothing averages."""
    plain = _Plain(formula.define(letters))
    return plain.random(plain.draws(formula.sides[-1]))


class _Inlined(ast.NodeTransformer):
    """Puts what a name stands for in its place."""

    def __init__(self, defined):
        self.defined = defined

    def visit_Name(self, node):  # noqa: N802
        rule = self.defined.get(node.id)
        return self.visit(deepcopy(rule.body)) if rule and not rule.parameters else node


def terms(formula, defined=(), *, multiplied=True):
    """A formula as a polynomial, whatever the order of its terms and factors, its brackets, and the signs of norms.

    The factor of each product of atoms. Without `multiplied` a sum in brackets is an atom, up to its sign.
    """
    return _terms(_Inlined(dict(defined)).visit(deepcopy(formula.sides[-1])), multiplied)


def _terms(node, out):
    """A tree as a polynomial: dict of (sorted atoms with their powers) -> factor. `out`: multiply products of sums."""
    match node:
        case ast.Constant():
            return _kept({(): float(node.value)})
        case ast.UnaryOp():
            return {key: -value for key, value in _terms(node.operand, out).items()}
        case ast.BinOp():
            a, b, sign = _terms(node.left, out), _terms(node.right, out), OPERATORS[type(node.op)]
            if sign in "+-":
                return _kept({key: a.get(key, 0) + (1 if sign == "+" else -1) * b.get(key, 0) for key in {*a, *b}})
            if sign == "*":
                return _times(a, b) if out else _times(_whole(a), _whole(b))
            if sign == "/":
                if len(b) == 1:
                    ((atoms, factor),) = b.items()
                    return _times(a, {tuple((atom, -power) for atom, power in atoms): 1 / factor})
                return _times(a, {((_key(b), -1),): 1.0})
            if sign == "**" and b == {(): 2.0} and isinstance(node.left, ast.Call) and node.left.func.id == "norm":
                return _terms(ast.Call(ast.Name("norm2"), node.left.args, []), out)
            if sign == "**" and b.keys() == {()} and b[()] in (1, 2, 3):
                less = ast.BinOp(node.left, ast.Pow(), ast.Constant(b[()] - 1))
                return _times(a if out else _whole(a), _terms(less, out)) if b[()] > 1 else a if out else _whole(a)
            return {((f"{_key(a)} {sign} {_key(b)}", 1),): 1.0}
        case ast.Call():
            return _call_terms(node, out)
        case ast.Subscript():
            places = ", ".join(_key(_terms(x, out)) for x in indexes(node))
            return {((f"{_key(_terms(node.value, out))}[{places}]", 1),): 1.0}
        case ast.Compare():
            first, *rest = (_key(_terms(each, out)) for each in (node.left, *node.comparators))
            signs = [type(op).__name__ for op in node.ops]
            return {((" ".join([first, *map(" ".join, zip(signs, rest, strict=True))]), 1),): 1.0}
    return {((written(node), 1),): 1.0}


def _call_terms(node, out):
    name, args = node.func.id, node.args
    given = "".join(sorted(written(each.value) for each in node.keywords))
    if args and isinstance(args[0], ast.GeneratorExp):
        loop = args[0]
        tests = sorted(_key(_terms(test, out)) for part in loop.generators for test in part.ifs)
        over = ", ".join(f"{x.target.id} in {x.iter.id}" for x in loop.generators) + " if " + " and ".join(tests)
        return (
            _linear(f"{name} {over}", _terms(loop.elt, out))
            if name == "sum"
            else {((f"{name} {over}: {_key(_terms(loop.elt, out))}", 1),): 1.0}
        )
    parts = [_terms(each, out) for each in args]
    if name == "ind":
        return parts[0]
    if name == "tr":
        factors = [_key(_terms(each, out)) for each in _factors(args[0])]
        return {((f"tr({min(factors[k:] + factors[:k] for k in range(len(factors)))})", 1),): 1.0}
    if name == "norm2" or name == "inner" and _key(parts[0]) == _key(parts[-1]):
        return {((f"norm2({_unsigned(parts[0])})", 1),): 1.0}
    if name in ("norm", "abs", "norm1"):
        return {((f"{name}({_unsigned(parts[0])})", 1),): 1.0}
    if name == "inner":
        signs = [1 if _unsigned(part) == _key(part) else -1 for part in parts]
        return {((f"inner({', '.join(sorted(map(_unsigned, parts)))})", 1),): float(np.prod(signs))}
    if name == "E":
        return _linear(f"E given {given}", parts[0])
    return {((f"{name}({', '.join(map(_key, parts))}) given {given}", 1),): 1.0}


def _factors(node):
    """Of a product of matrices."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _factors(node.left) + _factors(node.right)
    return [node]


def _linear(name, terms):
    return _kept({((f"{name}: {_key({key: 1.0})}", 1),) if key else (): value for key, value in terms.items()})


def _times(a, b):
    found = {}
    for (one, x), (two, y) in product(a.items(), b.items()):
        powers = dict(one)
        for atom, power in two:
            powers[atom] = powers.get(atom, 0) + power
        key = tuple(sorted((atom, power) for atom, power in powers.items() if power))
        found[key] = found.get(key, 0) + x * y
    return _kept(found)


def _whole(terms):
    """A sum in brackets as one atom, up to its sign."""
    if len(terms) < 2:
        return terms
    return {((_unsigned(terms), 1),): 1.0 if _unsigned(terms) == _key(terms) else -1.0}


def _kept(terms):
    return {key: round(value, 12) for key, value in terms.items() if abs(value) > 1e-12}


def _key(terms):
    return repr(sorted(terms.items()))


def _unsigned(terms):
    """The key of a polynomial or of its negative, whichever comes first."""
    return min(_key(terms), _key({key: -value for key, value in terms.items()}))
