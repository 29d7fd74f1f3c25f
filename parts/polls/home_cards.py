"""Cards on a person's home page: their open polls."""

from __future__ import annotations

from functools import partial

from accounts.models import User
from elections.panels import MAX_CARDS, MAX_NEWEST, NO_TIME, NOW, RUNNING, HomeCard
from foundation.acts.storage import table
from foundation.store.keys import made_by
from foundation.store.parallel import run_parallel

from . import repository


def poll_cards(user: User, now: str) -> list[HomeCard]:
    newest, _cursor = repository.list_page(made_by(user.name), limit=MAX_NEWEST)
    open_ = [each.id for each in newest if each.is_open(now)][:MAX_CARDS]
    found = run_parallel(table(), *(partial(repository.with_gates, poll_id) for poll_id in open_))
    cards = [
        (poll.expires_at or NO_TIME, {"poll": poll, "votes": votes}) for poll, votes, _result in filter(None, found)
    ]
    return [HomeCard(RUNNING if of["votes"] else NOW, time, "polls/parts/home_card.html", of) for time, of in cards]
