"""Which address answers a path: looked up by its words, where Django would try one pattern after the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from django.urls import Resolver404, ResolverMatch, URLPattern, URLResolver
from django.urls.resolvers import RoutePattern

PLACEHOLDER = re.compile(r"<[^>]+>")
Words = tuple[str | None, ...]  # of a path, between its slashes; `None` stands for any


class ByWords(URLResolver):
    """As Django's own, and as it reads: of several that fit a path, the first one answers.

    Only those are tried whose fixed words are those of the path. No part of an address has a slash in it (see
    `pages.converters`), so a path has as many words as its address.
    """

    def __init__(self, patterns: list[URLPattern | URLResolver]):
        super().__init__(RoutePattern(""), patterns)

    @cached_property
    def table(self) -> dict[Words, list[tuple[int, URLPattern]]]:
        """All addresses by their words, each with its place among all."""
        found = defaultdict(list)
        for place, pattern in enumerate(whole(self.url_patterns)):
            found[words_of(str(pattern.pattern))].append((place, pattern))
        return dict(found)

    @cached_property
    def shapes(self) -> dict[int, list[tuple[bool, ...]]]:
        """By the number of words: where addresses have fixed ones."""
        found: defaultdict[int, dict[tuple[bool, ...], None]] = defaultdict(dict)
        for words in self.table:
            found[len(words)][tuple(word is not None for word in words)] = None
        return {length: list(shapes) for length, shapes in found.items()}

    def candidates(self, path: str) -> list[URLPattern]:
        words = path.split("/")
        found: list[tuple[int, URLPattern]] = []
        for shape in self.shapes.get(len(words), ()):
            found += self.table.get(tuple([w if fixed else None for w, fixed in zip(words, shape, strict=True)]), ())
        return [pattern for _place, pattern in sorted(found, key=lambda each: each[0])]

    def resolve(self, path: str) -> ResolverMatch:
        tried = self.candidates(path)
        for pattern in tried:
            if match := pattern.resolve(path):
                return match
        raise Resolver404({"path": path, "tried": [[pattern] for pattern in tried]})


def words_of(route: str) -> Words:
    return tuple(None if PLACEHOLDER.search(word) else word for word in route.split("/"))


def whole(patterns: list[Any], before: str = "") -> Iterator[URLPattern]:
    """Every address with its whole route, in their order."""
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from whole(pattern.url_patterns, route)
        else:
            same = RoutePattern(route, name=pattern.name, is_endpoint=True)
            yield URLPattern(same, pattern.callback, pattern.default_args, pattern.name)
