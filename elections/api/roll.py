"""The roll of an election: list, add, remove. Nobody's vote is shown; who has voted only where the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import Meta

from accounts.api.calls import NO_EFFECT, Call, Page, Paging, each_cleaned
from accounts.api.operations import NAME_PATTERN, Area, Name, described, operation
from accounts.api.problems import FieldError, Problem, of_form_errors
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections import rolls, rules, voter_lists
from elections.roll import services
from elections.rules import MAX_VOTER_GROUPS, Action, State
from elections.turnout.counts import tells_names, tells_who, turnout
from foundation.pages.lists import Verdict
from foundation.pages.names import MAX_NAME_CHARS, clean_email, clean_name, clean_title
from foundation.store.keys import fold

from .elections import load, organising

AREA = Area("roll", "Roll", "Who may vote in an election.")
MAX_VOTERS_PER_REQUEST = 1000


Groups = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=voter_lists.MAX_GROUP_CHARS)]],
    Meta(max_length=MAX_VOTER_GROUPS, description="All voter groups they are in; `null` leaves them as they are."),
]


class Voter(msgspec.Struct):
    """Somebody on the roll."""

    voter: Annotated[str, Meta(description="A user name, a mail address, or a member number followed by `@`.")]
    name: Annotated[str, Meta(description="What mails or letters call somebody not listed by user name.")]
    voted: Annotated[bool | None, Meta(description="`null` where that is not shown.")]
    groups: Annotated[list[str], Meta(description="Voter groups they are in.")]
    weight: Annotated[int, Meta(description="How many times their vote counts.")]


class NewVoter(msgspec.Struct, forbid_unknown_fields=True):
    """Somebody to add: by user name, by mail address, or by member number followed by `@`, with the name."""

    voter: Name
    name: Annotated[
        str,
        described(f"{NAME_PATTERN}|^$", max_length=MAX_NAME_CHARS, description="Of somebody not listed by user name."),
    ] = ""
    groups: Groups | None = None
    weight: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=voter_lists.MAX_WEIGHT,
                description="How many times their vote counts; in secret elections only once.",
            ),
        ]
        | None
    ) = None
    postal: Annotated[
        list[Annotated[str, Meta(max_length=voter_lists.MAX_POSTAL_CHARS)]],
        Meta(max_length=voter_lists.MAX_POSTAL_LINES, description="The lines of their address, for letters."),
    ] = []
    language: Annotated[str, described("^[A-Za-z-]*$", max_length=20, description="Of their letter, such as `de`.")] = (
        ""
    )
    born: Annotated[
        str, described("^[0-9.-]*$", max_length=20, description="As 1815-12-10, of which only a mark is stored.")
    ] = ""


class NewVoters(msgspec.Struct, forbid_unknown_fields=True):
    """People to add. Those who are on the roll already stay there."""

    voters: Annotated[list[NewVoter], Meta(min_length=1, max_length=MAX_VOTERS_PER_REQUEST)]


class Added(msgspec.Struct):
    """Who of those sent is on the roll now: all of them."""

    voters: list[str]


class Search(Paging):
    """Whom to list."""

    prefix: Annotated[str, Meta(max_length=MAX_NAME_CHARS, description="How the name or address begins.")] = ""


@operation(
    "GET", "elections/<name:name>/voters", AREA, "List the roll", query=Search, answers=Page[Voter],
    scope=Scope.READ, permission=Permission.USE_APPLICATION,
)  # fmt: skip
def list_(call: Call, name: str) -> Page[Voter]:
    """For those who run the election."""
    election = load(call, name, Action.SEE_ROLL)
    voted = turnout(election).voted if election.stored_state != State.DRAFT else 0
    found, cursor = rolls.list_voters(
        election,
        prefix=call.query.prefix,
        by_name=tells_names(election, voted),
        limit=call.query.limit,
        cursor=call.cursor,
    )
    who = tells_who(election, voted)
    voters = map(rolls.voter_of, found)
    return call.page(
        [
            Voter(each.name, each.display_name, each.voted if who else None, list(each.groups), each.weight)
            for each in voters
        ],
        cursor,
    )


@operation(
    "POST", "elections/<name:name>/voters", AREA, "Add voters", takes=NewVoters, answers=Added, refusals=("not-now",),
    example={"voters": [{"voter": "ada@example.org", "name": "Ada"}]}, **organising,
)  # fmt: skip
def add(call: Call, name: str) -> Added:
    """All or none: unknown user names are refused."""
    election, sent = load(call, name, Action.ADD_VOTERS), call.body.voters
    check_used(sent)
    voters = each_cleaned("voters", [each.voter for each in sent], _clean_voter)
    called = each_cleaned("voters", [each.name for each in sent], lambda text: clean_title(text) if text else "")
    typed = [voter_lists.as_groups(each.groups or ()) for each in sent]
    groups = each_cleaned("voters", typed, lambda text: voter_lists.as_groups(voter_lists.clean_groups(text)))
    known = {}
    for voter, known_as, own, each in zip(voters, called, groups, sent, strict=True):
        letter: dict[str, Any] = {"display_name": known_as if "@" in voter else ""}
        if rolls.is_by_number(voter):  # with what letters need
            (row,) = voter_lists.read_voters(voter_lists.voters_as_csv([row_of(each)]).encode())
            if row.verdict == Verdict.INVALID:
                raise of_form_errors({"voters": [row.reason]})
            letter |= rolls.letter_fields(voter_lists.details_of([row])[voter])
        own_groups = voter_lists.clean_groups(own) if each.groups is not None else None
        known[voter] = voter_lists.Details(groups=own_groups, weight=each.weight, **letter)
    _check_details(election, voters, known)
    call.run(lambda: services.add_voters(call.user, election, voters, known), converges=True)
    return Added(voters)


def _clean_voter(text: str) -> str:
    if text.endswith("@"):
        return voter_lists.clean_number(text)
    return clean_email(text) if "@" in text else clean_name(text)


def check_used(voters: Sequence[NewVoter]) -> None:
    """Accounts have names of their own, and only voters listed by member number get letters."""
    errors: dict[str, list[Any]] = {}
    for place, each in enumerate(voters):
        unused = () if rolls.is_by_number(each.voter) else ("postal", "language", "born")
        for field in unused if "@" in each.voter else ("name", *unused):
            if getattr(each, field):
                errors[f"voters[{place}].{field}"] = [NO_EFFECT]
    if errors:
        raise of_form_errors(errors)


def _check_details(election: rules.Election, voters: Sequence[str], known: Mapping[str, voter_lists.Details]) -> None:
    """People who are on the roll keep the name they are called by; since the opening, also their groups and weight."""
    telling = [voter for voter in voters if known[voter] != voter_lists.Details()]
    there = rolls.on_roll(election, telling) if telling else {}
    errors = []
    for place, voter in enumerate(voters):
        if (listed := there.get(fold(voter))) is None:
            continue
        own, wrong = known[voter], []
        if not rolls.is_by_number(voter) and own.display_name not in ("", listed.display_name):
            wrong.append("name")
        if election.stored_state != State.DRAFT:
            if own.groups is not None and set(map(fold, own.groups)) != set(map(fold, listed.groups)):
                wrong.append("groups")
            if own.weight not in (None, listed.weight):
                wrong.append("weight")
        sentence = _("“%(name)s” is on the roll already, where this cannot be changed.") % {"name": voter}
        errors += [FieldError(f"voters[{place}].{field}", sentence) for field in wrong]
    if errors:
        raise Problem("not-now", " ".join(dict.fromkeys(each.detail for each in errors)), errors)


def row_of(voter: NewVoter) -> voter_lists.VoterRow:
    groups = None if voter.groups is None else tuple(voter.groups)
    known = voter.name, groups, voter.weight, tuple(voter.postal), voter.language, voter.born
    return voter_lists.VoterRow(0, voter.voter, voter.voter, Verdict.NEW, "", *known)


@operation(
    "DELETE", "elections/<name:name>/voters/<name:voter>", AREA, "Remove a voter", status=204, refusals=("not-now",),
    **organising,
)  # fmt: skip
def remove(call: Call, name: str, voter: str) -> None:
    """From the roll of a draft."""
    election = load(call, name, Action.REMOVE_VOTERS)
    if not rolls.on_roll(election, [voter]):
        raise Http404
    call.run(lambda: services.remove_voter(call.user, election, voter))
