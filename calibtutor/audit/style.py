"""The page of an audit: templates and style sheet, the order of its sections and the headings of its tables."""

from importlib import resources

# What stands where: heading, how to read it, tables with their titles.
ORDER = [
    ("The data", "", {"data": "What came in"}),
    ("How large", "A slope below 1: probabilities too near to 0 and 1; above 1: not near enough. Intervals: {percent}. "
     "Compare models by the RMS error and its interval, on the same rows.",
     {"size": "Sizes with intervals", "ranks": "Ranks",
      "others": "What other tools report, beside what chance makes of it; each p alone, unadjusted, no verdict"}),
    ("For whom", "Gap: said − happened, so that above 0 a group is promised too much; p: of gap and slope together. "
     "Intervals are {percent} each; the adjusted p pays for all questions asked.", {"groups": "Groups and periods"}),
    ("Which classes", "Each class where it is the top label; p and intervals ({percent}) hold for all at once. "
     "Shrunk: the gap less what luck adds to the worst of many. In many classes the question about all probabilities "
     "at once (canonical) hardly sees over-confidence: so top labels are asked, too.", {"classes": "Worst first"}),
    ("Sets of the top k", "Is the label among the k most probable classes as often as they say together? Intervals: "
     "{percent} each.", {"sets": "Sets of the most probable classes"}),
    ("Where", "Regions were looked for in one half of the rows and tested on the other, since something was found.",
     {"regions": "Regions", "bias": "Said − happened by feature; intervals one by one, nothing tested"}),
    ("What a repair would change", "Fitted on one half, judged on the other. Change: after minus before, so below 0 is "
     "better. For rows drawn like these: on others the same map may do harm.",
     {"repair": "Recalibration maps"}),
    ("What would have been found", "The share of data sets with such an error in which this audit finds one.",
     {"missed": "Errors that would have been found"}),
    ("Appendix", "A statistic has a kernel of its own: only p-values compare.",
     {"questions": "All questions of the family", "not_run": "Not run, and why",
      "settings": "Settings, seeds and versions"}),
    ("", "", {"curve": "The reliability curve, bin by bin", "columns": "Columns of the file"})]
WORDS = {"p_adjusted": "p, adjusted", "band": "chance, all bins and questions at once", "size": "size (RMS)"}
STYLE, PAGE, FIRST = (resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
                      for name in ("page.css", "page.html", "first.html"))
