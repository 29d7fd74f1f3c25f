"""Keys of polls.

| item          | table | PK                 | SK                | GSI1PK / GSI1SK              | read by              |
|---------------|-------|--------------------|-------------------|------------------------------|----------------------|
| poll          | data  | POLL#{id}          | METADATA          | POLLS#ENDING / {time}#{id}   | its pages, worker    |
| its maker's   | data  | POLL#{id}          | MADE              | MAKES#{person} / {time}#{id} | my polls             |
| public poll   | data  | POLL#{id}          | LISTED            | POLLS / {time}#{id}          | public polls         |
| poll's gate   | data  | POLL#{id}          | GATE#{nn}         |                              | every vote, results  |
| poll's vote   | data  | POLL#{id}          | VOTE#{vote}       | VOTES#{id} / {time}#{vote}   | voter, count, live   |
| poll's result | data  | POLL#{id}          | RESULT            |                              | poll's results       |
| poll's counts | data  | POLL#{id}          | COUNTED#{nnnn}    |                              | poll's exports       |
| report        | data  | POLL#{id}          | REPORT#{…}        | REPORTS#{id} / {time}#{…}    | reports of a poll    |
| reported poll | data  | POLL#{id}          | REPORTED          | POLLS#REPORTED / {time}#{id} | reported polls       |
| deleted poll  | data  | POLL#{id}          | DELETED           | POLLS#DELETED / {time}#{id}  | worker               |
| short code    | data  | CODE#{code}        | METADATA          |                              | typed code           |
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape, part


def poll(poll_id: str) -> Key:
    return Key(f"POLL#{escape(poll_id)}", METADATA)


def polls_ending(until: str | None = None) -> Span:
    """Polls with an end that are not sealed yet, up to those that ended by then."""
    return Span("POLLS#ENDING", last=None if until is None else f"{until}#~", index=True)


def poll_by_date(moment: str, poll_id: str) -> str:
    return f"{moment}#{escape(poll_id)}"


def made_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "MADE")


def made_by(person: str) -> Span:
    return Span(f"MAKES#{part(person)}", index=True)


PUBLIC_POLLS = Span("POLLS", index=True)


def listed_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "LISTED")


def poll_gate(poll_id: str, number: int) -> Key:
    return Key(poll(poll_id).pk, f"GATE#{number:02d}")


def vote(poll_id: str, vote_id: str) -> Key:
    return Key(poll(poll_id).pk, f"VOTE#{escape(vote_id)}")


def votes(poll_id: str) -> Span:
    return Span(poll(poll_id).pk, prefix="VOTE#")


def votes_by_time(poll_id: str, since: str = "") -> Span:
    """The votes of a poll as they were cast, from a moment on."""
    return Span(f"VOTES#{escape(poll_id)}", first=since or None, index=True)


def poll_result(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "RESULT")


def poll_counted_part(poll_id: str, number: int) -> Key:
    """How often each ranking was cast, some thousands of them."""
    return Key(poll(poll_id).pk, f"COUNTED#{number:04d}")


def poll_counted_parts(poll_id: str) -> Span:
    return Span(poll(poll_id).pk, prefix="COUNTED#")


def report(poll_id: str, report_id: str) -> Key:
    return Key(poll(poll_id).pk, f"REPORT#{escape(report_id)}")


def reports(poll_id: str, since: str = "") -> Span:
    """What people have reported about a poll, as it came, from a moment on."""
    return Span(f"REPORTS#{escape(poll_id)}", first=since or None, index=True)


REPORTED_POLLS = Span("POLLS#REPORTED", index=True)


def reported_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "REPORTED")


DELETED_POLLS = Span("POLLS#DELETED", index=True)


def deleted_poll(poll_id: str) -> Key:
    """Until nothing of a deleted poll is left."""
    return Key(poll(poll_id).pk, "DELETED")


def all_of_poll(poll_id: str) -> Span:
    return Span(poll(poll_id).pk)


def short_code(code: str) -> Key:
    return Key(f"CODE#{escape(code)}", METADATA)
