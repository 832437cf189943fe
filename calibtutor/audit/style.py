"""The page of an audit: its style sheet, the order of its sections and its words."""

from importlib import resources

# What stands where: heading, how to read it, tables with their titles.
ORDER = [
    ("The data", "", {"data": "What came in"}),
    ("How large", "A slope below 1: probabilities too near to 0 and 1; above 1: not near enough. Intervals: {percent}. "
     "Compare models by the RMS error and its interval, on the same rows; a statistic has a kernel of its own.",
     {"size": "Sizes with intervals", "notions": "Notions of calibration, each a question of its own",
      "estimators": "Estimators of the RMS error, the one of least risk first"}),
    ("For whom: groups", "Gap: said − happened, so that above 0 a group is promised too much. "
     "Intervals are {percent} each; the adjusted p pays for all questions asked.", {"groups": "Groups"}),
    ("For whom: time", "Gap and slope in each period, as for groups.", {"time": "Periods"}),
    ("Where", "Regions were looked for in one half of the rows and tested on the other.",
     {"local": "Given the features", "regions": "Regions"}),
    ("What a repair would change", "Fitted on one half, judged on the other: after minus before, so below 0 is better.",
     {"repair": "Recalibration maps"}),
    ("What would have been found", "The share of data sets with such an error in which this audit finds one.",
     {"missed": "Errors that would have been found"}),
    ("Appendix", "", {"questions": "All questions of the confirmatory family", "not_run": "Not run, and why",
                      "settings": "Settings, seeds and versions"}),
    ("", "", {"curve": "The reliability curve, bin by bin", "columns": "Columns of the file"}),
]  # fmt: skip
# What the words of page one mean, for who meets them first.
MEANINGS = [
    ("p", "how often a calibrated model would look as bad as this, or worse, in the question that is worst; adjusted: "
     "all questions together raise a false alarm with probability {level} at most."),
    ("slope", "how far probabilities should be stretched (above 1) or shrunk (below 1: over-confident), on the scale "
     "log(p/(1 − p)), the logit."),
    ("intercept", "by how much they should all be moved on that scale if the slope is left at 1: below 0 the model "
     "says too much. It is no part of one line with the slope."),
    ("RMS error", "a typical distance between what is said and how often it happens, over groups of rows to which "
     "nearly the same is said. An average: for some rows it is larger, and no single case has one."),
    ("tolerance", "the RMS error that would not matter to you. {tolerance} is a setting, not a standard."),
    ("groups", "a group is named if it is wrong, not because it differs from the others; what is wrong with all rows "
     "is wrong in most groups."),
]  # fmt: skip
WORDS = {
    "p_adjusted": "p, adjusted",
    "band": "chance, all bins at once",
    "told_apart": "told apart from the first",
    "log_loss": "log loss",
    "size": "size (RMS)",
    "found": "found (share)",
}


STYLE = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
