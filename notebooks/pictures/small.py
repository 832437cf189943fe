"""A small picture of each notebook, for the README and the book's contents, out of what it stores.

    python notebooks/pictures/small.py

writes notebooks/pictures/NN_name.png anew where a notebook's first picture has changed. A test asks that they are up to
date.
"""

import base64
import io

import nbformat
from PIL import Image

from calibtutor.teach.notebooks import NOTEBOOKS, discover

FOLDER, WIDTH, COLOURS = NOTEBOOKS / "pictures", 480, 64


def small(nb):
    """The notebook's first picture as PNG, WIDTH pixels wide."""
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            stored = output.get("data", {}).get("image/png")
            if stored:
                whole = Image.open(io.BytesIO(base64.b64decode(stored))).convert("RGB")
                whole = whole.resize((WIDTH, round(WIDTH * whole.height / whole.width)), Image.Resampling.LANCZOS)
                out = io.BytesIO()
                whole.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "png", optimize=True)
                return out.getvalue()
    raise ValueError("no picture is stored")


def main():
    """Write those that are new or differ; take away those of notebooks that are gone."""
    FOLDER.mkdir(exist_ok=True)
    made = {f"{path.stem}.png": small(nbformat.read(path, as_version=4)) for path in discover()}
    for file in FOLDER.glob("*.png"):
        if file.name not in made:
            file.unlink()
    for name, content in made.items():
        if not (FOLDER / name).is_file() or (FOLDER / name).read_bytes() != content:
            (FOLDER / name).write_bytes(content)
            print(name, f"{len(content) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
