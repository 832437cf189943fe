"""The course's JupyterLab sends every message at once."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import lab
import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.utils.importstring import import_item

from calibtutor.teach.connection import PromptConnection

ROOT = Path(lab.__file__).parent.parent


def test_messages_leave_at_once_from_the_first_on(monkeypatch):
    done = []

    async def connect(self):
        done.append("connected")

    class Handler(KernelWebsocketHandler):
        def __init__(self):
            pass

        def set_nodelay(self, value):
            done.append(value)

    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", connect)
    asyncio.run(PromptConnection(websocket_handler=Handler()).connect())
    assert done == [True, "connected"]


@pytest.mark.slow
def test_jupyterlab_is_told_so():
    command = [sys.executable, "-m", "jupyterlab", f"--config={lab.CONFIG}", "--show-config-json"]
    shown = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert import_item(shown["ServerApp"]["kernel_websocket_connection_class"]) is PromptConnection


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_the_readmes_command_asks_for_it(slash):
    command = ["jupyter lab --config binder", f"{lab.CONFIG.name} notebooks", "00_start_here.ipynb"]
    assert slash.join(command) in (ROOT / "README.md").read_text("utf-8")
