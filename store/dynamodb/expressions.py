"""Conditions, updates and spans as DynamoDB's expressions: PynamoDB writes them, from names and values made ready."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_, or_
from typing import Any

from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Literal
from pynamodb.expressions.update import Update as Actions

from ..table import AllOf, AnyOf, Condition, Equals, Exists, Greater, Less, Missing, Span, Update, Value
from .wire import encode


class Expressions:
    """The expressions of one request, which share their placeholders for names and values."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        self._texts: dict[str, str] = {}

    def condition(self, condition: Condition | None) -> Expressions:
        return self if condition is None else self._add("ConditionExpression", _tree(condition))

    def update(self, update: Update) -> Expressions:
        actions = [_Name(name).set(_literal(value)) for name, value in update.set.items()]
        actions += [_Name(name).add(_literal(value)) for name, value in update.add.items()]
        actions += [_Name(name).remove() for name in update.remove]
        return self._add("UpdateExpression", Actions(*actions))

    def span(self, span: Span) -> Expressions:
        pk, sk = ("GSI1PK", "GSI1SK") if span.index else ("PK", "SK")
        stretch = _stretch(_Name(sk), span)
        whole = _Name(pk) == _literal(span.pk)
        return self._add("KeyConditionExpression", whole if stretch is None else whole & stretch)

    def not_expired(self, now: int) -> Expressions:
        ttl = _Name("ttl")
        return self._add("FilterExpression", ttl.does_not_exist() | (ttl > _literal(now)))

    def only(self, names: Iterable[str]) -> Expressions:
        wanted = [_Name(name).serialize(self._names, self._values) for name in dict.fromkeys(names)]
        self._texts["ProjectionExpression"] = ", ".join(wanted)
        return self

    def arguments(self) -> dict[str, Any]:
        """What the request says: the expressions and their placeholders."""
        arguments: dict[str, Any] = dict(self._texts)
        if self._names:
            arguments["ExpressionAttributeNames"] = {short: name for name, short in self._names.items()}
        if self._values:
            arguments["ExpressionAttributeValues"] = self._values
        return arguments

    def _add(self, kind: str, expression: Any) -> Expressions:
        self._texts[kind] = expression.serialize(self._names, self._values)
        return self


class _Name(Path):  # type: ignore[misc]
    """An attribute's name, taken whole: PynamoDB would read a dot or a bracket in it as a way into the attribute."""

    def __init__(self, name: str) -> None:
        super().__init__([name])

    def serialize(self, names: dict[str, str], values: Mapping[str, Any]) -> str:
        return names.setdefault(self.path[0], f"#{len(names)}")


def _literal(value: Value) -> Any:
    # Encoded by us: PynamoDB would take the map {"S": "x"} for an encoded string.
    return Literal(encode(value))


def _tree(condition: Condition) -> Any:
    match condition:
        case Exists(name):
            return _Name(name).exists()
        case Missing(name):
            return _Name(name).does_not_exist()
        case Equals(name, value):
            return _Name(name) == _literal(value)
        case Less(name, value):
            return _Name(name) < _literal(value)
        case Greater(name, value):
            return _Name(name) > _literal(value)
        case AllOf(parts):
            return reduce(and_, map(_tree, parts))
        case AnyOf(parts):
            return reduce(or_, map(_tree, parts))
    raise TypeError(f"{condition!r} is no condition.")


def _stretch(sk: _Name, span: Span) -> Any:
    """What the span asks of the sort key; `None` when it takes the whole partition."""
    if span.prefix:
        return sk.startswith(_literal(span.prefix))
    if span.first is not None and span.last is not None:
        return sk.between(_literal(span.first), _literal(span.last))
    if span.first is not None:
        return sk >= _literal(span.first)
    return None if span.last is None else sk <= _literal(span.last)
