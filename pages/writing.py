"""What is left of a folded template, written down as one function in Python.

A page has about a hundred places where it hangs on the answer. A function for each, called by another function that
puts texts around it, costs more than what they do. So the pieces of a template are written as the lines of a single
function: a text is a constant, a choice is an `if`, a loop is a `for`. What no line can say as well stays a function,
and its line calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template import Context
from django.template.base import FilterExpression
from django.template.smartif import TokenBase

from .lookups import Names, condition, lookup, name_alone, shown
from .parts import Place, part_at

Part = Callable[[Names, Context], str]


class Known(dict[str, Any]):
    """The functions that the lines call, by the names that they have there."""

    def calling(self, function: Callable[[Names, Context], Any], names: str) -> str:
        called = f"f{len(self)}"
        self[called] = function
        return f"{called}({names}, context)"

    def finding(self, expression: FilterExpression, names: str, *, or_none: bool = False) -> str:
        """A name alone is nearly always there and no method: then there is nothing to call."""
        call = self.calling(lookup(expression, or_none=or_none), names)
        if (name := name_alone(expression)) is None:
            return call
        missing = None if or_none else ""
        return f"({call} if callable(found := {names}.get({name!r}, {missing!r})) else found)"


# --- pieces ---


@dataclass(frozen=True)
class Value:
    """What an expression finds, as the page shows it."""

    expression: FilterExpression

    def lines(self, names: str, known: Known) -> Iterator[str]:
        yield f"write(shown({known.finding(self.expression, names)}, context))"


@dataclass(frozen=True)
class Choice:
    """The first branch whose condition holds."""

    branches: Sequence[tuple[TokenBase, Sequence[Piece]]]
    otherwise: Sequence[Piece]

    def lines(self, names: str, known: Known) -> Iterator[str]:
        word = "if"
        for test, pieces in self.branches:
            yield f"{word} {_holding(test, names, known)}:"
            yield from _inside(pieces, names, known)
            word = "elif"
        if self.otherwise:
            yield "else:"
            yield from _inside(self.otherwise, names, known)


def _holding(test: TokenBase, names: str, known: Known) -> str:
    if test.first is None and name_alone(test.value):
        return known.finding(test.value, names, or_none=True)
    return known.calling(condition(test), names)


@dataclass(frozen=True)
class Scope:
    """Pieces with names that nobody outside may see."""

    given: Mapping[str, FilterExpression]
    pieces: Sequence[Piece]

    def lines(self, names: str, known: Known) -> Iterator[str]:
        own = f"{names}_"
        values = "".join(f", {name!r}: {known.finding(value, names)}" for name, value in self.given.items())
        yield f"{own} = {{**{names}{values}}}"
        yield from _lines(self.pieces, own, known)


@dataclass(frozen=True)
class Loop:
    """Pieces once for each of several values, or others if there is none."""

    values: FilterExpression
    given: Sequence[str]
    is_reversed: bool
    each: Sequence[Piece]
    if_none: Sequence[Piece]

    def lines(self, names: str, known: Known) -> Iterator[str]:
        own, found = f"{names}_", f"listed({known.finding(self.values, names, or_none=True)})"
        turns = f"turns({names}, several, {tuple(self.given)!r}, {self.is_reversed})"
        yield f"if len(several := {found}):"
        yield from _indented([f"for {own} in {turns}:", *_inside(self.each, own, known)])
        if self.if_none:
            yield "else:"
            yield from _inside(self.if_none, names, known)


@dataclass(frozen=True)
class Remembered:
    """A part that says the same of the same values."""

    place: Place
    values: Sequence[FilterExpression]

    def lines(self, names: str, known: Known) -> Iterator[str]:
        values = "".join(f"{known.finding(value, names)}, " for value in self.values)
        yield f"write(part_at({self.place!r}, ({values})))"


Piece = str | Part | Value | Choice | Scope | Loop | Remembered


# --- lines ---


def function(pieces: Sequence[Piece], name: str) -> Part:
    """All pieces, one after the other. What goes wrong in it is said to have gone wrong in `name`."""
    known = Known(shown=shown, listed=_listed, turns=_turns, part_at=part_at)
    body = ["said = []", "write = said.append", *_lines(pieces, "names", known), 'return "".join(said)']
    source = "\n".join(["def say(names, context):", *_indented(body)])
    exec(compile(source, f"<{name}>", "exec"), known)  # noqa: S102 - texts of our templates are constants in it
    return known["say"]


def _lines(pieces: Iterable[Piece], names: str, known: Known) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece, str):
            yield f"write({piece!r})"
        elif isinstance(piece, Value | Choice | Scope | Loop | Remembered):
            yield from piece.lines(names, known)
        else:
            yield f"write({known.calling(piece, names)})"


def _inside(pieces: Sequence[Piece], names: str, known: Known) -> Iterator[str]:
    yield from _indented(_lines(pieces, names, known) if pieces else ["pass"])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f" {line}" for line in lines)


# --- loops ---


def _listed(values: Any) -> Any:
    """As something that can be counted."""
    return values if hasattr(values, "__len__") else list(values or ())


def _turns(names: Names, values: Any, given: Sequence[str], is_reversed: bool) -> Iterator[Names]:
    """The names inside a loop, at each of its turns."""
    count = len(values)
    loop: dict[str, Any] = {"parentloop": names.get("forloop", {})}
    inside = {**names, "forloop": loop}
    for number, value in enumerate(reversed(values) if is_reversed else values):
        loop["counter0"], loop["counter"] = number, number + 1
        loop["revcounter0"], loop["revcounter"] = count - number - 1, count - number
        loop["first"], loop["last"] = number == 0, number == count - 1
        if len(given) == 1:
            inside[given[0]] = value
        else:
            inside.update(_unpacked(given, value))
        yield inside


def _unpacked(given: Sequence[str], value: Any) -> Names:
    if not hasattr(value, "__len__") or len(value) != len(given):
        raise ValueError(f"{', '.join(given)} are to be found in {value!r}.")
    return dict(zip(given, value, strict=True))
