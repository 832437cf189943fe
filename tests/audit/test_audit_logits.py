"""Logits: what a softmax in single precision loses is kept; files of numpy; columns by range."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn
from scipy.special import expit, log_softmax, softmax

import calibtutor as ct
from calibtutor.audit.inputs import panel_of, probability_of
from calibtutor.audit.table_file import arguments_of, read_table

RNG, ABC = np.random.default_rng(0), ["a", "b", "c"]
Z = 2 * RNG.normal(size=(400, 3)).astype(np.float16)
P, X = softmax(Z.astype(float), axis=1), (Z[:, 1].astype(float) - Z[:, 0])
Y, TWO = drawn(RNG, P), drawn(RNG, expit(X))
NAMED = pd.DataFrame(Z.astype(float), columns=["a:b", "p1", "p2"]).assign(age=1.5, y=Y)
audit = partial(ct.audit, n_resamples=19, rng=0)


@pytest.mark.parametrize(("y", "z", "p", "more"), [
    (Y, Z, P, {}), (Y, np.log(P), P, {}), (TWO, Z[:, :2], expit(X), {}), (TWO, X, expit(X), {}),
    (pd.Series(np.array(ABC)[Y], -Y), pd.DataFrame(Z, -Y, ABC)[["c", "a", "b"]], P, {"classes": ABC})])  # fmt: skip
def test_logits_give_what_their_softmax_in_double_precision_gives(y, z, p, more):
    left, right = audit(y, z, logits=True, **more), audit(y, p, **more)
    for name in ("size", "questions", "repair", "curve"):
        numbers = [each.tables[name].select_dtypes("number") for each in (left, right)]
        np.testing.assert_allclose(*numbers, rtol=1e-6, atol=1e-9, err_msg=name)
    assert left.conclusions == right.conclusions and left.settings["logits"] and not right.settings["logits"]


def test_nothing_is_lost_near_0_and_1():
    far, size = 60 * Z.astype(float), lambda audited: audited.tables["size"].set_index("quantity")["estimate"]
    found = [size(audit(TWO, k * X, logits=True)) for k in (1, 60, 600)]
    assert found[0]["slope"] == pytest.approx(60 * found[1]["slope"], rel=1e-6)
    assert found[2]["log loss"] == pytest.approx(np.logaddexp(0, np.where(TWO, -600 * X, 600 * X)).mean())
    many, single = audit(Y, far, logits=True), audit(Y, softmax(far.astype(np.float32), axis=1))
    assert [np.isfinite(size(each)["log loss"]) for each in (many, single)] == [True, False]
    assert size(many)["log loss"] == pytest.approx(-log_softmax(far, axis=1)[np.arange(400), Y].mean())
    assert [any("logits stop there" in each for each in found.limits) for found in (many, single)] == [False, True]
    T = [float(each.tables["repair"]["map"][1].split("= ")[1]) for each in (audit(Y, Z, logits=True), many)]
    assert T[1] == pytest.approx(60 * T[0], rel=0.01)
    out = np.where(np.arange(3) == (Y[:, None] + 1) % 3, -np.inf, 10 * far)  # a class is ruled out
    panel = panel_of(Y, out, logits=True)[0]
    assert np.isfinite(panel.logs).all() and (panel.y_prob == 0).any(axis=1).all()
    assert (probability_of(panel.take([3, 5])) == np.exp(panel.logs[[3, 5], 1])).all()
    assert [softmax(np.float32([0, z])).max() == 1 for z in -np.log([7e-8, 5e-8])] == [False, True]  # the guide's 6e-8


def test_what_are_no_logits_is_refused():
    no = ((np.vstack([Z[:3], [[bad] * 3], Z[4:]]), True, "row 3 is .* ruled out") for bad in (np.nan, np.inf, -np.inf))
    for z, logits, match in (*no, (Z, False, r"logits=True \(--logits\)"), (X, False, "--logits")):
        with pytest.raises(ct.InputError, match=match):
            audit(Y, z, logits=logits)


def test_probabilities_as_logits_are_doubted_and_many_classes_are_counted():
    for z, doubted in ((Z, False), (np.log(P), False), (P, True)):
        assert ("are they logits" in audit(Y, z, logits=True).conclusions[0]) == doubted
    z = np.random.default_rng(0).normal(size=(230, 23))
    table = audit(np.arange(230) % 23, z, logits=True).tables["data"].set_index("what")
    assert table.loc["rows of the 3 other classes"].tolist() == [30, "10 each"]
    assert table.loc["logits", "value"] == f"−{-z.min():.4g} to {z.max():.4g}"


@pytest.mark.parametrize(("name", "content", "y", "probs", "features"), [
    ("a.npz", {"net|test": Z, "net|held": Z[:9], "y": Y}, "y", "net|test", ""), ("a.npy", np.c_[Z, Y], "3", "0:2", ""),
    ("a.npz", NAMED, "y", "a:b p1 p2", "p2:age"), ("a.npy", NAMED.to_records(), "y", "a:b:p2", ""),
    ("a.npy", np.c_[Z, Y], "3", ":", ""), ("a.csv", NAMED, "y", ":", "age"), ("a.csv", NAMED, "y", "a:b p1:p2", ""),
    ("a.csv", NAMED.rename(columns={"p1": ":"}), "y", "a:b : p2", "p2:age")])  # fmt: skip
def test_columns_of_any_file_by_name_by_range_and_all_others(name, content, y, probs, features, tmp_path):
    path = tmp_path / name
    {"csv": lambda: content.to_csv(path, index=False), "npz": lambda: np.savez(path, **content),
     "npy": lambda: np.save(path, content)}[name[2:]]()  # fmt: skip
    found = arguments_of(read_table(path), y, probs.split(), classes=["0:2"], features=features.split())
    assert (found["y_prob"].to_numpy() == Z).all() and (found["y_true"] == Y).all()
    assert found["classes"] == ["0", "1", "2"]
    assert list(found.get("features", [])) == {"": [], "age": ["age"], "p2:age": ["p2", "age"]}[features]


@pytest.mark.parametrize(("probs", "match"), [
    ("short", r"array 'short': expected .* 400 rows.*shape \(9, 3\)"), ("z:y", "first to stand before the last"),
    ("words", "'words': expected numbers or text"), ("cube", r"\(2, 2, 2\)"), ("none", "has 'y', 'z'")])  # fmt: skip
def test_arrays_that_do_not_fit_are_named(probs, match, tmp_path):
    np.savez(tmp_path / "a.npz", y=Y, z=Z, short=Z[:9], words=Y.astype(object), cube=np.zeros((2, 2, 2)))
    with pytest.raises(ct.InputError, match=match):
        arguments_of(read_table(tmp_path / "a.npz"), "y", [probs])
