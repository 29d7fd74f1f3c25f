"""Multi-question ballots: read, with the questions that the page shows to this person."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api.calls import Call
from accounts.api.operations import Area, operation
from accounts.api.values import Moment, link
from elections import repository as elections
from elections.access import check_visible
from elections.multi_ballot_pages.services import questions_shown_to
from elections.multi_ballots import repository
from elections.rules import State
from foundation.acts.storage import now_text

from .elections import reading

AREA = Area(
    "multi_question_ballots", "Multi-question ballots", "Elections that are voted on together. Make them on the site."
)


class BallotQuestion(msgspec.Struct):
    """A question on a ballot: an election with candidates, a count and a proof of its own."""

    name: Annotated[str, Meta(description="Of the election.")]
    question: Annotated[str, Meta(description="As the ballot calls it.")]
    kind: str
    method: str
    seats: int
    for_groups: Annotated[list[str], Meta(description="Voter groups that may vote; none for all on the roll.")]
    page: str


class MultiQuestionBallot(msgspec.Struct):
    """Several elections that are voted on together."""

    id: str
    name: str
    state: State
    leader: Annotated[str, Meta(description="The election whose roll, voting period and settings are those of all.")]
    electorate: str
    secret_ballot: bool
    time_zone: str
    begins: Moment | None
    ends: Moment | None
    questions: Annotated[list[BallotQuestion], Meta(description="In their order; of a voter, those they are asked.")]
    page: str


@operation(
    "GET", "multi-question-ballots/<slug:ballot_id>", AREA, "Read a multi-question ballot",
    answers=MultiQuestionBallot, **reading,
)  # fmt: skip
def read(call: Call, ballot_id: str) -> MultiQuestionBallot:
    """Elections tell the id of the ballot that they are a question on."""
    ballot = repository.find(ballot_id)
    leader = elections.find(ballot.leader) if ballot else None
    if ballot is None or leader is None:
        raise Http404
    check_visible(call.user, leader)
    questions, _entries = questions_shown_to(call.user, ballot, leader)
    return MultiQuestionBallot(
        id=ballot.id,
        name=ballot.name,
        state=leader.state(now_text()),
        leader=ballot.leader,
        electorate=leader.electorate,
        secret_ballot=leader.secret_ballot,
        time_zone=leader.time_zone,
        begins=leader.begins,
        ends=leader.ends,
        questions=[
            BallotQuestion(
                *(each.name, ballot.short(each.name), each.kind, each.method, each.seats, list(each.for_groups)),
                link("election", each.name),
            )
            for each in questions
        ],
        page=link("multi_ballot", ballot.id),
    )
