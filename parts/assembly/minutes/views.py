"""The minutes page, for hosts and attendees: reading, printing and adding notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial, wraps
from typing import Any

import orjson
from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import log
from foundation.pages.fields import LinesField
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import confirm_page, run_action
from foundation.pages.names import natural_sort_key
from foundation.pages.paging import list_context
from foundation.store.keys import fold
from parts.assembly.resolutions import ABSTAIN, NO, YES, Outcome, weights_of
from parts.assembly.speakers import Speech
from parts.assembly.wording import (
    KIND_LABELS,
    Version,
    headline,
    next_step,
    numbers,
    quorum_text,
    versions,
    vote_text,
    voter_text,
    why,
)
from parts.live import follow_up_store, players
from parts.live.rounds import Round, options_of
from parts.questions.question import Question
from results.pictures.drawing import number

from . import services
from .records import MAX_NOTE_CHARS, Head, Minutes, Point, digest
from .services import LoadedMinutes

VOTED = (YES, NO, ABSTAIN, "")  # in this order, where there is no other
NOT_YOURS = gettext_lazy("Only people who attended can read these minutes.")


@dataclass(frozen=True, slots=True)
class PointView:
    """An agenda item as the minutes show it."""

    point: Point
    kind: str
    outcome: str
    is_carried: bool
    lines: tuple[str, ...]
    options: tuple[str, ...]
    versions: list[Version]
    laps: list[list[str]]  # votes of each option in each round of a ranking; empty once it is out
    present: tuple[str, ...]  # names
    votes: tuple[tuple[str, tuple[str, ...]], ...]  # in an open vote: each answer, and who gave it
    speeches: tuple[tuple[str, str], ...]  # who, and for how long
    opened: datetime | None
    closed: datetime | None


def point_view(minutes: Minutes, point: Point) -> PointView:
    round_, question = point.round, point.question
    result: Mapping[str, Any] = round_.result if round_ else {}
    counts = round_ is not None and point.counts
    outcome = headline(question, round_) if round_ else _("Not closed")
    return PointView(
        point=point,
        kind=str(KIND_LABELS[question.kind]),
        outcome=outcome if point.counts else _("Withdrawn: does not count"),
        is_carried=counts and result.get("outcome") in (Outcome.CARRIED, Outcome.ELECTED),
        lines=tuple(_lines(point, round_)) if round_ and counts else (),
        options=options_of(round_, question) if round_ else (),
        versions=versions(question, round_) if round_ and counts else [],
        laps=[[number(each) if each else "" for each in lap["tally"]] for lap in result.get("rounds", ())],
        present=_names(minutes, result.get("present", ()), weights_of(round_)) if round_ else (),
        votes=tuple(_by_name(minutes, question, round_)) if round_ and counts else (),
        speeches=tuple((minutes.name_of(each.player), _length(each)) for each in point.speeches),
        opened=_moment(result.get("opened")),
        closed=_moment(result.get("closed")),
    )


def _names(minutes: Minutes, players: Iterable[str], weights: Mapping[str, int]) -> tuple[str, ...]:
    named = ((minutes.name_of(player), weights.get(player, 1)) for player in players)
    return tuple(voter_text(*each) for each in sorted(named, key=lambda each: natural_sort_key(each[0])))


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _lines(point: Point, round_: Round) -> Iterator[str]:
    """The kind of vote, its numbers, the majority needed and who was present; what has decided it, or can."""
    result, question = round_.result, point.question
    if result["outcome"] not in (Outcome.TALKED, Outcome.TOO_FEW):
        yield _("Secret vote.") if result["secret"] else _("Open vote.")
        if votes := numbers(question, result):
            yield votes
        places = [place for _option, place in result.get("places", ())]
        if result.get("lots") and len(set(places)) < len(places):
            yield _("Options that share a place are tied: only drawing lots could separate them.")
    yield from why(question, round_)
    if point.run_off:
        yield _("A run-off followed: item %(number)s.") % {"number": point.run_off}
    elif step := next_step(round_):
        yield step


def _by_name(minutes: Minutes, question: Question, round_: Round) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Who voted how in an open vote, most frequent first unless there is a fixed order."""
    if round_.result["secret"]:
        return
    voters, weights = dict[str, list[str]](), weights_of(round_)
    for entry in round_.entries:
        voters.setdefault(entry.value, []).append(entry.player)
    for vote in sorted(voters, key=lambda vote: (vote in VOTED and VOTED.index(vote) + 1, -len(voters[vote]), vote)):
        yield vote_text(vote, question, options_of(round_, question)), _names(minutes, voters[vote], weights)


def _length(speech: Speech) -> str:
    """Empty if the end was not recorded."""
    minutes, seconds = divmod(max(0, speech.ended - speech.began) // 1000, 60)
    return _("%(minutes)d:%(seconds)02d min") % {"minutes": minutes, "seconds": seconds} if speech.ended else ""


class NoteForm(forms.Form):
    text = LinesField(
        label=gettext_lazy("Note"),
        max_length=MAX_NOTE_CHARS,
        rows=4,
        help_text=gettext_lazy(
            "It appears below the minutes with your name and cannot be removed. The sealed text does not change."
        ),
    )


def _may_write(request: HttpRequest, found: LoadedMinutes) -> bool:
    head, user = found.minutes.head, request.user
    return user.is_authenticated and fold(user.name) in map(fold, (head.created_by, *head.hosts))


def _may_read(request: HttpRequest, found: LoadedMinutes) -> bool:
    """Hosts, people who attended with an account, and anyone with a seat while the session is kept."""
    if _may_write(request, found) or (request.user.is_authenticated and found.minutes.has(request.user.name)):
        return True
    player = players.find(request, found.minutes.head.game_id)
    return player is not None and player.seat.plays


def for_readers(view: Callable[[HttpRequest, LoadedMinutes], HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def answer(request: HttpRequest, game_id: str) -> HttpResponse:
        found = services.find(game_id)
        if found is None:
            raise Http404
        if _may_read(request, found):
            return view(request, found)
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        raise NotAllowed(NOT_YOURS)

    return answer


@public
@form_page
@for_readers
def minutes(request: HttpRequest, found: LoadedMinutes) -> HttpResponse:
    game_id = found.minutes.head.game_id
    may_write = _may_write(request, found)
    if request.method == "POST" and not may_write:
        raise NotAllowed(NOT_YOURS)
    form = NoteForm(form_data(request))
    added = _("Your note was added.")
    if run_form(request, form, lambda: services.add_note(request.user, game_id, form.cleaned_data["text"]), added):
        return redirect("minutes", game_id)
    context = {
        "minutes": found.minutes,
        "head": found.minutes.head,
        "points": [point_view(found.minutes, each) for each in found.minutes.points],
        "quorum": quorum_text(found.minutes.head.quorum) or _("none required"),
        "made": follow_up_store.all_linked(found.minutes.made, request.user),
        "proof": _proof(found),
        "may_write": may_write,
        "may_remove": request.user.is_authenticated and request.user.can(Permission.MANAGE_USERS),
        "form": form,
    }
    return render(request, "assembly/minutes.html", context, status=422 if form.errors else 200)


def _proof(found: LoadedMinutes) -> dict[str, object]:
    """Recomputes the digest from the parts and compares it with the log."""
    head = found.minutes.head
    if not head.is_sealed:
        return {}
    event, own = log().find(head.event), digest(found.facts, found.parts)
    sealed = event["event_data"].get("digest") if event else ""
    return {"digest": own, "event": head.event, "is_as_sealed": own == sealed}


@requires(Permission.MANAGE_USERS, load_for=lambda user, game_id: services.find_head(game_id))
@form_page
def delete_minutes(request: HttpRequest, head: Head) -> HttpResponse:
    """For administrators: deletes all of the minutes."""
    if request.method == "POST":
        run_action(request, lambda: services.delete(request.user, head.game_id), _("The minutes were removed."))
        return redirect("games")
    lead = _("All minutes of “%(title)s” and their notes will be removed. The log keeps their digest.")
    return confirm_page(
        request, _("Remove the minutes"), _("Remove them"), lead=lead % {"title": head.title}, danger=True
    )


@requires(Permission.VOTE)
@require_safe
def attended(request: HttpRequest) -> HttpResponse:
    """The assemblies that the user attended, with links to their minutes."""
    read = partial(services.attended_by, request.user.name)
    return render(request, "assembly/attended.html", list_context(request, read))


@public
@require_safe
@for_readers
def minutes_json(request: HttpRequest, found: LoadedMinutes) -> HttpResponse:
    """Everything the digest covers: the facts, then the parts in order."""
    head, notes = found.minutes.head, found.minutes.notes
    content = {
        "format": 1,
        "facts": found.facts,
        "parts": [[part.name, part.data] for part in found.parts],
        "notes": [asdict(each) for each in notes],
        "digest": head.digest,
        "event": head.event,
    }
    answer = HttpResponse(orjson.dumps(content, option=orjson.OPT_INDENT_2), content_type="application/json")
    answer["Content-Disposition"] = 'attachment; filename="minutes.json"'
    return answer
