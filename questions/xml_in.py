"""XML that strangers wrote: elements of one name, handed on as they end. No document type, so no entities of its own
and nothing from elsewhere; no deeper and no longer than anybody needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from django.utils.translation import gettext as _

from pages.lists import NotAList

MAX_ELEMENTS = 100_000
MAX_DEPTH = 60


class Broken(NotAList):
    """It is no XML from some line on."""

    def __init__(self, line: int):
        super().__init__(_("From line %(line)d on this is no XML that can be read.") % {"line": line})
        self.line = line


@dataclass(slots=True)
class Element:
    name: str
    attributes: Mapping[str, str]
    line: int
    parts: list[str | Element] = field(default_factory=list)

    def all(self, *names: str) -> Iterator[Element]:
        """Its own elements of these names."""
        return (each for each in self.parts if isinstance(each, Element) and each.name in names)

    def first(self, name: str) -> Element | None:
        return next(self.all(name), None)

    def words(self, *without: str) -> str:
        """All that is written in it, but in elements of these names."""
        kept = (each for each in self.parts if isinstance(each, str) or each.name not in without)
        return "".join(each if isinstance(each, str) else each.words(*without) for each in kept)

    def words_of(self, *way: str) -> str:
        """All that is written in the element at the end of a way; nothing, if there is none."""
        found: Element | None = self
        for name in way:
            found = found.first(name) if found else None
        return found.words() if found else ""


def each(document: str, root: str, name: str, found: Callable[[Element], None]) -> None:
    """Hand on every element of the name, in their order, once it has ended. Of names with a prefix the prefix goes:
    a parser that knows namespaces puts a long address before every name, as often as somebody likes."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    for handler in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef"):
        setattr(parser, f"{handler}Handler", _refuse)
    walk = _Walk(parser, root, name, found)
    parser.StartElementHandler, parser.EndElementHandler = walk.begin, walk.end
    parser.CharacterDataHandler = walk.write
    try:
        parser.Parse(document, True)
    except expat.ExpatError as error:
        raise Broken(error.lineno) from None


def _refuse(*_arguments: Any) -> int:
    raise NotAList(_("Files with a document type or with entities of their own are not read."))


@dataclass(slots=True)
class _Walk:
    parser: expat.XMLParserType
    root: str
    wanted: str
    found: Callable[[Element], None]
    count: int = 0
    depth: int = 0
    open: list[Element] = field(default_factory=list)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        self.count, self.depth = self.count + 1, self.depth + 1
        local = name.rpartition(":")[2]
        if self.depth == 1 and local != self.root:
            raise NotAList(_("This file begins with “%(name)s”, not with “%(root)s”.") % self._names(local))
        if self.count > MAX_ELEMENTS or self.depth > MAX_DEPTH:
            raise NotAList(_("This file has too many parts to be read."))
        if self.open or local == self.wanted:
            element = Element(local, attributes, self.parser.CurrentLineNumber)
            if self.open:
                self.open[-1].parts.append(element)
            self.open.append(element)

    def _names(self, local: str) -> dict[str, str]:
        return {"name": local[:40], "root": self.root}

    def write(self, words: str) -> None:
        if self.open:
            self.open[-1].parts.append(words)

    def end(self, _name: str) -> None:
        self.depth -= 1
        if self.open:
            element = self.open.pop()
            if not self.open:
                self.found(element)
