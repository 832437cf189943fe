"""From the verdicts back to the fault of a file."""

import numpy as np

from ...plots import Finding
from ...teach.explore import explore
from ..shared.tally import Tally
from ..shared.verdicts import capital
from .board import board, put
from .data import SCANNERS, SPOILS, digits_on_scanners, own_rows, spoil
from .exercises import check
from .questions import names_of, residual_sums, table_of

DRAWS, NOBODY = 999, "choose a fault"
SEED = 85  # the first file is not the one that the picture before it opens on
TRAINING = "rows of the training"
FAULTS = [*SPOILS, TRAINING]


def asked(turn):
    """The fault of a turn: each comes once in five turns."""
    return FAULTS[np.random.default_rng([SEED, turn // 5]).permutation(5)[turn % 5]]


def which_fault(adjusted=None):
    """The verdicts about a spoiled file, adjusted as in `many_questions`: what is wrong with it?"""
    method, tally, tables = check.adjusted.use(adjusted), Tally(asked), {}

    def table(turn):
        if turn not in tables:
            rng = np.random.default_rng([83, turn])
            y_true, p, scanner = own_rows() if asked(turn) == TRAINING else digits_on_scanners()
            y, p, scanner = spoil(asked(turn), y_true, p, (scanner + rng.integers(SCANNERS)) % SCANNERS + 1)
            pvalues = method(table_of(y, p, scanner, DRAWS, rng))
            tables[turn] = pvalues, names_of(p, scanner), (p.argmax(axis=1) == y).mean(), (1 - p.max(axis=1)).sum()
        return tables[turn]

    def setup(fig):
        return board(fig, table(0)[1])

    def update(artists, answer=NOBODY, show=0):
        turn = show // 2
        tally.note(show, None if answer == NOBODY else answer)
        said = tally.answers.get(turn) if show % 2 else None
        pvalues, names, right, promised = table(turn)
        is_found, told = put(artists, pvalues, names)
        correct, of = tally.right()
        artists["count"].set_text(f"{correct} of {of} right" if of else "")
        verdicts = f"all rows: {told[0]}; scanners: {told[1]}; digits: {told[2]}"
        if said:
            first = f"{'Yes' if said == asked(turn) else 'No'}: {asked(turn)}"
            why = f" ({promised:.0f} misses promised, none happened)" if asked(turn) == TRAINING else ""
            return Finding(
                first,
                f"file {turn + 1}, {right:.0%} right{why}; by {method.by}",
                f"You said: {said}. {capital(verdicts)}.",
            )
        guessed = f"{answer}?" if answer != NOBODY else "first choose a fault" if show % 2 else "what is wrong?"
        first = f"{is_found.sum()} of 24 questions find something: {guessed}"
        return Finding(first, f"file {turn + 1}; by {method.by}", f"{capital(verdicts)}.")

    return explore(setup, update, size=(9, 4.4), answer=[NOBODY, *FAULTS], show="show the answer / another file",
                   anew={"show": ["answer"]}, code=residual_sums, labels={"answer": "what is wrong with the file"})  # fmt: skip
