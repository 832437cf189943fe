"""A formula's tree as LaTeX: names as the course writes them, and just the brackets that it needs."""

import ast
import re

PRIME = "ʹ"  # a letter for Python, so that a letter with a prime is a name
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@"}
RELATIONS = {ast.Eq: "=", ast.NotEq: r"\neq", ast.Lt: "<", ast.LtE: r"\leq", ast.Gt: ">", ast.GtE: r"\geq"}
GREEK = dict(zip("αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ", (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau varphi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega").split(), strict=True)) | {"lam": "lambda", "phi": "varphi"}
ACCENTS = {"bar", "hat", "tilde"}
AROUND = {  # what stands before a function's arguments, and behind
    "norm": (r"\|", r"\|"), "norm2": (r"\|", r"\|^2"), "norm_HS": (r"\|", r"\|_{HS}"), "norm_op": (r"\|", r"\|_{op}"),
    "abs": ("|", "|"), "floor": (r"\lfloor ", r"\rfloor"), "sqrt": (r"\sqrt{", "}"), "inner": (r"\langle ", r"\rangle"),
    "ind": ("1[", "]"), "tr": (r"\mathrm{Tr}(", ")"), "vec": (r"\mathrm{vec}(", ")"), "sign": (r"\mathrm{sign}(", ")"),
    **{name: (rf"\{name}(", ")") for name in ("exp", "ln", "cos", "sin", "max", "min")}}
COMPARED, SUM, TENSOR, PREFIX, PRODUCT, POWER, ATOM = range(7)  # what binds how fast


def letter(name):
    """A name in LaTeX: ``r_bar`` has a bar, ``k_star`` a star, ``SKCE_uq`` is upright, ``phi`` is Greek."""
    base, *rest = name.rstrip(PRIME).split("_")
    prime, below, star = name[len(name.rstrip(PRIME)) :].replace(PRIME, "'"), [], ""
    greek = GREEK.get(base) or (base if base in GREEK.values() else "")
    latex = "\\" + greek if greek else base if len(base) == 1 else rf"\mathrm{{{base}}}"
    if base == "E":
        latex = r"\mathbb{E}"
    for part in rest:
        if part in ACCENTS:
            latex = rf"\{part}{{{latex}}}"
        elif part == "star":
            star = "^*"
        elif part == "data":  # p_data[i] is p_i, beside the p of a population
            continue
        else:
            below.append("\\" + GREEK[part] if part in GREEK else part if len(part) < 4 else rf"\mathrm{{{part}}}")
    under = ",".join(below)
    if prime and under.isupper():  # e of Y': the draw has the prime
        under, prime = under + prime, ""
    return latex + star + prime + (_script("_", under) if under else "")


def _script(sign, latex):
    """An index or exponent; one letter needs no braces."""
    return sign + (latex if len(latex) == 1 else f"{{{latex}}}")


def typeset(tree):
    """A tree in LaTeX."""
    return _set(tree)[0]


def _bracketed(tree, least):
    """In round brackets if it binds less than that."""
    latex, binds = _set(tree)
    return latex if binds >= least else f"({latex})"


def _set(tree):
    """LaTeX, and how fast it binds."""
    match tree:
        case ast.Constant():
            return (f"{tree.value:g}", ATOM)
        case ast.Name():
            return letter(tree.id), ATOM
        case ast.UnaryOp():
            return "-" + _bracketed(tree.operand, PREFIX), SUM
        case ast.Attribute():
            return _bracketed(tree.value, ATOM) + "^T", POWER
        case ast.Compare():
            parts = [_bracketed(tree.left, SUM)]
            for op, right in zip(tree.ops, tree.comparators, strict=True):
                parts += [RELATIONS[type(op)], _bracketed(right, SUM)]
            return " ".join(parts), COMPARED
        case ast.Tuple():
            return r",\, ".join(typeset(each) for each in tree.elts), COMPARED
        case ast.Subscript():
            return _entry(tree), ATOM
        case ast.BinOp():
            return _operation(tree)
        case ast.Call():
            return _call(tree)
    raise ValueError(f"tree: {ast.dump(tree)[:60]} cannot be set")


def _operation(tree):
    sign, left, right = OPERATORS[type(tree.op)], tree.left, tree.right
    if sign in "+-":
        least = SUM if sign == "+" and not _set(right)[0].startswith("-") else PREFIX
        return f"{_bracketed(left, SUM)} {sign} {_bracketed(right, least)}", SUM
    if sign == "**":
        above = typeset(right).replace(r"\frac{1}{2}", "1/2")
        base = _bracketed(left, ATOM)
        called = base.startswith((r"\mathbb{E}", r"\mathrm{Var}", r"\cos", r"\sin", r"\exp", r"\ln"))
        if called or isinstance(left, ast.Name) and "^" in base:
            base = f"({base})"
        return base + _script("^", above), POWER
    if sign == "/":
        if minus := _negated(left):
            return f"-{_bracketed(ast.BinOp(minus, tree.op, right), TENSOR)}", SUM
        a, b = _set(left)[0], _set(right)[0]
        if r"\frac" in a or r"\frac" in b:  # fractions in fractions are hard to read
            return rf"{_bracketed(left, PREFIX)} \,/\, {_bracketed(right, POWER)}", TENSOR
        return rf"\frac{{{a}}}{{{b}}}", ATOM
    return _product(left, right, sign)


def _product(left, right, sign):
    if minus := _negated(left):
        return f"-{_product(minus, right, sign)[0]}", SUM
    a, b = _bracketed(left, PREFIX), _bracketed(right, PREFIX)
    if _open(left):  # what stands behind its sum or mean would belong to that, too
        name = letter(left.func.id) if isinstance(left, ast.Call) else ""
        a = rf"{name}[\,{typeset(left.args[0])}\,]" if name.startswith(r"\mathbb{E}") else f"({typeset(left)})"
    if re.match(r"\d|\\frac\{\d", b) and re.search(r"\d\}?$", a):
        return rf"{a} \cdot {b}", PRODUCT
    tight = sign == "@" or re.fullmatch(r"\d+", a) and re.match(r"[a-zA-Z(\\]", b) and not b.startswith(r"\math")
    space = " " if tight or re.search(r"\\frac\{[^{}]*\}\{[^{}]*\}$", a) else r"\,"
    return f"{a}{space}{b}", PREFIX if _open(right) else PRODUCT


def _negated(tree):
    """What a product or quotient would be without the minus in front of it; None if there is none."""
    match tree:
        case ast.UnaryOp():
            return tree.operand
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.MatMult()) if left := _negated(tree.left):
            return ast.BinOp(left, tree.op, tree.right)


def _open(tree):
    """Whether its end belongs to a sum or a mean, so that what is written behind it would too."""
    if isinstance(tree, ast.BinOp) and OPERATORS[type(tree.op)] in "*@":
        return _open(tree.right)
    return isinstance(tree, ast.Call) and _set(tree)[1] == PREFIX


def _entry(tree):
    parts = [typeset(place) for place in parts_of(tree.slice)]
    base = typeset(tree.value)
    if not isinstance(tree.value, ast.Name | ast.Subscript):
        return rf"({base})_{{{''.join(parts)}}}"
    if isinstance(tree.value, ast.Subscript) or "_" in base:
        return f"{base}[{', '.join(parts)}]"
    long = any(len(re.sub(r"\\[a-z]+", "a", part)) > 2 for part in parts)
    return base + _script("_", (r",\," if long else "").join(parts))


def parts_of(tree):
    """What stands between the commas of a tree."""
    return tree.elts if isinstance(tree, ast.Tuple) else [tree]


def _call(tree):
    name, args = tree.func.id, tree.args
    if args and isinstance(args[0], ast.GeneratorExp):
        return _joined(name, args[0])
    inside = r",\, ".join(typeset(each) for each in args)
    if name in AROUND:
        left, right = AROUND[name]
        inside = re.sub(r"\\frac\{(\w)\}\{(\w)\}", r"\1/\2", inside) if name == "floor" else inside
        return left + inside + right, POWER if name == "norm2" else ATOM
    if name in ("outer", "kron"):
        return r" \otimes ".join(_bracketed(each, POWER) for each in args), TENSOR
    if name == "inv":
        return _bracketed(args[0], ATOM) + "^{-1}", POWER
    if name in ("E", "Var", "Cov", "P") or name.startswith("E_"):
        return _mean(tree)
    return f"{letter(name)}({inside})", ATOM


def _mean(tree):
    name, args = tree.func.id, tree.args
    head = letter(name) if name[0] == "E" else name if name == "P" else rf"\mathrm{{{name}}}"
    given = [typeset(each.value) for each in tree.keywords]
    inside = r",\, ".join(typeset(each) for each in args) + "".join(rf" \mid {each}" for each in given)
    if name in ("P", "Cov") or name == "Var" and (given or not isinstance(args[0], ast.Name)):
        return rf"{head}({inside})", ATOM
    if given or _set(args[0])[1] < PREFIX:
        return rf"{head}\,[\,{inside}\,]", ATOM
    return rf"{head}\,{inside}", PREFIX


def _joined(name, loop):
    targets = [each.target.id for each in loop.generators]
    tests = [each for part in loop.generators for each in part.ifs]
    tested = {node.id for test in tests for node in ast.walk(test) if isinstance(node, ast.Name)}
    below = ", ".join(each for each in targets if each not in tested), ", ".join(map(typeset, tests))
    below = r",\ ".join(filter(None, below))
    if name == "count":
        return rf"|\{{{', '.join(targets)} : {', '.join(map(typeset, [loop.elt, *tests]))}\}}|", ATOM
    head, space = (rf"\{name}", " ") if name in ("sum", "max", "min") else (rf"\mathrm{{{name}}}", r"\,")
    return head + _script("_", below) + space + _bracketed(loop.elt, TENSOR), PREFIX
