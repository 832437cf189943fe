"""The other end of a grader's pipe: runs a student's code and says what it answers. It knows no right answer.

Its text is run by ``python -c`` in a process of its own (see grade.py). What it sends is not believed: numbers and
words only, which the grader compares. So there is nothing to gain by sending something else.

A message is one letter, eight bytes for its length, and its content.
"""

import builtins
import json
import os
import pickle
import struct

HEAD = struct.Struct("<cQ")


def main():
    """Read the task, run the code, answer until the pipe closes."""
    # The pipe is ours alone: what the code prints goes nowhere.
    take, give = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(nowhere, each)
    task = pickle.loads(_read(take)[1])
    _limit(task["megabytes"], task["seconds"])
    place = {"__name__": "__main__", "__builtins__": builtins}
    try:
        exec(compile(task["code"], "<cells>", "exec"), place)
        answer = eval(compile(task["value"], "<check>", "eval"), place)
    except BaseException as error:  # sys.exit too: it is what the answer does
        return _write(give, b"X", _words(error))
    _say(give, answer)
    while message := _read(take):
        arguments = [_Asked(each[1], take, give) if _is_asked(each) else each for each in pickle.loads(message[1])]
        try:
            outcome = answer(*arguments)
        except BaseException as error:
            _write(give, b"X", _words(error))
        else:
            _say(give, outcome)


class _Asked:
    """A function among the arguments: it stays with the grader, who is asked for its values."""

    def __init__(self, number, take, give):
        self.number, self.take, self.give = number, take, give

    def __call__(self, *arguments):
        _write(self.give, b"Q", struct.pack("<BB", self.number, len(arguments)))
        for each in arguments:
            _say(self.give, each)
        return pickle.loads(_read(self.take)[1])


def _is_asked(value):
    return isinstance(value, tuple) and len(value) == 2 and value[0] == "ask the grader"


def _limit(megabytes, seconds):
    try:
        import resource
    except ImportError:  # Windows has no such limits; the clock of the grader works there too
        return
    limits = {resource.RLIMIT_AS: megabytes << 20, resource.RLIMIT_CPU: seconds + 1, resource.RLIMIT_FSIZE: 50 << 20}
    limits |= {resource.RLIMIT_CORE: 0, resource.RLIMIT_NPROC: 0}  # no answer needs another process; root is not bound
    for which, most in limits.items():
        try:
            resource.setrlimit(which, (most, most))
        except (ValueError, OSError):  # macOS refuses some
            pass


def _say(give, value):
    """A value as numbers, a word, nothing, or the name of what it is."""
    if value is None or value is ...:
        return _write(give, b"N")
    if isinstance(value, str):
        return _write(give, b"T", value.encode("utf-8", "replace"))
    if callable(value):
        return _write(give, b"F")
    try:
        if isinstance(value, int | float):  # most answers: NumPy takes longer to import than all the rest
            return _write(give, b"A", b"[]\n" + struct.pack("<d", value))
        import numpy as np

        numbers = np.asarray(value)
        if np.iscomplexobj(numbers):
            return _write(give, b"O", b"complex")
        numbers = np.ascontiguousarray(numbers, dtype="<f8").reshape(numbers.shape)
        return _write(give, b"A", json.dumps(numbers.shape).encode() + b"\n" + numbers.tobytes())
    except BaseException:  # a word in a list, rows of unequal length, what does not fit into memory
        return _write(give, b"O", type(value).__name__.encode("utf-8", "replace"))


def _words(error):
    try:
        return f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace")
    except BaseException:  # an exception whose own text fails
        return b"Exception"


def _write(give, letter, content=b""):
    give.write(HEAD.pack(letter, len(content)) + content)
    give.flush()


def _read(take):
    head = take.read(HEAD.size)
    return (head[:1], take.read(HEAD.unpack(head)[1])) if head else None


if __name__ == "__main__":
    main()
