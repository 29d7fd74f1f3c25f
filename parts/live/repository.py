"""Repository of live sessions: reads by id, converts items, and builds the writes for every item of a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts import storage
from foundation.acts.background import OVERWRITE, TaskType
from foundation.acts.refusals import NotThere
from foundation.acts.storage import now_text, table, unchanged
from foundation.pages.times import from_text
from foundation.store import keys, sharded_reads
from foundation.store.splitting import in_parts
from foundation.store.table import Check, Delete, Equals, Exists, Item, Key, Less, Missing, Put, Span, Update, Write
from parts.questions.question import Question, question_of

from . import rules
from .clock import Clock
from .formats import FORMATS, Format, is_there
from .rounds import GivenAnswer
from .rules import NOT_THERE, Game, Names, Phase, State

EMPTYING = TaskType("empty live round", _("Removing anonymous answers"))
EXPIRING = TaskType("expire live session", _("Removing expired live sessions"))
DELETING = TaskType("delete live session", _("Deleting a live session"))

QUESTIONS_PER_PART = 20
MAX_RECENT_SESSIONS = 100  # history lines searched for running sessions
STATE_LISTS = ("played", "spans", "voided")  # of numbers
COUNTED = ("players", "rounds", "answers")  # totals the history keeps of an ended session


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session as the history shows it, without players' names."""

    id: str
    title: str
    engagement_type: str
    created_at: str
    created_by: str
    time_zone: str = "UTC"
    began_at: str = ""  # empty if nothing was ever asked
    ended_at: str | None = None
    expires_at: str | None = None
    debug_mode: int = 0
    players: int = 0
    rounds: int = 0
    answers: int = 0

    @property
    def is_kept(self) -> bool:
        """Whether its own pages still exist."""
        if self.ended_at is None:
            return True
        return now_text() < (self.expires_at or rules.later(self.created_at, rules.DEFAULT_RETENTION))

    @property
    def format(self) -> Format:
        return FORMATS.of(self)

    @property
    def has_record(self) -> bool:
        """Whether it has a record that outlives it; same rule as `rules.keeps_record`."""
        has_begun = bool(self.began_at or self.rounds)
        return bool(self.format.record_page) and self.ended_at is not None and has_begun and not self.debug_mode

    @property
    def when(self) -> str:
        """When it began or, if it never did, when it was created."""
        return self.began_at or self.created_at

    @property
    def minutes(self) -> int | None:
        """Duration from the first step to the end."""
        if self.ended_at is None or not self.began_at:
            return None
        return round((from_text(self.ended_at) - from_text(self.began_at)).total_seconds() / 60)


# --- finding ---


def find(game_id: str) -> tuple[Game, State] | None:
    """The session and its state, in one round trip."""
    return find_with(game_id)[0]


def load(game_id: str) -> tuple[Game, State]:
    """Like `find`, but a missing session is refused."""
    return load_with(game_id)[0]


def load_with(game_id: str, *others: Key) -> tuple[tuple[Game, State], dict[Key, Item]]:
    found, items = find_with(game_id, *others)
    if found is None:
        raise NotThere(NOT_THERE)
    return found, items


def find_with(game_id: str, *others: Key) -> tuple[tuple[Game, State] | None, dict[Key, Item]]:
    """The session, its state and other items, in one round trip."""
    at, state = keys.game(game_id), keys.game_state(game_id)
    found = table().get_many([at, state, *others])
    if at not in found or state not in found:
        return None, found
    return (game_from_item(found[at]), state_from_item(found[state])), found


def find_shown(game_id: str) -> tuple[Game, State] | None:
    return find_shown_with(game_id)[0]


def find_shown_with(game_id: str, *others: Key) -> tuple[tuple[Game, State] | None, dict[Key, Item]]:
    """As `find_with`, for pages: they show no session whose format belongs to a part that is switched off."""
    session, found = find_with(game_id, *others)
    return session if session and is_there(session[0].engagement_type) else None, found


def read_state(game_id: str) -> State | None:
    item = table().get(keys.game_state(game_id))
    return state_from_item(item) if item else None


def read_questions(game_id: str) -> tuple[Question, ...]:
    parts = table().each(keys.game_questions(game_id))
    return tuple(question_of(each) for item in parts for each in item["questions"])


def read_code(code: str) -> Item | None:
    """The target of a code: a session under `game`, a poll under `poll`."""
    return table().get(keys.short_code(code))


def has_code(game: Game) -> bool:
    """Whether the code still belongs to this session, and has not been reused."""
    return (read_code(game.code) or {}).get("game") == game.id


def count_running() -> int:
    return table().count(keys.RUNNING_GAMES)


def each_running() -> Iterator[str]:
    return (item["id"] for item in table().each(keys.RUNNING_GAMES))


def all_running(*, limit: int, cursor: str | None = None) -> tuple[list[Game], str | None]:
    """Running sessions of all hosts, newest first, for administrators."""
    page = table().page(keys.RUNNING_GAMES, limit=limit, cursor=cursor, backwards=True)
    return [game for game in map(game_from_item, page.items) if is_there(game.engagement_type)], page.cursor


def running_of(host: str, newest: Iterable[PastSession] | None = None) -> list[PastSession]:
    """Sessions of a host that have not ended, newest first.

    The index is eventually consistent, so the `newest` history lines supply sessions created just now.
    """
    newest = history(host, limit=MAX_RECENT_SESSIONS)[0] if newest is None else newest
    listed = table().page(keys.running_games_of(host), limit=MAX_RECENT_SESSIONS, backwards=True).items
    lines = {each.id: each for each in (*map(past_from_item, listed), *newest)}
    running = (each for each in lines.values() if each.ended_at is None and is_there(each.engagement_type))
    return sorted(running, key=lambda each: each.created_at, reverse=True)


def history(host: str, *, limit: int, cursor: str | None = None) -> tuple[list[PastSession], str | None]:
    """Newest first."""
    page = table().page(keys.games_of(host), limit=limit, cursor=cursor, backwards=True)
    lines = map(past_from_item, page.items)
    return [each for each in lines if is_there(each.engagement_type)], page.cursor


def round_items(game_id: str, round_: int | None = None) -> list[Item]:
    return list(table().each(keys.round_parts(game_id, round_)))


def gathered_items(game_id: str, round_: int) -> list[Item]:
    return list(table().each(keys.gathered_parts(game_id, round_)))


def read_receipts(game_id: str, round_: int, phase: Phase) -> list[str] | None:
    """Receipts of the answers or votes that count in a round; `None` until it is closed."""
    item = table().get(keys.round_heard(game_id, round_, phase))
    return item["receipts"] if item else None


def read_salt(game_id: str, round_: int) -> bytes | None:
    item = table().get(keys.game_salt(game_id, round_))
    return item["salt"] if item else None


def read_answers(game_id: str, round_: int) -> list[GivenAnswer]:
    """All answers of a round; only the latest of each player counts."""
    return _given(keys.live_answers(game_id, round_))


def read_votes(game_id: str, round_: int) -> list[GivenAnswer]:
    return _given(keys.live_votes(game_id, round_))


def _given(shards: Sequence[Span]) -> list[GivenAnswer]:
    return [GivenAnswer(*row) for row in sharded_reads.list_values(table(), shards, "player", "said", "at", "receipt")]


def given_at(game_id: str, state: State) -> int:
    """Time of the latest answer or vote in the open phase, in milliseconds; 0 if there is none."""
    given = read_votes(game_id, state.round) if state.phase == Phase.VOTING else read_answers(game_id, state.round)
    return max((each.at for each in given), default=0)


def host_seen_at(game_id: str) -> int:
    """When any process last saw a host, in milliseconds; 0 if not recently."""
    return max((item["host_at"] for item in table().each(keys.presences(game_id))), default=0)


def own_answer(game_id: str, state: State, player: str) -> GivenAnswer | None:
    span = keys.own_votes if state.phase == Phase.VOTING else keys.own_answers
    newest = table().page(span(game_id, state.round, player), limit=1, backwards=True).items
    if not newest:
        return None
    item = newest[0]
    return GivenAnswer(item["player"], item["said"], item["at"], item["receipt"], item.get("holder", ""))


# --- items and values ---


def values_of(class_: Any, item: Mapping[str, Any]) -> dict[str, Any]:
    """The values in an item that are fields of a dataclass. `fields` would take longer than the rest of a seat."""
    return {name: item[name] for name in class_.__match_args__ if name in item}


def values(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass instance, not converted any further."""
    return {name: getattr(thing, name) for name in thing.__match_args__}


def item_at(place: Key, game: Game, data: Mapping[str, Any]) -> Item:
    """An item of a session, which goes with the session."""
    return {**place.item, **data, "ttl": game.ttl}


def game_from_item(item: Mapping[str, Any]) -> Game:
    converted = {"names": Names(item["names"]), "hosts": tuple(item["hosts"])}
    return Game(**values_of(Game, item) | converted, own=own_from(item["engagement_type"], item))


def own_from(type_: str, item: Mapping[str, Any]) -> Any:
    """What the format of this type stores with a session."""
    kind = FORMATS.of_type(type_).own
    return kind(**values_of(kind, item)) if kind else None


def own_as_item(game: Game) -> dict[str, Any]:
    """Every session has the fields of all formats, beside its own those of one that has none."""
    blank = [each.own() for each in FORMATS.values() if each.own]
    return {name: value for own in (*blank, *filter(None, [game.own])) for name, value in values(own).items()}


SECRETS = ("token", "screen_token", "context")  # access tokens and the host's private notes


def created_event_data(game: Game) -> dict[str, Any]:
    """The event payload of a new session, without secrets."""
    return {name: value for name, value in game_as_item(game).items() if name not in SECRETS} | {"game_id": game.id}


def ended_event_data(game: Game, counted: Mapping[str, int], *, has_code: bool) -> dict[str, Any]:
    """Everything its history lines need, because the session itself is removed later."""
    line = values_of(PastSession, game_as_item(game))
    del line["id"]
    return {
        "game_id": game.id,
        **line,
        **hosts_event_data(game),
        "counted": dict(counted),
        "code": game.code * has_code,
    }


def hosts_event_data(game: Game) -> dict[str, Any]:
    """The hosts whose history lists it, and the date it is sorted by."""
    return {"created_at": game.created_at, "created_by": game.created_by, "hosts": list(game.hosts)}


def host_removed_event_data(game: Game, host: str) -> dict[str, Any]:
    """The former host, and the date that locates the session in their history."""
    return {"game_id": game.id, "name": host, "created_at": game.created_at}


def game_as_item(game: Game) -> dict[str, Any]:
    item: dict[str, Any] = {}
    for name, value in values(game).items():
        item |= own_as_item(game) if name == "own" else {name: value}
    return item | {
        "engagement_type": str(game.engagement_type),
        "names": str(game.names),
        "hosts": list(game.hosts),
    }


def state_from_item(item: Mapping[str, Any]) -> State:
    clock = item["clock"]
    converted = {
        "phase": Phase(item["phase"]),
        "clock": Clock(**clock | {"pauses": tuple((since, until) for since, until in clock["pauses"])}),
        **{name: tuple(item[name]) for name in STATE_LISTS},
    }
    return State(**values_of(State, item) | converted)


def state_as_item(state: State) -> dict[str, Any]:
    return values(state) | {
        "phase": str(state.phase),
        "clock": values(state.clock) | {"pauses": [list(each) for each in state.clock.pauses]},
        **{name: list(getattr(state, name)) for name in STATE_LISTS},
    }


def past_from_item(item: Mapping[str, Any]) -> PastSession:
    return PastSession(**values_of(PastSession, item))


# --- writes ---


def creation(game: Game, state: State, questions: Sequence[Question], now: int) -> list[Write]:
    """Refused in part 0 if the code is taken."""
    code = {**keys.short_code(game.code).item, "game": game.id, "ttl": game.code_ttl}
    return [
        Put(code, when=Missing() | Less("ttl", now)),
        Put(_game_item(game), when=Missing()),
        Put(_state_item(game, state), when=Missing()),
        *_question_parts(game, questions),
        *history_lines(game, dict.fromkeys(COUNTED, 0)),
    ]


def correction(
    before: Game, after: Game, questions_before: Sequence[Question], questions: Sequence[Question]
) -> list[Write]:
    """A new title or new questions; only the parts that differ are written."""
    old = {part.item["SK"]: part.item for part in _question_parts(before, questions_before)}
    new = {part.item["SK"]: part.item for part in _question_parts(after, questions)}
    return [
        *change(before, after),
        *(Put(item) for place, item in new.items() if old.get(place) != item),
        *(Delete(Key(item["PK"], place)) for place, item in old.items() if place not in new),
        *(history_lines(after, dict.fromkeys(COUNTED, 0)) if after.title != before.title else ()),
    ]


def _question_parts(game: Game, questions: Sequence[Question]) -> Iterator[Put]:
    """Split by size as well, because twenty of the longest questions exceed the size of an item."""
    items = (each.as_item() for each in questions)
    for number, some in enumerate(in_parts(items, max_count=QUESTIONS_PER_PART)):
        yield Put(item_at(keys.game_questions_part(game.id, number), game, {"questions": some}), when=Missing())


def _game_item(game: Game) -> Item:
    return item_at(keys.game(game.id), game, game_as_item(game) | _running_index(game, keys.RUNNING_GAMES))


def _running_index(game: Game, running: Span) -> Item:
    """Index entry of a session that has not ended, by which it is found among many that have."""
    if game.ended_at:
        return {}
    return {"GSI1PK": running.pk, "GSI1SK": keys.id_by_date(game.created_at, game.id)}


def _state_item(game: Game, state: State) -> Item:
    return item_at(keys.game_state(game.id), game, state_as_item(state))


def change(before: Game, after: Game) -> list[Write]:
    """Refused if the session has changed since it was read."""
    return [storage.change(before, after, _game_item)]


def moving(game: Game, before: State, after: State) -> list[Write]:
    """Refused if the state has changed since it was read, or if the open phase is being closed."""
    still = unchanged(before) if before.closing else unchanged(before) & Equals("closing", 0)
    return [Put(_state_item(game, after), when=still)]


def is_same(game: Game) -> Check:
    """Condition: nothing stored with the session itself has changed since it was read."""
    return Check(keys.game(game.id), unchanged(game))


def is_still_at(game: Game, state: State) -> Check:
    """Condition: no step has been taken since the state was read."""
    return Check(keys.game_state(game.id), unchanged(state))


def closing(game: Game, state: State, at: int) -> Update:
    """Mark the phase as closing: from now on no answer is confirmed before the phase is sealed.

    This is not a step, so the version stays. Refused if another process has begun to close it.
    """
    still = unchanged(state) & Equals("closing", state.closing)
    return Update(keys.game_state(game.id), set={"closing": at}, when=still)


def salting(game: Game, round_: int, salt: bytes) -> list[Write]:
    return [Put(item_at(keys.game_salt(game.id, round_), game, {"salt": salt}), when=Missing())]


def unsalting(game: Game, round_: int) -> list[Write]:
    """Destroy the salt, so that answers can no longer be traced. Refused if another process already has."""
    return [Delete(keys.game_salt(game.id, round_), when=Exists())]


def round_writing(game: Game, round_: int, parts: Sequence[Mapping[str, Any]]) -> list[Write]:
    return [
        Put(item_at(keys.round_part(game.id, round_, number), game, part), when=Missing())
        for number, part in enumerate(parts)
    ]


def gathering(game: Game, round_: int, parts: Sequence[Mapping[str, Any]]) -> list[Write]:
    return [
        Put(item_at(keys.gathered_part(game.id, round_, number), game, part), when=Missing())
        for number, part in enumerate(parts)
    ]


def receipt_writing(game: Game, round_: int, phase: Phase, receipts: Sequence[str]) -> Put:
    """Receipts of the answers or votes that count, sorted, so that their order reveals nothing."""
    return Put(item_at(keys.round_heard(game.id, round_, phase), game, {"receipts": list(receipts)}), when=Missing())


def emptying(game: Game, round_: int, *, ideas: bool = False) -> Put:
    """Task that removes the answers and votes of an anonymous round, or only the ideas to be voted on."""
    subject = f"{game.id}#{round_}{'#ideas' if ideas else ''}"
    return EMPTYING.begin(subject, due=now_text(), when=OVERWRITE, game_id=game.id, round=round_, ideas=ideas)


def ending(before: Game, after: Game, counted: Mapping[str, int], *, has_code: bool) -> list[Write]:
    """End the session: its code reports the end for a day, and its history lines become final."""
    ended = {"ended_at": after.ended_at, "ttl": after.code_ttl}
    code = Update(keys.short_code(after.code), set=ended, when=Equals("game", after.id))
    expiry = EXPIRING.begin(after.id, due=after.gone_at, created_at=after.created_at)
    return [*change(before, after), expiry, *history_lines(after, counted), *([code] if has_code else [])]


def deletion(game: Game, *, has_code: bool, has_record: bool = False) -> list[Write]:
    """Delete the session, its code and its history lines; the lines stay if they lead to a record."""
    code = keys.short_code(game.code)
    lines = [keys.game_in_history(host, game.created_at, game.id) for host in (game.created_by, *game.hosts)]
    return [
        *clearing(game),
        Delete(EXPIRING.key(game.id)),
        *(cut_short(line, game.ended_at) if has_record else Delete(line) for line in lines),
        *([Delete(code, when=Equals("game", game.id))] if has_code else []),
    ]


def cut_short(line: Key, ended_at: str | None) -> Update:
    """Mark in a history line that only the record is left."""
    return Update(line, set={"expires_at": ended_at}, when=Exists())


def clearing(game: Game) -> list[Write]:
    """Delete the reachable items now; a background task deletes the rest."""
    return [
        Delete(keys.game(game.id), when=unchanged(game)),
        Delete(keys.game_state(game.id)),
        Delete(keys.game_qa(game.id)),
        DELETING.begin(game.id, due=now_text()),
    ]


def history_lines(game: Game, counted: Mapping[str, int]) -> Iterator[Put]:
    for host in (game.created_by, *game.hosts):
        yield Put(past_item(game, host, counted))


def host_added(before: Game, after: Game, host: str) -> list[Write]:
    """The new history line gets its totals when the session ends."""
    return [*change(before, after), Put(past_item(after, host, dict.fromkeys(COUNTED, 0)))]


def host_removed(before: Game, after: Game, host: str) -> list[Write]:
    return [*change(before, after), Delete(keys.game_in_history(host, before.created_at, before.id))]


def past_item(game: Game, host: str, counted: Mapping[str, int]) -> Item:
    place, line = keys.game_in_history(host, game.created_at, game.id), values_of(PastSession, game_as_item(game))
    return {**place.item, **line, **counted, **_running_index(game, keys.running_games_of(host))}


def oldest_kept() -> str | None:
    """Creation time of the oldest session that may have data left; `None` if there is none."""
    running = (item["created_at"] for item in table().page(keys.RUNNING_GAMES, limit=1).items)
    return min((*running, *(task.data["created_at"] for task in EXPIRING.unfinished())), default=None)


def given_item(game: Game, place: Key, given: GivenAnswer) -> Item:
    data = {"player": given.player, "said": given.value, "at": given.at, "receipt": given.receipt}
    return item_at(place, game, data | ({"holder": given.device_hash} if given.device_hash else {}))
