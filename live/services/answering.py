"""Submitting an answer: write first, then read the state, so that no answer is confirmed that no count has seen.

An answer written before the state was read as open is included when the round is closed, because closing marks the
state first. If the state is already closed, the sealed round itself says whether the answer counts.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any

from acts.single_flight import SingleFlight
from acts.storage import SITE
from ranking.codes import new_code
from store import keys
from store.table import Key

from .. import repository
from ..batching import BATCHES
from ..pseudonyms import holder, pseudonym
from ..rounds import GivenAnswer
from ..rules import Game, Phase, State
from ..seats import Seat
from . import closing


class AnswerStatus(StrEnum):
    """What a player is told of an answer or a vote."""

    COUNTED = "counted"
    LATE = "late"  # it does not count
    NOT_OPEN = "not open"  # nothing was asked, or something else by now


RECEIPT_READS: SingleFlight[list[str] | None] = SingleFlight()
RECEIPT_GROUPS = 3  # of a receipt: sixty random bits, so that no two in a room are the same


def new_receipt() -> str:
    """A random receipt by which people find their own answer, such as K7QM-2XHD-94TP."""
    return new_code(RECEIPT_GROUPS)


def submit(
    game: Game, state: State, seat: Seat, said: Any, at: int, salt: bytes | None = None, receipt: str = ""
) -> AnswerStatus:
    """Take what somebody says in the phase that is open: `at` is when their request came in; the state was read since.

    What they say was checked: it suits the question, and a vote names what its voter was shown. `salt` is that of the
    round, if it was read along. What counts is found again by the `receipt`, which is another one each time.
    """
    if not state.is_open or not seat.plays:
        return AnswerStatus.NOT_OPEN
    if not state.clock.takes(at, seat.percent):
        return AnswerStatus.LATE
    salt = _salt(game, state, salt)
    if state.secret and salt is None:
        return AnswerStatus.LATE  # it is being sealed just now
    given = GivenAnswer(pseudonym(salt, seat.player), said, at, receipt or new_receipt(), holder(salt, seat.secret))
    item = repository.given_item(game, _place(game, state, given), given)
    seen = BATCHES.put_then_look(item, keys.game_state(game.id))
    if seen is None:
        return AnswerStatus.LATE  # the session was removed meanwhile
    return answer_status(game, state, repository.state_from_item(seen), given.receipt)


def answer_status(game: Game, before: State, after: State, receipt: str) -> AnswerStatus:
    """What is true of something that was put before this state was read."""
    same = after.round == before.round and after.phase == before.phase
    if same and not after.closing:
        return AnswerStatus.COUNTED
    if same:
        closing.close(game, after, SITE)
    heard = RECEIPT_READS.run(
        (game.id, before.round, before.phase), lambda: repository.read_receipts(game.id, before.round, before.phase)
    )
    return AnswerStatus.COUNTED if heard is not None and receipt in heard else AnswerStatus.LATE


def _place(game: Game, state: State, given: GivenAnswer) -> Key:
    key = keys.live_vote if state.phase == Phase.VOTING else keys.live_answer
    return key(game.id, state.round, given.player, given.at)


def own(game: Game, state: State, seat: Seat, salt: bytes | None = None) -> GivenAnswer | None:
    """What somebody has given in the phase that is open; `salt` is that of the round, if it was read. Of a round that
    nobody signs this is the last time that anybody can tell: once it is sealed, only they know their receipt."""
    if not state.is_open:
        return None
    salt = _salt(game, state, salt)
    if state.secret and salt is None:
        return None
    given = repository.own_answer(game.id, state, pseudonym(salt, seat.player))
    if given is None or given.holder == holder(salt, seat.secret):
        return given
    return replace(given, said=None, receipt="")  # whose seat was taken over since


def answer_context(given: GivenAnswer | None) -> dict[str, Any]:
    """What a page shows somebody of what they gave: of an anonymous round only to the device that gave it."""
    if given is None:
        return {}
    return {"said": given.said, "receipt": given.receipt} if given.receipt else {"unseen": True}


def _salt(game: Game, state: State, known: bytes | None) -> bytes | None:
    """That of the current round, where nobody is to know who said what; `None` once it is sealed."""
    return known or (repository.read_salt(game.id, state.round) if state.secret else None)
