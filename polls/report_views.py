"""Reporting a poll, and the moderators' pages about reported polls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission
from accounts.visitors import throttle_key
from acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from acts.refusals import LostRace, NotNow
from pages.forms import form_data, form_page, run_form
from pages.messages import run_action
from pages.paging import list_context, read_page

from . import reports, voters
from .forms import ReportForm
from .reports import Reported
from .rules import Poll
from .services import NOT_NOW
from .views import found_or_404, hidden_page, poll_context

REPORTS = Limit("poll-reports", 10, SECONDS_PER_HOUR)

Found = tuple[Poll, Reported | None]


# --- reporting ---


@public
@form_page
def report(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    poll = found_or_404(poll_id)
    if gone := hidden_page(request, poll):
        return gone
    form = ReportForm(form_data(request))

    def send() -> None:
        report_id = voters.report_id(request, poll)
        voters.check_person(request, poll)
        count(REPORTS, throttle_key(request))
        reports.report(poll, report_id, **form.cleaned_data)

    if run_form(request, form, send, _("Thank you. An administrator will look at your report.")):
        return redirect("poll", poll.id)
    stamp = voters.reused_stamp(request, poll) if form.is_bound else voters.stamp(request, poll)
    context = poll_context(poll, form=form, stamp=stamp, trap=voters.TRAP)
    answer = render(request, "polls/report.html", context, status=422 if form.errors else 200)
    return voters.set_voter_cookie(request, answer)


# --- what was reported ---


@requires(Permission.MANAGE_USERS)
@require_safe
def reported_polls(request: HttpRequest) -> HttpResponse:
    """Newest first. A dismissed poll returns when it is reported again."""
    return render(request, "polls/reported_polls.html", list_context(request, reports.reported_page))


def of_moderators(methods: Callable[..., Any]) -> Callable[..., Any]:
    """For moderators, on any existing poll."""

    def load(user: User, poll_id: UUID) -> Found | None:
        return reports.find_reported(str(poll_id))

    return lambda view: requires(Permission.MANAGE_USERS, load_for=load)(methods(view))


@of_moderators(require_safe)
def reported_poll(request: HttpRequest, found: Found) -> HttpResponse:
    poll, reported = found
    rows, older = read_page(request, partial(reports.reports_page, reported)) if reported else ([], "")
    context = poll_context(poll, reported=reported, reports=rows, older=older)
    return render(request, "polls/reported_poll.html", context)


@of_moderators(require_POST)
def hide(request: HttpRequest, found: Found) -> HttpResponse:
    done = _("The poll is hidden. Its maker can see that; nobody else can see the poll.")
    run_action(request, lambda: reports.hide(request.user, found[0]), done)
    return redirect("reported_poll", found[0].id)


@of_moderators(require_POST)
def show(request: HttpRequest, found: Found) -> HttpResponse:
    run_action(request, lambda: reports.show(request.user, found[0]), _("Everyone can see the poll again."))
    return redirect("reported_poll", found[0].id)


@of_moderators(require_POST)
def dismiss(request: HttpRequest, found: Found) -> HttpResponse:
    """Only the reports that the page showed."""
    poll, reported = found

    def act() -> None:
        if reported is None:
            raise NotNow(NOT_NOW)
        if request.POST.get("seen") != reported.reported_at:
            raise LostRace
        reports.dismiss(request.user, reported)

    done = run_action(request, act, _("The reports were dismissed."))
    return redirect("reported_polls") if done else redirect("reported_poll", poll.id)
