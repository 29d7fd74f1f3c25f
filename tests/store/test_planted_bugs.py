"""The fuzz is worth its time only if it finds mistakes: here are some that are easily made, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from store.sqlite import SqliteTable
from store.table import (
    DATA,
    AllOf,
    AnyOf,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Greater,
    Key,
    Less,
    Missing,
    Page,
    Put,
    Refused,
    Span,
    TokenReused,
    Update,
    Write,
)

from .model import Model
from .programs import Clock, Disagreement, compare, program, search

pytestmark = pytest.mark.deep

PROGRAMS = 1000


# --- reading ---


class OrderedWithoutCase(SqliteTable):
    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        name = "GSI1SK" if span.index else "SK"
        items = sorted(page.items, key=lambda item: item[name].casefold(), reverse=options.get("backwards", False))
        return Page(items, page.cursor)


class OrderedByUtf16(SqliteTable):
    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        name = "GSI1SK" if span.index else "SK"
        backwards = options.get("backwards", False)
        return Page(sorted(page.items, key=lambda item: item[name].encode("utf-16-be"), reverse=backwards), page.cursor)


class PrefixAsPattern(SqliteTable):
    """As SQL's LIKE would have it: without case, and `_` for any letter."""

    def page(self, span: Span, **options: Any) -> Page:
        if not span.prefix or span.index:
            return super().page(span, **options)
        items = [item for item in self.each(replace(span, prefix="")) if self.is_like(item["SK"], span.prefix)]
        return Page(items[::-1] if options.get("backwards") else items, None)

    def is_like(self, text: str, prefix: str) -> bool:
        letters = zip(text.casefold(), prefix.casefold(), strict=False)
        return len(text) >= len(prefix) and all(pattern in ("_", letter) for letter, pattern in letters)


class LastPageLost(SqliteTable):
    """Gives no cursor when only one more item is left."""

    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        if page.cursor is None or len(super().page(span, **{**options, "cursor": page.cursor, "limit": 2}).items) > 1:
            return page
        return Page(page.items, None)


class LastItemRepeated(SqliteTable):
    def page(self, span: Span, *, cursor: str | None = None, **options: Any) -> Page:
        page = super().page(span, cursor=cursor, **options)
        if page.cursor is None and cursor is not None and len(page.items) == 1:
            return Page(page.items * 2, None)
        return page


class BackwardsForgottenOnTheSecondPage(SqliteTable):
    def page(self, span: Span, *, cursor: str | None = None, backwards: bool = False, **options: Any) -> Page:
        return super().page(span, cursor=cursor, backwards=backwards and cursor is None, **options)


class RangeWithoutItsEnd(SqliteTable):
    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        name = "GSI1SK" if span.index else "SK"
        return Page([item for item in page.items if item[name] != span.last], page.cursor)


class LimitOffByOne(SqliteTable):
    def page(self, span: Span, *, limit: int | None = None, **options: Any) -> Page:
        page = super().page(span, limit=limit, **options)
        if limit is None or limit < 3 or len(page.items) < limit:
            return page
        return Page(page.items[:-1], page.cursor)


class TablesMixedUp(SqliteTable):
    def get_many(self, keys: Iterable[Key], **options: Any) -> dict[Key, Any]:
        found = super().get_many([key._replace(table=DATA) for key in keys], **options)
        return {key: found[key._replace(table=DATA)] for key in keys if key._replace(table=DATA) in found}


class TruthAsNumber(SqliteTable):
    def get(self, key: Key, **options: Any) -> Any:
        item = super().get(key, **options)
        return item and {name: int(value) if value is True else value for name, value in item.items()}


class NothingAsMissing(SqliteTable):
    def get(self, key: Key, **options: Any) -> Any:
        item = super().get(key, **options)
        return item and {name: value for name, value in item.items() if value is not None}


# --- the index ---


class IndexNotMoved(SqliteTable):
    """An update changes the item but not its place in the index."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.places: dict[Key, tuple[Any, Any]] = {}

    def write(self, *writes: Write, token: str | None = None) -> None:
        super().write(*writes, token=token)
        for write in writes:
            if isinstance(write, Put):
                self.places[write.key] = (write.item.get("GSI1PK"), write.item.get("GSI1SK"))

    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        if not span.index:
            return page
        return Page([item for item in page.items if self.is_in_place(item)], page.cursor)

    def is_in_place(self, item: dict[str, Any]) -> bool:
        here = (item["GSI1PK"], item["GSI1SK"])
        return self.places.get(Key(item["PK"], item["SK"]), here) == here


class OneItemForEachIndexKey(SqliteTable):
    def page(self, span: Span, **options: Any) -> Page:
        page = super().page(span, **options)
        return Page(list({item["GSI1SK"]: item for item in page.items}.values()), page.cursor) if span.index else page


# --- expiry ---


class ExpiredItemsShown(SqliteTable):
    def get(self, key: Key, **options: Any) -> Any:
        with self.clock_at(lambda: 0):
            return super().get(key, **options)

    @contextmanager
    def clock_at(self, clock: Callable[[], float]) -> Any:
        right, self.clock = self.clock, clock
        try:
            yield
        finally:
            self.clock = right


class ExpiredItemsCounted(ExpiredItemsShown):
    def get(self, key: Key, **options: Any) -> Any:
        return SqliteTable.get(self, key, **options)

    def count(self, span: Span, **options: Any) -> int:
        with self.clock_at(lambda: 0):
            return super().count(span, **options)


class ExpiryOneSecondLate(ExpiredItemsShown):
    def get(self, key: Key, **options: Any) -> Any:
        clock = self.clock
        with self.clock_at(lambda: clock() - 1):
            return SqliteTable.get(self, key, **options)


class ConditionsBlindToTheExpired(SqliteTable):
    def write(self, *writes: Write, token: str | None = None) -> None:
        self.sweep()
        super().write(*writes, token=token)


class SweptOneByOne(SqliteTable):
    def sweep(self, limit: int = 1000) -> int:
        return super().sweep(1)


# --- conditions ---


class ConditionsChanged(SqliteTable):
    """Judges other conditions than it was given."""

    def write(self, *writes: Write, token: str | None = None) -> None:
        super().write(*(replace(write, when=self.changed(write.when)) for write in writes), token=token)

    def changed(self, condition: Condition | None) -> Any:
        if isinstance(condition, AllOf | AnyOf):
            return type(condition)(tuple(map(self.changed, condition.parts)))
        return condition and self.instead(condition)

    def instead(self, condition: Condition) -> Condition:
        raise NotImplementedError


class TruthEqualsOne(ConditionsChanged):
    def instead(self, condition: Condition) -> Condition:
        if isinstance(condition, Equals) and condition.value in (0, 1):
            value = condition.value
            return Equals(condition.name, bool(value)) | Equals(condition.name, int(value))
        return condition


class MissingIsLess(ConditionsChanged):
    def instead(self, condition: Condition) -> Condition:
        return condition | Missing(condition.name) if isinstance(condition, Less) else condition


class MissingEqualsNothing(ConditionsChanged):
    def instead(self, condition: Condition) -> Condition:
        if isinstance(condition, Equals) and condition.value is None:
            return condition | Missing(condition.name)
        return condition


class GreaterOrEqual(ConditionsChanged):
    def instead(self, condition: Condition) -> Condition:
        return condition | Equals(condition.name, condition.value) if isinstance(condition, Greater) else condition


class NullDoesNotExist(ConditionsChanged):
    def instead(self, condition: Condition) -> Condition:
        if isinstance(condition, Missing):
            return condition | Equals(condition.name, None)
        return condition


class OrAsAnd(ConditionsChanged):
    def changed(self, condition: Condition | None) -> Any:
        return AllOf(condition.parts) if isinstance(condition, AnyOf) else condition


# --- writing ---


class HalfWrittenWhenRefused(SqliteTable):
    def write(self, *writes: Write, token: str | None = None) -> None:
        try:
            super().write(*writes, token=token)
        except Refused as refused:
            for write in writes[: refused.parts[0]]:
                super().write(write)
            raise


class FirstRefusalOnly(SqliteTable):
    def write(self, *writes: Write, token: str | None = None) -> None:
        try:
            super().write(*writes, token=token)
        except Refused as refused:
            raise Refused(refused.parts[:1]) from None


class ChecksNotCounted(SqliteTable):
    """Names the position among the writes that change something."""

    def write(self, *writes: Write, token: str | None = None) -> None:
        try:
            super().write(*writes, token=token)
        except Refused as refused:
            shift = [sum(isinstance(write, Check) for write in writes[:part]) for part in refused.parts]
            raise Refused(part - less for part, less in zip(refused.parts, shift, strict=True)) from None


class ChangedWrites(SqliteTable):
    """Does something else than it was told."""

    def write(self, *writes: Write, token: str | None = None) -> None:
        super().write(*map(self.instead, writes), token=token)

    def instead(self, write: Write) -> Write:
        raise NotImplementedError


class RemovalIgnored(ChangedWrites):
    def instead(self, write: Write) -> Write:
        return replace(write, remove=()) if isinstance(write, Update) and (write.set or write.add) else write


class AdditionSets(ChangedWrites):
    def instead(self, write: Write) -> Write:
        return replace(write, set={**write.set, **write.add}, add={}) if isinstance(write, Update) else write


class UpdateReplacesTheItem(ChangedWrites):
    def instead(self, write: Write) -> Write:
        if isinstance(write, Update) and write.set and not write.add:
            return Put({**write.set, "PK": write.key.pk, "SK": write.key.sk}, write.when, write.key.table)
        return write


class DeletedWhateverTheCondition(ChangedWrites):
    def instead(self, write: Write) -> Write:
        return Delete(write.key) if isinstance(write, Delete) else write


class UpdateNeedsAnItem(ChangedWrites):
    def instead(self, write: Write) -> Write:
        return replace(write, when=Exists()) if isinstance(write, Update) and write.when is None else write


class TokenIgnored(SqliteTable):
    def write(self, *writes: Write, token: str | None = None) -> None:
        super().write(*writes)


class TokenOfAnotherWriteAccepted(SqliteTable):
    def write(self, *writes: Write, token: str | None = None) -> None:
        try:
            super().write(*writes, token=token)
        except TokenReused:
            super().write(*writes)


class TokenKeptWhenRefused(SqliteTable):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.burnt: set[str] = set()

    def write(self, *writes: Write, token: str | None = None) -> None:
        if token in self.burnt:
            return
        try:
            super().write(*writes, token=token)
        except Refused:
            self.burnt |= {token} if token else set()
            raise


class IncrementForgetsTheRest(SqliteTable):
    def increment(self, key: Key, name: str, by: int = 1, *, also: Any = None) -> int:
        return super().increment(key, name, by)


NOT_BUGS = {"ConditionsChanged", "ChangedWrites", "SqliteTable"}
BUGS = [each for name, each in globals().items() if isinstance(each, type) and issubclass(each, SqliteTable)]
BUGS = [bug for bug in BUGS if bug.__name__ not in NOT_BUGS]


def is_found(kind: type[SqliteTable], folder: Any) -> bool:
    """Whether the fuzz that the real adapter passes fails on this one."""
    clock = Clock()
    table = kind(str(folder / "plenum.sqlite3"), clock=clock)
    table.create()
    try:
        for seed in range(PROGRAMS):
            compare(program(seed, sweeps=True), clock, Model(clock), table)
    except Disagreement:
        return True
    finally:
        table.close()
    return False


@pytest.mark.parametrize("bug", BUGS)
def test_the_fuzz_finds(bug, tmp_path):
    assert is_found(bug, tmp_path)


def test_what_the_fuzz_finds_it_shows_with_its_seed_and_in_few_steps(tmp_path):
    clock = Clock()
    table = RemovalIgnored(str(tmp_path / "plenum.sqlite3"), clock=clock)
    table.create()
    with pytest.raises(Disagreement, match=r"Seed \d+, shortened to") as shown:
        search(range(PROGRAMS), clock, lambda: Model(clock), table)
    table.close()
    steps = str(shown.value).partition("shortened to:\n")[2].splitlines()
    assert 1 <= len(steps) <= 3
    assert "remove=" in steps[-1]
