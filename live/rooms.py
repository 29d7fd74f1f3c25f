"""A session with all that its screens show: what does not change is kept in mind, what does is read.

A look takes one round trip: session, state, roster, whether the room may ask, what formats show beside, and the order
of ideas while they are put in order. Questions, sealed rounds and what is voted on never change, so they are
read once in a process; seats are read again when the roster's number says so, and what the room asks when its own
numbers do. As long as nothing has changed, a look answers the very same room, so that what is made of it is made once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from acts.site import table
from questions.question import Kind, Question, Type
from store import keys, spans
from store.table import Conflict, Item, Key, Unavailable

from . import clock, counting, gathering, repository, robots, rules, seats
from .formats import FORMATS
from .gathering import Gathered
from .ideas import orders
from .ideas import rules as ideas
from .ideas.rules import Idea, Order, Sorted
from .qa import texts as moderation
from .qa.board import Board
from .qa.rules import Asked, Qa
from .qa.texts import Texts
from .robots import Robots
from .rounds import Round
from .rules import Game, Phase, State
from .seats import Seat
from .services import closing

MAX_CACHED_ENTRIES = 250_000  # seats and entries of rounds that a process keeps in mind, some 60 MB
SEATS_MAX_AGE_MS = 10_000  # milliseconds after which seats are read again, whatever the roster says
SEATS_REFRESH_MS = 1_000  # milliseconds between two readings of many seats
MIN_THROTTLED_SEATS = 100
NOT_ASKED = Qa()
MAX_CODE_REFUSAL_MS = 600_000  # milliseconds for which codes are refused somewhere, at the longest
NOTHING_WRITTEN = Texts()
COUNT_REFRESH_MS = 1_000  # milliseconds between two counts of who has answered


@dataclass(frozen=True, slots=True)
class Present:
    """Who is there, as far as all processes know."""

    players: int = 0
    host_away: bool = False


@dataclass(frozen=True)  # without slots, so that it can keep what is made of it
class Room:
    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]  # by the player's id
    rounds: Mapping[int, Round]  # all that are sealed, as everybody may see them
    gathered: Gathered | None = None  # what is voted on
    sorted: Sorted | None = None  # ideas that are put in order, or voted on
    present: Present = Present()
    answered: int = 0  # how many have answered or voted in the phase that is open
    qa: Qa = NOT_ASKED  # whether the room may ask, and how
    asked: tuple[Asked, ...] = ()  # what it asks, hidden ones included
    upvotes: Mapping[str, int] = field(default_factory=dict)  # of each of these
    beside: Any = None  # what its format shows beside
    codes_refused: bool = False  # whether people who typed the right code were refused lately
    texts: Texts = NOTHING_WRITTEN  # how what people write is taken, and what was decided about it
    as_sealed: Mapping[int, Round] = field(default_factory=dict)  # the rounds with what was hidden in them
    at: int = field(default=0, compare=False)  # when it was looked at

    @cached_property
    def question(self) -> Question | None:
        """What is asked; of ideas with those that are voted on as its options."""
        asked = self.questions[self.state.question] if self.state.round else None
        if asked is None or asked.kind != Kind.IDEAS:
            return asked
        return replace(asked, options=self._ideas_voted_on())

    def _ideas_voted_on(self) -> tuple[str, ...]:
        if self.sorted is not None:
            options = self.sorted.order.options
            return moderation.covered(options, moderation.hidden_options(self.texts, self.state.round, options))
        return tuple(self.round.result.get("options", ())) if self.round else ()

    @property
    def as_asked(self) -> tuple[Question, ...]:
        """All questions, the one at hand with its options."""
        at = self.state.question
        if self.question is None or self.question.kind != Kind.IDEAS:
            return self.questions
        return (*self.questions[:at], self.question, *self.questions[at + 1 :])

    @property
    def round(self) -> Round | None:
        """What came of the question at hand."""
        return self.rounds.get(self.state.round) if not self.state.is_under_way else None

    @property
    def counting_rounds(self) -> list[Round]:
        """What totals are made of."""
        return [each for number, each in sorted(self.rounds.items()) if self.state.counts(number)]

    @cached_property
    def made(self) -> dict[Any, Any]:
        """What was made of it, for whoever needs it again."""
        return {}

    @cached_property
    def playing(self) -> list[Seat]:
        return [each for each in self.seats.values() if each.is_there]


# --- looking ---


def current(game_id: str, *, counts: bool = False) -> Room | None:
    """The session as it is now, whatever is over being closed; with `counts`, also how many have answered."""
    room, _items = current_with(game_id)
    return counted(room) if room is not None and counts else room


def current_with(game_id: str, *others: Key) -> tuple[Room | None, dict[Key, Item]]:
    """The session as it is now, and some other items, in one round trip."""
    items = table().get_many([*places(game_id), *others])
    return of_items(game_id, items), items


def in_mind(game_id: str) -> Room | None:
    """The session as it was at the last look from here: good for a guess at what to read, and nothing else."""
    return MIND.last(game_id)


def place_of_salt(game_id: str) -> Key | None:
    """Where the salt of an anonymous round lies, if it is the one that was on at the last look from here."""
    last = in_mind(game_id)
    return keys.game_salt(game_id, last.state.round) if last and _keeps_salt(last) else None


def _keeps_salt(room: Room) -> bool:
    return room.state.is_open and rules.is_secret(room.game, room.state)


def counted(room: Room) -> Room:
    """The same with how many have answered by now, for whoever is shown it."""
    return MIND.of(room.game.id).counted(room)


def upvoted(room: Room, items: Mapping[Key, Item] | None = None) -> Room:
    """The same with how many want each question to be answered by now; `items` if the sums were read along."""
    return MIND.of(room.game.id).upvoted(room, items) if room.qa.is_on else room


def places(game_id: str) -> tuple[Key, ...]:
    """What a look at a session has to read."""
    return (
        *(keys.game(game_id), keys.game_state(game_id), keys.game_roster(game_id)),
        keys.game_qa(game_id),
        *_place_of_order(game_id),
        *(place for each in FORMATS.values() if (place := each.place(game_id))),
    )


def _place_of_order(game_id: str) -> tuple[Key, ...]:
    """Where ideas are put in order, if that was on at the last look from here."""
    last = in_mind(game_id)
    sorting = last is not None and last.state.phase == Phase.SORTING
    return (keys.sorted_ideas(game_id, last.state.round),) if last and sorting else ()


def of_items(game_id: str, items: Mapping[Key, Item]) -> Room | None:
    """The session as these items, just read, say it is."""
    game_item, state_item, roster, qa, *_others = map(items.get, places(game_id))
    if game_item is None or state_item is None:
        MIND.forget(game_id)
        return None
    game, kept = repository.game_of(game_item), MIND.of(game_id)
    state = kept.settled(game, repository.state_of(state_item))
    order = items.get(keys.sorted_ideas(game_id, state.round))
    changes = roster.get("changes", 0) if roster else 0
    place = game.format.place(game_id)
    beside = items.get(place) if place else None
    return kept.room(game, state, changes, qa, beside, order, seats.refused_at(roster))


# --- what is kept in mind ---


class Kept:
    """What a process keeps in mind of one session. Threads may look at the same time; each gets what is right for the
    state that it has read."""

    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.questions: tuple[Question, ...] = ()
        self.asked_in = 0  # the version of the session that the questions were read with
        self.rounds: Mapping[int, Round] = {}
        self.never_sealed: frozenset[int] = frozenset()  # rounds that were voided while they were open
        self.gathered: Gathered | None = None
        self.ideas: tuple[int, tuple[Idea, ...]] = (0, ())  # of which round, and what was written in it
        self.order: Order | None = None  # how it was put to the vote
        self.seating = Seating(game_id)
        self.robots, self.has_robots = Robots(), False
        self.count = Count()
        self.board = Board(game_id)
        self.seen = Seen()
        self.present = Present()
        self.last: Room | None = None
        self._closing = threading.Lock()

    def settled(self, game: Game, state: State) -> State:
        """Where the session is once what is over is closed, which one thread sees to; the others look again soon.

        A store that takes no writes just now, or a pause, leaves open what is over, for a later look.
        """
        if not state.is_over(clock.now()) or not self._closing.acquire(blocking=False):
            return state
        try:
            return closing.settled(game, state)
        except (Conflict, Unavailable):
            return state
        finally:
            self._closing.release()

    @property
    def weight(self) -> int:
        entries = sum(len(each.entries) for each in self.rounds.values())
        return len(self.seating.seats) + entries + len(self.board.asked) + 1

    def room(
        self,
        game: Game,
        state: State,
        changes: int,
        qa: Item | None = None,
        beside: Item | None = None,
        order: Item | None = None,
        refused_at: int = 0,
    ) -> Room:
        now = clock.now()
        self.board.look(qa, now)
        self._have_robots_join(game, state, changes, now)
        questions, seated, sealed = self._questions(game), self.seating.at(changes, now), self._rounds(state)
        room = Room(
            game=game if len(questions) == game.total_questions else replace(game, total_questions=len(questions)),
            state=state,
            questions=questions,
            seats=seated,
            rounds=self.seen.rounds(sealed, self.board.texts, seated),
            as_sealed=sealed,
            texts=self.board.texts,
            gathered=self.seen.gathered(self._gathered(game, state), self.board.texts, seated),
            sorted=self._sorted(state, order),
            present=self.present,
            answered=self.count.of(state),
            **self._asked(),
            beside=game.format.beside_of(beside, self.last.beside if self.last else None),
            codes_refused=now - refused_at < MAX_CODE_REFUSAL_MS,
            at=now,
        )
        if game.debug_mode:
            robots_here = [each for each in room.playing if each.robot]
            self.robots.play(game, state, room.as_asked, robots_here, room.gathered)
        return self._the_same(room)

    def _have_robots_join(self, game: Game, state: State, changes: int, now: int) -> None:
        if self.has_robots or not game.debug_mode or state.phase == Phase.ENDED:
            return
        try:
            if robots.seat_all(game, self.seating.at(changes, now)):
                self.seating.forget()
        except (Conflict, Unavailable):
            return
        self.has_robots = True

    def counted(self, room: Room) -> Room:
        self.count.look(room.game, room.state, clock.now())
        number = self.count.of(room.state)
        return room if number == room.answered else self._the_same(replace(room, answered=number))

    def upvoted(self, room: Room, items: Mapping[Key, Item] | None) -> Room:
        self.board.sum_up(clock.now(), items)
        told = replace(room, upvotes=self.board.upvotes)
        return room if told == room else self._the_same(told)

    def _asked(self) -> dict[str, Any]:
        """What the room asks; nothing of it as soon as it may not any more."""
        board = self.board
        if not board.qa.is_on:
            return {"qa": board.qa}
        return {"qa": board.qa, "asked": board.asked, "upvotes": board.upvotes}

    def _the_same(self, room: Room) -> Room:
        last = self.last
        if last is not None and last == room:
            return last
        if last is None or last.state.version <= room.state.version:
            self.last = room
            MIND.weigh()
        return room

    def _questions(self, game: Game) -> tuple[Question, ...]:
        """They may have been corrected, which makes another version of the session."""
        if self.asked_in != game.version:
            self.questions, self.asked_in = repository.questions(self.id), game.version
        return self.questions

    def _rounds(self, state: State) -> Mapping[int, Round]:
        over = range(1, state.round + (not state.is_under_way))
        missing = [number for number in over if number not in self.rounds and number not in self.never_sealed]
        if missing:
            self._read_rounds(missing)
        rounds = self.rounds
        return rounds if not rounds or max(rounds) in over else {each: rounds[each] for each in rounds if each in over}

    def _read_rounds(self, missing: list[int]) -> None:
        """Those that are over and not there were voided while they were open, and never will be."""
        only = missing[0] if len(missing) == 1 else None
        parts: dict[int, list[Item]] = {}
        for item in repository.round_items(self.id, only):
            parts.setdefault(int(item["SK"].split("#")[1]), []).append(item)
        found = {number: counting.round_of(some) for number, some in parts.items()}
        self.rounds = dict(sorted({**self.rounds, **found}.items()))
        self.never_sealed |= set(missing) - found.keys()

    def _gathered(self, game: Game, state: State) -> Gathered | None:
        if state.phase != Phase.VOTING or game.engagement_type != Type.CALL_AND_ANSWER:
            return None
        gathered = self.gathered
        if gathered is None or gathered.round.number != state.round:
            gathered = self.gathered = gathering.read(self.id, state.round)
        return gathered

    def _sorted(self, state: State, item: Item | None) -> Sorted | None:
        """What was written is read once. Its order is read at each look until it is put to the vote."""
        if state.kind != Kind.IDEAS or state.phase not in (Phase.SORTING, Phase.VOTING):
            return None
        number, written = self.ideas
        if number != state.round:
            round_ = orders.written(self.id, state.round)
            if round_ is None:
                return None  # it was just dropped
            written = ideas.of_round(round_)
            self.ideas, self.order = (state.round, written), None
        order = self.order or (ideas.order_of(item) if item else orders.find(self.id, state.round))
        if order is None:
            return None
        self.order = order if order.settled else None
        return Sorted(written, order)


class Seating:
    """The seats of a session, as they were when they were last read."""

    def __init__(self, game_id: str) -> None:
        self.id = game_id
        self.seats: Mapping[str, Seat] = {}
        self.changes, self.read_at = -1, 0
        self._turn = threading.Lock()

    def at(self, changes: int, now: int) -> Mapping[str, Seat]:
        """One thread reads them anew; meanwhile the others have those from before, if there were any."""
        if self._is_fresh(changes, now) or not self._turn.acquire(blocking=self.changes < 0):
            return self.seats
        try:
            if not self._is_fresh(changes, now):
                self._read(changes, now)
        finally:
            self._turn.release()
        return self.seats

    def forget(self) -> None:
        """They are read anew at the next look."""
        self.read_at = 0

    def _is_fresh(self, changes: int, now: int) -> bool:
        """The roster's number follows after a change, so that one who fails in between is noticed later."""
        age = now - self.read_at
        if self.changes < 0 or age >= SEATS_MAX_AGE_MS:
            return False
        return changes == self.changes or (len(self.seats) >= MIN_THROTTLED_SEATS and age < SEATS_REFRESH_MS)

    def _read(self, changes: int, now: int) -> None:
        found = {each.player: each for each in seats.each(self.id)}
        if found != self.seats or self.changes < 0:
            self.seats = found
        self.changes, self.read_at = changes, now


class Seen:
    """What is left of rounds and answers when what nobody may see is taken away: made once, until that is another."""

    def __init__(self) -> None:
        self._key: tuple[Texts, frozenset[str]] = (NOTHING_WRITTEN, frozenset())
        self._removed: tuple[Mapping[str, Seat], frozenset[str]] = ({}, frozenset())
        self._made: dict[Any, Any] = {}

    def rounds(self, sealed: Mapping[int, Round], texts: Texts, seated: Mapping[str, Seat]) -> Mapping[int, Round]:
        removed, made = self._look(texts, seated)
        if texts.are_all_seen and not removed:
            return sealed
        for number in sealed.keys() - made.keys():
            made[number] = moderation.seen_round(texts, sealed[number], removed)
        return {number: made[number] for number in sealed}

    def gathered(self, gathered: Gathered | None, texts: Texts, seated: Mapping[str, Seat]) -> Gathered | None:
        removed, made = self._look(texts, seated)
        if gathered is None or (texts.are_all_seen and not removed):
            return gathered
        number = gathered.round.number
        if ("gathered", number) not in made:
            unseen = moderation.unseen_answers(texts, number, gathered.answers, removed)
            made["gathered", number] = replace(gathered, unseen=unseen)
        answered: Gathered = made["gathered", number]
        return answered

    def _look(self, texts: Texts, seated: Mapping[str, Seat]) -> tuple[frozenset[str], dict[Any, Any]]:
        """Who was removed, and what was made for them and these texts."""
        if self._removed[0] is not seated:
            self._removed = seated, frozenset(each.player for each in seated.values() if each.removed)
        removed, made = self._removed[1], self._made
        if self._key != (texts, removed):
            self._key, made = (texts, removed), {}
            self._made = made
        return removed, made


class Count:
    """How many have answered, or voted, in the phase that is open."""

    def __init__(self) -> None:
        self.phase: tuple[int, Phase] = (0, Phase.WAITING)
        self.number, self.read_at = 0, 0

    def of(self, state: State) -> int:
        return self.number if state.is_open and self.phase == (state.round, state.phase) else 0

    def look(self, game: Game, state: State, now: int) -> None:
        """Once a second at most: it reads the names on all answers."""
        phase = (state.round, state.phase)
        if not state.is_open or (self.phase == phase and now - self.read_at < COUNT_REFRESH_MS):
            return
        self.read_at = now
        number = len(set(_who_gave(game, state)))
        self.phase, self.number = phase, number


def _who_gave(game: Game, state: State) -> Iterable[str]:
    given = keys.live_votes if state.phase == Phase.VOTING else keys.live_answers
    return (player for (player,) in spans.gathered(table(), given(game.id, state.round), "player"))


class Mind:
    """What a process keeps in mind of all sessions; those that nobody has looked at for longest are forgotten first."""

    def __init__(self, most: int = MAX_CACHED_ENTRIES) -> None:
        self.most = most
        self._turn, self._kept = threading.Lock(), OrderedDict[str, Kept]()

    def of(self, game_id: str) -> Kept:
        with self._turn:
            kept = self._kept.setdefault(game_id, Kept(game_id))
            self._kept.move_to_end(game_id)
            return kept

    def last(self, game_id: str) -> Room | None:
        with self._turn:
            return self._kept[game_id].last if game_id in self._kept else None

    def forget(self, game_id: str) -> None:
        with self._turn:
            self._kept.pop(game_id, None)

    def weigh(self) -> None:
        with self._turn:
            weight = sum(each.weight for each in self._kept.values())
            while weight > self.most and len(self._kept) > 1:
                weight -= self._kept.popitem(last=False)[1].weight


MIND = Mind()


def learn(game_id: str, present: Present) -> None:
    """Who is there, for the looks that follow."""
    MIND.of(game_id).present = present
