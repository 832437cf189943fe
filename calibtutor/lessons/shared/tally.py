"""What a player has answered."""

class Tally:
    """The first answer of each turn of a game whose one button shows the answer, and then the next turn.

    `right` gives the right answer of a turn; turns are counted from 0.
    """

    def __init__(self, right):
        self._right, self.answers, self._clicks = right, {}, 0

    def note(self, clicks, answer):
        """Take the answer that stands after so many clicks, None if there is none; who jumps between turns starts anew."""
        if clicks - self._clicks not in (0, 1):
            self.answers = {}
        self._clicks = clicks
        if clicks % 2 and answer is not None:
            self.answers.setdefault(clicks // 2, answer)

    def right(self):
        """How many answers are right, of how many."""
        return sum(self._right(turn) == answer for turn, answer in self.answers.items()), len(self.answers)
