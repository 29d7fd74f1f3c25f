"""A site whose distant store is silent: pages say so, threads are not held, and whatever needs no store goes on."""

from __future__ import annotations

import math
import uuid

import pytest
from django.test import Client
from django.urls import resolve, reverse

from config.middleware import store_timeout
from foundation.store import wait_budget
from foundation.store.connect import connect
from foundation.store.dynamodb.connection import MAX_CONSECUTIVE_FAILURES
from tests.store.between import between


@pytest.fixture
def silent(settings):
    """A site on a store that takes every request and answers none. Time passes by reading the clock: each try takes as
    long as it may."""
    with between() as line:
        settings.STORE_URL = f"dynamodb://us-east-1?prefix={uuid.uuid4().hex[:8]}-&endpoint={line.endpoint}"
        table = connect(settings.STORE_URL)
        connection, now = table._connection, [0.0]
        connection._ticking = connection._own_breaker[1]._ticking = lambda: now[0]
        connection._sleep = lambda seconds: None
        line.always = lambda *_: now.__setitem__(0, now[0] + 2)
        yield line
        table.close()


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


def test_a_request_waits_as_long_as_the_settings_say_and_only_for_a_distant_store(settings, site, rf):
    found = []
    ask = store_timeout(lambda request: found.append(wait_budget.left()))
    ask(rf.get("/"))
    settings.STORE_URL, settings.STORE_SECONDS = "dynamodb://us-east-1?prefix=waited-", 7
    ask(rf.get("/"))
    assert found == [math.inf, 7]
    assert wait_budget.left() == math.inf


@pytest.mark.deep
def test_pages_say_that_the_store_does_not_answer_and_soon_nobody_waits(silent, visitor):
    for _ in range(MAX_CONSECUTIVE_FAILURES):
        answer = visitor.get("/")
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "is not responding" in answer.content.decode()
    silent.requests.clear()
    for path in ("/", "/polls/", "/readyz"):
        assert visitor.get(path).status_code == 503
    assert silent.requests == [], "turned away at once"


def test_what_needs_no_store_goes_on(static_files, silent, visitor):
    for _ in range(MAX_CONSECUTIVE_FAILURES):
        visitor.get("/")
    silent.requests.clear()
    assert visitor.get("/healthz").status_code == 200
    page = visitor.get("/").content.decode()
    style = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert visitor.get(style).status_code == 200
    assert silent.requests == []


def test_whoever_runs_a_vote_is_not_kept_out_by_voters():
    """Their pages ask a crowded store for longer (tests/store/test_wait_budget.py, tests/aws/test_simulate.py)."""
    for page in ("/election/Board/end/", "/election/Board/close/", "/election/Board/dashboard/"):
        assert resolve(page).func.access.organises, page
    for page in ("/election/Board/", "/election/Board/ballot/", "/election/Board/results/"):
        assert not resolve(page).func.access.organises, page


@pytest.mark.needs("polls")
def test_whoever_runs_a_poll_is_not_either(site, visitor, monkeypatch):
    insisted = []
    monkeypatch.setattr(wait_budget, "insist", lambda: insisted.append(True))
    poll = uuid.uuid4()
    for page, times in (("close_poll", 1), ("extend_poll", 2)):
        visitor.post(reverse(page, args=[poll]))
        assert len(insisted) == times
