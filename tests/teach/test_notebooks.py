"""Every stored notebook keeps every rule, exports are whole; the command stores all or nothing; the Lab is prompt."""

import asyncio
import json
from unittest import mock

import lab
import nbformat
import notebook_rules as rules
import pytest
from bs4 import BeautifulSoup
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from nbconvert import HTMLExporter
from traitlets.utils.importstring import import_item

from calibtutor.teach import notebooks
from calibtutor.teach.connection import PromptConnection
from calibtutor.teach.notebooks import NOTEBOOKS, discover

DEFAULT_ALT = "No description has been provided for this image"


@pytest.mark.parametrize("path", discover(), ids=lambda p: p.relative_to(NOTEBOOKS).as_posix())
def test_a_notebook_keeps_every_rule(path):
    nb = nbformat.read(path, as_version=4)
    said = [f"{rule.__name__}: {complaint}" for rule in rules.RULES for complaint in rule(nb, path)]
    assert said + complaints_about_html(nb) == []


def complaints_about_html(nb):
    """What is missing from a static page: pictures, or the words for them."""
    pictures, complaints = sum(len(rules.pngs(cell)) for cell in nb.cells), []
    html, _ = HTMLExporter(template_name="classic").from_notebook_node(nb)  # the lab template drops alternative texts
    shown = BeautifulSoup(html, "html.parser").select("img[src^='data:image/png']")
    if len(shown) != pictures:
        complaints.append(f"{len(shown)} pictures in the page, {pictures} in the notebook")
    wordless = [i for i in shown if not i["alt"].strip() or i["alt"] == DEFAULT_ALT]
    return complaints + [f"{len(wordless)} pictures without alternative text"] * bool(wordless)


SLIDER = "import ipywidgets\nipywidgets.IntSlider(3)"


def write(folder, *sources):
    return lab.write_notebook(folder / "01_tiny.ipynb", *sources, words="# A *tiny* one")


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
    assert notebooks.main([str(path)]) == 1 and path.read_bytes() == before
    said = capsys.readouterr().err
    assert "NOT stored" in said and "ZeroDivisionError" in said


@pytest.mark.slow
def test_peak_memory_is_the_kernels(tmp_path):
    small = notebooks.execute(write(tmp_path, "x = 1"))[1]
    hold = "import time\nx = b'1' * 200_000_000\ntime.sleep(1)"
    large = notebooks.execute(write(tmp_path, hold))[1]
    assert 150 < large - small < 400


def test_messages_leave_at_once_from_the_first_on_as_jupyterlab_is_told(monkeypatch):
    calls = mock.AsyncMock()
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", calls.connect)
    handler = mock.create_autospec(KernelWebsocketHandler, instance=True)
    calls.set_nodelay = mock.Mock()
    handler.set_nodelay = calls.set_nodelay
    asyncio.run(PromptConnection(websocket_handler=handler).connect())
    assert calls.mock_calls == [mock.call.set_nodelay(True), mock.call.connect()]
    told = json.loads(lab.CONFIG.read_text(encoding="utf-8"))["ServerApp"]["kernel_websocket_connection_class"]
    assert import_item(told) is PromptConnection
