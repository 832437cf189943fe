"""Files written whole or not at all; links are followed, and who may read what was there may read what comes."""

import os
import shutil
from pathlib import Path

from .door.inputs import InputError


def place_of(path):
    """Where a file is written: at the end of all links, a new file or one that may be replaced."""
    given, place = Path(path), Path(path).resolve()  # of a pipe at /dev/stdout the end of all links is no name
    if given.exists() and not given.is_file():
        raise InputError(str(path), "the name of a file", found="a folder" if place.is_dir() else "a device or a pipe")
    if not place.parent.is_dir():
        raise InputError(str(path), f"a folder {place.parent}", found="none")
    if place.exists() and not place.stat().st_mode & 0o200:
        raise InputError(str(path), "a file that may be replaced", found="one that may only be read")
    return place


def write(contents):
    """Write files {path: text or bytes} together: whole, or if one cannot be written none, and what was there stays."""
    contents = {place_of(path): content for path, content in contents.items()}
    ready = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in contents}
    try:
        for path, content in contents.items():
            ready[path].touch()
            if path.exists():  # who could not read what was there cannot read what will be
                shutil.copymode(path, ready[path])
            ready[path].write_bytes(content if isinstance(content, bytes) else content.encode())
        for path, whole in ready.items():
            whole.replace(path)
    finally:
        for whole in ready.values():
            whole.unlink(missing_ok=True)
