"""What functions give back: frozen records with a line to print, a summary for a person and plain data for JSON."""

from dataclasses import fields

import numpy as np


class Result:
    """What a function found: printed on one line, with its arrays counted and not shown; equal to itself alone."""

    def __repr__(self):
        shown = (f"{f.name}={_in_short(getattr(self, f.name))}" for f in fields(self) if not f.name.startswith("_"))
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self):
        """The named fields as plain Python, which `json.dumps` takes, ``allow_nan=False`` too.

        Returns
        -------
        dict
            Arrays become lists, tables lists of rows, NaN None, ±∞ "inf" and "-inf"; results inside become dicts;
            kernels and other callables the text they print.
        """
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def summary(self):
        """What was found, in a few lines for a person; `to_dict` has the numbers themselves.

        Returns
        -------
        str
            A heading, and a line for each field; some results have a text of their own.
        """
        names = [f.name for f in fields(self) if not f.name.startswith("_")]
        width, about = max(map(len, names)), (type(self).__doc__ or "").partition("\n")[0]
        lines = [f"    {name:{width}}  {_in_words(getattr(self, name))}" for name in names]
        return "\n".join([f"{type(self).__name__}: {about}", *lines])


def _in_words(value):
    if not isinstance(value, np.ndarray) or not value.size:
        return "none" if value is None else str(value) if isinstance(value, str) else _in_short(value)
    missing = int(np.isnan(value).sum())
    span = f", from {np.nanmin(value):.4g} to {np.nanmax(value):.4g}" if missing < value.size else ""
    return f"{' × '.join(map(str, value.shape))} numbers{span}{f', {missing} missing' if missing else ''}"


def _plain(value):
    """What JSON knows; see `Result.to_dict`."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if np.isfinite(value) else None if np.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "to_dict"):  # a result, or a table of pandas
        return value.to_dict() if isinstance(value, Result) else _plain(value.reset_index().to_dict("records"))
    text = repr(value)
    return text if " at 0x" not in text else f"<{type(value).__name__}>"  # an address is another one tomorrow


def _in_short(value):
    if isinstance(value, np.ndarray):
        return f"<{' × '.join(map(str, value.shape))} numbers>"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = repr(value)
    return text if len(text) <= 80 and "\n" not in text and " at 0x" not in text else f"<{type(value).__name__}>"
