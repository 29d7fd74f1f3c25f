"""What was about to be mailed when a backup was made is not sent by the store that was filled from it."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from accounts.rules import Role
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing, reminders
from elections.invitations.progress import failures, progress
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.mail import outbox as mail
from foundation.mail import undelivered
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store.connect import connect
from foundation.store.log import as_text, utc_now
from operations.upkeep.management.commands.restore import Holding
from tests.background import queue_mailings, unfinished

from .test_backup import piped
from .test_commands import run

ADDRESSES = [f"{letter}@example.org" for letter in "abc"]


@pytest.fixture
def inviting(site, person, tmp_path):
    """A backup made when two invitations waited, one was being sent, one was asked for, and a reminder was to come."""
    ada = person("Ada", Role.OWNER)
    soon = as_text(utc_now() + timedelta(hours=25))
    election = drafts.create(ada, "Board", secret_ballot=False, no_voting_after=soon, remind_before=[72, 24])
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ADDRESSES)
    election = lifecycle.open_(ada, repository.find("Board"), editable=False)
    mailing.invite(ada, election)
    queue_mailings()
    add_voters(ada, election, ["d@example.org"])
    mailing.invite(ada, election)
    (first, *_), _ = mail.in_state(mail.QUEUED, limit=10)
    assert mail.move(first, mail.QUEUED, mail.SENDING, lease=0)
    run("backup", str(tmp_path / "file"))
    return str(tmp_path / "file")


def restored(settings, tmp_path, file: str, *options: str) -> str:
    settings.STORE_URL, stderr = f"sqlite://{tmp_path}/other.sqlite3", StringIO()
    run("restore", file, *options, stderr=stderr)
    return stderr.getvalue()


def test_what_waited_is_put_aside_and_a_person_can_send_it_again(inviting, settings, tmp_path):
    said = restored(settings, tmp_path, inviting)
    assert "3 mails and 1 mailings." in said
    assert send_waiting(compose) == queue_mailings() == 0
    undelivered.retry_all("Ada")
    assert undelivered.carry_out(lambda: True) == 0
    unknown, _ = mail.in_state(mail.UNKNOWN, limit=10)
    assert sorted((each.to, each.reason) for each in unknown) == [(to, "restored") for to in ADDRESSES]
    board = repository.find("Board")
    invited = progress(board).invited
    assert (invited.queued, invited.sent, invited.failed) == (0, 0, 3)
    assert {each.voter for each in failures(board, limit=10)[0]} == set(ADDRESSES)
    undelivered.retry("Ada", unknown[0])
    assert [each.number for each in mail.in_state(mail.QUEUED, limit=10)[0]] == [unknown[0].number]
    assert run("replay").endswith("The log and the store agree.")


def test_moments_of_reminders_that_have_passed_by_then_are_let_pass(inviting, settings, tmp_path, monkeypatch):
    before = settings.STORE_URL
    monkeypatch.setattr("foundation.acts.storage.utc_now", lambda: utc_now() + timedelta(hours=2))
    restored(settings, tmp_path, inviting)
    assert reminders.send_due_reminders() == 0
    settings.STORE_URL = before
    assert reminders.send_due_reminders() == 1


def test_what_surely_never_went_out_is_sent(inviting, settings, tmp_path):
    assert "Put aside" not in restored(settings, tmp_path, inviting, "--send-mail")
    assert len(mail.in_state(mail.QUEUED, limit=10)[0]) == 2
    assert len(unfinished("mail voters")) == 1


def test_cut_short_it_can_be_done_again(inviting, settings, tmp_path):
    restored(settings, tmp_path, inviting, "--send-mail")
    table, holding = connect(settings.STORE_URL), Holding()
    for _, item in table.everything():
        holding.notice(item)
    assert holding.put_aside()[0] == 3
    assert Holding().put_aside() == (0, 0)
    assert holding.put_aside()[0] == 0


# --- the drill ---


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


@pytest.mark.parametrize("is_piped", [False, True])
def test_a_drill_looks_at_everything_and_leaves_nothing(
    inviting, site, settings, temporary, mailoutbox, monkeypatch, is_piped
):
    before, url = list(site.everything()), settings.STORE_URL
    if is_piped:
        piped(monkeypatch, Path(inviting).read_bytes())
    said = run("drill", "-" if is_piped else inviting)
    for step in ("Restored in", "Verified in", "Replayed in", "Pages opened in"):
        assert step in said
    assert said.endswith("The temporary store has been deleted.")
    assert list(temporary.iterdir()) == mailoutbox == []
    assert (list(site.everything()), settings.STORE_URL) == (before, url)


def test_a_drill_that_fails_says_so_and_leaves_nothing(inviting, site, temporary, monkeypatch):
    with pytest.raises(CommandError, match="was sealed up to event 1, but now ends at 0"):
        run("drill", inviting, f"--checkpoint=1:{'0' * 64}")
    with pytest.raises(CommandError, match="is not a file"):
        run("drill", f"{inviting}.age")
    monkeypatch.setattr("operations.audit.views.system.versions", lambda: 1 / 0)
    with pytest.raises(CommandError, match=r"fail: /admin/system/ \(500\)\."):
        run("drill", inviting)
    assert list(temporary.iterdir()) == []
