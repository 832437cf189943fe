"""The reader's own file."""

from ...teach.upload import Upload
from .data import read

__all__ = ["upload"]


def upload(label="y", prob="p_*", groups=(), cluster=None, classes=None, sep=None):
    """A button for a file of predictions; what it holds is then in `.content`, as `read` gives it."""
    return Upload(lambda path: read(path, label, prob, groups, cluster, classes, sep), accept=".csv,.tsv,.parquet")
