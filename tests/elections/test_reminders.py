"""Automatic reminders: each moment once, to those who have not voted."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as some

from elections import actions, repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing, reminders
from elections.invitations.reminders import due, moment, send_due_reminders
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action, WrongState
from foundation.acts.refusals import NotAllowed
from foundation.mail import outbox as mail
from foundation.pages.times import from_text
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog, as_text
from foundation.store.table import Update
from tests.background import queue_mailings, unfinished
from tests.races.overtaken import overtaken_by

START = datetime.fromisoformat("2094-05-01T12:00:00+00:00")
END = as_text(START + timedelta(days=10))
ALL = (72, 24, 3)


class Clock:
    """Hours since voting began."""

    hours = 0.0

    def __call__(self):
        return as_text(START + timedelta(hours=self.hours))


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("foundation.acts.storage.utc_now", lambda: from_text(clock()))
    return clock


@pytest.fixture
def board(ada, clock):
    """Open for ten days, everybody invited, reminders at all three moments."""
    election = drafts.create(ada, "Board", secret_ballot=False, no_voting_after=END, remind_before=ALL)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["a@example.org", "b@example.org", "c@example.org"])
    election = lifecycle.open_(ada, repository.find("Board"), editable=False)
    mailing.invite(ada, election)
    clock.hours += 1
    queue_mailings()
    return repository.find("Board")


def reminded(site, clock, hours):
    """Who is reminded from now until then, by a worker that comes by every hour."""
    before = {item["number"] for item in site.each(keys.mails(mail.QUEUED))}
    while clock.hours < hours:
        clock.hours += 1
        send_due_reminders()
        queue_mailings()
    mails = [item for item in site.each(keys.mails(mail.QUEUED)) if item["number"] not in before]
    assert {item["kind"] for item in mails} <= {"vote_reminder"}
    return sorted(item["to"][0] for item in mails)


def test_each_moment_comes_once_and_only_to_those_who_have_not_voted(site, ada, board, clock):
    assert reminded(site, clock, 167) == []
    assert reminded(site, clock, 168) == ["a", "b", "c"]
    assert reminded(site, clock, 215) == []
    site.write(Update(keys.voter("Board", "a@example.org"), set={"voted": True}))
    assert reminded(site, clock, 216) == ["b", "c"]
    mailing.unsubscribe("Board", "b@example.org")
    assert reminded(site, clock, 237) == ["c"]
    assert reminded(site, clock, 300) == []
    said = [event["event_data"] for event in EventLog(site).since(0) if event["event_type"] == "VotersReminded"]
    assert [each["hours_before"] for each in said] == [72, 24, 3]


def test_moments_move_with_the_end(site, ada, board, clock):
    clock.hours = 160
    lifecycle.extend(ada, board, as_text(START + timedelta(days=20)))
    assert reminded(site, clock, 407) == []
    assert reminded(site, clock, 408) == ["a", "b", "c"]


def test_a_moment_that_was_kept_comes_again_only_if_the_end_moves_far_enough(site, ada, board, clock):
    assert reminded(site, clock, 216) == ["a", "a", "b", "b", "c", "c"]
    board = lifecycle.extend(ada, board, as_text(START + timedelta(days=10, hours=2)))
    assert reminded(site, clock, 230) == [], "two hours later is no new day before the end"
    lifecycle.extend(ada, board, as_text(START + timedelta(days=20)))
    assert reminded(site, clock, 408) == ["a", "b", "c"]


def test_without_an_end_nothing_is_sent(site, ada, board, clock):
    lifecycle.extend(ada, board, None)
    assert reminded(site, clock, 400) == []


def test_a_worker_that_comes_late_reminds_once_of_what_is_nearest(site, ada, board, clock):
    clock.hours = 230
    assert reminded(site, clock, 231) == ["a", "b", "c"]
    assert reminded(site, clock, 236) == []


def test_of_two_workers_who_look_one_reminds(site, ada, board, clock):
    clock.hours, done = 169, []
    with overtaken_by(lambda: done.append(send_due_reminders())):
        done.append(send_due_reminders())
    assert sum(done) == 1


def test_whoever_was_invited_since_is_not_reminded_at_once(site, ada, board, clock):
    clock.hours = 168.5
    add_voters(ada, board, ["d@example.org"])
    mailing.invite(ada, board)
    queue_mailings()
    assert reminded(site, clock, 170) == ["a", "b", "c"]
    assert reminded(site, clock, 216) == ["a", "b", "c", "d"]


def test_one_opened_after_a_moment_lets_it_pass(site, ada, clock):
    election = drafts.create(ada, "Late", secret_ballot=False, no_voting_after=END, remind_before=ALL)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["a@example.org"])
    clock.hours = 170
    mailing.invite(ada, lifecycle.open_(ada, repository.find("Late"), editable=False))
    queue_mailings()
    assert reminded(site, clock, 180) == []
    assert [each for each in EventLog(site).since(0) if each["event_type"] == "VotersReminded"] == []
    assert reminded(site, clock, 216) == ["a"]


def test_one_that_has_not_begun_reminds_nobody(site, ada, board, clock):
    site.write(Update(keys.election("Board"), set={"no_voting_before": END}))
    assert reminded(site, clock, 239) == []


def test_after_a_reminder_by_hand_the_clock_waits(site, ada, board, clock):
    clock.hours = 166
    mailing.remind(ada, board)
    assert reminded(site, clock, 190) == ["a", "b", "c"], "those by hand"
    assert reminded(site, clock, 216) == ["a", "b", "c"]


def test_reminders_are_chosen_while_it_is_open_and_what_has_passed_is_let_pass(site, ada, board, clock, person):
    board = reminders.choose(ada, board, [])
    assert reminded(site, clock, 217) == []
    with pytest.raises(NotAllowed):
        reminders.choose(person("Stranger"), board, [24])
    board = reminders.choose(ada, board, [3, 24, 24])
    assert board.remind_before == (24, 3)
    assert repository.find("Board") == board
    assert reminded(site, clock, 236) == []
    assert reminded(site, clock, 237) == ["a", "b", "c"]
    closed = closing.close(ada, board)
    with pytest.raises(WrongState):
        reminders.choose(ada, closed, [])


def test_a_closed_election_reminds_nobody(site, ada, board, clock):
    closing.close(ada, board)
    assert reminded(site, clock, 239) == []


@pytest.mark.needs("webhooks")
def test_tick_sets_reminders_off(site, ada, board, clock):
    clock.hours = 168
    said = StringIO()
    call_command("tick", stdout=said)
    assert "1 reminders sent, 3 background tasks resumed" in said.getvalue()
    assert len(unfinished("mail voters")) == 0


def test_settings_of_a_draft_keep_reminders(ada, clock):
    election = drafts.create(ada, "Draft", remind_before=(24,))
    assert repository.find("Draft") == election
    changed = actions.change(ada, election, Action.SET_UP, remind_before=())
    assert repository.find("Draft") == changed


HOURS = some.integers(0, 400).map(lambda hours: as_text(START + timedelta(hours=hours)))


@pytest.mark.deep
@settings(max_examples=200, deadline=None)
@given(end=HOURS, times=some.lists(HOURS, max_size=60).map(sorted), hours=some.sets(some.sampled_from(ALL)))
def test_however_often_one_looks_reminders_are_apart_and_never_early_or_late(end, times, hours):
    last = ""
    for now in times:
        found = due(hours, end, now, last=last)
        if found is None:
            continue
        assert moment(end, found) <= now < end
        assert (
            not last
            or datetime.fromisoformat(moment(end, found)) - datetime.fromisoformat(last) >= reminders.MIN_REMINDER_GAP
        )
        last = now
    assert due(hours, None, END) is None
