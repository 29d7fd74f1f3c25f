"""Cached URL paths of pages, and redirects to them."""

from __future__ import annotations

from functools import lru_cache

from django.http import HttpResponseRedirect
from django.urls import get_script_prefix, reverse

MAX_CACHED_ADDRESSES = 4096  # that are cached


def path_of(page: str, *arguments: object, **named: object) -> str:
    """The path of a page. A page links to a dozen others, so paths are cached."""
    return _path(page, get_script_prefix(), tuple(map(str, arguments)), tuple((key, str(named[key])) for key in named))


@lru_cache(MAX_CACHED_ADDRESSES)
def _path(page: str, prefix: str, arguments: tuple[str, ...], named: tuple[tuple[str, str], ...]) -> str:
    return reverse(page, args=arguments, kwargs=dict(named))


def redirect_to(page: str, *words: str) -> HttpResponseRedirect:
    """A redirect after a successful form."""
    return HttpResponseRedirect(path_of(page, *words))
