"""Asking the organisers of an election, and answering; and what the core shows of it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial

from django.utils.translation import get_language, ngettext, override
from django.utils.translation import gettext as _

from accounts import mail_quota
from accounts import repository as people
from accounts.models import User
from elections import actions
from elections import repository as elections
from elections.dashboard.next_step import Button, NextStep
from elections.invitations import mailing
from elections.invitations.progress import Progress
from elections.invitations.voting_link import REPLACING
from elections.roll import services as roll
from elections.rules import Action, Election, State, WrongState
from elections.voter_lists import Details
from foundation.acts import features, storage
from foundation.acts.background import Batch, Task, finished, next_deletions, wait
from foundation.acts.queues import process_each
from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, count_each
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.retry import retry_lost_race, run_once
from foundation.acts.storage import SITE, now_text, table
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME
from foundation.pages.paths import path_of
from foundation.parts import part_of
from foundation.store import keys
from foundation.store.log import Event, as_text
from foundation.store.table import Delete, Exists, Item, Key, Put, Update, Write

from . import repository as requests
from . import rules
from .repository import FORGETTING, TELLING
from .rules import Asker, HelpRequest, InboxFull, Overtaken, Reply

RETENTION = timedelta(days=rules.RETENTION_DAYS)
MAX_ELECTIONS = 50  # of those that are open, and of those that closed last: a few kilobytes


# --- asking ---


def ask(election: Election, asker: Asker, text: str, *, network: str, mark: str) -> None:
    """Store a request, whoever sends it: nothing here reads the roll. A form sent twice takes effect once."""
    now = now_text()
    if not rules.takes_requests(election, now):
        raise NotNow(_("This election ended some time ago, and its help desk is closed."))
    _count(election, asker, network)
    new_id = f"{time.time_ns():x}{secrets.token_hex(4)}"  # sorts after earlier ones, even of the same millisecond
    request = HelpRequest(new_id, election.name, asker, text, now, language=get_language() or "en")
    # by the site itself: the log must not say for good who asked
    event = Event(SITE, "RequestSent", {"election_name": election.name, "request": request.id})

    def send() -> None:
        # organisers are mailed now, or a while after the last time: a flood is one mail, and none is left out
        last = (table().get(keys.help_desk(election.name)) or {}).get("told_at")
        again = _later(last, timedelta(hours=rules.HOURS_BETWEEN_NOTICES)) if last else ""
        telling = requests.task(TELLING, election, max(now_text(), again))
        forgetting = requests.task(FORGETTING, election, _deletion_due(election, now))
        writes = [*requests.sending(election, request), telling, forgetting]
        storage.record(event, *writes, once=mark, refusals={0: InboxFull(rules.INBOX_FULL)})

    run_once(mark, lambda: retry_lost_race(send), None)


def _count(election: Election, asker: Asker, network: str) -> None:
    """People who are known share no limit with their network."""
    if asker.is_known:
        count_each((rules.PER_SENDER, f"{election.name} {asker.account or asker.voter}"))
    else:
        sender = f"{election.name} {asker.address} from {network}"
        count_each((rules.PER_SENDER, sender), (rules.PER_NETWORK, f"{election.name} {network}"))


# --- mailing the organisers ---


def _later(moment: str, by: timedelta) -> str:
    return as_text(datetime.fromisoformat(moment) + by)


@TELLING.step
def mail_organisers(task: Task) -> Batch:
    """Once the help desk is switched on again, if it is off."""
    if not features.is_on(part_of(__name__)):
        return wait(SECONDS_PER_HOUR)
    election = elections.find_created(task.subject, task.data["created_at"])
    if election is None or not requests.waiting(election.name):
        return finished()
    found = table().get_many([keys.user(name) for name in (election.owner_name, *election.managers)])
    organisers = [people.user_of(item) for item in found.values()]
    mails = [outbox.queued("requests_waiting", each.email, election_name=election.name) for each in organisers]
    return finished(*mails, Update(keys.help_desk(election.name), set={"told_at": now_text()}, when=Exists()))


# --- answering ---


def reply(actor: User, election: Election, request: HelpRequest, text: str) -> None:
    _answer(actor, election, request, rules.REPLIED, text)


def dismiss(actor: User, election: Election, request: HelpRequest) -> None:
    """Close it without an answer."""
    if request.state != rules.WAITING:
        raise Overtaken(rules.OVERTAKEN)
    _answer(actor, election, request, rules.DISMISSED)


def _answer(actor: User, election: Election, request: HelpRequest, act: str, text: str = "") -> None:
    actions.check(actor, election, Action.ANSWER)
    answered = _answering(actor, request, act, text)
    data = {"election_name": election.name, "request": request.id, "outcome": act}
    event = Event(actor.name, "RequestAnswered", data)
    overtaken = {0: Overtaken(rules.OVERTAKEN)}
    retry_lost_race(lambda: storage.record(event, *answered, *_reserving(actor, answered), refusals=overtaken))


def _reserving(actor: User, answered: Iterable[Write], invitations: int = 0) -> list[Write]:
    """The mail of an answer, and an invitation that comes with it, of the actor's quota of today."""
    budget, mails = mail_quota.quota_today(actor), invitations + sum(isinstance(each, Put) for each in answered)
    budget.check(mails)
    return budget.reserving(mails)


def _answering(actor: User, request: HelpRequest, act: str, text: str = "", reason: str = "") -> list[Write]:
    """The writes of an answer; the first is refused if somebody else was faster. With a mail in the language of whoever
    asked, if there is something to say and somewhere to say it."""
    rules.check_reply(actor, request, text)
    new, asker = Reply(act, actor.name, now_text(), text, reason), request.asker
    writes = requests.answering(request, new)
    person = people.find(asker.account) if asker.account else None
    is_same = person is not None and person.created_at == asker.account_made
    address = person.email if person and is_same else asker.address  # an account's is the one it has now
    if address and (new.text or new.sentence):
        about = {"election_name": request.election_name, "request": request.id, "reply": str(len(request.replies))}
        about |= {RECIPIENT_NAME: person.display_name or person.name} if person else {}
        with override(request.language):
            writes.append(outbox.queued("request_answered", address, None, **about))
    return writes


# --- common cases ---


def send_link(actor: User, election: Election, request: HelpRequest, voter: str) -> None:
    """Mail the voter the invitation again, which ends earlier links, and tell whoever asked."""
    actions.check(actor, election, Action.ANSWER)
    mailing.resend_invitation(actor, election, voter, *_answering(actor, request, rules.LINK))


def send_letter(actor: User, election: Election, request: HelpRequest, voter: str) -> None:
    """End the letter of somebody listed by member number; another waits to be printed, and whoever asked is told."""
    actions.check(actor, election, Action.ANSWER)
    answered = _answering(actor, request, rules.LETTER)
    for replace in REPLACING:
        replace(actor, election, voter, [*answered, *_reserving(actor, answered)])


def correct_address(actor: User, election: Election, request: HelpRequest, voter: str, address: str) -> None:
    """Replace an address on the roll, before its first vote; old links end, and an invitation goes to the new one."""
    actions.check(actor, election, Action.ANSWER)
    actions.check(actor, election, Action.INVITE)
    answered = _answering(actor, request, rules.CORRECTED)

    def correct() -> None:
        entry = roll.check_correction(election, voter, address)
        new, replaced = roll.correcting(election, entry, address)
        invited = mailing.inviting_with(actor, election, new, entry)
        event_data = {"election_name": election.name, "voter": entry["voter_name"], "address": address}
        writes = [*answered, *invited, *replaced, *_reserving(actor, answered, invitations=1)]
        overtaken = {0: Overtaken(rules.OVERTAKEN)}
        storage.record(Event(actor.name, "VoterAddressCorrected", event_data), *writes, refusals=overtaken)

    retry_lost_race(correct)


def add(
    actor: User, election: Election, request: HelpRequest, listed_as: str, reason: str, groups: Iterable[str] = ()
) -> None:
    """Put somebody on the roll, with the reason in the log, and invite them."""
    actions.check(actor, election, Action.ANSWER)
    actions.check(actor, election, Action.INVITE)
    actions.check(actor, election, Action.ADD_VOTERS)
    answered = _answering(actor, request, rules.ADDED, reason=reason)

    def answer_or_refusal(added: int, unknown: int) -> list[Write]:
        if unknown:
            raise WrongState(_("Nobody here has the name %(name)s. Use their email address.") % {"name": listed_as})
        if not added:
            raise WrongState(_("%(name)s is on the roll already.") % {"name": listed_as})
        return [*answered, *_reserving(actor, answered, invitations=1)]

    details = {listed_as: Details(groups=tuple(groups) or None)}
    event_data = {"reason": reason, "request": request.id}
    inviting = partial(mailing.inviting_with, actor, election)
    addition = roll.Addition(details, event_data, inviting, answer_or_refusal)
    try:
        retry_lost_race(lambda: roll.add_batch(actor, election, [listed_as], addition))
    except LostRace:
        raise Overtaken(rules.OVERTAKEN) from None


# --- forgetting ---


def _deletion_due(election: Election, now: str) -> str:
    """Some time after it ended, or will as planned."""
    return _later(as_text(election.ended) if election.ended else now, RETENTION)


@FORGETTING.step
def forget_batch(task: Task) -> Batch:
    """Delete all requests of an election some time after its close; an open one may have been extended meanwhile."""
    election = elections.find_created(task.subject, task.data["created_at"])
    if election is None:
        return finished()
    now = now_text()
    if election.state(now) != State.CLOSED or _deletion_due(election, now) > now:
        return wait(SECONDS_PER_DAY)
    if left := next_deletions(keys.help_requests(election.name), keys.all_sent_requests(election.name)):
        return Batch(left)
    return finished(Delete(keys.help_desk(election.name)))


def forget_person(gone: User) -> None:
    """Delete what somebody asked, and the answers, when their account is removed."""
    process_each((gone.name, gone.email), forget_requests_of)


def forget_requests_of(asker: str) -> None:
    """By the name or address they were sent with."""

    def forget(entry: Item) -> None:
        request = requests.find(entry["election_name"], entry["request"])
        storage.write(*(requests.forgetting(request) if request else [Delete(Key(entry["PK"], entry["SK"]))]))

    entries = list(table().each(keys.requests_sent_by(asker)))
    process_each(entries, lambda entry: retry_lost_race(partial(forget, entry)))


# --- what the core shows ---


def page_of(name: str, election: Election | None) -> str:
    is_closed = election is not None and not rules.takes_requests(election, now_text())
    return "" if is_closed else path_of("ask_for_help", name)


def waiting_text(number: int) -> str:
    text = ngettext(
        "%(count)d request is waiting for an answer.", "%(count)d requests are waiting for an answer.", number
    )
    return text % {"count": number}


def requests_step(election: Election, so_far: Progress) -> NextStep | None:
    number = requests.waiting_in(so_far.beside.get(keys.help_desk(election.name)))
    button = Button(_("Answer requests"), path_of("requests", election.name))
    return NextStep("requests", waiting_text(number), button) if number else None


def requests_waiting() -> Iterator[str]:
    """In elections that are open or have closed lately."""
    lists = (elections.list_elections(state=state, limit=MAX_ELECTIONS)[0] for state in (State.OPEN, State.CLOSED))
    desks = [keys.help_desk(each.name) for found in lists for each in found]
    number = sum(map(requests.waiting_in, table().get_many(desks).values())) if desks else 0
    if number:
        yield waiting_text(number)
