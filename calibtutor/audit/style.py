"""The page of an audit: its style sheet, the order of its sections and its words."""

# What stands where: heading, how to read it, tables.
ORDER = [
    ("The data", "", ["data"]),
    ("How large", "A slope below 1: probabilities too near to 0 and 1; above 1: not near enough. Intervals: {percent}. "
     "Compare models by the RMS error and its interval, on the same rows; a statistic has a kernel of its own.",
     ["size", "notions", "estimators"]),
    ("For whom: groups", "Gap: said − happened, so that above 0 a group is promised too much. "
     "Intervals are {percent} each; the adjusted p pays for all questions asked.", ["groups"]),
    ("For whom: time", "Gap and slope in each period, as for groups.", ["time"]),
    ("Where", "Regions were looked for in one half of the rows and tested on the other.", ["local", "regions"]),
    ("What a repair would change", "Fitted on one half, judged on the other: after minus before, so below 0 is better.",
     ["repair"]),
    ("What would have been found", "The share of data sets with such an error in which this audit finds one.",
     ["missed"]),
    ("Appendix", "", ["questions", "not_run", "settings"]),
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
TITLES = {
    "data": "What came in",
    "size": "Sizes with intervals",
    "curve": "The reliability curve, bin by bin",
    "notions": "Notions of calibration, each a question of its own",
    "estimators": "Estimators of the RMS error, the one of least risk first",
    "groups": "Groups",
    "time": "Periods",
    "local": "Given the features",
    "regions": "Regions",
    "repair": "Recalibration maps",
    "missed": "Errors that would have been found",
    "questions": "All questions of the confirmatory family",
    "not_run": "Not run, and why",
    "settings": "Settings, seeds and versions",
}
WORDS = {
    "p_adjusted": "p, adjusted",
    "band": "chance, all bins at once",
    "told_apart": "told apart from the first",
    "log_loss": "log loss",
    "size": "size (RMS)",
    "found": "found (share)",
}

# Light and dark by the reader's setting; pictures stay on white paper; tables scroll inside their box.
STYLE = """
:root{color-scheme:light dark;--ink:#222;--soft:#5f5f5f;--paper:#fff;--line:#d8d8d8;--miss:#c23b00;--kept:#0072b2}
@media (prefers-color-scheme:dark){:root{--ink:#ececec;--soft:#b5b5b5;--paper:#181818;
--line:#444;--miss:#ff8a5c;--kept:#6cb8ea}}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1060px;margin:0 auto;padding:16px}
h1{font-size:1.5rem;line-height:1.25;margin:.4em 0 .1em;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:1.6em 0 .3em}
p,ul{margin:.3em 0 .7em;max-width:46em}
ul{padding-left:1.2em}
.about,caption{color:var(--soft)}
.first{display:grid;grid-template-columns:minmax(0,1fr);column-gap:32px}
.first h2{margin:.9em 0 .1em}
.said{border-left:4px solid var(--kept);padding-left:14px}
details{margin:.6em 0}summary{cursor:pointer;padding:.3em 0}dl{margin:.2em 0;max-width:46em}
dt{font-weight:600}dd{margin:0 0 .5em}
.said.found{border-color:var(--miss)}
.said h2:first-child{margin-top:0}
figure{margin:14px 0;max-width:100%}
figure .scroll{background:#fff;border-radius:6px;margin:0}
figure img{display:block;height:auto}
figure.small img{max-width:100%}
.scroll{overflow-x:auto;margin:.6em 0 1.4em}
.scroll:focus-visible{outline:2px solid var(--kept)}
table{border-collapse:collapse;min-width:min(100%,26em);font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .3em;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.25em .9em .25em 0;border-bottom:1px solid var(--line)}
th{font-weight:600;white-space:nowrap}
td{white-space:nowrap}
td.w{white-space:normal;min-width:13em;max-width:34em}
.n{text-align:right;white-space:nowrap}
@media (max-width:480px){table{font-size:.82rem}th,td,.n{padding-right:.6em;white-space:normal}td.w{min-width:8em}}
@media (min-width:860px){.first{grid-template-columns:minmax(0,1.05fr) minmax(0,1fr);grid-template-rows:auto 1fr}
.first .said{grid-column:1}.first figure{grid-column:2;grid-row:1/3;margin-top:0}.first .limits{grid-column:1}}
@media print{:root{--ink:#000;--soft:#444;--paper:#fff;--line:#bbb;--miss:#c23b00;--kept:#0072b2}
body{font-size:10.5pt}main{max-width:none;padding:0}.first{grid-template-columns:1.05fr 1fr;
grid-template-rows:auto 1fr;break-after:page}
.first .said,.first .limits{grid-column:1}.first figure{grid-column:2;grid-row:1/3}
.scroll{overflow:visible}
td,td.w{white-space:normal;min-width:0}
figure img,table{max-width:100%}figure,tr{break-inside:avoid}h2{break-after:avoid}}
"""
