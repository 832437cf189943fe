"""The paragraph for whoever decides, looked over: which numbers of the audit it holds, and what it may not say."""

import math
import re

from ...audit.sentences import numbers, short
from ...teach.exercise import Reply

SENTENCE = re.compile(r"(?<=[.!?;:])\s+(?!\d)")
NOT = re.compile(r"\b(?:no|not|none|nothing|never|cannot|\w+n't|nobody|neither|nor|without|whether)\b", re.I)
FOUND = re.compile(r"\b(?:found|finds?|detect\w*|reject\w*)\b|(?<=\bno )findings?\b|\b(?:is|are) miscalibrated\b", re.I)
TOO_MUCH = re.compile(r"\b(?:is|are|was|seems?|looks?|well|perfectly) (?:\w+ )?calibrated\b|\b(?:is|has) no (?:miscalibration|error)\b"
                      r"|\bnot miscalibrated\b|\bpro(?:ves?|ved|ven|of)\b|\bguarantees?\b"
                      r"|\b(?:is|are|looks?) (?:all )?(?:fine|ok|okay|in order|perfect|reliable|trustworthy|safe)\b", re.I)
LATER = re.compile(r"\b(?:next (?:year|month|week|time)(?!['’]s)|in (?:the )?future|tomorrow|from now on|will (?:\w+ )?(?:be|stay|remain))\b", re.I)
WITHIN = re.compile(r"\bwithin (?:the|a|its|our|this) tolerance\b", re.I)
ABOUT = r"\b(?:about|of|if|whether|how|which|who|why)\b"
LIMIT = re.compile(r"\bindependen|\bclusters?\b|\b(?:other|another|new|next|later)\b|\bun(?:known|clear)\b"
                   rf"|\bknow[ns]?\b(?! (?:what|how) to\b).*{ABOUT}|{ABOUT}.*\bknow[ns]?\b|\belsewhere\b|\bfuture\b|like these|\b(?:ask(?:ed)?|tested)\b|within a bin", re.I)
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)(?![\w%])")
DOUBT = re.compile(rf"{NOT.pattern}|\bun(?:known|clear)\b|\bonly\b|\bassum|\btaken?\b|\bif\b|\bunless\b", re.I)


def missing(text, found):
    """What a paragraph about an audit lacks, or says without support: a list of texts."""
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n, asked, p = found.tables["data"]["value"].iloc[0], len(found.tables["questions"]), short(found.pvalue)
    _, low, high = numbers(*rms[["estimate", "low", "high"]])
    said = SENTENCE.split(re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(text.split())))
    some = lambda rule: any(map(rule, said))
    verdicts = [not _denied(s, FOUND.search(s)) for s in said if FOUND.search(s) and not re.search("[wc]ould", s)]
    known = math.isfinite(rms["high"])
    ends = [] if not known else [low, high] if rms["low"] else [high]  # of 0 to .03 “at most .03” will do
    size = some(lambda s: "RMS" in s and all(_has(s, end) for end in ends) and (known or NOT.search(s)))
    near = [x for s in said if "adjust" in s.lower() for x in NUMBER.findall(s) if 0 < abs(float(x) - float(p)) < 0.0051]
    rounded = f": {near[0]} is rounded, give all its digits" if near else ""
    wanted = [
        (some(lambda s: _has(s, n)), f"how many rows ({n:,})"),
        (some(lambda s: _has(s, asked) and "question" in s), f"how many questions ({asked}, in digits)"),
        (found.detected in verdicts and (not found.detected) not in verdicts,
         f"whether miscalibration was found (it was{'' if found.detected else ' not'})"),
        (some(lambda s: "adjust" in s.lower() and _has(s, p)), f"the adjusted p-value ({p}), called so{rounded}"),
        (size, f"the interval of the RMS error ({low} to {high}), beside its name"
         if known else "that the size of the RMS error cannot be told"),
        (found.detected or some(lambda s: re.search(r"[wc]ould.*\.\d|\.\d.*[wc]ould", s)),
         "how large an error would have been found, as none was"),
        (some(lambda s: LIMIT.search(s) and DOUBT.search(s) and not _has(s, p)), "one thing that this audit cannot say")]
    rules = [(TOO_MUCH, True, "no audit shows that"),
             (WITHIN, not rms["high"] < (tolerance := found.settings["tolerance"]),
              f"the interval reaches {high}, beyond {short(tolerance)}")]
    unsupported = [f"without “{claim.group()}”: {why}" for words, counts, why in rules for s in said
                   if counts and (claim := words.search(s)) and not _denied(s, claim)]
    unsupported += [f"without “{claim.group()}”: an audit speaks for rows drawn like these" for s in said
                    if (claim := LATER.search(s)) and not DOUBT.search(s)
                    and re.search(r"error|calibrat|hold|same|stay|remain|\bso\b", s)]
    return [what for stands, what in wanted if not stands] + unsupported


def _denied(sentence, claim):
    """Whether the claim's own clause denies it: in “nothing was found, so it is calibrated” nothing does."""
    clause = re.split(r"\b(?:so|thus|therefore|hence|means|and|but)\b", sentence[: claim.start()])[-1]
    nothing = claim.re is FOUND and re.match(r" (?:nothing|none|no)\b", sentence[claim.end() :], re.I)
    return bool(NOT.search(clause) or nothing or re.match(r"is not (?!mis)", claim.group(), re.I))


def _has(text, value):
    """Whether the number stands in the text, however it is written: .5, 0.50."""
    return any(float(each) == float(value) for each in NUMBER.findall(text))


def look_over(text, found):
    """A reply to the reader's paragraph; see `missing`."""
    if not text or not text.strip():
        return Reply("blank", "Your paragraph: not yet. Write it between the quotes and run the cell again.")
    lacks = missing(text, found)
    if lacks:
        return Reply("wrong", f"Your paragraph still needs: {'; '.join(lacks)}.")
    return Reply("right", "Your paragraph says what was asked, what was found, how large it is, and what is not known.")
