"""Every exercise of the course: the right answer passes, each mistake gets its own hint, none is given away."""

import inspect
import re
from functools import cache

import kce_oracles
import nbformat
import numpy as np
import pytest
from notebook_rules import code_cells
from scipy.special import softmax

from calibtutor import ckce, expected_calibration_error, linear_plus_gaussian, local_calibration_bias, rbf, skce
from calibtutor.audit.intervals import design_effect
from calibtutor.chance.pvalues import rank_pvalues
from calibtutor.data.datasets import digits_predictions
from calibtutor.door.predictions import residuals
from calibtutor.errors.kce import kce_test
from calibtutor.errors.spectrum import spectrum_of_features
from calibtutor.estimates.risk import EstimationFunction
from calibtutor.lessons import discover
from calibtutor.lessons.kernel_density.kernel import dirichlet_log_kernel
from calibtutor.lessons.what_moved import simulations as sims_12
from calibtutor.lessons.your_own_model.data import clinic
from calibtutor.teach.notebooks import discover as notebooks

EXERCISES, GUESSES = discover("exercises"), discover("guesses")

every_exercise = pytest.mark.parametrize("name", EXERCISES)
every_guess = pytest.mark.parametrize("name", GUESSES)


@pytest.fixture(autouse=True)
def forget_tries():
    """Exercises count tries; each test leaves them as a fresh notebook finds them."""
    yield
    for exercise in EXERCISES.values():
        exercise.tries, exercise.status = 0, "blank"


@every_exercise
def test_the_right_answer_and_the_solution_pass(name):
    exercise = EXERCISES[name]
    for answer in (exercise.reference, *exercise.accept):
        reply = exercise(answer)
        assert reply.status == "right" and exercise.explanation in reply.text
    solution = exercise.solution()
    assert exercise.explanation.strip() and exercise.explanation in solution.text
    if not callable(exercise.reference):
        wanted = exercise.reference if isinstance(exercise.reference, str) else f"{exercise.reference:g}"
        assert wanted in solution.text
        return
    place = {"np": np}
    exec(solution.code, place)  # as if copied into the notebook
    assert exercise(place[exercise.reference.__name__]).status == "right"


def test_the_right_answer_is_what_the_library_computes():
    rng = np.random.default_rng(0)
    p, y, X = rng.dirichlet(np.ones(3), 8), rng.integers(0, 3, 8), rng.normal(size=(8, 2))
    q, u, hit, lam, kernel = p[:, 0], X[:, 0] % 1, (y == 0).astype(int), 0.2, rbf(bandwidth=0.6)
    K, k, L, delta = kernel(p), kernel(q[:, None]), kernel(X), residuals(y, p)
    right = {name: exercise.reference for name, exercise in EXERCISES.items()}
    h, w = right["bets_and_kernels.h_matrix"](p, y, K), (k * L)[0]
    m, map_of = delta.T @ delta, lambda rows: np.column_stack([rows, rows**2])
    features = {"features": X, "prob_kernel": kernel, "feature_kernel": kernel}
    pairs = {
        "notions.temper": ((p, 0.5), softmax(np.log(p) / 0.5, axis=1)),
        "chance.redraw_labels": ((p, u), [np.searchsorted(p[i].cumsum(), u[i]) for i in range(8)]),
        "chance.pvalue": ((0.3, q), rank_pvalues(np.append(0.3, q))[0]),
        "kernel_density.beta_kernel": ((q, 0.3, 0.1), np.exp(dirichlet_log_kernel(q, [0.3], 0.1)[:, 0])),
        "bins.ece": ((right["start.reliability"](hit, q, 4),), expected_calibration_error(hit, q, n_bins=4)),
        "kernel_ridge.ukkr": (
            (map_of(p), delta, lam), (found := spectrum_of_features(map_of(p), delta)).vectors @ found.regression(lam)),
        "estimation_risk.reported_error": ((p @ m @ p.T,), EstimationFunction("h", np.array, m).diagonal(p).mean()),
        "kernel_tests.three_estimators": (
            (h,), [skce(y, p, kernel=kernel, estimator=name) for name in ("biased", "unbiased", "linear")]),
        "bounds.bound_unbiased": ((0.3, 9, 1.5), kce_oracles.bound_unbiased(0.3, 9, 1.5)),
        "next_word.design_effect": ((q, y), design_effect(q, np.ones(8), y)),
        "conditional_error.ckce_dual": ((K, delta, lam), ckce(y, p, kernel=kernel, regularization=lam)),
        "conditional_error.kernel_8": ((p[:3], p[3:], 0.7), linear_plus_gaussian(0.7)(p[:3], p[3:])),
        "map_and_repair.local_miss": (
            (hit, q, w), -local_calibration_bias(hit, q, **features, at=(q[:1], X[:1])).bias[0])}
    for name, (arguments, wanted) in pairs.items():
        assert np.allclose(right[name](*arguments), wanted, rtol=1e-10, atol=0), name


def sign_changes_of_the_fifth():
    """Of the fifth eigenvector of the kernel matrix of confidences spread evenly."""
    V = np.linalg.eigh(rbf(bandwidth=0.1)(np.linspace(0.5, 1, 1000)[:, None]))[1]
    return int((np.diff(np.sign(V[:, -5])) != 0).sum())


def fall_of_the_bandwidth():
    """From the ends to the middle, in whole per cent, of the CKCE of one crowd with the bandwidth of another."""
    values = sims_12.ckce_over_shift("median of each data set", "stays at α = 0", "drawn")[-1]
    return round(100 * (1 - values[8] / values[0]))


# Right answers that are numbers, from their questions.
VALUES = {
    "bins.pooled": lambda: min(np.mean([1, 0, 0, 1, 1][:k]) for k in range(1, 6)),  # smallest mean from the first on
    "bins.times_noise": lambda: 0.045 / np.sum(np.full(10, 0.1) * np.sqrt(2 / np.pi * 0.5 * 0.5 / 100)),
    "bets_and_kernels.by_pairs": lambda: np.mean([0.5 * -0.2 * 0.6, 0.5 * -0.2 * 0.6, 0.6**2]),
    "estimation_risk.risk_of_truth": lambda: np.mean([((0.5 - y) * (0.5 - z)) ** 2 for y in (0, 1) for z in (0, 1)]),
    "estimation_risk.in_spreads": lambda: np.mean(five := [0, 0, 1, 2, 2]) / (np.std(five, ddof=1) / np.sqrt(5)),
    # The SKCE is as 1/d, its noise as 1/(n√d): n/√d stays.
    "kernel_tests.rows_for_more_classes": lambda: 300 * np.sqrt(1000 / 10),
    "kernel_tests.whole_test": lambda: kce_test(
        (digits := digits_predictions("neural network")).y_true, digits.y_prob, notion="canonical", rng=0).pvalue,
    "random_features.lowest_jkce": lambda: lowest_entry(np.full(4, 0.25)),
    "conditional_error.kept": lambda: np.roots([0.75, 0.75 * 0.003 - 0.003])[0],  # .003 = .75 (.003 + λ)
    "what_moved.bandwidth_alone": fall_of_the_bandwidth,
    "one_operator.sign_changes": sign_changes_of_the_fifth,
    "what_moved.rare_and_frequent": lambda: sum((0.2 * s / (s + 0.1)) ** 2 for s in (0.9, 0.1)),
    "kernel_ridge.share_left": lambda: np.linalg.solve([[0.01 + 0.03]], [0.01])[0],
    "what_moved.apart": lambda: (0.9 - 0.8) / np.sqrt((0.8 * 0.2 + 0.9 * 0.1) / 400),
    "for_whom.years_off": lambda: np.average([30, 60], weights=[0.4, 0.6]) - 45,
    "for_whom.other_group": lambda: np.linalg.solve([[0.75]], [-0.25 * 0.12])[0],
    "kernel_density.flat_limit": lambda: np.mean([(p - 0.5) ** 2 for p in (0.2, 0.8)]),  # ½ = .2 · ½ + .8 · ½
    "map_and_repair.rows_to_test": lambda: 900 / 3,
    "many_features.one_of_fifty": lambda: rbf(width=5.0)(np.zeros((1, 1)), np.full((1, 1), 2.0))[0, 0],
    "notions.brier_of_constant": lambda: (r := np.array([0.6, 0.3, 0.1])) @ [np.sum((r - e) ** 2) for e in np.eye(3)],
    "bets_and_kernels.payoff": lambda: ((p := np.array([0.2, 0.5, 0.8])) - [0.4, 0.5, 0.6]) @ (2 * p - 1) / 3,
    "bets_and_kernels.length_by_hand": lambda: (b := np.array([3, -1])) @ (1 + np.outer([0, 1], [0, 1])) @ b,
    "chance.by_hand": lambda: sum(
        [0.2, 0.8][y] * [0.2, 0.8][z] for y in (0, 1) for z in (0, 1) if abs(0.8 - (y + z) / 2) >= 0.8 - 0.5),
    "chance.each_look": lambda: 0.05 / 4,
    "start.animals": lambda: 20 * 0.2,
    "start.can_be_saved": lambda: 0.7 * (0.9 - 1) ** 2 + 0.3 * 0.9**2 - 0.7 * 0.3,
    "your_own_model.brought_in": lambda: (c := clinic())["risk"].mean() / 100 - (c["outcome"] == "relapse").mean(),
    "your_own_model.copies": lambda: np.sqrt(9**2 / 9)}


def lowest_entry(p):
    """The smallest ⟨δ, δ'⟩ k(p, p) over two labels, with the kernel (8): ⟨p, p'⟩ plus a Gaussian."""
    delta = p - np.eye(len(p))
    return (delta @ delta.T).min() * linear_plus_gaussian(1.0)(p[None], p[None])[0, 0]


NUMBERS = [name for name, each in EXERCISES.items() if isinstance(each.reference, int | float)]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_right_number_is_what_its_question_comes_to(name):
    assert EXERCISES[name].reference == pytest.approx(VALUES[name](), rel=1e-9)


@every_exercise
def test_likely_mistakes_are_foreseen_and_told_apart(name):
    exercise = EXERCISES[name]
    hints = [mistake.hint for mistake in exercise.mistakes]
    assert len(set(hints)) >= 2  # spellings of one mistake share their hint
    assert exercise.nudge not in hints
    for mistake in exercise.mistakes:
        reply = exercise(mistake.answer)
        assert (reply.status, reply.text) == ("wrong", f"{exercise.name}: {mistake.hint}")
        assert differs(exercise, mistake.answer), mistake.hint


def differs(exercise, wrong):
    """Whether an answer is another one than the reference, for functions on at least 2 of 20 random inputs."""
    if not callable(exercise.reference):
        return wrong != exercise.reference and wrong not in exercise.accept
    rng, seen = np.random.default_rng(1), 0
    for _ in range(20):
        arguments = exercise.inputs(rng)
        try:
            a, b = np.asarray(wrong(*arguments), float), np.asarray(exercise.reference(*arguments), float)
        except (IndexError, ValueError):  # of an answer that fails, too, the slip is named
            return True
        seen += a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=1e-4)
    return seen >= 2


@every_exercise
def test_nothing_gives_the_answer_away(name):
    exercise = EXERCISES[name]
    texts = [exercise.hint().text]
    if not callable(exercise.reference):
        texts += [exercise(object()).text]  # what a wrong answer without a hint of its own is told
    assert [text for text in texts if gives_away(text, exercise.reference)] == []
    for source in cells_that_call(f"check.{exercise.name}"):
        shown = re.sub(r"check\.\w+\(.*?\)", "", source)  # names of exercises and answers may be alike
        offered = isinstance(exercise.reference, str) and any(gives_away(shown, m.answer) for m in exercise.mistakes)
        assert offered or not gives_away(shown, exercise.reference), source  # among wrong words it is a choice


def gives_away(text, answer):
    """Whether the answer stands in the text: the word, a number of its value, or a function's longest line."""
    if isinstance(answer, str):
        return re.search(rf"(?<![\w-]){re.escape(answer)}(?![\w-])", text, re.IGNORECASE) is not None
    if callable(answer):
        body = [line.strip().removeprefix("return ") for line in inspect.getsource(answer).splitlines()[1:]]
        return max((line for line in body if not line.startswith('"""')), key=len) in text
    return any(abs(float(found) - answer) < 1e-9 for found in re.findall(r"\d+\.?\d*|\.\d+", text))


@every_guess
def test_a_guess_is_a_question_and_does_not_give_its_answer_away(name):
    made = GUESSES[name]()
    for question in getattr(made, "questions", [made]):
        assert 2 <= len(question.options) == len(set(question.options)) and question.answer in question.options
        assert question.question.rstrip().endswith(("?", "…")) and question.because.rstrip(")").endswith(".")
        for source in cells_that_call(f"guess.{name.split('.')[1]}"):
            assert not gives_away(source, question.answer) and question.because not in source


@cache
def code_of_notebooks():
    return [cell.source for path in notebooks() for _, cell in code_cells(nbformat.read(path, as_version=4))]


def cells_that_call(what):
    """The code cells that call this check or guess."""
    return [source for source in code_of_notebooks() if re.search(rf"\b{re.escape(what)}\(", source)]
