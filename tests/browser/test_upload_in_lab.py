"""In a real browser: a reader's file reaches the lesson on one's own model, or is refused by its row and column."""

import lab
import nbformat
import pytest

from calibtutor.teach.notebooks import NOTEBOOKS, clean

NAME, HEAD = "14_your_own_model.ipynb", "y,p_cat,p_dog,site\n"
GOOD = HEAD + "cat,0.8,0.2,north\ndog,0.3,0.7,south\ncat,0.4,0.6,north\n"
BAD = GOOD.replace("0.3", "1.3")
RUN_NEXT = """() => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = notebook.model.cells.length - 1;
    notebook.model.cells.get(notebook.activeCellIndex).executionCount = null;
    jupyterapp.commands.execute('notebook:run-cell');
}"""


def only(served, name, *ids):
    """The first cell and those of these ids, as a notebook of its own."""
    nb = nbformat.read(NOTEBOOKS / NAME, as_version=4)
    nb.cells = [cell for cell in nb.cells if cell.id in ids]
    for cell in nb.cells:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(clean(nb, name), served[0] / name)
    return name


@pytest.mark.slow
def test_a_file_is_uploaded_and_read_or_refused(chromium, served, tmp_path):
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    lab.open_notebook(page, served[1], only(served, "upload.ipynb", "imports", "upload", "mine"))
    status = page.locator(".jp-OutputArea-output [role=status]")

    def upload(name, text, says):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with page.expect_file_chooser() as chooser:
            page.locator("button.widget-upload").click()
        chooser.value.set_files(tmp_path / name)
        status.filter(has_text=says).wait_for()
        return status.inner_text()

    said = upload("wrong.csv", BAD, "expected")
    assert "row 1" in said and "'p_*'" in said and str(tmp_path) not in said
    assert upload("mine.csv", GOOD, "was read") == "mine.csv was read. Now run the next cell."
    page.evaluate(RUN_NEXT)
    page.wait_for_function(lab.ALL_RUN)
    page.get_by_text("3 rows; groups: None").wait_for()
    assert lab.errors(page) == []
    lab.shut_down(page)
