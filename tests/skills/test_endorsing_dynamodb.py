"""Endorsing at once on DynamoDB: the count is as exact there."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from accounts.rules import Role
from foundation.store.connect import connect
from parts.skills import services
from tests.skills.test_endorsing import acts_at_once
from tests.store import engines


@pytest.fixture
def on_dynamodb(settings, site) -> Iterator[None]:
    """The site's table is an empty one on DynamoDB."""
    with engines.ministack() as engine:
        settings.STORE_URL = f"dynamodb://{engines.REGION}?prefix=t{uuid.uuid4().hex[:8]}-&endpoint={engine.endpoint}"
        connect(settings.STORE_URL).create()
        yield
        engine.drop(connect(settings.STORE_URL))


@pytest.mark.deep
def test_acts_at_once_leave_exactly_what_they_say(on_dynamodb, settings, person):
    services.add(person("Boss", Role.OWNER), "Python", "Programming", "")
    assert acts_at_once(connect(settings.STORE_URL), person, rounds=6, crowd=4) > 0
