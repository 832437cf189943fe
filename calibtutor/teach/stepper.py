"""Derivations on the page: a stepper that asks its reader, and a field in which any formula is evaluated."""

import html
from functools import partial

import ipywidgets as widgets
import numpy as np

from ..plots import INK, KEPT, MISS, SOFT
from .derive import question_about, sign, six_digits, verdict, with_subscripts
from .expressions import Unreadable, formula
from .source import folded
from .still import WithStill
from .typeset import letter
from .write import judge

BOX = {"max_width": "900px", "border_left": f"4px solid {KEPT}", "padding": "0 0 0 12px"}
FORMULAS = 'class="formulas"'  # of HTML in which dollars enclose LaTeX
COLOUR = {"first": INK, "holds": KEPT, "miss": MISS}  # of a verdict
FIELD = {"width": "min(640px, 96%)"}


def derive(derivation):
    """Step through a `Derivation`: Next, Back, and a slider that changes the world under all its lines.

    Live in a running notebook; elsewhere a page of all lines with their values.
    """
    return Stepper(derivation)


def play(derivation, text=None):
    """Any formula in the letters of a `Derivation`: how it is written, and its value in a world.

    `text` stands in the field first, by default the first line. Without a running notebook it stands there alone.
    """
    return Playground(derivation, text or next(step.text for step in derivation.steps if step.formula))


class Stepper(WithStill, widgets.VBox):
    """The widget of `derive`; `shown` is the number of lines on view.

    Of a false line and its true neighbour only the formulas are shown, and there is no next line, until the reader has
    said which of them holds, or asks for it. The line `Derivation.write` is shown when the reader has written it, or
    asks for it in `gap`.
    """

    def __init__(self, derivation):
        self.derivation = derivation
        self.back, self.next = _button("◀ Back", lambda: self._move(-1)), _button("Next ▶", lambda: self._move(+1))
        self.world, self.about = _world_slider(), widgets.HTML()
        # Every line has its own widget of fixed least height, so that nothing below jumps as lines appear.
        self.rows = [widgets.HTMLMath(layout=widgets.Layout(min_height="3.4em")) for _ in derivation.steps]
        self.shown = 1
        self.world.observe(lambda _: self._redraw(), names="value")
        title = widgets.HTMLMath(f"<b>{with_subscripts(derivation.title)}</b>. {with_subscripts(derivation.claim)}")
        self.unanswered, self.buttons, self.questions, self.replies = list(derivation.choices()), {}, {}, {}
        self.place = None if derivation.write is None else derivation.order().index(derivation.write)
        self.gap = None if self.place is None else Gap(derivation, self._redraw)
        below = {self.place: [self.gap]} if self.gap else {}
        for lines in self.unanswered:
            for k in lines:
                self.buttons[k] = _button(f"line {k + 1}", partial(self._choose, k, lines), width="auto")
            question = widgets.HTML(question_about(lines), layout=widgets.Layout(margin="0 8px 0 0"))
            self.buttons[lines] = _button("Show me", partial(self._choose, None, lines), width="auto")
            self.questions[lines] = _bar(question, *(self.buttons[k] for k in (*lines, lines)))
            self.replies[lines] = widgets.HTML()
            below.setdefault(lines[-1], []).extend([self.questions[lines], self.replies[lines]])
        self._redraw()
        bar = _bar(self.back, self.next, self.world, self.about)
        rows = [each for k, row in enumerate(self.rows) for each in [row, *below.get(k, [])]]
        super().__init__([title, bar, *rows], layout=widgets.Layout(**BOX))

    @property
    def waits(self):
        """Whether the line that the reader writes is still hidden."""
        return self.gap is not None and not self.gap.done

    def _move(self, by):
        self.shown = int(np.clip(self.shown + by, 1, self.last))
        self._redraw()

    @property
    def last(self):
        """How many lines may be shown: up to the first that waits for its reader."""
        ends = [len(self.rows), *(lines[-1] + 1 for lines in self.unanswered)]
        return min([*ends, self.place + 1] if self.waits else ends)

    def _redraw(self):
        try:
            lines = self.derivation.displayed(self.world.value)
        except Exception as problem:  # a callback's exception would vanish and leave stale numbers
            for row in self.rows:
                row.value = ""
            self.rows[0].value = f'<div role="alert" style="color:{MISS}">{html.escape(repr(problem))}</div>'
            return
        for place, (row, line) in enumerate(zip(self.rows, lines, strict=True)):
            hidden = f'<span style="color:{SOFT}">{place + 1}. …</span>'
            is_open = any(place in each for each in self.unanswered)
            if self.waits and place == self.place and place < self.shown:
                hidden = hidden.replace(" …</span>", f'</span> <b style="color:{KEPT}">?</b> This line is yours.')
            visible = place < self.shown and not (self.waits and place >= self.place)
            row.value = _line_html(place + 1, line, is_open) if visible else hidden
        self.about.value = html.escape(self.derivation.about(self.world.value))
        self.back.disabled = self.shown == 1
        self.next.disabled = self.shown >= self.last
        if self.gap:
            self.gap.show_if(self.shown > self.place)
        for lines, question in self.questions.items():
            question.layout.display = None if lines in self.unanswered else "none"
            question.layout.visibility = "visible" if self.shown > lines[-1] else "hidden"  # its place is kept
            self.replies[lines].layout.display = "none" if lines in self.unanswered else None
            for k in (*lines, lines):
                self.buttons[k].disabled = self.shown <= lines[-1]

    def _choose(self, k, lines):
        """Say which line holds, and show what the numbers say; without a line the reader has asked for it."""
        if lines not in self.unanswered:  # a second click, sent before the page knew of the first
            return
        self.unanswered.remove(lines)
        self.questions[lines].layout.display = "none"  # before anything else: the page must not offer it again
        order = self.derivation.order()
        (true,) = (each for each in lines if self.derivation.steps[order[each]].printed is None)
        said = f"Line {true + 1} holds" if k in (None, true) else f"✗ Line {k + 1} is false, and line {true + 1} holds"
        said = "✓ " * (k == true) + said
        self.replies[lines].value = _said(f"{said}: compare the numbers.", None if k is None else k == true)
        self._redraw()

    def still(self):
        """All lines; what is asked about one is on it, its answer folded away."""
        lines, choices = self.derivation.displayed(), self.derivation.choices()
        refuted = sum(line.step.printed is not None for line in lines)
        sentence = (f"Derivation “{self.derivation.title}”. {self.derivation.claim} {len(lines) - refuted} lines, each "
                    f"related to the one before as its sign claims, to {self.derivation.tolerance:g}"
                    + (f"; {refuted} false and refuted." if refuted else "."))
        asked, ends = [k for choice in choices for k in choice], {choice[-1]: choice for choice in choices}
        said = [f"<p><b>{with_subscripts(self.derivation.title)}</b>. {with_subscripts(self.derivation.claim)}</p>"]
        fold = lambda question, answer: f"<details><summary>{question}</summary>{answer}</details>"
        for k, line in enumerate(lines):
            shown = _line_html(k + 1, line, k in asked)
            said.append(fold(f"{k + 1}. This line is yours to write. Show it", shown) if k == self.place else shown)
            if choice := ends.get(k):
                answer = "".join(_line_html(each + 1, lines[each]) for each in choice)
                said.append(fold(f"{question_about(choice)} Show the answer", answer))
        return {"text/html": "".join(said), "text/plain": sentence}, {}


class Gap(widgets.VBox):
    """Where the reader writes a line: a field, what it says as a formula, and what is to be said of it.

    `go_on` is called when the line is written, or asked for.
    """

    def __init__(self, derivation, go_on):
        self.derivation, self.go_on, self.done = derivation, go_on, False
        step = derivation.steps[derivation.write]
        kind = {"=": "equal to the line before", "<=": "a bound from above", ">=": "a bound from below"}[step.relation]
        self.field = widgets.Text(placeholder="the next line", continuous_update=False, layout=widgets.Layout(**FIELD))
        self.check, self.show = _button("Check", self._judge), _button("Show it", self._close)
        self.reply = widgets.HTMLMath(layout=widgets.Layout(min_height="3em"))
        self.field.observe(lambda _: self._judge(), names="value")
        texts = [formula(text) for text, _ in derivation.slips]
        used = set().union(*(each.names() for each in [*texts, *(s.formula for s in derivation.steps if s.formula)]))
        used |= {"e_Y"} if "delta" in used else set()  # the residual may be written out
        letters = derivation.letters_at(derivation.write)
        named = [name for name in letters.names() if name in {letters.split(each)[0] for each in used}]
        asked = f"<b>Write the next line</b>, {kind}. {with_subscripts(derivation.ask or step.reason)}"
        asked += _help(derivation, letters, named)
        super().__init__([widgets.HTMLMath(asked), _bar(self.field, self.check, self.show), self.reply])

    def show_if(self, yes):
        """Whether it is there: what is not is not pressed either."""
        self.layout.display = None if yes else "none"
        for each in (self.field, self.check, self.show):
            each.disabled = self.done or not yes

    def _judge(self):
        if self.done:
            return
        if not self.field.value.strip():
            self.reply.value = _said("Type the line above, then press Enter or “Check”.", None)
            return
        judged = judge(self.derivation, self.field.value)
        set_ = f"${html.escape(judged.latex)}$ &nbsp; " if judged.latex else ""
        undecided = judged.kind in ("standstill", "chance", "unreadable")  # neither right nor wrong
        mark = "" if undecided else "✓ " if judged.good else "✗ "
        aside = judged.kind in ("form", "bound")  # true, and whether it leads on is for the reader to see
        words = mark + judged.words + " Bring it nearer, or press “Go on” and compare." * aside
        self.reply.value = set_ + _said(words, None if undecided else judged.good)
        self.show.description = "Go on" if aside else "Show it"
        if judged.good and not aside:
            self._close()

    def _close(self):
        if not self.field.value.strip():
            self.reply.value = ""  # no line is asked for any more
        self.done = True
        self.go_on()


class Playground(WithStill, widgets.VBox):
    """The widget of `play`."""

    def __init__(self, derivation, text):
        self.derivation, self.first = derivation, text
        self.field = widgets.Text(text, tooltip="a formula", continuous_update=False, layout=widgets.Layout(**FIELD))
        self.world, self.about = _world_slider(), widgets.HTML()
        self.shown = widgets.HTMLMath(layout=widgets.Layout(min_height="3.4em"))
        for each in (self.field, self.world):
            each.observe(lambda _: self._redraw(), names="value")
        self._redraw()
        letters = derivation.letters_at(len(derivation.steps) - 1)
        fold = _help(derivation, letters, letters.names())
        head = widgets.HTMLMath(f"<b>Try a formula</b> in the letters of “{html.escape(derivation.title)}”.{fold}")
        super().__init__([head, self.field, _bar(self.world, self.about), self.shown], layout=widgets.Layout(**BOX))

    def _redraw(self):
        self.about.value = html.escape(self.derivation.about(self.world.value))
        try:
            letters = self.derivation.letters_at(len(self.derivation.steps) - 1, self.world.value)
            line = formula(self.field.value)
            value, wanted = line.value(letters), formula(self.first).value(letters)
        except Unreadable as problem:
            self.shown.value = _said(str(problem), False)
            return
        first = f"<code>{html.escape(self.first)}</code>"
        alike = np.shape(value) == np.shape(wanted) and np.allclose(value, wanted, 1e-9, 1e-12)
        beside = f"✓ the same as {first}" if alike else f"{first} is <code>{six_digits(wanted)}</code>"
        beside = "" if self.field.value == self.first else f" &nbsp; {beside}"
        self.shown.value = f"${html.escape(line.latex)}$ &nbsp; = &nbsp; <code>{six_digits(value)}</code>{beside}"

    def still(self):
        """The first formula and its value."""
        title = f"<p><b>Try a formula</b> in the letters of “{html.escape(self.derivation.title)}”.</p>"
        said = f"<div {FORMULAS}>{title}<p><code>{html.escape(self.field.value)}</code></p>{self.shown.value}</div>"
        return {"text/html": said, "text/plain": f"A field for formulas, such as {self.field.value}"}, {}


def _button(text, act, width="90px"):
    button = widgets.Button(description=text, layout=widgets.Layout(width=width))
    button.on_click(lambda _: act())
    return button


def _bar(*inside):
    return widgets.HBox(inside, layout=widgets.Layout(flex_flow="row wrap"))


def _world_slider():
    return widgets.IntSlider(value=0, min=0, max=20, description="world", layout=widgets.Layout(width="260px"))


def _help(derivation, letters, names):
    """Letters, and how formulas are typed, folded away."""
    rules = letters.defined
    called = lambda name: callable(letters.known.get(name)) or name in rules and rules[name].parameters
    named = ", ".join(f"<code>{name}{'( … )' if called(name) else ''}</code> ${letter(name)}$" for name in names)
    first = derivation.steps[0]  # in no choice, so that its text gives nothing away
    example = f" Line 1 is typed <code>{html.escape(first.text.replace('**', '^'))}</code>." if first.formula else ""
    sets = ", ".join(f"<code>{name}</code>" for name in letters.sets)
    return (
        f"<details><summary>Letters and how to type</summary><div style='line-height:1.6'>Letters: {named}"
        + (f"; sets that an index runs over: {sets}" if sets else "")
        + ". A prime is an independent copy: <code>p'</code>. Means: <code>E(x)</code>, <code>E(x, given=c)</code>, "
        "<code>Var(x)</code>, <code>P(Y == 1)</code>. Vectors: <code>inner(a, b)</code>, <code>norm2(a)</code> for "
        "‖a‖², <code>norm(a)</code>, <code>outer(a, b)</code>, an entry <code>p[0]</code>. Matrices: "
        "<code>A @ B</code>, <code>A.T</code>, <code>inv(A)</code>, <code>tr(A)</code>. Sums: "
        "<code>sum(x[i, j] for i in SET for j in SET if i != j)</code>, and <code>mean</code> and <code>count</code> "
        f"alike. Powers: <code>x^2</code>; write <code>*</code> between factors.{example}</div></details>")


def _said(words, right):
    """A reply: blue if it is right, red if it is wrong, and else in ink."""
    colour = INK if right is None else KEPT if right else MISS
    return f'<b role="status" style="color:{colour}">{html.escape(words)}</b>'


def _line_html(place, line, is_open=False):
    """A line; while the reader is asked about it, its formula alone."""
    said = f'<b style="color:{KEPT}">?</b>'
    if not is_open:
        mark, words = verdict(line)
        said = (f"<code>{six_digits(line.value)}</code> "
                f'<span style="color:{COLOUR[mark]};font-weight:600">{html.escape(words)}</span>'
                f'<div style="color:{SOFT};margin-left:1.6em">{with_subscripts(line.step.reason)}</div>'
                f"<div style='margin-left:1.6em'>{folded(line.step.code)}</div>")
    return (f'<div style="line-height:1.5"><span style="color:{SOFT}">{place}.</span> &nbsp;'
            f"${html.escape(sign(line) + line.step.latex)}$ &nbsp;&nbsp;{said}</div>")
