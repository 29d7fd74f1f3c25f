"""Pages to open, extend, close and delete an election, and what closing or deleting it means, before the button."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts import policy
from accounts.forms import ConfirmNameForm
from elections import repository, rolls, setup_steps
from elections.access import election_context, organiser_page
from elections.dashboard import checklist
from elections.dashboard.concerns import ElectionSnapshot, concerns
from elections.invitations import messages
from elections.invitations.progress import Progress, progress
from elections.rules import Action, Election, State
from elections.turnout.counts import turnout
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text, table
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import run_action, show_time_notes
from foundation.pages.times import seconds_left, split_seconds
from foundation.store.parallel import run_parallel

from . import services
from .closing import close_and_follow_up
from .forms import EXTENDING, EndForm, open_form


@organiser_page(Action.OPEN)
@form_page
def open_(request: HttpRequest, election: Election) -> HttpResponse:
    form = open_form(form_data(request), election)
    if run_form(
        request, form, lambda: services.open_(request.user, election, **form.cleaned_data), _("The election is open.")
    ):
        return redirect("dashboard", name=election.name)
    election, now = rolls.as_it_would_open(election), now_text()
    candidates, roll = run_parallel(
        table(), lambda: repository.candidates_by_question(election), lambda: checklist.summarise_roll(election)
    )
    context = election_context(request, election, form=form)
    points = checklist.checklist_items(election, candidates, roll, context["offered"], now)
    snapshot = ElectionSnapshot(election, candidates, context["offered"], now, Progress())
    context |= {
        "points": points,
        "concerns": concerns(snapshot, except_for="settings"),
        "fixed": checklist.fixed_by_opening(election),
        "is_ready": not any(point.is_missing for point in points),
        "progress_steps": setup_steps.progress_steps(election),
        "needs_an_admin": not policy.allows_any_invitation(),
    }
    return render(request, "elections/opening.html", context, status=422 if form.errors else 200)


@organiser_page(Action.FIX)
@require_POST
def fix(request: HttpRequest, election: Election) -> HttpResponse:
    run_action(request, lambda: services.fix(request.user, election), _("The list of candidates is locked."))
    return redirect("dashboard", name=election.name)


@organiser_page(Action.EXTEND)
@form_page
def extend(request: HttpRequest, election: Election) -> HttpResponse:
    form = EndForm(form_data(request), zone=election.time_zone)
    if run_form(
        request, form, lambda: services.extend(request.user, election, form.stored("ends")), _("The new end is saved.")
    ):
        show_time_notes(request, form)
        return redirect("dashboard", name=election.name)
    context = election_context(request, election, lead=EXTENDING)
    return show_form(request, form, _("Extend voting"), _("Extend voting"), **context)


@organiser_page(Action.CLOSE)
@form_page
def close(request: HttpRequest, election: Election) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: close_and_follow_up(request.user, election), _("The election is closed."))
        return redirect("dashboard", name=election.name)
    losses = consequences_of_closing(election, turnout(election).voted, now_text())
    context = election_context(request, election, title=_("Close the election"), button=_("Close for good"))
    context["consequences"] = losses
    return render(request, "elections/numbers_first.html", context)


@organiser_page(Action.DELETE)
@form_page
def delete(request: HttpRequest, election: Election) -> HttpResponse:
    form = ConfirmNameForm(form_data(request), expected=election.name)
    done = _("%(name)s is deleted.") % {"name": election.name}
    if run_form(request, form, lambda: services.delete(request.user, election), done):
        return redirect("elections")
    title = _("Delete %(name)s") % {"name": election.name}
    so_far = progress(election)
    candidates, voted = sum(repository.candidate_counts(election).values()), turnout(election).voted
    counts = [*so_far.mails, *(each.mails for each in messages.list_messages(election))]
    mails = sum(each.sent for each in counts)
    is_public = so_far.is_sealed and election.results_public
    address = absolute_url(reverse("shared", args=[election.name])) if is_public else ""
    losses = consequences_of_deleting(election, candidates, voted, mails, so_far, address)
    context = election_context(request, election, form=form, title=title, button=_("Delete for good"))
    context |= {"consequences": losses, "is_sealed": so_far.is_sealed, "is_kept_elsewhere": True}
    return render(request, "elections/numbers_first.html", context, status=422 if form.errors else 200)


# --- consequences, in numbers and sentences ---


@dataclass(frozen=True, slots=True)
class Figure:
    label: str
    number: str


@dataclass(frozen=True, slots=True)
class Consequences:
    figures: tuple[Figure, ...]
    sentences: tuple[str, ...]
    is_calm: bool = False  # nothing is lost by it


def consequences_of_closing(election: Election, voted: int, now: str) -> Consequences:
    """How many have not voted, and how much time they still had: the less is lost, the calmer."""
    waiting = max(0, election.electors - voted) if election.electorate == "listed" else None
    left = seconds_left(election.ends, datetime.fromisoformat(now)) if election.ends else None
    figures = [Figure(_("have voted"), str(voted))]
    if waiting is not None:
        figures.append(Figure(_("have not voted"), str(waiting)))
    if left is None:
        end = _("No end is planned: it ends when you close it.")
    elif left == 0:
        end = _("The planned end has passed.")
    else:
        time = " ".join(map(str, split_seconds(left)))
        figures.append(Figure(_("left until the planned end"), time))
        end = _("There are %(time)s left until the planned end.") % {"time": time}
    sentences = [f"{_turnout_text(election, voted, waiting)} {end}"]
    if not voted:
        sentences.append(_("Nobody has voted, so there will be nothing to count."))
    sentences.append(_("After that nobody can vote, and nothing can be changed."))
    return Consequences(tuple(figures), tuple(sentences), is_calm=waiting == 0 or left == 0)


def _turnout_text(election: Election, voted: int, waiting: int | None) -> str:
    if waiting == 0:
        return _("Everyone has voted.")
    if waiting is None:
        return ngettext("%(voted)d has voted.", "%(voted)d have voted.", voted) % {"voted": voted}
    values = {"waiting": waiting, "voters": election.electors}
    text = ngettext("%(waiting)d of %(voters)d has not voted.", "%(waiting)d of %(voters)d have not voted.", waiting)
    return text % values


def consequences_of_deleting(
    election: Election, candidates: int, voted: int, mails: int, progress: Progress, address: str
) -> Consequences:
    """`mails` is how many went out; `address` is that of the published result, if there is one."""
    figures = [Figure(_("Candidates"), str(candidates))]
    if election.electorate == "listed" or election.voter_count:
        figures.append(Figure(_("Voters"), str(election.voter_count)))
    if election.stored_state != State.DRAFT:
        figures += [Figure(_("Ballots"), str(voted)), Figure(_("Mails sent"), str(mails))]
    text = ngettext(
        "Its candidates, its roll and %(count)d ballot will be deleted for good. The event log keeps a "
        "record of what happened.",
        "Its candidates, its roll and %(count)d ballots will be deleted for good. The event log keeps a "
        "record of what happened.",
        voted,
    )
    sentences = [text % {"count": voted}]
    if address:
        sentences.append(
            _("The result is published at %(address)s; that page will be deleted, too.") % {"address": address}
        )
    elif progress.is_sealed:
        sentences.append(_("The sealed result will be deleted, too: nobody can look it up or check it any more."))
    if election.stored_state in (State.EDITABLE, State.OPEN):
        sentences.append(_("It is not closed yet, so there will be no result."))
    return Consequences(tuple(figures), tuple(sentences))
