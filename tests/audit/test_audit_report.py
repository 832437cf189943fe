"""The report: what stands on the page and in the figures is what the tables say; files are whole or not there."""

import json
import os
import re
import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_tables import real
from bs4 import BeautifulSoup
from matplotlib.backends.backend_agg import FigureCanvasAgg

from calibtutor.audit import figures, report
from calibtutor.door.inputs import InputError
from calibtutor.plots import KEPT, MISS
from calibtutor.whole import write


def test_the_page_holds_all_that_was_found_and_asks_for_nothing():
    text = report.page(real(), "Audit of a.csv")
    page = BeautifulSoup(text, "html.parser")
    words = " ".join(page.get_text(" ").split())
    assert page.html["lang"] == "en" and page.title.text == page.h1.text == "Audit of a.csv"
    for tag in ("section", "table", "tbody", "figure", "div", "ul", "main"):
        assert text.count(f"<{tag}") == text.count(f"</{tag}>"), tag
    for sentence in [*real().conclusions, *real().limits]:
        assert re.sub(r"(?<![\w.])-(?=\.?\d)", "−", sentence) in words
    for name, table in real().tables.items():
        for _, cells, _ in report.columns_of(table.head(3)):
            assert all(" ".join(cell.split()) in words for cell in cells), name
    outside = re.sub(r"data:image/svg\+xml;base64,[\w+/=]+", "", text)
    assert not re.search(r"https?:|url\(|@import|<script|<iframe|srcset", outside) and len(outside) < 60_000
    assert not re.search(r"=\"(\w+:|//)", outside.replace('"data:,"', "")) and len(text) < 2_000_000
    assert [len(each["alt"]) > 80 for each in page.find_all("img")] == [True] * 2
    boxes = page.find_all(class_="scroll", tabindex="0")
    assert len(boxes) == text.count("<table") + 2
    shown = real()._repr_html_()  # in a notebook
    assert all(report.prose(each) in shown for each in real().conclusions) and shown.count("<img") == 1
    assert "<style" not in shown


def test_what_the_data_say_cannot_become_markup_and_long_tables_are_cut():
    table = forest(500)
    table.loc[0, "level"] = '<img src="http://evil">'
    table.loc[1, ["level", "p_adjusted"]] = ["$\\frac{1}$", 0.01]  # in a headline; nor a formula
    text = report.page(replace(real(), tables=real().tables | {"groups": table}), "<script>")
    assert "<script" not in text and '<img src="http' not in text
    assert "&lt;img src=&quot;http://evil&quot;&gt;" in text
    assert "the first 200 of 500 rows" in text and "level 199<" in text and "level 200<" not in text


def test_values_are_words_and_an_estimate_and_its_ends_are_one_column():
    for value, name, shown in (
        (1234, "n", "1,234"), (918.0, "value", "918"), (-0.0314, "gap", "−0.031"), (float("nan"), "p", "–"),
        (None, "p", "–"), (np.bool_(True), "tested", "yes"), (1e-5, "p", "1.0e−05"), (-1e-5, "gap", "−0.000010"),
        (float("-inf"), "x", "−∞"), (0.04612345, "Brier_change", "0.0461"), ("a-b", "x", "a-b"), (-7, "value", "−7"),
    ):
        assert report.value_in_words(value, name) == shown
    table = pd.DataFrame({"quantity": ["slope", "ECE", "Brier"], "estimate": [0.59, 0.058, 0.1],
                          "low": [0.52, 0.02, np.nan], "high": [0.66, 0.04, np.nan]})
    assert report.columns_of(table) == [
        ("quantity", ["slope", "ECE", "Brier"], False),
        ("estimate", ["0.590 [0.520, 0.660]", "0.058 (chance: 0.020 to 0.040)", "0.100"], True)]
    assert report.columns_of(curve(bins=2))[0] == ("bin", ["[0, 0.5]", "[0.5, 1]"], True)


def test_json_is_strict_and_loses_nothing(tmp_path):
    real().to_json(tmp_path / "a.json")
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert found == json.loads(json.dumps(real().to_dict()))
    for name, table in real().tables.items():
        rows = pd.DataFrame(found["tables"][name])
        for column in table.select_dtypes("number"):
            np.testing.assert_array_equal(rows[column].astype(float), table[column].astype(float))


def test_files_are_written_together_or_not_at_all(tmp_path):
    (tmp_path / "a.html").write_text("before", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):  # as where the disk is full: one is written, the other is not
        write({tmp_path / "a.html": "after", tmp_path / "b.json": "\ud800"})
    assert {each.name: each.read_text(encoding="utf-8") for each in tmp_path.iterdir()} == {"a.html": "before"}
    write({tmp_path / "a.html": report.page(real()), tmp_path / "c.html": report.page(real())})
    one, other = (each.read_bytes() for each in tmp_path.iterdir())
    assert one == other and "–".encode() in one  # the same audit gives the same file


def test_a_report_replaces_files_and_nothing_else(tmp_path):
    folder, fifo, kept, link = (tmp_path / name for name in ("folder", "fifo", "kept.html", "link"))
    folder.mkdir()
    os.mkfifo(fifo)
    kept.write_text("kept", encoding="utf-8")
    kept.chmod(0o444)
    for path, found in ((fifo, "a device or a pipe"), ("/dev/null", "a device or a pipe"), (folder, "a folder"),
                        (kept, "one that may only be read"), (tmp_path / "none" / "a.html", "none")):
        link.symlink_to(path)
        for name in (path, link):
            with pytest.raises(InputError) as error:
                write({name: "new"})
            assert (error.value.argument, error.value.found) == (str(name), found)
        link.unlink()
    assert stat.S_ISFIFO(fifo.stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(InputError, match="a device or a pipe"), os.fdopen(os.pipe()[1], "w") as pipe:
        write({f"/dev/fd/{pipe.fileno()}": "new"})
    assert kept.read_text(encoding="utf-8") == "kept" and sorted(tmp_path.iterdir()) == [fifo, folder, kept]


def test_links_are_followed_and_stay_and_what_is_private_stays_so(tmp_path):
    real, link, new, loose = (tmp_path / name for name in ("real.html", "link.html", "new.html", "loose.html"))
    real.write_text("before", encoding="utf-8")
    (tmp_path / "middle").symlink_to(real)
    link.symlink_to(tmp_path / "middle")
    real.chmod(0o600)
    loose.symlink_to(new)  # to a file that is not there yet
    write({link: "after", loose: "more"})
    assert link.is_symlink() and loose.is_symlink() and not real.is_symlink() and real.stat().st_mode & 0o777 == 0o600
    assert (real.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")) == ("after", "more")


def curve(outside=2, bins=10):
    low = np.arange(bins) / bins
    said = low + 0.5 / bins
    return pd.DataFrame({"low": low, "high": low + 1 / bins, "n": np.arange(bins) * 40 + 20, "said": said,
                         "happened": said + 0.2 * (np.arange(bins) < outside), "band_low": said - 0.08,
                         "band_high": said + 0.08})


def forest(levels=3, found=(0,)):
    """Groups with gap and slope; the last was not tested."""
    k = np.arange(levels)
    hit, tested = np.isin(k, found), k < max(levels - 1, 1)
    table = pd.DataFrame({"column": "site", "level": [f"level {each}" for each in k], "n": np.where(tested, 200, 21),
                          "said": 0.5})
    for name, value, reach in (("gap", np.where(hit, 0.15, 0.01), 0.05), ("slope", np.where(hit, 0.6, 1.05), 0.15)):
        table[name], table[f"{name}_low"], table[f"{name}_high"] = value, value - reach, value + reach
    p = np.where(tested, np.where(hit, 0.004, 0.9), np.nan)
    return table.assign(p=p / 20, p_adjusted=p, tested=tested)  # not adjusted, all are small


def texts_of(figure):
    return [each.get_text() for axes in figure.axes for each in axes.texts] + [each.get_text() for each in figure.texts]


def test_the_headline_of_the_curve_follows_the_verdict():
    for outside, p, name, wanted in ((0, 0.051, "canonical", "No bin beyond chance"), (3, 0.05, "top label", "3 of 10"),
                                     (0, 0.05, "top label", "Found, but in no single bin")):
        asked = pd.DataFrame({"question": ["intercept and slope", name], "p_adjusted": [0.9, p]})
        figure, finding = figures.curve_figure(curve(outside), asked)
        assert finding.headline.startswith(wanted) and finding.headline in texts_of(figure)
        assert (wanted if not outside else f"Outside it: {outside}.") in finding.sentence
        assert ("the most probable class" in finding.sentence) == (name == "top label")
    below = curve().assign(happened=lambda table: 2 * table["said"] - table["happened"])
    assert figures.curve_figure(below, asked)[1].headline == "2 of 10 bins beyond chance"
    assert figures.curve_figure(curve(1, bins=1), asked)[1].headline == "1 of 1 bin beyond chance"
    found, band = figures.as_curve(curve().iloc[[2, 3, 7]])
    assert found.edges.round(2).tolist() == [k / 10 for k in range(11)]
    assert found.count.tolist() == [0, 0, 100, 140, 0, 0, 0, 300, 0, 0]
    assert np.isnan(band[0]).tolist() == [k not in (2, 3, 7) for k in range(10)]


@pytest.mark.parametrize(("off", "place"), [([-0.1], (0.27, "bottom")), ([0.1], (0.27, "top")), ([0.0], None),
                                            ([0.0] * 4 + [0.1] * 5, (0.73, "top"))])
def test_the_name_of_the_diagonal_is_clear_of_dots_and_a_bin_of_one_row_draws_no_eye(off, place):
    table, asked = curve(0), pd.DataFrame({"question": ["top label"], "p_adjusted": [0.01]})
    table.loc[1:, "happened"] += off if len(off) > 1 else off[0]
    axes = figures.curve_figure(table.assign(n=[1, *table["n"][1:]]), asked)[0].axes[0]
    name, band, dots = axes.texts[0], axes.collections[0].get_facecolor()[:, 3], axes.collections[-1].get_sizes()
    shown = (name.get_position()[0], name.get_va()) if name.get_visible() else None
    assert name.get_text() == "as often as it says" and shown == place
    assert band[0] < 0.5 < band[1] and len(dots) == 10 and (dots[0] < dots[1:]).all()
    bars = np.array([path.get_extents().intervalx for path in axes.collections[0].get_paths()])
    assert (np.diff(bars)[:, 0] > 0.05).all() and (bars[1:, 0] - bars[:-1, 1] > 0.01).all()  # joined, they are a slab


def test_the_headline_of_the_groups_follows_the_adjusted_p():
    for found, says in (((), "None of 6"), ((2,), "One of 6"), ((1, 4), "2 of 6")):
        figure, finding = figures.forest_figure(forest(7, found))
        assert finding.headline.startswith(says) and "not tested (1)" in finding.drawn
        assert [f"level {k}: gap +0.150" in finding.sentence for k in range(7)] == [k in found for k in range(7)]
        marks = {line.get_color() for axes in figure.axes for line in axes.lines if line.get_marker() == "o"}
        assert marks == ({KEPT, MISS} if found else {KEPT})
        named = {each.get_text() for each in figure.axes[0].texts if each.get_color() == MISS}
        assert named == {f"level {k}" for k in found}
    figure, finding = figures.forest_figure(forest(1000, (998,)))
    assert "the 30 smallest p of 1000" in finding.drawn and "level 998" in texts_of(figure)
    assert sum(text.startswith("level ") for text in texts_of(figure)) == 30
    none = forest(2).assign(tested=False, p_adjusted=np.nan)
    assert figures.forest_figure(none)[1].headline == "No group was large enough to test"


def test_nothing_is_drawn_over_the_edge_or_too_small():
    table = forest(9)
    table.loc[0, ["gap", "gap_low", "gap_high"]] = np.nan  # drawn all the same
    assert list(real().figures) == ["curve", "groups"]
    asked, rows = pd.DataFrame({"question": ["top label"], "p_adjusted": [1.0]}), curve().assign(n=123_456)
    many = figures.curve_figure(rows, asked, 0.001)[0]  # the second line was cut
    for name, figure in [*real().figures.items(), ("forest", figures.forest_figure(table)[0]), ("many rows", many)]:
        FigureCanvasAgg(figure).draw()
        width, height = figure.canvas.get_width_height()
        labels = [text for axes in figure.axes for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label)]
        shown = [text for text in (*figure.texts, *labels) if text.get_text().strip()]
        assert len(shown) >= 4
        for text in shown:
            box = text.get_window_extent()
            assert text.get_fontsize() >= 11, (name, text)
            assert box.x0 > -2 and box.x1 < width + 2 and box.y0 > -2 and box.y1 < height + 2, (name, text)
