"""A file that the reader uploads is read, or refused in words."""

from datetime import UTC, datetime

import pytest

from calibtutor.lessons.your_own_model import arrays, residual_sums, upload
from calibtutor.teach.upload import Upload

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
CSV = b"y,p_a,p_b,site\na,0.7,0.3,north\nb,0.4,0.6,south\n"


def test_an_upload_is_read():
    box = upload(groups="site", cluster="site")
    assert box.content is None
    box.take("mine.csv", CSV)
    assert list(box.content["y_true"]) == ["a", "b"] and box.content["y_prob"].shape == (2, 2) and not box.error
    assert list(box.content["groups"]["site"]) == ["north", "south"] == list(box.content["cluster"])
    assert "Upload" in box._repr_mimebundle_()[0]["text/plain"]


def test_columns_are_named_and_separated_as_asked():
    box = upload(sep=";", groups=["site"])
    box.take("mine.csv", CSV.replace(b",", b";"))
    assert not box.error and box.content["y_prob"].to_numpy().tolist() == [[0.7, 0.3], [0.4, 0.6]]
    box = upload(prob="q_*")
    box.take("mine.csv", CSV)
    assert "'q_*'" in box.error and "'p_a'" in box.error


@pytest.mark.parametrize(("name", "content", "says"), [
    ("mine.csv", CSV.replace(b"0.7", b"1.7"), "row 0"), ("mine.doc", CSV, "mine.doc")])  # fmt: skip
def test_a_bad_upload_is_refused_in_words(name, content, says, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    box = upload()
    box.take("good.csv", CSV)
    box.take(f"../{name}", content)
    assert box.content is None and says in box.error and "/" not in box.error.partition(":")[0]
    assert not any(tmp_path.iterdir()), "written beside the folder that is thrown away"
    assert "alert" not in box.reply.value and "status" in box.reply.value


def test_the_button_takes_what_the_browser_sends():
    box = Upload(lambda path: path.read_text(), accept=".txt")
    box.button.value = ({"name": "a.txt", "type": "", "size": 2, "content": memoryview(b"hi"), "last_modified": WHEN},)
    assert box.content == "hi"


def test_one_column_of_a_named_class_is_read_with_the_classes_that_the_refusal_asks_for():
    content = b"y,p_benign\nbenign,0.9\nmalignant,0.2\nbenign,0.6\n"
    for options in ({}, {"prob": "p_benign"}):
        box = upload(**options)
        box.take("mine.csv", content)
        assert box.content is None and "classes" in box.error
    box = upload(prob="p_benign", classes=["malignant", "benign"])
    box.take("mine.csv", content)
    y_true, y_prob, group = arrays(box.content)
    assert y_true.tolist() == [1, 0, 1] and y_prob[:, 1].tolist() == [0.9, 0.2, 0.6] and set(group) == {"all"}
    assert (residual_sums(y_prob, y_true[:, None], group) == residual_sums(y_prob[:, 1], y_true[:, None], group)).all()
