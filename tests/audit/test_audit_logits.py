"""Logits: what a softmax in single precision loses is kept; files of numpy; columns by range."""

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn
from scipy.special import expit, logsumexp, softmax

import calibtutor as ct
from calibtutor.audit.inputs import panel_of, probability_of
from calibtutor.audit.table_file import arguments_of, read_table

RNG = np.random.default_rng(0)
Z = 2 * RNG.normal(size=(400, 3))
Y, X = drawn(RNG, softmax(Z, axis=1)), Z[:, 1] - Z[:, 0]
TWO = drawn(RNG, expit(X))
found = ct.audit  # of few draws


def audit(y, z, **options):
    return ct.audit(y, z, n_resamples=19, rng=0, **options)


def size(audited):
    return audited.tables["size"].set_index("quantity")["estimate"]


@pytest.mark.parametrize(("y", "z", "p", "classes"), [
    (Y, Z, softmax(Z, axis=1), None), (Y, Z.astype(np.float16), softmax(Z.astype(np.float16).astype(float), axis=1), None),
    (Y, np.log(softmax(Z, axis=1)), softmax(Z, axis=1), None), (TWO, Z[:, :2], expit(X), None), (TWO, X, expit(X), None),
    (np.array(list("abc"))[Y], pd.DataFrame(Z, columns=list("abc"))[["c", "a", "b"]], softmax(Z, axis=1), list("abc")),
])  # fmt: skip
def test_logits_give_what_their_softmax_in_double_precision_gives(y, z, p, classes):
    left, right = audit(y, z, logits=True, classes=classes), audit(y, p, classes=classes)
    for name in ("size", "questions", "repair", "curve"):
        numbers = [each.tables[name].select_dtypes("number") for each in (left, right)]
        np.testing.assert_allclose(*numbers, rtol=1e-6, atol=1e-9, err_msg=name)
    assert left.conclusions == right.conclusions and left.settings["logits"] and not right.settings["logits"]


def test_nothing_is_lost_near_0_and_1():
    sharp = size(audit(TWO, 60 * X, logits=True))  # up to e^-400: the slope is of what came in
    assert sharp["slope"] == pytest.approx(size(audit(TWO, X, logits=True))["slope"] / 60, rel=1e-6)
    assert sharp["log loss"] == pytest.approx(np.logaddexp(0, np.where(TWO, -60 * X, 60 * X)).mean())
    many, single = audit(Y, 60 * Z, logits=True), audit(Y, softmax((60 * Z).astype(np.float32), axis=1))
    label = 60 * Z[np.arange(400), Y]
    assert size(many)["log loss"] == pytest.approx((logsumexp(60 * Z, axis=1) - label).mean())
    assert not np.isfinite(size(single)["log loss"])
    temperatures = [float(each.tables["repair"]["map"][1].split("= ")[1]) for each in (many, audit(Y, Z, logits=True))]
    assert temperatures[0] == pytest.approx(60 * temperatures[1], rel=0.01)
    assert [any("logits stop there" in each for each in audited.limits) for audited in (many, single)] == [False, True]
    panel = panel_of(Y, np.where(np.arange(3) == (Y[:, None] + 1) % 3, -np.inf, 1000 * Z), logits=True)[0]  # ruled out
    assert np.isfinite(panel.z).all() and (np.sort(panel.y_prob)[:, 0] == 0).all() and np.isfinite(panel.logs).all()
    assert (probability_of(panel.take(np.arange(9))) == np.exp(panel.logs[:9, 1])).all()


def test_what_are_no_logits_is_refused_or_doubted():
    for bad, row in ((np.nan, 3), (np.inf, 3), ([-np.inf] * 3, 3)):
        z = Z.copy()
        z[3] = bad
        with pytest.raises(ct.InputError, match=f"y_prob: row {row} is .* ruled out"):
            audit(Y, z, logits=True)
    for y, z, options, match in ((Y, Z, {}, r"logits=True \(--logits\)"), (TWO, X, {}, "--logits"),
                                 (Y, Z, {"logits": Z}, "pass logits as y_prob")):  # fmt: skip
        with pytest.raises(ct.InputError, match=match):
            audit(y, z, **options)
    for z, doubted in ((Z, False), (np.log(softmax(Z, axis=1)), False), (softmax(Z, axis=1), True)):
        assert ("are these logits" in audit(Y, z, logits=True).conclusions[0]) == doubted


def test_of_many_classes_the_data_say_how_many_are_not_listed():
    y, z = np.arange(230) % 23, np.random.default_rng(0).normal(size=(230, 23))
    table = audit(y, z, logits=True).tables["data"].set_index("what")
    assert table.loc["rows of the 3 other classes"].tolist() == [30, "10 each"]
    assert table.loc["logits", "value"] == f"−{-z.min():.4g} to {z.max():.4g}"


FIELDS = np.zeros(400, dtype=[("a:b", float), ("p1", float), ("p2", float), ("age", float), ("y", int)])
FIELDS["a:b"], FIELDS["p1"], FIELDS["p2"], FIELDS["y"] = *Z.T, Y
NAMED = {name: FIELDS[name] for name in FIELDS.dtype.names}


@pytest.mark.parametrize(("name", "content", "y", "probs", "more"), [
    ("a.npz", {"net|test": Z, "net|held": Z[:9], "y": Y}, "y", ["net|test"], {}),
    ("a.npz", NAMED, "y", ["a:b", "p1", "p2"], {}), ("a.npy", FIELDS, "y", ["a:b:p2"], {}),
    ("a.npy", np.column_stack([Z, Y]), "3", ["0:2"], {}), ("a.npy", np.column_stack([Z, Y]), "3", [":"], {}),
    ("a.csv", pd.DataFrame(NAMED), "y", [":"], {"features": ["age"]}), ("a.csv", pd.DataFrame(NAMED), "y", ["a:b", "p1:p2"], {}),
    ("a.csv", pd.DataFrame(NAMED).rename(columns={"p1": ":"}), "y", ["a:b", ":", "p2"], {"features": ["p2:age"]}),
])  # fmt: skip
def test_columns_of_any_file_by_name_by_range_and_all_others(name, content, y, probs, more, tmp_path):
    path = tmp_path / name
    {"npz": lambda: np.savez(path, **content), "npy": lambda: np.save(path, content),
     "csv": lambda: content.to_csv(path, index=False)}[name[2:]]()  # fmt: skip
    given = arguments_of(read_table(path), y, probs, classes=["0:2"], **more)
    np.testing.assert_allclose(given["y_prob"], Z)
    assert given["classes"] == ["0", "1", "2"] and (given["y_true"] == Y).all()
    assert list(given.get("features", [])) == {"age": ["age"], "p2:age": ["p2", "age"]}.get(*more.get("features", [""]), [])


@pytest.mark.parametrize(("probs", "match"), [
    (["short"], r"array 'short': expected .* 400 rows.*shape \(9, 3\)"), (["z:y"], "first to stand before the last"),
    (["words"], "array 'words': expected numbers or text"), (["cube"], r"shape \(2, 2, 2\)"),
    (["none"], "'none': expected a column of the file, which has 'y', 'z'"), (["y:none"], "'y:none'"),
])  # fmt: skip
def test_arrays_that_do_not_fit_are_named(probs, match, tmp_path):
    np.savez(tmp_path / "a.npz", y=Y, z=Z, short=Z[:9], words=Y.astype(object), cube=np.zeros((2, 2, 2)))
    with pytest.raises(ct.InputError, match=match):
        arguments_of(read_table(tmp_path / "a.npz"), "y", probs)
