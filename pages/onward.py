"""Where a form leads when it is done."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.http import HttpResponseRedirect
from django.urls import get_script_prefix, get_urlconf, reverse


def path_of(page: str, *words: str) -> str:
    """As Django finds it, and remembered by all that it hangs on: the same few pages of the same few elections."""
    return _path_of(get_script_prefix(), get_urlconf(settings.ROOT_URLCONF), page, words)


@lru_cache(maxsize=1000)
def _path_of(prefix: str, addresses: str, page: str, words: tuple[str, ...]) -> str:
    return reverse(page, addresses, words)


def onward(page: str, *words: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(path_of(page, *words))
