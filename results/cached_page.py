"""Caches the rendered part of a sealed result's pages: it never changes, and drawing it takes thirty times as long as
identifying the reader.

A fragment depends on the election, the seal, which contains the report's digest, and what parts show with it. These are
read each time, in a distant store once a second; the report is read only on a cache miss.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from accounts.models import User
from elections import repository as elections
from foundation.pages import page_cache
from foundation.pages.page_cache import Fragment
from foundation.store.keys import fold

from . import repository, services
from .repository import Found, Sealed


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page about a result: the template of the cached part, and its context."""

    template: str
    context_of: Callable[[Sealed], dict[str, Any]]
    preview_of: Callable[[Sealed], dict[str, str]] = lambda found: {}

    def find(self, election_name: str, reader: User | None, question: int = 1) -> Found | None:
        """At most a second old, unless the reader runs the election."""
        with_report = page_cache.cache.peek(self._key(election_name, question)) is None
        places = repository.result_keys(election_name, question, with_report=with_report)
        recently = elections.recent_read(election_name, reader, *places)
        return services.find(election_name, question, with_report=with_report, recently=recently)

    def fragment(self, found: Found) -> Fragment:
        """The fragment, cached or new. A report that does not match the sealed digest is shown, but not cached."""
        election = found.election
        key, source = self._key(election.name, election.number), (election, found.seal, found.beside)
        if (part := page_cache.cached(key, source)) is not None:
            return part
        sealed = found if isinstance(found, Sealed) else repository.read_report(found)
        context, extra = self.context_of(sealed), self.preview_of(sealed)
        part = page_cache.render_fragment(self.template, context, source, **extra)
        if sha256(sealed.report.as_json().encode()).hexdigest() == sealed.seal.report_digest:
            page_cache.cache.put(key, part)
        return part

    def _key(self, election_name: str, question: int) -> tuple[Hashable, ...]:
        return page_cache.cache_key(self.template, fold(election_name), question)
