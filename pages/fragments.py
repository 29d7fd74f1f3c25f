"""Fragments of pages: templates rendered by themselves, for another template or for a page that is open already."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from sys import getsizeof
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from jinja2 import Environment, pass_environment

from store.caches import SizedCache

CACHE_BYTES = 16_000_000  # about
ENTRY_OVERHEAD_BYTES = 1000  # of an entry, about, beside its text


def fragment(name: str, context: Mapping[str, Any]) -> SafeString:
    """A template as HTML that other templates need not escape again: it has escaped its values itself."""
    return mark_safe(render_to_string(name, dict(context)))  # noqa: S308 - templates escape what they show


def _weight(text: SafeString) -> int:
    return 2 * getsizeof(text) + ENTRY_OVERHEAD_BYTES  # much of it may also stand in the values


cache = SizedCache[SafeString](CACHE_BYTES, _weight)


@pass_environment
def cached_include(environment: Environment, name: str, /, **values: Any) -> SafeString:
    """An include that sees only what it is given, rendered once for the same values in each environment, of which
    every language and path of the site has one.

    Safe and unsafe text are different keys, and so are 1 and True, though Python holds them to be equal.
    """
    key = environment, name, tuple(values.items()), tuple(map(type, values.values()))
    return cache.get(key, partial(fragment, name, values))
