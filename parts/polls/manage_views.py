"""Pages for managing a poll: sharing, closing, reopening, listing, hiding, deleting, turning it into an election."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import View, access_response, public, requires
from accounts.rules import Permission
from elections.drafts.forms import NameForm
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import now_text
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import confirm_page, run_action, show_time_notes
from foundation.pages.times import form_time, from_text
from foundation.store import wait_budget

from . import repository, services
from .forms import PollEndForm
from .rules import KINDS, Poll, PollAction, PollRelation
from .services import Runner
from .views import KEY_COOKIE, found_or_404, poll_context, sharing_context


def of_runners(methods: Callable[[View], View]) -> Callable[[View], View]:
    """For the poll's maker, by account or private link, and for moderators."""

    def declare(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, poll_id: UUID) -> HttpResponse:
            wait_budget.insist()
            runner = services.find_runner(str(poll_id), request.user, request.COOKIES.get(KEY_COOKIE, ""))
            if runner is None:
                raise Http404
            if runner.relation != PollRelation.NOBODY:
                return view(request, runner)
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            raise NotAllowed(services.NOT_YOURS)

        return public(methods(answer))

    return declare


@public
@require_safe
def take_key(request: HttpRequest, poll_id: UUID, key: str) -> HttpResponse:
    """The private link: stores the key in this browser."""
    poll = found_or_404(poll_id)
    if poll.maker or services.relation(poll, request.user, key) != PollRelation.MAKER:
        raise Http404
    answer = redirect("manage_poll", poll.id)
    answer.set_cookie(
        KEY_COOKIE,
        key,
        expires=from_text(poll.gone_at),
        path=reverse("poll", args=[poll.id]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


@of_runners(require_safe)
def manage(request: HttpRequest, runner: Runner) -> HttpResponse:
    poll, offered = runner.poll, {act.name for act in runner.offered}
    key = "" if poll.maker else request.COOKIES.get(KEY_COOKIE, "")
    private_link = absolute_url(reverse("poll_key", args=[poll.id, key])) if key else ""
    context = poll_context(poll, offered=offered, votes=runner.votes, private_link=private_link)
    return render(request, "polls/manage.html", context | sharing_context(poll) | {"kind_label": KINDS[poll.kind]})


# --- acts ---


@of_runners(form_page)
def close(request: HttpRequest, runner: Runner) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: services.close(runner), _("The poll is closed."))
        return redirect("manage_poll", runner.poll.id)
    lead = _("Nobody can vote after that unless you reopen it. Everyone with the link can see the results.")
    return confirm_page(request, _("Close the poll"), _("Close it"), lead=lead, danger=True)


@of_runners(form_page)
def extend(request: HttpRequest, runner: Runner) -> HttpResponse:
    return _until(request, runner, services.extend, _("Move the end"), _("The end is moved."))


@of_runners(form_page)
def reopen(request: HttpRequest, runner: Runner) -> HttpResponse:
    return _until(request, runner, services.reopen, _("Reopen the poll"), _("The poll is open again."))


def _until(
    request: HttpRequest, runner: Runner, act: Callable[[Runner, str | None], None], title: str, done: str
) -> HttpResponse:
    poll = runner.poll
    ahead = poll.expires_at is not None and poll.expires_at > now_text()
    initial = {"ends": form_time(poll.ends, poll.time_zone)} if ahead and poll.ends else {}
    form = PollEndForm(form_data(request), zone=poll.time_zone, initial=initial)
    if run_form(request, form, lambda: act(runner, form.stored("ends")), done):
        show_time_notes(request, form)
        return redirect("manage_poll", poll.id)
    return show_form(request, form, title, title)


for_organisers = requires(Permission.USE_APPLICATION)(manage)


@of_runners(form_page)
def elect(request: HttpRequest, runner: Runner) -> HttpResponse:
    """Makes a draft election of the poll, for someone who may organise one; with a private link, after signing in."""
    if instead := access_response(request, for_organisers):
        return instead
    if PollAction.ELECT not in runner.offered:
        raise NotAllowed(services.NOT_YOURS)
    form = NameForm(form_data(request), initial={"name": runner.poll.title})
    done = _("Your draft is ready, with all options from the poll. Now choose who may vote.")

    def act() -> None:
        services.make_election(runner, request.user, form.cleaned_data["name"])

    if run_form(request, form, act, done, "name"):
        return redirect("dashboard", name=form.cleaned_data["name"])
    title, button = _("Turn it into an election"), _("Make the draft")
    lead = _("The question, options and kind of ballot are copied. Votes are not, and the poll stays as it is.")
    return show_form(request, form, title, button, lead=lead)


@of_runners(require_POST)
def list_(request: HttpRequest, runner: Runner) -> HttpResponse:
    listed = request.POST.get("listed") == "yes"
    done = _("The poll is listed publicly.") if listed else _("The poll is no longer listed; its link still works.")
    run_action(request, lambda: services.list_publicly(runner, listed=listed), done)
    return redirect("manage_poll", runner.poll.id)


# --- moderators ---


def of_moderators(view: View) -> View:
    """For moderators, on any existing poll."""
    found = requires(Permission.MANAGE_USERS, load=lambda poll_id: repository.find(str(poll_id)))
    return found(require_POST(view))


@of_moderators
def hide(request: HttpRequest, poll: Poll) -> HttpResponse:
    done = _("The poll is hidden. Its maker can see that; nobody else can see the poll.")
    run_action(request, lambda: services.hide(request.user, poll), done)
    return redirect("manage_poll", poll.id)


@of_moderators
def show(request: HttpRequest, poll: Poll) -> HttpResponse:
    run_action(request, lambda: services.show(request.user, poll), _("Everyone can see the poll again."))
    return redirect("manage_poll", poll.id)


@of_runners(form_page)
def delete(request: HttpRequest, runner: Runner) -> HttpResponse:
    if request.method == "POST":
        done = _("%(title)s is deleted.") % {"title": runner.poll.title}
        gone = run_action(request, lambda: services.delete(runner), done)
        return redirect("polls") if gone else redirect("manage_poll", runner.poll.id)
    lead = ngettext(
        "“%(title)s” and its %(count)d vote will be deleted for good. Its link and code will stop working.",
        "“%(title)s” and its %(count)d votes will be deleted for good. Its link and code will stop working.",
        runner.votes,
    ) % {"title": runner.poll.title, "count": runner.votes}
    return confirm_page(request, _("Delete the poll"), _("Delete it for good"), lead=lead, danger=True)
