"""The whole roll, as a program has it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from accounts.api.calls import Call
from accounts.api.operations import operation
from elections import voter_lists
from elections.api.elections import load, organising
from elections.api.roll import AREA, NewVoter, check_used, row_of
from elections.roll import services
from elections.rules import Action
from foundation.pages.lists import Verdict

from . import sources

MAX_VOTERS_PER_ROLL = 20_000


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


@operation(
    "PUT", "elections/<name:name>/voters", AREA, "Replace the roll", takes=WholeRoll, answers=Replaced,
    refusals=("not-now",), example={"voters": [{"voter": "ada@example.org", "name": "Ada"}], "preview": True},
    **organising,
)  # fmt: skip
def replace_(call: Call, name: str) -> Replaced:
    """Make the roll what the list says. People who are not listed are removed from a draft, and never after the
    opening. Unknown user names are left out, with the reason. With `preview`, nothing is changed."""
    election, sent = load(call, name, Action.ADD_VOTERS), call.body
    check_used(sent.voters)
    rows = voter_lists.read_voters(voter_lists.voters_as_csv(map(row_of, sent.voters)).encode())
    services.check_weights(election, voter_lists.details_of(rows).values())
    found = sources.compare(election, rows)
    if not sent.preview:
        call.run(lambda: sources.follow(call.user, election, found), converges=True)
    refused = [Refused(row.typed, row.reason) for row in found.rows if row.verdict == Verdict.INVALID]
    return Replaced(found.added, list(found.removed), found.unchanged, refused)
