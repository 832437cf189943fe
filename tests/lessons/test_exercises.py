"""Every exercise of the course: the blank fails, each mistake gets its own hint, the solution passes."""

import inspect
import re

import nbformat
import numpy as np
import pytest
from notebook_rules import code_cells

from calibtutor.lessons import discover
from calibtutor.teach.exercise import Reply
from calibtutor.teach.notebooks import discover as notebooks

EXERCISES, GUESSES = discover("exercises"), discover("guesses")
FUNCTIONS = [name for name, exercise in EXERCISES.items() if callable(exercise.reference)]
MISTAKES = [(name, k) for name, exercise in EXERCISES.items() for k in range(len(exercise.mistakes))]

every_exercise = pytest.mark.parametrize("name", EXERCISES)
every_function = pytest.mark.parametrize("name", FUNCTIONS)
every_guess = pytest.mark.parametrize("name", GUESSES)


@pytest.fixture(autouse=True)
def forget_tries():
    """Exercises count tries; each test leaves them as a fresh notebook finds them."""
    yield
    for exercise in EXERCISES.values():
        exercise.tries, exercise.status = 0, "blank"


def test_there_are_exercises_and_guesses():
    assert len(EXERCISES) >= 15 and len(GUESSES) >= 8


@every_exercise
def test_the_blank_is_not_an_answer(name):
    exercise = EXERCISES[name]
    blanks = [None, ...] + [lambda *a: None, lambda *a: ...] * callable(exercise.reference)
    for blank in blanks:
        assert exercise(blank).status == "blank"
    assert exercise.status == "blank" and exercise.tries == 0


@every_exercise
def test_the_reference_passes(name):
    exercise = EXERCISES[name]
    for answer in (exercise.reference, *exercise.accept):
        reply = exercise(answer)
        assert reply.status == "right" and exercise.explanation in reply.text
    assert exercise.explanation.strip()


@every_function
def test_the_solution_can_be_copied_into_the_notebook(name):
    exercise = EXERCISES[name]
    solution = exercise.solution()
    assert exercise.explanation in solution.text and "return" in solution.code
    assert solution.code in repr(solution)
    place = {"np": np}
    exec(solution.code, place)
    assert exercise(place[exercise.reference.__name__]).status == "right"


@pytest.mark.parametrize("name", [name for name in EXERCISES if name not in FUNCTIONS])
def test_the_solution_says_the_value(name):
    exercise = EXERCISES[name]
    text = exercise.solution().text
    assert exercise.explanation in text
    assert (exercise.reference if isinstance(exercise.reference, str) else f"{exercise.reference:g}") in text


@pytest.mark.parametrize(("name", "k"), MISTAKES)
def test_a_mistake_gets_its_own_hint(name, k):
    exercise = EXERCISES[name]
    mistake = exercise.mistakes[k]
    reply = exercise(mistake.answer)
    assert reply.status == "wrong"
    assert reply.text == f"{exercise.name}: {mistake.hint}"


@every_exercise
def test_likely_mistakes_are_foreseen_and_told_apart(name):
    exercise = EXERCISES[name]
    hints = [mistake.hint for mistake in exercise.mistakes]
    assert len(set(hints)) >= 2  # spellings of one mistake share their hint
    assert exercise._hint not in hints


@pytest.mark.parametrize(("name", "k"), MISTAKES)
def test_a_mistake_is_not_the_answer(name, k):
    exercise = EXERCISES[name]
    wrong, right = exercise.mistakes[k].answer, exercise.reference
    if not callable(right):
        assert wrong != right and wrong not in exercise.accept
        return
    rng, differs = np.random.default_rng(1), 0
    for _ in range(20):
        arguments = exercise.inputs(rng)
        a, b = np.asarray(wrong(*arguments), float), np.asarray(right(*arguments), float)
        differs += a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=1e-3)
    assert differs >= 2, "the mistake hardly ever shows on random inputs"


@every_exercise
def test_the_hint_does_not_give_the_answer_away(name):
    exercise = EXERCISES[name]
    texts = [exercise.hint().text]
    if not callable(exercise.reference):
        texts += [exercise(object()).text]  # what a wrong answer without a hint of its own is told
    for text in texts:
        assert not gives_away(text, exercise.reference), text


def gives_away(text, answer):
    """Whether the answer stands in the text: the word, a number of its value, or a function's longest line."""
    if isinstance(answer, str):
        return re.search(rf"(?<![\w-]){re.escape(answer)}(?![\w-])", text, re.IGNORECASE) is not None
    if callable(answer):
        body = [line.strip().removeprefix("return ") for line in inspect.getsource(answer).splitlines()[1:]]
        return max((line for line in body if not line.startswith('"""')), key=len) in text
    return any(abs(float(found) - answer) < 1e-9 for found in re.findall(r"\d+\.?\d*|\.\d+", text))


def lambda_like(x, y):
    return re.search(x, y)


def test_giving_away_is_noticed():
    assert gives_away("Is it .9 or 1?", 0.9) and gives_away("try 0.90.", 0.9) and gives_away("The Forest.", "forest")
    assert gives_away("Why not re.search(x, y)?", lambda_like) and not gives_away("Use re.", lambda_like)
    assert not gives_away("Is it .95?", 0.9) and not gives_away("top-label-per-class", "top-label")


def raises(*arguments):
    raise KeyError("mine")


WRONG = {
    "raises": raises,
    "no arguments": lambda: 1.0,
    "shape": lambda *a: np.zeros((2, 3, 4)),
    "string": lambda *a: "0.5",
    "list": lambda *a: [1, 2, 3, "four"],
    "ragged": lambda *a: [[1], [2, 3]],
    "NaN": lambda *a: np.full(3, np.nan),
    "nothing but text": "def f(): ...",
    "a number": 17,
    "numbers": [1.5, 2.5],
    "a dict": {"answer": 1},
}


@every_exercise
@pytest.mark.parametrize("kind", WRONG)
def test_any_answer_gets_a_reply(name, kind):
    reply = EXERCISES[name](WRONG[kind])
    assert isinstance(reply, Reply) and reply.status == "wrong" and len(reply.text.split()) > 3
    assert repr(reply).startswith("✗") and "<div" in reply._repr_html_()


@every_function
def test_an_answer_may_spoil_its_arguments(name):
    exercise = EXERCISES[name]

    def careless(*arguments):
        result = np.copy(exercise.reference(*arguments))
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                argument[...] = 0
        return result

    assert exercise(careless).status == "right"


# --- guesses ---


@every_guess
def test_every_button_of_a_guess_is_answered(name):
    options = GUESSES[name]().options
    assert 2 <= len(options) == len(set(options))
    verdicts = []
    for k, option in enumerate(options):
        question = GUESSES[name]()
        assert not re.search("[✓✗]", question.reply.value) and question.because not in question.reply.value
        question.buttons[k].click()
        assert re.search("[✓✗]", question.reply.value) and question.buttons[k].button_style
        verdicts.append("✓" in question.reply.value)
        assert verdicts[-1] == (option == question.answer)
    assert sum(verdicts) == 1
    assert question.question.rstrip().endswith(("?", "…")) and question.because.rstrip(")").endswith(".")


def cells_that_call(what):
    """(notebook, source) of the code cells that call this check or guess."""
    found = []
    for path in notebooks():
        for _, cell in code_cells(nbformat.read(path, as_version=4)):
            if re.search(rf"\b{re.escape(what)}\(", cell.source):
                found.append(cell.source)
    return found


@every_guess
def test_the_cell_of_a_guess_does_not_show_its_answer(name):
    question = GUESSES[name]()
    for source in cells_that_call(f"guess.{name.split('.')[1]}"):
        assert not gives_away(source, question.answer) and question.because not in source


@every_exercise
def test_the_cell_of_an_exercise_does_not_show_its_answer(name):
    exercise = EXERCISES[name]
    for source in cells_that_call(f"check.{exercise.name}"):
        shown = re.sub(r"check\.\w+\(.*?\)", "", source)  # names of exercises and answers may be alike
        offered = isinstance(exercise.reference, str) and any(gives_away(shown, m.answer) for m in exercise.mistakes)
        assert offered or not gives_away(shown, exercise.reference), source  # among wrong words it is a choice
