"""A file that the reader uploads is read, or refused in words."""

from datetime import UTC, datetime

import pytest

from calibtutor.lessons.your_own_model import upload
from calibtutor.teach.upload import Upload

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
CSV = b"y,p_a,p_b,site\na,0.7,0.3,north\nb,0.4,0.6,south\n"


def test_an_upload_is_read():
    box = upload(groups=["site"])
    assert box.content is None
    box.take("mine.csv", CSV)
    assert list(box.content["y_true"]) == ["a", "b"] and box.content["y_prob"].shape == (2, 2)
    assert list(box.content["groups"]["site"]) == ["north", "south"] and not box.error


def test_a_cluster_is_read_with_it():
    box = upload(cluster="site", groups="site")
    box.take("mine.csv", CSV)
    assert list(box.content["cluster"]) == ["north", "south"] == list(box.content["groups"]["site"])


def test_a_refusal_names_the_argument_of_the_call():
    box = upload(prob="q_*")
    box.take("mine.csv", CSV)
    assert "no column fits prob='q_*'" in box.error and "--" not in box.error


def test_a_file_that_is_written_otherwise_is_read_with_what_the_refusals_say():
    content = "y;p_a;p_b;sité\na;0,7;0,3;x\nb;;0,6;x\na;0,5;0,5;x\n".encode("cp1252")
    form = {}
    for said, more in (("encoding='cp1252'", {"encoding": "cp1252"}), ("sep=';'", {"sep": ";"}),
                       ("drop_missing=True", {"drop_missing": True}), ("decimal=','", {"decimal": ","})):  # fmt: skip
        box = upload(**form)
        box.take("mine.csv", content)
        assert said in box.error and "--" not in box.error
        form |= more
    box = upload(**form)
    box.take("mine.csv", content)
    assert not box.error and box.content["y_prob"].to_numpy().tolist() == [[0.7, 0.3], [0.5, 0.5]]


@pytest.mark.parametrize(("name", "content"), [("mine.csv", CSV.replace(b"0.7", b"1.7")), ("mine.doc", CSV)])
def test_a_bad_upload_is_refused_in_words(name, content):
    box = upload()
    box.take("good.csv", CSV)
    box.take(f"../{name}", content)
    assert box.content is None and name in box.error and "/" not in box.error.partition(":")[0]
    assert "alert" not in box.reply.value and "status" in box.reply.value


def test_the_button_takes_what_the_browser_sends():
    box = Upload(lambda path: path.read_text(), accept=".txt")
    box.button.value = ({"name": "a.txt", "type": "", "size": 2, "content": memoryview(b"hi"), "last_modified": WHEN},)
    assert box.content == "hi"


def test_without_a_kernel_a_sentence_stands_there():
    data, _ = upload()._repr_mimebundle_()
    assert "Upload" in data["text/plain"]
