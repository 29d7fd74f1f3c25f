"""The schema on one screen: every key there is, and who reads by it. No other module builds a key.

A name becomes part of a key only through `part`, which folds it (so that "Ada" and "ADA" are one person) and escapes it
(so that no name can forge a `#` or run into another's keys). Attributes keep the name as it was typed.

| item          | table | PK                 | SK                | GSI1PK / GSI1SK              | read by              |
|---------------|-------|--------------------|-------------------|------------------------------|----------------------|
| person        | data  | USER#{name}        | METADATA          | {email} / USER#{name}        | every signed-in page |
| factors       | data  | USER#{name}        | FACTORS           |                              | second step          |
| email guard   | data  | EMAIL#{email}      | METADATA          |                              | sign-in, joining     |
| people list   | data  | PEOPLE             | {name}            | ROLE#{role} / {name}         | people list          |
| owner mark    | data  | METADATA           | OWNER             |                              | joining, hand-over   |
| session       | data  | SESSIONS#{name}    | {digest}          |                              | every signed-in page |
| throttle      | data  | THROTTLE#{digest}  | {window}          |                              | sign-in, other forms |
| registration  | data  | PENDING#{id}       | METADATA          |                              | mailed link          |
| invitation    | data  | INVITATION#{email} | METADATA          | INVITATIONS / {time}#{email} | mailed link, admins  |
| mail          | data  | MAIL#{id}          | METADATA          | MAIL#{state} / {time}#{id}   | worker, mail page    |
| leaving       | data  | LEAVING#{who}      | METADATA          | LEAVING / {name}             | worker, joining      |
| names' rule   | data  | METADATA           | NAMES             |                              | joining, old rolls   |
| election      | data  | ELECTION#{name}    | METADATA          | ELECTIONS / {time}#{name}    | its pages            |
| election list | data  | ELECTIONS          | {name}            | ELECTIONS#{state} / {time}#… | election lists       |
| manager       | data  | ELECTION#{name}    | MANAGER#{person}  | RUNS#{person} / {time}#…     | home, my elections   |
| candidate     | data  | ELECTION#{name}    | CANDIDATE#{name}  |                              | election, ballot     |
| voter         | data  | ELECTION#{name}    | VOTER#{name}      | VOTER#{name} / {time}#…      | home, roll, ballot   |
| for everyone  | data  | ELECTION#{name}    | EVERYONE          | EVERYONE / {time}#…          | home                 |
| mailing       | data  | ELECTION#{name}    | MAILING#{kind}    | MAILINGS / {time}#{id}       | worker               |
| mail counts   | data  | ELECTION#{name}    | MAILS#{time}      |                              | dashboard            |
| failed mail   | data  | ELECTION#{name}    | FAILED#{kind}#…   |                              | roll                 |
| message       | data  | ELECTION#{name}    | MESSAGE#{digest}  |                              | messages, worker     |
| reminders     | data  | ELECTION#{name}    | REMINDERS         |                              | worker               |
| import        | data  | ELECTION#{name}    | IMPORT#{digest}   | IMPORTS / {time}#{digest}    | import, worker       |
| import's rows | data  | ELECTION#{name}    | IMPORTED#{…}#{nn} |                              | import               |
| to be filled  | data  | ELECTION#{name}    | FILLING           | FILLING / {time}#{name}      | worker               |
| old name      | data  | ELECTION#{name}    | RENAMED           | RENAMED / {time}#{name}      | worker, new drafts   |
| deleted       | data  | ELECTION#{name}    | DELETED           | DELETED / {time}#{name}      | worker, new drafts   |
| gate          | data  | ELECTION#{name}    | GATE#{nn}         |                              | every cast, turnout  |
| salt          | data  | ELECTION#{name}    | SALT              |                              | secret ballots       |
| lots' secret  | data  | ELECTION#{name}    | LOTS              |                              | sealing a result     |
| ballot        | data  | ELECTION#{name}    | BALLOT#{voter}    | BALLOTS#{name} / {time}#…    | receipt, count, live |
| secret ballot | data  | ELECTION#{name}    | BALLOT#{…}        |                              | receipt, count       |
| published     | data  | ELECTION#{name}    | PUBLISHED#{nnnn}  |                              | ballots, exports     |
| result        | data  | ELECTION#{name}    | RESULT            |                              | results page         |
| result's text | data  | ELECTION#{name}    | RESULT#{nnnn}     |                              | results page         |
| rankings      | data  | ELECTION#{name}    | COUNTED#{nnnn}    |                              | what if, recount     |
| to be sealed  | data  | ELECTION#{name}    | SEALING           | SEALING / {time}#…           | worker               |
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
| counts        | data  | METADATA           | COUNTS            |                              | home page            |
| sync state    | data  | METADATA           | SYNC              |                              | sealer, /readyz      |
| restoring     | data  | METADATA           | RESTORING         |                              | backup, restore      |
| pause         | data  | METADATA           | PAUSE             |                              | every process        |
| figures       | data  | METADATA           | FIGURES           |                              | admin overview       |
| day's figures | data  | METADATA           | FIGURES#{day}     |                              | admin overview       |
| form sent     | data  | ONCE#{token}       | METADATA          |                              | a form sent again    |
| lease         | data  | LEASE#{job}        | METADATA          |                              | worker               |
| nightly mail  | data  | METADATA           | NIGHTLY           |                              | worker               |
| to forget     | data  | METADATA           | FORGETTING        |                              | worker               |
| emptied boxes | data  | METADATA           | EMPTIED           |                              | worker               |
| event         | log   | EVENTS             | {sequence}#{time} |                              | sealer, verify       |
| event number  | log   | SEQUENCE           | METADATA          |                              | every recorded act   |
| void number   | log   | VOID#{sequence}    | METADATA          |                              | every recorded act   |
| checkpoint    | log   | CHECKPOINTS        | {sequence}        |                              | sealer, verify       |
| public one    | log   | PUBLIC             | {sequence}        |                              | checkpoints, bundle  |
| publishing    | log   | PUBLISHING         | METADATA          |                              | sealer               |
| log's index   | log   | BY#{kind}#{name}   | {first sequence}  |                              | event log, history   |
| log's moments | log   | MOMENTS            | {first sequence}  |                              | event log, history   |
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from .table import LOG, Invalid, Key, Span

METADATA = "METADATA"
DIGITS = 12
LONGEST_PART = 800
LONGEST_KNOWN = 300  # letters of a name whose part of a key is remembered: no true name is longer

_ESCAPED = re.compile(r"[#%\x00-\x1f\x7f-\x9f]")
_SPACE = re.compile(r"\s+")


def fold(name: str) -> str:
    """The form under which two spellings of a name are the same: white space collapsed, case folded, composed."""
    if name.isascii():  # most names are, and then folding is lower case
        return " ".join(name.lower().split())
    apart = unicodedata.normalize("NFD", _SPACE.sub(" ", name).strip())
    return unicodedata.normalize("NFC", apart.casefold())


def escape(text: str) -> str:
    """The text with `#`, `%` and control characters written as %XX, so that it can stand between two `#` of a key."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def part(name: str) -> str:
    """A name as it stands in a key. One that would outgrow DynamoDB's sort key ends in its digest instead."""
    return _known_part(name) if len(name) <= LONGEST_KNOWN else _part(name)


def _part(name: str) -> str:
    text = escape(fold(name))
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raise Invalid("A name must be valid Unicode.") from None
    if len(raw) <= LONGEST_PART:
        return text
    return f"{raw[: LONGEST_PART - 66].decode(errors='ignore')}%~{hashlib.sha256(raw).hexdigest()}"


_known_part = lru_cache(maxsize=4096)(_part)  # one act names the same few elections and people again and again


def sequence(number: int) -> str:
    """A number so written that the order of the strings is the order of the numbers."""
    if not 0 <= number < 10**DIGITS:
        raise ValueError(f"Event numbers have at most {DIGITS} digits.")
    return f"{number:0{DIGITS}d}"


# --- people ---


def user(name: str) -> Key:
    return Key(f"USER#{part(name)}", METADATA)


def users_by_email(email: str) -> Span:
    return Span(part(email), index=True)


def email(address: str) -> Key:
    return Key(f"EMAIL#{part(address)}", METADATA)


def listed_person(name: str) -> Key:
    return Key("PEOPLE", part(name))


def people(prefix: str = "") -> Span:
    return Span("PEOPLE", prefix=part(prefix))


def role(name: str) -> str:
    """The index partition of everybody who has the role."""
    return f"ROLE#{name}"


def people_with_role(name: str, prefix: str = "") -> Span:
    return Span(role(name), prefix=part(prefix), index=True)


def owner() -> Key:
    return Key(METADATA, "OWNER")


def session(name: str, digest: str) -> Key:
    """Of somebody who is not signed in yet, the name is empty."""
    return Key(f"SESSIONS#{part(name)}", digest)


def sessions(name: str) -> Span:
    return Span(f"SESSIONS#{part(name)}")


def throttle(digest: str, window: int) -> Key:
    return Key(f"THROTTLE#{digest}", str(window))


def registration(number: str) -> Key:
    return Key(f"PENDING#{escape(number)}", METADATA)


def invitation(address: str) -> Key:
    return Key(f"INVITATION#{part(address)}", METADATA)


INVITATIONS = Span("INVITATIONS", index=True)


def mail(number: str) -> Key:
    return Key(f"MAIL#{escape(number)}", METADATA)


def mails(state: str) -> Span:
    return Span(f"MAIL#{state}", index=True)


LEAVING = Span("LEAVING", index=True)


def leaving(name_or_email: str) -> Key:
    """Somebody who was removed and whose things are still being put in order: once by name, once by address."""
    return Key(f"LEAVING#{part(name_or_email)}", METADATA)


def names_rule() -> Key:
    """Since when an entry on a roll says which account of a name it was made for."""
    return Key(METADATA, "NAMES")


def factors(name: str) -> Key:
    """Everything somebody can take the second step of signing in with."""
    return Key(f"USER#{part(name)}", "FACTORS")


# --- elections ---


def election(name: str) -> Key:
    return Key(f"ELECTION#{part(name)}", METADATA)


ELECTIONS = Span("ELECTIONS", index=True)


def listed_election(name: str) -> Key:
    return Key("ELECTIONS", part(name))


def elections(prefix: str = "") -> Span:
    return Span("ELECTIONS", prefix=part(prefix))


def elections_in_state(state: str) -> Span:
    return Span(f"ELECTIONS#{state}", index=True)


def by_date(created_at: str, name: str) -> str:
    """The sort key of an election in every list by date."""
    return f"{created_at}#{part(name)}"


def manager(election_name: str, person: str) -> Key:
    return Key(election(election_name).pk, f"MANAGER#{part(person)}")


def run_by(person: str) -> Span:
    return Span(f"RUNS#{part(person)}", index=True)


def candidate(election_name: str, name: str) -> Key:
    return Key(election(election_name).pk, f"CANDIDATE#{part(name)}")


def candidates(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="CANDIDATE#")


def voter(election_name: str, name: str) -> Key:
    return Key(election(election_name).pk, f"VOTER#{part(name)}")


def voters(election_name: str, prefix: str = "") -> Span:
    return Span(election(election_name).pk, prefix=f"VOTER#{part(prefix)}")


def elections_of_voter(name: str) -> Span:
    return Span(f"VOTER#{part(name)}", index=True)


MAILINGS = Span("MAILINGS", index=True)


def mailing(election_name: str, kind: str) -> Key:
    return Key(election(election_name).pk, f"MAILING#{kind}")


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


def voter_import(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"IMPORT#{escape(digest)}")


def voter_imports(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="IMPORT#")


def imported_rows(election_name: str, digest: str, number: int) -> Key:
    return Key(election(election_name).pk, f"IMPORTED#{escape(digest)}#{number:05d}")


IMPORTS = Span("IMPORTS", index=True)
FILLING = Span("FILLING", index=True)


def filling(election_name: str) -> Key:
    """Until everything that a draft was made from is in it."""
    return Key(election(election_name).pk, "FILLING")


RENAMED = Span("RENAMED", index=True)


def renamed(election_name: str) -> Key:
    """Under the old name, until everything is under the new one."""
    return Key(election(election_name).pk, "RENAMED")


DELETED = Span("DELETED", index=True)


def deleted(election_name: str) -> Key:
    """Of an election that is gone, until nothing it had is left."""
    return Key(election(election_name).pk, "DELETED")


FOR_EVERYONE = Span("EVERYONE", index=True)


def for_everyone(election_name: str) -> Key:
    return Key(election(election_name).pk, "EVERYONE")


def gate(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"GATE#{number:02d}")


def salt(election_name: str) -> Key:
    return Key(election(election_name).pk, "SALT")


def lots(election_name: str) -> Key:
    """The secret to which an open election is committed; gone when it is told, with the result."""
    return Key(election(election_name).pk, "LOTS")


def ballot(election_name: str, voter: str) -> Key:
    """Of a secret ballot, the voter is a pseudonym."""
    return Key(election(election_name).pk, f"BALLOT#{part(voter)}")


def ballots(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="BALLOT#")


def ballots_by_time(election_name: str, since: str = "") -> Span:
    """The ballots of a live election as they were cast, from a moment on."""
    return Span(f"BALLOTS#{part(election_name)}", first=since or None, index=True)


def published(election_name: str, number: int) -> Key:
    """Some ballots of a closed election, sorted by their codes."""
    return Key(election(election_name).pk, f"PUBLISHED#{number:04d}")


def all_published(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="PUBLISHED#")


def result(election_name: str) -> Key:
    return Key(election(election_name).pk, "RESULT")


def result_part(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"RESULT#{number:04d}")


def result_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="RESULT#")


def counted_part(election_name: str, number: int) -> Key:
    """How often each ranking was cast, some thousands of them."""
    return Key(election(election_name).pk, f"COUNTED#{number:04d}")


def counted_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="COUNTED#")


SEALING = Span("SEALING", index=True)


def sealing(election_name: str) -> Key:
    return Key(election(election_name).pk, "SEALING")


def all_of_election(election_name: str) -> Span:
    return Span(election(election_name).pk)


# --- polls ---


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


def listed_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "LISTED")


PUBLIC_POLLS = Span("POLLS", index=True)


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


def reported_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "REPORTED")


REPORTED_POLLS = Span("POLLS#REPORTED", index=True)


DELETED_POLLS = Span("POLLS#DELETED", index=True)


def deleted_poll(poll_id: str) -> Key:
    """Until nothing of a deleted poll is left."""
    return Key(poll(poll_id).pk, "DELETED")


def all_of_poll(poll_id: str) -> Span:
    return Span(poll(poll_id).pk)


def short_code(code: str) -> Key:
    return Key(f"CODE#{escape(code)}", METADATA)


# --- the site ---


def counts() -> Key:
    return Key(METADATA, "COUNTS")


def sync() -> Key:
    return Key(METADATA, "SYNC")


def restoring() -> Key:
    """There only while a restore or a transfer into this store has not come to its end."""
    return Key(METADATA, "RESTORING")


def pause() -> Key:
    """There only while the site is paused."""
    return Key(METADATA, "PAUSE")


def figures() -> Key:
    """How many people have which role and how many elections are in which state, as far as the log is counted."""
    return Key(METADATA, "FIGURES")


def figures_of_day(day: str) -> Key:
    return Key(METADATA, f"FIGURES#{day}")


def figures_of_days(first: str, last: str) -> Span:
    """From one day to another, both included."""
    return Span(METADATA, first=f"FIGURES#{first}", last=f"FIGURES#{last}")


def once(token: str) -> Key:
    return Key(f"ONCE#{escape(token)}", METADATA)


def lease(job: str) -> Key:
    """Who of all workers is at the job just now."""
    return Key(f"LEASE#{escape(job)}", METADATA)


def nightly() -> Key:
    """Which checkpoint was mailed last, and on which day."""
    return Key(METADATA, "NIGHTLY")


def forgetting() -> Key:
    """There while something was deleted that may still be found in the store's files."""
    return Key(METADATA, "FORGETTING")


def emptied() -> Key:
    """How far the ballot boxes of secret elections are emptied that an earlier version has sealed."""
    return Key(METADATA, "EMPTIED")


# --- the event log ---


def event(number: int, when: str) -> Key:
    return Key("EVENTS", f"{sequence(number)}#{when}", LOG)


def events(first: int = 0, last: int | None = None) -> Span:
    """The events numbered `first` to `last`, both included."""
    return Span("EVENTS", first=sequence(first), last=None if last is None else f"{sequence(last)}#~", table=LOG)


def event_number() -> Key:
    return Key("SEQUENCE", METADATA, LOG)


def void(number: int) -> Key:
    return Key(f"VOID#{sequence(number)}", METADATA, LOG)


def checkpoint(number: int) -> Key:
    return Key("CHECKPOINTS", sequence(number), LOG)


def checkpoints(first: int = 0, last: int | None = None) -> Span:
    return Span("CHECKPOINTS", first=sequence(first), last=None if last is None else sequence(last), table=LOG)


def public_checkpoint(number: int) -> Key:
    """A checkpoint as everybody may see it."""
    return Key("PUBLIC", sequence(number), LOG)


def public_checkpoints(first: int = 0) -> Span:
    return Span("PUBLIC", first=sequence(first), table=LOG)


def publishing() -> Key:
    """How far checkpoints are public, and how far they are to be."""
    return Key("PUBLISHING", METADATA, LOG)


LOG_INDEX = "BY#"  # how its partitions begin


def log_index(kind: str, name: str, first: int) -> Key:
    """Which events, of the block that begins with the number `first`, are found under a name of that kind."""
    return Key(f"{LOG_INDEX}{kind}#{part(name)}", sequence(first), LOG)


def log_index_blocks(kind: str, name: str, last: int) -> Span:
    """The blocks in which something is found under the name, up to the one that begins with the number `last`."""
    return Span(f"{LOG_INDEX}{kind}#{part(name)}", first=sequence(0), last=sequence(last), table=LOG)


def moments(first: int) -> Key:
    """When the events of one block happened: the rest of their keys."""
    return Key("MOMENTS", sequence(first), LOG)
