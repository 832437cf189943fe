"""Downloads: all or nothing, always the recorded bytes."""

import hashlib
import http.server
import logging
import threading
from functools import partial

import pooch
import pytest

from calibtutor.data import downloads
from calibtutor.data.downloads import fetch

CONTENT = b"age,risk\n" + b"41,0.25\n" * 5000


class Upstream(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a folder and keeps what was asked for."""

    def log_message(self, *args):
        self.server.asked.append(self.path)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("CALIBTUTOR_DATA_DIR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(downloads.CACHE, "path", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def upstream(cache, tmp_path, monkeypatch):
    """A server, and `upstream.serve(filename, content, announced=content)`: the file is said to be found there."""
    folder = tmp_path / "pages"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Upstream, directory=folder))
    server.asked = []
    # The default looks for a shutdown twice a second, which would be most of the time these tests take.
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def serve(filename, content, announced=None):
        (folder / filename).write_bytes(content)
        digest = hashlib.sha256(announced or content).hexdigest()
        monkeypatch.setitem(downloads.CACHE.urls, filename, f"http://127.0.0.1:{server.server_port}/{filename}")
        monkeypatch.setitem(downloads.CACHE.registry, filename, digest)

    server.serve = serve
    serve("toy.csv", CONTENT)
    yield server
    server.shutdown()
    server.server_close()


def test_download_once_then_from_the_cache(upstream, cache, capfd):
    path = fetch("toy.csv")
    assert path == cache / "toy.csv" and path.read_bytes() == CONTENT
    assert "100%" in capfd.readouterr().err
    assert fetch("toy.csv") == path
    assert upstream.asked == ["/toy.csv"] and list(cache.iterdir()) == [path]
    path.write_bytes(b"damaged")
    assert fetch("toy.csv").read_bytes() == CONTENT and len(upstream.asked) == 2


def test_download_without_progress_bar_says_nothing(upstream, capfd, caplog, monkeypatch):
    logger = pooch.get_logger()
    monkeypatch.setattr(logger, "handlers", [caplog.handler])
    fetch("toy.csv", progress=False)
    assert capfd.readouterr() == ("", "") and not caplog.records
    assert logger.level <= logging.INFO  # pooch's own users still hear it


def test_a_download_of_other_bytes_is_refused_and_leaves_nothing(upstream, cache):
    forged = CONTENT.replace(b"0.25", b"0.75")
    upstream.serve("toy.csv", forged, announced=CONTENT)
    with pytest.raises(ValueError) as refusal:
        fetch("toy.csv", progress=False)
    for needed in ("toy.csv", hashlib.sha256(CONTENT).hexdigest(), hashlib.sha256(forged).hexdigest()):
        assert needed in str(refusal.value)
    assert list(cache.glob("*")) == []


@pytest.mark.parametrize("failure", ["missing page", "no network"])
def test_a_failed_download_leaves_nothing_and_says_what_to_do(upstream, cache, monkeypatch, failure):
    where = downloads.CACHE.urls["toy.csv"] + "s" if failure == "missing page" else "http://127.0.0.1:1/toy.csv"
    monkeypatch.setitem(downloads.CACHE.urls, "toy.csv", where)  # nothing listens on port 1
    with pytest.raises(ConnectionError) as refusal:
        fetch("toy.csv", progress=False)
    for needed in ("toy.csv", where, downloads.CACHE.registry["toy.csv"], str(cache), "CALIBTUTOR_DATA_DIR"):
        assert needed in str(refusal.value)
    assert list(cache.glob("*")) == []


def test_a_local_copy_comes_first_if_it_is_the_right_one(upstream, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBTUTOR_DATA_DIR", str(tmp_path))
    (tmp_path / "toy.csv").write_bytes(CONTENT)
    assert fetch("toy.csv") == tmp_path / "toy.csv"
    (tmp_path / "toy.csv").write_bytes(b"something else")  # the download is a way out, not to be taken silently
    with pytest.raises(ValueError) as refusal:
        fetch("toy.csv")
    found = hashlib.sha256(b"something else").hexdigest()
    for needed in ("toy.csv", "CALIBTUTOR_DATA_DIR", downloads.CACHE.registry["toy.csv"], found):
        assert needed in str(refusal.value)
    assert upstream.asked == []
    monkeypatch.setenv("CALIBTUTOR_DATA_DIR", str(tmp_path / "nowhere"))
    assert fetch("toy.csv", progress=False) == cache / "toy.csv"
