"""A table in one test tries every row, and names those that fail."""

from __future__ import annotations

import pytest

from .rows import every_row


def failing(test) -> BaseExceptionGroup:
    with pytest.raises(BaseExceptionGroup) as found:
        test()
    return found.value


def test_every_row_is_tried_and_those_that_fail_are_named():
    tried = []

    @every_row(("number", "is_even"), [(1, False), (2, False), (3, True), (4, True)])
    def check(number, is_even):
        tried.append(number)
        assert (number % 2 == 0) is is_even

    group = failing(check)
    assert tried == [1, 2, 3, 4]
    assert "2 of 4 rows fail: number=2, is_even=False; number=3, is_even=True" in str(group)
    assert [error.__notes__ for error in group.exceptions] == [["number=2, is_even=False"], ["number=3, is_even=True"]]


def test_a_refusal_that_does_not_come_is_a_failure_too():
    @every_row("text", ["1", "x"])
    def check(text):
        with pytest.raises(ValueError, match="x"):
            int(text)

    assert "1 of 2 rows fail: text='1'" in str(failing(check))


def test_fixtures_are_still_handed_in(tmp_path):
    @every_row("name", ["a", "b"])
    def check(name, tmp_path):
        assert not (tmp_path / name).exists()

    check(tmp_path=tmp_path)
    (tmp_path / "b").touch()
    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows fail: name='b'"):
        check(tmp_path=tmp_path)


@every_row("fixture", ["tmp_path", "monkeypatch"])
def test_pytest_sees_the_fixtures_and_not_the_columns(fixture, tmp_path, monkeypatch):
    assert locals()[fixture] is not None


def test_a_table_without_rows_fails():
    @every_row("name", [])
    def check(name):
        """Nobody comes here."""

    with pytest.raises(AssertionError, match="without rows"):
        check()
