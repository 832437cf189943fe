"""Which paper a numbered equation, table or theorem in a sentence is from."""

import re

__all__ = ["PAPERS", "references"]

PAPERS = {
    "P": "Widmann, Lindsten & Zachariah, Calibration tests in multi-class classification (poster)",
    "G": "Gruber & Bach, Optimizing estimators of squared calibration errors in classification",
    "K": "Vashistha & Farahi, I-trustworthy models",
    "C": "Moskvichev & Sejdinovic, All models are miscalibrated, but some less so",
}
NAMES = {
    "P": r"Widmann|poster|SKCE",
    "G": r"Gruber|\bu?kkr\b|[Cc]alibration risk",
    "K": r"Vashistha|Farahi|KLCE|LCB",
    "C": r"Moskvichev|Sejdinovic|CKCE|JKCE|CMMD",
}
# Whose numbers a notebook or a room of the library means where it names nobody.
MEANT = {
    "02_binning_and_kde": "G", "03_calibration_risk": "G", "04_calibration_tests": "P", "05_local_calibration": "K",
    "06_conditional_error": "C", "01_cifar_calibration_risk": "G", "02_compas_local_calibration": "K",
    "03_housing_who_owns": "K", "04_heart_what_a_kernel_sees": "K",
    "binning": "G", "kde": "G", "risk": "G", "selection": "G", "kce": "P", "klce": "K", "ckce": "C",
}  # fmt: skip
LAST = {"P": 2, "G": 45, "K": 8, "C": 11}  # equation of each
KINDS = {
    "eq": "eq.", "equation": "eq.", "theorem": "theorem", "thm": "theorem", "lemma": "lemma", "table": "table",
    "proposition": "proposition", "prop": "proposition", "corollary": "corollary", "definition": "definition",
    "def": "definition", "figure": "figure", "algorithm": "algorithm",
}  # fmt: skip
NUMBER = r"(?:[A-Z]\.)?\d+(?:\.\d+)*"
NUMBERED = re.compile(
    rf"\b(?P<kind>{'|'.join(sorted(KINDS, key=len, reverse=True))})s?\.? "
    rf"(?P<numbers>{NUMBER}(?:(?:–|, | and ){NUMBER})*)",
    flags=re.I,
)


def references(text, lesson, context=""):
    """What a text refers to.

    Parameters
    ----------
    text : str
    lesson : str
        Stem of the notebook, or room of the library, that it stands in.
    context : str
        What else it belongs to; asked when its own sentence names no paper.

    Returns
    -------
    list of (str, str)
        Key of `PAPERS`, and such as "eq. 5".
    """
    found = []
    for sentence in re.split(r"(?<=[a-z0-9)][.?!;]) (?=[A-Z])|\n\n|\n\|", text):
        for each in NUMBERED.finditer(sentence):
            kind = KINDS[each["kind"].lower()]
            highest = max(int(number) for number in re.findall(r"\d+", each["numbers"])) if kind == "eq." else 0
            named = [*_named(sentence, each.start()), *_named(context, 0), MEANT.get(lesson)]
            paper = next((paper for paper in named if paper and highest <= LAST[paper]), None)
            if paper is None:
                continue
            for numbers in re.split(r", | and ", each["numbers"]):
                first, _, last = numbers.partition("–")
                several = range(int(first), int(last) + 1) if last.isdigit() and first.isdigit() else [first]
                found += [(paper, f"{kind} {number}") for number in several]
    return found


def _named(text, place):
    """The papers that are named, the one next to a place first."""
    named = [(abs(each.start() - place), paper) for paper, names in NAMES.items() for each in re.finditer(names, text)]
    return [paper for _, paper in sorted(named)]
