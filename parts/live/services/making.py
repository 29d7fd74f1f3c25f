"""Creates a session with its code, links and questions, or copies one: no answers, codes or hosts."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.retry import MAX_RACES
from foundation.acts.storage import now_text, record
from foundation.pages.times import from_text
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.log import Event
from foundation.store.table import Conflict
from parts.questions.question import Question

from .. import repository, room_questions
from ..clock import MAX_SESSION_DURATION, configured
from ..formats import FORMATS
from ..play import suits
from ..rules import Game, State, later
from . import hosting
from .formats import HOOKS

FEW_SESSIONS, MANY_SESSIONS = 50, 500  # running sessions from which codes get another digit
COPIED_SETTINGS = (
    *("title", "question_set_id", "set_version", "custom_instructions", "context", "debug_mode", "names"),
    *("speed_bonus", "time_zone"),
)
NOTHING_SUITS = _("None of these questions suits this type of session.")


def make(host: User, engagement_type: str, questions: Sequence[Question], *, game_id: str = "", **chosen: Any) -> Game:
    """Create a session that waits for players; idempotent if a `game_id` is given."""
    suitable = tuple(each for each in questions if suits(engagement_type, each))
    if not suitable and not FORMATS.of_type(engagement_type).any_order:  # items can be added later
        raise NotNow(NOTHING_SUITS)
    for _attempt in range(MAX_RACES):
        game = _new(game_id or secrets.token_urlsafe(16), host, engagement_type, len(suitable), **chosen)
        with suppress(LostRace):  # the code is taken, so draw again; or the host has been removed
            _record(game, suitable, host)
            return game
        if game_id and (found := repository.find(game_id)) is not None:
            return found[0]
    raise Conflict("Every code drawn for a session was taken.")


def _new(game_id: str, host: User, engagement_type: str, total: int, **chosen: Any) -> Game:
    now, own = now_text(), repository.own_from(engagement_type, chosen)
    settings_ = {name: value for name, value in chosen.items() if not hasattr(own, name)}
    return Game(
        id=game_id,
        engagement_type=str(engagement_type),
        created_at=now,
        kept_until=later(now, MAX_SESSION_DURATION + configured().retention),
        created_by=host.name,
        code=new_code(repository.count_running()),
        token=secrets.token_urlsafe(12),
        screen_token=secrets.token_urlsafe(12),
        total_questions=total,
        own=own,
        **settings_,
    )


def _record(game: Game, questions: Sequence[Question], host: User) -> None:
    state = State(changed_at=game.created_at)
    writes = repository.creation(game, state, questions, int(from_text(game.created_at).timestamp()))
    record(
        Event(game.created_by, "LiveSessionMade", repository.created_event_data(game)),
        *writes,
        people.is_same_account(host),
    )


def new_code(running: int) -> str:
    """Short codes are quick to type; more running sessions need longer ones, so that guesses rarely hit."""
    digits = 4 if running < FEW_SESSIONS else 5 if running < MANY_SESSIONS else 6
    return "".join(secrets.choice("0123456789") for _ in range(digits))


def copy(host: User, game_id: str, token: str) -> Game:
    """Copy a session; idempotent by the form's token: submitting again completes the same copy."""
    (source, _state), items = repository.load_with(game_id, keys.game_qa(game_id))
    mark = salted_hmac("live.copy", f"{fold(host.name)}\n{game_id}\n{token}", algorithm="sha256").digest()
    copy_id = urlsafe_b64encode(mark[:16]).decode().rstrip("=")
    if repository.find(copy_id) is None:
        hosting.check_makes_another(host)
    chosen = {name: getattr(source, name) for name in COPIED_SETTINGS} | HOOKS.of(source).copied(source)
    questions = [each for each in repository.read_questions(game_id) if not each.run_off]
    made = make(host, source.engagement_type, questions, game_id=copy_id, **chosen)
    qa = room_questions.qa_from_item(items.get(keys.game_qa(game_id)))
    if qa.is_on:
        room_questions.set_up(made.id, host.name, is_on=True, mode=qa.mode, named=qa.named, words=qa.words)
    HOOKS.of(source).copy(source, made, host)
    return made
