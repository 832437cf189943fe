"""How the course's JupyterLab talks to the page; `binder/jupyter_server_config.json` asks for it."""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Every message leaves at once.

    A redraw is a message “busy”, then one with the picture. Tornado leaves Nagle's algorithm on (RFC 896), so that
    the second waits until the browser has acknowledged the first, which Linux puts off for up to 40 ms.
    """

    async def connect(self):
        self.websocket_handler.set_nodelay(True)
        return await super().connect()
