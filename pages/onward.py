"""Addresses of pages, for those who lead there."""

from __future__ import annotations

from django.http import HttpResponseRedirect
from django.urls import get_script_prefix

from .lookups import address


def path_of(page: str, *words: str) -> str:
    """As templates find it, and remembered with what they found."""
    return address(page, get_script_prefix(), words, ())


def onward(page: str, *words: str) -> HttpResponseRedirect:
    """Where a form leads when it is done."""
    return HttpResponseRedirect(path_of(page, *words))
