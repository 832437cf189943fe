"""The paragraph for whoever decides, looked over: sentence by sentence, for what an audit found and what nobody knows."""

import math
import re

from ...audit.sentences import short, shown
from ...teach.exercise import Reply

__all__ = ["look_over", "missing"]

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"(])|[;:]\s(?![\d.])|\n\s*\n")
NOT = r"\b(?:no|not|none|nobody|nothing|never|cannot|\w+n't|whether|neither|nor|without)\b"
CALIBRATED = r"(?:\b(?:is|are|was|were|be|being|looks?|seems?|remains?)\s+(?:\w+\s+)?(?:\w+\s+)?|\bwell[- ]|\bperfectly\s+)calibrated\b|\bcalibrated\s+within\b"
TOO_MUCH = re.compile(rf"{CALIBRATED}|\bpro(?:ves?|ved|ven|of)\b|\bguarantees?\b|\b(?:not|isn't) miscalibrated\b"
                      r"|\b(?:is|has) no (?:miscalibration|error|calibration error)\b", re.I)  # fmt: skip
WITHIN = re.compile(r"(?<!may be )(?<!might be )\bwithin (?:the |a |its |our |this )?tolerance\b", re.I)
MISCALIBRATED = re.compile(r"\b(?:is|are)\s+(?!not\b)(?:\w+\s+)?(?:mis|un)calibrated\b|\bis not calibrated\b", re.I)
FOUND = re.compile(r"\b(?:found|finds?|detect\w*|reject\w*)\b(?! (?:no|nothing)\b)", re.I)
OF_ALL = r"(?! (?:for|in|on|by)\b)"  # “no error was found on a scanner” says something else
NONE_FOUND = re.compile(rf"\bfound (?:no (?:miscalibration|error)\w*|nothing){OF_ALL}"
                        rf"|\b(?:no (?:miscalibration|error)\w*|nothing)(?: (?:is|was|has been|at all))* (?:found|detected){OF_ALL}", re.I)  # fmt: skip
LIMIT = re.compile(r"\bindependen|\bclusters?\b|\b(?:other|another|new|next|later) (?:place|time|hospital|scanner|site|year|month|patient|data)"
                   r"|\bun(?:known|clear)\b|\bkn(?:ow|own|ows)\b|\bsays? nothing\b|\belsewhere\b|\bfuture\b|like these|\b(?:asked|named|tested)\b|within a bin|\bgiven (?:the )?features", re.I)  # fmt: skip
THEN = re.compile(r"\b(?:so|thus|therefore|hence|means|and|but)\b", re.I)
AT_MOST = re.compile(r"\b(?:at most|(?<!not )(?:below|under|less than)|up to|no more than|not (?:above|over|more than))\b", re.I)
SPELT = dict(enumerate("zero one two three four five six seven eight nine ten eleven twelve".split()))
NEAR = 30  # letters
DOUBT = re.compile(rf"{NOT}|\bun(?:known|clear)\b|\bonly\b|\bassum|\btaken?\b|\btakes\b|\bif\b|\bunless\b", re.I)


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
    n, asked, p = found.tables["data"]["value"].iloc[0], len(found.tables["questions"]), short(found.pvalue)
    low, high = shown(rms["low"]), shown(rms["high"])
    said = [re.sub(r"(?<=\d),(?=\d{3}\b)", "", each) for each in SENTENCE.split(re.sub(r"(?<!\n)\n(?!\n)", " ", text))]
    some, spelt = lambda rule: any(map(rule, said)), rf"\b{SPELT.get(asked, asked)}\b"
    wanted = [
        (some(lambda s: _has(s, str(n))), f"how many rows ({n:,})"),
        (some(lambda s: _near(re.sub(spelt, str(asked), s, flags=re.I), str(asked), r"question|test|hypothes")),
         f"how many questions ({asked}, in digits)"),
        (some(_found) and not some(NONE_FOUND.search) if found.detected else some(_not_found),
         f"whether miscalibration was found (it was{'' if found.detected else ' not'})"),
        (some(lambda s: "adjust" in s.lower() and _near(s, p, r"\bp\b")), f"the adjusted p-value ({p}), called so"),
        (some(lambda s: re.search(r"\bRMS\b|root mean", s, re.I) and _between(s, low, high)),
         f"the interval of the RMS error ({low} to {high}), beside its name")
        if math.isfinite(rms["high"]) else
        (some(lambda s: re.search(r"\bRMS\b|root mean", s, re.I) and re.search(NOT, s, re.I)), "that the size of the RMS error cannot be told"),
        (found.detected or some(lambda s: re.search("[wc]ould", s.lower()) and re.search(r"\.\d", s)),
         "how large an error would have been found, as none was"),
        (some(lambda s: LIMIT.search(s) and DOUBT.search(s) and not _has(s, p)), "one thing that this audit cannot say"),
    ]  # fmt: skip
    return [what for stands, what in wanted if not stands] + _unsupported(said, found, rms["high"])


def _unsupported(said, found, high):
    """Words that this audit does not support."""
    lacks, tolerance = [], found.settings["tolerance"]
    rules = [
        (TOO_MUCH, True, "no audit shows that"),
        (MISCALIBRATED, not found.detected, "nothing was found"),
        (WITHIN, not high < tolerance, f"the interval reaches {shown(high)}, beyond {short(tolerance)}"),
    ]
    for sentence in said:
        for words, counts, why in rules:
            claim = words.search(sentence)
            if claim and counts and not _denied(sentence, claim):
                lacks.append(f"without “{claim.group()}”: {why}")
    return lacks


def _found(sentence):
    verdict = FOUND.search(sentence) or MISCALIBRATED.search(sentence)
    return verdict and "would" not in sentence and not _denied(sentence, verdict)


def _not_found(sentence):
    return re.search(r"f(?:ou|i)nd|detect|reject|significant", sentence) and "would" not in sentence and re.search(NOT, sentence, re.I)


def _denied(sentence, claim):
    """Whether the claim's own clause denies it: in “nothing was found, so it is calibrated” nothing does."""
    clause = THEN.split(sentence[: claim.start()])[-1]
    inner = re.search(r"\bnot (?:\w+ )?calibrated", claim.group(), re.I) and claim.re is TOO_MUCH
    return bool(re.search(NOT, clause, re.I) or inner)


def _between(text, low, high):
    """Whether both ends stand in the text, the lower one first; if that is 0, "at most" will do for it."""
    first = _has(text, low) or (AT_MOST.finditer(text) if float(low) == 0 else ())
    return any(_has(text[each.end() :], high) for each in first)



def _has(text, value):
    """Where the number stands in the text, however it is written: .5, 0.50."""
    found = re.finditer(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)(?![\w%])", text)
    return [each for each in found if float(each.group()) == float(value)]


def _near(text, value, words):
    """Whether the number stands within a few words of one of these."""
    around = (text[max(place.start() - NEAR, 0) : place.end() + NEAR] for place in _has(text, value))
    return any(re.search(words, part) for part in around)


def look_over(text, found):
    """A reply to the reader's paragraph; see `missing`."""
    if not text or not text.strip():
        return Reply("blank", "Your paragraph: not yet. Write it between the quotes and run the cell again.")
    lacks = missing(text, found)
    if lacks:
        return Reply("wrong", f"Your paragraph still needs: {'; '.join(lacks)}.")
    return Reply("right", "Your paragraph says what was asked, what was found, how large it is, and what is not known.")
