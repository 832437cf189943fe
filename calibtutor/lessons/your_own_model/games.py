"""The game of notebook 08: from the verdicts back to the fault of the file."""

import numpy as np

from ...plots import Finding
from ...resampling import draw_labels
from ...teach.explore import explore
from ..shared.tally import Tally
from ..shared.verdicts import capital
from .board import board, put
from .data import SCANNERS, SPOILS, digits_on_scanners, spoil
from .exercises import check
from .questions import names_of, residual_sums

__all__ = ["which_fault"]

DRAWS, NOBODY = 999, "choose a fault"
FAULTS = SPOILS


def asked(turn):
    """The fault of a turn: each comes once in four turns."""
    return FAULTS[np.random.default_rng([82, turn // 4]).permutation(4)[turn % 4]]


def which_fault(adjusted=None):
    """The verdicts about a spoiled file: what is wrong with it?

    Parameters
    ----------
    adjusted : callable, optional
        As in `many_questions`.
    """
    method, tally, tables = check.adjusted.use(adjusted), Tally(asked), {}

    def table(turn):
        if turn not in tables:
            rng = np.random.default_rng([83, turn])
            y_true, p, scanner = digits_on_scanners()
            y, p, scanner = spoil(asked(turn), y_true, p, (scanner + rng.integers(SCANNERS)) % SCANNERS + 1)
            pvalues = method(residual_sums(p, draw_labels(p, DRAWS, rng, observed=y), scanner))
            tables[turn] = pvalues, names_of(p, scanner), (p.argmax(axis=1) == y).mean()
        return tables[turn]

    def setup(fig):
        return board(fig, table(0)[1])

    def update(artists, answer=NOBODY, show=0):
        turn = show // 2
        tally.note(show, None if answer == NOBODY else answer)
        said = tally.answers.get(turn) if show % 2 else None
        pvalues, names, right = table(turn)
        is_found, told = put(artists, pvalues, names)
        correct, of = tally.right()
        artists["count"].set_text(f"{correct} of {of} right" if of else "")
        drawn = f"file {turn + 1}, {right:.0%} right; by {method.by}"
        verdicts = f"all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}"
        if said:
            first = f"{'Yes' if said == asked(turn) else 'No'}: {asked(turn)}"
            return Finding(first, drawn, f"You said: {said}. It is: {asked(turn)}. In file {turn + 1} {verdicts}.")
        waiting = "First choose a fault" if show % 2 else "Choose a fault, then see"
        state = waiting if answer == NOBODY else f"You would say: {answer}"
        guessed = f"{answer}?" if answer != NOBODY else "first choose a fault" if show % 2 else "what is wrong?"
        first = f"{is_found.sum()} of 24 questions find something: {guessed}"
        return Finding(first, drawn, f"What is wrong with file {turn + 1}? {capital(verdicts)}. {state}.")

    scene = explore(setup, update, size=(9, 4.4), answer=[NOBODY, *FAULTS], show="show the answer / another file",
                    code=residual_sums, labels={"answer": "what is wrong with the file"})  # fmt: skip

    def start_again(change):
        if change["new"] % 2 == 0:  # another file
            scene.set(answer=NOBODY)

    scene.controls["show"].observe(start_again, names="value")
    return scene
