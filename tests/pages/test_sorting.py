"""Names in the order in which people look for them."""

from __future__ import annotations

from foundation.pages.names import natural_sort_key
from tests.rows import every_row


@every_row(
    "ordered",
    [
        ["1", "2", "10"],
        ["Room 2", "room 10", "Room 10b"],
        ["Eber", "Éva", "Ezra"],
        ["Cem", "Çiğdem", "Dora", "Ş", "Søren", "Z"],
        ["a", "A1", "a2b1", "a2b10"],
        ["", "0", "00", "A"],
        ["Strasse 1", "Straße 2"],
        ["Ⅷ", "x²", "x3"],
    ],
)
def test_natural_sort_key(ordered):
    backwards = ordered[::-1]
    assert sorted(backwards, key=natural_sort_key) == ordered


def test_names_that_look_alike_have_an_order_all_the_same():
    assert sorted(["é", "e\u0301", "E", "e"], key=natural_sort_key) == sorted(
        ["e", "E", "e\u0301", "é"], key=natural_sort_key
    )


def test_many_digits_are_a_number_like_any_other():
    assert natural_sort_key("9" * 200) < natural_sort_key("1" + "0" * 200)
