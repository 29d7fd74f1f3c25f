"""Copies a session: title, settings, questions and what its format adds; no answers, codes or hosts."""

from __future__ import annotations

from base64 import urlsafe_b64encode

from django.utils.crypto import salted_hmac

from accounts.models import User
from live import qa_store
from live.qa_rules import QaSettings
from store import keys
from store.keys import fold

from .. import repository
from ..qa import services as qa_services
from ..rules import Game
from . import hosting, making

SETTINGS = (
    *("title", "question_set_id", "set_version", "custom_instructions", "context", "debug_mode", "names"),
    *("speed_bonus", "quorum", "time_zone"),
)


def copy(host: User, game_id: str, token: str) -> Game:
    """Idempotent by the form's token: submitting again completes the same copy."""
    (source, _state), items = repository.load_with(game_id, keys.game_qa(game_id))
    copy_id = _copy_id(host, game_id, token)
    if repository.find(copy_id) is None:
        hosting.check_makes_another(host)
    chosen = {name: getattr(source, name) for name in SETTINGS}
    entitled = 0 if source.has_roll else source.entitled
    questions = repository.read_questions(game_id)
    made = making.make(host, source.engagement_type, questions, game_id=copy_id, entitled=entitled, **chosen)
    _copy_qa(made, host, qa_store.qa_from_item(items.get(keys.game_qa(game_id))))
    source.format.copy(source, made, host)
    return made


def _copy_id(host: User, game_id: str, token: str) -> str:
    mark = salted_hmac("live.copy", f"{fold(host.name)}\n{game_id}\n{token}", algorithm="sha256").digest()
    return urlsafe_b64encode(mark[:16]).decode().rstrip("=")


def _copy_qa(made: Game, host: User, before: QaSettings) -> None:
    if before.is_on:
        qa_services.set_up(made.id, host.name, is_on=True, mode=before.mode, named=before.named, words=before.words)
