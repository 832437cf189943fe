"""A file from the reader's machine, for a notebook that runs elsewhere."""

import html
import tempfile
from pathlib import Path

import ipywidgets as widgets

from ..plots import KEPT, MISS
from .still import WithStill

__all__ = ["Upload"]

ASKED = "Upload: a file from your machine goes to this notebook's kernel, and nowhere else."


class Upload(WithStill, widgets.VBox):
    """A button for one file.

    Parameters
    ----------
    read : callable(path) -> object
        Reads it; a ValueError or OSError is shown to the reader.
    accept : str
        Endings, as in HTML: ".csv,.npz".

    Attributes
    ----------
    content : object
        What `read` gave; None before.
    error : str
        Why there is none.
    """

    def __init__(self, read, accept=""):
        self.read, self.content, self.error = read, None, ""
        self.button = widgets.FileUpload(accept=accept, multiple=False)
        self.reply = widgets.HTML(html.escape(ASKED))
        self.button.observe(self._take, names="value")
        super().__init__([self.button, self.reply])

    def _take(self, change):
        if change["new"]:
            self.take(change["new"][0]["name"], bytes(change["new"][0]["content"]))

    def take(self, name, content):
        """Read a file from its name and its bytes."""
        name = Path(name).name  # no folder of the reader's choosing
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            try:
                self.content, self.error = self.read(path), ""
            except (ValueError, OSError) as problem:
                self.content, self.error = None, str(problem)
        said = self.error or f"{name} was read. Now run the next cell."
        colour = MISS if self.error else KEPT
        self.reply.value = f'<span role="status" style="color:{colour}">{html.escape(said)}</span>'

    def still(self):
        """What the button is for."""
        return {"text/html": f"<p>{html.escape(ASKED)}</p>", "text/plain": ASKED}, {}
