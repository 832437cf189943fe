"""Arguments as they come in: the error that says what is wrong with one, and the checks that raise it."""

from contextlib import contextmanager
from functools import wraps
from inspect import isfunction, signature
from numbers import Real

import numpy as np

BY_ROWS = "y_true y y_prob X features groups weights sample_weight cluster time log_prob entropy".split()


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

    Notes
    -----
    Fields have the names above. ``str(error)`` is one sentence of them, which nobody should take apart: a program that
    calls things by other names (options of a command, fields of a page) shows ``error.of(name)`` or the fields.

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


@contextmanager
def naming(argument, instead_of=None):
    """An InputError of what is called inside is one of this argument, or, also in its hint, where it says another."""
    try:
        yield
    except InputError as error:
        named = error.of(error.argument.replace(instead_of or error.argument, argument))
        named.hint = error.hint.replace(instead_of, argument) if instead_of else error.hint
        raise named from None


def reject(wrong, rows, name, expected, hint=""):
    """Refuse the first row that is wrong."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(name, expected, found=shown_row(rows[row]), row=row, hint=hint)


def shown_row(row):
    """A row for a message: its number, or the first and last of them."""
    return str(row[0]) if row.shape == (1,) else np.array2string(row, precision=4, threshold=8)


def check_count(value, name, least=1):
    """Refuse what is not a whole number of at least `least`; True is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(name, f"a whole number of at least {least}", found=repr(value))


def check_number(value, name, least=0, most=np.inf, *, above=-np.inf, below=np.inf):
    """A finite number from `least` to `most`, and strictly between `above` and `below`, as float; True is none."""
    if isinstance(value, Real) and not isinstance(value, bool) and least <= value <= most and above < value < below:
        return float(value)
    if min(most, below) < np.inf:
        ends = f"({above:g}" if above >= least else f"[{least:g}", f"{below:g})" if below <= most else f"{most:g}]"
        wanted = f"a number in {', '.join(ends)}"
    else:
        wanted = "a positive finite number" if above == 0 else f"a finite number of at least {least:g}"
    raise InputError(name, wanted, found=repr(value))


def check_rng(rng):
    """A Generator: the one that is given, or a new one of a seed; None takes the system's."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError("rng", "a whole number of at least 0, a Generator or None", found=repr(rng)) from None


def check_choice(value, name, choices):
    """Refuse what is none of the choices."""
    if value not in choices:
        raise InputError(name, f"one of {', '.join(map(repr, choices))}", found=repr(value))


def check_kernel(kernel, name):
    """Refuse what cannot be called."""
    if not callable(kernel):
        raise InputError(name, "a callable k(X, Y=None) -> matrix", found=repr(kernel))
    if getattr(kernel, "__module__", "") == "calibtutor.kernels.families" and isfunction(kernel):  # it makes a kernel
        made = kernel.__name__
        hint = f"give it a bandwidth: {made}(bandwidth=0.5), or that of median_bandwidth(p)"
        raise InputError(name, "a kernel", found=f"the function {made}, which makes one", hint=hint)


def refuse_beside(other, **given):
    """Refuse arguments that are not None beside another that takes none of them."""
    for name, value in given.items():
        if value is not None:
            raise InputError(name, f"none beside {other}", found="one", hint="leave it out")


def check_rows(one, other, n_one, n_other, name="y_true", other_name="y_prob"):
    """As many rows of the one as of the other, and the same ones where both say which."""
    if n_one != n_other:
        raise InputError(f"{name} and {other_name}", "equal lengths", found=f"{n_one} and {n_other} rows")
    check_index(one, other, name, other_name)


def same_rows(function):
    """Decorator: of arguments that go by rows all that have an index have the same one."""
    names = list(signature(function).parameters)

    @wraps(function)
    def checked(*args, **kwargs):
        given = dict(zip(names, args, strict=False)) | kwargs
        have = [name for name in BY_ROWS if hasattr(given.get(name), "iloc")]
        for name in have[1:]:
            check_index(given[have[0]], given[name], have[0], name)
        return function(*args, **kwargs)

    return checked


def check_index(one, other, name, other_name):
    """The same rows in the same order, where both say which; other lengths are refused elsewhere."""
    if not (hasattr(one, "iloc") and hasattr(other, "iloc")) or len(one) != len(other):
        return  # without an index the order counts
    if one.index.equals(other.index):  # which takes two missing ones for equal
        return
    same = np.asarray(one.index.astype(object) == other.index.astype(object))
    if not same.all():
        row = int(np.argmin(same))
        found = f"{one.index[row]} and {other.index[row]}"
        hint = f"align them first ({other_name}.loc[{name}.index])"
        hint += f", or pass {name}.to_numpy() if the rows belong together as they stand"
        raise InputError(f"{name} and {other_name}", "equal indexes", found=found, row=row, hint=hint)
