"""What may take long says how far it is when asked, and ends at once when it is interrupted."""

import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

import calibtutor as ct
from calibtutor.chance.resampling import draw_labels

SHOWN = {"selection": lambda y, p, **how: ct.select_estimator(y, p, candidates=["ukkr"], rng=0, **how).estimate,
         "bandwidth": lambda y, p, **how: ct.select_bandwidth(p, **how),
         "kde": lambda y, p, **how: ct.kde_calibration_error(y, p, **how),
         "corp": lambda y, p, **how: ct.corp_reliability(y, p, n_resamples=9, rng=0, **how).pvalue,
         "band": lambda y, p, **how: ct.consistency_band(p, n_resamples=9, rng=0, **how)[0][1:].tolist(),
         "errors": lambda y, p, **how: ct.resampled_errors(p, n_resamples=9, weights=p, rng=0, **how).tolist(),
         "spectrum": lambda y, p, **how: ct.calibration_spectrum(y, p, **how).eigenvalues.tolist(),
         "kce": lambda y, p, **how: ct.kce_test(y, p, n_resamples=9, rng=0, **how).pvalue,
         "klce": lambda y, p, **how: ct.klce_test(y, p, p, n_resamples=9, rng=0, **how).pvalue,
         "vector": lambda y, p, **how: ct.VectorScaling(**how).fit(y, p).weights.tolist(),
         "variational": lambda y, p, **how: ct.variational_error(y, p, recalibrator=ct.PlattScaling(), rng=0, **how)}
LONG = {"select_estimator(y, p, n_jobs=2)": 20_000,
        "corp_reliability(y, p, n_resamples=10**6)": 10**5,
        "consistency_band(p, n_resamples=10**5)": 10**5}


@pytest.mark.parametrize("name", SHOWN)
def test_progress_is_shown_when_asked_for(name, capsys):
    p = np.linspace(0.05, 0.95, 200)
    y = (np.random.default_rng(0).random(200) < p**2).astype(int)
    before = threading.active_count()
    silent = SHOWN[name](y, p)
    assert capsys.readouterr().err == ""
    assert SHOWN[name](y, p, progress=True) == silent
    assert (" steps" if name == "vector" else "100%") in capsys.readouterr().err
    assert threading.active_count() <= before, "a browser tab has no threads"


def test_draws_that_no_memory_holds_are_refused_in_words():
    for draws in (10**17, 10**30):  # more than there is; more than an index can count
        with pytest.raises(ct.InputError, match="n_resamples: expected fewer for 2 rows"):
            draw_labels(np.array([0.5, 0.5]), draws, rng=0)


@pytest.mark.slow
@pytest.mark.parametrize("call", LONG)
def test_an_interrupt_ends_it(call):
    code = f"""from calibtutor import *; import numpy as np
p, uniform = np.random.default_rng(0).random((2, {LONG[call]}))
y = uniform < p**2
print("ready", flush=True); {call}"""
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # also of tests that run in the background
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], preexec_fn=heard, **pipes) as work:
        assert work.stdout.readline() == "ready\n"
        time.sleep(2)
        work.send_signal(signal.SIGINT)
        began = time.monotonic()
        try:
            assert work.communicate(timeout=60)[1].splitlines()[-1] == "KeyboardInterrupt"
        finally:
            work.kill()
        assert time.monotonic() - began < 10
