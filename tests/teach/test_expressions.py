"""A formula's LaTeX and its value say the same, and what is no formula is refused in words.

Random formulas are printed as LaTeX and read back by a small reader of its own, which knows TeX's rules and not ours.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from calibtutor.teach.expressions import Letters, Unreadable, along, formula
from calibtutor.teach.fingerprint import fingerprint
from calibtutor.teach.typeset import letter


def letters(seed=0):
    """A draw z of numbers x and vectors u, v; data sets D of three rows; numbers a, b, a vector q, matrices A, B."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    drawn = {
        "x": rng.normal(size=4),
        "c": np.array([0, 1, 0, 1]),
        "u": rng.normal(size=(4, 3)),
        "v": rng.normal(size=(4, 3)),
    }
    sets = {"h": rng.normal(size=(5, 3, 3)), "y": rng.integers(0, 3, (5, 3))}
    known = {"a": 0.7, "b": 1.3, "q": rng.normal(size=3), "A": rng.normal(size=(3, 3)), "B": root @ root.T + np.eye(3),
             "k": lambda s, t: np.exp(-((s - t) ** 2).sum(axis=-1)), "level": along("level", [0.1, 0.2])}  # fmt: skip
    draws = {"z": (rng.dirichlet(np.ones(4)), drawn), "D": (rng.dirichlet(np.ones(5)), sets)}
    return Letters(draws, known, {"rows": 3})


def value(text, world=None):
    return formula(text).value(world or letters())


# --- values, against sums that are written out ---

W = letters()
P, Z = W.draws["z"]
PD, D = W.draws["D"]
PAIRS = [(i, j) for i in range(4) for j in range(4)]


def k(i, j):
    return np.exp(-((Z["u"][i] - Z["v"][j]) ** 2).sum())


KNOWN = {
    "E(x)": lambda: sum(P[i] * Z["x"][i] for i in range(4)),
    "E(x * x')": lambda: sum(P[i] * P[j] * Z["x"][i] * Z["x"][j] for i, j in PAIRS),
    "E(norm2(u - v))": lambda: sum(P[i] * ((Z["u"][i] - Z["v"][i]) ** 2).sum() for i in range(4)),
    "E(k(u, v') * inner(u, u'))": lambda: sum(P[i] * P[j] * k(i, j) * Z["u"][i] @ Z["u"][j] for i, j in PAIRS),
    "Var(x)": lambda: P @ Z["x"] ** 2 - (P @ Z["x"]) ** 2,
    "P(c == 1)": lambda: P[1] + P[3],
    "E(x, given=c == 1)": lambda: (P[1] * Z["x"][1] + P[3] * Z["x"][3]) / (P[1] + P[3]),
    "E(E(x, given=c)**2)": lambda: sum(
        (P[k] @ Z["x"][k]) ** 2 / P[k].sum() for k in (np.array([0, 2]), np.array([1, 3]))),
    "E(sum(h[i, j] for i in rows for j in rows if i != j))": lambda: PD @ [h.sum() - np.trace(h) for h in D["h"]],
    "E(mean(h[i, y[i]] for i in rows))": lambda: PD @ [
        h[[0, 1, 2], y].mean() for h, y in zip(D["h"], D["y"], strict=True)],
    "E(max(h[i, i] for i in rows))": lambda: PD @ np.diagonal(D["h"], 0, 1, 2).max(axis=1),
    "P(count(h[i, j] > 0 for i in rows for j in rows) >= 5)": lambda: PD @ ((D["h"] > 0).sum(axis=(1, 2)) >= 5),
    "tr(A.T @ A) - norm2(A)": lambda: 0.0,
    "norm2(B ** (1/2) @ q) - inner(q, B @ q)": lambda: 0.0,
    "norm(inv(B) @ q - B ** (-1) @ q)": lambda: 0.0,
    "E(inner(u, s(u))); s(w) = E(k(w, v) * v)": lambda: sum(
        P[i] * P[j] * k(i, j) * Z["u"][i] @ Z["v"][j] for i, j in PAIRS),
    "E(inner(X, X')); X = outer(u, v)": lambda: sum(
        P[i] * P[j] * (Z["u"][i] @ Z["u"][j]) * (Z["v"][i] @ Z["v"][j]) for i, j in PAIRS),
    "sum(w[i] * q[i] for i in rows); w[i] = q[i] + a": lambda: ((W.known["q"] + 0.7) * W.known["q"]).sum(),
    "P(x <= level)": lambda: np.array([P @ (Z["x"] <= t) for t in (0.1, 0.2)]),
    "E_D(h[0, 0]) * x": lambda: (PD @ D["h"][:, 0, 0]) * Z["x"],
}  # fmt: skip


@pytest.mark.parametrize("text", KNOWN)
def test_a_formula_is_the_sum_that_it_stands_for(text):
    np.testing.assert_allclose(value(text), KNOWN[text](), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("text", "same"), [
    ("E(x * x')", "E(x) ** 2"), ("E(x * x' * x'')", "E(x) ** 3"), ("E(x * h[0, 0])", "E(x) * E(h[0, 0])"),
    ("E(inner(u, v'))", "inner(E(u), E(v))"), ("E(E(x, given=c))", "E(x)"), ("E(m * m'); m = x * c", "E(x * c) ** 2"),
    ("Cov(x, x')", "0"), ("Cov(x, x)", "Var(x)"),
])  # fmt: skip
def test_copies_and_draws_are_independent(text, same):
    np.testing.assert_allclose(value(text), value(same), atol=1e-13)
    assert abs(value("E(x * x)") - value("E(x) ** 2")) > 0.1


def test_what_stands_in_front_is_a_name_or_must_be_equal():
    world = formula("S = E(x)").define(letters())
    assert value("S + 1", world) == value("E(x) + 1")
    with pytest.raises(Unreadable, match="S = E.x. \\+ 1 does not hold"):
        value("S = E(x) + 1", world)
    assert value("norm2(A @ q) = inner(A @ q, A @ q)") > 0
    with pytest.raises(Unreadable, match="does not hold"):
        value("a; A @ q = q")
    assert not formula("norm2(q) = inner(q, q)").define(letters()).defined, "a function of the language is no name"
    with pytest.raises(Unreadable, match="norm2.q. = 1 does not hold"):
        value("a; norm2(q) = 1")


# --- LaTeX, read back ---

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\S")


class Back:
    """LaTeX to the text of a formula: what juxtaposition, fractions, norms and means mean in print."""

    def __init__(self, latex):
        self.tokens = [t for t in TOKEN.findall(latex) if t not in (r"\,", r"\;", r"\ ", r"\quad")] + ["end"]

    def take(self, wanted=None):
        token = self.tokens.pop(0)
        assert wanted in (None, token), (wanted, token)
        return token

    def sum(self, end):
        text = "-" + self.product(end) if self.tokens[0] == "-" and self.take() else self.product(end)
        while self.tokens[0] in "+-":
            text += f" {self.take()} {self.product(end)}"
        return text

    def product(self, end):
        factors = [self.power(end)]
        while self.tokens[0] not in (*end, "+", "-", "end", ",", r"\mid", r"\rangle", ")", "]", "}"):
            sign = self.take() if self.tokens[0] in (r"\cdot", "/") else "*"
            factors += ["/" if sign == "/" else "*", self.power(end)]
        return " ".join(factors)

    def power(self, end):
        base = self.atom(end)
        while self.tokens[0] == "^":
            self.take()
            above = self.group() if self.tokens[0] == "{" else self.take()
            base = f"({base}) ** ({above})"
        return base

    def up_to(self, end):
        text = self.sum((end,))
        self.take(end)
        return text

    def group(self):
        self.take("{")
        return self.up_to("}")

    def atom(self, end):
        token = self.take()
        if token[0].isdigit():
            return token
        if token in "([":
            return f"({self.up_to({'(': ')', '[': ']'}[token])})"
        if token == r"\frac":
            return f"(({self.group()}) / ({self.group()}))"
        if token == r"\sqrt":
            return f"sqrt({self.group()})"
        if token in (r"\|", "|"):
            return f"{'abs' if token == '|' else 'norm'}({self.up_to(token)})"
        if token == r"\langle":
            return "inner({}, {})".format(self.up_to(","), self.up_to(r"\rangle"))
        if token == r"\mathbb":
            for each in "{E}":
                self.take(each)
            inside = self.atom if self.tokens[0] == "[" else self.product  # up to the next sign of a sum
            return f"E({inside(end)})"
        if token == r"\sum":
            self.take("_")
            index = self.take()
            return f"sum({self.product(end)} for {index} in rows)"
        if self.tokens[0] == "'":
            token += self.take()
        if self.tokens[0] == "_":
            self.take()
            below = self.group() if self.tokens[0] == "{" else self.take()
            token = f"{token}[{below}]"
        if token == "k":
            self.take("(")
            return f"k({self.up_to(',')}, {self.up_to(')')})"
        return token


vectors = some.recursive(
    some.sampled_from(["u", "v", "u'", "v'", "q"]),
    lambda inner: (
        some.tuples(inner, some.sampled_from("+-"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | some.tuples(some.sampled_from(["a", "x", "2"]), inner).map(lambda t: f"({t[0]} * {t[1]})")
    ),
    max_leaves=3,
)
numbers = some.recursive(
    some.sampled_from(["a", "b", "x", "x'", "2", "1/2", "q[0]", "abs(x - a)"])
    | some.tuples(vectors, vectors).map(lambda t: f"inner({t[0]}, {t[1]})")
    | some.tuples(vectors, vectors).map(lambda t: f"k({t[0]}, {t[1]})")
    | vectors.map(lambda t: f"norm2({t})") | vectors.map(lambda t: f"norm({t})"),
    lambda inner: some.tuples(inner, some.sampled_from(["+", "-", "*", "*"]),
    inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    | inner.map(lambda t: f"({t})**2") | inner.map(lambda t: f"E({t})")
    | inner.map(lambda t: f"(-({t}))") | inner.map(lambda t: f"({t}) / b")
    | inner.map(lambda t: f"sum(q[i] * ({t}) for i in rows)"),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of the strategy
@settings(max_examples=300, deadline=None, derandomize=True)
@given(numbers)
def test_a_random_formula_says_the_same_as_text_and_latex(text):
    world = letters()
    found = value(text, world)
    tolerance = {"rtol": 1e-9, "atol": 1e-9 * max(1.0, np.abs(found).max())}
    printed = formula(text).latex
    back = Back(printed).sum(("end",))
    np.testing.assert_allclose(value(back, world), found, err_msg=f"{text}: {printed}: {back}", **tolerance)
    assert fingerprint(formula(text)) == fingerprint(formula(f"(({text}) * 2 - ({text}))"))
    assert fingerprint(formula(text)) != fingerprint(formula(f"({text}) + 1"))


def test_the_reader_back_would_notice_a_missing_bracket():
    text = "a * (x + 2)"
    assert value(Back(formula(text).latex).sum(("end",))).tolist() == value(text).tolist()
    assert value(Back("a\\,x + 2").sum(("end",))).tolist() != value(text).tolist()


@pytest.mark.parametrize(("text", "latex"), [
    ("E(norm2(p - e_Y))", r"\mathbb{E}\,\|p - e_Y\|^2"),
    ("E(x + y)", r"\mathbb{E}\,[\,x + y\,]"),
    ("E(x, given=c)**2", r"(\mathbb{E}\,[\,x \mid c\,])^2"),
    ("E(p[0]) * E(p[1])", r"\mathbb{E}[\,p_0\,]\,\mathbb{E}\,p_1"),
    ("1/n * sum(h[i, j] for i in rows for j in rows if i != j)", r"\frac{1}{n} \sum_{i \neq j} h_{ij}"),
    ("sum(c[a]**2 for a in inputs if a < 4)", r"\sum_{a < 4} c_a^2"),
    ("(a + b) * c", r"(a + b)\,c"),
    ("a - (b - c)", r"a - (b - c)"),
    ("tr(A.T @ inv(B))", r"\mathrm{Tr}(A^T B^{-1})"),
    ("x = 1; x' = 2", r"x = 1,\quad x' = 2"),
    ("P(R <= alpha, given=c == 1)", r"P(R \leq \alpha \mid c = 1)"),
    ("p[i][y[j]]", "p_i[y_j]"),
])  # fmt: skip
def test_how_formulas_are_set(text, latex):
    assert formula(text).latex == latex


@pytest.mark.parametrize(("name", "latex"), [
    ("r_bar", r"\bar{r}"), ("k_star", "k^*"), ("SKCE_uq", r"\mathrm{SKCE}_{uq}"), ("δ", r"\delta"), ("delta",
    r"\delta"),
    ("phi", r"\varphi"), ("e_Yʹ", "e_{Y'}"), ("pʹ", "p'"), ("g_hat", r"\hat{g}"), ("E_Z", r"\mathbb{E}_Z"),
])  # fmt: skip
def test_how_letters_are_set(name, latex):
    assert letter(name) == latex


# --- what is no formula ---


@pytest.mark.parametrize(("text", "said"), [
    ("", "no part of a formula"), ("2x", "Write \\* between factors"), ("norm2(u", "brackets"),
    ("u * v", "inner\\(a, b\\)"), ("u + x", "a vector \\+ a number"), ("u**2", "norm2"), ("foo(x)", "no function here"),
    ("w + 1", "“w” is no letter here"), ("E[x]", "round brackets"),
    ("norm2(||u||)", "norm2\\(a\\) for"), ("E(x | c)", "given=c"), ("P(c=1)", "Y == 1"), ("A + 1", "times I"),
    ("Au", "no letter here .write .*@ between matrices"), ("E(\\frac{x}{2})", "No LaTeX"), ("Var(u)", "takes numbers"),
    ("k", "round brackets"), ("E(x, y)", "E and Var one"), ("P(x)", "an event"), ("x.shape", "no part of a form"),
    ("__import__('os')", "cannot be read"), ("[x for x in u]", "no part"), ("lambda: 1", "no part"),
    ("(x := 2)", "no part"), ("sum(x for i in u)", "sum\\(… for i in SET\\)"), ("q[7]", "from 0 to 2"),
    ("q[0, 0]", "do not fit"), ("E(x, over=c)", "given="), ("x; y", "equation"), ("True", "no part"),
    ("'x'", "cannot be read"), ('"x"', "no part"), ("x if a else b", "no part"), ("x @ a", "@ stands between"),
    ("x.T", "not transposed"), ("inner(q, A)", "must be alike"), ("exp(u)", "takes a number"),
    ("().__class__.__bases__", "no part"), ("u < v", "only numbers are compared"),
    ("sum(q)", "write sum\\( … for i in SET\\)"), ("x" + " + x" * 30000, "cannot be read"),
], ids=lambda text: text[:20])  # fmt: skip
def test_what_is_no_formula_is_refused_in_words(text, said):
    with pytest.raises(Unreadable, match=said):
        value(text)


@pytest.mark.parametrize("text", ["E(x)^2", "E(x)²", "x′ * 2", "x’ * 2", "a · b", "a − b", "P(x ≤ 1)"])
def test_signs_that_people_type_are_read(text):
    assert np.isfinite(value(text)).all()


def test_a_letter_stands_for_one_thing():
    with pytest.raises(ValueError, match="letters: x stand for two things"):
        Letters({"z": ([1.0], {"x": [1]})}, {"x": 2})
