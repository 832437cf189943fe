"""The list of what papers print is complete: every code that the course cites is there, once, and leads somewhere."""

import ast
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom, chi2
from sentences import LESSONS, NOTEBOOKS, ROOT, notebook

from calibtutor import fit_kkr, fit_ukkr, jkce, laplacian, select_estimator

CODE = re.compile(r"(?<![\w-])([GKCPU])(\d+)([a-z]?)(?![\w(])(?:(?:–| to )\1?(\d+)\b)?")
PAGE = (NOTEBOOKS / "errata.md").read_text(encoding="utf-8")
PARTS = ["Wrong in print", "Left unsaid", "Our criticism"]


def parts(page):
    """The rows of each part: {title: [cells of a row, …]}."""
    titled = (part.partition("\n") for part in re.split(r"^## ", page, flags=re.M)[1:])
    return {
        title: [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| (?!code \|)", line)]
        for title, _, text in titled
    }


ROWS = [row for rows in parts(PAGE).values() for row in rows]


def codes(text):
    """The codes in a text; “K6–K10” are five, and “errata S” is one."""
    found = set(re.findall(r"\berrata (S)\b", text))
    for paper, first, letter, last in CODE.findall(text):
        found |= {f"{paper}{k}{letter}" for k in range(int(first), int(last or first) + 1)}
    return found


def listed():
    return [code for row in ROWS for code in row[0].split(", ")]


def spoken(path):
    """The texts of a notebook, or of a source file."""
    if path.suffix == ".ipynb":
        return "\n".join(cell.source for cell in notebook(path).cells)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(text for text in texts if " " in text.strip())


@pytest.mark.parametrize("folder", [NOTEBOOKS, LESSONS, ROOT / "calibtutor"], ids=lambda folder: folder.name)
def test_every_code_that_is_cited_is_listed(folder):
    cited = {}
    for path in sorted([*folder.rglob("*.ipynb"), *folder.rglob("*.py")]):
        if ".ipynb_checkpoints" not in path.parts:
            for code in codes(spoken(path)):
                cited.setdefault(code, path.name)
    assert {code: where for code, where in cited.items() if code not in listed()} == {}
    assert len(cited) > 15


def test_every_row_stands_once_and_leads_to_what_exists():
    assert [code for code, times in Counter(listed()).items() if times > 1 and code != "–"] == []
    assert {f"K{k}" for k in range(1, 34)} | {"C3b"} <= set(listed()) and list(parts(PAGE)) == PARTS
    lines = [line for line in PAGE.splitlines() if line.startswith("|") and not re.match(r"\| code|\|---", line)]
    assert len(lines) == len(ROWS) and [row for row in ROWS if len(row) != 5 or not all(row)] == []
    for row in ROWS:
        for name in re.findall(r"`([\w/]+\.py)`", row[-1]):
            assert any((folder / name).exists() for folder in (ROOT, ROOT / "calibtutor")), name
        for number in re.findall(r"notebooks? (\d\d)", row[-1]):
            assert list(NOTEBOOKS.glob(f"{number}_*.ipynb")), row


def row_of(code):
    (row,) = (row for row in ROWS if row[0] == code)
    return " | ".join(row)


def test_numbers_of_rows(seeds):
    assert "at n = 6,400 the printed λ are 6,400 and 716 times as large" in row_of("G2")
    assert [round(6400 ** (0.5 + power)) for power in (0.5, 0.25)] == [6400, 716]
    assert "with k = l = 1, centred permutations do so in 32 % for large n" in row_of("S")
    assert round(chi2.sf(1, 1), 2) == 0.32  # (Σδ)² > Σδ²
    assert "at least −.001001 on any rows, and −.00002 on the validation set" in row_of("C1")
    assert round(jkce(np.arange(1000), np.full((1000, 1000), 0.001)), 6) == -0.001001  # no two labels alike
    alike = (50_000 / 1000 - 1) / (50_000 - 1)  # of two rows, the classes being balanced
    assert round((1 + 1 / 1000) * (alike - 1 / 1000), 6) == -2e-5
    assert "the mean of the five roots, which is at most the root of the mean" in row_of("G7")
    for seed in seeds(20):
        p = np.random.default_rng(seed).random(100)
        y = np.random.default_rng(seed + 1).random(100) < p**2
        found = select_estimator(y, p, candidates=["h = 0", "15 bins"], rng=seed).table
        assert (found["root_risk"] < 100 * np.sqrt(found["risk"].astype(float))).all()


@pytest.mark.parametrize("which", range(5))
def test_kkr_and_ukkr_meet_as_the_penalty_vanishes_also_if_predictions_are_equal(which, seeds):
    assert "as λ → 0 the two still tend to the same function" in row_of("G28")
    rng, kernel = seeds.rng(28, which), laplacian(0.3)
    p, y, at = np.repeat(rng.dirichlet(np.ones(3), 8), 2, axis=0), rng.integers(0, 3, 16), rng.dirichlet(np.ones(3), 6)
    assert np.linalg.matrix_rank(kernel(p)) == 8

    def apart(penalty):
        one, other = (fit(y, p, kernel=kernel, regularization=penalty)(at) for fit in (fit_kkr, fit_ukkr))
        return np.abs(one - other).max()

    assert apart(1e-2) > 1e-3 and apart(1e-9) < 1e-4


def test_hoeffdings_bound_with_n():
    row = row_of("K25")
    assert ".74 for an event of probability 1" in row and round(2 * np.exp(-1), 2) == 0.74  # |±1| ≥ ε = H = 1, n = 2
    limit = lambda level, n: np.sqrt(2 * np.log(1 / level) / n)  # of corollary 3.7, over H
    assert "there for levels between .37 and .5" in row
    for level in (0.369, 0.499):  # T is 1 or −1, equally likely
        assert limit(level, 2) < 1 and level < 0.5
    assert limit(0.367, 2) > 1
    assert "at .05 the region cannot be left for n ≤ 5" in row and limit(0.05, 5) > 1 > limit(0.05, 6)
    assert "for n ≥ 10 Pinelis' inequality" in row
    # With E v = 0, |v| ≤ 1: T ≥ c only if ‖Σv‖ ≥ n√c, of probability 2 exp(−nc/2) at most.
    pinelis = lambda n: 2 * np.exp(-n * limit(0.05, n) / 2)
    assert all(pinelis(n) <= 0.05 for n in range(10, 10_000)) and pinelis(9) > 0.05
    for n in range(2, 200):  # the model that is always wrong
        ones = 2 * np.arange(n + 1) - n
        left = (ones**2 - n) / (n * (n - 1)) >= limit(0.05, n)
        assert binom.pmf(np.arange(n + 1), n, 0.5)[left].sum() <= 0.05
