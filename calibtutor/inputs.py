"""What is wrong with an argument, in fields that a program can use and words that a person can."""

__all__ = ["InputError"]


class InputError(ValueError):
    """An argument is not what it must be: which one, in which row, what was found, what was expected and what to do.

    Parameters
    ----------
    argument : str
        The argument's name, or a part of it: ``y_prob``, ``table['age']``, ``y_true and y_prob``.
    expected : str
        What it must be, as it stands after "expected".
    found : object
        What it is instead; its text is shown.
    row : int, optional
        The first row where it is so, counted from 0.
    hint : str
        What to do about it.

    Attributes
    ----------
    argument, expected, found, hint : str
        As above.
    row : int or None
        As above.

    Notes
    -----
    ``str(error)`` puts the fields into one sentence. Nobody should take that apart: a program that calls things by
    other names than Python does (options of a command, fields of a page) shows ``error.of(name)`` or the fields.

    Examples
    --------
    >>> import calibtutor
    >>> try:
    ...     calibtutor.brier_score([0, 1, 1], [0.2, float("nan"), 0.7])
    ... except calibtutor.InputError as error:
    ...     print(error, error.row, error.of("column p"), sep="\\n")
    y_prob: row 1 is nan, expected finite numbers; leave such rows out
    1
    column p: row 1 is nan, expected finite numbers; leave such rows out
    """

    def __init__(self, argument, expected="", *, found="", row=None, hint=""):
        super().__init__(argument, expected)  # what pickle calls it with; the rest goes by the attributes
        self.argument, self.expected, self.found, self.hint = argument, expected, str(found), hint
        self.row = None if row is None else int(row)

    def __str__(self):
        expected = self.expected and f"expected {self.expected}"
        if self.row is None:
            clauses = [expected, self.found and f"got {self.found}"]
        else:
            clauses = [f"row {self.row} is {self.found}" if self.found else f"row {self.row}", expected]
        return f"{self.argument}: " + "; ".join(filter(None, [", ".join(filter(None, clauses)), self.hint]))

    def of(self, argument):
        """The same error of an argument of another name.

        Parameters
        ----------
        argument : str
            The name.

        Returns
        -------
        InputError
            A new one.
        """
        return type(self)(argument, self.expected, found=self.found, row=self.row, hint=self.hint)
