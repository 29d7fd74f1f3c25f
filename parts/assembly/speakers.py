"""The speakers' list of an assembly: who has asked, who is speaking, who has spoken; pure decisions, how they are
stored, and what screens show.

Next is the person who has spoken least often about the current item, then the one who asked first: no one speaks twice
before all who want to have spoken once. The list belongs to a round and is emptied when that is closed or voted on.
Speeches are kept for the minutes.

A whole hall writes this one item, so writers in a process take a lock. Asking, calling and ending are not events, just
as joining is not. Closing, reopening or limiting the list is, because people may ask who did it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import next_version, record, table, unchanged_or_new
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Put
from parts.live import changes, clock, repository
from parts.live.rules import Game, Phase, State
from parts.live.snapshot import Snapshot

MAX_WAITING_SPEAKERS = 500  # people on the list at a time
MAX_RECORDED_SPEECHES = 1_000  # speeches stored; the oldest are dropped
LIMITS = (0, 1, 2, 3, 5, 10, 15)  # minutes that a speech may take; 0: no limit
MAX_NAMES_SHOWN = {"player": 5, "screen": 8, "host": 8, "remote": 50}  # names, by whose screen it is
MAX_ATTEMPTS = 40  # as a whole hall may ask at once, from several machines


@dataclass(frozen=True, slots=True)
class SpeakRequest:
    player: str
    at: int  # milliseconds


@dataclass(frozen=True, slots=True)
class Speech:
    player: str
    item: int  # its place on the agenda
    round: int
    began: int  # milliseconds
    ended: int = 0  # 0 while it goes on, or if its end was not recorded


@dataclass(frozen=True, slots=True)
class Speakers:
    version: int = 0
    round: int = 0  # whose list it is
    minutes: int = 0  # that a speech may take; 0: no limit
    closed: bool = False
    waiting: tuple[SpeakRequest, ...] = ()
    speaking: Speech | None = None
    held: tuple[Speech, ...] = ()  # all speeches that are over, of all items

    @property
    def is_empty(self) -> bool:
        """Whether it was never used."""
        return not (self.minutes or self.closed or self.waiting or self.speaking or self.held)


NOBODY = Speakers()


# --- what there is ---


def current_list(speakers: Speakers, state: State) -> Speakers:
    """The list of the current round: one of an earlier round is over, and so is its speech."""
    if state.phase == Phase.SHOWN and speakers.round == state.round:
        return speakers
    held = _with_speech(speakers, speakers.speaking) if speakers.speaking else speakers.held
    return replace(speakers, round=state.round, closed=False, waiting=(), speaking=None, held=held)


def queue(speakers: Speakers, state: State, there: Container[str]) -> list[tuple[str, int]]:
    """The players present, next speaker first, and how often each has spoken about this item."""
    spoken = speech_counts(speakers, state.question)
    waiting = (each for each in current_list(speakers, state).waiting if each.player in there)
    ordered = sorted(waiting, key=lambda each: (spoken[each.player], each.at))
    return [(each.player, spoken[each.player]) for each in ordered]


def speech_counts(speakers: Speakers, item: int) -> Counter[str]:
    """How often each player has spoken about an item, including the current speech."""
    speeches = (*speakers.held, *((speakers.speaking,) if speakers.speaking else ()))
    return Counter(each.player for each in speeches if each.item == item)


# --- what players do ---


def with_request(speakers: Speakers, state: State, player: str, now: int) -> Speakers:
    """Asking twice keeps the place."""
    _check_talking(state)
    on = current_list(speakers, state)
    if any(each.player == player for each in on.waiting):
        return on
    if on.closed:
        raise NotNow(_("The list of speakers is closed."))
    if len(on.waiting) >= MAX_WAITING_SPEAKERS:
        raise NotNow(_("The list of speakers is full. Wait until some have spoken."))
    return replace(on, waiting=(*on.waiting, SpeakRequest(player, now)))


def without_request(speakers: Speakers, state: State, player: str) -> Speakers:
    on = current_list(speakers, state)
    return replace(on, waiting=tuple(each for each in on.waiting if each.player != player))


# --- what hosts do ---


def with_speaker(speakers: Speakers, state: State, player: str, now: int) -> Speakers:
    """Gives the floor to someone on the list and ends the current speech. Idempotent."""
    _check_talking(state)
    on = current_list(speakers, state)
    if on.speaking and on.speaking.player == player:
        return on
    if not any(each.player == player for each in on.waiting):
        raise NotNow(_("This person is no longer on the list."))
    after = with_speech_ended(without_request(on, state, player), state, now)
    return replace(after, speaking=Speech(player, state.question, state.round, now))


def with_speech_ended(speakers: Speakers, state: State, now: int, player: str = "") -> Speakers:
    """With a player, only if that player is speaking."""
    on = speakers if speakers.round == state.round else current_list(speakers, state)
    if on.speaking is None or (player and on.speaking.player != player):
        return on
    return replace(on, speaking=None, held=_with_speech(on, replace(on.speaking, ended=now)))


def with_list_closed(speakers: Speakers, state: State, is_closed: bool) -> Speakers:
    """No one else can join the list; those on it still speak."""
    _check_talking(state)
    return replace(current_list(speakers, state), closed=is_closed)


def with_time_limit(speakers: Speakers, state: State, minutes: int) -> Speakers:
    """Applies until it is changed. It is shown, but cuts no one off."""
    if minutes not in LIMITS:
        raise NotNow(_("Choose one of the times offered."))
    return replace(current_list(speakers, state), minutes=minutes)


def with_debate_over(speakers: Speakers, state: State, now: int) -> Speakers:
    return current_list(with_speech_ended(speakers, state, now), replace(state, phase=Phase.RESULTS))


def _with_speech(speakers: Speakers, speech: Speech) -> tuple[Speech, ...]:
    return (*speakers.held, speech)[-MAX_RECORDED_SPEECHES:]


def _check_talking(state: State) -> None:
    if state.phase != Phase.SHOWN:
        raise NotNow(_("Nothing is being discussed right now, so there is no list of speakers."))


# --- items and values ---


def speakers_of(item: Mapping[str, Any] | None) -> Speakers:
    if item is None:
        return NOBODY
    return Speakers(
        version=item["version"],
        round=item["round"],
        minutes=item["minutes"],
        closed=item["closed"],
        waiting=tuple(SpeakRequest(*each) for each in item["waiting"]),
        speaking=Speech(*item["speaking"]) if item["speaking"] else None,
        held=tuple(Speech(*each) for each in item["held"]),
    )


def as_item(speakers: Speakers) -> dict[str, Any]:
    """Compact lists, because there may be a thousand speeches."""
    now = speakers.speaking
    return {
        "version": speakers.version,
        "round": speakers.round,
        "minutes": speakers.minutes,
        "closed": speakers.closed,
        "waiting": [[each.player, each.at] for each in speakers.waiting],
        "speaking": _speech_fields(now) if now else [],
        "held": [_speech_fields(each) for each in speakers.held],
    }


def _speech_fields(speech: Speech) -> list[Any]:
    return [speech.player, speech.item, speech.round, speech.began, speech.ended]


# --- writing it ---

Change = Callable[[Speakers, State], Speakers]

_lock = threading.Lock()  # so that those in one process never overtake each other


def ask(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: with_request(list_, state, player, now))


def take_back(game: Game, player: str) -> Speakers:
    """Also used by hosts to remove someone from the list."""
    return _change(game.id, lambda list_, state: without_request(list_, state, player))


def call(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: with_speaker(list_, state, player, now))


def end(game: Game, player: str) -> Speakers:
    now = clock.now()
    return _change(game.id, lambda list_, state: with_speech_ended(list_, state, now, player))


def close(game: Game, who: str, is_closed: bool) -> Speakers:
    return _change(game.id, lambda list_, state: with_list_closed(list_, state, is_closed), who)


def limit(game: Game, who: str, minutes: int) -> Speakers:
    return _change(game.id, lambda list_, state: with_time_limit(list_, state, minutes), who)


def player_left(game: Game, player: str) -> None:
    """Ends their speech and their request."""
    now = clock.now()

    def without(list_: Speakers, state: State) -> Speakers:
        return with_speech_ended(without_request(list_, state, player), state, now, player)

    _change(game.id, without)


def end_debate(game: Game) -> None:
    """The item is closed or put to the vote."""
    now = clock.now()
    _change(game.id, lambda list_, state: with_debate_over(list_, state, now))


def _change(game_id: str, change: Change, who: str = "") -> Speakers:
    def attempt() -> Speakers:
        place = keys.game_speakers(game_id)
        (game, state), items = repository.load_with(game_id, place)
        before = speakers_of(items.get(place))
        after = change(before, state)
        if after == before or (place not in items and after.is_empty):
            return after
        item = {**place.item, **as_item(next_version(before, after)), "ttl": game.ttl}
        put = Put(item, when=unchanged_or_new(before))
        if who:
            event_data = {"game_id": game.id, "round": after.round, "closed": after.closed, "minutes": after.minutes}
            record(Event(who, "LiveSpeakersChanged", event_data), put)
        else:
            table().write(put)
        return after

    with _lock:
        after = retry_lost_race(attempt, MAX_ATTEMPTS)
    changes.publish(game_id)
    return after


# --- on screens, built once per snapshot for everyone who is looking ---
#
# Everyone sees who is speaking and for how long, who is next, and whether the list is closed: the fragment `panel`;
# hosts with buttons. Whether a player is on the list is in `mine`, whose key changes only with that, so that no button
# moves away.


class Position(StrEnum):
    """A player's position on the list."""

    NONE = "none"
    SHUT = "shut"  # not on the list, and it is closed
    WAITING = "waiting"
    NEXT = "next"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Someone on the list, or speaking."""

    player: str
    name: str
    spoken: int = 0  # times about this item, before now

    @property
    def is_first(self) -> bool:
        return not self.spoken


@dataclass(frozen=True, slots=True)
class Floor:
    closed: bool = False
    minutes: int = 0
    speaking: Speaker | None = None
    began: int = 0
    elapsed: int = 0  # seconds, when it was looked at
    waiting: tuple[Speaker, ...] = ()
    limits: tuple[int, ...] = LIMITS

    @property
    def seconds(self) -> int:
        return self.minutes * 60

    @property
    def next(self) -> Speaker | None:
        return self.waiting[0] if self.waiting else None

    @property
    def is_over_time(self) -> bool:
        return bool(self.seconds) and self.elapsed > self.seconds

    def visible_to(self, role: str) -> tuple[Speaker, ...]:
        return self.waiting[: MAX_NAMES_SHOWN.get(role, 0)]

    def position_of(self, player: str) -> Position:
        if self.speaking and self.speaking.player == player:
            return Position.SPEAKING
        if self.next and self.next.player == player:
            return Position.NEXT
        if any(each.player == player for each in self.waiting):
            return Position.WAITING
        return Position.SHUT if self.closed else Position.NONE


def floor_of(snapshot: Snapshot) -> Floor | None:
    """None unless an item is being discussed."""
    if snapshot.state.phase != Phase.SHOWN:
        return None
    if "floor" not in snapshot.made:
        names = {each.player: each.name for each in snapshot.playing}
        list_ = current_list(snapshot.panel_data or NOBODY, snapshot.state)
        now = list_.speaking if list_.speaking and list_.speaking.player in names else None
        before, waiting = speech_counts(list_, snapshot.state.question), queue(list_, snapshot.state, names)
        snapshot.made["floor"] = Floor(
            closed=list_.closed,
            minutes=list_.minutes,
            speaking=Speaker(now.player, names[now.player], before[now.player] - 1) if now else None,
            began=now.began if now else 0,
            elapsed=max(0, snapshot.at - now.began) // 1000 if now else 0,
            waiting=tuple(Speaker(player, names[player], spoken) for player, spoken in waiting),
        )
    made: Floor = snapshot.made["floor"]
    return made


def position_of(snapshot: Snapshot, player: str) -> str:
    """Empty if there is no list."""
    floor = floor_of(snapshot)
    return str(floor.position_of(player)) if floor else ""
