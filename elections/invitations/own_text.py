"""An organiser's own subject and text in invitations and reminders, and who gets the replies.

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
from elections import actions, repository, rules
from elections.rules import RUNNERS, Action, Election
from foundation.acts.storage import now_text, record, table
from foundation.mail.emails import Mail, Message
from foundation.mail.names import isolated
from foundation.pages import markdown
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Delete, Exists, Item, Put

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
    """The organiser's subject and text, and who gets the replies if not the site."""

    subject: str = ""
    text: str = ""
    html: SafeString | str = ""
    author: Person | None = None
    answers: Person | None = None


def find(election_name: str) -> OwnText:
    place = keys.invitation_words(election_name)
    if (item := table().get(place)) is None:
        return OwnText()
    html = markdown.load_or_render(place, "text", item["text"], markdown.stored_html(item, "text"))
    answers = Person(**item["answers"]) if item["answers"] else None
    return OwnText(item["subject"], item["text"], html, Person(**item["author"]), answers)


# --- saying it ---


def change(actor: User, election: Election, text: str, answers: str = NOBODY, subject: str = "") -> None:
    """For confirmed organisers, who can direct replies only to themselves."""
    actions.check(actor, election, Action.WORD_INVITATION)
    check_confirmed(actor.role, actor.confirmed)
    subject = " ".join(subject.split())  # one line: a mail has no other
    before, author = find(election.name), Person(actor.name, actor.created_at)
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


def copy(owner: User, source: str, draft: Election) -> None:
    """In the name of the person who made the copy, who must be allowed to write to many."""
    before = find(source)
    is_theirs = before.answers == Person(owner.name, owner.created_at)
    if owner.can_write_to_many and (before.subject or before.text or is_theirs):
        change(owner, draft, before.text, MYSELF if is_theirs else NOBODY, before.subject)


# --- sending it ---


def confirmed_author(own_text: OwnText) -> User | None:
    """Who wrote them, if they still may write to many: otherwise the mails go out without."""
    person = _current_account(own_text.author) if own_text.subject or own_text.text else None
    return person if person is not None and person.can_write_to_many else None


def own_text_message(mail: Mail) -> Message | None:
    own_text = find(mail.about["election_name"])
    if (author := confirmed_author(own_text)) is None:
        return None
    lead = _("%(who)s adds:") % {"who": isolated(wording.person_label(author.name))}
    is_reminder = own_text.subject and mail.kind.startswith("vote_reminder")
    subject = _("Reminder: %(subject)s") % {"subject": own_text.subject} if is_reminder else own_text.subject
    return Message(subject, own_text.text, own_text.html, lead)


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
