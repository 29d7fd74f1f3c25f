"""Tokens in addresses: read by us alone, for their purpose, while they are good."""

from __future__ import annotations

import base64
import time

import pytest

from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token

WORDS = ("Board 2027", "ann@example.org", "選挙" * 90)


def test_what_was_encrypted_is_read_for_its_purpose_alone(settings):
    token = create_token("vote", *WORDS)
    assert read_token("vote", token, None) == list(WORDS)
    assert read_token("vote", token, SECONDS_PER_DAY) == list(WORDS)
    assert read_token("silence", token, None) is None
    settings.SECRET_KEY = "another site's"
    assert read_token("vote", token, None) is None


def test_nothing_can_be_read_from_it_by_others():
    for words in (WORDS, WORDS[:2], ("ann@example.org",)):
        token = create_token("vote", *words)
        assert token.isascii()
        plain = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        assert b"ann@example.org" not in plain
        assert b"Board 2027" not in plain
    assert len(create_token("vote", "Board 2027", "2026-11-17T11:17:22.617Z", "ann@example.org", "0", "")) < 240


@pytest.mark.parametrize("bad", ["", "made-up", "=", "gAAAAA", "ä", "A" * 5000])
def test_what_is_not_ours_is_nothing(bad):
    assert read_token("vote", bad, None) is None


def test_it_grows_old_where_that_matters(monkeypatch):
    token, now = create_token("news", "ann@example.org"), time.time()
    monkeypatch.setattr(time, "time", lambda: now + SECONDS_PER_DAY + 2)
    assert read_token("news", token, SECONDS_PER_DAY) is None
    assert read_token("news", token, 2 * SECONDS_PER_DAY) == ["ann@example.org"]
    assert read_token("news", token, None) == ["ann@example.org"]
