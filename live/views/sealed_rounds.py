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
from live import counting, players, rules
from live.lifetimes import configured
from live.players import Player
from live.rounds import Round
from live.rules import Phase, State
from live.screens import snapshots
from live.sealed import digests as seals
from live.sealed import proofs
from live.sealed import round_view as sealed
from live.sealed.proofs import Evidence
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
class RoundContext:
    """A closed round, and who is looking at it."""

    snapshot: Snapshot
    number: int
    round: Round | None  # `None` if it was voided before it was closed
    player: Player | None
    hosts: bool
    phase: Phase  # the phase that was sealed
    heard: Item

    @property
    def counts(self) -> bool:
        return self.snapshot.state.counts(self.number)

    @property
    def evidence(self) -> Evidence:
        assert self.round is not None
        asked = seals.asked_in(self.snapshot.state.questions_in(self.number, self.snapshot.questions))
        heard = seals.heard(self.heard.get("receipts", ()))
        return Evidence(self.snapshot.game.id, self.number, asked, heard, self.heard.get("event", 0))


# --- access ---


def _load(request: HttpRequest, game_id: str, number: int) -> RoundContext:
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
    return RoundContext(
        snapshot, number, snapshot.rounds.get(number), player, hosts, phase, items.get(heard[phase], {})
    )


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
    seen = _load(request, game_id, number)
    context = {"game": seen.snapshot.game, "number": number, "token": request.GET.get("token", ""), "seen": seen}
    if seen.round is None or not seen.counts:
        return render(request, "live/sealed_round.html", context)
    form = code_prefix_form(request.GET, len(seen.round.entries), _("The receipt begins with"))
    beginning = form.cleaned_data["code"] if form is not None and form.is_valid() else ""
    own = seen.player.seat.player if seen.player else ""
    told = sealed.SealedRoundView(seen.snapshot, seen.round)
    context |= {
        "told": told,
        "form": form,
        "beginning": beginning,
        "leaf": told.leaf(_start(request), own, beginning, hosts=seen.hosts),
        "digest": hashlib.sha256(_bytes(seen)).hexdigest(),
        "recounts": told.play.is_recountable(seen.round) and not seen.round.result.get("hidden"),
        "hidden": seen.round.result.get("hidden", 0),
        "kept_days": configured().retention.days,
        **_logged(seen),
    }
    return render(request, "live/sealed_round.html", context, status=422 if form is not None and form.errors else 200)


def _start(request: HttpRequest) -> int:
    asked = request.GET.get("after", "0")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 6):
        raise Http404
    return int(asked)


def _logged(seen: RoundContext) -> dict[str, object]:
    """The event in the log, and the public checkpoint that covers it, or when one is due."""
    event_id = seen.heard.get("event", 0)
    checkpoint = proofs.checkpoint_over(event_id) if event_id else None
    return {"event_id": event_id, "checkpoint": checkpoint, "public_by": proofs.public_by()}


# --- proof ---


@public
@require_safe
def sealed_round_json(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    """The exact bytes whose SHA-256 is in the log. Not available for a round with hidden content."""
    seen = _load(request, game_id, number)
    if _counting(seen).result.get("hidden"):
        raise Http404
    return HttpResponse(_bytes(seen), content_type=JSON)


def _bytes(seen: RoundContext) -> bytes:
    """Cached, because a whole hall may ask at once."""
    _counting(seen)
    sealed = seen.snapshot.as_sealed[seen.number]
    return ROUND_BYTES.get((seen.snapshot.game.id, seen.number), lambda: counting.round_as_bytes(sealed))


@public
@require_safe
def sealed_round_proof(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    seen = _load(request, game_id, number)
    _counting(seen)
    return HttpResponse(proofs.proof(seen.evidence), content_type=JSON)


def _counting(seen: RoundContext) -> Round:
    if seen.round is None or not seen.counts:
        raise Http404
    return seen.round
