"""Pages for letters: how many wait, printing them, a file for a print shop, reissuing."""

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

from elections import voter_lists
from elections.access import election_context, organiser_page
from elections.asking import where_to_ask
from elections.invitations import wording
from elections.rolls import number_of
from elections.rules import Action, Election
from foundation.acts.branding import site_name
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.pages import lists
from foundation.pages.messages import refusals_as_messages
from foundation.pages.qr import qr_svg

from . import repository, rules, services
from .forms import PrintForm
from .services import FILE, MAX_EXPORTED, Letter


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
    """Each letter in its voter's language."""
    known: dict[tuple[str, tuple[str, ...]], dict[str, Any]] = {}
    for letter in found:
        own = tuple(each.title for each in election.questions_for(letter.voter.groups) if election.more)
        language = letter.voter.language or settings.LANGUAGE_CODE
        with override(language):
            if (language, own) not in known:
                known[language, own] = _about(election, actor, language, own)
            about = known[language, own] | {"letter": letter, "qr": qr_svg(code_url(letter.code))}
            about |= {"addressee": rules.addressee(election, letter.voter), "sender": sender or site_name()}
            yield mark_safe(render_to_string("letters/letter.html", about))  # noqa: S308 - of a template


def _about(election: Election, actor: str, language: str, own: tuple[str, ...]) -> dict[str, Any]:
    """What letters in one language to people with the same questions have in common."""
    values: dict[str, Any] = {**wording.email_values(election, actor, now_text(), list(own))}
    asked = values.pop("questions").splitlines()
    values |= {"site": site_name(), "address": short_address(), "help_address": help_address(election)}
    values |= {"settings": election}
    return values | {"questions": asked, "is_rtl": get_language_bidi(), "language": language}


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
    header = [
        "member number",
        "name",
        *lines,
        "language",
        "code",
        "link",
        "address to type",
        "election",
        "voting ends",
        "help",
    ]
    ends = f"{election.ends:%Y-%m-%d %H:%M} UTC" if election.ends else ""
    about = election.name, ends, help_address(election)
    tells_number = election.letter_check != rules.NUMBER
    rows = (
        [
            *(number_of(each.voter.name) if tells_number else "", each.voter.display_name),
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
