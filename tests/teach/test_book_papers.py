"""Which paper a numbered equation is from."""

import pytest

from calibtutor.teach.book.papers import references


@pytest.mark.parametrize(
    ("text", "lesson", "found"),
    [
        ("Gruber & Bach, eq. 5, as printed", "01_notions", [("G", "eq. 5")]),
        ("the doubled argument in the poster's eq. 2.", "01_notions", [("P", "eq. 2")]),
        ("It is the form of eq. 4.", "05_local_calibration", [("K", "eq. 4")]),
        ("It is the form of eq. 4.", "01_notions", []),  # nobody is named, and nobody is meant
        ("kkr (eqs. 28–29), CKCE (eq. 7)", "07_one_operator", [("G", "eq. 28"), ("G", "eq. 29"), ("C", "eq. 7")]),
        ("KLCE and ukkr (eq. 32)", "07_one_operator", [("G", "eq. 32")]),
        ("CKCE eqs. 4, 6 and 7", "06_conditional_error", [("C", "eq. 4"), ("C", "eq. 6"), ("C", "eq. 7")]),
        ("Corollary 3.7 and Algorithm 1", "05_local_calibration", [("K", "corollary 3.7"), ("K", "algorithm 1")]),
        ("Equations in general, and a table of two", "05_local_calibration", []),
        ("SKCE. Eq. 8 is steadier.", "06_conditional_error", [("C", "eq. 8")]),  # the poster has two equations
    ],
)
def test_references(text, lesson, found):
    assert references(text, lesson) == found


def test_what_a_line_belongs_to_says_whose_equation_it_is():
    assert references("Eq. 7, with labels", "07_one_operator", "CKCE along the eigendirections") == [("C", "eq. 7")]
