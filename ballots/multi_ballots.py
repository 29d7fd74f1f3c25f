"""The way of a voter through several questions on one ballot, and casting all of them.

Each question is an election, and is cast as its own ballot with its own code; a form that casts several gives each a
token of its own, so that sending it again casts none of them twice. What was ranked on the way is carried by the
browser (`foundation.ranking.ranking_cookie`) as one ranking for each question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.http import QueryDict

from accounts.models import User
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import MultiBallot, question_key
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table
from foundation.ranking import drafts
from foundation.ranking.marks import Ranks, ranks_of
from foundation.store.parallel import run_parallel

from . import repository, services
from .passes import Pass
from .repository import Standing
from .rules import Ballot, HasVoted
from .services import Outcome


@dataclass(frozen=True, slots=True)
class Way:
    """A voter's way through the questions of a multi-question ballot, at one of them or at none."""

    multi_ballot: MultiBallot
    who: User | Pass
    place: int = 0

    def standing(self, place: int, *, described: bool = False) -> Standing | None:
        return services.standing_of(self.who, self.multi_ballot.questions[place - 1], described=described)

    def standings(self) -> list[Standing]:
        """In every question of theirs that takes or took votes."""
        return list(self.standings_by_place().values())

    def standings_by_place(self) -> dict[int, Standing]:
        """In their own questions; or in all of them for somebody who has none, and is told why. What the question they
        are at says of itself is read with it."""
        every = range(1, len(self.multi_ballot.questions) + 1)
        found = run_parallel(
            table(), *(partial(self.standing, place, described=place == self.place) for place in every)
        )
        standings = {place: each for place, each in enumerate(found, 1) if each is not None}
        return {place: each for place, each in standings.items() if each.voter is not None} or standings


def way_for(who: User | Pass, multi_ballot_id: str, place: int = 0) -> Way | None:
    multi_ballot = multi_ballots.find(multi_ballot_id)
    if multi_ballot is None or not 0 <= place <= len(multi_ballot.questions):
        return None
    return Way(multi_ballot, who, place)


def whose(standing: Standing, multi_ballot: MultiBallot) -> str:
    """The mark of a voter's rankings on this ballot."""
    about = (standing.account or "", "link" if standing.link else "", "book", multi_ballot.id, multi_ballot.created_at)
    return drafts.person_mark(standing.voter or "", *about)


# --- looking over ---


@dataclass(frozen=True, slots=True)
class Answer:
    """What a voter has ranked in a question, and what they had cast there before."""

    place: int
    standing: Standing
    rankings: str
    cast: Ballot | None
    is_done: bool = False  # they have voted, and cannot replace that ballot here

    @property
    def is_new(self) -> bool:
        """Whether there is something to cast: an empty ranking casts no ballot in this question."""
        is_changed = self.cast is None or self.cast.rankings != self.rankings
        return bool(self.rankings) and is_changed and not self.is_done

    @property
    def fields(self) -> list[tuple[str, str]]:
        name = question_key(self.standing.election.name)
        ranks = ranks_of(self.rankings).items()
        return [(f"{name}:{number}", str(rank)) for number, rank in ranks] if self.is_new else []


def answers(way: Way, sent: Mapping[str, str]) -> list[Answer]:
    """For each question the ranking in progress, or else the one that was cast."""
    found, answered = way.standings_by_place(), []
    done = {place for place, standing in found.items() if has_finished(standing)}
    ballots = run_parallel(table(), *(partial(repository.ballot_of, standing) for standing in found.values()))
    for (place, standing), cast in zip(found.items(), ballots, strict=True):
        rankings = sent.get(question_key(standing.election.name), cast.rankings if cast else "")
        answered.append(Answer(place, standing, "" if place in done else rankings, cast, place in done))
    return answered


def has_finished(standing: Standing) -> bool:
    """Whether they have voted on this question, and cannot replace that ballot here. Raises other refusals."""
    try:
        services.check_voter(standing, now_text())
    except HasVoted:
        return True
    return False


# --- casting ---


def cast(
    way: Way, post: QueryDict, form: str, secret: str, *, confirmed: bool
) -> tuple[dict[str, Outcome], dict[str, str]]:
    """Cast each question separately: one that has closed in the meantime does not block the others. All ballots have
    one secret. Returns what became of those that were cast, and why others were refused."""
    outcomes: dict[str, Outcome] = {}
    refused: dict[str, str] = {}
    for name in way.multi_ballot.questions:
        if ranks := ranks_for(name, post):
            called = "" if outcomes else way.multi_ballot.name
            try:
                own_form = f"{form}-{question_key(name)}"
                outcomes[name] = services.cast(
                    way.who, name, ranks, own_form, secret=secret, called=called, confirmed=confirmed
                )
            except Refusal as refusal:
                refused[name] = str(refusal)
    return outcomes, refused


def opened_by(multi_ballot: MultiBallot, secret: str) -> list[Standing]:
    """The questions in which there is a ballot of this secret."""
    found = run_parallel(
        table(), *(partial(services.standing_of, None, name, secret=secret) for name in multi_ballot.questions)
    )
    return [standing for standing in found if standing is not None]


def ranks_for(name: str, post: QueryDict) -> Ranks:
    begins = f"{question_key(name)}:"
    return {field.removeprefix(begins): post.getlist(field) for field in post if field.startswith(begins)}
