"""Keys of mail: the outbox, and what an election sends to its voters.

| item          | table | PK                 | SK                | GSI1PK / GSI1SK              | read by              |
|---------------|-------|--------------------|-------------------|------------------------------|----------------------|
| mail          | data  | MAIL#{id}          | METADATA          | MAIL#{state} / {time}#{id}   | worker, mail page    |
| mailing       | data  | ELECTION#{name}    | MAILING#{kind}…   | MAILINGS / {time}#{id}       | worker               |
| mail counts   | data  | ELECTION#{name}    | MAILS#{time}      |                              | dashboard            |
| failed mail   | data  | ELECTION#{name}    | FAILED#{kind}#…   |                              | roll                 |
| message       | data  | ELECTION#{name}    | MESSAGE#{digest}  |                              | messages, worker     |
| reminders     | data  | ELECTION#{name}    | REMINDERS         |                              | worker               |
"""

from __future__ import annotations

from ..table import Key, Span
from .of_elections import election
from .parts import METADATA, escape, part


def mail(number: str) -> Key:
    return Key(f"MAIL#{escape(number)}", METADATA)


def mails(state: str) -> Span:
    return Span(f"MAIL#{state}", index=True)


def mail_by_date(queued_at: str, number: str) -> str:
    return f"{queued_at}#{escape(number)}"


MAILINGS = Span("MAILINGS", index=True)


def mailing(election_name: str, kind: str, message: str = "") -> Key:
    """Each message that organisers write has a mailing of its own."""
    return Key(election(election_name).pk, f"MAILING#{kind}#{escape(message)}" if message else f"MAILING#{kind}")


def mailing_by_date(moment: str, number: str) -> str:
    """The number is drawn anew each time, so that a mailing asked for again is told from the one before."""
    return f"{moment}#{escape(number)}"


def mail_counts(election_name: str, created_at: str) -> Key:
    """With the time, so that mails of an election that is gone are not counted for another of its name."""
    return Key(election(election_name).pk, f"MAILS#{created_at}")


def failed_mail(election_name: str, kind: str, voter_name: str) -> Key:
    return Key(election(election_name).pk, f"FAILED#{escape(kind)}#{part(voter_name)}")


def failed_mails(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="FAILED#")


def message(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"MESSAGE#{escape(digest)}")


def messages(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="MESSAGE#")


def reminders(election_name: str) -> Key:
    return Key(election(election_name).pk, "REMINDERS")
