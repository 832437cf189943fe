"""Rules that turn tables into sentences. None of them can say that a model is calibrated."""

import numpy as np

from .missed import size_found

__all__ = ["detected_sentence", "for_whom_sentence", "how_large_sentence", "limits_of", "shown"]

FOUND, MISSED = 0.8, 0.2  # with which probability an error "would have been found", or "usually missed"
MOST_NAMED = 5


def shown(value):
    """Two digits that count, at most three places, without a zero before the point."""
    if value is None or not np.isfinite(value):
        return "unknown"
    places = 2 if abs(value) >= 0.0995 else 3
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def detected_sentence(detected, pvalue, n_questions, missed):
    """Detected? With nothing found, what would have been."""
    asked = "one question" if n_questions == 1 else f"{n_questions} questions"
    if detected:
        return f"Miscalibration found: the smallest p is {short(pvalue)}, adjusted for {asked}."
    return f"No miscalibration found. {_would_have(missed)}"


def short(value):
    """As many digits as there are, three at most: a p-value, a tolerance."""
    return f"{value:.3g}".replace("0.", ".", 1)


def _would_have(missed):
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
    sentence = f"This audit would have found an RMS error of {shown(found[worst])}"
    sentence += f" ({'a slope' if worst == 'slope' else 'a shift'}, in four of five such data sets)"
    if lost[worst] is None:
        return f"{sentence}."
    return f"{sentence}; it would usually have missed {shown(lost[worst])}."


def how_large_sentence(size, tolerance, level):
    """How large? Intercept, slope and RMS error beside the tolerance."""
    row = {quantity: size[size["quantity"] == quantity].iloc[0] for quantity in ("intercept", "slope", "RMS error")}
    rms = row["RMS error"]
    if not np.isfinite(rms["high"]):
        return "How large it is cannot be told: fewer than 20 hits or fewer than 20 misses."
    percent = f"{100 * (1 - level):g} %"
    parts = [
        f"{name} {shown(row[name]['estimate'])} [{shown(row[name]['low'])}, {shown(row[name]['high'])}]"
        for name in ("intercept", "slope")
        if np.isfinite(row[name]["high"])
    ]
    line = f"On the logit scale {' and '.join(parts)}; " if parts else ""
    span = f"[{shown(rms['low'])}, {shown(rms['high'])}]"
    if rms["high"] < tolerance:
        verdict = f"calibrated within tolerance ({short(tolerance)})"
    elif rms["low"] > tolerance:
        verdict = f"more than the tolerance of {short(tolerance)}"
    else:
        verdict = f"which may be more or less than the tolerance of {short(tolerance)}"
    return f"{line}RMS error {shown(rms['estimate'])} {span} ({percent} intervals): {verdict}."


def for_whom_sentence(groups, time, level):
    """For whom? The groups and periods whose adjusted p is at most `level`."""
    named, tested = [], 0
    for table, name_of in (
        (groups, lambda row: f"{row.column} = {row.level}"),
        (time, lambda row: f"time {row.period}"),
    ):
        if table is None:
            continue
        some = table[table["tested"]]
        tested += len(some)
        for row in some[some["p_adjusted"] <= level].sort_values("p_adjusted").itertuples():
            named.append((row.p_adjusted, f"{name_of(row)} ({_what(row)}, p {short(row.p_adjusted)})"))
    if groups is None and time is None:
        return "For whom was not asked: no groups were given."
    if not tested:
        return "For whom cannot be told: no group has 50 rows."
    if not named:
        return f"In none of {tested} groups was miscalibration found; small groups hide much."
    named.sort(key=lambda each: each[0])
    more = f", and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f"Found for {', '.join(words for _, words in named[:MOST_NAMED])}{more}."


def _what(row):
    """What is wrong in a group, in words."""
    gap = f"says {shown(abs(row.gap))} too {'much' if row.gap > 0 else 'little'}"
    if np.isfinite(row.slope) and not row.slope_low <= 1 <= row.slope_high:
        return f"{gap}, slope {shown(row.slope)}"
    return gap


def limits_of(panel, design, tables, n_resamples):
    """What this audit cannot say."""
    said = ["It speaks for rows drawn like these; of other places and times it knows nothing."]
    if panel.cluster is None:
        said.append("It takes rows for independent given the predictions: pass cluster= if some belong together.")
    else:
        said.append(
            "Rows of a cluster were redrawn with one uniform number: exact if their labels depend so, and cautious in "
            "all that was tried if they depend less."
        )
    if not panel.two and panel.cluster is not None:
        said.append("Of three classes and more, labels of a cluster that are equal by another rule are not covered.")
    if design == "cv":
        said.append("Predictions were made by cross-validation: models share rows, and p-values are approximate.")
    if np.ptp(panel.weights):
        said.append("With weights p-values are exact if labels are independent given predictions and weights.")
    said.append("The RMS error counts what differs between bins; waves within a bin are not counted.")
    groups = tables.get("groups")
    small = 0 if groups is None else int((~groups["tested"].astype(bool)).sum())
    if small:
        said.append(
            f"{'One group has' if small == 1 else f'{small} groups have'} fewer than 50 rows: shown, not tested."
        )
    if "local" not in tables:
        said.append("Whether it is right given features, or in groups that were not named, was not asked.")
    said.append(f"With {n_resamples} draws no p can be below {short(1 / (n_resamples + 1))}.")
    return said
