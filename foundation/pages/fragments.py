"""Fragments of pages: templates rendered on their own, for another template or for a page that is already open."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from sys import getsizeof
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from jinja2 import Environment, pass_environment

from foundation.acts import features
from foundation.acts.caches import SizedCache

CACHE_BYTES = 16_000_000  # approximately
ENTRY_OVERHEAD_BYTES = 1000  # per entry beside its text, approximately


def fragment(name: str, context: Mapping[str, Any]) -> SafeString:
    """A template as safe HTML: it has already escaped its values."""
    return mark_safe(render_to_string(name, dict(context)))  # noqa: S308 - templates escape what they show


def _weight(text: SafeString) -> int:
    return 2 * getsizeof(text) + ENTRY_OVERHEAD_BYTES  # much of it may also be in the values


cache = SizedCache[SafeString](CACHE_BYTES, _weight)


@pass_environment
def cached_include(environment: Environment, name: str, /, **values: Any) -> SafeString:
    """An include that sees only its arguments and the site's features, cached by value per environment, so per language
    and path of the site: 4 to 10 per cent of most pages in Django, 40 of a ballot page.

    Safe and unsafe text have different keys, and so do 1 and True, although Python considers them equal.
    """
    key = environment, features.cache.last_read.on, name, tuple(values.items()), tuple(map(type, values.values()))
    return cache.get(key, partial(fragment, name, values))
