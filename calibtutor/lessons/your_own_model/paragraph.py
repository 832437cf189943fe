"""The paragraph for a paper, looked over: what an audit found has to stand in it, and what nobody can know must not."""

import re

from ...audit.sentences import short, shown
from ...teach.exercise import Reply

__all__ = ["look_over", "missing"]

TOO_MUCH = re.compile(r"\b(?:is|are|was|were|be|being)\s+(?:\w+\s+)?calibrated\b(?! within)|\bwell[- ]calibrated\b|\bproves?\b", re.I)
LIMIT = re.compile(r"independent|other (?:places|times|hospitals|data)|rows like these|not asked|within a bin|not tested", re.I)


def missing(text, found):
    """What a paragraph about an audit lacks, or says without support.

    Parameters
    ----------
    text : str
    found : Audit

    Returns
    -------
    list of str
    """
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n, asked = found.tables["data"]["value"].iloc[0], len(found.tables["questions"])
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    wanted = [
        (_has(plain, str(n)), f"how many rows ({n:,})"),
        (_has(plain, str(asked)), f"how many questions were asked ({asked})"),
        (_has(plain, short(found.pvalue)) and "adjust" in text.lower(), f"the adjusted p-value ({short(found.pvalue)})"),
        (all(_has(plain, shown(rms[end])) for end in ("low", "high")),
         f"the interval of the RMS error ({shown(rms['low'])} to {shown(rms['high'])})"),
        (found.detected or "would" in text.lower(), "what would have been found, as nothing was"),
        (LIMIT.search(text), "one thing that this audit cannot say"),
    ]  # fmt: skip
    lacks = [what for stands, what in wanted if not stands]
    claims = TOO_MUCH.search(text)
    return lacks + ([f"without “{claims.group()}”: no test shows that"] if claims else [])


def _has(text, value):
    """Whether the number stands in the text, with a zero before its point or without."""
    return re.search(rf"(?<![\d.])0?{re.escape(value)}(?!\d|\.\d)", text) is not None


def look_over(text, found):
    """A reply to the reader's paragraph; see `missing`."""
    if not text or not text.strip():
        return Reply("blank", "Your paragraph: not yet. Write it between the quotes and run the cell again.")
    lacks = missing(text, found)
    if lacks:
        return Reply("wrong", f"Your paragraph still needs: {'; '.join(lacks)}.")
    return Reply("right", "Your paragraph says what was asked, what was found, how large it is, and what is not known.")
