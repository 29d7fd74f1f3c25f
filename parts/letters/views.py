"""Pages for letters: printing and reissuing them, somebody who gets one, and where the code in one is entered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import uri_to_iri
from django.utils.safestring import mark_safe
from django.utils.translation import get_language_bidi, ngettext, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from ballots.guest_views import let_in, refused
from elections import rolls, voter_lists
from elections.access import election_context, organiser_page
from elections.invitations import wording
from elections.invitations.voting_link import LETTER
from elections.panels import where_to_ask
from elections.roll.services import list_by_letter
from elections.rules import Action, Election
from foundation.acts.branding import site_name
from foundation.acts.links import absolute_url
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text
from foundation.pages import lists
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import refusals_as_messages
from foundation.pages.qr import qr_svg
from foundation.ranking.codes import GROUP_SYMBOLS, code_symbols
from foundation.store import keys

from . import repository, rules, services
from .forms import MAX_TYPED_CHARS, CodeForm, MemberForm, PrintForm
from .services import FILE, MAX_EXPORTED, Letter, open_letter


@organiser_page(Action.INVITE)
@require_safe
def letters(request: HttpRequest, election: Election) -> HttpResponse:
    """How many wait, and what was printed; at “?print”, the form alone."""
    batches = repository.batches(election)
    last = batches[0] if batches else None
    initial = {"batch": last.number + 1 if last else 1, "sender": last.sender if last else site_name()}
    context = {"batches": batches, "waiting": services.waiting(election), "form": PrintForm(initial=initial)}
    return render(request, "letters/letters.html", election_context(request, election, **context))


@organiser_page(Action.INVITE)
@require_POST
def print_letters(request: HttpRequest, election: Election) -> HttpResponse:
    """The letters themselves, as a page or a file: what is shown here is never shown again."""
    form = PrintForm(request.POST)
    with refusals_as_messages(request):
        if form.is_valid():
            answer = _printed(request, election, **form.cleaned_data)
            answer["Cache-Control"] = "no-store"
            return answer
        messages.error(request, _("Please check what you entered, and try again."))
    return redirect("letters", name=election.name)


def _printed(
    request: HttpRequest, election: Election, batch: int, most: int, how: str, sender: str
) -> HttpResponse | StreamingHttpResponse:
    most = MAX_EXPORTED if how == FILE else most
    printed = services.print_batch(request.user, election, batch, most, how, sender)
    if how == FILE:
        answer = StreamingHttpResponse(_csv(election, printed), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="letters-{batch}.csv"'
        return answer
    context = {"pages": _pages(election, printed, request.user.name, sender), "number": len(printed), "batch": batch}
    return render(request, "letters/print.html", election_context(request, election, **context))


def _pages(election: Election, found: list[Letter], actor: str, sender: str) -> Iterator[str]:
    """Each letter in its voter's language. Those in one language to people with the same questions have most in
    common."""
    in_common: dict[tuple[str, tuple[str, ...]], dict[str, Any]] = {}
    for letter in found:
        own = tuple(each.title for each in election.questions_for(letter.voter.groups) if election.more)
        language = letter.voter.language or settings.LANGUAGE_CODE
        with override(language):
            if (language, own) not in in_common:
                values: dict[str, Any] = {**wording.email_values(election, actor, now_text(), list(own))}
                values["questions"] = values["questions"].splitlines()
                values |= {"site": site_name(), "address": short_address(), "help_address": help_address(election)}
                values |= {"settings": election, "is_rtl": get_language_bidi(), "language": language}
                in_common[language, own] = values
            about = in_common[language, own] | {"letter": letter, "qr": qr_svg(code_url(letter.code))}
            about |= {"addressee": rules.addressee(election, letter.voter), "sender": sender or site_name()}
            yield mark_safe(render_to_string("letters/letter.html", about))  # noqa: S308 - of a template


def code_url(code: str) -> str:
    return absolute_url(reverse("by_code", args=[code]))


def short_address() -> str:
    """As people type it."""
    return absolute_url(reverse("enter_code")).partition("://")[2].rstrip("/")


def help_address(election: Election) -> str:
    """As people type it: letters of any script and spaces as they are, which browsers take after “https:”. Empty if
    there is none."""
    page = where_to_ask(election.name)
    return uri_to_iri(absolute_url(page)).replace("%20", " ") if page else ""


def _csv(election: Election, found: list[Letter]) -> Iterator[str]:
    lines = [f"address {number}" for number in range(1, voter_lists.MAX_POSTAL_LINES + 1)]
    header = ["member number", "name", *lines, "language", "code", "link", "address to type"]
    header += ["election", "voting ends", "help"]
    ends = f"{election.ends:%Y-%m-%d %H:%M} UTC" if election.ends else ""
    about = election.name, ends, help_address(election)
    tells_number = election.letter_check != rules.NUMBER
    rows = (
        [
            *(rolls.number_of(each.voter.name) if tells_number else "", each.voter.display_name),
            *(each.voter.postal + ("",) * voter_lists.MAX_POSTAL_LINES)[: voter_lists.MAX_POSTAL_LINES],
            *(each.voter.language or settings.LANGUAGE_CODE, each.code, code_url(each.code), short_address(), *about),
        ]
        for each in found
    )
    return lists.as_csv(header, rows)


@organiser_page(Action.INVITE)
@require_POST
def reissue_letter(request: HttpRequest, election: Election) -> HttpResponse:
    """One that was lost, or a whole batch."""
    with refusals_as_messages(request):
        if (number := request.POST.get("batch", "")).isdecimal():
            count = services.reissue_batch(request.user, election, int(number[:5]))
            sentence = ngettext(
                "%(count)d letter no longer works, and waits to be printed again with a new code.",
                "%(count)d letters no longer work, and wait to be printed again with new codes.",
                count,
            )
            none = _("No letter of this batch works any more.")
            messages.success(request, sentence % {"count": count} if count else none)
        else:
            voter = services.reissue(request.user, election, request.POST.get("voter", ""))
            done = _("The letter of %(name)s no longer works. A new one waits to be printed.")
            messages.success(request, done % {"name": voter.label})
    return redirect("letters", name=election.name)


@organiser_page(Action.ADD_VOTERS)
@form_page
def voter_by_letter(request: HttpRequest, election: Election) -> HttpResponse:
    """Somebody who gets a letter: a new voter, or another address of one who is on the roll."""
    voter, known = request.GET.get("voter", ""), dict[str, str]()
    if rolls.is_by_number(voter) and (found := rolls.on_roll(election, [voter]).get(keys.fold(voter))):
        known = {"name": found.display_name, "number": rolls.number_of(found.name)}
        known |= {"postal": "\n".join(found.postal), "language": found.language}
    form = MemberForm(form_data(request), initial=known)
    form.fields["number"].disabled = bool(known)

    def save() -> str:
        ((number, details),) = voter_lists.details_of([form.row()]).items()
        list_by_letter(request.user, election, number, details, is_new=not known)
        done = _("The details of %(name)s are saved.") if known else _("%(name)s is on the roll, and gets a letter.")
        return done % {"name": rolls.voter_label(number, details.display_name)}

    if run_form(request, form, save, str, "number"):
        return redirect("roll", name=election.name)
    lead = _("For people without an email address, whom you know by a member number.")
    context = election_context(request, election, lead=lead)
    return show_form(request, form, _("Voter by letter"), _("Save"), **context)


@public
@form_page
def enter_code(request: HttpRequest, code: str = "") -> HttpResponse:
    """The same page for every code, which looks nothing up: whether a code is valid is told only to somebody who sends
    it with everything else that is asked for. A button leads on to the ballot, because cameras open links by
    themselves; after the close, to the result."""
    known = code_symbols(code[:MAX_TYPED_CHARS])
    groups = [known[at : at + GROUP_SYMBOLS] for at in range(0, len(known), GROUP_SYMBOLS)]
    form = CodeForm(form_data(request), initial={"code": "-".join(groups)})
    if request.method == "POST" and form.is_valid():
        try:
            link, found = open_letter(**form.cleaned_data, network=client_network(request))
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            return refused(request, link, found) or let_in(request, link, found, channel=LETTER)
    context = {"form": form, "is_from_qr": bool(code) and not form.errors}
    return render(request, "letters/code.html", context, status=422 if form.errors else 200)
