"""A reader's own predictions: kept whole or not at all, refused in words, and met again in six notebooks."""

import contextlib
import io
import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from calibtutor import InputError
from calibtutor.data.datasets import digits_predictions
from calibtutor.lessons.shared import my_predictions
from calibtutor.teach.notebooks import NOTEBOOKS

RNG = np.random.default_rng(58)
EVENT = RNG.random(60).round(3)
HAPPENED = (RNG.random(60) < EVENT).astype(int)
TABLE = RNG.dirichlet(np.ones(3), size=60)
LABELS = (TABLE.cumsum(axis=1) < RNG.random((60, 1))).sum(axis=1).clip(max=2)
NAMES = ["cat", "dog", "eel"]
FRAME = pd.DataFrame(TABLE[:, ::-1], columns=NAMES[::-1])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("given", "classes", "names", "said"), [
    ((HAPPENED, EVENT), None, None, "60 rows, one event"),
    ((np.where(HAPPENED, "ill", "well"), EVENT), ["well", "ill"], ["well", "ill"], "60 rows, one event"),
    ((LABELS, TABLE), None, None, "60 rows, 3 classes"),
    ((np.array(NAMES)[LABELS], FRAME), None, NAMES[::-1], "60 rows, 3 classes"),
    ((LABELS + 1, TABLE), [1, 2, 3], ["1", "2", "3"], "60 rows, 3 classes"),
], ids=["event", "words of an event", "table", "columns", "from 1"])
def test_what_is_kept_comes_back(given, classes, names, said, folder, capsys):
    my_predictions.keep(*given, classes=classes)
    assert [each.name for each in folder.iterdir()] == ["my_predictions.npz"], "no half of a file is left"
    back, own = my_predictions.kept(), my_predictions.use()
    printed = capsys.readouterr().out
    assert printed.startswith(f"{said}: kept in my_predictions.npz") and "nothing is sent" in printed.splitlines()[0]
    assert printed.splitlines()[2:] == [f"Your predictions: {said}."] * 2
    wanted = np.array(given[0]).astype(str) if names else given[0]
    assert back["y_true"].tolist() == wanted.tolist() and back.get("classes") == names and back["groups"] is None
    assert (own.y_prob == np.asarray(given[1])).all() and (names is None or names[own.y_true[0]] == wanted[0])
    rows = np.column_stack([1 - own.y_prob, own.y_prob]) if own.y_prob.ndim == 1 else own.y_prob
    assert (own.confidence == rows.max(axis=1)).all() and (own.hit == (own.y_true == rows.argmax(axis=1))).all()
    some, again = my_predictions.use(40), my_predictions.use(40)
    assert "Of these 40" in capsys.readouterr().out and len(some.y_true) == 40
    assert (some.table == again.table).all() and set(some.confidence) < set(own.confidence)
    assert len(my_predictions.use(60).y_true) == 60 and (own.table == rows).all()


def test_what_the_door_refuses_is_not_kept_and_what_it_doubts_is_said(capsys):
    my_predictions.keep(HAPPENED, EVENT)
    for given, says in (((HAPPENED, 100 * EVENT), "divide by 100"), ((LABELS + 1, TABLE), "labels that start at 1"),
                        ((np.array(NAMES)[LABELS], TABLE), "pass classes"), ((LABELS[1:], TABLE), "60")):
        with pytest.raises(InputError, match=says):
            my_predictions.keep(*given)
    assert (my_predictions.use().y_prob == EVENT).all()
    assert "Doubtful" not in capsys.readouterr().out
    my_predictions.keep(HAPPENED, 1 - EVENT)
    assert "Doubtful: y_prob: labels 1 have lower probabilities than labels 0" in capsys.readouterr().out


def test_where_nothing_can_be_written_it_is_said(folder, capsys):
    (folder / "my_predictions.npz").mkdir()
    my_predictions.keep(HAPPENED, EVENT)
    assert "could not be kept" in capsys.readouterr().out and [*folder.iterdir()] == [folder / "my_predictions.npz"]
    (folder / my_predictions.NAME).rmdir()
    folder.rmdir()
    my_predictions.keep(HAPPENED, EVENT)
    assert "could not be kept" in capsys.readouterr().out


def test_a_file_that_somebody_changed_is_said_and_the_network_stands_in(folder, capsys):
    digits, path = digits_predictions("neural network"), folder / "my_predictions.npz"
    assert my_predictions.kept() is None and "No predictions of yours are kept" in capsys.readouterr().out
    my_predictions.keep(HAPPENED, EVENT)
    whole = path.read_bytes()
    for spoil in (lambda: path.write_bytes(whole[:200]), lambda: path.write_text("y,p"), lambda: np.savez(path, y=1),
                  lambda: np.savez(path, y_true=HAPPENED, y_prob=3 * EVENT, classes=np.array([], dtype=str)),
                  lambda: np.savez(path, y_true=LABELS, y_prob=TABLE, classes=np.array(NAMES[:2]))):
        spoil()
        capsys.readouterr()
        assert (my_predictions.use().y_prob == digits.y_prob).all()
        assert "holds no predictions any more" in capsys.readouterr().out


# --- the notebooks ---

CODE = {}
for path in sorted(NOTEBOOKS.glob("[01]*.ipynb")):
    found = [each for each in nbformat.read(path, as_version=4).cells if each.cell_type == "code"]
    if any("my_predictions." in each.source for each in found):
        CODE[path.stem] = found
DRAWS = re.compile(r"^(?:scenes\.|guess\.|derive\(|play\().*", flags=re.M)  # nothing of it is needed here


MINE = re.compile(r"\bmy_predictions\.|\bmine\b")  # what is made of them


def test_these_sessions_meet_them():
    assert [name[:2] for name in CODE] == ["00", "02", "03", "08", "10", "14"]


@pytest.mark.parametrize("name", CODE)
def test_a_session_meets_predictions_of_both_shapes(name):
    """All its cells run; those that meet them run with each, and print what they find, not the network's."""
    names = {"__name__": "__main__"}
    for cell in CODE[name]:
        exec(DRAWS.sub("", cell.source), names)
    for given in ((HAPPENED, EVENT), (LABELS, TABLE), (np.array(NAMES)[LABELS], FRAME), (LABELS[:30], TABLE[:30])):
        my_predictions.keep(*given)
        for cell in CODE[name]:
            if MINE.search(cell.source):
                with contextlib.redirect_stdout(out := io.StringIO()):
                    exec(DRAWS.sub("", cell.source), names)
            if "my_predictions." in cell.source:
                (stored,) = (each.text for each in cell.outputs if each.get("name") == "stdout")
                first, *lines = out.getvalue().splitlines()
                assert first.startswith(f"Your predictions: {len(given[1])} rows") and "stands in" in stored
                assert lines and lines != stored.splitlines()[1:]
