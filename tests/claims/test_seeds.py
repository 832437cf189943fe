"""Every claim takes its seeds from one place; a range lets chance in as far as the binomial says, no further."""

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from seeds import RISK, Seeds, mean_within, within

OWN = {"rng", "random_state", "seed"}  # arguments that are seeds
FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem not in ("seeds", "test_seeds"))


@pytest.fixture(autouse=True)
def uncounted(monkeypatch):
    monkeypatch.setattr("seeds._compared", 0)


def _is_written(node):
    """Whether a seed stands there as a number, or a list that holds nothing else."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_written, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def seeds_of_its_own(source):
    """The lines on which code chooses a seed by itself: rng=0, default_rng([4, 1]), for seed in range(20)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [each.value for each in node.keywords if each.arg in OWN]
            given += node.args[:1] if name in ("default_rng", "SeedSequence", "RandomState") else []
            found += [node.lineno for each in given if _is_written(each)]
        elif isinstance(node, ast.For | ast.comprehension):
            names = {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
            calls = [each for each in ast.walk(node.iter) if isinstance(each, ast.Call)]
            ranges = any(getattr(each.func, "id", "") == "range" for each in calls)
            if ranges and any("seed" in name or "split" in name for name in names):
                found.append(node.iter.lineno)
    return sorted(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_claim_chooses_its_seeds(path):
    lines = seeds_of_its_own(path.read_text(encoding="utf-8"))
    assert not lines, f"{path.name} {lines}: take `seeds`, or `as_shown` for a draw of the course (see seeds.py)"


@pytest.mark.parametrize(
    ("code", "own"),
    [
        ("f(rng=0)", True),
        ("np.random.default_rng([7, 1])", True),
        ("[f(seed) for seed in range(20)]", True),
        ("for n, seed in product((1, 2), range(9)):\n    f(seed)", True),
        ("f(rng=as_shown(0)); default_rng([7, seed]); g(random_state=seed)", False),
        ("for seed in seeds(20):\n    f(rng=seeds.rng(4, seed))", False),
    ],
)
def test_a_seed_of_its_own_is_found(code, own):
    assert bool(seeds_of_its_own(code)) == own


def test_bases_share_no_seed():
    drawn = [seed for base in range(50) for seed in Seeds(base)(1000)]
    assert len(set(drawn)) == len(drawn) and min(drawn) > 10_000 and max(drawn) < 2**31
    assert list(Seeds(3)(5)) == list(Seeds(3)(9))[:5]
    assert Seeds(3).rng(1).random() == Seeds(3).rng(1).random() != Seeds(4).rng(1).random()


@pytest.mark.parametrize(("n", "low", "high"), [(20, 0.9, 1.0), (400, 0.05, 0.05), (1000, 0.3, 0.4)])
def test_a_share_is_let_in_as_far_as_its_binomial_goes(n, low, high):
    kept = np.array([within(hits, n, low, high) for hits in range(n + 1)])
    for chance in (low, high):
        assert 1 - binom.pmf(np.arange(n + 1), n, chance)[kept].sum() <= RISK
    inside = np.flatnonzero(kept)
    assert binom.cdf(inside[0], n, low) < 100 * RISK or low == 1 or inside[0] == 0  # and it can fail
    assert not kept.all()


def test_a_mean_is_let_in_as_far_as_its_error_goes():
    values = np.random.default_rng(0).normal(size=400)
    assert mean_within(values, 0) and mean_within(values, 0.2, 9) and not mean_within(values, 0.4)
    with pytest.raises(AssertionError, match="count hits"):
        within(0.05, 20, 0.1)
