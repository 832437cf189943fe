"""Whether two formulas are the same but for the order of terms and factors, brackets, and the signs of norms.

A letter stands for a random whole number and a function for a random one, modulo a prime: what follows from the rules
of sums and products alone gives the same number, and all else, up to a chance of 1 in 10¹⁸, another (Schwartz 1980).
"""

import ast
import hashlib
from fractions import Fraction

from .expressions import written
from .typeset import OPERATORS, parts_of

MODULUS = 2**61 - 1
SUM = {ast.Add: 1, ast.Sub: -1}
CHANGED = [Fraction(1, 2), 2, 3, 4, -1, -2, -3, -4, Fraction(-1, 2)]  # what a factor is mistaken for, times itself


def fingerprint(formula, defined=None, *, multiplied=True):
    """A whole number; without `multiplied` a product with a sum in brackets is another than its terms."""
    return _Numbers(defined or {}, multiplied).see(formula.sides[-1])


def differs_in_a_factor(formula, other, defined=None):
    """Whether the formula is the other one with the factor of one of its terms changed, and no term left out."""
    see = _Numbers(defined or {}, True).see
    apart, terms = see(formula.sides[-1]) - see(other.sides[-1]), map(see, _parts(other.sides[-1], *SUM))
    return any((apart - _modulo(by - 1) * term) % MODULUS == 0 for term in terms for by in CHANGED)


class _Numbers:
    """Those of trees, given what names stand for; `out`: products of sums are multiplied out."""

    def __init__(self, defined, out):
        self.defined, self.out = defined, out

    def see(self, node):
        see = self.see
        match node:
            case ast.Constant():
                return _modulo(Fraction(str(node.value)))
            case ast.Name():
                rule = self.defined.get(node.id)
                return see(rule.body) if rule and not rule.parameters else _random(node.id)
            case ast.UnaryOp():
                return -see(node.operand) % MODULUS
            case ast.BinOp(op=ast.Add() | ast.Sub() as op):
                return (see(node.left) + SUM[type(op)] * see(node.right)) % MODULUS
            case ast.BinOp(op=ast.Mult()):
                return self.factor(node.left) * self.factor(node.right) % MODULUS
            case ast.BinOp(op=ast.Div()):
                return see(node.left) * pow(see(node.right), -1, MODULUS) % MODULUS
            case ast.BinOp(left=ast.Call(func=ast.Name("norm")), op=ast.Pow(), right=ast.Constant(2)):
                return see(ast.Call(ast.Name("norm2"), node.left.args, []))
            case ast.BinOp(op=ast.Pow(), right=ast.Constant(1 | 2 | 3)):
                return pow(self.factor(node.left), node.right.value, MODULUS)
            case ast.BinOp():
                return _random(OPERATORS[type(node.op)], see(node.left), see(node.right))
            case ast.Subscript():
                return _random("entry", see(node.value), *map(see, parts_of(node.slice)))
            case ast.Compare():
                return _random(*map(type, node.ops), see(node.left), *map(see, node.comparators))
            case ast.Call(args=[ast.GeneratorExp() as loop]):
                tests = sorted(see(test) for each in loop.generators for test in each.ifs)
                over = [(each.target.id, each.iter.id) for each in loop.generators]
                if node.func.id == "sum":  # of terms it is the sum of each
                    return _random("sum", over, tests) * see(loop.elt) % MODULUS
                return _random(node.func.id, over, tests, see(loop.elt))
            case ast.Call(func=ast.Name("tr")):
                factors = [*map(see, _parts(node.args[0], ast.MatMult))]
                return _random("tr", min(factors[k:] + factors[:k] for k in range(len(factors))))
            case ast.Call(func=ast.Name("E"), args=[of], keywords=[given]):
                return self.mean(of, written(given.value))
            case ast.Call():
                given = sorted(written(each.value) for each in node.keywords)
                return _called(node.func.id, [*map(see, node.args)], given)
        return _random(written(node))

    def mean(self, node, given):
        """Of terms it is the mean of each; what is given is its own."""
        match node:
            case ast.Name() if (rule := self.defined.get(node.id)) and not rule.parameters:
                return self.mean(rule.body, given)
            case ast.BinOp(op=ast.Add() | ast.Sub() as op):
                return (self.mean(node.left, given) + SUM[type(op)] * self.mean(node.right, given)) % MODULUS
        return self.see(node) * (1 if written(node) == given else _random("E", given)) % MODULUS

    def factor(self, node):
        number = self.see(node)
        if self.out or len(_parts(node, *SUM)) < 2:
            return number
        return _sign(number) * _random("sum", _unsigned(number)) % MODULUS


def _called(name, parts, given):
    if name == "ind":
        return parts[0]
    if name == "E":  # of terms it is the mean of each
        return _random("E", given) * parts[0] % MODULUS
    if name == "norm2" or name == "inner" and parts[0] == parts[1]:
        return _random("norm2", _unsigned(parts[0]))
    if name in ("norm", "abs"):
        return _random(name, _unsigned(parts[0]))
    if name == "inner":
        return _sign(parts[0]) * _sign(parts[1]) * _random("inner", sorted(map(_unsigned, parts))) % MODULUS
    return _random(name, parts, given)


def _parts(node, *signs):
    """What stands between such signs."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, signs):
        return _parts(node.left, *signs) + _parts(node.right, *signs)
    return [node]


def _random(*what):
    """A random number, always the same for the same."""
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=16).digest()) % MODULUS


def _unsigned(number):
    return min(number, -number % MODULUS)


def _sign(number):
    return 1 if number == _unsigned(number) else -1


def _modulo(number):
    return number.numerator * pow(number.denominator, -1, MODULUS) % MODULUS
