"""The door: arguments as they come in, labels and probabilities as people have them, and what functions give back."""
