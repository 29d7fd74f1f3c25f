"""Inviting and reminding voters, never twice by accident.

A mailing is a background task. Each batch is a page of the roll: the mails, the marks on voters and the position change
in one transaction. If everybody here may vote, the members follow the roll (`recipients`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace

from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _

from accounts import mail_quota
from accounts import repository as people
from accounts.mail_quota import MailQuota
from accounts.models import User
from elections import actions, repository, rolls, sharding
from elections.rules import Action, Election, State, WrongState, check_listing
from elections.turnout.counts import tells_who, turnout
from foundation.acts import background, storage
from foundation.acts.background import Task, TaskType, finished, wait
from foundation.acts.hooks import Hooks
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table
from foundation.acts.tokens import create_token
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME, Ledger
from foundation.store import keys, sharded_reads
from foundation.store.log import Event
from foundation.store.table import (
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    Missing,
    Page,
    Put,
    Update,
    Write,
)

from . import recipients
from .recipients import NO_MEMBERS, Window
from .voting_link import LINKS

MAILING = TaskType("mail voters", _("Mailing voters"))
NO_MAILS_LEFT_SECONDS = 600  # before checking again whether the organiser may send more
TRANSACTION_VOTERS = 30  # voters of one transaction: three items each
INVITED, REMINDED, TIMED, MESSAGED, ANNOUNCED = "invited", "reminded", "timed", "messaged", "announced"
EMAIL_KINDS = {
    INVITED: "vote_invitation",
    REMINDED: "vote_reminder",
    TIMED: "vote_reminder",
    MESSAGED: "vote_message",
    ANNOUNCED: "vote_result",
}
REMINDER_TO_ALL_KIND = "vote_reminder_to_all"  # a reminder that does not know who has voted
NO_ADDRESS, DUPLICATE = "nowhere", "beyond"  # counted beside the states of mails: see `progress.MailCounts`
COUNTED_STATES = (outbox.QUEUED, outbox.SENT, outbox.FAILED, NO_ADDRESS, DUPLICATE)
REMINDED_ONCE = "reminded_once"  # beside the counted mails, timed reminders among them: who had one that was asked for
FIRST_INVITED = "first_invited"  # beside the counted mails: when members were first invited, where all may vote
OPEN_ELECTORATE_PREFIX = "everybody "  # prefix of the cursor of a mailing that has reached the members
ASKED = "asked"  # in a mail about a ballot: the questions that are for its recipient, if some are not
UNSUBSCRIBE = "silence"  # what the token in a reminder is for
ONE_TIME_KINDS = (INVITED, MESSAGED, ANNOUNCED)  # kinds sent once to everyone on the roll

REMINDING = Hooks[[Election], list[Write]]("in the transaction that reminds voters")


# --- asking for a mailing ---


def invite(actor: User, election: Election) -> None:
    """Mail everyone on the roll who has not been invited yet."""
    actions.check(actor, election, Action.INVITE)
    request_mailing(actor, election, INVITED, Event(actor.name, "VotersInvited", {"election_name": election.name}))


def remind(actor: User, election: Election) -> None:
    """Mail everyone invited who has not voted, been reminded or unsubscribed.

    While it is secret who has voted, voters are mailed too: leaving them out would reveal it.
    """
    actions.check(actor, election, Action.INVITE)
    now = Update(keys.reminders(election.name), set={"last_sent": now_text()})
    event = Event(actor.name, "VotersReminded", {"election_name": election.name})
    request_mailing(actor, election, REMINDED, event, now, *reminder_steps(election))


def reminder_steps(election: Election) -> list[Write]:
    return [write for step in REMINDING for write in step(election)]


def request_mailing(
    actor: User,
    election: Election,
    kind: str,
    event: Event,
    *more: Write,
    message: str = "",
    values: dict[str, str] | None = None,
) -> None:
    """Reserve the mails in the organiser's budget for today and request the mailing."""

    def reserve() -> None:
        budget = mail_quota.quota_today(actor)
        mailing = mailing_of(election, kind, message=message)
        mails = 0 if budget.left is None else due_at_most(mailing, table().get(mailing.counts) or {}) or 0
        budget.check(mails)
        reserved = None if budget.left is None else mails
        task = mailing_task(
            election, kind, actor.name, message=message, reserved=reserved, values=values, window=mailing.window
        )
        record(event, task, *_window_reached(mailing), *more, budget=budget.reserving(mails))

    retry_lost_race(reserve)


def due_at_most(mailing: Mailing, counts: Item) -> int | None:
    """How many voters this mail is for now, by stored counts alone: no request reads a roll. None where every member
    may vote, as nobody counts them.

    Some may get no mail: two have one address, one has unsubscribed, one was reminded after they had voted. What is
    reserved for them is given back when the mailing ends.
    """
    election = mailing.election
    if mailing.is_for_everybody:
        return None
    if mailing.kind in ONE_TIME_KINDS:
        return max(0, election.voter_count - election.by_letter - voters_mailed(counts, mailing.kind))
    are_left = max(0, voters_mailed(counts, INVITED) - voters_mailed(counts, REMINDED))
    if mailing.tells_who:
        return min(are_left, max(0, election.voter_count - turnout(election).voted))
    return are_left


def voters_mailed(counts: Item, kind: str) -> int:
    """How many on the roll have had their turn for this mail."""
    if kind == REMINDED:
        return int(counts.get(REMINDED_ONCE, 0))
    return sum(counts.get(f"{kind}_{state}", 0) for state in COUNTED_STATES)


def forgetting(election: Election, entry: Item) -> list[Write]:
    """That somebody who leaves the roll is no longer counted among those who were mailed."""
    fewer = {f"{INVITED}_{DUPLICATE}": -1} if INVITED in entry else {}
    fewer |= {REMINDED_ONCE: -1} if REMINDED in entry else {}
    return [Update(keys.mail_counts(election.name, election.created_at), add=fewer)] if fewer else []


def _window_reached(mailing: Mailing) -> list[Write]:
    """That the next mailing of this kind is for those who come later; messages store this themselves."""
    if not mailing.is_for_everybody or mailing.kind not in (INVITED, REMINDED):
        return []
    name, before, until = reached_attribute(mailing.kind), mailing.window.after, mailing.window.until
    first = {FIRST_INVITED: until} if mailing.kind == INVITED and not before else {}
    when = Equals(name, before) if before else Missing(name)
    return [Update(mailing.counts, set={name: until, **first}, when=when)]


def reached_attribute(kind: str) -> str:
    """The attribute beside the counted mails that says whom this kind has reached: see `recipients`."""
    return f"{kind}_until"


def mailing_task(
    election: Election,
    kind: str,
    asked_by: str,
    *,
    message: str = "",
    moment: str = "",
    reserved: int | None = None,
    values: dict[str, str] | None = None,
    window: Window | None = None,
) -> Put:
    """The write that requests a mailing; refused while the same one is under way.

    `reserved`: mails of today reserved for it, None without a limit. `values`: shared by all its mails.
    `window`: which members it is for, if already known.
    """
    data: Item = {"election_name": election.name, "created_at": election.created_at}
    data |= {"kind": kind, "message": message, "moment": moment}
    data |= {"asked_by": asked_by, "language": get_language() or "en"} | ({"said": values} if values else {})
    data |= {} if reserved is None else {"reserved": reserved, "day": mail_quota.day_of(now_text())}
    window = window or _window(election, kind, message, moment)
    data |= {} if window == NO_MEMBERS else {"window": list(astuple(window))}
    return MAILING.begin(subject_of(election.name, kind, message), due=now_text(), **data)


def subject_of(election_name: str, kind: str, message: str = "") -> str:
    """Each message that organisers write has a mailing of its own."""
    return " / ".join(filter(None, (election_name, kind, message)))


def _window(election: Election, kind: str, message: str, moment: str) -> Window:
    """Which members a mailing requested now is for, where every member may vote."""
    if election.electorate != "everyone":
        return NO_MEMBERS
    counts = table().get(Mailing(election, kind, "", message).counts) or {}
    return window_of(kind, counts, moment, now_text())


def window_of(kind: str, counts: Item, moment: str, now: str) -> Window:
    """Invitations and messages are for who came since the last one; reminders for who was invited."""
    invited = counts.get(reached_attribute(INVITED), "")
    if kind == TIMED:  # people invited since then have just had a mail
        return Window("", max((each for each in (counts.get(FIRST_INVITED, ""), invited) if each < moment), default=""))
    if kind == ANNOUNCED:
        return Window("", now)
    return Window(counts.get(reached_attribute(kind), ""), invited if kind == REMINDED else now)


def record(event: Event, *writes: Write, budget: Sequence[Write] = ()) -> None:
    """Refused if the mailing is under way or the election was deleted; `LostRace` if the budget changed meanwhile."""
    refusals = dict.fromkeys(range(len(writes) + 1), WrongState(_("These mails are already being sent.")))
    storage.record(event, *writes, _election_exists(event.event_data["election_name"]), *budget, refusals=refusals)


def record_one(actor: User, event: Event, *writes: Write, mails: int = 1) -> None:
    """Like `record`, for a single mail, or a few, of the actor's quota of today."""

    def reserve() -> None:
        budget = mail_quota.quota_today(actor)
        budget.check(mails)
        record(event, *writes, budget=budget.reserving(mails))

    retry_lost_race(reserve)


def _election_exists(election_name: str) -> Check:
    return Check(keys.election(election_name), Exists())


def is_under_way(election: Election, kind: str) -> bool:
    """Whether mails of this kind were asked for and are still being queued."""
    return MAILING.find(subject_of(election.name, kind)) is not None


def resend_invitation(actor: User, election: Election, voter: str, *more: Write) -> None:
    """Invite one voter again; a failed mail no longer counts. A voting link is replaced, and earlier ones end.

    `more` is written with it, and may queue further mails."""
    actions.check(actor, election, Action.INVITE)
    check_listing(election, [voter])
    item = table().get(sharding.voter_key(election, voter))
    if item is None:
        raise WrongState(_("%(name)s is not on the roll.") % {"name": voter})
    name = item["voter_name"]
    if rolls.is_by_number(name):
        raise WrongState(_("%(name)s gets a letter instead of mails.") % {"name": rolls.voter_of(item).label})
    address, display_name = recipients_of([item])[name]
    if not address:
        raise WrongState(_("There is no account named %(name)s, so there is no address to mail.") % {"name": name})
    mailing, email, others = _one_invitation(actor, election, item, item, address, display_name)
    marked = mailing.marked(item, email.item["number"], _unmarked(item, mailing), again=True)
    event = Event(actor.name, "VoterInvitedAgain", {"election_name": election.name, "voter": name})
    mails = 1 + sum(isinstance(each, Put) for each in more)
    record_one(actor, event, email, marked, *others, *more, mails=mails)


def inviting_with(actor: User, election: Election, new: Put, old: Item | None = None) -> list[Write]:
    """A new entry on the roll with its invitation; `old` is the one that it replaces, under another address."""
    old = old or new.item
    address, display_name = recipients_of([new.item])[new.item["voter_name"]]
    _mailing, email, others = _one_invitation(actor, election, old, new.item, address, display_name)
    marked = replace(new, item={**new.item, INVITED: email.item["number"], "invited_at": now_text()})
    return [marked, email, *others]


def _one_invitation(
    actor: User, election: Election, old: Item, new: Item, address: str, display_name: str
) -> tuple[Mailing, Put, list[Write]]:
    """The mail to a voter whose entry was `old`, and what it counts; a failed one is put aside, so that retrying all
    failed mails does not send both."""
    name, mailing = old["voter_name"], Mailing(election, INVITED, actor.name)
    if not mailing.asks(old):
        raise WrongState(_("%(name)s is in none of the groups that may vote.") % {"name": name})
    last = outbox.find(old[INVITED]) if INVITED in old else None
    if last is not None and last.state in (outbox.QUEUED, outbox.SENDING):  # the button was pressed twice
        raise WrongState(_("The last mail to %(name)s is still waiting to be sent.") % {"name": name})
    ledger, about = mailing.ledger(new["voter_name"]), mailing.about(new, display_name)
    email = outbox.queued(EMAIL_KINDS[INVITED], address, ledger, **about)
    before = mailing.ledger(name)
    # One more is queued and, if the previous one failed, one fewer has failed. As many are invited as before.
    has_failed = table().get(before.failure) is not None
    numbers = {before.counted(outbox.QUEUED): 1}
    numbers |= {REMINDED_ONCE: -1} if REMINDED in old.keys() - new.keys() else {}
    if has_failed or INVITED in old:
        numbers[before.counted(outbox.FAILED if has_failed else DUPLICATE)] = -1
    counted: list[Write] = [Update(before.counts, add=numbers)]
    counted += [Delete(before.failure, when=Exists())] if has_failed else []
    invited = invitation(new["voter_name"], actor.name)
    return mailing, email, [*invited, *counted, *outbox.setting_aside(old.get(INVITED, ""))]


# --- the budget of a mailing ---
#
# Mails are reserved when it is requested. Voters added since and automatic reminders use what is left for today; when
# that is used up, it waits for tomorrow.


class BudgetExhausted(Exception):
    """The organiser has used up today's mails."""


@dataclass(frozen=True, slots=True)
class MailBudget:
    """The budget of one mailing."""

    asked_by: str
    day: str  # on which it was filled
    reserved: int | None  # none: without a limit
    today: MailQuota | None  # looked at only where what is reserved might not be enough
    more: int = 0  # than was reserved, to be taken from today

    @property
    def room(self) -> int | None:
        """How many it may queue now; none: any number."""
        if self.reserved is None or (self.today is not None and self.today.left is None):
            return None
        return self.reserved + ((self.today.left or 0) if self.today else 0)

    def without(self, mails: int) -> MailBudget:
        if self.reserved is None:
            return self
        if self.room is not None and mails > self.room:
            raise BudgetExhausted
        own = min(mails, self.reserved)
        return replace(self, reserved=self.reserved - own, more=mails - own)

    def taking(self) -> list[Write]:
        """Refused if others have used up the budget in the meantime."""
        return self.today.reserving(self.more) if self.today else []

    def giving_back(self) -> list[Write]:
        """What is left when the mailing has ended."""
        return mail_quota.returning(self.asked_by, self.day, self.reserved or 0)

    def stored(self) -> Item:
        return {} if self.reserved is None else {"reserved": self.reserved}


def budget_of(mailing: Item, handful: int) -> MailBudget:
    """A mailing without a limit reserves nothing."""
    asked_by, reserved = mailing["asked_by"], mailing.get("reserved")
    is_enough = reserved is None or reserved >= handful
    return MailBudget(
        asked_by, mailing.get("day", ""), reserved, None if is_enough else mail_quota.quota_today_of(asked_by)
    )


# --- what workers do ---


@dataclass(frozen=True, slots=True)
class Mailing:
    """What the mails of one mailing have in common."""

    election: Election
    kind: str
    asked_by: str
    message: str = ""
    moment: str = ""  # of a reminder by the clock
    tells_who: bool = True  # has voted
    values: dict[str, str] = field(default_factory=dict)  # in all its mails
    window: Window = NO_MEMBERS  # which members it is for, where all of them may vote

    def asks(self, voter: Item) -> bool:
        """Whether there is a question for this voter."""
        return bool(self.election.questions_for(rolls.groups_of(voter)))

    @property
    def email_kind(self) -> str:
        return EMAIL_KINDS[self.kind] if self.tells_who or self.kind == INVITED else REMINDER_TO_ALL_KIND

    @property
    def is_for_everybody(self) -> bool:
        return self.election.electorate == "everyone"

    @property
    def mark(self) -> str:
        """The attribute of a voter that says the mail was queued."""
        return f"{self.kind}#{self.message}" if self.message else self.kind

    @property
    def occasion(self) -> str:
        """On which no address is mailed twice."""
        return f"{keys.election(self.election.name).pk}#{self.election.created_at}#{self.mark}#{self.moment}"

    @property
    def counts(self) -> Key:
        """Messages are counted on their own item, all others on one shared item."""
        if self.message:
            return keys.message(self.election.name, self.message)
        return keys.mail_counts(self.election.name, self.election.created_at)

    def ledger(self, voter: str) -> Ledger:
        kind = REMINDED if self.kind == TIMED else self.kind
        return Ledger(self.counts, kind, keys.failed_mail(self.election.name, kind, voter))

    def about(self, voter: Item, display_name: str) -> dict[str, str]:
        more = self.values | ({"message": self.message} if self.message else {})
        more |= {RECIPIENT_NAME: display_name} if display_name else {}
        own = self.election.questions_for(rolls.groups_of(voter))
        more |= {ASKED: "\n".join(each.title for each in own)} if len(own) < len(self.election.questions) else {}
        about = {"election_name": self.election.name, "voter": voter["voter_name"], "invited_by": self.asked_by}
        return {**about, **more}

    def marked(self, item: Item, number: str, when: Condition, *, again: bool = False) -> Update:
        time = {"invited_at": now_text()} if self.kind == INVITED else {}
        ended = (LINKS,) if again else ()
        return Update(Key(item["PK"], item["SK"]), set={self.mark: number, **time}, remove=ended, when=when)


@MAILING.when_restored
def stop(subject: str) -> bool:
    """Organisers can write again to whom it has not reached."""
    table().write(Delete(MAILING.key(subject)))
    return True


@MAILING.step
def mail_batch(task: Task) -> background.Batch:
    """Queue mails for the next voters of the roll, and move on in it; or end the mailing with the roll."""
    data = {**task.data, **task.progress}
    with override(data["language"]):
        try:
            return _next_mails(data)
        except BudgetExhausted:
            return wait(NO_MAILS_LEFT_SECONDS)


def _next_mails(data: Item) -> background.Batch:
    election, kind = repository.find_created(data["election_name"], data["created_at"]), data["kind"]
    budget = budget_of(data, TRANSACTION_VOTERS)
    # results are mailed after the close, everything else while voting is open
    state = election.state(now_text()) if election else State.DRAFT
    is_time = state == State.CLOSED if kind == ANNOUNCED else state in (State.EDITABLE, State.OPEN)
    if election is None or not is_time:
        return finished(*budget.giving_back())
    mailing = mailing_of(election, kind, *(data[name] for name in ("asked_by", "message", "moment")))
    mailing = replace(mailing, values=data.get("said", {}), window=Window(*data.get("window", ())))
    page = _page(mailing, data.get("after"), TRANSACTION_VOTERS)
    due = [place for place, item in enumerate(page.items) if is_due(item, mailing)]
    if budget.room and len(due) > budget.room:  # only as many as it has room to mail
        page = _page(mailing, data.get("after"), due[budget.room])
    mails = _mails_for([item for item in page.items if is_due(item, mailing)], mailing)
    budget = budget.without(sum(isinstance(write, Put) for write in mails))
    if page.cursor:
        return background.Batch([*mails, *budget.taking()], {"after": page.cursor, **budget.stored()})
    return finished(*mails, *budget.taking(), *budget.giving_back())


def _page(mailing: Mailing, after: str | None, limit: int) -> Page:
    """A page of the roll, then of members where all may vote; the cursor's prefix says which."""
    election = mailing.election
    if after is not None and after.startswith(OPEN_ELECTORATE_PREFIX):
        some, cursor = recipients.page_of_members(
            election, limit=limit, cursor=after.removeprefix(OPEN_ELECTORATE_PREFIX) or None
        )
        return Page(some, cursor and f"{OPEN_ELECTORATE_PREFIX}{cursor}")
    page = sharded_reads.page(table(), sharding.roll_spans(election), limit=limit, cursor=after)
    return Page(page.items, OPEN_ELECTORATE_PREFIX) if page.cursor is None and mailing.is_for_everybody else page


def mailing_of(election: Election, kind: str, asked_by: str = "", message: str = "", moment: str = "") -> Mailing:
    """As it would be asked for now."""
    leaves_out_who_voted = kind in (REMINDED, TIMED) or (kind == INVITED and election.electorate == "everyone")
    tells_who_voted = not leaves_out_who_voted or tells_who(election, turnout(election).voted)
    window = _window(election, kind, message, moment)
    return Mailing(election, kind, asked_by, message, moment, tells_who_voted, window=window)


def is_due(voter: Item, mailing: Mailing) -> bool:
    kind, is_reminder = mailing.kind, mailing.kind in (REMINDED, TIMED)
    if "since" in voter:  # a member, where all of them may vote
        if not voter["since"] or not mailing.window.has(voter["since"]):
            return False
        if kind in (MESSAGED, ANNOUNCED):
            return True
        return not (is_reminder and voter["left_alone"]) and not (voter["voted"] and mailing.tells_who)
    if recipients.is_mailed_without_entry(mailing.election, voter["voter_name"]):
        return False
    if rolls.is_by_number(voter["voter_name"]):
        return False  # they get letters
    if kind in ONE_TIME_KINDS:
        return mailing.mark not in voter
    if INVITED not in voter or voter.get("left_alone") or (voter["voted"] and mailing.tells_who):
        return False
    # People invited since the time of the reminder have just had a mail.
    return voter.get("invited_at", "") < mailing.moment if kind == TIMED else REMINDED not in voter


def _mails_for(voters: list[Item], mailing: Mailing) -> list[Write]:
    """A mail, a mark and, for an address without an account, an invitation to the site; one mail per address."""
    if not voters:
        return []
    emails: dict[str, Put] = {}
    writes: list[Write] = []
    mailed_to = recipients_of(voters)
    addresses = [address for address, _display_name in mailed_to.values()]
    left_alone = recipients.opted_out_among(addresses) if mailing.kind == ANNOUNCED else set()
    for item in voters:
        name, (address, display_name) = item["voter_name"], mailed_to[item["voter_name"]]
        about, is_asked = mailing.about(item, display_name), mailing.asks(item)
        email = outbox.queued_once(mailing.occasion, mailing.email_kind, address, mailing.ledger(name), **about)
        number = email.item["number"]
        if "since" not in item:
            writes.append(mailing.marked(item, number, _unmarked(item, mailing)))
            writes += [] if mailing.kind == ANNOUNCED or not is_asked else invitation(name, mailing.asked_by)
        is_mailed = address and address not in left_alone and number not in emails and is_asked
        emails |= {number: email} if is_mailed else {}
    mailed = table().get_many(email.key for email in emails.values()) if emails else {}
    new = [email for email in emails.values() if email.key not in mailed]
    nowhere, counted = sum(not address for address in addresses), mailing.ledger("").counted
    numbers = {counted(outbox.QUEUED): len(new), counted(NO_ADDRESS): nowhere}
    numbers[counted(DUPLICATE)] = len(voters) - len(new) - nowhere
    numbers |= {REMINDED_ONCE: len(voters)} if mailing.kind == REMINDED else {}
    return [*new, *writes, Update(mailing.counts, add=numbers)]


def _unmarked(item: Item, mailing: Mailing) -> Condition:
    """The voter is unchanged since it was read: on the roll, and without a new mark."""
    return Exists() & (Equals(mailing.mark, item[mailing.mark]) if mailing.mark in item else Missing(mailing.mark))


def recipients_of(voters: Sequence[Item]) -> dict[str, tuple[str, str]]:
    """Where each voter is mailed, and how they are called; nowhere, if the account they were listed by is gone."""
    mailed_to = {
        item["voter_name"]: (item["address" if "since" in item else "voter_name"], item.get("display_name", ""))
        for item in voters
    }
    entries = {item["voter_name"]: item for item in voters if "since" not in item}
    places = {name: keys.user(name) for name in entries if rolls.is_by_account(name)}
    found = table().get_many(places.values()) if places else {}
    for name, place in places.items():
        person = people.user_of(found[place]) if place in found else None
        is_theirs = person and rolls.belongs_to(person, entries[name])
        mailed_to[name] = (person.email, person.display_name or name) if person and is_theirs else ("", "")
    return mailed_to


def invitation(voter: str, asked_by: str) -> list[Write]:
    """Lets an address make its account by the link in the mail."""
    fields = {"email": voter, "invited_by": asked_by, "invited_at": now_text()}
    return [Update(keys.invitation(voter), set=fields)] if rolls.is_by_address(voter) else []


# --- unsubscribing from reminders ---


def unsubscribe_token(election_name: str, voter: str) -> str:
    return create_token(UNSUBSCRIBE, election_name, voter)


def unsubscribe(election_name: str, voter: str) -> bool:
    """Stop reminders to this voter about this election; returns whether they are on its roll."""
    own, item = sharding.read_with_entry(election_name, voter)
    if own is None or item is None or item["voter_name"] != voter:
        return False
    if not item.get("left_alone"):
        event = Event(voter, "RemindersDeclined", {"election_name": election_name, "voter_name": voter})
        # unless they unsubscribed twice at the same moment, or left the roll
        storage.try_record(event, declining(repository.election_of(own), voter), _election_exists(election_name))
    return True


def declining(election: Election, voter: str) -> Update:
    is_new = Equals("voter_name", voter) & Missing("left_alone")
    return Update(sharding.voter_key(election, voter), set={"left_alone": True}, when=is_new)
