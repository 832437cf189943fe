"""The terms of a formula, which tell whether two ways of writing are the same."""

import ast
from copy import deepcopy
from functools import reduce
from itertools import product

from .expressions import indexes, written
from .typeset import OPERATORS


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
    key = lambda each: _key(_terms(each, out))
    match node:
        case ast.Constant():
            return _kept({(): float(node.value)})
        case ast.UnaryOp():
            return _negative(_terms(node.operand, out))
        case ast.BinOp():
            return _operation(node, OPERATORS[type(node.op)], _terms(node.left, out), _terms(node.right, out), out)
        case ast.Call():
            return _call(node, out)
        case ast.Subscript():
            return _atom(f"{key(node.value)}[{', '.join(map(key, indexes(node)))}]")
        case ast.Compare():
            rest = zip(node.ops, node.comparators, strict=True)
            return _atom(key(node.left) + "".join(f" {type(op).__name__} {key(each)}" for op, each in rest))
    return _atom(written(node))


def _operation(node, sign, a, b, out):
    if sign in "+-":
        b = b if sign == "+" else _negative(b)
        return _kept({key: a.get(key, 0) + b.get(key, 0) for key in {*a, *b}})
    if sign == "*":
        return _times(a, b) if out else _times(_whole(a), _whole(b))
    if sign == "/" and len(b) == 1:
        ((atoms, factor),) = b.items()
        return _times(a, {tuple((atom, -power) for atom, power in atoms): 1 / factor})
    if sign == "/":
        return _times(a, _atom(_key(b), -1))
    if sign == "**" and b == {(): 2.0} and getattr(getattr(node.left, "func", None), "id", "") == "norm":
        return _terms(ast.Call(ast.Name("norm2"), node.left.args, []), out)
    if sign == "**" and b in ({(): 1.0}, {(): 2.0}, {(): 3.0}):
        return reduce(_times, [a if out else _whole(a)] * int(b[()]))
    return _atom(f"{_key(a)} {sign} {_key(b)}")


def _call(node, out):
    name, args = node.func.id, node.args
    if args and isinstance(args[0], ast.GeneratorExp):
        loops = args[0].generators
        tests = sorted(_key(_terms(test, out)) for each in loops for test in each.ifs)
        over = ", ".join(f"{each.target.id} in {each.iter.id}" for each in loops) + " if " + " and ".join(tests)
        summed = _terms(args[0].elt, out)
        return _linear(f"sum {over}", summed) if name == "sum" else _atom(f"{name} {over}: {_key(summed)}")
    given = "".join(sorted(written(each.value) for each in node.keywords))
    parts = [_terms(each, out) for each in args]
    keys, unsigned = [*map(_key, parts)], [*map(_unsigned, parts)]
    if name == "ind":
        return parts[0]
    if name == "E":
        return _linear(f"E given {given}", parts[0])
    if name == "tr":
        factors = [_key(_terms(each, out)) for each in _factors(args[0])]
        return _atom(f"tr({min(factors[k:] + factors[:k] for k in range(len(factors)))})")
    if name == "norm2" or name == "inner" and keys[0] == keys[-1]:
        return _atom(f"norm2({unsigned[0]})")
    if name in ("norm", "abs"):
        return _atom(f"{name}({unsigned[0]})")
    if name == "inner":
        return _atom(f"inner({sorted(unsigned)})", factor=(-1.0) ** sum(map(str.__ne__, keys, unsigned)))
    return _atom(f"{name}({keys}) given {given}")


def _factors(node):
    """Of a product of matrices."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _factors(node.left) + _factors(node.right)
    return [node]


def _atom(text, power=1, factor=1.0):
    return {((text, power),): factor}


def _negative(terms):
    return {key: -value for key, value in terms.items()}


def _linear(name, terms):
    """A sum or mean of terms is that of each; that of a number is taken for the number."""
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
    return _atom(_unsigned(terms), factor=1.0 if _unsigned(terms) == _key(terms) else -1.0)


def _kept(terms):
    return {key: round(value, 12) for key, value in terms.items() if abs(value) > 1e-12}


def _key(terms):
    return repr(sorted(terms.items()))


def _unsigned(terms):
    """The key of a polynomial or of its negative, whichever comes first."""
    return min(_key(terms), _key(_negative(terms)))
