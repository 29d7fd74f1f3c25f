"""Putting an interruption on record, for all questions of a ballot, and telling voters."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from accounts.models import User
from acts.retry import retry_on_conflict
from acts.storage import now_text
from elections import actions, repository
from elections.actions import check, record
from elections.interruption import Interruption
from elections.invitations import messages
from elections.multi_ballots import repository as multi_ballots
from elections.rules import Action, Election, WrongState, check_new_end
from pages.times import local_time, moment_text, moment_with_zone
from store.log import as_text
from store.table import Write

from . import rules


def record_interruption(
    actor: User, election: Election, began: str, ended: str, happened: str, decided: str, minutes: int, corrects: int
) -> Interruption:
    """Record it, and extend the voting by so many minutes, in one transaction; on a ballot with several questions, with
    the leader, and the others follow."""
    check(actor, election, Action.INTERRUPT)
    now, end = now_text(), _new_end(actor, election, minutes)
    entry = Interruption(len(election.interruptions) + 1, began, ended, happened, decided, now, end, corrects)
    rules.check_entry(election, entry, now)
    others = multi_ballots.other_questions(election)
    work = {"act": "interrupt", "by": actor.name, "at": now, "entry": entry.facts}
    follows = [multi_ballots.ACTING.begin(election.book, **work)] if others else []
    record_on(actor, election, entry, *follows)
    if others:
        multi_ballots.ACTING.start(election.book)
    return entry


def _new_end(actor: User, election: Election, minutes: int) -> str:
    """By the rule for extending: by owners, while it is open, and only later. Empty if it is not extended."""
    if not minutes:
        return ""
    actions.check_actor_and_state(actor, election, Action.EXTEND)
    if election.ends is None:
        raise WrongState(_("This election has no end that could be extended."))
    end = as_text(election.ends + timedelta(minutes=minutes))
    check_new_end(election, end, now_text())
    return end


def record_on(actor: User, election: Election, entry: Interruption, *also: Write) -> None:
    """Record it on one election; refused if that has changed since it was read."""
    writes = repository.change(election, rules.with_interruption(election, entry))
    retry_on_conflict(lambda: record(actor, "InterruptionRecorded", election, entry.facts, *writes, *also))


# --- telling voters ---


def tell_voters(actor: User, election: Election, entry: Interruption) -> None:
    """Mail it to all voters. Without confirmation by an admin, an organiser's own words are left out."""
    subject = _("Voting was interrupted")
    messages.mail_all(actor, election, subject, message_text(election, entry, own_words=actor.can_write_to_many))


def message_text(election: Election, entry: Interruption, *, own_words: bool) -> str:
    def at(moment: datetime) -> str:
        return moment_text(local_time(moment, election.time_zone))

    when = {"from": at(entry.from_), "to": moment_with_zone(entry.to, election.time_zone)}
    parts = [_("Voting was interrupted from %(from)s to %(to)s.") % when]
    if own_words:
        parts.append(_("What happened: %(text)s") % {"text": entry.happened})
        parts += [_("What was decided: %(text)s") % {"text": entry.decided}] if entry.decided else []
    if entry.extended_to:
        end = moment_with_zone(entry.extended_to, election.time_zone)
        parts.append(_("Voting was extended. It now ends at %(end)s.") % {"end": end})
    parts.append(_("Votes that were cast before still count."))
    return "\n\n".join(parts)
