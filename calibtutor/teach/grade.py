"""Judge handed-in notebooks: ``python -m calibtutor handout OUT --grade FOLDER``.

FOLDER holds the notebooks as students handed them in, in folders of their own (``anna/01_notions.ipynb``) or with
their names beside the lesson's (``anna_01_notions.ipynb``). Written are, each whole or not at all,

    OUT/grades.csv    a row for each file: file, student, lesson, right, wrong, blank, missing, of, remarks
    OUT/answers.csv   a row for each exercise: file, student, lesson, exercise, status, remark
    OUT/students.csv  a row for each student: student, right, of, percent, remarks

``--only 00 02.redraw_labels`` counts all exercises of 00 and this one of 02; without it every one that was handed out
counts. A student's *right* and *of* are sums over all lessons that count: one that was not handed in earns 0, and one
that was handed in twice earns what is right in either file. Remarks say so.

*missing*: no cell answers it, or the file cannot be read. How often somebody tried cannot be known from a notebook, so
no column says it. Remarks give the reply that the answer earned, and “look: uses os” where an answer uses what none has
need of. The exit code is 0 if every file was judged and has a student, 1 if the tables hold a file that could not be
judged or whose student is a guess or unknown (its remark says so), and 2 if the command was wrong. Capital letters
make no other student; who handed in nothing has no row.

**How an answer is judged.** Nothing that a notebook stored or computed counts, neither outputs nor statuses. From its
cells the code of each answer is taken (submission.py) and run in a process of its own, with limits of time and
memory, beside a copy of the package that has no exercises (seal.py). That process never says whether an answer is
right: it sends numbers and words, which are compared here, where no student's code ever runs, on the inputs that the
notebook uses and then on others that are drawn anew for each run. So statuses set by hand, another `check`, a changed
Exercise, a printed ✓ and a table of remembered outputs earn nothing; an endless answer, one that ends its process or
that fills the memory is wrong, and the next one is not touched by it.

**What it cannot do.** Who copies a solution from the public package, a book or a neighbour has it right: use
variants. The process runs under your account: files and the network are not closed to it, and a determined student's
code could read what you can read. Run it in a container or an account of its own when you grade people you do not
trust, and not as root, whom some limits do not bind. Limits of memory were tried on
Linux; Windows has none, only the clock, and macOS may not keep them.
"""

import contextlib
import csv
import json
import os
import pickle
import queue
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from . import answering
from .seal import copy_for_judging
from .submission import answers, code_cells

__all__ = ["TABLES", "Judged", "folded", "grade", "judge", "students"]

MOST = 64 * 2**20  # bytes of an answer's message
CODE = Path(answering.__file__).read_text(encoding="utf-8")
REMARK = 400
COLUMNS = ["file", "student", "lesson", "right", "wrong", "blank", "missing", "of", "remarks"]
DETAILS = ["file", "student", "lesson", "exercise", "status", "remark"]
TOTALS = ["student", "right", "of", "percent", "remarks"]
TABLES = ("grades.csv", "answers.csv", "students.csv")
COPY = re.compile(r" ?\(\d+\)| ?- ?Copy\d*(?![a-z])")  # what browsers, Jupyter and Windows add to a name that is taken
TOO_LONG = "it took longer than"
MOODLE = re.compile(r"(.+?)_\d+_assignsubmission_")  # its folders of submissions
NAMING = "name it anna_00_start_here.ipynb, or put it into a folder anna"


@dataclass(frozen=True)
class Judged:
    """What became of a file that was handed in.

    Attributes
    ----------
    file, student, lesson : str
        Which file, whose, and of which notebook.
    statuses : dict
        Name of an exercise -> (status, remark).
    remark : str
        Why it could not be judged, or that its student is a guess or unknown.
    """

    file: str
    student: str
    lesson: str
    statuses: dict
    remark: str = ""

    def row(self):
        """Its row in the table of files.

        Returns
        -------
        list
            In the order of the columns of grades.csv.
        """
        counts = {
            s: sum(s == each for each, _ in self.statuses.values()) for s in ("right", "wrong", "blank", "missing")
        }
        said = [self.remark or "none of its exercises count"] if self.remark or not self.statuses else []
        look = "look: ", TOO_LONG
        said += [f"{name}: {why}" for name, (_, why) in self.statuses.items() if any(each in why for each in look)]
        return [self.file, self.student, self.lesson, *counts.values(), len(self.statuses), "; ".join(said)]

    def rows(self):
        """Its rows in the table of exercises.

        Returns
        -------
        list of list
            In the order of the columns of answers.csv.
        """
        return [[self.file, self.student, self.lesson, name, *each] for name, each in self.statuses.items()]


def grade(folder, out, lessons, exercises, *, only=None, seconds=20, megabytes=2048, jobs=1, seed=None, say=print):
    """Judge all files of a folder and write the tables.

    Parameters
    ----------
    folder, out : Path
        Where the submissions are, and where the tables go.
    lessons : dict
        Name of a notebook's file, without its ending -> {exercise: id of its cell}, as handed out.
    exercises : dict
        The same names -> {exercise: Exercise}.
    only : dict, optional
        The same names -> exercises that count; all when not given.
    seconds, megabytes : int
        Limits of one answer: its time by the clock, imports included; its memory.
    jobs : int, default 1
        Notebooks judged at the same time.
    seed : int, optional
        Of the inputs besides those of the notebook. Drawn when not given.
    say : callable
        Told a line for each file.

    Returns
    -------
    list of Judged
        One for each file.
    """
    seed = secrets.randbits(64) if seed is None else seed
    paths = sorted(_handed_in(folder))
    counted = {name: [each for each in asked if only is None or each in only[name]] for name, asked in lessons.items()}
    limits = {"seconds": seconds, "megabytes": megabytes, "seed": seed}

    def one(path):
        start = time.perf_counter()
        found = _file(path, folder, lessons, counted, exercises, **limits)
        row = dict(zip(COLUMNS, found.row(), strict=True))
        took = f"{time.perf_counter() - start:.1f} s"
        say(f"{found.file}: {row['right']} of {row['of']} right, {took} {found.remark}".rstrip())
        return found

    with ThreadPoolExecutor(jobs) as pool:
        judged = list(pool.map(one, paths))
    _write(out / "answers.csv", DETAILS, [row for each in judged for row in each.rows()])
    _write(out / "students.csv", TOTALS, students(judged, counted))
    _write(out / "grades.csv", COLUMNS, [each.row() for each in judged])
    return judged


def students(judged, counted):
    """The rows of the table of students.

    Parameters
    ----------
    judged : list of Judged
        What became of each file.
    counted : dict
        Name of a notebook's file -> exercises that count.

    Returns
    -------
    list of list
        In the order of the columns of students.csv; files without a student's name have one row, without numbers.
    """
    of, rows = sum(map(len, counted.values())), []
    spelt = {folded(each.student): each.student for each in judged}
    for same, student in sorted(spelt.items()):
        own = [each for each in judged if folded(each.student) == same]
        said = [f"{each.file}: {remarks}" for each in own if (remarks := each.row()[-1])]
        if not student:
            rows.append(["", "", "", "", "; ".join(said)])
            continue
        files = {lesson: [e.file for e in own if e.lesson == lesson] for lesson, names in counted.items() if names}
        absent = [lesson for lesson, found in files.items() if not found]
        twice = {lesson: ", ".join(found) for lesson, found in files.items() if len(found) > 1}
        more = [f"{name} in more than one file, what is right in any counts: {each}" for name, each in twice.items()]
        said = [f"not handed in: {', '.join(absent)}"] * bool(absent) + more + said
        right = len({(e.lesson, name) for e in own for name, (status, _) in e.statuses.items() if status == "right"})
        rows.append([student, right, of, round(100 * right / of, 1) if of else "", "; ".join(said)])
    return rows


def folded(student):
    """What spellings of a name have in common: Dora Klein, dora_klein.

    Parameters
    ----------
    student : str
        A name.

    Returns
    -------
    str
        Its letters and digits in lower case, each run of anything else as a space; a name that has none as it is.
    """
    return re.sub(r"[\W_]+", " ", student.casefold()).strip() or student.casefold()


def judge(exercise, answer, folder, *, seconds=20, megabytes=2048, seed=1):
    """Judge one answer.

    Parameters
    ----------
    exercise : Exercise
        What was asked.
    answer : Answer
        What was handed in.
    folder : Path
        With the package as `copy_for_judging` writes it. The answer runs there.
    seconds, megabytes : int
        Its limits.
    seed : int
        Of the second set of inputs.

    Returns
    -------
    (str, str)
        "right", "wrong" or "blank", and a remark.
    """
    if answer.problem:
        return "wrong", answer.problem
    look = f"look: uses {', '.join(answer.reaches)}" if answer.reaches else ""
    with _Process(answer, folder, seconds, megabytes) as process:
        try:
            value, seen = process.receive(), ""
            if value is None:
                return "blank", ""
            for each in (0, seed):
                reply = exercise.judge(value, each)
                if process.over or reply.status != "right":
                    break
                seen = "look: right on the notebook's own inputs only. "
        except Exception as error:  # what its code raised, or what was sent cannot be read
            return "wrong", _together(look, process.over or f"its code raised {type(error).__name__}: {error}")
    if process.over:
        return "wrong", _together(look, process.over)
    if reply.status == "right":
        return "right", look
    return reply.status, "" if reply.status == "blank" else _together(look, seen + reply.text)


class _Process:
    """The process in which a student's code runs, and the pipe to it."""

    def __init__(self, answer, folder, seconds, megabytes):
        self.over, self.seconds, self.until = "", seconds, time.monotonic() + seconds
        self.task = {"code": answer.code, "value": answer.value, "megabytes": megabytes, "seconds": seconds}
        self.folder, self.messages = folder, queue.Queue(4)

    def __enter__(self):
        # -E and -s: none of the grader's Python settings; nothing of the environment that could tell or be spoilt.
        self.process = subprocess.Popen(
            [sys.executable, "-E", "-s", "-c", CODE], cwd=self.folder, env=_environment(self.folder),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        # Read in a thread: a process that outlives ours could hold the pipe open for ever, and the clock must not wait.
        threading.Thread(target=self._listen, daemon=True).start()
        self.send(self.task)
        return self

    def __exit__(self, *error):
        with contextlib.suppress(psutil.Error):
            for each in psutil.Process(self.process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    each.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _listen(self):
        with contextlib.suppress(queue.Full), self.process.stdout as pipe:  # full: more than was asked, until the end
            while len(head := pipe.read(answering.HEAD.size)) == answering.HEAD.size:
                letter, size = answering.HEAD.unpack(head)
                if size > MOST:
                    return self._put(b"L")
                self._put(letter, pipe.read(size))
            self._put(b"E")

    def _put(self, letter, content=b""):
        self.messages.put((letter, content), timeout=max(0, self.until - time.monotonic()))

    def send(self, value):
        content = pickle.dumps(value)
        try:
            self.process.stdin.write(answering.HEAD.pack(b"P", len(content)) + content)
            self.process.stdin.flush()
        except OSError:  # it has ended; the next message says so
            pass

    def receive(self):
        """What it answers: None, a word, numbers, or the function that asks it."""
        return self._value(*self._message())

    def _value(self, letter, content):
        if letter == b"N":
            return None
        if letter == b"T":
            return content.decode("utf-8", "replace")
        if letter == b"A":
            shape, _, numbers = content.partition(b"\n")
            return np.frombuffer(numbers, "<f8").reshape(json.loads(shape))
        if letter == b"F":
            return self.call
        if letter == b"O":
            return type(_name(content), (), {})()
        if letter == b"X":
            name, _, text = content.decode("utf-8", "replace").partition(": ")
            raise type(_name(name), (Exception,), {})(text)
        raise ValueError("what it sent cannot be read")

    def call(self, *arguments):
        """The student's function."""
        functions = [each for each in arguments if callable(each)]
        self.send([("ask the grader", functions.index(each)) if callable(each) else each for each in arguments])
        while True:
            letter, content = self._message()
            if letter != b"Q":
                return self._value(letter, content)
            asked, given = content
            self.send(functions[asked](*(self.receive() for _ in range(given))))

    def _message(self):
        try:
            letter, content = self.messages.get(timeout=max(0, self.until - time.monotonic()))
        except queue.Empty:
            letter, self.over = b"E", f"{TOO_LONG} {self.seconds} s"
        if letter in (b"E", b"L"):
            self.over = self.over or ("its process ended before it answered" if letter == b"E" else "it is too large")
            raise RuntimeError(self.over)
        return letter, content


def _name(text):
    """A type's name, from a process that may send anything."""
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return text if text.isidentifier() and len(text) < 60 else "object"


def _environment(folder):
    passed = ("PATH", "SYSTEMROOT", "CALIBTUTOR_DATA_DIR", "LD_LIBRARY_PATH")
    one = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    own = {name: str(folder) for name in ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "MPLCONFIGDIR")}
    return {name: os.environ[name] for name in passed if name in os.environ} | one | own


def _handed_in(folder):
    """The notebooks, and what was handed in without one: a folder or a file of another kind."""
    for entry in folder.iterdir():
        if not entry.name.startswith("."):
            inside = [entry] if entry.is_symlink() or not entry.is_dir() else entry.rglob("*.ipynb")
            visible = [p for p in inside if not any(part[0] == "." for part in p.relative_to(folder).parts)]
            yield from visible or [entry]


def _file(path, folder, lessons, counted, exercises, **limits):
    """Judge a file; whatever is in it, it costs its own row only."""
    lesson, reason, doubt = _named(path, lessons), "", ""
    try:
        if path.is_symlink():
            raise ValueError("a link to somewhere else; it was not followed")
        if path.is_dir():
            raise ValueError("no notebook in this folder")
        if path.suffix == ".zip":
            raise ValueError("an archive; unpack it")
        cells = code_cells(path)
        checked = _checked(cells, lessons)
        held = lesson if checked.get(lesson) else max(checked, key=checked.get)
        if checked[held] and lesson and held != lesson:
            doubt = f"its name says {lesson}, its cells check exercises of {held}"
        lesson = held if checked[held] else lesson
        if not lesson:
            raise ValueError("neither its name nor its cells are those of a lesson that was handed out")
        asked = {name: lessons[lesson][name] for name in counted[lesson]}
        statuses = _statuses(cells, asked, exercises[lesson], limits)
        if statuses and {status for status, _ in statuses.values()} == {"missing"}:
            doubt = _together(doubt, "none of its cells answers an exercise that counts")
    except (ValueError, OSError) as error:
        reason = str(error)
    except Exception as error:
        reason = f"not judged: {type(error).__name__}: {error}"
    if reason:  # it earns nothing of its lesson
        statuses = {name: ("missing", reason) for name in counted.get(lesson, ())}
    student, guess = _student(path, folder, lessons, lesson)
    return Judged(path.relative_to(folder).as_posix(), student, lesson, statuses, _together(reason, doubt, guess))


def _statuses(cells, asked, exercises, limits):
    statuses = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        copy_for_judging(Path(place))
        for name, given in answers(cells, asked).items():
            statuses[name] = "missing", "no cell answers it"
            for answer in reversed(given):  # the last one that is not blank
                status, remark = judge(exercises[name], answer, Path(place), **limits)
                statuses[name] = status, remark
                if status != "blank":
                    break
    return statuses


def _its_name(lesson):
    """A lesson's name as students write it, as a pattern."""
    return re.compile(Path(lesson).name.replace("_", "[-_ ]"), flags=re.I)


def _named(path, lessons):
    """The notebook whose name the file's holds, or nothing."""
    return next((lesson for lesson in lessons if _its_name(lesson).search(path.name)), "")


def _checked(cells, lessons):
    """{notebook: how many of its exercises these cells check}."""
    source = "\n".join(text for _, text in cells)
    return {lesson: sum(f"check.{name}(" in source for name in names) for lesson, names in lessons.items()}


def _around(stem, lesson):
    """What stands before and behind the lesson in a file's name, and whether its name does or its number (carl_00)."""
    number = rf"(?<!\d){Path(lesson).name.partition('_')[0]}(?!\d)"
    whole = _its_name(lesson).search(stem) if lesson else None
    at = whole or (re.search(number, stem) if lesson else None)
    parts = (stem[: at.start()], stem[at.end() :]) if at else (stem,)
    names = [re.sub(r"^[-_. ]+|[-_. ]+$", "", COPY.sub("", part)) for part in parts]
    return [name for name in names if name], "name" if whole else "number" if at else ""


def _student(path, folder, lessons, lesson):
    """Whose it is: what stands beside the lesson in the file's name, else the first folder; and what to doubt about it.

    A folder with all words of the file's name, and one that Moodle made, is a student's.
    """
    ours = {"student", "notebooks", *(part for each in lessons for part in Path(each).parts[:-1])}
    parts = path.relative_to(folder).parts
    theirs = next((part for part in (parts if path.is_dir() else parts[:-1]) if part not in ours), "")
    if moodle := MOODLE.match(theirs):
        return moodle[1], ""
    names, told_by = _around(path.stem, _named(path, lessons) or lesson)
    own = names[0] if names else ""
    if theirs:
        if not own or not told_by or {*folded(own).split()} <= {*folded(theirs).split()}:
            return theirs, ""
        guess = f"the student is a guess: the folder says {theirs}, the file {own}"
        return own if told_by == "name" else theirs, guess
    if not own:
        return "", f"no student's name: {NAMING}"
    sure = told_by == "name" and len(names) == 1
    return own, "" if sure else f"the student is a guess from the file's name: {NAMING}"


def _together(*said):
    return ". ".join(each for each in said if each)


def _plain(value):
    """A cell of a table that is one line, not endless, and no formula to a spreadsheet."""
    if not isinstance(value, str):
        return value
    text = "".join(c if c.isprintable() else " " for c in value)
    text = text if len(text) <= REMARK else text[: REMARK - 2] + " …"
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@") and text.strip() else text


def _write(path, columns, rows):
    """Write a table so that there is the old one or the new one, never a part."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8-sig", newline="") as file:  # its mark tells Excel: UTF-8
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([_plain(value) for value in row] for row in rows)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
