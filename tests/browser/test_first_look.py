"""The README's moving picture is that of the scene as it is now, and small enough for a first screen."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "notebooks" / "pictures" / "first_look.gif"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def frames(path):
    """Pixels of each frame, and for how many milliseconds it is shown."""
    with Image.open(path) as film:
        for k in range(film.n_frames):
            film.seek(k)
            yield np.asarray(film.convert("RGB")).astype(int), film.info["duration"]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(STORED.with_suffix(".py")))


def looked_at(path):
    """Its frames that stay: as it opens, after a drag, and of each model."""
    return [pixels for pixels, duration in frames(path) if duration > 500]


def test_it_is_the_scene_as_it_is_now(script, chromium, tmp_path):
    script["write"](tmp_path / "new.gif", chromium)
    stored, new = looked_at(STORED), looked_at(tmp_path / "new.gif")
    assert len(stored) == len(new) == 5
    moves = [np.abs(a - b).mean() for a, b in zip(stored[1:], stored[2:], strict=False)]
    assert max(np.abs(a - b).mean() for a, b in zip(stored, new, strict=True)) < min(moves) / 4
    counts = {pixels[455:478].tobytes() for pixels, _ in frames(STORED)}  # of each bin, below the hand
    assert len(counts) > 6, "a hand that moves nothing"


def test_it_is_short_and_small_and_drawn_for_a_telephone(script):
    assert sum(duration for _, duration in frames(STORED)) < 12_000
    assert STORED.stat().st_size < 600_000
    assert README.index("first_look.gif") < 500  # on the first screen
    assert Image.open(STORED).size == script["SIZE"] and 'gif" width="390"' in README, "not shrunk: type stays legible"


@pytest.mark.parametrize("model", ["random forest", "naive Bayes"])
def test_its_words_have_its_numbers(script, model):
    (alt,) = re.findall(r'<img src="notebooks/pictures/first_look\.gif" width="\d+" alt="([^"]+)">', README)
    headline = script["reveal_reliability"]().set(model=model).finding.headline
    sure, right, verdict = re.fullmatch(r".+: (\d+%) sure, (\d+%) right, so (.+)", headline).groups()
    assert f"{model} is {sure} sure and {right} right, so {verdict}".lower() in alt.lower()
