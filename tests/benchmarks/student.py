"""A student of a hub without a browser: what JupyterLab's page asks of the server and the kernel, and when it answers.

Not there: the page's own files, the echo of a slider to other views, and the second thread (subshell) on which a page
sends what a slider says; a kernel at rest answers either way.
"""

import asyncio
import json
import random
import time
import uuid

import nbformat
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

PROTOCOL = "v1.kernel.websocket.jupyter.org"
PATIENCE = 300  # seconds for a server, a kernel or a cell: a crowd on two cores is slow, not dead
STEPS, STEP_PAUSE, REST = 10, 0.1, (5, 15)  # of a drag: steps, seconds between them, seconds until the next


class Student:
    """One account of a hub."""

    def __init__(self, hub, token, name):
        self.hub, self.name, self.server = hub, name, f"{hub}/user/{name}"
        self.headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
        self.session, self.random = uuid.uuid4().hex, random.Random(name)
        self.models, self.readers, self.waiting, self.pictures, self.problems = {}, {}, {}, {}, []
        self.started = self.first_picture = self.finished = None  # seconds from `begin`; the last notebook's end
        self.steps = []  # milliseconds from each move of a slider to its picture

    async def ask(self, address, body=None):
        """JSON from an address; with a body (it may be {}) it is a POST."""
        how = {"method": "GET"} if body is None else {"method": "POST", "body": json.dumps(body)}
        answer = await AsyncHTTPClient().fetch(address, headers=self.headers, request_timeout=PATIENCE, **how)
        return json.loads(answer.body) if answer.body else None

    async def start_server(self):
        """Ask the hub for a server and wait until it is ready."""
        user = f"{self.hub}/hub/api/users/{self.name}"
        await self.ask(user, {})
        await self.ask(f"{user}/server", {})
        end = time.perf_counter() + PATIENCE
        while not (await self.ask(user))["servers"].get("", {}).get("ready"):
            if time.perf_counter() > end:
                raise RuntimeError(f"{self.name}: no server after {PATIENCE} s")
            await asyncio.sleep(0.25)

    async def begin(self, notebooks):
        """Start a server, then open one notebook after the other and run its cells; all stay open."""
        begun = time.perf_counter()
        await self.start_server()
        self.started = time.perf_counter() - begun
        for notebook in notebooks:
            self.models = {}  # `move` finds the sliders of the last
            await self.run_all(notebook, begun)
        self.finished = time.perf_counter() - begun
        if self.first_picture is None:
            raise RuntimeError(f"{self.name}: {' and '.join(notebooks)} ran, and the kernel drew no picture")

    async def run_all(self, notebook, begun):
        """Open a notebook and run its cells one after the other, as “run all” does."""
        content = (await self.ask(f"{self.server}/api/contents/{notebook}?content=1"))["content"]
        cells = nbformat.from_dict(content).cells
        about = {"path": notebook, "name": notebook, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = (await self.ask(f"{self.server}/api/sessions", about))["kernel"]["id"]
        address = f"{self.server}/api/kernels/{kernel}/channels?session_id={self.session}".replace("http", "ws", 1)
        # The server answers when the kernel has started; Tornado's own patience ends after 20 s.
        request = HTTPRequest(address, headers=self.headers, connect_timeout=PATIENCE, request_timeout=PATIENCE)
        self.socket = await websocket_connect(request, subprotocols=[PROTOCOL], max_message_size=2**28)
        self.readers[self.socket] = asyncio.create_task(self.read(self.socket))
        await self.send("kernel_info_request", {})
        for source in (cell.source for cell in cells if cell.cell_type == "code" and cell.source.strip()):
            options = {"silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
            await self.send("execute_request", {"code": source, "stop_on_error": True, **options})
            if self.first_picture is None and self.pictures:
                self.first_picture = min(self.pictures.values()) - begun
            if self.problems:
                raise RuntimeError(f"{self.name}: {self.problems[0]}")

    async def send(self, kind, content):
        """Send a message, wait until the kernel has dealt with it; returns its identifier."""
        identifier = uuid.uuid4().hex
        header = {"msg_id": identifier, "msg_type": kind, "session": self.session, "username": self.name}
        header |= {"version": "5.3", "date": "2026-01-01T00:00:00Z"}
        parts = [json.dumps(part).encode() for part in (header, {}, {}, content)]
        self.waiting[identifier] = asyncio.get_running_loop().create_future()
        await self.socket.write_message(serialize_msg_to_ws_v1(parts, "shell"), binary=True)
        try:
            await asyncio.wait_for(self.waiting[identifier], PATIENCE)
        except TimeoutError:
            raise RuntimeError(f"{self.name}: {kind} without an answer for {PATIENCE} s") from None
        del self.waiting[identifier]
        return identifier

    async def read(self, socket):
        """Take what a kernel says until the connection is closed; what goes wrong is raised in `send`."""
        problem = ConnectionError(f"{self.name}: the kernel's connection was closed")
        try:
            while (data := await socket.read_message()) is not None:
                self.take(deserialize_msg_from_ws_v1(data)[1])
        except Exception as error:
            problem = error
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(problem)

    def take(self, message):
        """Keep what a message says of widgets, when pictures came, and which requests have been dealt with."""
        header, parent, _, content, *buffers = message
        kind, asked, content = json.loads(header)["msg_type"], json.loads(parent).get("msg_id"), json.loads(content)
        if kind in ("comm_open", "comm_msg"):
            model = self.models.setdefault(content["comm_id"], {})
            model |= content["data"].get("state", {})
            if model.get("_model_name") == "ImageModel" and buffers and len(buffers[0]):
                self.pictures[asked] = time.perf_counter()
        elif kind == "error":
            self.problems.append(f"{content['ename']}: {content['evalue']}")
        elif kind == "status" and content["execution_state"] == "idle" and asked in self.waiting:
            self.waiting[asked].set_result(None)  # once: a request ends in one “idle”

    def sliders(self):
        """(identifier, values it can take) of each slider of a picture that the kernel draws."""
        found = []
        for name, model in self.models.items():
            if "calibtutor" in model.get("_dom_classes", ()):
                parts = list(self.below(name))
                if any(self.models[each].get("_model_name") == "ImageModel" for each in parts):
                    found += [(each, values) for each in parts if (values := _values(self.models[each]))]
        return found

    def below(self, name):
        """The identifiers of all widgets within a widget."""
        for child in self.models.get(name, {}).get("children", ()):
            child = child.removeprefix("IPY_MODEL_")
            if child in self.models:
                yield child
                yield from self.below(child)

    async def move(self, seconds):
        """Drag sliders, read, drag: for so many seconds, and once at least.

        A step follows when the one before has its picture.
        """
        sliders, end = self.sliders(), time.perf_counter() + seconds
        if not sliders:
            raise RuntimeError(f"{self.name}: no slider of a picture among the {len(self.models)} widgets of the last "
                               "notebook; does `sliders` still know what `explore` makes?")  # fmt: skip
        await asyncio.sleep(self.random.uniform(0, REST[1]))  # nobody begins with the others
        while not self.steps or time.perf_counter() < end:
            before = len(self.steps)
            name, (key, values) = self.random.choice(sliders)
            place, way = self.random.randrange(len(values)), 1
            for _ in range(STEPS):
                way = -way if not 0 <= place + way < len(values) else way
                place += way
                sent = time.perf_counter()
                data = {"method": "update", "state": {key: values[place]}, "buffer_paths": []}
                identifier = await self.send("comm_msg", {"comm_id": name, "data": data})
                if identifier in self.pictures:  # none where the slider stood already
                    self.steps.append(1000 * (self.pictures[identifier] - sent))
                await asyncio.sleep(STEP_PAUSE)
            if len(self.steps) == before:
                raise RuntimeError(f"{self.name}: {STEPS} moves of a slider, and no picture came")
            await asyncio.sleep(self.random.uniform(*REST))

    async def leave(self):
        """Close the connections; the hub ends the server."""
        for socket, reader in self.readers.items():
            socket.close()
            await reader


def _values(model):
    """Which key of a slider's model to set, and the values it can take; None for other widgets."""
    kind = model.get("_model_name")
    if kind in ("IntSliderModel", "FloatSliderModel"):
        steps = round((model["max"] - model["min"]) / model["step"])
        return "value", [min(model["min"] + k * model["step"], model["max"]) for k in range(steps + 1)]
    if kind == "SelectionSliderModel":
        return "index", list(range(len(model["_options_labels"])))
    return None


async def everyone(students, act):
    """All do one thing at once; the first problem is raised."""
    AsyncHTTPClient.configure(None, max_clients=10 * len(students))
    try:
        await asyncio.gather(*(act(student) for student in students))
    except HTTPClientError as error:
        said = error.response.body.decode(errors="replace")[:500] if error.response else ""
        raise RuntimeError(f"{error}: {said}") from error
