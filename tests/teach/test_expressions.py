"""A formula's LaTeX and its value say the same, and what is no formula is refused in words."""

import json
from pathlib import Path

import numpy as np
import pytest

from calibtutor.teach.expressions import Letters, Unreadable, along, formula
from calibtutor.teach.typeset import letter

# What formulas and letters are set as, and what is said of those that cannot be read.
WRITTEN = json.loads(Path(__file__).with_name("expressions.json").read_text(encoding="utf-8"))


def letters(seed=0):
    """A draw z of numbers x and vectors u, v; data sets D of three rows; numbers a, b, a vector q, matrices A, B."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    drawn = {"x": rng.normal(size=4), "c": np.array([0, 1, 0, 1]), "u": rng.normal(size=(4, 3)),
             "v": rng.normal(size=(4, 3))}
    sets = {"h": rng.normal(size=(5, 3, 3)), "y": rng.integers(0, 3, (5, 3))}
    known = {"a": 0.7, "b": 1.3, "q": rng.normal(size=3), "A": rng.normal(size=(3, 3)), "B": root @ root.T + np.eye(3),
             "k": lambda s, t: np.exp(-((s - t) ** 2).sum(axis=-1)), "level": along("level", [0.1, 0.2])}
    draws = {"z": (rng.dirichlet(np.ones(4)), drawn), "D": (rng.dirichlet(np.ones(5)), sets)}
    return Letters(draws, known, {"rows": 3})


def value(text, world=None):
    return formula(text).value(world or letters())


W = letters()
P, Z = W.draws["z"]
PD, D = W.draws["D"]
PAIRS = [(i, j) for i in range(4) for j in range(4)]


def k(i, j):
    return np.exp(-((Z["u"][i] - Z["v"][j]) ** 2).sum())


KNOWN = {"E(x)": lambda: sum(P[i] * Z["x"][i] for i in range(4)),
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
         "E_D(h[0, 0]) * x": lambda: (PD @ D["h"][:, 0, 0]) * Z["x"]}


@pytest.mark.parametrize("text", KNOWN)
def test_a_formula_is_the_sum_that_it_stands_for(text):
    np.testing.assert_allclose(value(text), KNOWN[text](), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("text", "same"), [
    ("E(x * x')", "E(x) ** 2"), ("E(x * x' * x'')", "E(x) ** 3"), ("E(x * h[0, 0])", "E(x) * E(h[0, 0])"),
    ("E(inner(u, v'))", "inner(E(u), E(v))"), ("E(E(x, given=c))", "E(x)"), ("E(m * m'); m = x * c", "E(x * c) ** 2"),
    ("Cov(x, x')", "0"), ("Cov(x, x)", "Var(x)")])
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


@pytest.mark.parametrize(("text", "latex"), WRITTEN["latex"])
def test_how_formulas_are_set(text, latex):
    assert formula(text).latex == latex


@pytest.mark.parametrize(("name", "latex"), WRITTEN["letters"])
def test_how_letters_are_set(name, latex):
    assert letter(name) == latex


LONG = "x" + " + x" * 30000, "cannot be read"


@pytest.mark.parametrize(("text", "said"), [*WRITTEN["refused"], LONG], ids=lambda text: text[:20])
def test_what_is_no_formula_is_refused_in_words(text, said):
    with pytest.raises(Unreadable, match=said):
        value(text)


@pytest.mark.parametrize("text", ["E(x)^2", "E(x)²", "x′ * 2", "x’ * 2", "a · b", "a − b", "P(x ≤ 1)"])
def test_signs_that_people_type_are_read(text):
    assert np.isfinite(value(text)).all()


def test_a_letter_stands_for_one_thing():
    with pytest.raises(ValueError, match="letters: x stand for two things"):
        Letters({"z": ([1.0], {"x": [1]})}, {"x": 2})
