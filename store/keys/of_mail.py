"""Keys of mail: the outbox, and what an election sends to its voters.

On a distant store mails that are queued are spread over several keys of the index.
The time of a mail that is queued is when it is to be tried; before it stands `0#` if it is urgent.
"""

from __future__ import annotations

from dataclasses import replace

from ..table import Item, Key, Span
from .of_elections import election
from .parts import METADATA, escape, part, shard_of, sharded


def mail(number: str) -> Key:
    return Key(f"MAIL#{escape(number)}", METADATA)


def mails(state: str) -> Span:
    return Span(_in_state(state), index=True)


def _in_state(state: str) -> str:
    return f"MAIL#{state}"


def mail_list(state: str, number: str, shards: int) -> str:
    """Under which key of the index a mail is. Every vote may bring one that waits: more than a single key takes."""
    return sharded(_in_state(state), shard_of(number, shards), shards) if state == "queued" else _in_state(state)


def mails_waiting(shards: int, whole: Span | None = None) -> list[Span]:
    """All mails that wait, or a span of them; those that came from an embedded store are still in one place."""
    whole = whole or mails("queued")
    spread = [replace(whole, pk=sharded(whole.pk, each, shards)) for each in range(shards)]
    return [whole, *spread] if shards > 1 else [whole]


def in_one_list(item: Item) -> Item:
    """A mail that waits in one of several lists, as a store has it that has one; anything else as it is."""
    whole = _in_state("queued")
    return {**item, "GSI1PK": whole} if str(item.get("GSI1PK")).startswith(f"{whole}#") else item


def mail_by_date(queued_at: str, number: str) -> str:
    return f"{queued_at}#{escape(number)}"


URGENT, BEHIND_URGENT, AT_THE_LATEST = "0#", "0$", "~"  # "0#" comes before every time, "~" after what follows one


def mail_by_turn(due: str, number: str, *, urgent: bool) -> str:
    """Where a mail waits that is queued: urgent ones before all others, and each by when it is to be tried."""
    return f"{URGENT if urgent else ''}{due}#{escape(number)}"


def mails_due(moment: str, shards: int, *, urgent: bool) -> list[Span]:
    """What is to be sent by now; what waits for its next try is not even read."""
    first, last = (URGENT, f"{URGENT}{moment}") if urgent else (BEHIND_URGENT, moment)
    return mails_waiting(shards, replace(mails("queued"), first=first, last=f"{last}{AT_THE_LATEST}"))


def mail_server(lane: str) -> Key:
    """There only while the mail server is out of reach."""
    return Key(METADATA, f"MAILSERVER#{escape(lane)}")


def mails_again() -> Key:
    """There while all mails that failed are to be tried again."""
    return Key(METADATA, "MAILSAGAIN")


def bounces_read() -> Key:
    """How far the mailbox of bounces was read."""
    return Key(METADATA, "BOUNCES")


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


def invitation_words(election_name: str) -> Key:
    """What organisers say in the invitation in their own words, and whom answers go to."""
    return Key(election(election_name).pk, "WORDS")


def quiet(address: str) -> Key:
    """There while an address wants no mails about results."""
    return Key(f"QUIET#{part(address)}", METADATA)
