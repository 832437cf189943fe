"""What is stored of a picture shows and says what the picture does."""

import base64
import io

import numpy as np
from drawn import draw
from PIL import Image

from calibtutor.plots import Finding, reliability_diagram
from calibtutor.teach.still import Picture, packed, repacked

DATA = [0, 1, 1, 0, 1, 1], [0.1, 0.15, 0.7, 0.75, 0.9, 1.0]
FINDING = Finding("A headline", "what is drawn", "A sentence about it that says a lot, and then some more.")


def seen(png):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"))


def test_a_picture_brings_what_it_says():
    data, metadata = Picture(reliability_diagram(*DATA), FINDING)._repr_mimebundle_()
    stored = seen(data["image/png"])
    assert stored.shape[1] == 1000 and 1060 < stored.shape[0] < 1150  # 5 by 5 inches, two lines of words below
    assert data["text/plain"] == "A headline\nwhat is drawn\nA sentence about it that says a lot, and then some more."
    assert metadata["image/png"] == {"alt": f"A headline. what is drawn. {FINDING.sentence}", "width": 500}
    letters = (stored < 128).all(axis=2).any(axis=1)
    assert letters[:100].any() and letters[1010:].any()
    data, metadata = Picture(reliability_diagram(*DATA), Finding("A headline?", "what is drawn"))._repr_mimebundle_()
    assert seen(data["image/png"]).shape[:2] == (1000, 1000), "no room for a third sentence"
    assert data["text/plain"] == "A headline?\nwhat is drawn"
    assert metadata["image/png"]["alt"] == "A headline? what is drawn."


def test_a_stored_picture_looks_the_same_and_is_small():
    image = Image.fromarray(draw(reliability_diagram(*DATA))[..., :3].astype(np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "png")
    quick = packed(image)
    stored = repacked(quick)
    assert len(base64.b64decode(quick)) < len(buffer.getvalue())
    assert np.abs(np.asarray(image).astype(int) - seen(quick)).mean() < 1
    assert len(stored) < len(quick) and repacked(stored) == stored and (seen(quick) == seen(stored)).all()


def test_a_stored_picture_keeps_its_colours():
    pale, greys = [[200 + k % 8, 200 + k // 8, 190] for k in range(64)], [[20 + 3 * k] * 3 for k in range(64)]
    shades = np.array([pale, greys], np.uint8)
    assert np.abs(seen(packed(Image.fromarray(shades))) - shades.astype(int)).max() <= 1
