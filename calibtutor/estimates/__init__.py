"""Estimates of how often an event happens at a prediction, the risk of an estimator, and which one to believe."""
