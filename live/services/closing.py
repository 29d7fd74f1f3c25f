"""Closing a round: from a moment on nobody is told that an answer counts; then all are read, counted and sealed.

Whoever finds that the time is up closes it: one thread of one process, by a marker in the state; all others wait for
what comes of it. If nothing does for some seconds, somebody else begins again: what they read is the same, and only one
can write it, because the state leaves the version that all of them have read.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from acts.background import Batch, Task, finished, next_deletions
from acts.flights import Flights
from acts.recording import record, try_record, try_write
from acts.refusals import LostRace
from acts.site import SITE, now_text, table
from assembly import quorate, resolutions
from live import clock, counting, gathering, moderation, repository, rules, scores, seats, waking
from live.plays import before_after as twice
from live.plays.ideas import orders
from live.plays.ideas import rules as ideas
from questions.question import Kind, Question, Type
from store import keys
from store.forgetting import to_forget
from store.log import Event
from store.table import StoreError, Write
from store.together import together

from ..pseudonyms import new_salt, pseudonym
from ..qa import repository as texts
from ..repository import EMPTYING
from ..rounds import Given, Round
from ..rules import Game, Phase, State, Step
from ..sealed import digests as seals
from ..seats import Seat

LOOK_SECONDS = 0.1  # between two looks at a round that another process closes
LONG_AGO = 1  # when a closing began that nobody is at work on any more
CLOSING: Flights[State] = Flights()


def settled(game: Game, state: State) -> State:
    """Where the session is once whatever is over is closed."""
    return close(game, state, SITE) if state.is_over(clock.now()) else state


def close(game: Game, state: State, who: str) -> State:
    """Close what is open, or wait until somebody else has; answers where the session is then."""
    return CLOSING.join((game.id, state.version), lambda: _closed(game, state, who))


def _closed(game: Game, state: State, who: str) -> State:
    there: State | None = state
    looks = 0
    while there is not None and there.version == state.version:
        now = clock.now()
        if there.is_being_closed(now) and looks * LOOK_SECONDS * 1000 < rules.MAX_CLOSING_MS:
            time.sleep(LOOK_SECONDS)
            looks += 1
        elif try_write(repository.closing(game, there, now)):
            return _close(game, replace(there, closing=now), who)
        else:  # somebody else was quicker
            looks = 0
        there = repository.state(game.id)
    return there or state


def _close(game: Game, state: State, who: str) -> State:
    try:
        after = _sealed(game, state, who)
    except LostRace:
        return _overtaken(game, state, who)
    except StoreError:
        with suppress(StoreError):  # nobody need wait for this attempt any more
            try_write(repository.closing(game, state, LONG_AGO))
        raise
    waking.moved(game.id)
    return after


def _overtaken(game: Game, state: State, who: str) -> State:
    """Somebody else was quicker; or what it takes to close the round is lost, and it is dropped."""
    there = repository.state(game.id) or state
    if there.version != state.version or not _is_lost(game, there):
        return there
    after = _now(rules.voided(there))
    said = {"game_id": game.id, "step": str(Step.VOID), "state": repository.told_state(after)}
    dropped = [
        repository.emptying(game, state.round),
        *twice.unlinking(game, rules.linked(there)),
        *of_ideas(game, there),
    ]
    if not try_record(Event(who, "LiveSessionMoved", said), *repository.moving(game, there, after), *dropped):
        return repository.state(game.id) or there
    waking.moved(game.id)
    return after


def _is_lost(game: Game, state: State) -> bool:
    """Whether the round at hand can never be closed: in a store that was filled from a backup, none of which has salts,
    what was given can be nobody's; and without their order ideas cannot be told."""
    if _is_salted(game, state) and repository.salt(game.id, state.round) is None:
        return True
    was_sorted = state.kind == Kind.IDEAS and state.phase in (Phase.SORTING, Phase.VOTING)
    return was_sorted and orders.read(game.id, state.round) is None


# --- what was given ---


@dataclass(frozen=True, slots=True)
class Box:
    """All that counts of what was given in a phase that is closing."""

    last: tuple[Given, ...]  # the last of each player that was in time
    percents: dict[str, int]  # how much of the usual time each player has, by the name that their answer lies under
    questions: tuple[Question, ...]
    robots: frozenset[str] = frozenset()  # which of these names are robots'
    players: Mapping[str, str] = field(default_factory=dict)  # the ids of those who have these names
    present: tuple[str, ...] = ()  # the ids of those who were there at any time since it was opened, voting or not
    written_by_robots: int = 0  # of ideas that are not voted on

    def by_robots(self, round_: Round, is_secret: bool) -> int:
        """How many of the answers that count are no person's."""
        names = (each.player for each in (self.last if is_secret else round_.entries))
        return sum(name in self.robots for name in names)


def _is_salted(game: Game, state: State) -> bool:
    """Whether what is given lies under names that nobody can trace."""
    return state.is_open and rules.is_secret(game, state)


def _read(game: Game, state: State) -> Box:
    """Refused if it is sealed by now: then nothing can be read any more of an anonymous round."""
    given_in = repository.votes if state.phase == Phase.VOTING else repository.answers
    salt, seated, given, questions = together(
        table(),
        lambda: repository.salt(game.id, state.round),
        lambda: list(seats.each(game.id)),
        lambda: given_in(game.id, state.round),
        lambda: repository.questions(game.id),
    )
    if _is_salted(game, state) and salt is None:
        raise LostRace
    playing = {pseudonym(salt, each.player): each for each in seated if each.plays}
    percents = {name: each.percent for name, each in playing.items()}
    robots = frozenset(name for name, each in playing.items() if each.robot)
    last = tuple(replace(each, robot=each.player in robots) for each in _last(given, state, percents))
    present = sorted(each.player for each in playing.values() if _was_present(state, each))
    ids = {name: each.player for name, each in playing.items()}
    return Box(last, percents, questions, robots, ids, tuple(present))


def _was_present(state: State, seat: Seat) -> bool:
    """At a vote whoever was there at any time while it was open: whether they voted must not show. Otherwise whoever is
    there at the end."""
    return seat.was_there_since(state.clock.began) if state.is_open else seat.is_there


def _last(given: Iterable[Given], state: State, percents: dict[str, int]) -> Iterable[Given]:
    """Of each player who has a seat the last that was in time. Pauses have moved the end by now."""
    last: dict[str, Given] = {}
    for each in sorted(given, key=lambda each: each.at):
        if each.player in percents and state.clock.takes(each.at, percents[each.player]):
            last[each.player] = each
    return last.values()


# --- sealing ---


def _sealed(game: Game, state: State, who: str) -> State:
    box = _read(game, state)
    if state.phase == Phase.QUESTION and game.engagement_type == Type.CALL_AND_ANSWER:
        return _gather(game, state, who, box)
    if state.kind == Kind.IDEAS:
        return _with_ideas(game, state, who, box, box.questions[state.question])
    round_ = _counted(game, state, box)
    if state.twice:
        return _asked_twice(game, state, who, box, box.questions[state.question], round_)
    return _write(game, state, who, box, round_)


def _counted(game: Game, state: State, box: Box) -> Round:
    number, index, questions = state.round, state.question, box.questions
    if game.is_assembly:
        return resolutions.resolved(game, state, questions[index], box.last, box.present, clock.now())
    if state.phase == Phase.VOTING:
        answered = gathering.read(game.id, number).round
        return counting.votes(answered, box.last, _unseen(game, answered, box))
    if game.engagement_type == Type.TRIVIA:

        def clock_of(each: Given) -> tuple[int, int]:
            return state.clock.elapsed(each.at), state.clock.length(box.percents[each.player])

        bonus = game.speed_bonus and bool(state.clock.seconds)
        return counting.trivia(number, index, questions[index], box.last, clock_of, bonus)
    if game.engagement_type == Type.POLL:
        return counting.poll(number, index, questions[index], box.last, game.id)
    return counting.survey(number, questions, box.last)


def _unseen(game: Game, answered: Round, box: Box) -> frozenset[int]:
    """The numbers of answers that nobody sees when the vote closes."""
    gone = {each.player for each in answered.entries} - box.percents.keys()
    return moderation.unseen_answers(texts.texts(game.id), answered.number, counting.gathered(answered), gone)


def _gather(game: Game, state: State, who: str, box: Box) -> State:
    """The first of two closes: what was answered is put to the vote, if there is enough of it."""
    round_ = counting.answers(state.round, state.question, box.last)
    answers = counting.gathered(round_)
    if not scores.is_voted_on(answers):
        return _write(game, state, who, box, round_)
    seconds = rules.voting_seconds(game, box.questions[state.question])
    waits = bool(moderation.waiting(texts.texts(game.id), state.round, [each.text for each in answers]))
    after = _now(rules.voting(state, seconds, clock.now(), waits=waits))
    parts = gathering.parts(round_, answers, box.percents)
    writes = repository.gathering(game, state.round, parts)
    _record(game, who, "LiveAnswersSealed", state, after, round_, box, writes)
    return after


# --- ideas: what is written is put in order, then voted on ---


def _with_ideas(game: Game, state: State, who: str, box: Box, question: Question) -> State:
    if state.phase == Phase.QUESTION:
        return _collect(game, state, who, box, question)
    found = orders.read(game.id, state.round)
    if found is None:
        raise LostRace  # somebody else has just dropped it
    written, sorted_ = found
    voted = state.phase == Phase.VOTING
    if voted:
        hidden = moderation.hidden_options(texts.texts(game.id), state.round, sorted_.order.options)
        box = replace(box, last=tuple(replace(each, said=moderation.without(each.said, hidden)) for each in box.last))
    else:
        box = replace(box, written_by_robots=orders.robots(game.id, state.round))
    if game.is_assembly:
        asked = replace(ideas.as_ranking(question, sorted_.order.options), secret=True)
        resolved = resolutions.resolved(game, state, asked, box.last, box.present, clock.now())
        round_ = ideas.around(resolved, written, sorted_)
    else:
        round_ = (
            ideas.voted(written, sorted_, question, box.last, game.id)
            if voted
            else ideas.unvoted(written, box.written_by_robots, sorted_)
        )
    settled = replace(sorted_.order, settled=True)
    return _write(game, state, who, box, round_, *orders.change(game, state.round, sorted_.order, settled))


def _collect(game: Game, state: State, who: str, box: Box, question: Question) -> State:
    """The first of two closes: what was written is put in order, if there is enough of it."""
    written = ideas.collected(state.round, state.question, box.last)
    robots = box.by_robots(written, is_secret=True)
    out = moderation.waiting(texts.texts(game.id), state.round, [each.said["text"] for each in written.entries])
    if not ideas.is_sorted(written, robots):
        return _write(game, state, who, box, _unsorted(game, state, box, question, written, out))
    after = _now(rules.sorting(state))
    parts = orders.parts(written, robots)
    writes = [
        *orders.creation(game, state.round, parts, len(written.entries), out),
        *repository.unsalting(game, state.round),
        repository.emptying(game, state.round, ideas=True),
    ]
    _record(game, who, "LiveAnswersSealed", state, after, written, box, writes)
    return after


def _unsorted(game: Game, state: State, box: Box, question: Question, written: Round, out: Collection[int]) -> Round:
    """Too little to vote on; an assembly notes who was there all the same."""
    round_ = ideas.unvoted(written, box.by_robots(written, is_secret=True), out=out)
    if not game.is_assembly:
        return round_
    told = resolutions.resolved(game, state, replace(question, secret=True), (), box.present, clock.now())
    return replace(round_, result={**told.result, **round_.result})


def of_ideas(game: Game, state: State) -> list[Write]:
    """Of ideas that are not to count nothing is kept."""
    order = orders.find(game.id, state.round) if state.kind == Kind.IDEAS and state.is_under_way else None
    return orders.dropping(game, state.round, order) if order else []


# --- the same ranking twice ---


def _asked_twice(game: Game, state: State, who: str, box: Box, question: Question, round_: Round) -> State:
    """The first time first choices are kept under other names; the second time who moved where is added up, and what
    linked the two is destroyed."""
    if not state.before:
        salt = new_salt()
        before = twice.Before(salt, twice.firsts(box.last, box.players, question, salt))
        kept = [] if round_.result.get("too_few") else twice.linking(game, state.round, before)
        return _write(game, state, who, box, round_, *kept)
    before_ = twice.find(game.id, state.before)
    moved = {"untold": "lost"}
    if before_ is not None:
        robots = {pseudonym(before_.salt, box.players[name]) for name in box.robots}
        moved = twice.flows(before_.firsts, twice.firsts(box.last, box.players, question, before_.salt), robots)
    parts = repository.round_items(game.id, state.before)
    compared = twice.compared(round_, question, counting.round_of(parts) if parts else None, moved)
    return _write(game, state, who, box, compared, *twice.unlinking(game, state.before))


# --- writing ---


def _write(game: Game, state: State, who: str, box: Box, round_: Round, *more: Write) -> State:
    after = _now(rules.sealed(state, revealed=game.is_assembly))
    salted = _is_salted(game, state)
    head, *others = counting.as_parts(round_)
    head |= {"robots": box.written_by_robots or box.by_robots(round_, salted)}
    writes = [
        *repository.round_writing(game, state.round, [head, *others]),
        *([*repository.unsalting(game, state.round), repository.emptying(game, state.round)] if salted else []),
        *more,
    ]
    _record(game, who, "LiveRoundSealed", state, after, round_, box, writes)
    return after


def _record(
    game: Game, who: str, kind: str, before: State, after: State, round_: Round, box: Box, writes: list[Write]
) -> None:
    receipts = sorted(each.receipt for each in box.last)
    said = {"game_id": game.id, "round": round_.number, "count": round_.count, **seals.digests(round_, game, receipts)}

    def heard(number: int) -> list[Write]:
        return repository.hearing(game, before.round, before.phase, receipts, number)

    present = quorate.told(game, len(box.present)) if game.is_assembly else {}
    event = Event(who, kind, said | present | {"state": repository.told_state(after)})
    record(event, *repository.moving(game, before, after), *writes, noting=heard)


def _now(state: State) -> State:
    return replace(state, changed_at=now_text())


# --- what nobody signed goes ---


@EMPTYING.step
def empty_batch(task: Task) -> Batch:
    """Remove what was given in an anonymous round once it is sealed, of ideas already before they are voted on; in the
    end the files forget."""
    game_id, round_ = task.data["game_id"], task.data["round"]
    votes = () if task.data["ideas"] else keys.live_votes(game_id, round_)
    left = next_deletions(*keys.live_answers(game_id, round_), *votes)
    return Batch(left) if left else finished(to_forget())
