"""In the guest: notebooks print what is stored, which another machine computed, and functions return the same."""

import ast
import contextlib
import io
import json
import linecache
import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import ends
from ipywidgets import Widget
from remembered import forget

import calibtutor as ct
from calibtutor.chance.resampling import draw_labels
from calibtutor.lessons import discover
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.notebooks import discover as notebooks

PATHS = [pytest.param(path, marks=pytest.mark.slow) if path.parent != NOTEBOOKS else path for path in notebooks()]
SCENES = discover("scenes")
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_stored(path, forget_widgets, monkeypatch):
    monkeypatch.chdir(path.parent)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names, wrong = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            said, stored = _run("".join(cell["source"]), names, f"<cell {number}>"), _stored(cell["outputs"])
            wrong += [(number, said, stored)] * (said != stored)
    assert wrong == []


def _run(source, names, file):
    """What a cell prints and shows, as text; as in a notebook the value of its last line is shown."""
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # its source is asked for
    body, shown, printed = ast.parse(source).body, [], io.StringIO()
    last = body.pop() if body and isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    names["display"] = lambda *values: shown.extend(values)
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), file, "exec"), names)
        value = eval(compile(ast.Expression(last.value), file, "eval"), names) if last else None
    return _words([printed.getvalue(), *map(_text, shown if value is None else [*shown, value])])


def _text(value):
    bundle = getattr(value, "_repr_mimebundle_", None)
    with pd.option_context("display.max_columns", 20):  # a notebook's, not a terminal's
        return bundle()[0]["text/plain"] if bundle and hasattr(value, "still") else repr(value)


def _stored(outputs):
    streams = "".join("".join(each["text"]) for each in outputs if each.get("name") == "stdout")
    return _words([streams, *("".join(each["data"]["text/plain"]) for each in outputs if "data" in each)])


def _words(texts):
    said = ADDRESS.sub("ADDRESS", "\n".join(text.strip() for text in texts if text.strip()))
    return re.sub(r"-(0\.0+)\b", r"\1", said)  # whether a zero is a little below zero is rounding


def numbers():
    """Numbers of our functions by name, of so many rows that sums of whole numbers do not fit four bytes; and draws."""
    rng = np.random.default_rng(54)
    many, p = rng.random(100_000), rng.dirichlet(np.ones(4), size=300)
    y_many, y = (rng.random(len(many)) < many**1.1).astype(int), draw_labels(p, 1, rng=1)[:, 0].astype(int)
    group, kernel = rng.standard_normal((300, 2)), ct.rbf(bandwidth=0.3)
    low = ct.low_rank(ct.rbf(bandwidth=1.0), rng.random((20_000, 2)))
    found = {"ECE": [ct.expected_calibration_error(y_many, many, strategy=each) for each in ("uniform", "quantile")],
             "band": ct.consistency_band(many, n_resamples=19, rng=0),
             "redrawn errors": ct.resampled_errors(many, n_resamples=9, rng=0),
             "smooth": ct.smooth_calibration_error(y_many, many),
             "CORP": ct.corp_reliability(y_many, many, n_resamples=3, rng=0).chance,
             "BBQ": ct.BBQ().fit(y_many, many).predict_proba(many[:9]),
             "low rank": [low.rank, *low.pivots[-1], *np.abs(low.features[:5]).sum(axis=1)],
             "SKCE": [ct.skce(y, p, kernel=kernel), ct.skce(y_many, many, kernel=kernel, estimator="linear")],
             "test": ct.kce_test(y, p, kernel=kernel, n_resamples=99, rng=0, n_jobs=2).pvalue,
             "test in parts": ct.kce_test_parts([(y_many[:5000], many[:5000])] * 2, n_resamples=99, rng=0, n_jobs=2,
                                                kernel=ct.landmarks(kernel, many, rng=0)).pvalue,
             "local test": ct.klce_test(y, p, group, n_resamples=99, rng=0).pvalue,
             "CKCE": ct.ckce(y, p, kernel=kernel, regularization=0.1),
             "KDE": ct.kde_calibration_error(y, p),
             "temperature": ct.TemperatureScaling().fit(y, p).predict_proba(p[:9]),
             "spectrum": ct.calibration_spectrum(y, p).eigenvalues[:5],
             "chosen": ct.select_estimator(y, p, candidates=["ukkr", "binning"], rng=0, n_jobs=2).estimate}
    draws = [rng.random(9), rng.standard_normal(9), rng.permutation(1000), rng.choice(1000, 99, replace=False),
             rng.integers(2**40, size=9), rng.binomial(1000, 0.3, 9), draw_labels(p, 99, rng=2),
             draw_labels(many, 9, rng=3)]
    exact = [sha256(each.astype(float).tobytes()).hexdigest() for each in draws]
    return {name: np.ravel(value).astype(float).tolist() for name, value in found.items()}, exact


def test_numbers_are_those_of_another_machine():
    wanted, draws = json.loads(Path("/numbers/numbers.json").read_text())
    found, same = numbers()
    assert same == draws and found.keys() == wanted.keys()
    for name, values in found.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-6, atol=1e-9, err_msg=name)


def sentences(scene):
    """What a scene says as it opens and with each control at its ends, one at a time; or the error that shows."""
    shown, said = scene(), {}
    for name, control in getattr(shown, "controls", {}).items():
        before = shown.values
        for value in ends(control):
            shown.set(**{name: value})
            said[f"{name}: {value}"] = shown.error or shown.finding.words
        shown.set(**before)
    Widget.close_all()
    forget("calibtutor.lessons")
    return said | {"back": shown.finding.words}


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_says_what_it_says_on_another_machine(name):
    assert sentences(SCENES[name]) == json.loads(Path("/numbers/sentences.json").read_text())[name]
