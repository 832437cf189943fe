"""The course's JupyterLab sends every message at once."""

import asyncio
import json
import subprocess
import sys

import lab
import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.utils.importstring import import_item

from calibtutor.teach.connection import PromptConnection


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
