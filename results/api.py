"""What needs no token: public results with their turnout and proof, and when people vote."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Annotated, Literal

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api.calls import Call, Page, Paging
from accounts.api.operations import Area, Moment, link, operation
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections import repository as elections
from elections.api.elections import GroupTurnout, Turnout
from elections.rules import State
from foundation.acts.storage import now_text
from foundation.tally.lots import elected_by_lot
from foundation.tally.result import exact_text
from results import repository, services
from results.access import STRANGER, Reader, check_reads, is_shared
from results.exports.files import EXPORTS, is_offered
from results.pictures.bars import score
from results.repository import Sealed
from results.wording import outcome_of, parts_of


class CandidateResult(msgspec.Struct):
    """How somebody ended up; equals share a place."""

    name: str
    place: int
    elected: bool
    votes: Annotated[str | None, Meta(description="Votes or points; `null` where candidates are ranked.")]


class Vote(msgspec.Struct):
    """A vote on yes or no: carried if at least as many as needed said yes."""

    yes: int
    no: int
    abstain: int
    needed: int


class ElectedByLot(msgspec.Struct):
    """Winners who were tied with others, and were elected because a lot chose them."""

    names: list[str]
    tied_with: Annotated[list[str], Meta(description="Those who were tied with them and were not elected.")]
    number: Annotated[str, Meta(description="Votes or points that all of them had, exactly: 2, 7.5 or 7/3.")]
    unit: Literal["votes", "points"]


class DrawnLot(msgspec.Struct):
    """A lot that was drawn in the count, whether or not it mattered in the end."""

    purpose: Annotated[str, Meta(description="`elimination`, `transfer`, `election`, `finalists` or `runoff`.")]
    names: Annotated[list[str], Meta(description="Between whom it was drawn.")]
    chosen: str
    round: Annotated[int | None, Meta(description="The round, or the number of the seat.")]


class CountedTie(msgspec.Struct):
    """Candidates whom the rule could not tell apart, and how that was settled."""

    where: Annotated[str, Meta(description="What they were tied for; `places` in the final order.")]
    names: list[str]
    settled: Annotated[str, Meta(description="`left` as a tie, `lot`, or by what, such as `earlier round`.")]
    round: Annotated[int | None, Meta(description="The round, or the number of the seat, if there are any.")]


class Outcome(msgspec.Struct):
    """A sealed result."""

    ballots: int
    votes: Annotated[int, Meta(description="More than ballots where voters have weights.")]
    blank: Annotated[int, Meta(description="Votes of blank ballots.")]
    answer: Annotated[str, Meta(description="How it ended, in one line, such as “Winner: Ada”.")]
    winners: list[str]
    by_lot: Annotated[list[ElectedByLot], Meta(description="The winners whom a lot elected, with whom they tied.")]
    ties: list[CountedTie]
    lots: list[DrawnLot]
    candidates: list[CandidateResult]
    vote: Annotated[Vote | None, Meta(description="The numbers of a vote on yes or no; else `null`.")]
    sealed_at: Moment
    ballots_digest: Annotated[str, Meta(description="SHA-256 of the counted ballots.")]
    turnout: Turnout
    bundle: Annotated[str, Meta(description="Everything it takes to check the result elsewhere, as a ZIP file.")]
    files: Annotated[dict[str, str], Meta(description="The ballots and the result in several formats.")]


class QuestionResult(msgspec.Struct):
    """One of several questions of an election and, once its result is sealed, the outcome."""

    number: int
    title: str
    kind: Annotated[str, Meta(description="The kind of ballot.")]
    method: str
    seats: int
    page: str
    outcome: Annotated[Outcome | None, Meta(description="`null` until the ballots are counted.")]


class ElectionResult(msgspec.Struct):
    """An election and, once its result is sealed, the outcome; of several questions that of the first one."""

    name: str
    state: State
    kind: Annotated[str, Meta(description="The kind of ballot.")]
    method: str
    seats: int
    begins: Moment | None
    ends: Moment | None
    page: str
    outcome: Annotated[Outcome | None, Meta(description="`null` until the ballots are counted.")]
    questions: Annotated[list[QuestionResult], Meta(description="All of them, in order; none if there is only one.")]


class ListedResult(msgspec.Struct):
    """A public result in a list."""

    name: str
    method: str
    seats: int
    ballots: int
    winners: list[str]
    by_lot: Annotated[list[str], Meta(description="The winners whom a lot elected.")]
    questions: Annotated[int, Meta(description="Of several, it is only listed how many have been decided.")]
    decided: Annotated[int | None, Meta(description="How many of several questions have an answer; else `null`.")]
    sealed_at: Moment
    page: str


CALENDAR = Area("public", "Calendar", "When people vote in elections with a public result.")
RESULTS = Area("public", "Results", "Public results, with their turnout and proof.")


@operation("GET", "results", RESULTS, "List public results, newest first", query=Paging, answers=Page[ListedResult])
def results(call: Call) -> Page[ListedResult]:
    found, cursor = repository.shared_results(limit=call.query.limit, cursor=call.cursor)
    listed = []
    for each in found:
        plain = each.election_name, each.method, each.seats, each.ballots, list(each.winners), list(each.by_lot)
        decided = each.questions, each.decided if each.questions > 1 else None
        page = link("shared", each.election_name)
        listed.append(ListedResult(*plain, *decided, datetime.fromisoformat(each.sealed_at), page))
    return call.page(listed, cursor)


@operation("GET", "results/<name:name>", RESULTS, "Read a result", answers=ElectionResult)
def result(call: Call, name: str) -> ElectionResult:
    """Public results need no token. With one of the scope `read`, all results that you may see."""
    reader: Reader = call.user if call.may(Scope.READ, Permission.VIEW_APPLICATION) else STRANGER
    found = services.find(name)
    if found is None or found.election.stored_state == State.DRAFT:
        raise Http404
    check_reads(reader, found.election)
    election, questions = found.election, []
    page = "shared" if is_shared(election) else "results"
    for each in election.questions if election.more else ():
        own = repository.find(election.name, each.number)
        plain = each.number, each.title, each.kind, each.method, each.seats, link(page, *each.result_address)
        questions.append(QuestionResult(*plain, _outcome(own) if isinstance(own, Sealed) else None))
    return ElectionResult(
        name=election.name,
        state=election.state(now_text()),
        kind=election.kind,
        method=election.method,
        seats=election.seats,
        begins=election.begins,
        ends=election.ended,
        page=link(page, election.name),
        outcome=_outcome(found) if isinstance(found, Sealed) else None,
        questions=questions,
    )


def _outcome(found: Sealed) -> Outcome:
    election, counted, turnout = found.election, found.report.result, found.seal.turnout
    is_compared = parts_of(counted).comparisons
    return Outcome(
        ballots=found.seal.ballots,
        votes=counted.total,
        blank=counted.blank,
        answer=outcome_of(counted).line,
        winners=list(counted.winners),
        by_lot=[
            ElectedByLot(list(each.names), list(each.tied_with), exact_text(Fraction(each.number)), each.unit)
            for each in elected_by_lot(counted)
        ],
        ties=[CountedTie(each.where, list(each.names), each.settled, each.round) for each in counted.ties],
        lots=[DrawnLot(each.where, list(each.names), each.chosen, each.round) for each in counted.lots],
        candidates=[
            CandidateResult(
                name, place, name in counted.winners, None if is_compared else score(counted, name).exact[0]
            )
            for name, place in counted.places
        ],
        vote=Vote(*counted.vote) if counted.vote else None,
        sealed_at=datetime.fromisoformat(found.seal.sealed_at),
        ballots_digest=counted.digest,
        turnout=Turnout.of(
            turnout, election.entitled, [GroupTurnout(each.name, each.voters, each.voted) for each in found.seal.groups]
        ),
        bundle=link("bundle", election.name),
        files={file: link("export", *election.address, file) for file in EXPORTS if is_offered(found, file)},
    )


Stage = Literal["scheduled", "open", "closed"]


class Entry(msgspec.Struct):
    """When people vote in an election whose result is or will be public."""

    name: str
    state: Stage
    begins: Moment | None
    ends: Annotated[Moment | None, Meta(description="When voting ends, or when it really ended.")]
    time_zone: str
    page: str


@operation(
    "GET", "calendar", CALENDAR, "List elections with a public result, newest first", query=Paging,
    answers=Page[Entry],
)  # fmt: skip
def calendar(call: Call) -> Page[Entry]:
    """From their opening, before there is a result. Elections that are only for members, and drafts, are left out."""
    found, cursor = elections.public_elections(limit=call.query.limit, cursor=call.cursor)
    now, entries = now_text(), []
    for each in found:
        state: Stage = "open" if each.takes_votes(now) else "closed" if each.state(now) == State.CLOSED else "scheduled"
        page = link("shared", each.name)
        entries.append(Entry(each.name, state, each.begins, each.ended, each.time_zone, page))
    return call.page(entries, cursor)
