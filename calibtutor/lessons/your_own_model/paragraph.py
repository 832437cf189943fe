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
                      r"|\b(?:is|are|looks?) (?:all )?(?:fine|ok|okay|in order|perfect|reliable|trustworthy|safe)\b"
                      r"|\b(?:can|may|could|should) (?:\w+ )?(?:be )?(?:safely )?(?:trust(?:ed)?|rel(?:y|ied))\b", re.I)
ZERO = re.compile(r"\b(?:error|gap|miscalibration) (?:is|was|equals) (?:\w+ly |just )?(?:zero|0)\b(?! to\b|[.]\d|.*[\[(]|.*\binterval\b)", re.I)
RIGHT = r"\b(?:is|are|was|be|being) (?:\w+ )?(?:right|true|correct|wrong|(?:mis)?calibrated)\b"
CHANCE = re.compile(r"\b(?:probability|chance|likelihood|odds)(?: of| is| are)?(?: [.\d]+ ?%?,?)? (?:that|for|it|the|this|our)\b(?!.*\b(?:if|were|given|under)\b)"
                    rf".*{RIGHT}|{RIGHT} with (?:a )?(?:probability|chance)\b|\b(?:(?:probability|chance) of being|likely (?:to be )?)(?:right|correct|calibrated)\b", re.I)
EACH = re.compile(r"\b(?:each|every|any)(?: one)?(?: of the)?(?: \w+)? (?:scanner|group|digit|class|site|hospital)", re.I)
ALL_KNOWN = re.compile(r"\bun(?:known|clear)\W+(?:(?:is|are|remains?) )?(?:nothing|none)\b|\b(?:everything|all) (?:is|was) (?:known|asked|tested)\b|\bnothing (?:(?:is|was|remains?|else) )*(?:un(?:known|clear|asked)|left|open)\b", re.I)
LATER = re.compile(r"\b(?:next (?:year|month|week|time)(?!['’]s)|in (?:the )?future|tomorrow|from now on|will (?:\w+ )?(?:be|stay|remain))\b", re.I)
WITHIN = re.compile(r"\bwithin (?:the|a|its|our|this) tolerance\b", re.I)
ABOUT = r"\b(?:about|of|if|whether|how|which|who|why)\b"
LIMIT = re.compile(r"\bindependen|\bclusters?\b|\b(?:other|another|new|next|later)\b|\bun(?:known|clear)\b"
                   rf"|\bknow[ns]?\b(?! (?:what|how) to\b).*{ABOUT}|{ABOUT}.*\bknow[ns]?\b|\belsewhere\b|\bfuture\b|like these|\b(?:ask(?:ed)?|tested|hides?|hidden)\b|n[o'’]t test\b|within a bin", re.I)
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)(?![\w%])")
SIZE = re.compile(r"(\d*\.\d+)(?: ?(%))?")
PART = re.compile(r"(?:,|\b(?:and|but|while|whereas|although|though)) (?=(?:one|an?|errors|those|(?:smaller|larger) (?:one|error)s)\b)", re.I)
DOUBT = re.compile(rf"{NOT.pattern}|\bun(?:known|clear)\b|\bonly\b|\bassum|\btaken?\b|\bif\b|\bunless\b", re.I)
HARDLY = re.compile(rf"{DOUBT.pattern}|\b(?:hardly|barely|scarcely|rarely|little|too few|hides?|hidden|averaged away)\b", re.I)


def missing(text, found):
    """What a paragraph about an audit lacks, or says without support: a list of texts."""
    rms = found.tables["size"].set_index("quantity").loc["RMS error"]
    n, asked, p = found.tables["data"]["value"].iloc[0], len(found.tables["questions"]), short(found.pvalue)
    _, low, high = numbers(*rms[["estimate", "low", "high"]])
    text = re.sub(r"(?i)\b(un(?:known|clear)|(?:can)?not \w+):", r"\1,", " ".join(text.split()))  # what follows is its limit
    said = SENTENCE.split(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))
    some = lambda rule: any(map(rule, said))
    verdicts = [not _denied(s, FOUND.search(s)) for s in said if FOUND.search(s) and not re.search("[wc]ould", s)]
    known, page, tolerance = math.isfinite(rms["high"]), found.conclusions[0], found.settings["tolerance"]
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
        (size, f"the interval of the RMS error ({low} to {high}), beside its name" if known else "that the size of the RMS error cannot be told"),
        (found.detected or "worked out" in page or some(lambda s: re.search(r"[wc]ould.*\.\d|\.\d.*[wc]ould", s)), "how large an error would have been found, as none was"),
        (some(lambda s: LIMIT.search(s) and HARDLY.search(s) and not _has(s, p) and not ALL_KNOWN.search(s)), "one thing that this audit cannot say")]
    states = lambda s, claim: not _denied(s, claim)
    rules = [
        (TOO_MUCH, states, "no audit shows that"), (ZERO, states, "an error can be estimated as 0, and not shown to be 0"),
        (CHANCE, states, "a p-value says how often a calibrated model looks as bad, and not how probable the model is"),
        (WITHIN, lambda s, claim: states(s, claim) and not rms["high"] < tolerance, f"the interval reaches {high}, beyond {short(tolerance)}"),
        (EACH, lambda s, _: "RMS" in s and not re.search(f"{DOUBT.pattern}|ould|question", s, re.I), "the interval of the RMS error is that of all rows together"),
        (LATER, lambda s, _: not DOUBT.search(s) and re.search(r"error|calibrat|hold|same|stay|remain|\bso\b", s), "an audit speaks for rows drawn like these"),
        (ALL_KNOWN, lambda *_: True, "no audit asks everything")]
    unsupported = [f"without “{claim.group()}”: {why}" for words, counts, why in rules for s in said if (claim := words.search(s)) and counts(s, claim)]
    unsupported += _false_sizes(said, page) if not found.detected else []
    return [what for stands, what in wanted if not stands] + unsupported


def _denied(sentence, claim):
    """Whether the claim's own clause denies it: in “nothing was found, so it is calibrated” nothing does."""
    clause = re.split(r"\b(?:so|thus|therefore|hence|means|and|but)\b", sentence[: claim.start()])[-1]
    condition = claim.re is TOO_MUCH and re.search(r"\bif\b", clause, re.I)
    nothing = claim.re is FOUND and re.match(r" (?:nothing|none|no)\b", sentence[claim.end() :], re.I)
    return bool(NOT.search(clause) or condition or nothing or re.match(r"is not (?!mis)", claim.group(), re.I))


def _false_sizes(said, page):
    """What is said of sizes that would have been found, or missed, against page one."""
    size = lambda rule, beyond: float(at[1]) if (at := re.search(rule, page)) else beyond
    found, lost = size(r"of (\S+) \([^)]*\) would have been found", math.inf), size(r"of (\S+) (?:would usually have been|could be) missed", 0)
    wrong, why = [], re.search("(?:An RMS error|Data as few|What would).*", page).group().rstrip(".")
    for part in (part for s in said if re.search("[wc]ould", s) and "slope" not in s for part in PART.split(s)):
        smallest = min((float(x) / (100 if percent else 1) for x, percent in SIZE.findall(part)), default=None)
        below, seen = (re.search(rf"\b(?:{words})\b", part, re.I) for words in ("below|under|smaller|less|up to", r"found|find|detect\w*|reject\w*|notic\w*|seen"))
        missed, denied = (re.search(rule, part, re.I) for rule in (r"\b(?:miss(?:ed)?|overlooked|escaped?)\b", r"[wc]ould(?:n['’]t| (?:\w+ly )?(?:not|never))\b"))
        told, missed = smallest is not None and (seen or missed) and not re.search(r"\b(?:sometimes|between)\b", part), bool(missed) != bool(denied)
        if told and (smallest > (found if below else lost) if missed else below or smallest < found):
            wrong.append(f"without “{part.strip().rstrip('.;')}”: page one says “{why}”")
    return wrong


def _has(text, value):
    """Whether the number stands in the text, however it is written: .5, 0.50."""
    return any(float(each) == float(value) for each in NUMBER.findall(text))


def look_over(text, found):
    """A reply to the reader's paragraph; see `missing`."""
    if not text or not text.strip():
        return Reply("blank", "Your paragraph: not yet. Write it between the quotes and run the cell again.")
    if lacks := missing(text, found):
        return Reply("wrong", f"Your paragraph still needs: {'; '.join(lacks)}.")
    return Reply("right", "Your paragraph says what was asked, what was found, how large it is, and what is not known.")
