"""A reader's own file is read for the lesson on one's own model, or refused in words."""

import pytest

from calibtutor.lessons.your_own_model import arrays, read, residual_sums

CSV = "y,p_a,p_b,site\na,0.7,0.3,north\nb,0.4,0.6,south\n"
BENIGN = "y,p_benign\nbenign,0.9\nmalignant,0.2\n"


def written(folder, text):
    path = folder / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_named_and_separated_as_asked_and_one_of_a_named_class_is_that_of_the_second(tmp_path):
    path = written(tmp_path, CSV.replace(",", ";"))
    found = read(path, y_prob=["p_a", "p_b"], classes=["a", "b"], groups=["site"], cluster="site", sep=";")
    assert list(found["y_true"]) == ["a", "b"] and found["y_prob"].to_numpy().tolist() == [[0.7, 0.3], [0.4, 0.6]]
    assert list(found["groups"]["site"]) == ["north", "south"] == list(found["cluster"])
    path = written(tmp_path, BENIGN + "benign,0.6\n")
    y_true, y_prob, group = arrays(read(path, y_prob=["p_benign"], classes=["malignant", "benign"]))
    assert y_true.tolist() == [1, 0, 1] and y_prob[:, 1].tolist() == [0.9, 0.2, 0.6] and set(group) == {"all"}
    assert (residual_sums(y_prob, y_true[:, None], group) == residual_sums(y_prob[:, 1], y_true[:, None], group)).all()


@pytest.mark.parametrize(("text", "options", "says"), [
    (CSV, {"y_prob": ["q_a"]}, "'q_a'.*'p_a'"),
    (CSV.replace("0.7", "1.7"), {"y_prob": ["p_a", "p_b"], "classes": ["a", "b"]}, "row 0"),
    (BENIGN, {"y_prob": ["p_benign"]}, "classes"),
    (BENIGN[1:], {"y_prob": ["p_benign"]}, "column 'y': expected the label's, one of .*'p_benign'.*y_true=")])
def test_what_cannot_be_read_is_refused_in_words(text, options, says, tmp_path):
    with pytest.raises(ValueError, match=f"(?s){says}"):
        read(written(tmp_path, text), **options)
