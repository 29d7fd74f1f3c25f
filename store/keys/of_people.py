"""Keys of people: who they are, how they sign in, who is invited and who leaves."""

from __future__ import annotations

import hashlib

from ..table import Key, Span
from .parts import METADATA, escape, fold, part, sequence

MAX_NAME_START_BYTES = 700  # bytes of a name in a key of the search


def user(name: str) -> Key:
    return Key(f"USER#{part(name)}", METADATA)


def users_by_email(email: str) -> Span:
    return Span(part(email), index=True)


def email(address: str) -> Key:
    return Key(f"EMAIL#{part(address)}", METADATA)


def factors(name: str) -> Key:
    """Everything somebody can take the second step of signing in with."""
    return Key(f"USER#{part(name)}", "FACTORS")


def listed_person(name: str) -> Key:
    return Key("PEOPLE", part(name))


def people(prefix: str = "") -> Span:
    return Span("PEOPLE", prefix=part(prefix))


def lookalike(skeleton: str) -> Key:
    """The guard that no two accounts have names that look the same."""
    return Key(f"LOOK#{part(skeleton)}", METADATA)


def name_word(rest: str, name: str) -> Key:
    """An entry of the people search: a name from one of its words on."""
    digest = hashlib.sha256(fold(name).encode()).hexdigest()[:32]
    return Key("PEOPLEWORDS", f"{_start(rest)}#{digest}")


def name_words(start: str) -> Span:
    return Span("PEOPLEWORDS", prefix=_start(start))


def words_of_role(role_name: str) -> str:
    """The index partition of the search among those who have the role."""
    return f"WORDS#{role_name}"


def name_words_with_role(role_name: str, start: str) -> Span:
    return Span(words_of_role(role_name), prefix=_start(start), index=True)


def _start(text: str) -> str:
    """No longer than leaves room for the digest in a sort key."""
    return part(text).encode()[:MAX_NAME_START_BYTES].decode(errors="ignore")


def role(name: str) -> str:
    """The index partition of everybody who has the role."""
    return f"ROLE#{name}"


def people_with_role(name: str, prefix: str = "") -> Span:
    return Span(role(name), prefix=part(prefix), index=True)


def owner() -> Key:
    return Key(METADATA, "OWNER")


def setup() -> Key:
    """The link that makes the first owner, while there is none."""
    return Key(METADATA, "SETUP")


def mails_of_day(name: str, day: str) -> Key:
    """How many mails somebody has had sent to others on one day."""
    return Key(f"USER#{part(name)}", f"MAILED#{day}")


def session(name: str, digest: str) -> Key:
    """Of somebody who is not signed in yet, the name is empty."""
    return Key(f"SESSIONS#{part(name)}", digest)


def sessions(name: str) -> Span:
    return Span(f"SESSIONS#{part(name)}")


def throttle(digest: str, window: int) -> Key:
    return Key(f"THROTTLE#{digest}", str(window))


def registration(number: str) -> Key:
    return Key(f"PENDING#{escape(number)}", METADATA)


INVITATIONS = Span("INVITATIONS", index=True)


def invitation(address: str) -> Key:
    return Key(f"INVITATION#{part(address)}", METADATA)


def invitation_by_date(invited_at: str, address: str) -> str:
    return f"{invited_at}#{part(address)}"


def leaving(name_or_email: str) -> Key:
    """Somebody who was removed and whose things are still being put in order: once by name, once by address."""
    return Key(f"LEAVING#{part(name_or_email)}", METADATA)


NAMES_TO_FORGET = Span("NAMES", index=True)
NAMES_KEPT = Span("NAMES#KEPT", index=True)


def name_to_forget(name: str, removed_at: str) -> Key:
    """Somebody who was removed and whose name the log is to forget."""
    return Key(f"FORGET#{part(name)}", removed_at)


def name_to_forget_by_date(removed_at: str, name: str) -> str:
    return f"{removed_at}#{part(name)}"


def name_kept(asof: int, name: str) -> str:
    """The sort key of a name that elections still keep, by the number up to which deletions were looked at."""
    return f"{sequence(asof)}#{part(name)}"
