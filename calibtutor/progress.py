"""Bars of progress: all of the library's are made here."""

from tqdm.auto import tqdm


class _Bar(tqdm):
    monitor_interval = 0  # tqdm's thread would start with a bar that is hidden, too, and in a browser it cannot start


def progress_bar(steps=None, *, shown, **how):
    """tqdm over `steps`, shown if asked for; without a thread it looks at the clock at every step itself."""
    return _Bar(steps, disable=not shown, miniters=1, **how)
