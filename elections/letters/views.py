"""Pages for letters: how many wait, printing them, a file for a print shop, reissuing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language_bidi, ngettext, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from acts.branding import site_name
from acts.links import absolute_url
from acts.storage import now_text
from elections.access import election_context, organiser_page
from elections.invitations import wording
from elections.invitations.mailing import mailed_questions
from elections.multi_ballots.links import ballot_name
from elections.rolls import number_of
from elections.rules import Action, Election
from pages import lists
from pages.messages import refusals_as_messages
from pages.qr import qr_svg

from . import repository, services
from .forms import PrintForm, ReissueForm
from .services import FILE, MAX_EXPORTED, PAGE, Letter


@organiser_page(Action.INVITE)
@require_safe
def letters(request: HttpRequest, election: Election) -> HttpResponse:
    batches = repository.batches(election)
    last = batches[0] if batches else None
    initial = {"batch": last.number + 1 if last else 1, "sender": last.sender if last else site_name()}
    context = {"batches": batches, "waiting": services.waiting(election), "form": PrintForm(initial=initial)}
    context |= {"reissue_form": ReissueForm()}
    return render(request, "elections/letters/letters.html", election_context(request, election, **context))


@organiser_page(Action.INVITE)
@require_POST
def print_letters(request: HttpRequest, election: Election) -> HttpResponse:
    """The letters themselves: what is shown here is never shown again."""
    form = PrintForm(request.POST)
    with refusals_as_messages(request):
        if form.is_valid():
            data = form.cleaned_data
            found = services.print_batch(request.user, election, data["batch"], data["most"], PAGE, data["sender"])
            pages = _pages(election, found, request.user.name, data["sender"])
            context = {"pages": pages, "number": len(found), "batch": data["batch"]}
            answer = render(request, "elections/letters/print.html", election_context(request, election, **context))
            answer["Cache-Control"] = "no-store"
            return answer
        messages.error(request, _("Please check what you entered, and try again."))
    return redirect("letters", name=election.name)


def _pages(election: Election, found: list[Letter], actor: str, sender: str) -> Iterator[str]:
    """Each letter in its voter's language."""
    questions = mailed_questions(election)

    @cache
    def values(language: str, own: tuple[str, ...]) -> Mapping[str, Any]:
        known = wording.email_values(election, actor, now_text(), list(own))
        asked = known.pop("questions").splitlines()
        return known | {"questions": asked, "is_rtl": get_language_bidi(), "language": language}

    for letter in found:
        own = tuple(name for name, each in questions.items() if each.is_for(letter.voter.groups))
        with override(letter.voter.language or settings.LANGUAGE_CODE):
            about = dict(values(letter.voter.language or settings.LANGUAGE_CODE, own))
            about |= {"letter": letter, "sender": sender or site_name(), "site": site_name(), "settings": election}
            about |= {"qr": qr_svg(code_url(letter.code)), "address": short_address()}
            yield mark_safe(render_to_string("elections/letters/letter.html", about))  # noqa: S308 - of a template


def code_url(code: str) -> str:
    return absolute_url(reverse("by_code", args=[code]))


def short_address() -> str:
    """As people type it."""
    return absolute_url(reverse("enter_code")).partition("://")[2].rstrip("/")


@organiser_page(Action.INVITE)
@require_POST
def letters_csv(request: HttpRequest, election: Election) -> HttpResponse:
    """The next batch as a file for a print shop, which counts as printing it."""
    form = PrintForm(request.POST)
    with refusals_as_messages(request):
        if form.is_valid():
            data = form.cleaned_data
            found = services.print_batch(request.user, election, data["batch"], MAX_EXPORTED, FILE, data["sender"])
            answer = StreamingHttpResponse(_csv(election, found), content_type="text/csv; charset=utf-8")
            answer["Content-Disposition"] = f'attachment; filename="letters-{data["batch"]}.csv"'
            answer["Cache-Control"] = "no-store"
            return answer
        messages.error(request, _("Please check what you entered, and try again."))
    return redirect("letters", name=election.name)


def _csv(election: Election, found: list[Letter]) -> Iterator[str]:
    lines = [f"address {number}" for number in range(1, lists.MAX_POSTAL_LINES + 1)]
    header = ["member number", "name", *lines, "language", "code", "link", "address to type", "election", "voting ends"]
    ends = f"{election.ends:%Y-%m-%d %H:%M} UTC" if election.ends else ""
    about = ballot_name(election), ends
    rows = (
        [
            *(number_of(each.voter.name), each.voter.display_name),
            *(each.voter.postal + ("",) * lists.MAX_POSTAL_LINES)[: lists.MAX_POSTAL_LINES],
            *(each.voter.language or settings.LANGUAGE_CODE, each.code, code_url(each.code), short_address(), *about),
        ]
        for each in found
    )
    return lists.as_csv(header, rows)


@organiser_page(Action.INVITE)
@require_POST
def reissue_letter(request: HttpRequest, election: Election) -> HttpResponse:
    """One that was lost, or a whole batch."""
    form = ReissueForm(request.POST)
    with refusals_as_messages(request):
        if (number := request.POST.get("batch", "")).isdecimal():
            count = services.reissue_batch(request.user, election, int(number[:5]))
            sentence = ngettext(
                "%(count)d letter no longer works, and waits to be printed again with a new code.",
                "%(count)d letters no longer work, and wait to be printed again with new codes.",
                count,
            )
            messages.success(request, sentence % {"count": count})
        else:
            voter = services.reissue(request.user, election, form.cleaned_data["number"] if form.is_valid() else "")
            done = _("The letter of %(name)s no longer works. A new one waits to be printed.")
            messages.success(request, done % {"name": voter.label})
    return redirect("letters", name=election.name)
