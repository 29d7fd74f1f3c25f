"""Which address answers a path: the same as Django would find by trying all, after trying hardly any."""

from __future__ import annotations

import re

import pytest
from django.urls import Resolver404, URLResolver, resolve
from django.urls.resolvers import RegexPattern

from config.routes import ByWords, whole
from config.urls import of_apps, urlpatterns

WORDS = ("7", "abc", "new", "12.css", "ballot", "~2E", "é")


@pytest.fixture(scope="module")
def one_by_one() -> URLResolver:
    """The same addresses as Django resolves them by itself."""
    return URLResolver(RegexPattern(r"^/"), of_apps)


def paths() -> list[str]:
    """Of every address, with different words in it; and what is not quite one."""
    routes = [str(pattern.pattern) for pattern in whole(of_apps)]
    right = ["/" + re.sub(r"<[^>]+>", word, route) for route in routes for word in WORDS]
    return [*right, *(path.rstrip("/") for path in right), *(f"{path}x/" for path in right), "//", "/\n", "/nowhere"]


def found(find, path):
    try:
        match = find(path)
    except Resolver404:
        return None
    return match.route, match.url_name, match.func, match.args, match.kwargs, match.captured_kwargs


def test_every_path_finds_what_it_would_find_one_by_one(one_by_one):
    for path in paths():
        assert found(resolve, path) == found(one_by_one.resolve, path), path


def test_hardly_any_is_tried():
    (addresses,) = urlpatterns
    assert isinstance(addresses, ByWords)
    assert max(len(addresses.candidates(path.removeprefix("/"))) for path in paths()) <= 2


def test_the_first_of_several_answers():
    from django.urls import path

    addresses = ByWords([path("a/<int:x>/", str, name="number"), path("a/b/", str, name="b"), path("a/<str:x>/", str)])
    assert addresses.resolve("a/b/").url_name == "b"
    assert addresses.resolve("a/7/").url_name == "number"
    assert addresses.resolve("a/c/").url_name is None
    with pytest.raises(Resolver404):
        addresses.resolve("a/b/c/")


def test_no_word_of_an_address_has_a_slash_in_it():
    """By the number of slashes in a path it is known which addresses it can be."""
    converters = {each for pattern in whole(of_apps) for each in pattern.pattern.converters.values()}
    assert converters
    for converter in converters:
        assert not re.fullmatch(converter.regex, "a/b")
        assert not re.fullmatch(converter.regex, "/")
