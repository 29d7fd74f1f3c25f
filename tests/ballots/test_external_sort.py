"""Lines are sorted outside of memory, and nothing of them is to be found on the disk."""

from __future__ import annotations

import os
import random
from contextlib import closing

import pytest

from ballots import external_sort, repository
from ballots.external_sort import Sorter
from ballots.rules import PublishedBallot

NAMES = ["Zoë", "a\ttab", "two\nlines", "🦜", "", "\\", '"', "Ａ", "￿", "𐀀"]


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(external_sort, "MAX_LINES_IN_MEMORY", 7)
    monkeypatch.setattr(external_sort, "BLOCK_LINES", 3)


def lines(count: int) -> list[str]:
    return list(map(repository.as_line, rows(count)))


def rows(count: int) -> list[PublishedBallot]:
    """Some with one code, some wholly alike."""
    chance = random.Random(count)
    return [
        PublishedBallot(f"{chance.randrange(40):04}", f"{chance.randrange(3)}>1", "", chance.choice(NAMES))
        for _ in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 14, 100])
def test_however_many_come_in_whatever_order_they_go_sorted_as_often_as_one_likes(tmp_path, few_at_once, count):
    with closing(Sorter(tmp_path)) as sorter:
        sorter.add(lines(count))
        assert len(sorter) == count
        assert list(sorter) == list(sorter) == sorted(lines(count))
        assert list(repository.published_ballots_in(sorter)) == sorted(rows(count))


def test_never_more_are_held_than_so_many_and_a_block_of_each_run(tmp_path, few_at_once, monkeypatch):
    held: list[int] = []
    put_away, read = Sorter._spill, Sorter._read

    def watched(self, run):
        for block in read(self, run):
            blocks.append(block)
            yield block

    monkeypatch.setattr(Sorter, "_spill", lambda self: (held.append(len(self._held)), put_away(self))[1])
    monkeypatch.setattr(Sorter, "_read", watched)
    blocks: list[list[str]] = []
    with closing(Sorter(tmp_path)) as sorter:
        sorter.add(lines(100))
        assert max(held) == 7
        assert len(sorter._held) == 100 % 7
        first = iter(sorter)
        next(first)
        assert max(map(len, blocks)) <= 3
        assert len(blocks) == 100 // 7


def test_its_file_has_no_name_is_for_nobody_else_and_says_nothing(tmp_path, few_at_once):
    with closing(Sorter(tmp_path)) as sorter:
        sorter.add(repository.as_line((f"CODE-{number:04}", "1>2", "Eve")) for number in range(50))
        assert list(tmp_path.iterdir()) == []
        assert sorter._file is not None
        about = os.fstat(sorter._file.fileno())
        assert (about.st_nlink, about.st_mode & 0o077) == (0, 0)
        sorter._file.seek(0)
        written = sorter._file.read()
        assert len(written) > 49 * len("CODE-0000")
        assert b"CODE" not in written
        assert b"Eve" not in written
    assert sorter._file.closed


def test_what_comes_in_order_is_not_merged(tmp_path, few_at_once, monkeypatch):
    monkeypatch.setattr(external_sort, "merge", lambda *runs: pytest.fail("merged"))
    with closing(Sorter(tmp_path)) as sorter:
        sorter.add(sorted(lines(50)))
        assert list(sorter) == sorted(lines(50))


def test_few_need_no_file(tmp_path):
    with closing(Sorter(tmp_path / "not there")) as sorter:
        sorter.add(lines(100))
        assert list(sorter) == sorted(lines(100))
