"""Pages about past sessions: the report of one, a host's history, and deleting a session."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from foundation.pages.forms import form_page, new_token, token_in
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from foundation.pages.page_cache import shared_page
from foundation.pages.paging import list_context
from parts.live import repository, rules
from parts.live.follow_up_store import linked
from parts.live.formats import formats_on, shared_template
from parts.live.lifetimes import configured
from parts.live.screens.access import Hosted, for_hosts, for_hosts_and_moderators
from parts.live.services import closing, deleting, making

from . import reports

ONE_HOUR = timedelta(hours=1)


@for_hosts
@require_safe
def report(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted[0], closing.settled(*hosted)
    built = reports.build_report(game, state)
    asked = built.asked[: reports.MAX_QUESTIONS_SHOWN]
    context = {
        "game": game,
        "state": state,
        "kept_days": configured().retention.days,
        "token": new_token(),
        "is_anonymous": built.is_anonymous,
        "summary": reports.report_context(built),
        "asked": asked,
        "more_asked": len(built.asked) - len(asked),
        "made": linked(game.id, request.user),
    }
    return render(request, "live/report.html", context)


@for_hosts
@require_safe
def report_csv(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(reports.csv(reports.build_report(*hosted)), "text/csv; charset=utf-8", "csv")


@for_hosts
@require_safe
def report_json(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    return _file(reports.as_json(reports.build_report(*hosted)), "application/json", "json")


def _file(lines: Iterable[str | bytes], kind: str, ending: str) -> HttpResponse:
    answer = StreamingHttpResponse(lines, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="report.{ending}"'
    return answer


@requires(Permission.USE_APPLICATION)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """The user's own sessions, newest first, without any players."""

    def read(limit: int, cursor: str | None) -> tuple[list[repository.PastSession], str | None]:
        return repository.history(request.user.name, limit=limit, cursor=cursor)

    own = {"kept_days": configured().retention.days, "kept": shared_template("history/kept")}
    return render(request, "live/history.html", list_context(request, read) | own)


@for_hosts
@require_POST
def copy(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Copies a session in any phase, as long as its data exists."""
    with refusals_as_messages(request):
        made = making.copy(request.user, hosted[0].id, token_in(request.POST))
        messages.success(request, _("This is the copy, ready to start. Change whatever is different this time."))
        return redirect(made.format.questions_page, made.id)
    return redirect("games")


ALL_GOES = gettext_lazy(
    "This deletes everything about “%(title)s”: who was there, all answers, the report, and its entry in the history."
)


@for_hosts_and_moderators
@form_page
def delete(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game = hosted[0]
    if request.method == "POST":
        run_action(request, lambda: deleting.delete(game.id, request.user.name), _("The session has been deleted."))
        return redirect("games")
    goes = game.format.all_but_record_goes if rules.keeps_record(*hosted) else ALL_GOES
    runs = "" if game.ended_at else " " + _("It is still running and will be ended for everybody first.")
    return confirm_page(
        request, _("Delete the session"), _("Delete it"), lead=goes % {"title": game.title} + runs, danger=True
    )


@public
@require_safe
def help_live(request: HttpRequest) -> HttpResponse:
    lifetime = configured()
    source = {
        "kept": lifetime.retention.days,
        "waiting": lifetime.waiting.days,
        "idle": lifetime.idle // ONE_HOUR,
    }
    formats = formats_on()
    source |= {f"{type_}_idle": each.idle(lifetime) // ONE_HOUR for type_, each in formats.items()}
    own = {"formats": [each.templates for each in formats.values()], "ending": shared_template("help/ending")}
    return shared_page(request, "live/help_live.html", "live/help/all.html", lambda: source | own, source)
