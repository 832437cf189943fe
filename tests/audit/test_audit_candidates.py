"""What one keeps of a language model, choices of different numbers, percents: as the whole distribution would say."""

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
from scipy.special import entr, expit, log_softmax, logit

import calibtutor as ct
from calibtutor.__main__ import main
from calibtutor.audit.inputs import panel_of
from calibtutor.audit.missed import _measured, tilts

GUIDE = (Path(__file__).parents[2] / "notebooks/your_own_predictions.md").read_text(encoding="utf-8")
N, RNG = 400, np.random.default_rng(0)
LOGS = log_softmax(1.5 * RNG.normal(size=(N, 30)), axis=1)
Y, CLUSTER, GROUP = drawn(RNG, np.exp(LOGS)), RNG.integers(0, 80, N), np.arange(N) % 2
ORDER, CAME, ENTROPY = np.argsort(-LOGS, axis=1), LOGS[np.arange(N), Y], entr(np.exp(LOGS)).sum(axis=1)
RANK, TOP = (ORDER == Y[:, None]).argmax(axis=1), np.take_along_axis(LOGS, ORDER[:, :4], axis=1)
PERCENT = RNG.choice([60, 80, 90, 95, 100], N)
RIGHT = RNG.random(N) < PERCENT / 100
audit = partial(ct.audit, n_resamples=19, rng=0)
ranked = partial(audit, candidates=True)
assert (np.exp(TOP[:, 0]) < 1 - np.exp(TOP).sum(axis=1)).mean() > 0.5  # what is beyond is mostly the likeliest


@pytest.mark.parametrize(("kind", "k"), [(np.float64, 4), (np.float64, 1), (np.float32, 4), (np.float16, 4)])
def test_candidates_say_of_the_top_label_and_of_all_outcomes_what_the_whole_distribution_says(kind, k):
    more = {"cluster": CLUSTER, "groups": {"g": GROUP}}
    whole, top = audit(Y, LOGS, logits=True, **more), TOP[:, :k].astype(kind)
    found = ranked(RANK, top, log_prob=CAME.astype(kind), entropy=ENTROPY.astype(kind), **more)
    size, other = (each.tables["size"].set_index("quantity")[["estimate", "low", "high"]] for each in (found, whole))
    near, bins = (5e-3, []) if kind is np.float16 else (1e-5, ["RMS error"])  # by rounding rows change bins
    alike = ["said", "happened", "intercept", "slope", "log loss", *bins]
    np.testing.assert_allclose(size.loc[alike], other.loc[alike], atol=near)
    assert size.loc["surprise − entropy", "estimate"] == pytest.approx((-CAME - ENTROPY).mean(), abs=near)
    groups = found.tables["groups"]
    np.testing.assert_allclose(groups["gap"], whole.tables["groups"]["gap"], atol=near)
    excess = [(-CAME - ENTROPY)[g == GROUP].mean() for g in (0, 1)]
    np.testing.assert_allclose(groups["surprise − entropy"], excess, atol=near)
    if k > 1:
        ranks = found.tables["ranks"].set_index("rank")
        beyond = 1 - np.exp(TOP).sum(axis=1)
        said, gap = [*np.exp(TOP).mean(axis=0), beyond.mean()], beyond.mean() - (RANK > 3).mean()
        np.testing.assert_allclose(ranks["said"], said, atol=near)
        assert ranks.loc["beyond rank 3", "gap"] == pytest.approx(gap, abs=near)
        assert f"Beyond the candidates: says {said[-1]:.2f}".replace(" 0.", " .") in found.conclusions[1]
    assert "Surprise − entropy:" in found.conclusions[1] and any("it knows the sum" in each for each in found.limits)
    assert any("temperature" in what for what in found.tables["not_run"]["what"])


def test_without_log_prob_the_log_loss_is_of_ranks_and_twenty_candidates_are_asked_one_by_one():
    found = ranked(RANK, np.take_along_axis(LOGS, ORDER[:, :20], axis=1))
    beyond = 1 - np.exp(np.take_along_axis(LOGS, ORDER[:, :20], axis=1)).sum(axis=1)
    loss = -np.where(RANK < 20, CAME, np.log(beyond)).mean()
    size = found.tables["size"].set_index("quantity")["estimate"]
    assert size["log loss"] == pytest.approx(loss) and "surprise − entropy" not in size.index
    assert {"class rank 0", "class beyond rank 19"} <= set(found.tables["questions"]["question"])


def test_an_error_that_is_planted_is_one_of_the_first_candidate():
    panel, squares = panel_of(RANK, TOP, candidates=(None, None))[0], np.zeros(1)
    p = _measured(tilts("shift", 0.5), squares)(panel)
    np.testing.assert_allclose(p[:, 0], expit(logit(np.exp(TOP[:, 0])) - 0.5))
    np.testing.assert_allclose(p[:, 1:] / p[:, 1:2], panel.y_prob[:, 1:] / panel.y_prob[:, 1:2])
    np.testing.assert_allclose([p.sum(axis=1).max(), p.sum(axis=1).min(), squares[0]],
                               [1, 1, ((p[:, 0] - np.exp(TOP[:, 0])) ** 2).sum()])  # fmt: skip


def at(row, value, values):
    return np.where(np.arange(N).reshape(-1, *[1] * (np.ndim(values) - 1)) == row, value, values)


@pytest.mark.parametrize(("change", "match"), [
    ({"y_prob": np.exp(TOP)}, "row 0 .*take np.log"), ({"y_prob": at(7, TOP + 4, TOP)}, "row 7 .*log_softmax"),
    ({"y_prob": at(7, TOP[:, ::-1], TOP)}, "row 7 .*likeliest first; sort rows"), ({"classes": [*"abcde"]}, "leave it"),
    ({"y_prob": at(7, np.nan, TOP)}, "row 7"), ({"y_prob": TOP + 0.5}, "mass of at most 1|at most 0"),
    ({"y_prob": np.where(np.arange(4) > 2, -np.inf, TOP)}, "1 beside −inf"), ({"y_true": RANK + 1}, "subtract 1"),
    ({"y_true": at(7, 1.5, RANK)}, "y_true: row 7"), ({"y_true": at(7, -1, RANK)}, "row 7 is -1"),
    ({"log_prob": at(7, CAME - 0.2, CAME)}, "log_prob and y_true: row 7"), ({"log_prob": None}, "log_prob beside it"),
    ({"log_prob": np.where(RANK > 3, TOP[:, 3] + 0.1, CAME)}, "no more than the last"), ({"logits": True}, "one of"),
    ({"entropy": at(7, ENTROPY / 2, ENTROPY)}, "entropy: row 7.*nats"), ({"candidates": False}, "candidates=False"),
    ({"candidates": False, "log_prob": None, "entropy": None}, r"candidates=True \(--candidates\)")])  # fmt: skip
def test_what_are_no_candidates_is_refused_by_row_and_with_what_to_do(change, match):
    with pytest.raises(ct.InputError, match=match):
        ranked(**{"y_true": RANK, "y_prob": TOP, "log_prob": CAME, "entropy": ENTROPY} | change)


def test_next_tokens_and_questions_with_choices_of_different_numbers_come_in_as_the_guide_says():
    kept, code = re.findall(r"```py\n((?:log_p|choices) = .*?)```", GUIDE, flags=re.S)
    exec(kept, names := {"np": np, "scipy": scipy, "logits": 3 + LOGS, "token": Y, "kind": GROUP, "passage": CLUSTER,
                         "audit": lambda *given, **named: (given, named)})  # fmt: skip
    (rank, top), named = names["found"]
    assert (rank == RANK).all()
    np.testing.assert_allclose(np.c_[top[:, :4], named["log_prob"], named["entropy"]], np.c_[TOP, CAME, ENTROPY])
    choices = [np.exp(LOGS[i, :m]) / np.exp(LOGS[i, :m]).sum() for i, m in enumerate(2 + np.arange(N) % 4)]
    right = [drawn(RNG, p[None])[0] for p in choices]
    names = {"np": np, "itertools": itertools, "audit": audit, "model_says": choices, "answers": right}
    exec(code, names)
    size = names["found"].tables["size"].set_index("quantity")["estimate"]
    assert size["said"] == pytest.approx(np.mean([p.max() for p in choices]))
    assert size["happened"] == pytest.approx(np.mean([p.argmax() == k for p, k in zip(choices, right, strict=True)]))
    assert size["log loss"] == pytest.approx(-np.mean([np.log(p[k]) for p, k in zip(choices, right, strict=True)]))
    assert names["found"].tables["ranks"]["rank"].tolist() == [f"rank {k}" for k in range(5)]
    two = ranked(np.array(right) % 2, np.log([np.sort(p[:2] / p[:2].sum())[::-1] for p in choices]))
    assert two.tables["size"]["estimate"][0] > 0.5  # of two it is the likelier that is asked for


def test_percents_are_what_their_hundredths_are_in_any_type():
    with pytest.raises(ct.InputError, match=r"percent=True \(--percent\)"):
        audit(RIGHT, PERCENT)
    whole = audit(RIGHT, PERCENT / 100)
    for found in [audit(RIGHT, np.float32(PERCENT / 100)), audit(RIGHT, np.float32(PERCENT), percent=True),
                  audit(RIGHT, PERCENT, percent=True), audit(RIGHT, pd.Series(PERCENT), percent=True)]:  # fmt: skip
        assert found.tables["curve"]["n"].tolist() == whole.tables["curve"]["n"].tolist()
        assert found.pvalue == whole.pvalue and found.conclusions == whole.conclusions
    table = pd.DataFrame({"yes": PERCENT, "no": 100 - PERCENT})
    assert audit(np.where(RIGHT, "yes", "no"), table, percent=True, classes=["no", "yes"]).pvalue == whole.pvalue
    for wrong, match in ((PERCENT / 100, "some above 1"), (at(7, 900, PERCENT), "row 7 is 900")):
        with pytest.raises(ct.InputError, match=match):
            audit(RIGHT, wrong, percent=True)


def test_arrays_of_an_npz_and_columns_of_a_csv_come_in_by_the_command(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", rank=RANK, top=TOP, came=CAME, entropy=ENTROPY, kind=GROUP)
    pd.DataFrame({"y": RIGHT.astype(int), "p": PERCENT}).to_csv(tmp_path / "b.csv", index=False)
    kept = "--candidates --y-true rank --y-prob top --log-prob came --entropy entropy --groups kind"
    for file, options in (("a.npz", kept), ("b.csv", "--percent --y-true y --y-prob p")):
        outputs = "--n-resamples", "19", "--out", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")
        assert main(["audit", str(tmp_path / file), *options.split(), *outputs]) == 0, capsys.readouterr().err
        found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
        direct = audit(RIGHT, PERCENT / 100) if file == "b.csv" else ranked(
            RANK, TOP, log_prob=CAME, entropy=ENTROPY, groups={"kind": GROUP})  # fmt: skip
        assert found["conclusions"] == direct.conclusions
