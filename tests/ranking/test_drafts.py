"""Under which key a browser keeps an unfinished ranking."""

from __future__ import annotations

from hashlib import blake2b, sha256

from django.conf import settings as site
from hypothesis import given
from hypothesis import strategies as st

from foundation.ranking import drafts


def signed(secret: str, *words: str) -> str:
    key = sha256(secret.encode()).digest()
    return blake2b("\n".join(words).encode(), digest_size=16, key=key, person=drafts.PURPOSE).hexdigest()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_words_are_signed_with_the_sites_key(words):
    assert drafts._hash(*words) == signed(site.SECRET_KEY, *words) == drafts._hash(*words)


def test_under_the_key_that_the_site_has_now(settings):
    for secret in ("one", "another", "ä" * 100, "one"):
        settings.SECRET_KEY = secret
        assert drafts._hash("Ada", "ballot") == signed(secret, "Ada", "ballot")
