"""Published files, fetched from one fixed commit each and checked against the SHA-256 written here.

``python -m calibtutor data`` fetches them all, for a machine that will be without a network later.
"""

import os
import sys
from pathlib import Path

from .. import _course
from ..door.inputs import InputError, check_choice
from ..progress import progress_bar

with _course():
    import pooch

DATA_DIR = "CALIBTUTOR_DATA_DIR"
FILES = {  # repository, commit and path on GitHub; SHA-256
    "compas-scores-two-years.csv": (
        "propublica/compas-analysis/bafff5da3f2e45eca6c2d5055faad269defd135a/compas-scores-two-years.csv",
        "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d"),
    "AHS_2019_Cleaned.csv": (
        "ritwikvashistha/I-trustworthy/c432c0478c0ff5fc1115c7d6c1f6af42596f110a/Data/AHS_2019_Cleaned.csv",
        "97145c7fe05ab720fbaeb73996c8fff83ef7dd6745f5ae6fcb9c777fc338a0b9"),
    "heart.csv": ("ritwikvashistha/I-trustworthy/c432c0478c0ff5fc1115c7d6c1f6af42596f110a/Data/heart.csv",
                  "948420b084d8a3a0ca42b8419fce9aee175879e43f8aedf712377899a67aa49b")}
# Downloads go to a temporary file that is renamed when its checksum is right, else removed with a ValueError.
CACHE = pooch.create(
    path=pooch.os_cache("calibtutor"), base_url="",
    urls={name: f"https://raw.githubusercontent.com/{address}" for name, (address, _) in FILES.items()},
    registry={name: sha256 for name, (_, sha256) in FILES.items()})


def fetch(filename, *, progress=True):
    """Path of a published data file, downloaded once and verified every time.

    A copy in the folder named by the environment variable CALIBTUTOR_DATA_DIR comes first, for machines
    without a network. Otherwise the file is taken from the user's cache folder, and downloaded into it when
    it is missing or damaged there.

    Parameters
    ----------
    filename : str
        "compas-scores-two-years.csv", "AHS_2019_Cleaned.csv" or "heart.csv".
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
    check_choice(filename, "filename", CACHE.registry)
    path = _local(filename)
    if path is None:
        return _downloaded(filename, progress)
    found, wanted = pooch.file_hash(str(path)), CACHE.registry[filename]
    if found != wanted:
        raise InputError(f"{path}, found through {DATA_DIR}", f"SHA-256 {wanted}", found=found)
    return path


def available(filename):
    """Whether `fetch` needs no network for this file: a local or cached copy exists (its checksum is not read here)."""
    return _local(filename) is not None or (CACHE.abspath / filename).is_file()


def _local(filename):
    """The copy that the environment variable leads to, or None."""
    folder = os.environ.get(DATA_DIR)
    path = Path(folder).expanduser() / filename if folder else None
    return path if path and path.is_file() else None


def _downloaded(filename, progress):
    from requests import RequestException  # slow to import and rarely needed; pooch downloads with it

    # pooch announces the folders of this machine, which have no place in a notebook that will be shared.
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    def download(*where):  # pooch's own bar would start tqdm's thread
        bar = progress and progress_bar(total=1, shown=True, unit="B", unit_scale=True)  # pooch corrects the total
        pooch.HTTPDownloader(progressbar=bar)(*where)

    try:
        return Path(CACHE.fetch(filename, downloader=download))
    except RequestException as error:
        raise ConnectionError(
            f"could not download {filename} from {CACHE.get_url(filename)} ({error}). Without a network: fetch that "
            f"address elsewhere, check that the SHA-256 is {CACHE.registry[filename]}, and put the file under the name "
            f"{filename} into {CACHE.path} or into a folder named by the environment variable {DATA_DIR}") from error
    finally:
        logger.setLevel(level)


def fetch_all():
    """Fetch every file and say so, line by line; what fails is said, and does not stop the rest. Returns 0.

    Used while an image is built, which a missing file must not break.
    """
    for name in CACHE.registry:
        try:
            print(f"{name}: {fetch(name).stat().st_size:,} bytes")
        except (ConnectionError, ValueError) as error:
            print(f"{name}: not fetched. {error}", file=sys.stderr)
    return 0
