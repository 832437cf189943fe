"""Checks reply to anything that a learner may type, and never raise."""

import re
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest

from calibtutor.teach.exercise import Checks, Exercise, Mistake, Reply
from calibtutor.teach.guess import Guesses


def area(width, height):
    """Width times height."""
    return width * height


def rising(values):
    """The values, sorted."""
    return np.sort(values)


def in_place(values):
    """Spoils its arguments, and is compared fairly."""
    values.sort()
    result = values.copy()
    values[:] = 0
    return result


def exercises():
    return Checks([
        Exercise("half", 0.5, "One of two.", Mistake(2, "Upside down."), Mistake(0.25, "That is two heads in a row."),
                 Mistake(1 / 3, "Not a third."), hint="Count the favourable cases."),
        Exercise("animal", "dog", "It barks.", Mistake("cat", "Cats mew."), Mistake("house mouse", "Mice peep."),
                 hint="Listen.", accept=["hound", "big dog of the house"]),
        Exercise("pair", np.array([1.0, 2.0]), "In this order.", Mistake(np.array([2.0, 1.0]), "The other way round."),
                 hint="Two numbers."),
        Exercise("area", area, "A rectangle.", Mistake(lambda w, h: 2 * (w + h), "That is its circumference."),
                 hint="Multiply.", inputs=lambda rng: (rng.random(), rng.random())),
        Exercise("rising", rising, "Smallest first.", Mistake(lambda v: -np.sort(-v), "That falls."),
                 Mistake(lambda v: v[4:][0], "No fifth."), hint="Sort.", inputs=lambda rng: (rng.random(4),)),
        Exercise("total", np.sum, "Added up.", hint="Add.", inputs=lambda rng: (rng.random(rng.integers(2, 9)),))])


def named(value):
    """The same name in every process: the text of a function holds its address."""
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize(("name", "answer"), [
    ("half", 0.5), ("half", 1 / 2 + 1e-9), ("half", np.float32(0.5)), ("half", np.array(0.5)),
    ("half", "1/2"), ("half", " 0.5 "), ("animal", "the dog"), ("animal", "“D-o g”."),
    ("animal", "animal = 'dog'"), ("animal", 'null="dog"'), ("animal", "dog"), ("animal", " Dog "), ("animal", "hound"),
    ("pair", [1, 2]), ("pair", (1.0, 2.0)), ("area", area), ("area", lambda w, h: h * w + 1e-9),
    ("rising", lambda v: sorted(v)), ("rising", rising), ("rising", in_place),
    ("area", lambda w, h: np.round(w * h, 4))], ids=named)
def test_right_answers(name, answer):
    check = exercises()
    reply = getattr(check, name)(answer)
    assert reply.status == "right"
    assert repr(reply).startswith(f"✓ {name}: right") and getattr(check, name).explanation in repr(reply)


@pytest.mark.parametrize(("name", "answer", "words"), [
    ("half", 2, "Upside down."), ("half", 0.25, "That is two heads in a row."),
    ("half", 0.4, "0.4 is not it. Count the favourable cases."),
    ("half", [0.5], "the right numbers in the wrong shape: expected one number, got an array of shape (1,)."),
    ("half", [[0.4]], "the shape is wrong: expected one number, got an array of shape (1, 1)."),
    ("half", np.nan, "nan is not it"), ("half", np.inf, "inf is not it"), ("half", 0.5 + 1e-5, "is not it"),
    ("half", "1/4", "two heads in a row"), ("half", "a half", "expected a number, got “a half”"),
    ("half", "1/0", "expected a number"), ("half", lambda: 0.5, "expected a value, got a function"),
    ("half", float, "expected a value, got a function"), ("half", {"p": 0.5}, "dict is not it"),
    ("animal", "cat", "Cats mew."), ("animal", "mouse", "Mice peep."), ("animal", "house", "is not it"),
    ("half", -0.5, "the sign is not. Count"), ("half", "50", "That is a hundred times as much."),
    ("area", lambda w, h: -w * h, "the sign is not. Multiply."), ("area", lambda w, h: (w * h) ** 2, "square of it"),
    ("area", lambda w, h: w * h / 2, "It is 0.5 times the right one"), ("rising", lambda v: v, "another order. Sort."),
    ("total", lambda v: v.mean(), "divided by n once too often"), ("animal", "horse", "“horse” is not it. Listen."),
    ("animal", 3, "expected a word, got 3"), ("pair", [2, 1], "The other way round."),
    ("pair", [1, 2, 3], "expected an array of shape (2,), got an array of shape (3,)."),
    ("pair", 1, "expected an array of shape (2,), got one number."), ("pair", [1.5, 2], "is not it"),
    ("pair", [[1], [2]], "the right numbers in the wrong shape"),
    ("pair", "1, 2", "expected numbers, got “1, 2”"), ("pair", [[1], [2, 3]], "list is not it"),
    ("area", 6, "expected a function, got 6"), ("area", "w * h", "expected a function, got “w * h”"),
    ("area", lambda w, h: 2 * (w + h), "That is its circumference."), ("area", lambda w, h: w, "Multiply. (For "),
    ("area", lambda w, h: np.random.default_rng().random(), "the same arguments give other numbers each time"),
    ("rising", lambda v: v / "a", "rising: Sort. (Your function raised TypeError: "),
    ("rising", lambda v: v[9], "rising: An index is too large for its array: places count from 0. Sort. ("),
    ("rising", lambda v: v[4:][0], "No fifth."), ("half", 0.333, "Not a third."),
    ("rising", lambda v: v.sort() or v * 2, "But it overwrites its arguments: work on a copy."),
    ("rising", lambda v: v - v[:, None], "got an array of shape (4, 4). A column beside a row makes a table"),
    ("rising", lambda v: -np.sort(-v), "That falls."),
    ("rising", lambda v: v[:2], "the shape is wrong"), ("rising", lambda v: v + 1, "expected ["),
    ("rising", lambda v: np.sort(v)[:, None], "the right numbers in the wrong shape")], ids=named)
def test_wrong_answers(name, answer, words):
    reply = getattr(exercises(), name)(answer)
    assert reply.status == "wrong" and repr(reply).startswith(f"✗ {name}: ")
    assert words in reply.text


@pytest.mark.parametrize("answer", [None, ..., lambda *a: None, lambda *a: ...], ids=range(4))
def test_blank_answers(answer):
    for exercise in exercises():
        if callable(answer) and not callable(exercise.reference):
            continue
        assert exercise(answer).status == "blank" and "not yet" in exercise(answer).text
        assert exercise.tries == 0 and exercise.status == "blank"
    assert exercises().half().status == "blank"


def test_of_a_whole_result_its_pvalue_is_asked():
    reply = exercises().half(SimpleNamespace(pvalue=0.5))
    assert reply.status == "wrong" and "such as its .pvalue" in reply.text


def test_a_wrong_function_is_answered_with_a_short_example():
    hint, example = exercises().area(lambda w, h: w).text.split(" (")
    assert hint.endswith("Multiply.")  # the hint comes before the numbers
    w, h, wanted, got = map(float, re.findall(r"\d+\.?\d*", example)[:4])
    assert wanted == pytest.approx(w * h, abs=1e-3) and got == pytest.approx(w)
    table = Exercise("table", lambda v: v, "", hint="Keep it.", inputs=lambda rng: (np.arange(9.0).reshape(3, 3),))
    assert table(lambda v: np.where(v == 5, 7, v)).text == "table: Look at column 3: the rest is right. Keep it."
    assert table(lambda v: np.where(v == 5, 7, v + 1)).text.endswith(" expected 5 at [1, 2], got 7.)")
    long = Exercise("total", lambda v, w: v.sum(), "", hint="Add.", inputs=lambda rng: (rng.random(9), rng.random(9)))
    assert len(long(lambda v, w: 0.0).text) < 250
    assert exercises().area(lambda w, h: np.round(w * h, 4)).text.startswith("area: right, to 4 decimals; in code keep")
    same = Exercise("same", lambda v: v, "", hint="Keep it.", inputs=lambda rng: (np.array([0.25, 0.5]),))
    assert same(lambda v: v + 3e-5).text.endswith("expected [0.25, 0.5 ], got [0.25003, 0.50003].)")


@pytest.mark.parametrize("size", [1e-4, 1, 1e6])
def test_single_precision_is_right_at_any_size(size):
    scaled = Exercise("scaled", lambda v: size * v, "So.", hint="Scale.", inputs=lambda rng: (rng.random(5),))
    assert scaled(lambda v: (size * v).astype(np.float32)).status == "right"
    assert scaled(lambda v: size * v * 1.01).status == "wrong"


class Unwilling:
    """Refuses to become an array, as a tensor with a gradient does."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("detach me first")


def endless(*args):
    return endless(*args)


MISBEHAVING = {
    "raises": lambda *a: 1 / 0, "wrong number of arguments": lambda: 1, "recursion": endless,
    "ragged": lambda *a: [[1], [2, 3]], "empty": lambda *a: np.array([]), "dict": lambda *a: {"a": 1},
    "generator": lambda *a: (x for x in a), "itself": lambda *a: endless,
    "objects": lambda *a: np.array([None, "x"], dtype=object), "date": lambda *a: np.datetime64("2020-01-01"),
    "huge whole number": lambda *a: 10**400, "no array": lambda *a: Unwilling(),
    "complex": lambda *a: np.array(0.5 + 3j),  # not its real part
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("kind", MISBEHAVING)
def test_no_answer_makes_a_check_raise(kind):
    answers = [MISBEHAVING[kind]]
    if kind not in ("raises", "wrong number of arguments", "recursion"):
        answers.append(MISBEHAVING[kind]())  # the value itself
    for exercise in exercises():
        for answer in answers:
            reply = exercise(answer)
            assert isinstance(reply, Reply) and reply.status == "wrong", exercise.name
            assert repr(reply) and reply._repr_html_()


def test_an_accepted_function_is_kept_as_text_and_runs_only_where_a_cell_asks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(area, "__module__", "lessons.shapes.exercises")
    cell, place, kept = tmp_path / "cell.py", {"__name__": "__main__"}, tmp_path / "my_functions" / "shapes.area.py"
    cell.write_text("def mine(w, h):\n    return w * h\n")
    exec(compile(cell.read_text(), cell, "exec"), place)
    check = exercises()
    assert check.area.mine() is ... and "Kept" not in check.area(area).text  # of a module, not of a notebook
    assert check.area(place["mine"]).text.endswith(" Kept in my_functions/shapes.area.py.")
    assert kept.read_text().endswith(cell.read_text()) and [*kept.parent.iterdir()] == [kept]
    back = exercises().area.mine()
    assert back(2, 3) == 6 and back is not place["mine"] and exercises().area.use(back).by == "your area"
    used = exercises().area.use(None)  # not asked for, but offered
    assert used.by.endswith(" is still blank); yours is kept: check.area.mine()")
    for edited in ("def mine(w, h):\n    return w + h\n", "def mine(w", "", "raise SystemError"):
        kept.write_text(edited)
        assert exercises().area.mine() is ... and "shapes.area.py is not accepted any more" in capsys.readouterr().out
    monkeypatch.setattr("pathlib.Path.write_bytes", lambda *a: open("/no/such/folder/file"))  # half way or not at all
    assert " It could not be kept in my_functions" in check.area(place["mine"]).text and kept.read_text() == edited


def test_what_a_function_calls_is_kept_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(area, "__module__", "lessons.shapes.exercises")
    cell, place = tmp_path / "cell.py", {"__name__": "__main__", "SIDES": 2, "each": 3}
    times = "def times(w, h):\n    return w * h\n\ndef mine(w, h):\n    return sum([times(each, h) for each in [w]])\n"
    others = "\ndef other(w, h):\n    return times(w, h) * SIDES / 2\n"
    bringing = "\ndef bringing(w, h):\n    from math import prod as SIDES\n    return SIDES([w, h])\n"
    cell.write_text(times + others + bringing)
    exec(compile(cell.read_text(), cell, "exec"), place)
    assert exercises().area(place["mine"]).text.endswith(" Kept in my_functions/shapes.area.py.")
    assert exercises().area.mine()(2, 3) == 6  # in a place of its own, where `times` came along
    monkeypatch.setenv("CALIBTUTOR_MINE", "elsewhere")  # as where notebooks are stored for others
    assert exercises().area.mine() is ...
    monkeypatch.delenv("CALIBTUTOR_MINE")
    assert "It takes SIDES from another cell" in exercises().area(place["other"]).text
    assert exercises().area.mine()(2, 3) == 6
    assert " Kept in" in exercises().area(place["bringing"]).text and exercises().area.mine()(2, 3) == 6


def test_the_report_counts():
    check = exercises()
    assert repr(check.half.hint()) == "→ half: Count the favourable cases." and check.half.tries == 0
    check.half(3), check.half(0.5), check.half(7), check.animal("cow"), check.area(None)
    report = repr(check.report())
    assert report.startswith("→ 1 of 6 right")
    lines = report.splitlines()[2:]
    assert lines[0] == "✓ half: right, tries 3"  # a later slip does not undo it
    assert lines[1] == "✗ animal: wrong, tries 1"
    assert lines[3] == "○ area: blank, tries 0"


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match=r"answer: expected one of \['a', 'b'\], got 'c' \(odd\)"):
        Guesses(odd=("?", ["a", "b"], "c", "No."))
    for reference, inputs in ((area, None), (1, lambda rng: ())):
        with pytest.raises(ValueError, match="inputs: expected for a function and only then"):
            Exercise("bad", reference, "", hint="", inputs=inputs)


def test_replies_are_html_that_cannot_be_broken():
    html = Reply("wrong", "a < b & <script>", "x < y")._repr_html_()
    assert "<script>" not in html and "a &lt; b &amp;" in html and "x &lt; y" in html and 'role="status"' in html


# --- guesses ---


def guesses():
    return Guesses(sky=("What colour < is it?", ["blue", "green", "red"], "blue", "Short waves scatter & more."))


@pytest.mark.parametrize("option", ["blue", "green"])
def test_each_button_is_answered(option):
    question, right = guesses().sky(), option == "blue"
    assert isinstance(question, widgets.VBox)
    assert "Short waves" not in question.reply.value and "✓" not in question.reply.value
    button = next(b for b in question.buttons if b.description == option)
    button.click()
    assert ("✓ blue: yes" if right else f"✗ {option}: no, it is “blue”") in question.reply.value
    assert ("✗" if right else "✓") not in question.reply.value
    assert "Short waves scatter &amp; more." in question.reply.value
    assert button.button_style == ("success" if right else "warning")


def test_the_first_guess_is_remembered():
    question = guesses().sky()
    for k in (2, 1, 0):
        question.buttons[k].click()
    assert "✓ blue: yes" in question.reply.value and "(your first guess: red)" in question.reply.value
    assert [b.button_style for b in question.buttons] == ["success", "", ""]
    question.buttons[2].click()
    assert "your first guess" not in question.reply.value  # it is the first guess itself


def test_a_guess_shows_subscripts():
    question = Guesses(sign=("Is D_uq < 0?", ["yes", "no"], "no", "SKCE_b & y_true.")).sign()
    question.buttons[0].click()
    page = question._repr_mimebundle_()[0]["text/html"]
    for said in (question.children[0].value + question.reply.value, page):
        assert "Is D<sub>uq</sub> &lt; 0?" in said and "SKCE<sub>b</sub> &amp; y_true." in said


def test_without_a_kernel_the_answer_hides_behind_a_fold():
    data, _ = guesses().sky()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    asked, folded = data["text/html"].split("<details>")
    assert "What colour &lt; is it?" in asked and "blue / green / red" in asked and "Short waves" not in asked
    assert "<b>blue.</b>" in folded and "Short waves scatter &amp; more." in folded
    assert data["text/plain"] == "Predict. What colour < is it? (blue / green / red)"


def test_questions_on_the_sessions_before_are_answered_one_by_one():
    asked, other = ("What colour?", ["blue", "red"], "blue", "Waves."), ("Is it far?", ["yes", "no"], "no", "Near.")
    three = Guesses(before=[asked, other, asked]).before()
    three.questions[1].buttons[0].click()
    assert ["no, it is “no”" in each.reply.value for each in three.questions] == [False, True, False]
    page = three.still()[0]["text/html"]
    assert page.count("<details>") == 3 and page.index("Is it far?") < page.index("Near.") < page.rindex("<details>")
    with pytest.raises(ValueError, match="before"):
        Guesses(before=[asked, ("Is it far?", ["yes", "no"], "maybe", "No.")])
