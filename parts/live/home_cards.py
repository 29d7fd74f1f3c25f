"""Cards on a host's home page: their sessions that have not ended."""

from __future__ import annotations

from functools import partial

from accounts.models import User
from elections.panels import LATER, MAX_CARDS, NO_TIME, NOW, HomeCard
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.parallel import run_parallel

from . import repository
from .clock import now
from .repository import PastSession

RECENT_MS = 60_000  # how old a process's report of who is connected may be


def session_cards(host: User, _now: str) -> list[HomeCard]:
    running = repository.running_of(host.name, ())[:MAX_CARDS]
    return list(run_parallel(table(), *(partial(_card, each) for each in running)))


def _card(session: PastSession) -> HomeCard:
    state, seen = run_parallel(
        table(), partial(repository.read_state, session.id), lambda: list(table().each(keys.presences(session.id)))
    )
    people = sum(item["players"] for item in seen if now() - item["at"] < RECENT_MS)
    urgency = NOW if state and state.began_at else LATER
    return HomeCard(urgency, NO_TIME, "live/parts/home_card.html", {"session": session, "people": people})
