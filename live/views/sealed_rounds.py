"""Page and files of a sealed round: result, votes by receipt, and the proof."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from acts.caches import SizedCache
from acts.storage import log
from live import counting, players, rules
from live.lifetimes import configured
from live.players import Player
from live.rules import Phase, State
from live.screens import snapshots
from live.sealed import proofs
from live.sealed.round_view import SealedRoundView
from live.snapshot import Snapshot
from ranking.codes import code_prefix_form
from store import keys
from store.table import Item

MAX_ID_CHARS = 64
CACHE_BYTES = 16_000_000  # of sealed rounds, cached per process
JSON = "application/json"
SEALED_FROM = (Phase.VOTING, Phase.QUESTION, Phase.TALKING)  # phases from which a round may have been sealed

ROUND_BYTES: SizedCache[bytes] = SizedCache(CACHE_BYTES, len)


@dataclass(frozen=True, slots=True)
class SealedRound:
    """A closed round, and who is looking at it."""

    snapshot: Snapshot
    number: int
    player: Player | None
    hosts: bool
    phase: Phase  # the phase that was sealed
    heard: Item

    @property
    def counts(self) -> bool:
        """Whether it was neither voided nor lost."""
        return self.number in self.snapshot.rounds and self.snapshot.state.counts(self.number)

    @property
    def event_id(self) -> int:
        return int(self.heard.get("event", 0))


# --- access ---


def _load(request: HttpRequest, game_id: str, number: int) -> SealedRound:
    """Loads everything in one round trip; does not reveal to strangers whether the session exists."""
    if len(game_id) > MAX_ID_CHARS or not 0 < number <= rules.MAX_ROUNDS:
        raise Http404
    seat = players.seat_key(request, game_id)
    heard = {phase: keys.round_heard(game_id, number, phase) for phase in SEALED_FROM}
    snapshot, items = snapshots.current_with(game_id, *filter(None, (seat, *heard.values())))
    if snapshot is None or not _is_public(snapshot.state, number):
        raise Http404
    player = players.from_items(request, game_id, items)
    hosts = _hosts(request, snapshot)
    if not (hosts or (player and player.seat.plays) or _has_token(request, snapshot)):
        raise Http404
    phase = next((each for each in SEALED_FROM if heard[each] in items), Phase.QUESTION)
    return SealedRound(snapshot, number, player, hosts, phase, items.get(heard[phase], {}))


def _is_public(state: State, number: int) -> bool:
    """Whether the round is over and its result has been revealed."""
    return number < state.round or (number == state.round and not state.is_under_way and state.revealed)


def _hosts(request: HttpRequest, snapshot: Snapshot) -> bool:
    user = request.user
    return user.is_authenticated and rules.hosts(snapshot.game, user.name, user.role)


def _has_token(request: HttpRequest, snapshot: Snapshot) -> bool:
    return hmac.compare_digest(snapshot.game.screen_token.encode(), request.GET.get("token", "").encode())


# --- page ---


@public
@require_safe
def sealed_round(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    """The result of a round; for a voided one, only that it does not count."""
    sealed = _load(request, game_id, number)
    round_ = sealed.snapshot.rounds.get(number)
    context = {"game": sealed.snapshot.game, "number": number, "token": request.GET.get("token", ""), "round": round_}
    if round_ is None or not sealed.counts:
        return render(request, "live/sealed_round.html", context)
    form = code_prefix_form(request.GET, len(round_.entries), _("The receipt begins with"))
    beginning = form.cleaned_data["code"] if form is not None and form.is_valid() else ""
    own = sealed.player.seat.player if sealed.player else ""
    view = SealedRoundView(sealed.snapshot, round_)
    rows, next_start = view.page(_start(request), own, beginning, hosts=sealed.hosts)
    hidden = round_.result.get("hidden", 0)
    context |= {
        "view": view,
        "phase": sealed.phase,
        "is_host": sealed.hosts,
        "is_player": sealed.player is not None,
        "form": form,
        "beginning": beginning,
        "rows": rows,
        "next_start": next_start,
        "digest": hashlib.sha256(_bytes(sealed)).hexdigest(),
        "recounts": view.play.is_recountable(round_) and not hidden,
        "hidden": hidden,
        "kept_days": configured().retention.days,
        "event_id": sealed.event_id,
        "checkpoint": log().public_over(sealed.event_id) if sealed.event_id else None,
        "public_by": proofs.public_by(),
    }
    return render(request, "live/sealed_round.html", context, status=422 if form is not None and form.errors else 200)


def _start(request: HttpRequest) -> int:
    asked = request.GET.get("after", "0")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 6):
        raise Http404
    return int(asked)


# --- proof ---


@public
@require_safe
def sealed_round_json(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    """The exact bytes whose SHA-256 is in the log. Not available for a round with hidden content."""
    sealed = _load_counting(request, game_id, number)
    if sealed.snapshot.rounds[number].result.get("hidden"):
        raise Http404
    return HttpResponse(_bytes(sealed), content_type=JSON)


def _bytes(sealed: SealedRound) -> bytes:
    """Cached, because a whole hall may ask at once."""
    round_ = sealed.snapshot.as_sealed[sealed.number]
    return ROUND_BYTES.get((sealed.snapshot.game.id, sealed.number), lambda: counting.round_as_bytes(round_))


@public
@require_safe
def sealed_round_proof(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    sealed = _load_counting(request, game_id, number)
    questions = sealed.snapshot.state.questions_in(number, sealed.snapshot.questions)
    asked, heard = counting.questions_as_bytes(questions), counting.receipts_as_bytes(sealed.heard.get("receipts", ()))
    return HttpResponse(proofs.proof(game_id, number, asked, heard, sealed.event_id), content_type=JSON)


def _load_counting(request: HttpRequest, game_id: str, number: int) -> SealedRound:
    sealed = _load(request, game_id, number)
    if not sealed.counts:
        raise Http404
    return sealed
