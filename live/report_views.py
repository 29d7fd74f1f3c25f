"""Pages about sessions that were: the report of one, the history of a host, and removing one."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from pages.forms import form_page
from pages.paging import listed
from pages.saying import ask, told

from . import reports, repository, rules
from .access import Hosted, of_hosts, of_hosts_and_moderators
from .onward.repository import linked
from .services import closing, deleting


@of_hosts
@require_safe
def report(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted[0], closing.settled(*hosted)
    told = reports.of(game, state)
    asked = told.asked[: reports.MOST_ASKED]
    context = {
        "game": game,
        "state": state,
        "shown": reports.shown(told),
        "asked": asked,
        "more_asked": len(told.asked) - len(asked),
        "made": linked(game.id, request.user),
    }
    return render(request, "live/report.html", context)


@of_hosts
@require_safe
def report_csv(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(reports.csv(reports.of(*hosted)), "text/csv; charset=utf-8", "csv")


@of_hosts
@require_safe
def report_json(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(reports.as_json(reports.of(*hosted)), "application/json", "json")


def _file(lines: Iterable[str | bytes], kind: str, ending: str) -> HttpResponse:
    answer = StreamingHttpResponse(lines, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="report.{ending}"'
    return answer


@requires(Permission.USE_APPLICATION)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """One's own, the newest first, without anybody who played along."""

    def read(limit: int, cursor: str | None) -> tuple[list[repository.Past], str | None]:
        return repository.history(request.user.name, limit=limit, cursor=cursor)

    return render(request, "live/history.html", listed(request, read))


@of_hosts_and_moderators
@form_page
def delete(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game = hosted[0]
    if request.method == "POST":
        told(request, lambda: deleting.delete(game.id, request.user.name), _("The session is removed."))
        return redirect("games")
    goes = _(
        "Everything of “%(title)s” goes: who was there, what was answered, the report, and its line in the history."
    )
    runs = "" if game.ended_at else " " + _("It is running: it is ended first, for everybody in it.")
    return ask(request, _("Delete the session"), _("Delete it"), lead=goes % {"title": game.title} + runs, danger=True)


@public
@require_safe
def help_live(request: HttpRequest) -> HttpResponse:
    return render(request, "live/help_live.html", {"kept": rules.KEPT.days, "idle": rules.IDLE})
