"""Results while they come in: the count of a public election, kept up to date in the process ballot by ballot.

A look reads the election with its gates, and the ballots cast since the last look, found by the time they were cast.
What the index tells late is told again at the next looks, which all begin a little before the newest ballot seen. A
ballot that was withdrawn is in no list of what is new: it is noticed because then more ballots are known than the gates
have let through, and all of them are read again. Nothing of this exists for a secret election.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import requires
from accounts.models import User
from accounts.repository import table
from accounts.rules import Permission
from ballots.repository import candidates_of
from elections import repository as elections
from elections.repository import Candidate
from elections.rules import Election, State
from elections.views import context_of, visible
from store import keys
from store.table import Item
from tally.closeness import Closeness
from tally.explain import explain
from tally.job import Job
from tally.result import Result
from tally.undrawn import OTHER_LOTS, Draws, undrawn

from . import apart
from .report import Report, settings_of
from .repository import Found
from .running import Kept, Running
from .views import context_of_report, not_yet

LOOK_EVERY = 2.0  # seconds; however many are watching, each process looks this often at most
REST = 9  # times as long as a look took, before the next: a large election takes a tenth of a processor, not all of it
MOST_BALLOTS = 50_000  # of one election
MOST_KEPT = 50_000_000  # bytes that all elections take up that are being watched, the one looked at last apart
A_LOOK = 20_000  # bytes that something watched takes up, whatever its ballots
REREAD_RATE = 5_000  # ballots a second at most that withdrawals make us read again


# --- looking ---


@dataclass(frozen=True, slots=True)
class Look:
    """An election as it was a moment ago; with a result where it may be watched."""

    election: Election
    result: Result | None = None
    too_many: bool = False  # to be counted again and again
    draws: Draws = ()  # what other lots would make of it, as long as the true ones cannot be known


@dataclass
class Watched:
    """Something that somebody is watching. Whoever holds the lock looks; the others get what was seen."""

    running: Running = field(default_factory=Running)
    lock: Any = field(default_factory=Lock)
    created_at: str = ""
    look: Any = None  # what was seen last
    rests_until: float = float("-inf")
    read_at: float = float("-inf")  # when all ballots were read

    @property
    def weight(self) -> int:
        return A_LOOK + self.running.weight

    def forget(self) -> None:
        """No ballots are needed any more."""
        self.created_at, self.running = "", Running()


@dataclass(frozen=True, slots=True)
class Box:
    """The ballots of something that is watched: all of them, those since a moment, and whether they can be so many."""

    created_at: str  # tells it from another of the same name
    candidates: tuple[Candidate, ...]
    every: Callable[[], Iterable[Item]]
    since: Callable[[str], Iterable[Item]]
    can_hold: Callable[[int], bool]
    kept_of: Callable[[Item], Kept] = Kept.of


class Shelf(ABC):
    """What is being watched; what nobody has looked at for longest makes room for others."""

    def __init__(self, most: int = MOST_KEPT, clock: Callable[[], float] = time.monotonic):
        self.most, self.clock = most, clock
        self._lock, self._watched = Lock(), OrderedDict[str, Watched]()

    @abstractmethod
    def see(self, name: str, watched: Watched) -> Any:
        """Look into the store, with what was seen before at hand: something with a `result`, or `None`."""

    def look(self, name: str) -> Any:
        """What is there now, with its count; `None` if there is nothing of that name."""
        watched = self._take(keys.fold(name))
        with watched.lock:
            began = self.clock()
            if began < watched.rests_until:
                return watched.look
            look = watched.look = self.see(name, watched)
            watched.rests_until = max(began + LOOK_EVERY, self.clock() + REST * (self.clock() - began))
        if look is None or look.result is None:
            self._drop(keys.fold(name))
        self._make_room()
        return look

    def _take(self, folded: str) -> Watched:
        with self._lock:
            watched = self._watched.setdefault(folded, Watched())
            self._watched.move_to_end(folded)
            return watched

    def _drop(self, folded: str) -> None:
        with self._lock:
            self._watched.pop(folded, None)

    def _make_room(self) -> None:
        with self._lock:
            while self.weight > self.most and len(self._watched) > 1:
                self._watched.popitem(last=False)

    @property
    def weight(self) -> int:
        """How many bytes all of it takes up; what is watched weighs a little even without ballots."""
        return sum(each.weight for each in self._watched.values())

    def bring_up_to_date(self, watched: Watched, box: Box) -> None:
        """Read what is new; and everything, if nobody has looked into this box yet or what is known cannot be all."""
        if watched.created_at != box.created_at:
            watched.created_at, watched.running = box.created_at, Running(box.kept_of)
            watched.running.stand(box.candidates)
            self._read_all(watched, box)
            return
        running = watched.running
        running.stand(box.candidates)
        running.add(list(box.since(running.since)))
        rested = self.clock() - watched.read_at >= running.total / REREAD_RATE
        if rested and not box.can_hold(running.total):
            self._read_all(watched, box)

    def _read_all(self, watched: Watched, box: Box) -> None:
        watched.running.replace(box.every())
        watched.read_at = self.clock()


class ElectionShelf(Shelf):
    """The elections that are being watched."""

    def see(self, name: str, watched: Watched) -> Look | None:
        found = _with_gates(name)
        if found is None:
            return None
        election, voted = found
        if not election.shows_live(elections.now_text()):
            return Look(election)
        if voted > MOST_BALLOTS:
            return Look(election, too_many=True)
        self.bring_up_to_date(watched, _box(election, voted))
        try:
            return _counted(election, watched)
        except (apart.TooDear, apart.Busy):
            return Look(election, too_many=True)


def _box(election: Election, voted: int) -> Box:
    name = election.name
    return Box(
        election.created_at,
        candidates_of(election),
        every=lambda: table().each(keys.ballots(name)),
        since=lambda moment: table().each(keys.ballots_by_time(name, moment)),
        can_hold=lambda total: total == voted or _is_on_the_way(name, total, voted),
    )


def _is_on_the_way(name: str, total: int, voted: int) -> bool:
    """Whether so many ballots fit the gates because some were cast between reading the one and the other."""
    found = _with_gates(name)
    after = found[1] if found else 0
    return min(voted, after) <= total <= max(voted, after)


def _with_gates(name: str) -> tuple[Election, int] | None:
    """The election, and how many have voted, in one round trip."""
    place = keys.election(name)
    found = table().get_many([place, *elections.gate_keys(name)])
    if place not in found:
        return None
    item = found.pop(place)
    return elections.election_of(item), sum(gate.get("voted", 0) for gate in found.values())


def _counted(election: Election, watched: Watched) -> Look:
    """Counted again only if something is new. The lots of an election with a commitment are drawn from no seed of its
    own: that one is made at the close, and until then nobody may guess it from a page."""
    ballots, before = watched.running.ballots, watched.look
    if before and before.result and before.election == election and before.result.digest == ballots.digest:
        return before
    job = Job(ballots, election.method, settings_of(election, election.lots_commitment or election.seed), others=False)
    result = apart.counted(job, waits=False).result
    return Look(election, result, draws=_other_draws(job) if result.lots and election.lots_commitment else ())


def _other_draws(job: Job) -> Draws:
    """None if that takes too long."""
    with suppress(apart.TooDear, apart.Busy):
        return apart.counted(replace(job, draws=OTHER_LOTS), waits=False).draws
    return ()


shelf = ElectionShelf()


# --- the pages ---


def load(user: User, name: str) -> Look | None:
    look = shelf.look(name)
    if look is not None:
        visible(user, look.election)
    return look


of_live = requires(Permission.VIEW_APPLICATION, load_for=load)


@of_live
@require_safe
def live(request: HttpRequest, look: Look) -> HttpResponse:
    """The running count; it refreshes itself, with scripts and without, unless somebody has paused it."""
    if (instead := _instead(request, look)) is not None:
        return instead
    return render(request, "results/live.html", _context(request, look))


@of_live
@require_safe
def live_now(request: HttpRequest, look: Look) -> HttpResponse:
    """The count alone; nothing, if it is what the page shows already."""
    if look.election.state(elections.now_text()) == State.CLOSED:
        return HttpResponseClientRedirect(reverse("results", args=[look.election.name]))
    if (instead := _instead(request, look)) is not None:
        return instead
    context = _context(request, look)
    if request.GET.get("seen") == context["stamp"]:
        return HttpResponse(status=204)
    return render(request, "results/live_now.html", context)


def _instead(request: HttpRequest, look: Look) -> HttpResponse | None:
    """What there is to see where nothing comes in live."""
    if look.result is not None:
        return None
    if look.too_many:
        sentence = _(
            "Counting takes so long by now that the count is no longer shown while it is open. It is shown at the end."
        )
        context = context_of(request, look.election, sentence=sentence, counting=False)
        return render(request, "results/not_yet.html", context)
    if look.election.state(elections.now_text()) == State.CLOSED:
        return redirect("results", look.election.name)
    return not_yet(request, Found(look.election, None, None))


def _context(request: HttpRequest, look: Look) -> dict[str, Any]:
    result = look.result
    assert result is not None
    before_lots = undrawn(result, look.draws)
    report = Report(before_lots.result, tuple(explain(result)), (), Closeness(None, False, result.winners))
    context = context_of_report(Found(look.election, None, report)) | {"between": before_lots.between}
    if result.lots and look.election.lots_commitment:
        context["sentences"] = _example(context["sentences"], is_open=bool(before_lots.between))
    stamp = f"{result.digest[:16]}{look.election.version}"
    return context_of(request, look.election, **context, stamp=stamp, paused="pause" in request.GET)


def _example(sentences: list[str], *, is_open: bool) -> list[str]:
    """The account of one draw, which says of nobody that they have won who may lose by another."""
    example = _("The lots below are an example. The true ones are drawn at the close, and nobody can know them yet.")
    return [example, *sentences[1 if is_open else 0 :]]
