"""A sealed result for the public, if the organiser has chosen so: a page, and a text.

Strangers see what was counted, and can check it: the ballots by their codes, the recount, the bundle. They never see
who voted: neither names on the roll nor names beside the ballots, even where ballots are public to members.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.access import public
from elections.panels import where_to_ask
from elections.rules import Election, State
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.pages.http_cache import cached_for_reader
from foundation.pages.page_cache import page_with
from foundation.pages.paths import path_of
from foundation.pages.sharing import MAX_PREVIEW_CHARS, site_picture
from results import wording
from results.access import is_shared
from results.cached_page import CachedPage
from results.exports.files import context_of_exports
from results.exports.text_report import as_text
from results.outcomes import outcome_of
from results.report import Report
from results.repository import Found, Sealed
from results.views import Overview, address_of, answers_of, context_of_report, with_all_questions
from results.waiting import waiting_context


@public
@require_safe
def shared(request: HttpRequest, name: str, question: int | None = None) -> HttpResponse:
    """To strangers, an election that does not share its result looks like one that does not exist."""
    found = PAGE.find(name, request.user if request.user.is_authenticated else None, question or 1)
    if found is None or not is_shared(found.election):
        raise Http404
    found = found if question else with_all_questions(found)
    context: dict[str, Any] = {
        "election": found.election,
        "address": absolute_url(path_of("shared", *address_of(found))),
    }
    context["takes_requests"] = bool(where_to_ask(name, found.election))
    if found.seal is None:
        context |= (
            waiting_context(found.election, request.path) if found.election.state(now_text()) == State.CLOSED else {}
        )
        return _answer(request, "results/shared.html", found, context)
    if isinstance(found, Overview):
        answers = answers_of(found)
        summary = Truncator(" ".join(f"{each.election.title}: {each.line}" for each in answers)).chars(
            MAX_PREVIEW_CHARS
        )
        shown = {
            "title": found.election.name,
            "summary": summary,
            "address": context["address"],
            "image": site_picture(),
        }
        context |= {"answers": answers, "seal": found.seal, "preview": shown, "counted": True}
        return render(request, "results/shared.html", context)
    part, image = PAGE.fragment(found), site_picture()
    context |= {"preview": {**part.extra, "address": context["address"], "image": image}, "counted": True}
    make = partial(page_with, request, part, "results/shared.html", context)
    made_of = part.etag, part.extra, found.election, context["address"], context["takes_requests"], image
    return cached_for_reader(request, made_of, make)


def context_of_part(found: Sealed) -> dict[str, Any]:
    """The context of the part that is the same for all readers."""
    link = absolute_url(path_of("shared", *found.election.result_address))
    context: dict[str, Any] = {"text": f"{as_text(found)}\n{link}\n", "address": link}
    context |= {"election": found.election, "closed": found.election}
    return context_of_report(found) | context_of_exports(found) | context


def _answer(request: HttpRequest, template: str, found: Found, context: dict[str, Any]) -> HttpResponse:
    """Before it is sealed, both pages only announce it."""
    over = found.election.state(now_text()) == State.CLOSED
    context |= {"counting": over, "counted": found.report is not None}
    return render(request, template, context, status=202 if over and found.report is None else 200)


# --- in words ---


def preview(found: Sealed) -> dict[str, str]:
    """The preview that other sites show of a link to this page."""
    election, report = found.election, found.report
    first = wording.translate(report.sentences[0]) if report.sentences else ""
    summary = Truncator(f"{_ballots(found)} {first}").chars(MAX_PREVIEW_CHARS)
    return {"title": title(election, report), "summary": summary}


def title(election: Election, report: Report) -> str:
    return f"{election.full_name}: {outcome(report)}"


def outcome(report: Report) -> str:
    """How it ended, in a few words."""
    result, answer = report.result, outcome_of(report.result)
    if result.total == result.blank or not answer.names:
        return answer.line
    names, whole = {"names": Truncator(answer.brief).chars(MAX_PREVIEW_CHARS)}, answer.is_by_lot
    if result.seats > 1:
        return (_("elected by lot: %(names)s") if whole else _("elected: %(names)s")) % names
    alone = _("winner by lot: %(names)s") if whole else _("winner: %(names)s")
    return (_("a tie between %(names)s") if len(result.winners) > 1 else alone) % names


def _ballots(found: Sealed) -> str:
    total = found.seal.ballots
    return ngettext("%(count)d ballot.", "%(count)d ballots.", total) % {"count": total}


PAGE = CachedPage("results/parts/shared.html", context_of_part, preview)
