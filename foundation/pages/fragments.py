"""Fragments of pages: templates rendered on their own, for a page that is already open or for another template, and the
parts of pages that are the same for all readers, which are rendered once.

Each cached fragment is found by what it was rendered from, or used as long as a page would render it from the same
data, so entries are never invalidated. It is rendered without a request, so no reader's data can get into it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from sys import getsizeof
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from jinja2 import Environment, pass_environment

from foundation.acts import features
from foundation.acts.caches import SizedCache

CACHE_BYTES = 16_000_000  # approximately, of each cache
ENTRY_OVERHEAD_BYTES = 1000  # per entry beside its text, approximately


def fragment(name: str, context: Mapping[str, Any]) -> SafeString:
    """A template as safe HTML: it has already escaped its values."""
    return mark_safe(render_to_string(name, dict(context)))  # noqa: S308 - templates escape what they show


# Much of a text may also be in the values.
include_cache = SizedCache[SafeString](CACHE_BYTES, lambda text: 2 * getsizeof(text) + ENTRY_OVERHEAD_BYTES)


@pass_environment
def cached_include(environment: Environment, name: str, /, **values: Any) -> SafeString:
    """An include that sees only its arguments and the site's features, cached by value per environment, so per language
    and path of the site: 4 to 10 per cent of most pages in Django, 40 of a ballot page.

    Safe and unsafe text have different keys, and so do 1 and True, although Python considers them equal.
    """
    key = environment, features.cache.last_read.on, name, tuple(values.items()), tuple(map(type, values.values()))
    return include_cache.get(key, partial(fragment, name, values))


# --- parts of pages that are the same for all readers ---

FRAGMENT_OVERHEAD_BYTES = 4_000  # bytes of an entry besides its HTML


@dataclass(frozen=True, slots=True)
class Fragment:
    html: SafeString
    etag: str
    source: Any  # what it was rendered from
    extra: Mapping[str, str] = field(default_factory=dict)  # other values the page needs, derived from the same data


fragment_cache = SizedCache[Fragment](CACHE_BYTES, lambda fragment: FRAGMENT_OVERHEAD_BYTES + 2 * len(fragment.html))


def cache_key(*names: Hashable) -> tuple[Hashable, ...]:
    """One per language, path and features of the site."""
    return *names, get_language() or "", get_script_prefix(), features.current()


def cached(key: tuple[Hashable, ...], source: Any) -> Fragment | None:
    """The cached fragment, if it was rendered from this exact data."""
    found = fragment_cache.peek(key)
    return found if found is not None and found.source == source else None


def render_fragment(template: str, context: Mapping[str, Any], source: Any, **extra: str) -> Fragment:
    html = SafeString(render_to_string(template, dict(context)).strip())
    return Fragment(html, sha256(html.encode()).hexdigest()[:32], source, extra)


def get_or_render(
    key: tuple[Hashable, ...], template: str, make_context: Callable[[], Mapping[str, Any]], source: Any
) -> Fragment:
    """The context is built only if the fragment has to be rendered."""
    if (found := cached(key, source)) is None:
        found = render_fragment(template, make_context(), source)
        fragment_cache.put(key, found)
    return found


def shared_page(
    request: HttpRequest,
    template: str,
    content: str,
    make_context: Callable[[], Mapping[str, Any]] = dict,
    source: Any = None,
) -> HttpResponse:
    """A page of which only the frame is the reader's own; `content` is its other template."""
    return page_with(request, get_or_render(cache_key(content), content, make_context, source), template, {})


def page_with(
    request: HttpRequest,
    fragment: Fragment,
    template: str,
    context: Mapping[str, Any],
    common: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """A page whose template has `{{ fragment }}` in its place. `common` is the result of the context processors, if
    they have already run.
    """
    context = {**(common or {}), **context, "fragment": fragment.html}
    return HttpResponse(render_to_string(template, context, request if common is None else None))
