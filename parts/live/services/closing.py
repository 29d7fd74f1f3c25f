"""Closing a round: stop confirming answers, then read, count and seal them.

The first process to notice that time is up closes it, by a marker in the state; others wait. If it stalls for some
seconds another one starts again: both read the same answers, and only one write can leave the state's version. If they
cannot be counted the mark says so, and the host voids the round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.queues import log_failure
from foundation.acts.refusals import LostRace
from foundation.acts.retry import SingleFlight
from foundation.acts.storage import SITE, now_text, record, table, try_record, try_write
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.parallel import run_parallel
from foundation.store.purging import purge_mark
from foundation.store.table import Conflict, Delete, StoreError, Unavailable, Write
from parts.live import changes, clock, repository, room_questions, rounds, rules, seats
from parts.live.moderation import NOTHING_WRITTEN

from ..play import AnswerBox, Closing, play_named
from ..repository import EMPTYING
from ..rounds import GivenAnswer, pseudonym
from ..rules import Game, Phase, State, Step
from ..seats import Seat
from .formats import HOOKS

POLL_SECONDS = 0.1  # while another process closes the round
LONG_AGO = 1  # start of an abandoned closing, so that others take over at once
CLOSING: SingleFlight[State] = SingleFlight()


def settled(game: Game, state: State) -> State:
    """The state after closing the open phase if its time is up."""
    return close(game, state, SITE) if state.is_over(clock.now()) else state


def close(game: Game, state: State, who: str) -> State:
    """Close the open phase, or wait until another process has; return the new state, or the old one if it is
    uncountable."""
    return CLOSING.run((game.id, state.version), lambda: _closed(game, state, who))


def _closed(game: Game, state: State, who: str) -> State:
    there: State | None = state
    looks = 0
    while there is not None and there.version == state.version:
        now = clock.now()
        if there.is_uncountable and not state.is_uncountable:
            return there
        if there.is_being_closed(now) and looks * POLL_SECONDS * 1000 < rules.MAX_CLOSING_MS:
            time.sleep(POLL_SECONDS)
            looks += 1
        elif try_write(repository.closing(game, there, now)):
            return _close(game, replace(there, closing=now), who)
        else:  # another process was quicker
            looks = 0
        there = repository.read_state(game.id)
    return there or state


def _close(game: Game, state: State, who: str) -> State:
    try:
        try:
            after = _sealed(game, state, who)
        except LostRace:
            return _overtaken(game, state, who)
    except (Conflict, Unavailable):
        with suppress(StoreError):  # let others take over without waiting
            try_write(repository.closing(game, state, LONG_AGO))
        raise
    except Exception as error:
        return _uncountable(game, state, error)
    changes.publish(game.id)
    return after


def _overtaken(game: Game, state: State, who: str) -> State:
    """The current state if another process was quicker; a round whose data is lost is voided."""
    there = repository.read_state(game.id) or state
    if there.version != state.version or not _is_lost(game, there):
        return there
    return void(game, there, who, repository.emptying(game, there.round))


def _uncountable(game: Game, state: State, error: Exception) -> State:
    """Mark the round, whatever is wrong with it: counting it again would only fail again, for everyone who looks."""
    if not try_write(repository.closing(game, state, rules.UNCOUNTABLE_MARK)):
        return repository.read_state(game.id) or state
    log_failure(error)
    changes.publish(game.id)
    return replace(state, closing=rules.UNCOUNTABLE_MARK)


def void(game: Game, state: State, who: str, *dropped: Write) -> State:
    """Void the current round without counting it; the current state if another process was quicker."""
    after = _changed_now(rules.voided(state))
    event_data = {"game_id": game.id, "step": str(Step.VOID), "state": repository.state_as_item(after)}
    writes = [*repository.moving(game, state, after), *dropped, *play_named(state.play).moving_on(game, state, after)]
    if not try_record(Event(who, "LiveSessionMoved", event_data), *writes):
        return repository.read_state(game.id) or state
    changes.publish(game.id)
    return after


def dropping(game: Game, state: State) -> list[Write]:
    """Discard the anonymous answers of a voided round: never counted, and no longer traceable. After a restore the salt
    is gone already."""
    if not _is_salted(state):
        return []
    return [Delete(keys.game_salt(game.id, state.round)), repository.emptying(game, state.round)]


def _is_lost(game: Game, state: State) -> bool:
    """Whether the current round can never be closed.

    Backups contain no salts, so after a restore anonymous answers match no player; some plays need further data.
    """
    if _is_salted(state) and repository.read_salt(game.id, state.round) is None:
        return True
    return play_named(state.play).is_lost(game, state)


# --- what was given ---


def _is_salted(state: State) -> bool:
    """Whether answers are stored under pseudonyms."""
    return state.is_open and state.secret


def _read_answers(game: Game, state: State) -> Closing:
    """Refused if an anonymous round has no salt, because it was sealed in the meantime."""
    play = play_named(state.play)
    given_in = repository.read_votes if state.phase == Phase.VOTING else repository.read_answers
    asks: tuple[Callable[[], Any], ...] = (
        lambda: repository.read_salt(game.id, state.round),
        lambda: list(seats.read_seats(game.id)),
        lambda: given_in(game.id, state.round),
        lambda: repository.read_questions(game.id),
        lambda: room_questions.read_texts(game.id) if play.has_texts else NOTHING_WRITTEN,
        lambda: play.read_previous_phase(game, state),
    )
    salt, seated, given, questions, written, gathered = run_parallel(table(), *asks)
    if _is_salted(state) and salt is None:
        raise LostRace
    playing = {pseudonym(salt, each.player): each for each in seated if each.plays}
    percents = {name: each.percent for name, each in playing.items()}
    robots = frozenset(name for name, each in playing.items() if each.robot)
    last = tuple(replace(each, robot=each.player in robots) for each in _last_in_time(given, state, percents))
    present = sorted(each.player for each in playing.values() if _was_present(state, each))
    ids = {name: each.player for name, each in playing.items()}
    weights = HOOKS.of(game).weights(playing.values())
    box = AnswerBox(last, percents, robots, ids, tuple(present), weights)
    return Closing(game, state, questions, box, written, clock.now(), gathered)


def _was_present(state: State, seat: Seat) -> bool:
    """In an open phase, present at any time, so that it does not reveal who voted; otherwise present at the end."""
    return seat.was_there_since(state.clock.began) if state.is_open else seat.is_there


def _last_in_time(given: Iterable[GivenAnswer], state: State, percents: dict[str, int]) -> Iterable[GivenAnswer]:
    """The latest answer of each seated player that was in time, including pauses made since."""
    last: dict[str, GivenAnswer] = {}
    for each in sorted(given, key=lambda each: each.at):
        if each.player in percents and state.clock.takes(each.at, percents[each.player]):
            last[each.player] = each
    return last.values()


# --- sealing ---


def _sealed(game: Game, state: State, who: str) -> State:
    """Let the play count the answers, and record a sealed round or its next phase."""
    closing, play = _read_answers(game, state), play_named(state.play)
    closed, box = play.close(closing), closing.box
    round_, is_sealed, salted = closed.round, closed.after is None, _is_salted(state)
    after = _changed_now(closed.after or rules.sealed(state, revealed=play.is_revealed))
    writes = list(closed.writes)
    if is_sealed:
        head, *others = rounds.round_as_parts(round_)
        names = (each.player for each in (box.last if salted else round_.entries))
        head |= {"robots": box.by_robots(names) if closed.robots is None else closed.robots}
        writes += repository.round_writing(game, state.round, [head, *others])
    if salted and (is_sealed or closed.empties):
        writes += [
            *repository.unsalting(game, state.round),
            repository.emptying(game, state.round, ideas=not is_sealed),
        ]
    receipts = sorted(each.receipt for each in box.last)
    event_data = {
        "game_id": game.id,
        "round": round_.number,
        "count": round_.count,
        **rounds.digests(round_, closing.round_questions, receipts),
        **play.seal_event_data(game, len(box.present)),
        "state": repository.state_as_item(after),
    }
    writes.append(repository.receipt_writing(game, state.round, state.phase, receipts))
    event = Event(who, "LiveRoundSealed" if is_sealed else "LiveAnswersSealed", event_data)
    record(event, *repository.moving(game, state, after), *writes)
    return after


def _changed_now(state: State) -> State:
    return replace(state, changed_at=now_text())


# --- removing anonymous answers ---


@EMPTYING.step
def empty_batch(task: Task) -> Batch:
    """Remove the answers of a sealed anonymous round, or ideas before the vote; finally purge them from files."""
    game_id, round_ = task.data["game_id"], task.data["round"]
    votes = () if task.data["ideas"] else keys.live_votes(game_id, round_)
    left = next_deletions(*keys.live_answers(game_id, round_), *votes)
    return Batch(left) if left else finished(purge_mark())
