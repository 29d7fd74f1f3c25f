"""Keys of people: accounts, sign-in, the people search, invitations and removals; skills and endorsements."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from foundation.store.table import Key, Span

from .declared import as_it_is, computed, computed_list, index, key, single, single_list, span
from .parts import METADATA, escape, fitted, fold, part, sequence

MAX_NAME_START_BYTES = 700  # of a name in a key of the search

# fmt: off

OWNER = single("OWNER", METADATA, "OWNER", "Who owns the site.")
PROVIDERS_REQUIRED = single("PROVIDERS_REQUIRED", METADATA, "PROVIDERSREQUIRED",
                            "Exists only while passwords are for the owner alone.")
SETUP = single("SETUP", METADATA, "SETUP", "The link that creates the first owner, while there is none.")

user = key("USER", "USER#{name}", METADATA, part, about="A person with an account.")
email = key("EMAIL", "EMAIL#{address}", METADATA, part, about="Whose account has the address; guards against a second.")
factors = key("FACTORS", "USER#{name}", "FACTORS", part, about="All second factors of a person.")
# Subjects are case-sensitive, so this is not folded.
identity = key("IDENTITY", "IDENTITY#{digest}", METADATA, as_it_is,
               about="Whose account belongs to an identity at a provider.")
provider_group = key("PROVIDER_GROUP", "GROUPSOF#{name}", "{provider}#{group}", part, escape, escape,
                     about="A group that a person was in at a provider when they last signed in with it.")
spent = key("SPENT", "SPENT#{digest}", METADATA, as_it_is,
            about="Something that works once and was used: the state of a sign-in, or a token that announces a "
                  "sign-out.")
listed_person = key("LISTED_PERSON", "PEOPLE", "{name}", part, about="A person in the list of all people.")
lookalike = key("LOOKALIKE", "LOOK#{skeleton}", METADATA, part,
                about="Guards against two accounts with names that look the same.")
mails_of_day = key("MAILS_OF_DAY", "USER#{name}", "MAILED#{day}", part, as_it_is,
                   about="How many mails a person has had sent to others in one day.")
session = key("SESSION", "SESSIONS#{name}", "{digest}", part, as_it_is,
              about="A browser that is signed in; the name is empty for a visitor who has not signed in.")
calendar_feed = key("CALENDAR", "CALENDAR#{selector}", METADATA, escape,
                    about="The address of a person's calendar, as earlier versions made it; nothing reads it.")
api_token = key("API_TOKEN", "APITOKENS#{name}", "{token}", part, as_it_is,
                about="A token with which a program acts for a person.")
api_token_owner = key("API_TOKEN_OWNER", "APITOKEN#{token}", METADATA, escape,
                      about="Whose token it is; the token itself is with its owner.")
api_request = key("API_REQUEST", "APIREQUEST#{digest}", METADATA, as_it_is,
                  about="What was sent to the API under an Idempotency-Key.")
throttle = key("THROTTLE", "THROTTLE#{digest}", "{window}", as_it_is, str,
               about="How often something was tried in a stretch of time.")
registration = key("REGISTRATION", "PENDING#{number}", METADATA, escape,
                   about="Somebody who has registered, but not confirmed their address.")
invitation = key("INVITATION", "INVITATION#{address}", METADATA, part, about="Somebody who was invited to register.")
leaving = key("LEAVING", "LEAVING#{name}", METADATA, part,
              about="A removed person whose data is still being cleaned up: once by name, once by address.")
name_to_forget = key("FORGET", "FORGET#{name}", "{removed_at}", part, as_it_is,
                     about="A removed person whose name is to be erased from the log.")

sessions = span("SESSIONS#{name}", "", part)
api_tokens = span("APITOKENS#{name}", "", part)
NAMES_TO_FORGET = single_list("NAMES", "{removed_at}#{name}")
NAMES_KEPT = single_list("NAMES#KEPT", "{event}#{name}")
INVITATIONS = single_list("INVITATIONS", "{invited_at}#{address}")
users_by_email = index("{address}", "USER#{name}", part)
members_at_provider = index("INGROUP#{provider}#{group}", "GROUPSOF#{name}", escape, escape)
sessions_at_provider = index("AT#{digest}", "SESSIONS#{name}#{session}", as_it_is)  # that began with one session there

# fmt: on


def session_at_provider(digest: str, session: Key) -> dict[str, str]:
    """The index entry of one of them."""
    return {"GSI1PK": sessions_at_provider(digest).pk, "GSI1SK": f"{session.pk}#{session.sk}"}


def provider_groups(name: str, provider_id: str = "") -> Span:
    return Span(f"GROUPSOF#{part(name)}", prefix=f"{escape(provider_id)}#" if provider_id else "")


def people(prefix: str = "") -> Span:
    return Span("PEOPLE", prefix=part(prefix))


@computed("NAME_WORD", "PEOPLEWORDS", "{rest}#{digest}", "A name from the start of one of its words, for the search.")
def name_word(rest: str, name: str) -> Key:
    digest = hashlib.sha256(fold(name).encode()).hexdigest()[:32]
    return Key("PEOPLEWORDS", f"{_start(rest)}#{digest}")


def name_words(start: str) -> Span:
    return Span("PEOPLEWORDS", prefix=_start(start))


def words_of_role(role_name: str) -> str:
    """The index partition for searching among people with the role."""
    return f"WORDS#{role_name}"


@computed_list("WORDS#{role}", "{rest}#{digest}")
def name_words_with_role(role_name: str, start: str) -> Span:
    return Span(words_of_role(role_name), prefix=_start(start), index=True)


def _start(text: str) -> str:
    """Short enough to leave room for the digest in a sort key."""
    return part(text).encode()[:MAX_NAME_START_BYTES].decode(errors="ignore")


def role(name: str) -> str:
    """The index partition of people with the role."""
    return f"ROLE#{name}"


@computed_list("ROLE#{role}", "{name}")
def people_with_role(name: str, prefix: str = "") -> Span:
    return Span(role(name), prefix=part(prefix), index=True)


def name_kept(asof: int, name: str) -> str:
    """The sort key of a name that elections still contain, by the event up to which deletions were checked."""
    return f"{sequence(asof)}#{part(name)}"


# --- skills ---

NEVER = "0000-00"  # sorts before every month

# fmt: off

skill = key("SKILL", "SKILL#{skill}", METADATA, escape, about="A skill of the catalogue.")
skill_name = key("SKILL_NAME", "SKILLALIAS#{name}", METADATA, part,
                 about="A name or alias of a skill; spellings that fold to the same are the same.")
skill_category = key("SKILL_CATEGORY", "SKILLCATEGORIES", "{name}", part,
                     about="A category of the catalogue, and how many skills it has.")
own_skills = key("OWN_SKILLS", "USER#{name}", "SKILLS", part,
                 about="Who may see a person's skills, how many there are, and how often they were changed.")
person_skill = key("PERSON_SKILL", "USER#{name}", "SKILL#{skill}", part, escape,
                   about="A skill of a person, as they describe it.")
endorsement = key("ENDORSEMENT", "USER#{name}", "ENDORSED#{skill}#{by}", part, escape, part,
                  about="One person's endorsement of another's skill; there is at most one.")
endorsing = key("ENDORSING", "USER#{by}", "ENDORSING", part,
                about="How often a person has endorsed or withdrawn, so that concurrent acts are noticed.")

PROPOSED_SKILLS = single_list("SKILLS#PROPOSED", "{at}#{skill}")
SKILL_CATEGORIES = Span("SKILLCATEGORIES")
# People whose skill is visible to members, by level, years and last use.
skill_holders = index("SKILL#{skill}", "L{level}#Y{years}#{last_used}#USER#{name}", escape)
endorses = index("ENDORSES#{by}", "{name}#{skill}", part)

# fmt: on


@computed_list("SKILLS", "{category}#{name}")
def skills(category: str = "") -> Span:
    """The catalogue by category and name, or one category of it."""
    return Span("SKILLS", prefix=f"{part(category)}#" if category else "", index=True)


def skill_by_name(category: str, name: str) -> str:
    return fitted(f"{part(category)}#{part(name)}")


@computed_list("SKILLNAMES", "{name}")
def skill_names(prefix: str = "") -> Span:
    """All names in the catalogue with this prefix."""
    return Span("SKILLNAMES", prefix=part(prefix), index=True)


def person_skills(name: str) -> Span:
    """A person's skills, and the item about all of them."""
    return Span(f"USER#{part(name)}", prefix="SKILL")


def profile(name: str) -> Span:
    """The person and their skills without the endorsements, in one query."""
    return Span(f"USER#{part(name)}", first=METADATA, last=own_skills(name).sk)


def skill_holders_at(skill_id: str, lowest: int, highest: int, years: int = 0) -> Span:
    """Those with these levels. A minimum of years works within one level only."""
    return replace(skill_holders(skill_id), first=f"L{lowest}#Y{years:02d}", last=f"L{highest}#Z")


def skill_held(level: int, years: int, last_used: str, name: str) -> str:
    """The level is one digit, so that a minimum level is a range."""
    return f"L{level}#Y{years:02d}#{last_used or NEVER}#USER#{part(name)}"


def endorsements(name: str, skill_id: str = "") -> Span:
    """The endorsements of a person, or of one of their skills."""
    return Span(f"USER#{part(name)}", prefix=f"ENDORSED#{escape(skill_id)}#" if skill_id else "ENDORSED#")


def endorsed_skill(name: str, skill_id: str) -> str:
    return f"{part(name)}#{escape(skill_id)}"
