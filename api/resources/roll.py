"""The roll of an election: list, add, remove. Nobody's vote is shown; who has voted only where the page shows it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api_tokens import Scope
from accounts.rules import Permission
from api.calls import Call, Page, Paging, each_cleaned
from api.operations import operation
from elections import rolls
from elections.roll import services, sources
from elections.rules import MAX_VOTER_GROUPS, Action, State
from elections.turnout.counts import tells_names, tells_who, turnout
from pages import lists
from pages.lists import Verdict
from pages.names import MAX_NAME_CHARS, clean_email, clean_name, clean_title

from .elections import load, organising

AREA = "Roll"
MAX_VOTERS_PER_REQUEST = 1000
MAX_VOTERS_PER_ROLL = 20_000


Groups = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=lists.MAX_GROUP_CHARS)]],
    Meta(max_length=MAX_VOTER_GROUPS, description="All voter groups they are in; `null` leaves them as they are."),
]


class Voter(msgspec.Struct):
    """Somebody on the roll."""

    voter: Annotated[str, Meta(description="A user name or a mail address.")]
    name: Annotated[str, Meta(description="What mails call somebody listed by address.")]
    voted: Annotated[bool | None, Meta(description="`null` where that is not shown.")]
    groups: Annotated[list[str], Meta(description="Voter groups they are in.")]
    weight: Annotated[int, Meta(description="How many times their vote counts.")]


class NewVoter(msgspec.Struct, forbid_unknown_fields=True):
    """Somebody to add: by user name, or by mail address."""

    voter: Annotated[str, Meta(min_length=1, max_length=400)]
    name: Annotated[str, Meta(max_length=MAX_NAME_CHARS)] = ""
    groups: Groups | None = None
    weight: Annotated[int, Meta(ge=1, le=lists.MAX_WEIGHT, description="How many times their vote counts.")] | None = (
        None
    )


class NewVoters(msgspec.Struct, forbid_unknown_fields=True):
    """People to add. Those who are on the roll already stay there."""

    voters: Annotated[list[NewVoter], Meta(min_length=1, max_length=MAX_VOTERS_PER_REQUEST)]


class Added(msgspec.Struct):
    """Who of those sent is on the roll now: all of them."""

    voters: list[str]


class WholeRoll(msgspec.Struct, forbid_unknown_fields=True):
    """Everybody who should be on the roll."""

    voters: Annotated[list[NewVoter], Meta(min_length=1, max_length=MAX_VOTERS_PER_ROLL)]
    preview: Annotated[bool, Meta(description="Whether only to say what would change.")] = False


class Refused(msgspec.Struct):
    """Somebody on the list who cannot be on the roll."""

    voter: str
    reason: str


class Replaced(msgspec.Struct):
    """What has changed, or would change."""

    added: list[str]
    removed: list[str]
    unchanged: Annotated[int, Meta(description="How many of those listed were on the roll already.")]
    refused: list[Refused]


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
    voters = each_cleaned("voters", [each.voter for each in sent], _clean_voter)
    called = each_cleaned("voters", [each.name for each in sent], lambda text: clean_title(text) if text else "")
    groups = each_cleaned("voters", [lists.as_groups(each.groups or ()) for each in sent], _clean_groups)
    known = {
        voter: lists.Details(
            known_as if "@" in voter else "",
            lists.clean_groups(own) if each.groups is not None else None,
            weight=each.weight,
        )
        for voter, known_as, own, each in zip(voters, called, groups, sent, strict=True)
    }
    call.run(lambda: services.add_voters(call.user, election, voters, known), converges=True)
    return Added(voters)


@operation(
    "PUT", "elections/<name:name>/voters", AREA, "Replace the roll", takes=WholeRoll, answers=Replaced,
    refusals=("not-now",), example={"voters": [{"voter": "ada@example.org", "name": "Ada"}], "preview": True},
    **organising,
)  # fmt: skip
def replace_(call: Call, name: str) -> Replaced:
    """Make the roll what the list says. People who are not listed are removed from a draft, and never after the
    opening. Unknown user names are left out, with the reason. With `preview`, nothing is changed."""
    election, sent = load(call, name, Action.ADD_VOTERS), call.body
    rows = lists.read_voters(lists.voters_as_csv(map(_cells, sent.voters)).encode())
    found = sources.compare(election, rows)
    if not sent.preview:
        call.run(lambda: sources.follow(call.user, election, found), converges=True)
    refused = [Refused(row.typed, row.reason) for row in found.rows if row.verdict == Verdict.INVALID]
    return Replaced(found.added, list(found.removed), found.unchanged, refused)


def _cells(voter: NewVoter) -> tuple[str, str, tuple[str, ...] | None, int | None]:
    return voter.voter, voter.name, None if voter.groups is None else tuple(voter.groups), voter.weight


def _clean_groups(text: str) -> str:
    return lists.as_groups(lists.clean_groups(text))


def _clean_voter(text: str) -> str:
    return clean_email(text) if "@" in text else clean_name(text)


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
