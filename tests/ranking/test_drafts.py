"""Under which key a browser keeps an unfinished ranking."""

from __future__ import annotations

import hmac

from django.conf import settings as site
from hypothesis import given
from hypothesis import strategies as st

from ranking import drafts


def signed(secret: str, *words: str) -> str:
    key = hmac.digest(secret.encode(), drafts.PURPOSE, "sha256")
    return hmac.digest(key, "\n".join(words).encode(), "sha256").hex()[:32]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_words_are_signed_as_hmac_signs_them(words):
    assert drafts._hash(*words) == signed(site.SECRET_KEY, *words) == drafts._hash(*words)


def test_under_the_key_that_the_site_has_now(settings):
    for secret in ("one", "another", "ä" * 100, "one"):
        settings.SECRET_KEY = secret
        assert drafts._hash("Ada", "ballot") == signed(secret, "Ada", "ballot")
