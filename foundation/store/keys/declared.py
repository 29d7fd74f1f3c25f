"""How keys are declared: each as a row of the table's schema, with what it is for.

A declaration shows the pattern of a partition key and of a sort key, in which every `{name}` stands for an argument,
then how each argument is written, which also gives it its type:

    member = key("MEMBER", "GROUP#{group}", "MEMBER#{name}", escape, part, about="Somebody in a group of voters.")

so that `member(group, name)` is a key. Where more must be computed (a shard, a digest, an optional question), it is a
function with its pattern as a decorator. From these declarations come the `entity_type` of every item, the types in
docs/reference/types.md, and what masks, replay and tests know of keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from foundation.store.keys.parts import question_of
from foundation.store.table import DATA, Item, Key, Span

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
F = TypeVar("F", bound=Callable[..., Any])
Written = Callable[[A], str]  # how an argument stands in a key


@dataclass(frozen=True, slots=True)
class Pattern:
    """The key of all items of one type."""

    entity_type: str  # empty: deliberately not stored
    pk: str
    sk: str
    about: str
    table: str = DATA


PATTERNS: dict[object, Pattern] = {}  # by the key, or the function that returns it
ENTITY_TYPES: dict[tuple[str, str], str] = {}  # of the data table, by how partition key and sort key begin
SORT_KEYS: dict[str, str] = {}  # the patterns in the lists of the index, by those of their partitions


def beginning(text: str) -> str:
    """The common prefix of all keys like this one, up to the `#`; a key without a `#` is constant. Empty, matching
    anything, for keys that are only a name or a number."""
    head, mark, _rest = text.partition("#")
    return "" if not head or head.isdigit() or head[0] == "{" else head + mark


def fits(pattern: str, text: str) -> bool:
    return text.startswith(pattern) if not pattern or pattern.endswith("#") else text == pattern


def _declare(declared: object, pattern: Pattern) -> None:
    place = beginning(pattern.pk), beginning(pattern.sk)
    if pattern.table == DATA and ENTITY_TYPES.setdefault(place, pattern.entity_type) != pattern.entity_type:
        raise ValueError(f"{pattern.pk} / {pattern.sk} would be of two types.")
    PATTERNS[declared] = pattern


def _before(pattern: str) -> str:
    """What precedes the first argument."""
    return pattern.partition("{")[0]


def digits(count: int) -> Written[int]:
    """A number with so many digits, so that it sorts as numbers do."""
    return f"{{:0{count}d}}".format


def as_it_is(text: str) -> str:
    """For what cannot contain a `#`: digests, moments, words of our own."""
    return text


# --- the keys of items ---


def single(entity_type: str, pk: str, sk: str, about: str, table: str = DATA) -> Key:
    """The key of an item that exists once."""
    key = Key(pk, sk, table)
    _declare(key, Pattern(entity_type, pk, sk, about, table))
    return key


def computed(entity_type: str, pk: str, sk: str, about: str, table: str = DATA) -> Callable[[F], F]:
    """Says which pattern the keys have that a function returns."""

    def declared(function: F) -> F:
        _declare(function, Pattern(entity_type, pk, sk, about, table))
        return function

    return declared


@overload
def key(
    entity_type: str, pk: str, sk: str, a: Written[A], /, *, about: str, table: str = ...
) -> Callable[[A], Key]: ...


@overload
def key(
    entity_type: str, pk: str, sk: str, a: Written[A], b: Written[B], /, *, about: str, table: str = ...
) -> Callable[[A, B], Key]: ...


@overload
def key(
    entity_type: str, pk: str, sk: str, a: Written[A], b: Written[B], c: Written[C], /, *, about: str, table: str = ...
) -> Callable[[A, B, C], Key]: ...


@overload
def key(
    entity_type: str,
    pk: str,
    sk: str,
    a: Written[A],
    b: Written[B],
    c: Written[C],
    d: Written[D],
    /,
    *,
    about: str,
    table: str = ...,
) -> Callable[[A, B, C, D], Key]: ...


def key(
    entity_type: str, pk: str, sk: str, /, *written: Written[Any], about: str, table: str = DATA
) -> Callable[..., Key]:
    """A function that returns the key of an item, from one argument for each `{name}` of the patterns."""
    made = _key(pk, sk, written, table)
    _declare(made, Pattern(entity_type, pk, sk, about, table))
    return made


def _key(pk: str, sk: str, written: tuple[Written[Any], ...], table: str) -> Callable[..., Key]:
    """Keys are made on every request, so the usual shapes have a function each."""
    first, second, size = _before(pk), _before(sk), pk.count("{")
    match size, sk.count("{"):
        case 1, 0:
            (one,) = written
            return lambda a: Key(f"{first}{one(a)}", sk, table)
        case 0, 1:
            (one,) = written
            return lambda a: Key(pk, f"{second}{one(a)}", table)
        case 1, 1:
            one, two = written
            return lambda a, b: Key(f"{first}{one(a)}", f"{second}{two(b)}", table)
        case 2, 0:
            one, two = written
            return lambda a, b: Key(f"{first}{one(a)}#{two(b)}", sk, table)
        case 1, 2:
            one, two, three = written
            return lambda a, b, c: Key(f"{first}{one(a)}", f"{second}{two(b)}#{three(c)}", table)

    def of_more(*values: Any) -> Key:
        texts = [write(value) for write, value in zip(written, values, strict=True)]
        return Key(first + "#".join(texts[:size]), second + "#".join(texts[size:]), table)

    return of_more


# --- spans of items ---


@overload
def span(pk: str, prefix: str, a: Written[A], /) -> Callable[[A], Span]: ...


@overload
def span(pk: str, prefix: str, a: Written[A], b: Written[B], /) -> Callable[[A, B], Span]: ...


def span(pk: str, prefix: str, /, *written: Written[Any]) -> Callable[..., Span]:
    """A function that returns the items of a partition with a prefix: all of them, if that is empty."""
    if prefix.count("{") == 0:
        (one,) = written
        first = _before(pk)
        return lambda a: Span(f"{first}{one(a)}", prefix)
    one, two = written
    first, second = _before(pk), _before(prefix)
    return lambda a, b: Span(f"{first}{one(a)}", f"{second}{two(b)}#")


def single_list(pk: str, sk: str) -> Span:
    """A list of the index that exists once, with the pattern of its sort keys."""
    SORT_KEYS[pk] = sk
    return Span(pk, index=True)


@overload
def index(pk: str, sk: str, a: Written[A], /) -> Callable[[A], Span]: ...


@overload
def index(pk: str, sk: str, a: Written[A], b: Written[B], /) -> Callable[[A, B], Span]: ...


def index(pk: str, sk: str, /, *written: Written[Any]) -> Callable[..., Span]:
    """A function that returns a list of the index; the second pattern is that of its sort keys."""
    SORT_KEYS[pk] = sk
    first = _before(pk)
    if len(written) == 1:
        (one,) = written
        return lambda a: Span(f"{first}{one(a)}", index=True)
    one, two = written
    return lambda a, b: Span(f"{first}{one(a)}#{two(b)}", index=True)


def computed_list(pk: str, sk: str) -> Callable[[F], F]:
    """Says which list of the index a function returns, or a stretch of it, and how it is sorted."""

    def declared(function: F) -> F:
        SORT_KEYS[pk] = sk
        return function

    return declared


# --- what an item is ---


def sort_keys_of(span: Span) -> tuple[str, str] | None:
    """The patterns of a list of the index, for partition and sort key."""
    if span.pk in SORT_KEYS:
        return span.pk, SORT_KEYS[span.pk]
    begins = beginning(span.pk)
    return next((each for each in SORT_KEYS.items() if "{" in each[0] and beginning(each[0]) == begins), None)


ENTITY_TYPE = "entity_type"


def entity_type_of(pk: str, sk: str, table: str = DATA) -> str:
    """Empty for keys that nobody has declared, for secret ballots, and for the log. Asked for each item of a cast."""
    if table != DATA:
        return ""
    head = pk[: pk.find("#") + 1] or pk  # as `beginning`, for keys of which it matters
    if (found := ENTITY_TYPES.get((head, sk[: sk.find("#") + 1] or sk))) is not None:
        return found
    question, first = question_of(Key(pk, sk))
    return ENTITY_TYPES.get((head, "" if question == 1 else beginning(first.sk)), "")


def with_entity_type(item: Item, table: str = DATA) -> Item:
    """The item as the adapters write it: with its entity type, so that a reader of the table knows what it is. Items
    that earlier versions stored get it with their next change; nothing depends on it."""
    if ENTITY_TYPE in item or not (found := entity_type_of(item["PK"], item["SK"], table)):
        return item
    return {**item, ENTITY_TYPE: found}
