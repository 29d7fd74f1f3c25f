"""DynamoDB's expressions, as far as the adapter writes them (foundation/store/dynamodb/expressions.py), read into
functions.

Whatever else an expression says is refused: an engine that guesses would judge nothing. The same few texts come again
and again, with other names and values, so each is read once.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

Wire = dict[str, Any]  # one attribute value, such as {"S": "text"}
Attributes = Mapping[str, Wire]
Names = Mapping[str, str]
Values = Mapping[str, Wire]
Test = Callable[[Attributes, Names, Values], bool]

WORDS = re.compile(r"\s*([#:]\w+|[A-Za-z_]+|<=|>=|<>|[=<>(),])")
ORDERED = ("S", "N", "B")
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


class NotUnderstood(Exception):
    """An expression that the adapter does not write."""


class Changes(NamedTuple):
    """What an update does, in placeholders."""

    set: tuple[tuple[str, str], ...]
    add: tuple[tuple[str, str], ...]
    remove: tuple[str, ...]


class Stretch(NamedTuple):
    """What a query asks of the keys, in placeholders: the partition, and how the sort key is held against what."""

    pk: tuple[str, str]
    sk: str | None = None
    how: str = ""
    bounds: tuple[str, ...] = ()


# --- conditions ---


@cache
def condition(text: str) -> Test:
    words = _Words(text)
    found = _either(words)
    words.end()
    return found


def _either(words: _Words) -> Test:
    found = _both(words)
    while words.take("OR"):
        found = _any(found, _both(words))
    return found


def _both(words: _Words) -> Test:
    found = _one(words)
    while words.take("AND"):
        found = _all(found, _one(words))
    return found


def _any(left: Test, right: Test) -> Test:
    return lambda item, names, values: left(item, names, values) or right(item, names, values)


def _all(left: Test, right: Test) -> Test:
    return lambda item, names, values: left(item, names, values) and right(item, names, values)


def _one(words: _Words) -> Test:
    if words.take("("):
        inside = _either(words)
        words.need(")")
        return inside
    if words.take("attribute_exists"):
        name = _in_brackets(words)
        return lambda item, names, values: names[name] in item
    if words.take("attribute_not_exists"):
        name = _in_brackets(words)
        return lambda item, names, values: names[name] not in item
    return _comparison(words.name(), words.next(), words.value())


def _in_brackets(words: _Words) -> str:
    words.need("(")
    name = words.name()
    words.need(")")
    return name


def _comparison(name: str, sign: str, value: str) -> Test:
    if sign == "=":
        return lambda item, names, values: names[name] in item and same(item[names[name]], values[value])
    if sign not in COMPARED:
        raise NotUnderstood(f"There is no comparison {sign}.")
    return lambda item, names, values: compared(item.get(names[name]), sign, values[value])


def compared(left: Wire | None, sign: str, right: Wire) -> bool:
    """Only text with text, numbers with numbers and bytes with bytes have an order."""
    kind = next(iter(right))
    if left is None or kind not in left or kind not in ORDERED:
        return False
    return COMPARED[sign](_sortable(kind, left[kind]), _sortable(kind, right[kind]))


def _sortable(kind: str, content: Any) -> Any:
    return int(content) if kind == "N" else b64decode(content) if kind == "B" else content


def same(left: Wire, right: Wire) -> bool:
    ((kind, one),), ((other_kind, other),) = left.items(), right.items()
    if kind != other_kind:
        return False
    if kind == "N":
        return int(one) == int(other)
    if kind == "L":
        return len(one) == len(other) and all(map(same, one, other))
    if kind == "M":
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


# --- updates ---


@cache
def update(text: str) -> Changes:
    """SET and ADD name a value for each attribute, REMOVE none."""
    words, found = _Words(text), {"SET": [], "ADD": [], "REMOVE": []}
    while kind := words.take("SET", "ADD", "REMOVE"):
        while True:
            name = words.name()
            if kind == "SET":
                words.need("=")
            found[kind].append(name if kind == "REMOVE" else (name, words.value()))
            if not words.take(","):
                break
    words.end()
    return Changes(tuple(found["SET"]), tuple(found["ADD"]), tuple(found["REMOVE"]))


# --- queries ---


@cache
def stretch(text: str) -> Stretch:
    words = _Words(text)
    bracket = words.take("(")
    name = words.name()
    words.need("=")
    pk = (name, words.value())
    found = _sort_key(pk, words) if words.take("AND") else Stretch(pk)
    if bracket:
        words.need(")")
    words.end()
    return found


def _sort_key(pk: tuple[str, str], words: _Words) -> Stretch:
    if words.take("begins_with"):
        words.need("(")
        name = words.name()
        words.need(",")
        prefix = words.value()
        words.need(")")
        return Stretch(pk, name, "begins_with", (prefix,))
    name = words.name()
    if words.take("BETWEEN"):
        first = words.value()
        words.need("AND")
        return Stretch(pk, name, "BETWEEN", (first, words.value()))
    sign = words.next()
    if sign not in ("<=", ">="):
        raise NotUnderstood(f"There is no stretch {sign}.")
    return Stretch(pk, name, sign, (words.value(),))


@cache
def projection(text: str) -> tuple[str, ...]:
    words = _Words(text)
    found = [words.name()]
    while words.take(","):
        found.append(words.name())
    words.end()
    return tuple(found)


# --- words ---


class _Words:
    """The words of an expression, taken one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = list(reversed(WORDS.findall(text)))
        if "".join(WORDS.findall(text)) != re.sub(r"\s", "", text):
            raise NotUnderstood(text)

    def take(self, *wanted: str) -> str:
        """The next word if it is one of these."""
        return self.left.pop() if self.left and self.left[-1] in wanted else ""

    def next(self) -> str:
        if not self.left:
            raise NotUnderstood(self.text)
        return self.left.pop()

    def need(self, wanted: str) -> None:
        if self.next() != wanted:
            raise NotUnderstood(self.text)

    def name(self) -> str:
        return self._placeholder("#")

    def value(self) -> str:
        return self._placeholder(":")

    def _placeholder(self, first: str) -> str:
        if not (word := self.next()).startswith(first):
            raise NotUnderstood(self.text)
        return word

    def end(self) -> None:
        if self.left:
            raise NotUnderstood(self.text)
