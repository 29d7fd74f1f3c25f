"""The way of a voter through several questions on one ballot, and casting all of them.

Each question is an election, and is cast as its own ballot with its own code; a form that casts several gives each a
token of its own, so that sending it again casts none of them twice. What was ranked on the way is carried by the
browser (`ranking.ranking_cookie`) as one ranking for each question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.http import QueryDict

from accounts.models import User
from acts.refusals import Refusal
from acts.storage import now_text, table
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import MultiBallot, question_key
from ranking import drafts
from ranking.rankings import Ranks, ranks_of
from store.parallel import run_parallel

from . import repository, services
from .passes import Pass
from .repository import Standing
from .rules import Ballot


@dataclass(frozen=True, slots=True)
class Way:
    """A voter's way through the questions of a multi-question ballot, at one of them or at none."""

    multi_ballot: MultiBallot
    who: User | Pass
    place: int = 0

    @property
    def last(self) -> int:
        return len(self.multi_ballot.questions)

    def standing(self, place: int, *, described: bool = False) -> Standing | None:
        return services.standing_of(self.who, self.multi_ballot.questions[place - 1], described=described)

    def standings(self) -> list[Standing]:
        """In every question that takes or took votes."""
        return list(self.standings_by_place().values())

    def standings_by_place(self) -> dict[int, Standing]:
        found = run_parallel(table(), *(partial(self.standing, place) for place in range(1, self.last + 1)))
        return {place: each for place, each in enumerate(found, 1) if each is not None}


def way_for(who: User | Pass, multi_ballot_id: str, place: int = 0) -> Way | None:
    multi_ballot = multi_ballots.find(multi_ballot_id)
    if multi_ballot is None or not 0 <= place <= len(multi_ballot.questions):
        return None
    return Way(multi_ballot, who, place)


def whose(standing: Standing, multi_ballot: MultiBallot) -> str:
    """The mark of a voter's rankings on this ballot."""
    return drafts.person_mark(standing.voter or "", standing.caster, "book", multi_ballot.id, multi_ballot.created_at)


# --- looking over ---


@dataclass(frozen=True, slots=True)
class Answer:
    """What a voter has ranked in a question, and what they had cast there before."""

    place: int
    standing: Standing
    rankings: str
    cast: Ballot | None

    @property
    def is_new(self) -> bool:
        """Whether there is something to cast: an empty ranking casts no ballot in this question."""
        return bool(self.rankings) and (self.cast is None or self.cast.rankings != self.rankings)

    @property
    def fields(self) -> list[tuple[str, str]]:
        name = question_key(self.standing.election.name)
        ranks = ranks_of(self.rankings).items()
        return [(f"{name}:{number}", str(rank)) for number, rank in ranks] if self.is_new else []


def answers(way: Way, sent: Mapping[str, str]) -> list[Answer]:
    """For each question the ranking in progress, or else the one that was cast."""
    found, answered = way.standings_by_place(), []
    for standing in found.values():
        services.check_own_ballot(standing, now_text())
    ballots = run_parallel(table(), *(partial(repository.ballot_of, standing) for standing in found.values()))
    for (place, standing), cast in zip(found.items(), ballots, strict=True):
        rankings = sent.get(question_key(standing.election.name), cast.rankings if cast else "")
        answered.append(Answer(place, standing, rankings, cast))
    return answered


# --- casting ---


def cast(way: Way, post: QueryDict, form: str) -> tuple[int, dict[str, str]]:
    """Cast each question separately: one that has closed in the meantime does not block the others. Returns how many
    were cast, and why others were refused."""
    count, refused = 0, {}
    for name in way.multi_ballot.questions:
        if ranks := ranks_for(name, post):
            try:
                called = "" if count else way.multi_ballot.name
                services.cast(way.who, name, ranks, f"{form}-{question_key(name)}", called=called)
            except Refusal as refusal:
                refused[name] = str(refusal)
            else:
                count += 1
    return count, refused


def ranks_for(name: str, post: QueryDict) -> Ranks:
    begins = f"{question_key(name)}:"
    return {field.removeprefix(begins): post.getlist(field) for field in post if field.startswith(begins)}
