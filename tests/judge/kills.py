"""Processes are killed while they write: what was acknowledged is there, and nothing is half written or doubled."""

from __future__ import annotations

import random
import time

from config.settings import own_secret
from foundation.store.connect import connect
from tests.ballots.test_killed import Server, check_rush
from tests.store.crash_writer import COUNTER, NUMBERS
from tests.store.test_crash import Writer, acknowledged, wait_until, whole_changes

KILLS = 6


def test_a_killed_writer_leaves_no_half_of_a_change(site, settings):
    """What was on its way when it was killed may still arrive, whole."""
    taken, before = [], 0
    for name in range(KILLS):
        writer = Writer(settings.STORE_URL, name)
        said = writer.next_line()
        time.sleep(random.uniform(0.2, 0.8))
        said += writer.kill()
        table = connect(settings.STORE_URL)

        def is_whole(name=name, table=table, before=before) -> bool:
            try:
                return (table.get(COUNTER) or {"n": 0})["n"] == before + len(whole_changes(table, name))
            except AssertionError:
                return False  # read while the last one arrived

        assert wait_until(is_whole), "an event without all of its items, or counted twice"
        found = whole_changes(table, name)
        assert set(acknowledged(said, "wrote")) <= found
        before += len(found)
        taken += map(int, acknowledged(said, "took"))
    assert len(taken) == len(set(taken)), "no number was given out twice"
    assert max(taken) <= connect(settings.STORE_URL).get(NUMBERS)["n"]
    assert before > KILLS


def test_a_server_that_is_killed_in_the_middle_of_a_rush_loses_no_ballot(site, settings, tmp_path, person, opened):
    settings.SECRET_KEY = own_secret(tmp_path)
    server = Server(tmp_path, STORE_URL=settings.STORE_URL)
    try:
        check_rush(site, server, person, opened, amid=10)
    finally:
        server.kill()
