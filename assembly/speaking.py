"""The list of speakers as it changes: one item that a hall writes, so whoever writes it here waits for their turn.

Asking, calling and ending are no events, as joining is none: what was said is in the minutes. That a list was closed,
opened again, or limited is one: somebody may ask who did it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from acts.again import try_again
from acts.recording import record
from acts.site import table
from acts.versions import next_version, unchanged_or_new
from live import clock, repository, waking
from live.rules import Game, State
from store import keys
from store.log import Event
from store.table import Put

from . import speakers
from .speakers import Speakers

MAX_ATTEMPTS = 40  # as a whole hall may ask at once, from several machines
Change = Callable[[Speakers, State], Speakers]

_turn = threading.Lock()  # so that those in one process never overtake each other


def ask(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: speakers.asked(list_, state, player, now))


def take_back(game: Game, player: str) -> Speakers:
    """Also what whoever hosts does with somebody on the list."""
    return _change(game.id, lambda list_, state: speakers.taken_back(list_, state, player))


def call(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: speakers.called(list_, state, player, now))


def end(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: speakers.ended(list_, state, now, player))


def close(game: Game, who: str, is_closed: bool) -> Speakers:
    return _change(game.id, lambda list_, state: speakers.closed(list_, state, is_closed), who)


def limit(game: Game, who: str, minutes: int) -> Speakers:
    return _change(game.id, lambda list_, state: speakers.limited(list_, state, minutes), who)


def gone(game: Game, player: str) -> None:
    """Somebody has left, or was sent away: they speak no longer, and want to no more."""
    now = clock.now()

    def without(list_: Speakers, state: State) -> Speakers:
        return speakers.ended(speakers.taken_back(list_, state, player), state, now, player)

    _change(game.id, without)


def over(game: Game) -> None:
    """What was talked about is closed or voted on."""
    now = clock.now()
    _change(game.id, lambda list_, state: speakers.over(list_, state, now))


def _change(game_id: str, change: Change, who: str = "") -> Speakers:
    def once() -> Speakers:
        place = keys.game_speakers(game_id)
        found, items = repository.load_with(game_id, place)
        before = speakers.speakers_of(items.get(place))
        after = change(before, found[1])
        if after != before and not (place not in items and after.is_empty):
            _write(found[0], before, after, who)
        return after

    with _turn:
        after = try_again(once, MAX_ATTEMPTS)
    waking.moved(game_id)
    return after


def _write(game: Game, before: Speakers, after: Speakers, who: str) -> None:
    place = keys.game_speakers(game.id)
    told = speakers.told(next_version(before, after))
    put = Put({"PK": place.pk, "SK": place.sk, **told, "ttl": game.ttl}, when=unchanged_or_new(before))
    if not who:
        table().write(put)
        return
    said = {"game_id": game.id, "round": after.round, "closed": after.closed, "minutes": after.minutes}
    record(Event(who, "LiveSpeakersChanged", said), put)
