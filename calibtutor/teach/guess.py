"""Predictions that a reader commits to before a picture answers them.

guess = Guesses(forest=("How often is it right?", ["more", "less"], "more", "Because ..."), before=[...], ...)
guess.forest()
guess.before()  # the questions of a list, on the sessions before
"""

import html
from functools import partial
from types import SimpleNamespace

import ipywidgets as widgets

from ..plots import KEPT, MISS, SOFT
from .derive import with_subscripts
from .still import WithStill

WIDE = "600px"  # as prose is


class Guesses(SimpleNamespace):
    """The predictions that a notebook asks for: ``guess.<name>()`` shows the question.

    They live here and not in the notebook, where the cell's source would give the answer away.

    Parameters
    ----------
    **questions : (question, options, answer, because), or a list of them
        What is asked; the buttons; which of them is right; what is revealed after the guess. A list is a `Recall`.

    Raises
    ------
    ValueError
        When an answer is not among its options.
    """

    def __init__(self, **questions):
        for name, asked in questions.items():
            for _, options, answer, _ in asked if isinstance(asked, list) else [asked]:
                if answer not in options:
                    raise ValueError(f"answer: expected one of {options}, got {answer!r} ({name})")
        kinds = {name: Recall if isinstance(asked, list) else Predict for name, asked in questions.items()}
        super().__init__(**{name: partial(kinds[name], *asked) for name, asked in questions.items()})

    def __iter__(self):
        return iter(vars(self))


class Predict(WithStill, widgets.VBox):
    """A question, its buttons, and what a press reveals; `first` is the first guess, at which `waiting` are called."""

    def __init__(self, question, options, answer, because, lead="Predict.", before="Commit to an answer first.",
                 room="4.5em"):
        self.question, self.options, self.answer, self.because, self.lead = question, options, answer, because, lead
        self.first, self.waiting = None, []
        self.buttons = [widgets.Button(description=o, layout=widgets.Layout(width="auto")) for o in options]
        for button in self.buttons:
            button.on_click(self._reveal)
        self.reply = widgets.HTML(layout=widgets.Layout(min_height=room, max_width=WIDE))
        self.reply.value = f'<span style="color:{SOFT}">{before}</span>'
        row = widgets.HBox(self.buttons, layout=widgets.Layout(flex_flow="row wrap"))
        asked = widgets.HTML(f"<b>{lead}</b> {with_subscripts(question)}", layout=widgets.Layout(max_width=WIDE))
        super().__init__([asked, row, self.reply])

    def _reveal(self, button):
        while self.waiting:
            self.waiting.pop()()
        chosen = button.description
        first = "" if self.first in (None, chosen) else f" (your first guess: {self.first})"
        self.first = self.first or chosen
        right = chosen == self.answer
        for each in self.buttons:
            each.button_style = "" if each is not button else "success" if right else "warning"
        verdict = f"✓ {chosen}: yes" if right else f"✗ {chosen}: no, it is “{self.answer}”"
        said = f'<b style="color:{KEPT if right else MISS}">{html.escape(verdict)}</b>'
        self.reply.value = f"{said}{html.escape(first)}. {with_subscripts(self.because)}"

    def still(self):
        """The question, and the answer folded away."""
        plain = f"{self.lead} {self.question} ({' / '.join(self.options)})"
        folded = (
            f"<p><b>{self.lead}</b> {with_subscripts(self.question)} <i>{html.escape(' / '.join(self.options))}</i></p>"
            f"<details><summary>Show the answer</summary><b>{html.escape(self.answer)}.</b> "
            f"{with_subscripts(self.because)}</details>")
        return {"text/html": folded, "text/plain": plain}, {}


class Recall(WithStill, widgets.VBox):
    """Short questions on the sessions before, a few seconds each; a picture below does not wait for them."""

    def __init__(self, *questions):
        self.questions = [Predict(*each, lead="▸", before="", room="0") for each in questions]
        head = widgets.HTML("<b>From the sessions before.</b> Answer from memory, a minute in all.")
        super().__init__([head, *self.questions])

    def still(self):
        """The questions one below the other, each answer folded away."""
        page, plain = zip(*(each.still()[0].values() for each in self.questions), strict=True)
        return {"text/html": f"<p>{self.children[0].value}</p>" + "".join(page), "text/plain": "\n".join(plain)}, {}
