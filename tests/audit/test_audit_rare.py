"""Rare events: no number reads 0 or 1 that is not, what differs is told apart, and figures show it."""

import re
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn
from drawn import texts

import calibtutor as ct
from calibtutor.audit import report
from calibtutor.audit.sentences import numbers

EXACT = re.compile(r"(?<![\d.])([01]?\.0+|1\.0+)(?!\d|e)")  # a number that reads 0 or 1, with places


# --- numbers ---


def test_numbers_that_differ_are_told_apart_and_none_reads_0_or_1_but_what_is():
    rng = np.random.default_rng(0)
    for _ in range(4000):
        near, scale = rng.integers(2), 10.0 ** rng.uniform(-9, 0)
        values = np.abs(near - scale * 10.0 ** rng.uniform(-3, 0, 3))
        values[rng.random(3) < 0.1] = near
        for places in (None, 3, 4):
            texts = numbers(*values, places=places)
            read = np.array([float(each) for each in texts])
            off = np.minimum(values, 1 - values)
            assert ((read == 0) == (values == 0)).all() and ((read == 1) == (values == 1)).all(), (values, texts)
            assert texts[1] != texts[2] or np.isclose(values[1], values[2], rtol=1e-9, atol=0), (values, texts)
            if off.max() < 0.009 * 10.0 ** (3 - (places or 3)):  # all near 0, or all near 1: two digits
                assert (np.abs(read - values) <= 0.051 * off + 1e-12).all(), (values, texts)
            assert (np.abs(read - values) <= 0.0051).all()


def test_ordinary_numbers_look_as_ever():
    rng = np.random.default_rng(0)
    for _ in range(500):
        middle, reach = rng.uniform(0.2, 0.8), rng.uniform(0.02, 0.1)
        values = middle, middle - reach, middle + reach
        assert numbers(*values) == [f"{each:.2f}"[1:] for each in values]
        assert numbers(*values, places=3) == [f"{each:.3f}" for each in values]
    assert numbers(0.003, -0.0124, 0.0181, places=3) == ["0.003", "-0.012", "0.018"]
    assert numbers(0.00023, 0.000075, 0.0000369, 0.000113) == [".00023", ".000075", ".000037", ".00011"]
    assert numbers(0.4391, 0.4382, 0.4402) == [".439", ".438", ".440"] and numbers(0.0, 0.0, 0.02)[0] == ".000"


# --- reports ---

WORLDS = {  # prevalence, factor of what is said, rows, what else
    "over": (1e-3, 3, 30_000, "groups"),
    "under": (1e-3, 1 / 3, 30_000, "weights"),
    "rarer": (1e-4, 3, 60_000, "features"),
    "rarest": (1e-5, 1, 60_000, "cluster"),
    "three": (1e-4, 1, 20_000, "groups"),
    "nearly sure": (1e-3, 3, 30_000, "groups"),
}


@lru_cache
def rare(world):
    prevalence, factor, n, more = WORLDS[world]
    rng = np.random.default_rng(1)
    p = prevalence * np.exp(rng.normal(0, 1, n) - 0.5)
    y = drawn(rng, p / factor)
    if world == "three":
        sides = rng.beta(2, 2, n)
        p = np.column_stack([(1 - p) * sides, (1 - p) * (1 - sides), p])
        y = drawn(rng, p)
    if world == "nearly sure":
        y, p = 1 - y, 1 - p
    given = {"groups": rng.choice(["a", "b"], n), "weights": rng.choice([1.0, 2], n), "cluster": np.arange(n) // 4,
             "features": pd.DataFrame({"x": rng.normal(size=n)})}  # fmt: skip
    return ct.audit(y, p, rng=0, n_resamples=99, **{more: given[more]})


@pytest.mark.parametrize("world", WORLDS)
def test_no_number_of_a_report_reads_0_or_1_but_what_is(world):
    found = rare(world)
    for name, table in found.tables.items():
        exact = set(pd.Series(table.to_numpy().ravel()).map(lambda each: each if each in (0, 1) else None).dropna())
        for heading, cells, numeric in report.columns_of(table):
            for text in EXACT.findall(" ".join(cells)) if numeric else ():
                assert float(text) in exact, (name, heading, cells)
    rows, size = found.tables["size"].set_index("quantity"), " ".join(found.conclusions)
    for text in EXACT.findall(size):
        assert float(text) in rows[["estimate", "low", "high"]].to_numpy(), size
    said, happened = re.search(r"said ([\d.]+) on average, happened ([\d.]+)", size, re.I).groups()
    assert float(said) == pytest.approx(rows["estimate"]["said"], rel=0.05)
    assert float(happened) == pytest.approx(rows["estimate"]["happened"], rel=0.05)


@pytest.mark.parametrize(("world", "crowded"), [("over", True), ("nearly sure", True), ("three", False)])
def test_the_curve_of_scores_in_one_bin_has_bins_of_equal_mass_and_logit_axes(world, crowded):
    found = rare(world)
    table, figure = found.tables["curve"], found.figures["curve"]
    assert (len(table) == 15 and np.ptp(table["n"]) <= 1) == crowded
    assert ("ECE, 15 bins of equal mass" in set(found.tables["size"]["quantity"])) == crowded
    x = figure.axes[0].collections[-1].get_offsets()[:, 0]
    assert np.ptp(x) > 0.4 and (any("it never happened in" in each for each in texts(figure))) == (world == "over")
    gap = found.figures["groups"].axes[0]
    assert np.ptp(found.tables["groups"][["gap_low", "gap_high"]].to_numpy()) > 0.2 * np.ptp(gap.get_xlim())
