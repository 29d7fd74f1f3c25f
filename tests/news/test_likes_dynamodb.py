"""Liking at once on DynamoDB: the count is as exact there."""

from __future__ import annotations

from random import Random

import pytest

from acts.storage import table
from tests.chaos import Chaos
from tests.news.test_likes import counters_of, likes_at_once
from tests.skills.test_endorsing_dynamodb import on_dynamodb  # noqa: F401 - a fixture


@pytest.mark.deep
def test_changes_at_once_are_counted_exactly(on_dynamodb):  # noqa: F811
    weather = Chaos(table(), Random(7), conflicts=0.1, throttling=0.05, lost_replies=0.1)
    likes_at_once(counters_of("one"), weather, changes=120, crowd=4, visitors=5)
