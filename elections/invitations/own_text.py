"""An organiser's own words in the invitation and the reminders, and who gets the answers to them.

They are one item of the election; mails read it when they are sent. They go to many strangers, so it is with them as
with messages: whoever wrote them must be somebody whom an admin has confirmed, then and when the mails go out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

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
NOBODY, MYSELF, AS_BEFORE = "nobody", "me", "as before"  # whom answers may go to


@dataclass(frozen=True, slots=True)
class Person:
    """An organiser by name and account: the name alone may be somebody else's by now."""

    name: str
    account: str


@dataclass(frozen=True, slots=True)
class Words:
    """What stands between our own sentences, if anything does, and whom answers go to, if to anybody but the site."""

    text: str = ""
    html: SafeString | str = ""
    author: Person | None = None
    answers: Person | None = None


def of(election_name: str) -> Words:
    item = table().get(keys.invitation_words(election_name))
    return _words_of(item) if item else Words()


def _words_of(item: Item) -> Words:
    html = markdown_cache.load_or_render(
        keys.invitation_words(item["election_name"]), "text", item["text"], markdown_cache.stored_html(item, "text")
    )
    return Words(item["text"], html, Person(**item["author"]), Person(**item["answers"]) if item["answers"] else None)


# --- saying it ---


def change(actor: User, election: Election, text: str, answers: str = NOBODY) -> None:
    """For organisers whom an admin has confirmed. Nobody can have answers sent to anybody else than themselves."""
    actions.check(actor, election, Action.WORD_INVITATION)
    check_confirmed(actor.role, actor.confirmed)
    before, author = of(election.name), Person(actor.name, actor.created_at)
    to = {MYSELF: author, AS_BEFORE: before.answers}.get(answers)
    if (text, to) == (before.text, before.answers) and (not text or writer(before) is not None):
        return
    said = {"words": _digest(text), "answers_to_organiser": to is not None}
    event = Event(actor.name, "InvitationWorded", {"election_name": election.name, **said})
    record(event, _kept(election, text, author, to), Check(keys.election(election.name), Exists()))


def _digest(text: str) -> str:
    """The log says that there were words, and nobody can later give others out for them; it does not repeat them."""
    return hashlib.sha256(text.encode()).hexdigest()[:32] if text else ""


def _kept(election: Election, text: str, author: Person, answers: Person | None) -> Put | Delete:
    place = keys.invitation_words(election.name)
    if not text and answers is None:
        return Delete(place)
    people_named = {"author": _stored(author), "answers": _stored(answers) if answers else None}
    said = {"election_name": election.name, "text": text, "written_at": now_text(), **people_named}
    return Put({"PK": place.pk, "SK": place.sk, **said, **markdown_cache.html_attributes("text", text)})


def _stored(person: Person) -> Item:
    return {"name": person.name, "account": person.account}


def copy(owner: User, source: str, draft: Election) -> None:
    """As the words of whoever made the copy, who must be somebody that may write to many."""
    before = of(source)
    is_theirs = before.answers == Person(owner.name, owner.created_at)
    if owner.can_write_to_many and (before.text or is_theirs):
        change(owner, draft, before.text, MYSELF if is_theirs else NOBODY)


# --- sending it ---


def writer(words: Words) -> User | None:
    """Who wrote them, if they still may write to many: otherwise the mails go out without."""
    person = _still_here(words.author) if words.text else None
    return person if person is not None and person.can_write_to_many else None


def written(mail: Mail) -> Message | None:
    words = of(mail.about["election_name"])
    if (author := writer(words)) is None:
        return None
    lead = _("%(who)s adds:") % {"who": isolated(wording.shown_name(author.name))}
    return Message("", words.text, words.html, lead)


def reply_address(mail: Mail) -> str:
    """The address of the organiser who gets the answers, as it is now; nobody's who no longer runs the election."""
    election = repository.find(mail.about["election_name"])
    return answering(election, of(election.name)) if election else ""


def answering(election: Election, words: Words) -> str:
    person = _still_here(words.answers)
    if person is None or not person.can_write_to_many:
        return ""
    return person.email if rules.relation(person.name, person.role, election) in RUNNERS else ""


def _still_here(known: Person | None) -> User | None:
    person = people.find(known.name) if known else None
    return person if known and person and person.created_at == known.account else None
