"""The report: what stands on the page and in the figures is what the tables say; files are whole or not there."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import audit_tables as made
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import calibtutor as ct
from calibtutor.audit import figures, report
from calibtutor.plots import KEPT, MISS


@pytest.fixture(scope="module")
def real():
    """An audit of three classes with all sections that need arguments."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1, 1], 600)
    y = np.array([rng.choice(3, p=row**2 / (row**2).sum()) for row in p])
    site, age = rng.choice(["A & B", "C<D"], 600), rng.normal(50, 10, 600)
    return ct.audit(y, p, groups=pd.DataFrame({"site": site}), features=pd.DataFrame({"age": age}),
                    time=np.repeat([2023, 2024], 300), n_resamples=99, rng=0)  # fmt: skip


class Page(HTMLParser):
    """Tags that stay open, the attributes of all tags, and the text outside of the style sheet."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


# --- the page ---


@pytest.mark.parametrize("which", ["made up", "real"])
def test_the_page_is_one_file_that_asks_for_nothing(which, real):
    audit = real if which == "real" else made.made_up()
    text = report.page(audit, "Audit of a.csv")
    page = Page(text)
    assert page.open == []
    assert [text for tag, each in page.tags for text in each.values() if text and re.match(r"\w+:|//", text)
            and not text.startswith(("data:image/svg+xml;base64,", "data:,"))] == []  # fmt: skip
    outside = re.sub(r"data:image/svg\+xml;base64,[\w+/=]+", "", text)
    assert not re.search(r"https?:|url\(|@import|<script|<iframe|srcset", outside)
    assert len(outside) < 60_000 and len(text) < 2_000_000


def test_the_page_says_what_it_is_and_fits_a_phone():
    text = report.page(made.made_up(), "Audit of a.csv")
    page = Page(text)
    assert text.startswith("<!doctype html>\n<html lang=") and dict(page.tags)["html"] == {"lang": "en"}
    assert "<title>Audit of a.csv</title>" in text and "<h1>Audit of a.csv</h1>" in text
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags
    assert "prefers-color-scheme:dark" in text and "@media print" in text
    pictures = [each for tag, each in page.tags if tag == "img"]
    assert len(pictures) == 3 and all(len(each["alt"]) > 80 for each in pictures)
    boxes = [each for tag, each in page.tags if each.get("class") == "scroll"]
    tables = [each for tag, each in page.tags if tag == "table"]
    assert len(boxes) == len(tables) + len(pictures) and all(each["tabindex"] == "0" for each in boxes)


def test_the_page_holds_every_conclusion_limit_and_number(real):
    words = " ".join(" ".join(Page(report.page(real)).words).split())
    for sentence in [*real.conclusions, *real.limits]:
        assert re.sub(r"(?<![\w.])-(?=\.?\d)", "−", sentence) in words
    asked = [words.index(each) for each in ("Detected?", "How large?", "For whom?", "What this audit cannot say")]
    assert asked == sorted(asked)
    for name, table in real.tables.items():
        if table.empty:
            continue
        assert report.TITLES[name] in words, name
        for _, cells, _ in report.columns_of(table.head(3)):
            assert all(" ".join(cell.split()) in words for cell in cells), name
    assert "is calibrated" not in words.lower().replace("a calibrated", "")


def test_what_the_data_say_cannot_become_markup():
    audit = made.made_up()
    audit.tables["groups"].loc[0, "level"] = '<img src="http://evil">'
    assert audit.tables["groups"].loc[3, "p_adjusted"] < 0.05  # the name of row 3 stands in the headline
    audit.tables["groups"].loc[3, "level"] = "$\\frac{1}$"  # nor a formula of matplotlib
    text = report.page(audit, "<script>")
    assert "<script" not in text and "<img src=&quot;http" not in text.replace("&lt;img src=&quot;http", "")
    assert "&lt;img src=&quot;http://evil&quot;&gt;" in text


def test_long_tables_are_cut_and_say_so():
    audit = made.made_up()
    audit.tables["groups"] = made.groups(500)
    text = report.page(audit)
    assert "Groups (the first 200 of 500 rows)" in text and "level 199<" in text and "level 200<" not in text


def test_an_audit_without_groups_has_no_such_section():
    audit = made.made_up()
    for name in ("groups", "time", "local", "regions"):
        del audit.tables[name]
    words = Page(report.page(audit)).words
    assert not {"For whom: groups", "For whom: time", "Where"} & set(words) and "How large" in words


def test_a_table_that_nobody_thought_of_is_shown():
    audit = made.made_up()
    audit.tables["all rows"] = made.table("what rows p", ("canonical, all rows", 3_000_000, 0.001))
    assert {"all rows", "3,000,000"} <= set(Page(report.page(audit)).words)


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        (1234, "n", "1,234"), (918.0, "value", "918"), (-0.0314, "gap", "−0.031"), (float("nan"), "p", "–"),
        (None, "p", "–"), (np.bool_(True), "tested", "yes"), (1e-5, "p", "1.0e−05"), (-1e-5, "gap", "0.000"),
        (0.0, "p", "0.000"),
        (float("-inf"), "x", "−∞"), (0.04612345, "risk", "0.046123"), ("a", "level", "a"), (-7, "value", "−7"),
    ],
)  # fmt: skip
def test_a_value_in_words(value, name, shown):
    assert report.value_in_words(value, name) == shown


def test_an_estimate_and_its_ends_are_one_column():
    table = made.table("quantity estimate low high", ("slope", 0.59, 0.52, 0.66), ("Brier", 0.1, np.nan, np.nan))
    assert report.columns_of(table) == [
        ("quantity", ["slope", "Brier"], False),
        ("estimate", ["0.590 [0.520, 0.660]", "0.100"], True),
    ]
    cells = report.columns_of(made.made_up().tables["size"])[1][1]  # an ECE lies outside of what it is compared with
    assert cells[3] == "0.058 (chance: 0.020 to 0.040)" and cells[1] == "0.590 [0.520, 0.660]"
    names = [name for name, _, _ in report.columns_of(made.groups(2))]
    assert names == ["column", "level", "n", "gap", "slope", "p", "p, adjusted", "tested"]
    shown = {name: cells for name, cells, _ in report.columns_of(made.curve(bins=2))}
    assert shown["bin"] == ["[0, 0.5]", "[0.5, 1]"]
    assert shown["chance, all bins at once"] == ["[0.170, 0.330]", "[0.670, 0.830]"]


def test_a_notebook_shows_page_one(real):
    text = real._repr_html_()
    assert all(report._prose(each) in text for each in real.conclusions) and text.count("<img") == 1
    assert "<style" not in text and Page(text).open == []  # it would change the notebook's own


# --- JSON and files ---


def test_json_is_strict_and_loses_nothing(real, tmp_path):
    real.to_json(tmp_path / "a.json")

    def refuse(word):
        raise AssertionError(word)

    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert found == json.loads(json.dumps(real.to_dict(), allow_nan=False))
    assert found["pvalue"] == real.pvalue and found["conclusions"] == real.conclusions
    for name, table in real.tables.items():
        rows = pd.DataFrame(found["tables"][name])
        for column in table.select_dtypes("number"):
            np.testing.assert_array_equal(rows[column].astype(float), table[column].astype(float))
    assert set(found) == {field.name for field in dataclasses.fields(real)}


def test_the_same_audit_gives_the_same_file(tmp_path):
    made_up = made.made_up()
    report.write({tmp_path / "a.html": report.page(made_up)})
    report.write({tmp_path / "b.html": report.page(made_up)})
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_files_are_written_together_or_not_at_all(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text("before", encoding="utf-8")
    with pytest.raises(OSError):
        report.write({tmp_path / "a.html": "after", tmp_path / "none" / "b.json": "x"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.html", "b"]
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "before"
    report.write({tmp_path / "a.html": "after", tmp_path / "c.json": "é"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.html", "b", "c.json"]
    assert (tmp_path / "c.json").read_bytes() == "é".encode()


# --- figures ---


def texts_of(figure):
    return [each.get_text() for axes in figure.axes for each in axes.texts] + [each.get_text() for each in figure.texts]


def test_the_figures_are_those_of_the_tables(real):
    assert list(real.figures) == ["curve", "groups", "time"]
    assert list(figures.figures({"curve": made.curve()}, 0.05)) == ["curve"]


@pytest.mark.parametrize(
    ("outside", "says"), [(0, "No bin beyond chance"), (1, "1 of 10 bins beyond chance"), (3, "3 of 10 bins beyond")]
)
def test_the_headline_of_the_curve_is_a_count_of_bins(outside, says):
    figure, finding = figures.curve_figure(made.curve(outside))
    assert finding.headline.startswith(says) and finding.headline in texts_of(figure)
    assert "2,000 cases" in finding.sentence and "n = 2,000" in finding.drawn and "95%" in finding.drawn
    assert ("Largest: said 0.05, happened 0.25 (n = 20)" in finding.sentence) == (outside > 0)
    assert "90%" in figures.curve_figure(made.curve(outside), level=0.1)[1].drawn


def test_bins_that_are_not_in_the_table_are_empty():
    table = made.curve()
    curve, band = figures.as_curve(table.iloc[[2, 3, 7]])
    assert curve.edges.round(2).tolist() == [0, 0.2, 0.3, 0.4, 0.7, 0.8]
    assert curve.count.tolist() == [0, 100, 140, 0, 300] and np.isnan(band[0]).tolist() == [1, 0, 0, 1, 0]
    assert figures.as_curve(table)[0].edges.round(2).tolist() == [k / 10 for k in range(11)]


def test_the_curve_says_whose_label_it_is():
    labels = lambda top: {axes.get_ylabel() for axes in figures.curve_figure(made.curve(), top)[0].axes}
    assert "how often it was right" in labels(True) and "how often it happened" in labels(False)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ((), "None of 6 groups beyond chance"),
        ((2,), "One of 6 groups beyond chance: level 2"),
        ((1, 4), "2 of 6 groups"),
    ],
)
def test_the_headline_of_the_groups_follows_the_adjusted_p(found, says):
    figure, finding = figures.forest_figure(made.groups(7, found), "group", "groups")
    assert finding.headline.startswith(says) and "not tested (1)" in finding.drawn
    assert [f"level {k}: gap +0.150" in finding.sentence for k in range(7)] == [k in found for k in range(7)]
    marks = {line.get_color() for axes in figure.axes for line in axes.lines if line.get_marker() == "o"}
    assert marks == ({KEPT, MISS} if found else {KEPT})
    assert {each.get_text() for each in figure.axes[0].texts if each.get_color() == MISS} == {
        f"level {k}" for k in found
    }


def test_no_group_that_could_be_tested_is_said():
    table = made.groups(2).assign(tested=False, p=np.nan, p_adjusted=np.nan)
    assert figures.forest_figure(table, "group", "groups")[1].headline == "No group was large enough to test"


def test_of_many_groups_the_smallest_p_are_drawn():
    figure, finding = figures.forest_figure(made.groups(1000, (998,)), "group", "groups")
    assert "the 30 smallest p of 1000" in finding.drawn and "level 998" in texts_of(figure)
    assert sum(text.startswith("level ") for text in texts_of(figure)) == 30


def test_a_group_without_numbers_and_one_far_away_are_drawn_all_the_same():
    table = made.groups(4)
    table.loc[0, ["gap", "gap_low", "gap_high", "slope", "slope_low", "slope_high"]] = np.nan
    table.loc[1, ["slope", "slope_low", "slope_high"]] = [40.0, 1.0, 900.0]
    figure, _ = figures.forest_figure(table, "group", "groups")
    FigureCanvasAgg(figure).draw()
    assert "▸" in texts_of(figure) and figure.axes[1].get_xlim()[1] < 4


def test_nothing_is_drawn_over_the_edge_or_too_small(real):
    for name, figure in [*real.figures.items(), *figures.figures(made.made_up().tables, 0.05).items()]:
        FigureCanvasAgg(figure).draw()
        width, height = figure.canvas.get_width_height()
        shown = [
            *figure.texts,
            *(text for axes in figure.axes for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label)),
        ]
        shown = [text for text in shown if text.get_text().strip()]
        assert len(shown) > 8
        for text in shown:
            box = text.get_window_extent()
            assert text.get_fontsize() >= 11, (name, text)
            assert box.x0 > -2 and box.x1 < width + 2 and box.y0 > -2 and box.y1 < height + 2, (name, text)
