"""Whoever runs the elections of these tests."""

from __future__ import annotations

import pytest

from accounts.models import User


@pytest.fixture
def ada(person) -> User:
    return person("Ada")
