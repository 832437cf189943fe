"""Rules that turn tables into sentences. None of them can say that a model is calibrated."""

import numpy as np

from .intervals import CLIP, FEWEST
from .missed import size_found
from .questions import FEWEST_ROWS, LINE

__all__ = ["detected_sentence", "for_whom_sentence", "how_large_sentence", "limits_of", "shown"]

OVERALL = (LINE, "canonical", "top label")
FOUND, MISSED = 0.8, 0.2  # with which probability an error "would have been found", or "usually missed"
WRONG = {"shift": "if it says too much", "slope": "if it is over-confident"}  # other directions are not tried
MOST_NAMED = 5
# What is right, and what it means to be below or above.
MEANT = {"intercept": (0, "says too much", "says too little"), "slope": (1, "over-confident", "under-confident")}


def shown(value):
    """Two digits that count, at most three places, without a zero before the point."""
    if value is None or not np.isfinite(value):
        return "unknown"
    places = 2 if abs(value) >= 0.0995 else 3
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def detected_sentence(questions, level, missed, two=True, doubts=()):
    """Detected, and by which questions? With nothing found, what would have been; in the top label if not `two`.

    What the input made doubtful comes first: it may be all that was found.
    """
    asked = [f"Is the input right? {doubt}{'' if doubt.endswith('?') else '.'}" for doubt in doubts]
    return " ".join([*asked, _detected(questions, level, missed, two)])


def _detected(questions, level, missed, two):
    p = questions["p_adjusted"]
    n, smallest = len(p), short(p.min())
    asked = "one question" if n == 1 else f"{n} questions"
    if p.min() > level:
        return f"No miscalibration found ({asked}, smallest adjusted p {smallest}). {_would_have(missed, two)}"
    found = questions.loc[p == p.min(), "question"].tolist()
    where = f" ({found[0]})" if len(found) == 1 and n > 1 else ""
    said = f"Miscalibration found: the smallest p is {smallest}{where}, adjusted for {asked}."
    overall = p[questions["question"].isin(OVERALL)]
    if len(overall) and overall.min() > level:
        said += f" In all rows taken together nothing was found (p {short(overall.min())})."
    return said


def short(value):
    """As many digits as there are, three at most: a p-value, a tolerance."""
    return f"{value:.3g}".replace("0.", ".", 1)


def _would_have(missed, two):
    if missed is None or not len(missed):
        return "What would have been found could not be worked out: all predictions are certain."
    parts = {error: missed[missed["error"] == error] for error in ("shift", "slope")}
    found = {error: size_found(missed, error, FOUND) for error in parts}
    lost = {error: size_found(missed, error, MISSED) for error in parts}
    known = [error for error in parts if found[error] is not None]
    if not known:
        most = missed["size"].max()
        return f"Data as few as these cannot say much: even an RMS error of {shown(most)} could be missed."
    worst = max(known, key=lambda error: found[error])
    sentence = f"This audit would have found an RMS error {'' if two else 'in the top label '}of {shown(found[worst])}"
    sentence += f" ({WRONG[worst]}, in four of five such data sets)"
    if lost[worst] is None:
        return f"{sentence}."
    return f"{sentence}; it would usually have missed {shown(lost[worst])}."


def how_large_sentence(size, tolerance, level, *, two=True, line_found=True):
    """How large? Intercept, slope and RMS error beside the tolerance; of the top label if not `two`.

    An interval is about one number, and a question pays for the others: only if intercept and slope are found wrong
    among all questions is it said in which direction.
    """
    row = {quantity: size[size["quantity"] == quantity].iloc[0] for quantity in ("intercept", "slope", "RMS error")}
    rms = row["RMS error"]
    if not np.isfinite(rms["high"]):
        return f"How large it is cannot be told: fewer than {FEWEST} hits or fewer than {FEWEST} misses."
    percent = f"{100 * (1 - level):g} %"
    parts = [
        f"{name} {shown(row[name]['estimate'])} [{shown(row[name]['low'])}, {shown(row[name]['high'])}]"
        f"{_meant(row[name], *words) if line_found else ''}"
        for name, words in MEANT.items()
        if np.isfinite(row[name]["high"])
    ]
    line = f"On the logit scale {' and '.join(parts)}; " if parts else ""
    if not two:
        line = f"Of the top label: {line[:1].lower()}{line[1:]}"
    span = f"[{shown(rms['low'])}, {shown(rms['high'])}]"
    if rms["high"] < tolerance:
        verdict = f"within the tolerance of {short(tolerance)}, all rows taken together"
    elif rms["low"] > tolerance:
        verdict = f"more than the tolerance of {short(tolerance)}"
    else:
        verdict = f"which may be more or less than the tolerance of {short(tolerance)}"
    return f"{line}RMS error between bins {shown(rms['estimate'])} {span} ({percent} intervals): {verdict}."


def _meant(row, right, below, above):
    """What an interval says that holds nothing but one side of what would be right."""
    if row["low"] > right or row["high"] < right:
        return f" ({below if row['high'] < right else above})"
    return ""


def _beyond(size, name, right):
    row = size[size["quantity"] == name].iloc[0]
    return row["low"] > right or row["high"] < right


def for_whom_sentence(groups, time, level):
    """For whom? The groups and periods whose adjusted p is at most `level`."""
    tables = ((groups, lambda row: f"{row.column} = {row.level}"), (time, lambda row: f"time {row.period}"))
    named, tested = [], 0
    for table, name_of in tables:
        if table is None:
            continue
        some = table[table["tested"].astype(bool)]
        tested += len(some)
        for row in some[some["p_adjusted"] <= level].itertuples():
            named.append((row.p_adjusted, -abs(row.gap), name_of(row), _what(row)))
    if groups is None and time is None:
        return "For whom was not asked: no groups were given."
    if not tested:
        return f"For whom cannot be told: no group has {FEWEST_ROWS} rows."
    many = " and ".join(name for name, table in (("groups", groups), ("periods", time)) if table is not None)
    if not named:
        return f"Nothing found in any of the {many} tested ({tested}); small ones hide much."
    named.sort()
    once = len(named) > 1 and named[0][0] == named[-1][0]  # all p-values are the same
    each = "" if once else ", p {}"
    words = [f"{name} ({what}{each.format(short(p))})" for p, _, name, what in named[:MOST_NAMED]]
    more = f", and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    how = f", p {short(named[0][0])} each:" if once else ", the surest first:" if len(named) > 1 else ", namely"
    first = f"Found in {len(named)} of {tested} {many}{how} "
    others = " The others are not cleared by that." if len(named) < tested else ""
    return f"{first}{', '.join(words)}{more}.{others}"


def _what(row):
    """What is wrong in a group, in words: a slope alone if the mean may be right."""
    gap = f"says {shown(row.said)}, happened {shown(row.said - row.gap)}"
    if not np.isfinite(row.slope) or row.slope_low <= 1 <= row.slope_high:
        return gap
    slope = f"slope {shown(row.slope)}"
    return slope if row.gap_low <= 0 <= row.gap_high else f"{gap}, {slope}"


def _parts(tables):
    """(name, whether it was tested) of all groups and periods."""
    for name, first in (("groups", ["column", "level"]), ("time", ["period"])):
        if name in tables:
            table = tables[name]
            called = table[first].astype(str).agg(" = ".join, axis=1)
            yield from zip(called if name == "groups" else "time " + called, table["tested"].astype(bool), strict=True)


def found_line(questions, level):
    """Whether intercept and slope were found wrong among all questions."""
    return bool((questions.loc[questions["question"] == LINE, "p_adjusted"] <= level).any())


def limits_of(evidence, design, tables):
    """What this audit cannot say."""
    panel, level = evidence.panel, evidence.level
    said = ["It speaks for rows drawn like these; of other places and times it knows nothing."]
    if panel.cluster is None:
        said.append("It takes rows for independent given the predictions: name what they belong to (cluster) if some "
                    "belong together.")  # fmt: skip
    else:
        said.append(
            "Rows of a cluster were redrawn with one uniform number: exact if their labels depend so, and cautious in "
            "all that was tried if they depend less."
        )
    if not panel.two:
        said.append("Sizes, groups and periods are those of the top label; the other classes are only asked about.")
    if not panel.two and panel.cluster is not None:
        said.append("Of three classes and more, labels of a cluster that are equal by another rule are not covered.")
    if design == "cv":
        said.append(
            "Predictions were made by cross-validation: they hold the labels of other rows, and no p-value is exact. "
            "In simulations p was too large for models of the right form with many rows a parameter, and too small "
            "with few, or where nearly the same was said of all rows."
        )
    if np.ptp(panel.weights):
        said.append("With weights p-values are exact if labels are independent given predictions and weights.")
    size, questions = tables.get("size"), tables.get("questions")
    if size is not None and not found_line(questions, level):
        beyond = [name for name, (right, _, _) in MEANT.items() if _beyond(size, name, right)]
        if beyond:
            said.append(
                f"The interval of the {' and of the '.join(beyond)} is about that number alone; among all questions it "
                "was not found to be wrong."
            )
    said.append("What is wrong in fewer rows than a bin holds, or in waves within a bin, is averaged away.")
    clipped = int(((panel.said < CLIP) | (panel.said > 1 - CLIP)).sum())
    if clipped:
        said.append(
            f"{clipped:,} of {len(panel):,} predictions are nearer than {f'{CLIP:f}'.lstrip('0')} to 0 or 1: logits "
            "stop there, and intercept and slope depend on where."
        )
    small = [name for name, tested in _parts(tables) if not tested]
    if small:
        who = ", ".join(small[:MOST_NAMED]) + (f", and {len(small) - MOST_NAMED} more" * (len(small) > MOST_NAMED))
        said.append(f"Not tested, for want of {FEWEST_ROWS} rows: {who}.")
    if evidence.features is None:
        said.append("Whether it is right given features, or in groups not named, was not asked.")
    elif "local" not in tables:
        said.append("Whether it is right given the features could not be asked: too many rows are alike.")
    said.append(f"With {evidence.n_resamples} draws no p can be below {short(1 / (evidence.n_resamples + 1))}.")
    return said
