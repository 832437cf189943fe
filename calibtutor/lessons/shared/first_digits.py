"""Four models that read digits, and what they do on the first of them."""

from ...data.datasets import digits_cast
from ...door.predictions import top_label

CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")


def first_digits(model, n):
    """Hits, as 0 and 1, and confidences of a model on the first n digits."""
    hit, confidence = top_label(digits_cast()[model].y_true[:n], digits_cast()[model].y_prob[:n])
    return hit.astype(float), confidence
