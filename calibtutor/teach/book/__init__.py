"""The book: the course as static pages on which every slider moves, and nothing runs."""
