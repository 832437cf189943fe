"""Worlds whose truth is known, the digits and their classifiers, and the case studies' files."""
