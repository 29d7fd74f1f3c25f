"""Pages for the roll: list, import, export, resend an invitation."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from accounts import mail_quota, policy
from accounts.models import User
from accounts.unsubscribe import unsubscribe_view
from elections import rolls, voter_lists
from elections.access import election_context, organiser_page, organiser_page_with
from elections.invitations import mailing, progress
from elections.rules import Action, Election, State
from elections.turnout.counts import tells_names, tells_who, turnout
from elections.turnout.views import turnout_context
from foundation.acts.storage import now_text, table
from foundation.pages import lists
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.lists import Verdict
from foundation.pages.messages import refusals_as_messages, run_action
from foundation.pages.paging import PAGE_ROWS, read_page
from foundation.store.parallel import run_parallel

from . import imports, list_summary, services
from .forms import ImportedForm, ImportForm, RollForm, VoterSearchForm
from .imports import Import
from .services import add_voters

ON_PATH = "path"  # query parameter: the import was started from the guided setup and returns there
MAX_SHORT_LIST_VOTERS = 2000  # voters; a longer list shows its progress from the start
SHORT_IMPORT_SECONDS = 1.0  # seconds a short one may take before it does
PROGRESS_STEP_SECONDS = 0.4  # seconds between two moves of the progress bar
UNSCRIPTED_STEP_SECONDS = 10.0  # seconds a browser without scripts waits before it is asked to go on


@organiser_page(Action.SEE_ROLL)
@form_page
def roll(request: HttpRequest, election: Election) -> HttpResponse:
    """Who may vote, page by page; a POST adds voters, one per line."""
    form = RollForm(form_data(request))
    if election.secret_ballot and not request.POST.get("weight"):
        del form.fields["weight"]
    if run_form(request, form, lambda: add_voters_from(form, request.user, election), str, "voters"):
        return redirect("roll", name=election.name)
    if request.GET.get("show") == "failed":
        return _failed_mails(request, election)
    search = VoterSearchForm(request.GET)
    typed = search.cleaned_data["q"] if search.is_valid() else ""
    counts, today = run_parallel(table(), lambda: turnout_context(election), lambda: _mails_today(request, election))
    voted = counts["turnout"].voted if counts else 0
    by_name = tells_names(election, voted)
    if typed:
        matching, has_more = rolls.find_voters(election, typed, limit=PAGE_ROWS, by_name=by_name)
        found, older = list(matching), ""
    else:
        listed, older = read_page(request, partial(rolls.list_voters, election, by_name=by_name))
        found, has_more = list(listed), False
    invited = progress.invited_voters(found)
    context = election_context(request, election, form=form, search=search, voters=invited, older=older, **counts)
    context["more"] = has_more
    context |= {"tells_who": tells_who(election, voted), "by_name": by_name, "keep_token": secrets.token_urlsafe(16)}
    context |= {"needs_an_admin": not policy.allows_any_invitation(), **today}
    context["group_sizes"] = _group_sizes(election)
    if election.stored_state == State.DRAFT:
        context["weights"] = list_summary.weights_text(rolls.weights(election))
    return render(request, "elections/roll.html", context, status=422 if form.errors else 200)


def _group_sizes(election: Election) -> list[tuple[str, int]]:
    """The voter groups of the roll that somebody is in; read only if there are any."""
    sizes = rolls.sizes_by_weight(election).items() if election.voter_groups else ()
    every = [(each, sum(size for (groups, _weight), size in sizes if each in groups)) for each in election.voter_groups]
    return [(name, size) for name, size in every if size]


def _failed_mails(request: HttpRequest, election: Election) -> HttpResponse:
    """Whose mails did not go out, and why."""
    failed, older = read_page(request, partial(progress.failures, election), show="failed")
    context = election_context(request, election, failures=failed, older=older, **_mails_today(request, election))
    return render(request, "elections/failed.html", context)


def _mails_today(request: HttpRequest, election: Election) -> dict[str, Any]:
    """How many mails are left today, where there are buttons that send some."""
    is_open = election.state(now_text()) in (State.EDITABLE, State.OPEN)
    return {"mails_today": mail_quota.quota_today(request.user)} if is_open else {}


@organiser_page(Action.INVITE)
@require_POST
def invite(request: HttpRequest, election: Election) -> HttpResponse:
    """Send one voter the invitation again. All others are invited on a page of its own (`invite_views`)."""
    voter = request.POST.get("voter", "")
    done = _("The mail is on its way, with a new link. Earlier links no longer work.")
    done = done if election.vote_by_link else _("The mail is on its way.")
    run_action(request, lambda: mailing.resend_invitation(request.user, election, voter), done)
    return redirect("roll", name=election.name)


@unsubscribe_view(mailing.UNSUBSCRIBE, gettext_lazy("No more reminders?"), gettext_lazy("No more reminders"))
def leave_alone(election_name: str, voter: str) -> str | None:
    if not mailing.unsubscribe(election_name, voter):
        return None
    return _("You will get no more reminders about “%(name)s”. You can still vote.") % {"name": election_name}


@organiser_page(Action.ADD_VOTERS)
@form_page
def import_roll(request: HttpRequest, election: Election) -> HttpResponse:
    """First a preview that gives each row its verdict, then one button, which sends the rows back."""
    if "voters" in request.POST:
        sent_back = ImportedForm(request.POST)
        with refusals_as_messages(request):
            if sent_back.is_valid():
                voters, skipped = sent_back.cleaned_data["voters"], sent_back.cleaned_data["skipped"]
                new = imports.start(request.user, election, voters, skipped, known=sent_back.known)
                return start_import(request, election, new)
            messages.error(request, _("The list could not be imported. Please start again with the file."))
        return redirect(reverse("import_roll", args=[election.name]) + _query(request))
    form = ImportForm(form_data(request), request.FILES if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return preview_page(request, election, form.cleaned_data["rows"])
    under_way, last = imports.recent_imports(election)
    context = election_context(request, election, imports=under_way, last_import=last, upload=True)
    return show_form(request, form, _("Import voters"), _("Check the list"), **context)


def preview_page(
    request: HttpRequest,
    election: Election,
    rows: list[voter_lists.VoterRow],
    groups: tuple[str, ...] = (),
    **more: Any,
) -> HttpResponse:
    """The outcome for each row, and the button that applies it."""
    compared = services.compare(election, rows, groups)
    more |= {"query": _query(request), **preview_context(compared, list_summary.VOTERS, groups)}
    more["weights"] = list_summary.listed_weights(rows, compared)
    return render(request, "elections/preview.html", election_context(request, election, **more))


def _query(request: HttpRequest) -> str:
    """What the address of the next page has to keep."""
    return f"?{ON_PATH}=yes" if ON_PATH in request.GET else ""


def _return_url(request: HttpRequest, election_name: str) -> str:
    """Where an import leads when it is done: back to where it was begun."""
    if ON_PATH in request.GET:
        return reverse("election_step", args=[election_name, "who"])
    return reverse("roll", args=[election_name])


def preview_context(
    rows: list[voter_lists.VoterRow], labels: list_summary.ListLabels, groups: tuple[str, ...] = ()
) -> dict[str, Any]:
    """What a preview shows of a list, and the form that sends it back to be saved."""
    applied = [row for row in rows if row.verdict in (Verdict.NEW, Verdict.CHANGED)]
    changed = sum(row.verdict == Verdict.CHANGED for row in applied)
    skipped = list_summary.skipped_of(rows)
    # With a heading and quotation marks, for the first name may look like a heading, and any may have a comma.
    sent_back = voter_lists.voters_as_csv(applied)
    initial = {
        "voters": sent_back if applied else "",
        "groups": voter_lists.as_groups(groups),
        "skipped": skipped.as_text(),
    }
    numbers = list_summary.preview_text(len(applied) - changed, skipped, labels, changed=changed)
    counts = {"new": len(applied) - changed, "changed": changed}
    return {**counts, "form": ImportedForm(initial=initial), **list_summary.rows_by_verdict(rows), "numbers": numbers}


def start_import(request: HttpRequest, election: Election, new: Import) -> HttpResponse:
    """A short list is on the roll in a moment; a longer one shows its progress."""
    seconds = SHORT_IMPORT_SECONDS if new.voters <= MAX_SHORT_LIST_VOTERS else 0
    return _import_response(request, imports.resume(request.user, election, new, seconds))


@organiser_page_with(Action.ADD_VOTERS, imports.find)
@form_page
def go_on_importing(request: HttpRequest, found: tuple[Election, Import]) -> HttpResponse:
    """How far an import has come; a POST takes it further. Where scripts run, they send one after the other."""
    election, under_way = found
    if request.method != "POST":
        context = {"under_way": under_way, "next_url": _return_url(request, election.name)}
        return render(request, "elections/import.html", election_context(request, election, **context))
    with refusals_as_messages(request):
        after = imports.resume(
            request.user, election, under_way, PROGRESS_STEP_SECONDS if request.htmx else UNSCRIPTED_STEP_SECONDS
        )
        if request.htmx and not after.is_finished:
            part = render(request, "elections/parts/import.html", {"under_way": after})
            return trigger_client_event(part, "go-on", after="settle")
        return _import_response(request, after)
    return _redirect(request, _return_url(request, election.name))


def _import_response(request: HttpRequest, after: Import) -> HttpResponse:
    if not after.is_finished:
        address = reverse("go_on_importing", args=[after.election_name, after.digest])
        return _redirect(request, address + _query(request))
    messages.success(request, after.sentence)
    return _redirect(request, _return_url(request, after.election_name))


def _redirect(request: HttpRequest, address: str) -> HttpResponse:
    """To another page, even for requests by script."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def add_voters_from(form: Any, actor: User, election: Election) -> str:
    """What came of it, in a sentence."""
    voters = form.cleaned_data["voters"]
    added = add_voters(actor, election, voters, form.known)
    skipped = replace(form.skipped, there=len(voters) - added)
    sentence = list_summary.summary(added, skipped, list_summary.VOTERS)
    grouped = str(list_summary.GROUPED) if services.is_grouped(election, form.known) else ""
    weights = Counter(form.known[name].weight or 1 if name in form.known else 1 for name in voters)
    return " ".join(filter(None, (sentence, grouped, list_summary.weights_text(weights))))


@organiser_page(Action.SEE_ROLL)
@require_safe
def export_roll(request: HttpRequest, election: Election) -> HttpResponse:
    """The roll as a file; it includes who has voted if the page does."""
    voted = turnout(election).voted
    shows_who_voted = tells_who(election, voted)
    voters = rolls.every_voter(election, by_name=tells_names(election, voted))
    voted_of = {True: ["yes"], False: ["no"]} if shows_who_voted else {True: [], False: []}
    groups, weights = ["groups"] * bool(election.voter_groups), ["weight"] * election.weighted
    letters = ["member number", "postal address", "language"] if election.by_letter else []

    def cells(voter: rolls.Voter) -> list[Any]:
        is_by_number = bool(letters) and rolls.is_by_number(voter.name)
        row: list[Any] = ["" if is_by_number else voter.name, voter.display_name]
        row += [voter_lists.as_groups(voter.groups)] if groups else []
        row += [voter.weight] if weights else []
        if letters:
            row += [rolls.number_of(voter.name) if is_by_number else "", "\n".join(voter.postal), voter.language]
        return row + voted_of[voter.voted]

    header = ["voter", "name", *groups, *weights, *letters, *(["voted"] if shows_who_voted else [])]
    answer = StreamingHttpResponse(lists.as_csv(header, map(cells, voters)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="roll.csv"'
    return answer


@organiser_page(Action.REMOVE_VOTERS)
@require_POST
def remove_weights(request: HttpRequest, election: Election) -> HttpResponse:
    done = _("Everybody has one vote now. A list with weights can be imported again.")
    run_action(request, lambda: services.remove_weights(request.user, election), done)
    return redirect("roll", name=election.name)


@organiser_page(Action.REMOVE_VOTERS)
@require_POST
def remove_voter(request: HttpRequest, election: Election) -> HttpResponse:
    name = request.POST.get("voter", "")
    done = _("%(name)s is no longer on the roll.") % {"name": rolls.voter_label(name)}
    run_action(request, lambda: services.remove_voter(request.user, election, name), done)
    return redirect("roll", name=election.name)
