"""What comes in: logits, files of numpy, what one keeps of a language model, choices of different numbers, percents."""

import itertools
import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.special
from audit_tables import drawn
from audit_tables import quick as audit
from scipy.special import entr, expit, log_softmax, logit, softmax

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit.inputs import panel_of
from calibtutor.audit.missed import Tilt
from calibtutor.audit.table_file import arguments_of, read_table

GUIDE = (Path(__file__).parents[2] / "notebooks/your_own_predictions.md").read_text(encoding="utf-8")
N, RNG = 400, np.random.default_rng(0)
LOGS = log_softmax(1.5 * RNG.normal(size=(N, 30)), axis=1)  # what is beyond four is mostly likelier than the first
Y, CLUSTER, GROUP = drawn(RNG, np.exp(LOGS)), RNG.integers(0, 80, N), np.arange(N) % 2
ORDER, CAME, ENTROPY = np.argsort(-LOGS, axis=1), LOGS[np.arange(N), Y], entr(np.exp(LOGS)).sum(axis=1)
RANK, SORTED = (ORDER == Y[:, None]).argmax(axis=1), np.take_along_axis(LOGS, ORDER, axis=1)
TOP, EXCESS, KEPT = SORTED[:, :4], -CAME - ENTROPY, entr(np.exp(SORTED[:, :4])).sum(axis=1)
PERCENT = RNG.choice([60, 80, 90, 95, 100], N)
RIGHT = RNG.random(N) < PERCENT / 100
Z = 2 * RNG.normal(size=(N, 3)).astype(np.float16)
P, X = softmax(Z.astype(float), axis=1), (Z[:, 1].astype(float) - Z[:, 0])
C, TWO, ABC = drawn(RNG, P), drawn(RNG, expit(X)), ["a", "b", "c"]
NAMED = pd.DataFrame(Z.astype(float), columns=["a:b", "p1", "p2"]).assign(age=1.5, y=C)
ranked = partial(audit, candidates=True)


def sizes(found):
    return found.tables["size"].set_index("quantity")[["estimate", "low", "high"]]


@pytest.mark.parametrize(("kind", "k"), [(np.float64, 4), (np.float64, 1), (np.float32, 20), (np.float16, 4)])
def test_candidates_say_of_the_top_label_and_of_all_outcomes_what_the_whole_distribution_says(kind, k):
    more, top = {"cluster": CLUSTER, "groups": {"g": GROUP}}, SORTED[:, :k].astype(kind)
    whole, found = audit(Y, LOGS, logits=True, **more), ranked(
        RANK, top, log_prob=CAME.astype(kind), entropy=ENTROPY.astype(kind), **more)
    near, bins = (5e-3, []) if kind is np.float16 else (1e-5, ["RMS error"])  # by rounding rows change bins
    alike = ["said", "happened", "intercept", "slope", "log loss", *bins]
    np.testing.assert_allclose(sizes(found).loc[alike], sizes(whole).loc[alike], atol=near)
    assert sizes(found).loc["surprise − entropy", "estimate"] == pytest.approx(EXCESS.mean(), abs=near)
    groups, other = found.tables["groups"], whole.tables["groups"]
    np.testing.assert_allclose(groups["gap"], other["gap"], atol=near)
    np.testing.assert_allclose(groups["surprise − entropy"], [EXCESS[::2].mean(), EXCESS[1::2].mean()], atol=near)
    assert "Surprise − entropy:" in found.conclusions[1] and any("only the sum" in each for each in found.limits)
    assert any("temperature" in what for what in found.tables["not_run"]["what"])
    if k > 1:
        ranks, p = found.tables["ranks"].set_index("rank"), np.exp(SORTED[:, :k])
        p, came = np.c_[p, 1 - p.sum(axis=1)], np.eye(k + 1)[np.minimum(RANK, k)]
        np.testing.assert_allclose(ranks[["said", "gap"]], np.c_[p.mean(axis=0), (p - came).mean(axis=0)], atol=near)
        brier = ((p - came) ** 2).sum(axis=1).mean()
        assert sizes(found).loc["Brier score", "estimate"] == pytest.approx(brier, abs=near)
        assert ranks.index[-1] == f"beyond rank {k - 1}"
        assert "Beyond the candidates: says" in found.conclusions[1] and ranks["p"].notna().all()


def test_without_log_prob_the_log_loss_is_that_of_ranks():
    audited = ranked(RANK, TOP)
    found, not_run = sizes(audited)["estimate"], audited.tables["not_run"]["what"]
    loss = -np.where(RANK < 4, CAME, np.log(1 - np.exp(TOP).sum(axis=1))).mean()
    assert found["log loss"] == pytest.approx(loss)
    assert "surprise − entropy" in [*not_run] and "surprise − entropy" not in found.index
    assert len(ranked(np.minimum(RANK, 3), TOP).tables["ranks"]) == 5  # what is beyond was said, if it never came


def test_an_error_that_is_planted_is_one_of_the_first_candidate():
    panel, tilt, first = panel_of(RANK, TOP, candidates=(None, None))[0], Tilt("shift", 0.5), np.exp(TOP[:, 0])
    p = tilt(panel)
    np.testing.assert_allclose(p[:, 0], expit(logit(first) - 0.5))
    np.testing.assert_allclose(p[:, 1:] / p[:, 1:2], panel.y_prob[:, 1:] / panel.y_prob[:, 1:2])
    np.testing.assert_allclose([*p.sum(axis=1), tilt.square], [1] * N + [((p[:, 0] - first) ** 2).sum()])


def at(row, value, values):
    return np.where((np.arange(N) == row).reshape(-1, *[1] * (np.ndim(values) - 1)), value, values)


@pytest.mark.parametrize(("change", "match"), [
    ({"y_prob": np.exp(TOP)}, "row 0 .*take np.log"), ({"y_prob": at(7, TOP + 2, TOP)}, "row 7 .*log_softmax"),
    ({"y_prob": at(7, TOP[:, ::-1], TOP)}, "row 7 .*likeliest first.*np.sort"), ({"classes": [*"abcde"]}, "leave it"),
    ({"y_prob": at(7, np.nan, TOP)}, "row 7"), ({"y_prob": at(7, np.log(0.3), TOP)}, "row 7 .*sum to 1"),
    ({"y_prob": np.where(np.arange(4) > 2, -np.inf, TOP)}, "beside −inf"), ({"y_true": RANK + 1}, "subtract 1"),
    ({"y_true": at(7, 1.5, RANK)}, "y_true: row 7"), ({"y_true": at(7, -1, RANK)}, "row 7 is -1"),
    ({"log_prob": at(7, CAME - 0.2, CAME)}, "log_prob and y_true: row 7"), ({"log_prob": None}, "log_prob beside it"),
    ({"log_prob": np.where(RANK > 3, TOP[:, 3] + 0.1, CAME)}, "no more than the last"), ({"logits": True}, "one of"),
    ({"entropy": at(7, KEPT, ENTROPY)}, "entropy: row 7.*nats"), ({"candidates": False}, "candidates=False"),
    ({"candidates": False, "log_prob": None, "entropy": None}, "candidates=True, --candidates")])
def test_what_are_no_candidates_is_refused_by_row_and_with_what_to_do(change, match):
    with pytest.raises(ct.InputError, match=match):
        ranked(**{"y_true": RANK, "y_prob": TOP, "log_prob": CAME, "entropy": ENTROPY} | change)


@pytest.mark.parametrize(("y", "given", "how", "match"), [
    *((C, at(3, bad, Z), "logits", "row 3 is .* ruled out") for bad in (np.nan, np.inf, -np.inf)),
    (C, Z, "", r"logits=True \(--logits\)"), (C, X, "", "--logits"),
    (RIGHT, PERCENT / 100, "percent", "some above 1"), (RIGHT, at(7, 900, PERCENT), "percent", "row 7 is 900"),
    (RIGHT, PERCENT, "", "percent=True, --percent")])
def test_what_are_no_logits_or_percents_is_refused(y, given, how, match):
    with pytest.raises(ct.InputError, match=match):
        audit(y, given, **{how: True} if how else {})


def test_next_tokens_and_questions_with_choices_of_different_numbers_come_in_as_the_guide_says():
    kept, code = re.findall(r"```py\n((?:log_p|choices) = .*?)```", GUIDE, flags=re.S)
    exec(kept, names := {"np": np, "scipy": scipy, "logits": 3 + LOGS, "token": Y, "kind": GROUP, "passage": CLUSTER,
                         "audit": lambda *given, **named: (*given, named["log_prob"], named["entropy"])})
    for given, right in zip(names["found"], (RANK, SORTED[:, :8], CAME, ENTROPY), strict=True):
        np.testing.assert_allclose(given, right)
    choices = [p[: 2 + i % 4] / p[: 2 + i % 4].sum() for i, p in enumerate(np.exp(LOGS))]
    right = [drawn(RNG, p[None])[0] for p in choices]
    rough = [0.995 * p for p in choices]
    exec(code, names := {"np": np, "itertools": itertools, "audit": audit, "model_says": rough, "answers": right})
    rows = [(p.max(), p.argmax() == k, -np.log(p[k])) for p, k in zip(choices, right, strict=True)]
    found = sizes(names["found"])["estimate"]
    np.testing.assert_allclose(found[["said", "happened", "log loss"]], np.mean(rows, axis=0))
    assert names["found"].tables["ranks"]["rank"].tolist() == [f"rank {k}" for k in range(5)]
    two = ranked(GROUP, np.log([np.sort(p[:2] / p[:2].sum())[::-1] for p in choices]))
    assert sizes(two)["estimate"]["said"] > 0.5  # of two the likelier is asked about


def test_percents_are_what_their_hundredths_are_in_any_type():
    whole, table = audit(RIGHT, PERCENT / 100), pd.DataFrame({"yes": PERCENT, "no": 100 - PERCENT})
    for found in (audit(RIGHT, np.float32(PERCENT / 100)), audit(RIGHT, np.float32(PERCENT), percent=True),
                  audit(RIGHT, pd.Series(PERCENT), percent=True),
                  audit(np.where(RIGHT, "yes", "no"), table, percent=True, classes=["no", "yes"])):
        assert found.tables["curve"]["n"].tolist() == whole.tables["curve"]["n"].tolist()
        assert found.pvalue == whole.pvalue and found.conclusions == whole.conclusions


def test_arrays_of_an_npz_and_columns_of_a_csv_come_in_by_the_command(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", rank=RANK, top=TOP, came=CAME, entropy=ENTROPY)
    pd.DataFrame({"y": RIGHT.astype(int), "p": PERCENT}).to_csv(tmp_path / "b.csv", index=False)
    kept = "a.npz --candidates --y-true rank --y-prob top --log-prob came --entropy entropy"
    for options, direct in ((kept, ranked(RANK, TOP, log_prob=CAME, entropy=ENTROPY)),
                            ("b.csv --percent --y-true y --y-prob p", audit(RIGHT, PERCENT / 100))):
        outputs = "--n-resamples", "19", "--out", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")
        assert main(["audit", *f"{tmp_path}/{options}".split(), *outputs]) == 0, capsys.readouterr().err
        assert json.loads((tmp_path / "r.json").read_text("utf-8"))["conclusions"] == direct.conclusions


@pytest.mark.parametrize(("y", "z", "p", "more"), [
    (C, Z, P, {}), (C, np.log(P), P, {}), (TWO, Z[:, :2], expit(X), {}), (TWO, X, expit(X), {}),
    (pd.Series(np.array(ABC)[C], -C), pd.DataFrame(Z, -C, ABC)[["c", "a", "b"]], P, {"classes": ABC})])
def test_logits_give_what_their_softmax_in_double_precision_gives(y, z, p, more):
    left, right = audit(y, z, logits=True, **more), audit(y, p, **more)
    for name in ("size", "questions", "repair", "curve"):
        numbers = [each.tables[name].select_dtypes("number") for each in (left, right)]
        np.testing.assert_allclose(*numbers, rtol=1e-6, atol=1e-9, err_msg=name)
    assert left.conclusions == right.conclusions and left.settings["logits"] and not right.settings["logits"]


def test_nothing_is_lost_near_0_and_1():
    far, size = 60 * Z.astype(float), lambda audited: sizes(audited)["estimate"]
    found = [size(audit(TWO, k * X, logits=True)) for k in (1, 60, 600)]
    assert found[0]["slope"] == pytest.approx(60 * found[1]["slope"], rel=1e-6)
    assert found[2]["log loss"] == pytest.approx(np.logaddexp(0, np.where(TWO, -600 * X, 600 * X)).mean())
    many, single = audit(C, far, logits=True), audit(C, softmax(far.astype(np.float32), axis=1))
    assert [np.isfinite(size(each)["log loss"]) for each in (many, single)] == [True, False]
    assert size(many)["log loss"] == pytest.approx(-log_softmax(far, axis=1)[np.arange(400), C].mean())
    assert [any("logits stop there" in each for each in found.limits) for found in (many, single)] == [False, True]
    T = [float(each.tables["repair"]["map"][1].split("= ")[1]) for each in (audit(C, Z, logits=True), many)]
    assert T[1] == pytest.approx(60 * T[0], rel=0.01)
    out = np.where(np.arange(3) == (C[:, None] + 1) % 3, -np.inf, 10 * far)  # a class is ruled out
    panel = panel_of(C, out, logits=True)[0]
    assert np.isfinite(panel.logs).all() and (panel.y_prob == 0).any(axis=1).all()
    assert (panel.take([3, 5]).given == np.exp(panel.logs[[3, 5], 1])).all()
    assert [softmax(np.float32([0, z])).max() == 1 for z in -np.log([7e-8, 5e-8])] == [False, True]  # the guide's 6e-8


def test_probabilities_as_logits_are_doubted_and_many_classes_are_counted():
    for z, doubted in ((Z, False), (np.log(P), False), (P, True)):
        assert ("are they logits" in audit(C, z, logits=True).conclusions[0]) == doubted
    z = np.random.default_rng(0).normal(size=(230, 23))
    table = audit(np.arange(230) % 23, z, logits=True).tables["data"].set_index("what")
    assert table.loc["rows of the 3 other classes"].tolist() == [30, "10 each"]
    assert table.loc["logits", "value"] == f"−{-z.min():.4g} to {z.max():.4g}"


@pytest.mark.parametrize(("name", "content", "y", "probs", "features"), [
    ("a.npz", {"net|test": Z, "net|held": Z[:9], "y": C}, "y", "net|test", ""), ("a.npy", np.c_[Z, C], "3", "0:2", ""),
    ("a.npz", NAMED, "y", "a:b p1 p2", "p2:age"), ("a.npy", NAMED.to_records(), "y", "a:b:p2", ""),
    ("a.npy", np.c_[Z, C], "3", ":", ""), ("a.csv", NAMED, "y", ":", "age"), ("a.csv", NAMED, "y", "a:b p1:p2", ""),
    ("a.csv", NAMED.rename(columns={"p1": ":"}), "y", "a:b : p2", "p2:age")])
def test_columns_of_any_file_by_name_by_range_and_all_others(name, content, y, probs, features, tmp_path):
    path = tmp_path / name
    {"csv": lambda: content.to_csv(path, index=False), "npz": lambda: np.savez(path, **content),
     "npy": lambda: np.save(path, content)}[name[2:]]()
    found = arguments_of(read_table(path), y, probs.split(), classes=["0:2"], features=features.split())
    assert (found["y_prob"].to_numpy() == Z).all() and (found["y_true"] == C).all()
    assert found["classes"] == ["0", "1", "2"]
    assert list(found.get("features", [])) == {"": [], "age": ["age"], "p2:age": ["p2", "age"]}[features]


@pytest.mark.parametrize(("probs", "match"), [
    ("short", r"array 'short': expected .* 400 rows.*shape \(9, 3\)"), ("z:y", "first to stand before the last"),
    ("words", "'words': expected numbers or text"), ("cube", r"\(2, 2, 2\)"), ("none", "has 'y', 'z'")])
def test_arrays_that_do_not_fit_are_named(probs, match, tmp_path):
    np.savez(tmp_path / "a.npz", y=C, z=Z, short=Z[:9], words=C.astype(object), cube=np.zeros((2, 2, 2)))
    with pytest.raises(ct.InputError, match=match):
        arguments_of(read_table(tmp_path / "a.npz"), "y", [probs])
