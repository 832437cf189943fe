"""Chance: labels and rows redrawn, p-values, the exact test for any number of rows, and what a statistic is held to."""
