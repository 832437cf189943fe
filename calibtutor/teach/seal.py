"""Copies of the package that do not show the exercises' answers: for students, and for judging what they answer.

**What sealing is worth.** The package is open source: whoever installs the public one, or reads it on the web, has
every reference, and the reference must run in the student's copy too, where it stands in while an answer is blank.
So a sealed copy packs its exercises away (compressed, and written in letters): the answer is not on the screen, in
``check.<name>.reference``, a traceback, ``??``, `inspect` (which find a source only after the key opened it) or a
search through the folder, and ``check.<name>.solution()`` asks for the teacher's key. That keeps solutions from a
glance and from a click, and not from somebody who wants them: unpacking takes two lines. The key is compared with a
hash that stands in the copy; it opens what is there anyway and encrypts nothing.

**What is worth more.** A teacher's variant of an exercise (handout.py, ``--variants``) is not in the student's copy at
all, neither its answer nor its likely mistakes: the copy says “noted”, and the teacher's machine judges it. And marks
are given by judging answers again (grade.py), on inputs that nobody has seen.
"""

import base64
import hashlib
import hmac
import linecache
import secrets
import shutil
import zlib
from pathlib import Path

from .exercise import Checks, Reply, Used

__all__ = ["Kept", "Locked", "copy_for_judging", "copy_for_students", "lock", "locked", "unpack"]

PACKAGE = Path(__file__).resolve().parents[1]
LESSONS = "lessons"
TEACHERS = ("handout.py", "grade.py", "sheet.py", "open_questions.py")  # rooms that a student's copy does not have
SEALED = '''\
"""Exercises of a student's copy, packed away: calibtutor/teach/seal.py says what for, and what that is worth."""

from ...teach.seal import locked, unpack

exec(unpack(__name__, """
{packed}
"""))
check = locked(check, {lock!r}, {kept!r})
'''
ABSENT = '''\
"""A lesson where answers are judged: without its exercises, for an answer has no need of them."""


class _Exercise:
    """What stands for an exercise: it hands a function on, and knows nothing."""

    def __call__(self, *answer, **named):
        return None

    def use(self, answer=None):
        return answer


class _Part:
    def __getattr__(self, name):
        return _Exercise()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Part()
'''
_packed = {}  # what `unpack` was given, for a key: its name in a traceback -> it


class Locked:
    """An exercise in a student's copy: it replies as ever, and shows its solution for the teacher's key.

    Parameters
    ----------
    exercise : Exercise
    lock : str or None
        What `lock` made of the key; None opens to no key.
    """

    def __init__(self, exercise, lock):
        self.name, self.__exercise, self.__lock = exercise.name, exercise, lock

    def __call__(self, answer=None):
        """Check an answer; see Exercise."""
        return self.__exercise(answer)

    def use(self, answer=None):
        """The function to go on with; see Exercise."""
        return self.__exercise.use(answer)

    def hint(self):
        """A nudge."""
        return self.__exercise.hint()

    def solution(self, key=None):
        """The answer and why, for the teacher's key."""
        if self.__lock is None:
            return Reply("told", f"{self.name}: this copy shows no solutions.")
        if key is None:
            return Reply("told", f"{self.name}: this copy asks for the teacher's key: check.{self.name}.solution(key).")
        if not _opens(key, self.__lock):
            return Reply("told", f"{self.name}: that is not the key.")
        for name, packed in _packed.items():  # from now on `inspect` finds the sources
            text = _text(packed)
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        return self.__exercise.solution()

    @property
    def status(self):
        """ "right", "wrong" or "blank"."""
        return self.__exercise.status

    @property
    def tries(self):
        """How many answers were checked."""
        return self.__exercise.tries


class Kept:
    """A teacher's variant in a student's copy, which holds no answer: it notes one, and says nothing about it."""

    def __init__(self, exercise):
        self.name, self.__exercise = exercise.name, exercise
        self.status, self.tries = "blank", 0

    def __call__(self, answer=None):
        """Note an answer."""
        reply = self.__exercise(answer)
        if reply.status == "blank":
            return reply
        self.tries += 1
        return Reply("told", f"{self.name}: noted. It is your teacher's own question, judged when you hand it in.")

    def use(self, answer=None):
        """The student's function, unjudged; while it is blank the course's own stands in."""
        used = self.__exercise.use(answer)
        return used if used.is_blank else Used(self.name, used.function, "right")

    def hint(self):
        """None: the course's hint belongs to another question."""
        return self.solution()

    def solution(self, key=None):
        """None: it is not in this copy, so no key opens it."""
        return Reply("told", f"{self.name}: it is your teacher's own question; this copy holds no answer.")


def lock(key):
    """What a copy holds in place of a key: salt and hash."""
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_hash(key, salt).hex()}"


def locked(check, lock, kept=()):
    """The exercises of a lesson as a student's copy shows them.

    Parameters
    ----------
    check : Checks
    lock : str or None
    kept : sequence of str
        Names of those that the teacher judges.

    Returns
    -------
    Checks
    """
    return Checks([Kept(each) if each.name in kept else Locked(each, lock) for each in check])


def unpack(module, packed):
    """The code of a packed module, compiled under a name of its own: no file's lines are taken for its source."""
    name = f"<{module}, unpacked>"
    _packed[name] = packed
    return compile(_text(packed), name, "exec")


def _text(packed):
    return zlib.decompress(base64.b85decode("".join(packed.split()))).decode()


def copy_for_students(folder, lock=None, kept=()):
    """Write the package with its exercises packed away.

    Parameters
    ----------
    folder : Path
        In which a folder calibtutor is made.
    lock : str, optional
        What `lock` made of the key; without it no key opens the copy.
    kept : sequence of str
        Variants, as "lesson.name".
    """
    for path in _copy(folder):
        own = [name.split(".")[1] for name in kept if name.split(".")[0] == path.parent.name]
        packed = base64.b85encode(zlib.compress(path.read_bytes(), 9)).decode()
        lines = "\n".join(packed[i : i + 110] for i in range(0, len(packed), 110))
        text = SEALED.format(packed=lines, lock=lock, kept=tuple(own))
        path.write_text(text, encoding="utf-8")


def copy_for_judging(folder):
    """Write the package without its exercises, as what a student's answer may use."""
    for path in _copy(folder):
        path.unlink()
        (path.parent / "__init__.py").write_text(ABSENT, encoding="utf-8")
    (path.parents[1] / "__init__.py").write_text('"""Lessons without exercises."""\n', encoding="utf-8")


def _copy(folder):
    """Copy the package without the teacher's rooms; return the paths of its exercises."""
    without = shutil.ignore_patterns("__pycache__", *TEACHERS)
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=without)
    return sorted((folder / PACKAGE.name / LESSONS).glob("*/exercises.py"))


def _hash(key, salt):
    return hashlib.scrypt(key.encode(), salt=salt, n=2**14, r=8, p=1)


def _opens(key, lock):
    salt, wanted = (bytes.fromhex(part) for part in lock.split("$"))
    return isinstance(key, str) and hmac.compare_digest(_hash(key, salt), wanted)
