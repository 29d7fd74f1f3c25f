"""The minutes page, for hosts and attendees: reading, printing and adding notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial, wraps

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
from foundation.pages.paging import list_context
from foundation.store.keys import fold
from parts.assembly.wording import quorum_text
from parts.live import follow_up_store, players

from . import repository, services, wording
from .records import MAX_NOTE_CHARS, Head, digest
from .repository import LoadedMinutes

NOT_YOURS = gettext_lazy("Only people who attended can read these minutes.")


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
        found = repository.find(game_id)
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
        "points": [wording.point_view(found.minutes, each) for each in found.minutes.points],
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


@requires(Permission.MANAGE_USERS, load_for=lambda user, game_id: repository.find_head(game_id))
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
    read = partial(repository.attended_by, request.user.name)
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
