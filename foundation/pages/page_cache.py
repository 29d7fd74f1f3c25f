"""A cache of page fragments: the part of a page that is the same for all its readers is rendered once.

Each fragment is stored with the data it was rendered from, and used as long as a page would render it from the same
data, so entries are never invalidated. It is rendered without a request, so no reader's data can get into it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from foundation.acts import features
from foundation.acts.caches import SizedCache

CACHE_BYTES = 16_000_000
ENTRY_OVERHEAD_BYTES = 4_000  # bytes of an entry besides its HTML


@dataclass(frozen=True, slots=True)
class Fragment:
    html: SafeString
    etag: str
    source: Any  # what it was rendered from
    extra: Mapping[str, str] = field(default_factory=dict)  # other values the page needs, derived from the same data


cache = SizedCache[Fragment](CACHE_BYTES, lambda fragment: ENTRY_OVERHEAD_BYTES + 2 * len(fragment.html))


def cache_key(*names: Hashable) -> tuple[Hashable, ...]:
    """One per language, path and features of the site."""
    return *names, get_language() or "", get_script_prefix(), features.current()


def cached(key: tuple[Hashable, ...], source: Any) -> Fragment | None:
    """The cached fragment, if it was rendered from this exact data."""
    fragment = cache.peek(key)
    return fragment if fragment is not None and fragment.source == source else None


def render_fragment(template: str, context: Mapping[str, Any], source: Any, **extra: str) -> Fragment:
    html = SafeString(render_to_string(template, dict(context)).strip())
    return Fragment(html, sha256(html.encode()).hexdigest()[:32], source, extra)


def get_or_render(
    key: tuple[Hashable, ...], template: str, make_context: Callable[[], Mapping[str, Any]], source: Any
) -> Fragment:
    """The context is built only if the fragment has to be rendered."""
    if (fragment := cached(key, source)) is None:
        fragment = render_fragment(template, make_context(), source)
        cache.put(key, fragment)
    return fragment


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
