"""The report: what stands on the page and in the figures is what the tables say; files are whole or not there."""

import json
import os
import re
import stat
from dataclasses import fields, replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from audit_tables import real
from matplotlib.backends.backend_agg import FigureCanvasAgg

from calibtutor.audit import figures, report
from calibtutor.inputs import InputError
from calibtutor.plots import KEPT, MISS


def changed(name, **cells):
    """The audit with another value in the first row of a table."""
    table = real().tables[name].copy()
    for column, value in cells.items():
        table.loc[0, column] = value
    return replace(real(), tables=real().tables | {name: table})


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


def test_the_page_is_one_file_that_asks_for_nothing_and_can_be_read_by_all():
    text = report.page(real(), "Audit of a.csv")
    page = Page(text)
    assert page.open == [] and dict(page.tags)["html"] == {"lang": "en"}
    assert "<title>Audit of a.csv</title>" in text and "<h1>Audit of a.csv</h1>" in text
    assert [text for tag, each in page.tags for text in each.values() if text and re.match(r"\w+:|//", text)
            and not text.startswith(("data:image/svg+xml;base64,", "data:,"))] == []  # fmt: skip
    outside = re.sub(r"data:image/svg\+xml;base64,[\w+/=]+", "", text)
    assert not re.search(r"https?:|url\(|@import|<script|<iframe|srcset", outside)
    assert len(outside) < 60_000 and len(text) < 2_000_000
    pictures = [each for tag, each in page.tags if tag == "img"]
    assert len(pictures) == 3 and all(len(each["alt"]) > 80 for each in pictures)
    boxes = [each for tag, each in page.tags if each.get("class") == "scroll"]
    tables = [each for tag, each in page.tags if tag == "table"]
    assert len(boxes) == len(tables) + len(pictures) and all(each["tabindex"] == "0" for each in boxes)


def test_the_page_holds_every_conclusion_limit_and_number():
    words = " ".join(" ".join(Page(report.page(real())).words).split())
    for sentence in [*real().conclusions, *real().limits]:
        assert re.sub(r"(?<![\w.])-(?=\.?\d)", "−", sentence) in words
    for name, table in real().tables.items():
        for _, cells, _ in report.columns_of(table.head(3)):
            assert all(" ".join(cell.split()) in words for cell in cells), name


def test_what_the_data_say_cannot_become_markup():
    audit = changed("groups", level='<img src="http://evil">', p_adjusted=0.9)
    audit.tables["groups"].loc[1, ["level", "p_adjusted"]] = ["$\\frac{1}$", 0.01]  # in a headline; nor a formula
    text = report.page(audit, "<script>")
    assert "<script" not in text and "<img src=&quot;http" not in text.replace("&lt;img src=&quot;http", "")
    assert "&lt;img src=&quot;http://evil&quot;&gt;" in text


def test_long_tables_are_cut_and_say_so():
    audit = replace(real(), tables=real().tables | {"groups": forest(500)})
    text = report.page(audit)
    assert "the first 200 of 500 rows" in text and "level 199<" in text and "level 200<" not in text


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        (1234, "n", "1,234"), (918.0, "value", "918"), (-0.0314, "gap", "−0.031"), (float("nan"), "p", "–"),
        (None, "p", "–"), (np.bool_(True), "tested", "yes"), (1e-5, "p", "1.0e−05"), (-1e-5, "gap", "0.000"),
        (float("-inf"), "x", "−∞"), (0.04612345, "brier", "0.0461"), ("a-b", "level", "a-b"), (-7, "value", "−7"),
    ],
)  # fmt: skip
def test_a_value_in_words(value, name, shown):
    assert report.value_in_words(value, name) == shown


def test_an_estimate_and_its_ends_are_one_column():
    table = pd.DataFrame({"quantity": ["slope", "ECE", "Brier"], "estimate": [0.59, 0.058, 0.1],
                          "low": [0.52, 0.02, np.nan], "high": [0.66, 0.04, np.nan]})  # fmt: skip
    assert report.columns_of(table) == [
        ("quantity", ["slope", "ECE", "Brier"], False),
        ("estimate", ["0.590 [0.520, 0.660]", "0.058 (chance: 0.020 to 0.040)", "0.100"], True),
    ]
    names = [name for name, _, _ in report.columns_of(forest(2))]
    assert names == ["column", "level", "n", "gap", "slope", "p", "p, adjusted", "tested"]
    shown = {name: cells for name, cells, _ in report.columns_of(curve(bins=2))}
    assert shown["bin"] == ["[0, 0.5]", "[0.5, 1]"] and len(shown) == 5


def test_a_notebook_shows_page_one_in_its_own_style():
    text = real()._repr_html_()
    assert all(report._prose(each) in text for each in real().conclusions) and text.count("<img") == 1
    assert "<style" not in text and Page(text).open == []


# --- JSON and files ---


def test_json_is_strict_and_loses_nothing(tmp_path):
    real().to_json(tmp_path / "a.json")

    def refuse(word):
        raise AssertionError(word)

    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert found == json.loads(json.dumps(real().to_dict())) and set(found) == {each.name for each in fields(real())}
    for name, table in real().tables.items():
        rows = pd.DataFrame(found["tables"][name])
        for column in table.select_dtypes("number"):
            np.testing.assert_array_equal(rows[column].astype(float), table[column].astype(float))


def test_files_are_written_together_or_not_at_all(tmp_path):
    (tmp_path / "a.html").write_text("before", encoding="utf-8")
    with pytest.raises(InputError):
        report.write({tmp_path / "a.html": "after", tmp_path / "none" / "b.json": "x"})
    with pytest.raises(UnicodeEncodeError):  # as where the disk is full: one is written, the other is not
        report.write({tmp_path / "a.html": "after", tmp_path / "b.json": "\ud800"})
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "before"
    report.write({tmp_path / "a.html": report.page(real()), tmp_path / "c.html": report.page(real())})
    one, other = (each.read_bytes() for each in tmp_path.iterdir())
    assert one == other and "–".encode() in one  # the same audit gives the same file


# --- where a report may be written ---


def refused(path):
    with pytest.raises(InputError) as error:
        report.write({path: "new"})
    return error.value.argument, error.value.found


def test_a_report_replaces_files_and_nothing_else(tmp_path):
    folder, fifo, kept = tmp_path / "folder", tmp_path / "fifo", tmp_path / "kept.html"
    folder.mkdir()
    os.mkfifo(fifo)
    kept.write_text("kept", encoding="utf-8")
    kept.chmod(0o444)
    for path, found in ((fifo, "a device or a pipe"), ("/dev/null", "a device or a pipe"), (folder, "a folder"),
                        (kept, "one that may only be read"), (tmp_path / "none" / "a.html", "none")):  # fmt: skip
        assert refused(path) == (str(path), found)
        link = tmp_path / "link"
        link.symlink_to(path)
        assert refused(link) == (str(link), found)
        link.unlink()
    assert stat.S_ISFIFO(fifo.stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert kept.read_text(encoding="utf-8") == "kept" and sorted(tmp_path.iterdir()) == [fifo, folder, kept]


def test_links_are_followed_and_stay(tmp_path):
    real, link, new, loose = (tmp_path / name for name in ("real.html", "link.html", "new.html", "loose.html"))
    real.write_text("before", encoding="utf-8")
    (tmp_path / "middle").symlink_to(real)
    link.symlink_to(tmp_path / "middle")
    loose.symlink_to(new)  # to a file that is not there yet
    report.write({link: "after", loose: "more"})
    assert link.is_symlink() and loose.is_symlink() and not real.is_symlink()
    assert (real.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")) == ("after", "more")


# --- figures ---


def curve(outside=2, bins=10):
    low = np.arange(bins) / bins
    said = low + 0.5 / bins
    return pd.DataFrame({"low": low, "high": low + 1 / bins, "n": np.arange(bins) * 40 + 20, "said": said,
                         "happened": said + 0.2 * (np.arange(bins) < outside), "band_low": said - 0.08,
                         "band_high": said + 0.08})  # fmt: skip


def forest(levels=3, found=(0,)):
    """Groups with gap and slope; the last was not tested."""
    k = np.arange(levels)
    hit, tested = np.isin(k, found), k < max(levels - 1, 1)
    table = pd.DataFrame({"column": "site", "level": [f"level {each}" for each in k], "n": np.where(tested, 200, 21)})
    for name, value, reach in (("gap", np.where(hit, 0.15, 0.01), 0.05), ("slope", np.where(hit, 0.6, 1.05), 0.15)):
        table[name], table[f"{name}_low"], table[f"{name}_high"] = value, value - reach, value + reach
    p = np.where(tested, np.where(hit, 0.004, 0.9), np.nan)
    return table.assign(p=p / 20, p_adjusted=p, tested=tested)  # not adjusted, all are small


def texts_of(figure):
    return [each.get_text() for axes in figure.axes for each in axes.texts] + [each.get_text() for each in figure.texts]


def asked(p_adjusted=0.3, name="canonical"):
    return pd.DataFrame({"question": ["intercept and slope", name], "p_adjusted": [0.9, p_adjusted]})


@pytest.mark.parametrize("outside", [0, 1, 3])
def test_the_headline_of_the_curve_follows_the_verdict(outside):
    for p_adjusted, none in ((0.051, "No bin beyond chance"), (0.05, "Found, but in no single bin")):
        figure, finding = figures.curve_figure(curve(outside), asked(p_adjusted))
        wanted = f"{outside} of 10 bins beyond chance" if outside else none
        assert finding.headline == wanted and wanted in texts_of(figure)
        assert wanted in finding.sentence if not outside else f"Outside it: {outside}." in finding.sentence
        assert "95%" in finding.drawn
    below = curve(outside).assign(happened=lambda table: 2 * table["said"] - table["happened"])
    assert figures.curve_figure(below, asked())[1].headline.startswith(f"{outside or 'No'} ")
    one = figures.curve_figure(curve(1, bins=1), asked(0.01))[1].headline
    assert one == "1 of 1 bin beyond chance"
    assert "90%" in figures.curve_figure(curve(outside), asked(), level=0.1)[1].drawn
    assert "the most probable class" in figures.curve_figure(curve(outside), asked(name="top label"))[1].sentence


def test_bins_that_are_not_in_the_table_are_empty():
    found, band = figures.as_curve(curve().iloc[[2, 3, 7]])
    assert found.edges.round(2).tolist() == [k / 10 for k in range(11)]
    assert found.count.tolist() == [0, 0, 100, 140, 0, 0, 0, 300, 0, 0]
    assert np.isnan(band[0]).tolist() == [k not in (2, 3, 7) for k in range(10)]


@pytest.mark.parametrize(("found", "says"), [((), "None of 6"), ((2,), "One of 6"), ((1, 4), "2 of 6")])
def test_the_headline_of_the_groups_follows_the_adjusted_p(found, says):
    figure, finding = figures.forest_figure(forest(7, found))
    assert finding.headline.startswith(says) and "not tested (1)" in finding.drawn
    assert [f"level {k}: gap +0.150" in finding.sentence for k in range(7)] == [k in found for k in range(7)]
    marks = {line.get_color() for axes in figure.axes for line in axes.lines if line.get_marker() == "o"}
    assert marks == ({KEPT, MISS} if found else {KEPT})
    named = {each.get_text() for each in figure.axes[0].texts if each.get_color() == MISS}
    assert named == {f"level {k}" for k in found}


def test_of_many_groups_the_smallest_p_are_drawn():
    figure, finding = figures.forest_figure(forest(1000, (998,)))
    assert "the 30 smallest p of 1000" in finding.drawn and "level 998" in texts_of(figure)
    assert sum(text.startswith("level ") for text in texts_of(figure)) == 30


def test_groups_without_numbers_or_none_tested_are_drawn_all_the_same():
    table = forest(4)
    table.loc[0, ["gap", "gap_low", "gap_high"]] = np.nan
    table.loc[1, ["gap_low", "gap_high"]] = np.nan
    FigureCanvasAgg(figures.forest_figure(table)[0]).draw()
    none = forest(2).assign(tested=False, p_adjusted=np.nan)
    assert figures.forest_figure(none)[1].headline == "No group was large enough to test"


def test_nothing_is_drawn_over_the_edge_or_too_small():
    assert list(real().figures) == ["curve", "groups", "corp"]
    for name, figure in [*real().figures.items(), ("forest", figures.forest_figure(forest(9))[0])]:
        FigureCanvasAgg(figure).draw()
        width, height = figure.canvas.get_width_height()
        labels = [text for axes in figure.axes for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label)]
        shown = [text for text in (*figure.texts, *labels) if text.get_text().strip()]
        assert len(shown) >= 4
        for text in shown:
            box = text.get_window_extent()
            assert text.get_fontsize() >= 11, (name, text)
            assert box.x0 > -2 and box.x1 < width + 2 and box.y0 > -2 and box.y1 < height + 2, (name, text)
