"""Rules that turn tables into sentences. None of them can say that a model is calibrated."""

import numpy as np
import pandas as pd

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
    doubts = "".join(f"Is the input right? {doubt}{'' if doubt.endswith('?') else '.'} " for doubt in doubts)
    p = questions["p_adjusted"]
    n, smallest = len(p), short(p.min())
    asked = "one question" if n == 1 else f"{n} questions"
    if p.min() > level:
        return f"{doubts}No miscalibration found ({asked}, smallest adjusted p {smallest}). {_would_have(missed, two)}"
    found = questions.loc[p == p.min(), "question"].tolist()
    where = f" ({found[0]})" if len(found) == 1 and n > 1 else ""
    overall = p[questions["question"].isin(OVERALL)].min()  # NaN of none
    alone = f" In all rows taken together nothing was found (p {short(overall)})." if overall > level else ""
    return f"{doubts}Miscalibration found: the smallest p is {smallest}{where}, adjusted for {asked}.{alone}"


def short(value):
    """As many digits as there are, three at most: a p-value, a tolerance."""
    return f"{value:.3g}".replace("0.", ".", 1)


def _would_have(missed, two):
    if missed is None or not len(missed):
        return "What would have been found could not be worked out: all predictions are certain."
    found, lost = ({error: size_found(missed, error, share) for error in WRONG} for share in (FOUND, MISSED))
    known = [error for error in WRONG if found[error] is not None]
    if not known:
        most = missed["size"].max()
        return f"Data as few as these cannot say much: even an RMS error of {shown(most)} could be missed."
    worst = max(known, key=found.get)
    usually = "" if lost[worst] is None else f"; it would usually have missed {shown(lost[worst])}"
    return (
        f"This audit would have found an RMS error {'' if two else 'in the top label '}of {shown(found[worst])} "
        f"({WRONG[worst]}, in four of five such data sets){usually}."
    )


def how_large_sentence(size, tolerance, level, *, two=True, line_found=True):
    """How large? Intercept, slope and RMS error beside the tolerance; of the top label if not `two`.

    An interval is about one number, and a question pays for the others: only if intercept and slope are found wrong
    among all questions is it said in which direction.
    """
    rows = size.set_index("quantity")
    rms = rows.loc["RMS error"]
    if not np.isfinite(rms["high"]):
        return f"How large it is cannot be told: fewer than {FEWEST} hits or fewer than {FEWEST} misses."
    interval = lambda row: f"{shown(row['estimate'])} [{shown(row['low'])}, {shown(row['high'])}]"
    parts = [
        f"{name} {interval(rows.loc[name])}{f' ({beyond})' if line_found and beyond else ''}"
        for name, beyond in _beyond(size).items()
        if np.isfinite(rows.loc[name, "high"])
    ]
    line = f"On the logit scale {' and '.join(parts)}; " if parts else ""
    if not two:
        line = f"Of the top label: {line[:1].lower()}{line[1:]}"
    verdict = f"which may be more or less than the tolerance of {short(tolerance)}"
    if rms["high"] < tolerance:
        verdict = f"within the tolerance of {short(tolerance)}, all rows taken together"
    elif rms["low"] > tolerance:
        verdict = f"more than the tolerance of {short(tolerance)}"
    return f"{line}RMS error between bins {interval(rms)} ({100 * (1 - level):g} % intervals): {verdict}."


def _beyond(size):
    """What intercept and slope mean if their intervals hold nothing but one side of what would be right, or ""."""
    rows = size.set_index("quantity")
    low, high = rows["low"], rows["high"]
    return {name: below if high[name] < right else above if low[name] > right else ""
            for name, (right, below, above) in MEANT.items()}  # fmt: skip


def for_whom_sentence(tables, level):
    """For whom? The groups and periods whose adjusted p is at most `level`, the surest first."""
    parts = _parts(tables)
    if parts is None:
        return "For whom was not asked: no groups were given."
    tested = parts[parts["tested"].astype(bool)]
    if not len(tested):
        return f"For whom cannot be told: no group has {FEWEST_ROWS} rows."
    many = " and ".join(word for name, word in (("groups", "groups"), ("time", "periods")) if name in tables)
    found = tested[tested["p_adjusted"] <= level].assign(size=lambda table: -table["gap"].abs())
    found = list(found.sort_values(["p_adjusted", "size", "name"]).itertuples())
    if not found:
        return f"Nothing found in any of the {many} tested ({len(tested)}); small ones hide much."
    once = len(found) > 1 and found[0].p_adjusted == found[-1].p_adjusted  # all p-values are the same
    how = f", p {short(found[0].p_adjusted)} each:" if once else ", the surest first:" if len(found) > 1 else ", namely"
    words = [f"{row.name} ({_what(row)}{'' if once else f', p {short(row.p_adjusted)}'})" for row in found[:MOST_NAMED]]
    more = f", and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    others = " The others are not cleared by that." if len(found) < len(tested) else ""
    return f"Found in {len(found)} of {len(tested)} {many}{how} {', '.join(words)}{more}.{others}"


def _what(row):
    """What is wrong in a group, in words: a slope alone if the mean may be right."""
    gap = f"says {shown(row.said)}, happened {shown(row.said - row.gap)}"
    if not np.isfinite(row.slope) or row.slope_low <= 1 <= row.slope_high:
        return gap
    slope = f"slope {shown(row.slope)}"
    return slope if row.gap_low <= 0 <= row.gap_high else f"{gap}, {slope}"


def _parts(tables):
    """Groups and periods in one table, each with the name of its question; None if there are neither."""
    names = {"groups": lambda t: t["column"] + " = " + t["level"], "time": lambda t: "time " + t["period"]}
    found = [tables[name].assign(name=names[name](tables[name].astype(str))) for name in names if name in tables]
    return pd.concat(found, ignore_index=True) if found else None


def found_line(questions, level):
    """Whether intercept and slope were found wrong among all questions."""
    return bool((questions.loc[questions["question"] == LINE, "p_adjusted"] <= level).any())


def limits_of(evidence, design, tables):
    """What this audit cannot say."""
    panel, n_resamples, parts = evidence.panel, evidence.n_resamples, _parts(tables)
    beyond = [name for name, said in _beyond(tables["size"]).items() if said]
    clipped = int(((panel.said < CLIP) | (panel.said > 1 - CLIP)).sum())
    small = [] if parts is None else parts["name"][~parts["tested"].astype(bool)].tolist()
    more = f", and {len(small) - MOST_NAMED} more" if len(small) > MOST_NAMED else ""
    asked, clusters = evidence.features is not None, panel.cluster is not None
    said = [
        (True, "It speaks for rows drawn like these; of other places and times it knows nothing."),
        (not clusters, "It takes rows for independent given the predictions: name what they belong to (cluster) if "
         "some belong together."),
        (clusters, "Rows of a cluster were redrawn with one uniform number: exact if their labels depend so, and "
         "cautious in all that was tried if they depend less."),
        (not panel.two, "Sizes, groups and periods are those of the top label; the other classes are only asked "
         "about."),
        (clusters and not panel.two, "Of three classes and more, labels of a cluster that are equal by another rule "
         "are not covered."),
        (design == "cv", "Predictions were made by cross-validation: they hold the labels of other rows, and no "
         "p-value is exact. In simulations p was too large for models of the right form with many rows a parameter, "
         "and too small with few, or where nearly the same was said of all rows."),
        (np.ptp(panel.weights), "With weights p-values are exact if labels are independent given predictions and "
         "weights."),
        (beyond and not found_line(tables["questions"], evidence.level), f"The interval of the "
         f"{' and of the '.join(beyond)} is about that number alone; among all questions it was not found to be "
         "wrong."),
        (True, "What is wrong in fewer rows than a bin holds, or in waves within a bin, is averaged away."),
        (clipped, f"{clipped:,} of {len(panel):,} predictions are nearer than {f'{CLIP:f}'.lstrip('0')} to 0 or 1: "
         "logits stop there, and intercept and slope depend on where."),
        (small, f"Not tested, for want of {FEWEST_ROWS} rows: {', '.join(small[:MOST_NAMED])}{more}."),
        (not asked, "Whether it is right given features, or in groups not named, was not asked."),
        (asked and "local" not in tables, "Whether it is right given the features could not be asked: too many rows "
         "are alike."),
        (True, f"With {n_resamples} draws no p can be below {short(1 / (n_resamples + 1))}."),
    ]  # fmt: skip
    return [sentence for holds, sentence in said if holds]
