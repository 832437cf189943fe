"""Real predictions to look at: five classifiers on the digits that come with scikit-learn, offline.

Training the forest and the network takes a second, which the first picture of a lesson would wait for. What they say
of the images that the lessons show is therefore kept in `digits.npz`;

    python -m calibtutor.data.datasets

trains them anew and writes that file.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from ..door.inputs import check_choice, check_number


@dataclass(frozen=True, repr=False, eq=False)
class Predictions:
    """What a classifier said on its test set, and what was true.

    The arrays are read-only: the next call hands out the same object. Copy an array before changing it.

    Attributes
    ----------
    name : str
        Of the model.
    y_true : ndarray of int, shape (n,)
        True classes.
    y_prob : ndarray of float64, shape (n, d)
        Predicted probabilities; rows are nonnegative and sum to 1.
    ink : ndarray of float64, shape (n,), or None
        Mean pixel of the clean image, a feature that no model saw as such.
    images : ndarray of float64, shape (n, 8, 8), or None
        The images as the model saw them, noise included.
    """

    name: str
    y_true: np.ndarray
    y_prob: np.ndarray
    ink: np.ndarray | None = None
    images: np.ndarray | None = None

    def __post_init__(self):
        for field in ("y_true", "y_prob", "ink", "images"):
            array = getattr(self, field)
            # What is read-only already is shared; the caller's own array is copied before it is locked.
            if array is not None and array.flags.writeable:
                object.__setattr__(self, field, _read_only(array.copy()))

    def __repr__(self):
        accuracy = np.mean(self.y_prob.argmax(axis=1) == self.y_true)
        confidence = np.mean(self.y_prob.max(axis=1))
        return (f"Predictions({self.name!r}, n={len(self.y_true)}, "
                f"accuracy={accuracy:.3f}, mean confidence={confidence:.3f})")


def _read_only(array):
    array.setflags(write=False)
    return array


# Settings are chosen so that models of nearly equal accuracy miss calibration in different directions: the
# forest is far too modest, naive Bayes and the tree far too sure, and the network is right to within .01.
# Every iteration limit is well above what convergence takes, also on noisy pixels.
MODELS = {"random forest": lambda: RandomForestClassifier(200, n_jobs=1, random_state=0),
          "logistic regression": lambda: LogisticRegression(C=1.0, max_iter=2000),
          "neural network": lambda: MLPClassifier((100,), max_iter=2000, random_state=0),
          "naive Bayes": lambda: GaussianNB(var_smoothing=1e-2),
          "decision tree": lambda: DecisionTreeClassifier(random_state=0)}

# Holes in the shapes of the digits 0 to 9, a 4 being written open.
HOLES = _read_only(np.array([1, 0, 0, 0, 0, 0, 1, 0, 2, 1]))

STORED = Path(__file__).with_name("digits.npz")
# The two models that take long to train, at the noises that lessons show. The keys of the file are these, written
# out, and the network's name with "worn" for the scanner of `worn_digits`.
SLOW, NOISES = ("random forest", "neural network"), (0.0, 0.35)


def digits_predictions(model="naive Bayes", *, noise=0.0):
    """Test-set predictions of one classifier on scikit-learn's digits.

    The 1,797 images are split, stratified by class, into 718 for training and 1,079 for testing; pixels lie
    in [0, 1]. Training happens at the first call and is remembered for the session; at noise 0 and .35, what the
    forest and the network say is read from a file instead.

    Parameters
    ----------
    model : str, default "naive Bayes"
        "random forest", "logistic regression", "neural network", "naive Bayes" or "decision tree".
    noise : float, default 0.0
        Standard deviation of the normal noise added to every pixel, in training and testing alike. The draws
        are fixed and only scaled, so a larger value makes the same images harder to read.

    Returns
    -------
    Predictions
        With `y_prob` of shape (1079, 10).

    Raises
    ------
    InputError
        For an unknown model, and for a noise that is negative or not finite.
    """
    return _trained(model, check_number(noise, "noise"))


def digits_cast(noise=0.0):
    """All five classifiers on the same test images: {name of the model: its `Predictions`}."""
    return {model: digits_predictions(model, noise=noise) for model in MODELS}


def hole_predictions(model="naive Bayes", *, noise=0.0):
    """The digits as three classes, by the number of holes in the shape.

    Class 0 has none (1, 2, 3, 4, 5, 7), class 1 has one (0, 6, 9), class 2 has two (8). The probability of a
    class is the sum over its digits: a real three-class problem whose predictions are points of a triangle. `y_prob`
    has the shape (1079, 3); model and noise as in `digits_predictions`.
    """
    digits = digits_predictions(model, noise=noise)
    y_prob = np.stack([digits.y_prob[:, HOLES == k].sum(axis=1) for k in range(3)], axis=1)
    y_prob /= y_prob.sum(axis=1, keepdims=True)
    return Predictions(f"{model}, number of holes", HOLES[digits.y_true], y_prob, digits.ink, digits.images)


@lru_cache(maxsize=8)
def worn_digits(model="neural network"):
    """The digits read by a scanner that wears out: every test image has its own amount of noise.

    Models are trained on images with noise .1, as `digits_predictions(noise=0.1)`. Test image i gets noise s_i, drawn
    uniformly from [0, .5]: a fifth of the images is cleaner than those of the training, the others are worse.

    Returns
    -------
    predictions : Predictions
        With `y_prob` of shape (1079, 10); `images` are the noisy ones.
    wear : ndarray, shape (1079,)
        The noise s_i of each image.
    """
    _, _, _, y_test, ink, _ = digits_split()
    wear, images = _worn_images()
    y_prob = _said(model, 0.1, images, f"{model}, worn")
    return Predictions(f"{model}, worn scanner", y_test, y_prob, ink, images), _read_only(wear)


def brightened_digits(model, percent=0):
    """The digits under another light: pixels times 1 + percent/100, cut off at white.

    The model was trained on clean images as they are. Ink is bright and paper 0, as on a screen; `images` and `ink` of
    the `Predictions` are those of the changed light. A percent below −100 is an `InputError`.
    """
    check_number(percent, "percent", -100)
    _, _, _, y_test, _, images = digits_split()
    lit = np.minimum(images * (1 + percent / 100), 1)
    return Predictions(f"{model}, light {percent:+g} %", y_test, _said(model, 0.0, lit), lit.mean(axis=(1, 2)), lit)


@lru_cache(maxsize=16)
def digits_split(noise=0.0):
    """Split the digits into pixels and labels for training and for testing; `noise` as in `digits_predictions`.

    Returns
    -------
    train, y_train : ndarray, shapes (718, 64) and (718,)
        Pixels and labels of the training images.
    test, y_test : ndarray, shapes (1079, 64) and (1079,)
        Those of the test images.
    ink : ndarray, shape (1079,)
        Mean pixel of each clean test image.
    images : ndarray, shape (1079, 8, 8)
        The rows of `test` as images. All six are read-only.
    """
    pixels, labels = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=0)
    ink = test.mean(axis=1)
    rng = np.random.default_rng(0)
    train = train + noise * rng.standard_normal(train.shape)
    test = test + noise * rng.standard_normal(test.shape)
    # A reshaped view would leave a writable base behind, hence the copy.
    return tuple(map(_read_only, (train, y_train, test, y_test, ink, test.reshape(-1, 8, 8).copy())))


@lru_cache(maxsize=64)
def _trained(model, noise):
    _, _, _, y_test, ink, images = digits_split(noise)
    return Predictions(model, y_test, _said(model, noise, images, f"{model}, {noise}"), ink, images)


@lru_cache(maxsize=16)
def _fitted(model, noise):
    check_choice(model, "model", MODELS)
    train, y_train, *_ = digits_split(noise)
    # One thread: the number of threads would change the order of the sums and with it the last digits of the
    # network, and matrices this small are multiplied faster without them.
    with threadpool_limits(limits=1):
        return MODELS[model]().fit(train, y_train)


@lru_cache
def _stored():
    with np.load(STORED) as content:
        return dict(content)


def _said(model, noise, images, key=None):
    """What a model trained at some noise says of images (n, 8, 8); from the file if it holds the `key`."""
    if key and key in _stored():
        return _stored()[key]
    with threadpool_limits(limits=1):
        y_prob = _fitted(model, noise).predict_proba(images.reshape(len(images), -1))
    # Rounding may leave 1 + 2e-16, which a strict check would refuse. Rows are not divided by their sums: the
    # forest's confidences are votes out of 200, often on the edge of a bin, and might fall off it.
    return np.minimum(y_prob, 1)


def _worn_images():
    """Noise of each test image (n,), and the test images with that noise (n, 8, 8)."""
    _, _, clean, *_ = digits_split()
    rng = np.random.default_rng(1)
    wear = rng.uniform(0, 0.5, len(clean))
    return wear, (clean + wear[:, None] * rng.standard_normal(clean.shape)).reshape(-1, 8, 8)


def trained_anew():
    """What `digits.npz` holds, every model trained here and now."""
    anew = {f"{model}, {noise}": _said(model, noise, digits_split(noise)[-1]) for model in SLOW for noise in NOISES}
    return anew | {"neural network, worn": _said("neural network", 0.1, _worn_images()[1])}


if __name__ == "__main__":
    np.savez_compressed(STORED, **trained_anew())
