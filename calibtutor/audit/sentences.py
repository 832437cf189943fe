"""Rules that turn tables into sentences. None of them can say that a model is calibrated."""

import re

import numpy as np

from ..recalibration.posthoc import TEMPERATURES
from .clusters import FEWEST_HOLDING
from .intervals import CLIP, design_effect
from .missed import size_found
from .questions import CURVE, FEWEST_ROWS, LINE, RMS

OVERALL = (LINE, CURVE, RMS, "canonical", "top label")
FOUND, MISSED = 0.8, 0.2  # with which probability an error "would have been found", or "usually missed"
WRONG = {"shift": "if it says too much", "slope": "if it is too extreme"}  # other directions are not tried
MOST_NAMED, ENDS = 3, ["estimate", "low", "high"]
NOISE, TINY = 1e-14, 1e-6  # of sums in floating point; smaller is written with a power of ten


def numbers(*values, places=None):
    """Texts of numbers that are read together; of two or more, the last two are told apart if they differ.

    With so many places; without, two digits that count, at most three places, and no zero before the point. What is all
    so near to 0 or 1 that this leaves one digit has two digits that count: of a rare event, and of a common one what is
    missing to 1. Nothing reads 0 or 1 but what is (to 14 places).
    """
    known = [value for value in values if value is not None and np.isfinite(value)]
    rare = 0 < max(map(_off, known), default=1) < 9.95 * 10.0 ** -(places or 3)
    for more in range(12):
        texts = [_in_digits(value, places or (2 if abs(value) >= 0.0995 else 3), more, rare) if value in known
                 else "unknown" for value in values]
        if texts[-1] not in texts[-2:-1] or np.isclose(*values[-2:], rtol=1e-9, atol=NOISE, equal_nan=True):
            break
    return texts if places else [re.sub(r"^(-?)0\.", r"\1.", text) for text in texts]


def _off(value):
    """The distance to 0 or 1."""
    off = min(abs(value), abs(1 - value))
    return off if off > NOISE else 0.0


def _in_digits(value, places, more, rare):
    if not (off := _off(value)):
        return f"{value:z.{0 if rare else places + more}f}"
    if abs(value) < TINY:
        return f"{value:.{1 + more}e}"
    places, digits = places + more, int(rare) + more  # digits that count of the distance, besides the first
    if rare or float(f"{value:.{places}f}") in (0, 1):
        places = max(places, digits - int(f"{off:.{digits}e}".split("e")[1]))
    return f"{value:.{places}f}"


def shown(value):
    """One number, as `numbers` prints it."""
    return numbers(value)[0]


def detected_sentence(questions, level, missed, two=True, doubts=()):
    """Detected, and by which questions? With nothing found, what would have been; in the top label if not `two`.

    What the input made doubtful comes first: it may be all that was found.
    """
    doubts = "".join(f"Is the input right? {doubt}{'' if doubt.endswith('?') else '.'} " for doubt in doubts)
    first = questions.sort_values(["p_adjusted", "p"], kind="stable").iloc[0]
    how = f"p {short(first['p'])} ({first['question']})"
    if len(questions) > 1:
        how += f", {short(first['p_adjusted'])} adjusted for {len(questions)} questions"
    if first["p_adjusted"] > level:
        return f"{doubts}No miscalibration found: {how}. {_would_have(missed, two)}"
    overall = questions.loc[questions["question"].isin(OVERALL), "p_adjusted"].min()
    alone = f" In all rows taken together nothing was found (p {short(overall)})." if overall > level else ""
    return f"{doubts}Miscalibration found: {how}.{alone}"


def surprises_sentence(surprises, pvalue=None, level=0.05):
    """Outcomes that were called all but impossible, (row, label, probability), and what is found without them."""
    if not surprises:
        return ""
    named = ", ".join(f"row {row} (label {label}, probability {value:.1g})" for row, label, value in surprises[:3])
    more = f", and {len(surprises) - 3} more" if len(surprises) > 3 else ""
    then = "at most one in a hundred calibrated models has such a row"
    if pvalue is not None:
        then = "without such rows nothing is found" if pvalue > level else "it is found without such rows, too"
        then += f" (adjusted p {short(pvalue)})"
    return f" It had called all but impossible what happened in {named}{more}; {then}."


def short(value):
    """As many digits as there are, three at most: a p-value, a tolerance."""
    return f"{value:.3g}".replace("0.", ".", 1)


def _would_have(missed, two):
    if missed is None or not len(missed):
        return "What would have been found could not be worked out: all predictions are certain."
    found, lost = ({error: size_found(missed, error, share) for error in WRONG} for share in (FOUND, MISSED))
    known = [error for error in WRONG if found[error] is not None]
    if not known:
        most = missed.loc[missed["found"] < FOUND, "size"].max()
        return f"Data as few as these cannot say much: even an RMS error of {shown(most)} could be missed."
    worst = max(known, key=found.get)
    sizes = numbers(*(each[worst] for each in (found, lost) if each[worst] is not None))
    usually = "" if lost[worst] is None else f"; one of {sizes[1]} would usually have been missed"
    size = f"{'' if two else 'in the top label '}of {sizes[0]} ({WRONG[worst]})"
    return f"An RMS error {size} would have been found in four of five such data sets{usually}."


def how_large_sentence(size, tolerance, level, *, two=True, questions=None):
    """How large? Said and happened, slope and RMS error beside the tolerance; of the top label if not `two`.

    An interval is about one number, and a question pays for the others: only if intercept and slope were found wrong
    among all questions is it said in which direction; and where nothing was found, "more" is not said without a word.
    """
    rows = size.set_index("quantity")
    said, happened, gap, rms = (rows.loc[name] for name in ("said", "happened", "gap", "RMS error"))
    found, nothing = found_line(questions, level), questions["p_adjusted"].min() > level
    means = {name: f" ({meaning})" if meaning and found else "" for name, meaning in _beyond(size).items()}
    words = beside(said["estimate"], happened["estimate"], ends=[*gap[ENDS]])
    parts = ["said {} on average, happened {}, gap {}".format(*words) + means["gap"]]
    if np.isfinite(rows.loc["slope", "high"]):
        turned = " (the wrong way round)" if rows.loc["slope", "high"] < 0 else means["slope"]
        parts.append(f"slope of the logits {interval(*rows.loc['slope', ENDS])}{turned}")
    least = max(gap["low"], -gap["high"])
    verdict = f"which may be more or less than the tolerance of {short(tolerance)}"
    if rms["high"] < tolerance:
        verdict = f"within the tolerance of {short(tolerance)}, all rows taken together"
        if two and said["estimate"] < tolerance:
            verdict += "; that is more than it said on average: choose a smaller one (tolerance)"
    elif rms["low"] > tolerance or least > tolerance:
        verdict = f"more than the tolerance of {short(tolerance)}"
        verdict += " by its own interval, though among all questions nothing was found" if nothing else ""
    if np.isfinite(rms["high"]):
        parts.append(f"RMS error between bins {interval(*rms[ENDS])} ({100 * (1 - level):g} % intervals): {verdict}")
    else:
        parts.append("too few hits or misses leave the RMS error between bins open")
        parts[-1] += f", but on average alone it is {verdict}" if least > tolerance else ""
    text = "; ".join(parts) + "."
    return f"{text[0].upper()}{text[1:]}" if two else f"Of the top label: {text}"


def candidates_sentence(tables):
    """Of candidates: all that is beyond them, and surprise − entropy; else nothing."""
    size, said = tables["size"].set_index("quantity"), ""
    if "ranks" in tables and (row := tables["ranks"].iloc[-1])["rank"].startswith("beyond"):
        said = f" Beyond the candidates: {_what(row)}."
    if "surprise − entropy" in size.index:
        said += f" Surprise − entropy: {interval(*size.loc['surprise − entropy', ENDS])} nats (0 if right; not tested)."
    return said


def interval(*ends):
    """An estimate and its interval, if it has one."""
    return beside(ends=ends)[-1]


def beside(*others, ends):
    """Other numbers, and an estimate with its interval, if it has one, as texts that tell them apart."""
    texts, k = numbers(*others, *(ends if np.isfinite(ends[-1]) else ends[:1])), len(others)
    return *texts[:k], texts[k] + (f" [{', '.join(texts[k + 1 :])}]" if texts[k + 1 :] else "")


def _says(said, gap, *ends):
    """What is said of some rows and how often it happened; and the gap, if its interval is given."""
    if not ends:
        return "says {}, happened {}".format(*numbers(said, said - gap))
    return "says {}, happened {}, gap {}".format(*beside(said, said - gap, ends=(gap, *ends)))


def _beyond(size):
    """What mean and slope mean if their intervals hold only one side of what would be right, or ""."""
    rows = size.set_index("quantity")
    low, high = rows["low"], rows["high"]
    right = {"gap": (0, "says too little", "says too much"), "slope": (1, "too extreme", "not extreme enough")}
    return {name: below if high[name] < value else above if low[name] > value else ""
            for name, (value, below, above) in right.items()}


def for_whom_sentence(tables, level):
    """For whom? The groups whose adjusted p is at most `level`, the surest first; and the surest region."""
    parts, region = tables.get("groups"), _classes(tables, level) + _region(tables, level)
    if parts is None:
        return f"For whom was not asked: no groups were given.{region}"
    tested = parts[parts["tested"].astype(bool)]
    if not len(tested):
        return f"For whom cannot be told: no group has {FEWEST_ROWS} rows.{region}"
    found = _surest(tested[tested["p_adjusted"] <= level])
    if not found:
        return f"Nothing found by group (tested: {len(tested)}); small ones hide much.{region}"
    how = ", the clearest first:" if len(found) > 1 else ", namely"
    words = [f"{row.column} = {row.level} ({_what(row)}, p {short(row.p_adjusted)})" for row in found[:MOST_NAMED]]
    more = f", and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    others = " The others are not cleared by that." if len(found) < len(tested) else ""
    return f"Found in {len(found)} of {len(tested)} groups{how} {', '.join(words)}{more}.{others}{region}"


def _classes(tables, level):
    """How many of many classes are wrong where they are the top label, and the worst of them."""
    if "classes" not in tables or not (found := tables["classes"]["p_adjusted"] <= level).any():
        return ""
    row = tables["classes"][found].iloc[0]
    said = _says(row["said"], row["gap"])
    return f" Where it is the top label, {found.sum()} of {len(found)} classes, first {row['class']} ({said})."


def _region(tables, level):
    """The surest region, if one was found."""
    if "regions" not in tables or tables["regions"]["p_adjusted"].min() > level:
        return ""
    row = _surest(tables["regions"])[0]
    return f" Found where {row.rule}: {_what(row)}, p {short(row.p_adjusted)} (tested on other rows)."


def _surest(table):
    """Rows by their adjusted p, of equal ones first whose gap or slope is furthest off in units of its interval."""
    off = {"gap": table["gap"].abs(), "slope": (table["slope"] - 1).abs()}
    sure = np.fmax(*(value / (table[f"{name}_high"] - table[f"{name}_low"]) for name, value in off.items()))
    return list(table.assign(unsure=-sure).sort_values(["p_adjusted", "unsure"], kind="stable").itertuples())


def _what(row):
    """What is wrong in a group, in words: its slope if the mean may be right."""
    if row.gap_low <= 0 <= row.gap_high and not row.slope_low <= 1 <= row.slope_high and np.isfinite(row.slope):
        return f"slope {shown(row.slope)}"
    return _says(row.said, row.gap, row.gap_low, row.gap_high)


def divided_sentence(repair, level):
    """What dividing logits by T does to rows that T was not learnt from; "" where that was not tried, or is unclear."""
    rows = [] if repair is None else [row for _, row in repair.iterrows() if row["map"].startswith(("as it", "Temp"))]
    if len(rows) < 2 or not np.isfinite([row["RMS_error"] for row in rows]).all():
        return ""
    ends = lambda row, name: interval(*row[[name, f"{name}_low", f"{name}_high"]])
    (before, after), T = rows, float(rows[1]["map"].partition("= ")[2])
    if not TEMPERATURES[0] < T < TEMPERATURES[1]:
        return f"No temperature helps: the best T lies at an end of its range, {short(T)}."
    rms, ece = " → ".join(ends(row, "RMS_error") for row in rows), " → ".join(shown(row["ECE"]) for row in rows)
    if np.isfinite(after["ECE_low"]):
        ece += " ({} to {} by chance alone)".format(*numbers(after["ECE_low"], after["ECE_high"]))
    loss = better = ""
    if np.isfinite(after["log_loss_change"]):
        loss = "; log loss {} → {}, a change of ".format(*numbers(before["log_loss"], after["log_loss"]))
        loss += ends(after, "log_loss_change")
    most = repair.fillna({"log_loss_change_high": np.inf}).nsmallest(1, "log_loss_change_high").iloc[0]
    if most["log_loss_change_high"] < after["log_loss_change_low"]:
        better = f" {most['map']} does more: RMS error {ends(most, 'RMS_error')}."
    return (f"Logits divided by T = {short(T)} (learnt on half of the rows), on the other half: RMS error {rms}; "
            f"ECE {ece}{loss} ({100 * (1 - level):g} % intervals).{better}")


def found_line(questions, level):
    """Whether intercept and slope were found wrong among all questions."""
    return bool((questions.loc[questions["question"] == LINE, "p_adjusted"] <= level).any())


def design_sentence(panel):
    """How much more clusters let means vary than independent rows would."""
    effects = [design_effect(each, panel.weights, panel.cluster) for each in (panel.said - panel.hit, panel.hit)]
    text = " Design effect of the clusters (1 if rows are independent): {} for the gap, {} for how often it happened."
    return text.format(*(short(float(f"{each:.2g}")) for each in effects))


def _redrawn(panel, few, n_questions):
    """What was redrawn of clusters, of (few questions, others left open) (None: labels of all), and what that means."""
    labels = ("labels of a cluster were redrawn with one uniform number: exact if they depend so, and cautious in all "
              f"that was tried if they depend less{'' if panel.two else ' by the same rule'}.")
    why = f"fewer than {FEWEST_HOLDING} clusters hold a hit, or a miss"
    if few is None:
        asked = panel.robust and len(np.unique(panel.cluster)) < len(panel)
        return f"As {why}, {labels}" if asked else f"L{labels[1:]}"
    some, left = (f"{len(each)} of {n_questions} questions" if each else "" for each in few)
    return ("Signs of whole clusters were redrawn: right however rows of a cluster depend, if clusters are independent "
            "and many; in simulations 7 % of calibrated models at most were called wrong at a level of 5 %, and up to "
            "10 % where labels of a cluster are all but equal."
            f"{f' In {some} {why}: there {labels}' if some else ''}"
            f"{f' {left} are left open (p = 1): few clusters make up what is seen.' if left else ''}")


def limits_of(evidence, design, tables):
    """What this audit cannot say."""
    panel, n_resamples, parts = evidence.panel, evidence.n_resamples, tables.get("groups")
    beyond = [name for name, said in _beyond(tables["size"]).items() if said]
    clipped = int(((panel.said < CLIP) | (panel.said > 1 - CLIP)).sum()) if panel.logs is None else 0
    small = 0 if parts is None else int((~parts["tested"].astype(bool)).sum())
    asked, clusters = evidence.features is not None, panel.cluster is not None
    said = [(True, "It speaks for rows drawn like these; of other places and times it knows nothing."),
            (not clusters, "It takes rows for independent given the predictions: name what they belong to (cluster) if "
             "some belong together."),
            (clusters, clusters and _redrawn(panel, evidence.null and evidence.null.few, len(tables["questions"]))),
            (not panel.two, "Sizes and groups are those of the top label; the other classes are only asked about."),
            (panel.ranked and "beyond" in " ".join(panel.names), "Beyond the candidates only the sum is asked about."),
            (design == "cv", "Predictions were made by cross-validation: they hold the labels of other rows, and no "
             "p-value is exact. In simulations p was too large for models of the right form with many rows a "
             "parameter, and too small with few, or where nearly the same was said of all rows."),
            (beyond and not found_line(tables["questions"], evidence.level), f"The interval of "
             f"{' and of '.join(f'“{name}”' for name in beyond)} is about that number alone; among all questions it "
             "was not found to be wrong."),
            (True, "What is wrong in fewer rows than a bin holds, or in waves within a bin, is averaged away."),
            (clipped, f"{clipped:,} of {len(panel):,} predictions are nearer than {f'{CLIP:f}'.lstrip('0')} to 0 or 1: "
             "logits stop there, and the slope depends on where."),
            (small, f"Not tested, for want of {FEWEST_ROWS} rows: {small} of {small and len(parts)} groups."),
            (not asked, "Whether it is right given features, or in groups not named, was not asked."),
            (True, f"With {n_resamples} draws no p can be below {short(1 / (n_resamples + 1))}.")]
    return [sentence for holds, sentence in said if holds]
