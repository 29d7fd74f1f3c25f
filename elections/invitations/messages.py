"""Messages from organisers to all voters.

Mails only refer to the message. Its digest identifies it: sending the same text again reaches only those who have not
had it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.rules import check_confirmed
from elections import actions
from elections.rules import Action, Election, WrongState
from foundation.acts.storage import now_text, table
from foundation.mail.emails import Mail, Message, NothingToSay
from foundation.pages import markdown
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Item, Key, Update

from . import mailing
from .mailing import MESSAGED, reached_attribute
from .progress import MailCounts, counts_of

MAX_SUBJECT_CHARS = 120
MAX_MESSAGE_CHARS = 5_000
MAX_MESSAGES_PER_ELECTION = 20


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message, and how far it has got."""

    subject: str
    text: str
    written_by: str
    written_at: datetime
    mails: MailCounts
    html: SafeString  # of the text


def send(actor: User, election: Election, subject: str, text: str) -> None:
    """Mail it to everyone on the roll who has not had it; for organisers confirmed by an admin."""
    check_confirmed(actor.role, actor.confirmed)
    mail_all(actor, election, subject, text)


def mail_all(actor: User, election: Election, subject: str, text: str) -> None:
    """As `send`, in words that are the actor's to choose or ours."""
    actions.check(actor, election, Action.INVITE)
    subject = " ".join(subject.split())  # one line: a mail has no other
    digest = hashlib.sha256("\0".join((election.created_at, subject, text)).encode()).hexdigest()[:32]
    place, now = keys.message(election.name, digest), now_text()
    earlier = {item["SK"] for item in table().page(keys.messages(election.name), limit=MAX_MESSAGES_PER_ELECTION).items}
    if len(earlier) >= MAX_MESSAGES_PER_ELECTION and place.sk not in earlier:
        raise WrongState(_("An election has at most %(most)d messages.") % {"most": MAX_MESSAGES_PER_ELECTION})
    content = {"subject": subject, "text": text, "written_by": actor.name, "written_at": now}
    content |= {reached_attribute(MESSAGED): now, **markdown.html_attributes("text", text)}
    event_data = {"election_name": election.name, "subject": subject, "message": digest}
    event = Event(actor.name, "VotersMessaged", event_data | {"on_roll": election.voter_count})
    mailing.request_mailing(actor, election, MESSAGED, event, Update(place, set=content), message=digest)


def list_messages(election: Election) -> list[SentMessage]:
    """The newest first."""
    items = table().page(keys.messages(election.name), limit=MAX_MESSAGES_PER_ELECTION + 1).items
    found = [
        SentMessage(
            item["subject"],
            item["text"],
            item["written_by"],
            datetime.fromisoformat(item["written_at"]),
            counts_of(item, MESSAGED),
            _html(item),
        )
        for item in items
    ]
    return sorted(found, key=lambda each: each.written_at, reverse=True)


def _html(item: Item) -> SafeString:
    return markdown.load_or_render(
        Key(item["PK"], item["SK"]), "text", item["text"], markdown.stored_html(item, "text")
    )


def message_content(mail: Mail) -> Message:
    """The message a mail refers to; raises once the election is gone."""
    name = mail.about["election_name"]
    place, election = keys.message(name, mail.about["message"]), keys.election(name)
    found = table().get_many([place, election])
    if place not in found or election not in found:
        raise NothingToSay
    item = found[place]
    return Message(f"{name}: {item['subject']}", item["text"], _html(item))
