"""The game: whose dots are these?"""

from functools import lru_cache

import numpy as np

from ...binning import reliability_curve
from ...data.datasets import digits_cast
from ...plots import FEW, GREY, INK, MODELS, SOFT, Finding, ReliabilityDiagram, choice, estimate, panel, words
from ...teach.explore import explore
from ..shared.tally import Tally

__all__ = ["whose_dots"]

NOBODY = "choose a name"
CLUES = {  # how one can know; each is a claim
    "random forest": "few digits in the last bin, and most dots far above the diagonal",
    "logistic regression": "about 6 of 10 digits in the last bin, and their dot above the diagonal",
    "neural network": "most digits in the last bin, and their dot on the diagonal",
    "naive Bayes": "nearly all digits in the last bin, and their dot below the diagonal",
    "decision tree": "one dot: it is sure of every answer",
}
DIGITS, BINS = 200, 10


@lru_cache
def hidden(turn):
    """Which model, its mean confidence minus its share of hits, and its bins, on 200 of the test digits."""
    order = np.random.default_rng(25 + turn // 5).permutation(5)  # in five turns each of the models once
    model, seen = list(digits_cast().items())[order[turn % 5]]
    some = np.random.default_rng(turn).permutation(len(seen.y_true))[:DIGITS]
    hit = seen.y_prob[some].argmax(axis=1) == seen.y_true[some]
    confidence = seen.y_prob[some].max(axis=1)
    return model, confidence.mean() - hit.mean(), reliability_curve(hit, confidence, n_bins=BINS)


def too(gap):
    """How far a mean confidence is from the share of hits, in whole points of a hundred."""
    points = round(abs(100 * gap))
    if not points:
        return "what happens, to a point"
    return f"{points} point{'s' if points > 1 else ''} too {'much' if gap > 0 else 'little'}"


def whose_dots():
    """A reliability diagram without its model's name: the reader says which of the five it is, then sees."""
    tally, rows = Tally(lambda turn: hidden(turn)[0]), dict(zip(MODELS, (1.0, 0.84, 0.68, 0.52, 0.36), strict=True))

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        diagram = ReliabilityDiagram(fig, spec=grid[0], cases="digits")
        axes = panel(fig, grid[1], read_y=False, xlim=(-0.12, 1), ylim=(-0.2, 1.1), xticks=[])
        axes.spines["bottom"].set_visible(False)
        names = {name: words(axes, 0.1, y, name, colour=SOFT, ha="left") for name, y in rows.items()}
        return {"diagram": diagram, "names": names, "choice": choice(axes, ms=16), "mark": estimate(axes),
                "count": words(axes, 0.1, 0.09, "", bold=True, size=30, ha="left"),
                "words": words(axes, 0.1, -0.08, "", colour=SOFT, ha="left")}  # fmt: skip

    def update(artists, name=NOBODY, show=0):
        turn = show // 2
        tally.note(show, name if name in rows else None)
        answer = tally.answers.get(turn) if show % 2 else None  # what was said first, whatever the menu says now
        model, gap, curve = hidden(turn)
        diagram, picked = artists["diagram"], answer or name
        diagram.show_as(model if answer else None)
        if not answer:
            diagram.colour = GREY  # no model's colour
        diagram.update(curve)
        artists["choice"].set_data(([0], [rows[picked]]) if picked in rows else ([], []))
        for each, label in artists["names"].items():
            known = answer and each == model
            label.set(color=MODELS[each][2] if known else INK if each == picked else SOFT,
                      weight="bold" if known else "normal")  # fmt: skip
        artists["mark"].set_data(([0], [rows[model]]) if answer else ([], []))
        artists["mark"].set(color=MODELS[model][0], marker=MODELS[model][1], mec="white")
        artists["mark"].set_zorder(9)
        right, of = tally.right()
        artists["count"].set(text=f"{right} of {of}" if of else "")
        artists["words"].set_text("right so far" if of else "")
        drawn = f"{DIGITS} test digits in {BINS} bins, turn {turn + 1}"
        if answer:
            return Finding(
                f"Yes: {model}" if answer == model else f"No, not {answer}: {model}",
                f"{drawn}; {CLUES[model]}",
                f"On average it says {too(gap)}.",
            )
        said = f"You would say {name}." if name in rows else "No name is chosen."
        return Finding(
            "First choose a name: whose dots are these?" if show % 2 else "Whose dots are these?",
            f"{drawn}, of one of five models; pale: fewer than {FEW} digits",
            f"{(curve.count > 0).sum()} dots, and {curve.count.max()} digits in the fullest bin. {said}",
        )

    return explore(setup, update, size=(9, 5.6), name=[NOBODY, *MODELS], show="show the answer / other dots",
                   anew={"show": ["name"]}, labels={"name": "whose dots are these?"}, code=hidden)  # fmt: skip
