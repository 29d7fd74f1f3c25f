"""An organiser's own text in invitations and reminders, and who gets the replies.

As with messages, its author must be confirmed by an admin, when writing and when the mails are sent.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import check_confirmed
from acts.storage import now_text, record, table
from elections import actions, repository, rules
from elections.rules import RUNNERS, Action, Election
from mail.emails import Message
from mail.names import isolated
from mail.outbox import Mail
from pages import markdown_cache
from store import keys
from store.log import Event
from store.table import Check, Delete, Exists, Item, Put

from . import wording

MAX_WORDING_CHARS = 2_000
NOBODY, MYSELF, AS_BEFORE = "nobody", "me", "as before"  # who may get the replies


@dataclass(frozen=True, slots=True)
class Person:
    """An organiser by name and account, as a name may be reused."""

    name: str
    account: str


@dataclass(frozen=True, slots=True)
class OwnText:
    """The organiser's text, and who gets the replies if not the site."""

    text: str = ""
    html: SafeString | str = ""
    author: Person | None = None
    answers: Person | None = None


def find(election_name: str) -> OwnText:
    place = keys.invitation_words(election_name)
    if (item := table().get(place)) is None:
        return OwnText()
    html = markdown_cache.load_or_render(place, "text", item["text"], markdown_cache.stored_html(item, "text"))
    return OwnText(item["text"], html, Person(**item["author"]), Person(**item["answers"]) if item["answers"] else None)


# --- saying it ---


def change(actor: User, election: Election, text: str, answers: str = NOBODY) -> None:
    """For confirmed organisers, who can direct replies only to themselves."""
    actions.check(actor, election, Action.WORD_INVITATION)
    check_confirmed(actor.role, actor.confirmed)
    before, author = find(election.name), Person(actor.name, actor.created_at)
    to = {MYSELF: author, AS_BEFORE: before.answers}.get(answers)
    if (text, to) == (before.text, before.answers) and (not text or confirmed_author(before) is not None):
        return
    # The log commits to the text, so that it cannot be replaced later, without repeating it.
    digest = hashlib.sha256(text.encode()).hexdigest()[:32] if text else ""
    event_data = {"election_name": election.name, "words": digest, "answers_to_organiser": to is not None}
    event = Event(actor.name, "InvitationWorded", event_data)
    record(event, _storing(election, text, author, to), Check(keys.election(election.name), Exists()))


def _storing(election: Election, text: str, author: Person, answers: Person | None) -> Put | Delete:
    place = keys.invitation_words(election.name)
    if not text and answers is None:
        return Delete(place)
    fields: Item = {"election_name": election.name, "text": text, "written_at": now_text(), "author": asdict(author)}
    fields |= {"answers": asdict(answers) if answers else None, **markdown_cache.html_attributes("text", text)}
    return Put({"PK": place.pk, "SK": place.sk, **fields})


def copy(owner: User, source: str, draft: Election) -> None:
    """In the name of the person who made the copy, who must be allowed to write to many."""
    before = find(source)
    is_theirs = before.answers == Person(owner.name, owner.created_at)
    if owner.can_write_to_many and (before.text or is_theirs):
        change(owner, draft, before.text, MYSELF if is_theirs else NOBODY)


# --- sending it ---


def confirmed_author(own_text: OwnText) -> User | None:
    """Who wrote them, if they still may write to many: otherwise the mails go out without."""
    person = _current_account(own_text.author) if own_text.text else None
    return person if person is not None and person.can_write_to_many else None


def own_text_message(mail: Mail) -> Message | None:
    own_text = find(mail.about["election_name"])
    if (author := confirmed_author(own_text)) is None:
        return None
    lead = _("%(who)s adds:") % {"who": isolated(wording.person_label(author.name))}
    return Message("", own_text.text, own_text.html, lead)


def reply_address(mail: Mail) -> str:
    """The current address of the organiser who gets the replies, if they still run the election."""
    election = repository.find(mail.about["election_name"])
    return reply_to(election, find(election.name)) if election else ""


def reply_to(election: Election, own_text: OwnText) -> str:
    person = _current_account(own_text.answers)
    if person is None or not person.can_write_to_many:
        return ""
    return person.email if rules.relation(person.name, person.role, election) in RUNNERS else ""


def _current_account(known: Person | None) -> User | None:
    person = people.find(known.name) if known else None
    return person if known and person and person.created_at == known.account else None
