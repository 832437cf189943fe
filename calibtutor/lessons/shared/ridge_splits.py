"""What several lessons use: ridge splits."""

from ...data.worlds import wave_world

__all__ = ["FOLDS", "MODELS", "SPLITS", "true_product"]



def true_product(p, other):
    """h*(p, p') = (p − r(p)) (p' − r(p')), known in this world of one wave."""
    world = wave_world(1, 0.15)
    return (p - world.curve(p)) * (other - world.curve(other))


MODELS = ["random forest", "logistic regression", "neural network", "naive Bayes"]
SPLITS, FOLDS = 20, 5
