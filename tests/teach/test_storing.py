"""-m calibtutor notebooks: stores a whole notebook or leaves the old one alone, and the same bytes every time."""

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from calibtutor.teach import notebooks

SLIDER = "import ipywidgets\nipywidgets.IntSlider(3)"


def write(folder, *sources):
    path = folder / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A *tiny* one"), *map(new_code_cell, sources)]), path)
    return path


def test_stores_outputs_without_state_and_the_same_bytes_twice(tmp_path):
    path = write(tmp_path, SLIDER, "print(1)\nprint(2)", "import os\nos.path.basename(os.getcwd())")
    seconds, mb = notebooks.execute(path)
    assert seconds > 0 and 20 < mb < 2000
    first = path.read_bytes()
    nb = nbformat.read(path, as_version=4)
    assert "widgets" not in nb.metadata
    assert nb.metadata["kernelspec"]["name"] == "python3"
    assert [c.execution_count for c in nb.cells[1:]] == [1, 2, 3]
    assert nb.cells[1].outputs[0].data[notebooks.VIEW]
    assert [o.text for o in nb.cells[2].outputs] == ["1\n2\n"]
    assert nb.cells[3].outputs[0].data["text/plain"] == repr(tmp_path.name)
    notebooks.execute(path)
    assert path.read_bytes() == first


def test_a_failing_cell_leaves_the_old_file(tmp_path, capsys):
    path = write(tmp_path, "print(1)", "1 / 0")
    before = path.read_bytes()
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        notebooks.execute(path)
    assert notebooks.main([str(path)]) == 1 and path.read_bytes() == before
    assert "NOT stored" in capsys.readouterr().err


@pytest.mark.slow
def test_peak_memory_is_the_kernels(tmp_path):
    small = notebooks.execute(write(tmp_path, "x = 1"))[1]
    hold = "import time\nx = b'1' * 200_000_000\ntime.sleep(1)"
    large = notebooks.execute(write(tmp_path, hold))[1]
    assert 150 < large - small < 400
