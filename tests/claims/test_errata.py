"""The list of slips in print is complete: every code that the course cites is there, once, and leads somewhere."""

import ast
import re
from collections import Counter

import pytest
from sentences import LESSONS, NOTEBOOKS, ROOT, notebook

CODE = re.compile(r"(?<![\w-])([GKCPU])(\d+)([a-z]?)(?![\w(])(?:(?:–| to )\1?(\d+)\b)?")
ROWS = [
    line.strip("| ").split(" | ")
    for line in (NOTEBOOKS / "errata.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| code")
]
CASES = sorted(NOTEBOOKS.glob("case_studies/[0-9]*.ipynb"))


def codes(text):
    """The codes in a text; “K6–K10” are five, and “errata S” is one."""
    found = set(re.findall(r"\berrata (S)\b", text))
    for paper, first, letter, last in CODE.findall(text):
        found |= (
            {f"{paper}{k}" for k in range(int(first), int(last or first) + 1)}
            if not letter
            else {paper + first + letter}
        )
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
    assert len(cited) > 20


def test_every_code_is_listed_once():
    assert [code for code, times in Counter(listed()).items() if times > 1 and code != "–"] == []
    assert {f"K{k}" for k in range(1, 34)} | {"C3b"} <= set(listed())


def test_every_row_has_its_columns_and_leads_to_what_exists():
    assert [row for row in ROWS if len(row) != 5 and row[0] != "---"] == []
    for row in ROWS:
        for name in re.findall(r"`([\w/]+\.py)`", row[-1]):
            assert any((folder / name).exists() for folder in (ROOT, ROOT / "calibtutor")), name
        for number in re.findall(r"notebooks? (\d\d)", row[-1]):
            assert list(NOTEBOOKS.glob(f"{number}_*.ipynb")), row


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem[:2])
def test_case_studies_link_to_it(path):
    text = spoken(path)
    assert not codes(text) or "](../errata.md)" in text


def test_codes_are_found_in_a_text():
    assert codes("errata K6–K10, G1 and C3b; see errata S.") == {"K6", "K7", "K8", "K9", "K10", "G1", "C3b", "S"}
    assert codes("codes K1 to K3") == {"K1", "K2", "K3"} and codes("K(p, q), U-statistic, CIFAR-10, 2K1, C(3)") == set()
