"""Keys of people: accounts, sign-in, the people search, invitations and removals."""

from __future__ import annotations

import hashlib

from ..table import Key, Span
from .parts import METADATA, escape, fold, part, sequence

MAX_NAME_START_BYTES = 700  # of a name in a key of the search
OWNER = Key(METADATA, "OWNER")
PROVIDERS_REQUIRED = Key(METADATA, "PROVIDERSREQUIRED")  # exists only while passwords are for the owner alone
SETUP = Key(METADATA, "SETUP")  # the link that creates the first owner, while there is none
NAMES_TO_FORGET = Span("NAMES", index=True)
NAMES_KEPT = Span("NAMES#KEPT", index=True)
INVITATIONS = Span("INVITATIONS", index=True)


def user(name: str) -> Key:
    return Key(f"USER#{part(name)}", METADATA)


def users_by_email(email: str) -> Span:
    return Span(part(email), index=True)


def email(address: str) -> Key:
    return Key(f"EMAIL#{part(address)}", METADATA)


def factors(name: str) -> Key:
    """All second factors of a person."""
    return Key(f"USER#{part(name)}", "FACTORS")


def identity(digest: str) -> Key:
    """Whose account belongs to an identity at a provider. Subjects are case-sensitive, so this is not folded."""
    return Key(f"IDENTITY#{digest}", METADATA)


def provider_group(name: str, provider_id: str, group: str) -> Key:
    """A group that a person was in at a provider when they last signed in with it."""
    return Key(f"GROUPSOF#{part(name)}", f"{escape(provider_id)}#{escape(group)}")


def provider_groups(name: str, provider_id: str = "") -> Span:
    return Span(f"GROUPSOF#{part(name)}", prefix=f"{escape(provider_id)}#" if provider_id else "")


def members_at_provider(provider_id: str, group: str) -> Span:
    return Span(f"INGROUP#{escape(provider_id)}#{escape(group)}", index=True)


def spent(digest: str) -> Key:
    """Something that works once and was used: the state of a sign-in, or a token that announces a sign-out."""
    return Key(f"SPENT#{digest}", METADATA)


def listed_person(name: str) -> Key:
    return Key("PEOPLE", part(name))


def people(prefix: str = "") -> Span:
    return Span("PEOPLE", prefix=part(prefix))


def lookalike(skeleton: str) -> Key:
    """Guards against two accounts with names that look the same."""
    return Key(f"LOOK#{part(skeleton)}", METADATA)


def name_word(rest: str, name: str) -> Key:
    """An entry of the people search: a name from the start of one of its words."""
    digest = hashlib.sha256(fold(name).encode()).hexdigest()[:32]
    return Key("PEOPLEWORDS", f"{_start(rest)}#{digest}")


def name_words(start: str) -> Span:
    return Span("PEOPLEWORDS", prefix=_start(start))


def words_of_role(role_name: str) -> str:
    """The index partition for searching among people with the role."""
    return f"WORDS#{role_name}"


def name_words_with_role(role_name: str, start: str) -> Span:
    return Span(words_of_role(role_name), prefix=_start(start), index=True)


def _start(text: str) -> str:
    """Short enough to leave room for the digest in a sort key."""
    return part(text).encode()[:MAX_NAME_START_BYTES].decode(errors="ignore")


def role(name: str) -> str:
    """The index partition of people with the role."""
    return f"ROLE#{name}"


def people_with_role(name: str, prefix: str = "") -> Span:
    return Span(role(name), prefix=part(prefix), index=True)


def mails_of_day(name: str, day: str) -> Key:
    """How many mails a person has had sent to others in one day."""
    return Key(f"USER#{part(name)}", f"MAILED#{day}")


def session(name: str, digest: str) -> Key:
    """The name is empty for a visitor who has not signed in."""
    return Key(f"SESSIONS#{part(name)}", digest)


def sessions(name: str) -> Span:
    return Span(f"SESSIONS#{part(name)}")


def calendar_feed(selector: str) -> Key:
    """The address of a person's calendar."""
    return Key(f"CALENDAR#{escape(selector)}", METADATA)


def sessions_at_provider(digest: str) -> Span:
    """The sessions that began with one session at an identity provider."""
    return Span(f"AT#{digest}", index=True)


def session_at_provider(digest: str, session: Key) -> dict[str, str]:
    """The index entry of one of them."""
    return {"GSI1PK": sessions_at_provider(digest).pk, "GSI1SK": f"{session.pk}#{session.sk}"}


def api_token(name: str, token_id: str) -> Key:
    return Key(f"APITOKENS#{part(name)}", token_id)


def api_tokens(name: str) -> Span:
    return Span(f"APITOKENS#{part(name)}")


def api_token_owner(token_id: str) -> Key:
    """Whose token it is; the token itself is with its owner."""
    return Key(f"APITOKEN#{escape(token_id)}", METADATA)


def api_request(digest: str) -> Key:
    """What was sent to the API under an Idempotency-Key."""
    return Key(f"APIREQUEST#{digest}", METADATA)


def throttle(digest: str, window: int) -> Key:
    return Key(f"THROTTLE#{digest}", str(window))


def registration(number: str) -> Key:
    return Key(f"PENDING#{escape(number)}", METADATA)


def invitation(address: str) -> Key:
    return Key(f"INVITATION#{part(address)}", METADATA)


def leaving(name_or_email: str) -> Key:
    """A removed person whose data is still being cleaned up: once by name, once by address."""
    return Key(f"LEAVING#{part(name_or_email)}", METADATA)


def name_to_forget(name: str, removed_at: str) -> Key:
    """A removed person whose name is to be erased from the log."""
    return Key(f"FORGET#{part(name)}", removed_at)


def name_kept(asof: int, name: str) -> str:
    """The sort key of a name that elections still contain, by the event up to which deletions were checked."""
    return f"{sequence(asof)}#{part(name)}"
