"""An audit with tables that are made up, for what reads tables: figures, pages, the command."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from calibtutor.results import Result


@dataclass(frozen=True, eq=False, repr=False)
class MadeUp(Result):
    """As `calibtutor.Audit`, without the statistics."""

    detected: bool
    pvalue: float
    conclusions: list
    limits: list
    tables: dict = field(repr=False)
    settings: dict = field(default_factory=dict)


def table(columns, *rows):
    return pd.DataFrame(rows, columns=columns.split())


def curve(outside=2, bins=10):
    low = np.arange(bins) / bins
    said = low + 0.5 / bins
    happened = said.copy()
    happened[:outside] += 0.2
    n = np.arange(bins) * 40 + 20
    return pd.DataFrame({"low": low, "high": low + 1 / bins, "n": n, "said": said, "happened": happened,
                         "band_low": said - 0.08, "band_high": said + 0.08})  # fmt: skip


FOREST = "n gap gap_low gap_high slope slope_low slope_high p p_adjusted tested"


def groups(levels=3, found=(0,), column="site"):
    rows = []
    for k in range(levels):
        gap, tested = 0.15 if k in found else 0.01 * (k % 3 - 1), k != levels - 1 or levels == 1
        p = (0.001, 0.004) if k in found else (0.02, 0.9) if tested else (np.nan, np.nan)
        slope = 0.6 if k in found else 1.05
        n = 200 + k if tested else 21
        width = 0.05 if tested else 0.3
        rows.append((column, f"level {k}", n, gap, gap - width, gap + width, slope, slope - 3 * width,
                     slope + 3 * width, *p, tested))  # fmt: skip
    return table(f"column level {FOREST}", *rows)


def time(periods=4):
    return groups(periods, ()).rename(columns={"level": "period"}).drop(columns="column")


def made_up(**changes):
    nan = float("nan")
    tables = {
        "data": table("what value note", ("n", 918, ""), ("rows of class 'no'", 410, ""),
                      ("share at 0 and 1", 0.031, "log loss may be infinite <b>")),
        "size": table("quantity estimate low high note", ("intercept", -0.12, -0.3, 0.06, ""),
                      ("slope", 0.59, 0.52, 0.66, ""), ("RMS error", 0.0812, 0.061, 0.103, ""),
                      ("ECE, 15 bins", 0.058, 0.02, 0.04, "the range it has for a calibrated model"),
                      ("Brier score", 0.113, nan, nan, "")),
        "curve": curve(),
        "notions": table("notion statistic p p_adjusted", ("top label", 0.001, 0.001, 0.003)),
        "groups": pd.concat([groups(2, ()).assign(column="sex"), groups(5, (1,))], ignore_index=True),
        "time": time(),
        "local": table("question statistic p p_adjusted", ("given age and dose", 0.0003, 0.4, 0.8)),
        "regions": table("rule n gap gap_low gap_high p p_adjusted",
                         ("age > 61 and dose <= 3", 88, 0.2, 0.1, 0.3, 0.001, 0.004)),
        "repair": table("map brier brier_low brier_high log_loss log_loss_low log_loss_high",
                        ("temperature", -0.01, -0.02, -0.001, -0.03, -0.05, -0.01)),
        "estimators": table("estimator risk told_apart", ("15 bins", -0.0012, False)),
        "questions": table("question p p_adjusted", ("top label", 0.001, 0.003)),
        "missed": table("error size found", ("shift", 0.06, 0.81), ("slope", 0.05, 0.8)),
        "settings": table("name value", ("draws", 999), ("seed", 0), ("kernel", "laplacian(0.2)")),
        "not_run": table("what why", ("canonical", "two classes")),
    }  # fmt: skip
    given = {
        "detected": True,
        "pvalue": 0.003,
        "conclusions": ["Miscalibration found (adjusted p = .003).",
                        "The slope is 0.59 [0.52, 0.66], the RMS error 0.081 [0.061, 0.103].",
                        "level 1 of site: gap +0.15."],
        "limits": ["What happens to patients <18 is not in the data.", "Other hospitals."],
        "tables": tables,
        "settings": {"design": "holdout", "level": 0.05, "tolerance": 0.05},
    }  # fmt: skip
    return MadeUp(**given | changes)
