"""The course's JupyterLab sends every message at once."""

import asyncio
import json
from unittest import mock

import lab
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.utils.importstring import import_item

from calibtutor.teach.connection import PromptConnection


def test_messages_leave_at_once_from_the_first_on(monkeypatch):
    calls = mock.AsyncMock()
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", calls.connect)
    handler = mock.create_autospec(KernelWebsocketHandler, instance=True)
    calls.set_nodelay = mock.Mock()
    handler.set_nodelay = calls.set_nodelay
    asyncio.run(PromptConnection(websocket_handler=handler).connect())
    assert calls.mock_calls == [mock.call.set_nodelay(True), mock.call.connect()]


def test_jupyterlab_is_told_so():
    told = json.loads(lab.CONFIG.read_text(encoding="utf-8"))["ServerApp"]["kernel_websocket_connection_class"]
    assert import_item(told) is PromptConnection
