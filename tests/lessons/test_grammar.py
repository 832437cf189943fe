"""Colours of the grammar of pictures; what it asks of each picture is tested where its controls are swept."""

import itertools
import re
from pathlib import Path

import numpy as np
from grammar import LEAST_CONTRAST, contrast
from matplotlib.colors import to_rgb

from calibtutor import lessons
from calibtutor.plots import CHOICE, INK, KEPT, MISS, MODELS, SOFT

APART = 11  # CIE76 of two models' colours, for who lacks green cones; shapes differ as well


def seen_without_green_cones(colour):
    """Viénot, Brettel and Mollon (1999), in linear RGB."""
    loss = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
    return np.clip(loss @ np.array(to_rgb(colour)) ** 2.2, 0, 1)


def lab(linear):
    """CIE L*a*b* of linear sRGB, daylight D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.where((t := xyz / (0.9505, 1, 1.089)) > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(one, other):
    return np.linalg.norm(lab(seen_without_green_cones(one)) - lab(seen_without_green_cones(other)))


def test_models_are_told_apart_without_green_cones():
    for (a, (one, shape, _)), (b, (other, another, _)) in itertools.combinations(MODELS.items(), 2):
        assert apart(one, other) > APART, (a, b, apart(one, other))
        assert shape != another
    for verdict, name in ((KEPT, "kept"), (CHOICE, "choice"), (INK, "truth")):
        assert apart(MISS, verdict) > 2 * APART, name


def test_words_in_a_models_colour_can_be_read():
    for colour in (INK, SOFT, KEPT, MISS, *(text for _, _, text in MODELS.values())):
        assert contrast(colour, "white") >= LEAST_CONTRAST


def test_no_picture_names_a_colour_that_the_dark_turns():
    sources = [each for each in Path(lessons.__file__).parent.rglob("*") if each.suffix in (".py", ".js")]
    named = re.compile(r"\b(white|black|dark): [a-z]", flags=re.I)  # as legends do: “dark: the last one”
    assert [(each.name, found) for each in sources for found in named.findall(each.read_text(encoding="utf-8"))] == []
