"""The game of notebook 08: from the verdicts back to the fault of the file."""

import numpy as np

from ...plots import INK, Finding, words
from ...resampling import draw_labels
from ...teach.explore import explore
from ..shared.tally import Tally
from .board import board, put
from .data import SCANNERS, SPOILS, digits_on_scanners, spoil
from .exercises import check
from .questions import names_of, residual_sums

__all__ = ["which_fault"]

DRAWS, NOBODY = 999, "choose a fault"
FAULTS = [SPOILS[0], SPOILS[1], SPOILS[2], SPOILS[5]]  # the others need more than these verdicts


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
            sums = residual_sums(p, draw_labels(p, DRAWS, rng, observed=y), scanner)
            tables[turn] = sums, names_of(p, scanner), (p.argmax(axis=1) == y).mean()
        return tables[turn]

    def setup(fig):
        table(0)
        artists = board(fig)
        axes = artists["kept"].axes
        said = words(axes, 1.4, -0.4, "", colour=INK, ha="left")
        return {**artists, "you": said, "count": words(axes, 13, 2.5, "", bold=True, size=14, colour=INK, ha="right")}

    def update(artists, answer=NOBODY, show=0):
        turn = show // 2
        tally.note(show, None if answer == NOBODY else answer)
        said = tally.answers.get(turn) if show % 2 else None
        statistics, names, right = table(turn)
        is_found, told = put(artists, method(statistics), names)
        picked = said or answer
        artists["you"].set_text("" if picked == NOBODY else f"you say: {picked}")
        correct, of = tally.right()
        artists["count"].set_text(f"{correct} of {of} right" if of else "")
        drawn = f"file {turn + 1}, {right:.0%} right; by {method.by}"
        verdicts = f"all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}"
        if said:
            first = f"{'Yes' if said == asked(turn) else 'No'}: {asked(turn)}"
            return Finding(first, drawn, f"You said: {said}. It is: {asked(turn)}. In file {turn + 1} {verdicts}.")
        waiting = "First choose a fault" if show % 2 else "Choose a fault, then see"
        state = waiting if answer == NOBODY else f"You would say: {answer}"
        first = f"{is_found.sum()} of 24 questions find something: what is wrong?"
        return Finding(first, drawn, f"What is wrong with file {turn + 1}? {verdicts[0].upper()}{verdicts[1:]}. {state}.")

    scene = explore(setup, update, size=(9, 4.2), answer=[NOBODY, *FAULTS], show="show the answer / another file",
                    code=residual_sums, labels={"answer": "what is wrong with the file"})  # fmt: skip

    def start_again(change):
        if change["new"] % 2 == 0:  # another file
            scene.set(answer=NOBODY)

    scene.controls["show"].observe(start_again, names="value")
    return scene
