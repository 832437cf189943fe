"""Published files, fetched from one fixed commit each and checked against the SHA-256 written here.

``python -m calibtutor data`` fetches them all, for a machine that will be without a network later.
"""

import os
import sys
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from .. import _course

with _course():
    import pooch

__all__ = ["SOURCES", "available", "fetch"]

DATA_DIR = "CALIBTUTOR_DATA_DIR"
HOST = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class _Source:
    repository: str
    commit: str
    path: str
    sha256: str

    @property
    def url(self):
        return f"{HOST}/{self.repository}/{self.commit}/{urllib.parse.quote(self.path)}"


SOURCES = {
    "compas-scores-two-years.csv": _Source(
        "propublica/compas-analysis",
        "bafff5da3f2e45eca6c2d5055faad269defd135a",
        "compas-scores-two-years.csv",
        "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
    ),
    "AHS_2019_Cleaned.csv": _Source(
        "ritwikvashistha/I-trustworthy",
        "c432c0478c0ff5fc1115c7d6c1f6af42596f110a",
        "Data/AHS_2019_Cleaned.csv",
        "97145c7fe05ab720fbaeb73996c8fff83ef7dd6745f5ae6fcb9c777fc338a0b9",
    ),
    "heart.csv": _Source(
        "ritwikvashistha/I-trustworthy",
        "c432c0478c0ff5fc1115c7d6c1f6af42596f110a",
        "Data/heart.csv",
        "948420b084d8a3a0ca42b8419fce9aee175879e43f8aedf712377899a67aa49b",
    ),
    "cifar_probs.dat": _Source(
        "p-lambda/verified_calibration",
        "ee81c346895e3377653bd347c429a95bd631058d",
        "data/cifar_probs.dat",
        "fe3cdd9e8d77336aa60916949ec126ef0c17a828d95c1999a88a59bc56a550bf",
    ),
}


def fetch(filename, *, progress=True):
    """Path of a published data file, downloaded once and verified every time.

    A copy in the folder named by the environment variable CALIBTUTOR_DATA_DIR comes first, for machines
    without a network. Otherwise the file is taken from the user's cache folder, and downloaded into it when
    it is missing or damaged there.

    Parameters
    ----------
    filename : str
        "compas-scores-two-years.csv", "AHS_2019_Cleaned.csv", "heart.csv" or "cifar_probs.dat".
    progress : bool, default True
        Show a progress bar while downloading.

    Returns
    -------
    pathlib.Path
        A file whose SHA-256 is the one recorded here.

    Raises
    ------
    ValueError
        For an unknown name, and for a file with another checksum than expected.
    ConnectionError
        When the download fails; the message says how to do without it.
    """
    if filename not in SOURCES:
        raise ValueError(f"filename: expected one of {', '.join(SOURCES)}; got {filename!r}")
    source = SOURCES[filename]
    folder = os.environ.get(DATA_DIR)
    if folder:
        path = Path(folder).expanduser() / filename
        if path.is_file():
            return _verified(path, source.sha256)
    return _downloaded(filename, source, progress)


def available(filename):
    """Whether `fetch` needs no network for this file: a local or cached copy exists (its checksum is not read here).

    Parameters
    ----------
    filename : str

    Returns
    -------
    bool
    """
    folder = os.environ.get(DATA_DIR)
    places = [Path(folder).expanduser()] if folder else []
    return any((place / filename).is_file() for place in [*places, Path(pooch.os_cache("calibtutor"))])


def _verified(path, sha256):
    found = pooch.file_hash(str(path), alg="sha256")
    if found != sha256:
        raise ValueError(f"{path}, found through {DATA_DIR}: expected SHA-256 {sha256}, found {found}")
    return path


def _downloaded(filename, source, progress):
    from requests import RequestException  # slow to import and rarely needed; pooch downloads with it

    cache = pooch.os_cache("calibtutor")
    # pooch announces the folders of this machine, which have no place in a notebook that will be shared.
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        # pooch writes to a temporary file beside the target and renames it only when the checksum is right;
        # otherwise it removes it and raises a ValueError with both checksums.
        path = pooch.retrieve(source.url, f"sha256:{source.sha256}", fname=filename, path=cache, progressbar=progress)
    except RequestException as error:
        raise ConnectionError(
            f"could not download {filename} from {source.url} ({error}). Without a network: fetch that "
            f"address elsewhere, check that the SHA-256 is {source.sha256}, and put the file under the name "
            f"{filename} into {cache} or into a folder named by the environment variable {DATA_DIR}"
        ) from error
    finally:
        logger.setLevel(level)
    return Path(path)


def fetch_all():
    """Fetch every file and say so, line by line; what fails is said and never stops the rest. Returns 0.

    Used while an image is built: a missing file must be said, and must not break the build.
    """
    for name in SOURCES:
        try:
            print(f"{name}: {fetch(name).stat().st_size:,} bytes")
        except (ConnectionError, ValueError) as error:
            print(f"{name}: not fetched. {error}", file=sys.stderr)
    return 0
