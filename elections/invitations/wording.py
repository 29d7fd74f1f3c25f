"""What invitations and reminders say: who invites, to what and until when, in mails as on pages; an organiser's own
subject and text; and who gets the replies.

As with messages, the author of a text must be confirmed by an admin, when writing and when the mails are sent.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice

from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.models import User
from accounts.policy import InvitationReason
from accounts.rules import check_confirmed
from elections import actions, repository, rolls, rules
from elections.rules import RUNNERS, Action, Election, State
from foundation.acts.storage import now_text, record, table
from foundation.mail.emails import Mail, Message
from foundation.mail.names import isolated
from foundation.pages import markdown
from foundation.pages.times import UnknownZone, local_time, moment_text, moment_with_zone
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Delete, Exists, Item, Put

from .mailing import INVITED

Times = tuple[datetime | None, datetime | None, str]

MAX_LISTED_ELECTIONS = 5
MAX_WORDING_CHARS = 2_000
NOBODY, MYSELF, AS_BEFORE = "nobody", "me", "as before"  # who may get the replies
INVITES = gettext_noop("%(who)s invites you to vote in the election “%(election)s”.")


def email_values(election: Election, asked_by: str, now: str, own: list[str] | None = None) -> dict[str, str]:
    """What the sentences of a mail or a page name; `own` are the questions of a voter who is not asked all of them."""
    begins, ends, zone_name = _times(election, now)
    if begins:
        deadline = _when((begins, ends, zone_name), with_place=False)
    else:
        deadline = _("by %(end)s") % {"end": _moment(ends, zone_name)} if ends else _("now")
    return {
        "who": person_label(asked_by or election.owner_name),
        "election": election.name,
        "questions": "\n".join(own or [each.title for each in election.questions if election.more]),
        "deadline": deadline,  # for the subject of a mail, which asks people to vote
        "window": window(election, now),
    }


def sentences(election: Election, asked_by: str, now: str) -> tuple[str, ...]:
    """As the invitation begins, for the page behind its link."""
    who = person_label(asked_by or election.owner_name)
    is_over, times = election.state(now) == State.CLOSED, _times(election, now)
    return _sentences(who, election.name, is_over, times, get_language())


@lru_cache(1000)  # as voters of as many elections are asked
def _sentences(who: str, name: str, is_over: bool, times: Times, language: str | None) -> tuple[str, ...]:
    """In the language that is spoken here."""
    asks = _(INVITES) % {"who": isolated(who), "election": isolated(name)}
    return asks, isolated(_window(is_over, times))


def person_label(name: str) -> str:
    """The organiser's display name; the account name if they have none or are gone."""
    person = people.find(name)
    return person.display_name if person is not None and person.display_name else name


def window(election: Election, now: str) -> str:
    """A sentence: when one can vote."""
    return _window(election.state(now) == State.CLOSED, _times(election, now))


def _window(is_over: bool, times: Times) -> str:
    return _("Voting has ended.") if is_over else _("You can vote %(when)s.") % {"when": _when(times, with_place=True)}


def _times(election: Election, now: str) -> Times:
    """The start, if still to come, the end, and the time zone."""
    is_to_come = election.no_voting_before is not None and election.no_voting_before > now
    return election.begins if is_to_come else None, election.ends, election.time_zone


def _when(times: Times, *, with_place: bool) -> str:
    begins, ends, zone_name = times
    begin, end = _moment(begins, zone_name), _moment(ends, zone_name, with_place=with_place)
    if begin and end:
        return _("from %(begin)s until %(end)s") % {"begin": begin, "end": end}
    if begin:
        begin = _moment(begins, zone_name, with_place=with_place)
        return _("from %(begin)s until it is closed") % {"begin": begin}
    return _("until %(end)s") % {"end": end} if end else _("until it is closed")


def _moment(moment: datetime | None, zone_name: str, *, with_place: bool = False) -> str:
    return "" if moment is None else _moment_text(moment, zone_name, with_place, get_language())


@lru_cache(1000)  # formatted moments, about one per election
def _moment_text(moment: datetime, zone_name: str, with_place: bool, language: str | None) -> str:
    """In the language that is spoken here."""
    try:
        return moment_with_zone(moment, zone_name) if with_place else moment_text(local_time(moment, zone_name))
    except UnknownZone:  # the zone is missing on this machine: fall back to UTC
        return moment_text(moment.astimezone(UTC))


# --- on the page behind the link of the mail, in its own words ---


def invitations_of(email: str) -> list[InvitationReason]:
    """The open elections on whose rolls the address is, the newest first."""
    listed = rolls.newest_entries(keys.elections_of_voter(email))
    entries = {keys.election(each["election_name"]): each for each in listed}
    found = table().get_many(entries) if entries else {}
    there = [(repository.election_of(found[place]), entry) for place, entry in entries.items() if place in found]
    now, states = now_text(), (State.EDITABLE, State.OPEN)
    there = [(each, entry) for each, entry in there if each.questions_for(rolls.groups_of(entry))]
    open_ = islice(((each, entry) for each, entry in there if each.state(now) in states), MAX_LISTED_ELECTIONS)
    return [InvitationReason(each.name, invitation_sentences(each, entry.get(INVITED, ""))) for each, entry in open_]


def invitation_sentences(election: Election, invitation: str = "") -> tuple[str, ...]:
    """Who invites, to what, until when: the sender of that invitation, or the owner."""
    return sentences(election, _sender(invitation), now_text())


def inviter_of(election: Election, invitation: str) -> str:
    return person_label(_sender(invitation) or election.owner_name)


def _sender(invitation: str) -> str:
    mail: Item = (table().get(keys.mail(invitation)) if invitation else None) or {}
    return str(mail.get("about", {}).get("invited_by", ""))


# --- an organiser's own text ---


@dataclass(frozen=True, slots=True)
class Person:
    """An organiser by name and account, as a name may be reused."""

    name: str
    account: str


@dataclass(frozen=True, slots=True)
class OwnText:
    """The organiser's subject and text, and who gets the replies if not the site."""

    subject: str = ""
    text: str = ""
    html: SafeString | str = ""
    author: Person | None = None
    answers: Person | None = None


def find_own_text(election_name: str) -> OwnText:
    place = keys.invitation_words(election_name)
    if (item := table().get(place)) is None:
        return OwnText()
    html = markdown.load_or_render(place, "text", item["text"], markdown.stored_html(item, "text"))
    answers = Person(**item["answers"]) if item["answers"] else None
    return OwnText(item["subject"], item["text"], html, Person(**item["author"]), answers)


def change_own_text(actor: User, election: Election, text: str, answers: str = NOBODY, subject: str = "") -> None:
    """For confirmed organisers, who can direct replies only to themselves."""
    actions.check(actor, election, Action.WORD_INVITATION)
    check_confirmed(actor.role, actor.confirmed)
    subject = " ".join(subject.split())  # one line: a mail has no other
    before, author = find_own_text(election.name), Person(actor.name, actor.created_at)
    to = {MYSELF: author, AS_BEFORE: before.answers}.get(answers)
    written, is_same = "\n\n".join(filter(None, (subject, text))), (subject, text) == (before.subject, before.text)
    if is_same and to == before.answers and (not written or confirmed_author(before) is not None):
        return
    # The log commits to what was written, so that it cannot be replaced later, without repeating it.
    digest = hashlib.sha256(written.encode()).hexdigest()[:32] if written else ""
    event_data = {"election_name": election.name, "words": digest, "answers_to_organiser": to is not None}
    event = Event(actor.name, "InvitationWorded", event_data)
    record(
        event, _storing(election, OwnText(subject, text, "", author, to)), Check(keys.election(election.name), Exists())
    )


def _storing(election: Election, new: OwnText) -> Put | Delete:
    place = keys.invitation_words(election.name)
    if not (new.subject or new.text or new.answers):
        return Delete(place)
    fields: Item = {name: value for name, value in asdict(new).items() if name != "html"}
    fields |= {"election_name": election.name, "written_at": now_text()}
    return Put({"PK": place.pk, "SK": place.sk, **fields, **markdown.html_attributes("text", new.text)})


def copy_own_text(owner: User, source: str, draft: Election) -> None:
    """In the name of the person who made the copy, who must be allowed to write to many."""
    before = find_own_text(source)
    is_theirs = before.answers == Person(owner.name, owner.created_at)
    if owner.can_write_to_many and (before.subject or before.text or is_theirs):
        change_own_text(owner, draft, before.text, MYSELF if is_theirs else NOBODY, before.subject)


def confirmed_author(own_text: OwnText) -> User | None:
    """Who wrote them, if they still may write to many: otherwise the mails go out without."""
    person = _current_account(own_text.author) if own_text.subject or own_text.text else None
    return person if person is not None and person.can_write_to_many else None


def own_text_message(mail: Mail) -> Message | None:
    own_text = find_own_text(mail.about["election_name"])
    if (author := confirmed_author(own_text)) is None:
        return None
    lead = _("%(who)s adds:") % {"who": isolated(person_label(author.name))}
    is_reminder = own_text.subject and mail.kind.startswith("vote_reminder")
    subject = _("Reminder: %(subject)s") % {"subject": own_text.subject} if is_reminder else own_text.subject
    return Message(subject, own_text.text, own_text.html, lead)


def reply_address(mail: Mail) -> str:
    """The current address of the organiser who gets the replies, if they still run the election."""
    election = repository.find(mail.about["election_name"])
    return reply_to(election, find_own_text(election.name)) if election else ""


def reply_to(election: Election, own_text: OwnText) -> str:
    person = _current_account(own_text.answers)
    if person is None or not person.can_write_to_many:
        return ""
    return person.email if rules.relation(person.name, person.role, election) in RUNNERS else ""


def _current_account(known: Person | None) -> User | None:
    person = people.find(known.name) if known else None
    return person if known and person and person.created_at == known.account else None
